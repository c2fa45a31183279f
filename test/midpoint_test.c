// The passive midpoint integrator in generalized coordinates against the bars of its specification,
// with the symplectic and semi-implicit ones beside it.
#include "mechanism/kind.h"
#include "worlds.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};

typedef struct {
    double min, max; ///< of E/E0 - 1
} Range;

static double stepSize(plRng* rng, double T)
{
    return T > 0 ? T : plRng_Uniform(rng, 1. / 300, 1. / 30);
}

/// E/E0 - 1 over so many steps; T = 0: random in [1/300, 1/30].
static Range energyRange(plWorld* world, int steps, double T)
{
    plRng rng = plRng_Seed(99);
    const double E0 = energyOf(world);
    Range r = {0, 0};
    for (int k = 0; k < steps; ++k) {
        plWorld_Step(world, stepSize(&rng, T));
        const double e = energyOf(world) / E0 - 1;
        if (!(e >= r.min)) r.min = e; // also when it is not a number
        if (!(e <= r.max)) r.max = e;
    }
    return r;
}

static double worst(Range r) { return fmax(-r.min, r.max); }

// ------------------------------------------------------------- the arm, and its own equations

// Two uniform rods of 1 m and 1 kg: M = [5/3 + cos b, 1/3 + cos b / 2; ., 1/3], springs of 10.
static void armRate(const double* y, double* rate)
{
    const double s = sin(y[1]), c = cos(y[1]), v = y[2], w = y[3];
    const double m11 = 5. / 3 + c, m12 = 1. / 3 + c / 2, m22 = 1. / 3;
    const double f1 = -10 * y[0] + s * (v * w + w * w / 2), f2 = -10 * y[1] - s * v * v / 2;
    const double det = m11 * m22 - m12 * m12;
    rate[0] = v;
    rate[1] = w;
    rate[2] = (m22 * f1 - m12 * f2) / det;
    rate[3] = (m11 * f2 - m12 * f1) / det;
}

// Runge and Kutta's fourth order, 2 s in 40000 steps: error about 1e-12.
static void armReference(double* y)
{
    const int steps = 40000;
    const double h = 2.0 / steps;
    const double start[4] = {1, -0.5, 0, 0};
    memcpy(y, start, sizeof start);
    for (int k = 0; k < steps; ++k) {
        double r[4][4], x[4];
        armRate(y, r[0]);
        for (int stage = 1; stage < 4; ++stage) {
            const double s = stage < 3 ? h / 2 : h;
            for (int i = 0; i < 4; ++i) x[i] = y[i] + s * r[stage - 1][i];
            armRate(x, r[stage]);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6 * (r[0][i] + 2 * r[1][i] + 2 * r[2][i] + r[3][i]);
        }
    }
}

static void armAt2s(plIntegrator integrator, plRoute route, plCoefficients coefficients, double T,
                    double* q)
{
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addArm(world, integrator, route, coefficients);
    const int steps = (int)lround(2 / T);
    for (int k = 0; k < steps; ++k) plWorld_Step(world, T);
    checkOk(world, plWorld_State(world, id, q, NULL));
    plWorld_Destroy(world);
}

static void armReachesTheTabulatedAngles(void** state)
{
    (void)state;
    static const struct {
        plRoute route;
        plCoefficients coefficients;
        double q[2];
    } table[] = {{pl_routeSquareRoot, pl_coefficientsFrozen, {-0.77847218, 0.34259779}},
                 {pl_routeCholesky, pl_coefficientsFrozen, {-0.77848762, 0.34255888}},
                 {pl_routeSquareRoot, pl_coefficientsPredicted, {-0.7817285, 0.34589447}},
                 {pl_routeCholesky, pl_coefficientsPredicted, {-0.78172843, 0.34589507}}};
    for (int i = 0; i < 4; ++i) {
        double q[2];
        armAt2s(pl_integratorMidpoint, table[i].route, table[i].coefficients, 1e-3, q);
        checkNear("q[0] at 2 s", q[0], table[i].q[0], 1e-6); // the bar
        checkNear("q[1] at 2 s", q[1], table[i].q[1], 1e-6);
    }
}

static void referenceIsTheTabulatedOne(void** state)
{
    (void)state;
    double y[4];
    armReference(y);
    checkNear("q[0]", y[0], -0.78177845, 1e-8); // as printed
    checkNear("q[1]", y[1], 0.346043, 1e-8);
    checkNear("v[0]", y[2], -1.12053801, 1e-7);
    checkNear("v[1]", y[3], 6.31418684, 1e-7);
}

