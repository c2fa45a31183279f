// Force Dimension devices, by a libdrd that is emulated.
#define _GNU_SOURCE

#include "base/base.h"
#include "loaded.h"

static Emulated* e;

static void put(plVec3 p) { putDevice(&e->devices[0], p); }
static plVec3 felt(void) { return forceOf(&e->devices[0]); }
// x comes toward the person, y is right, z up
static plVec3 inWorld(plVec3 a) { return vec(a.y, -a.x, a.z); }
static void lose(bool lost) { e->unplugged = lost; }
static void lie(bool lies) { put(lies ? vec(NAN, 0, 0) : vec(0, 0, 0)); }
static void slow(bool slows) { e->dead = slows; } // 20 ms for each answer
static void fallMute(bool mute) { e->mute = mute; }
static void leap(bool leaps) { put(leaps ? vec(1e3, 0, 0) : vec(0, 0, 0)); }

static const Emulator emulator = {
    .text = "force-dimension",
    .put = put,
    .felt = felt,
    .inWorld = inWorld,
    .ways = {{lose, false}, {lie, true}, {leap, true}, {slow, true}, {fallMute, true}},
    .precision = 1e-9,
    .limit = 12};

static int reset(void** state)
{
    (void)state;
    e = loadEmulated("PALP_LIBDRD", PALP_EMULATED_DRD);
    resetEmulated(e);
    e->type = 33;
    return 0;
}

static void itIsFeltAndLetGo(void** state)
{
    checkFelt(*state);
    assert_false(e->devices[0].forceOn);
    assert_false(e->devices[0].opened);
}

// The device's y is the world's x.
static void turnsAndButtonsAreTold(void** state)
{
    (void)state;
    e->type = 104; // sigma.7
    const plSample s = turnedSample("force-dimension", e, 0, 5);
    checkNear("x", s.pose.q.x, sqrt(0.5), 1e-12);
    checkVector("spin", s.spin, vec(2, 0, 0), 1e-12);
    checkVector("velocity", s.velocity, vec(0, -0.25, 0), 1e-12);
}

// scale=2 doubles ways and leaves forces; in a planar world up is y.
static void scaleCentreAndPlaneAreThoseAskedFor(void** state)
{
    (void)state;
    e->devices[0].p[2] = 0.03;
    plReal* r = openReal("force-dimension,scale=2,limit=3,centre=0:0:0.01");
    waitForState(r, true);
    plReal_Place(r, (plPose){{0, 1, 0}, {1, 0, 0, 0}}, true);
    const plSample s = waitForPlace(r, vec(0, 1.04, 0), 1e-12);
    checkVector("place", s.pose.p, vec(0, 1.04, 0), 1e-12);
    checkNear("limit", plReal_State(r).limit, 3, 0);
    for (int i = 0; i < manyTicks && felt().z < 3 - 1e-9; ++i) ticks(r, vec(0, 9, 0), 1);
    checkVector("force", felt(), vec(0, 0, 3), 1e-9);
    plReal_Close(r);
}

static plVec3 first(void) { return inWorld(felt()); }
static plVec3 second(void) { return inWorld(forceOf(&e->devices[1])); }

static void twoAtOnceHaveTheirOwnForces(void** state)
{
    (void)state;
    e->count = 2;
    checkTwo(openReal("force-dimension,id=0"), openReal("force-dimension,id=1"), first, second,
             1e-9);
}

// From nothing to the limit in 10 ms, unless it is asked for otherwise; less than the limit of the device is no
// less gentle.
static void itsForceGoesNoFasterThanItsSlewLimit(void** state)
{
    (void)state;
    checkSlew(&e->devices[0], "force-dimension", 12, 1200);
    checkSlew(&e->devices[0], "force-dimension,limit=1", 1, 100);
    checkSlew(&e->devices[0], "force-dimension,limit=2,slew=150", 2, 150);
}

