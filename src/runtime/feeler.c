// Devices with a thread of their own: how it gets them, and what the loop tells it.
//
// The world gets a driver in the place of the outside's. It tells the newest sample of the devices' thread,
// and drops what the world writes: so the outside's is called from one thread only, and the world's
// course depends on its samples alone.
#include "runtime/inside.h"
#include "world/world.h"

// --- the world's driver

static void tellNewest(void* self, double time, plSample* s)
{
    const plFeeler* t = self;
    const plSeen* seen = plExchange_Take(t->seen, NULL);
    (void)time;
    *s = seen->sample;
    if (plClock_Now() - seen->clock > t->patience) s->flags |= pl_sampleLost;
}

static void drop(void* self, const plWrench* f, double T) { (void)self, (void)f, (void)T; }

// --- taking

// An echo speaks for one coupling. What others give to the same device it does not know.
static plCouplingId onlyCoupling(const plWorld* w, plDeviceId device)
{
    plCouplingId found = {0, 0};
    int count = 0;
    for (int i = 0; i < plWorld_CouplingCount(w); ++i) {
        const plCouplingId id = {(uint32_t)i + 1, 1};
        plCouplingDef def;
        plWorld_CouplingDef(w, id, &def);
        if (def.device.index1 != device.index1) continue;
        ++count;
        if (plWorld_CouplingTraits(w, id)->takes && def.feedback == pl_feedbackMean) found = id;
    }
    return count == 1 ? found : (plCouplingId){0, 0};
}

static plStatus makeEchoes(plFeeler* t, const plAllocator* a)
{
    plStatus status = pl_statusOk;
    for (int i = 0; i < plFeelerEchoes && status == pl_statusOk; ++i) {
        status = plEcho_Create(i < 3 ? plEchoContacts : 0, a, &t->echoes[i]);
    }
    t->memory = t->echoes[3];
    t->blank = t->echoes[4];
    return status;
}

// Each of the three places gets an echo of its own, which stays there.
static void putEchoes(plFeeler* t)
{
    for (int i = 0; i < 3; ++i) {
        *(plTold*)plExchange_Write(t->told) = (plTold){.echo = t->echoes[i], .speed = 1};
        plExchange_Publish(t->told);
        t->now = plExchange_Take(t->told, NULL);
    }
}

// They take memory for the world's state when they are first used: now, and not in the loop.
static void firstEchoes(plFeeler* t, plWorld* w)
{
    for (int i = 0; i < 3; ++i) plWorld_TakeEcho(w, t->coupling, t->echoes[i]);
}

// The world's first sample may be asked for before the thread has begun.
static void firstSample(plFeeler* t, const plWorld* w)
{
    plSeen* seen = plExchange_Write(t->seen);
    plWorld_DeviceSample(w, t->device, &seen->sample);
    t->pose = seen->sample.pose;
    t->driver.sample(t->driver.self, plWorld_Time(w), &seen->sample);
    seen->clock = plClock_Now();
    if (plFinitePose(seen->sample.pose)) t->pose = seen->sample.pose;
    plExchange_Publish(t->seen);
}

static plStatus prepare(plFeeler* t, const plAllocator* a)
{
    plStatus status = makeEchoes(t, a);
    if (status == pl_statusOk) status = plExchange_Create(sizeof(plSeen), a, &t->seen);
    if (status == pl_statusOk) status = plExchange_Create(sizeof(plTold), a, &t->told);
    if (status == pl_statusOk) status = plExchange_Create(sizeof(plTouched), a, &t->done);
    return status;
}

static plStatus takeDevice(plRuntime* r, const plDeviceDef* def, plDeviceId id, plCouplingId c)
{
    plFeeler* t = &r->feelers.all[r->feelers.count];
    const plDeviceCalls ours = {.self = t, .sample = tellNewest, .write = drop};
    *t = (plFeeler){
        .device = id, .coupling = c, .driver = def->calls, .patience = plFeelers_Patience(r)};
    ++r->feelers.count;
    plStatus status = prepare(t, &r->def.allocator);
    if (status != pl_statusOk) return status;
    firstEchoes(t, r->def.world);
    putEchoes(t);
    firstSample(t, r->def.world);
    return plWorld_AttachDevice(r->def.world, id, &ours);
}

plStatus plRuntime_TakeDevices(plRuntime* r)
{
    plFeelers* f = &r->feelers;
    const int count = plWorld_DeviceCount(r->def.world);
    plStatus status = pl_statusOk;
    atomic_init(&f->rests, true);
    if (r->def.deviceRate == 0 || count == 0) return pl_statusOk;
    f->all = r->def.allocator.take(r->def.allocator.self, (size_t)count * sizeof *f->all);
    if (!f->all) return pl_statusNoMemory;
    f->room = count;
    for (int i = 0; i < count && status == pl_statusOk; ++i) {
        const plDeviceId id = {(uint32_t)i + 1, 1};
        const plCouplingId coupling = onlyCoupling(r->def.world, id);
        plDeviceDef def;
        plWorld_DeviceDef(r->def.world, id, &def);
        if (!def.calls.sample || coupling.index1 == 0) continue;
        status = takeDevice(r, &def, id, coupling);
    }
    return status;
}

static void giveBack(plFeeler* t, plWorld* w, const plAllocator* a)
{
    plWorld_AttachDevice(w, t->device, &t->driver);
    for (int i = 0; i < plFeelerEchoes; ++i) plEcho_Destroy(t->echoes[i]);
    plExchange_Destroy(t->seen, a);
    plExchange_Destroy(t->told, a);
    plExchange_Destroy(t->done, a);
}

void plRuntime_GiveDevicesBack(plRuntime* r)
{
    plFeelers* f = &r->feelers;
    const plAllocator* a = &r->def.allocator;
    for (int i = 0; i < f->count; ++i) giveBack(&f->all[i], r->def.world, a);
    if (f->all) a->release(a->self, f->all, (size_t)f->room * sizeof *f->all);
    f->all = NULL;
    f->count = f->room = 0;
}

// --- telling

static bool wasWell(const plRuntime* r, const plFeeler* t)
{
    plSample sample;
    plWorld_DeviceSample(r->def.world, t->device, &sample);
    return !r->eased && !(plWorld_Report(r->def.world).trouble & plTroubleEases) &&
           !(sample.flags & pl_sampleLost);
}

void plRuntime_TellDevices(plRuntime* r, double start)
{
    for (int i = 0; i < r->feelers.count; ++i) {
        plFeeler* t = &r->feelers.all[i];
        plTold* told = plExchange_Write(t->told);
        told->speaks = plWorld_TakeEcho(r->def.world, t->coupling, told->echo);
        told->clock = start;
        told->patience = plRuntime_Patience(r);
        told->time = plWorld_Time(r->def.world);
        told->speed = r->head.speed;
        told->era = r->feelers.era;
        told->well = wasWell(r, t);
        plExchange_Publish(t->told);
    }
}

// What the hand remembers of work and way is of no use behind these.
void plRuntime_MoveDevices(plRuntime* r, const plCommand* c)
{
    const plCommandKind kind = c->kind;
    r->feelers.era +=
        kind == pl_commandReset || kind == pl_commandGrab || kind == pl_commandRelease;
}
