// What a test does to an emulated device of a maker's library, and what it hears of it; from any thread.
#ifndef PL_TEST_EMULATE_H
#define PL_TEST_EMULATE_H

#include "clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { tracedForces = 1 << 14 };

typedef struct {
    _Atomic double p[3], v[3], w[3]; ///< [m], [m/s], [rad/s], in the maker's axes
    _Atomic double R[9];             ///< by rows
    _Atomic double force[3], torque[3];
    _Atomic double limit; ///< that the library tells [N]
    atomic_uint buttons;
    atomic_bool opened, forceOn;
    _Atomic double largest; ///< force of all that were given [N]
    _Atomic double rate;    ///< fastest change of all [N/s]
    _Atomic double changed; ///< when the last one was given [s]
    atomic_ulong writes;    ///< of forces
    atomic_ulong moves;     ///< it made by itself
    /// Forces as they came, the oldest first: when [s], and along each axis [N].
    atomic_uint traced;
    _Atomic double trace[tracedForces][4];
} EmulatedDevice;

typedef struct {
    atomic_int count; ///< devices that are connected
    atomic_int type;  ///< as the library tells it
    atomic_bool refuses, calibrated, unplugged, dead;
    atomic_bool mute; ///< it takes forces, and tells nothing
    EmulatedDevice devices[2];
} Emulated;

/// A force that it is given. Its change counts as one of 2 ms at least, two rounds, and of a tenth and 1 ms
/// more than was measured: what a busy machine does between a round and this.
static inline void giveForce(EmulatedDevice* d, const double f[3])
{
    const double now = clockNow();
    double change = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
        const double x = d->forceOn ? f[i] : 0;
        change += (x - d->force[i]) * (x - d->force[i]);
        size += x * x;
        d->force[i] = x;
    }
    d->rate = fmax(d->rate, sqrt(change) / fmax(2e-3, 1.1 * (now - d->changed) + 1e-3));
    d->largest = fmax(d->largest, sqrt(size));
    d->changed = now;
    if (d->traced < tracedForces) {
        d->trace[d->traced][0] = now;
        for (int i = 0; i < 3; ++i) d->trace[d->traced][1 + i] = d->force[i];
        ++d->traced;
    }
    ++d->writes;
}

static inline void switchForce(EmulatedDevice* d, bool on)
{
    const double none[3] = {0};
    d->forceOn = on;
    if (!on) giveForce(d, none);
}

/// Every emulator exports it as "emulated".
typedef Emulated* EmulatedCall(void);

/// As it is when a library is loaded; $PALP_EMULATED is for programs that a test cannot reach.
static inline void startEmulated(Emulated* all)
{
    const char* how = getenv("PALP_EMULATED");
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 9; ++k) all->devices[i].R[k] = k % 4 == 0;
        all->devices[i].limit = 3.3;
    }
    if (!how) return;
    all->calibrated = strcmp(how, "uncalibrated") != 0;
    all->refuses = strcmp(how, "refuses") == 0;
    if (strcmp(how, "none") == 0) all->count = 0;
}

#endif
