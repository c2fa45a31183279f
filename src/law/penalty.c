// Walls of springs and dampers.
#include "law/explicit.h"

// (6) of the print has no direction; here it opposes the slip, and below v_th it is a damper of
// mu p_n/v_th. A wall that pulls (p_n < 0, possible while it opens, unless `clamp`) rubs nothing.
static void wall(const plSpace* s, int i, double* p, plLawReport* report)
{
    const plPair* c = &s->pair[i];
    const double* u = &s->uStart[s->dim * i];
    double* f = &p[s->dim * i];
    f[0] = s->T * (-c->stiffness * s->gap[i] - c->damping * u[0]);
    if (s->gap[i] > 0 || (c->clamp && f[0] < 0)) f[0] = 0;
    report->active += f[0] > 0;
    double speed = 0;
    for (int k = 1; k < s->dim; ++k) speed = hypot(speed, u[k]);
    const bool full = speed >= c->slipSpeed;
    report->sliding += s->dim > 1 && f[0] > 0 && full && speed > 0;
    const double grip = c->mu * fmax(0, f[0]);
    for (int k = 1; k < s->dim; ++k) {
        const double part = full ? (speed > 0 ? u[k] / speed : 0) : u[k] / c->slipSpeed;
        f[k] = -grip * part;
    }
}

static void solvePenalty(const plSpace* s, const double* q, int level,
                         const plContactMemory* before, plContactMemory* after, double* p,
                         plLawWork* w, plLawReport* report)
{
    (void)q, (void)level, (void)w;
    *report = (plLawReport){0};
    for (int i = 0; i < s->count; ++i) wall(s, i, p, report);
    plLaw_Remember(s, before, after, p);
}

const plLaw plPenaltyLaw = {.name = "penalty",
                            .response = pl_responseStep,
                            .biasCount = plLaw_NoBias,
                            .bias = plLaw_WriteNoBias,
                            .solve = solvePenalty,
                            .judge = plLaw_NoJudgement};
