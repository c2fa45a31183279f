// Rows and sites of a mechanism: their motion, their answers to impulses, and the impulses on them.
#include "mechanism/kind.h"

#include <string.h>

// The site, or what the frame has of a site on a surface that deforms.
static plSite carried(const plMechanism* m, plSite site, plCarry how)
{
    return m->ops->deform && site.part > 0 ? m->ops->deform->carried(m, site, how) : site;
}

void plMechanism_AddForce(plMechanism* m, plSite site, plWrench wrench)
{
    const plSite at = carried(m, site, pl_carryRest);
    m->ops->jacobian(m, &m->startChart, at.part, at.point, wrench.force, wrench.torque, m->applied);
    if (m->ops->deform && site.part > 0) m->ops->deform->load(m, site, wrench.force);
}

void plMechanism_AddEffort(plMechanism* m, int coordinate, double effort)
{
    m->applied[coordinate] += effort;
}

bool plMechanism_Owns(const plMechanism* m, plSite site)
{
    return (int)site.mechanism.index1 - 1 == m->index;
}

// g = J^T of one row. False when the row does not touch this mechanism.
static bool jacobianOf(const plMechanism* m, const plChart* chart, const plRow* row, plCarry how,
                       double* g)
{
    const bool isA = plMechanism_Owns(m, row->a), isB = plMechanism_Owns(m, row->b);
    if (m->ops->row && isA != isB) {
        m->ops->row(m, chart, row, isA, g);
        return true;
    }
    memset(g, 0, (size_t)m->n * sizeof *g);
    if (isA) {
        const plSite at = carried(m, row->a, how);
        m->ops->jacobian(m, chart, at.part, at.point, row->lin, row->ang, g);
    }
    if (isB) {
        const plSite at = carried(m, row->b, how);
        m->ops->jacobian(m, chart, at.part, at.point, plScale(-1, row->lin), plScale(-1, row->ang),
                         g);
    }
    return isA || isB;
}

static bool rowJacobian(const plMechanism* m, const plChart* chart, const plRow* row, double* g)
{
    return jacobianOf(m, chart, row, pl_carryPass, g);
}

void plMechanism_EndRow(const plMechanism* m, const plChart* chart, const plRow* row, double* g)
{
    jacobianOf(m, chart, row, pl_carryEnd, g);
}

const double* plMechanism_VelocityAt(const plMechanism* m, plWhen when)
{
    if (when == pl_atLast) return m->Vlast;
    if (when == pl_atInstant) return m->traits.yields ? m->v : m->V0;
    if (when == pl_atMean) return m->mean;
    return when == pl_atStart ? m->V0 : when == pl_atFree ? m->Vfree : m->V1;
}

plMotion plMechanism_MotionByRows(const plMechanism* m, plWhen when, plSite where)
{
    const plFrame at = plMechanism_Frame(m, when, where);
    const plSite site = carried(m, where, pl_carryRest);
    const plChart* chart = when == pl_atStart ? &m->startChart : &m->chart;
    const double* V = when == pl_atStart ? m->v : plMechanism_VelocityAt(m, when);
    double* g = m->work[6];
    double u[6];
    for (int i = 0; i < 6; ++i) {
        const plVec3 axis = plVec(i % 3 == 0, i % 3 == 1, i % 3 == 2), none = {0, 0, 0};
        memset(g, 0, (size_t)m->n * sizeof *g);
        m->ops->jacobian(m, chart, site.part, site.point, i < 3 ? axis : none, i < 3 ? none : axis,
                         g);
        u[i] = plDotN(g, V, m->n);
    }
    plVec3 v = plGet3(u);
    if (m->ops->deform && where.part > 0) v = plAdd(v, m->ops->deform->speed(m, when, where));
    return (plMotion){.x = at.x, .R = at.R, .v = v, .w = plGet3(u + 3)};
}

plMotion plMechanism_Motion(const plMechanism* m, plWhen when, plSite where)
{
    return m->ops->motion(m, when, where);
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
    plSite at = carried(m, site, pl_carryRest);
    if (m->ops->deform && site.part > 0) {
        at.point = plAdd(at.point, m->ops->deform->displacement(m, when, site));
    }
    const plFrame* world = &places[at.part].world;
    return (plFrame){plAdd(world->x, plMul(&world->R, at.point)), world->R};
}

