// Contact problems in the HDF5 files of FCLIB, the library of frictional contact problems.
#ifndef PL_APP_FCLIB_H
#define PL_APP_FCLIB_H

#include "contact/contact.h"

/// Whether the file is one of HDF5.
bool plFclib_Is(const char* path);

/// Reads its local problem, or its global one. On failure `error` says where and what.
plStatus plFclib_Load(plSpaceFile*, const char* path, const plAllocator*);

/// Writes what a solution of FCLIB's is, /solution/r, u and, with bilateral rows, l, to a new file.
bool plFclib_SaveSolution(const char* path, const double* r, const double* u, int rows,
                          const double* l, int others);

#endif
