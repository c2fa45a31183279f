// Chains against mechanics written a second time: every body by itself, Newton and Euler, nothing
// shared with the engine but vectors and quaternions.
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
static double M[maxSize], C[maxSize], other[maxSize];

// ------------------------------------------------------------------------------- random trees

static plVec3 randomVec(plRng* rng, double size)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng), z = plRng_Normal(rng);
    return plVec(size * x, size * y, size * z);
}

static plPose randomPose(plRng* rng)
{
    return (plPose){randomVec(rng, 0.3), plExp(randomVec(rng, 2))};
}

// R diag(a, b, c) R^T with a + b >= c and so on: what a body can have.
static plMat3 randomInertia(plRng* rng)
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

static void addRandomBody(plRng* rng, Tree* t, plJoint joint)
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
static void makeTree(plRng* rng, int count, int n, Tree* t)
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
static bool nextTree(plRng* rng, int index, int count, Tree* t)
{
    if (index < count) makeTree(rng, 1 + index * 39 / (count - 1), 0, t);
    if (index == count) makeTree(rng, 0, 64, t);
    if (index == count + 1) makeTree(rng, 0, 90, t);
    return index < count + 2;
}

static plWorld* worldOf(const Tree* t, plVec3 gravity, plIntegrator integrator, plMechanismId* id)
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

static int shiftAxes(const plChainBodyDef* b, plVec3 axes[3])
{
    const plVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axes, unit, sizeof unit);
    if (b->joint == pl_jointPrismatic) axes[0] = plScale(1 / plNorm(b->axis), b->axis);
    const int counts[pl_jointCount] = {0, 0, 1, 0, 2, 3};
    return counts[b->joint];
}

static int turnAxes(const plChainBodyDef* b, plVec3 axes[3])
{
    const plVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axes, unit, sizeof unit);
    if (b->joint == pl_jointRevolute) axes[0] = plScale(1 / plNorm(b->axis), b->axis);
    if (b->joint == pl_jointPlanar) axes[0] = unit[2];
    const int counts[pl_jointCount] = {0, 1, 0, 3, 1, 3};
    return counts[b->joint];
}

static plVec3 combine(const plVec3* axes, int count, const double* s)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) sum = plAddScaled(sum, s[i], axes[i]);
    return sum;
}

static void moveBody(const plChainBodyDef* b, const Body* parent, const double* q, const double* v,
                     const double* vdot, Body* body)
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

static void moveAll(const Tree* t, const double* q, const double* v, const double* vdot)
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

static plVec3 pointVelocity(const Body* b, plVec3 point)
{
    return plAdd(b->v, plCross(b->w, plMul(&b->R, point)));
}

// Newton and Euler: the efforts that the joints must give for the accelerations vdot.
static void inverseDynamics(const Tree* t, const double* q, const double* v, const double* vdot,
                            double* effort)
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

static void unitVector(double* e, int i)
{
    memset(e, 0, maxN * sizeof *e);
    e[i] = 1;
}

static void massByNewton(const Tree* t, double* mass)
{
    double e[maxN], column[maxN];
    for (int j = 0; j < t->n; ++j) {
        unitVector(e, j);
        inverseDynamics(t, t->q, zeros, e, column);
        for (int i = 0; i < t->n; ++i) mass[i * t->n + j] = column[i];
    }
}

// q (+) s v: angles and ways add, quaternions turn by exp in child axes.
static void moveState(const Tree* t, double s, const double* v, double* q)
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

