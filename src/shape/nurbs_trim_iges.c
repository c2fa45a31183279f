// Trimmed surfaces of IGES:
//   144  a surface, whether it has an outer boundary of its own, how many holes, and these: 142
//   142  a curve on a surface: how it was made, the surface, its curve in the parameters, in space
//   102  curves one after the other      100  an arc, counter-clockwise      110  a line
//   126  a rational B-spline curve, as 128
// Curves in the parameters become lines of points, as near to them as TOLERANCE of the patch. Those in
// space are not read.
#include "shape/nurbs_iges.h"

#define TOLERANCE 1e-5
#define GAP 1e-3 // that curves of one loop may leave between them, of the patch

enum { curveDepth = 4, halvings = 7, arcPieces = 8 };

/// A loop on its way.
typedef struct {
    plIges* g;
    int line; // for messages
    int patch;
    double lo[2], width[2]; // of the patch's parameters
    int begin;              // points before this loop
    bool open;              // the next point follows a curve that ended
} Trimmer;

static bool fail(Trimmer* t, const char* sentence) { return plIges_Fail(t->g, t->line, sentence); }

// --- points

static double apart(const Trimmer* t, const double* a, const double* b)
{
    return hypot((a[0] - b[0]) / t->width[0], (a[1] - b[1]) / t->width[1]);
}

// A file that refers to one curve again and again must not grow without end.
static bool addPoint(Trimmer* t, const double* p)
{
    plPatches* out = t->g->r->out;
    const bool first = out->trimCount == t->begin;
    const double* last = first ? p : out->trims + 2 * (size_t)(out->trimCount - 1);
    const double most = plLower(plTrimPoints, 4096 + (double)(t->g->r->end - t->g->r->bytes));
    if (!isfinite(p[0]) || !isfinite(p[1])) return fail(t, "a trimming curve is not finite");
    if (out->trimCount >= most) return fail(t, "the trimming curves have too many points");
    if (t->open && apart(t, p, last) > GAP) {
        return fail(t, "the curves of a loop do not meet");
    }
    t->open = false;
    if (plPatches_AddTrim(out, p[0], p[1])) return true;
    return plTriangleReader_Fail(&t->g->r->words, pl_statusNoMemory, 0, "no memory for the loops");
}

/// A curve over [0, 1], and where a matrix puts it.
typedef struct {
    int entity;
    int degree, count;   // of a spline; 0: an arc
    const double* knots; // over the part that is used
    const double* net;   // wx wy wz w
    double from, to;
    double center[2], radius, angle, sweep;
    double z;
} Curve;

