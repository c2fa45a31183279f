// What hands hold: devices, the couplings that join them to tools, and frames that somebody moves.
#include "math/math.h"
#include "scene/build.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Choices are read as int into fields of these types.
static_assert(sizeof(plHandKind) == sizeof(int) && sizeof(plCouplingKind) == sizeof(int) &&
                  sizeof(plLimit) == sizeof(int) && sizeof(plFeedback) == sizeof(int),
              "an enum is as wide as an int");

// -------------------------------------------------------------------------- prescribed frames

static const plField prescribedFields[] = {
    {.key = "type", .kind = pl_fieldOther},
    {.key = "name",
     .kind = pl_fieldName,
     .offset = offsetof(plPrescribedDef, name),
     .required = true},
    {.key = "position",
     .kind = pl_fieldVec3,
     .offset = offsetof(plPrescribedDef, pose.p),
     .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plPrescribedDef, pose.q)},
    {.key = "shapes", .kind = pl_fieldOther},
};

/// A frame in the list of mechanisms. Null: the reader has failed.
static plBuiltMechanism* newFrame(plBuilder* b, const json_t* json, const char* name)
{
    plBuiltMechanism* m = plBuilder_NewMechanism(b, json, name);
    if (!m) return NULL;
    m->parts = 1;
    m->velocities = 6;
    return m;
}

bool plBuilder_Prescribed(plBuilder* b, const json_t* json)
{
    plPrescribedDef def = plDefaultPrescribedDef();
    plPartShapes shapes;
    if (!plReader_Object(b->reader, json, prescribedFields, PL_COUNT(prescribedFields), &def) ||
        !plBuilder_ReadShapes(b, json, &shapes))
        return false;
    plBuiltMechanism* m = newFrame(b, json, def.name);
    if (!m) return false;
    if (b->world && !plBuilder_Passed(b, plWorld_AddPrescribed(b->world, &def, &m->id)))
        return false;
    return plBuilder_AddShapes(b, &shapes, m->id, 0);
}

// ------------------------------------------------------------------------------ per axis

/// A value per axis of the world: three numbers, or one for all.
typedef struct {
    const char* key;
    size_t offset; ///< of a plVec3
    plRange range;
    const char* unit;
} Axes;

/// Three numbers, the reader is at them.
static bool readThree(plReader* r, const json_t* value, const Axes* a, double x[3])
{
    if (!json_is_array(value))
        return plReader_Expect(r, value, "a number, or an array of 3 numbers [%s]", a->unit);
    plReader_Numbers(r, value, a->unit, 3, x);
    for (int i = 0; i < 3 && !r->failed; i++) {
        if (x[i] > 0 || (x[i] == 0 && a->range == pl_rangeNotNegative)) continue;
        plReader_EnterIndex(r, i);
        plReader_Expect(r, json_array_get(value, (size_t)i), "a number %s 0 [%s]",
                        a->range == pl_rangePositive ? ">" : ">=", a->unit);
        plReader_Leave(r);
    }
    return !r->failed;
}

static bool readAxes(plReader* r, const json_t* json, const Axes* a, void* out)
{
    const plField one = {.key = a->key, .kind = pl_fieldNumber, .range = a->range, .unit = a->unit};
    const json_t* value = json_object_get(json, a->key);
    double x[3];
    if (!value) return true;
    if (json_is_number(value)) {
        if (!plReader_Field(r, json, &one, x)) return false;
        x[1] = x[2] = x[0];
    } else {
        plReader_Enter(r, a->key);
        readThree(r, value, a, x);
        plReader_Leave(r);
        if (r->failed) return false;
    }
    const plVec3 v = plGet3(x);
    memcpy((char*)out + a->offset, &v, sizeof v);
    return true;
}

static bool readAllAxes(plReader* r, const json_t* json, const Axes* list, int count, void* out)
{
    for (int i = 0; i < count; i++)
        if (!readAxes(r, json, &list[i], out)) return false;
    return true;
}

// -------------------------------------------------------------------------------- the hand

#define HAND_NUMBER(name, itsRange, itsUnit)                                                       \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(plHandDef, name),                 \
        .range = itsRange, .unit = itsUnit                                                         \
    }

