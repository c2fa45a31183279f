// Compliances of what can be touched, of bodies that are held or have mass: the table, the clip.
#include "fems.h"

#include <string.h>

// --- candidates last: their block of the inverse is that of a plain solve

static void candidatesBlockIsThatOfTheWholeInverse(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(4, 3, 2, plVec(0, 0, 0), plVec(0.4, 0.3, 0.2)), 1e6, 0.3, 1000);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    int list[64];
    unsigned char* fixed = noneHeld(s);
    hold(s, alongX, 0, 7, fixed), hold(s, alongY, 0, 2, fixed);
    const int count = nodesAt(s, alongZ, 0, list); // some of them held, in part or wholly
    for (int i = 0; i < count / 2; ++i) {          // in any order
        const int other = list[i];
        list[i] = list[count - 1 - i], list[count - 1 - i] = other;
    }
    for (int kind = 0; kind < 4; ++kind) {
        const plSoftMass mass = kind / 2 ? pl_softConsistent : pl_softLumped;
        plSoftFactor f = makeFactor(s, kind % 2 ? 1e5 : 0, 1, mass, fixed, list, count);
        const int size = 3 * count;
        double *C = numbers(size * size), *force = numbers(n), *u = numbers(n), worst = 0, most = 0;
        plSoftFactor_Compliance(&f, C);
        for (int j = 0; j < size; ++j) {
            memset(force, 0, (size_t)n * sizeof *force);
            force[3 * list[j / 3] + j % 3] = 1;
            plSoftFactor_Solve(&f, force, u);
            for (int i = 0; i < size; ++i) {
                const double want = u[3 * list[i / 3] + i % 3];
                worst = fmax(worst, fabs(C[i * size + j] - want));
                most = fmax(most, fabs(want));
            }
        }
        checkAtMost("block", worst / most, 1e-14);
        free(C), free(force), free(u);
        freeFactor(&f);
    }
    freeBody(&b);
    free(fixed);
}

static void bodiesMayBeHeldOrTouchedWholly(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(1, 1, 1, plVec(0, 0, 0), plVec(1, 1, 1)), 1e6, 0.3, 1000);
    const int all[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    double f[24] = {0}, u[24], *C = numbers(24 * 24);
    unsigned char fixed[24];
    memset(fixed, 1, sizeof fixed);
    for (int i = 0; i < 24; ++i) u[i] = i;
    plSoftFactor held = makeFactor(&b.soft, 0, 1, pl_softLumped, fixed, all, 8);
    assert_int_equal(held.n, 0);
    plSoftFactor_Solve(&held, f, u);
    plSoftFactor_Compliance(&held, C);
    for (int i = 0; i < 24; ++i) assert_true(u[i] == i && C[25 * i] == 0);
    freeFactor(&held);
    plSoftFactor touched = makeFactor(&b.soft, 1, 1e-6, pl_softLumped, NULL, all, 8);
    assert_int_equal(touched.tail, 24);
    plSoftFactor_Compliance(&touched, C);
    // A uniform push is a matter of mass only: C M e = e.
    for (int i = 0; i < 24; ++i) {
        double sum = 0;
        for (int j = i % 3; j < 24; j += 3) sum += C[24 * i + j] * b.soft.lumped[all[j / 3]];
        checkNear("push", sum, 1, 1e-13);
    }
    freeFactor(&touched);
    freeBody(&b);
    free(C);
}

// --- table                                                                    (signorini 4)

typedef struct {
    int cells, beams, nodes, tets, contacts;
    double mass, normal, tangent; // means of the diagonal; 0: not told
    double least, most;           // eigenvalues
} TableRow;

static const TableRow tables[] = {
    {1, 0, 371, 960, 16, 1.584, 2.454928352698e-4, 6.421203635040e-4, 2.7163388e-5, 2.6079295e-3},
    {2, 0, 651, 1968, 36, 1.584, 2.874040608786e-4, 7.925220674252e-4, 1.4049003e-5, 6.6599283e-3},
    {1, 2, 491, 1248, 16, 2.0592, 1.605573272469e-4, 2.095497117938e-4, 0, 0},
    {2, 2, 831, 2544, 36, 2.0592, 0, 0, 0, 0},
    {3, 0, 1019, 3456, 64, 1.584, 0, 0, 0, 0},
    {4, 0, 1475, 5424, 100, 1.584, 0, 0, 0, 0},
    {5, 0, 2019, 7872, 144, 1.584, 0, 0, 0, 0},
    {6, 0, 2651, 10800, 196, 1.584, 0, 0, 0, 0},
};

