// A maker's library, emulated and loaded, in the hands of a test.
#ifndef PL_TEST_LOADED_H
#define PL_TEST_LOADED_H

#include "emulate.h"
#include "reals.h"

#include <dlfcn.h>

/// The devices of a library; `variable` tells a driver where it is.
static inline Emulated* loadEmulated(const char* variable, const char* path)
{
    void* library = dlopen(path, RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    EmulatedCall* call;
    void* address = dlsym(library, "emulated");
    memcpy(&call, &address, sizeof call);
    setenv(variable, path, 1);
    return call();
}

static inline void putDevice(EmulatedDevice* d, plVec3 p)
{
    d->p[0] = p.x;
    d->p[1] = p.y;
    d->p[2] = p.z;
    for (int k = 0; k < 9; ++k) d->R[k] = k % 4 == 0;
}

static inline plVec3 forceOf(const EmulatedDevice* d)
{
    return d->forceOn ? vec(d->force[0], d->force[1], d->force[2]) : vec(0, 0, 0);
}

/// One device that works, and another that may come; both in the middle.
static inline void resetEmulated(Emulated* e)
{
    e->count = 1;
    e->calibrated = true;
    e->refuses = e->unplugged = e->dead = false;
    for (int i = 0; i < 2; ++i) {
        e->devices[i].buttons = 0;
        putDevice(&e->devices[i], vec(0, 0, 0));
    }
}

#endif
