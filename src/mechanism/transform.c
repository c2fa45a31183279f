// The transformed equations of the midpoint integrator: xi = P v with M = P^T P, in which the mass
// is the identity and the Coriolis matrix Q skew.                               (pmi eq. 36-38)
//   Cholesky route     M = L L^T, P = L^T,  Q = T - T^T, T the strictly lower part of L^-1 C L^-T
//   square-root route  M = U s^2 U^T, P = U s U^T,
//                      Q = U [(c_ij s_j - c_ji s_i)/(s_i s_j (s_i + s_j))] U^T, c = U^T C U
// Both are skew by construction.
#include "mechanism/kind.h"

#include <string.h>

bool plMechanism_Transformed(const plMechanism* m)
{
    return m->integrator == pl_integratorMidpoint && !m->kind->constantMass;
}

bool plMechanism_FactorMass(plMechanism* m, const double* M, plFactor P)
{
    const int n = m->n;
    if (m->route == pl_routeCholesky) {
        memcpy(P.F, M, (size_t)(n * n) * sizeof(double));
        return plChol_Factor(P.F, n);
    }
    if (!plEigen_Solve(&m->eigen, M, n, P.s, P.F)) return false;
    for (int i = 0; i < n; ++i) {
        if (!(P.s[i] > 0)) return false;
        P.s[i] = sqrt(P.s[i]);
    }
    return true;
}

// out = U s U^T x, or with 1/s; may be x.
static void rootPower(const plMechanism* m, plFactor P, bool inverse, const double* x, double* out)
{
    const int n = m->n;
    double* half = m->work[7];
    plMatVecT(P.F, n, n, n, x, half);
    for (int i = 0; i < n; ++i) half[i] = inverse ? half[i] / P.s[i] : half[i] * P.s[i];
    plMatVec(P.F, n, n, n, half, out);
}

void plMechanism_ApplyP(const plMechanism* m, plFactor P, const double* v, double* xi)
{
    if (m->route == pl_routeCholesky) {
        plMatVecT(P.F, m->n, m->n, m->n, v, xi);
    } else {
        rootPower(m, P, false, v, xi);
    }
}

void plMechanism_SolveP(const plMechanism* m, plFactor P, const double* xi, double* v)
{
    if (m->route == pl_routeCholesky) {
        memmove(v, xi, (size_t)m->n * sizeof *v);
        plChol_LowerT(P.F, m->n, v);
    } else {
        rootPower(m, P, true, xi, v);
    }
}

void plMechanism_SolvePT(const plMechanism* m, plFactor P, double* b)
{
    if (m->route == pl_routeCholesky) {
        plChol_Lower(P.F, m->n, b);
    } else {
        rootPower(m, P, true, b, b);
    }
}

static void mirror(double* Q, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) Q[j * n + i] = -Q[i * n + j];
        Q[i * n + i] = 0;
    }
}

static void skewByCholesky(plMechanism* m, const double* L, const double* C, double* Q)
{
    const int n = m->n;
    double* X = m->square[0]; // rows: columns of L^-1 C
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) X[j * n + i] = C[i * n + j];
        plChol_Lower(L, n, &X[j * n]);
    }
    for (int i = 0; i < n; ++i) { // rows of L^-1 C L^-T
        for (int j = 0; j < n; ++j) Q[i * n + j] = X[j * n + i];
        plChol_Lower(L, n, &Q[i * n]);
    }
    mirror(Q, n);
}

// X = A B or A^T B, n x n.
static void product(const double* A, bool transposed, const double* B, int n, double* X)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += A[transposed ? k * n + i : i * n + k] * B[k * n + j];
            X[i * n + j] = sum;
        }
    }
}

static void skewByRoot(plMechanism* m, plFactor P, const double* C, double* Q)
{
    const int n = m->n;
    double *X = m->square[0], *c = m->square[1];
    product(C, false, P.F, n, X);
    product(P.F, true, X, n, c);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double si = P.s[i], sj = P.s[j];
            Q[i * n + j] = (c[i * n + j] * sj - c[j * n + i] * si) / (si * sj * (si + sj));
        }
    }
    mirror(Q, n);
    product(P.F, false, Q, n, X);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) Q[i * n + j] = plDotN(&X[i * n], &P.F[j * n], n);
    }
    mirror(Q, n);
}

bool plMechanism_Skew(plMechanism* m, const double* M, const double* C, plFactor P, double* Q)
{
    if (m->kind->constantMass) {
        memcpy(Q, C, (size_t)(m->n * m->n) * sizeof *Q);
        return true;
    }
    if (!plMechanism_FactorMass(m, M, P)) return false;
    if (m->route == pl_routeSquareRoot) {
        skewByRoot(m, P, C, Q);
    } else {
        skewByCholesky(m, P.F, C, Q);
    }
    return true;
}
