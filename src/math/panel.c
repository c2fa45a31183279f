// Solves for many right sides at once. One solve waits for itself: every number needs the one before
// it, through a product, sums and a division. Many wait together. Each goes through the same operations
// in the same order as in dense.c, and so has the same bits.
#include "math/math.h"

#include <string.h>

typedef double Two __attribute__((vector_size(16)));

static inline Two load(const double* x)
{
    Two two;
    memcpy(&two, x, sizeof two);
    return two;
}

static inline void store(Two two, double* x) { memcpy(x, &two, sizeof two); }
static inline Two twice(double x) { return (Two){x, x}; }

void plPanel_Load(const double* a, int next, int side, int n, int count, double* X)
{
    for (int k = 0; k < n; ++k, a += next, X += plPanelWidth) {
        for (int j = 0; j < count; ++j) X[j] = a[side * j];
        for (int j = count; j % 4 != 0; ++j) X[j] = 0; // four at a time are solved for
    }
}

void plPanel_Store(const double* X, int next, int side, int n, int count, double* a)
{
    for (int k = 0; k < n; ++k, a += next, X += plPanelWidth) {
        for (int j = 0; j < count; ++j) a[side * j] = X[j];
    }
}

// Four of plDotN, of a with four right sides: the sums stay in registers. x - that.
static inline void loseDots(const double* a, const double* X, int n, Two x[2])
{
    Two s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    int k = 0;
    for (; k + 4 <= n; k += 4, X += 4 * plPanelWidth) {
        const Two a0 = twice(a[k]), a1 = twice(a[k + 1]), a2 = twice(a[k + 2]);
        const Two a3 = twice(a[k + 3]);
        s0 += a0 * load(X), t0 += a0 * load(X + 2);
        s1 += a1 * load(X + plPanelWidth), t1 += a1 * load(X + plPanelWidth + 2);
        s2 += a2 * load(X + 2 * plPanelWidth), t2 += a2 * load(X + 2 * plPanelWidth + 2);
        s3 += a3 * load(X + 3 * plPanelWidth), t3 += a3 * load(X + 3 * plPanelWidth + 2);
    }
    for (; k < n; ++k, X += plPanelWidth) {
        s0 += twice(a[k]) * load(X), t0 += twice(a[k]) * load(X + 2);
    }
    x[0] -= (s0 + s1) + (s2 + s3);
    x[1] -= (t0 + t1) + (t2 + t3);
}

// Number i of four sides: x_i <- (x_i - a.X)/d, X from number `from` on.
static inline void eliminate(const double* a, int n, double d, int i, int from, double* X)
{
    double* at = X + plPanelWidth * i;
    Two x[2] = {load(at), load(at + 2)};
    loseDots(a, X + plPanelWidth * from, n, x);
    if (d != 1) x[0] /= twice(d), x[1] /= twice(d); // the lower factor of an LU has ones
    store(x[0], at), store(x[1], at + 2);
}

// Leading numbers that are zero in four sides stay so. A multiple of four, lest the sums of plDotN
// would change places.
static int leadingZeros(const double* X, int n)
{
    int k = 0;
    for (; k < n; ++k, X += plPanelWidth) {
        if (X[0] != 0 || X[1] != 0 || X[2] != 0 || X[3] != 0) break;
    }
    return k / 4 * 4;
}

void plPanel_Lower(const double* L, int n, int count, bool half, double* X)
{
    int first[plPanelWidth / 4];
    for (int j = 0; j < count; j += 4) first[j / 4] = leadingZeros(X + j, n);
    for (int i = 0; i < n; ++i) {
        const double* row = L + i * n;
        for (int j = half ? i / 4 * 4 : 0; j < count; j += 4) {
            const int from = first[j / 4];
            if (i >= from) eliminate(row + from, i - from, row[i], i, from, X + j);
        }
    }
}

void plPanel_LowerT(const double* L, int n, int count, double* X)
{
    for (int i = n - 1; i >= 0; --i) {
        const double* row = L + i * n;
        for (int j = 0; j < count; j += 4) {
            double *at = X + plPanelWidth * i + j, *y = X + j;
            const Two x0 = load(at) / twice(row[i]), x1 = load(at + 2) / twice(row[i]);
            store(x0, at), store(x1, at + 2);
            for (int k = 0; k < i; ++k, y += plPanelWidth) {
                store(load(y) + -x0 * twice(row[k]), y);
                store(load(y + 2) + -x1 * twice(row[k]), y + 2);
            }
        }
    }
}

static void exchange(double* a, double* b, int count)
{
    for (int i = 0; i < count; ++i) {
        const double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void plPanel_Lu(const double* A, int n, const int* pivot, int count, double* X)
{
    for (int i = 0; i < n; ++i) {
        if (pivot[i] != i) exchange(X + plPanelWidth * i, X + plPanelWidth * pivot[i], count);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < count; j += 4) eliminate(A + i * n, i, 1, i, 0, X + j);
    }
    for (int i = n - 1; i >= 0; --i) {
        const double* row = A + i * n;
        for (int j = 0; j < count; j += 4) {
            eliminate(row + i + 1, n - i - 1, row[i], i, i + 1, X + j);
        }
    }
}

void plChol_SolveMany(const double* L, int n, double* b, int count)
{
    double X[plPanelSize];
    for (int i = 0; i < count && n > plSmall; ++i) plChol_Solve(L, n, b + i * n);
    for (int i = 0; i < count && n <= plSmall; i += plPanelWidth) {
        const int width = count - i < plPanelWidth ? count - i : plPanelWidth;
        plPanel_Load(b + i * n, 1, n, n, width, X);
        plPanel_Lower(L, n, width, false, X);
        plPanel_LowerT(L, n, width, X);
        plPanel_Store(X, 1, n, n, width, b + i * n);
    }
}

// --- a matrix whose columns or rows are the right sides

static void transpose(double* A, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double t = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = t;
        }
    }
}

_Static_assert((int)plPanelWidth >= (int)plSmall, "a small matrix is one panel");

void plChol_LowerLeft(const double* L, int n, double* A)
{
    double X[plPanelSize];
    if (n > plSmall) {
        transpose(A, n);
        for (int i = 0; i < n; ++i) plChol_Lower(L, n, A + i * n);
        transpose(A, n);
        return;
    }
    plPanel_Load(A, n, 1, n, n, X);
    plPanel_Lower(L, n, n, false, X);
    plPanel_Store(X, n, 1, n, n, A);
}

void plChol_LowerRight(const double* L, int n, double* A, bool half)
{
    double X[plPanelSize];
    for (int i = 0; i < n && n > plSmall; ++i) plChol_Lower(L, n, A + i * n);
    if (n > plSmall) return;
    plPanel_Load(A, 1, n, n, n, X);
    plPanel_Lower(L, n, n, half, X);
    plPanel_Store(X, 1, n, n, n, A);
}
