// A sculpted surface for palp and for SISL: rational, bicubic, 16 x 16 control points.
#ifndef PALP_BENCH_SCULPTED_H
#define PALP_BENCH_SCULPTED_H

#include "shape/shape.h"

enum { sculptedSide = 16, sculptedPlaces = 4096, sculptedGuesses = 256 };

typedef struct {
    double knots[sculptedSide + 4], weights[sculptedSide * sculptedSide];
    plVec3 points[sculptedSide * sculptedSide];
    plUv places[sculptedPlaces];
    plUv starts[sculptedGuesses]; ///< 0.01 beside the nearest places of the targets
    plVec3 targets[sculptedGuesses];
} Sculpted;

typedef struct {
    void* (*create)(const Sculpted*);
    void (*at)(void* self, plUv, double f[18]); ///< place, u, v, uu, uv, vv
    plUv (*project)(void* self, plVec3, plUv guess);
    plUv (*search)(void* self, plVec3);
    void (*destroy)(void* self);
} SculptedPeer;

const SculptedPeer* sculptedSisl(void); ///< null: not installed

#endif