static void predictedCoefficientsAreOfOrderTwo(void** state)
{
    (void)state;
    double y[4];
    armReference(y);
    for (int i = 0; i < 2 * pl_routeCount; ++i) {
        const plRoute route = (plRoute)(i / 2);
        const plCoefficients coefficients =
            i % 2 ? pl_coefficientsFrozen : pl_coefficientsPredicted;
        double error[3];
        for (int k = 0; k < 3; ++k) {
            double q[2];
            armAt2s(pl_integratorMidpoint, route, coefficients, 1e-3 / (1 << k), q);
            error[k] = hypot(q[0] - y[0], q[1] - y[1]);
        }
        for (int k = 0; k < 2; ++k) {
            const double order = log2(error[k] / error[k + 1]);
            checkNear("order", order, i % 2 ? 1 : 2, 0.1); // the bar
        }
    }
}

// ------------------------------------------------------------------------------------- energy

static void armKeepsItsEnergyAtAnyStep(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1e-2, 1. / 30, 0, 1};
    for (int i = 0; i < PL_COUNT(steps) * 4; ++i) {
        plWorld* world = makeWorld(none, 1);
        addArm(world, pl_integratorMidpoint, (plRoute)(i / 2 % 2), (plCoefficients)(i % 2));
        const Range r = energyRange(world, sized(10000, 100000), steps[i / 4]);
        checkAtMost("|E/E0 - 1| of the arm", worst(r), 1e-11); // the bar
        plWorld_Destroy(world);
    }
}

static plMechanismId addChain(plWorld* world, const plChainBodyDef* bodies, int count,
                              plRoute route, plCoefficients coefficients)
{
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    def.name = "chain";
    def.route = route;
    def.coefficients = coefficients;
    def.bodies = bodies;
    def.bodyCount = count;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

enum { links = 12 };

static void makeRods(plRng* rng, double mass, double stiffness, int count, plChainBodyDef* bodies)
{
    static const char* names[links] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    for (int i = 0; i < count; ++i) {
        bodies[i] = rod(names[i], i - 1, 0.1, mass * plRng_Uniform(rng, 0.5, 2));
        bodies[i].stiffness = stiffness * plRng_Uniform(rng, 0.5, 2);
        bodies[i].position[0] = plRng_Uniform(rng, -0.5, 0.5);
        bodies[i].velocity[0] = plRng_Uniform(rng, -1, 1);
    }
}

static void lightChainsOfTwelveKeepTheirEnergy(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1e-2, 1. / 30, 0};
    plRng rng = plRng_Seed(20);
    double most = 0;
    for (int i = 0; i < 4 * PL_COUNT(steps); ++i) {
        plChainBodyDef bodies[links];
        plWorld* world = makeWorld(none, 1);
        makeRods(&rng, 1e-3, 1, links, bodies);
        addChain(world, bodies, links, (plRoute)(i % 2), (plCoefficients)(i / 2 % 2));
        most = fmax(most, worst(energyRange(world, sized(1000, 100000), steps[i / 4])));
        plWorld_Destroy(world);
    }
    print_message("chains of 12: |E/E0 - 1| up to %.2g\n", most);
    checkAtMost("|E/E0 - 1| of a chain of 12", most, 1e-11); // the bar
}

// K/M of a joint is about stiffness/(m l^2/3), here up to 1e9 1/s^2.
static void energyIsKeptAtAnyHardness(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1e-2, 1. / 30, 0};
    plRng rng = plRng_Seed(21);
    double most = 0;
    for (int i = 0; i < sized(24, 200); ++i) {
        const int count = 1 + i % links;
        const double mass = pow(10, plRng_Uniform(&rng, -3, 0));
        const double ratio = pow(10, plRng_Uniform(&rng, 0, 9));
        plChainBodyDef bodies[links];
        plWorld* world = makeWorld(none, 1);
        makeRods(&rng, mass, ratio * mass * 0.01 / 3, count, bodies);
        addChain(world, bodies, count, (plRoute)(i / 4 % 2), (plCoefficients)(i / 8 % 2));
        const double e = worst(energyRange(world, sized(1000, 100000), steps[i % 4]));
        if (e > 1e-11) {
            print_error("n %d, mass %g, K/M %g, T %g, route %d, coefficients %d: %.3g\n", count,
                        mass, ratio, steps[i % 4], i / 4 % 2, i / 8 % 2, e);
        }
        most = fmax(most, e);
        plWorld_Destroy(world);
    }
    print_message("any hardness: |E/E0 - 1| up to %.2g\n", most);
    checkAtMost("|E/E0 - 1| at some hardness", most, 1e-11); // the bar
}

