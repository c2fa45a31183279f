// Soft bodies against a plane, each other and a rigid floor: blocks with known forces, and Hertz.
#include "fems.h"

#include <string.h>

/// Fills a space with W and free displacements; laws hold on them as on velocities.
static plLawReport solve(Bench* b, const plLaw* law, int contacts, double mu, const double* W,
                         const double* delta)
{
    plSpace* s = &b->space;
    const size_t rows = (size_t)(s->dim * contacts);
    s->count = contacts;
    for (int i = 0; i < contacts; ++i) s->pair[i] = (plPair){.mu = mu};
    memcpy(s->W, W, rows * rows * sizeof *W);
    memcpy(s->uFree, delta, rows * sizeof *delta);
    memset(s->uStart, 0, rows * sizeof *delta);
    return runLaw(law, s, 0, b);
}

static double sumOf(const double* p, int contacts, int dim, int k)
{
    double sum = 0;
    for (int i = 0; i < contacts; ++i) sum += p[dim * i + k];
    return sum;
}

// --- 2a: a block pressed on a plane                                           (signorini 2)

/// Area of the surface's triangles in z = 0, a third to each node.
static void addTributary(const Body* b, double* area)
{
    plTetsSurface surface;
    const plAllocator allocator = heap();
    assert_int_equal(plTets_Surface(&b->mesh, &allocator, &surface), pl_statusOk);
    for (int i = 0; i < surface.triangleCount; ++i) {
        const int* v = &surface.triangles[3 * i];
        const plVec3 p = b->mesh.points[v[0]], q = b->mesh.points[v[1]], r = b->mesh.points[v[2]];
        if (p.z != 0 || q.z != 0 || r.z != 0) continue;
        const double third = plNorm(plCross(plSub(q, p), plSub(r, p))) / 6;
        for (int k = 0; k < 3; ++k) area[v[k]] += third;
    }
    plTetsSurface_Free(&surface);
}

static void pressedBlockSharesItsForceByArea(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(3, 4, 3, plVec(0, 0, 0), plVec(0.3, 0.4, 0.25)), 1e6, 0.3, 1000);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    unsigned char* fixed = noneHeld(s);
    int list[64];
    const int count = nodesAt(s, alongZ, 0, list);
    double *f = numbers(n), *u = numbers(n), *area = numbers(s->nodeCount);
    double *C = numbers(9 * count * count), *W = numbers(count * count), *delta = numbers(count);
    hold(s, alongX, 0, 1, fixed), hold(s, alongY, 0, 2, fixed), hold(s, alongZ, 0.25, 4, fixed);
    for (int i = 0; i < s->nodeCount; ++i) u[3 * i + 2] = fixed[3 * i + 2] ? -1e-3 : 0;
    plSoftFactor factor = makeFactor(s, 0, 1, pl_softLumped, fixed, list, count);
    plSoftFactor_Solve(&factor, f, u);
    plSoftFactor_Compliance(&factor, C);
    for (int i = 0; i < count; ++i) {
        delta[i] = u[3 * list[i] + 2];
        for (int j = 0; j < count; ++j) {
            W[i * count + j] = C[(3 * i + 2) * 3 * count + 3 * j + 2];
        }
    }
    addTributary(&b, area);
    Bench bench = makeBench(1, count, 4);
    for (int law = 0; law < 2; ++law) {
        solve(&bench, law ? &plLcpLaw : &plConeLaw, count, 0, W, delta);
        double worst = 0;
        for (int i = 0; i < count; ++i) {
            worst = fmax(worst, fabs(bench.p[i] / (1e6 * 1e-3 / 0.25 * area[list[i]]) - 1));
        }
        const double total = sumOf(bench.p, count, 1, 0);
        print_message("pressed block, %s: total %.12f N, forces to %.1e\n", law ? "lcp" : "cone",
                      total, worst);
        checkRatio("total", total, 480, 1e-11);
        checkAtMost("forces", worst, law ? 1e-11 : 1e-8); // the cone stops at 1e-9
    }
    freeBench(&bench);
    freeFactor(&factor);
    freeBody(&b);
    free(f), free(u), free(area), free(C), free(W), free(delta), free(fixed);
}

// --- 2b: two blocks that do not match

/// Where a node of the upper block meets the lower one's upper face: three nodes and weights.
typedef struct {
    int node[3];
    double weight[3];
} Foot;

