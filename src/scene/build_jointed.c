#include "math/math.h"
#include "scene/build.h"
#include "shape/shape.h"

#include <stddef.h>
#include <string.h>

enum { maxJoints = 512 };

/// The bodies of a jointed assembly.
typedef struct {
    int count;
    plJointedBodyDef* defs;
    plPartShapes* shapes; ///< of each
    json_t* names;        ///< name -> index; "ground" is -1
} Bodies;

/// A joint, and the frame of the world in which it is closed at the start.
typedef struct {
    plJointDef def;
    plVec3 at, axis;
    plQuat orientation;
} Joint;

static const plField jointedFields[] = {
    {.key = "type", .kind = pl_fieldOther},
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(plJointedDef, name), .required = true},
    {.key = "integrator", .kind = pl_fieldOther},
    {.key = "bodies",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "an array of at least one body"},
    {.key = "joints", .kind = pl_fieldOther},
};

static const plField bodyFields[] = {
    {.key = "name",
     .kind = pl_fieldName,
     .offset = offsetof(plJointedBodyDef, name),
     .required = true},
    {.key = "mass",
     .kind = pl_fieldNumber,
     .offset = offsetof(plJointedBodyDef, mass),
     .range = pl_rangePositive,
     .unit = "kg"},
    {.key = "inertia", .kind = pl_fieldInertia, .offset = offsetof(plJointedBodyDef, inertia)},
    {.key = "density", .kind = pl_fieldOther},
    {.key = "position",
     .kind = pl_fieldVec3,
     .offset = offsetof(plJointedBodyDef, pose.p),
     .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plJointedBodyDef, pose.q)},
    {.key = "velocity",
     .kind = pl_fieldVec3,
     .offset = offsetof(plJointedBodyDef, velocity),
     .unit = "m/s"},
    {.key = "spin",
     .kind = pl_fieldVec3,
     .offset = offsetof(plJointedBodyDef, spin),
     .unit = "rad/s"},
    {.key = "shapes", .kind = pl_fieldOther},
};

static const plField jointFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(Joint, def.name), .required = true},
    {.key = "type",
     .kind = pl_fieldChoice,
     .offset = offsetof(Joint, def.kind),
     .required = true,
     .choices = pl_constraintCount,
     .choice = plConstraint_Name},
    {.key = "a", .kind = pl_fieldOther, .required = true, .unit = "the name of a body"},
    {.key = "b", .kind = pl_fieldOther},
    {.key = "at", .kind = pl_fieldVec3, .offset = offsetof(Joint, at), .unit = "m"},
    {.key = "axis", .kind = pl_fieldAxis, .offset = offsetof(Joint, axis)},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(Joint, orientation)},
    {.key = "frameA", .kind = pl_fieldOther},
    {.key = "frameB", .kind = pl_fieldOther},
    {.key = "length",
     .kind = pl_fieldNumber,
     .offset = offsetof(Joint, def.length),
     .range = pl_rangePositive,
     .unit = "m"},
    {.key = "guide",
     .kind = pl_fieldChoice,
     .offset = offsetof(Joint, def.guide),
     .choices = pl_guideCount,
     .choice = plGuide_Name},
    {.key = "radius",
     .kind = pl_fieldNumber,
     .offset = offsetof(Joint, def.radius),
     .range = pl_rangePositive,
     .unit = "m"},
    {.key = "surface", .kind = pl_fieldOther},
    {.key = "stiffness", .kind = pl_fieldOther},
    {.key = "damping", .kind = pl_fieldOther},
    {.key = "rest", .kind = pl_fieldOther},
};

static const plField frameFields[] = {
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(plPose, p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plPose, q)},
};

static const char* integratorName(int i) { return plIntegrator_Name(pl_integratorRungeKutta + i); }

/// That of the scene is for other mechanisms; one that stands here must be the only one there is.
static bool readIntegrator(plReader* r, const json_t* json)
{
    static const plField field = {
        .key = "integrator", .kind = pl_fieldChoice, .choices = 1, .choice = integratorName};
    int ignored = 0;
    return plReader_Field(r, json, &field, &ignored);
}

// ------------------------------------------------------------------------------------ bodies

static bool readBody(plBuilder* b, const json_t* json, int index, Bodies* bodies)
{
    plJointedBodyDef* def = &bodies->defs[index];
    plPartShapes* shapes = &bodies->shapes[index];
    *def = plDefaultJointedBodyDef();
    if (!plReader_Object(b->reader, json, bodyFields, PL_COUNT(bodyFields), def) ||
        !plBuilder_ReadShapes(b, json, shapes) ||
        !plBuilder_BodyMass(b, json, shapes, &def->mass, &def->inertia))
        return false;
    plBuilder_NoteMass(b, def->mass);
    return plBuilder_TakeName(b, bodies->names, def->name, index);
}

