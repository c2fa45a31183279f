// The law of the exact cone: Newton first, then what never gives up.
#include "law/anderson.h"
#include "law/explicit.h"
#include "law/fixed_point.h"

#include <string.h>

enum { firstSteps = 4, newtonSteps = 8, polishSteps = 6 };
static const double near = 1e-2; // RES after the first steps from which Newton arrives

// RES at which no other algorithm is tried within Newton's ways.
static double enough(const plLawWork* w) { return w->accepted / 10; }

static int biasCount(const plSpace* s) { return plSpace_Rows(s); }

static void bias(const plSpace* s, int level, double* q)
{
    if (level == 0) plBias_Cone(s, s->bias, q);
    if (level == 1) plBias_CommonCone(s, q);
    if (level >= 2) plBias_Cone(s, pl_biasElastic, q);
}

// Keeps the better of two iterates in p.
static void keepBetter(int rows, double res, const double* f, double* least, double* p)
{
    if (!(res < *least)) return;
    *least = res;
    memcpy(p, f, (size_t)rows * sizeof(double));
}

// To the last digits, as long as a step halves RES: in W's null space it does not.
static double polish(const plSpace* s, const double* q, double res, double* p, plLawWork* w,
                     int* iterations)
{
    for (int k = 0; k < polishSteps && res > w->tolerance; ++k) {
        const double next = plCone_Newton(s, q, 0, NULL, w->tolerance, 1, p, w, iterations);
        if (!(next < 0.5 * res)) return fmin(res, next);
        res = next;
    }
    return res;
}

// Newton from p; where it gets lost, the proximal chain, and Newton again to the last digits.
static double runNewton(const plSpace* s, const double* q, double* p, plLawWork* w,
                        plLawReport* report)
{
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    const double target = fmax(w->tolerance, enough(w));
    int* n = &report->iterations;
    const int first = s->count < 8 ? firstSteps + 2 : firstSteps; // small ones arrive more often
    double res = plCone_Newton(s, q, 0, NULL, w->tolerance, first, p, w, n);
    if (res > w->tolerance && res <= near) {
        res = plCone_Newton(s, q, 0, NULL, w->tolerance, newtonSteps, p, w, n);
    }
    if (res <= target) return res;
    report->flags |= pl_reportFellBack;
    memcpy(w->kept, p, size);
    const double next = plCone_Proximal(s, q, target, p, w, n);
    if (!(next < res)) memcpy(p, w->kept, size);
    res = fmin(res, next);
    return polish(s, q, res, p, w, n);
}

static bool isWarm(const plSpace* s, const double* p)
{
    for (int i = 0; i < s->count; ++i) {
        if (p[s->dim * i] > 0) return true;
    }
    return false;
}

// What rests has the impulses of the last tick but for round-off and what that tick left. Left as
// they are, such errors add up to the tolerance in the velocities, and every other tick would factor:
// a sweep or two take them away for the price of looking at them.
static bool settle(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    enum { sweeps = 3 };
    const double still = 1e-3 * w->tolerance;
    const bool alone = s->count == 1; // a sweep is its solution
    if (!alone && !isWarm(s, p)) return false;
    plFixedPoint_Diagonal(s, w->D);
    double res = plFixedPoint_Res(s, q, p, w);
    if (!alone && !(res <= 1e3 * w->tolerance)) return false;
    for (int k = 0; k < sweeps && res > (k == 0 ? still : w->tolerance); ++k) {
        plCone_Sweep(s, q, pl_coneExact, p);
        res = plFixedPoint_Res(s, q, p, w);
        report->iterations++;
    }
    return res <= w->tolerance;
}

// Gauss-Seidel goes on from p: the exact local solve, which is the surer one, extrapolated; then the
// sequential one, which converges on some problems where the exact one cycles (E4).
static double runSweeps(const plSpace* s, const double* q, double* p, plLawWork* w,
                        plLawReport* report)
{
    const int rows = plSpace_Rows(s);
    int* n = &report->iterations;
    double res = plCone_Extrapolated(s, q, w->tolerance, w->sweeps, p, w, n);
    if (res <= w->accepted) return res;
    memcpy(w->other, p, (size_t)rows * sizeof(double));
    const double next =
        plCone_GaussSeidel(s, q, pl_coneSequential, w->tolerance, w->sweeps, w->other, w, n);
    keepBetter(rows, next, w->other, &res, p);
    report->flags |= pl_reportFellBack;
    return res;
}

// Too many for whole ticks of Newton: right enough is what a report calls converged, and the work is
// bounded.
static double runLarge(const plSpace* s, const double* q, double* p, plLawWork* w,
                       plLawReport* report)
{
    int* n = &report->iterations;
    const double res =
        s->count <= plNearContacts ? plCone_Near(s, q, w->accepted, p, w, n) : (double)INFINITY;
    const int sweeps = plAnderson_Sweeps(s->count, w);
    return res <= w->accepted ? res : plCone_Extrapolated(s, q, w->accepted, sweeps, p, w, n);
}

// How many contacts may be factored at once.
static int mostFactored(const plSpace* s, const plLawWork* w)
{
    const bool all = plSpace_IsSoft(s) || w->newtonContacts > w->denseContacts;
    return all ? w->denseContacts : w->newtonContacts;
}

// Newton comes first where the response is at hand, dense or of few blocks.
static bool isFactored(const plSpace* s, int most) { return s->count <= most && (s->W || s->thin); }

static double runAll(const plSpace* s, const double* q, int most, double* p, plLawWork* w,
                     plLawReport* report)
{
    if (s->count > most) return runLarge(s, q, p, w, report);
    const bool newtonFirst = isFactored(s, most);
    const double res = newtonFirst ? runNewton(s, q, p, w, report) : runSweeps(s, q, p, w, report);
    if (res <= w->accepted) return res;
    report->flags |= pl_reportFellBack;
    return newtonFirst ? runSweeps(s, q, p, w, report) : runNewton(s, q, p, w, report);
}

void plCone_Solve(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    PL_ASSERT(s->count <= w->contacts);
    const int most = mostFactored(s, w);
    const double wanted = w->tolerance;
    double res = INFINITY;
    if (isFactored(s, most) && settle(s, q, p, w, report)) {
        res = wanted;
    } else if (s->W) {
        res = plCone_Subset(s, q, wanted, most, p, w, &report->iterations);
    }
    if (!(res <= wanted)) res = runAll(s, q, most, p, w, report);
    if (!(res <= w->accepted)) report->flags |= pl_reportNotConverged;
    report->residual = plJudge_Res(s, q, p);
    plLaw_CountStates(s, p, report);
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    (void)level;
    *report = (plLawReport){0};
    plLaw_Recall(s, before, p);
    plCone_Solve(s, q, p, w, report);
    plLaw_Remember(s, before, after, p);
}

const plLaw plConeLaw = {.name = "cone",
                         .response = pl_responseStep,
                         .reach = true,
                         .exact = true,
                         .thin = true,
                         .levels = 2,
                         .biasCount = biasCount,
                         .bias = bias,
                         .solve = solve,
                         .judge = plJudge_Res,
                         .natural = plJudge_Natural};
