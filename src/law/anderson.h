// Extrapolation of sweeps (Anderson). Private to the cone.
#ifndef PL_LAW_ANDERSON_H
#define PL_LAW_ANDERSON_H

#include "law/law.h"

/// Forgets what it saw.
void plAnderson_Begin(plAnderson*, int rows);

/// From `start`, where a sweep began, to p, where it ended: p becomes where the next one begins.
void plAnderson_Next(plAnderson*, const double* start, double* p);

/// Sweeps that a group of so many contacts may have in a turn: those that nobody factors begin where the
/// last tick ended, and need not be right at once.
static inline int plAnderson_Sweeps(int contacts, const plLawWork* w)
{
    enum { fewest = 40 };
    const int share = w->largeSweeps / contacts, most = share > fewest ? share : fewest;
    return (most < w->sweeps ? most : w->sweeps) / (contacts > plNearContacts ? w->turns : 1);
}

#endif
