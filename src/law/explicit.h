// What laws share that solve nothing and what all of them do with memory. Private to the room.
#ifndef PL_LAW_EXPLICIT_H
#define PL_LAW_EXPLICIT_H

#include "law/law.h"

int plLaw_NoBias(const plSpace*);
void plLaw_WriteNoBias(const plSpace*, int level, double* q);
double plLaw_NoJudgement(const plSpace*, const double* q, const double* p);

/// Impulses of the last tick as a warm start, and as memory of the next.
void plLaw_Recall(const plSpace*, const plContactMemory* before, double* p);
void plLaw_Remember(const plSpace*, const plContactMemory* before, plContactMemory* after,
                    const double* p);

/// Nobody waits for a better answer, or nobody pays for it.
static inline bool plLaw_IsOver(plLawWork* w)
{
    return plBudget_IsOver(&w->budget) || (w->isOver && w->isOver(w->clock));
}

/// Operations of W p, whose rows are read in one piece, and of a sweep, which solves every contact besides.
static inline double plLaw_ProductCost(const plSpace* s)
{
    const double rows = plSpace_Rows(s), together = 0.3;
    return s->W ? together * rows * rows : s->dim * s->dim * (double)s->blockStart[s->count];
}

static inline double plLaw_SweepCost(const plSpace* s)
{
    enum { contact = 400 };
    return plLaw_ProductCost(s) + contact * (double)s->count;
}

/// Of a factor of n unknowns: cubes are done in larger pieces than sweeps.
static inline double plLaw_FactorCost(int n) { return (double)n * n * n / 12 + 2.0 * n * n; }

static inline bool plLcp_Pay(const plLcp* l, double products)
{
    return !l->budget || plBudget_Pay(l->budget, products);
}

/// Adds those that push, and those of them on the border of their cone.
void plLaw_CountStates(const plSpace*, const double* p, plLawReport*);

#endif
