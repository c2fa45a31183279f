// Large turns of tetrahedra: the nearest rotation, forces and stiffness of elements that turn; and the
// numbers of a factor found anew over its old pattern.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "counting.h"
#include "fems.h"

#include <string.h>
#include <time.h>

// --- numbers

static uint64_t seed = 1;

static double anyOf(double lo, double hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

static plVec3 anyVector(double size)
{
    return (plVec3){anyOf(-size, size), anyOf(-size, size), anyOf(-size, size)};
}

static plMat3 anyTurn(void) { return plRotation(plExp(anyVector(3))); }

/// R1 diag(s) R2^T.
static plMat3 stretched(plVec3 s)
{
    const plMat3 a = anyTurn(), b = anyTurn(), D = plDiagonal3(s.x, s.y, s.z);
    const plMat3 left = plMatMul(&a, &D);
    return plMatMulT(&left, &b);
}

static double dot9(const plMat3* A, const plMat3* B)
{
    return plDot(A->x, B->x) + plDot(A->y, B->y) + plDot(A->z, B->z);
}

static double distance9(const plMat3* A, const plMat3* B)
{
    const plMat3 d = plMatAdd(A, -1, B);
    return sqrt(dot9(&d, &d));
}

static double determinant(const plMat3* A) { return plDot(A->x, plCross(A->y, A->z)); }

// --- the nearest rotation

/// How far it is from a rotation, and R^T F from symmetric, of |F|.
static double faultOf(const plMat3* F, const plMat3* R)
{
    const plMat3 one = plIdentity3(), RR = plTransMul(R, R), S = plTransMul(R, F);
    const plMat3 ST = plTranspose(&S);
    const double size = sqrt(dot9(F, F));
    return fmax(distance9(&RR, &one) + fabs(determinant(R) - 1),
                size > 0 ? distance9(&S, &ST) / size : 0);
}

// tr R^T F is s1 + s2 + s3 at the nearest one, with the sign of the determinant at the least.
static void theNearestTurnHasTheLargestTrace(void** state)
{
    (void)state;
    double fault = 0, missed = 0;
    for (int i = 0; i < 20000; ++i) {
        const double flat = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-9 : anyOf(0, 1);
        const double sign = i % 2 == 0 ? 1 : -1, scale = pow(10, anyOf(-3, 3));
        const double s1 = anyOf(1, 3), s2 = anyOf(flat, 1), s3 = sign * flat * anyOf(0, s2);
        const plMat3 F = stretched((plVec3){scale * s1, scale * s2, scale * s3});
        const plMat3 R = plNearestTurn(&F);
        fault = fmax(fault, faultOf(&F, &R));
        missed = fmax(missed, 1 - dot9(&R, &F) / (scale * (s1 + s2 + s3)));
    }
    print_message("largest fault %.1e, of the trace is missed %.1e\n", fault, missed);
    checkAtMost("fault", fault, 1e-14);
    checkAtMost("trace", missed, 1e-14);
}

static void aTurnIsItsOwnNearestAndNothingIsTheUnit(void** state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const plMat3 F = anyTurn(), R = plNearestTurn(&F);
        worst = fmax(worst, distance9(&F, &R));
    }
    checkAtMost("turn", worst, 1e-14);
    const plMat3 nothing = {0}, one = plIdentity3(), R = plNearestTurn(&nothing);
    assert_memory_equal(&R, &one, sizeof R);
    // Mirrored: all rotations by a half turn are as near. Any is right, and the trace is 1.
    const plMat3 mirror = plDiagonal3(-1, -1, -1), half = plNearestTurn(&mirror);
    checkAtMost("mirrored", faultOf(&mirror, &half), 1e-13);
    checkNear("trace", dot9(&mirror, &half), 1, 1e-13);
}

// --- forces and stiffness of elements that turn

static Body block(void) { return makeBody(boxMesh(2, 2, 2, all3(0), all3(0.1)), 1e5, 0.35, 1000); }

/// u of a motion x = t + R (X + noise).
static void moved(const plSoft* s, const plMat3* R, double noise, double* u)
{
    const plVec3 t = anyVector(1);
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 X = s->points[i], place = plAdd(X, anyVector(noise));
        plPut3(plSub(plAdd(t, plMul(R, place)), X), &u[3 * i]);
    }
}

