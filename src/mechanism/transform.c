// The transformed equations of the midpoint integrator: xi = P v with M = P^T P, in which the mass
// is the identity and the Coriolis matrix Q skew.                               (pmi eq. 36-38)
//   Cholesky route     M = L L^T, P = L^T,  Q = T - T^T, T the strictly lower part of L^-1 C L^-T
//   square-root route  M = U s^2 U^T, P = U s U^T,
//                      U^T Q U = [(c_ij s_j - c_ji s_i)/(s_i s_j (s_i + s_j))], c = U^T C U
// Both are skew by construction. The step is solved for x = H v, M = H^T H: H = L^T = P, or H = s U^T
// and xi = U x. Between the two U's of M^1/2 the rows of P^-T K P^-1 would all be as large as that of
// the lightest motion, and so would be their round-off; behind U^T alone each row has its own size.
#include "mechanism/kind.h"

#include <string.h>

bool plMechanism_Transformed(const plMechanism* m)
{
    return m->integrator == pl_integratorMidpoint && !m->ops->constantMass;
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

void plMechanism_ToStep(const plMechanism* m, plFactor P, const double* xi, double* x)
{
    if (m->route == pl_routeCholesky) {
        memmove(x, xi, (size_t)m->n * sizeof *x);
    } else {
        plMatVecT(P.F, m->n, m->n, m->n, xi, x);
    }
}

void plMechanism_FromStep(const plMechanism* m, plFactor P, const double* x, double* xi)
{
    if (m->route == pl_routeCholesky) {
        memmove(xi, x, (size_t)m->n * sizeof *xi);
    } else {
        plMatVec(P.F, m->n, m->n, m->n, x, xi);
    }
}

void plMechanism_ApplyH(const plMechanism* m, plFactor P, const double* v, double* x)
{
    plMatVecT(P.F, m->n, m->n, m->n, v, x);
    if (m->route == pl_routeCholesky) return;
    for (int i = 0; i < m->n; ++i) x[i] *= P.s[i];
}

void plMechanism_SolveH(const plMechanism* m, plFactor P, const double* x, double* v)
{
    if (m->route == pl_routeCholesky) {
        memmove(v, x, (size_t)m->n * sizeof *v);
        plChol_LowerT(P.F, m->n, v);
        return;
    }
    double* half = m->work[7];
    for (int i = 0; i < m->n; ++i) half[i] = x[i] / P.s[i];
    plMatVec(P.F, m->n, m->n, m->n, half, v);
}

void plMechanism_SolveHT(const plMechanism* m, plFactor P, double* b)
{
    if (m->route == pl_routeCholesky) {
        plChol_Lower(P.F, m->n, b);
        return;
    }
    double* half = m->work[7];
    plMatVecT(P.F, m->n, m->n, m->n, b, half);
    for (int i = 0; i < m->n; ++i) b[i] = half[i] / P.s[i];
}

void plMechanism_ApplyP(const plMechanism* m, plFactor P, const double* v, double* xi)
{
    double* x = m->work[7];
    plMechanism_ApplyH(m, P, v, x);
    plMechanism_FromStep(m, P, x, xi);
}

void plMechanism_SolveP(const plMechanism* m, plFactor P, const double* xi, double* v)
{
    double* x = m->work[7];
    plMechanism_ToStep(m, P, xi, x);
    plMechanism_SolveH(m, P, x, v);
}

static void mirror(double* Q, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) Q[j * n + i] = -Q[i * n + j];
        Q[i * n + i] = 0;
    }
}

static void skewByCholesky(const plMechanism* m, const double* L, const double* C, double* Q)
{
    const int n = m->n;
    memcpy(Q, C, (size_t)(n * n) * sizeof *Q);
    plChol_LowerLeft(L, n, Q);
    plChol_LowerRight(L, n, Q, true);
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
}

bool plMechanism_Skew(plMechanism* m, const double* M, const double* C, plFactor P, double* Q)
{
    if (m->ops->constantMass) {
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
