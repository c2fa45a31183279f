// What the tests of walls and friction in worlds share.
#ifndef PALP_TEST_WALLS_H
#define PALP_TEST_WALLS_H

#include "collide/collide.h"
#include "law/friction.h"
#include "law/wall.h"
#include "math/math.h"
#include "scene_text.h"
#include "world/inside.h"
#include "worlds.h"

#include <string.h>

static const double m = 2, T = 1. / 500;

static inline plWorld* planarWorld(const plSurface* surface, plLawName law)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.gravity = (plVec3){0, 0, 0};
    def.planar = true;
    def.contact.law = law;
    def.contact.surface = *surface;
    checkOk(NULL, plWorld_Create(&def, &w));
    return w;
}

static inline void addPlane(plWorld* w, plVec3 normal, plVec3 at)
{
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    def.shape.normal = normal;
    def.shape.frame.p = at;
    checkOk(w, plWorld_AddShape(w, &def, &id));
}

/// A peg of 21 x 10.5 mm that slides along x, or is free in the plane.
static inline plMechanismId addPeg(plWorld* w, plJoint joint, plIntegrator integrator, double x,
                                   double v)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef def = plDefaultChainDef();
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    body.name = "peg";
    body.joint = joint;
    body.axis = (plVec3){1, 0, 0};
    body.mass = m;
    body.inertia = diagonal(0.005, 0.005, 0.005);
    body.position[0] = x;
    body.velocity[0] = v;
    def.name = "peg";
    def.bodies = &body;
    def.bodyCount = 1;
    def.integrator = integrator;
    checkOk(w, plWorld_AddChain(w, &def, &box.mechanism));
    box.shape.half = (plVec3){0.0105, 0.00525, 0.01};
    checkOk(w, plWorld_AddShape(w, &box, &id));
    return box.mechanism;
}

static inline void stateOf(const plWorld* w, plMechanismId id, double* x, double* v)
{
    double q[7], u[6];
    checkOk(w, plWorld_State(w, id, q, u));
    *x = q[0], *v = u[0];
}

static inline plSurface rubbing(plFrictionModel model)
{
    plSurface s = plDefaultSurface();
    s.friction = 0.5;
    s.damping = 0;
    s.stiffness = 1000;
    s.frictionModel = model;
    if (model == pl_frictionReset) s.bristleTime = 2 * 0.7 * sqrt(1.2e4 * m) / 1.2e4;
    if (model == pl_frictionDriftFree) s.bristle = 5e-4, s.bristleTime = 0;
    if (model == pl_frictionDahl) s.bristle = 5e-4, s.bristleTime = 0;
    if (model == pl_frictionStickPoint) s.bristle = 2.4e-4, s.bristleTime = 0.028;
    if (model == pl_frictionFingerPad) s.bristle = 2.5e-3, s.bristleTime = 0;
    if (model >= pl_frictionStickPoint && model != pl_frictionLuGre) s.slipSpeed = 1e-3;
    return s;
}

// Two walls at the depth of 0.5 N each.
static inline plMechanismId addHole(plWorld* w, plJoint joint)
{
    const double half = 0.00525 - 0.5e-3;
    addPlane(w, (plVec3){0, 1, 0}, (plVec3){0, -half, 0});
    addPlane(w, (plVec3){0, -1, 0}, (plVec3){0, half, 0});
    return addPeg(w, joint, pl_integratorSemiImplicit, 0.1, 0);
}

#endif
