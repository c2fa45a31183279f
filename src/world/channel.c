// Channels: scalars of a world by name.
#include "world/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    ofWorld,     ///< index: worldNames
    ofMechanism, ///< account entry, index: accountNames
    ofLink,
    ofDevice,
    ofContacts,
    ofBalance, ///< index: balanceNames
    state,     ///< of a mechanism
    position,  ///< index
    velocity,
    place,    ///< part, index 0..2
    reaction, ///< of a joint (part), index
    turn,     ///< free position of a joint (part), index
    force,    ///< of a link, index
    handle,   ///< of a device, index: handleNames
    written,  ///< to a device, index
    hand,     ///< as a device tells it, index
    push,     ///< of the hand on a pantograph, as it is, index
    torque,   ///< of a motor, index
    motors,   ///< of a pantograph, index: motorNames
    port,     ///< of a coupling, index: portNames
    felt,     ///< of a coupling, index
    grip      ///< of a grip, index: gripNames
} Kind;

static const char* const worldNames[] = {
    "time",      "step",       "gap",    "level", "trouble", "contacts", "active",     "sliding",
    "colliding", "iterations", "defect", "depth", "tank",    "rise",     "largestRise"};
static const char* const accountNames[] = {"energy", "kinetic",    "potential",  "applied",
                                           "rows",   "dissipated", "integrator", "leak",
                                           "drift",  "residual"};
static const char* const balanceNames[] = {"energy", "kinetic", "potential", "applied", "lost"};
static const char* const handleNames[] = {"x", "y", "z", "angle"};
static const char* const motorNames[] = {"cut", "stops", "lost"};
static const char* const portNames[] = {"port.tool", "port.device", "port.stored"};
static const char* const gripNames[] = {"wanted", "closed"};
enum {
    worldCount = PL_COUNT(worldNames),
    accountCount = PL_COUNT(accountNames),
    balanceCount = PL_COUNT(balanceNames),
    handleCount = PL_COUNT(handleNames),
    motorCount = PL_COUNT(motorNames),
    portCount = PL_COUNT(portNames),
    gripCount = PL_COUNT(gripNames),
    couplingChannels = portCount + 6,
    torqueCount = 4,
    deviceChannels = handleCount + 2 * 6 + accountCount,
    pantographChannels = deviceChannels + 6 + torqueCount + motorCount
};

static double entry(const plAccount* a, int i)
{
    const double values[accountCount] = {a->kinetic + a->potential,
                                         a->kinetic,
                                         a->potential,
                                         a->applied,
                                         a->rows,
                                         a->dissipated,
                                         a->integrator,
                                         a->leak,
                                         a->drift,
                                         a->residual};
    return values[i];
}

static int find(const char* name, const char* const* names, int count)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) return i;
    }
    return -1;
}

// "q[3]" with letter q: 3; else -1.
static int indexed(const char* text, const char* stem, int count)
{
    const size_t length = strlen(stem);
    char* end;
    if (strncmp(text, stem, length) != 0 || text[length] != '[') return -1;
    if (text[length + 1] < '0' || text[length + 1] > '9') return -1;
    const long i = strtol(text + length + 1, &end, 10);
    return strcmp(end, "]") == 0 && i < count ? (int)i : -1;
}

static int axisOf(const char* text) { return find(text, (const char* const[]){"x", "y", "z"}, 3); }

// Behind "NAME.", where the text begins so; else null.
static const char* behind(const char* text, const char* name)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '.' ? text + length + 1 : NULL;
}

static bool jointChannel(const plMechanism* m, const char* rest, plChannel* c)
{
    for (int joint = 0; joint < plMechanism_Joints(m); ++joint) {
        const char* own = behind(rest, plMechanism_JointName(m, joint));
        if (!own) continue;
        c->part = joint;
        c->kind = reaction;
        if ((c->index = indexed(own, "force", 6)) >= 0) return true;
        c->kind = turn;
        c->index = indexed(own, "position", plMechanism_JointPositions(m, joint));
        if (c->index >= 0) return true;
    }
    return false;
}

static bool mechanismChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    const plMechanism* m = w->mechanisms[owner];
    *c = (plChannel){.owner = owner, .generation = w->slots.mechanisms[owner].generation};
    if ((c->index = find(rest, accountNames, accountCount)) >= 0) {
        c->kind = ofMechanism;
        return true;
    }
    c->kind = state;
    if (strcmp(rest, "state") == 0) return true;
    c->kind = position;
    if ((c->index = indexed(rest, "q", plMechanism_Positions(m))) >= 0) return true;
    c->kind = velocity;
    if ((c->index = indexed(rest, "v", plMechanism_Velocities(m))) >= 0) return true;
    c->kind = place;
    for (int part = 0; part < plMechanism_Parts(m); ++part) {
        const char* name = plMechanism_PartName(m, part);
        const char* own = name ? behind(rest, name) : rest;
        if (!own) continue;
        c->part = part;
        if ((c->index = axisOf(own)) >= 0) return true;
    }
    return jointChannel(m, rest, c);
}

