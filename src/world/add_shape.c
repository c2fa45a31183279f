// Shapes on parts and on the ground, and their materials: how they enter a world.
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

// --- materials

plMaterialDef plDefaultMaterialDef(void) { return (plMaterialDef){.surface = plDefaultSurface()}; }

static bool materialOk(const plWorld* w, plMaterialId id)
{
    if (id.index1 == 0) return true;
    return id.generation == 1 && id.index1 < (uint32_t)w->surfaces.count;
}

plStatus plWorld_AddMaterial(plWorld* w, const plMaterialDef* def, plMaterialId* id)
{
    int index;
    const char* complaint = plSurface_Complaint(&def->surface);
    if (!plText_IsName(def->name)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "a material's name must be 1 to 31 letters, digits, - or _");
    }
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    for (int i = 1; i < w->surfaces.count; ++i) {
        if (strcmp(w->materialNames[i], def->name) == 0) {
            return plWorld_Fail(w, pl_statusDuplicate, NULL);
        }
    }
    if (plSurfaces_Add(&w->surfaces, &def->surface, &index) != pl_statusOk) {
        return plWorld_Fail(w, pl_statusCapacity, "too many materials: raise capacity.materials");
    }
    memcpy(w->materialNames[index], def->name, strlen(def->name) + 1);
    *id = (plMaterialId){(uint32_t)index, 1};
    return pl_statusOk;
}

plStatus plWorld_SetPair(plWorld* w, plMaterialId a, plMaterialId b, const plSurface* surface)
{
    const char* complaint = plSurface_Complaint(surface);
    if (!materialOk(w, a) || !materialOk(w, b)) return plWorld_Fail(w, pl_statusBadId, NULL);
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    plSurfaces_Give(&w->surfaces, (int)a.index1, (int)b.index1, surface);
    plLedger_Adjust(w);
    return pl_statusOk;
}

plStatus plWorld_SetMaterial(plWorld* w, plMaterialId id, const plSurface* surface)
{
    const char* complaint = plSurface_Complaint(surface);
    if (!materialOk(w, id)) return plWorld_Fail(w, pl_statusBadId, NULL);
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    plSurfaces_Set(&w->surfaces, (int)id.index1, surface);
    plLedger_Adjust(w);
    return pl_statusOk;
}

int plWorld_MaterialCount(const plWorld* w) { return w->surfaces.count - 1; }

plStatus plWorld_FindMaterial(const plWorld* w, const char* name, plMaterialId* id)
{
    for (int i = 1; i < w->surfaces.count; ++i) {
        if (strcmp(w->materialNames[i], name) != 0) continue;
        *id = (plMaterialId){(uint32_t)i, 1};
        return pl_statusOk;
    }
    return pl_statusNotFound;
}

plStatus plWorld_Material(const plWorld* w, plMaterialId id, plSurface* surface)
{
    if (!materialOk(w, id)) return pl_statusBadId;
    *surface = w->surfaces.own[id.index1];
    return pl_statusOk;
}

plStatus plWorld_Pair(const plWorld* w, plMaterialId a, plMaterialId b, plSurface* surface)
{
    if (!materialOk(w, a) || !materialOk(w, b)) return pl_statusBadId;
    *surface = w->surfaces.mixed[(int)a.index1 * w->surfaces.capacity + (int)b.index1];
    return pl_statusOk;
}

plStatus plWorld_ShapeMaterial(const plWorld* w, plShapeId id, plMaterialId* material)
{
    const plStatus status = plWorld_LookShape(w, id);
    if (status != pl_statusOk) return status;
    const uint32_t index = (uint32_t)w->carriers[id.index1 - 1].material;
    *material = (plMaterialId){index, index > 0};
    return pl_statusOk;
}

// --- parts that carry shapes are numbered as they come; the ground is 0

static bool samePart(plSite a, plSite b)
{
    return a.mechanism.index1 == b.mechanism.index1 && a.part == b.part;
}

static int findBody(const plWorld* w, plSite site)
{
    for (int i = 0; i < w->bodyCount; ++i) {
        if (samePart(w->bodies[i], site)) return i;
    }
    return -1;
}

// A joint's two parts overlap in every linkage that a person draws: they do not touch.
static plStatus ignoreNeighbours(plWorld* w, int body)
{
    const plSite site = w->bodies[body];
    if (site.mechanism.index1 == 0) return pl_statusOk;
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    for (int i = 1; i < w->bodyCount; ++i) {
        const plSite other = w->bodies[i];
        if (i == body || other.mechanism.index1 != site.mechanism.index1) continue;
        if (plMechanism_Parent(m, site.part) != other.part &&
            plMechanism_Parent(m, other.part) != site.part) {
            continue;
        }
        if (plCollide_Ignore(w->collide, i, body) != pl_statusOk) return pl_statusCapacity;
    }
    return pl_statusOk;
}

