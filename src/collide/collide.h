// collide: which shapes are near each other, and where they touch. Geometry and identity of
// contacts, nothing else.
//   in    shapes with frames of their carriers, skins with their points, and bounds of their speeds
//   out   pairs, and for each pair contacts: points, normal, gap, key
//   letters  a, b the two shapes of a pair; n unit normal from b to a; gap < 0 is penetration [m];
//            reach the largest gap at which contacts are reported [m]
// Local level: exact distance, depth and manifolds of two shapes. Global level: the pairs that the
// local level must look at in this tick. Both are bounded in time and take no memory.
#ifndef PL_COLLIDE_H
#define PL_COLLIDE_H

#include "collide/skin.h"
#include "shape/shape.h"

// -------------------------------------------------------------------------------- local level

/// Where the last search ended: a start for the next one. Zeroed: none. Plain data.
PL_GAPLESS
typedef struct {
    int count;
    uint16_t a[4], b[4]; ///< vertices
} plGuess;
PL_GAPLESS_END

typedef struct {
    double gap;     ///< distance, or minus the depth [m]
    plVec3 n;       ///< unit, from b to a, world axes
    plVec3 a, b;    ///< nearest points of the surfaces; a - b = gap n
    int iterations; ///< of both searches together
    bool exact;     ///< the bounds of the search agree to 1e-10 of the sizes and the distance
    bool slow;      ///< the searches did not end, and everything was tried
} plGap;

/// Signed distance of two convex shapes, or of a plane and a convex shape. Depth is the length of
/// the shortest translation that separates them. `guess` may be null.
plGap plCollide_Gap(const plShape* a, const plFrame* carrierA, const plShape* b,
                    const plFrame* carrierB, plGuess* guess);

/// How the normal of a contact follows the two parts while they move.
typedef enum {
    pl_normalFixed,   ///< constant in world axes
    pl_normalOfA,     ///< normal of a face of a: turns with a's carrier
    pl_normalOfB,     ///< normal of a face of b: turns with b's carrier
    pl_normalBetween, ///< from point b to point a
    pl_normalAcrossA, ///< from point b to the line of a's edge, perpendicular to it
    pl_normalAcrossB, ///< from the line of b's edge to point a, perpendicular to it
    pl_normalEdges    ///< perpendicular to an edge of a and an edge of b
} plNormalKind;

/// The gap of a contact as a function of the frames of the two carriers: n.(a - b) - radiusA - radiusB.
/// a and b are points of the cores, fixed in their carriers; a shape is its core grown by a radius.
/// Exact while the same two features are nearest. Its first derivative is that of the contact's
/// points and normal: n.(va - vb).
typedef struct {
    plNormalKind kind;
    plVec3 a, b;         ///< points of the cores, in the frames of the carriers
    plVec3 n;            ///< OfA, OfB: in axes of that carrier; else in world axes, at the search
    plVec3 edgeA, edgeB; ///< directions of edges in the carriers' axes, where the kind has them:
                         ///< unit, or zero for an edge without length
    double radiusA, radiusB; ///< by which the cores are grown [m]
} plGapModel;

/// Gap [m] and unit normal (world axes, from b to a) of a model at other frames of the carriers. The
/// points of the surfaces are a - radiusA n and b + radiusB n. n is that of the search where a kind
/// has no direction: points that coincide, parallel edges. It also is where n would have turned by
/// more than 60 degrees, for two edges, and for points and edges without a radius: they pass through
/// each other then, and the gap becomes negative. Not for contacts of skins: their a or b are weights.
double plGapModel_Gap(const plGapModel*, const plFrame* carrierA, const plFrame* carrierB,
                      plVec3* n);

/// The same contact with the roles of a and b exchanged.
plGapModel plGapModel_Swapped(const plGapModel*);

/// A contact between two shapes. Keys are unique within a pair and stay as long as the same two
/// features touch.
typedef struct {
    uint64_t key;
    plVec3 a, b; ///< points of the surfaces, world
    plVec3 localA,
        localB; ///< the same in the frames of the carriers; of a skin: the weights of the
                ///< face's three points
    plVec3 n;
    double gap;           ///< n.(a - b)
    int faceA, faceB;     ///< of a skin: face + 1; 0: no skin
    plGapModel model;     ///< of a skin: Fixed, with the weights of localA or localB as a or b
    plSkinEnd endA, endB; ///< of a contact with a skin; of a side that is one: its type alone
} plPoint;

