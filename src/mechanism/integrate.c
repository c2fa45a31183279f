// One step of a mechanism, whatever its integrator: begin, free motion, trial.
#include "mechanism/flesh.h"
#include "mechanism/jointed.h"

#include <string.h>

static bool isMidpoint(const plMechanism* m) { return m->integrator == pl_integratorMidpoint; }

static bool isImplicitMidpoint(const plMechanism* m)
{
    return m->integrator == pl_integratorImplicitMidpoint;
}

double plMechanism_Theta(const plMechanism* m)
{
    if (isMidpoint(m) || isImplicitMidpoint(m) || (m->jointed && !m->pass.follows)) return 0.5;
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
    m->kind->move(m, m->q, m->pass.T, w, m->qfree);
    m->kind->place(m, m->qfree, m->free);
}

bool plMechanism_FreeMotion(plMechanism* m)
{
    bool converged = true;
    if (m->jointed) {
        plJointed_Free(m);
        return true;
    }
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
    const size_t bytes = (size_t)m->n * sizeof(double);
    m->pass = pass;
    m->broken = m->singular;
    m->strikeWork = 0;
    if (m->target) {
        plPrescribed_Begin(m);
        return true;
    }
    if (m->jointed) return plJointed_Begin(m);
    plMechanism_SpringForces(m, pass.level >= plLevelMajorized ? pl_actionSimple : m->action,
                             m->gradient, m->D);
    plPotentials_Begin(m, pass.level >= plLevelMajorized);
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
    if (m->flesh) plFlesh_Begin(m);
    return plMechanism_FreeMotion(m);
}

bool plMechanism_AdvanceForced(plMechanism* m)
{
    bool converged = true;
    if (m->target) return true; // it is where it was told to be
    if (m->jointed) {
        plJointed_Advance(m);
        return true;
    }
    if (isMidpoint(m)) {
        plMidpoint_Advance(m);
    } else if (isImplicitMidpoint(m)) {
        converged = plImplicitMidpoint_Advance(m);
    } else {
        converged = plEuler_Advance(m);
    }
    m->kind->place(m, m->q1, m->end);
    return converged;
}
