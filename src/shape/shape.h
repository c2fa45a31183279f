// shape: solids that can touch; immutable once made.
//   in    definitions (palp/shape.h)
//   out   support points, bounds, closest points, rays, mass properties
//   letters  R, x frame of a shape in its carrier (the part that it is fixed to); p a point;
//            n outward unit normal; n.p <= d the inner side of a face
// A shape is found in one of two ways: the convex ones are a *core* (point, segment, polytope)
// grown by a radius, so that their Minkowski differences are polytopes grown by a radius, and
// distance and depth have exact finite algorithms; the others (plane, compound, mesh) are made of
// such.
#ifndef PL_SHAPE_H
#define PL_SHAPE_H

#include "math/math.h"
#include "palp/shape.h"

typedef struct {
    plVec3 lo, hi;
} plBounds;

/// Half-edges of a face lie one after the other, counter-clockwise seen from outside.
typedef struct {
    uint16_t origin; ///< vertex
    uint16_t twin;   ///< half-edge of the neighbour, running the other way
    uint16_t face;
} plHalfEdge;

typedef struct {
    plVec3 n;
    double d;         ///< largest n.p of the polytope
    int first, count; ///< half-edges
} plFace;

/// A convex polytope. Faces are flat to plFlat of its size; the vertices alone are its exact
/// geometry. A triangle of a mesh is one too, with two faces.
typedef struct {
    int vertexCount, edgeCount, faceCount; ///< edgeCount: half-edges
    const plVec3* vertices;
    const plHalfEdge* edges;
    const plFace* faces;
    double width; ///< least distance between two parallel planes that hold it, one along a face [m]
    /// Edges of the triangulated hull, for climbing: those of vertex i are
    /// neighbours[first[i]] .. neighbours[first[i + 1] - 1]. Null: a scan is as fast.
    const int* first;
    const uint16_t* neighbours;
} plPolytope;

/// How far from its plane a vertex of a merged face may lie, relative to the size; for hulls
/// thinner than a ten-thousandth of it, a thousandth of their thickness.
#define plFlat 1e-7

/// Node of a tree of bounds. A leaf holds items first .. first + count - 1 of the tree's order; an
/// inner node (count 0) has its children at first and first + 1.
typedef struct {
    plBounds bounds;
    int first, count;
} plTreeNode;

enum { plTreeDepth = 64, plNoTriangle = -1 };

typedef struct {
    int pointCount, triangleCount, nodeCount;
    const plVec3* points;
    const int* triangles;
    const plVec3* normals;      ///< of triangles, unit
    const plVec3* pointNormals; ///< of points, weighted by angle, not unit
    const int* neighbours;      ///< triangle over each of the 3 edges, or plNoTriangle
    const plTreeNode* nodes;
    const int* order; ///< triangles as the leaves hold them
    bool closed;      ///< every edge has two triangles, and they run it in opposite ways
} plMesh;

typedef struct plShape plShape;
struct plShape {
    plShapeKind kind;
    plFrame frame; ///< in the carrier
    bool centered; ///< the frame is the carrier's own
    double size;   ///< largest distance of two points of the core's bounds [m]
    double extent; ///< farthest point from the carrier's origin [m]; infinite for a plane
    double radius; ///< by which the core is grown
    plVec3 half;   ///< box; capsule: half.x, core from -half.x to half.x
    plVec3 normal; ///< plane
    const plPolytope* polytope; ///< box, polygon, hull
    int cornerCount;            ///< box, polygon: outline in the x-y plane, counter-clockwise
    const plVec3* corners;
    const plMesh* mesh;
    const struct plNurbs* nurbs; ///< shape/nurbs.h
    int pieceCount;              ///< compound; the pieces' frames are in the carrier
    const plShape* pieces;
};

/// Working memory is taken from `scratch` and given back before the return. A refusal leaves the
/// arena as it was, with a sentence in the error.
plStatus plShape_Create(const plShapeDef*, plArena*, const plAllocator* scratch, const plShape**,
                        plShapeError*);

/// Bytes of arena that the shape of a definition takes at most.
size_t plShape_Memory(const plShapeDef*);

static inline bool plShape_IsConvex(const plShape* s)
{
    return s->kind <= pl_shapeHull && s->kind != pl_shapePlane;
}

/// Index of the vertex farthest along d, in the polytope's frame. `start` is where climbing
/// begins (0 .. vertexCount - 1); a good guess makes it cheap.
int plPolytope_Support(const plPolytope*, plVec3 d, int start);

