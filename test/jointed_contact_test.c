// Jointed assemblies in a world with contacts: they rest, are hit, lose energy only where it is said, and
// go on from a snapshot to the last bit.
#include "counting.h"
#include "jointeds.h"

static const plVec3 down = {0, 0, -9.81};
static const double T = 1e-3;

// A slab of 0.2 x 0.1 x 0.01 m and 0.3 kg with a hinge along y at its end; a ball of 5 mm, moved by a
// hand, under x = 0.15.                                                       (nurbs spec 3.5)
typedef struct {
    plWorld* world;
    plMechanismId lever, finger;
    plVec3 centre; ///< of the ball
} Bench;

static const double radius = 0.005, arm = 0.15, gravityArm = 0.1, mass = 0.3;

static Bench makeBench(plLawName law, plVec3 gravity, double friction, double restitution,
                       double gap)
{
    Bench b = {.centre = plVec(arm, 0, -0.005 - radius - gap)};
    plWorldDef def = plDefaultWorldDef();
    def.gravity = gravity;
    def.contact.law = law;
    def.contact.surface.friction = friction;
    def.contact.surface.restitution = restitution;
    checkOk(NULL, plWorld_Create(&def, &b.world));
    plJointedBodyDef slab = plDefaultJointedBodyDef();
    slab.name = "slab";
    slab.mass = mass;
    slab.inertia = plDiagonal3(mass * (0.01 + 1e-4) / 12, mass * (0.04 + 1e-4) / 12,
                               mass * (0.04 + 0.01) / 12);
    slab.pose.p = plVec(gravityArm, 0, 0);
    const plJointDef hinge =
        jointAt("hinge", pl_constraintRevolute, 0, plVec(-gravityArm, 0, 0), -1, plVec(0, 0, 0));
    b.lever = addJointed(b.world, "lever", &slab, 1, &hinge, 1);
    plPrescribedDef finger = plDefaultPrescribedDef();
    finger.name = "finger";
    finger.pose.p = b.centre;
    checkOk(b.world, plWorld_AddPrescribed(b.world, &finger, &b.finger));
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId shape;
    box.mechanism = b.lever;
    box.shape.half = plVec(0.1, 0.05, 0.005);
    ball.mechanism = b.finger;
    ball.shape.radius = radius;
    checkOk(b.world, plWorld_AddShape(b.world, &box, &shape));
    checkOk(b.world, plWorld_AddShape(b.world, &ball, &shape));
    return b;
}

static void step(Bench* b, plVec3 velocity)
{
    b->centre = plAddScaled(b->centre, T, velocity);
    checkOk(b->world, plWorld_Steer(b->world, b->finger, (plPose){b->centre, {1, 0, 0, 0}}));
    plWorld_Step(b->world, T);
}

static double inertiaAtHinge(void)
{
    return mass * (0.04 + 1e-4) / 12 + mass * gravityArm * gravityArm;
}

static double angleOf(const Bench* b)
{
    double phi[2];
    checkOk(b->world, plWorld_JointPosition(b->world, b->lever, 0, phi));
    return phi[0];
}

static plVec3 contactForce(const plWorld* w)
{
    plVec3 sum = {0};
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        sum = plAdd(sum, plScale(c.a.mechanism.index1 == 1 ? 1 : -1, c.force));
    }
    return sum;
}

// m g l/a on the finger and the rest on the hinge; it does not sink and does not rise.
static void leverRestsOnAFingerUnderBothLaws(void** state)
{
    (void)state;
    const plLawName laws[2] = {pl_lawCone, pl_lawLcp};
    for (int i = 0; i < 2; ++i) {
        Bench b = makeBench(laws[i], down, 0, 0, 1e-4);
        double force[6], low = 0, high = -1, depth = 0;
        for (int k = 0; k < 1500; ++k) {
            step(&b, plVec(0, 0, 0));
            if (k < 500) continue;
            low = fmin(low, -angleOf(&b));
            high = fmax(high, -angleOf(&b));
            depth = fmax(depth, plWorld_Report(b.world).depth);
            checkAtMost("|c|", jointError(b.world, b.lever), 1e-12);
        }
        checkOk(b.world, plWorld_JointForce(b.world, b.lever, 0, force));
        const double load = mass * 9.81 * gravityArm / arm, felt = contactForce(b.world).z;
        const plAccount a = plWorld_Ledger(b.world);
        print_message(
            "%s: finger %.6f N of %.6f, hinge %.6f of %.6f; angle %.3g to %.3g rad, depth "
            "%.2g m, residual %.1g J\n",
            plLawName_Name((int)laws[i]), felt, load, force[2], mass * 9.81 - load, low, high,
            depth, a.worst);
        checkNear("finger", felt, load, 1e-3 * load);
        checkNear("hinge", force[2], mass * 9.81 - load, 2e-3);
        checkAtMost("sways", high - low, 1e-7);
        checkAtMost("depth", depth, 2e-5);
        checkAtMost("residual", a.worst, 1e-15);
        plWorld_Destroy(b.world);
    }
}

