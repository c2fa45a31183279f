// Private to the room: the operations of a kind, and what all mechanisms are made of.
#ifndef PL_MECHANISM_KIND_H
#define PL_MECHANISM_KIND_H

#include "mechanism/mechanism.h"

/// Place of one part at some positions q: its joint's rotation and shift, and the world frame.
typedef struct {
    plMat3 E; ///< child to joint frame
    plVec3 d; ///< child origin in the joint frame [m]
    plFrame world;
    // beams
    plVec3
        mount; ///< of a body that rides on a beam: its point of the axis, in the beam's frame [m]
    double turn[2]; ///< of the section there, towards y and then z [rad]
    plMat3 Y, F;    ///< the first turn, and both
    int modeCount;
    double* modes; ///< amplitudes of the body's own beam [m]
} plPlace;

/// What rows of points see of a joint between two places: the means of both.
typedef struct {
    plMat3 carrier; ///< of what carries the joint, to world
    plMat3 E;
    plVec3 d; ///< [m]
} plAverage;

/// Places to linearise at: rows of points use the mean of two ends, rows of spins the middle.
typedef struct {
    const plPlace* first;
    const plPlace* last;
    const plPlace* middle;
    const double* kappa; ///< per part: tan ratio of the joint's turn from first to last; null: 1
    const plAverage* averages; ///< per part; null: to be found when they are asked for
} plChart;

/// What the frame of a mechanism that deforms has of a site on its surface: the place as it was at rest, or
/// where rows of the pass act, or rows at the end of the pass.
typedef enum { pl_carryRest, pl_carryPass, pl_carryEnd } plCarry;

/// Of a mechanism with a surface that deforms: what rows and forces on faces have besides the motion of the
/// frame. Parts above 0 are faces.
typedef struct {
    plSite (*carried)(const plMechanism*, plSite face, plCarry);
    plVec3 (*displacement)(const plMechanism*, plWhen, plSite face);    ///< axes of the frame [m]
    void (*corners)(const plMechanism*, plWhen, int face, plVec3 x[3]); ///< world [m]
    plVec3 (*speed)(const plMechanism*, plWhen, plSite face);        ///< against the frame, world
    double (*velocity)(const plMechanism*, plWhen, const plRow*);    ///< of a row of the pass
    double (*endVelocity)(const plMechanism*, plWhen, const plRow*); ///< of a row at its end
    bool (*response)(const plMechanism*, plResponse, const plRow*, const plRow* const* ends, int n,
                     double* W); ///< see plMechanism_LocalResponse
    void (*shift)(plMechanism*, const plRow*, int n,
                  const double* z); ///< see plMechanism_ShiftSoft
    void (*load)(plMechanism*, plSite face, plVec3 force);
    void (*rewind)(plMechanism*);
    void (*kickWork)(const plMechanism*, const plRow*, int n, const double* p, double* linear,
                     double* square);                                     ///< adds
    void (*change)(const plMechanism*, double* difference, double* size); ///< adds
    void (*brake)(plMechanism*, double s);
    double (*kinetic)(const plMechanism*);               ///< of the state [J]
    double (*potential)(const plMechanism*, bool trial); ///< of the state or of the trial [J]
    // the surface, as mechanism.h has it
    plSurfaceView (*surface)(const plMechanism*);
    void (*show)(plMechanism*, plWhen);
    double (*largestSpeed)(const plMechanism*);
    void (*wholePoints)(plMechanism*, plVec3* x);
    double (*rowCost)(const plMechanism*);
    void (*info)(const plMechanism*, double T, plSoftInfo*);
    bool (*hold)(plMechanism*, bool hold);
    bool (*heldFace)(const plMechanism*, int part);
} plDeformOps;

/// Of a mechanism whose joints hold by multipliers, as mechanism.h has them.
typedef struct {
    bool (*canClose)(plMechanism*, const double* q);
    int (*count)(const plMechanism*);
    const char* (*name)(const plMechanism*, int joint);
    int (*positions)(const plMechanism*, int joint);
    void (*position)(const plMechanism*, int joint, double position[2]);
    const double* (*force)(plMechanism*, int joint);
    void (*error)(const plMechanism*, double* position, double* velocity);
} plJointOps;

