// Real time: a world on a thread of its own, and how another thread sees and steers it.
//
//   plRuntimeDef def = plDefaultRuntimeDef();
//   def.world = world;                      // the runtime's until it is destroyed
//   plRuntime_Create(&def, &runtime);
//   plRuntime_Post(runtime, &(plCommand){.kind = pl_commandLaw, .index = pl_lawCone});
//   const plPicture* picture = plRuntime_Picture(runtime, &fresh);
//
// Posting, pictures, rows and looks are for one other thread. Neither side ever waits for the other.
#ifndef PALP_RUNTIME_H
#define PALP_RUNTIME_H

#include "palp/lists.h"
#include "palp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A loop that steps a world.
typedef struct plRuntime plRuntime;

// ------------------------------------------------------------------------------------ commands

/// What may be asked of a running world. Commands act between two ticks, in the order in which they
/// were posted. Together with the scene they are all that a run depends on: see plApplied.
/// PL_COMMAND_LIST says what each reads.
typedef enum {
#define X(name, word, reads) pl_command##name,
    PL_COMMAND_LIST(X)
#undef X
        pl_commandCount
} plCommandKind;

/// What a command can change of a material.
typedef enum {
    pl_ofFriction,
    pl_ofRestitution,
    pl_ofStiffness,
    pl_ofDamping,
    pl_ofCount
} plMaterialField;

const char* plCommandKind_Name(int); ///< "pause", "resume", "ticks", ...

/// What a kind does not need is not read.
typedef struct {
    plCommandKind kind;      ///< what is asked
    int index, choice, part; ///< as the kind says, like the next two
    double value;            ///< a number
    plPose pose;             ///< a place
    int sender;              ///< told by plRuntime_Refused; 0: nobody. No part of a session
} plCommand;

/// Null: the command could be obeyed by some world; else why not, in one sentence.
const char* plCommand_Complaint(const plCommand*);

/// A command that was obeyed, and the count of ticks that came before it. To run a session again,
/// give the same commands at the same ticks.
typedef struct {
    uint64_t tick;     ///< ticks before it
    plCommand command; ///< that was obeyed
} plApplied;

/// Obeys a command without a runtime: for replay. Pause, ticks, speed and step are the caller's. A world
/// that stands still after a pause, or when its ticks are done, has had plWorld_Rest.
plStatus plCommand_Obey(const plCommand*, plWorld*, const void* start, size_t startSize);

/// A command that was not obeyed.
typedef struct {
    int sender;         ///< as it was posted
    plCommandKind kind; ///< of the command
    char why[120];      ///< one sentence
} plRefusal;

// ------------------------------------------------------------------------------------ pictures

/// Durations of the loop since it began, or since the last reset [s].
typedef struct {
    double mean, p50, p99, p999, most; ///< mean, percentiles, largest
} plDurations;

/// How the loop keeps time. A deadline is when a tick is due. It is missed when the loop was still busy
/// then, or asleep for a whole period more; one tick begins late, for the last of those that went by,
/// and the others are left out. While the world stands still there are none.
typedef struct {
    uint64_t ticks;       ///< that were done
    uint64_t deadlines;   ///< ticks, and those left out
    uint64_t missed;      ///< of the deadlines; each is counted once
    plDurations tick;     ///< work of a tick
    plDurations lateness; ///< from a deadline to the start of its tick
    plDurations obey, step,
        hand;              ///< stages: commands, the world's step, hand-over to the other thread
    uint64_t stalls;       ///< how often a tick did not come, see plRuntime_Stalled
    bool stalled;          ///< within the last half second
    bool realtime, locked; ///< SCHED_FIFO, memory locked
    char refusal[160];     ///< why not
} plTiming;

/// A part of a mechanism.
typedef struct {
    int mechanism, part; ///< indices
    plPose pose;         ///< now
} plPictureBody;

/// A contact of the last tick.
typedef struct {
    plVec3 at, normal, force; ///< world axes; force on the first of the two [N]
    double gap;               ///< [m]
    int shapeA, shapeB;       ///< indices
} plPictureContact;

/// A device.
typedef struct {
    plPose pose;            ///< where it is
    plPose sample;          ///< where it was seen at the start of the tick
    plWrench written, hand; ///< by the world, by the hand as it was told
} plPictureDevice;

/// What a mechanism has now, what was done to it, and what it created (as in plAccount) [J].
typedef struct {
    double kinetic, applied, integrator, leak; ///< as in plAccount
} plPictureOwner;

