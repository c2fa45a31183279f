// A step of a jointed assembly: forces first, then impulses, then positions.      (nurbs C9, C14)
//   free motion   classical Runge and Kutta on M a + C^T lambda = Q, C a = gamma; quaternions as
//                 q' = q w/2, made unit at every stage, which keeps the order
//   then          positions are shifted onto the joints, and the velocity closed there
//   rows          V1 = Vfree + alpha L J^T p with the joints of x_k; positions answer by T/2 times
//                 that (where the law lets them follow, they go by T V1), are shifted again, and v1 is V1
//                 closed at the end
// Balance, with mean = (V0 + V1)/2 and the impulses of which V1 - V0 is the sum: each from the force
// that was used, none from a kinetic energy.
//   integrator    T mean.(forces and multipliers of the stages) against the true change of potentials
//                 and the damper's mean of b u^2
//   drift         what shifts of positions cost, and the impulses that closed velocities gave
#include "mechanism/jointed.h"

#include <string.h>

static size_t bytesOf(int count) { return (size_t)count * sizeof(double); }

static double potential(const plMechanism* m, const plPlace* places)
{
    return m->ops->gravityEnergy(m, places) + plJointed_Spring(m, places);
}

double plJointed_Force(const plMechanism* m, const plPlace* places, const double* v, double* force)
{
    const plJointed* x = plJointed_Of(m);
    memcpy(force, m->applied, bytesOf(m->n));
    for (int b = 0; b < x->bodyCount; ++b) {
        const plJointedBody* body = &x->bodies[b];
        const plVec3 w = plGet3(v + 6 * b + 3);
        double* f = force + 6 * b;
        plPut3(plAddScaled(plGet3(f), body->mass, m->gravity), f);
        plPut3(plSub(plGet3(f + 3), plCross(w, plMul(&body->inertia, w))), f + 3);
    }
    return plJointed_Springs(m, places, v, force);
}

// --- free motion

