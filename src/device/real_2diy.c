// Haply 2diy: two motors, a five-bar linkage, a board on a serial line.
//   in    angles of the two motors [degrees], as the board tells them
//   out   torques [N m]
//   letters  l, L lengths of the inner and outer rods, d distance of the motors; O motors at (0, 0) and
//            (d, 0), E elbows, P handle; theta angles of the inner rods; G: thetadot = G Pdot
// A message is command, id, payload; numbers are little-endian floats. The base is away from the person,
// y comes toward them, x goes left.
#define _GNU_SOURCE

#include "device/real.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { resetCommand = 0, setupCommand = 1, writeCommand = 2, usualId = 5, answerBytes = 9 };

static const double l = 0.07, L = 0.09, d = 0.038; // [m], version 3
static const double strongest = 0.123;             // torque that the board lets through [N m]

typedef struct {
    int port;
    unsigned char id;
    double theta[2];
    bool known;    ///< theta is
    double tau[2]; ///< that were given last
    double time;   ///< then [s]
} Diy;

// --- the linkage

/// False: the elbows are too far apart, or an angle is no number.
static bool findHandle(const double theta[2], plVec3 E[2], plVec3* P)
{
    for (int i = 0; i < 2; ++i) E[i] = plVec(i * d + l * cos(theta[i]), l * sin(theta[i]), 0);
    const plVec3 across = plSub(E[0], E[1]);
    const double half = 0.5 * plNorm(across), height2 = L * L - half * half;
    if (!(half > 1e-6 && height2 > 0)) return false;
    const plVec3 outward = plVec(across.y, -across.x, 0); // away from the base, elbow 0 being left
    *P = plAddScaled(plScale(0.5, plAdd(E[0], E[1])), sqrt(height2) / (2 * half), outward);
    return true;
}

// The rods keep their lengths: (P - E_i).(Pdot - Edot_i) = 0, so row i of G is (P - E_i)/((P - E_i).a_i),
// a_i = dE_i/dtheta_i; and F = G^T tau. Near the border of what is reached there is no answer.
static bool findTorques(const double theta[2], plVec3 F, double tau[2])
{
    plVec3 E[2], P, G[2];
    if (!findHandle(theta, E, &P)) return false;
    for (int i = 0; i < 2; ++i) {
        const plVec3 rod = plSub(P, E[i]), a = {-l * sin(theta[i]), l * cos(theta[i]), 0};
        const double lever = plDot(rod, a);
        if (fabs(lever) < 0.05 * l * L) return false;
        G[i] = plScale(1 / lever, rod);
    }
    const double det = G[0].x * G[1].y - G[0].y * G[1].x;
    if (fabs(det) < 0.05 * plNorm(G[0]) * plNorm(G[1])) return false;
    tau[0] = (F.x * G[1].y - F.y * G[1].x) / det;
    tau[1] = (F.y * G[0].x - F.x * G[0].y) / det;
    const double most = fmax(fabs(tau[0]), fabs(tau[1]));
    const double factor = most > strongest ? strongest / most : 1; // the direction stays
    tau[0] *= factor;
    tau[1] *= factor;
    return true;
}

// --- the line

static void putFloat(float x, unsigned char* bytes)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 4; ++i) bytes[i] = (unsigned char)(bits >> 8 * i);
}

