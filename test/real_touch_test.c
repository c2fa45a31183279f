// 3D Systems Touch, by a libHD that is emulated, with a scheduler of its own.
#define _GNU_SOURCE

#include "emulate.h"
#include "reals.h"

#include <dlfcn.h>

static Emulated* e;

static void putAt(int i, plVec3 p)
{
    EmulatedDevice* d = &e->devices[i];
    d->p[0] = p.x;
    d->p[1] = p.y;
    d->p[2] = p.z;
    for (int k = 0; k < 9; ++k) d->R[k] = k % 4 == 0;
}
static void put(plVec3 p) { putAt(0, p); }
static plVec3 feltAt(int i)
{
    const EmulatedDevice* d = &e->devices[i];
    return d->forceOn ? vec(d->force[0], d->force[1], d->force[2]) : vec(0, 0, 0);
}
static plVec3 felt(void) { return feltAt(0); }
// x is right, y up, z comes toward the person
static plVec3 inWorld(plVec3 a) { return vec(a.x, -a.z, a.y); }
static void lose(bool lost) { e->unplugged = lost; }
static void stop(bool stops) { e->dead = stops; }
static void lie(bool lies) { put(lies ? vec(0, INFINITY, 0) : vec(0, 0, 0)); }

static const Emulator emulator = {.text = "touch",
                                  .put = put,
                                  .felt = felt,
                                  .inWorld = inWorld,
                                  .lose = lose,
                                  .lie = lie,
                                  .precision = 1e-9,
                                  .limit = 3.3};

static int reset(void** state)
{
    (void)state;
    setenv("PALP_LIBHD", PALP_EMULATED_HD, 1);
    void* library = dlopen(PALP_EMULATED_HD, RTLD_NOW);
    EmulatedCall* call;
    if (!library) return 1;
    void* address = dlsym(library, "emulated");
    memcpy(&call, &address, sizeof call);
    e = call();
    e->count = 1;
    e->calibrated = true;
    e->refuses = e->unplugged = e->dead = false;
    e->devices[0].buttons = 0;
    e->devices[0].limit = e->devices[1].limit = 3.3;
    putAt(0, vec(0, 0, 0));
    putAt(1, vec(0, 0, 0));
    return 0;
}

static void itIsFoundAndMoved(void** state)
{
    (void)state;
    checkMoved(&emulator);
}

static void itIsFeltAndLetGo(void** state)
{
    (void)state;
    checkFelt(&emulator);
    assert_false(e->devices[0].forceOn);
    assert_false(e->devices[0].opened);
}

static void itsForceEasesIn(void** state)
{
    (void)state;
    checkEasesIn(&emulator);
}

static void itsForceStaysWithinItsLimit(void** state)
{
    (void)state;
    checkSaturates(&emulator);
}

static void itIsLostAndFoundAgain(void** state)
{
    (void)state;
    checkLostAndFound(&emulator, lose, false);
    checkLostAndFound(&emulator, stop, false);
    checkLostAndFound(&emulator, lie, true);
}

static void whenNobodyAsksTheForceGoes(void** state)
{
    (void)state;
    checkWatches(&emulator);
}

// A transform is by columns, and ways are in millimetres: a quarter turn about the device's y, which is
// up, is one about the world's z.
static void turnsRatesAndButtonsAreTold(void** state)
{
    static const double quarter[] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    (void)state;
    plReal* r = openReal("touch");
    waitForState(r, true);
    ticks(r, vec(0, 0, 0), 3);
    for (int i = 0; i < 9; ++i) e->devices[0].R[i] = quarter[i];
    e->devices[0].w[1] = 2;
    e->devices[0].v[2] = 0.25;
    e->devices[0].buttons = 2;
    rest(0.02);
    const plSample s = waitForPlace(r, vec(0, 0, 0), 1e-6);
    checkNear("w", s.pose.q.w, sqrt(0.5), 1e-12);
    checkNear("z", s.pose.q.z, sqrt(0.5), 1e-12);
    checkVector("spin", s.spin, vec(0, 0, 2), 1e-12);
    checkVector("velocity", s.velocity, vec(0, -0.25, 0), 1e-12);
    assert_int_equal(s.buttons, 2);
    e->devices[0].w[1] = e->devices[0].v[2] = 0;
    plReal_Close(r);
}

static plVec3 first(void) { return inWorld(felt()); }
static plVec3 second(void) { return inWorld(feltAt(1)); }

static void twoAtOnceShareTheScheduler(void** state)
{
    (void)state;
    e->count = 2;
    checkTwo(openReal("touch"), openReal("touch,id=Left Device"), first, second, 1e-9);
}

static void whatIsWrongIsSaid(void** state)
{
    (void)state;
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
        cmocka_unit_test_setup(itIsFoundAndMoved, reset),
        cmocka_unit_test_setup(itIsFeltAndLetGo, reset),
        cmocka_unit_test_setup(itsForceEasesIn, reset),
        cmocka_unit_test_setup(itsForceStaysWithinItsLimit, reset),
        cmocka_unit_test_setup(itIsLostAndFoundAgain, reset),
        cmocka_unit_test_setup(whenNobodyAsksTheForceGoes, reset),
        cmocka_unit_test_setup(turnsRatesAndButtonsAreTold, reset),
        cmocka_unit_test_setup(twoAtOnceShareTheScheduler, reset),
        cmocka_unit_test_setup(whatIsWrongIsSaid, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
