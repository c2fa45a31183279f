// A room with walls, edges and corners, for tools in a hand.
#ifndef PALP_TEST_ROOM_H
#define PALP_TEST_ROOM_H

#include "math/math.h"
#include "worlds.h"

/// 0.4 m wide, with a step in it: edges and corners, inward and outward.
static inline void addRoom(plWorld* w)
{
    plShapeId shape;
    for (int i = 0; i < 6; ++i) {
        plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
        const double s = i % 2 ? -1 : 1;
        wall.shape.normal = plVec(i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0);
        wall.shape.frame.p = plScale(-0.2, wall.shape.normal);
        checkOk(w, plWorld_AddShape(w, &wall, &shape));
    }
    plPartShapeDef step = plDefaultPartShapeDef(pl_shapeBox);
    step.shape.half = plVec(0.06, 0.06, 0.06);
    step.shape.frame.p = plVec(0.12, 0.1, -0.14);
    checkOk(w, plWorld_AddShape(w, &step, &shape));
}

#endif