static double largest(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static int inverted(const plSoft* s, const double* u)
{
    int count = 0;
    for (int i = 0; i < s->tetCount; ++i) {
        plVec3 x[4];
        for (int a = 0; a < 4; ++a) {
            const int node = s->tets[4 * i + a];
            x[a] = plAdd(s->points[node], plGet3(&u[3 * node]));
        }
        const plMat3 edges = {plSub(x[1], x[0]), plSub(x[2], x[0]), plSub(x[3], x[0])};
        count += determinant(&edges) < 0;
    }
    return count;
}

// E h is the force of a strain of 1 on the side of an element.
static void aRigidMotionStoresNothing(void** state)
{
    (void)state;
    Body b = block();
    const int n = 3 * b.soft.nodeCount;
    double *u = numbers(n), *f = numbers(n), worst = 0, stored = 0;
    for (int i = 0; i < 20; ++i) {
        const plMat3 R = anyTurn();
        moved(&b.soft, &R, 0, u);
        plSoft_TurnedForce(&b.soft, u, f);
        worst = fmax(worst, largest(f, n));
        stored = fmax(stored, plSoft_TurnedEnergy(&b.soft, u));
    }
    print_message("force %.1e N of %.0f N, stored %.1e J\n", worst, 1e5 * 0.05 * 0.05, stored);
    checkAtMost("force", worst, 1e-13 * 1e5 * 0.05 * 0.05);
    checkAtMost("stored", stored, 1e-24);
    free(u), free(f);
    freeBody(&b);
}

static void smallStrainsAreThoseOfTheLinearBody(void** state)
{
    (void)state;
    Body b = block();
    const int n = 3 * b.soft.nodeCount;
    const plMat3 one = plIdentity3();
    double *u = numbers(n), *f = numbers(n), *linear = numbers(n), off[2];
    for (int k = 0; k < 2; ++k) { // the difference is of second order
        seed = 7;
        moved(&b.soft, &one, k == 0 ? 1e-5 : 1e-6, u);
        plSoft_TurnedForce(&b.soft, u, f);
        plSoft_Multiply(&b.soft, pl_softLumped, 0, 1, u, linear);
        const double size = largest(linear, n);
        for (int i = 0; i < n; ++i) f[i] -= linear[i];
        off[k] = largest(f, n) / size;
    }
    print_message("off by %.1e and %.1e of the force\n", off[0], off[1]);
    checkAtMost("first", off[0], 1e-5 / 0.05 * 2); // about the strain
    checkNear("ratio", off[0] / off[1], 10, 0.1);
    free(u), free(f), free(linear);
    freeBody(&b);
}

// Bodies that are torn about so that a third of their elements are inside out: the force is still the
// slope of what is stored.
static void forcesAreTheSlopeOfWhatIsStored(void** state)
{
    (void)state;
    Body b = block();
    const int n = 3 * b.soft.nodeCount;
    double *u = numbers(n), *f = numbers(n), worst = 0;
    int turned = 0;
    for (int k = 0; k < 40; ++k) {
        const plMat3 R = anyTurn();
        const double h = 1e-7;
        moved(&b.soft, &R, k % 2 == 0 ? 0.01 : 0.06, u);
        turned += inverted(&b.soft, u);
        plSoft_TurnedForce(&b.soft, u, f);
        const double size = largest(f, n);
        for (int i = k % 7; i < n; i += 7) {
            const double at = u[i];
            u[i] = at + h;
            const double later = plSoft_TurnedEnergy(&b.soft, u);
            u[i] = at - h;
            const double before = plSoft_TurnedEnergy(&b.soft, u);
            u[i] = at;
            worst = fmax(worst, fabs((later - before) / (2 * h) - f[i]) / size);
        }
    }
    print_message("%d of %d inside out; worst %.1e of the force\n", turned, 40 * b.soft.tetCount,
                  worst);
    assert_true(turned > 200);
    // The third derivative times h^2/6, largest where an element is about to choose another turn.
    checkAtMost("slope", worst, 1e-6);
    free(u), free(f);
    freeBody(&b);
}

static void stiffnessTurnsWithTheBody(void** state)
{
    (void)state;
    Body b = block();
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount, count = 9 * s->start[s->nodeCount];
    double *u = numbers(n), *K = numbers(count), worst = 0;
    plSoft_TurnedStiffness(s, u, K);
    for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(K[i] - s->K[i]));
    checkAtMost("at rest", worst / largest(s->K, count), 1e-15);
    const plMat3 R = anyTurn();
    moved(s, &R, 0, u);
    plSoft_TurnedStiffness(s, u, K);
    worst = 0;
    for (int k = 0; k < count / 9; ++k) {
        const double *from = &s->K[9 * k], *to = &K[9 * k];
        const plMat3 block = {plGet3(from), plGet3(from + 3), plGet3(from + 6)};
        const plMat3 left = plMatMul(&R, &block), both = plMatMulT(&left, &R);
        const plMat3 found = {plGet3(to), plGet3(to + 3), plGet3(to + 6)};
        worst = fmax(worst, distance9(&both, &found));
    }
    print_message("R K R^T to %.1e\n", worst / largest(s->K, count));
    checkAtMost("turned", worst / largest(s->K, count), 1e-13);
    free(u), free(K);
    freeBody(&b);
}

