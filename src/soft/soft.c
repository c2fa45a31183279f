// Assembly of stiffness and mass, and their products.
#include "soft/inside.h"

#include <stdio.h>

plStatus plSoft_Fail(plShapeError* error, plStatus status, const char* sentence)
{
    if (!error) return status;
    *error = (plShapeError){.status = status};
    snprintf(error->message, sizeof error->message, "%s", sentence);
    return status;
}

// --- which nodes meet

/// Tetrahedra of each node, and room to mark nodes.
typedef struct {
    const plTets* mesh;
    int *first, *list, *mark;
} Incidence;

static void findIncidence(Incidence* n)
{
    const plTets* t = n->mesh;
    for (int i = 0; i < 4 * t->tetCount; ++i) ++n->first[t->tets[i] + 1];
    for (int i = 0; i < t->pointCount; ++i)
        n->first[i + 1] += n->first[i], n->mark[i] = n->first[i];
    for (int i = 0; i < 4 * t->tetCount; ++i) n->list[n->mark[t->tets[i]]++] = i / 4;
    for (int i = 0; i < t->pointCount; ++i) n->mark[i] = -1;
}

/// Nodes of the tetrahedra around node i, itself too, each once; how many. `out` null: only counted.
static int neighbours(Incidence* n, int i, int stamp, int* out)
{
    int count = 0;
    for (int k = n->first[i]; k < n->first[i + 1]; ++k) {
        for (int c = 0; c < 4; ++c) {
            const int node = n->mesh->tets[4 * n->list[k] + c];
            if (n->mark[node] == stamp) continue;
            n->mark[node] = stamp;
            if (!out) {
                ++count;
                continue;
            }
            int at = count++;
            for (; at > 0 && out[at - 1] > node; --at) out[at] = out[at - 1];
            out[at] = node;
        }
    }
    return count;
}

static double countBlocks(Incidence* n)
{
    double blocks = 0;
    for (int i = 0; i < n->mesh->pointCount; ++i) blocks += neighbours(n, i, i, NULL);
    return blocks;
}

// --- assembly

typedef struct {
    int* tets;
    plVec3 *points, *gradient;
    double *volume, *K, *M, *lumped;
    int *start, *column;
} Lists;

static bool takeLists(plSoft* s, Lists* l, const plTets* t, int blocks,
                      const plAllocator* allocator)
{
    const size_t n = (size_t)t->pointCount, m = (size_t)t->tetCount, b = (size_t)blocks;
    const size_t size = plSoft_Room(4 * m, sizeof(int)) + plSoft_Room(n, sizeof(plVec3)) +
                        plSoft_Room(4 * m, sizeof(plVec3)) + plSoft_Room(m, sizeof(double)) +
                        plSoft_Room(10 * b, sizeof(double)) + 64 + plSoft_Room(n, sizeof(double)) +
                        plSoft_Room(n + 1, sizeof(int)) + plSoft_Room(b, sizeof(int));
    if (plArena_Create(&s->arena, size, allocator) != pl_statusOk) return false;
    l->tets = plArena_Alloc(&s->arena, 4 * m, sizeof(int));
    l->points = plArena_Alloc(&s->arena, n, sizeof(plVec3));
    l->gradient = plArena_Alloc(&s->arena, 4 * m, sizeof(plVec3));
    l->volume = plArena_Alloc(&s->arena, m, sizeof(double));
    l->K = plArena_Alloc(&s->arena, 9 * b, sizeof(double));
    l->M = plArena_Alloc(&s->arena, b, sizeof(double));
    l->lumped = plArena_Alloc(&s->arena, n, sizeof(double));
    l->start = plArena_Alloc(&s->arena, n + 1, sizeof(int));
    l->column = plArena_Alloc(&s->arena, b, sizeof(int));
    PL_ASSERT(!s->arena.full);
    return true;
}

int plSoft_Block(const int* start, const int* column, int row, int other)
{
    int lo = start[row], hi = start[row + 1];
    while (hi - lo > 1) {
        const int middle = lo + (hi - lo) / 2;
        if (column[middle] <= other) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return lo;
}

// With edges b, c, d from the first corner and 6 V = (b x c).d, the gradients of the other corners'
// functions are c x d, d x b, b x c over 6 V; all four sum to zero.
static void findGradients(Lists* l, int tet)
{
    const int* v = &l->tets[4 * tet];
    const plVec3 a = l->points[v[0]], b = plSub(l->points[v[1]], a);
    const plVec3 c = plSub(l->points[v[2]], a), d = plSub(l->points[v[3]], a);
    const double six = plDot(plCross(b, c), d);
    plVec3* g = &l->gradient[4 * tet];
    g[1] = plScale(1 / six, plCross(c, d));
    g[2] = plScale(1 / six, plCross(d, b));
    g[3] = plScale(1 / six, plCross(b, c));
    g[0] = plScale(-1, plAdd(g[1], plAdd(g[2], g[3])));
    l->volume[tet] = six / 6;
}

// The block of corners a and b of V B^T D B, in closed form for an isotropic material:
//   V (lambda g_a g_b^T + mu g_b g_a^T + mu g_a.g_b I)
// The products are written so that block (b, a) is its transpose to the last bit.
void plSoft_AddStiffness(double K[9], double V, plLame m, plVec3 ga, plVec3 gb)
{
    double a[3], b[3];
    plPut3(ga, a), plPut3(gb, b);
    const double shear = m.mu * plDot(ga, gb);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const double k = m.lambda * (a[r] * b[c]) + m.mu * (b[r] * a[c]) + (r == c ? shear : 0);
            K[3 * r + c] += V * k;
        }
    }
}

