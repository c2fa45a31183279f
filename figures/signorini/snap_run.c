// The clip on a rigid pipe: its problems of contact, place by place.
#include "signorini/desk.h"
#include "signorini/snap.h"

#include <stdlib.h>
#include <string.h>

const double plSnapPipe = 10e-3;

// ------------------------------------------------------------------------------------- the clip

static bool isCandidate(const plClipDef* d, plVec3 X)
{
    const double near = 1e-8;
    return fabs(hypot(X.x, X.y) - d->innerRadius) < near ||
           fabs(fabs(atan2(X.x, X.y)) - d->tipAngle) < near;
}

static int listCandidates(const plSoft* s, const plClipDef* d, int* node)
{
    int count = 0;
    for (int i = 0; i < s->nodeCount; ++i) {
        if (!isCandidate(d, s->points[i])) continue;
        if (node) node[count] = i;
        ++count;
    }
    return count;
}

/// The last 30 mm of the handle are held.
static void holdHandle(const plSoft* s, unsigned char* fixed)
{
    double top = 0;
    for (int i = 0; i < s->nodeCount; ++i) top = fmax(top, s->points[i].y);
    for (int i = 0; i < s->nodeCount; ++i) memset(&fixed[3 * i], s->points[i].y > top - 30e-3, 3);
}

/// Any candidate may touch.
static size_t sizeOf(int count, int nodes)
{
    const size_t n = (size_t)count, each = 9 * sizeof(double) + sizeof(plMat3) + 3 * sizeof(int);
    return plDesk_Size(count, 4) + 9 * n * n * sizeof(double) + n * each + 3 * (size_t)nodes + 4096;
}

static plStatus takeMemory(plSnap* s)
{
    const size_t n = (size_t)s->count;
    s->node = plArena_Alloc(&s->arena, n, sizeof(int));
    s->C = plArena_Alloc(&s->arena, 9 * n * n, sizeof(double));
    s->x = plArena_Alloc(&s->arena, 3 * n, sizeof(double));
    s->end = plArena_Alloc(&s->arena, 3 * n, sizeof(double));
    s->f = plArena_Alloc(&s->arena, 3 * n, sizeof(double));
    s->frame = plArena_Alloc(&s->arena, n, sizeof(plMat3));
    s->listed = plArena_Alloc(&s->arena, n, sizeof(bool));
    s->contact = plArena_Alloc(&s->arena, n, sizeof(int));
    s->desk = plDesk_Create(s->count, 4, &s->arena);
    return s->desk ? pl_statusOk : pl_statusCapacity;
}

static plStatus makeFactor(plSnap* s, const plClipDef* d, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    unsigned char* fixed = plArena_Alloc(&s->arena, 3 * (size_t)s->soft.nodeCount, 1);
    listCandidates(&s->soft, d, s->node);
    holdHandle(&s->soft, fixed);
    const plSoftFactorDef def = {
        .b = 1, .fixed = fixed, .candidateCount = s->count, .candidates = s->node};
    const plStatus status = plSoftFactor_Create(&s->factor, &s->soft, &def, &allocator, error);
    if (status == pl_statusOk) plSoftFactor_Compliance(&s->factor, s->C);
    return status;
}

plStatus plSnap_Open(plSnap* s, const plClipDef* def, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    const plElastic material = {700e6, 0.35, 950};
    *s = (plSnap){.near = 0.05e-3};
    plStatus status = plTets_Clip(def, &allocator, &s->mesh);
    if (status != pl_statusOk) {
        *s = (plSnap){0};
        return status;
    }
    status = plSoft_Create(&s->soft, &s->mesh, &material, &allocator, error);
    if (status == pl_statusOk) {
        s->count = listCandidates(&s->soft, def, NULL);
        const size_t size = sizeOf(s->count, s->soft.nodeCount);
        status = plArena_Create(&s->arena, size, &allocator);
    }
    if (status == pl_statusOk) status = takeMemory(s);
    if (status == pl_statusOk) status = makeFactor(s, def, error);
    if (status != pl_statusOk) plSnap_Close(s);
    return status;
}

void plSnap_Close(plSnap* s)
{
    const plAllocator allocator = plDefaultAllocator();
    plSoftFactor_Destroy(&s->factor, &allocator);
    plArena_Destroy(&s->arena, &allocator);
    plSoft_Destroy(&s->soft, &allocator);
    plTets_Free(&s->mesh);
    *s = (plSnap){0};
}

