// Devices and couplings: how a hand gets into a world.
#ifndef PALP_DEVICE_H
#define PALP_DEVICE_H

#include "palp/pantograph.h"
#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    pl_sampleLost = 1, ///< the device does not answer: the last pose, no force
    pl_sampleStop = 2, ///< the handle met a stop at the border of its workspace
    pl_sampleCut = 4   ///< less was given than asked: a limit of the motors, or of a force's slew
};

/// What a device tells at the start of a tick, in world axes.
typedef struct {
    plPose pose;      ///< of its handle
    plVec3 velocity;  ///< of the handle's origin [m/s]
    plVec3 spin;      ///< [rad/s]
    plWrench hand;    ///< of the hand on the handle, at its origin; zero when it is not known
    unsigned buttons; ///< one bit each, 1: pressed
    unsigned flags;   ///< pl_sampleLost, pl_sampleStop, pl_sampleCut
} plSample;

/// A device of the outside: an open set. Both functions are called from the thread that steps, and
/// must not wait: `sample` once in a tick, `write` as often as plDeviceDef.rate says. With
/// plRuntimeDef.deviceRate both are called from the devices' thread, at that rate.
typedef struct {
    void* self;                                           ///< given to each
    void (*sample)(void* self, double time, plSample*);   ///< at the world's time [s]
    void (*write)(void* self, const plWrench*, double T); ///< to be held for T [s]
    /// Ticks do not come: give only this share, 0 .. 1, of what was and is written, until told another.
    /// The one call from another thread, at any time, also while another is under way. Null: the device
    /// watches by itself.
    void (*hush)(void* self, double share);
} plDeviceCalls;

/// What moves a simulated hand.
typedef enum {
    pl_handForce,     ///< a force of its own, whatever the handle does [default]
    pl_handImpedance, ///< a spring and damper to where it wants to be
    pl_handCount
} plHandKind;

const char* plHandKind_Name(int); ///< "force", "impedance"

/// Where a hand wants to be at some time; in between, straight lines.
typedef struct {
    double time; ///< [s]
    plPose pose; ///< then
} plWaypoint;

/// A simulated hand. Its force is  wrench (bias + amplitude sin(2 pi frequency t + phase))  while
/// start <= t < stop; with an impedance, a spring and damper to the waypoints besides.
typedef struct {
    plHandKind kind;                          ///< default force
    plWrench wrench;                          ///< of its force, before the factor
    double bias, amplitude, frequency, phase; ///< default 1, 0, 0, 0
    double start, stop;                       ///< [s]; default 0, for ever
    double stiffness, damping;                ///< [N/m], [N s/m]
    double turnStiffness, turnDamping;        ///< [N m/rad], [N m s/rad]
    int pointCount;                           ///< at most plHandPoints, in order of time
    const plWaypoint* points;                 ///< copied
} plHandDef;

enum { plHandPoints = 1 << 17, plDeviceDelay = 16, plDeviceRate = 20000 };

/// What a simulated device is.
typedef enum {
    pl_deviceHandle,     ///< six axes of their own, each with mass, damping, friction [default]
    pl_devicePantograph, ///< the twin pantograph, in planar worlds
    pl_deviceCount
} plDeviceKind;

/// A device. Without calls it is simulated. A handle has the mass, actuators and encoders below; a
/// pantograph has all that from its own definition, and of those below it takes the pose and motion
/// at the start, limits, delay and hand.
typedef struct {
    const char* name;    ///< unique in the world
    plDeviceCalls calls; ///< of the outside; zeroed: simulated
    plDeviceKind kind;   ///< of a simulated one
    plTwinDef twin;      ///< of a pantograph
    plVec3 forceLimit,
        torqueLimit; ///< largest that is written, per axis [N], [N m], >= 0; default none

    plPose pose;           ///< at the start
    plVec3 velocity, spin; ///< at the start, world axes
    plVec3 mass,
        inertia;    ///< per axis [kg], [kg m^2]; INFINITY: the axis is locked; default 0.2, 1e-4
    double damping; ///< [N s/m]
    double turnDamping;  ///< [N m s/rad]
    double friction;     ///< dry, per axis [N]
    double turnFriction; ///< [N m]
    double encoderStep;  ///< of positions [m]; 0: exact. Velocities are then differences
    double turnStep;     ///< of angles [rad]
    int delay;   ///< of the written force, of a pantograph's torques; 0 .. plDeviceDelay writes
    double rate; ///< writes in a second, at least, while the world ticks more slowly [Hz], up to
                 ///< plDeviceRate; each is held for its share of the tick. Default 0: one in a tick
    bool cutaneous; ///< worn: what it gives presses the skin, and moves no handle
    bool feelsHand; ///< samples tell the hand's wrench; default true. A pantograph observes it
    plHandDef hand; ///< that holds a simulated one
    void* userData; ///< of the user, see palp/change.h
} plDeviceDef;

