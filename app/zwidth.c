#include "zwidth.h"

#include "sweep_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// A map falls into pieces that know nothing of each other, since each begins where the device first
// touched: grid + 1 boundaries, the points, then the boundary and the point of the scene's own wall.
typedef struct {
    plZLimit limit;
    plZPoint point;
} Piece;

static int pieceCount(const plZWidth* z) { return z->grid + 1 + z->grid * z->grid + 2; }
static int ownLimitAt(const plZWidth* z) { return pieceCount(z) - 2; }
static bool isLimit(const plZWidth* z, int i) { return i <= z->grid || i == ownLimitAt(z); }

static Piece measure(const plZWidth* z, int i)
{
    const int n = z->grid, at = i - n - 1;
    const double stepK = (z->highK - z->lowK) / n, stepB = (z->highB - z->lowB) / n;
    const plSurface* own = &z->experiment->own;
    Piece piece = {.limit = {.B = 0}};
    if (i <= n) {
        piece.limit = plZLimit_Measure(z->experiment, z->lowB + i * stepB, farthest(z));
    } else if (i < ownLimitAt(z)) {
        const double B = z->lowB + (at / n + 0.5) * stepB, K = z->lowK + (at % n + 0.5) * stepK;
        piece.point = plZPoint_Measure(z->experiment, K, B);
    } else if (i == ownLimitAt(z)) {
        piece.limit = plZLimit_Measure(z->experiment, own->damping, farthest(z));
    } else {
        piece.point = plZPoint_Measure(z->experiment, own->stiffness, own->damping);
    }
    return piece;
}

static void keep(plZWidth* z, int i, const Piece* piece)
{
    if (i <= z->grid) {
        z->limits[i] = piece->limit;
    } else if (i < ownLimitAt(z)) {
        z->points[i - z->grid - 1] = piece->point;
    } else if (i == ownLimitAt(z)) {
        z->ownLimit = piece->limit;
    } else {
        z->own = piece->point;
    }
}

/// A map being made: the next piece, and how much is done.
typedef struct {
    plZWidth* z;
    plZProgress progress;
    int next;
    double done, total;
} Making;

static int nextPiece(void* self)
{
    Making* m = self;
    return m->next < pieceCount(m->z) ? m->next++ : -1;
}

static void workOn(void* self, int i, void* answer)
{
    const Making* m = self;
    *(Piece*)answer = measure(m->z, i);
}

/// A piece whose process was lost is measured here.
static bool take(void* self, int i, const plPoolResult* result)
{
    Making* m = self;
    Piece piece;
    if (result->answer) {
        memcpy(&piece, result->answer, sizeof piece);
    } else {
        piece = measure(m->z, i);
    }
    keep(m->z, i, &piece);
    m->done += isLimit(m->z, i) ? limitCost : 1;
    if (m->progress.call) m->progress.call(m->progress.self, m->done / m->total);
    return true;
}

bool plZWidth_Make(plZWidth* z, plZProgress progress)
{
    const int n = z->grid;
    const plPoolResult lost = {.end = pl_poolEnded};
    Making m = {.z = z, .progress = progress, .total = n * n + limitCost * (n + 2) + 1};
    const plPool pool = {.self = &m,
                         .size = sizeof(Piece),
                         .next = nextPiece,
                         .work = workOn,
                         .done = take,
                         .workers = z->workers};
    z->points = calloc((size_t)n * (size_t)n, sizeof *z->points);
    z->limits = calloc((size_t)n + 1, sizeof *z->limits);
    if (!z->points || !z->limits) return false;
    if (z->workers > 1) return plPool_Run(&pool);
    for (int i; (i = nextPiece(&m)) >= 0;) take(&m, i, &lost);
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