static bool linkChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    *c =
        (plChannel){.kind = ofLink, .owner = owner, .generation = w->slots.links[owner].generation};
    if ((c->index = find(rest, accountNames, accountCount)) >= 0) return true;
    c->kind = force;
    return (c->index = indexed(rest, "force", plLink_Forces(&w->links[owner]))) >= 0;
}

static bool hasMotors(const plWorldDevice* d)
{
    return !d->calls.sample && d->simulated.def.kind == pl_devicePantograph;
}

static bool deviceChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    *c = (plChannel){.kind = handle, .owner = owner};
    if ((c->index = find(rest, handleNames, handleCount)) >= 0) return true;
    c->kind = written;
    if ((c->index = indexed(rest, "force", 6)) >= 0) return true;
    c->kind = hand;
    if ((c->index = indexed(rest, "hand", 6)) >= 0) return true;
    c->kind = ofDevice;
    if ((c->index = find(rest, accountNames, accountCount)) >= 0) return true;
    if (!hasMotors(&w->devices[owner])) return false;
    c->kind = push;
    if ((c->index = indexed(rest, "push", 6)) >= 0) return true;
    c->kind = torque;
    if ((c->index = indexed(rest, "torque", torqueCount)) >= 0) return true;
    c->kind = motors;
    return (c->index = find(rest, motorNames, motorCount)) >= 0;
}

static bool isGrip(const plWorldCoupling* c) { return c->coupling.ops->traits.grips; }

static bool couplingChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    *c = (plChannel){.kind = port, .owner = owner};
    if ((c->index = find(rest, portNames, portCount)) >= 0) return true;
    c->kind = felt;
    if ((c->index = indexed(rest, "felt", 6)) >= 0) return true;
    c->kind = grip;
    c->index = find(rest, gripNames, gripCount);
    return c->index >= 0 && isGrip(&w->couplings[owner]);
}

// A virtual coupling and its link have one name: who does not know the channel leaves it to the next.
static bool ownedChannel(const plWorld* w, const char* owner, const char* rest, plChannel* c)
{
    plMechanismId mechanism;
    plLinkId link;
    plDeviceId device;
    plCouplingId coupling;
    *c = (plChannel){.kind = ofContacts, .index = find(rest, accountNames, accountCount)};
    if (strcmp(owner, "contacts") == 0) return c->index >= 0;
    *c = (plChannel){.kind = ofBalance, .index = find(rest, balanceNames, balanceCount)};
    if (strcmp(owner, "balance") == 0 && c->index >= 0) return true;
    if (plWorld_FindMechanism(w, owner, &mechanism) == pl_statusOk &&
        mechanismChannel(w, (int)mechanism.index1 - 1, rest, c))
        return true;
    if (plWorld_FindLink(w, owner, &link) == pl_statusOk &&
        linkChannel(w, (int)link.index1 - 1, rest, c))
        return true;
    if (plWorld_FindDevice(w, owner, &device) == pl_statusOk &&
        deviceChannel(w, (int)device.index1 - 1, rest, c))
        return true;
    return plWorld_FindCoupling(w, owner, &coupling) == pl_statusOk &&
           couplingChannel(w, (int)coupling.index1 - 1, rest, c);
}

plStatus plWorld_FindChannel(const plWorld* w, const char* name, plChannel* c)
{
    const char* dot = strchr(name, '.');
    char owner[32];
    *c = (plChannel){.kind = ofWorld};
    if (!dot) {
        c->index = find(name, worldNames, worldCount);
        if (c->index >= 0) return pl_statusOk;
        c->index = find(name, accountNames, accountCount);
        if (c->index < 0) return pl_statusNotFound;
        c->index += worldCount;
        return pl_statusOk;
    }
    const size_t length = (size_t)(dot - name);
    if (length >= sizeof owner) return pl_statusNotFound;
    memcpy(owner, name, length);
    owner[length] = 0;
    return ownedChannel(w, owner, dot + 1, c) ? pl_statusOk : pl_statusNotFound;
}

static double worldValue(const plWorld* w, int i)
{
    if (i >= worldCount) return entry(&w->now->total, i - worldCount);
    const plStepReport* r = &w->report;
    const double values[worldCount] = {
        w->now->time, w->now->T, r->gap,       r->level,     r->trouble,
        r->contacts,  r->active, r->sliding,   r->colliding, r->iterations,
        r->residual,  r->depth,  w->now->tank, r->rise,      w->now->total.rise};
    return values[i];
}

