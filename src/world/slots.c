// Places of a world: what is in them, since when, where its memory lies, and the pointer of the user.
#include "world/inside.h"

#include <string.h>

plStatus plSlots_Create(plWorld* w)
{
    const plWorldCapacity* c = &w->def.capacity;
    plSlots* s = &w->slots;
    s->mechanisms = plArena_Alloc(&w->fixed, (size_t)c->mechanisms, sizeof *s->mechanisms);
    s->links = plArena_Alloc(&w->fixed, (size_t)c->links, sizeof *s->links);
    s->shapes = plArena_Alloc(&w->fixed, (size_t)c->shapes, sizeof *s->shapes);
    return w->fixed.full ? pl_statusCapacity : pl_statusOk;
}

static plStatus look(const plSlot* slots, int count, uint32_t index1, uint32_t generation)
{
    if (index1 < 1 || index1 > (uint32_t)count || generation < 1) return pl_statusBadId;
    const plSlot* s = &slots[index1 - 1];
    if (generation > s->generation) return pl_statusBadId;
    return generation == s->generation && !s->vacant ? pl_statusOk : pl_statusStale;
}

plStatus plWorld_Look(const plWorld* w, plMechanismId id)
{
    return look(w->slots.mechanisms, w->mechanismCount, id.index1, id.generation);
}

plStatus plWorld_LookLink(const plWorld* w, plLinkId id)
{
    return look(w->slots.links, w->linkCount, id.index1, id.generation);
}

plStatus plWorld_LookShape(const plWorld* w, plShapeId id)
{
    return look(w->slots.shapes, w->shapeCount, id.index1, id.generation);
}

plStatus plWorld_LookSite(const plWorld* w, plSite site)
{
    const plStatus status =
        site.mechanism.index1 == 0 ? pl_statusOk : plWorld_Look(w, site.mechanism);
    if (status != pl_statusOk) return status;
    return plWorld_SiteOk(w, site) ? pl_statusOk : pl_statusBadId;
}

plStatus plWorld_FailId(plWorld* w, plStatus status, const char* why)
{
    return plWorld_Fail(w, status, status == pl_statusStale ? NULL : why);
}

bool plWorld_HasMechanism(const plWorld* w, plMechanismId id)
{
    return plWorld_Look(w, id) == pl_statusOk;
}

bool plWorld_HasLink(const plWorld* w, plLinkId id)
{
    return plWorld_LookLink(w, id) == pl_statusOk;
}

bool plWorld_HasShape(const plWorld* w, plShapeId id)
{
    return plWorld_LookShape(w, id) == pl_statusOk;
}

// --- ids by index

plMechanismId plWorld_Mechanism(const plWorld* w, int i)
{
    const bool good = i >= 0 && i < w->mechanismCount && !w->slots.mechanisms[i].vacant;
    if (!good) return (plMechanismId){0, 0};
    return (plMechanismId){(uint32_t)i + 1, w->slots.mechanisms[i].generation};
}

plLinkId plWorld_Link(const plWorld* w, int i)
{
    const bool good = i >= 0 && i < w->linkCount && !w->slots.links[i].vacant;
    return good ? (plLinkId){(uint32_t)i + 1, w->slots.links[i].generation} : (plLinkId){0, 0};
}

plShapeId plShapes_Id(const plWorld* w, int i)
{
    return (plShapeId){(uint32_t)i + 1, w->slots.shapes[i].generation};
}

plShapeId plWorld_Shape(const plWorld* w, int i)
{
    const bool good = i >= 0 && i < w->shapeCount && !w->slots.shapes[i].vacant;
    return good ? plShapes_Id(w, i) : (plShapeId){0, 0};
}

plStatus plWorld_ShapeSite(const plWorld* w, plShapeId id, plSite* site)
{
    const plStatus status = plWorld_LookShape(w, id);
    if (status != pl_statusOk) return status;
    *site = w->carriers[id.index1 - 1].site;
    return pl_statusOk;
}

// --- places that come and go

bool plSlots_Full(const plSlot* slots, int count, int capacity)
{
    bool full = count >= capacity;
    for (int i = 0; full && i < count; ++i) full = !slots[i].vacant;
    return full;
}

void plSlot_Enter(plSlot* s, void* data)
{
    s->generation++;
    s->vacant = false;
    s->data = data;
}

void plSlot_Leave(plSlot* s)
{
    s->vacant = true;
    s->data = NULL;
}

static plArena within(const plArena* arena, size_t at, size_t size)
{
    return (plArena){.memory = arena->memory + at, .capacity = size};
}

static int nextVacant(const plSlot* slots, int count, int from)
{
    int i = from;
    while (i < count && !slots[i].vacant) ++i;
    return i;
}

static void takeVacant(plRoom* r)
{
    plWorld* w = r->world;
    const plSlot* s = &r->slots[r->index];
    r->ownFixed = within(&w->fixed, s->fixed, s->fixedSize);
    r->ownState = within(&w->state, s->state, s->stateSize);
    r->fixed = &r->ownFixed;
    r->state = &r->ownState;
}

void plRoom_Behind(plRoom* r)
{
    r->fixed = &r->world->fixed;
    r->state = &r->world->state;
    r->fixedMark = r->world->fixed.used;
    r->stateMark = r->world->state.used;
    r->isNew = true;
}

