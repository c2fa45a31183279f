// Tetrahedral meshes: growing lists, loading, the plain format.
#include "shape/tets_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { fileLimit = 1 << 30 };

bool plList_Grow(const plAllocator* a, void** list, size_t* bytes, size_t count, size_t size)
{
    if ((count + 1) * size <= *bytes) return true;
    const size_t more = *bytes > 0 ? 2 * *bytes : 256 * size;
    void* larger = a->take(a->self, more);
    if (!larger) return false;
    if (*bytes > 0) {
        memcpy(larger, *list, count * size);
        a->release(a->self, *list, *bytes);
    }
    *list = larger;
    *bytes = more;
    return true;
}

plStatus plTets_AddPoint(plTets* t, plVec3 p)
{
    void* list = t->points;
    if (t->pointCount >= plMostTets) return pl_statusCapacity;
    if (!plList_Grow(&t->allocator, &list, &t->pointBytes, (size_t)t->pointCount, sizeof p)) {
        return pl_statusNoMemory;
    }
    t->points = list;
    t->points[t->pointCount++] = p;
    return pl_statusOk;
}

plStatus plTets_AddTet(plTets* t, const int corners[4])
{
    void* list = t->tets;
    const size_t size = 4 * sizeof *t->tets;
    if (t->tetCount >= plMostTets) return pl_statusCapacity;
    if (!plList_Grow(&t->allocator, &list, &t->tetBytes, (size_t)t->tetCount, size)) {
        return pl_statusNoMemory;
    }
    t->tets = list;
    memcpy(&t->tets[4 * (size_t)t->tetCount++], corners, size);
    return pl_statusOk;
}

void plTets_Free(plTets* t)
{
    const plAllocator* a = &t->allocator;
    if (t->points) a->release(a->self, t->points, t->pointBytes);
    if (t->tets) a->release(a->self, t->tets, t->tetBytes);
    *t = (plTets){.allocator = t->allocator};
}

// --- the plain format

bool plReadPlain(plTetReader* r)
{
    plCursor* c = &r->c;
    int64_t points, tets, v[4];
    if (!plTetReader_Count(r, c, 0, "the number of points", &points)) return false;
    if (!plTetReader_Count(r, c, 0, "the number of tetrahedra", &tets)) return false;
    for (int64_t i = 0; i < points; i++) {
        if (!plTetReader_Point(r, c, 0)) return false;
    }
    for (int64_t i = 0; i < tets; i++) {
        for (int k = 0; k < 4; k++) {
            if (!plTetReader_Int(r, c, 0, "the number of a point", &v[k])) return false;
        }
        if (!plTetReader_Tet(r, c, v)) return false;
    }
    return true; // lists of nodes may follow, each program its own
}

// --- doors

static bool startsWith(const plCursor* c, const char* word)
{
    const size_t n = strlen(word);
    return (size_t)(c->end - c->at) >= n && memcmp(c->at, word, n) == 0;
}

static bool readAny(plTetReader* r)
{
    const plCursor start = r->c;
    if (startsWith(&start, "# vtk")) return plReadVtk(r);
    plCursor_SkipSpace(&r->c);
    if (startsWith(&r->c, "$")) return plReadMsh(r);
    if (r->c.at < r->c.end && *r->c.at >= '0' && *r->c.at <= '9') return plReadPlain(r);
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                 "neither MSH ($MeshFormat) nor legacy VTK (# vtk DataFile) nor "
                                 "plain tetrahedra (two counts)");
}

static bool finish(plTetReader* r, double scale)
{
    plTets* t = r->out;
    for (int i = 0; i < t->pointCount; i++) {
        t->points[i] = plScale(scale, t->points[i]);
        const plVec3 p = t->points[i];
        if (fabs(p.x) <= 1e6 && fabs(p.y) <= 1e6 && fabs(p.z) <= 1e6) continue;
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                     "point %d lies farther out than 1e6 m", i);
    }
    if (t->tetCount > 0) return true;
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                 "the file has no linear tetrahedron");
}

plStatus plTets_Parse(const char* name, const void* bytes, size_t size, double scale,
                      const plAllocator* allocator, plTets* tets, plShapeError* error)
{
    PL_ASSERT(name && (bytes || size == 0) && allocator && tets);
    plShapeError own;
    plTetReader r = {.words = {name, NULL, error ? error : &own}, .out = tets};
    plScratch scratch = {.allocator = allocator};
    *tets = (plTets){.allocator = *allocator};
    *r.words.error = (plShapeError){0};
    char* text = NULL;
    bool good = false;
    if (!(scale > 0 && scale <= 1e6)) {
        plTriangleReader_Fail(&r.words, pl_statusBadArgument, 0, "the scale must be positive");
    } else if (size > fileLimit) {
        plTriangleReader_Fail(&r.words, pl_statusFileFormat, 0, "the file is larger than 1 GiB");
    } else if (!(text = plScratch_Take(&scratch, size + 1, 1))) { // behind the last byte: a zero
        plTriangleReader_Fail(&r.words, pl_statusNoMemory, 0, "no memory for the file");
    } else {
        if (size > 0) memcpy(text, bytes, size);
        r.c = (plCursor){.start = text, .at = text, .end = text + size, .line = 1};
        good = readAny(&r) && finish(&r, scale);
    }
    plScratch_Free(&scratch);
    if (!good) plTets_Free(tets);
    return r.words.error->status;
}

plStatus plTets_Load(const char* path, double scale, const plAllocator* allocator, plTets* tets,
                     plShapeError* error)
{
    plShapeError own;
    plTriangleReader r = {path, NULL, error ? error : &own};
    plScratch scratch = {.allocator = allocator};
    *tets = (plTets){.allocator = *allocator};
    *r.error = (plShapeError){0};
    size_t size;
    const char* bytes = plReadFile(&r, path, &scratch, &size);
    if (bytes) plTets_Parse(path, bytes, size, scale, allocator, tets, r.error);
    plScratch_Free(&scratch);
    return r.error->status;
}
