// What makers and readers of patches share.
#ifndef PL_SHAPE_NURBS_PATCHES_H
#define PL_SHAPE_NURBS_PATCHES_H

#include "shape/nurbs_inside.h"
#include "shape/tets_inside.h"

/// The arrays of a new patch, to be filled; void as soon as another is added.
typedef struct {
    double *knotsU, *knotsV;
    plVec3* points;
    double* weights;
} plPatchRoom;

/// One patch more, not filled; false: no memory.
bool plPatches_Add(plPatches*, int degreeU, int degreeV, int countU, int countV, plPatchRoom*);

/// One loop more, of a patch, without points; and a point more of the last one. False: no memory.
bool plPatches_BeginLoop(plPatches*, int patch);
bool plPatches_AddTrim(plPatches*, double u, double v);

/// A file on its way into patches. Readers return false with the error set.
typedef struct {
    plTriangleReader words; ///< name and error, for plTriangleReader_Fail
    plPatches* out;
    const char *bytes, *end; ///< a zero follows that does not count
    size_t numbers;          ///< read so far; files have at most one in two bytes
} plPatchReader;

bool plReadIges(plPatchReader*);
bool plLooksLikeIges(const char* bytes, size_t size);

/// Room for a patch, after its size was compared with that of the file; `line` is where it stands.
bool plPatchReader_Add(plPatchReader*, int line, double degreeU, double degreeV, double countU,
                       double countV, plPatchRoom*);
/// Is the last patch one that a surface can be made of? Else false, with a sentence.
bool plPatchReader_Check(plPatchReader*, int line);

#endif
