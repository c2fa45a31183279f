// One step of a group: trials by Newton's method on its end, until links are closed and gaps are held.
#include "world/inside.h"

#include <string.h>

// --- one pass of one group

static void begin(plWorld* w, const plGroup* g, plPass pass)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (!plMechanism_Begin(g->mechanisms[g->mechanismList[i]], pass)) {
            w->report.trouble |= pl_troubleNotConverged;
        }
    }
}

static bool isFinite(const plGroup* g)
{
    bool finite = true;
    for (int i = 0; i < g->mechanismCount; ++i) {
        finite = plMechanism_Finite(g->mechanisms[g->mechanismList[i]]) && finite;
    }
    return finite;
}

static bool advance(plWorld* w, const plGroup* g, double T)
{
    if (!plSystem_Advance(&w->system, g, T)) w->report.trouble |= pl_troubleNotConverged;
    return isFinite(g);
}

// Contacts of printed biases on soft bodies that are not integrated by the midpoint have first order anyway: they are
// linearised once, if nothing that goes with them is of the midpoint.
static bool needsPasses(const plWorld* w, const plGroup* g)
{
    bool needs = g->linkCount > 0, soft = false, exact = g->linkCount > 0 && g->contactCount == 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        needs = needs || plMechanism_Curved(m);
        soft = soft || plMechanism_Traits(m)->deforms;
        exact = exact || plMechanism_Exact(m);
    }
    return needs && (exact || !soft);
}

// Rows, responses and the advance of a trial, without the law.
static double costOfTrial(const plWorld* w, const plGroup* g)
{
    enum { mechanism = 1500, link = 1500, contact = 1500, perNumber = 40, solves = 4 };
    double sum = link * (double)g->linkCount + contact * (double)g->contactCount;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        const double n = plMechanism_Velocities(m);
        sum += mechanism + perNumber * n * n + solves * plMechanism_RowCost(m);
    }
    return sum;
}

static bool onePass(plWorld* w, const plGroup* g, plPass pass)
{
    plBudget_Spend(&w->work.budget, costOfTrial(w, g));
    begin(w, g, pass);
    const bool solved = plSatisfy_Group(w, g, pass);
    return (w->groupAdvanced ? isFinite(g) : advance(w, g, pass.T)) && solved;
}

// Of a trial, by how often the law has gone through the rows of its contacts. One that solves no contacts is cheap.
static double costOf(const plWorld* w, const plGroup* g)
{
    const double once = 2e6; // products that take as long as a trial without contacts
    if (g->contactCount == 0) return 1. / 16;
    const double rows = w->system.size.dim * w->system.contacts;
    return 1 + w->groupLaw.iterations * rows * rows / once;
}

// Once against the rounding of W; again while springs miss their law: W has the rows of the end, and where parts
// turn by a radian in the step a round leaves a quarter; or while momenta (symplectic) answer by more than W says.
static bool refine(plWorld* w, const plGroup* g, double T)
{
    enum { rounds = 16 };
    bool finite = true;
    for (int i = 0; i < rounds && finite; ++i) {
        const double miss = plSystem_Refine(&w->system, g);
        finite = advance(w, g, T);
        plBudget_Spend(&w->work.budget, costOfTrial(w, g));
        if (miss <= 1e-13 || plBudget_IsOver(&w->work.budget)) break;
    }
    return finite;
}

// Far from the solution the whole geometric stiffness may mislead: once two trials have not come nearer, its
// positive part is taken until the change is small.
typedef struct {
    plTrialChange change;
    plLinkError links; ///< of the last trial
    int misses;        ///< trials that halved neither the change nor what rigid links miss
    int halvings;      ///< trials running that did
} Newton;

static Newton newtonStart(void)
{
    return (Newton){.change = {INFINITY, INFINITY}, .links = {INFINITY, INFINITY, INFINITY}};
}