// Differences of the fourth order at -2h, -h, h, 2h. With sum |v| = 1 no body spins faster than
// 1 rad/s, so that their own error is h^4/30, 3e-14, and the round-off of what is differed over h.
static const double h = 1e-3;
static const double stencilAt[4] = {-2, -1, 1, 2};
static const double stencil[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

static void slowDown(Tree* t)
{
    double sum = 0;
    for (int i = 0; i < t->n; ++i) sum += fabs(t->v[i]);
    for (int i = 0; i < t->n; ++i) t->v[i] /= sum;
}

// ------------------------------------------------------------------------------------- checks

static void placesAndVelocitiesFollowTheJoints(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        plMechanismId id;
        plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorMidpoint, &id);
        moveAll(&tree, tree.q, tree.v, zeros);
        for (int i = 0; i < tree.count; ++i) {
            const plSite site = {id, i, randomVec(&rng, 0.5)};
            plMotion m;
            checkOk(world, plWorld_Motion(world, site, &m));
            const plVec3 x = plAdd(bodies[i].x, plMul(&bodies[i].R, site.point));
            const double far = 1 + plNorm(x), fast = 1 + plNorm(m.v) + plNorm(m.w) * far;
            // Round-off of up to 40 frames, each with some tens of operations.
            checkAtMost("place", plNorm(plSub(m.x, x)), 1e-13 * far);
            checkAtMost("axis", plNorm(plSub(m.R.x, bodies[i].R.x)), 1e-13);
            checkAtMost("velocity", plNorm(plSub(m.v, pointVelocity(&bodies[i], site.point))),
                        1e-12 * fast);
            checkAtMost("spin", plNorm(plSub(m.w, bodies[i].w)), 1e-12 * fast);
        }
        plWorld_Destroy(world);
    }
}

static void velocityIsTheRateOfThePlace(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(2);
    for (int k = 0; nextTree(&rng, k, sized(5, 40), &tree); ++k) {
        plMechanismId id;
        slowDown(&tree);
        plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorMidpoint, &id);
        for (int i = 0; i < tree.count; ++i) {
            const plSite site = {id, i, randomVec(&rng, 0.5)};
            plMotion now, m;
            plVec3 rate = {0, 0, 0};
            plMat3 Rdot = plDiagonal3(0, 0, 0);
            checkOk(world, plWorld_SetState(world, id, tree.q, tree.v));
            checkOk(world, plWorld_Motion(world, site, &now));
            for (int s = 0; s < 4; ++s) {
                double q[maxQ];
                moveState(&tree, h * stencilAt[s], tree.v, q);
                checkOk(world, plWorld_SetState(world, id, q, tree.v));
                checkOk(world, plWorld_Motion(world, site, &m));
                rate = plAddScaled(rate, stencil[s] / h, m.x);
                Rdot = plMatAdd(&Rdot, stencil[s] / h, &m.R);
            }
            const plMat3 S = plMatMulT(&Rdot, &now.R);
            const plVec3 w = plVec(S.z.y, S.x.z, S.y.x);
            const double far = 1 + plNorm(plSub(now.x, tree.base.p));
            checkAtMost("velocity by differences", plNorm(plSub(rate, now.v)), 1e-11 * far);
            checkAtMost("spin by differences", plNorm(plSub(w, now.w)), 1e-11);
        }
        plWorld_Destroy(world);
    }
}

// Jacobians of every centre from the engine's own motions under unit velocities.
static void massByJacobians(plWorld* world, plMechanismId id, const Tree* t, double* mass)
{
    static plVec3 Jv[maxBodies][maxN], Jw[maxBodies][maxN];
    for (int j = 0; j < t->n; ++j) {
        double e[maxN];
        unitVector(e, j);
        checkOk(world, plWorld_SetState(world, id, t->q, e));
        for (int b = 0; b < t->count; ++b) {
            plMotion m;
            checkOk(world, plWorld_Motion(world, (plSite){id, b, t->bodies[b].center}, &m));
            Jv[b][j] = m.v;
            Jw[b][j] = plMulT(&m.R, m.w);
        }
    }
    memset(mass, 0, (size_t)(t->n * t->n) * sizeof *mass);
    for (int b = 0; b < t->count; ++b) {
        for (int i = 0; i < t->n * t->n; ++i) {
            const int r = i / t->n, c = i % t->n;
            mass[i] += t->bodies[b].mass * plDot(Jv[b][r], Jv[b][c]) +
                       plDot(Jw[b][r], plMul(&t->bodies[b].inertia, Jw[b][c]));
        }
    }
    checkOk(world, plWorld_SetState(world, id, t->q, t->v));
}