static void assemble(Lists* l, int tets, const plElastic* m)
{
    const plLame lame = plSoft_Lame(m);
    for (int i = 0; i < tets; ++i) {
        const int* v = &l->tets[4 * i];
        findGradients(l, i);
        const plVec3* g = &l->gradient[4 * i];
        const double V = l->volume[i];
        for (int a = 0; a < 4; ++a) {
            l->lumped[v[a]] += m->rho * V / 4;
            for (int b = 0; b < 4; ++b) {
                const int block = plSoft_Block(l->start, l->column, v[a], v[b]);
                plSoft_AddStiffness(&l->K[9 * block], V, lame, g[a], g[b]);
                l->M[block] += m->rho * V / 20 * (a == b ? 2 : 1);
            }
        }
    }
}

static bool build(plSoft* s, const plTets* t, Incidence* n, const plAllocator* allocator)
{
    Lists l;
    findIncidence(n);
    const double blocks = countBlocks(n);
    if (blocks > INT32_MAX / 10) return false;
    if (!takeLists(s, &l, t, (int)blocks, allocator)) return false;
    for (int i = 0; i < 4 * t->tetCount; ++i) l.tets[i] = t->tets[i];
    for (int i = 0; i < t->pointCount; ++i) {
        l.points[i] = t->points[i];
        // Stamps below those of the count.
        l.start[i + 1] = l.start[i] + neighbours(n, i, -2 - i, &l.column[l.start[i]]);
    }
    assemble(&l, t->tetCount, &s->material);
    s->tets = l.tets, s->points = l.points, s->gradient = l.gradient, s->volume = l.volume;
    s->K = l.K, s->M = l.M, s->lumped = l.lumped, s->start = l.start, s->column = l.column;
    return true;
}

static bool isElastic(const plElastic* m)
{
    return m->E > 0 && isfinite(m->E) && m->nu > -1 && m->nu < 0.5 && m->rho > 0 &&
           isfinite(m->rho);
}

plStatus plSoft_Create(plSoft* s, const plTets* t, const plElastic* material,
                       const plAllocator* allocator, plShapeError* error)
{
    plTetsReport report;
    plArena scratch;
    *s = (plSoft){.nodeCount = t->pointCount, .tetCount = t->tetCount, .material = *material};
    if (!isElastic(material)) {
        return plSoft_Fail(error, pl_statusBadArgument,
                           "E and rho must be positive, nu between -1 and 0.5");
    }
    plStatus status = plTets_Check(t, &report, error);
    if (status != pl_statusOk) return status;
    const size_t nodes = (size_t)t->pointCount, corners = 4 * (size_t)t->tetCount;
    const size_t size = plSoft_Room(2 * nodes + 2 + corners, sizeof(int)) + 128;
    status = plArena_Create(&scratch, size, allocator);
    if (status == pl_statusOk) {
        Incidence n = {.mesh = t};
        n.first = plArena_Alloc(&scratch, nodes + 1, sizeof(int));
        n.mark = plArena_Alloc(&scratch, nodes, sizeof(int));
        n.list = plArena_Alloc(&scratch, corners, sizeof(int));
        if (!build(s, t, &n, allocator)) status = pl_statusNoMemory;
        plArena_Destroy(&scratch, allocator);
    }
    if (status == pl_statusOk) return status;
    return plSoft_Fail(error, status, "no memory for the stiffness");
}

void plSoft_Destroy(plSoft* s, const plAllocator* allocator)
{
    plArena_Destroy(&s->arena, allocator);
    *s = (plSoft){0};
}

// --- product

static void multiplyMass(const plSoft* s, plSoftMass mass, double a, const double* x, double* y)
{
    for (int i = 0; i < s->nodeCount; ++i) {
        plVec3 sum = {0};
        if (mass == pl_softLumped) sum = plScale(a * s->lumped[i], plGet3(&x[3 * i]));
        for (int k = s->start[i]; mass == pl_softConsistent && k < s->start[i + 1]; ++k) {
            sum = plAddScaled(sum, a * s->M[k], plGet3(&x[3 * s->column[k]]));
        }
        plPut3(sum, &y[3 * i]);
    }
}

void plSoft_Multiply(const plSoft* s, plSoftMass mass, double a, double b, const double* x,
                     double* y)
{
    multiplyMass(s, mass, a, x, y);
    if (b == 0) return;
    for (int i = 0; i < s->nodeCount; ++i) {
        plVec3 sum = {0};
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            const double* K = &s->K[9 * k];
            const plMat3 block = {plGet3(K), plGet3(K + 3), plGet3(K + 6)};
            sum = plAdd(sum, plMul(&block, plGet3(&x[3 * s->column[k]])));
        }
        plPut3(plAddScaled(plGet3(&y[3 * i]), b, sum), &y[3 * i]);
    }
}
