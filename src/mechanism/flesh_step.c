// A step of what is soft: free motion, rows, trial, balance.
#include "mechanism/flesh.h"

#include <string.h>

// --- sites on faces

// R1 (X + u1) - R0 (X + u0) = (R1 - R0) (X + u^) + R^ (u1 - u0), ^ the mean of both ends: with these arms
// and axes a row gives the displacement of its site exactly, once the trial repeats itself.
static plMat3 axesOf(const plMechanism* m)
{
    const plMat3* R0 = &m->start[0].world.R;
    if (!m->pass.turns || m->pass.at == pl_lineariseStart) return *R0;
    return plMean(R0, &m->last[0].world.R);
}

static const int* cornersOf(const plFlesh* f, int part) { return &f->faces[3 * (part - 1)]; }

static void weightsOf(plSite site, double w[3]) { plPut3(site.point, w); }

plVec3 plFlesh_Rest(const plMechanism* m, plSite site)
{
    const int* corners = cornersOf(plFlesh_Of(m), site.part);
    plVec3 sum = {0};
    double w[3];
    weightsOf(site, w);
    for (int k = 0; k < 3; ++k) sum = plAddScaled(sum, w[k], plFlesh_Of(m)->X[corners[k]]);
    return sum;
}

// The axes at the end that the pass is linearised at.
static plMat3 endAxesOf(const plMechanism* m)
{
    return m->pass.at == pl_lineariseStart ? m->start[0].world.R : m->last[0].world.R;
}

/// Of numbers of the candidates: what a site has of them.
static plVec3 atSite(const plFlesh* f, const double* values, plSite site)
{
    const int* corners = cornersOf(f, site.part);
    plVec3 sum = {0};
    double w[3];
    weightsOf(site, w);
    for (int k = 0; k < 3; ++k) {
        const int slot = f->slot[corners[k]];
        if (slot >= 0 && w[k] != 0) sum = plAddScaled(sum, w[k], plGet3(&values[3 * slot]));
    }
    return sum;
}

// Of the step, at a candidate; null: it has not moved yet.
static const double* velocitiesAt(const plFlesh* f, plWhen when)
{
    return when == pl_atFree   ? f->eFree
           : when == pl_atLast ? f->eLast
           : when == pl_atEnd  ? f->e
                               : NULL;
}

static plVec3 meanVelocity(const plFlesh* f, const double* e, int slot)
{
    return plAddScaled(plScale(1 - f->theta, plGet3(&f->s[3 * slot])), f->theta,
                       plGet3(&e[3 * slot]));
}

static plVec3 displacement(const plMechanism* m, plWhen when, plSite site)
{
    const plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T, *e = velocitiesAt(f, when);
    const int* corners = cornersOf(f, site.part);
    plVec3 u = {0};
    double w[3];
    weightsOf(site, w);
    for (int k = 0; k < 3; ++k) {
        const int slot = f->slot[corners[k]], at = plFlesh_Nodal(f) ? corners[k] : slot;
        if (at < 0) continue;
        u = plAddScaled(u, w[k], plGet3(&f->u[3 * at]));
        if (slot >= 0 && e) u = plAddScaled(u, w[k] * T, meanVelocity(f, e, slot));
    }
    return u;
}

static void cornerPoints(const plMechanism* m, plWhen when, int face, plVec3 x[3])
{
    const plFlesh* f = plFlesh_Of(m);
    const plFrame* frame = plMechanism_PartFrame(m, when, 0);
    const double* e = velocitiesAt(f, when);
    const int* corners = cornersOf(f, face);
    for (int k = 0; k < 3; ++k) {
        const int slot = f->slot[corners[k]], at = plFlesh_Nodal(f) ? corners[k] : slot;
        plVec3 u = {0};
        if (at >= 0) u = plGet3(&f->u[3 * at]);
        if (slot >= 0 && e) u = plAddScaled(u, m->pass.T, meanVelocity(f, e, slot));
        x[k] = plAdd(frame->x, plMul(&frame->R, plAdd(f->X[corners[k]], u)));
    }
}

