#include "math/math.h"
#include "scene/build.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    plChainBodyDef def;
    double rod; ///< [m], 0: none
} Body;

/// The bodies of a chain.
typedef struct {
    int count, velocities;
    plChainBodyDef* defs;
    plPartShapes* shapes; ///< of each
} Bodies;

static const plField bodyFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(Body, def.name), .required = true},
    {.key = "parent", .kind = pl_fieldOther},
    {.key = "joint",
     .kind = pl_fieldChoice,
     .offset = offsetof(Body, def.joint),
     .required = true,
     .choices = pl_jointCount,
     .choice = plJoint_Name},
    {.key = "axis", .kind = pl_fieldAxis, .offset = offsetof(Body, def.axis)},
    {.key = "at", .kind = pl_fieldVec3, .offset = offsetof(Body, def.frame.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(Body, def.frame.q)},
    {.key = "mass",
     .kind = pl_fieldNumber,
     .offset = offsetof(Body, def.mass),
     .range = pl_rangeNotNegative,
     .unit = "kg"},
    {.key = "center", .kind = pl_fieldVec3, .offset = offsetof(Body, def.center), .unit = "m"},
    {.key = "inertia", .kind = pl_fieldInertia, .offset = offsetof(Body, def.inertia)},
    {.key = "density", .kind = pl_fieldOther},
    {.key = "rod",
     .kind = pl_fieldNumber,
     .offset = offsetof(Body, rod),
     .range = pl_rangePositive,
     .unit = "m"},
    {.key = "start", .kind = pl_fieldOther},
    {.key = "velocity", .kind = pl_fieldOther},
    {.key = "rest", .kind = pl_fieldOther},
    {.key = "stiffness",
     .kind = pl_fieldNumber,
     .offset = offsetof(Body, def.stiffness),
     .range = pl_rangeNotNegative,
     .unit = "N/m or N m/rad"},
    {.key = "damping",
     .kind = pl_fieldNumber,
     .offset = offsetof(Body, def.damping),
     .range = pl_rangeNotNegative,
     .unit = "N s/m or N m s/rad"},
    {.key = "beam", .kind = pl_fieldOther},
    {.key = "shapes", .kind = pl_fieldOther},
};

static const plField beamFields[] = {
    {.key = "length",
     .kind = pl_fieldNumber,
     .offset = offsetof(plBeamDef, length),
     .required = true,
     .range = pl_rangePositive,
     .unit = "m"},
    {.key = "mass",
     .kind = pl_fieldNumber,
     .offset = offsetof(plBeamDef, mass),
     .required = true,
     .range = pl_rangePositive,
     .unit = "kg"},
    {.key = "damping",
     .kind = pl_fieldNumber,
     .offset = offsetof(plBeamDef, damping),
     .range = pl_rangeNotNegative},
    {.key = "modes", .kind = pl_fieldOther, .required = true, .unit = "[towards y, towards z]"},
    {.key = "bending", .kind = pl_fieldOther},
    {.key = "frequencies", .kind = pl_fieldOther},
    {.key = "start", .kind = pl_fieldOther},
    {.key = "velocity", .kind = pl_fieldOther},
};

static const plField tendonFields[] = {
    {.key = "J", .kind = pl_fieldOther, .required = true, .unit = "a number for each velocity"},
    {.key = "stiffness",
     .kind = pl_fieldNumber,
     .offset = offsetof(plTendonDef, stiffness),
     .required = true,
     .range = pl_rangeNotNegative,
     .unit = "N/m"},
    {.key = "radius", .kind = pl_fieldNumber, .offset = offsetof(plTendonDef, radius), .unit = "m"},
    {.key = "angle", .kind = pl_fieldNumber, .offset = offsetof(plTendonDef, angle), .unit = "rad"},
    {.key = "command",
     .kind = pl_fieldNumber,
     .offset = offsetof(plTendonDef, command),
     .unit = "rad"},
    {.key = "speed",
     .kind = pl_fieldNumber,
     .offset = offsetof(plTendonDef, speed),
     .range = pl_rangePositive,
     .unit = "rad/s"},
};

static const plField potentialFields[] = {
    {.key = "coordinate",
     .kind = pl_fieldInt,
     .offset = offsetof(plPotentialDef, coordinate),
     .range = pl_rangeNotNegative},
    {.key = "polynomial", .kind = pl_fieldOther},
    {.key = "table", .kind = pl_fieldOther},
    {.key = "bound",
     .kind = pl_fieldNumber,
     .offset = offsetof(plPotentialDef, bound),
     .range = pl_rangeNotNegative,
     .unit = "N/m or N m/rad"},
};

