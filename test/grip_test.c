// The grip of spec-pmi section 8: a handle that closes fingers by their tendons.
#include "fingers.h"
#include "math/math.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};
static const plPose still = {{0, 0, 0}, {1, 0, 0, 0}};
static const double way = 0.05, K = 500; // [m], [N/m]: the defaults

enum { most = 3 };

/// A driver whose handle goes where it is told along the axis.
typedef struct {
    plVec3 axis;
    double z;
    plWrench last;
} Driver;

static void tell(void* self, double time, plSample* s)
{
    const Driver* d = self;
    (void)time;
    *s = (plSample){.pose = {plScale(d->z, d->axis), {1, 0, 0, 0}}};
}

static void feel(void* self, const plWrench* f, double T)
{
    Driver* d = self;
    (void)T;
    d->last = *f;
}

typedef struct {
    plWorld* world;
    plMechanismId fingers[most];
    plDeviceId device;
    plCouplingId grip;
} Hand;

// Without a driver the device is simulated.
static Hand makeHand(int count, double damping, Driver* driver, plProjection projection)
{
    Hand h = {.world = makeWorld(none, 1)};
    static const char* const names[most] = {"thumb", "index", "ring"};
    plDeviceDef device = plDefaultDeviceDef();
    plGripFinger fingers[most];
    for (int i = 0; i < count; ++i) {
        const plPose base = {{0.2 * i, 0, 0}, plRotor(plVec(0, 1, 0), i)};
        h.fingers[i] = addFinger(h.world, names[i], base, damping);
    }
    device.name = "omega";
    if (driver) device.calls = (plDeviceCalls){.self = driver, .sample = tell, .write = feel};
    checkOk(h.world, plWorld_AddDevice(h.world, &device, &h.device));
    plCouplingDef def = gripOf("close", h.device, h.fingers, count, fingers);
    def.grip.projection = projection;
    checkOk(h.world, plWorld_AddCoupling(h.world, &def, &h.grip));
    return h;
}

static void motorsGoToTheAnglesOfSection8(void** state)
{
    (void)state;
    static const double closed[fingerMotors] = {-2.16146, -.89094};
    static const double shares[] = {0, 0.25, 1, 1.7, -0.3};
    for (int i = 0; i < PL_COUNT(shares); ++i) {
        Driver driver = {.axis = {0, 0, 1}, .z = shares[i] * way};
        Hand h = makeHand(most, 5e-4, &driver, pl_projectionLine);
        const double s = fmax(0, fmin(1, shares[i]));
        plWorld_Step(h.world, 1e-3);
        for (int f = 0; f < most; ++f) {
            for (int k = 0; k < fingerMotors; ++k) {
                double angle;
                checkOk(h.world, plWorld_Tendon(h.world, h.fingers[f], k, &angle, NULL));
                checkNear("theta", angle, s * closed[k], 5e-6); // digits printed
            }
        }
        plWorld_Destroy(h.world);
    }
}

// As many motors as joints, springs of every kind: then the fingers come to where they are wanted.
static void fullyDrivenFingersComeWhereTheyAreWanted(void** state)
{
    (void)state;
    static const double J[3][2] = {{.01, .004}, {-.003, .008}, {.005, .005}};
    static const double full[4] = {0.05, 0.01, 0.01, 0.04};
    static const double open[2] = {0.1, -0.2}, closed[2] = {0.9, 0.7};
    Driver driver = {.axis = {0, 1, 0}, .z = 0.3 * way};
    Hand h = {.world = makeWorld(none, 1)};
    plChainBodyDef bodies[2] = {rod("upper", -1, 0.05, 1e-3), rod("lower", 0, 0.05, 1e-3)};
    plTendonDef tendons[3];
    plChainDef chain = plDefaultChainDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef def = plDefaultCouplingDef();
    double q[2], v[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i].stiffness = 0.02 * (1 + i);
        bodies[i].damping = 2e-3;
        bodies[i].rest[0] = 0.2 - 0.5 * i;
    }
    for (int i = 0; i < 3; ++i) {
        tendons[i] = plDefaultTendonDef();
        tendons[i].J = J[i];
        tendons[i].stiffness = 80;
        tendons[i].radius = i < 2 ? 0.01 : 0;
    }
    chain.name = "finger";
    chain.bodies = bodies;
    chain.bodyCount = 2;
    chain.K = full;
    chain.tendons = tendons;
    chain.tendonCount = 3;
    checkOk(h.world, plWorld_AddChain(h.world, &chain, &h.fingers[0]));
    device.name = "omega";
    device.calls = (plDeviceCalls){.self = &driver, .sample = tell, .write = feel};
    checkOk(h.world, plWorld_AddDevice(h.world, &device, &def.device));
    const plGripFinger finger = {h.fingers[0], open, closed};
    def.name = "close";
    def.kind = pl_couplingGrip;
    def.grip.axis = plVec(0, 2, 0);
    def.grip.fingers = &finger;
    def.grip.fingerCount = 1;
    checkOk(h.world, plWorld_AddCoupling(h.world, &def, &h.grip));
    for (int k = 0; k < 20000; ++k) plWorld_Step(h.world, 1e-3);
    checkOk(h.world, plWorld_State(h.world, h.fingers[0], q, v));
    for (int i = 0; i < 2; ++i) {
        checkNear("q", q[i], open[i] + 0.3 * (closed[i] - open[i]), 1e-9); // 20 s of damping
    }
    checkAtMost("force", fabs(driver.last.force.y), 1e-9 * K);
    plWorld_Destroy(h.world);
}

