// Friction pyramids as an LCP, and back.
//
// Per contact the unknowns are p_n, beta_j along `sides` directions d_j, and lambda, the sliding
// speed, in that order:
//   w_n      =  W_nn p_n + W_nd beta              + q_n
//   w_j      =  W_jn p_n + W_jd beta + lambda     + q_j        W_jd = d_j^T W_tt d_s
//   w_lambda =  mu p_n - sum beta                                       (signorini eq. 22-24)
// (22) lacks mu; opposite directions give negative entries of W_jd. While sliding the impulse sits
// on a corner of the pyramid, so its direction is off by up to pi/sides.
#include "law/explicit.h"

#include <string.h>

int plPyramid_Sides(const plSpace* s) { return s->dim == 1 ? 0 : s->dim == 2 ? 2 : s->sides; }

static int unknownsOf(int sides) { return sides == 0 ? 1 : sides + 2; }

int plPyramid_Size(const plSpace* s) { return s->count * unknownsOf(plPyramid_Sides(s)); }

void plPyramid_Direction(int sides, int j, double d[2])
{
    const int half = sides / 2;
    const double sign = j < half ? 1 : -1, angle = 2 * PL_PI * (j % half) / sides;
    d[0] = sign * (4 * (j % half) == sides ? 0 : cos(angle));
    d[1] = sign * sin(angle);
}

// Adds the block of contacts (i, j), dim x dim with row stride ld, divided by scale.
static void addBlock(const plSpace* s, int i, int j, const double* B, int ld, double scale,
                     plLcp* l)
{
    const int sides = plPyramid_Sides(s), size = unknownsOf(sides);
    double g[1 + plMaxSides][3] = {{1}};
    for (int a = 0; a < sides; ++a) plPyramid_Direction(sides, a, &g[1 + a][1]);
    for (int a = 0; a <= sides; ++a) {
        double gB[3] = {0};
        for (int k = 0; k < s->dim; ++k) {
            for (int m = 0; m < s->dim; ++m) gB[m] += g[a][k] * B[k * ld + m] / scale;
        }
        for (int b = 0; b <= sides; ++b) {
            double* to = &l->M[(size * i + a) * l->n + size * j + b];
            for (int m = 0; m < s->dim; ++m) *to += gB[m] * g[b][m];
        }
    }
}

static void addFriction(const plSpace* s, int i, plLcp* l)
{
    const int sides = plPyramid_Sides(s), first = unknownsOf(sides) * i, last = first + sides + 1;
    l->M[last * l->n + first] = s->pair[i].mu;
    for (int a = 1; a <= sides; ++a) {
        l->M[(first + a) * l->n + last] = 1;
        l->M[last * l->n + first + a] = -1;
    }
}

static double meanDiagonal(const plSpace* s)
{
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
        int stride;
        const double* B = plSpace_Diagonal(s, i, &stride);
        for (int k = 0; k < s->dim; ++k) sum += B[k * stride + k];
    }
    return sum > 0 ? sum / plSpace_Rows(s) : 1;
}

double plPyramid_Assemble(const plSpace* s, const double* q, plLcp* l)
{
    const int dim = s->dim, rows = plSpace_Rows(s), sides = plPyramid_Sides(s);
    const int size = unknownsOf(sides);
    const double scale = meanDiagonal(s);
    l->n = plPyramid_Size(s);
    PL_ASSERT(l->n <= l->capacity);
    memset(l->M, 0, (size_t)(l->n * l->n) * sizeof(double));
    for (int i = 0; i < s->count; ++i) {
        for (int j = 0; s->W && j < s->count; ++j) {
            addBlock(s, i, j, &s->W[dim * i * rows + dim * j], rows, scale, l);
        }
        for (int b = s->W ? 0 : s->blockStart[i]; !s->W && b < s->blockStart[i + 1]; ++b) {
            addBlock(s, i, s->blockColumn[b], &s->blocks[b * dim * dim], dim, scale, l);
        }
        for (int a = 0; a <= sides; ++a) l->q[size * i + a] = q[(1 + sides) * i + a];
        if (sides > 0) addFriction(s, i, l), l->q[size * i + sides + 1] = 0;
    }
    return scale;
}

void plPyramid_Impulses(const plSpace* s, const double* z, double scale, double* p)
{
    const int sides = plPyramid_Sides(s), size = unknownsOf(sides);
    for (int i = 0; i < s->count; ++i) {
        double* f = &p[s->dim * i];
        for (int k = 0; k < s->dim; ++k) f[k] = 0;
        f[0] = z[size * i] / scale;
        for (int a = 0; a < sides; ++a) {
            double d[2];
            plPyramid_Direction(sides, a, d);
            for (int k = 1; k < s->dim; ++k) f[k] += d[k - 1] * z[size * i + 1 + a] / scale;
        }
    }
}

// --- the law

static int biasCount(const plSpace* s) { return s->count * (1 + plPyramid_Sides(s)); }

// One-sided restitution is passive already; the elastic level serves the plastic bias.
static void bias(const plSpace* s, int level, double* q)
{
    plBias_Pyramid(s, level == 0 ? s->bias : pl_biasElastic, q);
}

