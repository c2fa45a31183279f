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
    if (w->def.planar && d->calls.sample) flatten(d, &s);
    s.pose.q = plQuatUnit(s.pose.q);
    // all that is known of a device of the outside: what was written, on the way that was seen
    if (d->calls.sample) d->account->rows += plWrench_Work(d->written, d->sample->pose, s.pose);
    keepSample(d->sample, &s);
}

static plMotion toolMotion(const plWorld* w, const plWorldCoupling* c)
{
    const plSite tool = c->coupling.def.tool;
    return plMechanism_Motion(w->mechanisms[tool.mechanism.index1 - 1], pl_atStart, tool);
}

typedef struct {
    plWorld* world;
    int body;
} Toucher;

// Points of the tool, at a pose, that are near what stands still.
static int touch(void* self, const plFrame* tool, plProxyRow* rows)
{
    const Toucher* t = self;
    const plWorld* w = t->world;
    const double reach = 0.02;
    const plFrame ground = {.R = plIdentity3()};
    plManifold manifold;
    int count = 0;
    for (int i = 0; i < w->shapeCount; ++i) {
        for (int k = 0; k < w->shapeCount; ++k) {
            if (w->carriers[i].body != t->body || w->carriers[k].body != 0) continue;
            const plShape *a = w->shapes[i], *b = w->shapes[k];
            if (w->def.planar) {
                plPlanarMemory memory = {0};
                plCollide_Planar(a, tool, b, &ground, reach, &memory, &manifold);
            } else {
                plCollide_Manifold(a, tool, b, &ground, reach, NULL, &manifold);
            }
            for (int j = 0; j < manifold.count && count < plProxyRows; ++j) {
                const plPoint* p = &manifold.points[j];
                rows[count++] = (plProxyRow){.n = p->n, .arm = plSub(p->a, tool->x), .gap = p->gap};
            }
        }
    }
    return count;
}

// In the springs of the coupler, from the tool to the device.
static double strained(const plCouplingDef* d, plPose tool, plPose device)
{
    const plVec3 e = plSub(device.p, tool.p);
    const plVec3 turn = plLogQuat(plQuatMul(device.q, plQuatConj(tool.q)));
    const plVec3 K = d->stiffness, turnK = d->turnStiffness;
    return 0.5 * (K.x * e.x * e.x + K.y * e.y * e.y + K.z * e.z * e.z + turnK.x * turn.x * turn.x +
                  turnK.y * turn.y * turn.y + turnK.z * turn.z * turn.z);
}

static void steerProxy(plWorld* w, plWorldCoupling* c, const plSample* s)
{
    const plSite tool = c->coupling.def.tool;
    Toucher toucher = {w, -1};
    for (int i = 1; i < w->bodyCount; ++i) {
        if (w->bodies[i].mechanism.index1 == tool.mechanism.index1) toucher.body = i;
    }
    const plPose pose = plCoupling_Proxy(&c->coupling, s, touch, &toucher, w->proxy, &c->pull);
    c->coupling.state->stored = strained(&c->coupling.def, pose, s->pose);
    plMechanism_Steer(w->mechanisms[tool.mechanism.index1 - 1], pose);
}

// The frame begins the tick where the sample is. Where it had gone on to in the last one was a guess;
// what the jump brings counts as applied.
static void placeTool(plWorld* w, const plWorldCoupling* c, const plSample* s)
{
    const int index = (int)c->coupling.def.tool.mechanism.index1 - 1;
    const plMat3 R = plRotation(s->pose.q);
    double q[7], v[6];
    plPut3(s->pose.p, q);
    plPut4(s->pose.q, q + 3);
    plPut3(s->velocity, v);
    plPut3(plMulT(&R, s->spin), v + 3);
    plMechanism_SetState(w->mechanisms[index], q, v);
    plMechanism_Steer(w->mechanisms[index], plCoupling_Ahead(s, w->report.T));
    plLedger_Place(w, index);
}

