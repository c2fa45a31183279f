// The factor of a M + b K: ordered so that candidates come last, found by CHOLMOD, kept as plain
// columns. Ordering is by nodes (CAMD, which keeps the candidates behind all others); the numbers by
// its simplicial method, which has one thread and a fixed order of sums.
#include "soft/inside.h"

#include <cholmod.h>
#include <string.h>

// --- order

typedef struct {
    const plSoft* soft;
    const plSoftFactorDef* def;
    const plAllocator* allocator;
    cholmod_common common;
    plArena scratch;
    int* graphOf; // node to its place in the graph of nodes that can move, -1: held
    int* order;   // nodes in the order of elimination
    int* place;   // node to its place in that order
    int* member;  // 1: candidate
    int nodes;    // that can move
    int n, tail;  // rows, those of candidates
} Work;

static bool isHeld(const Work* w, int dof) { return w->def->fixed && w->def->fixed[dof]; }

static bool takeScratch(Work* w)
{
    const size_t n = (size_t)w->soft->nodeCount;
    if (plArena_Create(&w->scratch, 4 * plSoft_Room(n, sizeof(int)), w->allocator) != pl_statusOk) {
        return false;
    }
    w->graphOf = plArena_Alloc(&w->scratch, n, sizeof(int));
    w->order = plArena_Alloc(&w->scratch, n, sizeof(int));
    w->place = plArena_Alloc(&w->scratch, n, sizeof(int));
    w->member = plArena_Alloc(&w->scratch, n, sizeof(int));
    return !w->scratch.full;
}

/// Numbers the nodes that can move, and counts rows.
static void findGraph(Work* w)
{
    const plSoftFactorDef* d = w->def;
    int* isCandidate = w->place; // until the order is known
    for (int i = 0; i < d->candidateCount; ++i) isCandidate[d->candidates[i]] = 1;
    for (int i = 0; i < w->soft->nodeCount; ++i) {
        int rows = 0;
        for (int k = 0; k < 3; ++k) rows += !isHeld(w, 3 * i + k);
        w->n += rows;
        if (isCandidate[i]) w->tail += rows;
        w->graphOf[i] = rows > 0 ? w->nodes : -1;
        if (rows > 0) w->member[w->nodes++] = isCandidate[i];
    }
}

/// Lower triangle of the graph, as a pattern.
static cholmod_sparse* makeGraph(Work* w)
{
    const plSoft* s = w->soft;
    const size_t n = (size_t)w->nodes, most = (size_t)s->start[s->nodeCount];
    cholmod_sparse* G = cholmod_allocate_sparse(n, n, most, 1, 1, -1, CHOLMOD_PATTERN, &w->common);
    if (!G) return NULL;
    int *start = G->p, *row = G->i, count = 0;
    for (int i = 0; i < s->nodeCount; ++i) {
        if (w->graphOf[i] < 0) continue;
        start[w->graphOf[i]] = count;
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            const int other = w->graphOf[s->column[k]];
            if (other >= w->graphOf[i]) row[count++] = other;
        }
    }
    start[n] = count;
    return G;
}

static bool findOrder(Work* w)
{
    const size_t n = (size_t)w->nodes;
    cholmod_sparse* G = makeGraph(w);
    int* permutation = cholmod_malloc(n, sizeof(int), &w->common);
    bool good = G && permutation;
    good = good && cholmod_camd(G, NULL, 0, w->member, permutation, &w->common);
    if (good) {
        // Places first, then nodes by their places.
        for (int i = 0; i < w->nodes; ++i) w->member[permutation[i]] = i;
        for (int i = 0; i < w->soft->nodeCount; ++i) {
            w->place[i] = w->graphOf[i] < 0 ? -1 : w->member[w->graphOf[i]];
            if (w->place[i] >= 0) w->order[w->place[i]] = i;
        }
    }
    cholmod_free_sparse(&G, &w->common);
    cholmod_free(n, sizeof(int), permutation, &w->common);
    return good;
}

// --- matrix

/// The lists of a factor that are known before it is factored.
typedef struct {
    int *rowOf, *dofOf, *candidates;
} Rows;

