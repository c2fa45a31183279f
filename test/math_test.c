#include "math/math.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// Oracles are in long double (64-bit mantissa), 2000 times finer than what they judge.
typedef long double Fine;

static const Fine finePi = 3.14159265358979323846264338327950288L;

static void assertAtMost(double actual, double bound, const char* what)
{
    if (!(actual <= bound)) fail_msg("%s: %.3g, at most %.3g expected", what, actual, bound);
}

static plVec3 randomUnit(plRng* rng)
{
    plVec3 a = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
    return plScale(1 / plNorm(a), a);
}

// --- rotations

// Rodrigues' formula for the rotation vector phi n/|n|, rounded to double at the very end.
static plMat3 fineRotation(plVec3 n, Fine phi, Fine a[3])
{
    Fine v[3] = {(Fine)n.x, (Fine)n.y, (Fine)n.z};
    Fine length = sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) v[i] /= length;
    for (int i = 0; i < 3; i++) a[i] = phi * v[i];
    Fine s = sinl(phi), c = 2 * sinl(phi / 2) * sinl(phi / 2), R[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) R[i][j] = c * v[i] * v[j] + (i == j ? 1 - c : 0);
    }
    R[0][1] -= s * v[2], R[1][0] += s * v[2];
    R[1][2] -= s * v[0], R[2][1] += s * v[0];
    R[2][0] -= s * v[1], R[0][2] += s * v[1];
    return (plMat3){{(double)R[0][0], (double)R[0][1], (double)R[0][2]},
                    {(double)R[1][0], (double)R[1][1], (double)R[1][2]},
                    {(double)R[2][0], (double)R[2][1], (double)R[2][2]}};
}

static double distance(plVec3 b, const Fine a[3])
{
    Fine x = (Fine)b.x - a[0], y = (Fine)b.y - a[1], z = (Fine)b.z - a[2];
    return (double)sqrtl(x * x + y * y + z * z);
}

static double largestEntry(const plMat3* A)
{
    double largest = 0;
    const plVec3 rows[3] = {A->x, A->y, A->z};
    for (int i = 0; i < 3; i++) {
        largest = fmax(largest, fmax(fabs(rows[i].x), fmax(fabs(rows[i].y), fabs(rows[i].z))));
    }
    return largest;
}

static double difference(const plMat3* A, const plMat3* B)
{
    plMat3 D = plMatAdd(A, -1, B);
    return largestEntry(&D);
}

static const Fine angles[] = {1e-300L, 1e-160L, 1e-20L, 1e-12L, 1e-9L,  1e-8L, 1e-7L,
                              1e-5L,   1e-3L,   0.1L,   0.5L,   1.0L,   1.5L,  2.0L,
                              2.5L,    3.0L,    3.1L,   3.14L,  3.1415L};
static const Fine anglesBeforePi[] = {1e-3L, 1e-5L, 1e-7L, 1e-8L, 1e-9L};

static double worstLog(Fine phi, plRng* rng)
{
    double worst = 0;
    for (int k = 0; k < 300; k++) {
        Fine a[3];
        plMat3 R = fineRotation(randomUnit(rng), phi, a);
        worst = fmax(worst, distance(plLog(&R), a) / (double)phi);
    }
    return worst;
}

// The entries of R are rounded, which alone moves the exact logarithm by 2e-16; the way through the
// quaternion adds as much again. 4.5e-16 in all was measured, and 1e-15 is allowed.
static void logIsAccurateFromZeroToPi(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    double worst = 0;
    for (int i = 0; i < PL_COUNT(angles); i++) worst = fmax(worst, worstLog(angles[i], &rng));
    for (int i = 0; i < PL_COUNT(anglesBeforePi); i++) {
        worst = fmax(worst, worstLog(finePi - anglesBeforePi[i], &rng));
    }
    print_message("log: largest relative error %.2g\n", worst);
    assertAtMost(worst, 1e-15, "relative error of log");
}

static void logAtPiFindsTheAxisUpToItsSign(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(2);
    plVec3 axes[103] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 3; k < PL_COUNT(axes); k++) axes[k] = randomUnit(&rng);
    for (int k = 0; k < PL_COUNT(axes); k++) {
        Fine a[3], opposite[3];
        plMat3 R = fineRotation(axes[k], finePi, a);
        for (int i = 0; i < 3; i++) opposite[i] = -a[i];
        plVec3 b = plLog(&R);
        // Relative to the angle, as in the test above.
        assertAtMost(fmin(distance(b, a), distance(b, opposite)), 1e-15 * PL_PI, "log at pi");
    }
}

