// Nearest places: local and global, against brute force and closed forms.
#include "nurbses.h"

/// The best of a fine grid over every piece, then the best of finer and finer grids about it. Slow,
/// and knows nothing of seams or derivatives.
static double bruteDistance(const plNurbs* n, plVec3 p)
{
    enum { fine = 12, kept = 60 };
    double least[kept], all = INFINITY;
    int piece[kept];
    double s[kept], t[kept];
    for (int k = 0; k < kept; k++) least[k] = INFINITY;
    for (int i = 0; i < (fine + 1) * plNurbs_Pieces(n); i++) {
        // Each line of a grid has its best: at a tip all of them are the same place.
        const double x = (double)(i % (fine + 1)) / fine;
        double best = INFINITY, y = 0;
        for (int m = 0; m <= fine; m++) {
            const plUv at = plNurbs_UvOf(n, i / (fine + 1), x, (double)m / fine);
            const double d = plNorm(plSub(p, plNurbs_Place(n, at)));
            if (d < best) best = d, y = (double)m / fine;
        }
        int k = kept - 1;
        if (!(best < least[k])) continue;
        for (; k > 0 && best < least[k - 1]; k--) {
            least[k] = least[k - 1], piece[k] = piece[k - 1], s[k] = s[k - 1], t[k] = t[k - 1];
        }
        least[k] = best, piece[k] = i / (fine + 1), s[k] = x, t[k] = y;
    }
    for (int k = 0; k < kept && isfinite(least[k]); k++) {
        double h = 1.0 / fine;
        for (int round = 0; round < 400 && h > 1e-10; round++) {
            const double s0 = s[k], t0 = t[k], before = least[k];
            for (int m = 0; m < 25; m++) {
                const double x = fmin(1, fmax(0, s0 + h * (m / 5 - 2) / 2));
                const double y = fmin(1, fmax(0, t0 + h * (m % 5 - 2) / 2));
                const double d =
                    plNorm(plSub(p, plNurbs_Place(n, plNurbs_UvOf(n, piece[k], x, y))));
                if (d < least[k]) least[k] = d, s[k] = x, t[k] = y;
            }
            if (!(least[k] < before)) h *= 0.6; // valleys next to a tip are long and narrow
        }
        all = fmin(all, least[k]);
    }
    return all;
}

static plVec3 randomPoint(plRng* rng, const plBounds* b, double grow)
{
    const plVec3 half = plScale(0.5 * grow, plSub(b->hi, b->lo));
    const plVec3 c = plScale(0.5, plAdd(b->lo, b->hi));
    return plVec(plRng_Uniform(rng, c.x - half.x, c.x + half.x),
                 plRng_Uniform(rng, c.y - half.y, c.y + half.y),
                 plRng_Uniform(rng, c.z - half.z, c.z + half.z));
}

static double sizeOf(const plNurbs* n, plBounds* b)
{
    const int* order;
    *b = plNurbs_Tree(n, &order)[0].bounds;
    return plNorm(plSub(b->hi, b->lo));
}

/// As brute force: never farther, and nearer only by what brute force misses.
static void checkNearest(const char* name, const plNurbs* n, int count)
{
    plRng rng = plRng_Seed(11);
    plBounds b;
    const double size = sizeOf(n, &b);
    double farther = 0, nearer = 0;
    int unsure = 0;
    for (int i = 0; i < count; i++) {
        const plVec3 p = randomPoint(&rng, &b, i % 2 ? 1 : 2);
        plUv at;
        bool sure;
        const double d = plNurbs_Nearest(n, p, &at, &sure), slow = bruteDistance(n, p);
        checkNear("distance of the spot", plNorm(plSub(p, plNurbs_Place(n, at))), d, 1e-15 * size);
        farther = fmax(farther, (d - slow) / size);
        nearer = fmax(nearer, (slow - d) / size);
        unsure += !sure;
    }
    print_message("%-9s %d points: farther than brute force %.1e, nearer %.1e, unsure %d\n", name,
                  count, farther, nearer, unsure);
    checkAtMost("farther", farther, 1e-9);
    checkAtMost("nearer", nearer, 1e-6);
    assert_true(unsure <= count / 100);
}

static void nearestIsThatOfBruteForce(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    const int count = sized(40, 1000);
    randomNet(1, 3, 3, 8, 8, &net);
    checkNearest("sheet", makeNet(&net), count);
    randomNet(2, 5, 4, 9, 7, &net);
    checkNearest("(5,4)", makeNet(&net), count);
    periodicNet(&net);
    checkNearest("periodic", makeNet(&net), count);
    checkNearest("sphere", makeNurbsSphere(1)->nurbs, count);
    checkNearest("torus", makeNurbsTorus(1, 0.4)->nurbs, count);
    checkNearest("cylinder", makeNurbsCylinder(0.5, 2)->nurbs, count);
    checkNearest("cone", makeNurbsCone(0.5, 1)->nurbs, count);
    checkNearest("teapot", makeTeapot(), count);
}

