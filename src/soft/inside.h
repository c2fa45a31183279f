// What the files of the room share.
#ifndef PL_SOFT_INSIDE_H
#define PL_SOFT_INSIDE_H

#include "soft/soft.h"

/// Fills the error (null is legal) and returns the status.
plStatus plSoft_Fail(plShapeError*, plStatus, const char* sentence);

/// Bytes that one Alloc takes from an arena, at most.
static inline size_t plSoft_Room(size_t count, size_t size)
{
    return (count * size + 127) / 64 * 64;
}

typedef struct {
    double lambda, mu; ///< [Pa]
} plLame;

static inline plLame plSoft_Lame(const plElastic* m)
{
    return (plLame){m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu)), m->E / (2 * (1 + m->nu))};
}

/// The place of a block in a pattern that has it.
int plSoft_Block(const int* start, const int* column, int row, int other);

/// K += the block of two corners with gradients a and b of a tetrahedron of volume V.
void plSoft_AddStiffness(double K[9], double V, plLame, plVec3 a, plVec3 b);

/// Of block k, in the row of a node: what stands on its diagonal in M.
static inline double plSoft_MassOf(const plSoft* s, plSoftMass mass, int node, int k)
{
    if (mass == pl_softConsistent) return s->M[k];
    return s->column[k] == node ? s->lumped[node] : 0;
}

/// Number (c, e) of block k of a M + b K.
static inline double plSoft_Entry(const plSoft* s, double a, double b, double mass, int k, int c,
                                  int e)
{
    return b * s->K[9 * k + 3 * c + e] + (e == c ? a * mass : 0);
}

/// Which columns of L belong together; once, when its pattern is known.
void plSoftFactor_FindRuns(plSoftFactor*);

/// Forward and back substitution over the rows from `first` on.
void plSoftFactor_Lower(const plSoftFactor*, int first, double* x);
void plSoftFactor_LowerT(const plSoftFactor*, int first, double* x);

#endif
