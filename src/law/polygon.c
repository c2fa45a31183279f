// Friction pyramids by a guess: which of the unknowns are positive, from sweeps in the space of impulses,
// then exchanges of those with the wrong sign.
//
// A contact of a pyramid is open, sticks (p_n and the two beta beside p_t), slips towards a corner
// (p_n, beta, lambda) or along a side (p_n, two beta, lambda). A set of such states is solved by one
// factor of M over its positive unknowns; what comes out with the wrong sign says which states are
// next. All is linear between two exchanges, so that this is Newton's method on the pyramid. It proves
// nothing: z is measured, and Lemke is there.
#include "law/explicit.h"

#include <string.h>

// Unknowns of a contact: p_n, sides beta, lambda.
typedef struct {
    int sides, size, count; // count contacts
    double cosine[plMaxSides], sine[plMaxSides];
} Pyramids;

static Pyramids describe(const plLcp* l, int sides)
{
    Pyramids y = {.sides = sides, .size = sides + 2, .count = l->n / (sides + 2)};
    for (int j = 0; j < y.sides; ++j) {
        double d[2];
        plPyramid_Direction(y.sides, j, d);
        y.cosine[j] = d[0], y.sine[j] = d[1];
    }
    return y;
}

// Row of M, and of q, that belongs to row k of contact i: the normal, or a direction along a tangent.
static int rowOf(const Pyramids* y, int i, int k)
{
    return y->size * i + (k == 0 ? 0 : k == 1 ? 1 : 1 + y->sides / 4);
}

// W over (n, t1, t2), out of M into S.
static void readW(const plLcp* l, const Pyramids* y)
{
    const int rows = 3 * y->count;
    for (int i = 0; i < rows; ++i) {
        const double* M = &l->M[rowOf(y, i / 3, i % 3) * l->n];
        double* W = &l->S[i * rows];
        for (int j = 0; j < y->count; ++j, W += 3) {
            for (int k = 0; k < 3; ++k) W[k] = M[rowOf(y, j, k)];
        }
    }
}

// The point of the pyramid's section that is nearest to t, as numbers of the two directions beside
// it and their shares; a share is 0 at a corner.
typedef struct {
    int first, second;
    double a, b;
    bool sticks;
} Section;

static Section project(const Pyramids* y, const double* t, double radius)
{
    const double width = 2 * PL_PI / y->sides, turn = atan2(t[1], t[0]);
    const double angle = turn > 0 ? turn : turn < 0 ? turn + 2 * PL_PI : 0; // not a NaN
    Section s = {.first = (int)(angle / width) % y->sides};
    s.second = (s.first + 1) % y->sides;
    // t = a d_first + b d_second
    const double c1 = y->cosine[s.first], s1 = y->sine[s.first], c2 = y->cosine[s.second],
                 s2 = y->sine[s.second], det = c1 * s2 - c2 * s1;
    s.a = (t[0] * s2 - t[1] * c2) / det;
    s.b = (t[1] * c1 - t[0] * s1) / det;
    s.sticks = s.a + s.b <= radius;
    if (s.sticks) return s;
    // Along the side from first to second: where t's foot is, as a share.
    const double x = c2 - c1, z = s2 - s1;
    const double foot = ((t[0] / radius - c1) * x + (t[1] / radius - s1) * z) / (x * x + z * z);
    const double share = fmin(1, fmax(0, foot));
    s.a = radius * (1 - share), s.b = radius * share;
    return s;
}

static double frictionOf(const plLcp* l, const Pyramids* y, int i)
{
    const int n = y->size * i;
    return l->M[(n + y->sides + 1) * l->n + n];
}

// One contact's step from p, in place.
static Section step(const plLcp* l, const Pyramids* y, int i, double* p)
{
    const int rows = 3 * y->count;
    const double* W = &l->S[3 * i * rows];
    double* f = &p[3 * i];
    const double Wnn = W[3 * i], L = 0.5 * (W[rows + 3 * i + 1] + W[2 * rows + 3 * i + 2]);
    const bool moves = Wnn > 0 && L > 0;
    f[0] = moves ? fmax(0, f[0] - (l->q[rowOf(y, i, 0)] + plDotN(W, p, rows)) / Wnn) : 0;
    if (f[0] == 0) {
        f[1] = f[2] = 0;
        return (Section){0};
    }
    double t[2];
    for (int k = 1; k < 3; ++k) {
        t[k - 1] = f[k] - (l->q[rowOf(y, i, k)] + plDotN(&W[k * rows], p, rows)) / L;
    }
    const Section s = project(y, t, frictionOf(l, y, i) * f[0]);
    f[1] = s.a * y->cosine[s.first] + s.b * y->cosine[s.second];
    f[2] = s.a * y->sine[s.first] + s.b * y->sine[s.second];
    return s;
}

static void putState(plLcp* l, const Pyramids* y, int i, const double* p, const Section* s)
{
    int* state = &l->state[y->size * i];
    memset(state, 0, (size_t)y->size * sizeof *state);
    if (p[3 * i] == 0) return;
    state[0] = 1;
    state[1 + s->first] = s->a > 0;
    state[1 + s->second] = s->b > 0;
    state[y->sides + 1] = !s->sticks;
}

// --- exchanges

