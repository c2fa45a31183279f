// The global form of a contact problem, M v = H p + G l + f, u = H^T v + w, G^T v + b = 0, brought to the
// local one:
//   W = H^T M^-1 H,  V = H^T M^-1 G,  R = G^T M^-1 G,  q = w + H^T M^-1 f,  s = b + G^T M^-1 f
// M has no entry between two bodies. So each of its parts that hang together is factored by itself, and
// couples the columns of (H, G) that have entries in its rows, and no others.
#include "contact/space_entries.h"

#include "math/math.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// A row of M (column 0), an entry of M or one of (H, G), by its part.
typedef struct {
    int part, column, row;
    double value;
} Cell;

typedef struct {
    const plGlobalProblem* g;
    int n, contacts, columns; // rows of M; columns of H; of (H, G)
    bool half;                // M is given by one of its triangles
    int* part;                // per row of M: the first row of its part
    int* local;               // per row: its number in the part
    Cell *places, *mass, *cells;
    int cellCount;
    plEntries W, V, R; // results
    double *q, *s;
} Work;

// --- parts

static int rootOf(int* part, int i)
{
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
}

static void findParts(Work* x)
{
    const plEntries* M = &x->g->M;
    for (int i = 0; i < x->n; ++i) x->part[i] = i;
    for (int k = 0; k < M->count; ++k) {
        const int a = rootOf(x->part, M->entries[k].row), b = rootOf(x->part, M->entries[k].column);
        if (a < b) x->part[b] = a;
        if (b < a) x->part[a] = b;
    }
    for (int i = 0; i < x->n; ++i) x->part[i] = rootOf(x->part, i);
}

static int compareCells(const void* left, const void* right)
{
    const Cell *a = left, *b = right;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void addCells(Work* x, const plEntries* m, int first, Cell* to)
{
    for (int k = 0; k < m->count; ++k) {
        const plEntry* e = &m->entries[k];
        to[k] = (Cell){x->part[e->row], first + e->column, e->row, e->value};
    }
}

// M is symmetric by its meaning; some files have a triangle of it.
static bool isHalf(const plEntries* M)
{
    int below = 0, above = 0;
    for (int k = 0; k < M->count; ++k) {
        below += M->entries[k].row > M->entries[k].column;
        above += M->entries[k].row < M->entries[k].column;
    }
    return (below == 0) != (above == 0);
}

// Rows and entries by their parts, and the numbers of rows inside these.
static void sortParts(Work* x)
{
    const plGlobalProblem* g = x->g;
    findParts(x);
    x->half = isHalf(&g->M);
    x->cellCount = g->H.count + g->G.count;
    addCells(x, &g->M, 0, x->mass);
    addCells(x, &g->H, 0, x->cells);
    addCells(x, &g->G, x->contacts, x->cells + g->H.count);
    for (int i = 0; i < x->n; ++i) x->places[i] = (Cell){x->part[i], 0, i, 0};
    qsort(x->places, (size_t)x->n, sizeof(Cell), compareCells);
    qsort(x->mass, (size_t)g->M.count, sizeof(Cell), compareCells);
    qsort(x->cells, (size_t)x->cellCount, sizeof(Cell), compareCells);
    for (int i = 0; i < x->n; ++i) {
        const bool first = i == 0 || x->places[i - 1].part != x->places[i].part;
        x->local[x->places[i].row] = first ? 0 : x->local[x->places[i - 1].row] + 1;
    }
}

// --- one part

// Its rows and entries lie together.
typedef struct {
    const Cell *places, *mass, *cells;
    int size, massCount, cellCount;
    size_t contactColumns, otherColumns;
} Part;

static bool factorPart(const Work* x, const Part* part, double* A)
{
    const int n = part->size, *local = x->local;
    double worst = 0, size = 0;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int k = 0; k < part->massCount; ++k) {
        const Cell* e = &part->mass[k];
        const int i = local[e->row], j = local[e->column];
        A[i * n + j] += e->value;
        if (x->half && i != j) A[j * n + i] += e->value;
    }
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(A[i * (n + 1)]));
        for (int j = 0; j < i; ++j) worst = fmax(worst, fabs(A[i * n + j] - A[j * n + i]));
    }
    return worst <= 1e-6 * size && plChol_Factor(A, n);
}

