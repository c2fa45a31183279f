// A guard before HDF5's own reader, which does not survive forged object headers (a wrong length in
// an attribute, a chunk of size zero), and leaks when it meets a damaged one. Recorders write very
// few kinds of header, so each one is compared here with a template, and its checksum computed: a
// file that departs from them is not opened.
//
// After: HDF5 File Format Specification 3.0, sections II.C (superblock 3), IV.A.1.b (object header
// 2) and IV.A.2 (messages). What is left to HDF5 are the addresses
// in the index of the chunks, and the numbers.
#include "base/base.h"
#include "record/sink.h"

#include <string.h>

#define MAX_BLOCK 4096 // bytes of a piece of an object header; recorders' have some 300
#define MAX_PIECES 16  // of one object header; recorders' have at most 6
#define MAX_CHUNK_BYTES (1u << 20)

enum {
    messageNil = 0x00,
    messageSpace = 0x01,
    messageType = 0x03,
    messageFill = 0x05,
    messageLink = 0x06,
    messageLayout = 0x08,
    messageAttribute = 0x0c,
    messageContinuation = 0x10
};

// Templates: pairs of hexadecimal digits, ?? for any byte, blanks ignored.
#define ANY8 "???????? ????????"
#define NONE8 "ffffffff ffffffff"
#define REAL "11203f00 08000000 0000 4000 34 0b 00 34 ff030000"
#define NATURAL "10000000 08000000 0000 4000"

/// One dataset of a trace: its link in the root group, and its messages.
typedef struct {
    const char *name, *link, *space, *type, *fill;
    int chunkRank; // 0: contiguous
} plDatasetRule;

static const plDatasetRule datasetRules[] = {
    {"T", "0100 01 54" ANY8, "0201 0101" ANY8 NONE8, REAL, "032b 08000000 0000706c6170f87f", 1},
    {"hash", "0100 04 68617368" ANY8, "0201 0101" ANY8 NONE8, NATURAL, "030b", 1},
    {"values", "0100 06 76616c756573" ANY8, "0202 0101" ANY8 ANY8 NONE8 ANY8, REAL, "030b", 2},
    {"channels", "0100 08 6368616e6e656c73" ANY8, "0201 0101" ANY8 ANY8, "13110000 ????0000",
     "030a", 0},
    {"scene", "0100 05 7363656e65" ANY8, "02000000", "13110000 ????????", "030a", 0},
};

/// Messages of the root group besides links and the text attribute `version`.
static const struct {
    int type;
    const char* pattern;
} rootRules[] = {
    {0x02, "0000" NONE8 NONE8}, // link info: links in the header, none in a heap
    {0x0a, "0000"},             // group info
    {0x15, "0000" NONE8 NONE8}, // attribute info: likewise
    {messageAttribute, "0300 0700 0c00 0400 00 666f726d617400" // "format", int32, scalar
                       "10080000 04000000 00002000 02000000 ????????"},
};

typedef struct {
    FILE* file;
    uint64_t fileSize;
} plGuard;

typedef struct {
    int type;
    size_t size;
    const unsigned char* data;
} plMessage;

/// Judges one message of an object; `state` is the judge's own.
typedef bool (*plJudge)(const plGuard*, const plMessage*, void* state);

