// Devices and couplings: how they get into a world, and what can be asked of them.
#include "world/inside.h"

#include <string.h>

// --- adding

static const char memoryFull[] = "the world's memory is full: raise capacity.memory";

static plStatus badName(plWorld* w, const char* name)
{
    if (!plText_IsName(name)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "a name must be 1 to 31 letters, digits, - or _");
    }
    return plWorld_NameTaken(w, name) ? plWorld_Fail(w, pl_statusDuplicate, NULL) : pl_statusOk;
}

// In a planar world a handle stays in the plane.
static plDeviceDef inPlane(const plWorld* w, const plDeviceDef* def)
{
    plDeviceDef d = *def;
    if (w->def.planar) d.mass.z = d.inertia.x = d.inertia.y = INFINITY;
    return d;
}

plStatus plWorld_AddDevice(plWorld* w, const plDeviceDef* given, plDeviceId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    const plDeviceDef def = inPlane(w, given);
    const plStatus name = badName(w, def.name);
    const char* complaint = plSimulated_Complaint(&def);
    if (name != pl_statusOk) return name;
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    if (def.kind == pl_devicePantograph && !w->def.planar) {
        return plWorld_Fail(w, pl_statusBadArgument, "a pantograph needs a planar world");
    }
    if (!def.calls.sample != !def.calls.write) {
        return plWorld_Fail(w, pl_statusBadArgument, "a device needs both calls, or none");
    }
    if (w->deviceCount >= w->def.capacity.devices) {
        return plWorld_Fail(w, pl_statusCapacity, "too many devices: raise capacity.devices");
    }
    plWorldDevice* d = &w->devices[w->deviceCount];
    *d = (plWorldDevice){
        .calls = def.calls, .forceLimit = def.forceLimit, .torqueLimit = def.torqueLimit};
    memcpy(d->name, def.name, strlen(def.name) + 1);
    d->sample = plArena_Alloc(&w->state, 1, sizeof *d->sample);
    d->written = plArena_Alloc(&w->state, 1, sizeof *d->written);
    d->account = plArena_Alloc(&w->state, 1, sizeof *d->account);
    d->ease = plArena_Alloc(&w->state, 1, sizeof *d->ease);
    if (!d->sample || !d->written || !d->account || !d->ease ||
        plSimulated_Create(&d->simulated, &def, &w->fixed, &w->state) != pl_statusOk) {
        plArena_Rewind(&w->fixed, fixed);
        plArena_Rewind(&w->state, state);
        return plWorld_Fail(w, pl_statusCapacity, memoryFull);
    }
    d->sample->pose = def.pose;
    d->ease->share = 1;
    plLedger_EnterDevice(d);
    *id = (plDeviceId){(uint32_t)++w->deviceCount, 1};
    return pl_statusOk;
}

static bool areEqual(const plCouplingDef* d, int count)
{
    const plVec3 all[] = {d->stiffness, d->damping, d->turnStiffness, d->turnDamping};
    bool equal = true;
    for (int i = 0; i < count; ++i) {
        equal = equal && all[i].x == all[i].y && all[i].y == all[i].z;
    }
    return equal;
}

// A planar coupler has no way out of the plane.
static plCouplingDef couplingInPlane(const plWorld* w, const plCouplingDef* def)
{
    plCouplingDef d = *def;
    if (w->def.planar) {
        d.stiffness.z = d.turnStiffness.x = d.turnStiffness.y = 0;
        d.damping.z = d.turnDamping.x = d.turnDamping.y = 0;
    }
    return d;
}

// What the kind needs besides.
static plStatus addKind(plWorld* w, plWorldCoupling* c)
{
    const plCouplingOps* ops = c->coupling.ops;
    const plCouplingHost host = plWorld_Host(w);
    const char* why = NULL;
    if (ops->traits.strikes && plLinkage_Create(w, c) != pl_statusOk) {
        return plWorld_Fail(w, pl_statusCapacity, memoryFull);
    }
    const plStatus status = ops->create ? ops->create(&c->coupling, &host, &why) : pl_statusOk;
    if (status != pl_statusOk) return why ? plWorld_Fail(w, status, why) : status;
    if (ops->traits.takes) plGrasp_Start(w, c);
    return pl_statusOk;
}

