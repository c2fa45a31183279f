// The integrators, over M, C, springs and forces of any kind of mechanism. All but the symplectic
// one are one linear solve A dV = r, V1 = V0 + dV, f = applied + gravity - spring gradient at q_k:
//   midpoint       A = M + T/2 (S + B) + T^2/4 D   r = T (f - (S + B + T/2 D) V0)
//   explicit       A = M                           r = T (f - (C + B) V0)
//   semi-implicit  A = M + T B                     r = T (f - (C + B) V0)
//   implicit       A = M + T (C + B) + T^2 D       r = T (f - (C + B + T D) V0)
// and q1 = q (+) T (V0 + theta dV). The symplectic one solves, with momenta M V,
//   M V1 = M V0 + T (f + C(V1)^T V1 - B V1),   v1 = M(q1)^-1 M V1          (pmi eq. 43, p+ and q_k)
// since C^T V is the gradient of the kinetic energy at fixed V. S is skew (transform.c).
#include "mechanism/kind.h"

#include <string.h>

double plMechanism_Theta(const plMechanism* m)
{
    return m->integrator == pl_integratorMidpoint   ? 0.5
           : m->integrator == pl_integratorExplicit ? 0.0
                                                    : 1.0;
}

bool plMechanism_Transformed(const plMechanism* m)
{
    return m->integrator == pl_integratorMidpoint && !m->kind->constantMass;
}

double plMechanism_Beta(const plMechanism* m)
{
    if (m->integrator != pl_integratorMidpoint || m->pass.level < plLevelDamped) return 0;
    return 0.02 * pow(4, m->pass.level - plLevelDamped);
}

// Largest T sqrt(K/M) of a coordinate.
static double hardness(const plMechanism* m)
{
    double h = 0;
    for (int i = 0; i < m->n; ++i) {
        const double mass = m->Mk[i * m->n + i];
        h = fmax(h, m->pass.T * sqrt(m->K[i * m->n + i] / mass));
    }
    return h;
}

// v* = v + a T/2 at the start: Q is linear in v*, so order 2 needs it. Where the springs are too
// hard for an explicit guess the same from the linearly implicit step.
static void predictVelocity(plMechanism* m, double hard, double* out)
{
    const int n = m->n;
    const double T = m->pass.T;
    double* L = m->square[0];
    const double* G = m->work[2];
    m->kind->gravity(m, &m->startChart, m->work[2]);
    for (int i = 0; i < n; ++i) {
        out[i] = T * (m->applied[i] + G[i] - m->gradient[i] - m->bias[i] -
                      plDotN(&m->B[i * n], m->v, n));
    }
    if (hard > 1) {
        for (int i = 0; i < n; ++i) out[i] -= 0.5 * T * T * plDotN(&m->K[i * n], m->v, n);
        for (int i = 0; i < n * n; ++i) {
            const double b = 0.5 * (m->B[i] + m->B[i % n * n + i / n]);
            L[i] = m->Mk[i] + 0.5 * T * b + 0.25 * T * T * m->K[i];
        }
        if (plChol_Factor(L, n)) plChol_Solve(L, n, out);
    } else {
        plChol_Solve(m->Lk, n, out);
    }
    for (int i = 0; i < n; ++i) out[i] = m->v[i] + 0.5 * out[i];
}

