// contact: links between mechanisms, and the system of rows of one group.
//   in    site response (mechanism)
//   out   impulses on rows
//   letters  u = W p + u_free; u + R p = c on link rows; d stretch; p impulse [N s]
#ifndef PL_CONTACT_H
#define PL_CONTACT_H

#include "contact/space.h"
#include "mechanism/mechanism.h"

/// A spring, damper or rigid joint between two sites: three rows (points), or six (and turns).
///
/// Its stretch d is a state of its own. Over a step it moves by T times the mean velocity of its
/// rows, so that the work of its force and its stored energy agree to the last bit, however the
/// sites turn; the trial's positions are then shifted (by the third order of the step, or by
/// round-off) until the geometry agrees with d again. What cannot be shifted becomes leak.
///   point rows   d = x_a - x_b, world axes
///   turn rows    d = log(R_b^T R_a R_rest^T), axes of b's part; rows carry the derivative of log
typedef struct {
    char name[32];
    plSite a, b;
    plLinkForm form;
    int rowCount;
    double K[6], B[6]; ///< K infinite: rigid
    plQuat rest;

    double* d;       ///< state
    double* impulse; ///< state: of the last tick on a, world axes [N s, N m s]; what a user reads

    // of the pass
    double R[6], c[6], uStart[6], u[6], p[6], move[6], target[6];
    plVec3 axes[3]; ///< of turn rows
} plLink;

plStatus plLink_Create(const plLinkDef*, plMechanism* const* mechanisms, plArena* state, plLink*,
                       const char** why);

/// Rows of the pass. After Begin of both mechanisms.
void plLink_Rows(plLink*, plMechanism* const* mechanisms, plLinearise, plRow* rows);

/// Stretch by the geometry at a place [m, rad].
void plLink_Geometry(const plLink*, plMechanism* const* mechanisms, plWhen, double* d);

/// R and c of the rows from uStart and the diagonal of W:
///   passive   G = T^2 K/2 + T B,  R = 2/G,  c = -u- - 2 T K d / G;   rigid  c = -u-
///   implicit  G = T^2 K   + T B,  R = 1/G,  c =     -   T K d / G;   rigid  c = 0
/// A rigid row gets R = 1e-10 of its plLink_Yield: passive, and redundant joints share their load.
/// Smaller, and round-off of redundant rows is fought by impulses eps/R that cost energy; larger, and
/// the joint itself does.
void plLink_Equation(plLink*, double T, const double* diagonal, int ld);

/// W_ii of row i, but no less than 1e-4 of the largest of its kind (points or turns) in the link: in
/// a direction in which neither end can move, W_ii is round-off or zero. Then 1.
double plLink_Yield(const plLink*, int i, const double* diagonal, int ld);

/// Stretch after the step, from the impulses; `exact`: both ends move as the form assumes.
void plLink_Target(plLink*, double T, bool exact);

/// Keeps the target as stretch, and the impulse for the user; without `keep` there was none.
void plLink_Commit(plLink*, bool keep);

double plLink_Stored(const plLink*, const double* d); ///< [J]

/// Balance of the step; `final` is the stretch that is kept.
void plLink_Audit(const plLink*, double T, bool exact, const double* final, plEnergy*);

/// All rows of one group, with room for `capacity` rows. Each row has a share in one or two
/// mechanisms; the shares of one mechanism lie one after the other, so that work grows with the rows
/// that touch it.
typedef struct {
    int capacity, rowCount;
    plRow* rows;
    double* W; ///< rowCount x rowCount
    double* N;
    int* pivot;
    double* p;
    double* u;

    int* slot;        ///< per mechanism of the world: its place in the group
    int* shareFirst;  ///< per place in the group, and one more
    int* shareRow;    ///< the row of a share
    plRow* shareRows; ///< and a copy of it
    double* shareP;
    double* local; ///< response of one mechanism's shares
    double* work;  ///< capacity times the largest number of velocities
    int workSize;
} plSystem;

plStatus plSystem_Create(plSystem*, int rows, int mechanisms, plArena*);
/// Makes room for mechanisms of n velocities.
plStatus plSystem_Fit(plSystem*, int n, plArena*);

/// A group: mechanisms joined by links, as lists of indices.
typedef struct {
    plMechanism* const* mechanisms; ///< all of the world
    plLink* links;                  ///< all of the world
    const int* mechanismList;
    const int* linkList;
    int mechanismCount, linkCount;
} plGroup;

/// Rows and their impulses: builds W, eliminates nothing yet (no contacts), solves u + R p = c.
/// False when the system is singular; the impulses are then zero.
bool plSystem_Solve(plSystem*, const plGroup*, plPass);

/// The trial of every mechanism under the impulses, then the velocities of the rows at the end and
/// the stretch of each link. False when a momentum (symplectic) did not converge.
bool plSystem_Advance(plSystem*, const plGroup*, double T);

/// After Advance: improves the impulses by what the rows still miss, from the velocities
/// that really came out; then Advance again. The rounding of W and of its factor is the same in
/// every tick and would drain or feed a stiff link by 1e-16 a step. Returns the largest miss, as a
/// share of the largest velocity.
double plSystem_Refine(plSystem*, const plGroup*);

/// Shifts the trial's positions until the geometry of all links has their stretch; at most three
/// rounds. Returns the largest error that is left [m or rad].
double plSystem_Project(plSystem*, const plGroup*, plEnergy* mechanismEnergies);

/// True when every end of the link moves as its form assumes: the mean velocity for a passive link,
/// the end velocity for an implicit one.
bool plLink_Exact(const plLink*, plMechanism* const* mechanisms);

#endif
