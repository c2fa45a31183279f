// device: what a hand holds.
//   in    the wrench of the coupling, held over a tick
//   out   plSample: pose, motion, the hand's wrench
//   letters  p, q pose; v velocity, w spin, both in world axes; F force held over T
#ifndef PL_DEVICE_H
#define PL_DEVICE_H

#include "base/base.h"
#include "device/pantograph.h"
#include "math/math.h"
#include "palp/device.h"

/// Who holds a simulated device.
typedef enum {
    pl_heldByScript, ///< the hand of its definition
    pl_heldAt,       ///< a hand that wants it at a pose, and yields
    pl_heldByNobody
} plHeld;

/// Which of them, and where; numbers without gaps.
typedef struct {
    double held;
    double p[3], q[4];
} plHolder;

/// A simulated device of any kind.
typedef struct {
    plDeviceDef def;
    plWaypoint* points; ///< own copy
    plHolder* holder;   ///< state
    const struct plSimulatedKind* kind;
    void* state; ///< one block of numbers, without gaps
} plSimulated;

/// Joules of one step of a device. Each has its own formula: the change of kinetic energy is
/// applied + rows + integrator - dissipated but for round-off.
typedef struct {
    double kinetic;    ///< after it
    double applied;    ///< work of the hand: its own force, and what its spring and damper pull
    double rows;       ///< work of the actuators
    double dissipated; ///< by damping, dry friction and stops, >= 0
    double integrator; ///< gained by the integrator of a pantograph
} plDeviceEnergy;

/// Null: nothing to complain of.
const char* plSimulated_Complaint(const plDeviceDef*);
/// Waypoints from `fixed`, state from `state`.
plStatus plSimulated_Create(plSimulated*, const plDeviceDef*, plArena* fixed, plArena* state);

/// At the start of a tick; T is the step since the last one, for velocities by difference.
plSample plSimulated_Sample(plSimulated*, double time, double T);

/// The device under the actuators and the hand, for T.
plDeviceEnergy plSimulated_Step(plSimulated*, const plWrench* written, double time, double T);

double plSimulated_Kinetic(const plSimulated*); ///< now [J]

// --- what no sample tells: how it is, not how the device's computer knows it

typedef struct {
    plPose pose;
    plVec3 v, w;
} plGrip;

plGrip plSimulated_Grip(const plSimulated*);
/// Somebody has moved it; what was written before is forgotten. False: it cannot be there, and stays.
bool plSimulated_Place(plSimulated*, const plGrip*);
plWrench plSimulated_Hand(const plSimulated*, double time); ///< of the hand on the handle
void plSimulated_Hold(plSimulated*, plHeld, plPose);
/// What a force and a torque meet along and about each axis [kg, kg m^2]; INFINITY: it is locked.
void plSimulated_Masses(const plSimulated*, double m[6]);

/// What became of the torques of a pantograph; all zero for a device that has no motors.
typedef struct {
    double tau[4]; ///< in the last tick [N m]
    double cut;    ///< ticks in which the motors could not give what was asked
    double stops;  ///< ticks in which the handle met a stop
    double lost;   ///< ticks in which the encoders told no pose
    plPantographEnergy energy;
    double stopped; ///< energy that the stops took [J]
} plMotors;

plMotors plSimulated_Motors(const plSimulated*);

/// Each component within its limit; what is not finite becomes zero. False: something was not finite.
bool plWrench_Limit(plWrench*, plVec3 forceLimit, plVec3 torqueLimit);

/// Moves a wrench toward another one, its force by at most `force` [N] and its torque by at most `torque`
/// [N m], each along a straight line. False: it is not there yet.
bool plWrench_Approach(plWrench*, const plWrench* wanted, double force, double torque);

/// Of a held wrench from one pose to the next [J].
double plWrench_Work(const plWrench*, plPose from, plPose to);

// ------------------------------------------------------------------------------------- service
// The Inverse Service of Haply, as its clients meet it, with a simulated device behind it: for trying a
// program that renders forces without hardware. The client sees the handle of a world's device in the
// world's own axes; its force pushes the handle beside what the world's couplings write; the hand is
// that of the scene. On connection a client is told what there is, and each of its messages is answered
// by one state. A force lasts until the next message, and 20 ms at most; all clients together push with
// 40 N at most, and the handle stays within 0.5 m of where its hand leads it. Pages of the web are refused.

typedef struct plService plService;

/// Listens on this machine only. Port 0: any that is free. On failure `message` says why.
plStatus plService_Open(int port, plService**, char* message, size_t size);
void plService_Close(plService*); ///< behind the last tick; null is legal
int plService_Port(const plService*);
/// The device that it stands for, as plWorld_DeviceDef tells it; once, before its calls are attached.
/// Null, or why not.
const char* plService_Take(plService*, const plDeviceDef*, bool planar);
void plService_Leave(plService*); ///< it is no longer called; the next may be taken
plDeviceCalls plService_Calls(plService*);

#endif