// Places of the chart and of the coefficients; the velocity v* of the coefficients.
static void linearise(plMechanism* m, double hard, double* vStar)
{
    const double T = m->pass.T;
    const double* v = m->v;
    double* angle = m->work[1];
    if (m->pass.at == pl_lineariseTrial) {
        memcpy(vStar, m->way, (size_t)m->n * sizeof *vStar);
        v = vStar;
    } else {
        predictVelocity(m, hard, vStar);
    }
    m->kind->move(m, m->q, 0.5 * T, v, m->work[0]);
    m->kind->place(m, m->work[0], m->middle);
    if (m->pass.at == pl_lineariseStart) {
        m->chart = m->startChart;
        return;
    }
    const bool trial = m->pass.at == pl_lineariseTrial;
    if (trial) {
        memcpy(m->last, m->end, (size_t)m->parts * sizeof *m->last);
        m->kind->turns(m, m->q, m->q1, angle);
    } else {
        m->kind->move(m, m->q, T, v, m->work[0]);
        m->kind->place(m, m->work[0], m->last);
        m->kind->turns(m, m->q, m->work[0], angle);
    }
    // beyond 3 rad in a step the ratio runs to infinity; what it leaves shows as leak
    for (int b = 0; b < m->parts; ++b) m->kappa[b] = plTanRatio(fmin(fabs(angle[b]), 3));
    m->chart = (plChart){m->start, m->last, m->middle, m->kappa};
}

static void coefficients(plMechanism* m, double* vStar)
{
    const bool midpoint = m->integrator == pl_integratorMidpoint;
    const bool ahead = midpoint && m->coefficients == pl_coefficientsPredicted;
    const plPlace* at = ahead ? m->middle : m->start;
    m->kind->gravity(m, ahead ? &m->chart : &m->startChart, m->G);
    m->kind->inertia(m, at, ahead ? vStar : m->v, m->M, m->A);
    if (!midpoint) {
        memcpy(m->S, m->A, (size_t)(m->n * m->n) * sizeof(double));
    } else if (!plMechanism_Skew(m, m->M, m->A, m->S)) {
        m->broken = true;
    }
}

static void inertiaOfStep(plMechanism* m)
{
    const double T = m->pass.T, beta = plMechanism_Beta(m);
    for (int i = 0; i < m->n * m->n; ++i) {
        const double M = m->M[i], C = m->S[i], B = m->B[i], D = m->D[i];
        switch (m->integrator) {
        case pl_integratorMidpoint:
            m->A[i] = (1 + beta) * M + 0.5 * T * (C + B) + 0.25 * T * T * D;
            break;
        case pl_integratorImplicit:
            m->A[i] = M + T * (C + B) + T * T * D;
            break;
        case pl_integratorSemiImplicit:
            m->A[i] = M + T * B;
            break;
        default:
            m->A[i] = M;
            break;
        }
    }
    if (!plLu_Factor(m->A, m->n, m->pivot)) m->broken = true;
}

static double force(const plMechanism* m, int i)
{
    return m->applied[i] + m->G[i] - m->gradient[i];
}

// A linear spring pulls with K (y + T/2 V0) in one product: the rounding of K y and of (T/2 K) V0
// apart would not average out over an oscillation, and the energy would drift by 5e-17 a step.
static void rightSide(const plMechanism* m, double* r)
{
    const int n = m->n;
    const double T = m->pass.T, beta = 2 * plMechanism_Beta(m) / T;
    const double share = m->integrator == pl_integratorMidpoint   ? 0.5 * T
                         : m->integrator == pl_integratorImplicit ? T
                                                                  : 0;
    double* y = m->work[0];
    plMechanism_Deflection(m, m->q, y);
    for (int i = 0; i < n; ++i) y[i] += m->place[i] < 0 ? 0 : share * m->V0[i];
    for (int i = 0; i < n; ++i) {
        const bool turn = m->place[i] < 0;
        double drag = turn ? m->gradient[i] : 0;
        for (int j = 0; j < n; ++j) {
            const int k = i * n + j;
            drag += (m->S[k] + m->B[k] + beta * m->M[k]) * m->V0[j];
            drag += turn ? share * m->D[k] * m->V0[j] : m->K[k] * y[j];
        }
        r[i] = T * (m->applied[i] + m->G[i] - drag);
    }
}

// c(V) = C(V)^T V, quadratic in V.
static void kineticGradient(plMechanism* m, const double* V, double* c)
{
    m->kind->inertia(m, m->start, V, NULL, m->square[1]);
    plMatVecT(m->square[1], m->n, m->n, m->n, V, c);
}

