// A scene that a device drives from outside: only who holds the tool changes what the hand feels.
#define _GNU_SOURCE

#include "wire.h"

#include <stdatomic.h>

// --- a device that is pressed against the world

static atomic_long writes;

static void sample(void* self, double time, plSample* s)
{
    (void)self, (void)time;
    *s = (plSample){.pose = {{0.02, 0, 0}, {1, 0, 0, 0}}};
}

static void write1(void* self, const plWrench* f, double T)
{
    (void)self, (void)f, (void)T;
    ++writes;
}

static const char* attach(void* self, const plScene* scene, plWorld* w)
{
    const plDeviceCalls calls = {.sample = sample, .write = write1};
    (void)self, (void)scene;
    return plWorld_AttachDevice(w, (plDeviceId){1, 1}, &calls) == pl_statusOk ? NULL
                                                                              : plWorld_Error(w);
}

static void detach(void* self) { (void)self; }

static Served served;

static int begin(void** state)
{
    plServerDef def = servedDef(&served);
    (void)state;
    def.drivers = (plDrivers){.scene = "peg", .attach = attach, .detach = detach};
    def.silence = 0.5;
    def.privileges = true;
    serve(&served, &def);
    return 0;
}

static int end(void** state)
{
    (void)state;
    endServer(&served);
    return 0;
}

// --- who may do what

static const plCommand changes[] = {
    {.kind = pl_commandPause},
    {.kind = pl_commandResume},
    {.kind = pl_commandTicks, .index = 1},
    {.kind = pl_commandReset},
    {.kind = pl_commandSpeed, .value = 0.5},
    {.kind = pl_commandStep, .value = 2e-3},
    {.kind = pl_commandLaw, .index = pl_lawPenalty},
    {.kind = pl_commandIntegrator, .index = pl_integratorExplicit},
    {.kind = pl_commandMaterial, .choice = pl_ofStiffness, .value = 1e6},
    {.kind = pl_commandLimit, .choice = pl_limitNone},
    {.kind = pl_commandModel, .choice = 0},
};

enum { changeCount = sizeof changes / sizeof *changes };

/// What a picture tells of the world, but for where it is.
typedef struct {
    bool paused;
    double step, speed, law;
} Settings;

static Settings settingsNow(Wire* w)
{
    for (int i = 0; i < 10; ++i) nextPicture(w);
    return (Settings){w->bytes[1] & 1, numberOf(w, ofStep), numberOf(w, ofStep + 1),
                      numberOf(w, ofLaw)};
}

static void expectSettings(Wire* w, Settings expected)
{
    const Settings now = settingsNow(w);
    assert_int_equal(now.paused, expected.paused);
    checkNear("step", now.step, expected.step, 0);
    checkNear("speed", now.speed, expected.speed, 0);
    checkNear("law", now.law, expected.law, 0);
}

// One after the other as fast as they go: each is told why, and nobody is shown the door for it.
static void whoDoesNotHoldTheToolChangesNothing(void** state)
{
    (void)state;
    Wire holder, other;
    json_t* hello = openScene(&holder, served.port, "?scene=peg");
    json_decref(openScene(&other, served.port, "?scene=peg"));
    assert_true(json_is_true(json_object_get(json_object_get(hello, "world"), "driven")));
    const Settings before = settingsNow(&other);
    for (int held = 0; held < 2; ++held) {
        for (int i = 0; i < changeCount; ++i) {
            const double tick = numberOf(&other, ofTick);
            command(&other, changes[i]);
            expectNotice(&other, "refused", "a device drives this scene");
            nextPicture(&other);
            assert_true(numberOf(&other, ofTick) >= tick); // it was not reset
        }
        expectSettings(&other, before);
        say(&holder, &(plMessage){.kind = pl_messageTake});
    }
    say(&other, &(plMessage){.kind = pl_messageLook, .looks = true});
    expectNotice(&other, "refused", "only who holds the tool may look");
    json_decref(hello);
    hangUp(&holder);
    hangUp(&other);
}