/// What a viewer draws: the world behind a tick. Its arrays lie behind it in memory.
typedef struct {
    uint64_t sequence; ///< grows by one with every picture
    uint64_t tick;     ///< of the world
    uint64_t hash;     ///< of the world's state; 0 unless `hashed`
    bool hashed;       ///< while the world stands still, and when asked for
    bool accounted; ///< ten times a second: the accounts of devices, couplings, mechanisms, links
    double time, step, speed;   ///< [s], [s], [1]
    bool paused;                ///< the world stands still
    plLawName law;              ///< of its contacts
    plStepReport report;        ///< of the last tick
    plAccount ledger, contacts; ///< total, and of all contacts
    plTiming timing;            ///< of the loop
    uint64_t refused;           ///< commands that could not be obeyed
    uint64_t unrecorded;        ///< obeyed, and lost to plRuntime_Applied because nobody fetched
    uint64_t recorded;          ///< obeyed before this picture, and given to plRuntime_Applied
    int bodyCount, contactCount, deviceCount;     ///< lengths of the arrays
    int couplingCount, mechanismCount, linkCount; ///< 0 unless `accounted`
    int pointCount;                               ///< nodes of all soft bodies
    uint64_t check; ///< hash of all the rest of it, so that a torn one would be seen
} plPicture;

/// Arrays of a picture, as long as its counts.
const plPictureBody* plPicture_Bodies(const plPicture*);
const plPictureContact* plPicture_Contacts(const plPicture*);
const plPictureDevice* plPicture_Devices(const plPicture*);
/// Three numbers for each node of each soft body, in the order of the mechanisms, world axes [m]. Nodes
/// inside a body may be where they are at rest in its frame.
const float* plPicture_Points(const plPicture*);
const plAccount* plPicture_DeviceAccounts(const plPicture*);  ///< deviceCount, when `accounted`
const plPort* plPicture_Ports(const plPicture*);              ///< couplingCount
const plPictureOwner* plPicture_Mechanisms(const plPicture*); ///< mechanismCount
const plPictureOwner* plPicture_Links(const plPicture*);      ///< linkCount
bool plPicture_Whole(const plPicture*);                       ///< `check` fits

// --------------------------------------------------------------------------------- the runtime

/// What to do when a tick has taken longer than its period.
typedef enum {
    pl_overrunSkip, ///< the world falls behind the clock [default]
    /// The next steps are longer, up to four times and up to 0.1 s, until the world is with the clock
    /// again; recorded as commands. What a stall takes beyond plRuntime_Stalled's patience is not made
    /// up for. Not while paused, nor by two that go together.
    pl_overrunStretch,
    pl_overrunCount
} plOverrun;

const char* plOverrun_Name(int); ///< "skip", "stretch"

/// Null: a loop of this world may have the policy; else why not, in one sentence. To stretch, every
/// mechanism must be stable at any step (midpoint, implicit), and so must the law, where there are shapes
/// (lcp, cone). A loop that stretches refuses commands that would bring others.
const char* plOverrun_Complaint(plOverrun, const plWorld*);

/// How a world is run.
typedef struct {
    plWorld* world;    ///< becomes the runtime's
    double step;       ///< [s], 1e-5 .. 0.1; default 1e-3
    double speed;      ///< default 1
    bool paused;       ///< at the start; default false
    bool privileges;   ///< ask the system for real-time scheduling and locked memory; default true
    plOverrun overrun; ///< one that the world may have
    double
        deviceRate; ///< writes in a second to drivers of the outside, by a thread of their own; see
                    ///< plTouched. 10 .. plDeviceRate, or 0: the world writes as it ticks [default]
    double pictureRate;          ///< in a second; default 60
    int contacts;                ///< most in a picture; default 256
    int commands;                ///< that may wait; default 256
    int channelCount;            ///< rows of these, one for every tick
    const char* const* channels; ///< their names
    int channelRoom;             ///< for as many as these; at least channelCount, default 0
    int rows;                    ///< that may wait; default 16384
    plAllocator allocator;       ///< default malloc and free
} plRuntimeDef;

/// With all defaults, without a world.
plRuntimeDef plDefaultRuntimeDef(void);

/// Takes the world, and starts the loop. On failure the world stays the caller's.
plStatus plRuntime_Create(const plRuntimeDef*, plRuntime**);
void plRuntime_Destroy(plRuntime*); ///< ends the loop, destroys the world; null is legal

/// False: too many wait, and this one is lost.
bool plRuntime_Post(plRuntime*, const plCommand*);

/// Commands that were not obeyed, oldest first, and why. What nobody fetches is lost, and counted in
/// the pictures all the same.
size_t plRuntime_Refused(plRuntime*, plRefusal*, size_t count);

