// The passive midpoint integrator.                                     (pmi eq. 9, 13, 20, 39, 40)
// With x the velocity of the step (H V where the mass varies, xi but for a turn, else V), N its mass
// (I, or M), Q skew, X = H^-T (B + T/2 D) H^-1 (or B + T/2 D) and f the forces that do not depend on
// the step,
//     (N + T/2 (Q + X)) dx = T (H^-T (f - K (y + T/2 V0) - B V0) - Q x0),   q1 = q (+) T H^-1 (x0 + dx/2).
// A solve on x has the condition of the step, not that of M: for chains of light links that is
// what keeps the energy. Numerical damping beta 2M/T of a level adds beta N to A.
#include "mechanism/kind.h"

#include <string.h>

// b <- H^-T b, from forces to the space of x.
static void toSpace(const plMechanism* m, double* b)
{
    if (plMechanism_Transformed(m)) plMechanism_SolveHT(m, m->P, b);
}

static void fromSpace(const plMechanism* m, const double* x, double* V)
{
    if (plMechanism_Transformed(m)) {
        plMechanism_SolveH(m, m->P, x, V);
    } else {
        memmove(V, x, (size_t)m->n * sizeof *V);
    }
}

// x at the start, in m->work[0] where it is not V.
static const double* startOf(const plMechanism* m)
{
    if (!plMechanism_Transformed(m)) return m->V0;
    plMechanism_ToStep(m, m->P, m->xi0, m->work[0]);
    return m->work[0];
}

// out = N x
static void massTimes(const plMechanism* m, const double* x, double* out)
{
    if (plMechanism_Transformed(m)) {
        memmove(out, x, (size_t)m->n * sizeof *out);
    } else {
        plMatVec(m->M, m->n, m->n, m->n, x, out);
    }
}

// E <- H^-T E H^-1: on rows, then on columns.
static void transformMatrix(const plMechanism* m, double* E)
{
    const int n = m->n;
    double* column = m->work[0];
    if (m->route == pl_routeCholesky) {
        plChol_LowerRight(m->P.F, n, E, false);
        plChol_LowerLeft(m->P.F, n, E);
        return;
    }
    for (int i = 0; i < n; ++i) plMechanism_SolveHT(m, m->P, &E[i * n]);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) column[i] = E[i * n + j];
        plMechanism_SolveHT(m, m->P, column);
        for (int i = 0; i < n; ++i) E[i * n + j] = column[i];
    }
}

static plMat3 turnsOf(const plMechanism* m)
{
    return (plMat3){plGet3(m->A + 21), plGet3(m->A + 27), plGet3(m->A + 33)};
}

// A of separate shifts and turns: the shifts are divided by the diagonal, the turns have a matrix of three rows, which is
// inverted once for all rows that ask.
static bool factor(plMechanism* m)
{
    if (!m->ops->separate) return plLu_Factor(m->A, m->n, m->pivot);
    const double* A = m->A;
    const plMat3 turn = turnsOf(m);
    return A[0] != 0 && A[7] != 0 && A[14] != 0 && plInverse3(&turn, &m->turnInverse);
}

// The inverse of the turns holds products of two moments of inertia, which round alike in every step:
// the energy of a body that turns by radians a step would drift by up to 1e-16 a step. A correction by
// the residual rounds otherwise every time.
static void solve(const plMechanism* m, double* b)
{
    if (!m->ops->separate) {
        plLu_Solve(m->A, m->n, m->pivot, b);
        return;
    }
    for (int i = 0; i < 3; ++i) b[i] /= m->A[7 * i];
    const plMat3 A = turnsOf(m);
    const plVec3 right = plGet3(b + 3), x = plMul(&m->turnInverse, right);
    const plVec3 rest = plSub(right, plMul(&A, x));
    plPut3(plAdd(x, plMul(&m->turnInverse, rest)), b + 3);
}

bool plMidpoint_Inertia(plMechanism* m)
{
    const int n = m->n;
    const double T = m->pass.T, beta = plMechanism_Beta(m);
    const bool transformed = plMechanism_Transformed(m), geometric = m->hasGeometric;
    const bool free = m->limp && m->undamped && !geometric;
    double* E = m->square[0];
    bool soft = true;
    for (int i = 0; i < n * n && !free; ++i) {
        E[i] = m->B[i] + 0.5 * T * m->D[i] + (geometric ? m->geometric[i] / T : 0);
        soft = soft && E[i] == 0;
    }
    if (transformed && !soft) transformMatrix(m, E);
    for (int i = 0; i < n * n; ++i) {
        const double N = transformed ? 0 : (1 + beta) * m->M[i];
        m->A[i] = N + 0.5 * T * (free ? m->S[i] : m->S[i] + E[i]);
    }
    for (int i = 0; i < n && transformed; ++i) {
        const int k = i * (n + 1);
        m->A[k] = (1 + beta) + 0.5 * T * (free ? m->S[k] : m->S[k] + E[k]);
    }
    return factor(m);
}

