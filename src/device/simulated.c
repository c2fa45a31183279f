// A simulated device with a simulated hand: inertia, damping, dry friction, encoders, delay.
#include "device/device.h"

#include <string.h>

// --- definition

plDeviceDef plDefaultDeviceDef(void)
{
    const plVec3 none = {INFINITY, INFINITY, INFINITY};
    return (plDeviceDef){.forceLimit = none,
                         .torqueLimit = none,
                         .pose.q = {1, 0, 0, 0},
                         .mass = {0.2, 0.2, 0.2},
                         .inertia = {1e-4, 1e-4, 1e-4},
                         .feelsHand = true,
                         .hand = {.bias = 1, .stop = INFINITY}};
}

static bool positive3(plVec3 a) { return a.x > 0 && a.y > 0 && a.z > 0; }
static bool atLeast0(plVec3 a) { return a.x >= 0 && a.y >= 0 && a.z >= 0; }
static bool notNegative(double x) { return x >= 0 && isfinite(x); }

static const char* handComplaint(const plHandDef* h)
{
    if ((int)h->kind < 0 || h->kind >= pl_handCount) return "the kind of hand is not of the list";
    if (!plFinite3(h->wrench.force) || !plFinite3(h->wrench.torque) ||
        !isfinite(h->bias + h->amplitude + h->frequency + h->phase) || isnan(h->start + h->stop)) {
        return "the wrench of a hand must be finite";
    }
    if (!notNegative(h->stiffness) || !notNegative(h->damping) || !notNegative(h->turnStiffness) ||
        !notNegative(h->turnDamping)) {
        return "stiffness and damping of a hand must be finite and not negative";
    }
    if (h->pointCount < 0 || h->pointCount > plHandPoints) return "a hand has too many waypoints";
    for (int i = 0; i < h->pointCount; ++i) {
        if (!plFinitePose(h->points[i].pose) || !isfinite(h->points[i].time) ||
            (i > 0 && !(h->points[i].time > h->points[i - 1].time))) {
            return "waypoints must be finite and in order of time";
        }
    }
    if (h->kind == pl_handImpedance && h->pointCount == 0) {
        return "a hand with an impedance needs a waypoint";
    }
    return NULL;
}

const char* plSimulated_Complaint(const plDeviceDef* d)
{
    if (!atLeast0(d->forceLimit) || !atLeast0(d->torqueLimit)) return "limits must not be negative";
    if (!positive3(d->mass) || !positive3(d->inertia)) return "mass and inertia must be positive";
    if (!plFinitePose(d->pose) || !plFinite3(d->velocity) || !plFinite3(d->spin)) {
        return "pose, velocity and spin must be finite";
    }
    if (!notNegative(d->damping) || !notNegative(d->turnDamping) || !notNegative(d->friction) ||
        !notNegative(d->turnFriction) || !notNegative(d->encoderStep) ||
        !notNegative(d->turnStep)) {
        return "damping, friction and encoder steps must be finite and not negative";
    }
    if (d->delay < 0 || d->delay > plDeviceDelay) return "delay must be 0 .. 16 ticks";
    return handComplaint(&d->hand);
}

plStatus plSimulated_Create(plSimulated* s, const plDeviceDef* d, plArena* fixed, plArena* state)
{
    const size_t count = (size_t)d->hand.pointCount;
    *s = (plSimulated){.def = *d};
    s->points = plArena_Alloc(fixed, count, sizeof *s->points);
    s->state = plArena_Alloc(state, 1, sizeof *s->state);
    if (!s->points || !s->state) return pl_statusCapacity;
    if (count > 0) memcpy(s->points, d->hand.points, count * sizeof *s->points);
    s->def.hand.points = s->points;
    plPut3(d->pose.p, s->state->p);
    plPut4(plQuatUnit(d->pose.q), s->state->q);
    plPut3(d->velocity, s->state->v);
    plPut3(d->spin, s->state->w);
    return pl_statusOk;
}

// --- the hand

