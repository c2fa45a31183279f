// Following: accuracy of the velocity formulation, singular places, keys, and the global level.
#include "tracks.h"

// --- two ellipsoids of the reference, for ten seconds

typedef struct {
    const plShape *f, *g;
    plFrame now; ///< of f; g stands still
    plUv at[2];
    bool ok;
} Rolling;

/// The finger rolls over the other and in and out, at about 0.1 m/s.
static plFrame fingerAt(double time)
{
    const double t = 2.6 * time;
    const double a = 1.1 * t, b = 0.7 * sin(0.9 * t), r = 0.026 + 0.0045 * sin(2.3 * t);
    const plVec3 x = {r * cos(a) * cos(b), r * sin(a) * cos(b), 0.8 * r * sin(b)};
    return (plFrame){x, plRotation(plExp(plVec(0.5 * sin(1.3 * t), 0.4 * cos(0.8 * t), 0.6 * t)))};
}

static bool kinOf(const Rolling* r, const plFrame* ff, plContactFrame* cf, plContactFrame* cg,
                  plContactKin* k)
{
    const plFrame ground = {.R = plIdentity3()};
    contactFrame(r->f, ff, r->at[0], cf);
    contactFrame(r->g, &ground, r->at[1], cg);
    if (cf->pole || cg->pole) return false;
    plContactKin_Set(k, cf, cg);
    return true;
}

static void walkBoth(Rolling* r, const double* d)
{
    plNurbs_Walk(r->f->nurbs, &r->at[0], d[0], d[1]);
    plNurbs_Walk(r->g->nurbs, &r->at[1], d[2], d[3]);
}

/// u += A B (measured change): f moves, so g's body goes the other way past it.
static void predict(Rolling* r, const plFrame* next)
{
    plContactFrame cf, cg;
    plContactKin k;
    double d[4];
    r->ok &= kinOf(r, &r->now, &cf, &cg, &k);
    const plVec3 moved = plOut(next, plInto(&r->now, cg.p));
    const plMat3 turn = plMatMulT(&next->R, &r->now.R);
    plContactKin_Velocity(&cg, plSub(cg.p, moved), plScale(-1, plLog(&turn)), d);
    r->ok &= plContactKin_Solve(&k, d);
    walkBoth(r, d);
    r->now = *next;
}

static void newton(Rolling* r, int steps)
{
    for (int i = 0; i < steps; i++) {
        plContactFrame cf, cg;
        plContactKin k;
        double d[4];
        r->ok &= kinOf(r, &r->now, &cf, &cg, &k);
        memcpy(d, k.r, sizeof d);
        r->ok &= plContactKin_Solve(&k, d);
        walkBoth(r, d);
    }
}

/// Distance of both places from those of a converged Newton.
static double offBy(const Rolling* r, double* beta)
{
    Rolling exact = *r;
    plContactFrame cf, cg, ef, eg;
    plContactKin k;
    newton(&exact, 6);
    kinOf(r, &r->now, &cf, &cg, &k);
    kinOf(&exact, &exact.now, &ef, &eg, &k);
    *beta = k.beta;
    return fmax(plNorm(plSub(cf.p, ef.p)), plNorm(plSub(cg.p, eg.p)));
}

typedef struct {
    double off, low, high, speed;
} Rolled;

static Rolled roll(const plShape* f, const plShape* g, plFrame (*path)(double), const plUv start[2],
                   int steps)
{
    Rolling r = {.f = f, .g = g, .now = path(0), .at = {start[0], start[1]}, .ok = true};
    Rolled out = {.low = INFINITY, .high = -INFINITY};
    newton(&r, 20);
    for (int i = 1; i <= 10000; i++) {
        const plFrame next = path(1e-3 * i);
        double beta;
        out.speed = fmax(out.speed, plNorm(plSub(next.x, r.now.x)) / 1e-3);
        predict(&r, &next);
        newton(&r, steps);
        out.off = fmax(out.off, offBy(&r, &beta));
        out.low = fmin(out.low, beta), out.high = fmax(out.high, beta);
    }
    assert_true(r.ok);
    return out;
}

