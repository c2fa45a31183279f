// The frame of a virtual coupling: with the device, or behind it where the device cannot give what the
// link pulls. See src/coupling/lag.c.
#include "world/inside.h"

#include <string.h>

void plDevices_PlaceFrame(plWorld* w, int index, plPose pose, plVec3 velocity, plVec3 spin,
                          plPose to)
{
    const plMat3 R = plRotation(pose.q);
    double q[7], v[6];
    plPut3(pose.p, q);
    plPut4(pose.q, q + 3);
    plPut3(velocity, v);
    plPut3(plMulT(&R, spin), v + 3);
    plMechanism_SetState(w->mechanisms[index], q, v);
    plMechanism_Steer(w->mechanisms[index], to);
    plLedger_Place(w, index);
}

// A leap is work of the device on the tool, by the link's spring.
static void leapFrame(plWorld* w, plWorldCoupling* c, plPose from, plPose to)
{
    const plVec3 still = {0, 0, 0};
    const plLink* link = &w->links[c->link];
    const double before = plLink_Stored(link, link->d);
    plDevices_PlaceFrame(w, c->frame, from, still, still, to);
    c->coupling.state->workTool += plLink_Stored(link, link->d) - before;
}

// The frame stands where it has leapt to. Its force then is what the hand gets, whatever the tick does to
// the tool.
static void holdFrame(plWorld* w, plWorldCoupling* c, plPose pose)
{
    const plCouplingDef* d = &c->coupling.def;
    const plLink* link = &w->links[c->link];
    const plMat3 R = plRotation(pose.q);
    leapFrame(w, c, pose, pose);
    const plVec3 turn = link->turns ? plMul(&R, plGet3(link->d + 3)) : plVec(0, 0, 0);
    c->pull = (plWrench){plScale(d->scale * link->K[0], plGet3(link->d)),
                         plScale(d->scale * link->K[link->rowCount - 1], turn)};
}

// --- what a tick begins with

static bool isHeld(const plWorldCoupling* c) { return c->coupling.def.feedback == pl_feedbackHeld; }

// What a hand does not feel, no limit takes from it: a spring that only commands, a device that is worn.
static bool isFelt(const plWorld* w, const plWorldCoupling* c)
{
    return c->coupling.def.scale > 0 && !w->devices[c->device].simulated.def.cutaneous;
}

static plPose poseOfFrame(const plWorld* w, const plWorldCoupling* c)
{
    const double* q = plMechanism_Q(w->mechanisms[c->frame]);
    return (plPose){plGet3(q), plGet4(q + 3)};
}

// The turn from one to the other, world axes.
static plVec3 turnBetween(plQuat from, plQuat to)
{
    return plLogQuat(plQuatMul(to, plQuatConj(from)));
}

static bool isActive(const plWorld* w, const plWorldCoupling* c)
{
    return c->coupling.def.kind == pl_couplingVirtual && !plGrasp_IsIdle(c) && isFelt(w, c);
}

// Virtual couplings of one device have equal parts of what the other couplings have left of its limit in
// the last tick [N, N m].
static void limitsOf(const plWorld* w, const plWorldCoupling* c, double limit[6])
{
    const plWorldDevice* d = &w->devices[c->device];
    double others[6] = {0};
    int count = 0;
    for (int k = 0; k < w->couplingCount; ++k) {
        const plWorldCoupling* other = &w->couplings[k];
        if (other->device != c->device) continue;
        const bool equal = isActive(w, other);
        count += equal;
        for (int i = 0; i < 6 && !equal; ++i) others[i] += other->coupling.state->asked[i];
    }
    plPut3(d->forceLimit, limit);
    plPut3(d->torqueLimit, limit + 3);
    for (int i = 0; i < 6; ++i) limit[i] = fmax(0, limit[i] - fabs(others[i])) / count;
}

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

static Lag lagOf(const plWorld* w, const plWorldCoupling* c, const plSample* s)
{
    const plCouplingState* x = c->coupling.state;
    const plSite site = c->coupling.def.tool;
    const plLink* link = &w->links[c->link];
    const plMotion tool =
        plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
    const plPose frame = poseOfFrame(w, c);
    const double T = w->report.T;
    double limit[6];
    Lag lag = {.tool = {tool.x, plQuatOf(&tool.R)}, .hand = s->pose};
    const plVec3 from = x->lags[0] > 0 ? plGet3(x->seen) : frame.p;
    const plQuat turnedFrom = x->lags[1] > 0 ? plGet4(x->seen + 3) : frame.q;
    limitsOf(w, c, limit);
    putAxes(lag.axes, plSub(frame.p, tool.x), plSub(s->pose.p, tool.x), plSub(s->pose.p, from),
            plScale(T, tool.v));
    putAxes(lag.axes + 3, turnBetween(lag.tool.q, frame.q), turnBetween(lag.tool.q, s->pose.q),
            turnBetween(turnedFrom, s->pose.q), plScale(T, tool.w));
    for (int i = 0; i < 6; ++i) {
        plLagAxis* a = &lag.axes[i];
        const int row = i < 3 ? 0 : link->rowCount - 1;
        a->K = i < 3 || link->turns ? link->K[row] : 0;
        a->B = i < 3 || link->turns ? link->B[row] : 0;
        a->limit = limit[i] / c->coupling.def.scale;
        a->T = T;
        a->credit = x->credit[i];
        a->held = isHeld(c);
    }
    return lag;
}

