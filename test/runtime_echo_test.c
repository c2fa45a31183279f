// A world of 30 Hz whose hand has a thread of its own, at 1 kHz.
//   letters  as in echoes.h
#define _POSIX_C_SOURCE 200809L

#include "echo_sessions.h"
#include "failing.h"
#include "sanitized.h"

/// The first write from a time of the hand on, at most the last.
static int writeAt(const Driver* d, double time)
{
    int i = 0;
    while (i + 1 < d->count && d->writes[i].time < time) ++i;
    return i;
}

/// A force that goes down does so within 20 ms: the largest step of two writes, as a share of what that allows;
/// and when it was gone. Clocks are read some time after the thread has woken: the time that a step may take
/// is that since the write before the last, and one period.
static double fastest(const Driver* d, int from, int until, double* gone)
{
    const double size = sizeOf(d->writes[from].force);
    double worst = 0;
    *gone = HUGE_VAL;
    for (int i = from + 1; i < until; ++i) {
        const Write *a = &d->writes[i - 1], *b = &d->writes[i];
        const double passed = b->clock - d->writes[i > 1 ? i - 2 : 0].clock + h;
        worst = fmax(worst, sizeOf(sub(b->force, a->force)) / (size * passed / 0.02));
        if (*gone == HUGE_VAL && sizeOf(b->force) == 0) *gone = b->clock - d->writes[from].clock;
    }
    return worst;
}

// ---------------------------------------------------------------------------------------- facts

/// Steps of the force from one write to the next, where all writes of a tick were in time: as a share of
/// it, or of a hundredth of its peak so far, as in echo_felt_test.
typedef struct {
    double jump;  // at the first write of an echo
    double other; // at all others
    int ticks;    // that were judged
    bool inTime;  // all but a hundredth of the deadlines were met
    bool dropped; // the machine was too busy for some of the checks
} Jumps;

static Jumps jumpsOf(const Driver* d)
{
    Jumps j = {0};
    double late = 0, peak = 0; // when the machine was [s]; [N]
    for (int i = 1; i + 1 < d->count; ++i) {
        const Write *a = &d->writes[i - 1], *b = &d->writes[i];
        const double step = sizeOf(sub(b->force, a->force));
        const double share = step / fmax(fmax(sizeOf(b->force), 0.01 * peak), 1e-9);
        const bool first = b->echoes > a->echoes;
        peak = fmax(peak, sizeOf(b->force));
        if (b->clock - a->clock > 1.5 * h) late = b->clock;
        if (b->clock - late < T || b->time < 0) continue;
        j.ticks += first;
        if (first) j.jump = fmax(j.jump, share);
        if (!first) j.other = fmax(j.other, share);
    }
    return j;
}

// Each deadline has a write, or was missed. The last write may have come late itself, which the wait behind it
// would count: what is known are the deadlines up to the write before.
static void checkWrites(const Driver* d, const plTouched* t)
{
    const double first = d->writes[0].clock, before = d->writes[t->writes - 2].clock;
    const double last = d->writes[t->writes - 1].clock;
    assert_true((double)t->writes <= (last - first) / h + 2);
    assert_true((double)(t->writes + t->missed) >= (before - first) / h - 1e-6);
}

/// Runs the course; each tick takes some work besides.
static Jumps feelCourse(int arm, double work)
{
    static Session s;
    const Driver* d = &s.driver;
    plTouched t, none;
    prepare(&s, course, 6, arms[arm]);
    s.other.work = work;
    start(&s);
    waitUntil(&s, 3.5);
    s.driver.runtime = NULL; // the test asks now
    rest(5e-3);
    assert_true(plRuntime_Touched(s.runtime, (plDeviceId){1, 1}, &t));
    assert_false(plRuntime_Touched(s.runtime, (plDeviceId){2, 1}, &none));
    const plPort port = lastPort(&s);
    plRuntime_Destroy(s.runtime);
    const Write end = d->writes[writeAt(d, 3.5)];
    Jumps j = jumpsOf(d);
    j.inTime = 100 * t.missed <= t.writes;
    const double created = (end.given + port.tool) / end.moved;
    print_message(
        "%s, %g ms: %d writes in %.3f s, %d deadlines missed, %d stalls; jump %.4f in %d ticks "
        "(other writes %.2f); created %.1e (the echo says %.1e) of %.4f J\n",
        armNames[arm], 1e3 * work, (int)t.writes,
        d->writes[t.writes - 1].clock - d->writes[0].clock, (int)t.missed, (int)t.stalls, j.jump,
        j.ticks, j.other, created, t.port.created / t.port.moved, end.moved);
    checkWrites(d, &t);
    assert_int_equal(t.held, 0);
    // a thread that did not come for so long that the force went away is no device of 1 kHz: this driver
    // held the force meanwhile, and the echo has begun a new account
    if (t.stalls > 0) {
        sayNotChecked("energy of a device moved %s: a busy machine held it up %d times",
                      armNames[arm], (int)t.stalls);
        j.dropped = true;
        return j;
    }
    // nor is one that misses a fifth of the deadlines: forces are held for longer
    if (t.missed < t.writes / 5) {
        checkAtMost("created", created, 1e-3);
    } else {
        sayNotChecked("energy created by a device moved %s: a busy machine missed %d deadlines",
                      armNames[arm], (int)t.missed);
        j.dropped = true;
    }
    // what the hand did is what the echo knows; it stands where it was sampled but for a write or two
    checkNear("the echo's account", t.port.created / t.port.moved, created, 5e-3);
    return j;
}

