// What the files of skins share.
//
// A contact of a skin is a pair of features whose points are nearest to each other:
//   point of a skin on a rigid shape    its signed distance, whatever the rest of the skin does
//   point (of a skin or of a core) over a face, an edge or a point of a skin   a *foot*
//   two edges that cross, both within their ends
// With n at a foot or a crossing, n.(a - b) is the distance and its change at once, to second order
// of the motion: other points of the two features are farther away by then.
#ifndef PL_COLLIDE_SKIN_INSIDE_H
#define PL_COLLIDE_SKIN_INSIDE_H

#include "collide/core.h"

/// How far a feature's neighbours may stand above the tangent plane of a contact, as a sine. Above
/// zero, so that edges of nearly parallel faces are held before they are lowest.
#define plSkinTilt 0.1

typedef struct {
    int p[2];    ///< points, ascending
    int face[2]; ///< the second is -1 at a border
} plSkinEdge;

/// Nodes lie depth first: the first child follows, the second is where the first ends.
typedef struct {
    int first, count; ///< faces of a leaf, in the tree's order; count 0: no leaf
    int skip;         ///< the node behind all that is below this one
} plSkinNode;

/// A point's contact with the rigid shape that is looked at, while `mark` is the body's.
typedef struct {
    uint64_t mark;
    double gap;
    plVec3 n;
} plSkinSpot;

typedef struct {
    const plSkinDef* skin;
    int edgeCount, nodeCount;
    plSkinEdge* edges;
    int* edgeOf; ///< 3 a face: that from corner k to the next
    int*
        first; ///< faces around point i are around[first[i]] .. around[first[i + 1] - 1], ascending
    int* around;
    plSkinNode* nodes;
    int* order;

    plVec3* x; // state
    plBounds* bounds;
    bool trial;    // x and bounds are those of a trial
    plVec3* xElse; // room for these; while they are shown, the state
    plBounds* boundsElse;

    uint64_t mark; // scratch: an item was seen when its mark is this one
    uint64_t* pointMarks;
    uint64_t* edgeMarks;
    plSkinSpot* spots;
} plSkinBody;

// --- bodies

/// Room for all skins of a world.
typedef struct {
    int capacity, count; ///< of bodies
    int faceCapacity, pointCapacity, faceCount, pointCount;
    plSkinBody* bodies;
    plSkinBody pool; ///< everything, of which bodies take their parts one after the other
} plSkins;

size_t plSkins_Memory(int capacity, int faces, int points);
void plSkins_Create(plSkins*, int capacity, int faces, int points, plArena* arena, plArena* state);

/// pl_statusBadArgument: no faces, an index out of range, a face with a point twice, a point that is
/// not finite.
plStatus plSkins_Add(plSkins*, const plSkinDef*, plSkinBody**);

/// Reads the points and refits the tree. False: a point is not finite, and all stays.
bool plSkin_Read(plSkinBody*);
/// The same beside the state, which is back once the trial is hidden.
void plSkin_ShowTrial(plSkinBody*);
void plSkin_HideTrial(plSkinBody*);

// --- walks over the tree

typedef struct {
    const plSkinBody* s;
    plBounds box;
    int node, item;
} plSkinWalk;

static inline plSkinWalk plSkin_Walk(const plSkinBody* s, const plBounds* box)
{
    return (plSkinWalk){s, *box, 0, 0};
}

/// The next face whose bounds meet the box; -1: no more.
int plSkinWalk_Next(plSkinWalk*);

plBounds plSkin_FaceBounds(const plSkinBody*, int face);

// --- features

static inline bool plSkin_Touchable(const plSkinBody* s, int point)
{
    return !s->skin->touchable || s->skin->touchable[point];
}
static inline bool plSkin_EdgeTouchable(const plSkinBody* s, int edge)
{
    const int* p = s->edges[edge].p;
    return plSkin_Touchable(s, p[0]) || plSkin_Touchable(s, p[1]);
}

plVec3 plSkin_Normal(const plSkinBody*, int face);       ///< unit, or zero for a face without area
plVec3 plSkin_PointNormal(const plSkinBody*, int point); ///< weighted by angle, not unit

/// Where a point stands over a skin.
typedef struct {
    plSkinFeature type;
    int feature;
    int face; ///< one that has the feature: the lowest
    double w[3];
    plVec3 q;
    plVec3 n;      ///< unit, outward
    double height; ///< n.(p - q), < 0 behind the surface
} plFoot;

/// Calls `found` with the feet of p within `limit`. Outside: all that are nearest among their
/// neighbours. Behind the surface: the nearest one only. Features that are not touchable have none.
void plSkin_Feet(plSkinBody*, plVec3 p, double limit, void (*found)(void* self, const plFoot*),
                 void* self);

/// Is p behind the surface by `depth`, to a twentieth: does no shorter way lead out?
bool plSkin_IsDeep(const plSkinBody*, plVec3 p, double depth);

/// Does the surface around point i stay on the far side of the plane n through it, n pointing
/// inward?
bool plSkin_PointHolds(const plSkinBody*, int i, plVec3 n);

/// The faces beside an edge: unit directions across it into them, and outward. None: a bare edge.
typedef struct {
    int count;
    plVec3 into[2];
    plVec3 out;
} plRim;

plRim plSkin_Rim(const plSkinBody*, int edge);

/// May the edge touch along n (from it outward)?
bool plRim_Holds(const plRim*, plVec3 n);

/// Nearest points of two segments that lie within both, at places s and t, nearer than `limit`; n
/// is across both, unit, of either sign. False also for parallel ones: their ends have feet.
typedef struct {
    plVec3 a, b, n;
    double s, t;
} plCrossing;

bool plCrossing_Find(plVec3 a0, plVec3 a1, plVec3 b0, plVec3 b1, double limit, plCrossing*);

/// A face as a core, in axes of the world with the origin at its first point.
typedef struct {
    plCore core;
    plPolytope polytope;
    plFace faces[2];
    plFrame frame;
} plSkinTriangle;

void plSkin_Triangle(const plSkinBody*, int face, plSkinTriangle*);

/// Do a and b overlap, and does no shorter way than `depth` part them, to a twentieth?
bool plIsShortest(const plCore* a, const plFrame* worldA, const plCore* b, const plFrame* worldB,
                  double depth);

// --- contacts

/// One side of a contact.
typedef struct {
    plSkinFeature type;
    uint32_t feature; ///< 30 bits
    int face;         ///< of a skin, else -1
    plVec3 at, local;
    plSkinEnd end; ///< but for its type: of a rigid side
} plSkinSide;

/// Where contacts go.
typedef struct {
    plTouch* list;
    int count, capacity;
    bool full;
    int a, b;
    bool swap; ///< the first side is b
} plSkinOut;

/// n from the second side to the first.
void plSkinOut_Add(plSkinOut*, const plSkinSide*, const plSkinSide*, plVec3 n, double gap);
/// By keys; of equal ones (two points inside each other's surfaces) one stays.
void plSkinOut_Sort(plSkinOut*, int first);

plSkinSide plSkin_SideOfPoint(const plSkinBody*, int point);
plSkinSide plSkin_SideOfEdge(const plSkinBody*, int edge, double t, plVec3 at);
plSkinSide plFoot_Side(const plFoot*);

void plSkin_MeetShape(plSkinBody*, const plShape*, const plFrame* carrier, double reach,
                      plSkinOut*);
void plSkin_MeetSkin(plSkinBody* a, plSkinBody* b, double reach, plSkinOut*);

#endif
