// A runtime: how it comes to be, and the other thread's side of it.
#define _GNU_SOURCE

#include "runtime/inside.h"

#include <math.h>
#include <signal.h>
#include <string.h>

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

enum { wholeShare = 1000 };

// --- creation

static plStatus findChannels(plRuntime* r)
{
    plWatchList* list = plExchange_Write(r->watches);
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
    return sizeof(plWatchList) + (size_t)r->def.channelRoom * sizeof(plChannel);
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
        status = plRing_Create(sizeof(plPosted), (size_t)r->def.commands, a, &r->commands);
    }
    if (status == pl_statusOk) {
        status = plRing_Create(sizeof(plRefusal), (size_t)r->def.commands, a, &r->refusals);
    }
    if (status == pl_statusOk) {
        status = plRing_Create(sizeof(plApplied), 16 * (size_t)r->def.commands, a, &r->applied);
    }
    if (status == pl_statusOk) {
        status = plRing_Create(r->rowSize, (size_t)r->def.rows, a, &r->rows);
    }
    if (status == pl_statusOk) status = plExchange_Create(sizeof(plLooked), a, &r->looks);
    return status == pl_statusOk ? plExchange_Create(picture, a, &r->pictures) : status;
}

static void clear(plRuntime* r)
{
    const plAllocator a = r->def.allocator;
    plRing_Destroy(r->commands, &a);
    plRing_Destroy(r->applied, &a);
    plRing_Destroy(r->refusals, &a);
    plRing_Destroy(r->rows, &a);
    plExchange_Destroy(r->pictures, &a);
    plExchange_Destroy(r->looks, &a);
    plExchange_Destroy(r->watches, &a);
    giveBack(r, r->row, r->rowSize);
    giveBack(r, r->start, r->startSize);
    plRuntime_GiveDevicesBack(r);
    a.release(a.self, r, sizeof *r);
}

static bool defOk(const plRuntimeDef* d)
{
    return d->world && d->step >= 1e-5 && d->step <= 0.1 && d->speed >= 0.01 && d->speed <= 10 &&
           (int)d->overrun >= 0 && d->overrun < pl_overrunCount && d->pictureRate >= 1 &&
           d->pictureRate <= 1e4 && d->contacts >= 0 && d->contacts <= 65536 && d->commands >= 1 &&
           d->commands <= 65536 && d->channelCount >= 0 && d->channelCount <= 4096 &&
           d->channelRoom >= 0 && d->channelRoom <= 4096 && d->rows >= 1 && d->rows <= 1 << 24 &&
           (d->deviceRate == 0 || (d->deviceRate >= 10 && d->deviceRate <= plDeviceRate));
}

