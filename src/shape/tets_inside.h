// What the files about tetrahedra share.
#ifndef PL_SHAPE_TETS_INSIDE_H
#define PL_SHAPE_TETS_INSIDE_H

#include "palp/tets.h"
#include "shape/inside.h"

// --- growing meshes

/// Room for one more of `size` bytes in a list that is doubled when full; false: no memory.
bool plList_Grow(const plAllocator*, void** list, size_t* bytes, size_t count, size_t size);

/// pl_statusCapacity or pl_statusNoMemory when there is no room.
plStatus plTets_AddPoint(plTets*, plVec3);
plStatus plTets_AddTet(plTets*, const int corners[4]);

static inline plVec3 plTets_Corner(const plTets* t, int tet, int k)
{
    return t->points[t->tets[4 * (size_t)tet + (size_t)k]];
}

/// Six times the signed volume.
double plTets_Volume6(const plTets*, int tet);

/// Corners of face k, which lies opposite to corner k, counter-clockwise seen from outside.
void plTets_Face(const plTets*, int tet, int k, int face[3]);

// --- faces, found twice when two tetrahedra share them

typedef struct {
    int sorted[3];
    int tet, k;
} plTetFace;

/// All faces, equal ones side by side; null without memory. 4 for each tetrahedron.
plTetFace* plTets_Faces(const plTets*, plScratch*);
bool plTetFace_Equal(const plTetFace*, const plTetFace*);

// --- made meshes

/// Hexahedra in a grid. Points are counted as the filled hexahedra need them, k fastest.
typedef struct {
    int nx, ny, nz;
    bool wraps;                                            ///< the last plane of x is the first one
    bool (*filled)(const void* self, int i, int j, int k); ///< null: all are
    plVec3 (*place)(const void* self, int i, int j, int k); ///< of a corner
    const void* self;
} plTetGrid;

plStatus plTets_FromGrid(const plTetGrid*, const plAllocator*, plTets*);

// --- reading

/// A place in a file. The bytes end with a zero that does not count.
typedef struct {
    const char *start, *at, *end;
    int line;
    bool binary, bigEnd;
} plCursor;

void plCursor_SkipSpace(plCursor*);
bool plCursor_SkipLine(plCursor*); ///< false: there was none
/// The next word, if it is this one, whatever its case. Words are always text.
bool plCursor_Accept(plCursor*, const char* word);
/// The next number: of so many bytes in a binary file, else a word. False: there is none.
bool plCursor_Int(plCursor*, int width, int64_t*);
bool plCursor_Real(plCursor*, int width, double*);

/// A file on its way into tetrahedra. Readers return false with the error set.
typedef struct {
    plTriangleReader words; ///< name and error, for plTriangleReader_Fail
    plTets* out;
    plCursor c;
} plTetReader;

bool plReadMsh(plTetReader*);
bool plReadVtk(plTetReader*);
bool plReadPlain(plTetReader*);

/// False, with a sentence about this place of the file.
bool plTetReader_Say(plTetReader*, const plCursor*, const char* sentence);
/// These fail in words; `what` is what was expected.
bool plTetReader_Fail(plTetReader*, const plCursor*, const char* what);
bool plTetReader_Int(plTetReader*, plCursor*, int width, const char* what, int64_t*);
/// An integer >= 0.
bool plTetReader_Count(plTetReader*, plCursor*, int width, const char* what, int64_t*);
bool plTetReader_Point(plTetReader*, plCursor*, int width);
/// A tetrahedron of points counted from 0.
bool plTetReader_Tet(plTetReader*, const plCursor*, const int64_t corners[4]);

#endif
