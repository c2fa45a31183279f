// Random trees of bodies, and their mechanics body by body: independent of the engine's own.
#ifndef PALP_TEST_TREES_H
#define PALP_TEST_TREES_H

#include "mechanism/mechanism.h"
#include "worlds.h"

#include <string.h>

enum { maxBodies = 100, maxN = 6 * 40, maxQ = 7 * 40, maxSize = maxN * maxN };

typedef struct {
    int count, n, positions;
    plChainBodyDef bodies[maxBodies];
    char names[maxBodies][8];
    plPose base;
    double q[maxQ], v[maxN];
} Tree;

// Place, velocity and acceleration of a body's frame, world axes.
typedef struct {
    plMat3 R, Rjoint; ///< Rjoint: orientation of the joint's frame
    plVec3 x, v, w, a, wdot;
} Body;

static Tree tree;
static Body bodies[maxBodies];

// ------------------------------------------------------------------------------- random trees

static inline plVec3 randomVec(plRng* rng, double size)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng), z = plRng_Normal(rng);
    return plVec(size * x, size * y, size * z);
}

static inline plPose randomPose(plRng* rng)
{
    return (plPose){randomVec(rng, 0.3), plExp(randomVec(rng, 2))};
}

// R diag(a, b, c) R^T with a + b >= c and so on: what a body can have.
static inline plMat3 randomInertia(plRng* rng)
{
    const plMat3 R = plRotation(plExp(randomVec(rng, 2)));
    const double x = plRng_Uniform(rng, 0.01, 0.1), y = plRng_Uniform(rng, 0.01, 0.1),
                 z = plRng_Uniform(rng, 0.01, 0.1);
    const plMat3 J = plDiagonal3(y + z, z + x, x + y), RJ = plMatMul(&R, &J);
    plMat3 A = plMatMulT(&RJ, &R);
    A.x.y = A.y.x = 0.5 * (A.x.y + A.y.x);
    A.x.z = A.z.x = 0.5 * (A.x.z + A.z.x);
    A.y.z = A.z.y = 0.5 * (A.y.z + A.z.y);
    return A;
}

static inline void addRandomBody(plRng* rng, Tree* t, plJoint joint)
{
    const int i = t->count++;
    plChainBodyDef* b = &t->bodies[i];
    snprintf(t->names[i], sizeof t->names[i], "b%d", i);
    const int above = (int)(plRng_Next(rng) % (uint64_t)(i + 1)) - 1;
    *b = (plChainBodyDef){.name = t->names[i],
                          .parent = plRng_Uniform(rng, 0, 1) < 0.5 ? i - 1 : above,
                          .joint = joint,
                          .axis = randomVec(rng, 1),
                          .frame = randomPose(rng),
                          .mass = plRng_Uniform(rng, 0.1, 2),
                          .center = randomVec(rng, 0.2),
                          .inertia = randomInertia(rng)};
    const int positions = plJoint_Positions(joint), velocities = plJoint_Velocities(joint);
    for (int k = 0; k < positions; ++k) b->position[k] = plRng_Normal(rng);
    if (positions > velocities) plPut4(plExp(randomVec(rng, 1)), b->position + positions - 4);
    for (int k = 0; k < velocities; ++k) b->velocity[k] = plRng_Normal(rng);
    memcpy(t->q + t->positions, b->position, (size_t)positions * sizeof(double));
    memcpy(t->v + t->n, b->velocity, (size_t)velocities * sizeof(double));
    t->positions += positions;
    t->n += velocities;
}

// `n` > 0: exactly so many velocities, else `count` bodies; the first joint moves.
static inline void makeTree(plRng* rng, int count, int n, Tree* t)
{
    *t = (Tree){.base = randomPose(rng)};
    addRandomBody(rng, t, (plJoint)(1 + plRng_Next(rng) % 5));
    while (n > 0 ? t->n < n : t->count < count) {
        plJoint joint = (plJoint)(plRng_Next(rng) % pl_jointCount);
        if (n > 0 && t->n + plJoint_Velocities(joint) > n) joint = pl_jointPrismatic;
        addRandomBody(rng, t, joint);
    }
}

