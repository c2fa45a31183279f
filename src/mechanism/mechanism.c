// What all kinds share: memory, state, rows and their responses, the trial. It ends in commit.c.
#include "mechanism/mechanism.h"

#include "mechanism/chain.h"
#include "mechanism/flesh.h"
#include "mechanism/jointed.h"
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
    m->averages = plArena_Alloc(fixed, m->kind->average ? parts : 0, sizeof *m->averages);
    m->startChart = (plChart){m->start, m->start, m->start, NULL, NULL};
    m->chart = m->startChart;
    if (m->route == pl_routeSquareRoot && plEigen_Create(&m->eigen, m->n, fixed) != pl_statusOk) {
        return pl_statusCapacity;
    }
    return fixed->full || state->full ? pl_statusCapacity : pl_statusOk;
}

const char* plMechanism_Name(const plMechanism* m) { return m->name; }
int plMechanism_Positions(const plMechanism* m) { return m->positions; }
int plMechanism_Velocities(const plMechanism* m) { return m->n; }
int plMechanism_Parts(const plMechanism* m) { return m->parts; }
plIntegrator plMechanism_Integrator(const plMechanism* m) { return m->integrator; }
bool plMechanism_Curved(const plMechanism* m)
{
    const bool falls = !m->kind->constantGravity && plDot(m->gravity, m->gravity) > 0;
    return m->integrator == pl_integratorMidpoint && (falls || m->potentials.count > 0);
}

bool plMechanism_HasMajorizer(const plMechanism* m)
{
    return (m->hasTurnSprings && m->action != pl_actionSimple) || m->potentials.count > 0;
}
bool plMechanism_IsJointed(const plMechanism* m) { return m->jointed != NULL; }
const double* plMechanism_Q(const plMechanism* m) { return m->q; }
const double* plMechanism_V(const plMechanism* m) { return m->v; }

// Cholesky factor of the mass at the state, and P of the route.
static bool factorState(plMechanism* m)
{
    memcpy(m->Lk, m->Mk, (size_t)(m->n * m->n) * sizeof(double));
    if (!plChol_Factor(m->Lk, m->n)) return false;
    return m->route == pl_routeCholesky || plMechanism_FactorMass(m, m->Mk, m->Pk);
}

void plMechanism_SolveMass(const plMechanism* m, double* b)
{
    if (!m->kind->body) {
        plChol_Solve(m->Lk, m->n, b);
        return;
    }
    for (int i = 0; i < 3; ++i) b[i] /= m->mass;
    plPut3(plMul(&m->inertiaInverse, plGet3(b + 3)), b + 3);
}

double plMechanism_KineticOf(const plMechanism* m, const double* M, const double* v)
{
    if (!m->kind->body) return 0.5 * plQuadN(v, M, v, m->n);
    const plVec3 u = plGet3(v), w = plGet3(v + 3);
    return 0.5 * (m->mass * plDot(u, u) + plDot(w, plMul(&m->inertia, w)));
}

// The mass of a body, or of bodies with joints, stays what SetState has found at its creation.
void plMechanism_RefreshPlaced(plMechanism* m)
{
    if (m->jointed) {
        plJointed_Refresh(m);
        return;
    }
    if (!m->kind->body) {
        m->kind->inertia(m, m->start, m->v, m->Mk, NULL);
        m->singular = !factorState(m);
    }
    if (plMechanism_Transformed(m) && !m->singular) {
        plMechanism_SolveP(m, m->Pk, m->xi, m->v);
    }
    if (m->kind->body) { // C v = w x J w on turns
        const plVec3 w = plGet3(m->v + 3);
        plPut3(plCross(w, plMul(&m->inertia, w)), m->bias + 3);
    } else {
        m->kind->inertia(m, m->start, m->v, NULL, m->square[0]);
        plMatVec(m->square[0], m->n, m->n, m->n, m->v, m->bias);
    }
    if (m->flesh) plFlesh_Refresh(m);
}

void plMechanism_Refresh(plMechanism* m)
{
    m->kind->place(m, m->q, m->start);
    plMechanism_RefreshPlaced(m);
}

