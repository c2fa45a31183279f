// Which edges are one, which are points, which are the border. Edges are compared as curves: at equal
// shares of their parameters, one way or the other. Curves of one shape that run at different paces
// are not joined, nor is an edge to a part of another.
#include "shape/nurbs_inside.h"

static bool isAlongV(int edge) { return edge == plEdgeU0 || edge == plEdgeU1; }

plUv plNurbs_EdgeUv(const plNurbs* n, int patch, int edge, double f)
{
    double u[2], v[2];
    plNurbs_Domain(n, patch, u, v);
    const int end = edge == plEdgeU1 || edge == plEdgeV1;
    const double* along = isAlongV(edge) ? v : u;
    // From the nearer end, so that both are met exactly.
    const double x = f <= 0.5 ? along[0] + f * (along[1] - along[0])
                              : along[1] - (1 - f) * (along[1] - along[0]);
    return isAlongV(edge) ? plUvAt(patch, u[end], x) : plUvAt(patch, x, v[end]);
}

static plVec3 placeOn(const plNurbs* n, int patch, int edge, double f)
{
    return plNurbs_Place(n, plNurbs_EdgeUv(n, patch, edge, f));
}

/// More places than two different rational curves of these degrees can share in one span.
static int sampleCount(const plPatch* a, int edge)
{
    const int degree = isAlongV(edge) ? a->degreeV : a->degreeU;
    const int spans = isAlongV(edge) ? a->spansV : a->spansU;
    const int count = (2 * degree + 1) * spans + 1;
    return count < 512 ? count : 512;
}

static bool isNear(plVec3 a, plVec3 b, double gap) { return plNorm(plSub(a, b)) <= gap; }

static bool isCollapsed(const plNurbs* n, int patch, int edge)
{
    const int count = sampleCount(&n->patches[patch], edge);
    const plVec3 first = placeOn(n, patch, edge, 0);
    for (int i = 1; i <= count; i++) {
        const plVec3 p = placeOn(n, patch, edge, (double)i / count);
        if (!isNear(p, first, plJoinGap * n->size)) return false;
    }
    return true;
}

/// Ends and middle of an edge, to tell most apart.
typedef struct {
    int patch, edge;
    plVec3 begin, middle, end;
} Edge;

static bool isSame(const plNurbs* n, const Edge* a, const Edge* b, bool reversed)
{
    const double gap = plJoinGap * n->size;
    if (!isNear(a->middle, b->middle, gap)) return false;
    if (!isNear(a->begin, reversed ? b->end : b->begin, gap)) return false;
    if (!isNear(a->end, reversed ? b->begin : b->end, gap)) return false;
    const int countA = sampleCount(&n->patches[a->patch], a->edge);
    const int countB = sampleCount(&n->patches[b->patch], b->edge);
    const int count = countA > countB ? countA : countB;
    for (int i = 1; i < count; i++) {
        const double f = (double)i / count;
        const plVec3 p = placeOn(n, a->patch, a->edge, f);
        if (!isNear(p, placeOn(n, b->patch, b->edge, reversed ? 1 - f : f), gap)) return false;
    }
    return true;
}

/// How well the surface goes on from a to b: 1 for a common tangent plane, -1 for a fold.
static double smoothness(const plNurbs* n, const Edge* a, const Edge* b)
{
    const plUv at[2] = {plNurbs_EdgeUv(n, a->patch, a->edge, 0.5),
                        plNurbs_EdgeUv(n, b->patch, b->edge, 0.5)};
    return plDot(plNurbs_Normal(n, at[0]), plNurbs_Normal(n, at[1]));
}

// Where more than two edges meet, the smoothest pair of them.
static void joinEdge(const plNurbs* n, plPatch* patches, const Edge* edges, int count, int i)
{
    const Edge* a = &edges[i];
    int best = -1;
    bool bestReversed = false;
    double smoothest = -INFINITY;
    for (int j = i + 1; j < count; j++) {
        const Edge* b = &edges[j];
        if (patches[b->patch].edges[b->edge].kind != pl_edgeOpen) continue;
        const bool forward = isSame(n, a, b, false), reversed = !forward && isSame(n, a, b, true);
        if (!forward && !reversed) continue;
        const double smooth = smoothness(n, a, b);
        if (!(smooth > smoothest)) continue;
        smoothest = smooth;
        bestReversed = reversed;
        best = j;
    }
    if (best < 0) return;
    const Edge* b = &edges[best];
    patches[a->patch].edges[a->edge] =
        (plPatchEdge){pl_edgeJoined, b->patch, b->edge, bestReversed};
    patches[b->patch].edges[b->edge] =
        (plPatchEdge){pl_edgeJoined, a->patch, a->edge, bestReversed};
}

/// Puts a collapsed edge into the ring of those that end in its point.
static void joinPole(const plNurbs* n, plPatch* patches, const Edge* edges, int i)
{
    plPatchEdge* a = &patches[edges[i].patch].edges[edges[i].edge];
    *a = (plPatchEdge){pl_edgeCollapsed, edges[i].patch, edges[i].edge, false};
    for (int j = 0; j < i; j++) {
        plPatchEdge* b = &patches[edges[j].patch].edges[edges[j].edge];
        if (b->kind != pl_edgeCollapsed) continue;
        if (!isNear(edges[i].begin, edges[j].begin, 2 * plJoinGap * n->size)) continue;
        a->patch = b->patch, a->edge = b->edge;
        b->patch = edges[i].patch, b->edge = edges[i].edge;
        return;
    }
}

// Going round a patch counter-clockwise, v = least and u = largest are run upwards, the others
// downwards. Neighbours that agree on outside run their common edge in opposite ways.
static bool agree(int edge, const plPatchEdge* to)
{
    const bool up = edge == plEdgeV0 || edge == plEdgeU1;
    const bool upThere = to->edge == plEdgeV0 || to->edge == plEdgeU1;
    return (up == upThere) == to->reversed;
}

static bool isClosed(const plNurbs* n)
{
    for (int i = 0; i < n->patchCount; i++) {
        for (int k = 0; k < plPatchEdges; k++) {
            const plPatchEdge* e = plNurbs_Edge(n, i, k);
            if (e->kind == pl_edgeOpen) return false;
            if (e->kind == pl_edgeJoined && !agree(k, e)) return false;
        }
    }
    return true;
}

plStatus plNurbs_Join(plNurbs* n, plPatch* patches, const plAllocator* allocator,
                      plShapeError* error)
{
    const int count = plPatchEdges * n->patchCount;
    plScratch scratch = {.allocator = allocator};
    Edge* edges = plScratch_Take(&scratch, (size_t)count, sizeof *edges);
    if (!edges) return plShapeError_Set(error, pl_statusNoMemory, "no memory to join the patches");
    for (int i = 0; i < count; i++) {
        const int patch = i / plPatchEdges, edge = i % plPatchEdges;
        edges[i] = (Edge){patch, edge, placeOn(n, patch, edge, 0), placeOn(n, patch, edge, 0.5),
                          placeOn(n, patch, edge, 1)};
        patches[patch].edges[edge] = (plPatchEdge){.kind = pl_edgeOpen};
        if (isCollapsed(n, patch, edge)) joinPole(n, patches, edges, i);
    }
    for (int i = 0; i < count; i++) {
        if (patches[i / plPatchEdges].edges[i % plPatchEdges].kind == pl_edgeOpen) {
            joinEdge(n, patches, edges, count, i);
        }
    }
    plScratch_Free(&scratch);
    n->closed = isClosed(n);
    return pl_statusOk;
}