// Trees of 1 to 40 bodies, and in the end those of 64 and of 90 velocities.
static inline bool nextTree(plRng* rng, int index, int count, Tree* t)
{
    if (index < count) makeTree(rng, 1 + index * 39 / (count - 1), 0, t);
    if (index == count) makeTree(rng, 0, 64, t);
    if (index == count + 1) makeTree(rng, 0, 90, t);
    return index < count + 2;
}

static inline plWorld* worldOf(const Tree* t, plVec3 gravity, plIntegrator integrator,
                               plMechanismId* id)
{
    plWorld* world = makeWorld(gravity, 1);
    plChainDef def = plDefaultChainDef();
    def.name = "tree";
    def.integrator = integrator;
    def.base = t->base;
    def.bodies = t->bodies;
    def.bodyCount = t->count;
    checkOk(world, plWorld_AddChain(world, &def, id));
    return world;
}

// --------------------------------------------------------------------- mechanics, body by body

static inline int shiftAxes(const plChainBodyDef* b, plVec3 axes[3])
{
    const plVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axes, unit, sizeof unit);
    if (b->joint == pl_jointPrismatic) axes[0] = plScale(1 / plNorm(b->axis), b->axis);
    const int counts[pl_jointCount] = {0, 0, 1, 0, 2, 3};
    return counts[b->joint];
}

static inline int turnAxes(const plChainBodyDef* b, plVec3 axes[3])
{
    const plVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axes, unit, sizeof unit);
    if (b->joint == pl_jointRevolute) axes[0] = plScale(1 / plNorm(b->axis), b->axis);
    if (b->joint == pl_jointPlanar) axes[0] = unit[2];
    const int counts[pl_jointCount] = {0, 1, 0, 3, 1, 3};
    return counts[b->joint];
}

static inline plVec3 combine(const plVec3* axes, int count, const double* s)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) sum = plAddScaled(sum, s[i], axes[i]);
    return sum;
}

static inline void moveBody(const plChainBodyDef* b, const Body* parent, const double* q,
                            const double* v, const double* vdot, Body* body)
{
    plVec3 shift[3], turn[3];
    const int shifts = shiftAxes(b, shift), turns = turnAxes(b, turn);
    const plMat3 frame = plRotation(b->frame.q);
    const bool ball = b->joint == pl_jointSpherical || b->joint == pl_jointFree;
    const plQuat own = ball        ? plGet4(q + shifts)
                       : turns > 0 ? plExp(plScale(q[shifts], turn[0]))
                                   : (plQuat){1, 0, 0, 0};
    const plMat3 E = plRotation(own);
    body->Rjoint = plMatMul(&parent->R, &frame);
    body->R = plMatMul(&body->Rjoint, &E);
    const plVec3 s =
        plAdd(plMul(&parent->R, b->frame.p), plMul(&body->Rjoint, combine(shift, shifts, q)));
    const plVec3 rate = plMul(&body->Rjoint, combine(shift, shifts, v));
    const plVec3 spin = plMul(&body->R, combine(turn, turns, v + shifts));
    body->x = plAdd(parent->x, s);
    body->v = plAdd(parent->v, plAdd(plCross(parent->w, s), rate));
    body->w = plAdd(parent->w, spin);
    body->a = plAdd(parent->a, plCross(parent->wdot, s));
    body->a = plAdd(body->a, plCross(parent->w, plCross(parent->w, s)));
    body->a = plAdd(body->a, plScale(2, plCross(parent->w, rate)));
    body->a = plAdd(body->a, plMul(&body->Rjoint, combine(shift, shifts, vdot)));
    body->wdot = plAdd(plAdd(parent->wdot, plCross(parent->w, spin)),
                       plMul(&body->R, combine(turn, turns, vdot + shifts)));
}

