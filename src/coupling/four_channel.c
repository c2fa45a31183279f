// The four-channel controller: to the tool the force of the hand and of the coordination, to the hand that of
// the contacts and the opposite of the coordination.
#include "coupling/kinds.h"

static plVec3 times(plVec3 a, plVec3 b) { return plVec(a.x * b.x, a.y * b.y, a.z * b.z); }
static plWrench getWrench(const double* a) { return (plWrench){plGet3(a), plGet3(a + 3)}; }

// e = device - tool, world axes.
static void apart(const plSample* s, const plMotion* tool, plVec3* e, plVec3* turn)
{
    const plMat3 R = plRotation(s->pose.q), off = plMatMulT(&R, &tool->R);
    *e = plSub(s->pose.p, tool->x);
    *turn = plLog(&off);
}

static void command(plCoupling* c, const plCouplingView* v)
{
    const plSample* s = v->sample;
    const plMotion* tool = &v->tool;
    const plCouplingDef* d = &c->def;
    plCouplingState* x = c->state;
    plVec3 e, turn;
    apart(s, tool, &e, &turn);
    const plVec3 rate = plSub(s->velocity, tool->v), turning = plSub(s->spin, tool->w);
    const plWrench Fc = {plAdd(times(d->stiffness, e), times(d->damping, rate)),
                         plAdd(times(d->turnStiffness, turn), times(d->turnDamping, turning))};
    plPut3(Fc.force, x->coordination);
    plPut3(Fc.torque, x->coordination + 3);
    x->stored =
        0.5 * (plDot(e, times(d->stiffness, e)) + plDot(turn, times(d->turnStiffness, turn)));
    const plWrench all = {plAdd(s->hand.force, Fc.force), plAdd(s->hand.torque, Fc.torque)};
    plMechanism_AddForce(plCoupling_Tool(c, v->host), d->tool, all);
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    const plWrench reaction = plWrench_Scaled(v->reaction, 1 / v->T);
    const plCouplingState* x = c->state;
    (void)at;
    const plWrench Fc = getWrench(x->coordination), paid = getWrench(x->paid);
    plWrench F = {plAddScaled(plSub(reaction.force, Fc.force), 1 / v->T, paid.force),
                  plAddScaled(plSub(reaction.torque, Fc.torque), 1 / v->T, paid.torque)};
    if (c->def.limit == pl_limitSaturate) {
        plWrench_Limit(&F, c->def.forceLimit, c->def.torqueLimit);
    }
    return F;
}

const plCouplingOps plFourChannelOps = {
    .traits = {.strikes = true, .appliesAll = true, .moves = true, .coordinates = true},
    .command = command,
    .feedback = feedback,
};