// Lost while the force is on its way, and found again, in any order: the limits hold, and a device that hears has no
// force 60 ms after it began: two answers of 20 ms, and the way to nothing. The best of some tries is judged.
static void whoeverIsLostIsNotJolted(void** state)
{
    enum { tries = 10, most = 60 };
    const Emulator* x = *state;
    EmulatedDevice* d = &e->devices[0];
    plRng rng = plRng_Seed(3);
    double least[mostWays];
    plReal* r = openReal("force-dimension");
    waitForState(r, true);
    for (int i = 0; i < mostWays; ++i) least[i] = INFINITY;
    d->rate = d->largest = 0;
    for (int i = 0; i < tries * mostWays; ++i) {
        const int way = i % mostWays;
        for (int k = 0; k < manyTicks && norm(felt()) < 1; ++k) ticks(r, vec(100, 0, 0), 1);
        ticks(r, vec(100, 0, 0), (int)plRng_Uniform(&rng, 0, 200)); // it may be easing
        ticks(r, vec(0, 9, 0), (int)plRng_Uniform(&rng, 0, 5));     // and be on its way elsewhere
        x->ways[way].go(true);
        const double begun = clockNow(), force = norm(felt());
        while (norm(felt()) > 0 && clockNow() < begun + 0.1) ticks(r, vec(0, 9, 0), 1);
        if (force > 0.5) least[way] = fmin(least[way], clockNow() - begun);
        ticks(r, vec(-9, 0, 0), (int)plRng_Uniform(&rng, 0, 60));
        x->ways[way].go(false);
    }
    plReal_Close(r);
    print_message("force at most %g N, change %g N per s\n", d->largest, d->rate);
    checkAtMost("force", d->largest, 12 * (1 + 1e-12));
    checkAtMost("change of the force", d->rate, 1200 * (1 + 1e-6));
    for (int i = 0; i < mostWays; ++i) {
        print_message("way %d of being lost: no force after %.1f ms\n", i, 1e3 * least[i]);
        if (x->ways[i].hears) checkAtMost("until there is no force [s]", least[i], 1e-3 * most);
    }
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
    expectRefused("force-dimension,limit=3,slew=190", "slew must be 200 N/s at least");
    expectRefused("force-dimension:/nothing/libdrd.so", "there is no library /nothing/libdrd.so");
    expectRefused("force-dimension:" PALP_EMULATED_HD, "it has no dhdGetDeviceCount");
    expectRefused("force-dimension:/etc/passwd", "cannot be loaded");
    unsetenv("PALP_LIBDRD");
    expectRefused("force-dimension", "install the Force Dimension SDK");
    setenv("PALP_LIBDRD", PALP_EMULATED_DRD, 1);
    e->count = 0;
    expectRefused("force-dimension", "no Force Dimension device is connected");
    e->count = 1;
    expectRefused("force-dimension,id=1", "ids 0 to 0");
    e->refuses = true;
    expectRefused("force-dimension", "udev");
    e->refuses = false;
}

static void itMovesByItselfOnlyWhenThatIsAllowed(void** state)
{
    (void)state;
    e->calibrated = false;
    const unsigned long before = e->devices[0].moves;
    expectRefused("force-dimension", "not calibrated");
    assert_int_equal(e->devices[0].moves, before);
    assert_false(e->devices[0].opened);
    plReal* r = openReal("force-dimension,init=yes");
    assert_int_equal(e->devices[0].moves, before + 1);
    plReal_Close(r);
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
        REAL_TEST(turnsAndButtonsAreTold, reset, NULL),
        REAL_TEST(scaleCentreAndPlaneAreThoseAskedFor, reset, NULL),
        REAL_TEST(twoAtOnceHaveTheirOwnForces, reset, NULL),
        REAL_TEST(itsForceGoesNoFasterThanItsSlewLimit, reset, NULL),
        REAL_TEST(whoeverIsLostIsNotJolted, reset, NULL),
        REAL_TEST(whatIsWrongIsSaid, reset, NULL),
        REAL_TEST(itMovesByItselfOnlyWhenThatIsAllowed, reset, NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