/// W = H (M/T^2 + K)^-1 H^T of the feet, T = 5 ms; rows (z, x, y).
static double* tableResponse(const Body* b, int* contacts)
{
    int list[256];
    *contacts = nodesAt(&b->soft, alongZ, 0, list);
    const int size = 3 * *contacts;
    plSoftFactor f = makeFactor(&b->soft, 1 / 25e-6, 1, pl_softLumped, NULL, list, *contacts);
    double *C = numbers(size * size), *W = numbers(size * size);
    plSoftFactor_Compliance(&f, C);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) W[i * size + j] = contactRow(C, *contacts, i, j);
    }
    free(C);
    freeFactor(&f);
    return W;
}

static double meanDiagonal(const double* W, int contacts, int k)
{
    double sum = 0;
    for (int i = 0; i < contacts; ++i) sum += W[(3 * i + k) * (3 * contacts + 1)];
    return sum / contacts;
}

static void tablesHaveTheirCountsAndMasses(void** state)
{
    (void)state;
    int list[256];
    for (int i = 0; i < PL_COUNT(tables); ++i) {
        const TableRow* t = &tables[i];
        Body b = makeTable(t->cells, t->beams);
        assert_int_equal(b.soft.nodeCount, t->nodes);
        assert_int_equal(b.soft.tetCount, t->tets);
        assert_int_equal(nodesAt(&b.soft, alongZ, 0, list), t->contacts);
        checkRatio("mass", plSoft_RigidMass(&b.soft, pl_softLumped).mass, t->mass, 1e-12);
        freeBody(&b);
    }
}

static void tablesAnswerAsMeasured(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const TableRow* t = &tables[i];
        Body b = makeTable(t->cells, t->beams);
        int contacts;
        double* W = tableResponse(&b, &contacts);
        const int size = 3 * contacts;
        const double normal = meanDiagonal(W, contacts, 0), tangent = meanDiagonal(W, contacts, 1);
        print_message("table %d, beams %d: W_nn %.12e (%.0e), W_tt %.12e (%.0e)\n", t->cells,
                      t->beams, normal, fabs(normal / t->normal - 1), tangent,
                      fabs(tangent / t->tangent - 1));
        checkRatio("W_nn", normal, t->normal, 1e-9);
        checkRatio("W_tt", tangent, t->tangent, 1e-9);
        if (t->most > 0) { // eight digits are given
            double *lambda = numbers(size), *U = numbers(size * size);
            eigenvalues(W, size, lambda, U);
            checkRatio("least eigenvalue", lambda[0], t->least, 2e-8);
            checkRatio("largest eigenvalue", lambda[size - 1], t->most, 2e-8);
            free(lambda), free(U);
        }
        free(W);
        freeBody(&b);
    }
}

/// Mean |W| of a component between contacts of legs that differ by `bits` (1 in x, 2 in y).
static double coupling(const Body* b, const double* W, int contacts, int k, int bits)
{
    int list[256], pairs = 0;
    double sum = 0;
    nodesAt(&b->soft, alongZ, 0, list);
    for (int i = 0; i < contacts; ++i) {
        for (int j = 0; j < contacts; ++j) {
            const int a = legOf(b->soft.points[list[i]]), c = legOf(b->soft.points[list[j]]);
            if ((a ^ c) != bits || i == j) continue;
            sum += fabs(W[(3 * i + k) * 3 * contacts + 3 * j + k]);
            ++pairs;
        }
    }
    return sum / pairs;
}

// The statements of the paper's figures 9 and 11, with the bars of signorini spec 4.
static void beamsJoinLegsInTheirDirection(void** state)
{
    (void)state;
    Body plain = makeTable(2, 0), ring = makeTable(2, 2);
    int contacts;
    double *W = tableResponse(&plain, &contacts), *R = tableResponse(&ring, &contacts);
    for (int k = 0; k < 3; ++k) {
        const double same = coupling(&plain, W, contacts, k, 0);
        for (int bits = 1; bits < 4; ++bits) {
            assert_true(same > 50 * coupling(&plain, W, contacts, k, bits));
        }
    }
    const double joined = coupling(&ring, R, contacts, 1, 1) / coupling(&plain, W, contacts, 1, 1);
    const double ratio = meanDiagonal(R, contacts, 1) / meanDiagonal(W, contacts, 1);
    print_message(
        "a ring of beams: x-coupling of legs joined along x times %.1f, W_tt times %.2f\n", joined,
        ratio);
    assert_true(joined > 5 && ratio < 0.5);
    checkRatio("joined coupling", coupling(&ring, R, contacts, 1, 1), 5.51e-5, 1e-2);
    free(W), free(R);
    freeBody(&plain), freeBody(&ring);
}