/// Farthest point of a convex shape along d, in the shape's own frame, with its radius; d need not
/// be unit. `index` keeps the place where the search ended, or null.
plVec3 plShape_Support(const plShape*, plVec3 d, int* index);

/// Frame of the shape when its carrier has the given one.
static inline plFrame plShape_Frame(const plShape* s, const plFrame* carrier)
{
    return s->centered ? *carrier : plFrameMul(carrier, &s->frame);
}

/// Bounds of the shape when its carrier has the given frame. A plane's reach to infinity, unless it
/// faces along an axis.
plBounds plShape_Bounds(const plShape*, const plFrame* carrier);

typedef struct {
    double distance; ///< < 0 inside [m]
    plVec3 point;    ///< of the surface, nearest
    plVec3 normal;   ///< of the surface there: the direction in which the distance grows
} plNearest;

/// Nearest point of the surface, all in the carrier's frame. Exact, except inside a compound,
/// where it is the deepest of the pieces' answers (a lower bound of the depth). Distances of a mesh
/// that is not closed are never negative. Those of a sculpted surface are by the normal of the nearest
/// place, and not negative beyond an open edge.
plNearest plShape_Nearest(const plShape*, plVec3 p);

typedef struct {
    bool hit;
    double t; ///< place along the ray, in units of its direction
    plVec3 normal;
    int part; ///< piece of a compound, triangle of a mesh, patch of a surface, else 0
} plRayHit;

/// First point of the surface on p + t d, 0 <= t <= tMax, entered from outside, in the carrier's
/// frame. A ray that starts inside a convex shape does not hit it.
plRayHit plShape_Ray(const plShape*, plVec3 p, plVec3 d, double tMax);

/// As plShapeDef_Mass.
plStatus plShape_Mass(const plShape*, double density, plMass*, plShapeError*);

// --- bounds

/// fmin and fmax for numbers that are none matter to nobody here, and are calls.
static inline double plLower(double a, double b) { return a < b ? a : b; }
static inline double plHigher(double a, double b) { return a > b ? a : b; }

static inline plBounds plBounds_Grow(plBounds b, double by)
{
    return (plBounds){plVec(b.lo.x - by, b.lo.y - by, b.lo.z - by),
                      plVec(b.hi.x + by, b.hi.y + by, b.hi.z + by)};
}
static inline bool plBounds_Meet(const plBounds* a, const plBounds* b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}
static inline bool plBounds_Hold(const plBounds* outer, const plBounds* inner)
{
    return outer->lo.x <= inner->lo.x && inner->hi.x <= outer->hi.x && outer->lo.y <= inner->lo.y &&
           inner->hi.y <= outer->hi.y && outer->lo.z <= inner->lo.z && inner->hi.z <= outer->hi.z;
}
plBounds plBounds_None(void); ///< holds nothing: lo infinite, hi minus infinite
plBounds plBounds_Join(const plBounds*, const plBounds*);
plBounds plBounds_Add(const plBounds*, plVec3);

/// p in the frame, from the frame's parent, and back.
static inline plVec3 plInto(const plFrame* f, plVec3 p) { return plMulT(&f->R, plSub(p, f->x)); }
static inline plVec3 plOut(const plFrame* f, plVec3 p) { return plAdd(f->x, plMul(&f->R, p)); }

/// Frame b seen from frame a, both given in one parent.
static inline plFrame plBetween(const plFrame* a, const plFrame* b)
{
    const plMat3* R = &b->R;
    const plVec3 x = {R->x.x, R->y.x, R->z.x}, y = {R->x.y, R->y.y, R->z.y};
    const plVec3 z = {R->x.z, R->y.z, R->z.z};
    const plVec3 u = plMulT(&a->R, x), v = plMulT(&a->R, y), w = plMulT(&a->R, z);
    return (plFrame){plInto(a, b->x), {{u.x, v.x, w.x}, {u.y, v.y, w.y}, {u.z, v.z, w.z}}};
}

// --- small closest points that several rooms need

/// Nearest point of segment a b to p; `s` in [0, 1] is its place, or null.
plVec3 plNearestOnSegment(plVec3 p, plVec3 a, plVec3 b, double* s);

/// Nearest point of triangle a b c to p, with its weights (>= 0, sum 1).
plVec3 plNearestOnTriangle(plVec3 p, plVec3 a, plVec3 b, plVec3 c, double weight[3]);

/// Calls `visit` for every triangle whose bounds meet the given ones, in a fixed order, until it
/// returns false.
void plMesh_Visit(const plMesh*, const plBounds*, bool (*visit)(void* self, int triangle),
                  void* self);

#include "shape/nurbs.h" // a part of this door, which needs what stands above

#endif
