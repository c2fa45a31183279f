// Newton's method on the positions at the end of a step: how rows at the end of the trial answer to a
// change of velocity, and the geometric stiffness of the impulses that links carry.
//
// The momentum of a step has the impulses J^T p of its rows, and J depends on where the step ends. With
// U the velocity that moves positions,
//     G = -d(J(U)^T p)/dU
// is the geometric stiffness: without it a fixed-point iteration on J diverges as soon as
// T^2 F r/(4 J) > 1 for a force F at an arm r of a body with inertia J. (Tournier et al. 2015 have the
// same term for the implicit Euler step.) A + G/2 takes the place of A, and G/2 (V - V0) of the trial
// stands on the right side, so that nothing changes once the trial repeats itself.
#include "mechanism/chain.h"
#include "mechanism/flesh.h"
#include "mechanism/kind.h"

#include <string.h>

// R exp(S(a + d)) = R exp(S(a)) exp(S(Jr d)) to the first order of d.
static plMat3 rightJacobian(plVec3 a)
{
    const double xx = plDot(a, a), x = sqrt(xx);
    const bool small = xx < 1e-6;
    const double first = small ? 0.5 - xx / 24 : (1 - cos(x)) / xx;
    const double second = small ? 1.0 / 6 - xx / 120 : (x - sin(x)) / (xx * x);
    const plMat3 I = plIdentity3(), S = plSkew(a), SS = plMatMul(&S, &S);
    const plMat3 J = plMatAdd(&I, -first, &S);
    return plMatAdd(&J, second, &SS);
}

// d/dx of tan(x/2)/(x/2), for the range in which linearise.c lets it grow.
static double tanRatioSlope(double x)
{
    if (x >= 2) return 0;
    if (x < 1e-3) return x / 6;
    const double h = 0.5 * x, t = tan(h);
    return 0.5 * ((1 + t * t) * h - t) / (h * h);
}

// --- geometric stiffness

// Torque of an impulse l at the point r of a body: kappa r x (Rbar^T l), Rbar the mean of the two
// rotations, kappa(|T w|). With a = R1^T l and the turn T w of the step,
//     G = kappa T/2 ((r.a) I - a r^T) Jr(T w) - T kappa' (r x Rbar^T l) (T w)^T/|T w|
static void addBody(plMechanism* m, plVec3 r, plVec3 l)
{
    const double T = m->pass.T;
    const plMat3 *R0 = &m->start->world.R, *R1 = &m->stiffAt->world.R;
    const plMat3 turn = plTransMul(R0, R1), mean = plMean(R0, R1);
    const plVec3 phi = plLog(&turn), a = plMulT(R1, l), arm = plCross(r, plMulT(&mean, l));
    const double x = plNorm(phi), kappa = plTanRatio(fmin(x, 2)), s = 0.5 * T * kappa;
    const double along = plDot(r, a);
    plMat3 G = {plScale(-s * a.x, r), plScale(-s * a.y, r), plScale(-s * a.z, r)};
    G.x.x += s * along, G.y.y += s * along, G.z.z += s * along;
    const plMat3 Jr = rightJacobian(phi);
    G = plMatMul(&G, &Jr);
    const double slope = x > 0 ? T * tanRatioSlope(x) / x : 0;
    const double* axis = &phi.x;
    double* out = m->geometric;
    for (int j = 0; j < 3; ++j) {
        out[6 * 3 + 3 + j] += (&G.x.x)[j] - slope * arm.x * axis[j];
        out[6 * 4 + 3 + j] += (&G.y.x)[j] - slope * arm.y * axis[j];
        out[6 * 5 + 3 + j] += (&G.z.x)[j] - slope * arm.z * axis[j];
    }
}

// A velocity of a joint that carries a point: how the point moves, and about which axis all that the
// joint carries turns (zero: it shifts).
typedef struct {
    int velocity;
    plVec3 way, axis;
} Column;

enum { mostColumns = 96 };

// Outermost first. Modes of beams are left out: their part of G is small.
static int columnsOf(const plMechanism* m, int part, plVec3 x, Column* columns)
{
    const plChain* c = m->chain;
    int count = 0;
    for (int b = part; b >= 0; b = c->bodies[b].parent) {
        const plBody* body = &c->bodies[b];
        const plFrame* world = &m->stiffAt[b].world;
        for (int k = body->turns - 1; k >= 0 && count < mostColumns; --k) {
            const plVec3 axis = plMul(&world->R, body->turnAxes[k]);
            columns[count++] =
                (Column){body->v0 + body->shifts + k, plCross(axis, plSub(x, world->x)), axis};
        }
        const plMat3 toJoint = plTranspose(&m->stiffAt[b].E), joint = plMatMul(&world->R, &toJoint);
        for (int k = body->shifts - 1; k >= 0 && count < mostColumns; --k) {
            columns[count++] = (Column){body->v0 + k, plMul(&joint, body->shiftAxes[k]), {0, 0, 0}};
        }
    }
    return count;
}

