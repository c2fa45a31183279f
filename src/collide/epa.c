// Depth of two overlapping convex polytopes (van den Bergen 2001): a polytope P inside C that holds
// the origin grows towards its own nearest face, by C's vertex farthest along that face's normal.
// The face's distance is a lower bound of the depth, the farthest vertex an upper one, because the
// shortest way out of C leads through the face of C nearest to the origin. C has finitely many
// vertices, so the bounds meet.
//
// Faces that see the new vertex are removed, those that lie in one plane with it included: then no
// new face can be a sliver along the border of a flat one (its third vertex would lie in the plane
// of the face beyond, which would have been removed). Parallel faces and edges of a and b make flat
// regions of C with many vertices; this is the ordinary case, not the exception.
#include "collide/core.h"

#include <float.h>

enum { vertexLimit = plEpaIterations + 4, faceLimit = 2 * vertexLimit };

typedef struct {
    plVec3 n;
    double d; ///< n.p = d; the origin is at n.p = 0
    int16_t v[3], neighbour[3];
    bool alive, visible;
} Face;

typedef struct {
    int vertexCount, faceCount, freeCount, seenCount, borderCount;
    double flat; ///< [m] within which points lie in a plane
    plVertex v[vertexLimit];
    Face faces[faceLimit];
    int16_t freeFaces[faceLimit], seen[faceLimit];
    int16_t border[faceLimit][2]; ///< (outer face, its edge)
    int16_t start[vertexLimit];   ///< new face whose border edge begins at the vertex, or -1
} Hull;

static int addFace(Hull* h, int a, int b, int c)
{
    if (h->freeCount == 0 && h->faceCount == faceLimit) return -1;
    const int index = h->freeCount > 0 ? h->freeFaces[--h->freeCount] : h->faceCount++;
    Face* f = &h->faces[index];
    const plVec3 p = h->v[a].w, q = h->v[b].w, r = h->v[c].w;
    const plVec3 n = plCross(plSub(q, p), plSub(r, p));
    const double norm = plNorm(n);
    f->v[0] = (int16_t)a, f->v[1] = (int16_t)b, f->v[2] = (int16_t)c;
    f->alive = true;
    f->visible = false;
    if (!(norm > 0)) return -1;
    f->n = plScale(1 / norm, n);
    f->d = plDot(f->n, p);
    return index;
}

// --- the first tetrahedron

static double volume(const plVec3 a, plVec3 b, plVec3 c, plVec3 d)
{
    return plDot(plCross(plSub(b, a), plSub(c, a)), plSub(d, a));
}

static bool has(const plSimplex* s, const plVertex* w)
{
    for (int i = 0; i < s->count; i++) {
        if (s->v[i].ia == w->ia && s->v[i].ib == w->ib) return true;
    }
    return false;
}

/// Extends the simplex by the vertex farthest along d or -d, by more than `flat`; else false.
static bool extend(const plCorePair* p, plSimplex* s, plVec3 d, double flat)
{
    plVertex best = {.ia = -1};
    double most = flat;
    const double norm = plNorm(d);
    if (!(norm > 0)) return false;
    d = plScale(1 / norm, d);
    for (int sign = -1; sign <= 1; sign += 2) {
        const plVertex w = plCorePair_Support(p, plScale(sign, d), NULL);
        const double way = fabs(plDot(d, plSub(w.w, s->v[0].w)));
        if (way > most && !has(s, &w)) most = way, best = w;
    }
    if (best.ia < 0) return false;
    s->v[s->count++] = best;
    return true;
}

/// False: C is flat, and `n` is across it.
static bool firstTetrahedron(const plCorePair* p, plSimplex* s, double flat, plVec3* n)
{
    static const plVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (s->count == 4) {
        const plVec3 a = s->v[0].w, b = s->v[1].w, c = s->v[2].w;
        const double across = plNorm(plCross(plSub(b, a), plSub(c, a)));
        if (fabs(volume(a, b, c, s->v[3].w)) > flat * across) return true;
        s->count = 3;
    }
    if (s->count == 3) {
        const plVec3 ab = plSub(s->v[1].w, s->v[0].w), ac = plSub(s->v[2].w, s->v[0].w);
        const double longest = plHigher(plNorm(ab), plNorm(ac));
        if (!(plNorm(plCross(ab, ac)) > flat * longest)) s->count = 2;
    }
    for (int i = 0; i < 3 && s->count < 2; i++) extend(p, s, axes[i], flat);
    *n = plVec(1, 0, 0);
    if (s->count < 2) return false;
    const plVec3 u = plSub(s->v[1].w, s->v[0].w);
    for (int i = 0; i < 3 && s->count < 3; i++) extend(p, s, plCross(u, axes[i]), flat);
    plVec3 other;
    plTangents(plScale(1 / plNorm(u), u), n, &other);
    if (s->count < 3) return false;
    *n = plCross(u, plSub(s->v[2].w, s->v[0].w));
    *n = plScale(1 / plNorm(*n), *n);
    return s->count == 4 || extend(p, s, *n, flat);
}

