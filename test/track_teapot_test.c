// A finger traces the teapot: every patch, over seams, for a minute at 1 kHz.
#include "tracks.h"

static const plShape* teapotShape(const char* folder)
{
    static Net nets[teapotPatches];
    plPatchDef patches[teapotPatches];
    loadTeapot(folder, nets, NULL);
    for (int i = 0; i < teapotPatches; i++) {
        for (int k = 0; k < 16; k++) nets[i].points[k] = plScale(0.01, nets[i].points[k]);
        patches[i] = nets[i].def;
    }
    return makeNurbsShape(patches, teapotPatches, true);
}

// --- the way of the finger: from patch to patch, over the surface

typedef struct {
    const plNurbs* n;
    plUv at;
    plVec3 way; ///< direction, not in the surface in general
    plRng rng;
    bool visited[teapotPatches];
    int open; ///< times that it came to an open edge
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
    if (lost || walked == pl_walkOpen || walked == pl_walkPole) {
        w->open += walked == pl_walkOpen;
        w->at = randomUv(&w->rng, w->n); // to somewhere else, in one tick
        w->way = randomDirection(&w->rng);
    } else {
        w->way = plScale(1 / plNorm(along), along);
    }
}

typedef struct {
    const char* name;
    const plShape *pot, *finger;
    plTracks tracks;
    plManifold contacts;
    plFrame frame;
    int64_t ticks;
    int checks, empties, wrongStarts, starts;
    double worst, worstGlobal, time, longest;
} Trace;

/// Distance of a followed minimum from the one to which Newton leads from there.
static double offMinimum(const Trace* t, const plTrack* track)
{
    plTrack copy = *track;
    const plSide f = {.shape = t->pot, .frame = {.R = plIdentity3()}, .still = true};
    const plSide g = {.shape = t->finger, .frame = t->frame};
    plMeeting before, after;
    plSettle s = {.f = &f, .g = &g, .endF = &copy.a, .endG = &copy.b, .most = 1e-3, .tilt = 1e-6};
    plEnd_Element(&f, &copy.a, &before.f);
    plEnd_Element(&g, &copy.b, &before.g);
    if (!plSettle_Run(&s, 40, &after)) return INFINITY;
    return fmax(plNorm(plSub(before.f.p, after.f.p)), plNorm(plSub(before.g.p, after.g.p)));
}

/// The least distance of the finger's centre from the whole pot, by a grid and Newton.
static double bruteDistance(const Trace* t, plVec3 p, plUv* where)
{
    enum { across = 40 };
    const plNurbs* n = t->pot->nurbs;
    double least = INFINITY;
    for (int patch = 0; patch < plNurbs_Patches(n); patch++) {
        plUv best = {patch, 0, 0};
        double d = INFINITY;
        for (int i = 0; i <= across; i++) {
            for (int k = 0; k <= across; k++) {
                const plUv at = {patch, (double)i / across, (double)k / across};
                const double e = plNorm(plSub(plNurbs_Place(n, at), p));
                if (e < d) d = e, best = at;
            }
        }
        plUv at = best;
        if (d < least) least = d, *where = at;
        if (plNurbs_Project(n, p, &at) > 0) {
            const double e = plNorm(plSub(plNurbs_Place(n, at), p));
            if (e < least) least = e, *where = at;
        }
    }
    return least;
}

