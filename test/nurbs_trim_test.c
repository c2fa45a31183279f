// Patches that curves trim: read from IGES that the test writes, and asked for what is left of them.
#include "collide/track.h"
#include "igeses.h"

// --- a plate of 100 mm with the parameters 0 to 1, its outer boundary and a hole

/// Pointers into the directory are counted as entities are added, from one by two.
static int add(Iges* g, int kind, const char* parameters)
{
    addEntity(g, kind, 0, parameters);
    return g->directoryLines - 1;
}

__attribute__((format(printf, 3, 4))) static int addf(Iges* g, int kind, const char* form, ...)
{
    char text[1024];
    va_list list;
    va_start(list, form);
    vsnprintf(text, sizeof text, form, list);
    va_end(list);
    return add(g, kind, text);
}

static int addPlate(Iges* g)
{
    return add(g, 128,
               "128,1,1,1,1,0,0,1,0,0,0.,0.,1.,1.,0.,0.,1.,1.,1.,1.,1.,1.,"
               "0.,0.,0.,100.,0.,0.,0.,100.,0.,100.,100.,0.,0.,1.,0.,1.;");
}

static int addLine(Iges* g, double a, double b, double c, double d)
{
    return addf(g, 110, "110,%.9f,%.9f,0.,%.9f,%.9f,0.;", a, b, c, d);
}

static int addRectangle(Iges* g, double lo, double hi)
{
    const int a = addLine(g, lo, lo, hi, lo), b = addLine(g, hi, lo, hi, hi);
    const int c = addLine(g, hi, hi, lo, hi), d = addLine(g, lo, hi, lo, lo);
    return addf(g, 102, "102,4,%d,%d,%d,%d;", a, b, c, d);
}

/// A circle about (0.5, 0.5): as one arc, as two, or as a rational B-spline of four quarters.
static int addCircle(Iges* g, double r, int way)
{
    const double lo = 0.5 - r, hi = 0.5 + r, h = sqrt(0.5);
    if (way == 0) return addf(g, 100, "100,0.,0.5,0.5,%.17g,0.5,%.17g,0.5;", hi, hi);
    if (way == 1) {
        const int upper = addf(g, 100, "100,0.,0.5,0.5,%.17g,0.5,%.17g,0.5;", hi, lo);
        const int lower = addf(g, 100, "100,0.,0.5,0.5,%.17g,0.5,%.17g,0.5;", lo, hi);
        return addf(g, 102, "102,2,%d,%d;", upper, lower);
    }
    return addf(g, 126,
                "126,8,2,1,1,0,0,0.,0.,0.,1.,1.,2.,2.,3.,3.,4.,4.,4.,1.,%.17g,1.,%.17g,1.,%.17g,1.,"
                "%.17g,1.,%.17g,.5,0.,%.17g,%.17g,0.,.5,%.17g,0.,%.17g,%.17g,0.,%.17g,.5,0.,%.17g,"
                "%.17g,0.,.5,%.17g,0.,%.17g,%.17g,0.,%.17g,.5,0.,0.,4.,0.,0.,1.;",
                h, h, h, h, hi, hi, hi, hi, lo, hi, lo, lo, lo, lo, hi, lo, hi);
}

static int addBoundary(Iges* g, int surface, int curve)
{
    return addf(g, 142, "142,1,%d,%d,0,1;", surface, curve);
}

/// `lo` of the outer boundary; below 0: it has none of its own.
static Iges* writePlate(double lo, double radius, int way)
{
    Iges* g = newIges();
    const int plate = addPlate(g);
    const int outer = lo < 0 ? 0 : addBoundary(g, plate, addRectangle(g, lo, 1 - lo));
    const int hole = addBoundary(g, plate, addCircle(g, radius, way));
    addf(g, 144, "144,%d,%d,1,%d,%d;", plate, outer > 0, outer, hole);
    finishIges(g, millimetres);
    return g;
}

static const plShape* shapeOf(const Iges* g)
{
    plPatches out;
    plShapeError error;
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    if (parse(g->text, g->length, &out, &error) != pl_statusOk) fail_msg("%s", error.message);
    def.patches = out.patches;
    def.patchCount = out.count;
    def.loops = out.loops;
    def.loopCount = out.loopCount;
    const plShape* shape = makeShape(&def);
    plPatches_Free(&out); // all is copied
    return shape;
}

