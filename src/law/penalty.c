// Walls and friction models, contact by contact.
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/friction.h"
#include "law/wall.h"

#include <string.h>

// A wall that pulls (p_n < 0, possible while it opens, unless `clamp`) rubs nothing.
static void solveContact(const plSpace* s, int i, const plContactMemory* before,
                         plContactMemory* after, double* p, plLawReport* report)
{
    const plPair* c = &s->pair[i];
    const double *u = &s->uStart[s->dim * i], T = s->T;
    plContactMemory m = *before;
    double t[2];
    const double force = plWall_Force(c, s->gap[i], u[0], T, &m.wall);
    plSlip slip = {.N = fmax(0, force), .T = T};
    for (int k = 1; k < s->dim; ++k) {
        slip.u[k - 1] = u[k];
        slip.way[k - 1] = m.friction.T * u[k]; // exact for semi-implicit integrators
    }
    const bool slides = plFriction_Force(c, &slip, &m.friction, t);
    p[0] = T * force;
    for (int k = 1; k < s->dim; ++k) p[k] = T * t[k - 1];
    report->active += force > 0;
    report->sliding += s->dim > 1 && slides;
    *after = m;
    after->age = before->age + 1;
    after->owed = 0;
    after->pulses = false;
}

void plWalls_Solve(const plSpace* s, const double* free, const plContactMemory* before,
                   plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    *report = (plLawReport){0};
    for (int i = 0; i < s->count; ++i) {
        solveContact(s, i, &before[i], &after[i], &p[s->dim * i], report);
    }
    if (plFriction_NeedsGroup(s)) plFriction_Stick(s, free, before, after, p, w, report);
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < s->dim; ++k) after[i].p[k] = p[s->dim * i + k];
    }
}

void plWall_Rest(const plSpace* s, int i, const double* p, const plContactMemory* before,
                 plContactMemory* after)
{
    double u[3];
    plContactMemory m = *before;
    plFixedPoint_Rows(s, s->uStart, p, i, u);
    plWall_Force(&s->pair[i], s->gap[i], u[0], s->T, &m.wall);
    for (int k = 1; k < s->dim; ++k) m.friction.u[k - 1] = u[k];
    memset(m.p, 0, sizeof m.p);
    m.friction.T = s->T;
    m.owed = 0;
    m.pulses = false;
    m.age++;
    *after = m;
}

void plWalls_Rest(const plSpace* s, const double* p, const plContactMemory* before,
                  plContactMemory* after)
{
    for (int i = 0; i < s->count; ++i) plWall_Rest(s, i, p, &before[i], &after[i]);
}

plContactStore plWalls_Stored(const plPair* c, const plContactMemory* m, double gap,
                              const double slip[2])
{
    plContactStore store;
    store.wall = plWall_Stored(c, &m->wall, gap, &store.slid);
    store.bristles = gap <= 0 ? plFriction_Stored(c, &m->friction, slip) : 0;
    return store;
}

static void solvePenalty(const plSpace* s, const double* q, int level,
                         const plContactMemory* before, plContactMemory* after, double* p,
                         plLawWork* w, plLawReport* report)
{
    (void)q, (void)level;
    plWalls_Solve(s, s->uFree, before, after, p, w, report);
}

const plLaw plPenaltyLaw = {.name = "penalty",
                            .response = pl_responseStep,
                            .biasCount = plLaw_NoBias,
                            .bias = plLaw_WriteNoBias,
                            .solve = solvePenalty,
                            .judge = plLaw_NoJudgement,
                            .natural = plLaw_NoJudgement,
                            .stored = plWalls_Stored};
