// Devices in a tick: samples and commands before it, feedback behind it.
#include "world/inside.h"

// --- before the tick

// No hand is a kilometre away, as fast as a bullet, or as strong as a press: what is, or is no number,
// is a fault of the device.
static bool isPlausible(const plSample* s)
{
    return plNorm(s->pose.p) < 1e3 && plNorm(s->velocity) < 1e3 && plNorm(s->spin) < 1e4 &&
           plNorm(s->hand.force) < 1e5 && plNorm(s->hand.torque) < 1e5;
}

static bool sampleOk(const plSample* s)
{
    return plFinitePose(s->pose) && plFinite3(s->velocity) && plFinite3(s->spin) &&
           plFinite3(s->hand.force) && plFinite3(s->hand.torque);
}

// In a planar world a handle stays in the plane, whatever it says.
static void flatten(const plWorldDevice* d, plSample* s)
{
    const plVec3 turn = plLogQuat(plQuatUnit(s->pose.q));
    s->pose.p.z = d->simulated.def.pose.p.z;
    s->pose.q = plExp(plVec(0, 0, turn.z));
    s->velocity.z = s->spin.x = s->spin.y = 0;
    s->hand.force.z = s->hand.torque.x = s->hand.torque.y = 0;
}

// Field by field: gaps of the structure are part of the hashed state.
static void keepSample(plSample* to, const plSample* from)
{
    to->pose = from->pose;
    to->velocity = from->velocity;
    to->spin = from->spin;
    to->hand = from->hand;
    to->buttons = from->buttons;
    to->flags = from->flags;
}

static void sample(plWorld* w, plWorldDevice* d)
{
    plSample s = {.pose = d->sample->pose};
    if (d->calls.sample) {
        d->calls.sample(d->calls.self, w->now->time, &s);
    } else {
        s = plSimulated_Sample(&d->simulated, w->now->time, w->now->T);
    }
    const bool good = sampleOk(&s) && (!d->calls.sample || isPlausible(&s));
    if (!good || s.flags & pl_sampleLost) { // it stays where it was, and nobody pushes
        s = (plSample){.pose = d->sample->pose, .flags = s.flags | pl_sampleLost};
        w->report.trouble |= pl_troubleDevice;
    }
    if (d->calls.sample && s.flags & pl_sampleCut) w->report.trouble |= pl_troubleCut;
    if (w->def.planar && d->calls.sample) flatten(d, &s);
    s.pose.q = plQuatUnit(s.pose.q);
    // all that is known of a device of the outside: what was written, on the way that was seen
    if (d->calls.sample && !d->simulated.def.cutaneous) {
        d->account->rows += plWrench_Work(d->written, d->sample->pose, s.pose);
    }
    keepSample(d->sample, &s);
}

// The tool of a coupling when the tick begins.
static plMotion toolMotion(const plWorld* w, const plWorldCoupling* c)
{
    const plSite tool = c->coupling.def.tool;
    if (tool.mechanism.index1 == 0) return (plMotion){.R = plIdentity3()};
    return plMechanism_Motion(w->mechanisms[tool.mechanism.index1 - 1], pl_atStart, tool);
}

// Where a wrench works on a handle. Encoders see a simulated one in steps; what presses the skin has no
// way at all.
static plPose workPose(const plWorldDevice* d)
{
    if (d->simulated.def.cutaneous) return (plPose){.q = {1, 0, 0, 0}};
    return d->calls.sample ? d->sample->pose : plSimulated_Grip(&d->simulated).pose;
}

void plDevices_Sample(plWorld* w)
{
    const plCouplingHost host = plWorld_Host(w);
    for (int i = 0; i < w->deviceCount; ++i) sample(w, &w->devices[i]);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        const plCouplingOps* ops = c->coupling.ops;
        plCouplingView view = plWorld_View(&host, c, w->report.T);
        if (ops->place) ops->place(&c->coupling, &view);
        if (!plCoupling_IsIdle(&c->coupling)) {
            view.tool = toolMotion(w, c);
            plCoupling_Account(&c->coupling, workPose(&w->devices[c->device]), &view.tool,
                               w->now->T);
            c->reaction = (plWrench){{0, 0, 0}, {0, 0, 0}};
        }
        if (ops->command) ops->command(&c->coupling, &view);
    }
}

