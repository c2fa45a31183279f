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

/// Nobody waits for a better answer.
static inline bool plLaw_IsOver(const plLawWork* w) { return w->isOver && w->isOver(w->clock); }

/// Adds those that push, and those of them on the border of their cone.
void plLaw_CountStates(const plSpace*, const double* p, plLawReport*);

#endif
