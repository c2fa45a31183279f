// iapb figures 7 to 11: a hand pushes a device, the device a peg, the peg into a corner of two walls.
//                                                                                      (iapb spec 3)
// The ideal hand meets walls that do not yield. The others meet springs with dampers (penalty),
// springs that are helped by collision impulses (full and its limited kinds), or a spring between
// the hand and a proxy that stays outside (coupler).
//   x, y   place of the hand [m]; the walls are x >= 0 and y <= 0
//   rms    of the distance between two hands, in half a second from the first contact
//   depth  how far a corner of the hand's peg is in a wall
#include "peg.h"
#include "base/base.h"
#include "iapb/iapb.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    ideal,
    full,
    spread,
    bank,
    scaled,
    saturated,
    penalty,
    coupler, ///< a proxy behind a unilateral coupler
    strategyCount
} Strategy;

static const struct {
    const char* name; ///< of its columns
    plLawName law;
    plLimit limit;
} strategies[strategyCount] = {[ideal] = {"ideal", pl_lawCone, pl_limitNone},
                               [full] = {"full", pl_lawImpulse, pl_limitNone},
                               [spread] = {"spread", pl_lawImpulse, pl_limitSpread},
                               [bank] = {"bank", pl_lawImpulse, pl_limitBank},
                               [scaled] = {"scaled", pl_lawImpulse, pl_limitScale},
                               [saturated] = {"saturated", pl_lawImpulse, pl_limitSaturate},
                               [penalty] = {"penalty", pl_lawPenalty, pl_limitNone},
                               [coupler] = {"coupler", pl_lawPenalty, pl_limitNone}};

typedef struct {
    double gapX, gapY, tilt; ///< of the closest corner [m], [deg]
    double damping;          ///< of the walls [N s/m]
    double e;
    double push; ///< of the hand, in its own forces
    plCollision collision;
} Corner;

enum { flush, lastFlush = 4, tilted, tiltedMore = 7, lastTilted = 9, weak, cornerCount };

/// V1 to V8, V10, V11 and VB5 of the spec: flush, tilted, and flush with weakly damped walls.
/// The last three are the same in all: e = 0, the hand as it is, the equality of the paper.
static const Corner corners[cornerCount] = {
    {.01998, .03009, 0, 50, 0, 1, 0},  {.01998, .02497, 0, 50, 0, 1, 0},
    {.03006, .01998, 0, 50, 0, 1, 0},  {.00499, .00801, 0, 50, 0, 1, 0},
    {.05002, .07998, 0, 50, 0, 1, 0},  {.01998, .03009, 2, 50, 0, 1, 0},
    {.01998, .03009, -2, 50, 0, 1, 0}, {.01998, .03009, 5, 50, 0, 1, 0},
    {.01998, .03009, 10, 50, 0, 1, 0}, {.01998, .03009, -20, 50, 0, 1, 0},
    {.01998, .03009, 0, 5, 0, 1, 0}};

static const plVec3 half = {0.0105, 0.00525, 0.005}; // of the peg's sides [m]
static const double T = 1.0 / 512;
/// All of a run; enough of it for the rms, also of the longest way; what the rms sees; what is drawn.
enum { steps = 2048, someSteps = 800, window = 256, shown = 615 };

// -------------------------------------------------------------------------------------- world

typedef struct {
    plWorld* world;
    plMechanismId tool;
    plDeviceId device;
} Peg;

/// Where the centre is when the closest corner has the gaps.
static plPose startOf(const Corner* c)
{
    const double a = c->tilt * PL_PI / 180, co = fabs(cos(a)), si = fabs(sin(a));
    return (plPose){
        plVec(c->gapX + co * half.x + si * half.y, -c->gapY - (si * half.x + co * half.y), 0),
        plRotor(plVec(0, 0, 1), a)};
}

/// The walls of the ideal world do not yield: contacts are met before they touch, and what the steps
/// leave of depth is taken back at once.
static plContactDef contactDef(const Corner* c, Strategy s)
{
    plContactDef d = plDefaultContactDef();
    d.law = strategies[s].law;
    d.collision = c->collision;
    d.surface.friction = 0;
    d.surface.restitution = c->e;
    d.surface.stiffness = 1000;
    d.surface.damping = c->damping;
    d.cluster = 0;
    if (s != ideal) return d;
    d.reach = d.coherence = 0.05;
    d.driftRate = 1;
    d.slop = 0;
    return d;
}

