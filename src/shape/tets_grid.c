// Meshes from grids of hexahedra: boxes, bars, tables; and mirror images.
#include "shape/tets_inside.h"

#include <string.h>

// --- grids

/// Kuhn's six tetrahedra about the diagonal 0 7; corner x + 2 y + 4 z.         (signorini 1.1)
static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                               {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

typedef struct {
    const plTetGrid* grid;
    plTets* out;
    int* point; ///< of each corner of the grid, or -1
} Builder;

/// The point of a corner, made at its first use.
static plStatus pointOf(Builder* b, int i, int j, int k, int* point)
{
    const plTetGrid* g = b->grid;
    const int x = g->wraps ? i % g->nx : i;
    const size_t corner =
        ((size_t)x * (size_t)(g->ny + 1) + (size_t)j) * (size_t)(g->nz + 1) + (size_t)k;
    if (b->point[corner] < 0) {
        const plStatus status = plTets_AddPoint(b->out, g->place(g->self, x, j, k));
        if (status != pl_statusOk) return status;
        b->point[corner] = b->out->pointCount - 1;
    }
    *point = b->point[corner];
    return pl_statusOk;
}

static plStatus addHexahedron(Builder* b, int i, int j, int k)
{
    int corner[8], tet[4];
    plStatus status = pl_statusOk;
    for (int c = 0; c < 8 && status == pl_statusOk; c++) {
        status = pointOf(b, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2), &corner[c]);
    }
    for (int t = 0; t < 6 && status == pl_statusOk; t++) {
        for (int c = 0; c < 4; c++) tet[c] = corner[kuhn[t][c]];
        status = plTets_AddTet(b->out, tet);
    }
    return status;
}

static plStatus addAll(Builder* b)
{
    const plTetGrid* g = b->grid;
    plStatus status = pl_statusOk;
    for (int i = 0; i < g->nx; i++) {
        for (int j = 0; j < g->ny; j++) {
            for (int k = 0; k < g->nz && status == pl_statusOk; k++) {
                if (g->filled && !g->filled(g->self, i, j, k)) continue;
                status = addHexahedron(b, i, j, k);
            }
        }
    }
    return status;
}

plStatus plTets_FromGrid(const plTetGrid* g, const plAllocator* allocator, plTets* tets)
{
    *tets = (plTets){.allocator = *allocator};
    if (g->nx < 1 || g->ny < 1 || g->nz < 1) return pl_statusBadArgument;
    if (6.0 * g->nx * g->ny * g->nz > plMostTets) return pl_statusCapacity;
    plScratch scratch = {.allocator = allocator};
    const size_t corners = (size_t)(g->nx + 1) * (size_t)(g->ny + 1) * (size_t)(g->nz + 1);
    Builder b = {g, tets, plScratch_Take(&scratch, corners, sizeof *b.point)};
    plStatus status = pl_statusNoMemory;
    if (b.point) {
        memset(b.point, -1, corners * sizeof *b.point);
        status = addAll(&b);
    }
    plScratch_Free(&scratch);
    if (status == pl_statusOk) plTets_Orient(tets);
    if (status != pl_statusOk) plTets_Free(tets);
    return status;
}

// --- boxes

typedef struct {
    int n[3];
    plVec3 lo, hi;
} Box;

// Both ends are met exactly, and a box about the origin is symmetric to the last bit.
static double between(double lo, double hi, int i, int n) { return (lo * (n - i) + hi * i) / n; }

static plVec3 boxPlace(const void* self, int i, int j, int k)
{
    const Box* b = self;
    return plVec(between(b->lo.x, b->hi.x, i, b->n[0]), between(b->lo.y, b->hi.y, j, b->n[1]),
                 between(b->lo.z, b->hi.z, k, b->n[2]));
}

plStatus plTets_Box(int nx, int ny, int nz, plVec3 lo, plVec3 hi, const plAllocator* allocator,
                    plTets* tets)
{
    const Box box = {{nx, ny, nz}, lo, hi};
    const plTetGrid grid = {nx, ny, nz, .place = boxPlace, .self = &box};
    *tets = (plTets){.allocator = *allocator};
    if (!plFinite3(lo) || !plFinite3(hi)) return pl_statusBadArgument;
    if (!(lo.x < hi.x && lo.y < hi.y && lo.z < hi.z)) return pl_statusBadArgument;
    return plTets_FromGrid(&grid, allocator, tets);
}