// Behind all that there is; a place that is free is taken where there is no other, and its memory is lost.
static void takeNew(plRoom* r)
{
    r->index = r->count < r->capacity ? r->count : nextVacant(r->slots, r->count, 0);
    plRoom_Behind(r);
}

void plRoom_Find(plRoom* r, plWorld* w, plSlot* slots, int count, int capacity)
{
    *r = (plRoom){.world = w, .slots = slots, .count = count, .capacity = capacity};
    r->index = nextVacant(slots, count, 0);
    if (r->index < count)
        takeVacant(r);
    else
        takeNew(r);
}

bool plRoom_Another(plRoom* r, plStatus status)
{
    if (status != pl_statusCapacity || r->isNew) return false;
    r->index = nextVacant(r->slots, r->count, r->index + 1);
    if (r->index < r->count)
        takeVacant(r);
    else
        takeNew(r);
    return true;
}

void plRoom_Keep(plRoom* r)
{
    const plWorld* w = r->world;
    plSlot* s = &r->slots[r->index];
    if (!r->isNew || r->kept) return; // what is taken after the first time belongs to the world
    r->kept = true;
    r->before = *s;
    s->fixed = r->fixedMark;
    s->fixedSize = w->fixed.used - r->fixedMark;
    s->state = r->stateMark;
    s->stateSize = w->state.used - r->stateMark;
}

void plRoom_GiveUp(plRoom* r)
{
    plWorld* w = r->world;
    if (r->kept) r->slots[r->index] = r->before;
    if (r->isNew) {
        plArena_Rewind(&w->fixed, r->fixedMark);
        plArena_Rewind(&w->state, r->stateMark);
    } else { // as what is vacant
        memset(w->state.memory + r->slots[r->index].state, 0, r->slots[r->index].stateSize);
    }
}

static uint64_t addSlots(uint64_t h, const plSlot* slots, int count)
{
    for (int i = 0; i < count; ++i) {
        const plSlot* s = &slots[i];
        if (s->generation == 1 && !s->vacant) continue;
        const uint64_t words[] = {(uint64_t)i, s->generation, s->vacant, s->state, s->stateSize};
        h = plHash_Add(h, words, sizeof words);
    }
    return h;
}

uint64_t plSlots_Identity(const plWorld* w, uint64_t h)
{
    h = addSlots(h, w->slots.mechanisms, w->mechanismCount);
    h = addSlots(h, w->slots.links, w->linkCount);
    return addSlots(h, w->slots.shapes, w->shapeCount);
}

// --- pointers of the user

static void** mechanismData(const plWorld* w, plMechanismId id)
{
    return plWorld_HasMechanism(w, id) ? &w->slots.mechanisms[id.index1 - 1].data : NULL;
}

static void** linkData(const plWorld* w, plLinkId id)
{
    return plWorld_HasLink(w, id) ? &w->slots.links[id.index1 - 1].data : NULL;
}

static void** shapeData(const plWorld* w, plShapeId id)
{
    return plWorld_HasShape(w, id) ? &w->slots.shapes[id.index1 - 1].data : NULL;
}

static void** deviceData(const plWorld* w, plDeviceId id)
{
    const bool good = id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->deviceCount;
    return good ? &w->devices[id.index1 - 1].simulated.def.userData : NULL;
}

static void** couplingData(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    return good ? &w->couplings[id.index1 - 1].coupling.def.userData : NULL;
}

static plStatus read(void** place, plStatus otherwise, void** data)
{
    if (!place) return otherwise;
    *data = *place;
    return pl_statusOk;
}

static plStatus write(plWorld* w, void** place, plStatus otherwise, void* data)
{
    if (!place) return plWorld_Fail(w, otherwise, NULL);
    *place = data;
    return pl_statusOk;
}

plStatus plWorld_MechanismData(const plWorld* w, plMechanismId id, void** data)
{
    return read(mechanismData(w, id), plWorld_Look(w, id), data);
}

plStatus plWorld_LinkData(const plWorld* w, plLinkId id, void** data)
{
    return read(linkData(w, id), plWorld_LookLink(w, id), data);
}

plStatus plWorld_ShapeData(const plWorld* w, plShapeId id, void** data)
{
    return read(shapeData(w, id), plWorld_LookShape(w, id), data);
}

plStatus plWorld_DeviceData(const plWorld* w, plDeviceId id, void** data)
{
    return read(deviceData(w, id), pl_statusBadId, data);
}

plStatus plWorld_CouplingData(const plWorld* w, plCouplingId id, void** data)
{
    return read(couplingData(w, id), pl_statusBadId, data);
}

plStatus plWorld_SetMechanismData(plWorld* w, plMechanismId id, void* data)
{
    return write(w, mechanismData(w, id), plWorld_Look(w, id), data);
}

plStatus plWorld_SetLinkData(plWorld* w, plLinkId id, void* data)
{
    return write(w, linkData(w, id), plWorld_LookLink(w, id), data);
}

plStatus plWorld_SetShapeData(plWorld* w, plShapeId id, void* data)
{
    return write(w, shapeData(w, id), plWorld_LookShape(w, id), data);
}

plStatus plWorld_SetDeviceData(plWorld* w, plDeviceId id, void* data)
{
    return write(w, deviceData(w, id), pl_statusBadId, data);
}

plStatus plWorld_SetCouplingData(plWorld* w, plCouplingId id, void* data)
{
    return write(w, couplingData(w, id), pl_statusBadId, data);
}
