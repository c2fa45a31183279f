// Restitution when something new hits, walls and friction otherwise.
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/friction.h"
#include "law/wall.h"

#include <string.h>

// Velocities of the rows when all is paid that contacts still owe; true when they do.
static bool foresee(const plSpace* s, const plContactMemory* before, plLawWork* w)
{
    bool owes = false;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        w->wanted[i] = i % s->dim == 0 ? before[i / s->dim].owed : 0;
        owes = owes || w->wanted[i] > 0;
    }
    memcpy(w->foreseen, s->uStart, (size_t)plSpace_Rows(s) * sizeof(double));
    if (!owes) return false;
    plSpace_Apply(s, w->wanted, w->foreseen);
    for (int i = 0; i < plSpace_Rows(s); ++i) w->foreseen[i] += s->uStart[i];
    return true;
}

// Contacts of a collision; true when one of those that close is new, which starts it.
static bool findClosing(const plSpace* s, const plContactMemory* before, const double* u,
                        int* closing, int* count)
{
    bool collides = false;
    *count = 0;
    for (int i = 0; i < s->count; ++i) {
        const bool closes = u[s->dim * i] < 0;
        if (!closes && !(s->touchingCollide && s->gap[i] <= 0)) continue;
        closing[(*count)++] = i;
        collides = collides || (closes && before[i].age == 0);
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
        w->v[i] = w->foreseen[s->dim * w->closing[i]];
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
            plFixedPoint_Rows(s, w->foreseen, p, contact, v);
            const double A = normalResponse(s, contact, contact);
            const double next =
                A > 0 ? fmax(0, p[row] - (v[0] + s->pair[contact].e * w->foreseen[row]) / A) : 0;
            change += fabs(next - p[row]);
            size += next;
            p[row] = next;
        }
        report->iterations = k + 1;
        if (change <= 1e-10 * size) return;
        plBudget_Spend(&w->budget, plLaw_SweepCost(s));
        if (plBudget_IsOver(&w->budget)) break;
    }
    report->flags |= pl_reportNotConverged;
}

// Signorini on v + e v0 of what closes, and Coulomb on the tangents, in the cone of the friction: what touches
// and opens is kept from closing.                                                 (iapb sec. VIII)
static void strikeRubbing(const plSpace* s, double* p, plLawWork* w, plLawReport* report)
{
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const double u = w->foreseen[i], e = s->pair[i / s->dim].e;
        w->wanted[i] = i % s->dim == 0 ? u + e * fmin(0, u) : u;
    }
    const bool strikes = report->strikes, holds = report->holds;
    plCone_Solve(s, w->wanted, p, w, report);
    report->strikes = strikes, report->holds = holds;
}

// The scaling of plRestitution_Passive, on rows: for contacts of different e, for friction, and for iterates.
static void makePassive(const plSpace* s, double* p, const plLawWork* work, plLawReport* report)
{
    double pv = 0, both = 0;
    for (int i = 0; i < s->count; ++i) {
        double w[3];
        const int row = s->dim * i;
        plFixedPoint_Rows(s, work->foreseen, p, i, w);
        pv += plDotN(&p[row], &work->foreseen[row], s->dim);
        both += plDotN(&p[row], w, s->dim);
    }
    const double pAp = both - pv;
    const double scale = pv >= 0 ? 0 : pAp > 0 ? fmin(1, -2 * pv / pAp) : 1;
    report->active = 0;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        p[i] *= scale;
        report->active += i % s->dim == 0 && p[i] > 0;
    }
}

// What contacts owe and what a collision adds, as a force that is held over the step; the rest stays owed.
static void payPulses(const plSpace* s, const plContactMemory* before, plContactMemory* after,
                      double* p)
{
    const double most = s->pulseLimit > 0 ? s->T * s->pulseLimit : (double)INFINITY;
    for (int i = 0; i < s->count; ++i) {
        double* own = &p[s->dim * i];
        const double all = own[0] + (s->gap[i] <= 0 ? before[i].owed : 0);
        const double share = all > most ? most / all : 1;
        own[0] = share * all;
        for (int k = 1; k < s->dim; ++k) own[k] *= share;
        after[i].owed = all - own[0] > 1e-9 * most ? all - own[0] : 0; // no tick for round-off
        after[i].pulses = all != 0;
    }
}

// The tick after a collision that a limit has cut: contacts that owe pay, the others are walls.
static void payOwed(const plSpace* s, const plContactMemory* before, plContactMemory* after,
                    double* p, plLawWork* w)
{
    double* pulses = w->wanted;
    memset(pulses, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    plContactMemory walls;
    payPulses(s, before, after, pulses);
    for (int i = 0; i < s->count; ++i) {
        if (!after[i].pulses) continue;
        walls = after[i];
        plWall_Rest(s, i, pulses, &before[i], &after[i]);
        after[i].owed = walls.owed, after[i].pulses = true;
        memcpy(&p[s->dim * i], &pulses[s->dim * i], (size_t)s->dim * sizeof(double));
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

// Eigenvalues, or the pivots of a problem of as many unknowns.
static bool mayFactor(int closing, plLawWork* w)
{
    enum { factors = 20 };
    return plBudget_Pay(&w->budget, factors * plLaw_FactorCost(closing));
}

static void collide(const plSpace* s, int closing, double* p, plLawWork* w, plLawReport* report)
{
    memset(p, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    if (s->collisionFriction) {
        strikeRubbing(s, p, w, report);
    } else if (closing > plDenseContacts || !mayFactor(closing, w) || !strike(s, closing, p, w)) {
        report->flags |= pl_reportFellBack;
        strikeMany(s, closing, p, w, report);
    }
    makePassive(s, p, w, report);
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    int n;
    (void)q, (void)level;
    PL_ASSERT(s->count <= w->contacts);
    const bool owes = foresee(s, before, w);
    if (!findClosing(s, before, w->foreseen, w->closing, &n)) {
        if (plFriction_NeedsGroup(s)) predict(s, before, w->other, w->u);
        plWalls_Solve(s, w->u, before, after, p, w, report);
        if (owes) payOwed(s, before, after, p, w);
        return;
    }
    *report = (plLawReport){.strikes = !s->heldPulses, .holds = s->heldPulses};
    collide(s, n, p, w, report);
    plWalls_Rest(s, p, before, after);
    if (s->heldPulses) payPulses(s, before, after, p);
}

const plLaw plImpulseLaw = {.name = "impulse",
                            .response = pl_responseMass,
                            .strikes = true,
                            .biasCount = plLaw_NoBias,
                            .bias = plLaw_WriteNoBias,
                            .solve = solve,
                            .judge = plLaw_NoJudgement,
                            .natural = plLaw_NoJudgement,
                            .stored = plWalls_Stored};
