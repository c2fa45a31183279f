// 3D Systems Touch and Phantom, by the maker's libHD: x right, y up, z toward the person; mm. The library
// has a thread of its own, which calls back a thousand times in a second: there the device is read and
// written, and two mails lead to the thread of the device and back.
#define _GNU_SOURCE

#include "device/real.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    unsigned code;
    int internal;
    unsigned device;
} HdError;

typedef unsigned (*HdCall)(void*);

#define HD_LIST(X)                                                                                 \
    X(unsigned, hdInitDevice, (const char*))                                                       \
    X(void, hdDisableDevice, (unsigned))                                                           \
    X(void, hdMakeCurrentDevice, (unsigned))                                                       \
    X(void, hdBeginFrame, (unsigned))                                                              \
    X(void, hdEndFrame, (unsigned))                                                                \
    X(HdError, hdGetError, (void))                                                                 \
    X(const char*, hdGetErrorString, (unsigned))                                                   \
    X(void, hdEnable, (unsigned))                                                                  \
    X(void, hdDisable, (unsigned))                                                                 \
    X(void, hdGetDoublev, (unsigned, double*))                                                     \
    X(void, hdGetIntegerv, (unsigned, int*))                                                       \
    X(void, hdSetDoublev, (unsigned, const double*))                                               \
    X(const char*, hdGetString, (unsigned))                                                        \
    X(unsigned, hdCheckCalibration, (void))                                                        \
    X(unsigned, hdCheckCalibrationStyle, (void))                                                   \
    X(void, hdUpdateCalibration, (unsigned))                                                       \
    X(void, hdStartScheduler, (void))                                                              \
    X(void, hdStopScheduler, (void))                                                               \
    X(unsigned long, hdScheduleAsynchronous, (HdCall, void*, unsigned short))                      \
    X(void, hdUnschedule, (unsigned long))

enum {
    noDevice = -1,
    buttons = 0x2000,
    position = 0x2050,
    velocity = 0x2051,
    transform = 0x2052,
    spin = 0x2053,
    model = 0x2501,
    maxForce = 0x2603,
    force = 0x2700,
    forceOutput = 0x4000,
    forceErrors = 0x200, ///< to 0x2ff: too warm, too strong, too fast. It can be talked to
    needsUpdate = 0x5001,
    needsHand = 0x5002,
    callDone = 0,
    callAgain = 1,
    highest = 0xffff
};

/// From the library's thread.
typedef struct {
    plRaw raw;
    unsigned error;
} Read;
_Static_assert(sizeof(Read) <= plMailBytes, "mail has room");

typedef struct {
#define X(type, name, arguments) type(*name) arguments;
    HD_LIST(X)
#undef X
    plMail reads, forces;
    unsigned device;
    unsigned long scheduled;
    atomic_bool ending, ended; ///< asked for by one thread, told by the other
    int silent;       ///< calls back since a force came: of the library's thread, as the next two
    plWrench given;   ///< in the last of them,
    double givenTime; ///< and when [s]
    double heard;     ///< when a place came [s]
    Read last;
} Touch;

/// The library has one scheduler for all devices.
static pthread_mutex_t schedulerLock = PTHREAD_MUTEX_INITIALIZER;
static int schedulerUsers;

static const char* const names[] = {"libHD.so", "libHD.so.3.4", "/usr/lib/libHD.so", NULL};

static bool bindAll(Touch* t, const char* address, char why[plRealText])
{
    const plSymbol symbols[] = {
#define X(type, name, arguments) {#name, &t->name},
        HD_LIST(X)
#undef X
    };
    return plLibrary_Load("libHD", "3D Systems OpenHaptics and the device's driver", address,
                          "PALP_LIBHD", names, symbols, PL_COUNT(symbols), why) != NULL;
}

// --- on the library's thread

// Should the thread of the device hang, its last force is given for no longer than 20 ms, and then goes. This thread is
// the one that the device hears, so that the slew limit holds here: in one of its periods two forces may come, or none.
static plVec3 nextForce(Touch* t)
{
    enum { most = 20 };
    const plWrench none = {{0, 0, 0}, {0, 0, 0}};
    const double now = plClock_Now();
    plGive give = {.slew = 0};
    bool fresh;
    plMail_Get(&t->forces, &give, sizeof give, &fresh);
    t->silent = fresh ? 0 : t->silent + 1;
    if (t->silent > most) give.f = none;
    const bool toNothing = plNorm(give.f.force) == 0;
    plWrench_Approach(&t->given, &give.f, give.slew * plSlewTime(now - t->givenTime, toNothing), 0);
    return t->given.force;
}