// ------------------------------------------------------------------------------------- a problem

/// Of a candidate, undeformed: the local model has no memory.
static plVec3 freePlace(const plSnap* s, int i)
{
    return plAdd(plVec(0, s->place.y, 0), s->soft.points[s->node[i]]);
}

static double gapAt(const plSnap* s, int i, plVec3 x)
{
    return plDot(s->frame[i].x, x) - plSnapPipe;
}

/// The tangent planes of the pipe where the candidates are.
static void linearise(plSnap* s)
{
    for (int i = 0; i < s->count; ++i) {
        const double *x = &s->x[3 * i], r = hypot(x[0], x[1]);
        const plVec3 n = plVec(x[0] / r, x[1] / r, 0);
        s->frame[i] = (plMat3){n, plVec(-n.y, n.x, 0), plVec(0, 0, 1)};
    }
}

static double* blockOf(const plSnap* s, int i, int j)
{
    return &s->C[3 * i * 3 * s->count + 3 * j];
}

static void addContact(plSnap* s, int i)
{
    if (s->listed[i]) return;
    s->listed[i] = true;
    s->contact[s->desk->space.count++] = i;
}

/// Those that push, and those that would be in the pipe with the last deformation, or near it.
static void listContacts(plSnap* s, double moved)
{
    s->desk->space.count = 0;
    memset(s->listed, 0, (size_t)s->count * sizeof(bool));
    for (int i = 0; i < s->count; ++i) {
        const plVec3 x = plAdd(plGet3(&s->x[3 * i]), plVec(0, moved, 0));
        const bool pushes = plDot(plGet3(&s->f[3 * i]), s->frame[i].x) > 0;
        if (pushes || gapAt(s, i, x) < s->near) addContact(s, i);
    }
}

/// W, and how far contacts would move over this place if nothing touched, spring-back included.
static void assemble(plSnap* s, double mu)
{
    plSpace* space = &s->desk->space;
    const int rows = plSpace_Rows(space);
    for (int a = 0; a < space->count; ++a) {
        const int i = s->contact[a];
        const plMat3* F = &s->frame[i];
        const plVec3 at = freePlace(s, i), moved = plSub(at, plGet3(&s->end[3 * i]));
        space->pair[a] = (plPair){.mu = mu};
        plPut3(plVec(gapAt(s, i, at), plDot(F->y, moved), plDot(F->z, moved)),
               &space->uFree[3 * a]);
        plPut3(plMul(F, plGet3(&s->f[3 * i])), s->desk->before[a].p);
        for (int b = 0; b < space->count; ++b) {
            const int j = s->contact[b];
            const double* C = blockOf(s, i, j);
            const plVec3 axes[3] = {s->frame[j].x, s->frame[j].y, s->frame[j].z};
            for (int k = 0; k < 3; ++k) {
                double Cd[3];
                for (int l = 0; l < 3; ++l) Cd[l] = plDot(plGet3(&C[3 * s->count * l]), axes[k]);
                const plVec3 w = plMul(F, plGet3(Cd));
                space->W[3 * a * rows + 3 * b + k] = w.x;
                space->W[(3 * a + 1) * rows + 3 * b + k] = w.y;
                space->W[(3 * a + 2) * rows + 3 * b + k] = w.z;
            }
        }
    }
}

static void solve(plSnap* s)
{
    const plLawReport report = plDesk_Solve(s->desk, &plConeLaw);
    s->place.iterations += report.iterations;
    s->place.solves++;
    if (report.flags & pl_reportNotConverged) s->place.failed = true;
    memset(s->f, 0, 3 * (size_t)s->count * sizeof(double));
    for (int a = 0; a < s->desk->space.count; ++a) {
        const int i = s->contact[a];
        plPut3(plMulT(&s->frame[i], plGet3(&s->desk->p[3 * a])), &s->f[3 * i]);
    }
}

/// x = (0, y, 0) + X + C f.
static void deform(plSnap* s)
{
    for (int i = 0; i < s->count; ++i) {
        plVec3 x = freePlace(s, i);
        for (int a = 0; a < s->desk->space.count; ++a) {
            const double *C = blockOf(s, i, s->contact[a]), *f = &s->f[3 * s->contact[a]];
            x.x += plDotN(C, f, 3);
            x.y += plDotN(C + 3 * s->count, f, 3);
            x.z += plDotN(C + 6 * s->count, f, 3);
        }
        plPut3(x, &s->x[3 * i]);
    }
}