enum { plPairPoints = 256 }; ///< a manifold's capacity, enough for compounds and meshes

typedef struct {
    int count;
    bool full; ///< the farthest were left out: there are more than plPairPoints
    plPoint points[plPairPoints];
} plManifold;

/// Contacts of any two shapes except sculpted surfaces, two meshes or two planes, by keys in ascending order: for
/// convex pairs at most 4 (two faces), 2 (a segment and a face, two parallel edges) or 1. The
/// deepest contact is always among them. A face's normal is preferred to that of an edge or corner
/// when its gap is as good to a twentieth of the reach.
void plCollide_Manifold(const plShape* a, const plFrame* carrierA, const plShape* b,
                        const plFrame* carrierB, double reach, plGuess* guess, plManifold*);

/// Has a solid (convex, or a compound of convex pieces) a point in common with another shape of any kind? `room`
/// is working memory. The answer for a sculpted surface is that of its followed contacts (collide/track.h).
bool plCollide_Overlap(const plShape* solid, const plFrame* carrier, const plShape* other,
                       const plFrame* carrierOther, plManifold* room);
plVec3 plCollide_Inside(const plShape* solid); ///< a point within it, in its carrier's frame
/// The same with a triangle of a surface that deforms, world.
bool plCollide_OverlapsFace(const plShape* solid, const plFrame* carrier, const plVec3 x[3]);

// --- planar worlds

/// What a pair of polygons (or boxes) remembers: the edge through which each corner came in, and
/// the place of b in a at the last tick. Zeroed: nothing. Plain data.
PL_GAPLESS
typedef struct {
    bool known, unused[7];
    double x, y, cosine, sine;           ///< of b in a
    uint8_t edgeOf[2][plPolygonCorners]; ///< for corners of a (in b) and of b (in a): edge + 1
} plPlanarMemory;
PL_GAPLESS_END

/// Contacts of two shapes of a planar world, whose frames turn about z only. Polygons and boxes
/// meet in vertex-edge contacts (planar sec. 3): a corner inside the other polygon belongs to the
/// edge through which it came, until it is in front of that edge again or has slid off its end;
/// polygons that are apart touch at the one or two corners nearest to the edge that separates them
/// best. Departure from the print: the rule also holds a corner that was pushed out through the far
/// side of a thin body. All normals lie in the x-y plane.
void plCollide_Planar(const plShape* a, const plFrame* carrierA, const plShape* b,
                      const plFrame* carrierB, double reach, plPlanarMemory*, plManifold*);

// ------------------------------------------------------------------------------- global level

typedef struct {
    int proxies, pairs, contacts; ///< capacities
    int ignored;                  ///< pairs of bodies that never touch
    int skinFaces, skinPoints;    ///< of all skins together
    int tracked;                  ///< pairs with a sculpted surface whose bounds meet
    double reach;                 ///< contacts up to this gap [m], >= 0
    double skinReach;             ///< the same where a skin takes part: it may spring back so far
    double
        margin;  ///< by which bounds are fattened [m], > 0: larger means fewer updates, more pairs
    bool planar; ///< contacts by plCollide_Planar
} plCollideDef;

plCollideDef plDefaultCollideDef(void); ///< 256, 2048, 4096, 64, no skins, 16; 1 mm, 1 cm, space

/// A shape or a skin in the world: exactly one of the two is not null.
typedef struct {
    const plShape* shape;
    const plSkinDef* skin;
    plFrame frame;        ///< of its carrier; not read for a skin
    int body;             ///< proxies of one body do not touch each other
    bool moving;          ///< false: costs nothing until it is moved, and meets no other such
    uint32_t group, mask; ///< two meet when each one's group is in the other's mask; default all
} plProxyDef;

plProxyDef plDefaultProxyDef(void);

typedef struct plCollide plCollide;

/// What changes from tick to tick (places, tree, pairs, guesses) lies in `state` as plain data
/// without pointers; the rest in `arena`. A snapshot of `state` restores all of it.
plStatus plCollide_Create(const plCollideDef*, plArena* arena, plArena* state, plCollide**);
size_t plCollide_Memory(const plCollideDef*); ///< bytes of both arenas together, at most

