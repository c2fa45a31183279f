// Soft bodies as mechanisms: how they are made.
#include "mechanism/flesh.h"

#include "shape/shape.h"

#include <stdio.h>
#include <string.h>

static plStatus fail(plShapeError* error, plStatus status, const char* sentence)
{
    *error = (plShapeError){.status = status};
    snprintf(error->message, sizeof error->message, "%s", sentence);
    return status;
}

// --- what is asked for

plSoftDef plDefaultSoftDef(void)
{
    return (plSoftDef){.elastic = {1e6, 0.3, 1000},
                       .integrator = pl_integratorImplicit,
                       .step = 1e-3,
                       .pose.q.w = 1,
                       .group = 1,
                       .mask = UINT32_MAX};
}

static const char* complaint(const plSoftDef* d)
{
    if (!plText_IsName(d->name)) return "the name must be 1 to 31 letters, digits, - or _";
    if (!d->mesh || d->mesh->tetCount < 1) return "a soft body needs a mesh";
    if (d->model < 0 || d->model >= pl_softModelCount) return "there is no such model";
    if (!plFinitePose(d->pose) || !plFinite3(d->velocity) || !plFinite3(d->spin)) {
        return "pose, velocity and spin must be finite";
    }
    if (d->model == pl_softCorotational && d->integrator != pl_integratorImplicit) {
        return "a corotational body is integrated by implicit";
    }
    if ((d->model == pl_softLagged || d->model == pl_softElements) &&
        d->integrator != pl_integratorImplicit) {
        return "a soft body whose elements turn is integrated by implicit: midpoint would not "
               "keep its energy";
    }
    if (d->integrator != pl_integratorImplicit && d->integrator != pl_integratorMidpoint) {
        return "a dynamic soft body is integrated by implicit or by midpoint";
    }
    for (int i = 0; i < d->heldCount; ++i) {
        if (d->held[i] < 0 || d->held[i] >= d->mesh->pointCount) return "a held node is not there";
    }
    return NULL;
}

// --- surface and candidates

typedef struct {
    const plSoftDef* def;
    const plAllocator* allocator;
    plShapeError* error;
    plTets tets;           // moved by the pose where nodes move by themselves
    plTetsSurface surface; // of the mesh
    int count;             // candidates
    const int* candidates;
    unsigned char* fixed; // 3 a node; null: none
    plArena scratch;
} Making;

static plVec3 placed(const plSoftDef* d, plVec3 point)
{
    const plMat3 R = plRotation(plQuatUnit(d->pose.q));
    return plAdd(d->pose.p, plMul(&R, point));
}

static plStatus takeScratch(Making* k)
{
    const plSoftDef* d = k->def;
    const size_t n = (size_t)d->mesh->pointCount;
    plStatus status = plTets_Surface(d->mesh, k->allocator, &k->surface);
    if (status != pl_statusOk) return fail(k->error, status, "no memory for the surface");
    status = plArena_Create(&k->scratch, n * sizeof(plVec3) + 3 * n + 256, k->allocator);
    if (status != pl_statusOk) return fail(k->error, status, "no memory for the mesh");
    plVec3* points = plArena_Alloc(&k->scratch, n, sizeof(plVec3));
    k->fixed = plArena_Alloc(&k->scratch, 3 * n, 1);
    k->tets = *d->mesh;
    k->tets.points = points;
    for (size_t i = 0; i < n; ++i) {
        const plVec3 X = d->mesh->points[i];
        points[i] = d->model == pl_softCorotational ? X : placed(d, X);
    }
    for (int i = 0; i < d->heldCount; ++i) memset(&k->fixed[3 * d->held[i]], 1, 3);
    if (d->heldCount == 0) k->fixed = NULL;
    return pl_statusOk;
}