static bool readBodies(plBuilder* b, const json_t* json, Bodies* bodies)
{
    enum { most = plMaxVelocities / 6 };
    plReader* r = b->reader;
    json_t* array;
    bodies->count = plBuilder_EnterBodies(b, json, most, &array);
    if (bodies->count > 0) {
        bodies->defs = plBuilder_Take(b, bodies->count, sizeof *bodies->defs);
        bodies->shapes = plBuilder_Take(b, bodies->count, sizeof *bodies->shapes);
    }
    for (int i = 0; i < bodies->count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        readBody(b, json_array_get(array, (size_t)i), i, bodies);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    return !r->failed;
}

// ------------------------------------------------------------------------------------ joints

/// The body under a key; without the key the ground.
static bool readEnd(plReader* r, const json_t* json, const char* key, const Bodies* bodies,
                    int* out)
{
    const json_t* value = json_object_get(json, key);
    const char* name = json_string_value(value);
    *out = -1;
    if (!value) return true;
    const json_t* found = name ? json_object_get(bodies->names, name) : NULL;
    if (found) {
        *out = (int)json_integer_value(found);
        return true;
    }
    plReader_Enter(r, key);
    plReader_Expect(r, value, "the name of a body of this assembly, or \"ground\"");
    plReader_Leave(r);
    return false;
}

/// A number for a joint with one free position, two in an array for one with two.
static bool readFree(plReader* r, const json_t* json, const char* key, bool negative,
                     plConstraint kind, double* out)
{
    const json_t* value = json_object_get(json, key);
    const bool universal = kind == pl_constraintUniversal;
    const int count = universal ? 0 : plConstraint_Positions(kind);
    if (!value || r->failed) return !r->failed;
    plReader_Enter(r, key);
    if (count == 0) {
        plReader_Expect(r, value, "none: only revolute, prismatic and cylindrical joints have it");
    } else {
        plReader_OneOrMore(r, value, count, out);
    }
    for (int i = 0; i < count && !r->failed && !negative; i++) {
        if (out[i] < 0) plReader_Expect(r, value, "numbers >= 0");
    }
    plReader_Leave(r);
    return !r->failed;
}

/// The shortest turn from z to an axis; half a turn about x where it is -z.
static plQuat turnTo(plVec3 axis)
{
    const plVec3 n = plScale(1 / plNorm(axis), axis);
    if (n.z < -1 + 1e-12) return (plQuat){0, 1, 0, 0};
    return plQuatUnit((plQuat){1 + n.z, -n.y, n.x, 0});
}

static plPose seenBy(const Bodies* bodies, int body, plPose world)
{
    if (body < 0) return world;
    const plPose at = bodies->defs[body].pose;
    const plMat3 R = plRotation(at.q);
    return (plPose){plMulT(&R, plSub(world.p, at.p)),
                    plQuatUnit(plQuatMul(plQuatConj(at.q), world.q))};
}

/// As given in the body's frame, or as the frame of the world is seen by it.
static bool readFrame(plReader* r, const json_t* json, const char* key, plPose* frame)
{
    const json_t* value = json_object_get(json, key);
    if (!value || r->failed) return !r->failed;
    *frame = (plPose){.q = {1, 0, 0, 0}};
    plReader_Enter(r, key);
    plReader_Object(r, value, frameFields, PL_COUNT(frameFields), frame);
    plReader_Leave(r);
    return !r->failed;
}

/// Keys that the type does not read are errors.
static bool checkKeys(plReader* r, const json_t* json, const plJointDef* def)
{
    static const struct {
        const char* key;
        plConstraint kind;
    } keys[] = {{"length", pl_constraintDistance},
                {"guide", pl_constraintGuide},
                {"radius", pl_constraintGuide},
                {"surface", pl_constraintGuide}};
    for (int i = 0; i < PL_COUNT(keys); i++) {
        if (!json_object_get(json, keys[i].key) || def->kind == keys[i].kind) continue;
        return plReader_FailAt(
            r, keys[i].key, "found in a joint of type \"%s\", expected in \"%s\" only",
            plConstraint_Name((int)def->kind), plConstraint_Name((int)keys[i].kind));
    }
    if (json_object_get(json, "axis") && json_object_get(json, "orientation"))
        return plReader_FailAt(r, "axis", "found beside \"orientation\", expected one of the two");
    return true;
}

/// The surface of a guide: a shape that nothing touches.
static bool readShape(plBuilder* b, const json_t* json, plPartShapeDef* shape)
{
    static const char* const others[] = {"material", "group", "mask"};
    plReader* r = b->reader;
    if (!plBuilder_ReadShape(b, json, shape)) return false;
    if (shape->shape.kind != pl_shapeNurbs)
        return plReader_FailAt(r, "type", "found \"%s\", expected \"nurbs\" of a guide",
                               plShapeKind_Name((int)shape->shape.kind));
    for (int i = 0; i < PL_COUNT(others); i++) {
        if (!json_object_get(json, others[i])) continue;
        return plReader_FailAt(r, others[i], "found in a guide, which nothing touches");
    }
    return plBuilder_TryShape(b, &shape->shape, NULL);
}

static bool readGuide(plBuilder* b, const json_t* json, plJointDef* def)
{
    plReader* r = b->reader;
    const json_t* surface = json_object_get(json, "surface");
    const bool patches = def->kind == pl_constraintGuide && def->guide == pl_guidePatches;
    if (!surface && !patches) return true;
    if (!surface || !patches)
        return plReader_FailAt(r, "surface", "%s",
                               surface ? "found, expected beside \"guide\": \"patches\" only"
                                       : "missing, expected a shape of the type \"nurbs\"");
    plPartShapeDef* shape = plBuilder_Take(b, 1, sizeof *shape);
    if (!shape) return false;
    plReader_Enter(r, "surface");
    if (readShape(b, surface, shape)) b->guideMemory += plShape_Memory(&shape->shape);
    plReader_Leave(r);
    def->surface = &shape->shape;
    return !r->failed;
}

static bool readJoint(plBuilder* b, const json_t* json, const Bodies* bodies, json_t* names,
                      int index, plJointDef* out)
{
    plReader* r = b->reader;
    Joint joint = {.def = plDefaultJointDef(), .orientation = {1, 0, 0, 0}};
    plJointDef* def = &joint.def;
    if (!plReader_Object(r, json, jointFields, PL_COUNT(jointFields), &joint) ||
        !checkKeys(r, json, def) || !readEnd(r, json, "a", bodies, &def->a) ||
        !readEnd(r, json, "b", bodies, &def->b) || !readGuide(b, json, def))
        return false;
    const bool hasAxis = json_object_get(json, "axis") != NULL;
    const plPose world = {joint.at, hasAxis ? turnTo(joint.axis) : joint.orientation};
    def->frameA = seenBy(bodies, def->a, world);
    def->frameB = seenBy(bodies, def->b, world);
    readFrame(r, json, "frameA", &def->frameA);
    readFrame(r, json, "frameB", &def->frameB);
    readFree(r, json, "stiffness", false, def->kind, def->stiffness);
    readFree(r, json, "damping", false, def->kind, def->damping);
    readFree(r, json, "rest", true, def->kind, def->rest);
    *out = *def;
    return !r->failed && plBuilder_TakeName(b, names, def->name, index);
}

static bool readJoints(plBuilder* b, const json_t* json, const Bodies* bodies, plJointedDef* def)
{
    plReader* r = b->reader;
    json_t *array, *names = json_object();
    const int count = plReader_EnterArray(r, json, "joints", maxJoints, &array);
    plJointDef* joints = count > 0 ? plBuilder_Take(b, count, sizeof *joints) : NULL;
    for (int i = 0; i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        readJoint(b, json_array_get(array, (size_t)i), bodies, names, i, &joints[i]);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    json_decref(names);
    def->joints = joints;
    def->jointCount = count > 0 ? count : 0;
    return !r->failed;
}

// ------------------------------------------------------------------------------------- whole

static bool addJointed(plBuilder* b, const json_t* json, plJointedDef* def, const Bodies* bodies)
{
    plBuiltMechanism* m = plBuilder_NewMechanism(b, json, def->name);
    if (!m) return false;
    m->isJointed = true;
    m->parts = bodies->count;
    m->velocities = 6 * bodies->count;
    for (int i = 0; i < def->jointCount; i++) {
        m->jointRows += plConstraint_Rows(def->joints[i].kind);
    }
    if (b->world && !plBuilder_Passed(b, plWorld_AddJointed(b->world, def, &m->id))) return false;
    return plBuilder_AddBodyShapes(b, bodies->shapes, bodies->count, m->id);
}

bool plBuilder_Jointed(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    plJointedDef def = plDefaultJointedDef();
    Bodies bodies = {.names = json_pack("{s:i}", "ground", -1)};
    const bool good = plReader_Object(r, json, jointedFields, PL_COUNT(jointedFields), &def) &&
                      readIntegrator(r, json) && readBodies(b, json, &bodies) &&
                      readJoints(b, json, &bodies, &def);
    json_decref(bodies.names);
    def.bodies = bodies.defs;
    def.bodyCount = bodies.count;
    return good && addJointed(b, json, &def, &bodies);
}
