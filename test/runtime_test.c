// The loop: what it hands over is whole, what it was told is obeyed and recorded, and the record
// gives the same world again.
#define _POSIX_C_SOURCE 200809L

#include "clock.h"
#include "palp/runtime.h"
#include "scene_worlds.h"

#include <string.h>

static plRuntime* start(const char* scene, bool paused, int channels, const char* const* names)
{
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    def.world = sceneWorld(scene);
    def.paused = paused;
    def.privileges = false;
    def.pictureRate = 500;
    def.channelCount = channels;
    def.channels = names;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    return r;
}

static void post(plRuntime* r, plCommand c) { assert_true(plRuntime_Post(r, &c)); }

/// Takes pictures, all of them whole and none older than the last, until one fits.
static const plPicture* waitFor(plRuntime* r, bool (*fits)(const plPicture*, double), double x)
{
    uint64_t sequence = 0;
    for (int i = 0; i < 200000; ++i) {
        bool fresh;
        const plPicture* p = plRuntime_Picture(r, &fresh);
        if (p && fresh) {
            assert_true(plPicture_Whole(p));
            assert_true(p->sequence > sequence);
            sequence = p->sequence;
            if (fits(p, x)) return p;
        }
        rest(2e-4);
    }
    fail_msg("no picture fits");
    return NULL;
}

static bool laterThan(const plPicture* p, double time) { return p->time > time; }
static bool atTick(const plPicture* p, double tick) { return p->tick == (uint64_t)tick; }
static bool hasLaw(const plPicture* p, double law) { return (int)p->law == (int)law; }
static bool isPaused(const plPicture* p, double x) { return p->paused == (x > 0); }
static bool hasRefused(const plPicture* p, double x) { return p->refused >= (uint64_t)x; }

static void picturesShowTheWorld(void** state)
{
    (void)state;
    plRuntime* r = start("stack", false, 0, NULL);
    const plPicture* p = waitFor(r, laterThan, 0.05);
    assert_true(p->bodyCount > 0 && p->contactCount > 0);
    assert_true(p->ledger.kinetic >= 0);
    for (int i = 0; i < p->bodyCount; ++i) {
        const plPose pose = plPicture_Bodies(p)[i].pose;
        checkNear("unit",
                  pose.q.w * pose.q.w + pose.q.x * pose.q.x + pose.q.y * pose.q.y +
                      pose.q.z * pose.q.z,
                  1, 1e-9);
    }
    assert_true(p->timing.ticks > 0 && p->timing.tick.p50 > 0);
    assert_true(p->timing.tick.most >= p->timing.tick.p999);
    plRuntime_Destroy(r);
}

