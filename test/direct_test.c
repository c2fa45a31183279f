// A tool that is where the device is, drivers that take over a device, and surfaces that change while
// a world runs.
#include "math/math.h"
#include "worlds.h"

#include <string.h>

enum { mostTicks = 512 };

static const double radius = 0.01;

/// A floor, a ball on a frame, a device, a direct coupling.
typedef struct {
    plWorld* world;
    plMaterialId material;
    plDeviceId device;
    plCouplingId coupling;
    plMechanismId frame;
} Bench;

static plDeviceDef quietDevice(void)
{
    plDeviceDef d = plDefaultDeviceDef();
    d.name = "stick";
    d.pose.p = plVec(0, 0, 0.02);
    return d;
}

static Bench makeBench(plLawName law, double K, double B, const plDeviceDef* device)
{
    Bench b;
    plWorldDef def = plDefaultWorldDef();
    plMaterialDef material = plDefaultMaterialDef();
    plPrescribedDef frame = plDefaultPrescribedDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plPartShapeDef floorDef = plDefaultPartShapeDef(pl_shapePlane);
    plCouplingDef coupling = plDefaultCouplingDef();
    plShapeId shape;
    def.gravity = plVec(0, 0, 0);
    def.contact.law = law;
    checkOk(NULL, plWorld_Create(&def, &b.world));
    material.name = "wall";
    material.surface.stiffness = K;
    material.surface.damping = B;
    material.surface.friction = 0;
    checkOk(b.world, plWorld_AddMaterial(b.world, &material, &b.material));
    floorDef.material = ball.material = b.material;
    checkOk(b.world, plWorld_AddShape(b.world, &floorDef, &shape));
    frame.name = "tip";
    frame.pose = device->pose;
    checkOk(b.world, plWorld_AddPrescribed(b.world, &frame, &b.frame));
    ball.mechanism = b.frame;
    ball.shape.radius = radius;
    checkOk(b.world, plWorld_AddShape(b.world, &ball, &shape));
    checkOk(b.world, plWorld_AddDevice(b.world, device, &b.device));
    coupling.name = "hold";
    coupling.kind = pl_couplingDirect;
    coupling.device = b.device;
    coupling.tool.mechanism = b.frame;
    checkOk(b.world, plWorld_AddCoupling(b.world, &coupling, &b.coupling));
    return b;
}

/// A driver that follows a list of heights, and remembers what it felt.
typedef struct {
    double z[mostTicks], v[mostTicks], force[mostTicks];
    int at;
} Driver;

static void tell(void* self, double time, plSample* s)
{
    const Driver* d = self;
    (void)time;
    *s = (plSample){.pose = {{0, 0, d->z[d->at]}, {1, 0, 0, 0}}, .velocity = {0, 0, d->v[d->at]}};
}

static void feel(void* self, const plWrench* w, double T)
{
    Driver* d = self;
    (void)T;
    d->force[d->at++] = w->force.z;
}

static void attach(Bench* b, Driver* d)
{
    const plDeviceCalls calls = {.self = d, .sample = tell, .write = feel};
    checkOk(b->world, plWorld_AttachDevice(b->world, b->device, &calls));
}

static void wander(Driver* d, uint64_t seed)
{
    plRng rng = plRng_Seed(seed);
    *d = (Driver){0};
    for (int i = 0; i < mostTicks; ++i) {
        d->z[i] = radius + plRng_Uniform(&rng, -1e-3, 2e-4);
        d->v[i] = plRng_Uniform(&rng, -0.05, 0.05);
    }
}

static Driver still(double z)
{
    Driver d = {0};
    for (int i = 0; i < mostTicks; ++i) d.z[i] = z;
    return d;
}

// ---------------------------------------------------------------------------------- the coupling

