// Hands from outside: they hold a handle, grab any spot of any body, and let go; and what happens to
// the force on a hand when something goes wrong.
#include "worlds.h"

#include "palp/scene.h"

#include <string.h>

typedef struct {
    plWorld* world;
    plMechanismId cube, other;
    plDeviceId device;
    plCouplingId coupling;
} Desk;

// Two cubes that float, a handle, and a grasp that holds nothing.
static Desk makeDesk(void)
{
    Desk d;
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef grasp = plDefaultCouplingDef();
    d.world = makeWorld((plVec3){0, 0, 0}, 2);
    d.cube = addCube(d.world, "cube", 0.5, 0.05, (plVec3){0, 0, 0});
    d.other = addCube(d.world, "other", 0.2, 0.05, (plVec3){0.5, 0, 0});
    device.name = "pointer";
    device.damping = 1;
    device.forceLimit = (plVec3){20, 20, 20};
    checkOk(d.world, plWorld_AddDevice(d.world, &device, &d.device));
    grasp.name = "grasp";
    grasp.kind = pl_couplingVirtual;
    grasp.device = d.device;
    grasp.turnStiffness = grasp.turnDamping = (plVec3){0, 0, 0};
    checkOk(d.world, plWorld_AddCoupling(d.world, &grasp, &d.coupling));
    return d;
}

static plVec3 place(const Desk* d, plSite site)
{
    plMotion m;
    checkOk(d->world, plWorld_Motion(d->world, site, &m));
    return m.x;
}

static double forceOf(const Desk* d)
{
    plWrench f;
    checkOk(d->world, plWorld_DeviceForce(d->world, d->device, &f));
    return sqrt(f.force.x * f.force.x + f.force.y * f.force.y + f.force.z * f.force.z);
}

static void run(const Desk* d, int ticks)
{
    for (int k = 0; k < ticks; ++k) plWorld_Step(d->world, 1e-3);
}

static void whatIsGrabbedFollowsAndWhatIsReleasedDoesNot(void** state)
{
    (void)state;
    Desk d = makeDesk();
    const plSite corner = {.mechanism = d.cube, .point = {0.05, 0.05, 0}};
    const plPose there = {{0.15, 0.05, 0.1}, {1, 0, 0, 0}};
    assert_false(plWorld_Holds(d.world, d.coupling));
    checkOk(d.world, plWorld_Hold(d.world, d.device, (plPose){{0.3, 0.3, 0}, {1, 0, 0, 0}}));
    run(&d, 500);
    assert_true(forceOf(&d) == 0);
    checkNear("nothing is held", place(&d, (plSite){.mechanism = d.cube}).x, 0, 0);
    checkOk(d.world, plWorld_Grab(d.world, d.coupling, corner));
    checkOk(d.world, plWorld_Hold(d.world, d.device, there));
    run(&d, 4000);
    const plVec3 at = place(&d, corner); // the cube still swings about it
    checkNear("x", at.x, there.p.x, 1e-2);
    checkNear("y", at.y, there.p.y, 1e-2);
    checkNear("z", at.z, there.p.z, 1e-2);
    checkOk(d.world, plWorld_Release(d.world, d.coupling));
    checkOk(d.world, plWorld_LetGo(d.world, d.device));
    run(&d, 1);
    assert_true(forceOf(&d) == 0);
    const plVec3 before = place(&d, (plSite){.mechanism = d.other});
    checkOk(d.world, plWorld_Grab(d.world, d.coupling, (plSite){.mechanism = d.other}));
    checkOk(d.world, plWorld_Hold(d.world, d.device, there));
    run(&d, 3000);
    assert_true(fabs(place(&d, (plSite){.mechanism = d.other}).x - before.x) > 0.2);
    checkAtMost("residual", plWorld_Ledger(d.world).worst, 1e-12);
    plWorld_Destroy(d.world);
}

