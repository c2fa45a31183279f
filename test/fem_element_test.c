// Elements and assembly: stiffness from first principles, the patch test, masses.
#include "fems.h"

#include <string.h>

// --- one element

/// B of the definition: rows xx yy zz xy yz zx, columns 3 a corner.
static void fillB(const plVec3 g[4], double B[6][12])
{
    memset(B, 0, sizeof(double[6][12]));
    for (int a = 0; a < 4; ++a) {
        B[0][3 * a] = B[3][3 * a + 1] = B[5][3 * a + 2] = g[a].x;
        B[1][3 * a + 1] = B[3][3 * a] = B[4][3 * a + 2] = g[a].y;
        B[2][3 * a + 2] = B[4][3 * a + 1] = B[5][3 * a] = g[a].z;
    }
}

static void fillD(double E, double nu, double D[6][6])
{
    const double c = E / ((1 + nu) * (1 - 2 * nu));
    memset(D, 0, sizeof(double[6][6]));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) D[i][j] = c * (i == j ? 1 - nu : nu);
        D[3 + i][3 + i] = E / (2 * (1 + nu));
    }
}

/// Gradients by solving sum of N_a = 1 and sum of N_a x_a = x, not by cross products.
static void solveGradients(const plVec3 x[4], plVec3 g[4])
{
    double A[16], b[4];
    int pivot[4];
    for (int i = 0; i < 4; ++i) {
        A[i] = 1, A[4 + i] = x[i].x, A[8 + i] = x[i].y, A[12 + i] = x[i].z;
    }
    assert_true(plLu_Factor(A, 4, pivot));
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 4; ++i) b[i] = i == k + 1;
        plLu_Solve(A, 4, pivot, b);
        for (int a = 0; a < 4; ++a) (k == 0 ? &g[a].x : k == 1 ? &g[a].y : &g[a].z)[0] = b[a];
    }
}

static plTets oneTet(const plVec3 x[4])
{
    plTets mesh;
    char text[512];
    plShapeError error;
    const plAllocator allocator = heap();
    int n = snprintf(text, sizeof text, "4 1\n");
    for (int i = 0; i < 4; ++i) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%.17g %.17g %.17g\n", x[i].x, x[i].y,
                      x[i].z);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "0 1 2 3\n");
    checkMade(plTets_Parse("one", text, (size_t)n, 1, &allocator, &mesh, &error), &error);
    plTets_Orient(&mesh);
    return mesh;
}

static void stiffnessIsVolumeTimesBtDB(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(71);
    double worst = 0;
    for (int round = 0; round < 100; ++round) {
        plVec3 x[4], g[4], corner[4];
        double B[6][12], D[6][6], most = 0;
        for (int i = 0; i < 4; ++i) {
            x[i] = plVec(plRng_Uniform(&rng, -1, 1), plRng_Uniform(&rng, -1, 1),
                         plRng_Uniform(&rng, -1, 1));
        }
        Body b = makeBody(oneTet(x), 3, 0.35, 1);
        for (int i = 0; i < 4; ++i) corner[i] = b.mesh.points[b.mesh.tets[i]];
        solveGradients(corner, g);
        fillB(g, B), fillD(3, 0.35, D);
        double* K = denseOf(&b.soft, pl_softLumped, 0, 1);
        for (int i = 0; i < 144; ++i) most = fmax(most, fabs(K[i]));
        for (int i = 0; i < 12; ++i) {
            for (int j = 0; j < 12; ++j) {
                double k = 0;
                for (int e = 0; e < 36; ++e) k += B[e / 6][i] * D[e / 6][e % 6] * B[e % 6][j];
                const int *v = b.mesh.tets, row = 3 * v[i / 3] + i % 3,
                          column = 3 * v[j / 3] + j % 3;
                const double error = fabs(K[12 * row + column] - b.soft.volume[0] * k) / most;
                if (error > worst) worst = error;
                assert_true(K[12 * row + column] == K[12 * column + row]);
            }
        }
        free(K);
        freeBody(&b);
    }
    print_message("K against V B^T D B: %.1e\n", worst);
    checkAtMost("K", worst, 1e-11); // gradients of the flattest of 100 random elements lose digits
}

// --- patch test                                                               (signorini 2)

