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
#include "palp/own.h"
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
    double tank, begun;    ///< of a set-position one: energy [J]; 1: it has had a tick
    // of a virtual one, along the axes and about them; see lag.c
    double lags[2];    ///< 1: the frame is not where the device is, 1: nor as it is turned
    double seen[7];    ///< pose of the device in its last sample
    double credit[6];  ///< work of the hand that the link has not got yet; below 0: owed [J]
    double asked[6];   ///< of the device in the last tick [N, N m]
    double handWay[6]; ///< of the device before the tick [m, rad]
} plCouplingState;

typedef struct plCoupling plCoupling;

/// A surface that the tool must not enter: gap + n.(dx + dw x arm) >= 0 for small motions.
typedef struct {
    plVec3 n, arm; ///< arm from the tool's origin to the point, world axes
    double gap;
} plProxyRow;

enum { plProxyRows = 64 };

/// Does a coupling hold a site of the world?
typedef enum { pl_toolNeeded, pl_toolOptional, pl_toolNone } plToolNeed;

/// What others may ask of a coupling in place of its kind.
typedef struct {
    plToolNeed need;
    int equal;    ///< of stiffness, damping, and those of turns: so many are equal along all axes
    bool isTool;  ///< the device is its own tool: a frame that is placed where the device is
    bool strikes; ///< collisions of the tool reach the hand as impulses, within limits
    bool appliesAll; ///< all that is applied to the tool is its work
    bool moves;      ///< its force moves the device: the device has a part in the balance of energy
    bool takes;      ///< it holds by a link to a frame of its own, and may take another site
    bool touches;    ///< it feels the contacts of one part
    bool grips;      ///< it closes fingers
    bool coordinates; ///< an explicit spring pulls device and tool alike
    bool stops;       ///< its tool stops at what stands still, and only the device feels that
} plCouplingTraits;

/// What couplings ask of the world that they are in.
typedef struct {
    void* self;
    plMechanism* const* mechanisms;
    int mechanismCount;
    plLink* links;
    bool planar;
    plArena *fixed, *state;
    double *J, *Y;                          ///< room for rows of any mechanism: scratch
    bool (*has)(void* self, plMechanismId); ///< it names a mechanism
    /// Adds a frame that is where the device is, and a link from a site to it: `frame` and `link` of the
    /// coupling. When it fails it has said why.
    plStatus (*carry)(void* self, plCoupling*, plLinkDef*);
    /// A frame begins the tick at a pose, and goes on to another; what the leap brings counts as applied.
    void (*place)(void* self, int frame, plPose, plVec3 velocity, plVec3 spin, plPose to);
    /// What may be touched with the shapes of a mechanism at a pose: fills rows, and says how many.
    int (*touch)(void* self, int mechanism, const plFrame*, plProxyRow*);
    /// What the device can give to a coupling, beside what the others have got [N, N m].
    void (*limits)(void* self, const plCoupling*, double limit[6]);
    /// The part of its device's own damping that a coupling may count on [N s/m, N m s/rad].
    void (*damping)(void* self, const plCoupling*, double damping[6]);
} plCouplingHost;

/// What a coupling sees in a tick.
typedef struct {
    const plCouplingHost* host;
    const plSample* sample;
    plMotion tool;     ///< when the tick begins; of one without a tool: at rest in the origin
    plWrench reaction; ///< impulse of the contacts on the tool in the tick [N s, N m s]
    double T, before;  ///< of the tick, of the one before it [s]
} plCouplingView;

/// A step as it was solved, along the axes of the world and about them.
typedef struct {
    double force[6]; ///< of the frame on the world, in the mean [N, N m]
    double way[6];   ///< of the frame [m, rad]
    double T, left;  ///< of the step, of the tick with the step [s]
} plLead;

