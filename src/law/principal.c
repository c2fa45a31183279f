// Block principal pivoting for symmetric M > 0, as of contacts without friction.
//
// Guess which z are positive, solve for these alone by a Cholesky factor, and exchange everything that
// came out with the wrong sign; where that does not get better, only the last one. Few of the guesses
// of a few sweeps are wrong, so two or three small factors are the whole work. (Judice and Pires 1994)
// Nothing here asks whether M is symmetric: the answer is measured with M itself, and a bad one is
// left to Lemke.
#include "law/lemke.h"

// w_i from the listed z.
static double listedRow(const plLcp* l, int i, int count)
{
    const double* M = &l->M[i * l->n];
    double even = l->q[i], odd = 0; // two sums that do not wait for each other
    int k = 0;
    for (; k + 2 <= count; k += 2) {
        even += M[l->list[k]] * l->z[l->list[k]];
        odd += M[l->list[k + 1]] * l->z[l->list[k + 1]];
    }
    if (k < count) even += M[l->list[k]] * l->z[l->list[k]];
    return even + odd;
}

static int listPositive(plLcp* l)
{
    int count = 0;
    for (int i = 0; i < l->n; ++i) {
        if (l->z[i] > 0) l->list[count++] = i;
    }
    return count;
}

// One sweep of projected Gauss-Seidel. False: the same z are positive as before.
static bool sweep(plLcp* l, int count)
{
    bool changed = false;
    for (int i = 0; i < l->n; ++i) {
        const bool listed = l->z[i] > 0;
        const double w = listedRow(l, i, count);
        if (!listed && w >= 0) continue;
        const double next = l->z[i] - w / l->M[i * (l->n + 1)];
        l->z[i] = next > 0 ? next : 0;
        if (!listed) l->list[count++] = i;
        changed = changed || listed != (l->z[i] > 0);
    }
    return changed;
}

// Which z are positive, by sweeps from z = 0. False: a diagonal that is not positive.
static bool guess(plLcp* l)
{
    enum { sweeps = 5 };
    for (int i = 0; i < l->n; ++i) {
        if (!(l->M[i * (l->n + 1)] > 0)) return false;
        l->z[i] = 0;
    }
    int count = 0;
    for (int k = 0; k < sweeps && sweep(l, count); ++k) count = listPositive(l);
    for (int i = 0; i < l->n; ++i) l->state[i] = l->z[i] > 0;
    return true;
}

// z of the positive set, and w of the others in x. Returns how many there are, -1: not definite.
static int solveSet(plLcp* l)
{
    int r = 0;
    for (int i = 0; i < l->n; ++i) {
        if (l->state[i]) l->list[r++] = i;
        l->z[i] = 0;
    }
    if (!plLcp_Pay(l, 0.5 * plLaw_FactorCost(r) + (double)l->n * r)) return -1;
    for (int i = 0; i < r; ++i) {
        const double* M = &l->M[l->list[i] * l->n];
        for (int j = 0; j <= i; ++j) l->S[i * r + j] = M[l->list[j]];
        l->y[i] = -l->q[l->list[i]];
    }
    if (r > 0 && !plChol_Factor(l->S, r)) return -1;
    if (r > 0) plChol_Solve(l->S, r, l->y);
    for (int i = 0; i < r; ++i) l->z[l->list[i]] = l->y[i];
    for (int i = 0; i < l->n; ++i) {
        if (!l->state[i]) l->x[i] = listedRow(l, i, r);
    }
    return r;
}

// Exchanges all of the wrong sign, or the last of them only. Returns how many there were.
static int exchange(plLcp* l, double slack, bool all)
{
    int wrong = 0, last = 0;
    for (int i = 0; i < l->n; ++i) {
        if (!(l->state[i] ? l->z[i] < 0 : l->x[i] < -slack)) continue;
        if (all) l->state[i] = !l->state[i];
        last = i;
        wrong++;
    }
    if (wrong > 0 && !all) l->state[last] = !l->state[last];
    return wrong;
}

// The largest of |min(w, z)|, from M itself; w of those that are zero is in x.
static double measure(const plLcp* l, int r)
{
    double worst = 0;
    for (int i = 0; i < l->n; ++i) {
        const double w = l->state[i] ? listedRow(l, i, r) : l->x[i];
        const double defect = fabs(w < l->z[i] ? w : l->z[i]);
        if (!(defect <= worst)) worst = defect;
    }
    return worst;
}

double plLcp_Principal(plLcp* l, double size, int* pivots)
{
    enum { rounds = 50, patience = 3 };
    if (!guess(l)) return INFINITY;
    int least = l->n + 1, worse = 0;
    for (int k = 0; k < rounds; ++k) {
        const int r = solveSet(l);
        if (r < 0) return INFINITY;
        *pivots += 1;
        const int wrong = exchange(l, 1e-14 * size, worse < patience);
        if (wrong == 0) return measure(l, r) / size;
        worse = wrong < least ? 0 : worse + 1;
        least = wrong < least ? wrong : least;
    }
    return INFINITY;
}
