// coupling: between a device in a hand and a tool in the world.
//   in    plSample of the device, motion of the tool, reaction of the contacts on the tool
//   out   wrench on the tool (command), wrench on the hand (feedback); shares of impulses (limits);
//         angles of motors (grip)
//   letters  K, B of the coordination; e device - tool; F_c = K e + B e', F_env of the contacts;
//            of a grip: q positions of fingers, q1 and q2 open and closed, theta angles of motors,
//            K of the chain's springs, Jt = J_a^T K_a R_a, z way of the handle, s in 0 .. 1
#ifndef PL_COUPLING_H
#define PL_COUPLING_H

#include "device/device.h"
#include "law/law.h"
#include "mechanism/mechanism.h"
#include "palp/world.h"

/// State of a coupling, without gaps.
typedef struct {
    double coordination[6];  ///< F_c of this tick, on the tool
    double bank[6];          ///< impulse on the tool still to be paid [N s, N m s]
    double paid[6];          ///< of it in this tick
    double pending;          ///< 1: a collision is spread, and goes on while it closes
    double known;            ///< 1: there was a sample before
    double last[7], tool[7]; ///< poses at the last sample, of device and tool
    double written[6];       ///< on the hand in the last tick; the mean where there were several
    double ripple; ///< work of several writes on the device, beyond that of their mean [J]
    double workTool, workDevice, stored;
    double storedAtReset;  ///< `stored` when the ledger was last reset [J]
    double grasp[6];       ///< of a virtual one: 1 when it holds something; mechanism, part, point
    double wanted, closed; ///< of a grip, when the tick began: s of the handle, of the fingers
    // of a virtual one, along the axes and about them; see lag.c
    double lags[2];   ///< 1: the frame is not where the device is, 1: nor as it is turned
    double seen[7];   ///< pose of the device in its last sample
    double credit[6]; ///< work of the hand that the link has not got yet; below 0: owed [J]
    double asked[6];  ///< of the device in the last tick [N, N m]
    double way[6], handWay[6]; ///< of the frame in the tick, of the device before it [m, rad]
} plCouplingState;

/// What a fingertip remembers (state), a ring of ticks.
typedef struct {
    double impulse[plFilterTicks][3]; ///< of the contacts, world axes [N s]
    double time[plFilterTicks];       ///< [s]
    double next, count;
    double felt[3]; ///< H at the end of the last tick, world axes [N]
} plSkin;

typedef struct {
    plCouplingDef def;
    plCouplingState* state;
    plSkin* skin; ///< of a fingertip
    // of the tick, until it is kept
    double nextPending, nextBank[6], nextPaid[6];
} plCoupling;

const char* plCoupling_Complaint(const plCouplingDef*); ///< null: nothing to complain of

/// Wrench on the tool, at its site, for the coming step: the hand's and the coordination's.
plWrench plCoupling_Command(plCoupling*, const plSample*, const plMotion* tool);

/// Share of a collision's impulses, whose wrench on the tool is given [N s, N m s], that tool and hand
/// may get in a step of T; the rest waits or is lost, as the limit says.
double plCoupling_Share(plCoupling*, const plWrench* impulse, double T);

// --- damping that a device needs, along an axis [N s/m] or about it [N m s/rad]

/// By a spring and a damper whose sampled force acts `delay` ticks later, held over T: where the device
/// goes to and fro by cos(theta k), 0 <= theta <= pi, and the most of it over theta.
double plSampledDampingAt(double K, double B, double T, int delay, double theta);
double plSampledDamping(double K, double B, double T, int delay);

/// By a coupling whose gains along an axis are K and B. Zero for those that give no sampled spring to the
/// hand, or (four-channel) to hand and tool alike; INFINITY: no damping is enough.
double plCoupling_NeededBy(const plCouplingDef*, double K, double B, double T, int delay);
/// Its own gains along and about the axes.
void plCoupling_Gains(const plCouplingDef*, double K[6], double B[6]);

// --- virtual: a frame that lags behind a device that cannot give more

