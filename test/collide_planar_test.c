// Planar worlds: vertex-edge contacts, and the memory of the edge that was entered.
#include "collide_shapes.h"

#include "collide/collide.h"

static plManifold m;

enum { vertex = 0, edge = 1 << 13, face = 2 << 13 };

static uint64_t keyOf(int a, int b) { return (uint64_t)a | (uint64_t)b << 15; }

static const plPoint* find(uint64_t key)
{
    for (int i = 0; i < m.count; i++) {
        if (m.points[i].key == key) return &m.points[i];
    }
    return NULL;
}

static void planar(const plShape* a, plFrame fa, const plShape* b, plFrame fb, double reach,
                   plPlanarMemory* memory)
{
    plPlanarMemory none = {0};
    plCollide_Planar(a, &fa, b, &fb, reach, memory ? memory : &none, &m);
    for (int i = 0; i < m.count; i++) {
        checkNear("normal out of the plane", m.points[i].n.z, 0, 0);
        checkNear("length of the normal", plNorm(m.points[i].n), 1, 1e-14);
        checkNear("gap", plDot(m.points[i].n, plSub(m.points[i].a, m.points[i].b)), m.points[i].gap,
                  1e-13);
    }
}

static plFrame at(double x, double y, double angle)
{
    return turned(x, y, 0, plVec(0, 0, 1), angle);
}

/// Spec-iapb-planar section 3: walls x >= 0 and y <= 0, a peg of 21 x 10.5 mm, contacts by corner.
static void pegTouchesWallsByItsCorners(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(41);
    shapesBegin();
    const plVec3 l = {0.0105, 0.00525, 0};
    const plShape* peg = makeBox(l.x, l.y, 0.01);
    const plShape* walls[2] = {makePlane(plVec(1, 0, 0)), makePlane(plVec(0, -1, 0))};
    for (int i = 0; i < 1000; i++) {
        const plFrame f = at(plRng_Uniform(&rng, 0, 0.02), plRng_Uniform(&rng, -0.02, 0),
                             plRng_Uniform(&rng, -0.3, 0.3));
        for (int w = 0; w < 2; w++) {
            int expected = 0;
            planar(peg, f, walls[w], at(0, 0, 0), 0, NULL);
            for (int c = 0; c < 4; c++) {
                const plVec3 corner = plVec(c == 1 || c == 2 ? l.x : -l.x, c >= 2 ? l.y : -l.y, 0);
                const plVec3 p = plOut(&f, corner);
                const double s = w == 0 ? p.x : -p.y;
                const plPoint* q = find(keyOf(vertex | c, face));
                assert_true((q != NULL) == (s <= 0));
                expected += s <= 0;
                if (!q) continue;
                checkNear("gap", q->gap, s, 1e-17);
                checkAtMost("corner", plNorm(plSub(q->localA, corner)), 1e-16);
            }
            assert_int_equal(m.count, expected);
        }
    }
}

// Corners of a box are numbered from the lower left, counter-clockwise; edge 0 is the lower one.

static void edgeOnEdgeIsTwoVertexEdgeContacts(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* upper = makeBox(0.1, 0.1, 0.1);
    const plShape* lower = makeBox(0.3, 0.1, 0.1);
    for (int k = 0; k < 3; k++) {
        const double gap = (k - 1) * 1e-4;
        // In the middle: both corners of the upper box.
        planar(upper, at(0, 0.2 + gap, 0), lower, at(0, 0, 0), 1e-3, NULL);
        assert_int_equal(m.count, 2);
        for (int c = 0; c < 2; c++) {
            const plPoint* p = find(keyOf(vertex | c, edge | 2));
            assert_non_null(p);
            checkNear("gap", p->gap, gap, 1e-15);
            checkNear("normal", p->n.y, 1, 1e-15);
        }
        // Hanging over: a corner of each, on an edge of the other.
        planar(upper, at(0.3, 0.2 + gap, 0), lower, at(0, 0, 0), 1e-3, NULL);
        assert_int_equal(m.count, 2);
        assert_non_null(find(keyOf(vertex | 0, edge | 2)));
        assert_non_null(find(keyOf(edge | 0, vertex | 2)));
    }
}

