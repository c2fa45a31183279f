// Which method solves a contact problem, in which order, with which budget: one table. A row is tried where what
// it asks of the problem holds, from the best impulses so far; where its answer is good enough the plan ends, or
// goes to the row `then`; else it goes to the row `next`. doc/contact.md has this table as plPlan_Write writes it.
#include "law/plan.h"

#include "law/anderson.h"
#include "law/explicit.h"
#include "law/fixed_point.h"

#include <stdio.h>
#include <string.h>

/// How W is stored, as bits.
enum { factors = 1, dense = 2, blocks = 4, thin = 8, anyW = dense | blocks | thin };

/// Numbers of contacts that the caller sets; as many as Newton's method may factor, and one more.
enum { factored = -1, beyond = -2, all = INT32_MAX };

/// When an answer is good, by its residual.
typedef enum {
    goalTolerance, ///< plLawWork.tolerance
    goalAccepted,  ///< plLawWork.accepted
    goalTarget,    ///< a tenth of that; no other method is tried
    goalPivots,    ///< as good as Lemke's method: 1e-9
    goalAge        ///< 1e-6 where all is old, 1e-7 where it stands still besides; else as tolerance
} Goal;

/// What is known before: impulses of the last tick, or nothing.
typedef enum { anyStart, warm, cold } Start;

/// What a budget counts; it ends when that many are made, whatever the residual is.
typedef enum { unitSweeps, unitSteps, unitProblems, unitRounds, unitPivots } Unit;
enum { allSweeps = -1, sharedSweeps = -2, fourEach = -3 };

struct plPlanRow {
    const char* name;
    // when
    unsigned kind, storage;
    int least, most; ///< contacts
    Start start;
    // what
    plMethod* run;
    const char* method;
    int budget;
    Unit unit;
    Goal goal;
    // and after it; null: the plan ends
    const char *then, *next;
    bool
        fallsBack; ///< what it answers is reported as an answer of another method than the first one
};

int plPlanRow_Budget(const plPlanRow* r) { return r->budget; }

// --- the methods

// How many contacts may be factored at once.
static int mostFactored(const plProblem* x)
{
    const plLawWork* w = x->w;
    const bool many = plSpace_IsSoft(x->s) || w->newtonContacts > w->denseContacts;
    return many ? w->denseContacts : w->newtonContacts;
}

// Hyperstatic groups are right to 1e-7 or so soon, and from there creep along W's null space: no
// algorithm gets on with them. While their contacts are young, those who factor have tried; when all
// have stood for a while, what a report calls converged is enough. A sweep in every tick goes on.
// Contacts that are apart have no age.
static bool isOld(const plProblem* x)
{
    enum { ticks = 20 };
    const double near = 1e-9; // [m]
    int least = ticks;
    for (int i = 0; x->before && i < x->s->count; ++i) {
        const int age = x->before[i].age;
        const bool apart = age == 0 && x->s->gap[i] > near;
        if (!apart && age < least) least = age;
    }
    return x->before && least >= ticks;
}

// What stands still under `gap` keeps its pose: impulses of an old tick that were right enough then still are,
// and to solve for them again would end where it ended then.
static bool standsStill(const plSpace* s)
{
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        if (s->uStart[i] != 0) return false;
    }
    return true;
}

static double goalOf(const plPlanRow* r, const plProblem* x)
{
    const plLawWork* w = x->w;
    switch (r->goal) {
    case goalAccepted:
        return w->accepted;
    case goalTarget:
        return fmax(w->tolerance, w->accepted / 10);
    case goalPivots:
        return fmin(w->tolerance, 1e-9);
    case goalAge:
        if (!isOld(x)) return w->tolerance;
        if (x->s->bias != pl_biasGap) return w->accepted;
        return standsStill(x->s) ? 0.1 * w->accepted : w->tolerance;
    default:
        return w->tolerance;
    }
}