static const plField handFields[] = {
    {.key = "type",
     .kind = pl_fieldChoice,
     .offset = offsetof(plHandDef, kind),
     .choices = pl_handCount,
     .choice = plHandKind_Name},
    {.key = "force",
     .kind = pl_fieldVec3,
     .offset = offsetof(plHandDef, wrench.force),
     .unit = "N"},
    {.key = "torque",
     .kind = pl_fieldVec3,
     .offset = offsetof(plHandDef, wrench.torque),
     .unit = "N m"},
    HAND_NUMBER(bias, pl_rangeAny, "1"),
    HAND_NUMBER(amplitude, pl_rangeAny, "1"),
    HAND_NUMBER(frequency, pl_rangeNotNegative, "Hz"),
    HAND_NUMBER(phase, pl_rangeAny, "rad"),
    HAND_NUMBER(start, pl_rangeAny, "s"),
    HAND_NUMBER(stop, pl_rangeAny, "s"),
    HAND_NUMBER(stiffness, pl_rangeNotNegative, "N/m"),
    HAND_NUMBER(damping, pl_rangeNotNegative, "N s/m"),
    HAND_NUMBER(turnStiffness, pl_rangeNotNegative, "N m/rad"),
    HAND_NUMBER(turnDamping, pl_rangeNotNegative, "N m s/rad"),
    {.key = "waypoints", .kind = pl_fieldOther},
    {.key = "motion", .kind = pl_fieldOther},
};

static const plField waypointFields[] = {
    {.key = "time",
     .kind = pl_fieldNumber,
     .offset = offsetof(plWaypoint, time),
     .required = true,
     .unit = "s"},
    {.key = "position",
     .kind = pl_fieldVec3,
     .offset = offsetof(plWaypoint, pose.p),
     .required = true,
     .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plWaypoint, pose.q)},
};

/// What makes a hand yield is an error in one that does not: it would be without effect.
static bool checkYields(plReader* r, const json_t* json, const plHandDef* hand)
{
    static const char* const keys[] = {"stiffness",   "damping",   "turnStiffness",
                                       "turnDamping", "waypoints", "motion"};
    for (int i = 0; i < PL_COUNT(keys) && hand->kind != pl_handImpedance; i++) {
        if (!json_object_get(json, keys[i])) continue;
        return plReader_FailAt(r, keys[i],
                               "found in a hand that is a force only, expected \"type\": "
                               "\"impedance\" beside it");
    }
    return true;
}

static bool readWaypoints(plBuilder* b, const json_t* json, plHandDef* hand)
{
    plReader* r = b->reader;
    plWaypoint* points = NULL;
    json_t* array;
    const int count = plReader_EnterArray(r, json, "waypoints", plMaxWaypoints, &array);
    if (count > 0) points = plBuilder_Take(b, count, sizeof *points);
    for (int i = 0; i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        points[i].pose.q = (plQuat){1, 0, 0, 0};
        if (plReader_Object(r, json_array_get(array, (size_t)i), waypointFields,
                            PL_COUNT(waypointFields), &points[i]) &&
            i > 0 && !(points[i].time > points[i - 1].time))
            plReader_FailAt(r, "time", "found %g after %g, expected a later time", points[i].time,
                            points[i - 1].time);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    hand->pointCount = count;
    hand->points = points;
    if (!r->failed && count == 0 && hand->kind == pl_handImpedance)
        plReader_FailAt(r, "waypoints", "found none, expected at least one: where the hand is");
    return !r->failed;
}

/// A file in place of waypoints.
static bool readMotion(plBuilder* b, const json_t* json, plHandDef* hand)
{
    const plField field = {.key = "motion", .kind = pl_fieldText};
    const char* path = NULL;
    if (!plReader_Field(b->reader, json, &field, &path)) return false;
    if (json_object_get(json, "waypoints"))
        return plReader_FailAt(b->reader, "motion", "found beside waypoints, expected one of them");
    return plFiles_Motion(b->files, b->reader, path, &hand->points, &hand->pointCount);
}

static bool readHand(plBuilder* b, const json_t* device, plHandDef* hand)
{
    plReader* r = b->reader;
    const json_t* json = json_object_get(device, "hand");
    if (!json) return true;
    plReader_Enter(r, "hand");
    if (plReader_Object(r, json, handFields, PL_COUNT(handFields), hand) &&
        checkYields(r, json, hand)) {
        if (json_object_get(json, "motion"))
            readMotion(b, json, hand);
        else
            readWaypoints(b, json, hand);
    }
    plReader_Leave(r);
    return !r->failed;
}

// --------------------------------------------------------------------------------- devices

#define DEVICE_NUMBER(name, itsUnit)                                                               \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(plDeviceDef, name),               \
        .range = pl_rangeNotNegative, .unit = itsUnit                                              \
    }

