// One tick of one group: one step, or several shorter ones where that does not converge or would create energy;
// at last steps with numerical damping. A group stands still only where nothing is finite.
#include "world/inside.h"

#include <string.h>

enum { fewHalvings = 5, mostHalvings = 9, trialsOfTick = 512 };

// A group whose mass cannot be factored at its new place goes back, too.
static bool commit(plWorld* w, const plGroup* g)
{
    int done = 0;
    bool good = true;
    while (done < g->mechanismCount && good) {
        good = plMechanism_Commit(w->mechanisms[g->mechanismList[done++]]);
    }
    if (good) return true;
    w->groupFinite = false;
    for (int i = 0; i < done; ++i) plMechanism_Revert(w->mechanisms[g->mechanismList[i]]);
    return false;
}

// Energies of the steps of a tick add up.
static void book(plWorld* w, const plGroup* g)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        plEnergy_Add(&w->mechanismSums[k], &w->mechanismEnergies[k]);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        const int k = g->linkList[i];
        plEnergy_Add(&w->linkSums[k], &w->linkEnergies[k]);
    }
}

static void slow(plWorld* w, const plGroup* g, double share)
{
    plLedger_Slow(w, g, share);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Slow(w->mechanisms[g->mechanismList[i]], share);
    }
    book(w, g);
}

// Rigid links that the step has left open.
static void noteGap(plWorld* w, const plLink* link)
{
    for (int k = 0; k < link->rowCount; ++k) {
        if (isinf(link->K[k])) w->report.gap = fmax(w->report.gap, fabs(link->d[k]));
    }
    if (w->report.gap > 1e-6) w->report.trouble |= pl_troubleApart;
}

static void keep(plWorld* w, const plGroup* g, double T)
{
    if (plGuard_BlewUp(w, g)) w->report.trouble |= pl_troubleGained;
    plSatisfy_Commit(w, g, true);
    for (int i = 0; i < g->linkCount; ++i) {
        plLink_Commit(&w->links[g->linkList[i]], T);
        noteGap(w, &w->links[g->linkList[i]]);
    }
    book(w, g);
    if (plImpact_IsNoise(w, g)) {
        slow(w, g, 0);
    } else {
        plImpact_Step(w, g, T);
        const double share = plPivot_Share(w, g);
        if (share < 1) slow(w, g, share);
    }
}

// Impulses are those of the trial, the pose is that of before.
static void stay(plWorld* w, const plGroup* g)
{
    w->groupContact = (plEnergy){0};
    slow(w, g, 0);
    plSatisfy_Commit(w, g, true);
}

// A hand that turns out to be led beyond the limit of its device goes another way: see lag.c. At last its frame stands,
// for each coupling once.
static bool tryLed(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    for (int n = 0; n <= plLagTrials + w->couplingCount; ++n) {
        if (!plGroup_Try(w, g, span, rung)) return false;
        if (w->groupStays || !plDevices_Relent(w, g, span, n)) break;
    }
    return true;
}

static bool tryStep(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    const plStepReport before = w->report; // what a refused attempt reports does not count
    plSatisfy_Aim(w, g);
    for (int i = 0; i < g->linkCount; ++i) {
        plLink_Aim(&w->links[g->linkList[i]], rung->level >= plLevelDamped);
    }
    const bool good = tryLed(w, g, span, rung);
    if (good && w->groupStays) {
        stay(w, g);
        return true;
    }
    if (good && commit(w, g)) {
        plDevices_Lead(w, g, span);
        keep(w, g, span.T);
        return true;
    }
    w->report = before;
    return false;
}

// As meant. Where springs on rotations have created too much, and no shorter step is left, by an action that bounds
// them, and loses. The shorter the step, the more the brake may take, and the less is asked of the last one.
static bool tryWhole(plWorld* w, plGroup* g, plSpan span, int depth)
{
    const bool last = depth >= fewHalvings;
    plRung rung = {.trials = 12, .open = last ? 1e-7 : 1e-10, .share = depth == 0 ? 1e-3 : 0.5};
    if (tryStep(w, g, span, &rung)) return true;
    if (!last && plGroup_IsStrict(w, g)) return false;
    rung.level = plLevelMajorized;
    return plGuard_BrakeLevel(w, g) > 0 && tryStep(w, g, span, &rung);
}

// The tick may cost more.
static bool mayGoOn(plWorld* w) { return w->groupBudget > 0 && !plBudget_IsOver(&w->work.budget); }

