// Definition of couplings; the four-channel controller, limits of impulses, and the account. The virtual
// coupling is a link, and the direct one a frame: they need no wrench of their own.
#include "coupling/coupling.h"

#include <string.h>

plCouplingDef plDefaultCouplingDef(void)
{
    const plVec3 none = {INFINITY, INFINITY, INFINITY};
    return (plCouplingDef){.stiffness = {500, 500, 500},
                           .damping = {5, 5, 5},
                           .turnStiffness = {0.5, 0.5, 0.5},
                           .turnDamping = {5e-3, 5e-3, 5e-3},
                           .forceLimit = none,
                           .torqueLimit = none,
                           .scale = 1,
                           .filter = 4,
                           .grip = {.axis = {0, 0, 1}, .closed = 0.05}};
}

static bool notNegative3(plVec3 a) { return plFinite3(a) && a.x >= 0 && a.y >= 0 && a.z >= 0; }

static bool positive3(plVec3 a) { return a.x > 0 && a.y > 0 && a.z > 0; }

static const char* gripComplaint(const plGripDef* d)
{
    if ((int)d->projection < 0 || d->projection >= pl_projectionCount) {
        return "the projection of a grip is not of the list";
    }
    if (!plFinite3(d->axis) || !(plNorm(d->axis) > 0)) {
        return "the axis of a grip must be finite and not zero";
    }
    if (!isfinite(d->open) || !isfinite(d->closed) || d->open == d->closed) {
        return "the ends of a grip's way must be finite and apart";
    }
    if (d->fingerCount < 1 || d->fingerCount > plGripFingers || !d->fingers) {
        return "a grip needs 1 to 16 fingers";
    }
    return NULL;
}

// What only some kinds read.
static const char* kindComplaint(const plCouplingDef* d)
{
    const bool isVirtual = d->kind == pl_couplingVirtual;
    if ((int)d->feedback < 0 || d->feedback >= pl_feedbackCount) {
        return "the feedback of a coupling is not of the list";
    }
    if (!isfinite(d->scale) || d->scale < 0) return "scale must be finite and not negative";
    if (!isVirtual && (d->scale != 1 || d->feedback != pl_feedbackMean)) {
        return "scale and feedback are for virtual couplings";
    }
    if (d->kind == pl_couplingFingertip && (d->filter < 1 || d->filter > plFilterTicks)) {
        return "the filter of a fingertip must be 1 .. 16 ticks";
    }
    return d->kind == pl_couplingGrip ? gripComplaint(&d->grip) : NULL;
}

const char* plCoupling_Complaint(const plCouplingDef* d)
{
    if ((int)d->kind < 0 || d->kind >= pl_couplingCount || (int)d->limit < 0 ||
        d->limit >= pl_limitCount) {
        return "kind or limit of a coupling is not of the list";
    }
    if (!notNegative3(d->stiffness) || !notNegative3(d->damping) ||
        !notNegative3(d->turnStiffness) || !notNegative3(d->turnDamping)) {
        return "stiffness and damping of a coupling must be finite and not negative";
    }
    if (d->limit != pl_limitNone && d->kind != pl_couplingFourChannel) {
        return "limits of impulses are for the four-channel controller";
    }
    if (!positive3(d->forceLimit) || !positive3(d->torqueLimit)) return "limits must be positive";
    return kindComplaint(d);
}

static plVec3 times(plVec3 a, plVec3 b) { return plVec(a.x * b.x, a.y * b.y, a.z * b.z); }
static plWrench getWrench(const double* a) { return (plWrench){plGet3(a), plGet3(a + 3)}; }

static void putWrench(plWrench w, double* a)
{
    plPut3(w.force, a);
    plPut3(w.torque, a + 3);
}

// e = device - tool, world axes.
static void apart(const plSample* s, const plMotion* tool, plVec3* e, plVec3* turn)
{
    const plMat3 R = plRotation(s->pose.q), off = plMatMulT(&R, &tool->R);
    *e = plSub(s->pose.p, tool->x);
    *turn = plLog(&off);
}

// The largest share of an impulse that stays within the limits for a step of T.
static double shareOf(const plCouplingDef* d, const double* impulse, double T)
{
    double limit[6], share = 1;
    plPut3(d->forceLimit, limit);
    plPut3(d->torqueLimit, limit + 3);
    for (int i = 0; i < 6; ++i) {
        if (fabs(impulse[i]) > limit[i] * T) share = fmin(share, limit[i] * T / fabs(impulse[i]));
    }
    return share;
}

