// What a hand feels of an echo: a force at every write, whose work is what the world will book, and
// which has no step where a tick comes.
//   letters  as in echo.c; f force on the hand; V(x) = F(x).x work that the tick will book; E what is
//            created; v speed of the hand; b a brake [N s/m]
//
// The force f must do the work that will be booked. Where F is linear, F(x) = F0 + S x,
//   f = grad V = F0 + 2 S x = F(2 x)
// does it on any path. As it is, f would run as a saw while nothing happens: a tool and a hand that fly
// on together have F0 = -S w, w the way of a tick, because F0 is that of a hand that stands. With terms in
// time that are zero in the mean, and so do no work on a hand of constant speed,
//   f = F(w + 2 (x - s w)) + (s - 1/2) ramp + rest (1 - s)(1 - 3 s),    ramp = F(w) - F_last,
// f begins at (F_last + F(w))/2 and ends at F(w) + (F(w) - F_last)/2: on a wall, in flight and while
// sliding, of either form of link and with any damper, ticks of constant speed join without a jump, and
// the law is asked near where the hand will be. A hand that gains speed would still get S w.dw/12 in a
// tick: s is bent until it is the share of its way. A force is held while the hand moves on by dx: f is
// that of the middle of the step, x + dx/2 with the last dx, so that S dx^2 is not created in each.
//
// The jump. The first write behind a tick goes from the force that is held a twentieth of it at most
// towards what the new space says. The rest is what is left then; it begins with all of it, ends with
// nothing, and is zero in the mean too.
//
// The energy. In the middle of a tick the work that it will book for a hand that stops here is known
// already, V(x), because F is exact: and so is what would then be created,
//   E = given - V(x) + what was created before.
// An observer of it, and a damper that dissipates what it finds, are those of Hannaford and Ryu
// (time-domain passivity control, 2002). We depart: E is not that of now, which the terms in time move
// up and down, but that of the tick's end, should the hand go on with its speed,
//   r = v (time left),    E = given + mean f.r - V(x + r) + before.
// So the damper acts early and little, b v^2 (time left) = E, and in the last write knows all but that
// write's own way. One percent of all that moves is kept besides, for that, and for an echo that comes
// late. Nothing is created where the hand moves fast enough to pay for it; one that stands gets nothing.
#include "world/echo.h"

#include <string.h>

static const double inAdvance = 1e-2; // of the energy moved
static const double patience = 1.25;  // steps until the hand's way is no longer expected
static const double mostJump = 0.049; // of the force; the twentieth, less than rounding could add
static const double leastJump = 1e-2; // of the largest force so far: a smaller one counts as this
static const double smoothing = 0.2;  // of a write's speed in the mean
static const double lever = 0.05;     // a turn counts as at the end of this [m]
static const double gently = 1. / 16; // of its limit, a brake grows by in a write
static const double lightest = 0.04;  // half a hand that the limit may stop in one [kg]
static const double shortest = 1e-3;  // a write counts as this at least: time may be slowed [s]

// --- the hand's account

void plEcho_Follow(plEcho* e, const plEcho* before)
{
    e->felt = before->felt;
    e->felt.fresh = true;
}

static double balanceOf(const plEcho* e) { return e->felt.given + e->scale * e->booked; }

plEchoPort plEcho_Port(const plEcho* e)
{
    return (plEchoPort){e->felt.given, e->felt.moved,
                        e->felt.known ? balanceOf(e) - e->felt.start : 0};
}

static double workOf(plWrench f, const double* way)
{
    return plDot(f.force, plGet3(way)) + plDot(f.torque, plGet3(way + 3));
}

static double product(const double* a, const double* b)
{
    return plDotN(a, b, 3) + lever * lever * plDotN(a + 3, b + 3, 3);
}

// Work of the force that was held until now, and the way of the hand.
static void account(plEcho* e, plPose hand, double h)
{
    plFelt* f = &e->felt;
    const double work = plWrench_Work(&f->force, f->pose, hand);
    f->given += work;
    f->moved += fabs(work);
    plEcho_Way(f->pose, hand, f->way);
    for (int i = 0; i < plEchoAxes; ++i) f->speed[i] += smoothing * (f->way[i] / h - f->speed[i]);
}

// --- a tick comes

// A hand that gains speed has come less than half its way when half the time is gone. From the ways w of
// two ticks, with a = (w - w_before).w/|w|^2:  s + bend (s^2 - s),  bend = a/(2 + 2 a), of constant
// acceleration.
static void meetWay(plFelt* f, const double* way)
{
    const double size = product(way, way), gain = size - product(f->tick, way);
    f->bend = 0;
    if (gain < 0) f->bend = -0.5;
    if (gain > -0.5 * size) f->bend = 0.5 * gain / (size + gain);
    memcpy(f->tick, way, sizeof f->tick);
}

// Share of the way that is gone at a share of the time.
static double gone(const plFelt* f, double s) { return s + f->bend * (s * s - s); }

// An echo that comes late meets a hand that has gone a share of its way already.
static void meetTick(plEcho* e, plPose hand)
{
    plFelt* f = &e->felt;
    double x[plEchoAxes];
    plEcho_Way(e->at, hand, x);
    const double size = product(e->way, e->way);
    f->late = size > 0 ? fmax(0, fmin(1, product(x, e->way) / size)) : 0;
    f->time = 0;
    f->fresh = false;
    meetWay(f, e->way);
}

// The mean of (1 - s)(1 - 3 s), whose integral is s (1 - s)^2, in a time from now on.
static double restIn(const plEcho* e, double time)
{
    const plFelt* f = &e->felt;
    const double s = gone(f, fmin(1, f->time / e->T));
    const double end = gone(f, fmin(1, (f->time + time) / e->T));
    if (!(end > s)) return 0;
    return (end * (1 - end) * (1 - end) - s * (1 - s) * (1 - s)) / (end - s);
}

