// One step of a mechanism, whatever its integrator: begin, free motion, trial.
#include "mechanism/kind.h"

#include <string.h>

static bool isMidpoint(const plMechanism* m) { return m->integrator == pl_integratorMidpoint; }

static bool isImplicitMidpoint(const plMechanism* m)
{
    return m->integrator == pl_integratorImplicitMidpoint;
}

double plMechanism_Theta(const plMechanism* m)
{
    if (m->ops->theta) return m->ops->theta(m);
    if (isMidpoint(m) || isImplicitMidpoint(m)) return 0.5;
    return m->integrator == pl_integratorExplicit ? 0 : 1;
}

double plMechanism_Beta(const plMechanism* m)
{
    if (!isMidpoint(m) || m->pass.level < plLevelDamped) return 0;
    return 0.02 * pow(4, m->pass.level - plLevelDamped);
}

double plMechanism_Force(const plMechanism* m, int i)
{
    return m->applied[i] + m->G[i] + m->pull[i] + m->closing[i] - m->gradient[i];
}

void plMechanism_SolveStep(const plMechanism* m, double* b)
{
    if (isMidpoint(m)) {
        plMidpoint_Solve(m, b);
    } else {
        plLu_Solve(m->A, m->n, m->pivot, b);
    }
}

static void freePlaces(plMechanism* m)
{
    double* w = m->work[0];
    const double theta = plMechanism_Theta(m);
    for (int i = 0; i < m->n; ++i) w[i] = m->V0[i] + theta * (m->Vfree[i] - m->V0[i]);
    m->ops->move(m, m->q, m->pass.T, w, m->qfree);
    m->ops->place(m, m->qfree, m->free);
}

bool plMechanism_FreeStep(plMechanism* m)
{
    bool converged = true;
    if (isMidpoint(m)) {
        plMidpoint_Free(m);
    } else if (isImplicitMidpoint(m)) {
        converged = plImplicitMidpoint_Free(m);
    } else {
        converged = plEuler_Free(m);
    }
    freePlaces(m);
    return converged;
}

bool plMechanism_Begin(plMechanism* m, plPass pass)
{
    m->pass = pass;
    m->broken = m->singular;
    m->strikeWork = 0;
    return m->ops->begin(m);
}

bool plMechanism_BeginStep(plMechanism* m)
{
    const size_t bytes = (size_t)m->n * sizeof(double);
    const bool majorized = m->pass.level >= plLevelMajorized;
    plMechanism_SpringForces(m, majorized ? pl_actionSimple : m->action, m->gradient, m->D);
    plPotentials_Begin(m, majorized);
    plTendons_Begin(m);
    m->stiff = isMidpoint(m) && plMechanism_Hardness(m, m->K) > 15;
    plMechanism_Linearise(m);
    plMechanism_CloseBalance(m);
    memcpy(m->xi0, m->xi, bytes);
    if (plMechanism_Transformed(m)) {
        plMechanism_SolveP(m, m->P, m->xi0, m->V0);
    } else {
        memcpy(m->V0, m->v, bytes);
    }
    plMechanism_FindLast(m, m->way);
    if (m->integrator != pl_integratorSymplectic && !isImplicitMidpoint(m)) { // these factor A
        bool regular;
        if (isMidpoint(m)) {
            regular = plMidpoint_Inertia(m);
        } else {
            plEuler_Inertia(m);
            regular = plLu_Factor(m->A, m->n, m->pivot);
        }
        if (!regular) m->broken = true;
    }
    return plMechanism_FreeStep(m);
}

bool plMechanism_AdvanceStep(plMechanism* m, const plRow* rows, int count, const double* p)
{
    bool converged = true;
    (void)rows, (void)count, (void)p; // rowForce has them
    if (isMidpoint(m)) {
        plMidpoint_Advance(m);
    } else if (isImplicitMidpoint(m)) {
        converged = plImplicitMidpoint_Advance(m);
    } else {
        converged = plEuler_Advance(m);
    }
    m->ops->place(m, m->q1, m->end);
    return converged;
}