/// A start by the search.
static void startOf(const plShape* f, const plShape* g, const plFrame* ff, plUv start[2])
{
    const plFrame ground = {.R = plIdentity3()};
    plTracks tracks = {0};
    plManifold m;
    plCollide_Track(f, ff, g, &ground, 0.01, &tracks, &m);
    assert_true(tracks.count > 0);
    start[0] = tracks.list[0].a.at, start[1] = tracks.list[0].b.at;
}

// B3. The prediction alone drifts with the step; one Newton step behind it does not.
static void ellipsoidsAreFollowed(void** state)
{
    (void)state;
    shapesBegin();
    const plShape *f = loadNurbsShape("ellA"), *g = loadNurbsShape("ellB");
    const plFrame first = fingerAt(0);
    plUv start[2];
    startOf(f, g, &first, start);
    double off[3];
    for (int steps = 0; steps < 3; steps++) {
        const Rolled r = roll(f, g, fingerAt, start, steps);
        off[steps] = r.off;
        print_message("%d Newton: off %.1e m, beta %.2f .. %.2f mm, up to %.2f m/s\n", steps, r.off,
                      1e3 * r.low, 1e3 * r.high, r.speed);
    }
    assert_true(off[0] >= 3e-5 && off[0] <= 3e-4);
    checkAtMost("one Newton step", off[1], 1e-10);
    checkAtMost("two Newton steps", off[2], 1e-14);
}

/// The same by the tracker itself: settled in every tick, one key, no search but the first. The time
/// is that of a tick without looks for new minima, which a long reach keeps away.
static void theTrackerFollowsThem(void** state)
{
    const plFrame ground = {.R = plIdentity3()};
    static plTracks tracks;
    static plManifold m;
    double time = 0;
    (void)state;
    shapesBegin();
    const plShape *f = loadNurbsShape("ellA"), *g = loadNurbsShape("ellB");
    tracks = (plTracks){0};
    for (int i = 0; i <= 10000; i++) {
        const plFrame now = fingerAt(1e-3 * i);
        const double before = plClock_Now();
        plCollide_Track(f, &now, g, &ground, 10, &tracks, &m);
        if (i > 0) time += plClock_Now() - before;
        assert_true(m.count > 0 && m.points[0].key == 1);
    }
    print_message("a tick with %d minima: %.2f us mean; %ld searches, %ld jumps, %ld seams\n",
                  tracks.count, 1e2 * time, (long)tracks.searches, (long)tracks.jumps,
                  (long)tracks.crossings);
    assert_int_equal(tracks.searches, 1);
    assert_int_equal(tracks.jumps, 0);
}

/// Over the rim of the teapot's body, out and in, and around: there |S_u| jumps by a factor of four.
/// As fast as makes the prediction alone err by what the reference's path does (6e-5 m); what one Newton
/// step leaves grows with the square of that.
static plFrame rimAt(double t)
{
    const double bend = 0.4 + 0.8 * sin(2 * PL_PI * 0.3 * t), a = 0.9 * t;
    const double r = 0.0145 + 0.0105 * cos(bend), z = 0.0243 + 0.0105 * sin(bend);
    return (plFrame){plVec(r * cos(a), r * sin(a), z),
                     plRotation(plExp(plVec(0.2 * sin(t), 0.1 * cos(1.3 * t), 0.4 * t)))};
}

