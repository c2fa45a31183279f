// The pointer that every scene can be touched with.
#define _POSIX_C_SOURCE 200809L

#include "gallery.h"
#include "scene_text.h"
#include "touched.h"

/// What a drag of a site came to.
typedef struct {
    double force, limit; ///< most on the pointer, per axis [N]
    double far;          ///< of the site from where it was grabbed, at most [m]
    int trouble;
} Drag;

/// Grabs a site, moves the hand on a circle that begins there, lets go, and waits.
static Drag drag(Touched* t, plSite site, double radius, double time)
{
    const plVec3 start = placeOf(t, site);
    plDeviceDef def;
    Drag d = {0};
    checkOk(t->world, plWorld_DeviceDef(t->world, t->pointer.device, &def));
    d.limit = def.forceLimit.x;
    checkOk(t->world, plWorld_Grab(t->world, t->pointer.coupling, site));
    for (int k = 0; k * t->T < time; ++k) {
        const double angle = 2 * PL_PI * k * t->T;
        plVec3 want = start;
        plWrench f;
        want.x += radius * sin(angle);
        want.y += radius * (1 - cos(angle));
        checkOk(t->world, plWorld_Hold(t->world, t->pointer.device, (plPose){want, {1, 0, 0, 0}}));
        plWorld_Step(t->world, t->T);
        plWorld_DeviceForce(t->world, t->pointer.device, &f);
        d.trouble |= plWorld_Report(t->world).trouble;
        d.force = fmax(d.force, largest(f.force));
        d.far = fmax(d.far, plNorm(plSub(placeOf(t, site), start)));
        assert_true(isfinite(d.far) && isfinite(d.force));
    }
    checkOk(t->world, plWorld_Release(t->world, t->pointer.coupling));
    checkOk(t->world, plWorld_LetGo(t->world, t->pointer.device));
    return d;
}

static void dragIn(const char* path)
{
    Touched t = touch(path);
    const plSite site = endOf(t.world);
    if (site.mechanism.index1 > 0) {
        const bool large = strstr(path, "pile") || strstr(path, "arch");
        const Drag d = drag(&t, site, 0.02, large ? 0.05 : 0.5);
        print_message("%-22s %6.1f Hz  force %8.3g of %5.3g N, moved %.3g m, trouble %d\n",
                      strrchr(path, '/') + 1, 1 / t.T, d.force, d.limit, d.far, d.trouble);
        checkAtMost("force", d.force, d.limit * (1 + 1e-12));
        assert_int_equal(d.trouble & (pl_troubleNotFinite | pl_troubleStopped), 0);
    }
    letGo(&t);
}

static void everySceneCanBeDragged(void** state)
{
    (void)state;
    assert_true(everyScene(true, dragIn) >= sized(6, 30));
}

// A ball without weight of some mass, at some rate: pulled aside, it comes to where the hand wants it, and
// then nothing trembles.
static void pullBall(double mass, double rate)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"rate\": %g, \"mechanisms\": [{\"type\": \"assembly\", "
             "\"name\": \"ball\", \"mass\": %g, \"inertia\": [%g, %g, %g]}]}",
             rate, mass, 1e-4 * mass, 1e-4 * mass, 1e-4 * mass);
    Touched t = touchScene(parse(text, NULL));
    const plSite ball = endOf(t.world);
    const plPose there = {{0.05, 0, 0}, {1, 0, 0, 0}};
    double trembling = 0;
    checkOk(t.world, plWorld_Grab(t.world, t.pointer.coupling, ball));
    checkOk(t.world, plWorld_Hold(t.world, t.pointer.device, there));
    for (int k = 0; k < 12 * rate; ++k) {
        plWrench f;
        plWorld_Step(t.world, t.T);
        plWorld_DeviceForce(t.world, t.pointer.device, &f);
        if (k > 10 * rate) trembling = fmax(trembling, largest(f.force));
    }
    const double at = placeOf(&t, ball).x;
    print_message("%6g kg at %5g Hz: at %.6f m, trembles by %.2g N\n", mass, rate, at, trembling);
    checkNear("there", at, there.p.x, 1e-5);
    checkAtMost("force at rest", trembling, 1e-3);
    letGo(&t);
}

static void aPulledBallComesToRestWhateverItsMass(void** state)
{
    (void)state;
    const double masses[] = {1e-5, 1e-2, 1, 10}, rates[] = {100, 1000, 10000};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) pullBall(masses[i], rates[k]);
    }
}

static void namesThatAreTakenAreLeftAlone(void** state)
{
    (void)state;
    Touched t = touchScene(parse(
        SCENE(BALL("pointer", "") "," BALL("grasp", "") "," BALL("grasp-2-hand", ""), ""), NULL));
    plDeviceId device;
    plCouplingId coupling;
    checkOk(t.world, plWorld_FindDevice(t.world, "pointer-2", &device));
    checkOk(t.world, plWorld_FindCoupling(t.world, "grasp-3", &coupling));
    assert_int_equal(device.index1, t.pointer.device.index1);
    assert_int_equal(coupling.index1, t.pointer.coupling.index1);
    letGo(&t);
}

static void aSceneThatGivesItsCapacityHasRoomForThePointer(void** state)
{
    (void)state;
    Touched t = touchScene(
        parse(SCENE(BALL("ball", ""), ", \"capacity\": {\"mechanisms\": 1, \"links\": 0, "
                                      "\"devices\": 0, \"couplings\": 0, \"rows\": 0}"),
              NULL));
    checkOk(t.world, plWorld_Grab(t.world, t.pointer.coupling, endOf(t.world)));
    letGo(&t);
}

static void aPlanarWorldStaysInItsPlane(void** state)
{
    (void)state;
    Touched t = touch(PALP_SOURCE_SCENES "/peg.json");
    const plSite peg = endOf(t.world);
    checkOk(t.world, plWorld_Grab(t.world, t.pointer.coupling, peg));
    const plPose above = {{0.03, -0.03, 0.2}, {1, 0, 0, 0}};
    checkOk(t.world, plWorld_Hold(t.world, t.pointer.device, above));
    for (int k = 0; k < 500; ++k) plWorld_Step(t.world, t.T);
    plPose pose;
    checkOk(t.world, plWorld_DevicePose(t.world, t.pointer.device, &pose));
    checkNear("pointer", pose.p.z, 0, 0);
    checkNear("peg", placeOf(&t, peg).z, 0, 0);
    letGo(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySceneCanBeDragged),
        cmocka_unit_test(aPulledBallComesToRestWhateverItsMass),
        cmocka_unit_test(namesThatAreTakenAreLeftAlone),
        cmocka_unit_test(aSceneThatGivesItsCapacityHasRoomForThePointer),
        cmocka_unit_test(aPlanarWorldStaysInItsPlane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