static plStatus chooseCandidates(Making* k)
{
    const plSoftDef* d = k->def;
    const bool all = !d->candidates;
    k->count = all ? k->surface.pointCount : d->candidateCount;
    k->candidates = all ? k->surface.points : d->candidates;
    if (k->count <= plMostCandidates) return pl_statusOk;
    snprintf(k->error->message, sizeof k->error->message,
             "%d nodes could be touched, %d are allowed: name the candidates", k->count,
             plMostCandidates);
    return k->error->status = pl_statusCapacity;
}

// --- factors and compliance

static plStatus makeFactor(plFlesh* f, const Making* k)
{
    const plSoftDef* d = k->def;
    if (plFlesh_Nodal(f)) {
        const plSoftStepDef step = {.T = d->step,
                                    .theta = f->theta,
                                    .alpha = d->alpha,
                                    .beta = d->beta,
                                    .mass = d->mass,
                                    .fixed = k->fixed,
                                    .candidateCount = k->count,
                                    .candidates = k->candidates};
        return plSoftStepper_Create(&f->stepper, &f->now, &step, k->allocator, k->error);
    }
    const plStatus status = plSoftFloating_Create(&f->floating, &f->body, d->mass, k->candidates,
                                                  k->count, k->allocator, k->error);
    if (status != pl_statusOk || !f->canHold) return status;
    const plSoftFactorDef held = {.b = 1,
                                  .mass = d->mass,
                                  .fixed = k->fixed,
                                  .candidateCount = k->count,
                                  .candidates = k->candidates};
    return plSoftFactor_Create(&f->held, &f->body, &held, k->allocator, k->error);
}

// The lowest frequency of the deformation. A body that floats has six of zero before it, and a shift
// well below what is sought makes its matrix regular.
static void findFrequency(plFlesh* f, const Making* k)
{
    plShapeError error;
    double omega[7];
    plBounds box = plBounds_None();
    for (int i = 0; i < f->body.nodeCount; ++i) box = plBounds_Add(&box, f->body.points[i]);
    const double size = plNorm(plSub(box.hi, box.lo)), E = f->body.material.E;
    plSoftFactorDef def = {.b = 1, .mass = k->def->mass, .fixed = k->fixed};
    plSoftFactor factor;
    if (!k->fixed) def.a = 1e-4 * E / (f->body.material.rho * size * size);
    if (plSoftFactor_Create(&factor, &f->body, &def, k->allocator, &error) != pl_statusOk) return;
    const int count = k->fixed ? 1 : 7;
    if (plSoft_Frequencies(&factor, count, k->allocator, omega, NULL) == pl_statusOk) {
        f->omega = omega[count - 1];
    }
    plSoftFactor_Destroy(&factor, k->allocator);
}

// --- memory

static bool takeLists(plFlesh* f, const Making* k, plArena* state)
{
    const size_t nodes = (size_t)f->body.nodeCount, n = (size_t)f->n, all = 3 * nodes;
    const size_t faces = 3 * (size_t)f->faceCount;
    const bool byNodes = plFlesh_Nodal(f), elements = f->model == pl_softElements;
    const size_t own = byNodes ? all : n, blocks = (size_t)f->body.start[nodes];
    const size_t doubles = 2 * n * n + 18 * n + 8 * all + 4 * own + (elements ? 9 * blocks : 0);
    const size_t bytes = doubles * sizeof(double) + 2 * nodes * sizeof(plVec3) +
                         (faces + nodes + n) * sizeof(int) + 2 * nodes + 64 * 32;
    if (plArena_Create(&f->arena, bytes, k->allocator) != pl_statusOk) return false;
    plArena* a = &f->arena;
    double** const small[] = {&f->s, &f->eFree, &f->e, &f->eLast, &f->f1, &f->g1};
    double** const large[] = {&f->wFree, &f->w, &f->whole, &f->more, &f->inside};
    for (int i = 0; i < PL_COUNT(small); ++i) *small[i] = plArena_Alloc(a, n, sizeof(double));
    for (int i = 0; i < PL_COUNT(large); ++i) *large[i] = plArena_Alloc(a, all, sizeof(double));
    f->u1 = plArena_Alloc(a, own, sizeof(double));
    f->load = plArena_Alloc(a, own, sizeof(double));
    f->u = plArena_Alloc(state, own, sizeof(double));
    if (elements) f->K = plArena_Alloc(a, 9 * blocks, sizeof(double));
    if (byNodes) {
        f->v1 = plArena_Alloc(a, own, sizeof(double));
        f->v = plArena_Alloc(state, own, sizeof(double));
    } else {
        f->f = plArena_Alloc(state, own, sizeof(double));
        f->holds = plArena_Alloc(state, 1, sizeof(double));
    }
    f->x = plArena_Alloc(a, nodes, sizeof(plVec3));
    return !a->full && !state->full;
}