static void theBodyOfTheTeapotIsFollowed(void** state)
{
    (void)state;
    shapesBegin();
    const plShape *f = loadNurbsShape("ellA"), *g = loadNurbsShape("body");
    const plFrame first = rimAt(0);
    plUv start[2];
    startOf(f, g, &first, start);
    double off[3];
    for (int steps = 0; steps < 3; steps++) {
        const Rolled r = roll(f, g, rimAt, start, steps);
        off[steps] = r.off;
        print_message("teapot, %d Newton: off %.1e m, beta %.2f .. %.2f mm, up to %.2f m/s\n",
                      steps, r.off, 1e3 * r.low, 1e3 * r.high, r.speed);
    }
    assert_true(off[0] >= 3e-5);
    checkAtMost("one Newton step", off[1], 5e-9);
    checkAtMost("two Newton steps", off[2], 1e-14);
}

/// The same at 0.1 m/s, where one Newton step leaves 4e-8 m behind a knot that it went over. The tracker
/// makes a second one when the first was long: B3 holds at every tick.
static plFrame rimFast(double t) { return rimAt(4 * t); }

static void theTrackerHoldsAtTheRim(void** state)
{
    const plFrame ground = {.R = plIdentity3()};
    static plTracks tracks;
    static plManifold m;
    double worst = 0, speed = 0;
    int checks = 0;
    (void)state;
    shapesBegin();
    const plShape *f = loadNurbsShape("ellA"), *g = loadNurbsShape("body");
    const plFrame first = rimFast(0);
    plUv start[2];
    startOf(f, g, &first, start);
    const Rolled one = roll(f, g, rimFast, start, 1);
    tracks = (plTracks){0};
    plFrame last = first;
    for (int i = 0; i <= 10000; i++) {
        const plFrame now = rimFast(1e-3 * i);
        plCollide_Track(f, &now, g, &ground, 0.01, &tracks, &m);
        speed = fmax(speed, plNorm(plSub(now.x, last.x)) / 1e-3);
        last = now;
        for (int k = 0; k < tracks.count; k++) {
            const plTrack* t = &tracks.list[k];
            if (t->flags & (pl_trackOpen | pl_trackPole | pl_trackSingular)) continue;
            const Rolling r = {.f = f, .g = g, .now = now, .at = {t->a.at, t->b.at}, .ok = true};
            double beta;
            worst = fmax(worst, offBy(&r, &beta));
            checks++;
        }
    }
    print_message("rim, up to %.2f m/s: off %.1e m by one Newton step, %.1e m by the tracker (%d), "
                  "%ld searches\n",
                  speed, one.off, worst, checks, (long)tracks.searches);
    assert_true(speed >= 0.1 && checks >= 10000);
    checkAtMost("the tracker at the rim", worst, 5e-9);
}

// --- singular places

static const plShape* madeOf(plStatus status, plPatches* p)
{
    assert_int_equal(status, pl_statusOk);
    const plShape* s = makeNurbsShape(p->patches, p->count, p->inward);
    plPatches_Free(p);
    return s;
}

static const plShape* sphereOf(double r)
{
    plPatches p;
    return madeOf(plPatches_Sphere(r, NULL, &p, NULL), &p);
}

static const plShape* cylinderOf(double r, double length)
{
    plPatches p;
    return madeOf(plPatches_Cylinder(r, length, NULL, &p, NULL), &p);
}

/// A flat square patch with its normal along z, at the origin.
static const plShape* plateOf(double half)
{
    static Net net;
    beginNet(&net, 1, 1, 2, 2);
    clampKnots(net.knotsU, 1, 2);
    clampKnots(net.knotsV, 1, 2);
    for (int i = 0; i < 4; i++) {
        net.points[i] = plVec(i / 2 ? half : -half, i % 2 ? half : -half, 0);
    }
    return makeNurbsShape(&net.def, 1, false);
}

static double sigmaOf(const plShape* f, const plFrame* ff, plUv uf, const plShape* g,
                      const plFrame* fg, plUv ug)
{
    plContactFrame cf, cg;
    plContactKin k;
    contactFrame(f, ff, uf, &cf);
    contactFrame(g, fg, ug, &cg);
    if (cf.pole || cg.pole) return 0;
    plContactKin_Set(&k, &cf, &cg);
    return plContactKin_Sigma(&k, &cf, &cg);
}

