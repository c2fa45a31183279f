// The scripted hand of a scene that is only looked at. Where all of its script is one way, a constant force or
// the way to one place, the scene would stand still a second after it was opened: so it is led back to
// where it began, slowly, and goes on. What it is told are commands as those of a person, and are
// recorded; the world and its scene are as they were.
#include "math/math.h"
#include "serve/inside.h"

#include <math.h>

static const double lookTime = 10, backTime = 2, settleTime = 0.5; // [s]
static const double pause = 0.1; // between two poses [s]; its spring makes them one motion
enum { mostRounds = 400 }; // over an hour: all that it is told is kept, 24 commands in a round

static bool goesOneWay(const plHandDef* h)
{
    const plVec3 f = h->wrench.force;
    const bool pushes = h->kind == pl_handForce && h->amplitude == 0 && h->stop == HUGE_VAL;
    return (pushes && plDot(f, f) > 0) || (h->kind == pl_handImpedance && h->pointCount == 2);
}

// The last device is the pointer's.
plGhost plGhost_Of(const plWorld* w)
{
    const plDeviceId id = {1, 1};
    const plCouplingId coupling = {1, 1};
    plGhost g = {.device = -1};
    plDeviceDef d;
    plCouplingDef c;
    if (plWorld_DeviceCount(w) != 2 || plWorld_DeviceDef(w, id, &d) != pl_statusOk ||
        plWorld_CouplingDef(w, coupling, &c) != pl_statusOk) {
        return g;
    }
    if (!plWorld_CouplingTraits(w, coupling)->strikes || c.device.index1 != 1 ||
        !goesOneWay(&d.hand))
        return g;
    g.device = 0;
    g.start = d.pose;
    return g;
}

static plPose between(const plPose* a, const plPose* b, double s)
{
    const double t = s < 1 ? 0.5 - 0.5 * cos(PL_PI * s) : 1;
    const plVec3 turn = plLogQuat(plQuatMul(b->q, plQuatConj(a->q)));
    return (plPose){plAddScaled(a->p, t, plSub(b->p, a->p)),
                    plQuatUnit(plQuatMul(plExp(plScale(t, turn)), a->q))};
}

static bool lead(plGhost* g, double time, plCommand* c)
{
    const double s = (time - g->since) / backTime;
    if (s > 1 + settleTime / backTime) {
        g->leads = false;
        g->since = time;
        ++g->rounds;
        *c = (plCommand){.kind = pl_commandScript, .index = g->device};
        return true;
    }
    if (time < g->told + pause) return false;
    g->told = time;
    *c = (plCommand){
        .kind = pl_commandHold, .index = g->device, .pose = between(&g->from, &g->start, s)};
    return true;
}

bool plGhost_Next(plGhost* g, double time, const plPose* now, plCommand* c)
{
    if (g->device < 0 || g->touched || g->rounds == mostRounds) return false;
    if (time < g->since) { // the world was reset
        g->since = 0;
        g->leads = false;
    }
    if (!g->leads && time > g->since + lookTime) {
        g->leads = true;
        g->since = time;
        g->told = -HUGE_VAL;
        g->from = *now;
    }
    return g->leads && lead(g, time, c);
}

// Pictures of before a reset may still come: until the world's time goes back, it began to go just now.
void plGhost_Heard(plGhost* g, const plCommand* c, double time)
{
    const bool own = c->index == g->device;
    const bool goes = c->kind == pl_commandReset || (own && c->kind == pl_commandScript);
    if (goes) *g = (plGhost){.device = g->device, .start = g->start, .since = time};
    if (own && (c->kind == pl_commandHold || c->kind == pl_commandLetGo)) g->touched = true;
}

bool plGhost_Yields(plGhost* g, plCommand* c)
{
    const bool led = g->device >= 0 && g->leads;
    *c = (plCommand){.kind = pl_commandScript, .index = g->device};
    g->leads = false;
    return led;
}
