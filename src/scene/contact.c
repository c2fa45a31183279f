// How surfaces meet: the head's contact, materials, and pairs of materials.
#include "scene/content.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char* name;  ///< of a material
    const char *a, *b; ///< of a pair
    plSurface surface;
} Surface;

#define SURFACE_NUMBER(name, itsRange, itsMax, itsUnit)                                            \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(Surface, surface.name),           \
        .range = itsRange, .max = itsMax, .unit = itsUnit                                          \
    }

#define SURFACE_CHOICE(name, count, names)                                                         \
    {                                                                                              \
        .key = #name, .kind = pl_fieldChoice, .offset = offsetof(Surface, surface.name),           \
        .choices = count, .choice = names                                                          \
    }

#define SURFACE_THREE(name, itsUnit)                                                               \
    {                                                                                              \
        .key = #name, .kind = pl_fieldVec3, .offset = offsetof(Surface, surface.name),             \
        .unit = itsUnit                                                                            \
    }

#define SURFACE_FIELDS                                                                             \
    SURFACE_NUMBER(friction, pl_rangeNotNegative, 0, NULL),                                        \
        SURFACE_NUMBER(restitution, pl_rangeWithin, 1, NULL),                                      \
        SURFACE_NUMBER(tangentRestitution, pl_rangeNotNegative, 1, NULL),                          \
        SURFACE_NUMBER(stiffness, pl_rangeNotNegative, 0, "N/m"),                                  \
        SURFACE_NUMBER(damping, pl_rangeNotNegative, 0, "N s/m"),                                  \
        SURFACE_NUMBER(slipSpeed, pl_rangeNotNegative, 0, "m/s"),                                  \
        {.key = "clamp", .kind = pl_fieldBool, .offset = offsetof(Surface, surface.clamp)},        \
        SURFACE_CHOICE(wall, pl_wallCount, plWallModel_Name),                                      \
        SURFACE_NUMBER(integral, pl_rangeNotNegative, 0, "1/s"), SURFACE_THREE(blockShares, "1"),  \
        SURFACE_THREE(blockDepths, "m"),                                                           \
        SURFACE_CHOICE(frictionModel, pl_frictionCount, plFrictionModel_Name),                     \
        SURFACE_NUMBER(stiction, pl_rangeNotNegative, 0, NULL),                                    \
        SURFACE_NUMBER(bristle, pl_rangePositive, 0, "m"),                                         \
        SURFACE_NUMBER(bristleTime, pl_rangeNotNegative, 0, "s"),                                  \
        SURFACE_NUMBER(viscous, pl_rangeNotNegative, 0, "N s/m")

static const plField surfaceFields[] = {SURFACE_FIELDS};

static const plField materialFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(Surface, name), .required = true},
    SURFACE_FIELDS};

static const plField pairFields[] = {
    {.key = "a", .kind = pl_fieldName, .offset = offsetof(Surface, a), .required = true},
    {.key = "b", .kind = pl_fieldName, .offset = offsetof(Surface, b), .required = true},
    SURFACE_FIELDS};

// A vector is read into these.
static_assert(sizeof((plSurface){0}.blockShares) == sizeof(plVec3), "three numbers are a vector");

static bool checkBlocks(plReader* r, const plSurface* s)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        if (s->blockShares[i] < 0)
            return plReader_FailAt(r, "blockShares", "found %g, expected numbers >= 0",
                                   s->blockShares[i]);
        if (s->blockDepths[i] < 0)
            return plReader_FailAt(r, "blockDepths", "found %g, expected numbers >= 0 [m]",
                                   s->blockDepths[i]);
        sum += s->blockShares[i];
    }
    if (sum > 1 + 1e-9) // thirds are rounded
        return plReader_FailAt(r, "blockShares", "found a sum of %g, expected at most 1", sum);
    return true;
}

static bool readFields(plReader* r, const json_t* json, const plField* fields, int count,
                       Surface* out)
{
    return plReader_Object(r, json, fields, count, out) && checkBlocks(r, &out->surface);
}

// ---------------------------------------------------------------------------------- the head

#define CONTACT_NUMBER(name, itsMax, itsUnit)                                                      \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(plContactDef, name),              \
        .range = pl_rangeNotNegative, .max = itsMax, .unit = itsUnit                               \
    }

static const plField contactFields[] = {
    {.key = "bias",
     .kind = pl_fieldChoice,
     .offset = offsetof(plContactDef, bias),
     .choices = pl_biasCount,
     .choice = plBias_Name},
    {.key = "collision",
     .kind = pl_fieldChoice,
     .offset = offsetof(plContactDef, collision),
     .choices = pl_collisionCount,
     .choice = plCollision_Name},
    {.key = "absolute", .kind = pl_fieldBool, .offset = offsetof(plContactDef, absolute)},
    {.key = "wallsInCollision",
     .kind = pl_fieldBool,
     .offset = offsetof(plContactDef, wallsInCollision)},
    {.key = "touchingCollide",
     .kind = pl_fieldBool,
     .offset = offsetof(plContactDef, touchingCollide)},
    {.key = "collisionFriction",
     .kind = pl_fieldBool,
     .offset = offsetof(plContactDef, collisionFriction)},
    {.key = "heldPulses", .kind = pl_fieldBool, .offset = offsetof(plContactDef, heldPulses)},
    CONTACT_NUMBER(pulseLimit, 0, "N"),
    {.key = "sides", .kind = pl_fieldOther},
    {.key = "surface", .kind = pl_fieldOther},
    CONTACT_NUMBER(reach, 0, "m"),
    CONTACT_NUMBER(softReach, 1e3, "m"),
    CONTACT_NUMBER(cluster, 0, "m"),
    CONTACT_NUMBER(coherence, 0, "m"),
    CONTACT_NUMBER(driftRate, 1, NULL),
    CONTACT_NUMBER(slop, 0, "m"),
};

