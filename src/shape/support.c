// A convex body by its support function, as a hull: corners on the body, and new ones where a face of the hull could
// be moved out by more than the tolerance before it leaves the body.
#include "shape/inside.h"

#include <string.h>

static const uint32_t cookie = 0x6c70530b; ///< "\vSpl": of the defaults

plSupportDef plDefaultSupportDef(void) { return (plSupportDef){.cookie = cookie}; }

const char* plSupport_Complaint(const plSupportDef* d)
{
    if (!d || d->cookie != cookie) return "`support` is not made by plDefaultSupportDef";
    if (!d->support) return "a support function is missing";
    return d->tolerance >= 0 && isfinite(d->tolerance)
               ? NULL
               : "the tolerance must be finite and not negative";
}

typedef struct {
    const plSupportDef* def;
    plVec3 points[plHullVertices];
    int count;
    bool full, wrong;
} Cloud;

static bool isPoint(plVec3 p)
{
    const double most = 1e6; // [m], as of all points of shapes
    return fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most;
}

static double squared(plVec3 a, plVec3 b)
{
    const plVec3 d = plSub(a, b);
    return plDot(d, d);
}

// The farthest point along d; a point that is there already, to round-off, is not put in twice.
static plVec3 ask(Cloud* c, plVec3 d, double least)
{
    const plVec3 p = c->def->support(c->def->self, d);
    bool known = false;
    c->wrong = c->wrong || !isPoint(p);
    for (int i = 0; i < c->count && !known; ++i) known = squared(c->points[i], p) <= least * least;
    if (known || c->wrong) return p;
    if (c->count == plHullVertices) {
        c->full = true;
    } else {
        c->points[c->count++] = p;
    }
    return p;
}

// Along the axes, the diagonals of their planes, and those of the octants.
static void begin(Cloud* c)
{
    for (int i = 0; i < 27; ++i) {
        const plVec3 d = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        if (plDot(d, d) > 0) ask(c, d, 0);
    }
}

static double sizeOf(const Cloud* c)
{
    plBounds b = plBounds_None();
    for (int i = 0; i < c->count; ++i) b = plBounds_Add(&b, c->points[i]);
    return plNorm(plSub(b.hi, b.lo));
}

// How far a face could be moved out before it leaves the body.
static double excessOf(Cloud* c, const plFace* f)
{
    const plVec3 p = c->def->support(c->def->self, f->n);
    c->wrong = c->wrong || !isPoint(p);
    return plDot(f->n, p) - f->d;
}

// One more round, of the faces that lack most: those beside them may be moved by it, too. Returns whether any was.
static bool refine(Cloud* c, const plPolytope* hull, double tolerance)
{
    const int before = c->count;
    double worst = 0;
    for (int i = 0; i < hull->faceCount; ++i) worst = fmax(worst, excessOf(c, &hull->faces[i]));
    const double least = fmax(tolerance, 0.5 * worst);
    for (int i = 0; i < hull->faceCount && !c->full && !c->wrong; ++i) {
        const plFace* f = &hull->faces[i];
        if (worst > tolerance && excessOf(c, f) >= least) ask(c, f->n, 0.1 * tolerance);
    }
    return c->count > before;
}

static plStatus fit(Cloud* c, plArena* arena, const plAllocator* scratch, const plPolytope** hull,
                    plShapeError* error)
{
    const size_t mark = arena->used;
    double tolerance = c->def->tolerance;
    begin(c);
    if (tolerance == 0) tolerance = 5e-3 * sizeOf(c);
    for (bool more = true; more;) {
        if (c->wrong) {
            return plShapeError_Set(
                error, pl_statusBadArgument,
                "the support function gave a point that is not finite or too far out");
        }
        if (c->full) {
            return plShapeError_Set(error, pl_statusCapacity,
                                    "the body needs more than %d corners: raise the tolerance",
                                    plHullVertices);
        }
        plArena_Rewind(arena, mark);
        const plStatus status = plHull_Build(c->points, c->count, arena, scratch, hull, error);
        if (status != pl_statusOk) return status;
        if (arena->full)
            return plShapeError_Set(error, pl_statusCapacity, "no memory for the shape");
        more = refine(c, *hull, tolerance) || c->full || c->wrong;
    }
    return pl_statusOk;
}

plStatus plSupport_Build(const plSupportDef* def, plArena* arena, const plAllocator* scratch,
                         const plPolytope** hull, plShapeError* error)
{
    Cloud* c = scratch->take(scratch->self, sizeof *c);
    if (!c) return plShapeError_Set(error, pl_statusNoMemory, "no memory for the body's corners");
    memset(c, 0, sizeof *c);
    c->def = def;
    const plStatus status = fit(c, arena, scratch, hull, error);
    scratch->release(scratch->self, c, sizeof *c);
    return status;
}
