// Random scenes, and the measures that judge every tick of them: gaps of rigid links, energy, depth.
//
// Environment, of every program that includes this:
//   PALP_FULL=1     all scenes instead of a sample
//   PALP_VERBOSE=1  worst numbers by category, and each failing scene; with one scene, each tick
//   PALP_FIRST=n    first scene, PALP_COUNT=n how many: one failing scene runs alone
//   PALP_SEED=n     other random numbers for all scenes; default 1
//   PALP_DUMP=path  writes a scene that runs alone as a scene file, for `palp run`; without devices and
//                   without the motion of prescribed frames
#ifndef PALP_TEST_TICKS_H
#define PALP_TEST_TICKS_H

#include "collide/collide.h"
#include "math/math.h"
#include "tick_board.h"
#include "tick_dump.h"
#include "tick_scene.h"
#include "world/world.h"

// -------------------------------------------------------------------------- gaps of rigid links

static inline double pointGap(const plLinkDef* d, const plMotion* a, const plMotion* b)
{
    const plVec3 r = plSub(a->x, b->x);
    if (d->distance > 0) return fabs(plNorm(r) - d->distance);
    if (!(plNorm(d->slide) > 0)) return plNorm(r);
    const plVec3 axis = plMul(&b->R, unitOf(d->slide));
    return plNorm(plAddScaled(r, -plDot(r, axis), axis));
}

static inline double turnGap(const plLinkDef* d, const plMotion* a, const plMotion* b)
{
    const plMat3 rest = plRotation(d->rest);
    if (!(plNorm(d->hinge) > 0)) {
        const plMat3 turn = plTransMul(&b->R, &a->R), off = plMatMulT(&turn, &rest);
        return plNorm(plLog(&off));
    }
    const plVec3 hinge = plMul(&b->R, unitOf(d->hinge));
    const bool two = plNorm(d->cross) > 0;
    const plVec3 other = plMul(&a->R, plMulT(&rest, unitOf(two ? d->cross : d->hinge)));
    const double along = plDot(hinge, other), across = plNorm(plCross(hinge, other));
    return two ? fabs(atan2(along, across)) : atan2(across, along);
}

/// How far a rigid link is open, from the motion of its two sites alone [m or rad].
static inline double gapOfLink(const plWorld* w, const plLinkDef* d)
{
    const plMotion a = motionOf(w, d->a), b = motionOf(w, d->b);
    double gap = 0;
    if (isinf(d->stiffness)) larger(&gap, pointGap(d, &a, &b));
    if (d->turns && isinf(d->turnStiffness)) larger(&gap, turnGap(d, &a, &b));
    return gap;
}

static inline double gapOfLinks(const Scene* s)
{
    double gap = 0;
    for (int i = 0; i < s->linkCount; ++i) larger(&gap, gapOfLink(s->world, &s->links[i]));
    return gap;
}

// -------------------------------------------------------------------------------------- energy

enum { stands = pl_troubleStopped | pl_troubleNotFinite };

/// What the ticks of a world did to its energy.
typedef struct {
    plAccount last;
    double scale;    ///< largest so far of the energies below [J]
    double rise;     ///< largest growth in a tick beyond what was applied, over the scale
    double moved;    ///< sum of all that changed hands [J]
    double residual; ///< of the ledger, over what was moved
    double books;    ///< worst |kinetic energy of the ledger - v M v/2|, over the scale
    double work;     ///< worst |applied work of the ledger - force times displacement|, likewise
    int stopped;     ///< ticks in which a group was stopped or not finite
    int running;     ///< of them without a good tick between, up to now
    int longest;     ///< the same, at most
    int trouble;     ///< bits of all ticks
} Watch;

/// Kinetic energy and the sizes of all potential energies: what the sums of energy are rounded at.
static inline double energyScale(const plWorld* w)
{
    plAccount a = plWorld_Ledger(w);
    double scale = a.kinetic;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        checkOk(w, plWorld_MechanismLedger(w, plWorld_Mechanism(w, i), &a));
        scale += fabs(a.potential);
    }
    for (int i = 0; i < plWorld_LinkCount(w); ++i) {
        checkOk(w, plWorld_LinkLedger(w, plWorld_Link(w, i), &a));
        scale += fabs(a.potential);
    }
    return scale;
}

/// v M v/2 of all mechanisms with an inertia, from their states.
static inline double kineticOf(const plWorld* w)
{
    static double M[64 * 64], v[64];
    double sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        const int n = plWorld_VelocityCount(w, id);
        if (n > 64 || !strcmp(plWorld_MechanismType(w, id), "prescribed")) continue;
        checkOk(w, plWorld_State(w, id, NULL, v));
        checkOk(w, plWorld_Inertia(w, id, M, NULL));
        for (int k = 0; k < n * n; ++k) sum += 0.5 * M[k] * v[k / n] * v[k % n];
    }
    return sum;
}

/// Potential energy of gravity of all bodies, from their places.
static inline double heightEnergyOf(const Scene* s)
{
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < s->parts[i] && recorded.kinds[i] != isFrame; ++k) {
            const plChainBodyDef* part = &recorded.chainBodies[i][k];
            const bool body = recorded.kinds[i] == isBody;
            const plSite center = {s->ids[i], k, body ? plVec(0, 0, 0) : part->center};
            const double mass = body ? recorded.bodies[i].mass : part->mass;
            sum -= mass * plDot(s->gravity, motionOf(s->world, center).x);
        }
    }
    return sum;
}