// Where rows of the pass act, or those at its end, in the frame.
static plVec3 armOf(const plMechanism* m, plSite site, bool end)
{
    const plVec3 X = plFlesh_Rest(m, site);
    if (!m->pass.turns) return X;
    const plVec3 last = displacement(m, pl_atLast, site);
    if (end) return plAdd(X, last);
    return plAddScaled(X, 0.5, plAdd(displacement(m, pl_atStart, site), last));
}

static plSite carried(const plMechanism* m, plSite site, plCarry how)
{
    const plVec3 point =
        how == pl_carryRest ? plFlesh_Rest(m, site) : armOf(m, site, how == pl_carryEnd);
    return (plSite){.mechanism = site.mechanism, .point = point};
}

static plVec3 velocityAt(const plFlesh* f, plWhen when, plSite site)
{
    if (when == pl_atStart || when == pl_atInstant) return atSite(f, f->s, site);
    if (when == pl_atFree) return atSite(f, f->eFree, site);
    if (when == pl_atEnd) return atSite(f, f->e, site);
    if (when == pl_atLast) return atSite(f, f->eLast, site);
    return plAddScaled(plScale(1 - f->theta, atSite(f, f->s, site)), f->theta,
                       atSite(f, f->e, site));
}

static bool isSoftSite(const plMechanism* m, plSite site)
{
    return (int)site.mechanism.index1 - 1 == m->index && site.part > 0;
}

static double rowVelocity(const plMechanism* m, plWhen when, const plRow* row, plMat3 R)
{
    double u = 0;
    if (isSoftSite(m, row->a)) {
        u += plDot(row->lin, plMul(&R, velocityAt(plFlesh_Of(m), when, row->a)));
    }
    if (isSoftSite(m, row->b)) {
        u -= plDot(row->lin, plMul(&R, velocityAt(plFlesh_Of(m), when, row->b)));
    }
    return u;
}

static double velocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return rowVelocity(m, when, row, axesOf(m));
}

static double endVelocity(const plMechanism* m, plWhen when, const plRow* row)
{
    return rowVelocity(m, when, row, endAxesOf(m));
}

// --- response

/// A row on the candidates: at most six of them, each with a direction in axes of the frame.
typedef struct {
    int count;
    int slot[6];
    plVec3 g[6];
} Pull;

static void pullAlong(const plMechanism* m, const plRow* row, const plMat3* R, Pull* pull)
{
    const plFlesh* f = plFlesh_Of(m);
    const plVec3 along = plMulT(R, row->lin);
    const plSite sites[2] = {row->a, row->b};
    pull->count = 0;
    for (int i = 0; i < 2; ++i) {
        double w[3];
        if (!isSoftSite(m, sites[i])) continue;
        const int* corners = cornersOf(f, sites[i].part);
        weightsOf(sites[i], w);
        for (int k = 0; k < 3; ++k) {
            const int slot = f->slot[corners[k]];
            if (slot < 0 || w[k] == 0) continue;
            pull->slot[pull->count] = slot;
            pull->g[pull->count++] = plScale(i == 0 ? w[k] : -w[k], along);
        }
    }
}

static void pullOf(const plMechanism* m, const plRow* row, Pull* pull)
{
    const plMat3 R = axesOf(m);
    pullAlong(m, row, &R, pull);
}

/// C over one candidate's force: u = C_ij g.
static plVec3 answer(const plFlesh* f, int i, int j, plVec3 g)
{
    const double* C = &f->C[3 * i * f->n + 3 * j];
    const plMat3 block = {plGet3(C), plGet3(C + f->n), plGet3(C + 2 * f->n)};
    return plMul(&block, g);
}

static double responseScale(const plMechanism* m, plResponse response)
{
    const plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T;
    const double step = plFlesh_Nodal(f) ? 1 / (f->theta * T) : 1 / (T * T);
    return response == pl_responsePlace ? f->theta * T * step : step;
}

