// The ledger: every joule has an owner. Stored energies are read from the committed state, all other
// entries come from the balance of the trial; the residual is what is left between them.
#include "world/inside.h"

#include <string.h>

static void close(plAccount* a, double kinetic, double potential, const plEnergy* e)
{
    const double before = a->kinetic + a->potential;
    const double given = e->applied + e->rows + e->integrator + e->leak + e->drift - e->dissipated;
    const double residual = (kinetic + potential) - before - given;
    a->kinetic = kinetic;
    a->potential = potential;
    a->applied += e->applied;
    a->rows += e->rows;
    a->dissipated += e->dissipated;
    a->integrator += e->integrator;
    a->leak += e->leak;
    a->drift += e->drift;
    a->residual += residual;
    a->worst = fmax(a->worst, fabs(residual));
}

static void addEnergy(plEnergy* all, const plEnergy* e)
{
    all->applied += e->applied;
    all->rows += e->rows;
    all->dissipated += e->dissipated;
    all->integrator += e->integrator;
    all->leak += e->leak;
    all->drift += e->drift;
}

// Walls are found anew in every tick; what they then store more or less than the last tick left in
// them, their geometry created, or who changed them from outside has given.
static void closeContacts(plWorld* w, plEnergy* all)
{
    plAccount* a = &w->now->contacts;
    plEnergy* e = &w->contactEnergy;
    *(w->now->adjusted > 0 ? &e->applied : &e->leak) = e->potential0 - a->potential;
    w->now->adjusted = 0;
    close(a, 0, e->potential1, e);
    addEnergy(all, e);
    const double lasts = 1; // half of what was lost is forgotten after that [s]
    w->now->tank = fmax(0, w->now->tank + e->dissipated - w->spent) * exp2(-w->now->T / lasts);
}

// Whatever placed a body before this tick is in the total already, as energy and as applied.
static void noteRise(plWorld* w, double energy, double applied)
{
    plAccount* total = &w->now->total;
    w->report.rise = energy - (total->kinetic + total->potential) - applied;
    total->rise = fmax(total->rise, w->report.rise);
}

void plLedger_Close(plWorld* w)
{
    plEnergy all = {0};
    double kinetic = 0, potential = 0;
    for (int i = 0; i < w->mechanismCount; ++i) {
        const double k = plMechanism_Kinetic(w->mechanisms[i]);
        const double p = plMechanism_Potential(w->mechanisms[i]);
        close(&w->mechanismOwners[i].account, k, p, &w->mechanismSums[i]);
        addEnergy(&all, &w->mechanismSums[i]);
        kinetic += k;
        potential += p;
    }
    for (int i = 0; i < w->linkCount; ++i) {
        const double p = plLink_Stored(&w->links[i], w->links[i].d);
        close(&w->linkOwners[i].account, 0, p, &w->linkSums[i]);
        addEnergy(&all, &w->linkSums[i]);
        potential += p;
    }
    closeContacts(w, &all);
    potential += w->now->contacts.potential;
    noteRise(w, kinetic + potential, all.applied);
    close(&w->now->total, kinetic, potential, &all);
}

void plEnergy_Add(plEnergy* sum, const plEnergy* e)
{
    addEnergy(sum, e);
    sum->kinetic1 = e->kinetic1;
    sum->potential1 = e->potential1;
}

void plLedger_Slow(plWorld* w, const plGroup* g, double share)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        const double kinetic = plMechanism_Kinetic(w->mechanisms[k]);
        w->mechanismEnergies[k] =
            (plEnergy){.kinetic0 = kinetic, .leak = -(1 - share * share) * kinetic};
    }
    for (int i = 0; i < g->linkCount; ++i) w->linkEnergies[g->linkList[i]] = (plEnergy){0};
}

void plLedger_Sum(plWorld* w)
{
    plAccount* total = &w->now->total;
    total->kinetic = total->potential = 0;
    for (int i = 0; i < w->mechanismCount; ++i) {
        total->kinetic += w->mechanismOwners[i].account.kinetic;
        total->potential += w->mechanismOwners[i].account.potential;
    }
    for (int i = 0; i < w->linkCount; ++i) {
        total->potential += w->linkOwners[i].account.potential;
    }
    total->potential += w->now->contacts.potential;
}

// In a world that runs, who adds something gives its energy, and who removes it takes it.
static void change(plWorld* w, double energy)
{
    if (w->now->tick > 0) w->now->total.applied += energy;
}

void plLedger_EnterMechanism(plWorld* w, int index)
{
    plAccount* a = &w->mechanismOwners[index].account;
    *a = (plAccount){.kinetic = plMechanism_Kinetic(w->mechanisms[index]),
                     .potential = plMechanism_Potential(w->mechanisms[index])};
    w->now->total.kinetic += a->kinetic;
    w->now->total.potential += a->potential;
    change(w, a->kinetic + a->potential);
}

