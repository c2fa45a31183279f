// Soft bodies: their mesh, what they are made of, and which of their nodes are held and touched.
#include "math/math.h"
#include "scene/build.h"
#include "shape/shape.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    plSoftDef def;
    const char* material;
    size_t group, mask;
} Soft;

static const char* massName(int i) { return i == pl_softLumped ? "lumped" : "consistent"; }

#define SOFT_NUMBER(name, member, itsRange, itsUnit)                                               \
    {                                                                                              \
        .key = name, .kind = pl_fieldNumber, .offset = offsetof(Soft, def.member),                 \
        .range = itsRange, .unit = itsUnit                                                         \
    }
#define SOFT_CHOICE(name, member, count, names)                                                    \
    {                                                                                              \
        .key = name, .kind = pl_fieldChoice, .offset = offsetof(Soft, def.member),                 \
        .choices = count, .choice = names                                                          \
    }
#define SOFT_BITS(name)                                                                            \
    {                                                                                              \
        .key = #name, .kind = pl_fieldSize, .offset = offsetof(Soft, name),                        \
        .range = pl_rangeNotNegative, .max = UINT32_MAX                                            \
    }

static const plField softFields[] = {
    {.key = "type", .kind = pl_fieldOther},
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(Soft, def.name), .required = true},
    {.key = "mesh",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "a file of tetrahedra, or sizes of one that is made"},
    SOFT_NUMBER("E", elastic.E, pl_rangePositive, "Pa"),
    SOFT_NUMBER("nu", elastic.nu, pl_rangeAny, NULL),
    SOFT_NUMBER("density", elastic.rho, pl_rangePositive, "kg/m^3"),
    SOFT_CHOICE("massModel", mass, 2, massName),
    SOFT_CHOICE("model", model, pl_softModelCount, plSoftModel_Name),
    SOFT_CHOICE("integrator", integrator, pl_integratorCount, plIntegrator_Name),
    SOFT_NUMBER("step", step, pl_rangePositive, "s"),
    SOFT_NUMBER("alpha", alpha, pl_rangeNotNegative, "1/s"),
    SOFT_NUMBER("beta", beta, pl_rangeNotNegative, "s"),
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(Soft, def.pose.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(Soft, def.pose.q)},
    {.key = "velocity",
     .kind = pl_fieldVec3,
     .offset = offsetof(Soft, def.velocity),
     .unit = "m/s"},
    {.key = "spin", .kind = pl_fieldVec3, .offset = offsetof(Soft, def.spin), .unit = "rad/s"},
    {.key = "held", .kind = pl_fieldOther},
    {.key = "candidates", .kind = pl_fieldOther},
    {.key = "material", .kind = pl_fieldName, .offset = offsetof(Soft, material)},
    {.key = "nodesOnly", .kind = pl_fieldBool, .offset = offsetof(Soft, def.nodesOnly)},
    SOFT_BITS(group),
    SOFT_BITS(mask),
};

// --------------------------------------------------------------------------------- what it may

static bool checkMatter(plReader* r, const plSoftDef* d)
{
    if (!(d->elastic.nu > -1 && d->elastic.nu < 0.5))
        return plReader_FailAt(r, "nu", "found %g, expected a number > -1 and < 0.5",
                               d->elastic.nu);
    if (d->model == pl_softCorotational && d->integrator != pl_integratorImplicit)
        return plReader_FailAt(r, "integrator",
                               "found \"%s\", expected \"implicit\" for the model "
                               "\"corotational\"",
                               plIntegrator_Name((int)d->integrator));
    if (d->integrator != pl_integratorImplicit && d->integrator != pl_integratorMidpoint)
        return plReader_FailAt(r, "integrator",
                               "found \"%s\", expected \"implicit\" or \"midpoint\"",
                               plIntegrator_Name((int)d->integrator));
    return true;
}

