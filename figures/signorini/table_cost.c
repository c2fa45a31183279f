// What the table's problems cost: counts of sweeps, steps and pivots.
#include "signorini/desk.h"
#include "signorini/table.h"

#include <string.h>

// As many feet of the table as asked, in the order that they have there.
static int chooseFeet(const plTable* t, plRng* rng, int feet, int* chosen)
{
    int count = 0;
    for (int i = 0; i < t->count; ++i) {
        const double left = t->count - i;
        if (plRng_Uniform(rng, 0, 1) * left < feet - count) chosen[count++] = i;
    }
    return count;
}

void plTable_Sample(plTable* t, plRng* rng, int feet)
{
    enum { most = 256 };
    plSpace* s = &t->desk->space;
    int chosen[most];
    PL_ASSERT(feet <= t->count && t->count <= most);
    s->count = chooseFeet(t, rng, feet, chosen);
    const double mu = plRng_Uniform(rng, 0.05, 0.8), slip = plRng_Uniform(rng, 0.5e-3, 6e-3);
    const double angle = plRng_Uniform(rng, 0, 2 * PL_PI);
    const int rows = plSpace_Rows(s);
    for (int i = 0; i < s->count; ++i) {
        s->pair[i] = (plPair){.mu = mu};
        plPut3(plVec(-1e-3, slip * cos(angle), slip * sin(angle)), &s->uFree[3 * i]);
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            const int row = 3 * chosen[i / 3] + i % 3, column = 3 * chosen[j / 3] + j % 3;
            s->W[i * rows + j] = t->W[row * 3 * t->count + column];
        }
    }
}

/// Until a sweep changes p by less than 1e-6 of it.
static int countSweeps(plDesk* d)
{
    enum { most = 20000 };
    memset(d->p, 0, (size_t)plSpace_Rows(&d->space) * sizeof(double));
    for (int k = 1; k <= most; ++k) {
        const double change = plCone_Sweep(&d->space, d->space.uFree, pl_coneSequential, d->p);
        if (change < 1e-6) return k;
    }
    return most;
}

/// The law itself would give problems of more than 40 contacts to the cone.
static bool countPivots(plDesk* d, plTableCost* cost)
{
    const plAllocator allocator = plDefaultAllocator();
    const size_t rows = (size_t)plPyramid_Size(&d->space);
    plArena arena;
    plLcp lcp;
    plLcpReport report;
    plStatus status = plArena_Create(&arena, (2 * rows * rows + 20 * rows + 512) * 8, &allocator);
    if (status != pl_statusOk) return false;
    status = plLcp_Create(&lcp, (int)rows, &arena);
    if (status == pl_statusOk) {
        plBias_Pyramid(&d->space, d->space.bias, d->q);
        plPyramid_Assemble(&d->space, d->q, &lcp);
        if (plLcp_Solve(&lcp, &report) != pl_lcpSolved) cost->failed = true;
        cost->pivots = report.pivots;
        cost->pivotWork = (double)report.pivots * lcp.n * lcp.n;
    }
    plArena_Destroy(&arena, &allocator);
    return status == pl_statusOk;
}

plTableCost plTable_Cost(plTable* t, int k)
{
    plDesk* d = t->desk;
    plTableCost cost = {.feet = d->space.count};
    const double m = cost.feet;
    cost.sweeps = countSweeps(d);
    cost.failed = !(plDesk_Newton(d, &cost.newton) <= 1e-6);
    cost.sweepWork = cost.sweeps * 9 * m * m;
    cost.newtonWork = cost.newton * 9 * m * m * m;
    if (k == 0) return cost;
    d->space.sides = k;
    if (!countPivots(d, &cost)) cost.failed = true;
    return cost;
}