static void ticksAreCountedWhilePaused(void** state)
{
    (void)state;
    plRuntime* r = start("arm", true, 0, NULL);
    waitFor(r, isPaused, 1);
    post(r, (plCommand){.kind = pl_commandTicks, .index = 7});
    waitFor(r, atTick, 7);
    rest(0.02);
    post(r, (plCommand){.kind = pl_commandTicks, .index = 3});
    waitFor(r, atTick, 10);
    post(r, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    waitFor(r, hasLaw, pl_lawPenalty);
    post(r, (plCommand){.kind = pl_commandReset});
    const plPicture* p = waitFor(r, atTick, 0);
    assert_int_equal(p->law, pl_lawCone);
    post(r, (plCommand){.kind = pl_commandResume});
    waitFor(r, laterThan, 0.02);
    plRuntime_Destroy(r);
}

static void foolishCommandsAreRefusedAndCounted(void** state)
{
    (void)state;
    plRuntime* r = start("stack", false, 0, NULL);
    const plCommand foolish[] = {{.kind = (plCommandKind)-1},
                                 {.kind = pl_commandCount},
                                 {.kind = pl_commandTicks, .index = 0},
                                 {.kind = pl_commandTicks, .index = 1001},
                                 {.kind = pl_commandSpeed, .value = 0},
                                 {.kind = pl_commandSpeed, .value = NAN},
                                 {.kind = pl_commandStep, .value = 1},
                                 {.kind = pl_commandStep, .value = -1e-3},
                                 {.kind = pl_commandLaw, .index = 99},
                                 {.kind = pl_commandLaw, .index = pl_lawCount},
                                 {.kind = pl_commandIntegrator, .index = -1}};
    const int count = (int)(sizeof foolish / sizeof *foolish);
    for (int i = 0; i < count; ++i) post(r, foolish[i]);
    const plPicture* p = waitFor(r, hasRefused, count);
    assert_int_equal(p->refused, count);
    assert_true(p->step == 1e-3 && p->speed == 1 && !p->paused);
    plRuntime_Destroy(r);
}

// A driver that sleeps for 60 ms in one tick.
static bool hasStalled(const plPicture* p, double x) { return p->timing.stalls >= (uint64_t)x; }

typedef struct {
    int left;            ///< samples until it sleeps
    double most;         ///< force that was written
    double last, before; ///< the last force, and the one before it
    int zeroAt;          ///< how many samples after the sleep there was no force; 0: never
} Sleeper;

static void sampleSleepily(void* self, double time, plSample* s)
{
    Sleeper* sleeper = self;
    (void)time;
    *s = (plSample){.pose = {{0.05, 0, 0}, {1, 0, 0, 0}}};
    if (sleeper->left-- == 0) rest(0.06);
}

static void writeSleepily(void* self, const plWrench* f, double T)
{
    Sleeper* sleeper = self;
    (void)T;
    sleeper->before = sleeper->last;
    sleeper->last = fmax(fabs(f->force.x), fabs(f->force.y));
    sleeper->most = fmax(sleeper->most, sleeper->last);
    if (sleeper->left < 0 && sleeper->last == 0 && sleeper->zeroAt == 0) {
        sleeper->zeroAt = -sleeper->left;
    }
}

enum { limit = 3 }; // [N]

/// The peg, its stick held by a driver that is away from where the peg can be.
static plWorld* sleepyWorld(Sleeper* sleeper)
{
    const plDeviceCalls calls = {.self = sleeper, .sample = sampleSleepily, .write = writeSleepily};
    plWorld* w = sceneWorldWith("peg", "devices.stick.forceLimit=3");
    plDeviceId stick;
    assert_int_equal(plWorld_FindDevice(w, "stick", &stick), pl_statusOk);
    assert_int_equal(plWorld_AttachDevice(w, stick, &calls), pl_statusOk);
    return w;
}

static void aTickThatDoesNotComeEasesTheForceAndTheLoopGoesOn(void** state)
{
    (void)state;
    static plApplied applied[4096];
    Sleeper sleeper = {.left = 300};
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    bool seen = false;
    def.world = sleepyWorld(&sleeper);
    def.privileges = false;
    def.pictureRate = 500;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    for (int i = 0; i < 10000 && !seen; ++i) { // the watchdog, from outside, while the tick is away
        seen = plRuntime_Stalled(r);
        rest(5e-4);
    }
    const plPicture* p = waitFor(r, hasStalled, 1);
    assert_true(seen);
    assert_true(p->timing.stalled);
    waitFor(r, laterThan, fmax(p->time, 0.3) + 0.3);
    const int count = (int)plRuntime_Applied(r, applied, 4096);
    plRuntime_Destroy(r); // and with it the thread that writes
    print_message("%d alarms; no force after %d ticks; at most %.3g N, %.3g N at the end\n", count,
                  sleeper.zeroAt, sleeper.most, sleeper.before);
    assert_true(count >= 20);                                // a tick each, for 20 ms
    assert_true(sleeper.zeroAt > 0 && sleeper.zeroAt <= 22); // the sleep's own tick, and 20 more
    checkAtMost("within the limit", sleeper.most, limit);
    assert_true(sleeper.before > 0); // it came back
    checkNear("told to let go", sleeper.last, 0, 0);
}

static bool tickFrom(const plPicture* p, double tick) { return p->tick >= (uint64_t)tick; }

static void otherChannelsCanBeWatchedWhileItRuns(void** state)
{
    (void)state;
    static double rows[40000][4];
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    plChannel time, energy;
    def.world = sceneWorld("arm");
    def.privileges = false;
    def.pictureRate = 500;
    def.channelRoom = 2;
    assert_int_equal(plWorld_FindChannel(def.world, "time", &time), pl_statusOk);
    assert_int_equal(plWorld_FindChannel(def.world, "energy", &energy), pl_statusOk);
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    const plPicture* p = waitFor(r, laterThan, 0.02);
    assert_int_equal(plRuntime_Rows(r, &rows[0][0], 40000), 0);
    assert_int_equal(plRuntime_Watch(r, (plChannel[]){time, energy}, 2), 1);
    p = waitFor(r, tickFrom, (double)p->tick + 50);
    assert_int_equal(plRuntime_Watch(r, (plChannel[]){energy, time}, 2), 2);
    waitFor(r, tickFrom, (double)p->tick + 50);
    const size_t count = plRuntime_Rows(r, &rows[0][0], 40000);
    assert_true(count > 60 && rows[0][1] == 1 && rows[count - 1][1] == 2);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) assert_true(rows[i][0] == rows[i - 1][0] + 1 && rows[i][1] >= rows[i - 1][1]);
        checkNear("time", rows[i][rows[i][1] == 1 ? 2 : 3], 1e-3 * rows[i][0], 1e-12);
    }
    plRuntime_Destroy(r);
}

