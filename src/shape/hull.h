// The triangulated hull under construction.
#ifndef PL_SHAPE_HULL_H
#define PL_SHAPE_HULL_H

#include "shape/inside.h"

enum { plHullFaces = 4 * plHullVertices };

typedef struct {
    int v[3];         ///< counter-clockwise from outside
    int neighbour[3]; ///< face over the edge from v[i] to v[i + 1]
    plVec3 n;
    double d;
    int outside;     ///< first of the list of points above it, -1: none
    int farthest;    ///< of them
    double distance; ///< of the farthest
    bool alive, visible;
} plHullFace;

/// Points are relative to the middle of their bounds.
typedef struct {
    const plVec3* points;
    int count;
    double size;      ///< diagonal of the bounds
    double flat;      ///< points within this of a plane lie on one merged face
    double tolerance; ///< points not farther than this above a face lie on it
    plHullFace* faces;
    int faceCount; ///< used, dead ones included
    int* freeFaces;
    int freeCount;
    int* next;    ///< of each point: the next one in its face's list
    int* start;   ///< of each point: the new face whose horizon edge begins there
    int* stack;   ///< faces: the flood, then the visible ones
    int* horizon; ///< (face, edge) pairs of outer faces
} plHull;

/// Merges flat neighbours and writes the polytope.
plStatus plHull_Pack(const plHull*, const plVec3* original, plArena*, plScratch*,
                     const plPolytope**, plShapeError*);

#endif
