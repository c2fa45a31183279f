// What the files about sculpted surfaces share.
#ifndef PL_SHAPE_NURBS_INSIDE_H
#define PL_SHAPE_NURBS_INSIDE_H

#include "shape/inside.h"
#include "shape/nurbs.h"

enum {
    plOrder = plPatchDegree + 1, ///< most control points of a piece, one way
    plPiecePoints = plOrder * plOrder,
    plNurbsPieces = 1 << 20
};

/// Edges that are nearer than this everywhere are one, relative to the size of the surface. An edge
/// as short is a pole.
#define plJoinGap 1e-7

/// A patch. Piece firstPiece + i spansV + j lies between breaks i, i + 1 of u and j, j + 1 of v.
typedef struct {
    int degreeU, degreeV;
    int spansU, spansV;
    int firstPiece;
    const double *breaksU, *breaksV; ///< spans + 1, ascending
    double paceU, paceV;             ///< spans over their whole width
    const double* points;     ///< of its pieces: (degreeU + 1) x (degreeV + 1) x (wx wy wz w)
    double area;              ///< size of S_u x S_v where nothing is degenerate
    int firstLoop, loopCount; ///< that trim it; none: it is whole
    plPatchEdge edges[plPatchEdges];
} plPatch;

/// A loop in the parameters, and its bounds.
typedef struct {
    double lo[2], hi[2];
    int count;
    const double* points; ///< u, v of each
} plTrim;

struct plNurbs {
    int patchCount, pieceCount, nodeCount;
    bool inward;
    bool closed;   ///< no edge is open, and the patches agree which side is outside
    double size;   ///< diagonal of the control points' bounds
    plVec3 middle; ///< of the bounds
    const plPatch* patches;
    const int* pieces; ///< patch of each piece
    const plBounds* bounds;
    const plTreeNode* nodes;
    const int* order;
    const plTrim* trims; ///< those of one patch one after the other
};

/// As the makers of inside.h.
plStatus plNurbs_Build(const plShapeDef*, plArena*, const plAllocator* scratch, const plNurbs**,
                       plShapeError*);
size_t plNurbs_Memory(const plShapeDef*);
plStatus plNurbs_Check(const plShapeDef*, plShapeError*);
/// nurbs_trim.c; false: the arena is full.
plStatus plNurbs_CheckLoops(const plShapeDef*, plShapeError*);
size_t plNurbs_TrimMemory(const plShapeDef*);
bool plNurbs_MakeTrims(const plShapeDef*, plArena*, plNurbs*, plPatch*);
/// What is wrong with a patch whose counts are in range, or null.
const char* plNurbs_CheckPatch(const plPatchDef*);

/// Control points of the polynomial over [a, b] are C times those of a B-spline whose 2 p knots
/// next to [a, b] are given: p that are <= a, p that are >= b.
void plExtract(const double* knots, int p, double a, double b, double C[plOrder][plOrder]);
/// H = Cu P Cv^T. P: rows of `stride` points, (p + 1) x (q + 1) are read; 4 numbers a point.
void plTransform(const double* P, int stride, int p, int q, double Cu[plOrder][plOrder],
                 double Cv[plOrder][plOrder], double* H);

/// Control points of a piece.
const double* plNurbs_PiecePoints(const plNurbs*, int piece);
plBounds plPointBounds(const double* H, int count);

/// Finds the edges' kinds and neighbours.
plStatus plNurbs_Join(plNurbs*, plPatch*, const plAllocator* scratch, plShapeError*);
/// The spot at share f (0 .. 1) of an edge.
plUv plNurbs_EdgeUv(const plNurbs*, int patch, int edge, double f);
/// The same spot seen from the other side of a joined edge.
plUv plNurbs_OtherSide(const plNurbs*, plUv, int edge);
/// The collapsed edge that the spot lies on, or -1.
int plNurbs_Pole(const plNurbs*, plUv);
/// At a pole, among all edges that end there: the spot from which the surface leaves it most nearly
/// along T.
void plNurbs_Turn(const plNurbs*, plUv*, int edge, plVec3 T);
/// The spot with its parameters inside the domain.
plUv plNurbs_Clamp(const plNurbs*, plUv);

/// The part [s0, s1] x [t0, t1] of a piece: its control points.
typedef struct {
    int piece;
    double s[2], t[2];
} plPieceBox;
void plNurbs_BoxPoints(const plNurbs*, const plPieceBox*, double H[4 * plPiecePoints]);
/// Cut in the middle across its longer side, by control points.
void plNurbs_Halve(const plNurbs*, const plPieceBox*, const double* H, plPieceBox halves[2]);

/// As plShape_Nearest and plShape_Ray, in the shape's frame.
plNearest plNurbs_Signed(const plNurbs*, plVec3 p);
plRayHit plNurbs_Ray(const plNurbs*, plVec3 p, plVec3 d, double tMax);

#endif