// --- facts

// Over the whole plate, with the exception of what is as near to a boundary as curves are followed.
static void insideIsBetweenTheBoundaries(void** state)
{
    (void)state;
    const double lo = 0.1, r = 0.25;
    for (int way = 0; way < 3; way++) {
        const plNurbs* n = shapeOf(writePlate(lo, r, way))->nurbs;
        plRng rng = plRng_Seed(7);
        int wrong = 0, near = 0;
        assert_true(plNurbs_Trimmed(n, 0));
        for (int i = 0; i < 100000; i++) {
            const double u = plRng_Uniform(&rng, 0, 1), v = plRng_Uniform(&rng, 0, 1);
            const double d = hypot(u - 0.5, v - 0.5) - r;
            const double e = fmax(fabs(u - 0.5), fabs(v - 0.5)) - (0.5 - lo);
            if (fabs(d) < 2e-5 || fabs(e) < 1e-9) {
                near++;
            } else {
                wrong += plNurbs_Inside(n, plUvAt(0, u, v)) != (d > 0 && e < 0);
            }
        }
        print_message("circle %d: %d of 100000 wrong, %d too near to tell\n", way, wrong, near);
        assert_int_equal(wrong, 0);
    }
}

// How far the line of points is from the circle, by halving from the middle outwards.
static void curvesAreFollowedToATolerance(void** state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        const plNurbs* n = shapeOf(writePlate(0.1, 0.25, way))->nurbs;
        double worst = 0;
        for (int i = 0; i < 1000; i++) {
            const double c = cos(0.00628 * i), s = sin(0.00628 * i);
            double a = 0, b = 0.35;
            for (int k = 0; k < 50; k++) {
                const double m = 0.5 * (a + b);
                *(plNurbs_Inside(n, plUvAt(0, 0.5 + m * c, 0.5 + m * s)) ? &b : &a) = m;
            }
            worst = fmax(worst, fabs(a - 0.25));
        }
        print_message("circle %d: off by %.1e of the patch\n", way, worst);
        checkAtMost("off", worst, 1.1e-5); // that is, 1e-5 and round-off of decimals
    }
}

// Feet of contacts stand on borders exactly, and those of the parameters belong to the patch.
static void borderOfThePatchIsInside(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { // without an outer boundary, and with one that is the border
        const plNurbs* n = shapeOf(writePlate(k == 0 ? -1 : 0, 0.25, 0))->nurbs;
        for (int i = 0; i <= 10; i++) {
            const double x = 0.1 * i;
            const plUv at[4] = {plUvAt(0, x, 0), plUvAt(0, x, 1), plUvAt(0, 0, x), plUvAt(0, 1, x)};
            for (int j = 0; j < 4; j++) assert_true(plNurbs_Inside(n, at[j]));
        }
        assert_true(!plNurbs_Inside(n, plUvAt(0, 0.5, 0.5)));
        assert_true(!plNurbs_Inside(n, plUvAt(0, 0.5, 0.26)));
        assert_true(plNurbs_Inside(n, plUvAt(0, 0.5, 0.24)));
    }
}

static void raysGoThroughTheHole(void** state)
{
    (void)state;
    const plShape* s = shapeOf(writePlate(0.1, 0.25, 2));
    const plVec3 downwards = {0, 0, -1};
    assert_false(plShape_Ray(s, plVec(0.05, 0.05, 1), downwards, 10).hit);  // the hole
    assert_false(plShape_Ray(s, plVec(0.005, 0.05, 1), downwards, 10).hit); // beside the boundary
    assert_true(plShape_Ray(s, plVec(0.05, 0.02, 1), downwards, 10).hit);
    plMass mass;
    plShapeError error;
    assert_int_equal(plShape_Mass(s, 1, &mass, &error), pl_statusBadArgument);
}

