// The tendon-driven hand holds a ball against gravity and a shake, wherever statics says that it can.
// Statics: forces within smaller friction cones at the contacts of the hand at rest, that carry the ball
// and that the tendons balance as they are, for both ends of the shake. What lies between is then carried
// too, because cones are convex.                                                     (pmi 5.3, spec 8)
#include "palp/scene.h"
#include "uatd.h"

static const double g0 = 9.81, mass = 0.005, shakes = 2, frequency = 5, margin = 1.1;

typedef struct {
    double radius, friction;
    plVec3 down; ///< direction of gravity in the frame of the hand, once it holds the ball
    plVec3 way;  ///< of the shake, same frame
} Cell;

// --- the course: close, turn, rest, shake

static const double closed = 1.5, turned = 3, rested = 4, T = 1e-3;

static double smooth(double s)
{
    const double x = fmin(fmax(s, 0), 1);
    return x * x * (3 - 2 * x);
}

// Orientation of the hand that has z of the world along -down.
static plPose placeAt(const Cell* c, double time)
{
    const plVec3 up = plScale(-1, c->down), axis = plCross(up, plVec(0, 0, 1));
    const double angle = acos(fmin(fmax(up.z, -1), 1));
    const plVec3 about = plNorm(axis) > 1e-9 ? plScale(1 / plNorm(axis), axis) : plVec(1, 0, 0);
    const plQuat q = plRotor(about, angle * smooth((time - closed) / (turned - closed)));
    const double w = 2 * PL_PI * frequency, A = shakes * g0 / (w * w);
    const double s = A * smooth((time - rested) / 0.5) * sin(w * (time - rested));
    const plMat3 R = plRotation(q);
    return (plPose){plMul(&R, plScale(time > rested ? s : 0, c->way)), q};
}

static void run(Ua* u, const Cell* c, double* now, double until)
{
    for (; *now < until - T / 2; *now += T) {
        checkOk(u->world, plWorld_Steer(u->world, u->mover, placeAt(c, *now + T)));
        plWorld_Step(u->world, T);
        assert_false(plWorld_Report(u->world).trouble & (pl_troubleNotFinite | pl_troubleStopped));
    }
}

static plMotion motionOf(const Ua* u, plMechanismId id, int part, plVec3 point)
{
    plMotion m;
    checkOk(u->world, plWorld_Motion(u->world, (plSite){id, part, point}, &m));
    return m;
}

/// Of the ball in the frame of the palm.
static plPose ballInPalm(const Ua* u)
{
    const plVec3 o = {0, 0, 0};
    const plMotion palm = motionOf(u, u->hand, 0, o), ball = motionOf(u, u->ball, 0, o);
    const plMat3 R = plTransMul(&palm.R, &ball.R);
    return (plPose){plMulT(&palm.R, plSub(ball.x, palm.x)), plQuatOf(&R)};
}

// --- statics

enum { maxContacts = 16, rowCount = 6 + uaFingers * uaJoints };

typedef struct {
    int count;
    plVec3 normal[maxContacts]; ///< into the ball
    double A[rowCount]
            [3 * maxContacts]; ///< forces on the ball -> its wrench, torques of the joints
    double load[rowCount];
} Statics;

// Column of a force along `axis` at `at`, on the ball or (with sign -1) on the finger that touches.
static void fillColumn(const Ua* u, Statics* s, int column, int part, plVec3 at, plVec3 axis,
                       double r)
{
    const plVec3 o = {0, 0, 0}, arm = plSub(at, motionOf(u, u->ball, 0, o).x);
    const plVec3 moment = plScale(1 / r, plCross(arm, axis));
    const double wrench[6] = {axis.x, axis.y, axis.z, moment.x, moment.y, moment.z};
    for (int i = 0; i < 6; ++i) s->A[i][column] = wrench[i];
    for (int i = 6; i < rowCount; ++i) s->A[i][column] = 0;
    if (part == 0) return;
    const int first = 1 + (part - 1) / uaJoints * uaJoints;
    for (int p = first; p <= part; ++p) {
        const plMotion joint = motionOf(u, u->hand, p, o);
        const plVec3 z = plMul(&joint.R, plVec(0, 0, 1));
        s->A[6 + p - 1][column] =
            -plDot(z, plCross(plSub(at, joint.x), axis)) / uaLengths[0]; // in units of force
    }
}