static void put(plEntries* to, int row, int column, double value)
{
    to->entries[to->count++] = (plEntry){row, column, value};
}

// h_a M^-1 h_b of two columns goes where these belong.
static void putProduct(Work* x, int a, int b, double value)
{
    const int m = x->contacts;
    if (a < m && b < m) put(&x->W, a, b, value);
    if (a < m && b >= m) put(&x->V, a, b - m, value);
    if (a >= m && b >= m) put(&x->R, a - m, b - m, value);
}

// y: M^-1 of a column. All columns of the part against it.
static void putColumn(Work* x, const Part* part, int column, const double* y)
{
    double sum = 0;
    for (int k = 0; k < part->cellCount; ++k) {
        const Cell* c = &part->cells[k];
        sum += c->value * y[x->local[c->row]];
        if (k + 1 < part->cellCount && c[1].column == c->column) continue;
        putProduct(x, c->column, column, sum);
        sum = 0;
    }
}

static void putForces(Work* x, const Part* part, const double* y)
{
    for (int k = 0; k < part->cellCount; ++k) {
        const Cell* c = &part->cells[k];
        const double value = c->value * y[x->local[c->row]];
        if (c->column < x->contacts) {
            x->q[c->column] += value;
        } else {
            x->s[c->column - x->contacts] += value;
        }
    }
}

// A: room for the factor and a column.
static bool addPart(Work* x, const Part* part, double* A)
{
    const int n = part->size;
    double* y = A + (size_t)n * (size_t)n;
    if (!factorPart(x, part, A)) return false;
    for (int i = 0; i < n; ++i) y[i] = x->g->f[part->places[i].row];
    plChol_Solve(A, n, y);
    putForces(x, part, y);
    for (int k = 0; k < part->cellCount;) {
        const int column = part->cells[k].column;
        memset(y, 0, (size_t)n * sizeof *y);
        for (; k < part->cellCount && part->cells[k].column == column; ++k) {
            y[x->local[part->cells[k].row]] += part->cells[k].value;
        }
        plChol_Solve(A, n, y);
        putColumn(x, part, column, y);
    }
    return true;
}

static int endOf(const Cell* cells, int from, int count, int part)
{
    while (from < count && cells[from].part == part) ++from;
    return from;
}

// The part that begins at these places; the marks move behind it.
static Part takePart(const Work* x, int* place, int* mass, int* cell)
{
    Part p = {.places = &x->places[*place], .mass = &x->mass[*mass], .cells = &x->cells[*cell]};
    const int name = p.places[0].part;
    p.size = endOf(x->places, *place, x->n, name) - *place;
    p.massCount = endOf(x->mass, *mass, x->g->M.count, name) - *mass;
    p.cellCount = endOf(x->cells, *cell, x->cellCount, name) - *cell;
    for (int k = 0; k < p.cellCount; ++k) {
        if (k > 0 && p.cells[k].column == p.cells[k - 1].column) continue;
        *(p.cells[k].column < x->contacts ? &p.contactColumns : &p.otherColumns) += 1;
    }
    *place += p.size, *mass += p.massCount, *cell += p.cellCount;
    return p;
}

// --- all of them

// The largest part, and how many entries W, V and R get.
static int survey(const Work* x, size_t count[3])
{
    int largest = 0;
    for (int place = 0, mass = 0, cell = 0; place < x->n;) {
        const Part p = takePart(x, &place, &mass, &cell);
        if (p.size > largest) largest = p.size;
        count[0] += p.contactColumns * p.contactColumns;
        count[1] += p.contactColumns * p.otherColumns;
        count[2] += p.otherColumns * p.otherColumns;
    }
    return largest;
}

static bool addParts(Work* x, double* A)
{
    for (int place = 0, mass = 0, cell = 0; place < x->n;) {
        const Part p = takePart(x, &place, &mass, &cell);
        if (!addPart(x, &p, A)) return false;
    }
    return true;
}

