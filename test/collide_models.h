// Pairs of shapes for tests of models of gaps.
#ifndef PALP_TEST_COLLIDE_MODELS_H
#define PALP_TEST_COLLIDE_MODELS_H

#include "collide/manifold.h"
#include "tracks.h"

static plManifold m;

static const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox, pl_shapePolygon,
                                    pl_shapeHull};

enum { kindCount = pl_normalEdges + 1 };
static const char* kindNames[kindCount] = {"fixed",    "of a",     "of b", "between",
                                           "across a", "across b", "edges"};

static inline plFrame moved(const plFrame* f, plVec3 by, plVec3 turn)
{
    const plMat3 R = plRotation(plExp(turn));
    return (plFrame){plAdd(f->x, by), plMatMul(&R, &f->R)};
}

/// With a frame of its own in the carrier.
static inline plShape shifted(plRng* rng, const plShape* s)
{
    plShape t = *s;
    t.frame = (plFrame){plScale(0.5, randomVector(rng)), randomRotation(rng)};
    t.centered = false;
    return t;
}

typedef struct {
    plShape a, b;
    plFrame fa, fb;
} Two;

/// Two convex shapes at a gap between `lo` and `hi`, on demand with parallel axes. False: a hull was
/// too flat.
static inline bool randomTwo(plRng* rng, int i, double lo, double hi, bool aligned, Two* t)
{
    static plVec3 pointsA[64], pointsB[64];
    shapesBegin();
    const plShape* a = randomConvex(rng, kinds[i % 5], 1, pointsA, 40);
    const plShape* b = randomConvex(rng, kinds[i / 5 % 5], 1, pointsB, 40);
    if (!a || !b) return false;
    t->a = shifted(rng, a), t->b = shifted(rng, b);
    t->fa = (plFrame){randomVector(rng), randomRotation(rng)};
    t->fb = (plFrame){{0, 0, 0}, randomRotation(rng)};
    if (aligned) {
        const plMat3 axes = plMatMul(&t->fa.R, &t->a.frame.R);
        t->fb.R = plMatMulT(&axes, &t->b.frame.R);
    }
    // From afar towards the other's middle, which comes to faces as often as to corners.
    const plVec3 way = randomDirection(rng);
    const double gap = plRng_Uniform(rng, lo, hi), far = a->size + b->size + 2;
    t->fb.x = plAdd(plOut(&t->fa, t->a.frame.x), plScale(far, way));
    t->fb.x = plSub(t->fb.x, plMul(&t->fb.R, t->b.frame.x));
    for (int k = 0; k < 20; k++) {
        const plGap now = plCollide_Gap(&t->a, &t->fa, &t->b, &t->fb, NULL);
        t->fb.x = plAddScaled(t->fb.x, gap - now.gap, way);
    }
    return true;
}

#endif
