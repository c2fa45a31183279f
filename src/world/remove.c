// Taking mechanisms, links and shapes out of a world that runs. Their places stay, empty, and are used again; their
// memory is cleared, so that equal histories have equal states.
#include "world/inside.h"

#include <string.h>

static void clear(plWorld* w, const plSlot* s)
{
    memset(w->state.memory + s->state, 0, s->stateSize);
}

// --- shapes

static void dropRecords(plWorld* w, int shape)
{
    plContactRecord* last = w->contacts.last;
    const int count = *w->contacts.lastCount;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (last[i].a == shape || last[i].b == shape) continue;
        if (kept != i) last[kept] = last[i];
        kept++;
    }
    memset(&last[kept], 0, (size_t)(count - kept) * sizeof *last);
    *w->contacts.lastCount = kept;
}

static void dropShape(plWorld* w, int shape)
{
    plEvents_Drop(w, shape);
    dropRecords(w, shape);
    plCollide_Remove(w->collide, shape);
    plSlot_Leave(&w->slots.shapes[shape]);
    w->shapes[shape] = NULL;
    w->carriers[shape] = (plCarrier){.body = -1};
    w->masks[shape][0] = w->masks[shape][1] = 0;
    w->vacantShapes++;
    w->contacts.count = 0; // of the last tick: they may name it
}

plStatus plWorld_RemoveShape(plWorld* w, plShapeId id)
{
    const plStatus status = plWorld_LookShape(w, id);
    if (status != pl_statusOk) return plWorld_Fail(w, status, NULL);
    if (!w->shapes[id.index1 - 1]) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "the surface of a soft body goes with its body alone");
    }
    plLedger_Adjust(w);
    dropShape(w, (int)id.index1 - 1);
    return pl_statusOk;
}

// --- links

static void dropLink(plWorld* w, int index)
{
    plLink* link = &w->links[index];
    for (int i = 0; i < 6; ++i) link->d[i] = link->impulse[i] = 0;
    link->idle = true;
    plLedger_PlaceLink(w, index); // what it stored
    memset(&w->linkOwners[index], 0, sizeof w->linkOwners[index]);
    clear(w, &w->slots.links[index]);
    *link = (plLink){.d = link->d, .impulse = link->impulse, .idle = true};
    plSlot_Leave(&w->slots.links[index]);
}

plStatus plWorld_RemoveLink(plWorld* w, plLinkId id)
{
    const plStatus status = plWorld_LookLink(w, id);
    if (status != pl_statusOk) return plWorld_Fail(w, status, NULL);
    for (int i = 0; i < w->couplingCount; ++i) {
        if (w->couplings[i].coupling.link != (int)id.index1 - 1) continue;
        return plWorld_Fail(w, pl_statusBadArgument,
                            "the link of a virtual coupling stays: release the coupling");
    }
    dropLink(w, (int)id.index1 - 1);
    plGroups_Rebuild(w);
    return pl_statusOk;
}

// --- mechanisms

static bool isFinger(const plCouplingDef* d, plMechanismId id)
{
    bool found = false;
    for (int i = 0; i < d->grip.fingerCount && d->grip.fingers; ++i) {
        found = found || d->grip.fingers[i].mechanism.index1 == id.index1;
    }
    return found;
}

static bool isUsed(const plWorld* w, plMechanismId id)
{
    bool used = false;
    for (int i = 0; i < w->couplingCount; ++i) {
        const plCoupling* c = &w->couplings[i].coupling;
        const bool holds = c->def.tool.mechanism.index1 == id.index1;
        used = used || c->frame == (int)id.index1 - 1 ||
               (c->ops->traits.grips && isFinger(&c->def, id)) || (holds && !plCoupling_IsIdle(c));
    }
    return used;
}

static void dropParts(plWorld* w, uint32_t index1)
{
    for (int i = 0; i < w->shapeCount; ++i) {
        if (!w->slots.shapes[i].vacant && w->carriers[i].site.mechanism.index1 == index1) {
            dropShape(w, i);
        }
    }
    for (int i = 1; i < w->bodyCount; ++i) {
        if (w->bodies[i].mechanism.index1 != index1) continue;
        plCollide_Forget(w->collide, i);
        w->bodies[i] = (plSite){.part = -1};
    }
}

static void dropDrives(plWorld* w, uint32_t index1)
{
    int kept = 0;
    for (int i = 0; i < w->driveCount; ++i) {
        if (w->drives[i].site.mechanism.index1 != index1) w->drives[kept++] = w->drives[i];
    }
    w->driveCount = kept;
}

// Tools of idle couplings hold nothing: they forget the name.
static void dropTools(plWorld* w, uint32_t index1)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        plSite* tool = &w->couplings[i].coupling.def.tool;
        if (tool->mechanism.index1 == index1) *tool = (plSite){.part = 0};
    }
}

void plWorld_Vacate(plWorld* w, int index)
{
    plMechanism_Destroy(w->mechanisms[index], &w->def.allocator);
    w->mechanisms[index] = plMechanism_Vacant();
    plLedger_Leave(w, index);
    clear(w, &w->slots.mechanisms[index]);
    w->contactStates[index] = 0;
    plSlot_Leave(&w->slots.mechanisms[index]);
    plGroups_Rebuild(w);
}

void plWorld_TakeBack(plWorld* w, int index)
{
    w->mechanisms[index] = plMechanism_Vacant();
    if (w->now->tick > 0) {
        plLedger_Leave(w, index);
    } else {
        memset(&w->mechanismOwners[index], 0, sizeof w->mechanismOwners[index]);
        plLedger_Sum(w);
    }
    w->slots.mechanisms[index].generation--;
    plSlot_Leave(&w->slots.mechanisms[index]);
    if (w->slots.mechanisms[index].generation == 0) {
        w->slots.mechanisms[index] = (plSlot){.vacant = false};
        w->mechanismCount--;
    }
    plGroups_Rebuild(w);
}

plStatus plWorld_RemoveMechanism(plWorld* w, plMechanismId id)
{
    const plStatus status = plWorld_Look(w, id);
    if (status != pl_statusOk) return plWorld_Fail(w, status, NULL);
    if (isUsed(w, id)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "a coupling holds or uses it: release it first, where it can");
    }
    plLedger_Adjust(w);
    for (int i = 0; i < w->linkCount; ++i) {
        const plLink* link = &w->links[i];
        if (w->slots.links[i].vacant ||
            (link->a.mechanism.index1 != id.index1 && link->b.mechanism.index1 != id.index1)) {
            continue;
        }
        dropLink(w, i);
    }
    dropParts(w, id.index1);
    dropDrives(w, id.index1);
    dropTools(w, id.index1);
    plWorld_Vacate(w, (int)id.index1 - 1);
    return pl_statusOk;
}
