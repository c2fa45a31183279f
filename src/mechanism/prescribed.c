// A frame whose motion is given: a hand, a platform. In a step it goes from its pose to the target
// at a constant twist, whatever acts on it; rows see its velocity, and it answers to no impulse. What
// rows take from it, its mover has applied.
#include "mechanism/kind.h"

#include <string.h>

plStatus plMechanism_CreatePrescribed(const plPrescribedDef* d, int index, plArena* fixed,
                                      plArena* state, plMechanism** out, const char** why)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    body.name = d->name;
    body.pose = d->pose;
    const plStatus status =
        plMechanism_CreateAssembly(&body, index, plVec(0, 0, 0), fixed, state, out, why);
    if (status != pl_statusOk) return status;
    (*out)->target = plArena_Alloc(state, 7, sizeof(double));
    if (!(*out)->target) return pl_statusCapacity;
    memcpy((*out)->target, (*out)->q, 7 * sizeof(double));
    return pl_statusOk;
}

bool plMechanism_IsPrescribed(const plMechanism* m) { return m->target != NULL; }

void plMechanism_Steer(plMechanism* m, plPose pose)
{
    PL_ASSERT(m->target);
    plPut3(pose.p, m->target);
    plPut4(plQuatUnit(pose.q), m->target + 3);
}

void plPrescribed_Begin(plMechanism* m)
{
    const double T = m->pass.T, left = fmax(m->pass.left, T);
    double twist[6], half[7];
    const plQuat turn = plQuatMul(plQuatConj(plGet4(m->q + 3)), plGet4(m->target + 3));
    plPut3(plScale(1 / left, plSub(plGet3(m->target), plGet3(m->q))), twist);
    plPut3(plScale(1 / left, plLogQuat(turn)), twist + 3);
    double* const velocities[] = {m->V0, m->Vfree, m->V1, m->v1, m->mean, m->way};
    for (int i = 0; i < PL_COUNT(velocities); ++i) memcpy(velocities[i], twist, sizeof twist);
    if (left > T) {
        m->kind->move(m, m->q, T, twist, m->q1);
    } else {
        memcpy(m->q1, m->target, 7 * sizeof(double));
    }
    m->kind->place(m, m->q1, m->end);
    m->kind->place(m, m->q1, m->free);
    m->kind->place(m, m->q1, m->last);
    m->kind->move(m, m->q, 0.5 * T, twist, half);
    m->kind->place(m, half, m->middle);
    m->kappa[0] = plTanRatio(fmin(T * plNorm(plGet3(twist + 3)), 2));
    m->chart = m->pass.at == pl_lineariseStart
                   ? m->startChart
                   : (plChart){m->start, m->last, m->middle, m->kappa, NULL};
    memcpy(m->qLast, m->q1, 7 * sizeof(double));
    memset(m->rowForce, 0, sizeof twist);
    memcpy(m->Vlast, twist, sizeof twist);
    for (int i = 0; i < 6 && m->pass.at == pl_lineariseStart; ++i) m->Vlast[i] = -twist[i];
}

void plPrescribed_Audit(const plMechanism* m, plEnergy* e)
{
    const double taken = plDotN(m->rowForce, m->mean, m->n) + m->strikeWork;
    *e = (plEnergy){.rows = taken, .applied = -taken};
}
