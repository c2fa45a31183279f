// Contact problems for the tests of laws: files of the reference data, and random ensembles.
#ifndef PALP_TEST_LAW_PROBLEMS_H
#define PALP_TEST_LAW_PROBLEMS_H

#include "law/law.h"
#include "reference.h"
#include "worlds.h"

#include <string.h>

static inline plSpaceFile loadReference(const char* path, plSpaceFormat format)
{
    plSpaceFile file;
    const plAllocator allocator = plDefaultAllocator();
    if (plSpaceFile_Load(&file, path, format, &allocator) != pl_statusOk) {
        print_error("%s\n", file.error);
        fail();
    }
    return file;
}

static inline void unloadReference(plSpaceFile* file)
{
    const plAllocator allocator = plDefaultAllocator();
    plSpaceFile_Destroy(file, &allocator);
}

/// Memory for laws, and for one space of so many contacts of 3 rows.
typedef struct {
    plArena arena;
    plLawWork work;
    plSpace space;
    double *q, *p;
    plContactMemory *before, *after;
} Bench;

static inline Bench makeBench(int dim, int contacts, int sides)
{
    Bench b;
    const plAllocator allocator = plDefaultAllocator();
    const size_t extra = (size_t)(contacts + 8) * (sizeof(double) * (plMaxSides + 8) + 256);
    const size_t size = plLawWork_Size(contacts, sides) + plSpace_Size(dim, contacts, 0) + extra;
    assert_int_equal(plArena_Create(&b.arena, size, &allocator), pl_statusOk);
    assert_int_equal(plLawWork_Create(&b.work, contacts, sides, &b.arena), pl_statusOk);
    assert_int_equal(plSpace_Create(&b.space, dim, contacts, 0, &b.arena), pl_statusOk);
    b.space.sides = sides;
    b.q = plArena_Alloc(&b.arena, (size_t)contacts * (plMaxSides + 1), sizeof(double));
    b.p = plArena_Alloc(&b.arena, (size_t)contacts * 3, sizeof(double));
    b.before = plArena_Alloc(&b.arena, (size_t)contacts, sizeof(plContactMemory));
    b.after = plArena_Alloc(&b.arena, (size_t)contacts, sizeof(plContactMemory));
    assert_false(b.arena.full);
    return b;
}

static inline void freeBench(Bench* b)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&b->arena, &allocator);
}

/// Bias and solve at a level, from no memory.
static inline plLawReport runLaw(const plLaw* law, const plSpace* s, int level, Bench* b)
{
    plLawReport report;
    memset(b->before, 0, (size_t)s->count * sizeof *b->before);
    law->bias(s, level, b->q);
    law->solve(s, b->q, level, b->before, b->after, b->p, &b->work, &report);
    return report;
}

// --- random problems

/// The generator of the peers' measurements: splitmix64, with normals by Box and Muller.
typedef struct {
    uint64_t state;
} Splitmix;

static inline Splitmix mixSeed(uint64_t seed)
{
    return (Splitmix){seed * UINT64_C(0x9E3779B97F4A7C15) + 0x1234567u};
}
static inline double mixUniform(Splitmix* r)
{
    uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}
static inline double mixSigned(Splitmix* r) { return 2 * mixUniform(r) - 1; }
static inline double mixNormal(Splitmix* r)
{
    const double u = mixUniform(r) + 1e-300, v = mixUniform(r);
    return sqrt(-2 * log(u)) * cos(2 * PL_PI * v);
}

/// Normal near up, tangents t1 and t2, as rows.
static inline plMat3 mixFrame(Splitmix* r, double spread)
{
    plMat3 R;
    const double x = spread * mixNormal(r), y = spread * mixNormal(r);
    const plVec3 n = plVec(x, y, 1 + spread * mixNormal(r));
    R.x = plScale(1 / plNorm(n), n);
    const plVec3 axis = fabs(R.x.x) < 0.6 ? plVec(1, 0, 0) : plVec(0, 1, 0);
    const plVec3 t = plAddScaled(axis, -plDot(axis, R.x), R.x);
    R.y = plScale(1 / plNorm(t), t);
    R.z = plCross(R.x, R.y);
    return R;
}