static double worstEntry(const double* A, const double* B, int n)
{
    double worst = 0;
    for (int i = 0; i < n * n; ++i) {
        const double scale = sqrt(M[i / n * (n + 1)] * M[i % n * (n + 1)]);
        worst = fmax(worst, fabs(A[i] - B[i]) / scale);
    }
    return worst;
}

static void massIsTheSumOverBodies(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(3);
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(20, 200), &tree); ++k) {
        plMechanismId id;
        plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorMidpoint, &id);
        checkOk(world, plWorld_Inertia(world, id, M, NULL));
        massByJacobians(world, id, &tree, other);
        worst = fmax(worst, worstEntry(M, other, tree.n));
        massByNewton(&tree, other);
        worst = fmax(worst, worstEntry(M, other, tree.n));
        plWorld_Destroy(world);
    }
    print_message("mass: largest error %.2g of sqrt(M_ii M_jj)\n", worst);
    checkAtMost("mass", worst, 1e-12); // the bar
}

static void coriolisForceIsNewtonsAndEulers(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(4);
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(20, 200), &tree); ++k) {
        plMechanismId id;
        double bias[maxN], error = 0;
        plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorMidpoint, &id);
        double v[maxN]; // of the state: the midpoint integrator keeps P v
        checkOk(world, plWorld_State(world, id, NULL, v));
        checkOk(world, plWorld_Inertia(world, id, NULL, C));
        inverseDynamics(&tree, tree.q, tree.v, zeros, bias);
        double size = plWorld_Ledger(world).kinetic; // where there is no such force, its terms
        for (int i = 0; i < tree.n; ++i) {
            double sum = 0;
            for (int j = 0; j < tree.n; ++j) sum += C[i * tree.n + j] * v[j];
            size = fmax(size, fabs(bias[i]));
            error = fmax(error, fabs(sum - bias[i]));
        }
        worst = fmax(worst, error / size);
        plWorld_Destroy(world);
    }
    print_message("Coriolis force: largest error %.2g\n", worst);
    // Sums over some tens of bodies, and v through P and back (condition of M).
    checkAtMost("Coriolis force", worst, 1e-12);
}

static void massChangesByCoriolisAndItsTranspose(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(5);
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(10, 80), &tree); ++k) {
        static double rate[maxSize], at[maxSize];
        plMechanismId id;
        double q[maxQ];
        slowDown(&tree);
        plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorExplicit, &id);
        const int n = tree.n;
        checkOk(world, plWorld_SetState(world, id, tree.q, tree.v));
        checkOk(world, plWorld_Inertia(world, id, M, C));
        for (int i = 0; i < n * n; ++i) other[i] = C[i] + C[i % n * n + i / n], rate[i] = 0;
        for (int s = 0; s < 4; ++s) {
            moveState(&tree, h * stencilAt[s], tree.v, q);
            checkOk(world, plWorld_SetState(world, id, q, tree.v));
            checkOk(world, plWorld_Inertia(world, id, at, NULL));
            for (int i = 0; i < n * n; ++i) rate[i] += stencil[s] / h * at[i];
        }
        worst = fmax(worst, worstEntry(rate, other, n));
        plWorld_Destroy(world);
    }
    print_message("Mdot - C - C^T: largest %.2g\n", worst);
    checkAtMost("Mdot - C - C^T", worst, 1e-10); // round-off of M over h
}