static void nearestOfTheSphereIsRadial(void** state)
{
    (void)state;
    shapesBegin();
    const double r = 0.2;
    const plNurbs* n = makeNurbsSphere(r)->nurbs;
    plRng rng = plRng_Seed(12);
    double distance = 0, direction = 0;
    for (int i = 0; i < 2000; i++) {
        const plVec3 d = plVec(plRng_Normal(&rng), plRng_Normal(&rng), plRng_Normal(&rng));
        const plVec3 m = i % 20 ? plScale(1 / plNorm(d), d) : plVec(0, 0, i % 40 ? 1 : -1);
        const double far = r * plRng_Uniform(&rng, 0.1, 4);
        plUv at;
        const double found = plNurbs_Nearest(n, plScale(far, m), &at, NULL);
        distance = fmax(distance, fabs(found - fabs(far - r)));
        direction = fmax(direction, plNorm(plSub(plNurbs_Place(n, at), plScale(r, m))));
    }
    print_message("sphere: distance %.1e m, place %.1e m\n", distance, direction);
    checkAtMost("distance", distance, 1e-14);
    checkAtMost("place", direction, 1e-12);
    // At its centre everything is as near.
    plUv at;
    bool sure;
    checkNear("centre", plNurbs_Nearest(n, plVec(0, 0, 0), &at, &sure), r, 1e-15);
    assert_false(sure);
}

/// From a spot a little way off, the place that the point was lifted from.
static void checkProjection(const char* name, const plNurbs* n, int count)
{
    plRng rng = plRng_Seed(13);
    plBounds b;
    const double size = sizeOf(n, &b);
    double worst = 0, steps = 0;
    int crossed = 0, others = 0;
    for (int i = 0; i < count; i++) {
        const plUv foot = randomUv(&rng, n);
        double u[2], v[2];
        plNurbs_Domain(n, foot.patch, u, v);
        const plVec3 S = plNurbs_Place(n, foot);
        const plVec3 p = plAddScaled(S, 1e-3 * size, plNurbs_Normal(n, foot));
        plUv at = foot;
        const double du = 0.02 * (u[1] - u[0]), dv = 0.02 * (v[1] - v[0]);
        crossed += plNurbs_Walk(n, &at, plRng_Uniform(&rng, -du, du),
                                plRng_Uniform(&rng, -dv, dv)) == pl_walkCrossed;
        const int taken = plNurbs_Project(n, p, &at);
        const double d = plNorm(plSub(plNurbs_Place(n, at), p));
        assert_true(taken > 0);
        steps += taken;
        // Where the surface bends more than the point is away, another place may be nearer.
        others += d < 1e-3 * size * (1 - 1e-9);
        if (d >= 1e-3 * size * (1 - 1e-9)) {
            worst = fmax(worst, plNorm(plSub(plNurbs_Place(n, at), S)) / size);
        }
    }
    print_message("%-9s projection: %.1e of the size, %.1f steps, %d over seams, %d elsewhere\n",
                  name, worst, steps / count, crossed, others);
    checkAtMost(name, worst, 1e-12);
    assert_true(others <= count / 50);
}

static void projectionFindsTheFoot(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    randomNet(1, 3, 3, 16, 16, &net);
    checkProjection("sheet", makeNet(&net), 2000);
    periodicNet(&net);
    checkProjection("periodic", makeNet(&net), 2000);
    checkProjection("sphere", makeNurbsSphere(1)->nurbs, 2000);
    checkProjection("torus", makeNurbsTorus(1, 0.4)->nurbs, 2000);
    checkProjection("cylinder", makeNurbsCylinder(0.5, 2)->nurbs, 2000);
    checkProjection("teapot", makeTeapot(), 2000);
}

static void projectionComesOverEdgesAndPoles(void** state)
{
    (void)state;
    shapesBegin();
    // From the side of a cylinder to its cap, and to the rim between both.
    const plNurbs* n = makeNurbsCylinder(1, 2)->nurbs;
    for (int i = 0; i < 64; i++) {
        const double a = 0.1 + 2 * PL_PI * i / 64;
        plUv at = plUvAt(0, 0.5, 0.9);
        plNurbs_Walk(n, &at, 0.063 * i, 0);
        const plVec3 over = plVec(0.9 * cos(a), 0.9 * sin(a), 1.3);
        plUv side;
        plNurbs_Nearest(n, plVec(1.2 * cos(a), 1.2 * sin(a), 0.8), &side, NULL);
        assert_true(plNurbs_Project(n, over, &side) > 0);
        checkNear("above the cap", plNorm(plSub(plNurbs_Place(n, side), over)), 0.3, 1e-12);
        const plVec3 beyond = plVec(1.3 * cos(a), 1.3 * sin(a), 1.4);
        plNurbs_Nearest(n, plVec(1.2 * cos(a), 1.2 * sin(a), 0.8), &side, NULL);
        assert_true(plNurbs_Project(n, beyond, &side) > 0);
        checkNear("beyond the rim", plNorm(plSub(plNurbs_Place(n, side), beyond)), 0.5, 1e-12);
    }
    // From one side of a sphere's pole to the other, and from the pole itself.
    n = makeNurbsSphere(1)->nurbs;
    for (int i = 0; i < 32; i++) {
        const double a = 2 * PL_PI * (i + 0.3) / 32;
        const plVec3 m = plVec(0.1 * cos(a), 0.1 * sin(a), sqrt(0.99));
        plUv at = plUvAt(0, i % 8 / 8.0, i < 16 ? 1 : 0.97);
        assert_true(plNurbs_Project(n, plScale(1.5, m), &at) > 0);
        checkAtMost("over the pole", plNorm(plSub(plNurbs_Place(n, at), m)), 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearestIsThatOfBruteForce),
        cmocka_unit_test(nearestOfTheSphereIsRadial),
        cmocka_unit_test(projectionFindsTheFoot),
        cmocka_unit_test(projectionComesOverEdgesAndPoles),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
