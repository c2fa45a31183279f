// A 2diy on a pseudo-terminal. It has no code in common with the driver: the linkage is solved the other
// way round, from the handle to the angles, and the force at the handle is the work of the torques on a
// small way.
#ifndef PL_TEST_EMULATE_2DIY_H
#define PL_TEST_EMULATE_2DIY_H

#include "clock.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

typedef struct {
    int master, slave;
    char path[128];
    pthread_t thread;
    atomic_bool ending, silent, lies, setUp;
    _Atomic double speed;     ///< of y, by itself while it is not 0 [m/s]
    _Atomic double x, y;      ///< of the handle [m]
    _Atomic double tau[2];    ///< of motor 1 and 2, clamped as the board does [N m]
    _Atomic double rate;      ///< fastest change of a torque [N m/s], as in emulate.h
    _Atomic double offset[2]; ///< of encoder 1 and 2, as it was told in the setup [degrees]
    atomic_ulong writes, resets, nonsense;
} Board;

/// Angle of an inner rod, by the law of cosines: elbow 0 bends left, elbow 1 right.
static inline double rodAngle(int i, double x, double y)
{
    const double l = 0.07, L = 0.09, d = 0.038, dx = x - i * d, r = hypot(dx, y);
    const double inner = acos((l * l + r * r - L * L) / (2 * l * r));
    return atan2(y, dx) + (i == 0 ? inner : -inner);
}

/// Force at the handle: F_x dx = tau_1 dtheta_1 + tau_2 dtheta_2, by central differences.
static inline void boardForce(const Board* b, double F[2])
{
    const double h = 1e-6, x = b->x, y = b->y;
    F[0] = F[1] = 0;
    for (int i = 0; i < 2; ++i) {
        F[0] += b->tau[i] * (rodAngle(i, x + h, y) - rodAngle(i, x - h, y)) / (2 * h);
        F[1] += b->tau[i] * (rodAngle(i, x, y + h) - rodAngle(i, x, y - h)) / (2 * h);
    }
}

static inline bool boardRead(Board* b, void* bytes, size_t size)
{
    char* at = bytes;
    struct pollfd ready = {.fd = b->master, .events = POLLIN};
    while (size > 0 && !b->ending) {
        if (poll(&ready, 1, 20) <= 0) continue;
        const ssize_t n = read(b->master, at, size);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return size == 0;
}

static inline float boardFloat(const unsigned char* bytes)
{
    float x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

/// Of CLOCK_MONOTONIC [s].
static inline void boardMove(Board* b, double* before)
{
    const double now = clockNow();
    if (b->speed != 0) b->y = b->y + b->speed * (now - *before);
    *before = now;
}

static inline void boardAnswer(Board* b, unsigned char id)
{
    unsigned char bytes[9] = {id};
    for (int i = 0; i < 2; ++i) { // port 1 has encoder 2
        const float angle = b->lies ? NAN : (float)(180 / M_PI * rodAngle(1 - i, b->x, b->y));
        memcpy(bytes + 1 + 4 * i, &angle, sizeof angle);
    }
    if (write(b->master, bytes, sizeof bytes) != sizeof bytes) ++b->nonsense;
}

static inline double clampTorque(float x) { return fmax(-0.123, fmin(0.123, (double)x)); }

// Two motors and two encoders, counter-clockwise, no sensors, no PWM pins.
static inline void boardSetUp(Board* b)
{
    static const unsigned char expected[] = {3, 1, 1, 3, 1, 1, 0, 0};
    unsigned char bytes[24];
    if (!boardRead(b, bytes, sizeof bytes)) return;
    if (memcmp(bytes, expected, sizeof expected) != 0 || fabsf(boardFloat(bytes + 12) - 4880) > 0 ||
        fabsf(boardFloat(bytes + 20) - 4880) > 0) {
        ++b->nonsense;
        return;
    }
    b->offset[1] = (double)boardFloat(bytes + 8);
    b->offset[0] = (double)boardFloat(bytes + 16);
    b->setUp = true;
}

static inline void boardGive(Board* b, float tau1, float tau2, double* before)
{
    const double now = clockNow(), time = fmax(2e-3, 1.1 * (now - *before) + 1e-3);
    const double tau[] = {clampTorque(tau1), clampTorque(tau2)};
    for (int i = 0; i < 2; ++i) {
        b->rate = fmax(b->rate, fabs(tau[i] - b->tau[i]) / time);
        b->tau[i] = tau[i];
    }
    *before = now;
    ++b->writes;
}

static inline void* boardRun(void* self)
{
    Board* b = self;
    unsigned char head[2], bytes[8];
    double before = clockNow(), given = before;
    while (!b->ending && boardRead(b, head, 2)) {
        if (head[0] == 0) {
            ++b->resets;
            b->setUp = false;
            boardGive(b, 0, 0, &given);
        } else if (head[0] == 1) {
            boardSetUp(b);
        } else if (head[0] == 2 && b->setUp) {
            if (!boardRead(b, bytes, sizeof bytes)) break;
            boardGive(b, boardFloat(bytes + 4), boardFloat(bytes), &given);
            boardMove(b, &before);
            if (!b->silent) boardAnswer(b, head[1]);
        } else {
            ++b->nonsense;
            tcflush(b->master, TCIFLUSH);
        }
    }
    return NULL;
}

static inline bool boardStart(Board* b)
{
    struct termios line;
    memset(b, 0, sizeof *b);
    b->x = 0.019;
    b->y = 0.1;
    b->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (b->master < 0 || grantpt(b->master) != 0 || unlockpt(b->master) != 0) return false;
    snprintf(b->path, sizeof b->path, "%s", ptsname(b->master));
    b->slave = open(b->path, O_RDWR | O_NOCTTY); // so that the line stays when the driver hangs up
    if (b->slave < 0 || tcgetattr(b->slave, &line) != 0) return false;
    cfmakeraw(&line);
    tcsetattr(b->slave, TCSANOW, &line);
    return pthread_create(&b->thread, NULL, boardRun, b) == 0;
}

static inline void boardEnd(Board* b)
{
    b->ending = true;
    pthread_join(b->thread, NULL);
    close(b->slave);
    close(b->master);
}

#endif
