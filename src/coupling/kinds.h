// Private to the room: the tables of all kinds, and what several of them use.
#ifndef PL_COUPLING_KINDS_H
#define PL_COUPLING_KINDS_H

#include "coupling/coupling.h"

extern const plCouplingOps plFourChannelOps, plVirtualOps, plUnilateralOps, plDirectOps,
    plFingertipOps, plGripOps, plSetPositionOps, plOwnCouplingOps;

extern const char plCouplingFull[]; ///< why a creation fails for want of memory

/// plHeldDamping of a force that acts `delay` ticks later.
double plHeldDampingLate(double K, double Br, double alpha, double T, int delay);

plWrench plWrench_Scaled(plWrench, double s);
/// The tool is the origin of a frame that moves as it is told.
bool plCoupling_HoldsFrame(const plCoupling*, const plCouplingHost*);
plMechanism* plCoupling_Tool(const plCoupling*, const plCouplingHost*);

// --- a tool on a link to a frame that is led

plStatus plVirtual_Create(plCoupling*, const plCouplingHost*, const char** why);
void plVirtual_Recall(plCoupling*, const plCouplingHost*);
/// The frame leaps to a pose, and goes on to another: the work of the device on the tool, by the link's spring.
double plVirtual_Leap(plCoupling*, const plCouplingView*, plPose from, plPose to);
plWrench plVirtual_Pull(const plCoupling*, const plCouplingView*, plPose frame); ///< by its stretch

#endif
