// The paced loop. A period: wait for the deadline, obey, step, hand over.
#define _GNU_SOURCE

#include "runtime/inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// --- commands

enum { alarmTime = 20, shownTime = 500 }; // [ms]

// Whoever has only a share of a processor is waited for longer.
double plRuntime_Patience(const plRuntime* r)
{
    return (0.02 + 8 * r->pace.period) / r->pace.share;
}

void plRuntime_SetPace(plRuntime* r)
{
    r->pace.period = r->head.step / r->head.speed;
    atomic_store_explicit(&r->patience, (uint64_t)(1e6 * plRuntime_Patience(r)),
                          memory_order_relaxed);
}

// The loop's own part of a command; the world's is plCommand_Obey.
static void adopt(plRuntime* r, const plCommand* c)
{
    switch (c->kind) {
    case pl_commandPause:
        r->head.paused = true;
        r->ticksLeft = 0;
        break;
    case pl_commandResume:
        r->head.paused = false;
        r->ticksLeft = 0;
        break;
    case pl_commandTicks:
        r->head.paused = true;
        r->ticksLeft = c->index;
        break;
    case pl_commandSpeed:
        r->head.speed = c->value;
        r->owed = 0;
        break;
    case pl_commandStep:
        r->head.step = c->value;
        r->owed = 0;
        break;
    case pl_commandReset:
        r->ticksLeft = 0;
        memset(&r->ticks, 0, sizeof r->ticks);
        memset(&r->lateness, 0, sizeof r->lateness);
        memset(&r->obey, 0, sizeof r->obey);
        memset(&r->step, 0, sizeof r->step);
        memset(&r->hand, 0, sizeof r->hand);
        r->missed = r->skipped = 0;
        r->owed = 0;
        break;
    case pl_commandAlarm:
        r->alarmLeft = 1e-3 * alarmTime;
        r->alarmed = true;
        break;
    default: // the world's alone
        break;
    }
    r->head.law = plWorld_Law(r->def.world);
    plRuntime_SetPace(r);
}

// What nobody fetches is missing in the session, and it is said so.
static void note(plRuntime* r, const plApplied* applied)
{
    if (plRing_Push(r->applied, applied)) {
        ++r->head.recorded;
    } else {
        ++r->head.unrecorded;
    }
}

// Whoever asked is told why; what nobody fetches is lost.
static void refuse(plRuntime* r, const plCommand* c, const char* why)
{
    plRefusal refusal = {.sender = c->sender, .kind = c->kind};
    snprintf(refusal.why, sizeof refusal.why, "%s", why);
    plRing_Push(r->refusals, &refusal);
    ++r->head.refused;
}

static void obeyOne(plRuntime* r, const plCommand* c)
{
    const plApplied applied = {plWorld_Tick(r->def.world), *c};
    const char* why = plOverrun_Refuses(r->def.overrun, r->def.world, c);
    if (why || plCommand_Try(c, r->def.world, r->start, r->startSize, &why) != pl_statusOk) {
        refuse(r, c, why);
        return;
    }
    r->hashKnown = false;
    adopt(r, c);
    plRuntime_MoveDevices(r, c);
    note(r, &applied);
}

static void tellSteps(plRuntime* r)
{
    if (r->begun) atomic_store_explicit(&r->stepsDone, r->steps, memory_order_release);
}

static bool fetch(plRuntime* r)
{
    if (!r->waits) r->waits = plRing_Pop(r->commands, &r->next, 1) > 0;
    return r->waits && (r->next.at <= r->steps || plRuntime_Stands(r));
}

static void begin(plRuntime* r)
{
    r->begun = true;
    r->steps = 0;
    r->alarmLeft = 0;
    r->alarmed = false;
}

// What comes in a flood waits for the next period, so that it cannot make one long.
static void obey(plRuntime* r)
{
    enum { atOnce = 64 };
    for (int i = 0; i < atOnce && fetch(r); ++i) {
        r->waits = false;
        if (r->next.begins) begin(r);
        obeyOne(r, &r->next.command);
        tellSteps(r);
    }
}

// --- ticks that do not come