// As far from one to another as it may go at a tick; a step of c/(1 + c) of what is held is one of c of
// what comes, at most.
static plVec3 towards(plVec3 from, plVec3 to, double peak)
{
    const plVec3 step = plSub(to, from);
    const double size = plNorm(step);
    const double most = mostJump * fmax(plNorm(from) / (1 + mostJump), leastJump * peak);
    return plAddScaled(from, size > most ? most / size : 1, step);
}

// Held for a write it counts with its mean. Where that is much less than all of it, writes are so long,
// or so late, that the device is no faster than the world: the force then goes where it should be.
static plWrench restOf(const plEcho* e, plWrench F, double h)
{
    const plFelt* f = &e->felt;
    const plWrench none = {{0, 0, 0}, {0, 0, 0}};
    const plWrench first = {towards(f->force.force, F.force, f->peakForce),
                            towards(f->force.torque, F.torque, f->peakTorque)};
    return plWrench_Sum(none, 1 / fmax(0.5, restIn(e, h)), plWrench_Sum(first, -1, F));
}

// --- a write

// F(w + 2 (x - s w)), at the pose in the middle of the write, and its time in steps.
static plWrench model(plEcho* e, plPose hand, double s)
{
    double x[plEchoAxes];
    plEcho_Way(e->at, hand, x);
    for (int i = 0; i < plEchoAxes; ++i) {
        const double ahead = x[i] + 0.5 * e->felt.way[i] - s * e->way[i];
        x[i] = e->way[i] + 2 * ahead;
    }
    return plEcho_MeanForce(e, x, pl_askNow, plEchoFewSteps);
}

// Of the force in the time that is left, if it is F besides its terms in time.
static plWrench meanUntilEnd(const plEcho* e, plWrench F, double left)
{
    const plFelt* f = &e->felt;
    const double now = gone(f, fmin(1, f->late + f->time / e->T));
    return plWrench_Sum(plWrench_Sum(F, 0.5 * now, e->ramp), restIn(e, left), f->rest);
}

// What will have been created when the tick ends, if the hand goes on so.
static double foretold(plEcho* e, plPose hand, plWrench F, double left)
{
    const plFelt* f = &e->felt;
    double end[plEchoAxes], r[plEchoAxes];
    plEcho_Way(e->at, hand, end);
    for (int i = 0; i < plEchoAxes; ++i) {
        r[i] = left * f->speed[i];
        end[i] += r[i];
    }
    const plWrench booked = plEcho_MeanForce(e, end, pl_askEnd, plEchoFewSteps);
    return balanceOf(e) - f->start + workOf(meanUntilEnd(e, F, left), r) - workOf(booked, end);
}

// What the brake should be, and how it comes there: gently, because a hand feels where it begins.
static double brakeOf(plEcho* e, plPose hand, double h, plWrench F)
{
    const plFelt* f = &e->felt;
    const double left = fmax(h, (1 - f->late) * e->T - f->time); // there is always one write more
    const double E = foretold(e, hand, F, left) + inAdvance * f->moved;
    const double size = product(f->speed, f->speed) * left;
    if (!(E > 0) || !(size > 0)) return 0;
    const double step = fmax(h, shortest), most = lightest / step * (h / step);
    return fmin(fmin(E / size, most), f->brake + gently * most);
}

static void brake(plEcho* e, plPose hand, double h, plWrench F, plWrench* force)
{
    plFelt* f = &e->felt;
    const double b = f->brake = brakeOf(e, hand, h, F);
    force->force = plAddScaled(force->force, -b, plGet3(f->speed));
    force->torque = plAddScaled(force->torque, -b * lever * lever, plGet3(f->speed + 3));
}

static void firstPose(plEcho* e, plPose hand)
{
    plFelt* f = &e->felt;
    f->known = true;
    f->pose = hand;
    f->start = balanceOf(e);
    f->brake = 0;
    memset(f->speed, 0, sizeof f->speed);
}

// No hand is a kilometre away.
static bool isPlausible(plPose hand) { return plFinitePose(hand) && plNorm(hand.p) < 1e3; }

static plWrench forceAt(plEcho* e, double h, plPose hand)
{
    plFelt* f = &e->felt;
    const bool first = f->fresh;
    if (first) meetTick(e, hand);
    const double middle = gone(f, f->late + fmin(patience, (f->time + 0.5 * h) / e->T));
    const plWrench F = model(e, hand, middle);
    plWrench force = plWrench_Sum(F, middle - 0.5, e->ramp);
    if (first) f->rest = restOf(e, force, h);
    force = plWrench_Sum(force, restIn(e, h), f->rest);
    if (!first) brake(e, hand, h, F, &force);
    return force;
}

void plEcho_Render(plEcho* e, double h, plPose hand, plWrench* force)
{
    plFelt* f = &e->felt;
    *force = (plWrench){{0, 0, 0}, {0, 0, 0}};
    if (!isPlausible(hand) || !(h > 0) || !isfinite(h)) { // comes back from nothing
        f->force = *force;
        f->fresh = true;
        return;
    }
    hand = plEcho_Settled(e, hand);
    if (!f->known) firstPose(e, hand);
    account(e, hand, h);
    *force = forceAt(e, h, hand);
    plWrench_Limit(force, e->forceLimit, e->torqueLimit);
    f->force = *force;
    f->peakForce = fmax(f->peakForce, plNorm(force->force));
    f->peakTorque = fmax(f->peakTorque, plNorm(force->torque));
    f->pose = hand;
    f->time += h;
}