static void wallForceIsThatOfTheSampleInItsTick(void** unused)
{
    (void)unused;
    const double K = 1500, B = 3;
    double worst = 0, residual = 0;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, K, B, &device);
    Driver d;
    wander(&d, 7);
    attach(&b, &d);
    for (int i = 0; i < mostTicks; ++i) {
        plMotion tool;
        plWorld_Step(b.world, i % 2 ? 1e-3 : 5e-4);
        const double depth = radius - d.z[i];
        const double force = depth >= 0 ? K * depth - B * d.v[i] : 0;
        worst = fmax(worst, fabs(d.force[i] - force));
        checkOk(b.world, plWorld_Motion(b.world, (plSite){.mechanism = b.frame}, &tool));
        checkNear("end of the tick", tool.x.z, d.z[i] + (i % 2 ? 1e-3 : 5e-4) * d.v[i], 1e-15);
        residual = fmax(residual, fabs(plWorld_Ledger(b.world).residual));
        assert_int_equal(plWorld_Report(b.world).trouble, 0);
    }
    print_message("force off by %.1e N of %.1f, residual %.1e J\n", worst, K * 1e-3, residual);
    checkAtMost("force", worst, 1e-11); // round-off of 1e-17 m in 1e-2 m, times K, and of B dz/T
    checkAtMost("residual", residual, 1e-15);
    plWorld_Destroy(b.world);
}

// A simulated handle between encoder steps: the port counts its way, not that of the samples.
static void portCountsTheWayOfTheHandleNotOfItsEncoder(void** unused)
{
    (void)unused;
    plDeviceDef device = quietDevice();
    double work = 0, bySamples = 0, T = 1e-3;
    plPose last, pose;
    plSample before, sample;
    plWrench held = {{0, 0, 0}, {0, 0, 0}};
    plPort port;
    device.pose.p.z = radius + 1e-4;
    device.encoderStep = 1e-4;
    device.damping = 2;
    device.hand.wrench.force.z = -1;
    Bench b = makeBench(pl_lawPenalty, 1000, 0.1, &device);
    checkOk(b.world, plWorld_DevicePose(b.world, b.device, &last));
    checkOk(b.world, plWorld_DeviceSample(b.world, b.device, &before));
    for (int i = 0; i < 400; ++i) {
        plWorld_Step(b.world, T); // counts the tick before it
        checkOk(b.world, plWorld_Port(b.world, b.coupling, &port));
        checkNear("port", port.device, work, 1e-15);
        checkOk(b.world, plWorld_DeviceSample(b.world, b.device, &sample));
        checkOk(b.world, plWorld_DevicePose(b.world, b.device, &pose));
        bySamples += held.force.z * (sample.pose.p.z - before.pose.p.z);
        checkOk(b.world, plWorld_DeviceForce(b.world, b.device, &held));
        work += held.force.z * (pose.p.z - last.p.z);
        last = pose;
        before = sample;
    }
    print_message("work on the handle %.3e J, by its samples %.3e J\n", work, bySamples);
    assert_true(fabs(work - bySamples) > 1e-3 * fabs(work));
    checkNear("given to the tool", port.tool + port.stored, 0, 0);
    plWorld_Destroy(b.world);
}

static void directToolIsAFrame(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingId id;
    c.name = "other";
    c.kind = pl_couplingDirect;
    c.device = b.device;
    c.tool.mechanism = addCube(b.world, "cube", 1, 0.01, plVec(1, 0, 1));
    assert_int_equal(plWorld_AddCoupling(b.world, &c, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(b.world), "prescribed frame"));
    c.tool.mechanism = b.frame;
    c.tool.point.x = 0.1;
    assert_int_equal(plWorld_AddCoupling(b.world, &c, &id), pl_statusBadArgument);
    plWorld_Destroy(b.world);
}

static void sceneRefusesWhatADirectCouplingCannotUse(void** unused)
{
    (void)unused;
    static const char* const settings[] = {"couplings.hold.stiffness=100",
                                           "couplings.hold.limit=spread",
                                           "couplings.hold.point=[0, 0, 0.1]"};
    for (int i = 0; i < 3; ++i) {
        plScene* scene;
        plSceneError error;
        assert_int_not_equal(plScene_Load("scenes/wall.json", &settings[i], 1, &scene, &error), 0);
        assert_non_null(strstr(error.message, "found in a direct coupling"));
    }
}

