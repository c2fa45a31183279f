#include "math/math.h"
#include "scene/build.h"

#include <stddef.h>
#include <string.h>

static const plField linkFields[] = {
    {.key = "name", .kind = pl_fieldName, .offset = offsetof(plLinkDef, name), .required = true},
    {.key = "a", .kind = pl_fieldOther, .required = true, .unit = "a place on a mechanism"},
    {.key = "b",
     .kind = pl_fieldOther,
     .required = true,
     .unit = "a place on a mechanism, or \"ground\""},
    {.key = "form",
     .kind = pl_fieldChoice,
     .offset = offsetof(plLinkDef, form),
     .choices = pl_linkFormCount,
     .choice = plLinkForm_Name},
    {.key = "slide", .kind = pl_fieldAxis, .offset = offsetof(plLinkDef, slide)},
    {.key = "stiffness",
     .kind = pl_fieldStiffness,
     .offset = offsetof(plLinkDef, stiffness),
     .required = true,
     .range = pl_rangeNotNegative,
     .unit = "N/m"},
    {.key = "damping",
     .kind = pl_fieldNumber,
     .offset = offsetof(plLinkDef, damping),
     .range = pl_rangeNotNegative,
     .unit = "N s/m"},
    {.key = "distance",
     .kind = pl_fieldNumber,
     .offset = offsetof(plLinkDef, distance),
     .range = pl_rangeNotNegative,
     .unit = "m"},
    {.key = "turns", .kind = pl_fieldBool, .offset = offsetof(plLinkDef, turns)},
    {.key = "hinge", .kind = pl_fieldAxis, .offset = offsetof(plLinkDef, hinge)},
    {.key = "cross", .kind = pl_fieldAxis, .offset = offsetof(plLinkDef, cross)},
    {.key = "turnStiffness",
     .kind = pl_fieldStiffness,
     .offset = offsetof(plLinkDef, turnStiffness),
     .range = pl_rangeNotNegative,
     .unit = "N m/rad"},
    {.key = "turnDamping",
     .kind = pl_fieldNumber,
     .offset = offsetof(plLinkDef, turnDamping),
     .range = pl_rangeNotNegative,
     .unit = "N m s/rad"},
    {.key = "rest", .kind = pl_fieldTurn, .offset = offsetof(plLinkDef, rest)},
};

static const plField endFields[] = {
    {.key = "mechanism",
     .kind = pl_fieldName,
     .offset = offsetof(plSpot, mechanism),
     .required = true},
    {.key = "part", .kind = pl_fieldName, .offset = offsetof(plSpot, part)},
    {.key = "point", .kind = pl_fieldVec3, .offset = offsetof(plSpot, point), .unit = "m"},
};

static const plField groundFields[] = {
    {.key = "ground", .kind = pl_fieldVec3, .offset = offsetof(plSite, point), .unit = "m"},
};

/// Index of the body of that name in a chain or jointed assembly, -1: none.
static int findPart(const plBuiltMechanism* m, const char* name)
{
    const json_t* bodies = json_object_get(m->json, "bodies");
    for (int i = 0; i < m->parts; i++) {
        const json_t* body = json_array_get(bodies, (size_t)i);
        if (strcmp(json_string_value(json_object_get(body, "name")), name) == 0) return i;
    }
    return -1;
}

bool plBuilder_Site(plBuilder* b, const plSpot* place, plSite* site, int* index)
{
    const json_t* known = json_object_get(b->names, place->mechanism);
    *index = known ? (int)json_integer_value(known) : -1;
    if (*index < 0)
        return plReader_FailAt(b->reader, "mechanism",
                               "found \"%s\", expected the name of a mechanism", place->mechanism);
    const plBuiltMechanism* m = &b->mechanisms[*index];
    *site = (plSite){m->id, m->parts - 1, place->point};
    if (m->tets) return plBuilder_SoftSite(b, m, place, site);
    if (!place->part) return true;
    if (!m->isChain && !m->isJointed)
        return plReader_FailAt(b->reader, "part",
                               "found \"%s\", expected no part: the mechanism is an assembly",
                               place->part);
    site->part = findPart(m, place->part);
    if (site->part >= 0) return true;
    return plReader_FailAt(b->reader, "part", "found \"%s\", expected the name of a body of \"%s\"",
                           place->part, place->mechanism);
}

