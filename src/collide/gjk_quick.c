// The search for the distance, made quick for solids that are clearly apart.
//
// It differs from gjk.c in two ways. The newest vertex of the simplex lies nearer to the origin,
// along v, than all that the others span, so it belongs to the nearest feature: only the features
// that hold it are looked at, which are one edge, or a triangle and two of its edges, or three
// triangles. And nothing is done about round-off but to notice it: the bounds v.w/|v| and |v| must
// meet at the end. Where they do not, where |v| does not fall or a sign makes no sense, and where
// the solids overlap or nearly touch, the answer is left to gjk.c.
//   letters  D newest vertex; a, b, c the others, seen from D; n normal of a triangle, not unit
#include "collide/core.h"

#include <float.h>

// Vectors that go through memory cost as much as the arithmetic does.
#define HOT static inline __attribute__((always_inline))

/// Vertices stay where they are; `at` lists those of the simplex, the newest last.
typedef struct {
    plVec3 w[4];
    int ia[4], ib[4];
    int count, at[4];
    double weight[4]; ///< by places, as the vertices
} Search;

/// Nearest point of a feature that holds D, and the weights of the two others.
typedef struct {
    plVec3 v;
    double ofA, ofB;
    bool good;
} Foot;

HOT plVec3 put(const plCorePair* p, Search* s, int at, int ia, int ib)
{
    s->ia[at] = ia, s->ib[at] = ib;
    s->weight[at] = 0;
    s->w[at] = plSub(p->a->v[ia], plOut(&p->frame, p->b->v[ib]));
    return s->w[at];
}

/// The vertex farthest along d, in the place `at`; climbing begins at that of `from`.
HOT plVec3 add(const plCorePair* p, Search* s, plVec3 d, int at, int from)
{
    const plVec3 back = plMulT(&p->frame.R, plVec(-d.x, -d.y, -d.z));
    const int ia = plCore_Farthest(p->a, d, s->ia[from]);
    return put(p, s, at, ia, plCore_Farthest(p->b, back, s->ib[from]));
}

/// Coordinates of C are sums of a few products, rounded at the scale of the pair.
static double noiseOf(const plCorePair* p) { return 4 * DBL_EPSILON * p->scale; }

// --- nearest features

// What round-off leaves of v along the edge would spoil its direction, and is taken out once more.
HOT plVec3 onEdge(plVec3 D, plVec3 a, double along, double* t)
{
    const double r = 1 / plDot(a, a);
    const plVec3 v = plAddScaled(D, along * r, a);
    *t = along * r;
    return plAddScaled(v, -plDot(v, a) * r, a);
}

// The weights of a and b, times n.n, are b.m and -a.m with m = n x (-D). Beyond the line of an edge
// the nearest point is on that edge or at D; no point is nearest to both edges.
HOT Foot onTriangle(plVec3 D, plVec3 a, plVec3 b, plVec3 n)
{
    const plVec3 m = plCross(D, n);
    const double ofA = plDot(b, m), ofB = -plDot(a, m);
    Foot f = {.v = D, .good = true};
    if (ofA > 0 && ofB > 0) {
        const double whole = plDot(n, n), r = 1 / whole;
        return (Foot){plScale(plDot(n, D) * r, n), ofA * r, ofB * r, ofA + ofB < whole};
    }
    const double alongA = -plDot(D, a), alongB = -plDot(D, b);
    if (!(ofB > 0) && alongA > 0)
        f.v = onEdge(D, a, alongA, &f.ofA);
    else if (!(ofA > 0) && alongB > 0)
        f.v = onEdge(D, b, alongB, &f.ofB);
    f.good = f.ofA + f.ofB < 1;
    return f;
}

/// Keeps of the vertices at i and j, and of the newest one, what has a weight.
HOT bool keep(Search* s, const Foot* f, int i, int j, plVec3* v)
{
    const int newest = s->at[s->count - 1];
    int n = 0;
    if (f->ofA > 0) s->weight[i] = f->ofA, s->at[n++] = i;
    if (f->ofB > 0) s->weight[j] = f->ofB, s->at[n++] = j;
    s->weight[newest] = 1 - f->ofA - f->ofB, s->at[n++] = newest;
    s->count = n;
    *v = f->v;
    return f->good;
}

