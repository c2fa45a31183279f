// mechanism: what moves, and how its sites answer to impulses.
//   in    applied wrenches and efforts, impulses on rows (contact, law)
//   out   site motion at start, free and end; velocity response; energy of the step
//   letters  q positions, v velocities, n their number, M mass, C Coriolis (Mdot = C + C^T),
//            K stiffness, B damping, A the step's inertia, g = J^T of one row, T step [s],
//            V velocities as the step sees them (below), mean = (V0 + V1)/2
//
// Inside a step every mechanism has a constant mass matrix M. The midpoint integrator works with
// xi = P v, M = P^T P at the midpoint; V = P^-1 xi are the velocities of the step, equal to v up to
// the change of M in half a step, and with them the kinetic energy is V^T M V / 2 exactly at both
// ends. All other integrators take M at the start, and V = v.
// The velocity u of a row is always the velocity at the END of the step. Then for every integrator
//     work of an impulse p on its row  =  p (u- + u)/2        exactly,
// and positions answer by dx = theta T A^-1 J^T p: theta = 1/2 midpoint and Runge-Kutta, 0 explicit,
// else 1. Only what
// deforms moves in the step as its own integrator says, and the work is p times that mean (flesh.h).
#ifndef PL_MECHANISM_H
#define PL_MECHANISM_H

#include "math/math.h"
#include "palp/own.h"
#include "palp/soft.h"
#include "palp/world.h"

typedef enum {
    pl_atStart,  ///< x_k, u-
    pl_atFree,   ///< no row impulse
    pl_atEnd,    ///< the trial
    pl_atLast,   ///< the end that the pass is linearised at: the last trial, or a prediction
    pl_atMean,   ///< velocities of rows only: what impulses do their work on
    pl_atInstant ///< x_k and the state's own v with the J of x_k: what a strike meets
} plWhen;
typedef enum {
    pl_responseStep,  ///< du/dp = J A^-1 J^T [1/kg], may be nonsymmetric
    pl_responseMass,  ///< du/dp = J M^-1 J^T [1/kg] at x_k, symmetric: a strike
    pl_responsePlace, ///< dx/dp = theta T J A^-1 J^T [s/kg]: for laws at position level
    pl_responseShift  ///< dx/dz = J M^-1 J^T [1/kg] of the step: what Displace does
} plResponse;

/// u = lin.(v_a - v_b) + ang.(w_a - w_b), world axes, v at each site's own point.
typedef struct {
    plSite a, b;
    plVec3 lin, ang;
} plRow;

/// Where rows are linearised. Contacts are met at the start; links at the mean of the start and an
/// estimate of the end, where J T (V0 + V1)/2 is the true displacement of a site once the estimate
/// is right.
typedef enum { pl_lineariseStart, pl_linearisePrediction, pl_lineariseTrial } plLinearise;

/// One pass of one tick. Level 0: as meant; 1: curved springs by their majorizing action; above:
/// numerical damping B = beta 2M/T, beta = 0.02 4^(level - 2).             (pmi spec 9)
typedef struct {
    double T; ///< [s]
    double
        left; ///< of the tick, this step with it: a prescribed motion is then at its end [s]; 0: T
    plLinearise at;
    /// Mass and Coriolis matrix stay those of the last pass. Any will do for the balance of energy, and
    /// Newton's method converges faster when they stay.
    bool frozen;
    bool closes; ///< curved potentials act so that the last trial would have kept its energy
    int level;
    /// Jointed assemblies: what impulses touch goes with its velocity behind them, not with the mean of
    /// the step.                                                              (nurbs C9)
    bool follows;
    /// Soft bodies: rows are where the deformed body is, and turn with its frame within the step, so that
    /// they give the exact displacement of their sites.
    bool turns;
} plPass;

enum { plLevelMajorized = 1, plLevelDamped = 2, plLevelLast = 9 };