/// du.K' du by the difference of forces.
static double slopeAlong(const plSoft* s, double* u, const double* du, double h)
{
    const int n = 3 * s->nodeCount;
    double *f0 = numbers(n), *f1 = numbers(n);
    for (int i = 0; i < n; ++i) u[i] -= h * du[i];
    plSoft_TurnedForce(s, u, f0);
    for (int i = 0; i < n; ++i) u[i] += 2 * h * du[i];
    plSoft_TurnedForce(s, u, f1);
    for (int i = 0; i < n; ++i) u[i] -= h * du[i];
    const double slope = (plDotN(f1, du, n) - plDotN(f0, du, n)) / (2 * h);
    free(f0), free(f1);
    return slope;
}

// Blown up by a fifth, all elements are under tension, and the stiffness is the forces' derivative.
// Pressed together it is more, since what pressure takes is left out.
static void stiffnessIsTheSlopeOfForcesUnderTension(void** state)
{
    (void)state;
    Body b = block();
    plSoft now = b.soft;
    const int n = 3 * now.nodeCount, count = 9 * now.start[now.nodeCount];
    double *u = numbers(n), *du = numbers(n), *K = numbers(count), *Kdu = numbers(n);
    double worst = 0, least = INFINITY;
    now.K = K;
    for (int k = 0; k < 100; ++k) {
        const bool tense = k % 2 == 0;
        const plMat3 R = anyTurn();
        moved(&b.soft, &R, 1e-3, u);
        for (int i = 0; i < now.nodeCount; ++i) {
            const plVec3 x = plAdd(now.points[i], plGet3(&u[3 * i]));
            plPut3(plAddScaled(plGet3(&u[3 * i]), tense ? 0.2 : -0.2, x), &u[3 * i]);
        }
        for (int i = 0; i < n; ++i) du[i] = anyOf(-1, 1);
        plSoft_TurnedStiffness(&b.soft, u, K);
        plSoft_Multiply(&now, pl_softLumped, 0, 1, du, Kdu);
        const double ratio = slopeAlong(&b.soft, u, du, 1e-7) / plDotN(du, Kdu, n);
        if (tense) worst = fmax(worst, fabs(ratio - 1));
        if (!tense) least = fmin(least, 1 - ratio);
    }
    print_message("under tension to %.1e, under pressure more by %.2f at least\n", worst, least);
    checkAtMost("tension", worst, 1e-7); // a difference over 1e-7 has 1e-9 of round-off
    assert_true(least > 0);
    free(u), free(du), free(K), free(Kdu);
    freeBody(&b);
}

// --- factors anew

/// A clip that is held at its handle, with the candidates of its jaws; and room for other numbers.
typedef struct {
    Body body;
    plSoft now;
    double* K;
    unsigned char* fixed;
    int candidates[400], count;
} Clip;

static void openClip(Clip* c)
{
    c->body = makeClip();
    const plSoft* s = &c->body.soft;
    const size_t size = 9 * (size_t)s->start[s->nodeCount];
    c->K = malloc(size * sizeof *c->K);
    memcpy(c->K, s->K, size * sizeof *c->K);
    c->now = *s;
    c->now.K = c->K;
    c->fixed = noneHeld(s);
    c->count = 0;
    for (int i = 0; i < s->nodeCount && c->count < 33; i += 11) c->candidates[c->count++] = i;
    for (int i = 0; i < 3 * s->nodeCount; i += 100) c->fixed[i] = 1; // some, one direction each
}

static void closeClip(Clip* c)
{
    free(c->K), free(c->fixed);
    freeBody(&c->body);
}

static double difference(const double* a, const double* b, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most / largest(b, n);
}

static void theSameNumbersGiveTheSameFactor(void** state)
{
    (void)state;
    Clip c;
    openClip(&c);
    for (plSoftMass mass = pl_softLumped; mass <= pl_softConsistent; ++mass) {
        plSoftFactor f = makeFactor(&c.now, 1e3, 1e-3, mass, c.fixed, c.candidates, c.count);
        const int count = f.start[f.n];
        double* L = numbers(count);
        memcpy(L, f.L, (size_t)count * sizeof *L);
        memset(f.L, 0, (size_t)count * sizeof *L);
        assert_true(plSoftFactor_Refactor(&f));
        const double off = difference(f.L, L, count);
        print_message("%d rows, %d numbers: L to %.1e\n", f.n, count, off);
        checkAtMost("L", off, 1e-13);
        free(L);
        freeFactor(&f);
    }
    closeClip(&c);
}

