// Tendons of chains: the finger of spec-pmi section 8 and its bars.
#include "math/math.h"
#include "worlds.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};

enum { tendons = 6, n = 3 };

static const double lengths[n] = {0.05, 0.03, 0.02};
static const double pulleys[tendons][n] = {{.010, .008, .006}, {.010, 0, 0}, {.006, 0, 0},
                                           {0, .006, 0},       {0, 0, .005}, {0, .006, -.006}};
static const double closed[2] = {-2.16146, -.89094}; // theta at z = 1

static double stiffnessOf(int i) { return i < 2 ? 100 : 10; }

typedef struct {
    double angle[2], command[2], speed[2];
    plIntegrator integrator;
    double damping;
} Motors;

static plMechanismId addFinger(plWorld* world, Motors motors)
{
    static const char* names[n] = {"proximal", "middle", "distal"};
    plChainBodyDef bodies[n];
    plTendonDef defs[tendons];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < n; ++i) {
        bodies[i] = rod(names[i], i - 1, lengths[i], 1e-3);
        if (i > 0) bodies[i].frame.p.x = lengths[i - 1];
        bodies[i].damping = motors.damping;
    }
    for (int i = 0; i < tendons; ++i) {
        defs[i] = plDefaultTendonDef();
        defs[i].J = pulleys[i];
        defs[i].stiffness = stiffnessOf(i);
        if (i >= 2) continue;
        defs[i].radius = 0.01;
        defs[i].angle = motors.angle[i];
        defs[i].command = motors.command[i];
        if (motors.speed[i] > 0) defs[i].speed = motors.speed[i];
    }
    def.name = "finger";
    def.integrator = motors.integrator;
    def.bodies = bodies;
    def.bodyCount = n;
    def.tendons = defs;
    def.tendonCount = tendons;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

// From 0 to the closed angles in 1 s, as z goes from 0 to 1.
static Motors closing(void)
{
    return (Motors){.command = {closed[0], closed[1]},
                    .speed = {fabs(closed[0]), fabs(closed[1])},
                    .damping = 5e-5};
}

// det(A - x B), 3 x 3
static double determinant(const double* A, double x, const double* B)
{
    double d[9];
    for (int i = 0; i < 9; ++i) d[i] = A[i] - x * B[i];
    return d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
           d[2] * (d[3] * d[7] - d[4] * d[6]);
}

static double energyAt(plWorld* world, plMechanismId id, const double* q)
{
    const double still[n] = {0};
    checkOk(world, plWorld_SetState(world, id, q, still));
    return energyOf(world);
}

// K from the energies of unit deflections; a root lies where the determinant changes its sign.
static void stiffnessIsTheOneOfSection8(void** state)
{
    (void)state;
    static const double table[9] = {.02036, .008, .006, .008, .00712, .00444, .006, .00444, .00421};
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double eigen[n] = {9.8956e-4, 4.16681e-3, 2.653364e-2};
    static const double frequencies[n] = {30.54, 115.0, 286.1}, digit[n] = {0.005, 0.05, 0.05};
    const double zero[n] = {0};
    double K[9], M[9];
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addFinger(world, (Motors){0});
    for (int i = 0; i < 9; ++i) {
        double a[n] = {0}, b[n] = {0}, both[n] = {0};
        a[i / n] = b[i % n] = 1;
        both[i / n] += 1;
        both[i % n] += 1;
        K[i] = energyAt(world, id, both) - energyAt(world, id, a) - energyAt(world, id, b);
        checkNear("K", K[i], table[i], 1e-16); // exact but for round-off
    }
    energyAt(world, id, zero);
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
    for (int i = 0; i < n; ++i) {
        const double low = eigen[i] * (1 - 1e-5), high = eigen[i] * (1 + 1e-5); // digits printed
        const double slow = frequencies[i] - digit[i], fast = frequencies[i] + digit[i];
        assert_true(determinant(K, low, one) * determinant(K, high, one) < 0);
        assert_true(determinant(K, slow * slow, M) * determinant(K, fast * fast, M) < 0);
    }
    plWorld_Destroy(world);
}

static void closedFingerComesToItsFreePose(void** state)
{
    (void)state;
    static const double pose[n] = {.89681024, .86761658, .88733514};
    static const double steps[] = {1e-3, 1. / 30};
    for (int run = 0; run < 2; ++run) {
        plWorld* world = makeWorld(none, 1);
        Motors motors = closing();
        motors.damping = 5e-4; // to be at rest soon
        const plMechanismId id = addFinger(world, motors);
        double q[n], v[n];
        for (int k = 0; k < (int)lround(12 / steps[run]); ++k) plWorld_Step(world, steps[run]);
        checkOk(world, plWorld_State(world, id, q, v));
        for (int i = 0; i < n; ++i) checkNear("free pose", q[i], pose[i], 5e-6); // digits of theta
        plWorld_Destroy(world);
    }
}