// Links of a rope that is straight between two ends close by a quarter in each trial, as their impulses double.
static void watch(Newton* n, const plGroup* g, plTrialChange change)
{
    const plLinkError links = plSystem_LinkError(g);
    const bool halved =
        change.velocity <= 0.5 * n->change.velocity || links.rigid < 0.7 * n->links.rigid;
    n->misses += !halved;
    n->halvings = halved ? n->halvings + 1 : 0;
    n->change = change;
    n->links = links;
}

// Trials that jump to and fro come together by half steps. Contacts have no impulses between two trials.
static double stepOf(const Newton* n, const plGroup* g)
{
    return n->misses >= 6 && g->contactCount == 0 ? 0.5 : 1;
}

// Slow, but on its way: some trials more cost less than two half steps.
static bool isComing(const Newton* n) { return n->halvings >= 3; }

static const double unchanged = 1e-12; // share of the velocities
static const double nearlySame =
    1e-9; // contacts that were found at one trial are those of the next

// What gaps are known to: the law is solved to 1e-8 of the velocities [m].
static double gapTolerance(const plWorld* w, const plGroup* g)
{
    double way = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        way = fmax(way, plMechanism_Way(w->mechanisms[g->mechanismList[i]]));
    }
    return (plSystem_IsSoft(&w->system, g) ? 1e-9 : 1e-10) + 3e-8 * fmin(way, 1);
}

// Nothing moves far enough in the step to turn a row.
static bool isStill(const plWorld* w, const plGroup* g, double T, plWhen when)
{
    const double nearly = 1e-9; // [m or rad]
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        const double* v = plMechanism_VelocityAt(m, when);
        if (!plMechanism_Traits(m)->yields) return false;
        if (plMechanism_Traits(m)->deforms && T * plMechanism_LargestSpeed(m) > nearly)
            return false;
        for (int k = 0; k < plMechanism_Velocities(m); ++k) {
            if (fabs(T * v[k]) > nearly) return false;
        }
    }
    return true;
}

// Links are closed [m or rad per metre], gaps are what the law has made them [m], and momentum is balanced; or
// nothing changes any more. How well the law is solved is not asked here: another trial would not mend that.
static bool isConverged(plWorld* w, const Newton* n, const plGroup* g, double T)
{
    const double closed = 1e-12, balanced = 1e-10;
    if (n->change.velocity <= unchanged) return true;
    const double open = fmax(n->links.all, n->links.rows);
    // of what is noise a share says nothing, and redundant links close no better
    if (!(open <= closed && n->change.energy <= balanced) &&
        !(open <= 10 * closed && plImpact_Rests(w, g)))
        return false;
    if (!w->system.gaps) return true;
    // what begins at rest and hardly moves has the gaps that its rows say
    if (isStill(w, g, T, pl_atInstant) && isStill(w, g, T, pl_atEnd)) return true;
    if (!plSystem_IsSoft(&w->system, g))
        return plSystem_GapMiss(&w->system, g, T) <= gapTolerance(w, g);
    const plGapError gaps = plSatisfy_GapError(w, g);
    return fmax(gaps.deep, gaps.open) <= gapTolerance(w, g);
}

// Redundant links that do not quite agree are answered by large impulses: they are held more softly, the longer
// that goes on.
static double softnessOf(int misses) { return misses < 3 ? 1e-10 : misses < 5 ? 1e-8 : 1e-6; }

// How many trials are made at least: gravity of chains is a linear model of the step.
static int fewest(const plWorld* w, const plGroup* g, bool newton)
{
    bool curved = false;
    for (int i = 0; i < g->mechanismCount; ++i) {
        curved = curved || plMechanism_Curved(w->mechanisms[g->mechanismList[i]]);
    }
    return w->def.passes > 0 && needsPasses(w, g) && (curved || !newton) ? w->def.passes : 1;
}

