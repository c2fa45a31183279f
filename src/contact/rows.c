// Rows over the mechanisms of a group: shares, response, velocities.
#include "contact/contact.h"

#include <string.h>

plStatus plRowSet_Create(plRowSet* s, int rows, int ofContacts, int mechanisms, plArena* arena)
{
    const size_t n = (size_t)rows, m = (size_t)mechanisms;
    *s = (plRowSet){.capacity = rows, .ofContacts = ofContacts};
    s->rows = plArena_Alloc(arena, n, sizeof *s->rows);
    s->slot = plArena_Alloc(arena, m, sizeof *s->slot);
    s->shareFirst = plArena_Alloc(arena, m + 1, sizeof *s->shareFirst);
    s->shareRow = plArena_Alloc(arena, 2 * n, sizeof *s->shareRow);
    s->shareRows = plArena_Alloc(arena, 2 * n, sizeof *s->shareRows);
    s->shareP = plArena_Alloc(arena, n, sizeof(double));
    s->placeJ = plArena_Alloc(arena, m, sizeof *s->placeJ);
    s->ends = plArena_Alloc(arena, n, sizeof *s->ends);
    s->atEnd = plArena_Alloc(arena, n, sizeof *s->atEnd);
    s->byWay = plArena_Alloc(arena, n, sizeof *s->byWay);
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

plStatus plRowSet_Fit(plRowSet* s, int n, plArena* arena)
{
    if (n <= s->velocities) return pl_statusOk;
    const size_t rows = (size_t)s->capacity, size = (size_t)n * rows;
    const size_t ofBodies = s->ofContacts > 0 ? 6 * plFactorSides * rows : 0;
    const size_t shares = 2 * size > ofBodies ? 2 * size : ofBodies;
    double* J = plArena_Alloc(arena, shares, sizeof(double));
    double* E = plArena_Alloc(arena, shares, sizeof(double));
    double* Y = plArena_Alloc(arena, size > ofBodies ? size : ofBodies, sizeof(double));
    if (!J || !E || !Y) return pl_statusCapacity;
    s->J = J;
    s->E = E;
    s->Y = Y;
    s->velocities = n;
    return pl_statusOk;
}

plStatus plRowSet_FitLocal(plRowSet* s, int rows, plArena* arena)
{
    const size_t n = (size_t)rows;
    if (!s->local) s->local = plArena_Alloc(arena, n * n, sizeof(double));
    if (!s->shareEnds)
        s->shareEnds = plArena_Alloc(arena, (size_t)s->capacity, sizeof *s->shareEnds);
    return s->local && s->shareEnds ? pl_statusOk : pl_statusCapacity;
}

static plMechanism* mechanismOf(const plGroup* g, int i)
{
    return g->mechanisms[g->mechanismList[i]];
}

// Bodies have six velocities, and are many.
static inline double dot(const double* a, const double* b, int n)
{
    if (n != 6) return plDotN(a, b, n);
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// Places in the group of the one or two mechanisms that a row touches; how many.
static int touched(const plRowSet* s, const plRow* row, int places[2])
{
    const uint32_t a = row->a.mechanism.index1, b = row->b.mechanism.index1;
    int count = 0;
    if (a) places[count++] = s->slot[a - 1];
    if (b && b != a) places[count++] = s->slot[b - 1];
    return count;
}

// A row has at most one share in each of two mechanisms: there is room.
static void placeJacobians(plRowSet* s, const plGroup* g)
{
    int at = 0;
    s->has = pl_jacobianNone;
    for (int i = 0; i < g->mechanismCount; ++i) {
        s->placeJ[i] = at;
        at += (s->shareFirst[i + 1] - s->shareFirst[i]) * plMechanism_Velocities(mechanismOf(g, i));
    }
}

void plRowSet_Share(plRowSet* s, const plGroup* g)
{
    int places[2];
    for (int i = 0; i < g->mechanismCount; ++i) s->slot[g->mechanismList[i]] = i;
    memset(s->shareFirst, 0, (size_t)(g->mechanismCount + 1) * sizeof(int));
    for (int row = 0; row < s->count; ++row) {
        const int count = touched(s, &s->rows[row], places);
        for (int k = 0; k < count; ++k) ++s->shareFirst[places[k] + 1];
    }
    for (int i = 0; i < g->mechanismCount; ++i) s->shareFirst[i + 1] += s->shareFirst[i];
    placeJacobians(s, g);
    for (int row = 0; row < s->count; ++row) {
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

const double* plRowSet_Gather(plRowSet* s, int place, const double* values)
{
    const int first = s->shareFirst[place];
    for (int i = first; i < s->shareFirst[place + 1]; ++i) {
        s->shareP[i - first] = values[s->shareRow[i]];
    }
    return s->shareP;
}

// J is found once in a pass. Strikes want that of the start: the same, where rows are met there.
static void wantJacobians(plRowSet* s, const plGroup* g, plJacobian wanted)
{
    if (s->has == wanted) return;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
        if (s->has != pl_jacobianNone && plMechanism_MeetsAtStart(m)) continue;
        plMechanism_Jacobians(m, wanted == pl_jacobianStart, &s->shareRows[first], count,
                              &s->J[s->placeJ[i]]);
    }
    s->has = wanted;
}

void plRowSet_Velocities(plRowSet* s, const plGroup* g, plWhen when, double* u)
{
    wantJacobians(s, g, when == pl_atInstant ? pl_jacobianStart : pl_jacobianPass);
    memset(u, 0, (size_t)s->count * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const double *J = &s->J[s->placeJ[i]], *V = plMechanism_VelocityAt(m, when);
        const int n = plMechanism_Velocities(m);
        const bool soft = s->local && plMechanism_Traits(m)->deforms;
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k, J += n) {
            u[s->shareRow[k]] += dot(J, V, n);
            if (soft) u[s->shareRow[k]] += plMechanism_SoftVelocity(m, when, &s->shareRows[k]);
        }
    }
}

// 2/T times how far a row is displaced by a velocity at the end of the step; 1 for rows of velocities.
static double wayOf(const plRowSet* s, const plMechanism* m, int row)
{
    return s->hasEnds && s->byWay[row] ? 2 * plMechanism_Theta(m) : 1;
}

void plRowSet_FindEnds(plRowSet* s, const plGroup* g)
{
    wantJacobians(s, g, pl_jacobianPass);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const int n = plMechanism_Velocities(m);
        const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
        const double* J = &s->J[s->placeJ[i]];
        double* E = &s->E[s->placeJ[i]];
        plMechanism_EndJacobians(m, s->ends, &s->shareRow[first], s->atEnd, count, E);
        for (int k = first; k < first + count; ++k, J += n, E += n) {
            const int row = s->shareRow[k];
            const double way = wayOf(s, m, row);
            for (int j = 0; !s->atEnd[row] && j < n; ++j) E[j] = way * J[j];
        }
    }
}

void plRowSet_StartWays(plRowSet* s, const plGroup* g, double* u)
{
    wantJacobians(s, g, pl_jacobianPass);
    memset(u, 0, (size_t)s->count * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const double *J = &s->J[s->placeJ[i]], *V = plMechanism_VelocityAt(m, pl_atStart);
        const int n = plMechanism_Velocities(m);
        const double share = 2 * (1 - plMechanism_Theta(m));
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k, J += n) {
            double own = dot(J, V, n);
            if (s->local) own += plMechanism_SoftVelocity(m, pl_atStart, &s->shareRows[k]);
            u[s->shareRow[k]] += share * own;
        }
    }
}

