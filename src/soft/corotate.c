// Large turns: each tetrahedron is linear in axes of its own, which turn with it.
//
// F = I + sum of u_a g_a^T is a tetrahedron's deformation, R the rotation nearest to it (that of the
// largest tr R^T F) and S = R^T F its stretch, which is symmetric. Stored is
//   U = V (mu |S - I|^2 + lambda/2 tr(S - I)^2),
// what the linear element stores of R^T x - X. Where R is nearest, a change of R changes neither
// tr S nor |S - I|^2, so that the forces R K_e (R^T x - X) are the gradient of U as they stand.
// R is a function of F alone, and so are all the rest: they have no memory, and a state says it all.
#include "soft/inside.h"

// --- the nearest rotation

static double sumOfSquares(const plMat3* A)
{
    return plDot(A->x, A->x) + plDot(A->y, A->y) + plDot(A->z, A->z);
}

/// Cofactors: A^-T = cof(A)/det(A).
static plMat3 cofactors(const plMat3* A)
{
    return (plMat3){plCross(A->y, A->z), plCross(A->z, A->x), plCross(A->x, A->y)};
}

// Newton's iteration for the polar decomposition, X = (X + X^-T)/2. A singular value s goes to
// (s + 1/s)/2: it is halved until it is near 1, and then its error is squared. One of 1/18, which is
// the smallest that comes here, needs 8.
static plMat3 turnOfSound(plMat3 X)
{
    enum { most = 16 };
    for (int i = 0; i < most; ++i) {
        const plMat3 C = cofactors(&X);
        const double s = 1 / plDot(X.x, C.x);
        const plMat3 change = plMatAdd(&X, -s, &C);
        X = plMatAdd(&X, -0.5, &change);
        if (sumOfSquares(&change) < 1e-16) break; // what is left is the square of this
    }
    return X;
}

/// One rotation of Jacobi's method over n rows: makes A[p][q] zero; Q collects.
static void jacobiTurn(int n, double A[4][4], double Q[4][4], int p, int q)
{
    if (A[p][q] == 0) return;
    const double h = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = copysign(1 / (fabs(h) + sqrt(1 + h * h)), h);
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < n; ++k) {
        const double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
    }
    for (int k = 0; k < n; ++k) {
        const double x = A[p][k], y = A[q][k], u = Q[k][p], v = Q[k][q];
        A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
        Q[k][p] = c * u - s * v, Q[k][q] = s * u + c * v;
    }
}

/// What is left beside the diagonal is below the round-off of what is on it.
static bool isDiagonal(int n, double A[4][4])
{
    double beside = 0, on = 0;
    for (int p = 0; p < n; ++p) {
        on += A[p][p] * A[p][p];
        for (int q = p + 1; q < n; ++q) beside += A[p][q] * A[p][q];
    }
    return beside <= 1e-34 * on;
}

/// Eigenvalues on A's diagonal, vectors as columns of Q; four sweeps or five.
static void jacobi(int n, double A[4][4], double Q[4][4])
{
    enum { sweeps = 8 };
    for (int i = 0; i < n * n; ++i) Q[i / n][i % n] = i / n == i % n;
    for (int i = 0; i < sweeps && !isDiagonal(n, A); ++i) {
        for (int p = 0; p < n - 1; ++p) {
            for (int q = p + 1; q < n; ++q) jacobiTurn(n, A, Q, p, q);
        }
    }
}

// Of any F, flat and inverted ones too: tr R^T F is a quadratic form of R's quaternion (Davenport), so
// that its eigenvector of the largest eigenvalue is sought. No other place is even a local maximum.
// Where two are largest any of them does, and U is the same.
static plMat3 turnOfAny(const plMat3* F)
{
    const plVec3 x = F->x, y = F->y, z = F->z;
    double A[4][4] = {{x.x + y.y + z.z, z.y - y.z, x.z - z.x, y.x - x.y},
                      {z.y - y.z, x.x - y.y - z.z, x.y + y.x, x.z + z.x},
                      {x.z - z.x, x.y + y.x, y.y - x.x - z.z, y.z + z.y},
                      {y.x - x.y, x.z + z.x, y.z + z.y, z.z - x.x - y.y}};
    double Q[4][4];
    int largest = 0;
    jacobi(4, A, Q);
    for (int k = 1; k < 4; ++k) {
        if (A[k][k] > A[largest][largest]) largest = k;
    }
    return plRotation(
        plQuatUnit((plQuat){Q[0][largest], Q[1][largest], Q[2][largest], Q[3][largest]}));
}

plMat3 plNearestTurn(const plMat3* F)
{
    const plMat3 C = cofactors(F);
    const double size = sqrt(sumOfSquares(F) / 3);
    // With this much volume left the smallest singular value is 1/18 of the largest, at least.
    if (!(plDot(F->x, C.x) > 0.1 * size * size * size)) return turnOfAny(F);
    const double s = 1 / size;
    return turnOfSound((plMat3){plScale(s, F->x), plScale(s, F->y), plScale(s, F->z)});
}

// --- one tetrahedron

static plMat3 deformation(const plSoft* s, int tet, const double* u)
{
    plMat3 F = plIdentity3();
    for (int a = 0; a < 4; ++a) {
        const plVec3 g = s->gradient[4 * tet + a];
        const double* w = &u[3 * s->tets[4 * tet + a]];
        F.x = plAddScaled(F.x, w[0], g);
        F.y = plAddScaled(F.y, w[1], g);
        F.z = plAddScaled(F.z, w[2], g);
    }
    return F;
}

