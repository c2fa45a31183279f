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
#include "law/plan.h"

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
    const int sides = plPyramid_Sides(s), size = unknownsOf(sides);
    const double scale = meanDiagonal(s);
    const plOperator* W = plSpace_Operator(s);
    plOperatorBlock b;
    l->n = plPyramid_Size(s);
    PL_ASSERT(l->n <= l->capacity);
    memset(l->M, 0, (size_t)(l->n * l->n) * sizeof(double));
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; W->block(s, NULL, NULL, i, &k, &b);) {
            addBlock(s, i, b.column, b.B, b.stride, scale, l);
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

// One vector of tangents, whose parts along the directions d are their biases. False: there is none.
static bool rowsOf(int sides, int dim, double d[][2], const double* q, double* rows)
{
    double worst = 0, size = fabs(q[0]);
    rows[0] = q[0];
    for (int k = 1; k < dim; ++k) rows[k] = 0;
    for (int j = 0; j < sides; ++j) {
        for (int k = 1; k < dim; ++k) rows[k] += (dim - 1) * d[j][k - 1] * q[1 + j] / sides;
        size = fmax(size, fabs(q[1 + j]));
    }
    for (int j = 0; j < sides; ++j) {
        double along = 0;
        for (int k = 1; k < dim; ++k) along += d[j][k - 1] * rows[k];
        worst = fmax(worst, fabs(along - q[1 + j]));
    }
    return worst <= 1e-12 * size;
}

// Pyramids are cones with another section, and what solves those solves them. The rebound of tangents may
// differ from direction to direction (bias.c), which no vector says: false.
static bool asCones(const plSpace* s, const double* q, plSpace* flat, double* rows)
{
    const int sides = plPyramid_Sides(s);
    double d[plMaxSides][2];
    bool agrees = true;
    *flat = *s;
    flat->pyramids = true;
    for (int j = 0; j < sides; ++j) plPyramid_Direction(sides, j, d[j]);
    for (int i = 0; i < s->count; ++i) {
        agrees = rowsOf(sides, s->dim, d, &q[i * (1 + sides)], &rows[s->dim * i]) && agrees;
    }
    return agrees;
}

// A group that rests has the impulses of the last tick, and one that moves is not far from them: Newton's
// method arrives in a step or two, where Lemke's begins at nothing.
static double judged(const plProblem* x, double res, double good)
{
    if (!(res <= good)) return INFINITY;
    x->report->residual = plJudge_Pyramid(x->round, x->sides, x->p);
    if (x->report->residual <= good) plLaw_CountStates(x->round, x->p, x->report);
    return fmax(res, x->report->residual);
}

double plPyramid_Newton(plProblem* x, const plPlanRow* r)
{
    const int steps = plPlanRow_Budget(r);
    const double good = fmin(x->w->tolerance, 1e-9); // as good as Lemke's answers
    (void)r;
    if (x->s->dim < 3 || x->noVector) return INFINITY;
    return judged(
        x, plCone_Newton(x->s, x->q, 0, NULL, good, steps, x->p, x->w, &x->report->iterations),
        good);
}

// From nothing pivots are quicker, but for many of them.
double plPyramid_Near(plProblem* x, const plPlanRow* r)
{
    enum { manyUnknowns = 240 };
    const double good = fmin(x->w->tolerance, 1e-9);
    const bool pivots = !x->warm && plPyramid_Size(x->round) < manyUnknowns;
    (void)r;
    if (x->s->dim < 3 || x->noVector || pivots) return INFINITY;
    return judged(x, plCone_Near(x->s, x->q, good, x->p, x->w, &x->report->iterations), good);
}

double plPyramid_Lcp(plProblem* x, const plPlanRow* r)
{
    plLcp* l = &x->w->lcp;
    plLcpReport lcp;
    (void)r;
    l->budget = &x->w->budget;
    const double scale = plPyramid_Assemble(x->round, x->sides, l);
    const plLcpVerdict verdict = plLcp_Solve(l, &lcp);
    x->report->iterations += lcp.pivots;
    x->report->residual = plJudge_Lcp(l->M, l->n, l->q, l->z);
    if (verdict != pl_lcpSolved && !(x->report->residual <= 1e-6)) return INFINITY;
    if (lcp.regularised > 0) x->report->flags |= pl_reportRegularised;
    plPyramid_Impulses(x->round, l->z, scale, x->p);
    countStates(x->round, l->z, x->report);
    return 0;
}

// Few pyramids are tried as such; of many, what the cone's methods find on flat sides is the answer. Where tangents
// have no vector, they take the bias of the cone, and say so.
static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    const int most = s->dim == 1 ? plDenseContacts : plPyramidContacts;
    plSpace flat;
    const bool vector = asCones(s, q, &flat, w->bias);
    *report = (plLawReport){0};
    plLaw_Recall(s, before, p);
    if (s->count > most || plPyramid_Size(s) > w->lcp.capacity) {
        if (!vector) plConeLaw.bias(s, level == 0 ? 0 : 2, w->bias);
        plCone_Solve(&flat, w->bias, p, w, report);
        report->flags &= ~(unsigned)pl_reportFellBack;
        if (!vector) report->flags |= pl_reportFellBack;
        report->residual = plJudge_Pyramid(s, q, p);
    } else {
        plProblem x = {.s = &flat,
                       .q = w->bias,
                       .p = p,
                       .w = w,
                       .report = report,
                       .round = s,
                       .sides = q,
                       .level = level,
                       .kind = plForPyramids,
                       .noVector = !vector};
        plPlan_Run(&x);
        if (x.kind == plForCone) report->residual = plJudge_Res(s, w->bias, p);
        if (x.kind == plForCone || report->active == 0) plLaw_CountStates(s, p, report);
        if (!(x.res <= w->accepted)) report->flags |= pl_reportNotConverged;
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
