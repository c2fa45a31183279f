// Bilateral rows that stand in a file beside contacts, eliminated:
//   u = W p + V l + q,  V^T p + R l + s = 0      l = -N (V^T p + s),  W - V N V^T,  q - V N s
// R is singular where rows say the same twice. N is then the inverse of a largest set of independent rows,
// which a pivoted Cholesky factor finds, and 0 for the others.
#include "contact/space_entries.h"

#include "math/math.h"

#include <string.h>

// Symmetric to the digits that text files keep.
static bool isSymmetric(const double* R, int n)
{
    double size = 0, worst = 0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(R[i * (n + 1)]));
        for (int j = 0; j < i; ++j) worst = fmax(worst, fabs(R[i * n + j] - R[j * n + i]));
    }
    return worst <= 1e-6 * size;
}

// The rows that a pivoted Cholesky factor takes, until nothing is left of the others; L is scratch.
// Returns how many, -1: R is not positive semi-definite.
static int findIndependent(const double* R, int n, double* L, int* taken)
{
    double size = 0;
    int count = 0;
    memcpy(L, R, (size_t)n * (size_t)n * sizeof *L);
    for (int i = 0; i < n; ++i) size = fmax(size, L[i * (n + 1)]);
    while (count < n) {
        int pivot = 0;
        for (int i = 1; i < n; ++i) {
            if (L[i * (n + 1)] > L[pivot * (n + 1)]) pivot = i;
        }
        const double d = L[pivot * (n + 1)];
        if (!(d > 1e-10 * size)) break;
        taken[count++] = pivot;
        for (int i = 0; i < n; ++i) { // what is left when the pivot's row is satisfied
            const double share = L[i * n + pivot] / d;
            for (int j = 0; i != pivot && j < n; ++j) L[i * n + j] -= share * L[pivot * n + j];
        }
        for (int j = 0; j < n; ++j) L[pivot * n + j] = L[j * n + pivot] = 0;
    }
    for (int i = 0; i < n; ++i) {
        if (!(L[i * (n + 1)] >= -1e-6 * size)) return -1;
    }
    return count;
}

// N of the taken rows; L and column are scratch.
static bool invert(const double* R, int n, const int* taken, int count, double* L, double* column,
                   double* N)
{
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) L[i * count + j] = R[taken[i] * n + taken[j]];
    }
    if (count > 0 && !plChol_Factor(L, count)) return false;
    for (int j = 0; j < count; ++j) {
        for (int i = 0; i < count; ++i) column[i] = i == j;
        plChol_Solve(L, count, column);
        for (int i = 0; i < count; ++i) N[taken[i] * n + taken[j]] = column[i];
    }
    return true;
}

static plStatus allocate(plSpaceFile* file, int rows, int count, const plAllocator* allocator)
{
    plBilateral* b = &file->bilateral;
    const size_t n = (size_t)count, m = (size_t)rows;
    const size_t numbers = 2 * m * n + 2 * n * n + n + 5 * 8;
    const plStatus status =
        plArena_Create(&file->bilateralArena, numbers * sizeof(double), allocator);
    if (status != pl_statusOk) return status;
    *b = (plBilateral){.count = count};
    b->V = plArena_Alloc(&file->bilateralArena, m * n, sizeof(double));
    b->Z = plArena_Alloc(&file->bilateralArena, m * n, sizeof(double));
    b->R = plArena_Alloc(&file->bilateralArena, n * n, sizeof(double));
    b->N = plArena_Alloc(&file->bilateralArena, n * n, sizeof(double));
    b->s = plArena_Alloc(&file->bilateralArena, n, sizeof(double));
    return file->bilateralArena.full ? pl_statusCapacity : pl_statusOk;
}

// N into `b`. False: R is not symmetric and positive semi-definite.
static bool factor(plBilateral* b, double* scratch, int* taken)
{
    const int n = b->count;
    if (!isSymmetric(b->R, n)) return false;
    const int independent = findIndependent(b->R, n, scratch, taken);
    return independent >= 0 && invert(b->R, n, taken, independent, scratch, scratch + n * n, b->N);
}

plStatus plSpaceFile_SetBilateral(plSpaceFile* file, int rows, int count, const double* V,
                                  const double* R, const double* s, const plAllocator* allocator)
{
    const size_t n = (size_t)count, m = (size_t)rows;
    if (count > plBilateralRows || m * n > plEntriesMost) {
        return plSpaceFile_Refuse(file, pl_statusCapacity, "too many bilateral rows");
    }
    const plStatus status = allocate(file, rows, count, allocator);
    const size_t size = (n * n + n) * sizeof(double) + n * sizeof(int);
    double* scratch = status == pl_statusOk ? allocator->take(allocator->self, size) : NULL;
    if (!scratch)
        return plSpaceFile_Refuse(file, pl_statusNoMemory, "no memory for bilateral rows");
    plBilateral* b = &file->bilateral;
    memcpy(b->V, V, m * n * sizeof(double));
    memcpy(b->R, R, n * n * sizeof(double));
    memcpy(b->s, s, n * sizeof(double));
    const bool good = factor(b, scratch, (int*)(scratch + n * n + n));
    allocator->release(allocator->self, scratch, size);
    if (!good) {
        return plSpaceFile_Refuse(file, pl_statusFileFormat,
                                  "R is not symmetric and positive semi-definite");
    }
    for (int i = 0; i < rows; ++i)
        plMatVecT(b->N, count, count, count, &b->V[i * count], &b->Z[i * count]);
    return pl_statusOk;
}

double plBilateral_Fill(const plBilateral* b, int i, int j)
{
    return -plDotN(&b->Z[i * b->count], &b->V[j * b->count], b->count);
}

double plBilateral_Free(const plBilateral* b, int i)
{
    return -plDotN(&b->Z[i * b->count], b->s, b->count);
}

bool plBilateral_Touches(const plBilateral* b, int i)
{
    for (int k = 0; k < b->count; ++k) {
        if (b->V[i * b->count + k] != 0) return true;
    }
    return false;
}

double plBilateral_Recover(const plBilateral* b, const plSpace* space, const double* p, double* l)
{
    const int n = b->count, rows = plSpace_Rows(space);
    double left = 0, size = 0;
    for (int k = 0; k < n; ++k) l[k] = 0;
    for (int k = 0; k < n; ++k) {
        double all = b->s[k];
        for (int i = 0; i < rows; ++i) all += b->V[i * n + k] * p[i];
        for (int j = 0; j < n; ++j) l[j] -= b->N[j * n + k] * all;
    }
    for (int k = 0; k < n; ++k) {
        double Vp = 0;
        const double Rl = plDotN(&b->R[k * n], l, n);
        for (int i = 0; i < rows; ++i) Vp += b->V[i * n + k] * p[i];
        left = fmax(left, fabs(Vp + Rl + b->s[k]));
        size = fmax(size, fmax(fabs(Vp), fmax(fabs(Rl), fabs(b->s[k]))));
    }
    return size > 0 ? left / size : 0;
}
