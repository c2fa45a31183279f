// SISL: evaluation (s1421), the nearest place from a guess (s1775), and of all (s1958).
#include "sculpted.h"

#include <sisl.h>
#include <stdlib.h>

static void* create(const Sculpted* s)
{
    enum { side = sculptedSide };
    double net[4 * side * side];
    for (int i = 0; i < side * side; i++) { // u fastest
        const int k = i % side * side + i / side;
        plPut3(plScale(s->weights[k], s->points[k]), &net[4 * i]);
        net[4 * i + 3] = s->weights[k];
    }
    double* knots = (double*)(uintptr_t)s->knots; // copied
    return newSurf(side, side, 4, 4, knots, knots, net, 2, 3, 1);
}

// Its order of derivatives is ours: by their sum, and then by that along v. `left` is where it begins to
// look for the knots, and where it found them.
static void at(void* self, plUv uv, double f[18])
{
    static int left[2];
    double place[2] = {uv.u, uv.v}, normal[3];
    int status;
    s1421(self, 2, place, &left[0], &left[1], f, normal, &status);
}

static plUv project(void* self, plVec3 p, plUv guess)
{
    double point[3], start[2] = {0, 0}, end[2] = {1, 1}, from[2] = {guess.u, guess.v}, found[2];
    int status;
    plPut3(p, point);
    s1775(self, point, 3, 1e-9, start, end, from, found, &status);
    return plUvAt(0, found[0], found[1]);
}

static plUv search(void* self, plVec3 p)
{
    double point[3], found[2], distance;
    int status;
    plPut3(p, point);
    s1958(self, point, 3, 1e-6, 1e-6, found, &distance, &status);
    return plUvAt(0, found[0], found[1]);
}

static void destroy(void* self) { freeSurf(self); }

const SculptedPeer* sculptedSisl(void)
{
    static const SculptedPeer peer = {create, at, project, search, destroy};
    return &peer;
}