static void findRows(const Work* w, Rows* r)
{
    int row = 0;
    for (int dof = 0; dof < 3 * w->soft->nodeCount; ++dof) r->rowOf[dof] = -1;
    for (int i = 0; i < w->nodes; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int dof = 3 * w->order[i] + k;
            if (isHeld(w, dof)) continue;
            r->rowOf[dof] = row;
            r->dofOf[row++] = dof;
        }
    }
}

/// Numbers of one column of A on and below its diagonal; how many.
static int fillColumn(const Work* w, const Rows* r, int column, int* row, double* value)
{
    const plSoft* s = w->soft;
    const plSoftFactorDef* d = w->def;
    const int dof = r->dofOf[column], node = dof / 3, c = dof % 3;
    int count = 0;
    for (int k = s->start[node]; k < s->start[node + 1]; ++k) {
        const int other = s->column[k];
        const double mass = plSoft_MassOf(s, d->mass, node, k);
        for (int e = 0; e < 3; ++e) {
            const int i = r->rowOf[3 * other + e];
            if (i < column) continue;
            row[count] = i;
            value[count++] = plSoft_Entry(s, d->a, d->b, mass, k, c, e);
        }
    }
    return count;
}

static cholmod_sparse* makeMatrix(Work* w, const Rows* r)
{
    const size_t n = (size_t)w->n, most = 9 * (size_t)w->soft->start[w->soft->nodeCount];
    cholmod_sparse* A = cholmod_allocate_sparse(n, n, most, 0, 1, -1, CHOLMOD_REAL, &w->common);
    if (!A) return NULL;
    int *start = A->p, *row = A->i, count = 0;
    double* value = A->x;
    for (int j = 0; j < w->n; ++j) {
        start[j] = count;
        count += fillColumn(w, r, j, row + count, value + count);
    }
    start[n] = count;
    return A;
}

static void startLibrary(cholmod_common* c)
{
    plMath_Start();
    cholmod_start(c);
    c->print = 0;
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_NATURAL;
    c->postorder = 0; // it could bring candidates forward
    c->final_asis = 0;
    c->final_super = 0;
    c->final_ll = 1;
    c->final_pack = 1;
    c->final_monotonic = 1;
}

/// L of the library, or null with a status.
static cholmod_factor* factorize(Work* w, const Rows* r, plStatus* status)
{
    cholmod_sparse* A = makeMatrix(w, r);
    cholmod_factor* L = A ? cholmod_analyze(A, &w->common) : NULL;
    const bool done = L && cholmod_factorize(A, L, &w->common);
    cholmod_free_sparse(&A, &w->common);
    *status = done ? pl_statusOk : pl_statusNoMemory;
    if (w->common.status == CHOLMOD_TOO_LARGE) *status = pl_statusCapacity;
    if (done && L->minor < L->n) *status = pl_statusBadArgument;
    if (*status != pl_statusOk) cholmod_free_factor(&L, &w->common);
    return L;
}

// --- keeping it

static bool isPositive(const cholmod_factor* L)
{
    const int* start = L->p;
    const double* value = L->x;
    double least = INFINITY, most = 0;
    for (size_t j = 0; j < L->n; ++j) {
        least = fmin(least, value[start[j]]);
        most = fmax(most, value[start[j]]);
    }
    // Their squares are A's pivots. Where there should be none, round-off leaves about 1e-16 of the
    // largest. The least of a sound body is its stiffness at one node when all others are free.
    return L->n == 0 || (least > 1e-7 * most && isfinite(most));
}

static size_t rowsRoom(const Work* w)
{
    const size_t dofs = 3 * (size_t)w->soft->nodeCount, n = (size_t)w->n;
    return plSoft_Room(dofs, sizeof(int)) + plSoft_Room(n, sizeof(int)) +
           plSoft_Room((size_t)w->def->candidateCount, sizeof(int));
}

