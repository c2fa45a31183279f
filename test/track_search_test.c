// The global search: least gaps against closed forms and brute force, for every kind of shape.
#include "tracks.h"

static plTracks tracks;
static plManifold found;

/// The least gap of a pair that is new.
static const plPoint* leastOf(const plShape* a, const plFrame* fa, const plShape* b,
                              const plFrame* fb)
{
    const plPoint* least = NULL;
    tracks = (plTracks){0};
    plCollide_Track(a, fa, b, fb, 10, &tracks, &found);
    for (int i = 0; i < found.count; i++) {
        const plPoint* p = &found.points[i];
        assert_true(isfinite(p->gap) && plFinite3(p->a) && plFinite3(p->b));
        checkNear("length of the normal", plNorm(p->n), 1, 1e-12);
        checkNear("n.(a - b)", plDot(p->n, plSub(p->a, p->b)), p->gap, 1e-12);
        if (!least || p->gap < least->gap) least = p;
    }
    return least;
}

static const plShape* made(plStatus status, plPatches* p, const plShapeError* error)
{
    if (status != pl_statusOk) {
        print_error("%s\n", error->message);
        fail();
    }
    const plShape* s = makeNurbsShape(p->patches, p->count, p->inward);
    plPatches_Free(p);
    return s;
}

static const plShape* nurbsSphere(double r)
{
    plPatches p;
    plShapeError e;
    return made(plPatches_Sphere(r, NULL, &p, &e), &p, &e);
}

static const plShape* nurbsCylinder(double r, double length)
{
    plPatches p;
    plShapeError e;
    return made(plPatches_Cylinder(r, length, NULL, &p, &e), &p, &e);
}

static const plShape* nurbsTorus(double r, double tube)
{
    plPatches p;
    plShapeError e;
    return made(plPatches_Torus(r, tube, NULL, &p, &e), &p, &e);
}

static const plShapeKind kinds[] = {pl_shapeSphere,  pl_shapeCapsule, pl_shapeBox,
                                    pl_shapePolygon, pl_shapeHull,    pl_shapePlane};

static const plShape* randomOther(plRng* rng, plShapeKind kind, double size)
{
    static plVec3 points[64];
    if (kind == pl_shapePlane) return makePlane(randomDirection(rng));
    plShapeDef def = plDefaultShapeDef(kind);
    def.half = plScale(size, plVec(plRng_Uniform(rng, 0.3, 1), plRng_Uniform(rng, 0.3, 1),
                                   plRng_Uniform(rng, 0.3, 1)));
    def.radius = size * plRng_Uniform(rng, 0.1, 0.6);
    def.length = size * plRng_Uniform(rng, 0.1, 2);
    def.points = points;
    if (kind == pl_shapeHull) def.pointCount = randomPoints(rng, def.half, 24, false, points);
    if (kind == pl_shapePolygon) {
        def.pointCount = 5;
        def.thickness = def.half.z;
        for (int i = 0; i < 5; i++) {
            points[i] = plVec(def.half.x * cos(1.2 * i), def.half.y * sin(1.2 * i), 0);
        }
    }
    return makeShape(&def);
}

/// Moves b along the line of the centres until the gap of two convex shapes is `gap`.
static plFrame placedAt(const plShape* a, const plFrame* fa, const plShape* b, plFrame fb,
                        double gap)
{
    for (int i = 0; i < 60; i++) {
        const plGap g = plCollide_Gap(a, fa, b, &fb, NULL);
        fb.x = plAddScaled(fb.x, g.gap - gap, g.n);
        if (fabs(g.gap - gap) < 1e-9) break;
    }
    return fb;
}

// A sphere made of patches has the gaps of a sphere. Inside each other: as deep as a quarter of it.
static void spheresArePatchesOfSpheres(void** state)
{
    plRng rng = plRng_Seed(7);
    const double R = 0.02;
    int missed = 0, count = 0;
    double worst = 0, worstN = 0;
    (void)state;
    shapesBegin();
    const plShape* patches = nurbsSphere(R);
    const plShape* plain = makeSphere(R);
    const size_t used = shapeArena.used;
    for (int kind = 0; kind < PL_COUNT(kinds); kind++) {
        for (int i = 0; i < sized(60, 1000); i++) {
            plArena_Rewind(&shapeArena, used);
            const plShape* b = randomOther(&rng, kinds[kind], 0.03);
            const plFrame fa = {plScale(0.01, randomVector(&rng)), randomRotation(&rng)};
            plFrame fb = {plScale(0.1, randomVector(&rng)), randomRotation(&rng)};
            fb = placedAt(plain, &fa, b, fb, plRng_Uniform(&rng, -0.005, 0.02));
            const plGap g = plCollide_Gap(plain, &fa, b, &fb, NULL);
            const plPoint* p =
                i % 2 ? leastOf(patches, &fa, b, &fb) : leastOf(b, &fb, patches, &fa);
            count++;
            if (!p || fabs(p->gap - g.gap) > 1e-9) {
                missed++;
                print_message("%s %d: gap %.6g, expected %.6g\n",
                              plShapeKind_Name((int)kinds[kind]), i, p ? p->gap : (double)NAN,
                              g.gap);
                continue;
            }
            worst = fmax(worst, fabs(p->gap - g.gap));
            worstN = fmax(worstN, plNorm(plSub(i % 2 ? p->n : plScale(-1, p->n), g.n)));
        }
    }
    print_message("%d placements: gap %.1e m, normal %.1e\n", count, worst, worstN);
    assert_int_equal(missed, 0);
    checkAtMost("gap", worst, 1e-11);
}