/// Rows of a mechanism that are wanted at the end of the trial, each of n numbers in g.
typedef struct {
    const plRow* rows;
    const int* list;
    const bool* wanted; ///< by the place in `rows`
    int count, n;
    double* g;
} plEndRows;

/// A kind of mechanism: its traits and its operations. Rows, responses, integrators and the balance of energy
/// are written once over these, and see no kind.
typedef struct {
    plMechanismTraits traits;
    bool constantMass;    ///< M does not depend on q: V = v, C is skew
    bool constantGravity; ///< the force of gravity does not depend on q: its work is exact
    /// Three shifts and three turns: M, K, B and D couple neither with the other, and are diagonal on
    /// shifts.
    bool separate;

    // --- places and forces
    /// Places of all parts at q.
    void (*place)(const plMechanism*, const double* q, plPlace*);
    /// Of all parts of a chart; null: rows do not ask for it.
    void (*average)(const plMechanism*, const plChart*, plAverage*);
    /// to = from (+) s w: vector coordinates add, rotations by exp. `to` may be `from`.
    void (*move)(const plMechanism*, const double* from, double s, const double* w, double* to);
    /// Rotation of each joint from q0 to q1 [rad], one number a part.
    void (*turns)(const plMechanism*, const double* q0, const double* q1, double* angle);
    /// M and C (may be null) at q, v.
    void (*inertia)(plMechanism*, const plPlace*, const double* v, double* M, double* C);
    /// g += J^T of (lin, ang) at a point of a part.
    void (*jacobian)(const plMechanism*, const plChart*, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g);
    /// Force of gravity [N, N m]: with the mean Jacobian of a chart its work is that of the true
    /// displacement.
    void (*gravity)(const plMechanism*, const plChart*, double* G);
    /// Gradient (added) and action matrix (added) of the springs on rotations.
    void (*turnSprings)(const plMechanism*, const double* q, plAction, double* gradient, double* D);
    double (*gravityEnergy)(const plMechanism*, const plPlace*);
    double (*turnEnergy)(const plMechanism*, const double* q);

    // --- mass
    void (*solveMass)(const plMechanism*, double* b); ///< b <- M^-1 b at the state; joints hold
    double (*kinetic)(const plMechanism*, const double* M, const double* v); ///< [J]
    void (*refresh)(plMechanism*); ///< what a state implies, from places that are found
    uint64_t (*identity)(const plMechanism*, uint64_t hash);

    // --- the step
    bool (*begin)(plMechanism*); ///< the pass is known: A, and the free motion
    bool (*freeMotion)(plMechanism*);
    bool (*advance)(plMechanism*, const plRow*, int n, const double* p); ///< under rowForce, and p
    void (*solveStep)(const plMechanism*, double* b);                    ///< b <- A^-1 b
    void (*audit)(plMechanism*, plEnergy*);
    plMotion (*motion)(const plMechanism*, plWhen, plSite);
    void (*jacobians)(const plMechanism*, bool start, const plRow*, int n, double* J);

    // --- may be null
    /// g = J^T of a row that has one of its sites here, a or else b; null: by `jacobian`.
    void (*row)(const plMechanism*, const plChart*, const plRow*, bool isA, double* g);
    double (*theta)(const plMechanism*); ///< null: the integrator's
    /// Answers of many rows in one solve, in place; false or null: one by one.
    bool (*respondMany)(const plMechanism*, plResponse, double* Y, int n);
    void (*displace)(plMechanism*, const double* z, plEnergy*); ///< null: nothing displaces it
    void (*retreat)(plMechanism*, double s);                    ///< null: it cannot
    void (*settle)(plMechanism*);                               ///< a state was set from outside
    void (*struck)(plMechanism*, const double* g); ///< after a strike of generalized impulse g
    void (*kicked)(plMechanism*, const double* g); ///< after a kick
    void (*exchange)(plMechanism*);                ///< of state and trial
    void (*leave)(plMechanism*);                   ///< before the trial becomes the state
    void (*enter)(plMechanism*);                   ///< after it did
    void (*stand)(plMechanism*);
    void (*release)(plMechanism*);
    bool (*finite)(const plMechanism*);
    void (*destroy)(plMechanism*, const plAllocator*);
    double (*leastMass)(const plMechanism*);
    double (*push)(const plMechanism*, double T);
    const char* (*partName)(const plMechanism*, int part);
    int (*parent)(const plMechanism*, int part);
    const char* (*refuses)(const plMechanism*, plIntegrator); ///< why, or null
    // Newton's method on positions, see stiffness.c; without the first one it is not used
    void (*shorten)(plMechanism*, double s);
    void (*addStiffness)(plMechanism*, plSite, plVec3 impulse);
    void (*addTurnStiffness)(plMechanism*, plSite, double s);
    double (*turn)(const plMechanism*); ///< the largest of a part in the trial [rad]
    void (*turnRows)(const plMechanism*, const plEndRows*);

    const plDeformOps* deform; ///< null: its parts are rigid
    const plJointOps* joints;  ///< null: it has none by multipliers
} plMechanismOps;

