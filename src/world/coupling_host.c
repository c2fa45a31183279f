// What couplings ask of the world that they are in: frames, links, surfaces, the force that a device has left.
#include "world/inside.h"

#include <stdio.h>

static const plWorldCoupling* wholeOf(const plCoupling* c)
{
    return (const plWorldCoupling*)((const char*)c - offsetof(plWorldCoupling, coupling));
}

static void place(void* self, int index, plPose pose, plVec3 velocity, plVec3 spin, plPose to)
{
    plWorld* w = self;
    const plMat3 R = plRotation(pose.q);
    double q[7], v[6];
    plPut3(pose.p, q);
    plPut4(pose.q, q + 3);
    plPut3(velocity, v);
    plPut3(plMulT(&R, spin), v + 3);
    plMechanism_SetState(w->mechanisms[index], q, v);
    plMechanism_Steer(w->mechanisms[index], to);
    plLedger_Place(w, index);
}

// Couplings of one device that lag have equal parts of what the other couplings have left of its limit in
// the last tick [N, N m].
static void limits(void* self, const plCoupling* coupling, double limit[6])
{
    const plWorld* w = self;
    const plWorldCoupling* c = wholeOf(coupling);
    const plWorldDevice* d = &w->devices[c->device];
    double others[6] = {0};
    int count = 0;
    for (int k = 0; k < w->couplingCount; ++k) {
        const plWorldCoupling* other = &w->couplings[k];
        if (other->device != c->device) continue;
        const plCouplingOps* ops = other->coupling.ops;
        const bool equal = ops->lags && ops->lags(&other->coupling);
        count += equal;
        for (int i = 0; i < 6 && !equal; ++i) others[i] += other->coupling.state->asked[i];
    }
    plPut3(d->forceLimit, limit);
    plPut3(d->torqueLimit, limit + 3);
    for (int i = 0; i < 6; ++i) limit[i] = fmax(0, limit[i] - fabs(others[i])) / count;
}

// Couplings of one device have equal parts of it. What a device of the outside has is not known.
static void damping(void* self, const plCoupling* coupling, double b[6])
{
    const plWorld* w = self;
    const int device = wholeOf(coupling)->device;
    const plWorldDevice* d = &w->devices[device];
    int count = 0;
    for (int k = 0; k < w->couplingCount; ++k) count += w->couplings[k].device == device;
    for (int i = 0; i < 6; ++i) {
        b[i] = d->calls.sample ? 0 : plWorld_DampingOf(&d->simulated.def, i) / count;
    }
}

// --- surfaces

// Of the bodies of a mechanism the last one that carries shapes; -1: none.
static int bodyOf(const plWorld* w, int mechanism)
{
    int body = -1;
    for (int i = 1; i < w->bodyCount; ++i) {
        if ((int)w->bodies[i].mechanism.index1 - 1 == mechanism) body = i;
    }
    return body;
}

// Points of the tool, at a pose, that are near what stands still.
static int touch(void* self, int mechanism, const plFrame* tool, plProxyRow* rows)
{
    const plWorld* w = self;
    const int body = bodyOf(w, mechanism);
    const double reach = 0.02;
    const plFrame ground = {.R = plIdentity3()};
    plManifold manifold;
    int count = 0;
    for (int i = 0; i < w->shapeCount; ++i) {
        for (int k = 0; k < w->shapeCount; ++k) {
            if (w->carriers[i].body != body || w->carriers[k].body != 0) continue;
            const plShape *a = w->shapes[i], *b = w->shapes[k];
            if (!a || !b) continue; // soft: a proxy is stopped by what is rigid
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

// --- frames

static plStatus carry(void* self, plCoupling* c, plLinkDef* link)
{
    plWorld* w = self;
    plPrescribedDef frame = plDefaultPrescribedDef();
    plMechanismId frameId;
    plLinkId linkId;
    char name[40];
    frame.name = name;
    snprintf(name, sizeof name, "%.24s-hand", c->def.name);
    frame.pose = w->devices[wholeOf(c)->device].sample->pose;
    plStatus status = plWorld_AddPrescribed(w, &frame, &frameId);
    if (status != pl_statusOk) return status;
    if (link->a.mechanism.index1 == 0) link->a.point = frame.pose.p; // it holds nothing yet
    link->b = (plSite){.mechanism = frameId};
    status = plWorld_AddLink(w, link, &linkId);
    if (status != pl_statusOk) {
        plWorld_TakeBack(w, (int)frameId.index1 - 1); // its memory is lost
        return status;
    }
    c->frame = (int)frameId.index1 - 1;
    c->link = (int)linkId.index1 - 1;
    return status;
}

static bool has(void* self, plMechanismId id) { return plWorld_HasMechanism(self, id); }

plCouplingHost plWorld_Host(plWorld* w)
{
    return (plCouplingHost){.self = w,
                            .mechanisms = w->mechanisms,
                            .mechanismCount = w->mechanismCount,
                            .links = w->links,
                            .planar = w->def.planar,
                            .fixed = &w->fixed,
                            .state = &w->state,
                            .J = w->system.set.J,
                            .Y = w->system.set.Y,
                            .has = has,
                            .carry = carry,
                            .place = place,
                            .touch = touch,
                            .limits = limits,
                            .damping = damping};
}

plCouplingView plWorld_View(const plCouplingHost* host, plWorldCoupling* c, double T)
{
    const plWorld* w = host->self;
    return (plCouplingView){.host = host,
                            .sample = w->devices[c->device].sample,
                            .reaction = c->reaction,
                            .T = T,
                            .before = w->now->T};
}

// --- steps of the frames that hands move

static bool movesIn(const plGroup* g, const plCoupling* c)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (g->mechanismList[i] == c->frame) return true;
    }
    return false;
}

static plLead leadOf(const plWorld* w, const plCoupling* c, plSpan span)
{
    plLead lead = {.T = span.T, .left = span.left};
    plMechanism_Led(w->mechanisms[c->frame], lead.way, lead.force);
    return lead;
}

bool plDevices_Relent(plWorld* w, const plGroup* g, plSpan span, int n)
{
    const plCouplingHost host = plWorld_Host(w);
    bool any = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        plCoupling* c = &w->couplings[i].coupling;
        if (!c->ops->relent || !movesIn(g, c)) continue;
        const plCouplingView view = plWorld_View(&host, &w->couplings[i], w->report.T);
        const plLead lead = leadOf(w, c, span);
        any = c->ops->relent(c, &view, &lead, n) || any;
    }
    return any;
}

void plDevices_Lead(plWorld* w, const plGroup* g, plSpan span)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        plCoupling* c = &w->couplings[i].coupling;
        if (!c->ops->lead || !movesIn(g, c)) continue;
        const plLead lead = leadOf(w, c, span);
        c->ops->lead(c, &lead);
    }
}