// Where all stands still nothing adds up. Impulses that are right enough stay as they are, once a sweep makes them no
// better: so the group repeats itself to the last bit. Else they are swept. By factors only; RES of p is known.
static bool isDone(plProblem* x, double wanted, double* res)
{
    plLawWork* w = x->w;
    const size_t size = (size_t)plSpace_Rows(x->s) * sizeof(double);
    if (!x->s->factors || !x->s->centred || !(*res <= wanted) || !standsStill(x->s)) return false;
    if (*res <= 1e-3 * w->tolerance) return true;
    memcpy(w->kept, x->p, size);
    plCone_Sweep(x->s, x->q, pl_coneExact, x->p);
    x->report->iterations++;
    plBudget_Spend(&w->budget, plLaw_SweepCost(x->s));
    const double next = plFixedPoint_Res(x->s, x->q, x->p, w);
    if (next < 0.9 * *res) {
        *res = next;
    } else {
        memcpy(x->p, w->kept, size);
    }
    return true;
}

// What rests has the impulses of the last tick but for round-off and what that tick left. Left as
// they are, such errors add up to the tolerance in the velocities, and every other tick would factor:
// a sweep or two take them away for the price of looking at them. By factors what moves is swept, too, while a
// factor would take longer, and as long as that helps: a factor of n contacts costs some 4 n sweeps. Of one contact
// alone a sweep is the solution.
static double settle(plProblem* x, const plPlanRow* r)
{
    enum { few = 3 };
    const double tolerance = x->w->tolerance, wanted = goalOf(r, x);
    plFixedPoint_Diagonal(x->s, x->w->D);
    double res = plFixedPoint_Res(x->s, x->q, x->p, x->w);
    if (wanted > tolerance && isDone(x, wanted, &res)) return res;
    const bool far = !(res <= 1e3 * tolerance), many = far || wanted > tolerance;
    const bool alone = x->s->count == 1 && !x->s->factors;
    const int most = !many || alone ? few : r->budget == fourEach ? 4 * x->s->count : 0;
    const plSweeps how = {.method = pl_coneExact,
                          .tolerance = wanted,
                          .most = most,
                          .still = 1e-3 * tolerance,
                          .halves = far && !alone,
                          .known = res};
    if (res == 0) return 0;
    return plCone_Sweeps(x->s, x->q, &how, x->p, x->w, &x->report->iterations);
}

// Newton from p; further steps where it came near.
static double newton(plProblem* x, const plPlanRow* r)
{
    const double near = 1e-2, tolerance = x->w->tolerance;
    const int first = x->s->count < 8 ? 6 : 4; // small ones arrive more often
    int* n = &x->report->iterations;
    const double res = plCone_Newton(x->s, x->q, 0, NULL, tolerance, first, x->p, x->w, n);
    if (!(res > tolerance && res <= near)) return res;
    return plCone_Newton(x->s, x->q, 0, NULL, tolerance, r->budget, x->p, x->w, n);
}

// Of more contacts than can be factored, those that push may be few.
static double few(plProblem* x, const plPlanRow* r)
{
    int pushing = 0;
    for (int i = 0; i < x->s->count; ++i) pushing += x->p[x->s->dim * i] > 0;
    return 2 * pushing <= mostFactored(x) ? newton(x, r) : (double)INFINITY;
}

static double nearChain(plProblem* x, const plPlanRow* r)
{
    return plCone_Near(x->s, x->q, goalOf(r, x), x->p, x->w, &x->report->iterations);
}

static double carefulChain(plProblem* x, const plPlanRow* r)
{
    return plCone_Chain(x->s, x->q, pl_chainCareful, goalOf(r, x), x->p, x->w,
                        &x->report->iterations);
}

static double farChain(plProblem* x, const plPlanRow* r)
{
    return plCone_Chain(x->s, x->q, pl_chainFar, goalOf(r, x), x->p, x->w, &x->report->iterations);
}

static double patientChain(plProblem* x, const plPlanRow* r)
{
    return plCone_Chain(x->s, x->q, pl_chainPatient, goalOf(r, x), x->p, x->w,
                        &x->report->iterations);
}

// To the last digits, as long as a step halves RES: in W's null space it does not.
static double polish(plProblem* x, const plPlanRow* r)
{
    double res = x->res;
    for (int k = 0; k < r->budget && res > x->w->tolerance; ++k) {
        const double next = plCone_Newton(x->s, x->q, 0, NULL, x->w->tolerance, 1, x->p, x->w,
                                          &x->report->iterations);
        if (!(next < 0.5 * res)) return fmin(res, next);
        res = next;
    }
    return res;
}

