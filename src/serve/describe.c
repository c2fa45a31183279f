// A world as JSON: what there is, how it looks, what may be set. doc/protocol.md has the words.
#include "serve/serve.h"

#include <math.h>
#include <stdlib.h>

static json_t* vec(plVec3 a) { return json_pack("[fff]", a.x, a.y, a.z); }

static json_t* pose(plVec3 x, plQuat q)
{
    return json_pack("[fffffff]", x.x, x.y, x.z, q.w, q.x, q.y, q.z);
}

// JSON has no infinity: no limit is null.
static json_t* limit(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t* limits(plVec3 a) { return json_pack("[ooo]", limit(a.x), limit(a.y), limit(a.z)); }

static int mechanismOf(plSite s) { return (int)s.mechanism.index1 - 1; }

static json_t* site(plSite s)
{
    return json_pack("{si si so}", "mechanism", mechanismOf(s), "part", s.part, "point",
                     vec(s.point));
}

// --- shapes

static json_t* points(const plVec3* p, int count)
{
    json_t* list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real(p[i].x));
        json_array_append_new(list, json_real(p[i].y));
        json_array_append_new(list, json_real(p[i].z));
    }
    return list;
}

static void addTriangle(json_t* list, int a, int b, int c)
{
    json_array_append_new(list, json_integer(a));
    json_array_append_new(list, json_integer(b));
    json_array_append_new(list, json_integer(c));
}

// Faces of a polytope as fans.
static json_t* fans(const plPolytope* p)
{
    json_t* list = json_array();
    for (int i = 0; i < p->faceCount; ++i) {
        const plHalfEdge* e = p->edges + p->faces[i].first;
        for (int k = 2; k < p->faces[i].count; ++k) {
            addTriangle(list, e[0].origin, e[k - 1].origin, e[k].origin);
        }
    }
    return list;
}

static json_t* triangles(const plMesh* m)
{
    json_t* list = json_array();
    for (int i = 0; i < m->triangleCount; ++i) {
        const int* t = m->triangles + 3 * i;
        addTriangle(list, t[0], t[1], t[2]);
    }
    return list;
}

static double thickness(const plPolytope* p)
{
    double most = 0;
    for (int i = 0; i < p->vertexCount; ++i) most = fmax(most, fabs(p->vertices[i].z));
    return 2 * most;
}

// Fine enough that no edge is seen: a thousandth of its size.
static void sculpted(json_t* o, const plShape* s)
{
    int pointCount, triangleCount;
    plNurbs_Triangles(s->nurbs, 1e-3 * s->size, &pointCount, NULL, NULL, &triangleCount, NULL);
    plVec3* p = malloc(2 * (size_t)pointCount * sizeof *p);
    int* list = malloc(3 * (size_t)triangleCount * sizeof *list);
    if (p && list) {
        plNurbs_Triangles(s->nurbs, 1e-3 * s->size, &pointCount, p, p + pointCount, &triangleCount,
                          list);
        json_t* indices = json_array();
        for (int i = 0; i < 3 * triangleCount; ++i) {
            json_array_append_new(indices, json_integer(list[i]));
        }
        json_object_set_new(o, "points", points(p, pointCount));
        json_object_set_new(o, "normals", points(p + pointCount, pointCount));
        json_object_set_new(o, "triangles", indices);
    }
    free(p);
    free(list);
}

static json_t* shape(const plShape* s)
{
    json_t* o = json_pack("{ss so}", "kind", plShapeKind_Name((int)s->kind), "frame",
                          pose(s->frame.x, plQuatOf(&s->frame.R)));
    switch (s->kind) {
    case pl_shapeSphere:
        json_object_set_new(o, "radius", json_real(s->radius));
        break;
    case pl_shapeCapsule:
        json_object_set_new(o, "radius", json_real(s->radius));
        json_object_set_new(o, "length", json_real(2 * s->half.x));
        break;
    case pl_shapeBox:
        json_object_set_new(o, "half", vec(s->half));
        break;
    case pl_shapePlane:
        json_object_set_new(o, "normal", vec(s->normal));
        break;
    case pl_shapePolygon:
        json_object_set_new(o, "outline", points(s->corners, s->cornerCount));
        json_object_set_new(o, "thickness", json_real(thickness(s->polytope)));
        break;
    case pl_shapeHull:
        json_object_set_new(o, "points", points(s->polytope->vertices, s->polytope->vertexCount));
        json_object_set_new(o, "triangles", fans(s->polytope));
        break;
    case pl_shapeMesh:
        json_object_set_new(o, "points", points(s->mesh->points, s->mesh->pointCount));
        json_object_set_new(o, "triangles", triangles(s->mesh));
        break;
    case pl_shapeCompound: {
        json_t* pieces = json_array();
        for (int i = 0; i < s->pieceCount; ++i) json_array_append_new(pieces, shape(&s->pieces[i]));
        json_object_set_new(o, "pieces", pieces);
        break;
    }
    case pl_shapeNurbs:
        sculpted(o, s);
        break;
    case pl_shapeSupport: // it became a hull
    case pl_shapeCount:
        break;
    }
    return o;
}

