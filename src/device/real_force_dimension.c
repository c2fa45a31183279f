// Force Dimension devices, by the maker's libdrd. x is toward the person, y right, z up; SI units.
#include "device/real.h"

#include <stdio.h>
#include <stdlib.h>

/// The functions that are used: what they return, name, arguments. The last argument says which device.
#define FD_LIST(X)                                                                                 \
    X(int, dhdGetDeviceCount, (void))                                                              \
    X(int, drdOpenID, (char))                                                                      \
    X(int, dhdClose, (char))                                                                       \
    X(bool, drdIsInitialized, (char))                                                              \
    X(int, drdAutoInit, (char))                                                                    \
    X(int, drdStop, (bool, char))                                                                  \
    X(int, dhdGetSystemType, (char))                                                               \
    X(const char*, dhdGetSystemName, (char))                                                       \
    X(int, dhdEnableForce, (unsigned char, char))                                                  \
    X(int, dhdGetPositionAndOrientationFrame, (double*, double*, double*, double(*)[3], char))     \
    X(int, dhdGetLinearVelocity, (double*, double*, double*, char))                                \
    X(int, dhdGetAngularVelocityRad, (double*, double*, double*, char))                            \
    X(unsigned, dhdGetButtonMask, (char))                                                          \
    X(int, dhdSetForceAndTorqueAndGripperForce,                                                    \
      (double, double, double, double, double, double, double, char))                              \
    X(const char*, dhdErrorGetLastStr, (void))

typedef struct {
#define X(type, name, arguments) type(*name) arguments;
    FD_LIST(X)
#undef X
    char device;
    bool opened, turns;
} Fd;

static const char* const names[] = {"libdrd.so",
                                    "libdrd.so.3",
                                    "~/.local/lib/libdrd.so",
                                    "$FDSDK/lib/release/lin-x86_64-gcc/libdrd.so",
                                    "$FDSDK/lib/release/lin-aarch64-gcc/libdrd.so",
                                    NULL};

/// Limits by the type that the library tells; others get the least of them.
static const struct {
    int type;
    double force, torque;
    bool turns;
} models[] = {{63, 20, 0, false},   {33, 12, 0, false},   {34, 12, 0, true},   {36, 12, 0, true},
              {35, 12, 0, true},    {37, 12, 0, true},    {206, 20, 0, false}, {104, 12, 0.2, true},
              {105, 12, 0.2, true}, {203, 12, 0, false},  {131, 12, 0, true},  {132, 12, 0, true},
              {108, 12, 0.2, true}, {109, 12, 0.2, true}, {60, 8, 0, false}};

static bool bindAll(Fd* f, const char* address, char why[plRealText])
{
    const plSymbol symbols[] = {
#define X(type, name, arguments) {#name, &f->name},
        FD_LIST(X)
#undef X
    };
    return plLibrary_Load("libdrd", "the Force Dimension SDK", address, "PALP_LIBDRD", names,
                          symbols, PL_COUNT(symbols), why) != NULL;
}

static void describe(Fd* f, plFound* found)
{
    const int type = f->dhdGetSystemType(f->device);
    const char* name = f->dhdGetSystemName(f->device);
    found->force = 8;
    found->torque = 0;
    for (int i = 0; i < PL_COUNT(models); ++i) {
        if (models[i].type != type) continue;
        found->force = models[i].force;
        found->torque = models[i].torque;
        f->turns = models[i].turns;
    }
    snprintf(found->name, sizeof found->name, "%.80s", name ? name : "a Force Dimension device");
}

// To be calibrated it moves by itself, which is for the person to allow.
static bool calibrate(Fd* f, bool moves, char why[plRealText])
{
    if (f->drdIsInitialized(f->device)) return true;
    if (!moves) {
        return plFailWith(why, "the device is not calibrated: init=yes lets it move by itself for "
                               "that, with nobody's hand on it");
    }
    if (f->drdAutoInit(f->device) < 0 || f->drdStop(true, f->device) < 0) {
        return plFailWith(why, "the device could not calibrate itself: %.150s",
                          f->dhdErrorGetLastStr());
    }
    return true;
}

static void close1(void* state)
{
    Fd* f = state;
    if (!f->opened) return;
    f->dhdSetForceAndTorqueAndGripperForce(0, 0, 0, 0, 0, 0, 0, f->device);
    f->dhdEnableForce(0, f->device);
    f->dhdClose(f->device);
    f->opened = false;
}

static bool open1(void* state, const plRealDef* def, plFound* found, char why[plRealText])
{
    Fd* f = state;
    const int index = atoi(def->id);
    if (!bindAll(f, def->address, why)) return false;
    const int count = f->dhdGetDeviceCount();
    if (count <= 0) {
        return plFailWith(why, "libdrd is there, and no Force Dimension device is connected");
    }
    if (index < 0 || index >= count) {
        return plFailWith(why, "there are %d Force Dimension devices, with the ids 0 to %d", count,
                          count - 1);
    }
    const int device = f->drdOpenID((char)index);
    if (device < 0) {
        return plFailWith(why,
                          "the device cannot be opened (%.100s): is another program using it, "
                          "do the system's udev rules permit it?",
                          f->dhdErrorGetLastStr());
    }
    f->device = (char)device;
    f->opened = true;
    describe(f, found);
    if (calibrate(f, def->moves, why) && f->dhdEnableForce(1, f->device) >= 0) return true;
    if (why[0] == '\0')
        plFailWith(why, "the device takes no force: %.150s", f->dhdErrorGetLastStr());
    close1(f);
    return false;
}

// Answers above zero are no errors: the device held the call back, or its motors gave what they can. The force goes
// first, so that a place that comes late does not hold it back.
static bool round1(void* state, const plGive* give, plRaw* raw, char why[plRealText])
{
    Fd* f = state;
    double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const plVec3 F = give->f.force, tau = give->f.torque;
    const bool given = f->dhdSetForceAndTorqueAndGripperForce(F.x, F.y, F.z, tau.x, tau.y, tau.z, 0,
                                                              f->device) >= 0;
    if (given) raw->given = plClock_Now();
    const bool heard =
        f->dhdGetPositionAndOrientationFrame(&raw->p.x, &raw->p.y, &raw->p.z, m, f->device) >= 0 &&
        f->dhdGetLinearVelocity(&raw->v.x, &raw->v.y, &raw->v.z, f->device) >= 0;
    if (!heard || !given) {
        return plFailWith(why, "the device does not answer: %.150s", f->dhdErrorGetLastStr());
    }
    raw->rates = true;
    raw->turns = f->turns;
    if (f->turns) {
        raw->R = (plMat3){plGet3(m[0]), plGet3(m[1]), plGet3(m[2])};
        f->dhdGetAngularVelocityRad(&raw->w.x, &raw->w.y, &raw->w.z, f->device);
    }
    raw->buttons = f->dhdGetButtonMask(f->device);
    return true;
}

const plDriver plForceDimensionDriver = {
    .name = "force-dimension",
    .address = "libdrd.so",
    .axes = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
    .size = sizeof(Fd),
    .open = open1,
    .round = round1,
    .close = close1,
};