// 1/mass of a tool along an axis. What it touches is not asked: then the force is larger than foreseen.
static void yieldOf(plWorld* w, const plWorldCoupling* c, Lag* lag)
{
    const plSite site = c->coupling.def.tool;
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    double *J = w->system.set.J, *Y = w->system.set.Y;
    plRow rows[6];
    if (plMechanism_Traits(m)->deforms || !plMechanism_Traits(m)->yields) return;
    plDevices_SiteRows(c, rows);
    for (int i = 0; i < 6; ++i) {
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
static bool goThree(plWorldCoupling* c, Lag* lag, int first, double start[3], double way[3])
{
    plCouplingState* x = c->coupling.state;
    bool needed = x->lags[first / 3] > 0, arrives = true;
    for (int i = 0; i < 3; ++i) needed = needed || plLag_Needed(&lag->axes[first + i]);
    for (int i = 0; i < 3; ++i) {
        plLagAxis* a = &lag->axes[first + i];
        x->handWay[first + i] = x->way[first + i] = a->way;
        start[i] = a->stretch, way[i] = a->way;
        if (!needed) continue;
        const plLagMove m = plLag_Go(a);
        arrives = arrives && m.arrives;
        start[i] = m.start;
        way[i] = x->way[first + i] = m.way;
        x->credit[first + i] -= m.cost;
        if (a->held) x->credit[first + i] += heldCredit(x, c->coupling.def.scale, a, &m, first + i);
    }
    // with the device again, what the hand has given and the tool not got is dissipated
    for (int i = 0; i < 3 && arrives; ++i) {
        x->credit[first + i] = fmin(0, x->credit[first + i]);
    }
    x->lags[first / 3] = needed && !arrives;
    return needed;
}

static void tellCredit(plWorldCoupling* c)
{
    plCouplingState* x = c->coupling.state;
    x->stored = 0;
    for (int i = 0; i < 6; ++i) x->stored += c->coupling.def.scale * x->credit[i];
}

static void forget(plCouplingState* x)
{
    memset(x->lags, 0, sizeof x->lags);
    memset(x->credit, 0, sizeof x->credit);
    x->stored = 0;
}

// Where the frame leaps to, and where it is at the end of the tick. False: it need not lag.
static bool goBehind(plWorld* w, plWorldCoupling* c, const plSample* s, plPose* from, plPose* to)
{
    plCouplingState* x = c->coupling.state;
    Lag lag = lagOf(w, c, s);
    double start[6], way[6];
    bool needed = x->lags[0] + x->lags[1] > 0;
    for (int i = 0; i < 6 && !needed; ++i) needed = plLag_Needed(&lag.axes[i]);
    if (needed) yieldOf(w, c, &lag);
    const bool moves = goThree(c, &lag, 0, start, way),
               turns = goThree(c, &lag, 3, start + 3, way + 3);
    *from = poseOfFrame(w, c);
    *to = s->pose;
    if (moves) from->p = plAdd(lag.tool.p, plGet3(start));
    if (turns) from->q = plQuatUnit(plQuatMul(plExp(plGet3(start + 3)), lag.tool.q));
    if (x->lags[0] > 0) to->p = plAdd(from->p, plGet3(way));
    if (x->lags[1] > 0) to->q = plQuatUnit(plQuatMul(plExp(plGet3(way + 3)), from->q));
    plPut3(s->pose.p, x->seen);
    plPut4(s->pose.q, x->seen + 3);
    tellCredit(c);
    return moves || turns;
}

void plFrame_Move(plWorld* w, plWorldCoupling* c, const plSample* s)
{
    plPose from, to = s->pose;
    bool behind = false;
    if (isActive(w, c)) {
        behind = goBehind(w, c, s, &from, &to);
    } else {
        forget(c->coupling.state);
    }
    if (isHeld(c) && !plGrasp_IsIdle(c)) {
        holdFrame(w, c, to);
    } else if (behind) {
        leapFrame(w, c, from, to);
    } else {
        plMechanism_Steer(w->mechanisms[c->frame], to);
    }
}

void plFrame_Forget(plWorldCoupling* c) { forget(c->coupling.state); }

void plFrame_Keep(const plWorld* w, plWorldCoupling* c)
{
    plCouplingState* x = c->coupling.state;
    const double scale = c->coupling.def.scale;
    if (isHeld(c) || !isActive(w, c)) return;
    for (int i = 0; i < 6; ++i) {
        x->credit[i] += (x->asked[i] * x->way[i] - x->written[i] * x->handWay[i]) / scale;
    }
    tellCredit(c);
}
