// The fixed-point map whose zeros are the contact law's solutions, as the cone's solvers see it:
//   F(p) = p - P(p - D^-1 w),  w = W p + q + a D (p - anchor)                (signorini spec 1.4)
// Private to the solvers of this room; the judge has its own.
#ifndef PL_LAW_FIXED_POINT_H
#define PL_LAW_FIXED_POINT_H

#include "law/law.h"

/// w = q + W p of the rows of one contact.
void plFixedPoint_Rows(const plSpace*, const double* q, const double* p, int contact, double* w);

/// Per row; 1 where the space has none (nothing can move there).
void plFixedPoint_Diagonal(const plSpace*, double* D);

/// F at p and, in u, the point p - D^-1 w that is projected; D must be there. Returns |F|.
double plFixedPoint_Defect(const plSpace*, const double* q, double a, const double* anchor,
                           const double* p, const double* D, double* u, double* F);

/// |F|/|p| at a = 0; D must be there.
double plFixedPoint_Res(const plSpace*, const double* q, const double* p, plLawWork*);

#endif
