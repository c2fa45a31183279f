#include "math/math.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Oracles are in long double (64-bit mantissa), 2000 times finer than what they judge.
typedef long double Fine;

static void assertAtMost(double actual, double bound, const char* what)
{
    if (!(actual <= bound)) fail_msg("%s: %.3g, at most %.3g expected", what, actual, bound);
}

enum { maxOrder = 80, maxSize = maxOrder * maxOrder };

static double A[maxSize], F[maxSize], B[maxSize], X[maxSize], U[maxSize];
static double b[maxOrder], x[maxOrder], lambda[maxOrder];
static int pivot[maxOrder];

static void fillRandom(plRng* rng, double* a, int count)
{
    for (int i = 0; i < count; i++) a[i] = plRng_Normal(rng);
}

// A <- B B^T/n + shift I
static void fillPositive(plRng* rng, int n, int rank, double shift)
{
    fillRandom(rng, B, n * n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[i * n + j] = plDotN(B + i * n, B + j * n, rank) / n + (i == j ? shift : 0);
        }
    }
}

// max |A x - b| / (max row sum of |A| max|x| + max|b|): the backward error.
static double residual(const double* a, int n, const double* solution, const double* right)
{
    Fine worst = 0, norm = 0, length = 0, rightLength = 0;
    for (int i = 0; i < n; i++) {
        Fine r = -(Fine)right[i], sum = 0;
        for (int j = 0; j < n; j++) {
            r += (Fine)a[i * n + j] * (Fine)solution[j];
            sum += fabsl((Fine)a[i * n + j]);
        }
        worst = fmaxl(worst, fabsl(r));
        norm = fmaxl(norm, sum);
        length = fmaxl(length, fabsl((Fine)solution[i]));
        rightLength = fmaxl(rightLength, fabsl((Fine)right[i]));
    }
    return (double)(worst / (norm * length + rightLength));
}

static void luSolvesToRoundOff(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(10);
    double worst = 0;
    for (int n = 1; n <= maxOrder; n++) {
        enum { count = 3 };
        double many[count * maxOrder], rights[count * maxOrder];
        fillRandom(&rng, A, n * n);
        if (n > 1) A[0] = 0; // without exchanges there is no factor
        fillRandom(&rng, rights, count * n);
        memcpy(many, rights, sizeof many);
        memcpy(F, A, sizeof F);
        assert_true(plLu_Factor(F, n, pivot));
        plLu_SolveMany(F, n, pivot, many, count);
        memcpy(x, rights, sizeof x);
        plLu_Solve(F, n, pivot, x);
        for (int k = 0; k < count; k++) {
            worst = fmax(worst, residual(A, n, many + k * n, rights + k * n));
        }
        worst = fmax(worst, residual(A, n, x, rights));
    }
    print_message("LU: largest backward error %.2g\n", worst);
    // Backward stable up to the growth of entries, which is below sqrt(n) for such matrices.
    assertAtMost(worst, 10 * DBL_EPSILON, "LU");
}

static void luRefusesSingularAndNotFinite(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(11);
    const int orders[] = {1, 2, 5, plSmall, plSmall + 1, 64};
    for (int k = 0; k < PL_COUNT(orders); k++) {
        int n = orders[k];
        fillRandom(&rng, A, n * n);
        for (int j = 0; j < n; j++) A[(n / 2) * n + j] = 0;
        assert_false(plLu_Factor(A, n, pivot));
        const double bad[] = {NAN, INFINITY};
        for (int i = 0; i < 2; i++) {
            fillRandom(&rng, A, n * n);
            A[n * n - 1] = bad[i];
            assert_false(plLu_Factor(A, n, pivot));
            fillRandom(&rng, A, n * n);
            A[0] = bad[i];
            assert_false(plLu_Factor(A, n, pivot));
        }
    }
}

static void choleskySolvesToRoundOff(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(12);
    double worst = 0, worstProduct = 0;
    for (int n = 1; n <= maxOrder; n++) {
        fillPositive(&rng, n, n, 0.01);
        memcpy(F, A, sizeof F);
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) F[i * n + j] = NAN; // not read
        }
        assert_true(plChol_Factor(F, n));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (j > i) assert_true(F[i * n + j] == 0);
                double error = fabs(plDotN(F + i * n, F + j * n, n) - A[i * n + j]);
                worstProduct = fmax(worstProduct, error / sqrt(A[i * n + i] * A[j * n + j]));
            }
        }
        fillRandom(&rng, b, n);
        memcpy(x, b, sizeof x);
        plChol_Solve(F, n, x);
        worst = fmax(worst, residual(A, n, x, b));

        memcpy(x, b, sizeof x);
        plChol_Lower(F, n, x);
        worst = fmax(worst, residual(F, n, x, b));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) B[i * n + j] = F[j * n + i];
        }
        memcpy(x, b, sizeof x);
        plChol_LowerT(F, n, x);
        worst = fmax(worst, residual(B, n, x, b));
    }
    print_message("Cholesky: largest errors %.2g, %.2g\n", worstProduct, worst);
    // |A - L L^T|_ij <= (n + 1) eps sqrt(a_ii a_jj) in the worst case; roundings mostly cancel.
    assertAtMost(worstProduct, 10 * DBL_EPSILON, "L L^T");
    assertAtMost(worst, 10 * DBL_EPSILON, "Cholesky");
}