static plStatus addTool(Peg* p, const Corner* c)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    const plPose start = startOf(c);
    body.name = "peg";
    body.joint = pl_jointPlanar;
    body.mass = 2;
    body.inertia = plDiagonal3(0.005, 0.005, 0.005);
    body.position[0] = start.p.x;
    body.position[1] = start.p.y;
    body.position[2] = c->tilt * PL_PI / 180;
    chain.name = "tool";
    chain.bodies = &body;
    chain.bodyCount = 1;
    chain.integrator = pl_integratorSemiImplicit;
    return plWorld_AddChain(p->world, &chain, &p->tool);
}

static plStatus addProxy(Peg* p, const Corner* c)
{
    plPrescribedDef frame = plDefaultPrescribedDef();
    frame.name = "tool";
    frame.pose = startOf(c);
    return plWorld_AddPrescribed(p->world, &frame, &p->tool);
}

static plStatus addShapes(const Peg* p)
{
    plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    box.mechanism = p->tool;
    box.shape.half = half;
    wall.shape.normal = plVec(1, 0, 0);
    plStatus status = plWorld_AddShape(p->world, &wall, &id);
    wall.shape.normal = plVec(0, -1, 0);
    if (status == pl_statusOk) status = plWorld_AddShape(p->world, &wall, &id);
    if (status == pl_statusOk) status = plWorld_AddShape(p->world, &box, &id);
    return status;
}

static plStatus addDevice(Peg* p, const Corner* c)
{
    plDeviceDef device = plDefaultDeviceDef();
    device.name = "stick";
    device.mass = plVec(2, 2, 2);
    device.inertia = plVec(0.005, 0.005, 0.005);
    device.pose = startOf(c);
    device.hand.wrench.force = plScale(c->push, plVec(-0.32, 0.4, 0));
    return plWorld_AddDevice(p->world, &device, &p->device);
}

static plStatus addCoupling(const Peg* p, Strategy s)
{
    plCouplingDef hold = plDefaultCouplingDef();
    plCouplingId id;
    const bool proxy = s == coupler;
    const double K = proxy ? 1000 : 100, B = proxy ? 50 : 70;
    const double Kr = proxy ? 2.5 : 0.5, Br = proxy ? 0.125 : 0.375;
    hold.name = "hold";
    if (proxy) hold.kind = pl_couplingUnilateral;
    hold.device = p->device;
    hold.tool.mechanism = p->tool;
    hold.stiffness = plVec(K, K, K);
    hold.damping = plVec(B, B, B);
    hold.turnStiffness = plVec(Kr, Kr, Kr);
    hold.turnDamping = plVec(Br, Br, Br);
    hold.limit = strategies[s].limit;
    hold.forceLimit = plVec(15, 15, 15);
    hold.torqueLimit = plVec(1, 1, 1);
    return plWorld_AddCoupling(p->world, &hold, &id);
}

static bool open(plFigureJob* job, const Corner* c, Strategy s, Peg* p)
{
    plWorldDef def = plDefaultWorldDef();
    def.planar = true;
    def.gravity = plVec(0, 0, 0);
    def.contact = contactDef(c, s);
    plStatus status = plWorld_Create(&def, &p->world);
    if (status != pl_statusOk) p->world = NULL;
    if (status == pl_statusOk) status = s == coupler ? addProxy(p, c) : addTool(p, c);
    if (status == pl_statusOk) status = addShapes(p);
    if (status == pl_statusOk) status = addDevice(p, c);
    if (status == pl_statusOk) status = addCoupling(p, s);
    if (status == pl_statusOk) return true;
    snprintf(job->message, sizeof job->message, "no world for a peg: %s", plStatus_Name(status));
    plWorld_Destroy(p->world);
    return false;
}

// --------------------------------------------------------------------------------------- runs

typedef struct {
    int count;                                  ///< of steps
    double x[steps], y[steps];                  ///< of the hand before a step [m]
    double fx[steps], fy[steps], torque[steps]; ///< on it, off the walls [N], [N m]
    double toolDepth;                           ///< of a peg that is not tilted [m]
    double toolSpeed;                           ///< largest off the wall x [m/s]
} Track;

static bool follow(plFigureJob* job, const Corner* c, Strategy s, int count, Track* t)
{
    Peg p;
    if (!open(job, c, s, &p)) return false;
    t->count = count;
    t->toolDepth = t->toolSpeed = 0;
    for (int k = 0; k < count; ++k) {
        plPose hand;
        plWrench f;
        double q[7], v[6];
        plWorld_DevicePose(p.world, p.device, &hand);
        plWorld_Step(p.world, T);
        plWorld_DeviceForce(p.world, p.device, &f);
        plWorld_State(p.world, p.tool, q, v);
        t->x[k] = hand.p.x, t->y[k] = hand.p.y;
        t->fx[k] = f.force.x, t->fy[k] = -f.force.y, t->torque[k] = f.torque.z;
        t->toolDepth = fmax(t->toolDepth, fmax(half.x - q[0], half.y + q[1]));
        t->toolSpeed = fmax(t->toolSpeed, v[0]);
    }
    plWorld_Destroy(p.world);
    return true;
}

