// Creation and inspection of a world.
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

plStatus plWorld_Fail(plWorld* w, plStatus status, const char* why)
{
    snprintf(w->error, sizeof w->error, "%s", why ? why : plStatus_Sentence(status));
    return status;
}

const char* plWorld_Error(const plWorld* w) { return w->error; }

plContactDef plDefaultContactDef(void)
{
    return (plContactDef){.law = pl_lawCone,
                          .bias = pl_biasGap,
                          .collision = pl_collisionComplementarity,
                          .sides = 8,
                          .surface = plDefaultSurface(),
                          .cluster = 2e-4,
                          .coherence = 5e-3,
                          .hitSpeed = 1,
                          .softReach = 1e-3,
                          .driftRate = 0.2,
                          .slop = 1e-5};
}

plWorldDef plDefaultWorldDef(void)
{
    return (plWorldDef){.gravity = {0, 0, -9.81},
                        .passes = 2,
                        .guard = true,
                        .step = 1e-3,
                        .contact = plDefaultContactDef(),
                        .capacity = {.mechanisms = 64,
                                     .links = 64,
                                     .drives = 64,
                                     .rows = 192,
                                     .shapes = 64,
                                     .materials = 16,
                                     .ignored = 64,
                                     .devices = 8,
                                     .couplings = 8,
                                     .softFaces = 2048,
                                     .softNodes = 2048,
                                     .surfaces = 16},
                        .allocator = plDefaultAllocator()};
}

static bool allocateGroups(plWorld* w)
{
    const size_t mechanisms = (size_t)w->def.capacity.mechanisms;
    int** perMechanism[] = {&w->groupParent,  &w->groupRows, &w->liveParent,   &w->liveRows,
                            &w->liveContacts, &w->groupOf,   &w->mechanismList};
    int** perGroup[] = {&w->mechanismFirst, &w->linkFirst, &w->contactFirst, &w->pairFirst};
    for (int i = 0; i < PL_COUNT(perMechanism); ++i) {
        *perMechanism[i] = plArena_Alloc(&w->fixed, mechanisms, sizeof(int));
    }
    for (int i = 0; i < PL_COUNT(perGroup); ++i) {
        *perGroup[i] = plArena_Alloc(&w->fixed, mechanisms + 1, sizeof(int));
    }
    w->linkList = plArena_Alloc(&w->fixed, (size_t)w->def.capacity.links, sizeof(int));
    w->contactList = plArena_Alloc(&w->fixed, (size_t)w->def.capacity.contacts, sizeof(int));
    w->groupList = plArena_Alloc(&w->fixed, (size_t)w->def.capacity.contacts, sizeof(int));
    w->pairList = plArena_Alloc(&w->fixed, (size_t)w->def.capacity.pairs, sizeof(int));
    return !w->fixed.full;
}

// Tick-sized algorithms: larger groups go to Gauss-Seidel at once, and do not sweep for ever.
static bool allocateLaw(plWorld* w)
{
    enum { sweeps = 200 };
    const int contacts = w->def.capacity.contacts;
    const size_t n = (size_t)contacts;
    w->law = plLaw_Of(w->def.contact.law);
    w->bias = plArena_Alloc(&w->fixed, n * (1 + plMaxSides), sizeof(double));
    w->impulses = plArena_Alloc(&w->fixed, 3 * n, sizeof(double));
    w->taken = plArena_Alloc(&w->fixed, 3 * n, sizeof(double));
    w->before = plArena_Alloc(&w->fixed, n, sizeof *w->before);
    w->after = plArena_Alloc(&w->fixed, n, sizeof *w->after);
    if (plLawWork_Create(&w->work, contacts, w->def.contact.sides, &w->fixed) != pl_statusOk) {
        return false;
    }
    if (w->def.contact.own) w->work.own = *w->def.contact.own;
    w->def.contact.own = NULL; // copied
    w->work.tolerance = 1e-8;
    w->work.sweeps = sweeps;
    w->work.newtonContacts = plSystemDense;
    return !w->fixed.full;
}

static plCollideDef collideDef(const plWorld* w)
{
    const plWorldCapacity* c = &w->def.capacity;
    plCollideDef collide = plDefaultCollideDef();
    collide.proxies = c->shapes;
    collide.pairs = c->pairs;
    collide.contacts = 4 * c->contacts; // near ones and those of one cluster, too
    collide.ignored = c->ignored + c->shapes;
    collide.skinFaces = c->softFaces;
    collide.skinPoints = c->softNodes;
    collide.tracked = c->surfaces;
    collide.reach = w->def.contact.reach;
    collide.skinReach = w->def.contact.softReach;
    collide.planar = w->def.planar;
    return collide;
}

