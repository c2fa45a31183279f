// The patches of a sculpted surface: from a file, made, or given.
#include "scene/build.h"

#include <stddef.h>
#include <string.h>

// ------------------------------------------------------------------------------- a patch given

typedef struct {
    int degree[2], count[2];
} Sizes;

/// Two integers under a key.
static bool readPair(plReader* r, const json_t* json, const char* key, int least, int most,
                     int out[2])
{
    double n[2] = {0};
    const json_t* value = json_object_get(json, key);
    plReader_Enter(r, key);
    if (plReader_Numbers(r, value, NULL, 2, n) &&
        !(n[0] >= least && n[1] >= least && n[0] <= most && n[1] <= most && (int)n[0] == n[0] &&
          (int)n[1] == n[1]))
        plReader_Expect(r, value, "two integers from %d to %d", least, most);
    plReader_Leave(r);
    for (int k = 0; k < 2 && !r->failed; k++) out[k] = (int)n[k];
    return !r->failed;
}

static bool readKnots(plBuilder* b, const json_t* json, const Sizes* s, plPatchDef* out)
{
    plReader* r = b->reader;
    const double* knots[2] = {NULL, NULL};
    json_t* array;
    if (plReader_EnterArray(r, json, "knots", 2, &array) < 2 && !r->failed)
        plReader_Expect(r, array, "two arrays of knots");
    for (int k = 0; k < 2 && !r->failed; k++) {
        const int count = s->count[k] + s->degree[k] + 1;
        double* list = plBuilder_Take(b, count, sizeof *list);
        plReader_EnterIndex(r, k);
        if (list) plReader_Numbers(r, json_array_get(array, (size_t)k), NULL, count, list);
        plReader_Leave(r);
        knots[k] = list;
    }
    plReader_Leave(r);
    out->knotsU = knots[0];
    out->knotsV = knots[1];
    return !r->failed;
}

static bool readPoints(plBuilder* b, const json_t* json, const Sizes* s, plPatchDef* out)
{
    plReader* r = b->reader;
    const int count = s->count[0] * s->count[1];
    json_t* array;
    if (plReader_EnterArray(r, json, "points", plPatchPoints, &array) != count && !r->failed)
        plReader_Expect(r, array, "an array of %d points", count);
    plVec3* points = r->failed ? NULL : plBuilder_Take(b, count, sizeof *points);
    for (int i = 0; i < count && !r->failed; i++) {
        double x[3] = {0};
        plReader_EnterIndex(r, i);
        plReader_Numbers(r, json_array_get(array, (size_t)i), "m", 3, x);
        plReader_Leave(r);
        points[i] = (plVec3){x[0], x[1], x[2]};
    }
    plReader_Leave(r);
    out->points = points;
    out->weights = plBuilder_Numbers(b, json, "weights", count);
    return !r->failed;
}

static bool readPatch(plBuilder* b, const json_t* json, plPatchDef* out)
{
    static const plField fields[] = {
        {.key = "degrees", .kind = pl_fieldOther, .required = true, .unit = "[of u, of v]"},
        {.key = "counts", .kind = pl_fieldOther, .required = true, .unit = "[of u, of v]"},
        {.key = "knots", .kind = pl_fieldOther, .required = true, .unit = "two arrays of knots"},
        {.key = "points", .kind = pl_fieldOther, .required = true, .unit = "an array of points"},
        {.key = "weights", .kind = pl_fieldOther},
    };
    Sizes s = {{0}, {0}};
    plReader* r = b->reader;
    if (!plReader_Object(r, json, fields, PL_COUNT(fields), &s) ||
        !readPair(r, json, "degrees", 1, plPatchDegree, s.degree) ||
        !readPair(r, json, "counts", 2, 256, s.count))
        return false;
    *out = (plPatchDef){
        .degreeU = s.degree[0], .degreeV = s.degree[1], .countU = s.count[0], .countV = s.count[1]};
    return readKnots(b, json, &s, out) && readPoints(b, json, &s, out);
}

