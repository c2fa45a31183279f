// Any tree with beams: its matrices against mechanics by points and differences.
#include "math/math.h"
#include "worlds.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};

enum { stations = 16, bodiesMax = 5 + stations, maxN = 24 };

// Nodes and weights of Gauss on [0, 1], by Newton on Legendre's polynomial.
static void gauss(double* x, double* w)
{
    for (int i = 0; i < stations; ++i) {
        double z = cos(PL_PI * (i + 0.75) / (stations + 0.5)), slope = 1;
        for (int k = 0; k < 20; ++k) {
            double p = 1, before = 0;
            for (int j = 1; j <= stations; ++j) {
                const double next = ((2 * j - 1) * z * p - (j - 1) * before) / j;
                before = p;
                p = next;
            }
            slope = stations * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        x[i] = 0.5 * (1 + z);
        w[i] = 1 / ((1 - z * z) * slope * slope);
    }
}

typedef struct {
    plChainBodyDef bodies[bodiesMax];
    double start[2][8], x[stations], w[stations];
    int n;
} Tangle;

// A base on some joint with a beam that bends both ways; on it a hinged body with a beam of its own,
// and a hinged tail on that one; massless stations all along the first beam.
static void makeTangle(plRng* rng, plJoint joint, Tangle* t)
{
    static const char* names[3] = {"root", "branch", "tail"};
    const double along[3] = {0, 0.6, 0.25};
    *t = (Tangle){.n = plJoint_Velocities(joint) + 5 + 1 + 2 + 1};
    for (int i = 0; i < 3; ++i) {
        plChainBodyDef b = plDefaultChainBodyDef();
        b.name = names[i];
        b.parent = i - 1;
        b.joint = i == 0 ? joint : pl_jointRevolute;
        b.axis = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
        b.frame.p = plVec(along[i], 0.1, -0.05);
        b.frame.q = plQuatUnit((plQuat){1, 0.3 * i, 0.1, -0.2});
        b.mass = plRng_Uniform(rng, 0.5, 1);
        b.center = plVec(0.1, -0.05, 0.02);
        b.inertia = diagonal(0.02, 0.03, 0.035);
        if (i < 2) {
            for (int k = 0; k < 8; ++k) t->start[i][k] = 0.03 * plRng_Normal(rng);
            b.beam = (plBeamDef){.length = 0.8 - 0.4 * i,
                                 .mass = 0.7,
                                 .bending = {5, 8},
                                 .modes = {3 - 2 * i, 2 - i},
                                 .position = t->start[i]};
        }
        t->bodies[i] = b;
    }
    gauss(t->x, t->w);
    for (int i = 0; i < stations; ++i) {
        plChainBodyDef b = plDefaultChainBodyDef();
        b.name = partName(i);
        b.parent = 0;
        b.joint = pl_jointFixed;
        b.frame.p.x = t->x[i] * t->bodies[0].beam.length;
        t->bodies[3 + i] = b;
    }
}

static plMechanismId addTangle(plWorld* world, const Tangle* t, plIntegrator integrator)
{
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    def.name = "tangle";
    def.bodies = t->bodies;
    def.bodyCount = 3 + stations;
    def.integrator = integrator;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    assert_int_equal(plWorld_VelocityCount(world, id), t->n);
    return id;
}

// Differences of the fourth order: sections turn by 20 rad/m of a third mode, which makes their error
// h^4/30 20^5 = 2e-10, beside the round-off over h.
static const double h = 2e-4;
static const double stencilAt[4] = {-2, -1, 1, 2};
static const double stencil[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

static const plJoint vectorJoints[] = {pl_jointFixed, pl_jointRevolute, pl_jointPrismatic,
                                       pl_jointPlanar};

static void randomState(plRng* rng, int n, double* q, double* v)
{
    for (int i = 0; i < n; ++i) {
        q[i] = 0.1 * plRng_Normal(rng);
        v[i] = plRng_Normal(rng) / n;
    }
}

static void bodiesOnBeamsMoveAsTheyAreSaidTo(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    double most = 0;
    for (int run = 0; run < sized(8, 60); ++run) {
        Tangle t;
        makeTangle(&rng, vectorJoints[run % PL_COUNT(vectorJoints)], &t);
        plWorld* world = makeWorld(none, 1);
        const plMechanismId id = addTangle(world, &t, pl_integratorMidpoint);
        double q[maxN], v[maxN];
        randomState(&rng, t.n, q, v);
        for (int part = 0; part < 3 + stations; ++part) {
            const plSite site = {id, part, plVec(0.1, 0.2, -0.1)};
            plMotion now, moved;
            plVec3 rate = {0, 0, 0};
            plMat3 Rdot = plDiagonal3(0, 0, 0);
            checkOk(world, plWorld_SetState(world, id, q, v));
            checkOk(world, plWorld_Motion(world, site, &now));
            for (int s = 0; s < 4; ++s) {
                double there[maxN];
                for (int i = 0; i < t.n; ++i) there[i] = q[i] + h * stencilAt[s] * v[i];
                checkOk(world, plWorld_SetState(world, id, there, v));
                checkOk(world, plWorld_Motion(world, site, &moved));
                rate = plAddScaled(rate, stencil[s] / h, moved.x);
                Rdot = plMatAdd(&Rdot, stencil[s] / h, &moved.R);
            }
            const plMat3 S = plMatMulT(&Rdot, &now.R);
            most = fmax(most, plNorm(plSub(rate, now.v)));
            most = fmax(most, plNorm(plSub(plVec(S.z.y, S.x.z, S.y.x), now.w)));
        }
        plWorld_Destroy(world);
    }
    print_message("rate of the place - velocity: %.2g\n", most);
    checkAtMost("rate of the place - velocity", most,
                1e-10); // error of the differences
}

// Mass without the first beam's own, plus that of points on its stations; the section's mass is on
// the axis, and so are the stations.
static void massIsThatOfItsPoints(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(2);
    double most = 0;
    for (int run = 0; run < sized(8, 60); ++run) {
        Tangle t, light;
        makeTangle(&rng, vectorJoints[run % PL_COUNT(vectorJoints)], &t);
        light = t;
        for (int i = 0; i < 2; ++i) light.bodies[i].beam.position = light.start[i];
        for (int i = 0; i < stations; ++i)
            light.bodies[3 + i].mass = t.w[i] * t.bodies[0].beam.mass;
        light.bodies[0].beam.mass *= 1e-3;
        plWorld *world = makeWorld(none, 1), *points = makeWorld(none, 1);
        const plMechanismId id = addTangle(world, &t, pl_integratorMidpoint);
        const plMechanismId other = addTangle(points, &light, pl_integratorMidpoint);
        double q[maxN], v[maxN], M[maxN * maxN], N[maxN * maxN], C[maxN * maxN], D[maxN * maxN];
        randomState(&rng, t.n, q, v);
        checkOk(world, plWorld_SetState(world, id, q, v));
        checkOk(points, plWorld_SetState(points, other, q, v));
        checkOk(world, plWorld_Inertia(world, id, M, C));
        checkOk(points, plWorld_Inertia(points, other, N, D));
        // N has 1.001 of the first beam; without any of it both would agree
        light.bodies[0].beam.mass *= 2;
        plWorld* twice = makeWorld(none, 1);
        const plMechanismId third = addTangle(twice, &light, pl_integratorMidpoint);
        double N2[maxN * maxN], D2[maxN * maxN], Cv = 0, Dv = 0;
        checkOk(twice, plWorld_SetState(twice, third, q, v));
        checkOk(twice, plWorld_Inertia(twice, third, N2, D2));
        for (int i = 0; i < t.n; ++i) {
            Cv = Dv = 0;
            for (int j = 0; j < t.n; ++j) {
                const int k = i * t.n + j;
                most = fmax(most, fabs(M[k] - (2 * N[k] - N2[k])));
                Cv += C[k] * v[j];
                Dv += (2 * D[k] - D2[k]) * v[j];
            }
            most = fmax(most, fabs(Cv - Dv));
        }
        plWorld_Destroy(world);
        plWorld_Destroy(points);
        plWorld_Destroy(twice);
    }
    print_message("M and C v against points: %.2g\n", most);
    checkAtMost("M and C v against points", most, 1e-12); // round-off of the quadrature's weights
}

static void massAt(plWorld* world, plMechanismId id, const double* q, const double* v, double* M)
{
    checkOk(world, plWorld_SetState(world, id, q, v));
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
}

// Mdot = C + C^T, and C v = Mdot v - grad(v.M v)/2.
static void coriolisIsThatOfTheMass(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(3);
    double rateError = 0, forceError = 0;
    for (int run = 0; run < sized(8, 60); ++run) {
        Tangle t;
        makeTangle(&rng, vectorJoints[run % PL_COUNT(vectorJoints)], &t);
        plWorld* world = makeWorld(none, 1);
        const plMechanismId id = addTangle(world, &t, pl_integratorMidpoint);
        const int n = t.n;
        double q[maxN], v[maxN], there[maxN], M[maxN * maxN], C[maxN * maxN];
        double Mdot[maxN * maxN] = {0}, gradient[maxN] = {0};
        randomState(&rng, n, q, v);
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < n; ++i) there[i] = q[i] + h * stencilAt[s] * v[i];
            massAt(world, id, there, v, M);
            for (int i = 0; i < n * n; ++i) Mdot[i] += stencil[s] / h * M[i];
            for (int k = 0; k < n; ++k) {
                memcpy(there, q, sizeof there);
                there[k] += h * stencilAt[s];
                massAt(world, id, there, v, M);
                gradient[k] += stencil[s] / h * 0.5 * plQuadN(v, M, v, n);
            }
        }
        checkOk(world, plWorld_SetState(world, id, q, v));
        checkOk(world, plWorld_Inertia(world, id, NULL, C));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                rateError = fmax(rateError, fabs(Mdot[i * n + j] - C[i * n + j] - C[j * n + i]));
            }
            const double force = plDotN(&Mdot[i * n], v, n) - gradient[i];
            forceError = fmax(forceError, fabs(plDotN(&C[i * n], v, n) - force));
        }
        plWorld_Destroy(world);
    }
    print_message("Mdot - C - C^T: %.2g, C v: %.2g\n", rateError, forceError);
    checkAtMost("Mdot - C - C^T", rateError, 1e-9); // error of the differences
    checkAtMost("C v", forceError, 1e-9);
}