void plLedger_Leave(plWorld* w, int index)
{
    plOwner* owner = &w->mechanismOwners[index];
    plAccount* total = &w->now->total;
    const double energy = owner->account.kinetic + owner->account.potential;
    memset(owner, 0, sizeof *owner);
    w->mechanismSums[index] = w->mechanismEnergies[index] = (plEnergy){0};
    plLedger_Sum(w);
    total->applied -= energy;
}

void plLedger_EnterLink(plWorld* w, int index)
{
    plAccount* a = &w->linkOwners[index].account;
    *a = (plAccount){.potential = plLink_Stored(&w->links[index], w->links[index].d)};
    w->now->total.potential += a->potential;
    change(w, a->potential);
}

// --- devices: beside the world's total, which ends where their hands reach in

void plLedger_EnterDevice(plWorldDevice* d)
{
    const bool simulated = !d->calls.sample;
    *d->account = (plAccount){.kinetic = simulated ? plSimulated_Kinetic(&d->simulated) : 0};
}

// Who moved it has given what it has more.
void plLedger_PlaceDevice(plWorldDevice* d)
{
    const double kinetic = plSimulated_Kinetic(&d->simulated);
    d->account->applied += kinetic - d->account->kinetic;
    d->account->kinetic = kinetic;
}

void plLedger_CloseDevice(plWorldDevice* d, const plDeviceEnergy* e)
{
    const plEnergy given = {.applied = e->applied,
                            .rows = e->rows,
                            .dissipated = e->dissipated,
                            .integrator = e->integrator};
    close(d->account, e->kinetic, 0, &given);
}

// --- from outside

static void place(plAccount* a, double kinetic, double potential)
{
    a->applied += kinetic + potential - (a->kinetic + a->potential);
    a->kinetic = kinetic;
    a->potential = potential;
}

// The links of the mechanism take the new geometry; all of it is work of the outside.
void plLedger_Place(plWorld* w, int mechanism)
{
    plAccount* total = &w->now->total;
    const double before = total->kinetic + total->potential;
    place(&w->mechanismOwners[mechanism].account, plMechanism_Kinetic(w->mechanisms[mechanism]),
          plMechanism_Potential(w->mechanisms[mechanism]));
    for (int i = 0; i < w->linkCount; ++i) {
        plLink* link = &w->links[i];
        if ((int)link->a.mechanism.index1 - 1 != mechanism &&
            (int)link->b.mechanism.index1 - 1 != mechanism) {
            continue;
        }
        plLink_Geometry(link, w->mechanisms, pl_atStart, link->d);
        place(&w->linkOwners[i].account, 0, plLink_Stored(link, link->d));
    }
    plLedger_Sum(w);
    total->applied += total->kinetic + total->potential - before;
}

// Before the first tick there is nothing to change: a world is being made.
void plLedger_Adjust(plWorld* w) { w->now->adjusted = w->now->tick > 0; }

plAccount plWorld_Ledger(const plWorld* w) { return w->now->total; }

// The stretch that it has now; what that brings or takes is work of the outside.
void plLedger_PlaceLink(plWorld* w, int index)
{
    plAccount* total = &w->now->total;
    const double before = total->potential;
    place(&w->linkOwners[index].account, 0, plLink_Stored(&w->links[index], w->links[index].d));
    w->linkSums[index] = (plEnergy){0};
    plLedger_Sum(w);
    total->applied += total->potential - before;
}

plStatus plWorld_MechanismLedger(const plWorld* w, plMechanismId id, plAccount* account)
{
    const plStatus status = plWorld_Look(w, id);
    if (status != pl_statusOk) return status;
    *account = w->mechanismOwners[id.index1 - 1].account;
    return pl_statusOk;
}

plStatus plWorld_LinkLedger(const plWorld* w, plLinkId id, plAccount* account)
{
    const plStatus status = plWorld_LookLink(w, id);
    if (status != pl_statusOk) return status;
    *account = w->linkOwners[id.index1 - 1].account;
    return pl_statusOk;
}

plAccount plWorld_ContactLedger(const plWorld* w) { return w->now->contacts; }
double plWorld_Tank(const plWorld* w) { return w->now->tank; }

static void reset(plAccount* a)
{
    *a = (plAccount){.kinetic = a->kinetic, .potential = a->potential};
}

static void resetOwner(plOwner* owner) { reset(&owner->account); }

// What a port has not yet seen of the last tick belongs to the time before.
static void resetPort(plCouplingState* x)
{
    x->workTool = x->workDevice = x->known = 0;
    x->storedAtReset = x->stored;
}

void plWorld_ResetLedger(plWorld* w)
{
    for (int i = 0; i < w->mechanismCount; ++i) resetOwner(&w->mechanismOwners[i]);
    for (int i = 0; i < w->linkCount; ++i) resetOwner(&w->linkOwners[i]);
    for (int i = 0; i < w->deviceCount; ++i) reset(w->devices[i].account);
    for (int i = 0; i < w->couplingCount; ++i) resetPort(w->couplings[i].coupling.state);
    reset(&w->now->contacts);
    w->now->total = (plAccount){0};
    plLedger_Sum(w);
}