// Of the memory, an eighth for the state of mechanisms, and what contacts are known to need.
static size_t stateSize(const plWorld* w)
{
    const plWorldCapacity* c = &w->def.capacity;
    const plCollideDef collide = collideDef(w);
    size_t size = c->memory / 8 + (size_t)c->contacts * sizeof(plContactRecord);
    if (c->shapes > 0) size += plCollide_Memory(&collide);
    return size < c->memory / 2 ? size : c->memory / 2;
}

// A world without capacity for shapes has no contacts, and pays nothing for them.
static bool allocateContacts(plWorld* w)
{
    const plWorldCapacity* c = &w->def.capacity;
    const int bodies = c->shapes + 2 * c->ignored + 1;
    const size_t shapes = (size_t)c->shapes;
    const plCollideDef collide = collideDef(w);
    if (plContacts_Create(&w->contacts, c->contacts, bodies, &w->fixed, &w->state) != pl_statusOk) {
        return false;
    }
    if (plSurfaces_Create(&w->surfaces, c->materials, &w->def.contact.surface, &w->fixed) !=
        pl_statusOk) {
        return false;
    }
    w->materialNames = plArena_Alloc(&w->fixed, (size_t)c->materials + 1, 32);
    w->bodies = plArena_Alloc(&w->fixed, (size_t)bodies, sizeof *w->bodies);
    w->bodyCount = 1; // the ground
    if (c->shapes == 0) return !w->fixed.full;
    w->shapes = plArena_Alloc(&w->fixed, shapes, sizeof *w->shapes);
    w->shapeGroups = plArena_Alloc(&w->fixed, shapes, sizeof *w->shapeGroups);
    w->carriers = plArena_Alloc(&w->fixed, shapes, sizeof *w->carriers);
    w->masks = plArena_Alloc(&w->fixed, shapes, sizeof *w->masks);
    return plCollide_Create(&collide, &w->fixed, &w->state, &w->collide) == pl_statusOk &&
           plEvents_Create(&w->events, c->contacts, &w->fixed) == pl_statusOk && allocateLaw(w);
}

static bool allocate(plWorld* w)
{
    const plWorldCapacity* c = &w->def.capacity;
    const size_t mechanisms = (size_t)c->mechanisms, links = (size_t)c->links;
    const int dim = w->def.planar ? 2 : 3;
    const int dense = dim * (c->contacts < plSystemDense ? c->contacts : plSystemDense);
    const plSystemSize size = {.rows = c->rows > dense ? c->rows : dense,
                               .contacts = c->contacts,
                               .dim = dim,
                               .mechanisms = c->mechanisms};
    w->now = plArena_Alloc(&w->state, 1, sizeof *w->now);
    w->mechanismOwners = plArena_Alloc(&w->state, mechanisms, sizeof(plOwner));
    w->linkOwners = plArena_Alloc(&w->state, links, sizeof(plOwner));
    w->contactStates = plArena_Alloc(&w->state, mechanisms, sizeof(int));
    w->mechanisms = plArena_Alloc(&w->fixed, mechanisms, sizeof *w->mechanisms);
    w->links = plArena_Alloc(&w->fixed, links, sizeof *w->links);
    w->drives = plArena_Alloc(&w->fixed, (size_t)c->drives, sizeof *w->drives);
    w->devices = plArena_Alloc(&w->fixed, (size_t)c->devices, sizeof *w->devices);
    w->couplings = plArena_Alloc(&w->fixed, (size_t)c->couplings, sizeof *w->couplings);
    w->mechanismEnergies = plArena_Alloc(&w->fixed, mechanisms, sizeof(plEnergy));
    w->linkEnergies = plArena_Alloc(&w->fixed, links, sizeof(plEnergy));
    w->gains = plArena_Alloc(&w->fixed, mechanisms, sizeof(double));
    w->mechanismSums = plArena_Alloc(&w->fixed, mechanisms, sizeof(plEnergy));
    w->linkSums = plArena_Alloc(&w->fixed, links, sizeof(plEnergy));
    w->rests = plArena_Alloc(&w->fixed, mechanisms, sizeof *w->rests);
    return allocateGroups(w) && plSlots_Create(w) == pl_statusOk && allocateContacts(w) &&
           plSystem_Create(&w->system, &size, &w->fixed) == pl_statusOk && !w->fixed.full &&
           !w->state.full;
}

static bool within(int value, int low, int high) { return value >= low && value <= high; }

enum { mostContacts = 1 << 16, mostPairs = 1 << 22 };