/// Owners of the joules of one step [J]:
/// end - start = applied + rows + integrator + leak + drift - dissipated, but for the residual.
typedef struct {
    double kinetic0, potential0, kinetic1, potential1;
    double elastic0; ///< of potential0: stored in springs
    double applied, rows, dissipated, integrator, leak, drift;
    double paid; ///< of drift: from the tank
} plEnergy;

typedef struct plMechanism plMechanism;

/// Bytes come from `fixed`; what must be saved, restored and hashed comes from `state`.
plStatus plMechanism_CreateAssembly(const plAssemblyDef*, int index, plVec3 gravity, plArena* fixed,
                                    plArena* state, plMechanism**, const char** why);
plStatus plMechanism_CreateChain(const plChainDef*, int index, plVec3 gravity, plArena* fixed,
                                 plArena* state, plMechanism**, const char** why);
plStatus plMechanism_CreateJointed(const plJointedDef*, int index, plVec3 gravity, plArena* fixed,
                                   plArena* state, plMechanism**, const char** why);
plStatus plMechanism_CreateOwn(const plOwnMechanismDef*, int index, plVec3 gravity, plArena* fixed,
                               plArena* state, plMechanism**, const char** why);
plStatus plMechanism_CreatePrescribed(const plPrescribedDef*, int index, plArena* fixed,
                                      plArena* state, plMechanism**, const char** why);

/// What it takes besides comes from the allocator. On failure the error has a sentence.
plStatus plMechanism_CreateSoft(const plSoftDef*, int index, plVec3 gravity, plArena* fixed,
                                plArena* state, const plAllocator*, plMechanism**, plShapeError*);
void plMechanism_Destroy(plMechanism*, const plAllocator*); ///< what did not come from the arenas

/// What others may ask of a mechanism in place of its kind.
typedef struct {
    const char* type; ///< its kind, for a person
    bool
        yields; ///< impulses change its motion; false: it moves as given, and its mover does the work
    bool
        deforms; ///< it has a surface whose faces are parts, and rows there a share in its deformation
    bool
        constrained; ///< joints hold it by multipliers: positions are shifted onto them in every step
    double fixedStep; ///< the only one it can take [s]; 0: any
} plMechanismTraits;
const plMechanismTraits* plMechanism_Traits(const plMechanism*);
bool plMechanism_Exact(const plMechanism*); ///< it yields, and its step conserves energy

/// What stands in the place of one that was removed.
plMechanism* plMechanism_Vacant(void);
bool plMechanism_IsVacant(const plMechanism*);

bool plMechanism_HasPart(const plMechanism*, int part);
/// Faces of its surface, three nodes each; its nodes now, world; which may be touched, per node.
typedef struct {
    int nodeCount, faceCount;
    const int* faces;
    const plVec3* x;
    const unsigned char* touchable;
} plSurfaceView;
plSurfaceView plMechanism_Surface(const plMechanism*);
/// Its nodes become those of the trial (pl_atEnd), or of the state again (pl_atStart).
void plMechanism_ShowSurface(plMechanism*, plWhen);
double plMechanism_LargestSpeed(const plMechanism*);   ///< of its surface, or more [m/s]
void plMechanism_WholePoints(plMechanism*, plVec3* x); ///< of all nodes, the inner ones too
void plMechanism_SoftInfo(const plMechanism*, double T, plSoftInfo*);

/// Between ticks: the compliance of a body that somebody holds by its held nodes, or of one that
/// floats. The frame leaps to where the other one sees it, and no point of the surface does. False:
/// nothing changed.
bool plMechanism_Hold(plMechanism*, bool hold);
bool plMechanism_HeldFace(const plMechanism*, int part); ///< all corners are held nodes
void plMechanism_Corners(const plMechanism*, plWhen, int face, plVec3 x[3]); ///< of it, world
plVec3 plMechanism_RestPoint(const plMechanism*,
                             plSite face); ///< of a site on a face, in the frame

void plMechanism_Steer(plMechanism*, plPose);   ///< where a prescribed one is after the next step
bool plMechanism_IsSteered(const plMechanism*); ///< a prescribed one, and it is led elsewhere
/// Of a prescribed one in a trial: its way, and the mean force and torque of its mover on the world; along the axes of
/// the world and about them [m, rad, N, N m].
void plMechanism_Led(const plMechanism*, double way[6], double force[6]);

