// The direct coupling: its tool is a frame that is where the device is. Where the tool had gone on to in the
// last tick was a guess.
#include "coupling/kinds.h"

static plPose ahead(const plSample* s, double T)
{
    return (plPose){plAddScaled(s->pose.p, T, s->velocity),
                    plQuatMul(plExp(plScale(T, s->spin)), s->pose.q)};
}

static plStatus create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    if (plCoupling_HoldsFrame(c, host)) return pl_statusOk;
    *why = "the tool of a direct coupling is the origin of a prescribed frame";
    return pl_statusBadArgument;
}

static void place(plCoupling* c, const plCouplingView* v)
{
    const plSample* s = v->sample;
    v->host->place(v->host->self, (int)c->def.tool.mechanism.index1 - 1, s->pose, s->velocity,
                   s->spin, ahead(s, v->T));
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    (void)c, (void)at;
    return plWrench_Scaled(v->reaction, 1 / v->T);
}

const plCouplingOps plDirectOps = {
    .traits = {.isTool = true, .appliesAll = true, .moves = true},
    .create = create,
    .place = place,
    .feedback = feedback,
};
