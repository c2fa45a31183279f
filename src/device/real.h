// Private to the room: real devices.
//   in    a driver, which opens one device and speaks with it round by round
//   out   plSample for a world, a limited and watched force for the device
//   letters  p, v place and velocity, R, w orientation and spin of the handle, all in axes of the
//            device; A: world = A device; F force, tau torque
#ifndef PL_DEVICE_REAL_H
#define PL_DEVICE_REAL_H

#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>

// ---------------------------------------------------------------------------------------- mail

enum { plMailBytes = 256 };

/// The newest of a stream of values, from one thread to one other; neither waits. Three places: the
/// writer's, the reader's, and one between them that both exchange for their own.
typedef struct {
    _Alignas(64) atomic_uint between; ///< index, and whether it is fresh
    _Alignas(64) unsigned writers;
    _Alignas(64) unsigned readers;
    bool any;
    _Alignas(64) unsigned char places[3][plMailBytes];
} plMail;

void plMail_Start(plMail*);
void plMail_Put(plMail*, const void* value, size_t size);
/// False: nothing was put yet, and the value stays. `fresh` (may be null): it was not got before.
bool plMail_Get(plMail*, void* value, size_t size, bool* fresh);

// -------------------------------------------------------------------------------------- drivers

/// What a device tells in a round, in its own axes.
typedef struct {
    plVec3 p, v;
    plMat3 R;
    plVec3 w;
    bool turns; ///< R means something
    bool rates; ///< v and w do; else they are taken from differences
    bool poor;  ///< it answers, and says itself that it cannot be trusted now; `why` may say more
    unsigned buttons;
    double given; ///< when the force was handed over [s]; 0: it was not
} plRaw;

/// What a driver found.
typedef struct {
    char name[96];
    double force, torque; ///< limits [N], [N m]
} plFound;

/// For a round: what the device shall give now, and how fast a thread of a library may go there [N/s].
typedef struct {
    plWrench f;
    double slew;
} plGive;

/// How far a force may go in `time` [s] since the last one, as a time [s]. A late one makes no step of what was missed,
/// but on the way to no force, which has to be in time.
double plSlewTime(double time, bool toNothing);

/// All functions are called from one thread, that of the device. They wait for no longer than some
/// tenths of a second.
typedef struct plDriver {
    const char* name;
    const char* address; ///< default
    plMat3 axes; ///< rows: right, forward (away from the person) and up, in axes of the device
    bool flat;   ///< it moves in a plane, right and forward
    size_t size; ///< of its state, which is zero before `open`
    /// False: `why` is one sentence. Then nothing is open.
    bool (*open)(void* state, const plRealDef*, plFound*, char why[plRealText]);
    /// Gives a force for now, and hears where the handle is. False: it does not answer, `why` says how; the force may
    /// be given all the same.
    bool (*round)(void* state, const plGive*, plRaw*, char why[plRealText]);
    void (*close)(void* state); ///< no force, then closed
    /// For who only wants to know; null: open and close will do.
    bool (*look)(const plRealDef*, char text[plRealText]);
} plDriver;

extern const plDriver plInverse3Driver, pl2diyDriver, plForceDimensionDriver, plTouchDriver;

const plDriver* plDriver_Of(plRealKind);

/// "a sentence of %s", into a text of plRealText; returns false, for who fails with it.
bool plFailWith(char why[plRealText], const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// ---------------------------------------------------------------------------------------- frame

/// Axes of a device and those of a world.
typedef struct {
    plMat3 A;
    plPose start;
    double scale;
    bool known; ///< the centre and the orientation there are
    plVec3 centre;
    plMat3 turned;
} plPlacing;

/// Rows of A from the driver's axes: in a planar world y is up, of a flat device forward.
plMat3 plAxes_Of(const plDriver*, bool planar);
void plPlacing_Tell(plPlacing*, const plRaw*, plSample*);

// -------------------------------------------------------------------------------------- library

/// A function of a library, and where its address is put.
typedef struct {
    const char* name;
    void* function; ///< a pointer to a function pointer
} plSymbol;

/// Loads the first that is there: `given` alone, when it is not empty, else $variable, else the names, of
/// which "~/" is the home. A library stays loaded, since it may have threads. `what` stands in
/// sentences, `install` says where it comes from. Null: `why` is one.
void* plLibrary_Load(const char* what, const char* install, const char* given, const char* variable,
                     const char* const* names, const plSymbol*, int count, char why[plRealText]);

#endif
