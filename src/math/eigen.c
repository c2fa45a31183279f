#include "math/math.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

// The optimal workspace of the largest order serves every smaller one: it grows with the order.
plStatus plEigen_Create(plEigen* eigen, int n, plArena* arena)
{
    PL_ASSERT(n >= 0);
    plMath_Start();
    *eigen = (plEigen){.n = n};
    if (n == 0) return pl_statusOk;

    double workSize, none = 0;
    int iworkSize, found, noSupport;
    int error =
        LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'A', 'U', n, &none, n, 0, 0, 0, 0, 0, &found,
                            &none, &none, n, &noSupport, &workSize, -1, &iworkSize, -1);
    if (error != 0) return pl_statusBadArgument;

    size_t order = (size_t)n;
    eigen->workSize = (int)workSize;
    eigen->iworkSize = iworkSize;
    eigen->A = plArena_Alloc(arena, order * order, sizeof(double));
    eigen->work = plArena_Alloc(arena, (size_t)eigen->workSize, sizeof(double));
    eigen->iwork = plArena_Alloc(arena, (size_t)iworkSize, sizeof(int));
    eigen->support = plArena_Alloc(arena, 2 * order, sizeof(int));
    bool fits = eigen->A && eigen->work && eigen->iwork && eigen->support;
    return fits ? pl_statusOk : pl_statusCapacity;
}

static void transpose(double* A, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double t = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = t;
        }
    }
}

// The lower triangle by rows is the upper one by columns. The library leaves the eigenvectors one
// after the other. It is not promised to end on a matrix that is not finite, so that comes first.
bool plEigen_Solve(plEigen* eigen, const double* A, int n, double* lambda, double* U)
{
    PL_ASSERT(n <= eigen->n);
    if (n == 0) return true;
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(A[i])) return false;
    }
    memcpy(eigen->A, A, (size_t)(n * n) * sizeof *A);
    int found;
    int error = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'A', 'U', n, eigen->A, n, 0, 0, 0, 0, 0,
                                    &found, lambda, U, n, eigen->support, eigen->work,
                                    eigen->workSize, eigen->iwork, eigen->iworkSize);
    if (error != 0 || found != n) return false;
    transpose(U, n);
    return true;
}

// Round-off may leave an eigenvalue of a semi-definite matrix below zero by a few n eps times the
// largest; beyond that the matrix has no root.
bool plSymSqrt(plEigen* eigen, const double* M, int n, double* s, double* U, double* root)
{
    if (!plEigen_Solve(eigen, M, n, s, U)) return false;
    if (n == 0) return true;
    double roundOff = 8 * n * DBL_EPSILON * fmax(fabs(s[0]), fabs(s[n - 1]));
    if (s[0] < -roundOff) return false;
    for (int k = 0; k < n; k++) s[k] = sqrt(fmax(s[k], 0));

    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += U[i * n + k] * s[k] * U[j * n + k];
            root[i * n + j] = root[j * n + i] = sum;
        }
    }
    return true;
}

int plPseudoSolve(plEigen* eigen, const double* A, int n, double rcond, const double* b, double* x,
                  double* lambda, double* U)
{
    if (!plEigen_Solve(eigen, A, n, lambda, U)) return -1;
    if (n == 0) return 0;

    // x = sum of u (u . b)/lambda; the coefficients take the place of the eigenvalues, and x
    // is written after all of them, so that it may be b.
    double threshold = fmax(rcond * lambda[n - 1], 0);
    int rank = 0;
    for (int k = 0; k < n; k++) {
        double coefficient = 0;
        if (lambda[k] > threshold) {
            for (int i = 0; i < n; i++) coefficient += U[i * n + k] * b[i];
            coefficient /= lambda[k];
            rank++;
        }
        lambda[k] = coefficient;
    }
    plMatVec(U, n, n, n, lambda, x);
    return rank;
}