// The same commands at the same ticks, without a loop.
static uint64_t again(const char* scene, const plApplied* applied, int count, uint64_t ticks)
{
    plWorld* w = sceneWorld(scene);
    const size_t size = plWorld_SnapshotSize(w);
    void* begin = malloc(size);
    double T = 1e-3;
    int next = 0;
    assert_non_null(begin);
    plWorld_Save(w, begin);
    while (next < count || plWorld_Tick(w) < ticks) {
        while (next < count && applied[next].tick == plWorld_Tick(w)) {
            const plCommand* c = &applied[next++].command;
            if (c->kind == pl_commandStep) T = c->value;
            assert_int_equal(plCommand_Obey(c, w, begin, size), pl_statusOk);
        }
        if (plWorld_Tick(w) < ticks) plWorld_Step(w, T);
    }
    plWorld_Rest(w); // paused
    const uint64_t hash = plWorld_Hash(w);
    free(begin);
    plWorld_Destroy(w);
    return hash;
}

/// Commands of the test itself: a loop that was held up by the machine adds alarms.
static int postedOf(const plApplied* applied, int count)
{
    int posted = 0;
    for (int i = 0; i < count; ++i) posted += applied[i].command.kind != pl_commandAlarm;
    return posted;
}

static plApplied* stepOf(plApplied* applied)
{
    while (applied->command.kind != pl_commandStep) ++applied;
    return applied;
}

static void sessionRunsAgain(const char* scene)
{
    static plApplied applied[4096];
    plRuntime* r = start(scene, false, 0, NULL);
    waitFor(r, laterThan, 0.03);
    post(r, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    waitFor(r, hasLaw, pl_lawPenalty);
    post(r, (plCommand){.kind = pl_commandStep, .value = 5e-4});
    post(r, (plCommand){.kind = pl_commandIntegrator, .index = pl_integratorSemiImplicit});
    post(r, (plCommand){.kind = pl_commandSpeed, .value = 0.5});
    waitFor(r, laterThan, 0.08);
    post(r, (plCommand){.kind = pl_commandLaw, .index = pl_lawLcp});
    post(r, (plCommand){.kind = pl_commandIntegrator, .index = pl_integratorMidpoint});
    waitFor(r, laterThan, 0.12);
    post(r, (plCommand){.kind = pl_commandPause});
    const plPicture* p = waitFor(r, isPaused, 1);
    const uint64_t tick = p->tick, hash = p->hash;
    assert_int_equal(p->unrecorded, 0);
    const int count = (int)plRuntime_Applied(r, applied, 4096);
    print_message("%llu ticks, %d commands\n", (unsigned long long)tick, count);
    assert_int_equal(postedOf(applied, count), 7);
    assert_int_equal(p->recorded, count);
    assert_true(again(scene, applied, count, tick) == hash);
    stepOf(applied)->command.value *= 1.001; // another step gives another world
    assert_false(again(scene, applied, count, tick) == hash);
    plRuntime_Destroy(r);
}

static void aSessionRunsAgainToTheSameHash(void** state)
{
    (void)state;
    sessionRunsAgain("box");
}

// It ends while a force is written, which the pause takes away.
static void aSessionWithAHandRunsAgainToTheSameHash(void** state)
{
    (void)state;
    sessionRunsAgain("linkage-held");
}

static void rowsComeForEveryTickAndWhatIsLostIsCounted(void** state)
{
    (void)state;
    static double rows[40000][4];
    const char* const names[] = {"time", "energy"};
    plRuntime* r = start("arm", false, 2, names);
    const plPicture* p = waitFor(r, laterThan, 0.2);
    post(r, (plCommand){.kind = pl_commandPause});
    p = waitFor(r, isPaused, 1);
    const uint64_t tick = p->tick;
    const size_t count = plRuntime_Rows(r, &rows[0][0], 40000);
    assert_int_equal(count, tick);
    for (size_t i = 0; i < count; ++i) {
        assert_true(rows[i][0] == (double)(i + 1));
        checkNear("time", rows[i][2], 1e-3 * (double)(i + 1), 1e-12);
    }
    assert_int_equal(plRuntime_RowsLost(r), 0);
    plRuntime_Destroy(r);
}

static void badDefinitionsAreRefused(void** state)
{
    (void)state;
    plRuntime* r;
    const char* const unknown[] = {"nothing.like.this"};
    plRuntimeDef def = plDefaultRuntimeDef();
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusBadArgument);
    def.world = sceneWorld("arm");
    def.step = 0;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusBadArgument);
    def.step = 1e-3;
    def.channelCount = 1;
    def.channels = unknown;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusNotFound);
    assert_null(r);
    plWorld_Destroy(def.world);
    plRuntime_Destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picturesShowTheWorld),
        cmocka_unit_test(ticksAreCountedWhilePaused),
        cmocka_unit_test(foolishCommandsAreRefusedAndCounted),
        cmocka_unit_test(aSessionRunsAgainToTheSameHash),
        cmocka_unit_test(aSessionWithAHandRunsAgainToTheSameHash),
        cmocka_unit_test(aTickThatDoesNotComeEasesTheForceAndTheLoopGoesOn),
        cmocka_unit_test(otherChannelsCanBeWatchedWhileItRuns),
        cmocka_unit_test(rowsComeForEveryTickAndWhatIsLostIsCounted),
        cmocka_unit_test(badDefinitionsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
