// Manifolds of two convex cores.
//
// The search gives the exact normal and gap. When a face of a or of b separates the cores as well
// as that, up to plSlop, the contact is that face with the opposite one clipped to it: resting
// bodies then have all their corners, and do not flicker between faces and edges. Else two
// parallel edges touch along their overlap, and everything else at one point.
#include "collide/manifold.h"

int plFacingFace(const plPolytope* t, plVec3 d)
{
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < t->faceCount; i++) {
        const double s = plDot(t->faces[i].n, d);
        if (s > most) most = s, best = i;
    }
    return best;
}

// --- features of a simplex

/// The half-edge between two vertices, or -1.
static int findEdge(const plPolytope* t, int v, int w)
{
    for (int i = 0; i < t->edgeCount; i++) {
        if (t->edges[i].origin == v && t->edges[t->edges[i].twin].origin == w) {
            return i < t->edges[i].twin ? i : t->edges[i].twin;
        }
    }
    return -1;
}

/// A face that has all of the vertices, or -1.
static int findFace(const plPolytope* t, const int* v, int count)
{
    for (int f = 0; f < t->faceCount; f++) {
        int found = 0;
        for (int e = 0; e < t->faces[f].count; e++) {
            for (int k = 0; k < count; k++) {
                found += t->edges[t->faces[f].first + e].origin == v[k];
            }
        }
        if (found == count) return f;
    }
    return -1;
}

static uint32_t featureOf(const plCore* c, const plSimplex* s, bool ofA)
{
    int v[4], count = 0;
    for (int i = 0; i < s->count; i++) {
        const int index = ofA ? s->v[i].ia : s->v[i].ib;
        bool known = false;
        for (int k = 0; k < count; k++) known |= v[k] == index;
        if (!known) v[count++] = index;
    }
    if (count == 0) return plFeatureFace;
    if (count == 1) return plFeatureVertex | (uint32_t)v[0];
    if (!c->polytope) return plFeatureEdge;
    const int edge = count == 2 ? findEdge(c->polytope, v[0], v[1]) : -1;
    if (edge >= 0) return plFeatureEdge | (uint32_t)edge;
    const int face = findFace(c->polytope, v, count);
    return face >= 0 ? plFeatureFace | (uint32_t)face : plFeatureVertex | (uint32_t)v[0];
}

plSpot plWitnessSpot(const plCorePair* p, const plWitness* w)
{
    const uint32_t a = featureOf(p->a, &w->simplex, true), b = featureOf(p->b, &w->simplex, false);
    const plNormalKind kind = plNormalKind_Of(plFeatureDim(a), plFeatureDim(b));
    return (plSpot){w->a, w->b, w->n, w->d, a, b, 0, kind};
}

// --- faces

typedef struct {
    int face;
    plVec3 n; ///< out of the face, in a's frame
    double d, apart;
} Candidate;

static Candidate faceOfA(const plCorePair* p, plVec3 n, const plVertex* hint)
{
    const int face = plFacingFace(p->a->polytope, plScale(-1, n));
    const plFace* f = &p->a->polytope->faces[face];
    const plVertex w = plCorePair_Support(p, f->n, hint);
    return (Candidate){face, f->n, f->d, plDot(f->n, w.b) - f->d};
}

static Candidate faceOfB(const plCorePair* p, plVec3 n, const plVertex* hint)
{
    const int face = plFacingFace(p->b->polytope, plMulT(&p->frame.R, n));
    const plFace* f = &p->b->polytope->faces[face];
    const plVec3 turned = plMul(&p->frame.R, f->n);
    const plVertex w = plCorePair_Support(p, plScale(-1, turned), hint);
    const double d = f->d + plDot(turned, p->frame.x);
    return (Candidate){face, turned, d, plDot(turned, w.a) - d};
}

static void faceOnFace(const plCorePair* p, const Candidate* c, bool refIsA, double reach,
                       plSpots* spots)
{
    plOutline ref, inc;
    const double tolerance = plClipTolerance(p);
    const plVec3 against = plScale(-1, c->n);
    if (refIsA) {
        const int face = plFacingFace(p->b->polytope, plMulT(&p->frame.R, against));
        plOutline_Set(&ref, p->a->polytope, c->face, NULL);
        plOutline_Set(&inc, p->b->polytope, face, &p->frame);
    } else {
        plOutline_Set(&ref, p->b->polytope, c->face, &p->frame);
        plOutline_Set(&inc, p->a->polytope, plFacingFace(p->a->polytope, against), NULL);
    }
    plClipFace(&ref, c->n, c->d, &inc, reach, tolerance, refIsA, spots);
    plSpots_Reduce(spots, tolerance);
}