// `passes` may ask for more digits than a step needs to be kept: links that move are met so often, or until nothing
// changes any more, or until they have all digits.
static bool wantsDigits(const plWorld* w, const Newton* n, const plGroup* g, double T, int done)
{
    const double roundOff = 1e-14; // [m or rad per metre], and of the energy
    if (g->linkCount == 0 || done >= w->def.passes || n->change.velocity <= unchanged) return false;
    const double open = fmax(n->links.all, n->links.rows);
    if (open <= roundOff && n->change.energy <= roundOff) return false;
    return !(isStill(w, g, T, pl_atInstant) && isStill(w, g, T, pl_atEnd));
}

// What energies are known to in the trial: round-off of their sums.
static double energyRoundOff(const plWorld* w, const plGroup* g)
{
    const double digits = 1e-15; // plGuard_Excess takes less for none
    double scale = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        plEnergy e;
        plMechanism_Audit(w->mechanisms[g->mechanismList[i]], &e);
        scale += e.kinetic0 + e.kinetic1 + fabs(e.potential0) + fabs(e.potential1);
    }
    return digits * scale;
}

// Springs on rotations leak, and the guard would take what they create.
static bool leaks(const plWorld* w, const plGroup* g)
{
    const double balanced = 1e-10;
    double leak = 0, size = 0, none = 0;
    bool turns = false;
    for (int i = 0; i < g->mechanismCount && !turns; ++i) {
        turns = plMechanism_HasMajorizer(w->mechanisms[g->mechanismList[i]]);
    }
    for (int i = 0; i < g->mechanismCount && turns; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        leak += plMechanism_Leak(m);
        plMechanism_Change(m, &none, &size);
    }
    return turns && fabs(leak) > 0.5 * balanced * size && fabs(leak) > 0.5 * energyRoundOff(w, g);
}

// The trial, which is nearly right, has contacts that its group does not know.
static bool isIncomplete(plWorld* w, plGroup* g, double T, int* searches, bool early)
{
    const double nearly = 1e-6; // [m]
    if (!w->system.gaps || *searches == 0 || w->groupComplete) return false;
    if (isStill(w, g, T, pl_atInstant) && isStill(w, g, T, pl_atEnd)) return false;
    const plGapError gaps = plSatisfy_GapError(w, g);
    if (!early && !(gaps.deep <= nearly && gaps.open <= nearly)) return false;
    --*searches;
    const int found = plSatisfy_ChooseDeep(w, g, 10 * gapTolerance(w, g)) + plShapes_Search(w, g);
    w->groupComplete = found == 0;
    return found > 0;
}