// --- clip                                                                     (signorini 6)

/// Nodes of the inner surface and of the arms' ends.
static int clipCandidates(const plSoft* s, int* list)
{
    int count = 0;
    const double tip = 115 * PL_PI / 180;
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 p = s->points[i];
        const bool inner = fabs(hypot(p.x, p.y) - 9.9e-3) < 1e-8;
        const bool end = fabs(fabs(atan2(p.x, p.y)) - tip) < 1e-8;
        if (inner || end) list[count++] = i;
    }
    return count;
}

static void clipHasItsMassFrequenciesAndCompliance(void** state)
{
    (void)state;
    Body b = makeClip();
    const plSoft* s = &b.soft;
    const plAllocator allocator = heap();
    const plMass rigid = plSoft_RigidMass(s, pl_softLumped);
    const plMass exact = plSoft_RigidMass(s, pl_softConsistent);
    // As many digits as are given. The lumped mass has more inertia than the solid.
    checkRatio("mass", rigid.mass, 15e-3, 1e-9);
    checkNear("centre", rigid.center.y, 37.967305e-3, 6e-10);
    checkNear("centre", hypot(rigid.center.x, rigid.center.z), 0, 1e-15);
    checkRatio("inertia x", rigid.inertia.x.x, 6.876630e-6, 1e-7);
    checkRatio("inertia y", rigid.inertia.y.y, 1.017221e-6, 5e-7);
    checkRatio("inertia z", rigid.inertia.z.z, 6.393851e-6, 1e-7);
    print_message("clip: %.9f g, centre y %.9f mm\n", 1e3 * rigid.mass, 1e3 * rigid.center.y);
    print_message("inertia lumped %.6e %.6e %.6e, consistent %.6e %.6e %.6e\n", rigid.inertia.x.x,
                  rigid.inertia.y.y, rigid.inertia.z.z, exact.inertia.x.x, exact.inertia.y.y,
                  exact.inertia.z.z);
    int list[128], held = 0;
    unsigned char* fixed = noneHeld(s);
    double top = 0;
    for (int i = 0; i < s->nodeCount; ++i) top = fmax(top, s->points[i].y);
    for (int i = 0; i < s->nodeCount; ++i) {
        if (s->points[i].y <= top - 30e-3) continue;
        memset(&fixed[3 * i], 1, 3);
        ++held;
    }
    const int count = clipCandidates(s, list), size = 3 * count;
    assert_int_equal(held, 84);
    assert_int_equal(count, 87);
    double omega[4], *C = numbers(size * size), trace = 0;
    plSoftFactor f = makeFactor(s, 0, 1, pl_softLumped, fixed, list, count);
    plSoftFactor_Compliance(&f, C);
    for (int i = 0; i < size; ++i) trace += C[i * size + i];
    for (plSoftMass mass = pl_softLumped; mass <= pl_softConsistent; ++mass) {
        plSoftFactor g = makeFactor(s, 0, 1, mass, fixed, NULL, 0);
        assert_int_equal(plSoft_Frequencies(&g, 2, &allocator, omega + 2 * mass, NULL),
                         pl_statusOk);
        freeFactor(&g);
    }
    print_message("trace(C) %.12e; %.2f %.2f Hz lumped, %.2f %.2f Hz consistent\n", trace,
                  omega[0] / (2 * PL_PI), omega[1] / (2 * PL_PI), omega[2] / (2 * PL_PI),
                  omega[3] / (2 * PL_PI));
    checkRatio("trace(C)", trace, 4.393191352e-3, 1e-9);
    checkNear("first frequency", omega[0] / (2 * PL_PI), 852, 0.5);
    checkNear("second frequency", omega[1] / (2 * PL_PI), 1456, 0.5);
    // At 3 ms the clip has time to settle: its compliance may be taken as static above 3.
    checkNear("omega T", omega[0] * 3e-3, 16, 0.5);
    free(C), free(fixed);
    freeFactor(&f);
    freeBody(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidatesBlockIsThatOfTheWholeInverse),
        cmocka_unit_test(bodiesMayBeHeldOrTouchedWholly),
        cmocka_unit_test(tablesHaveTheirCountsAndMasses),
        cmocka_unit_test(tablesAnswerAsMeasured),
        cmocka_unit_test(beamsJoinLegsInTheirDirection),
        cmocka_unit_test(clipHasItsMassFrequenciesAndCompliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
