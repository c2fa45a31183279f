// Few of many contacts push: the problem of these alone, and then a look at all of them.
//
// Where something soft is pressed against something, the contacts that push hold the others off: 20
// of 100, 28 of 200. Columns of W that belong to p = 0 say nothing, so a sweep and a look at all rows
// cost what the pushing ones cost, and Newton only sees a small dense copy. Contacts that close when
// the others are left out come in, and it begins anew; a handful of rounds are enough.
#include "law/fixed_point.h"
#include "law/local.h"

#include <string.h>

// w = q + W p of one row, from the listed contacts alone.
static double listedRow(const plSpace* s, const double* q, const double* p, const plLawWork* w,
                        int row)
{
    const double* W = &s->W[row * plSpace_Rows(s)];
    double even = q[row], odd = 0; // two sums that do not wait for each other
    for (int l = 0; l < w->subsetCount; ++l) {
        const int j = s->dim * w->subset[l];
        even += W[j] * p[j];
        if (s->dim > 1) odd += W[j + 1] * p[j + 1];
        if (s->dim > 2) even += W[j + 2] * p[j + 2];
    }
    return even + odd;
}

static bool pushes(const plSpace* s, const double* p, int i) { return p[s->dim * i] > 0; }

// What does not push has no impulse at all: a step that was cut short may leave some.
static void listPushing(const plSpace* s, double* p, plLawWork* w)
{
    w->subsetCount = 0;
    for (int i = 0; i < s->count; ++i) {
        if (pushes(s, p, i)) {
            w->subset[w->subsetCount++] = i;
        } else {
            for (int k = 0; k < s->dim; ++k) p[s->dim * i + k] = 0;
        }
    }
}

// A sweep that knows of zeros: of what is open, it reads the normal row alone. The list grows as
// contacts begin to push.
static void sweep(const plSpace* s, const double* q, double* p, plLawWork* w)
{
    const int dim = s->dim;
    for (int i = 0; i < s->count; ++i) {
        plLocal c;
        double v[3], *pi = &p[dim * i], f[3] = {0};
        const bool listed = pushes(s, pi, 0);
        v[0] = listedRow(s, q, p, w, dim * i);
        if (!listed && v[0] >= 0) continue;
        for (int k = 1; k < dim; ++k) v[k] = listedRow(s, q, p, w, dim * i + k);
        plLocal_Read(s, i, v, pi, &c);
        if (!(c.B[0][0] > 0)) continue;
        for (int k = 0; k < dim; ++k) f[k] = pi[k];
        plLocal_Printed(&c, true, f);
        for (int k = 0; k < dim; ++k) pi[k] = f[k];
        if (!listed && pushes(s, pi, 0)) w->subset[w->subsetCount++] = i;
    }
}

// The defect of contacts that are not in the list, p = 0, from the diagonal as in the fixed point.
static double outside(const plSpace* s, int i, const double* v)
{
    int stride;
    const double* B = plSpace_Diagonal(s, i, &stride);
    double mean = 0, square = 0;
    const double normal = -v[0] / (B[0] > 0 ? B[0] : 1), radius = s->pair[i].mu * normal;
    for (int k = 1; k < s->dim; ++k) mean += B[k * stride + k] / (s->dim - 1);
    for (int k = 1; k < s->dim; ++k) square += v[k] * v[k] / (mean > 0 ? mean * mean : 1);
    return normal * normal + fmin(square, radius * radius);
}

// Looks at all contacts that are not listed; those that close are put behind the list, which has
// `*more` entries then. Returns the square of their defect.
static double look(const plSpace* s, const double* q, const double* p, plLawWork* w, int* more)
{
    double sum = 0;
    *more = w->subsetCount;
    for (int i = 0; i < s->count; ++i) {
        double v[3];
        if (pushes(s, p, i)) continue;
        v[0] = listedRow(s, q, p, w, s->dim * i);
        if (!(v[0] < 0)) continue;
        for (int k = 1; k < s->dim; ++k) v[k] = listedRow(s, q, p, w, s->dim * i + k);
        w->subset[(*more)++] = i;
        sum += outside(s, i, v);
    }
    return sum;
}