static double balanceValue(const plWorld* w, int i)
{
    const plBalance b = plWorld_Balance(w);
    const double values[balanceCount] = {b.kinetic + b.potential, b.kinetic, b.potential, b.applied,
                                         b.lost};
    return values[i];
}

static double component(const plWrench* f, int i)
{
    const double values[6] = {f->force.x,  f->force.y,  f->force.z,
                              f->torque.x, f->torque.y, f->torque.z};
    return values[i];
}

static double handleValue(const plWorld* w, int owner, int i)
{
    plPose pose = {.q = {1, 0, 0, 0}};
    plWorld_DevicePose(w, (plDeviceId){(uint32_t)owner + 1, 1}, &pose);
    const double values[handleCount] = {pose.p.x, pose.p.y, pose.p.z, plLogQuat(pose.q).z};
    return values[i];
}

static double pushValue(const plWorld* w, const plWorldDevice* d, int i)
{
    const plWrench f = plSimulated_Hand(&d->simulated, w->now->time);
    return component(&f, i);
}

static double turnValue(const plMechanism* m, int joint, int i)
{
    double angles[2];
    plMechanism_JointPosition(m, joint, angles);
    return angles[i];
}

static double motorValue(const plWorldDevice* d, int i)
{
    const plMotors m = plSimulated_Motors(&d->simulated);
    const double values[motorCount] = {m.cut, m.stops, m.lost};
    return values[i];
}

static double portValue(const plWorld* w, int owner, int i)
{
    plPort p = {0};
    plWorld_Port(w, (plCouplingId){(uint32_t)owner + 1, 1}, &p);
    const double values[portCount] = {p.tool, p.device, p.stored};
    return values[i];
}

// What it read was removed.
static bool isStale(const plWorld* w, const plChannel* c)
{
    const uint32_t index1 = (uint32_t)c->owner + 1;
    switch ((Kind)c->kind) {
    case ofMechanism:
    case state:
    case position:
    case velocity:
    case place:
    case reaction:
    case turn:
        return !plWorld_HasMechanism(w, (plMechanismId){index1, c->generation});
    case ofLink:
    case force:
        return !plWorld_HasLink(w, (plLinkId){index1, c->generation});
    default:
        return false;
    }
}

double plWorld_ReadChannel(const plWorld* w, plChannel c)
{
    if (isStale(w, &c)) return NAN;
    switch ((Kind)c.kind) {
    case ofWorld:
        return worldValue(w, c.index);
    case ofMechanism:
        return entry(&w->mechanismOwners[c.owner].account, c.index);
    case ofLink:
        return entry(&w->linkOwners[c.owner].account, c.index);
    case ofDevice:
        return entry(w->devices[c.owner].account, c.index);
    case ofContacts:
        return entry(&w->now->contacts, c.index);
    case ofBalance:
        return balanceValue(w, c.index);
    case state:
        return w->contactStates[c.owner];
    case position:
        return plMechanism_Q(w->mechanisms[c.owner])[c.index];
    case velocity:
        return plMechanism_V(w->mechanisms[c.owner])[c.index];
    case place: {
        const plSite site = {.part = c.part};
        const plVec3 x = plMechanism_Frame(w->mechanisms[c.owner], pl_atStart, site).x;
        return c.index == 0 ? x.x : c.index == 1 ? x.y : x.z;
    }
    case reaction:
        return plMechanism_JointForce(w->mechanisms[c.owner], c.part)[c.index];
    case turn:
        return turnValue(w->mechanisms[c.owner], c.part, c.index);
    case force:
        return w->now->T > 0 ? w->links[c.owner].impulse[c.index] / w->now->T : 0;
    case handle:
        return handleValue(w, c.owner, c.index);
    case written:
        return component(w->devices[c.owner].written, c.index);
    case hand:
        return component(&w->devices[c.owner].sample->hand, c.index);
    case push:
        return pushValue(w, &w->devices[c.owner], c.index);
    case torque:
        return plSimulated_Motors(&w->devices[c.owner].simulated).tau[c.index];
    case motors:
        return motorValue(&w->devices[c.owner], c.index);
    case port:
        return portValue(w, c.owner, c.index);
    case felt:
        return w->couplings[c.owner].coupling.state->written[c.index];
    case grip: {
        const plCouplingState* x = w->couplings[c.owner].coupling.state;
        return c.index == 0 ? x->wanted : x->closed;
    }
    }
    return 0;
}

// --- listing

