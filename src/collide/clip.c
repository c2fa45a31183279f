// Faces over faces: the incident outline is cut by the sides of the reference face (Sutherland,
// Hodgman 1974), each corner of the result carrying the two features that made it:
//   a corner of the incident face inside        (its vertex, the reference face)
//   a side crossing an incident edge            (that edge, the side's edge)
//   a corner of the reference face inside       (the incident face, its vertex)
// The same pair of features comes out whichever of the two faces is the reference, so keys do not
// change when the roles do.
#include "collide/manifold.h"

enum { cornerLimit = 132 }; // 64, and one more for each of 64 cuts, and a little

typedef struct {
    plVec3 p;
    uint32_t incident, reference; ///< features
    int leaving; ///< edge that leaves the corner: of the incident face, or -1 - (a side)
} Corner;

void plOutline_Set(plOutline* o, const plPolytope* t, int face, const plFrame* frame)
{
    const plFace* f = &t->faces[face];
    const int stride = (f->count + 63) / 64;
    o->count = 0;
    o->face = face;
    o->n = frame ? plMul(&frame->R, f->n) : f->n;
    for (int i = 0; i < f->count; i += stride) {
        const int e = f->first + i;
        const plHalfEdge* edge = &t->edges[e];
        const plVec3 v = t->vertices[edge->origin];
        o->v[o->count] = frame ? plOut(frame, v) : v;
        o->vertex[o->count] = edge->origin;
        o->edge[o->count++] = edge->twin < e ? edge->twin : (uint16_t)e;
    }
}

/// Where an edge of the growing outline, whose ends are s and e outside, meets a side. Both may be
/// outside, one of them within the tolerance: then that end is the place.
static Corner meet(const plOutline* ref, const plOutline* inc, const Corner* from, const Corner* to,
                   double s, double e, int side, plVec3 n)
{
    const double t = plLower(plHigher(s / (s - e), 0), 1);
    Corner c = {.p = plAddScaled(from->p, t, plSub(to->p, from->p))};
    if (from->leaving >= 0) {
        c.incident = plFeatureEdge | (uint32_t)from->leaving;
        c.reference = plFeatureEdge | ref->edge[side];
        return c;
    }
    // An earlier side: neighbours meet in the corner where the later one begins, and the contact is
    // where the incident face lies over that corner. (Nearly parallel sides cross, within the
    // tolerance, anywhere.)
    const int other = -1 - from->leaving, behind = (other + 1) % ref->count;
    const int corner = behind == side ? side : other;
    const bool neighbours = behind == side || (side + 1) % ref->count == other;
    const double slope = plDot(inc->n, n);
    if (neighbours && fabs(slope) > 1e-6) {
        const double height = plDot(inc->n, plSub(inc->v[0], ref->v[corner])) / slope;
        c.p = plAddScaled(ref->v[corner], height, n);
    }
    c.incident = plFeatureFace | (uint32_t)inc->face;
    c.reference = plFeatureVertex | ref->vertex[corner];
    return c;
}

static int cut(const plOutline* ref, const plOutline* inc, int side, plVec3 n, double tolerance,
               const Corner* in, int count, Corner* out)
{
    const plVec3 base = ref->v[side];
    plVec3 outward = plCross(plSub(ref->v[side + 1 < ref->count ? side + 1 : 0], base), n);
    const double length = plNorm(outward);
    if (!(length > 0)) {
        for (int i = 0; i < count; i++) out[i] = in[i];
        return count;
    }
    outward = plScale(1 / length, outward);
    int kept = 0;
    double s = plDot(outward, plSub(in[0].p, base));
    for (int i = 0; i < count; i++) {
        const Corner* from = &in[i];
        const Corner* to = &in[i + 1 < count ? i + 1 : 0];
        const double e = plDot(outward, plSub(to->p, base));
        const bool inside = s <= tolerance, stays = e <= tolerance;
        if (inside && kept < cornerLimit) out[kept++] = *from;
        if (inside != stays && kept < cornerLimit) {
            out[kept] = meet(ref, inc, from, to, s, e, side, n);
            out[kept++].leaving = inside ? -1 - side : from->leaving;
        }
        s = e;
    }
    return kept;
}