// --- behind the tick

static plWrench scaled(plWrench f, double s)
{
    return (plWrench){plScale(s, f.force), plScale(s, f.torque)};
}

static void putWrench(plWrench f, double* a)
{
    plPut3(f.force, a);
    plPut3(f.torque, a + 3);
}

// Where the device could not give all that was asked for, each of its couplings gave its share; what
// nobody asked for is the first one's.
static void keepShares(plWorld* w, int device, const plWrench* asked)
{
    double all[6], given[6];
    bool first = true;
    putWrench(*asked, all);
    putWrench(*w->devices[device].written, given);
    for (int i = 0; i < w->couplingCount; ++i) {
        if (w->couplings[i].device != device) continue;
        double* written = w->couplings[i].coupling.state->written;
        for (int k = 0; k < 6; ++k) {
            if (given[k] == all[k]) continue;
            if (isfinite(all[k]) && all[k] != 0) {
                written[k] *= given[k] / all[k];
            } else {
                written[k] = first ? given[k] : 0;
            }
        }
        first = false;
    }
}

// Down in 20 ms, up in 200 ms.
static const double easeDown = 0.02, easeUp = 0.2;

// What went wrong in this tick leaves a device the last force that was right, less and less of it;
// when all is well again, the force comes back slowly. Never a leap.
static void ease(plWorld* w, plWorldDevice* d, bool right, double T)
{
    plEase* e = d->ease;
    const bool well = right && !w->alarm && !(w->report.trouble & plTroubleEases) &&
                      !(d->sample->flags & pl_sampleLost);
    e->share = well ? fmin(1, e->share + T / easeUp) : fmax(0, e->share - T / easeDown);
    if (well) putWrench(*d->written, e->last);
    if (e->share == 1) return;
    *d->written = scaled((plWrench){plGet3(e->last), plGet3(e->last + 3)}, e->share);
}

void plDevices_Quiet(plWorldDevice* d, double T)
{
    *d->written = (plWrench){{0, 0, 0}, {0, 0, 0}};
    if (d->calls.write) d->calls.write(d->calls.self, d->written, T);
}

void plWorld_Rest(plWorld* w)
{
    for (int i = 0; i < w->deviceCount; ++i) plDevices_Quiet(&w->devices[i], w->now->T);
}

void plWorld_Alarm(plWorld* w) { w->alarm = true; }

void plWorld_Hushed(plWorld* w, double taken)
{
    const double left = 1 - fmax(0, fmin(1, taken));
    w->alarm = true;
    for (int i = 0; i < w->deviceCount; ++i) {
        plEase* e = w->devices[i].ease;
        e->share = fmin(e->share, left);
    }
}

void plWorld_Hush(const plWorld* w, double share)
{
    for (int i = 0; i < w->deviceCount; ++i) {
        const plDeviceCalls* calls = &w->devices[i].calls;
        if (calls->hush) calls->hush(calls->self, share);
    }
}

// What all couplings of a device ask of it at a share of the tick.
static plWrench ask(plWorld* w, int device, double T, double at)
{
    const bool lost = w->devices[device].sample->flags & pl_sampleLost;
    const plCouplingHost host = plWorld_Host(w);
    plWrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (c->device != device) continue;
        const plCouplingView view = plWorld_View(&host, c, T);
        plWrench F = c->coupling.ops->feedback(&c->coupling, &view, at);
        if (lost) F = (plWrench){{0, 0, 0}, {0, 0, 0}};
        sum.force = plAdd(sum.force, F.force);
        sum.torque = plAdd(sum.torque, F.torque);
        putWrench(F, c->coupling.state->asked);
        putWrench(F, c->coupling.state->written);
    }
    return sum;
}