static void fillContacts(const Ua* u, Statics* s, double r)
{
    s->count = 0;
    for (int i = 0; i < plWorld_ContactCount(u->world); ++i) {
        plContactInfo c;
        checkOk(u->world, plWorld_Contact(u->world, i, &c));
        const bool first = c.a.mechanism.index1 == u->ball.index1;
        const plSite hand = first ? c.b : c.a;
        const plVec3 n = first ? c.normal : plScale(-1, c.normal);
        const plVec3 at = motionOf(u, hand.mechanism, hand.part, hand.point).x;
        plVec3 axes[3] = {n};
        plTangents(n, &axes[1], &axes[2]);
        assert_true(s->count < maxContacts);
        for (int k = 0; k < 3; ++k) fillColumn(u, s, 3 * s->count + k, hand.part, at, axes[k], r);
        s->normal[s->count++] = n;
    }
}

// What contacts must balance when everything in the hand feels the acceleration `g`.
static void fillLoad(const Ua* u, Statics* s, plVec3 g)
{
    const plVec3 o = {0, 0, 0};
    for (int i = 0; i < rowCount; ++i) s->load[i] = 0;
    plPut3(plScale(-mass, g), s->load);
    for (int part = 1; part <= uaFingers * uaJoints; ++part) {
        const int finger = (part - 1) / uaJoints, first = 1 + finger * uaJoints;
        const double L = uaLengths[(part - 1) % uaJoints];
        const plVec3 center = motionOf(u, u->hand, part, plVec(L / 2, 0, 0)).x;
        for (int p = first; p <= part; ++p) {
            const plMotion joint = motionOf(u, u->hand, p, o);
            const plVec3 z = plMul(&joint.R, plVec(0, 0, 1));
            const plVec3 moment = plCross(plSub(center, joint.x), plScale(1e-3, g));
            s->load[6 + p - 1] -= plDot(z, moment) / uaLengths[0];
        }
        for (int t = 0; t < uaTendons; ++t) {
            double pull;
            checkOk(u->world,
                    plWorld_Tendon(u->world, u->hand, finger * uaTendons + t, NULL, &pull));
            s->load[6 + part - 1] += uaPulleys[t][(part - 1) % uaJoints] * pull / uaLengths[0];
        }
    }
}

static void ontoCone(double* f, double mu)
{
    const double t = hypot(f[1], f[2]);
    if (t <= mu * f[0]) return;
    const double n = (f[0] + mu * t) / (1 + mu * mu);
    const double scale = n > 0 ? mu * n / t : 0;
    f[0] = fmax(n, 0);
    f[1] *= scale;
    f[2] *= scale;
}

// Least |A f - load| over the cones, by accelerated projected gradients; relative to |load|.
static double misfit(const Statics* s, double mu)
{
    const int n = 3 * s->count;
    double f[3 * maxContacts] = {0}, y[3 * maxContacts] = {0}, best = INFINITY, norm = 0, L = 0;
    for (int i = 0; i < rowCount; ++i) {
        norm += s->load[i] * s->load[i];
        for (int j = 0; j < n; ++j) L += s->A[i][j] * s->A[i][j];
    }
    double t = 1;
    for (int k = 0; k < 20000; ++k) {
        double r[rowCount], next[3 * maxContacts];
        for (int i = 0; i < rowCount; ++i) r[i] = plDotN(s->A[i], y, n) - s->load[i];
        for (int j = 0; j < n; ++j) {
            double slope = 0;
            for (int i = 0; i < rowCount; ++i) slope += s->A[i][j] * r[i];
            next[j] = y[j] - slope / L;
        }
        for (int c = 0; c < s->count; ++c) ontoCone(&next[3 * c], mu);
        const double t1 = 0.5 * (1 + sqrt(1 + 4 * t * t));
        for (int j = 0; j < n; ++j) {
            y[j] = next[j] + (t - 1) / t1 * (next[j] - f[j]);
            f[j] = next[j];
        }
        t = t1;
        double sum = 0;
        for (int i = 0; i < rowCount; ++i) {
            const double e = plDotN(s->A[i], f, n) - s->load[i];
            sum += e * e;
        }
        best = fmin(best, sqrt(sum / norm));
    }
    return best;
}

