// From the triangulated hull to a polytope whose flat neighbours are one face.
//
// A region grows from its largest triangle over neighbours whose corners lie within `flat` of its
// plane. Its border must be one simple loop; when it is not, its triangles stay single. Vertices
// keep their exact places, and the triangulation's edges are kept for climbing, so merging changes
// neither support points nor distances, only which points of a contact belong to one face.
#include "shape/hull.h"

typedef struct {
    const plHull* h;
    int* group;     ///< of each face, -1: none yet
    int* halfEdge;  ///< of each (face, edge): its half-edge in the polytope, -1: inside a face
    int* stack;     ///< faces of the region
    int* loop;      ///< 3 face + edge, in order
    int* successor; ///< of each point: (face, edge) that leaves it on the border, -1: none
    int* renumber;  ///< of each point: its vertex
    int faceCount, edgeCount, vertexCount;
} Packer;

/// The point from which a (face, edge) runs.
static int startOf(const plHull* h, int edge) { return h->faces[edge / 3].v[edge % 3]; }

static double areaOf(const plHull* h, const plHullFace* f)
{
    const plVec3 a = h->points[f->v[0]];
    return plNorm(plCross(plSub(h->points[f->v[1]], a), plSub(h->points[f->v[2]], a)));
}

static bool isFlatWith(const plHull* h, const plHullFace* seed, const plHullFace* f)
{
    // Planes that face elsewhere are other faces, however thin the body.
    if (plDot(seed->n, f->n) < 0.9) return false;
    for (int k = 0; k < 3; k++) {
        if (fabs(plDot(seed->n, h->points[f->v[k]]) - seed->d) > h->flat) return false;
    }
    return true;
}

static int growRegion(Packer* p, int seed, int group)
{
    int count = 1;
    p->stack[0] = seed;
    p->group[seed] = group;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const int other = p->h->faces[p->stack[i]].neighbour[k];
            if (p->group[other] >= 0) continue;
            if (!isFlatWith(p->h, &p->h->faces[seed], &p->h->faces[other])) continue;
            p->group[other] = group;
            p->stack[count++] = other;
        }
    }
    return count;
}

/// The border of the region in the stack as a loop; its length, or 0 when it is not simple.
static int traceLoop(Packer* p, int regionCount)
{
    int edges = 0, length = 0, first = -1;
    bool simple = true;
    for (int i = 0; i < regionCount; i++) {
        const plHullFace* f = &p->h->faces[p->stack[i]];
        for (int k = 0; k < 3; k++) {
            if (p->group[f->neighbour[k]] == p->group[p->stack[i]]) continue;
            if (p->successor[f->v[k]] >= 0) simple = false;
            p->successor[f->v[k]] = first = 3 * p->stack[i] + k;
            edges++;
        }
    }
    for (int at = first; simple && at >= 0 && length < edges;) {
        p->loop[length++] = at;
        at = p->successor[p->h->faces[at / 3].v[(at % 3 + 1) % 3]];
        if (at == first) break;
    }
    simple = simple && length == edges && length >= 3;
    for (int i = 0; i < regionCount; i++) {
        const plHullFace* f = &p->h->faces[p->stack[i]];
        for (int k = 0; k < 3; k++) p->successor[f->v[k]] = -1;
    }
    return simple ? length : 0;
}

static int largestLeft(const Packer* p)
{
    int best = -1;
    double most = -1;
    for (int i = 0; i < p->h->faceCount; i++) {
        if (!p->h->faces[i].alive || p->group[i] >= 0) continue;
        const double area = areaOf(p->h, &p->h->faces[i]);
        if (area > most) most = area, best = i;
    }
    return best;
}

/// Groups all triangles; `edges` receives for each half-edge its (face, edge), `first` the start of
/// each face.
static void group(Packer* p, int* edges, int* first)
{
    for (int seed = largestLeft(p); seed >= 0; seed = largestLeft(p)) {
        int count = growRegion(p, seed, p->faceCount);
        int length = traceLoop(p, count);
        if (length == 0) {
            for (int i = 1; i < count; i++) p->group[p->stack[i]] = -1;
            length = traceLoop(p, 1);
        }
        first[p->faceCount] = p->edgeCount;
        for (int i = 0; i < length; i++) {
            p->halfEdge[p->loop[i]] = p->edgeCount;
            edges[p->edgeCount++] = p->loop[i];
        }
        p->faceCount++;
    }
    first[p->faceCount] = p->edgeCount;
}

