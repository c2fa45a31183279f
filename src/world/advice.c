// What the papers warn of, said before it happens.
#include "world/inside.h"

#include <stdio.h>

// Mass of the tool along an axis, as its site resists [kg].
static double massAt(const plWorld* w, plSite site, plVec3 axis)
{
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    const plRow row = {.a = site, .lin = axis};
    double *J = w->system.set.J, *Y = w->system.set.Y;
    plMechanism_Response(m, pl_responseMass, &row, 1, J, Y);
    const double response = plDotN(J, Y, plMechanism_Velocities(m));
    return response > 0 ? 1 / response : HUGE_VAL;
}

// A collision takes (1 + e) m v from the tool; on a device of less than half its mass that is more than
// twice its momentum, and it leaves faster than it came.                          (iapb spec 0.10)
static bool tooLight(const plWorld* w, const plWorldCoupling* c)
{
    const plWorldDevice* d = &w->devices[c->device];
    const plVec3 axes[3] = {plVec(1, 0, 0), plVec(0, 1, 0), plVec(0, 0, 1)};
    if (d->calls.sample || !w->law || w->law != &plImpulseLaw) return false;
    if (c->coupling.def.kind != pl_couplingFourChannel) return false;
    double mass[6];
    plSimulated_Masses(&d->simulated, mass);
    for (int i = 0; i < (w->def.planar ? 2 : 3); ++i) {
        if (mass[i] < 0.5 * massAt(w, c->coupling.def.tool, axes[i])) return true;
    }
    return false;
}

static bool cannotTurn(const plWorld* w, const plWorldCoupling* c)
{
    const plWorldDevice* d = &w->devices[c->device];
    const plCouplingDef* k = &c->coupling.def;
    const bool holds = k->turnStiffness.x + k->turnStiffness.y + k->turnStiffness.z > 0;
    return holds && plNorm(d->torqueLimit) == 0;
}

// Walls and exact laws have no collision impulses that could be shared out.
static bool limitsNothing(const plWorld* w, const plWorldCoupling* c)
{
    const plLimit limit = c->coupling.def.limit;
    return w->law != &plImpulseLaw &&
           (limit == pl_limitScale || limit == pl_limitSpread || limit == pl_limitBank);
}

// A frame yields to nothing: exact laws have nothing to solve where it meets what stands still.
static bool feelsNothing(const plWorld* w, const plWorldCoupling* c)
{
    return c->coupling.def.kind == pl_couplingDirect && w->law != &plPenaltyLaw;
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
            return snprintf(text, size,
                            "the tool of %s is where its device is, whatever it meets: only walls "
                            "push it (take --law penalty, or another coupling)",
                            c->name);
        }
        if (cannotTurn(w, c) && i-- == 0) {
            return snprintf(
                text, size,
                "the device %s gives no torque, but %s holds the tool's orientation: the "
                "hand will not feel it turn (couple a point, without turnStiffness)",
                device, c->name);
        }
    }
    return 0;
}
