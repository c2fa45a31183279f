// A loop that is steered: what it refuses it tells, models of devices, hashes, looks at the response of
// contacts, and two loops that do the same in the same tick.
#define _POSIX_C_SOURCE 200809L

#include "clock.h"
#include "palp/runtime.h"
#include "scene_worlds.h"

#include <string.h>

static plRuntime* start(const char* scene, bool paused)
{
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    def.world = sceneWorld(scene);
    def.paused = paused;
    def.privileges = false;
    def.pictureRate = 500;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    return r;
}

static void post(plRuntime* r, plCommand c) { assert_true(plRuntime_Post(r, &c)); }

typedef bool (*Fits)(const plPicture*, double);

static const plPicture* waitFor(plRuntime* r, Fits fits, double x)
{
    for (int i = 0; i < 100000; ++i) {
        bool fresh;
        const plPicture* p = plRuntime_Picture(r, &fresh);
        if (p && fresh) assert_true(plPicture_Whole(p));
        if (p && fresh && fits(p, x)) return p;
        rest(2e-4);
    }
    fail_msg("no picture fits");
    return NULL;
}

static bool standsAt(const plPicture* p, double tick)
{
    return p->paused && p->hashed && p->tick == (uint64_t)tick;
}
static bool laterThan(const plPicture* p, double time) { return p->time > time; }
static bool isHashed(const plPicture* p, double tick)
{
    return p->hashed && p->tick >= (uint64_t)tick;
}
static bool hasRefused(const plPicture* p, double x) { return p->refused >= (uint64_t)x; }

// --- refusals

static void whoAskedIsToldWhatTheWorldSays(void** state)
{
    (void)state;
    plRuntime* r = start("peg", false);
    plRefusal told[8];
    const struct {
        plCommand command;
        const char* why;
    } asked[] = {
        {{.kind = pl_commandGrab, .sender = 7}, "only a virtual coupling"},
        {{.kind = pl_commandHold, .index = 99, .pose.q.w = 1, .sender = 8}, "id"},
        {{.kind = pl_commandMaterial, .index = 12, .sender = 9}, "no such material"},
        {{.kind = pl_commandLaw, .index = pl_lawCount, .sender = 10}, "no such law"},
        {{.kind = pl_commandModel, .index = 5, .choice = 0, .sender = 11}, "no such device"},
        {{.kind = pl_commandTicks, .sender = 12}, "1 .. 1000"},
    };
    const int count = (int)(sizeof asked / sizeof *asked);
    for (int i = 0; i < count; ++i) post(r, asked[i].command);
    waitFor(r, hasRefused, count);
    assert_int_equal(plRuntime_Refused(r, told, 8), count);
    for (int i = 0; i < count; ++i) {
        print_message("%d, %s: %s\n", told[i].sender, plCommandKind_Name((int)told[i].kind),
                      told[i].why);
        assert_int_equal(told[i].sender, asked[i].command.sender);
        assert_int_equal(told[i].kind, asked[i].command.kind);
        assert_non_null(strstr(told[i].why, asked[i].why));
    }
    assert_int_equal(plRuntime_Refused(r, told, 8), 0);
    plRuntime_Destroy(r);
}

// A flood of refusals that nobody fetches: counted, and the loop goes on.
static void refusalsThatNobodyFetchesDoNotStopTheLoop(void** state)
{
    (void)state;
    enum { flood = 2000 };
    plRuntime* r = start("peg", false);
    int posted = 0;
    while (posted < flood) {
        posted += plRuntime_Post(r, &(plCommand){.kind = pl_commandGrab});
        if (posted % 200 == 0) rest(2e-3);
    }
    const plPicture* p = waitFor(r, hasRefused, flood);
    assert_int_equal(p->refused, flood);
    waitFor(r, laterThan, p->time + 0.02);
    plRuntime_Destroy(r);
}

// --- replay, with pauses

/// The same commands at the same ticks, without a loop; it stands still at the end.
static uint64_t again(const char* scene, const plApplied* applied, int count, uint64_t ticks)
{
    plWorld* w = sceneWorld(scene);
    const size_t size = plWorld_SnapshotSize(w);
    void* begin = malloc(size);
    plWorld_Save(w, begin);
    for (int next = 0; next < count || plWorld_Tick(w) < ticks;) {
        if (next < count && applied[next].tick == plWorld_Tick(w)) {
            assert_int_equal(plCommand_Obey(&applied[next++].command, w, begin, size), pl_statusOk);
        } else {
            plWorld_Step(w, 1e-3);
        }
    }
    plWorld_Rest(w);
    const uint64_t hash = plWorld_Hash(w);
    free(begin);
    plWorld_Destroy(w);
    return hash;
}

