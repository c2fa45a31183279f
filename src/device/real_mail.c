#include "device/real.h"

#include <string.h>

enum { fresh1 = 4 };

void plMail_Start(plMail* m)
{
    m->writers = 0;
    atomic_init(&m->between, 1);
    m->readers = 2;
    m->any = false;
}

// Release: what was put is seen by who gets it. Acquire: the place that comes back is no longer read.
void plMail_Put(plMail* m, const void* value, size_t size)
{
    PL_ASSERT(size <= plMailBytes);
    memcpy(m->places[m->writers], value, size);
    m->writers =
        atomic_exchange_explicit(&m->between, m->writers | fresh1, memory_order_acq_rel) & 3;
}

bool plMail_Get(plMail* m, void* value, size_t size, bool* fresh)
{
    const bool news = (atomic_load_explicit(&m->between, memory_order_relaxed) & fresh1) != 0;
    PL_ASSERT(size <= plMailBytes);
    if (news) {
        m->readers = atomic_exchange_explicit(&m->between, m->readers, memory_order_acq_rel) & 3;
        m->any = true;
    }
    if (fresh) *fresh = news;
    if (m->any) memcpy(value, m->places[m->readers], size);
    return m->any;
}