/// With all defaults: a handle that nobody moves.
plDeviceDef plDefaultDeviceDef(void);

/// Published limits of a real device.
typedef struct {
    const char* name; ///< "omega", "falcon", "touch", ...
    double force;     ///< largest, per axis [N]
    double torque;    ///< [N m]; 0: it gives none
    double stiffness; ///< of a wall that it can still render [N/m]
    double damping;   ///< [N s/m]; 0: not published
} plDeviceModel;

int plDeviceModel_Count(void);              ///< of the list of models
const plDeviceModel* plDeviceModel_At(int); ///< null: there is none
const char* plDeviceModel_Name(int);        ///< "unknown" for none

/// Limits of a model, for a simulated device or one of the outside. False: no such model.
bool plDeviceDef_Model(plDeviceDef*, const char* name);

// -------------------------------------------------------------------------------- real devices
// A real device has a thread of its own, which speaks with it a thousand times in a second. A world
// reads the last place that this thread has heard, and leaves a force for it: neither waits.
//
// The device eases its force away in 20 ms when nobody has written when the next write was due, or
// when it is lost: it does not answer, or tells what no hand can do. When all is well again, the force
// comes back in 200 ms. It never exceeds the limit of the device, and from one round to the next it never
// changes by more than the slew limit allows. On closing it goes to zero, within 20 ms.

/// Real devices that palp can speak with.
typedef enum {
    pl_realInverse3,       ///< Haply Inverse3, by its service: a WebSocket
    pl_real2diy,           ///< Haply 2diy, a planar pantograph: a serial line
    pl_realForceDimension, ///< delta, omega, sigma, lambda, Falcon: the maker's libdrd
    pl_realTouch,          ///< 3D Systems Touch, Phantom: the maker's libHD
    pl_realCount
} plRealKind;

const char* plRealKind_Name(int); ///< "inverse3", "2diy", "force-dimension", "touch"

enum { plRealText = 256 }; ///< characters of an address or a sentence

/// Which one, and how it is used.
typedef struct {
    plRealKind kind; ///< how to speak with it
    char address
        [plRealText]; ///< "ws://localhost:10001", "/dev/ttyACM0", a library; "": the kind's own
    char id[64];      ///< which of several; "": the first
    double scale;     ///< way in the world for a way of the handle; forces stay; default 1
    double limit;     ///< largest force [N]; 0: what the device can give [default]
    double slew;  ///< fastest change of the force [N/s], at least limit/15 ms; torques take as long
                  ///< to their limit; 0: limit/10 ms [default]
    bool centred; ///< `centre` counts; else it is where the device is found first
    plVec3 centre;   ///< in axes of the device: there the scene's device starts [m]
    bool moves;      ///< it may move by itself, to be calibrated
    bool privileges; ///< ask the system for real-time scheduling; default true
} plRealDef;

plRealDef plDefaultRealDef(plRealKind); ///< the first one, as large as it is

/// From "KIND[:ADDRESS][,KEY=VALUE]...", with the keys scale, limit, slew, centre=X:Y:Z, id, init=yes.
/// Null, or what is wrong with it, in one sentence.
const char* plRealDef_Parse(const char* text, plRealDef*);

typedef struct plReal plReal; ///< an open one

/// Finds the device and starts its thread. On failure `message` says in one sentence why.
plStatus plReal_Open(const plRealDef*, plReal**, char* message, size_t size);
void plReal_Close(plReal*); ///< behind the last tick that uses it; null is legal

/// Where its centre is in a world, for who attaches it. In a planar world up is y. Between ticks.
void plReal_Place(plReal*, plPose start, bool planar);
plDeviceCalls plReal_Calls(plReal*); ///< of plWorld_AttachDevice, for one world at a time