static void ratesOf(const plMechanism* m, const double* q, const double* v, double* rate)
{
    for (int b = 0; b < plJointed_Of(m)->bodyCount; ++b, q += 7, v += 6, rate += 7) {
        const plQuat w = {0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
        plPut3(plGet3(v), rate);
        plPut4(plQuatMul(plGet4(q + 3), w), rate + 3);
    }
}

// to = from + s rate, with unit quaternions.
static void goOn(const plMechanism* m, const double* from, double s, const double* rate, double* to)
{
    for (int i = 0; i < m->positions; ++i) to[i] = from[i] + s * rate[i];
    for (int b = 0; b < plJointed_Of(m)->bodyCount; ++b) {
        plPut4(plQuatUnit(plGet4(to + 7 * b + 3)), to + 7 * b + 3);
    }
}

static void add(double s, const double* a, int n, double* sum)
{
    for (int i = 0; i < n; ++i) sum[i] += s * a[i];
}

// Accelerations and rates at the stage in qs, vs; adds them and the forces to the means.
static void meetStage(plMechanism* m, plJointFactor* f, const plPlace* places, double weight)
{
    plJointed* x = plJointed_Of(m);
    double* held = m->work[5];
    const double power = plJointed_Force(m, places, x->vs, x->force);
    const bool known = f == &x->now && memcmp(x->vs, m->v, bytesOf(m->n)) == 0;
    if (!known) plJointed_Meet(m, f, places, x->vs);
    if (!known && !f->squared) plJointed_Factor(m, f);
    plJointed_Accelerate(m, f, x->force, x->as, held);
    ratesOf(m, x->qs, x->vs, x->rate);
    add(weight, x->rate, m->positions, x->dq);
    add(weight, x->as, m->n, x->dv);
    add(weight, x->force, m->n, x->given);
    add(weight, held, m->n, x->held);
    x->lost += m->pass.T * weight * power;
}

// Both stages halfway are so near to each other that they share a factor.
static void runStages(plMechanism* m)
{
    static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    plJointed* x = plJointed_Of(m);
    plJointFactor* const factors[4] = {&x->now, &x->middle, &x->middle, &x->stage};
    plPlace* const places[4] = {m->start, x->half, x->half, x->places};
    double* const means[] = {x->dv, x->given, x->held};
    for (int i = 0; i < PL_COUNT(means); ++i) memset(means[i], 0, bytesOf(m->n));
    memset(x->dq, 0, bytesOf(m->positions));
    memset(x->as, 0, bytesOf(m->n));
    memset(x->rate, 0, bytesOf(m->positions));
    x->lost = 0;
    plJointed_Adopt(m, &x->middle);
    plJointed_Adopt(m, &x->stage);
    for (int stage = 0; stage < 4; ++stage) {
        const double s = reach[stage] * m->pass.T;
        goOn(m, m->q, s, x->rate, x->qs);
        for (int i = 0; i < m->n; ++i) x->vs[i] = m->V0[i] + s * x->as[i];
        if (stage > 0) m->ops->place(m, x->qs, places[stage]);
        meetStage(m, factors[stage], places[stage], weight[stage] / 6);
    }
}

// Contacts are met at the start; links, as their rows, halfway, which is what makes them of second order.
static plJointFactor* responseOf(const plMechanism* m)
{
    return m->pass.at == pl_lineariseStart ? &plJointed_Of(m)->now : &plJointed_Of(m)->middle;
}

// What links and contacts add to the free motion: they see it with what spin and dampers give at the velocity
// of the last trial.
static void addExtra(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    const int n = m->n;
    double *g = m->work[0], *dv = m->work[1];
    for (int i = 0; i < n; ++i) g[i] = m->pass.T * x->extra[i];
    plJointed_Respond(m, responseOf(m), g, dv, NULL);
    for (int i = 0; i < n; ++i) {
        m->Vfree[i] = x->pure[i] + dv[i];
        m->dVfree[i] = m->Vfree[i] - m->V0[i];
    }
}

bool plJointed_Free(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    const double T = m->pass.T;
    runStages(m);
    goOn(m, m->q, T, x->dq, x->qStar);
    for (int i = 0; i < m->n; ++i) x->pure[i] = m->V0[i] + T * x->dv[i];
    m->ops->place(m, x->qStar, x->places);
    const double before = potential(m, m->start), star = potential(m, x->places);
    memcpy(m->qfree, x->qStar, bytesOf(m->positions));
    const double error = plJointed_Shift(m, &x->stage, m->qfree, m->free);
    if (!(error <= 1e-6)) m->broken = true; // joints that Newton does not close: no trial to keep
    x->fallFree = star - before;
    x->shiftFree = potential(m, m->free) - star;
    plJointed_Close(m, &x->stage, x->pure, x->closing);
    memset(x->extra, 0, bytesOf(m->n));
    x->lostExtra = 0;
    for (int i = 0; i < m->n; ++i) {
        m->Vfree[i] = x->pure[i];
        m->dVfree[i] = m->Vfree[i] - m->V0[i];
    }
    return true;
}

// Forces that depend on velocities were those of the free motion. Halfway, the last trial has them otherwise: half
// of what its rows give is there by then.
static void findExtra(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    const int n = m->n;
    double* v = m->work[0];
    for (int i = 0; i < n; ++i) v[i] = 0.5 * (m->V0[i] + x->pure[i]);
    x->lostExtra = -m->pass.T * plJointed_Force(m, x->half, v, x->extra);
    for (int i = 0; i < n; ++i) v[i] = 0.5 * (m->V0[i] + m->V1[i]);
    x->lostExtra += m->pass.T * plJointed_Force(m, x->half, v, x->force);
    for (int i = 0; i < n; ++i) x->extra[i] = x->force[i] - x->extra[i];
    addExtra(m);
}

// The way of all bodies from the state to q, by which `move` goes there in the step.
static void wayTo(const plMechanism* m, const double* q, double* way)
{
    const double s = 1 / m->pass.T;
    for (int b = 0; b < plJointed_Of(m)->bodyCount; ++b) {
        const double *from = m->q + 7 * b, *to = q + 7 * b;
        const plQuat turn = plQuatMul(plQuatConj(plGet4(from + 3)), plGet4(to + 3));
        plPut3(plScale(s, plSub(plGet3(to), plGet3(from))), way + 6 * b);
        plPut3(plScale(s, plLogQuat(turn)), way + 6 * b + 3);
    }
}

// Contacts are met at the start; links at the mean of the start and the free motion or the trial.
static void chart(plMechanism* m)
{
    const bool trial = m->pass.at == pl_lineariseTrial;
    const double* q = trial ? m->q1 : m->qfree;
    double *way = m->work[5], *half = m->work[0], *angle = m->work[1];
    if (m->pass.at == pl_lineariseStart) {
        m->chart = m->startChart;
        memset(way, 0, bytesOf(m->n));
        plMechanism_FindLast(m, way);
        return;
    }
    wayTo(m, q, way);
    memcpy(m->Vlast, trial ? m->V1 : m->Vfree, bytesOf(m->n));
    memcpy(m->qLast, q, bytesOf(m->positions));
    m->ops->move(m, m->q, 0.5 * m->pass.T, way, half);
    m->ops->place(m, half, m->middle);
    m->ops->place(m, q, m->last);
    m->ops->turns(m, m->q, q, angle);
    for (int b = 0; b < m->parts; ++b) m->kappa[b] = plTanRatio(fmin(angle[b], 2));
    m->chart = (plChart){m->start, m->last, m->middle, m->kappa, NULL};
}

// The free motion is found once in a step.
bool plJointed_Begin(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    const bool again = m->pass.at == pl_lineariseTrial && x->isFree;
    memcpy(m->V0, m->v, bytesOf(m->n));
    memcpy(m->M, m->Mk, bytesOf(m->n * m->n));
    memset(m->rowForce, 0, bytesOf(m->n));
    memset(x->struck, 0, bytesOf(m->n));
    if (again) {
        findExtra(m);
    } else {
        if (x->foot) memcpy(x->near, x->foot, bytesOf(3 * x->jointCount));
        plJointed_Free(m);
        x->isFree = true;
    }
    chart(m);
    return true;
}

// --- rows

double plJointed_Theta(const plMechanism* m) { return m->pass.follows ? 1 : 0.5; }

void plJointed_SolveMass(const plMechanism* m, double* b)
{
    plJointed_Respond(m, &plJointed_Of(m)->now, b, b, NULL);
}

void plJointed_SolveStep(const plMechanism* m, double* b)
{
    plJointed_Respond(m, responseOf(m), b, b, NULL);
}

void plJointed_Struck(plMechanism* m, const double* g)
{
    add(1, g, m->n, plJointed_Of(m)->struck);
    plJointed_Of(m)->isFree = false;
}

static bool isZero(const double* a, int n)
{
    for (int i = 0; i < n; ++i) {
        if (a[i] != 0) return false;
    }
    return true;
}

// What no row touches ends as the free motion, to the last bit.
static void followFree(plMechanism* m)
{
    plJointed* x = plJointed_Of(m);
    memcpy(m->q1, m->qfree, bytesOf(m->positions));
    m->ops->place(m, m->q1, m->end);
    memcpy(m->v1, m->V1, bytesOf(m->n));
    memset(x->settled, 0, bytesOf(m->n));
    x->fallRows = x->shiftRows = 0;
}

static void followRows(plMechanism* m, const double* dV)
{
    plJointed* x = plJointed_Of(m);
    const double T = m->pass.T;
    if (m->pass.follows) {
        m->ops->move(m, m->q, T, m->V1, m->q1);
    } else {
        m->ops->move(m, m->qfree, plMechanism_Theta(m) * T, dV, m->q1);
    }
    m->ops->place(m, m->q1, x->places);
    const double moved = potential(m, x->places);
    const double error = plJointed_Shift(m, &x->stage, m->q1, m->end);
    if (!(error <= 1e-6)) m->broken = true;
    x->fallRows = moved - potential(m, m->free);
    x->shiftRows = potential(m, m->end) - moved;
    memcpy(m->v1, m->V1, bytesOf(m->n));
    plJointed_Close(m, &x->stage, m->v1, x->settled);
}

bool plJointed_Advance(plMechanism* m, const plRow* rows, int count, const double* p)
{
    (void)rows, (void)count, (void)p; // rowForce has them
    plJointed* x = plJointed_Of(m);
    double *dV = m->dV, *g = m->work[0];
    for (int i = 0; i < m->n; ++i) g[i] = m->rowForce[i] + m->pass.T * x->extra[i];
    plJointed_Respond(m, responseOf(m), g, dV, x->answer);
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] = x->pure[i] + dV[i];
        m->mean[i] = 0.5 * (m->V0[i] + m->V1[i]);
    }
    if (isZero(g, m->n)) {
        followFree(m);
    } else {
        followRows(m, dV);
    }
    for (int i = 0; i < m->n; ++i) dV[i] = m->V1[i] - m->V0[i];
    wayTo(m, m->q1, m->way);
    return true;
}

