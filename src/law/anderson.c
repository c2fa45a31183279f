// Sweeps of Gauss-Seidel carry an impulse one contact further at a time: a stack of n boxes wants some n^2
// of them. But a sweep is a map p -> g(p), smooth while the states of contacts stay, and differences of
// the last few say how it changes: with f = g - p, and dF, dG the differences of f and g,
//     next = g - dG y,   y = argmin |f - dF y|
// is what GMRES does on linear problems, for the price of some products of vectors. Where |f| grows, the states
// have changed: what was seen is forgotten, and a plain sweep goes on.   (Anderson 1965; Walker, Ni 2011)
#include "law/anderson.h"

#include <string.h>

static const double growth = 1.5, ridge = 1e-10;

plStatus plAnderson_Create(plAnderson* a, int rows, plArena* arena)
{
    const size_t n = (size_t)rows;
    *a = (plAnderson){0};
    a->f = plArena_Alloc(arena, n, sizeof(double));
    a->g = plArena_Alloc(arena, n, sizeof(double));
    a->dF = plArena_Alloc(arena, plAndersonWindow * n, sizeof(double));
    a->dG = plArena_Alloc(arena, plAndersonWindow * n, sizeof(double));
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

void plAnderson_Begin(plAnderson* a, int rows)
{
    a->rows = rows;
    a->seen = a->next = 0;
    a->begun = false;
    a->least = INFINITY;
}

// The new column of differences, and its products with the others.
static void see(plAnderson* a, const double* start, const double* p)
{
    const int n = a->rows, c = a->next;
    double *dF = &a->dF[c * n], *dG = &a->dG[c * n];
    for (int i = 0; i < n; ++i) {
        const double f = p[i] - start[i];
        dF[i] = f - a->f[i];
        dG[i] = p[i] - a->g[i];
        a->f[i] = f;
        a->g[i] = p[i];
    }
    if (!a->begun) return;
    a->next = (c + 1) % plAndersonWindow;
    a->seen = a->seen < plAndersonWindow ? a->seen + 1 : a->seen;
    for (int j = 0; j < a->seen; ++j) a->gram[c][j] = a->gram[j][c] = plDotN(dF, &a->dF[j * n], n);
}

// y of (dF^T dF + ridge) y = dF^T f, by Cholesky. Columns that say nothing new are held by the ridge.
static void project(const plAnderson* a, double* y)
{
    const int m = a->seen;
    double L[plAndersonWindow][plAndersonWindow], trace = 0;
    for (int i = 0; i < m; ++i) trace += a->gram[i][i];
    for (int i = 0; i < m; ++i) {
        y[i] = plDotN(&a->dF[i * a->rows], a->f, a->rows);
        for (int j = 0; j <= i; ++j) {
            double sum = a->gram[i][j] + (i == j ? ridge * trace : 0);
            for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(fmax(sum, ridge * trace)) : sum / L[j][j];
        }
        for (int k = 0; k < i; ++k) y[i] -= L[i][k] * y[k];
        y[i] /= L[i][i];
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) y[i] -= L[k][i] * y[k];
        y[i] /= L[i][i];
    }
}

void plAnderson_Next(plAnderson* a, const double* start, double* p)
{
    double y[plAndersonWindow];
    see(a, start, p);
    const double size = sqrt(plDotN(a->f, a->f, a->rows));
    a->begun = true;
    if (!(size <= growth * a->least)) {
        a->seen = a->next = 0;
        a->least = size;
        return;
    }
    a->least = fmin(a->least, size);
    if (a->seen == 0 || size == 0) return;
    project(a, y);
    for (int j = 0; j < a->seen; ++j) {
        const double* dG = &a->dG[j * a->rows];
        for (int i = 0; i < a->rows; ++i) p[i] -= y[j] * dG[i];
    }
}