// Where the hand wants to be, and how fast it wants to go.
static plPose wanted(const plSimulated* s, double time, plVec3* v, plVec3* w)
{
    const plHandDef* h = &s->def.hand;
    const plWaypoint* p = h->points;
    int i = 0;
    *v = *w = plVec(0, 0, 0);
    while (i + 1 < h->pointCount && p[i + 1].time <= time) ++i;
    if (time <= p[0].time || i + 1 == h->pointCount) return p[time <= p[0].time ? 0 : i].pose;
    const double length = p[i + 1].time - p[i].time, part = (time - p[i].time) / length;
    const plQuat from = plQuatUnit(p[i].pose.q), to = plQuatUnit(p[i + 1].pose.q);
    const plVec3 way = plSub(p[i + 1].pose.p, p[i].pose.p);
    const plVec3 turn = plLogQuat(plQuatMul(to, plQuatConj(from))); // world axes
    *v = plScale(1 / length, way);
    *w = plScale(1 / length, turn);
    return (plPose){plAddScaled(p[i].pose.p, part, way),
                    plQuatMul(plExp(plScale(part, turn)), from)};
}

static plWrench ownForce(const plSimulated* s, double time)
{
    const plHandDef* h = &s->def.hand;
    if (time < h->start || time >= h->stop) return (plWrench){{0, 0, 0}, {0, 0, 0}};
    const double f = h->bias + h->amplitude * sin(2 * PL_PI * h->frequency * time + h->phase);
    return (plWrench){plScale(f, h->wrench.force), plScale(f, h->wrench.torque)};
}

plWrench plSimulated_Hand(const plSimulated* s, double time)
{
    const plHandDef* h = &s->def.hand;
    plWrench sum = ownForce(s, time);
    if (h->kind != pl_handImpedance) return sum;
    plVec3 v, w;
    const plPose to = wanted(s, time, &v, &w);
    const plVec3 off = plSub(to.p, plGet3(s->state->p));
    const plVec3 turn = plLogQuat(plQuatMul(to.q, plQuatConj(plGet4(s->state->q))));
    sum.force = plAddScaled(sum.force, h->stiffness, off);
    sum.force = plAddScaled(sum.force, h->damping, plSub(v, plGet3(s->state->v)));
    sum.torque = plAddScaled(sum.torque, h->turnStiffness, turn);
    sum.torque = plAddScaled(sum.torque, h->turnDamping, plSub(w, plGet3(s->state->w)));
    return sum;
}

// --- encoders

static double rounded(double x, double step) { return step > 0 ? step * floor(x / step + 0.5) : x; }

static plVec3 rounded3(plVec3 a, double step)
{
    return plVec(rounded(a.x, step), rounded(a.y, step), rounded(a.z, step));
}

plSample plSimulated_Sample(plSimulated* s, double time, double T)
{
    plSimulatedState* x = s->state;
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
    plSimulatedState* x = s->state;
    const int delay = s->def.delay;
    if (delay == 0) return *written;
    double* slot = x->held[(long)x->ticks % delay];
    const plWrench now = {plGet3(slot), plGet3(slot + 3)};
    plPut3(written->force, slot);
    plPut3(written->torque, slot + 3);
    return now;
}

void plSimulated_Step(plSimulated* s, const plWrench* written, double time, double T)
{
    const plDeviceDef* d = &s->def;
    const plHandDef* h = &d->hand;
    plSimulatedState* x = s->state;
    const plWrench actuator = arriving(s, written), own = ownForce(s, time);
    const bool yields = h->kind == pl_handImpedance;
    double F[6], m[6], off[6] = {0}, want[6] = {0}, way[6];
    plPut3(plAdd(actuator.force, own.force), F);
    plPut3(plAdd(actuator.torque, own.torque), F + 3);
    plPut3(d->mass, m);
    plPut3(d->inertia, m + 3);
    if (yields) {
        plVec3 v, w;
        const plPose to = wanted(s, time + 0.5 * T, &v, &w);
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

// --- limits

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

static plVec3 within3(plVec3 a, plVec3 limit)
{
    return plVec(within(a.x, limit.x), within(a.y, limit.y), within(a.z, limit.z));
}

bool plWrench_Limit(plWrench* f, plVec3 forceLimit, plVec3 torqueLimit)
{
    if (!plFinite3(f->force) || !plFinite3(f->torque)) {
        *f = (plWrench){{0, 0, 0}, {0, 0, 0}};
        return false;
    }
    f->force = within3(f->force, forceLimit);
    f->torque = within3(f->torque, torqueLimit);
    return true;
}