static double getFloat(const unsigned char* bytes)
{
    uint32_t bits = 0;
    float x;
    for (int i = 0; i < 4; ++i) bits |= (uint32_t)bytes[i] << 8 * i;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static bool sendAll(int port, const unsigned char* bytes, size_t size)
{
    struct pollfd ready = {.fd = port, .events = POLLOUT};
    while (size > 0) {
        if (poll(&ready, 1, 50) <= 0 || !(ready.revents & POLLOUT)) return false;
        const ssize_t n = write(port, bytes, size);
        if (n < 0 && errno != EAGAIN) return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool receiveAll(int port, unsigned char* bytes, size_t size)
{
    struct pollfd ready = {.fd = port, .events = POLLIN};
    while (size > 0) {
        if (poll(&ready, 1, 50) <= 0 || !(ready.revents & POLLIN)) return false;
        const ssize_t n = read(port, bytes, size);
        if (n == 0 || (n < 0 && errno != EAGAIN)) return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

// Motor and encoder 1 are at port 2 of the board and 2 at port 1, all counter-clockwise; the board
// speaks in the order of its ports.
static bool setUp(const Diy* s)
{
    enum { both = 3, counterClockwise = 1 };
    unsigned char bytes[26] = {
        setupCommand,     s->id,           both, counterClockwise, counterClockwise, both,
        counterClockwise, counterClockwise};
    const float offsets[] = {12, 168}, counts = 4880;
    for (int i = 0; i < 2; ++i) { // behind no sensors and no PWM pins
        putFloat(offsets[i], bytes + 10 + 8 * i);
        putFloat(counts, bytes + 14 + 8 * i);
    }
    return sendAll(s->port, bytes, sizeof bytes);
}

static bool exchange(Diy* s, const double tau[2])
{
    unsigned char out[10] = {writeCommand, s->id}, in[answerBytes];
    putFloat((float)tau[1], out + 2);
    putFloat((float)tau[0], out + 6);
    if (!sendAll(s->port, out, sizeof out)) return false;
    s->time = plClock_Now();
    memcpy(s->tau, tau, sizeof s->tau);
    if (!receiveAll(s->port, in, sizeof in)) return false;
    if (in[0] != s->id) return false;
    s->theta[1] = PL_PI / 180 * getFloat(in + 1);
    s->theta[0] = PL_PI / 180 * getFloat(in + 5);
    s->known = true;
    return true;
}

// --- opening and closing

static bool openPort(Diy* s, const char* path, char why[plRealText])
{
    struct termios line;
    s->port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (s->port < 0 && errno == ENOENT) return plFailWith(why, "there is no %.150s", path);
    if (s->port < 0 && errno == EACCES) {
        return plFailWith(why,
                          "%.100s may not be opened: join the group that owns it (dialout), and "
                          "log in again",
                          path);
    }
    if (s->port < 0) return plFailWith(why, "%.100s: %.100s", path, strerror(errno));
    if (tcgetattr(s->port, &line) == 0) {
        cfmakeraw(&line);
        cfsetspeed(&line, B115200);
        if (tcsetattr(s->port, TCSANOW, &line) == 0) return true;
    }
    close(s->port);
    return plFailWith(why, "%.150s is no serial line", path);
}

/// The first that is there.
static bool findPort(const plRealDef* def, char path[plRealText], char why[plRealText])
{
    glob_t found;
    if (def->address[0]) {
        snprintf(path, plRealText, "%s", def->address);
        return true;
    }
    const bool any = glob("/dev/ttyACM*", 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (any) snprintf(path, plRealText, "%s", found.gl_pathv[0]);
    globfree(&found);
    return any || plFailWith(why, "there is no board at /dev/ttyACM*: is it connected?");
}

// A byte to a board that is none might do anything: so only who names the line lets it be tried.
static bool look(const plRealDef* def, char text[plRealText])
{
    char path[plRealText];
    if (!findPort(def, path, text)) return false;
    if (access(path, R_OK | W_OK) != 0) {
        return plFailWith(text,
                          "%.100s may not be opened: join the group that owns it (dialout), "
                          "and log in again",
                          path);
    }
    plFailWith(text,
               "a serial line that may be one is at %.80s: palp doctor --device 2diy:%.80s "
               "tries it",
               path, path);
    return true;
}

static bool open1(void* state, const plRealDef* def, plFound* found, char why[plRealText])
{
    enum { tries = 3 };
    Diy* s = state;
    char path[plRealText];
    const int id = def->id[0] ? atoi(def->id) : usualId;
    const unsigned char reset[] = {resetCommand, 0};
    const double none[2] = {0, 0};
    bool answers = false;
    if (id < 0 || id > 255) return plFailWith(why, "the id of a board is 0 .. 255");
    if (!findPort(def, path, why) || !openPort(s, path, why)) return false;
    s->id = (unsigned char)id;
    for (int i = 0; i < tries && !answers; ++i) {
        tcflush(s->port, TCIOFLUSH);
        answers = sendAll(s->port, reset, sizeof reset) && setUp(s) && exchange(s, none);
    }
    if (answers) {
        snprintf(found->name, sizeof found->name, "a 2diy at %.60s", path);
        found->force = 5; // what its torques give in the middle of its reach
        found->torque = 0;
        return true;
    }
    close(s->port);
    return plFailWith(why, "nobody answers at %.100s as a 2diy would", path);
}

// Where a force has no torques any more, at the border of what is reached, they go to nothing in 5 ms, and come
// back so; elsewhere the slew limit of the force is slower.
static void approach(const Diy* s, double tau[2])
{
    const double fullTime = 5e-3; // [s]
    const double most = strongest * plSlewTime(plClock_Now() - s->time, false) / fullTime;
    for (int i = 0; i < 2; ++i) tau[i] = s->tau[i] + fmax(-most, fmin(most, tau[i] - s->tau[i]));
}

static bool round1(void* state, const plGive* give, plRaw* raw, char why[plRealText])
{
    Diy* s = state;
    double tau[2] = {0, 0};
    plVec3 E[2];
    if (s->known && !findTorques(s->theta, give->f.force, tau)) tau[0] = tau[1] = 0;
    approach(s, tau);
    const double before = s->time;
    const bool answers = exchange(s, tau);
    if (s->time > before) raw->given = s->time;
    if (!answers) return plFailWith(why, "the board does not answer");
    if (!findHandle(s->theta, E, &raw->p)) raw->poor = true;
    return true;
}

static void close1(void* state)
{
    enum { most = 5 };
    Diy* s = state;
    const unsigned char reset[] = {resetCommand, 0};
    const struct timespec pause = {.tv_nsec = 1000000};
    bool answers = true;
    for (int i = 0; i < most && answers; ++i) {
        double tau[2] = {0, 0};
        approach(s, tau);
        answers = exchange(s, tau);
        if (s->tau[0] == 0 && s->tau[1] == 0) break;
        nanosleep(&pause, NULL);
    }
    sendAll(s->port, reset, sizeof reset);
    close(s->port);
}

const plDriver pl2diyDriver = {
    .name = "2diy",
    .address = "/dev/ttyACM0",
    .axes = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
    .flat = true,
    .size = sizeof(Diy),
    .open = open1,
    .round = round1,
    .close = close1,
    .look = look,
};
