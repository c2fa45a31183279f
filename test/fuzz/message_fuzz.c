// Any bytes as a message of a client. What is understood must be sound, and survive the way to bytes
// and back.
#include "serve/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    plMessage m, again;
    unsigned char bytes[plMessageBytes];
    if (plMessage_Decode(data, size, &m)) return 0;
    if (m.kind >= pl_messageCount || m.channelCount < 0 || m.channelCount > plMessageChannels) {
        abort();
    }
    if (m.kind == pl_messageCommand &&
        (plCommand_Complaint(&m.command) || !isfinite(m.command.value))) {
        abort();
    }
    const size_t length = plMessage_Encode(&m, bytes);
    if (length > sizeof bytes || plMessage_Decode(bytes, length, &again)) abort();
    if (again.kind != m.kind || again.channelCount != m.channelCount || again.looks != m.looks ||
        memcmp(again.channels, m.channels, sizeof m.channels) != 0 ||
        memcmp(&again.command.pose, &m.command.pose, sizeof m.command.pose) != 0) {
        abort();
    }
    return 0;
}