void plRowSet_EndVelocities(const plRowSet* s, const plGroup* g, plWhen when, double* u)
{
    const double* left = plRowSet_Left(s);
    memset(u, 0, (size_t)s->count * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const double *E = &left[s->placeJ[i]], *V = plMechanism_VelocityAt(m, when);
        const int n = plMechanism_Velocities(m);
        const bool soft = s->local && plMechanism_Traits(m)->deforms;
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k, E += n) {
            const int row = s->shareRow[k];
            u[row] += dot(E, V, n);
            if (!soft) continue;
            u[row] += wayOf(s, m, row) *
                      (s->atEnd[row] ? plMechanism_SoftEndVelocity(m, when, &s->ends[row])
                                     : plMechanism_SoftVelocity(m, when, &s->shareRows[k]));
        }
    }
}

bool plRowSet_Advance(plRowSet* s, const plGroup* g, const double* p)
{
    bool converged = true;
    wantJacobians(s, g, pl_jacobianPass);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
        const double* pi = plRowSet_Gather(s, i, p);
        converged = plMechanism_AdvanceBy(mechanismOf(g, i), &s->shareRows[first],
                                          &s->J[s->placeJ[i]], count, pi) &&
                    converged;
    }
    return converged;
}

void plRowSet_Displace(plRowSet* s, const plGroup* g, const double* z, plEnergy* energies)
{
    wantJacobians(s, g, pl_jacobianPass);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int count = s->shareFirst[i + 1] - s->shareFirst[i];
        if (count == 0) continue;
        plMechanism* m = mechanismOf(g, i);
        const double* own = plRowSet_Gather(s, i, z);
        if (s->local) plMechanism_ShiftSoft(m, &s->shareRows[s->shareFirst[i]], count, own);
        plMechanism_DisplaceBy(m, &s->J[s->placeJ[i]], count, own, &energies[g->mechanismList[i]]);
    }
}

