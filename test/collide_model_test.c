// Models of gaps at the frames of the search: they give the contacts, of shapes of every kind.
#include "collide_models.h"

static int seen[kindCount];

static void printSeen(const char* what)
{
    print_message("%s:", what);
    for (int k = 0; k < kindCount; k++) print_message(" %s %d", kindNames[k], seen[k]);
    print_message("\n");
}

// --- what holds for every contact

/// At the frames of the search, the model gives the contact. Sizes are about 1, coordinates about 3.
static void checkSame(const plPoint* p, const plFrame* fa, const plFrame* fb)
{
    const plGapModel* model = &p->model;
    plVec3 n;
    const double gap = plGapModel_Gap(model, fa, fb, &n);
    checkNear("gap", gap, p->gap, 1e-12);
    checkAtMost("normal", plNorm(plSub(n, p->n)), 1.01e-8); // the model's own bound
    const plVec3 a = plAddScaled(plOut(fa, model->a), -model->radiusA, p->n);
    const plVec3 b = plAddScaled(plOut(fb, model->b), model->radiusB, p->n);
    checkAtMost("point of a", plNorm(plSub(a, p->a)), 1e-14);
    checkAtMost("point of b", plNorm(plSub(b, p->b)), 1e-14);
    seen[model->kind]++;
}

/// A turned pair is the same pair.
static void checkSwapped(const plPoint* p, const plFrame* fa, const plFrame* fb)
{
    const plGapModel other = plGapModel_Swapped(&p->model), back = plGapModel_Swapped(&other);
    plVec3 n, swapped;
    const double gap = plGapModel_Gap(&p->model, fa, fb, &n);
    checkNear("swapped gap", plGapModel_Gap(&other, fb, fa, &swapped), gap, 1e-15);
    checkAtMost("swapped normal", plNorm(plAdd(n, swapped)), 1e-15);
    assert_int_equal(back.kind, p->model.kind);
    assert_true(plGapModel_Gap(&back, fa, fb, &swapped) == gap);
}

/// The gap begins to change by n.(va - vb), as the row of the contact says.
static void checkSlope(plRng* rng, const plPoint* p, const plFrame* fa, const plFrame* fb)
{
    const plGapModel* model = &p->model;
    const double h = 1e-6, d = p->gap + model->radiusA + model->radiusB;
    // n turns by h/d; its third derivative is left of a central difference.
    const bool curved = model->kind >= pl_normalBetween && model->kind != pl_normalEdges;
    if (curved && d < 1e-2) return;
    const plVec3 va = randomDirection(rng), wa = randomDirection(rng);
    const plVec3 vb = randomDirection(rng), wb = randomDirection(rng);
    double gap[2];
    for (int i = 0; i < 2; i++) {
        const double t = i ? h : -h;
        const plFrame ga = moved(fa, plScale(t, va), plScale(t, wa));
        const plFrame gb = moved(fb, plScale(t, vb), plScale(t, wb));
        plVec3 n;
        gap[i] = plGapModel_Gap(model, &ga, &gb, &n);
    }
    const plVec3 a = plAdd(va, plCross(wa, plSub(p->a, fa->x)));
    const plVec3 b = plAdd(vb, plCross(wb, plSub(p->b, fb->x)));
    checkNear("slope of the gap", (gap[1] - gap[0]) / (2 * h), plDot(p->n, plSub(a, b)), 1e-7);
}

static void checkAll(plRng* rng, const plFrame* fa, const plFrame* fb)
{
    for (int i = 0; i < m.count; i++) {
        checkSame(&m.points[i], fa, fb);
        checkSwapped(&m.points[i], fa, fb);
        checkSlope(rng, &m.points[i], fa, fb);
    }
}

static void modelsOfConvexPairsGiveTheirContacts(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(61);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < sized(6000, 200000); i++) {
        Two t;
        if (!randomTwo(&rng, i, -0.2, 0.04, i % 7 == 0, &t)) continue;
        plCollide_Manifold(&t.a, &t.fa, &t.b, &t.fb, i % 3 ? 0.02 : 0, NULL, &m);
        checkAll(&rng, &t.fa, &t.fb);
    }
    printSeen("convex");
    int all = 0;
    for (int k = 0; k < kindCount; k++) {
        if (k != pl_normalFixed) assert_true(seen[k] > 20);
        all += seen[k];
    }
    // Corners that touch corners or edges, and edges that are askew within the slop.
    assert_true(seen[pl_normalFixed] < all / 50);
}

