// Where a step is linearised: the places for its rows, and the mass, Coriolis matrix and gravity for
// its equations.
#include "mechanism/kind.h"

#include <string.h>

// Largest T sqrt(K/M) of a coordinate.
double plMechanism_Hardness(const plMechanism* m, const double* K)
{
    double h = 0;
    if (m->limp) return 0;
    for (int i = 0; i < m->n; ++i) {
        const int k = i * m->n + i;
        h = fmax(h, m->pass.T * sqrt(fmax(0, K[k]) / m->Mk[k]));
    }
    return h;
}

// v* = v + a T/2 at the start: Q is linear in v*, so order 2 needs it. Where the springs are too
// hard for an explicit guess the same from the linearly implicit step.
static void predictVelocity(plMechanism* m, double* out)
{
    const int n = m->n;
    const double T = m->pass.T;
    double* L = m->square[0];
    const double* G = m->work[2];
    m->ops->gravity(m, &m->startChart, m->work[2]);
    for (int i = 0; i < n; ++i) {
        const double drag = m->undamped ? 0 : plDotN(&m->B[i * n], m->v, n);
        out[i] = T * (m->applied[i] + G[i] + m->pull[i] - m->gradient[i] - m->bias[i] - drag);
    }
    if (plMechanism_Hardness(m, m->D) > 1) {
        for (int i = 0; i < n; ++i) out[i] -= 0.5 * T * T * plDotN(&m->D[i * n], m->v, n);
        for (int i = 0; i < n * n; ++i) {
            const int t = i % n * n + i / n; // the transpose: symmetric parts
            L[i] = m->Mk[i] + 0.25 * T * (m->B[i] + m->B[t]) + 0.125 * T * T * (m->D[i] + m->D[t]);
        }
        if (plChol_Factor(L, n)) plChol_Solve(L, n, out);
    } else {
        plMechanism_SolveMass(m, out);
    }
    for (int i = 0; i < n; ++i) out[i] = m->v[i] + 0.5 * out[i];
}

void plPlaces_Copy(const plPlace* from, plPlace* to, int count)
{
    for (int b = 0; b < count; ++b) {
        double* own = to[b].modes;
        to[b] = from[b];
        to[b].modes = own;
        for (int k = 0; k < from[b].modeCount; ++k) own[k] = from[b].modes[k];
    }
}

// Places of the chart and of the coefficients; the velocity v* of the coefficients.
static void charts(plMechanism* m, double* vStar)
{
    const double T = m->pass.T;
    const double* v = m->v;
    double* angle = m->work[1];
    if (m->pass.at == pl_lineariseTrial) {
        memcpy(vStar, m->way, (size_t)m->n * sizeof *vStar);
        v = vStar;
    } else {
        predictVelocity(m, vStar);
        // behind hard springs T v is no guess of the way
        if (plMechanism_Hardness(m, m->D) > 1) v = vStar;
    }
    m->ops->move(m, m->q, 0.5 * T, v, m->work[0]);
    m->ops->place(m, m->work[0], m->middle);
    if (m->pass.at == pl_lineariseStart) {
        m->chart = m->startChart;
        memset(m->way, 0, (size_t)m->n * sizeof(double));
        return;
    }
    if (m->pass.at != pl_lineariseTrial) memcpy(m->way, v, (size_t)m->n * sizeof(double));
    const bool trial = m->pass.at == pl_lineariseTrial;
    if (trial) {
        plPlaces_Copy(m->end, m->last, m->parts);
        m->ops->turns(m, m->q, m->q1, angle);
        memcpy(m->qLast, m->q1, (size_t)m->positions * sizeof(double));
    } else {
        m->ops->move(m, m->q, T, v, m->work[0]);
        m->ops->place(m, m->work[0], m->last);
        m->ops->turns(m, m->q, m->work[0], angle);
        memcpy(m->qLast, m->work[0], (size_t)m->positions * sizeof(double));
    }
    // The ratio runs to infinity at pi, and would blow up forces where nothing can be linearised any
    // more: held at its value for 2 rad, 1.56; what that leaves shows as leak.
    for (int b = 0; b < m->parts; ++b) m->kappa[b] = plTanRatio(fmin(fabs(angle[b]), 2));
    m->chart = (plChart){m->start, m->last, m->middle, m->kappa, NULL};
    if (!m->ops->average) return;
    m->ops->average(m, &m->chart, m->averages);
    m->chart.averages = m->averages;
}

void plMechanism_FindLast(plMechanism* m, const double* way)
{
    const double theta = plMechanism_Theta(m);
    for (int i = 0; i < m->n; ++i) {
        m->Vlast[i] = theta > 0 ? m->V0[i] + (way[i] - m->V0[i]) / theta : m->V0[i];
    }
}

void plMechanism_Linearise(plMechanism* m)
{
    double* vStar = m->work[5];
    charts(m, vStar);
    const bool midpoint = m->integrator == pl_integratorMidpoint;
    const bool ahead = midpoint && m->coefficients == pl_coefficientsPredicted;
    const plPlace* at = ahead ? m->middle : m->start;
    m->ops->gravity(m, ahead ? &m->chart : &m->startChart, m->G);
    if (m->pass.frozen) return;
    m->ops->inertia(m, at, ahead ? vStar : m->v, m->M, m->A);
    if (!midpoint) {
        memcpy(m->S, m->A, (size_t)(m->n * m->n) * sizeof(double));
    } else if (!plMechanism_Skew(m, m->M, m->A, m->P, m->S)) {
        m->broken = true;
    }
}