/// Sides of pyramids come in opposite pairs.
static bool readSides(plReader* r, const json_t* contact, int* sides)
{
    const json_t* value = json_object_get(contact, "sides");
    const double x = json_number_value(value);
    if (!value) return true;
    plReader_Enter(r, "sides");
    if (!(x >= 4 && x <= 32 && (int)x == x && (int)x % 2 == 0))
        plReader_Expect(r, value, "an even integer from 4 to 32");
    else
        *sides = (int)x;
    plReader_Leave(r);
    return !r->failed;
}

static bool readSurface(plReader* r, const json_t* contact, plSurface* out)
{
    const json_t* value = json_object_get(contact, "surface");
    Surface surface = {.surface = *out};
    if (!value) return true;
    plReader_Enter(r, "surface");
    if (readFields(r, value, surfaceFields, PL_COUNT(surfaceFields), &surface))
        *out = surface.surface;
    plReader_Leave(r);
    return !r->failed;
}

bool plHead_ReadContact(plHead* head, plReader* r, const json_t* root)
{
    const json_t* contact = json_object_get(root, "contact");
    plContactDef* def = &head->world.contact;
    if (!contact) return true;
    plReader_Enter(r, "contact");
    if (plReader_Object(r, contact, contactFields, PL_COUNT(contactFields), def) &&
        readSides(r, contact, &def->sides))
        readSurface(r, contact, &def->surface);
    plReader_Leave(r);
    return !r->failed;
}

// --------------------------------------------------------------------------------- materials

static bool buildMaterial(plBuilder* b, const json_t* json, int index)
{
    plMaterialDef def = plDefaultMaterialDef();
    Surface read = {.surface = def.surface};
    if (!readFields(b->reader, json, materialFields, PL_COUNT(materialFields), &read) ||
        !plBuilder_TakeName(b, b->materials, read.name, index))
        return false;
    def.name = read.name;
    def.surface = read.surface;
    b->materialCount++;
    b->materialIds[index] = (plMaterialId){(uint32_t)index + 1, 1};
    if (!b->world || !b->touches) return true;
    return plBuilder_Passed(b, plWorld_AddMaterial(b->world, &def, &b->materialIds[index]));
}

bool plBuilder_Materials(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "materials", plMaxMaterials, &array);
    if (count > 0) b->materialIds = plBuilder_Take(b, count, sizeof *b->materialIds);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildMaterial(b, json_array_get(array, (size_t)i), i);
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}

// ------------------------------------------------------------------------------------- pairs

static bool findMaterial(plBuilder* b, const char* key, const char* name, int* index)
{
    const json_t* known = json_object_get(b->materials, name);
    if (!known)
        return plReader_FailAt(b->reader, key, "found \"%s\", expected the name of a material",
                               name);
    *index = (int)json_integer_value(known);
    return true;
}

static bool takePair(plBuilder* b, json_t* taken, const char* first, const char* second)
{
    char key[2 * plNameSize];
    const bool ordered = strcmp(first, second) <= 0;
    snprintf(key, sizeof key, "%s %s", ordered ? first : second, ordered ? second : first);
    if (json_object_get(taken, key))
        return plReader_Fail(b->reader, pl_statusSceneContent,
                             "found the pair \"%s\" and \"%s\" again, expected it once", first,
                             second);
    return json_object_set_new(taken, key, json_true()) == 0 || plReader_FailMemory(b->reader);
}

static bool buildPair(plBuilder* b, const json_t* json, json_t* taken)
{
    Surface read = {.surface = plDefaultSurface()};
    int first = 0, second = 0;
    if (!readFields(b->reader, json, pairFields, PL_COUNT(pairFields), &read) ||
        !findMaterial(b, "a", read.a, &first) || !findMaterial(b, "b", read.b, &second) ||
        !takePair(b, taken, read.a, read.b))
        return false;
    if (!b->world || !b->touches) return true;
    return plBuilder_Passed(
        b, plWorld_SetPair(b->world, b->materialIds[first], b->materialIds[second], &read.surface));
}

bool plBuilder_MaterialPairs(plBuilder* b, const json_t* root)
{
    json_t *array, *taken = json_object();
    int count = plReader_EnterArray(b->reader, root, "pairs", plMaxMaterialPairs, &array);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildPair(b, json_array_get(array, (size_t)i), taken);
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    json_decref(taken);
    return !b->reader->failed;
}
