// Soft bodies as mechanisms: their operations, and what is asked of them. A corotational body has a frame that
// moves like a rigid body; one whose nodes move by themselves has that of the world, and no velocities.
#include "mechanism/flesh.h"

#include <string.h>

// --- no frame

static void place(const plMechanism* m, const double* q, plPlace* p)
{
    (void)m, (void)q;
    p->world = (plFrame){plVec(0, 0, 0), plIdentity3()};
}

static void move(const plMechanism* m, const double* from, double s, const double* w, double* to)
{
    (void)m, (void)from, (void)s, (void)w, (void)to;
}

static void turns(const plMechanism* m, const double* q0, const double* q1, double* angle)
{
    (void)m, (void)q0, (void)q1;
    *angle = 0;
}

static void inertia(plMechanism* m, const plPlace* p, const double* v, double* M, double* C)
{
    (void)m, (void)p, (void)v, (void)M, (void)C;
}

static void jacobian(const plMechanism* m, const plChart* chart, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g)
{
    (void)m, (void)chart, (void)part, (void)point, (void)lin, (void)ang, (void)g;
}

static void gravity(const plMechanism* m, const plChart* chart, double* G)
{
    (void)m, (void)chart, (void)G;
}

static void turnSprings(const plMechanism* m, const double* q, plAction action, double* gradient,
                        double* D)
{
    (void)m, (void)q, (void)action, (void)gradient, (void)D;
}

static double gravityEnergy(const plMechanism* m, const plPlace* p)
{
    (void)m, (void)p;
    return 0;
}

static double turnEnergy(const plMechanism* m, const double* q)
{
    (void)m, (void)q;
    return 0;
}

// --- state

static void refresh(plMechanism* m)
{
    plFlesh* f = plFlesh_Of(m);
    f->begun = false;
    if (f->CHeld) f->C = *f->holds != 0 ? f->CHeld : f->CFloat;
    plFlesh_Show(m, pl_atStart);
}

static void refreshFloating(plMechanism* m)
{
    plRigid_Refresh(m);
    refresh(m);
}

static const char* refuses(const plMechanism* m, plIntegrator integrator)
{
    const char* why = plMechanism_RefuseUnknown(integrator);
    if (why || integrator == m->integrator) return why;
    return "a soft body keeps its integrator";
}

void plFlesh_Destroy(plFlesh* f, const plAllocator* allocator)
{
    if (f->floating.factor.soft) plSoftFloating_Destroy(&f->floating, allocator);
    if (f->held.soft) plSoftFactor_Destroy(&f->held, allocator);
    if (f->stepper.factor.soft) plSoftStepper_Destroy(&f->stepper, allocator);
    plSoft_Destroy(&f->body, allocator);
    plArena_Destroy(&f->arena, allocator);
}

static void destroy(plMechanism* m, const plAllocator* allocator)
{
    plFlesh_Destroy(plFlesh_Of(m), allocator);
}

// --- questions

plSurfaceView plFlesh_Surface(const plMechanism* m)
{
    const plFlesh* f = plFlesh_Of(m);
    return (plSurfaceView){f->body.nodeCount, f->faceCount, f->faces, f->x, f->touchable};
}

double plFlesh_LargestSpeed(const plMechanism* m)
{
    const plFlesh* f = plFlesh_Of(m);
    double most = 0, size = 0;
    for (int i = 0; f->v && i < f->nodes; i += 3) {
        most = fmax(most, plDot(plGet3(&f->v[i]), plGet3(&f->v[i])));
    }
    if (f->v) return sqrt(most);
    for (int i = 0; i < f->body.nodeCount; ++i) size = fmax(size, plDot(f->X[i], f->X[i]));
    return plNorm(plGet3(m->v)) + sqrt(size) * plNorm(plGet3(m->v + 3));
}

