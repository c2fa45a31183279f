// Vertex-edge contacts of convex polygons, with the memory of the edge that was entered.
#include "collide/planar.h"

void plOutline2_Set(plOutline2* o, const plShape* s, const plFrame* frame)
{
    o->count = s->cornerCount;
    for (int i = 0; i < o->count; i++) {
        o->v[i] = frame ? plOut(frame, s->corners[i]) : s->corners[i];
        o->v[i].z = 0;
    }
    for (int i = 0; i < o->count; i++) {
        const plVec3 u = plSub(o->v[(i + 1) % o->count], o->v[i]);
        o->length[i] = plNorm(u);
        o->n[i] = plVec(u.y / o->length[i], -u.x / o->length[i], 0);
    }
}

double plOutline2_Along(const plOutline2* o, int edge, plVec3 p)
{
    const plVec3 r = plSub(p, o->v[edge]);
    return (o->n[edge].x * r.y - o->n[edge].y * r.x) / o->length[edge];
}

double plOutline2_Highest(const plOutline2* o, plVec3 p, int* edge)
{
    double most = -INFINITY;
    for (int i = 0; i < o->count; i++) {
        const double s = plOutline2_Above(o, i, p);
        if (s > most) most = s, *edge = i;
    }
    return most;
}

typedef struct {
    const plOutline2* own;   ///< whose corners
    const plOutline2* other; ///< whose edges
    plVec3
        before[plPolygonCorners]; ///< corners at the last tick, moved with `other` to its place now
    uint8_t* edgeOf;              ///< edge + 1
    bool known, ofA;
    plSpots* spots;
} Side;

static void add(const Side* s, int corner, int edge)
{
    const plVec3 p = s->own->v[corner], n = s->other->n[edge];
    const double gap = plOutline2_Above(s->other, edge, p);
    const plVec3 foot = plAddScaled(p, -gap, n);
    const uint32_t v = plFeatureVertex | (uint32_t)corner, e = plFeatureEdge | (uint32_t)edge;
    for (int i = 0; i < s->spots->count; i++) {
        const plSpot* known = &s->spots->spots[i];
        if (known->featureA == (s->ofA ? v : e) && known->featureB == (s->ofA ? e : v)) return;
    }
    if (s->ofA) plSpots_Add(s->spots, (plSpot){p, foot, n, gap, v, e, 0, pl_normalOfB});
    if (!s->ofA)
        plSpots_Add(s->spots, (plSpot){foot, p, plScale(-1, n), gap, e, v, 0, pl_normalOfA});
}

// --- corners inside

/// The edge through which the way from p to q enters, or -1. Cut by every edge's line in turn: the
/// last entry must come before the first exit.
static int enteredEdge(const plOutline2* o, plVec3 p, plVec3 q)
{
    double enter = 0, leave = 1;
    int edge = -1;
    for (int i = 0; i < o->count; i++) {
        const double from = plOutline2_Above(o, i, p), to = plOutline2_Above(o, i, q);
        if (from > 0 && to > 0) return -1;
        if (from > 0 && from / (from - to) >= enter) enter = from / (from - to), edge = i;
        if (to > 0 && from <= 0) leave = plLower(leave, from / (from - to));
    }
    return enter < leave ? edge : -1;
}

/// Follows the corner along the border: the edge it belongs to now, or -1 when it is free.
static int follow(const plOutline2* o, int edge, plVec3 p)
{
    int came = 0;
    for (int step = 0; step < o->count; step++) {
        if (plOutline2_Above(o, edge, p) > 0) return -1;
        const double t = plOutline2_Along(o, edge, p);
        const int way = t < 0 ? -1 : t > 1 ? 1 : 0;
        // In the wedge between two edges' ends both are as good: stay.
        if (way == 0 || way == -came) return edge;
        came = way;
        edge = (edge + way + o->count) % o->count;
    }
    return edge;
}

static void insideContacts(const Side* s)
{
    for (int i = 0; i < s->own->count; i++) {
        const plVec3 p = s->own->v[i];
        int edge = s->edgeOf[i] - 1;
        if (edge >= s->other->count) edge = -1;
        if (edge < 0 && s->known) edge = enteredEdge(s->other, s->before[i], p);
        if (edge >= 0) {
            edge = follow(s->other, edge, p);
        } else {
            int nearest = 0;
            if (plOutline2_Highest(s->other, p, &nearest) <= 0) edge = nearest;
        }
        s->edgeOf[i] = (uint8_t)(edge + 1);
        if (edge >= 0) add(s, i, edge);
    }
}