/// A kind of coupling. All but its traits and its feedback may be null: it does nothing then.
typedef struct {
    plCouplingTraits traits;
    /// Of what only this kind reads: a complaint, or null.
    const char* (*validate)(const plCouplingDef*);
    /// What it needs besides its state. When it fails: why, or null where the host has said it.
    plStatus (*create)(plCoupling*, const plCouplingHost*, const char** why);
    /// Before the work of the last tick is known.
    void (*place)(plCoupling*, const plCouplingView*);
    void (*command)(plCoupling*, const plCouplingView*); ///< to the tool
    /// On the hand, at a share 0 .. 1 of the tick.
    plWrench (*feedback)(plCoupling*, const plCouplingView*, double at);
    bool (*lags)(const plCoupling*); ///< it keeps to its part of a device's limit
    /// A step is solved, for the n-th time. True: its frame must move less or more, and has been steered anew.
    bool (*relent)(plCoupling*, const plCouplingView*, const plLead*, int n);
    void (*lead)(plCoupling*, const plLead*);            ///< a step of the frame is committed
    void (*account)(plCoupling*, const plCouplingView*); ///< after the tick
    void (*recall)(plCoupling*, const plCouplingHost*);  ///< the state was set from outside
    /// Along and about the axes, where they are not those of the definition.
    void (*gains)(const plCouplingDef*, double K[6], double B[6]);
    /// Damping that the device must have, see plCoupling_NeededBy; null: it gives no sampled spring to the hand.
    double (*damping)(const plCouplingDef*, double K, double B, double T, int delay);
} plCouplingOps;

/// One axis of a frame in a step that is solved again: ways that turned out too short and too far, and the
/// force there.
typedef struct {
    double near, nearForce, far, farForce; ///< no number: not known
} plLagTrial;

/// One axis of a frame in a tick.
typedef struct {
    double bound;     ///< what the device can give [N or N m]
    double push;      ///< impulse of the frame on the world so far [N s, N m s]
    double way, work; ///< of the frame so far [m or rad], [J]
    plLagTrial trial; ///< of the step at work
} plLagSum;

struct plCoupling {
    plCouplingDef def;
    const plCouplingOps* ops;
    plCouplingState* state;
    void* own;        ///< of the kind
    bool worn;        ///< its device presses the skin, and moves nothing
    int frame, link;  ///< what it moves in the world, by index; -1: nothing
    plWrench pull;    ///< on the hand, where that is known when the tick begins
    plLagSum sums[6]; ///< of the tick
    // of the tick, until it is kept
    double nextPending, nextBank[6], nextPaid[6];
};

const plCouplingOps* plCoupling_Ops(plCouplingKind);
/// It could hold something, and holds nothing.
bool plCoupling_IsIdle(const plCoupling*);

const char* plCoupling_Complaint(const plCouplingDef*); ///< null: nothing to complain of

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

/// What a tick turned out to be, along one axis.
typedef struct {
    double force, limit; ///< mean force on the tool; the most that the hand feels [N or N m]
    double work;         ///< of the frame on the tool [J]
    double way,
        most;    ///< of the frame in the rest of the tick, and so that it ends where the device is
    double hand; ///< way of the device
    double credit;
} plLagTick;

/// Of x what has the direction of a way, and is no longer.
double plLag_Along(double x, double way);
enum { plLagTrials = 8 };

/// After the n-th trial: the way of the frame for the next; the same as before: nothing is created.
double plLag_Relent(const plLagTick*, plLagTrial*, int n);
double plLag_Felt(const plLagTick*);  ///< force on the hand, but for the sign
bool plLag_Creates(const plLagTick*); ///< even so

/// Without a collision: what the bank pays in a step of T, as an impulse on the tool.
plWrench plCoupling_Pay(plCoupling*, double T);

/// Nothing waits any more.
void plCoupling_Rest(plCoupling*);

/// At the end of the tick: what waits, waits.
void plCoupling_Keep(plCoupling*, bool keep);

/// Work of the last tick's wrenches (of T), now that the poses after it are known. `device`: where the
/// handle truly is, between the steps of its encoders.
void plCoupling_Account(plCoupling*, plPose device, const plMotion* tool, double T);

// --- virtual

/// Holds a site, or nothing; the host's link follows.
void plCoupling_Hold(plCoupling*, const plCouplingHost*, bool holds, plSite);
void plCoupling_Forget(plCoupling*); ///< its frame is where the device is, and nothing is owed

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

#endif