static int listSet(plLcp* l)
{
    int r = 0;
    for (int i = 0; i < l->n; ++i) {
        if (l->state[i]) l->list[r++] = i;
    }
    return r;
}

// Redundant contacts make a set singular, up to round-off; its z would be large, and have lost their
// digits. Lemke finds a set that is not.
static bool isRegular(const plLcp* l, int r)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < r; ++i) {
        const double pivot = fabs(l->S[i * (r + 1)]);
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return least > 1e-10 * most;
}

// z over the set, and w of all others in x. False: singular.
static bool solveSet(plLcp* l)
{
    const int r = listSet(l);
    if (!plLcp_Pay(l, plLaw_FactorCost(r) + (double)l->n * r)) return false;
    for (int i = 0; i < r; ++i) {
        const double* M = &l->M[l->list[i] * l->n];
        for (int j = 0; j < r; ++j) l->S[i * r + j] = M[l->list[j]];
        l->y[i] = -l->q[l->list[i]];
    }
    if (r > 0 && !(plLu_Factor(l->S, r, l->pivot) && isRegular(l, r))) return false;
    if (r > 0) plLu_Solve(l->S, r, l->pivot, l->y);
    memset(l->z, 0, (size_t)l->n * sizeof *l->z);
    for (int i = 0; i < r; ++i) l->z[l->list[i]] = l->y[i];
    for (int i = 0; i < l->n; ++i) {
        l->x[i] = l->q[i];
        for (int k = 0; k < r; ++k) l->x[i] += l->M[i * l->n + l->list[k]] * l->y[k];
    }
    return true;
}

// Of a contact that pushes: its direction that is nearest to a positive unknown.
static int mostWanted(const plLcp* l, const Pyramids* y, int i)
{
    const int n = y->size * i;
    int best = n + 1;
    for (int j = 1; j <= y->sides; ++j) {
        if (l->x[n + j] < l->x[best]) best = n + j;
    }
    return best;
}

// Where nothing pushes, lambda is the speed of the free slip, and no direction is positive.
static void putOpen(plLcp* l, const Pyramids* y, int i)
{
    const int n = y->size * i;
    const double lambda = fmax(0, -l->x[mostWanted(l, y, i)]);
    l->z[n + y->sides + 1] = lambda;
    for (int j = 1; j <= y->sides; ++j) l->x[n + j] += lambda;
}

// Everything of the wrong sign changes sides; a contact that does not push has nothing else, and one
// that slips has a direction. Returns how many were wrong.
static int exchange(plLcp* l, const Pyramids* y, double slack)
{
    int wrong = 0;
    for (int i = 0; i < y->count; ++i) {
        int *state = &l->state[y->size * i], directions = 0;
        if (!state[0]) putOpen(l, y, i);
        for (int j = 0; j < y->size; ++j) {
            const int at = y->size * i + j;
            const bool bad = state[j] ? l->z[at] < 0 : l->x[at] < -slack;
            wrong += bad;
            if (bad) state[j] = !state[j];
            directions += j > 0 && j <= y->sides && state[j];
        }
        if (!state[0]) memset(state, 0, (size_t)y->size * sizeof *state);
        if (state[0] && state[y->sides + 1] && directions == 0) {
            l->state[mostWanted(l, y, i)] = 1;
        }
    }
    return wrong;
}

// The largest of |min(w, z)|; w is in x.
static double measure(const plLcp* l)
{
    double worst = 0;
    for (int i = 0; i < l->n; ++i) {
        const double defect = fabs(fmin(l->x[i], l->z[i]));
        if (!(defect <= worst)) worst = defect;
    }
    return worst;
}

// States of all contacts after some sweeps from p = 0.
static void guess(plLcp* l, const Pyramids* y)
{
    enum { sweeps = 10 };
    double* p = l->best;
    readW(l, y);
    memset(p, 0, (size_t)(3 * y->count) * sizeof *p);
    for (int k = 0; k < sweeps; ++k) {
        for (int i = 0; i < y->count; ++i) {
            const Section s = step(l, y, i, p);
            if (k == sweeps - 1) putState(l, y, i, p, &s);
        }
    }
}

// A good guess needs one round or two; a bad one, as of hyperstatic contacts, is not worth more.
static double follow(plLcp* l, const Pyramids* y, double size, int* pivots)
{
    enum { rounds = 3 };
    for (int k = 0; k < rounds; ++k) {
        if (!solveSet(l)) return INFINITY;
        *pivots += 1;
        if (exchange(l, y, 1e-13 * size) == 0) return measure(l) / size;
    }
    return INFINITY;
}

plLcpVerdict plPyramid_Solve(plLcp* l, int sides, plLcpReport* report)
{
    enum { fewest = 5 }; // below, Lemke is as quick
    double size = 0;
    int rounds = 0;
    for (int i = 0; i < l->n; ++i) size = fmax(size, fabs(l->q[i]));
    const bool enough = l->n >= fewest * (sides + 2);
    if (sides >= 4 && sides % 4 == 0 && size > 0 && enough) {
        const Pyramids y = describe(l, sides);
        guess(l, &y);
        if (follow(l, &y, size, &rounds) <= 1e-14) {
            *report = (plLcpReport){.pivots = rounds, .attempts = 1};
            return pl_lcpSolved;
        }
    }
    const plLcpVerdict verdict = plLcp_Solve(l, report);
    report->pivots += rounds;
    return verdict;
}
