// Lemke's method for w = M z + q, w and z >= 0, w z = 0, safe against degeneracy.  (pmi spec 4.4)
//
// An exchange tableau (tableau.c) is quick, and may lose its digits on redundant sliding contacts,
// where exact arithmetic finds the solution. This is what follows it then: nothing is carried from pivot to pivot but the set of basic variables; the
// basis is factored anew each time. Only its part that is no unit column costs anything: with the
// covering variable z0, w - M z - c z0 = q, and for each index i one of
//   basic w_i | basic z_i | neither (the pair that the path crosses; z0 stands in its place)
// so the rows of the last two kinds and the columns of their z (or of z0) make a small square S.
//
// Degeneracy: a generic covering vector c in [1, 2], and a generic small perturbation of q that is
// taken away at the end, break all ties. Round-off: the answer is measured, and other vectors, then
// a tiny regularisation of M, are tried when it is bad. Both are fixed sequences: no chance enters.
#include "law/lemke.h"

#include <string.h>

enum { basicW, basicZ, neither };

static const double goodResidual = 1e-11; // relative to q: no further attempt
static const double fairResidual = 1e-9;  // relative to q: accepted after all attempts

plStatus plLcp_Create(plLcp* l, int capacity, plArena* arena)
{
    const size_t n = (size_t)capacity;
    *l = (plLcp){.capacity = capacity};
    double** vectors[] = {&l->q, &l->z, &l->cover, &l->right, &l->x, &l->d, &l->y, &l->best};
    int** lists[] = {&l->state, &l->list, &l->pivot};
    l->M = plArena_Alloc(arena, n * n, sizeof(double));
    l->S = plArena_Alloc(arena, n * (n + 1), sizeof(double));
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(arena, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(lists); ++i) *lists[i] = plArena_Alloc(arena, n + 1, sizeof(int));
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

// One attempt: how M and q are altered, and by which numbers.
typedef struct {
    double perturb;    // of q, relative to its largest
    double regularise; // of M's diagonal, in its own unit
    double scale;      // z is counted in 1/scale: M/scale has a diagonal of about 1
    int seed;
} Attempt;

// Numbers in [0, 1) that no problem knows: multiples of the golden ratio, shifted by the seed.
double plLcp_Generic(int i, int seed)
{
    const double x = (i + 1) * 0.6180339887498949 + seed * 0.7548776662466927;
    return x - floor(x);
}

// Column of -(M/scale) or -c: the variable that stands at index j, seen in row i.
static double coefficient(const plLcp* l, const Attempt* a, int i, int j)
{
    if (l->state[j] == neither) return -l->cover[i];
    return -(l->M[i * l->n + j] / a->scale + (i == j ? a->regularise : 0));
}

// Lists the indices whose w is not basic and factors S over them. Returns how many, -1: singular, or too dear.
static int factor(plLcp* l, const Attempt* a)
{
    int r = 0;
    for (int i = 0; i < l->n; ++i) {
        if (l->state[i] != basicW) l->list[r++] = i;
    }
    if (!plLcp_Pay(l, plLaw_FactorCost(r) + 4.0 * l->n * r)) return -1;
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j < r; ++j) l->S[i * r + j] = coefficient(l, a, l->list[i], l->list[j]);
    }
    return plLu_Factor(l->S, r, l->pivot) ? r : -1;
}

// Values of the basic variables for a right-hand side; x[i] is that of the variable at index i.
static void solveBasis(plLcp* l, const Attempt* a, int r, const double* right, double* x)
{
    for (int k = 0; k < r; ++k) l->y[k] = right[l->list[k]];
    plLu_Solve(l->S, r, l->pivot, l->y);
    for (int i = 0; i < l->n; ++i) {
        if (l->state[i] != basicW) continue;
        x[i] = right[i];
        for (int k = 0; k < r; ++k) x[i] -= coefficient(l, a, i, l->list[k]) * l->y[k];
    }
    for (int k = 0; k < r; ++k) x[l->list[k]] = l->y[k];
}

// The index that leaves when the entering variable grows, x - t d >= 0; -1: none, a ray. Harris'
// test: of all that leave before the first one has gone below zero by round-off, the largest d;
// z0 goes first, since that ends the path.
int plLcp_Leaving(const plLcp* l, int crossed, double slack)
{
    double size = 0, bound = INFINITY, largest = 0;
    int found = -1;
    for (int i = 0; i < l->n; ++i) size = fabs(l->d[i]) > size ? fabs(l->d[i]) : size;
    const double least = 1e-11 * size;
    for (int i = 0; i < l->n; ++i) {
        const double x = l->x[i] > 0 ? l->x[i] : 0;
        if (l->d[i] > least && x + slack < bound * l->d[i]) bound = (x + slack) / l->d[i];
    }
    for (int i = 0; i < l->n; ++i) {
        if (!(l->d[i] > least) || l->x[i] > bound * l->d[i]) continue;
        if (i == crossed) return i;
        if (l->d[i] > largest) largest = l->d[i], found = i;
    }
    return found;
}

