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
    if (!(d->rate >= 0 && d->rate <= plDeviceRate)) return "rate must be 0 .. 20000 Hz";
    if (d->rate > 0 && d->kind == pl_devicePantograph) {
        return "a pantograph has one write in a tick: no rate";
    }
    const char* own = kinds[d->kind]->complaint(d);
    return own ? own : plHand_Complaint(&d->hand);
}

plStatus plSimulated_Create(plSimulated* s, const plDeviceDef* d, plArena* fixed, plArena* state)
{
    const size_t count = (size_t)d->hand.pointCount;
    *s = (plSimulated){.def = *d, .kind = kinds[d->kind]};
    s->points = plArena_Alloc(fixed, count, sizeof *s->points);
    s->state = plArena_Alloc(state, 1, s->kind->stateSize);
    s->holder = plArena_Alloc(state, 1, sizeof *s->holder);
    if (!s->points || !s->state || !s->holder) return pl_statusCapacity;
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
void plSimulated_Masses(const plSimulated* s, double m[6]) { s->kind->masses(s, m); }

plWrench plSimulated_Hand(const plSimulated* s, double time)
{
    plWaypoint point;
    const plHandDef hand = plSimulated_HandNow(s, &point);
    const plGrip grip = plSimulated_Grip(s);
    plWrench sum = plHand_Own(&hand, time);
    plHand_AddPull(&hand, time, &grip, &sum);
    return sum;
}

// --- who holds it

void plSimulated_Hold(plSimulated* s, plHeld held, plPose pose)
{
    s->holder->held = (double)held;
    plPut3(pose.p, s->holder->p);
    plPut4(plQuatUnit(pose.q), s->holder->q);
}

// A hand as stiff as its handle is heavy, 8 Hz, but no stiffer than a hand is; damped so that it
// hardly swings.
static double stiffnessFor(double mass, double most)
{
    const double w = 2 * PL_PI * 8;
    return isinf(mass) ? 0 : fmin(most, mass * w * w);
}

static double dampingFor(double mass, double stiffness)
{
    return isinf(mass) ? 0 : 1.6 * sqrt(mass * stiffness);
}

plHandDef plSimulated_HandNow(const plSimulated* s, plWaypoint* point)
{
    const plHolder* h = s->holder;
    double all[6];
    plSimulated_Masses(s, all);
    const double m = fmin(all[0], fmin(all[1], all[2])), I = fmin(all[3], fmin(all[4], all[5]));
    plHandDef hand = {.stop = HUGE_VAL};
    if (h->held == pl_heldByScript) return s->def.hand;
    if (h->held == pl_heldByNobody) return hand;
    *point = (plWaypoint){.pose = {plGet3(h->p), plGet4(h->q)}};
    hand.kind = pl_handImpedance;
    hand.stiffness = stiffnessFor(m, 1000);
    hand.damping = dampingFor(m, hand.stiffness);
    hand.turnStiffness = stiffnessFor(I, 2);
    hand.turnDamping = dampingFor(I, hand.turnStiffness);
    hand.points = point;
    hand.pointCount = 1;
    return hand;
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

static bool approach(plVec3* a, plVec3 wanted, double most)
{
    const plVec3 way = plSub(wanted, *a);
    const double size = plNorm(way);
    const bool reached = size <= most;
    *a = reached ? wanted : plAddScaled(*a, most / size, way);
    return reached;
}

bool plWrench_Approach(plWrench* f, const plWrench* wanted, double force, double torque)
{
    const bool there = approach(&f->force, wanted->force, force);
    return approach(&f->torque, wanted->torque, torque) && there;
}

// --- work

double plWrench_Work(const plWrench* f, plPose from, plPose to)
{
    const plVec3 turn = plLogQuat(plQuatMul(to.q, plQuatConj(from.q)));
    return plDot(f->force, plSub(to.p, from.p)) + plDot(f->torque, turn);
}
