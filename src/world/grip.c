// Grips: one way of a handle drives the motors of several fingers.            (pmi 5.3)
#include "world/inside.h"

#include <string.h>

// --- adding

static int motorsOf(const plMechanism* m)
{
    double radius;
    int count = 0;
    for (int t = 0; t < plMechanism_Tendons(m); ++t) {
        plMechanism_Pulleys(m, t, &radius);
        count += radius != 0;
    }
    return count;
}

static bool finiteAll(const double* a, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(a[i])) return false;
    }
    return true;
}

static const char* fingerComplaint(const plWorld* w, const plGripFinger* f)
{
    const plMechanism* m = plWorld_Inside(w, f->mechanism);
    if (!m || motorsOf(m) == 0) return "a finger of a grip is a chain with motors on its tendons";
    const int n = plMechanism_Velocities(m);
    if (!f->open || !f->closed || !finiteAll(f->open, n) || !finiteAll(f->closed, n)) {
        return "a finger of a grip needs positions, open and closed";
    }
    return NULL;
}

static void enterMotors(plGripMotors* motors, const plMechanism* m)
{
    double radius;
    motors->count = 0;
    for (int t = 0; t < plMechanism_Tendons(m); ++t) {
        plMechanism_Pulleys(m, t, &radius);
        if (radius == 0) continue;
        motors->tendon[motors->count] = t;
        motors->radius[motors->count++] = radius;
    }
}

static plStatus enterFinger(plWorld* w, plFinger* f, plGripFinger* def)
{
    f->mechanism = (int)def->mechanism.index1 - 1;
    const plMechanism* m = w->mechanisms[f->mechanism];
    const size_t n = (size_t)plMechanism_Velocities(m), motors = (size_t)motorsOf(m);
    double** const perVelocity[] = {&f->open, &f->closed};
    double** const perMotor[] = {&f->motors.radius, &f->angleOpen, &f->angleClosed, &f->angle,
                                 &f->tension};
    for (int i = 0; i < PL_COUNT(perVelocity); ++i) {
        *perVelocity[i] = plArena_Alloc(&w->fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(perMotor); ++i) {
        *perMotor[i] = plArena_Alloc(&w->fixed, motors, sizeof(double));
    }
    f->motors.tendon = plArena_Alloc(&w->fixed, motors, sizeof(int));
    if (w->fixed.full) return pl_statusCapacity;
    enterMotors(&f->motors, m);
    memcpy(f->open, def->open, n * sizeof(double));
    memcpy(f->closed, def->closed, n * sizeof(double));
    def->open = f->open;
    def->closed = f->closed;
    const size_t kept = w->fixed.used;
    plStatus status = plGrip_Angles(m, &f->motors, f->open, f->angleOpen, &w->fixed);
    if (status == pl_statusOk) {
        status = plGrip_Angles(m, &f->motors, f->closed, f->angleClosed, &w->fixed);
    }
    if (status == pl_statusOk) plArena_Rewind(&w->fixed, kept);
    return status;
}

static plGripReach reachOf(const plWorld* w, const plWorldCoupling* c)
{
    plGripReach r = {0};
    for (int i = 0; i < c->coupling.def.grip.fingerCount; ++i) {
        const plFinger* f = &c->fingers[i];
        plGrip_Reach(&r, w->mechanisms[f->mechanism], f->open, f->closed);
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
    const plGripMotors* p = &f->motors;
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
    const plGripMotors* p = &f->motors;
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