// B4. Two planes, a shaft in a bore of its own radius, and a pole: told, and never a NaN.
static void singularPlacesAreTold(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* plate = plateOf(0.02);
    const plShape* ball = sphereOf(0.01);
    const plFrame ground = placed(0, 0, 0);
    const plFrame over = turned(0, 0, 1e-3, plVec(1, 0, 0), PL_PI);
    const plUv middle = plUvAt(0, 0.5, 0.5);
    const double planes = sigmaOf(plate, &over, middle, plate, &ground, middle);
    checkAtMost("two planes", fabs(planes) * plTrackLength, plTrackSingular);
    // A bore is the same cylinder, seen from inside.
    static Net shaft;
    const double r = 0.01, w = sqrt(0.5);
    beginNet(&shaft, 2, 1, 3, 2);
    clampKnots(shaft.knotsU, 2, 3);
    clampKnots(shaft.knotsV, 1, 2);
    for (int i = 0; i < 6; i++) {
        const double x[3] = {r, r, 0}, y[3] = {0, r, r};
        shaft.points[i] = plVec(x[i / 2], y[i / 2], i % 2 ? 0.02 : -0.02);
        shaft.weights[i] = i / 2 == 1 ? w : 1;
    }
    const plShape* outer = makeNurbsShape(&shaft.def, 1, false);
    const plShape* bore = makeNurbsShape(&shaft.def, 1, true);
    const double fits = sigmaOf(outer, &ground, middle, bore, &ground, middle);
    checkAtMost("a shaft in its bore", fabs(fits) * plTrackLength, plTrackSingular);
    print_message("sigma: planes %.1e, bore %.1e\n", planes, fits);
    // The ball's pole over the plate: followed across it.
    double worst = 0;
    int poles = 0;
    plTracks tracks = {0};
    plManifold m;
    for (int i = 0; i <= 400; i++) {
        const double tilt = 1e-3 * (i - 200);
        const plFrame f = turned(0, 0, 0.0095 + 1e-6 * i, plVec(1, 0, 0), tilt);
        plCollide_Track(ball, &f, plate, &ground, 2e-3, &tracks, &m);
        assert_int_equal(m.count, 1);
        assert_true(isfinite(m.points[0].gap) && plFinite3(m.points[0].n));
        worst = fmax(worst, fabs(m.points[0].gap - (f.x.z - 0.01)));
        poles += (tracks.list[0].flags & (pl_trackPole | pl_trackSingular)) != 0;
        assert_int_equal(m.points[0].key, 1);
    }
    print_message("over the pole: gap %.1e m, told %d times, %ld searches\n", worst, poles,
                  (long)tracks.searches);
    checkAtMost("gap over the pole", worst, 1e-10);
}

/// Plates, and a cylinder on its side and on its end: contacts at the right height, whatever K says.
static void whatLiesFlatTouches(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* can = cylinderOf(0.01, 0.03);
    const plShape* plane = makePlane(plVec(0, 0, 1));
    const plShape* box = makeBox(0.05, 0.05, 0.01);
    const plFrame ground = placed(0, 0, 0), below = placed(0, 0, -0.01);
    const struct {
        const char* name;
        plFrame can;
        const plShape* other;
        const plFrame* place;
    } cases[] = {
        {"end on plane", placed(0, 0, 0.015 - 1e-4), plane, &ground},
        {"side on plane", turned(0, 0, 0.01 - 1e-4, plVec(0, 1, 0), PL_PI / 2), plane, &ground},
        {"end on box", placed(0, 0, 0.015 - 1e-4), box, &below},
        {"side on box", turned(0, 0, 0.01 - 1e-4, plVec(0, 1, 0), PL_PI / 2), box, &below},
    };
    for (int i = 0; i < PL_COUNT(cases); i++) {
        plTracks tracks = {0};
        plManifold m;
        for (int k = 0; k < 5; k++) {
            plCollide_Track(can, &cases[i].can, cases[i].other, cases[i].place, 1e-3, &tracks, &m);
            assert_true(m.count > 0);
            for (int n = 0; n < m.count; n++) {
                checkNear(cases[i].name, m.points[n].gap, -1e-4, 1e-9);
                checkNear("normal", m.points[n].n.z, 1, 1e-6);
            }
        }
        print_message("%s: %d contacts, flags %u\n", cases[i].name, m.count, tracks.list[0].flags);
    }
}

