// One tick. The picture of the architecture, one call per arrow.
#include "world/inside.h"

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

bool plWorld_HasSoft(const plWorld* w) { return w->system.set.local != NULL; }

// Factors of dynamic soft bodies belong to one step.
static bool mayStep(const plWorld* w, double T)
{
    bool may = T > 0 && isfinite(T);
    for (int i = 0; plWorld_HasSoft(w) && i < w->mechanismCount; ++i) {
        const double fixed = plMechanism_Traits(w->mechanisms[i])->fixedStep;
        may = may && (fixed == 0 || fabs(T - fixed) <= 1e-9 * fixed);
    }
    return may;
}

// --- what the tick may cost

// The first tick finds all contacts at once, without impulses to begin with, and before a hand feels anything: cut off,
// it would leave depth that costs more in every tick after it.
static double budgetOf(const plWorld* w, double T)
{
    const double times = w->now->tick == 0 ? 20 : 1;
    return w->def.budget > 0 ? times * w->def.budget * T : (double)INFINITY;
}

// What is left is shared among the groups that are left, by their bodies and contacts: those that are light take
// little of their share, and leave the rest to the others.
static double weightOf(const plGroup* g) { return g->mechanismCount + g->contactCount; }

static void stepGroups(plWorld* w, double T)
{
    plBudget* b = &w->work.budget;
    const double all = budgetOf(w, T);
    double weight = 0;
    *b = (plBudget){.spent = plShapes_Cost(w)};
    for (int i = 0; i < w->groupCount; ++i) {
        const plGroup g = plGroups_At(w, i);
        weight += weightOf(&g);
    }
    for (int i = 0; i < w->groupCount; ++i) {
        const plGroup g = plGroups_At(w, i);
        b->most = b->spent + fmax(0, all - b->spent) * weightOf(&g) / weight;
        weight -= weightOf(&g);
        plGroup_Step(w, &g, T);
    }
    if (b->cut) w->report.trouble |= pl_troubleBudget;
    w->report.spent = b->spent;
    *b = (plBudget){.most = INFINITY}; // what asks between ticks is bounded by itself
}

void plWorld_Step(plWorld* w, double T)
{
    w->report = (plStepReport){.T = T};
    if (!mayStep(w, T)) {
        w->report.trouble = pl_troubleBadStep;
        plEvents_Forget(w);
        plWorld_Rest(w);
        return;
    }
    command(w, T);
    plDevices_Sample(w);
    plShapes_Collide(w, T);
    plGroups_Sort(w);
    plEvents_Open(w);
    w->report.groups = w->groupCount;
    w->contactEnergy = (plEnergy){0};
    w->spent = 0;
    stepGroups(w, T);
    w->now->time += T;
    w->now->T = T;
    ++w->now->tick;
    plContacts_Keep(&w->contacts);
    plEvents_Close(w);
    plLedger_Close(w);
    plDevices_Write(w, T);
}