// A free base that carries a ball joint and a hinge, spinning; no springs on rotations, whose
// discrete action is not the subject here.
static void makeWanderer(plChainBodyDef* bodies)
{
    static const plJoint joints[4] = {pl_jointFree, pl_jointSpherical, pl_jointRevolute,
                                      pl_jointPlanar};
    static const char* names[4] = {"base", "ball", "hinge", "plate"};
    plRng rng = plRng_Seed(22);
    for (int i = 0; i < 4; ++i) {
        plChainBodyDef b = plDefaultChainBodyDef();
        b.name = names[i];
        b.parent = i < 3 ? i - 1 : 0;
        b.joint = joints[i];
        b.axis = plVec(0.6, 0, 0.8);
        b.frame.p = plVec(0.1, 0.2 * i, -0.1);
        b.frame.q = plQuatUnit((plQuat){1, 0.3 * i, 0.1, -0.2});
        b.mass = 0.5 + 0.2 * i;
        b.center = plVec(0.05, -0.1, 0.02 * i);
        b.inertia = diagonal(0.01, 0.02, 0.025);
        if (joints[i] == pl_jointFree) b.position[3] = b.rest[3] = 1;
        if (joints[i] == pl_jointSpherical) b.position[0] = b.rest[0] = 1;
        for (int k = 0; k < 6; ++k) b.velocity[k] = plRng_Uniform(&rng, -2, 2);
        if (i > 1) b.stiffness = 3;
        bodies[i] = b;
    }
}

static void ballAndFreeJointsKeepTheirEnergy(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1e-2, 1. / 30, 0};
    plChainBodyDef bodies[4];
    makeWanderer(bodies);
    for (int i = 0; i < 4 * PL_COUNT(steps); ++i) {
        plWorld* world = makeWorld(none, 1);
        addChain(world, bodies, 4, (plRoute)(i % 2), (plCoefficients)(i / 2 % 2));
        const double e = worst(energyRange(world, sized(2000, 100000), steps[i / 4]));
        checkAtMost("|E/E0 - 1| of the wanderer", e, 1e-11); // the bar
        plWorld_Destroy(world);
    }
}

enum { wandererPositions = 7 + 4 + 1 + 3 };

static void wandererAt(double T, plRoute route, double* q)
{
    plChainBodyDef bodies[4];
    plWorld* world = makeWorld(none, 1);
    makeWanderer(bodies);
    const plMechanismId id = addChain(world, bodies, 4, route, pl_coefficientsPredicted);
    const int steps = (int)lround(0.5 / T);
    for (int k = 0; k < steps; ++k) plWorld_Step(world, T);
    checkOk(world, plWorld_State(world, id, q, NULL));
    plWorld_Destroy(world);
}

// Differences of runs at T, T/2 and T/4 fall by four.
static void ballAndFreeJointsAreOfOrderTwo(void** state)
{
    (void)state;
    for (int route = 0; route < pl_routeCount; ++route) {
        double q[3][wandererPositions], difference[2] = {0, 0};
        for (int k = 0; k < 3; ++k) wandererAt(2e-3 / (1 << k), (plRoute)route, q[k]);
        for (int i = 0; i < wandererPositions; ++i) {
            difference[0] += pow(q[0][i] - q[1][i], 2);
            difference[1] += pow(q[1][i] - q[2][i], 2);
        }
        checkNear("order", 0.5 * log2(difference[0] / difference[1]), 2, 0.1); // the bar
    }
}

