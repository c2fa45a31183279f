// The rows of one group: built from its mechanisms, solved, and their geometry brought back.
#include "contact/contact.h"

#include <float.h>
#include <string.h>

plStatus plSystem_Create(plSystem* s, int rows, int mechanisms, plArena* arena)
{
    const size_t n = (size_t)rows, m = (size_t)mechanisms;
    *s = (plSystem){.capacity = rows};
    s->rows = plArena_Alloc(arena, n, sizeof *s->rows);
    s->W = plArena_Alloc(arena, n * n, sizeof(double));
    s->N = plArena_Alloc(arena, n * n, sizeof(double));
    s->pivot = plArena_Alloc(arena, n, sizeof *s->pivot);
    s->p = plArena_Alloc(arena, n, sizeof(double));
    s->u = plArena_Alloc(arena, n, sizeof(double));
    s->slot = plArena_Alloc(arena, m, sizeof *s->slot);
    s->shareFirst = plArena_Alloc(arena, m + 1, sizeof *s->shareFirst);
    s->shareRow = plArena_Alloc(arena, 2 * n, sizeof *s->shareRow);
    s->shareRows = plArena_Alloc(arena, 2 * n, sizeof *s->shareRows);
    s->shareP = plArena_Alloc(arena, n, sizeof(double));
    s->local = plArena_Alloc(arena, n * n, sizeof(double));
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

// --- shares

// Places in the group of the one or two mechanisms that a row touches; how many.
static int touched(const plSystem* s, const plRow* row, int places[2])
{
    const uint32_t a = row->a.mechanism.index1, b = row->b.mechanism.index1;
    int count = 0;
    if (a) places[count++] = s->slot[a - 1];
    if (b && b != a) places[count++] = s->slot[b - 1];
    return count;
}

static void share(plSystem* s, const plGroup* g)
{
    int places[2];
    for (int i = 0; i < g->mechanismCount; ++i) s->slot[g->mechanismList[i]] = i;
    memset(s->shareFirst, 0, (size_t)(g->mechanismCount + 1) * sizeof(int));
    for (int row = 0; row < s->rowCount; ++row) {
        const int count = touched(s, &s->rows[row], places);
        for (int k = 0; k < count; ++k) ++s->shareFirst[places[k] + 1];
    }
    for (int i = 0; i < g->mechanismCount; ++i) s->shareFirst[i + 1] += s->shareFirst[i];
    for (int row = 0; row < s->rowCount; ++row) {
        const int count = touched(s, &s->rows[row], places);
        for (int k = 0; k < count; ++k) {
            const int at = s->shareFirst[places[k]]++;
            s->shareRow[at] = row;
            s->shareRows[at] = s->rows[row];
        }
    }
    for (int i = g->mechanismCount; i > 0; --i) s->shareFirst[i] = s->shareFirst[i - 1];
    s->shareFirst[0] = 0;
}

// Values of rows, gathered for the shares of one mechanism.
static const double* gather(plSystem* s, int place, const double* values)
{
    const int first = s->shareFirst[place];
    for (int i = first; i < s->shareFirst[place + 1]; ++i) {
        s->shareP[i - first] = values[s->shareRow[i]];
    }
    return s->shareP;
}

static void respond(plSystem* s, const plGroup* g, plResponse response)
{
    const int n = s->rowCount;
    memset(s->W, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int* rows = &s->shareRow[s->shareFirst[i]];
        const int count = s->shareFirst[i + 1] - s->shareFirst[i];
        memset(s->local, 0, (size_t)(count * count) * sizeof(double));
        plMechanism_Delassus(mechanismOf(g, i), response, &s->shareRows[s->shareFirst[i]], count,
                             s->local, count, s->work);
        for (int a = 0; a < count; ++a) {
            for (int b = 0; b < count; ++b) s->W[rows[a] * n + rows[b]] += s->local[a * count + b];
        }
    }
}

// u += J V of every row.
static void addVelocities(const plSystem* s, const plGroup* g, plWhen when, double* u)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k) {
            u[s->shareRow[k]] += plMechanism_RowVelocity(mechanismOf(g, i), when, &s->shareRows[k]);
        }
    }
}

static void addMoves(const plSystem* s, const plGroup* g, double* moves)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k) {
            moves[s->shareRow[k]] += plMechanism_RowMove(mechanismOf(g, i), &s->shareRows[k]);
        }
    }
}

// --- solving

bool plSystem_Solve(plSystem* s, const plGroup* g, plPass pass)
{
    s->rowCount = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink_Rows(linkOf(g, i), g->mechanisms, pass.at, &s->rows[s->rowCount]);
        s->rowCount += linkOf(g, i)->rowCount;
    }
    const int n = s->rowCount;
    share(s, g);
    if (n == 0) return true;
    respond(s, g, pl_responseStep);
    memcpy(s->N, s->W, (size_t)(n * n) * sizeof(double));
    memset(s->u, 0, (size_t)n * sizeof(double));
    memset(s->p, 0, (size_t)n * sizeof(double));
    addVelocities(s, g, pl_atStart, s->u);
    addVelocities(s, g, pl_atFree, s->p);
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        memcpy(link->uStart, &s->u[row], (size_t)link->rowCount * sizeof(double));
        plLink_Equation(link, pass.T, &s->W[row * (n + 1)], n + 1);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            s->N[row * (n + 1)] += link->R[k];
            s->p[row] = link->c[k] - s->p[row];
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

// Impulses, end velocities and stretch of the links, from those of the rows.
static void recover(plSystem* s, const plGroup* g, double T)
{
    double* moves = s->shareP; // free until the next gather
    memset(s->u, 0, (size_t)s->rowCount * sizeof(double));
    memset(moves, 0, (size_t)s->rowCount * sizeof(double));
    addVelocities(s, g, pl_atEnd, s->u);
    addMoves(s, g, moves);
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            link->p[k] = s->p[row];
            link->u[k] = s->u[row];
            link->move[k] = moves[row];
        }
        plLink_Target(link, T, plLink_Exact(link, g->mechanisms));
    }
}

bool plSystem_Advance(plSystem* s, const plGroup* g, double T)
{
    bool converged = true;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
        const double* p = gather(s, i, s->p);
        converged =
            plMechanism_Advance(mechanismOf(g, i), &s->shareRows[first], count, p) && converged;
    }
    recover(s, g, T);
    return converged;
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
            const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
            const double* z = gather(s, i, s->u);
            plMechanism_Displace(mechanismOf(g, i), &s->shareRows[first], count, z,
                                 &energies[g->mechanismList[i]]);
        }
        worst = stretchError(s, g, &tight);
    }
    return worst;
}
