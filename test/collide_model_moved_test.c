// Models of gaps at other frames: where the same features are nearest, they agree with a new search.
#include "collide_models.h"

/// Of all motions of a kind, the largest error [m], and how many there were.
typedef struct {
    int count;
    double worst;
} Errors;

/// Moves both parts by about h and compares with a new search, if it ends at the same features.
static void compareMoved(plRng* rng, const Two* t, const plPoint* p, double h, Errors* errors)
{
    static plManifold after;
    plVec3 n;
    const plFrame ga =
        moved(&t->fa, plScale(h, randomDirection(rng)), plScale(h, randomDirection(rng)));
    const plFrame gb =
        moved(&t->fb, plScale(h, randomDirection(rng)), plScale(h, randomDirection(rng)));
    plCollide_Manifold(&t->a, &ga, &t->b, &gb, 0.1, NULL, &after);
    if (after.count != 1 || after.points[0].key != p->key) return;
    if (after.points[0].model.kind != p->model.kind) return;
    const plGap gap = plCollide_Gap(&t->a, &ga, &t->b, &gb, NULL);
    if (fabs(gap.gap - after.points[0].gap) > 1e-12) return; // a face stood in for an edge
    const double error = fabs(plGapModel_Gap(&p->model, &ga, &gb, &n) - gap.gap);
    errors->worst = fmax(errors->worst, error);
    errors->count++;
}

/// A closed form and a search from scratch: where the same features are nearest, they agree, whatever
/// the motion.
static void movedModelsAgreeWithANewSearch(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(64);
    Errors errors[kindCount][2] = {0};
    for (int i = 0; i < sized(20000, 400000); i++) {
        Two t;
        if (!randomTwo(&rng, i, -0.1, 0.09, false, &t)) continue;
        plCollide_Manifold(&t.a, &t.fa, &t.b, &t.fb, 0.1, NULL, &m);
        if (m.count != 1) continue;
        const plPoint* p = &m.points[0];
        const plGap gap = plCollide_Gap(&t.a, &t.fa, &t.b, &t.fb, NULL);
        if (fabs(gap.gap - p->gap) > 1e-12) continue;
        for (int k = 0; k < 2; k++) {
            compareMoved(&rng, &t, p, k ? 1e-4 : 1e-3, &errors[p->model.kind][k]);
        }
    }
    for (int k = 0; k < kindCount; k++) {
        print_message("%-8s %6d moved by 1e-3: %8.1e, %6d by 1e-4: %8.1e\n", kindNames[k],
                      errors[k][0].count, errors[k][0].worst, errors[k][1].count,
                      errors[k][1].worst);
        // Round-off of coordinates of about 5, and of the search.
        for (int j = 0; k != pl_normalFixed && j < 2; j++) {
            assert_true(errors[k][j].count > 20);
            checkAtMost("error", errors[k][j].worst, 1e-13);
        }
    }
}

/// Is the contact still at the same point of one of both parts?
static bool isSamePoint(const plGapModel* p, const plGapModel* q)
{
    return plNorm(plSub(p->a, q->a)) < 1e-9 || plNorm(plSub(p->b, q->b)) < 1e-9;
}

/// Every contact of `before` that has the same features in m, which was searched at ga and gb. The ends
/// of edges that are askew slide over both parts, and are not compared; nor are clipped faces.
static void compareFeatures(const plManifold* before, const plFrame* ga, const plFrame* gb,
                            bool clipped, Errors* errors)
{
    for (int i = 0; i < before->count; i++) {
        const plPoint* p = &before->points[i];
        const bool ofFace = p->model.kind == pl_normalOfA || p->model.kind == pl_normalOfB;
        const double radii = p->model.radiusA + p->model.radiusB;
        // A core within 1e-4 of an edge has a normal that is known to 1e-12 or worse.
        const bool grazes = radii > 0 && fabs(p->gap + radii) < 1e-4;
        if (p->model.kind == pl_normalFixed || (clipped && ofFace) || grazes) continue;
        for (int k = 0; k < m.count; k++) {
            const plPoint* q = &m.points[k];
            if (q->key != p->key || q->model.kind != p->model.kind) continue;
            if (p->model.kind != pl_normalEdges && !isSamePoint(&p->model, &q->model)) continue;
            plVec3 n;
            Errors* e = &errors[p->model.kind];
            const double error = fabs(plGapModel_Gap(&p->model, ga, gb, &n) - q->gap);
            e->worst = fmax(e->worst, error);
            e->count++;
        }
    }
}

static void checkErrors(const Errors* errors, int from, int to, double most)
{
    for (int k = from; k <= to; k++) {
        print_message("%-8s %6d moved by 1e-3: %8.1e\n", kindNames[k], errors[k].count,
                      errors[k].worst);
        assert_true(errors[k].count > 20);
        checkAtMost("error", errors[k].worst, most);
    }
}