static const plField deviceFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(plDeviceDef, name), .required = true},
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(plDeviceDef, pose.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plDeviceDef, pose.q)},
    {.key = "velocity",
     .kind = pl_fieldVec3,
     .offset = offsetof(plDeviceDef, velocity),
     .unit = "m/s"},
    {.key = "spin", .kind = pl_fieldVec3, .offset = offsetof(plDeviceDef, spin), .unit = "rad/s"},
    {.key = "mass", .kind = pl_fieldOther},
    {.key = "inertia", .kind = pl_fieldOther},
    DEVICE_NUMBER(damping, "N s/m"),
    DEVICE_NUMBER(turnDamping, "N m s/rad"),
    DEVICE_NUMBER(friction, "N"),
    DEVICE_NUMBER(turnFriction, "N m"),
    DEVICE_NUMBER(encoderStep, "m"),
    DEVICE_NUMBER(turnStep, "rad"),
    {.key = "model", .kind = pl_fieldOther},
    {.key = "delay",
     .kind = pl_fieldInt,
     .offset = offsetof(plDeviceDef, delay),
     .range = pl_rangeNotNegative,
     .max = plDeviceDelay,
     .unit = "ticks"},
    {.key = "rate",
     .kind = pl_fieldNumber,
     .offset = offsetof(plDeviceDef, rate),
     .range = pl_rangeNotNegative,
     .max = plDeviceRate,
     .unit = "Hz"},
    {.key = "cutaneous", .kind = pl_fieldBool, .offset = offsetof(plDeviceDef, cutaneous)},
    {.key = "feelsHand", .kind = pl_fieldBool, .offset = offsetof(plDeviceDef, feelsHand)},
    {.key = "forceLimit", .kind = pl_fieldOther},
    {.key = "torqueLimit", .kind = pl_fieldOther},
    {.key = "pantograph", .kind = pl_fieldOther},
    {.key = "hand", .kind = pl_fieldOther},
};

static const Axes deviceAxes[] = {
    {"mass", offsetof(plDeviceDef, mass), pl_rangePositive, "kg"},
    {"inertia", offsetof(plDeviceDef, inertia), pl_rangePositive, "kg m^2"},
    {"forceLimit", offsetof(plDeviceDef, forceLimit), pl_rangePositive, "N"},
    {"torqueLimit", offsetof(plDeviceDef, torqueLimit), pl_rangePositive, "N m"},
};

/// Limits of a real device; those of the scene's own win.
static bool readModel(plReader* r, const json_t* json, plDeviceDef* def)
{
    const plField field = {.key = "model",
                           .kind = pl_fieldChoice,
                           .choices = plDeviceModel_Count(),
                           .choice = plDeviceModel_Name};
    int model = -1;
    if (!plReader_Field(r, json, &field, &model)) return false;
    if (model >= 0) plDeviceDef_Model(def, plDeviceModel_Name(model));
    return true;
}

// What a person holds gives no more than this, where the scene does not say: about the strongest device
// on a desk.
static void bound(plDeviceDef* def)
{
    const double force = 40, torque = 4; // [N], [N m]
    double* const limits[] = {&def->forceLimit.x,  &def->forceLimit.y,  &def->forceLimit.z,
                              &def->torqueLimit.x, &def->torqueLimit.y, &def->torqueLimit.z};
    for (int i = 0; i < PL_COUNT(limits); ++i) {
        if (isinf(*limits[i])) *limits[i] = i < 3 ? force : torque;
    }
}

static bool buildDevice(plBuilder* b, const json_t* json, int index)
{
    plReader* r = b->reader;
    plDeviceDef def = plDefaultDeviceDef();
    if (json_is_object(json) && !readModel(r, json, &def)) return false;
    if (!plReader_Object(r, json, deviceFields, PL_COUNT(deviceFields), &def) ||
        !readAllAxes(r, json, deviceAxes, PL_COUNT(deviceAxes), &def) ||
        !plBuilder_Pantograph(b, json, &def) || !readHand(b, json, &def.hand) ||
        !plBuilder_TakeName(b, b->names, def.name, -1) ||
        !plBuilder_TakeName(b, b->devices, def.name, index))
        return false;
    // the motors of a pantograph have limits of their own
    if (b->touched || def.kind == pl_deviceHandle) bound(&def);
    b->deviceCount++;
    b->pointCount += def.hand.pointCount;
    b->deviceIds[index] = (plDeviceId){(uint32_t)index + 1, 1};
    if (!b->world) return true;
    return plBuilder_Passed(b, plWorld_AddDevice(b->world, &def, &b->deviceIds[index]));
}

bool plBuilder_Devices(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "devices", plMaxDevices, &array);
    if (count > 0) b->deviceIds = plBuilder_Take(b, count, sizeof *b->deviceIds);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildDevice(b, json_array_get(array, (size_t)i), i);
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}

