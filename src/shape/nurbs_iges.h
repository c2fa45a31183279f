// What the files about IGES share.
#ifndef PL_SHAPE_NURBS_IGES_H
#define PL_SHAPE_NURBS_IGES_H

#include "shape/nurbs_patches.h"

/// Records of a section: lines[first] .. lines[first + count - 1].
typedef struct {
    int first, count;
} plIgesSection;

typedef struct {
    plPatchReader* r;
    const char** lines;
    int lineCount;
    plIgesSection global, directory, parameters;
    char between, after; ///< delimiters of parameters and of records
    double unit;         ///< [m]
    int* patches;        ///< of each entity: the patch that was read from it, from one; 0: none
} plIges;

/// Characters of records, without what stands beside them.
typedef struct {
    plIges* g;
    int line, end, column, width;
} plIgesTape;

/// Fields of the directory.
enum { plIgesKind = 0, plIgesParameters = 1, plIgesMatrix = 6, plIgesLines = 13 };

// All return false with the error set.
bool plIges_Fail(plIges*, int line, const char* sentence);
bool plIges_Directory(plIges*, int entity, int field, int* value);
/// The parameters of an entity, behind its kind.
bool plIges_Parameters(plIges*, int entity, int kind, plIgesTape*);
bool plIges_Number(plIgesTape*, double*);
bool plIges_Numbers(plIgesTape*, double*, int count);
/// The entity that a pointer names, and its kind; `line` is where it stands.
bool plIges_Entity(plIges*, int line, double pointer, int* entity, int* kind);
/// Moves points by the matrix of an entity, and by that of its matrix.
bool plIges_Move(plIges*, int entity, plVec3* points, int count);

/// nurbs_trim_iges.c: what trimmed surfaces leave of the patches.
bool plIges_Trims(plIges*);

#endif