static void movedModelsOfPlanarPairsAgree(void** state)
{
    (void)state;
    static const plShapeKind planar[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox,
                                         pl_shapePolygon};
    static plVec3 pointsA[64], pointsB[64];
    static plManifold before;
    plRng rng = plRng_Seed(68);
    Errors errors[kindCount] = {0};
    for (int i = 0; i < sized(8000, 100000); i++) {
        const plVec3 up = {0, 0, 1}, x = randomVector(&rng), y = randomVector(&rng);
        const plVec3 dx = plScale(1e-3, randomDirection(&rng));
        const plVec3 dy = plScale(1e-3, randomDirection(&rng));
        shapesBegin();
        const plShape* a = randomConvex(&rng, planar[i % 4], 1, pointsA, 40);
        const plShape* b = randomConvex(&rng, planar[i / 4 % 4], 1, pointsB, 40);
        const plFrame fa = turned(x.x, x.y, 0, up, x.z), fb = turned(y.x, y.y, 0, up, y.z);
        const plFrame ga = turned(x.x + dx.x, x.y + dx.y, 0, up, x.z + dx.z);
        const plFrame gb = turned(y.x + dy.x, y.y + dy.y, 0, up, y.z + dy.z);
        plPlanarMemory one = {0}, two = {0};
        plCollide_Planar(a, &fa, b, &fb, 0.1, &one, &before);
        plCollide_Planar(a, &ga, b, &gb, 0.2, &two, &m);
        compareFeatures(&before, &ga, &gb, false, errors);
    }
    // Sides of 1e-6 have normals that are known to 1e-9 and turn with motions of 1e-3.
    checkErrors(errors, pl_normalOfA, pl_normalAcrossB, 1e-11);
}

static void movedModelsOfMeshesAgree(void** state)
{
    (void)state;
    static plVec3 points[ringPoints * ringCount], hull[64];
    static int triangles[6 * ringPoints * ringCount];
    static plManifold before;
    plRng rng = plRng_Seed(69);
    Errors errors[kindCount] = {0};
    for (int i = 0; i < sized(4000, 40000); i++) {
        shapesBegin();
        const plShapeDef def = torus(points, triangles);
        const plShape ring = shifted(&rng, makeShape(&def));
        const plShape* s = randomConvex(&rng, kinds[i % 5], 0.3, hull, 40);
        if (!s) continue;
        const plShape tool = shifted(&rng, s);
        const bool clipped = tool.kind != pl_shapeSphere;
        const plShape wall = shifted(&rng, makePlane(randomDirection(&rng)));
        const plFrame fa = {randomVector(&rng), randomRotation(&rng)};
        const plFrame fb = {plAddScaled(fa.x, 0.5, randomVector(&rng)), randomRotation(&rng)};
        const plFrame ga =
            moved(&fa, plScale(1e-3, randomDirection(&rng)), plScale(1e-3, randomDirection(&rng)));
        plCollide_Manifold(&tool, &fa, &ring, &fb, 0.02, NULL, &before);
        plCollide_Manifold(&tool, &ga, &ring, &fb, 0.03, NULL, &m);
        compareFeatures(&before, &ga, &fb, clipped, errors);
        plCollide_Manifold(&ring, &fb, &tool, &fa, 0.02, NULL, &before);
        plCollide_Manifold(&ring, &fb, &tool, &ga, 0.03, NULL, &m);
        compareFeatures(&before, &fb, &ga, clipped, errors);
        plCollide_Manifold(&wall, &fa, &ring, &fb, 0.02, NULL, &before);
        plCollide_Manifold(&wall, &ga, &ring, &fb, 0.03, NULL, &m);
        compareFeatures(&before, &ga, &fb, false, errors);
    }
    checkErrors(errors, pl_normalOfA, pl_normalOfB, 1e-13);       // as above
    checkErrors(errors, pl_normalAcrossA, pl_normalEdges, 1e-13); // corners are rarely nearest
}

// --- rolling: the gap stays

/// A ball of radius r over b, with the ground's contact at the top; rolled about y by an angle.
static void checkRolls(const plShape* ball, const plFrame* f, const plShape* ground,
                       const plFrame* home, double reach, const plFrame* rolled, plNormalKind kind)
{
    plVec3 n;
    plCollide_Manifold(ball, f, ground, home, reach, NULL, &m);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.points[0].model.kind, kind);
    const double before = plGapModel_Gap(&m.points[0].model, f, home, &n);
    checkNear("gap", before, m.points[0].gap, 1e-15);
    checkNear("change", plGapModel_Gap(&m.points[0].model, rolled, home, &n) - before, 0, 1e-15);
    plCollide_Manifold(ground, home, ball, f, reach, NULL, &m);
    assert_int_equal(m.points[0].model.kind, plNormalKind_Swapped(kind));
    checkNear("change", plGapModel_Gap(&m.points[0].model, home, rolled, &n) - before, 0, 1e-15);
}