// The oracle is the solve of one side; zeros in front are what panels leave out.
static void panelsHaveTheBitsOfSingleSolves(void** state)
{
    (void)state;
    enum { most = plPanelWidth };
    plRng rng = plRng_Seed(15);
    double sides[most * plSmall], panel[plPanelSize], one[plSmall], LU[plSmall * plSmall];
    for (int n = 1; n <= plSmall; n++) {
        const int count = 1 + (7 * n) % most;
        fillPositive(&rng, n, n, 0.01);
        memcpy(F, A, sizeof F);
        assert_true(plChol_Factor(F, n));
        fillRandom(&rng, LU, n * n);
        assert_true(plLu_Factor(LU, n, pivot));
        fillRandom(&rng, sides, count * n);
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < n && k < j; k++) sides[j * n + k] = 0;
        }
        plPanel_Load(sides, 1, n, n, count, panel);
        plPanel_Lower(F, n, count, false, panel);
        plPanel_Lu(LU, n, pivot, count, panel);
        plPanel_LowerT(F, n, count, panel);
        for (int j = 0; j < count; j++) {
            memcpy(one, sides + j * n, (size_t)n * sizeof *one);
            plChol_Lower(F, n, one);
            plLu_Solve(LU, n, pivot, one);
            plChol_LowerT(F, n, one);
            for (int k = 0; k < n; k++) assert_true(panel[most * k + j] == one[k]);
        }
        memcpy(one, sides, (size_t)n * sizeof *one);
        plChol_Solve(F, n, one);
        plChol_SolveMany(F, n, sides, count);
        for (int k = 0; k < n; k++) assert_true(sides[k] == one[k]);
    }
}

// Large ones are not made in panels, but by the library: its sums may go by where a row lies in memory.
static bool isSame(double is, double should, int n, double size)
{
    return n <= plSmall ? is == should : fabs(is - should) <= n * DBL_EPSILON * size;
}

static double largestOf(const double* values, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(values[i]));
    return largest;
}

static void choleskySolvesFromBothSidesOfAMatrix(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(16);
    for (int n = 1; n <= maxOrder; n++) {
        fillPositive(&rng, n, n, 0.01);
        memcpy(F, A, sizeof F);
        assert_true(plChol_Factor(F, n));
        fillRandom(&rng, B, n * n);
        memcpy(X, B, sizeof X);
        plChol_LowerLeft(F, n, X);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) x[i] = B[i * n + j];
            plChol_Lower(F, n, x);
            const double size = largestOf(x, n);
            for (int i = 0; i < n; i++) assert_true(isSame(X[i * n + j], x[i], n, size));
        }
        memcpy(X, B, sizeof X);
        memcpy(U, B, sizeof U);
        plChol_LowerRight(F, n, X, false);
        plChol_LowerRight(F, n, U, true);
        for (int i = 0; i < n; i++) {
            double* y = B + i * n;
            plChol_Lower(F, n, y);
            const double size = largestOf(y, n);
            for (int j = 0; j < n; j++) assert_true(isSame(X[i * n + j], y[j], n, size));
            for (int j = 0; j < i; j++) assert_true(isSame(U[i * n + j], y[j], n, size));
        }
    }
}

static void choleskyRefusesWhatIsNotPositive(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(13);
    const int orders[] = {1, 2, 5, plSmall, plSmall + 1, 64};
    for (int k = 0; k < PL_COUNT(orders); k++) {
        int n = orders[k];
        const double bad[] = {NAN, INFINITY, -INFINITY, -1};
        for (int i = 0; i < PL_COUNT(bad); i++) {
            fillPositive(&rng, n, n, 1);
            A[n * n - 1] = bad[i];
            assert_false(plChol_Factor(A, n));
        }
        fillPositive(&rng, n, n, 1);
        A[(n - 1) * n] = NAN;
        assert_false(plChol_Factor(A, n));
        memset(A, 0, sizeof A);
        assert_false(plChol_Factor(A, n));
    }
}

// Quasi-definite: a positive and a negative block, with anything between, always has the factor.
static void fillQuasiDefinite(plRng* rng, int n)
{
    fillPositive(rng, n, n, 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i >= n / 2 && j >= n / 2) A[i * n + j] *= -1;
        }
    }
}