// A ball of 5 mm just in the plate: over the middle of the hole, and beside it.
static void ballOverTheHoleTouchesNothing(void** state)
{
    (void)state;
    const plShape* plate = shapeOf(writePlate(0.1, 0.25, 0));
    plShapeDef def = plDefaultShapeDef(pl_shapeSphere);
    def.radius = 0.005;
    const plShape* ball = makeShape(&def);
    for (int k = 0; k < 2; k++) {
        const plFrame ground = {.R = plIdentity3()};
        const plFrame at = {plVec(0.05, k == 0 ? 0.04 : 0.02, 0.0049), plIdentity3()};
        plTracks tracks = {0};
        plManifold touches;
        plCollide_Track(plate, &ground, ball, &at, 1e-3, &tracks, &touches);
        assert_int_equal(touches.count, k);
        if (k == 1) checkNear("gap", touches.points[0].gap, -1e-4, 1e-15);
    }
}

// Staircases: of 64 squares across a piece, each boundary is off by less than half a square.
static void picturesLeaveOutWhatIsCutAway(void** state)
{
    (void)state;
    const plNurbs* n = shapeOf(writePlate(0.1, 0.25, 0))->nurbs;
    int points, triangles;
    plNurbs_Triangles(n, 1e-4, &points, NULL, NULL, &triangles, NULL);
    plVec3* p = calloc((size_t)points, sizeof *p);
    int* t = calloc(3 * (size_t)triangles, sizeof *t);
    assert_true(p && t);
    plNurbs_Triangles(n, 1e-4, &points, p, NULL, &triangles, t);
    double area = 0;
    for (int i = 0; i < triangles; i++) {
        const plVec3 a = p[t[3 * i]], b = p[t[3 * i + 1]], c = p[t[3 * i + 2]];
        area += 0.5 * plNorm(plCross(plSub(b, a), plSub(c, a)));
    }
    const double exact = 0.01 * (0.64 - PL_PI * 0.0625);
    print_message("%d triangles, area %.6f of %.6f m^2\n", triangles, area, exact);
    checkNear("area", area, exact, 0.01 * (4 * 0.8 + 2 * PL_PI * 0.25) / 2 / 64);
    free(p);
    free(t);
}

// Two faces of one surface, and one that nothing trims.
static void facesShareASurface(void** state)
{
    (void)state;
    Iges* g = newIges();
    const int plate = addPlate(g), whole = addPlate(g);
    const int left = addBoundary(g, plate, addRectangle(g, 0.1, 0.3));
    const int right = addBoundary(g, plate, addRectangle(g, 0.6, 0.9));
    addf(g, 144, "144,%d,1,0,%d;", plate, right);
    addf(g, 144, "144,%d,1,0,%d;", plate, left);
    addf(g, 144, "144,%d,0,0,0;", whole);
    finishIges(g, millimetres);
    const plNurbs* n = shapeOf(g)->nurbs;
    assert_true(plNurbs_Inside(n, plUvAt(0, 0.2, 0.2)));
    assert_true(plNurbs_Inside(n, plUvAt(0, 0.7, 0.7)));
    assert_false(plNurbs_Inside(n, plUvAt(0, 0.5, 0.5)));
    assert_false(plNurbs_Inside(n, plUvAt(0, 0.2, 0.7)));
    assert_false(plNurbs_Trimmed(n, 1));
    assert_true(plNurbs_Inside(n, plUvAt(1, 0.5, 0.5)));
}

// A matrix moves the curve in the parameters, not the surface.
static void curvesAreMovedByTheirMatrix(void** state)
{
    (void)state;
    Iges* g = newIges();
    const int plate = addPlate(g);
    const int matrix = add(g, 124, "124,1.,0.,0.,0.2,0.,1.,0.,0.1,0.,0.,1.,0.;");
    addEntity(g, 100, matrix, "100,0.,0.3,0.3,0.4,0.3,0.4,0.3;");
    const int hole = addBoundary(g, plate, g->directoryLines - 1);
    addf(g, 144, "144,%d,0,1,0,%d;", plate, hole);
    finishIges(g, millimetres);
    const plNurbs* n = shapeOf(g)->nurbs;
    assert_false(plNurbs_Inside(n, plUvAt(0, 0.5, 0.4)));
    assert_false(plNurbs_Inside(n, plUvAt(0, 0.59, 0.4)));
    assert_true(plNurbs_Inside(n, plUvAt(0, 0.61, 0.4)));
    assert_true(plNurbs_Inside(n, plUvAt(0, 0.3, 0.3)));
}