/// Adds the candidates that the answer leaves in their tangent plane; whether there were any.
static bool addViolated(plSnap* s)
{
    const double allowed = 1e-9; // [m]
    const int before = s->desk->space.count;
    for (int i = 0; i < s->count; ++i) {
        if (gapAt(s, i, plGet3(&s->x[3 * i])) < -allowed) addContact(s, i);
    }
    return s->desk->space.count > before;
}

// --------------------------------------------------------------------------------------- places

static void measure(plSnap* s)
{
    plSnapPlace* p = &s->place;
    p->contacts = s->desk->space.count;
    for (int a = 0; a < s->desk->space.count; ++a) {
        p->force = plAdd(p->force, plGet3(&s->f[3 * s->contact[a]]));
        p->active += s->desk->p[3 * a] > 0;
    }
    for (int i = 0; i < s->count; ++i) {
        const plVec3 x = plGet3(&s->x[3 * i]);
        p->depth = fmax(p->depth, plSnapPipe - hypot(x.x, x.y));
        p->spread = fmax(p->spread, plNorm(plSub(x, freePlace(s, i))));
    }
}

void plSnap_Start(plSnap* s, double y)
{
    s->place = (plSnapPlace){.y = y};
    s->desk->space.count = 0;
    memset(s->f, 0, 3 * (size_t)s->count * sizeof(double));
    for (int i = 0; i < s->count; ++i) plPut3(freePlace(s, i), &s->x[3 * i]);
}

void plSnap_Move(plSnap* s, double mu, double y, int rounds)
{
    const double moved = y - s->place.y;
    s->place = (plSnapPlace){.y = y};
    memcpy(s->end, s->x, 3 * (size_t)s->count * sizeof(double));
    for (int k = 0; k < rounds; ++k) {
        linearise(s);
        listContacts(s, k == 0 ? moved : 0);
        do {
            assemble(s, mu);
            solve(s);
            deform(s);
        } while (addViolated(s));
    }
    measure(s);
}

void plSnap_Shape(plSnap* s, double* x)
{
    const int nodes = s->soft.nodeCount;
    memset(x, 0, 3 * (size_t)nodes * sizeof(double));
    for (int i = 0; i < s->count; ++i) memcpy(&x[3 * s->node[i]], &s->f[3 * i], 3 * sizeof(double));
    plSoftFactor_Solve(&s->factor, x, x);
    for (int i = 0; i < nodes; ++i) {
        const plVec3 at = plAdd(s->soft.points[i], plVec(0, s->place.y, 0));
        plPut3(plAdd(plGet3(&x[3 * i]), at), &x[3 * i]);
    }
}

plSnapPath plDefaultSnapPath(double mu)
{
    return (plSnapPath){.mu = mu, .top = 9e-3, .bottom = 0.15e-3, .step = 0.05e-3, .rounds = 3};
}

void plSnap_Travel(plSnap* s, const plSnapPath* path, plSnapWay* way)
{
    way->lowest = (int)lround((path->top - path->bottom) / path->step);
    way->count = 2 * way->lowest + 1;
    PL_ASSERT(way->count <= plSnapMostPlaces);
    plSnap_Start(s, path->top);
    way->places[0] = s->place;
    for (int k = 1; k < way->count; ++k) {
        plSnap_Move(s, path->mu, path->bottom + path->step * abs(way->lowest - k), path->rounds);
        way->places[k] = s->place;
    }
}

int plSnapWay_Peak(const plSnapWay* way, int first, int last, double sign)
{
    int best = first;
    for (int k = first; k <= last; ++k) {
        if (sign * way->places[k].force.y > sign * way->places[best].force.y) best = k;
    }
    return best;
}

double plSnapWay_Work(const plSnapWay* way, int first, int last)
{
    double work = 0;
    for (int k = first + 1; k <= last; ++k) {
        const plSnapPlace *a = &way->places[k - 1], *b = &way->places[k];
        work += (a->y - b->y) * (a->force.y + b->force.y) / 2;
    }
    return work;
}
