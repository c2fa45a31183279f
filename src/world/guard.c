// The passivity guard: the energy that approximate potentials, links and corrections of positions have
// created in a step, summed over the group. It must not be positive in any step, whatever was lost before.
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
    double created; ///< in this step
    double scale;   ///< of the terms: the sums are known no better than to round-off of it
    double alive;   ///< kinetic and elastic energy
} Sum;

static void addTo(Sum* sum, const plEnergy* e)
{
    sum->created += created(e);
    sum->scale += e->kinetic0 + e->kinetic1 + fabs(e->potential0) + fabs(e->potential1);
    sum->alive += e->kinetic0 + e->kinetic1 + e->elastic0;
}

static Sum sumOf(const plWorld* w, const plGroup* g)
{
    Sum sum = {0};
    for (int i = 0; i < g->mechanismCount; ++i) {
        addTo(&sum, &w->mechanismEnergies[g->mechanismList[i]]);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        addTo(&sum, &w->linkEnergies[g->linkList[i]]);
    }
    // Contacts of an exact law lose, or their gaps are not quite what they should be. Depth that multipliers take
    // back is paid by the tank.
    if (g->contactCount > 0 && w->law->levels > 0 && !w->law->returns) {
        sum.created += fmax(0, -w->groupContact.dissipated);
        sum.scale += w->groupScale;
    }
    return sum;
}

double plGuard_Excess(const plWorld* w, const plGroup* g)
{
    const Sum sum = sumOf(w, g);
    return sum.created > 1e-15 * sum.scale ? sum.created : 0;
}

static double gained(const plEnergy* e)
{
    return e->integrator + e->leak + e->drift - e->dissipated;
}

double plGuard_Rise(const plWorld* w, const plGroup* g)
{
    double sum = g->contactCount > 0 ? gained(&w->groupContact) : 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        sum += gained(&w->mechanismEnergies[g->mechanismList[i]]);
    }
    for (int i = 0; i < g->linkCount; ++i) sum += gained(&w->linkEnergies[g->linkList[i]]);
    return sum;
}

bool plGuard_Lost(const plWorld* w, const plGroup* g)
{
    const Sum sum = sumOf(w, g);
    return -sum.created > sum.alive + 1e-12 * sum.scale;
}

// A mass matrix that is nearly singular (bodies of a chain that have flown off) costs all digits. So do energies
// that are so small that they have none [J].
bool plGuard_Balances(const plWorld* w, const plGroup* g)
{
    const double tolerated = 1e-13, least = 1e-290;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plEnergy* e = &w->mechanismEnergies[g->mechanismList[i]];
        const double before = e->kinetic0 + e->potential0, later = e->kinetic1 + e->potential1;
        const double given =
            e->applied + e->rows + e->integrator + e->leak + e->drift - e->dissipated;
        const double scale = e->kinetic0 + e->kinetic1 + fabs(e->potential0) + fabs(e->potential1) +
                             fabs(e->applied) + fabs(e->rows) + e->dissipated +
                             plMechanism_TendonScale(w->mechanisms[g->mechanismList[i]]);
        if (!(fabs(later - before - given) <= tolerated * scale + least)) return false;
    }
    return true;
}

int plGuard_BrakeLevel(const plWorld* w, const plGroup* g)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        if (plMechanism_HasMajorizer(w->mechanisms[g->mechanismList[i]])) return plLevelMajorized;
    }
    return 0;
}

// At a speed of all bodies [m/s or rad/s].
static double kineticAt(const plWorld* w, const plGroup* g, double speed)
{
    double sum = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        sum += 0.5 * speed * speed * plMechanism_MassTrace(w->mechanisms[g->mechanismList[i]]);
    }
    return sum;
}

// Energy below this is not worth a shorter step: 5e-10 of what the group has, and what it would have at a speed of
// 1e-8 m/s or rad/s.
double plGuard_Tolerance(const plWorld* w, const plGroup* g)
{
    return 5e-10 * sumOf(w, g).scale + kineticAt(w, g, 1e-8);
}

double plGuard_Kinetic(const plWorld* w, const plGroup* g)
{
    double kinetic = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        kinetic += w->mechanismEnergies[g->mechanismList[i]].kinetic1;
    }
    return kinetic;
}

// A sampled wall or an explicit integrator gains a share of the energy at the start, and may be used. From w T = 2 on,
// where it is not stable, bodies gain more in a step than there was. A hand that pushes into a wall stores more than
// there was, too, but no body moves faster. Energy of bodies below 1 cm/s is not reported, nor is depth taken back
// (drift). What the law multiplier returns is paid by the tank.
bool plGuard_BlewUp(const plWorld* w, const plGroup* g)
{
    const bool touches = g->contactCount > 0;
    const plEnergy* walls = &w->groupContact;
    if (touches && w->law->returns) return false;
    double before = touches ? walls->potential0 : 0;
    double gain = plGuard_Rise(w, g) - (touches ? walls->drift : 0);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plEnergy* e = &w->mechanismEnergies[g->mechanismList[i]];
        before += e->kinetic0 + e->elastic0;
        gain -= e->drift;
    }
    for (int i = 0; i < g->linkCount; ++i) before += w->linkEnergies[g->linkList[i]].elastic0;
    return fmin(gain, plGuard_Kinetic(w, g)) > before + kineticAt(w, g, 0.01);
}

void plGuard_Brake(plWorld* w, const plGroup* g, double excess)
{
    const double kinetic = plGuard_Kinetic(w, g);
    const double s = excess < kinetic ? sqrt(1 - excess / kinetic) : 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int k = g->mechanismList[i];
        plMechanism_Brake(w->mechanisms[k], s, &w->mechanismEnergies[k]);
    }
}
