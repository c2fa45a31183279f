// The tick of a soft body with 30 contacts: palp's whole tick (contacts found, solved, the bar moved)
// beside CHOLMOD doing only its part of one, the motion without contacts and the compliance of the 30
// nodes, with the factor made before.
#include "bench.h"
#include "soft_bar.h"

#include "soft/soft.h"

#include <cblas.h>
#include <cholmod.h>
#include <stdio.h>
#include <stdlib.h>

enum { columns = 3 * barContacts };

typedef struct {
    const BenchRow* row;
    SoftBar bar;
    plSoft soft;
    unsigned char* fixed; // per number of a node
    int* rowOf;           // per node: its first row, -1: held
    int n;
    cholmod_common common;
    cholmod_sparse* A;
    cholmod_factor* L;
    cholmod_dense *right, *x, *H, *PH, *Z, *workY, *workE;
    double W[columns * columns];
} Problem;

static void findRows(Problem* p)
{
    const size_t nodes = (size_t)p->soft.nodeCount;
    p->fixed = calloc(3 * nodes, 1);
    p->rowOf = calloc(nodes, sizeof *p->rowOf);
    if (!p->fixed || !p->rowOf) exit(1);
    for (int i = 0; i < 3 * p->bar.heldCount; ++i) p->fixed[3 * p->bar.held[i / 3] + i % 3] = 1;
    for (int i = 0; i < p->soft.nodeCount; ++i) {
        p->rowOf[i] = p->fixed[3 * i] ? -1 : p->n;
        if (!p->fixed[3 * i]) p->n += 3;
    }
}

// a M + b K of a step, the lower half.
static void makeMatrix(Problem* p)
{
    const plSoft* s = &p->soft;
    const double a = 1 / softBarStep + softBarAlpha, b = softBarBeta + softBarStep;
    const size_t n = (size_t)p->n, most = 9 * (size_t)s->start[s->nodeCount];
    p->A = cholmod_allocate_sparse(n, n, most, 1, 1, -1, CHOLMOD_REAL, &p->common);
    if (!p->A) exit(1);
    int *start = p->A->p, *row = p->A->i, count = 0;
    double* value = p->A->x;
    for (int dof = 0; dof < 3 * s->nodeCount; ++dof) {
        const int node = dof / 3, c = dof % 3;
        if (p->rowOf[node] < 0) continue;
        start[p->rowOf[node] + c] = count;
        for (int k = s->start[node]; k < s->start[node + 1]; ++k) {
            for (int e = 0; e < 3 && p->rowOf[s->column[k]] >= 0; ++e) {
                const int i = p->rowOf[s->column[k]] + e;
                if (i < p->rowOf[node] + c) continue;
                row[count] = i;
                value[count] = b * s->K[9 * k + 3 * c + e];
                if (s->column[k] == node && e == c) value[count] += a * s->lumped[node];
                ++count;
            }
        }
    }
    start[p->n] = count;
}

static void factor(Problem* p)
{
    p->common.nmethods = 1;
    p->common.method[0].ordering = CHOLMOD_AMD;
    p->common.postorder = 1;
    p->common.supernodal = CHOLMOD_SUPERNODAL;
    p->common.final_ll = 1;
    p->L = cholmod_analyze(p->A, &p->common);
    if (!p->L || !cholmod_factorize(p->A, p->L, &p->common)) exit(1);
    p->right = cholmod_ones((size_t)p->n, 1, CHOLMOD_REAL, &p->common);
    p->H = cholmod_zeros((size_t)p->n, columns, CHOLMOD_REAL, &p->common);
    double* H = p->H->x;
    for (int k = 0; k < columns; ++k) {
        H[(size_t)k * (size_t)p->n + (size_t)(p->rowOf[p->bar.candidates[k / 3]] + k % 3)] = 1;
    }
}

static void* openProblem(const BenchRow* row, bool quick)
{
    const plAllocator allocator = plDefaultAllocator();
    plShapeError error;
    Problem* p = calloc(1, sizeof *p);
    (void)quick;
    if (!p) exit(1);
    p->row = row;
    softBarMake(&p->bar, row->size);
    if (plSoft_Create(&p->soft, &p->bar.tets, &softBarMatter, &allocator, &error) != pl_statusOk) {
        exit(1);
    }
    cholmod_start(&p->common);
    findRows(p);
    makeMatrix(p);
    factor(p);
    return p;
}

