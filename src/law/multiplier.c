// The impact of surfaces by multipliers: forces first, then the impact, then the positions.
//
// Forces have brought the velocity to u_free. Where a contact is in (gap < 0) and still closes, the
// multiplier is the impulse that turns it round; restitution is that of u_free, which alone is known
// there, and a plastic impact takes a share of the depth back, of which the space knows the rate:
//   u = max(-e u_free, -rate gap/T)                                 (nurbs eq. 1-4; spec C9)
// With a reach the impact comes one step ahead, where the gap would be crossed within it: nothing is
// ever in that came at a constant speed. Anything else may go on as it does, and what another
// contact pushes may close no faster than its gap allows:
//   u >= 0  in,   u >= -gap/T  ahead
// In both cases w = W p + q >= 0, p >= 0, w p = 0 for all contacts at once; friction is that of the
// cone. Impacts lose, what the rate takes back gives: the world pays it from what was lost before,
// and when that is not there, the next level takes nothing back, and the last one does no work.
#include "law/explicit.h"

static int biasCount(const plSpace* s) { return plSpace_Rows(s); }

static bool impacts(const plSpace* s, int i)
{
    const double u = s->uFree[s->dim * i];
    return u < 0 && (s->gap[i] <= 0 || s->gap[i] + s->T * u < 0);
}

static double target(const plSpace* s, int i, double rate)
{
    const double rebound = -s->pair[i].e * s->uFree[s->dim * i];
    return s->T > 0 ? fmax(rebound, -rate * s->gap[i] / s->T) : rebound;
}

static void bias(const plSpace* s, int level, double* q)
{
    if (level >= 2) {
        plBias_Cone(s, pl_biasElastic, q);
        return;
    }
    for (int i = 0; i < plSpace_Rows(s); ++i) q[i] = s->uFree[i];
    for (int i = 0; i < s->count; ++i) {
        const bool aheadOf = s->gap[i] > 0 && s->T > 0;
        double* n = &q[s->dim * i];
        if (impacts(s, i)) {
            *n -= target(s, i, level == 0 ? s->rate : 0);
        } else if (aheadOf) {
            *n += s->gap[i] / s->T;
        }
    }
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

const plLaw plMultiplierLaw = {.name = "multiplier",
                               .response = pl_responseStep,
                               .reach = true,
                               .returns = true,
                               .levels = 2,
                               .biasCount = biasCount,
                               .bias = bias,
                               .solve = solve,
                               .judge = plJudge_Res,
                               .natural = plJudge_Natural};
