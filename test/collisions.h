// What the tests of collisions build their worlds from.
#ifndef PALP_TEST_COLLISIONS_H
#define PALP_TEST_COLLISIONS_H

#include "base/base.h"
#include "math/math.h"
#include "worlds.h"

static inline plWorld* create(const plWorldDef* def)
{
    plWorld* w;
    checkOk(NULL, plWorld_Create(def, &w));
    return w;
}

static inline void addShape(plWorld* w, const plPartShapeDef* def)
{
    plShapeId id;
    checkOk(w, plWorld_AddShape(w, def, &id));
}

static inline void addPlane(plWorld* w, plVec3 at, plVec3 normal)
{
    plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane);
    plane.shape.frame.p = at;
    plane.shape.normal = normal;
    addShape(w, &plane);
}

static inline void addBall(plWorld* w, plMechanismId id, int part, plVec3 at, double radius)
{
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    ball.mechanism = id;
    ball.part = part;
    ball.shape.frame.p = at;
    ball.shape.radius = radius;
    addShape(w, &ball);
}

#endif
