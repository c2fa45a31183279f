// From definitions to shapes.
#include "shape/inside.h"
#include "shape/nurbs_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* plShapeKind_Name(int i)
{
    static const char* const names[pl_shapeCount] = {
        "sphere", "capsule", "box", "plane", "polygon", "hull", "compound", "mesh", "nurbs"};
    if (i == pl_shapeSupport) return "support";
    return i >= 0 && i < pl_shapeCount ? names[i] : "unknown";
}

plShapeDef plDefaultShapeDef(plShapeKind kind)
{
    return (plShapeDef){.kind = kind,
                        .frame = {.q = {1, 0, 0, 0}},
                        .radius = 0.5,
                        .length = 1,
                        .half = {0.5, 0.5, 0.5},
                        .normal = {0, 0, 1},
                        .thickness = 1};
}

// --- checks

enum { lengthLimit = 1000000 };

// Lengths between 1e-9 and 1e6 m keep squares and cubes of them far from the ends of `double`.
static bool isLength(double x) { return x >= 1e-9 && x <= lengthLimit; }

static bool isPlace(plVec3 p)
{
    return fabs(p.x) <= lengthLimit && fabs(p.y) <= lengthLimit && fabs(p.z) <= lengthLimit;
}

static bool arePlaces(const plVec3* p, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isPlace(p[i])) return false;
    }
    return true;
}

static const char* checkCounts(const plShapeDef* def)
{
    switch (def->kind) {
    case pl_shapePolygon:
        return def->pointCount > plPolygonCorners ? "a polygon has at most 64 corners" : NULL;
    case pl_shapeHull:
        return def->pointCount > plHullPoints ? "a hull is made of at most 1048576 points" : NULL;
    case pl_shapeCompound:
        return def->pieceCount > plCompoundPieces ? "a compound has at most 4096 pieces" : NULL;
    case pl_shapeMesh:
        if (def->pointCount > 3 * plMeshTriangles) return "a mesh has at most 12582912 points";
        return def->triangleCount > plMeshTriangles ? "a mesh has at most 4194304 triangles" : NULL;
    default:
        return NULL;
    }
}

static const char* checkDef(const plShapeDef* def)
{
    const plQuat q = def->frame.q;
    const double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!isPlace(def->frame.p) || !(norm > 0.5 && norm < 2)) return "the frame is not a pose";
    switch (def->kind) {
    case pl_shapeCapsule:
        if (!(def->length == 0 || isLength(def->length))) return "the length is out of range";
        return isLength(def->radius) ? NULL : "the radius is out of range";
    case pl_shapeSphere:
        return isLength(def->radius) ? NULL : "the radius is out of range";
    case pl_shapeBox:
        if (isLength(def->half.x) && isLength(def->half.y) && isLength(def->half.z)) return NULL;
        return "a half length is out of range";
    case pl_shapePlane:
        return plFinite3(def->normal) && plNorm(def->normal) > 1e-6 ? NULL
                                                                    : "the normal has no direction";
    case pl_shapePolygon:
        if (!isLength(def->thickness)) return "the thickness is out of range";
        if (def->pointCount < 3 || !def->points) return "a polygon needs three corners";
        break;
    case pl_shapeHull:
        if (def->pointCount < 4 || !def->points) return "a hull needs four points";
        break;
    case pl_shapeMesh:
        if (def->triangleCount < 1 || !def->triangles) return "a mesh needs a triangle";
        if (def->pointCount < 3 || !def->points) return "a mesh needs three points";
        break;
    case pl_shapeCompound:
        return def->pieceCount < 1 || !def->pieces ? "a compound needs a piece" : NULL;
    case pl_shapeSupport:
        return plSupport_Complaint(def->support);
    case pl_shapeNurbs: // patches have a check of their own
        return NULL;
    default:
        return "there is no such kind of shape";
    }
    return arePlaces(def->points, def->pointCount) ? NULL : "a point is not finite or too far out";
}

// --- makers of the kinds

