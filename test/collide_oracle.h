// Slow and simple answers for two convex solids, which share no code with the library's searches:
// distance by trying every pair of features, depth by trying every direction that can separate.
#ifndef PALP_TEST_COLLIDE_ORACLE_H
#define PALP_TEST_COLLIDE_ORACLE_H

#include "collide/collide.h"
#include "worlds.h"

#include <string.h>

enum { solidVertices = 128, solidFaces = 256, solidEdges = 384 };

enum { solidCorners = 24 };

/// A convex solid in the world: vertices, flat faces, edges, grown by a radius.
typedef struct {
    int vertexCount, faceCount, edgeCount;
    plVec3 v[solidVertices];
    int corners[solidFaces]; ///< of each face, in order
    int face[solidFaces][solidCorners];
    int edge[solidEdges][2];
    double radius;
} Solid;

static inline void solidOf(const plShape* s, const plFrame* carrier, Solid* out)
{
    const plFrame f = plFrameMul(carrier, &s->frame);
    out->vertexCount = out->faceCount = out->edgeCount = 0;
    out->radius = s->radius;
    if (!s->polytope) {
        out->vertexCount = s->kind == pl_shapeSphere ? 1 : 2;
        out->edgeCount = out->vertexCount - 1;
        out->edge[0][0] = 0, out->edge[0][1] = 1;
        out->v[0] = plOut(&f, plVec(-s->half.x, 0, 0));
        out->v[1] = plOut(&f, plVec(s->half.x, 0, 0));
        return;
    }
    const plPolytope* t = s->polytope;
    assert_true(t->vertexCount <= solidVertices && t->edgeCount <= 2 * solidEdges);
    for (int i = 0; i < t->vertexCount; i++) out->v[out->vertexCount++] = plOut(&f, t->vertices[i]);
    for (int i = 0; i < t->edgeCount; i++) {
        if (t->edges[i].twin < i) continue;
        out->edge[out->edgeCount][0] = t->edges[i].origin;
        out->edge[out->edgeCount++][1] = t->edges[t->edges[i].twin].origin;
    }
    assert_true(t->faceCount <= solidFaces);
    for (int i = 0; i < t->faceCount; i++) {
        assert_true(t->faces[i].count <= solidCorners);
        out->corners[out->faceCount] = t->faces[i].count;
        for (int k = 0; k < t->faces[i].count; k++) {
            out->face[i][k] = t->edges[t->faces[i].first + k].origin;
        }
        out->faceCount++;
    }
}

/// The sum of a face's triangles, as vectors across them.
static inline plVec3 acrossFace(const Solid* s, int face)
{
    plVec3 sum = {0, 0, 0};
    const plVec3 a = s->v[s->face[face][0]];
    for (int k = 1; k + 1 < s->corners[face]; k++) {
        const plVec3 b = s->v[s->face[face][k]], c = s->v[s->face[face][k + 1]];
        sum = plAdd(sum, plCross(plSub(b, a), plSub(c, a)));
    }
    return sum;
}

// --- distance

typedef struct {
    double d;
    plVec3 a, b;
} Closest;

static inline void better(Closest* best, plVec3 a, plVec3 b)
{
    const double d = plNorm(plSub(a, b));
    if (d < best->d) *best = (Closest){d, a, b};
}

static inline void edgeEdge(plVec3 a0, plVec3 a1, plVec3 b0, plVec3 b1, Closest* best)
{
    const plVec3 u = plSub(a1, a0), v = plSub(b1, b0), r = plSub(b0, a0);
    const plVec3 n = plCross(u, v);
    const double nn = plDot(n, n);
    if (!(nn > 0)) return;
    const double s = plDot(plCross(r, v), n) / nn, t = plDot(plCross(r, u), n) / nn;
    if (s < 0 || s > 1 || t < 0 || t > 1) return;
    better(best, plAddScaled(a0, s, u), plAddScaled(b0, t, v));
}

