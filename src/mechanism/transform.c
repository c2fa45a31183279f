// The transformed equations of the midpoint integrator: xi = P v with M = P^T P, in which the mass
// is constant and the Coriolis matrix skew.                                     (pmi eq. 36-38)
//   Cholesky route     M = L L^T, P = L^T,  Q = T - T^T, T the strictly lower part of L^-1 C L^-T
//   square-root route  M = U s^2 U^T, P = U s U^T,
//                      Q = U [(c_ij s_j - c_ji s_i)/(s_i s_j (s_i + s_j))] U^T, c = U^T C U
// Both are skew by construction. The step works with velocities V = P^-1 xi, so S = P^T Q P.
#include "mechanism/kind.h"

#include <string.h>

bool plMechanism_FactorMass(plMechanism* m, const double* M, double* P, double* L)
{
    const int n = m->n;
    memcpy(L, M, (size_t)(n * n) * sizeof *L);
    if (!plChol_Factor(L, n)) return false;
    if (m->route == pl_routeCholesky) return true;
    return plSymSqrt(&m->eigen, M, n, m->work[7], m->square[1], P);
}

void plMechanism_ApplyP(const plMechanism* m, const double* P, const double* v, double* xi)
{
    if (m->route == pl_routeCholesky) {
        plMatVecT(P, m->n, m->n, m->n, v, xi);
    } else {
        plMatVec(P, m->n, m->n, m->n, v, xi);
    }
}

// The square root is solved through its factors U, s of the last FactorMass at this P; those are
// not kept, so the symmetric root is factored again: M^(1/2) is positive definite.
void plMechanism_SolveP(const plMechanism* m, const double* P, const double* xi, double* v)
{
    const int n = m->n;
    memcpy(v, xi, (size_t)n * sizeof *v);
    if (m->route == pl_routeCholesky) {
        plChol_LowerT(P, n, v);
        return;
    }
    double* L = m->square[1];
    memcpy(L, P, (size_t)(n * n) * sizeof *L);
    if (plChol_Factor(L, n)) plChol_Solve(L, n, v);
}

// S = L (T - T^T) L^T.
static void skewByCholesky(plMechanism* m, const double* L, const double* C, double* S)
{
    const int n = m->n;
    double* X = m->square[0]; // rows of X: columns of L^-1 C, then rows of L^-1 C L^-T
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) X[j * n + i] = C[i * n + j];
        plChol_Lower(L, n, &X[j * n]);
    }
    double* Q = m->square[1];
    for (int i = 0; i < n; ++i) {
        double* row = &Q[i * n];
        for (int j = 0; j < n; ++j) row[j] = X[j * n + i];
        plChol_Lower(L, n, row);
        for (int j = i; j < n; ++j) row[j] = 0;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) Q[j * n + i] = -Q[i * n + j];
    }
    for (int i = 0; i < n; ++i) { // X = L Q
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k <= i; ++k) sum += L[i * n + k] * Q[k * n + j];
            X[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; ++i) { // S = X L^T; the upper triangle mirrors the lower one
        for (int j = 0; j < i; ++j) {
            double sum = 0;
            for (int k = 0; k <= j; ++k) sum += X[i * n + k] * L[j * n + k];
            S[i * n + j] = sum;
            S[j * n + i] = -sum;
        }
        S[i * n + i] = 0;
    }
}

// S = U [s_i Q_ij s_j] U^T with s_i Q_ij s_j = (c_ij s_j - c_ji s_i)/(s_i + s_j).
static bool skewByRoot(plMechanism* m, const double* M, const double* C, double* S)
{
    const int n = m->n;
    double *s = m->work[7], *U = m->square[1], *X = m->square[0];
    if (!plSymSqrt(&m->eigen, M, n, s, U, m->P)) return false;
    for (int i = 0; i < n; ++i) { // X = C U
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += C[i * n + k] * U[k * n + j];
            X[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; ++i) { // S = c = U^T X
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += U[k * n + i] * X[k * n + j];
            S[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double skew = (S[i * n + j] * s[j] - S[j * n + i] * s[i]) / (s[i] + s[j]);
            S[i * n + j] = skew;
            S[j * n + i] = -skew;
        }
        S[i * n + i] = 0;
    }
    for (int i = 0; i < n; ++i) { // X = U S
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += U[i * n + k] * S[k * n + j];
            X[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double sum = plDotN(&X[i * n], &U[j * n], n);
            S[i * n + j] = sum;
            S[j * n + i] = -sum;
        }
        S[i * n + i] = 0;
    }
    return true;
}

bool plMechanism_Skew(plMechanism* m, const double* M, const double* C, double* S)
{
    if (m->kind->constantMass) {
        memcpy(S, C, (size_t)(m->n * m->n) * sizeof *S);
        return true;
    }
    if (m->route == pl_routeSquareRoot) return skewByRoot(m, M, C, S);
    memcpy(m->P, M, (size_t)(m->n * m->n) * sizeof *M);
    if (!plChol_Factor(m->P, m->n)) return false;
    skewByCholesky(m, m->P, C, S);
    return true;
}
