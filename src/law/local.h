// One contact alone: w = B f + b, in three rows. Private to the cone.
#ifndef PL_LAW_LOCAL_H
#define PL_LAW_LOCAL_H

#include "law/law.h"

/// A planar contact has an idle third row that repeats the second one's diagonal; a frictionless
/// one has mu = 0. W_nt and W_tn are kept apart: real W are unsymmetric by 1e-5 to 1e-3, and taking
/// one for the other stalls Gauss-Seidel there.                              (signorini 1.4)
typedef struct {
    double B[3][3], b[3], mu;
    int sides; ///< of the section; 0: a disk
} plLocal;

/// Contact i of a space, of which w = W p + q and p are known: b is what the others make of it.
void plLocal_Read(const plSpace*, int i, const double* w, const double* p, plLocal*);

/// Steps of Algorithm 1 from f, and the exact solution, which does not need f.
void plLocal_Printed(const plLocal*, bool sequential, double* f);
void plLocal_Exact(const plLocal*, double* f);

#endif
