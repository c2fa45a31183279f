// One update: fat bounds, new pairs, and the local level for the pairs that need it.
//
// Safety. (1) A proxy's fat bounds hold all that it can reach in the coming step, grown by half the
// reach; so two that come within the reach of each other have fat bounds that meet, and are a pair.
// (2) A pair that was `apart` when last looked at is now at least apart - (way both went since),
// and at the end of the step at least (their speeds) T less. The speed of a proxy is the one given, or
// that of what touches it. While the distance is more than the reach, the pair is not looked at: at
// relative speed v, for (apart - reach)/v seconds. Ways are measured, so no bound on past speeds is
// trusted.
// Cost: one comparison of bounds for each moving proxy, one subtraction for each pair of
// neighbours, the local level for those in touch. Proxies that do not move cost nothing.
#include "collide/inside.h"

// --- speeds

static double speedOf(const plPlace* p) { return plHigher(p->speed, p->passed); }

// A body that is hit may leave as fast as what hits it, within the step: speeds go on along pairs that touched.
static bool passOn(plCollide* c, double T)
{
    enum { rounds = 2 };
    const double little = 1e-6; // [m]
    bool faster = false;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < c->head->pairCount; i++) {
            const plPair* p = &c->pairs[i];
            if (!p->touching) continue;
            plPlace *a = &c->places[p->a], *b = &c->places[p->b];
            const double speed = plHigher(speedOf(a), speedOf(b));
            faster = faster || (c->proxies[p->a].moving && T * (speed - speedOf(a)) > little) ||
                     (c->proxies[p->b].moving && T * (speed - speedOf(b)) > little);
            if (c->proxies[p->a].moving) a->passed = speed;
            if (c->proxies[p->b].moving) b->passed = speed;
        }
    }
    return faster;
}

// --- fat bounds

static bool isPlane(const plCollide* c, int i)
{
    const plShape* s = c->proxies[i].shape;
    return s && s->kind == pl_shapePlane;
}

static void fatten(plCollide* c, int i, double T)
{
    plPlace* p = &c->places[i];
    const double ahead = speedOf(p) * T;
    const plProxy* proxy = &c->proxies[i];
    plBounds need = proxy->skin ? proxy->skin->bounds[0] : plShape_Bounds(proxy->shape, &p->frame);
    need = plBounds_Grow(need, (proxy->skin ? c->def.skinReach : 0.5 * c->def.reach) + ahead);
    p->fresh = c->head->lost;
    if (isPlane(c, i)) { // has no bounds to speak of: any motion makes it fresh
        p->fresh |= p->touched;
    } else if (!plBounds_Hold(&p->fat, &need)) {
        // Room for some steps more at this speed, so that fast proxies are not moved every time.
        p->fat = plBounds_Grow(need, c->def.margin + 4 * ahead);
        if (p->node != plNoNode) plBranches_Remove(&c->head->tree, c->nodes, p->node);
        p->node = plBranches_Insert(&c->head->tree, c->nodes, &p->fat, i);
        p->fresh = true;
    }
    p->touched = false;
}

/// Does the half-space of proxy i, grown by what both may move, meet the fat bounds of k?
static bool meetsPlane(const plCollide* c, int i, int k)
{
    const plShape* s = c->proxies[i].shape;
    const plFrame f = plShape_Frame(s, &c->places[i].frame);
    const plVec3 n = plMul(&f.R, s->normal);
    const plBounds* b = &c->places[k].fat;
    const plVec3 low = plVec(n.x > 0 ? b->lo.x : b->hi.x, n.y > 0 ? b->lo.y : b->hi.y,
                             n.z > 0 ? b->lo.z : b->hi.z);
    return plDot(n, plSub(low, f.x)) <= 0.5 * c->def.reach + c->def.margin;
}

