// The table on its floor: responses, problems, a load that grows.
#include "signorini/desk.h"
#include "signorini/table.h"

#include <string.h>

static const double T = 5e-3, g = 9.81;
static const double middle = 0.12, top = 0.1; // of the top [m]

static const int axis[3] = {2, 0, 1}; // of a contact's rows

// --------------------------------------------------------------------------------- the table

static int legOf(plVec3 X) { return (X.x > middle) + 2 * (X.y > middle); }

static int listFeet(const plSoft* s, int* node, int* leg)
{
    int count = 0;
    for (int i = 0; i < s->nodeCount; ++i) {
        if (s->points[i].z > 1e-9) continue;
        if (node) node[count] = i, leg[count] = legOf(s->points[i]);
        ++count;
    }
    return count;
}

static size_t sizeOf(int count, int nodes, int sides)
{
    const size_t n = (size_t)count;
    return plDesk_Size(count, sides) + 18 * n * n * sizeof(double) + 2 * n * sizeof(int) +
           15 * (size_t)nodes * sizeof(double) + 4096;
}

static plStatus takeMemory(plTable* t, int sides)
{
    const size_t n = (size_t)t->count, nodes = 3 * (size_t)t->soft.nodeCount;
    double** vectors[] = {&t->u, &t->v, &t->f, &t->uFree, &t->vFree};
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(&t->arena, nodes, sizeof(double));
    }
    t->node = plArena_Alloc(&t->arena, n, sizeof(int));
    t->leg = plArena_Alloc(&t->arena, n, sizeof(int));
    t->W = plArena_Alloc(&t->arena, 9 * n * n, sizeof(double));
    t->desk = plDesk_Create(t->count, sides, &t->arena);
    return t->desk ? pl_statusOk : pl_statusCapacity;
}

/// W = T times the compliance of the step's factor.
static plStatus makeResponse(plTable* t, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    const int size = 3 * t->count;
    listFeet(&t->soft, t->node, t->leg);
    const plSoftStepDef def = {
        .T = T, .theta = 1, .candidateCount = t->count, .candidates = t->node};
    const plStatus status = plSoftStepper_Create(&t->stepper, &t->soft, &def, &allocator, error);
    if (status != pl_statusOk) return status;
    double* C = plArena_Alloc(&t->arena, (size_t)size * (size_t)size, sizeof(double));
    plSoftFactor_Compliance(&t->stepper.factor, C);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const int row = 3 * (i / 3) + axis[i % 3], column = 3 * (j / 3) + axis[j % 3];
            t->W[i * size + j] = T * C[row * size + column];
        }
    }
    return status;
}

plStatus plTable_Open(plTable* t, int cells, int beams, int sides, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    const plElastic material = {2e6, 0.3, 1100};
    *t = (plTable){0};
    plStatus status = plTets_Table(cells, beams, &allocator, &t->mesh);
    if (status != pl_statusOk) {
        *t = (plTable){0};
        return status;
    }
    status = plSoft_Create(&t->soft, &t->mesh, &material, &allocator, error);
    if (status == pl_statusOk) {
        t->count = listFeet(&t->soft, NULL, NULL);
        const size_t size = sizeOf(t->count, t->soft.nodeCount, sides);
        status = plArena_Create(&t->arena, size, &allocator);
    }
    if (status == pl_statusOk) status = takeMemory(t, sides);
    if (status == pl_statusOk) status = makeResponse(t, error);
    if (status != pl_statusOk) plTable_Close(t);
    return status;
}

void plTable_Close(plTable* t)
{
    const plAllocator allocator = plDefaultAllocator();
    plSoftStepper_Destroy(&t->stepper, &allocator);
    plArena_Destroy(&t->arena, &allocator);
    plSoft_Destroy(&t->soft, &allocator);
    plTets_Free(&t->mesh);
    *t = (plTable){0};
}

// -------------------------------------------------------------------------------- the same push

static void fillResponse(plTable* t, double mu)
{
    plSpace* s = &t->desk->space;
    s->count = t->count;
    for (int i = 0; i < s->count; ++i) s->pair[i] = (plPair){.mu = mu};
    memcpy(s->W, t->W, 9 * (size_t)t->count * (size_t)t->count * sizeof(double));
}

void plTable_Push(plTable* t, const plTablePush* push)
{
    const double x = push->slip * cos(push->angle), y = push->slip * sin(push->angle);
    fillResponse(t, push->mu);
    for (int i = 0; i < t->count; ++i)
        plPut3(plVec(-push->press, x, y), &t->desk->space.uFree[3 * i]);
}

static bool isSolved(plLawReport report)
{
    const unsigned bad = pl_reportNotConverged | pl_reportRegularised;
    return !(report.flags & bad) && report.residual < 1e-8;
}

bool plTable_Gamma(plTable* t, const plTablePush* push, int sides, double* gamma)
{
    plDesk* d = t->desk;
    double error = 0, size = 0;
    plTable_Push(t, push);
    d->space.sides = sides;
    const plLawReport pyramid = plDesk_SolveFromZero(d, &plLcpLaw);
    memcpy(t->f, d->p, 3 * (size_t)t->count * sizeof(double));
    const plLawReport cone = plDesk_SolveFromZero(d, &plConeLaw);
    for (int i = 0; i < 3 * t->count; ++i) {
        error = hypot(error, t->f[i] - d->p[i]);
        size = hypot(size, d->p[i]);
    }
    *gamma = 100 * error / size;
    return isSolved(pyramid) && !(pyramid.flags & pl_reportFellBack) && isSolved(cone);
}

double plTable_Angle(int j)
{
    const double turns = 0.6180339887498949 * j;
    return 2 * PL_PI * (turns - floor(turns));
}