/// Runs the peg into its wall under a model; the most that was written on the way [N].
static double runPeg(plRuntime* r, int model, uint64_t* hash)
{
    enum { ticks = 700 };
    static double rows[ticks][4];
    double force = 0;
    post(r, (plCommand){.kind = pl_commandReset});
    waitFor(r, standsAt, 0); // a picture of the last run stands at its end
    if (model >= 0) post(r, (plCommand){.kind = pl_commandModel, .index = 0, .choice = model});
    post(r, (plCommand){.kind = pl_commandTicks, .index = ticks});
    *hash = waitFor(r, standsAt, ticks)->hash;
    assert_int_equal(plRuntime_Rows(r, &rows[0][0], ticks), ticks);
    for (int i = 0; i < ticks; ++i) force = fmax(force, fmax(fabs(rows[i][2]), fabs(rows[i][3])));
    return force;
}

static int modelNamed(const char* name)
{
    int i = 0;
    while (strcmp(plDeviceModel_Name(i), name) != 0) ++i;
    return i;
}

/// What was done since the last reset.
static int sinceReset(const plApplied* applied, int count)
{
    int first = count;
    while (first > 0 && applied[first - 1].command.kind != pl_commandReset) --first;
    return first;
}

static void aModelLimitsTheForceAndTheSessionRunsAgain(void** state)
{
    (void)state;
    static plApplied applied[4096];
    const char* const names[] = {"stick.force[0]", "stick.force[1]"};
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    uint64_t own, touch, back;
    def.world = sceneWorld("peg");
    def.paused = true;
    def.privileges = false;
    def.pictureRate = 500;
    def.channelCount = 2;
    def.channels = names;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    const double without = runPeg(r, -1, &own);
    plRuntime_Applied(r, applied, 4096);
    const double with = runPeg(r, modelNamed("touch"), &touch);
    const int count = (int)plRuntime_Applied(r, applied, 4096);
    const int first = sinceReset(applied, count);
    const double after = runPeg(r, -1, &back);
    print_message("at most %.3g N without a model, %.3g N with touch, %.3g N after a reset\n",
                  without, with, after);
    assert_true(without > 4);
    checkNear("touch", with, 3.3, 1e-12); // it had to cut, and did
    assert_true(own != touch && own == back && after == without);
    assert_true(again("peg", applied + first, count - first, 700) == touch);
    plRuntime_Destroy(r);
}

// --- the hash

static void theHashComesWhenItIsAskedForAndWhileTheWorldStands(void** state)
{
    (void)state;
    plRuntime* r = start("stack", false);
    const double several = 0.05; // [s] of pictures that nobody takes
    rest(several);
    const plPicture* p = waitFor(r, isHashed, 0);
    int with = 0;
    double last = p->time;
    for (int i = 0; i < 20; ++i) {
        p = waitFor(r, laterThan, last);
        last = p->time;
        with += i > 0 && p->hashed; // one more was being made while the first was taken
        if (!p->hashed) assert_true(p->hash == 0);
    }
    assert_int_equal(with, 0);
    plRuntime_AskHash(r);
    rest(several);
    p = waitFor(r, isHashed, (double)p->tick);
    assert_true(p->hash != 0);
    assert_true(again("stack", NULL, 0, p->tick) == p->hash);
    plRuntime_Destroy(r);
}

// --- looks

static void aLookShowsTheResponseAndChangesNothing(void** state)
{
    (void)state;
    static plLook look;
    plWorld *a = sceneWorld("stack"), *b = sceneWorld("stack");
    for (int i = 0; i < 300; ++i) {
        plWorld_Step(a, 1e-3);
        plWorld_StepAndLook(b, 1e-3, &look);
    }
    assert_true(plWorld_Hash(a) == plWorld_Hash(b));
    print_message("%d of %d contacts, %d rows each\n", look.count, look.all, look.dim);
    assert_true(look.count == 40 && look.all == 40 && look.dim == 3);
    double widest = 0;
    for (int i = 0; i < look.count; ++i) {
        const float* row = look.squares + i * look.count;
        assert_true(row[i] > 0);
        assert_true(look.shapes[i][0] >= 0 && look.shapes[i][0] < plWorld_ShapeCount(b));
        for (int k = 0; k < look.count; ++k) { // W is symmetric, and near its diagonal
            const double other = (double)look.squares[k * look.count + i];
            checkNear("symmetric", (double)row[k], other, 1e-5 * (1 + other));
            widest = fmax(widest, row[k] > 0 ? abs(look.shapes[i][0] - look.shapes[k][0]) : 0);
        }
    }
    assert_true(widest <= 2); // only boxes that touch the same box answer each other
    plWorld_Destroy(a);
    plWorld_Destroy(b);
}

