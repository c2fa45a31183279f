#include "zwidth.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------------------------ a point

bool plZPoint_IsPassive(const plExperiment* e, const plZPoint* p)
{
    return plLoop_Lack(&e->loop, p->needed, p->neededFriction) <= 0;
}

bool plZPoint_IsStable(const plZPoint* p) { return p->growth < 0; }

plZPoint plZPoint_Measure(plExperiment* e, double K, double B)
{
    plZPoint p = {.K = K,
                  .B = B,
                  .needed = INFINITY,
                  .neededFriction = INFINITY,
                  .growth = INFINITY,
                  .neededClosed = NAN,
                  .neededFrictionClosed = NAN,
                  .radius = NAN};
    if (plExperiment_Press(e, K, B)) {
        p.needed = plExperiment_Needed(e);
        p.neededFriction = plExperiment_NeededFriction(e, fmax(p.needed, e->loop.damping));
        p.growth = plExperiment_Growth(e);
    }
    if (e->unknown) return p;
    p.neededClosed = plLoop_Needed(&e->loop, e->share * K, e->share * B);
    p.neededFrictionClosed = plLoop_NeededFriction(&e->loop, e->share * K, e->share * B);
    p.radius = plLoop_Radius(&e->loop, e->share * K, e->share * B);
    return p;
}

// ----------------------------------------------------------------------------------- a boundary

/// < 0 is good.
typedef double (*Judge)(plExperiment*, double K, double B);

double plZWidth_Lack(plExperiment* e, double K, double B)
{
    if (!plExperiment_Press(e, K, B)) return INFINITY;
    const double needed = plExperiment_Needed(e), b = fmax(needed, e->loop.damping);
    return plLoop_Lack(&e->loop, needed, plExperiment_NeededFriction(e, b));
}

static double growth(plExperiment* e, double K, double B)
{
    if (!plExperiment_Press(e, K, B)) return INFINITY;
    return plExperiment_Growth(e);
}

/// An interval with the boundary in it, and what was found at its ends.
typedef struct {
    double low, high, atLow, atHigh;
} Bracket;

// What a straight line says, kept off the ends; the middle when it has nothing to say, and in every
// third round, lest one end never move.
static double guess(const Bracket* b, int round)
{
    const double width = b->high - b->low, middle = b->low + 0.5 * width;
    if (!isfinite(b->atHigh) || round % 3 == 2) return middle;
    const double x = b->low - b->atLow * width / (b->atHigh - b->atLow);
    const double edge = 2e-4 * b->high;
    if (width <= 4 * edge) return middle;
    return fmin(b->high - edge, fmax(b->low + edge, x));
}

/// The boundary to a thousandth.
static double boundary(plExperiment* e, double B, double most, Judge judge)
{
    enum { rounds = 40 };
    Bracket b = {.low = 1e-3 * most, .high = most};
    b.atHigh = judge(e, b.high, B);
    if (b.atHigh < 0) return INFINITY;
    b.atLow = judge(e, b.low, B);
    for (int i = 0; i < 2 && !(b.atLow < 0); ++i) { // the range may be far too wide
        b.high = b.low;
        b.atHigh = b.atLow;
        b.low *= 1e-3;
        b.atLow = judge(e, b.low, B);
    }
    if (!(b.atLow < 0)) return 0;
    for (int i = 0; i < rounds && b.high - b.low > 1e-3 * b.high; ++i) {
        const double K = guess(&b, i), at = judge(e, K, B);
        if (at < 0) {
            b.low = K;
            b.atLow = at;
        } else {
            b.high = K;
            b.atHigh = at;
        }
    }
    return 0.5 * (b.low + b.high);
}

plZLimit plZLimit_Measure(plExperiment* e, double B, double most)
{
    const double share = e->share;
    plZLimit l = {.B = B, .passiveClosed = NAN, .stableClosed = NAN};
    l.passive = boundary(e, B, most, plZWidth_Lack);
    l.stable = boundary(e, B, most, growth);
    if (e->unknown) return l;
    l.passiveClosed = plLoop_PassiveStiffness(&e->loop, share * B, share * most) / share;
    l.stableClosed = plLoop_StableStiffness(&e->loop, share * B, share * most) / share;
    return l;
}