// The ball pushes a cube over the floor: what the hand feels is what the cube gains, under all laws.
static void handFeelsWhatItPushesUnderEveryLaw(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        plDeviceDef device = quietDevice();
        device.pose.p = plVec(0, 0, 0.1);
        device.velocity = plVec(0.1, 0, 0);
        device.mass = plVec(1e6, 1e6, 1e6); // it goes on
        Bench b = makeBench(law, 2000, 1, &device);
        const plMechanismId cube = addCube(b.world, "cube", 0.1, 0.01, plVec(0.025, 0, 0.1));
        double impulse = 0, v[6];
        for (int i = 0; i < 300; ++i) {
            plWrench f;
            plWorld_Step(b.world, 1e-3);
            checkOk(b.world, plWorld_DeviceForce(b.world, b.device, &f));
            impulse -= 1e-3 * f.force.x;
            const plAccount a = plWorld_Ledger(b.world);
            checkAtMost("residual", fabs(a.residual), 1e-14);
        }
        checkOk(b.world, plWorld_State(b.world, cube, NULL, v));
        print_message("%s: the hand gave %.6f N s, the cube has %.6f\n", plLawName_Name((int)law),
                      impulse, 0.1 * v[0]);
        checkNear("momentum", impulse, 0.1 * v[0], 1e-9);
        assert_true(v[0] > 0.09);
        plWorld_Destroy(b.world);
    }
}

// ------------------------------------------------------------------------------------- drivers

static void driverTakesOverAndGivesBack(void** unused)
{
    (void)unused;
    plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    Driver d = still(0.0095);
    d.v[9] = 0.3;
    plPose pose;
    for (int i = 0; i < 5; ++i) plWorld_Step(b.world, 1e-3);
    attach(&b, &d);
    for (int i = 0; i < 10; ++i) plWorld_Step(b.world, 1e-3);
    assert_int_equal(d.at, 10);
    checkNear("felt by the driver", d.force[9], 1000 * 5e-4, 1e-10);
    checkOk(b.world, plWorld_AttachDevice(b.world, b.device, NULL));
    checkOk(b.world, plWorld_DevicePose(b.world, b.device, &pose));
    checkNear("where the driver left it", pose.p.z, 0.0095, 0);
    assert_int_equal(d.at, 11); // it was told to let go
    checkNear("nothing", d.force[10], 0, 0);
    plWorld_Step(b.world, 1e-3);
    assert_int_equal(d.at, 11);
    checkOk(b.world, plWorld_DevicePose(b.world, b.device, &pose));
    // moving as the driver said, under the wall's force for a tick: a = F/m
    checkNear("moves on", pose.p.z, 0.0095 + 0.3e-3 + 0.5 * 1e-6 * 0.5 / 0.2, 1e-12);
    plWorld_Destroy(b.world);
}

static void whatADriverLeavesIsAppliedToTheDevice(void** unused)
{
    (void)unused;
    plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    Driver d = still(0.03);
    plAccount a;
    for (int i = 0; i < 10; ++i) d.v[i] = 0.5;
    attach(&b, &d);
    for (int i = 0; i < 5; ++i) plWorld_Step(b.world, 1e-3);
    checkOk(b.world, plWorld_AttachDevice(b.world, b.device, NULL));
    for (int i = 0; i < 5; ++i) plWorld_Step(b.world, 1e-3);
    checkOk(b.world, plWorld_DeviceLedger(b.world, b.device, &a));
    checkNear("kinetic", a.kinetic, 0.5 * 0.2 * 0.25, 1e-15);
    checkNear("applied", a.applied, 0.5 * 0.2 * 0.25, 1e-15);
    checkNear("residual", a.residual, 0, 1e-16);
    plWorld_Destroy(b.world);
}