// Counter-clockwise, strictly convex: every corner turns left by more than round-off, and the turns
// add up to one round (a star would make more).
static bool makeOutline(const plVec3* points, int count, plVec3* corners)
{
    double area = 0, turns = 0, size2 = 0;
    for (int i = 0; i < count; i++) {
        const plVec3 a = points[i], b = points[(i + 1) % count];
        area += a.x * b.y - a.y * b.x;
    }
    for (int i = 0; i < count; i++) {
        corners[i] = points[area > 0 ? i : count - 1 - i];
        corners[i].z = 0;
    }
    for (int i = 0; i < count; i++) {
        size2 = fmax(size2, plDot(plSub(corners[i], corners[0]), plSub(corners[i], corners[0])));
    }
    for (int i = 0; i < count; i++) {
        const plVec3 u = plSub(corners[(i + 1) % count], corners[i]);
        const plVec3 v = plSub(corners[(i + 2) % count], corners[(i + 1) % count]);
        const double cross = u.x * v.y - u.y * v.x;
        if (!(cross > 1e-12 * size2)) return false;
        turns += atan2(cross, u.x * v.x + u.y * v.y);
    }
    return turns < 3 * PL_PI;
}

static plStatus makePolygon(const plShapeDef* def, plArena* arena, plShape* s, plShapeError* error)
{
    plVec3* corners = plArena_Alloc(arena, (size_t)def->pointCount, sizeof *corners);
    if (!corners) return plShapeError_Set(error, pl_statusCapacity, "no memory for the polygon");
    if (!makeOutline(def->points, def->pointCount, corners)) {
        return plShapeError_Set(error, pl_statusBadArgument,
                                "the corners of the polygon are not in convex position");
    }
    s->corners = corners;
    s->cornerCount = def->pointCount;
    s->polytope = plPolytope_Prism(corners, def->pointCount, def->thickness, arena);
    return pl_statusOk;
}

static plStatus makeBox(const plShapeDef* def, plArena* arena, plShape* s)
{
    const double x = def->half.x, y = def->half.y;
    plVec3* corners = plArena_Alloc(arena, 4, sizeof *corners);
    if (corners) {
        corners[0] = plVec(-x, -y, 0), corners[1] = plVec(x, -y, 0);
        corners[2] = plVec(x, y, 0), corners[3] = plVec(-x, y, 0);
    }
    s->corners = corners;
    s->cornerCount = 4;
    s->half = def->half;
    s->polytope = plPolytope_Box(def->half, arena);
    return pl_statusOk;
}

static plStatus makeNurbs(const plShapeDef* def, plArena* arena, const plAllocator* scratch,
                          plShape* s, plShapeError* error)
{
    const plStatus status = plNurbs_Check(def, error);
    return status != pl_statusOk ? status : plNurbs_Build(def, arena, scratch, &s->nurbs, error);
}

static bool isIdentity(const plFrame* f)
{
    const plMat3* R = &f->R;
    return f->x.x == 0 && f->x.y == 0 && f->x.z == 0 && R->x.x == 1 && R->y.y == 1 && R->z.z == 1;
}

static plStatus make(const plShapeDef*, plArena*, const plAllocator*, plShape*, plShapeError*);

static plStatus makeCompound(const plShapeDef* def, plArena* arena, const plAllocator* scratch,
                             plShape* s, plShapeError* error)
{
    plShape* pieces = plArena_Alloc(arena, (size_t)def->pieceCount, sizeof *pieces);
    if (!pieces) return pl_statusOk; // the arena's flag is read by the caller
    for (int i = 0; i < def->pieceCount; i++) {
        const plShapeKind kind = def->pieces[i].kind;
        if (kind == pl_shapePlane || kind == pl_shapeCompound || kind == pl_shapeMesh ||
            kind == pl_shapeNurbs) {
            return plShapeError_Set(error, pl_statusBadArgument,
                                    "piece %d of the compound is a %s, which is not a convex body",
                                    i, plShapeKind_Name((int)kind));
        }
        const plStatus status = make(&def->pieces[i], arena, scratch, &pieces[i], error);
        if (status != pl_statusOk) return status;
        pieces[i].frame = plFrameMul(&s->frame, &pieces[i].frame);
        pieces[i].centered = isIdentity(&pieces[i].frame);
    }
    s->pieces = pieces;
    s->pieceCount = def->pieceCount;
    return pl_statusOk;
}