/// P with M = P^T P. Cholesky route: F = L, P = L^T. Square-root route: F = U, P = U diag(s) U^T.
typedef struct {
    double* F;
    double* s;
} plFactor;

/// Tendons with motors, over the vector coordinates. Their J^T k J is in K; what the motors add is
/// here.
typedef struct {
    int count;
    double* J;       ///< count x n
    double* k;       ///< [N/m]
    double* radius;  ///< [m]
    double* speed;   ///< [rad/s]
    double* theta;   ///< state [rad]
    double* command; ///< state [rad]
    double* theta1;  ///< trial: at the end of the step
} plTendons;

/// Potentials of a chain's coordinates, and those of the pass.
typedef struct plPotential plPotential;
typedef struct {
    int count;
    plPotential* list;
    double *gradient, *H; ///< of all, at q_k
    double *y, *g, *h;    ///< scratch
} plPotentials;

struct plMechanism {
    const plMechanismOps* ops;
    void* own; ///< of the kind
    plMechanismTraits traits;
    char name[32];
    int index; ///< rows name mechanisms by it
    plIntegrator integrator;
    plCoefficients coefficients;
    plRoute route;
    plAction action;
    int positions, n, parts;
    plVec3 gravity; ///< [m/s^2]

    // Linear springs and dampers over the vector coordinates: y = q[place[i]] - rest[i], place -1: none.
    double* K;
    double* B;
    double* rest;
    int* place;
    bool hasTurnSprings;
    bool limp;     ///< it is known that K, D, gradient and pull are zero, and stay so
    bool undamped; ///< the same of B
    plTendons tendons;
    plPotentials potentials;

    // state (saved, hashed); xi = P v belongs to the midpoint integrator of a varying mass
    double* q;
    double* v;
    double* xi;
    double* applied; ///< generalized force held over the next step

    // follows from the state (Refresh)
    plPlace* start;
    double* Mk;   ///< mass at the state
    double* Lk;   ///< its Cholesky factor
    plFactor Pk;  ///< of Mk; F aliases Lk on the Cholesky route
    double* bias; ///< C v at the state

    // trial
    double* q1;
    double* v1;
    double* xi1;
    double* V1;
    double* dV;
    double* mean; ///< (V0 + V1)/2
    double* way;  ///< V0 + theta dV: positions moved by T times it
    plPlace* end;

    // computed by Begin
    plPass pass;
    bool stiff; ///< T sqrt(K/M) > 15: reflected form
    double* M;
    double* S; ///< midpoint: skew, acting on x where the state is xi; else C
    double* D; ///< action matrix of all springs
    double* A; ///< LU; midpoint: acting on x where the state is xi
    int* pivot;
    plMat3 turnInverse; ///< midpoint, separate: of A on turns, which is not factored then
    plFactor P;         ///< of M
    double* gradient;   ///< of all springs at q_k
    double* G;          ///< gravity force used
    double* pull;       ///< of the motors, by the mean of their angles over the step
    plPlace* middle;
    plPlace* last;
    double* qLast; ///< positions of `last`: the end that the pass is linearised at
    double* Vlast; ///< velocity at the end of the step that goes there
    double* kappa;
    plAverage* averages;
    plChart chart, startChart;

