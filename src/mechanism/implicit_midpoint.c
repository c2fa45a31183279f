// The implicit midpoint rule in momenta, p = M(q) v, to compare with.                       (pmi eq. 44)
// With v^ the velocity of the step and q^ = q (+) T/2 v^, both halfway,
//     M(q^) v^ = p0 + T/2 (f(q^) + C(q^, v^)^T v^ - B v^) + J^T p/2
//     q1 = q (+) T v^,   p1 = 2 M(q^) v^ - p0,   v1 = M(q1)^-1 p1
// C^T v is the gradient of the kinetic energy at fixed v, and f that of the potentials where the step is
// halfway: nothing of it is linear, and Newton's method solves it. For joints of one axis p and q are
// canonical, and the map is symplectic. V1 = 2 v^ - V0, so that the mean of the step is v^; A gives
// dV/dp. gradient, G and xi1 keep what was used: forces halfway, and p1.
#include "mechanism/kind.h"

#include <string.h>

typedef struct {
    plPlace* places; ///< scratch
    double* p0;
    double* F; ///< what is left of the equation
    double* x;
} Work;

// What is left for v; M(q^) v in `momentum`.
static void residual(plMechanism* m, const Work* w, const double* v, double* momentum, double* F)
{
    const int n = m->n;
    const double T = m->pass.T;
    double *M = m->square[0], *C = m->square[1], *c = m->work[1];
    const plChart chart = {w->places, w->places, w->places, NULL, NULL};
    m->ops->move(m, m->q, 0.5 * T, v, m->qfree);
    m->ops->place(m, m->qfree, w->places);
    m->ops->inertia(m, w->places, v, M, C);
    plMatVec(M, n, n, n, v, momentum);
    plMatVecT(C, n, n, n, v, c);
    m->ops->gravity(m, &chart, m->G);
    if (!m->limp) {
        plMechanism_Deflection(m, m->qfree, F); // free until the end
        plMatVec(m->K, n, n, n, F, m->gradient);
        if (m->hasTurnSprings) m->ops->turnSprings(m, m->qfree, m->action, m->gradient, C);
        plPotentials_AddGradient(m, m->qfree, m->gradient);
    }
    for (int i = 0; i < n; ++i) {
        const double drag = plDotN(&m->B[i * n], v, n);
        F[i] = momentum[i] - w->p0[i] - 0.5 * m->rowForce[i] -
               0.5 * T * (plMechanism_Force(m, i) + c[i] - drag);
    }
}

// A = dF/dv by differences: what they miss costs Newton a round.
static bool differentiate(plMechanism* m, const Work* w, const double* v)
{
    const int n = m->n;
    double *shifted = w->x, *momentum = m->work[6], *F = m->work[7], size = 0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(v[i]));
    const double step = 1e-7 * fmax(size, 1e-3);
    memcpy(shifted, v, (size_t)n * sizeof *v);
    for (int j = 0; j < n; ++j) {
        shifted[j] = v[j] + step;
        residual(m, w, shifted, momentum, F);
        for (int i = 0; i < n; ++i) m->A[i * n + j] = (F[i] - w->F[i]) / (shifted[j] - v[j]);
        shifted[j] = v[j];
    }
    if (!plLu_Factor(m->A, n, m->pivot)) m->broken = true;
    return !m->broken;
}

// v^ from the guess in it; p1 in xi1. A is that of the first round, or of a later one where that is too far off.
static bool solve(plMechanism* m, bool free, double* v)
{
    enum { rounds = 16 };
    const int n = m->n;
    Work w = {free ? m->free : m->end, m->work[2], m->work[3], m->work[4]};
    double last = HUGE_VAL;
    bool done = false, far = true;
    plMatVec(m->Mk, n, n, n, m->V0, w.p0);
    for (int k = 0; k < rounds && !done; ++k) {
        double change = 0, size = 0;
        residual(m, &w, v, m->xi1, w.F);
        if (far && !differentiate(m, &w, v)) return false;
        plLu_Solve(m->A, n, m->pivot, w.F);
        for (int i = 0; i < n; ++i) {
            v[i] -= w.F[i];
            change = fmax(change, fabs(w.F[i]));
            size = fmax(size, fmax(fabs(v[i]), fabs(m->V0[i])));
        }
        done = change <= 1e-15 * size || (change <= 1e-9 * size && change > 0.5 * last);
        far = change > 0.1 * last;
        last = change;
    }
    residual(m, &w, v, m->xi1, w.F);
    if (free && !differentiate(m, &w, v)) return false; // how rows will answer
    residual(m, &w, v, m->xi1, w.F);
    for (int i = 0; i < n; ++i) m->xi1[i] = 2 * m->xi1[i] - w.p0[i];
    return done;
}

bool plImplicitMidpoint_Free(plMechanism* m)
{
    const int n = m->n;
    double* v = m->work[5];
    memset(m->rowForce, 0, (size_t)n * sizeof(double));
    memcpy(v, m->V0, (size_t)n * sizeof(double));
    const bool converged = solve(m, true, v);
    for (int i = 0; i < n; ++i) {
        m->dVfree[i] = 2 * (v[i] - m->V0[i]);
        m->Vfree[i] = m->V0[i] + m->dVfree[i];
    }
    return converged;
}

bool plImplicitMidpoint_Advance(plMechanism* m)
{
    const int n = m->n;
    double* v = m->mean;
    memcpy(m->dV, m->rowForce, (size_t)n * sizeof(double));
    plLu_Solve(m->A, n, m->pivot, m->dV);
    for (int i = 0; i < n; ++i) v[i] = m->V0[i] + 0.5 * (m->dVfree[i] + m->dV[i]);
    const bool converged = solve(m, false, v);
    for (int i = 0; i < n; ++i) {
        m->dV[i] = 2 * (v[i] - m->V0[i]);
        m->V1[i] = m->V0[i] + m->dV[i];
    }
    memcpy(m->way, v, (size_t)n * sizeof(double));
    memcpy(m->v1, m->V1, (size_t)n * sizeof(double));
    m->ops->move(m, m->q, m->pass.T, v, m->q1);
    return converged;
}
