// Chains against mechanics written a second time: every body by itself, Newton and Euler, nothing
// shared with the engine but vectors and quaternions.
#include "trees.h"

static double M[maxSize], C[maxSize], other[maxSize];

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
            // round-off of places over h; h^4/30 of a motion of 1 rad/s is less
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
        // round-off of sums over some tens of bodies, through the mass matrix and through each body
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
        // round-off of sums over some tens of bodies on arms of some metres
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
        // round-off of four inertias moved to one centre
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
        cmocka_unit_test(quaternionsStayUnitOnLongWanderings),
        cmocka_unit_test(bodiesOnFixedJointsAreOneBody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
