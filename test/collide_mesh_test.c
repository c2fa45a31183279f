// Contacts with triangle meshes: the whole surface counts, not its triangles.
#include "collide_shapes.h"

#include "collide/collide.h"

static plManifold m;

enum { cells = 12 };

/// A floor of `cells` x `cells` squares of 0.1 m about the origin, cut along alternating diagonals.
static const plShape* makeFloor(double (*height)(double x, double y))
{
    static plVec3 points[(cells + 1) * (cells + 1)];
    static int triangles[6 * cells * cells];
    int t = 0;
    for (int i = 0; i <= cells; i++) {
        for (int k = 0; k <= cells; k++) {
            const double x = 0.1 * (i - cells / 2), y = 0.1 * (k - cells / 2);
            points[i * (cells + 1) + k] = plVec(x, y, height ? height(x, y) : 0);
        }
    }
    for (int i = 0; i < cells; i++) {
        for (int k = 0; k < cells; k++) {
            const int a = i * (cells + 1) + k, b = a + cells + 1, c = b + 1, d = a + 1;
            const int one[6] = {a, b, c, a, c, d}, other[6] = {a, b, d, b, c, d};
            for (int j = 0; j < 6; j++) triangles[t++] = (i + k) % 2 ? one[j] : other[j];
        }
    }
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    def.points = points;
    def.pointCount = (cells + 1) * (cells + 1);
    def.triangles = triangles;
    def.triangleCount = t / 3;
    return makeShape(&def);
}

/// The surface of a box as twelve triangles.
static const plShape* makeMeshBox(double x, double y, double z)
{
    static const int triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    plVec3 points[8];
    for (int i = 0; i < 8; i++) points[i] = plVec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    def.points = points;
    def.pointCount = 8;
    def.triangles = triangles;
    def.triangleCount = 12;
    return makeShape(&def);
}

static void nothingCatchesOnTheSeamsOfAFloor(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(31);
    shapesBegin();
    const plShape* floor = makeFloor(NULL);
    const plShape* bodies[4] = {makeSphere(0.07), makeCapsule(0.05, 0.2), makeBox(0.12, 0.08, 0.05),
                                makeBox(0.03, 0.02, 0.04)};
    const double heights[4] = {0.07, 0.05, 0.05, 0.04};
    const int counts[4] = {1, 2, 4, 4};
    const plFrame home = placed(0, 0, 0);
    for (int i = 0; i < sized(4000, 200000); i++) {
        const int k = i % 4;
        // In by up to a tenth of a millimetre, or over by half the reach; sometimes on a seam.
        const double gap = plRng_Uniform(&rng, -1e-4, 5e-4);
        double x = plRng_Uniform(&rng, -0.3, 0.3), y = plRng_Uniform(&rng, -0.3, 0.3);
        double angle = plRng_Uniform(&rng, 0, 6);
        if (i % 5 == 0) x = 0.1 * rint(10 * x);
        if (i % 7 == 0) angle = 0;
        const plFrame f = turned(x, y, heights[k] + gap, plVec(0, 0, 1), angle);
        plCollide_Manifold(bodies[k], &f, floor, &home, 1e-3, NULL, &m);
        assert_int_equal(m.count, counts[k]);
        for (int p = 0; p < m.count; p++) {
            // Witnesses of a gap of 1e-4 know their direction to 1e-16/1e-4 of a metre.
            checkAtMost("normal", plNorm(plSub(m.points[p].n, plVec(0, 0, 1))), 1e-9);
            checkNear("gap", m.points[p].gap, gap, 1e-12);
        }
        if (k < 2) continue;
        // The corners of the lower face.
        for (int c = 0; c < 4; c++) {
            const plVec3 h = bodies[k]->half;
            const plVec3 corner = plOut(&f, plVec(c & 1 ? h.x : -h.x, c & 2 ? h.y : -h.y, -h.z));
            bool found = false;
            for (int p = 0; p < 4; p++) {
                // Contacts nearer than 1e-5 of the body's size are one.
                found |= plNorm(plSub(m.points[p].a, corner)) < 1e-5;
            }
            assert_true(found);
        }
    }
}

/// A ball over the edges and corners of a box of triangles is as near as over the box itself.
static void meshBoxEqualsBox(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(32);
    shapesBegin();
    const plShape* box = makeBox(0.3, 0.2, 0.1);
    const plShape* mesh = makeMeshBox(0.3, 0.2, 0.1);
    const plShape* ball = makeSphere(0.08);
    assert_true(mesh->mesh->closed);
    int touching = 0;
    for (int i = 0; i < sized(5000, 500000); i++) {
        const plFrame home = {randomVector(&rng), randomRotation(&rng)};
        plFrame f = home;
        const plVec3 d = randomDirection(&rng);
        const plVec3 local = plVec(0.4 * d.x, 0.3 * d.y, 0.2 * d.z);
        f.x = plOut(&home, local);
        // On the way out of the mesh's edges and corners the ball must be met from outside.
        const plGap gap = plCollide_Gap(ball, &f, box, &home, NULL);
        if (gap.gap < -0.07) continue;
        plCollide_Manifold(ball, &f, mesh, &home, 0.02, NULL, &m);
        if (gap.gap > 0.02) {
            assert_int_equal(m.count, 0);
            continue;
        }
        touching++;
        assert_int_equal(m.count, 1);
        checkNear("gap", m.points[0].gap, gap.gap, 1e-12);
        // Neighbours may rise above the tangent plane by 1e-6 of their size, 0.7.
        checkAtMost("normal", plNorm(plSub(m.points[0].n, gap.n)), 1e-5);
    }
    assert_true(touching > 500);
}