/// The newest picture; it stays as it is until the next call. Null: there is none yet.
const plPicture* plRuntime_Picture(plRuntime*, bool* fresh);

/// The loop takes at most this share of a processor, 0.01 .. 1 [default]: where others are more urgent. What
/// it has taken more, it waits for before its next tick; then it is behind the clock, as when a tick is too
/// long. Below 1 it sleeps up to its deadlines, where else it would spin for a moment, and a tick may take
/// longer by 1/share until it counts as one that did not come.
void plRuntime_Share(plRuntime*, double share);

/// The pictures have the hash of the state until one of them was taken, and so has the first one that
/// is taken at all. It takes 1 ms for 200 bodies: as long as some tick is then late.
void plRuntime_AskHash(plRuntime*);

/// Looks at the response of contacts (plWorld_StepAndLook) so often in a second, 0: never [default], at
/// most 10.
void plRuntime_Look(plRuntime*, double rate);
/// The newest look and its tick; it stays as it is until the next call. Null: there is none yet.
const plLook* plRuntime_Looked(plRuntime*, uint64_t* tick, bool* fresh);

// Two runtimes that must do the same in the same tick: see plRuntime_PostAt.

/// Steps that were done since plRuntime_Begin was obeyed; 0 before that.
uint64_t plRuntime_Steps(const plRuntime*);

/// Posts a reset after which steps count from 0, and lets the loop do `horizon` of them at first.
bool plRuntime_Begin(plRuntime*, uint64_t horizon);

/// Lets the loop go on until so many steps are done: then the world waits, with no force. Only forward;
/// UINT64_MAX: for ever. Until then a tick that does not come gives no alarm of itself, which would
/// be one loop's alone: it is counted, and pl_commandAlarm is for who sees that to post to both.
void plRuntime_GoOn(plRuntime*, uint64_t horizon);

/// Obeyed when so many steps are done, or earlier where the world stands still, paused. What is posted
/// later waits for it. No loop is beyond its horizon: so what is posted for a tick that is not before
/// the horizons of two runtimes is obeyed by both at that tick.
bool plRuntime_PostAt(plRuntime*, const plCommand*, uint64_t step);

/// Other channels from some next tick on; at most channelRoom of them. Returns the number of the list:
/// 1, 2, ... Those of the definition are the list 0.
uint64_t plRuntime_Watch(plRuntime*, const plChannel*, int count);

/// Rows of the chosen channels, oldest first, at most `count`. Each is the tick, the number of the list,
/// and as many values as there is room for channels.
size_t plRuntime_Rows(plRuntime*, double* rows, size_t count);
uint64_t plRuntime_RowsLost(const plRuntime*); ///< because nobody fetched them

/// A tick did not come for 20 ms and eight periods, and has not come yet: a watchdog looks every 5 ms.
/// When the loop comes back, forces on devices go down and return as after plWorld_Alarm.
bool plRuntime_Stalled(const plRuntime*);

// Devices faster than the world: see deviceRate.
//
// A second thread then samples and writes each driver that is in the world when the runtime is made, and
// whose only coupling is a virtual one with mean feedback; other devices are as they were. It writes what
// the echo of the last tick says (plEcho_Render); the world's sample is the newest of that thread. What
// the world itself would write is told by pictures and channels, and goes nowhere.
//
// The force goes down to nothing within 20 ms when the sample is no good, when the tick was (as by
// plWorld_Alarm), when none has come for as long as plRuntime_Stalled says, while the world stands, after a
// reset, a grab or a release, and when the runtime is destroyed; it comes back within 200 ms, and so
// it does at the start. When this thread does not come, the watchdog tells the driver's `hush`.
//
// An echo comes as late as the tick's work takes: that should be less than a sixth of the period. After
// half of it a soft arm is shaken (doc/hand.md).

/// What the devices' thread has done for one of them.
typedef struct {
    uint64_t writes; ///< forces that it was given
    uint64_t missed; ///< deadlines of the thread
    uint64_t stalls; ///< how often no write came for 20 ms and eight periods
    uint64_t echoes; ///< that were felt
    uint64_t held;   ///< of these, what could only hold the force of its tick: see plWorld_TakeEcho
    double share;    ///< of the force that is given now, 0 .. 1
    plEchoPort port; ///< since the force last came from nothing, as if share were 1
} plTouched;

/// False: no thread writes to this device.
bool plRuntime_Touched(plRuntime*, plDeviceId, plTouched*);

/// Commands that were obeyed, oldest first.
size_t plRuntime_Applied(plRuntime*, plApplied*, size_t count);

#ifdef __cplusplus
}
#endif
#endif
