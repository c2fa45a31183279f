// A count of every allocation of the process. For one file of a test: it replaces malloc.
#ifndef PALP_TEST_COUNTING_H
#define PALP_TEST_COUNTING_H

#include "sanitized.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// Under a sanitizer its own hooks count; else malloc and its family are replaced here, which holds
// for the shared libraries too, and ask glibc's allocator under its other name.

// Only the thread of the test counts: the threads that OpenBLAS starts when it is loaded may still be
// setting themselves up.
static _Thread_local bool counts;
static atomic_long takings;

static inline void countOne(void)
{
    if (counts) atomic_fetch_add(&takings, 1);
}

#ifdef SANITIZED
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void*, size_t),
                                              void (*released)(const volatile void*));

static inline void countTaken(const volatile void* memory, size_t size)
{
    (void)memory, (void)size;
    countOne();
}
static inline void countReleased(const volatile void* memory) { (void)memory; }

static inline void startCounting(void)
{
    static bool installed;
    if (!installed) __sanitizer_install_malloc_and_free_hooks(countTaken, countReleased);
    installed = true;
    counts = true;
}
#else
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size)
{
    countOne();
    return __libc_malloc(size);
}
void* calloc(size_t count, size_t size)
{
    countOne();
    return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size)
{
    countOne();
    return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size)
{
    countOne();
    return __libc_memalign(alignment, size);
}
static inline void startCounting(void) { counts = true; }
#endif

#endif
