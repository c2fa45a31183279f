// Bodies that float: compliance without rigid motion, frequencies; and frozen problems, in every number.
#include "fems.h"

#include <string.h>

/// The block of signorini 5, in two halves.
static Body makeBlock(double E)
{
    plTets mesh = boxMesh(4, 1, 2, plVec(-0.1, 0, 0), plVec(0.1, 0.05, 0.1));
    assert_int_equal(plTets_Mirror(&mesh, 1), pl_statusOk);
    assert_int_equal(mesh.pointCount, 45);
    assert_int_equal(mesh.tetCount, 96);
    return makeBody(mesh, E, 0.3, 1000);
}

/// Sum of x x^T/omega^2 over the modes that are not rigid, from a dense eigenvalue problem with the
/// lumped mass.
static double* modalSum(const plSoft* s)
{
    const int n = 3 * s->nodeCount;
    double *K = denseOf(s, pl_softLumped, 0, 1), *lambda = numbers(n), *U = numbers(n * n);
    double* C = numbers(n * n);
    for (int i = 0; i < n * n; ++i) K[i] /= sqrt(s->lumped[i / n / 3] * s->lumped[i % n / 3]);
    eigenvalues(K, n, lambda, U);
    for (int i = 0; i < n * n; ++i) {
        double sum = 0;
        for (int m = 6; m < n; ++m) sum += U[i / n * n + m] * U[i % n * n + m] / lambda[m];
        C[i] = sum / sqrt(s->lumped[i / n / 3] * s->lumped[i % n / 3]);
    }
    free(K), free(lambda), free(U);
    return C;
}

static void floatingComplianceIsTheModalSum(void** state)
{
    (void)state;
    Body b = makeBlock(1e9);
    const plSoft* s = &b.soft;
    const plAllocator allocator = heap();
    int list[64];
    const int count = nodesAt(s, alongZ, 0, list), size = 3 * count, n = 3 * s->nodeCount;
    assert_int_equal(count, 15);
    double *C = numbers(size * size), *want = modalSum(s), *f = numbers(n), *u = numbers(n);
    plSoftFloating floating;
    plShapeError error;
    checkMade(plSoftFloating_Create(&floating, s, pl_softLumped, list, count, &allocator, &error),
              &error);
    plSoftFloating_Compliance(&floating, C);
    double worst = 0, most = 0, solved = 0;
    for (int j = 0; j < size; ++j) {
        memset(f, 0, (size_t)n * sizeof *f);
        f[3 * list[j / 3] + j % 3] = 1;
        plSoftFloating_Solve(&floating, f, u);
        for (int i = 0; i < size; ++i) {
            const int row = 3 * list[i / 3] + i % 3, column = 3 * list[j / 3] + j % 3;
            most = fmax(most, fabs(want[row * n + column]));
            worst = fmax(worst, fabs(C[i * size + j] - want[row * n + column]));
            solved = fmax(solved, fabs(u[row] - want[row * n + column]));
        }
    }
    print_message("floating compliance against the modal sum: block %.1e, solve %.1e\n",
                  worst / most, solved / most);
    // The dense sum over the modes has this round-off itself.
    checkAtMost("block", worst / most, 5e-14);
    checkAtMost("solve", solved / most, 5e-14);
    free(C), free(want), free(f), free(u);
    plSoftFloating_Destroy(&floating, &allocator);
    freeBody(&b);
}

// --- frozen problems: every number of their W

/// Contacts in the files' order: by leg if there are legs, then by x, then by y.
static void sortContacts(const plSoft* s, bool legs, int* list, int count)
{
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0; --j) {
            const plVec3 a = s->points[list[j - 1]], b = s->points[list[j]];
            const int legA = legs ? legOf(a) : 0, legB = legs ? legOf(b) : 0;
            const bool behind = a.x > b.x + 1e-9 || (fabs(a.x - b.x) < 1e-9 && a.y > b.y);
            if (legA < legB || (legA == legB && !behind)) break;
            const int other = list[j];
            list[j] = list[j - 1], list[j - 1] = other;
        }
    }
}

/// Largest difference of C, in rows of contacts, to the file's W, over the largest of these.
static double frozenError(const char* name, const double* C, int count)
{
    plSpaceFile file = loadReference(ownFile(name), pl_spaceAny);
    const int size = 3 * count;
    double worst = 0, most = 0;
    assert_int_equal(file.space.count, count);
    for (int i = 0; i < size * size; ++i) {
        most = fmax(most, fabs(file.space.W[i]));
        worst = fmax(worst, fabs(contactRow(C, count, i / size, i % size) - file.space.W[i]));
    }
    unloadReference(&file);
    print_message("%s: W to %.1e\n", name, worst / most);
    return worst / most;
}