// Both ends of the shake, once the hand is turned; largest misfit. Judged when it has closed, before
// anything can fall: the hand's frame is the world's then.
static double staticMisfit(const Ua* u, const Cell* c, double mu)
{
    double worst = 0;
    Statics s;
    fillContacts(u, &s, c->radius);
    for (int sign = -1; sign <= 1; sign += 2) {
        const plVec3 shake = plScale(sign * shakes * margin, c->way);
        fillLoad(u, &s, plScale(g0, plAdd(c->down, shake)));
        worst = fmax(worst, misfit(&s, mu));
    }
    return worst;
}

typedef struct {
    bool exists;        ///< a static grasp, with the margin
    double away;        ///< of the ball from the palm, over its radius
    double creep, roll; ///< of its centre and of its surface [m/s]
} Outcome;

static Outcome hold(const Cell* c, UaDef def)
{
    Ua u = uaMake(&def);
    Outcome o = {0};
    double now = 0;
    run(&u, c, &now, closed);
    o.exists = staticMisfit(&u, c, c->friction / margin) < 1e-3;
    run(&u, c, &now, rested + 1.6);
    const plPose a = ballInPalm(&u);
    run(&u, c, &now, rested + 3.6); // ten periods later, at the same phase
    const plPose b = ballInPalm(&u);
    o.creep = plNorm(plSub(b.p, a.p)) / 2;
    o.roll = plNorm(plLogQuat(plQuatMul(plQuatConj(a.q), b.q))) * c->radius / 2;
    o.away = plNorm(b.p) / c->radius;
    plWorld_Destroy(u.world);
    return o;
}

enum { radii = 6, frictions = 4, poses = 3, ways = 3, cells = radii * frictions * poses * ways };

static Cell cellAt(int i)
{
    static const double friction[frictions] = {0.3, 0.5, 0.7, 1};
    static const plVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    return (Cell){0.015 + 0.005 * (i % radii), friction[i / radii % frictions],
                  axes[i / (radii * frictions) % poses], axes[i / (radii * frictions * poses)]};
}

// Where statics says so, with the margin, they must be held without creep; where it does not, most are
// held all the same.
static void ballsAreHeldWhereStaticsAllows(void** state)
{
    (void)state;
    const int runs = sized(1, cells);
    plRng rng = plRng_Seed(6);
    double creep = 0, roll = 0;
    int exists = 0, others = 0;
    for (int k = 0; k < runs; ++k) {
        const int i = runs == cells ? k : (int)plRng_Uniform(&rng, 0, cells);
        const Cell c = cellAt(i);
        const Outcome o = hold(&c, uaDefault(c.radius, c.friction));
        const bool held = o.away < 1.5 && fmax(o.creep, o.roll) <= 1e-4; // the bar
        if (!held) {
            print_message("cell %d: radius %g, friction %g: %s; %.2f radii away, creep %.2g m/s\n",
                          i, c.radius, c.friction, o.exists ? "statics holds it" : "no margin",
                          o.away, fmax(o.creep, o.roll));
        }
        assert_true(held || !o.exists);
        exists += o.exists;
        others += !o.exists && held;
        if (!o.exists) continue;
        creep = fmax(creep, o.creep);
        roll = fmax(roll, o.roll);
    }
    print_message(
        "%d of %d grips by statics, all held: creep %.2g m/s, surface %.2g m/s; %d of the "
        "%d others held too\n",
        exists, runs, creep, roll, others, runs - exists);
    assert_true(exists > 0 && 4 * exists >= runs);
}

// The same hand does lose what no forces of its contacts can carry.
static void heavyBallsAreLost(void** state)
{
    (void)state;
    const Cell c = {0.03, 0.3, {0, 0, 1}, {0, 0, 1}};
    UaDef def = uaDefault(c.radius, c.friction);
    def.mass = 0.2;
    Ua u = uaMake(&def);
    double now = 0;
    run(&u, &c, &now, rested);
    assert_true(plNorm(ballInPalm(&u).p) > 2 * c.radius);
    plWorld_Destroy(u.world);
}

// --------------------------------------------------------------------------------- one lever

// The scene tendon-hand: a lever closes all fingers by the grip's coupling, and nothing else commands
// a motor. Things stand on a post; the palm comes to 2 mm above them, and lifts them by 0.1 m.
static const double postTop = 0.07, lifted = 0.1;