/// Ids are 0, 1, 2, ... in the order of addition, or the lowest free one. pl_statusCapacity, or pl_statusBadArgument when
/// there is no shape and no skin, or both; for a skin in a planar world, without faces, with a face
/// that is no triangle of its points, or with a point that is not finite.
plStatus plCollide_Add(plCollide*, const plProxyDef*, int* id);

/// Takes a proxy out, and its pairs. Its id is free, and the lowest free one is used next; of a skin the room of its
/// points and faces is not.
void plCollide_Remove(plCollide*, int id);
/// A body is no more: its ignored pairs are free.
void plCollide_Forget(plCollide*, int body);

/// Before the first update: all proxies of two bodies pass through each other.
plStatus plCollide_Ignore(plCollide*, int bodyA, int bodyB);

/// Two proxies that would touch, were there contacts of their kinds: there are none of two meshes, two planes, a mesh
/// and a skin, a sculpted surface and one of these two, nor of a sculpted surface in a planar world.
bool plCollide_PassThrough(const plCollide*, int a, int b);

/// New place for this tick. `speed` bounds how fast any point of the proxy may move until the next
/// one [m/s]: pairs that could meet within the step are looked at too. One that touched a faster proxy
/// in the last update may be hit by it, and has its speed. Places that were reached need no bound: the
/// way is measured. What is not finite (or a speed above 1e9) is not taken.
void plCollide_Move(plCollide*, int id, const plFrame*, double speed);

/// The same for a skin: reads its points, and refits its tree in time proportional to its faces.
/// Nothing is taken when a point is not finite.
void plCollide_Deform(plCollide*, int id, double speed);

/// A contact of the world: a < b are proxies, the rest as in plPoint. Skins meet skins of other
/// bodies, planes, convex shapes and compounds, not meshes; how, says doc/contact.md. Their contacts
/// are as many as there are, not bounded by plPairPoints. Sculpted surfaces meet each other, planes,
/// convex shapes and compounds (collide/track.h), not in planar worlds.
typedef struct {
    int a, b;
    plPoint p;
} plTouch;

typedef struct {
    int a, b;
} plProxyPair;

/// What an update did. Pairs are sorted by (a, b), contacts by (a, b, key).
typedef struct {
    int contactCount, beginCount, endCount;
    const plTouch* contacts;
    const plProxyPair* began; ///< pairs with contacts that had none in the last update
    const plProxyPair* ended;
    int moved;         ///< proxies that left their fattened bounds
    int pairs;         ///< neighbours: fattened bounds that meet
    int looked;        ///< of them looked at by the local level; the others were provably too far
    bool pairsFull;    ///< pairs were lost: raise `pairs`
    bool contactsFull; ///< contacts were lost: raise `contacts`
    bool tracksFull;   ///< pairs with sculpted surfaces were left out: raise `tracked`
} plCollideReport;

/// Contacts at the places now given, for a step of T [s]. What it says stays valid until the next
/// call.
plCollideReport plCollide_Update(plCollide*, double T);

/// Pairs of the last update whose bounds meet, by number.
int plCollide_PairCount(const plCollide*);
plProxyPair plCollide_Pair(const plCollide*, int i);

/// How far any point of a shape is from where it was in the update, at most, if its carrier is there.
double plCollide_Moved(const plCollide*, int proxy, const plFrame* carrier);

/// Contacts of such a pair where its carriers are elsewhere, up to the reach; they have moved by no more than `moved`.
/// The state stays as it is. False: one of the two is a skin, or a sculpted surface that is not followed.
bool plCollide_Look(const plCollide*, int i, const plFrame* carrierA, const plFrame* carrierB,
                    double moved, double reach, plManifold*);

/// The same of a pair with a skin, whose points plCollide_ShowTrial has shown. The list is that of the last update,
/// which is overwritten. How many.
bool plCollide_HasSkin(const plCollide*, int i);
int plCollide_LookSkin(plCollide*, int i, const plFrame* carrierA, const plFrame* carrierB,
                       double reach, const plTouch** list);
/// Points of a skin as they are now, until they are hidden again: then as they were in the update.
void plCollide_ShowTrial(plCollide*, int id);
void plCollide_HideTrial(plCollide*, int id);

/// Of a contact that was found at other frames, of a corner against a face: the face of the same shape through
/// which the corner has come from where it was at the start, as a model. Left as it is when the contact is of
/// another kind, or the corner was in front of its face.
void plCollide_CameThrough(const plCollide*, int i, plPoint*);

#endif