// One write, held for T, from here on until the next. What is worn moves no handle.
static void give(plWorldDevice* d, double time, double T)
{
    const plWrench none = {{0, 0, 0}, {0, 0, 0}};
    if (d->calls.write) {
        d->calls.write(d->calls.self, d->written, T);
        return;
    }
    const plWrench* felt = d->simulated.def.cutaneous ? &none : d->written;
    const plDeviceEnergy e = plSimulated_Step(&d->simulated, felt, time, T);
    plLedger_CloseDevice(d, &e);
}

static void writeOnce(plWorld* w, int device, double T, double at, double time, double h)
{
    plWorldDevice* d = &w->devices[device];
    const plWrench asked = ask(w, device, T, at);
    *d->written = asked;
    const bool right = plWrench_Limit(d->written, d->forceLimit, d->torqueLimit);
    if (!right) w->report.trouble |= pl_troubleDevice;
    ease(w, d, right, h);
    plWrench_Limit(d->written, d->forceLimit, d->torqueLimit); // what is eased is of earlier limits
    keepShares(w, device, &asked);
    give(d, time, h);
}

// At least as often as the device asks for.
static int writesIn(const plWorldDevice* d, double T)
{
    enum { most = 4096 };
    const double count = ceil(d->simulated.def.rate * T * (1 - 1e-9));
    return count <= 1 ? 1 : (int)fmin(count, most);
}

int plDevices_Delay(const plWorldDevice* d, double T)
{
    const int writes = writesIn(d, T);
    return (d->simulated.def.delay + writes - 1) / writes;
}

static void addWrite(plSeveral* s, const double* written, plPose from, plPose to)
{
    const plWrench f = {plGet3(written), plGet3(written + 3)};
    s->sum.force = plAdd(s->sum.force, f.force);
    s->sum.torque = plAdd(s->sum.torque, f.torque);
    s->work += plWrench_Work(&f, from, to);
}

// What is told of several writes is their mean; a port knows besides what they did to a simulated handle
// beyond it.
static void writeSeveral(plWorld* w, int device, double T, int count)
{
    plWorldDevice* d = &w->devices[device];
    const plPose start = workPose(d);
    plSeveral whole = {0};
    for (int i = 0; i < w->couplingCount; ++i) w->couplings[i].several = (plSeveral){0};
    for (int k = 0; k < count; ++k) {
        const plPose from = workPose(d);
        const double h = T / count;
        double f[6];
        writeOnce(w, device, T, (k + 0.5) / count, w->now->time - T + k * h, h);
        const plPose to = workPose(d);
        putWrench(*d->written, f);
        addWrite(&whole, f, from, to);
        for (int i = 0; i < w->couplingCount; ++i) {
            plWorldCoupling* c = &w->couplings[i];
            if (c->device == device) addWrite(&c->several, c->coupling.state->written, from, to);
        }
    }
    *d->written = scaled(whole.sum, 1. / count);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        if (c->device != device) continue;
        const plWrench mean = scaled(c->several.sum, 1. / count);
        putWrench(mean, c->coupling.state->written);
        c->coupling.state->ripple = c->several.work - plWrench_Work(&mean, start, workPose(d));
    }
}

void plDevices_Write(plWorld* w, double T)
{
    const plCouplingHost host = plWorld_Host(w);
    for (int i = 0; i < w->deviceCount; ++i) {
        const int count = writesIn(&w->devices[i], T);
        if (count == 1) {
            writeOnce(w, i, T, 0.5, w->now->time - T, T);
        } else {
            writeSeveral(w, i, T, count);
        }
    }
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        const plCouplingView view = plWorld_View(&host, c, T);
        if (c->coupling.ops->account) c->coupling.ops->account(&c->coupling, &view);
    }
    w->alarm = false;
}
