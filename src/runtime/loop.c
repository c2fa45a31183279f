// The paced loop. A period: wait for the deadline, obey, step, hand over.
#define _GNU_SOURCE

#include "runtime/inside.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

struct plRuntime {
    plRuntimeDef def;
    pthread_t thread;
    atomic_bool ending;
    plRing *commands, *applied, *rows;
    plExchange* pictures;
    plChannel* channels;
    double* row;
    void* start; ///< snapshot of the beginning
    size_t startSize, rowSize;
    atomic_uint_fast64_t rowsLost;

    // of the loop's thread
    plPace pace;
    plTimes ticks, lateness;
    plPicture head; ///< of the next picture
    int ticksLeft;  ///< while paused
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

static void setPace(plRuntime* r) { r->pace.period = r->head.step / r->head.speed; }

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
        r->pace.missed = 0;
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
    if (!plRing_Push(r->applied, applied)) ++r->head.unrecorded;
}

static void obey(plRuntime* r)
{
    plCommand c;
    while (plRing_Pop(r->commands, &c, 1) > 0) {
        const plApplied applied = {plWorld_Tick(r->def.world), c};
        if (plCommand_Obey(&c, r->def.world, r->start, r->startSize) != pl_statusOk) {
            ++r->head.refused;
            continue;
        }
        adopt(r, &c);
        note(r, &applied);
    }
}

// --- hand-over

static plDurations durations(const plTimes* t)
{
    return (plDurations){.mean = plTimes_Mean(t),
                         .p50 = plTimes_Quantile(t, 0.5),
                         .p99 = plTimes_Quantile(t, 0.99),
                         .p999 = plTimes_Quantile(t, 0.999),
                         .most = plTimes_Most(t)};
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
    ++r->head.sequence;
    plPicture_Take(plExchange_Write(r->pictures), &r->head, r->def.world, r->def.contacts);
    plExchange_Publish(r->pictures);
}

static void pushRow(plRuntime* r)
{
    if (r->def.channelCount == 0) return;
    r->row[0] = (double)plWorld_Tick(r->def.world);
    for (int i = 0; i < r->def.channelCount; ++i) {
        r->row[1 + i] = plWorld_ReadChannel(r->def.world, r->channels[i]);
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

static void* loop(void* self)
{
    plRuntime* r = self;
    plPrivilege privilege = {.refusal = "not asked for"};
    if (r->def.privileges) privilege = plPace_Claim();
    r->head.timing.realtime = privilege.realtime;
    r->head.timing.locked = privilege.locked;
    memcpy(r->head.timing.refusal, privilege.refusal, sizeof privilege.refusal);
    r->pace = plPace_Start(r->head.step / r->head.speed);
    while (!atomic_load_explicit(&r->ending, memory_order_relaxed)) {
        const int periods = plPace_Wait(&r->pace);
        const double start = plClock_Now();
        obey(r);
        if (!r->head.paused || r->ticksLeft > 0) {
            if (r->ticksLeft > 0) --r->ticksLeft;
            step(r, periods);
            plTimes_Add(&r->ticks, plClock_Now() - start);
            plTimes_Add(&r->lateness, r->pace.lateness);
        } else {
            plWorld_Rest(r->def.world);
        }
        publish(r, start);
    }
    return NULL;
}

// --- creation

static plStatus findChannels(plRuntime* r)
{
    for (int i = 0; i < r->def.channelCount; ++i) {
        const plStatus status =
            plWorld_FindChannel(r->def.world, r->def.channels[i], &r->channels[i]);
        if (status != pl_statusOk) return status;
    }
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

static size_t channelBytes(const plRuntime* r)
{
    return ((size_t)r->def.channelCount + 1) * sizeof *r->channels;
}

static plStatus prepare(plRuntime* r)
{
    const plAllocator* a = &r->def.allocator;
    const size_t picture = plPicture_Size(r->def.world, r->def.contacts);
    r->rowSize = ((size_t)r->def.channelCount + 1) * sizeof(double);
    r->startSize = plWorld_SnapshotSize(r->def.world);
    r->channels = take(r, channelBytes(r));
    r->row = take(r, r->rowSize);
    r->start = take(r, r->startSize);
    if (!r->channels || !r->row || !r->start) return pl_statusNoMemory;
    plWorld_Save(r->def.world, r->start);
    plStatus status = findChannels(r);
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
    giveBack(r, r->channels, channelBytes(r));
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
           d->rows >= 1 && d->rows <= 1 << 24;
}

// Signals belong to the threads of the application.
static bool begin(plRuntime* r)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    const bool begun = pthread_create(&r->thread, NULL, loop, r) == 0;
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
