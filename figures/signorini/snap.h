// The clip of signorini 6 on a rigid pipe, pushed and pulled so slowly that it is in balance at every
// place.                                                                    (signorini spec 6.1)
// The handle is held; the ring's centre has a height y over the pipe's axis, which is z. Nodes of the
// inner surface and of the arms' ends meet the tangent plane of the pipe where they were last.
//   letters  y height [m]; X node at rest, u its displacement, x = (0, y, 0) + X + u; F the frame
//            (n, t1, t2) of a contact, n off the axis; W = F C F^T; f force on the clip [N]
#ifndef PL_FIGURES_SNAP_H
#define PL_FIGURES_SNAP_H

#include "soft/soft.h"

typedef struct plDesk plDesk;

typedef struct {
    double y;
    plVec3 force;  ///< of the pipe on the clip [N]: y > 0 is what a hand must push with
    double depth;  ///< largest of a candidate in the pipe [m]
    double spread; ///< largest |u| of a candidate [m]
    int contacts, active;
    int iterations; ///< of all problems of this place
    int solves;
    bool failed; ///< a problem was not solved to 1e-6
} plSnapPlace;

typedef struct {
    plTets mesh;
    plSoft soft;
    plSoftFactor factor;
    plArena arena;
    int count;       ///< candidates
    int* node;       ///< of each
    double* C;       ///< their compliance, 3 rows each
    double near;     ///< candidates below this gap enter a problem at once [m]; 0.05 mm
    double *x, *end; ///< now, and at the end of the last place
    double* f;       ///< along x, y, z
    plMat3* frame;   ///< rows n, t1, t2
    int* contact;    ///< candidates of the space's contacts
    bool* listed;
    plDesk* desk;
    plSnapPlace place;
} plSnap;

extern const double plSnapPipe; ///< its radius [m]

/// On failure nothing is kept.
plStatus plSnap_Open(plSnap*, const plClipDef*, plShapeError*);
void plSnap_Close(plSnap*);

/// Undeformed at y.
void plSnap_Start(plSnap*, double y);

/// Moves to y; `rounds` linearisations of the pipe.
void plSnap_Move(plSnap*, double mu, double y, int rounds);

/// Where every node is, 3 numbers each.
void plSnap_Shape(plSnap*, double* x);

// --- ways

enum { plSnapMostPlaces = 1024 };

typedef struct {
    double mu;
    double top, bottom, step; ///< of y: down and up again [m]
    int rounds;
} plSnapPath;

/// From 9 mm, where nothing touches, to 0.15 mm and back by 0.05 mm. Lower, the ring, whose radius is
/// 0.1 mm less than the pipe's, bottoms out and no longer tells anything of the snap.
plSnapPath plDefaultSnapPath(double mu);

typedef struct {
    int count, lowest; ///< of places, the start among them; index of the lowest one
    plSnapPlace places[plSnapMostPlaces];
} plSnapWay;

void plSnap_Travel(plSnap*, const plSnapPath*, plSnapWay*);

/// Index of the largest (sign 1) or least (-1) force along y from `first` to `last`.
int plSnapWay_Peak(const plSnapWay*, int first, int last, double sign);

/// Work of the hand from `first` to `last` [J].
double plSnapWay_Work(const plSnapWay*, int first, int last);

#endif