plMat3 plSoft_Turn(const plSoft* s, int tet, const double* u)
{
    const plMat3 F = deformation(s, tet, u);
    return plNearestTurn(&F);
}

/// R, and S - I.
static plMat3 stretch(const plSoft* s, int tet, const double* u, plMat3* R)
{
    const plMat3 F = deformation(s, tet, u), unit = plIdentity3();
    *R = plNearestTurn(&F);
    const plMat3 S = plTransMul(R, &F);
    return plMatAdd(&S, -1, &unit);
}

// --- the body

double plSoft_TurnedEnergy(const plSoft* s, const double* u)
{
    const plLame m = plSoft_Lame(&s->material);
    double sum = 0;
    for (int i = 0; i < s->tetCount; ++i) {
        plMat3 R;
        const plMat3 E = stretch(s, i, u, &R);
        const double trace = E.x.x + E.y.y + E.z.z;
        sum += s->volume[i] * (m.mu * sumOfSquares(&E) + 0.5 * m.lambda * trace * trace);
    }
    return sum;
}

void plSoft_TurnedForce(const plSoft* s, const double* u, double* f)
{
    const plLame m = plSoft_Lame(&s->material);
    for (int i = 0; i < 3 * s->nodeCount; ++i) f[i] = 0;
    for (int i = 0; i < s->tetCount; ++i) {
        plMat3 R;
        const plMat3 E = stretch(s, i, u, &R);
        const double bulk = m.lambda * (E.x.x + E.y.y + E.z.z);
        const plMat3 even = plDiagonal3(bulk, bulk, bulk);
        const plMat3 stress = plMatAdd(&even, 2 * m.mu, &E), P = plMatMul(&R, &stress);
        for (int a = 0; a < 4; ++a) {
            double* to = &f[3 * s->tets[4 * i + a]];
            const plVec3 force = plMul(&P, s->gradient[4 * i + a]);
            plPut3(plAddScaled(plGet3(to), s->volume[i], force), to);
        }
    }
}

// The second derivative of U. With a the axis of R^T dF, it is that of the linear element in its own
// axes, and what a strained element resists to being turned:
//   V (2 mu |sym R^T dF|^2 + lambda tr^2 + sum over k of 2 (t_i + t_j)/(s_i + s_j) a_k^2)
// with s the stretches, t = 2 mu (s - 1) + lambda tr(S - I) the principal stresses, and i, j the other
// two. Tension resists; pressure helps, is left out, and K stays positive. With all that resists in K
// a step of implicit Euler gives nothing, to second order; without it strings under tension do.

/// The directions n of a_k in the world, each as long as the root of a quarter of what resists. False:
/// nothing does.
static bool tension(const plMat3* R, const plMat3* E, plLame m, plVec3 n[3])
{
    double A[4][4] = {{E->x.x, E->x.y, E->x.z}, {E->x.y, E->y.y, E->y.z}, {E->x.z, E->y.z, E->z.z}};
    double Q[4][4];
    jacobi(3, A, Q);
    const double trace = A[0][0] + A[1][1] + A[2][2];
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double pair = trace - A[k][k]; // s_i + s_j - 2
        const double stress = 2 * m.mu * pair + 2 * m.lambda * trace;
        // Where two stretches cancel the turn leaps, and its part has no bound: K needs one.
        const double G = fmax(0, 2 * stress / fmax(2 + pair, 0.01));
        n[k] = plScale(sqrt(G / 4), plMul(R, plVec(Q[0][k], Q[1][k], Q[2][k])));
        most = fmax(most, G);
    }
    return most > 0;
}

/// K += V a b^T over what two corners have of the directions: p = n x g, since n.(g x u) = p.u.
static void addTension(double K[9], double V, const plVec3 pa[3], const plVec3 pb[3])
{
    for (int k = 0; k < 3; ++k) {
        double a[3], b[3];
        plPut3(pa[k], a), plPut3(pb[k], b);
        for (int i = 0; i < 9; ++i) K[i] += V * (a[i / 3] * b[i % 3]);
    }
}

void plSoft_TurnedStiffness(const plSoft* s, const double* u, double* K)
{
    const plLame m = plSoft_Lame(&s->material);
    for (int i = 0; i < 9 * s->start[s->nodeCount]; ++i) K[i] = 0;
    for (int i = 0; i < s->tetCount; ++i) {
        plMat3 R;
        const plMat3 E = stretch(s, i, u, &R);
        const int* v = &s->tets[4 * i];
        plVec3 g[4], n[3], p[4][3];
        const bool tense = tension(&R, &E, m, n);
        for (int a = 0; a < 4; ++a) {
            g[a] = plMul(&R, s->gradient[4 * i + a]);
            for (int k = 0; k < 3; ++k) p[a][k] = plCross(n[k], g[a]);
        }
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                const int block = plSoft_Block(s->start, s->column, v[a], v[b]);
                plSoft_AddStiffness(&K[9 * block], s->volume[i], m, g[a], g[b]);
                if (tense) addTension(&K[9 * block], s->volume[i], p[a], p[b]);
            }
        }
    }
}
