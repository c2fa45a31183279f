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
    if (d->calls.sample || !w->law || !w->law->strikes) return false;
    if (!c->coupling.ops->traits.strikes) return false;
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

typedef struct {
    double needed, has; ///< [N s/m], or [N m s/rad]
    bool turns;
} Damping;

// The axis of a simulated handle whose damping is farthest from what its coupling needs in the longest
// step. Axes that are locked, or that the device gives nothing about, cannot be shaken.
static bool isShaken(const plWorld* w, int index, Damping* worst)
{
    const plWorldCoupling* c = &w->couplings[index];
    const plWorldDevice* d = &w->devices[c->device];
    double needed[6], masses[6], limits[6];
    if (d->calls.sample || d->simulated.def.cutaneous) return false;
    plWorld_DampingNeeded(w, (plCouplingId){(uint32_t)index + 1, 1}, w->def.step, needed);
    plSimulated_Masses(&d->simulated, masses);
    plPut3(d->forceLimit, limits);
    plPut3(d->torqueLimit, limits + 3);
    *worst = (Damping){0};
    for (int i = 0; i < 6; ++i) {
        const bool turns = i >= 3;
        const double has = turns ? d->simulated.def.turnDamping : d->simulated.def.damping;
        if (isinf(masses[i]) || limits[i] == 0 || needed[i] <= has) continue;
        if (worst->needed == 0) *worst = (Damping){needed[i], has, turns};
    }
    return worst->needed > 0;
}

static int tellShaken(const plWorld* w, const plWorldCoupling* c, const Damping* x, char* text,
                      size_t size)
{
    const char* unit = x->turns ? "N m s/rad" : "N s/m";
    const char* device = w->devices[c->device].name;
    const bool isGrip = c->coupling.ops->traits.grips;
    if (isinf(x->needed)) {
        return snprintf(text, size,
                        "the held spring of %s may shake %s, whatever damping the device has: the "
                        "tool has none (give the coupling %s, or scale 0)",
                        c->name, device, x->turns ? "turnDamping" : "damping");
    }
    return snprintf(
        text, size,
        "the held spring of %s may shake %s: in steps of %g ms it is passive with a "
        "damping of %.3g %s in the device, which has %.3g (lower its %s, or shorten the step)",
        c->name, device, 1e3 * w->def.step, x->needed, unit, x->has,
        isGrip ? "stiffness" : "scale or stiffness");
}

// The tool of a virtual coupling is held fast. In the tick k its hand feels the mean force of the tick before,
//     alpha (K (x_k + x_k-1)/2 + B (x_k - x_k-1)/T),
// held: a sampled wall of stiffness alpha K whose damper is alpha (B - K T/2). Such a wall is passive on a
// device with a damping of K T/2 + |B|                                       (Colgate and Schenkel 1997)
// which is here  b >= alpha max(K T - B, B).  With B of b/alpha, or less, K goes up to (b/alpha + B)/T.
typedef struct {
    double needed, has; ///< [N s/m], or [N m s/rad]
    double K, B;        ///< that would be passive
    bool turns;
} Gain;

static bool exceeds(const plCouplingDef* c, double has, double T, bool turns, Gain* g)
{
    const double K = turns ? c->turnStiffness.z : c->stiffness.x;
    const double B = turns ? c->turnDamping.z : c->damping.x, most = has / c->scale;
    *g = (Gain){.needed = c->scale * fmax(K * T - B, B), .has = has, .turns = turns};
    g->B = fmin(B, most);
    g->K = fmin(K, (most + g->B) / T);
    return g->needed > has * (1 + 1e-9);
}

// Is the coupling above the passive limit of its device, along the axes, or about them? Torques that a
// device does not give shake nothing. What damping a device of the outside has is not known.
static bool isActive(const plWorld* w, const plWorldCoupling* c, Gain* g)
{
    const plCouplingDef* k = &c->coupling.def;
    const plWorldDevice* d = &w->devices[c->device];
    const plDeviceDef* def = &d->simulated.def;
    const bool felt = c->coupling.ops->traits.takes && k->feedback == pl_feedbackMean &&
                      k->scale > 0 && !def->cutaneous && def->kind == pl_deviceHandle;
    if (!felt || d->calls.sample) return false;
    if (exceeds(k, def->damping, w->def.step, false, g)) return true;
    return plNorm(d->torqueLimit) > 0 && exceeds(k, def->turnDamping, w->def.step, true, g);
}

static int tellActive(const plWorld* w, const plWorldCoupling* c, const Gain* g, char* text,
                      size_t size)
{
    const char* way = g->turns ? "N m s/rad" : "N s/m";
    const char* device = w->devices[c->device].name;
    const int used = snprintf(text, size,
                              "the coupling %s is above the passive limit of %s: while its tool is "
                              "held, steps of %g ms ask for %sdamping of %.3g %s in the device, "
                              "which has %.3g; ",
                              c->name, device, 1e3 * w->def.step, g->turns ? "a turning " : "a ",
                              g->needed, way, g->has);
    const size_t at = (size_t)used < size ? (size_t)used : size - 1;
    if (g->has == 0) {
        return used +
               snprintf(text + at, size - at, "without damping in the device no gain is passive");
    }
    return used + snprintf(text + at, size - at, "passive are %s %.3g %s and %s %.3g %s",
                           g->turns ? "turnStiffness" : "stiffness", g->K,
                           g->turns ? "N m/rad" : "N/m", g->turns ? "turnDamping" : "damping", g->B,
                           way);
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
        if (isBare(w, c) && i-- == 0) {
            return snprintf(text, size,
                            "the fingertip %s will feel nothing: its part has no shapes", c->name);
        }
        Damping worst;
        if (isShaken(w, k, &worst) && i-- == 0) return tellShaken(w, c, &worst, text, size);
        Gain gain;
        if (isActive(w, c, &gain) && i-- == 0) return tellActive(w, c, &gain, text, size);
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