int plMechanism_Tendons(const plMechanism*);
void plMechanism_CommandTendon(plMechanism*, int tendon, double angle); ///< of its motor [rad]
double plMechanism_TendonAngle(const plMechanism*, int tendon);         ///< of its motor now [rad]
double plMechanism_TendonPull(const plMechanism*, int tendon);          ///< [N]
/// Energy of the two parts of each tendon, by its joints and by its motor, which cancel where it is slack [J]:
/// the potential of a mechanism is known to round-off of it.
double plMechanism_TendonScale(const plMechanism*);
/// Radii of its pulleys, one per velocity [m], and that of its motor's pulley; 0: it has none.
const double* plMechanism_Pulleys(const plMechanism*, int tendon, double* motor);
/// What a motor's turn pulls at the velocities: J k r [N m/rad], written to `gain`.
void plMechanism_MotorGain(const plMechanism*, int tendon, double* gain);
/// What linear springs and tendons hold against at positions y, one per velocity, with motors at zero:
/// K (y - rest), of the coordinates that tendons bend alone; the others count as at rest.
void plMechanism_Resistance(const plMechanism*, const double* y, double* force);
/// Position of a velocity's coordinate; 0 for rotations that have none.
double plMechanism_Coordinate(const plMechanism*, int i);
bool plMechanism_IsBent(const plMechanism*, int i); ///< some tendon bends this coordinate

bool plMechanism_CanClose(plMechanism*, const double* q);      ///< its joints, from these positions
int plMechanism_Joints(const plMechanism*);                    ///< 0: it is not jointed
const double* plMechanism_JointForce(plMechanism*, int joint); ///< see plWorld_JointForce
const char* plMechanism_JointName(const plMechanism*, int joint);
int plMechanism_JointPositions(const plMechanism*, int joint); ///< how many: 0 to 2
void plMechanism_JointPosition(const plMechanism*, int joint, double position[2]);
void plMechanism_JointError(const plMechanism*, double* position, double* velocity); ///< largest

const char* plMechanism_Name(const plMechanism*);
int plMechanism_Positions(const plMechanism*);
int plMechanism_Velocities(const plMechanism*);
int plMechanism_Parts(const plMechanism*);
const char* plMechanism_PartName(const plMechanism*, int part); ///< null: an assembly
int plMechanism_Parent(const plMechanism*, int part);           ///< -1: none
plIntegrator plMechanism_Integrator(const plMechanism*);
bool plMechanism_HasMajorizer(const plMechanism*); ///< plLevelMajorized differs from level 0
bool plMechanism_Curved(const plMechanism*);       ///< more passes make its balance more exact
const double* plMechanism_Q(const plMechanism*);
const double* plMechanism_V(const plMechanism*);
void plMechanism_SetState(plMechanism*, const double* q, const double* v);
/// Between steps; the state stays. Refuses: why it cannot be set, or null.
void plMechanism_SetIntegrator(plMechanism*, plIntegrator);
const char* plMechanism_RefusesIntegrator(const plMechanism*, plIntegrator);

/// After a snapshot was restored: everything that follows from the state.
void plMechanism_Refresh(plMechanism*);

/// Adds to a hash all that makes this mechanism what it is: kind, sizes, masses, springs.
uint64_t plMechanism_Identity(const plMechanism*, uint64_t hash);

/// M and C at the state, n x n; either may be null.
void plMechanism_Inertia(plMechanism*, double* M, double* C);

/// A wrench at a site, world axes, or an effort on one velocity; held over the step. Before Begin;
/// forgotten at Release.
void plMechanism_AddForce(plMechanism*, plSite, plWrench);
void plMechanism_AddEffort(plMechanism*, int coordinate, double effort);

