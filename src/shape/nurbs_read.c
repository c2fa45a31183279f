// Files of patches: telling formats apart, patch lists, and what every read patch goes through.
// Patch lists are numbers, with blanks or commas between them:
//   count, then for each patch two degrees and its points               (x y z, those of one u first)
//   count, then for each patch 16 numbers of points from 1, then count and points
#include "shape/nurbs_patches.h"

#include <string.h>

enum { fileLimit = 1 << 30 };

// --- patches on their way

static bool inRange(double x, double lo, double hi) { return x >= lo && x <= hi; }

bool plPatchReader_Add(plPatchReader* r, int line, double degreeU, double degreeV, double countU,
                       double countV, plPatchRoom* room)
{
    if (r->out->count >= plShapePatches) {
        return plTriangleReader_Fail(&r->words, pl_statusCapacity, line, "more than %d patches",
                                     plShapePatches);
    }
    if (!inRange(degreeU, 1, plPatchDegree) || !inRange(degreeV, 1, plPatchDegree)) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, line,
                                     "the degrees of a patch are %g and %g, not 1 to %d", degreeU,
                                     degreeV, plPatchDegree);
    }
    if (!(countU > degreeU && countV > degreeV && countU * countV <= plPatchPoints)) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, line,
                                     "a patch has %g x %g control points", countU, countV);
    }
    r->numbers += (size_t)(countU * countV);
    if (r->numbers > (size_t)(r->end - r->bytes)) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, line,
                                     "the file is too short for its patches");
    }
    if (plPatches_Add(r->out, (int)degreeU, (int)degreeV, (int)countU, (int)countV, room)) {
        return true;
    }
    return plTriangleReader_Fail(&r->words, pl_statusNoMemory, 0, "no memory for the patches");
}

bool plPatchReader_Check(plPatchReader* r, int line)
{
    const char* why = plNurbs_CheckPatch(&r->out->patches[r->out->count - 1]);
    return !why || plTriangleReader_Fail(&r->words, pl_statusFileFormat, line, "patch %d: %s",
                                         r->out->count - 1, why);
}

// --- patch lists

typedef struct {
    plPatchReader* r;
    const char* at;
    int line;
} List;

static void skip(List* l)
{
    while (l->at < l->r->end && strchr(" \t\r\n,", *l->at)) {
        if (*l->at == '\n') l->line++;
        l->at++;
    }
}

static bool readReal(List* l, const char* what, double* x)
{
    skip(l);
    const char* from = l->at;
    if (l->at < l->r->end && plReadNumber(&l->at, x)) return true;
    return plTriangleReader_Fail(&l->r->words, pl_statusFileFormat, l->line,
                                 "%s expected, found '%.16s'", what, from);
}

static bool readInt(List* l, const char* what, int lo, int hi, int* value)
{
    double x;
    skip(l);
    const int line = l->line;
    if (!readReal(l, what, &x)) return false;
    *value = inRange(x, lo, hi) ? (int)x : 0;
    return (inRange(x, lo, hi) && *value == x) ||
           plTriangleReader_Fail(&l->r->words, pl_statusFileFormat, line,
                                 "%s is %g, not an integer from %d to %d", what, x, lo, hi);
}

static bool readPoint(List* l, plVec3* p)
{
    return readReal(l, "a coordinate", &p->x) && readReal(l, "a coordinate", &p->y) &&
           readReal(l, "a coordinate", &p->z);
}

static void setBezier(double* knots, int degree)
{
    for (int i = 0; i <= degree; i++) knots[i] = 0, knots[degree + 1 + i] = 1;
}

static bool addBezier(List* l, int degreeU, int degreeV, plPatchRoom* room)
{
    const int points = (degreeU + 1) * (degreeV + 1);
    if (!plPatchReader_Add(l->r, l->line, degreeU, degreeV, degreeU + 1, degreeV + 1, room)) {
        return false;
    }
    setBezier(room->knotsU, degreeU);
    setBezier(room->knotsV, degreeV);
    for (int i = 0; i < points; i++) {
        room->weights[i] = 1;
        room->points[i] = plVec(0, 0, 0);
    }
    return true;
}

