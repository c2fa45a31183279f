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
static void softenLinks(plSystem* s, const plGroup* g, double softness)
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
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            diagonal[k * (n + 1)] += softness * yield[k];
        }
    }
}

static bool factorShift(plSystem* s, const plGroup* g, double softness)
{
    plRowSet_Dense(&s->set, g, pl_responseShift, s->W);
    softenLinks(s, g, softness);
    return plLu_Factor(s->W, s->set.count, s->pivot);
}

// Back by the shift that is kept.
static void takeBack(plSystem* s, const plGroup* g, double* shift, plEnergy* energies)
{
    for (int i = 0; i < s->set.count; ++i) shift[i] = -shift[i];
    plRowSet_Displace(&s->set, g, shift, energies);
}

// Two points that join the same two bodies are six rows on five freedoms. What they want to differ by
// along their line no shift can give; but where the bodies' lines are not quite parallel, W says that
// a turn would, a large one, and 4e-7 m become 0.4 m in three rounds. A shift that leaves more than
// there was, round-off apart, is taken back, and found again with rows that insist less: those that can
// move still do.
// Trials end with links closed to 1e-12, and what is less is left alone: shifts have a price of either sign in springs,
// of which the guard takes the positive one in every tick.
double plSystem_Project(plSystem* s, const plGroup* g, plEnergy* energies)
{
    ++s->trial;
    enum { rounds = 3 };
    const double firmest = 1e-10, softest = 0.1, agreed = 1e-12 / DBL_EPSILON;
    double tight, worst = stretchError(s, g, &tight), softness = firmest;
    if (g->linkCount == 0 || tight <= agreed) return worst;
    double* shift = s->response; // free until the next Build
    onlyLinks(s, g);
    bool good = factorShift(s, g, softness);
    for (int round = 0; good && round < rounds && tight > 1 && isfinite(worst);) {
        const double before = worst;
        plLu_Solve(s->W, s->set.count, s->pivot, s->u);
        memcpy(shift, s->u, (size_t)s->set.count * sizeof(double));
        plRowSet_Displace(&s->set, g, shift, energies);
        worst = stretchError(s, g, &tight);
        if (tight <= 16 || !(worst > 1.1 * before)) {
            ++round;
            continue;
        }
        takeBack(s, g, shift, energies);
        worst = stretchError(s, g, &tight);
        softness *= 100;
        good = softness <= softest && factorShift(s, g, softness);
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
        plRowSet_Sparse(&s->set, g, pl_responseShift, NULL, space);
    }
    space->thin = s->thin;
    plSystem_Soften(space);
    return space;
}

void plSystem_Displace(plSystem* s, const plGroup* g, const double* z, plEnergy* energies)
{
    ++s->trial;
    plRowSet_Displace(&s->set, g, z, energies);
}
