// Extrapolation of sweeps (Anderson). Private to the cone.
#ifndef PL_LAW_ANDERSON_H
#define PL_LAW_ANDERSON_H

#include "law/law.h"

/// Forgets what it saw.
void plAnderson_Begin(plAnderson*, int rows);

/// From `start`, where a sweep began, to p, where it ended: p becomes where the next one begins.
void plAnderson_Next(plAnderson*, const double* start, double* p);

#endif
