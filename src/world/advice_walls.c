// Walls that a device feels directly, and that are stiffer than its damping allows: a spring and damper that are
// sampled and held ask it for K T/2 + B, and for more where the force is late.     (Colgate and Schenkel 1997)
#include "world/inside.h"

#include <stdio.h>

typedef struct {
    const char* name; ///< of the material that stands still
    double K, B;      ///< [N/m], [N s/m]
    double needed;    ///< [N s/m]
} Wall;

static bool standsStill(const plWorld* w, const plCarrier* c)
{
    const uint32_t owner = c->site.mechanism.index1;
    return owner == 0 || !plMechanism_Traits(w->mechanisms[owner - 1])->yields;
}

static bool mayTouch(const plWorld* w, int i, int k)
{
    return w->masks[i][1] & w->masks[k][0] && w->masks[k][1] & w->masks[i][0];
}

// Of all that the tool may touch, what asks for most. Other models of walls have no closed form.
static Wall hardest(const plWorld* w, const plWorldCoupling* c, int delay)
{
    const uint32_t tool = c->coupling.def.tool.mechanism.index1;
    Wall worst = {0};
    for (int i = 0; i < w->shapeCount; ++i) {
        if (w->carriers[i].site.mechanism.index1 != tool) continue;
        for (int k = 0; k < w->shapeCount; ++k) {
            const plCarrier* other = &w->carriers[k];
            if (other->site.mechanism.index1 == tool || !standsStill(w, other) ||
                !mayTouch(w, i, k)) {
                continue;
            }
            const plPair pair =
                plSurfaces_Pair(&w->surfaces, w->carriers[i].material, other->material);
            const double K = pair.stiffness, B = pair.damping;
            const double needed = plSampledDamping(K, B, w->def.step, delay);
            if (pair.wall != pl_wallHold || needed <= worst.needed) continue;
            worst = (Wall){w->materialNames[other->material], K, B, needed};
        }
    }
    return worst;
}

// The least that the device has along an axis that can move.
static double leastDamping(const plWorld* w, const plWorldDevice* d)
{
    double masses[6], least = INFINITY;
    plSimulated_Masses(&d->simulated, masses);
    for (int i = 0; i < (w->def.planar ? 2 : 3); ++i) {
        if (isfinite(masses[i])) least = fmin(least, plWorld_DampingOf(&d->simulated.def, i));
    }
    return least;
}

static double stiffest(double most, double B, double T, int delay, double b)
{
    double low = 0, high = most;
    for (int i = 0; i < 60; ++i) {
        const double K = 0.5 * (low + high);
        *(plSampledDamping(K, B, T, delay) <= b ? &low : &high) = K;
    }
    return low;
}

// Where forces are late, a damper may leave room for more stiffness.
static Wall passiveOf(const Wall* wall, double T, int delay, double b)
{
    enum { dampers = 16 };
    Wall best = {0};
    for (int i = 0; i <= dampers; ++i) {
        const double B = plAdvice_Rounded(fmin(b, wall->B) * i / dampers, false);
        const double K = plAdvice_Rounded(stiffest(wall->K, B, T, delay, b), false);
        if (K > best.K) best = (Wall){NULL, K, B, 0};
    }
    return best;
}

int plAdvice_Walls(const plWorld* w, int coupling, char* text, size_t size)
{
    const plWorldCoupling* c = &w->couplings[coupling];
    const plWorldDevice* d = &w->devices[c->device];
    const double T = w->def.step;
    if (!c->coupling.ops->traits.isTool || !w->law || !w->law->stored) return 0;
    if (d->calls.sample || d->simulated.def.cutaneous) return 0;
    const int delay = plDevices_Delay(d, T);
    const Wall wall = hardest(w, c, delay);
    const double has = leastDamping(w, d);
    if (!(wall.needed > has * (1 + 1e-9))) return 0;
    const Wall passive = passiveOf(&wall, T, delay, has);
    const int used =
        snprintf(text, size,
                 "walls of %s, felt through %s, are above the passive limit of %s: steps of %g ms "
                 "ask for a damping of %g N s/m in the device at each contact, which has %.3g; ",
                 wall.name[0] ? wall.name : "the default material", c->name, d->name, 1e3 * T,
                 plAdvice_Rounded(wall.needed, true), has);
    const size_t at = (size_t)used < size ? (size_t)used : size - 1;
    if (passive.K == 0) {
        return used + snprintf(text + at, size - at,
                               "without damping in the device no wall is passive (palp passivity)");
    }
    return used + snprintf(text + at, size - at,
                           "passive are stiffness %g N/m and damping %g N s/m (palp passivity)",
                           passive.K, passive.B);
}
