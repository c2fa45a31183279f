// Edges of patches: which are joined, which are poles, and walks over them.
#include "nurbses.h"

typedef struct {
    int open, joined, collapsed;
} Kinds;

static Kinds countEdges(const plNurbs* n)
{
    Kinds kinds = {0};
    for (int i = 0; i < plPatchEdges * plNurbs_Patches(n); i++) {
        const plEdgeKind kind = plNurbs_Edge(n, i / plPatchEdges, i % plPatchEdges)->kind;
        kinds.open += kind == pl_edgeOpen;
        kinds.joined += kind == pl_edgeJoined;
        kinds.collapsed += kind == pl_edgeCollapsed;
    }
    return kinds;
}

static void checkEdges(const plNurbs* n, int open, int joined, int collapsed)
{
    const Kinds kinds = countEdges(n);
    assert_int_equal(kinds.open, open);
    assert_int_equal(kinds.joined, joined);
    assert_int_equal(kinds.collapsed, collapsed);
}

/// The spot at share f of an edge.
static plUv onEdge(const plNurbs* n, int patch, int edge, double f)
{
    double u[2], v[2];
    plNurbs_Domain(n, patch, u, v);
    const double x = u[0] + f * (u[1] - u[0]), y = v[0] + f * (v[1] - v[0]);
    const plUv at[plPatchEdges] = {plUvAt(patch, u[0], y), plUvAt(patch, u[1], y),
                                   plUvAt(patch, x, v[0]), plUvAt(patch, x, v[1])};
    return at[edge];
}

static void teapotHasItsPublishedEdges(void** state)
{
    (void)state;
    shapesBegin();
    static Net nets[teapotPatches];
    bool used[teapotVertices] = {false};
    int usedCount = 0;
    plBounds b = plBounds_None();
    loadTeapot(nets, used);
    for (int i = 0; i < teapotVertices; i++) usedCount += used[i];
    assert_int_equal(usedCount, 302);
    assert_false(used[204] || used[205] || used[215] || used[222]);
    for (int i = 0; i < 16 * teapotPatches; i++) b = plBounds_Add(&b, nets[i / 16].points[i % 16]);
    assert_true(plNorm(plSub(b.lo, plVec(-3, -2, 0))) == 0);
    assert_true(plNorm(plSub(b.hi, plVec(3.525, 2, 3.15))) == 0);

    const plNurbs* n = makeTeapot();
    checkEdges(n, 16, 2 * 52, 8);
    for (int i = 0; i < teapotPatches; i++) {
        const bool pole = (i >= 20 && i <= 23) || (i >= 28 && i <= 31);
        assert_int_equal(plNurbs_Edge(n, i, plEdgeU0)->kind == pl_edgeCollapsed, pole);
    }
}

static double degrees(plVec3 a, plVec3 b)
{
    return atan2(plNorm(plCross(a, b)), plDot(a, b)) * 180 / PL_PI;
}

static void seamsOfTheTeapotAreSmooth(void** state)
{
    (void)state;
    shapesBegin();
    const plNurbs* n = makeTeapot();
    double most = 0, gap = 0;
    for (int i = 0; i < plPatchEdges * teapotPatches; i++) {
        const int patch = i / plPatchEdges, edge = i % plPatchEdges;
        const plPatchEdge* e = plNurbs_Edge(n, patch, edge);
        if (e->kind != pl_edgeJoined) continue;
        assert_int_equal(plNurbs_Edge(n, e->patch, e->edge)->patch, patch);
        assert_int_equal(plNurbs_Edge(n, e->patch, e->edge)->edge, edge);
        for (double f = 0; f <= 1; f += 1.0 / 16) {
            const plUv a = onEdge(n, patch, edge, f);
            const plUv b = onEdge(n, e->patch, e->edge, e->reversed ? 1 - f : f);
            most = fmax(most, degrees(plNurbs_Normal(n, a), plNurbs_Normal(n, b)));
            gap = fmax(gap, plNorm(plSub(plNurbs_Place(n, a), plNurbs_Place(n, b))));
        }
    }
    print_message("teapot: normals at seams differ by %.1e degrees, places by %.1e\n", most, gap);
    checkAtMost("angle", most, 1e-6);
    checkAtMost("gap", gap, 1e-14);
}

/// From a spot as far before an edge as it comes behind it, there and back again. What lies behind
/// the edge is half of the way, so twice that leads back.
static double thereAndBack(const plNurbs* n, int patch, int edge, double f, double slant)
{
    const plPatchEdge e = *plNurbs_Edge(n, patch, edge);
    const double way = 1e-3 * (edge == plEdgeU0 || edge == plEdgeV0 ? -1 : 1);
    const bool alongV = edge == plEdgeU0 || edge == plEdgeU1;
    const double du = alongV ? way : slant, dv = alongV ? slant : way;
    const plUv on = onEdge(n, patch, edge, f);
    const plUv start = plUvAt(patch, on.u - du, on.v - dv);
    plUv at = start;
    assert_int_equal(plNurbs_Walk(n, &at, 2 * du, 2 * dv), pl_walkCrossed);
    assert_int_equal(at.patch, e.patch);
    const plUv seam = onEdge(n, e.patch, e.edge, e.reversed ? 1 - f : f);
    assert_int_equal(plNurbs_Walk(n, &at, 2 * (seam.u - at.u), 2 * (seam.v - at.v)),
                     pl_walkCrossed);
    assert_int_equal(at.patch, patch);
    return hypot(at.u - start.u, at.v - start.v);
}

