// Skins: surfaces that deform, as a part of the door of collide.
//   letters  x points; w weights of a face's three points, >= 0 with sum 1
#ifndef PL_COLLIDE_SKIN_H
#define PL_COLLIDE_SKIN_H

#include "shape/shape.h"

/// A surface that deforms: triangles over points that someone else moves. Never copied: what it
/// points to must stay.
typedef struct {
    int pointCount, faceCount;
    const int* faces; ///< 3 points a face, counter-clockwise seen from outside
    const plVec3* x;  ///< points now, world [m]; read at plCollide_Add and plCollide_Deform
    const unsigned char* touchable; ///< per point, 0: neither it nor faces and edges made only of
                                    ///< such points meet anything; null: all do
} plSkinDef;

/// What touches, on one side of a contact: a skin's own features and those of a polytope, or a
/// rigid shape as a whole (its point nearest to a point of the skin).
typedef enum { pl_skinPoint, pl_skinEdge, pl_skinFace, pl_skinShape } plSkinFeature;

/// What a side of such a contact is, where it is rigid: of its core, in the frame of its carrier. A shape is
/// its core grown by a radius.
typedef struct {
    plSkinFeature type;
    const plShape* shape; ///< of pl_skinShape
    plVec3 point;         ///< else: a vertex, or a point of an edge
    plVec3 edge;          ///< its direction, unit
    double radius;        ///< [m]
} plSkinEnd;

/// Sides a and b of a contact with a skin, told by its key.
static inline plSkinFeature plSkinKey_A(uint64_t key) { return (plSkinFeature)(key >> 62); }
static inline plSkinFeature plSkinKey_B(uint64_t key) { return (plSkinFeature)(key >> 60 & 3); }

#endif