static void logOfIdentityIsZero(void** state)
{
    (void)state;
    plMat3 I = plIdentity3();
    assert_true(plNorm(plLog(&I)) == 0);
    assert_true(plNorm(plLogQuat((plQuat){-1, 0, 0, 0})) == 0);
    assert_true(plNorm(plLogQuat(plExp(plVec(0, 0, 0)))) == 0);
}

static void expIsRodriguesAndLogUndoesIt(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(3);
    double worstMatrix = 0, worstTrip = 0;
    for (int i = 0; i < PL_COUNT(angles); i++) {
        for (int k = 0; k < 100; k++) {
            Fine a[3];
            plVec3 n = randomUnit(&rng);
            plMat3 fine = fineRotation(n, angles[i], a);
            plVec3 b = plVec((double)a[0], (double)a[1], (double)a[2]);
            plMat3 R = plRotation(plExp(b));
            worstMatrix = fmax(worstMatrix, difference(&R, &fine));
            plQuat q = plExp(b), opposite = {-q.w, -q.x, -q.y, -q.z}; // the same rotation
            plVec3 back = plLogQuat(k % 2 == 0 ? q : opposite);
            double error = fabs(back.x - b.x) + fabs(back.y - b.y) + fabs(back.z - b.z);
            worstTrip = fmax(worstTrip, error / (double)angles[i]);
        }
    }
    // Entries are sums of three products of components that carry 1 ulp of the sine or cosine.
    assertAtMost(worstMatrix, 8 * DBL_EPSILON, "exp");
    // Two roundings of the half angle, of the norm and of each component.
    assertAtMost(worstTrip, 8 * DBL_EPSILON, "log of exp");
}

static void quaternionOfMatrixIsItsInverse(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(4);
    for (int k = 0; k < 2000; k++) {
        plQuat q = plQuatUnit((plQuat){plRng_Normal(&rng), plRng_Normal(&rng), plRng_Normal(&rng),
                                       plRng_Normal(&rng)});
        plMat3 R = plRotation(q);
        plQuat r = plQuatOf(&R);
        assert_true(r.w >= 0);
        double sign = q.w < 0 ? -1 : 1;
        double error = fabs(r.w - sign * q.w) + fabs(r.x - sign * q.x) + fabs(r.y - sign * q.y) +
                       fabs(r.z - sign * q.z);
        // Four components, each from three rounded entries of R.
        assertAtMost(error, 12 * DBL_EPSILON, "quaternion of its matrix");
    }
}

static void quaternionProductIsMatrixProduct(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(5);
    for (int k = 0; k < 200; k++) {
        plQuat a = plRotor(randomUnit(&rng), plRng_Uniform(&rng, -4, 4));
        plQuat b = plRotor(randomUnit(&rng), plRng_Uniform(&rng, -4, 4));
        plMat3 A = plRotation(a), B = plRotation(b);
        plMat3 AB = plMatMul(&A, &B), C = plRotation(plQuatMul(a, b));
        // Some ten roundings of numbers up to 1.
        assertAtMost(difference(&AB, &C), 10 * DBL_EPSILON, "product");
        plMat3 ABt = plMatMulT(&A, &B), D = plRotation(plQuatMul(a, plQuatConj(b)));
        assertAtMost(difference(&ABt, &D), 10 * DBL_EPSILON, "product with the transpose");
        plMat3 AtB = plTransMul(&A, &B), E = plRotation(plQuatMul(plQuatConj(a), b));
        assertAtMost(difference(&AtB, &E), 10 * DBL_EPSILON, "product of the transpose");
        plMat3 I = plIdentity3(), At = plTranspose(&A), AtA = plMatMul(&At, &A);
        assertAtMost(difference(&AtA, &I), 10 * DBL_EPSILON, "orthogonality");
    }
}

