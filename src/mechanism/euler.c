// The Euler integrators; f = applied + gravity - spring gradient at q_k.
//   explicit       A = M                       A dV = T (f - (C + B) V0)
//   semi-implicit  A = M + T B                 A dV = T (f - (C + B) V0)
//   implicit       A = M + T (C + B) + T^2 D   A V1 = M V0 + T f: behind a hard spring V1 << V0
//   symplectic     M V1 = M V0 + T (f + C(V1)^T V1 - B V1), v1 = M(q1)^-1 M V1      (pmi eq. 43)
// The symplectic one takes momenta at the end and positions at the start; C^T V is the gradient of
// the kinetic energy at fixed V.
#include "mechanism/kind.h"

#include <string.h>

void plEuler_Inertia(plMechanism* m)
{
    const double T = m->pass.T;
    for (int i = 0; i < m->n * m->n; ++i) {
        m->A[i] = m->M[i];
        if (m->integrator == pl_integratorSemiImplicit) m->A[i] += T * m->B[i];
        if (m->integrator == pl_integratorImplicit) {
            m->A[i] += T * (m->S[i] + m->B[i]) + T * T * m->D[i];
        }
    }
}

// c(V) = C(V)^T V, quadratic in V.
static void kineticGradient(plMechanism* m, const double* V, double* c)
{
    m->ops->inertia(m, m->start, V, NULL, m->square[1]);
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
    double *c = m->work[3], *F = m->work[4], last = INFINITY;
    for (int k = 0; k < iterations; ++k) {
        double change = 0, size = 0;
        kineticGradient(m, V, c);
        kineticHessian(m, V, c, m->A);
        for (int i = 0; i < n; ++i) {
            F[i] = -T * (plMechanism_Force(m, i) + c[i]) - rowForce[i];
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
            size = fmax(size, fmax(fabs(V[i]), fabs(m->V0[i]))); // V may pass through zero
        }
        // quadratic: the last change bounds the error, until round-off keeps it from falling
        if (change <= 1e-14 * size || (change <= 1e-9 * size && change > 0.5 * last)) return true;
        last = change;
    }
    return false;
}

// dV of the free motion of explicit and semi-implicit Euler.
static void freeChange(plMechanism* m)
{
    const int n = m->n;
    for (int i = 0; i < n; ++i) {
        double drag = 0;
        for (int j = 0; j < n; ++j) drag += (m->S[i * n + j] + m->B[i * n + j]) * m->V0[j];
        m->dVfree[i] = m->pass.T * (plMechanism_Force(m, i) - drag);
    }
    plLu_Solve(m->A, n, m->pivot, m->dVfree);
    for (int i = 0; i < n; ++i) m->Vfree[i] = m->V0[i] + m->dVfree[i];
}

bool plEuler_Free(plMechanism* m)
{
    const int n = m->n;
    bool converged = true;
    if (m->integrator == pl_integratorSymplectic) {
        memset(m->rowForce, 0, (size_t)n * sizeof(double));
        memcpy(m->Vfree, m->V0, (size_t)n * sizeof(double));
        converged = newton(m, m->rowForce, m->Vfree);
    } else if (m->integrator == pl_integratorImplicit) {
        for (int i = 0; i < n; ++i) {
            m->Vfree[i] = plDotN(&m->M[i * n], m->V0, n) + m->pass.T * plMechanism_Force(m, i);
        }
        plLu_Solve(m->A, n, m->pivot, m->Vfree);
    } else {
        freeChange(m);
        return true;
    }
    for (int i = 0; i < n; ++i) m->dVfree[i] = m->Vfree[i] - m->V0[i];
    return converged;
}

// Change of the end velocity under the rows' impulses.
static bool respond(plMechanism* m, double* dV)
{
    bool converged = true;
    memcpy(dV, m->rowForce, (size_t)m->n * sizeof *dV);
    plLu_Solve(m->A, m->n, m->pivot, dV);
    if (m->integrator == pl_integratorSymplectic) {
        double* V = m->work[5];
        for (int i = 0; i < m->n; ++i) V[i] = m->Vfree[i] + dV[i];
        converged = newton(m, m->rowForce, V);
        for (int i = 0; i < m->n; ++i) dV[i] = V[i] - m->Vfree[i];
    }
    return converged;
}

bool plEuler_Advance(plMechanism* m)
{
    const bool explicitWay = m->integrator == pl_integratorExplicit;
    const bool converged = respond(m, m->dV);
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] = m->Vfree[i] + m->dV[i];
        m->dV[i] += m->dVfree[i];
        m->mean[i] = 0.5 * (m->V0[i] + m->V1[i]);
        m->way[i] = explicitWay ? m->V0[i] : m->V1[i];
    }
    memcpy(m->v1, m->V1, (size_t)m->n * sizeof(double));
    m->ops->move(m, m->q, m->pass.T, m->way, m->q1);
    return converged;
}
