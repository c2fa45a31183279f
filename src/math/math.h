// math: vectors, rotations, frames, small dense algebra, factorisations.
//   letters  R rotation matrix (body to world), q unit quaternion (w, x, y, z), S(a) b = a x b,
//            n order of a square matrix by rows, ld its row stride
// Matrices are by rows. Up to plSmall rows own loops serve: faster than the library up to 12,
// two thirds as fast at 30, but with the same bits on every machine, unlike the library's kernels.
// Above, LAPACK is called with workspaces that were taken at creation.
#ifndef PL_MATH_H
#define PL_MATH_H

#include "base/base.h"

#include <math.h>

#define PL_PI 3.14159265358979323846

/// Orientation and origin of a part, body to world.
typedef struct {
    plVec3 x;
    plMat3 R;
} plFrame;

static inline plVec3 plVec(double x, double y, double z) { return (plVec3){x, y, z}; }
static inline plVec3 plAdd(plVec3 a, plVec3 b) { return plVec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline plVec3 plSub(plVec3 a, plVec3 b) { return plVec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline plVec3 plScale(double s, plVec3 a) { return plVec(s * a.x, s * a.y, s * a.z); }
static inline plVec3 plAddScaled(plVec3 a, double s, plVec3 b)
{
    return plVec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double plDot(plVec3 a, plVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double plNorm(plVec3 a) { return sqrt(plDot(a, a)); }
static inline plVec3 plCross(plVec3 a, plVec3 b)
{
    return plVec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline plVec3 plMul(const plMat3* A, plVec3 v)
{
    return plVec(plDot(A->x, v), plDot(A->y, v), plDot(A->z, v));
}
static inline plVec3 plMulT(const plMat3* A, plVec3 v) ///< A^T v
{
    return plAdd(plScale(v.x, A->x), plAdd(plScale(v.y, A->y), plScale(v.z, A->z)));
}
static inline plVec3 plGet3(const double* a) { return plVec(a[0], a[1], a[2]); }
static inline void plPut3(plVec3 v, double* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
static inline plQuat plGet4(const double* a) { return (plQuat){a[0], a[1], a[2], a[3]}; }
static inline void plPut4(plQuat q, double* out)
{
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}
bool plFinite3(plVec3);
bool plFinitePose(plPose);

plMat3 plIdentity3(void);
plMat3 plDiagonal3(double x, double y, double z);
plMat3 plSkew(plVec3); ///< S(a)
// Row i of A B is row i of A times B, which is B^T times that row.
static inline plMat3 plMatMul(const plMat3* A, const plMat3* B)
{
    return (plMat3){plMulT(B, A->x), plMulT(B, A->y), plMulT(B, A->z)};
}
static inline plMat3 plMatMulT(const plMat3* A, const plMat3* B) ///< A B^T
{
    return (plMat3){plMul(B, A->x), plMul(B, A->y), plMul(B, A->z)};
}
plMat3 plTransMul(const plMat3* A, const plMat3* B); ///< A^T B
plMat3 plTranspose(const plMat3*);
plMat3 plMatAdd(const plMat3* A, double s, const plMat3* B); ///< A + s B
/// (A + B)/2: for two rotations no rotation
static inline plMat3 plMean(const plMat3* A, const plMat3* B)
{
    return (plMat3){plScale(0.5, plAdd(A->x, B->x)), plScale(0.5, plAdd(A->y, B->y)),
                    plScale(0.5, plAdd(A->z, B->z))};
}
bool plInverse3(const plMat3* A, plMat3* inverse); ///< false: singular, or not finite
bool plIsPositive3(const plMat3*, bool strictly);  ///< symmetric and positive (semi-)definite

// --- rotations

plQuat plQuatMul(plQuat a, plQuat b);
plQuat plQuatConj(plQuat);
plQuat plQuatUnit(plQuat);      ///< made unit; the identity when it is zero or not finite
plMat3 plRotation(plQuat);      ///< matrix of a unit quaternion
plQuat plQuatOf(const plMat3*); ///< of a rotation matrix, w >= 0 (Shepperd)
plQuat plExp(plVec3);           ///< quaternion of exp(S(a)); accurate near 0
plVec3 plLogQuat(plQuat);       ///< rotation vector, norm in [0, pi]; accurate near 0 and pi
plVec3 plLog(const plMat3*);    ///< of a rotation matrix                     (pmi spec 2.2)
plQuat plCayley(plVec3);        ///< quaternion of cay(a) = (I - S(a)/2)^-1 (I + S(a)/2)
plQuat plRotor(plVec3 axis, double angle); ///< about a unit axis

/// tan(x/2)/(x/2): exp(a) = cay(s a) with s of |a|. Even, 1 at 0, infinite at pi.
double plTanRatio(double x);

/// (1 - (x/2) cot(x/2))/x^2, 1/12 at 0: the coefficient of S(e)^2 in d log.   (pmi spec 2.3)
double plLogRatio(double x);

/// Two unit tangents of a unit normal, t1 x t2 = n; the first is z x n, so lies in the x-y plane,
/// unless n is near the z axis (then it is near x).
void plTangents(plVec3 n, plVec3* t1, plVec3* t2);

plFrame plFrameOf(plPose);
static inline plFrame plFrameMul(const plFrame* a, const plFrame* b) ///< frame b given in frame a
{
    return (plFrame){plAdd(a->x, plMul(&a->R, b->x)), plMatMul(&a->R, &b->R)};
}

// --- dense algebra, by rows

/// Once per process, before the first step; later calls do nothing. The linear algebra library is
/// set to one thread, since results must not depend on how many there are, and takes its buffers.
void plMath_Start(void);

double plDotN(const double* a, const double* b, int n);
double plQuadN(const double* x, const double* A, const double* y, int n);          ///< x^T A y
void plMatVec(const double* A, int n, int m, int ld, const double* x, double* y);  ///< y = A x
void plMatVecT(const double* A, int n, int m, int ld, const double* x, double* y); ///< y = A^T x

enum { plSmall = 30 };

/// LU with exchanges, in place, n x n, stride n. False when not finite or when a pivot is exactly
/// zero; nearly singular matrices pass. The factors lie as plLu_Solve expects them for this n.
bool plLu_Factor(double* A, int n, int* pivot);
void plLu_Solve(const double* A, int n, const int* pivot, double* b);
/// Solves for `count` right-hand sides, stored one after the other.
void plLu_SolveMany(const double* A, int n, const int* pivot, double* b, int count);

/// Cholesky M = L L^T in place (from and into the lower triangle, the rest zeroed). False when not
/// positive definite or not finite.
bool plChol_Factor(double* A, int n);
void plChol_Solve(const double* L, int n, double* b);
void plChol_Lower(const double* L, int n, double* b);  ///< b <- L^-1 b
void plChol_LowerT(const double* L, int n, double* b); ///< b <- L^-T b

/// Solves for `count` right-hand sides, stored one after the other.
void plChol_SolveMany(const double* L, int n, double* b, int count);
/// A <- L^-1 A, or A <- A L^-T, n x n; of the latter only what is left of the diagonal when `half`.
void plChol_LowerLeft(const double* L, int n, double* A);
void plChol_LowerRight(const double* L, int n, double* A, bool half);

/// A panel: up to 32 right-hand sides of n <= plSmall numbers side by side, number k of side j at
/// X[32 k + j]. Its solves give the same bits as those of one side, in a fraction of the time.
enum { plPanelWidth = 32, plPanelSize = plPanelWidth * plSmall };
/// From and to a[next k + side j].
void plPanel_Load(const double* a, int next, int side, int n, int count, double* X);
void plPanel_Store(const double* X, int next, int side, int n, int count, double* a);
/// X <- L^-1 X; when `half`, of side j only its first j numbers are wanted.
void plPanel_Lower(const double* L, int n, int count, bool half, double* X);
void plPanel_LowerT(const double* L, int n, int count, double* X); ///< X <- L^-T X
void plPanel_Lu(const double* A, int n, const int* pivot, int count, double* X);

/// LDL^T without exchanges, in place (unit lower L, D on the diagonal), for symmetric matrices that
/// may be indefinite but are well scaled. False when a pivot vanishes (|d| <= 1e-14 of the
/// largest entry).
/// Only the lower triangle is read and written.
bool plLdl_Factor(double* A, int n);
void plLdl_Solve(const double* LD, int n, double* b);

/// Eigenvalues (ascending) and eigenvectors (columns of U) of a symmetric matrix; the workspace is
/// taken at creation and serves orders up to n.
typedef struct {
    int n;
    double* A;
    double* work;
    int* iwork;
    int* support;
    int workSize, iworkSize;
} plEigen;

plStatus plEigen_Create(plEigen*, int n, plArena*);
bool plEigen_Solve(plEigen*, const double* A, int n, double* lambda, double* U);

/// Symmetric square root U diag(s) U^T with s^2 = lambda; s and U are kept for the caller. False
/// when an eigenvalue is negative beyond round-off.
bool plSymSqrt(plEigen*, const double* M, int n, double* s, double* U, double* root);

/// Minimum-norm least-squares solution of a symmetric positive semi-definite system by eigenvalues:
/// those not above rcond times the largest are dropped. lambda: n, U: n*n, both scratch. Returns
/// the rank, -1 when it failed.
int plPseudoSolve(plEigen*, const double* A, int n, double rcond, const double* b, double* x,
                  double* lambda, double* U);

#endif