static inline void moveAll(const Tree* t, const double* q, const double* v, const double* vdot)
{
    const Body base = {.R = plRotation(t->base.q), .x = t->base.p};
    for (int i = 0, q0 = 0, v0 = 0; i < t->count; ++i) {
        const plChainBodyDef* b = &t->bodies[i];
        moveBody(b, b->parent < 0 ? &base : &bodies[b->parent], q + q0, v + v0, vdot + v0,
                 &bodies[i]);
        q0 += plJoint_Positions(b->joint);
        v0 += plJoint_Velocities(b->joint);
    }
}

static inline plVec3 pointVelocity(const Body* b, plVec3 point)
{
    return plAdd(b->v, plCross(b->w, plMul(&b->R, point)));
}

// Newton and Euler: the efforts that the joints must give for the accelerations vdot.
static inline void inverseDynamics(const Tree* t, const double* q, const double* v,
                                   const double* vdot, double* effort)
{
    static plVec3 force[maxBodies], moment[maxBodies]; // on each body with all it carries
    moveAll(t, q, v, vdot);
    for (int i = 0; i < t->count; ++i) {
        const plChainBodyDef* b = &t->bodies[i];
        const Body* B = &bodies[i];
        const plVec3 c = plMul(&B->R, b->center);
        const plVec3 a = plAdd(B->a, plAdd(plCross(B->wdot, c), plCross(B->w, plCross(B->w, c))));
        const plVec3 Jw = plMul(&B->R, plMul(&b->inertia, plMulT(&B->R, B->w)));
        const plVec3 Ja = plMul(&B->R, plMul(&b->inertia, plMulT(&B->R, B->wdot)));
        force[i] = plScale(b->mass, a);
        moment[i] = plAdd(plAdd(Ja, plCross(B->w, Jw)), plCross(c, force[i]));
    }
    for (int i = t->count - 1, v0 = t->n; i >= 0; --i) {
        const plChainBodyDef* b = &t->bodies[i];
        plVec3 shift[3], turn[3];
        const int shifts = shiftAxes(b, shift), turns = turnAxes(b, turn);
        v0 -= shifts + turns;
        for (int k = 0; k < shifts; ++k) {
            effort[v0 + k] = plDot(plMul(&bodies[i].Rjoint, shift[k]), force[i]);
        }
        for (int k = 0; k < turns; ++k) {
            effort[v0 + shifts + k] = plDot(plMul(&bodies[i].R, turn[k]), moment[i]);
        }
        if (b->parent < 0) continue;
        const plVec3 arm = plSub(bodies[i].x, bodies[b->parent].x);
        force[b->parent] = plAdd(force[b->parent], force[i]);
        moment[b->parent] = plAdd(moment[b->parent], plAdd(moment[i], plCross(arm, force[i])));
    }
}

static const double zeros[maxN];

static inline void unitVector(double* e, int i)
{
    memset(e, 0, maxN * sizeof *e);
    e[i] = 1;
}

static inline void massByNewton(const Tree* t, double* mass)
{
    double e[maxN], column[maxN];
    for (int j = 0; j < t->n; ++j) {
        unitVector(e, j);
        inverseDynamics(t, t->q, zeros, e, column);
        for (int i = 0; i < t->n; ++i) mass[i * t->n + j] = column[i];
    }
}

// q (+) s v: angles and ways add, quaternions turn by exp in child axes.
static inline void moveState(const Tree* t, double s, const double* v, double* q)
{
    memcpy(q, t->q, sizeof t->q);
    for (int i = 0, q0 = 0, v0 = 0; i < t->count; ++i) {
        const plJoint joint = t->bodies[i].joint;
        const int velocities = plJoint_Velocities(joint), positions = plJoint_Positions(joint);
        const bool ball = positions > velocities;
        for (int k = 0; k < velocities - (ball ? 3 : 0); ++k) q[q0 + k] += s * v[v0 + k];
        if (ball) {
            double* at = q + q0 + positions - 4;
            const plVec3 turn = plScale(s, plGet3(v + v0 + velocities - 3));
            plPut4(plQuatMul(plGet4(at), plExp(turn)), at);
        }
        q0 += positions;
        v0 += velocities;
    }
}

#endif