// Section 8: the free pose is not q2, and the two projections tell the hand different things of it.
static void freeFingersAreNearlySilent(void** state)
{
    (void)state;
    static const double pose[fingerJoints] = {.89681024, .86761658, .88733514};
    double along = 0, gone = 0, whole = 0;
    for (int i = 0; i < fingerJoints; ++i) {
        along += pose[i] * fingerClosed[i];
        gone += pose[i] * pose[i];
        whole += fingerClosed[i] * fingerClosed[i];
    }
    for (int p = 0; p < pl_projectionCount; ++p) {
        Driver driver = {.axis = {0, 0, 1}, .z = way};
        Hand h = makeHand(most, 5e-4, &driver, (plProjection)p);
        const double share = p == pl_projectionNorm ? sqrt(gone / whole) : along / whole;
        double wanted, closed;
        for (int k = 0; k < 12000; ++k) plWorld_Step(h.world, 1e-3);
        checkOk(h.world, plWorld_Grip(h.world, h.grip, &wanted, &closed));
        print_message(
            "%s: free fingers are closed to %.5f, and pull at the hand with %.4f N of %g\n",
            plProjection_Name(p), closed, driver.last.force.z, K * way);
        checkNear("closed", closed, share, 1e-6);
        checkNear("force", driver.last.force.z, -K * way * (1 - closed), 1e-12);
        assert_true(wanted == 1);
        plWorld_Destroy(h.world);
    }
}

// Fingers that are bent back by half of the way: the line says so, the norm calls it closed.
static void onlyTheLineKnowsBackwards(void** state)
{
    (void)state;
    for (int p = 0; p < pl_projectionCount; ++p) {
        Driver driver = {.axis = {0, 0, 1}};
        Hand h = makeHand(1, 5e-4, &driver, (plProjection)p);
        double q[fingerJoints], v[fingerJoints] = {0}, closed;
        for (int i = 0; i < fingerJoints; ++i) q[i] = -0.5 * fingerClosed[i];
        checkOk(h.world, plWorld_SetState(h.world, h.fingers[0], q, v));
        plWorld_Step(h.world, 1e-3);
        checkOk(h.world, plWorld_Grip(h.world, h.grip, NULL, &closed));
        checkNear("closed", closed, p == pl_projectionNorm ? 0.5 : -0.5, 1e-15);
        checkNear("force", driver.last.force.z, K * way * closed, 1e-12);
        plWorld_Destroy(h.world);
    }
}

// ----------------------------------------------------------------------- closing on a circle

