// soft: linear elasticity on tetrahedra, small strain; large turns.
//   in    tetrahedral meshes (palp/tets.h), a material
//   out   stiffness, masses, stresses; factors, compliances, frequencies, steps
//   letters  u displacement of the nodes [m] and f force on them [N], 3 numbers a node; v velocity;
//            K stiffness, M mass, A = a M + b K; lambda, mu Lame's constants; C compliance, u = C f;
//            Phi the six rigid motions; T step; strains and stresses as xx yy zz xy yz zx, shear
//            strains as angles
// A body never changes. All is made once, with the memory that it needs; what is asked afterwards
// takes none (but plSoft_Frequencies). Factors have room for one solve at a time. Sums have a fixed
// order and one thread: the same input gives the same bits.                  (signorini 1.1, 1.5)
#ifndef PL_SOFT_H
#define PL_SOFT_H

#include "math/math.h"
#include "palp/soft.h"

// --- bodies

/// Blocks of node i are start[i] .. start[i + 1] - 1, their columns ascend, both halves are there.
typedef struct {
    int nodeCount, tetCount;
    plElastic material;
    const plVec3* points;
    const int* tets;
    const double* volume;   ///< per tetrahedron [m^3]
    const plVec3* gradient; ///< of its four shape functions [1/m]
    const int *start, *column;
    const double* K;      ///< 9 numbers a block, by rows
    const double* M;      ///< consistent: 1 number a block, which stands on a diagonal
    const double* lumped; ///< 1 number a node [kg]
    plArena arena;
} plSoft;

/// A mesh that plTets_Check finds fault with is refused, in its words.
plStatus plSoft_Create(plSoft*, const plTets*, const plElastic*, const plAllocator*, plShapeError*);
void plSoft_Destroy(plSoft*, const plAllocator*);

/// y = (a M + b K) x.
void plSoft_Multiply(const plSoft*, plSoftMass, double a, double b, const double* x, double* y);

void plSoft_Strain(const plSoft*, int tet, const double* u, double strain[6]);
void plSoft_Stress(const plSoft*, int tet, const double* u, double stress[6]); ///< [Pa]

/// Of the body as a rigid one: what M sees when it moves by Phi.
plMass plSoft_RigidMass(const plSoft*, plSoftMass);

// --- large turns: every tetrahedron linear in its own axes, which turn with it

plMat3 plNearestTurn(const plMat3* F); ///< the rotation of the largest tr R^T F; F may be any
plMat3 plSoft_Turn(const plSoft*, int tet, const double* u);
/// sum of (R^T x - X).K_e (R^T x - X)/2 [J], its gradient sum of R K_e (R^T x - X) [N], and sum of
/// R K_e R^T in the blocks of plSoft.K, with what tension resists to turning: the second derivative,
/// but for what pressure takes from it. Functions of u alone.
double plSoft_TurnedEnergy(const plSoft*, const double* u);
void plSoft_TurnedForce(const plSoft*, const double* u, double* f);
void plSoft_TurnedStiffness(const plSoft*, const double* u, double* K);

// --- factors

typedef struct {
    double a, b; ///< A = a M + b K, both >= 0
    plSoftMass mass;
    const unsigned char* fixed; ///< 3 a node, not 0: held; null: none is. Not kept
    int candidateCount;
    const int* candidates; ///< nodes that may be touched, each once. Not kept
} plSoftFactorDef;

/// L L^T = A on the rows of what is not held. The rows of the candidates come last, so that their
/// compliance is the inverse of the last block of A's elimination, which is L's own last block. The
/// body must stay where it is in memory while a factor uses it.
typedef struct {
    const plSoft* soft;
    double a, b;
    plSoftMass mass;
    int n, tail; ///< rows; how many of them are candidates'
    int candidateCount;
    const int* candidates;    ///< nodes
    const int *rowOf, *dofOf; ///< of 3 node + k: its row, -1 when held; and back
    const int *start, *index; ///< columns of L, the diagonal first, then ascending rows
    double* L;
    double* x;               ///< per row, while solving
    int *run, *runEnd;       ///< columns of L that act as one: the first of each; its end
    int *head, *next, *rest; ///< while factoring anew
    plArena arena;
} plSoftFactor;

