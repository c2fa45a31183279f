// Private to the room: rigid bodies with joints by multipliers.                    (nurbs sec. 1)
//   letters  c(q) = 0 the joints, C = dc/dq of velocities, lambda multipliers, gamma = -(dC/dt) v,
//            L with M = L L^T (L M^-1 elsewhere), Y = L^-1 C^T, Y = Q R with orthonormal Q
//
// M a + C^T lambda = Q_e, C a = gamma is, in coordinates z = L^T a of unit mass, the point nearest
// to L^-1 Q_e on the plane Y^T z = gamma. Q and R come from Y itself: H = C M^-1 C^T = R^T R would
// have the square of its condition.
// Where no row is nearly dependent on others that is no harm: a Cholesky factor of H is then cheap, and
// each solution is corrected by what it leaves of Y^T z = gamma, to round-off. The factor may even be that
// of a place nearby.
// Redundant rows: those that are independent are chosen where the step begins, by pivots, and the same
// rows are used in all of the step, so that its stages are smooth.
#ifndef PL_MECHANISM_JOINTED_H
#define PL_MECHANISM_JOINTED_H

#include "mechanism/kind.h"
#include "shape/shape.h"

typedef struct {
    char name[32];
    double mass;
    plMat3 inertia;
    double root; ///< of the mass
    plMat3 L;    ///< of the inertia, lower
} plJointedBody;

typedef struct {
    char name[32];
    plConstraint kind;
    int a, b; ///< -1: ground
    plFrame A, B;
    double length, radius;
    plGuide guide;
    const plShape* surface; ///< of a guide by patches, else null
    double stiffness[2], damping[2], rest[2];
    int row0, rowCount;
} plConstraintBody;

/// A row of a joint, world axes: the force `lin` on a at its point and -lin on b at its own, and the
/// torques `turnA`, `turnB` besides.
typedef struct {
    int joint;
    plVec3 lin, turnA, turnB;
    double value;        ///< c
    double acceleration; ///< d2c/dt2 where a = 0: -gamma
} plConstraintRow;

/// Rows at some place, and the factors of those that were chosen: H = N N^T, or Q and R.
typedef struct {
    plConstraintRow* rows; ///< all
    int rank;
    int* chosen;  ///< these, then the others
    bool sound;   ///< the chosen rows are far from dependent where they were chosen: H will do
    bool squared; ///< the factor is N, of this place or of one nearby
    double* Y;    ///< of all rows, six numbers for a's body and six for b's
    double* N;    ///< lower, rank x rank, its pivots inverted
    int* first;   ///< first entry of each row of N that is not zero
    double* Q;    ///< of the chosen ones, n numbers each
    double* R;    ///< upper, rowCount x rowCount
} plJointFactor;

typedef struct {
    int bodyCount, jointCount, rowCount;
    plJointedBody* bodies;
    plConstraintBody* joints;

    // state (saved, hashed)
    double* angle; ///< two a joint: angles as counted [rad]
    double* load;  ///< all force but that of the joints at the end of the last step, n
    double* foot;  ///< three a joint: patch, u, v of its place on patches; null: none has any

    // follows from the state
    plJointFactor now;
    bool depends; ///< `wide` has how its other rows depend on the chosen ones, and `Gram` a factor
    bool reacts;  ///< `reaction` is that of the state
    double* reaction; ///< six a joint

    // trial
    double* angle1;
    double* load1;
    double* foot1;
    double* qStar; ///< the free motion before it was closed

    // of the free motion
    plJointFactor middle; ///< halfway
    plJointFactor stage;  ///< at its end, and where the trial ends
    bool isFree;          ///< the free motion of this step is known, and nothing has struck since
    plPlace* places;
    double *qs, *rate; ///< of a stage: positions and their rates
    double *vs, *as;   ///< velocities and accelerations
    double *dq, *dv;   ///< weighted means of the rates
    double* force;
    double* given;    ///< mean force of springs, gravity, spin, and what is applied
    double* held;     ///< and of the joints, from their multipliers
    double* closing;  ///< impulse that closed its velocity
    double lost;      ///< by dampers [J]
    double fallFree;  ///< change of potential to qStar [J]
    double shiftFree; ///< and by closing its positions [J]
    plPlace* half;    ///< where it was halfway
    double* pure;     ///< its velocity, closed; Vfree has what `extra` adds

    // of the trial
    double* extra;    ///< force by which spin and dampers differ, at the velocity of the last trial
    double lostExtra; ///< and by dampers [J]
    double* answer;   ///< impulse of the joints against the rows
    double* struck;   ///< generalized impulse of strikes
    double* settled;  ///< impulse that closed its velocity
    double fallRows, shiftRows;

    // scratch
    double* near;         ///< feet where rows were met last: where the next ones are sought
    double *z, *y;        ///< n
    double *x, *push;     ///< rowCount
    double *sum, *before; ///< rowCount, n
    double* tall;         ///< rowCount x n
    double *wide, *Gram;  ///< rowCount x rowCount
} plJointed;

static inline plJointed* plJointed_Of(const plMechanism* m) { return m->own; }

