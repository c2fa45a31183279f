// Beams of linear tetrahedra: the cantilever's table, its frequencies, two meshes of other projects.
#define _POSIX_C_SOURCE 200809L // popen
#include "fems.h"

#include <string.h>

// --- cantilever: L 10, side 1, E 1e6, end traction -1 in all                  (signorini 2)

/// Traction -1 along y, spread over the triangles of the end face, a third to each corner.
static void loadEnd(const Body* b, double length, double* f)
{
    plTetsSurface surface;
    const plAllocator allocator = heap();
    double whole = 0;
    assert_int_equal(plTets_Surface(&b->mesh, &allocator, &surface), pl_statusOk);
    for (int i = 0; i < surface.triangleCount; ++i) {
        const int* v = &surface.triangles[3 * i];
        const plVec3 p = b->mesh.points[v[0]], q = b->mesh.points[v[1]], r = b->mesh.points[v[2]];
        if (fmin(p.x, fmin(q.x, r.x)) < length - 1e-9) continue;
        const double area = plNorm(plCross(plSub(q, p), plSub(r, p))) / 2;
        for (int k = 0; k < 3; ++k) f[3 * v[k] + 1] -= area / 3;
        whole += area;
    }
    checkNear("end face", whole, 1, 1e-12);
    plTetsSurface_Free(&surface);
}

/// Mean deflection of the end face's nodes.
static double tipOf(const plSoft* s, double length, const double* u, int axis)
{
    int* list = calloc((size_t)s->nodeCount, sizeof *list);
    const int count = nodesAt(s, alongX, length, list);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += u[3 * list[i] + axis];
    free(list);
    return sum / count;
}

static Body cantilever(int n, double nu)
{
    plTets mesh;
    const plAllocator allocator = heap();
    assert_int_equal(plTets_Bar(10, 1, n, &allocator, &mesh), pl_statusOk);
    assert_int_equal(mesh.tetCount, 60 * n * n * n);
    return makeBody(mesh, 1e6, nu, 1);
}

static double deflection(int n, double nu)
{
    Body b = cantilever(n, nu);
    const int size = 3 * b.soft.nodeCount;
    double *f = numbers(size), *u = numbers(size);
    unsigned char* fixed = noneHeld(&b.soft);
    hold(&b.soft, alongX, 0, 7, fixed);
    loadEnd(&b, 10, f);
    plSoftFactor factor = makeFactor(&b.soft, 0, 1, pl_softLumped, fixed, NULL, 0);
    plSoftFactor_Solve(&factor, f, u);
    const double tip = tipOf(&b.soft, 10, u, 1);
    freeFactor(&factor);
    freeBody(&b);
    free(f), free(u), free(fixed);
    return tip;
}

static void cantileversBendAsTheTableSays(void** state)
{
    (void)state;
    static const struct {
        int n;
        double nu, tip, bar;
    } table[] = {
        {1, 0.3, -8.843414683e-4, 1e-8}, {2, 0.3, -2.030518975e-3, 1e-8},
        {4, 0.3, -3.173101820e-3, 1e-8}, {2, 0, -2.211581867e-3, 1e-8},
        {4, 0, -3.316915559e-3, 1e-8},   {2, 0.35, -0.471 * 4e-3, 1.1e-3}, // three digits
        {4, 0.35, -0.765 * 4e-3, 7e-4},  {2, 0.45, -0.301 * 4e-3, 1.7e-3},
        {4, 0.45, -0.603 * 4e-3, 9e-4},  {6, 0.3, -3.575594316e-3, 1e-8},
        {6, 0.35, -0.875 * 4e-3, 6e-4},  {6, 0.45, -0.761 * 4e-3, 7e-4},
        {8, 0.3, -3.747348187e-3, 1e-8},
    };
    double worst = 0;
    for (int i = 0; i < sized(10, PL_COUNT(table)); ++i) {
        const double tip = deflection(table[i].n, table[i].nu);
        if (table[i].bar == 1e-8) worst = fmax(worst, fabs(tip / table[i].tip - 1));
        checkRatio("tip", tip, table[i].tip, table[i].bar);
    }
    print_message("tips, against the table's ten digits: %.1e\n", worst);
}