static void ldlSolvesIndefiniteSystems(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(14);
    double worst = 0;
    for (int n = 1; n <= maxOrder; n++) {
        fillQuasiDefinite(&rng, n);
        memcpy(F, A, sizeof F);
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) F[i * n + j] = NAN; // not read
        }
        assert_true(plLdl_Factor(F, n));
        int negative = 0;
        for (int i = 0; i < n; i++) negative += F[i * n + i] < 0;
        assert_int_equal(negative, n - n / 2); // Sylvester's law of inertia
        fillRandom(&rng, b, n);
        memcpy(x, b, sizeof x);
        plLdl_Solve(F, n, x);
        worst = fmax(worst, residual(A, n, x, b));
    }
    print_message("LDL: largest backward error %.2g\n", worst);
    // Pivots stay above 1, the shift, so that entries grow by the condition of a block at most.
    assertAtMost(worst, 20 * DBL_EPSILON, "LDL");
}

static void ldlRefusesVanishingPivots(void** state)
{
    (void)state;
    double hollow[] = {0, 1, 1, 0}, rankOne[] = {1, 2, 2, 4}, bad[] = {1, NAN, NAN, 1};
    double nearly[] = {1, 1, 1, 1 + 1e-15}, infinite[] = {INFINITY}, zero[] = {0};
    assert_false(plLdl_Factor(hollow, 2));
    assert_false(plLdl_Factor(rankOne, 2));
    assert_false(plLdl_Factor(bad, 2));
    assert_false(plLdl_Factor(nearly, 2));
    assert_false(plLdl_Factor(infinite, 1));
    assert_false(plLdl_Factor(zero, 1));
}

static void productsMatchTheirDefinition(void** state)
{
    (void)state;
    const double M[] = {1, 2, 3, -1, 4, 5, 6, -1}; // 2 x 3, stride 4
    double y[3], right[] = {1, -1, 2}, left[] = {2, -1};
    plMatVec(M, 2, 3, 4, right, y);
    assert_true(y[0] == 5 && y[1] == 11);
    plMatVecT(M, 2, 3, 4, left, y);
    assert_true(y[0] == -2 && y[1] == -1 && y[2] == 0);
    for (int n = 0; n <= 9; n++) {
        double a[9], expected = 0;
        for (int i = 0; i < n; i++) a[i] = i + 1, expected += a[i] * a[i];
        assert_true(plDotN(a, a, n) == expected);
    }
}

// --- eigenvalues

typedef struct {
    plArena arena;
    plEigen eigen;
} Bench;

static Bench openBench(void)
{
    plAllocator allocator = plDefaultAllocator();
    Bench bench;
    assert_int_equal(plArena_Create(&bench.arena, 1 << 20, &allocator), pl_statusOk);
    assert_int_equal(plEigen_Create(&bench.eigen, maxOrder, &bench.arena), pl_statusOk);
    return bench;
}

static void closeBench(Bench* bench)
{
    plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&bench->arena, &allocator);
}

// Stiffness of a chain of unit springs between walls: lambda_k = 4 sin^2(k pi/(2(n + 1))), and the
// vectors are sines.
static void eigenvaluesOfASpringChainAreSines(void** state)
{
    (void)state;
    Bench bench = openBench();
    for (int n = 1; n <= maxOrder; n++) {
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++) {
            A[i * n + i] = 2;
            if (i > 0) A[i * n + i - 1] = A[(i - 1) * n + i] = -1;
        }
        assert_true(plEigen_Solve(&bench.eigen, A, n, lambda, U));
        for (int k = 0; k < n; k++) {
            double half = sin((k + 1) * PL_PI / (2 * (n + 1)));
            // A norm of 4, times the n eps of a reduction to tridiagonal form.
            assertAtMost(fabs(lambda[k] - 4 * half * half), 4 * maxOrder * DBL_EPSILON, "lambda");
            double cosine = 0;
            for (int i = 0; i < n; i++) {
                double mode = sqrt(2.0 / (n + 1)) * sin((k + 1) * (i + 1) * PL_PI / (n + 1));
                cosine += mode * U[i * n + k];
            }
            // Neighbouring eigenvalues are 1e-3 apart or more, so vectors turn by n eps/1e-3 =
            // 2e-11 at most, and the cosine loses the square of that.
            assertAtMost(fabs(fabs(cosine) - 1), 1e-13, "eigenvector");
        }
    }
    closeBench(&bench);
}

