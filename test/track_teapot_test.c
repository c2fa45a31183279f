// A finger traces the teapot: every patch, over seams, for a minute at 1 kHz. Every minimum that is
// lost is judged. PALP_VERBOSE lists them, one by one.
#include "track_jumps.h"

// --- the way of the finger: from patch to patch, over the surface

typedef struct {
    const plNurbs* n;
    plUv at;
    plVec3 way; ///< direction, not in the surface in general
    plRng rng;
    bool visited[teapotPatches];
    int open; ///< times that it came to an open edge
    bool put; ///< it was put elsewhere at the last tick
} Walker;

/// One tick of `speed` [m] along the surface, turned off where it ends.
static void walk(Walker* w, double length)
{
    plSurfel s;
    plNurbs_At(w->n, w->at, &s);
    w->visited[w->at.patch] = true;
    const double uu = plDot(s.u, s.u), uv = plDot(s.u, s.v), vv = plDot(s.v, s.v);
    const double a = plDot(w->way, s.u), b = plDot(w->way, s.v), det = uu * vv - uv * uv;
    double du = (vv * a - uv * b) / det, dv = (uu * b - uv * a) / det;
    const plVec3 along = plAdd(plScale(du, s.u), plScale(dv, s.v));
    const double scale = length / plNorm(along);
    const bool lost = !(det > 1e-6 * uu * vv) || !(plNorm(along) > 0.1);
    plWalk walked = pl_walkInside;
    if (!lost) walked = plNurbs_Walk(w->n, &w->at, scale * du, scale * dv);
    w->put = lost || walked == pl_walkOpen || walked == pl_walkPole;
    if (w->put) {
        w->open += walked == pl_walkOpen;
        w->at = randomUv(&w->rng, w->n); // to somewhere else, in one tick
        w->way = randomDirection(&w->rng);
    } else {
        w->way = plScale(1 / plNorm(along), along);
    }
}

// --- the finger

static const plVec3 halfAxes = {2e-3, 1.5e-3, 1.25e-3};

/// The reference's ellipsoid at a quarter of its size: whole, it does not fit through the handle.
static const plShape* ellipsoid(void)
{
    static Net net;
    loadNet("ellA", &net);
    for (int i = 0; i < netPoints; i++) net.points[i] = plScale(0.25, net.points[i]);
    return makeNurbsShape(&net.def, 1, true);
}

/// From its middle to the place whose normal is n, both turned.
static plVec3 supportOf(const plShape* finger, const plMat3* R, plVec3 n)
{
    if (finger->kind == pl_shapeSphere) return plScale(finger->radius, n);
    const plVec3 m = plMulT(R, n), a = halfAxes;
    const plVec3 q = {a.x * a.x * m.x, a.y * a.y * m.y, a.z * a.z * m.z};
    return plScale(1 / sqrt(plDot(q, m)), plMul(R, q));
}

/// Over the walker's place by beta, rocked.
static plFrame fingerOver(const Walker* w, const plShape* finger, double beta, double time)
{
    const plVec3 p = plNurbs_Place(w->n, w->at), n = plNurbs_Normal(w->n, w->at);
    const plVec3 rock = plScale(0.4 * sin(2 * PL_PI * 0.9 * time), plVec(0.6, 0.8, 0));
    plFrame f = {.R = plRotation(plExp(rock))};
    f.x = plSub(plAddScaled(p, beta, n), supportOf(finger, &f.R, plScale(-1, n)));
    return f;
}

// --- the trace

typedef struct {
    const char* name;
    const plShape *pot, *finger;
    plTracks tracks;
    plManifold contacts;
    plFrame frame;
    int64_t ticks;
    int checks, starts, wrongStarts, noneNear, above, passages;
    int jumps[jumpReasons], leasts[jumpReasons];
    double worst, deepest, time, longest;
} Trace;

/// Distance of a followed minimum from the one to which Newton leads from there.
static double offMinimum(const Trace* t, const plTrack* track)
{
    plTrack copy = *track;
    const plSide f = potSide(t->pot), g = {.shape = t->finger, .frame = t->frame};
    plMeeting before, after;
    plEnd_Element(&f, &copy.a, &before.f);
    plEnd_Element(&g, &copy.b, &before.g);
    if (!settleAt(t->pot, t->finger, &t->frame, &copy.a, &copy.b, &after)) return INFINITY;
    return fmax(plNorm(plSub(before.f.p, after.f.p)), plNorm(plSub(before.g.p, after.g.p)));
}