/// A plate with one boundary whose curve is told.
static void checkCurve(int kind, const char* curve, const char* word)
{
    Iges* g = newIges();
    const int plate = addPlate(g);
    const int boundary = addBoundary(g, plate, add(g, kind, curve));
    addf(g, 144, "144,%d,1,0,%d;", plate, boundary);
    finishIges(g, millimetres);
    checkRefused(g->text, g->length, 0, word);
}

static void malformedTrimsAreRefused(void** state)
{
    (void)state;
    static const struct {
        int kind;
        const char *curve, *word;
    } cases[] = {
        {110, "110,0.,0.,0.,1.,0.,0.;", "encloses nothing"},
        {100, "100,0.,.5,.5,.8,.5,.2,.5;", "not closed"},
        {100, "100,0.,.5,.5,.5,.5,.5,.5;", "no radius"},
        {102, "102,0;", "no curves"},
        {102, "102,2,3,3;", "too deep"},
        {102, "102,1,1;", "of the kind 128"},
        {102, "102,1,99;", "outside of section D"},
        {102, "102,1,2;", "outside of section D"},
        {112, "112,1;", "of the kind 112"},
        {126, "126,8,20,0,0,0,0;", "out of range"},
        {126, "126,1,2,0,0,0,0;", "out of range"},
        {126, "126,1e9,1,0,0,0,0;", "out of range"},
        {126, "126,1,1,0,0,0,0,1.,0.,1.,1.,1.,1.,0.,0.,0.,1.,1.,0.,0.,1.;", "decrease"},
        {126, "126,1,1,0,0,0,0,0.,0.,1.,1.,1.,0.,0.,0.,0.,1.,1.,0.,0.,1.;", "positive"},
        {126, "126,1,1,0,0,0,0,0.,0.,1.,1.,1.,1.,0.,0.,0.,1.,1.,0.,1.,1.;", "no length"},
        {126, "126,1,1,0,0,0,0,0.,0.,1.,1.,1.,1.,0.,0.,0.,1.,1.,0.,0.,2.;", "outside"},
        {126, "126,1,1,0,0,0,0,0.,0.,1.,1.,1.,1.,0.,x,0.,1.,1.,0.,0.,1.;", "number"},
    };
    for (int i = 0; i < PL_COUNT(cases); i++) {
        checkCurve(cases[i].kind, cases[i].curve, cases[i].word);
    }
    static const struct {
        const char *boundary, *trimmed, *word;
    } others[] = {
        {"142,1,1,0,5,2;", "144,1,1,0,7;", "no curve in the parameters"},
        {"142,1,5,3,0,1;", "144,1,1,0,7;", "another surface"},
        {"142,1,1,3,0,1;", "144,1,1,0,3;", "no curve on a surface"},
        {"142,1,1,3,0,1;", "144,1,1,1,7,0;", "outside of section D"},
        {"142,1,1,3,0,1;", "144,88,1,0,7;", "outside of section D"},
        {"142,1,1,3,0,1;", "144,1,1,1e300,7;", "outside of section D"},
    };
    for (int i = 0; i < PL_COUNT(others); i++) {
        Iges* g = newIges();
        addPlate(g);
        add(g, 100, "100,0.,.5,.5,.8,.5,.8,.5;");
        addLine(g, 0, 0, 1, 1);
        add(g, 142, others[i].boundary);
        add(g, 144, others[i].trimmed);
        finishIges(g, millimetres);
        checkRefused(g->text, g->length, 0, others[i].word);
    }
}

// Curves that name each other again and again would be without end.
static void repeatedCurvesAreBounded(void** state)
{
    (void)state;
    Iges* g = newIges();
    const int plate = addPlate(g);
    int curve = addCircle(g, 0.25, 0);
    for (int depth = 0; depth < 3; depth++) {
        char text[1024] = "102,99";
        for (int i = 0; i < 99; i++) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, ",%d", curve);
        }
        strcat(text, ";");
        curve = add(g, 102, text);
    }
    const int boundary = addBoundary(g, plate, curve);
    addf(g, 144, "144,%d,1,0,%d;", plate, boundary);
    finishIges(g, millimetres);
    checkRefused(g->text, g->length, 0, "too many points");
}