static void rollingBallKeepsItsGap(void** state)
{
    (void)state;
    const double r = 0.1, R = 0.25, angle = 1e-2, gap = -1e-4;
    const plVec3 y = {0, 1, 0};
    shapesBegin();
    const plShape* ball = makeSphere(r);
    const plShape* big = makeSphere(R);
    const plShape* rod = makeCapsule(R, 1);
    static const plVec3 corners[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    plShapeDef def = plDefaultShapeDef(pl_shapeMesh);
    def.points = corners, def.pointCount = 4, def.triangles = triangles, def.triangleCount = 2;
    const plShape* mesh = makeShape(&def);
    const plShape* box = makeBox(1, 1, 0.25);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    const plFrame home = placed(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        const double height = (i == 0 ? 0.25 : 0) + r + gap;
        const plShape* ground = i == 0 ? box : i == 1 ? mesh : floor;
        const plFrame f = placed(0.2, 0.1, height);
        const plFrame rolled = turned(0.2 + r * angle, 0.1, height, y, angle);
        checkRolls(ball, &f, ground, &home, 1e-3, &rolled, pl_normalOfB);
    }
    // On a ball or across a rod, centres stay at one distance; the ball turns by both angles.
    const double far = R + r + gap, both = angle * (1 + R / r);
    const plFrame f = placed(0, 0, far);
    const plFrame rolled = turned(far * sin(angle), 0, far * cos(angle), y, both);
    checkRolls(ball, &f, big, &home, 1e-3, &rolled, pl_normalBetween);
    const plFrame over = turned(0.3, -far * sin(angle), far * cos(angle), plVec(1, 0, 0), both);
    checkRolls(ball, &f, rod, &home, 1e-3, &over, pl_normalAcrossB);
}

/// Rods that lie along each other touch at the ends of their overlap.
static void rollingRodKeepsBothGaps(void** state)
{
    (void)state;
    const double angle = 1e-2, far = 0.35 - 1e-4;
    shapesBegin();
    const plShape* rod = makeCapsule(0.1, 1);
    const plShape* trunk = makeCapsule(0.25, 1.5);
    const plFrame home = placed(0, 0, 0), f = placed(0.6, 0, far);
    const plFrame rolled =
        turned(0.6, -far * sin(angle), far * cos(angle), plVec(1, 0, 0), 3.5 * angle);
    plCollide_Manifold(rod, &f, trunk, &home, 1e-3, NULL, &m);
    assert_int_equal(m.count, 2);
    for (int i = 0; i < 2; i++) {
        plVec3 n;
        const plGapModel* model = &m.points[i].model;
        // An end of one against the other's inside, and the other way round.
        const bool ofA = (m.points[i].key & 1 << 13) == 0;
        assert_int_equal(model->kind, ofA ? pl_normalAcrossB : pl_normalAcrossA);
        checkNear("gap", plGapModel_Gap(model, &rolled, &home, &n), -1e-4, 1e-15);
    }
}

/// The tipped ground takes the ball along: nothing changes but the frames.
static void gapsDoNotSeeCommonMotions(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(65);
    for (int i = 0; i < sized(3000, 50000); i++) {
        Two t;
        if (!randomTwo(&rng, i, -0.1, 0.09, i % 7 == 0, &t)) continue;
        plCollide_Manifold(&t.a, &t.fa, &t.b, &t.fb, 0.1, NULL, &m);
        const plVec3 turn = plScale(0.5, randomDirection(&rng));
        const plFrame by = {randomVector(&rng), plRotation(plExp(turn))};
        const plFrame ga = plFrameMul(&by, &t.fa), gb = plFrameMul(&by, &t.fb);
        for (int k = 0; k < m.count; k++) {
            const plPoint* p = &m.points[k];
            if (p->model.kind == pl_normalFixed) continue;
            plVec3 n, then;
            const double before = plGapModel_Gap(&p->model, &t.fa, &t.fb, &then);
            checkNear("gap", plGapModel_Gap(&p->model, &ga, &gb, &n), before, 2e-13);
            checkAtMost("normal", plNorm(plSub(n, plMul(&by.R, then))), 2e-9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(movedModelsAgreeWithANewSearch),
        cmocka_unit_test(movedModelsOfPlanarPairsAgree),
        cmocka_unit_test(movedModelsOfMeshesAgree),
        cmocka_unit_test(rollingBallKeepsItsGap),
        cmocka_unit_test(rollingRodKeepsBothGaps),
        cmocka_unit_test(gapsDoNotSeeCommonMotions),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
