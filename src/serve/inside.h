// Private to the room.
#ifndef PL_SERVE_INSIDE_H
#define PL_SERVE_INSIDE_H

#include "serve/serve.h"

enum {
    plStageSlots = 256,     ///< channels that all clients of a stage watch together
    plStageDevices = 64,    ///< whose holder is known
    plStageHeavy = 20,      ///< commands in a second that make a tick long
    plStageRows = 512,      ///< that are fetched at once
    plMaxCommands = 1 << 20 ///< of a session
};

// ---------------------------------------------------------------------------------------- work
// What takes long: scenes are opened and closed, sessions written. One after the other, each by one worker.

/// The first member of what a job needs; it is the worker's until it is finished.
typedef struct plJob {
    void (*run)(struct plJob*);    ///< on the worker's thread
    void (*finish)(struct plJob*); ///< on the thread that calls plWorker_Finish; frees it
    struct plJob* next;
} plJob;

typedef struct plWorker plWorker;

plWorker* plWorker_Begin(void); ///< null: no memory, or no thread
void plWorker_Add(plWorker*, plJob*);
void plWorker_Finish(plWorker*); ///< what has run; often
void plWorker_End(plWorker*);    ///< runs and finishes what there is; null is legal

// --------------------------------------------------------------------------------------- ghost
// A scripted hand that begins again while nobody touches. Times are the world's.

typedef struct {
    int device;   ///< -1: there is none that would stand still
    plPose start; ///< where it begins
    bool touched; ///< a person has had the device, and did not give it back to the script
    bool leads;   ///< it is led back
    int rounds;   ///< since it was reset or touched
    double since; ///< when it began to go, or to be led back [s]
    double told;  ///< when the last pose was told [s]
    plPose from;  ///< where it was when it began to be led back
} plGhost;

plGhost plGhost_Of(const plWorld*); ///< of a touchable world
/// True: this is to be told to the world now; `now` is where the device is.
bool plGhost_Next(plGhost*, double time, const plPose* now, plCommand*);
void plGhost_Heard(plGhost*, const plCommand*, double time); ///< what a person told
/// Somebody takes the tool. True: this is to be told first.
bool plGhost_Yields(plGhost*, plCommand*);

// --------------------------------------------------------------------------------------- stage
// An open scene: its loop, what all clients see of it, what they watch, who holds the tool, and the
// session so far. Knows nothing of the net.

/// The last picture that had a hash, and the session up to it.
typedef struct {
    uint64_t sequence; ///< 0: there is none
    uint64_t tick, hash;
    int commandCount;
} plMark;

typedef struct plStage {
    char name[64];
    char file[4096];       ///< of the scene
    bool second;           ///< the other side of a comparison
    struct plStage* other; ///< the stage of the other side, or null
    plScene* scene;
    plDrivers drivers; ///< no scene: nobody drives it from outside
    plRuntime* runtime;
    plPointer pointer;
    char* world; ///< description, JSON text

    int channelCount;
    plChannel* channels;
    int slots[plStageSlots]; ///< index of the channel
    int users[plStageSlots]; ///< clients that watch it; 0: free
    int slotCount;           ///< up to the last one in use

    unsigned char* picture; ///< encoded, behind `before` bytes that are free to use
    size_t before, size;
    uint64_t sequence;       ///< 0: there is none yet
    unsigned char* accounts; ///< the same, of ten pictures in a second
    size_t accountsSize;
    uint64_t accountsNumber; ///< 0: there are none yet
    plSurfaceList surfaces;
    unsigned char* surface;     ///< the same, of soft bodies, while they move
    unsigned char* surfaceNext; ///< where the next one is put together
    uint64_t surfaceNumber;
    unsigned char* look; ///< the same, of the response of contacts
    size_t lookSize;
    uint64_t lookNumber;
    int lookers;  ///< clients that want it
    double* rows; ///< fetched: plStageRows of plStageRowSize
    size_t rowCount;

    uint64_t tick, unrecorded; ///< of the picture
    uint64_t torn;             ///< pictures whose check did not fit: never sent
    plTiming timing;
    bool paused;
    double speed;
    plMark mark;
    plGhost ghost;
    double time;      ///< of the world [s]
    uint64_t horizon; ///< of side a: steps that both sides may do
    uint64_t stalls;  ///< of side a: of both, for which there was an alarm
    double step;      ///< of the world now [s]
    double beginStep; ///< when the session began
    double fixedStep; ///< the only one that soft bodies can take [s]; 0: any
    uint64_t fetched; ///< commands, since the stage was opened
    int commandCount, commandRoom;
    plApplied* commands;

    int holder;   ///< client; 0: nobody
    double heard; ///< when it last said something [s]
    bool held[plStageDevices], grabbed[plStageDevices];
    int heavyLeft;
    double heavySince;
    double left; ///< when the last client went [s]
    int clients;
} plStage;

