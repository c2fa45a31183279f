// Signed distance of convex shapes against slow answers and closed forms.
#include "collide/core.h"
#include "collide_oracle.h"
#include "collide_shapes.h"

#include <float.h>

static const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox, pl_shapePolygon,
                                    pl_shapeHull};

typedef struct {
    const plShape* a;
    const plShape* b;
    plFrame fa, fb;
    plVec3 pointsA[solidVertices], pointsB[solidVertices];
} Case;

static Case now;
static Solid solidA, solidB;

/// Faces of the hull of few points, by trying all triples; of thin hulls, whose merged faces are
/// only nearly flat. A triple that is no face but nearly so does no harm: it lies inside.
static void bruteFaces(Solid* s)
{
    bool joined[solidVertices][solidVertices] = {{false}};
    s->faceCount = s->edgeCount = 0;
    for (int i = 0; i < s->vertexCount; i++) {
        for (int j = i + 1; j < s->vertexCount; j++) {
            for (int k = j + 1; k < s->vertexCount; k++) {
                const plVec3 n = plCross(plSub(s->v[j], s->v[i]), plSub(s->v[k], s->v[i]));
                int above = 0, below = 0;
                for (int m = 0; m < s->vertexCount; m++) {
                    if (m == i || m == j || m == k) continue;
                    const double side = plDot(n, plSub(s->v[m], s->v[i]));
                    above += side > 0, below += side < 0;
                }
                if ((above > 0 && below > 0) || s->faceCount == solidFaces) continue;
                int* f = s->face[s->faceCount];
                s->corners[s->faceCount++] = 3;
                f[0] = i, f[1] = j, f[2] = k;
                joined[i][j] = joined[j][k] = joined[i][k] = true;
            }
        }
    }
    for (int i = 0; i < s->vertexCount; i++) {
        for (int j = i + 1; j < s->vertexCount; j++) {
            if (!joined[i][j] || s->edgeCount == solidEdges) continue;
            s->edge[s->edgeCount][0] = i, s->edge[s->edgeCount++][1] = j;
        }
    }
}

/// `thin`: hulls of few points in general position, which may be as thin as a millionth.
static double oracle(bool thin)
{
    solidOf(now.a, &now.fa, &solidA);
    solidOf(now.b, &now.fb, &solidB);
    if (thin && now.a->kind == pl_shapeHull) bruteFaces(&solidA);
    if (thin && now.b->kind == pl_shapeHull) bruteFaces(&solidB);
    return signedDistance(&solidA, &solidB);
}

static double sizeNow(void)
{
    return now.a->size + now.b->size + plNorm(plSub(now.fa.x, now.fb.x));
}

typedef enum { apart, overlapping, concentric, touching, placementCount } Placement;

/// Orientations are random, equal or a quarter turn apart; the way between the shapes is random or
/// along an axis of the first.
static void placePair(plRng* rng, Placement placement)
{
    const double choice = plRng_Uniform(rng, 0, 1);
    const plMat3 quarter = plRotation(plRotor(plVec(0, 0, 1), PL_PI / 2));
    now.fa = (plFrame){plVec(0, 0, 0), randomRotation(rng)};
    now.fb = (plFrame){plVec(0, 0, 0), randomRotation(rng)};
    if (choice < 0.1) now.fb.R = now.fa.R;
    if (choice >= 0.1 && choice < 0.2) now.fb.R = plMatMul(&now.fa.R, &quarter);
    plVec3 way = randomDirection(rng);
    if (plRng_Uniform(rng, 0, 1) < 0.2) way = plMul(&now.fa.R, plVec(1, 0, 0));
    const double size = now.a->size + now.b->size;
    double distance = placement == apart        ? plRng_Uniform(rng, 0.3, 3)
                      : placement == concentric ? 0
                                                : plRng_Uniform(rng, 0, 0.5);
    now.fb.x = plScale(size * distance, way);
    if (placement != touching) return;
    // Moved to touch, then apart or together by up to a hundredth of the size.
    now.fb.x = plScale(size, way);
    plGap g = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, NULL);
    for (int i = 0; i < 40 && fabs(g.gap) > 1e-12 * size; i++) {
        now.fb.x = plAddScaled(now.fb.x, g.gap, g.n);
        g = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, NULL);
    }
    distance = size * pow(10, plRng_Uniform(rng, -16, -2));
    if (plRng_Uniform(rng, 0, 1) < 0.5) distance = -distance;
    now.fb.x = plAddScaled(now.fb.x, -distance, g.n);
}

