// What the files of the room share.
#ifndef PL_SHAPE_INSIDE_H
#define PL_SHAPE_INSIDE_H

#include "palp/own.h"
#include "shape/shape.h"

/// Fills the error (null is legal) and returns the status.
plStatus plShapeError_Set(plShapeError*, plStatus, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// Working memory of one call.
typedef struct {
    const plAllocator* allocator;
    void* memory[12];
    size_t size[12];
    int count;
    bool full; ///< a Take has failed
} plScratch;

void* plScratch_Take(plScratch*, size_t count, size_t size); ///< zeroed; null when there is none
void plScratch_Free(plScratch*);

/// Makers return null when the arena is full.
const plPolytope* plPolytope_Box(plVec3 half, plArena*);
const plPolytope* plPolytope_Prism(const plVec3* corners, int count, double thickness, plArena*);
/// Unit normals of the faces, the offsets that hold all vertices, and the width.
void plPolytope_SetPlanes(plPolytope*, plFace* faces);

/// A convex body by its support function (palp/own.h), as a hull.
plStatus plSupport_Build(const plSupportDef*, plArena*, const plAllocator* scratch,
                         const plPolytope**, plShapeError*);
const char* plSupport_Complaint(const plSupportDef*); ///< null: nothing to complain of
plStatus plHull_Build(const plVec3* points, int count, plArena*, const plAllocator* scratch,
                      const plPolytope**, plShapeError*);
plStatus plMesh_Build(const plShapeDef*, plArena*, const plAllocator* scratch, const plMesh**,
                      plShapeError*);

/// A tree over items with given bounds. Returns the number of nodes (at most 2 count - 1, never
/// more than `count` deep nor plTreeDepth).
int plTree_Build(const plBounds* items, int count, plTreeNode* nodes, int* order);

/// Squared distance of p to bounds, 0 inside.
double plBounds_Outside2(const plBounds*, plVec3 p);
/// Does p + t d meet the bounds for 0 <= t <= tMax?
bool plBounds_Crossed(const plBounds*, plVec3 p, plVec3 d, double tMax);

/// A file on its way into triangles. Readers return false with the error set. Bytes end with a zero
/// that does not count.
typedef struct {
    const char* name;
    plTriangles* out;
    plShapeError* error;
} plTriangleReader;

bool plReadObj(plTriangleReader*, const char* bytes, size_t size);
bool plReadStl(plTriangleReader*, const char* bytes, size_t size);
bool plLooksLikeStl(const char* bytes, size_t size);

/// One point or triangle more; false, with the error set, when there is no room.
bool plTriangleReader_AddPoint(plTriangleReader*, plVec3);
bool plTriangleReader_AddTriangle(plTriangleReader*, int a, int b, int c);
bool plTriangleReader_Fail(plTriangleReader*, plStatus, int line, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// All bytes of a file, in the scratch. Null: the reader has failed.
char* plReadFile(plTriangleReader*, const char* path, plScratch*, size_t* size);

/// A finite decimal number of at most 63 characters at *at, behind blanks; false when there is
/// none.
bool plReadNumber(const char** at, double* value);

#endif
