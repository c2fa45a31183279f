// Devices and couplings in a tick: samples and commands before it, feedback behind it.
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

// --- adding

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
    if (!d->sample || !d->written ||
        plSimulated_Create(&d->simulated, &def, &w->fixed, &w->state) != pl_statusOk) {
        plArena_Rewind(&w->fixed, fixed);
        plArena_Rewind(&w->state, state);
        return plWorld_Fail(w, pl_statusCapacity,
                            "the world's memory is full: raise capacity.memory");
    }
    d->sample->pose = def.pose;
    *id = (plDeviceId){(uint32_t)++w->deviceCount, 1};
    return pl_statusOk;
}

// The device moves a frame, and a passive link carries the tool.
static plStatus addVirtual(plWorld* w, plWorldCoupling* c)
{
    const plCouplingDef* d = &c->coupling.def;
    plPrescribedDef frame = plDefaultPrescribedDef();
    plLinkDef link = plDefaultLinkDef();
    plMechanismId frameId;
    plLinkId linkId;
    char name[40];
    frame.name = name;
    snprintf(name, sizeof name, "%.24s-hand", c->name);
    frame.pose = w->devices[c->device].sample->pose;
    plStatus status = plWorld_AddPrescribed(w, &frame, &frameId);
    if (status != pl_statusOk) return status;
    link.name = c->name;
    link.a = d->tool;
    link.b = (plSite){.mechanism = frameId};
    link.stiffness = d->stiffness.x;
    link.damping = d->damping.x;
    link.turns = d->turnStiffness.x + d->turnDamping.x > 0;
    link.turnStiffness = d->turnStiffness.x;
    link.turnDamping = d->turnDamping.x;
    status = plWorld_AddLink(w, &link, &linkId);
    if (status != pl_statusOk) {
        --w->mechanismCount; // the frame goes again; its memory is lost
        return status;
    }
    c->frame = (int)frameId.index1 - 1;
    c->link = (int)linkId.index1 - 1;
    return status;
}

// The tool of a coupler that only pulls back is a frame without weight.
static plStatus addUnilateral(plWorld* w, const plCouplingDef* d)
{
    if (!plMechanism_IsPrescribed(w->mechanisms[d->tool.mechanism.index1 - 1]) ||
        plDot(d->tool.point, d->tool.point) > 0) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "the tool of a unilateral coupler is the origin of a prescribed frame");
    }
    if (w->proxy) return pl_statusOk;
    plProxy* proxy = plArena_Alloc(&w->fixed, 1, sizeof *proxy);
    if (!proxy || plProxy_Create(proxy, &w->fixed) != pl_statusOk) {
        return plWorld_Fail(w, pl_statusCapacity,
                            "the world's memory is full: raise capacity.memory");
    }
    w->proxy = proxy;
    return pl_statusOk;
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

plStatus plWorld_AddCoupling(plWorld* w, const plCouplingDef* def, plCouplingId* id)
{
    const plStatus name = badName(w, def->name);
    const char* complaint = plCoupling_Complaint(def);
    if (name != pl_statusOk) return name;
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    if (w->couplingCount >= w->def.capacity.couplings) {
        return plWorld_Fail(w, pl_statusCapacity, "too many couplings: raise capacity.couplings");
    }
    const bool known = def->device.generation == 1 && def->device.index1 >= 1 &&
                       def->device.index1 <= (uint32_t)w->deviceCount;
    if (!known || def->tool.mechanism.index1 == 0 || !plWorld_SiteOk(w, def->tool)) {
        return plWorld_Fail(w, pl_statusBadId, "a coupling names no device or no part");
    }
    plWorldCoupling* c = &w->couplings[w->couplingCount];
    *c = (plWorldCoupling){.coupling.def = couplingInPlane(w, def),
                           .device = (int)def->device.index1 - 1};
    memcpy(c->name, def->name, strlen(def->name) + 1);
    c->coupling.def.name = c->name;
    c->coupling.state = plArena_Alloc(&w->state, 1, sizeof *c->coupling.state);
    if (!c->coupling.state) {
        return plWorld_Fail(w, pl_statusCapacity,
                            "the world's memory is full: raise capacity.memory");
    }
    if (def->kind == pl_couplingVirtual) {
        const plStatus status = addVirtual(w, c);
        if (status != pl_statusOk) return status;
    }
    if (def->kind == pl_couplingUnilateral) {
        const plStatus status = addUnilateral(w, def);
        if (status != pl_statusOk) return status;
    }
    *id = (plCouplingId){(uint32_t)++w->couplingCount, 1};
    return pl_statusOk;
}