/// Keys that a model does not read would be without effect.
static bool checkKeys(plReader* r, const json_t* json, plSoftModel model)
{
    static const char* const own[] = {"step", "alpha", "beta"}; // of nodes that move by themselves
    for (int i = 0; i < PL_COUNT(own); i++) {
        if (model != pl_softCorotational || !json_object_get(json, own[i])) continue;
        return plReader_FailAt(r, own[i],
                               "found in a body of the model \"%s\", which has no "
                               "use for it",
                               plSoftModel_Name((int)model));
    }
    return true;
}

/// The factor of a dynamic body is that of one step, and a tick of any other would do nothing.
static bool checkStep(plBuilder* b, const json_t* json, plSoftDef* d)
{
    plReader* r = b->reader;
    if (d->model == pl_softCorotational) return true;
    if (b->step == 0)
        return plReader_FailAt(r, "model",
                               "found \"dynamic\" in a scene of random steps, expected "
                               "a scene with one step");
    if (!json_object_get(json, "step")) d->step = b->step;
    if (fabs(d->step - b->step) > 1e-9 * b->step)
        return plReader_FailAt(r, "step", "found %g, expected %g, the step of the scene", d->step,
                               b->step);
    if (b->rate > 0 && fabs(b->rate * d->step - 1) > 1e-9)
        return plReader_FailAt(r, "model",
                               "found \"dynamic\" in a scene with a rate of %g Hz, "
                               "expected one over its step, %g Hz",
                               b->rate, 1 / d->step);
    return true;
}

// ---------------------------------------------------------------------------------------- nodes

typedef struct {
    plVec3 lo, hi;
} Box;

static bool isWithin(const Box* box, plVec3 x)
{
    return x.x >= box->lo.x && x.x <= box->hi.x && x.y >= box->lo.y && x.y <= box->hi.y &&
           x.z >= box->lo.z && x.z <= box->hi.z;
}

/// A box has no ends where it gives none.
static bool readBox(plReader* r, const json_t* json, Box* box)
{
    static const plField fields[] = {
        {.key = "lo", .kind = pl_fieldOther},
        {.key = "hi", .kind = pl_fieldOther},
    };
    static const char* const keys[] = {"lo", "hi"};
    plVec3* const ends[] = {&box->lo, &box->hi};
    *box = (Box){plVec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), plVec(HUGE_VAL, HUGE_VAL, HUGE_VAL)};
    if (!plReader_Object(r, json, fields, PL_COUNT(fields), box)) return false;
    for (int i = 0; i < 2; i++) {
        const json_t* array = json_object_get(json, keys[i]);
        double x[3];
        if (!array) continue;
        plPut3(*ends[i], x);
        plReader_Enter(r, keys[i]);
        if (json_array_size(array) != 3) plReader_Expect(r, array, "three numbers or null [m]");
        for (size_t k = 0; k < 3 && !r->failed; k++) {
            const json_t* value = json_array_get(array, k);
            if (json_is_number(value))
                x[k] = json_number_value(value);
            else if (!json_is_null(value))
                plReader_Expect(r, array, "three numbers or null [m]");
        }
        plReader_Leave(r);
        *ends[i] = plGet3(x);
    }
    return !r->failed;
}

/// What a list or a box chooses of a mesh's nodes.
typedef struct {
    plReader* reader;
    const plTets* tets;
    const unsigned char* from; ///< only of these; null: of all
    unsigned char* mark;
} Choice;

static bool markBox(const Choice* c, const json_t* json)
{
    Box box;
    if (!readBox(c->reader, json, &box)) return false;
    for (int i = 0; i < c->tets->pointCount; i++)
        if (isWithin(&box, c->tets->points[i]) && (!c->from || c->from[i])) c->mark[i] = 1;
    return true;
}

static bool markNode(const Choice* c, const json_t* json)
{
    const int nodes = c->tets->pointCount;
    const double x = json_number_value(json);
    if (!json_is_number(json) || !(x >= 0 && x < nodes && (int)x == x))
        return plReader_Expect(c->reader, json, "a box, or a node from 0 to %d", nodes - 1);
    if (c->from && !c->from[(int)x])
        return plReader_Expect(c->reader, json, "a node of the surface");
    c->mark[(int)x] = 1;
    return true;
}

