// What a program has taken from malloc and not given back, counted at malloc itself. For one file per program; wants
// _GNU_SOURCE.
#ifndef PL_TEST_HELD_H
#define PL_TEST_HELD_H

#include "clock.h"
#include "sanitized.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

// What glibc tells counts as in use what the caches of threads keep, and wanders by tens of kilobytes. Under a
// sanitizer nothing is counted.

typedef struct {
    long blocks, bytes;
} Held;

static atomic_long heldBlocks, heldBytes;

#ifndef SANITIZED
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

static inline void* countHeld(void* memory, int sign)
{
    if (!memory) return NULL;
    atomic_fetch_add_explicit(&heldBlocks, sign, memory_order_relaxed);
    atomic_fetch_add_explicit(&heldBytes, sign * (long)malloc_usable_size(memory),
                              memory_order_relaxed);
    return memory;
}

void* malloc(size_t size) { return countHeld(__libc_malloc(size), 1); }
void* calloc(size_t count, size_t size) { return countHeld(__libc_calloc(count, size), 1); }
void* memalign(size_t alignment, size_t size)
{
    return countHeld(__libc_memalign(alignment, size), 1);
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
void free(void* memory) { __libc_free(countHeld(memory, -1)); }

int posix_memalign(void** out, size_t alignment, size_t size)
{
    void* memory = memalign(alignment, size);
    if (memory) *out = memory;
    return memory ? 0 : ENOMEM;
}

void* realloc(void* memory, size_t size)
{
    countHeld(memory, -1);
    void* moved = __libc_realloc(memory, size);
    countHeld(moved ? moved : size > 0 ? memory : NULL, 1);
    return moved;
}
#endif

static inline Held held(void)
{
    return (Held){atomic_load_explicit(&heldBlocks, memory_order_relaxed),
                  atomic_load_explicit(&heldBytes, memory_order_relaxed)};
}

/// When all have gone and the server has seen it: until it stays for half a second. While they are there it
/// goes up and down by megabytes: 256 kB of rows for each one that watches, and what is on its way to
/// slow ones. A least of that in some time says nothing of what is kept.
static inline Held heldAlone(void)
{
    Held last = {-1, -1};
    for (int same = 0, i = 0; same < 10 && i < 400; ++i) {
        const Held now = held();
        same = now.blocks == last.blocks && now.bytes == last.bytes ? same + 1 : 0;
        last = now;
        rest(0.05);
    }
    return last;
}

#endif