// J moves by half as much as the end does: G_ij = -T/2 l.d^2x/dq_i dq_j, and the inner of two joints
// carries the outer one's column with it: axis_i x column_j.
static void addChain(plMechanism* m, int part, plVec3 point, plVec3 l)
{
    Column columns[mostColumns];
    const plFrame* world = &m->stiffAt[part].world;
    const plVec3 x = plAdd(world->x, plMul(&world->R, point));
    const int count = columnsOf(m, part, x, columns), n = m->n;
    const double s = 0.5 * m->pass.T;
    for (int j = 0; j < count; ++j) {
        for (int i = j; i < count; ++i) {
            const double g = -s * plDot(l, plCross(columns[i].axis, columns[j].way));
            const int vi = columns[i].velocity, vj = columns[j].velocity;
            m->geometric[vi * n + vj] += g;
            if (i != j) m->geometric[vj * n + vi] += g;
        }
    }
}

// On turns of a part: s I in world axes.
void plMechanism_AddTurnStiffness(plMechanism* m, plSite site, double s)
{
    const bool takes = m->integrator == pl_integratorMidpoint && !m->target && !m->jointed;
    Column columns[mostColumns];
    if (!takes || m->flesh || s == 0) return;
    m->hasGeometric = true;
    if (m->kind->body) {
        for (int i = 3; i < 6; ++i) m->geometric[7 * i] += s;
        return;
    }
    const int count = columnsOf(m, site.part, plVec(0, 0, 0), columns), n = m->n;
    for (int i = 0; i < count * count; ++i) {
        const Column *a = &columns[i / count], *b = &columns[i % count];
        m->geometric[a->velocity * n + b->velocity] += s * plDot(a->axis, b->axis);
    }
}

void plMechanism_ClearStiffness(plMechanism* m, double T, plWhen when)
{
    m->pass.T = T;
    m->stiffAt = when == pl_atStart ? m->start : m->end;
    if (m->hasGeometric) memset(m->geometric, 0, (size_t)(m->n * m->n) * sizeof(double));
    m->hasGeometric = false;
}

void plMechanism_AddStiffness(plMechanism* m, plSite site, plVec3 impulse)
{
    const bool takes = m->integrator == pl_integratorMidpoint && !m->target && !m->jointed;
    if (!takes || m->flesh || plDot(impulse, impulse) == 0) return;
    m->hasGeometric = true;
    if (m->kind->body) {
        addBody(m, site.point, impulse);
    } else {
        addChain(m, site.part, site.point, impulse);
    }
}

// Cyclic Jacobi: A becomes diagonal, U its vectors by columns. Orders of mechanisms are small.
static void diagonalise(double* A, double* U, int n)
{
    enum { sweeps = 12 };
    memset(U, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i) U[i * (n + 1)] = 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        double off = 0, all = 0;
        for (int i = 0; i < n * n; ++i) all += A[i] * A[i], off += i % (n + 1) ? A[i] * A[i] : 0;
        if (off <= 1e-28 * all) return;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (A[p * n + q] == 0) continue;
                const double tau = (A[q * (n + 1)] - A[p * (n + 1)]) / (2 * A[p * n + q]);
                const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                const double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                    const double v = U[k * n + p], w = U[k * n + q];
                    U[k * n + p] = c * v - s * w, U[k * n + q] = s * v + c * w;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                }
            }
        }
    }
}

void plMechanism_KeepPositive(plMechanism* m)
{
    const int n = m->n, first = m->kind->body ? 3 : 0, order = n - first;
    double *G = m->geometric, *A = m->square[0], *U = m->square[1];
    if (!m->hasGeometric) return;
    for (int i = 0; i < order * order; ++i) {
        const int row = first + i / order, column = first + i % order;
        A[i] = 0.5 * (G[row * n + column] + G[column * n + row]);
    }
    diagonalise(A, U, order);
    for (int i = 0; i < order * order; ++i) {
        const int row = i / order, column = i % order;
        double sum = 0;
        for (int k = 0; k < order; ++k) {
            sum += U[row * order + k] * fmax(0, A[k * (order + 1)]) * U[column * order + k];
        }
        G[(first + row) * n + first + column] = sum;
    }
}