/// C of elements that have turned, once in a tick, and only where something touches or pulls.
static void findCompliance(plFlesh* f)
{
    if (!f->CNow || f->answers) return;
    plSoftFactor_Compliance(&f->stepper.factor, f->CNow);
    f->answers = true;
}

static bool respond(const plMechanism* m, plResponse response, const plRow* rows,
                    const plRow* const* ends, int count, double* W)
{
    enum { most = 64 };
    plFlesh* f = plFlesh_Of(m);
    if (count > 0) findCompliance(f);
    const double scale = responseScale(m, response);
    const plMat3 mean = axesOf(m), last = endAxesOf(m);
    Pull from[most], to;
    for (int first = 0; first < count; first += most) { // in strips: a row is prepared few times
        const int end = first + most < count ? first + most : count;
        for (int b = first; b < end; ++b) pullAlong(m, &rows[b], &mean, &from[b - first]);
        for (int a = 0; a < count; ++a) {
            const plRow* left = ends && ends[a] ? ends[a] : &rows[a];
            pullAlong(m, left, left == &rows[a] ? &mean : &last, &to);
            for (int b = first; b < end; ++b) {
                const Pull* p = &from[b - first];
                double sum = 0;
                for (int i = 0; i < to.count; ++i) {
                    for (int j = 0; j < p->count; ++j) {
                        sum += plDot(to.g[i], answer(f, to.slot[i], p->slot[j], p->g[j]));
                    }
                }
                W[a * count + b] = scale * sum;
            }
        }
    }
    return true;
}

// --- free motion

/// out += C force, of a force on candidates; zero forces cost nothing.
static void addCompliance(const plFlesh* f, const double* force, double scale, double* out)
{
    for (int j = 0; j < f->n; ++j) {
        if (force[j] == 0) continue;
        const double s = scale * force[j];
        const double* column = &f->C[j * f->n]; // C is symmetric
        for (int i = 0; i < f->n; ++i) out[i] += s * column[i];
    }
}

static void beginCorotational(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    for (int i = 0; i < f->n; ++i) f->eFree[i] = -f->u[i] / m->pass.T;
    addCompliance(f, f->load, 1 / m->pass.T, f->eFree);
    memset(f->s, 0, (size_t)f->n * sizeof(double));
}

/// Forces of the deformation at the start, and A where it changes.
static void findInside(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    f->answers = false;
    if (plFlesh_Turns(f)) {
        plSoft_TurnedForce(&f->body, f->u, f->inside);
    } else {
        plSoft_Multiply(&f->body, f->stepper.factor.mass, 0, 1, f->u, f->inside);
    }
    if (!f->K) return;
    plSoft_TurnedStiffness(&f->body, f->u, f->K);
    // It is positive for any turns: only what is not finite fails.
    if (!plSoftFactor_Refactor(&f->stepper.factor)) m->broken = true;
}

static void beginNodal(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    const plSoft* b = &f->body;
    const double T = f->stepper.T, theta = f->theta;
    if (!f->begun) {
        findInside(m);
        plSoft_Multiply(b, f->stepper.factor.mass, 1 / (theta * T), 0, f->v, f->wFree);
        for (int i = 0; i < f->nodes; ++i) {
            f->whole[i] = f->wFree[i] + f->load[i] - f->inside[i];
        }
        for (int i = 0; i < b->nodeCount; ++i) {
            const plVec3 g = plScale(b->lumped[i], m->gravity);
            plPut3(plAdd(plGet3(&f->whole[3 * i]), g), &f->whole[3 * i]);
        }
        memset(f->wFree, 0, (size_t)f->nodes * sizeof(double)); // what is held stands still
        plSoftFactor_Solve(&f->stepper.factor, f->whole, f->wFree);
        f->begun = !m->broken;
    }
    for (int i = 0; i < f->n; ++i) {
        const int at = 3 * f->candidates[i / 3] + i % 3;
        const double v0 = f->v[at];
        f->s[i] = theta < 1 ? v0 : 0;
        f->eFree[i] = v0 + (f->wFree[at] - v0) / theta;
    }
}