static void walksOverEverySeamComeBack(void** state)
{
    (void)state;
    shapesBegin();
    const plNurbs* n = makeTeapot();
    double most = 0;
    int seams = 0;
    for (int i = 0; i < plPatchEdges * teapotPatches; i++) {
        const int patch = i / plPatchEdges, edge = i % plPatchEdges;
        if (plNurbs_Edge(n, patch, edge)->kind != pl_edgeJoined) continue;
        seams++;
        for (int k = 1; k < 10; k++) {
            most = fmax(most, thereAndBack(n, patch, edge, 0.1 * k, 0));
            most = fmax(most, thereAndBack(n, patch, edge, 0.1 * k, 4e-4));
        }
    }
    print_message("%d edges, 18 walks over each: back to %.1e of the domain\n", seams, most);
    assert_int_equal(seams, 104);
    checkAtMost("way back", most, 1e-13);
}

static void tubeIsJoinedToItself(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    periodicNet(&net);
    const plNurbs* n = makeNet(&net);
    checkEdges(n, 2, 2, 0);
    const plPatchEdge* e = plNurbs_Edge(n, 0, plEdgeU0);
    assert_int_equal(e->patch, 0);
    assert_int_equal(e->edge, plEdgeU1);
    assert_false(e->reversed);
    // Once round in steps that do not divide it.
    plUv at = plUvAt(0, 0.25, 0.5);
    for (int i = 0; i < 160; i++) plNurbs_Walk(n, &at, 0.05, 0);
    checkNear("u", at.u, 0.25, 1e-12);
    checkNear("v", at.v, 0.5, 1e-12);
    // At an open edge only what is along it stays.
    at = plUvAt(0, 0.25, 0.999);
    assert_int_equal(plNurbs_Walk(n, &at, 0.125, 0.5), pl_walkOpen);
    assert_true(at.v == 1 && at.u > 0.25 && at.u < 2);
}

static void madeSurfacesAreClosed(void** state)
{
    (void)state;
    shapesBegin();
    checkEdges(makeNurbsSphere(1)->nurbs, 0, 2, 2);
    checkEdges(makeNurbsTorus(1, 0.3)->nurbs, 0, 4, 0);
    checkEdges(makeNurbsCylinder(1, 2)->nurbs, 0, 4 * 4 + 2 * 4, 0);
    checkEdges(makeNurbsCone(1, 2)->nurbs, 0, 4 * 3 + 4, 4);
}

static void walksGoStraightOnOverPoles(void** state)
{
    (void)state;
    shapesBegin();
    const plNurbs* n = makeNurbsSphere(1)->nurbs;
    double turn = 0, length = 0;
    for (int i = 0; i < 40; i++) {
        const double pole = i % 2;
        const plUv start = plUvAt(0, (i + 0.4) / 40, fabs(pole - 0.01));
        plUv at = start;
        assert_int_equal(plNurbs_Walk(n, &at, 0, pole > 0 ? 0.02 : -0.02), pl_walkPole);
        const plVec3 a = plNurbs_Place(n, start), b = plNurbs_Place(n, at);
        // To the place opposite, in as far as the pace at the pole is that of the way.
        turn = fmax(turn, fabs(a.x * b.y - a.y * b.x) / (hypot(a.x, a.y) * hypot(b.x, b.y)));
        length = fmax(length, fabs(hypot(b.x, b.y) / hypot(a.x, a.y) - 1));
        assert_true(a.x * b.x + a.y * b.y < 0);
    }
    print_message("over poles: turned by %.1e, length off by %.1e\n", turn, length);
    checkAtMost("turn", turn, 1e-7);
    checkAtMost("length", length, 0.02);
}

static void wayOverACreaseIsUnfolded(void** state)
{
    (void)state;
    shapesBegin();
    // Up the side of a cylinder, at axis 0, and on over the rim towards the middle of the cap.
    const plNurbs* n = makeNurbsCylinder(1, 2)->nurbs;
    plUv at = plUvAt(0, 0.5, 0.95);
    assert_int_equal(plNurbs_Walk(n, &at, 0, 0.1), pl_walkCrossed);
    const plVec3 p = plNurbs_Place(n, at);
    checkNear("z", p.z, 1, 1e-15);
    checkNear("y", p.y, 0, 1e-12);
    checkNear("x", p.x, 0.9, 0.02); // 0.1 along the cap, at the pace of its rim
}

static void anyWalkEndsOnTheSurface(void** state)
{
    (void)state;
    shapesBegin();
    const plNurbs* n = makeTeapot();
    plRng rng = plRng_Seed(5);
    double u[2], v[2];
    int ends[4] = {0};
    for (int i = 0; i < 20000; i++) {
        plUv at = randomUv(&rng, n);
        const double size = pow(10, plRng_Uniform(&rng, -3, i % 10 ? 0.5 : 9));
        const double du = size * plRng_Normal(&rng), dv = size * plRng_Normal(&rng);
        ends[plNurbs_Walk(n, &at, du, dv)]++;
        assert_in_range(at.patch, 0, teapotPatches - 1);
        plNurbs_Domain(n, at.patch, u, v);
        assert_true(u[0] <= at.u && at.u <= u[1] && v[0] <= at.v && at.v <= v[1]);
        assert_true(plFinite3(plNurbs_Place(n, at)));
    }
    print_message("walks: %d inside, %d over seams, %d at open edges, %d over poles\n", ends[0],
                  ends[1], ends[2], ends[3]);
    for (int i = 0; i < 4; i++) assert_true(ends[i] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teapotHasItsPublishedEdges), cmocka_unit_test(seamsOfTheTeapotAreSmooth),
        cmocka_unit_test(walksOverEverySeamComeBack), cmocka_unit_test(tubeIsJoinedToItself),
        cmocka_unit_test(madeSurfacesAreClosed),      cmocka_unit_test(walksGoStraightOnOverPoles),
        cmocka_unit_test(wayOverACreaseIsUnfolded),   cmocka_unit_test(anyWalkEndsOnTheSurface),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
