// palp solve: what its answer is, and its file.
#ifndef PL_APP_SOLVE_H
#define PL_APP_SOLVE_H

#include "app.h"

#include "law/law.h"

#include <stdio.h>

/// Residuals of an answer, each by the judge; `residual` is the largest.
typedef struct {
    double residual, res, natural, bilateral;
} plVerdict;

typedef struct {
    const char *problem, *law;
    const plSpaceFile* file;
    plVerdict verdict;
    const double *p, *u, *l; ///< per row; per bilateral row
} plSolution;

/// As text, or as FCLIB's HDF5 where the path ends so.
bool plSolution_Save(const plSolution*, const char* path);

#endif
