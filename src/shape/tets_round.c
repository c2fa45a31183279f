// Round meshes from grids of hexahedra: clips, pipes, half balls.
#include "shape/tets_inside.h"

// --- clip
// A quarter in three coordinates: along the arc, outward (through the ring, then up the handle),
// along z. Above the handle's arc the columns go straight up from the ring to a flat top.

static const double degree = PL_PI / 180;

plClipDef plDefaultClipDef(void)
{
    return (plClipDef){.innerRadius = 9.9e-3,
                       .thickness = 1.8e-3,
                       .depth = 20e-3,
                       .handleAngle = 30 * degree,
                       .tipAngle = 115 * degree,
                       .handleLength = 60.2989550707e-3,
                       .handleCells = 3,
                       .armCells = 9,
                       .radialCells = 2,
                       .depthCells = 1,
                       .lengthCells = 8};
}

static double clipAngle(const plClipDef* d, int i)
{
    if (i <= d->handleCells) return d->handleAngle * i / d->handleCells;
    return d->handleAngle + (d->tipAngle - d->handleAngle) * (i - d->handleCells) / d->armCells;
}

static plVec3 clipPlace(const void* self, int i, int j, int k)
{
    const plClipDef* d = self;
    const double angle = clipAngle(d, i), z = d->depth / 2 * k / d->depthCells;
    const double outer = d->innerRadius + d->thickness;
    const int ring = j < d->radialCells ? j : d->radialCells;
    const double r = d->innerRadius + d->thickness * ring / d->radialCells;
    const double x = i == 0 ? 0 : r * sin(angle), y = r * cos(angle);
    const double top = outer + d->handleLength, up = (double)(j - ring) / d->lengthCells;
    return plVec(x, y + (top - y) * up, z);
}

static bool clipFilled(const void* self, int i, int j, int k)
{
    const plClipDef* d = self;
    (void)k;
    return j < d->radialCells || i < d->handleCells;
}

static bool isClip(const plClipDef* d)
{
    const double lengths[] = {d->innerRadius, d->thickness, d->depth, d->handleLength};
    const int counts[] = {d->handleCells, d->armCells, d->radialCells, d->depthCells,
                          d->lengthCells};
    for (int i = 0; i < PL_COUNT(lengths); i++) {
        if (!(lengths[i] > 0 && lengths[i] < 1e6)) return false;
    }
    for (int i = 0; i < PL_COUNT(counts); i++) {
        if (counts[i] < 1 || counts[i] > 1000) return false;
    }
    return d->handleAngle > 0 && d->handleAngle < PL_PI / 2 && d->tipAngle > d->handleAngle &&
           d->tipAngle < PL_PI;
}

plStatus plTets_Clip(const plClipDef* d, const plAllocator* allocator, plTets* tets)
{
    *tets = (plTets){.allocator = *allocator};
    if (!isClip(d)) return pl_statusBadArgument;
    const plTetGrid grid = {.nx = d->handleCells + d->armCells,
                            .ny = d->radialCells + d->lengthCells,
                            .nz = d->depthCells,
                            .filled = clipFilled,
                            .place = clipPlace,
                            .self = d};
    plStatus status = plTets_FromGrid(&grid, allocator, tets);
    if (status == pl_statusOk) status = plTets_Mirror(tets, 0);
    if (status == pl_statusOk) status = plTets_Mirror(tets, 2);
    if (status != pl_statusOk) plTets_Free(tets);
    return status;
}

// --- pipe

plPipeDef plDefaultPipeDef(void)
{
    return (plPipeDef){.outerRadius = 10e-3,
                       .wall = 1e-3,
                       .length = 40e-3,
                       .sectors = 24,
                       .radialCells = 1,
                       .lengthCells = 10};
}

static plVec3 pipePlace(const void* self, int i, int j, int k)
{
    const plPipeDef* d = self;
    const double angle = 2 * PL_PI * i / d->sectors;
    const double r = d->outerRadius - d->wall * (d->radialCells - j) / d->radialCells;
    return plVec(r * cos(angle), r * sin(angle), d->length * k / d->lengthCells);
}

plStatus plTets_Pipe(const plPipeDef* d, const plAllocator* allocator, plTets* tets)
{
    *tets = (plTets){.allocator = *allocator};
    const bool sized = d->wall > 0 && d->wall < d->outerRadius && d->outerRadius < 1e6 &&
                       d->length > 0 && d->length < 1e6;
    if (!sized || d->sectors < 3) return pl_statusBadArgument;
    const plTetGrid grid = {.nx = d->sectors,
                            .ny = d->radialCells,
                            .nz = d->lengthCells,
                            .wraps = true,
                            .place = pipePlace,
                            .self = d};
    return plTets_FromGrid(&grid, allocator, tets);
}

// --- half ball
// A quarter of half a cube, drawn along rays from the centre onto the ball: p |p|_max/|p|. Corners
// of cells on the cube's edges become flat there; the diagonals of all faces run from the axis to
// the outside, so that no tetrahedron has all its corners on such a flat corner.

plHemisphereDef plDefaultHemisphereDef(void)
{
    return (plHemisphereDef){.radius = 10e-3, .finest = 0.17e-3, .cells = 14, .layers = 12};
}

typedef struct {
    const plHemisphereDef* def;
    double across, along; // ratio of a cell to its neighbour
} Hemisphere;

/// Sum of i cells that grow by a ratio from 1.
static double grown(double ratio, int i)
{
    double sum = 0, cell = 1;
    for (int k = 0; k < i; k++) sum += cell, cell *= ratio;
    return sum;
}

/// The ratio by which n cells that begin with `first` fill 1, by halving.
static double ratioFor(double first, int n)
{
    double lo = 1, hi = 100;
    for (int i = 0; i < 100; i++) {
        const double middle = (lo + hi) / 2;
        if (first * grown(middle, n) < 1) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return lo;
}

static plVec3 hemispherePlace(const void* self, int i, int j, int k)
{
    const Hemisphere* h = self;
    const int n = h->def->cells, m = h->def->layers;
    const double width = grown(h->across, n), depth = grown(h->along, m);
    // k counts from the flat face to the pole.
    const plVec3 p = {grown(h->across, i) / width, grown(h->across, j) / width,
                      -(1 - grown(h->along, m - k) / depth)};
    const double most = fmax(p.x, fmax(p.y, -p.z)), norm = plNorm(p);
    return norm > 0 ? plScale(h->def->radius * most / norm, p) : p;
}

plStatus plTets_Hemisphere(const plHemisphereDef* d, const plAllocator* allocator, plTets* tets)
{
    *tets = (plTets){.allocator = *allocator};
    const int most = d->cells > d->layers ? d->cells : d->layers;
    if (!(d->radius > 0 && d->radius < 1e6) || d->cells < 1 || d->layers < 1 || most > 1000) {
        return pl_statusBadArgument;
    }
    const double first = d->finest / d->radius;
    if (!(first > 1e-6 && first * most < 1)) return pl_statusBadArgument;
    const Hemisphere h = {d, ratioFor(first, d->cells), ratioFor(first, d->layers)};
    const plTetGrid grid = {
        .nx = d->cells, .ny = d->cells, .nz = d->layers, .place = hemispherePlace, .self = &h};
    return plTets_FromGrid(&grid, allocator, tets);
}
