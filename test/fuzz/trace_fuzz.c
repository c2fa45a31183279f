// Any bytes as a trace. What is accepted can be read to its last number.
#define _GNU_SOURCE

#include "palp/palp.h"
#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    plTrace trace;
    char message[256];
    double sum = 0;
    const char* path = fileOf(data, size, ".h5");
    const plStatus status = plTrace_Read(path, &trace, message, sizeof message);
    unlink(path);
    if ((status == pl_statusOk) != (message[0] == '\0')) abort();
    if (status != pl_statusOk) return 0;
    for (uint64_t i = 0; i < trace.rows; ++i) sum += trace.T[i] + (double)trace.hash[i];
    for (uint64_t i = 0; i < trace.rows * (uint64_t)trace.channelCount; ++i) sum += trace.values[i];
    for (int i = 0; i < trace.channelCount; ++i) sum += (double)strlen(trace.channels[i]);
    if (trace.scene) sum += (double)strlen(trace.scene);
    plTrace_Free(&trace);
    if (sum == 0.12345678901) puts("a sum that nobody has");
    return 0;
}
