// serve: a world seen and touched from a browser.
//   in    scenes, a runtime, messages of clients
//   out   the viewer's files, descriptions of scenes, pictures and rows
// doc/protocol.md is the other side's view of it.
#ifndef PL_SERVE_H
#define PL_SERVE_H

#include "palp/runtime.h"
#include "palp/scene.h"
#include "scene/scene.h"
#include "serve/wire.h"
#include "world/world.h"

#include <jansson.h>

/// All of a world that does not change while it runs, for who draws it. A new reference, or null
/// when there is no memory.
json_t* plDescribe(const plScene*, const plWorld*);

// ------------------------------------------------------------------------------------ messages
// Bytes on the wire, little-endian: doc/protocol.md.

#define X(name, value, what) +1
enum { plMessageBytes = 512, plMessageChannels = 64, plPictureNumbers = PL_PICTURE_NUMBERS(X) };
#undef X

typedef enum {
#define X(name, word) pl_message##name,
    PL_CLIENT_MESSAGES(X)
#undef X
        pl_messageCount
} plMessageKind;

/// What a client said.
typedef struct {
    plMessageKind kind;
    plCommand command;
    int channelCount;
    int channels[plMessageChannels]; ///< indices, not yet compared with what there is
    bool looks;
} plMessage;

/// Null: understood; else what is wrong, in one sentence. Never reads beyond `size`.
const char* plMessage_Decode(const void* bytes, size_t size, plMessage*);

/// The other way, for programs that are clients. Returns the size, at most plMessageBytes.
size_t plMessage_Encode(const plMessage*, void* bytes);

size_t plPicture_EncodedSize(const plPicture*);
void plPicture_Encode(const plPicture*, void* bytes);

/// Of a picture that has accounts.
size_t plAccounts_EncodedSize(const plPicture*);
void plAccounts_Encode(const plPicture*, void* bytes);

/// Which nodes of soft bodies are told: those of their surfaces, in the order of the mechanisms.
typedef struct {
    int bodyCount, pointCount;
    int* points; ///< places in plPicture_Points
} plSurfaceList;

bool plSurfaces_List(const plWorld*, plSurfaceList*); ///< false: no memory
void plSurfaces_Free(plSurfaceList*);
/// Its points at rest in the frame of its part 0, and its faces, for the description. Before the first
/// tick. A new reference.
json_t* plSurface_Describe(const plWorld*, plMechanismId);

size_t plSurfaces_EncodedSize(const plSurfaceList*);
void plSurfaces_Encode(const plSurfaceList*, const plPicture*, void* bytes);

enum { plLookBytes = 16 + plLookContacts * (8 + 4 * plLookContacts) };
/// Returns the size, at most plLookBytes.
size_t plLook_Encode(const plLook*, uint64_t tick, void* bytes);

/// Rows of 1 + channels numbers, the tick first. Without rows only the head is written, 8 bytes, and the
/// numbers are put behind it by plRows_Put.
size_t plRows_EncodedSize(int channels, int rows);
void plRows_Encode(const double* rows, int channels, int count, void* bytes);
void plRows_Put(const double* numbers, int count, void* bytes);

// ------------------------------------------------------------------------------------ sessions

/// A session as text, JSON: doc/protocol.md. Files of the scene are named as seen from the folder of
/// `sceneFile`. The caller's, or null when there is no memory.
char* plSession_Write(const char* scene, const char* sceneFile, double step, uint64_t ticks,
                      uint64_t hash, const plApplied*, int count);

typedef struct {
    uint64_t ticks;
    uint64_t expected, hash; ///< as written in the session, and as it came out now
} plReplayed;

/// Runs a session again, without a clock. Whether the hashes are equal is the caller's to look at. Else
/// `message` says what is wrong with the text. `name` is its file: those that the scene refers to are
/// looked for beside it, and must be what they were.
plStatus plSession_Replay(const char* name, const char* text, size_t length, plReplayed*,
                          char* message, size_t size);

// ---------------------------------------------------------------------------------- the server

enum { plTokenLeast = 16, plTokenMost = 120 }; ///< characters of a token

/// Null: a token that may be used; else what is wrong with it, in one sentence.
const char* plDoor_TokenComplaint(const char* token);

/// A scene that may be asked for.
typedef struct {
    char name[64];
    char file[4096];
} plServedScene;

/// Who drives devices of one scene from outside. That scene is opened at once and stays open; it has no
/// side b and no session, which could not be run again.
typedef struct {
    const char* scene; ///< null: none
    void* self;
    /// Before its first tick. Null, or why the scene cannot be opened, in one sentence.
    const char* (*attach)(void* self, const plScene*, plWorld*);
    void (*detach)(void* self); ///< behind its last tick
} plDrivers;

typedef struct {
    const char* address; ///< default "127.0.0.1"; another one only with a token
    int port;            ///< default 8080; 0: any that is free
    const char* token;   ///< that requests must have; null: none
    double guess;        ///< for each wrong token of a peer, behind the first ten [s]; default 10
    int connections;     ///< of one peer, most at once; default 32
    const char* certificate; ///< a file, PEM; null: without TLS
    const char* key;         ///< of the certificate, PEM
    const char* view;        ///< folder of the viewer's files; null: none
    double rate;             ///< ticks in a second [Hz]; 0: as the scenes say
    double deviceRate;       ///< writes in a second to real devices; 0: as the world ticks
    bool privileges;         ///< of the loop that a device drives: plRuntimeDef
    plOverrun overrun;       ///< of the loops; a scene that may not have it is not opened
    double silence;          ///< of who holds the tool, until it has let go [s]; default 2
    double linger;           ///< of a scene that nobody looks at, until it is closed [s]; default 5
    int clients;             ///< most at once; default 128
    plDrivers drivers;
    int sceneCount;
    const plServedScene* scenes; ///< the caller's, until the server is destroyed
} plServerDef;

plServerDef plDefaultServerDef(void);

typedef struct plServer plServer;

/// Listens. On failure `message` says why.
plStatus plServer_Create(const plServerDef*, plServer**, char* message, size_t size);
int plServer_Port(const plServer*);
/// Serves until it is stopped, on the calling thread.
void plServer_Run(plServer*);
void plServer_Stop(plServer*); ///< from any thread, or from a signal handler
void plServer_Destroy(plServer*);

#endif