static void readPlace(const Touch* t, plRaw* raw)
{
    double p[3] = {0}, v[3] = {0}, w[3] = {0}, m[16] = {0};
    int mask = 0;
    t->hdGetDoublev(position, p);
    t->hdGetDoublev(velocity, v);
    t->hdGetDoublev(spin, w);
    t->hdGetDoublev(transform, m);
    t->hdGetIntegerv(buttons, &mask);
    raw->p = plScale(1e-3, plGet3(p));
    raw->v = plScale(1e-3, plGet3(v));
    raw->w = plGet3(w);
    // by columns
    raw->R = (plMat3){{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
    raw->turns = raw->rates = true;
    raw->buttons = (unsigned)mask;
}

static unsigned callBack(void* self)
{
    Touch* t = self;
    Read read = {0};
    double F[3];
    const bool ending = atomic_load(&t->ending);
    t->hdBeginFrame(t->device);
    readPlace(t, &read.raw);
    plPut3(ending ? plVec(0, 0, 0) : nextForce(t), F);
    t->hdSetDoublev(force, F);
    t->hdEndFrame(t->device);
    t->givenTime = plClock_Now();
    read.error = t->hdGetError().code;
    plMail_Put(&t->reads, &read, sizeof read);
    if (!ending) return callAgain;
    atomic_store(&t->ended, true);
    return callDone;
}

// --- on the thread of the device

static void startScheduler(const Touch* t)
{
    pthread_mutex_lock(&schedulerLock);
    if (schedulerUsers++ == 0) t->hdStartScheduler();
    pthread_mutex_unlock(&schedulerLock);
}

static void stopScheduler(const Touch* t)
{
    pthread_mutex_lock(&schedulerLock);
    if (--schedulerUsers == 0) t->hdStopScheduler();
    pthread_mutex_unlock(&schedulerLock);
}

static void pause1(void)
{
    const struct timespec time = {.tv_nsec = 1000000};
    nanosleep(&time, NULL);
}

// The library's thread gives no force once more, and ends its calls itself; unless it has died.
static void close1(void* state)
{
    enum { most = 50 };
    Touch* t = state;
    atomic_store(&t->ending, true);
    for (int i = 0; i < most && !atomic_load(&t->ended); ++i) pause1();
    if (!atomic_load(&t->ended)) t->hdUnschedule(t->scheduled);
    t->hdMakeCurrentDevice(t->device);
    t->hdDisable(forceOutput);
    stopScheduler(t);
    t->hdDisableDevice(t->device);
}

static bool waitForPlace(Touch* t, double seconds)
{
    const double end = plClock_Now() + seconds;
    bool fresh = false;
    while (!fresh && plClock_Now() < end) {
        plMail_Get(&t->reads, &t->last, sizeof t->last, &fresh);
        if (!fresh) pause1();
    }
    t->heard = plClock_Now();
    return fresh;
}

static bool calibrate(const Touch* t, char why[plRealText])
{
    const unsigned state = t->hdCheckCalibration();
    if (state == needsUpdate) t->hdUpdateCalibration(t->hdCheckCalibrationStyle());
    if (state != needsHand) return true;
    return plFailWith(why, "the device is not calibrated: put its stylus into the inkwell, or run "
                           "the maker's setup");
}

static void describe(const Touch* t, plFound* found)
{
    double limit = 0;
    const char* name = t->hdGetString(model);
    t->hdGetDoublev(maxForce, &limit);
    // What the library tells may be nonsense; no such device gives more than the strongest Premium.
    found->force = limit > 0 && limit < 40 ? limit : 3.3;
    found->torque = 0;
    snprintf(found->name, sizeof found->name, "%.80s", name && name[0] ? name : "a Touch");
}

static bool begin(Touch* t, const plRealDef* def, char why[plRealText])
{
    t->device = t->hdInitDevice(def->id[0] ? def->id : NULL);
    if (t->device != (unsigned)noDevice) return true;
    const HdError error = t->hdGetError();
    return plFailWith(why,
                      "libHD is there, and finds no device (%.100s): is it connected, set up "
                      "by the maker's program, and permitted?",
                      t->hdGetErrorString(error.code));
}

// Files of the maker's are read with a decimal point, whatever the person's language.
static bool openWithPoint(Touch* t, const plRealDef* def, plFound* found, char why[plRealText])
{
    if (!bindAll(t, def->address, why) || !begin(t, def, why)) return false;
    plMail_Start(&t->reads);
    plMail_Start(&t->forces);
    atomic_init(&t->ending, false);
    atomic_init(&t->ended, false);
    t->hdMakeCurrentDevice(t->device);
    describe(t, found);
    t->hdEnable(forceOutput);
    t->scheduled = t->hdScheduleAsynchronous(callBack, t, highest);
    startScheduler(t);
    if (!waitForPlace(t, 0.5)) {
        plFailWith(why, "libHD has found a device, and its scheduler does not run");
    } else if (calibrate(t, why)) {
        return true;
    }
    close1(t);
    return false;
}

static bool open1(void* state, const plRealDef* def, plFound* found, char why[plRealText])
{
    const locale_t point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = point ? uselocale(point) : (locale_t)0;
    const bool good = openWithPoint(state, def, found, why);
    if (before) uselocale(before);
    if (point) freelocale(point);
    return good;
}

static bool round1(void* state, const plGive* give, plRaw* raw, char why[plRealText])
{
    const double late = 0.015, silence = 0.05; // [s]
    Touch* t = state;
    bool fresh;
    plMail_Put(&t->forces, give, sizeof *give);
    plMail_Get(&t->reads, &t->last, sizeof t->last, &fresh);
    const double now = plClock_Now();
    if (fresh) t->heard = now;
    if (now - t->heard > silence) return plFailWith(why, "libHD has stopped calling back");
    *raw = t->last.raw;
    raw->given = now;
    const unsigned error = t->last.error;
    raw->poor = error != 0 || now - t->heard > late;
    if (error == 0 && raw->poor) plFailWith(why, "libHD calls back too late");
    if (error == 0 || error >> 8 == forceErrors >> 8) return true;
    return plFailWith(why, "the device does not answer: %.150s", t->hdGetErrorString(error));
}

const plDriver plTouchDriver = {
    .name = "touch",
    .address = "libHD.so",
    .axes = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
    .size = sizeof(Touch),
    .open = open1,
    .round = round1,
    .close = close1,
};
