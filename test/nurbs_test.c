// Places and derivatives of sculpted surfaces against an independent evaluation, differences and
// closed forms.
#include "counting.h"
#include "nurbses.h"

// --- the definition itself: basis functions by their recursion, in long double

typedef struct {
    long double x[4];
} Homogeneous;

/// The d-th derivative of the basis function i of degree p; `span` is where the parameter lies.
static long double basis(const double* t, int span, int i, int p, int d, long double u)
{
    const long double left = (long double)t[i + p] - t[i];
    const long double right = (long double)t[i + p + 1] - t[i + 1];
    if (p == 0) return d == 0 && i == span ? 1 : 0;
    long double sum = 0;
    if (d > 0) {
        if (left > 0) sum += p / left * basis(t, span, i, p - 1, d - 1, u);
        if (right > 0) sum -= p / right * basis(t, span, i + 1, p - 1, d - 1, u);
        return sum;
    }
    if (left > 0) sum += (u - t[i]) / left * basis(t, span, i, p - 1, 0, u);
    if (right > 0) sum += (t[i + p + 1] - u) / right * basis(t, span, i + 1, p - 1, 0, u);
    return sum;
}

static int spanOf(const double* t, int p, int count, double u)
{
    int span = p;
    while (span + 1 < count && t[span + 1] <= u) span++;
    while (!(t[span + 1] > t[span])) span--;
    return span;
}

static Homogeneous slowSum(const Net* net, double u, double v, int du, int dv)
{
    const plPatchDef* d = &net->def;
    const int i0 = spanOf(d->knotsU, d->degreeU, d->countU, u);
    const int j0 = spanOf(d->knotsV, d->degreeV, d->countV, v);
    Homogeneous h = {{0}};
    for (int i = i0 - d->degreeU; i <= i0; i++) {
        const long double a = basis(d->knotsU, i0, i, d->degreeU, du, u);
        for (int j = j0 - d->degreeV; j <= j0; j++) {
            const int k = i * d->countV + j;
            const long double b = a * basis(d->knotsV, j0, j, d->degreeV, dv, v) * d->weights[k];
            h.x[0] += b * d->points[k].x, h.x[1] += b * d->points[k].y;
            h.x[2] += b * d->points[k].z, h.x[3] += b;
        }
    }
    return h;
}

static void slowAt(const Net* net, double u, double v, plSurfel* out)
{
    const Homogeneous A = slowSum(net, u, v, 0, 0), Au = slowSum(net, u, v, 1, 0);
    const Homogeneous Av = slowSum(net, u, v, 0, 1), Auu = slowSum(net, u, v, 2, 0);
    const Homogeneous Auv = slowSum(net, u, v, 1, 1), Avv = slowSum(net, u, v, 0, 2);
    const long double w = A.x[3];
    double* const parts[6] = {&out->S.x, &out->u.x, &out->v.x, &out->uu.x, &out->uv.x, &out->vv.x};
    for (int k = 0; k < 3; k++) {
        const long double S = A.x[k] / w;
        const long double Su = (Au.x[k] - Au.x[3] * S) / w, Sv = (Av.x[k] - Av.x[3] * S) / w;
        const long double all[6] = {S,
                                    Su,
                                    Sv,
                                    (Auu.x[k] - 2 * Au.x[3] * Su - Auu.x[3] * S) / w,
                                    (Auv.x[k] - Au.x[3] * Sv - Av.x[3] * Su - Auv.x[3] * S) / w,
                                    (Avv.x[k] - 2 * Av.x[3] * Sv - Avv.x[3] * S) / w};
        for (int m = 0; m < 6; m++) parts[m][k] = (double)all[m];
    }
}

static plVec3 partOf(const plSurfel* f, int k)
{
    return plGet3(&f->S.x + 3 * k); // six vectors one after the other
}

/// How large the k-th part is over the whole surface: errors are relative to that.
static void sizesOf(const plNurbs* n, plRng* rng, double size[6])
{
    for (int k = 0; k < 6; k++) size[k] = 0;
    for (int i = 0; i < 500; i++) {
        plSurfel f;
        plNurbs_At(n, randomUv(rng, n), &f);
        for (int k = 0; k < 6; k++) size[k] = fmax(size[k], plNorm(partOf(&f, k)));
    }
}