// E1 - E0 = work of the motors - dissipated; nothing else. Motors that go to and fro at any step.
static void motorsAreBookedAsApplied(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1. / 30};
    for (int run = 0; run < 2 * pl_integratorCount; ++run) {
        const plIntegrator integrator = (plIntegrator)(run / 2);
        const double T =
            integrator == pl_integratorMidpoint ? steps[run % 2] : 1e-4 * (1 + run % 2);
        plWorld* world = makeWorld(none, 1);
        Motors motors = closing();
        motors.integrator = integrator;
        addFinger(world, motors);
        double before = energyOf(world), worst = 0, scale = 0;
        plAccount last = plWorld_Ledger(world);
        for (int k = 0; k < (int)lround(2 / T); ++k) {
            plWorld_Step(world, T);
            const plAccount a = plWorld_Ledger(world);
            const double E = a.kinetic + a.potential;
            const double supply = a.applied - last.applied - (a.dissipated - last.dissipated) +
                                  (a.integrator - last.integrator);
            worst = fmax(worst, fabs(E - before - supply));
            scale = fmax(scale, E);
            if (integrator == pl_integratorMidpoint) {
                checkAtMost("integrator, leak", fabs(a.integrator) + fabs(a.leak), 0);
            }
            before = E;
            last = a;
        }
        print_message("%s, T %.4g: balance of a step %.2g J of %.2g J\n",
                      plIntegrator_Name((int)integrator), T, worst, scale);
        checkAtMost("balance of a step", worst, 1e-15); // the bar
        assert_true(last.applied > 0);
        plWorld_Destroy(world);
    }
}

// ----------------------------------------------------------------------- closing on a circle

static plWorld* makeGrip(double friction, plMechanismId* finger)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    plShapeId shape;
    def.gravity = none;
    def.planar = true;
    def.contact.law = pl_lawLcp;
    def.contact.bias = pl_biasOneSided;
    def.contact.surface.friction = friction;
    def.contact.driftRate = 0; // as in section 8: the depth of the first touch stays
    checkOk(NULL, plWorld_Create(&def, &world));
    *finger = addFinger(world, closing());
    for (int i = 0; i < n; ++i) {
        plPartShapeDef link = plDefaultPartShapeDef(pl_shapeCapsule);
        link.mechanism = *finger;
        link.part = i;
        link.shape.radius = 0.004;
        link.shape.length = lengths[i];
        link.shape.frame.p.x = lengths[i] / 2;
        checkOk(world, plWorld_AddShape(world, &link, &shape));
    }
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    ball.shape.radius = 0.0315;
    ball.shape.frame.p = plVec(.00885, .0491, 0);
    checkOk(world, plWorld_AddShape(world, &ball, &shape));
    checkOk(world, plWorld_Ignore(world, (plSite){*finger, 0, none}, (plSite){*finger, 2, none}));
    return world;
}

typedef struct {
    double q[n], v[n], force[n], depth, excess;
} Grip;

static Grip closeOn(double friction, double T, double seconds)
{
    plMechanismId finger;
    plWorld* world = makeGrip(friction, &finger);
    Grip g = {.excess = -INFINITY};
    plAccount last = plWorld_Ledger(world);
    for (int k = 0; k < (int)lround(seconds / T); ++k) {
        plWorld_Step(world, T);
        const plAccount a = plWorld_Ledger(world);
        const double change = a.kinetic + a.potential - last.kinetic - last.potential;
        // what the contacts took is dissipated, and never negative
        g.excess =
            fmax(g.excess, change - (a.applied - last.applied) + a.dissipated - last.dissipated);
        assert_true(a.dissipated >= last.dissipated - 1e-15);
        last = a;
    }
    checkOk(world, plWorld_State(world, finger, g.q, g.v));
    for (int i = 0; i < plWorld_ContactCount(world); ++i) {
        plContactInfo info;
        checkOk(world, plWorld_Contact(world, i, &info));
        const bool isA = info.a.mechanism.index1 == finger.index1;
        g.force[(isA ? info.a : info.b).part] += fabs(plDot(info.force, info.normal));
        g.depth = fmax(g.depth, -info.gap);
    }
    plWorld_Destroy(world);
    return g;
}

static void report(const char* what, const Grip* g)
{
    print_message(
        "%s: q %.6f %.6f %.6f, force %.5f %.5f %.5f N, depth %.2g m, |v| %.2g, excess %.2g J\n",
        what, g->q[0], g->q[1], g->q[2], g->force[0], g->force[1], g->force[2], g->depth,
        fabs(g->v[0]) + fabs(g->v[1]) + fabs(g->v[2]), g->excess);
}

static void fingerClosesOnACircle(void** state)
{
    (void)state;
    static const double still[n] = {.60076745, .56330035, 1.25035456};
    static const double force[n] = {.0956411, 0, .0824117};
    const Grip g = closeOn(0, 1e-3, 4);
    report("mu 0, 1 kHz", &g);
    checkAtMost("supply beyond what came in", g.excess, 1e-15); // the bar
    for (int i = 0; i < n; ++i) {
        checkNear("q against the static solution", g.q[i], still[i], 3e-3); // the bar
        checkNear("force against the static solution", g.force[i], force[i],
                  0.02 * force[i]); // the bar
    }
}

