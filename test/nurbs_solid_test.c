// Sculpted shapes as solids: mass, sides, rays, bounds, triangles, and definitions that are none.
#include "nurbses.h"

static void checkSolid(const char* name, const plShape* s, double volume, plVec3 center,
                       plMat3 inertia)
{
    plMass m;
    plShapeError error;
    assert_int_equal(plShape_Mass(s, 1, &m, &error), pl_statusOk);
    const double about = plNorm(inertia.x);
    const plMat3 off = plMatAdd(&m.inertia, -1, &inertia);
    const double e = fmax(plNorm(off.x), fmax(plNorm(off.y), plNorm(off.z))) / about;
    print_message("%-9s volume %.1e, centre %.1e, inertia %.1e\n", name, m.mass / volume - 1,
                  plNorm(plSub(m.center, center)), e);
    checkNear("volume", m.mass / volume, 1, 1e-12);
    checkAtMost("centre", plNorm(plSub(m.center, center)), 1e-13);
    checkAtMost("inertia", e, 1e-12);
}

static void massesEqualClosedForms(void** state)
{
    (void)state;
    shapesBegin();
    const plVec3 o = {0, 0, 0};
    const double r = 0.3, l = 0.8, R = 0.5, t = 0.2;
    double V = 4 * PL_PI / 3 * r * r * r;
    checkSolid("sphere", makeNurbsSphere(r), V, o,
               plDiagonal3(0.4 * V * r * r, 0.4 * V * r * r, 0.4 * V * r * r));
    V = PL_PI * r * r * l;
    double across = V * (r * r / 4 + l * l / 12);
    checkSolid("cylinder", makeNurbsCylinder(r, l), V, o,
               plDiagonal3(across, across, V * r * r / 2));
    V = PL_PI * r * r * l / 3;
    across = V * (3 * r * r / 20 + 3 * l * l / 80);
    checkSolid("cone", makeNurbsCone(r, l), V, plVec(0, 0, -l / 4),
               plDiagonal3(across, across, 0.3 * V * r * r));
    V = 2 * PL_PI * PL_PI * R * t * t;
    across = V * (R * R / 2 + 5 * t * t / 8);
    checkSolid("torus", makeNurbsTorus(R, t), V, o,
               plDiagonal3(across, across, V * (R * R + 3 * t * t / 4)));
}

static void openSurfacesHaveNoMass(void** state)
{
    (void)state;
    static Net net;
    plMass m;
    plShapeError error;
    shapesBegin();
    periodicNet(&net);
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = &net.def;
    def.patchCount = 1;
    assert_int_equal(plShape_Mass(makeShape(&def), 1, &m, &error), pl_statusBadArgument);
    assert_non_null(strstr(error.message, "open"));
    // Nor has one that is turned inside out.
    plPatches sphere;
    assert_int_equal(plPatches_Sphere(1, NULL, &sphere, NULL), pl_statusOk);
    sphere.inward = true;
    assert_int_equal(plShape_Mass(makePatched(pl_statusOk, &sphere), 1, &m, &error),
                     pl_statusBadArgument);
    assert_non_null(strstr(error.message, "inside out"));
}

/// Signed distance of a cylinder or of a cone about z, by its outline in the half plane.
static double outlineDistance(plVec3 p, double below, double above, double h)
{
    const plVec3 q = plVec(hypot(p.x, p.y), 0, p.z);
    const plVec3 corners[4] = {{0, 0, -h}, {below, 0, -h}, {above, 0, h}, {0, 0, h}};
    double least = INFINITY;
    bool inside = fabs(p.z) < h;
    for (int i = 0; i < 3; i++) {
        least =
            fmin(least, plNorm(plSub(q, plNearestOnSegment(q, corners[i], corners[i + 1], NULL))));
    }
    inside = inside && q.x < below + (above - below) * (p.z + h) / (2 * h);
    return inside ? -least : least;
}

static void distancesHaveSides(void** state)
{
    (void)state;
    shapesBegin();
    plRng rng = plRng_Seed(21);
    const double r = 0.5, h = 0.6, tube = 0.2;
    const plShape* shapes[4] = {makeNurbsSphere(r), makeNurbsCylinder(r, 2 * h),
                                makeNurbsCone(r, 2 * h), makeNurbsTorus(r, tube)};
    double worst[4] = {0};
    for (int i = 0; i < 4000; i++) {
        const plVec3 p = plVec(plRng_Uniform(&rng, -1, 1), plRng_Uniform(&rng, -1, 1),
                               plRng_Uniform(&rng, -1, 1));
        const double exact[4] = {plNorm(p) - r, outlineDistance(p, r, r, h),
                                 outlineDistance(p, r, 0, h),
                                 hypot(hypot(p.x, p.y) - r, p.z) - tube};
        for (int k = 0; k < 4; k++) {
            const plNearest near = plShape_Nearest(shapes[k], p);
            worst[k] = fmax(worst[k], fabs(near.distance - exact[k]));
            const plVec3 back = plAddScaled(near.point, near.distance, near.normal);
            assert_true(plNorm(plSub(back, p)) < 1e-12);
        }
    }
    print_message("signed distances: sphere %.1e, cylinder %.1e, cone %.1e, torus %.1e\n", worst[0],
                  worst[1], worst[2], worst[3]);
    for (int k = 0; k < 4; k++) checkAtMost("distance", worst[k], 1e-12);
}