static void eigenRefusesWhatIsNotFinite(void** state)
{
    (void)state;
    Bench bench = openBench();
    double bad[] = {1, NAN, NAN, 1}, infinite[] = {INFINITY, 0, 0, 1};
    assert_false(plEigen_Solve(&bench.eigen, bad, 2, lambda, U));
    assert_false(plEigen_Solve(&bench.eigen, infinite, 2, lambda, U));
    assert_int_equal(plPseudoSolve(&bench.eigen, bad, 2, 1e-12, b, x, lambda, U), -1);
    plArena_Rewind(&bench.arena, 0);
    plArena none = {0};
    assert_int_equal(plEigen_Create(&bench.eigen, maxOrder, &none), pl_statusCapacity);
    closeBench(&bench);
}

static void symmetricRootSquaresToItsMatrix(void** state)
{
    (void)state;
    Bench bench = openBench();
    plRng rng = plRng_Seed(20);
    double worst = 0;
    for (int n = 1; n <= maxOrder; n++) {
        fillPositive(&rng, n, (n + 1) / 2, 0); // half of the eigenvalues are zero
        assert_true(plSymSqrt(&bench.eigen, A, n, lambda, U, X));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                assert_true(X[i * n + j] == X[j * n + i]);
                worst = fmax(worst, fabs(plDotN(X + i * n, X + j * n, n) - A[i * n + j]));
            }
        }
    }
    // Eigenvalues are below 3; each entry is a sum of n products that are exact to round-off.
    assertAtMost(worst, 3 * maxOrder * DBL_EPSILON, "square of the root");
    double indefinite[] = {1, 2, 2, 1};
    assert_false(plSymSqrt(&bench.eigen, indefinite, 2, lambda, U, X));
    double four[] = {4, 0, 0, 9};
    assert_true(plSymSqrt(&bench.eigen, four, 2, lambda, U, X));
    assertAtMost(fabs(lambda[0] - 2) + fabs(lambda[1] - 3), 4 * DBL_EPSILON, "root of diag(4, 9)");
    closeBench(&bench);
}

// For A = G G^T of rank r and b = A c, the solution is the projection of c on the range of A: it
// solves the system, and its part outside the range is zero.
static void pseudoSolveFindsRankAndShortestSolution(void** state)
{
    (void)state;
    Bench bench = openBench();
    plRng rng = plRng_Seed(21);
    double worst = 0, worstOutside = 0;
    for (int n = 1; n <= maxOrder; n++) {
        int rank = (n + 1) / 2;
        double c[maxOrder];
        fillPositive(&rng, n, rank, 0);
        fillRandom(&rng, c, n);
        plMatVec(A, n, n, n, c, b);
        memcpy(x, b, sizeof x);
        assert_int_equal(plPseudoSolve(&bench.eigen, A, n, 1e-12, x, x, lambda, U), rank);
        worst = fmax(worst, residual(A, n, x, b));
        for (int k = 0; k < n - rank; k++) { // the vectors of the zero eigenvalues come first
            double outside = 0;
            for (int i = 0; i < n; i++) outside += U[i * n + k] * x[i];
            worstOutside = fmax(worstOutside, fabs(outside) / sqrt(plDotN(x, x, n)));
        }
    }
    // Each of n eigenpairs is exact to n eps of the norm, n = 80; roundings mostly cancel.
    assertAtMost(worst, maxOrder * DBL_EPSILON, "residual");
    assertAtMost(worstOutside, maxOrder * DBL_EPSILON, "part outside the range");

    double zero[4] = {0}, right[2] = {1, 2};
    assert_int_equal(plPseudoSolve(&bench.eigen, zero, 2, 1e-12, right, x, lambda, U), 0);
    assert_true(x[0] == 0 && x[1] == 0);
    // Least squares: of the right-hand side (1, 3), ones(2, 2) reaches only the mean.
    double ones[] = {1, 1, 1, 1}, uneven[] = {1, 3};
    assert_int_equal(plPseudoSolve(&bench.eigen, ones, 2, 1e-12, uneven, x, lambda, U), 1);
    assertAtMost(fabs(x[0] - 1) + fabs(x[1] - 1), 8 * DBL_EPSILON, "least squares");
    closeBench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luSolvesToRoundOff),
        cmocka_unit_test(luRefusesSingularAndNotFinite),
        cmocka_unit_test(choleskySolvesToRoundOff),
        cmocka_unit_test(panelsHaveTheBitsOfSingleSolves),
        cmocka_unit_test(choleskySolvesFromBothSidesOfAMatrix),
        cmocka_unit_test(choleskyRefusesWhatIsNotPositive),
        cmocka_unit_test(ldlSolvesIndefiniteSystems),
        cmocka_unit_test(ldlRefusesVanishingPivots),
        cmocka_unit_test(productsMatchTheirDefinition),
        cmocka_unit_test(eigenvaluesOfASpringChainAreSines),
        cmocka_unit_test(eigenRefusesWhatIsNotFinite),
        cmocka_unit_test(symmetricRootSquaresToItsMatrix),
        cmocka_unit_test(pseudoSolveFindsRankAndShortestSolution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
