// A world with everything in it: chains small and large, bodies, links, shapes, drives, and hands by
// couplings of the kinds that any world can have.
#ifndef PALP_TEST_FULL_WORLD_H
#define PALP_TEST_FULL_WORLD_H

#include "fingers.h"

static inline plMechanismId addRods(plWorld* world, const char* name, int count, plRoute route)
{
    plChainBodyDef* bodies = calloc((size_t)count, sizeof *bodies);
    char(*names)[16] = calloc((size_t)count, sizeof *names);
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < count; ++i) {
        snprintf(names[i], sizeof names[i], "rod%d", i);
        bodies[i] = rod(names[i], i - 1, 0.1, 0.05);
        bodies[i].axis = (plVec3){0, i % 2, 1};
        bodies[i].stiffness = 1;
        bodies[i].damping = 0.01;
        bodies[i].position[0] = 0.1;
    }
    def.name = name;
    def.bodies = bodies;
    def.bodyCount = count;
    def.route = route;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    free(bodies);
    free(names);
    return id;
}

static inline plMechanismId addBody(plWorld* world, const char* name, plVec3 at)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    def.name = name;
    def.mass = 0.5;
    def.inertia = diagonal(1e-3, 2e-3, 2.5e-3);
    def.pose.p = at;
    def.spin = (plVec3){1, 2, -1};
    def.anchor.turnStiffness = 0.3;
    checkOk(world, plWorld_AddAssembly(world, &def, &id));
    return id;
}

static inline plLinkId addSpring(plWorld* world, const char* name, plSite a, plSite b, bool turns)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    def.name = name;
    def.a = a;
    def.b = b;
    def.damping = 0.1;
    def.turns = turns;
    def.turnStiffness = 1;
    checkOk(world, plWorld_AddLink(world, &def, &id));
    return id;
}

static inline plDeviceId addStick(plWorld* world, const char* name, plVec3 at, bool cutaneous)
{
    plDeviceDef def = plDefaultDeviceDef();
    plDeviceId id;
    def.name = name;
    def.pose.p = at;
    def.damping = 5;
    def.turnDamping = 0.01;
    def.cutaneous = cutaneous;
    def.rate = cutaneous ? 2000 : 0;
    def.hand.wrench.force = (plVec3){0.1, 0, 0.3};
    checkOk(world, plWorld_AddDevice(world, &def, &id));
    return id;
}

/// A held spring on the first body, a fingertip on the other one, and a grip of two fingers.
static inline void addHands(plWorld* world, plMechanismId body, plMechanismId loose)
{
    plCouplingDef hold = plDefaultCouplingDef(), feel = hold;
    plGripFinger fingers[2];
    plCouplingId id;
    plMotion at;
    const plPose bases[2] = {{{2, 0, 1}, {1, 0, 0, 0}}, {{2, 0.1, 1}, {0.6, 0.8, 0, 0}}};
    const plMechanismId ids[2] = {addFinger(world, "thumb", bases[0], 5e-5),
                                  addFinger(world, "index", bases[1], 5e-5)};
    checkOk(world, plWorld_Motion(world, (plSite){.mechanism = body}, &at));
    hold.name = "held";
    hold.kind = pl_couplingVirtual;
    hold.feedback = pl_feedbackHeld;
    hold.scale = 0.2;
    hold.device = addStick(world, "stick", at.x, false);
    hold.tool.mechanism = body;
    checkOk(world, plWorld_AddCoupling(world, &hold, &id));
    feel.name = "feel";
    feel.kind = pl_couplingFingertip;
    feel.device = addStick(world, "thimble", (plVec3){0, 0, 0}, true);
    feel.tool.mechanism = loose;
    checkOk(world, plWorld_AddCoupling(world, &feel, &id));
    const plDeviceId lever = addStick(world, "lever", (plVec3){0, 0, 0.01}, false);
    const plCouplingDef close = gripOf("close", lever, ids, 2, fingers);
    checkOk(world, plWorld_AddCoupling(world, &close, &id));
}

enum { large = 33 }; // above plSmall: LAPACK is called

static inline plWorld* fullWorld(bool withLarge, const plAllocator* allocator)
{
    plWorldDef def = plDefaultWorldDef();
    plDriveDef drive = plDefaultDriveDef();
    plWorld* world;
    if (allocator) def.allocator = *allocator;
    checkOk(NULL, plWorld_Create(&def, &world));
    const plMechanismId arm =
        addArm(world, pl_integratorMidpoint, pl_routeSquareRoot, pl_coefficientsPredicted);
    const plMechanismId rods = addRods(world, "rods", 12, pl_routeCholesky);
    const plMechanismId body = addBody(world, "body", (plVec3){1.2, 0.3, 0.1});
    const plMechanismId loose = addBody(world, "loose", (plVec3){3, 0, 0});
    addSpring(world, "grip", (plSite){arm, 1, {1, 0, 0}}, (plSite){body, 0, {0.1, 0, 0}}, true);
    addSpring(world, "rope", (plSite){rods, 11, {0.1, 0, 0}}, (plSite){body, 0, {0, 0, 0}}, false);
    addSpring(world, "hook", (plSite){loose, 0, {0, 0, 0.1}}, (plSite){.point = {3, 0, 0.1}},
              false);
    addOscillator(world, 0.1, 50, 0, pl_integratorSymplectic);
    if (withLarge) {
        addRods(world, "long", large, pl_routeCholesky);
        addRods(world, "slow", large, pl_routeSquareRoot);
    }
    addFloor(world, -0.06);
    addBoxShape(world, body, (plVec3){0.1, 0.08, 0.05});
    addBoxShape(world, loose, (plVec3){0.05, 0.05, 0.05});
    for (int i = 3; i < 12; ++i) addSphereShape(world, rods, i, 0.02);
    drive.site = (plSite){loose, 0, {0.1, 0, 0}};
    drive.wrench.force = (plVec3){1, 0, 0.5};
    drive.amplitude = 1;
    drive.frequency = 2;
    checkOk(world, plWorld_AddDrive(world, &drive));
    addHands(world, body, loose);
    return world;
}

#endif