// --- response

static int respond(plRowSet* s, const plGroup* g, int place, plResponse response)
{
    const int count = s->shareFirst[place + 1] - s->shareFirst[place];
    wantJacobians(s, g, response == pl_responseMass ? pl_jacobianStart : pl_jacobianPass);
    plMechanism_Respond(mechanismOf(g, place), response, &s->J[s->placeJ[place]], count, s->Y);
    return count;
}

void plRowSet_Respond(plRowSet* s, const plGroup* g, plResponse response)
{
    wantJacobians(s, g, response == pl_responseMass ? pl_jacobianStart : pl_jacobianPass);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int count = s->shareFirst[i + 1] - s->shareFirst[i], at = s->placeJ[i];
        plMechanism_Respond(mechanismOf(g, i), response, &s->J[at], count, &s->Y[at]);
    }
}

// What the deformation of a soft body adds; null: nothing.
static const double* respondLocally(const plRowSet* s, const plGroup* g, int place,
                                    plResponse response)
{
    const int first = s->shareFirst[place], count = s->shareFirst[place + 1] - first;
    const bool ends = s->hasEnds && response == pl_responseStep;
    if (!s->local) return NULL;
    for (int k = 0; k < count && ends; ++k) {
        const int row = s->shareRow[first + k];
        s->shareEnds[k] = s->atEnd[row] ? &s->ends[row] : NULL;
    }
    const bool soft =
        plMechanism_LocalResponse(mechanismOf(g, place), response, &s->shareRows[first],
                                  ends ? s->shareEnds : NULL, count, s->local);
    return soft ? s->local : NULL;
}

// Only the response of the step is asked for at its end.
static const double* leftFor(const plRowSet* s, plResponse response)
{
    return response == pl_responseStep ? plRowSet_Left(s) : s->J;
}

void plRowSet_Dense(plRowSet* s, const plGroup* g, plResponse response, double* W)
{
    const int n = s->count;
    memset(W, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int* rows = &s->shareRow[s->shareFirst[i]];
        const int count = respond(s, g, i, response);
        const double* local = respondLocally(s, g, i, response);
        const double* J = &leftFor(s, response)[s->placeJ[i]];
        const int v = plMechanism_Velocities(mechanismOf(g, i));
        for (int a = 0; a < count; ++a) {
            double* Wa = &W[rows[a] * n];
            for (int b = 0; b < count; ++b) Wa[rows[b]] += dot(&J[a * v], &s->Y[b * v], v);
            const double way =
                response == pl_responseStep ? wayOf(s, mechanismOf(g, i), rows[a]) : 1;
            for (int b = 0; local && b < count; ++b) Wa[rows[b]] += way * local[a * count + b];
        }
    }
}

// Those of contacts come before those of links, whose rows are behind `rows`.
static int contactShares(const plRowSet* s, int place, int rows)
{
    const int first = s->shareFirst[place];
    int end = s->shareFirst[place + 1];
    while (end > first && s->shareRow[end - 1] >= rows) --end;
    return end - first;
}

// Contacts on what a link joins: each of them answers to any other.
static void findLinked(const plRowSet* s, const plGroup* g, const plSpace* space, plLinked* linked)
{
    const int dim = space->dim, rows = plSpace_Rows(space);
    linked->count = 0;
    for (int i = 0; i < space->count; ++i) linked->place[i] = -1;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->shareFirst[i], own = contactShares(s, i, rows);
        if (first + own == s->shareFirst[i + 1]) continue;
        for (int k = first; k < first + own; ++k) linked->place[s->shareRow[k] / dim] = 0;
    }
    for (int i = 0; i < space->count; ++i) {
        if (linked->place[i] < 0) continue;
        linked->contact[linked->count] = i;
        linked->place[i] = linked->count++;
    }
}

// Contacts that answer to contact i, ascending: those of one or two mechanisms, and of all that is
// linked where it is one of these; three sorted lists become one.
static int neighbours(const plRowSet* s, const plLinked* linked, const plSpace* space, int i,
                      int room, int* columns)
{
    const int dim = space->dim, rows = plSpace_Rows(space), none = space->count;
    int places[2], at[3] = {0}, end[3] = {0}, count = 0;
    const int lists = touched(s, &s->rows[dim * i], places);
    for (int k = 0; k < lists; ++k) {
        at[k] = s->shareFirst[places[k]];
        end[k] = at[k] + contactShares(s, places[k], rows);
    }
    if (linked && linked->place[i] >= 0) end[2] = linked->count;
    while (at[0] < end[0] || at[1] < end[1] || at[2] < end[2]) {
        const int x = at[0] < end[0] ? s->shareRow[at[0]] / dim : none;
        const int y = at[1] < end[1] ? s->shareRow[at[1]] / dim : none;
        const int z = at[2] < end[2] ? linked->contact[at[2]] : none;
        const int least = x < y ? x : y, column = z < least ? z : least;
        if (count == room) return -1;
        columns[count++] = column;
        if (x == column) at[0] += dim;
        if (y == column) at[1] += dim;
        if (z == column) ++at[2];
    }
    return count;
}