/// Figure 2 of the planar paper: near the end of the edge a second contact comes in, then goes.
static void cornersMeetAsTwoVertexEdgeContacts(void** state)
{
    (void)state;
    plPlanarMemory memory = {0};
    shapesBegin();
    const plShape* upper = makeBox(0.1, 0.1, 0.1);
    const plShape* lower = makeBox(0.3, 0.1, 0.1);
    const double tilt = 0.3; // stands on its lower right corner
    const plFrame leaning = at(0, 0, -tilt);
    const plVec3 foot = plOut(&leaning, plVec(0.1, -0.1, 0));
    int both = 0, after = 0;
    for (int i = 0; i <= 200; i++) {
        const double x = 0.2 + 1e-3 * i; // of the foot, 0.1 mm deep
        planar(upper, at(x - foot.x, 0.0999 - foot.y, -tilt), lower, at(0, 0, 0), 0, &memory);
        if (x < 0.2999) assert_non_null(find(keyOf(vertex | 1, edge | 2)));
        if (m.count == 2) both++;
        if (x > 0.31) after += m.count > 0 && find(keyOf(vertex | 1, edge | 2)) != NULL;
    }
    assert_int_equal(after, 0);
    assert_true(both <= 2); // as the corners pass, within a step or two
}

// --- the edge that was entered

static void cornerStaysBoundToTheEdgeItCameThrough(void** state)
{
    (void)state;
    plPlanarMemory memory = {0};
    shapesBegin();
    // A plate of 0.4 mm, and a square on its corner pushed down through it in steps of 0.1 mm.
    const plShape* plate = makeBox(0.1, 2e-4, 0.1);
    const plShape* square = makeBox(0.01, 0.01, 0.1);
    const double reachDown = 0.01 * sqrt(2);
    const uint64_t key = keyOf(vertex | 0, edge | 2);
    for (int i = -5; i <= 30; i++) {
        const double depth = 1e-4 * i; // of the corner below the upper side
        planar(square, at(0, 2e-4 + reachDown - depth, PL_PI / 4), plate, at(0, 0, 0), 0, &memory);
        if (i < 0) assert_int_equal(m.count, 0);
        if (i <= 0) continue;
        const plPoint* p = find(key);
        assert_non_null(p);
        checkNear("gap", p->gap, -depth, 1e-15);
        checkNear("normal", p->n.y, 1, 1e-15);
    }
    // Without memory, the far side is nearer.
    planar(square, at(0, 2e-4 + reachDown - 3e-4, PL_PI / 4), plate, at(0, 0, 0), 0, NULL);
    assert_null(find(key));
    // Out again through the upper side: free.
    planar(square, at(0, 2e-4 + reachDown + 1e-4, PL_PI / 4), plate, at(0, 0, 0), 0, &memory);
    assert_int_equal(m.count, 0);
    for (int i = 0; i < plPolygonCorners; i++) assert_int_equal(memory.edgeOf[0][i], 0);
}

static void oneStepThroughAPlateIsNoticed(void** state)
{
    (void)state;
    plPlanarMemory memory = {0};
    shapesBegin();
    const plShape* plate = makeBox(0.1, 1e-3, 0.1);
    const plShape* square = makeBox(0.002, 0.002, 0.1);
    planar(square, at(0, 0.005, 0), plate, at(0, 0, 0), 0, &memory);
    assert_int_equal(m.count, 0);
    planar(square, at(0, -0.005, 0), plate, at(0, 0, 0), 0, &memory); // 10 mm in one step
    assert_true(m.count >= 2);
    for (int i = 0; i < m.count; i++) checkNear("normal", m.points[i].n.y, 1, 1e-12);
}