    // before Begin: what impulses on rows add to A, see stiffness.c
    double* geometric;
    bool hasGeometric;
    const plPlace* stiffAt; ///< where it is asked for

    double* closing; ///< force that closes the balance of the last trial, see balance.c

    // computed by Begin and by Strike
    double* V0;
    double* Vfree;
    double* dVfree;
    double* dxFree; ///< midpoint: its x
    plPlace* free;
    double* qfree;
    double* xi0; ///< xi after strikes

    // scratch
    double* work[8];
    double* square[2];
    plEigen eigen;
    double* rowForce;  ///< J^T p of the last Advance [N s, N m s]
    double strikeWork; ///< [J]
    bool singular;     ///< the mass at the state has no factor
    bool broken;       ///< a factor of the pass failed: the trial must not be kept
};

// mechanism.c
plStatus plMechanism_Allocate(plMechanism*, plArena* fixed, plArena* state);
void plExchangeNumbers(double* a, double* b, int n);
void plMechanism_SolveMass(const plMechanism*, double* b); ///< b <- M^-1 b, M at the state
double plMechanism_KineticOf(const plMechanism*, const double* M, const double* v);
double plMechanism_PotentialWith(const plMechanism*, double elastic); ///< of the state
const char* plMechanism_RefuseUnknown(plIntegrator); ///< why it is not of the list, or null
/// The part of the identity that all kinds have; `tree`, and 15 numbers of a body or null.
uint64_t plMechanism_HashCommon(const plMechanism*, uint64_t hash, bool tree, const double* body);

// Operations of kinds with a mass matrix of no special form.
void plMechanism_SolveDense(const plMechanism*, double* b);
double plMechanism_KineticDense(const plMechanism*, const double* M, const double* v);
void plMechanism_RefreshDense(plMechanism*);

// rows.c: of kinds that have no faster way
plMotion plMechanism_MotionByRows(const plMechanism*, plWhen, plSite);
void plMechanism_JacobiansByRows(const plMechanism*, bool start, const plRow*, int n, double* J);
void plMechanism_DisplaceTrial(plMechanism*, const double* z, plEnergy*);
bool plMechanism_Owns(const plMechanism*, plSite);
/// g = J^T of the share of a row at the end of the step, at the places of a chart; zero where it has none.
void plMechanism_EndRow(const plMechanism*, const plChart*, const plRow*, double* g);

// commit.c
void plMechanism_RetreatTrial(plMechanism*, double s);

// stiffness.c
plMat3 plRightJacobian(plVec3 a); ///< R exp(S(a + d)) = R exp(S(a)) exp(S(Jr d))
/// Of the rows, three numbers from `at` on, over the turn from one quaternion to another.
void plMechanism_TurnBack(const double* from, const double* to, int at, const plEndRows*);
void plMechanism_ShortenTrial(plMechanism*, double s);

// transform.c
void plMechanism_RefreshPlaced(plMechanism*); ///< what a state implies, from places that are found
bool plMechanism_Transformed(const plMechanism*); ///< the state's velocity is xi
bool plMechanism_FactorMass(plMechanism*, const double* M, plFactor);
void plMechanism_ApplyP(const plMechanism*, plFactor, const double* v, double* xi);
void plMechanism_SolveP(const plMechanism*, plFactor, const double* xi, double* v);
/// The velocity x of the step's equations, of the length of xi: xi on the Cholesky route, else U^T xi.
/// x = H v with M = H^T H.
void plMechanism_ToStep(const plMechanism*, plFactor, const double* xi, double* x);
void plMechanism_FromStep(const plMechanism*, plFactor, const double* x, double* xi);
void plMechanism_ApplyH(const plMechanism*, plFactor, const double* v, double* x);
void plMechanism_SolveH(const plMechanism*, plFactor, const double* x, double* v); ///< v may be x
void plMechanism_SolveHT(const plMechanism*, plFactor, double* b);                 ///< b <- H^-T b
/// Factors M into P, and finds the skew Coriolis matrix of the equations for x from C.
bool plMechanism_Skew(plMechanism*, const double* M, const double* C, plFactor P, double* Q);