plVec3 plMechanism_Point(const plMechanism* m, plWhen when, plSite site)
{
    if (m->ops->deform) return plMechanism_Frame(m, when, site).x;
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
    return m->ops->deform ? u + m->ops->deform->velocity(m, when, row) : u;
}

double plMechanism_RowMove(const plMechanism* m, const plRow* row)
{
    double* g = m->work[6];
    return rowJacobian(m, &m->chart, row, g) ? plMechanism_RowMoveBy(m, row, g) : 0;
}

double plMechanism_RowMoveBy(const plMechanism* m, const plRow* row, const double* J)
{
    const double u = plDotN(J, m->way, m->n);
    if (m->ops->deform) return m->pass.T * (u + m->ops->deform->velocity(m, pl_atMean, row));
    return m->pass.T * u;
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
    if (response == pl_responseMass) {
        plMechanism_SolveMass(m, g);
        return;
    }
    if (response == pl_responseShift) {
        solveStepMass(m, g);
        return;
    }
    m->ops->solveStep(m, g);
    if (response == pl_responseStep) return;
    for (int i = 0; i < m->n; ++i) g[i] *= plMechanism_Theta(m) * m->pass.T;
}

bool plMechanism_MeetsAtStart(const plMechanism* m)
{
    return m->chart.first == m->start && m->chart.last == m->start && !m->chart.kappa;
}

void plMechanism_JacobiansByRows(const plMechanism* m, bool start, const plRow* rows, int count,
                                 double* J)
{
    const plChart* chart = start ? &m->startChart : &m->chart;
    for (int i = 0; i < count; ++i) rowJacobian(m, chart, &rows[i], &J[i * m->n]);
}

void plMechanism_Jacobians(const plMechanism* m, bool start, const plRow* rows, int count,
                           double* J)
{
    m->ops->jacobians(m, start, rows, count, J);
}

void plMechanism_Respond(const plMechanism* m, plResponse response, const double* J, int count,
                         double* Y)
{
    const int n = m->n;
    const size_t bytes = (size_t)(n * count) * sizeof *Y;
    if (count < 1) return;
    if (!m->traits.yields) {
        memset(Y, 0, bytes);
        return;
    }
    memcpy(Y, J, bytes);
    if (m->ops->respondMany && m->ops->respondMany(m, response, Y, count)) return;
    for (int i = 0; i < count; ++i) respond(m, response, &Y[i * n]);
}

void plMechanism_Response(const plMechanism* m, plResponse response, const plRow* rows, int count,
                          double* J, double* Y)
{
    plMechanism_Jacobians(m, response == pl_responseMass, rows, count, J);
    plMechanism_Respond(m, response, J, count, Y);
}

void plMechanism_ShiftSoft(plMechanism* m, const plRow* rows, int count, const double* z)
{
    if (m->ops->deform) m->ops->deform->shift(m, rows, count, z);
}

double plMechanism_SoftVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return m->ops->deform ? m->ops->deform->velocity(m, when, row) : 0;
}

double plMechanism_SoftEndVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return m->ops->deform ? m->ops->deform->endVelocity(m, when, row) : 0;
}

bool plMechanism_LocalResponse(const plMechanism* m, plResponse response, const plRow* rows,
                               const plRow* const* ends, int count, double* W)
{
    return m->ops->deform && m->ops->deform->response(m, response, rows, ends, count, W);
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
    if (!m->traits.yields) {
        const double taken = plDotN(g, m->V0, m->n);
        m->strikeWork += taken;
        return taken;
    }
    memcpy(dv, g, (size_t)m->n * sizeof *dv);
    plMechanism_SolveMass(m, dv);
    if (m->ops->struck) m->ops->struck(m, g);
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
    m->ops->freeMotion(m);
    return work;
}