/// Inner points of faces and edges against vertices; the vertices themselves come elsewhere.
static inline void vertexOthers(const Solid* s, plVec3 p, bool swap, Closest* best)
{
    for (int i = 0; i < s->edgeCount; i++) {
        const plVec3 a = s->v[s->edge[i][0]], u = plSub(s->v[s->edge[i][1]], a);
        const double t = plDot(plSub(p, a), u) / plDot(u, u);
        if (!(t > 0 && t < 1)) continue;
        const plVec3 q = plAddScaled(a, t, u);
        better(best, swap ? q : p, swap ? p : q);
    }
    for (int i = 0; i < s->faceCount; i++) {
        const plVec3 n = acrossFace(s, i), a = s->v[s->face[i][0]];
        if (!(plDot(n, n) > 0)) continue;
        const plVec3 q = plAddScaled(p, plDot(n, plSub(a, p)) / plDot(n, n), n);
        bool inside = true;
        for (int k = 0; k < s->corners[i]; k++) {
            const plVec3 from = s->v[s->face[i][k]];
            const plVec3 to = s->v[s->face[i][(k + 1) % s->corners[i]]];
            inside &= plDot(n, plCross(plSub(to, from), plSub(q, from))) >= 0;
        }
        if (inside) better(best, swap ? q : p, swap ? p : q);
    }
}

static inline Closest closestFeatures(const Solid* a, const Solid* b)
{
    Closest best = {.d = 1e300};
    for (int i = 0; i < a->vertexCount; i++) {
        for (int j = 0; j < b->vertexCount; j++) better(&best, a->v[i], b->v[j]);
        vertexOthers(b, a->v[i], false, &best);
    }
    for (int j = 0; j < b->vertexCount; j++) vertexOthers(a, b->v[j], true, &best);
    for (int i = 0; i < a->edgeCount; i++) {
        for (int j = 0; j < b->edgeCount; j++) {
            edgeEdge(a->v[a->edge[i][0]], a->v[a->edge[i][1]], b->v[b->edge[j][0]],
                     b->v[b->edge[j][1]], &best);
        }
    }
    return best;
}

// --- depth

/// How far b reaches into a along n (the way that a must move along n).
static inline double widthAlong(const Solid* a, const Solid* b, plVec3 n)
{
    double low = 1e300, high = -1e300;
    for (int i = 0; i < a->vertexCount; i++) low = fmin(low, plDot(n, plSub(a->v[i], a->v[0])));
    for (int i = 0; i < b->vertexCount; i++) high = fmax(high, plDot(n, plSub(b->v[i], a->v[0])));
    return high - low;
}

static inline void tryBothWays(const Solid* a, const Solid* b, plVec3 n, double* least)
{
    const double norm = plNorm(n);
    if (!(norm > 0)) return;
    n = plScale(1 / norm, n);
    *least = fmin(*least, widthAlong(a, b, n));
    *least = fmin(*least, widthAlong(a, b, plScale(-1, n)));
}

static inline double leastWidth(const Solid* a, const Solid* b)
{
    double least = 1e300;
    for (int side = 0; side < 2; side++) {
        const Solid* s = side == 0 ? a : b;
        for (int i = 0; i < s->faceCount; i++) {
            tryBothWays(a, b, acrossFace(s, i), &least);
        }
    }
    for (int i = 0; i < a->edgeCount; i++) {
        for (int j = 0; j < b->edgeCount; j++) {
            const plVec3 u = plSub(a->v[a->edge[i][1]], a->v[a->edge[i][0]]);
            const plVec3 v = plSub(b->v[b->edge[j][1]], b->v[b->edge[j][0]]);
            tryBothWays(a, b, plCross(u, v), &least);
        }
    }
    return least;
}

/// Signed distance. The solids are apart when the direction of the nearest features separates them
/// by their distance; that is a proof. Else the depth counts.
static inline double signedDistance(const Solid* a, const Solid* b)
{
    const double scale =
        plNorm(plSub(a->v[0], b->v[0])) + plNorm(plSub(a->v[0], a->v[a->vertexCount - 1]));
    const Closest c = closestFeatures(a, b);
    const double r = a->radius + b->radius;
    if (c.d > 0) {
        const plVec3 n = plScale(1 / c.d, plSub(c.a, c.b));
        if (-widthAlong(a, b, n) >= c.d - 1e-9 * (scale + c.d)) return c.d - r;
    }
    if (a->faceCount + b->faceCount == 0) return -r; // their difference is flat
    // A direction with a gap says that they are apart, though too near for the proof.
    const double width = leastWidth(a, b);
    return width < 0 ? c.d - r : -width - r;
}

#endif