static double gapX(const Track* t, int k) { return t->x[k] - half.x; }
static double gapY(const Track* t, int k) { return -t->y[k] - half.y; }

static double depthOf(const Track* t)
{
    double depth = 0;
    for (int k = 0; k < t->count; ++k) depth = fmax(depth, -fmin(gapX(t, k), gapY(t, k)));
    return depth;
}

static double peakOf(const double* force, int count)
{
    double peak = 0;
    for (int k = 0; k < count; ++k) peak = fmax(peak, fabs(force[k]));
    return peak;
}

/// From when on the hand stays within 0.1 mm of where it ends [s].
static double settlingOf(const Track* t)
{
    int k = t->count - 1;
    const double x = t->x[k], y = t->y[k];
    while (k >= 0 && hypot(t->x[k] - x, t->y[k] - y) < 1e-4) --k;
    return (k + 1) * T;
}

/// Of the ideal hand: the first step with more than 1 N.
static int firstContact(const Track* t)
{
    int k = 0;
    while (k < t->count - window && hypot(t->fx[k], t->fy[k]) <= 1) ++k;
    return k;
}

static double distance(const Track* a, const Track* b, int k)
{
    return 1e3 * hypot(a->x[k] - b->x[k], a->y[k] - b->y[k]); // [mm]
}

static double rmsBetween(const Track* a, const Track* b, int first)
{
    double sum = 0;
    for (int k = first; k < first + window; ++k) sum += pow(distance(a, b, k), 2);
    return sqrt(sum / window);
}

/// The same of the impulses that two hands have got [N s].
static double rmsOfImpulses(const Track* a, const Track* b, int first)
{
    double sum = 0, px = 0, py = 0;
    for (int k = first; k < first + window; ++k) {
        px += T * (a->fx[k] - b->fx[k]);
        py += T * (a->fy[k] - b->fy[k]);
        sum += px * px + py * py;
    }
    return sqrt(sum / window);
}

typedef struct {
    Track track[cornerCount][strategyCount];
    Track other; ///< of a corner that is not in the list
} Runs;

#define ONLY(s) (1u << (s))

/// The wanted strategies, the ideal one among them, in all corners.
static bool followAll(plFigureJob* job, unsigned wanted, Runs* r)
{
    for (Strategy s = ideal; s < strategyCount; ++s) {
        if (!(wanted & ONLY(s))) continue;
        plFigureJob_Progress(job, strategies[s].name);
        for (int c = 0; c < cornerCount; ++c) {
            const int count = c == flush || c == tilted ? steps : someSteps;
            if (!follow(job, &corners[c], s, count, &r->track[c][s])) return false;
        }
    }
    return true;
}

static double rms(const Runs* r, int corner, Strategy s)
{
    const Track* truth = &r->track[corner][ideal];
    return rmsBetween(&r->track[corner][s], truth, firstContact(truth));
}

/// Largest rms of `a` over that of `b` in the corners from `first` to `last`.
static double largestRatio(const Runs* r, int first, int last, Strategy a, Strategy b)
{
    double ratio = 0;
    for (int c = first; c <= last; ++c) ratio = fmax(ratio, rms(r, c, a) / rms(r, c, b));
    return ratio;
}

// ------------------------------------------------------------------------------------- tables

static bool addTime(plFigureJob* job)
{
    double* t = plFigureJob_Column(job, shown, "time");
    for (int k = 0; t && k < shown; ++k) t[k] = k * T;
    return t != NULL;
}

/// Gaps of the hand and its distance to the ideal one [mm].
static bool addPaths(plFigureJob* job, const Runs* r, unsigned wanted)
{
    for (Strategy s = ideal; s < strategyCount; ++s) {
        const Track* t = &r->track[flush][s];
        if (!(wanted & ONLY(s))) continue;
        double* x = plFigureJob_Column(job, shown, "x %s", strategies[s].name);
        double* y = plFigureJob_Column(job, shown, "y %s", strategies[s].name);
        double* d = plFigureJob_Column(job, shown, "d %s", strategies[s].name);
        if (!x || !y || !d) return false;
        for (int k = 0; k < shown; ++k) {
            x[k] = 1e3 * gapX(t, k), y[k] = 1e3 * gapY(t, k);
            d[k] = distance(t, &r->track[flush][ideal], k);
        }
    }
    return true;
}