static void aSlowWorldIsFeltAtTheRateOfTheDevice(void** state)
{
    (void)state;
    // instrumented code takes longer: one course is enough
#ifdef SANITIZED
    const int count = 1;
#else
    const int count = 3;
#endif
    bool dropped = false;
    for (int i = 0; i < count; ++i) {
        const Jumps j = feelCourse(i, 0);
        if (j.inTime) {
            checkAtMost("jump", j.jump, 0.05);
        } else {
            sayNotChecked(
                "jumps of a device moved %s: a busy machine missed a hundredth of the deadlines",
                armNames[i]);
        }
        dropped = dropped || j.dropped || !j.inTime;
    }
    if (dropped) skip();
}

// Its echo comes as late as its work takes.
static void aWorldThatWorksForLongCreatesNothingEither(void** state)
{
    (void)state;
    if (feelCourse(2, 5e-3).dropped) skip();
}

static void aWorldThatHangsGivesNoForce(void** state)
{
    (void)state;
    static Session s;
    double gone;
    prepare(&s, press, 3, arms[0]);
    s.other.hangsAt = still + 0.9;
    s.other.pause = 0.8;
    start(&s);
    waitUntil(&s, 3);
    plRuntime_Destroy(s.runtime);
    const Driver* d = &s.driver;
    int from = 0;
    while (d->writes[from].clock < s.other.hung) ++from;
    const double speed = fastest(d, from, d->count, &gone);
    print_message("hangs: %.3g N, none after %.0f ms, %.3g N later; at most %.2f of the speed\n",
                  sizeOf(d->writes[from].force), 1e3 * gone,
                  sizeOf(d->writes[writeAt(d, 2.9)].force), speed);
    assert_true(sizeOf(d->writes[from].force) > 1);
    // the loop's patience, 20 ms and 8 periods, from the last tick that came, and 20 ms more
    assert_true(gone > 7 * T && gone < 0.4);
    checkAtMost("speed", speed, 1);
    checkNear("comes back", sizeOf(d->writes[writeAt(d, 2.9)].force), sizeOf(d->writes[from].force),
              0.01);
}

static void aStopEasesTheForce(void** state)
{
    (void)state;
    static Session s;
    double gone;
    prepare(&s, press, 3, arms[0]);
    start(&s);
    waitUntil(&s, 0.8);
    const int from = s.driver.count - 1;
    plRuntime_Destroy(s.runtime);
    const Driver* d = &s.driver;
    const double speed = fastest(d, from, d->count, &gone);
    print_message("stop: %.3g N, none after %.1f ms, at most %.2f of the speed\n",
                  sizeOf(d->writes[from].force), 1e3 * gone, speed);
    assert_true(sizeOf(d->writes[from].force) > 1);
    assert_true(sizeOf(d->writes[d->count - 1].force) == 0);
    checkAtMost("gone", gone, 0.05);
    checkAtMost("speed", speed, 1);
}

static void faultEasesTheForce(const char* name, Fault fault)
{
    static Session s;
    double gone;
    prepare(&s, press, 3, arms[0]);
    s.driver.fault = fault;
    s.driver.from = 0.8;
    s.driver.until = 0.9;
    start(&s);
    waitUntil(&s, 1.6);
    plRuntime_Destroy(s.runtime);
    const Driver* d = &s.driver;
    const int from = writeAt(d, 0.8) - 1, back = writeAt(d, 1.5);
    const double speed = fastest(d, from, back, &gone);
    print_message("%s: %.3g N, none after %.1f ms, %.3g N later, at most %.2f of the speed\n", name,
                  sizeOf(d->writes[from].force), 1e3 * gone, sizeOf(d->writes[back].force), speed);
    for (int i = 0; i < d->count; ++i) {
        const plVec3 f = d->writes[i].force;
        assert_true(isfinite(f.x + f.y + f.z));
    }
    assert_true(sizeOf(d->writes[from].force) > 1);
    checkAtMost("gone", gone, 0.05);
    checkAtMost("speed", speed, 1);
    checkNear("comes back", sizeOf(d->writes[back].force), sizeOf(d->writes[from].force), 0.01);
}