static void fillLists(plFlesh* f, const Making* k)
{
    plArena* a = &f->arena;
    const size_t nodes = (size_t)f->body.nodeCount;
    int* faces = plArena_Alloc(a, 3 * (size_t)f->faceCount, sizeof(int));
    int* slot = plArena_Alloc(a, nodes, sizeof(int));
    int* candidates = plArena_Alloc(a, (size_t)f->count, sizeof(int));
    plVec3* X = plArena_Alloc(a, nodes, sizeof(plVec3));
    unsigned char* touchable = plArena_Alloc(a, nodes, 1);
    PL_ASSERT(!a->full);
    memcpy(faces, k->surface.triangles, 3 * (size_t)f->faceCount * sizeof(int));
    memcpy(candidates, k->candidates, (size_t)f->count * sizeof(int));
    for (size_t i = 0; i < nodes; ++i) {
        const plVec3 x = f->body.points[i];
        X[i] = plFlesh_Nodal(f) ? x : plSub(x, f->rigid.center);
        slot[i] = -1;
    }
    for (int i = 0; i < f->count; ++i) slot[candidates[i]] = i, touchable[candidates[i]] = 1;
    f->faces = faces, f->slot = slot, f->candidates = candidates, f->X = X;
    f->touchable = touchable;
    unsigned char* isHeld = plArena_Alloc(a, nodes, 1);
    PL_ASSERT(!a->full);
    for (size_t i = 0; k->fixed && i < nodes; ++i) isHeld[i] = k->fixed[3 * i];
    f->isHeld = isHeld;
}

// --- compliances, and how the frame changes between them
//
// The frame of a body that floats moves with the mean of its nodes, that of one that is held with the
// nodes by which it is. When it is let go the frame must leap by the mean motion of u = C_held f,
//   y = (Phi^T M Phi)^-1 (M Phi)^T C_held f
// and when it is held by that of the held nodes h in u = C_float f, y = (Phi_h^T Phi_h)^-1 Phi_h^T u.
// As rows per force on a candidate: six solves each, since C is symmetric.

static plVec3 rigidMotion(const plFlesh* f, int mode, int node)
{
    const plVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return mode < 3 ? axes[mode] : plCross(axes[mode - 3], f->X[node]);
}

/// Columns of the weights with which the motion of all nodes makes that of the frame.
static void motionWeights(const plFlesh* f, bool held, int mode, double* out)
{
    double A[36] = {0}, e[6] = {0};
    const plSoft* s = &f->body;
    memset(out, 0, (size_t)f->nodes * sizeof *out);
    for (int i = 0; i < s->nodeCount; ++i) {
        const double weight = held ? f->isHeld[i] : s->lumped[i];
        for (int a = 0; a < 36; ++a) {
            A[a] += weight * plDot(rigidMotion(f, a / 6, i), rigidMotion(f, a % 6, i));
        }
    }
    e[mode] = 1;
    if (!plChol_Factor(A, 6)) return;
    plChol_Solve(A, 6, e);
    for (int i = 0; i < s->nodeCount; ++i) {
        const double weight = held ? f->isHeld[i] : s->lumped[i];
        plVec3 sum = {0};
        for (int a = 0; a < 6; ++a) sum = plAddScaled(sum, weight * e[a], rigidMotion(f, a, i));
        plPut3(sum, &out[3 * i]);
    }
}