// Follows the path from the covering ray; at its end `state` holds a complementary basis.
static plLcpVerdict follow(plLcp* l, const Attempt* a, double size, int* pivots)
{
    int crossed = 0;
    for (int i = 0; i < l->n; ++i) {
        l->state[i] = basicW;
        l->cover[i] = 1 + plLcp_Generic(i, a->seed);
        l->right[i] = l->q[i] + a->perturb * size * (0.5 + plLcp_Generic(i, a->seed + 7));
        if (l->right[i] / l->cover[i] < l->right[crossed] / l->cover[crossed]) crossed = i;
    }
    if (l->right[crossed] >= 0) return pl_lcpSolved;
    l->state[crossed] = neither;
    bool entersZ = true;
    for (int k = 0, limit = 4 * l->n + 200; k < limit; ++k) {
        const int r = factor(l, a);
        if (r < 0) return pl_lcpLimit;
        solveBasis(l, a, r, l->right, l->x);
        for (int i = 0; i < l->n; ++i) {
            const double m = l->M[i * l->n + crossed] / a->scale;
            l->z[i] = entersZ ? -(m + (i == crossed ? a->regularise : 0)) : (i == crossed);
        }
        solveBasis(l, a, r, l->z, l->d);
        *pivots += 1;
        const int out = plLcp_Leaving(l, crossed, 1e-3 * a->perturb * size);
        if (out < 0) return pl_lcpRay;
        const bool leftW = l->state[out] == basicW;
        l->state[crossed] = entersZ ? basicZ : basicW;
        if (out == crossed) return pl_lcpSolved;
        l->state[out] = neither;
        crossed = out;
        entersZ = leftW;
    }
    return pl_lcpLimit;
}

static double residual(const plLcp* l, const double* z, double size)
{
    double worst = 0;
    for (int i = 0; i < l->n; ++i) {
        const double w = l->q[i] + plDotN(&l->M[i * l->n], z, l->n);
        const double defect = fabs(fmin(w, z[i]));
        if (!(defect <= worst)) worst = defect;
    }
    return worst / size;
}

// z of the last basis, for q as it was given.
static double readSolution(plLcp* l, const Attempt* a, double size)
{
    const int r = factor(l, a);
    if (r < 0) return INFINITY;
    solveBasis(l, a, r, l->q, l->x);
    for (int i = 0; i < l->n; ++i) {
        l->z[i] = l->state[i] == basicZ ? fmax(l->x[i], 0) / a->scale : 0;
    }
    const double found = residual(l, l->z, size);
    return isfinite(found) ? found : (double)INFINITY;
}

// Of the entries that are not zero; of all of M where the diagonal has none.
static double meanDiagonal(const plLcp* l)
{
    double sum = 0, largest = 0;
    int count = 0;
    for (int i = 0; i < l->n; ++i) {
        const double m = fabs(l->M[i * l->n + i]);
        sum += m;
        count += m > 0;
    }
    if (count > 0) return sum / count;
    for (int i = 0; i < l->n * l->n; ++i) largest = fmax(largest, fabs(l->M[i]));
    return largest > 0 ? largest : 1;
}

static plLcpVerdict lemke(plLcp* l, double size, plLcpReport* report)
{
    // A perturbation is amplified by the basis: 1e-10 ends now and then in a basis that the true q
    // does not have (hyperstatic contacts, amplification 1e6), 1e-15 drowns in round-off.
    static const double perturb[] = {1e-13, 1e-12, 1e-14, 1e-11, 0,
                                     1e-10, 1e-13, 1e-13, 1e-12, 1e-11};
    static const double regularise[] = {0, 0, 0, 0, 0, 0, 1e-12, 1e-11, 1e-10, 1e-9};
    const size_t bytes = (size_t)l->n * sizeof(double);
    double least = INFINITY;
    plLcpVerdict first = pl_lcpLimit;
    for (int k = 0; k < PL_COUNT(perturb) && least > goodResidual; ++k) {
        const Attempt a = {perturb[k], regularise[k], meanDiagonal(l), k};
        const plLcpVerdict verdict = follow(l, &a, size, &report->pivots);
        report->attempts = k + 1;
        if (k == 0) first = verdict;
        const double found = verdict == pl_lcpSolved ? readSolution(l, &a, size) : (double)INFINITY;
        if (!(found < least)) continue;
        least = found;
        report->regularised = a.regularise;
        memcpy(l->best, l->z, bytes);
    }
    const bool useful = least < 1; // at 1 it is as good as z = 0
    memcpy(l->z, l->best, bytes);
    if (!useful) memset(l->z, 0, bytes);
    if (least <= fairResidual) return pl_lcpSolved;
    return first == pl_lcpSolved ? pl_lcpLimit : first;
}

plLcpVerdict plLcp_Solve(plLcp* l, plLcpReport* report)
{
    double size = 0;
    *report = (plLcpReport){0};
    for (int i = 0; i < l->n; ++i) size = fabs(l->q[i]) > size ? fabs(l->q[i]) : size;
    size = size > 0 ? size : 1;
    if (plLcp_Principal(l, size, &report->pivots) <= 1e-13) {
        report->attempts = 1;
        return pl_lcpSolved;
    }
    const Attempt plain = {.scale = meanDiagonal(l)};
    if (plLcp_Tableau(l, plain.scale, size, &report->pivots) &&
        readSolution(l, &plain, size) <= goodResidual) {
        report->attempts = 1;
        return pl_lcpSolved;
    }
    return lemke(l, size, report);
}