void plFlesh_WholePoints(plMechanism* m, plVec3* x)
{
    plFlesh* f = plFlesh_Of(m);
    const plFrame* at = &m->start[0].world;
    double* u = f->more;
    if (plFlesh_Nodal(f)) {
        memcpy(u, f->u, (size_t)f->nodes * sizeof *u);
    } else {
        memset(f->whole, 0, (size_t)f->nodes * sizeof *u);
        memset(u, 0, (size_t)f->nodes * sizeof *u);
        for (int i = 0; i < f->n; ++i) f->whole[3 * f->candidates[i / 3] + i % 3] = f->f[i];
        if (*f->holds == 0) {
            plSoftFloating_Solve(&f->floating, f->whole, u);
        } else {
            plSoftFactor_Solve(&f->held, f->whole, u);
        }
    }
    for (int i = 0; i < f->body.nodeCount; ++i) {
        x[i] = plAdd(at->x, plMul(&at->R, plAdd(f->X[i], plGet3(&u[3 * i]))));
    }
}

double plFlesh_RowCost(const plMechanism* m)
{
    const plFlesh* f = plFlesh_Of(m);
    if (!plFlesh_Nodal(f)) return 3.0 * f->n;
    const plSoftFactor* factor = &f->stepper.factor;
    return 0.15 * (factor->start[factor->n] - factor->start[factor->n - factor->tail]);
}

void plFlesh_Info(const plMechanism* m, double T, plSoftInfo* info)
{
    const plFlesh* f = plFlesh_Of(m);
    *info = (plSoftInfo){.model = f->model,
                         .nodes = f->body.nodeCount,
                         .tets = f->body.tetCount,
                         .faces = f->faceCount,
                         .candidates = f->count,
                         .rigid = f->rigid,
                         .omega = f->omega,
                         .omegaT = f->omega * T,
                         .settles = f->omega * T > 3,
                         .stored = plFlesh_Nodal(f) ? plFlesh_Stored(m, f->u)
                                                    : plFlesh_Potential(m, false)};
}

static uint64_t identity(const plMechanism* m, uint64_t h)
{
    const plFlesh* f = plFlesh_Of(m);
    const int sizes[] = {(int)f->model, f->body.nodeCount, f->body.tetCount, f->count, f->canHold};
    const double numbers[] = {
        f->theta,     f->body.material.E, f->body.material.nu, f->body.material.rho,
        f->stepper.T, f->stepper.alpha,   f->stepper.beta};
    h = plHash_Add(plRigid_Identity(m, h), sizes, sizeof sizes);
    h = plHash_Add(h, numbers, sizeof numbers);
    h = plHash_Add(h, f->X, (size_t)f->body.nodeCount * sizeof *f->X);
    h = plHash_Add(h, f->body.tets, 4 * (size_t)f->body.tetCount * sizeof *f->body.tets);
    return plHash_Add(h, f->candidates, (size_t)f->count * sizeof *f->candidates);
}

// --- the seam

// clang-format off
#define FLESH                                                                                      \
    .traits = {.type = "soft", .yields = true, .deforms = true}, .identity = identity,             \
    .begin = plFlesh_Begin, .freeMotion = plMechanism_FreeStep, .advance = plFlesh_Advance,        \
    .solveStep = plMechanism_SolveStep, .audit = plFlesh_Audit,                                    \
    .motion = plMechanism_MotionByRows, .jacobians = plMechanism_JacobiansByRows,                  \
    .displace = plMechanism_DisplaceTrial, .retreat = plFlesh_Retreat, .kicked = plFlesh_Kicked,   \
    .exchange = plFlesh_Exchange, .stand = plFlesh_Stand, .release = plFlesh_Release,              \
    .finite = plFlesh_Finite, .destroy = destroy, .refuses = refuses, .deform = &plFleshDeform
// clang-format on

const plMechanismOps plFleshFloating = {
    FLESH,
    PL_RIGID_FRAME,
    .refresh = refreshFloating,
    .leastMass = plRigid_LeastMass,
    .push = plRigid_Push,
    .turnRows = plRigid_TurnRows,
};

const plMechanismOps plFleshNodal = {
    FLESH,
    .constantMass = true,
    .constantGravity = true,
    .place = place,
    .move = move,
    .turns = turns,
    .inertia = inertia,
    .jacobian = jacobian,
    .gravity = gravity,
    .turnSprings = turnSprings,
    .gravityEnergy = gravityEnergy,
    .turnEnergy = turnEnergy,
    .solveMass = plMechanism_SolveDense,
    .kinetic = plMechanism_KineticDense,
    .refresh = refresh,
};