plWrench plCoupling_Command(plCoupling* c, const plSample* s, const plMotion* tool)
{
    const plCouplingDef* d = &c->def;
    plCouplingState* x = c->state;
    plVec3 e, turn;
    apart(s, tool, &e, &turn);
    const plVec3 rate = plSub(s->velocity, tool->v), turning = plSub(s->spin, tool->w);
    const plWrench Fc = {plAdd(times(d->stiffness, e), times(d->damping, rate)),
                         plAdd(times(d->turnStiffness, turn), times(d->turnDamping, turning))};
    putWrench(Fc, x->coordination);
    x->stored =
        0.5 * (plDot(e, times(d->stiffness, e)) + plDot(turn, times(d->turnStiffness, turn)));
    return (plWrench){plAdd(s->hand.force, Fc.force), plAdd(s->hand.torque, Fc.torque)};
}

double plCoupling_Share(plCoupling* c, const plWrench* impulse, double T)
{
    const plLimit limit = c->def.limit;
    double all[6];
    plCoupling_Rest(c);
    if (limit != pl_limitScale && limit != pl_limitSpread && limit != pl_limitBank) return 1;
    putWrench(*impulse, all);
    const double share = shareOf(&c->def, all, T);
    if (limit == pl_limitSpread) c->nextPending = share < 1;
    // the impulse was found from the velocity as it is now, so what was still owed is in it
    for (int i = 0; i < 6 && limit == pl_limitBank; ++i) c->nextBank[i] = (1 - share) * all[i];
    return share;
}

plWrench plCoupling_Pay(plCoupling* c, double T)
{
    const double share = shareOf(&c->def, c->state->bank, T);
    plCoupling_Rest(c);
    for (int i = 0; i < 6; ++i) {
        c->nextPaid[i] = share * c->state->bank[i];
        c->nextBank[i] = c->state->bank[i] - c->nextPaid[i];
    }
    return getWrench(c->nextPaid);
}

void plCoupling_Rest(plCoupling* c)
{
    c->nextPending = 0;
    memset(c->nextBank, 0, sizeof c->nextBank);
    memset(c->nextPaid, 0, sizeof c->nextPaid);
}

void plCoupling_Keep(plCoupling* c, bool keep)
{
    if (!keep) plCoupling_Rest(c);
    c->state->pending = c->nextPending;
    memcpy(c->state->bank, c->nextBank, sizeof c->nextBank);
    memcpy(c->state->paid, c->nextPaid, sizeof c->nextPaid);
}

plWrench plCoupling_Feedback(plCoupling* c, const plWrench* reaction, double T)
{
    const plCouplingState* x = c->state;
    const plWrench Fc = getWrench(x->coordination), paid = getWrench(x->paid);
    plWrench F = {plAddScaled(plSub(reaction->force, Fc.force), 1 / T, paid.force),
                  plAddScaled(plSub(reaction->torque, Fc.torque), 1 / T, paid.torque)};
    if (c->def.limit == pl_limitSaturate) {
        plWrench_Limit(&F, c->def.forceLimit, c->def.torqueLimit);
    }
    return F;
}

static double workOf(const double* wrench, const double* from, plVec3 to, plQuat q)
{
    const plVec3 turn = plLogQuat(plQuatMul(q, plQuatConj(plGet4(from + 3))));
    return plDot(plGet3(wrench), plSub(to, plGet3(from))) + plDot(plGet3(wrench + 3), turn);
}

void plCoupling_Account(plCoupling* c, plPose device, const plMotion* tool, double T)
{
    plCouplingState* x = c->state;
    const plQuat q = plQuatOf(&tool->R);
    if (x->known > 0) {
        double onTool[6];
        for (int i = 0; i < 6; ++i) onTool[i] = x->coordination[i] + (T > 0 ? x->paid[i] / T : 0);
        x->workTool += workOf(onTool, x->tool, tool->x, q);
        x->workDevice += workOf(x->written, x->last, device.p, device.q) + x->ripple;
    }
    x->known = 1;
    x->ripple = 0;
    plPut3(device.p, x->last);
    plPut4(device.q, x->last + 3);
    plPut3(tool->x, x->tool);
    plPut4(q, x->tool + 3);
}

plPose plCoupling_Ahead(const plSample* s, double T)
{
    return (plPose){plAddScaled(s->pose.p, T, s->velocity),
                    plQuatMul(plExp(plScale(T, s->spin)), s->pose.q)};
}