// p = (1 + e) v I/a^2 and then w = p a/I, whatever the law; the hinge answers in the same tick.
static void blowIsThatOfTheInertiaAtTheHinge(void** state)
{
    (void)state;
    const plLawName laws[3] = {pl_lawImpulse, pl_lawCone, pl_lawLcp};
    const double v = 0.05, I = inertiaAtHinge();
    for (int i = 0; i < 9; ++i) {
        const double e = i / 3 * 0.5;
        Bench b = makeBench(laws[i % 3], plVec(0, 0, 0), 0, e, 1.23e-4);
        double w = 0, force[6];
        for (int k = 0; k < 20 && w == 0; ++k) {
            step(&b, plVec(0, 0, v));
            w = -stateOf(b.world, b.lever).v[4];
        }
        checkOk(b.world, plWorld_JointForce(b.world, b.lever, 0, force));
        const double expected = (1 + e) * v / arm, p = (1 + e) * v * I / (arm * arm);
        // hinge: m w l of momentum less the blow
        const double hinge = (mass * expected * gravityArm - p) / T;
        print_message("%s e %.1f: w %.6f of %.6f rad/s, hinge %.4f of %.4f N, depth %.2g m\n",
                      plLawName_Name((int)laws[i % 3]), e, w, expected, force[2], hinge,
                      plWorld_Report(b.world).depth);
        checkNear("w", w, expected, 1e-3 * expected); // the blow is 1e-4 m off the centre's height
        checkNear("hinge", force[2], hinge, 5e-3 * fabs(hinge));
        checkAtMost("depth", plWorld_Report(b.world).depth, v * T * (1 + 1e-3));
        checkAtMost("residual", plWorld_Ledger(b.world).worst, 1e-15);
        plWorld_Destroy(b.world);
    }
}

// A finger that goes up and down and to and fro under the lever, as a hand does.
static void movingFingerGainsNothing(void** state)
{
    (void)state;
    const plLawName laws[2] = {pl_lawCone, pl_lawLcp};
    for (int i = 0; i < 2; ++i) {
        Bench b = makeBench(laws[i], down, 0.3, 0.3, 5e-4);
        const plVec3 from = b.centre;
        double depth = 0, most = 0;
        for (int k = 1; k <= 2000; ++k) {
            const double t = k * T;
            const plVec3 to =
                plAdd(from, plVec(0.01 * sin(2 * PL_PI * 0.7 * t), 0.005 * sin(2 * PL_PI * 1.1 * t),
                                  0.01 * sin(2 * PL_PI * 2 * t)));
            step(&b, plScale(1 / T, plSub(to, b.centre)));
            if (k > 300) depth = fmax(depth, plWorld_Report(b.world).depth);
            most = fmax(most, jointError(b.world, b.lever));
            assert_int_equal(plWorld_Report(b.world).trouble, 0);
        }
        const plAccount a = plWorld_Ledger(b.world), c = plWorld_ContactLedger(b.world);
        print_message("%s: depth %.2g m, |c| %.1g, contacts took %.3g J, integrator %.2g, drift "
                      "%.2g, residual %.1g\n",
                      plLawName_Name((int)laws[i]), depth, most, c.dissipated, a.integrator,
                      a.drift, a.worst);
        checkAtMost("|c|", most, 1e-12);
        checkAtMost("-dissipated", -c.dissipated, 0);
        checkAtMost("integrator and drift", fabs(a.integrator) + fabs(a.drift), 2e-3);
        checkAtMost("residual", a.worst, 1e-15);
        plWorld_Destroy(b.world);
    }
}

