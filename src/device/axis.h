// One axis of a handle, in a step of T: where it goes, and the joules on its way.
//   letters  m inertia, b damping, F held force, v velocity; h = b T/m
#ifndef PL_DEVICE_AXIS_H
#define PL_DEVICE_AXIS_H

#include "base/base.h"

typedef struct {
    double m, b; ///< inertia, damping of the handle; m = INFINITY: locked
    double F;    ///< held: actuator and the hand's own force
    double K, B; ///< of the hand
    double off;  ///< to where the hand wants to be in the middle of the step
    double want; ///< how fast it wants to go
    double dry;  ///< friction
} plAxis;

typedef struct {
    double way;
    double pull; ///< mean force of the hand's spring and damper; its work is pull way
    double heat; ///< taken by damping and dry friction, each by its own integral [J], >= 0
} plAxisMove;

/// Inertia, damping and dry friction are exact, with the instant in which the handle stops. A hand
/// that yields goes by the midpoint rule, which is passive for any stiffness.
plAxisMove plAxis_Go(const plAxis*, double T, double* v);

#endif
