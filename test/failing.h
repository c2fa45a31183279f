// An allocator that fails after some takings, and knows what it has not got back.
#ifndef PALP_TEST_FAILING_H
#define PALP_TEST_FAILING_H

#include <stddef.h>
#include <stdlib.h>

typedef struct {
    int left;
    size_t taken;
} Failing;

static inline void* failingTake(void* self, size_t size)
{
    Failing* f = self;
    if (f->left-- <= 0) return NULL;
    f->taken += size;
    return malloc(size);
}

static inline void failingRelease(void* self, void* memory, size_t size)
{
    ((Failing*)self)->taken -= size;
    free(memory);
}

#endif