static Foot footOf(const Body* b, const plTetsSurface* surface, plVec3 p)
{
    for (int i = 0; i < surface->triangleCount; ++i) {
        const int* v = &surface->triangles[3 * i];
        const plVec3 a = b->mesh.points[v[0]], c = b->mesh.points[v[1]], d = b->mesh.points[v[2]];
        if (fabs(a.z - p.z) + fabs(c.z - p.z) + fabs(d.z - p.z) > 1e-9) continue;
        Foot foot = {{v[0], v[1], v[2]}, {0}};
        const double whole = plCross(plSub(c, a), plSub(d, a)).z;
        foot.weight[0] = plCross(plSub(c, p), plSub(d, p)).z / whole;
        foot.weight[1] = plCross(plSub(d, p), plSub(a, p)).z / whole;
        foot.weight[2] = 1 - foot.weight[0] - foot.weight[1];
        if (fmin(foot.weight[0], fmin(foot.weight[1], foot.weight[2])) > -1e-12) return foot;
    }
    fail();
    return (Foot){0};
}

typedef struct {
    Body upper, lower;
    plSoftFactor upperFactor, lowerFactor;
    int count, list[32]; // contacts, their nodes of the upper block
    int lowerList[32], lowerCount;
    Foot foot[32];
    double *W, *delta; // rows (z, x, y)
    double *f, *u;     // of the upper block
} Pair;

static const int contactAxis[3] = {2, 0, 1};

/// Place of a node among the lower candidates.
static int lowerPlace(const Pair* p, int node)
{
    for (int i = 0; i < p->lowerCount; ++i) {
        if (p->lowerList[i] == node) return i;
    }
    fail();
    return -1;
}

static void addUpper(Pair* p)
{
    const int size = 3 * p->count;
    double* C = numbers(size * size);
    plSoftFactor_Compliance(&p->upperFactor, C);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            p->W[i * size + j] +=
                C[(3 * (i / 3) + contactAxis[i % 3]) * size + 3 * (j / 3) + contactAxis[j % 3]];
        }
    }
    free(C);
}

static void addLower(Pair* p)
{
    const int size = 3 * p->count, other = 3 * p->lowerCount;
    double* C = numbers(other * other);
    plSoftFactor_Compliance(&p->lowerFactor, C);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const Foot *a = &p->foot[i / 3], *b = &p->foot[j / 3];
            for (int k = 0; k < 9; ++k) {
                const int row = 3 * lowerPlace(p, a->node[k / 3]) + contactAxis[i % 3];
                const int column = 3 * lowerPlace(p, b->node[k % 3]) + contactAxis[j % 3];
                p->W[i * size + j] += a->weight[k / 3] * b->weight[k % 3] * C[row * other + column];
            }
        }
    }
    free(C);
}

/// The upper block's top turned by 0.3 degrees about y through its centre, then moved.
static void moveTop(Pair* p, const unsigned char* fixed)
{
    const plSoft* s = &p->upper.soft;
    const plVec3 center = {0.15, 0.15, 0.35}, shift = {2e-4, 1e-4, -3e-4};
    const plMat3 R = plRotation(plRotor(plVec(0, 1, 0), 0.3 * PL_PI / 180));
    for (int i = 0; i < s->nodeCount; ++i) {
        if (!fixed[3 * i]) continue;
        const plVec3 r = plSub(s->points[i], center);
        plPut3(plAdd(shift, plSub(plMul(&R, r), r)), &p->u[3 * i]);
    }
    plSoftFactor_Solve(&p->upperFactor, p->f, p->u);
    for (int i = 0; i < 3 * p->count; ++i) {
        p->delta[i] = p->u[3 * p->list[i / 3] + contactAxis[i % 3]];
    }
}

/// In place, since factors keep the address of their body.
static void makePair(Pair* p)
{
    const plTets upper = boxMesh(4, 4, 3, plVec(0.05, 0.05, 0.2), plVec(0.25, 0.25, 0.35));
    const plTets lower = boxMesh(3, 3, 2, plVec(0, 0, 0), plVec(0.3, 0.3, 0.2));
    *p = (Pair){.upper = makeBody(upper, 2e6, 0.3, 1000), .lower = makeBody(lower, 1e6, 0.4, 1000)};
    const plSoft *s = &p->upper.soft, *t = &p->lower.soft;
    plTetsSurface surface;
    const plAllocator allocator = heap();
    unsigned char *fixed = noneHeld(s), *clamped = noneHeld(t);
    p->count = nodesAt(s, alongZ, 0.2, p->list);
    p->lowerCount = nodesAt(t, alongZ, 0.2, p->lowerList);
    hold(s, alongZ, 0.35, 7, fixed), hold(t, alongZ, 0, 7, clamped);
    p->upperFactor = makeFactor(s, 0, 1, pl_softLumped, fixed, p->list, p->count);
    p->lowerFactor = makeFactor(t, 0, 1, pl_softLumped, clamped, p->lowerList, p->lowerCount);
    p->W = numbers(9 * p->count * p->count), p->delta = numbers(3 * p->count);
    p->f = numbers(3 * s->nodeCount), p->u = numbers(3 * s->nodeCount);
    moveTop(p, fixed);
    assert_int_equal(plTets_Surface(&p->lower.mesh, &allocator, &surface), pl_statusOk);
    for (int i = 0; i < p->count; ++i) {
        // Contacts are found where the free motion ends.
        const double* u = &p->u[3 * p->list[i]];
        p->foot[i] =
            footOf(&p->lower, &surface, plAdd(s->points[p->list[i]], plVec(u[0], u[1], 0)));
    }
    plTetsSurface_Free(&surface);
    addUpper(p), addLower(p);
    free(fixed), free(clamped);
}

