// What a test does to an emulated device of a maker's library, and what it hears of it; from any thread.
#ifndef PL_TEST_EMULATE_H
#define PL_TEST_EMULATE_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    _Atomic double p[3], v[3], w[3]; ///< [m], [m/s], [rad/s], in the maker's axes
    _Atomic double R[9];             ///< by rows
    _Atomic double force[3], torque[3];
    _Atomic double limit; ///< that the library tells [N]
    atomic_uint buttons;
    atomic_bool opened, forceOn;
    atomic_ulong writes; ///< of forces
    atomic_ulong moves;  ///< it made by itself
} EmulatedDevice;

typedef struct {
    atomic_int count; ///< devices that are connected
    atomic_int type;  ///< as the library tells it
    atomic_bool refuses, calibrated, unplugged, dead;
    EmulatedDevice devices[2];
} Emulated;

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