// A four-bar with springs over a floor that its coupler strikes, and a link to the ground.
static plWorld* makeMixed(plMechanismId* id)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    plShapeId shape;
    plLinkId link;
    def.gravity = down;
    checkOk(NULL, plWorld_Create(&def, &w));
    *id = addFourBar(w, true);
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    floor.shape.frame.p.z = -0.05;
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    ball.mechanism = *id;
    ball.shape.frame.p = plVec(0.05, 0, 0);
    ball.shape.radius = 0.01;
    checkOk(w, plWorld_AddShape(w, &floor, &shape));
    checkOk(w, plWorld_AddShape(w, &ball, &shape));
    plLinkDef spring = plDefaultLinkDef();
    spring.name = "spring";
    spring.a = (plSite){*id, 1, {0, 0, 0}};
    spring.b.point = plVec(0.1, 0, 0.3);
    spring.stiffness = 20;
    checkOk(w, plWorld_AddLink(w, &spring, &link));
    return w;
}

static void snapshotGoesOnToTheLastBit(void** state)
{
    (void)state;
    plMechanismId id, other;
    plWorld *w = makeMixed(&id), *again = makeMixed(&other);
    const size_t size = plWorld_SnapshotSize(w);
    void* snapshot = malloc(size);
    double force[6], same[6], phi[2], psi[2];
    for (int k = 0; k < 400; ++k) plWorld_Step(w, T);
    plWorld_Save(w, snapshot);
    checkOk(again, plWorld_Restore(again, snapshot, size));
    assert_true(plWorld_Hash(w) == plWorld_Hash(again));
    plWorld_JointForce(w, id, 1, force);
    plWorld_JointForce(again, other, 1, same);
    assert_memory_equal(force, same, sizeof force);
    for (int k = 0; k < 400; ++k) {
        plWorld_Step(w, T);
        plWorld_Step(again, T);
        assert_true(plWorld_Hash(w) == plWorld_Hash(again));
    }
    plWorld_JointPosition(w, id, 0, phi);
    plWorld_JointPosition(again, other, 0, psi);
    assert_memory_equal(phi, psi, sizeof phi);
    const plAccount a = plWorld_Ledger(w);
    print_message(
        "hash %016llx; contacts took %.3g J, drift %.2g, integrator %.2g, residual %.1g\n",
        (unsigned long long)plWorld_Hash(w), plWorld_ContactLedger(w).dissipated, a.drift,
        a.integrator, a.worst);
    checkAtMost("residual", a.worst, 1e-14);
    checkAtMost("|c|", jointError(w, id), 1e-12);
    assert_true(plWorld_ContactLedger(w).dissipated > 0);
    free(snapshot);
    plWorld_Destroy(w);
    plWorld_Destroy(again);
}

static void stepAllocatesNothing(void** state)
{
    (void)state;
    plMechanismId id;
    startCounting();
    const long beforeWorld = atomic_load(&takings);
    plWorld* w = makeMixed(&id);
    assert_true(atomic_load(&takings) > beforeWorld); // the count works
    const long before = atomic_load(&takings);
    for (int k = 0; k < 300; ++k) plWorld_Step(w, k % 2 ? 1e-3 : 2e-3);
    assert_int_equal(atomic_load(&takings) - before, 0);
    plWorld_Destroy(w);
}

// Positions that joints do not allow are closed, and velocities too; the jump counts as applied.
static void stateFromOutsideIsClosed(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addDoublePendulum(w);
    Course c = stateOf(w, id);
    c.q[0] += 0.01, c.q[9] -= 0.02, c.v[0] = 1, c.v[10] = 3;
    checkOk(w, plWorld_SetState(w, id, c.q, c.v));
    checkAtMost("|c|", jointError(w, id), 1e-12);
    checkAtMost("|C v|", jointRate(w, id), 1e-12);
    plWorld_Step(w, T);
    checkAtMost("residual", plWorld_Ledger(w).worst, 1e-14);
    c.q[0] = 5; // two rods of 0.3 m do not reach so far
    c.q[7] = -5;
    const uint64_t hash = plWorld_Hash(w);
    const plStatus status = plWorld_SetState(w, id, c.q, c.v);
    if (status != pl_statusOk) assert_true(plWorld_Hash(w) == hash);
    checkAtMost("|c|", jointError(w, id), 1e-9);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leverRestsOnAFingerUnderBothLaws),
        cmocka_unit_test(blowIsThatOfTheInertiaAtTheHinge),
        cmocka_unit_test(movingFingerGainsNothing),
        cmocka_unit_test(snapshotGoesOnToTheLastBit),
        cmocka_unit_test(stepAllocatesNothing),
        cmocka_unit_test(stateFromOutsideIsClosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