/// 4 x 3 x 3 hexahedra, the 12 nodes inside moved.
static plTets patchMesh(void)
{
    plTets mesh = boxMesh(4, 3, 3, plVec(0, 0, 0), plVec(2, 1.5, 1.2));
    plRng rng = plRng_Seed(72);
    int inside = 0;
    for (int i = 0; i < mesh.pointCount; ++i) {
        plVec3* p = &mesh.points[i];
        if (p->x <= 0 || p->x >= 2 || p->y <= 0 || p->y >= 1.5 || p->z <= 0 || p->z >= 1.2)
            continue;
        p->x += plRng_Uniform(&rng, -0.08, 0.08);
        p->y += plRng_Uniform(&rng, -0.08, 0.08);
        p->z += plRng_Uniform(&rng, -0.08, 0.08);
        ++inside;
    }
    assert_int_equal(inside, 12);
    return mesh;
}

static bool onBorder(plVec3 p)
{
    return p.x == 0 || p.x == 2 || p.y == 0 || p.y == 1.5 || p.z == 0 || p.z == 1.2;
}

static const plMat3 strained = {{1e-3, 2e-4, -3e-4}, {5e-4, -4e-4, 1e-4}, {2e-4, 6e-4, 7e-4}};

static void patchTestPasses(void** state)
{
    (void)state;
    Body b = makeBody(patchMesh(), 1e6, 0.3, 1);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    double *u = numbers(n), *f = numbers(n), D[6][6], stress[6], error = 0, stressError = 0;
    unsigned char* fixed = noneHeld(s);
    for (int i = 0; i < s->nodeCount; ++i) {
        if (!onBorder(s->points[i])) continue;
        plPut3(plMul(&strained, s->points[i]), &u[3 * i]);
        memset(&fixed[3 * i], 1, 3);
    }
    plSoftFactor factor = makeFactor(s, 0, 1, pl_softLumped, fixed, NULL, 0);
    assert_int_equal(factor.n, 36);
    plSoftFactor_Solve(&factor, f, u);
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 want = plMul(&strained, s->points[i]);
        error = fmax(error, plNorm(plSub(plGet3(&u[3 * i]), want)) / 2e-3);
    }
    const double strain[6] = {1e-3, -4e-4, 7e-4, 7e-4, 7e-4, -1e-4};
    fillD(1e6, 0.3, D);
    for (int t = 0; t < s->tetCount; ++t) {
        plSoft_Stress(s, t, u, stress);
        for (int i = 0; i < 6; ++i) {
            const double want = plDotN(D[i], strain, 6);
            stressError = fmax(stressError, fabs(stress[i] - want) / 1e3);
        }
    }
    print_message("patch test: displacement %.1e, stress %.1e\n", error, stressError);
    checkAtMost("displacement", error, 1e-12);
    checkAtMost("stress", stressError, 1e-10);
    freeFactor(&factor);
    freeBody(&b);
    free(u), free(f), free(fixed);
}

static void stiffnessHasExactlySixZeroEigenvalues(void** state)
{
    (void)state;
    Body b = makeBody(patchMesh(), 1e6, 0.3, 1);
    const int n = 3 * b.soft.nodeCount;
    double *K = denseOf(&b.soft, pl_softLumped, 0, 1), *lambda = numbers(n), *U = numbers(n * n);
    eigenvalues(K, n, lambda, U);
    double zero = 0;
    for (int i = 0; i < 6; ++i) zero = fmax(zero, fabs(lambda[i]) / lambda[n - 1]);
    print_message("zero eigenvalues %.1e, the seventh %.1e of the largest\n", zero,
                  lambda[6] / lambda[n - 1]);
    checkAtMost("zero eigenvalues", zero, 1e-14);
    assert_true(lambda[6] > 1e-4 * lambda[n - 1]);
    free(K), free(lambda), free(U);
    freeBody(&b);
}

// --- masses

