// Definition of couplings; limits of impulses, and the account. Each kind has a file of its own.
#include "coupling/kinds.h"

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
                           .tank = 1e-3,
                           .grip = {.axis = {0, 0, 1}, .closed = 0.05}};
}

static bool notNegative3(plVec3 a) { return plFinite3(a) && a.x >= 0 && a.y >= 0 && a.z >= 0; }

static bool positive3(plVec3 a) { return a.x > 0 && a.y > 0 && a.z > 0; }

const plCouplingOps* plCoupling_Ops(plCouplingKind kind)
{
    static const plCouplingOps* const all[pl_couplingCount] = {
        [pl_couplingFourChannel] = &plFourChannelOps, [pl_couplingVirtual] = &plVirtualOps,
        [pl_couplingUnilateral] = &plUnilateralOps,   [pl_couplingDirect] = &plDirectOps,
        [pl_couplingFingertip] = &plFingertipOps,     [pl_couplingGrip] = &plGripOps,
        [pl_couplingSetPosition] = &plSetPositionOps};
    return kind == pl_couplingOwn ? &plOwnCouplingOps : all[kind];
}

bool plCoupling_IsIdle(const plCoupling* c)
{
    return c->ops->traits.takes && c->state->grasp[0] == 0;
}

plMechanism* plCoupling_Tool(const plCoupling* c, const plCouplingHost* host)
{
    return host->mechanisms[c->def.tool.mechanism.index1 - 1];
}

bool plCoupling_HoldsFrame(const plCoupling* c, const plCouplingHost* host)
{
    const plVec3 point = c->def.tool.point;
    return !plMechanism_Traits(plCoupling_Tool(c, host))->yields && plDot(point, point) == 0;
}

// The numbers of all kinds.
static const char* numbersComplaint(const plCouplingDef* d, const plCouplingTraits* traits)
{
    if ((int)d->feedback < 0 || d->feedback >= pl_feedbackCount) {
        return "the feedback of a coupling is not of the list";
    }
    if (!isfinite(d->scale) || d->scale < 0) return "scale must be finite and not negative";
    if (!traits->takes && (d->scale != 1 || d->feedback != pl_feedbackMean)) {
        return "scale and feedback are for couplings that carry a tool by a link";
    }
    return NULL;
}

const char* plCoupling_Complaint(const plCouplingDef* d)
{
    const bool listed =
        ((int)d->kind >= 0 && d->kind < pl_couplingCount) || d->kind == pl_couplingOwn;
    if (!listed || (int)d->limit < 0 || d->limit >= pl_limitCount) {
        return "kind or limit of a coupling is not of the list";
    }
    const plCouplingOps* ops = plCoupling_Ops(d->kind);
    if (!notNegative3(d->stiffness) || !notNegative3(d->damping) ||
        !notNegative3(d->turnStiffness) || !notNegative3(d->turnDamping)) {
        return "stiffness and damping of a coupling must be finite and not negative";
    }
    if (d->limit != pl_limitNone && !ops->traits.strikes) {
        return "limits of impulses are for the four-channel controller";
    }
    if (!positive3(d->forceLimit) || !positive3(d->torqueLimit)) return "limits must be positive";
    const char* why = numbersComplaint(d, &ops->traits);
    return why || !ops->validate ? why : ops->validate(d);
}

double plCoupling_NeededBy(const plCouplingDef* d, double K, double B, double T, int delay)
{
    const plCouplingOps* ops = plCoupling_Ops(d->kind);
    return ops->damping ? ops->damping(d, K, B, T, delay) : 0;
}

void plCoupling_Gains(const plCouplingDef* d, double K[6], double B[6])
{
    const plCouplingOps* ops = plCoupling_Ops(d->kind);
    plPut3(d->stiffness, K);
    plPut3(d->turnStiffness, K + 3);
    plPut3(d->damping, B);
    plPut3(d->turnDamping, B + 3);
    if (ops->gains) ops->gains(d, K, B);
}

const char plCouplingFull[] = "the world's memory is full: raise capacity.memory";

plWrench plWrench_Scaled(plWrench f, double s)
{
    return (plWrench){plScale(s, f.force), plScale(s, f.torque)};
}

static plWrench getWrench(const double* a) { return (plWrench){plGet3(a), plGet3(a + 3)}; }

static void putWrench(plWrench w, double* a)
{
    plPut3(w.force, a);
    plPut3(w.torque, a + 3);
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
