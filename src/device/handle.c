// A handle of six axes that know nothing of each other: inertia, damping, dry friction, encoders,
// delay.
#include "device/axis.h"
#include "device/kind.h"

#include <string.h>

typedef struct {
    double p[3], q[4], v[3], w[3];
    double seen[7], seenV[6]; ///< the last sample's pose and motion, by encoders
    double held[plDeviceDelay][6];
    double ticks;
} State;

// --- definition

static bool positive3(plVec3 a) { return a.x > 0 && a.y > 0 && a.z > 0; }

static const char* complaint(const plDeviceDef* d)
{
    if (!positive3(d->mass) || !positive3(d->inertia)) return "mass and inertia must be positive";
    if (!plNotNegative(d->damping) || !plNotNegative(d->turnDamping) ||
        !plNotNegative(d->friction) || !plNotNegative(d->turnFriction) ||
        !plNotNegative(d->encoderStep) || !plNotNegative(d->turnStep)) {
        return "damping, friction and encoder steps must be finite and not negative";
    }
    return NULL;
}

static bool place(plSimulated* s, const plGrip* g)
{
    State* x = s->state;
    plPut3(g->pose.p, x->p);
    plPut4(plQuatUnit(g->pose.q), x->q);
    plPut3(g->v, x->v);
    plPut3(g->w, x->w);
    memcpy(x->seen, x->p, sizeof x->p);
    memcpy(x->seen + 3, x->q, sizeof x->q);
    memset(x->held, 0, sizeof x->held);
    return true;
}

static void start(plSimulated* s)
{
    const plDeviceDef* d = &s->def;
    place(s, &(plGrip){d->pose, d->velocity, d->spin});
}

static plGrip gripOf(const plSimulated* s)
{
    const State* x = s->state;
    return (plGrip){{plGet3(x->p), plGet4(x->q)}, plGet3(x->v), plGet3(x->w)};
}

static void massesOf(const plSimulated* s, double m[6])
{
    plPut3(s->def.mass, m);
    plPut3(s->def.inertia, m + 3);
}

// --- encoders

static double rounded(double x, double step) { return step > 0 ? step * floor(x / step + 0.5) : x; }

static plVec3 rounded3(plVec3 a, double step)
{
    return plVec(rounded(a.x, step), rounded(a.y, step), rounded(a.z, step));
}

static plSample sampleOf(plSimulated* s, double time, double T)
{
    State* x = s->state;
    const plDeviceDef* d = &s->def;
    const plQuat q = plGet4(x->q);
    plSample sample = {.pose.p = rounded3(plGet3(x->p), d->encoderStep),
                       .pose.q = d->turnStep > 0 ? plExp(rounded3(plLogQuat(q), d->turnStep)) : q,
                       .velocity = plGet3(x->v),
                       .spin = plGet3(x->w)};
    const bool known = x->ticks > 0 && T > 0;
    if (d->encoderStep > 0) {
        const plVec3 way = plSub(sample.pose.p, plGet3(x->seen));
        sample.velocity = known ? plScale(1 / T, way) : plVec(0, 0, 0);
    }
    if (d->turnStep > 0) {
        const plQuat turn = plQuatMul(sample.pose.q, plQuatConj(plGet4(x->seen + 3)));
        sample.spin = known ? plScale(1 / T, plLogQuat(turn)) : plVec(0, 0, 0);
    }
    if (d->feelsHand) sample.hand = plSimulated_Hand(s, time);
    plPut3(sample.pose.p, x->seen);
    plPut4(sample.pose.q, x->seen + 3);
    return sample;
}

// --- the step

static double massAlong(const plDeviceDef* d, int i)
{
    const double m[6] = {d->mass.x, d->mass.y, d->mass.z, d->inertia.x, d->inertia.y, d->inertia.z};
    return m[i];
}

// What is locked does not move, whatever it was given at the start.
static double kineticOf(const plSimulated* s)
{
    const State* x = s->state;
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
        const double m = massAlong(&s->def, i), v = i < 3 ? x->v[i] : x->w[i - 3];
        if (!isinf(m)) sum += 0.5 * m * v * v;
    }
    return sum;
}

