// Friction models. Bristles have a stiffness of force over strain, F_c/z0 or F_s/z0, so that
// friction goes with the normal force as a whole, its damping too; and a bristle of a heavier body
// is as much stiffer as the body is.
#include "law/friction.h"

#include "law/fixed_point.h"

#include <string.h>

// --- vectors of the tangent plane

static double lengthOf(const double a[2]) { return hypot(a[0], a[1]); }

// A vector within a circle. Its length may be beyond the range of numbers: then nothing is left of
// it.
static void shorten(double a[2], double most)
{
    const double length = lengthOf(a);
    if (!(length > most)) return;
    for (int k = 0; k < 2; ++k) a[k] *= most / length;
}

static void directionOf(const double a[2], double n[2])
{
    const double length = lengthOf(a);
    for (int k = 0; k < 2; ++k) n[k] = length > 0 ? a[k] / length : 0;
}

static double slidingForce(const plPair* c, const plSlip* s) { return c->mu * s->N; }

static double stickingForce(const plPair* c, const plSlip* s)
{
    return (1 + c->stiction) * slidingForce(c, s);
}

// Coulomb's force along the slip, and the viscous one.
static bool slide(const plPair* c, const plSlip* s, double f[2])
{
    double n[2];
    directionOf(s->u, n);
    for (int k = 0; k < 2; ++k) f[k] = -slidingForce(c, s) * n[k] - c->viscous * s->u[k];
    return lengthOf(s->u) > 0;
}

// --- by velocity

// A damper below slipSpeed, that comes to `full` there.
static bool smooth(const plPair* c, const plSlip* s, double full, double f[2])
{
    if (lengthOf(s->u) >= c->slipSpeed) return slide(c, s, f);
    for (int k = 0; k < 2; ++k) f[k] = -full * s->u[k] / c->slipSpeed;
    return false;
}

static bool smoothed(const plPair* c, const plSlip* s, double f[2])
{
    plPair dry = *c;
    dry.viscous = 0;
    return smooth(&dry, s, slidingForce(c, s), f);
}

// --- by strain

// Force of bristles of stiffness full/z0 at strain z and rate w, at most `most`.
static void bend(const plPair* c, double full, const double z[2], const double w[2], double most,
                 double f[2])
{
    for (int k = 0; k < 2; ++k) f[k] = -full / c->bristle * (z[k] + c->bristleTime * w[k]);
    shorten(f, most);
}

static void addViscous(const plPair* c, const plSlip* s, double f[2])
{
    for (int k = 0; k < 2; ++k) f[k] -= c->viscous * s->u[k];
}

// The print has no strain law and no bound: beta u would give 20 F_s when a contact is found at
// speed. Strain first, then force: the other order is unstable. Where a slip ends the harder spring
// takes over and springs back z0: that is the model, no mistake.              (spec 0.20 to 0.22)
static bool reset(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    double trial[2], ahead = 0;
    for (int k = 0; k < 2; ++k) {
        trial[k] = m->strain[k] + s->way[k];
        ahead += trial[k] * s->u[k];
    }
    m->slips = lengthOf(trial) >= c->bristle && ahead > 0;
    shorten(trial, c->bristle);
    for (int k = 0; k < 2; ++k) m->strain[k] = trial[k];
    const double stick = stickingForce(c, s), still[2] = {0, 0};
    if (!m->slips) {
        bend(c, stick, trial, s->u, stick, f);
        return false;
    }
    bend(c, slidingForce(c, s), trial, still, stick, f);
    addViscous(c, s, f);
    return true;
}

// Strain that has moved by way, and no farther than z0.
static void drag(const plPair* c, const double way[2], double z[2])
{
    for (int k = 0; k < 2; ++k) z[k] += way[k];
    shorten(z, c->bristle);
}

