// What the files about followed contacts share.
#ifndef PL_COLLIDE_TRACK_INSIDE_H
#define PL_COLLIDE_TRACK_INSIDE_H

#include "collide/track.h"
#include "collide/track_frame.h"

/// One shape of a pair, seen from the working frame, which is that of f. Piece: of a compound.
typedef struct {
    const plShape* shape; ///< nurbs, plane or convex
    plFrame frame;
    bool still; ///< the frame is the identity
    int piece;
} plSide;

/// A shape near a place, to second order, in the working frame: a point, a curve or a surface over
/// coordinates in metres along unit tangents.
typedef struct {
    int dim;
    plVec3 p, t[2];
    plVec3 out;    ///< surface: unit normal; curve or point: sum of the normals around, or zero
    plVec3 bend;   ///< curve: second derivative, square to it [1/m]
    double k[3];   ///< surface: curvatures tt, ts, ss, > 0 where the solid is convex [1/m]
    plMat2 E;      ///< nurbs: parameters to metres; of an edge E[0][0]
    bool pole;     ///< nurbs: its parameters do not serve here
    double radius; ///< by which it is grown
} plElement;

void plEnd_Element(const plSide*, const plTrackEnd*, plElement*);

/// Goes by s [m] along the tangents, and changes the part where it leaves it. True: it did, or was
/// stopped.
bool plEnd_Move(const plSide*, const plElement*, const double* s, plTrackEnd*, uint32_t* flags);

/// From a corner or an edge to where the end would rather be: `toward` is the way to the other shape.
/// True: it went to another part.
bool plEnd_Leave(const plSide*, plVec3 toward, double tilt, plTrackEnd*);

/// The part of a shape that is no NURBS next to a point of the working frame; signed distance.
double plEnd_Near(const plSide*, plVec3 p, plTrackEnd*);

/// Is the seam at this edge a crease, there? share: 0 .. 1 along the edge.
bool plEdge_IsSharp(const plNurbs*, int patch, int edge, double share);
plUv plEdge_Uv(const plNurbs*, int patch, int edge, double share);

static inline bool plSide_IsNurbs(const plSide* s) { return s->shape->kind == pl_shapeNurbs; }

/// Two ends that look at each other: gap, normal from g to f, and the Newton step.
typedef struct {
    plElement f, g;
    plVec3 n;
    double beta, gap; ///< beta: of the cores; gap: of the grown ones
    double step;      ///< length of the last Newton step [m]
    bool sound;       ///< a minimum, as far as the sign of the determinant tells
    bool singular;
} plMeeting;

/// A pair of ends on its way to a minimum.
typedef struct {
    const plSide *f, *g;
    plTrackEnd *endF, *endG;
    uint32_t flags;  ///< what happened: pl_track...
    double most;     ///< longest step [m]
    double tilt;     ///< sine by which a normal may leave the cone of a corner or an edge
    bool fixed;      ///< parts of g stay as they are
    double steps[2]; ///< lengths of the first two steps [m]
} plSettle;

/// Newton with parts that change, at most `steps`. True: it stands still, to 1e-12 m.
bool plSettle_Run(plSettle*, int steps, plMeeting*);
/// Descends the distance of two that are apart, at most `steps`.
void plSettle_Descend(plSettle*, int steps);
/// Is a place where it stands still a local minimum of the signed distance? By the signs of the
/// eigenvalues of its matrix, which do not change where the gap changes its sign.
bool plMeeting_IsMinimum(const plMeeting*);
/// Collinear normals may also look the same way: then it is the back of one of both.
bool plMeeting_IsOpposed(const plMeeting*);

// --- rolling

/// Two surfaces over a step: where g was and is, and the ends, which go along.
typedef struct {
    const plSide *f, *then, *now;
    plTrackEnd *endF, *endG;
    uint32_t flags;  ///< what happened: pl_track...
    plVec3 from[2];  ///< where the places of both bodies were, carried along
    double steps[2]; ///< lengths of the prediction and of the first Newton step [m]
} plRoll;

/// False: it came to an edge, a pole or a crease, or K does not serve. Then the ends are as before.
bool plRoll_Run(plRoll*, plMeeting*);

// --- search

typedef struct {
    plTrackEnd f, g;
    plMeeting at;
    uint32_t flags;
    int known; ///< index + 1 of the track that it is; 0: new
} plFound;

enum { plFoundMost = 2 * plTrackMost };

/// Minima by gap, ascending.
typedef struct {
    int count;
    plFound list[plFoundMost];
} plFounds;

/// Some pieces of f, to look at.
enum { plPickMost = 4 };
typedef struct {
    int count;
    int list[plPickMost];
} plPick;

/// Minima of the signed distance up to `reach`, and the least of all, added to those that are known.
/// `pick`: only of these pieces of f, or null. Returns a distance that no two places are nearer than, by
/// bounds; when it is above the reach, nothing else was done.
double plTrack_Search(const plSide* f, const plSide* g, double reach, const plPick* pick,
                      plFounds*);

/// Inside each other, two surfaces have places that look at each other through a whole body, as its
/// far wall does: then the place of the other is not inside. When it is, but another wall is much
/// nearer, there is a shorter way out, most likely (`doubtful`); under a crease there need not be.
bool plTrack_IsWayOut(const plSide* f, const plSide* g, const plMeeting*, bool* doubtful);

/// The same minimum in the list, or null.
plFound* plFounds_Find(plFounds*, const plFound*);
/// Adds it unless it is there.
void plFounds_Add(plFounds*, const plFound*);

/// Corners of a polytope or ends of a capsule that stand beside a minimum, as near as `reach`: they
/// carry a face that lies flat. No minima themselves.
void plTrack_Supports(const plSide* f, const plSide* g, double reach, plFounds*);

/// Pieces of f and g that may be near. g: 0 for what has none.
typedef struct {
    int f, g;
    double bound; ///< they are no nearer than this
} plPiecePair;

enum { plPiecePairsMost = 96 };

/// By bounds, ascending; of picked pieces, those of each together.
typedef struct {
    int count;
    double reach, least; ///< least: an upper bound of the least gap
    plPiecePair list[plPiecePairsMost];
} plPiecePairs;

/// Those that are not proven to be farther than the reach and than the least. `pick` as above.
void plPiecePairs_Find(const plSide* f, const plSide* g, double reach, const plPick* pick,
                       plPiecePairs*);
/// What is farther does not matter.
double plPiecePairs_Limit(const plPiecePairs*);

/// How far bounds are from a side, and from other bounds, at least; bounds of turned ones.
double plSide_Apart(const plSide*, const plBounds*);
double plBounds_Apart(const plBounds*, const plBounds*);
plBounds plBounds_Turn(const plFrame*, const plBounds*);

#endif