static void absurdSamplesAreLostOnes(void** unused)
{
    (void)unused;
    const double places[] = {1e8, -1e300, 0.0095}, speeds[] = {0, 0, 1e5};
    for (int k = 0; k < 3; ++k) {
        plDeviceDef device = quietDevice();
        Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
        Driver d = still(0.0095);
        for (int i = 10; i < 60; ++i) d.z[i] = places[k], d.v[i] = speeds[k];
        attach(&b, &d);
        for (int i = 0; i < 60; ++i) {
            plWorld_Step(b.world, 1e-3);
            const bool lost = (plWorld_Report(b.world).trouble & pl_troubleDevice) != 0;
            assert_true(lost == (i >= 10));
        }
        checkNear("felt", d.force[9], 0.5, 1e-10);
        for (int i = 10; i < 60; ++i) assert_true(d.force[i] <= d.force[i - 1] || d.force[i] == 0);
        checkNear("after 20 ms", d.force[30], 0, 0);
        plWorld_Destroy(b.world);
    }
}

static void badDriversAreRefused(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    const plDeviceCalls half = {.sample = tell};
    const plDeviceId none = {0}, other = {7, 1};
    assert_int_equal(plWorld_AttachDevice(b.world, b.device, &half), pl_statusBadArgument);
    assert_int_equal(plWorld_AttachDevice(b.world, none, NULL), pl_statusBadId);
    assert_int_equal(plWorld_AttachDevice(b.world, other, NULL), pl_statusBadId);
    checkOk(b.world, plWorld_AttachDevice(b.world, b.device, NULL)); // it is its simulated self
    plWorld_Destroy(b.world);
}

// A run that was borrowed for an experiment and put back goes on as if nothing had been.
static void experimentLeavesNoTrace(void** unused)
{
    (void)unused;
    plDeviceDef device = quietDevice();
    device.hand.wrench.force.z = -1;
    device.delay = 2;
    Bench b = makeBench(pl_lawPenalty, 1000, 1, &device);
    Driver d;
    for (int i = 0; i < 100; ++i) plWorld_Step(b.world, 1e-3);
    const size_t size = plWorld_SnapshotSize(b.world);
    void* snapshot = malloc(size);
    plWorld_Save(b.world, snapshot);
    for (int i = 0; i < 50; ++i) plWorld_Step(b.world, 1e-3);
    const uint64_t hash = plWorld_Hash(b.world);
    wander(&d, 3);
    attach(&b, &d);
    checkOk(b.world, plWorld_Restore(b.world, snapshot, size));
    for (int i = 0; i < 20; ++i) plWorld_Step(b.world, 1e-3);
    assert_true(d.at == 20 && plWorld_Hash(b.world) != hash);
    checkOk(b.world, plWorld_AttachDevice(b.world, b.device, NULL));
    checkOk(b.world, plWorld_Restore(b.world, snapshot, size));
    for (int i = 0; i < 50; ++i) plWorld_Step(b.world, 1e-3);
    assert_true(plWorld_Hash(b.world) == hash);
    free(snapshot);
    plWorld_Destroy(b.world);
}

// ------------------------------------------------------------------------------------ surfaces

static double forceAt(Bench* b, Driver* d)
{
    plWorld_Step(b->world, 1e-3);
    return d->force[d->at - 1];
}

static void changedSurfaceIsFeltInTheNextTick(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    Driver d = still(0.009);
    plSurface surface, pair;
    attach(&b, &d);
    checkNear("before", forceAt(&b, &d), 1, 1e-12);
    checkOk(b.world, plWorld_Material(b.world, b.material, &surface));
    surface.stiffness = 3000;
    checkOk(b.world, plWorld_SetMaterial(b.world, b.material, &surface));
    checkNear("after", forceAt(&b, &d), 3, 1e-12);
    checkOk(b.world, plWorld_Pair(b.world, b.material, b.material, &pair));
    checkNear("pair", pair.stiffness, 3000, 0);
    // against the world's own surface it is mixed: the harmonic mean with 1e4
    checkOk(b.world, plWorld_Pair(b.world, b.material, (plMaterialId){0}, &pair));
    checkNear("mixed", pair.stiffness, 2 * 3000 * 1e4 / (3000 + 1e4), 1e-9);
    plWorld_Destroy(b.world);
}