static void findLast(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    if (m->pass.at == pl_lineariseTrial) {
        memcpy(f->eLast, f->e, (size_t)f->n * sizeof(double));
        return;
    }
    for (int i = 0; i < f->n; ++i) f->eLast[i] = (1 - 1 / f->theta) * f->s[i];
}

static void change(const plMechanism* m, double* difference, double* size)
{
    const plFlesh* f = plFlesh_Of(m);
    const double mass = f->rigid.mass / f->body.nodeCount;
    double change = 0, all = 0;
    for (int i = 0; i < f->n; ++i) {
        const double d = f->e[i] - f->eLast[i];
        change += d * d;
        all += f->e[i] * f->e[i] + f->s[i] * f->s[i];
    }
    *difference += mass * change;
    *size += mass * all;
}

bool plFlesh_Begin(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    const bool converged = plMechanism_BeginStep(m);
    if (plFlesh_Nodal(f)) {
        beginNodal(m);
    } else {
        beginCorotational(m);
    }
    findLast(m);
    memcpy(f->e, f->eFree, (size_t)f->n * sizeof(double));
    return converged;
}

// --- trial

/// x = A^-1 of a share of the forces of rows, for all nodes.
static void solveOnNodes(plFlesh* f, double share, double* x)
{
    memset(f->whole, 0, (size_t)f->nodes * sizeof(double));
    for (int i = 0; i < f->n; ++i) f->whole[3 * f->candidates[i / 3] + i % 3] = share * f->f1[i];
    memset(x, 0, (size_t)f->nodes * sizeof(double));
    plSoftFactor_Solve(&f->stepper.factor, f->whole, x);
}

// Forces of rows on candidates.
static void sumRows(const plMechanism* m, const plRow* rows, int count, const double* p)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T;
    Pull pull;
    memset(f->f1, 0, (size_t)f->n * sizeof(double));
    for (int k = 0; k < count; ++k) {
        if (p[k] == 0) continue;
        pullOf(m, &rows[k], &pull);
        for (int i = 0; i < pull.count; ++i) {
            double* force = &f->f1[3 * pull.slot[i]];
            plPut3(plAddScaled(plGet3(force), p[k] / T, pull.g[i]), force);
        }
    }
}

bool plFlesh_Advance(plMechanism* m, const plRow* rows, int count, const double* p)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T;
    sumRows(m, rows, count, p);
    memcpy(f->e, f->eFree, (size_t)f->n * sizeof(double));
    if (count > 0) findCompliance(f);
    addCompliance(f, f->f1, T * responseScale(m, pl_responseStep), f->e);
    return plMechanism_AdvanceStep(m, rows, count, p);
}

// --- positions behind the step

/// Nodes follow a shift of their sites by the response of the step.
static void shift(plMechanism* m, const plRow* rows, int count, const double* z)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T, scale = T * responseScale(m, pl_responseShift);
    sumRows(m, rows, count, z);
    memset(f->eFree, 0, (size_t)f->n * sizeof(double));
    addCompliance(f, f->f1, scale, f->eFree);
    for (int i = 0; i < f->n; ++i) f->e[i] += f->eFree[i] / (f->theta * T);
    if (!plFlesh_Nodal(f)) {
        for (int i = 0; i < f->n; ++i) f->u1[i] += f->eFree[i], f->g1[i] += scale * f->f1[i];
        return;
    }
    solveOnNodes(f, 1, f->w);
    for (int i = 0; i < f->nodes; ++i) f->u1[i] += scale * f->w[i];
}

