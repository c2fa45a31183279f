// What all kinds share: memory, state, identity. Rows are in rows.c, a trial ends in commit.c.
#include "mechanism/kind.h"

#include <string.h>

plStatus plMechanism_Allocate(plMechanism* m, plArena* fixed, plArena* state)
{
    const size_t n = (size_t)m->n, positions = (size_t)m->positions, parts = (size_t)m->parts;
    double** const squares[] = {&m->K, &m->B, &m->Mk,  &m->Lk,        &m->M,         &m->S,
                                &m->D, &m->A, &m->P.F, &m->square[0], &m->square[1], &m->geometric};
    double** const vectors[] = {&m->rest,     &m->bias,     &m->v1,     &m->xi1,    &m->V1,
                                &m->dV,       &m->V0,       &m->xi0,    &m->Vfree,  &m->G,
                                &m->gradient, &m->rowForce, &m->dVfree, &m->dxFree, &m->mean,
                                &m->way,      &m->pull,     &m->Vlast,  &m->closing};
    plPlace** const places[] = {&m->start, &m->end, &m->middle, &m->last, &m->free};
    for (int i = 0; i < PL_COUNT(squares); ++i) {
        *squares[i] = plArena_Alloc(fixed, n * n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(places); ++i) {
        *places[i] = plArena_Alloc(fixed, parts, sizeof(plPlace));
    }
    for (int i = 0; i < PL_COUNT(m->work); ++i) {
        m->work[i] = plArena_Alloc(fixed, n > positions ? n : positions, sizeof(double));
    }
    m->traits = m->ops->traits;
    m->place = plArena_Alloc(fixed, n, sizeof *m->place);
    m->pivot = plArena_Alloc(fixed, n, sizeof *m->pivot);
    m->kappa = plArena_Alloc(fixed, parts, sizeof *m->kappa);
    m->q1 = plArena_Alloc(fixed, positions, sizeof(double));
    m->qfree = plArena_Alloc(fixed, positions, sizeof(double));
    m->qLast = plArena_Alloc(fixed, positions, sizeof(double));
    m->Pk.F = m->route == pl_routeCholesky ? m->Lk : plArena_Alloc(fixed, n * n, sizeof(double));
    m->Pk.s = plArena_Alloc(fixed, n, sizeof(double));
    m->P.s = plArena_Alloc(fixed, n, sizeof(double));
    m->applied = plArena_Alloc(state, n, sizeof(double));
    m->q = plArena_Alloc(state, positions, sizeof(double));
    m->v = plArena_Alloc(state, n, sizeof(double));
    m->xi = plArena_Alloc(state, n, sizeof(double));
    m->averages = plArena_Alloc(fixed, m->ops->average ? parts : 0, sizeof *m->averages);
    m->startChart = (plChart){m->start, m->start, m->start, NULL, NULL};
    m->chart = m->startChart;
    if (m->route == pl_routeSquareRoot && plEigen_Create(&m->eigen, m->n, fixed) != pl_statusOk) {
        return pl_statusCapacity;
    }
    return fixed->full || state->full ? pl_statusCapacity : pl_statusOk;
}

const plMechanismTraits* plMechanism_Traits(const plMechanism* m) { return &m->traits; }
bool plMechanism_Exact(const plMechanism* m)
{
    return m->traits.yields && m->integrator == pl_integratorMidpoint;
}

bool plMechanism_HashRest(const plMechanism* m, uint64_t* hash)
{
    if (!m->ops->separate || m->tendons.count + m->potentials.count > 0) return false;
    for (int i = 0; i < m->n; ++i) {
        if (m->v[i] != 0) return false;
    }
    const int settings[] = {m->index, (int)m->integrator};
    *hash = plHash_Add(*hash, settings, sizeof settings);
    *hash = plHash_Add(*hash, m->q, (size_t)m->positions * sizeof(double));
    *hash = plHash_Add(*hash, m->applied, (size_t)m->n * sizeof(double));
    return true;
}

const char* plMechanism_Name(const plMechanism* m) { return m->name; }
int plMechanism_Positions(const plMechanism* m) { return m->positions; }
int plMechanism_Velocities(const plMechanism* m) { return m->n; }
int plMechanism_Parts(const plMechanism* m) { return m->parts; }
plIntegrator plMechanism_Integrator(const plMechanism* m) { return m->integrator; }
bool plMechanism_Curved(const plMechanism* m)
{
    const bool falls = !m->ops->constantGravity && plDot(m->gravity, m->gravity) > 0;
    return m->integrator == pl_integratorMidpoint && (falls || m->potentials.count > 0);
}

bool plMechanism_HasMajorizer(const plMechanism* m)
{
    return (m->hasTurnSprings && m->action != pl_actionSimple) || m->potentials.count > 0;
}
const double* plMechanism_Q(const plMechanism* m) { return m->q; }
const double* plMechanism_V(const plMechanism* m) { return m->v; }

// Cholesky factor of the mass at the state, and P of the route.
static bool factorState(plMechanism* m)
{
    memcpy(m->Lk, m->Mk, (size_t)(m->n * m->n) * sizeof(double));
    if (!plChol_Factor(m->Lk, m->n)) return false;
    return m->route == pl_routeCholesky || plMechanism_FactorMass(m, m->Mk, m->Pk);
}

void plMechanism_SolveMass(const plMechanism* m, double* b) { m->ops->solveMass(m, b); }

double plMechanism_KineticOf(const plMechanism* m, const double* M, const double* v)
{
    return m->ops->kinetic(m, M, v);
}

void plMechanism_SolveDense(const plMechanism* m, double* b) { plChol_Solve(m->Lk, m->n, b); }

double plMechanism_KineticDense(const plMechanism* m, const double* M, const double* v)
{
    return 0.5 * plQuadN(v, M, v, m->n);
}

void plMechanism_RefreshDense(plMechanism* m)
{
    m->ops->inertia(m, m->start, m->v, m->Mk, NULL);
    m->singular = !factorState(m);
    if (plMechanism_Transformed(m) && !m->singular) {
        plMechanism_SolveP(m, m->Pk, m->xi, m->v);
    }
    m->ops->inertia(m, m->start, m->v, NULL, m->square[0]);
    plMatVec(m->square[0], m->n, m->n, m->n, m->v, m->bias);
}

void plMechanism_RefreshPlaced(plMechanism* m) { m->ops->refresh(m); }

void plMechanism_Refresh(plMechanism* m)
{
    m->ops->place(m, m->q, m->start);
    plMechanism_RefreshPlaced(m);
}

void plMechanism_SetState(plMechanism* m, const double* q, const double* v)
{
    const size_t bytes = (size_t)m->n * sizeof(double);
    memset(m->work[0], 0, bytes);
    m->ops->move(m, q, 0, m->work[0], m->q); // makes quaternions unit
    memmove(m->v, v, bytes);
    memcpy(m->xi, m->v, bytes);
    m->ops->place(m, m->q, m->start);
    m->ops->inertia(m, m->start, m->v, m->Mk, NULL);
    m->singular = !factorState(m);
    if (plMechanism_Transformed(m) && !m->singular) {
        plMechanism_ApplyP(m, m->Pk, m->v, m->xi);
    }
    plMechanism_Refresh(m);
    if (m->ops->settle) m->ops->settle(m);
}

// q and v stay to the last bit; xi is what the new integrator makes of them.
void plMechanism_SetIntegrator(plMechanism* m, plIntegrator integrator)
{
    m->integrator = integrator;
    memcpy(m->xi, m->v, (size_t)m->n * sizeof(double));
    if (plMechanism_Transformed(m) && !m->singular) plMechanism_ApplyP(m, m->Pk, m->v, m->xi);
    plMechanism_Refresh(m);
}

const char* plMechanism_RefuseUnknown(plIntegrator integrator)
{
    const bool known = (int)integrator >= 0 && integrator < pl_integratorCount;
    return known ? NULL : "there is no such integrator";
}

const char* plMechanism_RefusesIntegrator(const plMechanism* m, plIntegrator integrator)
{
    return m->ops->refuses ? m->ops->refuses(m, integrator) : plMechanism_RefuseUnknown(integrator);
}

void plMechanism_Inertia(plMechanism* m, double* M, double* C)
{
    m->ops->inertia(m, m->start, m->v, M, C);
}

static uint64_t hashNumbers(uint64_t h, const double* a, int count)
{
    return plHash_Add(h, a, (size_t)count * sizeof *a);
}

uint64_t plMechanism_HashCommon(const plMechanism* m, uint64_t h, bool tree, const double* body)
{
    static const double none[15] = {0};
    const int sizes[] = {tree,          m->positions,  m->n, m->parts, (int)m->coefficients,
                         (int)m->route, (int)m->action};
    if (!body) body = none;
    h = plHash_Add(h, m->name, strlen(m->name));
    h = plHash_Add(h, sizes, sizeof sizes);
    h = hashNumbers(h, &m->gravity.x, 3);
    h = hashNumbers(h, body, 6);
    h = hashNumbers(h, body + 6, 9);
    h = hashNumbers(h, m->K, m->n * m->n);
    h = hashNumbers(h, m->B, m->n * m->n);
    h = hashNumbers(h, m->rest, m->n);
    h = plTendons_Identity(m, h);
    return plPotentials_Identity(m, h);
}

uint64_t plMechanism_Identity(const plMechanism* m, uint64_t h) { return m->ops->identity(m, h); }
