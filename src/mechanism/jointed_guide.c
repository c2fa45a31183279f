// Surfaces that guide a point, as signed distances: more kinds need no more than these three numbers.
#include "mechanism/jointed.h"

static const char* const names[pl_guideCount] = {"plane", "sphere", "cylinder"};

const char* plGuide_Name(int i) { return i >= 0 && i < pl_guideCount ? names[i] : "unknown"; }

// (I - n n^T)/r: what bends the distance from a point or, with n across it, from a line.
static plMat3 bendOf(plMat3 I, plVec3 n, double r)
{
    const plMat3 nn = {plScale(n.x, n), plScale(n.y, n), plScale(n.z, n)};
    const plMat3 across = plMatAdd(&I, -1, &nn);
    return (plMat3){plScale(1 / r, across.x), plScale(1 / r, across.y), plScale(1 / r, across.z)};
}

plGuidePoint plGuide_At(plGuide guide, double radius, plVec3 x)
{
    if (guide == pl_guidePlane) return (plGuidePoint){.distance = x.z, .normal = {0, 0, 1}};
    const bool sphere = guide == pl_guideSphere;
    const plVec3 way = sphere ? x : plVec(x.x, x.y, 0);
    const double r = plNorm(way);
    if (!(r > 0)) return (plGuidePoint){.distance = -radius, .normal = {1, 0, 0}}; // any way out
    const plVec3 n = plScale(1 / r, way);
    const plMat3 I = sphere ? plIdentity3() : plDiagonal3(1, 1, 0);
    return (plGuidePoint){r - radius, n, bendOf(I, n, r)};
}