void plMechanism_SetState(plMechanism* m, const double* q, const double* v)
{
    const size_t bytes = (size_t)m->n * sizeof(double);
    memset(m->work[0], 0, bytes);
    m->kind->move(m, q, 0, m->work[0], m->q); // makes quaternions unit
    if (m->target) memcpy(m->target, m->q, (size_t)m->positions * sizeof(double));
    memmove(m->v, v, bytes);
    memcpy(m->xi, m->v, bytes);
    m->kind->place(m, m->q, m->start);
    m->kind->inertia(m, m->start, m->v, m->Mk, NULL);
    if (m->kind->body) m->singular = !factorState(m);
    if (plMechanism_Transformed(m) && factorState(m)) {
        plMechanism_ApplyP(m, m->Pk, m->v, m->xi);
    }
    plMechanism_Refresh(m);
    if (m->jointed) plJointed_Settle(m);
}

// q and v stay to the last bit; xi is what the new integrator makes of them.
void plMechanism_SetIntegrator(plMechanism* m, plIntegrator integrator)
{
    m->integrator = integrator;
    memcpy(m->xi, m->v, (size_t)m->n * sizeof(double));
    if (plMechanism_Transformed(m) && !m->singular) plMechanism_ApplyP(m, m->Pk, m->v, m->xi);
    plMechanism_Refresh(m);
}

void plMechanism_Inertia(plMechanism* m, double* M, double* C)
{
    m->kind->inertia(m, m->start, m->v, M, C);
}

static uint64_t hashNumbers(uint64_t h, const double* a, int count)
{
    return plHash_Add(h, a, (size_t)count * sizeof *a);
}

uint64_t plMechanism_Identity(const plMechanism* m, uint64_t h)
{
    const int sizes[] = {m->chain != NULL,     m->positions,  m->n,          m->parts,
                         (int)m->coefficients, (int)m->route, (int)m->action};
    const double anchor[] = {m->mass,
                             m->anchor.turnStiffness,
                             m->anchor.anchor.q.w,
                             m->anchor.anchor.q.x,
                             m->anchor.anchor.q.y,
                             m->anchor.anchor.q.z};
    h = plHash_Add(h, m->name, strlen(m->name));
    h = plHash_Add(h, sizes, sizeof sizes);
    h = hashNumbers(h, &m->gravity.x, 3);
    h = hashNumbers(h, anchor, PL_COUNT(anchor));
    h = hashNumbers(h, &m->inertia.x.x, 9);
    h = hashNumbers(h, m->K, m->n * m->n);
    h = hashNumbers(h, m->B, m->n * m->n);
    h = hashNumbers(h, m->rest, m->n);
    h = plTendons_Identity(m, h);
    h = plPotentials_Identity(m, h);
    if (m->flesh) h = plFlesh_Identity(m, h);
    if (m->jointed) h = plJointed_Identity(m, h);
    return m->chain ? plChain_Identity(m->chain, h) : h;
}

// What the frame has of a site: that of a face is carried as it was at rest.
static plSite onFrame(const plMechanism* m, plSite site)
{
    if (!m->flesh || site.part == 0) return site;
    return (plSite){.mechanism = site.mechanism, .point = plFlesh_Rest(m, site)};
}

// The same for rows of the pass, or for those at its end.
static plSite underRow(const plMechanism* m, plSite site, bool end)
{
    if (!m->flesh || site.part == 0) return site;
    return (plSite){.mechanism = site.mechanism, .point = plFlesh_Arm(m, site, end)};
}

void plMechanism_AddForce(plMechanism* m, plSite site, plWrench wrench)
{
    const plSite at = onFrame(m, site);
    m->kind->jacobian(m, &m->startChart, at.part, at.point, wrench.force, wrench.torque,
                      m->applied);
    if (m->flesh && site.part > 0) plFlesh_AddForce(m, site, wrench.force);
}

void plMechanism_AddEffort(plMechanism* m, int coordinate, double effort)
{
    m->applied[coordinate] += effort;
}

static bool owns(const plMechanism* m, plSite site)
{
    return (int)site.mechanism.index1 - 1 == m->index;
}

// Of a chart, all that rows of a body ask for.
typedef struct {
    plMat3 R; ///< for points
    const plMat3* middle;
    double kappa;
} BodyChart;

static inline BodyChart bodyChart(const plChart* c)
{
    const plMat3 *R0 = &c->first->world.R, *R1 = &c->last->world.R;
    return (BodyChart){c->first == c->last ? *R0 : plMean(R0, R1), &c->middle->world.R,
                       c->kappa ? c->kappa[0] : 1};
}