static void grabbingDoesNotPull(void** state)
{
    (void)state;
    Desk d = makeDesk();
    checkOk(d.world, plWorld_Grab(d.world, d.coupling, (plSite){.mechanism = d.other}));
    checkOk(d.world, plWorld_LetGo(d.world, d.device));
    run(&d, 100);
    checkAtMost("force", forceOf(&d), 1e-12);
    checkAtMost("energy", energyOf(d.world), 1e-20);
    plWorld_Destroy(d.world);
}

static void graspsAreInSnapshots(void** state)
{
    (void)state;
    Desk d = makeDesk();
    const size_t size = plWorld_SnapshotSize(d.world);
    void *free0 = malloc(size), *held = malloc(size);
    assert_true(free0 && held);
    plWorld_Save(d.world, free0);
    checkOk(d.world, plWorld_Grab(d.world, d.coupling, (plSite){.mechanism = d.cube}));
    checkOk(d.world, plWorld_Hold(d.world, d.device, (plPose){{0.1, 0, 0}, {1, 0, 0, 0}}));
    run(&d, 100);
    plWorld_Save(d.world, held);
    run(&d, 100);
    const uint64_t hash = plWorld_Hash(d.world);
    checkOk(d.world, plWorld_Restore(d.world, free0, size));
    assert_false(plWorld_Holds(d.world, d.coupling));
    run(&d, 50);
    checkNear("free", place(&d, (plSite){.mechanism = d.cube}).x, 0, 0);
    checkOk(d.world, plWorld_Restore(d.world, held, size));
    assert_true(plWorld_Holds(d.world, d.coupling));
    run(&d, 100);
    assert_true(plWorld_Hash(d.world) == hash);
    free(free0);
    free(held);
    plWorld_Destroy(d.world);
}

static void whatCannotBeGrabbedIsRefused(void** state)
{
    (void)state;
    Desk d = makeDesk();
    const plPose none = {{NAN, 0, 0}, {1, 0, 0, 0}};
    const plSite ground = {.part = 0}, noPart = {.mechanism = d.cube, .part = 7};
    assert_int_equal(plWorld_Grab(d.world, d.coupling, ground), pl_statusBadArgument);
    assert_int_equal(plWorld_Grab(d.world, d.coupling, noPart), pl_statusBadArgument);
    assert_int_equal(plWorld_Grab(d.world, (plCouplingId){9, 1}, ground), pl_statusBadId);
    assert_int_equal(plWorld_Release(d.world, (plCouplingId){0, 0}), pl_statusBadId);
    assert_int_equal(plWorld_Hold(d.world, d.device, none), pl_statusBadArgument);
    assert_int_equal(plWorld_Hold(d.world, (plDeviceId){7, 1}, none), pl_statusBadId);
    assert_false(plWorld_Holds(d.world, d.coupling));
    plWorld_Destroy(d.world);
}

// --- in the plane

static void tellOff(void* self, double time, plSample* s)
{
    (void)self;
    (void)time;
    *s = (plSample){.pose = {{0.1, 0, 0.3}, {0.9, 0.3, 0.1, 0.3}}, .velocity = {0, 0, 2}};
}

static void feelOff(void* self, const plWrench* f, double T)
{
    (void)T;
    *(plWrench*)self = *f;
}

