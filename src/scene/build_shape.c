// One shape: the keys that its type reads, and what they name.
#include "math/math.h"
#include "scene/build.h"

#include <stddef.h>

typedef struct {
    plPartShapeDef def;
    const char* material;
    plPatchSource source; ///< of sculpted surfaces; file and scale are those of meshes, too
    int made;
    size_t group, mask;
} Shape;

enum {
    sphere = 1 << pl_shapeSphere,
    capsule = 1 << pl_shapeCapsule,
    box = 1 << pl_shapeBox,
    plane = 1 << pl_shapePlane,
    polygon = 1 << pl_shapePolygon,
    hull = 1 << pl_shapeHull,
    compound = 1 << pl_shapeCompound,
    mesh = 1 << pl_shapeMesh,
    nurbs = 1 << pl_shapeNurbs,
    every = (1 << pl_shapeCount) - 1
};

/// A key, the types that read it, and those that cannot do without.
typedef struct {
    int readBy, neededBy;
    bool wholeOnly; ///< not for a piece of a compound
    plField field;
} Key;

#define SHAPE_NUMBER(name, member, itsRange, itsUnit)                                              \
    {                                                                                              \
        .key = name, .kind = pl_fieldNumber, .offset = offsetof(Shape, member), .range = itsRange, \
        .unit = itsUnit                                                                            \
    }
#define SHAPE_BITS(name)                                                                           \
    {                                                                                              \
        .key = #name, .kind = pl_fieldSize, .offset = offsetof(Shape, name),                       \
        .range = pl_rangeNotNegative, .max = UINT32_MAX                                            \
    }

static const Key keys[] = {
    {every, 0, false, {.key = "type", .kind = pl_fieldOther}},
    {sphere | capsule, sphere | capsule, false,
     SHAPE_NUMBER("radius", def.shape.radius, pl_rangePositive, "m")},
    {capsule, capsule, false, SHAPE_NUMBER("length", def.shape.length, pl_rangeNotNegative, "m")},
    {box,
     box,
     false,
     {.key = "half", .kind = pl_fieldVec3, .offset = offsetof(Shape, def.shape.half), .unit = "m"}},
    {plane,
     0,
     false,
     {.key = "normal", .kind = pl_fieldAxis, .offset = offsetof(Shape, def.shape.normal)}},
    {polygon | hull,
     polygon,
     false,
     {.key = "points", .kind = pl_fieldOther, .unit = "an array of at least 3 points"}},
    {polygon, 0, false, SHAPE_NUMBER("thickness", def.shape.thickness, pl_rangePositive, "m")},
    {compound,
     compound,
     false,
     {.key = "pieces", .kind = pl_fieldOther, .unit = "an array of at least one piece"}},
    {hull | mesh | nurbs,
     mesh,
     false,
     {.key = "file", .kind = pl_fieldText, .offset = offsetof(Shape, source.file)}},
    {hull | mesh | nurbs,
     0,
     false,
     {.key = "scale",
      .kind = pl_fieldNumber,
      .offset = offsetof(Shape, source.scale),
      .range = pl_rangePositive,
      .max = 1e6}},
    {nurbs,
     0,
     false,
     {.key = "surface",
      .kind = pl_fieldChoice,
      .offset = offsetof(Shape, made),
      .choices = pl_madeCount,
      .choice = plMadeSurface_Name}},
    {nurbs, 0, false, SHAPE_NUMBER("radius", source.radius, pl_rangePositive, "m")},
    {nurbs, 0, false, SHAPE_NUMBER("length", source.length, pl_rangePositive, "m")},
    {nurbs, 0, false, SHAPE_NUMBER("tube", source.tube, pl_rangePositive, "m")},
    {nurbs, 0, false, {.key = "patches", .kind = pl_fieldOther, .unit = "an array of patches"}},
    {nurbs,
     0,
     false,
     {.key = "stretch", .kind = pl_fieldVec3, .offset = offsetof(Shape, source.stretch)}},
    {nurbs,
     0,
     false,
     {.key = "inward", .kind = pl_fieldBool, .offset = offsetof(Shape, def.shape.inward)}},
    {every,
     0,
     false,
     {.key = "position",
      .kind = pl_fieldVec3,
      .offset = offsetof(Shape, def.shape.frame.p),
      .unit = "m"}},
    {every,
     0,
     false,
     {.key = "orientation", .kind = pl_fieldTurn, .offset = offsetof(Shape, def.shape.frame.q)}},
    {every,
     0,
     true,
     {.key = "material", .kind = pl_fieldName, .offset = offsetof(Shape, material)}},
    {every, 0, true, SHAPE_BITS(group)},
    {every, 0, true, SHAPE_BITS(mask)},
};

static const plShapeKind pieceKinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox,
                                         pl_shapePolygon, pl_shapeHull};

static const char* pieceName(int i) { return plShapeKind_Name((int)pieceKinds[i]); }

/// The type says which keys are legal, so it is read first.
static bool readKind(plReader* r, const json_t* json, bool isPiece, plShapeKind* kind)
{
    const plField field = {.key = "type",
                           .kind = pl_fieldChoice,
                           .required = true,
                           .choices = isPiece ? PL_COUNT(pieceKinds) : pl_shapeCount,
                           .choice = isPiece ? pieceName : plShapeKind_Name};
    int i = 0;
    if (!json_is_object(json)) return plReader_Expect(r, json, "an object");
    if (!plReader_Field(r, json, &field, &i)) return false;
    *kind = isPiece ? pieceKinds[i] : (plShapeKind)i;
    return true;
}

