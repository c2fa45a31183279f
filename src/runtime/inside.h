// Private to the room.
#ifndef PL_RUNTIME_INSIDE_H
#define PL_RUNTIME_INSIDE_H

#include "math/math.h"
#include "palp/runtime.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>

static const double plStepMost = 0.1; ///< of a command, and of a stretched step [s]
enum { plStretchMost = 4 };           ///< so many steps are the longest

/// What rows hold.
typedef struct {
    uint64_t number;
    int count;
    plChannel channels[];
} plWatchList;

/// A command on its way to the loop.
typedef struct {
    plCommand command;
    uint64_t at; ///< steps after which it is obeyed
    bool begins; ///< steps count from 0 behind it
} plPosted;

/// A look on its way from the loop.
typedef struct {
    uint64_t tick;
    plLook look;
} plLooked;

/// A sample on its way from the devices' thread to the loop.
typedef struct {
    plSample sample;
    double clock; ///< when [s]
} plSeen;

/// What the loop tells the devices' thread behind a tick.
typedef struct {
    plEcho* echo;       ///< of this place of the exchange, always the same
    double clock;       ///< when the tick began [s]; 0: there was none
    double patience;    ///< how long the next one may not come [s]
    double time, speed; ///< of the world
    uint64_t era;       ///< grows when hand or tool were put elsewhere
    bool well;          ///< nothing went wrong in the tick
    bool speaks;        ///< the echo has a space
} plTold;

enum { plFeelerEchoes = 5 }; // three on the way, and two below

/// A driver that the devices' thread has taken over.
typedef struct {
    plDeviceId device;
    plCouplingId coupling;
    plDeviceCalls driver;
    double patience; ///< how old a sample may be [s]
    plExchange *seen, *told, *done;
    plEcho* echoes[plFeelerEchoes];

    // of the devices' thread
    plEcho* memory; ///< of the hand: an echo goes back to the loop when the next one is taken
    plEcho* blank;  ///< that never felt a hand
    const plTold* now;
    plPose pose;   ///< that was seen last
    uint64_t era;  ///< that the hand belongs to
    plWrench last; ///< the last force that was right
    plTouched head;
} plFeeler;

/// The devices' thread.
typedef struct {
    pthread_t thread;
    int count, room;
    plFeeler* all;
    plPace pace;
    double lastStart; ///< of a period [s]
    uint64_t era;     ///< of the loop's thread
    atomic_uint_fast64_t beats;
    atomic_bool rests; ///< no step will come
} plFeelers;

struct plRuntime {
    plRuntimeDef def;
    plFeelers feelers;
    pthread_t thread, watchdog;
    atomic_bool ending;
    plRing *commands, *applied, *refusals, *rows;
    plExchange* pictures;
    plExchange* looks;
    plExchange* watches;  ///< lists, to the loop
    uint64_t watchNumber; ///< of the last one that was sent
    double* row;
    void* start; ///< snapshot of the beginning
    size_t startSize, rowSize;
    atomic_uint_fast64_t rowsLost;
    atomic_uint_fast64_t beats; ///< periods that have begun
    atomic_bool stalled;
    atomic_uint_fast64_t patience;  ///< how long a tick may not come [us]
    atomic_uint_fast64_t stepsDone; ///< since it began; 0 before
    atomic_uint_fast64_t horizon;   ///< steps that may be done
    atomic_bool hashAsked;
    atomic_uint share;     ///< of a processor that the loop may take [1/1000]
    atomic_uint lookPause; ///< from a look to the next [ms]; 0: nobody looks

    // of the loop's thread
    plPace pace;
    plTimes ticks, lateness, obey, step, hand;
    double lastStart;  ///< of a period [s]
    double lastMoved;  ///< start of the last tick [s]
    double stallShown; ///< until when a picture tells of it
    double alarmLeft;  ///< [s]
    int owed;          ///< periods that went by without a step, and are made up for
    uint64_t skipped;  ///< periods that had no tick while the world moved
    uint64_t missed;   ///< these, and those whose tick began late
    bool alarmed;      ///< the tick that comes has its alarm
    bool eased;        ///< the tick has one
    plPicture head;    ///< of the next picture
    int ticksLeft;     ///< while paused
    uint64_t steps;
    bool begun; ///< steps are told
    bool waits; ///< `next` was fetched, and its time has not come
    plPosted next;
    bool hashKnown; ///< the head's hash is that of the state now
    bool rested;    ///< devices were told to give no force since the last step
    double nextPicture, nextAccounts, nextLook;
};

/// Nothing moves, and nothing will before it is told to.
static inline bool plRuntime_Stands(const plRuntime* r)
{
    return r->head.paused && r->ticksLeft == 0;
}

// command.c
/// plCommand_Obey, and why not; the reason stays until the next call on the world.
plStatus plCommand_Try(const plCommand*, plWorld*, const void* start, size_t startSize,
                       const char** why);

// overrun.c
/// Null: a loop with this policy may obey; else why not.
const char* plOverrun_Refuses(plOverrun, const plWorld*, const plCommand*);
/// The step of a tick when so many periods have gone by [s].
double plRuntime_NextStep(plRuntime*, int periods, bool mayStretch);

// loop.c: bodies of the two threads
double plRuntime_Patience(const plRuntime*); ///< how long a tick may not come [s]
void plRuntime_SetPace(plRuntime*);
void* plRuntime_Loop(void* self);
void* plRuntime_Watchdog(void* self);

// hand.c
void plRuntime_Publish(plRuntime*, double now);
void plRuntime_PushRow(plRuntime*);
/// Where the step that comes should put its look; null: it is not time for one.
plLooked* plRuntime_NextLook(plRuntime*, double now);
void plRuntime_PublishLook(plRuntime*);

// feeler.c: the loop's side of devices with a thread of their own
plStatus plRuntime_TakeDevices(plRuntime*);
void plRuntime_GiveDevicesBack(plRuntime*);           ///< to the world
void plRuntime_TellDevices(plRuntime*, double start); ///< behind a step
void plRuntime_MoveDevices(plRuntime*, const plCommand*);

// feel.c: body of their thread
double plFeelers_Patience(const plRuntime*); ///< how long a write may not come [s]
void* plRuntime_Feel(void* self);

// picture.c
size_t plPicture_Size(const plWorld*, int contacts);
/// The world as it is, behind a head whose other members the loop has filled.
void plPicture_Take(plPicture*, const plPicture* head, const plWorld*, int contacts);

#endif