static void kineticEnergyIsTheSumOverBodies(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(6);
    for (int k = 0; nextTree(&rng, k, sized(20, 200), &tree); ++k) {
        plMechanismId id;
        plWorld* world =
            worldOf(&tree, plVec(0, 0, 0), (plIntegrator)(k % pl_integratorCount), &id);
        double kinetic = 0;
        moveAll(&tree, tree.q, tree.v, zeros);
        for (int i = 0; i < tree.count; ++i) {
            const plVec3 v = pointVelocity(&bodies[i], tree.bodies[i].center);
            const plVec3 w = plMulT(&bodies[i].R, bodies[i].w);
            kinetic += 0.5 * tree.bodies[i].mass * plDot(v, v) +
                       0.5 * plDot(w, plMul(&tree.bodies[i].inertia, w));
        }
        checkNear("kinetic energy", plWorld_Ledger(world).kinetic, kinetic, 1e-12 * kinetic);
        plWorld_Destroy(world);
    }
}

static double potentialAt(const Tree* t, plVec3 g, const double* q)
{
    double sum = 0;
    moveAll(t, q, zeros, zeros);
    for (int i = 0; i < t->count; ++i) {
        const plVec3 c = plMul(&bodies[i].R, t->bodies[i].center);
        // from the base: the constant would only bring round-off
        const plVec3 x = plAdd(plSub(bodies[i].x, t->base.p), c);
        sum -= t->bodies[i].mass * plDot(g, x);
    }
    return sum;
}

// From rest one explicit step of 1 s makes v = M^-1 G.
static void gravityIsTheGradientOfItsPotential(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(7);
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(10, 80), &tree); ++k) {
        const plVec3 g = randomVec(&rng, 9.81);
        plMechanismId id;
        double v[maxN], q[maxQ], e[maxN];
        plWorld* world = worldOf(&tree, g, pl_integratorExplicit, &id);
        checkOk(world, plWorld_SetState(world, id, tree.q, zeros));
        double mass = 0;
        for (int i = 0; i < tree.count; ++i) mass += tree.bodies[i].mass;
        const double weight = mass * plNorm(g);
        checkNear("potential", plWorld_Ledger(world).potential,
                  potentialAt(&tree, g, tree.q) - mass * plDot(g, tree.base.p), 1e-12 * weight);
        checkOk(world, plWorld_Inertia(world, id, M, NULL));
        plWorld_Step(world, 1);
        checkOk(world, plWorld_State(world, id, NULL, v));
        for (int i = 0; i < tree.n; ++i) {
            double slope = 0, force = 0;
            unitVector(e, i);
            for (int s = 0; s < 4; ++s) {
                moveState(&tree, h * stencilAt[s], e, q);
                slope += stencil[s] / h * potentialAt(&tree, g, q);
            }
            for (int j = 0; j < tree.n; ++j) force += M[i * tree.n + j] * v[j];
            worst = fmax(worst, fabs(force + slope) / weight);
        }
        plWorld_Destroy(world);
    }
    print_message("gravity: largest error %.2g of the weight\n", worst);
    checkAtMost("gravity", worst, 1e-10); // round-off of the potential over h, arms of some metres
}

// ---------------------------------------------------------------------------------- responses

enum { rowCount = 5 };

typedef struct {
    plArena fixed, state;
    plMechanism* mechanism;
    plRow rows[rowCount];
    double J[rowCount][maxN]; ///< by unit velocities
    double work[rowCount * maxN];
} Bench;

static Bench bench;

// A x = b by elimination in extended precision; A is destroyed.
static void solveDense(long double* A, int n, long double* b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) p = fabsl(A[i * n + k]) > fabsl(A[p * n + k]) ? i : p;
        for (int j = 0; p != k && j < n; ++j) {
            const long double t = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        const long double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; ++i) {
            const long double l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; ++j) A[i * n + j] -= l * A[k * n + j];
            b[i] -= l * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