static void tanglesKeepTheirEnergy(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1. / 300, 1. / 30};
    static const plJoint joints[] = {pl_jointRevolute, pl_jointPlanar, pl_jointFree,
                                     pl_jointSpherical};
    plRng rng = plRng_Seed(4);
    double most = 0;
    for (int run = 0; run < PL_COUNT(steps) * PL_COUNT(joints); ++run) {
        Tangle t;
        makeTangle(&rng, joints[run % 4], &t);
        const int quatAt = joints[run % 4] == pl_jointFree        ? 3
                           : joints[run % 4] == pl_jointSpherical ? 0
                                                                  : -1;
        if (quatAt >= 0) t.bodies[0].position[quatAt] = 1;
        for (int k = 0; k < 6; ++k) t.bodies[0].velocity[k] = plRng_Uniform(&rng, -1, 1);
        plWorld* world = makeWorld(none, 1);
        addTangle(world, &t, pl_integratorMidpoint);
        most = fmax(most, worstEnergy(world, sized(500, 20000), steps[run / 4]));
        plWorld_Destroy(world);
    }
    print_message("|E/E0 - 1| of tangles: %.2g\n", most);
    checkAtMost("|E/E0 - 1| of tangles", most, 1e-11); // the bar of chains
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesOnBeamsMoveAsTheyAreSaidTo),
        cmocka_unit_test(massIsThatOfItsPoints),
        cmocka_unit_test(coriolisIsThatOfTheMass),
        cmocka_unit_test(tanglesKeepTheirEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