/// One end of a link, the reader is at it. `index` is -1 for the ground.
static bool readEnd(plBuilder* b, const json_t* json, bool mayBeGround, plSite* site, int* index)
{
    plReader* r = b->reader;
    *index = -1;
    *site = (plSite){0};
    if (mayBeGround && json_is_string(json)) {
        if (strcmp(json_string_value(json), "ground") == 0) return true;
        return plReader_Expect(r, json, "\"ground\", or an object that names a mechanism");
    }
    if (mayBeGround && json_object_get(json, "ground"))
        return plReader_Object(r, json, groundFields, PL_COUNT(groundFields), site);
    plSpot place = {0};
    return plReader_Object(r, json, endFields, PL_COUNT(endFields), &place) &&
           plBuilder_Site(b, &place, site, index);
}

/// What holds orientations is an error in a link that does not: it would be without effect.
static bool checkTurns(plReader* r, const json_t* json, const plLinkDef* def)
{
    static const char* const keys[] = {"turnStiffness", "turnDamping", "rest", "hinge", "cross"};
    for (int i = 0; i < PL_COUNT(keys) && !def->turns; i++) {
        if (!json_object_get(json, keys[i])) continue;
        return plReader_FailAt(r, keys[i],
                               "found in a link that does not hold orientations, expected "
                               "\"turns\": true beside it");
    }
    return true;
}

static int groupOf(plBuilder* b, int i)
{
    while (b->mechanisms[i].group != i) {
        // Halving of paths keeps the walk short.
        b->mechanisms[i].group = b->mechanisms[b->mechanisms[i].group].group;
        i = b->mechanisms[i].group;
    }
    return i;
}

/// Counts a link's rows for the group that it makes of its mechanisms.
static bool join(plBuilder* b, int first, int second, int rows)
{
    int i = groupOf(b, first), j = second >= 0 ? groupOf(b, second) : i;
    if (i != j) b->mechanisms[i].rows += b->mechanisms[j].rows;
    b->mechanisms[j].group = i;
    b->mechanisms[i].rows += rows;
    b->linkRows += rows;
    if (b->mechanisms[i].rows <= plMaxRows) return true;
    return plReader_Fail(b->reader, pl_statusSceneContent,
                         "found %d rows in the group that it joins, expected at most %d",
                         b->mechanisms[i].rows, plMaxRows);
}

/// What a soft body of implicit steps is held by is implicit too, unless the link says otherwise.
static plLinkForm formOf(const plBuilder* b, int first, int second)
{
    const bool implicit =
        b->mechanisms[first].isImplicit || (second >= 0 && b->mechanisms[second].isImplicit);
    return implicit ? pl_linkImplicit : plDefaultLinkDef().form;
}

/// A slide leaves the point one way, a distance two; a hinge leaves one turn, a cross another.
static int rowsOf(const plLinkDef* def)
{
    const int points = def->distance > 0 ? 1 : plNorm(def->slide) > 0 ? 2 : 3;
    if (!def->turns) return points;
    return points + 3 - (plNorm(def->hinge) > 0) - (plNorm(def->cross) > 0);
}

static bool buildLink(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    plLinkDef def = plDefaultLinkDef();
    int first = -1, second = -1;
    if (!plReader_Object(r, json, linkFields, PL_COUNT(linkFields), &def)) return false;
    plReader_Enter(r, "a");
    readEnd(b, json_object_get(json, "a"), false, &def.a, &first);
    plReader_Leave(r);
    plReader_Enter(r, "b");
    readEnd(b, json_object_get(json, "b"), true, &def.b, &second);
    if (!r->failed && first == second)
        plReader_Fail(r, pl_statusSceneContent,
                      "found the mechanism of \"a\", expected another one or the ground");
    plReader_Leave(r);
    if (r->failed || !checkTurns(r, json, &def)) return false;
    if (!json_object_get(json, "form")) def.form = formOf(b, first, second);
    if (!plBuilder_TakeName(b, b->names, def.name, -1)) return false;
    if (!join(b, first, second, rowsOf(&def))) return false;
    b->linkCount++;
    plLinkId id;
    return !b->world || plBuilder_Passed(b, plWorld_AddLink(b->world, &def, &id));
}

bool plBuilder_Links(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "links", plMaxLinks, &array);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildLink(b, json_array_get(array, (size_t)i));
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}