static uint64_t number(const unsigned char* bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static unsigned digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static bool matches(const unsigned char* data, size_t size, const char* pattern)
{
    for (; *pattern != '\0'; ++pattern) {
        if (*pattern == ' ') continue;
        if (size == 0) return false;
        if (*pattern != '?' && *data != (digit(pattern[0]) << 4 | digit(pattern[1]))) return false;
        ++pattern, ++data, --size;
    }
    return size == 0;
}

static bool load(const plGuard* guard, uint64_t address, uint64_t size, unsigned char* bytes)
{
    if (size > MAX_BLOCK || address > guard->fileSize || size > guard->fileSize - address)
        return false;
    return fseek(guard->file, (long)address, SEEK_SET) == 0 &&
           fread(bytes, 1, (size_t)size, guard->file) == size;
}

/// Little-endian words of `data`, zeros after its end; then Jenkins' lookup3, as HDF5 uses it.
static uint32_t checksum(const unsigned char* data, size_t size)
{
#define TURN(x, k) ((x) << (k) | (x) >> (32 - (k)))
    uint32_t a = 0xdeadbeef + (uint32_t)size, b = a, c = a;
    for (;; data += 12, size -= 12) {
        unsigned char part[12] = {0};
        memcpy(part, data, size < 12 ? size : 12);
        a += (uint32_t)number(part, 4), b += (uint32_t)number(part + 4, 4);
        c += (uint32_t)number(part + 8, 4);
        if (size <= 12) break;
        a -= c, a ^= TURN(c, 4), c += b, b -= a, b ^= TURN(a, 6), a += c;
        c -= b, c ^= TURN(b, 8), b += a, a -= c, a ^= TURN(c, 16), c += b;
        b -= a, b ^= TURN(a, 19), a += c, c -= b, c ^= TURN(b, 4), b += a;
    }
    c ^= b, c -= TURN(b, 14), a ^= c, a -= TURN(c, 11), b ^= a, b -= TURN(a, 25), c ^= b;
    c -= TURN(b, 16), a ^= c, a -= TURN(c, 4), b ^= a, b -= TURN(a, 14), c ^= b, c -= TURN(b, 24);
    return c;
#undef TURN
}

/// A block of metadata: a signature of 4 bytes, and in its last 4 the checksum of the others.
static bool loadBlock(const plGuard* guard, uint64_t address, uint64_t size, unsigned char* bytes)
{
    return size > 8 && load(guard, address, size, bytes) &&
           checksum(bytes, (size_t)size - 4) == number(bytes + size - 4, 4);
}

typedef struct {
    uint64_t address, size; // of the block
    size_t head;            // bytes before its messages
} plPiece;

/// Adds the pieces that continue the header to the list; false: a piece that cannot be.
static bool judgePiece(const plGuard* guard, plPiece piece, plJudge judge, void* state,
                       plPiece* pieces, int* count)
{
    unsigned char bytes[MAX_BLOCK];
    if (!loadBlock(guard, piece.address, piece.size, bytes)) return false;
    if (memcmp(bytes, piece.head == 4 ? "OCHK" : "OHDR", 4) != 0) return false;
    size_t at = piece.head, end = (size_t)piece.size - 4;
    while (at + 4 <= end) { // fewer bytes than a message's head are a gap
        const unsigned char* head = bytes + at;
        plMessage message = {head[0], (size_t)number(head + 1, 2), head + 4};
        bool plain =
            (head[3] & ~0x05) == 0; // flags: constant, do not share; a shared one is foreign
        at += 4;
        if (!plain || message.size > end - at) return false;
        at += message.size;
        if (message.type == messageNil) continue;
        if (message.type != messageContinuation) {
            if (!judge(guard, &message, state)) return false;
            continue;
        }
        if (*count == MAX_PIECES || message.size != 16) return false;
        pieces[(*count)++] =
            (plPiece){number(message.data, 8), number(message.data + 8, 8), .head = 4};
    }
    return true;
}

/// Version 2, without times and without order of creation; a loop of pieces ends at their maximum.
static bool judgeObject(const plGuard* guard, uint64_t address, plJudge judge, void* state)
{
    unsigned char start[6 + 8];
    if (!load(guard, address, sizeof start, start)) return false;
    if (start[4] != 2 || start[5] > 3) return false;
    size_t width = (size_t)1 << start[5]; // of the size that follows
    uint64_t size = number(start + 6, width);
    if (size > MAX_BLOCK) return false;
    size_t head = 6 + width;
    plPiece pieces[MAX_PIECES] = {{address, head + size + 4, head}};
    int count = 1;
    for (int i = 0; i < count; ++i)
        if (!judgePiece(guard, pieces[i], judge, state, pieces, &count)) return false;
    return true;
}

typedef struct {
    const plDatasetRule* rule;
    bool space, type, fill, layout; // seen
} plDatasetState;

/// The head of the extensible array that finds the chunks, with the parameters of every recorder.
static bool judgeIndex(const plGuard* guard, uint64_t address)
{
    unsigned char head[72];
    if (address == UINT64_MAX) return true; // no row yet
    return loadBlock(guard, address, sizeof head, head) &&
           matches(head, sizeof head,
                   "45414844 00 00 08 20 04 10 04 0a" ANY8 ANY8 ANY8 ANY8 ANY8 ANY8 ANY8
                   "????????");
}

/// Chunks of 1 to MAX_CHUNK_BYTES, since HDF5 takes memory for a whole one.
static bool judgeChunks(const plGuard* guard, const plMessage* layout, int rank)
{
    size_t dims = (size_t)rank + 1; // the last one is the size of a number
    const unsigned char* data = layout->data;
    if (layout->size < 5 || !matches(data, 3, "0402 00") || data[3] != dims) return false;
    size_t width = data[4], used = 5 + dims * width;
    if (width < 1 || width > 8 || layout->size < used) return false;
    uint64_t bytes = 1;
    for (size_t i = 0; i < dims; ++i) {
        uint64_t dim = number(data + 5 + i * width, width);
        if (dim == 0 || dim > MAX_CHUNK_BYTES / bytes) return false;
        bytes *= dim;
        if (i == dims - 1 && dim != 8) return false;
    }
    return matches(data + used, layout->size - used, "04 20 04 04 10 0a" ANY8) &&
           judgeIndex(guard, number(data + used + 6, 8));
}

static bool once(bool* seen, bool good)
{
    bool first = !*seen;
    *seen = true;
    return first && good;
}

static bool judgeDataset(const plGuard* guard, const plMessage* message, void* self)
{
    plDatasetState* state = self;
    const plDatasetRule* rule = state->rule;
    const unsigned char* data = message->data;
    switch (message->type) {
    case messageSpace:
        return once(&state->space, matches(data, message->size, rule->space));
    case messageType:
        return once(&state->type, matches(data, message->size, rule->type));
    case messageFill:
        return once(&state->fill, matches(data, message->size, rule->fill));
    case messageLayout:
        if (rule->chunkRank > 0)
            return once(&state->layout, judgeChunks(guard, message, rule->chunkRank));
        return once(&state->layout, matches(data, message->size, "0401" ANY8 ANY8) &&
                                        number(data + 10, 8) <= guard->fileSize);
    default:
        return false;
    }
}

static bool judgeLink(const plGuard* guard, const plMessage* link)
{
    for (int i = 0; i < PL_COUNT(datasetRules); ++i) {
        if (!matches(link->data, link->size, datasetRules[i].link)) continue;
        plDatasetState state = {.rule = &datasetRules[i]};
        uint64_t address = number(link->data + link->size - 8, 8);
        return judgeObject(guard, address, judgeDataset, &state) && state.space && state.type &&
               state.fill && state.layout;
    }
    return false;
}

/// The attribute `version`: a scalar text whose length, of one byte, is that of the message.
static bool isVersion(const plMessage* message)
{
    const size_t head = 29, length = 21;
    return message->size > head && message->size - head == message->data[length] &&
           matches(message->data, head,
                   "0300 0800 0800 0400 00 76657273696f6e00 13110000 ??000000 02000000");
}

static bool judgeRoot(const plGuard* guard, const plMessage* message, void* state)
{
    (void)state;
    if (message->type == messageLink) return judgeLink(guard, message);
    for (int i = 0; i < PL_COUNT(rootRules); ++i)
        if (message->type == rootRules[i].type &&
            matches(message->data, message->size, rootRules[i].pattern))
            return true;
    return message->type == messageAttribute && isVersion(message);
}

bool plHdf5_Guard(FILE* file, uint64_t fileSize)
{
    plGuard guard = {file, fileSize};
    unsigned char start[48];
    return loadBlock(&guard, 0, sizeof start, start) &&
           matches(start,
                   sizeof start, // 8-byte addresses from 0, no extension, end, root, checksum
                   "894844460d0a1a0a 03 08 08 ??"
                   "00000000 00000000" NONE8 ANY8 ANY8 "????????") &&
           judgeObject(&guard, number(start + 36, 8), judgeRoot, NULL);
}
