// Positions of one group behind its tick: links closed, and contacts that are too deep shifted out.
#include "contact/system.h"

#include <float.h>
#include <string.h>

// --- positions: links

// The set of rows becomes that of the links alone.
static void onlyLinks(plSystem* s, const plGroup* g)
{
    s->set.count = plSystem_LinkRows(g);
    memcpy(s->set.rows, s->linkRows, (size_t)s->set.count * sizeof *s->set.rows);
    plRowSet_Share(&s->set, g);
}

// s->u = target - geometry of every row; returns the largest, and in `tight` the worst in units of
// the round-off of positions.
static double stretchError(plSystem* s, const plGroup* g, double* tight)
{
    double worst = 0;
    int row = 0;
    *tight = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        double d[6];
        plLink_Geometry(link, g->mechanisms, pl_atEnd, d);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            s->u[row] = link->target[k] - d[k];
            worst = fmax(worst, fabs(s->u[row]));
            *tight = fmax(*tight, fabs(s->u[row]) / (DBL_EPSILON * (1 + fabs(d[k]))));
        }
    }
    return worst;
}

// Redundant rows share the shift, and rows that cannot move ask for none.
static void softenLinks(plSystem* s, const plGroup* g)
{
    const int n = s->set.count;
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        double* diagonal = &s->W[row * (n + 1)];
        double yield[6];
        for (int k = 0; k < link->rowCount; ++k) {
            yield[k] = plLink_Yield(link, k, diagonal, n + 1);
        }
        for (int k = 0; k < link->rowCount; ++k, ++row) diagonal[k * (n + 1)] += 1e-10 * yield[k];
    }
}

double plSystem_Project(plSystem* s, const plGroup* g, plEnergy* energies)
{
    enum { rounds = 3 };
    double tight, worst = stretchError(s, g, &tight);
    if (g->linkCount == 0 || tight <= 1) return worst;
    onlyLinks(s, g);
    const int n = s->set.count;
    plRowSet_Dense(&s->set, g, pl_responseShift, s->W);
    softenLinks(s, g);
    if (!plLu_Factor(s->W, n, s->pivot)) return worst;
    for (int round = 0; round < rounds && tight > 1 && isfinite(worst); ++round) {
        plLu_Solve(s->W, n, s->pivot, s->u);
        plRowSet_Displace(&s->set, g, s->u, energies);
        worst = stretchError(s, g, &tight);
    }
    return worst;
}

// --- positions: contacts

plSpace* plSystem_Shift(plSystem* s, const plGroup* g, double T, double rate, double slop)
{
    // A leap would be no shift any more; and links must be able to follow.
    const double most = T * (g->linkCount > 0 ? 0.1 : 1), near = 1e-3 * slop;
    plSpace* space = plSystem_IsDense(s, g) ? &s->shift : &s->sparseShift;
    double deepest = 0;
    int n = 0;
    for (int i = 0; i < g->contactCount && n < space->capacity; ++i) {
        const plContact* c = contactOf(g, i);
        const double depth = -plContact_EndGap(c, g->mechanisms, pl_atEnd);
        if (c->soft || !(depth > slop)) continue; // soft: the law has taken it back already
        deepest = fmax(deepest, depth);
        s->set.rows[n] = (plRow){.a = c->siteA, .b = c->siteB, .lin = c->n};
        space->uFree[n] = space->uStart[n] = -fmin(rate * (depth - slop), most);
        space->pair[n] = (plPair){0};
        ++n;
    }
    if (n == 0 || deepest <= slop + near) return NULL;
    s->set.count = n;
    plRowSet_Share(&s->set, g);
    space->count = n;
    if (space->W) {
        plRowSet_Dense(&s->set, g, pl_responseShift, space->W);
    } else {
        plRowSet_Sparse(&s->set, g, pl_responseShift, space);
    }
    space->thin = s->thin;
    plSystem_Soften(space);
    return space;
}

void plSystem_Displace(plSystem* s, const plGroup* g, const double* z, plEnergy* energies)
{
    plRowSet_Displace(&s->set, g, z, energies);
}
