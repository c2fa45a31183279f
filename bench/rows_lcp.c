// Complementarity: friction pyramids by Lemke's method, and frictionless contacts. Only solving is
// timed: all solvers are given the same M and q.
#include "bench.h"
#include "contacts.h"

#include "law/law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostProblems = 20 };
enum { againstSiconos, againstBullet };
enum { frictionless = 0 }; // in place of the sides of a pyramid

typedef struct {
    const BenchRow* row;
    int count, n;
    double* M[mostProblems];
    double* q[mostProblems];
    void* peer[mostProblems];
    double* z;
    plArena arena;
    plLcp lcp;
    plSpace flat; // frictionless: the LCP as a space of one row a contact
    plLawWork work;
} Problem;

static const LcpSolver* solverOf(const BenchRow* row)
{
    return row->against == againstBullet ? lcpBullet() : lcpSiconos();
}

static int sidesOf(const BenchRow* row) { return row->variant % 10; }
static ContactsKind kindOf(const BenchRow* row) { return (ContactsKind)(row->variant / 10); }

// Pyramids as palp's own law assembles them; without friction the normal rows of W.
static void assemble(Problem* p, const Contacts* c)
{
    const int m = c->count, sides = sidesOf(p->row);
    if (sides == frictionless) {
        p->lcp.n = m;
        for (int k = 0; k < m * m; ++k) p->lcp.M[k] = c->W[3 * (k / m) * 3 * m + 3 * (k % m)];
        for (int i = 0; i < m; ++i) p->lcp.q[i] = c->q[3 * i];
        return;
    }
    plPair pair[64] = {{0}};
    double zero[3 * 64] = {0}, bias[64 * (plMaxSides + 1)];
    for (int i = 0; i < m; ++i) pair[i].mu = c->mu;
    const plSpace s = {.count = m,
                       .dim = 3,
                       .capacity = m,
                       .T = 1e-3,
                       .sides = sides,
                       .W = c->W,
                       .pair = pair,
                       .gap = zero,
                       .gapFree = zero,
                       .uStart = zero,
                       .uFree = c->q};
    p->lcp.n = plPyramid_Size(&s);
    plBias_Pyramid(&s, pl_biasOneSided, bias);
    plPyramid_Assemble(&s, bias, &p->lcp);
}