static bool addForces(plFigureJob* job, const Runs* r, unsigned wanted)
{
    for (Strategy s = ideal; s < strategyCount; ++s) {
        const Track* t = &r->track[flush][s];
        if (!(wanted & ONLY(s))) continue;
        double* x = plFigureJob_Column(job, shown, "fx %s", strategies[s].name);
        double* y = plFigureJob_Column(job, shown, "fy %s", strategies[s].name);
        double* n = plFigureJob_Column(job, shown, "torque %s", strategies[s].name);
        if (!x || !y || !n) return false;
        memcpy(x, t->fx, shown * sizeof *x);
        memcpy(y, t->fy, shown * sizeof *y);
        memcpy(n, r->track[tilted][s].torque, shown * sizeof *n);
    }
    return true;
}

// ------------------------------------------------------------------------------------- claims

/// Bars are those of the spec: what it prints, to the last digit.
static void claimRms(plFigureJob* job, const Runs* r, Strategy s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "rms-%s", strategies[s].name);
    plFigureJob_Claim(job, id, rms(r, flush, s), plWithin(expected, 1e-5 + 1e-4 * expected),
                      "%s: rms distance of the hand to the ideal one, 0.5 s from the first "
                      "contact [mm]",
                      strategies[s].name);
}

static void claimDepth(plFigureJob* job, const Runs* r, Strategy s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "depth-%s", strategies[s].name);
    plFigureJob_Claim(job, id, 1e3 * depthOf(&r->track[flush][s]), plWithin(expected, 5e-5),
                      "%s: deepest place of the hand [mm]", strategies[s].name);
}

static void claimToolDepth(plFigureJob* job, const Runs* r, Strategy s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "tool-%s", strategies[s].name);
    plFigureJob_Claim(job, id, 1e3 * r->track[flush][s].toolDepth, plWithin(expected, 5e-5),
                      "%s: deepest place of the peg that is seen [mm]", strategies[s].name);
}

static void claimSettling(plFigureJob* job, const Runs* r, Strategy s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "settling-%s", strategies[s].name);
    plFigureJob_Claim(job, id, settlingOf(&r->track[flush][s]), plWithin(expected, 5e-4),
                      "%s: from when on the hand stays within 0.1 mm of its end [s]",
                      strategies[s].name);
}

static void claimPeaks(plFigureJob* job, const Runs* r, Strategy s, double x, double y,
                       double tolerance)
{
    const Track* t = &r->track[flush][s];
    char id[40];
    snprintf(id, sizeof id, "peak-x-%s", strategies[s].name);
    plFigureJob_Claim(job, id, peakOf(t->fx, t->count), plWithin(x, tolerance),
                      "%s: largest force on the hand along x [N]", strategies[s].name);
    snprintf(id, sizeof id, "peak-y-%s", strategies[s].name);
    plFigureJob_Claim(job, id, peakOf(t->fy, t->count), plWithin(y, tolerance), "and along y [N]");
}

static double torqueOf(const Runs* r, Strategy s)
{
    return peakOf(r->track[tilted][s].torque, steps);
}

/// The hand is closer to the ideal one than that of either rival.
static void claimClosest(plFigureJob* job, const Runs* r, Strategy s, double flushBar)
{
    const double toPenalty = largestRatio(r, tilted, lastTilted, s, penalty);
    const double toCoupler = largestRatio(r, tilted, lastTilted, s, coupler);
    plFigureJob_Claim(job, "closest", largestRatio(r, flush, lastFlush, s, penalty),
                      plAtMost(flushBar),
                      "The paper's \"closest to the ideal trajectory\" holds: largest rms over "
                      "that of penalty, 5 starts without tilt");
    plFigureJob_Claim(job, "closest-tilted", fmax(toPenalty, toCoupler), plAtMost(0.9),
                      "and over that of penalty and coupler, 5 starts with tilts of 2 to 20 deg");
    plFigureJob_Claim(job, "coupler", 1 / largestRatio(r, flush, lastFlush, penalty, coupler),
                      plAtLeast(1.9),
                      "The coupler is twice as far off as penalty, because a side of the peg rests "
                      "on two springs of the same stiffness: least ratio, without tilt");
}

