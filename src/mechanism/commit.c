// How a trial ends, for all kinds: braked, kept, taken back, or standing still; and the energy of a state.
#include "mechanism/chain.h"
#include "mechanism/flesh.h"
#include "mechanism/jointed.h"
#include "mechanism/kind.h"

#include <string.h>

void plMechanism_Brake(plMechanism* m, double s, plEnergy* energy)
{
    if (m->target) return;
    for (int i = 0; i < m->n; ++i) m->V1[i] *= s, m->v1[i] *= s, m->xi1[i] *= s;
    if (m->flesh) plFlesh_Brake(m, s);
    const double kinetic = s * s * energy->kinetic1;
    energy->leak += kinetic - energy->kinetic1;
    energy->kinetic1 = kinetic;
}

void plMechanism_Retreat(plMechanism* m, double s, plEnergy* e)
{
    if (m->target || m->jointed) return;
    const double before = e->kinetic1 + e->potential1;
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] *= s, m->v1[i] *= s, m->xi1[i] *= s;
        m->way[i] *= s;
    }
    m->kind->move(m, m->q, m->pass.T, m->way, m->q1);
    m->kind->place(m, m->q1, m->end);
    if (m->flesh) plFlesh_Retreat(m, s);
    e->kinetic1 = s * s * e->kinetic1;
    e->potential1 =
        plMechanism_Elastic(m, m->q1, m->tendons.theta1) + m->kind->gravityEnergy(m, m->end);
    if (m->flesh) e->potential1 += plFlesh_TrialPotential(m);
    e->leak += e->kinetic1 + e->potential1 - before;
}

bool plMechanism_Finite(const plMechanism* m)
{
    for (int i = 0; i < m->n; ++i) {
        if (!isfinite(m->V1[i])) return false;
    }
    for (int i = 0; i < m->positions; ++i) {
        if (!isfinite(m->q1[i])) return false;
    }
    return !m->broken && (!m->flesh || plFlesh_Finite(m));
}

void plExchangeNumbers(double* a, double* b, int n)
{
    for (int i = 0; i < n; ++i) {
        const double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// State and trial change places, so that Revert can undo it.
static void exchangeTrial(plMechanism* m)
{
    plExchangeNumbers(m->q, m->q1, m->positions);
    plExchangeNumbers(m->v, m->v1, m->n);
    if (plMechanism_Transformed(m))
        plExchangeNumbers(m->xi, m->xi1, m->n); // others have no trial of it
    plExchangeNumbers(m->tendons.theta, m->tendons.theta1, m->tendons.count);
    if (m->flesh) plFlesh_Exchange(m);
    if (m->jointed) plJointed_Exchange(m);
}

bool plMechanism_Commit(plMechanism* m)
{
    if (m->jointed) plJointed_Leave(m);
    exchangeTrial(m);
    if (m->chain) { // the trial has found its places, and to walk again would take longer
        plPlaces_Copy(m->end, m->start, m->parts);
        plMechanism_RefreshPlaced(m);
    } else {
        plMechanism_Refresh(m);
    }
    if (m->jointed) plJointed_Enter(m);
    return !m->singular;
}

void plMechanism_Revert(plMechanism* m)
{
    exchangeTrial(m);
    plMechanism_Refresh(m);
}

// What is not finite, too, becomes zero by a share of zero.
void plMechanism_Slow(plMechanism* m, double share)
{
    for (int i = 0; i < m->n; ++i) {
        m->v[i] = share > 0 ? share * m->v[i] : 0;
        m->xi[i] = share > 0 ? share * m->xi[i] : 0;
    }
    if (m->flesh) plFlesh_Stand(m);
    plMechanism_Refresh(m);
}

void plMechanism_Release(plMechanism* m)
{
    memset(m->applied, 0, (size_t)m->n * sizeof(double));
    if (m->flesh) plFlesh_Release(m);
}

double plMechanism_LeastMass(const plMechanism* m)
{
    double least = 0;
    if (m->target || m->jointed) return 0;
    if (!m->chain) return m->mass;
    for (int b = 0; b < m->chain->bodyCount; ++b) {
        const double mass = m->chain->bodies[b].mass;
        if (mass > 0 && (least == 0 || mass < least)) least = mass;
    }
    return least;
}

double plMechanism_Push(const plMechanism* m, double T)
{
    if (m->target || !m->kind->body) return 0;
    return T * plNorm(plGet3(m->applied)) / m->mass;
}

double plMechanism_MassTrace(const plMechanism* m)
{
    double sum = 0;
    for (int i = 0; i < m->n && !m->target; ++i) sum += m->Mk[i * (m->n + 1)];
    return sum;
}

double plMechanism_Kinetic(const plMechanism* m)
{
    if (m->target) return 0;
    const double soft = m->flesh ? plFlesh_Kinetic(m) : 0;
    if (plMechanism_Transformed(m)) return soft + 0.5 * plDotN(m->xi, m->xi, m->n);
    return soft + plMechanism_KineticOf(m, m->Mk, m->v);
}

double plMechanism_PotentialWith(const plMechanism* m, double elastic)
{
    const double soft = m->flesh ? plFlesh_Potential(m) : 0;
    return soft + elastic + m->kind->gravityEnergy(m, m->start);
}

double plMechanism_Potential(const plMechanism* m)
{
    if (m->target) return 0;
    return plMechanism_PotentialWith(m, plMechanism_Elastic(m, m->q, m->tendons.theta));
}
