// Passive set-position modulation: a hand on a spring whose other end goes where the tool is, as far as there is
// energy for it.                                                        (Lee and Huang 2010, algorithm 1)
//
// Hand and tool hang on springs of their own, K and K/alpha in the hand's units alike, between which a stretch e is
// handed over when a tick begins: the hand feels -alpha K e, held, and the link between tool and frame has the stretch
// e, and stands. The wanted one is e* = device - tool. To have e costs
//     S(e) = alpha |e|^2_K/2              at the hand, and may all be given back by one move of it,
//     S(e) - alpha (what the link holds)  at the tool, by the leap of its frame,
// and is paid from a tank E, which gets what the hand does and what the device's damper b has taken:
//     E_k = E_(k-1) - f_(k-1).h + sum of b h_i^2/T - leap,     e = the nearest to e* with E_k >= S(e).
// In a tick the held spring gives the hand at most S(e) + alpha K h^2/2, so that E stays positive while
// b >= alpha K T/2: half of what a held virtual coupling asks for, and no damper at the tool. Hand and tool
// together never get more than E_0 and what the damper has taken. Over S(e) the tank holds at most E_0.
#include "coupling/kinds.h"

#include <string.h>

// Of a state that nothing was held in yet, all are zero.
static bool hasBegun(const plCouplingState* x) { return x->begun > 0; }

static void begin(plCoupling* c)
{
    c->state->tank = c->def.tank;
    c->state->begun = 1;
}

// What the hand has done on the last force, and what the damper of its device took.
static void harvest(plCoupling* c, const plCouplingView* v)
{
    plCouplingState* x = c->state;
    double way[6], b[6];
    v->host->damping(v->host->self, c, b);
    plPut3(plSub(v->sample->pose.p, plGet3(x->seen)), way);
    plPut3(plLogQuat(plQuatMul(v->sample->pose.q, plQuatConj(plGet4(x->seen + 3)))), way + 3);
    for (int i = 0; i < 6; ++i) {
        x->tank -= x->written[i] * way[i];
        if (v->before > 0) x->tank += b[i] * way[i] * way[i] / v->before;
    }
}

static double storedBy(const plLink* link, plVec3 e, plVec3 turn)
{
    const double turned = link->turns ? link->K[link->rowCount - 1] * plDot(turn, turn) : 0;
    return 0.5 * (link->K[0] * plDot(e, e) + turned);
}

// The share of a stretch that can be paid.
static double affordable(const plCoupling* c, const plLink* link, double wanted)
{
    const double has = c->state->tank / c->def.scale + plLink_Stored(link, link->d);
    if (!(has > 0)) return 0;
    return 2 * wanted > has ? sqrt(has / (2 * wanted)) : 1;
}

// Where the far end of the tool's spring is: with the device, if that can be paid.
static plPose affordablePose(const plCoupling* c, const plCouplingView* v)
{
    const plSite site = c->def.tool;
    const plLink* link = &v->host->links[c->link];
    const plPose hand = v->sample->pose;
    const plMotion tool =
        plMechanism_Motion(v->host->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
    const plQuat q = plQuatOf(&tool.R);
    const plVec3 e = plSub(hand.p, tool.x), turn = plLogQuat(plQuatMul(hand.q, plQuatConj(q)));
    const double share = c->def.scale > 0 ? affordable(c, link, storedBy(link, e, turn)) : 1;
    if (share == 1) return hand;
    return (plPose){plAddScaled(tool.x, share, e),
                    plQuatUnit(plQuatMul(plExp(plScale(share, turn)), q))};
}

static void command(plCoupling* c, const plCouplingView* v)
{
    plCouplingState* x = c->state;
    const plLink* link = &v->host->links[c->link];
    const plPose hand = v->sample->pose;
    c->pull = (plWrench){{0, 0, 0}, {0, 0, 0}};
    if (hasBegun(x)) {
        harvest(c, v);
    } else {
        begin(c);
    }
    plPut3(hand.p, x->seen);
    plPut4(hand.q, x->seen + 3);
    if (plCoupling_IsIdle(c)) {
        plMechanism_Steer(v->host->mechanisms[c->frame], hand);
        return;
    }
    const plPose to = affordablePose(c, v);
    x->tank -= c->def.scale * plVirtual_Leap(c, v, to, to);
    c->pull = plVirtual_Pull(c, v, to);
    x->tank = fmin(x->tank, c->def.scale * plLink_Stored(link, link->d) + c->def.tank);
    x->stored = x->tank;
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    (void)v, (void)at;
    return c->pull;
}

static const char* validate(const plCouplingDef* d)
{
    if (!(d->tank > 0) || !isfinite(d->tank)) return "the tank of a coupling must be positive";
    if (d->feedback != pl_feedbackMean) return "feedback is for virtual couplings";
    return NULL;
}

// The local spring, sampled.
static double damping(const plCouplingDef* d, double K, double B, double T, int delay)
{
    (void)B;
    return d->scale * plSampledDamping(K, 0, T, delay);
}

const plCouplingOps plSetPositionOps = {
    .traits = {.need = pl_toolOptional, .equal = 4, .moves = true, .takes = true},
    .validate = validate,
    .create = plVirtual_Create,
    .command = command,
    .feedback = feedback,
    .recall = plVirtual_Recall,
    .damping = damping,
};