static void aWorldWithoutContactsHasNothingToLookAt(void** state)
{
    (void)state;
    static plLook look;
    plWorld* w = sceneWorld("arm");
    plWorld_StepAndLook(w, 1e-3, &look);
    assert_int_equal(look.count, 0);
    plWorld_Destroy(w);
}

static void looksComeWhenSomebodyWantsThem(void** state)
{
    (void)state;
    plRuntime* r = start("stack", false);
    uint64_t tick = 0, last = 0;
    bool fresh;
    waitFor(r, laterThan, 0.1);
    assert_null(plRuntime_Looked(r, &tick, &fresh));
    plRuntime_Look(r, 10);
    for (int seen = 0; seen < 3;) {
        const plLook* look = plRuntime_Looked(r, &tick, &fresh);
        if (look && fresh) {
            assert_true(look->count > 0 && tick > last);
            last = tick;
            ++seen;
        }
        rest(1e-3);
    }
    plRuntime_Look(r, 0);
    rest(0.05);
    plRuntime_Looked(r, &tick, &fresh);
    rest(0.3);
    plRuntime_Looked(r, &tick, &fresh);
    assert_false(fresh);
    plRuntime_Destroy(r);
}

// --- two loops

static int alarmsOf(plRuntime* r)
{
    static plApplied applied[4096];
    int alarms = 0;
    const int count = (int)plRuntime_Applied(r, applied, 4096);
    for (int i = 0; i < count; ++i) alarms += applied[i].command.kind == pl_commandAlarm;
    return alarms;
}

/// Both do `ticks`, with commands for both on the way.
static void runBoth(plRuntime* pair[2], int ticks, uint64_t hashes[2])
{
    uint64_t horizon = 8;
    int alarms = 0, commands = 0;
    for (int i = 0; i < 2; ++i) {
        alarmsOf(pair[i]);
        post(pair[i], (plCommand){.kind = pl_commandResume});
        assert_true(plRuntime_Begin(pair[i], horizon));
    }
    while (horizon < (uint64_t)ticks) {
        const uint64_t a = plRuntime_Steps(pair[0]), b = plRuntime_Steps(pair[1]);
        if (a > horizon || b > horizon) fail_msg("beyond the horizon");
        const int times = commands == 20 ? 150 : 1;   // more than are obeyed in one period
        for (int k = 0; k < times; ++k, ++commands) { // a tick more or less of it is another world
            const plCommand c = {.kind = pl_commandStep, .value = 1e-3 + 1e-5 * (commands % 10)};
            for (int i = 0; i < 2; ++i) assert_true(plRuntime_PostAt(pair[i], &c, horizon));
        }
        const uint64_t next = (a < b ? a : b) + 8;
        if (next > horizon) horizon = next;
        for (int i = 0; i < 2; ++i) plRuntime_GoOn(pair[i], horizon);
        rest(2e-3);
    }
    const plCommand stop = {.kind = pl_commandPause};
    for (int i = 0; i < 2; ++i) assert_true(plRuntime_PostAt(pair[i], &stop, horizon));
    for (int i = 0; i < 2; ++i) {
        hashes[i] = waitFor(pair[i], standsAt, (double)horizon)->hash;
        alarms += alarmsOf(pair[i]);
    }
    print_message("%d ticks, %d commands, %d alarms: %016llx %016llx\n", (int)horizon, commands,
                  alarms, (unsigned long long)hashes[0], (unsigned long long)hashes[1]);
    assert_int_equal(alarms, 0); // a loop that was held up leaves that to who paired them
}

static void twoLoopsObeyInTheSameTick(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        plRuntime* pair[2] = {start("box", true), start("box", true)};
        uint64_t hashes[2];
        runBoth(pair, 300, hashes);
        assert_true(hashes[0] == hashes[1]);
        for (int k = 0; k < 2; ++k) plRuntime_Destroy(pair[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoAskedIsToldWhatTheWorldSays),
        cmocka_unit_test(refusalsThatNobodyFetchesDoNotStopTheLoop),
        cmocka_unit_test(aModelLimitsTheForceAndTheSessionRunsAgain),
        cmocka_unit_test(theHashComesWhenItIsAskedForAndWhileTheWorldStands),
        cmocka_unit_test(aLookShowsTheResponseAndChangesNothing),
        cmocka_unit_test(aWorldWithoutContactsHasNothingToLookAt),
        cmocka_unit_test(looksComeWhenSomebodyWantsThem),
        cmocka_unit_test(twoLoopsObeyInTheSameTick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
