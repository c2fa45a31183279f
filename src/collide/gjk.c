// Distance of two convex polytopes (Gilbert, Johnson, Keerthi 1988).
//
// v is the point nearest to the origin of a simplex of vertices of C. The vertex w of C farthest
// along -v bounds the distance from below, v.w/|v| <= distance <= |v|; when both agree the search
// is over, else w joins the simplex. The nearest point of a simplex is found by trying its faces
// (triangles by signed areas, with their edges when an area is not positive), which never leaves
// the simplex: whatever round-off does, |v| is the norm of a true point of C and only falls.
// This is the careful search; it goes on where gjk_quick.c ended without a certain answer.
#include "collide/core.h"

#include <float.h>

static void keep(plSimplex* s, int i, int j)
{
    s->v[j] = s->v[i];
    s->weight[j] = s->weight[i];
}

/// Drops the vertices of weight 0, in place.
static void reduce(plSimplex* s)
{
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->weight[i] > 0) keep(s, i, count++);
    }
    s->count = count > 0 ? count : 1; // numbers that are none leave a point
}

// Near the origin v is a small difference of large numbers; what is left of it along the edge would
// spoil its direction, and is taken out once more.
static plVec3 solveSegment(plSimplex* s)
{
    double t;
    const plVec3 ab = plSub(s->v[1].w, s->v[0].w);
    const plVec3 v = plNearestOnSegment(plVec(0, 0, 0), s->v[0].w, s->v[1].w, &t);
    s->weight[0] = 1 - t, s->weight[1] = t;
    return t > 0 && t < 1 ? plAddScaled(v, -plDot(v, ab) / plDot(ab, ab), ab) : v;
}

static plVec3 solveTriangle(plSimplex* s)
{
    return plNearestOnTriangle(plVec(0, 0, 0), s->v[0].w, s->v[1].w, s->v[2].w, s->weight);
}

