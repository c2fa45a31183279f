// What happened in a run: energy, its owners, forces, contacts, trouble.
#ifndef PL_SUMMARY_H
#define PL_SUMMARY_H

#include "palp/palp.h"

#include <stdio.h>

enum { plSummaryName = 80 };

/// A force of a run, the largest of its sort.
typedef struct {
    double size; ///< [N]
    double time; ///< at the end of its step [s]
    char of[plSummaryName];
} plPeak;

/// Sums over the steps of a run.
typedef struct {
    double start;                  ///< kinetic and potential energy before the first step [J]
    uint64_t steps, touching, bad; ///< all; with contacts; with trouble
    int contacts;                  ///< most in a step
    double depth;                  ///< deepest contact [m]
    plPeak contact, link, device;
} plSummary;

plSummary plSummary_Start(const plWorld*);
void plSummary_Add(plSummary*, const plWorld*); ///< after each step
void plSummary_Tell(const plSummary*, const plWorld*, FILE*);

#endif