// --- before the tick

static bool sampleOk(const plSample* s)
{
    return plFinitePose(s->pose) && plFinite3(s->velocity) && plFinite3(s->spin) &&
           plFinite3(s->hand.force) && plFinite3(s->hand.torque);
}

// Field by field: gaps of the structure are part of the hashed state.
static void keepSample(plSample* to, const plSample* from)
{
    to->pose = from->pose;
    to->velocity = from->velocity;
    to->spin = from->spin;
    to->hand = from->hand;
    to->buttons = from->buttons;
    to->flags = from->flags;
}

static void sample(plWorld* w, plWorldDevice* d)
{
    plSample s = {.pose = d->sample->pose};
    if (d->calls.sample) {
        d->calls.sample(d->calls.self, w->now->time, &s);
    } else {
        s = plSimulated_Sample(&d->simulated, w->now->time, w->now->T);
    }
    if (!sampleOk(&s) || s.flags & pl_sampleLost) { // it stays where it was, and nobody pushes
        s = (plSample){.pose = d->sample->pose, .flags = s.flags | pl_sampleLost};
        w->report.trouble |= pl_troubleDevice;
    }
    s.pose.q = plQuatUnit(s.pose.q);
    keepSample(d->sample, &s);
}

static plMotion toolMotion(const plWorld* w, const plWorldCoupling* c)
{
    const plSite tool = c->coupling.def.tool;
    return plMechanism_Motion(w->mechanisms[tool.mechanism.index1 - 1], pl_atStart, tool);
}

typedef struct {
    plWorld* world;
    int body;
} Toucher;

// Points of the tool, at a pose, that are near what stands still.
static int touch(void* self, const plFrame* tool, plProxyRow* rows)
{
    const Toucher* t = self;
    const plWorld* w = t->world;
    const double reach = 0.02;
    const plFrame ground = {.R = plIdentity3()};
    plManifold manifold;
    int count = 0;
    for (int i = 0; i < w->shapeCount; ++i) {
        for (int k = 0; k < w->shapeCount; ++k) {
            if (w->carriers[i].body != t->body || w->carriers[k].body != 0) continue;
            const plShape *a = w->shapes[i], *b = w->shapes[k];
            if (w->def.planar) {
                plPlanarMemory memory = {0};
                plCollide_Planar(a, tool, b, &ground, reach, &memory, &manifold);
            } else {
                plCollide_Manifold(a, tool, b, &ground, reach, NULL, &manifold);
            }
            for (int j = 0; j < manifold.count && count < plProxyRows; ++j) {
                const plPoint* p = &manifold.points[j];
                rows[count++] = (plProxyRow){.n = p->n, .arm = plSub(p->a, tool->x), .gap = p->gap};
            }
        }
    }
    return count;
}

static void steerProxy(plWorld* w, plWorldCoupling* c, const plSample* s)
{
    const plSite tool = c->coupling.def.tool;
    Toucher toucher = {w, -1};
    for (int i = 1; i < w->bodyCount; ++i) {
        if (w->bodies[i].mechanism.index1 == tool.mechanism.index1) toucher.body = i;
    }
    const plPose pose = plCoupling_Proxy(&c->coupling, s, touch, &toucher, w->proxy, &c->pull);
    plMechanism_Steer(w->mechanisms[tool.mechanism.index1 - 1], pose);
}