void plClipFace(const plOutline* ref, plVec3 n, double d, const plOutline* inc, double reach,
                double tolerance, bool refIsA, plSpots* spots)
{
    Corner buffers[2][cornerLimit + 1];
    int count = inc->count, now = 0;
    for (int i = 0; i < count; i++) {
        buffers[0][i] = (Corner){.p = inc->v[i],
                                 .incident = plFeatureVertex | inc->vertex[i],
                                 .reference = plFeatureFace | (uint32_t)ref->face,
                                 .leaving = inc->edge[i]};
    }
    for (int side = 0; side < ref->count && count > 0; side++) {
        count = cut(ref, inc, side, n, tolerance, buffers[now], count, buffers[1 - now]);
        now = 1 - now;
    }
    for (int i = 0; i < count; i++) {
        const Corner* c = &buffers[now][i];
        const double gap = plDot(n, c->p) - d;
        if (gap > reach) continue;
        const plVec3 onRef = plAddScaled(c->p, -gap, n);
        // n looks out of the reference face: from b to a when the reference is b.
        if (refIsA) {
            plSpots_Add(spots, (plSpot){onRef, c->p, plScale(-1, n), gap, c->reference, c->incident,
                                        0, pl_normalOfA});
        } else {
            plSpots_Add(spots,
                        (plSpot){c->p, onRef, n, gap, c->incident, c->reference, 0, pl_normalOfB});
        }
    }
}

// --- reduction

/// Is x clearly more, or as much and of the lower key?
static bool wins(double x, double most, double tie, const plSpot* s, const plSpot* best)
{
    if (x > most + tie) return true;
    return x > most - tie && best && plSpot_Key(s) < plSpot_Key(best);
}

static void choose(plSpots* s, int place, const double* score, double tie)
{
    int best = place;
    for (int i = place + 1; i < s->count; i++) {
        if (wins(score[i], score[best], tie, &s->spots[i], &s->spots[best])) best = i;
    }
    const plSpot swap = s->spots[place];
    s->spots[place] = s->spots[best];
    s->spots[best] = swap;
}

/// Twice the signed area of p q r seen along n.
static double area(plVec3 n, plVec3 p, plVec3 q, plVec3 r)
{
    return plDot(n, plCross(plSub(q, p), plSub(r, p)));
}

// The ends of the row, and the deepest when it is neither.
void plSpots_ReduceLine(plSpots* s, double tie)
{
    double score[plSpotLimit];
    if (s->count <= 2) return;
    for (int end = 0; end < 2; end++) {
        // Farthest from any one, then farthest from that.
        const plVec3 from = s->spots[0].a;
        for (int i = 0; i < s->count; i++) score[i] = plNorm(plSub(s->spots[i].a, from));
        choose(s, end, score, tie);
    }
    for (int i = 2; i < s->count; i++) score[i] = -s->spots[i].gap;
    choose(s, 2, score, tie);
    const double ends = plLower(s->spots[0].gap, s->spots[1].gap);
    s->count = s->spots[2].gap < ends - tie ? 3 : 2;
}

static double least(const plSpots* s, int from, int to, int* which)
{
    double gap = INFINITY;
    for (int i = from; i < to; i++) {
        if (s->spots[i].gap < gap) gap = s->spots[i].gap, *which = i;
    }
    return gap;
}

// The two that are farthest apart (or nearly: the farthest from any one, and the farthest from
// that), the one that makes the largest triangle with them, and the one farthest outside that
// triangle. The deepest of all takes the last place when it is clearly deeper than these.
void plSpots_Reduce(plSpots* s, double tie)
{
    double score[plSpotLimit];
    if (s->count <= 4) return;
    const plVec3 n = s->spots[0].n;
    for (int end = 0; end < 2; end++) {
        const plVec3 from = s->spots[0].a;
        for (int i = 0; i < s->count; i++) score[i] = plNorm(plSub(s->spots[i].a, from));
        choose(s, end, score, tie);
    }
    const plVec3 p = s->spots[0].a, q = s->spots[1].a;
    const double base = plNorm(plSub(q, p));
    for (int i = 2; i < s->count; i++) score[i] = fabs(area(n, p, q, s->spots[i].a));
    choose(s, 2, score, tie * base);
    const plVec3 r = s->spots[2].a;
    const double turn = area(n, p, q, r) > 0 ? 1 : -1;
    for (int i = 3; i < s->count; i++) {
        const plVec3 x = s->spots[i].a;
        const double outside = plLower(turn * area(n, p, q, x), turn * area(n, q, r, x));
        score[i] = -plLower(outside, turn * area(n, r, p, x));
    }
    choose(s, 3, score, tie * base);
    int deepest = 0, kept = 0;
    if (least(s, 4, s->count, &deepest) < least(s, 0, 4, &kept) - tie) {
        s->spots[3] = s->spots[deepest];
    }
    s->count = 4;
}
