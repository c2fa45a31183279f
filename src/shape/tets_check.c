// Soundness, orientation and surface of tetrahedral meshes.
#include "shape/tets_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double leastVolume = 1e-9; // of the longest edge cubed; a regular one has 0.7

double plTets_Volume6(const plTets* t, int tet)
{
    const plVec3 a = plTets_Corner(t, tet, 0);
    const plVec3 b = plSub(plTets_Corner(t, tet, 1), a), c = plSub(plTets_Corner(t, tet, 2), a);
    return plDot(plCross(b, c), plSub(plTets_Corner(t, tet, 3), a));
}

void plTets_Face(const plTets* t, int tet, int k, int face[3])
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int i = 0; i < 3; i++) face[i] = t->tets[4 * (size_t)tet + (size_t)corners[k][i]];
}

// --- faces

static void exchangeIfGreater(int* a, int* b)
{
    const int lesser = *a < *b ? *a : *b, greater = *a < *b ? *b : *a;
    *a = lesser, *b = greater;
}

static int compareFaces(const void* a, const void* b)
{
    const plTetFace *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        if (x->sorted[i] != y->sorted[i]) return x->sorted[i] < y->sorted[i] ? -1 : 1;
    }
    // Without a tie the order is the same on every machine.
    return x->tet != y->tet ? (x->tet > y->tet) - (x->tet < y->tet) : x->k - y->k;
}

bool plTetFace_Equal(const plTetFace* a, const plTetFace* b)
{
    return memcmp(a->sorted, b->sorted, sizeof a->sorted) == 0;
}

plTetFace* plTets_Faces(const plTets* t, plScratch* scratch)
{
    const size_t count = 4 * (size_t)t->tetCount;
    plTetFace* faces = plScratch_Take(scratch, count, sizeof *faces);
    if (!faces) return NULL;
    for (size_t i = 0; i < count; i++) {
        plTetFace* f = &faces[i];
        f->tet = (int)(i / 4), f->k = (int)(i % 4);
        plTets_Face(t, f->tet, f->k, f->sorted);
        exchangeIfGreater(&f->sorted[0], &f->sorted[1]);
        exchangeIfGreater(&f->sorted[1], &f->sorted[2]);
        exchangeIfGreater(&f->sorted[0], &f->sorted[1]);
    }
    qsort(faces, count, sizeof *faces, compareFaces);
    return faces;
}

// --- check

static void note(int* count, int* first, int index)
{
    if ((*count)++ == 0) *first = index;
}

static void checkVolumes(const plTets* t, plTetsReport* report)
{
    for (int i = 0; i < t->tetCount; i++) {
        double longest = 0;
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < k; j++) {
                const plVec3 edge = plSub(plTets_Corner(t, i, k), plTets_Corner(t, i, j));
                longest = fmax(longest, plNorm(edge));
            }
        }
        const double volume = plTets_Volume6(t, i);
        if (!(fabs(volume) > leastVolume * longest * longest * longest)) {
            note(&report->degenerate, &report->firstDegenerate, i);
        } else if (volume < 0) {
            note(&report->inverted, &report->firstInverted, i);
        }
    }
}

static bool checkPoints(const plTets* t, plScratch* scratch, plTetsReport* report)
{
    unsigned char* used = plScratch_Take(scratch, (size_t)t->pointCount, 1);
    if (!used) return false;
    for (size_t i = 0; i < 4 * (size_t)t->tetCount; i++) used[t->tets[i]] = 1;
    for (int i = 0; i < t->pointCount; i++) {
        if (!used[i]) note(&report->unused, &report->firstUnused, i);
    }
    return true;
}