// x = A^-1 (sum of rows times p)
static void solveRows(const double* A, int n, const double* p, double* x)
{
    static long double fine[maxSize], b[maxN];
    for (int i = 0; i < n * n; ++i) fine[i] = (long double)A[i];
    for (int i = 0; i < n; ++i) {
        b[i] = 0;
        for (int r = 0; r < rowCount; ++r) b[i] += (long double)bench.J[r][i] * (long double)p[r];
    }
    solveDense(fine, n, b);
    for (int i = 0; i < n; ++i) x[i] = (double)b[i];
}

static double rowOf(const plRow* row)
{
    const plSite sites[2] = {row->a, row->b};
    double u = 0;
    for (int k = 0; k < 2; ++k) {
        if (sites[k].mechanism.index1 != 1) continue;
        const Body* b = &bodies[sites[k].part];
        u += (k == 0 ? 1 : -1) *
             (plDot(row->lin, pointVelocity(b, sites[k].point)) + plDot(row->ang, b->w));
    }
    return u;
}

// Rows from anywhere to the ground, from the ground, and between two parts; joints have springs and
// dampers where they have no quaternion.
static void setUpBench(plRng* rng, Tree* t, plIntegrator integrator, plCoefficients coefficients)
{
    const plAllocator allocator = plDefaultAllocator();
    plChainDef def = plDefaultChainDef();
    const char* why = NULL;
    for (int i = 0; i < t->count; ++i) {
        const plJoint joint = t->bodies[i].joint;
        const bool ball = plJoint_Positions(joint) > plJoint_Velocities(joint);
        t->bodies[i].stiffness = ball ? 0 : plRng_Uniform(rng, 0, 100);
        t->bodies[i].damping = plRng_Uniform(rng, 0, 1);
    }
    def.name = "tree";
    def.integrator = integrator;
    def.coefficients = coefficients;
    def.base = t->base;
    def.bodies = t->bodies;
    def.bodyCount = t->count;
    checkOk(NULL, plArena_Create(&bench.fixed, 8u << 20, &allocator));
    checkOk(NULL, plArena_Create(&bench.state, 1u << 20, &allocator));
    checkOk(NULL, plMechanism_CreateChain(&def, 0, plVec(0, 0, -9.81), &bench.fixed, &bench.state,
                                          &bench.mechanism, &why));
    const plMechanismId id = {1, 1}, ground = {0, 0};
    for (int r = 0; r < rowCount; ++r) {
        const int a = (int)(plRng_Next(rng) % (uint64_t)t->count);
        const int b = (int)(plRng_Next(rng) % (uint64_t)t->count);
        plRow* row = &bench.rows[r];
        *row = (plRow){.a = {id, a, randomVec(rng, 0.5)}, .b = {id, b, randomVec(rng, 0.5)}};
        if (r % 3 == 1) row->a.mechanism = ground, row->a.part = 0;
        if (r % 3 == 2) row->b.mechanism = ground, row->b.part = 0;
        if (r % 5 != 3) row->lin = randomVec(rng, 1);
        if (r % 5 > 1) row->ang = randomVec(rng, 1);
        for (int i = 0; i < t->n; ++i) {
            double e[maxN];
            unitVector(e, i);
            moveAll(t, t->q, e, zeros);
            bench.J[r][i] = rowOf(row);
        }
    }
}

static void tearDownBench(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&bench.fixed, &allocator);
    plArena_Destroy(&bench.state, &allocator);
}

static double dense(const double* x, int r, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += bench.J[r][i] * x[i];
    return sum;
}

static double worstResponse(plResponse response, const double* A, int n)
{
    double W[rowCount * rowCount] = {0}, x[maxN], error[rowCount * rowCount], worst = 0;
    plMechanism_Delassus(bench.mechanism, response, bench.rows, rowCount, W, rowCount, bench.work);
    for (int c = 0; c < rowCount; ++c) {
        double p[rowCount] = {0};
        p[c] = 1;
        solveRows(A, n, p, x);
        for (int r = 0; r < rowCount; ++r) {
            error[r * rowCount + c] = fabs(W[r * rowCount + c] - dense(x, r, n));
        }
    }
    for (int i = 0; i < rowCount * rowCount; ++i) {
        const double Wr = W[i / rowCount * (rowCount + 1)], Wc = W[i % rowCount * (rowCount + 1)];
        if (error[i] > 0) worst = fmax(worst, error[i] / sqrt(Wr * Wc));
    }
    return worst;
}