static bool keep(plSoftFactor* f, const Work* w, const Rows* r, const cholmod_factor* L)
{
    const int* from = L->p;
    const size_t n = (size_t)w->n, count = (size_t)from[n];
    const size_t dofs = 3 * (size_t)w->soft->nodeCount, chosen = (size_t)w->def->candidateCount;
    const size_t size = rowsRoom(w) + plSoft_Room(n + 1, sizeof(int)) +
                        plSoft_Room(count, sizeof(int)) + plSoft_Room(count, sizeof(double)) +
                        plSoft_Room(n, sizeof(double)) + 5 * plSoft_Room(n, sizeof(int));
    if (plArena_Create(&f->arena, size, w->allocator) != pl_statusOk) return false;
    int* rowOf = plArena_Alloc(&f->arena, dofs, sizeof(int));
    int* dofOf = plArena_Alloc(&f->arena, n, sizeof(int));
    int* candidates = plArena_Alloc(&f->arena, chosen, sizeof(int));
    int* start = plArena_Alloc(&f->arena, n + 1, sizeof(int));
    int* index = plArena_Alloc(&f->arena, count, sizeof(int));
    double* values = plArena_Alloc(&f->arena, count, sizeof(double));
    f->x = plArena_Alloc(&f->arena, n, sizeof(double));
    int** const lists[] = {&f->run, &f->runEnd, &f->head, &f->next, &f->rest};
    for (int i = 0; i < PL_COUNT(lists); ++i) *lists[i] = plArena_Alloc(&f->arena, n, sizeof(int));
    PL_ASSERT(!f->arena.full);
    memcpy(rowOf, r->rowOf, dofs * sizeof(int));
    memcpy(dofOf, r->dofOf, n * sizeof(int));
    if (chosen > 0) memcpy(candidates, w->def->candidates, chosen * sizeof(int));
    memcpy(start, from, (n + 1) * sizeof(int));
    memcpy(index, L->i, count * sizeof(int));
    memcpy(values, L->x, count * sizeof(double));
    f->rowOf = rowOf, f->dofOf = dofOf, f->candidates = candidates;
    f->start = start, f->index = index, f->L = values, f->n = w->n;
    plSoftFactor_FindRuns(f);
    return true;
}

static plStatus factor(plSoftFactor* f, Work* w)
{
    Rows r;
    plArena memory;
    plStatus status = plArena_Create(&memory, rowsRoom(w), w->allocator);
    if (status != pl_statusOk) return status;
    r.rowOf = plArena_Alloc(&memory, 3 * (size_t)w->soft->nodeCount, sizeof(int));
    r.dofOf = plArena_Alloc(&memory, (size_t)w->n, sizeof(int));
    findRows(w, &r);
    cholmod_factor* L = factorize(w, &r, &status);
    if (L) {
        if (!isPositive(L)) {
            status = pl_statusBadArgument;
        } else if (!keep(f, w, &r, L)) {
            status = pl_statusNoMemory;
        }
        cholmod_free_factor(&L, &w->common);
    }
    plArena_Destroy(&memory, w->allocator);
    return status;
}

static bool areCandidates(const plSoft* s, const plSoftFactorDef* d)
{
    for (int i = 0; i < d->candidateCount; ++i) {
        if (d->candidates[i] < 0 || d->candidates[i] >= s->nodeCount) return false;
    }
    return true;
}

plStatus plSoftFactor_Create(plSoftFactor* f, const plSoft* s, const plSoftFactorDef* d,
                             const plAllocator* allocator, plShapeError* error)
{
    Work w = {.soft = s, .def = d, .allocator = allocator};
    *f = (plSoftFactor){
        .soft = s, .a = d->a, .b = d->b, .mass = d->mass, .candidateCount = d->candidateCount};
    if (!areCandidates(s, d)) {
        return plSoft_Fail(error, pl_statusBadArgument, "a candidate is no node of the mesh");
    }
    if (!(d->a >= 0 && d->b >= 0 && d->a + d->b > 0 && isfinite(d->a + d->b))) {
        return plSoft_Fail(error, pl_statusBadArgument, "the weights of M and K must be positive");
    }
    plStatus status = pl_statusNoMemory;
    startLibrary(&w.common);
    if (takeScratch(&w)) {
        findGraph(&w);
        if (findOrder(&w)) status = factor(f, &w);
    }
    f->n = w.n, f->tail = w.tail;
    plArena_Destroy(&w.scratch, allocator);
    cholmod_finish(&w.common);
    if (status == pl_statusOk) return plSoft_Fail(error, status, "");
    return plSoft_Fail(error, status,
                       status == pl_statusBadArgument
                           ? "the body can move without force: more of it must be held"
                           : "no memory for the factor");
}

void plSoftFactor_Destroy(plSoftFactor* f, const plAllocator* allocator)
{
    plArena_Destroy(&f->arena, allocator);
    *f = (plSoftFactor){0};
}