static void modelsOfPlanesMeshesAndCompoundsGiveTheirContacts(void** state)
{
    (void)state;
    static plVec3 points[ringPoints * ringCount], hull[64];
    static int triangles[6 * ringPoints * ringCount];
    plRng rng = plRng_Seed(62);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < sized(2000, 40000); i++) {
        shapesBegin();
        const plShapeDef def = torus(points, triangles);
        const plShape ring = shifted(&rng, makeShape(&def));
        const plShape wall = shifted(&rng, makePlane(randomDirection(&rng)));
        const plShape* s = randomConvex(&rng, kinds[i % 5], 0.3, hull, 40);
        if (!s) continue;
        plShape pieces[2] = {shifted(&rng, s), shifted(&rng, makeCapsule(0.1, 0.4))};
        plShape both = *s;
        both.kind = pl_shapeCompound, both.pieces = pieces, both.pieceCount = 2,
        both.polytope = NULL;
        const plFrame fa = {randomVector(&rng), randomRotation(&rng)};
        const plFrame fb = {plAddScaled(fa.x, 0.5, randomVector(&rng)), randomRotation(&rng)};
        const plShape* others[3] = {&ring, &wall, &both};
        for (int k = 0; k < 9; k++) {
            const plShape *a = k / 3 ? others[k / 3 - 1] : &pieces[0], *b = others[k % 3];
            if (a == b && a != &both) continue;
            plCollide_Manifold(a, &fa, b, &fb, 0.02, NULL, &m);
            checkAll(&rng, &fa, &fb);
            plCollide_Manifold(b, &fb, a, &fa, 0.02, NULL, &m);
            checkAll(&rng, &fb, &fa);
        }
    }
    printSeen("others");
    for (int k = 1; k < kindCount; k++) assert_true(seen[k] > 20);
}

static void modelsOfPlanarPairsGiveTheirContacts(void** state)
{
    (void)state;
    static const plShapeKind planar[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox,
                                         pl_shapePolygon, pl_shapePlane};
    static plVec3 pointsA[64], pointsB[64];
    plRng rng = plRng_Seed(63);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < sized(6000, 100000); i++) {
        const plVec3 up = {0, 0, 1}, flat = {cos(i), sin(i), 0};
        const plVec3 x = randomVector(&rng), y = randomVector(&rng);
        shapesBegin();
        const plShape* a = randomConvex(&rng, planar[i % 4], 1, pointsA, 40);
        const plShape* b = planar[i / 4 % 5] == pl_shapePlane
                               ? makePlane(flat)
                               : randomConvex(&rng, planar[i / 4 % 5], 1, pointsB, 40);
        const plFrame fa = turned(x.x, x.y, 0, up, x.z), fb = turned(y.x, y.y, 0, up, y.z);
        plPlanarMemory one = {0}, two = {0};
        plCollide_Planar(a, &fa, b, &fb, 0.1, &one, &m);
        checkAll(&rng, &fa, &fb);
        plCollide_Planar(b, &fb, a, &fa, 0.1, &two, &m);
        checkAll(&rng, &fb, &fa);
    }
    printSeen("planar");
    for (int k = pl_normalOfA; k <= pl_normalAcrossB; k++) assert_true(seen[k] > 20);
}

// --- degenerate input

static void checkUnit(const plGapModel* model, const plFrame* fa, const plFrame* fb,
                      double expected)
{
    plVec3 n;
    const double gap = plGapModel_Gap(model, fa, fb, &n);
    checkNear("gap", gap, expected, 1e-12);
    checkNear("length of the normal", plNorm(n), 1, 1e-12);
}

static void coincidingPointsHaveTheNormalOfTheSearch(void** state)
{
    (void)state;
    const plFrame home = placed(0, 0, 0), tiny = placed(0, 0, 1e-200), up = placed(0, 0, 0.1);
    const plFrame down = placed(0, 0, -0.1);
    plGapModel model = {.n = {0, 0, 1}, .edgeA = {1, 0, 0}, .edgeB = {1, 0, 0}};
    for (int kind = 0; kind < kindCount; kind++) {
        model.kind = (plNormalKind)kind;
        for (int round = 0; round < 2; round++) {
            model.radiusA = 0.3 * round, model.radiusB = 0.2 * round;
            checkUnit(&model, &home, &home, -0.5 * round);
            checkUnit(&model, &tiny, &home, -0.5 * round);
            checkUnit(&model, &up, &home, 0.1 - 0.5 * round);
        }
        // What is sharp has passed through; what is round has a distance of its cores.
        const bool line = kind >= pl_normalBetween && kind <= pl_normalAcrossB;
        checkUnit(&model, &down, &home, line ? 0.1 - 0.5 : -0.1 - 0.5);
        model.radiusA = model.radiusB = 0;
        checkUnit(&model, &down, &home, -0.1);
    }
}