static bool readKeys(plReader* r, const json_t* json, bool isPiece, plShapeKind kind, Shape* shape)
{
    plField fields[PL_COUNT(keys)];
    const int bit = 1 << kind;
    int count = 0;
    for (int i = 0; i < PL_COUNT(keys); i++) {
        if (!(keys[i].readBy & bit) || (isPiece && keys[i].wholeOnly)) continue;
        fields[count] = keys[i].field;
        fields[count++].required = keys[i].neededBy & bit;
    }
    return plReader_Object(r, json, fields, count, shape);
}

/// Corners of a polygon are [x, y], points of a hull [x, y, z].
static bool readPoints(plBuilder* b, const json_t* json, plShapeDef* def)
{
    plReader* r = b->reader;
    const bool flat = def->kind == pl_shapePolygon;
    const int least = flat ? 3 : 4;
    json_t* array;
    int count =
        plReader_EnterArray(r, json, "points", flat ? plPolygonCorners : plHullPoints, &array);
    if (count >= 0 && count < least)
        plReader_Expect(r, array, "an array of at least %d points", least);
    plVec3* points = r->failed ? NULL : plBuilder_Take(b, count, sizeof *points);
    for (int i = 0; i < count && !r->failed; i++) {
        double x[3] = {0};
        plReader_EnterIndex(r, i);
        plReader_Numbers(r, json_array_get(array, (size_t)i), "m", flat ? 2 : 3, x);
        plReader_Leave(r);
        points[i] = plGet3(x);
    }
    plReader_Leave(r);
    def->points = points;
    def->pointCount = count;
    return !r->failed;
}

static bool readFile(plBuilder* b, const Shape* shape, plShapeDef* def)
{
    const plTriangles* t = NULL;
    if (!plFiles_Triangles(b->files, b->reader, shape->source.file, shape->source.scale, &t))
        return false;
    def->points = t->points;
    def->pointCount = t->pointCount;
    // A hull takes the points only.
    def->triangles = t->triangles;
    def->triangleCount = t->triangleCount;
    return true;
}

/// Points of a polygon or hull, triangles of a mesh: from the scene or from a file.
static bool readSurface(plBuilder* b, const json_t* json, const Shape* shape, plShapeDef* def)
{
    plReader* r = b->reader;
    if (def->kind == pl_shapeNurbs) return plBuilder_Patches(b, json, &shape->source, def);
    const bool points = json_object_get(json, "points"), file = shape->source.file;
    if (def->kind == pl_shapeHull && points == file)
        return plReader_Fail(r, pl_statusSceneContent, "expected either \"points\" or \"file\"");
    if (json_object_get(json, "scale") && !file)
        return plReader_FailAt(r, "scale", "found without \"file\", expected beside it");
    if (points) return readPoints(b, json, def);
    return !file || readFile(b, shape, def);
}

bool plBuilder_Material(plBuilder* b, const char* name, plMaterialId* id)
{
    if (!name) return true;
    const json_t* known = json_object_get(b->materials, name);
    if (!known)
        return plReader_FailAt(b->reader, "material",
                               "found \"%s\", expected the name of a material", name);
    *id = b->materialIds[json_integer_value(known)];
    return true;
}

static bool readPieces(plBuilder*, const json_t*, plShapeDef*);

static bool readShape(plBuilder* b, const json_t* json, bool isPiece, plPartShapeDef* out)
{
    plReader* r = b->reader;
    plShapeKind kind = pl_shapeSphere;
    if (!readKind(r, json, isPiece, &kind)) return false;
    Shape shape = {.def = plDefaultPartShapeDef(kind),
                   .source = {.scale = 1, .stretch = {1, 1, 1}},
                   .made = pl_madeCount};
    shape.group = shape.def.group;
    shape.mask = shape.def.mask;
    const bool keysRead = readKeys(r, json, isPiece, kind, &shape);
    shape.source.made = (plMadeSurface)shape.made;
    if (!keysRead || !readSurface(b, json, &shape, &shape.def.shape) ||
        !plBuilder_Material(b, shape.material, &shape.def.material))
        return false;
    shape.def.group = (uint32_t)shape.group;
    shape.def.mask = (uint32_t)shape.mask;
    if (kind == pl_shapeCompound && !readPieces(b, json, &shape.def.shape)) return false;
    *out = shape.def;
    return true;
}

static bool readPieces(plBuilder* b, const json_t* json, plShapeDef* def)
{
    plReader* r = b->reader;
    json_t* array;
    int count = plReader_EnterArray(r, json, "pieces", plCompoundPieces, &array);
    if (count == 0) plReader_Expect(r, array, "an array of at least one piece");
    plShapeDef* pieces = r->failed ? NULL : plBuilder_Take(b, count, sizeof *pieces);
    for (int i = 0; i < count && !r->failed; i++) {
        plPartShapeDef piece;
        plReader_EnterIndex(r, i);
        // Tried alone, a piece that cannot be made is told with its own path.
        if (readShape(b, json_array_get(array, (size_t)i), true, &piece) &&
            (b->world || plBuilder_TryShape(b, &piece.shape, NULL)))
            pieces[i] = piece.shape;
        plReader_Leave(r);
    }
    plReader_Leave(r);
    def->pieces = pieces;
    def->pieceCount = count;
    return !r->failed;
}

bool plBuilder_ReadShape(plBuilder* b, const json_t* json, plPartShapeDef* out)
{
    return readShape(b, json, false, out);
}