static json_t* shapes(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i < plWorld_ShapeCount(w); ++i) {
        const plWorldShape s = plWorld_ShapeAt(w, i);
        json_t* o = s.shape ? shape(s.shape) : plSurface_Describe(w, s.site.mechanism);
        json_object_set_new(o, "mechanism", json_integer(mechanismOf(s.site)));
        json_object_set_new(o, "part", json_integer(s.site.part));
        json_object_set_new(o, "material", json_integer(s.material));
        json_array_append_new(list, o);
    }
    return list;
}

// --- everything else

static json_t* mechanisms(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        json_t* parts = json_array();
        for (int k = 0; k < plWorld_PartCount(w, id); ++k) {
            const char* name = plWorld_PartName(w, id, k);
            json_array_append_new(parts, json_pack("{ss si}", "name", name ? name : "", "parent",
                                                   plWorld_PartParent(w, id, k)));
        }
        json_array_append_new(list,
                              json_pack("{ss ss ss so}", "name", plWorld_MechanismName(w, id),
                                        "type", plWorld_MechanismType(w, id), "integrator",
                                        plIntegrator_Name((int)plWorld_MechanismIntegrator(w, id)),
                                        "parts", parts));
    }
    return list;
}

static json_t* materials(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i <= plWorld_MaterialCount(w); ++i) {
        const plSurface* s = plWorld_Surface(w, i);
        json_array_append_new(list,
                              json_pack("{ss sf sf sf sf}", "name", plWorld_MaterialName(w, i),
                                        "friction", s->friction, "restitution", s->restitution,
                                        "stiffness", s->stiffness, "damping", s->damping));
    }
    return list;
}

static json_t* links(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i < plWorld_LinkCount(w); ++i) {
        json_array_append_new(list, json_string(plWorld_LinkName(w, plWorld_Link(w, i))));
    }
    return list;
}

static json_t* couplings(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i < plWorld_CouplingCount(w); ++i) {
        const plCouplingDef* d = plWorld_CouplingAt(w, i);
        json_array_append_new(
            list,
            json_pack("{ss ss si so so so so ss sf}", "name", plWorld_CouplingName(w, i), "kind",
                      plCouplingKind_Name((int)d->kind), "device", (int)d->device.index1 - 1,
                      "tool", site(d->tool), "stiffness", vec(d->stiffness), "forceLimit",
                      limits(d->forceLimit), "torqueLimit", limits(d->torqueLimit), "limit",
                      plLimit_Name((int)d->limit), "scale", d->scale));
    }
    return list;
}

static json_t* names(int count, const char* (*nameOf)(int))
{
    json_t* list = json_array();
    for (int i = 0; i < count; ++i) json_array_append_new(list, json_string(nameOf(i)));
    return list;
}

static json_t* devices(const plWorld* w)
{
    json_t* list = json_array();
    for (int i = 0; i < plWorld_DeviceCount(w); ++i) {
        plDeviceDef d;
        plWorld_DeviceDef(w, (plDeviceId){(uint32_t)i + 1, 1}, &d);
        json_array_append_new(list, json_pack("{ss so so}", "name", d.name, "forceLimit",
                                              limits(d.forceLimit), "torqueLimit",
                                              limits(d.torqueLimit)));
    }
    return list;
}

static json_t* models(void)
{
    json_t* list = json_array();
    for (int i = 0; i < plDeviceModel_Count(); ++i) {
        const plDeviceModel* m = plDeviceModel_At(i);
        json_array_append_new(list, json_pack("{ss sf sf sf}", "name", m->name, "force", m->force,
                                              "torque", m->torque, "stiffness", m->stiffness));
    }
    return list;
}

static json_t* channels(const plWorld* w)
{
    json_t* list = json_array();
    char name[128];
    for (int i = 0; plWorld_ChannelName(w, i, name, sizeof name) > 0; ++i) {
        json_array_append_new(list, json_string(name));
    }
    return list;
}

static json_t* advice(const plWorld* w)
{
    json_t* list = json_array();
    char text[512];
    for (int i = 0; plWorld_Advice(w, i, text, sizeof text) > 0; ++i) {
        json_array_append_new(list, json_string(text));
    }
    return list;
}

json_t* plDescribe(const plScene* scene, const plWorld* w)
{
    return json_pack("{ss ss ss ss sf sb sf ss so so so so so so so so so so so}", "title",
                     plScene_Title(scene), "description", plScene_Description(scene), "paper",
                     plScene_Paper(scene), "passiveVariant", plScene_PassiveVariant(scene), "rate",
                     plScene_Rate(scene), "planar", plScene_IsPlanar(scene), "step",
                     plScene_Step(scene), "law", plLawName_Name((int)plWorld_Law(w)), "laws",
                     names(pl_lawCount, plLawName_Name), "integrators",
                     names(pl_integratorCount, plIntegrator_Name), "mechanisms", mechanisms(w),
                     "links", links(w), "shapes", shapes(w), "materials", materials(w), "devices",
                     devices(w), "couplings", couplings(w), "models", models(), "channels",
                     channels(w), "advice", advice(w));
}
