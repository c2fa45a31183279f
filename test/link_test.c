// Links: springs, dampers and rigid joints between mechanisms. What they store, they give back.
#include "links.h"

static const plVec3 none = {0, 0, 0};

// --------------------------------------------------------------- where tied sites do not turn

// A slider of 1 kg and a body of 1 g, stretched by 1 mm, running apart at 2 m/s, or both.
static double sliderDrift(int run, double T, double stiffness, int steps)
{
    const bool two = run % 2, sprung = run / 2 % 2;
    const int start = run / 4 % 3;
    const double x = start == 1 ? 0.1 : 0.101, v = start == 0 ? 0 : 1;
    plWorld* world = makeWorld(none, 2);
    const plMechanismId a =
        addSlider(world, "a", 1, sprung ? 100 : 0, 0.1, v, pl_integratorMidpoint);
    const plMechanismId b =
        two ? addSlider(world, "b", 1e-3, 0, x, -v, pl_integratorMidpoint)
            : addBall(world, "b", 1e-3, plDiagonal3(1e-7, 1e-7, 1e-7), plVec(x, 0, 0),
                      plVec(-v, 0, 0), none, pl_integratorMidpoint);
    tie(world, "tie", center(a), center(b), stiffness);
    const double E0 = energyOf(world);
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
        plWorld_Step(world, T);
        worst = fmax(worst, fabs(energyOf(world) / E0 - 1));
    }
    plWorld_Destroy(world);
    return worst;
}

static void tiedSlidersKeepTheirEnergy(void** state)
{
    (void)state;
    enum { runs = 12 * 2 * 11 }; // configurations, steps, stiffnesses of 1e2 to 1e12
    double worst = 0;
    for (int i = 0; i < runs; i += sized(23, 1)) {
        const double T = i / 12 % 2 ? 1. / 30 : 1e-3, k = pow(10, 2 + i / 24);
        const double drift = sliderDrift(i % 12, T, k, 10000);
        if (drift > 1e-12) {
            print_error("%s, %s, start %d, T %g, k %g: %.3g\n", i % 2 ? "two sliders" : "a ball",
                        i / 2 % 2 ? "sprung" : "free", i / 4 % 3, T, k, drift);
        }
        worst = fmax(worst, drift);
    }
    print_message("sliders: |E/E0 - 1| up to %.2g\n", worst);
    checkAtMost("|E/E0 - 1| of tied sliders", worst, 1e-12); // the bar, 1e4 steps
}

// --------------------------------------------------------------------------- where they turn

// The tip of the arm tied to a body of 1 g at `off` from its centre, stretched along (1, 1, 0).
static plWorld* tiedArm(double stiffness, double stretch, plVec3 off, int passes, plLinkId* link)
{
    plWorld* world = makeWorld(none, passes);
    const plMechanismId arm =
        addArm(world, pl_integratorMidpoint, pl_routeCholesky, pl_coefficientsPredicted);
    const plSite tip = {arm, 1, {1, 0, 0}};
    const plVec3 x = plAddScaled(placeOf(world, tip), stretch / sqrt(2), plVec(1, 1, 0));
    const plMechanismId ball = addBall(world, "ball", 1e-3, plDiagonal3(1e-7, 2e-7, 2.5e-7),
                                       plSub(x, off), none, none, pl_integratorMidpoint);
    *link = tie(world, "tie", tip, (plSite){ball, 0, off}, stiffness);
    return world;
}

// A world that stands still gains nothing either. In steps of 1 ms the arm (2 rad/s) is resolved,
// and the ball on the spring goes no further than the stretch of 1 mm: the guard finds errors of
// the third order in T, less than 1e-6 in 1000 steps, and no reason to stop anything.
static void turningSitesNeverGainEnergy(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(30);
    int resolved = 0;
    for (int run = 0; run < sized(60, 2000); ++run) {
        const double T = pow(10, plRng_Uniform(&rng, -4, 0));
        const double k = pow(10, plRng_Uniform(&rng, 2, 12));
        const plVec3 off = run % 2 ? plVec(0.005, 0.01, -0.005) : none;
        plLinkId link;
        plWorld* world = tiedArm(k, 1e-3, off, 1 << run % 4, &link);
        const Course course = runDown(world, T, k, sized(200, 1000));
        if (T <= 1e-3 && k <= 1e5) {
            checkAtMost("steps that stood still", course.stands, 0);
            checkAtMost("loss of E/E0", course.loss, 1e-6);
            ++resolved;
        }
        plWorld_Destroy(world);
    }
    assert_true(resolved > 0);
}

