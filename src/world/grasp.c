// Hands that come from outside: they take the handle of a device, and by a virtual coupling any spot of
// any body.
#include "world/inside.h"

#include <string.h>

static plWorldDevice* deviceOf(plWorld* w, plDeviceId id)
{
    const bool good = id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->deviceCount;
    return good ? &w->devices[id.index1 - 1] : NULL;
}

static plStatus holdBy(plWorld* w, plDeviceId id, plHeld held, plPose pose)
{
    plWorldDevice* d = deviceOf(w, id);
    if (!d) return plWorld_Fail(w, pl_statusBadId, NULL);
    if (!plFinitePose(pose)) {
        return plWorld_Fail(w, pl_statusBadArgument, "the pose of a hand must be finite");
    }
    plSimulated_Hold(&d->simulated, held, pose);
    return pl_statusOk;
}

plStatus plWorld_Hold(plWorld* w, plDeviceId id, plPose pose)
{
    return holdBy(w, id, pl_heldAt, pose);
}

plStatus plWorld_LetGo(plWorld* w, plDeviceId id)
{
    return holdBy(w, id, pl_heldByNobody, (plPose){.q = {1, 0, 0, 0}});
}

plStatus plWorld_Script(plWorld* w, plDeviceId id)
{
    return holdBy(w, id, pl_heldByScript, (plPose){.q = {1, 0, 0, 0}});
}

// --- grasps

static plWorldCoupling* graspOf(plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    if (!good) {
        plWorld_Fail(w, pl_statusBadId, NULL);
        return NULL;
    }
    plWorldCoupling* c = &w->couplings[id.index1 - 1];
    if (c->coupling.def.kind == pl_couplingVirtual) return c;
    plWorld_Fail(w, pl_statusBadArgument, "only a virtual coupling can take something else");
    return NULL;
}

static void recall(plWorld* w, plWorldCoupling* c)
{
    const double* g = c->coupling.state->grasp;
    plLink* link = &w->links[c->link];
    link->idle = g[0] == 0;
    if (link->idle) return;
    link->a = (plSite){{(uint32_t)g[1], 1}, (int)g[2], plGet3(g + 3)};
    c->coupling.def.tool = link->a;
    const plMechanism* m = w->mechanisms[link->a.mechanism.index1 - 1];
    const bool implicit =
        plMechanism_Traits(m)->deforms && plMechanism_Integrator(m) != pl_integratorMidpoint;
    link->form = implicit ? pl_linkImplicit : pl_linkPassive;
}

// Soft bodies that can be held are held while some coupling has their frame; the rest float. The leap of
// a frame counts as applied.
static void holdSoft(plWorld* w)
{
    for (int i = 0; plWorld_HasSoft(w) && i < w->mechanismCount; ++i) {
        bool holds = false, asked = false;
        for (int k = 0; k < w->couplingCount; ++k) {
            const plWorldCoupling* c = &w->couplings[k];
            if (c->coupling.def.kind != pl_couplingVirtual) continue;
            const double* g = c->coupling.state->grasp;
            asked = true;
            holds = holds || (g[0] != 0 && (int)g[1] == i + 1 && g[2] == 0);
        }
        if (asked && plMechanism_Hold(w->mechanisms[i], holds)) plLedger_Place(w, i);
    }
}

// By nodes that hold the frame a hand has the frame itself.
static plSite takenBy(const plWorld* w, plSite site)
{
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    if (!plMechanism_HeldFace(m, site.part)) return site;
    return (plSite){.mechanism = site.mechanism, .point = plMechanism_RestPoint(m, site)};
}

void plGrasps_Recall(plWorld* w)
{
    bool any = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (c->coupling.def.kind != pl_couplingVirtual) continue;
        recall(w, c);
        any = true;
    }
    if (any) plGroups_Rebuild(w);
}

static void put(plWorldCoupling* c, bool holds, plSite site)
{
    double* g = c->coupling.state->grasp;
    g[0] = holds;
    g[1] = site.mechanism.index1;
    g[2] = site.part;
    plPut3(site.point, g + 3);
}

void plGrasp_Start(plWorld* w, plWorldCoupling* c)
{
    const plSite tool = c->coupling.def.tool;
    put(c, tool.mechanism.index1 > 0, tool);
    recall(w, c);
    if (plGrasp_IsIdle(c)) plGroups_Rebuild(w);
    holdSoft(w);
}

bool plGrasp_IsIdle(const plWorldCoupling* c)
{
    return c->coupling.def.kind == pl_couplingVirtual && c->coupling.state->grasp[0] == 0;
}

// The frame leaps to the site, without a way in between.
static void meet(plWorld* w, plWorldCoupling* c, plPose pose)
{
    plMechanism* frame = w->mechanisms[c->frame];
    double q[7], v[6] = {0};
    plPut3(pose.p, q);
    plPut4(pose.q, q + 3);
    plMechanism_SetState(frame, q, v);
    plSimulated_Place(&w->devices[c->device].simulated, &(plGrip){.pose = pose});
    plLedger_PlaceDevice(&w->devices[c->device]);
    c->coupling.state->known = 0; // the port begins anew behind the leap
    plFrame_Forget(c);
}

plStatus plWorld_Grab(plWorld* w, plCouplingId id, plSite site)
{
    plWorldCoupling* c = graspOf(w, id);
    plMotion m;
    if (!c) return pl_statusBadId;
    if (site.mechanism.index1 == 0 || !plWorld_SiteOk(w, site) ||
        !plMechanism_Traits(w->mechanisms[site.mechanism.index1 - 1])->yields) {
        return plWorld_Fail(w, pl_statusBadArgument, "there is nothing to grab");
    }
    const char* why = plWorld_SiteRefuses(w, site);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (w->devices[c->device].calls.sample) {
        return plWorld_Fail(w, pl_statusBadArgument, "a device of the outside cannot be moved");
    }
    site = takenBy(w, site);
    plWorld_Motion(w, site, &m);
    const plCouplingState before = *c->coupling.state;
    put(c, true, site);
    recall(w, c);
    if (!plGroups_Rebuild(w)) { // as it was
        memcpy(c->coupling.state->grasp, before.grasp, sizeof before.grasp);
        recall(w, c);
        plGroups_Rebuild(w);
        return plWorld_Fail(w, pl_statusCapacity,
                            "a group of joined mechanisms has too many link rows: raise "
                            "capacity.rows");
    }
    plLink* link = &w->links[c->link];
    holdSoft(w);
    plWorld_Motion(w, site, &m);
    const plPose pose = {m.x, plQuatOf(&m.R)};
    meet(w, c, pose);
    plLink_Geometry(link, w->mechanisms, pl_atStart, link->d);
    plLedger_PlaceLink(w, c->link);
    return pl_statusOk;
}

plStatus plWorld_Release(plWorld* w, plCouplingId id)
{
    plWorldCoupling* c = graspOf(w, id);
    if (!c) return pl_statusBadId;
    plLink* link = &w->links[c->link];
    put(c, false, (plSite){.part = 0});
    recall(w, c);
    plGroups_Rebuild(w);
    for (int i = 0; i < 6; ++i) link->d[i] = link->impulse[i] = 0;
    plLedger_PlaceLink(w, c->link);
    holdSoft(w);
    return pl_statusOk;
}

bool plWorld_Holds(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    return good && !plGrasp_IsIdle(&w->couplings[id.index1 - 1]);
}
