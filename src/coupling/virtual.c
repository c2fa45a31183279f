// The virtual coupling: the device moves a frame, and a passive link carries the tool, so that it has no wrench
// of its own. The frame is with the device, or behind it where the device cannot give what the link pulls: see
// lag.c.
#include "coupling/kinds.h"

#include <string.h>

// --- what it holds

void plVirtual_Recall(plCoupling* c, const plCouplingHost* host)
{
    const double* g = c->state->grasp;
    plLink* link = &host->links[c->link];
    link->idle = g[0] == 0;
    if (link->idle) return;
    link->a = (plSite){{(uint32_t)g[1], 1}, (int)g[2], plGet3(g + 3)};
    c->def.tool = link->a;
    const plMechanism* m = plCoupling_Tool(c, host);
    const bool implicit =
        plMechanism_Traits(m)->deforms && plMechanism_Integrator(m) != pl_integratorMidpoint;
    link->form = implicit ? pl_linkImplicit : pl_linkPassive;
}

void plCoupling_Hold(plCoupling* c, const plCouplingHost* host, bool holds, plSite site)
{
    double* g = c->state->grasp;
    g[0] = holds;
    g[1] = site.mechanism.index1;
    g[2] = site.part;
    plPut3(site.point, g + 3);
    plVirtual_Recall(c, host);
}

plStatus plVirtual_Create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    const plCouplingDef* d = &c->def;
    plLinkDef link = plDefaultLinkDef();
    link.name = d->name;
    link.a = d->tool;
    link.stiffness = d->stiffness.x;
    link.damping = d->damping.x;
    link.turnStiffness = host->planar ? d->turnStiffness.z : d->turnStiffness.x;
    link.turnDamping = host->planar ? d->turnDamping.z : d->turnDamping.x;
    link.turns = link.turnStiffness + link.turnDamping > 0;
    *why = NULL; // the host says it
    const plStatus status = host->carry(host->self, c, &link);
    if (status != pl_statusOk) return status;
    host->links[c->link].grasps = true;
    plCoupling_Hold(c, host, d->tool.mechanism.index1 > 0, d->tool);
    return pl_statusOk;
}

// --- the frame

double plVirtual_Leap(plCoupling* c, const plCouplingView* v, plPose from, plPose to)
{
    const plVec3 still = {0, 0, 0};
    const plLink* link = &v->host->links[c->link];
    const double before = plLink_Stored(link, link->d);
    v->host->place(v->host->self, c->frame, from, still, still, to);
    const double brought = plLink_Stored(link, link->d) - before;
    c->state->workTool += brought;
    return brought;
}

plWrench plVirtual_Pull(const plCoupling* c, const plCouplingView* v, plPose frame)
{
    const plLink* link = &v->host->links[c->link];
    const plMat3 R = plRotation(frame.q);
    const plVec3 turn = link->turns ? plMul(&R, plGet3(link->d + 3)) : plVec(0, 0, 0);
    return (plWrench){plScale(c->def.scale * link->K[0], plGet3(link->d)),
                      plScale(c->def.scale * link->K[link->rowCount - 1], turn)};
}

// The frame stands where it has leapt to. Its force then is what the hand gets, whatever the tick does to
// the tool.
static void holdFrame(plCoupling* c, const plCouplingView* v, plPose pose)
{
    plVirtual_Leap(c, v, pose, pose);
    c->pull = plVirtual_Pull(c, v, pose);
}

// --- what a tick begins with

static bool isHeld(const plCoupling* c) { return c->def.feedback == pl_feedbackHeld; }

// What a hand does not feel, no limit takes from it: a spring that only commands, a device that is worn.
static bool isFelt(const plCoupling* c) { return c->def.scale > 0 && !c->worn; }

static plPose poseOfFrame(const plCoupling* c, const plCouplingView* v)
{
    const double* q = plMechanism_Q(v->host->mechanisms[c->frame]);
    return (plPose){plGet3(q), plGet4(q + 3)};
}