static bool isInside(double limit) { return limit > 0 && isfinite(limit); }

double plZLimit_PassiveError(const plExperiment* e, const plZLimit* l)
{
    const plLoop* loop = &e->loop;
    const double K = e->share * l->passive, B = e->share * l->B;
    double has = loop->damping;
    if (!isInside(l->passive) || !isInside(l->passiveClosed)) return NAN;
    if (loop->encoder > 0) has = fmin(has, loop->friction * loop->T / loop->encoder);
    return plLoop_Lack(loop, plLoop_Needed(loop, K, B), plLoop_NeededFriction(loop, K, B)) / has;
}

double plZLimit_StableError(const plZLimit* l)
{
    if (!isInside(l->stable) || !isInside(l->stableClosed)) return NAN;
    return l->stable / l->stableClosed - 1;
}

// -------------------------------------------------------------------------------------- a map

void plZWidth_Ranges(plZWidth* z)
{
    enum { tries = 8 };
    const plExperiment* e = z->experiment;
    const plLoop* l = &e->loop;
    const double b = l->damping > 0 ? 2.5 * l->damping : 0.2 * l->mass / l->T;
    const double far = 4 * l->mass / (l->T * l->T); // no device holds such a wall
    double stable = 0;
    z->lowK = z->lowB = 0;
    z->highB = fmax(b / e->share, 1.5 * e->own.damping);
    for (int i = 0; i <= tries; ++i) {
        const double B = e->share * z->highB * i / tries;
        const double K = plLoop_StableStiffness(l, B, far);
        if (isfinite(K)) stable = fmax(stable, K / e->share);
    }
    z->highK = 1.2 * fmax(stable, e->own.stiffness);
}

// A boundary takes about as long as these many points.
enum { limitCost = 6 };

/// Boundaries are looked for beyond the range, so that their curves leave it.
static double farthest(const plZWidth* z) { return 1.5 * z->highK; }

bool plZWidth_Make(plZWidth* z, plZProgress progress)
{
    const int n = z->grid;
    const double total = n * n + limitCost * (n + 2) + 1;
    const double stepK = (z->highK - z->lowK) / n, stepB = (z->highB - z->lowB) / n;
    double done = 0;
    z->points = calloc((size_t)n * (size_t)n, sizeof *z->points);
    z->limits = calloc((size_t)n + 1, sizeof *z->limits);
    if (!z->points || !z->limits) return false;
    for (int i = 0; i <= n; ++i) {
        z->limits[i] = plZLimit_Measure(z->experiment, z->lowB + i * stepB, farthest(z));
        if (progress.call) progress.call(progress.self, (done += limitCost) / total);
    }
    for (int i = 0; i < n * n; ++i) {
        const double B = z->lowB + (i / n + 0.5) * stepB, K = z->lowK + (i % n + 0.5) * stepK;
        z->points[i] = plZPoint_Measure(z->experiment, K, B);
        if (progress.call) progress.call(progress.self, ++done / total);
    }
    const plSurface* own = &z->experiment->own;
    z->ownLimit = plZLimit_Measure(z->experiment, own->damping, farthest(z));
    z->own = plZPoint_Measure(z->experiment, own->stiffness, own->damping);
    return true;
}

void plZWidth_WorstErrors(const plZWidth* z, double* passive, double* stable)
{
    *passive = *stable = NAN; // fmax leaves a number alone
    for (int i = 0; i <= z->grid; ++i) {
        *passive = fmax(*passive, fabs(plZLimit_PassiveError(z->experiment, &z->limits[i])));
        *stable = fmax(*stable, fabs(plZLimit_StableError(&z->limits[i])));
    }
}

void plZWidth_Free(plZWidth* z)
{
    free(z->points);
    free(z->limits);
    z->points = NULL;
    z->limits = NULL;
}
