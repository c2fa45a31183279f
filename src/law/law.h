// law: contact laws and the algorithms that satisfy them.
//   in    plSpace and the contacts' memory (contact)
//   out   impulses, next memory, plLawReport
//   letters  W, p, u, u- as in the space; q bias: a law holds on w = W p + q; n normal, t tangent;
//            D = diag(W_nn, L, L) of a contact, L = tr(W_tt)/2; RES the relative defect of the
//            fixed point p = P(p - D^-1 w), P on p_n >= 0 and |p_t| <= mu p_n     (signorini 1.4)
#ifndef PL_LAW_H
#define PL_LAW_H

#include "contact/contact.h"
#include "math/math.h"
#include "mechanism/mechanism.h"
#include "palp/own.h"

enum {
    plDenseContacts = 300,  ///< above, only few that push are factored; else Gauss-Seidel alone
    plSubsetContacts = 128, ///< of so many that push a dense copy is made
    plNearContacts = 128,   ///< above, sweeps alone, also where they end nowhere
    plPyramidContacts = 40, ///< above, `lcp` is solved as cones with flat sides
    plMaxSides = 32
};

typedef enum {
    pl_reportNotConverged = 1, ///< the best iterate was returned: its residual is above `accepted`
    pl_reportFellBack = 2,     ///< another algorithm than the law's first one gave the answer
    pl_reportRegularised = 4   ///< only W + epsilon could be solved: softer, still passive
} plReportFlag;

typedef struct {
    bool strikes; ///< the impulses act at the instant x_k, in the mass metric; else over the step
    bool holds;   ///< a collision, too, but its impulses act over the step
    int iterations;
    double residual; ///< by the judge; 0 for explicit laws
    int active;      ///< contacts with p_n > 0
    int sliding;     ///< of these, on the border of their cone or pyramid
    unsigned flags;  ///< plReportFlag
} plLawReport;

// --- what an answer may cost

/// Operations of a tick, counted in products of two numbers that are read from memory, never in time: the same
/// inputs are cut off at the same place. Algorithms ask between sweeps, and before steps and factors, and end with
/// their best iterate.
typedef struct {
    double spent, most;
    bool cut; ///< something was not done
} plBudget;

static inline void plBudget_Spend(plBudget* b, double products) { b->spent += products; }

/// All is spent: what could still be done is left out.
static inline bool plBudget_IsOver(plBudget* b)
{
    b->cut = b->cut || b->spent >= b->most;
    return b->spent >= b->most;
}

/// Pays for what comes next. False: it must not be done.
static inline bool plBudget_Pay(plBudget* b, double products)
{
    const bool may = b->spent + products <= b->most;
    b->cut = b->cut || !may;
    if (may) b->spent += products;
    return may;
}

// --- memory of the algorithms, taken once

/// w = M z + q, w and z >= 0, w z = 0.
typedef struct {
    int capacity, n;
    plBudget* budget; ///< null: none
    double* M;        ///< n x n by rows, filled by the caller
    double* q;
    double* z;
    // inside
    double *S, *cover, *right, *x, *d, *y, *best;
    int *state, *list, *pivot;
} plLcp;

/// Compliance is centred on impulses until it opens or closes no gap by more than that [m], but not more often.
enum { plHoldRounds = 3 };
static const double plHeldGap = 1e-14;

/// A contact that pushes, as a step of Newton sees it (reduced.c).
typedef struct {
    int contact, first, count; ///< its unknowns
    bool slips;
    double mu, e[2]; ///< direction of the impulse while it slips
    double creep;    ///< on the diagonal, across e
} plFreeContact;

/// What a row of sweeps was like (anderson.c).
enum { plAndersonWindow = 6 };
typedef struct {
    int rows, seen, next;
    bool begun;
    double least;            ///< |f| since it began
    double *f, *g, *dF, *dG; ///< per row; differences per column of the window
    double gram[plAndersonWindow][plAndersonWindow];
} plAnderson;

plStatus plAnderson_Create(plAnderson*, int rows, plArena*);

typedef struct {
    int contacts, sides;
    double tolerance; ///< of RES: iterations stop below it; 1e-9
    double accepted;  ///< RES above which an answer has not converged, and others are sought; 1e-6
    int sweeps;       ///< of Gauss-Seidel at most, for each variant; 500
    int turns; ///< in which a tick solves a group: large ones share their sweeps among them; 1
    /// The cone factors nothing above so many contacts; plDenseContacts. A factor at 100 contacts
    /// takes milliseconds, so a tick wants fewer. Those of soft bodies were chosen before, and sweeps
    /// would take thousands for them.
    int newtonContacts;
    int largeSweeps; ///< times contacts, of a group that is not factored; 16000
    /// Asked between sweeps and steps: true ends them with the best iterate. Null: nobody is in a hurry.
    bool (*isOver)(void*);
    void* clock;     ///< what it is asked with
    plBudget budget; ///< no end, until somebody gives one
    plLawDef own;    ///< of plOwnLaw; zeroed: there is none

    double *bias, *other, *f, *u, *F, *trial, *step, *best, *anchor, *kept, *D; ///< per row
    double* J;                                                                  ///< Newton, dense
    int* pivot;
    int denseContacts; ///< J has room for these
    plFreeContact* free;
    int freeCount;
    int* place;  ///< per contact: in `free`; -1: none
    int* subset; ///< contacts that are solved by themselves (subset.c)
    int subsetCount, subsetCapacity;
    double *subsetW, *subsetQ, *subsetP;
    plPair* subsetPair;
    plAnderson anderson;
    plLcp lcp;
    plEigen eigen; ///< restitution: A, its eigenvalues and vectors
    double *A, *U, *lambda, *v, *e, *x;
    double *foreseen, *wanted; ///< per row, of a collision
    int* closing;
} plLawWork;

