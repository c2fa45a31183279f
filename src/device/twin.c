// The twin pantograph as a simulated device: the mechanism moves under hand and motors, and a
// computer that sees nothing but rounded angles of its motors drives it.      (iapb sec. VII)
//   letters  those of pantograph.h: x, v, F in the mechanism's frame; beta its angle in the world
// In a tick the computer
//   reads     four encoders, and knows the pose by forward kinematics;
//   observes  the velocity of the handle and the force of the hand;
//   commands  torques that give the wanted impedance under the written wrench, within the motors'
//             limits.
// A reading that is no pose that can be reached is no ground for a torque: the motors are off, the
// sample is lost, and the observer starts again with the next good one.
#include "device/kind.h"
#include "device/observer.h"

#include <string.h>

/// No gaps: numbers, and structures of numbers.
typedef struct {
    double x[3], v[3];       ///< how it is
    double seen[3], rate[3]; ///< how the computer knows it; rate by difference
    plNtObserver nt;         ///< only the one that is chosen is used
    plDobObserver dob;       ///< T = 0: not yet started
    double known;            ///< 1: the last reading was good
    double stop, cut;        ///< 1: in the last tick a stop, the motors' limit was met
    double held[plDeviceDelay][4];
    double ticks;
    plMotors motors;
} State;

// --------------------------------------------------------------------------------- definition

static const char* nameOf(const char* const* names, int count, int i)
{
    return i >= 0 && i < count ? names[i] : "unknown";
}

const char* plPantographPreset_Name(int i)
{
    static const char* const names[pl_pantographCount] = {"test", "compact", "large"};
    return nameOf(names, pl_pantographCount, i);
}

const char* plObserverKind_Name(int i)
{
    static const char* const names[pl_observerCount] = {"nicosia-tomei", "disturbance"};
    return nameOf(names, pl_observerCount, i);
}

const char* plRateKind_Name(int i)
{
    static const char* const names[pl_rateCount] = {"observer", "difference"};
    return nameOf(names, pl_rateCount, i);
}

const char* plMotorLimit_Name(int i)
{
    static const char* const names[pl_motorCount] = {"scale", "clip"};
    return nameOf(names, pl_motorCount, i);
}

plTwinDef plDefaultTwinDef(void)
{
    return (plTwinDef){.mechanism = plDefaultPantographDef(),
                       .base.q = {1, 0, 0, 0},
                       .corner = 15,
                       .rateCorner = 30};
}