/// `least`: of the scale, such as the weight times a length that counts [J].
static inline Watch watchOf(const plWorld* w, double least)
{
    const double scale = fmax(energyScale(w), least);
    return (Watch){.last = plWorld_Ledger(w), .scale = fmax(scale, 1e-12), .rise = -INFINITY};
}

/// One tick, judged.
static inline void watchStep(plWorld* w, double T, Watch* watch)
{
    const plAccount a = watch->last;
    plWorld_Step(w, T);
    const plAccount b = plWorld_Ledger(w);
    const double applied = b.applied - a.applied;
    const double rise = b.kinetic + b.potential - a.kinetic - a.potential - applied;
    larger(&watch->scale, energyScale(w));
    larger(&watch->rise, rise / watch->scale);
    watch->moved += fabs(b.kinetic - a.kinetic) + fabs(b.potential - a.potential) + fabs(applied) +
                    fabs(b.dissipated - a.dissipated);
    larger(&watch->residual, fabs(b.residual) / (watch->moved + watch->scale));
    const int trouble = plWorld_Report(w).trouble;
    const bool stood = (trouble & stands) != 0;
    watch->trouble |= trouble;
    watch->stopped += stood;
    watch->running = stood ? watch->running + 1 : 0;
    if (watch->running > watch->longest) watch->longest = watch->running;
    watch->last = b;
}

/// Compares the ledger's kinetic energy with that of the states; not for soft bodies.
static inline void watchBooks(const plWorld* w, Watch* watch)
{
    larger(&watch->books, fabs(kineticOf(w) - watch->last.kinetic) / watch->scale);
}

/// Hash of all positions: a tick that leaves it as it was has moved nothing.
static inline uint64_t stateHash(const plWorld* w)
{
    double q[7 * 64];
    uint64_t hash = plHash_Start();
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        const int n = plWorld_PositionCount(w, id);
        if (n > 7 * 64) continue;
        checkOk(w, plWorld_State(w, id, q, NULL));
        hash = plHash_Add(hash, q, (size_t)n * sizeof *q);
    }
    return hash;
}

// --------------------------------------------------------------------------------------- depth

static inline plFrame frameOfPart(const plWorld* w, plSite part)
{
    part.point = plVec(0, 0, 0);
    const plMotion m = motionOf(w, part);
    return (plFrame){m.x, m.R};
}

/// Largest half-extent of a shape about its carrier's frame; INFINITY for a plane.
static inline double reachOfShape(const plWorldShape* s)
{
    if (s->shape->kind == pl_shapePlane) return INFINITY;
    const plFrame home = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const plBounds b = plShape_Bounds(s->shape, &home);
    return fmax(plNorm(b.lo), plNorm(b.hi));
}

/// Which shapes may touch which: `true` for a pair that passes through each other.
typedef bool (*Passes)(const plWorld*, int i, int k);

/// Depth of the deepest of all pairs of convex shapes and planes, where they are now [m]; 0: none.
static inline double depthOf(const plWorld* w, Passes passes)
{
    static plFrame frames[256];
    static double reach[256];
    const int n = plWorld_ShapeCount(w);
    double depth = 0;
    assert_true(n <= 256);
    for (int i = 0; i < n; ++i) {
        const plWorldShape a = plWorld_ShapeAt(w, i);
        frames[i] = frameOfPart(w, a.site);
        reach[i] = reachOfShape(&a);
        for (int k = 0; k < i; ++k) {
            const plWorldShape b = plWorld_ShapeAt(w, k);
            if (a.site.mechanism.index1 == b.site.mechanism.index1 || (passes && passes(w, i, k)) ||
                plNorm(plSub(frames[i].x, frames[k].x)) > reach[i] + reach[k]) {
                continue;
            }
            larger(&depth, -plCollide_Gap(a.shape, &frames[i], b.shape, &frames[k], NULL).gap);
        }
    }
    return depth;
}

static inline double depthOfAll(const Scene* s) { return depthOf(s->world, NULL); }

/// What followDepth measures. "late": ticks above the limit of depth.
#define DEPTH_MEASURES(limit)                                                                      \
    {                                                                                              \
        {"depth", limit, true}, {"rise", 1e-9, true}, {"stopped", 0, true}, {"late", 0, false},    \
        {                                                                                          \
            "touching", 1e9, false                                                                 \
        }                                                                                          \
    }

/// Ticks, and how deep, by a function of the caller.
static inline void followDepth(const Scene* s, double time, double limit,
                               double (*depth)(const Scene*), bool verbose, double values[])
{
    Watch watch = watchOf(s->world, 0.01 * s->weight);
    double deepest = 0;
    int late = 0, touching = 0;
    while (plWorld_Time(s->world) < time) {
        watchStep(s->world, 1 / s->rate, &watch);
        const double now = depth(s);
        larger(&deepest, now);
        late += !(now <= limit);
        touching += plWorld_Report(s->world).contacts > 0;
        if (!verbose) continue;
        const plStepReport r = plWorld_Report(s->world);
        print_message("%.5f s: depth %.3g m (report %.3g), worst rise %.2g of %.3g J, kinetic %.3g "
                      "J, contacts %d, trouble %d\n",
                      plWorld_Time(s->world), now, r.depth, watch.rise, watch.scale,
                      watch.last.kinetic, r.contacts, r.trouble);
    }
    const double list[] = {deepest, watch.rise, watch.stopped, late, touching};
    memcpy(values, list, sizeof list);
}

#endif