static double kineticOf(const plMechanism* m, const double* v)
{
    return 0.5 * plQuadN(v, m->Mk, v, m->n);
}

void plJointed_Displace(plMechanism* m, const double* z, plEnergy* e)
{
    plJointed* x = plJointed_Of(m);
    double *w = m->work[5], *impulse = m->work[0];
    plJointed_Respond(m, &x->now, z, w, NULL);
    m->ops->move(m, m->q1, 1, w, m->q1);
    plJointed_Shift(m, &x->stage, m->q1, m->end);
    plJointed_Close(m, &x->stage, m->v1, impulse);
    const double stored = potential(m, m->end), kinetic = kineticOf(m, m->v1);
    e->drift += stored + kinetic - e->potential1 - e->kinetic1;
    e->potential1 = stored;
    e->kinetic1 = kinetic;
}

// --- balance

void plJointed_Audit(plMechanism* m, plEnergy* e)
{
    const plJointed* x = plJointed_Of(m);
    const int n = m->n;
    const double T = m->pass.T;
    const double* mean = m->mean;
    *e = (plEnergy){.kinetic0 = plMechanism_Kinetic(m),
                    .potential0 = plMechanism_Potential(m),
                    .elastic0 = plJointed_Spring(m, m->start),
                    .kinetic1 = kineticOf(m, m->v1),
                    .potential1 = potential(m, m->end),
                    .applied = T * plDotN(m->applied, mean, n),
                    .rows = plDotN(m->rowForce, mean, n) + m->strikeWork,
                    .dissipated = x->lost + x->lostExtra};
    const double forces =
        plDotN(x->given, mean, n) + plDotN(x->held, mean, n) + plDotN(x->extra, mean, n);
    e->integrator = T * forces - e->applied + x->fallFree + x->fallRows + e->dissipated;
    e->drift =
        x->shiftFree + x->shiftRows + plDotN(x->closing, mean, n) + plDotN(x->answer, mean, n);
    for (int i = 0; i < n; ++i) e->drift += 0.5 * x->settled[i] * (m->V1[i] + m->v1[i]);
}