static bool isPositive(double x) { return x > 0 && isfinite(x); }
static bool allPositive(plVec3 a) { return isPositive(a.x) && isPositive(a.y) && isPositive(a.z); }
static bool isZero(plVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static bool within(int i, int count) { return i >= 0 && i < count; }

static bool aboutZ(plQuat q)
{
    const plVec3 turn = plLogQuat(plQuatUnit(q));
    return hypot(turn.x, turn.y) < 1e-9;
}

static double angleOf(plQuat q) { return plLogQuat(plQuatUnit(q)).z; }

// --------------------------------------------------------------------------------- two frames

static plVec3 turnedBy(double angle, plVec3 a) ///< x and y; z stays
{
    const double c = cos(angle), s = sin(angle);
    return plVec(c * a.x - s * a.y, s * a.x + c * a.y, a.z);
}

static double beta(const plDeviceDef* d) { return angleOf(d->twin.base.q); }

/// A pose in the mechanism's frame; theta within a half turn.
static plVec3 inFrame(const plDeviceDef* d, plPose pose)
{
    const plVec3 from = plSub(pose.p, d->twin.base.p);
    plVec3 x = turnedBy(-beta(d), from);
    x.z = remainder(angleOf(pose.q) - beta(d), 2 * PL_PI);
    return x;
}

/// The plane of the device is that of its handle at the start.
static plPose inWorld(const plDeviceDef* d, plVec3 x)
{
    plVec3 p = plAdd(d->twin.base.p, turnedBy(beta(d), x));
    p.z = d->pose.p.z;
    return (plPose){p, plRotor(plVec(0, 0, 1), x.z + beta(d))};
}

static plVec3 ofWrench(const plDeviceDef* d, const plWrench* f)
{
    plVec3 F = turnedBy(-beta(d), f->force);
    F.z = f->torque.z;
    return F;
}

static plWrench asWrench(const plDeviceDef* d, plVec3 F)
{
    plVec3 f = turnedBy(beta(d), F);
    f.z = 0;
    return (plWrench){f, {0, 0, F.z}};
}

static plGrip gripAt(const plDeviceDef* d, plVec3 x, plVec3 v)
{
    plVec3 u = turnedBy(beta(d), v);
    u.z = 0;
    return (plGrip){inWorld(d, x), u, plVec(0, 0, v.z)};
}

// --------------------------------------------------------------------------------------- start

/// Sine at an elbow or end where the mechanism has its stops (6 degrees), well before it is singular.
/// The discs of the presets lie within: 0.33, 0.61 and 0.78 at their rims.
static const double stopMargin = 0.1;

static double marginAt(const plTwinDef* d, plVec3 x) ///< 0: out of reach
{
    plPantographPose p;
    return plPantograph_Inverse(&d->mechanism, x, &p) ? p.margin : 0;
}

static const char* complaint(const plDeviceDef* d)
{
    const plTwinDef* t = &d->twin;
    const char* mechanism = plPantographDef_Complaint(&t->mechanism);
    if (mechanism) return mechanism;
    if (!within((int)t->observer, pl_observerCount) || !within((int)t->rate, pl_rateCount) ||
        !within((int)t->motors, pl_motorCount)) {
        return "observer, rate or motors of a pantograph are not of the lists";
    }
    if (!isPositive(t->corner) || !isPositive(t->rateCorner)) {
        return "corner frequencies must be finite and positive";
    }
    if (!isZero(t->impedance.inertia) && !allPositive(t->impedance.inertia)) {
        return "the inertia of an impedance must be finite and positive, or all zero";
    }
    if (!plNotNegative(t->impedance.damping.x) || !plNotNegative(t->impedance.damping.y) ||
        !plNotNegative(t->impedance.damping.z)) {
        return "the damping of an impedance must be finite and not negative";
    }
    if (!plFinitePose(t->base)) return "the base of a pantograph must be finite";
    if (!aboutZ(t->base.q) || !aboutZ(d->pose.q)) return "a pantograph turns about z only";
    if (marginAt(t, inFrame(d, d->pose)) < stopMargin) {
        return "at the start the handle is out of the pantograph's reach";
    }
    return NULL;
}

static double kineticOf(const plSimulated* s, plVec3 x, plVec3 v)
{
    plPantographPose p;
    plMat3 M;
    if (!plPantograph_Inverse(&s->def.twin.mechanism, x, &p)) return 0;
    plPantograph_Inertia(&s->def.twin.mechanism, &p, &M);
    return plDot(v, plMul(&M, v)) / 2;
}

static void forget(State* t)
{
    t->nt = (plNtObserver){0};
    t->dob = (plDobObserver){0};
    memset(t->rate, 0, sizeof t->rate);
}

static bool place(plSimulated* s, const plGrip* g)
{
    const plDeviceDef* d = &s->def;
    State* t = s->state;
    const plVec3 x = inFrame(d, g->pose);
    plVec3 v = turnedBy(-beta(d), g->v);
    if (marginAt(&d->twin, x) < stopMargin) return false;
    v.z = g->w.z;
    plPut3(x, t->x);
    plPut3(v, t->v);
    plPut3(x, t->seen);
    forget(t);
    t->known = 0;
    memset(t->motors.tau, 0, sizeof t->motors.tau);
    memset(t->held, 0, sizeof t->held);
    t->motors.energy.kinetic = kineticOf(s, x, v);
    return true;
}

static void start(plSimulated* s)
{
    const plDeviceDef* d = &s->def;
    place(s, &(plGrip){d->pose, d->velocity, d->spin});
}

static plGrip gripOf(const plSimulated* s)
{
    const State* t = s->state;
    return gripAt(&s->def, plGet3(t->x), plGet3(t->v));
}

static plMotors motorsOf(const plSimulated* s) { return ((const State*)s->state)->motors; }

// Along the world's axes, as a force on the handle meets it: 1/(M^-1)_ii, or the wanted one.
static void massesOf(const plSimulated* s, double m[6])
{
    const plTwinDef* d = &s->def.twin;
    const State* t = s->state;
    const plVec3 axes[3] = {turnedBy(-beta(&s->def), plVec(1, 0, 0)),
                            turnedBy(-beta(&s->def), plVec(0, 1, 0)), plVec(0, 0, 1)};
    const plVec3 M = d->impedance.inertia;
    const int places[3] = {0, 1, 5};
    plPantographPose p;
    for (int i = 0; i < 6; ++i) m[i] = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        plVec3 a = plVec(0, 0, 0);
        if (!isZero(M)) {
            a = plVec(axes[i].x / M.x, axes[i].y / M.y, axes[i].z / M.z);
        } else if (plPantograph_Inverse(&d->mechanism, plGet3(t->x), &p)) {
            plPantograph_Acceleration(&d->mechanism, &p, plVec(0, 0, 0), axes[i], &a);
        }
        m[places[i]] = 1 / plDot(a, axes[i]);
    }
}