static const plField chainFields[] = {
    PL_MECHANISM_FIELDS(plChainDef),
    {.key = "route",
     .kind = pl_fieldChoice,
     .offset = offsetof(plChainDef, route),
     .choices = pl_routeCount,
     .choice = plRoute_Name},
    {.key = "action",
     .kind = pl_fieldChoice,
     .offset = offsetof(plChainDef, action),
     .choices = pl_actionCount,
     .choice = plAction_Name},
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(plChainDef, base.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plChainDef, base.q)},
    {.key = "bodies",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "an array of at least one body"},
    {.key = "K", .kind = pl_fieldOther},
    {.key = "B", .kind = pl_fieldOther},
    {.key = "tendons", .kind = pl_fieldOther},
    {.key = "potentials", .kind = pl_fieldOther},
};

/// A uniform thin rod from the joint along x of the child: no inertia about its own axis.
static void makeRod(double length, plChainBodyDef* body)
{
    double J = body->mass * length * length / 12;
    body->center = plVec(length / 2, 0, 0);
    body->inertia = plDiagonal3(0, J, J);
}

static bool readRod(plReader* r, const json_t* json, double length, plChainBodyDef* body)
{
    if (length == 0) return true;
    if (json_object_get(json, "center") || json_object_get(json, "inertia"))
        return plReader_FailAt(r, "rod",
                               "found beside \"center\" or \"inertia\", expected without them");
    makeRod(length, body);
    return true;
}

static bool findMass(plReader* r, const json_t* json, const plPartShapes* s, plChainBodyDef* body)
{
    if (s->density > 0) {
        body->mass = s->mass.mass;
        body->center = s->mass.center;
        body->inertia = s->mass.inertia;
        return true;
    }
    if (json_object_get(json, "mass") || json_object_get(json, "beam")) return true;
    return plReader_Fail(r, pl_statusSceneContent,
                         "missing \"mass\", expected it, or \"density\" and \"shapes\"");
}

/// Index in positions of a joint's quaternion, -1: it has none.
static int quatOf(plJoint joint)
{
    return joint == pl_jointSpherical ? 0 : joint == pl_jointFree ? 3 : -1;
}

/// A number, or an array of as many numbers as the joint has coordinates.
static bool readCoordinates(plReader* r, const json_t* json, const char* key, int count, int quat,
                            double* out)
{
    const json_t* value = json_object_get(json, key);
    if (quat >= 0) out[quat] = 1;
    if (!value) return true;
    plReader_Enter(r, key);
    if (plReader_OneOrMore(r, value, count, out) && quat >= 0) plReader_UnitQuat(r, out + quat);
    plReader_Leave(r);
    return !r->failed;
}

const double* plBuilder_Numbers(plBuilder* b, const json_t* json, const char* key, int count)
{
    const json_t* value = json_object_get(json, key);
    if (!value || b->reader->failed) return NULL;
    double* out = plBuilder_Take(b, count, sizeof *out);
    plReader_Enter(b->reader, key);
    if (out) plReader_Numbers(b->reader, value, NULL, count, out);
    plReader_Leave(b->reader);
    return out;
}

/// Counts of modes towards y and z.
static bool readModes(plReader* r, const json_t* json, int modes[2])
{
    const json_t* value = json_object_get(json, "modes");
    double counts[2] = {0, 0};
    plReader_Enter(r, "modes");
    plReader_Numbers(r, value, NULL, 2, counts);
    for (int i = 0; i < 2 && !r->failed; i++) {
        if (counts[i] >= 0 && counts[i] <= plBeamModes && counts[i] == floor(counts[i])) {
            modes[i] = (int)counts[i];
        } else {
            plReader_Expect(r, value, "two counts from 0 to %d", plBeamModes);
        }
    }
    plReader_Leave(r);
    return !r->failed;
}

static bool readBeam(plBuilder* b, const json_t* body, plBeamDef* beam)
{
    plReader* r = b->reader;
    const json_t* json = json_object_get(body, "beam");
    if (!json) return true;
    plReader_Enter(r, "beam");
    if (plReader_Object(r, json, beamFields, PL_COUNT(beamFields), beam) &&
        readModes(r, json, beam->modes)) {
        const int count = beam->modes[0] + beam->modes[1];
        const double* bending = plBuilder_Numbers(b, json, "bending", 2);
        beam->frequency = plBuilder_Numbers(b, json, "frequencies", count);
        beam->position = plBuilder_Numbers(b, json, "start", count);
        beam->velocity = plBuilder_Numbers(b, json, "velocity", count);
        for (int i = 0; bending && i < 2; i++) beam->bending[i] = bending[i];
        if (!r->failed && !bending == !beam->frequency) {
            plReader_Fail(r, pl_statusSceneContent,
                          "expected either \"bending\" or \"frequencies\"");
        }
    }
    plReader_Leave(r);
    return !r->failed;
}

