// The Z-width of a device: which walls, by stiffness and damping, it renders passively, and which it
// holds stably.
//   in    an experiment, ranges
//   out   points of a grid, and boundaries over the damping, measured and in closed form
#ifndef PL_ZWIDTH_H
#define PL_ZWIDTH_H

#include "experiment.h"

/// A wall, and what was found there. Closed forms are NaN where they do not hold.
typedef struct {
    double K, B;                   ///< of the material [N/m], [N s/m]
    double needed, neededFriction; ///< damping [N s/m] and dry friction [N] of a passive device
    double growth;                 ///< of a kick, in logarithms per tick; < 0 is stable
    double neededClosed, neededFrictionClosed, radius;
} plZPoint;

bool plZPoint_IsPassive(const plExperiment*, const plZPoint*);
bool plZPoint_IsStable(const plZPoint*);

/// Largest stiffness at a damping [N/m]; 0: none, INFINITY: all that were looked at.
typedef struct {
    double B;
    double passive, stable;
    double passiveClosed, stableClosed;
} plZLimit;

/// By how much damping the device is short on a wall, < 0 is to spare: see plLoop_Lack   [N s/m]
double plZWidth_Lack(plExperiment*, double K, double B);

plZPoint plZPoint_Measure(plExperiment*, double K, double B);
plZLimit plZLimit_Measure(plExperiment*, double B, double most);

/// By how much a measured limit is off, as a share: of the damping that the closed form wants there,
/// and of the stiffness. NaN where one of them is missing.
double plZLimit_PassiveError(const plExperiment*, const plZLimit*);
double plZLimit_StableError(const plZLimit*);

/// Called now and then while a map is made, with the share that is done.
typedef struct {
    void (*call)(void* self, double share);
    void* self;
} plZProgress;

typedef struct {
    plExperiment* experiment;
    double lowK, highK, lowB, highB;
    int grid;         ///< points along each axis
    int workers;      ///< processes that measure at a time; 0, 1: this one alone
    plZPoint* points; ///< grid x grid, B by B; in the middle of their cells
    plZLimit* limits; ///< grid + 1, from lowB to highB
    plZPoint own;     ///< the scene's own wall
    plZLimit ownLimit;
} plZWidth;

/// Largest errors of all limits, as shares; NaN when there is none.
void plZWidth_WorstErrors(const plZWidth*, double* passive, double* stable);

/// Ranges in which there is something to see: all that is passive, and where stability ends.
void plZWidth_Ranges(plZWidth*);
/// False: no memory. Free in either case.
bool plZWidth_Make(plZWidth*, plZProgress);
void plZWidth_Free(plZWidth*);

#endif