/// pl_statusBadArgument when A is not positive definite: the body can move without force. While it
/// works it takes memory from malloc too (CHOLMOD).
plStatus plSoftFactor_Create(plSoftFactor*, const plSoft*, const plSoftFactorDef*,
                             const plAllocator*, plShapeError*);
void plSoftFactor_Destroy(plSoftFactor*, const plAllocator*);

/// A u = f. Where it is held, u is given and f is not read; f may be u.
void plSoftFactor_Solve(plSoftFactor*, const double* f, double* u);

/// L anew, for the numbers that the body's K and M have now; pattern, a, b and what is held stay. It
/// takes no memory. False: A is not positive definite, and L is of no use.
bool plSoftFactor_Refactor(plSoftFactor*);

/// The candidates' part of A^-1, by rows, 3 rows a candidate; zero where they are held.
void plSoftFactor_Compliance(plSoftFactor*, double* C);

// --- bodies that float

/// Compliance without rigid motion, C = P C_D P^T with P = I - Phi (Phi^T M Phi)^-1 Phi^T M and C_D
/// the compliance on six supports, any that hold the body and do not strain it. (signorini 1.5 b)
typedef struct {
    plSoftFactor factor; ///< of C_D
    plMass rigid;
    plMat3 turn;      ///< inverse of its inertia
    double *MPhi, *Y; ///< M Phi, C_D M Phi: six vectors each
    double* force;    ///< while solving
    plArena arena;
} plSoftFloating;

plStatus plSoftFloating_Create(plSoftFloating*, const plSoft*, plSoftMass, const int* candidates,
                               int candidateCount, const plAllocator*, plShapeError*);
void plSoftFloating_Destroy(plSoftFloating*, const plAllocator*);

void plSoftFloating_Solve(plSoftFloating*, const double* f, double* u); ///< u = C f; f may be u
/// The candidates' part of C, by rows.
void plSoftFloating_Compliance(plSoftFloating*, double* C);

// --- frequencies

enum { plMostModes = 24 };

/// The lowest angular frequencies of K x = omega^2 M x [rad/s], ascending, with the factor's mass
/// and what it holds, by inverse iteration on a subspace. The factor's b must not be 0. A body that
/// floats needs a > 0, and has six zeros (to the square root of a round-off) first; a should be below
/// b omega^2 of what is sought, since the iteration sees a + b omega^2. `modes`: 3 numbers a node
/// each, M-unit, or null. pl_statusBadArgument when it did not converge.
plStatus plSoft_Frequencies(plSoftFactor*, int count, const plAllocator*, double* omega,
                            double* modes);

// --- steps

/// M dv/dt + (alpha M + beta K) v + K u = f, with f held over a step of T:
///   (M/(theta T) + alpha M + beta K + theta T K) w = f - K u0 + M v0/(theta T)
///   u1 = u0 + T w,  v1 = v0 + (w - v0)/theta
/// theta 1 is implicit Euler (signorini eq. 27), which loses energy; theta 1/2 is the midpoint, which
/// keeps it but for the damping. du1/df = T A^-1, so the candidates' compliance is T times that of
/// the factor.
typedef struct {
    double T;           ///< [s], > 0
    double theta;       ///< 1/2 .. 1
    double alpha, beta; ///< Rayleigh's damping [1/s], [s], >= 0
    plSoftMass mass;
    const unsigned char* fixed; ///< as in a factor; what is held stands still
    int candidateCount;
    const int* candidates;
} plSoftStepDef;

typedef struct {
    plSoftFactor factor;
    double T, theta, alpha, beta;
    double *force, *w; ///< while stepping
    plArena arena;
} plSoftStepper;

plStatus plSoftStepper_Create(plSoftStepper*, const plSoft*, const plSoftStepDef*,
                              const plAllocator*, plShapeError*);
void plSoftStepper_Destroy(plSoftStepper*, const plAllocator*);
void plSoftStepper_Step(plSoftStepper*, const double* f, double* u, double* v);

#endif