typedef struct {
    bool box;
    double half; ///< of the side, or the radius [m]
} Thing;

typedef struct {
    plScene* scene;
    plStepper stepper;
    Ua u;
    plCouplingId close;
} Lever;

static int thingSettings(const Thing* t, double friction, char text[5][640])
{
    const double a = t->half, J = (t->box ? 2. / 3 : 2. / 5) * mass * a * a;
    const double low = postTop + 2 * a + 0.002, high = low + lifted;
    const char *turn = "\"orientation\": [0, 1, 0, 0]", *at = "\"position\": [0, 0,";
    snprintf(text[0], sizeof text[0], "mechanisms.ball.position=[0, 0, %g]", postTop + a);
    snprintf(text[1], sizeof text[1], "mechanisms.ball.inertia=[%g, %g, %g]", J, J, J);
    if (t->box) {
        snprintf(text[2], sizeof text[2],
                 "mechanisms.ball.shapes=[{\"type\": \"box\", \"half\": [%g, %g, %g]}]", a, a, a);
    } else {
        snprintf(text[2], sizeof text[2],
                 "mechanisms.ball.shapes=[{\"type\": \"sphere\", \"radius\": %g}]", a);
    }
    snprintf(text[3], sizeof text[3],
             "devices.arm.hand.waypoints=[{\"time\": 0, %s 0.25], %s}, {\"time\": 1, %s %g], %s}, "
             "{\"time\": 2.7, %s %g], %s}, {\"time\": 3.3, %s %g], %s}]",
             at, turn, at, low, turn, at, low, turn, at, high, turn);
    snprintf(text[4], sizeof text[4], "contact.surface.friction=%g", friction);
    return 5;
}

