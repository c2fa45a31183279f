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
    e->refuses = e->unplugged = e->dead = e->mute = false;
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

// --- the slew limit

/// Ticks of a force, and the fastest change that the device met meanwhile [N/s].
static inline double rateOf(plReal* r, EmulatedDevice* d, plVec3 force, int count)
{
    d->rate = 0;
    ticks(r, force, count);
    return d->rate;
}

/// Whatever is asked, and however suddenly: full force from none, to the other side, nothing, what is no number,
/// after ticks that did not come, and on closing, the force goes no faster than its slew limit. It is there
/// within a third of a second, and gone within 20 ms of when it has to.
static inline void checkSlew(EmulatedDevice* d, const char* text, double limit, double slew)
{
    const plVec3 full = vec(1e3, 0, 0), other = vec(0, -1e3, 0), none = vec(0, 0, 0);
    const plVec3 asked[] = {full, other, full, none, full, vec(NAN, 0, 0), other};
    const double most = slew * (1 + 1e-6);
    plReal* r = openReal(text);
    waitForState(r, true);
    checkNear("limit", plReal_State(r).limit, limit, 1e-12);
    checkNear("slew limit", plReal_State(r).slew, slew, 1e-9 * slew);
    ticks(r, none, 300); // its share is whole
    d->largest = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        const bool force = norm(asked[i]) > 0;
        const double rate = rateOf(r, d, asked[i], 60);
        print_message("%g %g N: %.0f N/s\n", asked[i].x, asked[i].y, rate);
        checkAtMost("change of the force [N/s]", rate, most);
        assert_true(rate > 0.05 * slew);
        if (!force) checkVector("force", forceOf(d), none, 0);
    }
    for (int i = 0; i < 3; ++i) { // late ticks: it is eased away, and comes back
        rest(i == 0 ? 0.004 : 0.03);
        checkAtMost("late", rateOf(r, d, i == 1 ? other : full, 20), most);
    }
    checkAtMost("force", d->largest, limit * (1 + 1e-12));
    assert_true(d->largest > 0.99 * limit && plReal_State(r).slewed > 0);
    ticks(r, full, 300);
    d->rate = 0;
    plReal_Close(r);
    checkAtMost("on closing", d->rate, most);
    checkVector("force when closed", forceOf(d), none, 0);
}

#endif