static void aPoseThatIsNotFiniteIsEased(void** state)
{
    (void)state;
    faultEasesTheForce("not finite", isNotFinite);
    faultEasesTheForce("lost", isLost);
}

// Nobody writes while the driver hangs: the watchdog tells it, and forces come back from nothing.
static void aDeviceThreadThatHangsIsHushed(void** state)
{
    (void)state;
    static Session s;
    prepare(&s, press, 3, arms[0]);
    s.driver.fault = hangs;
    s.driver.from = 0.8;
    s.driver.until = 1.1;
    start(&s);
    waitUntil(&s, 1.8);
    plRuntime_Destroy(s.runtime);
    const Driver* d = &s.driver;
    const int from = writeAt(d, 0.8) - 1, back = from + 2;
    print_message("hangs: share %.2f; %.3g N, %.3g N in the second write after it, %.3g N later\n",
                  (double)d->least, sizeOf(d->writes[from].force), sizeOf(d->writes[back].force),
                  sizeOf(d->writes[writeAt(d, 1.7)].force));
    assert_true(d->least == 0 && d->share == 1);
    checkAtMost("at first", sizeOf(d->writes[back].force), 0.05 * sizeOf(d->writes[from].force));
    checkNear("comes back", sizeOf(d->writes[writeAt(d, 1.7)].force), sizeOf(d->writes[from].force),
              0.01);
}

/// The force that the world itself would write now.
static plVec3 saidByTheWorld(Session* s)
{
    const plPicture* p = plRuntime_Picture(s->runtime, NULL);
    assert_non_null(p);
    return plPicture_Devices(p)[0].written.force;
}

static void aPauseEasesTheForceAndAResetBeginsAnew(void** state)
{
    (void)state;
    static Session s;
    double gone, goneAgain;
    prepare(&s, press, 3, arms[0]);
    start(&s);
    waitUntil(&s, 0.8);
    assert_true(plRuntime_Post(s.runtime, &(plCommand){.kind = pl_commandPause}));
    waitUntil(&s, 1);
    assert_true(plRuntime_Post(s.runtime, &(plCommand){.kind = pl_commandResume}));
    waitUntil(&s, 1.5);
    assert_true(plRuntime_Post(s.runtime, &(plCommand){.kind = pl_commandReset}));
    waitUntil(&s, 2.3);
    const plVec3 said = saidByTheWorld(&s);
    plRuntime_Destroy(s.runtime);
    const Driver* d = &s.driver;
    const int at = writeAt(d, 0.79), back = writeAt(d, 1.49), last = writeAt(d, 2.25);
    const double speed = fmax(fastest(d, at, back, &gone), fastest(d, back, last, &goneAgain));
    print_message("pause: %.3g N, none after %.0f ms; resumed %.3g N; reset: none after %.0f ms, "
                  "%.3g N later; at most %.2f of the speed\n",
                  sizeOf(d->writes[at].force), 1e3 * gone, sizeOf(d->writes[back].force),
                  1e3 * goneAgain, sizeOf(d->writes[last].force), speed);
    assert_true(gone < 0.2 && goneAgain < 0.2);
    checkAtMost("speed", speed, 1);
    checkNear("resumed", sizeOf(d->writes[back].force), sizeOf(d->writes[at].force), 0.01);
    checkAtMost("reset", sizeOf(sub(d->writes[last].force, said)), 0.01);
    assert_true(sizeOf(said) > 0.5);
}

// -------------------------------------------------------------------------------------- replay

/// Samples that a world took: tick, list, x, y, z, trouble.
typedef struct {
    double (*rows)[6];
    int next, count;
} Tape;

static void samplePlayed(void* self, double time, plSample* s)
{
    Tape* t = self;
    const double* row = t->rows[t->next < t->count ? t->next : t->count - 1];
    (void)time;
    ++t->next;
    *s = (plSample){.pose = {{row[2], row[3], row[4]}, {1, 0, 0, 0}}};
    if ((int)row[5] & pl_troubleDevice) s->flags = pl_sampleLost;
}