// Derivative of c at V, exact by polarisation: D c(V) e = (c(V + s e) - c(V) - c(s e))/s.
static void kineticHessian(plMechanism* m, const double* V, const double* c, double* H)
{
    const int n = m->n;
    double *x = m->work[0], *cx = m->work[1], *ce = m->work[2], s = 0;
    for (int i = 0; i < n; ++i) s = fmax(s, fabs(V[i]));
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    if (s == 0 || !isfinite(s)) return;
    for (int j = 0; j < n; ++j) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = s;
        kineticGradient(m, x, ce);
        for (int i = 0; i < n; ++i) x[i] += V[i];
        kineticGradient(m, x, cx);
        for (int i = 0; i < n; ++i) H[i * n + j] = (cx[i] - c[i] - ce[i]) / s;
    }
}

// F(V) = M (V - V0) - T (f + c(V) - B V) - rowForce = 0, from the guess in V; leaves A = F'(V).
static bool newton(plMechanism* m, const double* rowForce, double* V)
{
    enum { iterations = 12 };
    const int n = m->n;
    const double T = m->pass.T;
    double *c = m->work[3], *F = m->work[4];
    for (int k = 0; k < iterations; ++k) {
        double change = 0, size = 0;
        kineticGradient(m, V, c);
        kineticHessian(m, V, c, m->A);
        for (int i = 0; i < n; ++i) {
            F[i] = -T * (force(m, i) + c[i]) - rowForce[i];
            for (int j = 0; j < n; ++j) {
                const int at = i * n + j;
                F[i] += m->M[at] * (V[j] - m->V0[j]) + T * m->B[at] * V[j];
                m->A[at] = m->M[at] - T * (m->A[at] - m->B[at]);
            }
        }
        if (!plLu_Factor(m->A, n, m->pivot)) {
            m->broken = true;
            return false;
        }
        plLu_Solve(m->A, n, m->pivot, F);
        for (int i = 0; i < n; ++i) {
            V[i] -= F[i];
            change = fmax(change, fabs(F[i]));
            size = fmax(size, fabs(V[i]));
        }
        if (change <= 1e-14 * size) return true; // quadratic: the last change bounds the error
    }
    return false;
}

static void freePlaces(plMechanism* m)
{
    double* w = m->work[0];
    const double theta = plMechanism_Theta(m);
    for (int i = 0; i < m->n; ++i) w[i] = m->V0[i] + theta * (m->Vfree[i] - m->V0[i]);
    m->kind->move(m, m->q, m->pass.T, w, m->qfree);
    m->kind->place(m, m->qfree, m->free);
}

bool plMechanism_FreeMotion(plMechanism* m)
{
    bool converged = true;
    if (m->integrator == pl_integratorSymplectic) {
        memset(m->rowForce, 0, (size_t)m->n * sizeof(double));
        memcpy(m->Vfree, m->V0, (size_t)m->n * sizeof(double));
        converged = newton(m, m->rowForce, m->Vfree);
    } else {
        rightSide(m, m->dVfree);
        plLu_Solve(m->A, m->n, m->pivot, m->dVfree);
        for (int i = 0; i < m->n; ++i) m->Vfree[i] = m->V0[i] + m->dVfree[i];
    }
    freePlaces(m);
    return converged;
}

bool plMechanism_Begin(plMechanism* m, plPass pass)
{
    const size_t bytes = (size_t)m->n * sizeof(double);
    double* vStar = m->work[5];
    m->pass = pass;
    m->broken = m->singular;
    m->strikeWork = 0;
    plMechanism_SpringForces(m, pass.level >= plLevelMajorized ? pl_actionSimple : m->action,
                             m->gradient, m->D);
    const double hard = hardness(m);
    m->stiff = m->integrator == pl_integratorMidpoint && hard > 15;
    linearise(m, hard, vStar);
    coefficients(m, vStar);
    memcpy(m->xi0, m->xi, bytes);
    if (plMechanism_Transformed(m)) {
        plMechanism_SolveP(m, m->P, m->xi0, m->V0);
    } else {
        memcpy(m->V0, m->v, bytes);
    }
    if (m->integrator != pl_integratorSymplectic) inertiaOfStep(m);
    return plMechanism_FreeMotion(m);
}