static void checkMinima(Trace* t)
{
    for (int i = 0; i < t->tracks.count; i++) {
        const plTrack* track = &t->tracks.list[i];
        const double off = offMinimum(t, track);
        if (off > 1e-8)
            print_message("%s, tick %ld: off %g, flags %u\n", t->name, (long)t->ticks, off,
                          track->flags);
        t->worst = fmax(t->worst, off);
        t->checks++;
    }
}

// --- brute force

/// How far p is from the finger's middle beyond its surface, along that line.
static double heightOver(const Trace* t, const plFrame* frame, plVec3 p)
{
    const plVec3 y = plInto(frame, p), a = halfAxes;
    if (t->finger->kind == pl_shapeSphere) return plNorm(y) - t->finger->radius;
    return plNorm(y) * (1 - 1 / plNorm(plVec(y.x / a.x, y.y / a.y, y.z / a.z)));
}

/// The minimum to which Newton leads from a place of the pot; infinite: to none.
static double gapFrom(const Trace* t, const plFrame* frame, plUv at, plMeeting* m)
{
    const plVec3 y = plInto(frame, plNurbs_Place(t->pot->nurbs, at));
    plTrackEnd a = {.at = at}, b = {.part = pl_trackCorner};
    if (t->finger->kind == pl_shapeNurbs) {
        b = (plTrackEnd){.part = pl_trackFace};
        plNurbs_Nearest(t->finger->nurbs, y, &b.at, NULL);
    }
    const bool settled = settleAt(t->pot, t->finger, frame, &a, &b, m) && plMeeting_IsMinimum(m);
    return settled ? m->gap : (double)INFINITY;
}

/// The least gap, by a grid on every patch and Newton from its lowest places. Of a sphere, it is that
/// of the distance from its middle, which may be on either side; of an ellipsoid, that with a sign.
static double bruteGap(const Trace* t, const plFrame* frame)
{
    enum { across = 40 };
    const plNurbs* n = t->pot->nurbs;
    const bool point = t->finger->kind == pl_shapeSphere;
    const plSide f = potSide(t->pot), g = {.shape = t->finger, .frame = *frame};
    double least = INFINITY;
    for (int patch = 0; patch < plNurbs_Patches(n); patch++) {
        plUv best = plUvAt(patch, 0, 0);
        double low = INFINITY;
        for (int i = 0; i < (across + 1) * (across + 1); i++) {
            const plUv at = plUvAt(patch, (double)(i / (across + 1)) / across,
                                   (double)(i % (across + 1)) / across);
            const double h = heightOver(t, frame, plNurbs_Place(n, at));
            if (h < low) low = h, best = at;
        }
        if (low > fmin(least, 0.02)) continue; // the finger is no larger
        plMeeting m;
        bool doubtful = false;
        const double gap = gapFrom(t, frame, best, &m);
        if (point && low < least) least = low;
        if (!isfinite(gap)) continue;
        if (point) {
            least = fmin(least, fabs(m.beta) - t->finger->radius);
        } else if (plTrack_IsWayOut(&f, &g, &m, &doubtful) && !doubtful) {
            least = fmin(least, gap);
        }
    }
    return least;
}

/// At every start and restart the least is there.
static void checkStart(Trace* t, double reach)
{
    const bool point = t->finger->kind == pl_shapeSphere;
    double least = INFINITY;
    for (int i = 0; i < t->tracks.count; i++) {
        const double gap = t->tracks.list[i].gap, r = t->finger->radius;
        least = fmin(least, point ? fabs(gap + r) - r : gap);
    }
    const double expected = bruteGap(t, &t->frame);
    t->starts++;
    t->noneNear += expected > reach; // none that leads out: it is not judged
    if (least <= expected + 1e-9 || expected > reach) return;
    t->wrongStarts++;
    print_message("%s, tick %ld: least gap %.9g, expected %.9g, of %d\n", t->name, (long)t->ticks,
                  least, expected, t->tracks.count);
}

// --- jumps

/// Is there a nearer one than where a passage ended?
static bool isSecond(const Trace* t, const Passage* p)
{
    const plFrame place = frameBetween(&p->then, &p->now, p->share);
    static plFounds found;
    if (t->finger->kind == pl_shapeSphere) {
        return bruteGap(t, &place) < fabs(p->at.beta) - t->finger->radius - 1e-9;
    }
    const plSide f = potSide(t->pot), g = {.shape = t->finger, .frame = place};
    if (t->tracks.count > 0 && t->tracks.list[0].gap < p->at.gap) return true;
    found.count = 0;
    plTrack_Search(&f, &g, 2e-3, NULL, &found);
    return found.count > 0 && found.list[0].at.gap < p->at.gap - 1e-9;
}