// -1: no room.
static int bodyOf(plWorld* w, plSite site)
{
    const int known = findBody(w, site);
    if (known >= 0) return known;
    int body = 1; // the first that is free
    while (body < w->bodyCount && w->bodies[body].part >= 0) ++body;
    if (body == w->contacts.bodies) return -1;
    const plSite before = w->bodies[body];
    w->bodies[body] = (plSite){.mechanism = site.mechanism, .part = site.part};
    if (ignoreNeighbours(w, body) != pl_statusOk) {
        w->bodies[body] = before;
        return -1;
    }
    if (body == w->bodyCount) w->bodyCount++;
    return body;
}

plStatus plWorld_Ignore(plWorld* w, plSite a, plSite b)
{
    const plStatus first = plWorld_LookSite(w, a), second = plWorld_LookSite(w, b);
    if (first != pl_statusOk || second != pl_statusOk) {
        return plWorld_FailId(w, first != pl_statusOk ? first : second,
                              "a site names no part of this world");
    }
    if (samePart(a, b)) {
        return plWorld_Fail(w, pl_statusBadArgument, "shapes of one part never touch");
    }
    if (!w->collide) return plWorld_Fail(w, pl_statusCapacity, "raise capacity.shapes");
    if (w->now->tick > 0) {
        return plWorld_Fail(w, pl_statusBadArgument, "parts are ignored before the first step");
    }
    const int i = bodyOf(w, a), k = bodyOf(w, b);
    w->ignored = plHash_Add(w->ignored, (const int[]){i, k}, 2 * sizeof(int));
    if (i < 0 || k < 0 || plCollide_Ignore(w->collide, i, k) != pl_statusOk) {
        return plWorld_Fail(w, pl_statusCapacity, "too many ignored pairs: raise capacity.ignored");
    }
    return pl_statusOk;
}

// --- shapes

plPartShapeDef plDefaultPartShapeDef(plShapeKind kind)
{
    return (plPartShapeDef){.shape = plDefaultShapeDef(kind), .group = 1, .mask = UINT32_MAX};
}

