// A libdrd for tests: the names that a driver needs, with two devices that do nothing by themselves.
#define _POSIX_C_SOURCE 200809L

#include "emulate.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define PUBLIC __attribute__((visibility("default")))

static Emulated all = {.count = 1, .type = 33, .calibrated = true};

PUBLIC Emulated* emulated(void);
PUBLIC int dhdGetDeviceCount(void);
PUBLIC int drdOpenID(char id);
PUBLIC int dhdClose(char id);
PUBLIC bool drdIsInitialized(char id);
PUBLIC int drdAutoInit(char id);
PUBLIC int drdStop(bool on, char id);
PUBLIC int dhdGetSystemType(char id);
PUBLIC const char* dhdGetSystemName(char id);
PUBLIC int dhdEnableForce(unsigned char on, char id);
PUBLIC int dhdGetPositionAndOrientationFrame(double*, double*, double*, double (*m)[3], char id);
PUBLIC int dhdGetLinearVelocity(double*, double*, double*, char id);
PUBLIC int dhdGetAngularVelocityRad(double*, double*, double*, char id);
PUBLIC unsigned dhdGetButtonMask(char id);
PUBLIC int dhdSetForceAndTorqueAndGripperForce(double, double, double, double, double, double,
                                               double, char id);
PUBLIC const char* dhdErrorGetLastStr(void);

static EmulatedDevice* at(char id)
{
    const int i = id;
    return i >= 0 && i < 2 && !all.unplugged && all.devices[i].opened ? &all.devices[i] : NULL;
}

static int tell(const _Atomic double* from, double* x, double* y, double* z)
{
    *x = from[0];
    *y = from[1];
    *z = from[2];
    return 0;
}

Emulated* emulated(void) { return &all; }

static __attribute__((constructor)) void start(void) { startEmulated(&all); }

int dhdGetDeviceCount(void) { return all.unplugged ? 0 : all.count; }

int drdOpenID(char id)
{
    if (all.refuses || all.unplugged || id < 0 || id >= all.count) return -1;
    all.devices[(int)id].opened = true;
    return id;
}

int dhdClose(char id)
{
    if (id < 0 || id >= 2) return -1;
    all.devices[(int)id].opened = false;
    return 0;
}

bool drdIsInitialized(char id) { return at(id) && all.calibrated; }

int drdAutoInit(char id)
{
    EmulatedDevice* d = at(id);
    if (!d) return -1;
    ++d->moves;
    all.calibrated = true;
    return 0;
}

int drdStop(bool on, char id)
{
    (void)on;
    return at(id) ? 0 : -1;
}

int dhdGetSystemType(char id) { return at(id) ? (int)all.type : -1; }
const char* dhdGetSystemName(char id) { return at(id) ? "emulated omega.3" : NULL; }

int dhdEnableForce(unsigned char on, char id)
{
    EmulatedDevice* d = at(id);
    if (!d) return -1;
    switchForce(d, on != 0);
    return 0;
}

int dhdGetPositionAndOrientationFrame(double* x, double* y, double* z, double (*m)[3], char id)
{
    const struct timespec hang = {.tv_nsec = 20000000};
    const EmulatedDevice* d = at(id);
    if (!d || all.mute) return -1;
    if (all.dead) nanosleep(&hang, NULL);
    for (int i = 0; i < 9; ++i) m[i / 3][i % 3] = d->R[i];
    return tell(d->p, x, y, z);
}

int dhdGetLinearVelocity(double* x, double* y, double* z, char id)
{
    const EmulatedDevice* d = at(id);
    return d ? tell(d->v, x, y, z) : -1;
}

int dhdGetAngularVelocityRad(double* x, double* y, double* z, char id)
{
    const EmulatedDevice* d = at(id);
    return d ? tell(d->w, x, y, z) : -1;
}

unsigned dhdGetButtonMask(char id)
{
    const EmulatedDevice* d = at(id);
    return d ? d->buttons : 0;
}

// 2, as when motors give what they can: no error.
int dhdSetForceAndTorqueAndGripperForce(double x, double y, double z, double tx, double ty,
                                        double tz, double grip, char id)
{
    const double f[] = {x, y, z}, t[] = {tx, ty, tz};
    EmulatedDevice* d = at(id);
    (void)grip;
    if (!d) return -1;
    for (int i = 0; i < 3; ++i) d->torque[i] = d->forceOn ? t[i] : 0;
    giveForce(d, f);
    return 2;
}

const char* dhdErrorGetLastStr(void) { return all.unplugged ? "device is gone" : "device is busy"; }