void plMidpoint_SolveBody(const plMechanism* m, double* b, int count)
{
    const double s[3] = {1 / m->A[0], 1 / m->A[7], 1 / m->A[14]};
    const plMat3 turn = m->turnInverse;
    for (int i = 0; i < count; ++i, b += 6) {
        const plVec3 turned = plMul(&turn, plGet3(b + 3));
        for (int k = 0; k < 3; ++k) b[k] *= s[k];
        plPut3(turned, b + 3);
    }
}

void plMidpoint_Solve(const plMechanism* m, double* b)
{
    toSpace(m, b);
    solve(m, b);
    fromSpace(m, b, b);
}

// Panels have the same bits as one row after the other.
void plMidpoint_SolveMany(const plMechanism* m, double* b, int count)
{
    const int n = m->n;
    const bool panels = plMechanism_Transformed(m) && m->route == pl_routeCholesky && n <= plSmall;
    double X[plPanelSize];
    for (int i = 0; i < count && !panels; ++i) plMidpoint_Solve(m, b + i * n);
    for (int i = 0; i < count && panels; i += plPanelWidth) {
        const int width = count - i < plPanelWidth ? count - i : plPanelWidth;
        plPanel_Load(b + i * n, 1, n, n, width, X);
        plPanel_Lower(m->P.F, n, width, false, X);
        plPanel_Lu(m->A, n, m->pivot, width, X);
        plPanel_LowerT(m->P.F, n, width, X);
        plPanel_Store(X, 1, n, n, width, b + i * n);
    }
}

// T (f - K (y + T/2 V0) - (B + T/2 D_turn) V0), a force. A linear spring pulls in one product: the
// rounding of K y and of (T/2 K) V0 apart would not average out over an oscillation, and the energy
// would drift by 5e-17 a step.
static void freeForce(const plMechanism* m, double* r)
{
    const int n = m->n;
    const double T = m->pass.T;
    double* y = m->work[1];
    if (m->limp && m->undamped) {
        for (int i = 0; i < n; ++i) r[i] = T * (m->applied[i] + m->G[i] + m->closing[i]);
        return;
    }
    plMechanism_Deflection(m, m->q, y);
    for (int i = 0; i < n; ++i) y[i] += m->place[i] < 0 ? 0 : 0.5 * T * m->V0[i];
    for (int i = 0; i < n; ++i) {
        const bool turn = m->place[i] < 0;
        double drag = turn ? m->gradient[i] : 0;
        for (int j = 0; j < n; ++j) {
            const int k = i * n + j;
            drag += m->B[k] * m->V0[j] + (turn ? 0.5 * T * m->D[k] * m->V0[j] : m->K[k] * y[j]);
        }
        if (m->potentials.count > 0) {
            drag += m->potentials.gradient[i] + 0.5 * T * plDotN(&m->potentials.H[i * n], m->V0, n);
        }
        r[i] = T * (m->applied[i] + m->G[i] + m->pull[i] + m->closing[i] - drag);
    }
}

// force += G (V of the trial - V0)/2: the geometric stiffness acts on what changes from trial to trial.
static void addGeometric(const plMechanism* m, double* force)
{
    const int n = m->n;
    if (!m->hasGeometric) return;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            force[i] += 0.5 * m->geometric[i * n + j] * (m->Vlast[j] - m->V0[j]);
        }
    }
}

// dx of the free motion.
static void freeChange(plMechanism* m)
{
    const int n = m->n;
    const double T = m->pass.T, beta = plMechanism_Beta(m);
    const double* x0 = startOf(m);
    double *dx = m->dxFree, *Nx = m->work[3];
    freeForce(m, dx);
    addGeometric(m, dx);
    toSpace(m, dx);
    if (m->ops->separate) { // S is on turns alone
        for (int i = 3; i < 6; ++i) dx[i] -= T * plDotN(&m->S[6 * i + 3], x0 + 3, 3);
    } else {
        for (int i = 0; i < n; ++i) dx[i] -= T * plDotN(&m->S[i * n], x0, n);
    }
    if (beta > 0) {
        massTimes(m, x0, Nx);
        for (int i = 0; i < n; ++i) dx[i] -= 2 * beta * Nx[i];
    }
    solve(m, dx);
}