// ------------------------------------------------------------------------------- couplings

typedef struct {
    const char* device;
    plSpot tool;
    plCouplingDef def;
} Coupling;

static const plField couplingFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(Coupling, def.name), .required = true},
    {.key = "type",
     .kind = pl_fieldChoice,
     .offset = offsetof(Coupling, def.kind),
     .choices = pl_couplingCount,
     .choice = plCouplingKind_Name},
    {.key = "device", .kind = pl_fieldName, .offset = offsetof(Coupling, device), .required = true},
    {.key = "mechanism", .kind = pl_fieldName, .offset = offsetof(Coupling, tool.mechanism)},
    {.key = "part", .kind = pl_fieldName, .offset = offsetof(Coupling, tool.part)},
    {.key = "point", .kind = pl_fieldVec3, .offset = offsetof(Coupling, tool.point), .unit = "m"},
    {.key = "stiffness", .kind = pl_fieldOther},
    {.key = "damping", .kind = pl_fieldOther},
    {.key = "turnStiffness", .kind = pl_fieldOther},
    {.key = "turnDamping", .kind = pl_fieldOther},
    {.key = "limit",
     .kind = pl_fieldChoice,
     .offset = offsetof(Coupling, def.limit),
     .choices = pl_limitCount,
     .choice = plLimit_Name},
    {.key = "forceLimit", .kind = pl_fieldOther},
    {.key = "torqueLimit", .kind = pl_fieldOther},
    {.key = "scale",
     .kind = pl_fieldNumber,
     .offset = offsetof(Coupling, def.scale),
     .range = pl_rangeNotNegative,
     .unit = "1"},
    {.key = "feedback",
     .kind = pl_fieldChoice,
     .offset = offsetof(Coupling, def.feedback),
     .choices = pl_feedbackCount,
     .choice = plFeedback_Name},
    {.key = "tank",
     .kind = pl_fieldNumber,
     .offset = offsetof(Coupling, def.tank),
     .range = pl_rangePositive,
     .unit = "J"},
    {.key = "filter",
     .kind = pl_fieldInt,
     .offset = offsetof(Coupling, def.filter),
     .range = pl_rangePositive,
     .max = plFilterTicks,
     .unit = "ticks"},
    {.key = "axis", .kind = pl_fieldAxis, .offset = offsetof(Coupling, def.grip.axis)},
    {.key = "range", .kind = pl_fieldOther},
    {.key = "projection",
     .kind = pl_fieldChoice,
     .offset = offsetof(Coupling, def.grip.projection),
     .choices = pl_projectionCount,
     .choice = plProjection_Name},
    {.key = "fingers", .kind = pl_fieldOther},
};

enum { springAxes = 4 }; // the first ones of the list

static const Axes couplingAxes[] = {
    {"stiffness", offsetof(plCouplingDef, stiffness), pl_rangeNotNegative, "N/m"},
    {"damping", offsetof(plCouplingDef, damping), pl_rangeNotNegative, "N s/m"},
    {"turnStiffness", offsetof(plCouplingDef, turnStiffness), pl_rangeNotNegative, "N m/rad"},
    {"turnDamping", offsetof(plCouplingDef, turnDamping), pl_rangeNotNegative, "N m s/rad"},
    {"forceLimit", offsetof(plCouplingDef, forceLimit), pl_rangePositive, "N"},
    {"torqueLimit", offsetof(plCouplingDef, torqueLimit), pl_rangePositive, "N m"},
};

/// The link of a virtual coupling is the same along all axes: others would be without effect.
static bool checkEqualAxes(plReader* r, const plCouplingDef* def)
{
    for (int i = 0; i < springAxes; i++) {
        plVec3 v;
        memcpy(&v, (const char*)def + couplingAxes[i].offset, sizeof v);
        if (v.x == v.y && v.x == v.z) continue;
        return plReader_FailAt(r, couplingAxes[i].key,
                               "found different axes in a virtual coupling, expected one number");
    }
    return true;
}

enum {
    four = 1 << pl_couplingFourChannel,
    virtually = 1 << pl_couplingVirtual,
    unilateral = 1 << pl_couplingUnilateral,
    direct = 1 << pl_couplingDirect,
    fingertip = 1 << pl_couplingFingertip,
    grip = 1 << pl_couplingGrip,
    setPosition = 1 << pl_couplingSetPosition,
    carried = virtually | setPosition
};

