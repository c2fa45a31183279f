// One step of Newton in the unknowns that contacts have in their present states. Private to the cone.
#ifndef PL_LAW_REDUCED_H
#define PL_LAW_REDUCED_H

#include "law/law.h"

/// The point to which Newton goes from the states of w->u, into w->trial; w->D must be there. False:
/// singular, or more unknowns than w->J has room for.
bool plReduced_Point(const plSpace*, const double* q, double a, const double* anchor, plLawWork*);

#endif