static void massesHaveTheWeightOfTheBody(void** state)
{
    (void)state;
    const double rho = 7, V = 2 * 1.5 * 1.2, m = rho * V;
    Body b = makeBody(patchMesh(), 1, 0, rho);
    const plMass lumped = plSoft_RigidMass(&b.soft, pl_softLumped);
    const plMass exact = plSoft_RigidMass(&b.soft, pl_softConsistent);
    double consistent = 0;
    for (int i = 0; i < b.soft.start[b.soft.nodeCount]; ++i) consistent += b.soft.M[i];
    checkRatio("lumped mass", lumped.mass, m, 1e-14);
    checkRatio("consistent mass", consistent, m, 1e-14);
    checkNear("centre", plNorm(plSub(exact.center, plVec(1, 0.75, 0.6))), 0, 1e-14);
    const double square[3] = {2.0 * 2.0, 1.5 * 1.5, 1.2 * 1.2};
    const double inertia[3] = {exact.inertia.x.x, exact.inertia.y.y, exact.inertia.z.z};
    for (int k = 0; k < 3; ++k) {
        const double want = m * (square[(k + 1) % 3] + square[(k + 2) % 3]) / 12;
        checkRatio("inertia", inertia[k], want, 1e-13);
    }
    checkNear("product", exact.inertia.x.y / inertia[0], 0, 1e-14);
    // Mass at the nodes lies farther out: by 2/9 were the nodes inside not moved.
    const double grows = lumped.inertia.x.x / inertia[0] - 1;
    print_message("lumped inertia is larger by %.1f %%\n", 100 * grows);
    checkNear("lumped inertia", grows, 2.0 / 9, 0.02);
    freeBody(&b);
}

// sum of m x^2 over a bar: rho A L^3/3 by the consistent mass. On n cells the lumped mass is the
// trapezoidal rule, which adds 1/(2 n^2) of it.
static void secondMomentOfTheConsistentMassIsExact(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(4, 3, 3, plVec(0, 0, 0), plVec(2, 1.5, 1.2)), 1, 0, 100);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    double *x = numbers(n), *y = numbers(n), moment[2];
    for (int i = 0; i < s->nodeCount; ++i) x[3 * i] = s->points[i].x;
    for (plSoftMass mass = pl_softLumped; mass <= pl_softConsistent; ++mass) {
        plSoft_Multiply(s, mass, 1, 0, x, y);
        moment[mass] = plDotN(x, y, n);
    }
    checkRatio("consistent", moment[pl_softConsistent], 100 * 1.5 * 1.2 * 8 / 3, 1e-14);
    checkRatio("lumped", moment[0], moment[1] * (1 + 1.0 / 32), 1e-13);
    free(x), free(y);
    freeBody(&b);
}

static void unsoundBodiesAreRefusedInWords(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    plTets mesh = boxMesh(1, 1, 1, plVec(0, 0, 0), plVec(1, 1, 1));
    plElastic bad[] = {{0, 0.3, 1}, {1, 0.5, 1}, {1, -1, 1}, {1, 0.3, 0}, {NAN, 0.3, 1}};
    plSoft s;
    plShapeError error;
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        assert_int_equal(plSoft_Create(&s, &mesh, &bad[i], &allocator, &error),
                         pl_statusBadArgument);
        assert_non_null(strstr(error.message, "nu between"));
    }
    const plElastic good = {1, 0.3, 1};
    const int first = mesh.tets[0];
    mesh.tets[0] = mesh.tets[1], mesh.tets[1] = first;
    assert_int_equal(plSoft_Create(&s, &mesh, &good, &allocator, &error), pl_statusBadArgument);
    assert_non_null(strstr(error.message, "1 tetrahedra are inverted, the first is 0"));
    assert_int_equal(plTets_Orient(&mesh), 1);
    assert_int_equal(plSoft_Create(&s, &mesh, &good, &allocator, &error), pl_statusOk);
    // Nothing holds it.
    plSoftFactor f;
    plSoftFactorDef def = {.b = 1};
    assert_int_equal(plSoftFactor_Create(&f, &s, &def, &allocator, &error), pl_statusBadArgument);
    assert_non_null(strstr(error.message, "without force"));
    const int wrong = 8;
    def.a = 1, def.candidates = &wrong, def.candidateCount = 1;
    assert_int_equal(plSoftFactor_Create(&f, &s, &def, &allocator, &error), pl_statusBadArgument);
    plSoft_Destroy(&s, &allocator);
    plTets_Free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffnessIsVolumeTimesBtDB),
        cmocka_unit_test(patchTestPasses),
        cmocka_unit_test(stiffnessHasExactlySixZeroEigenvalues),
        cmocka_unit_test(massesHaveTheWeightOfTheBody),
        cmocka_unit_test(secondMomentOfTheConsistentMassIsExact),
        cmocka_unit_test(unsoundBodiesAreRefusedInWords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