HOT bool solveEdge(Search* s, plVec3 D, plVec3* v)
{
    const plVec3 a = plSub(s->w[s->at[0]], D);
    const double along = -plDot(D, a);
    Foot f = {.v = D};
    if (along > 0) f.v = onEdge(D, a, along, &f.ofA);
    f.good = f.ofA < 1;
    return keep(s, &f, s->at[0], s->at[0], v);
}

HOT bool solveTriangle(Search* s, plVec3 D, plVec3* v)
{
    const plVec3 a = plSub(s->w[s->at[0]], D), b = plSub(s->w[s->at[1]], D);
    const Foot f = onTriangle(D, a, b, plCross(a, b));
    return keep(s, &f, s->at[0], s->at[1], v);
}

// A triangle is in question when the origin is not on the side of the fourth vertex. One that has
// the origin over it holds the nearest point; none at all: the solids overlap.
HOT bool solveTetrahedron(Search* s, plVec3 D, plVec3* v)
{
    const int* at = s->at;
    const plVec3 side[4] = {plSub(s->w[at[0]], D), plSub(s->w[at[1]], D), plSub(s->w[at[2]], D),
                            plSub(s->w[at[0]], D)};
    Foot best = {.good = false};
    double least = INFINITY, volume = 0;
    int which = 0;
    for (int k = 0; k < 3; k++) {
        const plVec3 n = plCross(side[k], side[k + 1]);
        const double origin = -plDot(n, D);
        if (k == 0) volume = plDot(n, side[2]);
        if (volume > 0 ? origin > 0 : origin < 0) continue;
        const Foot f = onTriangle(D, side[k], side[k + 1], n);
        const double d2 = plDot(f.v, f.v);
        if (d2 < least) least = d2, best = f, which = k;
        if (f.ofA > 0 && f.ofB > 0) break;
    }
    return best.good && keep(s, &best, at[which], at[which < 2 ? which + 1 : 0], v);
}

HOT bool solve(Search* s, plVec3 D, plVec3* v)
{
    if (s->count == 2) return solveEdge(s, D, v);
    return s->count == 3 ? solveTriangle(s, D, v) : solveTetrahedron(s, D, v);
}

// --- the search

/// Any vertex of a guess may be out of the nearest feature.
static plVec3 solveAny(Search* s)
{
    double weight[3] = {1, 0, 0};
    const int count = s->count;
    plVec3 v;
    if (count == 2) {
        v = plNearestOnSegment(plVec(0, 0, 0), s->w[0], s->w[1], &weight[1]);
        weight[0] = 1 - weight[1];
    } else {
        v = plNearestOnTriangle(plVec(0, 0, 0), s->w[0], s->w[1], s->w[2], weight);
    }
    s->count = 0;
    for (int i = 0; i < count; i++) {
        if (!(weight[i] > 0)) continue;
        s->weight[i] = weight[i];
        s->at[s->count++] = i;
    }
    return v;
}

/// The simplex of the guess at the new places. Mostly it is a triangle that has the origin over it.
HOT bool resume(const plCorePair* p, const plGuess* guess, Search* s, plVec3* v)
{
    for (int i = 0; i < guess->count; i++) {
        if (guess->a[i] >= p->a->count || guess->b[i] >= p->b->count) return false;
        put(p, s, i, guess->a[i], guess->b[i]);
        s->at[i] = i;
    }
    s->count = guess->count;
    s->weight[0] = 1;
    *v = s->w[0];
    if (s->count == 1) return true;
    if (s->count > 3) return false; // they overlapped
    if (s->count == 3) {
        const plVec3 D = s->w[2], a = plSub(s->w[0], D), b = plSub(s->w[1], D);
        const Foot f = onTriangle(D, a, b, plCross(a, b));
        if (f.ofA > 0 && f.ofB > 0 && f.good) return keep(s, &f, 0, 1, v);
    }
    *v = solveAny(s);
    return s->count > 0;
}