// jointed_rows.c
void plJointed_Rows(const plMechanism*, const plPlace*, const double* v, plConstraintRow*);
/// g += s J^T of a row.
void plJointed_AddRow(const plMechanism*, const plPlace*, const plConstraintRow*, double s,
                      double* g);
/// J^T of a row, added: of a's body and of b's, six numbers each.
void plJointed_RowEnds(const plMechanism*, const plPlace*, const plConstraintRow*, double* a,
                       double* b);
/// Free position k of a joint, angles counted on from the state's; its row.
double plJointed_Position(const plMechanism*, const plPlace*, int joint, int k,
                          plConstraintRow* row);
double plJointed_Spring(const plMechanism*, const plPlace*); ///< energy of all springs [J]
/// g += forces of springs and dampers. Returns the power of the dampers, >= 0 [W].
double plJointed_Springs(const plMechanism*, const plPlace*, const double* v, double* g);

/// Feet of guides by patches, found anew.
void plJointed_Seek(const plMechanism*, const plPlace*, double* foot);

// jointed_guide.c: the seam for more surfaces
typedef struct {
    double distance; ///< signed, > 0 outside
    plVec3 normal;   ///< its gradient
    plMat3 bend;     ///< its second derivative
} plGuidePoint;
/// `foot` of patches: a near place, and then the nearest one; else it is not read.
plGuidePoint plGuide_At(const plConstraintBody*, plVec3 x, double foot[3]);
void plGuide_Seek(const plShape*, plVec3 x, double foot[3]); ///< over the whole surface
uint64_t plGuide_Identity(const plShape*, uint64_t hash);

// jointed_factor.c
plStatus plJointFactor_Create(plJointFactor*, int rows, int n, plArena*);
void plJointed_Whiten(const plJointed*, const double* g, double* z);         ///< z = L^-1 g
void plJointed_Unwhiten(const plJointed*, const double* z, double* v);       ///< v = L^-T z
void plJointed_WhitenVelocity(const plJointed*, const double* v, double* z); ///< z = L^T v
void plJointed_UnwhitenForce(const plJointed*, const double* z, double* g);  ///< g = L z
/// Y z of a row; z += s times its Y; z is its Y.
double plJointed_Along(const plMechanism*, const plJointFactor*, int row, const double* z);
void plJointed_Pull(const plMechanism*, const plJointFactor*, int row, double s, double* z);
void plJointed_Spread(const plMechanism*, const plJointFactor*, int row, double* z);
void plJointed_SolveSquare(const plJointFactor*, double* x); ///< x <- H^-1 x
/// Rows and Y at a place; v null: at rest.
void plJointed_Meet(const plMechanism*, plJointFactor*, const plPlace*, const double* v);
void plJointed_Choose(const plMechanism*, plJointFactor*); ///< which rows are independent
void plJointed_Adopt(const plMechanism*, plJointFactor*);  ///< the choice of `now`
void plJointed_Factor(const plMechanism*, plJointFactor*); ///< of the chosen ones

// jointed_hold.c
/// v = (L - L C^T H^-1 C L) g with L = M^-1: the velocity that an impulse gives. `answer`, where it
/// is not null: the joints' impulse -C^T H^-1 C L g, from its multipliers.   (nurbs eq. 1, 2)
void plJointed_Respond(const plMechanism*, plJointFactor*, const double* g, double* v,
                       double* answer);
/// v loses what the joints do not allow; `impulse` of the joints that takes it.
void plJointed_Close(const plMechanism*, plJointFactor*, double* v, double* impulse);
/// Shifts positions onto the joints, by the chosen rows; leaves factor and places there. Returns the
/// largest |c| that is left.
double plJointed_Shift(const plMechanism*, plJointFactor*, double* q, plPlace*);
/// a = L g + what joints add so that C a = gamma; their force `held`.
void plJointed_Accelerate(const plMechanism*, plJointFactor*, const double* g, double* a,
                          double* held);
/// Pushes of all rows, -lambda, of the least norm that give a force of the joints, C^T push = force.
void plJointed_Pushes(const plMechanism*, plJointFactor*, const double* force, double* push);

// jointed_step.c
/// Force of all but the joints. Returns the power of dampers [W].
double plJointed_Force(const plMechanism*, const plPlace*, const double* v, double* force);
bool plJointed_Begin(plMechanism*);
bool plJointed_Free(plMechanism*);
double plJointed_Theta(const plMechanism*);
void plJointed_SolveMass(const plMechanism*, double* b);
void plJointed_SolveStep(const plMechanism*, double* b); ///< how rows of the pass answer
void plJointed_Struck(plMechanism*, const double* g);
bool plJointed_Advance(plMechanism*, const plRow*, int n, const double* p);
void plJointed_Displace(plMechanism*, const double* z, plEnergy*);
void plJointed_Audit(plMechanism*, plEnergy*);

// jointed.c
extern const plMechanismOps plJointedOps;
void plJointed_Refresh(plMechanism*);
/// The largest error of the joints at the state, of positions and of velocities.
void plJointed_Error(const plMechanism*, double* position, double* velocity);

#endif