// --- balance
//   corotational  with all forces g = f + load, u = C g and stored = g.u/2:
//                 g1.(u1 - u0) = stored1 - stored0 + (g1 - g0).(u1 - u0)/2 + (g0.u1 - g1.u0)/2
//                 The last is zero but for the tick behind a change of C: then u0 was of another one.
// What it had at the start, plMechanism_Kinetic and _Potential have said.
//   dynamic       T w.f = change of v.M v/2 + u.K u/2 - gravity + T w.(alpha M + beta K) w
//                         + (theta - 1/2) (|v1 - v0|^2_M + |u1 - u0|^2_K)
//   lagged, elements   the same, with what is stored now in place of u.K u/2 and, K that of A and
//                 g0 the slope of what is stored at the start, what the step's model of it gives more
//                 than it is in place of (theta - 1/2) |u1 - u0|^2_K:
//                 theta |u1 - u0|^2_K + g0.(u1 - u0) - (stored1 - stored0)

static void auditCorotational(plMechanism* m, plEnergy* e)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = m->pass.T;
    double before = 0, later = 0, applied = 0, rows = 0, lost = 0, changed = 0;
    for (int i = 0; i < f->n; ++i) {
        const double g = f->f1[i] + f->load[i], du = T * f->e[i];
        f->u1[i] = f->u[i] + du;
        f->g1[i] = g;
        before += 0.5 * f->f[i] * f->u[i];
        later += 0.5 * g * f->u1[i];
        applied += f->load[i] * du;
        rows += f->f1[i] * du;
        lost += 0.5 * (g - f->f[i]) * du;
        changed += 0.5 * (f->f[i] * f->u1[i] - g * f->u[i]);
    }
    e->elastic0 += before;
    e->potential1 += later;
    e->applied += applied;
    e->rows += rows;
    e->integrator -= lost;
    e->leak -= changed;
}

static double fall(const plMechanism* m, const double* u)
{
    const plFlesh* f = plFlesh_Of(m);
    double sum = 0;
    for (int i = 0; i < f->body.nodeCount; ++i) {
        sum -= f->body.lumped[i] * plDot(m->gravity, plAdd(f->X[i], plGet3(&u[3 * i])));
    }
    return sum;
}

static double quadratic(const plMechanism* m, double a, double b, const double* x)
{
    plFlesh* f = plFlesh_Of(m);
    plSoft_Multiply(&f->now, f->stepper.factor.mass, a, b, x, f->more);
    return plDotN(x, f->more, f->nodes);
}

double plFlesh_Stored(const plMechanism* m, const double* u)
{
    if (plFlesh_Turns(plFlesh_Of(m))) return plSoft_TurnedEnergy(&plFlesh_Of(m)->body, u);
    return 0.5 * quadratic(m, 0, 1, u);
}

/// The trial of all nodes: w = w_free + A^-1 f.
static void findWhole(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = f->stepper.T;
    solveOnNodes(f, 1, f->w);
    for (int i = 0; i < f->nodes; ++i) {
        f->w[i] += f->wFree[i];
        f->u1[i] = f->u[i] + T * f->w[i];
        f->v1[i] = f->v[i] + (f->w[i] - f->v[i]) / f->theta;
    }
}

/// What implicit Euler takes, with `gain` the change of what is stored.
static double lostInStep(plMechanism* m, double gain)
{
    plFlesh* f = plFlesh_Of(m);
    double *du = f->whole, lost = 0;
    for (int i = 0; i < f->nodes; ++i) du[i] = f->u1[i] - f->u[i];
    if (plFlesh_Turns(f)) {
        lost += f->theta * quadratic(m, 0, 1, du) + plDotN(f->inside, du, f->nodes) - gain;
    } else {
        lost += (f->theta - 0.5) * quadratic(m, 0, 1, du);
    }
    for (int i = 0; i < f->nodes; ++i) du[i] = f->v1[i] - f->v[i];
    return lost + (f->theta - 0.5) * quadratic(m, 1, 0, du);
}

