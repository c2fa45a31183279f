// Manifolds: which contacts two convex shapes have, and under which keys.
#include "collide_shapes.h"

#include "collide/collide.h"

static plManifold m;

static void contactsOf(const plShape* a, plFrame fa, const plShape* b, plFrame fb, double reach)
{
    plCollide_Manifold(a, &fa, b, &fb, reach, NULL, &m);
}

static bool hasPointAt(plVec3 p, double tolerance)
{
    for (int i = 0; i < m.count; i++) {
        if (plNorm(plSub(m.points[i].a, p)) <= tolerance) return true;
    }
    return false;
}

static void checkNormals(plVec3 n, double tolerance)
{
    for (int i = 0; i < m.count; i++) {
        checkAtMost("normal", plNorm(plSub(m.points[i].n, n)), tolerance);
    }
}

static void boxRestsOnItsFourCorners(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* box = makeBox(0.1, 0.2, 0.3);
    const plShape* table = makeBox(1, 1, 0.5);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    const plVec3 up = {0, 0, 1};
    for (int k = 0; k < 3; k++) {
        const double gap = (k - 1) * 1e-3; // in, at and over the surface
        contactsOf(box, placed(0, 0, 0.3 + gap), floor, placed(0, 0, 0), 2e-3);
        assert_int_equal(m.count, 4);
        checkNormals(up, 1e-15);
        contactsOf(box, placed(0, 0, 0.8 + gap), table, placed(0, 0, 0), 2e-3);
        assert_int_equal(m.count, 4);
        checkNormals(up, 1e-15);
        for (int i = 0; i < 4; i++) {
            const plVec3 corner = plVec(i & 1 ? 0.1 : -0.1, i & 2 ? 0.2 : -0.2, 0.5 + gap);
            assert_true(hasPointAt(corner, 1e-12));
            checkNear("gap", m.points[i].gap, gap, 1e-15);
        }
    }
    contactsOf(box, placed(0, 0, 0.803), table, placed(0, 0, 0), 2e-3);
    assert_int_equal(m.count, 0);
}

static void overhangingBoxTouchesWhereTheyOverlap(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* box = makeBox(0.5, 0.5, 0.5);
    contactsOf(box, placed(0.7, 0.2, 0.999), box, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) {
        const plVec3 corner = plVec(i & 1 ? 0.5 : 0.2, i & 2 ? 0.5 : -0.3, 0.499);
        assert_true(hasPointAt(corner, 1e-12));
    }
}

/// A quarter of a right angle makes an octagon of eight contacts; the four kept span most of it.
static void octagonIsReducedToFour(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* box = makeBox(0.5, 0.5, 0.5);
    const plFrame top = turned(0, 0, 0.999, plVec(0, 0, 1), PL_PI / 4);
    contactsOf(box, top, box, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 4);
    plVec3 lo = {1, 1, 1}, hi = {-1, -1, -1};
    for (int i = 0; i < 4; i++) {
        const plVec3 p = m.points[i].a;
        lo = plVec(fmin(lo.x, p.x), fmin(lo.y, p.y), 0);
        hi = plVec(fmax(hi.x, p.x), fmax(hi.y, p.y), 0);
    }
    // The octagon is 1 wide; four corners of it span at least (1 + sqrt(1/2))/2 each way.
    checkAtMost("narrow", 0.85, hi.x - lo.x);
    checkAtMost("narrow", 0.85, hi.y - lo.y);
}