/// Are the spots as deep as the witness? If not they are dropped.
static bool holdsDeepest(const plWitness* w, double slop, plSpots* spots)
{
    for (int i = 0; i < spots->count; i++) {
        if (spots->spots[i].gap <= w->d + slop) return true;
    }
    spots->count = 0;
    return false;
}

/// By one face; false when it does not separate as well as the witness, or when its deepest contact
/// is not over it (the face is nearly as good as another one, under which that contact lies).
static bool byFace(const plCorePair* p, const plWitness* w, const Candidate* c, bool refIsA,
                   double reach, plSpots* spots)
{
    const double slop = plSlop(p, reach);
    if (c->apart < w->d - slop) return false;
    faceOnFace(p, c, refIsA, reach, spots);
    return holdsDeepest(w, slop, spots);
}

/// Two polytopes by a face of one of them: a's unless b's is clearly better, so that the choice is
/// steady. No face separates better than the witness.
static bool byFaces(const plCorePair* p, const plWitness* w, double reach, plSpots* spots)
{
    const plVertex* hint = w->simplex.count > 0 ? &w->simplex.v[0] : NULL;
    const double steady = 0.1 * plSlop(p, reach);
    const Candidate a = faceOfA(p, w->n, hint);
    if (a.apart >= w->d - steady && byFace(p, w, &a, true, reach, spots)) return true;
    const Candidate b = faceOfB(p, w->n, hint);
    const bool aFirst = a.apart >= b.apart - steady;
    return byFace(p, w, aFirst ? &a : &b, aFirst, reach, spots) ||
           byFace(p, w, aFirst ? &b : &a, !aFirst, reach, spots);
}

// --- segments: capsules, and edges of polytopes that touch along their length

typedef struct {
    plVec3 p, q;      ///< a's frame
    uint32_t ends[2]; ///< features
    uint32_t edge;
    bool found;
} Segment;

/// The edge of a core that touches along n, all of it within `slop` of the farthest point.
static Segment touchingEdge(const plCore* c, const plFrame* frame, plVec3 n, double slop)
{
    Segment s = {.found = false};
    if (c->count == 2) {
        s = (Segment){c->v[0], c->v[1], {0, 1}, plFeatureEdge, true};
    } else if (c->polytope) {
        const plPolytope* t = c->polytope;
        const plVec3 d = frame ? plMulT(&frame->R, n) : n;
        const plFace* f = &t->faces[plFacingFace(t, d)];
        const double far = plDot(d, t->vertices[plPolytope_Support(t, d, 0)]) - slop;
        for (int i = 0; i < f->count && !s.found; i++) {
            const int e = f->first + i, twin = t->edges[e].twin;
            const int v = t->edges[e].origin, w = t->edges[twin].origin;
            if (plDot(d, t->vertices[v]) < far || plDot(d, t->vertices[w]) < far) continue;
            s = (Segment){t->vertices[v],
                          t->vertices[w],
                          {(uint32_t)v, (uint32_t)w},
                          plFeatureEdge | (uint32_t)(e < twin ? e : twin),
                          true};
        }
    }
    if (s.found && frame) s.p = plOut(frame, s.p), s.q = plOut(frame, s.q);
    return s;
}

/// Does the witness itself say that two edges cross at a clear angle?
static bool crosses(const plCorePair* p, const plWitness* w, double slop)
{
    const plVertex* v = w->simplex.v;
    if (w->simplex.count != 2 || v[0].ia == v[1].ia || v[0].ib == v[1].ib) return false;
    const plVec3 u = plSub(p->a->v[v[1].ia], p->a->v[v[0].ia]);
    const plVec3 x = plMul(&p->frame.R, plSub(p->b->v[v[1].ib], p->b->v[v[0].ib]));
    return plNorm(plCross(u, x)) > 10 * slop * plNorm(u);
}

/// Two segments along their overlap, when they stay together over it to ten times the slop.
bool plEdgeSpots(const plCorePair* p, const plWitness* w, double reach, plSpots* spots)
{
    const double slop = plSlop(p, reach);
    if (crosses(p, w, slop)) return false;
    const Segment a = touchingEdge(p->a, NULL, plScale(-1, w->n), slop);
    const Segment b = touchingEdge(p->b, &p->frame, w->n, slop);
    if (!a.found || !b.found) return false;
    const plVec3 u = plSub(a.q, a.p), v = plSub(b.q, b.p);
    const double length = plNorm(u);
    if (!(length > 0) || plNorm(plCross(u, v)) > 10 * slop * length) return false;
    for (int i = 0; i < 2; i++) {
        // The ends of the overlap: an end of b over a, or an end of a over b.
        const plVec3 end = i == 0 ? b.p : b.q;
        double s, t;
        const plVec3 onA = plNearestOnSegment(end, a.p, a.q, &s);
        const plVec3 onB = plNearestOnSegment(onA, b.p, b.q, &t);
        const double gap = plDot(w->n, plSub(onA, onB));
        if (gap - p->a->radius - p->b->radius > reach) continue;
        if (plNorm(plSub(plSub(onA, onB), plScale(gap, w->n))) > 20 * slop) continue;
        const uint32_t mine = s <= 0 ? a.ends[0] : s >= 1 ? a.ends[1] : a.edge;
        const uint32_t other = s <= 0 || s >= 1 ? b.edge : b.ends[i];
        plNormalKind kind = plNormalKind_Of(plFeatureDim(mine), plFeatureDim(other));
        // Where capsules are askew, the nearest point to onA lies on b's axis beside its end.
        if (!p->b->polytope && t > 1e-9 && t < 1 - 1e-9) kind = pl_normalAcrossB;
        plSpots_Add(spots, (plSpot){onA, onB, w->n, gap, mine, other, 0, kind});
    }
    // Both ends at one place are a crossing, not an overlap.
    const plSpot* s = spots->spots;
    if (spots->count < 2 || plNorm(plSub(s[0].a, s[1].a)) <= 10 * slop) spots->count = 0;
    return holdsDeepest(w, slop, spots);
}

