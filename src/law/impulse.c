// Restitution when something new hits, penalty otherwise.
#include "law/explicit.h"
#include "law/fixed_point.h"

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

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    int n;
    PL_ASSERT(s->count <= w->contacts);
    if (!findClosing(s, before, w->closing, &n)) {
        plPenaltyLaw.solve(s, q, level, before, after, p, w, report);
        return;
    }
    *report = (plLawReport){.strikes = true};
    memset(p, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    if (n > plDenseContacts || !strike(s, n, p, w)) {
        report->flags |= pl_reportFellBack;
        strikeMany(s, n, p, w, report);
    }
    makePassive(s, p, report);
    plLaw_Remember(s, before, after, p);
}

const plLaw plImpulseLaw = {.name = "impulse",
                            .response = pl_responseMass,
                            .biasCount = plLaw_NoBias,
                            .bias = plLaw_WriteNoBias,
                            .solve = solve,
                            .judge = plLaw_NoJudgement};