static double joints(const Tree* t, int velocity, bool stiffness)
{
    for (int i = 0, v0 = 0; i < t->count; ++i) {
        v0 += plJoint_Velocities(t->bodies[i].joint);
        if (velocity < v0) return stiffness ? t->bodies[i].stiffness : t->bodies[i].damping;
    }
    return 0;
}

// Round-off times the condition of M, in which a body of 0.1 kg may carry forty others on arms of
// some metres.
static const double roundOff = 1e-11;

static void rowsAnswerAsDenseAlgebraSays(void** state)
{
    (void)state;
    static const plIntegrator integrators[] = {pl_integratorExplicit, pl_integratorSemiImplicit,
                                               pl_integratorImplicit};
    plRng rng = plRng_Seed(8);
    const double T = 0.01;
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(9, 60), &tree); ++k) {
        const plIntegrator integrator = integrators[k % 3];
        const int n = tree.n;
        setUpBench(&rng, &tree, integrator, pl_coefficientsPredicted);
        plMechanism_Begin(bench.mechanism, (plPass){.T = T, .at = pl_lineariseStart});
        massByNewton(&tree, M);
        plMechanism_Inertia(bench.mechanism, NULL, C);
        worst = fmax(worst, worstResponse(pl_responseMass, M, n));
        worst = fmax(worst, worstResponse(pl_responseShift, M, n));
        for (int i = 0; i < n * n; ++i) {
            const bool on = i % n == i / n;
            const double B = on ? joints(&tree, i / n, false) : 0;
            const double K = on ? joints(&tree, i / n, true) : 0;
            other[i] = M[i];
            if (integrator == pl_integratorSemiImplicit) other[i] += T * B;
            if (integrator == pl_integratorImplicit) other[i] += T * (C[i] + B) + T * T * K;
        }
        worst = fmax(worst, worstResponse(pl_responseStep, other, n));
        tearDownBench();
    }
    print_message("responses: largest error %.2g\n", worst);
    checkAtMost("response", worst, roundOff);
}

// u_end = u_free + W p for every integrator: to round-off where the step is linear, to the third
// order of p (by both signs of p) for the symplectic one.
static void impulsesOfAStepActByTheResponse(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(9);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        const plIntegrator integrator = (plIntegrator)(k % pl_integratorCount);
        const plLinearise at = k % 2 ? pl_lineariseStart : pl_linearisePrediction;
        const bool linear = integrator != pl_integratorSymplectic;
        double W[rowCount * rowCount] = {0}, p[rowCount], minus[rowCount], u[rowCount];
        setUpBench(&rng, &tree, integrator, pl_coefficientsPredicted);
        for (int r = 0; r < rowCount; ++r) {
            p[r] = (linear ? 1 : 1e-4) * plRng_Normal(&rng);
            minus[r] = -p[r];
        }
        assert_true(plMechanism_Begin(bench.mechanism, (plPass){.T = 1e-3, .at = at}));
        plMechanism_Delassus(bench.mechanism, pl_responseStep, bench.rows, rowCount, W, rowCount,
                             bench.work);
        assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, minus));
        for (int r = 0; r < rowCount; ++r) {
            u[r] = plMechanism_RowVelocity(bench.mechanism, pl_atEnd, &bench.rows[r]);
        }
        assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, p));
        for (int r = 0; r < rowCount; ++r) {
            const double end = plMechanism_RowVelocity(bench.mechanism, pl_atEnd, &bench.rows[r]);
            double Wp = 0, size = 0;
            for (int c = 0; c < rowCount; ++c) {
                Wp += W[r * rowCount + c] * p[c];
                size += fabs(W[r * rowCount + c] * p[c]);
            }
            // velocities of up to 1e2 m/s carry round-off; p^2 of the curvature is left at 1e-4
            checkNear("change of a row", 0.5 * (end - u[r]), Wp,
                      (linear ? roundOff : 1e-6) * size + 1e-13 * (fabs(end) + 10));
        }
        tearDownBench();
    }
}

