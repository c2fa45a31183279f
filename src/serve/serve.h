// serve: a world seen and touched from a browser.
//   in    scenes, a runtime, messages of clients
//   out   the viewer's files, descriptions of scenes, pictures and rows
// doc/protocol.md is the other side's view of it.
#ifndef PL_SERVE_H
#define PL_SERVE_H

#include "palp/runtime.h"
#include "palp/scene.h"
#include "world/world.h"

#include <jansson.h>

/// All of a world that does not change while it runs, for who draws it. A new reference, or null
/// when there is no memory.
json_t* plDescribe(const plScene*, const plWorld*);

// ------------------------------------------------------------------------------------ messages
// Bytes on the wire, little-endian: doc/protocol.md.

enum { plMessageBytes = 512, plMessageChannels = 64, plPictureNumbers = 44 };

typedef enum {
    pl_messageCommand, ///< 88 bytes
    pl_messageWatch,   ///< channels that this client wants rows of, at most plMessageChannels
    pl_messageTake,    ///< it asks for the tool
    pl_messageLeave,   ///< it gives the tool back
    pl_messageCount
} plMessageKind;

/// What a client said.
typedef struct {
    plMessageKind kind;
    plCommand command;
    int channelCount;
    int channels[plMessageChannels]; ///< indices, not yet compared with what there is
} plMessage;

/// Null: understood; else what is wrong, in one sentence. Never reads beyond `size`.
const char* plMessage_Decode(const void* bytes, size_t size, plMessage*);

/// The other way, for programs that are clients. Returns the size, at most plMessageBytes.
size_t plMessage_Encode(const plMessage*, void* bytes);

size_t plPicture_EncodedSize(const plPicture*);
void plPicture_Encode(const plPicture*, void* bytes);

/// Rows of 1 + channels numbers, as the runtime gives them.
size_t plRows_EncodedSize(int channels, int rows);
void plRows_Encode(const double* rows, int channels, int count, void* bytes);

#endif
