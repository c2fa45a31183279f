// The grip: one way of a handle drives the motors of several fingers. What motors must do for fingers to be
// somewhere, and how far fingers are closed.                                    (pmi 5.3)
#include "coupling/kinds.h"

#include <string.h>

/// A finger: a mechanism, its ends, and per motor its angles at the ends and what it was when the tick began.
typedef struct {
    int mechanism;
    plGripMotors motors;
    double *open, *closed;           ///< one number per velocity
    double *angleOpen, *angleClosed; ///< [rad]
    double *angle, *tension;         ///< at the start of the tick [rad], [N]
} Finger;

// theta = -(Jt^T Jt)^-1 Jt^T K (q - rest). Jt^T Jt may be singular where two motors pull alike: then of
// all answers the shortest.
plStatus plGrip_Angles(const plMechanism* m, const plGripMotors* motors, const double* q,
                       double* theta, plArena* scratch)
{
    const int n = plMechanism_Velocities(m), count = motors->count;
    plEigen eigen;
    double* Ky = plArena_Alloc(scratch, (size_t)n, sizeof(double));
    double* J = plArena_Alloc(scratch, (size_t)(count * n), sizeof(double));
    double* A = plArena_Alloc(scratch, (size_t)(count * count), sizeof(double));
    double* U = plArena_Alloc(scratch, (size_t)(count * count), sizeof(double));
    double* b = plArena_Alloc(scratch, (size_t)count, sizeof(double));
    double* lambda = plArena_Alloc(scratch, (size_t)count, sizeof(double));
    if (plEigen_Create(&eigen, count, scratch) != pl_statusOk || scratch->full) {
        return pl_statusCapacity;
    }
    plMechanism_Resistance(m, q, Ky);
    for (int i = 0; i < count; ++i) plMechanism_MotorGain(m, motors->tendon[i], &J[i * n]);
    for (int i = 0; i < count; ++i) {
        b[i] = -plDotN(&J[i * n], Ky, n);
        for (int k = 0; k < count; ++k) A[i * count + k] = plDotN(&J[i * n], &J[k * n], n);
    }
    const double round = 1e-12;
    const int rank = plPseudoSolve(&eigen, A, count, round, b, theta, lambda, U);
    return rank < 0 ? pl_statusBadArgument : pl_statusOk;
}

void plGrip_Reach(plGripReach* r, const plMechanism* m, const double* open, const double* closed)
{
    for (int i = 0; i < plMechanism_Velocities(m); ++i) {
        if (!plMechanism_IsBent(m, i)) continue;
        const double way = closed[i] - open[i], gone = plMechanism_Coordinate(m, i) - open[i];
        r->whole += way * way;
        r->along += gone * way;
        r->gone += gone * gone;
    }
}

double plGrip_Share(const plGripReach* r, plProjection projection)
{
    return projection == pl_projectionNorm ? sqrt(r->gone / r->whole) : r->along / r->whole;
}

static double wantedAt(const plGripDef* d, plVec3 handle)
{
    const double s = (plDot(d->axis, handle) - d->open) / (d->closed - d->open);
    return fmax(0, fmin(1, s));
}

static plWrench pullOf(const plCoupling* c, double wanted, double share)
{
    const plGripDef* d = &c->def.grip;
    const double off = (d->closed - d->open) * (wanted - share);
    return (plWrench){.force = plScale(-c->def.stiffness.x * off, d->axis)};
}

static double storedIn(const plCoupling* c, double wanted, double share)
{
    const plGripDef* d = &c->def.grip;
    const double off = (d->closed - d->open) * (wanted - share);
    return 0.5 * c->def.stiffness.x * off * off;
}

// --- adding

static const char* validate(const plCouplingDef* def)
{
    const plGripDef* d = &def->grip;
    if ((int)d->projection < 0 || d->projection >= pl_projectionCount) {
        return "the projection of a grip is not of the list";
    }
    if (!plFinite3(d->axis) || !(plNorm(d->axis) > 0)) {
        return "the axis of a grip must be finite and not zero";
    }
    if (!isfinite(d->open) || !isfinite(d->closed) || d->open == d->closed) {
        return "the ends of a grip's way must be finite and apart";
    }
    if (d->fingerCount < 1 || d->fingerCount > plGripFingers || !d->fingers) {
        return "a grip needs 1 to 16 fingers";
    }
    return NULL;
}

static Finger* fingersOf(const plCoupling* c) { return c->own; }

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

static const plMechanism* inside(const plCouplingHost* host, plMechanismId id)
{
    return host->has(host->self, id) ? host->mechanisms[id.index1 - 1] : NULL;
}