// --- corners near: those that share an edge with one inside, and those of polygons that are apart

static bool isOver(const plOutline2* o, int edge, plVec3 p)
{
    const double t = plOutline2_Along(o, edge, p);
    return t >= -1e-9 && t <= 1 + 1e-9;
}

static void addNear(const Side* s, int corner, int edge, double reach)
{
    const plVec3 p = s->own->v[corner];
    if (s->edgeOf[corner] > 0 || !isOver(s->other, edge, p)) return;
    const double gap = plOutline2_Above(s->other, edge, p);
    if (gap >= 0 && gap <= reach) add(s, corner, edge);
}

/// The other corner of an edge that has one inside, and the ends of the edge it is inside of.
static void addNeighbours(const Side* s, const Side* back, double reach)
{
    const int n = s->own->count;
    for (int i = 0; i < n; i++) {
        const int edge = s->edgeOf[i] - 1;
        if (edge < 0) continue;
        for (int way = 0; way < 2; way++) {
            const int next = way == 0 ? (i + 1) % n : (i + n - 1) % n;
            const int between = way == 0 ? i : next; // own edge between the two
            // Only edges that look at each other lie on each other.
            if (plDot(s->own->n[between], s->other->n[edge]) > -0.9) continue;
            addNear(s, next, edge, reach);
            addNear(back, edge, between, reach);
            addNear(back, (edge + 1) % s->other->count, between, reach);
        }
    }
}

/// The edge of `edges` that is farthest below all corners of `corners`, and that distance.
static double separation(const plOutline2* edges, const plOutline2* corners, int* edge)
{
    double best = -INFINITY;
    for (int i = 0; i < edges->count; i++) {
        double low = INFINITY;
        for (int k = 0; k < corners->count; k++) {
            low = plLower(low, plOutline2_Above(edges, i, corners->v[k]));
        }
        if (low > best) best = low, *edge = i;
    }
    return best;
}

static int lowestCorner(const plOutline2* o, plVec3 n)
{
    int best = 0;
    for (int i = 1; i < o->count; i++) {
        if (plDot(n, o->v[i]) < plDot(n, o->v[best])) best = i;
    }
    return best;
}

// `down` has the corners over the separating edge; `up` has the corners of the polygon of that
// edge.
static void outsideContacts(const Side* down, const Side* up, int edge, double apart, double reach)
{
    const plOutline2* o = down->own;
    const plVec3 n = down->other->n[edge];
    const int low = lowestCorner(o, n), before = (low + o->count - 1) % o->count;
    const int ends[2] = {edge, (edge + 1) % down->other->count};
    // The edge beside the lowest corner that looks more against the separating one.
    const int facing = plDot(o->n[low], n) <= plDot(o->n[before], n) ? low : before;
    const int pair[2] = {facing, (facing + 1) % o->count};
    const bool flat = plDot(o->n[facing], n) < -0.9;
    for (int i = 0; i < 2; i++) {
        const double gap = plOutline2_Above(down->other, edge, o->v[pair[i]]);
        if (gap <= reach && isOver(down->other, edge, o->v[pair[i]])) add(down, pair[i], edge);
        if (flat && isOver(o, facing, up->own->v[ends[i]]) &&
            plOutline2_Above(o, facing, up->own->v[ends[i]]) <= reach) {
            add(up, ends[i], facing);
        }
    }
    if (down->spots->count > 0) return;
    // Corner against corner: the one that separates better counts, while they are really that near.
    const double t = plOutline2_Along(down->other, edge, o->v[low]);
    const double beside = t < 0 ? -t : t > 1 ? t - 1 : 0;
    const double aside = beside * down->other->length[edge];
    if (apart <= 0 || apart * apart + aside * aside <= reach * reach) add(down, low, edge);
}

static void remember(plPlanarMemory* m, const plFrame* b)
{
    m->known = true;
    m->x = b->x.x, m->y = b->x.y;
    m->cosine = b->R.x.x, m->sine = b->R.y.x;
}