// A row of a body with one of its sites: (lin, kappa point x R^T lin + R^T ang), as kind->jacobian says, without
// asking it for every row.
static inline void bodyJacobian(const BodyChart* c, const plRow* row, bool isA, double* g)
{
    const double sign = isA ? 1 : -1;
    const plVec3 lin = plScale(sign, row->lin), ang = plScale(sign, row->ang);
    plVec3 torque = plCross(isA ? row->a.point : row->b.point, plMulT(&c->R, lin));
    torque = plScale(c->kappa, torque);
    if (plDot(ang, ang) > 0) torque = plAdd(torque, plMulT(c->middle, ang));
    plPut3(lin, g);
    plPut3(torque, g + 3);
}

// g = J^T of one row. False when the row does not touch this mechanism.
static bool jacobianOf(const plMechanism* m, const plChart* chart, const plRow* row, bool end,
                       double* g)
{
    const bool isA = owns(m, row->a), isB = owns(m, row->b);
    if (m->kind->body && !m->flesh && isA != isB) {
        const BodyChart body = bodyChart(chart);
        bodyJacobian(&body, row, isA, g);
        return true;
    }
    memset(g, 0, (size_t)m->n * sizeof *g);
    if (isA) {
        const plSite at = underRow(m, row->a, end);
        m->kind->jacobian(m, chart, at.part, at.point, row->lin, row->ang, g);
    }
    if (isB) {
        const plSite at = underRow(m, row->b, end);
        m->kind->jacobian(m, chart, at.part, at.point, plScale(-1, row->lin), plScale(-1, row->ang),
                          g);
    }
    return isA || isB;
}

static bool rowJacobian(const plMechanism* m, const plChart* chart, const plRow* row, double* g)
{
    return jacobianOf(m, chart, row, false, g);
}

void plMechanism_EndRow(const plMechanism* m, const plChart* chart, const plRow* row, double* g)
{
    jacobianOf(m, chart, row, true, g);
}

const double* plMechanism_VelocityAt(const plMechanism* m, plWhen when)
{
    if (when == pl_atLast) return m->Vlast;
    if (when == pl_atInstant) return m->target ? m->V0 : m->v;
    if (when == pl_atMean) return m->mean;
    return when == pl_atStart ? m->V0 : when == pl_atFree ? m->Vfree : m->V1;
}

// Of a body at the start, without rows: v + R (w x point), R w.
static plMotion bodyMotion(const plMechanism* m, plSite where)
{
    const plFrame* world = &m->start->world;
    const plVec3 w = plGet3(m->v + 3), turned = plMul(&world->R, plCross(w, where.point));
    return (plMotion){.x = plAdd(world->x, plMul(&world->R, where.point)),
                      .R = world->R,
                      .v = plAdd(plGet3(m->v), turned),
                      .w = plMul(&world->R, w)};
}

plMotion plMechanism_Motion(const plMechanism* m, plWhen when, plSite where)
{
    if (m->kind->body && !m->flesh && when == pl_atStart) return bodyMotion(m, where);
    const plFrame at = plMechanism_Frame(m, when, where);
    if (m->chain && when == pl_atStart && !plTree_Rides(m->chain)) {
        plMotion motion = {.x = at.x, .R = at.R};
        plTree_Twist(m, m->start, m->v, where.part, where.point, &motion.v, &motion.w);
        return motion;
    }
    const plSite site = onFrame(m, where);
    const plChart* chart = when == pl_atStart ? &m->startChart : &m->chart;
    const double* V = when == pl_atStart ? m->v : plMechanism_VelocityAt(m, when);
    double* g = m->work[6];
    double u[6];
    for (int i = 0; i < 6; ++i) {
        const plVec3 axis = plVec(i % 3 == 0, i % 3 == 1, i % 3 == 2), none = {0, 0, 0};
        memset(g, 0, (size_t)m->n * sizeof *g);
        m->kind->jacobian(m, chart, site.part, site.point, i < 3 ? axis : none, i < 3 ? none : axis,
                          g);
        u[i] = plDotN(g, V, m->n);
    }
    plVec3 v = plGet3(u);
    if (m->flesh && where.part > 0) v = plAdd(v, plFlesh_Speed(m, when, where));
    return (plMotion){.x = at.x, .R = at.R, .v = v, .w = plGet3(u + 3)};
}

