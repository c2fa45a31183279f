#include "base/base.h"

#include <string.h>

// A cache line, and enough for any vector instruction.
enum { alignment = 64 };

static size_t roundUp(size_t size) { return (size + alignment - 1) / alignment * alignment; }

// An allocator promises no alignment, so `alignment` more bytes are taken and the memory starts at
// the first aligned address after the first byte. The distance, 1 to 64, is kept in the byte before.
plStatus plArena_Create(plArena* arena, size_t capacity, const plAllocator* allocator)
{
    *arena = (plArena){0};
    if (capacity > SIZE_MAX - 2 * alignment) return pl_statusNoMemory;
    capacity = roundUp(capacity);

    unsigned char* taken = allocator->take(allocator->self, capacity + alignment);
    if (taken == NULL) return pl_statusNoMemory;

    size_t distance = alignment - (uintptr_t)taken % alignment;
    arena->memory = taken + distance;
    arena->memory[-1] = (unsigned char)distance;
    arena->capacity = capacity;
    return pl_statusOk;
}

void plArena_Destroy(plArena* arena, const plAllocator* allocator)
{
    if (arena->memory != NULL) {
        unsigned char* taken = arena->memory - arena->memory[-1];
        allocator->release(allocator->self, taken, arena->capacity + alignment);
    }
    *arena = (plArena){0};
}

void* plArena_Alloc(plArena* arena, size_t count, size_t size)
{
    size_t left = arena->capacity - arena->used;
    // `left` is a multiple of the alignment: what fits unrounded also fits rounded up.
    if (arena->memory == NULL || (size > 0 && count > left / size)) {
        arena->full = true;
        return NULL;
    }
    unsigned char* piece = arena->memory + arena->used;
    memset(piece, 0, roundUp(count * size)); // the gaps too: snapshot and hash read them
    arena->used += roundUp(count * size);
    if (arena->used > arena->highWater) arena->highWater = arena->used;
    return piece;
}

void plArena_Rewind(plArena* arena, size_t used)
{
    PL_ASSERT(used <= arena->used && used % alignment == 0);
    arena->used = used;
    arena->full = false;
}