/// Geometric stiffness of an impulse at a site [N s], at the start or in the trial, for a step of T: what
/// Newton's method on positions needs besides rows; see stiffness.c. Before Begin, which adds it to A;
/// cleared before the first of a pass. KeepPositive leaves the positive part of its symmetric part.
void plMechanism_ClearStiffness(plMechanism*, double T, plWhen);
void plMechanism_AddStiffness(plMechanism*, plSite, plVec3 impulse);
void plMechanism_KeepPositive(plMechanism*);
/// And s on all turns of a part [kg m^2]: a bound of the stiffness of rows on turns, which joins two parts.
void plMechanism_AddTurnStiffness(plMechanism*, plSite, double s);

/// Newton's method may overshoot: largest turn of a part in the trial [rad], how far the trial has moved from
/// the last one (twice the kinetic energy of the difference, and of both), and a trial that went only the
/// share s of the way.
double plMechanism_Turn(const plMechanism*);
double plMechanism_Way(const plMechanism*); ///< largest change of a coordinate in the trial
void plMechanism_Change(const plMechanism*, double* difference, double* size);
/// Work of the geometric stiffness in the trial [J]: it acts on the change from trial to trial, and is zero
/// once they agree.
double plMechanism_Unbalanced(const plMechanism*);
void plMechanism_Shorten(plMechanism*, double s);
/// What springs on rotations and the gravity of a chain have created in the trial [J]: they act by a model of the step.
double plMechanism_Leak(const plMechanism*);
/// All that the next step of a free rigid body without velocity is made of, into the hash; false: it is something else.
bool plMechanism_HashRest(const plMechanism*, uint64_t* hash);

/// Products that the response of a row takes beyond those of the frame: of a soft body, a solve of its surface.
double plMechanism_RowCost(const plMechanism*);
/// Positions answer to impulses by theta T times what velocities do.
double plMechanism_Theta(const plMechanism*);

/// Factors A and finds the free motion. False when Newton (symplectic) did not converge.
bool plMechanism_Begin(plMechanism*, plPass);

/// Frame and twist of a site. Velocities at the start are those of the state; at free and end J V
/// with the J of this pass, consistent with Response.
plMotion plMechanism_Motion(const plMechanism*, plWhen, plSite);

/// Place of a site: its point in the world, and the orientation of its part.
plFrame plMechanism_Frame(const plMechanism*, plWhen, plSite);
/// That of a part itself, not of a face; good until the mechanism moves.
const plFrame* plMechanism_PartFrame(const plMechanism*, plWhen, int part);

plVec3 plMechanism_Point(const plMechanism*, plWhen, plSite); ///< of that, the point

/// J V of a row's share in this mechanism [m/s].
double plMechanism_RowVelocity(const plMechanism*, plWhen, const plRow*);

/// Mean velocity over the step of a row's share, times T: how far its positions moved it [m].
double plMechanism_RowMove(const plMechanism*, const plRow*);
double plMechanism_RowMoveBy(const plMechanism*, const plRow*,
                             const double* J); ///< by its J of the pass

/// The response of n rows to impulses on them, in factors: W_ij = J_i . Y_j, each of
/// plMechanism_Velocities numbers. Rows that do not touch the mechanism give zeros.
void plMechanism_Response(const plMechanism*, plResponse, const plRow*, int n, double* J,
                          double* Y);

/// The same in two calls, for rows that are asked for more than once in a pass: J by itself, of the
/// pass or of the start, and the response to it. plMechanism_MeetsAtStart: the two J are one.
void plMechanism_Jacobians(const plMechanism*, bool start, const plRow*, int n, double* J);
bool plMechanism_MeetsAtStart(const plMechanism*);
void plMechanism_Respond(const plMechanism*, plResponse, const double* J, int n, double* Y);
const double* plMechanism_VelocityAt(const plMechanism*, plWhen); ///< V
/// How far shares of rows at pl_atLast move when V at the end changes, per half a step: d(position)/dV1
/// times 2/T. For midpoint mechanisms J at the end. Of `count` rows by their places in `rows`, those that are
/// wanted there; what g has of the others stays.
void plMechanism_EndJacobians(const plMechanism*, const plRow* rows, const int* list,
                              const bool* wanted, int count, double* g);
