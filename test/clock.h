// The clock on the wall, for tests of what happens in time. Wants POSIX.
#ifndef PL_TEST_CLOCK_H
#define PL_TEST_CLOCK_H

#include <math.h>
#include <time.h>

static inline double clockNow(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void rest(double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

#endif