static void freePair(Pair* p)
{
    freeFactor(&p->upperFactor), freeFactor(&p->lowerFactor);
    freeBody(&p->upper), freeBody(&p->lower);
    free(p->W), free(p->delta), free(p->f), free(p->u);
}

/// The gaps by solving both bodies under the forces, against W p + delta.
static double gapError(Pair* p, const double* force)
{
    const plSoft *s = &p->upper.soft, *t = &p->lower.soft;
    double *g = numbers(3 * t->nodeCount), *w = numbers(3 * t->nodeCount), worst = 0;
    memset(p->f, 0, 3 * (size_t)s->nodeCount * sizeof *p->f);
    for (int i = 0; i < 3 * p->count; ++i) {
        const Foot* foot = &p->foot[i / 3];
        p->f[3 * p->list[i / 3] + contactAxis[i % 3]] += force[i];
        for (int k = 0; k < 3; ++k) {
            g[3 * foot->node[k] + contactAxis[i % 3]] -= foot->weight[k] * force[i];
        }
    }
    plSoftFactor_Solve(&p->upperFactor, p->f, p->u);
    plSoftFactor_Solve(&p->lowerFactor, g, w);
    for (int i = 0; i < 3 * p->count; ++i) {
        const Foot* foot = &p->foot[i / 3];
        double gap = p->u[3 * p->list[i / 3] + contactAxis[i % 3]];
        for (int k = 0; k < 3; ++k) {
            gap -= foot->weight[k] * w[3 * foot->node[k] + contactAxis[i % 3]];
        }
        const double want = p->delta[i] + plDotN(&p->W[i * 3 * p->count], force, 3 * p->count);
        worst = fmax(worst, fabs(gap - want));
    }
    free(g), free(w);
    return worst;
}

static void twoBlocksPushEachOtherAsTheTableSays(void** state)
{
    (void)state;
    static const struct {
        double mu, sum[3];
    } table[] = {{0.2, {90.229930162, 16.513456172, -4.788172856}},
                 {0.5, {89.550864919, 19.928828056, -5.649290127}},
                 {0.8, {89.120052774, 21.793340686, -6.051817963}}};
    Pair p;
    makePair(&p);
    Bench bench = makeBench(3, p.count, 8), flat = makeBench(1, p.count, 4);
    double *W = numbers(p.count * p.count), *delta = numbers(p.count), force[96] = {0};
    assert_int_equal(p.count, 25);
    for (int i = 0; i < p.count; ++i) {
        delta[i] = p.delta[3 * i];
        for (int j = 0; j < p.count; ++j) W[i * p.count + j] = p.W[9 * i * p.count + 3 * j];
    }
    for (int law = 0; law < 2; ++law) {
        const plLawReport report = solve(&flat, law ? &plLcpLaw : &plConeLaw, p.count, 0, W, delta);
        const double total = sumOf(flat.p, p.count, 1, 0);
        print_message("two blocks, frictionless, %s: %.11f N, %d active\n", law ? "lcp" : "cone",
                      total, report.active);
        checkRatio("total", total, 92.61551108969, law ? 1e-11 : 1e-9);
        assert_int_equal(report.active, 15);
    }
    for (int i = 0; i < p.count; ++i) force[3 * i] = flat.p[i];
    checkAtMost("gaps", gapError(&p, force), 1e-15);
    for (int i = 0; i < PL_COUNT(table); ++i) {
        solve(&bench, &plConeLaw, p.count, table[i].mu, p.W, p.delta);
        for (int k = 0; k < 3; ++k) {
            const double sum = sumOf(bench.p, p.count, 3, k);
            print_message("mu %.1f, row %d: %.9f N\n", table[i].mu, k, sum);
            checkRatio("sum of forces", sum, table[i].sum[k], 1e-8);
        }
        checkAtMost("gaps", gapError(&p, bench.p), 1e-15);
    }
    freeBench(&bench), freeBench(&flat);
    free(W), free(delta);
    freePair(&p);
}

