// A libHD for tests: two devices, and a scheduler on a thread of its own at 1 kHz.
#define _GNU_SOURCE

#include "emulate.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define PUBLIC __attribute__((visibility("default")))

enum { none = -1, calls = 4 };

typedef struct {
    unsigned code;
    int internal;
    unsigned device;
} Error;

typedef unsigned Call(void*);

PUBLIC Emulated* emulated(void);
PUBLIC unsigned hdInitDevice(const char* name);
PUBLIC void hdDisableDevice(unsigned device);
PUBLIC void hdMakeCurrentDevice(unsigned device);
PUBLIC void hdBeginFrame(unsigned device);
PUBLIC void hdEndFrame(unsigned device);
PUBLIC Error hdGetError(void);
PUBLIC const char* hdGetErrorString(unsigned code);
PUBLIC void hdEnable(unsigned what);
PUBLIC void hdDisable(unsigned what);
PUBLIC void hdGetDoublev(unsigned what, double* out);
PUBLIC void hdGetIntegerv(unsigned what, int* out);
PUBLIC void hdSetDoublev(unsigned what, const double* in);
PUBLIC const char* hdGetString(unsigned what);
PUBLIC unsigned hdCheckCalibration(void);
PUBLIC unsigned hdCheckCalibrationStyle(void);
PUBLIC void hdUpdateCalibration(unsigned style);
PUBLIC void hdStartScheduler(void);
PUBLIC void hdStopScheduler(void);
PUBLIC unsigned long hdScheduleAsynchronous(Call* call, void* user, unsigned short priority);
PUBLIC void hdUnschedule(unsigned long handle);

static Emulated all = {.count = 1, .calibrated = true};
static _Thread_local unsigned current;
static _Thread_local unsigned error;
static _Thread_local bool inFrame;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    Call* call;
    void* user;
} scheduled[calls];
static pthread_t scheduler;
static atomic_bool runs;

Emulated* emulated(void) { return &all; }

static __attribute__((constructor)) void start(void) { startEmulated(&all); }

static EmulatedDevice* now(void)
{
    if (all.unplugged) error = 0x302;
    return current < 2 && !all.unplugged ? &all.devices[current] : NULL;
}

// --- devices

// "Default Device" is the first, "Left Device" the second.
unsigned hdInitDevice(const char* name)
{
    const unsigned i = name && name[0] == 'L';
    if (all.refuses || all.unplugged || (int)i >= all.count) {
        error = 0x301;
        return (unsigned)none;
    }
    all.devices[i].opened = true;
    current = i;
    return i;
}

void hdDisableDevice(unsigned device)
{
    if (device < 2) all.devices[device].opened = false;
}

void hdMakeCurrentDevice(unsigned device) { current = device; }

void hdBeginFrame(unsigned device)
{
    current = device;
    inFrame = true;
}

void hdEndFrame(unsigned device)
{
    (void)device;
    inFrame = false;
}

Error hdGetError(void)
{
    const Error e = {error, 0, current};
    error = 0;
    return e;
}

const char* hdGetErrorString(unsigned code)
{
    return code == 0x302 ? "communication error" : "device fault";
}

void hdEnable(unsigned what)
{
    EmulatedDevice* d = now();
    if (d && what == 0x4000) switchForce(d, true);
}

void hdDisable(unsigned what)
{
    EmulatedDevice* d = now();
    if (d && what == 0x4000) switchForce(d, false);
}

static void copy(const _Atomic double* from, double factor, double* to)
{
    for (int i = 0; i < 3; ++i) to[i] = factor * from[i];
}

// Ways are in millimetres; a transform is by columns.
void hdGetDoublev(unsigned what, double* out)
{
    const EmulatedDevice* d = now();
    if (!d) return;
    if (what == 0x2603) *out = d->limit;
    if (what == 0x2050) copy(d->p, 1e3, out);
    if (what == 0x2051) copy(d->v, 1e3, out);
    if (what == 0x2053) copy(d->w, 1, out);
    if (what != 0x2052) return;
    for (int i = 0; i < 16; ++i) out[i] = i % 5 == 0;
    for (int i = 0; i < 9; ++i) out[4 * (i % 3) + i / 3] = d->R[i];
    copy(d->p, 1e3, out + 12);
}

void hdGetIntegerv(unsigned what, int* out)
{
    const EmulatedDevice* d = now();
    if (d && what == 0x2000) *out = (int)d->buttons;
}

// A force belongs into a frame.
void hdSetDoublev(unsigned what, const double* in)
{
    EmulatedDevice* d = now();
    if (!d || what != 0x2700) return;
    if (!inFrame) error = 0x102;
    if (!inFrame) return;
    giveForce(d, in);
}

const char* hdGetString(unsigned what) { return what == 0x2501 ? "emulated Touch" : ""; }

unsigned hdCheckCalibration(void) { return all.calibrated ? 0x5000 : 0x5002; }
unsigned hdCheckCalibrationStyle(void) { return 4; }
void hdUpdateCalibration(unsigned style) { (void)style; }

// --- the scheduler

static void callAll(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < calls; ++i) {
        if (scheduled[i].call && scheduled[i].call(scheduled[i].user) == 0)
            scheduled[i].call = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static void* schedule(void* self)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)self;
    while (runs) {
        if (!all.dead) callAll();
        nanosleep(&pause, NULL);
    }
    return NULL;
}

void hdStartScheduler(void)
{
    runs = true;
    pthread_create(&scheduler, NULL, schedule, NULL);
}

void hdStopScheduler(void)
{
    runs = false;
    pthread_join(scheduler, NULL);
}

unsigned long hdScheduleAsynchronous(Call* call, void* user, unsigned short priority)
{
    unsigned long handle = 0;
    (void)priority;
    pthread_mutex_lock(&lock);
    for (unsigned long i = 0; i < calls && handle == 0; ++i) {
        if (scheduled[i].call) continue;
        scheduled[i].call = call;
        scheduled[i].user = user;
        handle = i + 1;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void hdUnschedule(unsigned long handle)
{
    pthread_mutex_lock(&lock);
    if (handle >= 1 && handle <= calls) scheduled[handle - 1].call = NULL;
    pthread_mutex_unlock(&lock);
}
