// Files of triangles: loading, growing lists, one point for equal corners, dropping what has no
// area.
#include "shape/inside.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fileLimit = 1 << 30, nameShown = 200 };

bool plTriangleReader_Fail(plTriangleReader* r, plStatus status, int line, const char* format, ...)
{
    if (!r->error) return false;
    char place[32] = "", what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line > 0) snprintf(place, sizeof place, ":%d", line);
    *r->error = (plShapeError){.status = status, .line = line};
    snprintf(r->error->message, sizeof r->error->message, "%.*s%s: %s", nameShown, r->name, place,
             what);
    // Files hold any bytes, and messages quote them.
    for (char* c = r->error->message; *c; c++) {
        if (iscntrl((unsigned char)*c)) *c = '?';
    }
    return false;
}

// strtod knows hexadecimal, infinities and the locale's own decimal point; files know none of them.
bool plReadNumber(const char** at, double* value)
{
    char text[64];
    size_t length = 0;
    const char* from = *at;
    while (*from == ' ' || *from == '\t') from++;
    while (length < sizeof text && from[length] && strchr("0123456789+-.eE", from[length]))
        length++;
    if (length == 0 || length == sizeof text || isalnum((unsigned char)from[length])) return false;
    memcpy(text, from, length);
    text[length] = '\0';
    char* point = strchr(text, '.');
    if (point) *point = localeconv()->decimal_point[0];
    char* end;
    *value = strtod(text, &end);
    *at = from + length;
    return end == text + length && isfinite(*value);
}

/// Room for one more of `size` bytes in a list that is doubled when full.
static bool grow(plTriangleReader* r, void** list, size_t* bytes, size_t count, size_t size)
{
    if ((count + 1) * size <= *bytes) return true;
    const plAllocator* a = &r->out->allocator;
    const size_t more = *bytes > 0 ? 2 * *bytes : 256 * size;
    void* larger = a->take(a->self, more);
    if (!larger) {
        return plTriangleReader_Fail(r, pl_statusNoMemory, 0, "no memory for the triangles");
    }
    if (*bytes > 0) {
        memcpy(larger, *list, count * size);
        a->release(a->self, *list, *bytes);
    }
    *list = larger;
    *bytes = more;
    return true;
}

bool plTriangleReader_AddPoint(plTriangleReader* r, plVec3 p)
{
    plTriangles* t = r->out;
    void* list = t->points;
    if (t->pointCount >= 3 * plMeshTriangles) {
        return plTriangleReader_Fail(r, pl_statusCapacity, 0, "more than %d points",
                                     3 * plMeshTriangles);
    }
    if (!grow(r, &list, &t->pointBytes, (size_t)t->pointCount, sizeof p)) return false;
    t->points = list;
    t->points[t->pointCount++] = p;
    return true;
}

bool plTriangleReader_AddTriangle(plTriangleReader* r, int a, int b, int c)
{
    plTriangles* t = r->out;
    void* list = t->triangles;
    if (t->triangleCount >= plMeshTriangles) {
        return plTriangleReader_Fail(r, pl_statusCapacity, 0, "more than %d triangles",
                                     plMeshTriangles);
    }
    if (!grow(r, &list, &t->triangleBytes, (size_t)t->triangleCount, 3 * sizeof a)) return false;
    t->triangles = list;
    int* v = &t->triangles[3 * (size_t)t->triangleCount++];
    v[0] = a, v[1] = b, v[2] = c;
    return true;
}

// --- equal corners

static uint64_t hashPoint(plVec3 p)
{
    const plVec3 positive = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; // -0 and 0 are one place
    return plHash_Add(plHash_Start(), &positive, sizeof positive);
}

