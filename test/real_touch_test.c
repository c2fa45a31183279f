// 3D Systems Touch, by a libHD that is emulated, with a scheduler of its own.
#define _GNU_SOURCE

#include "loaded.h"

static Emulated* e;

static void put(plVec3 p) { putDevice(&e->devices[0], p); }
static plVec3 felt(void) { return forceOf(&e->devices[0]); }
// x is right, y up, z comes toward the person
static plVec3 inWorld(plVec3 a) { return vec(a.x, -a.z, a.y); }
static void lose(bool lost) { e->unplugged = lost; }
static void stop(bool stops) { e->dead = stops; }
static void lie(bool lies) { put(lies ? vec(0, INFINITY, 0) : vec(0, 0, 0)); }

static const Emulator emulator = {.text = "touch",
                                  .put = put,
                                  .felt = felt,
                                  .inWorld = inWorld,
                                  .ways = {{lose, false}, {stop, false}, {lie, true}},
                                  .precision = 1e-9,
                                  .limit = 3.3};

static int reset(void** state)
{
    (void)state;
    e = loadEmulated("PALP_LIBHD", PALP_EMULATED_HD);
    resetEmulated(e);
    e->devices[0].limit = e->devices[1].limit = 3.3;
    return 0;
}

static void itIsFeltAndLetGo(void** state)
{
    checkFelt(*state);
    assert_false(e->devices[0].forceOn);
    assert_false(e->devices[0].opened);
}

// A transform is by columns, and ways are in millimetres; the device's y, which is up, is the world's z.
static void turnsRatesAndButtonsAreTold(void** state)
{
    (void)state;
    const plSample s = turnedSample("touch", e, 2, 2);
    checkNear("z", s.pose.q.z, sqrt(0.5), 1e-12);
    checkVector("spin", s.spin, vec(0, 0, 2), 1e-12);
    checkVector("velocity", s.velocity, vec(0, -0.25, 0), 1e-12);
}

static plVec3 first(void) { return inWorld(felt()); }
static plVec3 second(void) { return inWorld(forceOf(&e->devices[1])); }

static void twoAtOnceShareTheScheduler(void** state)
{
    (void)state;
    e->count = 2;
    checkTwo(openReal("touch"), openReal("touch,id=Left Device"), first, second, 1e-9);
}

// From nothing to the limit in 10 ms, unless it is asked for otherwise; less than the limit of the device is no
// less gentle.
static void itsForceGoesNoFasterThanItsSlewLimit(void** state)
{
    (void)state;
    checkSlew(&e->devices[0], "touch", 3.3, 330);
    checkSlew(&e->devices[0], "touch,limit=1", 1, 100);
    checkSlew(&e->devices[0], "touch,limit=2,slew=150", 2, 150);
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
    expectRefused("touch,limit=3,slew=190", "slew must be 200 N/s at least");
    expectRefused("touch:/nothing/libHD.so", "there is no library /nothing/libHD.so");
    expectRefused("touch:" PALP_EMULATED_DRD, "it has no hdInitDevice");
    unsetenv("PALP_LIBHD");
    expectRefused("touch", "install 3D Systems OpenHaptics");
    setenv("PALP_LIBHD", PALP_EMULATED_HD, 1);
    e->refuses = true;
    expectRefused("touch", "finds no device (device fault)");
    e->refuses = false;
    e->calibrated = false;
    expectRefused("touch", "not calibrated");
    assert_false(e->devices[0].opened);
    e->calibrated = e->dead = true;
    expectRefused("touch", "scheduler does not run");
    assert_false(e->devices[0].opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        REAL_TEST(itIsFoundAndMoved, reset, NULL),
        REAL_TEST(itIsFeltAndLetGo, reset, NULL),
        REAL_TEST(itsForceEasesIn, reset, NULL),
        REAL_TEST(itsForceStaysWithinItsLimit, reset, NULL),
        REAL_TEST(itIsLostAndFoundAgain, reset, NULL),
        REAL_TEST(whenNobodyAsksTheForceGoes, reset, NULL),
        REAL_TEST(turnsRatesAndButtonsAreTold, reset, NULL),
        REAL_TEST(twoAtOnceShareTheScheduler, reset, NULL),
        REAL_TEST(itsForceGoesNoFasterThanItsSlewLimit, reset, NULL),
        REAL_TEST(whatIsWrongIsSaid, reset, NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
