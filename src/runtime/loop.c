// The paced loop. A period: wait for the deadline, obey, step, hand over.
#define _GNU_SOURCE

#include "runtime/inside.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/// What rows hold.
typedef struct {
    uint64_t number;
    int count;
    plChannel channels[];
} WatchList;

struct plRuntime {
    plRuntimeDef def;
    pthread_t thread, watchdog;
    atomic_bool ending;
    plRing *commands, *applied, *rows;
    plExchange* pictures;
    plExchange* watches;  ///< lists, to the loop
    uint64_t watchNumber; ///< of the last one that was sent
    double* row;
    void* start; ///< snapshot of the beginning
    size_t startSize, rowSize;
    atomic_uint_fast64_t rowsLost;
    atomic_uint_fast64_t beats; ///< periods that have begun
    atomic_bool stalled;
    atomic_uint_fast64_t patience; ///< how long a tick may not come [us]

    // of the loop's thread
    plPace pace;
    plTimes ticks, lateness, obey, step, hand;
    double lastStart;  ///< of a period [s]
    double stallShown; ///< until when a picture tells of it
    double alarmLeft;  ///< [s]
    bool alarmed;      ///< the tick that comes has its alarm
    plPicture head;    ///< of the next picture
    int ticksLeft;     ///< while paused
    double nextPicture;
};

static const char* const overruns[] = {"skip", "stretch"};

const char* plOverrun_Name(int i)
{
    return i >= 0 && i < pl_overrunCount ? overruns[i] : "unknown";
}

plRuntimeDef plDefaultRuntimeDef(void)
{
    return (plRuntimeDef){.step = 1e-3,
                          .speed = 1,
                          .privileges = true,
                          .pictureRate = 60,
                          .contacts = 256,
                          .commands = 256,
                          .rows = 16384,
                          .allocator = plDefaultAllocator()};
}

// --- commands

enum { alarmTime = 20, shownTime = 500 }; // [ms]

static double patienceOf(const plRuntime* r) { return 0.02 + 8 * r->pace.period; }

static void setPace(plRuntime* r)
{
    r->pace.period = r->head.step / r->head.speed;
    atomic_store_explicit(&r->patience, (uint64_t)(1e6 * patienceOf(r)), memory_order_relaxed);
}