// Exact local solutions are the surer ones, and are extrapolated; the sequential ones converge on some
// problems where the exact ones cycle (E4).
static double sweeps(plProblem* x, const plPlanRow* r)
{
    enum { some = 40 }; // where others may try
    plLawWork* w = x->w;
    const bool shared = r->budget == sharedSweeps, byFactors = x->s->factors != NULL;
    const bool others = byFactors && x->s->count <= plNearContacts;
    double known = 0;
    if (byFactors) {
        plFixedPoint_Diagonal(x->s, w->D);
        known = plFixedPoint_Res(x->s, x->q, x->p, w);
        if (isDone(x, goalOf(r, x), &known)) return known;
    }
    const plSweeps how = {.method = pl_coneExact,
                          .extrapolated = true,
                          .tolerance = shared ? w->accepted : w->tolerance,
                          .most = others          ? some
                                  : shared        ? plAnderson_Sweeps(x->s->count, w)
                                  : r->budget > 0 ? r->budget
                                                  : w->sweeps,
                          .still = byFactors ? 1e-3 * w->tolerance : 0,
                          .known = known};
    return plCone_Sweeps(x->s, x->q, &how, x->p, w, &x->report->iterations);
}

static double sequential(plProblem* x, const plPlanRow* r)
{
    (void)r;
    const plSweeps how = {
        .method = pl_coneSequential, .tolerance = x->w->tolerance, .most = x->w->sweeps};
    return plCone_Sweeps(x->s, x->q, &how, x->p, x->w, &x->report->iterations);
}

// From no impulses at all, a few sweeps find most of those that will push; they cost less than a step, and count
// as one.
static double guess(plProblem* x, const plPlanRow* r)
{
    const plSweeps how = {
        .method = pl_coneSequential, .tolerance = x->w->tolerance, .most = r->budget};
    int swept = 0;
    x->report->iterations++;
    return plCone_Sweeps(x->s, x->q, &how, x->p, x->w, &swept);
}

// What nothing above could solve is left to the round cone, with its own bias.
static double toCone(plProblem* x, const plPlanRow* r)
{
    (void)r;
    plConeLaw.bias(x->round, x->level == 0 ? 0 : 2, x->w->bias);
    x->s = x->round;
    x->kind = plForCone;
    x->report->flags |= pl_reportFellBack;
    return INFINITY;
}

// --- the table