plStatus plTets_Bar(double length, double side, int across, const plAllocator* allocator,
                    plTets* tets)
{
    *tets = (plTets){.allocator = *allocator};
    const double along = round(length / side * across);
    if (!(length > 0 && side > 0 && across > 0) || !(along <= plMostTets)) {
        return pl_statusBadArgument;
    }
    return plTets_Box(along < 1 ? 1 : (int)along, across, across, plVec(0, -side / 2, -side / 2),
                      plVec(length, side / 2, side / 2), allocator, tets);
}

// --- mirror

static double* coordinate(plVec3* p, int axis)
{
    return axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z;
}

static plStatus addImages(plTets* t, int axis, int points, int* image)
{
    plStatus status = pl_statusOk;
    for (int i = 0; i < points && status == pl_statusOk; i++) {
        plVec3 p = t->points[i];
        double* x = coordinate(&p, axis);
        image[i] = i;
        if (*x == 0) continue;
        *x = -*x;
        image[i] = t->pointCount;
        status = plTets_AddPoint(t, p);
    }
    return status;
}

plStatus plTets_Mirror(plTets* t, int axis)
{
    const int points = t->pointCount, tets = t->tetCount;
    plScratch scratch = {.allocator = &t->allocator};
    if (axis < 0 || axis > 2) return pl_statusBadArgument;
    int* image = plScratch_Take(&scratch, (size_t)points, sizeof *image);
    plStatus status = image ? addImages(t, axis, points, image) : pl_statusNoMemory;
    for (int i = 0; i < tets && status == pl_statusOk; i++) {
        const int* v = &t->tets[4 * (size_t)i];
        // An image is turned inside out.
        const int turned[4] = {image[v[0]], image[v[1]], image[v[3]], image[v[2]]};
        status = plTets_AddTet(t, turned);
    }
    plScratch_Free(&scratch);
    if (status != pl_statusOk) t->pointCount = points, t->tetCount = tets;
    return status;
}

// --- table

// Millimetres, so that all lines are whole numbers or simple fractions.
enum { tableSide = 240, legSide = 30, between6 = 6, tableLayers = 10, legLayers = 8 };

typedef struct {
    int cells, beams;
} Table;

/// Lines of x and y: `cells` to a leg, six between legs.
static double tableLine(const Table* t, int i)
{
    const int inner = tableSide - 2 * legSide, far = t->cells + between6;
    if (i <= t->cells) return between(0, legSide, i, t->cells);
    if (i <= far) return between(legSide, legSide + inner, i - t->cells, between6);
    return between(tableSide - legSide, tableSide, i - far, t->cells);
}

static plVec3 tablePlace(const void* self, int i, int j, int k)
{
    const Table* t = self;
    return plVec(tableLine(t, i) / 1000, tableLine(t, j) / 1000, k / 100.0);
}

/// Over a leg's width, on either side.
static bool atSide(const Table* t, int i) { return i < t->cells || i >= t->cells + between6; }

static bool tableFilled(const void* self, int i, int j, int k)
{
    const Table* t = self;
    const bool x = atSide(t, i), y = atSide(t, j), beam = k == 1 || k == 2;
    if (k >= legLayers || (x && y)) return true;
    return beam && ((t->beams >= 1 && y) || (t->beams >= 2 && x));
}

plStatus plTets_Table(int cells, int beams, const plAllocator* allocator, plTets* tets)
{
    const Table table = {cells, beams};
    *tets = (plTets){.allocator = *allocator};
    if (cells < 1 || cells > 100 || beams < 0 || beams > 2) return pl_statusBadArgument;
    const int n = 2 * cells + between6;
    const plTetGrid grid = {n, n, tableLayers, false, tableFilled, tablePlace, &table};
    return plTets_FromGrid(&grid, allocator, tets);
}