// The first trial is linearised at a prediction (where everything is nearly still, at the start), each further
// one at the mean of the start and the trial before it. Contacts of printed biases may give energy until
// their response is that of the trial: then there are more, the last ones with a margin. As printed (no
// passes) all is met once, where it is.
static bool passes(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    enum { extra = 6, careful = 2 };
    const double far = 1e-3; // share of the velocities
    const bool gaps = w->system.gaps, newton = (g->linkCount > 0 || gaps) && w->def.passes > 0;
    const bool closes = w->def.passes > 0 && rung->level == 0 && plGuard_Watches(w, g);
    const bool again = needsPasses(w, g) || gaps || (closes && plGuard_BrakeLevel(w, g) > 0);
    const bool refines = newton && g->linkCount > 0, soft = gaps && plSystem_IsSoft(&w->system, g);
    const int count = fewest(w, g, newton), most = newton ? rung->trials : count + extra;
    const bool alone = count == 1 && !newton;
    const bool still = rung->positive || (gaps && isStill(w, g, span.T, pl_atInstant)) ||
                       w->def.passes == 0 || (alone && g->contactCount > 0);
    plPass pass = {.T = span.T,
                   .left = span.left,
                   .at = still ? pl_lineariseStart : pl_linearisePrediction,
                   .level = rung->level,
                   .closes = closes,
                   .follows = w->law && w->law->returns,
                   .turns = gaps || (newton && plSystem_IsSoft(&w->system, g))};
    plGroup stiff = *g; // as printed, links have no geometric stiffness
    if (!newton) stiff.linkCount = 0;
    Newton state = newtonStart();
    int searches = (still && gaps) || rung->rough ? 0 : 6, end = again ? most : 1;
    const int least = again ? count : 1; // however little may be spent
    bool finite = true, refined = false;
    w->work.turns = count;
    w->groupComplete = false;
    for (int i = 0; finite && (i < least || i < end || (newton && isComing(&state) && i < 4 * end));
         ++i) {
        // where forces turn as far as soft surfaces slide, trials come near slowly: what is new is looked for before
        const bool early = soft && (i == 3 || i == 6);
        const bool coming = newton && (i == 0 || !isConverged(w, &state, g, span.T) ||
                                       wantsDigits(w, &state, g, span.T, i));
        const bool more =
            i > 0 && (!coming || early) && isIncomplete(w, g, span.T, &searches, early);
        const bool open = coming || (newton && more);
        const bool leaky = i > 0 && closes && leaks(w, g);
        if (more && !soft) { // another problem than before
            state = newtonStart();
            end = i + most;
        }
        if (i >= count && !open &&
            !leaky) { // contacts that would give are asked in the trial that is kept
            finite = !refines || refine(w, g, span.T);
            refined = true;
            if (!finite || !plSatisfy_Gives(w, g, span.T)) break;
        }
        refined = false;
        const bool lost = state.misses >= 2 && state.change.velocity > far;
        plSystem_Stiffen(&stiff, span.T, i == 0, rung->positive || lost);
        w->system.softness = softnessOf(state.misses);
        w->groupCareful =
            !gaps && i >= count && i >= most - careful && !(newton && isComing(&state));
        pass.frozen = i > 1;
        finite = onePass(w, g, pass);
        ++w->groupTrials;
        w->groupBudget -= costOf(w, g);
        if (plBudget_IsOver(&w->work.budget)) end = 0; // the best so far
        if (newton) watch(&state, g, plSystem_Change(&w->system, g, stepOf(&state, g)));
        if (state.change.velocity > nearlySame) w->groupComplete = false;
        pass.at = pl_lineariseTrial;
        w->report.passes = i + 1 > w->report.passes ? i + 1 : w->report.passes;
    }
    finite = finite && (!refines || refined || refine(w, g, span.T));
    w->system.softness = 0;
    return finite;
}

// --- balance of the trial

// A stretch that the geometry could not follow is given up: the link takes the geometry's.
static void closeLink(plWorld* w, int index, double T)
{
    plLink* link = &w->links[index];
    double d[6];
    plLink_Geometry(link, w->mechanisms, pl_atEnd, d);
    for (int k = 0; k < link->rowCount; ++k) {
        const double error = fabs(d[k] - link->target[k]);
        if (error <= 1e-12 * (1 + fabs(d[k]))) d[k] = link->target[k]; // they agree
    }
    plLink_Wind(link, d);
    plLink_Audit(link, T, plLink_Exact(link, w->mechanisms), d, &w->linkEnergies[index]);
    memcpy(link->target, d, sizeof d);
}

// A link of mechanisms that have gone back a part of their step is where they are.
static void takeGeometry(plWorld* w, plLink* link)
{
    plLink_Geometry(link, w->mechanisms, pl_atEnd, link->target);
    plLink_Wind(link, link->target);
}

// All of the group go back to a share of their step. Rigid links, which a part of a turn opens, are closed again.
static void retreat(plWorld* w, const plGroup* g, double share)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        plMechanism_Retreat(w->mechanisms[k], share, &w->mechanismEnergies[k]);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = &w->links[g->linkList[i]];
        takeGeometry(w, link);
        for (int k = 0; k < link->rowCount; ++k) {
            if (isinf(link->K[k])) link->target[k] = link->goal[k];
        }
    }
    plSystem_Project(&w->system, g, w->mechanismEnergies);
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = &w->links[g->linkList[i]];
        plEnergy* e = &w->linkEnergies[g->linkList[i]];
        const double before = e->potential1;
        takeGeometry(w, link);
        e->potential1 = plLink_Stored(link, link->target);
        e->leak += e->potential1 - before;
    }
}