static bool readPlainPatch(List* l)
{
    int p, q;
    plPatchRoom room;
    if (!readInt(l, "a degree", 1, plPatchDegree, &p)) return false;
    if (!readInt(l, "a degree", 1, plPatchDegree, &q)) return false;
    if (!addBezier(l, p, q, &room)) return false;
    for (int i = 0; i < (p + 1) * (q + 1); i++) {
        if (!readPoint(l, &room.points[i])) return false;
    }
    return true;
}

/// Numbers of points, kept as the points' x until the points are known.
static bool readIndexPatch(List* l)
{
    int index;
    plPatchRoom room;
    if (!addBezier(l, 3, 3, &room)) return false;
    for (int i = 0; i < 16; i++) {
        if (!readInt(l, "the number of a point", 1, plPatchPoints, &index)) return false;
        room.points[i].x = index;
    }
    return true;
}

static bool readIndexed(List* l, int count)
{
    int points;
    for (int i = 0; i < count; i++) {
        if (!readIndexPatch(l)) return false;
    }
    if (!readInt(l, "the number of points", 1, plPatchPoints, &points)) return false;
    plScratch scratch = {.allocator = &l->r->out->allocator};
    // A point takes six bytes at least.
    const bool fits = (size_t)points <= (size_t)(l->r->end - l->r->bytes) / 5;
    plVec3* p = fits ? plScratch_Take(&scratch, (size_t)points, sizeof *p) : NULL;
    bool good = p || plTriangleReader_Fail(&l->r->words,
                                           fits ? pl_statusNoMemory : pl_statusFileFormat, l->line,
                                           fits ? "no memory for the points"
                                                : "the file is too short for its points");
    for (int i = 0; i < points && good; i++) good = readPoint(l, &p[i]);
    for (int i = 0; i < 16 * count && good; i++) {
        // The block is the reader's own; only its users may not write.
        plVec3* to = (plVec3*)(uintptr_t)&l->r->out->patches[i / 16].points[i % 16];
        const int index = (int)to->x;
        good = index <= points || plTriangleReader_Fail(&l->r->words, pl_statusFileFormat, 0,
                                                        "patch %d names point %d, and there are %d",
                                                        i / 16, index, points);
        if (good) *to = p[index - 1];
    }
    plScratch_Free(&scratch);
    return good;
}

/// How many numbers stand in this line.
static int numbersInLine(const List* l)
{
    const char* at = l->at;
    int count = 0;
    while (at < l->r->end && *at != '\n' && count < 64) {
        const bool gap = strchr(" \t\r,", *at) != NULL;
        const bool before = at == l->at || strchr(" \t\r,", at[-1]) != NULL;
        count += !gap && before;
        at++;
    }
    return count;
}

static bool readList(plPatchReader* r)
{
    List l = {r, r->bytes, 1};
    int count;
    if (!readInt(&l, "the number of patches", 1, plShapePatches, &count)) return false;
    skip(&l);
    if (numbersInLine(&l) != 2) return readIndexed(&l, count);
    for (int i = 0; i < count; i++) {
        if (!readPlainPatch(&l)) return false;
    }
    return true;
}

// --- every file

/// Volume, six times, of the control nets' triangles as seen from o, and their area as a vector, twice.
static double volumeOf(const plPatches* out, plVec3 o, plVec3* area)
{
    double sum = 0;
    *area = plVec(0, 0, 0);
    for (int k = 0; k < out->count; k++) {
        const plPatchDef* d = &out->patches[k];
        for (int i = 0; i + 1 < d->countU; i++) {
            for (int j = 0; j + 1 < d->countV; j++) {
                const plVec3* p = &d->points[i * d->countV + j];
                const plVec3 a = plSub(p[0], o), b = plSub(p[d->countV], o);
                const plVec3 c = plSub(p[d->countV + 1], o), e = plSub(p[1], o);
                const plVec3 n = plCross(plSub(c, a), plSub(e, b)); // of both triangles
                sum += plDot(a, plCross(b, c)) + plDot(a, plCross(c, e));
                *area = plAdd(*area, n);
            }
        }
    }
    return sum;
}