// Trials go on until a step leaves no more than 1e-10 of its energy unbalanced, whatever `passes` says; four passes
// are enough for round-off, since each trial doubles the digits.
static void passesBringTheEnergyToRoundOff(void** state)
{
    (void)state;
    static const struct {
        double stretch;
        plVec3 off;
    } cases[] = {{1e-3, {0, 0, 0}}, {1e-5, {0.005, 0.01, -0.005}}};
    for (int c = 0; c < PL_COUNT(cases); ++c) {
        double error[4] = {0, 0, 0, 0};
        for (int p = 0; p < 4; ++p) {
            plLinkId link;
            plWorld* world = tiedArm(1e5, cases[c].stretch, cases[c].off, 1 << p, &link);
            const double E0 = energyOf(world);
            for (int i = 0; i < sized(1000, 10000); ++i) {
                plWorld_Step(world, 1e-3);
                error[p] = fmax(error[p], fabs(energyOf(world) / E0 - 1));
            }
            plWorld_Destroy(world);
        }
        print_message("1, 2, 4, 8 passes: |E/E0 - 1| up to %.2g %.2g %.2g %.2g\n", error[0],
                      error[1], error[2], error[3]);
        // a tenth of what a step may leave, which the last trial is better than
        checkAtMost("with one pass", error[0], 1e-11 * sized(1000, 10000));
        checkAtMost("with two passes", error[1], 1e-11 * sized(1000, 10000));
        checkAtMost("with four passes", error[2], 1e-12); // round-off of 1e4 steps
        checkAtMost("with eight passes", error[3], 1e-12);
    }
}

// Mean force of the tick = -k times the mean of the distances before and after it.
static void forceIsStiffnessTimesDistance(void** state)
{
    (void)state;
    for (int e = 2; e <= 8; ++e) {
        const double k = pow(10, e);
        const plVec3 off = plVec(0.005, 0.01, -0.005);
        plLinkId link;
        plWorld* world = tiedArm(k, 1e-5, off, 4, &link);
        const plSite a = {plWorld_Mechanism(world, 0), 1, {1, 0, 0}};
        const plSite b = {plWorld_Mechanism(world, 1), 0, off};
        plVec3 before = plSub(placeOf(world, a), placeOf(world, b));
        for (int i = 0; i < 200; ++i) {
            double force[3];
            plWorld_Step(world, 1e-3);
            const plVec3 d = plSub(placeOf(world, a), placeOf(world, b));
            const plVec3 mean = plScale(0.5, plAdd(before, d));
            checkOk(world, plWorld_LinkForce(world, link, force));
            // places are shifted where they and the stretch differ by more (system_place.c); what is seen
            // is 2e-15 m
            checkAtMost("-force/k against the distance",
                        plNorm(plAddScaled(mean, 1 / k, plGet3(force))), 1e-12);
            before = d;
        }
        plWorld_Destroy(world);
    }
}

// ------------------------------------------------------------------------- the implicit form