static Hand makeBlocked(Driver* driver, bool ball)
{
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef device = plDefaultDeviceDef();
    plGripFinger fingers[1];
    plShapeId shape;
    Hand h;
    def.gravity = none;
    def.planar = true;
    def.contact.law = pl_lawLcp;
    def.contact.surface.friction = 0;
    def.contact.driftRate = 0;
    checkOk(NULL, plWorld_Create(&def, &h.world));
    h.fingers[0] = addFinger(h.world, "finger", still, 5e-5);
    for (int i = 0; i < fingerJoints; ++i) {
        plPartShapeDef link = plDefaultPartShapeDef(pl_shapeCapsule);
        link.mechanism = h.fingers[0];
        link.part = i;
        link.shape.radius = 0.004;
        link.shape.length = fingerLengths[i];
        link.shape.frame.p.x = fingerLengths[i] / 2;
        checkOk(h.world, plWorld_AddShape(h.world, &link, &shape));
    }
    plPartShapeDef circle = plDefaultPartShapeDef(pl_shapeSphere);
    circle.shape.radius = 0.0315;
    circle.shape.frame.p = plVec(.00885, ball ? .0491 : 1, 0);
    checkOk(h.world, plWorld_AddShape(h.world, &circle, &shape));
    checkOk(h.world, plWorld_Ignore(h.world, (plSite){h.fingers[0], 0, none},
                                    (plSite){h.fingers[0], 2, none}));
    device.name = "omega";
    device.calls = (plDeviceCalls){.self = driver, .sample = tell, .write = feel};
    checkOk(h.world, plWorld_AddDevice(h.world, &device, &h.device));
    plCouplingDef grip = gripOf("close", h.device, h.fingers, 1, fingers);
    grip.grip.axis = driver->axis;
    checkOk(h.world, plWorld_AddCoupling(h.world, &grip, &h.grip));
    return h;
}

// z goes from 0 to 1 in 1 s, and stays: section 8's run, by a hand. While one link touches, the others
// close the more, and the hand feels little; when two do, it feels each bit that it goes on.
static void blockedFingersAreFelt(void** state)
{
    (void)state;
    static const double pose[fingerJoints] = {.60076745, .56330035, 1.25035456};
    static const int ticks[] = {599, 749, 849, 899,
                                949, 999, 3999}; // 0: nothing touches, 1: one link
    enum { count = PL_COUNT(ticks) };
    double felt[2][count];
    for (int ball = 0; ball < 2; ++ball) {
        Driver driver = {.axis = {0, 1, 0}};
        Hand h = makeBlocked(&driver, ball);
        double q[fingerJoints], v[fingerJoints];
        for (int k = 0; k < 4000; ++k) {
            double closed, along = 0, whole = 0;
            driver.z = way * fmin(1, k * 1e-3);
            checkOk(h.world, plWorld_State(h.world, h.fingers[0], q, v));
            plWorld_Step(h.world, 1e-3);
            checkOk(h.world, plWorld_Grip(h.world, h.grip, NULL, &closed));
            for (int i = 0; i < fingerJoints; ++i) {
                along += q[i] * fingerClosed[i];
                whole += fingerClosed[i] * fingerClosed[i];
            }
            checkNear("force", driver.last.force.y, -K * (driver.z - way * along / whole), 1e-12);
            assert_true(driver.last.force.x == 0 && driver.last.force.z == 0);
            for (int i = 0; i < count; ++i) {
                if (k == ticks[i]) felt[ball][i] = driver.last.force.y;
            }
        }
        for (int i = 0; i < fingerJoints && ball; ++i) {
            checkNear("q against the static solution", q[i], pose[i], 3e-3); // the bar
        }
        print_message("%s:", ball ? "on a circle" : "free");
        for (int i = 0; i < count; ++i) print_message(" %.3f", felt[ball][i]);
        print_message(" N at z of 0.6 0.75 0.85 0.9 0.95 1, and in the end\n");
        plWorld_Destroy(h.world);
    }
    assert_true(felt[0][0] == felt[1][0]);
    checkAtMost("one link", fabs(felt[1][1]), 0.2);
    for (int i = 2; i < 5; ++i) checkAtMost("more than before", felt[1][i + 1], felt[1][i] - 0.5);
    checkAtMost("in the end", felt[1][6], 20 * felt[0][6]);
}

// --------------------------------------------------------------------------------- accounts

