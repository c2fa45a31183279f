// Soft bodies for tests: meshes with their material, and what tests ask of them.
#ifndef PALP_TEST_FEMS_H
#define PALP_TEST_FEMS_H

#include "law_problems.h"
#include "soft/soft.h"

static inline plAllocator heap(void) { return plDefaultAllocator(); }

/// A body with its mesh.
typedef struct {
    plTets mesh;
    plSoft soft;
} Body;

static inline void checkMade(plStatus status, const plShapeError* error)
{
    if (status == pl_statusOk) return;
    print_error("%s: %s\n", plStatus_Name(status), error->message);
    fail();
}

/// Takes the mesh over.
static inline Body makeBody(plTets mesh, double E, double nu, double rho)
{
    Body b = {.mesh = mesh};
    const plAllocator allocator = heap();
    const plElastic material = {E, nu, rho};
    plShapeError error;
    checkMade(plSoft_Create(&b.soft, &b.mesh, &material, &allocator, &error), &error);
    return b;
}

static inline void freeBody(Body* b)
{
    const plAllocator allocator = heap();
    plSoft_Destroy(&b->soft, &allocator);
    plTets_Free(&b->mesh);
}

static inline plTets boxMesh(int nx, int ny, int nz, plVec3 lo, plVec3 hi)
{
    plTets mesh;
    const plAllocator allocator = heap();
    assert_int_equal(plTets_Box(nx, ny, nz, lo, hi, &allocator, &mesh), pl_statusOk);
    return mesh;
}

static inline plTets loadMesh(const char* path)
{
    plTets mesh;
    plShapeError error;
    const plAllocator allocator = heap();
    checkMade(plTets_Load(path, 1, &allocator, &mesh, &error), &error);
    return mesh;
}

static inline double* numbers(int count)
{
    double* x = calloc((size_t)count, sizeof *x);
    assert_non_null(x);
    return x;
}

// --- nodes by place

enum { alongX, alongY, alongZ };

static inline double along(plVec3 p, int axis)
{
    return axis == alongX ? p.x : axis == alongY ? p.y : p.z;
}

/// Nodes whose coordinate is `place`, ascending; how many. `list` holds them all.
static inline int nodesAt(const plSoft* s, int axis, double place, int* list)
{
    int count = 0;
    for (int i = 0; i < s->nodeCount; ++i) {
        if (fabs(along(s->points[i], axis) - place) < 1e-9) list[count++] = i;
    }
    return count;
}

/// Marks the nodes of a plane as held in the directions of a mask (1 x, 2 y, 4 z).
static inline void hold(const plSoft* s, int axis, double place, int mask, unsigned char* fixed)
{
    for (int i = 0; i < s->nodeCount; ++i) {
        if (fabs(along(s->points[i], axis) - place) >= 1e-9) continue;
        for (int k = 0; k < 3; ++k) {
            if (mask >> k & 1) fixed[3 * i + k] = 1;
        }
    }
}

static inline unsigned char* noneHeld(const plSoft* s)
{
    unsigned char* fixed = calloc(3 * (size_t)s->nodeCount, 1);
    assert_non_null(fixed);
    return fixed;
}

static inline plSoftFactor makeFactor(const plSoft* s, double a, double b, plSoftMass mass,
                                      const unsigned char* fixed, const int* candidates, int count)
{
    plSoftFactor f;
    plShapeError error;
    const plAllocator allocator = heap();
    const plSoftFactorDef def = {a, b, mass, fixed, count, candidates};
    checkMade(plSoftFactor_Create(&f, s, &def, &allocator, &error), &error);
    return f;
}

static inline void freeFactor(plSoftFactor* f)
{
    const plAllocator allocator = heap();
    plSoftFactor_Destroy(f, &allocator);
}

/// All eigenvalues of a symmetric matrix, ascending, and vectors as columns of U.
static inline void eigenvalues(const double* A, int n, double* lambda, double* U)
{
    const plAllocator allocator = heap();
    plArena arena;
    plEigen eigen;
    const size_t order = (size_t)n;
    assert_int_equal(plArena_Create(&arena, (order * order + 200 * order + 4096) * 8, &allocator),
                     pl_statusOk);
    assert_int_equal(plEigen_Create(&eigen, n, &arena), pl_statusOk);
    assert_true(plEigen_Solve(&eigen, A, n, lambda, U));
    plArena_Destroy(&arena, &allocator);
}

/// a M + b K as a dense matrix.
static inline double* denseOf(const plSoft* s, plSoftMass mass, double a, double b)
{
    const int n = 3 * s->nodeCount;
    double *A = numbers(n * n), *e = numbers(n), *column = numbers(n);
    for (int j = 0; j < n; ++j) {
        e[j] = 1;
        plSoft_Multiply(s, mass, a, b, e, column);
        for (int i = 0; i < n; ++i) A[i * n + j] = column[i];
        e[j] = 0;
    }
    free(e), free(column);
    return A;
}

// --- bodies of the paper                                                      (signorini 4, 6)

static inline Body makeTable(int cells, int beams)
{
    plTets mesh;
    const plAllocator allocator = heap();
    assert_int_equal(plTets_Table(cells, beams, &allocator, &mesh), pl_statusOk);
    return makeBody(mesh, 2e6, 0.3, 1100);
}

/// Leg of a contact, 0 to 3: x, then y.
static inline int legOf(plVec3 p) { return (p.x > 0.12) + 2 * (p.y > 0.12); }

static inline Body makeClip(void)
{
    plTets mesh;
    const plAllocator allocator = heap();
    const plClipDef def = plDefaultClipDef();
    assert_int_equal(plTets_Clip(&def, &allocator, &mesh), pl_statusOk);
    return makeBody(mesh, 700e6, 0.35, 950);
}

/// Rows of contact with a floor: z, x, y of each candidate.
static inline double contactRow(const double* C, int count, int i, int j)
{
    static const int axis[3] = {2, 0, 1};
    return C[(3 * (i / 3) + axis[i % 3]) * 3 * count + 3 * (j / 3) + axis[j % 3]];
}

/// |actual/expected - 1|
static inline void checkRatio(const char* what, double actual, double expected, double tolerance)
{
    if (fabs(actual / expected - 1) <= tolerance) return;
    print_error("%s: %.13g, expected %.13g within %g of it, off by %.3g\n", what, actual, expected,
                tolerance, actual / expected - 1);
    fail();
}

#endif