/// A segment over a face is an outline of two corners, run there and back: of equal ones the first
/// stays.
static void dropEqual(plSpots* spots, int first, double tolerance)
{
    int kept = first;
    for (int i = first; i < spots->count; i++) {
        bool known = false;
        for (int k = first; k < kept; k++) {
            known |= plNorm(plSub(spots->spots[i].a, spots->spots[k].a)) <= tolerance;
        }
        if (!known) spots->spots[kept++] = spots->spots[i];
    }
    spots->count = kept;
}

bool plFaceSpots(const plCorePair* p, int faceOfB, double reach, plSpots* spots)
{
    const plFace* f = &p->b->polytope->faces[faceOfB];
    const plVec3 n = plMul(&p->frame.R, f->n);
    const int first = spots->count;
    plOutline ref;
    plOutline inc = {.count = p->a->count, .v = {p->a->v[0], p->a->v[1]}, .vertex = {0, 1}};
    if (p->a->polytope) {
        const int face = plFacingFace(p->a->polytope, plScale(-1, n));
        plOutline_Set(&inc, p->a->polytope, face, NULL);
    }
    plOutline_Set(&ref, p->b->polytope, faceOfB, &p->frame);
    plClipFace(&ref, n, f->d + plDot(n, p->frame.x), &inc, reach + p->a->radius, plClipTolerance(p),
               false, spots);
    if (!p->a->polytope) dropEqual(spots, first, 1e-6 * p->a->size);
    return spots->count > first;
}

// An end that overhangs may lie deeper than the face's border: only what is over the face counts, and
// if that is as near as the witness, the segment lies on the face. Not so where the cores overlap.
static bool segmentOnFace(const plCorePair* p, const plWitness* w, double reach, plSpots* spots)
{
    const Candidate c = faceOfB(p, w->n, NULL);
    const double slop = plSlop(p, reach);
    return (w->d > slop || c.apart >= w->d - slop) && plFaceSpots(p, c.face, reach, spots) &&
           holdsDeepest(w, slop, spots);
}

// --- all together

void plSpots_Grow(const plCorePair* p, plSpots* spots, int first)
{
    for (int i = first; i < spots->count; i++) {
        plSpot* s = &spots->spots[i];
        s->a = plAddScaled(s->a, -p->a->radius, s->n);
        s->b = plAddScaled(s->b, p->b->radius, s->n);
        s->gap -= p->a->radius + p->b->radius;
    }
}

/// False: farther apart than the reach.
static bool search(const plCorePair* p, double reach, plGuess* guess, plWitness* w)
{
    if (p->a->isBox && p->b->isBox) {
        double apart;
        if (!plBoxes(p, p->a->v[7], p->b->v[7], reach, &apart, w)) return false;
        if (apart <= plTouching * p->scale) return true;
    }
    plCorePair_Search(p, guess, w);
    return w->d - p->a->radius - p->b->radius <= reach;
}

// A capsule is always a here: the caller sorts.
void plConvexSpots(const plCorePair* p, double reach, plGuess* guess, plSpots* spots)
{
    plWitness w;
    spots->count = 0;
    if (!search(p, reach, guess, &w)) return;
    bool done = false;
    if (p->a->polytope && p->b->polytope) done = byFaces(p, &w, reach, spots);
    if (p->a->count == 2 && p->b->polytope) done = segmentOnFace(p, &w, reach, spots);
    if (!done && p->a->count > 1 && p->b->count > 1) done = plEdgeSpots(p, &w, reach, spots);
    // A direction of two boxes' faces comes without points.
    if (!done && w.simplex.count == 0) plFindPoints(p, &w);
    if (!done) plSpots_Add(spots, plWitnessSpot(p, &w));
    plSpots_Grow(p, spots, 0);
}