// The first vertex faces b's frame, and the second is looked for between that and the way from the
// first to the origin, a third of the angle off: measured, this saves one of four to six steps.
static plVec3 start(const plCorePair* p, Search* s)
{
    const plVec3 x = p->frame.x;
    s->ia[0] = s->ib[0] = s->at[0] = 0;
    plVec3 v = add(p, s, x, 0, 0);
    s->weight[0] = 1;
    s->count = 1;
    const double d2 = plDot(v, v);
    const plVec3 D = add(p, s, plSub(plScale(2 * sqrt(d2 / plDot(x, x)), x), v), 1, 0);
    if (!(plDot(v, D) < d2)) return v;
    s->at[s->count++] = 1;
    solveEdge(s, D, &v);
    return v;
}

HOT bool begin(const plCorePair* p, const plGuess* guess, Search* s, plVec3* v)
{
    s->count = 0;
    if (guess && guess->count > 0) return resume(p, guess, s, v);
    *v = start(p, s);
    return true;
}

static void putSimplex(const Search* s, plSimplex* out)
{
    out->count = s->count;
    for (int i = 0; i < s->count; i++) {
        const int at = s->at[i];
        out->v[i].ia = s->ia[at], out->v[i].ib = s->ib[at];
        out->weight[i] = s->weight[at];
    }
}

// In a needle the weights and v are known less well than the bounds suppose: v must be the point of C
// that the weights give, or |v| bounds nothing.
static bool finish(const plCorePair* p, const Search* s, plVec3 v, plWitness* out)
{
    plVec3 a = {0, 0, 0}, off = plScale(-1, v);
    for (int i = 0; i < s->count; i++) {
        const int at = s->at[i];
        a = plAddScaled(a, s->weight[at], p->a->v[s->ia[at]]);
        off = plAddScaled(off, s->weight[at], s->w[at]);
    }
    out->d = plNorm(v);
    out->n = plScale(1 / out->d, v);
    out->a = a;
    out->b = plSub(a, v);
    out->overlap = false;
    out->exact = true;
    return plDot(off, off) <= 16 * noiseOf(p) * noiseOf(p);
}

/// A place that the simplex does not use.
static inline int freePlace(const Search* s)
{
    static const int lowest[8] = {0, 1, 0, 2, 0, 1, 0, 3};
    int used = 0;
    for (int i = 0; i < s->count; i++) used |= 1 << s->at[i];
    return lowest[used & 7];
}

// At a thousandth of the scale and above the direction of v is known as well as any.
HOT bool descend(const plCorePair* p, Search* s, plVec3* nearest, int* iterations)
{
    enum { limit = 24 };
    const double noise = noiseOf(p), near = 1e-3 * p->scale;
    plVec3 v = *nearest;
    double d2 = plDot(v, v);
    for (*iterations = 0; *iterations < limit; (*iterations)++) {
        const double before = d2;
        const int from = s->at[s->count - 1], at = freePlace(s);
        if (!(d2 > near * near)) return false;
        const plVec3 D = add(p, s, plVec(-v.x, -v.y, -v.z), at, from);
        const double over = d2 - plDot(v, D); // |v| times the distance of the bounds
        *nearest = v;
        if (!(over > 0) || over * over <= noise * noise * d2) return true;
        s->at[s->count++] = at;
        if (!solve(s, D, &v)) return false;
        d2 = plDot(v, v);
        if (!(d2 < before)) return false;
    }
    return false;
}

bool plGjkQuick(const plCorePair* p, const plGuess* guess, plWitness* out)
{
    Search s;
    plVec3 v;
    out->iterations = 0;
    const bool good = begin(p, guess, &s, &v) && descend(p, &s, &v, &out->iterations);
    putSimplex(&s, &out->simplex);
    return good && finish(p, &s, v, out);
}