static void raysMeetTheSurface(void** state)
{
    (void)state;
    shapesBegin();
    const double r = 0.5;
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    plPatches patches;
    assert_int_equal(plPatches_Sphere(r, NULL, &patches, NULL), pl_statusOk);
    def.patches = patches.patches;
    def.patchCount = patches.count;
    def.frame = (plPose){{0.3, -0.2, 0.1}, plRotor(plVec(0.6, 0, 0.8), 1)};
    const plShape* s = makeShape(&def);
    plPatches_Free(&patches);
    plShapeDef ball = plDefaultShapeDef(pl_shapeSphere);
    ball.radius = r;
    ball.frame = def.frame;
    const plShape* exact = makeShape(&ball);
    plRng rng = plRng_Seed(22);
    double worst = 0;
    int hits = 0;
    for (int i = 0; i < 3000; i++) {
        const plVec3 p =
            plVec(2 * plRng_Normal(&rng), 2 * plRng_Normal(&rng), 2 * plRng_Normal(&rng));
        const plVec3 to =
            plVec(0.5 * plRng_Normal(&rng), 0.5 * plRng_Normal(&rng), 0.5 * plRng_Normal(&rng));
        const plRayHit a = plShape_Ray(s, p, plSub(to, p), 3),
                       b = plShape_Ray(exact, p, plSub(to, p), 3);
        // Next to the outline both answers are right.
        const double graze = fabs(plDot(b.normal, plSub(to, p))) / plNorm(plSub(to, p));
        if (b.hit && graze < 1e-3) continue;
        assert_int_equal(a.hit, b.hit);
        if (!b.hit) continue;
        hits++;
        worst = fmax(worst, fabs(a.t - b.t));
        assert_true(plNorm(plSub(a.normal, b.normal)) < 1e-7);
    }
    print_message("%d rays hit the sphere, at %.1e of their length\n", hits, worst);
    assert_true(hits > 500);
    checkAtMost("t", worst, 1e-9);
}

static void raysPassNoSeam(void** state)
{
    (void)state;
    shapesBegin();
    // Down on the cap, also at its corners, and in on the side, also where two quarters meet.
    const plShape* s = makeNurbsCylinder(0.5, 1);
    for (int i = 0; i < 200; i++) {
        const double a = PL_PI / 4 * i, f = 0.4999 * (i / 8) / 25;
        const plRayHit hit = plShape_Ray(s, plVec(f * cos(a), f * sin(a), 3), plVec(0, 0, -1), 9);
        assert_true(hit.hit);
        checkNear("t", hit.t, 2.5, 1e-12);
        const plVec3 side = plVec(3 * cos(a), 3 * sin(a), 0.9 * f);
        const plRayHit other = plShape_Ray(s, side, plVec(-cos(a), -sin(a), 0), 9);
        assert_true(other.hit);
        checkNear("t", other.t, 2.5, 1e-9);
    }
}

static void trianglesFollowTheSurface(void** state)
{
    (void)state;
    shapesBegin();
    static plVec3 points[200000], normals[200000];
    static int triangles[1200000];
    const double r = 0.5, tolerance = 1e-3;
    const plNurbs* n = makeNurbsSphere(r)->nurbs;
    int pointCount, triangleCount;
    double deepest = 0, area = 0;
    plNurbs_Triangles(n, tolerance, &pointCount, NULL, NULL, &triangleCount, NULL);
    assert_true(pointCount <= 200000 && triangleCount <= 400000);
    plNurbs_Triangles(n, tolerance, &pointCount, points, normals, &triangleCount, triangles);
    for (int i = 0; i < triangleCount; i++) {
        const int* t = &triangles[3 * i];
        const plVec3 a = points[t[0]], b = points[t[1]], c = points[t[2]];
        const plVec3 N = plCross(plSub(b, a), plSub(c, a));
        const plVec3 middle = plScale(1.0 / 3, plAdd(a, plAdd(b, c)));
        deepest = fmax(deepest, r - plNorm(middle));
        area += plNorm(N) / 2;
        assert_true(plDot(N, middle) >= -1e-12); // seen from outside
        assert_true(fabs(plNorm(normals[t[0]]) - 1) < 1e-12);
    }
    print_message("sphere: %d triangles, %.1e m inside of it, area %.5f of the sphere's\n",
                  triangleCount, deepest, area / (4 * PL_PI * r * r));
    checkAtMost("depth", deepest, tolerance);
    checkNear("area", area / (4 * PL_PI * r * r), 1, 0.01);
}