static plStatus convert(plSpaceFile* file, Work* x, const plAllocator* allocator)
{
    const plGlobalProblem* g = x->g;
    plEntries* results[] = {&x->W, &x->V, &x->R};
    size_t count[3] = {0}, bytes = 0;
    sortParts(x);
    const int largest = survey(x, count);
    const size_t square = (size_t)largest * (size_t)(largest + 1);
    for (int i = 0; i < 3; ++i) {
        if (count[i] > plEntriesMost) {
            return plSpaceFile_Refuse(file, pl_statusCapacity, "the local form is too large");
        }
        bytes += (count[i] + 8) * sizeof(plEntry);
    }
    if (largest > plGlobalRows) {
        return plSpaceFile_Refuse(file, pl_statusCapacity,
                                  "M couples more rows than can be factored at once");
    }
    plArena arena;
    if (plArena_Create(&arena, bytes + (square + 8) * sizeof(double), allocator) != pl_statusOk) {
        return plSpaceFile_Refuse(file, pl_statusNoMemory, "no memory for the local form");
    }
    for (int i = 0; i < 3; ++i) {
        results[i]->entries = plArena_Alloc(&arena, count[i], sizeof(plEntry));
    }
    const bool good = addParts(x, plArena_Alloc(&arena, square, sizeof(double)));
    const plStatus status =
        good ? plSpaceFile_Fill(file, g->dim, &x->W, x->q, g->mu, &x->V, &x->R, x->s, allocator)
             : plSpaceFile_Refuse(file, pl_statusFileFormat,
                                  "M is not symmetric and positive definite");
    plArena_Destroy(&arena, allocator);
    return status;
}

static bool agrees(const plGlobalProblem* g)
{
    const int n = g->M.rows, m = g->H.columns;
    const bool sizes = n > 0 && g->M.columns == n && g->H.rows == n && m > 0 && m % g->dim == 0 &&
                       (g->G.columns == 0 || g->G.rows == n);
    return sizes && plEntries_AreInside(&g->M) && plEntries_AreInside(&g->H) &&
           (g->G.columns == 0 || plEntries_AreInside(&g->G));
}

plStatus plSpaceFile_FillGlobal(plSpaceFile* file, const plGlobalProblem* g,
                                const plAllocator* allocator)
{
    *file = (plSpaceFile){.known = NULL};
    if (!agrees(g)) {
        return plSpaceFile_Refuse(file, pl_statusFileFormat,
                                  "the sizes of M, H and G do not agree, or an entry is outside");
    }
    const int m = g->H.columns, others = g->G.columns;
    const size_t n = (size_t)g->M.rows, cells = (size_t)g->H.count + (size_t)g->G.count;
    const size_t bytes = (n + (size_t)g->M.count + cells) * sizeof(Cell) + 2 * n * sizeof(int) +
                         (size_t)(m + others) * sizeof(double) + 8 * 64;
    plArena arena;
    if (cells > INT_MAX || plArena_Create(&arena, bytes, allocator) != pl_statusOk) {
        return plSpaceFile_Refuse(file, pl_statusNoMemory, "no memory for the global form");
    }
    Work x = {.g = g, .n = g->M.rows, .contacts = m, .columns = m + others};
    x.part = plArena_Alloc(&arena, n, sizeof(int));
    x.local = plArena_Alloc(&arena, n, sizeof(int));
    x.places = plArena_Alloc(&arena, n, sizeof(Cell));
    x.mass = plArena_Alloc(&arena, (size_t)g->M.count, sizeof(Cell));
    x.cells = plArena_Alloc(&arena, cells, sizeof(Cell));
    x.q = plArena_Alloc(&arena, (size_t)m, sizeof(double));
    x.s = plArena_Alloc(&arena, (size_t)others, sizeof(double));
    x.W.rows = x.W.columns = x.V.rows = m;
    x.V.columns = x.R.rows = x.R.columns = others;
    for (int i = 0; i < m; ++i) x.q[i] = g->w[i];
    for (int i = 0; i < others; ++i) x.s[i] = g->b[i];
    const plStatus status = convert(file, &x, allocator);
    plArena_Destroy(&arena, allocator);
    return status;
}