static void end(plRuntime* r, int threads)
{
    const pthread_t all[] = {r->watchdog, r->thread, r->feelers.thread};
    atomic_store_explicit(&r->ending, true, memory_order_relaxed);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

static int threadsOf(const plRuntime* r) { return r->feelers.count > 0 ? 3 : 2; }

// Signals belong to the threads of the application.
static bool begin(plRuntime* r)
{
    pthread_t* const threads[] = {&r->watchdog, &r->thread, &r->feelers.thread};
    void* (*const bodies[])(void*) = {plRuntime_Watchdog, plRuntime_Loop, plRuntime_Feel};
    const int count = threadsOf(r);
    sigset_t all, before;
    int begun = 0;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    while (begun < count && pthread_create(threads[begun], NULL, bodies[begun], r) == 0) ++begun;
    if (begun < count) end(r, begun);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun == count;
}

plStatus plRuntime_Create(const plRuntimeDef* def, plRuntime** out)
{
    *out = NULL;
    if (!defOk(def) || plOverrun_Complaint(def->overrun, def->world)) return pl_statusBadArgument;
    plRuntime* r = def->allocator.take(def->allocator.self, sizeof *r);
    if (!r) return pl_statusNoMemory;
    *r = (plRuntime){.def = *def,
                     .head = {.step = def->step, .speed = def->speed, .paused = def->paused}};
    r->head.law = plWorld_Law(def->world);
    atomic_init(&r->horizon, UINT64_MAX);
    atomic_init(&r->hashAsked, true);
    atomic_init(&r->share, wholeShare);
    plStatus status = prepare(r);
    if (status == pl_statusOk) status = plRuntime_TakeDevices(r);
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
    end(r, threadsOf(r));
    plWorld_Rest(r->def.world);
    plRuntime_GiveDevicesBack(r);
    plWorld_Destroy(r->def.world);
    clear(r);
}

// --- the other thread's side

static bool post(plRuntime* r, const plPosted* p) { return plRing_Push(r->commands, p); }

bool plRuntime_Post(plRuntime* r, const plCommand* c)
{
    return post(r, &(plPosted){.command = *c});
}

bool plRuntime_PostAt(plRuntime* r, const plCommand* c, uint64_t step)
{
    return post(r, &(plPosted){.command = *c, .at = step});
}

size_t plRuntime_Refused(plRuntime* r, plRefusal* refusals, size_t count)
{
    return plRing_Pop(r->refusals, refusals, count);
}

void plRuntime_Share(plRuntime* r, double share)
{
    const double most = fmax(0.01, fmin(1, share));
    atomic_store_explicit(&r->share, (unsigned)lround(wholeShare * most), memory_order_relaxed);
}

// --- two that go together

uint64_t plRuntime_Steps(const plRuntime* r)
{
    return atomic_load_explicit(&r->stepsDone, memory_order_acquire);
}

bool plRuntime_Begin(plRuntime* r, uint64_t horizon)
{
    const plPosted begin = {.command = {.kind = pl_commandReset}, .begins = true};
    const bool posted = post(r, &begin);
    if (posted) plRuntime_GoOn(r, horizon);
    return posted;
}

// Release: what was posted for the steps up to now is seen by who sees the new horizon.
void plRuntime_GoOn(plRuntime* r, uint64_t horizon)
{
    atomic_store_explicit(&r->horizon, horizon, memory_order_release);
}

// --- pictures, rows, looks

const plPicture* plRuntime_Picture(plRuntime* r, bool* fresh)
{
    bool isFresh;
    const plPicture* p = plExchange_Take(r->pictures, &isFresh);
    if (p && isFresh && p->hashed) {
        atomic_store_explicit(&r->hashAsked, false, memory_order_relaxed);
    }
    if (fresh) *fresh = isFresh;
    return p;
}

void plRuntime_AskHash(plRuntime* r)
{
    atomic_store_explicit(&r->hashAsked, true, memory_order_relaxed);
}

void plRuntime_Look(plRuntime* r, double rate)
{
    const unsigned pause = rate > 0 ? (unsigned)ceil(1e3 / fmin(rate, 10)) : 0;
    atomic_store_explicit(&r->lookPause, pause, memory_order_relaxed);
}

const plLook* plRuntime_Looked(plRuntime* r, uint64_t* tick, bool* fresh)
{
    const plLooked* l = plExchange_Take(r->looks, fresh);
    if (l) *tick = l->tick;
    return l ? &l->look : NULL;
}

uint64_t plRuntime_Watch(plRuntime* r, const plChannel* channels, int count)
{
    PL_ASSERT(count >= 0 && count <= r->def.channelRoom);
    plWatchList* list = plExchange_Write(r->watches);
    list->number = ++r->watchNumber;
    list->count = count;
    if (count > 0) memcpy(list->channels, channels, (size_t)count * sizeof *channels);
    plExchange_Publish(r->watches);
    return r->watchNumber;
}

bool plRuntime_Touched(plRuntime* r, plDeviceId id, plTouched* out)
{
    for (int i = 0; i < r->feelers.count; ++i) {
        const plFeeler* t = &r->feelers.all[i];
        if (t->device.index1 != id.index1 || t->device.generation != id.generation) continue;
        const plTouched* newest = plExchange_Take(t->done, NULL);
        *out = newest ? *newest : (plTouched){0};
        return true;
    }
    return false;
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