// Two masses on a line, (M + T B + T^2 K) v1 = M v0 - T K d by hand.
static void implicitLinkIsTheImplicitEulerOfItsSpring(void** state)
{
    (void)state;
    static const plIntegrator integrators[2] = {pl_integratorImplicit, pl_integratorSemiImplicit};
    const double m1 = 0.7, m2 = 0.02, K = 300, B = 0.4, T = 0.004;
    for (int i = 0; i < 2; ++i) {
        plWorld* world = makeWorld(none, 1);
        const plMechanismId a = addSlider(world, "a", m1, 0, 0.1, 0.5, integrators[i]);
        const plMechanismId b = addSlider(world, "b", m2, 0, 0.07, -1, integrators[i]);
        plLinkDef def = plDefaultLinkDef();
        plLinkId link;
        def.name = "tie";
        def.a = center(a);
        def.b = center(b);
        def.form = pl_linkImplicit;
        def.stiffness = K;
        def.damping = B;
        checkOk(world, plWorld_AddLink(world, &def, &link));
        const double E0 = energyOf(world);
        double v1 = 0.5, v2 = -1, d = 0.03, E = E0;
        for (int k = 0; k < 100; ++k) {
            const double h = T * B + T * T * K, A11 = m1 + h, A22 = m2 + h;
            const double f1 = m1 * v1 - T * K * d, f2 = m2 * v2 + T * K * d;
            const double w1 = (A22 * f1 + h * f2) / (A11 * A22 - h * h);
            const double w2 = (A11 * f2 + h * f1) / (A11 * A22 - h * h), u = w1 - w2;
            const double loss = 0.5 * m1 * pow(w1 - v1, 2) + 0.5 * m2 * pow(w2 - v2, 2) +
                                0.5 * K * pow(T * u, 2) + T * B * u * u;
            double q, v;
            plWorld_Step(world, T);
            v1 = w1, v2 = w2, d += T * u;
            checkOk(world, plWorld_State(world, a, &q, &v));
            checkNear("v1", v, v1, 1e-12); // round-off of a hundred steps
            checkOk(world, plWorld_State(world, b, &q, &v));
            checkNear("v2", v, v2, 1e-12);
            checkNear("change of energy", energyOf(world) - E, -loss, 1e-13 * E0); // same
            E = energyOf(world);
        }
        // some tens of terms of at most E0, half an eps each
        checkAtMost("residual", plWorld_Ledger(world).worst, 1e-15 * E0 * 10);
        plWorld_Destroy(world);
    }
}

// ---------------------------------------------------------------------------------- damping

static void dampedLinksOnlyDissipate(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(31);
    for (int run = 0; run < sized(20, 300); ++run) {
        const double T = pow(10, plRng_Uniform(&rng, -4, -1));
        plWorld* world = makeWorld(none, 8);
        const plMat3 J = plDiagonal3(1e-4, 2e-4, 2.5e-4);
        const plMechanismId a = addBall(world, "a", 0.1, J, plVec(0, 0, 0), plVec(0.1, 0, 0),
                                        plVec(1, 2, 0), pl_integratorMidpoint);
        const plMechanismId b = addBall(world, "b", 0.3, J, plVec(0.1, 0, 0), plVec(0, 0.2, 0),
                                        plVec(0, 0, -1), pl_integratorMidpoint);
        plLinkDef def = plDefaultLinkDef();
        plLinkId link;
        def.name = "tie";
        def.a = (plSite){a, 0, {0.04, 0, 0.01}};
        def.b = run % 3 == 0 ? (plSite){.point = {0.05, 0, 0}} : (plSite){b, 0, {-0.05, 0.01, 0}};
        def.stiffness = run % 4 == 0 ? 0 : pow(10, plRng_Uniform(&rng, 0, 4));
        def.damping = pow(10, plRng_Uniform(&rng, -3, 1));
        def.turns = run % 2;
        def.turnStiffness = 0.01;
        def.turnDamping = 1e-4;
        checkOk(world, plWorld_AddLink(world, &def, &link));
        const double E0 = energyOf(world);
        double E = E0, dissipated = 0;
        for (int k = 0; k < 300; ++k) {
            plWorld_Step(world, T);
            const plAccount account = plWorld_Ledger(world);
            // a sum of squares only grows; energy and losses add up to the bar
            checkAtMost("loss of what was dissipated", dissipated - account.dissipated, 0);
            checkAtMost("E + dissipated over E0", energyOf(world) + account.dissipated - E0,
                        1e-12 * E0);
            dissipated = account.dissipated;
            E = energyOf(world);
        }
        assert_true(dissipated > 0 && E < E0);
        plWorld_Destroy(world);
    }
}