static void outlineSpots(const plShape* a, const plShape* b, const plFrame* inA, double reach,
                         plPlanarMemory* m, plSpots* spots)
{
    plOutline2 oa, ob;
    plOutline2_Set(&oa, a, NULL);
    plOutline2_Set(&ob, b, inA);
    const plFrame then = {plVec(m->x, m->y, 0),
                          {{m->cosine, -m->sine, 0}, {m->sine, m->cosine, 0}, {0, 0, 1}}};
    Side sa = {.own = &oa,
               .other = &ob,
               .edgeOf = m->edgeOf[0],
               .known = m->known,
               .ofA = true,
               .spots = spots};
    Side sb = {.own = &ob,
               .other = &oa,
               .edgeOf = m->edgeOf[1],
               .known = m->known,
               .ofA = false,
               .spots = spots};
    // A corner of a as b saw it: its place in b then, put where b is now.
    for (int i = 0; m->known && i < oa.count; i++) {
        sa.before[i] = plOut(inA, plInto(&then, oa.v[i]));
    }
    for (int i = 0; m->known && i < ob.count; i++) sb.before[i] = plOut(&then, b->corners[i]);
    insideContacts(&sa);
    insideContacts(&sb);
    if (spots->count > 0) {
        addNeighbours(&sa, &sb, reach);
        addNeighbours(&sb, &sa, reach);
    } else {
        int edgeA = 0, edgeB = 0;
        const double apartA = separation(&oa, &ob, &edgeA), apartB = separation(&ob, &oa, &edgeB);
        // An edge of a unless one of b is clearly better, so that the choice is steady.
        const bool byA = apartA >= apartB - 1e-6 * plLower(a->size, b->size);
        if (plHigher(apartA, apartB) <= reach) {
            outsideContacts(byA ? &sb : &sa, byA ? &sa : &sb, byA ? edgeA : edgeB,
                            byA ? apartA : apartB, reach);
        }
    }
    remember(m, inA);
}

// --- all kinds

static void cornersOnPlane(const plShape* body, plVec3 n, double d, double reach, plSpots* spots)
{
    for (int i = 0; i < body->cornerCount; i++) {
        const plVec3 p = body->corners[i];
        const double gap = plDot(n, p) - d;
        if (gap > reach) continue;
        plSpots_Add(spots, (plSpot){p, plAddScaled(p, -gap, n), n, gap, (uint32_t)i, plFeatureFace,
                                    0, pl_normalOfB});
    }
}

static bool hasOutline(const plShape* s) { return s->cornerCount > 0; }
static bool isRound(const plShape* s)
{
    return s->kind == pl_shapeSphere || s->kind == pl_shapeCapsule;
}

/// a has the outline or is round, b an outline or is a plane. False: the pair is of another kind.
static bool orderedPair(const plShape* a, const plFrame* fa, const plShape* b, const plFrame* fb,
                        double reach, plPlanarMemory* m, plSpots* spots)
{
    const plFrame inA = plBetween(fa, fb);
    if (hasOutline(a) && hasOutline(b)) {
        outlineSpots(a, b, &inA, reach, m, spots);
    } else if (hasOutline(a) && b->kind == pl_shapePlane) {
        const plVec3 n = plMul(&inA.R, b->normal);
        cornersOnPlane(a, n, plDot(n, inA.x), reach, spots);
    } else if (isRound(a) && hasOutline(b)) {
        plCore core;
        plOutline2 o;
        plCore_Set(&core, a);
        plOutline2_Set(&o, b, &inA);
        plRoundSpots(&core, &o, reach, spots);
    } else {
        return false;
    }
    return true;
}

static plVec3 acrossOf(const plVec3* v) // unit, in the plane
{
    const plVec3 u = plSub(v[1], v[0]);
    return plScale(1 / hypot(u.x, u.y), plVec(u.y, -u.x, 0));
}

/// Over or under the segment's line: the end of the other one that is farthest against n, and how far.
static double clearance(const plVec3* line, const plVec3* v, plVec3 n, int* end)
{
    const double d0 = plDot(n, plSub(v[0], line[0])), d1 = plDot(n, plSub(v[1], line[0]));
    *end = d1 < d0;
    return plLower(d0, d1);
}