static void findLeaps(plFlesh* f, bool held, double* rows)
{
    for (int mode = 0; mode < 6; ++mode) {
        motionWeights(f, held, mode, f->whole);
        memset(f->more, 0, (size_t)f->nodes * sizeof(double));
        if (held) {
            plSoftFloating_Solve(&f->floating, f->whole, f->more);
        } else {
            plSoftFactor_Solve(&f->held, f->whole, f->more);
        }
        for (int i = 0; i < f->n; ++i) {
            rows[6 * i + mode] = f->more[3 * f->candidates[i / 3] + i % 3];
        }
    }
}

static void fillCompliances(plFlesh* f)
{
    plArena* a = &f->arena;
    const size_t n = (size_t)f->n;
    double* C = plArena_Alloc(a, n * n, sizeof(double));
    f->C = f->CFloat = C;
    if (plFlesh_Nodal(f)) {
        plSoftFactor_Compliance(&f->stepper.factor, C);
        if (f->model == pl_softElements) f->CNow = C;
        return;
    }
    plSoftFloating_Compliance(&f->floating, C);
    if (!f->canHold) return;
    double* held = plArena_Alloc(a, n * n, sizeof(double));
    double* letGo = plArena_Alloc(a, 6 * n, sizeof(double));
    double* take = plArena_Alloc(a, 6 * n, sizeof(double));
    PL_ASSERT(!a->full);
    plSoftFactor_Compliance(&f->held, held);
    findLeaps(f, false, letGo);
    findLeaps(f, true, take);
    f->CHeld = held, f->letGo = letGo, f->take = take;
    *f->holds = 1;
}

bool plFlesh_Hold(plMechanism* m, bool hold)
{
    plFlesh* f = plFlesh_Of(m);
    double y[6] = {0};
    if (!f->canHold || (*f->holds != 0) == hold) return false;
    const double* rows = hold ? f->take : f->letGo;
    for (int i = 0; i < f->n; ++i) {
        for (int k = 0; k < 6; ++k) y[k] += rows[6 * i + k] * f->f[i];
    }
    plPut3(plMul(&m->start[0].world.R, plGet3(y)),
           y); // q moves along world axes, turns by body axes
    m->ops->move(m, m->q, 1, y, m->q);
    m->ops->place(m, m->q, m->start);
    const plFrame* at = &m->start[0].world;
    for (int i = 0; i < f->count; ++i) { // where they were
        const plVec3 X = plMulT(&at->R, plSub(f->x[f->candidates[i]], at->x));
        plPut3(plSub(X, f->X[f->candidates[i]]), &f->u[3 * i]);
    }
    *f->holds = hold;
    plMechanism_Refresh(m);
    return true;
}

bool plFlesh_HeldFace(const plMechanism* m, int part)
{
    const plFlesh* f = plFlesh_Of(m);
    const int* corners = &f->faces[3 * (part - 1)];
    return f->canHold && f->isHeld[corners[0]] && f->isHeld[corners[1]] && f->isHeld[corners[2]];
}

/// Velocities of the nodes at the start.
static void throwNodes(plFlesh* f, const Making* k)
{
    const plSoftDef* d = k->def;
    const plMat3 R = plRotation(plQuatUnit(d->pose.q));
    const plVec3 spin = plMul(&R, d->spin);
    for (int i = 0; i < f->body.nodeCount; ++i) {
        const bool held = k->fixed && k->fixed[3 * i];
        const plVec3 r = plSub(f->body.points[i], f->rigid.center);
        const plVec3 v = plAdd(d->velocity, plCross(spin, r));
        plPut3(held ? plVec(0, 0, 0) : v, &f->v[3 * i]);
    }
}