/// Does the finger touch another part of the pot?
static bool touchesAnother(const Trace* t, int patch)
{
    bool touches = false;
    for (int i = 0; i < t->tracks.count; i++) {
        const plTrack* other = &t->tracks.list[i];
        touches |= partOf(other->a.at.patch) != partOf(patch) && other->gap < 1e-3;
    }
    return touches;
}

/// A minimum that ended, or that leads through a wall. One more than 1 mm behind a surface while the
/// finger touches another part lies inside both. At an open edge: as near as the finger went in the
/// tick, or 0.1 mm.
static JumpReason reasonOf(const Trace* t, const Passage* p, bool whole, double way)
{
    const plSide f = potSide(t->pot), g = {.shape = t->finger, .frame = p->now};
    const double near = fmax(way, 1e-4);
    bool doubtful;
    if (whole && plTrack_IsWayOut(&f, &g, &p->at, &doubtful)) return jumpFault;
    if (p->at.beta < -1e-3 && touchesAnother(t, p->a.at.patch)) return jumpCross;
    if (p->a.part != pl_trackFace || isAtOpenEdge(t->pot->nurbs, p->at.f.p, near)) return jumpOpen;
    return !whole && isSecond(t, p) ? jumpFold : jumpFault;
}

static void judge(Trace* t, const plTrack* was, const plFrame* then, bool put, bool least)
{
    Passage p = {.pot = t->pot, .finger = t->finger, .then = *then, .now = t->frame};
    p.a = was->a, p.b = was->b;
    const double way = plNorm(plSub(t->frame.x, then->x));
    const bool whole = !put && pass(&p);
    const JumpReason reason = put ? jumpPut : reasonOf(t, &p, whole, way);
    t->jumps[reason]++;
    t->leasts[reason] += least;
    if (!getenv("PALP_VERBOSE") && reason != jumpFault) return;
    const plVec3 at = plNurbs_Place(t->pot->nurbs, p.a.at);
    print_message("%s, %.3f s, at (%.2f, %.2f, %.2f) mm of patch %d, gap %.3f mm%s: %s\n", t->name,
                  1e-3 * ((double)t->ticks - 1 + p.share), 1e3 * at.x, 1e3 * at.y, 1e3 * at.z,
                  p.a.at.patch, 1e3 * was->gap, least ? ", the least" : "", jumpNames[reason]);
}

/// Did one that went far, and has its key still, come there without a jump?
static bool isPassage(Trace* t, const plTrack* was, const plTrack* is, const plFrame* then)
{
    Passage p = {.pot = t->pot, .finger = t->finger, .then = *then, .now = t->frame};
    const plNurbs* n = t->pot->nurbs;
    const plVec3 to = plNurbs_Place(n, is->a.at);
    const double way = plNorm(plSub(t->frame.x, then->x));
    if (plNorm(plSub(plNurbs_Place(n, was->a.at), to)) < 2 * way) return true;
    p.a = was->a, p.b = was->b;
    t->passages++;
    return pass(&p) && plNorm(plSub(p.at.f.p, to)) < 1e-7;
}

static const plTrack* trackOf(const plTracks* list, uint64_t key)
{
    for (int i = 0; i < list->count; i++) {
        if (list->list[i].key == key) return &list->list[i];
    }
    return NULL;
}

static void checkJumps(Trace* t, const plTracks* old, const plFrame* then, bool put, double reach)
{
    const bool full = t->tracks.count == plTrackMost;
    for (int i = 0; i < old->count; i++) {
        const plTrack* was = &old->list[i];
        if (was->flags & pl_trackSupport) continue;
        const plTrack* is = trackOf(&t->tracks, was->key);
        const double way = plNorm(plSub(t->frame.x, then->x));
        // Those beyond twice the reach are let go.
        if (!is && (full || (!put && was->gap > 2 * reach - 2 * way))) continue;
        if (!is || (!put && !isPassage(t, was, is, then))) judge(t, was, then, put, i == 0);
    }
}

