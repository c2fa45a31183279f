#include "base/base.h"

#include <stdatomic.h>
#include <string.h>

enum { cacheLine = 64 };

// Rows ever pushed and ever popped; their difference is what the ring holds, so that all rowCount
// rows are usable, and at 10^9 rows a second they wrap after 500 years. Each is written by one side
// only, and lies on a cache line of its own, so that the sides do not disturb each other.
struct plRing {
    size_t rowSize, rowCount;
    unsigned char apart0[cacheLine];
    atomic_size_t pushed;
    unsigned char apart1[cacheLine];
    atomic_size_t popped;
    unsigned char apart2[cacheLine];
    unsigned char rows[];
};

plStatus plRing_Create(size_t rowSize, size_t rowCount, const plAllocator* allocator, plRing** out)
{
    *out = NULL;
    if (rowSize == 0 || rowCount == 0) return pl_statusBadArgument;
    if (rowCount > (SIZE_MAX - sizeof(plRing)) / rowSize) return pl_statusNoMemory;

    plRing* ring = allocator->take(allocator->self, sizeof(plRing) + rowSize * rowCount);
    if (ring == NULL) return pl_statusNoMemory;
    ring->rowSize = rowSize;
    ring->rowCount = rowCount;
    atomic_init(&ring->pushed, 0);
    atomic_init(&ring->popped, 0);
    *out = ring;
    return pl_statusOk;
}

void plRing_Destroy(plRing* ring, const plAllocator* allocator)
{
    if (ring == NULL) return;
    size_t size = sizeof(plRing) + ring->rowSize * ring->rowCount;
    allocator->release(allocator->self, ring, size);
}

// Acquire on the other side's count pairs with its release: a row is free only after the consumer
// has copied it, and readable only after the producer has written it.
bool plRing_Push(plRing* ring, const void* row)
{
    size_t pushed = atomic_load_explicit(&ring->pushed, memory_order_relaxed);
    size_t popped = atomic_load_explicit(&ring->popped, memory_order_acquire);
    if (pushed - popped == ring->rowCount) return false;
    memcpy(ring->rows + pushed % ring->rowCount * ring->rowSize, row, ring->rowSize);
    atomic_store_explicit(&ring->pushed, pushed + 1, memory_order_release);
    return true;
}

size_t plRing_Pop(plRing* ring, void* rows, size_t count)
{
    size_t popped = atomic_load_explicit(&ring->popped, memory_order_relaxed);
    size_t pushed = atomic_load_explicit(&ring->pushed, memory_order_acquire);
    if (count > pushed - popped) count = pushed - popped;
    if (count == 0) return 0;

    size_t first = popped % ring->rowCount;
    size_t beforeEnd = ring->rowCount - first;
    if (beforeEnd > count) beforeEnd = count;
    unsigned char* out = rows;
    memcpy(out, ring->rows + first * ring->rowSize, beforeEnd * ring->rowSize);
    memcpy(out + beforeEnd * ring->rowSize, ring->rows, (count - beforeEnd) * ring->rowSize);
    atomic_store_explicit(&ring->popped, popped + count, memory_order_release);
    return count;
}

size_t plRing_Room(const plRing* ring)
{
    size_t pushed = atomic_load_explicit(&ring->pushed, memory_order_relaxed);
    size_t popped = atomic_load_explicit(&ring->popped, memory_order_acquire);
    return ring->rowCount - (pushed - popped);
}