// Most kinds hold a part. A virtual one may hold nothing yet, and a grip has fingers instead.
static plStatus badSites(plWorld* w, const plCouplingDef* d)
{
    const bool known = d->device.generation == 1 && d->device.index1 >= 1 &&
                       d->device.index1 <= (uint32_t)w->deviceCount;
    const bool none = d->tool.mechanism.index1 == 0;
    const plToolNeed need = plCoupling_Ops(d->kind)->traits.need;
    const plStatus status = plWorld_LookSite(w, d->tool);
    if (!known || (none && need == pl_toolNeeded) || status != pl_statusOk) {
        return plWorld_FailId(w, status == pl_statusStale ? status : pl_statusBadId,
                              "a coupling names no device or no part");
    }
    const char* why = plWorld_SiteRefuses(w, d->tool);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (need == pl_toolNone && !none) {
        return plWorld_Fail(w, pl_statusBadArgument, "a grip has fingers, and no tool");
    }
    return pl_statusOk;
}

plStatus plWorld_AddCoupling(plWorld* w, const plCouplingDef* def, plCouplingId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    const plStatus name = badName(w, def->name);
    const char* complaint = plCoupling_Complaint(def);
    if (name != pl_statusOk) return name;
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    if (w->couplingCount >= w->def.capacity.couplings) {
        return plWorld_Fail(w, pl_statusCapacity, "too many couplings: raise capacity.couplings");
    }
    const plStatus sites = badSites(w, def);
    if (sites != pl_statusOk) return sites;
    const plCouplingOps* ops = plCoupling_Ops(def->kind);
    if (!areEqual(def, ops->traits.equal)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "stiffness and damping of a virtual coupling, and the stiffness of a "
                            "grip, are equal along all axes");
    }
    plWorldCoupling* c = &w->couplings[w->couplingCount];
    *c = (plWorldCoupling){
        .coupling = {.def = couplingInPlane(w, def), .ops = ops, .frame = -1, .link = -1},
        .device = (int)def->device.index1 - 1};
    c->coupling.worn = w->devices[c->device].simulated.def.cutaneous;
    memcpy(c->name, def->name, strlen(def->name) + 1);
    c->coupling.def.name = c->name;
    c->coupling.state = plArena_Alloc(&w->state, 1, sizeof *c->coupling.state);
    if (!c->coupling.state) return plWorld_Fail(w, pl_statusCapacity, memoryFull);
    const plStatus status = addKind(w, c);
    if (status != pl_statusOk) {
        // frames and links that were refused stay in the arenas, where others may lie behind them
        if (!ops->traits.takes) {
            plArena_Rewind(&w->fixed, fixed);
            plArena_Rewind(&w->state, state);
        }
        return status;
    }
    *id = (plCouplingId){(uint32_t)++w->couplingCount, 1};
    return pl_statusOk;
}

// --- who drives

static const plWorldDevice* deviceOf(const plWorld* w, plDeviceId id)
{
    const bool good = id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->deviceCount;
    return good ? &w->devices[id.index1 - 1] : NULL;
}

plStatus plWorld_AttachDevice(plWorld* w, plDeviceId id, const plDeviceCalls* calls)
{
    if (!deviceOf(w, id)) return plWorld_Fail(w, pl_statusBadId, NULL);
    plWorldDevice* d = &w->devices[id.index1 - 1];
    if (calls && (!calls->sample || !calls->write)) {
        return plWorld_Fail(w, pl_statusBadArgument, "a driver needs both calls");
    }
    plDevices_Quiet(d, w->now->T);
    if (!calls && d->calls.sample) { // it goes on where the driver left it, as far as it can
        const plSample* s = d->sample;
        plSimulated_Place(&d->simulated, &(plGrip){s->pose, s->velocity, s->spin});
        plLedger_PlaceDevice(d);
    }
    d->calls = calls ? *calls : (plDeviceCalls){0};
    return pl_statusOk;
}

// --- inspection

int plWorld_DeviceCount(const plWorld* w) { return w->deviceCount; }
int plWorld_CouplingCount(const plWorld* w) { return w->couplingCount; }