static void cantileversRingAsTheTableSays(void** state)
{
    (void)state;
    static const struct {
        int n;
        double hertz[2]; // lumped, consistent
    } table[] = {{4, {1.748232, 1.748848}}, {8, {1.647363, 1.647510}}};
    const plAllocator allocator = heap();
    for (int i = 0; i < sized(1, 2); ++i) {
        Body b = cantilever(table[i].n, 0.3);
        unsigned char* fixed = noneHeld(&b.soft);
        hold(&b.soft, alongX, 0, 7, fixed);
        for (plSoftMass mass = pl_softLumped; mass <= pl_softConsistent; ++mass) {
            double omega[2];
            plSoftFactor factor = makeFactor(&b.soft, 0, 1, mass, fixed, NULL, 0);
            assert_int_equal(plSoft_Frequencies(&factor, 2, &allocator, omega, NULL), pl_statusOk);
            // Seven digits are given.
            checkNear("first frequency", omega[0] / (2 * PL_PI), table[i].hertz[mass], 6e-7);
            freeFactor(&factor);
        }
        freeBody(&b);
        free(fixed);
    }
}

/// Least pivot over the largest.
static double leastPivot(const plSoftFactor* f)
{
    double least = INFINITY, most = 0;
    for (int j = 0; j < f->n; ++j) {
        least = fmin(least, f->L[f->start[j]]), most = fmax(most, f->L[f->start[j]]);
    }
    return (least / most) * (least / most);
}

// The factor's line between soft and loose: a bar of 1 to 1000 is held at one end; bodies that
// nothing holds are refused, however round-off falls.
static void slenderIsNotLoose(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    plTets mesh;
    plShapeError error;
    assert_int_equal(plTets_Bar(1, 1e-3, 1, &allocator, &mesh), pl_statusOk);
    Body b = makeBody(mesh, 1e9, 0.3, 1000);
    unsigned char* fixed = noneHeld(&b.soft);
    hold(&b.soft, alongX, 0, 7, fixed);
    int tip[4];
    assert_int_equal(nodesAt(&b.soft, alongX, 1, tip), 4);
    // Eliminated last, the free end has its own stiffness as pivot.
    plSoftFactor f = makeFactor(&b.soft, 0, 1, pl_softLumped, fixed, tip, 4);
    print_message("bar of 1 to 1000: least pivot %.1e\n", leastPivot(&f));
    freeFactor(&f);
    freeBody(&b);
    free(fixed);
    for (int n = 1; n <= 4; ++n) {
        Body loose = cantilever(n, 0.3);
        const plSoftFactorDef def = {.b = 1};
        assert_int_equal(plSoftFactor_Create(&f, &loose.soft, &def, &allocator, &error),
                         pl_statusBadArgument);
        assert_non_null(strstr(error.message, "without force"));
        freeBody(&loose);
    }
}

// --- a beam of 0.5 x 0.05 x 0.02 m, unstructured: one layer of elements across its thin side

static void foreignCantileverIsAsStiffAsItsElements(void** state)
{
    (void)state;
    Body b =
        makeBody(loadMesh(publishedFile("data/fem/beam-cantilever-tet4.msh")), 2e11, 0.3, 7800);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    const double want[3] = {0, 0.3696, 0.0513}, section[3] = {0, 0.05, 0.02};
    int* list = calloc((size_t)s->nodeCount, sizeof *list);
    unsigned char* fixed = noneHeld(s);
    hold(s, alongX, 0, 7, fixed);
    plSoftFactor factor = makeFactor(s, 0, 1, pl_softLumped, fixed, NULL, 0);
    const int count = nodesAt(s, alongX, 0.5, list);
    for (int axis = 1; axis < 3; ++axis) {
        double *f = numbers(n), *u = numbers(n);
        for (int i = 0; i < count; ++i) f[3 * list[i] + axis] = 1.0 / count;
        plSoftFactor_Solve(&factor, f, u);
        const double d = section[axis], other = section[3 - axis], I = other * d * d * d / 12;
        const double beam = 0.125 / (3 * 2e11 * I), ratio = tipOf(s, 0.5, u, axis) / beam;
        print_message("deflection along %c over Euler and Bernoulli: %.6f\n", 'x' + axis, ratio);
        checkNear("deflection", ratio, want[axis], 1e-3);
        free(f), free(u);
    }
    freeFactor(&factor);
    freeBody(&b);
    free(list), free(fixed);
}