enum { plStageRowSize = 2 + plStageSlots };

/// Of the definition: rate, privileges, overrun. On failure `message` says why, and nothing is open.
plStatus plStage_Open(plStage*, const plServedScene*, const plServerDef*, size_t before,
                      char* message, size_t size);
void plStage_Close(plStage*);

/// Fetches what the loop has made since. True: there is a new picture.
bool plStage_Pump(plStage*);

/// A device of the outside drives it: only who holds the tool changes anything.
bool plStage_IsDriven(const plStage*);

/// Whether a refusal is the fault of who asked. It is none where another holds the tool: a message may have
/// been on its way when the tool was lost.
bool plStage_IsFault(const char* why);

/// Null: the command is on its way; else why not.
const char* plStage_Command(plStage*, int client, const plCommand*, double now);

/// Null: the client has the tool now, or has given it back; else why not.
const char* plStage_Take(plStage*, int client, double now);
const char* plStage_Leave(plStage*, int client);
/// Nobody holds the tool, and what was held is let go. Forces ease away when it was not meant.
void plStage_LetGo(plStage*, bool meant);

/// Slots for channels, each to be given back once; `since` is the number of the first list that has them
/// all. Null, or why not: then none was taken.
const char* plStage_Watch(plStage*, const int* channels, int count, int* slots, uint64_t* since);
void plStage_Unwatch(plStage*, const int* slots, int count);

/// One client more, or less, wants to see the response of contacts. Null, or why not: to look makes a tick
/// longer.
const char* plStage_Look(plStage*, int client, bool looks);

/// What a session is written from, apart from its stage, which goes on or is closed meanwhile.
typedef struct {
    char *scene, *file; ///< text of the scene, and the name of its file
    double step;
    uint64_t tick, hash;
    int count;
    plApplied* commands;
} plSessionOf;

/// The session up to the mark. False: `message` says why there is none.
bool plStage_CopySession(const plStage*, plSessionOf*, char* message, size_t size);
void plSessionOf_Free(plSessionOf*);

// ---------------------------------------------------------------------------------------- pair
// Two stages of one scene, sides a and b of a comparison, that do the same in the same tick.

void plPair_Begin(plStage* first, plStage* second);
void plPair_End(plStage* first); ///< side b is gone
/// Lets both go on, and none of them far ahead of the other. Often.
void plPair_GoOn(plStage* first);
/// To both, at one tick, or to the stage alone where it is no side a. False: too many wait.
bool plPair_Post(plStage*, const plCommand*);

// ------------------------------------------------------------------------------ files of a scene

/// Names them as seen from the folder of the scene's file; gives a list of names and hashes, a new
/// reference.
json_t* plSceneFiles_Name(json_t* scene, const char* sceneFile);
/// Null: all of the list are there, seen from the folder of a session's file, and what they were; else
/// what is wrong.
const char* plSceneFiles_Complaint(const json_t* list, const char* sessionFile, char* text,
                                   size_t size);

// ---------------------------------------------------------------------------------------- doors

/// A path below a folder, from that of a request. False: it leaves the folder, is hidden, or there is no
/// such file.
bool plFile_Below(const char* folder, const char* path, char* file, size_t size);
const char* plFile_Type(const char* file); ///< "text/html; charset=utf-8", ...

/// Equal, in a time that does not tell where they differ.
bool plDoor_SameToken(const char* token, const char* given);

#endif