static void countStates(const plSpace* s, const double* z, plLawReport* report)
{
    const int sides = plPyramid_Sides(s), size = unknownsOf(sides);
    for (int i = 0; i < s->count; ++i) {
        const double* zi = &z[size * i];
        report->active += zi[0] > 0;
        report->sliding += sides > 0 && zi[0] > 0 && zi[sides + 1] > 0;
    }
}

// What Lemke could not solve goes to the cone with its own bias.
static void fallToCone(const plSpace* s, int level, double* p, plLawWork* w, plLawReport* report)
{
    plConeLaw.bias(s, level == 0 ? 0 : 2, w->bias);
    plCone_Solve(s, w->bias, p, w, report);
    report->flags |= pl_reportFellBack;
}

// One vector of tangents, whose parts along the directions are their biases. False: there is none.
static bool rowsOf(int sides, int dim, const double* q, double* rows)
{
    double worst = 0, size = fabs(q[0]);
    rows[0] = q[0];
    for (int k = 1; k < dim; ++k) rows[k] = 0;
    for (int j = 0; j < sides; ++j) {
        double d[2];
        plPyramid_Direction(sides, j, d);
        for (int k = 1; k < dim; ++k) rows[k] += (dim - 1) * d[k - 1] * q[1 + j] / sides;
        size = fmax(size, fabs(q[1 + j]));
    }
    for (int j = 0; j < sides; ++j) {
        double d[2], along = 0;
        plPyramid_Direction(sides, j, d);
        for (int k = 1; k < dim; ++k) along += d[k - 1] * rows[k];
        worst = fmax(worst, fabs(along - q[1 + j]));
    }
    return worst <= 1e-12 * size;
}

// Pyramids are cones with another section, and what solves those solves them. The rebound of tangents may
// differ from direction to direction (bias.c), which no vector says: false.
static bool asCones(const plSpace* s, const double* q, plSpace* flat, double* rows)
{
    const int sides = plPyramid_Sides(s);
    bool agrees = true;
    *flat = *s;
    flat->pyramids = true;
    for (int i = 0; i < s->count; ++i) {
        agrees = rowsOf(sides, s->dim, &q[i * (1 + sides)], &rows[s->dim * i]) && agrees;
    }
    return agrees;
}

// Too many for an LCP; where tangents have no vector, that of the cone is taken.
static void solveMany(const plSpace* s, const double* q, int level, double* p, plLawWork* w,
                      plLawReport* report)
{
    plSpace flat;
    const bool agrees = asCones(s, q, &flat, w->bias);
    if (!agrees) plConeLaw.bias(s, level == 0 ? 0 : 2, w->bias);
    plCone_Solve(&flat, w->bias, p, w, report);
    report->flags &= ~(unsigned)pl_reportFellBack;
    if (!agrees) report->flags |= pl_reportFellBack;
    report->residual = plJudge_Pyramid(s, q, p);
}

// A group that rests has the impulses of the last tick, and one that moves is not far from them: Newton's
// method arrives in a step or two, where Lemke's begins at nothing. False: it did not.
static bool goOn(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    enum { fewest = 5, steps = 8 };               // below, Lemke is as quick
    const double good = fmin(w->tolerance, 1e-9); // as good as Lemke's answers
    plSpace flat;
    if (s->dim < 3 || s->count < fewest || !asCones(s, q, &flat, w->bias)) return false;
    double res = plCone_Newton(&flat, w->bias, 0, NULL, good, steps, p, w, &report->iterations);
    if (!(res <= good)) res = plCone_Near(&flat, w->bias, good, p, w, &report->iterations);
    report->residual = plJudge_Pyramid(s, q, p);
    if (!(res <= good && report->residual <= good)) return false;
    plLaw_CountStates(s, p, report);
    return true;
}

static void solveLcp(const plSpace* s, const double* q, int level, double* p, plLawWork* w,
                     plLawReport* report)
{
    const double worst = 1e-6; // of the min-map: above, the cone does better
    plLcpReport lcp;
    w->lcp.budget = &w->budget;
    const double scale = plPyramid_Assemble(s, q, &w->lcp);
    const plLcpVerdict verdict = plPyramid_Solve(&w->lcp, plPyramid_Sides(s), &lcp);
    report->iterations += lcp.pivots;
    report->residual = plJudge_Lcp(w->lcp.M, w->lcp.n, w->lcp.q, w->lcp.z);
    if (verdict != pl_lcpSolved && !(report->residual <= worst)) {
        fallToCone(s, level, p, w, report);
        return;
    }
    if (lcp.regularised > 0) report->flags |= pl_reportRegularised;
    plPyramid_Impulses(s, w->lcp.z, scale, p);
    countStates(s, w->lcp.z, report);
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    *report = (plLawReport){0};
    plLaw_Recall(s, before, p);
    const int most = s->dim == 1 ? plDenseContacts : plPyramidContacts;
    if (s->count > most || plPyramid_Size(s) > w->lcp.capacity) {
        solveMany(s, q, level, p, w, report);
    } else if (!goOn(s, q, p, w, report)) {
        solveLcp(s, q, level, p, w, report);
    }
    plLaw_Remember(s, before, after, p);
}

const plLaw plLcpLaw = {.name = "lcp",
                        .response = pl_responseStep,
                        .reach = true,
                        .exact = true,
                        .levels = 1,
                        .biasCount = biasCount,
                        .bias = bias,
                        .solve = solve,
                        .judge = plJudge_PyramidRes,
                        .natural = plJudge_Pyramid};