static bool capacityOk(const plWorldCapacity* c)
{
    const int most = 1 << 20;
    return within(c->mechanisms, 1, most) && within(c->links, 0, most) &&
           within(c->drives, 0, most) && within(c->rows, 0, 1 << 14) &&
           within(c->shapes, 0, most) && within(c->materials, 0, 1 << 12) &&
           within(c->contacts, 0, mostContacts) && within(c->pairs, 0, mostPairs) &&
           within(c->ignored, 0, 1 << 16) && within(c->devices, 0, 1 << 10) &&
           within(c->couplings, 0, 1 << 10) && within(c->softFaces, 0, 1 << 22) &&
           within(c->softNodes, 0, 1 << 22) && within(c->surfaces, 0, 1 << 16);
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/// A brick of a wall has 12 contacts: four on each of two below, and as many on those above, of which half are its own,
/// and on those beside it; its bounds meet those of eight others.
static void fillIn(plWorldCapacity* c)
{
    enum { ofShape = 12, pairsOfShape = 24, leastContacts = 192, leastPairs = 512 };
    const size_t ofContact = 20000, others = 64u << 20; // [bytes]
    if (c->shapes > 0 && c->contacts == 0) {
        c->contacts = clamp(ofShape * c->shapes, leastContacts, mostContacts);
    }
    if (c->shapes > 0 && c->pairs == 0) {
        c->pairs = clamp(pairsOfShape * c->shapes, leastPairs, mostPairs);
    }
    if (c->memory == 0) c->memory = others + (size_t)c->contacts * ofContact;
}

static bool contactOk(const plContactDef* c)
{
    return !plLaw_Complaint(c->law, c->own) && within((int)c->bias, 0, pl_biasCount - 1) &&
           within((int)c->collision, 0, pl_collisionCount - 1) && within(c->sides, 4, plMaxSides) &&
           c->sides % 2 == 0 && c->reach >= 0 && c->reach <= 1e3 && c->softReach >= 0 &&
           c->softReach <= 1e3 && !plSurface_Complaint(&c->surface) && c->cluster >= 0 &&
           c->pulseLimit >= 0 && isfinite(c->pulseLimit) && isfinite(c->cluster) &&
           c->coherence >= 0 && isfinite(c->coherence) && c->driftRate >= 0 && c->driftRate <= 1 &&
           c->slop >= 0 && isfinite(c->slop) && c->hitSpeed >= 0;
}

static bool defOk(const plWorldDef* d)
{
    return plFinite3(d->gravity) && within(d->passes, 0, 64) && d->budget >= 0 &&
           contactOk(&d->contact) && capacityOk(&d->capacity) &&
           (d->capacity.shapes == 0 || plLaw_Of(d->contact.law));
}

plStatus plWorld_Create(const plWorldDef* def, plWorld** world)
{
    *world = NULL;
    if (!defOk(def)) return pl_statusBadArgument;
    plWorld* w = def->allocator.take(def->allocator.self, sizeof *w);
    if (!w) return pl_statusNoMemory;
    *w = (plWorld){.def = *def};
    fillIn(&w->def.capacity);
    plMath_Start();
    const size_t memory = w->def.capacity.memory, state = stateSize(w);
    plStatus status = plArena_Create(&w->state, state, &def->allocator);
    if (status != pl_statusOk) goto failWorld;
    status = plArena_Create(&w->fixed, memory - state, &def->allocator);
    if (status != pl_statusOk) goto failState;
    status = pl_statusCapacity;
    if (!allocate(w)) goto failFixed;
    *world = w;
    return pl_statusOk;
failFixed:
    plArena_Destroy(&w->fixed, &def->allocator);
failState:
    plArena_Destroy(&w->state, &def->allocator);
failWorld:
    def->allocator.release(def->allocator.self, w, sizeof *w);
    return status;
}

void plWorld_Destroy(plWorld* w)
{
    if (!w) return;
    const plAllocator allocator = w->def.allocator;
    for (int i = 0; i < w->mechanismCount; ++i) plMechanism_Destroy(w->mechanisms[i], &allocator);
    plArena_Destroy(&w->fixed, &allocator);
    plArena_Destroy(&w->state, &allocator);
    allocator.release(allocator.self, w, sizeof *w);
}

// --- inspection

plMechanism* plWorld_Inside(const plWorld* w, plMechanismId id)
{
    return plWorld_Look(w, id) == pl_statusOk ? w->mechanisms[id.index1 - 1] : NULL;
}

int plWorld_MechanismCount(const plWorld* w) { return w->mechanismCount; }
int plWorld_LinkCount(const plWorld* w) { return w->linkCount; }

plStatus plWorld_FindMechanism(const plWorld* w, const char* name, plMechanismId* id)
{
    for (int i = 0; i < w->mechanismCount; ++i) {
        if (strcmp(plMechanism_Name(w->mechanisms[i]), name) != 0 || !*name) continue;
        *id = plWorld_Mechanism(w, i);
        return pl_statusOk;
    }
    return pl_statusNotFound;
}

plStatus plWorld_FindLink(const plWorld* w, const char* name, plLinkId* id)
{
    for (int i = 0; i < w->linkCount; ++i) {
        if (strcmp(w->links[i].name, name) != 0 || !*name) continue;
        *id = plWorld_Link(w, i);
        return pl_statusOk;
    }
    return pl_statusNotFound;
}

const char* plWorld_MechanismName(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Name(m) : NULL;
}

const char* plWorld_LinkName(const plWorld* w, plLinkId id)
{
    return plWorld_LookLink(w, id) == pl_statusOk ? w->links[id.index1 - 1].name : NULL;
}

const char* plWorld_MechanismType(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Traits(m)->type : NULL;
}

plIntegrator plWorld_MechanismIntegrator(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Integrator(m) : pl_integratorMidpoint;
}

plLinkForm plWorld_LinkKind(const plWorld* w, plLinkId id)
{
    return plWorld_LinkName(w, id) ? w->links[id.index1 - 1].form : pl_linkPassive;
}

int plWorld_ShapeCount(const plWorld* w) { return w->shapeCount; }

int plWorld_PartCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Parts(m) : 0;
}