// linearise.c
void plPlaces_Copy(const plPlace* from, plPlace* to, int count);
void plMechanism_Linearise(plMechanism*); ///< charts, M, S and gravity of the pass
/// Vlast from `way`, the velocity that moves positions to `last`; after V0.
void plMechanism_FindLast(plMechanism*, const double* way);
void plMechanism_CloseBalance(
    plMechanism*); ///< finds `closing`, after M, G and the gradient of the pass
double plMechanism_Hardness(const plMechanism*, const double* K); ///< largest T sqrt(K/M)

// midpoint.c
bool plMidpoint_Inertia(plMechanism*);                ///< A, factored; false: it is singular
void plMidpoint_Free(plMechanism*);                   ///< dVfree, Vfree
void plMidpoint_Advance(plMechanism*);                ///< the trial under rowForce
void plMidpoint_Solve(const plMechanism*, double* b); ///< b <- A^-1 b, from force to velocity
void plMidpoint_SolveMany(const plMechanism*, double* b, int count); ///< one behind the other
void plMidpoint_SolveBody(const plMechanism*, double* b, int count); ///< the same of many

// euler.c
void plEuler_Inertia(plMechanism*);
bool plEuler_Free(plMechanism*);
bool plEuler_Advance(plMechanism*);

// implicit_midpoint.c
bool plImplicitMidpoint_Free(plMechanism*);
bool plImplicitMidpoint_Advance(plMechanism*);

// integrate.c
double plMechanism_Beta(const plMechanism*);         ///< numerical damping of the level
double plMechanism_Force(const plMechanism*, int i); ///< applied + gravity + pull - gradient
bool plMechanism_BeginStep(plMechanism*);
bool plMechanism_FreeStep(plMechanism*); ///< from V0 with the factored A
bool plMechanism_AdvanceStep(plMechanism*, const plRow*, int n, const double* p);
void plMechanism_SolveStep(const plMechanism*, double* b); ///< b <- A^-1 b

// balance.c
void plMechanism_AuditStep(plMechanism*, plEnergy*);

// tendon.c
plStatus plTendons_Create(plMechanism*, const plChainDef*, plArena* fixed, plArena* state);
void plTendons_Begin(plMechanism*); ///< theta1 and pull
double plTendons_Energy(const plMechanism*, const double* q, const double* theta);
double plTendons_MotorWork(const plMechanism*); ///< of the trial [J]
uint64_t plTendons_Identity(const plMechanism*, uint64_t hash);

// potential.c
plStatus plPotentials_Create(plMechanism*, const plPotentialDef*, int count, plArena*,
                             const char** why);
double plPotentials_Energy(const plMechanism*, const double* q);
void plPotentials_AddGradient(const plMechanism*, const double* q, double* gradient);
/// Gradient and second derivatives of the pass, added to those of the springs; bounded: by their bounds.
void plPotentials_Begin(plMechanism*, bool bounded);
/// What their model misses on the trial, along its mean velocity [J].
double plPotentials_Leak(const plMechanism*, const double* mean);
uint64_t plPotentials_Identity(const plMechanism*, uint64_t hash);

// springs.c
void plMechanism_LookForSprings(plMechanism*); ///< limp, undamped: once K and B stand
double plMechanism_Elastic(const plMechanism*, const double* q,
                           const double* theta); ///< all springs
void plMechanism_SpringForces(plMechanism*, plAction, double* gradient, double* D);
void plMechanism_Deflection(const plMechanism*, const double* q, double* y); ///< 0 on rotations
double plMechanism_LinearEnergy(const plMechanism*, const double* q);
/// Change of the linear springs' energy over the step's way T (V0 + theta dV).
double plMechanism_LinearChange(const plMechanism*);
/// Gradient -k e and action k D of a spring on SO(3), e = log(R^T R_o).          (pmi spec 2.3)
void plTurnSpring(plAction, double k, plVec3 e, plVec3* gradient, plMat3* D);

#endif