static void tick(Trace* t, plFrame frame, double reach)
{
    const plFrame ground = {.R = plIdentity3()};
    const int64_t searches = t->tracks.searches;
    t->frame = frame;
    const double before = plClock_Now();
    plCollide_Track(t->pot, &ground, t->finger, &t->frame, reach, &t->tracks, &t->contacts);
    const double took = plClock_Now() - before;
    t->time += took, t->longest = fmax(t->longest, took);
    t->empties += t->contacts.count == 0;
    for (int i = 0; i < t->contacts.count; i++) {
        const plPoint* p = &t->contacts.points[i];
        assert_true(isfinite(p->gap) && plFinite3(p->a) && plFinite3(p->b) && plFinite3(p->n));
    }
    if (t->ticks++ % 100 == 0) {
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
    // At every start and restart the least distance is there; for a sphere outside that is its gap.
    if (t->tracks.searches > searches && t->finger->kind == pl_shapeSphere) {
        double least = INFINITY;
        for (int i = 0; i < t->tracks.count; i++) {
            least = fmin(least, fabs(t->tracks.list[i].gap + t->finger->radius));
        }
        plUv where = {0};
        const double expected = bruteDistance(t, frame.x, &where);
        t->starts++;
        if (fabs(least - expected) > 1e-9) {
            t->wrongStarts++;
            const plVec3 d = plSub(frame.x, plNurbs_Place(t->pot->nurbs, where));
            print_message(
                "%s, tick %ld: least %.9g, expected %.9g, of %d, at %d (%.4f, %.4f), %.2f "
                "along the normal; ours at %d (%.4f, %.4f) part %d gap %g\n",
                t->name, (long)t->ticks, least, expected, t->tracks.count, where.patch, where.u,
                where.v, plDot(d, plNurbs_Normal(t->pot->nurbs, where)) / plNorm(d),
                t->tracks.list[0].a.at.patch, t->tracks.list[0].a.at.u, t->tracks.list[0].a.at.v,
                t->tracks.list[0].a.part, t->tracks.list[0].gap);
        }
    }
}

static void trace(Trace* t, double seconds, double speed, double height)
{
    Walker w = {.n = t->pot->nurbs, .rng = plRng_Seed(3), .at = {4, 0.5, 0.5}};
    w.way = randomDirection(&w.rng);
    plFrame frame = {.R = plIdentity3()};
    const double T = 1e-3;
    const int64_t stay = (int64_t)(seconds / T / (2 * teapotPatches));
    for (int64_t i = 0; i < (int64_t)(seconds / T); i++) {
        // Every now and then to the middle of another patch, as a new pair.
        if (i % stay == 0) {
            w.at = (plUv){(int)(i / stay) % teapotPatches, 0.45, 0.55};
            w.way = randomDirection(&w.rng);
            t->tracks.known = false;
            t->tracks.count = 0;
        }
        walk(&w, speed * T);
        const plVec3 p = plNurbs_Place(w.n, w.at), n = plNurbs_Normal(w.n, w.at);
        // Pressed in and out a little, and rocked.
        const double beta = height + 0.5e-3 * sin(2 * PL_PI * 3 * (double)i * T);
        const double lift = t->finger->kind == pl_shapeSphere ? t->finger->radius : 5e-3;
        frame.x = plAddScaled(p, lift + beta, n);
        const plVec3 rock = plScale(0.4 * sin(2 * PL_PI * 0.9 * (double)i * T), plVec(0.6, 0.8, 0));
        frame.R = plRotation(plExp(rock));
        tick(t, frame, 2e-3);
    }
    int visited = 0;
    for (int i = 0; i < teapotPatches; i++) visited += w.visited[i];
    print_message(
        "%s: %ld ticks, %d patches, %d ends; seams %ld, searches %ld, jumps %ld, empty %d, "
        "off %.1e m of %d, starts %d wrong %d, %.2f us mean, %.0f us longest\n",
        t->name, (long)t->ticks, visited, w.open, (long)t->tracks.crossings,
        (long)t->tracks.searches, (long)t->tracks.jumps, t->empties, t->worst, t->checks, t->starts,
        t->wrongStarts, 1e6 * t->time / (double)t->ticks, 1e6 * t->longest);
}

static void aSphereTracesTheTeapot(void** state)
{
    const char* folder = nurbsFolder();
    static Trace t;
    (void)state;
    if (!folder) skip();
    shapesBegin();
    t = (Trace){.name = "sphere", .pot = teapotShape(folder), .finger = makeSphere(2e-3)};
    trace(&t, sized(6, 60), 0.3, 0.2e-3);
    checkAtMost("off the minimum", t.worst, 1e-8);
    assert_int_equal(t.wrongStarts, 0);
}

static void anEllipsoidTracesTheTeapot(void** state)
{
    const char* folder = nurbsFolder();
    static Trace t;
    (void)state;
    if (!folder) skip();
    shapesBegin();
    t = (Trace){
        .name = "ellipsoid", .pot = teapotShape(folder), .finger = loadNurbsShape(folder, "ellA")};
    trace(&t, sized(6, 60), 0.3, 0.2e-3);
    checkAtMost("off the minimum", t.worst, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSphereTracesTheTeapot),
        cmocka_unit_test(anEllipsoidTracesTheTeapot),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