/// Lines that turn past parallel have lost their crossing, and do not fall into each other.
static void edgesThatTurnPastParallelKeepTheirGap(void** state)
{
    (void)state;
    const plVec3 up = {0, 0, 1};
    shapesBegin();
    const plShape* rod = makeCapsule(0.1, 1);
    const plFrame home = placed(0, 0, 0), f = turned(0.02, 0, 0.201, up, 0.1);
    plCollide_Manifold(rod, &f, rod, &home, 1e-2, NULL, &m);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.points[0].model.kind, pl_normalEdges);
    for (int i = -40; i <= 20; i++) {
        const plMat3 tip = plRotation(plRotor(plVec(0, 1, 0), 1e-4));
        plFrame g = turned(0.02, 0, 0.201, up, 0.1 + 0.005 * i);
        g.R = plMatMul(&tip, &g.R);
        plVec3 n;
        checkNear("gap", plGapModel_Gap(&m.points[0].model, &g, &home, &n), 1e-3, 1e-4);
    }
}

static void touchingCoresHaveFixedNormals(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* ball = makeSphere(0.1);
    const plShape* bead = makeCapsule(0.1, 0);
    const plShape* rod = makeCapsule(0.1, 1);
    const plShape* box = makeBox(0.1, 0.1, 0.1);
    const plShape* shapes[4] = {ball, bead, rod, box};
    const plVec3 diagonal = {1, 1, 1};
    plRng rng = plRng_Seed(66);
    for (int i = 0; i < 16; i++) {
        // Centre in centre; then boxes corner on corner.
        for (int k = 0; k < 3; k++) {
            const double off = k == 0 ? 0 : k == 1 ? 1e-12 : 0.2 + 1e-12;
            const plFrame fa = placed(0, 0, 0), fb = {plScale(off, diagonal), plIdentity3()};
            plCollide_Manifold(shapes[i / 4], &fa, shapes[i % 4], &fb, 1e-3, NULL, &m);
            for (int j = 0; j < m.count; j++) {
                const plGapModel* model = &m.points[j].model;
                const double d = m.points[j].gap + model->radiusA + model->radiusB;
                if (d < 1e-8) {
                    assert_true(model->kind <= pl_normalOfB || model->kind == pl_normalEdges);
                }
                checkUnit(model, &fa, &fb, m.points[j].gap);
                const plFrame far = {randomVector(&rng), randomRotation(&rng)};
                plVec3 n;
                assert_true(isfinite(plGapModel_Gap(model, &far, &fb, &n)));
                checkNear("length of the normal", plNorm(n), 1, 1e-12);
            }
        }
    }
}

// --- sculpted surfaces

static void modelsOfSurfacesHaveFeetAndCores(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(67);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < sized(300, 5000); i++) {
        static plVec3 points[64];
        static plTracks tracks;
        shapesBegin();
        const plShape surface = shifted(&rng, i % 3 == 0   ? makeNurbsSphere(1)
                                              : i % 3 == 1 ? makeNurbsTorus(1, 0.4)
                                                           : makeNurbsCylinder(0.8, 1));
        const plShape* s = i % 7 == 6   ? makePlane(randomDirection(&rng))
                           : i % 7 == 5 ? makeNurbsSphere(0.5)
                                        : randomConvex(&rng, kinds[i % 7], 0.3, points, 20);
        if (!s) continue;
        const plShape tool = shifted(&rng, s);
        const plFrame fa = {randomVector(&rng), randomRotation(&rng)};
        const plFrame fb = {plAddScaled(fa.x, 1.5, randomDirection(&rng)), randomRotation(&rng)};
        for (int swap = 0; swap < 2; swap++) {
            tracks = (plTracks){0};
            if (swap)
                plCollide_Track(&tool, &fa, &surface, &fb, 1, &tracks, &m);
            else
                plCollide_Track(&surface, &fa, &tool, &fb, 1, &tracks, &m);
            checkAll(&rng, &fa, &fb);
            for (int k = 0; k < m.count; k++) {
                const plGapModel* model = &m.points[k].model;
                const plNormalKind ofSurface = swap ? pl_normalOfB : pl_normalOfA;
                assert_true((swap ? model->radiusA : model->radiusB) == tool.radius);
                if (i % 7 == 5) assert_int_equal(model->kind, pl_normalFixed);
                if (i % 7 < 2 && i % 3 < 2) assert_int_equal(model->kind, ofSurface);
                if (i % 7 == 6) {
                    assert_int_equal(model->kind, plNormalKind_Swapped(ofSurface));
                }
            }
        }
    }
    printSeen("surfaces");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modelsOfConvexPairsGiveTheirContacts),
        cmocka_unit_test(modelsOfPlanesMeshesAndCompoundsGiveTheirContacts),
        cmocka_unit_test(modelsOfPlanarPairsGiveTheirContacts),
        cmocka_unit_test(coincidingPointsHaveTheNormalOfTheSearch),
        cmocka_unit_test(edgesThatTurnPastParallelKeepTheirGap),
        cmocka_unit_test(touchingCoresHaveFixedNormals),
        cmocka_unit_test(modelsOfSurfacesHaveFeetAndCores),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
