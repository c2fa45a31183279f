// The energy of a world together with its devices and couplings, and the energy that it may have. The
// boundary lies where hands hold the devices:
//
//   world     E_w = E_w0 + applied_w - lost_w          lost_w = dissipated - rows - integrator - leak
//                                                               - drift - residual
//   device    E_d = E_d0 + applied_d - lost_d          the same; applied_d is the work of the hand
//   coupling  gives `given` to the world, which is a part of applied_w, and stores E_c in its springs
//
//   energy    E_w + sum E_d + sum E_c
//   applied   applied_w - sum given + sum applied_d
//   lost      lost_w + sum lost_d - sum (given + E_c - E_c0)
//
// With these, energy = start + applied - lost holds at every tick. Passive means that lost >= 0: the
// passivity observer of Hannaford and Ryu 2002 at the hand, which also counts the energy of the tool.
#include "world/inside.h"

static double lostBy(const plAccount* a)
{
    return a->dissipated - a->rows - a->integrator - a->leak - a->drift - a->residual;
}

// Motors of a grip have a supply of their own, and a cutaneous device moves nothing.
static bool isPort(const plWorldCoupling* c) { return c->coupling.ops->traits.moves; }

static bool counts(const plWorld* w, int device)
{
    for (int i = 0; i < w->couplingCount; ++i) {
        if (w->couplings[i].device == device && !isPort(&w->couplings[i])) return false;
    }
    return true;
}

static bool worksOnTool(const plCoupling* c) { return c->ops->traits.appliesAll; }

// A four-channel controller gives the tool the hand's force besides its own, and a direct one moves the
// tool as a frame: both are all that was applied to the tool. Two that share a tool count once. Drives
// on such a tool cannot be told apart from its coupling.
static double workOnTool(const plWorld* w, int index)
{
    const uint32_t tool = w->couplings[index].coupling.def.tool.mechanism.index1;
    for (int i = 0; i < index; ++i) {
        const plCoupling* c = &w->couplings[i].coupling;
        if (worksOnTool(c) && c->def.tool.mechanism.index1 == tool) return 0;
    }
    return tool > 0 ? w->mechanismOwners[tool - 1].account.applied : 0;
}

// Of a scaled coupling the hand gives its share of the work, and an amplifier the rest.
static double givenBy(const plWorld* w, int index)
{
    const plCoupling* c = &w->couplings[index].coupling;
    plPort port = {0};
    if (worksOnTool(c)) return workOnTool(w, index);
    plWorld_Port(w, (plCouplingId){(uint32_t)index + 1, 1}, &port);
    return c->def.scale * port.tool;
}

// Of an external device only the work of the written forces is known: that is what its hand got.
static void addDevice(plBalance* b, const plWorldDevice* d)
{
    const plAccount* a = d->account;
    b->kinetic += a->kinetic;
    b->applied += d->calls.sample ? -a->rows : a->applied;
    b->lost += lostBy(a);
}

static void addCoupling(plBalance* b, const plWorld* w, int index)
{
    const plCouplingState* x = w->couplings[index].coupling.state;
    const double given = givenBy(w, index);
    b->potential += x->stored;
    b->applied -= given;
    b->lost -= given + x->stored - x->storedAtReset;
}

plBalance plWorld_Balance(const plWorld* w)
{
    const plAccount* total = &w->now->total;
    plBalance b = {total->kinetic, total->potential, total->applied, lostBy(total)};
    for (int i = 0; i < w->deviceCount; ++i) {
        if (counts(w, i)) addDevice(&b, &w->devices[i]);
    }
    for (int i = 0; i < w->couplingCount; ++i) {
        if (counts(w, w->couplings[i].device)) addCoupling(&b, w, i);
    }
    return b;
}