// The origin is inside when, for every face, it lies on the side of the fourth vertex. Faces for
// which that is not certain (flat tetrahedra too) are tried as triangles. `inside` only when no
// face had to be tried.
static plVec3 solveTetrahedron(plSimplex* s, bool* inside)
{
    static const int face[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
    plVec3 best = {0, 0, 0};
    double least = INFINITY, weight[4] = {0, 0, 0, 0};
    *inside = true;
    for (int i = 0; i < 4; i++) {
        const int* k = face[i];
        const plVec3 a = s->v[k[0]].w, b = s->v[k[1]].w, c = s->v[k[2]].w;
        const plVec3 n = plCross(plSub(b, a), plSub(c, a));
        const double origin = -plDot(n, a), fourth = plDot(n, plSub(s->v[k[3]].w, a));
        // Products of three differences: round-off is a few units of the last place of each.
        const double noise = 8 * DBL_EPSILON * plNorm(n) * plNorm(a);
        if (fabs(fourth) > 4 * noise && (fourth > 0 ? origin > noise : origin < -noise)) continue;
        *inside = false;
        double w[3];
        const plVec3 v = plNearestOnTriangle(plVec(0, 0, 0), a, b, c, w);
        if (!(plDot(v, v) < least)) continue;
        least = plDot(v, v);
        best = v;
        for (int j = 0; j < 3; j++) weight[k[j]] = w[j];
        weight[k[3]] = 0;
    }
    for (int i = 0; i < 4; i++) s->weight[i] = weight[i];
    return best;
}

static plVec3 solve(plSimplex* s, bool* inside)
{
    plVec3 v = s->v[0].w;
    *inside = false;
    s->weight[0] = 1;
    if (s->count == 2) v = solveSegment(s);
    if (s->count == 3) v = solveTriangle(s);
    if (s->count == 4) v = solveTetrahedron(s, inside);
    if (!*inside) reduce(s);
    return v;
}

static bool holds(const plSimplex* s, const plVertex* w)
{
    for (int i = 0; i < s->count; i++) {
        if (s->v[i].ia == w->ia && s->v[i].ib == w->ib) return true;
    }
    return false;
}

/// Where the quick search ended; else the vertex that faces b.
static plVec3 begin(const plCorePair* p, const plSimplex* reached, plSimplex* s, bool* inside)
{
    s->count = 0;
    for (int i = 0; i < reached->count; i++) {
        const plVertex w = plCorePair_Vertex(p, reached->v[i].ia, reached->v[i].ib);
        if (!holds(s, &w)) s->v[s->count++] = w;
    }
    if (s->count == 0) s->v[s->count++] = plCorePair_Support(p, p->frame.x, NULL);
    return solve(s, inside);
}

static void store(const plSimplex* s, plGuess* guess)
{
    if (!guess) return;
    guess->count = s->count;
    for (int i = 0; i < s->count; i++) {
        guess->a[i] = (uint16_t)s->v[i].ia;
        guess->b[i] = (uint16_t)s->v[i].ib;
    }
}

static void witness(plWitness* out, plVec3 v, double d)
{
    const plSimplex* s = &out->simplex;
    out->d = d;
    out->n = plScale(1 / d, v);
    out->a = out->b = plVec(0, 0, 0);
    for (int i = 0; i < s->count; i++) {
        out->a = plAddScaled(out->a, s->weight[i], s->v[i].a);
        out->b = plAddScaled(out->b, s->weight[i], s->v[i].b);
    }
    // A triangle's own normal is known far better than the direction of a very short v.
    if (s->count == 3 && d < 1e-3 * plNorm(plSub(s->v[1].w, s->v[0].w))) {
        const plVec3 ab = plSub(s->v[1].w, s->v[0].w), ac = plSub(s->v[2].w, s->v[0].w);
        const plVec3 n = plCross(ab, ac);
        const double norm = plNorm(n);
        if (norm > 1e-6 * plNorm(ab) * plNorm(ac)) {
            out->n = plScale((plDot(n, v) > 0 ? 1 : -1) / norm, n);
        }
    }
}

// The bounds agree. Or v is short: its direction is uncertain by noise/d, and the bound, which
// supposes it, by as much of the distance to w.
static bool isExact(const plCorePair* p, plVec3 v, const plVertex* w, double d, double below)
{
    const double noise = 4 * DBL_EPSILON * p->scale;
    if (d - below <= 1e-10 * p->scale || d <= 1e-10 * p->scale) return true;
    return (d - below) * d <= 4 * noise * plNorm(plSub(w->w, v));
}

// Where w is far away, the fall of |v| towards it may drown in round-off although a nearer vertex,
// which v does not show yet, would lower it much: so a few steps without a fall are allowed, and
// the best point is kept.
void plGjk(const plCorePair* p, plGuess* guess, plWitness* out)
{
    enum { stallLimit = 6 };
    if (plGjkQuick(p, guess, out)) {
        store(&out->simplex, guess);
        return;
    }
    // Coordinates of C are sums of a few products, rounded at the scale of the pair.
    const double noise = 4 * DBL_EPSILON * p->scale;
    bool inside;
    int stall = 0;
    plSimplex s;
    plVec3 v = begin(p, &out->simplex, &s, &inside), best = v;
    out->simplex = s;
    out->overlap = out->exact = false;
    for (; out->iterations < plGjkIterations && !inside; out->iterations++) {
        const double d2 = plDot(v, v), d = sqrt(d2);
        if (d <= noise) break;
        const plVertex w = plCorePair_Support(p, plVec(-v.x, -v.y, -v.z), &s.v[s.count - 1]);
        const double below = plDot(v, w.w) / d;
        out->exact = isExact(p, v, &w, d, below);
        if (d - below <= noise || holds(&s, &w)) break;
        s.v[s.count++] = w;
        v = solve(&s, &inside);
        const double fallen = plDot(v, v);
        if (!inside && !(fallen < d2) && ++stall > stallLimit) break;
        if (!inside && !(fallen < plDot(best, best))) continue;
        best = v;
        out->simplex = s;
    }
    const double d = plNorm(best);
    store(&out->simplex, guess);
    out->overlap = inside || d <= noise;
    if (!out->overlap) witness(out, best, d);
}