static int jointNames(const plMechanism* m, int i, char* name, size_t size)
{
    for (int joint = 0; joint < plMechanism_Joints(m); ++joint) {
        const int positions = plMechanism_JointPositions(m, joint);
        if (i < 6 + positions) {
            return snprintf(name, size, "%s.%s.%s[%d]", plMechanism_Name(m),
                            plMechanism_JointName(m, joint), i < 6 ? "force" : "position",
                            i < 6 ? i : i - 6);
        }
        i -= 6 + positions;
    }
    return 0;
}

static int mechanismNames(const plWorld* w, int owner, int i, char* name, size_t size)
{
    const plMechanism* m = w->mechanisms[owner];
    const int positions = plMechanism_Positions(m), velocities = plMechanism_Velocities(m);
    const char* own = plMechanism_Name(m);
    if (i < accountCount) return snprintf(name, size, "%s.%s", own, accountNames[i]);
    i -= accountCount;
    if (i == 0) return snprintf(name, size, "%s.state", own);
    i -= 1;
    if (i < positions) return snprintf(name, size, "%s.q[%d]", own, i);
    i -= positions;
    if (i < velocities) return snprintf(name, size, "%s.v[%d]", own, i);
    i -= velocities;
    if (i >= 3 * plMechanism_Parts(m)) {
        return jointNames(m, i - 3 * plMechanism_Parts(m), name, size);
    }
    const char* part = plMechanism_PartName(m, i / 3);
    return snprintf(name, size, "%s%s%s.%c", own, part ? "." : "", part ? part : "", "xyz"[i % 3]);
}

static int mechanismChannels(const plMechanism* m)
{
    int joints = 0;
    for (int j = 0; j < plMechanism_Joints(m); ++j) joints += 6 + plMechanism_JointPositions(m, j);
    return accountCount + 1 + plMechanism_Positions(m) + plMechanism_Velocities(m) +
           3 * plMechanism_Parts(m) + joints;
}

static int deviceNames(const char* own, int i, char* name, size_t size)
{
    static const char* const stems[] = {"force", "hand", "push", "torque"};
    if (i < handleCount) return snprintf(name, size, "%s.%s", own, handleNames[i]);
    i -= handleCount;
    if (i < accountCount) return snprintf(name, size, "%s.%s", own, accountNames[i]);
    i -= accountCount;
    if (i < 3 * 6 + torqueCount) {
        return snprintf(name, size, "%s.%s[%d]", own, stems[i / 6], i % 6);
    }
    return snprintf(name, size, "%s.%s", own, motorNames[i - 3 * 6 - torqueCount]);
}

static int couplingNames(const char* own, int i, char* name, size_t size)
{
    if (i < portCount) return snprintf(name, size, "%s.%s", own, portNames[i]);
    i -= portCount;
    if (i < 6) return snprintf(name, size, "%s.felt[%d]", own, i);
    return snprintf(name, size, "%s.%s", own, gripNames[i - 6]);
}

int plWorld_ChannelName(const plWorld* w, int i, char* name, size_t size)
{
    if (i < 0) return 0;
    if (i < worldCount) return snprintf(name, size, "%s", worldNames[i]);
    i -= worldCount;
    if (i < accountCount) return snprintf(name, size, "%s", accountNames[i]);
    i -= accountCount;
    if (i < accountCount) return snprintf(name, size, "contacts.%s", accountNames[i]);
    i -= accountCount;
    if (i < balanceCount) return snprintf(name, size, "balance.%s", balanceNames[i]);
    i -= balanceCount;
    for (int m = 0; m < w->mechanismCount; ++m) {
        if (w->slots.mechanisms[m].vacant) continue;
        const int count = mechanismChannels(w->mechanisms[m]);
        if (i < count) return mechanismNames(w, m, i, name, size);
        i -= count;
    }
    for (int l = 0; l < w->linkCount; ++l) {
        const plLink* link = &w->links[l];
        if (w->slots.links[l].vacant) continue;
        if (i < accountCount) return snprintf(name, size, "%s.%s", link->name, accountNames[i]);
        i -= accountCount;
        if (i < plLink_Forces(link)) return snprintf(name, size, "%s.force[%d]", link->name, i);
        i -= plLink_Forces(link);
    }
    for (int d = 0; d < w->deviceCount; ++d) {
        const int count = hasMotors(&w->devices[d]) ? pantographChannels : deviceChannels;
        if (i < count) return deviceNames(w->devices[d].name, i, name, size);
        i -= count;
    }
    for (int k = 0; k < w->couplingCount; ++k) {
        const int count = couplingChannels + (isGrip(&w->couplings[k]) ? gripCount : 0);
        if (i < count) return couplingNames(w->couplings[k].name, i, name, size);
        i -= count;
    }
    return 0;
}
