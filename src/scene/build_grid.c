// Copies of an assembly in rows, columns and layers, shaken by a seeded generator.
#include "math/math.h"
#include "scene/build.h"

#include <stddef.h>

static const plField gridFields[] = {
    {.key = "counts",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "an array of 3 integers > 0"},
    {.key = "pitch",
     .kind = pl_fieldVec3,
     .offset = offsetof(plGrid, pitch),
     .required = true,
     .unit = "m"},
    {.key = "jitter",
     .kind = pl_fieldNumber,
     .offset = offsetof(plGrid, jitter),
     .range = pl_rangeNotNegative,
     .unit = "m"},
    {.key = "turn",
     .kind = pl_fieldNumber,
     .offset = offsetof(plGrid, turn),
     .range = pl_rangeNotNegative,
     .unit = "rad"},
    {.key = "seed",
     .kind = pl_fieldSize,
     .offset = offsetof(plGrid, seed),
     .range = pl_rangeNotNegative,
     .max = 9007199254740991.0},
};

static bool readCounts(plReader* r, const json_t* json, int counts[3])
{
    double x[3], copies = 1;
    plReader_Enter(r, "counts");
    plReader_Numbers(r, json, NULL, 3, x);
    for (int i = 0; i < 3 && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        if (x[i] == floor(x[i]) && x[i] >= 1 && x[i] <= plMaxMechanisms)
            counts[i] = (int)x[i];
        else
            plReader_Expect(r, json_array_get(json, (size_t)i), "an integer > 0 and <= %d",
                            plMaxMechanisms);
        plReader_Leave(r);
        copies *= x[i];
    }
    if (copies > plMaxMechanisms)
        plReader_Fail(r, pl_statusSceneContent, "found %.0f copies, expected at most %d", copies,
                      plMaxMechanisms);
    plReader_Leave(r);
    return !r->failed;
}

bool plReader_Grid(plReader* r, const json_t* json, plGrid* grid)
{
    *grid = (plGrid){.seed = 1};
    return plReader_Object(r, json, gridFields, PL_COUNT(gridFields), grid) &&
           readCounts(r, json_object_get(json, "counts"), grid->counts);
}

/// Uniform on the sphere; in the plane one of the two ways of z.
static plVec3 randomAxis(plRng* rng, bool planar)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng), z = plRng_Normal(rng);
    const plVec3 axis = plVec(x, y, z);
    const double norm = plNorm(axis);
    if (planar || !(norm > 1e-12)) return plVec(0, 0, z < 0 ? -1 : 1);
    return plScale(1 / norm, axis);
}

plPose plGrid_Pose(const plGrid* g, plRng* rng, int index, bool planar, plPose first)
{
    const int i = index % g->counts[0], j = index / g->counts[0] % g->counts[1];
    const int k = index / g->counts[0] / g->counts[1];
    double shake[3];
    for (int n = 0; n < 3; n++) shake[n] = g->jitter * plRng_Uniform(rng, -1, 1);
    if (planar) shake[2] = 0;
    const plVec3 way = plVec(i * g->pitch.x, j * g->pitch.y, k * g->pitch.z);
    const plVec3 axis = randomAxis(rng, planar);
    const plQuat turn = plRotor(axis, g->turn * plRng_Uniform(rng, 0, 1));
    return (plPose){plAdd(first.p, plAdd(way, plGet3(shake))), plQuatMul(turn, first.q)};
}
