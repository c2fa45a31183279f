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
#include "mechanism/kind.h"

#include <string.h>

// R exp(S(a + d)) = R exp(S(a)) exp(S(Jr d)) to the first order of d.
plMat3 plRightJacobian(plVec3 a)
{
    const double xx = plDot(a, a), x = sqrt(xx);
    const bool small = xx < 1e-6;
    const double first = small ? 0.5 - xx / 24 : (1 - cos(x)) / xx;
    const double second = small ? 1.0 / 6 - xx / 120 : (x - sin(x)) / (xx * x);
    const plMat3 I = plIdentity3(), S = plSkew(a), SS = plMatMul(&S, &S);
    const plMat3 J = plMatAdd(&I, -first, &S);
    return plMatAdd(&J, second, &SS);
}

// --- geometric stiffness

void plMechanism_ClearStiffness(plMechanism* m, double T, plWhen when)
{
    m->pass.T = T;
    m->stiffAt = when == pl_atStart ? m->start : m->end;
    if (m->hasGeometric) memset(m->geometric, 0, (size_t)(m->n * m->n) * sizeof(double));
    m->hasGeometric = false;
}

void plMechanism_AddStiffness(plMechanism* m, plSite site, plVec3 impulse)
{
    const bool takes = plMechanism_Exact(m) && m->ops->addStiffness;
    if (!takes || plDot(impulse, impulse) == 0) return;
    m->hasGeometric = true;
    m->ops->addStiffness(m, site, impulse);
}

void plMechanism_AddTurnStiffness(plMechanism* m, plSite site, double s)
{
    const bool takes = plMechanism_Exact(m) && m->ops->addTurnStiffness;
    if (!takes || s == 0) return;
    m->hasGeometric = true;
    m->ops->addTurnStiffness(m, site, s);
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
    const int n = m->n, first = m->ops->separate ? 3 : 0, order = n - first;
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

double plMechanism_Turn(const plMechanism* m) { return m->ops->turn ? m->ops->turn(m) : 0; }

double plMechanism_Way(const plMechanism* m)
{
    double most = 0;
    for (int i = 0; i < m->n; ++i) most = fmax(most, fabs(m->way[i]));
    return m->pass.T * most;
}

// x M x
static double square(const plMechanism* m, const double* x)
{
    const double* M = m->M;
    if (!m->ops->separate) return plQuadN(x, M, x, m->n);
    const plMat3 turns = {plGet3(M + 21), plGet3(M + 27), plGet3(M + 33)};
    const plVec3 w = plGet3(x + 3);
    return M[0] * x[0] * x[0] + M[7] * x[1] * x[1] + M[14] * x[2] * x[2] +
           plDot(w, plMul(&turns, w));
}

void plMechanism_Change(const plMechanism* m, double* difference, double* size)
{
    double* d = m->work[0];
    if (!m->traits.yields) return;
    for (int i = 0; i < m->n; ++i) d[i] = m->V1[i] - m->Vlast[i];
    *difference += square(m, d);
    *size += square(m, m->V1) + square(m, m->V0);
    if (m->ops->deform) m->ops->deform->change(m, difference, size);
}

void plMechanism_Shorten(plMechanism* m, double s)
{
    if (m->ops->shorten) m->ops->shorten(m, s);
}

// An intermediate trial only: its momentum is not balanced.
void plMechanism_ShortenTrial(plMechanism* m, double s)
{
    const double theta = plMechanism_Theta(m);
    for (int i = 0; i < m->n; ++i) {
        m->V1[i] = m->Vlast[i] + s * (m->V1[i] - m->Vlast[i]);
        m->way[i] = m->V0[i] + theta * (m->V1[i] - m->V0[i]);
    }
    m->ops->move(m, m->q, m->pass.T, m->way, m->q1);
    m->ops->place(m, m->q1, m->end);
}

// --- rows at the end

// Turns of a quaternion go by exp: three numbers of a row become those of the vector that is exponentiated.
void plMechanism_TurnBack(const double* from, const double* to, int at, const plEndRows* x)
{
    const plMat3 Jr = plRightJacobian(plLogQuat(plQuatMul(plQuatConj(plGet4(from)), plGet4(to))));
    for (int k = 0; k < x->count; ++k) {
        double* g = &x->g[k * x->n + at];
        if (x->wanted[x->list[k]]) plPut3(plMulT(&Jr, plGet3(g)), g);
    }
}

static bool anyWanted(const plEndRows* x)
{
    bool any = false;
    for (int k = 0; k < x->count && !any; ++k) any = x->wanted[x->list[k]];
    return any;
}

void plMechanism_EndJacobians(const plMechanism* m, const plRow* rows, const int* list,
                              const bool* wanted, int count, double* g)
{
    const plEndRows x = {rows, list, wanted, count, m->n, g};
    const bool still = m->pass.at == pl_lineariseStart;
    const plChart ends = still ? m->startChart : (plChart){m->last, m->last, m->last, NULL, NULL};
    const double s = 2 * plMechanism_Theta(m);
    if (!anyWanted(&x)) return;
    for (int k = 0; k < count; ++k) {
        if (wanted[list[k]]) plMechanism_EndRow(m, &ends, &rows[list[k]], &g[k * m->n]);
    }
    if (!still && m->ops->turnRows) m->ops->turnRows(m, &x);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; wanted[list[k]] && i < m->n; ++i) g[k * m->n + i] *= s;
    }
}
