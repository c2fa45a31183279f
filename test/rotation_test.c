// Rotating bodies, free and on springs over SO(3).                              (pmi spec 2)
//   letters  J inertia, w spin (body axes), w^ its mean over a step, n axis, phi angle to the anchor,
//            psi = k phi^2/2
#include "math/math.h"
#include "worlds.h"

#include <float.h>

typedef struct {
    plMat3 J;
    double k, T, phi; ///< [N m/rad], [s], [rad]
    plVec3 w;         ///< [rad/s]
    double seconds;   ///< of the table in the spec
} Setup;

static plVec3 figureAxis(void) { return plScale(1 / sqrt(6), plVec(1, 2, 1)); }

static Setup fig3(void)
{
    return (Setup){diagonal(1e-3, 1e-3, 1e-3), 1, 0.01, 0.9 * PL_PI, {0, 0, 0}, 10};
}
static Setup spinCase(void)
{
    return (Setup){diagonal(1e-3, 1e-3, 1e-3), 1, 0.01, 0.5 * PL_PI, {3, 0, -3}, 10};
}
static Setup anisoCase(void)
{
    return (Setup){diagonal(1e-3, 2e-3, 2.5e-3), 2, 0.005, 0.6 * PL_PI, {5, -3, 1}, 10};
}
static Setup coarseCase(void)
{
    return (Setup){diagonal(1e-3, 2e-3, 2.5e-3), 50, 1.0 / 30, 0.6 * PL_PI, {5, -3, 1}, 20};
}
static Setup stiffCase(void)
{
    return (Setup){diagonal(1e-3, 1e-3, 1e-3), 1e5, 1e-3, 0.3, {0.5, 0, 0}, 5};
}

static plWorld* smallWorld(bool guard)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.gravity = plVec(0, 0, 0), def.guard = guard;
    def.capacity = (plWorldCapacity){.mechanisms = 1, .memory = 1 << 18};
    checkOk(NULL, plWorld_Create(&def, &world));
    return world;
}

static plWorld* bodyWorld(const Setup* s, plAction action, plCoefficients coefficients, bool guard)
{
    plWorld* world = smallWorld(guard);
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    def.name = "body";
    def.coefficients = coefficients;
    def.inertia = s->J;
    def.pose.q = plRotor(figureAxis(), s->phi);
    def.spin = s->w;
    def.anchor.turnStiffness = s->k;
    def.anchor.action = action;
    checkOk(world, plWorld_AddAssembly(world, &def, &id));
    return world;
}

// Its orientation and spin.
static void stateOf(const plWorld* world, plQuat* q, plVec3* w)
{
    double positions[7], velocities[6];
    checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 0), positions, velocities));
    *q = plGet4(positions + 3);
    *w = plGet3(velocities + 3);
}