// v+ = v + M^-1 J^T p at the start, and the work is the change of kinetic energy.
static void strikesChangeVelocitiesByMassAndDoTheirWork(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(10);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        const plIntegrator integrator = (plIntegrator)(k % pl_integratorCount);
        const int n = tree.n;
        double before[rowCount], p[rowCount], x[maxN], work = 0, size = 0;
        plEnergy still, struck;
        setUpBench(&rng, &tree, integrator, pl_coefficientsFrozen);
        massByNewton(&tree, M);
        const plPass pass = {.T = 1e-4, .at = pl_lineariseStart};
        plMechanism_Begin(bench.mechanism, pass);
        plMechanism_Advance(bench.mechanism, bench.rows, 0, p);
        plMechanism_Audit(bench.mechanism, &still);
        plMechanism_Begin(bench.mechanism, pass);
        for (int r = 0; r < rowCount; ++r) {
            p[r] = plRng_Normal(&rng);
            before[r] = plMechanism_RowVelocity(bench.mechanism, pl_atStart, &bench.rows[r]);
        }
        solveRows(M, n, p, x);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                work += x[i] * M[i * n + j] * (tree.v[j] + 0.5 * x[j]);
                size += fabs(x[i] * M[i * n + j] * x[j]);
            }
        }
        plMechanism_Strike(bench.mechanism, bench.rows, rowCount, p);
        for (int r = 0; r < rowCount; ++r) {
            const double jump = dense(x, r, n);
            const double after =
                plMechanism_RowVelocity(bench.mechanism, pl_atStart, &bench.rows[r]);
            checkNear("jump of a row", after - before[r], jump,
                      roundOff * (fabs(jump) + fabs(after) + fabs(before[r])));
        }
        plMechanism_Advance(bench.mechanism, bench.rows, 0, p);
        plMechanism_Audit(bench.mechanism, &struck);
        checkNear("work of rows without a strike", still.rows, 0, 0);
        checkNear("work of a strike", struck.rows, work, roundOff * (size + still.kinetic0));
        tearDownBench();
    }
}

// ------------------------------------------------------------------------------ whole motions

static void quaternionsStayUnitOnLongWanderings(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(11);
    tree = (Tree){.base = randomPose(&rng)};
    addRandomBody(&rng, &tree, pl_jointFree);
    addRandomBody(&rng, &tree, pl_jointSpherical);
    addRandomBody(&rng, &tree, pl_jointSpherical);
    plMechanismId id;
    plWorld* world = worldOf(&tree, plVec(0, 0, 0), pl_integratorMidpoint, &id);
    double turned = 0, q[maxQ], v[maxN];
    for (int k = 0; k < sized(20000, 1000000); ++k) {
        const double T = plRng_Uniform(&rng, 1e-3, 1e-2);
        plWorld_Step(world, T);
        checkOk(world, plWorld_State(world, id, q, v));
        turned += T * plNorm(plGet3(v + 3));
        for (int at = 3; at < 15; at += 4) {
            const double norm = sqrt(q[at] * q[at] + q[at + 1] * q[at + 1] + q[at + 2] * q[at + 2] +
                                     q[at + 3] * q[at + 3]);
            checkNear("norm of a quaternion", norm, 1,
                      1e-15); // the last bits of it and of this norm
        }
    }
    checkAtMost("ten turns against what it turned", 20 * PL_PI, turned); // it did wander
    plWorld_Destroy(world);
}

