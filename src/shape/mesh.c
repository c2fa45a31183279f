// Meshes: neighbours over edges, normals, the tree.
#include "shape/inside.h"

#include <stdlib.h>

/// An edge as its triangle runs it.
typedef struct {
    int lo, hi;   ///< points
    int place;    ///< 3 triangle + edge
    bool forward; ///< from lo to hi
} MeshEdge;

typedef struct {
    plMesh* mesh;
    plVec3* points;
    int* triangles;
    plVec3* normals;
    plVec3* pointNormals;
    int* neighbours;
    plTreeNode* nodes;
    int* order;
} Draft;

static int compareEdges(const void* a, const void* b)
{
    const MeshEdge* x = a;
    const MeshEdge* y = b;
    if (x->lo != y->lo) return x->lo < y->lo ? -1 : 1;
    if (x->hi != y->hi) return x->hi < y->hi ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool take(Draft* d, const plShapeDef* def, plArena* arena)
{
    const size_t points = (size_t)def->pointCount, n = (size_t)def->triangleCount;
    d->mesh = plArena_Alloc(arena, 1, sizeof *d->mesh);
    d->points = plArena_Alloc(arena, points, sizeof *d->points);
    d->triangles = plArena_Alloc(arena, 3 * n, sizeof *d->triangles);
    d->normals = plArena_Alloc(arena, n, sizeof *d->normals);
    d->pointNormals = plArena_Alloc(arena, points, sizeof *d->pointNormals);
    d->neighbours = plArena_Alloc(arena, 3 * n, sizeof *d->neighbours);
    d->nodes = plArena_Alloc(arena, 2 * n, sizeof *d->nodes);
    d->order = plArena_Alloc(arena, n, sizeof *d->order);
    return !arena->full;
}

// The angles that meet at a point weigh the normals there, so that the sum does not depend on how
// flat regions are cut into triangles.
static void addPointNormals(Draft* d, const int* v, plVec3 n)
{
    for (int k = 0; k < 3; k++) {
        const plVec3 a = plSub(d->points[v[(k + 1) % 3]], d->points[v[k]]);
        const plVec3 b = plSub(d->points[v[(k + 2) % 3]], d->points[v[k]]);
        const double angle = atan2(plNorm(plCross(a, b)), plDot(a, b));
        d->pointNormals[v[k]] = plAddScaled(d->pointNormals[v[k]], angle, n);
    }
}

static plStatus copyTriangles(Draft* d, const plShapeDef* def, plShapeError* error)
{
    for (int i = 0; i < def->pointCount; i++) d->points[i] = def->points[i];
    for (int i = 0; i < def->triangleCount; i++) {
        int* v = &d->triangles[3 * i];
        for (int k = 0; k < 3; k++) {
            v[k] = def->triangles[3 * i + k];
            if (v[k] >= 0 && v[k] < def->pointCount) continue;
            return plShapeError_Set(error, pl_statusBadArgument,
                                    "triangle %d of the mesh names point %d of %d", i, v[k],
                                    def->pointCount);
        }
        const plVec3 ab = plSub(d->points[v[1]], d->points[v[0]]);
        const plVec3 ac = plSub(d->points[v[2]], d->points[v[0]]);
        const plVec3 n = plCross(ab, ac);
        const double norm = plNorm(n);
        // Below this, the height of the triangle is round-off of its length.
        if (!(norm > 1e-14 * fmax(plDot(ab, ab), plDot(ac, ac)))) {
            return plShapeError_Set(error, pl_statusBadArgument,
                                    "triangle %d of the mesh has no area", i);
        }
        d->normals[i] = plScale(1 / norm, n);
        addPointNormals(d, v, d->normals[i]);
    }
    return pl_statusOk;
}

static bool pairEdges(Draft* d, int count, MeshEdge* edges)
{
    bool closed = true;
    for (int i = 0; i < 3 * count; i++) {
        const int* v = &d->triangles[i / 3 * 3];
        const int a = v[i % 3], b = v[(i % 3 + 1) % 3];
        edges[i] = (MeshEdge){a < b ? a : b, a < b ? b : a, i, a < b};
        d->neighbours[i] = plNoTriangle;
    }
    qsort(edges, 3 * (size_t)count, sizeof *edges, compareEdges);
    for (int i = 0; i < 3 * count;) {
        int end = i + 1;
        while (end < 3 * count && edges[end].lo == edges[i].lo && edges[end].hi == edges[i].hi)
            end++;
        if (end == i + 2 && edges[i].forward != edges[i + 1].forward) {
            const int p = edges[i].place, q = edges[i + 1].place;
            d->neighbours[p] = q / 3;
            d->neighbours[q] = p / 3;
        } else {
            closed = false;
        }
        i = end;
    }
    return closed;
}

static bool buildTree(Draft* d, int count, plScratch* scratch)
{
    plBounds* bounds = plScratch_Take(scratch, (size_t)count, sizeof *bounds);
    if (!bounds) return false;
    for (int i = 0; i < count; i++) {
        bounds[i] = plBounds_None();
        for (int k = 0; k < 3; k++) {
            bounds[i] = plBounds_Add(&bounds[i], d->points[d->triangles[3 * i + k]]);
        }
    }
    d->mesh->nodeCount = plTree_Build(bounds, count, d->nodes, d->order);
    return true;
}

plStatus plMesh_Build(const plShapeDef* def, plArena* arena, const plAllocator* allocator,
                      const plMesh** mesh, plShapeError* error)
{
    Draft d;
    plScratch scratch = {.allocator = allocator};
    const int n = def->triangleCount;
    if (!take(&d, def, arena)) {
        return plShapeError_Set(error, pl_statusCapacity, "no memory for the mesh");
    }
    const plStatus status = copyTriangles(&d, def, error);
    if (status != pl_statusOk) return status;
    MeshEdge* edges = plScratch_Take(&scratch, 3 * (size_t)n, sizeof *edges);
    const bool closed = edges && pairEdges(&d, n, edges);
    const bool built = edges && buildTree(&d, n, &scratch);
    plScratch_Free(&scratch);
    if (!built) {
        return plShapeError_Set(error, pl_statusNoMemory, "no working memory for the mesh");
    }
    const int nodeCount = d.mesh->nodeCount;
    *d.mesh = (plMesh){.pointCount = def->pointCount,
                       .triangleCount = n,
                       .nodeCount = nodeCount,
                       .points = d.points,
                       .triangles = d.triangles,
                       .normals = d.normals,
                       .pointNormals = d.pointNormals,
                       .neighbours = d.neighbours,
                       .nodes = d.nodes,
                       .order = d.order,
                       .closed = closed};
    *mesh = d.mesh;
    return pl_statusOk;
}
