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
    if (c->coupling.ops->traits.takes) return c;
    plWorld_Fail(w, pl_statusBadArgument, "only a virtual coupling can take something else");
    return NULL;
}

static void hold(plWorld* w, plWorldCoupling* c, bool holds, plSite site)
{
    const plCouplingHost host = plWorld_Host(w);
    plCoupling_Hold(&c->coupling, &host, holds, site);
}

// Soft bodies that can be held are held while some coupling has their frame; the rest float. The leap of
// a frame counts as applied.
static void holdSoft(plWorld* w)
{
    for (int i = 0; plWorld_HasSoft(w) && i < w->mechanismCount; ++i) {
        bool holds = false, asked = false;
        for (int k = 0; k < w->couplingCount; ++k) {
            const plWorldCoupling* c = &w->couplings[k];
            if (!c->coupling.ops->traits.takes) continue;
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
    const plCouplingHost host = plWorld_Host(w);
    bool any = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        plCoupling* c = &w->couplings[i].coupling;
        if (!c->ops->recall) continue;
        c->ops->recall(c, &host);
        any = true;
    }
    if (any) plGroups_Rebuild(w);
}

void plGrasp_Start(plWorld* w, plWorldCoupling* c)
{
    if (plCoupling_IsIdle(&c->coupling)) plGroups_Rebuild(w);
    holdSoft(w);
}

// The frame leaps to the site, without a way in between.
static void meet(plWorld* w, plWorldCoupling* c, plPose pose)
{
    plMechanism* frame = w->mechanisms[c->coupling.frame];
    double q[7], v[6] = {0};
    plPut3(pose.p, q);
    plPut4(pose.q, q + 3);
    plMechanism_SetState(frame, q, v);
    plSimulated_Place(&w->devices[c->device].simulated, &(plGrip){.pose = pose});
    plLedger_PlaceDevice(&w->devices[c->device]);
    c->coupling.state->known = 0; // the port begins anew behind the leap
    plCoupling_Forget(&c->coupling);
}

plStatus plWorld_Grab(plWorld* w, plCouplingId id, plSite site)
{
    plWorldCoupling* c = graspOf(w, id);
    plMotion m;
    if (!c) return pl_statusBadId;
    const plStatus status = plWorld_LookSite(w, site);
    if (status == pl_statusStale) return plWorld_Fail(w, status, NULL);
    if (site.mechanism.index1 == 0 || status != pl_statusOk ||
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
    const plCouplingHost host = plWorld_Host(w);
    const plCouplingState before = *c->coupling.state;
    hold(w, c, true, site);
    if (!plGroups_Rebuild(w)) { // as it was
        memcpy(c->coupling.state->grasp, before.grasp, sizeof before.grasp);
        c->coupling.ops->recall(&c->coupling, &host);
        plGroups_Rebuild(w);
        return plWorld_Fail(w, pl_statusCapacity,
                            "a group of joined mechanisms has too many link rows: raise "
                            "capacity.rows");
    }
    plLink* link = &w->links[c->coupling.link];
    holdSoft(w);
    plWorld_Motion(w, site, &m);
    const plPose pose = {m.x, plQuatOf(&m.R)};
    meet(w, c, pose);
    plLink_Geometry(link, w->mechanisms, pl_atStart, link->d);
    plLedger_PlaceLink(w, c->coupling.link);
    return pl_statusOk;
}

plStatus plWorld_Release(plWorld* w, plCouplingId id)
{
    plWorldCoupling* c = graspOf(w, id);
    if (!c) return pl_statusBadId;
    plLink* link = &w->links[c->coupling.link];
    hold(w, c, false, (plSite){.part = 0});
    plGroups_Rebuild(w);
    for (int i = 0; i < 6; ++i) link->d[i] = link->impulse[i] = 0;
    plLedger_PlaceLink(w, c->coupling.link);
    holdSoft(w);
    return pl_statusOk;
}

bool plWorld_Holds(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    return good && !plCoupling_IsIdle(&w->couplings[id.index1 - 1].coupling);
}