static double angleOf(plQuat q)
{
    return 2 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

// Energy from the state alone, without the ledger.
static double bodyEnergy(const plWorld* world, const Setup* s)
{
    plQuat q;
    plVec3 w;
    stateOf(world, &q, &w);
    return 0.5 * plDot(w, plMul(&s->J, w)) + 0.5 * s->k * angleOf(q) * angleOf(q);
}

// --- oracle: J w' = J w x w + k e, q' = q w/2, e = -log q, by Runge and Kutta's classical method

typedef struct {
    plQuat q;
    plVec3 w;
} Spin;

static Spin slope(const Setup* s, Spin x)
{
    const plQuat turn = plQuatMul(x.q, (plQuat){0, x.w.x, x.w.y, x.w.z});
    const plVec3 L = plMul(&s->J, x.w);
    const plVec3 torque = plAddScaled(plCross(L, x.w), -s->k, plLogQuat(x.q));
    return (Spin){{turn.w / 2, turn.x / 2, turn.y / 2, turn.z / 2},
                  plVec(torque.x / s->J.x.x, torque.y / s->J.y.y, torque.z / s->J.z.z)};
}

static Spin along(Spin x, double t, Spin d)
{
    return (Spin){{x.q.w + t * d.q.w, x.q.x + t * d.q.x, x.q.y + t * d.q.y, x.q.z + t * d.q.z},
                  plAddScaled(x.w, t, d.w)};
}

// The step of 1e-5 s turns by less than 1e-3 of the fastest oscillation: error below 1e-10.
static Spin exactSpin(const Setup* s, double seconds)
{
    const int steps = (int)lround(seconds * 1e5);
    const double t = seconds / steps;
    Spin x = {plRotor(figureAxis(), s->phi), s->w};
    for (int i = 0; i < steps; ++i) {
        const Spin a = slope(s, x), b = slope(s, along(x, t / 2, a));
        const Spin c = slope(s, along(x, t / 2, b)), d = slope(s, along(x, t, c));
        x = along(along(along(along(x, t / 6, a), t / 3, b), t / 3, c), t / 6, d);
        x.q = plQuatUnit(x.q);
    }
    return x;
}

static double spinError(const Setup* s, plAction action, plCoefficients coefficients, double T,
                        double seconds, Spin exact)
{
    plWorld* world = bodyWorld(s, action, coefficients, false);
    plQuat q;
    plVec3 w;
    for (int i = 0; i < (int)lround(seconds / T); ++i) plWorld_Step(world, T);
    stateOf(world, &q, &w);
    plWorld_Destroy(world);
    return plNorm(plSub(w, exact.w));
}

static void checkOrder(const Setup* s, plAction action, plCoefficients coefficients, double seconds,
                       double expected, double slack)
{
    const Spin exact = exactSpin(s, seconds);
    double before = spinError(s, action, coefficients, 1e-3, seconds, exact);
    for (double T = 5e-4; T > 2e-4; T /= 2) {
        const double error = spinError(s, action, coefficients, T, seconds, exact);
        // slack: the bar, and what the next order in T adds
        checkNear("order", log2(before / error), expected, slack);
        before = error;
    }
}

// --- free body: J = diag(1, 2, 2.5) g m^2, near its middle axis

static Setup freeCase(void)
{
    return (Setup){diagonal(1e-3, 2e-3, 2.5e-3), 0, 1e-3, 0.5, {0.3, 8, 0.2}, 100};
}

static void freeBodyKeepsItsEnergyForAnyStep(void** state)
{
    (void)state;
    const double Ts[] = {1e-4, 1e-3, 1.0 / 30, 1};
    const Setup s = freeCase();
    for (int i = 0; i < 2 * PL_COUNT(Ts); ++i) {
        const plCoefficients coefficients =
            i % 2 ? pl_coefficientsFrozen : pl_coefficientsPredicted;
        plWorld* world = bodyWorld(&s, pl_actionFull, coefficients, false);
        const double before = bodyEnergy(world, &s);
        double worst = 0;
        for (int k = 0; k < sized(10000, 100000); ++k) {
            plWorld_Step(world, Ts[i / 2]);
            worst = fmax(worst, fabs(bodyEnergy(world, &s) / before - 1));
        }
        checkAtMost("|E/E0 - 1|", worst, 1e-12); // the bar of the spec over 1e5 steps
        plWorld_Destroy(world);
    }
}

// Momentum is what the coefficients decide: 1e-5 is the spec's bar; 1.11528 its number for the
// coefficients as printed, whose drift ends at sqrt(2 J3 E0)/L0 = 1.11812.
static void momentumLastsWithPredictedCoefficients(void** state)
{
    (void)state;
    const Setup s = freeCase();
    const double L0 = plNorm(plMul(&s.J, s.w));
    for (int frozen = 0; frozen < 2; ++frozen) {
        plWorld* world = bodyWorld(&s, pl_actionFull, (plCoefficients)frozen, false);
        plQuat q;
        plVec3 w;
        double worst = 0;
        for (int k = 0; k < 100000; ++k) {
            plWorld_Step(world, s.T);
            stateOf(world, &q, &w);
            worst = fmax(worst, fabs(plNorm(plMul(&s.J, w)) / L0 - 1));
        }
        plMotion motion;
        const plSite site = {.mechanism = plWorld_Mechanism(world, 0)};
        checkOk(world, plWorld_Motion(world, site, &motion));
        const plMat3 RR = plTransMul(&motion.R, &motion.R), one = plIdentity3();
        const plMat3 off = plMatAdd(&RR, -1, &one);
        // the quaternion is made unit at every step: R is off by a few eps, whatever came before
        checkAtMost("|R^T R - I|", plNorm(off.x) + plNorm(off.y) + plNorm(off.z), 16 * DBL_EPSILON);
        if (frozen) {
            checkNear("|L|/L0", plNorm(plMul(&s.J, w)) / L0, 1.11528, 5e-6); // printed digits
        } else {
            checkAtMost("||L|/L0 - 1|", worst, 1e-5);
        }
        plWorld_Destroy(world);
    }
}

static void freeBodyConvergesWithOrderTwo(void** state)
{
    (void)state;
    const Setup s = freeCase();
    checkOrder(&s, pl_actionFull, pl_coefficientsPredicted, 1, 2, 0.1); // the bar of the spec
    checkOrder(&s, pl_actionFull, pl_coefficientsFrozen, 1, 1, 0.1);
}

// --- springs on SO(3)

// Leak of one step from the states at its ends: change of psi, less the work of the simple action.
static double leakOf(const plWorld* world, double k, double T, plQuat q0, plVec3 w0)
{
    plQuat q1;
    plVec3 w1;
    stateOf(world, &q1, &w1);
    const plVec3 mean = plScale(0.5, plAdd(w0, w1)), e = plScale(-1, plLogQuat(q0));
    const double psi0 = 0.5 * k * angleOf(q0) * angleOf(q0);
    const double psi1 = 0.5 * k * angleOf(q1) * angleOf(q1);
    return psi1 - psi0 - T * plDot(mean, plAddScaled(plScale(-k, e), 0.5 * T * k, mean));
}

// A random state whose spin carries it up to 3 pi in the step; every third one about the axis to its
// anchor, where the action is exact up to pi and the theorem holds with equality.
static Setup randomCase(plRng* rng, int i, plQuat* q)
{
    const plVec3 axis = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
    const plVec3 other = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
    const bool straight = i % 3 == 0;
    Setup s = {.T = exp(plRng_Uniform(rng, log(1e-4), 0)),
               .k = exp(plRng_Uniform(rng, log(1e-2), log(1e5))),
               .J = diagonal(1, 1, 1)};
    const plVec3 direction = straight ? axis : other;
    const double span = plRng_Uniform(rng, -3 * PL_PI, 3 * PL_PI) / s.T;
    if (!straight) s.J = diagonal(1, plRng_Uniform(rng, 1, 2), plRng_Uniform(rng, 1, 2));
    s.w = plScale(span / plNorm(direction), direction);
    *q = plRotor(plScale(1 / plNorm(axis), axis), plRng_Uniform(rng, 0, PL_PI));
    return s;
}

// Toponogov's theorem on hinges: no step of the simple action creates energy, through pi or not.
static void simpleActionNeverCreatesEnergy(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    double worst = -INFINITY, deepest = 0, apart = 0;
    for (int i = 0; i < sized(20000, 200000); ++i) {
        plQuat q0;
        const Setup s = randomCase(&rng, i, &q0);
        plWorld* world = bodyWorld(&s, pl_actionSimple, (plCoefficients)(i % 2), false);
        const double q[7] = {0, 0, 0, q0.w, q0.x, q0.y, q0.z};
        const double v[6] = {0, 0, 0, s.w.x, s.w.y, s.w.z};
        checkOk(world, plWorld_SetState(world, plWorld_Mechanism(world, 0), q, v));
        plWorld_ResetLedger(world);
        plWorld_Step(world, s.T);
        const double leak = plWorld_Ledger(world).leak;
        worst = fmax(worst, leak / s.k);
        deepest = fmin(deepest, leak / s.k);
        apart = fmax(apart, fabs(leak - leakOf(world, s.k, s.T, q0, s.w)) / s.k);
        plWorld_Destroy(world);
    }
    checkAtMost("leak/k", worst, 1e-14 * PL_PI * PL_PI);   // the bar of the spec
    checkAtMost("-leak/k", -worst, 1e-14 * PL_PI * PL_PI); // equality was met
    checkAtMost("deepest leak/k", deepest, -10);           // and steps over pi
    // terms up to k (5 pi)^2/2 = 120 k, a few eps each
    checkAtMost("difference from the leak of the states", apart, 1000 * DBL_EPSILON);
}

// Along its axis a step over pi loses exactly 2 pi k (phi + turn - pi).
static void stepOverPiLosesAsPredicted(void** state)
{
    (void)state;
    const double turns[] = {0.2, 0.5, 1, 2}; // [rad]
    for (int i = 0; i < PL_COUNT(turns); ++i) {
        Setup s = {.J = diagonal(1e-3, 1e-3, 1e-3), .k = 0.7, .T = 0.01, .phi = 3};
        // w^ = (w - T k phi/(2J))/(1 + T^2 k/(4J)), and w^ T is the turn
        const double h2 = s.T * s.T * s.k / 1e-3;
        s.w = plScale((turns[i] * (1 + h2 / 4) + h2 / 2 * s.phi) / s.T, figureAxis());
        plWorld* world = bodyWorld(&s, pl_actionSimple, pl_coefficientsPredicted, false);
        const double before = bodyEnergy(world, &s);
        plWorld_Step(world, s.T);
        const double expected = 2 * PL_PI * s.k * (s.phi + turns[i] - PL_PI);
        // differences of energies of at most 100 J, a few eps each
        checkNear("loss", before - bodyEnergy(world, &s), expected, 1e-12);
        checkNear("-leak", -plWorld_Ledger(world).leak, expected, 1e-12);
        plWorld_Destroy(world);
    }
}

static void figure3FollowsItsClosedForm(void** state)
{
    (void)state;
    const Setup s = fig3();
    const double h = s.T * sqrt(s.k / s.J.x.x);
    const plAction actions[] = {pl_actionFull, pl_actionSimple, pl_actionHess};
    for (int i = 0; i < 2 * PL_COUNT(actions); ++i) {
        plWorld* world = bodyWorld(&s, actions[i / 2], pl_coefficientsPredicted, i % 2);
        const double before = bodyEnergy(world, &s);
        double worst = 0, worstAngle = 0;
        checkNear("E0", before, 3.997189782, 5e-10); // printed digits
        for (int k = 1; k <= 10000; ++k) {
            plQuat q;
            plVec3 w;
            plWorld_Step(world, s.T);
            worst = fmax(worst, fabs(bodyEnergy(world, &s) / before - 1));
            stateOf(world, &q, &w);
            const double expected = fabs(s.phi * cos(2 * k * atan(h / 2)));
            if (k <= 1000) worstAngle = fmax(worstAngle, fabs(angleOf(q) - expected));
        }
        checkAtMost("|E/E0 - 1| in 100 s", worst, 1e-11);       // the bar of the spec
        checkAtMost("phi_k in 10 s", worstAngle, 1e-9 * s.phi); // the bar of closed forms
        plWorld_Destroy(world);
    }
}

typedef struct {
    double lowest, highest, end;
} Range;

static Range energyRange(const Setup* s, plAction action, plCoefficients coefficients, bool guard,
                         double seconds)
{
    plWorld* world = bodyWorld(s, action, coefficients, guard);
    const double before = bodyEnergy(world, s);
    Range r = {1, 1, 1};
    for (int k = 0; k < (int)lround(seconds / s->T); ++k) {
        plWorld_Step(world, s->T);
        r.end = bodyEnergy(world, s) / before;
        r.lowest = fmin(r.lowest, r.end);
        r.highest = fmax(r.highest, r.end);
    }
    plWorld_Destroy(world);
    return r;
}

typedef struct {
    Setup setup;
    double rank1, simple, hess, full; ///< E/E0: largest, end, end, least
    double simpleDigits, hessDigits;  ///< half a unit of the last printed digit
    double margin;                    ///< of the lower bound `full`
} Case;

// Margins: the step of `full` is redone or not by the sign of a sum of leaks; where that is chaotic,
// 1e-10 rad at the start moves the lower end by up to 4e-4 (aniso).
static void allCases(Case cases[4])
{
    cases[0] = (Case){spinCase(), 19.6, 0.985922, 1.00033, 0.99985, 5e-7, 5e-6, 1e-5};
    cases[1] = (Case){anisoCase(), 4.8, 0.896099, 1.00015, 0.99813, 5e-7, 5e-6, 5e-4};
    cases[2] = (Case){coarseCase(), 9.1, 0.270829, 1.757, 0.936, 5e-7, 5e-4, 5e-4};
    // hess leaks here less than the drift of 1e-9 that the spec allows at this h
    cases[3] = (Case){stiffCase(), 399, 1 - 3.8e-8, 1 - 8.9e-11, 1, 5e-10, 1e-9, 1e-9};
}

// With coefficients as printed and no guard.
static void actionsCreateOrLoseEnergyAsTabled(void** state)
{
    (void)state;
    Case cases[4];
    allCases(cases);
    for (int i = 0; i < 4; ++i) {
        const Case* c = &cases[i];
        const Setup* s = &c->setup;
        const plCoefficients frozen = pl_coefficientsFrozen;
        checkNear("simple", energyRange(s, pl_actionSimple, frozen, false, s->seconds).end,
                  c->simple, c->simpleDigits);
        checkNear("hess", energyRange(s, pl_actionHess, frozen, false, s->seconds).end, c->hess,
                  c->hessDigits);
        // its growth starts from round-off: of the table only the magnitude can be met again
        const double rank1 = energyRange(s, pl_actionRank1, frozen, false, s->seconds).highest;
        checkNear("log10 of rank1", log10(rank1), log10(c->rank1), 0.7);
    }
}

static void guardedFullActionNeverGainsAndHardlyLoses(void** state)
{
    (void)state;
    Case cases[4];
    allCases(cases);
    for (int i = 0; i < 4; ++i) {
        const Setup* s = &cases[i].setup;
        for (int k = 0; k < pl_coefficientsCount; ++k) {
            const Range r = energyRange(s, pl_actionFull, (plCoefficients)k, true, sized(20, 100));
            checkAtMost("max E/E0 - 1", r.highest - 1, 1e-12); // the bar of the spec
            // a step is kept when springs leak less than 1e-10 of the energy in it
            checkAtMost("1 - min E/E0", 1 - r.lowest, 1e-10 * sized(20, 100) / s->T);
        }
    }
}

// The guard alone, whatever the action: E <= E0 but for round-off, which the spec allows to reach
// 1e-9 in 1e6 steps at the h = 10 of the stiff case.
static void guardHoldsEveryAction(void** state)
{
    (void)state;
    Case cases[4];
    allCases(cases);
    for (int i = 0; i < 4 * pl_actionCount; ++i) {
        const Range r =
            energyRange(&cases[i / pl_actionCount].setup, (plAction)(i % pl_actionCount),
                        pl_coefficientsPredicted, true, sized(5, 100));
        checkAtMost(plAction_Name(i % pl_actionCount), r.highest - 1,
                    i / pl_actionCount == 3 ? 1e-9 : 1e-12);
    }
}

static void onlyTheFullActionHasOrderTwo(void** state)
{
    (void)state;
    const Setup s = anisoCase();
    checkOrder(&s, pl_actionFull, pl_coefficientsPredicted, 0.2, 2, 0.1); // the bar of the spec
    checkOrder(&s, pl_actionSimple, pl_coefficientsPredicted, 0.2, 1, 0.1);
    checkOrder(&s, pl_actionHess, pl_coefficientsPredicted, 0.2, 1, 0.1);
    const Spin exact = exactSpin(&s, 0.2);
    const double error = spinError(&s, pl_actionFull, pl_coefficientsPredicted, 1e-3, 0.2, exact);
    checkNear("error at 1 ms", error, 7.816e-2, 5e-5); // the spec's number
}

// --- the same body on a spherical joint of a chain

static plWorld* ballWorld(const Setup* s, plRoute route)
{
    plWorld* world = smallWorld(false);
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    body.name = "ball";
    body.joint = pl_jointSpherical;
    body.mass = 1;
    body.inertia = s->J;
    body.stiffness = s->k;
    body.rest[0] = 1;
    plPut4(plRotor(figureAxis(), s->phi), body.position);
    plPut3(s->w, body.velocity);
    def.name = "chain";
    def.bodies = &body;
    def.bodyCount = 1;
    def.route = route;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return world;
}

// How far apart the two bodies are after 0.2 s [rad].
static double distance(const Setup* s, plRoute route, double T)
{
    plWorld* body = bodyWorld(s, pl_actionFull, pl_coefficientsPredicted, false);
    plWorld* ball = ballWorld(s, route);
    double q[4];
    plQuat q0;
    plVec3 w0;
    for (int i = 0; i < (int)lround(0.2 / T); ++i) {
        plWorld_Step(body, T);
        plWorld_Step(ball, T);
    }
    stateOf(body, &q0, &w0);
    checkOk(ball, plWorld_State(ball, plWorld_Mechanism(ball, 0), q, NULL));
    plWorld_Destroy(body);
    plWorld_Destroy(ball);
    return plNorm(plLogQuat(plQuatMul(plQuatConj(q0), plGet4(q))));
}

// Their Coriolis matrices differ, so their paths do, by the second order of the step.
static void ballJointMovesAsTheFreeBody(void** state)
{
    (void)state;
    const Setup setups[] = {freeCase(), spinCase(), anisoCase()};
    for (int i = 0; i < 2 * PL_COUNT(setups); ++i) {
        const plRoute route = i % 2 ? pl_routeSquareRoot : pl_routeCholesky;
        const double coarse = distance(&setups[i / 2], route, 1e-3);
        const double fine = distance(&setups[i / 2], route, 5e-4);
        checkNear("order of the distance", log2(coarse / fine), 2, 0.1); // the bar of orders
        checkAtMost("distance at 1 ms", coarse, 1e-3); // turns by 2 to 20 rad in this time
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freeBodyKeepsItsEnergyForAnyStep),
        cmocka_unit_test(momentumLastsWithPredictedCoefficients),
        cmocka_unit_test(freeBodyConvergesWithOrderTwo),
        cmocka_unit_test(simpleActionNeverCreatesEnergy),
        cmocka_unit_test(figure3FollowsItsClosedForm),
        cmocka_unit_test(stepOverPiLosesAsPredicted),
        cmocka_unit_test(actionsCreateOrLoseEnergyAsTabled),
        cmocka_unit_test(guardedFullActionNeverGainsAndHardlyLoses),
        cmocka_unit_test(guardHoldsEveryAction),
        cmocka_unit_test(onlyTheFullActionHasOrderTwo),
        cmocka_unit_test(ballJointMovesAsTheFreeBody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