static void checkAgainstDefinition(const char* name, const Net* net)
{
    shapesBegin();
    const plNurbs* n = makeNet(net);
    plRng rng = plRng_Seed(1);
    double size[6], worst[6] = {0}, u[2], v[2];
    sizesOf(n, &rng, size);
    plNurbs_Domain(n, 0, u, v);
    for (int i = 0; i < 400; i++) {
        plUv at = randomUv(&rng, n);
        plSurfel fast, slow;
        if (i % 8 == 0) at.u = u[i / 8 % 2]; // borders, which are knots, belong to it
        if (i % 8 == 1) at.v = v[i / 8 % 2];
        plNurbs_At(n, at, &fast);
        slowAt(net, at.u, at.v, &slow);
        for (int k = 0; k < 6; k++) {
            const double e = plNorm(plSub(partOf(&fast, k), partOf(&slow, k)));
            worst[k] = fmax(worst[k], size[k] > 0 ? e / size[k] : e);
        }
        assert_true(plNorm(plSub(plNurbs_Place(n, at), fast.S)) <= 1e-15 * size[0]);
    }
    print_message("%-10s S %.1e  S_u %.1e  S_v %.1e  S_uu %.1e  S_uv %.1e  S_vv %.1e\n", name,
                  worst[0], worst[1], worst[2], worst[3], worst[4], worst[5]);
    for (int k = 0; k < 6; k++) checkAtMost(name, worst[k], 1e-12); // bar B1
}

// --- differences

/// (f(-2h) - 8 f(-h) + 8 f(h) - f(2h))/12h, which is of the fourth order.
static plVec3 difference(const plNurbs* n, plUv at, double du, double dv, int part)
{
    static const double weight[4] = {1, -8, 8, -1}, place[4] = {-2, -1, 1, 2};
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        plSurfel f;
        const plUv there = plUvAt(at.patch, at.u + place[i] * du, at.v + place[i] * dv);
        plNurbs_At(n, there, &f);
        sum = plAddScaled(sum, weight[i] / (12 * (du + dv)), partOf(&f, part));
    }
    return sum;
}

/// Spots whose differences lie inside one piece, where the surface is smooth.
static void checkAgainstDifferences(const char* name, const Net* net)
{
    shapesBegin();
    const plNurbs* n = makeNet(net);
    plRng rng = plRng_Seed(2);
    double size[6], worst = 0;
    sizesOf(n, &rng, size);
    for (int i = 0; i < 300; i++) {
        double r[4];
        const int piece = (int)(plRng_Next(&rng) % (uint64_t)plNurbs_Pieces(n));
        plNurbs_Piece(n, piece, r);
        const double s = plRng_Uniform(&rng, 0.05, 0.95), t = plRng_Uniform(&rng, 0.05, 0.95);
        const plUv at = plNurbs_UvOf(n, piece, s, t);
        // Small enough for the fourth power of it at degree 9, large enough for round-off over it.
        const double du = 3e-4 * (r[1] - r[0]), dv = 3e-4 * (r[3] - r[2]);
        plSurfel f;
        plNurbs_At(n, at, &f);
        const plVec3 d[5] = {difference(n, at, du, 0, 0), difference(n, at, 0, dv, 0),
                             difference(n, at, du, 0, 1), difference(n, at, 0, dv, 1),
                             difference(n, at, 0, dv, 2)};
        for (int k = 0; k < 5; k++) {
            const double e = plNorm(plSub(d[k], partOf(&f, k + 1)));
            worst = fmax(worst, size[k + 1] > 0 ? e / size[k + 1] : e);
        }
    }
    print_message("%-10s differences of fourth order: %.1e\n", name, worst);
    checkAtMost(name, worst, 2.5e-10);
}