// Encoders see a simulated handle in steps.
static plPose truePose(const plWorldDevice* d)
{
    return d->calls.sample ? d->sample->pose : plSimulated_Grip(&d->simulated).pose;
}

void plDevices_Sample(plWorld* w)
{
    for (int i = 0; i < w->deviceCount; ++i) sample(w, &w->devices[i]);
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        const plSample* s = w->devices[c->device].sample;
        const bool direct = c->coupling.def.kind == pl_couplingDirect;
        if (direct) placeTool(w, c, s);
        if (plGrasp_IsIdle(c)) {
            plMechanism_Steer(w->mechanisms[c->frame], s->pose);
            continue;
        }
        const plMotion tool = toolMotion(w, c);
        plCoupling_Account(&c->coupling, truePose(&w->devices[c->device]), &tool, w->now->T);
        c->reaction = (plWrench){{0, 0, 0}, {0, 0, 0}};
        if (direct) continue;
        if (c->coupling.def.kind == pl_couplingVirtual) {
            plMechanism_Steer(w->mechanisms[c->frame], s->pose);
            continue;
        }
        if (c->coupling.def.kind == pl_couplingUnilateral) {
            steerProxy(w, c, s);
            continue;
        }
        const plSite site = c->coupling.def.tool;
        plMechanism_AddForce(w->mechanisms[site.mechanism.index1 - 1], site,
                             plCoupling_Command(&c->coupling, s, &tool));
    }
}

// --- behind the tick

static plWrench scaled(plWrench f, double s)
{
    return (plWrench){plScale(s, f.force), plScale(s, f.torque)};
}

static plWrench feedback(plWorld* w, plWorldCoupling* c, double T)
{
    if (c->coupling.def.kind == pl_couplingVirtual) {
        const double* p = w->links[c->link].impulse;
        return scaled((plWrench){plGet3(p), plGet3(p + 3)}, -1 / T);
    }
    const plWrench reaction = scaled(c->reaction, 1 / T);
    if (c->coupling.def.kind == pl_couplingDirect) return reaction;
    if (c->coupling.def.kind == pl_couplingUnilateral) {
        return (plWrench){plAdd(c->pull.force, reaction.force),
                          plAdd(c->pull.torque, reaction.torque)};
    }
    return plCoupling_Feedback(&c->coupling, &reaction, T);
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
    const int fatal = pl_troubleNotFinite | pl_troubleStopped | pl_troubleBadStep;
    const bool well =
        right && !w->alarm && !(w->report.trouble & fatal) && !(d->sample->flags & pl_sampleLost);
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

void plDevices_Write(plWorld* w, double T)
{
    for (int i = 0; i < w->deviceCount; ++i) {
        *w->devices[i].written = (plWrench){{0, 0, 0}, {0, 0, 0}};
    }
    for (int i = 0; i < w->couplingCount; ++i) {
        plWorldCoupling* c = &w->couplings[i];
        plWorldDevice* d = &w->devices[c->device];
        plWrench F = feedback(w, c, T);
        if (d->sample->flags & pl_sampleLost) F = (plWrench){{0, 0, 0}, {0, 0, 0}};
        d->written->force = plAdd(d->written->force, F.force);
        d->written->torque = plAdd(d->written->torque, F.torque);
        putWrench(F, c->coupling.state->written);
    }
    for (int i = 0; i < w->deviceCount; ++i) {
        plWorldDevice* d = &w->devices[i];
        const plWrench asked = *d->written;
        const bool right = plWrench_Limit(d->written, d->forceLimit, d->torqueLimit);
        if (!right) w->report.trouble |= pl_troubleDevice;
        ease(w, d, right, T);
        keepShares(w, i, &asked);
        if (d->calls.write) {
            d->calls.write(d->calls.self, d->written, T);
        } else {
            const plDeviceEnergy e =
                plSimulated_Step(&d->simulated, d->written, w->now->time - T, T);
            plLedger_CloseDevice(d, &e);
        }
    }
    w->alarm = false;
}