static bool judgePaths(plFigureJob* job, Runs* r)
{
    const Track* t = &r->track[flush][full];
    const int end = t->count - 1;
    claimRms(job, r, full, .238220);
    claimRms(job, r, penalty, .676967);
    claimRms(job, r, coupler, 1.370351);
    claimClosest(job, r, full, 0.65);
    claimDepth(job, r, ideal, .0326);
    claimDepth(job, r, full, .2288);
    claimDepth(job, r, penalty, 1.5334);
    claimDepth(job, r, coupler, 2.7125);
    claimSettling(job, r, ideal, .549);
    claimSettling(job, r, full, .551);
    claimSettling(job, r, penalty, .689);
    claimSettling(job, r, coupler, .844);
    plFigureJob_Claim(job, "rest", 1e3 * hypot(gapX(t, end) + 0.16e-3, gapY(t, end) + 0.2e-3),
                      plAtMost(1e-3),
                      "full comes to rest where two springs hold the hand, 0.16 and 0.20 mm deep: "
                      "error after 4 s [mm]");
    return true;
}

/// Least peak of `a` over that of `b`, of both axes, in the corners from `first` to `last`.
static double leastPeakRatio(const Runs* r, int first, int last, Strategy a, Strategy b)
{
    double ratio = (double)INFINITY;
    for (int c = first; c <= last; ++c) {
        const Track *s = &r->track[c][a], *t = &r->track[c][b];
        ratio = fmin(ratio, peakOf(s->fx, s->count) / peakOf(t->fx, t->count));
        ratio = fmin(ratio, peakOf(s->fy, s->count) / peakOf(t->fy, t->count));
    }
    return ratio;
}

static double largestImpulseRatio(const Runs* r)
{
    double ratio = 0;
    for (int c = flush; c <= lastTilted; ++c) {
        const Track* t = r->track[c];
        const int first = firstContact(&t[ideal]);
        const double rival = fmin(rmsOfImpulses(&t[penalty], &t[ideal], first),
                                  rmsOfImpulses(&t[coupler], &t[ideal], first));
        ratio = fmax(ratio, rmsOfImpulses(&t[full], &t[ideal], first) / rival);
    }
    return ratio;
}

/// A collision that never pulls, for comparison.
static bool claimTorques(plFigureJob* job, Runs* r)
{
    Corner pushing = corners[tilted];
    const Track* truth = &r->track[tilted][ideal];
    pushing.collision = pl_collisionComplementarity;
    if (!follow(job, &pushing, full, steps, &r->other)) return false;
    plFigureJob_Claim(job, "torque-full", torqueOf(r, full), plWithin(1.54, 0.005),
                      "Tilted by 2 deg, full: largest torque, of a collision that pulls at one "
                      "corner, as the paper's rule may [N m]");
    plFigureJob_Claim(job, "torque-pushing", peakOf(r->other.torque, steps), plWithin(1.10, 0.005),
                      "the same of a collision that only pushes (complementarity) [N m]");
    plFigureJob_Claim(job, "rms-pushing", rmsBetween(&r->other, truth, firstContact(truth)),
                      plWithin(.576, 5e-4),
                      "which is also closer to the ideal hand, 1.178 mm by the paper's rule: rms "
                      "distance [mm]");
    return true;
}

static bool judgeForces(plFigureJob* job, Runs* r)
{
    const Track* t = &r->track[flush][full];
    const int end = t->count - 1;
    claimPeaks(job, r, full, 81.879, 112.346, 1e-3);
    claimPeaks(job, r, penalty, 8.171, 11.216, 1e-3);
    claimPeaks(job, r, coupler, 4.020, 5.520, 1e-3);
    claimPeaks(job, r, ideal, 45.8, 64.2, 0.05); // printed with one decimal
    plFigureJob_Claim(job, "larger", leastPeakRatio(r, flush, lastTilted, full, penalty),
                      plAtLeast(10),
                      "The paper's \"large collision impulses\" hold: least peak of full over that "
                      "of penalty, 10 starts; of the size of m/(2 B T) = 10.24");
    plFigureJob_Claim(job, "closer", largestImpulseRatio(r), plAtMost(0.35),
                      "The paper's \"closer to the ideal forces\" holds for their impulse (rms "
                      "error over that of the best rival, 10 starts), not for peaks: ideal "
                      "collisions take two steps");
    plFigureJob_Claim(job, "rest", hypot(t->fx[end] - 0.32, t->fy[end] - 0.4), plAtMost(1e-5),
                      "In the end the walls only balance the hand: error after 4 s [N]");
    return claimTorques(job, r);
}