static void auditNodal(plMechanism* m, plEnergy* e)
{
    plFlesh* f = plFlesh_Of(m);
    const double T = f->stepper.T;
    findWhole(m);
    const double stored0 = plFlesh_Stored(m, f->u), stored1 = plFlesh_Stored(m, f->u1);
    e->kinetic1 += 0.5 * quadratic(m, 1, 0, f->v1);
    e->elastic0 += stored0;
    e->potential1 += stored1 + fall(m, f->u1);
    e->applied += T * plDotN(f->load, f->w, f->nodes);
    for (int i = 0; i < f->n; ++i) {
        e->rows += T * f->f1[i] * f->w[3 * f->candidates[i / 3] + i % 3];
    }
    e->dissipated += T * quadratic(m, f->stepper.alpha, f->stepper.beta, f->w);
    if (f->theta == 0.5) return; // exact, and only linear bodies are integrated so
    e->integrator -= lostInStep(m, stored1 - stored0);
}

void plFlesh_Audit(plMechanism* m, plEnergy* e)
{
    plMechanism_AuditStep(m, e);
    if (plFlesh_Nodal(plFlesh_Of(m))) {
        auditNodal(m, e);
    } else {
        auditCorotational(m, e);
    }
}

// --- kicks
//
// Nodes that move by themselves answer by A^-1 p/(theta T), as in a step: with the mass alone, those that are
// touched would follow whatever touches them, and take nothing of its momentum. A corotational deformation has
// no velocity to keep: only its frame is kicked.

static void backToState(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    for (int i = 0; i < f->n; ++i) {
        f->s[i] = plFlesh_Nodal(f) ? f->v[3 * f->candidates[i / 3] + i % 3] : f->e[i];
        f->eLast[i] = (1 - 1 / f->theta) * f->s[i];
    }
}

static void kickWork(const plMechanism* m, const plRow* rows, int count, const double* p,
                     double* linear, double* square)
{
    plFlesh* f = plFlesh_Of(m);
    if (!plFlesh_Nodal(f)) return;
    sumRows(m, rows, count, p);
    solveOnNodes(f, 1 / f->theta, f->w);
    plSoft_Multiply(&f->now, f->stepper.factor.mass, 1, 0, f->w, f->more);
    *linear += plDotN(f->v, f->more, f->nodes);
    *square += 0.5 * plDotN(f->w, f->more, f->nodes);
}

void plFlesh_Kicked(plMechanism* m, const double* g)
{
    plFlesh* f = plFlesh_Of(m);
    (void)g;
    for (int i = 0; f->v && i < f->nodes; ++i) f->v[i] += f->w[i];
}

// --- state

void plFlesh_Exchange(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    f->begun = false;
    if (plFlesh_Nodal(f)) {
        plExchangeNumbers(f->u, f->u1, f->nodes);
        plExchangeNumbers(f->v, f->v1, f->nodes);
        return;
    }
    plExchangeNumbers(f->u, f->u1, f->n);
    plExchangeNumbers(f->f, f->g1, f->n);
}

void plFlesh_Show(plMechanism* m, plWhen when)
{
    plFlesh* f = plFlesh_Of(m);
    const bool trial = when == pl_atEnd;
    const plFrame* at = trial ? &m->end[0].world : &m->start[0].world;
    for (int i = 0; i < f->body.nodeCount; ++i) {
        const int slot = f->slot[i], k = plFlesh_Nodal(f) ? i : slot;
        plVec3 X = k < 0 ? f->X[i] : plAdd(f->X[i], plGet3(&f->u[3 * k]));
        if (trial && slot >= 0) {
            X = plAddScaled(X, m->pass.T * (1 - f->theta), plGet3(&f->s[3 * slot]));
            X = plAddScaled(X, m->pass.T * f->theta, plGet3(&f->e[3 * slot]));
        }
        f->x[i] = plAdd(at->x, plMul(&at->R, X));
    }
}

void plFlesh_Stand(plMechanism* m)
{
    if (plFlesh_Of(m)->v)
        memset(plFlesh_Of(m)->v, 0, (size_t)plFlesh_Of(m)->nodes * sizeof(double));
}