static void cornerThatSlidesOffIsFree(void** state)
{
    (void)state;
    plPlanarMemory memory = {0};
    shapesBegin();
    const plVec3 roof[5] = {{-1, -1, 0}, {1, -1, 0}, {1, 0, 0}, {0, 0.2, 0}, {-1, 0, 0}};
    const plShape* house = makePolygon(roof, 5);
    const plVec3 needle[3] = {{0, 0, 0}, {0.05, 1, 0}, {-0.05, 1, 0}};
    const plShape* tool = makePolygon(needle, 3);
    // Along the roof, 1 mm below the ridge's height: in through the right side, along it, over to
    // the left side and out at the end.
    for (int i = 0; i <= 2400; i++) {
        const double x = 1.2 - 1e-3 * i;
        const double surface = fabs(x) <= 1 ? 0.2 * (1 - fabs(x)) : -1;
        planar(tool, at(x, surface - 1e-3, 0), house, at(0, 0, 0), 0, &memory);
        const plPoint* right = find(keyOf(vertex | 0, edge | 2));
        const plPoint* left = find(keyOf(vertex | 0, edge | 3));
        if (x < 0.98 && x > 0.01) assert_true(right && !left);
        if (x > -0.98 && x < -0.01) assert_true(left && !right);
        if (x < -1) assert_true(!left && !right);
    }
}

// --- random polygons against a brute-force judge

static int randomPolygon(plRng* rng, plVec3* v)
{
    const int n = 3 + (int)plRng_Uniform(rng, 0, 6);
    const double a = plRng_Uniform(rng, 0.05, 0.3), b = plRng_Uniform(rng, 0.05, 0.3);
    for (int i = 0; i < n; i++) {
        const double t = 2 * PL_PI * (i + plRng_Uniform(rng, 0, 0.6)) / n;
        v[i] = plVec(a * cos(t), b * sin(t), 0);
    }
    return n;
}

static double judge(const plShape* a, const plFrame* fa, const plShape* b, const plFrame* fb)
{
    // Distance when apart, else minus the least overlap over all edges' normals.
    double least = INFINITY, deepest = -INFINITY;
    for (int side = 0; side < 2; side++) {
        const plShape* p = side ? b : a;
        const plShape* q = side ? a : b;
        const plFrame* fp = side ? fb : fa;
        const plFrame* fq = side ? fa : fb;
        for (int i = 0; i < p->cornerCount; i++) {
            const plVec3 u = plOut(fp, p->corners[i]);
            const plVec3 v = plOut(fp, p->corners[(i + 1) % p->cornerCount]);
            const plVec3 n = plScale(1 / plNorm(plSub(v, u)), plVec(v.y - u.y, u.x - v.x, 0));
            double low = INFINITY;
            for (int k = 0; k < q->cornerCount; k++) {
                const plVec3 c = plOut(fq, q->corners[k]);
                low = fmin(low, plDot(n, plSub(c, u)));
                const plVec3 d = plSub(v, u);
                const double t = fmin(fmax(plDot(plSub(c, u), d) / plDot(d, d), 0), 1);
                least = fmin(least, plNorm(plSub(c, plAddScaled(u, t, d))));
            }
            deepest = fmax(deepest, low);
        }
    }
    return deepest > 0 ? least : deepest;
}

static void noPenetrationOfPolygonsIsMissed(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(42);
    int touching = 0;
    for (int i = 0; i < sized(20000, 2000000); i++) {
        plVec3 u[8], v[8];
        if (i % 100 == 0) shapesBegin();
        const plAllocator allocator = plDefaultAllocator();
        plShapeDef da = plDefaultShapeDef(pl_shapePolygon), db = da;
        const plShape *a, *b;
        da.points = u, da.pointCount = randomPolygon(&rng, u);
        db.points = v, db.pointCount = randomPolygon(&rng, v);
        if (plShape_Create(&da, &shapeArena, &allocator, &a, NULL) != pl_statusOk) continue;
        if (plShape_Create(&db, &shapeArena, &allocator, &b, NULL) != pl_statusOk) continue;
        const plFrame fa = at(0, 0, plRng_Uniform(&rng, 0, 6));
        const plFrame fb = at(plRng_Uniform(&rng, -0.5, 0.5), plRng_Uniform(&rng, -0.5, 0.5),
                              plRng_Uniform(&rng, 0, 6));
        const double reach = i % 2 ? 0.01 : 0, gap = judge(a, &fa, b, &fb);
        planar(a, fa, b, fb, reach, NULL);
        if (gap > reach + 1e-12) assert_int_equal(m.count, 0);
        if (gap > reach - 1e-12) continue;
        touching++;
        assert_true(m.count > 0);
        double deepest = INFINITY;
        for (int k = 0; k < m.count; k++) deepest = fmin(deepest, m.points[k].gap);
        // Apart, an edge's distance never exceeds the polygons'; inside, some corner is as deep as
        // the contact that its own nearest edge makes.
        checkAtMost("deepest gap", deepest, gap > 0 ? gap + 1e-12 : 1e-12);
        if (gap < 0) assert_true(deepest <= 0);
    }
    assert_true(touching > 1000);
}