static plFrame frameOf(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return (plFrame){.R = plIdentity3()};
    site.point = plVec(0, 0, 0);
    return plMechanism_Frame(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
}

// A part that can leave the plane answers to an impulse that pulls it out.
static bool staysInPlane(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return true;
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    if (!plMechanism_Traits(m)->yields) return true; // its mover answers for that
    const plRow rows[3] = {{.a = site, .lin = plVec(0, 0, 1)},
                           {.a = site, .ang = plVec(1, 0, 0)},
                           {.a = site, .ang = plVec(0, 1, 0)}};
    const int n = plMechanism_Velocities(m);
    double most = 0;
    plMechanism_Response(m, pl_responseMass, rows, 3, w->system.set.J, w->system.set.Y);
    for (int i = 0; i < 3 * n; ++i) most = fmax(most, fabs(w->system.set.J[i]));
    const plFrame frame = frameOf(w, site);
    return most <= 1e-9 && fabs(frame.R.z.z - 1) <= 1e-9;
}

static bool shapesFull(const plWorld* w)
{
    return !w->collide || w->shapeCount - w->vacantShapes >= w->def.capacity.shapes;
}

static const char* complaint(const plWorld* w, const plPartShapeDef* def, plSite site)
{
    if (shapesFull(w)) {
        return "too many shapes: raise capacity.shapes";
    }
    if (w->def.planar && !staysInPlane(w, site)) {
        return "the part can leave the plane: carry it by planar joints, revolute ones about z and "
               "prismatic ones across it";
    }
    if (def->shape.kind == pl_shapePlane && site.mechanism.index1 != 0) {
        return "a plane is for the ground: carry a box instead";
    }
    return NULL;
}

// Half the least thickness of what is solid.
static double halfOf(const plShape* s)
{
    const plFrame own = {plScale(-1, plMulT(&s->frame.R, s->frame.x)), plTranspose(&s->frame.R)};
    double half = INFINITY;
    if (s->kind == pl_shapeMesh || s->kind == pl_shapeNurbs) return 0;
    for (int i = 0; i < s->pieceCount; ++i) half = fmin(half, halfOf(&s->pieces[i]));
    if (s->kind == pl_shapePlane || s->pieceCount > 0) return half;
    const plBounds b = plShape_Bounds(s, &own);
    const double sides[3] = {b.hi.x - b.lo.x, b.hi.y - b.lo.y, b.hi.z - b.lo.z};
    for (int i = 0; i < 3; ++i) {
        if (sides[i] > 0) half = fmin(half, 0.5 * sides[i]); // a polygon has no thickness
    }
    return half;
}

static plStatus addProxy(plWorld* w, const plPartShapeDef* def, plSite site, const plShape* shape,
                         const plSkinDef* skin, int* shapeIndex)
{
    const int body = bodyOf(w, site);
    plProxyDef proxy = plDefaultProxyDef();
    int index;
    proxy.shape = shape;
    proxy.skin = skin;
    proxy.frame = frameOf(w, site);
    proxy.body = body;
    proxy.moving = site.mechanism.index1 != 0;
    proxy.group = def->group;
    proxy.mask = def->mask;
    if (body < 0) return pl_statusCapacity;
    const plStatus status = plCollide_Add(w->collide, &proxy, &index);
    if (status != pl_statusOk) return status;
    w->shapes[index] = shape;
    w->masks[index][0] = def->group;
    w->masks[index][1] = def->mask;
    w->carriers[index] = (plCarrier){.site = site,
                                     .body = body,
                                     .material = (int)def->material.index1,
                                     .half = shape ? halfOf(shape) : 0};
    if (index == w->shapeCount) {
        w->shapeCount++;
    } else {
        w->vacantShapes--;
    }
    plSlot_Enter(&w->slots.shapes[index], def->userData);
    *shapeIndex = index;
    return pl_statusOk;
}

// A shape goes into the first place that is free, since proxies do; its memory is that of the one before, if it fits.
static plStatus makeShape(plRoom* r, const plShapeDef* def, const plShape** shape,
                          plShapeError* error)
{
    plWorld* w = r->world;
    plStatus status = plShape_Create(def, r->fixed, &w->def.allocator, shape, error);
    if (status == pl_statusCapacity && !r->isNew) {
        plRoom_Behind(r);
        status = plShape_Create(def, r->fixed, &w->def.allocator, shape, error);
    }
    if (status == pl_statusCapacity && r->fixed->full) {
        snprintf(error->message, sizeof error->message,
                 "the world's memory is full: raise capacity.memory");
    }
    if (status == pl_statusOk) plRoom_Keep(r);
    return status;
}

plStatus plWorld_AddShape(plWorld* w, const plPartShapeDef* def, plShapeId* id)
{
    const plSite site = {.mechanism = def->mechanism, .part = def->part};
    const plStatus carrier = plWorld_LookSite(w, site);
    plShapeError error;
    const plShape* shape;
    int index = 0;
    if (carrier != pl_statusOk) {
        return plWorld_FailId(w, carrier, "the shape's carrier is no part of this world");
    }
    if (!materialOk(w, def->material)) {
        return plWorld_Fail(w, pl_statusBadId, "the shape's material is none of this world");
    }
    const char* why = complaint(w, def, site);
    if (why) {
        return plWorld_Fail(w, shapesFull(w) ? pl_statusCapacity : pl_statusBadArgument, why);
    }
    plRoom r;
    plRoom_Find(&r, w, w->slots.shapes, w->shapeCount, w->def.capacity.shapes);
    plStatus status = makeShape(&r, &def->shape, &shape, &error);
    if (status == pl_statusOk) {
        status = addProxy(w, def, site, shape, NULL, &index);
        snprintf(error.message, sizeof error.message, "too many shapes: raise capacity.shapes");
    }
    if (status != pl_statusOk) {
        plRoom_GiveUp(&r);
        return plWorld_Fail(w, status, error.message);
    }
    PL_ASSERT(index == r.index);
    if (w->now->tick > 0) plLedger_Adjust(w);
    *id = plShapes_Id(w, index);
    return pl_statusOk;
}

// --- surfaces of soft bodies

plStatus plShapes_AddSkin(plWorld* w, int mechanism, const plSoftDef* def, const char** why)
{
    const plSurfaceView view = plMechanism_Surface(w->mechanisms[mechanism]);
    const plSite site = {.mechanism = plWorld_Mechanism(w, mechanism)};
    if (!w->collide) return pl_statusOk; // nothing touches in this world
    *why = "a soft body's material is none of this world";
    if (!materialOk(w, def->material)) return pl_statusBadId;
    *why =
        "too many shapes, or faces and nodes of soft bodies: raise capacity.shapes, softFaces and "
        "softNodes";
    if (shapesFull(w)) return pl_statusCapacity;
    plSkinDef* skin = plArena_Alloc(&w->fixed, 1, sizeof *skin);
    if (!skin) return pl_statusCapacity;
    *skin = (plSkinDef){.pointCount = view.nodeCount,
                        .faceCount = view.faceCount,
                        .faces = view.faces,
                        .x = view.x,
                        .touchable = view.touchable};
    const plPartShapeDef part = {.material = def->material, .group = def->group, .mask = def->mask};
    int index = 0;
    const plStatus status = addProxy(w, &part, site, NULL, skin, &index);
    if (status == pl_statusOk) w->carriers[index].nodesOnly = def->nodesOnly;
    return status;
}