// A step that was refused is not asked to take back depth as well: where links could not follow the
// shift, that alone may be what the guard refuses, and the group would stand still for ever.
static bool audit(plWorld* w, const plGroup* g, double T, int level)
{
    bool finite = true;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int index = g->mechanismList[i];
        plMechanism_Audit(w->mechanisms[index], &w->mechanismEnergies[index]);
    }
    plSatisfy_Audit(w, g, T);
    if (w->def.passes > 0) plSystem_Project(&w->system, g, w->mechanismEnergies);
    w->groupSpent = 0;
    if (level == 0) plSatisfy_Drift(w, g, T);
    for (int i = 0; i < g->linkCount; ++i) closeLink(w, g->linkList[i], T);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int index = g->mechanismList[i];
        const plEnergy* e = &w->mechanismEnergies[index];
        finite = plMechanism_Finite(w->mechanisms[index]) &&
                 isfinite(e->kinetic1 + e->potential1 + e->rows + e->integrator + e->leak) &&
                 finite;
    }
    return finite;
}

// --- the verdict

bool plGroup_IsStrict(const plWorld* w, const plGroup* g)
{
    bool strict = w->def.passes > 0 && (g->contactCount == 0 || !w->law->stored);
    for (int i = 0; i < g->mechanismCount && strict; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        strict = !plMechanism_Traits(m)->deforms && !plMechanism_Traits(m)->constrained;
    }
    return strict;
}

// The best so far will do: what the law has left undone is mended in the next tick.
static bool isRough(plWorld* w, const plRung* rung)
{
    return rung->rough || plBudget_IsOver(&w->work.budget);
}

// A spring's stretch is a state of its own, and positions are shifted to it: it need not be met so closely. Gaps are
// no better than the law is solved, and a shorter step does not mend that.
static bool isOpen(plWorld* w, const plGroup* g, double T, const plRung* rung)
{
    const double most = rung->open;
    const plLinkError error = plSystem_LinkError(g);
    const plGapError gaps = plSatisfy_GapError(w, g);
    const double small = 1e-6; // [m]
    const double undone = w->system.gaps ? fmin(small, T * plImpact_Noise(w, g)) : 0;
    const double deep = 10 * fmax(most, gapTolerance(w, g)) + undone;
    const bool linked = error.rigid <= most && error.all <= fmax(most, 1e-8);
    return !(linked && (isRough(w, rung) || (gaps.deep <= deep && gaps.open <= deep)));
}

// Coordinates of a chain that turns by more in a step say nothing about where its outer bodies go [rad]: links and
// gaps do not find them there. A chain by itself keeps its energy all the same.
static bool isDizzy(const plWorld* w, const plGroup* g)
{
    const double most = 0.5;
    if (g->linkCount == 0 && !w->system.gaps) return false;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        if (plMechanism_Parts(m) > 1 && plMechanism_Turn(m) > most) return true;
    }
    return false;
}

// Soft bodies that lose energy in the step may pay for what contacts and links give in it; only what is left
// counts, and the brake takes it.
//
// A model of turning elements may store more than there is to take: then the step is shortened. Whatever is linear
// in the step keeps its contacts so, and a step of no length has no more than the state.
static bool isSoftPassive(plWorld* w, const plGroup* g)
{
    enum { halvings = 12 };
    double rise = plGuard_Rise(w, g);
    const double kinetic = plGuard_Kinetic(w, g), tolerance = plGuard_Tolerance(w, g);
    if (!w->def.guard || !(rise > 0)) return true;
    // a law that was not finished gives energy which no shorter step takes back
    if (plBudget_IsOver(&w->work.budget) && rise > tolerance + kinetic) return false;
    if (rise > fmax(tolerance, 1e-6 * kinetic)) w->report.trouble |= pl_troubleGuarded;
    for (int i = 0; i <= halvings && rise > tolerance + plGuard_Kinetic(w, g); ++i) {
        retreat(w, g, i < halvings ? 0.5 : 0);
        rise = plGuard_Rise(w, g);
    }
    if (rise > 0) plGuard_Brake(w, g, rise);
    return true;
}