// --- a bar of 500 nodes under its weight, and where another program left it

/// How far the nodes went from the first to the last state of a packed file of states: 3 numbers a node. Its
/// bar may stand elsewhere than the mesh.
static void readWay(const char* path, int count, double* way)
{
    char command[1200];
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    double* first = numbers(count);
    char word[64];
    int states = 0, at = 0;
    while (fscanf(pipe, "%63s", word) == 1) {
        if (strcmp(word, "T=") == 0) at = -1; // the time follows
        if (strcmp(word, "X=") == 0) {
            at = 0, ++states;
        } else if (strcmp(word, "V=") == 0) {
            at = -1;
        } else if (states > 0 && at >= 0 && at < count) {
            const double x = strtod(word, NULL);
            if (states == 1) first[at] = x;
            way[at] = x - first[at];
            ++at;
        }
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(states >= 2);
    free(first);
}

static double largestDistance(const plSoft* s, const double* u, const double* w, double* deflection)
{
    double most = 0;
    *deflection = 0;
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 other = plGet3(&w[3 * i]);
        most = fmax(most, plNorm(plSub(plGet3(&u[3 * i]), other)));
        *deflection = fmax(*deflection, plNorm(other));
    }
    return most;
}

static void hangingBarEndsWhereAnotherProgramSays(void** state)
{
    (void)state;
    Body b = makeBody(loadMesh(publishedFile("data/fem/bar-500.msh")), 1000, 0.4, 0.2);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    const plAllocator allocator = heap();
    double *f = numbers(n), *u = numbers(n), *v = numbers(n), *x = numbers(n), deflection;
    unsigned char* fixed = noneHeld(s);
    assert_int_equal(s->nodeCount, 500);
    for (int i = 0; i < s->nodeCount; ++i) {
        f[3 * i + 1] = -9 * s->lumped[i];
        if (s->points[i].z <= 0.1) memset(&fixed[3 * i], 1, 3);
    }
    const plSoftStepDef def = {.T = 0.01, .theta = 1, .alpha = 0.1, .beta = 0.1, .fixed = fixed};
    plSoftStepper stepper;
    plShapeError error;
    checkMade(plSoftStepper_Create(&stepper, s, &def, &allocator, &error), &error);
    for (int k = 0; k < 299; ++k) plSoftStepper_Step(&stepper, f, u, v);
    readWay(publishedFile("data/fem/SOFA_TetrahedronFEM_ref0.txt.gz"), n, x);
    const double distance = largestDistance(s, u, x, &deflection);
    print_message("linear: largest distance %.4f of a deflection of %.2f (%.2e)\n", distance,
                  deflection, distance / deflection);
    checkAtMost("linear", distance / deflection, 2e-3);
    readWay(publishedFile("data/fem/SOFA_TetrahedronFEM_ref1.txt.gz"), n, x);
    const double other = largestDistance(s, u, x, &deflection);
    print_message("elements that turn, which these do not: %.2f of %.2f\n", other, deflection);
    plSoftStepper_Destroy(&stepper, &allocator);
    freeBody(&b);
    free(f), free(u), free(v), free(x), free(fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantileversBendAsTheTableSays),
        cmocka_unit_test(cantileversRingAsTheTableSays),
        cmocka_unit_test(slenderIsNotLoose),
        cmocka_unit_test(foreignCantileverIsAsStiffAsItsElements),
        cmocka_unit_test(hangingBarEndsWhereAnotherProgramSays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
