// One tick. The picture of the architecture, one call per arrow.
#include "world/inside.h"

#include <string.h>

// --- outer forces, held over the step at their value in the middle of it

static double driveValue(const plDriveDef* d, double t)
{
    if (t < d->start || t >= d->stop) return 0;
    return d->bias + d->amplitude * sin(2 * PL_PI * d->frequency * t + d->phase);
}

static void command(plWorld* w, double T)
{
    for (int i = 0; i < w->driveCount; ++i) {
        const plDriveDef* d = &w->drives[i];
        plMechanism* m = w->mechanisms[d->site.mechanism.index1 - 1];
        const double s = driveValue(d, w->now->time + 0.5 * T);
        if (d->coordinate >= 0) {
            plMechanism_AddEffort(m, d->coordinate, s * d->effort);
        } else {
            plMechanism_AddForce(
                m, d->site, (plWrench){plScale(s, d->wrench.force), plScale(s, d->wrench.torque)});
        }
    }
}

// --- one pass of one group

static void begin(plWorld* w, const plGroup* g, plPass pass)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (!plMechanism_Begin(g->mechanisms[g->mechanismList[i]], pass)) {
            w->report.trouble |= pl_troubleNotConverged;
        }
    }
}

static bool advance(plWorld* w, const plGroup* g, double T)
{
    bool finite = true;
    if (!plSystem_Advance(&w->system, g, T)) w->report.trouble |= pl_troubleNotConverged;
    for (int i = 0; i < g->mechanismCount; ++i) {
        finite = plMechanism_Finite(g->mechanisms[g->mechanismList[i]]) && finite;
    }
    return finite;
}

// Once against the rounding of W; again while momenta (symplectic) answer by more than W says.
static bool refine(plWorld* w, const plGroup* g, double T, bool finite)
{
    enum { rounds = 4 };
    for (int i = 0; i < rounds && finite; ++i) {
        const double miss = plSystem_Refine(&w->system, g);
        finite = advance(w, g, T);
        if (miss <= 1e-13) break;
    }
    return finite;
}

// What is soft and not of the midpoint has first order anyway, and is met once, if nothing that goes
// with it is of the midpoint.
static bool needsPasses(const plWorld* w, const plGroup* g)
{
    bool needs = g->linkCount > 0, soft = false, exact = false;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        needs = needs || plMechanism_Curved(m);
        soft = soft || plMechanism_IsSoft(m);
        exact = exact || (plMechanism_Integrator(m) == pl_integratorMidpoint &&
                          !plMechanism_IsPrescribed(m));
    }
    return needs && (exact || !soft);
}

static bool onePass(plWorld* w, const plGroup* g, plPass pass)
{
    begin(w, g, pass);
    const bool solved = plSatisfy_Group(w, g, pass);
    return advance(w, g, pass.T) && solved;
}

// Contacts are met where they are, links at the prediction; then all at the mean of start and trial,
// as often as the world says; as printed (no passes) all is met once, where it is. More often, where
// contacts would give energy because the response was not yet that of the trial; the last of these
// with a margin, should that not be found at all.
static bool passes(plWorld* w, const plGroup* g, double T, int level)
{
    enum { more = 6, careful = 2 };
    const bool curved = needsPasses(w, g);
    const int count = curved && w->def.passes > 0 ? w->def.passes : 1;
    const int most = curved ? count + more : count;
    const bool still = count == 1 && (g->contactCount > 0 || w->def.passes == 0);
    plPass pass = {.T = T,
                   .at = still ? pl_lineariseStart : pl_linearisePrediction,
                   .level = level,
                   .follows = w->law && w->law->returns};
    bool finite = true;
    w->work.turns = count;
    for (int i = 0; i < most && finite; ++i) {
        if (i >= count && !plSatisfy_Gives(w, g, T)) break;
        w->groupCareful = i >= count && i >= most - careful;
        finite = onePass(w, g, pass);
        pass.at = pl_lineariseTrial;
        if (i + 1 >= count && g->linkCount > 0) finite = refine(w, g, T, finite);
        w->report.passes = i + 1 > w->report.passes ? i + 1 : w->report.passes;
    }
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
        if (isinf(link->K[k])) w->report.gap = fmax(w->report.gap, error);
        if (isinf(link->K[k]) && error > 1e-6) w->report.trouble |= pl_troubleApart;
        if (error <= 1e-12 * (1 + fabs(d[k]))) d[k] = link->target[k]; // they agree
    }
    plLink_Audit(link, T, plLink_Exact(link, w->mechanisms), d, &w->linkEnergies[index]);
    memcpy(link->target, d, sizeof d);
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