// The brake takes what a step has created from its velocities.
static bool isPassive(plWorld* w, const plGroup* g, const plRung* rung)
{
    if (plSystem_IsSoft(&w->system, g) && w->def.contact.bias == pl_biasGap)
        return isSoftPassive(w, g);
    if (!plGuard_Watches(w, g)) return true;
    // with damping that may be: links that are nearly closed give way under large forces
    if (rung->level < plLevelDamped && plGuard_Lost(w, g)) return false;
    // depth that was taken back, or left as the law left it, is paid by all that the step loses
    const bool whole = isRough(w, rung) || w->groupContact.drift > 0;
    const double excess = whole ? plGuard_Rise(w, g) : plGuard_Excess(w, g);
    const double kinetic = plGuard_Kinetic(w, g);
    if (excess <= 0) return true;
    const bool small = excess <= plGuard_Tolerance(w, g);
    if (!small && excess > rung->share * kinetic) return false;
    plGuard_Brake(w, g, excess);
    if (!small && excess > 1e-6 * kinetic) w->report.trouble |= pl_troubleGuarded;
    return true;
}

// Once more with contacts that the last trial turned out to have. False: there are others, or it is not finite.
static bool passesWithAll(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    enum { rounds = 4 };
    bool all = false;
    w->groupStays = false;
    for (int i = 0; i < rounds && !all; ++i) {
        int one = 1;
        w->groupFinite = passes(w, g, span, rung);
        if (!w->groupFinite) return false;
        w->groupStays = plImpact_Stays(w, g);
        all = w->groupStays || !plGroup_IsStrict(w, g) || isRough(w, rung) ||
              !isIncomplete(w, g, span.T, &one, true);
    }
    return all;
}

// The trial, with deep contacts lifted at a share of the speed at which they may be; false: it is not as it should be.
static bool tryLift(plWorld* w, plGroup* g, plSpan span, const plRung* rung, double share)
{
    const bool strict = plGroup_IsStrict(w, g);
    w->system.lift = share * plLiftSpeed * span.T;
    if (!passesWithAll(w, g, span, rung)) return false;
    if (w->groupStays) return true;
    if (strict && !isRough(w, rung) && isDizzy(w, g)) return false;
    if (strict && isOpen(w, g, span.T, rung)) return false;
    w->groupFinite = audit(w, g, span.T, rung->level);
    return w->groupFinite && (!strict || plGuard_Balances(w, g));
}

// What is deep is lifted as far as what the step loses pays for it.
static bool tryLifted(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    const double least = 0.01;
    if (!tryLift(w, g, span, rung, 0)) return false;
    if (w->groupStays) return true;
    const double price = plSatisfy_LiftPrice(w, g, span.T), lost = -plGuard_Rise(w, g);
    if (!(price > 0) || isRough(w, rung) || !(0.9 * lost > least * price)) return true;
    const double share = fmin(1, 0.9 * lost / price);
    return (tryLift(w, g, span, rung, share) && plGuard_Rise(w, g) <= 0) ||
           tryLift(w, g, span, rung, 0);
}

bool plGroup_Try(plWorld* w, plGroup* g, plSpan span, const plRung* rung)
{
    if (!tryLifted(w, g, span, rung)) return false;
    if (w->groupStays || isPassive(w, g, rung)) return true;
    if (!plSatisfy_LetBe(w, g, plGuard_Excess(w, g)) || !tryLifted(w, g, span, rung)) return false;
    return w->groupStays || isPassive(w, g, rung);
}