// With numerical damping, the more the later, and slower before that.
static bool tryDamped(plWorld* w, plGroup* g, plSpan span)
{
    const bool late = !mayGoOn(w);
    for (int level = plLevelDamped; level <= plLevelLast; level += late ? 3 : 1) {
        const plRung rung = {.level = level,
                             .trials = 30,
                             .positive = true,
                             .open = 1e-7,
                             .share = 0.5,
                             .rough = level + (late ? 3 : 1) > plLevelLast};
        w->report.level = level > w->report.level ? level : w->report.level;
        if (level > plLevelDamped) slow(w, g, 0.5);
        if (!tryStep(w, g, span, &rung)) continue;
        w->report.trouble |= pl_troubleGuarded;
        return true;
    }
    return false;
}

// No shorter step helps: the energy at the start is not finite, or an integrator that may create some blew up.
static bool isHopeless(const plWorld* w, const plGroup* g)
{
    double kinetic = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        kinetic += plMechanism_Kinetic(w->mechanisms[g->mechanismList[i]]);
    }
    return !w->groupFinite && (!plGuard_Watches(w, g) || !isfinite(kinetic));
}

// The pose stays. What is not finite stands still.
static void stop(plWorld* w, plGroup* g)
{
    w->report.trouble |= w->groupFinite ? pl_troubleStopped : pl_troubleNotFinite;
    slow(w, g, w->groupFinite ? 0.5 : 0);
    plSatisfy_Commit(w, g, false);
    w->groupStopped = true;
}

// Rigid links that are far from closed may close in a step that is shorter still. Others may not: a rope that is
// straight between two ends has no motion in any step, and what a spring leaves open is round-off.
static int mostHalvingsOf(const plGroup* g)
{
    return plSystem_LinkError(g).rigid > 1e-6 ? mostHalvings : fewHalvings;
}

// Half steps, as long as the tick may cost more. What is stopped stays for the rest of the tick.
static void advanceBy(plWorld* w, plGroup* g, plSpan span, int depth)
{
    if (w->groupStopped) return;
    w->report.halvings = depth > w->report.halvings ? depth : w->report.halvings;
    plSatisfy_Carry(w, g);
    if (tryWhole(w, g, span, depth)) return;
    if (isHopeless(w, g)) {
        stop(w, g);
        return;
    }
    if (depth < mostHalvingsOf(g) && plGroup_IsStrict(w, g) && mayGoOn(w)) {
        const double half = 0.5 * span.T;
        advanceBy(w, g, (plSpan){half, span.left}, depth + 1);
        advanceBy(w, g, (plSpan){half, span.left - half}, depth + 1);
        return;
    }
    if (tryDamped(w, g, span)) return;
    stop(w, g);
}

// The step of a group that stands still, once more; false: something is not as it was.
static bool repeat(plWorld* w, plGroup* g, uint64_t inputs)
{
    if (!plRest_Repeats(w, g, inputs)) return false;
    plSatisfy_Carry(w, g);
    plSatisfy_Aim(w, g);
    plRest_Recall(w, g);
    stay(w, g);
    return true;
}

static int most(int a, int b) { return a > b ? a : b; }

static void stepAnew(plWorld* w, plGroup* g, double T, uint64_t inputs)
{
    const plBudget* b = &w->work.budget;
    const plStepReport before = w->report;
    const double spent = b->spent;
    plStepReport* r = &w->report;
    r->trouble = r->level = r->halvings = 0;
    advanceBy(w, g, (plSpan){T, T}, 0);
    const bool plain = !r->trouble && !r->level && !r->halvings && b->spent < b->most;
    plRest_Note(w, g, plain && w->groupStays ? inputs : 0, b->spent - spent);
    r->trouble |= before.trouble;
    r->level = most(r->level, before.level);
    r->halvings = most(r->halvings, before.halvings);
}

void plGroup_Step(plWorld* w, const plGroup* given, double T)
{
    plGroup own = *given, *g = &own;
    own.contactList = w->groupList;
    if (g->contactCount > 0) {
        memcpy(w->groupList, given->contactList, (size_t)g->contactCount * sizeof(int));
    }
    for (int i = 0; i < g->mechanismCount; ++i)
        w->mechanismSums[g->mechanismList[i]] = (plEnergy){0};
    for (int i = 0; i < g->linkCount; ++i) {
        w->linkSums[g->linkList[i]] = (plEnergy){0};
        plLink_Begin(&w->links[g->linkList[i]], w->now->T > 0 ? 1 / w->now->T : 0);
    }
    w->groupBudget = trialsOfTick;
    w->groupStopped = w->groupImpact = false;
    w->groupTrials = 0;
    const uint64_t inputs = plRest_Inputs(w, g, T);
    if (!repeat(w, g, inputs)) stepAnew(w, g, T, inputs);
    w->report.trials = most(w->report.trials, w->groupTrials);
    w->report.impacts += w->groupImpact;
    plSatisfy_Finish(w, g);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Release(w->mechanisms[g->mechanismList[i]]);
    }
}
