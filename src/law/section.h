// The section of a friction cone: what p_t may be, for one p_n. A disk, or the polygon of a pyramid
// whose corners lie on the disk's border, at the angles 2 pi j/sides. Private to the room.
#ifndef PL_LAW_SECTION_H
#define PL_LAW_SECTION_H

#include "law/law.h"

/// Sides of a space's sections; 0: disks.
static inline int plSection_Sides(const plSpace* s)
{
    return s->pyramids && s->dim == 3 ? s->sides : 0;
}

/// The radius of the least section that holds t.
double plSection_Radius(int sides, const double t[2]);

/// The point of a polygon that is nearest to t, in place.
void plSection_Project(int sides, double radius, double t[2]);

/// The part of a polygon's border that is nearest to t outside: a corner, in the direction e; or a side
/// (true), whose normal is e and whose distance is `share` of the radius.
bool plSection_Border(int sides, double radius, const double t[2], double e[2], double* share);

#endif