static void aPlanarToolTurnsWithItsDeviceAndStaysInThePlane(void** state)
{
    (void)state;
    for (int outside = 0; outside < 2; ++outside) {
        plWorldDef def = plDefaultWorldDef();
        plChainDef chain = plDefaultChainDef();
        plChainBodyDef body = plDefaultChainBodyDef();
        plDeviceDef device = plDefaultDeviceDef();
        plCouplingDef grip = plDefaultCouplingDef();
        plWrench felt = {{0, 0, 0}, {0, 0, 0}};
        plMechanismId tool;
        plCouplingId id;
        plWorld* w;
        double q[3];
        def.planar = true;
        def.gravity = (plVec3){0, 0, 0};
        checkOk(NULL, plWorld_Create(&def, &w));
        body.name = "plate";
        body.joint = pl_jointPlanar;
        body.mass = 0.2;
        body.inertia = diagonal(1e-4, 1e-4, 1e-4);
        chain.name = "tool";
        chain.bodies = &body;
        chain.bodyCount = 1;
        checkOk(w, plWorld_AddChain(w, &chain, &tool));
        device.name = "stick";
        if (outside)
            device.calls = (plDeviceCalls){.self = &felt, .sample = tellOff, .write = feelOff};
        checkOk(w, plWorld_AddDevice(w, &device, &grip.device));
        grip.name = "grip";
        grip.kind = pl_couplingVirtual;
        grip.tool.mechanism = tool;
        grip.turnStiffness = all3(1);
        grip.turnDamping = all3(0.02);
        checkOk(w, plWorld_AddCoupling(w, &grip, &id));
        if (!outside) {
            checkOk(
                w, plWorld_Hold(w, grip.device, (plPose){{0.1, 0, 0}, {cos(0.4), 0, 0, sin(0.4)}}));
        }
        for (int k = 0; k < 4000; ++k) plWorld_Step(w, 1e-3);
        checkOk(w, plWorld_State(w, tool, q, NULL));
        checkNear("x", q[0], 0.1, 1e-3);
        if (!outside) checkNear("angle", q[2], 0.8, 1e-3);
        if (outside) assert_true(q[2] > 0.3 && felt.force.z == 0 && felt.torque.x == 0);
        plWorld_Destroy(w);
    }
}

// --- when something goes wrong

static Desk pulling(void)
{
    Desk d = makeDesk();
    checkOk(d.world, plWorld_Grab(d.world, d.coupling, (plSite){.mechanism = d.cube}));
    checkOk(d.world, plWorld_Hold(d.world, d.device, (plPose){{5, 0, 0}, {1, 0, 0, 0}}));
    run(&d, 30);
    assert_true(forceOf(&d) > 0.5);
    return d;
}

static void anAlarmTakesTheForceAwayInTwentyMilliseconds(void** state)
{
    (void)state;
    Desk d = pulling();
    const double before = forceOf(&d);
    double last = before;
    for (int k = 0; k < 20; ++k) {
        plWorld_Alarm(d.world);
        run(&d, 1);
        checkNear("on a line to zero", forceOf(&d), before * (1 - (k + 1) / 20.), 1e-9 * before);
        assert_true(forceOf(&d) <= last);
        last = forceOf(&d);
    }
    assert_true(forceOf(&d) == 0);
    run(&d, 10); // well again: a share of what it would be
    assert_true(forceOf(&d) > 0 && forceOf(&d) <= 0.06 * 20 * sqrt(3));
    run(&d, 200);
    assert_true(forceOf(&d) > 0);
    plWorld_Destroy(d.world);
}

static void aBadTickNeitherLeapsNorStays(void** state)
{
    (void)state;
    Desk d = pulling();
    double q[7], v[6];
    const double before = forceOf(&d);
    checkOk(d.world, plWorld_State(d.world, d.cube, q, v));
    v[0] = 1e300; // its motion will not be finite
    checkOk(d.world, plWorld_SetState(d.world, d.cube, q, v));
    run(&d, 1);
    assert_true(plWorld_Report(d.world).trouble & (pl_troubleNotFinite | pl_troubleStopped));
    checkNear("a twentieth less", forceOf(&d), before * 0.95, 1e-9 * before);
    double most = 0;
    for (int k = 0; k < 400; ++k) {
        run(&d, 1);
        most = fmax(most, forceOf(&d));
    }
    assert_true(isfinite(most));
    checkAtMost("within its limits", most, 20 * sqrt(3) * (1 + 1e-12));
    plWorld_Destroy(d.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatIsGrabbedFollowsAndWhatIsReleasedDoesNot),
        cmocka_unit_test(grabbingDoesNotPull),
        cmocka_unit_test(graspsAreInSnapshots),
        cmocka_unit_test(whatCannotBeGrabbedIsRefused),
        cmocka_unit_test(aPlanarToolTurnsWithItsDeviceAndStaysInThePlane),
        cmocka_unit_test(anAlarmTakesTheForceAwayInTwentyMilliseconds),
        cmocka_unit_test(aBadTickNeitherLeapsNorStays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