/// With e = 1/2: how fast the peg leaves the first wall.
static bool claimRebound(plFigureJob* job, Runs* r, Strategy s, plCriterion bar, const char* text)
{
    char id[40];
    Corner bouncing = corners[flush];
    bouncing.e = 0.5;
    snprintf(id, sizeof id, "rebound-%s", strategies[s].name);
    if (!follow(job, &bouncing, s, someSteps, &r->other)) return false;
    plFigureJob_Claim(job, id, r->other.toolSpeed, bar, "%s", text);
    return true;
}

static bool claimRebounds(plFigureJob* job, Runs* r)
{
    return claimRebound(job, r, full, plWithin(.0397, 5e-5),
                        "With e = 1/2 full throws the peg back with half of 0.08 m/s: largest "
                        "speed [m/s]") &&
           claimRebound(job, r, bank, plWithin(.0371, 5e-5), "a bank nearly so [m/s]") &&
           claimRebound(job, r, spread, plBetween(.0038, .0045),
                        "and spread loses it, so that the paper's \"amount equal to (24)\" holds "
                        "for e = 0 only: 0.0038 when the collision ends, then the springs' "
                        "[m/s]");
}

static void claimOrder(plFigureJob* job, const Runs* r)
{
    plFigureJob_Claim(job, "spread-best", largestRatio(r, flush, lastTilted, spread, scaled),
                      plAtMost(1),
                      "The paper's \"overcome best by spreading\" holds: largest rms of spread "
                      "over that of scaled, 10 starts");
    plFigureJob_Claim(job, "bank", largestRatio(r, flush, weak, bank, spread), plAtMost(1.05),
                      "A bank, which the paper does not know, is nearly as good: largest rms over "
                      "that of spread");
    plFigureJob_Claim(job, "saturated-flush",
                      1 / largestRatio(r, flush, lastFlush, spread, saturated), plAtLeast(2.5),
                      "Saturated is far worse: least rms over that of spread, without tilt");
    plFigureJob_Claim(job, "saturated-tilted",
                      1 / largestRatio(r, tilted, lastTilted, spread, saturated), plAtLeast(1.8),
                      "and with tilt");
    plFigureJob_Claim(job, "saturated-worst",
                      1 / largestRatio(r, flush, lastTilted, scaled, saturated), plAtLeast(1),
                      "The paper's \"loss is highest if saturated\" holds with its walls of 50 "
                      "N s/m: least rms over that of scaled, 10 starts");
    plFigureJob_Claim(job, "saturated-weak", rms(r, weak, saturated) / rms(r, weak, scaled),
                      plAtMost(0.25),
                      "but not with walls of 5 N s/m, where scaled bounces: the same ratio");
    plFigureJob_Claim(job, "scaled", largestRatio(r, flush, lastFlush, scaled, penalty),
                      plAtMost(1.05),
                      "Scaled is hardly better than penalty: largest rms over it, without tilt");
    plFigureJob_Claim(job, "degrades", largestRatio(r, flush, lastFlush, full, spread), plAtMost(1),
                      "The paper's \"degrades as the force capabilities decrease\" holds without "
                      "tilt: largest rms of full over that of spread");
    plFigureJob_Claim(job, "degrades-tilted", rms(r, tiltedMore, full) / rms(r, tiltedMore, spread),
                      plAtLeast(1.5),
                      "but not with a tilt of 5 deg, where full pulls at corners: the same ratio");
}

/// That full is worse than spread with a tilt is the pulling: without it the order is kept.
static bool claimPushing(plFigureJob* job, Runs* r)
{
    Corner pushing = corners[tiltedMore];
    const Track* truth = &r->track[tiltedMore][ideal];
    const Strategy both[2] = {full, spread};
    double distances[2];
    pushing.collision = pl_collisionComplementarity;
    for (int i = 0; i < 2; ++i) {
        if (!follow(job, &pushing, both[i], someSteps, &r->other)) return false;
        distances[i] = rmsBetween(&r->other, truth, firstContact(truth));
    }
    plFigureJob_Claim(job, "degrades-pushing", distances[0] / distances[1], plAtMost(1),
                      "and holds again there when collisions only push (complementarity)");
    return true;
}

static bool judgeLimits(plFigureJob* job, Runs* r)
{
    claimRms(job, r, spread, .384269);
    claimRms(job, r, bank, .395000);
    claimRms(job, r, scaled, .649312);
    claimRms(job, r, saturated, 1.562223);
    claimOrder(job, r);
    if (!claimPushing(job, r)) return false;
    claimDepth(job, r, scaled, 1.4830);
    claimDepth(job, r, saturated, 2.0800);
    claimToolDepth(job, r, scaled, 1.4497);
    claimToolDepth(job, r, saturated, .7670);
    claimSettling(job, r, spread, .658);
    claimSettling(job, r, scaled, .6875);
    claimSettling(job, r, saturated, 2.428);
    return claimRebounds(job, r);
}

