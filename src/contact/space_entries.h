// From entries of matrices to a space in blocks. Private to the readers of spaces.
#ifndef PL_CONTACT_SPACE_ENTRIES_H
#define PL_CONTACT_SPACE_ENTRIES_H

#include "contact/space.h"

bool plEntries_AreInside(const plEntries*);

/// Memory for a space and its known solution.
plStatus plSpaceFile_Take(plSpaceFile*, int dim, int contacts, int blocks, const plAllocator*);

/// The space's blocks, and nothing else of it. All entries must lie inside.
plStatus plSpaceFile_Blocks(plSpaceFile*, int dim, const plEntries* W, const plAllocator*);

/// Copies V (rows x count), R and s, and finds N.
plStatus plSpaceFile_SetBilateral(plSpaceFile*, int rows, int count, const double* V,
                                  const double* R, const double* s, const plAllocator*);
/// What the elimination adds: to an entry of W, and to a row of u_free.
double plBilateral_Fill(const plBilateral*, int row, int column);
double plBilateral_Free(const plBilateral*, int row);
bool plBilateral_Touches(const plBilateral*, int row);

/// Gives everything back but the error.
void plSpaceFile_Clear(plSpaceFile*, const plAllocator*);

/// Says why in `error`; returns the status.
plStatus plSpaceFile_Refuse(plSpaceFile*, plStatus, const char* why);

#endif
