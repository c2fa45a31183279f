// What is tried before Lemke's method. Private to this room.
#ifndef PL_LAW_LEMKE_H
#define PL_LAW_LEMKE_H

#include "law/explicit.h"

/// z for symmetric M > 0; `size` is the largest of q. Returns ||min(w, z)||/size, which is no small
/// number when M is not that; infinite: no z.
double plLcp_Principal(plLcp*, double size, int* pivots);

#endif