static void boxOnMeshBoxHasFourCorners(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* small = makeBox(0.1, 0.1, 0.1);
    const plShape* large = makeBox(0.5, 0.5, 0.1);
    const plShape* mesh = makeMeshBox(0.3, 0.2, 0.1);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    const plFrame home = placed(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        // Once the corners are the box's, once the mesh's; once more than an edge hangs over.
        const plFrame f = placed(k == 0 ? 0.25 : 0.1, 0.05, 0.1995);
        plCollide_Manifold(k == 0 ? small : large, &f, mesh, &home, 1e-3, NULL, &m);
        assert_int_equal(m.count, 4);
        for (int i = 0; i < 4; i++) {
            checkAtMost("normal", plNorm(plSub(m.points[i].n, plVec(0, 0, 1))), 1e-9);
            checkNear("gap", m.points[i].gap, -5e-4, 1e-9);
        }
    }
    // Beside the mesh, near the upper edge: pushed sideways, not up.
    const plFrame beside = placed(0.3995, 0, 0.15);
    plCollide_Manifold(small, &beside, mesh, &home, 1e-3, NULL, &m);
    assert_true(m.count >= 2);
    for (int i = 0; i < m.count; i++) {
        checkAtMost("normal", plNorm(plSub(m.points[i].n, plVec(1, 0, 0))), 1e-9);
        checkNear("gap", m.points[i].gap, -5e-4, 1e-9);
    }
    const plFrame resting = placed(0, 0, 0.0995);
    plCollide_Manifold(mesh, &resting, floor, &home, 1e-3, NULL, &m);
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++) checkNear("gap", m.points[i].gap, -5e-4, 1e-12);
}

/// A body that reaches into a closed mesh is noticed, and pushed out about as far as from a solid.
static void bodiesInAMeshAreNoticed(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(34);
    static plVec3 points[40];
    int touching = 0, deeper = 0, shallower = 0;
    for (int i = 0; i < sized(3000, 300000); i++) {
        static const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox,
                                            pl_shapeHull};
        shapesBegin();
        const plShape* box = makeBox(0.3, 0.2, 0.1);
        const plShape* mesh = makeMeshBox(0.3, 0.2, 0.1);
        const plShape* body = randomConvex(&rng, kinds[i % 4], 0.2, points, 20);
        if (!body) continue;
        const plFrame home = {randomVector(&rng), randomRotation(&rng)};
        plFrame f = {home.x, randomRotation(&rng)};
        f.x = plAddScaled(f.x, 2, randomDirection(&rng));
        const plGap far = plCollide_Gap(body, &f, box, &home, NULL);
        // Up to a fiftieth of the body's thickness deep: beyond the half, triangles do not hold it.
        const double thick = body->polytope ? body->polytope->width : body->radius;
        if (thick < 1e-4) continue;
        const double depth = plRng_Uniform(&rng, 1e-6, 0.02 * thick);
        f.x = plAddScaled(f.x, -far.gap - depth, far.n);
        const plGap gap = plCollide_Gap(body, &f, box, &home, NULL);
        if (gap.gap > -1e-7) continue;
        plCollide_Manifold(body, &f, mesh, &home, 0, NULL, &m);
        double deepest = INFINITY;
        for (int k = 0; k < m.count; k++) deepest = fmin(deepest, m.points[k].gap);
        assert_true(m.count > 0);
        // Edges and corners of a mesh are met by triangles that know only their neighbours: some
        // contacts are a part shallower or deeper than the solid's one.
        shallower += deepest > 0.9 * gap.gap;
        deeper += deepest < 10 * gap.gap;
        touching++;
    }
    print_message(
        "%d bodies in the mesh: %d pushed less than nine tenths of the way, %d ten times\n",
        touching, shallower, deeper);
    assert_true(touching > 1000);
    checkAtMost("share pushed too little", (double)shallower / touching, 0.05);
    checkAtMost("share pushed too far", (double)deeper / touching, 0.01);
}

static double hills(double x, double y) { return 0.05 * sin(9 * x) * cos(8 * y); }

/// On a bumpy floor the deepest contact of a ball is where the surface is nearest.
static void ballOnHillsTouchesTheNearestPoint(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(33);
    shapesBegin();
    const plShape* floor = makeFloor(hills);
    const plShape* ball = makeSphere(0.06);
    const plFrame home = placed(0, 0, 0);
    for (int i = 0; i < sized(3000, 300000); i++) {
        const double x = plRng_Uniform(&rng, -0.4, 0.4), y = plRng_Uniform(&rng, -0.4, 0.4);
        const plFrame f = placed(x, y, hills(x, y) + plRng_Uniform(&rng, 0.02, 0.08));
        const plNearest q = plShape_Nearest(floor, f.x);
        plCollide_Manifold(ball, &f, floor, &home, 1e-3, NULL, &m);
        double deepest = INFINITY;
        for (int k = 0; k < m.count; k++) deepest = fmin(deepest, m.points[k].gap);
        if (q.distance - 0.06 > 1e-3)
            assert_int_equal(m.count, 0);
        else
            checkNear("deepest", deepest, q.distance - 0.06, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothingCatchesOnTheSeamsOfAFloor),
        cmocka_unit_test(meshBoxEqualsBox),
        cmocka_unit_test(boxOnMeshBoxHasFourCorners),
        cmocka_unit_test(bodiesInAMeshAreNoticed),
        cmocka_unit_test(ballOnHillsTouchesTheNearestPoint),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