static bool readParent(plReader* r, const json_t* json, const json_t* names, int index, int* out)
{
    const json_t* parent = json_object_get(json, "parent");
    const char* name = json_string_value(parent);
    *out = index - 1;
    if (!parent) return true;
    json_t* found = name ? json_object_get(names, name) : NULL;
    if (found) {
        *out = (int)json_integer_value(found);
        return true;
    }
    plReader_Enter(r, "parent");
    plReader_Expect(r, parent, "the name of an earlier body of this chain, or \"base\"");
    plReader_Leave(r);
    return false;
}

static bool readBody(plBuilder* b, const json_t* json, json_t* names, int index,
                     plChainBodyDef* out, plPartShapes* shapes)
{
    plReader* r = b->reader;
    Body body = {.def = plDefaultChainBodyDef()};
    body.def.axis = plVec(0, 0, 1);
    if (!plReader_Object(r, json, bodyFields, PL_COUNT(bodyFields), &body)) return false;
    *out = body.def;
    int positions = plJoint_Positions(out->joint), velocities = plJoint_Velocities(out->joint);
    int quat = quatOf(out->joint);
    return readParent(r, json, names, index, &out->parent) &&
           plBuilder_ReadShapes(b, json, shapes) && findMass(r, json, shapes, out) &&
           readRod(r, json, body.rod, out) && readBeam(b, json, &out->beam) &&
           readCoordinates(r, json, "start", positions, quat, out->position) &&
           readCoordinates(r, json, "rest", positions, quat, out->rest) &&
           readCoordinates(r, json, "velocity", velocities, -1, out->velocity) &&
           plBuilder_TakeName(b, names, out->name, index);
}

static bool readBodies(plBuilder* b, const json_t* array, Bodies* bodies)
{
    json_t* names = json_pack("{s:i}", "base", -1);
    for (int i = 0; i < bodies->count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        if (readBody(b, json_array_get(array, (size_t)i), names, i, &bodies->defs[i],
                     &bodies->shapes[i])) {
            const int* modes = bodies->defs[i].beam.modes;
            bodies->velocities += plJoint_Velocities(bodies->defs[i].joint) + modes[0] + modes[1];
            plBuilder_NoteMass(b, bodies->defs[i].mass);
            if (bodies->velocities > plMaxVelocities)
                plReader_Fail(b->reader, pl_statusSceneContent,
                              "found %d velocities up to here, expected at most %d in a chain",
                              bodies->velocities, plMaxVelocities);
        }
        plReader_Leave(b->reader);
    }
    json_decref(names);
    return !b->reader->failed;
}