static bool pattern(const plRowSet* s, const plLinked* linked, plSpace* space)
{
    space->blockStart[0] = 0;
    for (int i = 0; i < space->count; ++i) {
        const int start = space->blockStart[i];
        const int count = neighbours(s, linked, space, i, space->blockCapacity - start,
                                     &space->blockColumn[start]);
        if (count < 0) return false;
        space->blockStart[i + 1] = start + count;
    }
    return plSpace_Index(space);
}

static void addBlock(const double* J, const double* Y, int v, int dim, double* block)
{
    for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < dim; ++l) block[k * dim + l] += dot(&J[k * v], &Y[l * v], v);
    }
}

static void addBlocks(const plRowSet* s, const double* left, int place, int count, int v,
                      plSpace* space)
{
    const int dim = space->dim, *rows = &s->shareRow[s->shareFirst[place]];
    const double* J = &left[s->placeJ[place]];
    for (int a = 0; a < count; a += dim) {
        int at = space->blockStart[rows[a] / dim];
        for (int b = 0; b < count; b += dim) { // ascending, as the columns are
            while (dim * space->blockColumn[at] < rows[b]) ++at;
            addBlock(&J[a * v], &s->Y[b * v], v, dim, &space->blocks[at * dim * dim]);
        }
    }
}

void plRowSet_AddLinked(const plRowSet* s, const double* left, int place, int v, const double* Y,
                        int dim, plLinked* linked)
{
    const int first = s->shareFirst[place], count = s->shareFirst[place + 1] - first;
    const int all = linked->rows, from = s->count - all, own = contactShares(s, place, from);
    const int* rows = &s->shareRow[first];
    const double* J = &left[s->placeJ[place]];
    for (int a = own; a < count; ++a) {
        const int l = rows[a] - from;
        for (int b = own; b < count; ++b) {
            linked->own[l * all + rows[b] - from] += dot(&J[a * v], &Y[b * v], v);
        }
        for (int b = 0; b < own; ++b) {
            const int at = (dim * linked->place[rows[b] / dim] + rows[b] % dim) * all + l;
            linked->push[at] += dot(&J[b * v], &Y[a * v], v);
            linked->pull[at] += dot(&J[a * v], &Y[b * v], v);
        }
    }
}

void plRowSet_BeginLinked(const plRowSet* s, const plGroup* g, const plSpace* space,
                          plLinked* linked)
{
    const size_t all = (size_t)linked->rows;
    findLinked(s, g, space, linked);
    const size_t size = (size_t)(space->dim * linked->count) * all * sizeof(double);
    linked->push = linked->own + all * all;
    memset(linked->own, 0, all * all * sizeof(double));
    memset(linked->push, 0, size);
    memset(linked->pull, 0, size);
}

// Fewer contacts have fewer neighbours; links stay.
static void dropSome(plRowSet* s, const plGroup* g, plSpace* space)
{
    const int before = plSpace_Rows(space), links = s->count - before;
    space->count -= (space->count + 7) / 8;
    const int rows = plSpace_Rows(space);
    memmove(&s->rows[rows], &s->rows[before], (size_t)links * sizeof *s->rows);
    s->count = rows + links;
    plRowSet_Share(s, g);
}

bool plRowSet_Sparse(plRowSet* s, const plGroup* g, plResponse response, plLinked* linked,
                     plSpace* space)
{
    const int dim = space->dim;
    bool whole = true;
    space->count = (s->count - (linked ? linked->rows : 0)) / dim;
    if (linked) plRowSet_BeginLinked(s, g, space, linked);
    while (!pattern(s, linked, space)) {
        whole = false;
        dropSome(s, g, space);
        if (linked) plRowSet_BeginLinked(s, g, space, linked);
    }
    const size_t blocks = (size_t)space->blockStart[space->count];
    memset(space->blocks, 0, blocks * (size_t)(dim * dim) * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int v = plMechanism_Velocities(mechanismOf(g, i));
        respond(s, g, i, response);
        const double* left = leftFor(s, response);
        addBlocks(s, left, i, contactShares(s, i, plSpace_Rows(space)), v, space);
        if (linked) plRowSet_AddLinked(s, left, i, v, s->Y, dim, linked);
    }
    return whole;
}