static Lever openLever(const Thing* t, double friction)
{
    char text[5][640];
    const char* list[5];
    plSceneError error;
    Lever l = {0};
    const int count = thingSettings(t, friction, text);
    for (int i = 0; i < count; ++i) list[i] = text[i];
    if (plScene_Load(PALP_SOURCE_SCENES "/tendon-hand.json", list, count, &l.scene, &error) !=
            pl_statusOk ||
        plScene_CreateWorld(l.scene, &l.u.world, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    l.stepper = plScene_Stepper(l.scene);
    checkOk(l.u.world, plWorld_FindMechanism(l.u.world, "hand", &l.u.hand));
    checkOk(l.u.world, plWorld_FindMechanism(l.u.world, "ball", &l.u.ball));
    checkOk(l.u.world, plWorld_FindCoupling(l.u.world, "close", &l.close));
    return l;
}

static void closeLever(Lever* l)
{
    plWorld_Destroy(l->u.world);
    plScene_Destroy(l->scene);
}

static plPose thingAt(Lever* l, double time)
{
    while (plWorld_Time(l->u.world) < time) {
        plWorld_Step(l->u.world, plStepper_Next(&l->stepper));
        const int trouble = plWorld_Report(l->u.world).trouble;
        assert_false(trouble & (pl_troubleNotFinite | pl_troubleStopped));
    }
    return ballInPalm(&l->u);
}

/// Of the thing's height above where it stood [m].
static double heightOf(const Lever* l, const Thing* t)
{
    return motionOf(&l->u, l->u.ball, 0, plVec(0, 0, 0)).x.z - postTop - t->half;
}

static void leverHolds(const Thing* t)
{
    Lever l = openLever(t, 0.5); // the scene's own friction
    double wanted, gone;
    const plPose a = thingAt(&l, 3.8), b = thingAt(&l, 4.8); // at rest above the post, for 1 s
    const double creep = plNorm(plSub(b.p, a.p));
    const double turn = plNorm(plLogQuat(plQuatMul(plQuatConj(a.q), b.q))) * t->half;
    const double height = heightOf(&l, t);
    checkOk(l.u.world, plWorld_Grip(l.u.world, l.close, &wanted, &gone));
    print_message("%s of %g mm: %.1f mm above the post, lever %.2f, fingers %.2f; creep %.2g m/s, "
                  "surface %.2g m/s\n",
                  t->box ? "box" : "ball", 2e3 * t->half, 1e3 * height, wanted, gone, creep, turn);
    checkAtMost("lost on the way up [m]", lifted - height, 0.01); // as the arm's spring sags
    checkAtMost("creep [m/s]", fmax(creep, turn), 1e-4);          // the bar
    closeLever(&l);
}

static void oneLeverHoldsBallsAndBoxes(void** state)
{
    (void)state;
    static const Thing things[] = {{false, 0.04}, {true, 0.03}, {false, 0.025}, {true, 0.02}};
    for (int i = 0; i < sized(1, 4); ++i) leverHolds(&things[i]);
}

// Friction holds them: with the little of oil the fingers press the same ball off its post.
static void leverLosesWhatIsSlippery(void** state)
{
    (void)state;
    const Thing ball = {false, 0.025};
    Lever l = openLever(&ball, 0.02);
    thingAt(&l, 3.8);
    checkAtMost("height [m]", heightOf(&l, &ball), 0.02);
    closeLever(&l);
}

// ------------------------------------------------------------------------------- any step

// Hands that close and open, while they are moved about, on balls and boxes of all sizes. Depth that is
// taken back is paid by what contacts dissipated before; without that, leaks alone create nothing either.
static double created(UaDef def, uint64_t seed, double time, int* contacts)
{
    plRng rng = plRng_Seed(seed);
    Ua u = uaMake(&def);
    const double E0 = energyOf(u.world);
    double most = -INFINITY, scale = 0, theta[2];
    uaMotors(def.folded, theta);
    plPose at = {{0, 0, 0}, {1, 0, 0, 0}};
    for (double now = 0, next = 0; now < time;) {
        const double h = plRng_Uniform(&rng, 1. / 300, 1. / 30);
        if (now >= next) {
            const double closing = plRng_Uniform(&rng, -0.2, 1.2);
            for (int i = 0; i < 2 * uaFingers; ++i) {
                const int tendon = i / 2 * uaTendons + i % 2;
                checkOk(u.world,
                        plWorld_CommandTendon(u.world, u.hand, tendon, closing * theta[i % 2]));
            }
            next = now + 0.5;
        }
        const double s = 0.3 * h;
        at.p = plAdd(at.p, plVec(plRng_Uniform(&rng, -s, s), plRng_Uniform(&rng, -s, s),
                                 plRng_Uniform(&rng, -s, s)));
        at.q = plQuatMul(at.q, plExp(plVec(plRng_Uniform(&rng, -3 * h, 3 * h), 0,
                                           plRng_Uniform(&rng, -3 * h, 3 * h))));
        checkOk(u.world, plWorld_Steer(u.world, u.mover, at));
        plWorld_Step(u.world, h);
        now += h;
        const plAccount a = plWorld_Ledger(u.world);
        assert_true(isfinite(a.kinetic + a.potential));
        scale = fmax(scale, fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential));
        const double paid = plWorld_ContactLedger(u.world).dissipated - plWorld_Tank(u.world);
        most = fmax(most, a.kinetic + a.potential - E0 - a.applied + a.dissipated - paid);
        *contacts += plWorld_ContactCount(u.world);
    }
    plWorld_Destroy(u.world);
    return most / scale;
}

static void handsCreateNothingAtAnyStep(void** state)
{
    (void)state;
    static const double stiffer[] = {1, 1e2, 1e4}; // K/m up to 1e9 / s^2
    double most = -INFINITY;
    int contacts = 0;
    for (int i = 0; i < sized(2, 60); ++i) {
        UaDef def = uaDefault(0.015 + 0.005 * (i % radii), 0.3 + 0.1 * (i % 8));
        def.box = i % 2;
        def.stiffer = stiffer[i / 2 % 3];
        if (i % 3 == 0) def.driftRate = 0;
        most = fmax(most, created(def, (uint64_t)i, sized(2, 60), &contacts));
    }
    print_message("random steps: created %.2g of the energies, %d contacts\n", most, contacts);
    checkAtMost("created, over the energies", most, 1e-12);
    assert_true(contacts > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ballsAreHeldWhereStaticsAllows),
        cmocka_unit_test(heavyBallsAreLost),
        cmocka_unit_test(oneLeverHoldsBallsAndBoxes),
        cmocka_unit_test(leverLosesWhatIsSlippery),
        cmocka_unit_test(handsCreateNothingAtAnyStep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