static void whoHoldsTheToolChangesAll(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=peg");
    const Settings before = settingsNow(&w);
    say(&w, &(plMessage){.kind = pl_messageTake});
    expectHolder(&w, clientOf(hello));
    command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    command(&w, (plCommand){.kind = pl_commandStep, .value = 2e-3});
    command(&w, (plCommand){.kind = pl_commandSpeed, .value = 0.5});
    command(&w, (plCommand){.kind = pl_commandPause});
    expectSettings(&w, (Settings){true, 2e-3, 0.5, pl_lawPenalty});
    command(&w, (plCommand){.kind = pl_commandReset});
    command(&w, (plCommand){.kind = pl_commandStep, .value = before.step});
    command(&w, (plCommand){.kind = pl_commandSpeed, .value = before.speed});
    command(&w, (plCommand){.kind = pl_commandResume});
    expectSettings(&w, before);
    json_decref(hello);
    hangUp(&w);
}

// Its pages go on telling where the hand is until they hear of it.
static void whatWasOnItsWayWhenTheToolWasLostIsNoFault(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=peg");
    say(&w, &(plMessage){.kind = pl_messageTake});
    expectHolder(&w, clientOf(hello));
    expectHolder(&w, 0); // silent
    for (int i = 0; i < 20; ++i) {
        command(&w, (plCommand){.kind = pl_commandHold, .index = 1, .pose = {.p = {0.1, 0, 0}}});
        command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    }
    say(&w, &(plMessage){.kind = pl_messageLeave});
    say(&w, &(plMessage){.kind = pl_messageTake});
    expectHolder(&w, clientOf(hello));
    for (int i = 0; i < 30; ++i) nextPicture(&w); // it is still there
    json_decref(hello);
    hangUp(&w);
}

// A scene without a device is everybody's, as before; of the one with a device there is no session, and nobody
// makes its ticks longer by asking.
static void theOtherScenesAreEverybodys(void** state)
{
    (void)state;
    Wire w;
    json_t* hello = openScene(&w, served.port, "?scene=box");
    assert_true(json_is_false(json_object_get(json_object_get(hello, "world"), "driven")));
    command(&w, (plCommand){.kind = pl_commandPause});
    for (int i = 0; i < 200; ++i) {
        nextPicture(&w);
        if (w.bytes[1] & 1) break;
    }
    assert_true(w.bytes[1] & 1);
    assert_int_equal(ask(served.port, "/api/session/box"), 200);
    assert_int_equal(ask(served.port, "/api/session/peg"), 404);
    assert_non_null(strstr(bodyOfAnswer(), "a device of the outside drives it"));
    json_decref(hello);
    hangUp(&w);
    assert_true(writes > 0);
}

// --- who comes first

static bool mayBeRealTime(void)
{
    const struct sched_param first = {.sched_priority = 1}, usual = {0};
    const bool may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) == 0;
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
    return may;
}

static bool isRealTime(const char* query)
{
    Wire w;
    json_decref(openScene(&w, served.port, query));
    nextPicture(&w);
    const bool is = w.bytes[1] & 2;
    hangUp(&w);
    return is;
}

static void onlyWhatADeviceDrivesIsRealTime(void** state)
{
    (void)state;
    const bool may = mayBeRealTime();
    print_message("this system %s real-time scheduling\n", may ? "gives" : "refuses");
    assert_int_equal(isRealTime("?scene=peg"), may);
    assert_false(isRealTime("?scene=stack"));
    assert_false(isRealTime("?scene=arm"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoDoesNotHoldTheToolChangesNothing),
        cmocka_unit_test(whoHoldsTheToolChangesAll),
        cmocka_unit_test(whatWasOnItsWayWhenTheToolWasLostIsNoFault),
        cmocka_unit_test(theOtherScenesAreEverybodys),
        cmocka_unit_test(onlyWhatADeviceDrivesIsRealTime),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
