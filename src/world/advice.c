// What the papers warn of, said before it happens.
#include "world/inside.h"

#include <stdio.h>

// A collision takes (1 + e) m v from the tool; on a device of less than half its mass that is more than
// twice its momentum, and it leaves faster than it came.                          (iapb spec 0.10)
static bool tooLight(const plWorld* w, const plWorldCoupling* c)
{
    const plWorldDevice* d = &w->devices[c->device];
    if (d->calls.sample || !w->law || !w->law->strikes) return false;
    if (!c->coupling.ops->traits.strikes) return false;
    double mass[6];
    plSimulated_Masses(&d->simulated, mass);
    for (int i = 0; i < (w->def.planar ? 2 : 3); ++i) {
        if (mass[i] < 0.5 * plAdvice_ToolMass(w, c->coupling.def.tool, i)) return true;
    }
    return false;
}

static bool cannotTurn(const plWorld* w, const plWorldCoupling* c)
{
    const plWorldDevice* d = &w->devices[c->device];
    const plCouplingDef* k = &c->coupling.def;
    const bool holds = k->turnStiffness.x + k->turnStiffness.y + k->turnStiffness.z > 0;
    const bool feels = c->coupling.ops->traits.moves && k->scale > 0;
    return holds && feels && plNorm(d->torqueLimit) == 0;
}

// Walls and exact laws have no collision impulses that could be shared out.
static bool limitsNothing(const plWorld* w, const plWorldCoupling* c)
{
    const plLimit limit = c->coupling.def.limit;
    return w->law && !w->law->strikes &&
           (limit == pl_limitScale || limit == pl_limitSpread || limit == pl_limitBank);
}

// A frame yields to nothing: exact laws have nothing to solve where it meets what stands still.
static bool feelsNothing(const plWorld* w, const plWorldCoupling* c)
{
    return c->coupling.ops->traits.isTool && w->law && w->law->exact;
}

// The tool of a unilateral coupling is a frame, too: what moves cannot push it back, and between it and what
// stands still exact laws have no answer. Walls give way, and are felt.
static bool crushes(const plWorld* w, const plWorldCoupling* c)
{
    if (!c->coupling.ops->traits.stops || !w->law || w->law->stored) return false;
    for (int i = 0; i < w->shapeCount; ++i) {
        const uint32_t owner = w->carriers[i].site.mechanism.index1;
        if (owner > 0 && plMechanism_Traits(w->mechanisms[owner - 1])->yields) return true;
    }
    return false;
}

// A fingertip feels contacts of its part only.
static bool isBare(const plWorld* w, const plWorldCoupling* c)
{
    const plSite tool = c->coupling.def.tool;
    for (int i = 0; i < w->shapeCount; ++i) {
        const plSite site = w->carriers[i].site;
        if (site.mechanism.index1 == tool.mechanism.index1 && site.part == tool.part) return false;
    }
    return c->coupling.ops->traits.touches;
}

int plWorld_Advice(const plWorld* w, int i, char* text, size_t size)
{
    for (int k = 0; k < w->couplingCount; ++k) {
        const plWorldCoupling* c = &w->couplings[k];
        const char* device = w->devices[c->device].name;
        if (tooLight(w, c) && i-- == 0) {
            return snprintf(text, size,
                            "the device %s is lighter than half the tool of %s: collision impulses "
                            "will throw it back faster than it came (limit them, or make the tool "
                            "lighter)",
                            device, c->name);
        }
        if (limitsNothing(w, c) && i-- == 0) {
            return snprintf(text, size,
                            "the limit of %s has no effect: only the law impulse has collision "
                            "impulses (take --law impulse, or the device's own limits)",
                            c->name);
        }
        if (feelsNothing(w, c) && i-- == 0) {
            return snprintf(
                text, size,
                "the tool of %s is where its device is, whatever it meets: only walls and "
                "impacts by multipliers push it (take --law penalty or multiplier, or another "
                "coupling)",
                c->name);
        }
        if (crushes(w, c) && i-- == 0) {
            return snprintf(
                text, size,
                "the tool of %s yields to nothing that moves: pressed against a wall, such "
                "a thing is crushed, with any force (take --law penalty or impulse, or a "
                "virtual coupling)",
                c->name);
        }
        if (isBare(w, c) && i-- == 0) {
            return snprintf(text, size,
                            "the fingertip %s will feel nothing: its part has no shapes", c->name);
        }
        for (int turns = 0; turns < 2; ++turns) {
            const int passive = plAdvice_Passive(w, k, turns, text, size);
            if (passive > 0 && i-- == 0) return passive;
            const int stable = plAdvice_Stable(w, k, turns, text, size);
            if (stable > 0 && i-- == 0) return stable;
        }
        const int walls = plAdvice_Walls(w, k, text, size);
        if (walls > 0 && i-- == 0) return walls;
        if (cannotTurn(w, c) && i-- == 0) {
            return snprintf(
                text, size,
                "the device %s gives no torque, but %s holds the tool's orientation: the "
                "hand will not feel it turn (couple a point, without turnStiffness)",
                device, c->name);
        }
    }
    const int used = plAdvice_Bodies(w, &i, text, size);
    return used > 0 ? used : plAdvice_Shapes(w, i, text, size);
}