// --- brute force

typedef struct {
    const plShape *a, *b;
    plFrame between; ///< carrier of b in a's shape
} Pair;

static double heightOf(const Pair* p, plUv at)
{
    const plVec3 x = plInto(&p->between, plNurbs_Place(p->a->nurbs, at));
    return plShape_Nearest(p->b, x).distance;
}

/// Halving steps about a start, over the whole patch.
static double refine(const Pair* p, plUv at, double step)
{
    double best = heightOf(p, at), u[2], v[2];
    plNurbs_Domain(p->a->nurbs, at.patch, u, v);
    for (; step > 1e-10; step *= 0.7) {
        for (int i = 0; i < 8; i++) {
            const double angle = 0.25 * PL_PI * i + step;
            plUv to = plUvAt(at.patch, at.u + step * (u[1] - u[0]) * cos(angle),
                             at.v + step * (v[1] - v[0]) * sin(angle));
            to.u = fmin(fmax(to.u, u[0]), u[1]), to.v = fmin(fmax(to.v, v[0]), v[1]);
            const double d = heightOf(p, to);
            if (d < best) best = d, at = to;
        }
    }
    return best;
}

static double brute(const plShape* a, const plFrame* fa, const plShape* b, const plFrame* fb)
{
    enum { across = 24, starts = 6 };
    const plFrame f = plShape_Frame(a, fa);
    const Pair p = {a, b, plBetween(&f, fb)};
    struct {
        double d;
        plUv at;
    } best[starts];
    for (int i = 0; i < starts; i++) best[i].d = INFINITY;
    for (int patch = 0; patch < plNurbs_Patches(a->nurbs); patch++) {
        double u[2], v[2];
        plNurbs_Domain(a->nurbs, patch, u, v);
        for (int i = 0; i < across * across; i++) {
            const plUv at = plUvAt(patch, u[0] + (u[1] - u[0]) * (i / across) / (across - 1),
                                   v[0] + (v[1] - v[0]) * (i % across) / (across - 1));
            const double d = heightOf(&p, at);
            int k = starts;
            for (; k > 0 && best[k - 1].d > d; k--) {
                if (k < starts) best[k] = best[k - 1];
            }
            if (k < starts) best[k].d = d, best[k].at = at;
        }
    }
    double least = INFINITY;
    for (int i = 0; i < starts; i++) least = fmin(least, refine(&p, best[i].at, 2.0 / across));
    return least;
}

static void againstBrute(const char* name, const plShape* a, double size, double distance,
                         int count)
{
    plRng rng = plRng_Seed(11);
    const size_t used = shapeArena.used;
    int missed = 0, looked = 0;
    double worst = 0, time = 0;
    for (int kind = 0; kind < PL_COUNT(kinds); kind++) {
        for (int i = 0; i < count; i++) {
            plArena_Rewind(&shapeArena, used);
            const plShape* b = randomOther(&rng, kinds[kind], size);
            const plFrame fa = {plScale(0.01, randomVector(&rng)), randomRotation(&rng)};
            const plFrame fb = {plAddScaled(fa.x, distance, randomDirection(&rng)),
                                randomRotation(&rng)};
            const double expected = brute(a, &fa, b, &fb);
            if (expected < 1e-4) continue; // inside, the least over points of a is not the depth
            const double before = plClock_Now();
            const plPoint* p = leastOf(a, &fa, b, &fb);
            time += plClock_Now() - before;
            looked++;
            // Brute force is above the least where it ended in a valley of two faces: what is below it
            // must be a distance of the two.
            const double own =
                p ? plShape_Nearest(b, plInto(&fb, p->a)).distance : (double)INFINITY;
            if (!p || p->gap > expected + 1e-9 || fabs(own - p->gap) > 1e-9) {
                missed++;
                print_message("%s, %s %d: gap %.9g, expected %.9g\n", name,
                              plShapeKind_Name((int)kinds[kind]), i, p ? p->gap : (double)NAN,
                              expected);
                continue;
            }
            worst = fmax(worst, p->gap - expected);
        }
    }
    print_message("%s: %d placements, %d missed, above brute force by %.1e m, %.0f us each\n", name,
                  looked, missed, worst, 1e6 * time / looked);
    assert_int_equal(missed, 0);
}