// The motors' work is that of the chains' accounts, the device's its own; both together say what the
// motors brought in.
static void portTellsWhatMotorsAndHandGave(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1. / 30};
    for (int run = 0; run < 2; ++run) {
        Hand h = makeHand(most, 5e-5, NULL, pl_projectionLine);
        double apart = 0, motors = 0, rows = 0;
        plPort port = {0};
        for (int k = 0; k < (int)lround(3 / steps[run]); ++k) {
            const double z = way * (0.5 - 0.5 * cos(2 * PL_PI * plWorld_Time(h.world)));
            plAccount a;
            double applied = 0;
            checkOk(h.world, plWorld_Hold(h.world, h.device, (plPose){{0, 0, z}, {1, 0, 0, 0}}));
            plWorld_Step(h.world, steps[run]);
            checkOk(h.world, plWorld_Port(h.world, h.grip, &port));
            for (int i = 0; i < most; ++i) {
                checkOk(h.world, plWorld_MechanismLedger(h.world, h.fingers[i], &a));
                applied += a.applied;
                checkAtMost("residual of a finger", fabs(a.residual), 1e-14);
            }
            motors = fmax(motors, fabs(port.tool - applied));
            apart = fmax(apart, fabs(port.device - rows)); // a port knows the tick before
            checkOk(h.world, plWorld_DeviceLedger(h.world, h.device, &a));
            rows = a.rows;
        }
        print_message(
            "T %.4g: motors gave %.4g J, the hand got %.4g J, %.4g J in the spring; apart "
            "%.2g and %.2g J\n",
            steps[run], port.tool, port.device, port.stored, motors, apart);
        checkAtMost("motors", motors, 1e-15); // the bar of a step's supply
        checkAtMost("device", apart, 1e-15);
        assert_true(port.tool > 0);
        plWorld_Destroy(h.world);
    }
}

