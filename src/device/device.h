// device: what a hand holds.
//   in    the wrench of the coupling, held over a tick
//   out   plSample: pose, motion, the hand's wrench
//   letters  p, q pose; v velocity, w spin, both in world axes; F force held over T
#ifndef PL_DEVICE_H
#define PL_DEVICE_H

#include "base/base.h"
#include "math/math.h"
#include "palp/device.h"

/// State of a simulated device, without gaps between the members.
typedef struct {
    double p[3], q[4], v[3], w[3];
    double seen[7], seenV[6]; ///< the last sample's pose and motion, by encoders
    double held[plDeviceDelay][6];
    double ticks;
} plSimulatedState;

typedef struct {
    plDeviceDef def;
    plWaypoint* points; ///< own copy
    plSimulatedState* state;
} plSimulated;

/// Null: nothing to complain of.
const char* plSimulated_Complaint(const plDeviceDef*);
/// Waypoints from `fixed`, state from `state`.
plStatus plSimulated_Create(plSimulated*, const plDeviceDef*, plArena* fixed, plArena* state);

/// At the start of a tick; T is the step since the last one, for velocities by difference.
plSample plSimulated_Sample(plSimulated*, double time, double T);

/// The handle under the actuators and the hand, for T.
void plSimulated_Step(plSimulated*, const plWrench* written, double time, double T);

/// Wrench of the hand at some time, on a handle with this pose and motion.
plWrench plSimulated_Hand(const plSimulated*, double time);

/// Each component within its limit; what is not finite becomes zero. False: something was not finite.
bool plWrench_Limit(plWrench*, plVec3 forceLimit, plVec3 torqueLimit);

#endif
