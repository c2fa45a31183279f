// What the searches could not finish, by trying everything.
//
// Depth: every direction that can be normal to a face of C, that is the faces of a and of b and the
// cross products of their edges; the least width of the overlap along them. Distance: every vertex
// against every face, every edge against every edge.
#include "collide/core.h"

typedef struct {
    const plCorePair* pair;
    plWitness* out;
    double least;
    int tried;
} Search;

static void tryDirection(Search* s, plVec3 n)
{
    const double norm = plNorm(n);
    if (!(norm > 0)) return;
    n = plScale(1 / norm, n);
    const plVertex w = plCorePair_Support(s->pair, n, NULL);
    const double depth = plDot(n, w.w);
    s->tried++;
    if (!(depth < s->least)) return;
    s->least = depth;
    s->out->d = -depth;
    s->out->n = plScale(-1, n);
}

// Moved out by its depth and a little more, a is as far from b as that little, and its nearest
// points are those in which the two touch.
void plFindPoints(const plCorePair* p, plWitness* out)
{
    plCorePair apart = *p;
    plWitness w;
    const plVec3 way = plScale(-out->d + 1e-3 * p->scale, out->n);
    apart.frame.x = plSub(apart.frame.x, way);
    plGjk(&apart, NULL, &w);
    if (w.overlap) { // only round-off can do that; a corner is a place, too
        w.simplex.count = 1;
        w.simplex.weight[0] = 1;
        w.simplex.v[0] = plCorePair_Support(p, plScale(-1, out->n), NULL);
        w.a = w.simplex.v[0].a;
    }
    out->simplex = w.simplex;
    out->a = w.a;
    out->b = plSub(w.a, plScale(out->d, out->n));
}

static int edgesOf(const plCore* c) { return c->polytope ? c->polytope->edgeCount : c->count - 1; }

/// Direction of an edge; zero for the second of two half-edges.
static plVec3 edgeAt(const plCore* c, int i)
{
    if (!c->polytope) return plSub(c->v[1], c->v[0]);
    const plPolytope* t = c->polytope;
    const plHalfEdge* e = &t->edges[i];
    if (e->twin < i) return plVec(0, 0, 0);
    return plSub(t->vertices[t->edges[e->twin].origin], t->vertices[e->origin]);
}

void plTryAllFaces(const plCorePair* p, plWitness* out)
{
    Search s = {.pair = p, .out = out, .least = INFINITY};
    const plPolytope* a = p->a->polytope;
    const plPolytope* b = p->b->polytope;
    for (int i = 0; a && i < a->faceCount; i++) tryDirection(&s, a->faces[i].n);
    for (int i = 0; b && i < b->faceCount; i++) {
        tryDirection(&s, plScale(-1, plMul(&p->frame.R, b->faces[i].n)));
    }
    for (int i = 0; i < edgesOf(p->a); i++) {
        const plVec3 u = edgeAt(p->a, i);
        if (u.x == 0 && u.y == 0 && u.z == 0) continue;
        for (int j = 0; j < edgesOf(p->b); j++) {
            const plVec3 n = plCross(u, plMul(&p->frame.R, edgeAt(p->b, j)));
            tryDirection(&s, n);
            tryDirection(&s, plScale(-1, n));
        }
    }
    out->exact = s.tried > 0;
    plFindPoints(p, out);
}

// --- distance

static plVec3 startOf(const plCore* c, int edge)
{
    return c->polytope ? c->v[c->polytope->edges[edge].origin] : c->v[0];
}

static void nearer(plWitness* out, plVec3 a, plVec3 b)
{
    const double d = plNorm(plSub(a, b));
    if (!(d < out->d)) return;
    out->d = d;
    out->a = a;
    out->b = b;
}

static void verticesAgainst(const plCorePair* p, bool ofA, plWitness* out)
{
    const plCore* points = ofA ? p->a : p->b;
    const plCore* faces = ofA ? p->b : p->a;
    const plPolytope* t = faces->polytope;
    for (int i = 0; t && i < points->count; i++) {
        const plVec3 q = ofA ? plInto(&p->frame, points->v[i]) : plOut(&p->frame, points->v[i]);
        for (int f = 0; f < t->faceCount; f++) {
            const plHalfEdge* e = &t->edges[t->faces[f].first];
            for (int k = 1; k + 1 < t->faces[f].count; k++) {
                double weight[3];
                const plVec3 near =
                    plNearestOnTriangle(q, t->vertices[e[0].origin], t->vertices[e[k].origin],
                                        t->vertices[e[k + 1].origin], weight);
                if (ofA) nearer(out, points->v[i], plOut(&p->frame, near));
                if (!ofA) nearer(out, near, plOut(&p->frame, points->v[i]));
            }
        }
    }
}

void plTryAllFeatures(const plCorePair* p, plWitness* out)
{
    verticesAgainst(p, true, out);
    verticesAgainst(p, false, out);
    for (int i = 0; i < edgesOf(p->a); i++) {
        const plVec3 a0 = startOf(p->a, i), u = edgeAt(p->a, i);
        if (plDot(u, u) == 0) continue;
        for (int j = 0; j < edgesOf(p->b); j++) {
            const plVec3 b0 = plOut(&p->frame, startOf(p->b, j));
            const plVec3 v = plMul(&p->frame.R, edgeAt(p->b, j));
            plVec3 a, b;
            if (plDot(v, v) == 0) continue;
            plNearestOfSegments(a0, plAdd(a0, u), b0, plAdd(b0, v), &a, &b);
            nearer(out, a, b);
        }
    }
    if (out->d > 0) out->n = plScale(1 / out->d, plSub(out->a, out->b));
    out->exact = true;
}
