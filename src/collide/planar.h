// Outlines of a planar pair, in the plane of a's shape.
#ifndef PL_COLLIDE_PLANAR_H
#define PL_COLLIDE_PLANAR_H

#include "collide/manifold.h"

/// Corners counter-clockwise; edge i runs from corner i to corner i + 1.
typedef struct {
    int count;
    plVec3 v[plPolygonCorners], n[plPolygonCorners]; ///< corners; outward unit normals of edges
    double length[plPolygonCorners];
} plOutline2;

/// Of a box or polygon; `frame` null: in its own plane.
void plOutline2_Set(plOutline2*, const plShape*, const plFrame* frame);

static inline double plOutline2_Above(const plOutline2* o, int edge, plVec3 p)
{
    return plDot(o->n[edge], plSub(p, o->v[edge]));
}

/// Place of p's foot along the edge, 0 .. 1 on it.
double plOutline2_Along(const plOutline2*, int edge, plVec3 p);

/// Largest distance of p over an edge, and which: negative when p is inside.
double plOutline2_Highest(const plOutline2*, plVec3 p, int* edge);

/// A sphere or capsule against an outline; spots with the round shape as a, radius included.
void plRoundSpots(const plCore*, const plOutline2*, double reach, plSpots*);

#endif