static void segmentsTouchAtTheirEnds(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* rod = makeCapsule(0.1, 1);
    const plShape* box = makeBox(0.3, 1, 0.5);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    contactsOf(rod, placed(0, 0, 0.0995), floor, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 2);
    assert_true(hasPointAt(plVec(0.5, 0, -0.0005), 1e-12));
    contactsOf(rod, placed(0, 0, 0.5995), box, placed(0, 0, 0), 1e-3); // over both of its borders
    assert_int_equal(m.count, 2);
    assert_true(hasPointAt(plVec(0.3, 0, 0.4995), 1e-12));
    assert_true(hasPointAt(plVec(-0.3, 0, 0.4995), 1e-12));
    contactsOf(box, placed(0, 0, -0.5995), rod, placed(0, 0, 0), 1e-3); // the other way round
    assert_int_equal(m.count, 2);
    checkNormals(plVec(0, 0, -1), 1e-12);
    contactsOf(rod, placed(0.4, 0, 0.1995), rod, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 2);
    checkNormals(plVec(0, 0, 1), 1e-12);
    contactsOf(rod, turned(0, 0, 0.1995, plVec(0, 0, 1), 1), rod, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 1);
    checkNear("gap", m.points[0].gap, -0.0005, 1e-12);
}

// 24 mm of a finger on a face of 20 mm, a little askew: it lies on the face, though an end hangs deeper.
static void overhangingSegmentsLieOnTheFace(void** state)
{
    (void)state;
    static const double tilts[] = {0, 1e-6, 1e-5, 1e-4};
    shapesBegin();
    const plShape* rod = makeCapsule(0.006, 0.024);
    const plShape* box = makeBox(0.01, 0.01, 0.04);
    for (int i = 0; i < PL_COUNT(tilts); ++i) {
        for (double depth = 0; depth < 3.1e-3; depth += 1e-3) {
            contactsOf(rod, turned(0, 0, 0.046 - depth, plVec(0, 1, 0), tilts[i]), box,
                       placed(0, 0, 0), 1e-3);
            assert_int_equal(m.count, 2);
            checkNormals(plVec(0, 0, 1), 2e-4);
        }
    }
    contactsOf(rod, turned(0, 0, 0.046, plVec(0, 1, 0), 0.1), box, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 1);
}

static void edgesTouchAlongTheirOverlap(void** state)
{
    (void)state;
    shapesBegin();
    // Two boxes on edge, ridge on ridge; then crossed.
    const plShape* box = makeBox(0.5, 0.1, 0.1);
    const double ridge = 0.1 * sqrt(2);
    const plFrame low = turned(0, 0, 0, plVec(1, 0, 0), PL_PI / 4);
    const plFrame high = turned(0.3, 0, 2 * ridge + 5e-4, plVec(1, 0, 0), PL_PI / 4);
    contactsOf(box, high, box, low, 1e-3);
    assert_int_equal(m.count, 2);
    assert_true(hasPointAt(plVec(0.5, 0, ridge + 5e-4), 1e-9));
    assert_true(hasPointAt(plVec(-0.2, 0, ridge + 5e-4), 1e-9));
    plFrame crossed = high;
    const plMat3 quarter = plRotation(plRotor(plVec(0, 0, 1), 1));
    crossed.R = plMatMul(&quarter, &high.R);
    contactsOf(box, crossed, box, low, 1e-3);
    assert_int_equal(m.count, 1);
    checkNormals(plVec(0, 0, 1), 1e-9);
    checkNear("gap", m.points[0].gap, 5e-4, 1e-12);
}

// --- every kind

static const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox, pl_shapePolygon,
                                    pl_shapeHull};

static void checkPoint(const plPoint* p, const plShape* a, const plFrame* fa, const plShape* b,
                       const plFrame* fb, double reach)
{
    checkNear("length of the normal", plNorm(p->n), 1, 1e-13);
    checkNear("gap", p->gap, plDot(p->n, plSub(p->a, p->b)), 1e-9);
    checkAtMost("gap", p->gap, reach);
    checkAtMost("local a", plNorm(plSub(plOut(fa, p->localA), p->a)), 1e-13);
    checkAtMost("local b", plNorm(plSub(plOut(fb, p->localB), p->b)), 1e-13);
    // One point is of a surface; the other lies over it along n, and inside when both go deep. The
    // clipping tolerance is 1e-6.
    const double da = plShape_Nearest(a, p->localA).distance;
    const double db = plShape_Nearest(b, p->localB).distance;
    checkAtMost("point of a outside by", da, 5e-6);
    checkAtMost("point of b outside by", db, 5e-6);
    checkAtMost("neither on a surface", fmin(fabs(da), fabs(db)), 5e-6);
}