/// What the deformation of a soft body adds to J V of a row's share. Theta of the mechanism holds for it, too.
double plMechanism_SoftVelocity(const plMechanism*, plWhen, const plRow*);
double plMechanism_SoftEndVelocity(const plMechanism*, plWhen,
                                   const plRow*); ///< of a row at the end

/// Shifts the nodes of a soft body at the end of the step, by impulses z [kg m]. Energies are DisplaceBy's.
void plMechanism_ShiftSoft(plMechanism*, const plRow*, int n, const double* z);

/// What the deformation of a soft body adds to it, n x n by rows. `ends`, or null: rows at the end of the step
/// that answer in place of those of the same number; null: that one itself. False: nothing, and W is not written.
bool plMechanism_LocalResponse(const plMechanism*, plResponse, const plRow*,
                               const plRow* const* ends, int n, double* W);

/// J at x_k of a row's share in this mechanism, plMechanism_Velocities numbers. False: it has none,
/// and J is zero.
bool plMechanism_RowAtStart(const plMechanism*, const plRow*, double* J);

/// Impulses at the instant of the start: v += M^-1 J^T p with J at x_k, then the free motion anew.
/// Returns their work on this mechanism [J].
double plMechanism_Strike(plMechanism*, const plRow*, int n, const double* p);

/// Between two steps, at the state: v += M^-1 J^T p. Rewind first: what rows see is then the state. Kick returns
/// the work on this mechanism [J]; for the share s of p it is s linear + s^2 square. What deforms answers as it
/// does in a step: a node by itself weighs nothing beside what it carries.
void plMechanism_Rewind(plMechanism*);
double plMechanism_Kick(plMechanism*, const plRow*, const double* J, int n, const double* p);
void plMechanism_KickWork(const plMechanism*, const plRow*, const double* J, int n, const double* p,
                          double* linear, double* square);

/// Impulses spread over the step: writes the trial. False when Newton (symplectic) did not converge.
bool plMechanism_Advance(plMechanism*, const plRow*, int n, const double* p);
bool plMechanism_AdvanceBy(plMechanism*, const plRow*, const double* J, int n, const double* p);

/// Positions of the trial only: q (+) M^-1 J^T z with the M of the step, z [kg m]. Velocities stay;
/// the change of energy is booked as drift.
void plMechanism_DisplaceBy(plMechanism*, const double* J, int n, const double* z, plEnergy*);

/// Velocities of the trial times s: takes (1 - s^2) of its kinetic energy, booked as leak.
void plMechanism_Brake(plMechanism*, double s, plEnergy*);

/// The trial goes only the share s of its way, at that share of its velocity; the change of energy is a leak.
void plMechanism_Retreat(plMechanism*, double s, plEnergy*);

bool plMechanism_Finite(const plMechanism*); ///< of the trial

/// Balance of the trial; after the last pass, before Displace, Brake and Commit.
void plMechanism_Audit(plMechanism*, plEnergy*);

/// Makes the trial the state. False when its mass matrix cannot be factored: then Revert, and Stand.
bool plMechanism_Commit(plMechanism*);
void plMechanism_Revert(plMechanism*); ///< back to the state before Commit
void plMechanism_Slow(plMechanism*,
                      double share);    ///< leaves that share of the velocity of the state
void plMechanism_Release(plMechanism*); ///< forgets applied forces: the end of a tick

/// Of one of its parts, the lightest that has some [kg]; 0: it has none, or does not yield. And the speed that applied
/// forces would give it in T, without joints [m/s].
double plMechanism_LeastMass(const plMechanism*);
double plMechanism_Push(const plMechanism*, double T);
double plMechanism_MassTrace(const plMechanism*); ///< sum of the diagonal of the mass at the state
double plMechanism_Kinetic(const plMechanism*);   ///< of the state [J]
double plMechanism_Potential(const plMechanism*); ///< of the state [J]

#endif