// In the ticks after the one that it began with.
static void goOnAlarming(plRuntime* r, double T)
{
    const double left = r->alarmLeft;
    r->eased = left > 1e-9;
    if (r->eased && !r->alarmed) obeyOne(r, &(plCommand){.kind = pl_commandAlarm});
    r->alarmed = false;
    r->alarmLeft = left - T;
}

static bool isBound(const plRuntime* r)
{
    return atomic_load_explicit(&r->horizon, memory_order_relaxed) != UINT64_MAX;
}

// The watchdog may have slept as well: the loop knows best how long it was away. Ticks that are counted
// one by one, while paused, are no real time. Of two that do the same, both must have the alarm: who
// lets them go on gives it.
static void lookBack(plRuntime* r, double now)
{
    atomic_fetch_add_explicit(&r->beats, 1, memory_order_relaxed);
    const double late = now - r->lastStart - plRuntime_Patience(r);
    const bool away = late > 0 && r->lastStart > 0;
    r->lastStart = now;
    r->head.timing.stalled = now < r->stallShown;
    if (!away || r->head.paused) return;
    atomic_store_explicit(&r->stalled, false, memory_order_relaxed);
    ++r->head.timing.stalls;
    r->stallShown = now + 1e-3 * shownTime;
    r->head.timing.stalled = true;
    const double taken = fmin(1, late / (1e-3 * alarmTime));
    if (!isBound(r)) obeyOne(r, &(plCommand){.kind = pl_commandAlarm, .value = taken});
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

/// A thread that the watchdog looks at.
typedef struct {
    uint64_t seen, hushedAt; ///< beats
    double since;            ///< when the last one was seen [s]
    void (*hush)(plRuntime*, double share);
} Watched;

static void hushWorld(plRuntime* r, double share) { plWorld_Hush(r->def.world, share); }

static void hushDrivers(plRuntime* r, double share)
{
    for (int i = 0; i < r->feelers.count; ++i) {
        const plDeviceCalls* driver = &r->feelers.all[i].driver;
        if (driver->hush) driver->hush(driver->self, share);
    }
}

// While a thread hangs it cannot ease forces: drivers are told from here. When it comes back it finishes
// its tick, and in the next one it goes on from what was left: only then do they get all again.
static void hush(plRuntime* r, Watched* w, double late)
{
    if (late > 0) {
        w->hushedAt = w->seen;
        w->hush(r, fmax(0, 1 - late / (1e-3 * alarmTime)));
    } else if (w->hushedAt != UINT64_MAX && w->seen >= w->hushedAt + 2) {
        w->hushedAt = UINT64_MAX;
        w->hush(r, 1);
    }
}

// How long beyond its patience a beat has not come [s].
static double watch(plRuntime* r, Watched* w, uint64_t beats, double patience)
{
    const double now = plClock_Now();
    if (beats != w->seen) w->since = now;
    w->seen = beats;
    const double late = now - w->since - patience;
    hush(r, w, late);
    return late;
}

void* plRuntime_Watchdog(void* self)
{
    plRuntime* r = self;
    if (r->def.privileges) plPace_ClaimWatch();
    const double start = plClock_Now();
    Watched loop = {.hushedAt = UINT64_MAX, .since = start, .hush = hushWorld};
    Watched devices = {.hushedAt = UINT64_MAX, .since = start, .hush = hushDrivers};
    while (!atomic_load_explicit(&r->ending, memory_order_relaxed)) {
        const double patience =
            1e-6 * (double)atomic_load_explicit(&r->patience, memory_order_relaxed);
        double late =
            watch(r, &loop, atomic_load_explicit(&r->beats, memory_order_relaxed), patience);
        atomic_store_explicit(&r->stalled, late > 0, memory_order_relaxed);
        if (r->feelers.count > 0) {
            const uint64_t beats = atomic_load_explicit(&r->feelers.beats, memory_order_relaxed);
            late = fmax(late, watch(r, &devices, beats, plFeelers_Patience(r)));
        }
        rest(late > 0 ? 1e-3 : 5e-3);
    }
    return NULL;
}

// --- the loop

static void noteStep(plRuntime* r, double T)
{
    const plApplied applied = {plWorld_Tick(r->def.world), {.kind = pl_commandStep, .value = T}};
    note(r, &applied);
}

static void stepWorld(plRuntime* r, double T, double now)
{
    plLooked* look = plRuntime_NextLook(r, now);
    if (look) {
        plWorld_StepAndLook(r->def.world, T, &look->look);
        plRuntime_PublishLook(r);
    } else {
        plWorld_Step(r->def.world, T);
    }
    plRuntime_TellDevices(r, now);
    r->hashKnown = false;
    ++r->steps;
    tellSteps(r);
}

// A stretched one is recorded, and so is that the next one is not.
static void step(plRuntime* r, double T, double now)
{
    const bool stretched = T != r->head.step;
    if (stretched) noteStep(r, T);
    stepWorld(r, T, now);
    if (stretched) noteStep(r, r->head.step);
    plRuntime_PushRow(r);
}

// Each deadline once: its tick began in time, or late, or there was none.
static void countDeadlines(plRuntime* r, int periods)
{
    r->skipped += (uint64_t)periods - 1;
    if (r->pace.late) r->missed += (uint64_t)periods;
}

static void tick(plRuntime* r, int periods, double start)
{
    const double T = plRuntime_NextStep(r, periods, !r->head.paused && !isBound(r));
    if (r->ticksLeft > 0) --r->ticksLeft;
    countDeadlines(r, periods);
    goOnAlarming(r, T);
    const double obeyed = plClock_Now();
    step(r, T, start);
    const double now = plClock_Now();
    plTimes_Add(&r->obey, obeyed - start);
    plTimes_Add(&r->step, now - obeyed);
    plTimes_Add(&r->ticks, now - start);
    plTimes_Add(&r->lateness, r->pace.lateness);
}

static bool isHeldBack(const plRuntime* r)
{
    return r->steps >= atomic_load_explicit(&r->horizon, memory_order_acquire);
}

// The horizon is read before the commands: those that were posted before it was moved are seen. Of two
// that do the same, neither goes on before all are obeyed that are for this tick.
static void period(plRuntime* r, int periods, double start)
{
    const bool heldBack = isHeldBack(r);
    obey(r);
    const bool more = isBound(r) && fetch(r);
    const bool moves = !plRuntime_Stands(r) && !heldBack && !more;
    if (moves) tick(r, periods, start);
    if (moves) r->lastMoved = start;
    // Who waits a moment for the other keeps the force of its last tick.
    r->rested = plRuntime_Stands(r) || start - r->lastMoved > plRuntime_Patience(r);
    if (r->rested) plWorld_Rest(r->def.world);
    atomic_store_explicit(&r->feelers.rests, r->rested, memory_order_relaxed);
}

static void claim(plRuntime* r)
{
    plPrivilege privilege = {.refusal = "not asked for"};
    if (r->def.privileges) privilege = plPace_Claim();
    r->head.timing.realtime = privilege.realtime;
    r->head.timing.locked = privilege.locked;
    memcpy(r->head.timing.refusal, privilege.refusal, sizeof privilege.refusal);
}

static void takeShare(plRuntime* r)
{
    const double share = 1e-3 * atomic_load_explicit(&r->share, memory_order_relaxed);
    if (share == r->pace.share) return;
    r->pace.share = share;
    plRuntime_SetPace(r);
}

void* plRuntime_Loop(void* self)
{
    plRuntime* r = self;
    claim(r);
    r->pace = plPace_Start(r->head.step / r->head.speed);
    plRuntime_SetPace(r);
    while (!atomic_load_explicit(&r->ending, memory_order_relaxed)) {
        takeShare(r);
        if (!plPace_Pay(&r->pace)) continue;
        const int periods = plPace_Wait(&r->pace);
        const double start = plClock_Now();
        lookBack(r, start);
        period(r, periods, start);
        const double stepped = plClock_Now();
        plRuntime_Publish(r, start);
        plTimes_Add(&r->hand, plClock_Now() - stepped);
    }
    return NULL;
}