/// Does the loop run straight on at edge e?
static bool isStraight(const plHull* h, const int* edges, int from, int to, int e)
{
    const int before = edges[e > from ? e - 1 : to - 1], after = edges[e + 1 < to ? e + 1 : from];
    const plVec3 p = h->points[startOf(h, edges[e])];
    const plVec3 q =
        plNearestOnSegment(p, h->points[startOf(h, before)], h->points[startOf(h, after)], NULL);
    return plNorm(plSub(p, q)) <= h->flat;
}

/// How many loops pass through each point, in `successor`; those that two pass through, but not
/// straight, count as three. False when a face would keep fewer than three corners without the
/// straight ones.
static bool countLoops(Packer* p, const int* edges, const int* first)
{
    for (int i = 0; i < p->h->count; i++) p->successor[i] = 0;
    for (int e = 0; e < p->edgeCount; e++) p->successor[startOf(p->h, edges[e])]++;
    for (int f = 0; f < p->faceCount; f++) {
        for (int e = first[f]; e < first[f + 1]; e++) {
            int* loops = &p->successor[startOf(p->h, edges[e])];
            if (*loops == 2 && !isStraight(p->h, edges, first[f], first[f + 1], e)) *loops = 3;
        }
    }
    for (int f = 0; f < p->faceCount; f++) {
        int corners = 0;
        for (int e = first[f]; e < first[f + 1]; e++) {
            corners += p->successor[startOf(p->h, edges[e])] > 2;
        }
        if (corners < 3) return false;
    }
    return true;
}

/// Takes out of the loops the vertices that lie on the straight line between two faces. An edge
/// that is dropped becomes part of the one before it in its loop.
static void dropStraight(Packer* p, int* edges, int* first)
{
    if (!countLoops(p, edges, first)) return;
    int kept = 0;
    for (int f = 0; f < p->faceCount; f++) {
        const int from = first[f], to = first[f + 1];
        int leading = 0; // dropped edges at the front belong to the end of the loop
        first[f] = kept;
        for (int e = from; e < to; e++) {
            const int edge = edges[e];
            if (p->successor[startOf(p->h, edge)] > 2) edges[kept++] = edge;
            if (kept > first[f])
                p->halfEdge[edge] = kept - 1;
            else
                p->loop[leading++] = edge;
        }
        for (int i = 0; i < leading; i++) p->halfEdge[p->loop[i]] = kept - 1;
    }
    first[p->faceCount] = p->edgeCount = kept;
}

static void numberVertices(Packer* p)
{
    for (int i = 0; i < p->h->count; i++) p->renumber[i] = p->successor[i] = -1;
    for (int i = 0; i < p->h->faceCount; i++) {
        const plHullFace* f = &p->h->faces[i];
        if (!f->alive) continue;
        for (int k = 0; k < 3; k++) p->renumber[f->v[k]] = 0;
    }
    // In the order of the given points, so that the numbers do not depend on how the hull grew.
    for (int i = 0; i < p->h->count; i++) {
        if (p->renumber[i] == 0) p->renumber[i] = p->vertexCount++;
    }
}

// Each triangle's edge k goes from v[k] to v[k + 1]; over all triangles every pair of neighbours
// comes once in each direction.
static void listNeighbours(const Packer* p, int* first, uint16_t* neighbours)
{
    const plHull* h = p->h;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < h->faceCount; i++) {
            if (!h->faces[i].alive) continue;
            for (int k = 0; k < 3; k++) {
                const int from = p->renumber[h->faces[i].v[k]];
                const int to = p->renumber[h->faces[i].v[(k + 1) % 3]];
                if (pass == 0) first[from + 1]++;
                if (pass == 1) neighbours[first[from]++] = (uint16_t)to;
            }
        }
        for (int v = 0; pass == 0 && v < p->vertexCount; v++) first[v + 1] += first[v];
    }
    for (int v = p->vertexCount; v > 0; v--) first[v] = first[v - 1];
    first[0] = 0;
}

