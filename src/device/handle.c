// A handle of six axes that know nothing of each other: inertia, damping, dry friction, encoders,
// delay.
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

static plVec3 massOf(const plSimulated* s) { return s->def.mass; }

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

// --- one axis for T

typedef struct {
    double m, b; ///< inertia, damping of the handle
    double F;    ///< held: actuator and the hand's own force
    double K, B; ///< of the hand
    double off;  ///< to where the hand wants to be in the middle of the step
    double want; ///< how fast it wants to go
    double dry;  ///< friction
} Axis;

// Way of the axis, and its velocity after the step. Pure inertia and damping are exact; with a hand
// that yields, by the midpoint rule, which is passive for any stiffness.
static double go(const Axis* a, double T, double* v)
{
    const double v0 = *v;
    double way, v1;
    if (isinf(a->m)) {
        *v = 0;
        return 0;
    }
    if (a->K > 0 || a->B > 0) {
        const double push = 2 * a->m / T * v0 + a->F + a->K * a->off + a->B * a->want;
        const double mean = push / (2 * a->m / T + 0.5 * a->K * T + a->B + a->b);
        way = T * mean;
        v1 = 2 * mean - v0;
    } else if (a->b > 0) {
        const double end = a->F / a->b, fall = -expm1(-a->b * T / a->m);
        v1 = v0 + (end - v0) * fall;
        way = end * T + (v0 - end) * fall * a->m / a->b;
    } else {
        const double acceleration = a->F / a->m;
        way = v0 * T + 0.5 * acceleration * T * T;
        v1 = v0 + acceleration * T;
    }
    const double most = a->dry * T / a->m, brake = fmax(-most, fmin(most, -v1));
    *v = v1 + brake;
    return way + 0.5 * T * brake;
}

// --- the step

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

static void step(plSimulated* s, const plWrench* written, double time, double T)
{
    const plDeviceDef* d = &s->def;
    const plHandDef* h = &d->hand;
    State* x = s->state;
    const plWrench actuator = arriving(s, written), own = plHand_Own(h, time);
    const bool yields = h->kind == pl_handImpedance;
    double F[6], m[6], off[6] = {0}, want[6] = {0}, way[6];
    plPut3(plAdd(actuator.force, own.force), F);
    plPut3(plAdd(actuator.torque, own.torque), F + 3);
    plPut3(d->mass, m);
    plPut3(d->inertia, m + 3);
    if (yields) {
        plVec3 v, w;
        const plPose to = plHand_Wanted(h, time + 0.5 * T, &v, &w);
        plPut3(plSub(to.p, plGet3(x->p)), off);
        plPut3(plLogQuat(plQuatMul(to.q, plQuatConj(plGet4(x->q)))), off + 3);
        plPut3(v, want);
        plPut3(w, want + 3);
    }
    for (int i = 0; i < 6; ++i) {
        const bool turns = i >= 3;
        const Axis axis = {.m = m[i],
                           .b = turns ? d->turnDamping : d->damping,
                           .F = F[i],
                           .K = !yields ? 0
                                : turns ? h->turnStiffness
                                        : h->stiffness,
                           .B = !yields ? 0
                                : turns ? h->turnDamping
                                        : h->damping,
                           .off = off[i],
                           .want = want[i],
                           .dry = turns ? d->turnFriction : d->friction};
        way[i] = go(&axis, T, turns ? &x->w[i - 3] : &x->v[i]);
    }
    plPut3(plAdd(plGet3(x->p), plGet3(way)), x->p);
    plPut4(plQuatUnit(plQuatMul(plExp(plGet3(way + 3)), plGet4(x->q))), x->q);
    x->ticks += 1;
}

const plSimulatedKind plHandleKind = {.stateSize = sizeof(State),
                                      .complaint = complaint,
                                      .start = start,
                                      .sample = sampleOf,
                                      .step = step,
                                      .grip = gripOf,
                                      .place = place,
                                      .mass = massOf};
