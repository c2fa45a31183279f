// Restitution when something new hits, walls and friction otherwise.
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/friction.h"
#include "law/wall.h"

#include <string.h>

// Closing contacts; true when one of them is new, which starts a collision.
static bool findClosing(const plSpace* s, const plContactMemory* before, int* closing, int* count)
{
    bool collides = false;
    *count = 0;
    for (int i = 0; i < s->count; ++i) {
        if (s->uStart[s->dim * i] >= 0) continue;
        closing[(*count)++] = i;
        collides = collides || before[i].age == 0;
    }
    return collides;
}

// The response of contact i's normal to contact j's.
static double normalResponse(const plSpace* s, int i, int j)
{
    if (s->W) return s->W[s->dim * i * plSpace_Rows(s) + s->dim * j];
    for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
        if (s->blockColumn[b] == j) return s->blocks[b * s->dim * s->dim];
    }
    return 0;
}

static bool strike(const plSpace* s, int n, double* p, plLawWork* w)
{
    for (int i = 0; i < n; ++i) {
        w->v[i] = s->uStart[s->dim * w->closing[i]];
        w->e[i] = s->pair[w->closing[i]].e;
        for (int j = 0; j < n; ++j) {
            w->A[i * n + j] = normalResponse(s, w->closing[i], w->closing[j]);
        }
    }
    if (plRestitution_Impulses(s->collision, w->A, w->v, w->e, n, w->x, w) < 0) return false;
    for (int i = 0; i < n; ++i) p[s->dim * w->closing[i]] = w->x[i];
    return true;
}

// More closing contacts than are factored: complementarity by projected Gauss-Seidel, bounded.
static void strikeMany(const plSpace* s, int n, double* p, plLawWork* w, plLawReport* report)
{
    for (int k = 0; k < w->sweeps; ++k) {
        double change = 0, size = 0;
        for (int i = 0; i < n; ++i) {
            const int contact = w->closing[i], row = s->dim * contact;
            double v[3];
            plFixedPoint_Rows(s, s->uStart, p, contact, v);
            const double A = normalResponse(s, contact, contact);
            const double next =
                A > 0 ? fmax(0, p[row] - (v[0] + s->pair[contact].e * s->uStart[row]) / A) : 0;
            change += fabs(next - p[row]);
            size += next;
            p[row] = next;
        }
        report->iterations = k + 1;
        if (change <= 1e-10 * size) return;
    }
    report->flags |= pl_reportNotConverged;
}

// The scaling of plRestitution_Passive, on rows: for contacts of different e, and for iterates.
static void makePassive(const plSpace* s, double* p, plLawReport* report)
{
    double pv = 0, both = 0;
    for (int i = 0; i < s->count; ++i) {
        double w[3];
        const int row = s->dim * i;
        if (p[row] == 0) continue;
        plFixedPoint_Rows(s, s->uStart, p, i, w);
        pv += p[row] * s->uStart[row];
        both += p[row] * w[0];
    }
    const double pAp = both - pv;
    const double scale = pv >= 0 ? 0 : pAp > 0 ? fmin(1, -2 * pv / pAp) : 1;
    for (int i = 0; i < s->count; ++i) {
        p[s->dim * i] *= scale;
        report->active += p[s->dim * i] > 0;
    }
}

// The space of a strike knows no forces of the step: its free velocity is u-. What they will do is
// taken from what they did since the last sample, beside the impulses that were held then.
static void predict(const plSpace* s, const plContactMemory* before, double* held, double* free)
{
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const plContactMemory* m = &before[i / s->dim];
        held[i] = m->friction.T > 0 ? s->T / m->friction.T * m->p[i % s->dim] : 0;
    }
    plSpace_Apply(s, held, free);
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const plFrictionMemory* m = &before[i / s->dim].friction;
        const int k = i % s->dim;
        const bool known = k > 0 && m->T > 0;
        const double change = known ? s->T / m->T * (s->uStart[i] - m->u[k - 1]) - free[i] : 0;
        free[i] = s->uStart[i] + change;
    }
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    int n;
    (void)q, (void)level;
    PL_ASSERT(s->count <= w->contacts);
    if (!findClosing(s, before, w->closing, &n)) {
        if (plFriction_NeedsGroup(s)) predict(s, before, w->other, w->u);
        plWalls_Solve(s, w->u, before, after, p, w, report);
        return;
    }
    *report = (plLawReport){.strikes = true};
    memset(p, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    if (n > plDenseContacts || !strike(s, n, p, w)) {
        report->flags |= pl_reportFellBack;
        strikeMany(s, n, p, w, report);
    }
    makePassive(s, p, report);
    plWalls_Rest(s, p, before, after);
}

const plLaw plImpulseLaw = {.name = "impulse",
                            .response = pl_responseMass,
                            .biasCount = plLaw_NoBias,
                            .bias = plLaw_WriteNoBias,
                            .solve = solve,
                            .judge = plLaw_NoJudgement,
                            .natural = plLaw_NoJudgement,
                            .stored = plWalls_Stored};
