// Polytopes of boxes and prisms, planes of faces, and the support point by scan or climb.
#include "shape/inside.h"

#include <string.h>

// Newell's sum over the loop is twice the vector area, right for any polygon and best for one that
// is not quite flat. The offset takes the farthest vertex of all, so that the plane supports.
static void setPlane(const plPolytope* p, plFace* face)
{
    plVec3 sum = {0, 0, 0};
    const plVec3 base = p->vertices[p->edges[face->first].origin];
    for (int i = 1; i + 1 < face->count; i++) {
        const plVec3 a = plSub(p->vertices[p->edges[face->first + i].origin], base);
        const plVec3 b = plSub(p->vertices[p->edges[face->first + i + 1].origin], base);
        sum = plAdd(sum, plCross(a, b));
    }
    const double norm = plNorm(sum);
    face->n = norm > 0 ? plScale(1 / norm, sum) : plVec(0, 0, 1);
    face->d = -INFINITY;
    for (int i = 0; i < p->vertexCount; i++) {
        face->d = fmax(face->d, plDot(face->n, p->vertices[i]));
    }
}

void plPolytope_SetPlanes(plPolytope* p, plFace* faces)
{
    p->width = INFINITY;
    for (int f = 0; f < p->faceCount; f++) {
        setPlane(p, &faces[f]);
        double low = INFINITY;
        for (int i = 0; i < p->vertexCount; i++) {
            low = fmin(low, plDot(faces[f].n, p->vertices[i]));
        }
        p->width = fmin(p->width, faces[f].d - low);
    }
}

static void setTwins(plHalfEdge* edges, const plFace* faces, int edgeCount)
{
    for (int i = 0; i < edgeCount; i++) {
        for (int j = 0; j < edgeCount; j++) {
            const plFace* fi = &faces[edges[i].face];
            const plFace* fj = &faces[edges[j].face];
            const int iNext = fi->first + (i - fi->first + 1) % fi->count;
            const int jNext = fj->first + (j - fj->first + 1) % fj->count;
            if (edges[i].origin == edges[jNext].origin && edges[j].origin == edges[iNext].origin) {
                edges[i].twin = (uint16_t)j;
            }
        }
    }
}

typedef struct {
    plPolytope* polytope;
    plVec3* vertices;
    plHalfEdge* edges;
    plFace* faces;
} Draft;

static bool begin(Draft* d, int vertexCount, int edgeCount, int faceCount, plArena* arena)
{
    d->polytope = plArena_Alloc(arena, 1, sizeof *d->polytope);
    d->vertices = plArena_Alloc(arena, (size_t)vertexCount, sizeof *d->vertices);
    d->edges = plArena_Alloc(arena, (size_t)edgeCount, sizeof *d->edges);
    d->faces = plArena_Alloc(arena, (size_t)faceCount, sizeof *d->faces);
    if (!d->polytope || !d->vertices || !d->edges || !d->faces) return false;
    *d->polytope = (plPolytope){.vertexCount = vertexCount,
                                .edgeCount = edgeCount,
                                .faceCount = faceCount,
                                .vertices = d->vertices,
                                .edges = d->edges,
                                .faces = d->faces};
    return true;
}

static const plPolytope* finish(Draft* d)
{
    setTwins(d->edges, d->faces, d->polytope->edgeCount);
    plPolytope_SetPlanes(d->polytope, d->faces);
    return d->polytope;
}

// Vertex i has the sign of bit 0 along x, of bit 1 along y, of bit 2 along z; faces come as -x, x,
// -y, y, -z, z. The code that knows boxes relies on both.
const plPolytope* plPolytope_Box(plVec3 half, plArena* arena)
{
    static const uint16_t loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    Draft d;
    if (!begin(&d, 8, 24, 6, arena)) return NULL;
    for (int i = 0; i < 8; i++) {
        d.vertices[i] =
            plVec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    }
    for (int f = 0; f < 6; f++) {
        d.faces[f] = (plFace){.first = 4 * f, .count = 4};
        for (int i = 0; i < 4; i++) {
            d.edges[4 * f + i] = (plHalfEdge){.origin = loops[f][i], .face = (uint16_t)f};
        }
    }
    return finish(&d);
}

// Vertices 0 .. n - 1 below, n .. 2 n - 1 above; faces: bottom, top, then the side of each edge.
const plPolytope* plPolytope_Prism(const plVec3* corners, int n, double thickness, plArena* arena)
{
    Draft d;
    if (!begin(&d, 2 * n, 6 * n, n + 2, arena)) return NULL;
    d.faces[0] = (plFace){.first = 0, .count = n};
    d.faces[1] = (plFace){.first = n, .count = n};
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n, side = 2 * n + 4 * i;
        const int loop[4] = {i, next, n + next, n + i};
        d.vertices[i] = plVec(corners[i].x, corners[i].y, -thickness / 2);
        d.vertices[n + i] = plVec(corners[i].x, corners[i].y, thickness / 2);
        d.edges[i] = (plHalfEdge){.origin = (uint16_t)(n - 1 - i), .face = 0};
        d.edges[n + i] = (plHalfEdge){.origin = (uint16_t)(n + i), .face = 1};
        d.faces[2 + i] = (plFace){.first = side, .count = 4};
        for (int k = 0; k < 4; k++) {
            d.edges[side + k] =
                (plHalfEdge){.origin = (uint16_t)loop[k], .face = (uint16_t)(2 + i)};
        }
    }
    return finish(&d);
}

static int scan(const plPolytope* p, plVec3 d)
{
    int best = 0;
    double most = plDot(p->vertices[0], d);
    for (int i = 1; i < p->vertexCount; i++) {
        const double s = plDot(p->vertices[i], d);
        if (s > most) most = s, best = i;
    }
    return best;
}

// On the edges of a convex polytope a vertex without a higher neighbour is the highest of all. Each
// step rises strictly, so no vertex comes twice and the climb ends.
int plPolytope_Support(const plPolytope* p, plVec3 d, int start)
{
    if (!p->first) return scan(p, d);
    int best = start;
    double most = plDot(p->vertices[best], d);
    for (;;) {
        const int from = best;
        for (int i = p->first[from]; i < p->first[from + 1]; i++) {
            const double s = plDot(p->vertices[p->neighbours[i]], d);
            if (s > most) most = s, best = p->neighbours[i];
        }
        if (best == from) return best;
    }
}