static void otherNumbersGiveTheFactorOfAFreshOne(void** state)
{
    (void)state;
    Clip c;
    openClip(&c);
    const int n = 3 * c.now.nodeCount, size = 3 * c.count;
    double *u = numbers(n), *C = numbers(size * size), *want = numbers(size * size);
    plSoftFactor f = makeFactor(&c.now, 1e3, 1e-3, pl_softLumped, c.fixed, c.candidates, c.count);
    for (int k = 0; k < 5; ++k) {
        const plMat3 R = anyTurn();
        moved(&c.now, &R, 1e-3, u); // elements of 1 mm: some are inside out
        plSoft_TurnedStiffness(&c.now, u, c.K);
        plSoftFactor fresh =
            makeFactor(&c.now, 1e3, 1e-3, pl_softLumped, c.fixed, c.candidates, c.count);
        startCounting();
        const long before = atomic_load(&takings);
        assert_true(plSoftFactor_Refactor(&f));
        plSoftFactor_Compliance(&f, C);
        assert_int_equal(atomic_load(&takings) - before, 0);
        plSoftFactor_Compliance(&fresh, want);
        assert_int_equal(fresh.start[fresh.n], f.start[f.n]);
        const double off = difference(f.L, fresh.L, f.start[f.n]);
        const double offC = difference(C, want, size * size);
        if (k == 0) print_message("L to %.1e, compliance to %.1e\n", off, offC);
        checkAtMost("L", off, 1e-13);
        checkAtMost("compliance", offC, 1e-12);
        freeFactor(&fresh);
    }
    free(u), free(C), free(want);
    freeFactor(&f);
    closeClip(&c);
}

static void whatIsNotPositiveIsRefused(void** state)
{
    (void)state;
    Clip c;
    openClip(&c);
    plSoftFactor f = makeFactor(&c.now, 1e3, 1e-3, pl_softLumped, c.fixed, c.candidates, c.count);
    const int count = 9 * c.now.start[c.now.nodeCount];
    for (int i = 0; i < count; ++i) c.K[i] = -c.K[i];
    assert_false(plSoftFactor_Refactor(&f));
    for (int i = 0; i < count; ++i) c.K[i] = NAN;
    assert_false(plSoftFactor_Refactor(&f));
    memcpy(c.K, c.body.soft.K, (size_t)count * sizeof *c.K);
    assert_true(plSoftFactor_Refactor(&f)); // nothing of the failures is left
    freeFactor(&f);
    closeClip(&c);
}

static double processorTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Said, not judged.
static void whatATickOfTurningElementsTakes(void** state)
{
    (void)state;
    enum { rounds = 10 };
    Clip c;
    openClip(&c);
    const int n = 3 * c.now.nodeCount;
    const plMat3 R = anyTurn();
    double *u = numbers(n), *f = numbers(n), *C = numbers(9 * c.count * c.count), t[6] = {0};
    plSoftFactor factor = makeFactor(&c.now, 1e3, 1e-3, pl_softLumped, NULL, c.candidates, c.count);
    moved(&c.now, &R, 1e-4, u);
    for (int k = 0; k < rounds; ++k) {
        double at[6];
        at[0] = processorTime();
        plSoft_TurnedForce(&c.now, u, f);
        at[1] = processorTime();
        plSoft_TurnedStiffness(&c.now, u, c.K);
        at[2] = processorTime();
        assert_true(plSoftFactor_Refactor(&factor));
        at[3] = processorTime();
        plSoftFactor_Compliance(&factor, C);
        at[4] = processorTime();
        plSoftFactor_Solve(&factor, f, u);
        at[5] = processorTime();
        moved(&c.now, &R, 1e-4, u);
        for (int i = 0; i < 5; ++i) t[i] += (at[i + 1] - at[i]) / rounds;
    }
    print_message(
        "clip, %d rows, %d tetrahedra: forces %.2f ms, stiffness %.2f ms, factor anew %.2f "
        "ms, compliance of %d %.2f ms, solve %.2f ms\n",
        factor.n, c.now.tetCount, 1e3 * t[0], 1e3 * t[1], 1e3 * t[2], c.count, 1e3 * t[3],
        1e3 * t[4]);
    free(u), free(f), free(C);
    freeFactor(&factor);
    closeClip(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theNearestTurnHasTheLargestTrace),
        cmocka_unit_test(aTurnIsItsOwnNearestAndNothingIsTheUnit),
        cmocka_unit_test(aRigidMotionStoresNothing),
        cmocka_unit_test(smallStrainsAreThoseOfTheLinearBody),
        cmocka_unit_test(forcesAreTheSlopeOfWhatIsStored),
        cmocka_unit_test(stiffnessTurnsWithTheBody),
        cmocka_unit_test(stiffnessIsTheSlopeOfForcesUnderTension),
        cmocka_unit_test(theSameNumbersGiveTheSameFactor),
        cmocka_unit_test(otherNumbersGiveTheFactorOfAFreshOne),
        cmocka_unit_test(whatIsNotPositiveIsRefused),
        cmocka_unit_test(whatATickOfTurningElementsTakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
