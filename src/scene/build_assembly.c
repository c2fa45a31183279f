#include "math/math.h"
#include "scene/build.h"

#include <stddef.h>
#include <stdio.h>

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
     .range = pl_rangePositive,
     .unit = "kg"},
    {.key = "inertia", .kind = pl_fieldInertia, .offset = offsetof(plAssemblyDef, inertia)},
    {.key = "density", .kind = pl_fieldOther},
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
    {.key = "shapes", .kind = pl_fieldOther},
    {.key = "grid", .kind = pl_fieldOther},
};

static bool readAnchor(plReader* r, const json_t* json, plAnchor* out)
{
    const json_t* anchor = json_object_get(json, "anchor");
    if (!anchor) return true;
    plReader_Enter(r, "anchor");
    plReader_Object(r, anchor, anchorFields, PL_COUNT(anchorFields), out);
    plReader_Leave(r);
    return !r->failed;
}

static bool addAssembly(plBuilder* b, const json_t* json, const plAssemblyDef* def,
                        const plPartShapes* shapes)
{
    plBuiltMechanism* m = plBuilder_NewMechanism(b, json, def->name);
    if (!m) return false;
    m->parts = 1;
    m->velocities = 6;
    plBuilder_NoteMass(b, def->mass);
    if (b->world && !plBuilder_Passed(b, plWorld_AddAssembly(b->world, def, &m->id))) return false;
    return plBuilder_AddShapes(b, shapes, m->id, 0);
}

/// NAME-0, NAME-1, ...: the plain name is that of no mechanism.
static bool addCopies(plBuilder* b, const json_t* json, const plGrid* grid,
                      const plAssemblyDef* first, const plPartShapes* shapes)
{
    const int count = grid->counts[0] * grid->counts[1] * grid->counts[2];
    plRng rng = plRng_Seed(grid->seed);
    plAssemblyDef def = *first;
    char name[plNameSize + 16];
    def.name = name;
    snprintf(name, sizeof name, "%s-%d", first->name, count - 1);
    if (!plText_IsName(name))
        return plReader_FailAt(b->reader, "name",
                               "found \"%s\" for a copy, expected at most %d characters", name,
                               plNameSize - 1);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s-%d", first->name, i);
        def.pose = plGrid_Pose(grid, &rng, i, b->planar, first->pose);
        if (!addAssembly(b, json, &def, shapes)) return false;
    }
    return true;
}

bool plBuilder_Assembly(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    plAssemblyDef def = plDefaultAssemblyDef();
    plPartShapes shapes;
    plGrid grid;
    def.integrator = b->integrator;
    if (!plReader_Object(r, json, assemblyFields, PL_COUNT(assemblyFields), &def) ||
        !readAnchor(r, json, &def.anchor) || !plBuilder_ReadShapes(b, json, &shapes) ||
        !plBuilder_BodyMass(b, json, &shapes, &def.mass, &def.inertia))
        return false;
    const json_t* copies = json_object_get(json, "grid");
    if (!copies) return addAssembly(b, json, &def, &shapes);
    plReader_Enter(r, "grid");
    plReader_Grid(r, copies, &grid);
    plReader_Leave(r);
    return !r->failed && addCopies(b, json, &grid, &def, &shapes);
}