typedef struct {
    double error, points;
    int iterations, slow, count;
} Worst;

/// The normal parts the solids by their gap, in proof of it: to 1e-10 of the scale where that is asked. Between edges
/// or corners that are farther apart than that, the direction of the gap is known to round-off of the places over it.
static void checkParts(double gap, plVec3 n, double size)
{
    const double near = 1e-10,
                 off = gap + widthAlong(&solidA, &solidB, n) + solidA.radius + solidB.radius;
    const double core = (gap + solidA.radius + solidB.radius) / size;
    checkAtMost("parted by less", off / size, 1e-9 + (core > near ? 8 * DBL_EPSILON / core : 0));
}

static void checkPair(bool thin, Worst* worst)
{
    const plGap g = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, NULL);
    const double size = sizeNow(), expected = oracle(thin);
    const double error = fabs(g.gap - expected) / size;
    const plVec3 off = plSub(plSub(g.a, g.b), plScale(g.gap, g.n));
    if (!(error <= 1e-9) || !g.exact) {
        print_error("%s %s of sizes %g %g: gap %.17g, expected %.17g, exact %d\n",
                    plShapeKind_Name((int)now.a->kind), plShapeKind_Name((int)now.b->kind),
                    now.a->size, now.b->size, g.gap, expected, g.exact);
        fail();
    }
    checkNear("length of the normal", plNorm(g.n), 1, 1e-14);
    checkParts(g.gap, g.n, size);
    // The points carry the same numbers as the gap; the slow ways find them by a second search.
    checkAtMost("a - b - gap n", plNorm(off) / size, g.slow ? 1e-6 : 1e-9);
    // Both points are of their shapes. Of a hull's merged faces that is known to plFlat.
    checkAtMost("point of a", fabs(plShape_Nearest(now.a, plInto(&now.fa, g.a)).distance) / size,
                g.slow ? 1e-6 : 2e-7);
    checkAtMost("point of b", fabs(plShape_Nearest(now.b, plInto(&now.fb, g.b)).distance) / size,
                g.slow ? 1e-6 : 2e-7);
    worst->error = fmax(worst->error, error);
    worst->points = fmax(worst->points, plNorm(off) / size);
    worst->slow += g.slow;
    worst->count++;
    if (g.iterations > worst->iterations) worst->iterations = g.iterations;
}

static void checkKinds(plShapeKind a, plShapeKind b, int count, uint64_t seed, int vertices)
{
    plRng rng = plRng_Seed(seed);
    Worst worst = {0};
    for (int i = 0; i < count; i++) {
        shapesBegin();
        // Sizes from 1e-4 to 1e3 m; a third of the pairs differ by up to a hundred.
        const double size = pow(10, plRng_Uniform(&rng, -4, 3));
        const bool unlike = plRng_Uniform(&rng, 0, 1) < 0.3;
        const double other = size * (unlike ? pow(10, plRng_Uniform(&rng, -2, 2)) : 1);
        now.a = randomConvex(&rng, a, size, now.pointsA, vertices);
        now.b = randomConvex(&rng, b, other, now.pointsB, vertices);
        if (!now.a || !now.b) continue;
        placePair(&rng, (Placement)(i % placementCount));
        checkPair(true, &worst);
    }
    print_message("%-8s %-8s %d pairs: error %.1e, points %.1e, iterations %d, slow %d\n",
                  plShapeKind_Name((int)a), plShapeKind_Name((int)b), worst.count, worst.error,
                  worst.points, worst.iterations, worst.slow);
    // The documented limits of both searches.
    checkAtMost("iterations", worst.iterations, 64 + 255);
    checkAtMost("share of slow pairs", (double)worst.slow / (worst.count + 1), 0.01);
}