/// One axis in a step of T.
typedef struct {
    double K, B, limit, T;
    double stretch; ///< frame - tool [m or rad]
    double full;    ///< device - tool
    double way;     ///< of the device since the last sample
    double drift;   ///< way of the tool, if it goes on as it moves
    double yields;  ///< 1/mass of the tool as its site moves [1/kg]; 0: none
    double credit;  ///< [J]
    bool held;      ///< all of the way is a leap: the frame stands in the step
} plLagAxis;

/// What the frame does.
typedef struct {
    double start; ///< frame - tool after a leap
    double way;   ///< in the step
    double cost;  ///< of the leap; of a held one, of the way, too [J]
    bool arrives; ///< it ends where the device is
} plLagMove;

/// A frame that has not lagged cannot simply go where the device is.
bool plLag_Needed(const plLagAxis*);
plLagMove plLag_Go(const plLagAxis*);

/// Without a collision: what the bank pays in a step of T, as an impulse on the tool.
plWrench plCoupling_Pay(plCoupling*, double T);

/// Nothing waits any more.
void plCoupling_Rest(plCoupling*);

/// At the end of the tick: what waits, waits.
void plCoupling_Keep(plCoupling*, bool keep);

// --- unilateral: the proxy

/// A surface that the tool must not enter: gap + n.(dx + dw x arm) >= 0 for small motions.
typedef struct {
    plVec3 n, arm; ///< arm from the tool's origin to the point, world axes
    double gap;
} plProxyRow;

enum { plProxyRows = 64 };

/// What may be touched with the tool at a pose: fills at most plProxyRows rows, and says how many.
typedef int (*plProxyTouch)(void* self, const plFrame* tool, plProxyRow*);

/// Memory of the proxy's search.
typedef struct {
    plLcp lcp;
    plEigen eigen;
    double *A, *b, *lambda, *U;
    plProxyRow* rows;
} plProxy;

plStatus plProxy_Create(plProxy*, plArena*);

/// Pose of the tool for a sample, and the wrench on the hand.
plPose plCoupling_Proxy(plCoupling*, const plSample*, plProxyTouch, void* self, plProxy*,
                        plWrench* onHand);

/// Wrench on the hand, from the mean wrench of the contacts on the tool at its site.
plWrench plCoupling_Feedback(plCoupling*, const plWrench* reaction, double T);

/// Work of the last tick's wrenches (of T), now that the poses after it are known. `device`: where the
/// handle truly is, between the steps of its encoders.
void plCoupling_Account(plCoupling*, plPose device, const plMotion* tool, double T);

// --- fingertip

/// At a share 0 .. 1 of the tick, in the axes of the tool's part.
plWrench plFingertip_Felt(const plCoupling*, double at);
/// At the end of a tick of T: the impulse that the part got in it [N s].
void plFingertip_Keep(plCoupling*, plVec3 impulse, double T);

// --- grip

/// Motors of a chain: those of its tendons that have one, in order.
typedef struct {
    int count;
    int* tendon;
    double* radius; ///< of its pulley [m]
} plGripMotors;

/// Angles of the motors that bring a chain nearest to q (one number per velocity; those that no tendon
/// bends are not read), where nothing touches it.
plStatus plGrip_Angles(const plMechanism*, const plGripMotors*, const double* q, double* theta,
                       plArena* scratch);

/// Sums over all fingers: |q2 - q1|^2, (q - q1).(q2 - q1), |q - q1|^2.
typedef struct {
    double whole, along, gone;
} plGripReach;

/// Adds those of a chain as it is now.
void plGrip_Reach(plGripReach*, const plMechanism*, const double* open, const double* closed);
double plGrip_Share(const plGripReach*, plProjection); ///< of the way from open to closed

double plGrip_Wanted(const plGripDef*, plVec3 handle);                ///< s
plWrench plGrip_Pull(const plCoupling*, double wanted, double share); ///< on the hand
double plGrip_Stored(const plCoupling*, double wanted, double share); ///< in its spring [J]

/// The pose of a direct coupling's tool after a tick of T that begins with this sample.
plPose plCoupling_Ahead(const plSample*, double T);

#endif
