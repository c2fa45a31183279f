#include "base/base.h"

#include <string.h>

// FNV-1a multiplies byte by byte; here whole words are taken, eight times fewer steps. A product
// carries only upwards, so the high half is folded back after each word: every bit of the word
// then reaches every bit of the hash within two words.
static uint64_t addWord(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x00000100000001b3u;
    hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

uint64_t plHash_Start(void) { return 0xcbf29ce484222325u; }

// The size goes in at the end, so that the zeros that fill the last word are told from data.
uint64_t plHash_Add(uint64_t hash, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    size_t left = size;
    uint64_t word;
    for (; left >= sizeof word; left -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = addWord(hash, word);
    }
    if (left > 0) {
        word = 0;
        memcpy(&word, bytes, left);
        hash = addWord(hash, word);
    }
    return addWord(hash, size);
}