static bool same(plVec3 a, plVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Makes one point of all that are equal: the first of them, in the order of the file.
static bool weld(plTriangleReader* r)
{
    plTriangles* t = r->out;
    plScratch scratch = {.allocator = &t->allocator};
    size_t slots = 16;
    int kept = 0;
    while (slots < 2 * (size_t)t->pointCount) slots *= 2;
    int* table = plScratch_Take(&scratch, slots, sizeof *table); // index + 1 of a kept point
    int* renumber = plScratch_Take(&scratch, (size_t)t->pointCount, sizeof *renumber);
    if (!table || !renumber) {
        plScratch_Free(&scratch);
        return plTriangleReader_Fail(r, pl_statusNoMemory, 0, "no memory to join points");
    }
    for (int i = 0; i < t->pointCount; i++) {
        size_t slot = hashPoint(t->points[i]) & (slots - 1);
        while (table[slot] && !same(t->points[table[slot] - 1], t->points[i])) {
            slot = (slot + 1) & (slots - 1);
        }
        if (!table[slot]) {
            t->points[kept] = t->points[i];
            table[slot] = ++kept;
        }
        renumber[i] = table[slot] - 1;
    }
    for (int i = 0; i < 3 * t->triangleCount; i++) t->triangles[i] = renumber[t->triangles[i]];
    t->pointCount = kept;
    plScratch_Free(&scratch);
    return true;
}

/// The same limit as that of a mesh's creation.
static bool hasArea(const plTriangles* t, const int* v)
{
    const plVec3 ab = plSub(t->points[v[1]], t->points[v[0]]);
    const plVec3 ac = plSub(t->points[v[2]], t->points[v[0]]);
    return plNorm(plCross(ab, ac)) > 1e-14 * fmax(plDot(ab, ab), plDot(ac, ac));
}

static bool finish(plTriangleReader* r, double scale)
{
    plTriangles* t = r->out;
    int kept = 0;
    for (int i = 0; i < t->pointCount; i++) {
        t->points[i] = plScale(scale, t->points[i]);
        const plVec3 p = t->points[i];
        if (fabs(p.x) <= 1e6 && fabs(p.y) <= 1e6 && fabs(p.z) <= 1e6) continue;
        return plTriangleReader_Fail(r, pl_statusFileFormat, 0,
                                     "point %d lies farther out than 1e6 m", i);
    }
    for (int i = 0; i < t->triangleCount; i++) {
        const int* v = &t->triangles[3 * (size_t)i];
        if (!hasArea(t, v)) continue;
        memmove(&t->triangles[3 * (size_t)kept++], v, 3 * sizeof *v);
    }
    t->triangleCount = kept;
    if (kept > 0) return true;
    return plTriangleReader_Fail(r, pl_statusFileFormat, 0, "the file has no triangle");
}

// --- doors

plStatus plTriangles_Parse(const char* name, const void* bytes, size_t size, double scale,
                           const plAllocator* allocator, plTriangles* triangles,
                           plShapeError* error)
{
    PL_ASSERT(name && (bytes || size == 0) && allocator && triangles);
    plShapeError own;
    plTriangleReader r = {name, triangles, error ? error : &own};
    *triangles = (plTriangles){.allocator = *allocator};
    *r.error = (plShapeError){0};
    if (!(scale > 0 && scale <= 1e6)) {
        plTriangleReader_Fail(&r, pl_statusBadArgument, 0, "the scale must be positive");
        return r.error->status;
    }
    if (size > fileLimit) {
        plTriangleReader_Fail(&r, pl_statusFileFormat, 0, "the file is larger than 1 GiB");
        return r.error->status;
    }
    // Readers may look at the byte behind the last one.
    plScratch scratch = {.allocator = allocator};
    char* text = plScratch_Take(&scratch, size + 1, 1);
    bool good = false;
    if (!text) {
        plTriangleReader_Fail(&r, pl_statusNoMemory, 0, "no memory for the file");
    } else {
        if (size > 0) memcpy(text, bytes, size);
        const bool stl = plLooksLikeStl(text, size);
        good = stl ? plReadStl(&r, text, size) && weld(&r) : plReadObj(&r, text, size);
        good = good && finish(&r, scale);
    }
    plScratch_Free(&scratch);
    if (!good) plTriangles_Free(triangles);
    return r.error->status;
}

char* plReadFile(plTriangleReader* r, const char* path, plScratch* scratch, size_t* read)
{
    FILE* file = fopen(path, "rb");
    if (!file) {
        plTriangleReader_Fail(r, pl_statusFileOpen, 0, "%s", strerror(errno));
        return NULL;
    }
    const bool sized = fseek(file, 0, SEEK_END) == 0;
    const long size = sized ? ftell(file) : -1;
    char* bytes = NULL;
    *read = (size_t)(size > 0 ? size : 0);
    if (size < 0 || size > fileLimit || fseek(file, 0, SEEK_SET) != 0) {
        plTriangleReader_Fail(r, pl_statusFileRead, 0, "not a file of at most 1 GiB");
    } else if (!(bytes = plScratch_Take(scratch, *read, 1))) {
        plTriangleReader_Fail(r, pl_statusNoMemory, 0, "no memory for the file");
    } else if (fread(bytes, 1, *read, file) != *read) {
        plTriangleReader_Fail(r, pl_statusFileRead, 0, "the file ended early");
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

plStatus plTriangles_Load(const char* path, double scale, const plAllocator* allocator,
                          plTriangles* triangles, plShapeError* error)
{
    plShapeError own;
    plTriangleReader r = {path, triangles, error ? error : &own};
    plScratch scratch = {.allocator = allocator};
    *triangles = (plTriangles){.allocator = *allocator};
    *r.error = (plShapeError){0};
    size_t size;
    const char* bytes = plReadFile(&r, path, &scratch, &size);
    if (bytes) plTriangles_Parse(path, bytes, size, scale, allocator, triangles, r.error);
    plScratch_Free(&scratch);
    return r.error->status;
}

void plTriangles_Free(plTriangles* t)
{
    const plAllocator* a = &t->allocator;
    if (t->points) a->release(a->self, t->points, t->pointBytes);
    if (t->triangles) a->release(a->self, t->triangles, t->triangleBytes);
    *t = (plTriangles){.allocator = t->allocator};
}
