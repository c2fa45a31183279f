// An allocator that ends the process when too much is taken of it.
#ifndef PALP_FUZZ_BOUNDED_H
#define PALP_FUZZ_BOUNDED_H

#include <stddef.h>
#include <stdlib.h>

typedef struct {
    size_t taken, limit;
} Account;

static inline void* take(void* self, size_t size)
{
    Account* a = self;
    a->taken += size;
    if (a->taken > a->limit) abort();
    return malloc(size);
}

static inline void release(void* self, void* memory, size_t size)
{
    ((Account*)self)->taken -= size;
    free(memory);
}

#endif