/// For at most so many contacts (of 3 rows) and pyramids of at most so many sides.
plStatus plLawWork_Create(plLawWork*, int contacts, int sides, plArena*);
size_t plLawWork_Size(int contacts, int sides); ///< bytes that Create takes, at most

/// Room to factor so many contacts of the cone at once, more than plDenseContacts; takes 72 bytes for each
/// pair of them. They are factored then.
plStatus plLawWork_Widen(plLawWork*, int contacts, plArena*);

// --- the laws

/// A law is pure: no state but the memories, no allocation. `level` 0 is the law as meant, each
/// further one safer; the last creates no energy in any case.
typedef struct {
    const char* name;
    plResponse response; ///< which W it wants
    bool reach;          ///< it can meet contacts at a positive gap
    bool returns;        ///< its bias takes depth back, and the tank pays: nothing else needs to
    bool strikes;        ///< collisions are impulses at an instant, before the step
    bool exact;          ///< rigid at the end of a step of any length: gaps may be held there
    bool
        thin; ///< it solves on a thinned W or on its factors, and falls back among its own algorithms
    int levels; ///< the last level; 0: there is only one
    /// Numbers of the bias: one per row, but one per generator for pyramids.
    int (*biasCount)(const plSpace*);
    void (*bias)(const plSpace*, int level, double* q);
    void (*solve)(const plSpace*, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork*, plLawReport*);
    /// The judge's word on impulses, whoever found them: relative to p, and relative to q; 0 for explicit
    /// laws. Neither says all: units of p and of u that are far apart hide an error in one of them.
    double (*judge)(const plSpace*, const double* q, const double* p);
    double (*natural)(const plSpace*, const double* q, const double* p);
    plStored stored; ///< in walls and bristles; null: contacts store nothing
} plLaw;

/// Walls at x_k, held over the step, and friction by the pair's models (wall.h, friction.h); with
/// those of a zeroed pair
///   p_n = T (-K gap - B u_n-),   p_t = -mu p_n sat(|u_t-|/v_th) u_t-/|u_t-|   (iapb eq. 5, 6)
extern const plLaw plPenaltyLaw;

/// Restitution at every closing contact at once when a new contact closes, else penalty. (iapb)
extern const plLaw plImpulseLaw;

/// Friction pyramids, solved by Lemke's method.                               (pmi eq. 28-34)
extern const plLaw plLcpLaw;

/// Signorini and the exact Coulomb cone.                                      (signorini 2006)
extern const plLaw plConeLaw;

/// Impacts of surfaces by multipliers, with restitution of what forces made of the velocity. (nurbs)
extern const plLaw plMultiplierLaw;

/// The functions of the user, in plLawWork.
extern const plLaw plOwnLaw;
/// Of a definition: null, or what is wrong.
const char* plLaw_Complaint(plLawName, const plLawDef*);
/// The law of a name, null: the world has none of the user.
const plLaw* plLaw_For(const plLawWork*, plLawName);

const plLaw* plLaw_Of(plLawName);          ///< null: not here yet
const plLaw* plLaw_Find(const char* name); ///< null: no such law

// --- the judge: shares no code with any solver

/// ||p - P_K(p - (w + mu |w_t| n))|| / ||q||, w = W p + q, K the cone: the natural map.
double plJudge_Natural(const plSpace*, const double* q, const double* p);
/// RES; 0 when p = 0 is right, infinite when p = 0 is wrong.                  (signorini 1.4, E2)
double plJudge_Res(const plSpace*, const double* q, const double* p);
/// ||min(w, z)|| / ||q|| of an LCP, largest components.
double plJudge_Lcp(const double* M, int n, const double* q, const double* z);
/// The same of pyramids, from impulses alone: multipliers are found from p_t.
double plJudge_Pyramid(const plSpace*, const double* q, const double* p);
/// ||min(D^-1 w, z)|| / ||p|| of pyramids.
double plJudge_PyramidRes(const plSpace*, const double* q, const double* p);

// --- biases (bias.c)

/// q of the cone, per row, and of pyramids, per contact: normal, then `sides` directions.
void plBias_Cone(const plSpace*, plBias, double* q);
void plBias_CommonCone(const plSpace*, double* q);
void plBias_Pyramid(const plSpace*, plBias, double* q);