// -------------------------------------------------------------------------------- the computer

/// Damping of the observer of Nicosia and Tomei: overshoot of 5 %, as in iapb spec 6.
static const double zeta = 0.7;

// Encoders to pose. A pose that the model cannot reach is none, though the elbows can be joined.
static bool readPose(const plSimulated* s, plVec3* seen)
{
    const plPantographDef* def = &s->def.twin.mechanism;
    const State* t = s->state;
    plPantographPose p;
    return plPantograph_Sense(def, plGet3(t->x), t->seen[2], seen, NULL) &&
           plPantograph_Inverse(def, *seen, &p);
}

static bool updateNt(const plTwinDef* d, State* t, plVec3 seen, double T)
{
    const double w = 2 * PL_PI * d->corner;
    if (t->nt.T == 0 && !plNtObserver_Start(&t->nt, T, w, zeta, plGet3(t->seen))) return false;
    if (t->nt.T != T && !plNtObserver_Tune(&t->nt, T, w, zeta)) return false;
    return plNtObserver_Update(&t->nt, &d->mechanism, seen, t->motors.tau);
}

static bool updateDob(const plTwinDef* d, State* t, plVec3 seen, double T)
{
    const double w = 2 * PL_PI * d->corner;
    if (t->dob.T == 0 && !plDobObserver_Start(&t->dob, T, w, plGet3(t->seen))) return false;
    if (t->dob.T != T && !plDobObserver_Tune(&t->dob, T, w)) return false;
    return plDobObserver_Update(&t->dob, &d->mechanism, seen, t->motors.tau);
}

// The observer learns of the step that led from the last reading to this one.
static void observe(const plTwinDef* d, State* t, plVec3 seen, double T)
{
    const bool nt = d->observer == pl_observerNt;
    if (!(nt ? updateNt(d, t, seen, T) : updateDob(d, t, seen, T))) {
        forget(t);
        return;
    }
    const plVec3 way = plSub(seen, plGet3(t->seen)), before = plGet3(t->rate);
    const double share = -expm1(-2 * PL_PI * d->rateCorner * T);
    plPut3(plAddScaled(before, share, plSub(plScale(1 / T, way), before)), t->rate);
}

static plVec3 knownVelocity(const plTwinDef* d, const State* t)
{
    if (d->rate == pl_rateDifference) return plGet3(t->rate);
    return d->observer == pl_observerNt ? t->nt.velocity : t->dob.v;
}

static plVec3 knownHand(const plTwinDef* d, const State* t)
{
    return d->observer == pl_observerNt ? t->nt.F : t->dob.F;
}

