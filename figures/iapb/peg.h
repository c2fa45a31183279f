// The peg in the corner of iapb figures 7 to 11: a hand pushes a device, the device a peg, the peg into a corner of two walls.
//                                                                                      (iapb spec 3)
// The ideal hand meets walls that do not yield. The others meet springs with dampers (penalty),
// springs that are helped by collision impulses (full and its limited kinds), or a spring between
// the hand and a proxy that stays outside (coupler).
//   x, y   place of the hand [m]; the walls are x >= 0 and y <= 0
//   rms    of the distance between two hands, in half a second from the first contact
//   depth  how far a corner of the hand's peg is in a wall
#ifndef PL_FIGURES_PEG_H
#define PL_FIGURES_PEG_H

#include "figure.h"
#include "palp/palp.h"

// --------------------------------------------------------------------------------- world (peg_world.c)

typedef enum {
    pl_pegIdeal,
    pl_pegFull,
    pl_pegSpread,
    pl_pegBank,
    pl_pegScaled,
    pl_pegSaturated,
    pl_pegPenalty,
    pl_pegCoupler, ///< a proxy behind a unilateral coupler
    pl_pegMethodCount
} plPegMethod;

typedef struct {
    const char* name; ///< of its columns
    plLawName law;
    plLimit limit;
} plPegLook;

extern const plPegLook plPegMethods[pl_pegMethodCount];

typedef struct {
    double gapX, gapY, tilt; ///< of the closest corner [m], [deg]
    double damping;          ///< of the walls [N s/m]
    double e;
    double push; ///< of the hand, in its own forces
    plCollision collision;
    bool walls; ///< they act in the tick of a collision too
} plPegCorner;

enum {
    plPegFlush,
    plPegLastFlush = 4,
    plPegTilted,
    plPegTiltedMore = 7,
    plPegLastTilted = 9,
    plPegWeak,
    plPegCornerCount
};

/// V1 to V8, V10, V11 and VB5 of the spec: flush, tilted, and flush with weakly damped walls.
extern const plPegCorner plPegCorners[plPegCornerCount];

extern const plVec3 plPegHalf; ///< of the peg's sides [m]
extern const double plPegStep; ///< [s]

typedef struct {
    plWorld* world;
    plMechanismId tool;
    plDeviceId device;
} plPeg;

/// On failure nothing is kept.
plStatus plPeg_Open(const plPegCorner*, plPegMethod, plPeg*);

// ----------------------------------------------------------------------------------- runs (peg_runs.c)

/// All of a run; enough of it for the rms, also of the longest way; what the rms sees; what is drawn.
enum { plPegSteps = 2048, plPegSomeSteps = 800, plPegWindow = 256, plPegShown = 615 };

typedef struct {
    int count;                                                 ///< of steps
    double x[plPegSteps], y[plPegSteps];                       ///< of the hand before a step [m]
    double fx[plPegSteps], fy[plPegSteps], torque[plPegSteps]; ///< on it, off the walls [N], [N m]
    double toolDepth;                                          ///< of a peg that is not tilted [m]
    double toolSpeed;                                          ///< largest off the wall x [m/s]
} plPegTrack;

typedef struct {
    plPegTrack track[plPegCornerCount][pl_pegMethodCount];
    plPegTrack other; ///< of a corner that is not in the list
} plPegRuns;

#define PL_PEG_ONLY(s) (1u << (s))

bool plPeg_Follow(plFigureJob* job, const plPegCorner* c, plPegMethod s, int count, plPegTrack* t);
double plPeg_GapX(const plPegTrack* t, int k);
double plPeg_GapY(const plPegTrack* t, int k);
double plPeg_Depth(const plPegTrack* t);
double plPeg_Peak(const double* force, int count);
double plPeg_Settling(const plPegTrack* t);
int plPeg_FirstContact(const plPegTrack* t);
double plPeg_RmsBetween(const plPegTrack* a, const plPegTrack* b, int first);
double plPeg_RmsOfImpulses(const plPegTrack* a, const plPegTrack* b, int first);
double plPeg_RmsOfForces(const plPegTrack* a, const plPegTrack* b, int first);
bool plPeg_FollowAll(plFigureJob* job, unsigned wanted, plPegRuns* r);
double plPeg_Rms(const plPegRuns* r, int corner, plPegMethod s);
double plPeg_LargestRatio(const plPegRuns* r, int first, int last, plPegMethod a, plPegMethod b);
bool plPeg_AddTime(plFigureJob* job);
bool plPeg_AddPaths(plFigureJob* job, const plPegRuns* r, unsigned wanted);
bool plPeg_AddForces(plFigureJob* job, const plPegRuns* r, unsigned wanted);

#endif