static void stepPalp(void* self, int sample)
{
    (void)sample;
    plWorld_Step(((Problem*)self)->bar.world, softBarStep);
}

// The motion, then H A^-1 H^T = Z^T Z with Z = L^-1 P H^T, which is faster than 90 solves.
static void stepPeer(void* self, int sample)
{
    Problem* p = self;
    (void)sample;
    cholmod_solve2(CHOLMOD_A, p->L, p->right, NULL, &p->x, NULL, &p->workY, &p->workE, &p->common);
    cholmod_solve2(CHOLMOD_P, p->L, p->H, NULL, &p->PH, NULL, &p->workY, &p->workE, &p->common);
    cholmod_solve2(CHOLMOD_L, p->L, p->PH, NULL, &p->Z, NULL, &p->workY, &p->workE, &p->common);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, columns, p->n, 1, p->Z->x, p->n, 0, p->W,
                columns);
}

// Largest difference of the two compliances, over the largest number.
static double compare(Problem* p)
{
    static double C[columns * columns];
    const plAllocator allocator = plDefaultAllocator();
    const plSoftFactorDef def = {.a = 1 / softBarStep + softBarAlpha,
                                 .b = softBarBeta + softBarStep,
                                 .mass = pl_softLumped,
                                 .fixed = p->fixed,
                                 .candidateCount = barContacts,
                                 .candidates = p->bar.candidates};
    plSoftFactor f;
    plShapeError error;
    double most = 0, size = 0;
    if (plSoftFactor_Create(&f, &p->soft, &def, &allocator, &error) != pl_statusOk) return INFINITY;
    plSoftFactor_Compliance(&f, C);
    stepPeer(p, 0);
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j <= i; ++j) {
            most = fmax(most, fabs(C[i * columns + j] - p->W[i + j * columns]));
            size = fmax(size, fabs(C[i * columns + j]));
        }
    }
    plSoftFactor_Destroy(&f, &allocator);
    return most / size;
}

static bool check(void* self, char* words, size_t size)
{
    Problem* p = self;
    double residual = 0, depth = 0;
    for (int k = 0; k < 100; ++k) {
        stepPalp(p, k);
        const plStepReport r = plWorld_Report(p->bar.world);
        residual = fmax(residual, r.residual);
        depth = fmax(depth, r.depth);
    }
    const plStepReport r = plWorld_Report(p->bar.world);
    const double apart = compare(p);
    snprintf(
        words, size,
        "nodes %d; contacts %d, pushing %d; residual %.1g; depth %.1g mm; compliances agree to "
        "%.1g",
        p->soft.nodeCount, r.contacts, r.active, residual, 1e3 * depth, apart);
    return r.contacts == barContacts && residual <= 1e-6 && depth < 1e-4 && apart < 1e-9;
}

static void closeProblem(void* self)
{
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = self;
    cholmod_dense** vectors[] = {&p->right, &p->x, &p->H, &p->PH, &p->Z, &p->workY, &p->workE};
    for (int i = 0; i < PL_COUNT(vectors); ++i) cholmod_free_dense(vectors[i], &p->common);
    cholmod_free_factor(&p->L, &p->common);
    cholmod_free_sparse(&p->A, &p->common);
    cholmod_finish(&p->common);
    plSoft_Destroy(&p->soft, &allocator);
    softBarFree(&p->bar);
    free(p->fixed);
    free(p->rowOf);
    free(p);
}

#define ROW(NAME, NODES, BAR)                                                                      \
    {                                                                                              \
        .group = "soft", .name = (NAME), .peer = "CHOLMOD", .bar = (BAR), .size = (NODES),         \
        .batch = 1, .open = openProblem, .check = check, .palp = stepPalp, .other = stepPeer,      \
        .close = closeProblem                                                                      \
    }

const BenchRow* benchRows_soft(int* count)
{
    static const BenchRow rows[] = {
        ROW("tick, 500 nodes, 30 contacts", 500, 4),
        ROW("tick, 2000 nodes, 30 contacts", 2000, 0),
    };
    *count = PL_COUNT(rows);
    return rows;
}
