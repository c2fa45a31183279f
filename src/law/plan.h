// The plan: which method solves a problem, in which order, with which budget. Private to the room.
#ifndef PL_LAW_PLAN_H
#define PL_LAW_PLAN_H

#include "law/law.h"

/// A problem on its way through the table, with the best answer so far.
typedef struct {
    const plSpace* s; ///< with flat sides for pyramids
    const double* q;  ///< per row
    double* p;
    double res; ///< of p, as far as it is known: RES, or the largest of min(w, z) of an LCP
    plLawWork* w;
    plLawReport* report;
    const plContactMemory* before; ///< of the last tick; null: not known
    const plSpace* round;          ///< pyramids: the space as it came, and their own biases
    const double* sides;
    int level;
    bool warm;     ///< the plan began with some impulses
    unsigned kind; ///< which rows are for it
    bool noVector; ///< biases of the sides are those of no vector
} plProblem;

/// Kinds of problems, as bits.
enum { plForCone = 1, plForPyramids = 2 };

/// Tries the rows for the kind of problem. The answer is the best one; the report has the row that ended,
/// iterations and flags, but no residual. True: it is good enough for the row.
bool plPlan_Run(plProblem*);

// --- methods of the rows: each goes on from p, leaves its best iterate there and returns its residual

typedef struct plPlanRow plPlanRow;
typedef double plMethod(plProblem*, const plPlanRow*);
int plPlanRow_Budget(const plPlanRow*);

plMethod plPyramid_Newton, plPyramid_Near, plPyramid_Lcp; // pyramid.c

#endif
