// Lemke's method for w = M z + q, w and z >= 0, w z = 0, safe against degeneracy.  (pmi spec 4.4)
//
// The exchange tableau has the basic variables as b + T times the others. A pivot costs n^2, where a factor anew costs
// n^3. Digits are lost on the way, on redundant sliding contacts all of them: what is taken from the tableau is only
// which variables are basic. The answer is solved from M itself and measured, and where it is bad, the tableau of the
// next attempts is made anew every few pivots.
//
// Degeneracy: a generic covering vector c in [1, 2], and a generic small perturbation of q that is
// taken away at the end, break all ties. Round-off: other vectors, then a tiny regularisation of M, are tried when an
// answer is bad. Both are fixed sequences: no chance enters.
#include "law/lemke.h"

#include <string.h>

static const double goodResidual = 1e-11; // relative to q: no further attempt
static const double fairResidual = 1e-9;  // relative to q: accepted after all attempts

plStatus plLcp_Create(plLcp* l, int capacity, plArena* arena)
{
    const size_t n = (size_t)capacity;
    *l = (plLcp){.capacity = capacity};
    double** vectors[] = {&l->q, &l->z, &l->cover, &l->x, &l->d, &l->y, &l->best};
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
    double size;       // of q
    int seed;
    int fresh; // pivots after which the tableau is made anew; 0: never
} Attempt;

// Numbers in [0, 1) that no problem knows: multiples of the golden ratio, shifted by the seed.
static double generic(int i, int seed)
{
    const double x = (i + 1) * 0.6180339887498949 + seed * 0.7548776662466927;
    return x - floor(x);
}

// --- the tableau: w_i is variable i, z_i is n + i, the covering one 2 n; list: of the rows, pivot: of the columns

// All w are basic.
static void begin(plLcp* l, const Attempt* a)
{
    const int n = l->n;
    const double inverse = 1 / a->scale;
    for (int i = 0; i < n; ++i) {
        double* row = &l->S[i * (n + 1)];
        for (int j = 0; j < n; ++j) row[j] = l->M[i * n + j] * inverse;
        row[i] += a->regularise;
        row[n] = l->cover[i] = 1 + generic(i, a->seed);
        l->x[i] = l->q[i] + a->perturb * a->size * (0.5 + generic(i, a->seed + 7));
        l->list[i] = i;
        l->pivot[i] = n + i;
    }
    l->pivot[n] = 2 * n;
}

// The variable of a row and that of a column change places.
static void exchange(plLcp* l, int row, int column)
{
    const int width = l->n + 1, kept = l->list[row];
    double* r = &l->S[row * width];
    const double inverse = 1 / r[column];
    for (int j = 0; j < width; ++j) r[j] *= -inverse;
    r[column] = inverse;
    l->x[row] *= -inverse;
    for (int i = 0; i < l->n; ++i) {
        double *to = &l->S[i * width], share = to[column];
        if (i == row || share == 0) continue;
        to[column] = 0;
        plAddScaledN(to, share, r, width);
        l->x[i] += share * l->x[row];
    }
    l->list[row] = l->pivot[column];
    l->pivot[column] = kept;
}

static int columnOf(const plLcp* l, int variable)
{
    for (int j = 0; j <= l->n; ++j) {
        if (l->pivot[j] == variable) return j;
    }
    return -1;
}

// The same basis from M itself: what is basic comes in again, each by the largest pivot among the w that leave.
// False: it is singular.
static bool renew(plLcp* l, const Attempt* a)
{
    int* basic = l->state; // per variable z_i, and behind them the covering one
    for (int i = 0; i <= l->n; ++i) basic[i] = 1;
    for (int j = 0; j <= l->n; ++j) {
        if (l->pivot[j] >= l->n) basic[l->pivot[j] - l->n] = 0;
    }
    for (int i = 0; i < l->n; ++i) l->y[i] = 1; // w_i leaves
    for (int i = 0; i < l->n; ++i) {
        if (l->list[i] < l->n) l->y[l->list[i]] = 0;
    }
    begin(l, a);
    for (int i = 0; i <= l->n; ++i) {
        int row = -1;
        if (!basic[i]) continue;
        for (int k = 0; k < l->n; ++k) {
            const double pivot = l->y[k] != 0 ? fabs(l->S[k * (l->n + 1) + i]) : 0;
            if (pivot > 0 && (row < 0 || pivot > fabs(l->S[row * (l->n + 1) + i]))) row = k;
        }
        if (row < 0 || !plLcp_Pay(l, (double)l->n * l->n)) return false;
        exchange(l, row, i);
        l->y[row] = 0;
    }
    return true;
}

// --- the path

// The row that leaves when the entering variable grows, x - t d >= 0; -1: none, a ray. Harris'
// test: of all that leave before the first one has gone below zero by round-off, the largest d;
// z0 goes first, since that ends the path.
static int leaving(const plLcp* l, double slack)
{
    double size = 0, bound = INFINITY, largest = 0;
    int found = -1;
    for (int i = 0; i < l->n; ++i) size = fmax(size, fabs(l->d[i]));
    const double least = 1e-11 * size;
    for (int i = 0; i < l->n; ++i) {
        const double x = l->x[i] > 0 ? l->x[i] : 0;
        if (l->d[i] > least && x + slack < bound * l->d[i]) bound = (x + slack) / l->d[i];
    }
    for (int i = 0; i < l->n; ++i) {
        if (!(l->d[i] > least) || l->x[i] > bound * l->d[i]) continue;
        if (l->list[i] == 2 * l->n) return i;
        if (l->d[i] > largest) largest = l->d[i], found = i;
    }
    return found;
}