// --- the global level

static void pairsHoldTheirTracks(void** state)
{
    const plAllocator allocator = plDefaultAllocator();
    plCollideDef def = plDefaultCollideDef();
    plArena fixed, states;
    plCollide* c;
    (void)state;
    shapesBegin();
    const plShape* ball = sphereOf(0.01);
    const plShape* plane = makePlane(plVec(0, 0, 1));
    def.tracked = 1;
    assert_int_equal(plArena_Create(&fixed, plCollide_Memory(&def), &allocator), pl_statusOk);
    assert_int_equal(plArena_Create(&states, plCollide_Memory(&def), &allocator), pl_statusOk);
    assert_int_equal(plCollide_Create(&def, &fixed, &states, &c), pl_statusOk);
    assert_true(fixed.used + states.used <= plCollide_Memory(&def));
    const plShape* shapes[3] = {plane, ball, ball};
    for (int i = 0; i < 3; i++) {
        plProxyDef p = plDefaultProxyDef();
        int id;
        p.shape = shapes[i], p.body = i, p.moving = i > 0;
        p.frame = placed(0, 0, i == 2 ? 1 : 0.0);
        assert_int_equal(plCollide_Add(c, &p, &id), pl_statusOk);
    }
    uint64_t key = 0, hash[2] = {0, 0};
    unsigned char* kept = malloc(states.used);
    for (int round = 0; round < 2; round++) {
        if (round == 1) memcpy(states.memory, kept, states.used);
        hash[round] = plHash_Start();
        for (int i = 0; i < 100; i++) {
            const plFrame f = turned(1e-4 * i, 0, 0.01 + 5e-6 * (i - 50), plVec(0, 1, 0), 0.01 * i);
            if (i == 50 && round == 0) memcpy(kept, states.memory, states.used);
            if (i < 50 && round == 1) continue;
            plCollide_Move(c, 1, &f, 0.1);
            const plCollideReport r = plCollide_Update(c, 1e-3);
            assert_false(r.tracksFull);
            assert_int_equal(r.contactCount, 1);
            checkNear("gap", r.contacts[0].p.gap, f.x.z - 0.01, 1e-12);
            if (key == 0) key = r.contacts[0].p.key;
            assert_int_equal(r.contacts[0].p.key, key);
            if (i >= 50) hash[round] = plHash_Add(hash[round], &r.contacts[0], sizeof(plTouch));
        }
    }
    assert_true(hash[0] == hash[1]);
    // A second pair has no room: told, and not looked at.
    const plFrame near = placed(0.05, 0, 0.0095);
    plCollide_Move(c, 2, &near, 0);
    assert_true(plCollide_Update(c, 1e-3).tracksFull);
    free(kept);
    plArena_Destroy(&fixed, &allocator);
    plArena_Destroy(&states, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipsoidsAreFollowed),        cmocka_unit_test(theTrackerFollowsThem),
        cmocka_unit_test(theBodyOfTheTeapotIsFollowed), cmocka_unit_test(theTrackerHoldsAtTheRim),
        cmocka_unit_test(singularPlacesAreTold),        cmocka_unit_test(whatLiesFlatTouches),
        cmocka_unit_test(pairsHoldTheirTracks),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
