// The guard: every owner keeps a balance of what its approximate potentials created. A group whose
// sum would turn positive is not allowed to keep its step. After a step that is kept, members in
// debt are paid by the others, so that every balance is at most round-off and any later grouping of
// the members is as safe.                                                       (pmi spec 9)
#include "world/inside.h"

static double created(const plEnergy* e) { return e->leak + e->drift - e->paid; }

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

typedef struct {
    double balance; ///< of leaks, with this tick's
    double created; ///< in this tick
    double scale;   ///< of the terms: the sums are known no better than to round-off of it
    double alive;   ///< kinetic and elastic energy
} Sum;

static void addTo(Sum* sum, const plOwner* owner, const plEnergy* e)
{
    sum->balance += owner->leaks + created(e);
    sum->created += created(e);
    sum->scale += e->kinetic0 + e->kinetic1 + fabs(e->potential0) + fabs(e->potential1);
    sum->alive += e->kinetic0 + e->kinetic1 + e->elastic0;
}

static Sum sumOf(const plWorld* w, const plGroup* g)
{
    Sum sum = {0};
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        addTo(&sum, &w->mechanismOwners[k], &w->mechanismEnergies[k]);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        const int k = g->linkList[i];
        addTo(&sum, &w->linkOwners[k], &w->linkEnergies[k]);
    }
    return sum;
}

double plGuard_Excess(const plWorld* w, const plGroup* g)
{
    // A balance may hold the round-off of livelier days: only what this tick created is its fault.
    const Sum sum = sumOf(w, g);
    if (sum.balance <= 1e-14 * sum.scale || sum.created <= 1e-15 * sum.scale) return 0;
    return fmin(sum.balance, sum.created);
}

bool plGuard_Lost(const plWorld* w, const plGroup* g)
{
    const Sum sum = sumOf(w, g);
    return -sum.created > sum.alive + 1e-12 * sum.scale;
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

static void settle(plOwner* owner, double debt, double credit)
{
    owner->leaks *= owner->leaks > 0 ? debt : credit;
}

// Also where debts are the larger ones, by round-off or because the guard is off: a debt that its
// creditors do not pay would stay with its owner when the group parts, and they could spend it again.
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
    if (debt == 0 || credit == 0) return;
    const double paid = fmin(debt, credit), debtLeft = 1 - paid / debt;
    const double creditLeft = 1 - paid / credit;
    for (int i = 0; i < g->mechanismCount; ++i) {
        settle(&w->mechanismOwners[g->mechanismList[i]], debtLeft, creditLeft);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        settle(&w->linkOwners[g->linkList[i]], debtLeft, creditLeft);
    }
}
