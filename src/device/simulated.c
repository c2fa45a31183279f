// Simulated devices of all kinds: what they have in common.
#include "device/kind.h"

#include <string.h>

static const plSimulatedKind* const kinds[pl_deviceCount] = {&plHandleKind, &plTwinKind};

plDeviceDef plDefaultDeviceDef(void)
{
    const plVec3 none = {INFINITY, INFINITY, INFINITY};
    return (plDeviceDef){.forceLimit = none,
                         .torqueLimit = none,
                         .pose.q = {1, 0, 0, 0},
                         .mass = {0.2, 0.2, 0.2},
                         .inertia = {1e-4, 1e-4, 1e-4},
                         .feelsHand = true,
                         .twin = plDefaultTwinDef(),
                         .hand = {.bias = 1, .stop = INFINITY}};
}

static bool atLeast0(plVec3 a) { return a.x >= 0 && a.y >= 0 && a.z >= 0; }

const char* plSimulated_Complaint(const plDeviceDef* d)
{
    if ((int)d->kind < 0 || d->kind >= pl_deviceCount) {
        return "the kind of device is not of the list";
    }
    if (!atLeast0(d->forceLimit) || !atLeast0(d->torqueLimit)) return "limits must not be negative";
    if (!plFinitePose(d->pose) || !plFinite3(d->velocity) || !plFinite3(d->spin)) {
        return "pose, velocity and spin must be finite";
    }
    if (d->delay < 0 || d->delay > plDeviceDelay) return "delay must be 0 .. 16 ticks";
    const char* own = kinds[d->kind]->complaint(d);
    return own ? own : plHand_Complaint(&d->hand);
}

plStatus plSimulated_Create(plSimulated* s, const plDeviceDef* d, plArena* fixed, plArena* state)
{
    const size_t count = (size_t)d->hand.pointCount;
    *s = (plSimulated){.def = *d, .kind = kinds[d->kind]};
    s->points = plArena_Alloc(fixed, count, sizeof *s->points);
    s->state = plArena_Alloc(state, 1, s->kind->stateSize);
    if (!s->points || !s->state) return pl_statusCapacity;
    if (count > 0) memcpy(s->points, d->hand.points, count * sizeof *s->points);
    s->def.hand.points = s->points;
    s->kind->start(s);
    return pl_statusOk;
}

plSample plSimulated_Sample(plSimulated* s, double time, double T)
{
    return s->kind->sample(s, time, T);
}

plDeviceEnergy plSimulated_Step(plSimulated* s, const plWrench* written, double time, double T)
{
    return s->kind->step(s, written, time, T);
}

double plSimulated_Kinetic(const plSimulated* s) { return s->kind->kinetic(s); }

plGrip plSimulated_Grip(const plSimulated* s) { return s->kind->grip(s); }
bool plSimulated_Place(plSimulated* s, const plGrip* g) { return s->kind->place(s, g); }
plVec3 plSimulated_Mass(const plSimulated* s) { return s->kind->mass(s); }

plWrench plSimulated_Hand(const plSimulated* s, double time)
{
    const plGrip grip = plSimulated_Grip(s);
    plWrench sum = plHand_Own(&s->def.hand, time);
    plHand_AddPull(&s->def.hand, time, &grip, &sum);
    return sum;
}

plMotors plSimulated_Motors(const plSimulated* s)
{
    return s->kind->motors ? s->kind->motors(s) : (plMotors){0};
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

// --- work

double plWrench_Work(const plWrench* f, plPose from, plPose to)
{
    const plVec3 turn = plLogQuat(plQuatMul(to.q, plQuatConj(from.q)));
    return plDot(f->force, plSub(to.p, from.p)) + plDot(f->torque, turn);
}