/// C += T^2 J A^-1 J^T, J the motion of the rigid body at the contacts.        (signorini eq. 30)
static void addRigid(const plSoftFloating* b, const int* list, int count, double T, double* C)
{
    const plVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int size = 3 * count;
    for (int i = 0; i < size; ++i) {
        const plVec3 p = plSub(b->factor.soft->points[list[i / 3]], b->rigid.center);
        const plVec3 turn = plMul(&b->turn, plCross(p, axes[i % 3]));
        for (int j = 0; j < size; ++j) {
            const plVec3 q = plSub(b->factor.soft->points[list[j / 3]], b->rigid.center);
            const double moved = i % 3 == j % 3 ? 1 / b->rigid.mass : 0;
            C[i * size + j] += T * T * (moved + plDot(turn, plCross(q, axes[j % 3])));
        }
    }
}

static void frozenProblemsAreReproduced(void** state)
{
    (void)state;
    static const char* const names[2] = {"signorini/table_m16_r0_mu0.1.txt",
                                         "signorini/table_m16_r2_mu0.3.txt"};
    const plAllocator allocator = heap();
    int list[64];
    double* C = numbers(48 * 48);
    for (int k = 0; k < 2; ++k) {
        Body b = makeTable(1, 2 * k);
        const int count = nodesAt(&b.soft, alongZ, 0, list);
        sortContacts(&b.soft, true, list, count);
        plSoftFactor f = makeFactor(&b.soft, 1 / 25e-6, 1, pl_softLumped, NULL, list, count);
        plSoftFactor_Compliance(&f, C);
        checkAtMost(names[k], frozenError(names[k], C, count), 1e-12);
        freeFactor(&f);
        freeBody(&b);
    }
    // A block that floats: elastic and rigid parts, at 3 ms.
    Body b = makeBlock(1e7);
    plSoftFloating floating;
    plShapeError error;
    const int count = nodesAt(&b.soft, alongZ, 0, list);
    sortContacts(&b.soft, false, list, count);
    checkMade(
        plSoftFloating_Create(&floating, &b.soft, pl_softLumped, list, count, &allocator, &error),
        &error);
    plSoftFloating_Compliance(&floating, C);
    addRigid(&floating, list, count, 3e-3, C);
    checkAtMost("block", frozenError("signorini/block15_E1e+07_mu0.5.txt", C, count), 1e-12);
    plSoftFloating_Destroy(&floating, &allocator);
    freeBody(&b);
    free(C);
}

/// Momentum of displacements: sum of M u and of r x M u.
static void floatingComplianceMovesNoRigidBody(void** state)
{
    (void)state;
    Body b = makeClip();
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    const plAllocator allocator = heap();
    double *f = numbers(n), *u = numbers(n), *Mu = numbers(n), size = 0;
    plRng rng = plRng_Seed(73);
    for (plSoftMass mass = pl_softLumped; mass <= pl_softConsistent; ++mass) {
        plSoftFloating floating;
        plShapeError error;
        checkMade(plSoftFloating_Create(&floating, s, mass, NULL, 0, &allocator, &error), &error);
        const plVec3 center = floating.rigid.center;
        plVec3 sum = {0}, turn = {0};
        for (int i = 0; i < n; ++i) f[i] = plRng_Normal(&rng);
        plSoftFloating_Solve(&floating, f, u);
        plSoft_Multiply(s, mass, 1, 0, u, Mu);
        for (int i = 0; i < s->nodeCount; ++i) {
            const plVec3 r = plSub(s->points[i], center), m = plGet3(&Mu[3 * i]);
            sum = plAdd(sum, m), turn = plAdd(turn, plCross(r, m));
            size += plNorm(m);
        }
        checkAtMost("momentum", plNorm(sum) / size, 1e-13);
        checkAtMost("spin", plNorm(turn) / (0.03 * size), 1e-13);
        plSoftFloating_Destroy(&floating, &allocator);
    }
    free(f), free(u), free(Mu);
    freeBody(&b);
}

// With a > 0 nothing need be held; a body that floats has six zeros first.
static void floatingBlockHasSixZeroFrequencies(void** state)
{
    (void)state;
    Body b = makeBlock(1e7);
    const plAllocator allocator = heap();
    const int n = 3 * b.soft.nodeCount;
    double omega[8], *K = denseOf(&b.soft, pl_softLumped, 0, 1), *lambda = numbers(n);
    double* U = numbers(n * n);
    for (int i = 0; i < n * n; ++i) {
        K[i] /= sqrt(b.soft.lumped[i / n / 3] * b.soft.lumped[i % n / 3]);
    }
    eigenvalues(K, n, lambda, U);
    plSoftFactor f = makeFactor(&b.soft, 1e4, 1, pl_softLumped, NULL, NULL, 0);
    assert_int_equal(plSoft_Frequencies(&f, 8, &allocator, omega, NULL), pl_statusOk);
    for (int i = 0; i < 6; ++i) checkAtMost("zero", omega[i], 1e-4 * omega[6]);
    for (int i = 6; i < 8; ++i) checkRatio("frequency", omega[i], sqrt(lambda[i]), 1e-9);
    free(K), free(lambda), free(U);
    freeFactor(&f);
    freeBody(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floatingComplianceIsTheModalSum),
        cmocka_unit_test(floatingComplianceMovesNoRigidBody),
        cmocka_unit_test(floatingBlockHasSixZeroFrequencies),
        cmocka_unit_test(frozenProblemsAreReproduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
