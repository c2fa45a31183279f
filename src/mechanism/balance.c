// The balance of a step: what each owner gave, each from its own formula. With mean = (V0 + V1)/2
// the change of kinetic energy is mean.M (V1 - V0), plus what the change of M in the step brings to
// integrators that do not transform. The forces of a step do work on mean; what differs from the
// true change of a potential, or from T mean.B mean of a damper, is the integrator's (or, for the
// midpoint's curved potentials, a leak).
#include "mechanism/kind.h"

#include <string.h>

// Midpoint: linear springs are exact by algebra, constant gravity too. Springs on rotations and the
// gravity of a chain act by a linear model of the step, and leak what the model misses.
static double midpointLeak(const plMechanism* m, const double* mean)
{
    const double T = m->pass.T;
    double leak = plPotentials_Leak(m, mean);
    if (m->hasTurnSprings) {
        leak += m->ops->turnEnergy(m, m->q1) - m->ops->turnEnergy(m, m->q);
        for (int i = 0; i < m->n; ++i) {
            if (m->place[i] >= 0) continue;
            leak -= T * mean[i] * (m->gradient[i] + 0.5 * T * plDotN(&m->D[i * m->n], mean, m->n));
        }
    }
    if (!m->ops->constantGravity && plDot(m->gravity, m->gravity) > 0) {
        leak += m->ops->gravityEnergy(m, m->end) - m->ops->gravityEnergy(m, m->start);
        leak += T * plDotN(m->G, mean, m->n);
    }
    return leak + T * plDotN(m->closing, mean, m->n);
}

double plMechanism_Leak(const plMechanism* m)
{
    return plMechanism_Exact(m) ? midpointLeak(m, m->mean) : 0;
}

// What the model of the pass would miss on the motion of the last trial, as a force along that motion (Gonzalez 1996),
// in the metric of the mass: once the trial repeats itself, nothing is missed. Where shifts and turns
// are separate, springs act on turns alone, and leave the momentum as it is.
void plMechanism_CloseBalance(plMechanism* m)
{
    const int n = m->n, first = m->ops->separate ? 3 : 0;
    const double most = 0.1; // of the kinetic energy: more is no correction any more
    double* momentum = m->work[0];
    for (int i = 0; i < n; ++i) m->closing[i] = 0;
    if (!m->pass.closes || m->pass.at != pl_lineariseTrial) return;
    const double missed = midpointLeak(m, m->way);
    double square = 0;
    for (int i = first; i < n; ++i) {
        momentum[i] = plDotN(&m->M[i * n + first], m->way + first, n - first);
        square += momentum[i] * m->way[i];
    }
    if (!(fabs(missed) <= most * square) || square == 0) return;
    for (int i = first; i < n; ++i) m->closing[i] = -missed / (m->pass.T * square) * momentum[i];
}

double plMechanism_Unbalanced(const plMechanism* m)
{
    const int n = m->n;
    double leak = 0;
    for (int i = 0; i < n && m->hasGeometric; ++i) {
        for (int j = 0; j < n; ++j) {
            leak -= 0.5 * m->mean[i] * m->geometric[i * n + j] * (m->V1[j] - m->Vlast[j]);
        }
    }
    return leak;
}

// Work of the spring and gravity forces of the step, and the change of their potentials.
static double potentialGain(const plMechanism* m, const double* mean)
{
    const double T = m->pass.T;
    double gain = plMechanism_LinearChange(m) + m->ops->turnEnergy(m, m->q1) -
                  m->ops->turnEnergy(m, m->q) + m->ops->gravityEnergy(m, m->end) -
                  m->ops->gravityEnergy(m, m->start) + plPotentials_Energy(m, m->q1) -
                  plPotentials_Energy(m, m->q);
    gain += T * (plDotN(m->G, mean, m->n) - plDotN(m->gradient, mean, m->n));
    if (m->tendons.count > 0) {
        gain += T * (plDotN(m->pull, mean, m->n) - plDotN(m->pull, m->way, m->n));
    }
    if (m->integrator == pl_integratorImplicit) {
        gain -= T * T * plQuadN(mean, m->D, m->V1, m->n);
    }
    return gain;
}