static plStatus write(const Packer* p, const plVec3* original, const int* loopEdges,
                      const int* loopFirst, plArena* arena, const plPolytope** out,
                      plShapeError* error)
{
    // Below this number of vertices a scan, which needs no guess, is the faster.
    enum { scanned = 12 };
    const plHull* h = p->h;
    const bool climbs = p->vertexCount > scanned;
    plPolytope* t = plArena_Alloc(arena, 1, sizeof *t);
    plVec3* vertices = plArena_Alloc(arena, (size_t)p->vertexCount, sizeof *vertices);
    plHalfEdge* edges = plArena_Alloc(arena, (size_t)p->edgeCount, sizeof *edges);
    plFace* faces = plArena_Alloc(arena, (size_t)p->faceCount, sizeof *faces);
    const size_t links = climbs ? (size_t)(6 * p->vertexCount - 12) : 0;
    int* first = plArena_Alloc(arena, climbs ? (size_t)p->vertexCount + 1 : 0, sizeof *first);
    uint16_t* neighbours = plArena_Alloc(arena, links, sizeof *neighbours);
    if (arena->full) return plShapeError_Set(error, pl_statusCapacity, "no memory for the hull");
    for (int i = 0; i < h->count; i++) {
        if (p->renumber[i] >= 0) vertices[p->renumber[i]] = original[i];
    }
    for (int f = 0; f < p->faceCount; f++) {
        faces[f] = (plFace){.first = loopFirst[f], .count = loopFirst[f + 1] - loopFirst[f]};
        for (int e = loopFirst[f]; e < loopFirst[f + 1]; e++) {
            const plHullFace* tri = &h->faces[loopEdges[e] / 3];
            const int k = loopEdges[e] % 3;
            const plHullFace* other = &h->faces[tri->neighbour[k]];
            int back = 0;
            while (other->v[(back + 1) % 3] != tri->v[k]) back++;
            edges[e] = (plHalfEdge){.origin = (uint16_t)p->renumber[tri->v[k]],
                                    .twin = (uint16_t)p->halfEdge[3 * tri->neighbour[k] + back],
                                    .face = (uint16_t)f};
        }
    }
    *t = (plPolytope){.vertexCount = p->vertexCount,
                      .edgeCount = p->edgeCount,
                      .faceCount = p->faceCount,
                      .vertices = vertices,
                      .edges = edges,
                      .faces = faces};
    if (climbs) {
        listNeighbours(p, first, neighbours);
        t->first = first;
        t->neighbours = neighbours;
    }
    plPolytope_SetPlanes(t, faces);
    *out = t;
    return pl_statusOk;
}

plStatus plHull_Pack(const plHull* h, const plVec3* original, plArena* arena, plScratch* scratch,
                     const plPolytope** out, plShapeError* error)
{
    // One block of integers: every list has at most three entries for each face, or one for each
    // point.
    const size_t n = (size_t)h->faceCount, points = (size_t)h->count;
    int* block = plScratch_Take(scratch, 12 * n + 2 * points + 1, sizeof *block);
    if (!block) {
        return plShapeError_Set(error, pl_statusNoMemory, "no working memory for the hull");
    }
    Packer p = {.h = h,
                .group = block,
                .halfEdge = block + n,
                .stack = block + 4 * n,
                .loop = block + 5 * n,
                .successor = block + 12 * n + 1,
                .renumber = block + 12 * n + 1 + points};
    int* edges = block + 8 * n;
    int* first = block + 11 * n;
    for (int i = 0; i < h->faceCount; i++) p.group[i] = -1;
    numberVertices(&p);
    if (p.vertexCount > plHullVertices) {
        return plShapeError_Set(error, pl_statusCapacity,
                                "a hull has at most %d vertices, this one has %d", plHullVertices,
                                p.vertexCount);
    }
    group(&p, edges, first);
    dropStraight(&p, edges, first);
    return write(&p, original, edges, first, arena, out, error);
}