static void everyManifoldHoldsTheDeepestContact(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(21);
    static plVec3 pointsA[64], pointsB[64];
    int touching = 0, faces = 0;
    for (int i = 0; i < sized(4000, 400000); i++) {
        const double reach = i % 3 == 0 ? 0 : 0.02;
        plGuess guess = {0};
        shapesBegin();
        const plShape* a = randomConvex(&rng, kinds[i % 5], 1, pointsA, 40);
        const plShape* b = randomConvex(&rng, kinds[i / 5 % 5], 1, pointsB, 40);
        if (!a || !b) continue;
        plFrame fa = {randomVector(&rng), randomRotation(&rng)},
                fb = {{0, 0, 0}, randomRotation(&rng)};
        if (i % 7 == 0) fb.R = fa.R;
        const plVec3 way = randomDirection(&rng);
        fb.x = plAddScaled(fa.x, a->size + b->size, way);
        const plGap far = plCollide_Gap(a, &fa, b, &fb, NULL);
        // Along the nearest way, to between a fifth deep and a little over the reach.
        fb.x = plAddScaled(fb.x, far.gap - plRng_Uniform(&rng, -0.2, 0.04), far.n);
        const plGap gap = plCollide_Gap(a, &fa, b, &fb, NULL);
        plCollide_Manifold(a, &fa, b, &fb, reach, &guess, &m);
        double deepest = INFINITY;
        for (int k = 0; k < m.count; k++) {
            checkPoint(&m.points[k], a, &fa, b, &fb, reach);
            if (k > 0) assert_true(m.points[k].key > m.points[k - 1].key);
            deepest = fmin(deepest, m.points[k].gap);
        }
        assert_true(m.count <= 4);
        if (gap.gap > reach) assert_int_equal(m.count, 0);
        if (gap.gap > reach) continue;
        assert_true(m.count > 0);
        touching++;
        faces += m.count > 2;
        // A face may stand in for an edge where it is as good to 0.05 reach + 1e-6 size; boxes
        // leave out nearly parallel edges, to 1e-6.
        checkNear("deepest gap", deepest, gap.gap,
                  0.05 * reach + 2e-6 * fmin(a->size, b->size) + 2e-6);
    }
    print_message("%d manifolds, %d with three or four points\n", touching, faces);
    assert_true(faces > touching / 20);
}

static void keysStayUnderSmallMotions(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(22);
    shapesBegin();
    const plVec3 house[5] = {
        {-0.2, -0.2, 0}, {0.2, -0.2, 0}, {0.2, 0.1, 0}, {0, 0.3, 0}, {-0.2, 0.1, 0}};
    const plShape* table = makeBox(1, 1, 0.5);
    const plShape* bodies[4] = {makeBox(0.2, 0.3, 0.25), makePolygon(house, 5),
                                makeCapsule(0.1, 0.6), table};
    const double height[4] = {0.75, 1, 0.6, 1};
    for (int k = 0; k < 4; k++) {
        uint64_t keys[4];
        int count = 0;
        plGuess guess = {0};
        for (int step = 0; step < sized(300, 10000); step++) {
            // Trembling by micrometres and microradians around rest. The last one has its corners
            // exactly over those of its support, so it may move by less than the tolerance of the
            // clipping only, 1e-6 of its width.
            const double tremble = k < 3 ? 3e-6 : 1e-7;
            const plVec3 jitter = plScale(tremble, randomVector(&rng));
            plFrame f = turned(jitter.x, jitter.y, height[k] - 2e-4 + jitter.z,
                               randomDirection(&rng), tremble);
            const plFrame home = placed(0, 0, 0);
            if (k < 3) f.x.x += 0.3;
            plCollide_Manifold(bodies[k], &f, table, &home, 1e-3, &guess, &m);
            if (step == 0) count = m.count;
            assert_int_equal(m.count, count);
            assert_true(count == (k == 2 ? 2 : 4));
            for (int i = 0; i < count; i++) {
                if (step == 0) keys[i] = m.points[i].key;
                assert_true(keys[i] == m.points[i].key);
            }
        }
    }
}