/// How it is.
typedef struct {
    bool works;            ///< it answers, and what it says can be
    uint64_t rounds;       ///< that its thread spoke with it
    uint64_t losses;       ///< how often it was lost
    double share;          ///< of the force that is given now, 0 .. 1
    double limit;          ///< of the force [N]
    double slew;           ///< limit of its change [N/s]
    uint64_t slewed;       ///< rounds in which the slew limit held the force back
    char text[plRealText]; ///< what it is, or why it does not work, in one sentence
} plRealState;

plRealState plReal_State(plReal*); ///< from any thread; may wait for a moment: not in a tick

/// Looks whether there is one, without a force. True: `text` says what was found; else why there is none.
bool plReal_Find(const plRealDef*, char* text, size_t size);

/// How a device and a tool are joined.
typedef enum {
    /// Spring and damper between device and tool, the hand's force to the tool, the contacts' force to
    /// the hand.                                                             (iapb sec. VI)
    pl_couplingFourChannel,
    /// The device moves a frame, and a passive link carries the tool: creates nothing on the side of a
    /// midpoint world.                                                       (pmi, signorini)
    pl_couplingVirtual,
    /// The tool is a prescribed frame: the pose nearest to the device's, in the metric of the
    /// stiffness, that does not enter what stands still. Spring and damper pull the hand to it; in
    /// free space there is no force.                                        (god-object; iapb sec. VI)
    pl_couplingUnilateral,
    /// The tool is a prescribed frame: at the sampled pose when a tick begins, and moving on as sampled.
    /// The hand feels the contacts. A wall gives K d(x_k) + B v_k in the tick k.  (Colgate, Brown)
    pl_couplingDirect,
    /// The skin of a fingertip feels the contacts on the tool's part, through a filter of earlier
    /// ticks; the device's pose is not read. Another coupling may command the tool.   (pmi 5.1)
    pl_couplingFingertip,
    /// One way of the handle closes fingers by their tendons, and a spring pulls it back to where
    /// the fingers truly are.                                                    (pmi 5.3)
    pl_couplingGrip,
    /// As virtual, but for a tank of energy that pays for every move of the spring's far ends: asks for half
    /// of the device's damping.                  (passive set-position modulation; Lee and Huang 2010)
    pl_couplingSetPosition,
    pl_couplingCount,
    pl_couplingOwn =
        64 ///< of the user: plCouplingDef.own (palp/own.h); not of the list that scenes name
} plCouplingKind;

/// "four-channel", "virtual", "unilateral", "direct", "fingertip", "grip", "set-position"
const char* plCouplingKind_Name(int);

/// What a virtual coupling tells the hand.
typedef enum {
    /// Minus the link's mean force in the tick, with the frame on its way from sample to sample.
    pl_feedbackMean,
    /// K (tool - device), of the poses at which the tick begins, held. The frame leaps to the sample
    /// and stands: the link's damper holds the tool to the world, and is B_r.     (pmi 5.2)
    pl_feedbackHeld,
    pl_feedbackCount
} plFeedback;

const char* plFeedback_Name(int); ///< "mean", "held"

/// How far fingers at q are closed, between q1 and q2.
typedef enum {
    pl_projectionLine, ///< (q - q1).(q2 - q1)/|q2 - q1|^2: has a sign, and no share of ways aside
    pl_projectionNorm, ///< |q - q1|/|q2 - q1|, as printed: counts every way, to any side (pmi 5.3)
    pl_projectionCount
} plProjection;

const char* plProjection_Name(int); ///< "line", "norm"

/// What becomes of collision impulses that a device cannot give in one tick.    (iapb sec. VI)
typedef enum {
    pl_limitNone,     ///< written as they are; the device's own limits may clip them
    pl_limitSaturate, ///< the tool gets all, the hand what the limit leaves
    pl_limitScale,    ///< tool and hand get the scaled impulse
    pl_limitSpread,   ///< scaled, and collided again while it closes
    pl_limitBank,     ///< what is too much is kept and paid out in the next ticks
    pl_limitCount
} plLimit;

const char* plLimit_Name(int); ///< "none", "saturate", "scale", "spread", "bank"

#ifdef __cplusplus
}
#endif
#endif