static uint64_t playedAgain(Tape* tape, const plApplied* applied, int count, uint64_t ticks)
{
    Other other = {.hangsAt = HUGE_VAL};
    const plDeviceCalls hand = {.self = tape, .sample = samplePlayed, .write = hearNothing};
    const plDeviceCalls none = {&other, sampleOther, writeOther, NULL};
    plWorld* w = ballWith(&hand, &none);
    int next = 0;
    while (plWorld_Tick(w) < ticks) {
        for (; next < count && applied[next].tick == plWorld_Tick(w); ++next) {
            checkOk(w, plCommand_Obey(&applied[next].command, w, NULL, 0));
        }
        plWorld_Step(w, T);
    }
    plWorld_Rest(w); // paused
    const uint64_t hash = plWorld_Hash(w);
    plWorld_Destroy(w);
    return hash;
}

static const plPicture* pausedPicture(plRuntime* r)
{
    for (int i = 0; i < 20000; ++i) {
        const plPicture* p = plRuntime_Picture(r, NULL);
        if (p && p->paused && p->hashed) return p;
        rest(5e-4);
    }
    fail_msg("no picture came");
    return NULL;
}

static void theWorldRunsAgainFromItsSamples(void** state)
{
    (void)state;
    static Session s;
    static double rows[4096][6];
    static plApplied applied[4096];
    Tape tape = {.rows = rows};
    prepare(&s, course, 6, arms[2]);
    start(&s);
    waitUntil(&s, 2.2);
    assert_true(plRuntime_Post(s.runtime, &(plCommand){.kind = pl_commandPause}));
    const plPicture* p = pausedPicture(s.runtime);
    const uint64_t hash = p->hash, ticks = p->tick;
    tape.count = (int)plRuntime_Rows(s.runtime, &rows[0][0], 4096);
    const int count = (int)plRuntime_Applied(s.runtime, applied, 4096);
    plRuntime_Destroy(s.runtime);
    print_message("%d ticks, %d commands\n", (int)ticks, count);
    assert_int_equal(tape.count, ticks);
    assert_true(s.other.writes > (int)ticks); // its driver is the world's, and was told to rest
    assert_true(playedAgain(&tape, applied, count, ticks) == hash);
    rows[ticks / 2][4] += 1e-12; // another sample gives another world
    tape.next = 0;
    assert_false(playedAgain(&tape, applied, count, ticks) == hash);
}

static void badRatesAreRefusedAndTheDriverIsGivenBack(void** state)
{
    (void)state;
    static Session s;
    static const double bad[] = {-1, 5, 1e6, (double)NAN};
    prepare(&s, press, 3, arms[0]);
    plRuntimeDef def = plDefaultRuntimeDef();
    def.world = worldOf(&s);
    for (int i = 0; i < 4; ++i) {
        def.deviceRate = bad[i];
        assert_int_equal(plRuntime_Create(&def, &s.runtime), pl_statusBadArgument);
    }
    plWorld_Step(def.world, T);
    assert_int_equal(s.driver.count, 1);
    plWorld_Destroy(def.world);
}

// The world is the caller's again, and its driver is as it was.
static void withoutMemoryNothingIsTaken(void** state)
{
    (void)state;
    static Session s;
    Failing failing = {0};
    plStatus status = pl_statusNoMemory;
    int needs = 0;
    prepare(&s, press, 3, arms[0]);
    plRuntimeDef def = plDefaultRuntimeDef();
    def.world = worldOf(&s);
    def.privileges = false;
    def.deviceRate = 1 / h;
    def.allocator = (plAllocator){failingTake, failingRelease, &failing};
    for (; status != pl_statusOk; ++needs) {
        failing.left = needs;
        status = plRuntime_Create(&def, &s.runtime);
        if (status == pl_statusOk) break;
        assert_int_equal(status, pl_statusNoMemory);
        assert_int_equal(failing.taken, 0);
        const int before = s.driver.count;
        plWorld_Step(def.world, T);
        assert_int_equal(s.driver.count, before + 1);
    }
    plRuntime_Destroy(s.runtime);
    print_message("%d pieces of memory\n", needs);
    assert_true(needs > 10);
    assert_int_equal(failing.taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSlowWorldIsFeltAtTheRateOfTheDevice),
        cmocka_unit_test(aWorldThatWorksForLongCreatesNothingEither),
        cmocka_unit_test(aWorldThatHangsGivesNoForce),
        cmocka_unit_test(aStopEasesTheForce),
        cmocka_unit_test(aPoseThatIsNotFiniteIsEased),
        cmocka_unit_test(aDeviceThreadThatHangsIsHushed),
        cmocka_unit_test(aPauseEasesTheForceAndAResetBeginsAnew),
        cmocka_unit_test(theWorldRunsAgainFromItsSamples),
        cmocka_unit_test(badRatesAreRefusedAndTheDriverIsGivenBack),
        cmocka_unit_test(withoutMemoryNothingIsTaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