int plWorld_PositionCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Positions(m) : 0;
}

int plWorld_VelocityCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Velocities(m) : 0;
}

plStatus plWorld_State(const plWorld* w, plMechanismId id, double* q, double* v)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (!m) return plWorld_Look(w, id);
    if (q) memcpy(q, plMechanism_Q(m), (size_t)plMechanism_Positions(m) * sizeof *q);
    if (v) memcpy(v, plMechanism_V(m), (size_t)plMechanism_Velocities(m) * sizeof *v);
    return pl_statusOk;
}

plStatus plWorld_SetState(plWorld* w, plMechanismId id, const double* q, const double* v)
{
    plMechanism* m = plWorld_Inside(w, id);
    if (!m) return plWorld_Fail(w, plWorld_Look(w, id), NULL);
    for (int i = 0; i < plMechanism_Positions(m); ++i) {
        if (!isfinite(q[i]))
            return plWorld_Fail(w, pl_statusBadArgument, "positions must be finite");
    }
    for (int i = 0; i < plMechanism_Velocities(m); ++i) {
        if (!isfinite(v[i]))
            return plWorld_Fail(w, pl_statusBadArgument, "velocities must be finite");
    }
    if (!plMechanism_CanClose(m, q)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "the joints cannot be closed from there: place the bodies nearer");
    }
    plMechanism_SetState(m, q, v);
    plLedger_Place(w, (int)id.index1 - 1);
    return pl_statusOk;
}

bool plWorld_SiteOk(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return site.part == 0 && plFinite3(site.point);
    const plMechanism* m = plWorld_Inside(w, site.mechanism);
    return m && plMechanism_HasPart(m, site.part) && plFinite3(site.point);
}

const char* plWorld_SiteRefuses(const plWorld* w, plSite site)
{
    const plMechanism* m = plWorld_Inside(w, site.mechanism);
    if (!m || !plMechanism_Traits(m)->deforms || site.part > 0 || plMechanism_Velocities(m) > 0)
        return NULL;
    return "nodes that move by themselves have no frame to take: name a face of the surface";
}

plStatus plWorld_Motion(const plWorld* w, plSite site, plMotion* motion)
{
    const plStatus status = plWorld_LookSite(w, site);
    if (status != pl_statusOk) return status;
    if (site.mechanism.index1 == 0) {
        *motion = (plMotion){.x = site.point, .R = plIdentity3()};
    } else {
        *motion = plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
    }
    return pl_statusOk;
}

plStatus plWorld_Inertia(const plWorld* w, plMechanismId id, double* M, double* C)
{
    plMechanism* m = plWorld_Inside(w, id);
    if (!m) return plWorld_Look(w, id);
    plMechanism_Inertia(m, M, C);
    return pl_statusOk;
}

plStatus plWorld_LinkForce(const plWorld* w, plLinkId id, double* force)
{
    const plStatus status = plWorld_LookLink(w, id);
    if (status != pl_statusOk) return status;
    const plLink* link = &w->links[id.index1 - 1];
    const double T = w->now->T > 0 ? w->now->T : 1;
    for (int i = 0; i < plLink_Forces(link); ++i) force[i] = link->impulse[i] / T;
    return pl_statusOk;
}

plMemory plWorld_Memory(const plWorld* w)
{
    return (plMemory){.used = w->fixed.used + w->state.used,
                      .highWater = w->fixed.highWater + w->state.highWater,
                      .capacity = w->fixed.capacity + w->state.capacity};
}

plStepReport plWorld_Report(const plWorld* w) { return w->report; }
double plWorld_Time(const plWorld* w) { return w->now->time; }
uint64_t plWorld_Tick(const plWorld* w) { return w->now->tick; }