static void leastGapsOfATorusAreFound(void** state)
{
    (void)state;
    shapesBegin();
    againstBrute("torus", nurbsTorus(0.04, 0.012), 0.02, 0.065, sized(20, 300));
}

static void leastGapsOfACylinderAreFound(void** state)
{
    (void)state;
    shapesBegin();
    againstBrute("cylinder", nurbsCylinder(0.02, 0.05), 0.02, 0.06, sized(20, 300));
}

static void leastGapsOfTheTeapotAreFound(void** state)
{
    (void)state;
    shapesBegin();
    againstBrute("teapot", loadTeapotShape(), 0.01, 0.045, sized(10, 150));
}

// --- two surfaces

enum { cloudAcross = 16, cloudMost = teapotPatches * cloudAcross * cloudAcross };

typedef struct {
    int count;
    plUv at[cloudMost];
    plVec3 p[cloudMost];
} Cloud;

static void cloudOf(const plShape* s, const plFrame* f, Cloud* c)
{
    c->count = 0;
    for (int patch = 0; patch < plNurbs_Patches(s->nurbs); patch++) {
        double u[2], v[2];
        plNurbs_Domain(s->nurbs, patch, u, v);
        for (int i = 0; i < cloudAcross * cloudAcross; i++) {
            const double x = (double)(i / cloudAcross) / (cloudAcross - 1),
                         y = (double)(i % cloudAcross) / (cloudAcross - 1);
            c->at[c->count] = plUvAt(patch, u[0] + x * (u[1] - u[0]), v[0] + y * (v[1] - v[0]));
            c->p[c->count] = plOut(f, plNurbs_Place(s->nurbs, c->at[c->count]));
            c->count++;
        }
    }
}

/// Nearest points of two clouds, then from one surface to the other and back.
static double bruteSurfaces(const plShape* a, const plFrame* fa, const plShape* b,
                            const plFrame* fb)
{
    static Cloud ca, cb;
    double least = INFINITY;
    int besta = 0, bestb = 0;
    cloudOf(a, fa, &ca);
    cloudOf(b, fb, &cb);
    for (int i = 0; i < ca.count; i++) {
        for (int k = 0; k < cb.count; k++) {
            const plVec3 d = plSub(ca.p[i], cb.p[k]);
            const double d2 = plDot(d, d);
            if (d2 < least) least = d2, besta = i, bestb = k;
        }
    }
    plUv ua = ca.at[besta], ub = cb.at[bestb];
    for (int i = 0; i < 2000; i++) {
        const plVec3 p = plOut(fa, plNurbs_Place(a->nurbs, ua));
        plNurbs_Project(b->nurbs, plInto(fb, p), &ub);
        const plVec3 q = plOut(fb, plNurbs_Place(b->nurbs, ub));
        plNurbs_Project(a->nurbs, plInto(fa, q), &ua);
    }
    return plNorm(
        plSub(plOut(fa, plNurbs_Place(a->nurbs, ua)), plOut(fb, plNurbs_Place(b->nurbs, ub))));
}

static void leastGapsOfTwoSurfacesAreFound(void** state)
{
    plRng rng = plRng_Seed(5);
    int missed = 0, looked = 0;
    double below = 0;
    (void)state;
    shapesBegin();
    const plShape* finger = loadNurbsShape("ellA");
    const plShape* others[2] = {loadNurbsShape("torus"), loadTeapotShape()};
    for (int i = 0; i < sized(40, 400); i++) {
        const plShape* a = others[i % 2];
        const plFrame fa = {plScale(0.01, randomVector(&rng)), randomRotation(&rng)};
        const plFrame fb = {plAddScaled(fa.x, i % 2 ? 0.045 : 0.06, randomDirection(&rng)),
                            randomRotation(&rng)};
        const double expected = bruteSurfaces(a, &fa, finger, &fb);
        if (expected < 2e-3) continue; // it may be inside, or the clouds too coarse to tell
        const plPoint* p = i % 4 < 2 ? leastOf(a, &fa, finger, &fb) : leastOf(finger, &fb, a, &fa);
        looked++;
        if (!p || p->gap > expected + 1e-9 || p->gap < 0) {
            missed++;
            print_message("%s %d: gap %.9g, expected %.9g\n", i % 2 ? "teapot" : "torus", i,
                          p ? p->gap : (double)NAN, expected);
            continue;
        }
        below = fmax(below, expected - p->gap);
    }
    print_message("two surfaces: %d placements, %d missed, below brute force by %.1e m\n", looked,
                  missed, below);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheresArePatchesOfSpheres),
        cmocka_unit_test(leastGapsOfATorusAreFound),
        cmocka_unit_test(leastGapsOfACylinderAreFound),
        cmocka_unit_test(leastGapsOfTheTeapotAreFound),
        cmocka_unit_test(leastGapsOfTwoSurfacesAreFound),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
