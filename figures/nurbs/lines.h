// Sculpted surfaces as lines on paper.
#ifndef PL_FIGURES_NURBS_LINES_H
#define PL_FIGURES_NURBS_LINES_H

#include "palp/palp.h"

typedef struct {
    double x, y, dx, dy; ///< [mm]
    bool isPot;          ///< of a surface of several patches
} plLine;

/// From the side, a little from above and from behind the pot: right and up on the paper [mm].
void plLines_Project(plVec3, double* x, double* y);

/// Lines of constant u and v on all sculpted surfaces; of those of several patches what faces the eye. How
/// many.
int plLines_OfWorld(const plWorld*, plLine*, int most);

#endif