static void pairsThatWereSetStay(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    Driver d = still(0.009);
    plSurface surface = plDefaultSurface();
    attach(&b, &d);
    surface.friction = 0;
    surface.stiffness = 500;
    checkOk(b.world, plWorld_SetPair(b.world, b.material, b.material, &surface));
    surface.stiffness = 7000;
    checkOk(b.world, plWorld_SetMaterial(b.world, b.material, &surface));
    checkNear("force", forceAt(&b, &d), 0.5, 1e-12);
    plWorld_Destroy(b.world);
}

static void badSurfacesAreRefused(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    plSurface surface = plDefaultSurface();
    plMaterialId id;
    plSurface read;
    surface.stiffness = -1;
    assert_int_equal(plWorld_SetMaterial(b.world, b.material, &surface), pl_statusBadArgument);
    surface.stiffness = NAN;
    assert_int_equal(plWorld_SetMaterial(b.world, b.material, &surface), pl_statusBadArgument);
    surface.stiffness = 1;
    assert_int_equal(plWorld_SetMaterial(b.world, (plMaterialId){9, 1}, &surface), pl_statusBadId);
    assert_int_equal(plWorld_Material(b.world, (plMaterialId){9, 1}, &read), pl_statusBadId);
    assert_int_equal(plWorld_FindMaterial(b.world, "wool", &id), pl_statusNotFound);
    checkOk(b.world, plWorld_FindMaterial(b.world, "wall", &id));
    checkOk(b.world, plWorld_Material(b.world, id, &read));
    checkNear("what was refused did nothing", read.stiffness, 1000, 0);
    assert_int_equal(plWorld_MaterialCount(b.world), 1);
    plWorld_Destroy(b.world);
}

static void snapshotBringsItsSurfacesBack(void** unused)
{
    (void)unused;
    const plDeviceDef device = quietDevice();
    Bench b = makeBench(pl_lawPenalty, 1000, 0, &device);
    const size_t size = plWorld_SnapshotSize(b.world);
    void* snapshot = malloc(size);
    plSurface first, other;
    plWorld_Save(b.world, snapshot);
    checkOk(b.world, plWorld_Material(b.world, b.material, &first));
    other = first;
    other.damping = 4;
    checkOk(b.world, plWorld_SetMaterial(b.world, b.material, &other));
    checkOk(b.world, plWorld_Restore(b.world, snapshot, size));
    checkOk(b.world, plWorld_Material(b.world, b.material, &other));
    checkNear("damping", other.damping, first.damping, 0);
    free(snapshot);
    plWorld_Destroy(b.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wallForceIsThatOfTheSampleInItsTick),
        cmocka_unit_test(portCountsTheWayOfTheHandleNotOfItsEncoder),
        cmocka_unit_test(directToolIsAFrame),
        cmocka_unit_test(sceneRefusesWhatADirectCouplingCannotUse),
        cmocka_unit_test(handFeelsWhatItPushesUnderEveryLaw),
        cmocka_unit_test(driverTakesOverAndGivesBack),
        cmocka_unit_test(whatADriverLeavesIsAppliedToTheDevice),
        cmocka_unit_test(absurdSamplesAreLostOnes),
        cmocka_unit_test(badDriversAreRefused),
        cmocka_unit_test(experimentLeavesNoTrace),
        cmocka_unit_test(changedSurfaceIsFeltInTheNextTick),
        cmocka_unit_test(pairsThatWereSetStay),
        cmocka_unit_test(badSurfacesAreRefused),
        cmocka_unit_test(snapshotBringsItsSurfacesBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