static void derivativesAreThoseOfTheDefinition(void** state)
{
    (void)state;
    static Net net;
    static const int degrees[][4] = {
        {3, 3, 16, 16}, {5, 4, 9, 7}, {2, 1, 5, 4}, {1, 1, 3, 2}, {9, 9, 12, 11}};
    for (int i = 0; i < PL_COUNT(degrees); i++) {
        const int* d = degrees[i];
        char name[16];
        snprintf(name, sizeof name, "(%d,%d)", d[0], d[1]);
        randomNet(7 + (uint64_t)i, d[0], d[1], d[2], d[3], &net);
        checkAgainstDefinition(name, &net);
        checkAgainstDifferences(name, &net);
    }
    periodicNet(&net);
    checkAgainstDefinition("periodic", &net);
    checkAgainstDifferences("periodic", &net);
}

static void derivativesOfTheReferenceSurfaces(void** state)
{
    (void)state;
    static const char* const names[] = {"ellA",     "torus",    "teapot4", "teapot8",
                                        "teapot16", "teapot17", "body",    "lever"};
    static Net net;
    for (int i = 0; i < PL_COUNT(names); i++) {
        loadNet(names[i], &net);
        checkAgainstDefinition(names[i], &net);
        checkAgainstDifferences(names[i], &net);
    }
}

// --- closed forms

static double gaussCurvature(const plSurfel* f)
{
    const plVec3 N = plCross(f->u, f->v);
    const double E = plDot(f->u, f->u), F = plDot(f->u, f->v), G = plDot(f->v, f->v);
    const double norm = plNorm(N), L = plDot(f->uu, N) / norm, M = plDot(f->uv, N) / norm;
    return (L * (plDot(f->vv, N) / norm) - M * M) / (E * G - F * F);
}

static void sphereIsRound(void** state)
{
    (void)state;
    shapesBegin();
    const double r = 0.05;
    const plNurbs* n = makeNurbsSphere(r)->nurbs;
    plRng rng = plRng_Seed(3);
    double radius = 0, normal = 0, curvature = 0;
    for (int i = 0; i < 100000; i++) {
        const plUv at = randomUv(&rng, n);
        plSurfel f;
        plNurbs_At(n, at, &f);
        radius = fmax(radius, fabs(plNorm(f.S) / r - 1));
        normal = fmax(normal, plNorm(plSub(plNurbs_Normal(n, at), plScale(1 / r, f.S))));
        // Towards the poles S_u vanishes and takes its digits along.
        if (fabs(at.v - 0.5) < 0.45) {
            curvature = fmax(curvature, fabs(gaussCurvature(&f) * r * r - 1));
        }
    }
    print_message("sphere: radius %.1e, normal %.1e, curvature %.1e\n", radius, normal, curvature);
    checkAtMost("radius", radius, 1e-15); // bar B1
    checkAtMost("normal", normal, 1e-9);
    checkAtMost("curvature", curvature, 1e-12);
}

static void torusIsATorus(void** state)
{
    (void)state;
    shapesBegin();
    const double R = 0.3, tube = 0.1;
    const plNurbs* n = makeNurbsTorus(R, tube)->nurbs;
    plRng rng = plRng_Seed(4);
    double place = 0, normal = 0, curvature = 0;
    for (int i = 0; i < 20000; i++) {
        const plUv at = randomUv(&rng, n);
        plSurfel f;
        plNurbs_At(n, at, &f);
        const double around = hypot(f.S.x, f.S.y), x = around - R;
        const plVec3 core = plScale(R / around, plVec(f.S.x, f.S.y, 0));
        place = fmax(place, fabs(hypot(x, f.S.z) - tube));
        const plVec3 out = plScale(1 / tube, plSub(f.S, core));
        normal = fmax(normal, plNorm(plSub(plNurbs_Normal(n, at), out)));
        curvature = fmax(curvature, fabs(gaussCurvature(&f) - x / (tube * tube * around)));
    }
    print_message("torus: place %.1e m, normal %.1e, curvature %.1e /m^2\n", place, normal,
                  curvature);
    checkAtMost("place", place, 1e-15);
    checkAtMost("normal", normal, 1e-14);
    checkAtMost("curvature", curvature, 1e-11); // of 1/(R tube) = 33
}