static int firstRow(const plLcp* l)
{
    int first = 0;
    for (int i = 1; i < l->n; ++i) {
        if (l->x[i] / l->cover[i] < l->x[first] / l->cover[first]) first = i;
    }
    return first;
}

// From the covering ray; at its end the rows are a complementary basis.
static plLcpVerdict follow(plLcp* l, const Attempt* a, int* pivots)
{
    const int n = l->n;
    begin(l, a);
    int out = firstRow(l), column = n;
    if (l->x[out] >= 0) return pl_lcpSolved;
    for (int k = 1, limit = 10 * n + 200; k <= limit; ++k) {
        const int left = l->list[out];
        if (!plLcp_Pay(l, (double)n * n)) return pl_lcpLimit;
        exchange(l, out, column);
        *pivots += 1;
        if (left == 2 * n) return pl_lcpSolved;
        if (a->fresh > 0 && k % a->fresh == 0 && !renew(l, a)) return pl_lcpLimit;
        column = columnOf(l, left < n ? left + n : left - n);
        for (int i = 0; i < n; ++i) l->d[i] = -l->S[i * (n + 1) + column];
        out = leaving(l, 1e-3 * a->perturb * a->size);
        if (out < 0) return pl_lcpRay;
    }
    return pl_lcpLimit;
}

// --- the answer

static double residual(const plLcp* l, double size)
{
    double worst = 0;
    for (int i = 0; i < l->n; ++i) {
        const double w = l->q[i] + plDotN(&l->M[i * l->n], l->z, l->n);
        const double defect = fabs(fmin(w, l->z[i]));
        if (!(defect <= worst)) worst = defect;
    }
    return isfinite(worst) ? worst / size : (double)INFINITY;
}

// z of the last basis from M, for q as it was given.
static double readSolution(plLcp* l, const Attempt* a)
{
    const int n = l->n;
    int r = 0;
    memset(l->state, 0, (size_t)n * sizeof *l->state);
    memset(l->z, 0, (size_t)n * sizeof *l->z);
    for (int i = 0; i < n; ++i) {
        if (l->list[i] >= n && l->list[i] < 2 * n) l->state[l->list[i] - n] = 1;
    }
    for (int i = 0; i < n; ++i) {
        if (l->state[i]) l->list[r++] = i;
    }
    if (!plLcp_Pay(l, plLaw_FactorCost(r) + 4.0 * n * r)) return INFINITY;
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j < r; ++j) l->S[i * r + j] = l->M[l->list[i] * n + l->list[j]] / a->scale;
        l->S[i * (r + 1)] += a->regularise;
        l->y[i] = -l->q[l->list[i]];
    }
    if (r > 0 && !plLu_Factor(l->S, r, l->pivot)) return INFINITY;
    if (r > 0) plLu_Solve(l->S, r, l->pivot, l->y);
    for (int i = 0; i < r; ++i) l->z[l->list[i]] = fmax(l->y[i], 0) / a->scale;
    return residual(l, a->size);
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
    static const Attempt attempts[] = {
        {.perturb = 1e-13, .seed = 0},
        {.perturb = 1e-13, .seed = 0, .fresh = 10},
        {.perturb = 1e-12, .seed = 1, .fresh = 10},
        {.perturb = 1e-14, .seed = 2, .fresh = 10},
        {.perturb = 1e-11, .seed = 3, .fresh = 10},
        {.perturb = 0, .seed = 4, .fresh = 10},
        {.perturb = 1e-10, .seed = 5, .fresh = 10},
        {.perturb = 1e-13, .regularise = 1e-12, .seed = 6, .fresh = 10},
        {.perturb = 1e-13, .regularise = 1e-11, .seed = 7, .fresh = 10},
        {.perturb = 1e-12, .regularise = 1e-10, .seed = 8, .fresh = 10},
        {.perturb = 1e-11, .regularise = 1e-9, .seed = 9, .fresh = 10},
    };
    const size_t bytes = (size_t)l->n * sizeof(double);
    double least = 1; // z = 0 is as good
    plLcpVerdict first = pl_lcpLimit;
    memset(l->best, 0, bytes);
    for (int k = 0; k < PL_COUNT(attempts) && least > goodResidual; ++k) {
        Attempt a = attempts[k];
        a.scale = meanDiagonal(l), a.size = size;
        const plLcpVerdict verdict = follow(l, &a, &report->pivots);
        report->attempts = k + 1;
        if (k <= 1) first = verdict;
        const double found = verdict == pl_lcpSolved ? readSolution(l, &a) : (double)INFINITY;
        if (!(found < least)) continue;
        least = found;
        report->regularised = a.regularise;
        memcpy(l->best, l->z, bytes);
    }
    memcpy(l->z, l->best, bytes);
    if (least <= fairResidual) return pl_lcpSolved;
    return first == pl_lcpSolved ? pl_lcpLimit : first;
}

plLcpVerdict plLcp_Solve(plLcp* l, plLcpReport* report)
{
    double size = 0;
    *report = (plLcpReport){0};
    for (int i = 0; i < l->n; ++i) size = fmax(size, fabs(l->q[i]));
    size = size > 0 ? size : 1;
    if (plLcp_Principal(l, size, &report->pivots) > 1e-13) return lemke(l, size, report);
    report->attempts = 1;
    return pl_lcpSolved;
}