static const plPlanRow rows[] = {
    {"factors", plForCone, factors, 0, factored, anyStart, settle, "sweeps, exact", fourEach,
     unitSweeps, goalAge, NULL, "W", false},
    {"factors, large", plForCone, factors, beyond, all, anyStart, sweeps,
     "sweeps, exact, extrapolated", sharedSweeps, unitSweeps, goalAccepted, NULL, "W", false},
    {"pyramids, guess", plForPyramids, anyW, 20, plPyramidContacts, cold, guess,
     "sweeps, sequential, on flat sides", 3, unitSweeps, goalPivots, NULL, NULL, false},
    {"pyramids", plForPyramids, anyW, 5, plPyramidContacts, cold, plPyramid_Newton,
     "active-set Newton on flat sides", 8, unitSteps, goalPivots, NULL, NULL, false},
    {"pyramids, warm", plForPyramids, anyW, 5, plPyramidContacts, warm, plPyramid_Newton,
     "active-set Newton on flat sides", 8, unitSteps, goalPivots, NULL, NULL, false},
    {"pyramids, near", plForPyramids, anyW, 5, plPyramidContacts, anyStart, plPyramid_Near,
     "the near chain on flat sides; cold from 240 unknowns on", 40, unitProblems, goalPivots, NULL,
     NULL, false},
    {"pivots", plForPyramids, anyW, 0, all, anyStart, plPyramid_Lcp, "pivoting", 10, unitRounds,
     goalAccepted, NULL, NULL, false},
    {"to cone", plForPyramids, anyW, 0, all, anyStart, toCone, "takes the bias of cone", 0,
     unitSteps, goalAccepted, NULL, "alone", false},
    {"alone", plForCone, dense | thin, 1, 1, anyStart, settle, "a sweep, exact", 3, unitSweeps,
     goalTolerance, NULL, NULL, false},
    {"settle", plForCone, dense | thin, 2, factored, warm, settle, "sweeps, exact", 3, unitSweeps,
     goalTolerance, NULL, NULL, false},
    {"guess", plForCone, dense | thin, 20, all, cold, guess, "sweeps, sequential", 3, unitSweeps,
     goalTolerance, NULL, NULL, false},
    {"few", plForCone, dense, beyond, all, anyStart, few, "active-set Newton, where few push", 12,
     unitSteps, goalTolerance, NULL, NULL, false},
    {"near", plForCone, anyW, beyond, plNearContacts, anyStart, nearChain, "the near chain", 40,
     unitProblems, goalAccepted, NULL, NULL, false},
    {"large", plForCone, anyW, beyond, all, anyStart, sweeps, "sweeps, exact, extrapolated",
     sharedSweeps, unitSweeps, goalAccepted, NULL, "end", false},
    {"blocks", plForCone, blocks, 0, factored, anyStart, sweeps, "sweeps, exact, extrapolated", 200,
     unitSweeps, goalTolerance, NULL, NULL, false},
    {"newton", plForCone, anyW, 0, factored, anyStart, newton, "active-set Newton", 8, unitSteps,
     goalTarget, "blocks, on", NULL, false},
    {"near chain", plForCone, anyW, 0, plDenseContacts, anyStart, nearChain, "the near chain", 40,
     unitProblems, goalTarget, "polish", NULL, true},
    {"careful chain", plForCone, anyW, plDenseContacts + 1, all, anyStart, carefulChain,
     "the careful chain", 80, unitProblems, goalTarget, "polish", NULL, true},
    {"far chain", plForCone, anyW, 0, factored, anyStart, farChain, "the far chain, from nothing",
     80, unitProblems, goalTarget, "polish", NULL, true},
    {"patient chain", plForCone, anyW, 0, factored, anyStart, patientChain,
     "the patient chain, from nothing", 80, unitProblems, goalTarget, "polish", NULL, true},
    {"polish", plForCone, anyW, 0, factored, anyStart, polish, "active-set Newton", 6, unitSteps,
     goalAccepted, "blocks, on", NULL, true},
    {"sweeps", plForCone, anyW, 0, factored, anyStart, sweeps, "sweeps, exact, extrapolated",
     allSweeps, unitSweeps, goalAccepted, NULL, NULL, true},
    {"sequential", plForCone, anyW, 0, factored, anyStart, sequential, "sweeps, sequential",
     allSweeps, unitSweeps, goalAccepted, NULL, "end", true},
    {"blocks, on", plForCone, blocks, 0, factored, anyStart, sweeps, "sweeps, exact, extrapolated",
     300, unitSweeps, goalAccepted, NULL, NULL, false},
};

const char* plPlan_Name(int row)
{
    return row > 0 && row <= PL_COUNT(rows) ? rows[row - 1].name : "none";
}

// --- running

static unsigned storageOf(const plProblem* x)
{
    return x->s->factors ? factors : x->s->W ? dense : x->s->thin ? thin : blocks;
}

static bool isWarm(const plProblem* x)
{
    for (int i = 0; i < x->s->count; ++i) {
        if (x->p[x->s->dim * i] > 0) return true;
    }
    return false;
}

static bool applies(const plPlanRow* r, const plProblem* x)
{
    const int count = x->s->count, most = mostFactored(x);
    return r->kind & x->kind && r->storage & storageOf(x) &&
           count >= (r->least == beyond ? most + 1 : r->least) &&
           count <= (r->most == factored ? most : r->most) &&
           (r->start == anyStart || (r->start == warm) == x->warm);
}

// Behind the last row: the end.
static int find(const char* name)
{
    int i = 0;
    while (i < PL_COUNT(rows) && strcmp(rows[i].name, name) != 0) ++i;
    return i;
}

// One row; the better of its answer and the last one is kept. True: it is good.
static bool tryRow(plProblem* x, int row)
{
    const plPlanRow* r = &rows[row];
    plLawWork* w = x->w;
    const size_t bytes = (size_t)plSpace_Rows(x->s) * sizeof(double);
    const int before = x->report->iterations;
    memcpy(w->held, x->p, bytes);
    const double res = r->run(x, r);
    const bool good = res <= goalOf(r, x);
    if (res < x->res || x->report->row == 0) {
        x->res = res;
        x->report->row = row + 1;
        if (r->fallsBack) x->report->flags |= pl_reportFellBack;
    } else {
        memcpy(x->p, w->held, bytes);
    }
    if (w->tell) w->tell(w->teller, row + 1, x->report->iterations - before, res);
    return good;
}

