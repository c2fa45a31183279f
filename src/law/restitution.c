// The collision map: v0 = J qd0 -> impulses p on n normal rows, qd = qd0 + D^-1 J^T p.
//
// With A = J D^-1 J^T the equality v = -e v0 at all closing contacts gives
//   p = -A^+ (1 + e) v0                                                       (iapb eq. 15, 20)
// and for one common e in [-1, 1] the kinetic energy
//   KE = KE0 - 1/2 (1 - e^2) v0^T A^+ v0                  (iapb eq. 24; the print lacks the 1/2)
// so it never grows, for any rank and any truncation of A^+. It can grow when e differs from contact
// to contact: dKE = 1/2 v0^T (E A^-1 E - A^-1) v0. Then plRestitution_Passive is the answer.
#include "law/law.h"

// Eigenvalues not above this part of the largest are dropped: redundant contacts then share their
// impulse evenly, and J^T p is the same for every generalised inverse.            (iapb spec 0.2)
static const double rankTolerance = 1e-9;

static int equality(const double* A, const double* v0, const double* e, int n, double* p,
                    plLawWork* w)
{
    for (int i = 0; i < n; ++i) p[i] = -(1 + e[i]) * v0[i];
    return plPseudoSolve(&w->eigen, A, n, rankTolerance, p, p, w->lambda, w->U);
}

// 0 <= z | A z + q >= 0, q = w->lcp.q.
static bool solvePushes(const double* A, int n, plLawWork* w)
{
    plLcpReport report;
    w->lcp.n = n;
    w->lcp.budget = &w->budget;
    for (int i = 0; i < n * n; ++i) w->lcp.M[i] = A[i];
    return plLcp_Solve(&w->lcp, &report) == pl_lcpSolved;
}

// 0 <= p | A p + (1 + e) v0 >= 0. Unlike the equality it never pulls; it lets contacts open faster
// than -e v0. With a common e, p^T A p = -(1 + e) p^T v0, and the work
//   p^T (v0 + v)/2 = p^T v0 + p^T A p/2 = -(1 - e)/(2 (1 + e)) p^T A p <= 0.
static int complementarity(const double* A, const double* v0, const double* e, int n, double* p,
                           plLawWork* w)
{
    for (int i = 0; i < n; ++i) w->lcp.q[i] = (1 + e[i]) * v0[i];
    if (!solvePushes(A, n, w)) return -1;
    int pushing = 0;
    for (int i = 0; i < n; ++i) {
        p[i] = w->lcp.z[i];
        pushing += p[i] > 0;
    }
    return pushing;
}

// Poisson's hypothesis: restitution gives back e times the impulse of the compression, contact by contact.
//   0 <= c | v1 = v0 + A c >= 0,   0 <= z | v1 + A (e c + z) >= 0,   p = c + e c + z
// With a common e and no contact that opens on the way it is complementarity.
static int poisson(const double* A, const double* v0, const double* e, int n, double* p,
                   plLawWork* w)
{
    int pushing = 0;
    for (int i = 0; i < n; ++i) w->lcp.q[i] = v0[i];
    if (!solvePushes(A, n, w)) return -1;
    for (int i = 0; i < n; ++i) p[i] = (1 + e[i]) * w->lcp.z[i];
    for (int i = 0; i < n; ++i) w->lcp.q[i] = v0[i] + plDotN(&A[i * n], p, n);
    if (!solvePushes(A, n, w)) return -1;
    for (int i = 0; i < n; ++i) {
        p[i] += w->lcp.z[i];
        pushing += p[i] > 0;
    }
    return pushing;
}

int plRestitution_Impulses(plCollision rule, const double* A, const double* v0, const double* e,
                           int n, double* p, plLawWork* w)
{
    PL_ASSERT(n <= w->eigen.n && n <= w->lcp.capacity);
    switch (rule) {
    case pl_collisionEquality:
        return equality(A, v0, e, n, p, w);
    case pl_collisionPoisson:
        return poisson(A, v0, e, n, p, w);
    default:
        return complementarity(A, v0, e, n, p, w);
    }
}

// dKE(s) = s p^T v0 + s^2 p^T A p/2 is at most zero up to s = -2 p^T v0/(p^T A p).
double plRestitution_Passive(const double* A, const double* v0, int n, double* p)
{
    double pv = 0, pAp = 0;
    for (int i = 0; i < n; ++i) {
        pv += p[i] * v0[i];
        pAp += p[i] * plDotN(&A[i * n], p, n);
    }
    double s = 1;
    if (pv >= 0) s = 0;
    if (pv < 0 && pAp > 0) s = fmin(1, -2 * pv / pAp);
    for (int i = 0; i < n; ++i) p[i] *= s;
    return s;
}