// Positions of the mean, y^ = y + T/2 V^, solved for themselves: in y + T/2 V^ a hard spring would
// cancel all digits. V^ solves A V^ = M V0 + (T f + J^T p)/2.                  (pmi spec 1)
static void reflect(plMechanism* m)
{
    double* mean = m->mean;
    const int n = m->n;
    const double T = m->pass.T, beta = plMechanism_Beta(m);
    double *y = m->work[1], *yMean = m->work[2], *Ky = m->work[3];
    plMechanism_Deflection(m, m->q, y);
    plMatVec(m->K, n, n, n, y, Ky);
    for (int i = 0; i < n; ++i) {
        const double push = plDotN(&m->M[i * n], m->V0, n) + 0.5 * m->rowForce[i];
        mean[i] = push + 0.5 * T * force(m, i);
        yMean[i] = 0.5 * T * (push + 0.5 * T * (force(m, i) + Ky[i]));
        for (int j = 0; j < n; ++j) {
            const int k = i * n + j;
            yMean[i] += ((1 + beta) * m->M[k] + 0.5 * T * (m->S[k] + m->B[k])) * y[j];
        }
    }
    plLu_Solve(m->A, n, m->pivot, mean);
    plLu_Solve(m->A, n, m->pivot, yMean);
    for (int i = 0; i < n; ++i) {
        m->way[i] = mean[i];
        m->V1[i] = 2 * mean[i] - m->V0[i];
        m->dV[i] = 2 * (mean[i] - m->V0[i]);
    }
    m->kind->move(m, m->q, T, mean, m->q1);
    for (int i = 0; i < n; ++i) {
        if (m->place[i] >= 0) m->q1[m->place[i]] = m->rest[i] + (2 * yMean[i] - y[i]);
    }
}

static void increment(plMechanism* m)
{
    const double theta = plMechanism_Theta(m);
    if (m->integrator != pl_integratorSymplectic) {
        memcpy(m->dV, m->rowForce, (size_t)m->n * sizeof(double));
        plLu_Solve(m->A, m->n, m->pivot, m->dV);
        for (int i = 0; i < m->n; ++i) m->dV[i] += m->dVfree[i];
    }
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] = m->V0[i] + m->dV[i];
        m->mean[i] = m->V0[i] + 0.5 * m->dV[i];
        m->way[i] = m->V0[i] + theta * m->dV[i];
    }
    m->kind->move(m, m->q, m->pass.T, m->way, m->q1);
}

static bool advanceMomenta(plMechanism* m)
{
    double* V = m->work[5];
    memcpy(V, m->rowForce, (size_t)m->n * sizeof *V);
    plLu_Solve(m->A, m->n, m->pivot, V);
    for (int i = 0; i < m->n; ++i) V[i] += m->Vfree[i];
    const bool converged = newton(m, m->rowForce, V);
    for (int i = 0; i < m->n; ++i) m->dV[i] = V[i] - m->V0[i];
    return converged;
}

bool plMechanism_AdvanceForced(plMechanism* m)
{
    double* change = m->work[5];
    bool converged = true;
    if (m->integrator == pl_integratorSymplectic) converged = advanceMomenta(m);
    if (m->stiff) {
        reflect(m);
    } else {
        increment(m);
    }
    m->kind->place(m, m->q1, m->end);
    memcpy(m->v1, m->V1, (size_t)m->n * sizeof(double));
    memcpy(m->xi1, m->V1, (size_t)m->n * sizeof(double));
    if (!plMechanism_Transformed(m)) return converged;
    plMechanism_ApplyP(m, m->P, m->stiff ? m->mean : m->dV, change);
    for (int i = 0; i < m->n; ++i) {
        m->xi1[i] = m->stiff ? 2 * change[i] - m->xi0[i] : m->xi0[i] + change[i];
    }
    return converged;
}