plStatus plWorld_FindDevice(const plWorld* w, const char* name, plDeviceId* id)
{
    for (int i = 0; i < w->deviceCount; ++i) {
        if (strcmp(w->devices[i].name, name) != 0) continue;
        *id = (plDeviceId){(uint32_t)i + 1, 1};
        return pl_statusOk;
    }
    return pl_statusNotFound;
}

plStatus plWorld_FindCoupling(const plWorld* w, const char* name, plCouplingId* id)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        if (strcmp(w->couplings[i].name, name) != 0) continue;
        *id = (plCouplingId){(uint32_t)i + 1, 1};
        return pl_statusOk;
    }
    return pl_statusNotFound;
}

plStatus plWorld_DeviceSample(const plWorld* w, plDeviceId id, plSample* sample)
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    *sample = *d->sample;
    return pl_statusOk;
}

plStatus plWorld_DeviceForce(const plWorld* w, plDeviceId id, plWrench* wrench)
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    *wrench = *d->written;
    return pl_statusOk;
}

plStatus plWorld_DevicePose(const plWorld* w, plDeviceId id, plPose* pose)
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    *pose = d->calls.sample ? d->sample->pose : plSimulated_Grip(&d->simulated).pose;
    return pl_statusOk;
}

plStatus plWorld_DeviceDef(const plWorld* w, plDeviceId id, plDeviceDef* def)
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    *def = d->simulated.def;
    def->name = d->name;
    def->calls = d->calls;
    return pl_statusOk;
}

static const plWorldCoupling* couplingOf(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    return good ? &w->couplings[id.index1 - 1] : NULL;
}

plStatus plWorld_CouplingDef(const plWorld* w, plCouplingId id, plCouplingDef* def)
{
    const plWorldCoupling* c = couplingOf(w, id);
    if (!c) return pl_statusBadId;
    *def = c->coupling.def;
    return pl_statusOk;
}

const plCouplingTraits* plWorld_CouplingTraits(const plWorld* w, plCouplingId id)
{
    const plWorldCoupling* c = couplingOf(w, id);
    return c ? &c->coupling.ops->traits : NULL;
}

plStatus plWorld_DeviceMasses(const plWorld* w, plDeviceId id, double masses[6])
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    plSimulated_Masses(&d->simulated, masses);
    return pl_statusOk;
}

plStatus plWorld_DeviceLedger(const plWorld* w, plDeviceId id, plAccount* account)
{
    const plWorldDevice* d = deviceOf(w, id);
    if (!d) return pl_statusBadId;
    *account = *d->account;
    return pl_statusOk;
}

plStatus plWorld_Grip(const plWorld* w, plCouplingId id, double* wanted, double* closed)
{
    const plWorldCoupling* c = couplingOf(w, id);
    if (!c || !c->coupling.ops->traits.grips) return pl_statusBadId;
    if (wanted) *wanted = c->coupling.state->wanted;
    if (closed) *closed = c->coupling.state->closed;
    return pl_statusOk;
}

plStatus plWorld_DampingNeeded(const plWorld* w, plCouplingId id, double T, double needed[6])
{
    const plWorldCoupling* c = couplingOf(w, id);
    if (!c) return pl_statusBadId;
    const int delay = plDevices_Delay(&w->devices[c->device], T);
    double K[6], B[6];
    plCoupling_Gains(&c->coupling.def, K, B);
    for (int i = 0; i < 6; ++i) {
        needed[i] = plCoupling_NeededBy(&c->coupling.def, K[i], B[i], T, delay);
    }
    return pl_statusOk;
}

plStatus plWorld_Port(const plWorld* w, plCouplingId id, plPort* port)
{
    const plWorldCoupling* c = couplingOf(w, id);
    if (!c) return pl_statusBadId;
    const plCouplingState* x = c->coupling.state;
    *port = (plPort){.tool = x->workTool, .device = x->workDevice, .stored = x->stored};
    const int frame = c->coupling.frame; // what moves a frame works on the world through it
    if (frame >= 0) port->tool += w->mechanismOwners[frame].account.applied;
    return pl_statusOk;
}
