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

/// Forward and back substitution over the rows from `first` on.
void plSoftFactor_Lower(const plSoftFactor*, int first, double* x);
void plSoftFactor_LowerT(const plSoftFactor*, int first, double* x);

#endif