static void gapOfEveryConvexPairEqualsTheOracle(void** state)
{
    (void)state;
    for (int i = 0; i < PL_COUNT(kinds); i++) {
        for (int j = i; j < PL_COUNT(kinds); j++) {
            checkKinds(kinds[i], kinds[j], sized(400, 100000), (uint64_t)(10 * i + j), 20);
        }
    }
}

/// Larger hulls, stout ones and ones of grid points with many flat and parallel faces.
static void gapOfLargeHullsEqualsTheOracle(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(77);
    Worst worst = {0};
    for (int i = 0; i < sized(120, 20000); i++) {
        shapesBegin();
        const plAllocator allocator = plDefaultAllocator();
        const plShape** shapes[2] = {&now.a, &now.b};
        bool good = true;
        for (int k = 0; k < 2; k++) {
            plVec3* points = k == 0 ? now.pointsA : now.pointsB;
            plShapeDef def = plDefaultShapeDef(pl_shapeHull);
            const plVec3 sides = {plRng_Uniform(&rng, 0.3, 1), plRng_Uniform(&rng, 0.3, 1), 1};
            def.points = points;
            def.pointCount = randomPoints(&rng, sides, 100, i % 2 == 0, points);
            good &= plShape_Create(&def, &shapeArena, &allocator, shapes[k], NULL) == pl_statusOk;
        }
        if (!good) continue;
        placePair(&rng, (Placement)(i / 2 % placementCount));
        checkPair(false, &worst);
    }
    print_message("large hulls %d pairs: error %.1e, iterations %d, slow %d\n", worst.count,
                  worst.error, worst.iterations, worst.slow);
}

static void aGuessDoesNotChangeTheGap(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(5);
    for (int i = 0; i < sized(100, 2000); i++) {
        plGuess guess = {0};
        shapesBegin();
        now.a = randomConvex(&rng, kinds[i % 5], 1, now.pointsA, 60);
        now.b = randomConvex(&rng, kinds[i / 5 % 5], 1, now.pointsB, 60);
        if (!now.a || !now.b) continue;
        placePair(&rng, (Placement)(i % placementCount));
        const plVec3 axis = randomDirection(&rng), way = randomDirection(&rng);
        for (int step = 0; step < 50; step++) {
            const plMat3 R = plRotation(plRotor(axis, 0.02));
            now.fb.R = plMatMul(&R, &now.fb.R);
            now.fb.x = plAddScaled(now.fb.x, 0.02, way);
            const plGap warm = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, &guess);
            const plGap cold = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, NULL);
            // Both are exact to 1e-10 of the pair's size, which is at most 8 here.
            checkNear("gap", warm.gap, cold.gap, 2e-9);
        }
        // A guess from other shapes is only a bad guess.
        guess = (plGuess){.count = 4, .a = {65535, 3, 1, 0}, .b = {2, 65535, 0, 0}};
        const plGap odd = plCollide_Gap(now.a, &now.fa, now.b, &now.fb, &guess);
        checkNear("gap", odd.gap, plCollide_Gap(now.a, &now.fa, now.b, &now.fb, NULL).gap, 2e-9);
    }
}

