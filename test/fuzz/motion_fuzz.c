// Any bytes as a recorded motion. What is accepted rises in time and is finite.
#include "math/math.h"
#include "scene/motion.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    plWaypoint* points = NULL;
    int count = 0;
    char message[plMotionMessage] = "";
    const plStatus status =
        plMotion_Parse("fuzz.csv", (const char*)data, size, &points, &count, message);
    if (status != pl_statusOk) {
        if (message[0] == '\0' && status != pl_statusNoMemory) abort();
        return 0;
    }
    if (count < 1 || count > plHandPoints) abort();
    for (int i = 0; i < count; ++i) {
        if (!plFinitePose(points[i].pose) || !isfinite(points[i].time)) abort();
        if (i > 0 && !(points[i].time > points[i - 1].time)) abort();
    }
    free(points);
    return 0;
}
