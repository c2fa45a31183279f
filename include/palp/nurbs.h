// Sculpted surfaces: sets of rational B-spline patches, made here or read from files.
//
//   plPatches teapot;
//   plPatches_Load("teapot.bpt", 0.01, NULL, &teapot, &error);
//   plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
//   def.patchCount = teapot.count;
//   def.patches = teapot.patches;
#ifndef PALP_NURBS_H
#define PALP_NURBS_H

#include "palp/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One patch:  S(u, v) = sum w_ij P_ij B_i(u) B_j(v) / sum w_ij B_i(u) B_j(v)  for
/// u in [U[degreeU], U[countU]], v likewise. Knots need not be clamped.
struct plPatchDef {
    int degreeU, degreeV; ///< 1 .. plPatchDegree
    int countU, countV;   ///< of control points, at least degree + 1
    const double *knotsU,
        *knotsV;           ///< count + degree + 1, not decreasing, at most degree equal ones
                           ///< inside
    const plVec3* points;  ///< countU x countV, those of one u one after the other [m]
    const double* weights; ///< the same, > 0; null: all 1
};

/// A closed line in the parameters of a patch, its last point joined to the first. A place is left of
/// the patch where a line from it crosses its loops an odd number of times. Contacts, rays and pictures
/// leave out what is cut away; the new border itself touches nothing.
struct plTrimLoop {
    int patch;            ///< that it trims
    int count;            ///< of points, at least 3
    const double* points; ///< u, v of each
};

/// The largest counts of a definition; more is refused with pl_statusCapacity.
enum {
    plPatchDegree = 9,
    plPatchPoints = 1 << 16,
    plShapePatches = 4096,
    plTrimPoints = 1 << 22 ///< of all loops
};

/// Patches that were read or made; freed by plPatches_Free.
typedef struct {
    int count;             ///< of patches
    plPatchDef* patches;   ///< they point into `memory`
    bool inward;           ///< S_u x S_v points into the solid
    bool eitherSide;       ///< of a file: it is open and does not tell `inward`, then false
    int loopCount;         ///< of what trims the patches
    plTrimLoop* loops;     ///< they point into `trims`
    int trimCount;         ///< of points of all loops
    double* trims;         ///< u, v of each
    plAllocator allocator; ///< that they were taken from
    void* memory;          ///< of everything that the patches point to
    size_t patchBytes, memoryBytes; ///< as taken from the allocator
    size_t loopBytes, trimBytes;    ///< likewise
} plPatches;

/// Reads IGES (all entities 128, moved by their matrices, and what trims them: 144 with the curves 100,
/// 102, 110 and 126 in their parameters) or the patch lists of the Utah teapot (a count, then for each
/// patch two degrees and its points; or indices from one, then a count and the points), told apart by
/// content. Lengths are multiplied by `scale`, after IGES's own unit. `inward` is told by the sign of the
/// volume that the control nets enclose, if it is the same seen from anywhere in their bounds; of an open
/// part it need not be, and `eitherSide` says so. The allocator may be null, here and below.
plStatus plPatches_Load(const char* path, double scale, const plAllocator*, plPatches*,
                        plShapeError*);

/// The same from bytes; `name` stands for the file in messages.
plStatus plPatches_Parse(const char* name, const void* bytes, size_t size, double scale,
                         const plAllocator*, plPatches*, plShapeError*);
void plPatches_Free(plPatches*);

/// Exact surfaces about z, outward, their middle at the origin. The sphere has two poles, the cone one
/// at its tip, above. Cylinder and cone are four quarters each, with flat caps that have no pole.
plStatus plPatches_Sphere(double radius, const plAllocator*, plPatches*, plShapeError*);
plStatus plPatches_Cylinder(double radius, double length, const plAllocator*, plPatches*,
                            plShapeError*);
plStatus plPatches_Cone(double radius, double length, const plAllocator*, plPatches*,
                        plShapeError*);
plStatus plPatches_Torus(double radius, double tube, const plAllocator*, plPatches*, plShapeError*);
/// A rational B-spline curve in the x-z plane, x >= 0, turned about z; outward where the curve runs
/// upwards.
plStatus plPatches_Revolve(int degree, int count, const double* knots, const plVec3* points,
                           const double* weights, const plAllocator*, plPatches*, plShapeError*);

#ifdef __cplusplus
}
#endif
#endif