static bool start(Hull* h, const plSimplex* s)
{
    static const int8_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int8_t over[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    // Faces look outward when the fourth vertex lies below the first three.
    const bool turned = volume(s->v[0].w, s->v[1].w, s->v[2].w, s->v[3].w) > 0;
    h->v[0] = s->v[0], h->v[3] = s->v[3];
    h->v[1] = s->v[turned ? 2 : 1], h->v[2] = s->v[turned ? 1 : 2];
    h->vertexCount = 4;
    h->faceCount = h->freeCount = 0;
    for (int i = 0; i < 4; i++) {
        h->start[i] = -1;
        if (addFace(h, corner[i][0], corner[i][1], corner[i][2]) != i) return false;
        for (int k = 0; k < 3; k++) h->faces[i].neighbour[k] = over[i][k];
    }
    return true;
}

// --- growth

static int nearestFace(const Hull* h)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < h->faceCount; i++) {
        if (h->faces[i].alive && h->faces[i].d < least) least = h->faces[i].d, best = i;
    }
    return best;
}

static bool isKnown(const Hull* h, const plVertex* w)
{
    for (int i = 0; i < h->vertexCount; i++) {
        if (h->v[i].ia == w->ia && h->v[i].ib == w->ib) return true;
    }
    return false;
}

static void flood(Hull* h, int first, plVec3 eye)
{
    h->seenCount = 1;
    h->borderCount = 0;
    h->seen[0] = (int16_t)first;
    h->faces[first].visible = true;
    for (int i = 0; i < h->seenCount; i++) {
        for (int k = 0; k < 3; k++) {
            const int other = h->faces[h->seen[i]].neighbour[k];
            Face* f = &h->faces[other];
            if (f->visible) continue;
            if (plDot(f->n, eye) - f->d > -h->flat) {
                f->visible = true;
                h->seen[h->seenCount++] = (int16_t)other;
                continue;
            }
            int back = 0;
            while (back < 2 && f->neighbour[back] != h->seen[i]) back++;
            h->border[h->borderCount][0] = (int16_t)other;
            h->border[h->borderCount++][1] = (int16_t)back;
        }
    }
}

/// The border must be one loop through different vertices.
static bool isLoop(Hull* h)
{
    int length = 0, at = 0;
    bool simple = h->borderCount >= 3;
    for (int i = 0; i < h->borderCount; i++) {
        const int from = h->faces[h->border[i][0]].v[(h->border[i][1] + 1) % 3];
        if (h->start[from] >= 0) simple = false;
        h->start[from] = (int16_t)i;
    }
    while (simple && length < h->borderCount) {
        at = h->start[h->faces[h->border[at][0]].v[h->border[at][1]]];
        length++;
        if (at <= 0) break;
    }
    for (int i = 0; i < h->borderCount; i++) {
        h->start[h->faces[h->border[i][0]].v[(h->border[i][1] + 1) % 3]] = -1;
    }
    return simple && at == 0 && length == h->borderCount;
}

static bool grow(Hull* h, int face, const plVertex* w)
{
    const int eye = h->vertexCount;
    flood(h, face, w->w);
    if (eye == vertexLimit || !isLoop(h)) return false;
    h->v[eye] = *w;
    h->start[eye] = -1;
    h->vertexCount++;
    for (int i = 0; i < h->seenCount; i++) {
        h->faces[h->seen[i]].alive = h->faces[h->seen[i]].visible = false;
        h->freeFaces[h->freeCount++] = h->seen[i];
    }
    for (int i = 0; i < h->borderCount; i++) {
        const int outer = h->border[i][0], k = h->border[i][1];
        const int from = h->faces[outer].v[(k + 1) % 3];
        const int added = addFace(h, from, h->faces[outer].v[k], eye);
        if (added < 0) return false;
        h->faces[added].neighbour[0] = (int16_t)outer;
        h->faces[outer].neighbour[k] = (int16_t)added;
        h->start[from] = h->seen[i] = (int16_t)added; // seen: room enough, and done with
    }
    for (int i = 0; i < h->borderCount; i++) {
        const int added = h->seen[i], next = h->start[h->faces[added].v[1]];
        h->faces[added].neighbour[1] = (int16_t)next;
        h->faces[next].neighbour[2] = (int16_t)added;
    }
    for (int i = 0; i < h->borderCount; i++) h->start[h->faces[h->seen[i]].v[0]] = -1;
    return true;
}

