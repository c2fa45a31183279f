// What happened in the last tick, and what is where: contact events, rays, overlaps, closest points.
//
//   plWorld_Step(world, 1e-3);
//   const plContactEvents events = plWorld_ContactEvents(world);
//   for (int i = 0; i < events.hitCount; ++i) play(events.hits[i].speed);
//
// Nothing here changes the state of a world. All functions are called by the thread that steps, between two ticks.
#ifndef PALP_QUERY_H
#define PALP_QUERY_H

#include "palp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------- events

/// Two shapes that touch since this tick, or no longer touch.
typedef struct {
    plShapeId shapeA, shapeB; ///< the one that was added first is A
} plTouchEvent;

/// Two shapes that met faster than plContactDef.hitSpeed.
typedef struct {
    plShapeId shapeA, shapeB; ///< as in plTouchEvent
    plVec3 point;             ///< where, between the two surfaces, world [m]
    plVec3 normal;            ///< from B to A, world axes
    double speed;             ///< at which they approached when the step began [m/s]
} plHitEvent;

/// Events of the last tick, each list in ascending order of (shapeA, shapeB), each pair of shapes once. Two shapes
/// touch in a tick when plWorld_Contact has a contact of theirs (soft bodies: one that pushes or penetrates). A
/// hit is a contact that was not there in the tick before; the fastest one of a pair is told. Pairs of shapes
/// that were removed end in the next tick, with the id that they had: it is stale. The lists hold
/// until the next call that steps, adds, removes or restores. A restored world has no events until it steps.
typedef struct {
    int beginCount, endCount, hitCount; ///< lengths of the lists
    const plTouchEvent* begins;         ///< did not touch in the tick before, and touch
    const plTouchEvent* ends;           ///< touched in the tick before, and do not touch
    const plHitEvent* hits;             ///< met fast
} plContactEvents;

plContactEvents plWorld_ContactEvents(const plWorld*); ///< of the last tick

// ------------------------------------------------------------------------------------ queries

/// Which shapes a query sees: those whose group is in its mask, and whose mask has its group.
typedef struct {
    uint32_t group, mask; ///< default 1, all
} plQueryFilter;

plQueryFilter plDefaultQueryFilter(void); ///< sees all shapes of default masks

/// A spot of a surface that a query found.
typedef struct {
    plShapeId shape; ///< whose surface it is
    plSite site; ///< the spot on the part that carries the shape; a soft body's on its nearest face
    plVec3 point;    ///< the same, world [m]
    plVec3 normal;   ///< of the surface there, outward, world axes
    double distance; ///< from the query's point [m]; a closest point: < 0 inside
} plQueryHit;

/// The first surface on the way from a point, entered from outside; of equal ones that of the least shape. A ray
/// that begins inside a convex shape does not see it. pl_statusNotFound: there is none; pl_statusBadArgument: a
/// number is not finite, or the way has no length.
plStatus plWorld_CastRay(const plWorld*, plVec3 from, plVec3 way, plQueryFilter, plQueryHit*);

/// The nearest surface within `most` of a point [m]; inside of solids distances are negative, so that the
/// deepest counts as the nearest. pl_statusNotFound: there is none.
plStatus plWorld_ClosestPoint(const plWorld*, plVec3 point, double most, plQueryFilter,
                              plQueryHit*);

/// Shapes that a solid at a pose touches or enters, in ascending order of their index: at most `capacity` ids, and
/// how many there are in all. The solid: a sphere, capsule, box, polygon, hull, or a compound of these; planes, meshes and
/// sculpted surfaces are refused as pl_statusBadArgument. It meets every kind of shape, soft bodies too.
plStatus plWorld_Overlap(plWorld*, const plShapeDef* solid, plPose, plQueryFilter, int capacity,
                         plShapeId* shapes, int* count);

#ifdef __cplusplus
}
#endif
#endif