static const plPlace* placesAt(const plMechanism* m, plWhen when)
{
    if (when == pl_atLast && m->pass.at != pl_lineariseStart) return m->last;
    return when == pl_atFree ? m->free : when == pl_atEnd ? m->end : m->start;
}

const plFrame* plMechanism_PartFrame(const plMechanism* m, plWhen when, int part)
{
    return &placesAt(m, when)[part].world;
}

plFrame plMechanism_Frame(const plMechanism* m, plWhen when, plSite site)
{
    const plPlace* places = placesAt(m, when);
    const bool face = m->flesh && site.part > 0;
    const plFrame* world = &places[face ? 0 : site.part].world;
    if (face) site.point = plAdd(plFlesh_Rest(m, site), plFlesh_Displacement(m, when, site));
    return (plFrame){plAdd(world->x, plMul(&world->R, site.point)), world->R};
}

plVec3 plMechanism_Point(const plMechanism* m, plWhen when, plSite site)
{
    if (m->flesh) return plMechanism_Frame(m, when, site).x;
    const plPlace* places = placesAt(m, when);
    const plFrame* world = &places[site.part].world;
    return plAdd(world->x, plMul(&world->R, site.point));
}

double plMechanism_RowVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    const plChart* chart = when == pl_atInstant ? &m->startChart : &m->chart;
    double* g = m->work[6];
    if (!rowJacobian(m, chart, row, g)) return 0;
    const double u = plDotN(g, plMechanism_VelocityAt(m, when), m->n);
    return m->flesh ? u + plFlesh_Velocity(m, when, row) : u;
}

double plMechanism_RowMove(const plMechanism* m, const plRow* row)
{
    double* g = m->work[6];
    return rowJacobian(m, &m->chart, row, g) ? plMechanism_RowMoveBy(m, row, g) : 0;
}

double plMechanism_RowMoveBy(const plMechanism* m, const plRow* row, const double* J)
{
    const double u = plDotN(J, m->way, m->n);
    return m->pass.T * (m->flesh ? u + plFlesh_Velocity(m, pl_atMean, row) : u);
}

// w <- M^-1 w with the mass of the step.
static void solveStepMass(const plMechanism* m, double* w)
{
    if (!plMechanism_Transformed(m)) {
        plMechanism_SolveMass(m, w);
    } else {
        plMechanism_SolveHT(m, m->P, w);
        plMechanism_SolveH(m, m->P, w, w);
    }
}

static void respond(const plMechanism* m, plResponse response, double* g)
{
    if (m->target) {
        memset(g, 0, (size_t)m->n * sizeof *g);
        return;
    }
    if (m->jointed) {
        const bool step = response == pl_responseStep || response == pl_responsePlace;
        plJointed_Respond(m, step ? plJointed_Response(m) : &m->jointed->now, g, g, NULL);
        if (response != pl_responsePlace) return;
        for (int i = 0; i < m->n; ++i) g[i] *= plMechanism_Theta(m) * m->pass.T;
        return;
    }
    if (response == pl_responseMass) {
        plMechanism_SolveMass(m, g);
        return;
    }
    if (response == pl_responseShift) {
        solveStepMass(m, g);
        return;
    }
    plMechanism_SolveStep(m, g);
    if (response == pl_responseStep) return;
    for (int i = 0; i < m->n; ++i) g[i] *= plMechanism_Theta(m) * m->pass.T;
}

// Every row touches this mechanism with one of its sites.
static bool eachOnce(const plMechanism* m, const plRow* rows, int count)
{
    bool once = true;
    for (int i = 0; i < count; ++i) once = once && owns(m, rows[i].a) != owns(m, rows[i].b);
    return once;
}

bool plMechanism_MeetsAtStart(const plMechanism* m)
{
    return m->chart.first == m->start && m->chart.last == m->start && !m->chart.kappa;
}

void plMechanism_Jacobians(const plMechanism* m, bool start, const plRow* rows, int count,
                           double* J)
{
    const plChart* chart = start ? &m->startChart : &m->chart;
    if (m->kind->body && !m->flesh && eachOnce(m, rows, count)) {
        const BodyChart body = bodyChart(chart);
        for (int i = 0; i < count; ++i)
            bodyJacobian(&body, &rows[i], owns(m, rows[i].a), &J[i * 6]);
        return;
    }
    for (int i = 0; i < count; ++i) rowJacobian(m, chart, &rows[i], &J[i * m->n]);
}