/// The net of ex_surface01, six by six, degree 3, with the knots of its publication.
static void loadExample(Net* net)
{
    FILE* file = fopen(publishedFile("data/nurbs/ex_surface01.cpt"), "r");
    assert_non_null(file);
    beginNet(net, 3, 3, 6, 6);
    clampKnots(net->knotsU, 3, 6);
    net->knotsU[4] = 0.33, net->knotsU[5] = 0.66;
    memcpy(net->knotsV, net->knotsU, sizeof net->knotsV);
    for (int i = 0; i < 36; i++) {
        plVec3* p = &net->points[i];
        assert_int_equal(fscanf(file, "%lf ,%lf ,%lf%*[;\n]", &p->x, &p->y, &p->z), 3);
    }
    fclose(file);
}

static void publishedExampleIsMet(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    loadExample(&net);
    const plNurbs* n = makeNet(&net);
    const plVec3 S = plNurbs_Place(n, plUvAt(0, 0.3, 0.4));
    const plVec3 published = plVec(-7.006010518407, -3.308075492598, -6.265540290141);
    checkAtMost("S(.3,.4)", plNorm(plSub(S, published)), 1e-12);
    plUv at;
    bool sure;
    plNurbs_Nearest(n, plVec(3, 2, 5), &at, &sure);
    const plVec3 P = plNurbs_Place(n, at);
    assert_true(sure);
    checkAtMost("P", plNorm(plSub(P, plVec(4.7976268428, 4.6627576698, -6.3704596784))), 2e-10);
    checkNear("u", at.u, 0.6354397268, 1e-10);
    checkNear("v", at.v, 0.6317149543, 1e-10);
}

// --- ends and limits

static void polesHaveNormals(void** state)
{
    (void)state;
    shapesBegin();
    const double r = 2;
    const plNurbs* n = makeNurbsSphere(r)->nurbs;
    plRng rng = plRng_Seed(6);
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        const double near = i % 4 == 0 ? 0 : pow(10, plRng_Uniform(&rng, -18, -2));
        const plUv at = plUvAt(0, plRng_Uniform(&rng, 0, 1), i % 2 ? near : 1 - near);
        const plVec3 N = plNurbs_Normal(n, at);
        assert_true(fabs(plNorm(N) - 1) < 1e-14);
        worst = fmax(worst, plNorm(plSub(N, plScale(1 / r, plNurbs_Place(n, at)))));
    }
    print_message("normals at and near the poles of a sphere: %.1e\n", worst);
    checkAtMost("normal", worst, 1e-7);
    // Spots far outside, and such that are no numbers, are taken at the border.
    const plUv odd[4] = {plUvAt(0, NAN, 0.5), plUvAt(0, -1e300, 7), plUvAt(0, INFINITY, NAN),
                         plUvAt(0, 0.5, -INFINITY)};
    for (int i = 0; i < 4; i++) {
        plSurfel f;
        plNurbs_At(n, odd[i], &f);
        for (int k = 0; k < 6; k++) assert_true(plFinite3(partOf(&f, k)));
        assert_true(plFinite3(plNurbs_Normal(n, odd[i])));
    }
}

static void evaluationTakesNoMemory(void** state)
{
    (void)state;
    static Net net;
    shapesBegin();
    randomNet(9, 3, 3, 16, 16, &net);
    const plNurbs* n = makeNet(&net);
    plUv at = plUvAt(0, 0.2, 0.3);
    plSurfel f;
    bool sure;
    startCounting();
    const long before = takings;
    plNurbs_At(n, at, &f);
    plNurbs_Normal(n, at);
    plNurbs_Walk(n, &at, 0.1, 0.2);
    plNurbs_Project(n, plVec(0.4, 0.4, 0.3), &at);
    plNurbs_Nearest(n, plVec(0.4, 0.4, 0.3), &at, &sure);
    assert_int_equal(takings - before, 0);
    counts = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivativesAreThoseOfTheDefinition),
        cmocka_unit_test(derivativesOfTheReferenceSurfaces),
        cmocka_unit_test(sphereIsRound),
        cmocka_unit_test(torusIsATorus),
        cmocka_unit_test(publishedExampleIsMet),
        cmocka_unit_test(polesHaveNormals),
        cmocka_unit_test(evaluationTakesNoMemory),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
