// The rows of one group: built from its mechanisms, solved, and their geometry brought back.
#include "contact/contact.h"

#include <float.h>
#include <string.h>

plStatus plSystem_Create(plSystem* s, int capacity, plArena* arena)
{
    const size_t n = (size_t)capacity;
    *s = (plSystem){.capacity = capacity};
    s->rows = plArena_Alloc(arena, n, sizeof *s->rows);
    s->W = plArena_Alloc(arena, n * n, sizeof(double));
    s->N = plArena_Alloc(arena, n * n, sizeof(double));
    s->pivot = plArena_Alloc(arena, n, sizeof *s->pivot);
    s->p = plArena_Alloc(arena, n, sizeof(double));
    s->u = plArena_Alloc(arena, n, sizeof(double));
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

plStatus plSystem_Fit(plSystem* s, int n, plArena* arena)
{
    if (n <= s->workSize) return pl_statusOk;
    double* work = plArena_Alloc(arena, (size_t)n * (size_t)s->capacity, sizeof(double));
    if (!work) return pl_statusCapacity;
    s->work = work;
    s->workSize = n;
    return pl_statusOk;
}

static plLink* linkOf(const plGroup* g, int i) { return &g->links[g->linkList[i]]; }
static plMechanism* mechanismOf(const plGroup* g, int i)
{
    return g->mechanisms[g->mechanismList[i]];
}

static void respond(plSystem* s, const plGroup* g, plResponse response)
{
    memset(s->W, 0, (size_t)(s->rowCount * s->rowCount) * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Delassus(mechanismOf(g, i), response, s->rows, s->rowCount, s->W, s->rowCount,
                             s->work);
    }
}

static double rowVelocity(const plGroup* g, plWhen when, const plRow* row)
{
    double u = 0;
    const plSite sites[2] = {row->a, row->b};
    for (int i = 0; i < 2; ++i) {
        if (sites[i].mechanism.index1 == 0) continue;
        u += plMechanism_RowVelocity(g->mechanisms[sites[i].mechanism.index1 - 1], when, row);
    }
    return u;
}

static double rowMove(const plGroup* g, const plRow* row)
{
    double move = 0;
    const plSite sites[2] = {row->a, row->b};
    for (int i = 0; i < 2; ++i) {
        if (sites[i].mechanism.index1 == 0) continue;
        move += plMechanism_RowMove(g->mechanisms[sites[i].mechanism.index1 - 1], row);
    }
    return move;
}

bool plSystem_Solve(plSystem* s, const plGroup* g, plPass pass)
{
    s->rowCount = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink_Rows(linkOf(g, i), g->mechanisms, pass.at, &s->rows[s->rowCount]);
        s->rowCount += linkOf(g, i)->rowCount;
    }
    const int n = s->rowCount;
    if (n == 0) return true;
    respond(s, g, pl_responseStep);
    memcpy(s->N, s->W, (size_t)(n * n) * sizeof(double));
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k) {
            link->uStart[k] = rowVelocity(g, pl_atStart, &s->rows[row + k]);
        }
        plLink_Equation(link, pass.T, &s->W[row * (n + 1)], n + 1);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            s->N[row * (n + 1)] += link->R[k];
            s->p[row] = link->c[k] - rowVelocity(g, pl_atFree, &s->rows[row]);
        }
    }
    const bool regular = plLu_Factor(s->N, n, s->pivot);
    if (regular) {
        plLu_Solve(s->N, n, s->pivot, s->p);
    } else {
        memset(s->p, 0, (size_t)n * sizeof(double));
    }
    return regular;
}

double plSystem_Refine(plSystem* s, const plGroup* g)
{
    const int n = s->rowCount;
    double miss = 0, size = 0;
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            s->u[row] = link->c[k] - link->R[k] * s->p[row] - link->u[k];
            miss = fmax(miss, fabs(s->u[row]));
            size = fmax(size, fmax(fabs(link->uStart[k]), fabs(link->u[k])));
        }
    }
    plLu_Solve(s->N, n, s->pivot, s->u);
    for (int i = 0; i < n; ++i) s->p[i] += s->u[i];
    return size > 0 ? miss / size : 0;
}

void plSystem_Recover(plSystem* s, const plGroup* g, double T)
{
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            link->p[k] = s->p[row];
            link->u[k] = rowVelocity(g, pl_atEnd, &s->rows[row]);
            link->move[k] = rowMove(g, &s->rows[row]);
        }
        plLink_Target(link, T, plLink_Exact(link, g->mechanisms));
    }
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
static void soften(plSystem* s, const plGroup* g)
{
    const int n = s->rowCount;
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
    const int n = s->rowCount;
    double tight, worst = stretchError(s, g, &tight);
    if (n == 0 || tight <= 1) return worst;
    respond(s, g, pl_responseShift);
    soften(s, g);
    if (!plLu_Factor(s->W, n, s->pivot)) return worst;
    for (int round = 0; round < rounds && tight > 1 && isfinite(worst); ++round) {
        plLu_Solve(s->W, n, s->pivot, s->u);
        for (int i = 0; i < g->mechanismCount; ++i) {
            plMechanism_Displace(mechanismOf(g, i), s->rows, n, s->u,
                                 &energies[g->mechanismList[i]]);
        }
        worst = stretchError(s, g, &tight);
    }
    return worst;
}