void plMechanism_Rewind(plMechanism* m)
{
    m->pass.at = pl_lineariseStart;
    m->chart = m->startChart;
    if (m->traits.yields) memcpy(m->V0, m->v, (size_t)m->n * sizeof(double));
    if (m->ops->deform) m->ops->deform->rewind(m);
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

// g = J^T p at the state, dv = M^-1 g.
static void kick(const plMechanism* m, const double* J, int count, const double* p, double* g,
                 double* dv)
{
    sumBy(m, J, count, p, g);
    memcpy(dv, g, (size_t)m->n * sizeof *dv);
    plMechanism_SolveMass(m, dv);
}

// A prescribed frame does not yield: its mover gives the work.
static void kickWork(const plMechanism* m, const plRow* rows, const double* J, int count,
                     const double* p, double* g, double* dv, double* linear, double* square)
{
    if (!m->traits.yields) {
        sumBy(m, J, count, p, g);
        *linear += plDotN(g, m->V0, m->n);
        return;
    }
    kick(m, J, count, p, g, dv);
    *linear += plDotN(g, m->v, m->n);
    *square += 0.5 * plDotN(g, dv, m->n);
    if (m->ops->deform) m->ops->deform->kickWork(m, rows, count, p, linear, square);
}

void plMechanism_KickWork(const plMechanism* m, const plRow* rows, const double* J, int count,
                          const double* p, double* linear, double* square)
{
    kickWork(m, rows, J, count, p, m->work[4], m->work[5], linear, square);
}

double plMechanism_Kick(plMechanism* m, const plRow* rows, const double* J, int count,
                        const double* p)
{
    double *g = m->work[4], *dv = m->work[5], *dxi = m->work[3], linear = 0, square = 0;
    kickWork(m, rows, J, count, p, g, dv, &linear, &square);
    if (!m->traits.yields) return linear;
    for (int i = 0; i < m->n; ++i) m->v[i] += dv[i];
    if (plMechanism_Transformed(m)) {
        plMechanism_ApplyP(m, m->Pk, dv, dxi);
        for (int i = 0; i < m->n; ++i) m->xi[i] += dxi[i];
    } else {
        memcpy(m->xi, m->v, (size_t)m->n * sizeof(double));
    }
    if (m->ops->kicked) m->ops->kicked(m, g);
    plMechanism_RefreshPlaced(m);
    return linear + square;
}

bool plMechanism_Advance(plMechanism* m, const plRow* rows, int count, const double* p)
{
    sumRows(m, &m->chart, rows, count, p, m->rowForce);
    return m->ops->advance(m, rows, count, p);
}

bool plMechanism_AdvanceBy(plMechanism* m, const plRow* rows, const double* J, int count,
                           const double* p)
{
    sumBy(m, J, count, p, m->rowForce);
    return m->ops->advance(m, rows, count, p);
}

void plMechanism_DisplaceBy(plMechanism* m, const double* J, int count, const double* z,
                            plEnergy* energy)
{
    double* w = m->work[4];
    if (!m->ops->displace) return;
    sumBy(m, J, count, z, w);
    m->ops->displace(m, w, energy);
}

void plMechanism_DisplaceTrial(plMechanism* m, const double* z, plEnergy* energy)
{
    double* w = m->work[4];
    memmove(w, z, (size_t)m->n * sizeof *w);
    solveStepMass(m, w);
    m->ops->move(m, m->q1, 1, w, m->q1);
    m->ops->place(m, m->q1, m->end);
    double potential =
        plMechanism_Elastic(m, m->q1, m->tendons.theta1) + m->ops->gravityEnergy(m, m->end);
    if (m->ops->deform) potential += m->ops->deform->potential(m, true);
    energy->drift += potential - energy->potential1;
    energy->potential1 = potential;
    if (plMechanism_Transformed(m) || m->ops->constantMass) return;
    double* M1 = m->square[0]; // the mass goes with the place, the velocity stays
    m->ops->inertia(m, m->end, m->v1, M1, NULL);
    const double kinetic = 0.5 * plQuadN(m->v1, M1, m->v1, m->n);
    energy->drift += kinetic - energy->kinetic1;
    energy->kinetic1 = kinetic;
}