// B need not be symmetric nor K diagonal: E + dissipated stays, and E falls at every step.
static void fullDampingTakesWhatItSays(void** state)
{
    (void)state;
    enum { n = 6 };
    plRng rng = plRng_Seed(23);
    for (int run = 0; run < sized(8, 40); ++run) {
        plChainBodyDef bodies[n];
        double K[n * n] = {0}, B[n * n] = {0}, F[n * n];
        for (int i = 0; i < n * n; ++i) F[i] = plRng_Normal(&rng);
        for (int i = 0; i < n * n; ++i) {
            const int r = i / n, c = i % n;
            K[i] = plDotN(&F[r * n], &F[c * n], n);
            B[i] = 0.01 * K[i] + (r < c ? 0.1 : r > c ? -0.1 : 0);
        }
        makeRods(&rng, 0.1, 1, n, bodies);
        plChainDef def = plDefaultChainDef();
        plMechanismId id;
        def.name = "chain";
        def.route = (plRoute)(run % 2);
        def.bodies = bodies;
        def.bodyCount = n;
        def.K = K;
        def.B = B;
        plWorld* world = makeWorld(none, 1);
        checkOk(world, plWorld_AddChain(world, &def, &id));
        const double E0 = energyOf(world);
        double before = E0;
        for (int k = 0; k < sized(500, 20000); ++k) {
            plWorld_Step(world, pow(10, plRng_Uniform(&rng, -4, -1)));
            const double E = energyOf(world);
            checkAtMost("growth of the energy of a step", E - before, 1e-13 * E0); // its round-off
            before = E;
        }
        const plAccount a = plWorld_Ledger(world);
        // round-off of the sums of all steps, most of which are over when the energy is spent
        checkNear("E + dissipated", before + a.dissipated, E0, 1e-12 * E0);
        checkAtMost("work of the skew part of B", fabs(a.integrator) + fabs(a.leak), 0);
        plWorld_Destroy(world);
    }
}

// ------------------------------------------------------- the skew matrix of the transformation

static void makeRandomChain(plRng* rng, int count, plChainBodyDef* bodies)
{
    static const char* names[] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < count; ++i) {
        plChainBodyDef b = plDefaultChainBodyDef();
        b.name = names[i];
        b.parent = i - 1;
        b.joint = plRng_Uniform(rng, 0, 1) < 0.3 ? pl_jointPrismatic : pl_jointRevolute;
        b.axis = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
        b.frame.p = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
        b.mass = plRng_Uniform(rng, 0.5, 2);
        b.inertia = diagonal(0.1, 0.2, 0.25);
        b.position[0] = plRng_Normal(rng);
        b.velocity[0] = plRng_Uniform(rng, -0.2, 0.2);
        bodies[i] = b;
    }
}

// P at the state, n x n; P^T P = M.
static void factorAt(plMechanism* m, const double* q, const double* v, double* P)
{
    enum { n = 6 };
    plMechanism_SetState(m, q, v);
    for (int j = 0; j < n; ++j) {
        double unit[n] = {0}, column[n];
        unit[j] = 1;
        plMechanism_ApplyP(m, m->Pk, unit, column);
        for (int i = 0; i < n; ++i) P[i * n + j] = column[i];
    }
}

static const double at[4] = {-2, -1, 1, 2}; // differences of the fourth order
static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

// From the definition Q = P^-T C P^-1 - Pdot P^-1 follows P^T Q P = C - P^T Pdot, and the free step
// obeys M dV = -T (C - P^T Pdot)(V0 + dV/2).
static void checkFreeStep(plMechanism* m, const double* v)
{
    enum { n = 6 };
    const double h = 1e-3, T = 0.05;
    double q[n], C[n * n], P[n * n], Pdot[n * n] = {0}, one[n * n], size = 0;
    memcpy(q, plMechanism_Q(m), sizeof q);
    for (int s = 0; s < 4; ++s) {
        double moved[n];
        for (int i = 0; i < n; ++i) moved[i] = q[i] + h * at[s] * v[i];
        factorAt(m, moved, v, one);
        for (int i = 0; i < n * n; ++i) Pdot[i] += weight[s] / h * one[i];
    }
    factorAt(m, q, v, P);
    plMechanism_Inertia(m, NULL, C);
    plMechanism_Begin(m, (plPass){.T = T, .at = pl_lineariseStart});
    for (int i = 0; i < n * n; ++i) size = fmax(size, fabs(C[i]));
    for (int r = 0; r < n; ++r) {
        double left = 0, right = 0;
        for (int c = 0; c < n; ++c) {
            const double mean = 0.5 * (m->V0[c] + m->Vfree[c]);
            double S = C[r * n + c];
            for (int k = 0; k < n; ++k) S -= P[k * n + r] * Pdot[k * n + c];
            left += m->M[r * n + c] * (m->Vfree[c] - m->V0[c]) / T;
            right -= S * mean;
            checkNear("S + S^T", m->S[r * n + c] + m->S[c * n + r], 0, 0);
        }
        checkNear("M dV/T", left, right, 1e-9 * (1 + size)); // h^4/30, and round-off over h
    }
}

