// Sculpted surfaces: rational B-spline patches, joined where their edges agree.
//   in    patches (palp/nurbs.h)
//   out   places with derivatives, walks over seams, nearest points
//   letters  u, v parameters of a patch; S place; N = S_u x S_v; n unit normal, out of the solid
// Every patch is kept as its Bezier pieces: one for each pair of knot spans that are not empty. Their
// control points bound them, and their Bernstein polynomials cost no search and no recursion.
#ifndef PL_SHAPE_NURBS_H
#define PL_SHAPE_NURBS_H

#include "palp/nurbs.h"
#include "shape/shape.h"

/// A place on the surface. Plain data.
PL_GAPLESS
typedef struct {
    int patch, unused;
    double u, v;
} plUv;
PL_GAPLESS_END

static inline plUv plUvAt(int patch, double u, double v)
{
    return (plUv){.patch = patch, .u = u, .v = v};
}

/// Place and derivatives at a spot, in the shape's own frame.
typedef struct {
    plVec3 S, u, v, uu, uv, vv;
} plSurfel;

typedef enum {
    pl_edgeOpen,      ///< the surface ends here
    pl_edgeJoined,    ///< to an edge of another patch, or of the same
    pl_edgeCollapsed, ///< a point: a pole
} plEdgeKind;

enum { plEdgeU0, plEdgeU1, plEdgeV0, plEdgeV1, plPatchEdges }; ///< u = least, u = largest, v ...

typedef struct {
    plEdgeKind kind;
    int patch,
        edge;      ///< joined: the other side; collapsed: the next edge in the same point, all in a
                   ///< ring, maybe itself
    bool reversed; ///< the parameter along the edge runs the other way there
} plPatchEdge;

typedef struct plNurbs plNurbs; ///< immutable once made

int plNurbs_Patches(const plNurbs*);
void plNurbs_Domain(const plNurbs*, int patch, double u[2], double v[2]);
const plPatchEdge* plNurbs_Edge(const plNurbs*, int patch, int edge);
bool plNurbs_Inward(const plNurbs*);

/// Place, first and second derivatives; a spot outside its patch's domain is taken at the border. At
/// a knot those of the span behind it. Bounded time, no memory.
void plNurbs_At(const plNurbs*, plUv, plSurfel*);
plVec3 plNurbs_Place(const plNurbs*, plUv); ///< S alone
/// Unit normal out of the solid; where S_u or S_v vanish (poles), the limit from inside the patch.
/// Always unit.
plVec3 plNurbs_Normal(const plNurbs*, plUv);

/// Is the spot in what trimming has left of its patch? Always, where nothing trims it. Walks, nearest
/// places and joins go over the whole patch: who asks them asks this, too. Bounded by the points of the
/// patch's loops, no memory.
bool plNurbs_Inside(const plNurbs*, plUv);
bool plNurbs_Trimmed(const plNurbs*, int patch);

typedef enum {
    pl_walkInside,
    pl_walkCrossed, ///< one seam or more
    pl_walkOpen,    ///< stopped at an open edge
    pl_walkPole     ///< went through or stopped at a collapsed edge
} plWalk;

/// A spot goes by (du, dv), over joined edges into the neighbours: what is left of the way goes on
/// along the same tangent vector there; at a crease the neighbour is unfolded. On an open edge it
/// slides along the edge. Over a pole it goes straight on. At most plWalkSeams seams.
enum { plWalkSeams = 8 };
plWalk plNurbs_Walk(const plNurbs*, plUv*, double du, double dv);

/// Nearest place of the whole surface, found by bounds (branch and bound, at most a counted number of
/// steps) and Newton; p in the shape's frame. Returns the distance, >= 0. `sure` (may be null): the
/// bounds prove it to 1e-9 of the size.
double plNurbs_Nearest(const plNurbs*, plVec3 p, plUv*, bool* sure);

/// The same from a near spot: Newton, over seams. A warm closest point. Returns the count of Newton
/// steps, 0: it did not converge.
int plNurbs_Project(const plNurbs*, plVec3 p, plUv*);

/// Bezier pieces, for searches by bounds.
int plNurbs_Pieces(const plNurbs*);
/// Patch and rectangle of a piece: u0, u1, v0, v1.
int plNurbs_Piece(const plNurbs*, int piece, double rectangle[4]);
plBounds plNurbs_PieceBounds(const plNurbs*, int piece);
/// Bounds of its part s0 .. s1, t0 .. t1, inside 0 .. 1.
plBounds plNurbs_PartBounds(const plNurbs*, int piece, double s0, double s1, double t0, double t1);
/// A tree over the pieces (plTreeNode; order as the leaves hold them).
const plTreeNode* plNurbs_Tree(const plNurbs*, const int** order);
/// A spot of a piece, by place in it: s, t in 0 .. 1.
plUv plNurbs_UvOf(const plNurbs*, int piece, double s, double t);

/// Triangles that follow the surface to `tolerance` [m], for drawing: counter-clockwise seen from
/// outside. Either list may be null to count. Bounded by 64 x 64 squares a piece.
void plNurbs_Triangles(const plNurbs*, double tolerance, int* pointCount, plVec3* points,
                       plVec3* normals, int* triangleCount, int* triangles);

#endif
