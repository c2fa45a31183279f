// The loop and the clock: fast and slow rates, deadlines that are counted once, and what becomes of the time
// that a slow tick took.
#define _POSIX_C_SOURCE 200809L

#include "clock.h"
#include "palp/runtime.h"
#include "runtime/runtime.h"
#include "scene_worlds.h"

#include <string.h>

/// A driver that stands still, and is slow in one tick. Of the loop's thread.
typedef struct {
    int slowAt, tick;
    double pause;         ///< in the slow one [s]
    double clock0, time0; ///< at the first sample
    double behind;  ///< least of the clock before the world's time, long after the slow tick [s]
    double longest; ///< step [s]
    double work;    ///< of the processor, in each tick [s]
} Driver;

enum { settled = 20 }; // ticks after the slow one

/// Of the processor, by this thread [s].
static double spentNow(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sample(void* self, double time, plSample* s)
{
    Driver* d = self;
    const double clock = plClock_Now();
    *s = (plSample){.pose = {{0, 0, 0.019}, {1, 0, 0, 0}}};
    if (d->tick == 0) {
        d->clock0 = clock;
        d->time0 = time;
        d->behind = HUGE_VAL;
    }
    const double behind = clock - d->clock0 - (time - d->time0);
    if (d->tick > d->slowAt + settled) d->behind = fmin(d->behind, behind);
    if (d->tick++ == d->slowAt) rest(d->pause);
    for (const double until = spentNow() + d->work; d->work > 0 && spentNow() < until;) {
    }
}

static void write1(void* self, const plWrench* f, double T)
{
    Driver* d = self;
    (void)f;
    d->longest = fmax(d->longest, T);
}

/// The ball on its table, in the hand of a driver.
static plWorld* drivenWorld(Driver* d)
{
    const plDeviceCalls calls = {.self = d, .sample = sample, .write = write1};
    plWorld* w = sceneWorld("tap");
    plDeviceId stick;
    assert_int_equal(plWorld_FindDevice(w, "stick", &stick), pl_statusOk);
    assert_int_equal(plWorld_AttachDevice(w, stick, &calls), pl_statusOk);
    return w;
}

static plRuntime* start(plWorld* w, double step, plOverrun overrun)
{
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    def.world = w;
    def.step = step;
    def.overrun = overrun;
    def.privileges = false;
    def.pictureRate = 500;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    return r;
}

static void post(plRuntime* r, plCommand c) { assert_true(plRuntime_Post(r, &c)); }

static const plPicture* waitFor(plRuntime* r, bool (*fits)(const plPicture*, double), double x)
{
    for (int i = 0; i < 100000; ++i) {
        bool fresh;
        const plPicture* p = plRuntime_Picture(r, &fresh);
        if (p && fresh && fits(p, x)) return p;
        rest(2e-4);
    }
    fail_msg("no picture fits");
    return NULL;
}

static bool laterThan(const plPicture* p, double time) { return p->time > time; }
static bool isPaused(const plPicture* p, double x) { return p->paused == (x > 0); }
static bool hasRefused(const plPicture* p, double x) { return p->refused >= (uint64_t)x; }

// --- deadlines

/// Counts that hold on any machine.
static void checkCounts(const plPicture* p)
{
    const plTiming* t = &p->timing;
    const uint64_t leftOut = t->deadlines - t->ticks;
    assert_true(t->deadlines >= t->ticks && t->missed <= t->deadlines);
    assert_true(t->missed >= leftOut);            // all that were left out are missed,
    assert_true(t->missed - leftOut <= t->ticks); // and a late tick is one of the ticks
    assert_int_equal(t->ticks, p->tick);
}

static void everyDeadlineIsCountedOnce(void** state)
{
    (void)state;
    plPace pace = plPace_Start(1e-3);
    uint64_t periods = 0, late = 0, leftOut = 0;
    const double begun = pace.deadline - pace.period;
    for (int i = 0; i < 100; ++i) {
        const double until = plClock_Now() + (i % 10 == 5 ? 3.5e-3 : 0);
        while (plClock_Now() < until) {
        }
        const uint64_t before = pace.missed;
        const int gone = plPace_Wait(&pace);
        assert_int_equal(pace.missed - before, pace.late ? gone : 0);
        assert_true(pace.late || gone == 1);
        assert_true(pace.lateness >= 0 && pace.lateness < pace.period);
        periods += (uint64_t)gone;
        late += pace.late;
        leftOut += (uint64_t)gone - 1;
    }
    print_message("%llu deadlines: %llu late, %llu left out\n", (unsigned long long)periods,
                  (unsigned long long)late, (unsigned long long)leftOut);
    assert_int_equal(pace.missed, late + leftOut);
    assert_true(late >= 10 && leftOut >= 20);
    checkNear("on their grid", (pace.deadline - begun) / pace.period, (double)periods + 1, 0.05);
}

// --- a share of a processor

static uint64_t ticksOf(plRuntime* r) { return plRuntime_Picture(r, NULL)->tick; }

/// What a loop took of a processor in half a second, by its ticks of so much work [s].
static double takenOf(plRuntime* r, double work, double share)
{
    plRuntime_Share(r, share);
    waitFor(r, laterThan, plRuntime_Picture(r, NULL)->time + 5e-3); // it has heard of it
    const uint64_t before = ticksOf(r);
    const double begun = clockNow();
    rest(0.5);
    return (double)(ticksOf(r) - before) * work / (clockNow() - begun);
}

// A loop whose ticks take twice their period: alone it takes a processor, else no more than it was given, and not
// much less. 10 ms are kept, and a tick is finished.
static void aLoopTakesItsShareOfAProcessor(void** state)
{
    (void)state;
    static Driver d;
    d = (Driver){.slowAt = -1, .work = 2e-3};
    plRuntime* r = start(drivenWorld(&d), 1e-3, pl_overrunSkip);
    waitFor(r, laterThan, 0);
    const double all = takenOf(r, 2e-3, 1), third = takenOf(r, 2e-3, 0.3),
                 tenth = takenOf(r, 2e-3, 0.1);
    print_message("took %.2f of a processor; of 0.3 %.3f, of 0.1 %.3f\n", all, third, tenth);
    checkAtMost("of 0.3", third, 0.3 + 0.012 / 0.5);
    checkAtMost("of 0.1", tenth, 0.1 + 0.012 / 0.5);
    if (all > 0.9) {
        assert_true(third > 0.2 && tenth > 0.05);
    } else {
        print_message("not judged on a busy machine: how much a loop takes at least\n");
    }
    // sleeping is no stall; a busy machine may make one or two in the more than hundred ticks
    assert_true(waitFor(r, laterThan, 0)->timing.stalls < 5);
    plRuntime_Destroy(r);
}

// --- rates

/// How many deadlines of a rate this machine misses when there is nothing to do.
static double missedIdle(double rate)
{
    plPace pace = plPace_Start(1 / rate);
    double all = 0;
    while (all < 0.2 * rate) all += plPace_Wait(&pace);
    return (double)pace.missed / all;
}

// Deadlines keep to the clock on any machine: late pictures are behind it, none is before it. How many are
// met is said of a machine only that can meet them when it has nothing to do.
static void runsAt(double rate)
{
    const double idle = missedIdle(rate), begun = plClock_Now();
    plRuntime* r = start(sceneWorld("pendulum"), 1 / rate, pl_overrunSkip);
    rest(0.5);
    post(r, (plCommand){.kind = pl_commandPause});
    const plPicture* p = waitFor(r, isPaused, 1);
    const double elapsed = plClock_Now() - begun;
    const plTiming* t = &p->timing;
    const double missed = (double)t->missed / (double)t->deadlines;
    print_message(
        "%g Hz: %llu deadlines in %.3f s, %llu ticks, %.2g missed (idle %.2g), work p50 %.3g "
        "p99 %.3g us, lateness p99 %.3g us\n",
        rate, (unsigned long long)t->deadlines, elapsed, (unsigned long long)t->ticks, missed, idle,
        1e6 * t->tick.p50, 1e6 * t->tick.p99, 1e6 * t->lateness.p99);
    checkCounts(p);
    checkNear("world's time", p->time, (double)t->ticks / rate, 1e-9);
    checkAtMost("none comes early", (double)t->deadlines, elapsed * rate + 1);
    assert_true((double)t->deadlines > 0.5 * rate * 0.8);
    const bool fits =
        t->tick.p99 < 0.5 / rate; // a tick under a sanitizer may take longer than there is
    if (idle < 0.1 && fits) checkAtMost("missed", missed, 0.5);
    plRuntime_Destroy(r);
}

static void theLoopRunsAtTenKilohertz(void** state)
{
    (void)state;
    runsAt(1e4);
}

static void theLoopRunsAtAHundredHertz(void** state)
{
    (void)state;
    runsAt(100);
}

// --- overruns

/// What is left of a run: the loop has ended, so that all may be looked at.
typedef struct {
    Driver d;
    plPicture p; ///< of when it was paused, without its arrays
    plApplied applied[4096];
    int count;
} Ended;

static void pauseAndEnd(plRuntime* r, Ended* e)
{
    post(r, (plCommand){.kind = pl_commandPause});
    e->p = *waitFor(r, isPaused, 1);
    e->count = (int)plRuntime_Applied(r, e->applied, 4096);
    plRuntime_Destroy(r);
}

/// A tick of 32 ms where 5 are given. Again where the machine has added a stall of its own.
static void overrun(plOverrun policy, Ended* e)
{
    for (int i = 0; i < 10; ++i) {
        e->d = (Driver){.slowAt = 20, .pause = 0.032};
        plRuntime* r = start(drivenWorld(&e->d), 5e-3, policy);
        waitFor(r, laterThan, 0.4);
        pauseAndEnd(r, e);
        checkCounts(&e->p);
        if (e->p.timing.stalls == 0) return;
    }
    fail_msg("the machine held the loop up for 60 ms, ten times");
}

static void tell(const Ended* e)
{
    const plTiming* t = &e->p.timing;
    print_message(
        "%llu ticks, %llu deadlines, %llu missed, time %.4f s; at least %.3g ms behind the "
        "clock, longest step %g ms\n",
        (unsigned long long)t->ticks, (unsigned long long)t->deadlines,
        (unsigned long long)t->missed, e->p.time, 1e3 * e->d.behind, 1e3 * e->d.longest);
}

static void aLoopThatSkipsFallsBehindTheClock(void** state)
{
    (void)state;
    static Ended e;
    overrun(pl_overrunSkip, &e);
    tell(&e);
    assert_true(e.p.timing.deadlines - e.p.timing.ticks >= 5);
    checkNear("world's time", e.p.time, 5e-3 * (double)e.p.timing.ticks, 1e-9);
    checkNear("longest step", e.d.longest, 5e-3, 1e-12);
    assert_true(e.d.behind > 0.02);
}

/// The same commands at the same ticks, with a driver that is never slow.
static uint64_t again(const plApplied* applied, int count, uint64_t ticks)
{
    Driver d = {.slowAt = -1000};
    plWorld* w = drivenWorld(&d);
    double T = 5e-3;
    for (int next = 0; next < count || plWorld_Tick(w) < ticks;) {
        while (next < count && applied[next].tick == plWorld_Tick(w)) {
            const plCommand* c = &applied[next++].command;
            if (c->kind == pl_commandStep) T = c->value;
            assert_null(plCommand_Complaint(c));
            assert_int_equal(plCommand_Obey(c, w, NULL, 0), pl_statusOk);
        }
        if (plWorld_Tick(w) < ticks) plWorld_Step(w, T);
    }
    plWorld_Rest(w); // paused
    const uint64_t hash = plWorld_Hash(w);
    plWorld_Destroy(w);
    return hash;
}

static int stepsOf(const plApplied* applied, int count)
{
    int steps = 0;
    for (int i = 0; i < count; ++i) steps += applied[i].command.kind == pl_commandStep;
    return steps;
}

// Six periods are made up for in two steps or more of at most four, and what it did can be done again.
static void aLoopThatStretchesKeepsTheClock(void** state)
{
    (void)state;
    static Ended e;
    overrun(pl_overrunStretch, &e);
    tell(&e);
    assert_true(e.p.timing.deadlines - e.p.timing.ticks >= 5);
    checkNear("world's time", e.p.time, 5e-3 * (double)e.p.timing.deadlines, 4 * 5e-3);
    assert_true(e.d.longest > 5e-3);
    checkAtMost("longest step", e.d.longest, 4 * 5e-3 * (1 + 1e-12));
    checkAtMost("behind the clock", fabs(e.d.behind), 1.5 * 5e-3);
    assert_true(stepsOf(e.applied, e.count) >= 4);
    assert_int_equal(e.p.unrecorded, 0);
    assert_true(again(e.applied, e.count, e.p.tick) == e.p.hash);
}

static void noStepIsStretchedBeyondWhatMayBeAskedFor(void** state)
{
    (void)state;
    static Ended e;
    e.d = (Driver){.slowAt = 3, .pause = 0.25};
    plRuntime* r = start(drivenWorld(&e.d), 0.04, pl_overrunStretch);
    waitFor(r, laterThan, 0.6);
    pauseAndEnd(r, &e);
    assert_true(stepsOf(e.applied, e.count) > 0);
    for (int i = 0; i < e.count; ++i) assert_null(plCommand_Complaint(&e.applied[i].command));
    checkNear("longest step", e.d.longest, 0.08, 1e-12); // three would be 0.12 s
}

static void ticksThatAreCountedAreNotStretched(void** state)
{
    (void)state;
    static Driver d;
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    d = (Driver){.slowAt = 5, .pause = 0.01};
    def.world = drivenWorld(&d);
    def.paused = true;
    def.overrun = pl_overrunStretch;
    def.privileges = false;
    def.pictureRate = 500;
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusOk);
    post(r, (plCommand){.kind = pl_commandTicks, .index = 40});
    checkNear("world's time", waitFor(r, laterThan, 0.0395)->time, 0.04, 1e-12);
    plRuntime_Destroy(r);
    checkNear("longest step", d.longest, 1e-3, 1e-12);
}