static void coriolisOfTheStepIsSkewAndIsWhatTheFactorAsks(void** state)
{
    (void)state;
    enum { n = 6 };
    const plAllocator allocator = plDefaultAllocator();
    plRng rng = plRng_Seed(24);
    for (int run = 0; run < sized(40, 400); ++run) {
        plChainBodyDef bodies[n];
        plChainDef def = plDefaultChainDef();
        plMechanism* m;
        plArena fixed, saved;
        const char* why;
        double v[n];
        makeRandomChain(&rng, n, bodies);
        for (int i = 0; i < n; ++i) v[i] = bodies[i].velocity[0];
        def.name = "chain";
        def.route = (plRoute)(run % 2);
        def.coefficients = pl_coefficientsFrozen;
        def.bodies = bodies;
        def.bodyCount = n;
        checkOk(NULL, plArena_Create(&fixed, 1u << 20, &allocator));
        checkOk(NULL, plArena_Create(&saved, 1u << 16, &allocator));
        checkOk(NULL, plMechanism_CreateChain(&def, 0, none, &fixed, &saved, &m, &why));
        checkFreeStep(m, v);
        plArena_Destroy(&fixed, &allocator);
        plArena_Destroy(&saved, &allocator);
    }
}

// ------------------------------------------------------------------------ the other integrators

static void checkRange(plIntegrator integrator, double T, double time, Range expected,
                       double within)
{
    plWorld* world = makeWorld(none, 1);
    addArm(world, integrator, pl_routeCholesky, pl_coefficientsPredicted);
    const Range r = energyRange(world, (int)lround(time / T), T);
    checkNear("lowest E/E0 - 1", r.min, expected.min, within);
    checkNear("highest E/E0 - 1", r.max, expected.max, within);
    plWorld_Destroy(world);
}

// Tolerances: the last printed digit.
static void symplecticEnergyStaysInItsBand(void** state)
{
    (void)state;
    checkRange(pl_integratorSymplectic, 1e-3, 20, (Range){-2.66e-3, 2.70e-3}, 0.01e-3);
    checkRange(pl_integratorSymplectic, 1e-2, 100, (Range){-0.0255, 0.0285}, 1e-4);
}

static void semiImplicitEnergyWandersAsTabulated(void** state)
{
    (void)state;
    // half a unit of the last digit of the wider end
    checkRange(pl_integratorSemiImplicit, 1e-3, 20, (Range){-0.096, 0.0016}, 5e-4);
}

// One step in the canonical coordinates z = (q, p), p = M(q) v.
static void canonicalStep(plWorld* world, plMechanismId id, double T, const double* z, double* z1)
{
    double M[4], q[2] = {z[0], z[1]}, v[2];
    const double rest[2] = {0, 0};
    checkOk(world, plWorld_SetState(world, id, q, rest));
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
    const double det = M[0] * M[3] - M[1] * M[2];
    v[0] = (M[3] * z[2] - M[1] * z[3]) / det;
    v[1] = (M[0] * z[3] - M[2] * z[2]) / det;
    checkOk(world, plWorld_SetState(world, id, q, v));
    plWorld_Step(world, T);
    checkOk(world, plWorld_State(world, id, z1, v));
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
    z1[2] = M[0] * v[0] + M[1] * v[1];
    z1[3] = M[2] * v[0] + M[3] * v[1];
}

