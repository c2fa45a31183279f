// The twin pantograph of a simulated device.
#include "scene/build.h"

#include <stddef.h>

// Choices are read as int into fields of these types.
static_assert(sizeof(plObserverKind) == sizeof(int) && sizeof(plRateKind) == sizeof(int) &&
                  sizeof(plMotorLimit) == sizeof(int),
              "an enum is as wide as an int");

#define NUMBER(name, itsField, itsRange, itsUnit)                                                  \
    {                                                                                              \
        .key = name, .kind = pl_fieldNumber, .offset = offsetof(plTwinDef, itsField),              \
        .range = itsRange, .unit = itsUnit                                                         \
    }
#define CHOICE(name, itsField, itsCount, itsName)                                                  \
    {                                                                                              \
        .key = name, .kind = pl_fieldChoice, .offset = offsetof(plTwinDef, itsField),              \
        .choices = itsCount, .choice = itsName                                                     \
    }

static const plField fields[] = {
    {.key = "preset", .kind = pl_fieldOther},
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(plTwinDef, base.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plTwinDef, base.q)},
    NUMBER("proximalLength", mechanism.L1, pl_rangePositive, "m"),
    NUMBER("distalLength", mechanism.L2, pl_rangePositive, "m"),
    NUMBER("baseWidth", mechanism.b, pl_rangeNotNegative, "m"),
    NUMBER("baseDistance", mechanism.H, pl_rangePositive, "m"),
    NUMBER("crank", mechanism.ell, pl_rangePositive, "m"),
    NUMBER("proximalMass", mechanism.proximalMass, pl_rangeNotNegative, "kg"),
    NUMBER("distalMass", mechanism.distalMass, pl_rangeNotNegative, "kg"),
    NUMBER("motorInertia", mechanism.motorInertia, pl_rangeNotNegative, "kg m^2"),
    NUMBER("handleMass", mechanism.handleMass, pl_rangePositive, "kg"),
    NUMBER("handleInertia", mechanism.handleInertia, pl_rangePositive, "kg m^2"),
    {.key = "counts",
     .kind = pl_fieldInt,
     .offset = offsetof(plTwinDef, mechanism.counts),
     .range = pl_rangeNotNegative,
     .max = 1e8,
     .unit = "per turn"},
    NUMBER("torqueLimit", mechanism.torqueLimit, pl_rangePositive, "N m"),
    {.key = "inertia",
     .kind = pl_fieldVec3,
     .offset = offsetof(plTwinDef, impedance.inertia),
     .unit = "kg, kg, kg m^2"},
    {.key = "damping",
     .kind = pl_fieldVec3,
     .offset = offsetof(plTwinDef, impedance.damping),
     .unit = "N s/m, N s/m, N m s/rad"},
    CHOICE("observer", observer, pl_observerCount, plObserverKind_Name),
    NUMBER("corner", corner, pl_rangePositive, "Hz"),
    CHOICE("rate", rate, pl_rateCount, plRateKind_Name),
    NUMBER("rateCorner", rateCorner, pl_rangePositive, "Hz"),
    CHOICE("motors", motors, pl_motorCount, plMotorLimit_Name),
};

/// Dimensions of a preset; those of the scene's own win.
static bool readPreset(plReader* r, const json_t* json, plTwinDef* twin)
{
    const plField field = {.key = "preset",
                           .kind = pl_fieldChoice,
                           .choices = pl_pantographCount,
                           .choice = plPantographPreset_Name};
    int preset = pl_pantographTest;
    if (json_is_object(json) && !plReader_Field(r, json, &field, &preset)) return false;
    twin->mechanism = plPantographDef_Of((plPantographPreset)preset);
    return true;
}

/// A pantograph has mass, encoders and limits of its own: those of a handle would be without effect.
static bool checkNotHandle(plReader* r, const json_t* device)
{
    static const char* const keys[] = {"mass",        "inertia",  "damping",
                                       "turnDamping", "friction", "encoderStep",
                                       "turnStep",    "model",    "turnFriction"};
    for (int i = 0; i < PL_COUNT(keys); i++) {
        if (!json_object_get(device, keys[i])) continue;
        return plReader_FailAt(r, keys[i],
                               "found beside a pantograph, which has its own, expected no %s here",
                               keys[i]);
    }
    return true;
}

bool plBuilder_Pantograph(plBuilder* b, const json_t* device, plDeviceDef* def)
{
    plReader* r = b->reader;
    const json_t* json = json_object_get(device, "pantograph");
    if (!json) return true;
    if (!checkNotHandle(r, device)) return false;
    def->kind = pl_devicePantograph;
    plReader_Enter(r, "pantograph");
    if (readPreset(r, json, &def->twin))
        plReader_Object(r, json, fields, PL_COUNT(fields), &def->twin);
    plReader_Leave(r);
    return !r->failed;
}
