// Grips: one way of a handle drives the motors of several fingers.            (pmi 5.3)
#include "world/inside.h"

#include <string.h>

// --- what motors hang on

static int positionsOf(const plChainDef* d)
{
    int n = 0;
    for (int i = 0; i < d->bodyCount; ++i) {
        const plChainBodyDef* body = &d->bodies[i];
        n += plJoint_Velocities(body->joint) + body->beam.modes[0] + body->beam.modes[1];
    }
    return n;
}

// A quaternion has no place on a line from open to closed.
static bool isFlat(const plChainDef* d)
{
    for (int i = 0; i < d->bodyCount; ++i) {
        const plJoint joint = d->bodies[i].joint;
        if (plJoint_Positions(joint) != plJoint_Velocities(joint)) return false;
    }
    return true;
}

static int motorsOf(const plChainDef* d)
{
    int count = 0;
    for (int i = 0; i < d->tendonCount; ++i) count += d->tendons[i].radius != 0;
    return count;
}

// Springs of joints and modes on the diagonal, then those of the definition, and tendons.
static void fillStiffness(plPulleys* p, const plChainDef* d)
{
    const int n = p->n;
    int at = 0;
    for (int b = 0; b < d->bodyCount; ++b) {
        const plChainBodyDef* body = &d->bodies[b];
        for (int k = 0; k < plJoint_Velocities(body->joint); ++k, ++at) {
            p->K[at * n + at] = body->stiffness;
            p->rest[at] = body->rest[k];
        }
        for (int k = 0; k < body->beam.modes[0] + body->beam.modes[1]; ++k, ++at) {
            const int towards = k >= body->beam.modes[0];
            const double w =
                plBeam_Frequency(&body->beam, towards, towards ? k - body->beam.modes[0] : k);
            p->K[at * n + at] = body->beam.mass * w * w;
        }
    }
    for (int i = 0; d->K && i < n * n; ++i) p->K[i] += d->K[i];
    for (int t = 0; t < d->tendonCount; ++t) {
        const double* J = d->tendons[t].J;
        for (int i = 0; i < n * n; ++i) p->K[i] += d->tendons[t].stiffness * (J[i / n] * J[i % n]);
    }
}

static void fillMotors(plPulleys* p, const plChainDef* d)
{
    for (int t = 0; t < d->tendonCount; ++t) {
        const plTendonDef* tendon = &d->tendons[t];
        if (tendon->radius == 0) continue;
        double* J = &p->J[p->count * p->n];
        for (int i = 0; i < p->n; ++i) J[i] = tendon->J[i] * tendon->stiffness * tendon->radius;
        p->tendon[p->count] = t;
        p->radius[p->count++] = tendon->radius;
    }
}

plStatus plPulleys_Keep(plWorld* w, int mechanism, const plChainDef* d)
{
    plPulleys* p = &w->pulleys[mechanism];
    const size_t motors = (size_t)motorsOf(d), n = (size_t)positionsOf(d);
    *p = (plPulleys){0};
    if (motors == 0 || !isFlat(d)) return pl_statusOk;
    p->n = (int)n;
    p->K = plArena_Alloc(&w->fixed, n * n, sizeof(double));
    p->rest = plArena_Alloc(&w->fixed, n, sizeof(double));
    p->J = plArena_Alloc(&w->fixed, motors * n, sizeof(double));
    p->tendon = plArena_Alloc(&w->fixed, motors, sizeof(int));
    p->radius = plArena_Alloc(&w->fixed, motors, sizeof(double));
    if (w->fixed.full) return pl_statusCapacity;
    fillStiffness(p, d);
    fillMotors(p, d);
    return pl_statusOk;
}

// --- adding

static bool finiteAll(const double* a, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(a[i])) return false;
    }
    return true;
}

static const char* fingerComplaint(const plWorld* w, const plGripFinger* f)
{
    const uint32_t index1 = f->mechanism.index1;
    if (!plWorld_MechanismName(w, f->mechanism) || w->pulleys[index1 - 1].count == 0) {
        return "a finger of a grip is a chain with motors on its tendons, without spherical and "
               "free "
               "joints";
    }
    const int n = w->pulleys[index1 - 1].n;
    if (!f->open || !f->closed || !finiteAll(f->open, n) || !finiteAll(f->closed, n)) {
        return "a finger of a grip needs positions, open and closed";
    }
    return NULL;
}