// ------------------------------------------------------------------- any two integrators

// A damper of turns alone: spin decays as exp(-B t/J), over many rounds, and at rest the body is anywhere. Half a round
// is no place where something happens.
static void dampersOfTurnsKnowNoHalfRound(void** state)
{
    (void)state;
    const double rates[] = {1000, 100, 30}, B = 2e-4, J = 1e-3, spin = 20, t = 3;
    for (int i = 0; i < PL_COUNT(rates); ++i) {
        plWorld* world = makeWorld(none, 2);
        plLinkDef def = plDefaultLinkDef();
        plLinkId link;
        const plMechanismId body = addBall(world, "body", 1, plDiagonal3(2 * J, 1.5 * J, J), none,
                                           none, plVec(0, 0, spin), pl_integratorMidpoint);
        def.name = "damper";
        def.a = center(body);
        def.stiffness = 1000;
        def.turns = true;
        def.turnDamping = B;
        checkOk(world, plWorld_AddLink(world, &def, &link));
        const double E0 = energyOf(world);
        for (int k = 0; k < (int)(t * rates[i]); ++k) {
            plWorld_Step(world, 1 / rates[i]);
            assert_int_equal(plWorld_Report(world).trouble, 0);
        }
        // the midpoint rule is of order 2
        checkNear("energy that is left", energyOf(world) / E0, exp(-2 * B * t / J), 1e-4);
        plWorld_Destroy(world);
    }
}

static void ledgerClosesForAnyTwoIntegrators(void** state)
{
    (void)state;
    const plMat3 J = plDiagonal3(1e-3, 2e-3, 2.5e-3);
    for (int i = 0; i < 2 * pl_integratorCount * pl_integratorCount; ++i) {
        plWorld* world = makeWorld(plVec(0, 0, -9.81), 1 + i % 3);
        const plIntegrator one = (plIntegrator)(i / 2 % pl_integratorCount);
        const plIntegrator other = (plIntegrator)(i / (2 * pl_integratorCount));
        const plMechanismId a = addArm(world, one, pl_routeCholesky, pl_coefficientsPredicted);
        const plSite tip = {a, 1, {1, 0, 0}};
        const plMechanismId b = addBall(world, "ball", 0.1, J, placeOf(world, tip),
                                        plVec(0.1, 0, 0), plVec(1, 2, 3), other);
        plLinkDef def = plDefaultLinkDef();
        plLinkId link;
        def.name = "tie";
        def.a = tip;
        def.b = (plSite){b, 0, {0.01, 0.02, 0}};
        def.form = i % 2 ? pl_linkImplicit : pl_linkPassive;
        def.stiffness = 100;
        def.damping = 0.1;
        def.turns = i % 4 > 1;
        def.turnStiffness = 0.1;
        checkOk(world, plWorld_AddLink(world, &def, &link));
        double scale = 0;
        for (int k = 0; k < sized(200, 2000); ++k) {
            plWorld_Step(world, 1e-3);
            const plAccount total = plWorld_Ledger(world);
            scale = fmax(scale, total.kinetic + fabs(total.potential));
        }
        // sums of some tens of joules, some hundred terms each
        if (plWorld_Ledger(world).worst > 1e-14 * scale) {
            print_error("%s with %s, %s link: ", plIntegrator_Name((int)one),
                        plIntegrator_Name((int)other), plLinkForm_Name(i % 2));
            checkAtMost("worst residual over E", plWorld_Ledger(world).worst / scale, 1e-14);
        }
        plWorld_Destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiedSlidersKeepTheirEnergy),
        cmocka_unit_test(turningSitesNeverGainEnergy),
        cmocka_unit_test(passesBringTheEnergyToRoundOff),
        cmocka_unit_test(forceIsStiffnessTimesDistance),
        cmocka_unit_test(implicitLinkIsTheImplicitEulerOfItsSpring),
        cmocka_unit_test(dampedLinksOnlyDissipate),
        cmocka_unit_test(dampersOfTurnsKnowNoHalfRound),
        cmocka_unit_test(ledgerClosesForAnyTwoIntegrators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