// --- the answer

/// Separating translation along -n of C, that is along n for a; depth h of C along n.
static void set(plWitness* out, plVec3 n, double depth)
{
    out->d = -depth;
    out->n = plVec(-n.x, -n.y, -n.z);
}

static void blend(plWitness* out, const plVertex* const v[3], const double weight[3])
{
    out->a = out->b = plVec(0, 0, 0);
    out->simplex.count = 0;
    for (int k = 0; k < 3; k++) {
        out->a = plAddScaled(out->a, weight[k], v[k]->a);
        out->b = plAddScaled(out->b, weight[k], v[k]->b);
        if (!(weight[k] > 0)) continue;
        out->simplex.v[out->simplex.count] = *v[k];
        out->simplex.weight[out->simplex.count++] = weight[k];
    }
}

/// A flat face of C is several triangles, and a nearly flat edge may part two that are equally
/// near: the one that holds the origin's image gives the points.
static void pickPoints(const Hull* h, int nearest, plWitness* out)
{
    const Face* best = &h->faces[nearest];
    const double wide = 1e5 * h->flat; // a few times the 1e-10 of the bounds
    double least = INFINITY;
    for (int i = 0; i < h->faceCount; i++) {
        const Face* f = &h->faces[i];
        if (!f->alive || f->d > best->d + wide || plDot(f->n, best->n) < 0.5) continue;
        const plVertex* v[3] = {&h->v[f->v[0]], &h->v[f->v[1]], &h->v[f->v[2]]};
        double weight[3];
        const plVec3 q =
            plNearestOnTriangle(plScale(best->d, best->n), v[0]->w, v[1]->w, v[2]->w, weight);
        const plVec3 off = plAddScaled(q, -best->d, best->n);
        if (!(plDot(off, off) < least)) continue;
        least = plDot(off, off);
        blend(out, v, weight);
    }
}

/// C has no inside: the depth is that of its two sides, which are equal but for round-off.
static void flatAnswer(const plCorePair* p, plVec3 n, plWitness* out)
{
    const plVertex up = plCorePair_Support(p, n, NULL);
    const plVertex down = plCorePair_Support(p, plScale(-1, n), NULL);
    const double above = plDot(n, up.w), below = -plDot(n, down.w);
    // Both sides are as good; a is pushed to where its frame already is.
    const bool takeUp = plDot(n, p->frame.x) > 0;
    set(out, takeUp ? n : plScale(-1, n), takeUp ? above : below);
    const plSimplex s = out->simplex;
    double weight[3] = {1, 0, 0};
    const plVertex* v[3] = {&s.v[0], &s.v[s.count > 1 ? 1 : 0], &s.v[s.count > 2 ? 2 : 0]};
    plNearestOnTriangle(plVec(0, 0, 0), v[0]->w, v[1]->w, v[2]->w, weight);
    blend(out, v, weight);
    out->exact = fabs(above + below) <= 1e-10 * p->scale;
}

void plEpa(const plCorePair* p, plWitness* out)
{
    Hull h;
    plVec3 n;
    double upper = INFINITY;
    h.flat = 16 * DBL_EPSILON * p->scale;
    out->exact = false;
    if (!firstTetrahedron(p, &out->simplex, 64 * h.flat, &n)) {
        flatAnswer(p, n, out);
        return;
    }
    if (!start(&h, &out->simplex)) return;
    int last = 0;
    double lastDepth = 0;
    bool whole = true;
    for (int i = 0; i < plEpaIterations && whole; i++) {
        const int nearest = nearestFace(&h);
        if (nearest < 0) break;
        const Face* f = &h.faces[nearest];
        const plVertex w = plCorePair_Support(p, f->n, &h.v[f->v[0]]);
        const double depth = plDot(f->n, w.w);
        out->iterations++;
        last = nearest, lastDepth = depth;
        if (depth < upper) upper = depth, set(out, f->n, depth);
        out->exact = upper - f->d <= 1e-10 * p->scale;
        if (depth - f->d <= 4 * h.flat || isKnown(&h, &w)) break;
        whole = grow(&h, nearest, &w);
    }
    if (!out->exact) return;
    if (!whole || lastDepth > upper + 1e-10 * p->scale) {
        plFindPoints(p, out);
        return;
    }
    // Several directions may be as good; the points belong to the last one.
    set(out, h.faces[last].n, lastDepth);
    pickPoints(&h, last, out);
    // Beside the tip of a very thin C, the planes of its faces are near, and the faces are not.
    const plVec3 off = plAddScaled(plSub(out->a, out->b), -out->d, out->n);
    if (!(plNorm(off) <= 1e-10 * p->scale)) plFindPoints(p, out);
}