static int spanOf(const Curve* c, double x)
{
    int lo = c->degree, hi = c->count - 1;
    while (lo < hi) {
        const int middle = lo + (hi - lo + 1) / 2;
        if (x >= c->knots[middle]) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return lo;
}

// De Boor's scheme.
static plVec3 splineAt(const Curve* c, double x)
{
    const int p = c->degree, span = spanOf(c, x);
    double d[plOrder][4];
    for (int i = 0; i <= p; i++) {
        for (int k = 0; k < 4; k++) d[i][k] = c->net[4 * (span - p + i) + k];
    }
    for (int r = 1; r <= p; r++) {
        for (int j = p; j >= r; j--) {
            const double lo = c->knots[j + span - p], hi = c->knots[j + 1 + span - r];
            const double share = hi > lo ? (x - lo) / (hi - lo) : 0;
            for (int k = 0; k < 4; k++) d[j][k] += (1 - share) * (d[j - 1][k] - d[j][k]);
        }
    }
    return plScale(1 / d[p][3], plGet3(d[p]));
}

static bool pointAt(Trimmer* t, const Curve* c, double s, double uv[2])
{
    const double x = c->from + s * (c->to - c->from), angle = c->angle + s * c->sweep;
    plVec3 p = {c->center[0] + c->radius * cos(angle), c->center[1] + c->radius * sin(angle), c->z};
    if (c->degree > 0) p = splineAt(c, x);
    if (!plIges_Move(t->g, c->entity, &p, 1)) return false;
    uv[0] = p.x, uv[1] = p.y;
    return true;
}

static bool isFlat(const Trimmer* t, const double* a, const double* b, const double* middle)
{
    const double mean[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    return apart(t, mean, middle) <= TOLERANCE;
}

/// From s (not included) to e, in halves as long as the middles of both halves are off the chord.
static bool flatten(Trimmer* t, const Curve* c, double s, const double* a, double e,
                    const double* b, int depth)
{
    double m[2], q[2], r[2];
    const double half = 0.5 * (s + e);
    if (!pointAt(t, c, half, m) || !pointAt(t, c, 0.5 * (s + half), q) ||
        !pointAt(t, c, 0.5 * (half + e), r)) {
        return false;
    }
    if (depth == 0 || (isFlat(t, a, b, m) && isFlat(t, a, m, q) && isFlat(t, m, b, r))) {
        return addPoint(t, b);
    }
    return flatten(t, c, s, a, half, m, depth - 1) && flatten(t, c, half, m, e, b, depth - 1);
}

/// One smooth piece of a curve.
static bool addPiece(Trimmer* t, const Curve* c, double s, double e)
{
    double a[2], b[2];
    return pointAt(t, c, s, a) && pointAt(t, c, e, b) && (s > 0 || addPoint(t, a)) &&
           flatten(t, c, s, a, e, b, halvings);
}

// --- curves

static bool addLine(Trimmer* t, plIgesTape* tape, int entity)
{
    double x[6];
    if (!plIges_Numbers(tape, x, 6)) return false;
    plVec3 ends[2] = {plGet3(x), plGet3(x + 3)};
    if (!plIges_Move(t->g, entity, ends, 2)) return false;
    return addPoint(t, (double[2]){ends[0].x, ends[0].y}) &&
           addPoint(t, (double[2]){ends[1].x, ends[1].y});
}

// A whole turn where start and end are one.
static bool addArc(Trimmer* t, plIgesTape* tape, int entity)
{
    double x[7];
    if (!plIges_Numbers(tape, x, 7)) return false;
    const double *o = x + 1, *from = x + 3, *to = x + 5;
    const double start = atan2(from[1] - o[1], from[0] - o[0]);
    const double end = atan2(to[1] - o[1], to[0] - o[0]);
    const double turn = end - start;
    const Curve c = {.entity = entity,
                     .center = {o[0], o[1]},
                     .radius = hypot(from[0] - o[0], from[1] - o[1]),
                     .angle = start,
                     .sweep = turn > 1e-12 ? turn : turn + 2 * PL_PI,
                     .z = x[0]};
    if (!(c.radius > 0)) return fail(t, "an arc has no radius");
    for (int i = 0; i < arcPieces; i++) {
        if (!addPiece(t, &c, (double)i / arcPieces, (i + 1.0) / arcPieces)) return false;
    }
    return true;
}

static bool addSpans(Trimmer* t, const Curve* c)
{
    const double width = c->to - c->from;
    double s = 0;
    for (int i = c->degree; i < c->count; i++) {
        const double e = plLower(1, (c->knots[i + 1] - c->from) / width);
        if (!(e > s)) continue;
        if (!addPiece(t, c, s, e)) return false;
        s = e;
    }
    return s >= 1 - 1e-9 || fail(t, "a curve begins or ends outside of its knots");
}

static const char* checkSpline(const Curve* c)
{
    const double lo = c->knots[c->degree], hi = c->knots[c->count];
    for (int i = 1; i <= c->count + c->degree; i++) {
        if (c->knots[i] < c->knots[i - 1]) return "the knots of a curve decrease";
    }
    for (int i = 0; i < c->count; i++) {
        if (!(c->net[4 * i + 3] > 0)) return "a weight of a curve is not positive";
    }
    if (!(c->to > c->from)) return "a curve has no length";
    const double slack = 1e-9 * (hi - lo);
    return c->from >= lo - slack && c->to <= hi + slack
               ? NULL
               : "a curve begins or ends outside of its knots";
}

// K the last index of points, M the degree, four flags; knots; weights; points; from where to where.
static bool readSpline(Trimmer* t, plIgesTape* tape, plScratch* scratch, Curve* c)
{
    double head[6], range[2];
    if (!plIges_Numbers(tape, head, 6)) return false;
    const double points = head[0] + 1, degree = head[1];
    if (!(degree >= 1 && degree <= plPatchDegree && points > degree && points <= plPatchPoints &&
          points <= (double)(t->g->r->end - t->g->r->bytes)) ||
        points != floor(points) || degree != floor(degree)) {
        return fail(t, "the degree or the count of a curve is out of range");
    }
    c->count = (int)points, c->degree = (int)degree;
    const int knots = c->count + c->degree + 1;
    double* k = plScratch_Take(scratch, (size_t)knots, sizeof *k);
    double* net = plScratch_Take(scratch, 4 * (size_t)c->count, sizeof *net);
    if (!k || !net) {
        return plTriangleReader_Fail(&t->g->r->words, pl_statusNoMemory, 0,
                                     "no memory for a curve");
    }
    c->knots = k, c->net = net;
    if (!plIges_Numbers(tape, k, knots)) return false;
    for (int i = 0; i < c->count; i++) {
        if (!plIges_Number(tape, &net[4 * i + 3])) return false;
    }
    for (int i = 0; i < c->count; i++) {
        if (!plIges_Numbers(tape, &net[4 * i], 3)) return false;
        for (int j = 0; j < 3; j++) net[4 * i + j] *= net[4 * i + 3];
    }
    if (!plIges_Numbers(tape, range, 2)) return false;
    c->from = range[0], c->to = range[1];
    const char* why = checkSpline(c);
    return !why || fail(t, why);
}

static bool addSpline(Trimmer* t, plIgesTape* tape, int entity)
{
    plScratch scratch = {.allocator = &t->g->r->out->allocator};
    Curve c = {.entity = entity};
    const bool good = readSpline(t, tape, &scratch, &c) && addSpans(t, &c);
    plScratch_Free(&scratch);
    return good;
}

static bool addCurve(Trimmer* t, double pointer, int depth)
{
    int entity, kind;
    double count, child;
    plIgesTape tape;
    if (!plIges_Entity(t->g, t->line, pointer, &entity, &kind)) return false;
    if (kind != 100 && kind != 102 && kind != 110 && kind != 126) {
        return plTriangleReader_Fail(&t->g->r->words, pl_statusFileFormat, t->line + 1,
                                     "a trimming curve is of the kind %d, not 100, 102, 110 or 126",
                                     kind);
    }
    if (!plIges_Parameters(t->g, entity, kind, &tape)) return false;
    t->line = tape.line;
    t->open = true;
    if (kind == 100) return addArc(t, &tape, entity);
    if (kind == 110) return addLine(t, &tape, entity);
    if (kind == 126) return addSpline(t, &tape, entity);
    if (depth == 0) return fail(t, "composite curves are too deep");
    if (!plIges_Number(&tape, &count)) return false;
    if (!(count >= 1)) return fail(t, "a composite curve has no curves");
    for (double i = 0; i < count; i++) {
        if (!plIges_Number(&tape, &child) || !addCurve(t, child, depth - 1)) return false;
    }
    return true;
}

// --- loops

static bool addLoop(Trimmer* t, double pointer, double surface)
{
    int entity, kind;
    double x[5];
    plIgesTape tape;
    plPatches* out = t->g->r->out;
    if (!plIges_Entity(t->g, t->line, pointer, &entity, &kind)) return false;
    if (kind != 142) return fail(t, "a boundary is no curve on a surface (142)");
    if (!plIges_Parameters(t->g, entity, kind, &tape) || !plIges_Numbers(&tape, x, 5)) return false;
    t->line = tape.line;
    if (x[1] != surface) return fail(t, "a boundary lies on another surface");
    if (x[2] == 0) return fail(t, "a boundary has no curve in the parameters of its surface");
    if (!plPatches_BeginLoop(out, t->patch)) {
        return plTriangleReader_Fail(&t->g->r->words, pl_statusNoMemory, 0,
                                     "no memory for the loops");
    }
    t->begin = out->trimCount;
    if (!addCurve(t, x[2], curveDepth)) return false;
    const int count = out->trimCount - t->begin;
    if (count < 4) return fail(t, "a boundary encloses nothing");
    const double *first = out->trims + 2 * (size_t)t->begin,
                 *last = first + 2 * (size_t)(count - 1);
    return apart(t, first, last) <= GAP || fail(t, "a boundary is not closed");
}

// Its boundary is that of its parameters: a loop outside of them.
static bool addWhole(Trimmer* t)
{
    static const double corners[4][2] = {{-1, -1}, {2, -1}, {2, 2}, {-1, 2}};
    t->begin = t->g->r->out->trimCount;
    if (!plPatches_BeginLoop(t->g->r->out, t->patch)) {
        return plTriangleReader_Fail(&t->g->r->words, pl_statusNoMemory, 0,
                                     "no memory for the loops");
    }
    for (int i = 0; i < 4; i++) {
        const double p[2] = {t->lo[0] + corners[i][0] * t->width[0],
                             t->lo[1] + corners[i][1] * t->width[1]};
        if (!addPoint(t, p)) return false;
    }
    return true;
}

static Trimmer trimmerOf(plIges* g, int line, int patch)
{
    const plPatchDef* d = &g->r->out->patches[patch];
    const double *U = d->knotsU, *V = d->knotsV;
    return (Trimmer){
        .g = g,
        .line = line,
        .patch = patch,
        .lo = {U[d->degreeU], V[d->degreeV]},
        .width = {U[d->countU] - U[d->degreeU], V[d->countV] - V[d->degreeV]},
    };
}

// Surfaces of other kinds are not read, nor is what trims them.
static bool readTrimmed(plIges* g, int entity)
{
    int surface, kind;
    double x[4], hole;
    plIgesTape tape;
    if (!plIges_Parameters(g, entity, 144, &tape)) return false;
    const int line = tape.line;
    if (!plIges_Numbers(&tape, x, 4)) return false;
    if (!plIges_Entity(g, line, x[0], &surface, &kind)) return false;
    if (g->patches[surface] == 0) return true;
    if (x[1] == 0 && x[2] == 0) return true;
    Trimmer t = trimmerOf(g, line, g->patches[surface] - 1);
    if (x[1] == 0 ? !addWhole(&t) : !addLoop(&t, x[3], x[0])) return false;
    for (double i = 0; i < x[2]; i++) {
        t.line = line;
        if (!plIges_Number(&tape, &hole) || !addLoop(&t, hole, x[0])) return false;
    }
    return true;
}

bool plIges_Trims(plIges* g)
{
    for (int entity = 0; 2 * entity + 1 < g->directory.count; entity++) {
        int kind;
        if (!plIges_Directory(g, entity, plIgesKind, &kind)) return false;
        if (kind == 144 && !readTrimmed(g, entity)) return false;
    }
    return true;
}