void plMidpoint_Free(plMechanism* m)
{
    freeChange(m);
    fromSpace(m, m->dxFree, m->dVfree);
    for (int i = 0; i < m->n; ++i) m->Vfree[i] = m->V0[i] + m->dVfree[i];
}

static void increment(plMechanism* m)
{
    const int n = m->n;
    const bool transformed = plMechanism_Transformed(m);
    double *dx = m->work[3], *dxi = m->work[4];
    memcpy(dx, m->rowForce, (size_t)n * sizeof *dx);
    toSpace(m, dx);
    solve(m, dx);
    for (int i = 0; i < n; ++i) dx[i] += m->dxFree[i];
    fromSpace(m, dx, m->dV);
    if (transformed) plMechanism_FromStep(m, m->P, dx, dxi);
    for (int i = 0; i < n; ++i) {
        m->V1[i] = m->V0[i] + m->dV[i];
        m->mean[i] = m->V0[i] + 0.5 * m->dV[i];
        m->xi1[i] = transformed ? m->xi0[i] + dxi[i] : m->V1[i];
    }
    m->ops->move(m, m->q, m->pass.T, m->mean, m->q1);
}

// x += G V^/2 and eta += G (y + T/2 V^)/2 of the trial's mean velocity V^.
static void reflectGeometric(const plMechanism* m, const double* y, double* x, double* eta)
{
    const int n = m->n;
    for (int i = 0; i < n && m->hasGeometric; ++i) {
        for (int j = 0; j < n; ++j) {
            const double half = 0.5 * m->geometric[i * n + j];
            const double mean = 0.5 * (m->V0[j] + m->Vlast[j]);
            x[i] += half * mean;
            eta[i] += half * (y[j] + 0.5 * m->pass.T * mean);
        }
    }
}

// Mean velocity and mean deflection y^ = y + T/2 V^, each solved for itself: behind a hard spring
// their sum would cancel all digits.                                            (pmi spec 1)
//   A x^ = N x0 + H^-T (T f + J^T p)/2
//   A (H y^) = ((1 + beta) N + T/2 (Q + H^-T B H^-1)) H y + T/2 N x0 + H^-T (T^2 (f + D y) + T J^T p)/4
// where D has K and the second derivatives of potentials.
static void reflect(plMechanism* m)
{
    const int n = m->n;
    const double T = m->pass.T, beta = plMechanism_Beta(m);
    const bool transformed = plMechanism_Transformed(m);
    const double* x0 = startOf(m);
    double *y = m->work[1], *x = m->work[2], *eta = m->work[3], *Hy = m->work[4], *N = m->work[5];
    plMechanism_Deflection(m, m->q, y);
    for (int i = 0; i < n; ++i) {
        const double f = plMechanism_Force(m, i), Dy = plDotN(&m->D[i * n], y, n);
        x[i] = 0.5 * (T * f + m->rowForce[i]);
        eta[i] = 0.25 * T * (T * (f + Dy) + m->rowForce[i]) + 0.5 * T * plDotN(&m->B[i * n], y, n);
    }
    reflectGeometric(m, y, x, eta);
    toSpace(m, x);
    toSpace(m, eta);
    if (transformed) {
        plMechanism_ApplyH(m, m->P, y, Hy);
    } else {
        memcpy(Hy, y, (size_t)n * sizeof *Hy);
    }
    massTimes(m, x0, N);
    for (int i = 0; i < n; ++i) x[i] += N[i], eta[i] += 0.5 * T * N[i];
    massTimes(m, Hy, N);
    for (int i = 0; i < n; ++i) eta[i] += (1 + beta) * N[i] + 0.5 * T * plDotN(&m->S[i * n], Hy, n);
    solve(m, x);
    solve(m, eta);
    fromSpace(m, x, m->mean);
    fromSpace(m, eta, Hy);
    if (transformed) plMechanism_FromStep(m, m->P, x, N);
    m->ops->move(m, m->q, T, m->mean, m->q1);
    for (int i = 0; i < n; ++i) {
        m->V1[i] = 2 * m->mean[i] - m->V0[i];
        m->dV[i] = 2 * (m->mean[i] - m->V0[i]);
        m->xi1[i] = transformed ? 2 * N[i] - m->xi0[i] : m->V1[i];
        if (m->place[i] >= 0) m->q1[m->place[i]] = m->rest[i] + (2 * Hy[i] - y[i]);
    }
}

void plMidpoint_Advance(plMechanism* m)
{
    if (m->stiff) {
        reflect(m);
    } else {
        increment(m);
    }
    memcpy(m->way, m->mean, (size_t)m->n * sizeof(double));
    memcpy(m->v1, m->V1, (size_t)m->n * sizeof(double));
}