plTableGamma plTable_GammaOver(plTable* t, double mu, double press, double slip, int sides)
{
    plTableGamma all = {0};
    for (int j = 0; j < plTableAngles; ++j) {
        const plTablePush push = {mu, press, slip, plTable_Angle(j)};
        double gamma;
        if (!plTable_Gamma(t, &push, sides, &gamma)) all.failed = true;
        all.mean += gamma / plTableAngles;
        all.most = fmax(all.most, gamma);
        all.above += gamma > 5;
    }
    return all;
}

// ------------------------------------------------------------------------------------- couplings

static double blockEntry(const plTable* t, int i, int j, int k)
{
    const int size = 3 * t->count;
    const double* B = &t->W[3 * i * size + 3 * j];
    if (k < 3) return fabs(B[k * size + k]);
    double sum = 0;
    for (int e = 0; e < 9; ++e) sum = hypot(sum, B[e / 3 * size + e % 3]);
    return sum;
}

/// Mean over pairs of feet whose legs differ as one of `mask` (a bit for each way of lying).
static double meanOver(const plTable* t, int k, unsigned mask)
{
    double sum = 0;
    int pairs = 0;
    for (int i = 0; i < t->count; ++i) {
        for (int j = 0; j < t->count; ++j) {
            if (i == j || !(mask >> (t->leg[i] ^ t->leg[j]) & 1)) continue;
            sum += blockEntry(t, i, j, k);
            ++pairs;
        }
    }
    return sum / pairs;
}

double plTable_Coupling(const plTable* t, int k, int legs) { return meanOver(t, k, 1u << legs); }
double plTable_OtherLegs(const plTable* t, int k) { return meanOver(t, k, 14); }
double plTable_SameLeg(const plTable* t, int k) { return meanOver(t, k, 1); }

double plTable_Diagonal(const plTable* t, int k)
{
    double sum = 0;
    for (int i = 0; i < t->count; ++i) sum += t->W[(3 * i + k) * (3 * t->count + 1)];
    return sum / t->count;
}

// ------------------------------------------------------------------------------------- the load

/// Gravity on all nodes, 40 N shared by those of the top's middle.
static void putLoad(plTable* t, double part)
{
    const plSoft* s = &t->soft;
    int loaded = 0;
    memset(t->f, 0, 3 * (size_t)s->nodeCount * sizeof(double));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < s->nodeCount; ++i) {
            const plVec3 X = s->points[i];
            const bool inside = fabs(X.x - middle) < 0.0301 && fabs(X.y - middle) < 0.0301 &&
                                fabs(X.z - top) < 1e-9;
            if (pass == 0) t->f[3 * i + 2] = -part * g * s->lumped[i];
            if (pass == 0) loaded += inside;
            if (pass == 1 && inside) t->f[3 * i + 2] -= part * 40 / loaded;
        }
    }
}

/// How far feet would move in this step if the floor were not there.
static void findFree(plTable* t)
{
    const size_t size = 3 * (size_t)t->soft.nodeCount * sizeof(double);
    memcpy(t->uFree, t->u, size), memcpy(t->vFree, t->v, size);
    plSoftStepper_Step(&t->stepper, t->f, t->uFree, t->vFree);
    for (int i = 0; i < t->count; ++i) {
        const double *now = &t->u[3 * t->node[i]], *next = &t->uFree[3 * t->node[i]];
        plPut3(plVec(next[2], next[0] - now[0], next[1] - now[1]), &t->desk->space.uFree[3 * i]);
    }
}

static void stepLoaded(plTable* t, double part, plTableFeet* feet)
{
    plDesk* d = t->desk;
    putLoad(t, part);
    findFree(t);
    memcpy(d->before, d->after, (size_t)t->count * sizeof *d->before);
    const plLawReport report = plDesk_Solve(d, &plConeLaw);
    for (int i = 0; i < 3 * t->count; ++i) t->f[3 * t->node[i / 3] + axis[i % 3]] += t->desk->p[i];
    plSoftStepper_Step(&t->stepper, t->f, t->u, t->v);
    feet->res = fmax(feet->res, report.residual);
    feet->iterations += report.iterations;
    for (int i = 0; i < t->count; ++i) {
        feet->depth = fmax(feet->depth, -t->u[3 * t->node[i] + 2]);
    }
}

static void measure(const plTable* t, plTableFeet* feet)
{
    const plSoft* s = &t->soft;
    for (int i = 0; i < t->count; ++i) {
        const double* u = &t->u[3 * t->node[i]];
        const double x = t->leg[i] & 1 ? u[0] : -u[0], y = t->leg[i] & 2 ? u[1] : -u[1];
        feet->spread += (x + y) / sqrt(2) / t->count;
        feet->normal += t->desk->p[3 * i];
    }
    for (int i = 0; i < s->nodeCount; ++i) {
        const plVec3 X = s->points[i];
        const double off = fabs(X.x - middle) + fabs(X.y - middle) + fabs(X.z - top);
        if (off < 1e-9) feet->sag = -t->u[3 * i + 2];
    }
}

plTableFeet plTable_Load(plTable* t, double mu)
{
    enum { steps = 280 };
    const size_t size = 3 * (size_t)t->soft.nodeCount * sizeof(double);
    plTableFeet feet = {0};
    memset(t->u, 0, size), memset(t->v, 0, size);
    memset(t->desk->after, 0, (size_t)t->count * sizeof *t->desk->after);
    fillResponse(t, mu);
    for (int k = 1; k <= steps; ++k) stepLoaded(t, fmin(1, k * T), &feet);
    measure(t, &feet);
    return feet;
}