// All rows of a chain in one solve. False: they must be solved one by one.
static bool respondTogether(const plMechanism* m, plResponse response, double* Y, int count)
{
    const bool midpoint = m->integrator == pl_integratorMidpoint;
    if (response == pl_responseMass) {
        plChol_SolveMany(m->Lk, m->n, Y, count);
    } else if (response == pl_responseStep && midpoint) {
        plMidpoint_SolveMany(m, Y, count);
    } else if (response == pl_responseShift && midpoint && m->route == pl_routeCholesky) {
        plChol_SolveMany(m->P.F, m->n, Y, count);
    } else {
        return false;
    }
    return true;
}

void plMechanism_Respond(const plMechanism* m, plResponse response, const double* J, int count,
                         double* Y)
{
    const int n = m->n;
    if (count > 0) memcpy(Y, J, (size_t)(n * count) * sizeof *Y);
    if (m->kind->body && !m->target && response == pl_responseStep &&
        m->integrator == pl_integratorMidpoint) {
        plMidpoint_SolveBody(m, Y, count);
        return;
    }
    if (m->chain && respondTogether(m, response, Y, count)) return;
    for (int i = 0; i < count; ++i) respond(m, response, &Y[i * n]);
}

void plMechanism_Response(const plMechanism* m, plResponse response, const plRow* rows, int count,
                          double* J, double* Y)
{
    plMechanism_Jacobians(m, response == pl_responseMass, rows, count, J);
    plMechanism_Respond(m, response, J, count, Y);
}

double plMechanism_SoftVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return m->flesh ? plFlesh_Velocity(m, when, row) : 0;
}

double plMechanism_SoftEndVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return m->flesh ? plFlesh_EndVelocity(m, when, row) : 0;
}

bool plMechanism_RowAtStart(const plMechanism* m, const plRow* row, double* J)
{
    return rowJacobian(m, &m->startChart, row, J);
}

static void sumRows(const plMechanism* m, const plChart* chart, const plRow* rows, int count,
                    const double* p, double* sum)
{
    double* g = m->work[6];
    memset(sum, 0, (size_t)m->n * sizeof *sum);
    for (int j = 0; j < count; ++j) {
        if (!rowJacobian(m, chart, &rows[j], g)) continue;
        for (int i = 0; i < m->n; ++i) sum[i] += g[i] * p[j];
    }
}

double plMechanism_Strike(plMechanism* m, const plRow* rows, int count, const double* p)
{
    double *g = m->work[4], *dv = m->work[5];
    sumRows(m, &m->startChart, rows, count, p, g);
    if (m->target) {
        const double taken = plDotN(g, m->V0, m->n);
        m->strikeWork += taken;
        return taken;
    }
    if (m->jointed) {
        plJointed_Strike(m, g, dv);
    } else {
        memcpy(dv, g, (size_t)m->n * sizeof *dv);
        plMechanism_SolveMass(m, dv);
    }
    // work = p.J (v + v + dv)/2; the velocity before it follows from xi0, which may have been struck
    double* before = m->work[3];
    if (plMechanism_Transformed(m)) {
        plMechanism_SolveP(m, m->Pk, m->xi0, before);
    } else {
        memcpy(before, m->V0, (size_t)m->n * sizeof *before);
    }
    const double work = plDotN(g, before, m->n) + 0.5 * plDotN(g, dv, m->n);
    m->strikeWork += work;
    if (plMechanism_Transformed(m)) {
        double* dxi = m->work[3];
        plMechanism_ApplyP(m, m->Pk, dv, dxi);
        for (int i = 0; i < m->n; ++i) m->xi0[i] += dxi[i];
        plMechanism_SolveP(m, m->P, m->xi0, m->V0);
    } else {
        for (int i = 0; i < m->n; ++i) m->V0[i] += dv[i];
    }
    plMechanism_FreeMotion(m);
    return work;
}

void plMechanism_Rewind(plMechanism* m)
{
    m->pass.at = pl_lineariseStart;
    m->chart = m->startChart;
    if (!m->target) memcpy(m->V0, m->v, (size_t)m->n * sizeof(double));
    if (m->flesh) plFlesh_Rewind(m);
}

