// The under-actuated finger of spec-pmi section 8.
#ifndef PALP_TEST_FINGERS_H
#define PALP_TEST_FINGERS_H

#include "worlds.h"

enum { fingerJoints = 3, fingerTendons = 6, fingerMotors = 2 };

static const double fingerLengths[fingerJoints] = {0.05, 0.03, 0.02};
static const double fingerOpen[fingerJoints] = {0, 0, 0}, fingerClosed[fingerJoints] = {.9, 1, .7};

/// The first two tendons have motors.
static inline plMechanismId addFinger(plWorld* world, const char* name, plPose base, double damping)
{
    static const double pulleys[fingerTendons][fingerJoints] = {
        {.010, .008, .006}, {.010, 0, 0}, {.006, 0, 0},
        {0, .006, 0},       {0, 0, .005}, {0, .006, -.006}};
    static const char* const names[fingerJoints] = {"proximal", "middle", "distal"};
    plChainBodyDef bodies[fingerJoints];
    plTendonDef tendons[fingerTendons];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < fingerJoints; ++i) {
        bodies[i] = rod(names[i], i - 1, fingerLengths[i], 1e-3);
        bodies[i].damping = damping;
        if (i > 0) bodies[i].frame.p.x = fingerLengths[i - 1];
    }
    for (int i = 0; i < fingerTendons; ++i) {
        tendons[i] = plDefaultTendonDef();
        tendons[i].J = pulleys[i];
        tendons[i].stiffness = i < fingerMotors ? 100 : 10;
        tendons[i].radius = i < fingerMotors ? 0.01 : 0;
    }
    def.name = name;
    def.base = base;
    def.bodies = bodies;
    def.bodyCount = fingerJoints;
    def.tendons = tendons;
    def.tendonCount = fingerTendons;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

/// A grip that closes fingers of this kind, at most plGripFingers; `fingers` is room for them.
static inline plCouplingDef gripOf(const char* name, plDeviceId device, const plMechanismId* ids,
                                   int count, plGripFinger* fingers)
{
    plCouplingDef def = plDefaultCouplingDef();
    for (int i = 0; i < count; ++i) fingers[i] = (plGripFinger){ids[i], fingerOpen, fingerClosed};
    def.name = name;
    def.kind = pl_couplingGrip;
    def.device = device;
    def.grip.fingers = fingers;
    def.grip.fingerCount = count;
    return def;
}

#endif