// Mass, centre and inertia of two bodies as one, about the common centre; b's frame given in a's.
static plChainBodyDef merged(plChainBodyDef a, const plChainBodyDef* b)
{
    const plMat3 R = plRotation(b->frame.q);
    const plVec3 c = plAdd(b->frame.p, plMul(&R, b->center));
    const plMat3 RJ = plMatMul(&R, &b->inertia), J = plMatMulT(&RJ, &R);
    const double mass = a.mass + b->mass;
    const plVec3 center = plScale(1 / mass, plAdd(plScale(a.mass, a.center), plScale(b->mass, c)));
    const plVec3 centers[2] = {a.center, c};
    const double masses[2] = {a.mass, b->mass};
    a.inertia = plMatAdd(&a.inertia, 1, &J);
    for (int i = 0; i < 2; ++i) {
        const plMat3 S = plSkew(plSub(centers[i], center)), SS = plMatMul(&S, &S);
        a.inertia = plMatAdd(&a.inertia, -masses[i], &SS);
    }
    a.inertia.x.y = a.inertia.y.x;
    a.inertia.x.z = a.inertia.z.x;
    a.inertia.y.z = a.inertia.z.y;
    a.mass = mass;
    a.center = center;
    return a;
}

static void bodiesOnFixedJointsAreOneBody(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(12);
    for (int k = 0; k < sized(10, 100); ++k) {
        static Tree one;
        plMechanismId id, oneId;
        double q[maxQ], v[maxN], qOne[maxQ], vOne[maxN];
        tree = (Tree){.base = randomPose(&rng)};
        addRandomBody(&rng, &tree, pl_jointSpherical);
        one = tree;
        for (int i = 1; i < 4; ++i) {
            addRandomBody(&rng, &tree, pl_jointFixed);
            tree.bodies[i].parent = 0;
            one.bodies[0] = merged(one.bodies[0], &tree.bodies[i]);
        }
        one.bodies[0].name = "one";
        plWorld* world = worldOf(&tree, plVec(1, 2, -9), pl_integratorMidpoint, &id);
        plWorld* oneWorld = worldOf(&one, plVec(1, 2, -9), pl_integratorMidpoint, &oneId);
        checkOk(world, plWorld_Inertia(world, id, M, C));
        checkOk(oneWorld, plWorld_Inertia(oneWorld, oneId, other, NULL));
        checkAtMost("mass of the merged body", worstEntry(M, other, 3), 1e-13);
        for (int s = 0; s < 200; ++s) plWorld_Step(world, 1e-3), plWorld_Step(oneWorld, 1e-3);
        checkOk(world, plWorld_State(world, id, q, v));
        checkOk(oneWorld, plWorld_State(oneWorld, oneId, qOne, vOne));
        // round-off of 200 steps, and what the motion makes of it in 0.2 s
        for (int i = 0; i < 4; ++i) checkNear("position", q[i], qOne[i], 1e-11);
        for (int i = 0; i < 3; ++i) checkNear("velocity", v[i], vOne[i], 1e-10);
        plWorld_Destroy(world);
        plWorld_Destroy(oneWorld);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placesAndVelocitiesFollowTheJoints),
        cmocka_unit_test(velocityIsTheRateOfThePlace),
        cmocka_unit_test(massIsTheSumOverBodies),
        cmocka_unit_test(coriolisForceIsNewtonsAndEulers),
        cmocka_unit_test(massChangesByCoriolisAndItsTranspose),
        cmocka_unit_test(kineticEnergyIsTheSumOverBodies),
        cmocka_unit_test(gravityIsTheGradientOfItsPotential),
        cmocka_unit_test(rowsAnswerAsDenseAlgebraSays),
        cmocka_unit_test(impulsesOfAStepActByTheResponse),
        cmocka_unit_test(strikesChangeVelocitiesByMassAndDoTheirWork),
        cmocka_unit_test(quaternionsStayUnitOnLongWanderings),
        cmocka_unit_test(bodiesOnFixedJointsAreOneBody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