// --- who may not be stretched

static void whatNeedsAShortStepIsNotStretched(void** state)
{
    (void)state;
    plRuntimeDef def = plDefaultRuntimeDef();
    plRuntime* r;
    def.world = sceneWorld("peg");
    def.overrun = pl_overrunStretch;
    assert_null(plOverrun_Complaint(pl_overrunSkip, def.world));
    assert_non_null(
        strstr(plOverrun_Complaint(pl_overrunStretch, def.world), "midpoint or implicit"));
    assert_int_equal(plRuntime_Create(&def, &r), pl_statusBadArgument);
    plWorld_Destroy(def.world);
    def.world = sceneWorldWith("tap", "law=penalty");
    assert_non_null(strstr(plOverrun_Complaint(pl_overrunStretch, def.world), "lcp and cone"));
    plWorld_Destroy(def.world);
    def.world = sceneWorldWith("pendulum", "law=penalty"); // nothing touches
    assert_null(plOverrun_Complaint(pl_overrunStretch, def.world));
    plWorld_Destroy(def.world);
}

static void aLoopThatStretchesRefusesWhatNeedsAShortStep(void** state)
{
    (void)state;
    static Driver d;
    d = (Driver){.slowAt = -1000};
    plRuntime* r = start(drivenWorld(&d), 1e-3, pl_overrunStretch);
    plRefusal refusals[4];
    post(r, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
    post(r, (plCommand){.kind = pl_commandIntegrator, .index = pl_integratorSemiImplicit});
    post(r, (plCommand){.kind = pl_commandLaw, .index = pl_lawLcp});
    post(r, (plCommand){.kind = pl_commandIntegrator, .index = pl_integratorImplicit});
    const plPicture* p = waitFor(r, hasRefused, 2);
    assert_int_equal(p->refused, 2);
    assert_int_equal(p->law, pl_lawLcp);
    assert_int_equal(plRuntime_Refused(r, refusals, 4), 2);
    assert_non_null(strstr(refusals[0].why, "lcp and cone"));
    assert_non_null(strstr(refusals[1].why, "midpoint or implicit"));
    plRuntime_Destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyDeadlineIsCountedOnce),
        cmocka_unit_test(aLoopTakesItsShareOfAProcessor),
        cmocka_unit_test(theLoopRunsAtTenKilohertz),
        cmocka_unit_test(theLoopRunsAtAHundredHertz),
        cmocka_unit_test(aLoopThatSkipsFallsBehindTheClock),
        cmocka_unit_test(aLoopThatStretchesKeepsTheClock),
        cmocka_unit_test(noStepIsStretchedBeyondWhatMayBeAskedFor),
        cmocka_unit_test(ticksThatAreCountedAreNotStretched),
        cmocka_unit_test(whatNeedsAShortStepIsNotStretched),
        cmocka_unit_test(aLoopThatStretchesRefusesWhatNeedsAShortStep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