static plSample sampleOf(plSimulated* s, double time, double T)
{
    const plDeviceDef* d = &s->def;
    State* t = s->state;
    plVec3 seen;
    (void)time;
    if (!readPose(s, &seen)) {
        forget(t);
        t->known = 0;
        t->motors.lost += 1;
        return (plSample){.pose = inWorld(d, plGet3(t->seen)), .flags = pl_sampleLost};
    }
    if (t->known > 0 && T > 0) observe(&d->twin, t, seen, T);
    plPut3(seen, t->seen);
    t->known = 1;
    const plGrip grip = gripAt(d, seen, knownVelocity(&d->twin, t));
    plSample sample = {.pose = grip.pose, .velocity = grip.v, .spin = grip.w};
    if (d->feelsHand) sample.hand = asWrench(d, knownHand(&d->twin, t));
    if (t->stop > 0) sample.flags |= pl_sampleStop;
    if (t->cut > 0) sample.flags |= pl_sampleCut;
    return sample;
}

// Torques of the low-level controller, within the limits. False: the motors stay off.
static bool command(const plSimulated* s, const plWrench* written, double tau[4])
{
    const plTwinDef* d = &s->def.twin;
    const plPantographDef* def = &d->mechanism;
    State* t = s->state;
    const plVec3 F = ofWrench(&s->def, written);
    if (t->known == 0) return false;
    if (!plPantograph_Command(def, &d->impedance, plGet3(t->seen), knownVelocity(d, t), F,
                              knownHand(d, t), tau)) {
        return false;
    }
    const bool cut = d->motors == pl_motorClip ? plPantograph_Clip(def, tau) > 0
                                               : plPantograph_Scale(def, tau) < 1;
    t->cut = cut;
    t->motors.cut += cut;
    return true;
}

// What reaches the motors in this tick; when they are off, nothing waits.
static void drive(const plSimulated* s, const plWrench* written)
{
    State* t = s->state;
    double* tau = t->motors.tau;
    const int delay = s->def.delay;
    double asked[4];
    t->cut = 0;
    if (!command(s, written, asked)) {
        memset(tau, 0, sizeof t->motors.tau);
        memset(t->held, 0, sizeof t->held);
        return;
    }
    double* slot = delay > 0 ? t->held[(long)t->ticks % delay] : asked;
    memcpy(tau, slot, sizeof asked);
    memcpy(slot, asked, sizeof asked);
}

// --------------------------------------------------------------------------------- the mechanism

static bool solve(const plMat3* A, plVec3 b, plVec3* y)
{
    double L[9], r[3];
    plPut3(A->x, &L[0]), plPut3(A->y, &L[3]), plPut3(A->z, &L[6]);
    plPut3(b, r);
    if (!plFinite3(b) || !plChol_Factor(L, 3)) return false;
    plChol_Solve(L, 3, r);
    *y = plGet3(r);
    return true;
}

// Acceleration of a device whose handle carries the inertia R besides.
static plVec3 accelerationWith(const plSimulated* s, plVec3 R, plVec3 F)
{
    const plPantographDef* def = &s->def.twin.mechanism;
    const State* t = s->state;
    const plVec3 v = plGet3(t->v);
    const plMat3 more = plDiagonal3(R.x, R.y, R.z);
    plPantographPose p;
    plVec3 motors, a = plVec(0, 0, 0);
    plMat3 M, C;
    if (!plPantograph_Inverse(def, plGet3(t->x), &p)) return a;
    plPantograph_Inertia(def, &p, &M);
    plPantograph_Coriolis(def, &p, v, &C);
    plPantograph_Force(&p, t->motors.tau, &motors);
    M = plMatAdd(&M, 1, &more);
    solve(&M, plSub(plAdd(F, motors), plMul(&C, v)), &a);
    return a;
}