static void unitQuaternionSurvivesExtremes(void** state)
{
    (void)state;
    const double sizes[] = {1, 1e-200, 5e-324, 1e200, DBL_MAX};
    for (int i = 0; i < PL_COUNT(sizes); i++) {
        plQuat q = plQuatUnit((plQuat){0, sizes[i], 0, -sizes[i]});
        assertAtMost(fabs(q.x - sqrt(0.5)) + fabs(q.z + sqrt(0.5)), 4 * DBL_EPSILON, "unit");
    }
    const plQuat bad[] = {{0, 0, 0, 0}, {NAN, 1, 0, 0}, {1, 0, INFINITY, 0}};
    for (int i = 0; i < PL_COUNT(bad); i++) {
        plQuat q = plQuatUnit(bad[i]);
        assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
    }
}

// (I - S(a)/2) cay(a) = I + S(a)/2, and exp(a) = cay(s a) with s = plTanRatio(|a|).
static void cayleyMeetsItsDefinitionAndExp(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(6);
    for (int k = 0; k < 500; k++) {
        double phi = plRng_Uniform(&rng, 0, 3);
        plVec3 a = plScale(phi, randomUnit(&rng));
        plMat3 I = plIdentity3(), S = plSkew(a), C = plRotation(plCayley(a));
        plMat3 left = plMatAdd(&I, -0.5, &S), right = plMatAdd(&I, 0.5, &S);
        left = plMatMul(&left, &C);
        // Products of three numbers up to 1.5, and the quaternion's own rounding.
        assertAtMost(difference(&left, &right), 20 * DBL_EPSILON, "cay");
        plQuat e = plExp(a), c = plCayley(plScale(plTanRatio(phi), a));
        double error = fabs(e.w - c.w) + fabs(e.x - c.x) + fabs(e.y - c.y) + fabs(e.z - c.z);
        // The tangent is up to 14 at 3 rad, but the quaternion feels its relative error only.
        assertAtMost(error, 10 * DBL_EPSILON, "exp by cay");
    }
}

// 1 - h cot h by its power series where it cancels (|B_2k|/(2k)! x^(2k-2)), else directly.
static Fine fineLogRatio(Fine x)
{
    if (fabsl(x) > 0.5L) return (1 - x / 2 / tanl(x / 2)) / (x * x);
    Fine y = x * x;
    return 1 / 12.0L +
           y * (1 / 720.0L +
                y * (1 / 30240.0L +
                     y * (1 / 1209600.0L +
                          y * (1 / 47900160.0L + y * (691 / 1307674368000.0L +
                                                      y * (1 / 74724249600.0L +
                                                           y * (3617 / 10670622842880000.0L)))))));
}

static void ratiosLoseNothingNearZero(void** state)
{
    (void)state;
    assert_true(plTanRatio(0) == 1);
    double worstTan = 0, worstLogRatio = fabs(12 * plLogRatio(0) - 1);
    for (double x = 1e-300; x < 6.2; x = x < 1e-10 ? x * 1e10 : x < 1e-2 ? x * 1.1 : x + 0.001) {
        Fine h = (Fine)x / 2;
        if (x < 3.14) {
            worstTan = fmax(worstTan, (double)fabsl((Fine)plTanRatio(x) / (tanl(h) / h) - 1));
        }
        double error = (double)fabsl((Fine)plLogRatio(x) / fineLogRatio((Fine)x) - 1);
        worstLogRatio = fmax(worstLogRatio, error);
        assert_true(plTanRatio(-x) == plTanRatio(x));
        assert_true(plLogRatio(-x) == plLogRatio(x));
    }
    print_message("ratios: largest relative errors %.2g, %.2g\n", worstTan, worstLogRatio);
    // One libm call and one division; five operations, the first two of which count double.
    assertAtMost(worstTan, 2 * DBL_EPSILON, "tan ratio");
    assertAtMost(worstLogRatio, 4 * DBL_EPSILON, "log ratio");
    assert_true(plTanRatio(PL_PI) > 1e15);
}