// Where all is spent a few sweeps are made nevertheless: impulses of the last tick would push into what has moved.
static void finish(plProblem* x)
{
    enum { least = 3 };
    if (x->s->factors) return; // they sweep first
    if (x->kind == plForPyramids) toCone(x, NULL);
    for (int k = 0; k < least; ++k) {
        const plSweeps one = {.method = k + 1 < least ? pl_coneExact : pl_coneSequential,
                              .tolerance = x->w->accepted,
                              .most = 1};
        x->res = plCone_Sweeps(x->s, x->q, &one, x->p, x->w, &x->report->iterations);
    }
}

bool plPlan_Run(plProblem* x)
{
    x->res = INFINITY;
    x->warm = isWarm(x);
    bool good = false;
    for (int i = 0; i < PL_COUNT(rows);) {
        if (!applies(&rows[i], x)) {
            ++i;
            continue;
        }
        good = tryRow(x, i);
        const char* to = good ? rows[i].then : rows[i].next;
        if (good && !to) return true;
        if (!good && plLaw_IsOver(x->w)) {
            finish(x);
            return false;
        }
        i = to ? find(to) : i + 1;
    }
    return good;
}

// --- the table as text

static void writeContacts(const plPlanRow* r, char* text, size_t size)
{
    static const char* const starts[] = {"", ", warm", ", cold"};
    char least[24] = "", most[24] = "";
    if (r->least > 0) snprintf(least, sizeof least, "%d", r->least);
    if (r->least == beyond) snprintf(least, sizeof least, "F + 1");
    if (r->most > 0 && r->most != all) snprintf(most, sizeof most, "%d", r->most);
    if (r->most == factored) snprintf(most, sizeof most, "F");
    const char* to = *least && *most ? " to " : *most ? "up to " : *least ? " or more" : "";
    snprintf(text, size, "%s%s%s%s", least, to, most, starts[r->start]);
}

static void writeBudget(const plPlanRow* r, char* text, size_t size)
{
    static const char* const units[] = {"sweeps", "steps", "problems", "rounds", "attempts"};
    const char* special = r->budget == allSweeps      ? "`sweeps`, 500"
                          : r->budget == sharedSweeps ? "16000 by the contacts, 40 to 500"
                                                      : "3; 4 for each contact";
    if (r->budget == 0) {
        *text = 0;
    } else if (r->budget < 0) {
        snprintf(text, size, "%s %s", special, units[r->unit]);
    } else {
        snprintf(text, size, "%d %s", r->budget, units[r->unit]);
    }
}

static const char* storageName(unsigned storage)
{
    return storage == factors          ? "factors"
           : storage == dense          ? "dense"
           : storage == blocks         ? "blocks"
           : storage == (dense | thin) ? "dense, thin"
                                       : "any";
}

// One row of the table; false: no room.
static int writeRow(int i, char* text, size_t size)
{
    static const char* const goals[] = {"tolerance", "accepted", "accepted/10", "1e-9", "age"};
    const plPlanRow* r = &rows[i];
    char contacts[64], budget[64];
    const char* after = i + 1 < PL_COUNT(rows) ? rows[i + 1].name : "end";
    writeContacts(r, contacts, sizeof contacts);
    writeBudget(r, budget, sizeof budget);
    return snprintf(text, size, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r->name,
                    r->kind == plForCone ? "cone" : "pyramids", storageName(r->storage), contacts,
                    r->method, budget, goals[r->goal], r->then ? r->then : "end",
                    r->next ? r->next : after);
}

int plPlan_Write(char* text, size_t size)
{
    int length = snprintf(text, size,
                          "| row | for | W | contacts | method | budget | good at | then | else |\n"
                          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < PL_COUNT(rows); ++i) {
        const size_t used = (size_t)length < size ? (size_t)length : size;
        length += writeRow(i, text + used, size - used);
    }
    return length;
}
