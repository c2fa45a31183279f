// What the tests of the pantograph as a device share.
#ifndef PALP_TEST_TWINS_H
#define PALP_TEST_TWINS_H

#include "device/device.h"
#include "worlds.h"

#include <string.h>

static const double rate = 512; ///< of the papers [Hz]

/// A device that no world holds.
typedef struct {
    _Alignas(64) unsigned char fixedMemory[1 << 14], stateMemory[1 << 12];
    plArena fixed, state;
    plSimulated device;
    plSample sample;
    double T, time, before; ///< the step, now, the step before
} Twin;

static inline plDeviceDef twinDef(plPantographPreset preset)
{
    plDeviceDef def = plDefaultDeviceDef();
    def.name = "stick";
    def.kind = pl_devicePantograph;
    def.twin.mechanism = plPantographDef_Of(preset);
    return def;
}

/// With the inertia of the peg.
static inline plDeviceDef pegDef(int counts)
{
    plDeviceDef def = twinDef(pl_pantographLarge);
    def.twin.impedance.inertia = plVec(2, 2, 0.005);
    def.twin.mechanism.counts = counts;
    return def;
}

static inline void startTwin(Twin* t, const plDeviceDef* def, double T)
{
    const char* complaint = plSimulated_Complaint(def);
    if (complaint) fail_msg("%s", complaint);
    memset(t, 0, sizeof *t);
    t->fixed = (plArena){.memory = t->fixedMemory, .capacity = sizeof t->fixedMemory};
    t->state = (plArena){.memory = t->stateMemory, .capacity = sizeof t->stateMemory};
    t->T = T;
    assert_int_equal(plSimulated_Create(&t->device, def, &t->fixed, &t->state), pl_statusOk);
}

/// A tick under a written force; as in a world, a lost device gets none.
static inline void tick(Twin* t, plVec3 force, double torque)
{
    plWrench written = {force, {0, 0, torque}};
    t->sample = plSimulated_Sample(&t->device, t->time, t->before);
    if (t->sample.flags & pl_sampleLost) written = (plWrench){{0, 0, 0}, {0, 0, 0}};
    plSimulated_Step(&t->device, &written, t->time, t->T);
    t->time += t->T;
    t->before = t->T;
}

static inline void idle(Twin* t, int ticks)
{
    for (int k = 0; k < ticks; ++k) tick(t, plVec(0, 0, 0), 0);
}

static inline plVec3 placeOf(const Twin* t)
{
    const plGrip grip = plSimulated_Grip(&t->device);
    return plVec(grip.pose.p.x, grip.pose.p.y, plLogQuat(grip.pose.q).z);
}

static inline plVec3 velocityOf(const Twin* t)
{
    const plGrip grip = plSimulated_Grip(&t->device);
    return plVec(grip.v.x, grip.v.y, grip.w.z);
}

static inline double largest4(const double a[4])
{
    return fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(a[2]), fabs(a[3])));
}

#endif