static void tangentsCompleteARightHandedFrame(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(8);
    plVec3 normals[206] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int k = 6; k < PL_COUNT(normals); k++) normals[k] = randomUnit(&rng);
    for (int k = 0; k < PL_COUNT(normals); k++) {
        plVec3 n = normals[k], t1, t2;
        plTangents(n, &t1, &t2);
        double error = fabs(plDot(n, t1)) + fabs(plDot(n, t2)) + fabs(plDot(t1, t2)) +
                       fabs(plNorm(t1) - 1) + fabs(plNorm(t2) - 1) +
                       plNorm(plSub(plCross(t1, t2), n));
        // t1 is divided by a length of at least 0.43 (n.z < 0.9): a few ulp each.
        assertAtMost(error, 20 * DBL_EPSILON, "tangents");
        plVec3 inPlane = plVec(cos(k), sin(k), 0);
        plTangents(inPlane, &t1, &t2);
        assert_true(t1.z == 0);
        assertAtMost(fabs(t2.z - 1), 4 * DBL_EPSILON, "second tangent of a planar normal");
    }
}

static void framesCompose(void** state)
{
    (void)state;
    plFrame a = plFrameOf((plPose){{1, 2, 3}, plRotor(plVec(0, 0, 1), PL_PI / 2)});
    plFrame b = plFrameOf((plPose){{1, 0, 0}, plRotor(plVec(1, 0, 0), PL_PI / 2)});
    plFrame c = plFrameMul(&a, &b);
    // x of b lies along y of the world: the origin is at (1, 3, 3), and b's y points up.
    assertAtMost(plNorm(plSub(c.x, plVec(1, 3, 3))), 1e-15, "origin");
    assertAtMost(plNorm(plSub(plMul(&c.R, plVec(0, 1, 0)), plVec(0, 0, 1))), 1e-15, "axis");
    assertAtMost(plNorm(plSub(plMulT(&c.R, plVec(0, 0, 1)), plVec(0, 1, 0))), 1e-15, "inverse");
    plMat3 mean = plMean(&a.R, &b.R), sum = plMatAdd(&a.R, 1, &b.R);
    sum = plMatAdd(&sum, -2, &mean);
    assert_true(largestEntry(&sum) == 0);
    assert_true(plFinite3(plVec(1, 2, 3)) && !plFinite3(plVec(1, NAN, 3)));
}

static void positiveMatricesAreTold(void** state)
{
    (void)state;
    plMat3 R = plRotation(plExp(plVec(0.3, -1.1, 0.7)));
    const struct {
        double x, y, z;
        bool strictly, semi;
    } cases[] = {
        {1, 2, 3, true, true},       {1e-9, 2, 3, true, true},   {0, 2, 3, false, true},
        {0, 0, 3, false, true},      {0, 0, 0, false, true},     {-1e-9, 2, 3, false, false},
        {-1e-9, 0, 3, false, false}, {-1, -1, -1, false, false}, {1, -5, 2, false, false}};
    for (int i = 0; i < PL_COUNT(cases); i++) {
        plMat3 A = plDiagonal3(cases[i].x, cases[i].y, cases[i].z);
        plMat3 turned = plMatMul(&R, &A);
        turned = plMatMulT(&turned, &R);
        assert_int_equal(plIsPositive3(&A, true), cases[i].strictly);
        assert_int_equal(plIsPositive3(&A, false), cases[i].semi);
        assert_int_equal(plIsPositive3(&turned, false), cases[i].semi);
        if (cases[i].semi == cases[i].strictly) {
            assert_int_equal(plIsPositive3(&turned, true), cases[i].strictly);
        }
    }
    plMat3 lopsided = {{2, 0.1, 0}, {0, 2, 0}, {0, 0, 2}}, bad = plDiagonal3(1, NAN, 1);
    plMat3 hollow = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    assert_false(plIsPositive3(&lopsided, false));
    assert_false(plIsPositive3(&bad, false));
    assert_false(plIsPositive3(&hollow, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logIsAccurateFromZeroToPi),
        cmocka_unit_test(logAtPiFindsTheAxisUpToItsSign),
        cmocka_unit_test(logOfIdentityIsZero),
        cmocka_unit_test(expIsRodriguesAndLogUndoesIt),
        cmocka_unit_test(quaternionOfMatrixIsItsInverse),
        cmocka_unit_test(quaternionProductIsMatrixProduct),
        cmocka_unit_test(unitQuaternionSurvivesExtremes),
        cmocka_unit_test(cayleyMeetsItsDefinitionAndExp),
        cmocka_unit_test(ratiosLoseNothingNearZero),
        cmocka_unit_test(tangentsCompleteARightHandedFrame),
        cmocka_unit_test(framesCompose),
        cmocka_unit_test(positiveMatricesAreTold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