static plStatus makeKind(const plShapeDef* def, plArena* arena, const plAllocator* scratch,
                         plShape* s, plShapeError* error)
{
    switch (def->kind) {
    case pl_shapeSphere:
        s->radius = def->radius;
        return pl_statusOk;
    case pl_shapeCapsule:
        s->radius = def->radius;
        s->half.x = def->length / 2;
        return pl_statusOk;
    case pl_shapePlane:
        s->normal = plScale(1 / plNorm(def->normal), def->normal);
        return pl_statusOk;
    case pl_shapeBox:
        return makeBox(def, arena, s);
    case pl_shapePolygon:
        return makePolygon(def, arena, s, error);
    case pl_shapeHull:
        return plHull_Build(def->points, def->pointCount, arena, scratch, &s->polytope, error);
    case pl_shapeSupport:
        s->kind = pl_shapeHull;
        return plSupport_Build(def->support, arena, scratch, &s->polytope, error);
    case pl_shapeMesh:
        return plMesh_Build(def, arena, scratch, &s->mesh, error);
    case pl_shapeNurbs:
        return makeNurbs(def, arena, scratch, s, error);
    default:
        return makeCompound(def, arena, scratch, s, error);
    }
}

// --- what every shape carries

static void measurePoints(plShape* s, const plVec3* points, int count)
{
    plBounds b = plBounds_None();
    double farthest = 0;
    for (int i = 0; i < count; i++) {
        b = plBounds_Add(&b, points[i]);
        farthest = fmax(farthest, plNorm(plOut(&s->frame, points[i])));
    }
    s->size = plNorm(plSub(b.hi, b.lo));
    s->extent = farthest;
}

/// The control points hold the surface.
static void measureNurbs(plShape* s)
{
    const plNurbs* n = s->nurbs;
    for (int i = 0; i < n->pieceCount; i++) {
        const plPatch* a = &n->patches[n->pieces[i]];
        const double* H = plNurbs_PiecePoints(n, i);
        for (int k = 0; k < (a->degreeU + 1) * (a->degreeV + 1); k++, H += 4) {
            const plVec3 p = plScale(1 / H[3], plGet3(H));
            s->extent = fmax(s->extent, plNorm(plOut(&s->frame, p)));
        }
    }
    s->size = n->size;
}

static void measure(plShape* s)
{
    const plVec3 ends[2] = {{-s->half.x, 0, 0}, {s->half.x, 0, 0}};
    switch (s->kind) {
    case pl_shapePlane:
        s->extent = INFINITY;
        return;
    case pl_shapeSphere:
        measurePoints(s, ends, 1);
        break;
    case pl_shapeCapsule:
        measurePoints(s, ends, 2);
        break;
    case pl_shapeMesh:
        measurePoints(s, s->mesh->points, s->mesh->pointCount);
        break;
    case pl_shapeNurbs:
        measureNurbs(s);
        break;
    case pl_shapeCompound:
        for (int i = 0; i < s->pieceCount; i++) {
            s->extent = fmax(s->extent, s->pieces[i].extent);
            s->size = fmax(s->size, s->pieces[i].size);
        }
        break;
    default:
        measurePoints(s, s->polytope->vertices, s->polytope->vertexCount);
    }
    s->extent += s->radius;
    s->size += 2 * s->radius;
}