// dz/ds = n - z/zs along a straight way of direction n: z - zs n falls by exp(-way/zs).
static void follow(double zs, const double way[2], double z[2])
{
    double n[2];
    const double left = exp(-lengthOf(way) / zs);
    directionOf(way, n);
    for (int k = 0; k < 2; ++k) z[k] = zs * n[k] + (z[k] - zs * n[k]) * left;
}

// Strain at which a bristle slides on; Stribeck's curve for LuGre.
static double steady(const plPair* c, const double u[2])
{
    const double ratio = c->slipSpeed > 0 ? lengthOf(u) / c->slipSpeed : (double)INFINITY;
    const bool falls = c->friction == pl_frictionLuGre;
    return falls ? c->bristle * (1 + c->stiction * exp(-ratio * ratio)) : c->bristle;
}

static void strain(const plPair* c, const double u[2], const double way[2], double z[2])
{
    if (c->friction == pl_frictionDriftFree) {
        drag(c, way, z);
    } else if (lengthOf(way) > 0) {
        follow(steady(c, u), way, z);
    }
}

// Drift-free, Dahl and LuGre differ by how strain follows the way. Where they slide is no state of
// theirs: it is said of a strain that is nearly all they can have.
static bool bristles(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    double rate[2] = {m->strain[0], m->strain[1]};
    strain(c, s->u, s->way, m->strain);
    for (int k = 0; k < 2; ++k) rate[k] = (m->strain[k] - rate[k]) / s->T;
    bend(c, slidingForce(c, s), m->strain, rate, stickingForce(c, s), f);
    addViscous(c, s, f);
    m->slips = lengthOf(m->strain) >= 0.99 * steady(c, s->u);
    return m->slips;
}

// --- by strain where it sticks, by velocity where it slips

static const double softening = 2.5; // z0 over the length in which the finger pad's curve bends

// Share of F_s at a strain, 1 at z0; and the strain of a share.
static double curve(const plPair* c, double strainLength)
{
    const double z = fmin(strainLength, c->bristle);
    if (c->friction == pl_frictionStickPoint) return z / c->bristle;
    return (1 - exp(-softening * z / c->bristle)) / (1 - exp(-softening));
}

static double strainOf(const plPair* c, double share)
{
    if (c->friction == pl_frictionStickPoint) return share * c->bristle;
    return -log(1 - share * (1 - exp(-softening))) / softening * c->bristle;
}

static void pull(const plPair* c, const plSlip* s, const double z[2], double f[2])
{
    double n[2], damper[2];
    const double stick = stickingForce(c, s), share = curve(c, lengthOf(z));
    directionOf(z, n);
    for (int k = 0; k < 2; ++k) {
        f[k] = -stick * share * n[k];
        damper[k] = -stick / c->bristle * c->bristleTime * s->u[k];
    }
    const bool pad = c->friction == pl_frictionFingerPad;
    if (pad) shorten(damper, stick); // of the flesh, beside the bond
    for (int k = 0; k < 2; ++k) f[k] += damper[k];
    if (!pad) shorten(f, stick);
}

// Where the slip has ended it sticks with the force that it slid with; z kept the direction.
static void stickAgain(const plPair* c, plFrictionMemory* m)
{
    double n[2];
    directionOf(m->strain, n);
    for (int k = 0; k < 2; ++k) m->strain[k] = strainOf(c, 1 / (1 + c->stiction)) * n[k];
    m->slips = 0;
}

static bool slipOn(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    double n[2];
    directionOf(s->u, n);
    m->slips = 1;
    for (int k = 0; k < 2; ++k) m->strain[k] = c->bristle * n[k];
    return slide(c, s, f);
}

static bool bond(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    if (m->slips) {
        if (lengthOf(s->u) >= c->slipSpeed) return slipOn(c, s, m, f);
        stickAgain(c, m);
    } else {
        for (int k = 0; k < 2; ++k) m->strain[k] += s->way[k];
    }
    if (lengthOf(m->strain) >= c->bristle && lengthOf(s->u) > 0) return slipOn(c, s, m, f);
    pull(c, s, m->strain, f);
    return false;
}