static void cutOffAnywhereItIsRefused(void** state)
{
    (void)state;
    Iges* g = writePlate(0.1, 0.25, 2);
    for (size_t length = 0; length < g->length - 82; length += 7) {
        plPatches out;
        plShapeError error;
        assert_int_not_equal(parse(g->text, length, &out, &error), pl_statusOk);
        assert_true(error.message[0] != '\0');
        assert_null(out.loops);
        assert_null(out.trims);
    }
}

static void badLoopsAreRefused(void** state)
{
    (void)state;
    static Net net;
    const double points[6] = {0, 0, 1, 0, 0, 1}, bad[6] = {0, 0, 1, HUGE_VAL, 0, 1};
    const struct {
        plTrimLoop loop;
        const char* word;
    } cases[] = {{{1, 3, points}, "there is not"},
                 {{-1, 3, points}, "there is not"},
                 {{0, 2, points}, "three points"},
                 {{0, 3, NULL}, "three points"},
                 {{0, 3, bad}, "finite"}};
    randomNet(5, 2, 2, 3, 3, &net);
    for (int i = 0; i < PL_COUNT(cases); i++) {
        const plAllocator allocator = plDefaultAllocator();
        plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
        plArena arena;
        plShapeError error;
        const plShape* shape;
        def.patches = &net.def;
        def.patchCount = 1;
        def.loops = &cases[i].loop;
        def.loopCount = 1;
        assert_int_equal(plArena_Create(&arena, plShape_Memory(&def), &allocator), pl_statusOk);
        assert_int_equal(plShape_Create(&def, &arena, &allocator, &shape, &error),
                         pl_statusBadArgument);
        if (!strstr(error.message, cases[i].word)) fail_msg("%s", error.message);
        plArena_Destroy(&arena, &allocator);
    }
}

static void hasTwoLoops(const plPatches* out) { assert_int_equal(out->loopCount, 2); }

static void readingGivesAllMemoryBack(void** state)
{
    (void)state;
    checkMemory(writePlate(0.1, 0.25, 2), hasTwoLoops);
}

// --- which side is solid

static bool isTold(const char* file, bool* inward)
{
    plPatches out;
    plShapeError error;
    if (plPatches_Load(file, 1, NULL, &out, &error) != pl_statusOk) fail_msg("%s", error.message);
    const bool told = !out.eitherSide;
    *inward = out.inward;
    plPatches_Free(&out);
    return told;
}

static void onlyWhatEnclosesTellsItsSide(void** state)
{
    (void)state;
    bool inward;
    assert_true(isTold("scenes/teapot.bpt", &inward)); // nearly closed
    assert_true(inward);
    assert_true(isTold("test/fuzz/corpus/nurbs_fuzz/sphere.igs", &inward));
    assert_false(inward);
    assert_false(isTold("scenes/knob.igs", &inward)); // a plate, a knob and a ring
    assert_false(inward);
    assert_false(isTold("test/fuzz/corpus/nurbs_fuzz/sheet.igs", &inward));
    assert_false(inward);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insideIsBetweenTheBoundaries),
        cmocka_unit_test(curvesAreFollowedToATolerance),
        cmocka_unit_test(borderOfThePatchIsInside),
        cmocka_unit_test(raysGoThroughTheHole),
        cmocka_unit_test(ballOverTheHoleTouchesNothing),
        cmocka_unit_test(picturesLeaveOutWhatIsCutAway),
        cmocka_unit_test(facesShareASurface),
        cmocka_unit_test(curvesAreMovedByTheirMatrix),
        cmocka_unit_test(malformedTrimsAreRefused),
        cmocka_unit_test(repeatedCurvesAreBounded),
        cmocka_unit_test(cutOffAnywhereItIsRefused),
        cmocka_unit_test(badLoopsAreRefused),
        cmocka_unit_test(readingGivesAllMemoryBack),
        cmocka_unit_test(onlyWhatEnclosesTellsItsSide),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
