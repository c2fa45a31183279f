// A frame whose motion is given: a hand, a platform. In a step it goes from its pose to the target
// at a constant twist, whatever acts on it; rows see its velocity, and it answers to no impulse. What
// rows take from it, its mover has applied.
#include "mechanism/rigid.h"

#include <string.h>

typedef struct {
    plRigid rigid;
    double* target; ///< state: the pose at the end of the next step
} Prescribed;

static double* targetOf(const plMechanism* m) { return ((Prescribed*)m->own)->target; }

static bool begin(plMechanism* m)
{
    const double *target = targetOf(m), T = m->pass.T, left = fmax(m->pass.left, T);
    double twist[6], half[7];
    const plQuat turn = plQuatMul(plQuatConj(plGet4(m->q + 3)), plGet4(target + 3));
    plPut3(plScale(1 / left, plSub(plGet3(target), plGet3(m->q))), twist);
    plPut3(plScale(1 / left, plLogQuat(turn)), twist + 3);
    double* const velocities[] = {m->V0, m->Vfree, m->V1, m->v1, m->mean, m->way};
    for (int i = 0; i < PL_COUNT(velocities); ++i) memcpy(velocities[i], twist, sizeof twist);
    if (left > T) {
        m->ops->move(m, m->q, T, twist, m->q1);
    } else {
        memcpy(m->q1, target, 7 * sizeof(double));
    }
    m->ops->place(m, m->q1, m->end);
    m->ops->place(m, m->q1, m->free);
    m->ops->place(m, m->q1, m->last);
    m->ops->move(m, m->q, 0.5 * T, twist, half);
    m->ops->place(m, half, m->middle);
    m->kappa[0] = plTanRatio(fmin(T * plNorm(plGet3(twist + 3)), 2));
    m->chart = m->pass.at == pl_lineariseStart
                   ? m->startChart
                   : (plChart){m->start, m->last, m->middle, m->kappa, NULL};
    memcpy(m->qLast, m->q1, 7 * sizeof(double));
    memset(m->rowForce, 0, sizeof twist);
    memcpy(m->Vlast, twist, sizeof twist);
    for (int i = 0; i < 6 && m->pass.at == pl_lineariseStart; ++i) m->Vlast[i] = -twist[i];
    return true;
}

// It is where it was told to be.
static bool advance(plMechanism* m, const plRow* rows, int count, const double* p)
{
    (void)m, (void)rows, (void)count, (void)p;
    return true;
}

static void audit(plMechanism* m, plEnergy* e)
{
    const double taken = plDotN(m->rowForce, m->mean, m->n) + m->strikeWork;
    *e = (plEnergy){.rows = taken, .applied = -taken};
}

// A pose that is set from outside is where it stays. While it is created it has no target yet.
static void settle(plMechanism* m)
{
    if (targetOf(m)) memcpy(targetOf(m), m->q, 7 * sizeof(double));
}

static const char* refuses(const plMechanism* m, plIntegrator integrator)
{
    const char* why = plMechanism_RefuseUnknown(integrator);
    (void)m;
    return why ? why : "a prescribed frame is not integrated";
}

static const plMechanismOps prescribed = {
    .traits = {.type = "prescribed"},
    PL_RIGID_FRAME,
    .refresh = plRigid_Refresh,
    .identity = plRigid_Identity,
    .begin = begin,
    .advance = advance,
    .audit = audit,
    .motion = plRigid_Motion,
    .jacobians = plRigid_Jacobians,
    .row = plRigid_Row,
    .settle = settle,
    .refuses = refuses,
};

plStatus plMechanism_CreatePrescribed(const plPrescribedDef* d, int index, plArena* fixed,
                                      plArena* state, plMechanism** out, const char** why)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    body.name = d->name;
    body.pose = d->pose;
    Prescribed* own = plArena_Alloc(fixed, 1, sizeof *own);
    const plStatus status =
        plRigid_Create(&body, &prescribed, own, index, plVec(0, 0, 0), fixed, state, out, why);
    if (status != pl_statusOk) return status;
    own->target = plArena_Alloc(state, 7, sizeof(double));
    if (!own->target) return pl_statusCapacity;
    settle(*out);
    return pl_statusOk;
}

void plMechanism_Led(const plMechanism* m, double way[6], double force[6])
{
    const plMat3 R = m->middle->world.R;
    const double T = m->pass.T;
    plPut3(plScale(T, plGet3(m->mean)), way);
    plPut3(plScale(T, plMul(&R, plGet3(m->mean + 3))), way + 3);
    plPut3(plScale(-1 / T, plGet3(m->rowForce)), force);
    plPut3(plScale(-1 / T, plMul(&R, plGet3(m->rowForce + 3))), force + 3);
}

bool plMechanism_IsSteered(const plMechanism* m)
{
    return !m->traits.yields && memcmp(targetOf(m), m->q, 7 * sizeof(double)) != 0;
}

void plMechanism_Steer(plMechanism* m, plPose pose)
{
    PL_ASSERT(!m->traits.yields);
    plPut3(pose.p, targetOf(m));
    plPut4(plQuatUnit(pose.q), targetOf(m) + 3);
}