/// An n x n matrix by rows, or null when the key is missing. The caller frees it.
static bool readMatrix(plReader* r, const json_t* json, const char* key, int n, double** out)
{
    const json_t* value = json_object_get(json, key);
    *out = NULL;
    if (!value) return true;
    plReader_Enter(r, key);
    if (!json_is_array(value) || json_array_size(value) != (size_t)n || n == 0) {
        plReader_Expect(r, value, "an array of %d rows of %d numbers: the chain's velocities", n,
                        n);
    } else if (!(*out = calloc((size_t)n * (size_t)n, sizeof(double)))) {
        plReader_Fail(r, pl_statusNoMemory, "%s", plStatus_Sentence(pl_statusNoMemory));
    }
    for (int i = 0; i < n && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        plReader_Numbers(r, json_array_get(value, (size_t)i), NULL, n,
                         *out + (size_t)i * (size_t)n);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    return !r->failed;
}

static bool readTendons(plBuilder* b, const json_t* json, int n, plChainDef* def)
{
    enum { maxTendons = 256 };
    plReader* r = b->reader;
    json_t* array;
    const int count = plReader_EnterArray(r, json, "tendons", maxTendons, &array);
    plTendonDef* tendons = count > 0 ? plBuilder_Take(b, count, sizeof *tendons) : NULL;
    for (int i = 0; i < count && !r->failed; i++) {
        const json_t* one = json_array_get(array, (size_t)i);
        plReader_EnterIndex(r, i);
        tendons[i] = plDefaultTendonDef();
        if (plReader_Object(r, one, tendonFields, PL_COUNT(tendonFields), &tendons[i])) {
            // the motor stands where it is, unless it is told to go
            if (!json_object_get(one, "command")) tendons[i].command = tendons[i].angle;
            tendons[i].J = plBuilder_Numbers(b, one, "J", n);
        }
        plReader_Leave(r);
    }
    plReader_Leave(r);
    def->tendons = tendons;
    def->tendonCount = count > 0 ? count : 0;
    return !r->failed;
}

/// Coefficients, or points of two numbers.
static bool readPotentialNumbers(plBuilder* b, const json_t* json, plPotentialDef* p)
{
    enum { maxNumbers = 4096 };
    plReader* r = b->reader;
    const bool table = json_object_get(json, "table") != NULL;
    if (table == (json_object_get(json, "polynomial") != NULL)) {
        return plReader_Fail(r, pl_statusSceneContent,
                             "expected either \"polynomial\" or \"table\"");
    }
    json_t* array;
    const int count =
        plReader_EnterArray(r, json, table ? "table" : "polynomial", maxNumbers, &array);
    double* numbers =
        count > 0 ? plBuilder_Take(b, (table ? 2 : 1) * count, sizeof *numbers) : NULL;
    if (!table && numbers) plReader_Numbers(r, array, NULL, count, numbers);
    for (int i = 0; table && i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        plReader_Numbers(r, json_array_get(array, (size_t)i), NULL, 2, numbers + 2 * i);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    p->kind = table ? pl_potentialTable : pl_potentialPolynomial;
    p->count = count > 0 ? count : 0;
    p->numbers = numbers;
    return !r->failed;
}

static bool readPotentials(plBuilder* b, const json_t* json, plChainDef* def)
{
    enum { maxPotentials = 256 };
    plReader* r = b->reader;
    json_t* array;
    const int count = plReader_EnterArray(r, json, "potentials", maxPotentials, &array);
    plPotentialDef* all = count > 0 ? plBuilder_Take(b, count, sizeof *all) : NULL;
    for (int i = 0; i < count && !r->failed; i++) {
        const json_t* one = json_array_get(array, (size_t)i);
        plReader_EnterIndex(r, i);
        all[i] = (plPotentialDef){0};
        if (plReader_Object(r, one, potentialFields, PL_COUNT(potentialFields), &all[i])) {
            readPotentialNumbers(b, one, &all[i]);
        }
        plReader_Leave(r);
        if (!r->failed) b->potentialMemory += (size_t)(4 * all[i].count + 16) * sizeof(double);
    }
    plReader_Leave(r);
    def->potentials = all;
    def->potentialCount = count > 0 ? count : 0;
    return !r->failed;
}

static bool addChain(plBuilder* b, const json_t* json, plChainDef* def, const Bodies* bodies)
{
    double *K = NULL, *B = NULL;
    const int n = bodies->velocities;
    plBuiltMechanism* m = NULL;
    bool good = readMatrix(b->reader, json, "K", n, &K) &&
                readMatrix(b->reader, json, "B", n, &B) && readTendons(b, json, n, def) &&
                readPotentials(b, json, def) && (m = plBuilder_NewMechanism(b, json, def->name));
    if (good) {
        m->isChain = true;
        m->parts = bodies->count;
        m->velocities = n;
    }
    def->K = K;
    def->B = B;
    if (good && b->world) good = plBuilder_Passed(b, plWorld_AddChain(b->world, def, &m->id));
    free(K);
    free(B);
    return good && plBuilder_AddBodyShapes(b, bodies->shapes, bodies->count, m->id);
}

bool plBuilder_Chain(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    plChainDef def = plDefaultChainDef();
    Bodies bodies = {0};
    json_t* array;
    def.integrator = b->integrator;
    if (!plReader_Object(r, json, chainFields, PL_COUNT(chainFields), &def)) return false;
    bodies.count = plBuilder_EnterBodies(b, json, plMaxBodies, &array);
    if (bodies.count > 0) {
        bodies.defs = plBuilder_Take(b, bodies.count, sizeof *bodies.defs);
        bodies.shapes = plBuilder_Take(b, bodies.count, sizeof *bodies.shapes);
        if (!r->failed) readBodies(b, array, &bodies);
    }
    plReader_Leave(r);
    def.bodyCount = bodies.count;
    def.bodies = bodies.defs;
    return !r->failed && addChain(b, json, &def, &bodies);
}