static void fingerStaysStableAt30Hz(void** state)
{
    (void)state;
    static const double still[n] = {.60076745, .56330035, 1.25035456};
    const Grip g = closeOn(0, 1. / 30, 8);
    report("mu 0, 30 Hz", &g);
    checkAtMost("supply beyond what came in", g.excess, 1e-15);        // the bar
    for (int i = 0; i < n; ++i) checkNear("q", g.q[i], still[i], 0.1); // the spec's
}

static void frictionHoldsTheFingerElsewhere(void** state)
{
    (void)state;
    static const double table[n] = {.601921, .761016, .881857};
    const Grip g = closeOn(0.5, 1e-3, 4);
    report("mu 0.5, 1 kHz", &g);
    checkAtMost("supply beyond what came in", g.excess, 1e-15); // the bar
    for (int i = 0; i < n; ++i) checkNear("q with friction", g.q[i], table[i], 3e-3);
    const Grip slow = closeOn(0.5, 1. / 30, 8);
    report("mu 0.5, 30 Hz", &slow);
    checkAtMost("supply beyond what came in", slow.excess, 1e-15);
}

static void passiveTendonsAreSprings(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addFinger(world, (Motors){0});
    const double q[n] = {0.3, -0.2, 0.5}, v[n] = {1, 2, -3};
    checkOk(world, plWorld_SetState(world, id, q, v));
    const double E0 = energyOf(world);
    double worst = 0;
    for (int k = 0; k < sized(3000, 100000); ++k) {
        plWorld_Step(world, 1. / 30);
        worst = fmax(worst, fabs(energyOf(world) / E0 - 1));
    }
    print_message("finger without motors, T 1/30: |E/E0 - 1| %.2g\n", worst);
    checkAtMost("|E/E0 - 1|", worst, 1e-11); // the bar of chains
    plWorld_Destroy(world);
}

static void motorsAreStateAndIdentity(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 1);
    addFinger(world, closing());
    for (int k = 0; k < 300; ++k) plWorld_Step(world, 1e-3);
    const size_t size = plWorld_SnapshotSize(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    plWorld_Save(world, snapshot);
    for (int k = 0; k < 300; ++k) plWorld_Step(world, 1e-3);
    const uint64_t hash = plWorld_Hash(world);
    checkOk(world, plWorld_Restore(world, snapshot, size));
    for (int k = 0; k < 300; ++k) plWorld_Step(world, 1e-3);
    assert_true(plWorld_Hash(world) == hash);
    plWorld* other = makeWorld(none, 1);
    Motors motors = closing();
    motors.speed[0] *= 2;
    addFinger(other, motors);
    assert_int_equal(plWorld_Restore(other, snapshot, size), pl_statusMismatch);
    free(snapshot);
    plWorld_Destroy(world);
    plWorld_Destroy(other);
}

static void motorsGoWhereTheyAreTold(void** state)
{
    (void)state;
    plWorld* worlds[2];
    plMechanismId ids[2];
    double q[2][n], v[n], angle, pull;
    Motors told = closing(), idle = closing();
    idle.command[0] = idle.command[1] = 0;
    for (int i = 0; i < 2; ++i) {
        worlds[i] = makeWorld(none, 1);
        ids[i] = addFinger(worlds[i], i ? idle : told);
    }
    for (int i = 0; i < 2; ++i)
        checkOk(worlds[1], plWorld_CommandTendon(worlds[1], ids[1], i, closed[i]));
    for (int k = 0; k < 1000; ++k) {
        for (int i = 0; i < 2; ++i) plWorld_Step(worlds[i], 1e-3);
    }
    for (int i = 0; i < 2; ++i) checkOk(worlds[i], plWorld_State(worlds[i], ids[i], q[i], v));
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    checkOk(worlds[1], plWorld_Tendon(worlds[1], ids[1], 0, &angle, &pull));
    checkNear("angle", angle, closed[0], 1e-12);
    // K_a (J_a q + R_a theta)
    checkNear("pull", pull, 100 * (plDotN(pulleys[0], q[1], n) + 0.01 * angle), 1e-12);

    assert_int_equal(plWorld_TendonCount(worlds[1], ids[1]), tendons);
    assert_int_equal(plWorld_CommandTendon(worlds[1], ids[1], tendons, 0), pl_statusNotFound);
    assert_int_equal(plWorld_CommandTendon(worlds[1], ids[1], 0, NAN), pl_statusBadArgument);
    assert_int_equal(plWorld_Tendon(worlds[1], ids[1], -1, &angle, &pull), pl_statusNotFound);
    for (int i = 0; i < 2; ++i) plWorld_Destroy(worlds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffnessIsTheOneOfSection8),
        cmocka_unit_test(closedFingerComesToItsFreePose),
        cmocka_unit_test(motorsAreBookedAsApplied),
        cmocka_unit_test(fingerClosesOnACircle),
        cmocka_unit_test(fingerStaysStableAt30Hz),
        cmocka_unit_test(frictionHoldsTheFingerElsewhere),
        cmocka_unit_test(passiveTendonsAreSprings),
        cmocka_unit_test(motorsAreStateAndIdentity),
        cmocka_unit_test(motorsGoWhereTheyAreTold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
