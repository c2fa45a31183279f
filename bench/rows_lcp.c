// Complementarity: friction pyramids, beside Lemke's method, and frictionless contacts. Only solving is
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

// A sample is one problem, or `batch` of them, each once.
static int problemOf(const Problem* p, int sample, int k)
{
    return (sample * p->row->batch + k) % p->count;
}

static void ready(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; ++k) {
        solverOf(p->row)->ready(p->peer[problemOf(p, sample, k)]);
    }
}

static void palpOne(Problem* p, int i)
{
    plLcpReport report = {0};
    const int sides = sidesOf(p->row);
    p->lcp.n = p->n, p->lcp.M = p->M[i], p->lcp.q = p->q[i];
    if (sides == frictionless) plLcp_Solve(&p->lcp, &report);
    if (sides != frictionless) plPyramid_Solve(&p->lcp, sides, &report);
    memcpy(p->z, p->lcp.z, (size_t)p->n * sizeof(double));
}

static void newtonOne(Problem* p, int i)
{
    plLawReport report = {0};
    p->flat.W = p->M[i], p->flat.uFree = p->q[i];
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    plCone_Solve(&p->flat, p->q[i], p->z, &p->work, &report);
}

static void peerOne(Problem* p, int i) { solverOf(p->row)->solve(p->peer[i], p->z); }

static void solvePalp(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; ++k) palpOne(p, problemOf(p, sample, k));
}

static void solveNewton(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; ++k) newtonOne(p, problemOf(p, sample, k));
}

static void solvePeer(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; ++k) peerOne(p, problemOf(p, sample, k));
}

// Failures of a way against a residual, and the worst of those that are within it.
static int failures(Problem* p, void (*one)(Problem*, int), double most, double* worst)
{
    int failed = 0;
    *worst = 0;
    for (int i = 0; i < p->count; ++i) {
        solverOf(p->row)->ready(p->peer[i]);
        one(p, i);
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
    void (*mineOne)(Problem*, int) = p->row->palp == solveNewton ? newtonOne : palpOne;
    const int a = failures(p, mineOne, most, &mine), b = failures(p, peerOne, most, &its);
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

// The variant is the sides of a pyramid, and ten times the kind of W. What takes a few microseconds is
// sampled by five problems, since the clock takes half of one.
#define ROW(NAME, PEER, AGAINST, WAY, KIND, SIDES, SIZE, BAR, BATCH)                               \
    {                                                                                              \
        .group = "lcp", .name = (NAME), .peer = (PEER), .bar = (BAR), .size = (SIZE),              \
        .variant = (SIDES) + 10 * (KIND), .against = (AGAINST), .batch = (BATCH),                  \
        .open = openProblem, .check = check, .ready = ready, .palp = (WAY), .other = solvePeer,    \
        .close = closeProblem                                                                      \
    }
#define PYRAMID(NAME, KIND, SIDES, SIZE)                                                           \
    ROW(NAME, "Siconos Lemke", againstSiconos, solvePalp, KIND, SIDES, SIZE, 6, 1)
#define FLAT(NAME, KIND, SIZE)                                                                     \
    ROW(NAME, "Bullet Dantzig", againstBullet, solvePalp, KIND, frictionless, SIZE, 1.5,           \
        (SIZE) <= 30 ? 5 : 1)
#define NEWTON(NAME, KIND, SIZE)                                                                   \
    ROW(NAME, "Bullet Dantzig", againstBullet, solveNewton, KIND, frictionless, SIZE, 0,           \
        (SIZE) <= 30 ? 5 : 1)

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