/// A box, or an array of nodes and boxes.
static bool markAll(const Choice* c, const json_t* value)
{
    plReader* r = c->reader;
    if (json_is_object(value)) return markBox(c, value);
    if (!json_is_array(value))
        return plReader_Expect(r, value,
                               "a box of \"lo\" and \"hi\", or an array of nodes and "
                               "boxes");
    for (size_t i = 0; i < json_array_size(value) && !r->failed; i++) {
        const json_t* item = json_array_get(value, i);
        plReader_EnterIndex(r, (int)i);
        if (json_is_object(item))
            markBox(c, item);
        else
            markNode(c, item);
        plReader_Leave(r);
    }
    return !r->failed;
}

/// The nodes of `from` (null: all) that a key chooses, ascending. Null without the key, and after an
/// error.
static const int* readNodes(plBuilder* b, const json_t* json, const char* key, const plTets* t,
                            const unsigned char* from, int* count)
{
    plReader* r = b->reader;
    const json_t* value = json_object_get(json, key);
    *count = 0;
    if (!value) return NULL;
    const Choice c = {r, t, from, plBuilder_Take(b, t->pointCount, 1)};
    int* list = plBuilder_Take(b, t->pointCount, sizeof *list);
    if (!c.mark || !list) return NULL;
    plReader_Enter(r, key);
    if (markAll(&c, value)) {
        for (int i = 0; i < t->pointCount; i++)
            if (c.mark[i]) list[(*count)++] = i;
        if (*count == 0)
            plReader_Fail(r, pl_statusSceneContent, "found no node there, expected at least one");
    }
    plReader_Leave(r);
    return r->failed ? NULL : list;
}

/// Which nodes can be touched, and how many: those that are named, or all of the surface.
static bool readCandidates(plBuilder* b, const json_t* json, const plTets* t, plSoftDef* d,
                           int* faces, int* count)
{
    plReader* r = b->reader;
    const plAllocator allocator = plDefaultAllocator();
    plTetsSurface surface;
    if (plTets_Surface(t, &allocator, &surface) != pl_statusOk) return plReader_FailMemory(r);
    unsigned char* isOutside = plBuilder_Take(b, t->pointCount, 1);
    for (int i = 0; isOutside && i < surface.pointCount; i++) isOutside[surface.points[i]] = 1;
    *faces = surface.triangleCount;
    *count = surface.pointCount;
    plTetsSurface_Free(&surface);
    if (!isOutside) return false;
    d->candidates = readNodes(b, json, "candidates", t, isOutside, &d->candidateCount);
    if (d->candidates) *count = d->candidateCount;
    if (!r->failed && *count > plMostCandidates)
        plReader_FailAt(r, "candidates",
                        "found %d nodes that can be touched, expected at most %d: name those that "
                        "matter",
                        *count, plMostCandidates);
    return !r->failed;
}

// -------------------------------------------------------------------------------------- the body

static double massOf(const plTets* t, double density)
{
    double sum = 0;
    for (int i = 0; i < t->tetCount; i++) {
        const int* n = &t->tets[4 * i];
        const plVec3 a = t->points[n[0]];
        sum += plDot(plCross(plSub(t->points[n[1]], a), plSub(t->points[n[2]], a)),
                     plSub(t->points[n[3]], a)) /
               6;
    }
    return density * sum;
}

/// Room for contacts: of a body that lies on something seldom more than a part of its nodes touch.
static void countSoft(plBuilder* b, const plTets* t, const plSoftDef* d, int faces, int candidates)
{
    enum { fewest = 32, most = 160 };
    const int contacts = candidates < fewest ? fewest : candidates < most ? candidates : most;
    const size_t numbers =
        d->model == pl_softCorotational ? 6 * (size_t)candidates + 1 : 6 * (size_t)t->pointCount;
    b->shapeCount++;
    b->softFaces += faces;
    b->softNodes += t->pointCount;
    b->softContacts += contacts;
    b->softState += numbers * sizeof(double);
    plBuilder_NoteMass(b, massOf(t, d->elastic.rho));
}