static plStatus enterFinger(plWorld* w, plFinger* f, plGripFinger* def)
{
    f->mechanism = (int)def->mechanism.index1 - 1;
    const plPulleys* p = &w->pulleys[f->mechanism];
    const size_t n = (size_t)p->n, motors = (size_t)p->count;
    double** const perPosition[] = {&f->open, &f->closed};
    double** const perMotor[] = {&f->angleOpen, &f->angleClosed, &f->angle, &f->tension};
    for (int i = 0; i < PL_COUNT(perPosition); ++i) {
        *perPosition[i] = plArena_Alloc(&w->fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(perMotor); ++i) {
        *perMotor[i] = plArena_Alloc(&w->fixed, motors, sizeof(double));
    }
    if (w->fixed.full) return pl_statusCapacity;
    memcpy(f->open, def->open, n * sizeof(double));
    memcpy(f->closed, def->closed, n * sizeof(double));
    def->open = f->open;
    def->closed = f->closed;
    const size_t kept = w->fixed.used;
    plStatus status = plGrip_Angles(p, f->open, f->angleOpen, &w->fixed);
    if (status == pl_statusOk) status = plGrip_Angles(p, f->closed, f->angleClosed, &w->fixed);
    if (status == pl_statusOk) plArena_Rewind(&w->fixed, kept);
    return status;
}

static plGripReach reachOf(const plWorld* w, const plWorldCoupling* c)
{
    plGripReach r = {0};
    for (int i = 0; i < c->coupling.def.grip.fingerCount; ++i) {
        const plFinger* f = &c->fingers[i];
        plGrip_Reach(&r, w->pulleys[f->mechanism].n, plMechanism_Q(w->mechanisms[f->mechanism]),
                     f->open, f->closed);
    }
    return r;
}

plStatus plGrip_Create(plWorld* w, plWorldCoupling* c)
{
    plGripDef* d = &c->coupling.def.grip;
    const char* complaint = NULL;
    for (int i = 0; i < d->fingerCount && !complaint; ++i) {
        complaint = fingerComplaint(w, &d->fingers[i]);
    }
    if (!complaint && w->def.planar && d->axis.z != 0) {
        complaint = "in a planar world the axis of a grip lies in the plane";
    }
    if (complaint) return plWorld_Fail(w, pl_statusBadArgument, complaint);
    const size_t count = (size_t)d->fingerCount;
    plGripFinger* own = plArena_Alloc(&w->fixed, count, sizeof *own);
    c->fingers = plArena_Alloc(&w->fixed, count, sizeof *c->fingers);
    plStatus status = own && c->fingers ? pl_statusOk : pl_statusCapacity;
    for (int i = 0; i < d->fingerCount && status == pl_statusOk; ++i) {
        own[i] = d->fingers[i];
        status = enterFinger(w, &c->fingers[i], &own[i]);
    }
    if (status != pl_statusOk) {
        return plWorld_Fail(w, status,
                            status == pl_statusCapacity
                                ? "the world's memory is full: raise capacity.memory"
                                : "the numbers of a grip's fingers are too far apart");
    }
    d->axis = plScale(1 / plNorm(d->axis), d->axis);
    d->fingers = own;
    if (reachOf(w, c).whole > 0) return pl_statusOk;
    return plWorld_Fail(w, pl_statusBadArgument, "a grip's fingers must be apart, open and closed");
}

// --- in a tick

static void commandFinger(plWorld* w, plFinger* f, double s)
{
    const plPulleys* p = &w->pulleys[f->mechanism];
    plMechanism* m = w->mechanisms[f->mechanism];
    for (int i = 0; i < p->count; ++i) {
        f->angle[i] = plMechanism_TendonAngle(m, p->tendon[i]);
        f->tension[i] = plMechanism_TendonPull(m, p->tendon[i]);
        plMechanism_CommandTendon(m, p->tendon[i],
                                  f->angleOpen[i] + s * (f->angleClosed[i] - f->angleOpen[i]));
    }
}

void plGrip_Command(plWorld* w, plWorldCoupling* c, const plSample* s)
{
    const plGripDef* d = &c->coupling.def.grip;
    plCouplingState* x = c->coupling.state;
    const plGripReach reach = reachOf(w, c);
    x->wanted = plGrip_Wanted(d, s->pose.p);
    x->closed = plGrip_Share(&reach, d->projection);
    x->stored = plGrip_Stored(&c->coupling, x->wanted, x->closed);
    c->pull = plGrip_Pull(&c->coupling, x->wanted, x->closed);
    for (int i = 0; i < d->fingerCount; ++i) commandFinger(w, &c->fingers[i], x->wanted);
}

// Mean tension times what the pulley wound up: with linear tendons that is exact.
static double motorWork(const plWorld* w, const plFinger* f)
{
    const plPulleys* p = &w->pulleys[f->mechanism];
    const plMechanism* m = w->mechanisms[f->mechanism];
    double work = 0;
    for (int i = 0; i < p->count; ++i) {
        const double turn = plMechanism_TendonAngle(m, p->tendon[i]) - f->angle[i];
        const double mean = 0.5 * (plMechanism_TendonPull(m, p->tendon[i]) + f->tension[i]);
        work += p->radius[i] * turn * mean;
    }
    return work;
}

void plGrip_Account(plWorld* w, plWorldCoupling* c)
{
    for (int i = 0; i < c->coupling.def.grip.fingerCount; ++i) {
        c->coupling.state->workTool += motorWork(w, &c->fingers[i]);
    }
}