static void tick(Trace* t, plFrame frame, double reach, bool put)
{
    const plFrame ground = {.R = plIdentity3()};
    const plTracks old = t->tracks;
    const plFrame then = t->frame;
    t->frame = frame;
    t->ticks++;
    const double before = plClock_Now();
    plCollide_Track(t->pot, &ground, t->finger, &t->frame, reach, &t->tracks, &t->contacts);
    const double took = plClock_Now() - before;
    t->time += took, t->longest = fmax(t->longest, took);
    double least = INFINITY;
    for (int i = 0; i < t->contacts.count; i++) {
        const plPoint* p = &t->contacts.points[i];
        assert_true(isfinite(p->gap) && plFinite3(p->a) && plFinite3(p->b) && plFinite3(p->n));
        least = fmin(least, p->gap);
    }
    t->deepest = fmin(t->deepest, least);
    if (t->ticks % 100 == 1) checkMinima(t);
    if (t->tracks.searches > old.searches) checkStart(t, reach);
    if (old.known) checkJumps(t, &old, &then, put, reach);
}

static void trace(Trace* t, double seconds, double speed, double height)
{
    Walker w = {.n = t->pot->nurbs, .rng = plRng_Seed(3), .at = plUvAt(4, 0.5, 0.5)};
    w.way = randomDirection(&w.rng);
    const double T = 1e-3, reach = 2e-3;
    const int64_t stay = (int64_t)(seconds / T / (2 * teapotPatches));
    for (int64_t i = 0; i < (int64_t)(seconds / T); i++) {
        // Every now and then to the middle of another patch, as a new pair.
        if (i % stay == 0) {
            w.at = plUvAt((int)(i / stay) % teapotPatches, 0.45, 0.55);
            w.way = randomDirection(&w.rng);
            t->tracks.known = false;
            t->tracks.count = 0;
        }
        walk(&w, speed * T);
        // Pressed in and out a little.
        const double time = (double)i * T;
        const double beta = height + 0.5e-3 * sin(2 * PL_PI * 3 * time);
        tick(t, fingerOver(&w, t->finger, beta, time), reach, w.put);
        bool met = false;
        for (int k = 0; k < t->contacts.count; k++) met |= t->contacts.points[k].gap <= beta + 1e-9;
        t->above += !met;
        if (!met && getenv("PALP_VERBOSE"))
            print_message("%s, tick %ld: no contact at %.3f mm\n", t->name, (long)t->ticks,
                          1e3 * beta);
    }
    int visited = 0, all = 0;
    for (int i = 0; i < teapotPatches; i++) visited += w.visited[i];
    print_message("%s: %ld ticks, %d patches, %d ends; seams %ld, off %.1e m of %d, starts %d of "
                  "which wrong %d and with none near %d; ticks without the nearest %d, deepest "
                  "%.2f mm, %.2f us mean, %.0f us longest\n",
                  t->name, (long)t->ticks, visited, w.open, (long)t->tracks.crossings, t->worst,
                  t->checks, t->starts, t->wrongStarts, t->noneNear, t->above, 1e3 * t->deepest,
                  1e6 * t->time / (double)t->ticks, 1e6 * t->longest);
    for (int i = 0; i < jumpReasons; i++) {
        print_message("  %s: %d, the least %d\n", jumpNames[i], t->jumps[i], t->leasts[i]);
        all += t->jumps[i];
    }
    print_message("  %d jumps (%ld minima not found again); %d went far\n", all,
                  (long)t->tracks.jumps, t->passages);
    assert_int_equal(visited, teapotPatches);
}

static void checkTrace(Trace* t)
{
    trace(t, sized(6, 60), 0.3, 0.2e-3);
    checkAtMost("off the minimum", t->worst, 1e-8);
    assert_int_equal(t->wrongStarts, 0);
    assert_int_equal(t->jumps[jumpFault], 0);
    if (sized(0, 1)) assert_true(t->tracks.crossings > 1000);
}

static void aSphereTracesTheTeapot(void** state)
{
    static Trace t;
    (void)state;
    shapesBegin();
    t = (Trace){.name = "sphere", .pot = loadTeapotShape(), .finger = makeSphere(2e-3)};
    checkTrace(&t);
}

static void anEllipsoidTracesTheTeapot(void** state)
{
    static Trace t;
    (void)state;
    shapesBegin();
    t = (Trace){.name = "ellipsoid", .pot = loadTeapotShape(), .finger = ellipsoid()};
    checkTrace(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSphereTracesTheTeapot),
        cmocka_unit_test(anEllipsoidTracesTheTeapot),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