// --- cone

typedef enum {
    pl_conePrinted,    ///< Algorithm 1 as printed: may cycle for ever     (signorini 1.4, E1)
    pl_coneSequential, ///< its tangential step sees the new normal impulse
    pl_coneExact       ///< each contact solved exactly: open, stick or slip
} plConeMethod;

/// One Gauss-Seidel sweep over the contacts as they come; returns |change of p|/|p|.
double plCone_Sweep(const plSpace*, const double* q, plConeMethod, double* p);

/// Sweeps until RES <= tolerance, at most `sweeps`; p holds the best iterate. Returns its RES.
double plCone_GaussSeidel(const plSpace*, const double* q, plConeMethod, double tolerance,
                          int sweeps, double* p, plLawWork*, int* iterations);

/// The same with exact sweeps that are extrapolated (anderson.c): for large groups.
double plCone_Extrapolated(const plSpace*, const double* q, double tolerance, int sweeps, double* p,
                           plLawWork*, int* iterations);

/// Semi-smooth Newton from p on the proximal problem (W + a D) p + q - a D anchor, a = 0: the
/// problem itself. p holds the best iterate. Returns its relative defect.
double plCone_Newton(const plSpace*, const double* q, double a, const double* anchor,
                     double tolerance, int steps, double* p, plLawWork*, int* iterations);

/// Newton on a chain of proximal problems, for hyperstatic contacts: from p, and from nothing where that
/// ends nowhere. Returns RES.
double plCone_Proximal(const plSpace*, const double* q, double tolerance, double* p, plLawWork*,
                       int* iterations);

/// The first part of that: its work is bounded.
double plCone_Near(const plSpace*, const double* q, double tolerance, double* p, plLawWork*,
                   int* iterations);

/// Newton on the contacts that push, where these are few, at most `most`. Returns RES; infinite, and p
/// as it was: they are too many, or Newton failed. Dense W only.
double plCone_Subset(const plSpace*, const double* q, double tolerance, int most, double* p,
                     plLawWork*, int* iterations);

/// Dense: few that push, else Newton from p, else proximal, else Gauss-Seidel. Block-sparse: Gauss-Seidel first. The
/// best iterate is kept. Fills all of the report.
void plCone_Solve(const plSpace*, const double* q, double* p, plLawWork*, plLawReport*);

/// The cone on contacts between bodies, by the factors of W: for the space of plSystem_Factors. True: p
/// is the answer, and Wp = W p without compliance; what rests is known by that, and large groups are
/// swept so. False: somebody else has to solve.
bool plCone_Still(const plSpace*, const plFactors*, const double* q, const plContactMemory* before,
                  plContactMemory* after, double* p, double* Wp, plLawWork*, plLawReport*);

// --- LCP

typedef enum {
    pl_lcpSolved,
    pl_lcpRay,  ///< Lemke ended on a ray from every start: there may be no solution
    pl_lcpLimit ///< too many pivots, or round-off won
} plLcpVerdict;

typedef struct {
    int pivots, attempts;
    double regularised; ///< what was added to the diagonal, relative to its mean
} plLcpReport;

plStatus plLcp_Create(plLcp*, int capacity, plArena*);
/// Symmetric M > 0 by block principal pivoting, else Lemke by a tableau, else Lemke by factors.
plLcpVerdict plLcp_Solve(plLcp*, plLcpReport*);

/// Rows of the pyramid LCP: count (sides + 2), planar count * 4, frictionless count.
int plPyramid_Size(const plSpace*);
int plPyramid_Sides(const plSpace*); ///< sides, planar 2, frictionless 0
/// Direction j of a pyramid over (t1, t2): the angle 2 pi j/sides, opposite ones exactly so.
void plPyramid_Direction(int sides, int j, double d[2]);
/// Fills M and q of the LCP from the space and a bias per generator (plBias_Pyramid); impulses are
/// scaled by the returned mean of W's diagonal.                              (signorini eq. 22-24)
double plPyramid_Assemble(const plSpace*, const double* q, plLcp*);
/// Solves what was assembled for so many sides: a guess and exchanges, and Lemke where these end nowhere.
plLcpVerdict plPyramid_Solve(plLcp*, int sides, plLcpReport*);
/// Impulses (n, t1, t2) from z.
void plPyramid_Impulses(const plSpace*, const double* z, double scale, double* p);

// --- restitution, on n normal rows: A = J D^-1 J^T by rows, v0 = J qd0

/// Impulses of a collision; e per row. Returns the rank (those that do not pull: how many push), -1: failed.
int plRestitution_Impulses(plCollision, const double* A, const double* v0, const double* e, int n,
                           double* p, plLawWork*);

/// The largest s <= 1 for which the impulses s p create no energy; p is scaled.  (iapb spec 1)
double plRestitution_Passive(const double* A, const double* v0, int n, double* p);

#endif