// The problem of the listed contacts as a space of its own.
static plSpace copySubset(const plSpace* s, const double* q, const double* p, plLawWork* w)
{
    const int dim = s->dim, rows = plSpace_Rows(s), n = w->subsetCount, own = dim * n;
    plSpace sub = {.count = n, .dim = dim, .capacity = n, .T = s->T, .sides = s->sides};
    sub.pyramids = s->pyramids;
    sub.W = w->subsetW, sub.pair = w->subsetPair;
    for (int i = 0; i < n; ++i) {
        const int from = dim * w->subset[i];
        sub.pair[i] = s->pair[w->subset[i]];
        for (int k = 0; k < dim; ++k) {
            const double* W = &s->W[(from + k) * rows];
            double* to = &sub.W[(dim * i + k) * own];
            for (int j = 0; j < n; ++j) {
                for (int m = 0; m < dim; ++m) *to++ = W[dim * w->subset[j] + m];
            }
            w->subsetQ[dim * i + k] = q[from + k];
            w->subsetP[dim * i + k] = p[from + k];
        }
    }
    return sub;
}

static void putBack(int dim, const plLawWork* w, double* p)
{
    for (int i = 0; i < w->subsetCount; ++i) {
        for (int k = 0; k < dim; ++k) p[dim * w->subset[i] + k] = w->subsetP[dim * i + k];
    }
}

// Newton on the listed contacts, whose impulses are put back. Returns their RES.
static double solveListed(const plSpace* s, const double* q, double tolerance, double* p,
                          plLawWork* w, int* iterations)
{
    enum { steps = 12 };
    const plSpace sub = copySubset(s, q, p, w);
    const double res =
        plCone_Newton(&sub, w->subsetQ, 0, NULL, tolerance, steps, w->subsetP, w, iterations);
    putBack(s->dim, w, p);
    listPushing(s, p, w);
    return res;
}

// From no impulses at all, a few sweeps find most of those that will push; they cost less than a step,
// and count as one. True: it was so.
static bool begin(const plSpace* s, const double* q, double* p, plLawWork* w, int* iterations)
{
    enum { sweeps = 3 };
    listPushing(s, p, w);
    if (w->subsetCount > 0) return false;
    for (int k = 0; k < sweeps; ++k) {
        sweep(s, q, p, w);
        listPushing(s, p, w);
    }
    *iterations += 1;
    return true;
}

// The first set of a cold start is a guess: its solution need not be exact.
static double iterate(const plSpace* s, const double* q, double tolerance, int most, double* p,
                      plLawWork* w, int* iterations)
{
    enum { rounds = 12 };
    const double fine = 0.5 * tolerance;
    double wanted = begin(s, q, p, w, iterations) ? fmax(1e-2, fine) : fine;
    const double cost =
        (double)plSpace_Rows(s) * s->dim; // of a look, and of a copy, for each that is listed
    for (int k = 0; k < rounds && w->subsetCount <= most; ++k, wanted = fine) {
        int more;
        if (!plBudget_Pay(&w->budget, 2 * cost * w->subsetCount)) break;
        const double inside = solveListed(s, q, wanted, p, w, iterations);
        if (!(inside <= 2 * wanted)) break;
        const double square = look(s, q, p, w, &more), size = plDotN(p, p, plSpace_Rows(s));
        const double res = square == 0 ? inside : sqrt(square / size + inside * inside);
        if (res <= tolerance) return res;
        w->subsetCount = more;
    }
    return INFINITY;
}

static int least(int a, int b) { return a < b ? a : b; }

double plCone_Subset(const plSpace* s, const double* q, double tolerance, int most, double* p,
                     plLawWork* w, int* iterations)
{
    enum { fewest = 20 }; // below, Newton on all is as fast
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    const int room = least(least(most, w->subsetCapacity), s->count / 2);
    if (s->count < fewest || room == 0) return INFINITY;
    memcpy(w->kept, p, size);
    const double res = iterate(s, q, tolerance, room, p, w, iterations);
    if (!(res <= tolerance)) memcpy(p, w->kept, size);
    return res;
}
