// What the tests of the twin pantograph share.
#ifndef PALP_TEST_PANTOGRAPHS_H
#define PALP_TEST_PANTOGRAPHS_H

#include "device/pantograph.h"
#include "worlds.h"

#include <string.h>

static const double degree = PL_PI / 180;

// --------------------------------------------------------------------------------- what tests use

/// Radius of the disc that a preset reaches in all orientations.
static inline double discOf(int preset) { return preset == pl_pantographTest ? 0.02 : 0.03; }

static inline plVec3 randomPose(plRng* rng, double radius)
{
    const double r = radius * sqrt(plRng_Uniform(rng, 0, 1)), angle = plRng_Uniform(rng, 0, 7);
    return plVec(r * cos(angle), r * sin(angle), plRng_Uniform(rng, -4, 4));
}

static inline plVec3 randomRates(plRng* rng)
{
    return plVec(plRng_Normal(rng) * 0.1, plRng_Normal(rng) * 0.1, plRng_Normal(rng) * 3);
}

static inline plPantographPose reach(const plPantographDef* def, plVec3 x)
{
    plPantographPose p;
    assert_true(plPantograph_Inverse(def, x, &p));
    assert_true(p.reached);
    return p;
}

static inline double distance(plVec3 a, plVec3 b) { return plNorm(plSub(a, b)); }

static inline double norm4(const double a[4])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
}

static inline double peak4(const double a[4])
{
    return fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(a[2]), fabs(a[3])));
}

static inline double entry(const plMat3* A, int i) { return ((const double*)A)[i]; }

static inline plPantographState stateAt(plVec3 x, plVec3 v) { return (plPantographState){x, v}; }

#endif