/// Twice the same pair with the roles exchanged: the same contacts, mirrored.
static void exchangedRolesMirrorTheContacts(void** state)
{
    (void)state;
    shapesBegin();
    static plManifold other;
    const plShape* box = makeBox(0.2, 0.3, 0.25);
    const plShape* table = makeBox(1, 1, 0.5);
    const plFrame top = turned(0.1, 0.2, 0.7495, plVec(0, 0, 1), 0.4), home = placed(0, 0, 0);
    plCollide_Manifold(box, &top, table, &home, 1e-3, NULL, &m);
    plCollide_Manifold(table, &home, box, &top, 1e-3, NULL, &other);
    assert_int_equal(m.count, 4);
    assert_int_equal(other.count, 4);
    for (int i = 0; i < 4; i++) {
        const uint64_t mirrored = (m.points[i].key & 0x7fff) << 15 | m.points[i].key >> 15;
        bool found = false;
        for (int k = 0; k < 4; k++) {
            const plPoint* p = &other.points[k];
            if (p->key != mirrored) continue;
            found = true;
            checkAtMost("point", plNorm(plSub(p->a, m.points[i].b)), 1e-12);
            checkAtMost("normal", plNorm(plAdd(p->n, m.points[i].n)), 1e-12);
        }
        assert_true(found);
    }
}

static void compoundPiecesHaveKeysOfTheirOwn(void** state)
{
    (void)state;
    shapesBegin();
    plShapeDef pieces[3];
    for (int i = 0; i < 3; i++) {
        pieces[i] = plDefaultShapeDef(pl_shapeBox);
        pieces[i].half = plVec(0.1, 0.1, 0.1);
        pieces[i].frame.p.x = 0.5 * (i - 1);
    }
    pieces[2].kind = pl_shapeSphere, pieces[2].radius = 0.1;
    plShapeDef def = plDefaultShapeDef(pl_shapeCompound);
    def.pieces = pieces;
    def.pieceCount = 3;
    const plShape* legs = makeShape(&def);
    const plShape* table = makeBox(1, 1, 0.5);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    contactsOf(legs, placed(0, 0, 0.5995), table, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 9);
    contactsOf(table, placed(0, 0, 0), legs, placed(0, 0, 0.5995), 1e-3);
    assert_int_equal(m.count, 9);
    contactsOf(legs, placed(0, 0, 0.0995), floor, placed(0, 0, 0), 1e-3);
    assert_int_equal(m.count, 9);
    for (int i = 1; i < m.count; i++) assert_true(m.points[i].key > m.points[i - 1].key);
    contactsOf(legs, placed(0, 0, 0.1995), legs, placed(0.5, 0, 0), 1e-3);
    assert_int_equal(m.count, 5); // box on box, ball on box
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxRestsOnItsFourCorners),
        cmocka_unit_test(overhangingBoxTouchesWhereTheyOverlap),
        cmocka_unit_test(octagonIsReducedToFour),
        cmocka_unit_test(segmentsTouchAtTheirEnds),
        cmocka_unit_test(overhangingSegmentsLieOnTheFace),
        cmocka_unit_test(edgesTouchAlongTheirOverlap),
        cmocka_unit_test(everyManifoldHoldsTheDeepestContact),
        cmocka_unit_test(keysStayUnderSmallMotions),
        cmocka_unit_test(exchangedRolesMirrorTheContacts),
        cmocka_unit_test(compoundPiecesHaveKeysOfTheirOwn),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