/// Moved in small steps, a corner inside keeps its edge from tick to tick, unless it slides over an
/// end of it.
static void keysStayFromTickToTick(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(43);
    shapesBegin();
    const plShape* box = makeBox(0.1, 0.06, 0.1);
    const plShape* table = makeBox(0.5, 0.1, 0.1);
    plPlanarMemory memory = {0};
    uint64_t before[2] = {0, 0};
    for (int i = 0; i < sized(2000, 200000); i++) {
        // A box at rest, rocking by a milliradian about it, up to 0.2 mm deep.
        const double rock = 1e-3 * sin(0.1 * i), x = 0.3 * sin(1e-3 * i);
        const plFrame f = at(x, 0.16 - 1e-4 + plRng_Uniform(&rng, -1e-5, 1e-5), rock);
        planar(box, f, table, at(0, 0, 0), 1e-3, &memory);
        assert_int_equal(m.count, 2);
        for (int k = 0; k < 2; k++) {
            if (i > 0) assert_true(m.points[k].key == before[k]);
            before[k] = m.points[k].key;
            checkNear("normal", m.points[k].n.y, 1, 1e-12);
        }
    }
}

// --- discs and capsules

static void roundShapesTouchWhereTheyAreNearest(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(44);
    for (int i = 0; i < sized(5000, 500000); i++) {
        plVec3 corners[8];
        if (i % 100 == 0) shapesBegin();
        const plAllocator allocator = plDefaultAllocator();
        plShapeDef def = plDefaultShapeDef(pl_shapePolygon);
        const plShape* polygon;
        def.points = corners, def.pointCount = randomPolygon(&rng, corners);
        if (plShape_Create(&def, &shapeArena, &allocator, &polygon, NULL) != pl_statusOk) continue;
        const double length = i % 2 ? 0 : plRng_Uniform(&rng, 0.02, 0.3);
        const plShape* round = i % 2 ? makeSphere(0.05) : makeCapsule(0.05, length);
        const plFrame fa = at(plRng_Uniform(&rng, -0.5, 0.5), plRng_Uniform(&rng, -0.5, 0.5),
                              plRng_Uniform(&rng, 0, 6));
        const plFrame fb = at(0.1, 0.2, plRng_Uniform(&rng, 0, 6));
        // A thick prism and a ball in its middle plane know nothing of z.
        def.thickness = 100;
        const plShape* prism = makeShape(&def);
        const plGap gap = plCollide_Gap(round, &fa, prism, &fb, NULL);
        planar(round, fa, polygon, fb, 0.01, NULL);
        double deepest = INFINITY;
        for (int k = 0; k < m.count; k++) deepest = fmin(deepest, m.points[k].gap);
        if (gap.gap > 0.01)
            assert_int_equal(m.count, 0);
        else
            checkNear("deepest", deepest, gap.gap, 1e-10); // exact search: to 1e-10 of 100 m
        // The same pair the other way round.
        const int count = m.count;
        planar(polygon, fb, round, fa, 0.01, NULL);
        assert_int_equal(m.count, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegTouchesWallsByItsCorners),
        cmocka_unit_test(edgeOnEdgeIsTwoVertexEdgeContacts),
        cmocka_unit_test(cornersMeetAsTwoVertexEdgeContacts),
        cmocka_unit_test(cornerStaysBoundToTheEdgeItCameThrough),
        cmocka_unit_test(oneStepThroughAPlateIsNoticed),
        cmocka_unit_test(cornerThatSlidesOffIsFree),
        cmocka_unit_test(noPenetrationOfPolygonsIsMissed),
        cmocka_unit_test(keysStayFromTickToTick),
        cmocka_unit_test(roundShapesTouchWhereTheyAreNearest),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