// The sign of the volume tells which way the patches face. Seen from another place by x it is less by
// x.area, which is zero where the surface closes: where that can turn the sign within the bounds, the
// surface is too open to tell.
static void tellSide(plPatches* out, const plBounds* b)
{
    const plVec3 half = plScale(0.5, plSub(b->hi, b->lo));
    plVec3 area;
    const double volume = volumeOf(out, plScale(0.5, plAdd(b->lo, b->hi)), &area);
    const double swing = plDot(half, plVec(fabs(area.x), fabs(area.y), fabs(area.z)));
    out->eitherSide = !(fabs(volume) > swing);
    out->inward = volume < 0 && !out->eitherSide;
}

static bool finish(plPatchReader* r, double scale)
{
    plPatches* out = r->out;
    plBounds b = plBounds_None();
    if (out->count == 0) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0, "the file has no patch");
    }
    for (int k = 0; k < out->count; k++) {
        const plPatchDef* d = &out->patches[k];
        plVec3* p = (plVec3*)(uintptr_t)d->points; // the reader's own
        for (int i = 0; i < d->countU * d->countV; i++) {
            p[i] = plScale(scale, p[i]);
            b = plBounds_Add(&b, p[i]);
            if (fabs(p[i].x) <= 1e6 && fabs(p[i].y) <= 1e6 && fabs(p[i].z) <= 1e6) continue;
            return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                         "a point of patch %d lies farther out than 1e6 m", k);
        }
    }
    tellSide(out, &b);
    return true;
}

static void parse(plPatchReader* r, const void* bytes, size_t size, double scale)
{
    // Readers may look at the byte behind the last one.
    plScratch scratch = {.allocator = &r->out->allocator};
    char* text = plScratch_Take(&scratch, size + 1, 1);
    bool good = false;
    if (!text) {
        plTriangleReader_Fail(&r->words, pl_statusNoMemory, 0, "no memory for the file");
    } else {
        if (size > 0) memcpy(text, bytes, size);
        r->bytes = text;
        r->end = text + size;
        good = plLooksLikeIges(text, size) ? plReadIges(r) : readList(r);
        good = good && finish(r, scale);
    }
    plScratch_Free(&scratch);
    if (!good) plPatches_Free(r->out);
}

static plPatchReader begin(const char* name, const plAllocator* allocator, plPatches* out,
                           plShapeError* error)
{
    const plAllocator standard = plDefaultAllocator();
    *error = (plShapeError){0};
    *out = (plPatches){.allocator = allocator ? *allocator : standard};
    return (plPatchReader){.words = {name, NULL, error}, .out = out};
}

plStatus plPatches_Parse(const char* name, const void* bytes, size_t size, double scale,
                         const plAllocator* allocator, plPatches* out, plShapeError* error)
{
    PL_ASSERT(name && (bytes || size == 0) && out);
    plShapeError own;
    plPatchReader r = begin(name, allocator, out, error ? error : &own);
    if (!(scale > 0 && scale <= 1e6)) {
        plTriangleReader_Fail(&r.words, pl_statusBadArgument, 0, "the scale must be positive");
    } else if (size > fileLimit) {
        plTriangleReader_Fail(&r.words, pl_statusFileFormat, 0, "the file is larger than 1 GiB");
    } else {
        parse(&r, bytes, size, scale);
    }
    return r.words.error->status;
}

plStatus plPatches_Load(const char* path, double scale, const plAllocator* allocator,
                        plPatches* out, plShapeError* error)
{
    plShapeError own;
    plPatchReader r = begin(path, allocator, out, error ? error : &own);
    const plAllocator kept = out->allocator; // Parse begins anew
    plScratch scratch = {.allocator = &kept};
    size_t size;
    const char* bytes = plReadFile(&r.words, path, &scratch, &size);
    if (bytes) plPatches_Parse(path, bytes, size, scale, &kept, out, r.words.error);
    plScratch_Free(&scratch);
    return r.words.error->status;
}