// --- the table

static bool karnopp(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    m->slips = lengthOf(s->u) >= c->slipSpeed;
    return m->slips && slide(c, s, f);
}

static bool forceOf(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    switch (c->friction) {
    case pl_frictionClassical:
        return smooth(c, s, stickingForce(c, s), f);
    case pl_frictionReset:
        return reset(c, s, m, f);
    case pl_frictionDriftFree:
    case pl_frictionDahl:
    case pl_frictionLuGre:
        return bristles(c, s, m, f);
    case pl_frictionStickPoint:
    case pl_frictionFingerPad:
        return bond(c, s, m, f);
    case pl_frictionKarnopp:
        return karnopp(c, s, m, f);
    case pl_frictionSmoothed:
    case pl_frictionCount:
        break;
    }
    return smoothed(c, s, f);
}

bool plFriction_Force(const plPair* c, const plSlip* s, plFrictionMemory* m, double f[2])
{
    f[0] = f[1] = 0;
    const bool slides = forceOf(c, s, m, f), presses = s->N > 0;
    for (int k = 0; k < 2; ++k) {
        if (!presses) f[k] = 0;
        m->u[k] = s->u[k];
    }
    m->normal = s->N;
    m->T = s->T;
    return slides && presses;
}

// --- stored

// A broken bond sticks again with the strain of F_c, and has that to give.
static double bondEnergy(const plPair* c, double full, double z, bool slips)
{
    const double length = c->bristle / softening;
    const double to = slips || z >= c->bristle ? strainOf(c, 1 / (1 + c->stiction)) : z;
    if (c->friction == pl_frictionStickPoint) return 0.5 * full / c->bristle * to * to;
    return full / (1 - exp(-softening)) * fmax(0, to + length * expm1(-to / length));
}

double plFriction_Stored(const plPair* c, const plFrictionMemory* m, const double slip[2])
{
    const double slide = c->mu * fmax(0, m->normal), stick = (1 + c->stiction) * slide;
    const double rate = m->T > 0 ? 1 / m->T : 0, u[2] = {rate * slip[0], rate * slip[1]};
    double z[2] = {m->strain[0], m->strain[1]};
    switch (c->friction) {
    case pl_frictionReset:
        drag(c, slip, z);
        return 0.5 * stick / c->bristle * (z[0] * z[0] + z[1] * z[1]);
    case pl_frictionDriftFree:
    case pl_frictionDahl:
    case pl_frictionLuGre:
        strain(c, u, slip, z);
        return 0.5 * slide / c->bristle * (z[0] * z[0] + z[1] * z[1]);
    case pl_frictionStickPoint:
    case pl_frictionFingerPad:
        for (int k = 0; k < 2; ++k) z[k] += slip[k];
        return bondEnergy(c, stick, lengthOf(z), m->slips != 0);
    default:
        return 0;
    }
}

// --- Karnopp's sticks, all at once

bool plFriction_NeedsGroup(const plSpace* s)
{
    for (int i = 0; i < s->count && s->dim > 1; ++i) {
        if (s->pair[i].friction == pl_frictionKarnopp) return true;
    }
    return false;
}

static bool sticks(const plSpace* s, const plContactMemory* after, const double* p, int i)
{
    return s->pair[i].friction == pl_frictionKarnopp && !after[i].friction.slips &&
           p[s->dim * i] > 0;
}

// x - B^-1 w of a contact's tangents; x where nothing can move.
static void solveBlock(const plSpace* s, int i, const double* w, double x[2])
{
    int stride;
    const double* B = plSpace_Diagonal(s, i, &stride);
    const double a = B[stride + 1], trace = s->dim == 3 ? a + B[2 * stride + 2] : a;
    if (s->dim == 2) {
        if (a > 0) x[0] -= w[1] / a;
        return;
    }
    const double b = B[stride + 2], c = B[2 * stride + 1], d = B[2 * stride + 2];
    const double determinant = a * d - b * c;
    if (determinant > 1e-12 * trace * trace) {
        x[0] -= (d * w[1] - b * w[2]) / determinant;
        x[1] -= (a * w[2] - c * w[1]) / determinant;
    } else if (trace > 0) { // one direction only
        x[0] -= w[1] / trace;
        x[1] -= w[2] / trace;
    }
}