// The wrench that reaches the handle now; what was written waits for its delay.
static plWrench arriving(plSimulated* s, const plWrench* written)
{
    State* x = s->state;
    const int delay = s->def.delay;
    if (delay == 0) return *written;
    double* slot = x->held[(long)x->ticks % delay];
    const plWrench now = {plGet3(slot), plGet3(slot + 3)};
    plPut3(written->force, slot);
    plPut3(written->torque, slot + 3);
    return now;
}

// The axis as it stands in this step; `off` and `want` are the hand's, when it yields.
static plAxis axisOf(const plSimulated* s, const plHandDef* h, int i, double F, double off,
                     double want)
{
    const plDeviceDef* d = &s->def;
    const bool turns = i >= 3, yields = h->kind == pl_handImpedance;
    plAxis a = {.m = massAlong(d, i),
                .b = turns ? d->turnDamping : d->damping,
                .F = F,
                .off = off,
                .want = want,
                .dry = turns ? d->turnFriction : d->friction};
    if (yields) {
        a.K = turns ? h->turnStiffness : h->stiffness;
        a.B = turns ? h->turnDamping : h->damping;
    }
    return a;
}

// No number came of the step: it stays where it was, at rest, and what it had is lost.
static plDeviceEnergy stand(plSimulated* s, const State* before)
{
    State* x = s->state;
    const double ticks = x->ticks;
    *x = *before;
    x->ticks = ticks;
    const double had = kineticOf(s);
    memset(x->v, 0, sizeof x->v);
    memset(x->w, 0, sizeof x->w);
    return (plDeviceEnergy){.dissipated = had};
}

static plDeviceEnergy step(plSimulated* s, const plWrench* written, double time, double T)
{
    plWaypoint point;
    const plHandDef h = plSimulated_HandNow(s, &point);
    State* x = s->state;
    const State before = *x;
    const plWrench actuator = arriving(s, written), own = plHand_Own(&h, time);
    double motors[6], hand[6], off[6] = {0}, want[6] = {0}, way[6];
    plDeviceEnergy e = {0};
    plPut3(actuator.force, motors);
    plPut3(actuator.torque, motors + 3);
    plPut3(own.force, hand);
    plPut3(own.torque, hand + 3);
    if (h.kind == pl_handImpedance) {
        plVec3 v, w;
        const plPose to = plHand_Wanted(&h, time + 0.5 * T, &v, &w);
        plPut3(plSub(to.p, plGet3(x->p)), off);
        plPut3(plLogQuat(plQuatMul(to.q, plQuatConj(plGet4(x->q)))), off + 3);
        plPut3(v, want);
        plPut3(w, want + 3);
    }
    for (int i = 0; i < 6; ++i) {
        const plAxis axis = axisOf(s, &h, i, motors[i] + hand[i], off[i], want[i]);
        const plAxisMove move = plAxis_Go(&axis, T, i < 3 ? &x->v[i] : &x->w[i - 3]);
        way[i] = move.way;
        e.applied += (hand[i] + move.pull) * move.way;
        e.rows += motors[i] * move.way;
        e.dissipated += move.heat;
    }
    plPut3(plAdd(plGet3(x->p), plGet3(way)), x->p);
    plPut4(plQuatUnit(plQuatMul(plExp(plGet3(way + 3)), plGet4(x->q))), x->q);
    x->ticks += 1;
    e.kinetic = kineticOf(s);
    return isfinite(e.kinetic + e.applied + e.rows + e.dissipated) && plFinite3(plGet3(x->p))
               ? e
               : stand(s, &before);
}

const plSimulatedKind plHandleKind = {.stateSize = sizeof(State),
                                      .complaint = complaint,
                                      .start = start,
                                      .sample = sampleOf,
                                      .step = step,
                                      .kinetic = kineticOf,
                                      .grip = gripOf,
                                      .place = place,
                                      .masses = massesOf};