static bool readPatches(plBuilder* b, const json_t* json, plShapeDef* def)
{
    plReader* r = b->reader;
    json_t* array;
    const int count = plReader_EnterArray(r, json, "patches", plShapePatches, &array);
    if (count == 0) plReader_Expect(r, array, "an array of at least one patch");
    plPatchDef* patches = r->failed ? NULL : plBuilder_Take(b, count, sizeof *patches);
    for (int i = 0; i < count && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        readPatch(b, json_array_get(array, (size_t)i), &patches[i]);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    def->patches = patches;
    def->patchCount = count;
    return !r->failed;
}

// ------------------------------------------------------------------------- patches of others

/// A copy whose points may be stretched; knots are shared where they stay.
static bool copyPatches(plBuilder* b, const plPatches* from, bool knots, plShapeDef* def)
{
    plPatchDef* patches = plBuilder_Take(b, from->count, sizeof *patches);
    if (!patches) return false;
    for (int i = 0; i < from->count; i++) {
        plPatchDef* p = &patches[i];
        *p = from->patches[i];
        const int count = p->countU * p->countV;
        const int counts[4] = {count, p->countU + p->degreeU + 1, p->countV + p->degreeV + 1,
                               count};
        const void* sources[4] = {p->points, p->knotsU, p->knotsV, p->weights};
        const size_t sizes[4] = {sizeof *p->points, sizeof *p->knotsU, sizeof *p->knotsV,
                                 sizeof *p->weights};
        void* copies[4] = {NULL, NULL, NULL, NULL};
        for (int k = 0; k < 4; k++) {
            if (!sources[k] || (k > 0 && !knots)) continue;
            copies[k] = plBuilder_Take(b, counts[k], sizes[k]);
            if (!copies[k]) return false;
            memcpy(copies[k], sources[k], (size_t)counts[k] * sizes[k]);
        }
        p->points = copies[0];
        if (knots) p->knotsU = copies[1], p->knotsV = copies[2], p->weights = copies[3];
    }
    def->patches = patches;
    def->patchCount = from->count;
    def->inward = from->inward;
    def->loopCount = from->loopCount;
    def->loops = from->loops;
    return true;
}

static bool readFile(plBuilder* b, const json_t* json, const plPatchSource* source, plShapeDef* def)
{
    const plPatches* patches = NULL;
    if (!plFiles_Patches(b->files, b->reader, source->file, source->scale, &patches)) return false;
    if (patches->eitherSide && !json_object_get(json, "inward"))
        return plReader_FailAt(b->reader, "inward",
                               "missing: \"%s\" is open and does not tell which side of it is "
                               "solid, expected true (S_u x S_v points into it) or false",
                               source->file);
    return copyPatches(b, patches, false, def);
}

const char* plMadeSurface_Name(int i)
{
    static const char* const names[pl_madeCount] = {"sphere", "cylinder", "cone", "torus"};
    return i >= 0 && i < pl_madeCount ? names[i] : NULL;
}

static plStatus make(const plPatchSource* s, plPatches* out, plShapeError* error)
{
    switch (s->made) {
    case pl_madeSphere:
        return plPatches_Sphere(s->radius, NULL, out, error);
    case pl_madeCylinder:
        return plPatches_Cylinder(s->radius, s->length, NULL, out, error);
    case pl_madeCone:
        return plPatches_Cone(s->radius, s->length, NULL, out, error);
    default:
        return plPatches_Torus(s->radius, s->tube, NULL, out, error);
    }
}

static bool readMade(plBuilder* b, const plPatchSource* source, plShapeDef* def)
{
    plPatches made;
    plShapeError error = {0};
    const plStatus status = make(source, &made, &error);
    if (status == pl_statusNoMemory) return plReader_FailMemory(b->reader);
    if (status != pl_statusOk) return plReader_FailAt(b->reader, "surface", "%s", error.message);
    const bool copied = copyPatches(b, &made, true, def);
    plPatches_Free(&made);
    return copied;
}

/// Sizes that the surface does not read would be lost without a word.
static bool fits(plBuilder* b, const json_t* json, const plPatchSource* s)
{
    static const char* const sizes[] = {"radius", "length", "tube"};
    const bool made = s->made < pl_madeCount, turned = s->made == pl_madeTorus;
    const bool reads[] = {made, made && !turned && s->made != pl_madeSphere, turned};
    for (int i = 0; i < PL_COUNT(sizes); i++) {
        const bool given = json_object_get(json, sizes[i]);
        if (given && !reads[i])
            return plReader_FailAt(b->reader, sizes[i], "found, expected none of this surface");
        if (!given && reads[i])
            return plReader_FailAt(b->reader, sizes[i], "missing, expected a length [m]");
    }
    if (json_object_get(json, "scale") && !s->file)
        return plReader_FailAt(b->reader, "scale", "found without \"file\", expected beside it");
    return true;
}

static bool stretch(plBuilder* b, const plPatchSource* s, plShapeDef* def)
{
    const plVec3 by = s->stretch;
    if (!(by.x > 0 && by.y > 0 && by.z > 0))
        return plReader_FailAt(b->reader, "stretch", "found a factor that is not positive");
    for (int i = 0; i < def->patchCount; i++) {
        plVec3* points = (plVec3*)(uintptr_t)def->patches[i].points; // the builder's own
        for (int k = 0; k < def->patches[i].countU * def->patches[i].countV; k++) {
            points[k] = (plVec3){by.x * points[k].x, by.y * points[k].y, by.z * points[k].z};
        }
    }
    return true;
}

bool plBuilder_Patches(plBuilder* b, const json_t* json, const plPatchSource* source,
                       plShapeDef* def)
{
    const bool given = json_object_get(json, "patches"), made = source->made < pl_madeCount;
    const bool inward = def->inward;
    if (given + made + (source->file != NULL) != 1)
        return plReader_Fail(b->reader, pl_statusSceneContent,
                             "expected one of \"file\", \"surface\" or \"patches\"");
    if (!fits(b, json, source)) return false;
    const bool read = given  ? readPatches(b, json, def)
                      : made ? readMade(b, source, def)
                             : readFile(b, json, source, def);
    if (json_object_get(json, "inward")) def->inward = inward;
    return read && stretch(b, source, def);
}
