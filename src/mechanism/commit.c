// How a trial ends, for all kinds: braked, kept, taken back, or standing still; and the energy of a state.
#include "mechanism/kind.h"

#include <string.h>

void plMechanism_Brake(plMechanism* m, double s, plEnergy* energy)
{
    if (!m->traits.yields) return;
    for (int i = 0; i < m->n; ++i) m->V1[i] *= s, m->v1[i] *= s, m->xi1[i] *= s;
    if (m->ops->deform) m->ops->deform->brake(m, s);
    const double kinetic = s * s * energy->kinetic1;
    energy->leak += kinetic - energy->kinetic1;
    energy->kinetic1 = kinetic;
}

void plMechanism_RetreatTrial(plMechanism* m, double s)
{
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] *= s, m->v1[i] *= s, m->xi1[i] *= s;
        m->way[i] *= s;
    }
    m->ops->move(m, m->q, m->pass.T, m->way, m->q1);
    m->ops->place(m, m->q1, m->end);
}

void plMechanism_Retreat(plMechanism* m, double s, plEnergy* e)
{
    const double before = e->kinetic1 + e->potential1;
    if (!m->ops->retreat) return;
    m->ops->retreat(m, s);
    e->kinetic1 = s * s * e->kinetic1;
    e->potential1 =
        plMechanism_Elastic(m, m->q1, m->tendons.theta1) + m->ops->gravityEnergy(m, m->end);
    if (m->ops->deform) e->potential1 += m->ops->deform->potential(m, true);
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
    return !m->broken && (!m->ops->finite || m->ops->finite(m));
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
    if (m->ops->exchange) m->ops->exchange(m);
}

bool plMechanism_Commit(plMechanism* m)
{
    if (m->ops->leave) m->ops->leave(m);
    exchangeTrial(m);
    plPlaces_Copy(m->end, m->start, m->parts); // the trial has found them
    plMechanism_RefreshPlaced(m);
    if (m->ops->enter) m->ops->enter(m);
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
    if (m->ops->stand) m->ops->stand(m);
    plMechanism_Refresh(m);
}

void plMechanism_Release(plMechanism* m)
{
    memset(m->applied, 0, (size_t)m->n * sizeof(double));
    if (m->ops->release) m->ops->release(m);
}

double plMechanism_LeastMass(const plMechanism* m)
{
    return m->ops->leastMass ? m->ops->leastMass(m) : 0;
}

double plMechanism_Push(const plMechanism* m, double T)
{
    return m->ops->push ? m->ops->push(m, T) : 0;
}

double plMechanism_MassTrace(const plMechanism* m)
{
    double sum = 0;
    for (int i = 0; i < m->n && m->traits.yields; ++i) sum += m->Mk[i * (m->n + 1)];
    return sum;
}

double plMechanism_Kinetic(const plMechanism* m)
{
    if (!m->traits.yields) return 0;
    const double soft = m->ops->deform ? m->ops->deform->kinetic(m) : 0;
    if (plMechanism_Transformed(m)) return soft + 0.5 * plDotN(m->xi, m->xi, m->n);
    return soft + plMechanism_KineticOf(m, m->Mk, m->v);
}

double plMechanism_PotentialWith(const plMechanism* m, double elastic)
{
    const double soft = m->ops->deform ? m->ops->deform->potential(m, false) : 0;
    return soft + elastic + m->ops->gravityEnergy(m, m->start);
}

double plMechanism_Potential(const plMechanism* m)
{
    if (!m->traits.yields) return 0;
    return plMechanism_PotentialWith(m, plMechanism_Elastic(m, m->q, m->tendons.theta));
}