void plDevices_Sample(plWorld* w)
{
    for (int i = 0; i < w->deviceCount; ++i) sample(w, &w->devices[i]);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        const plSample* s = w->devices[c->device].sample;
        const plMotion tool = toolMotion(w, c);
        plCoupling_Account(&c->coupling, s, &tool, w->now->T);
        c->reaction = (plWrench){{0, 0, 0}, {0, 0, 0}};
        if (c->coupling.def.kind == pl_couplingVirtual) {
            plMechanism_Steer(w->mechanisms[c->frame], s->pose);
            continue;
        }
        if (c->coupling.def.kind == pl_couplingUnilateral) {
            steerProxy(w, c, s);
            continue;
        }
        const plSite site = c->coupling.def.tool;
        plMechanism_AddForce(w->mechanisms[site.mechanism.index1 - 1], site,
                             plCoupling_Command(&c->coupling, s, &tool));
    }
}

// --- collisions

static bool inGroup(const plGroup* g, const plWorldCoupling* c)
{
    const int tool = (int)c->coupling.def.tool.mechanism.index1 - 1;
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (g->mechanismList[i] == tool) return true;
    }
    return false;
}

bool plDevices_Pending(const plWorld* w, const plGroup* g)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        const plWorldCoupling* c = &w->couplings[i];
        if (c->coupling.state->pending > 0 && inGroup(g, c)) return true;
    }
    return false;
}

// Impulses at the tool's site, at the instant of the start.
static double strikeTool(plWorld* w, const plWorldCoupling* c, plWrench impulse)
{
    const plSite tool = c->coupling.def.tool;
    plRow rows[6];
    double p[6];
    for (int i = 0; i < 6; ++i) {
        const plVec3 axis = plVec(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        rows[i] = (plRow){.a = tool};
        *(i < 3 ? &rows[i].lin : &rows[i].ang) = axis;
    }
    plPut3(impulse.force, p);
    plPut3(impulse.torque, p + 3);
    return plMechanism_Strike(w->mechanisms[tool.mechanism.index1 - 1], rows, 6, p);
}

void plDevices_Rest(plWorld* w, const plGroup* g)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        if (inGroup(g, &w->couplings[i])) plCoupling_Rest(&w->couplings[i].coupling);
    }
}

bool plDevices_Pay(plWorld* w, const plGroup* g, double T)
{
    bool pays = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        double owed = 0;
        if (!inGroup(g, c)) continue;
        for (int k = 0; k < 6; ++k) owed = fmax(owed, fabs(c->coupling.state->bank[k]));
        const plWrench paid = plCoupling_Pay(&c->coupling, T);
        if (owed == 0) continue;
        w->groupStrike += strikeTool(w, c, paid);
        pays = true;
    }
    return pays;
}

// Impulse on a at a point of the world: its wrench at the tool's place at the start of the tick, with
// the sign of the side that the tool is on; zero when it is on neither.
static void addAt(plWrench* sum, const plWorldCoupling* c, const plContact* contact, plVec3 impulse)
{
    const plSite tool = c->coupling.def.tool;
    const plSite sites[2] = {contact->siteA, contact->siteB};
    for (int i = 0; i < 2; ++i) {
        if (sites[i].mechanism.index1 != tool.mechanism.index1 || sites[i].part != tool.part) {
            continue;
        }
        const plVec3 f = plScale(i ? -1 : 1, impulse);
        const plVec3 arm = plSub(contact->at, plGet3(c->coupling.state->tool));
        sum->force = plAdd(sum->force, f);
        sum->torque = plAdd(sum->torque, plCross(arm, f));
    }
}