// --- a group: climbs the levels until its step creates no energy                  (pmi spec 9)

typedef enum { accepted, tooFar, notFinite } Verdict;

static Verdict attempt(plWorld* w, const plGroup* g, double T, int level)
{
    if (!passes(w, g, T, level) || !audit(w, g, T, level)) return notFinite;
    if (!plGuard_Watches(w, g)) return accepted;
    if (plGuard_Lost(w, g)) return tooFar;
    const double excess = plGuard_Excess(w, g);
    if (excess <= 0) return accepted;
    const double kinetic = plGuard_Kinetic(w, g);
    if (level < plGuard_BrakeLevel(w, g) || excess > 0.5 * kinetic) return tooFar;
    plGuard_Brake(w, g, excess);
    if (excess > 1e-6 * kinetic) w->report.trouble |= pl_troubleGuarded;
    return accepted;
}

static bool stepGroup(plWorld* w, const plGroup* g, double T)
{
    for (int level = 0; level <= plLevelLast; ++level) {
        const plStepReport before = w->report; // what a rejected attempt reports does not count
        const Verdict verdict = attempt(w, g, T, level);
        if (verdict == tooFar) w->report = before;
        w->report.level = level > w->report.level ? level : w->report.level;
        if (level >= plLevelDamped) w->report.trouble |= pl_troubleGuarded;
        if (verdict == accepted) return true;
        if (verdict == notFinite) {
            w->report.trouble |= pl_troubleNotFinite;
            return false;
        }
    }
    w->report.trouble |= pl_troubleStopped;
    return false;
}

// A group whose mass cannot be factored at its new place goes back, too.
static bool commit(plWorld* w, const plGroup* g)
{
    int done = 0;
    bool good = true;
    while (done < g->mechanismCount && good) {
        good = plMechanism_Commit(w->mechanisms[g->mechanismList[done++]]);
    }
    if (good) return true;
    for (int i = 0; i < done; ++i) plMechanism_Revert(w->mechanisms[g->mechanismList[i]]);
    w->report.trouble |= pl_troubleNotFinite;
    return false;
}

static void stand(plWorld* w, const plGroup* g)
{
    plLedger_Stand(w, g);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Stand(w->mechanisms[g->mechanismList[i]]);
    }
}

static void stepAndKeep(plWorld* w, const plGroup* g, double T)
{
    const bool keep = stepGroup(w, g, T) && commit(w, g);
    if (keep) {
        plGuard_Settle(w, g);
    } else {
        stand(w, g);
    }
    plSatisfy_Keep(w, g, keep);
    for (int i = 0; i < g->linkCount; ++i) plLink_Commit(&w->links[g->linkList[i]], keep);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Release(w->mechanisms[g->mechanismList[i]]);
    }
}

bool plWorld_HasSoft(const plWorld* w) { return w->system.set.local != NULL; }

// Factors of dynamic soft bodies belong to one step.
static bool mayStep(const plWorld* w, double T)
{
    bool may = T > 0 && isfinite(T);
    for (int i = 0; plWorld_HasSoft(w) && i < w->mechanismCount; ++i) {
        const double fixed = plMechanism_FixedStep(w->mechanisms[i]);
        may = may && (fixed == 0 || fabs(T - fixed) <= 1e-9 * fixed);
    }
    return may;
}

void plWorld_Step(plWorld* w, double T)
{
    w->report = (plStepReport){.T = T};
    if (!mayStep(w, T)) {
        w->report.trouble = pl_troubleBadStep;
        plWorld_Rest(w);
        return;
    }
    command(w, T);
    plDevices_Sample(w);
    plShapes_Collide(w, T);
    plGroups_Sort(w);
    w->report.groups = w->groupCount;
    w->contactEnergy = (plEnergy){0};
    w->spent = 0;
    for (int i = 0; i < w->groupCount; ++i) {
        const plGroup g = plGroups_At(w, i);
        stepAndKeep(w, &g, T);
    }
    w->now->time += T;
    w->now->T = T;
    ++w->now->tick;
    plContacts_Keep(&w->contacts);
    plLedger_Close(w);
    plDevices_Write(w, T);
}