// The turn from one to the other, world axes.
static plVec3 turnBetween(plQuat from, plQuat to)
{
    return plLogQuat(plQuatMul(to, plQuatConj(from)));
}

static bool isActive(const plCoupling* c) { return !plCoupling_IsIdle(c) && isFelt(c); }

static void putAxes(plLagAxis* axes, plVec3 stretch, plVec3 full, plVec3 way, plVec3 drift)
{
    const double *e = &stretch.x, *f = &full.x, *h = &way.x, *r = &drift.x;
    for (int i = 0; i < 3; ++i) {
        axes[i].stretch = e[i];
        axes[i].full = f[i];
        axes[i].way = h[i];
        axes[i].drift = r[i];
    }
}

// Six axes, and where the tool is.
typedef struct {
    plLagAxis axes[6];
    plPose tool, hand;
} Lag;

static Lag lagOf(plCoupling* c, const plCouplingView* v)
{
    const plCouplingState* x = c->state;
    const plSite site = c->def.tool;
    const plLink* link = &v->host->links[c->link];
    const plMotion tool =
        plMechanism_Motion(v->host->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
    const plPose frame = poseOfFrame(c, v);
    const double T = v->T;
    double limit[6];
    Lag lag = {.tool = {tool.x, plQuatOf(&tool.R)}, .hand = v->sample->pose};
    const plVec3 from = x->lags[0] > 0 ? plGet3(x->seen) : frame.p;
    const plQuat turnedFrom = x->lags[1] > 0 ? plGet4(x->seen + 3) : frame.q;
    v->host->limits(v->host->self, c, limit);
    for (int i = 0; i < 6; ++i) c->sums[i].bound = limit[i] / c->def.scale;
    putAxes(lag.axes, plSub(frame.p, tool.x), plSub(v->sample->pose.p, tool.x),
            plSub(v->sample->pose.p, from), plScale(T, tool.v));
    putAxes(lag.axes + 3, turnBetween(lag.tool.q, frame.q),
            turnBetween(lag.tool.q, v->sample->pose.q), turnBetween(turnedFrom, v->sample->pose.q),
            plScale(T, tool.w));
    for (int i = 0; i < 6; ++i) {
        plLagAxis* a = &lag.axes[i];
        const int row = i < 3 ? 0 : link->rowCount - 1;
        a->K = i < 3 || link->turns ? link->K[row] : 0;
        a->B = i < 3 || link->turns ? link->B[row] : 0;
        a->limit = c->sums[i].bound;
        a->T = T;
        a->credit = x->credit[i];
        a->held = isHeld(c);
    }
    return lag;
}

// 1/mass of a tool along an axis. What it touches is not asked: then the force is larger than foreseen.
static void yieldOf(const plCoupling* c, const plCouplingView* v, Lag* lag)
{
    const plSite site = c->def.tool;
    const plMechanism* m = v->host->mechanisms[site.mechanism.index1 - 1];
    double *J = v->host->J, *Y = v->host->Y;
    plRow rows[6];
    if (plMechanism_Traits(m)->deforms || !plMechanism_Traits(m)->yields) return;
    for (int i = 0; i < 6; ++i) {
        const plVec3 axis = plVec(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        rows[i] = (plRow){.a = site};
        *(i < 3 ? &rows[i].lin : &rows[i].ang) = axis;
        plMechanism_Response(m, pl_responseMass, &rows[i], 1, J, Y);
        lag->axes[i].yields = fmax(0, plDotN(J, Y, plMechanism_Velocities(m)));
    }
}

// --- a move

// What the device did not feel of what was held for it in the last tick is owed.
static double heldCredit(const plCouplingState* x, double scale, const plLagAxis* a,
                         const plLagMove* m, int i)
{
    const double before = fmax(-a->limit, fmin(a->limit, a->K * a->stretch));
    const double later = a->K * (m->start + m->way), cut = (x->written[i] - x->asked[i]) / scale;
    return (0.5 * (before + later) - cut) * a->way;
}

// Three axes from `first` on: places, or turns. False: the frame goes where the device is.
static bool goThree(plCoupling* c, Lag* lag, int first, double start[3], double way[3])
{
    plCouplingState* x = c->state;
    bool needed = x->lags[first / 3] > 0, arrives = true;
    for (int i = 0; i < 3; ++i) needed = needed || plLag_Needed(&lag->axes[first + i]);
    for (int i = 0; i < 3; ++i) {
        plLagAxis* a = &lag->axes[first + i];
        x->handWay[first + i] = a->way;
        start[i] = a->stretch, way[i] = a->way;
        if (!needed) continue;
        const plLagMove m = plLag_Go(a);
        arrives = arrives && m.arrives;
        start[i] = m.start;
        way[i] = m.way;
        x->credit[first + i] -= m.cost;
        if (a->held) x->credit[first + i] += heldCredit(x, c->def.scale, a, &m, first + i);
    }
    // with the device again, what the hand has given and the tool not got is dissipated
    for (int i = 0; i < 3 && arrives; ++i) {
        x->credit[first + i] = fmin(0, x->credit[first + i]);
    }
    x->lags[first / 3] = needed && !arrives;
    return needed;
}

static void tellCredit(plCoupling* c)
{
    plCouplingState* x = c->state;
    x->stored = 0;
    for (int i = 0; i < 6; ++i) x->stored += c->def.scale * x->credit[i];
}

static void forget(plCouplingState* x)
{
    memset(x->lags, 0, sizeof x->lags);
    memset(x->credit, 0, sizeof x->credit);
    x->stored = 0;
}

// Where the frame leaps to, and where it is at the end of the tick. False: it need not lag.
static bool goBehind(plCoupling* c, const plCouplingView* v, plPose* from, plPose* to)
{
    plCouplingState* x = c->state;
    Lag lag = lagOf(c, v);
    double start[6], way[6];
    bool needed = x->lags[0] + x->lags[1] > 0;
    for (int i = 0; i < 6 && !needed; ++i) needed = plLag_Needed(&lag.axes[i]);
    if (needed) yieldOf(c, v, &lag);
    const bool moves = goThree(c, &lag, 0, start, way),
               turns = goThree(c, &lag, 3, start + 3, way + 3);
    *from = poseOfFrame(c, v);
    *to = v->sample->pose;
    if (moves) from->p = plAdd(lag.tool.p, plGet3(start));
    if (turns) from->q = plQuatUnit(plQuatMul(plExp(plGet3(start + 3)), lag.tool.q));
    if (x->lags[0] > 0) to->p = plAdd(from->p, plGet3(way));
    if (x->lags[1] > 0) to->q = plQuatUnit(plQuatMul(plExp(plGet3(way + 3)), from->q));
    plPut3(v->sample->pose.p, x->seen);
    plPut4(v->sample->pose.q, x->seen + 3);
    tellCredit(c);
    return moves || turns;
}

static void command(plCoupling* c, const plCouplingView* v)
{
    plPose from, to = v->sample->pose;
    bool behind = false;
    memset(c->sums, 0, sizeof c->sums);
    if (isActive(c)) {
        behind = goBehind(c, v, &from, &to);
    } else {
        forget(c->state);
    }
    if (isHeld(c) && !plCoupling_IsIdle(c)) {
        holdFrame(c, v, to);
    } else if (behind) {
        plVirtual_Leap(c, v, from, to);
    } else {
        plMechanism_Steer(v->host->mechanisms[c->frame], to);
    }
}

// --- a step

// Along one axis of the tick.
static plLagTick tickOf(const plCoupling* c, double T, int i)
{
    const plLagSum* sum = &c->sums[i];
    return (plLagTick){.force = sum->push / T,
                       .limit = sum->bound,
                       .work = sum->work,
                       .hand = c->state->handWay[i],
                       .credit = c->state->credit[i]};
}

// The same, if the rest of it goes on like a step.
static plLagTick tickLike(const plCoupling* c, const plLead* step, double T, int i)
{
    const double rest = step->left / step->T;
    plLagTick t = tickOf(c, T, i);
    t.force += step->left * step->force[i] / T;
    t.work += rest * step->force[i] * step->way[i];
    t.way = rest * step->way[i];
    t.most = t.hand - c->sums[i].way;
    return t;
}

// At last the frame stands: then it does no work, and the tick creates nothing.
static bool relentAlways(const plCoupling* c, const plLead* step, double T)
{
    bool creates = false;
    for (int i = 0; i < 6; ++i) {
        const plLagTick t = tickLike(c, step, T, i);
        creates = creates || (t.way != 0 && plLag_Creates(&t));
    }
    return creates;
}

static bool relent(plCoupling* c, const plCouplingView* v, const plLead* step, int n)
{
    plMechanism* frame = v->host->mechanisms[c->frame];
    const plPose at = poseOfFrame(c, v);
    const bool last = n >= plLagTrials;
    double way[6] = {0};
    if (isHeld(c) || !isActive(c)) return false;
    bool again = last && relentAlways(c, step, v->T);
    for (int i = 0; i < 6 && !last; ++i) {
        const plLagTick t = tickLike(c, step, v->T, i);
        way[i] = plLag_Relent(&t, &c->sums[i].trial, n);
        again = again || way[i] != t.way;
    }
    if (!again) return false;
    const plQuat turn = plExp(plGet3(way + 3));
    c->state->lags[0] = c->state->lags[1] = 1;
    plMechanism_Steer(frame, (plPose){plAdd(at.p, plGet3(way)), plQuatUnit(plQuatMul(turn, at.q))});
    return true;
}

static void lead(plCoupling* c, const plLead* step)
{
    for (int i = 0; i < 6; ++i) {
        plLagSum* sum = &c->sums[i];
        sum->push += step->T * step->force[i];
        sum->way += step->way[i];
        sum->work += step->force[i] * step->way[i];
    }
}

void plCoupling_Forget(plCoupling* c) { forget(c->state); }

static void account(plCoupling* c, const plCouplingView* v)
{
    (void)v;
    plCouplingState* x = c->state;
    const double scale = c->def.scale;
    if (isHeld(c) || !isActive(c)) return;
    for (int i = 0; i < 6; ++i) {
        x->credit[i] -= c->sums[i].work + x->written[i] * x->handWay[i] / scale;
    }
    tellCredit(c);
}

// --- the hand

// The mean force of the frame, with the sign of a reaction.
static plWrench meanPull(const plCoupling* c, double T)
{
    double F[6];
    for (int i = 0; i < 6; ++i) {
        const plLagTick t = tickOf(c, T, i);
        F[i] = -c->def.scale * (isActive(c) ? plLag_Felt(&t) : t.force);
    }
    return (plWrench){plGet3(F), plGet3(F + 3)};
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    (void)at;
    if (plCoupling_IsIdle(c) || c->def.feedback == pl_feedbackMean) return meanPull(c, v->T);
    return c->pull;
}

static double damping(const plCouplingDef* d, double K, double B, double T, int delay)
{
    if (d->feedback == pl_feedbackHeld) return plHeldDampingLate(K, B, d->scale, T, delay);
    return d->scale * plSampledDamping(K, B - 0.5 * K * T, T, delay);
}

const plCouplingOps plVirtualOps = {
    .traits = {.need = pl_toolOptional, .equal = 4, .moves = true, .takes = true},
    .create = plVirtual_Create,
    .command = command,
    .feedback = feedback,
    .lags = isActive,
    .relent = relent,
    .lead = lead,
    .account = account,
    .recall = plVirtual_Recall,
    .damping = damping,
};