/// Two capsules whose axes cross: in space they would part along z. In the plane the least way out is
/// across one of them, over an end of the other. False: they do not cross.
static bool crossingSpot(const plCore* a, const plCore* b, const plFrame* inA, double reach,
                         plSpots* spots)
{
    const plVec3 vb[2] = {plOut(inA, b->v[0]), plOut(inA, b->v[1])};
    const plVec3 na = acrossOf(a->v), nb = acrossOf(vb);
    plSpot best = {.gap = -INFINITY};
    for (int k = 0; k < 4; ++k) {
        const bool onA = k / 2; // its line is a's: b's end is over it
        const plVec3 n = plScale(k % 2 ? 1 : -1, onA ? na : nb);
        int end;
        const double d =
            onA ? clearance(a->v, vb, plScale(-1, n), &end) : clearance(vb, a->v, n, &end);
        if (d > 0) return false;
        if (d <= best.gap) continue;
        const plVec3 at = onA ? vb[end] : a->v[end];
        best = (plSpot){.a = onA ? plAddScaled(at, d, n) : at,
                        .b = onA ? at : plAddScaled(at, -d, n),
                        .n = n,
                        .gap = d,
                        .featureA = onA ? plFeatureEdge : (uint32_t)end,
                        .featureB = onA ? (uint32_t)end : plFeatureEdge,
                        .kind = onA ? pl_normalOfA : pl_normalOfB};
    }
    best.a = plAddScaled(best.a, -a->radius, best.n);
    best.b = plAddScaled(best.b, b->radius, best.n);
    best.gap -= a->radius + b->radius;
    if (best.gap <= reach) plSpots_Add(spots, best);
    return true;
}

static bool crossingPair(const plShape* a, const plFrame* fa, const plShape* b, const plFrame* fb,
                         double reach, plSpots* spots)
{
    plCore ca, cb;
    const plFrame inA = plBetween(fa, fb);
    if (a->kind != pl_shapeCapsule || b->kind != pl_shapeCapsule) return false;
    if (a->half.x == 0 || b->half.x == 0) return false; // discs
    plCore_Set(&ca, a);
    plCore_Set(&cb, b);
    return crossingSpot(&ca, &cb, &inA, reach, spots);
}

static void planarPair(const plShape* a, const plFrame* carrierA, const plShape* b,
                       const plFrame* carrierB, double reach, uint64_t child, plPlanarMemory* m,
                       plManifold* out)
{
    const plFrame fa = plShape_Frame(a, carrierA), fb = plShape_Frame(b, carrierB);
    const plShapePair pair = {a, b, carrierA, carrierB};
    plSpots spots;
    spots.count = 0;
    if (orderedPair(a, &fa, b, &fb, reach, m, &spots)) {
        plManifold_Add(out, &spots, &pair, &fa, child, false);
    } else if (orderedPair(b, &fb, a, &fa, reach, m, &spots)) {
        plManifold_Add(out, &spots, &pair, &fb, child, true);
    } else if (crossingPair(a, &fa, b, &fb, reach, &spots)) {
        plManifold_Add(out, &spots, &pair, &fa, child, false);
    } else {
        plSimplePair(a, carrierA, b, carrierB, reach, child, NULL, out);
    }
}

// The pieces of compounds have no memory: there is one for each pair of bodies.
void plCollide_Planar(const plShape* a, const plFrame* carrierA, const plShape* b,
                      const plFrame* carrierB, double reach, plPlanarMemory* m, plManifold* out)
{
    const bool simple = a->kind != pl_shapeCompound && b->kind != pl_shapeCompound;
    const int countA = a->kind == pl_shapeCompound ? a->pieceCount : 1;
    const int countB = b->kind == pl_shapeCompound ? b->pieceCount : 1;
    out->count = 0;
    out->full = false;
    for (int i = 0; i < countA; i++) {
        const plShape* pa = a->kind == pl_shapeCompound ? &a->pieces[i] : a;
        for (int j = 0; j < countB; j++) {
            const plShape* pb = b->kind == pl_shapeCompound ? &b->pieces[j] : b;
            plPlanarMemory none = {0};
            planarPair(pa, carrierA, pb, carrierB, reach, (uint64_t)i | (uint64_t)j << 12,
                       simple ? m : &none, out);
        }
    }
    plManifold_Sort(out);
}
