// Ends of followed contacts on planes and convex shapes.
#ifndef PL_COLLIDE_TRACK_SOLID_H
#define PL_COLLIDE_TRACK_SOLID_H

#include "collide/track_inside.h"

/// As plEnd_Element and its like, in the shape's own frame.
void plSolid_Element(const plShape*, const plTrackEnd*, plElement*);
bool plSolid_Move(const plShape*, const double* s, plTrackEnd*);
bool plSolid_Leave(const plShape*, plVec3 toward, double tilt, plTrackEnd*);
double plSolid_Near(const plShape*, plVec3 p, plTrackEnd*);

#endif