/// Keys that only some types read: in others they would be without effect.
static const struct {
    const char* key;
    int types;
} ownKeys[] = {
    {"mechanism", ~grip},
    {"part", ~grip},
    {"point", ~(grip | direct)},
    {"stiffness", ~(direct | fingertip)},
    {"damping", four | carried | unilateral},
    {"turnStiffness", four | carried | unilateral},
    {"turnDamping", four | carried | unilateral},
    {"limit", four | carried | unilateral}, // the world says what it is for
    {"forceLimit", four | carried | unilateral},
    {"torqueLimit", four | carried | unilateral},
    {"scale", carried},
    {"tank", setPosition},
    {"feedback", virtually},
    {"filter", fingertip},
    {"axis", grip},
    {"range", grip},
    {"projection", grip},
    {"fingers", grip},
};

static bool checkKeys(plReader* r, const json_t* json, const plCouplingDef* def)
{
    const bool isDirect = def->kind == pl_couplingDirect;
    for (int i = 0; i < PL_COUNT(ownKeys); i++) {
        if (ownKeys[i].types & 1 << def->kind || !json_object_get(json, ownKeys[i].key)) continue;
        return plReader_FailAt(r, ownKeys[i].key,
                               "found in a %s coupling, which %shas no use for it",
                               plCouplingKind_Name((int)def->kind),
                               isDirect ? "puts the tool at the device and " : "");
    }
    if (def->kind == pl_couplingGrip || json_object_get(json, "mechanism")) return true;
    return plReader_Fail(r, pl_statusSceneContent,
                         "missing \"mechanism\", expected a name of 1 to 31 letters, digits, "
                         "\"-\" or \"_\"");
}

/// Counts the rows of a virtual coupling's link for the group of its tool. Nothing else is linked to
/// its frame, so that no two groups become one.
static bool join(plBuilder* b, int tool, int frame, int rows)
{
    while (b->mechanisms[tool].group != tool) tool = b->mechanisms[tool].group;
    b->mechanisms[frame].group = tool;
    b->mechanisms[tool].rows += rows;
    b->linkRows += rows;
    if (b->mechanisms[tool].rows <= plMaxRows) return true;
    return plReader_Fail(b->reader, pl_statusSceneContent,
                         "found %d rows in the group that it joins, expected at most %d",
                         b->mechanisms[tool].rows, plMaxRows);
}

/// The frame NAME-hand and the link NAME that a virtual coupling brings, which the world adds itself.
static bool countVirtual(plBuilder* b, const json_t* json, const plCouplingDef* def, int tool)
{
    enum { longest = 24 }; // the world cuts what is longer, and names may then meet
    char name[plNameSize + 8];
    if (strlen(def->name) > longest)
        return plReader_FailAt(b->reader, "name",
                               "found \"%s\" for a virtual coupling, expected at most %d "
                               "characters: its frame is NAME-hand",
                               def->name, longest);
    snprintf(name, sizeof name, "%s-hand", def->name);
    if (!checkEqualAxes(b->reader, def) || !newFrame(b, json, name)) return false;
    b->linkCount++;
    const bool turns = def->turnStiffness.x + def->turnDamping.x > 0;
    return join(b, tool, b->mechanismCount - 1, turns ? 6 : 3);
}

static bool findDevice(plBuilder* b, const char* name, plDeviceId* id)
{
    const json_t* known = json_object_get(b->devices, name);
    if (!known)
        return plReader_FailAt(b->reader, "device", "found \"%s\", expected the name of a device",
                               name);
    *id = b->deviceIds[json_integer_value(known)];
    return true;
}

static bool readTool(plBuilder* b, const json_t* json, Coupling* c, int* tool)
{
    *tool = -1;
    if (c->def.kind == pl_couplingGrip) return plBuilder_Grip(b, json, &c->def.grip);
    return plBuilder_Site(b, &c->tool, &c->def.tool, tool);
}

static bool buildCoupling(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    Coupling c = {.def = plDefaultCouplingDef()};
    plCouplingId id;
    int tool;
    if (!plReader_Object(r, json, couplingFields, PL_COUNT(couplingFields), &c) ||
        !readAllAxes(r, json, couplingAxes, PL_COUNT(couplingAxes), &c.def) ||
        !checkKeys(r, json, &c.def) || !findDevice(b, c.device, &c.def.device) ||
        !readTool(b, json, &c, &tool) || !plBuilder_TakeName(b, b->names, c.def.name, -1))
        return false;
    if (carried & 1 << c.def.kind && !countVirtual(b, json, &c.def, tool)) return false;
    b->couplingCount++;
    return !b->world || plBuilder_Passed(b, plWorld_AddCoupling(b->world, &c.def, &id));
}

bool plBuilder_Couplings(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "couplings", plMaxCouplings, &array);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildCoupling(b, json_array_get(array, (size_t)i));
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}
