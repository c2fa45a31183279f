// Rows over the mechanisms of a group: shares, response, velocities.
#include "contact/contact.h"

#include <string.h>

plStatus plRowSet_Create(plRowSet* s, int rows, int mechanisms, plArena* arena)
{
    const size_t n = (size_t)rows, m = (size_t)mechanisms;
    *s = (plRowSet){.capacity = rows};
    s->rows = plArena_Alloc(arena, n, sizeof *s->rows);
    s->slot = plArena_Alloc(arena, m, sizeof *s->slot);
    s->shareFirst = plArena_Alloc(arena, m + 1, sizeof *s->shareFirst);
    s->shareRow = plArena_Alloc(arena, 2 * n, sizeof *s->shareRow);
    s->shareRows = plArena_Alloc(arena, 2 * n, sizeof *s->shareRows);
    s->shareP = plArena_Alloc(arena, n, sizeof(double));
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

plStatus plRowSet_Fit(plRowSet* s, int n, plArena* arena)
{
    if (n <= s->velocities) return pl_statusOk;
    const size_t size = (size_t)n * (size_t)s->capacity;
    double* J = plArena_Alloc(arena, size, sizeof(double));
    double* Y = plArena_Alloc(arena, size, sizeof(double));
    if (!J || !Y) return pl_statusCapacity;
    s->J = J;
    s->Y = Y;
    s->velocities = n;
    return pl_statusOk;
}

plStatus plRowSet_FitLocal(plRowSet* s, int rows, plArena* arena)
{
    const size_t n = (size_t)rows;
    if (!s->local) s->local = plArena_Alloc(arena, n * n, sizeof(double));
    return s->local ? pl_statusOk : pl_statusCapacity;
}

static plMechanism* mechanismOf(const plGroup* g, int i)
{
    return g->mechanisms[g->mechanismList[i]];
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

void plRowSet_Velocities(const plRowSet* s, const plGroup* g, plWhen when, double* u)
{
    memset(u, 0, (size_t)s->count * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        for (int k = s->shareFirst[i]; k < s->shareFirst[i + 1]; ++k) {
            u[s->shareRow[k]] += plMechanism_RowVelocity(mechanismOf(g, i), when, &s->shareRows[k]);
        }
    }
}

void plRowSet_Displace(plRowSet* s, const plGroup* g, const double* z, plEnergy* energies)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->shareFirst[i], count = s->shareFirst[i + 1] - first;
        if (count == 0) continue;
        plMechanism_Displace(mechanismOf(g, i), &s->shareRows[first], count,
                             plRowSet_Gather(s, i, z), &energies[g->mechanismList[i]]);
    }
}

// --- response

static int respond(plRowSet* s, const plGroup* g, int place, plResponse response)
{
    const int first = s->shareFirst[place], count = s->shareFirst[place + 1] - first;
    plMechanism_Response(mechanismOf(g, place), response, &s->shareRows[first], count, s->J, s->Y);
    return count;
}

// What the deformation of a soft body adds; null: nothing.
static const double* respondLocally(const plRowSet* s, const plGroup* g, int place,
                                    plResponse response)
{
    const int first = s->shareFirst[place], count = s->shareFirst[place + 1] - first;
    const bool soft = s->local && plMechanism_LocalResponse(mechanismOf(g, place), response,
                                                            &s->shareRows[first], count, s->local);
    return soft ? s->local : NULL;
}

void plRowSet_Dense(plRowSet* s, const plGroup* g, plResponse response, double* W)
{
    const int n = s->count;
    memset(W, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int* rows = &s->shareRow[s->shareFirst[i]];
        const int count = respond(s, g, i, response);
        const double* local = respondLocally(s, g, i, response);
        const int v = plMechanism_Velocities(mechanismOf(g, i));
        for (int a = 0; a < count; ++a) {
            for (int b = 0; b < count; ++b) {
                W[rows[a] * n + rows[b]] += plDotN(&s->J[a * v], &s->Y[b * v], v);
                if (local) W[rows[a] * n + rows[b]] += local[a * count + b];
            }
        }
    }
}

// Contacts that share a mechanism with contact i, ascending: two sorted lists become one.
static int neighbours(const plRowSet* s, int i, int dim, int room, int* columns)
{
    int places[2], at[2] = {0, 0}, end[2] = {0, 0}, count = 0;
    const int lists = touched(s, &s->rows[dim * i], places);
    for (int k = 0; k < lists; ++k) {
        at[k] = s->shareFirst[places[k]];
        end[k] = s->shareFirst[places[k] + 1];
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        const int x = at[0] < end[0] ? s->shareRow[at[0]] / dim : s->count;
        const int y = at[1] < end[1] ? s->shareRow[at[1]] / dim : s->count;
        const int column = x < y ? x : y;
        if (count == room) return -1;
        columns[count++] = column;
        if (x == column) at[0] += dim;
        if (y == column) at[1] += dim;
    }
    return count;
}

static bool pattern(const plRowSet* s, plSpace* space)
{
    space->blockStart[0] = 0;
    for (int i = 0; i < space->count; ++i) {
        const int start = space->blockStart[i];
        const int count =
            neighbours(s, i, space->dim, space->blockCapacity - start, &space->blockColumn[start]);
        if (count < 0) return false;
        space->blockStart[i + 1] = start + count;
    }
    return plSpace_Index(space);
}

static double* blockAt(const plSpace* s, int i, int j)
{
    int lo = s->blockStart[i], hi = s->blockStart[i + 1] - 1;
    while (lo < hi) {
        const int middle = (lo + hi) / 2;
        if (s->blockColumn[middle] < j) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return &s->blocks[lo * s->dim * s->dim];
}

static void addBlocks(const plRowSet* s, const int* rows, int count, int v, plSpace* space)
{
    const int dim = space->dim;
    for (int a = 0; a < count; a += dim) {
        for (int b = 0; b < count; b += dim) {
            double* block = blockAt(space, rows[a] / dim, rows[b] / dim);
            for (int k = 0; k < dim * dim; ++k) {
                block[k] += plDotN(&s->J[(a + k / dim) * v], &s->Y[(b + k % dim) * v], v);
            }
        }
    }
}

bool plRowSet_Sparse(plRowSet* s, const plGroup* g, plResponse response, plSpace* space)
{
    bool whole = true;
    space->count = s->count / space->dim;
    while (!pattern(s, space)) { // fewer contacts have fewer neighbours
        whole = false;
        space->count -= (space->count + 7) / 8;
        s->count = space->count * space->dim;
        plRowSet_Share(s, g);
    }
    const size_t blocks = (size_t)space->blockStart[space->count];
    memset(space->blocks, 0, blocks * (size_t)(space->dim * space->dim) * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int count = respond(s, g, i, response);
        addBlocks(s, &s->shareRow[s->shareFirst[i]], count,
                  plMechanism_Velocities(mechanismOf(g, i)), space);
    }
    return whole;
}