/// The first of the set of an element; paths are halved on the way.
static int rootOf(int* parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The lesser of two roots stays, so that a piece is known by its first tetrahedron.
static void join(int* parent, int a, int b)
{
    const int x = rootOf(parent, a), y = rootOf(parent, b);
    parent[x > y ? x : y] = x > y ? y : x;
}

static bool checkFaces(const plTets* t, plScratch* scratch, plTetsReport* report)
{
    const plTetFace* faces = plTets_Faces(t, scratch);
    int* parent = plScratch_Take(scratch, (size_t)t->tetCount, sizeof *parent);
    if (!faces || !parent) return false;
    for (int i = 0; i < t->tetCount; i++) parent[i] = i;
    for (int i = 1; i < 4 * t->tetCount; i++) {
        if (!plTetFace_Equal(&faces[i], &faces[i - 1])) continue;
        join(parent, faces[i].tet, faces[i - 1].tet);
        if (i >= 2 && plTetFace_Equal(&faces[i], &faces[i - 2])) {
            note(&report->crowded, &report->firstCrowded, faces[i].tet);
        }
    }
    for (int i = 0; i < t->tetCount; i++) {
        if (rootOf(parent, i) != i) continue;
        if (report->pieces == 1) report->firstApart = i;
        report->pieces++;
    }
    return true;
}

static void add(char* text, size_t size, const char* format, int count, int first)
{
    const size_t used = strlen(text);
    if (used > 0 && used + 2 < size) strcat(text, "; ");
    const size_t at = strlen(text);
    snprintf(text + at, size - at, format, count, first);
}

static plStatus judge(const plTetsReport* r, plShapeError* error)
{
    char text[400] = "";
    const size_t size = sizeof text;
    if (r->inverted > 0) {
        add(text, size, "%d tetrahedra are inverted, the first is %d", r->inverted,
            r->firstInverted);
    }
    if (r->degenerate > 0) {
        add(text, size, "%d tetrahedra have no volume, the first is %d", r->degenerate,
            r->firstDegenerate);
    }
    if (r->unused > 0) {
        add(text, size, "%d points are of no tetrahedron, the first is %d", r->unused,
            r->firstUnused);
    }
    if (r->crowded > 0) {
        add(text, size, "%d tetrahedra share a face with two others, the first is %d", r->crowded,
            r->firstCrowded);
    }
    if (r->pieces > 1) {
        add(text, size, "no face joins the mesh's %d pieces, the second begins with tetrahedron %d",
            r->pieces, r->firstApart);
    }
    if (text[0] == '\0') return plShapeError_Set(error, pl_statusOk, "%s", "");
    return plShapeError_Set(error, pl_statusBadArgument, "%s", text);
}

plStatus plTets_Check(const plTets* t, plTetsReport* report, plShapeError* error)
{
    plScratch scratch = {.allocator = &t->allocator};
    *report = (plTetsReport){.firstInverted = -1,
                             .firstDegenerate = -1,
                             .firstUnused = -1,
                             .firstCrowded = -1,
                             .firstApart = -1};
    checkVolumes(t, report);
    const bool good = checkPoints(t, &scratch, report) && checkFaces(t, &scratch, report);
    plScratch_Free(&scratch);
    if (good) return judge(report, error);
    return plShapeError_Set(error, pl_statusNoMemory, "no memory to check the mesh");
}

int plTets_Orient(plTets* t)
{
    int turned = 0;
    for (int i = 0; i < t->tetCount; i++) {
        if (!(plTets_Volume6(t, i) < 0)) continue;
        int* v = &t->tets[4 * (size_t)i];
        const int last = v[3];
        v[3] = v[2], v[2] = last;
        turned++;
    }
    return turned;
}

// --- surface

/// The faces that have no equal, moved to the front in the order of their tetrahedra.
static int keepSingle(plTetFace* faces, int count)
{
    int kept = 0;
    for (int i = 0; i < count;) {
        int next = i + 1;
        while (next < count && plTetFace_Equal(&faces[i], &faces[next])) next++;
        if (next == i + 1) faces[kept++] = faces[i];
        i = next;
    }
    return kept;
}

static int comparePlaces(const void* a, const void* b)
{
    const plTetFace *x = a, *y = b;
    return x->tet != y->tet ? (x->tet > y->tet) - (x->tet < y->tet) : x->k - y->k;
}

static bool takeLists(plTetsSurface* s, int triangles, int points)
{
    const plAllocator* a = &s->allocator;
    s->triangleBytes = (3 * (size_t)triangles + 1) * sizeof *s->triangles;
    s->pointBytes = ((size_t)points + 1) * sizeof *s->points;
    s->triangles = a->take(a->self, s->triangleBytes);
    s->points = a->take(a->self, s->pointBytes);
    return s->triangles && s->points;
}

static bool fillSurface(const plTets* t, plScratch* scratch, plTetsSurface* s)
{
    plTetFace* faces = plTets_Faces(t, scratch);
    unsigned char* used = plScratch_Take(scratch, (size_t)t->pointCount, 1);
    if (!faces || !used) return false;
    const int count = keepSingle(faces, 4 * t->tetCount);
    qsort(faces, (size_t)count, sizeof *faces, comparePlaces);
    int points = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            points += !used[faces[i].sorted[k]];
            used[faces[i].sorted[k]] = 1;
        }
    }
    if (!takeLists(s, count, points)) return false;
    for (int i = 0; i < count; i++) {
        plTets_Face(t, faces[i].tet, faces[i].k, &s->triangles[3 * (size_t)i]);
    }
    for (int i = 0; i < t->pointCount; i++) {
        if (used[i]) s->points[s->pointCount++] = i;
    }
    s->triangleCount = count;
    return true;
}

plStatus plTets_Surface(const plTets* t, const plAllocator* allocator, plTetsSurface* surface)
{
    plScratch scratch = {.allocator = allocator};
    *surface = (plTetsSurface){.allocator = *allocator};
    const bool good = fillSurface(t, &scratch, surface);
    plScratch_Free(&scratch);
    if (good) return pl_statusOk;
    plTetsSurface_Free(surface);
    return pl_statusNoMemory;
}

void plTetsSurface_Free(plTetsSurface* s)
{
    const plAllocator* a = &s->allocator;
    if (s->triangles) a->release(a->self, s->triangles, s->triangleBytes);
    if (s->points) a->release(a->self, s->points, s->pointBytes);
    *s = (plTetsSurface){.allocator = s->allocator};
}