// g = J^T p at the state, dv = M^-1 g.
static void kick(const plMechanism* m, const plRow* rows, int count, const double* p, double* g,
                 double* dv)
{
    sumRows(m, &m->startChart, rows, count, p, g);
    if (m->jointed) {
        plJointed_Respond(m, &m->jointed->now, g, dv, NULL);
    } else {
        memcpy(dv, g, (size_t)m->n * sizeof *dv);
        plMechanism_SolveMass(m, dv);
    }
}

// A prescribed frame does not yield: its mover gives the work.
static void kickWork(const plMechanism* m, const plRow* rows, int count, const double* p, double* g,
                     double* dv, double* linear, double* square)
{
    if (m->target) {
        sumRows(m, &m->startChart, rows, count, p, g);
        *linear += plDotN(g, m->V0, m->n);
        return;
    }
    kick(m, rows, count, p, g, dv);
    *linear += plDotN(g, m->v, m->n);
    *square += 0.5 * plDotN(g, dv, m->n);
    if (m->flesh) plFlesh_KickWork(m, rows, count, p, linear, square);
}

void plMechanism_KickWork(const plMechanism* m, const plRow* rows, int count, const double* p,
                          double* linear, double* square)
{
    kickWork(m, rows, count, p, m->work[4], m->work[5], linear, square);
}

double plMechanism_Kick(plMechanism* m, const plRow* rows, int count, const double* p)
{
    double *g = m->work[4], *dv = m->work[5], *dxi = m->work[3], linear = 0, square = 0;
    kickWork(m, rows, count, p, g, dv, &linear, &square);
    if (m->target) return linear;
    if (m->jointed) plJointed_Kick(m, g);
    for (int i = 0; i < m->n; ++i) m->v[i] += dv[i];
    if (plMechanism_Transformed(m)) {
        plMechanism_ApplyP(m, m->Pk, dv, dxi);
        for (int i = 0; i < m->n; ++i) m->xi[i] += dxi[i];
    } else {
        memcpy(m->xi, m->v, (size_t)m->n * sizeof(double));
    }
    if (m->flesh) plFlesh_Kick(m);
    plMechanism_RefreshPlaced(m);
    return linear + square;
}

bool plMechanism_Advance(plMechanism* m, const plRow* rows, int count, const double* p)
{
    sumRows(m, &m->chart, rows, count, p, m->rowForce);
    if (m->flesh) plFlesh_Advance(m, rows, count, p);
    return plMechanism_AdvanceForced(m);
}

// sum = J^T p
static void sumBy(const plMechanism* m, const double* J, int count, const double* p, double* sum)
{
    const int n = m->n;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int j = 0; j < count; ++j, J += n) {
        for (int i = 0; i < n; ++i) sum[i] += J[i] * p[j];
    }
}

bool plMechanism_AdvanceBy(plMechanism* m, const plRow* rows, const double* J, int count,
                           const double* p)
{
    sumBy(m, J, count, p, m->rowForce);
    if (m->flesh) plFlesh_Advance(m, rows, count, p);
    return plMechanism_AdvanceForced(m);
}

void plMechanism_DisplaceBy(plMechanism* m, const double* J, int count, const double* z,
                            plEnergy* energy)
{
    double* w = m->work[4];
    if (m->target) return;
    sumBy(m, J, count, z, w);
    if (m->jointed) {
        plJointed_Displace(m, w, energy);
        return;
    }
    solveStepMass(m, w);
    m->kind->move(m, m->q1, 1, w, m->q1);
    m->kind->place(m, m->q1, m->end);
    double potential =
        plMechanism_Elastic(m, m->q1, m->tendons.theta1) + m->kind->gravityEnergy(m, m->end);
    if (m->flesh) potential += plFlesh_TrialPotential(m);
    energy->drift += potential - energy->potential1;
    energy->potential1 = potential;
    if (plMechanism_Transformed(m) || m->kind->constantMass) return;
    double* M1 = m->square[0]; // the mass goes with the place, the velocity stays
    m->kind->inertia(m, m->end, m->v1, M1, NULL);
    const double kinetic = 0.5 * plQuadN(m->v1, M1, m->v1, m->n);
    energy->drift += kinetic - energy->kinetic1;
    energy->kinetic1 = kinetic;
}