/// Deformable contact: an exponential kernel between points of a unit square. (kind 0 of b_gen.h)
static inline void makeElastic(plSpace* s, int m, double mu, uint64_t seed)
{
    enum { mostElastic = 160 };
    const plMat3 C = {{1, 0.1, 0.05}, {0.1, 1.2, 0.1}, {0.05, 0.1, 1.5}};
    Splitmix r = mixSeed(seed + 1000003u * (uint64_t)m);
    double x[mostElastic][2];
    plMat3 R[mostElastic];
    s->count = m;
    for (int i = 0; i < m; ++i) {
        x[i][0] = mixUniform(&r), x[i][1] = mixUniform(&r);
        R[i] = mixFrame(&r, 0.15);
        s->pair[i] = (plPair){.mu = mu};
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            const double d = hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]);
            const double k = exp(-d / 0.3) + (i == j ? 0.1 : 0);
            const plVec3 a[3] = {R[i].x, R[i].y, R[i].z}, b[3] = {R[j].x, R[j].y, R[j].z};
            for (int e = 0; e < 9; ++e) {
                s->W[(3 * i + e / 3) * 3 * m + 3 * j + e % 3] =
                    k * plDot(a[e / 3], plMul(&C, b[e % 3]));
            }
        }
    }
    for (int i = 0; i < m; ++i) {
        double* q = &s->uFree[3 * i];
        q[0] = mixUniform(&r) < 0.8 ? -0.3 - mixUniform(&r) : 0.5 * mixUniform(&r);
        q[1] = 0.4 * mixNormal(&r), q[2] = 0.4 * mixNormal(&r);
    }
}

static inline void putArm(double* h, plVec3 d, plVec3 arm, double sign)
{
    plPut3(plScale(sign, d), h);
    plPut3(plScale(sign, plCross(arm, d)), h + 3);
}

/// Hyperstatic: about m/4 rigid cubes with four contacts each, W = H M^-1 H^T + 1e-6 I has half
/// rank. (kind 1 of b_gen.h, number for number)
static inline void makeRigid(plSpace* s, int m, double mu, uint64_t seed)
{
    enum { maxBodies = 16, maxRows = 192 };
    static double H[maxRows][6 * maxBodies];
    double inverse[6 * maxBodies], v[6 * maxBodies];
    const int bodies = m / 4 > 1 ? m / 4 : 1, nv = 6 * bodies, n = 3 * m;
    Splitmix r = mixSeed(seed + 1000003u * (uint64_t)m + 17);
    s->count = m;
    memset(H, 0, sizeof H);
    for (int k = 0; k < nv; ++k) {
        inverse[k] = (k % 6 < 3 ? 1 : 6 / (0.1 * 0.1)) * (0.8 + 0.4 * mixUniform(&r));
        v[k] = k % 6 == 2 ? -0.5 : 0.1 * mixNormal(&r) * (k % 6 < 3 ? 1 : 5);
    }
    for (int i = 0; i < m; ++i) {
        const int a = i % bodies;
        int c = -1;
        if (i / bodies % 2 != 0 && bodies > 1)
            c = (a + 1 + (int)(mixUniform(&r) * (bodies - 1))) % bodies;
        const plMat3 R = mixFrame(&r, 0.3);
        const plVec3 axes[3] = {R.x, R.y, R.z};
        double x[4];
        for (int k = 0; k < 4; ++k) x[k] = 0.05 * mixSigned(&r);
        for (int k = 0; k < 3; ++k) {
            putArm(&H[3 * i + k][6 * a], axes[k], plVec(x[0], x[1], -0.05), 1);
            if (c >= 0) putArm(&H[3 * i + k][6 * c], axes[k], plVec(x[2], x[3], 0.05), -1);
        }
        s->pair[i] = (plPair){.mu = mu};
    }
    for (int i = 0; i < n; ++i) {
        s->uFree[i] = plDotN(H[i], v, nv);
        for (int j = 0; j < n; ++j) {
            double w = i == j ? 1e-6 : 0;
            for (int k = 0; k < nv; ++k) w += H[i][k] * inverse[k] * H[j][k];
            s->W[i * n + j] = w;
        }
    }
}

#endif