static void gripReplays(void** state)
{
    (void)state;
    Hand h = makeHand(2, 5e-5, NULL, pl_projectionLine);
    Hand other = makeHand(2, 5e-5, NULL, pl_projectionNorm);
    const size_t size = plWorld_SnapshotSize(h.world);
    void* snapshot = malloc(size);
    uint64_t hashes[2];
    assert_non_null(snapshot);
    checkOk(h.world, plWorld_Hold(h.world, h.device, (plPose){{0, 0, 0.04}, {1, 0, 0, 0}}));
    for (int k = 0; k < 50; ++k) plWorld_Step(h.world, 1e-3);
    plWorld_Save(h.world, snapshot);
    for (int run = 0; run < 2; ++run) {
        checkOk(h.world, plWorld_Restore(h.world, snapshot, size));
        for (int k = 0; k < 100; ++k) plWorld_Step(h.world, 1e-3);
        hashes[run] = plWorld_Hash(h.world);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_int_equal(plWorld_Restore(other.world, snapshot, size), pl_statusMismatch);
    free(snapshot);
    plWorld_Destroy(h.world);
    plWorld_Destroy(other.world);
}

static void channelsTellTheGrip(void** state)
{
    (void)state;
    Driver driver = {.axis = {0, 0, 1}, .z = 0.5 * way};
    Hand h = makeHand(1, 5e-5, &driver, pl_projectionLine);
    static const char* const names[] = {"close.wanted", "close.closed", "close.felt[2]",
                                        "close.port.tool"};
    double wanted, closed, values[PL_COUNT(names)];
    plPort port;
    char name[64];
    int found = 0;
    for (int k = 0; k < 20; ++k) plWorld_Step(h.world, 1e-3);
    for (int i = 0; i < PL_COUNT(names); ++i) {
        plChannel c;
        checkOk(h.world, plWorld_FindChannel(h.world, names[i], &c));
        values[i] = plWorld_ReadChannel(h.world, c);
    }
    checkOk(h.world, plWorld_Grip(h.world, h.grip, &wanted, &closed));
    checkOk(h.world, plWorld_Port(h.world, h.grip, &port));
    assert_true(values[0] == wanted && values[1] == closed && values[3] == port.tool);
    assert_true(values[2] == driver.last.force.z);
    for (int i = 0; plWorld_ChannelName(h.world, i, name, sizeof name) > 0; ++i) {
        plChannel c;
        checkOk(h.world, plWorld_FindChannel(h.world, name, &c));
        found += strncmp(name, "close.", 6) == 0;
    }
    assert_int_equal(found, 3 + 6 + 2);
    plWorld_Destroy(h.world);
}

// ---------------------------------------------------------------------------------- mistakes

static void mistakesAreRefused(void** state)
{
    (void)state;
    Hand h = makeHand(1, 5e-5, NULL, pl_projectionLine);
    plChainBodyDef ball = plDefaultChainBodyDef();
    static const double radii[3] = {0, 0, 0};
    plTendonDef tendon = plDefaultTendonDef();
    plChainDef chain = plDefaultChainDef();
    plMechanismId round,
        arm = addArm(h.world, pl_integratorMidpoint, pl_routeCholesky, pl_coefficientsPredicted);
    plGripFinger finger = {h.fingers[0], fingerOpen, fingerClosed};
    plCouplingId id;
    ball.name = "ball";
    ball.joint = pl_jointSpherical;
    ball.mass = 1;
    ball.inertia = diagonal(1, 1, 1);
    tendon.J = radii;
    tendon.stiffness = tendon.radius = 1;
    chain.name = "round";
    chain.bodies = &ball;
    chain.bodyCount = 1;
    chain.tendons = &tendon;
    chain.tendonCount = 1;
    checkOk(h.world, plWorld_AddChain(h.world, &chain, &round));
    const uint64_t hash = plWorld_Hash(h.world);
    const plMemory memory = plWorld_Memory(h.world);
    plCouplingDef good = gripOf("other", h.device, h.fingers, 1, &finger);
    const plMechanismId wrong[] = {arm, round, {0, 0}, {99, 1}};
    const double bad[fingerJoints] = {0, NAN, 0};
    for (int i = 0; i < 11; ++i) {
        plCouplingDef def = good;
        plGripFinger one = finger;
        def.grip.fingers = &one;
        if (i < 4) one.mechanism = wrong[i];
        if (i == 4) one.closed = fingerOpen;
        if (i == 5) one.open = bad;
        if (i == 6) def.grip.closed = def.grip.open;
        if (i == 7) def.grip.axis = none;
        if (i == 8) def.grip.fingerCount = plGripFingers + 1;
        if (i == 9) def.stiffness.x = 1;
        if (i == 10) def.tool.mechanism = arm;
        if (plWorld_AddCoupling(h.world, &def, &id) != pl_statusBadArgument) fail_msg("case %d", i);
    }
    assert_true(plWorld_Hash(h.world) == hash);
    assert_int_equal(plWorld_Memory(h.world).used, memory.used);
    checkOk(h.world, plWorld_AddCoupling(h.world, &good, &id));
    plWorld_Destroy(h.world);
}

// Two motors on one tendon's way: the shortest answer, shared.
static void redundantMotorsShare(void** state)
{
    (void)state;
    static const double J[1] = {0.01}, open[1] = {0}, closed[1] = {1};
    plWorld* world = makeWorld(none, 1);
    plChainBodyDef body = rod("link", -1, 0.05, 1e-3);
    plTendonDef tendons[2] = {plDefaultTendonDef(), plDefaultTendonDef()};
    plChainDef chain = plDefaultChainDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef def = plDefaultCouplingDef();
    plMechanismId id;
    plCouplingId grip;
    Driver driver = {.axis = {0, 0, 1}, .z = way};
    for (int i = 0; i < 2; ++i) {
        tendons[i].J = J;
        tendons[i].stiffness = 100;
        tendons[i].radius = 0.01;
    }
    chain.name = "finger";
    chain.bodies = &body;
    chain.bodyCount = 1;
    chain.tendons = tendons;
    chain.tendonCount = 2;
    checkOk(world, plWorld_AddChain(world, &chain, &id));
    device.name = "omega";
    device.calls = (plDeviceCalls){.self = &driver, .sample = tell, .write = feel};
    checkOk(world, plWorld_AddDevice(world, &device, &def.device));
    const plGripFinger finger = {id, open, closed};
    def.name = "close";
    def.kind = pl_couplingGrip;
    def.grip.fingers = &finger;
    def.grip.fingerCount = 1;
    checkOk(world, plWorld_AddCoupling(world, &def, &grip));
    plWorld_Step(world, 1e-3);
    for (int i = 0; i < 2; ++i) {
        double angle;
        checkOk(world, plWorld_Tendon(world, id, i, &angle, NULL));
        checkNear("angle", angle, -1, 1e-12); // K = 2 k r^2 in all, each pulls k r R
    }
    plWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motorsGoToTheAnglesOfSection8),
        cmocka_unit_test(fullyDrivenFingersComeWhereTheyAreWanted),
        cmocka_unit_test(freeFingersAreNearlySilent),
        cmocka_unit_test(onlyTheLineKnowsBackwards),
        cmocka_unit_test(blockedFingersAreFelt),
        cmocka_unit_test(portTellsWhatMotorsAndHandGave),
        cmocka_unit_test(gripReplays),
        cmocka_unit_test(channelsTellTheGrip),
        cmocka_unit_test(mistakesAreRefused),
        cmocka_unit_test(redundantMotorsShare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
