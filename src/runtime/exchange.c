// Three places: one is the writer's, one the reader's, and one lies between them. Publishing and
// taking exchange one's own place for the one between, in a single atomic step.
#include "runtime/runtime.h"

#include <stdatomic.h>

enum { fresh = 4, line = 64 };

struct plExchange {
    size_t size, stride;
    atomic_uint between; ///< index of the place, and whether the reader has not seen it
    unsigned char apart0[line];
    unsigned writers; ///< index
    unsigned char apart1[line];
    unsigned readers;
    bool any; ///< the reader has taken something
    unsigned char apart2[line];
    _Alignas(16) unsigned char places[]; ///< as a taken piece of memory is aligned
};

static unsigned char* place(plExchange* e, unsigned i) { return e->places + i * e->stride; }

plStatus plExchange_Create(size_t size, const plAllocator* allocator, plExchange** out)
{
    *out = NULL;
    if (size == 0 || size > SIZE_MAX / 8) return pl_statusBadArgument;
    const size_t stride = (size + line - 1) / line * line;
    plExchange* e = allocator->take(allocator->self, sizeof *e + 3 * stride);
    if (!e) return pl_statusNoMemory;
    e->size = size;
    e->stride = stride;
    e->writers = 0;
    atomic_init(&e->between, 1);
    e->readers = 2;
    e->any = false;
    *out = e;
    return pl_statusOk;
}

void plExchange_Destroy(plExchange* e, const plAllocator* allocator)
{
    if (e) allocator->release(allocator->self, e, sizeof *e + 3 * e->stride);
}

void* plExchange_Write(plExchange* e) { return place(e, e->writers); }

// Release: what was written is seen by who takes it. Acquire: the place that comes back is no longer
// read.
void plExchange_Publish(plExchange* e)
{
    e->writers =
        atomic_exchange_explicit(&e->between, e->writers | fresh, memory_order_acq_rel) & 3;
}

const void* plExchange_Take(plExchange* e, bool* isFresh)
{
    const bool news = (atomic_load_explicit(&e->between, memory_order_relaxed) & fresh) != 0;
    if (news) {
        e->readers = atomic_exchange_explicit(&e->between, e->readers, memory_order_acq_rel) & 3;
        e->any = true;
    }
    if (isFresh) *isFresh = news;
    return e->any ? place(e, e->readers) : NULL;
}
