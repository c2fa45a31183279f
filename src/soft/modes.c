// The lowest frequencies: inverse iteration on a subspace. Each round solves A y = M x for all
// vectors, then finds the best A-eigenvectors among their combinations (Rayleigh and Ritz).
#include "soft/inside.h"

#include <string.h>

enum { mostVectors = 2 * plMostModes, mostRounds = 400 };

typedef struct {
    plSoftFactor* f;
    int n, q; // numbers of a vector; vectors
    double *X, *Y, *Mx;
    double *A, *M, *R, *U, *lambda, *before; // small
    plEigen eigen;
    plArena arena;
} Space;

static bool takeSpace(Space* s, const plAllocator* allocator)
{
    const size_t n = (size_t)s->n, q = (size_t)s->q;
    // The eigenvalue solver: its own copy, and workspaces of some tens of q.
    const size_t size = 2 * plSoft_Room(n * q, sizeof(double)) + plSoft_Room(n, sizeof(double)) +
                        6 * plSoft_Room(q * q, sizeof(double)) +
                        plSoft_Room(200 * (q + 8), sizeof(double));
    if (plArena_Create(&s->arena, size, allocator) != pl_statusOk) return false;
    double** squares[] = {&s->A, &s->M, &s->R, &s->U};
    s->X = plArena_Alloc(&s->arena, n * q, sizeof(double));
    s->Y = plArena_Alloc(&s->arena, n * q, sizeof(double));
    s->Mx = plArena_Alloc(&s->arena, n, sizeof(double));
    for (int i = 0; i < PL_COUNT(squares); ++i) {
        *squares[i] = plArena_Alloc(&s->arena, q * q, sizeof(double));
    }
    s->lambda = plArena_Alloc(&s->arena, q, sizeof(double));
    s->before = plArena_Alloc(&s->arena, q, sizeof(double));
    return !s->arena.full && plEigen_Create(&s->eigen, s->q, &s->arena) == pl_statusOk;
}

/// Numbers that no body knows: multiples of the golden ratio.
static void begin(Space* s)
{
    for (int i = 0; i < s->n * s->q; ++i) {
        const double x = (i % s->n + 1) * 0.6180339887498949 + (i / s->n) * 0.7548776662466927 +
                         (double)(i % s->n) * (i / s->n) * 0.5698402909980532;
        s->X[i] = s->f->rowOf[i % s->n] < 0 ? 0 : x - floor(x) - 0.5;
    }
}

/// Y = A^-1 M X, and its small matrices Y^T A Y = Y^T M X and Y^T M Y.
static void invert(Space* s)
{
    const int n = s->n, q = s->q;
    for (int j = 0; j < q; ++j) {
        plSoft_Multiply(s->f->soft, s->f->mass, 1, 0, &s->X[j * n], s->Mx);
        plSoftFactor_Solve(s->f, s->Mx, &s->Y[j * n]);
    }
    for (int j = 0; j < q; ++j) {
        plSoft_Multiply(s->f->soft, s->f->mass, 1, 0, &s->X[j * n], s->Mx);
        for (int i = 0; i < q; ++i) s->A[i * q + j] = plDotN(&s->Y[i * n], s->Mx, n);
        plSoft_Multiply(s->f->soft, s->f->mass, 1, 0, &s->Y[j * n], s->Mx);
        for (int i = 0; i < q; ++i) s->M[i * q + j] = plDotN(&s->Y[i * n], s->Mx, n);
    }
}

/// R = L^-1 A L^-T with L L^T = M, symmetric; false when the vectors have become dependent.
static bool reduce(Space* s)
{
    const int q = s->q;
    if (!plChol_Factor(s->M, q)) return false;
    for (int j = 0; j < q; ++j) plChol_Lower(s->M, q, &s->A[j * q]);
    for (int i = 0; i < q; ++i) {
        for (int j = 0; j < q; ++j) s->R[i * q + j] = s->A[j * q + i];
        plChol_Lower(s->M, q, &s->R[i * q]);
    }
    for (int i = 0; i < q; ++i) {
        for (int j = 0; j < i; ++j) {
            s->R[i * q + j] = s->R[j * q + i] = (s->R[i * q + j] + s->R[j * q + i]) / 2;
        }
    }
    return true;
}

/// X = Y L^-T U, the columns M-unit.
static void combine(Space* s)
{
    const int n = s->n, q = s->q;
    memset(s->X, 0, (size_t)n * (size_t)q * sizeof *s->X);
    for (int j = 0; j < q; ++j) {
        double c[mostVectors];
        for (int i = 0; i < q; ++i) c[i] = s->U[i * q + j];
        plChol_LowerT(s->M, q, c);
        for (int i = 0; i < q; ++i) {
            for (int k = 0; k < n; ++k) s->X[j * n + k] += c[i] * s->Y[i * n + k];
        }
    }
}

/// Rounds until the first `count` values stand still. Values converge twice as fast as vectors, so
/// one round more is made for these.
static bool iterate(Space* s, int count)
{
    int still = 0;
    begin(s);
    for (int round = 0; round < mostRounds && still < 3; ++round) {
        invert(s);
        memcpy(s->before, s->lambda, (size_t)s->q * sizeof *s->lambda);
        if (!reduce(s) || !plEigen_Solve(&s->eigen, s->R, s->q, s->lambda, s->U)) return false;
        combine(s);
        double change = 0;
        for (int i = 0; i < count; ++i) {
            change = fmax(change, fabs(s->lambda[i] - s->before[i]) / fabs(s->lambda[i]));
        }
        still = change < 1e-13 ? still + 1 : 0;
    }
    return still > 0;
}

plStatus plSoft_Frequencies(plSoftFactor* f, int count, const plAllocator* allocator, double* omega,
                            double* modes)
{
    PL_ASSERT(count >= 1 && count <= plMostModes && f->b > 0);
    const int wanted = count + 8 > 2 * count ? count + 8 : 2 * count;
    Space s = {.f = f, .n = 3 * f->soft->nodeCount};
    s.q = wanted < mostVectors ? wanted : mostVectors;
    if (s.q > f->n) s.q = f->n;
    if (s.q < count) return pl_statusBadArgument;
    plStatus status = pl_statusNoMemory;
    if (takeSpace(&s, allocator)) status = iterate(&s, count) ? pl_statusOk : pl_statusBadArgument;
    for (int i = 0; i < count && status == pl_statusOk; ++i) {
        omega[i] = sqrt(fmax((s.lambda[i] - f->a) / f->b, 0));
    }
    if (modes && status == pl_statusOk) {
        memcpy(modes, s.X, (size_t)s.n * (size_t)count * sizeof *modes);
    }
    plArena_Destroy(&s.arena, allocator);
    return status;
}