// --- trials that go too far

double plMechanism_Turn(const plMechanism* m)
{
    double most = 0;
    if (m->target || m->jointed || m->flesh) return 0;
    if (m->kind->body) return m->pass.T * plNorm(plGet3(m->way + 3));
    for (int b = 0; b < m->chain->bodyCount; ++b) {
        const plBody* body = &m->chain->bodies[b];
        double sum = 0;
        for (int k = 0; k < body->turns; ++k) {
            const double w = m->way[body->v0 + body->shifts + k];
            sum += w * w;
        }
        most = fmax(most, sum);
    }
    return m->pass.T * sqrt(most);
}

double plMechanism_Way(const plMechanism* m)
{
    double most = 0;
    for (int i = 0; i < m->n; ++i) most = fmax(most, fabs(m->way[i]));
    return m->pass.T * most;
}

void plMechanism_Change(const plMechanism* m, double* difference, double* size)
{
    double* d = m->work[0];
    if (m->target) return;
    for (int i = 0; i < m->n; ++i) d[i] = m->V1[i] - m->Vlast[i];
    *difference += plQuadN(d, m->M, d, m->n);
    *size += plQuadN(m->V1, m->M, m->V1, m->n) + plQuadN(m->V0, m->M, m->V0, m->n);
    if (m->flesh) plFlesh_Change(m, difference, size);
}

// An intermediate trial only: its momentum is not balanced.
void plMechanism_Shorten(plMechanism* m, double s)
{
    if (m->target || m->jointed || m->flesh) return;
    const double theta = plMechanism_Theta(m);
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] = m->Vlast[i] + s * (m->V1[i] - m->Vlast[i]);
        m->way[i] = m->V0[i] + theta * (m->V1[i] - m->V0[i]);
    }
    m->kind->move(m, m->q, m->pass.T, m->way, m->q1);
    m->kind->place(m, m->q1, m->end);
}

// --- rows at the end

// Rows of a mechanism that are wanted at the end, each of n numbers in g.
typedef struct {
    const plRow* rows;
    const int* list;
    const bool* wanted; ///< by the place in `rows`
    int count, n;
    double* g;
} EndRows;

// Turns of a quaternion go by exp: three numbers of a row become those of the vector that is exponentiated.
static void turnBack(const double* from, const double* to, int at, const EndRows* x)
{
    const plMat3 Jr = rightJacobian(plLogQuat(plQuatMul(plQuatConj(plGet4(from)), plGet4(to))));
    for (int k = 0; k < x->count; ++k) {
        double* g = &x->g[k * x->n + at];
        if (x->wanted[x->list[k]]) plPut3(plMulT(&Jr, plGet3(g)), g);
    }
}

static void turnRows(const plMechanism* m, const EndRows* x)
{
    if (m->kind->body) {
        turnBack(m->q + 3, m->qLast + 3, 3, x);
        return;
    }
    for (int b = 0; m->chain && b < m->chain->bodyCount; ++b) {
        const plBody* body = &m->chain->bodies[b];
        const int at = plJoint_QuatAt(body->joint), from = body->q0 + at;
        if (at >= 0) turnBack(m->q + from, m->qLast + from, body->v0 + body->shifts, x);
    }
}

static bool anyWanted(const EndRows* x)
{
    bool any = false;
    for (int k = 0; k < x->count && !any; ++k) any = x->wanted[x->list[k]];
    return any;
}

void plMechanism_EndJacobians(const plMechanism* m, const plRow* rows, const int* list,
                              const bool* wanted, int count, double* g)
{
    const EndRows x = {rows, list, wanted, count, m->n, g};
    const bool still = m->pass.at == pl_lineariseStart;
    const plChart ends = still ? m->startChart : (plChart){m->last, m->last, m->last, NULL, NULL};
    const double s = 2 * plMechanism_Theta(m);
    if (!anyWanted(&x)) return;
    for (int k = 0; k < count; ++k) {
        if (wanted[list[k]]) plMechanism_EndRow(m, &ends, &rows[list[k]], &g[k * m->n]);
    }
    if (!still && !m->target && !m->jointed) turnRows(m, &x);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; wanted[list[k]] && i < m->n; ++i) g[k * m->n + i] *= s;
    }
}