static plStatus makeFlesh(plFlesh* f, Making* k, plArena* state)
{
    const plSoftDef* d = k->def;
    plStatus status = takeScratch(k);
    if (status == pl_statusOk) status = chooseCandidates(k);
    if (status != pl_statusOk) return status;
    *f = (plFlesh){.model = d->model,
                   .theta = d->integrator == pl_integratorMidpoint ? 0.5 : 1,
                   .canHold = d->heldCount > 0 && d->model == pl_softCorotational,
                   .faceCount = k->surface.triangleCount,
                   .count = k->count,
                   .n = 3 * k->count,
                   .nodes = 3 * d->mesh->pointCount};
    status = plSoft_Create(&f->body, &k->tets, &d->elastic, k->allocator, k->error);
    if (status != pl_statusOk) return status;
    f->now = f->body;
    f->rigid = plSoft_RigidMass(&f->body, d->mass);
    status = makeFactor(f, k);
    if (status != pl_statusOk) return status;
    if (!takeLists(f, k, state)) {
        return fail(k->error, state->full ? pl_statusCapacity : pl_statusNoMemory,
                    state->full ? "the world's memory is full: raise capacity.memory"
                                : "no memory for the soft body");
    }
    if (f->K) f->now.K = f->K; // found at the start of every step
    fillLists(f, k);
    fillCompliances(f);
    findFrequency(f, k);
    if (f->v) throwNodes(f, k);
    return pl_statusOk;
}

// --- the mechanism

static plStatus makeFrame(const plSoftDef* d, plFlesh* f, int index, plVec3 g, plArena* fixed,
                          plArena* state, plMechanism** m, const char** why)
{
    if (d->model == pl_softCorotational) {
        plAssemblyDef frame = plDefaultAssemblyDef();
        frame.name = d->name;
        frame.integrator = d->integrator;
        frame.mass = f->rigid.mass;
        frame.inertia = f->rigid.inertia;
        frame.pose = (plPose){placed(d, f->rigid.center), plQuatUnit(d->pose.q)};
        frame.velocity = d->velocity;
        frame.spin = d->spin;
        return plRigid_Create(&frame, &plFleshFloating, f, index, g, fixed, state, m, why);
    }
    *m = plArena_Alloc(fixed, 1, sizeof **m);
    if (!*m) return pl_statusCapacity;
    **m = (plMechanism){.ops = &plFleshNodal,
                        .own = f,
                        .index = index,
                        .integrator = d->integrator,
                        .parts = 1,
                        .gravity = g};
    memcpy((*m)->name, d->name, strlen(d->name) + 1);
    return plMechanism_Allocate(*m, fixed, state);
}

plStatus plMechanism_CreateSoft(const plSoftDef* d, int index, plVec3 g, plArena* fixed,
                                plArena* state, const plAllocator* allocator, plMechanism** out,
                                plShapeError* error)
{
    Making k = {.def = d, .allocator = allocator, .error = error};
    const char* why = complaint(d);
    if (why) return fail(error, pl_statusBadArgument, why);
    plFlesh* f = plArena_Alloc(fixed, 1, sizeof *f);
    plStatus status = f ? makeFlesh(f, &k, state) : pl_statusCapacity;
    if (status == pl_statusOk) status = makeFrame(d, f, index, g, fixed, state, out, &why);
    if (status == pl_statusOk) {
        (*out)->traits.fixedStep = plFlesh_Nodal(f) ? f->stepper.T : 0;
        plMechanism_Refresh(*out);
    } else if (f) {
        plFlesh_Destroy(f, allocator);
    }
    plTetsSurface_Free(&k.surface);
    plArena_Destroy(&k.scratch, allocator);
    if (status != pl_statusOk && (!f || why)) {
        fail(error, status, why ? why : "the world's memory is full: raise capacity.memory");
    }
    return status;
}