/// A hand that is not small against the limit.
static bool claimPush(plFigureJob* job, Runs* r, Strategy s, double expected, const char* text)
{
    char id[40];
    const Corner strong = {.gapX = 0.02, .gapY = 0.03, .damping = 50, .push = 10};
    snprintf(id, sizeof id, "push-%s", strategies[s].name);
    if (!follow(job, &strong, s, steps, &r->other)) return false;
    plFigureJob_Claim(job, id, 1e3 * depthOf(&r->other), plWithin(expected, 0.05), "%s", text);
    return true;
}

static bool judgeSpread(plFigureJob* job, Runs* r)
{
    double ratio = 0;
    for (int c = flush; c <= lastTilted; ++c) {
        const Track* t = r->track[c];
        const int first = firstContact(&t[ideal]);
        ratio = fmax(ratio, rmsBetween(&t[spread], &t[penalty], first) /
                                rmsBetween(&t[full], &t[penalty], first));
    }
    claimRms(job, r, spread, .384269);
    claimClosest(job, r, spread, 0.85);
    claimDepth(job, r, spread, .8764);
    claimSettling(job, r, spread, .658);
    plFigureJob_Claim(job, "nearer-penalty", ratio, plAtMost(1),
                      "The paper's \"closer to each other than in figure 7\" holds: rms between "
                      "spread and penalty over that between full and penalty, largest of 10 "
                      "starts");
    claimToolDepth(job, r, full, .2010);
    claimToolDepth(job, r, spread, .8436);
    claimToolDepth(job, r, penalty, 1.5001);
    return claimPush(job, r, spread, 11.2,
                     "With ten times the hand's force \"regardless of the limitations\" does not "
                     "hold, as no spring acts while the collision is spread: depth of the hand "
                     "[mm]") &&
           claimPush(job, r, penalty, 5.4, "and of penalty [mm]");
}

static double largestOf(const Runs* r, Strategy s, bool torque)
{
    double most = 0;
    for (int c = flush; c <= weak; ++c) {
        const Track* t = &r->track[c][s];
        const double force = fmax(peakOf(t->fx, t->count), peakOf(t->fy, t->count));
        most = fmax(most, torque ? peakOf(t->torque, t->count) : force);
    }
    return most;
}

static void claimAmount(plFigureJob* job, const Runs* r)
{
    const Track *s = &r->track[flush][spread], *f = &r->track[flush][full];
    double sum = 0;
    int count = 0;
    for (int k = 0; k < s->count; ++k) {
        if (s->fx[k] > 5) sum += s->fx[k];
        count += s->fx[k] > 5 || s->fy[k] > 5; // springs alone stay below
    }
    plFigureJob_Claim(job, "steps", count, plWithin(14, 0),
                      "The two collisions take 6 and 8 steps, m v/(15 N T) rounded up");
    plFigureJob_Claim(job, "amount", sum / peakOf(f->fx, f->count), plBetween(1.006, 1.025),
                      "The paper's \"amount equal to (24)\" holds with e = 0, but for what the "
                      "hand adds meanwhile: impulse of the first over that of full");
}

static bool judgeLimitedForces(plFigureJob* job, Runs* r)
{
    claimPeaks(job, r, spread, 15.005, 15.006, 1e-3);
    claimPeaks(job, r, penalty, 8.171, 11.216, 1e-3);
    plFigureJob_Claim(job, "still-larger", leastPeakRatio(r, flush, flush, spread, penalty),
                      plAtLeast(1),
                      "The paper's \"though limited, still larger than the penalty-based forces\" "
                      "holds: least ratio of the peaks");
    plFigureJob_Claim(job, "still-larger-fast",
                      leastPeakRatio(r, lastFlush, lastFlush, spread, penalty),
                      plBetween(0.8, 0.85),
                      "but not from 50 and 80 mm away, where penalty itself exceeds the limit, "
                      "with 18.2 N: the same ratio");
    plFigureJob_Claim(job, "torque", torqueOf(r, spread) / torqueOf(r, penalty), plAtLeast(1),
                      "It holds for torques too: the ratio with a tilt of 2 deg");
    plFigureJob_Claim(job, "limit", largestOf(r, spread, false), plAtMost(15.02),
                      "The limit is kept by the contacts' force, to which the spring between "
                      "device and peg adds a little: largest force in all starts [N]");
    plFigureJob_Claim(job, "limit-torque", largestOf(r, spread, true), plAtMost(1.001),
                      "and largest torque [N m]");
    claimAmount(job, r);
    return true;
}

