#include "scene/build.h"

#include <stddef.h>

static const plField anchorFields[] = {
    {.key = "stiffness",
     .kind = pl_fieldNumber,
     .offset = offsetof(plAnchor, stiffness),
     .range = pl_rangeNotNegative,
     .unit = "N/m"},
    {.key = "damping",
     .kind = pl_fieldNumber,
     .offset = offsetof(plAnchor, damping),
     .range = pl_rangeNotNegative,
     .unit = "N s/m"},
    {.key = "turnStiffness",
     .kind = pl_fieldNumber,
     .offset = offsetof(plAnchor, turnStiffness),
     .range = pl_rangeNotNegative,
     .unit = "N m/rad"},
    {.key = "turnDamping",
     .kind = pl_fieldNumber,
     .offset = offsetof(plAnchor, turnDamping),
     .range = pl_rangeNotNegative,
     .unit = "N m s/rad"},
    {.key = "position", .kind = pl_fieldVec3, .offset = offsetof(plAnchor, anchor.p), .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plAnchor, anchor.q)},
    {.key = "action",
     .kind = pl_fieldChoice,
     .offset = offsetof(plAnchor, action),
     .choices = pl_actionCount,
     .choice = plAction_Name},
};

static const plField assemblyFields[] = {
    PL_MECHANISM_FIELDS(plAssemblyDef),
    {.key = "mass",
     .kind = pl_fieldNumber,
     .offset = offsetof(plAssemblyDef, mass),
     .required = true,
     .range = pl_rangePositive,
     .unit = "kg"},
    {.key = "inertia",
     .kind = pl_fieldInertia,
     .offset = offsetof(plAssemblyDef, inertia),
     .required = true},
    {.key = "position",
     .kind = pl_fieldVec3,
     .offset = offsetof(plAssemblyDef, pose.p),
     .unit = "m"},
    {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(plAssemblyDef, pose.q)},
    {.key = "velocity",
     .kind = pl_fieldVec3,
     .offset = offsetof(plAssemblyDef, velocity),
     .unit = "m/s"},
    {.key = "spin", .kind = pl_fieldVec3, .offset = offsetof(plAssemblyDef, spin), .unit = "rad/s"},
    {.key = "anchor", .kind = pl_fieldOther},
};

bool plBuilder_Assembly(plBuilder* b, const json_t* json, plBuiltMechanism* m)
{
    plReader* r = b->reader;
    plAssemblyDef def = plDefaultAssemblyDef();
    def.integrator = b->integrator;
    if (!plReader_Object(r, json, assemblyFields, PL_COUNT(assemblyFields), &def)) return false;
    const json_t* anchor = json_object_get(json, "anchor");
    if (anchor) {
        plReader_Enter(r, "anchor");
        plReader_Object(r, anchor, anchorFields, PL_COUNT(anchorFields), &def.anchor);
        plReader_Leave(r);
        if (r->failed) return false;
    }
    m->parts = 1;
    m->velocities = 6;
    if (!plBuilder_TakeName(b, b->names, def.name, b->mechanismCount - 1)) return false;
    return !b->world || plBuilder_Passed(b, plWorld_AddAssembly(b->world, &def, &m->id));
}
