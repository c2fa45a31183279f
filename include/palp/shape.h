// Shapes: what touches. A definition describes one; files of triangles can be read into it.
//
//   plShapeDef def = plDefaultShapeDef(pl_shapeBox);
//   def.half = (plVec3){0.1, 0.05, 0.02};
#ifndef PALP_SHAPE_H
#define PALP_SHAPE_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a shape is.
typedef enum {
    pl_shapeSphere,   ///< about its origin
    pl_shapeCapsule,  ///< along its x axis
    pl_shapeBox,      ///< about its origin
    pl_shapePlane,    ///< a half-space: everything behind a plane through the frame's origin
    pl_shapePolygon,  ///< convex, in the x-y plane, extruded along z: the shape of planar worlds
    pl_shapeHull,     ///< convex hull of points
    pl_shapeCompound, ///< union of convex pieces
    pl_shapeMesh,     ///< triangles, counter-clockwise seen from outside
    pl_shapeNurbs,    ///< rational B-spline patches (palp/nurbs.h)
    pl_shapeCount,
    pl_shapeSupport = 64 ///< convex, by the user's support function (palp/own.h); becomes a hull
} plShapeKind;

const char* plShapeKind_Name(int); ///< "sphere", "capsule", "box", ...

typedef struct plShapeDef plShapeDef;
typedef struct plPatchDef plPatchDef;
typedef struct plTrimLoop plTrimLoop;

/// What a kind does not need is not read.
struct plShapeDef {
    plShapeKind kind; ///< says what else is read
    plPose frame;     ///< of the shape, in the frame of the part that carries it
    double radius;    ///< sphere, capsule [m], > 0
    double length;    ///< capsule: between the centres of its ends [m], >= 0
    plVec3 half;      ///< box: half lengths of its sides [m], > 0
    plVec3 normal;    ///< plane: out of the half-space; made unit; default z
    double thickness; ///< polygon: along z, half to each side [m], > 0; default 1
    /// polygon: corners in order, either way round, z not read; hull: any points; mesh: vertices
    int pointCount;
    const plVec3* points;
    /// mesh: three indices of points for each triangle
    int triangleCount;
    const int* triangles;
    /// compound: spheres, capsules, boxes, polygons, hulls; their frames are in the compound's
    /// frame
    int pieceCount;
    const plShapeDef* pieces;
    /// nurbs: patches whose edges agree are joined; `inward`: S_u x S_v points into the solid
    int patchCount;
    const plPatchDef* patches;
    bool inward;
    /// nurbs: closed lines that trim patches; of a patch that has any only what they enclose is there
    int loopCount;
    const plTrimLoop* loops;
    /// support: asked when the shape is made, and never after
    const struct plSupportDef* support;
};

/// The identity as frame, a radius and half lengths of 0.5 m, everything else as written above.
plShapeDef plDefaultShapeDef(plShapeKind);

/// The largest counts of a definition; more is refused with pl_statusCapacity.
enum {
    plPolygonCorners = 64,
    plHullVertices = 1024,  ///< on the hull
    plHullPoints = 1 << 20, ///< given
    plCompoundPieces = 4096,
    plMeshTriangles = 1 << 22
};

/// What is wrong with a shape or a file, in one sentence; `line` is 0 where there is none.
typedef struct {
    plStatus status;   ///< what the call returned
    int line;          ///< of the file, from 1
    char message[512]; ///< for a person
} plShapeError;

/// Of a solid body of constant density.
typedef struct {
    double mass;    ///< [kg]
    plVec3 center;  ///< of mass, in the frame of the part that carries the shape [m]
    plMat3 inertia; ///< about the centre of mass, in that frame's axes [kg m^2]
} plMass;

/// Mass properties of the shape of a definition; density in [kg/m^3], > 0. Planes have none, nor
/// have meshes that are not closed or whose triangles do not agree which side is outside
/// (pl_statusBadArgument). Pieces of a compound count fully, also where they overlap.
plStatus plShapeDef_Mass(const plShapeDef*, double density, plMass*, plShapeError*);

/// Triangles that were read from a file; freed by plTriangles_Free.
typedef struct {
    int pointCount, triangleCount;    ///< lengths of the arrays
    plVec3* points;                   ///< [m]
    int* triangles;                   ///< 3 for each
    plAllocator allocator;            ///< that they were taken from
    size_t pointBytes, triangleBytes; ///< as taken from the allocator
} plTriangles;

/// Reads Wavefront OBJ (polygons are cut into fans) or STL (text or binary; equal corners become
/// one point), told apart by content. Lengths are multiplied by `scale`. Coordinates must be finite
/// and below 1e6 after scaling; triangles without area are dropped.
plStatus plTriangles_Load(const char* path, double scale, const plAllocator*, plTriangles*,
                          plShapeError*);

/// The same from bytes; `name` stands for the file in messages.
plStatus plTriangles_Parse(const char* name, const void* bytes, size_t size, double scale,
                           const plAllocator*, plTriangles*, plShapeError*);
void plTriangles_Free(plTriangles*); ///< one that was not read must be zeroed

#ifdef __cplusplus
}
#endif
#endif
