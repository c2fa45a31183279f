// Tetrahedral meshes: the matter of soft bodies. They are read from files or made here.
//
//   plTets tets;
//   plShapeError error;
//   plAllocator allocator = plDefaultAllocator();
//   if (plTets_Load("beam.msh", 1, &allocator, &tets, &error) != pl_statusOk) puts(error.message);
#ifndef PALP_TETS_H
#define PALP_TETS_H

#include "palp/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The largest count of tetrahedra, and of points; more is refused with pl_statusCapacity.
enum { plMostTets = 1 << 22 };

/// Freed by plTets_Free. A tetrahedron (a, b, c, d) has its volume, (b - a) x (c - a) . (d - a)/6,
/// above zero.
typedef struct {
    int pointCount, tetCount;    ///< lengths of the arrays
    plVec3* points;              ///< [m]
    int* tets;                   ///< 4 points for each
    plAllocator allocator;       ///< that they were taken from
    size_t pointBytes, tetBytes; ///< as taken from the allocator
} plTets;

/// Reads MSH 2.2 and 4.1 and legacy VTK, text or binary, and plain text (two counts, then points,
/// then tetrahedra, counted from 0; what follows is not read), told apart by content. Lengths are
/// multiplied by `scale`. Elements other than linear tetrahedra are passed over. Coordinates must be
/// finite and below 1e6 after scaling. The mesh is as the file has it: plTets_Check says whether it
/// is sound.
plStatus plTets_Load(const char* path, double scale, const plAllocator*, plTets*, plShapeError*);

/// The same from bytes; `name` stands for the file in messages.
plStatus plTets_Parse(const char* name, const void* bytes, size_t size, double scale,
                      const plAllocator*, plTets*, plShapeError*);
void plTets_Free(plTets*);

// --- soundness

/// Counts, each with the first of its kind (-1: none).
typedef struct {
    int inverted, firstInverted; ///< tetrahedra with a negative volume
    int degenerate,
        firstDegenerate;       ///< six times the volume is below 1e-9 of the longest edge cubed
    int unused, firstUnused;   ///< points of no tetrahedron
    int crowded, firstCrowded; ///< tetrahedra with a face that two others have too
    int pieces, firstApart;    ///< bodies that no face joins; a tetrahedron of the second one
} plTetsReport;

/// pl_statusBadArgument when anything is wrong, with a sentence that names it all.
plStatus plTets_Check(const plTets*, plTetsReport*, plShapeError*);

/// Turns the inverted ones; returns how many.
int plTets_Orient(plTets*);

// --- surface

/// The faces that belong to one tetrahedron only, counter-clockwise seen from outside, and the
/// points that they use, ascending. Freed by plTetsSurface_Free.
typedef struct {
    int triangleCount, pointCount;    ///< lengths of the arrays
    int* triangles;                   ///< 3 points of the mesh for each
    int* points;                      ///< of the mesh
    plAllocator allocator;            ///< that they were taken from
    size_t triangleBytes, pointBytes; ///< as taken from the allocator
} plTetsSurface;

/// The surface of a mesh.
plStatus plTets_Surface(const plTets*, const plAllocator*, plTetsSurface*);
void plTetsSurface_Free(plTetsSurface*);

// --- made meshes: hexahedra, each cut into six tetrahedra about one diagonal      (signorini 1.1)

/// A box of nx x ny x nz hexahedra.
plStatus plTets_Box(int nx, int ny, int nz, plVec3 lo, plVec3 hi, const plAllocator*, plTets*);

/// A bar along x from the origin, its square section centred on the x axis: `across` hexahedra to
/// a side, along it as many as make them nearest to cubes.
plStatus plTets_Bar(double length, double side, int across, const plAllocator*, plTets*);

/// Adds the image in the plane where a coordinate (0 x, 1 y, 2 z) is zero. Points of that plane are
/// shared. A box that is mirrored has no preferred diagonal across the plane.  (signorini 5)
plStatus plTets_Mirror(plTets*, int axis);

/// The table of signorini 4: a top on four legs, `cells` hexahedra across a leg; the legs stand on
/// z = 0. Beams between the legs: 0 none, 1 along x, 2 a ring of four.
plStatus plTets_Table(int cells, int beams, const plAllocator*, plTets*);

/// The clip of signorini 6: an open ring about the z axis with a handle on its +y side. Angles are
/// from +y [rad]. Counts are those of a quarter: it is mirrored in x and in z.
typedef struct {
    double innerRadius, thickness, depth;     ///< [m]; depth along z
    double handleAngle;                       ///< half of the arc under the handle
    double tipAngle;                          ///< where an arm ends
    double handleLength;                      ///< above the ring [m]
    int handleCells, armCells;                ///< along the arc
    int radialCells, depthCells, lengthCells; ///< across the ring, along z, along the handle
} plClipDef;

/// 393 points, 1152 tetrahedra, 15 g at 950 kg/m^3; with depthCells 5 the "rich" one.
plClipDef plDefaultClipDef(void);
plStatus plTets_Clip(const plClipDef*, const plAllocator*, plTets*);

/// A pipe about the z axis, from z = 0.
typedef struct {
    double outerRadius, wall, length;      ///< [m]
    int sectors, radialCells, lengthCells; ///< sectors >= 3
} plPipeDef;

/// 10 mm, wall 1 mm, 40 mm long, in 24 sectors.
plPipeDef plDefaultPipeDef(void);
plStatus plTets_Pipe(const plPipeDef*, const plAllocator*, plTets*);

/// Half a ball, z <= 0, its flat face at z = 0, of which a quarter is made (x >= 0, y >= 0; mirror
/// it for the whole). Hexahedra are smallest at the pole (0, 0, -radius) and grow away from it by a
/// constant ratio.
typedef struct {
    double radius;     ///< [m]
    double finest;     ///< side of a hexahedron at the pole [m], < radius/cells
    int cells, layers; ///< from the axis outward, and from the pole to the flat face
} plHemisphereDef;

/// 10 mm, 0.17 mm at the pole.
plHemisphereDef plDefaultHemisphereDef(void);
plStatus plTets_Hemisphere(const plHemisphereDef*, const plAllocator*, plTets*);

#ifdef __cplusplus
}
#endif
#endif