static bool fatMeet(const plCollide* c, int a, int b)
{
    // A plane that moves is compared anew each time, with the others' margin to spare.
    if (isPlane(c, a)) return c->proxies[a].moving || meetsPlane(c, a, b);
    if (isPlane(c, b)) return c->proxies[b].moving || meetsPlane(c, b, a);
    return plBounds_Meet(&c->places[a].fat, &c->places[b].fat);
}

// --- pairs

static bool before(const plProxyPair* p, const plProxyPair* q)
{
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

static void sink(plProxyPair* heap, int i, int count)
{
    const plProxyPair p = heap[i];
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1])) child++;
        if (!before(&p, &heap[child])) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = p;
}

/// The library's sort may take memory; this one does not.
static void sortPairs(plProxyPair* pairs, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) sink(pairs, i, count);
    for (int last = count - 1; last > 0; last--) {
        const plProxyPair top = pairs[0];
        pairs[0] = pairs[last];
        pairs[last] = top;
        sink(pairs, 0, last);
    }
}

static bool isKnown(const plCollide* c, int a, int b)
{
    int lo = 0, hi = c->head->pairCount;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        const plPair* p = &c->pairs[mid];
        if (p->a < a || (p->a == a && p->b < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->head->pairCount && c->pairs[lo].a == a && c->pairs[lo].b == b;
}

typedef struct {
    plCollide* c;
    int proxy;
} Finder;

static void consider(void* self, int other)
{
    const Finder* f = self;
    plCollide* c = f->c;
    const int a = f->proxy < other ? f->proxy : other, b = f->proxy < other ? other : f->proxy;
    // Two fresh ones would find each other twice.
    if (a == b || (c->places[other].fresh && other < f->proxy)) return;
    if (!plCollide_MayMeet(c, a, b) || isKnown(c, a, b)) return;
    if (c->head->pairCount + c->foundCount == c->def.pairs) {
        c->foundFull = true;
        return;
    }
    c->found[c->foundCount++] = (plProxyPair){a, b};
}

static void findPairs(plCollide* c)
{
    c->foundCount = 0;
    c->foundFull = false;
    for (int i = 0; i < c->freshCount; i++) {
        Finder f = {c, c->fresh[i]};
        const bool plane = isPlane(c, f.proxy);
        if (!plane) {
            plBranches_Visit(&c->head->tree, c->nodes, &c->places[f.proxy].fat, consider, &f);
        }
        // A plane has no place in the tree: it is compared with all others, and they with it.
        const int count = plane ? c->head->proxyCount : c->planeCount;
        for (int k = 0; k < count; k++) {
            const int other = plane ? k : c->planes[k];
            if (plane && (isPlane(c, other) || c->proxies[other].body < 0)) continue;
            if (fatMeet(c, f.proxy, other)) consider(&f, other);
        }
    }
    c->head->lost = c->foundFull;
}

/// Puts the found pairs in their places, from the back.
static void mergePairs(plCollide* c)
{
    sortPairs(c->found, c->foundCount);
    int old = c->head->pairCount - 1, from = c->foundCount - 1;
    for (int to = old + c->foundCount; from >= 0; to--) {
        const plProxyPair* f = &c->found[from];
        const plPair* p = old >= 0 ? &c->pairs[old] : NULL;
        if (p && (p->a > f->a || (p->a == f->a && p->b > f->b))) {
            c->pairs[to] = c->pairs[old--];
        } else {
            c->pairs[to] = (plPair){.a = f->a, .b = f->b, .apart = -INFINITY};
            from--;
        }
    }
    c->head->pairCount += c->foundCount;
}

// --- the local level

static double between(double loA, double hiA, double loB, double hiB)
{
    return plHigher(0, plHigher(loB - hiA, loA - hiB));
}

/// One distance says all of a pair of these.
static bool isSimple(const plCollide* c, const plPair* pair)
{
    const plShape* a = c->proxies[pair->a].shape;
    const plShape* b = c->proxies[pair->b].shape;
    return (plShape_IsConvex(a) || a->kind == pl_shapePlane) &&
           (plShape_IsConvex(b) || b->kind == pl_shapePlane);
}

/// Of a simple pair, no more than it is: the search's own error is below 1e-9 of what it measures.
static double distanceOf(const plCollide* c, plPair* pair)
{
    const plGap gap =
        plCollide_Gap(c->proxies[pair->a].shape, &c->places[pair->a].frame,
                      c->proxies[pair->b].shape, &c->places[pair->b].frame, &pair->guess);
    return gap.gap * (1 - 1e-9);
}

/// A lower bound of the distance of two shapes without contact nearer than `least`.
static double lowerBound(plCollide* c, plPair* pair, double least)
{
    const plShape* a = c->proxies[pair->a].shape;
    const plShape* b = c->proxies[pair->b].shape;
    const plFrame* fa = &c->places[pair->a].frame;
    const plFrame* fb = &c->places[pair->b].frame;
    if (isSimple(c, pair)) return plHigher(least, distanceOf(c, pair));
    const plBounds x = plShape_Bounds(a, fa), y = plShape_Bounds(b, fb);
    const plVec3 d = {between(x.lo.x, x.hi.x, y.lo.x, y.hi.x),
                      between(x.lo.y, x.hi.y, y.lo.y, y.hi.y),
                      between(x.lo.z, x.hi.z, y.lo.z, y.hi.z)};
    return plHigher(least, plNorm(d));
}

// --- sculpted surfaces

static bool isTracked(const plCollide* c, const plPair* pair)
{
    const plShape* a = c->proxies[pair->a].shape;
    const plShape* b = c->proxies[pair->b].shape;
    return a && b && (a->kind == pl_shapeNurbs || b->kind == pl_shapeNurbs);
}

/// The pair's memory; null: there is none left.
static plTracks* tracksOf(plCollide* c, plPair* pair)
{
    for (int i = 0; i < c->def.tracked && pair->slot == 0; i++) {
        if (c->slots[i].used) continue;
        c->slots[i] = (plTrackSlot){.used = true};
        pair->slot = i + 1;
    }
    return pair->slot > 0 ? &c->slots[pair->slot - 1].tracks : NULL;
}

static void freeTracks(plCollide* c, plPair* pair)
{
    if (pair->slot > 0) c->slots[pair->slot - 1].used = false;
    pair->slot = 0;
}

/// Not followed for a tick: what it knew is of another place.
static void forgetTracks(plCollide* c, plPair* pair)
{
    if (pair->slot == 0) return;
    plTracks* t = &c->slots[pair->slot - 1].tracks;
    t->known = false;
    t->count = 0;
}

static void track(plCollide* c, plPair* pair, double reach, plCollideReport* r)
{
    plTracks* tracks = tracksOf(c, pair);
    if (!tracks) {
        r->tracksFull = true;
        return;
    }
    plCollide_Track(c->proxies[pair->a].shape, &c->places[pair->a].frame, c->proxies[pair->b].shape,
                    &c->places[pair->b].frame, reach, tracks, &c->manifold);
}

static bool isBound(const plPlanarMemory* m)
{
    for (int i = 0; i < plPolygonCorners; i++) {
        if (m->edgeOf[0][i] || m->edgeOf[1][i]) return true;
    }
    return false;
}

/// Contacts of a pair into the manifold, and how long it may be left alone.
static void look(plCollide* c, plPair* pair, double reach, double way, plCollideReport* r)
{
    const plShape* a = c->proxies[pair->a].shape;
    const plShape* b = c->proxies[pair->b].shape;
    const plFrame* fa = &c->places[pair->a].frame;
    const plFrame* fb = &c->places[pair->b].frame;
    plManifold* m = &c->manifold;
    const bool tracked = isTracked(c, pair);
    // what was apart probably still is: then its distance is enough
    if (isfinite(pair->apart) && !c->def.planar && !tracked && isSimple(c, pair)) {
        const double apart = distanceOf(c, pair);
        if (apart > reach) {
            pair->apart = apart;
            pair->wayThen = way;
            return;
        }
    }
    if (tracked) {
        track(c, pair, reach, r);
    } else if (c->def.planar) {
        plCollide_Planar(a, fa, b, fb, reach, &pair->planar, m);
    } else {
        plCollide_Manifold(a, fa, b, fb, reach, &pair->guess, m);
    }
    // A pair in touch, or whose corners are held by edges, is looked at in every tick.
    const bool held = m->count > 0 || (c->def.planar && isBound(&pair->planar));
    pair->apart = -INFINITY;
    if (!held) pair->apart = lowerBound(c, pair, reach);
    pair->wayThen = way;
}

static void emit(plCollide* c, const plPair* pair, plCollideReport* r)
{
    for (int i = 0; i < c->manifold.count; i++) {
        if (r->contactCount == c->def.contacts) {
            r->contactsFull = true;
            return;
        }
        c->contacts[r->contactCount++] = (plTouch){pair->a, pair->b, c->manifold.points[i]};
    }
    r->contactsFull |= c->manifold.full;
}

static void note(plPair* pair, bool touching, plCollide* c, plCollideReport* r)
{
    const plProxyPair ids = {pair->a, pair->b};
    if (touching && !pair->touching) c->began[r->beginCount++] = ids;
    if (!touching && pair->touching) c->ended[r->endCount++] = ids;
    pair->touching = touching;
}

/// Contacts of a pair with a skin, behind those that are in the list.
static plSkinOut meetSkin(plCollide* c, const plPair* pair, const plFrame* fa, const plFrame* fb,
                          double reach, int first)
{
    const plProxy* a = &c->proxies[pair->a];
    const plProxy* b = &c->proxies[pair->b];
    plSkinOut out = {.list = c->contacts,
                     .count = first,
                     .capacity = c->def.contacts,
                     .a = pair->a,
                     .b = pair->b,
                     .swap = !a->skin};
    if (a->skin && b->skin)
        plSkin_MeetSkin(a->skin, b->skin, reach, &out);
    else if (a->skin)
        plSkin_MeetShape(a->skin, b->shape, fb, reach, &out);
    else
        plSkin_MeetShape(b->skin, a->shape, fa, reach, &out);
    plSkinOut_Sort(&out, first);
    return out;
}

/// A pair with a skin is looked at in every tick; its contacts go straight into the list.
static void visitSkin(plCollide* c, plPair* pair, double reach, plCollideReport* r)
{
    const int first = r->contactCount;
    const plSkinOut out =
        meetSkin(c, pair, &c->places[pair->a].frame, &c->places[pair->b].frame, reach, first);
    r->contactCount = out.count;
    r->contactsFull |= out.full;
    r->looked++;
    note(pair, out.count > first, c, r);
}

static void visitPair(plCollide* c, plPair* pair, double T, plCollideReport* r)
{
    const plPlace* a = &c->places[pair->a];
    const plPlace* b = &c->places[pair->b];
    const double ahead = (speedOf(a) + speedOf(b)) * T, way = a->way + b->way;
    const double reach = c->def.reach + ahead;
    if (c->proxies[pair->a].skin || c->proxies[pair->b].skin) {
        visitSkin(c, pair, c->def.skinReach + ahead, r);
        return;
    }
    // The ways are long sums; their round-off is far below 1e-12 of them.
    const double went = (way - pair->wayThen) + 1e-12 * way;
    c->manifold.count = 0;
    if (!(pair->apart - went > reach)) {
        look(c, pair, reach, way, r);
        r->looked++;
    } else {
        // A gap in the history is no history.
        if (pair->planar.known) pair->planar = (plPlanarMemory){0};
        forgetTracks(c, pair);
    }
    emit(c, pair, r);
    note(pair, c->manifold.count > 0, c, r);
}

/// Fattens what may have moved; lists what had to be.
static void fattenAll(plCollide* c, double T)
{
    plCollideHead* h = c->head;
    const bool all = h->lost || h->staticMoved;
    const int count = all ? h->proxyCount : c->moverCount;
    c->freshCount = 0;
    for (int k = 0; k < count; k++) {
        const int i = all ? k : c->movers[k];
        if (!c->proxies[i].shape && !c->proxies[i].skin) continue;
        if (!c->proxies[i].moving && !c->places[i].touched && !h->lost) continue;
        fatten(c, i, T);
        if (c->places[i].fresh) c->fresh[c->freshCount++] = i;
    }
    h->staticMoved = false;
}

static void visitAll(plCollide* c, double T, plCollideReport* r)
{
    fattenAll(c, T);
    findPairs(c);
    mergePairs(c);
    int kept = 0;
    r->contactCount = 0;
    for (int i = 0; i < c->head->pairCount; i++) {
        plPair* pair = &c->pairs[i];
        const bool fresh = c->places[pair->a].fresh || c->places[pair->b].fresh;
        if (fresh && !fatMeet(c, pair->a, pair->b)) {
            note(pair, false, c, r);
            freeTracks(c, pair);
            continue;
        }
        visitPair(c, pair, T, r);
        if (kept != i) c->pairs[kept] = *pair;
        kept++;
    }
    for (int i = 0; i < c->freshCount; i++) c->places[c->fresh[i]].fresh = false;
    c->head->pairCount = kept;
    r->moved += c->freshCount;
    r->pairs = kept;
    r->pairsFull = c->head->lost;
}

// What is struck in this step for the first time may strike others within it: then all is looked at again.
plCollideReport plCollide_Update(plCollide* c, double T)
{
    enum { rounds = 8 };
    plCollideReport r = {.contacts = c->contacts, .began = c->began, .ended = c->ended};
    for (int k = 0; k < c->moverCount; k++) c->places[c->movers[k]].passed = 0;
    passOn(c, T);
    visitAll(c, T, &r);
    for (int i = 1; i < rounds && r.beginCount > 0 && passOn(c, T); i++) visitAll(c, T, &r);
    return r;
}

// --- the same pairs elsewhere

int plCollide_PairCount(const plCollide* c) { return c->head->pairCount; }

plProxyPair plCollide_Pair(const plCollide* c, int i)
{
    return (plProxyPair){c->pairs[i].a, c->pairs[i].b};
}

static double square(plVec3 a, plVec3 b)
{
    const plVec3 d = plSub(a, b);
    return plDot(d, d);
}

// A turn by x changes the entries by 2 sqrt(2) y in all, with y = sin(x/2); and x/2 <= y (1 + (pi/2 - 1) y^2).
double plCollide_Moved(const plCollide* c, int proxy, const plFrame* to)
{
    const double roundOff = 1e-9; // [rad]
    const plFrame* from = &c->places[proxy].frame;
    if (!c->proxies[proxy].moving) return 0;
    const double y2 =
        (square(from->R.x, to->R.x) + square(from->R.y, to->R.y) + square(from->R.z, to->R.z)) / 8;
    const double angle = 2 * sqrt(y2) * (1 + (0.5 * PL_PI - 1) * y2) + roundOff;
    return plNorm(plSub(to->x, from->x)) + angle * c->proxies[proxy].shape->extent;
}

static void keepWithin(plManifold* m, double reach)
{
    int kept = 0;
    for (int k = 0; k < m->count; ++k) {
        if (m->points[k].gap <= reach) m->points[kept++] = m->points[k];
    }
    m->count = kept;
}

bool plCollide_Look(const plCollide* c, int i, const plFrame* carrierA, const plFrame* carrierB,
                    double moved, double reach, plManifold* out)
{
    const plPair* p = &c->pairs[i];
    const double way = c->places[p->a].way + c->places[p->b].way - p->wayThen;
    out->count = 0;
    if (p->apart - way > reach + moved) return true;
    const plShape *a = c->proxies[p->a].shape, *b = c->proxies[p->b].shape;
    if (!a || !b || (isTracked(c, p) && p->slot == 0)) return false;
    if (isTracked(
            c, p)) { // followed as far as in an update: beyond its reach all would be searched anew
        plTracks tracks = c->slots[p->slot - 1].tracks;
        plCollide_Track(a, carrierA, b, carrierB, c->def.reach + moved, &tracks, out);
        keepWithin(out, reach);
    } else if (c->def.planar) {
        plPlanarMemory memory = p->planar;
        plCollide_Planar(a, carrierA, b, carrierB, reach, &memory, out);
    } else {
        plGuess guess = p->guess;
        plCollide_Manifold(a, carrierA, b, carrierB, reach, &guess, out);
    }
    return true;
}

bool plCollide_HasSkin(const plCollide* c, int i)
{
    return c->proxies[c->pairs[i].a].skin || c->proxies[c->pairs[i].b].skin;
}

int plCollide_LookSkin(plCollide* c, int i, const plFrame* carrierA, const plFrame* carrierB,
                       double reach, const plTouch** list)
{
    *list = c->contacts;
    return meetSkin(c, &c->pairs[i], carrierA, carrierB, reach, 0).count;
}

void plCollide_ShowTrial(plCollide* c, int id) { plSkin_ShowTrial(c->proxies[id].skin); }
void plCollide_HideTrial(plCollide* c, int id) { plSkin_HideTrial(c->proxies[id].skin); }

// The face of a shape that a point is farthest in front of.
static bool farthestFace(const plShape* s, const plFrame* carrier, plVec3 x, plVec3* n, plVec3* at)
{
    plCore core;
    if (!plShape_IsConvex(s)) return false;
    plCore_Set(&core, s);
    if (!core.polytope) return false;
    const plFrame f = plShape_Frame(s, carrier);
    const plVec3 y = plInto(&f, x);
    double most = -INFINITY;
    for (int k = 0; k < core.polytope->faceCount; k++) {
        const plFace* face = &core.polytope->faces[k];
        const double d = plDot(face->n, y) - face->d;
        if (d <= most) continue;
        most = d;
        *n = plMulT(&carrier->R, plMul(&f.R, face->n));
        *at = plInto(carrier, plOut(&f, plScale(face->d, face->n)));
    }
    return true;
}

// Where an edge leaves a face, a contact lies on the side of that face, wherever it came from.
static bool isCorner(const plShape* s, const plFrame* carrier, plVec3 x)
{
    const double near = 1e-9 * s->size;
    plCore core;
    if (!plShape_IsConvex(s)) return false;
    plCore_Set(&core, s);
    if (!core.polytope) return true;
    const plFrame f = plShape_Frame(s, carrier);
    const plVec3 y = plInto(&f, x);
    for (int k = 0; k < core.polytope->vertexCount; k++) {
        if (plNorm(plSub(y, core.polytope->vertices[k])) <= near) return true;
    }
    return false;
}

void plCollide_CameThrough(const plCollide* c, int i, plPoint* point)
{
    const plPair* p = &c->pairs[i];
    const plFrame *fa = &c->places[p->a].frame, *fb = &c->places[p->b].frame;
    const plShape *a = c->proxies[p->a].shape, *b = c->proxies[p->b].shape;
    plGapModel* m = &point->model;
    const plVec3 xa = plOut(fa, m->a), xb = plOut(fb, m->b);
    plVec3 n, at;
    if (m->kind == pl_normalOfB && isCorner(a, fa, xa) && farthestFace(b, fb, xa, &n, &at)) {
        m->n = n, m->b = at;
    }
    if (m->kind == pl_normalOfA && isCorner(b, fb, xb) && farthestFace(a, fa, xb, &n, &at)) {
        m->n = plScale(-1, n), m->a = at;
    }
}