// |A^T J A - J| of the step's derivative A, by differences of the fourth order.
static double symplecticDefect(plIntegrator integrator, plCoefficients coefficients, double T)
{
    const double z[4] = {0.4, -0.9, 1.5, 0.7}, h = 2e-3;
    double A[4][4] = {{0}}, defect = 0;
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addArm(world, integrator, pl_routeCholesky, coefficients);
    for (int j = 0; j < 4; ++j) {
        for (int s = 0; s < 4; ++s) {
            double moved[4] = {z[0], z[1], z[2], z[3]}, z1[4];
            moved[j] += h * at[s];
            canonicalStep(world, id, T, moved, z1);
            for (int i = 0; i < 4; ++i) A[i][j] += weight[s] / h * z1[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            double sum = (j == i + 2) - (i == j + 2);
            for (int k = 0; k < 2; ++k) sum -= A[k][i] * A[k + 2][j] - A[k + 2][i] * A[k][j];
            defect += sum * sum;
        }
    }
    plWorld_Destroy(world);
    return sqrt(defect);
}

static void symplecticStepIsSymplectic(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1e-2, 3e-2};
    static const plIntegrator integrators[] = {pl_integratorSymplectic,
                                               pl_integratorImplicitMidpoint};
    for (int i = 0; i < 2 * PL_COUNT(steps); ++i) {
        const double defect =
            symplecticDefect(integrators[i % 2], pl_coefficientsPredicted, steps[i / 2]);
        checkAtMost("|A^T J A - J|", defect, 1e-10); // h^4/30 of the curvature, round-off over h
    }
}

// H = p.M^-1 p/2 + 10 |q|^2/2, with the arm's own M at q.
static double hamiltonian(plWorld* world, plMechanismId id, const double* z)
{
    const double rest[2] = {0, 0};
    double M[4];
    checkOk(world, plWorld_SetState(world, id, z, rest));
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
    const double det = M[0] * M[3] - M[1] * M[2];
    return 0.5 * (M[3] * z[2] * z[2] - 2 * M[1] * z[2] * z[3] + M[0] * z[3] * z[3]) / det +
           5 * (z[0] * z[0] + z[1] * z[1]);
}

// z1 - z = T (dH/dp, -dH/dq) at the mean of z and z1, the gradient by differences of the fourth order.
static void implicitMidpointSolvesItsEquation(void** state)
{
    (void)state;
    const double z[4] = {0.4, -0.9, 1.5, 0.7}, h = 2e-3, T = 0.03;
    double z1[4], middle[4], gradient[4] = {0};
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id =
        addArm(world, pl_integratorImplicitMidpoint, pl_routeCholesky, pl_coefficientsPredicted);
    canonicalStep(world, id, T, z, z1);
    for (int i = 0; i < 4; ++i) middle[i] = 0.5 * (z[i] + z1[i]);
    for (int j = 0; j < 4; ++j) {
        for (int s = 0; s < 4; ++s) {
            double moved[4] = {middle[0], middle[1], middle[2], middle[3]};
            moved[j] += h * at[s];
            gradient[j] += weight[s] / h * hamiltonian(world, id, moved);
        }
    }
    for (int i = 0; i < 2; ++i) {
        checkNear("q", z1[i] - z[i], T * gradient[2 + i], 1e-10);
        checkNear("p", z1[2 + i] - z[2 + i], -T * gradient[i], 1e-10);
    }
    plWorld_Destroy(world);
}

static void midpointMissesSymplecticityByItsOrder(void** state)
{
    (void)state;
    for (int frozen = 0; frozen < 2; ++frozen) {
        const plCoefficients c = frozen ? pl_coefficientsFrozen : pl_coefficientsPredicted;
        const double coarse = symplecticDefect(pl_integratorMidpoint, c, 0.02);
        const double fine = symplecticDefect(pl_integratorMidpoint, c, 0.01);
        // the next order in T adds some percent between 20 and 10 ms
        checkNear("order of the defect", log2(coarse / fine), frozen ? 2 : 3, 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armReachesTheTabulatedAngles),
        cmocka_unit_test(referenceIsTheTabulatedOne),
        cmocka_unit_test(predictedCoefficientsAreOfOrderTwo),
        cmocka_unit_test(armKeepsItsEnergyAtAnyStep),
        cmocka_unit_test(lightChainsOfTwelveKeepTheirEnergy),
        cmocka_unit_test(energyIsKeptAtAnyHardness),
        cmocka_unit_test(ballAndFreeJointsKeepTheirEnergy),
        cmocka_unit_test(ballAndFreeJointsAreOfOrderTwo),
        cmocka_unit_test(fullDampingTakesWhatItSays),
        cmocka_unit_test(coriolisOfTheStepIsSkewAndIsWhatTheFactorAsks),
        cmocka_unit_test(symplecticEnergyStaysInItsBand),
        cmocka_unit_test(semiImplicitEnergyWandersAsTabulated),
        cmocka_unit_test(symplecticStepIsSymplectic),
        cmocka_unit_test(implicitMidpointSolvesItsEquation),
        cmocka_unit_test(midpointMissesSymplecticityByItsOrder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