static void boundsHoldTheSurface(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    randomNet(3, 4, 3, 9, 8, &net);
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = &net.def;
    def.patchCount = 1;
    def.frame = (plPose){{1, 2, 3}, plRotor(plVec(0, 0.6, 0.8), 0.7)};
    const plShape* s = makeShape(&def);
    const plFrame carrier = {{0, 0, 0}, plIdentity3()};
    const plBounds b = plShape_Bounds(s, &carrier);
    plRng rng = plRng_Seed(23);
    for (int i = 0; i < 5000; i++) {
        const plVec3 p = plOut(&s->frame, plNurbs_Place(s->nurbs, randomUv(&rng, s->nurbs)));
        const plBounds point = {p, p};
        assert_true(plBounds_Hold(&b, &point));
        assert_true(plNorm(p) <= s->extent);
    }
    for (int i = 0; i < 2000; i++) {
        const int piece = (int)(plRng_Next(&rng) % (uint64_t)plNurbs_Pieces(s->nurbs));
        const double s0 = plRng_Uniform(&rng, 0, 0.5), t0 = plRng_Uniform(&rng, 0, 0.5);
        plBounds part = plNurbs_PartBounds(s->nurbs, piece, s0, s0 + 0.5, t0, t0 + 0.5);
        part = plBounds_Grow(part, 1e-14);
        const plUv at = plNurbs_UvOf(s->nurbs, piece, s0 + plRng_Uniform(&rng, 0, 0.5), t0 + 0.25);
        const plVec3 p = plNurbs_Place(s->nurbs, at);
        assert_true(plBounds_Hold(&part, &(plBounds){p, p}));
    }
}

/// Every refusal has its word.
static void checkRefused(const plPatchDef* patch, plStatus expected, const char* word)
{
    const plAllocator allocator = plDefaultAllocator();
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    const plShape* s;
    plShapeError error;
    def.patches = patch;
    def.patchCount = 1;
    const size_t before = shapeArena.used;
    assert_true(plShape_Memory(&def) < (size_t)1 << 40);
    assert_int_equal(plShape_Create(&def, &shapeArena, &allocator, &s, &error), expected);
    assert_int_equal(shapeArena.used, before);
    if (!strstr(error.message, word)) print_error("'%s' lacks '%s'\n", error.message, word);
    assert_non_null(strstr(error.message, word));
}

static void spoilDegree(Net* net) { net->def.degreeU = 0; }
static void spoilCount(Net* net) { net->def.countV = -7; }
static void spoilOrder(Net* net) { net->knotsU[4] = 2; }
static void spoilMultiplicity(Net* net)
{
    // Degree 2 of a net of 7: three equal ones between 0 and 1.
    static const double knots[10] = {0, 0, 0, 0.5, 0.5, 0.5, 1, 1, 1, 1};
    randomNet(4, 3, 2, 6, 7, net);
    memcpy(net->knotsV, knots, sizeof knots);
}
static void spoilKnot(Net* net) { net->knotsV[4] = NAN; }
static void spoilSpan(Net* net) { net->knotsV[4] = net->knotsV[3] + 1e-14; }
static void spoilWeight(Net* net) { net->weights[7] = 0; }
static void spoilPoint(Net* net) { net->points[3].y = INFINITY; }
static void spoilPointer(Net* net) { net->def.points = NULL; }
static void spoilRange(Net* net)
{
    for (int i = 0; i < 10; i++) net->knotsU[i] = 1;
}

static void badPatchesAreRefused(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    checkRefused(NULL, pl_statusBadArgument, "a patch is needed");
    const struct {
        void (*spoil)(Net*);
        const char* word;
    } bad[] = {{spoilDegree, "degree"},   {spoilCount, "more control points"},
               {spoilOrder, "decrease"},  {spoilMultiplicity, "more often"},
               {spoilKnot, "not finite"}, {spoilSpan, "coincide"},
               {spoilWeight, "weight"},   {spoilPoint, "not finite"},
               {spoilPointer, "missing"}, {spoilRange, "no room"}};
    for (int i = 0; i < PL_COUNT(bad); i++) {
        randomNet(4, 3, 2, 6, 5, &net);
        bad[i].spoil(&net);
        checkRefused(&net.def, pl_statusBadArgument, bad[i].word);
    }
    net.def.degreeU = 10;
    checkRefused(&net.def, pl_statusCapacity, "degree");
    net.def.degreeU = 3, net.def.countU = 1 << 20, net.def.countV = 1 << 20;
    checkRefused(&net.def, pl_statusCapacity, "points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massesEqualClosedForms), cmocka_unit_test(openSurfacesHaveNoMass),
        cmocka_unit_test(distancesHaveSides),     cmocka_unit_test(raysMeetTheSurface),
        cmocka_unit_test(raysPassNoSeam),         cmocka_unit_test(trianglesFollowTheSurface),
        cmocka_unit_test(boundsHoldTheSurface),   cmocka_unit_test(badPatchesAreRefused),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
