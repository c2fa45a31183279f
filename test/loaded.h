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

/// Opens a device, turns it by a quarter about its y while it spins about that at 2 rad/s and goes at
/// 0.25 m/s along one of its axes with some buttons pressed, and lets go of it: what it told.
static inline plSample turnedSample(const char* text, Emulated* e, int along, unsigned buttons)
{
    static const double quarter[] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    EmulatedDevice* d = &e->devices[0];
    plReal* r = openReal(text);
    waitForState(r, true);
    ticks(r, vec(0, 0, 0), 3);
    for (int i = 0; i < 9; ++i) d->R[i] = quarter[i];
    d->w[1] = 2;
    d->v[along] = 0.25;
    d->buttons = buttons;
    rest(0.02);
    const plSample s = waitForPlace(r, vec(0, 0, 0), 1e-6);
    d->w[1] = d->v[along] = 0;
    plReal_Close(r);
    checkNear("w", s.pose.q.w, sqrt(0.5), 1e-12);
    assert_int_equal(s.buttons, buttons);
    return s;
}

#endif