double plDevices_Share(plWorld* w, const plGroup* g, const double* impulses, double T)
{
    const plSystem* s = &w->system;
    double share = 1;
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        plWrench sum = {{0, 0, 0}, {0, 0, 0}};
        if (!inGroup(g, c)) continue;
        for (int k = 0; k < s->contactRows; ++k) {
            const plContact* contact = &g->contacts[g->contactList[s->source[k / s->size.dim]]];
            addAt(&sum, c, contact, plScale(impulses[k], s->set.rows[k].lin));
        }
        share = fmin(share, plCoupling_Share(&c->coupling, &sum, T));
    }
    return share;
}

void plDevices_Keep(plWorld* w, const plGroup* g, bool keep)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (!inGroup(g, c)) continue;
        plCoupling_Keep(&c->coupling, keep);
        for (int k = 0; k < g->contactCount && keep; ++k) {
            const plContact* contact = &g->contacts[g->contactList[k]];
            plVec3 impulse = plAddScaled(contact->struck, contact->p[0], contact->n);
            for (int t = 0; t < 2; ++t) {
                impulse = plAddScaled(impulse, contact->p[1 + t], contact->t[t]);
            }
            addAt(&c->reaction, c, contact, impulse);
        }
    }
}

// --- behind the tick

static plWrench scaled(plWrench f, double s)
{
    return (plWrench){plScale(s, f.force), plScale(s, f.torque)};
}

static plWrench feedback(plWorld* w, plWorldCoupling* c, double T)
{
    if (c->coupling.def.kind == pl_couplingVirtual) {
        const double* p = w->links[c->link].impulse;
        return scaled((plWrench){plGet3(p), plGet3(p + 3)}, -1 / T);
    }
    const plWrench reaction = scaled(c->reaction, 1 / T);
    if (c->coupling.def.kind == pl_couplingUnilateral) {
        return (plWrench){plAdd(c->pull.force, reaction.force),
                          plAdd(c->pull.torque, reaction.torque)};
    }
    return plCoupling_Feedback(&c->coupling, &reaction, T);
}

void plDevices_Write(plWorld* w, double T)
{
    for (int i = 0; i < w->deviceCount; ++i) {
        *w->devices[i].written = (plWrench){{0, 0, 0}, {0, 0, 0}};
    }
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        plWorldDevice* d = &w->devices[c->device];
        const plWrench F = feedback(w, c, T);
        if (d->sample->flags & pl_sampleLost) continue;
        d->written->force = plAdd(d->written->force, F.force);
        d->written->torque = plAdd(d->written->torque, F.torque);
        plPut3(F.force, c->coupling.state->written);
        plPut3(F.torque, c->coupling.state->written + 3);
    }
    for (int i = 0; i < w->deviceCount; ++i) {
        plWorldDevice* d = &w->devices[i];
        if (!plWrench_Limit(d->written, d->forceLimit, d->torqueLimit)) {
            w->report.trouble |= pl_troubleDevice;
        }
        if (d->calls.write) {
            d->calls.write(d->calls.self, d->written, T);
        } else {
            plSimulated_Step(&d->simulated, d->written, w->now->time - T, T);
        }
    }
}

// --- inspection

static const plWorldDevice* deviceOf(const plWorld* w, plDeviceId id)
{
    const bool good = id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->deviceCount;
    return good ? &w->devices[id.index1 - 1] : NULL;
}

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
    *pose = d->sample->pose;
    if (!d->calls.sample) {
        *pose = (plPose){plGet3(d->simulated.state->p), plGet4(d->simulated.state->q)};
    }
    return pl_statusOk;
}

plStatus plWorld_Port(const plWorld* w, plCouplingId id, plPort* port)
{
    if (id.generation != 1 || id.index1 < 1 || id.index1 > (uint32_t)w->couplingCount) {
        return pl_statusBadId;
    }
    const plCouplingState* x = w->couplings[id.index1 - 1].coupling.state;
    *port = (plPort){.tool = x->workTool, .device = x->workDevice, .stored = x->stored};
    return pl_statusOk;
}
