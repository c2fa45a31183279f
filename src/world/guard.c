// The guard: every owner keeps a balance of what its approximate potentials created. A group whose
// sum would turn positive is not allowed to keep its step. After a step that is kept, members in
// debt are paid by the others, so that every balance is at most round-off and any later grouping of
// the members is as safe.                                                       (pmi spec 9)
#include "world/inside.h"

static double created(const plEnergy* e) { return e->leak + e->drift; }

bool plGuard_Watches(const plWorld* w, const plGroup* g)
{
    if (!w->def.guard) return false;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        if (plMechanism_Integrator(m) != pl_integratorMidpoint) return false;
    }
    for (int i = 0; i < g->linkCount; ++i) {
        if (!plLink_Exact(&w->links[g->linkList[i]], w->mechanisms)) return false;
    }
    return true;
}

double plGuard_Excess(const plWorld* w, const plGroup* g)
{
    double sum = 0, scale = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        const plEnergy* e = &w->mechanismEnergies[k];
        sum += w->mechanismOwners[k].leaks + created(e);
        scale += e->kinetic0 + e->kinetic1 + fabs(e->potential0) + fabs(e->potential1);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        const int k = g->linkList[i];
        const plEnergy* e = &w->linkEnergies[k];
        sum += w->linkOwners[k].leaks + created(e);
        scale += e->potential0 + e->potential1;
    }
    return sum <= 1e-14 * scale ? 0 : sum; // a sum is known no better than its terms
}

int plGuard_BrakeLevel(const plWorld* w, const plGroup* g)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (plMechanism_HasMajorizer(w->mechanisms[g->mechanismList[i]])) return plLevelMajorized;
    }
    return 0;
}

double plGuard_Kinetic(const plWorld* w, const plGroup* g)
{
    double kinetic = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        kinetic += w->mechanismEnergies[g->mechanismList[i]].kinetic1;
    }
    return kinetic;
}

void plGuard_Brake(plWorld* w, const plGroup* g, double excess)
{
    const double s = sqrt(1 - excess / plGuard_Kinetic(w, g));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        plMechanism_Brake(w->mechanisms[k], s, &w->mechanismEnergies[k]);
    }
}

static void settle(plOwner* owner, double share)
{
    owner->leaks = owner->leaks > 0 ? 0 : owner->leaks * share;
}

void plGuard_Settle(plWorld* w, const plGroup* g)
{
    double debt = 0, credit = 0;
    for (int i = 0; i < g->mechanismCount + g->linkCount; ++i) {
        const bool isLink = i >= g->mechanismCount;
        const int k = isLink ? g->linkList[i - g->mechanismCount] : g->mechanismList[i];
        plOwner* owner = isLink ? &w->linkOwners[k] : &w->mechanismOwners[k];
        owner->leaks += created(isLink ? &w->linkEnergies[k] : &w->mechanismEnergies[k]);
        debt += fmax(0, owner->leaks);
        credit -= fmin(0, owner->leaks);
    }
    if (debt == 0 || debt > credit) return; // round-off, or the guard is off: debts stay visible
    for (int i = 0; i < g->mechanismCount; ++i) {
        settle(&w->mechanismOwners[g->mechanismList[i]], 1 - debt / credit);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        settle(&w->linkOwners[g->linkList[i]], 1 - debt / credit);
    }
}
