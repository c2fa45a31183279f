// The law of the exact cone: Newton first, then what never gives up.
#include "law/explicit.h"
#include "law/fixed_point.h"

#include <string.h>

enum { newtonSteps = 25, polishSteps = 6 };
static const double accepted = 1e-6; // RES above which the report says "not converged"

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

// Newton from p; where it gets lost, the proximal chain, and Newton again to the last digits.
static double runNewton(const plSpace* s, const double* q, double* p, plLawWork* w,
                        plLawReport* report)
{
    int* n = &report->iterations;
    double res = plCone_Newton(s, q, 0, NULL, w->tolerance, newtonSteps, p, w, n);
    if (res <= accepted) return res;
    report->flags |= pl_reportFellBack;
    const double next = plCone_Proximal(s, q, accepted, w->other, w, n);
    keepBetter(plSpace_Rows(s), next, w->other, &res, p);
    return plCone_Newton(s, q, 0, NULL, w->tolerance, polishSteps, p, w, n);
}

// What rests has the impulses of the last tick but for round-off and what that tick left. Left as
// they are, such errors add up to the tolerance in the velocities, and every other tick would factor:
// a sweep or two take them away for the price of looking at them.
static bool settle(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    enum { sweeps = 3 };
    const double still = 1e-3 * w->tolerance;
    plFixedPoint_Diagonal(s, w->D);
    double res = plFixedPoint_Res(s, q, p, w);
    if (!(res <= 1e3 * w->tolerance)) return false;
    for (int k = 0; k < sweeps && res > (k == 0 ? still : w->tolerance); ++k) {
        plCone_Sweep(s, q, pl_coneExact, p);
        res = plFixedPoint_Res(s, q, p, w);
        report->iterations++;
    }
    return res <= w->tolerance;
}

// Gauss-Seidel goes on from p: the exact local solve, which is the surer one, then the sequential
// one, which converges on some problems where the exact one cycles (E4).
static double runSweeps(const plSpace* s, const double* q, double* p, plLawWork* w,
                        plLawReport* report)
{
    const plConeMethod methods[] = {pl_coneExact, pl_coneSequential};
    const int rows = plSpace_Rows(s);
    double res = INFINITY;
    for (int k = 0; k < PL_COUNT(methods) && !(res <= accepted); ++k) {
        memcpy(w->other, p, (size_t)rows * sizeof(double));
        const double next = plCone_GaussSeidel(s, q, methods[k], w->tolerance, w->sweeps, w->other,
                                               w, &report->iterations);
        keepBetter(rows, next, w->other, &res, p);
        if (k > 0) report->flags |= pl_reportFellBack;
    }
    return res;
}

static void countStates(const plSpace* s, const double* p, plLawReport* report)
{
    for (int i = 0; i < s->count; ++i) {
        const double* f = &p[s->dim * i];
        if (!(f[0] > 0)) continue;
        report->active++;
        if (s->dim == 1) continue;
        const double t = s->dim == 3 ? hypot(f[1], f[2]) : fabs(f[1]);
        report->sliding += t >= s->pair[i].mu * f[0] * (1 - 1e-9);
    }
}

void plCone_Solve(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    PL_ASSERT(s->count <= w->contacts);
    const int tick = w->newtonContacts < plDenseContacts ? w->newtonContacts : plDenseContacts;
    const int most = plSpace_IsSoft(s) ? plDenseContacts : tick;
    const bool small = s->count <= most, newtonFirst = small && (s->W || s->thin);
    if (newtonFirst && settle(s, q, p, w, report)) {
        report->residual = plJudge_Res(s, q, p);
        countStates(s, p, report);
        return;
    }
    double res = newtonFirst ? runNewton(s, q, p, w, report) : runSweeps(s, q, p, w, report);
    if (!(res <= accepted) && small) {
        report->flags |= pl_reportFellBack;
        res = newtonFirst ? runSweeps(s, q, p, w, report) : runNewton(s, q, p, w, report);
    }
    if (!(res <= accepted)) report->flags |= pl_reportNotConverged;
    report->residual = plJudge_Res(s, q, p);
    countStates(s, p, report);
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
                         .levels = 2,
                         .biasCount = biasCount,
                         .bias = bias,
                         .solve = solve,
                         .judge = plJudge_Res};