// One contact stops, or is on the border of its circle. Returns what that changes of its velocity:
// of redundant contacts impulses may go on to change, with no effect.
static double stop(const plSpace* s, const double* free, int i, double* p, bool* border)
{
    int stride;
    const plPair* c = &s->pair[i];
    const double* B = plSpace_Diagonal(s, i, &stride);
    double w[3], x[2] = {0}, *f = &p[s->dim * i], change = 0;
    const double most = (1 + c->stiction) * c->mu * f[0];
    plFixedPoint_Rows(s, free, p, i, w);
    for (int k = 1; k < s->dim; ++k) x[k - 1] = f[k];
    solveBlock(s, i, w, x);
    *border = lengthOf(x) > most;
    shorten(x, most);
    for (int k = 1; k < s->dim; ++k) {
        change = fmax(change, B[k * stride + k] * fabs(x[k - 1] - f[k]));
        f[k] = x[k - 1];
    }
    return change;
}

static double sweep(const plSpace* s, const double* free, const plContactMemory* after, double* p,
                    int* borders)
{
    double change = 0;
    *borders = 0;
    for (int i = 0; i < s->count; ++i) {
        bool border;
        if (!sticks(s, after, p, i)) continue;
        change = fmax(change, stop(s, free, i, p, &border));
        *borders += border;
    }
    return change;
}

// What a sweep changed is taken for a gradient, and conjugate ones are followed: close corners of
// one body share a load in a hundred sweeps, or in ten of these. `last`: the square of the one
// before; where it grows, all begins anew.                      (Silcowitz, Niebe, Erleben 2010)
static void accelerate(int rows, const double* from, double* direction, double* last, double* p)
{
    double square = 0;
    for (int i = 0; i < rows; ++i) square += (p[i] - from[i]) * (p[i] - from[i]);
    const double share = square < *last ? square / *last : 0;
    *last = square;
    for (int i = 0; i < rows; ++i) {
        const double change = p[i] - from[i];
        p[i] += share * direction[i];
        direction[i] = change + share * direction[i];
    }
}

// The impulses of the last tick are a good beginning. Returns the largest free velocity.
static double begin(const plSpace* s, const double* free, const plContactMemory* before,
                    const plContactMemory* after, double* p)
{
    double size = 0;
    for (int i = 0; i < s->count; ++i) {
        const double last = before[i].friction.T, rate = last > 0 ? s->T / last : 0;
        if (!sticks(s, after, p, i)) continue;
        for (int k = 1; k < s->dim; ++k) {
            p[s->dim * i + k] = rate * before[i].p[k];
            size = fmax(size, fabs(free[s->dim * i + k]));
        }
    }
    return size;
}

void plFriction_Stick(const plSpace* s, const double* free, const plContactMemory* before,
                      const plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    enum { sweeps = 60 };
    PL_ASSERT(s->count <= w->contacts);
    const size_t bytes = (size_t)plSpace_Rows(s) * sizeof(double);
    const double size = begin(s, free, before, after, p);
    double change = 0, last = 0;
    int borders = 0;
    memset(w->step, 0, bytes);
    for (int k = 1; k <= sweeps; ++k) {
        memcpy(w->best, p, bytes);
        change = sweep(s, free, after, p, &borders);
        report->iterations = k;
        if (change <= 1e-10 * size) break;
        if (k < sweeps) accelerate(plSpace_Rows(s), w->best, w->step, &last, p);
    }
    report->sliding += borders;
    if (change > 1e-6 * size) report->flags |= pl_reportNotConverged;
}
