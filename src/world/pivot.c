// What turns on sharp contacts that stick. Coulomb's law lets a box swing on two of its corners for ever; real ones
// are spots of some size, whose friction resists turning. It is taken where contacts have stood for a second, so
// that nothing else is changed by it, and of the whole group, so that what its contacts hold stays held.
#include "world/inside.h"

static const double spotRadius = 5e-4; // [m]
static const double oldEnough = 1;     // [s]

// Flat faces, straight edges and corners: the place where they touch does not roll on.
static bool isSharp(const plWorld* w, const plContact* c)
{
    const plShape *a = w->shapes[c->a], *b = w->shapes[c->b];
    return a && b && a->kind != pl_shapeNurbs && b->kind != pl_shapeNurbs &&
           c->model.radiusA == 0 && c->model.radiusB == 0;
}

static plVec3 spinOf(const plGroup* g, plSite site)
{
    if (site.mechanism.index1 == 0) return plVec(0, 0, 0);
    return plMechanism_Motion(g->mechanisms[site.mechanism.index1 - 1], pl_atStart, site).w;
}

// Work of the spots in the step, as the group moves at its end [J].
static double workOf(const plWorld* w, const plGroup* g)
{
    double work = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[g->contactList[i]];
        if (!(c->p[0] > 0) || c->memory.age * w->now->T < oldEnough) continue;
        if (!isSharp(w, c)) continue;
        const plVec3 turn = plSub(spinOf(g, c->siteA), spinOf(g, c->siteB));
        work += spotRadius * c->p[0] * plNorm(turn);
    }
    return work;
}

double plPivot_Share(const plWorld* w, const plGroup* g)
{
    if (!w->system.gaps || g->linkCount > 0) return 1;
    const double work = workOf(w, g);
    double kinetic = 0;
    if (!(work > 0)) return 1;
    for (int i = 0; i < g->mechanismCount; ++i) {
        kinetic += plMechanism_Kinetic(g->mechanisms[g->mechanismList[i]]);
    }
    return work < kinetic ? sqrt(1 - work / kinetic) : 0;
}
