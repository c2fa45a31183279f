// Contacts of one pair, on their way to a manifold.
#ifndef PL_COLLIDE_MANIFOLD_H
#define PL_COLLIDE_MANIFOLD_H

#include "collide/core.h"

/// Features of a shape, 15 bits: what, and which. Half-edges are counted by the lower of the two.
enum {
    plFeatureVertex = 0,
    plFeatureEdge = 1 << 13,
    plFeatureFace = 2 << 13,
    plFeatureMask = 0x7fff
};

/// A contact in the frame of a's core.
typedef struct {
    plVec3 a, b, n;
    double gap;
    uint32_t featureA, featureB;
    int triangle; ///< of a mesh, else 0
    plNormalKind kind;
} plSpot;

/// 0: vertex, 1: edge, 2: face.
static inline int plFeatureDim(uint32_t feature) { return (int)(feature >> 13 & 3); }

enum { plSpotLimit = 192 };

typedef struct {
    int count;
    plSpot spots[plSpotLimit];
} plSpots;

static inline void plSpots_Add(plSpots* s, plSpot spot)
{
    if (s->count < plSpotLimit) s->spots[s->count++] = spot;
}

static inline uint32_t plSpot_Key(const plSpot* s) { return s->featureA | s->featureB << 15; }

/// Keeps the four that span the most seen along the normal, the deepest among them; lengths that
/// differ by less than `tie` count as equal, and are settled by key.
void plSpots_Reduce(plSpots*, double tie);

/// The same for contacts in a row: its two ends, and the deepest.
void plSpots_ReduceLine(plSpots*, double tie);

/// The face of b or of a, and the face of the other that looks against it, clipped to it.
typedef struct {
    int count;
    int face;
    plVec3 n;
    plVec3 v[64];
    uint16_t vertex[64], edge[64]; ///< features of corner i, and of the edge that leaves it
} plOutline;

/// Corners of a face in the frame of a; more than 64 are thinned out evenly. `frame` null: as is.
void plOutline_Set(plOutline*, const plPolytope*, int face, const plFrame* frame);

/// Contacts where the incident outline lies over the reference face, whose plane is n.p = d, up to
/// the reach. `refIsA` says whose the reference is.
void plClipFace(const plOutline* reference, plVec3 n, double d, const plOutline* incident,
                double reach, double tolerance, bool refIsA, plSpots*);

/// How much worse a face's gap may be than the exact one and still give the normal [m].
static inline double plSlop(const plCorePair* p, double reach)
{
    return 1e-6 * plLower(p->a->size, p->b->size) + 0.05 * reach;
}

/// How far outside a side a corner may lie and still count as inside [m]: far above round-off, so
/// that corners over corners keep their keys, and far below the width of thin bodies.
static inline double plClipTolerance(const plCorePair* p)
{
    const plPolytope* a = p->a->polytope;
    const plPolytope* b = p->b->polytope;
    return 1e-6 * plLower(a ? a->width : p->a->size, b ? b->width : p->b->size);
}

/// Face whose normal is farthest along d.
int plFacingFace(const plPolytope*, plVec3 d);

/// Manifold of two convex cores. `spots` is empty when they are farther apart than the reach.
void plConvexSpots(const plCorePair*, double reach, plGuess*, plSpots*);

/// The one contact of a witness, with the features of its simplex.
plSpot plWitnessSpot(const plCorePair*, const plWitness*);

/// Contacts of two shapes that are no compounds, appended.
void plSimplePair(const plShape* a, const plFrame* carrierA, const plShape* b,
                  const plFrame* carrierB, double reach, uint64_t child, plGuess*, plManifold*);

/// Contacts of convex a and mesh b.
void plMeshSpots(const plCore* a, const plFrame* worldA, const plMesh*, const plFrame* worldB,
                 double reach, plSpots*);

/// Contacts of mesh a over the plane n.p = d, in the mesh's frame.
void plMeshPlaneSpots(const plMesh*, plVec3 n, double d, double reach, plSpots*);

/// A polytope's or segment's contacts with the face of b, by clipping; false when there are none.
bool plFaceSpots(const plCorePair*, int faceOfB, double reach, plSpots*);

/// Along two parallel edges; false when there are none, or they cross.
bool plEdgeSpots(const plCorePair*, const plWitness*, double reach, plSpots*);

/// Moves the points from the cores to the surfaces.
void plSpots_Grow(const plCorePair*, plSpots*, int first);

/// Two simple shapes as a manifold has them: their carriers' frames in the world.
typedef struct {
    const plShape *a, *b;
    const plFrame *carrierA, *carrierB;
} plShapePair;

/// Appends spots to a manifold, in the world. `swap`: the spots' a is the pair's b.
void plManifold_Add(plManifold*, const plSpots*, const plShapePair*, const plFrame* world,
                    uint64_t child, bool swap);
void plManifold_Sort(plManifold*);

// --- models of gaps

/// The two sides of a contact, as far as its model depends on them.
typedef struct {
    const plFrame *carrierA, *carrierB;
    double radiusA, radiusB;
    double size; ///< of the smaller shape [m]
} plGapSides;

/// By the features that touch: 0 point, 1 edge, 2 face.
plNormalKind plNormalKind_Of(int dimA, int dimB);
plNormalKind plNormalKind_Swapped(plNormalKind);

static inline bool plNormalKind_HasEdgeA(plNormalKind kind)
{
    return kind == pl_normalAcrossA || kind == pl_normalEdges;
}
static inline bool plNormalKind_HasEdgeB(plNormalKind kind)
{
    return kind == pl_normalAcrossB || kind == pl_normalEdges;
}

/// Sets the model of a contact, the rest of which is known. Edges are unit (or zero) in the carriers'
/// axes, and are not read where the kind has none. A kind that does not give the contact's own normal
/// becomes a simpler one.
void plGapModel_Set(plPoint*, const plGapSides*, plNormalKind, plVec3 edgeA, plVec3 edgeB);

#endif