static plStatus make(const plShapeDef* def, plArena* arena, const plAllocator* scratch, plShape* s,
                     plShapeError* error)
{
    const char* why = checkCounts(def);
    if (why) return plShapeError_Set(error, pl_statusCapacity, "%s", why);
    why = checkDef(def);
    if (why) {
        return plShapeError_Set(error, pl_statusBadArgument, "%s: %s",
                                plShapeKind_Name((int)def->kind), why);
    }
    s->kind = def->kind;
    s->frame = plFrameOf((plPose){def->frame.p, plQuatUnit(def->frame.q)});
    s->centered = isIdentity(&s->frame);
    const plStatus status = makeKind(def, arena, scratch, s, error);
    if (status != pl_statusOk) return status;
    if (arena->full) return plShapeError_Set(error, pl_statusCapacity, "no memory for the shape");
    measure(s);
    return pl_statusOk;
}

plStatus plShape_Create(const plShapeDef* def, plArena* arena, const plAllocator* scratch,
                        const plShape** shape, plShapeError* error)
{
    PL_ASSERT(def && arena && scratch && shape);
    const size_t mark = arena->used;
    *shape = NULL;
    if (error) *error = (plShapeError){0};
    plShape* s = plArena_Alloc(arena, 1, sizeof *s);
    if (!s) return plShapeError_Set(error, pl_statusCapacity, "no memory for the shape");
    const plStatus status = make(def, arena, scratch, s, error);
    if (status != pl_statusOk) {
        plArena_Rewind(arena, mark);
        return status;
    }
    *shape = s;
    return pl_statusOk;
}

// Pieces of an arena are rounded up to 64 bytes. A triangulated hull of v vertices has 2 v - 4
// faces and 6 v - 12 half-edges; merging makes both fewer.
static size_t piece(size_t count, size_t size) { return count * size + 64; }

static size_t polytopeMemory(size_t v)
{
    return piece(1, sizeof(plPolytope)) + piece(v, sizeof(plVec3)) + piece(2 * v, sizeof(plFace)) +
           piece(6 * v, sizeof(plHalfEdge)) + piece(v + 1, sizeof(int)) +
           piece(6 * v, sizeof(uint16_t));
}

static size_t meshMemory(size_t points, size_t triangles)
{
    return piece(1, sizeof(plMesh)) + 2 * piece(points, sizeof(plVec3)) +
           2 * piece(3 * triangles, sizeof(int)) + piece(triangles, sizeof(plVec3)) +
           piece(2 * triangles, sizeof(plTreeNode)) + piece(triangles, sizeof(int));
}

size_t plShape_Memory(const plShapeDef* def)
{
    const size_t own = piece(1, sizeof(plShape));
    const size_t points = (size_t)(def->pointCount > 0 ? def->pointCount : 0);
    const size_t triangles = (size_t)(def->triangleCount > 0 ? def->triangleCount : 0);
    size_t sum = own;
    switch (def->kind) {
    case pl_shapeBox:
        return own + piece(4, sizeof(plVec3)) + polytopeMemory(8);
    case pl_shapePolygon:
        return own + piece(points, sizeof(plVec3)) + polytopeMemory(2 * points);
    case pl_shapeSupport:
        return own + polytopeMemory(plHullVertices);
    case pl_shapeHull:
        return own + polytopeMemory(points < plHullVertices ? points : plHullVertices);
    case pl_shapeMesh:
        return own + meshMemory(points, triangles);
    case pl_shapeNurbs:
        return own + plNurbs_Memory(def);
    case pl_shapeCompound:
        for (int i = 0; i < def->pieceCount && def->pieces; i++) {
            // Compounds of compounds are refused; they are not followed here either.
            if (def->pieces[i].kind == pl_shapeCompound) continue;
            sum += plShape_Memory(&def->pieces[i]);
        }
        return sum;
    default:
        return own;
    }
}

plStatus plShapeDef_Mass(const plShapeDef* def, double density, plMass* mass, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena arena;
    const plShape* shape;
    plStatus status = plArena_Create(&arena, plShape_Memory(def), &allocator);
    if (status != pl_statusOk) return plShapeError_Set(error, status, "no memory for the shape");
    status = plShape_Create(def, &arena, &allocator, &shape, error);
    if (status == pl_statusOk) status = plShape_Mass(shape, density, mass, error);
    plArena_Destroy(&arena, &allocator);
    return status;
}