// Work of the Coriolis force of the step, and the kinetic energy that the change of M brings.
static double inertiaGain(plMechanism* m, const double* mean, const double* M1)
{
    const int n = m->n;
    const double T = m->pass.T;
    if (m->integrator == pl_integratorImplicitMidpoint) {
        // C^T v^ as the step took it, halfway; p1 v1/2 - p0 v0/2 against the work of p1 - p0
        double *C = m->square[1], *p = m->work[0];
        double gain = 0;
        m->ops->move(m, m->q, 0.5 * T, mean, m->qfree);
        m->ops->place(m, m->qfree, m->last);
        m->ops->inertia(m, m->last, mean, NULL, C);
        gain += T * plQuadN(mean, C, mean, n);
        plMatVec(m->Mk, n, n, n, m->V0, p);
        for (int i = 0; i < n; ++i) {
            gain += 0.5 * (m->xi1[i] * (m->v1[i] - mean[i]) + p[i] * (mean[i] - m->V0[i]) -
                           mean[i] * (m->xi1[i] - p[i]));
        }
        return gain;
    }
    if (m->integrator == pl_integratorSymplectic) {
        double* C = m->square[1];
        m->ops->inertia(m, m->start, m->V1, NULL, C);
        double gain = T * plQuadN(m->V1, C, mean, n); // mean.C^T V1
        for (int i = 0; i < n; ++i) {                 // V1.M (v1 - V1)/2, v1 = M1^-1 M V1
            gain += 0.5 * plDotN(&m->M[i * n], m->V1, n) * (m->v1[i] - m->V1[i]);
        }
        return gain;
    }
    const double* used = m->integrator == pl_integratorImplicit ? m->V1 : m->V0;
    double gain = -T * plQuadN(mean, m->S, used, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            gain += 0.5 * m->V1[i] * (M1[i * n + j] - m->M[i * n + j]) * m->V1[j];
        }
    }
    return gain;
}

static double integratorGain(plMechanism* m, const double* mean, const double* M1)
{
    const double* used = m->integrator == pl_integratorExplicit           ? m->V0
                         : m->integrator == pl_integratorImplicitMidpoint ? mean
                                                                          : m->V1;
    const double damping =
        m->pass.T * (plQuadN(mean, m->B, mean, m->n) - plQuadN(mean, m->B, used, m->n));
    return potentialGain(m, mean) + inertiaGain(m, mean, M1) + damping;
}

// Kinetic energy of the trial; the symplectic integrator finds its velocity from the momentum here.
static double endKinetic(plMechanism* m, double* M1)
{
    const int n = m->n;
    if (plMechanism_Transformed(m)) return 0.5 * plDotN(m->xi1, m->xi1, n);
    if (m->ops->constantMass && m->integrator == pl_integratorMidpoint) {
        return plMechanism_KineticOf(m, m->Mk, m->v1);
    }
    m->ops->inertia(m, m->end, m->V1, M1, NULL);
    const bool implicit = m->integrator == pl_integratorImplicitMidpoint;
    if ((m->integrator != pl_integratorSymplectic && !implicit) || m->ops->constantMass) {
        return plMechanism_KineticOf(m, M1, m->v1);
    }
    double* L = m->square[1];
    for (int i = 0; i < n * n; ++i) L[i] = M1[i];
    if (implicit) {
        memcpy(m->v1, m->xi1, (size_t)n * sizeof(double));
    } else {
        plMatVec(m->M, n, n, n, m->V1, m->v1);
    }
    if (plChol_Factor(L, n)) {
        plChol_Solve(L, n, m->v1);
    } else {
        m->broken = true;
    }
    return 0.5 * plQuadN(m->v1, M1, m->v1, n);
}

// V^.M V^ of the mean velocity, on xi where the state is xi.
static double meanSquare(const plMechanism* m)
{
    double sum = 0;
    if (!plMechanism_Transformed(m)) return plQuadN(m->mean, m->M, m->mean, m->n);
    for (int i = 0; i < m->n; ++i) {
        const double x = 0.5 * (m->xi0[i] + m->xi1[i]);
        sum += x * x;
    }
    return sum;
}

void plMechanism_Audit(plMechanism* m, plEnergy* e) { m->ops->audit(m, e); }

void plMechanism_AuditStep(plMechanism* m, plEnergy* e)
{
    const int n = m->n;
    const double T = m->pass.T;
    const double* mean = m->mean;
    double* M1 = m->square[0];
    const double elastic0 = plMechanism_Elastic(m, m->q, m->tendons.theta);
    double lost = m->undamped ? 0 : T * plQuadN(mean, m->B, mean, n);
    if (plMechanism_Beta(m) > 0) lost += 2 * plMechanism_Beta(m) * meanSquare(m);
    *e = (plEnergy){.kinetic0 = plMechanism_Kinetic(m),
                    .potential0 = plMechanism_PotentialWith(m, elastic0),
                    .elastic0 = elastic0,
                    .kinetic1 = endKinetic(m, M1),
                    .potential1 = plMechanism_Elastic(m, m->q1, m->tendons.theta1) +
                                  m->ops->gravityEnergy(m, m->end),
                    .applied = T * plDotN(m->applied, mean, n) + plTendons_MotorWork(m),
                    .rows = plDotN(m->rowForce, mean, n) + m->strikeWork,
                    .dissipated = lost};
    if (m->integrator == pl_integratorMidpoint) {
        e->leak = midpointLeak(m, mean) + plMechanism_Unbalanced(m);
    } else {
        e->integrator = integratorGain(m, mean, M1);
    }
}
