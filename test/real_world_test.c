// Real devices in a world: what a hand at an emulated device feels of a wall.
#define _GNU_SOURCE

#include "loaded.h"
#include "palp/runtime.h"
#include "scene/scene.h"

static Emulated *omega, *touch;

// Two tips over one wall of 1500 N/m, each felt directly, 10 mm above it.
static const char scene[] =
    "{\"title\": \"two\", \"time\": 1, \"step\": 0.001, \"gravity\": [0, 0, 0], \"law\": "
    "\"penalty\","
    "\"materials\": [{\"name\": \"wall\", \"friction\": 0, \"stiffness\": 1500, \"damping\": 0}],"
    "\"ground\": {\"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 1], \"material\": "
    "\"wall\"}]},"
    "\"mechanisms\": ["
    "{\"type\": \"prescribed\", \"name\": \"a\", \"position\": [0, 0, 0.02],"
    "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.01, \"material\": \"wall\"}]},"
    "{\"type\": \"prescribed\", \"name\": \"b\", \"position\": [0.1, 0, 0.02],"
    "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.01, \"material\": \"wall\"}]}],"
    "\"devices\": [{\"name\": \"left\", \"position\": [0, 0, 0.02]},"
    "{\"name\": \"right\", \"position\": [0.1, 0, 0.02]}],"
    "\"couplings\": [{\"name\": \"c\", \"type\": \"direct\", \"device\": \"left\", \"mechanism\": "
    "\"a\"},"
    "{\"name\": \"d\", \"type\": \"direct\", \"device\": \"right\", \"mechanism\": \"b\"}]}";

static plWorld* twoTips(void)
{
    plSceneError error;
    plScene* s;
    plWorld* w = NULL;
    if (plScene_Parse("two", scene, strlen(scene), NULL, 0, &s, &error) != pl_statusOk ||
        plScene_CreateWorld(s, &w, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    plScene_Destroy(s);
    return w;
}

static void attach(plWorld* w, const char* name, plReal* r)
{
    plDeviceId id;
    plDeviceDef def;
    const plDeviceCalls calls = plReal_Calls(r);
    assert_int_equal(plWorld_FindDevice(w, name, &id), pl_statusOk);
    assert_int_equal(plWorld_DeviceDef(w, id, &def), pl_statusOk);
    plReal_Place(r, def.pose, false);
    assert_int_equal(plWorld_AttachDevice(w, id, &calls), pl_statusOk);
}

static void waitFor(const char* what, const _Atomic double* force, double expected)
{
    for (int i = 0; i < 10000; ++i) {
        if (fabs(*force - expected) < 1e-3) return; // the wall's spring gives to the last digit
        rest(1e-3);
    }
    checkNear(what, *force, expected, 1e-3);
}

static int reset(void** state)
{
    (void)state;
    omega = loadEmulated("PALP_LIBDRD", PALP_EMULATED_DRD);
    touch = loadEmulated("PALP_LIBHD", PALP_EMULATED_HD);
    return 0;
}

// An omega goes 2 mm into the wall, a Touch 1 mm, at once: 3 N and 1.5 N upward. One is lost and found, the
// other feels nothing of that.
static void twoHandsFeelOneWall(void** state)
{
    (void)state;
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* runtime;
    plReal *a = openReal("force-dimension,centre=0:0:0"), *b = openReal("touch,centre=0:0:0");
    def.world = twoTips();
    def.privileges = false;
    attach(def.world, "left", a);
    attach(def.world, "right", b);
    assert_int_equal(plRuntime_Create(&def, &runtime), pl_statusOk);

    _Atomic double *left = &omega->devices[0].force[2], *right = &touch->devices[0].force[1];
    waitFor("omega in the air", left, 0);
    omega->devices[0].p[2] = -0.012; // up is z
    touch->devices[0].p[1] = -0.011; // up is y
    waitFor("omega", left, 3);
    waitFor("touch", right, 1.5);
    omega->unplugged = true;
    waitForState(a, false);
    waitFor("touch", right, 1.5);
    omega->devices[0].force[2] = 0;
    omega->unplugged = false;
    waitFor("omega, found again", left, 3);
    const double x = omega->devices[0].force[0], y = omega->devices[0].force[1];
    checkAtMost("sideways", hypot(x, y), 1e-9);

    // it goes deeper than its limit
    touch->devices[0].p[1] = -0.02;
    waitFor("touch at its limit", right, 3.3);
    const double before = clockNow();
    assert_true(plRuntime_Post(runtime, &(plCommand){.kind = pl_commandPause}));
    waitFor("touch, paused", right, 0);
    waitFor("omega, paused", left, 0);
    print_message("paused: no force after %.1f ms\n", 1e3 * (clockNow() - before));
    plRuntime_Destroy(runtime);
    plReal_Close(a);
    plReal_Close(b);
    assert_false(omega->devices[0].opened || touch->devices[0].opened);
}

// A library that takes 20 ms for an answer holds up nobody but its own thread.
static void aTickNeverWaitsForADevice(void** state)
{
    (void)state;
    omega->devices[0].p[2] = 0;
    plReal* r = openReal("force-dimension");
    waitForState(r, true);
    const plDeviceCalls calls = plReal_Calls(r);
    const plWrench f = {{0, 0, 0}, {0, 0, 0}};
    double least = 1;
    double sum = 0;
    omega->dead = true;
    for (int i = 0; i < 2000; ++i) {
        plSample s = {0};
        const double begin = clockNow();
        calls.sample(calls.self, 0, &s);
        calls.write(calls.self, &f, 1e-3);
        least = fmin(least, clockNow() - begin);
        sum += clockNow() - begin;
    }
    print_message("sample and write: %.2f us, mean %.2f us\n", 1e6 * least, 5e2 * sum);
    assert_true(sum / 2000 < 5e-3); // one that waits for the device takes 20 ms
    omega->dead = false;
    plReal_Close(r);
}

static void whatAPersonWritesIsReadOrRefused(void** state)
{
    static const char* const bad[] = {"",
                                      "tuch",
                                      "touch,",
                                      "touch,scale",
                                      "touch,scale=0",
                                      "touch,scale=nan",
                                      "touch,scale=1x",
                                      "touch,limit=-1",
                                      "touch,centre=1:2",
                                      "touch,centre=9:9:9",
                                      "touch,centre=0:0:0:0",
                                      "touch,init=no",
                                      "touch,wings=2"};
    plRealDef def;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (!plRealDef_Parse(bad[i], &def)) fail_msg("\"%s\" was read", bad[i]);
    }
    char longOne[2000];
    memset(longOne, 'x', sizeof longOne);
    memcpy(longOne, "touch:", 6);
    longOne[sizeof longOne - 1] = '\0';
    assert_non_null(plRealDef_Parse(longOne, &def));
    longOne[400] = '\0';
    assert_non_null(plRealDef_Parse(longOne, &def));
    assert_null(plRealDef_Parse("inverse3:ws://localhost:10001,scale=2,id=049D,limit=4,"
                                "centre=0:0.1:0.2",
                                &def));
    assert_int_equal(def.kind, pl_realInverse3);
    assert_string_equal(def.address, "ws://localhost:10001");
    assert_string_equal(def.id, "049D");
    assert_true(def.scale == 2 && def.limit == 4 && def.centred && def.centre.y == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(twoHandsFeelOneWall, reset),
        cmocka_unit_test_setup(aTickNeverWaitsForADevice, reset),
        cmocka_unit_test(whatAPersonWritesIsReadOrRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