static double* copied(const double* x, int n)
{
    double* y = malloc((size_t)n * sizeof *y);
    if (!y) exit(1);
    memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static void takeMemory(Problem* p, int size)
{
    const plAllocator allocator = plDefaultAllocator();
    const int m = p->row->size;
    const size_t square = (size_t)size * (size_t)size * sizeof(double);
    const size_t pairs = (size_t)m * sizeof(plPair);
    const size_t all = 2 * square + (size_t)size * 128 + pairs + plLawWork_Size(m, 4) + 65536;
    if (plArena_Create(&p->arena, all, &allocator) != pl_statusOk) exit(1);
    if (plLcp_Create(&p->lcp, size, &p->arena) != pl_statusOk) exit(1);
    if (plLawWork_Create(&p->work, m, 4, &p->arena) != pl_statusOk) exit(1);
    p->work.tolerance = 1e-12;
    p->flat = (plSpace){.count = m, .dim = 1, .capacity = m, .T = 1e-3, .sides = 4};
    p->flat.pair = plArena_Alloc(&p->arena, (size_t)m, sizeof(plPair));
    p->z = calloc((size_t)size, sizeof *p->z);
    if (!p->z || p->arena.full) exit(1);
}

static void* openProblem(const BenchRow* row, bool quick)
{
    const LcpSolver* solver = solverOf(row);
    if (!solver) return NULL;
    Problem* p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->row = row;
    p->count = row->size > 100 || quick ? 5 : mostProblems;
    takeMemory(p, row->size * (sidesOf(row) ? sidesOf(row) + 2 : 1));
    for (int i = 0; i < p->count; ++i) {
        Contacts c;
        contactsMake(&c, kindOf(row), row->size, 0.5, (uint64_t)i);
        assemble(p, &c);
        contactsFree(&c);
        p->n = p->lcp.n;
        p->M[i] = copied(p->lcp.M, p->n * p->n);
        p->q[i] = copied(p->lcp.q, p->n);
        p->peer[i] = solver->create(p->n, p->M[i], p->q[i]);
    }
    return p;
}

static void ready(void* self, int sample)
{
    Problem* p = self;
    const int i = sample % p->count;
    memcpy(p->lcp.M, p->M[i], (size_t)(p->n * p->n) * sizeof(double));
    memcpy(p->lcp.q, p->q[i], (size_t)p->n * sizeof(double));
    p->lcp.n = p->n;
    p->flat.W = p->M[i];
    p->flat.uFree = p->q[i];
    solverOf(p->row)->ready(p->peer[i]);
}

static void solveLemke(void* self, int sample)
{
    Problem* p = self;
    plLcpReport report = {0};
    (void)sample;
    plLcp_Solve(&p->lcp, &report);
    memcpy(p->z, p->lcp.z, (size_t)p->n * sizeof(double));
}

static void solveNewton(void* self, int sample)
{
    Problem* p = self;
    plLawReport report = {0};
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    plCone_Solve(&p->flat, p->q[sample % p->count], p->z, &p->work, &report);
}

static void solvePeer(void* self, int sample)
{
    Problem* p = self;
    solverOf(p->row)->solve(p->peer[sample % p->count], p->z);
}

// Failures of a way against a residual, and the worst of those that are within it.
static int failures(Problem* p, void (*way)(void*, int), double most, double* worst)
{
    int failed = 0;
    *worst = 0;
    for (int i = 0; i < p->count; ++i) {
        ready(p, i);
        way(p, i);
        const double e = plJudge_Lcp(p->M[i], p->n, p->q[i], p->z);
        if (e <= most) *worst = fmax(*worst, e);
        failed += !(e <= most);
    }
    return failed;
}

static bool check(void* self, char* words, size_t size)
{
    Problem* p = self;
    double mine, its;
    // What pivoting reaches on pyramids, and an active set without friction.
    const double most = sidesOf(p->row) ? 1e-8 : 1e-12;
    const int a = failures(p, p->row->palp, most, &mine), b = failures(p, solvePeer, most, &its);
    snprintf(words, size, "failed %d of %d; %d; residual %.1g; %.1g; rows %d", a, p->count, b, mine,
             its, p->n);
    return a == 0;
}

static void closeProblem(void* self)
{
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = self;
    for (int i = 0; i < p->count; ++i) {
        solverOf(p->row)->destroy(p->peer[i]);
        free(p->M[i]);
        free(p->q[i]);
    }
    plArena_Destroy(&p->arena, &allocator);
    free(p->z);
    free(p);
}

// The variant is the sides of a pyramid, and ten times the kind of W.
#define ROW(NAME, PEER, AGAINST, WAY, KIND, SIDES, SIZE, BAR)                                      \
    {                                                                                              \
        .group = "lcp", .name = (NAME), .peer = (PEER), .bar = (BAR), .size = (SIZE),              \
        .variant = (SIDES) + 10 * (KIND), .against = (AGAINST), .batch = 1, .open = openProblem,   \
        .check = check, .ready = ready, .palp = (WAY), .other = solvePeer, .close = closeProblem   \
    }
#define PYRAMID(NAME, KIND, SIDES, SIZE)                                                           \
    ROW(NAME, "Siconos Lemke", againstSiconos, solveLemke, KIND, SIDES, SIZE, 6)
#define FLAT(NAME, KIND, SIZE)                                                                     \
    ROW(NAME, "Bullet Dantzig", againstBullet, solveLemke, KIND, frictionless, SIZE, 1.5)
#define NEWTON(NAME, KIND, SIZE)                                                                   \
    ROW(NAME, "Bullet Dantzig", againstBullet, solveNewton, KIND, frictionless, SIZE, 0)

const BenchRow* benchRows_lcp(int* count)
{
    static const BenchRow rows[] = {
        PYRAMID("pyramids of 4, elastic, 10", contactsElastic, 4, 10),
        PYRAMID("pyramids of 4, elastic, 30", contactsElastic, 4, 30),
        PYRAMID("pyramids of 8, elastic, 10", contactsElastic, 8, 10),
        PYRAMID("pyramids of 8, elastic, 30", contactsElastic, 8, 30),
        PYRAMID("pyramids of 4, hyperstatic, 10", contactsRigid, 4, 10),
        PYRAMID("pyramids of 4, hyperstatic, 30", contactsRigid, 4, 30),
        PYRAMID("pyramids of 8, hyperstatic, 10", contactsRigid, 8, 10),
        FLAT("frictionless, elastic, 10", contactsElastic, 10),
        FLAT("frictionless, elastic, 30", contactsElastic, 30),
        FLAT("frictionless, elastic, 100", contactsElastic, 100),
        FLAT("frictionless, elastic, 200", contactsElastic, 200),
        FLAT("frictionless, hyperstatic, 30", contactsRigid, 30),
        FLAT("frictionless, hyperstatic, 100", contactsRigid, 100),
        NEWTON("by the cone, elastic, 10", contactsElastic, 10),
        NEWTON("by the cone, elastic, 100", contactsElastic, 100),
        NEWTON("by the cone, hyperstatic, 100", contactsRigid, 100),
    };
    *count = PL_COUNT(rows);
    return rows;
}