// ------------------------------------------------------------------------------------ figures

static bool make(plFigureJob* job, unsigned wanted, unsigned drawn,
                 bool (*table)(plFigureJob*, const Runs*, unsigned),
                 bool (*judge)(plFigureJob*, Runs*))
{
    Runs* r = calloc(1, sizeof *r);
    if (!r) snprintf(job->message, sizeof job->message, "no memory for the runs of a peg");
    const bool good = r && followAll(job, wanted | drawn, r) && addTime(job) &&
                      table(job, r, drawn) && judge(job, r);
    free(r);
    return good;
}

static const unsigned rivals = ONLY(ideal) | ONLY(penalty) | ONLY(coupler);
static const unsigned limited = ONLY(spread) | ONLY(bank) | ONLY(scaled) | ONLY(saturated);

static bool make7(plFigureJob* job)
{
    return make(job, 0, rivals | ONLY(full), addPaths, judgePaths);
}

static bool make8(plFigureJob* job)
{
    return make(job, 0, rivals | ONLY(full), addForces, judgeForces);
}

static bool make9(plFigureJob* job)
{
    return make(job, ONLY(penalty), ONLY(ideal) | ONLY(full) | limited, addPaths, judgeLimits);
}

static bool make10(plFigureJob* job)
{
    return make(job, ONLY(full), rivals | ONLY(spread), addPaths, judgeSpread);
}

static bool make11(plFigureJob* job)
{
    return make(job, ONLY(full), rivals | ONLY(spread), addForces, judgeLimitedForces);
}

#define PEG                                                                                        \
    "Peg of 21 x 10.5 mm, 2 kg, 0.005 kg m^2, device alike; hand (-0.32, 0.4) N; walls 1000 N/m, " \
    "50 N s/m, e = 0; controller 100 N/m, 70 N s/m; coupler 1000 N/m, 50 N s/m; start 19.98 and "  \
    "30.09 mm from the walls, T = 1/512 s"

const plFigure plFigureIapb7 = {
    .id = "iapb-7",
    .title = "A peg into a corner: hands",
    .caption = "A constant force pushes a peg into a corner; it meets one wall after half a "
               "second and the other soon after. The ideal walls stop the hand at once. Springs "
               "let it in and push it back slowly; collision impulses of one step stop it, and "
               "what is left is how far the springs yield at rest.",
    .parameters = PEG ".",
    .width = 960,
    .height = 520,
    .script = plPathScript,
    .make = make7,
};

const plFigure plFigureIapb8 = {
    .id = "iapb-8",
    .title = "A peg into a corner: forces",
    .caption = "What the hand feels of the same collisions. An impulse of one step is ten times "
               "the force of the springs. Without tilt there is no torque; on the right the peg is "
               "tilted, and the paper's rule, which stops all closing corners, also pulls.",
    .parameters = PEG ". Torques: tilted by 2 deg.",
    .width = 960,
    .height = 440,
    .script = plForceScript,
    .make = make8,
};

const plFigure plFigureIapb9 = {
    .id = "iapb-9",
    .title = "A peg into a corner: limits of a device",
    .caption = "A device that gives 15 N cannot give the impulses in one step. If it gives what "
               "it can, the peg stops and the hand goes on (saturated); if the peg gets no more "
               "than the hand, the collision stays incomplete (scaled), unless it goes on in the "
               "next steps (spread, or paid out from a bank).",
    .parameters = PEG "; limits 15 N and 1 N m.",
    .width = 960,
    .height = 520,
    .script = plLimitScript,
    .make = make9,
};

const plFigure plFigureIapb10 = {
    .id = "iapb-10",
    .title = "A peg into a corner: hands, impulses spread",
    .caption = "As figure 7, with impulses spread over as many steps as the limit asks for. The "
               "hand is further off than with full impulses, and still closer than with springs "
               "alone.",
    .parameters = PEG "; limits 15 N and 1 N m.",
    .width = 960,
    .height = 520,
    .script = plSpreadPathScript,
    .make = make10,
};

const plFigure plFigureIapb11 = {
    .id = "iapb-11",
    .title = "A peg into a corner: forces, impulses spread",
    .caption = "As figure 8, with impulses spread. The force rises at once to what the device can "
               "give and stays there until the peg stands.",
    .parameters = PEG "; limits 15 N and 1 N m. Torques: tilted by 2 deg.",
    .width = 960,
    .height = 440,
    .script = plSpreadForceScript,
    .make = make11,
};
