// The law of the exact cone.
#include "law/explicit.h"
#include "law/plan.h"

static int biasCount(const plSpace* s) { return plSpace_Rows(s); }

static void bias(const plSpace* s, int level, double* q)
{
    if (level == 0) plBias_Cone(s, s->bias, q);
    if (level == 1) plBias_CommonCone(s, q);
    if (level >= 2) plBias_Cone(s, pl_biasElastic, q);
}

// By factors what is right enough is taken, and large groups as they are: nobody else would do better.
static void take(const plProblem* x, bool good)
{
    const bool others = x->s->count <= plNearContacts && !plBudget_IsOver(&x->w->budget);
    x->report->residual = x->res;
    if (good) return;
    x->report->flags |= others || !isfinite(x->res) ? pl_reportNeedsW : pl_reportNotConverged;
}

static void solveFrom(const plSpace* s, const double* q, const plContactMemory* before, double* p,
                      plLawWork* w, plLawReport* report)
{
    plProblem x = {
        .s = s, .q = q, .p = p, .w = w, .report = report, .before = before, .kind = plForCone};
    PL_ASSERT(s->count <= w->contacts);
    const bool good = plPlan_Run(&x);
    if (s->factors) {
        take(&x, good);
    } else {
        report->residual = plJudge_Res(s, q, p);
        if (!(x.res <= w->accepted)) report->flags |= pl_reportNotConverged;
    }
    plLaw_CountStates(s, p, report);
}

void plCone_Solve(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report)
{
    solveFrom(s, q, NULL, p, w, report);
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    (void)level;
    *report = (plLawReport){0};
    plLaw_Recall(s, before, p);
    solveFrom(s, q, before, p, w, report);
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
