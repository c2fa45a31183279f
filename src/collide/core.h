// The convex cores of shapes, and the two searches over their Minkowski difference.
//
// Shapes a and b touch where the difference C = {p - q : p in a, q in b} holds the origin. C is a
// polytope grown by the sum r of the radii, so
//   apart     gap = |nearest point of C's core to the origin| - r
//   overlap   gap = -(least distance from the origin to a face of C's core) - r
// and both searches (GJK, EPA) end after finitely many vertices with matching bounds from both
// sides, which is their certificate. Everything is in the frame of a's core.
#ifndef PL_COLLIDE_CORE_H
#define PL_COLLIDE_CORE_H

#include "collide/collide.h"

typedef struct {
    int count; ///< vertices
    const plVec3* v;
    const plPolytope* polytope; ///< null: a point or a segment
    bool isBox;
    double radius;
    double size;
    plVec3 own[3]; ///< vertices of a point, segment or triangle
} plCore;

/// Sphere, capsule, box, polygon, hull. The core points into itself and must not be moved.
void plCore_Set(plCore*, const plShape*);

/// Two cores, b's frame in a's.
typedef struct {
    const plCore* a;
    const plCore* b;
    plFrame frame;
    double scale; ///< of the coordinates: sizes and distance
} plCorePair;

plCorePair plCorePair_Of(const plCore* a, const plFrame* worldA, const plCore* b,
                         const plFrame* worldB);

/// A vertex of C, and where it comes from.
typedef struct {
    plVec3 w, a, b; ///< w = a - b
    int ia, ib;
} plVertex;

/// Index of the vertex farthest along d; climbing begins at `start`.
static inline int plCore_Farthest(const plCore* c, plVec3 d, int start)
{
    if (c->isBox) return (d.x > 0) | (d.y > 0) << 1 | (d.z > 0) << 2;
    if (c->polytope) return plPolytope_Support(c->polytope, d, start);
    return c->count == 2 && plDot(d, plSub(c->v[1], c->v[0])) > 0;
}

/// The vertex of C farthest along d. `hint` gives the start of climbing, or is null.
plVertex plCorePair_Support(const plCorePair*, plVec3 d, const plVertex* hint);
plVertex plCorePair_Vertex(const plCorePair*, int ia, int ib);

typedef struct {
    int count;
    plVertex v[4];
    double weight[4];
} plSimplex;

/// Result of a search: d is the signed distance of the cores, n from b to a.
typedef struct {
    double d;
    plVec3 n, a, b;
    plSimplex simplex; ///< face, edge or vertex of C that is nearest
    int iterations;
    bool overlap, exact, slow;
} plWitness;

enum { plGjkIterations = 64, plEpaIterations = 255 };

/// Distance. When the cores overlap, or are nearer than round-off tells apart, `overlap` is set and
/// the simplex is where the search ended.
void plGjk(const plCorePair*, plGuess*, plWitness*);

/// The same for solids that are clearly apart. False: it found no certain answer. Of the simplex, where
/// it ended in both cases, only the indices and weights are set.
bool plGjkQuick(const plCorePair*, const plGuess*, plWitness*);

/// Depth, from where plGjk ended.
void plEpa(const plCorePair*, plWitness*);

/// Depth by trying every direction that can be a face of C: faces of a and b, and all pairs of
/// edges. Slow; for what EPA could not finish, and as its oracle.
void plTryAllFaces(const plCorePair*, plWitness*);

/// The points in which a and b touch when a is moved out by its depth; n and d are given.
void plFindPoints(const plCorePair*, plWitness*);

/// Distance by trying all pairs of features, where it is less than the one given. Slow as well.
void plTryAllFeatures(const plCorePair*, plWitness*);

/// Signed distance of cores, by the fastest of the above.
void plCorePair_Search(const plCorePair*, plGuess*, plWitness*);

/// Solids that are apart by less touch: the direction between their nearest points would be round-off [of the scale].
static const double plTouching = 1e-10;

/// Two boxes by 15 directions: false when they are apart by more than `limit`. `apart` is the
/// largest width between them; when they touch, d and n of the witness are set, and its
/// points and simplex (two vertices of the edge of each, else none) when the direction is of two
/// edges.
bool plBoxes(const plCorePair*, plVec3 halfA, plVec3 halfB, double limit, double* apart,
             plWitness*);

/// Nearest points of two segments.
void plNearestOfSegments(plVec3 a0, plVec3 a1, plVec3 b0, plVec3 b1, plVec3* a, plVec3* b);

#endif
