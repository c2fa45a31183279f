// The library reads matrices by columns, so it sees A^T where A lies by rows. Factoring what it
// sees and asking for the transposed solve needs no copy, and none of LAPACKE's row-major paths,
// which allocate.
#include "math/math.h"

#include <cblas.h>
#include <lapacke.h>
#include <pthread.h>
#include <string.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "pivots are passed to the library as they are");

// --- start

// The library takes its packing buffers at the first call that needs them and keeps them. Orders
// above its blocking reach every path that is used here.
static void start(void)
{
    enum { n = 160 };
    static double A[n * n], b[n];
    static int pivot[n];
    openblas_set_num_threads(1);
    for (int i = 0; i < n; i++) A[i * n + i] = 1;
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, A, n, pivot, b, n);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, A, n, b, n);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, A, n, b, 1);
}

void plMath_Start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

// --- products

// Four sums side by side: the order of the additions is fixed, yet they do not wait for each other.
static inline double dot(const double* a, const double* b, int n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

double plDotN(const double* a, const double* b, int n) { return dot(a, b, n); }

// y += s x
static void addScaled(double* restrict y, double s, const double* restrict x, int n)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

double plQuadN(const double* x, const double* A, const double* y, int n)
{
    double sum = 0;
    if (n == 6) { // of a body: loops of known length
        for (int i = 0; i < 6; ++i) sum += x[i] * dot(&A[i * 6], y, 6);
        return sum;
    }
    for (int i = 0; i < n; ++i) sum += x[i] * dot(&A[i * n], y, n);
    return sum;
}

void plMatVec(const double* A, int n, int m, int ld, const double* x, double* y)
{
    for (int i = 0; i < n; i++) y[i] = plDotN(A + (size_t)i * (size_t)ld, x, m);
}

void plMatVecT(const double* A, int n, int m, int ld, const double* x, double* y)
{
    for (int j = 0; j < m; j++) y[j] = 0;
    for (int i = 0; i < n; i++) addScaled(y, x[i], A + (size_t)i * (size_t)ld, m);
}

// --- LU

static bool allFinite(const double* a, int count)
{
    // 0 times a number is 0 exactly when the number is finite.
    double sum = 0;
    for (int i = 0; i < count; i++) sum += 0 * a[i];
    return sum == 0;
}

static void swapRows(double* a, double* b, int n)
{
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// P A = L U, by rows: pivot[k] is the row that was exchanged with row k.
static bool factorSmall(double* A, int n, int* pivot)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        }
        pivot[k] = p;
        if (A[p * n + k] == 0) return false;
        if (p != k) swapRows(A + p * n, A + k * n, n);
        double inverse = 1 / A[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double l = A[i * n + k] * inverse;
            A[i * n + k] = l;
            addScaled(A + i * n + k + 1, -l, A + k * n + k + 1, n - k - 1);
        }
    }
    return true;
}

static void solveSmall(const double* A, int n, const int* pivot, double* b)
{
    for (int i = 0; i < n; i++) {
        double t = b[pivot[i]];
        b[pivot[i]] = b[i];
        b[i] = t;
    }
    for (int i = 0; i < n; i++) b[i] -= plDotN(A + i * n, b, i);
    for (int i = n - 1; i >= 0; i--) {
        double s = plDotN(A + i * n + i + 1, b + i + 1, n - i - 1);
        b[i] = (b[i] - s) / A[i * n + i];
    }
}

bool plLu_Factor(double* A, int n, int* pivot)
{
    bool regular;
    if (n <= plSmall) {
        regular = factorSmall(A, n, pivot);
    } else {
        plMath_Start();
        regular = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot) == 0;
    }
    return regular && allFinite(A, n * n);
}

void plLu_Solve(const double* A, int n, const int* pivot, double* b)
{
    plLu_SolveMany(A, n, pivot, b, 1);
}

void plLu_SolveMany(const double* A, int n, const int* pivot, double* b, int count)
{
    if (n <= plSmall) {
        for (int k = 0; k < count; k++) solveSmall(A, n, pivot, b + k * n);
    } else {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, count, A, n, pivot, b, n);
    }
}

// --- Cholesky

// By columns, from the left: each entry is one dot product of two rows of L, and those of a column do
// not wait for each other. Divisions would take longer than the products, so each pivot is inverted
// once.
static bool cholSmall(double* A, int n)
{
    for (int j = 0; j < n; j++) {
        double* pivot = A + j * n;
        double d = pivot[j] - plDotN(pivot, pivot, j);
        if (!(d > 0)) return false;
        pivot[j] = sqrt(d);
        double inverse = 1 / pivot[j];
        for (int i = j + 1; i < n; i++) {
            double* row = A + i * n;
            row[j] = (row[j] - plDotN(row, pivot, j)) * inverse;
        }
    }
    return true;
}

bool plChol_Factor(double* A, int n)
{
    bool positive;
    if (n <= plSmall) {
        positive = cholSmall(A, n);
    } else {
        plMath_Start();
        positive = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n) == 0;
    }
    // The library compares with zero, which a NaN passes; every entry of a row goes into its pivot.
    for (int i = 0; i < n && positive; i++) positive = isfinite(A[i * n + i]);
    for (int i = 0; i < n; i++) memset(A + i * n + i + 1, 0, (size_t)(n - i - 1) * sizeof *A);
    return positive;
}

void plChol_Solve(const double* L, int n, double* b)
{
    plChol_Lower(L, n, b);
    plChol_LowerT(L, n, b);
}

void plChol_Lower(const double* L, int n, double* b)
{
    if (n <= plSmall) {
        for (int i = 0; i < n; i++) b[i] = (b[i] - plDotN(L + i * n, b, i)) / L[i * n + i];
    } else {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, b, 1);
    }
}

void plChol_LowerT(const double* L, int n, double* b)
{
    if (n <= plSmall) {
        for (int i = n - 1; i >= 0; i--) {
            b[i] /= L[i * n + i];
            addScaled(b, -b[i], L + i * n, i);
        }
    } else {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, L, n, b, 1);
    }
}

// --- LDL

static double largestLower(const double* A, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) largest = fmax(largest, fabs(A[i * n + j]));
    }
    return largest;
}

// The library's factor exchanges rows and keeps the exchanges in a list of its own, so these loops
// serve every order. Row i first holds y = D L_i^T, from forward substitution with the rows above;
// dividing by D then gives L_i, and their product is what the pivot loses.
bool plLdl_Factor(double* A, int n)
{
    double threshold = 1e-14 * largestLower(A, n);
    for (int i = 0; i < n; i++) {
        double* row = A + i * n;
        for (int j = 1; j < i; j++) row[j] -= plDotN(row, A + j * n, j);
        double d = row[i];
        for (int j = 0; j < i; j++) {
            double y = row[j];
            row[j] = y / A[j * n + j];
            d -= row[j] * y;
        }
        if (!(fabs(d) > threshold) || !isfinite(d)) return false;
        row[i] = d;
    }
    return true;
}

void plLdl_Solve(const double* LD, int n, double* b)
{
    for (int i = 0; i < n; i++) b[i] -= plDotN(LD + i * n, b, i);
    for (int i = 0; i < n; i++) b[i] /= LD[i * n + i];
    for (int i = n - 1; i >= 0; i--) addScaled(b, -b[i], LD + i * n, i);
}
