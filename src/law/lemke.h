// The ways to an LCP that are tried before Lemke's. Private to this room.
#ifndef PL_LAW_LEMKE_H
#define PL_LAW_LEMKE_H

#include "law/explicit.h"

/// z for symmetric M > 0; `size` is the largest of q. Returns ||min(w, z)||/size, which is no small
/// number when M is not that; infinite: no z.
double plLcp_Principal(plLcp*, double size, int* pivots);

/// Lemke's path by a tableau; `state` is 1 where z is basic at its end. False: no end, or z = 0.
bool plLcp_Tableau(plLcp*, double scale, double size, int* pivots);

// --- of all that follow Lemke's path (lcp.c)

double plLcp_Generic(int i, int seed);
/// The row that leaves when x - t d >= 0 and t grows; `crossed` is that of the covering variable.
int plLcp_Leaving(const plLcp*, int crossed, double slack);

#endif