// The hand's force, held over the step. One that yields by K and B does so at the middle of the
// step: at x + T/2 (v + T/2 a), with the velocity v + T/2 a, its force is less by R a,
//   R = T/2 (B + T/2 K),   (M + R) a = F(x + T/2 v, v) + G^T tau - C v.
// That is the midpoint rule for M as it is at the start: a hand of any stiffness is held.
static plVec3 handForce(const plSimulated* s, double time, double T)
{
    plWaypoint point;
    const plHandDef now = plSimulated_HandNow(s, &point), *h = &now;
    const State* t = s->state;
    const plVec3 v = plGet3(t->v), ahead = plAddScaled(plGet3(t->x), T / 2, v);
    const plGrip grip = gripAt(&s->def, ahead, v);
    plWrench f = plHand_Own(h, time);
    if (h->kind != pl_handImpedance) return ofWrench(&s->def, &f);
    plHand_AddPull(h, time + T / 2, &grip, &f);
    const plVec3 F = ofWrench(&s->def, &f);
    const double r = T / 2 * (h->damping + T / 2 * h->stiffness);
    const plVec3 R = plVec(r, r, T / 2 * (h->turnDamping + T / 2 * h->turnStiffness));
    const plVec3 a = accelerationWith(s, R, F);
    return plVec(F.x - R.x * a.x, F.y - R.y * a.y, F.z - R.z * a.z);
}

// Steps of two milliseconds err by 1e-9 of the energy inside the workspace.
static int substepsOf(double T) { return T < 0.0625 ? 1 + (int)(T / 0.002) : 32; }

// False: it would pass a stop by more than the allowance, and stays as it is.
static bool follow(plSimulated* s, plVec3 v, plVec3 hand, double T, double least)
{
    State* t = s->state;
    plPantographState at = {plGet3(t->x), v};
    plPantographEnergy energy = t->motors.energy;
    if (!plPantograph_Step(&s->def.twin.mechanism, &at, hand, t->motors.tau, T, substepsOf(T),
                           &energy) ||
        marginAt(&s->def.twin, at.x) < least) {
        return false;
    }
    t->motors.energy = energy;
    plPut3(at.x, t->x);
    plPut3(at.v, t->v);
    return true;
}

// Along a stop; the curvature of its border may take the handle a little way through.
static bool slide(plSimulated* s, plVec3 hand, double T)
{
    State* t = s->state;
    const plVec3 x = plGet3(t->x), a = accelerationWith(s, plVec(0, 0, 0), hand);
    const double before = t->motors.energy.kinetic;
    plVec3 v = plGet3(t->v);
    if (!plPantograph_Stop(&s->def.twin.mechanism, stopMargin, x, a, T, &v)) return false;
    const double after = kineticOf(s, x, v);
    if (!follow(s, v, hand, T, stopMargin / 2)) return false;
    t->motors.stopped += before - after;
    return true;
}

static void stand(State* t)
{
    t->motors.stopped += t->motors.energy.kinetic;
    t->motors.energy.kinetic = 0;
    memset(t->v, 0, sizeof t->v);
}

static void move(plSimulated* s, double time, double T)
{
    State* t = s->state;
    const plVec3 hand = handForce(s, time, T);
    const double least = fmin(stopMargin, marginAt(&s->def.twin, plGet3(t->x)));
    t->stop = 0;
    if (follow(s, plGet3(t->v), hand, T, least)) return;
    t->stop = 1;
    t->motors.stops += 1;
    if (!slide(s, hand, T)) stand(t);
}

static plDeviceEnergy step(plSimulated* s, const plWrench* written, double time, double T)
{
    State* t = s->state;
    const plMotors before = t->motors, *after = &t->motors;
    drive(s, written);
    move(s, time, T);
    t->ticks += 1;
    return (plDeviceEnergy){.kinetic = after->energy.kinetic,
                            .applied = after->energy.hand - before.energy.hand,
                            .rows = after->energy.motors - before.energy.motors,
                            .dissipated = after->stopped - before.stopped,
                            .integrator = after->energy.residual - before.energy.residual};
}

static double kinetic(const plSimulated* s)
{
    return ((const State*)s->state)->motors.energy.kinetic;
}

const plSimulatedKind plTwinKind = {.stateSize = sizeof(State),
                                    .complaint = complaint,
                                    .start = start,
                                    .sample = sampleOf,
                                    .step = step,
                                    .kinetic = kinetic,
                                    .grip = gripOf,
                                    .place = place,
                                    .masses = massesOf,
                                    .motors = motorsOf};