static void brake(plMechanism* m, double s)
{
    for (int i = 0; plFlesh_Of(m)->v && i < plFlesh_Of(m)->nodes; ++i) plFlesh_Of(m)->v1[i] *= s;
}

static void shrink(const double* from, double s, double* to, int n)
{
    for (int i = 0; i < n; ++i) to[i] = from[i] + s * (to[i] - from[i]);
}

void plFlesh_Retreat(plMechanism* m, double s)
{
    plFlesh* f = plFlesh_Of(m);
    const int own = plFlesh_Nodal(f) ? f->nodes : f->n;
    plMechanism_RetreatTrial(m, s);
    shrink(f->u, s, f->u1, own);
    for (int i = 0; i < f->n; ++i) f->s[i] *= s, f->e[i] *= s; // links and gaps are found by these
    if (!plFlesh_Nodal(f)) shrink(f->f, s, f->g1, own);
    brake(m, s);
}

bool plFlesh_Finite(const plMechanism* m)
{
    double sum = 0;
    for (int i = 0; i < plFlesh_Of(m)->n; ++i) sum += plFlesh_Of(m)->e[i];
    return isfinite(sum);
}

static double kinetic(const plMechanism* m)
{
    return plFlesh_Of(m)->v ? 0.5 * quadratic(m, 1, 0, plFlesh_Of(m)->v) : 0;
}

double plFlesh_Potential(const plMechanism* m, bool trial)
{
    const plFlesh* f = plFlesh_Of(m);
    const double* u = trial ? f->u1 : f->u;
    if (plFlesh_Nodal(f)) return plFlesh_Stored(m, u) + fall(m, u);
    return 0.5 * plDotN(trial ? f->g1 : f->f, u, f->n);
}

void plFlesh_Release(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    f->begun = false;
    memset(f->load, 0, (size_t)(plFlesh_Nodal(f) ? f->nodes : f->n) * sizeof(double));
}

// What the last step left: a corotational body's own deformation has no velocity.
static plVec3 speed(const plMechanism* m, plWhen when, plSite site)
{
    const plFlesh* f = plFlesh_Of(m);
    if (when != pl_atStart || !plFlesh_Nodal(f)) {
        return plMul(&m->start[0].world.R, velocityAt(f, when, site));
    }
    const int* corners = cornersOf(f, site.part);
    plVec3 v = {0};
    double w[3];
    weightsOf(site, w);
    for (int k = 0; k < 3; ++k) v = plAddScaled(v, w[k], plGet3(&f->v[3 * corners[k]]));
    return v;
}

static void load(plMechanism* m, plSite site, plVec3 force)
{
    plFlesh* f = plFlesh_Of(m);
    const int* corners = cornersOf(f, site.part);
    const plVec3 local = plMulT(&m->start[0].world.R, force);
    double w[3];
    weightsOf(site, w);
    for (int k = 0; k < 3; ++k) {
        const int slot = f->slot[corners[k]], at = plFlesh_Nodal(f) ? corners[k] : slot;
        if (at < 0) continue;
        plPut3(plAddScaled(plGet3(&f->load[3 * at]), w[k], local), &f->load[3 * at]);
    }
}

const plDeformOps plFleshDeform = {
    .carried = carried,
    .displacement = displacement,
    .corners = cornerPoints,
    .speed = speed,
    .velocity = velocity,
    .endVelocity = endVelocity,
    .response = respond,
    .shift = shift,
    .load = load,
    .rewind = backToState,
    .kickWork = kickWork,
    .change = change,
    .brake = brake,
    .kinetic = kinetic,
    .potential = plFlesh_Potential,
    .surface = plFlesh_Surface,
    .show = plFlesh_Show,
    .largestSpeed = plFlesh_LargestSpeed,
    .wholePoints = plFlesh_WholePoints,
    .rowCost = plFlesh_RowCost,
    .info = plFlesh_Info,
    .hold = plFlesh_Hold,
    .heldFace = plFlesh_HeldFace,
};