static bool addSoft(plBuilder* b, plBuiltMechanism* m, const plSoftDef* d)
{
    plSoftInfo info;
    if (!b->world) return true;
    if (!plBuilder_Passed(b, plWorld_AddSoft(b->world, d, &m->id))) return false;
    plWorld_SoftInfo(b->world, m->id, 1, &info);
    m->center = info.rigid.center;
    return true;
}

static bool buildOf(plBuilder* b, const json_t* json, Soft* s, plTets* t)
{
    plSoftDef* d = &s->def;
    int faces = 0, candidates = 0;
    d->mesh = t;
    d->held = readNodes(b, json, "held", t, NULL, &d->heldCount);
    if (b->reader->failed || !readCandidates(b, json, t, d, &faces, &candidates) ||
        !plBuilder_Material(b, s->material, &d->material))
        return false;
    if (b->planar)
        return plReader_FailAt(b->reader, "type",
                               "found \"soft\" in a planar scene: soft bodies "
                               "leave the plane");
    countSoft(b, t, d, faces, candidates);
    return true;
}

bool plBuilder_Soft(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    Soft s = {.def = plDefaultSoftDef()};
    plTets* t = plBuilder_Take(b, 1, sizeof *t);
    s.group = s.def.group;
    s.mask = s.def.mask;
    if (!t || !plReader_Object(r, json, softFields, PL_COUNT(softFields), &s) ||
        !checkMatter(r, &s.def) || !checkKeys(r, json, s.def.model) || !checkStep(b, json, &s.def))
        return false;
    s.def.group = (uint32_t)s.group;
    s.def.mask = (uint32_t)s.mask;
    plBuiltMechanism* m = plBuilder_NewMechanism(b, json, s.def.name);
    if (!m || !plBuilder_Tets(b, json, t)) return false;
    m->tets = t; // the builder's from here on
    m->parts = 1;
    m->isDynamic = s.def.model != pl_softCorotational;
    m->isImplicit = s.def.integrator == pl_integratorImplicit;
    m->velocities = m->isDynamic ? 0 : 6;
    return buildOf(b, json, &s, t) && addSoft(b, m, &s.def);
}

// ---------------------------------------------------------------------------------------- sites

/// The spot of the surface at rest that is nearest to a point of the mesh's frame.
static plSite nearestSpot(const plBuilder* b, const plBuiltMechanism* m, plVec3 p)
{
    plSite site = {.mechanism = m->id};
    double best = HUGE_VAL, weight[3];
    int count = 0;
    const int* faces = plWorld_SoftFaces(b->world, m->id, &count);
    for (int i = 0; i < count; i++) {
        const int* f = &faces[3 * i];
        const plVec3* x = m->tets->points;
        const plVec3 near = plNearestOnTriangle(p, x[f[0]], x[f[1]], x[f[2]], weight);
        const double distance = plNorm(plSub(near, p));
        if (!(distance < best)) continue;
        best = distance;
        site.part = 1 + i;
        site.point = plGet3(weight);
    }
    return site;
}

bool plBuilder_SoftSite(plBuilder* b, const plBuiltMechanism* m, const plSpot* place, plSite* site)
{
    plReader* r = b->reader;
    *site = (plSite){.mechanism = m->id};
    if (place->part && strcmp(place->part, "surface") != 0)
        return plReader_FailAt(r, "part",
                               "found \"%s\", expected \"surface\", or no part for the "
                               "frame of the soft body",
                               place->part);
    if (place->whole) return true;
    if (place->part) {
        if (b->world) *site = nearestSpot(b, m, place->point);
        return true;
    }
    if (m->isDynamic)
        return plReader_FailAt(r, "mechanism",
                               "found \"%s\", whose nodes move by themselves and which has no "
                               "frame: expected \"part\": \"surface\" beside it",
                               place->mechanism);
    site->point = plSub(place->point, m->center);
    return true;
}