// The loop's own part of a command; the world's is plCommand_Obey.
static void adopt(plRuntime* r, const plCommand* c)
{
    switch (c->kind) {
    case pl_commandPause:
        r->head.paused = true;
        break;
    case pl_commandResume:
        r->head.paused = false;
        break;
    case pl_commandTicks:
        r->head.paused = true;
        r->ticksLeft = c->index;
        break;
    case pl_commandSpeed:
        r->head.speed = c->value;
        break;
    case pl_commandStep:
        r->head.step = c->value;
        break;
    case pl_commandReset:
        memset(&r->ticks, 0, sizeof r->ticks);
        memset(&r->lateness, 0, sizeof r->lateness);
        memset(&r->obey, 0, sizeof r->obey);
        memset(&r->step, 0, sizeof r->step);
        memset(&r->hand, 0, sizeof r->hand);
        r->pace.missed = 0;
        break;
    case pl_commandAlarm:
        r->alarmLeft = 1e-3 * alarmTime;
        r->alarmed = true;
        break;
    default: // the world's alone
        break;
    }
    r->head.law = plWorld_Law(r->def.world);
    setPace(r);
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

static void obeyOne(plRuntime* r, const plCommand* c)
{
    const plApplied applied = {plWorld_Tick(r->def.world), *c};
    if (plCommand_Obey(c, r->def.world, r->start, r->startSize) != pl_statusOk) {
        ++r->head.refused;
        return;
    }
    adopt(r, c);
    note(r, &applied);
}

// What comes in a flood waits for the next period, so that it cannot make one long.
static void obey(plRuntime* r)
{
    enum { atOnce = 64 };
    plCommand c;
    for (int i = 0; i < atOnce && plRing_Pop(r->commands, &c, 1) > 0; ++i) obeyOne(r, &c);
}

// --- ticks that do not come

// In the ticks after the one that it began with.
static void goOnAlarming(plRuntime* r)
{
    const double left = r->alarmLeft;
    if (left > 1e-9 && !r->alarmed) obeyOne(r, &(plCommand){.kind = pl_commandAlarm});
    r->alarmed = false;
    r->alarmLeft = left - r->head.step;
}

// The watchdog may have slept as well: the loop knows best how long it was away. Ticks that are counted
// one by one, while paused, are no real time.
static void lookBack(plRuntime* r, double now)
{
    atomic_fetch_add_explicit(&r->beats, 1, memory_order_relaxed);
    const bool away = now - r->lastStart > patienceOf(r) && r->lastStart > 0;
    r->lastStart = now;
    r->head.timing.stalled = now < r->stallShown;
    if (!away || r->head.paused) return;
    atomic_store_explicit(&r->stalled, false, memory_order_relaxed);
    ++r->head.timing.stalls;
    r->stallShown = now + 1e-3 * shownTime;
    r->head.timing.stalled = true;
    obeyOne(r, &(plCommand){.kind = pl_commandAlarm});
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// Only marks what it sees; forces are the loop's.
static void* watch(void* self)
{
    plRuntime* r = self;
    uint64_t seen = 0;
    double since = plClock_Now();
    while (!atomic_load_explicit(&r->ending, memory_order_relaxed)) {
        const uint64_t beats = atomic_load_explicit(&r->beats, memory_order_relaxed);
        const double now = plClock_Now();
        const double patience =
            1e-6 * (double)atomic_load_explicit(&r->patience, memory_order_relaxed);
        if (beats != seen) since = now;
        seen = beats;
        atomic_store_explicit(&r->stalled, now - since > patience, memory_order_relaxed);
        rest(5e-3);
    }
    return NULL;
}

// --- hand-over

static plDurations durations(const plTimes* t)
{
    static const double shares[] = {0.5, 0.99, 0.999};
    double q[3];
    plTimes_Quantiles(t, shares, 3, q);
    return (plDurations){
        .mean = plTimes_Mean(t), .p50 = q[0], .p99 = q[1], .p999 = q[2], .most = plTimes_Most(t)};
}

static void publish(plRuntime* r, double now)
{
    if (now < r->nextPicture) return;
    r->nextPicture = fmax(now, r->nextPicture + 1 / r->def.pictureRate);
    plTiming* t = &r->head.timing;
    t->ticks = r->ticks.count;
    t->missed = r->pace.missed;
    t->tick = durations(&r->ticks);
    t->lateness = durations(&r->lateness);
    t->obey = durations(&r->obey);
    t->step = durations(&r->step);
    t->hand = durations(&r->hand);
    ++r->head.sequence;
    plPicture_Take(plExchange_Write(r->pictures), &r->head, r->def.world, r->def.contacts);
    plExchange_Publish(r->pictures);
}

static void pushRow(plRuntime* r)
{
    const WatchList* list = plExchange_Take(r->watches, NULL);
    if (list->count == 0) return;
    r->row[0] = (double)plWorld_Tick(r->def.world);
    r->row[1] = (double)list->number;
    for (int i = 0; i < list->count; ++i) {
        r->row[2 + i] = plWorld_ReadChannel(r->def.world, list->channels[i]);
    }
    if (!plRing_Push(r->rows, r->row)) {
        atomic_fetch_add_explicit(&r->rowsLost, 1, memory_order_relaxed);
    }
}

// --- the loop

static void noteStep(plRuntime* r, double T)
{
    const plApplied applied = {plWorld_Tick(r->def.world), {.kind = pl_commandStep, .value = T}};
    note(r, &applied);
}

static void step(plRuntime* r, int periods)
{
    enum { longest = 4 };
    const bool stretches = r->def.overrun == pl_overrunStretch;
    const int times = !stretches ? 1 : periods < longest ? periods : longest;
    if (times > 1) noteStep(r, times * r->head.step);
    plWorld_Step(r->def.world, times * r->head.step);
    if (times > 1) noteStep(r, r->head.step);
    pushRow(r);
}

static void tick(plRuntime* r, int periods, double start)
{
    if (r->ticksLeft > 0) --r->ticksLeft;
    goOnAlarming(r);
    const double obeyed = plClock_Now();
    step(r, periods);
    const double now = plClock_Now();
    plTimes_Add(&r->obey, obeyed - start);
    plTimes_Add(&r->step, now - obeyed);
    plTimes_Add(&r->ticks, now - start);
    plTimes_Add(&r->lateness, r->pace.lateness);
}

static void* loop(void* self)
{
    plRuntime* r = self;
    plPrivilege privilege = {.refusal = "not asked for"};
    if (r->def.privileges) privilege = plPace_Claim();
    r->head.timing.realtime = privilege.realtime;
    r->head.timing.locked = privilege.locked;
    memcpy(r->head.timing.refusal, privilege.refusal, sizeof privilege.refusal);
    r->pace = plPace_Start(r->head.step / r->head.speed);
    setPace(r);
    while (!atomic_load_explicit(&r->ending, memory_order_relaxed)) {
        const int periods = plPace_Wait(&r->pace);
        const double start = plClock_Now();
        lookBack(r, start);
        obey(r);
        if (!r->head.paused || r->ticksLeft > 0) {
            tick(r, periods, start);
        } else {
            plWorld_Rest(r->def.world);
        }
        const double stepped = plClock_Now();
        publish(r, start);
        plTimes_Add(&r->hand, plClock_Now() - stepped);
    }
    return NULL;
}

// --- creation

static plStatus findChannels(plRuntime* r)
{
    WatchList* list = plExchange_Write(r->watches);
    list->number = 0;
    list->count = r->def.channelCount;
    for (int i = 0; i < list->count; ++i) {
        const plStatus status =
            plWorld_FindChannel(r->def.world, r->def.channels[i], &list->channels[i]);
        if (status != pl_statusOk) return status;
    }
    plExchange_Publish(r->watches);
    return pl_statusOk;
}

static void* take(plRuntime* r, size_t size)
{
    return r->def.allocator.take(r->def.allocator.self, size);
}

static void giveBack(plRuntime* r, void* memory, size_t size)
{
    if (memory) r->def.allocator.release(r->def.allocator.self, memory, size);
}

static size_t listBytes(const plRuntime* r)
{
    return sizeof(WatchList) + (size_t)r->def.channelRoom * sizeof(plChannel);
}

static plStatus prepare(plRuntime* r)
{
    const plAllocator* a = &r->def.allocator;
    const size_t picture = plPicture_Size(r->def.world, r->def.contacts);
    if (r->def.channelRoom < r->def.channelCount) r->def.channelRoom = r->def.channelCount;
    r->rowSize = ((size_t)r->def.channelRoom + 2) * sizeof(double);
    r->startSize = plWorld_SnapshotSize(r->def.world);
    r->row = take(r, r->rowSize);
    r->start = take(r, r->startSize);
    if (!r->row || !r->start) return pl_statusNoMemory;
    memset(r->row, 0, r->rowSize);
    plWorld_Save(r->def.world, r->start);
    plStatus status = plExchange_Create(listBytes(r), a, &r->watches);
    if (status == pl_statusOk) status = findChannels(r);
    if (status == pl_statusOk) {
        status = plRing_Create(sizeof(plCommand), (size_t)r->def.commands, a, &r->commands);
    }
    if (status == pl_statusOk) {
        status = plRing_Create(sizeof(plApplied), 16 * (size_t)r->def.commands, a, &r->applied);
    }
    if (status == pl_statusOk) {
        status = plRing_Create(r->rowSize, (size_t)r->def.rows, a, &r->rows);
    }
    return status == pl_statusOk ? plExchange_Create(picture, a, &r->pictures) : status;
}

static void clear(plRuntime* r)
{
    const plAllocator a = r->def.allocator;
    plRing_Destroy(r->commands, &a);
    plRing_Destroy(r->applied, &a);
    plRing_Destroy(r->rows, &a);
    plExchange_Destroy(r->pictures, &a);
    plExchange_Destroy(r->watches, &a);
    giveBack(r, r->row, r->rowSize);
    giveBack(r, r->start, r->startSize);
    a.release(a.self, r, sizeof *r);
}

static bool defOk(const plRuntimeDef* d)
{
    return d->world && d->step >= 1e-5 && d->step <= 0.1 && d->speed >= 0.01 && d->speed <= 10 &&
           (int)d->overrun >= 0 && d->overrun < pl_overrunCount && d->pictureRate >= 1 &&
           d->pictureRate <= 1e4 && d->contacts >= 0 && d->contacts <= 65536 && d->commands >= 1 &&
           d->commands <= 65536 && d->channelCount >= 0 && d->channelCount <= 4096 &&
           d->channelRoom >= 0 && d->channelRoom <= 4096 && d->rows >= 1 && d->rows <= 1 << 24;
}

// Signals belong to the threads of the application.
static bool begin(plRuntime* r)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool begun = pthread_create(&r->watchdog, NULL, watch, r) == 0;
    if (begun && pthread_create(&r->thread, NULL, loop, r) != 0) {
        atomic_store_explicit(&r->ending, true, memory_order_relaxed);
        pthread_join(r->watchdog, NULL);
        begun = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

plStatus plRuntime_Create(const plRuntimeDef* def, plRuntime** out)
{
    *out = NULL;
    if (!defOk(def)) return pl_statusBadArgument;
    plRuntime* r = def->allocator.take(def->allocator.self, sizeof *r);
    if (!r) return pl_statusNoMemory;
    *r = (plRuntime){.def = *def,
                     .head = {.step = def->step, .speed = def->speed, .paused = def->paused}};
    r->head.law = plWorld_Law(def->world);
    plStatus status = prepare(r);
    if (status == pl_statusOk && !begin(r)) status = pl_statusNoMemory;
    if (status != pl_statusOk) {
        clear(r);
        return status;
    }
    r->def.channels = NULL; // the caller's
    *out = r;
    return pl_statusOk;
}

void plRuntime_Destroy(plRuntime* r)
{
    if (!r) return;
    atomic_store_explicit(&r->ending, true, memory_order_relaxed);
    pthread_join(r->thread, NULL);
    pthread_join(r->watchdog, NULL);
    plWorld_Rest(r->def.world);
    plWorld_Destroy(r->def.world);
    clear(r);
}

// --- the other thread's side

bool plRuntime_Post(plRuntime* r, const plCommand* c) { return plRing_Push(r->commands, c); }

const plPicture* plRuntime_Picture(plRuntime* r, bool* fresh)
{
    return plExchange_Take(r->pictures, fresh);
}

uint64_t plRuntime_Watch(plRuntime* r, const plChannel* channels, int count)
{
    PL_ASSERT(count >= 0 && count <= r->def.channelRoom);
    WatchList* list = plExchange_Write(r->watches);
    list->number = ++r->watchNumber;
    list->count = count;
    if (count > 0) memcpy(list->channels, channels, (size_t)count * sizeof *channels);
    plExchange_Publish(r->watches);
    return r->watchNumber;
}

bool plRuntime_Stalled(const plRuntime* r)
{
    return atomic_load_explicit(&r->stalled, memory_order_relaxed);
}

size_t plRuntime_Rows(plRuntime* r, double* rows, size_t count)
{
    return plRing_Pop(r->rows, rows, count);
}

uint64_t plRuntime_RowsLost(const plRuntime* r)
{
    return atomic_load_explicit(&r->rowsLost, memory_order_relaxed);
}

size_t plRuntime_Applied(plRuntime* r, plApplied* applied, size_t count)
{
    return plRing_Pop(r->applied, applied, count);
}