// --- Hertz: half a ball on a rigid plane

/// Total force of the whole when the flat face is moved down by d; the quarter's planes of symmetry
/// are held, and the flat face in all directions.
static double hertzForce(const Body* b, plSoftFactor* factor, const unsigned char* fixed,
                         const int* list, int count, double d, Bench* bench, const double* W)
{
    const plSoft* s = &b->soft;
    const int n = 3 * s->nodeCount;
    double *f = numbers(n), *u = numbers(n), *delta = numbers(count);
    for (int i = 0; i < s->nodeCount; ++i) {
        if (fixed[3 * i + 2]) u[3 * i + 2] = -d;
    }
    plSoftFactor_Solve(factor, f, u);
    for (int i = 0; i < count; ++i) delta[i] = s->points[list[i]].z + 10e-3 + u[3 * list[i] + 2];
    solve(bench, &plConeLaw, count, 0, W, delta);
    free(f), free(u), free(delta);
    return 4 * sumOf(bench->p, count, 1, 0);
}

static void halfBallPushesAsHertzSays(void** state)
{
    (void)state;
    plTets mesh;
    const plAllocator allocator = heap();
    plHemisphereDef def = plDefaultHemisphereDef();
    assert_int_equal(plTets_Hemisphere(&def, &allocator, &mesh), pl_statusOk);
    Body b = makeBody(mesh, 700e6, 0.35, 950);
    const plSoft* s = &b.soft;
    unsigned char* fixed = noneHeld(s);
    int list[300], count = 0;
    hold(s, alongX, 0, 1, fixed), hold(s, alongY, 0, 2, fixed), hold(s, alongZ, 0, 7, fixed);
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 p = s->points[i];
        const bool surface = fabs(plNorm(p) - 10e-3) < 1e-9;
        if (surface && p.z < 0 && hypot(p.x, p.y) < 3.5e-3 && count < 300) list[count++] = i;
    }
    double *C = numbers(9 * count * count), *W = numbers(count * count);
    plSoftFactor factor = makeFactor(s, 0, 1, pl_softLumped, fixed, list, count);
    plSoftFactor_Compliance(&factor, C);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            W[i * count + j] = C[(3 * i + 2) * 3 * count + 3 * j + 2];
        }
    }
    Bench bench = makeBench(1, count, 4);
    print_message("half ball: %d tetrahedra in a quarter, %d candidates\n", s->tetCount, count);
    for (int k = 1; k <= 3; ++k) {
        const double d = k * 1e-4, R = 10e-3, a = sqrt(R * d);
        const double F = hertzForce(&b, &factor, fixed, list, count, d, &bench, W);
        const double hertz = 4.0 / 3 * 700e6 / (1 - 0.35 * 0.35) * sqrt(R) * pow(d, 1.5);
        const double finite = hertz * (1 + 1.07 * a / R);
        print_message("d %.1f mm: F %.2f N, over Hertz %.4f, over the finite body's %.4f\n",
                      1e3 * d, F, F / hertz, F / finite);
        checkRatio("force", F, finite, 0.03);
    }
    freeBench(&bench);
    freeFactor(&factor);
    freeBody(&b);
    free(C), free(W), free(fixed);
}

// --- frozen problems of soft bodies

static void frozenProblemsAreSolvedToNineDigits(void** state)
{
    (void)state;
    static const char* const names[] = {"single_cycle_mu1", "table_m16_r0_mu0.1",
                                        "table_m16_r0_mu0.8", "table_m16_r2_mu0.3",
                                        "block15_E1e+07_mu0.5"};
    for (int i = 0; i < PL_COUNT(names); ++i) {
        char path[256];
        snprintf(path, sizeof path, "signorini/%s.txt", names[i]);
        plSpaceFile file = loadReference(ownFile(path), pl_spaceAny);
        Bench b = makeBench(file.space.dim, file.space.count, 8);
        double error = 0, size = 0;
        b.work.tolerance = 1e-13; // the default stops at 1e-9
        runLaw(&plConeLaw, &file.space, 0, &b);
        for (int k = 0; k < plSpace_Rows(&file.space); ++k) {
            error = hypot(error, b.p[k] - file.known[k]);
            size = hypot(size, file.known[k]);
        }
        print_message("%s: forces to %.1e\n", names[i], error / size);
        checkAtMost(names[i], error / size, 1e-9);
        freeBench(&b);
        unloadReference(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressedBlockSharesItsForceByArea),
        cmocka_unit_test(twoBlocksPushEachOtherAsTheTableSays),
        cmocka_unit_test(halfBallPushesAsHertzSays),
        cmocka_unit_test(frozenProblemsAreSolvedToNineDigits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