/// Where solids are clearly apart the quick search is the one that answers, with bounds that meet.
static void solidsApartAreAnsweredQuickly(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(31);
    int asked = 0, answered = 0, steps = 0;
    double error = 0, bounds = 0;
    for (int i = 0; i < sized(1000, 100000); i++) {
        shapesBegin();
        now.a = randomConvex(&rng, kinds[i % 5], 1, now.pointsA, 20);
        now.b = randomConvex(&rng, kinds[i / 5 % 5], 1, now.pointsB, 20);
        if (!now.a || !now.b) continue;
        placePair(&rng, apart);
        plCore a, b;
        plCore_Set(&a, now.a);
        plCore_Set(&b, now.b);
        const plCorePair pair = plCorePair_Of(&a, &now.fa, &b, &now.fb);
        const double distance = oracle(true) + a.radius + b.radius, size = sizeNow();
        plWitness w;
        if (!(distance > 1e-2 * size)) continue;
        asked++;
        if (!plGjkQuick(&pair, NULL, &w)) continue;
        const plVertex low = plCorePair_Support(&pair, plScale(-1, w.n), NULL);
        answered++;
        steps += w.iterations;
        error = fmax(error, fabs(w.d - distance) / size);
        bounds = fmax(bounds, (w.d - plDot(w.n, low.w)) / size);
    }
    print_message("%d of %d answered, %.2f steps each, error %.1e, bounds apart by %.1e\n",
                  answered, asked, (double)steps / answered, error, bounds);
    // The bounds meet to 4 units of round-off; the oracle knows thin solids no better than that.
    checkAtMost("bounds", bounds, 2e-15);
    checkAtMost("error", error, 1e-9);
    checkAtMost("share left to the careful search", 1 - (double)answered / asked, 0.01);
}

static void closedFormsHold(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* ball = makeSphere(0.3);
    const plShape* rod = makeCapsule(0.1, 2);
    const plShape* box = makeBox(0.5, 0.4, 0.3);
    const plShape* floor = makePlane(plVec(0, 0, 1));
    const plFrame home = placed(0, 0, 0);
    plFrame f = placed(0, 0, 1);
    // Tolerances: a few roundings of numbers around 1.
    checkNear("ball ball", plCollide_Gap(ball, &f, ball, &home, NULL).gap, 0.4, 1e-15);
    checkNear("ball rod", plCollide_Gap(ball, &f, rod, &home, NULL).gap, 0.6, 1e-15);
    checkNear("ball box", plCollide_Gap(ball, &f, box, &home, NULL).gap, 0.4, 1e-15);
    checkNear("ball floor", plCollide_Gap(ball, &f, floor, &home, NULL).gap, 0.7, 1e-15);
    f = placed(0, 0, 0);
    checkNear("ball in ball", plCollide_Gap(ball, &f, ball, &home, NULL).gap, -0.6, 1e-15);
    checkNear("ball in box", plCollide_Gap(ball, &f, box, &home, NULL).gap, -0.6, 1e-15);
    checkNear("box in box", plCollide_Gap(box, &f, box, &home, NULL).gap, -0.6, 1e-15);
    f = turned(0, 0, 0.55, plVec(0, 0, 1), 0.3);
    checkNear("box on box", plCollide_Gap(box, &f, box, &home, NULL).gap, -0.05, 1e-15);
    // On its edge, turned by 45 degrees about x: the edge is sqrt(0.4^2 + 0.3^2) sin(45 + ...) low.
    f = turned(0, 0, 1, plVec(1, 0, 0), PL_PI / 4);
    checkNear("box on edge", plCollide_Gap(box, &f, floor, &home, NULL).gap, 1 - 0.7 * sqrt(0.5),
              1e-15);
    checkNear("mirrored", plCollide_Gap(floor, &home, box, &f, NULL).n.z, -1, 1e-15);
}

static void aPlaceThatIsNoNumberIsFar(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* box = makeBox(0.5, 0.4, 0.3);
    const plFrame home = placed(0, 0, 0), lost = placed(NAN, 0, 0);
    assert_true(plCollide_Gap(box, &home, box, &lost, NULL).gap > 1e300);
    assert_false(plCollide_Gap(box, &home, box, &lost, NULL).exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closedFormsHold),
        cmocka_unit_test(gapOfEveryConvexPairEqualsTheOracle),
        cmocka_unit_test(gapOfLargeHullsEqualsTheOracle),
        cmocka_unit_test(solidsApartAreAnsweredQuickly),
        cmocka_unit_test(aGuessDoesNotChangeTheGap),
        cmocka_unit_test(aPlaceThatIsNoNumberIsFar),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