static const char* fingerComplaint(const plCouplingHost* host, const plGripFinger* f)
{
    const plMechanism* m = inside(host, f->mechanism);
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

static plStatus enterFinger(const plCouplingHost* host, Finger* f, plGripFinger* def)
{
    f->mechanism = (int)def->mechanism.index1 - 1;
    const plMechanism* m = host->mechanisms[f->mechanism];
    const size_t n = (size_t)plMechanism_Velocities(m), motors = (size_t)motorsOf(m);
    double** const perVelocity[] = {&f->open, &f->closed};
    double** const perMotor[] = {&f->motors.radius, &f->angleOpen, &f->angleClosed, &f->angle,
                                 &f->tension};
    for (int i = 0; i < PL_COUNT(perVelocity); ++i) {
        *perVelocity[i] = plArena_Alloc(host->fixed, n, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(perMotor); ++i) {
        *perMotor[i] = plArena_Alloc(host->fixed, motors, sizeof(double));
    }
    f->motors.tendon = plArena_Alloc(host->fixed, motors, sizeof(int));
    if (host->fixed->full) return pl_statusCapacity;
    enterMotors(&f->motors, m);
    memcpy(f->open, def->open, n * sizeof(double));
    memcpy(f->closed, def->closed, n * sizeof(double));
    def->open = f->open;
    def->closed = f->closed;
    const size_t kept = host->fixed->used;
    plStatus status = plGrip_Angles(m, &f->motors, f->open, f->angleOpen, host->fixed);
    if (status == pl_statusOk) {
        status = plGrip_Angles(m, &f->motors, f->closed, f->angleClosed, host->fixed);
    }
    if (status == pl_statusOk) plArena_Rewind(host->fixed, kept);
    return status;
}

static plGripReach reachOf(const plCouplingHost* host, const plCoupling* c)
{
    plGripReach r = {0};
    for (int i = 0; i < c->def.grip.fingerCount; ++i) {
        const Finger* f = &fingersOf(c)[i];
        plGrip_Reach(&r, host->mechanisms[f->mechanism], f->open, f->closed);
    }
    return r;
}

static plStatus create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    plGripDef* d = &c->def.grip;
    *why = NULL;
    for (int i = 0; i < d->fingerCount && !*why; ++i) *why = fingerComplaint(host, &d->fingers[i]);
    if (!*why && host->planar && d->axis.z != 0) {
        *why = "in a planar world the axis of a grip lies in the plane";
    }
    if (*why) return pl_statusBadArgument;
    const size_t count = (size_t)d->fingerCount;
    plGripFinger* own = plArena_Alloc(host->fixed, count, sizeof *own);
    c->own = plArena_Alloc(host->fixed, count, sizeof(Finger));
    plStatus status = own && c->own ? pl_statusOk : pl_statusCapacity;
    for (int i = 0; i < d->fingerCount && status == pl_statusOk; ++i) {
        own[i] = d->fingers[i];
        status = enterFinger(host, &fingersOf(c)[i], &own[i]);
    }
    *why = status == pl_statusCapacity ? plCouplingFull
                                       : "the numbers of a grip's fingers are too far apart";
    if (status != pl_statusOk) return status;
    d->axis = plScale(1 / plNorm(d->axis), d->axis);
    d->fingers = own;
    *why = "a grip's fingers must be apart, open and closed";
    return reachOf(host, c).whole > 0 ? pl_statusOk : pl_statusBadArgument;
}

// --- in a tick

static void commandFinger(const plCouplingHost* host, Finger* f, double s)
{
    const plGripMotors* p = &f->motors;
    plMechanism* m = host->mechanisms[f->mechanism];
    for (int i = 0; i < p->count; ++i) {
        f->angle[i] = plMechanism_TendonAngle(m, p->tendon[i]);
        f->tension[i] = plMechanism_TendonPull(m, p->tendon[i]);
        plMechanism_CommandTendon(m, p->tendon[i],
                                  f->angleOpen[i] + s * (f->angleClosed[i] - f->angleOpen[i]));
    }
}

static void command(plCoupling* c, const plCouplingView* v)
{
    const plGripDef* d = &c->def.grip;
    plCouplingState* x = c->state;
    const plGripReach reach = reachOf(v->host, c);
    x->wanted = wantedAt(d, v->sample->pose.p);
    x->closed = plGrip_Share(&reach, d->projection);
    x->stored = storedIn(c, x->wanted, x->closed);
    c->pull = pullOf(c, x->wanted, x->closed);
    for (int i = 0; i < d->fingerCount; ++i) commandFinger(v->host, &fingersOf(c)[i], x->wanted);
}

// Mean tension times what the pulley wound up: with linear tendons that is exact.
static double motorWork(const plCouplingHost* host, const Finger* f)
{
    const plGripMotors* p = &f->motors;
    const plMechanism* m = host->mechanisms[f->mechanism];
    double work = 0;
    for (int i = 0; i < p->count; ++i) {
        const double turn = plMechanism_TendonAngle(m, p->tendon[i]) - f->angle[i];
        const double mean = 0.5 * (plMechanism_TendonPull(m, p->tendon[i]) + f->tension[i]);
        work += p->radius[i] * turn * mean;
    }
    return work;
}

static void account(plCoupling* c, const plCouplingView* v)
{
    for (int i = 0; i < c->def.grip.fingerCount; ++i) {
        c->state->workTool += motorWork(v->host, &fingersOf(c)[i]);
    }
}

static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    (void)v, (void)at;
    return c->pull;
}

// Its spring acts along the axis of the handle.
static void gains(const plCouplingDef* d, double K[6], double B[6])
{
    const double axis[6] = {d->grip.axis.x, d->grip.axis.y, d->grip.axis.z};
    for (int i = 0; i < 6; ++i) K[i] = axis[i] == 0 ? 0 : d->stiffness.x, B[i] = 0;
}

// Fingers that stand still pay for nothing, and need not.
static double damping(const plCouplingDef* d, double K, double B, double T, int delay)
{
    (void)d, (void)B;
    return plSampledDamping(K, 0, T, delay);
}

const plCouplingOps plGripOps = {
    .traits = {.need = pl_toolNone, .equal = 1, .grips = true},
    .validate = validate,
    .create = create,
    .command = command,
    .feedback = feedback,
    .account = account,
    .gains = gains,
    .damping = damping,
};
