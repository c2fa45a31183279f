// The twin pantograph: kinematics, rates and statics, against the figures of iapb spec 6 and against
// differences.
#include "pantographs.h"

// ------------------------------------------------------------------------------------- kinematics

static void theAnglesAreThoseOfTheSpec(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    const double flat[4] = {148.479, 65.853, -31.521, -114.147};
    const double upright[4] = {146.389, 33.611, -33.611, -146.389};
    const plPantographPose a = reach(&def, plVec(0, 0, 0)), b = reach(&def, plVec(0, 0, PL_PI / 2));
    for (int i = 0; i < 4; ++i) {
        // the spec prints three digits
        checkNear("angle at theta = 0", a.q[i] / degree, flat[i], 5.1e-4);
        checkNear("angle at theta = pi/2", b.q[i] / degree, upright[i], 5.1e-4);
    }
}

static void poseToAnglesAndBack(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(61);
    double worst = 0, closure = 0;
    for (int preset = 0; preset < pl_pantographCount; ++preset) {
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        for (int k = 0; k < sized(2000, 100000); ++k) {
            const plVec3 x = randomPose(&rng, discOf(preset));
            const plPantographPose p = reach(&def, x);
            plVec3 back;
            double residual;
            assert_true(plPantograph_Forward(&def, p.q, x.z, &back, &residual));
            worst = fmax(worst, distance(back, x));
            closure = fmax(closure, fabs(residual));
        }
    }
    print_message("pose to angles and back %.2g, closure %.2g [m, rad]\n", worst, closure);
    checkAtMost("pose to angles and back", worst, 1e-10); // the bar
    checkAtMost("closure", closure, 1e-10);               // the bar
}

// A square of twice the reach: a pose is either refused or comes back. So none is reached by a
// linkage that has been turned inside out.
static void everyPoseThatIsReachedComesBack(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(62);
    for (int preset = 0; preset < pl_pantographCount; ++preset) {
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        const int count = sized(20000, 1000000);
        int reached = 0;
        double least = 1;
        for (int k = 0; k < count; ++k) {
            const double far = 2 * (def.L1 + def.L2);
            plPantographPose p;
            plVec3 back;
            const plVec3 x = plVec(plRng_Uniform(&rng, -far, far), plRng_Uniform(&rng, -far, far),
                                   plRng_Uniform(&rng, -4, 4));
            if (!plPantograph_Inverse(&def, x, &p)) continue;
            reached++;
            least = fmin(least, p.margin);
            assert_true(p.margin > 0 && p.margin <= 1);
            assert_true(plPantograph_Forward(&def, p.q, x.z, &back, NULL));
            // near the border an angle moves with the root of the way
            checkNear("back at the pose", distance(back, x), 0, 1e-10 / p.margin);
        }
        print_message("preset %d: %d of %d poses reached, least margin %.2g\n", preset, reached,
                      count, least);
        assert_true(reached > count / 1000);
    }
}

static void threeTurnsAreCounted(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    double worst = 0, low[4], high[4];
    for (int way = -1; way <= 1; way += 2) {
        plVec3 back = plVec(0, 0, 0);
        for (int k = 0; k <= 600; ++k) {
            const double theta = way * 6 * PL_PI * k / 600;
            const plVec3 x = plVec(0.015 * cos(theta / 3), 0.015 * sin(theta / 3), theta);
            const plPantographPose p = reach(&def, x);
            assert_true(plPantograph_Forward(&def, p.q, back.z, &back, NULL));
            worst = fmax(worst, distance(back, x));
            for (int i = 0; i < 4; ++i) {
                low[i] = k == 0 ? p.q[i] : fmin(low[i], p.q[i]);
                high[i] = k == 0 ? p.q[i] : fmax(high[i], p.q[i]);
            }
        }
        checkNear("theta after three turns", back.z, way * 6 * PL_PI, 1e-10);
        // the crank turns, no motor does
        for (int i = 0; i < 4; ++i) checkAtMost("swing of a motor", high[i] - low[i], PL_PI);
    }
    print_message("three turns, unwrapped: %.2g\n", worst);
    checkAtMost("three turns", worst, 1e-10); // the bar
}

// Turned by pi, the two pantographs change places, and so do the ends of the crank: theta stays.
static void theDeviceIsItsOwnImageTurnedByPi(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(63);
    const plPantographDef def = plDefaultPantographDef();
    for (int k = 0; k < 100; ++k) {
        const plVec3 x = randomPose(&rng, 0.02);
        const plPantographPose a = reach(&def, x), b = reach(&def, plVec(-x.x, -x.y, x.z));
        for (int i = 0; i < 4; ++i) {
            const int other = (i + 2) % 4;
            checkNear("angle", b.q[other], a.q[i] + (i < 2 ? -PL_PI : PL_PI), 1e-12);
            checkNear("G, x", b.G[other].x, -a.G[i].x, 1e-9);
            checkNear("G, y", b.G[other].y, -a.G[i].y, 1e-9);
            checkNear("G, theta", b.G[other].z, a.G[i].z, 1e-9);
        }
    }
}

static void whatIsOutOfReachIsRefused(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    const plPantographPose none = {0};
    const plVec3 far[] = {{0, 0.03, -PL_PI / 2}, {0.2, 0, 0},      {0, -0.12, 0},
                          {NAN, 0, 0},           {0, INFINITY, 0}, {0, 0, NAN}};
    for (int i = 0; i < PL_COUNT(far); ++i) {
        plPantographPose p;
        plVec3 sensed = plVec(1, 1, 1);
        assert_false(plPantograph_Inverse(&def, far[i], &p));
        assert_memory_equal(&p, &none, sizeof p);
        assert_false(plPantograph_Sense(&def, far[i], 0, &sensed, NULL));
        assert_true(plNorm(sensed) == 0);
    }
    const double spread[4] = {PL_PI, 0, 0, PL_PI}, bad[4] = {0, NAN, 0, 0};
    plPantographDef wide = def;
    plVec3 x;
    wide.b = 0.06; // elbows 21 cm apart
    assert_false(plPantograph_Forward(&wide, spread, 0, &x, NULL));
    assert_false(plPantograph_Forward(&def, bad, 0, &x, NULL));
    assert_false(plPantograph_Forward(&def, reach(&def, plVec(0, 0, 0)).q, INFINITY, &x, NULL));
}

// Arms longer than rods: the elbows are beyond the ends, and the same angles join the rods on the
// far side.
static void aLinkageTurnedInsideOutIsRefused(void** state)
{
    (void)state;
    plPantographDef def = plDefaultPantographDef();
    plPantographPose p;
    def.L1 = 0.1, def.L2 = 0.06, def.H = 0.05, def.ell = 0.02;
    assert_false(plPantograph_Inverse(&def, plVec(0, 0, 0), &p));
    def.H = 0.13;
    assert_true(plPantograph_Inverse(&def, plVec(0, 0, 0), &p));
}

// On the way to the border the margin falls to zero, and nothing is reached behind it.
static void theMarginVanishesAtTheBorder(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    plPantographPose p;
    double inside = 0, outside = 0.1;
    for (int k = 0; k < 60; ++k) {
        const double y = (inside + outside) / 2;
        if (plPantograph_Inverse(&def, plVec(0, y, -PL_PI / 2), &p)) {
            inside = y;
        } else {
            outside = y;
        }
    }
    // the lower pantograph stretched: |(b/2, H + y + ell/2)| = L1 + L2
    const double border = sqrt(0.175 * 0.175 - 0.025 * 0.025) - 0.12 - 0.03;
    p = reach(&def, plVec(0, inside, -PL_PI / 2));
    print_message("border at y = %.6f m, margin there %.2g\n", inside, p.margin);
    checkNear("border", inside, border, 1e-12);
    checkAtMost("margin at the border", p.margin, 1e-6);
}

static void encodersRoundToHalfACount(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(64);
    plPantographDef def = plDefaultPantographDef();
    const double half = PL_PI / def.counts;
    double place = 0, turn = 0, closure = 0;
    for (int k = 0; k < 2000; ++k) {
        const plVec3 x = randomPose(&rng, 0.02);
        const plPantographPose p = reach(&def, x);
        double rounded[4], residual;
        plVec3 sensed;
        assert_true(plPantograph_Round(&def, p.q, rounded));
        for (int i = 0; i < 4; ++i) {
            checkNear("rounded", rounded[i], p.q[i], half * (1 + 1e-9));
            checkNear("whole counts", remainder(rounded[i], 2 * half), 0, 1e-12);
        }
        assert_true(plPantograph_Sense(&def, x, x.z, &sensed, &residual));
        place = fmax(place, hypot(sensed.x - x.x, sensed.y - x.y));
        turn = fmax(turn, fabs(sensed.z - x.z));
        closure = fmax(closure, fabs(residual));
        // |x| <= |errors of q|/sigma, rotation at the ends of the crank; 10 % for the curvature
        plIsotropy s;
        plPantograph_Isotropy(&def, &p, &s);
        const double error = plNorm(plVec(sensed.x - x.x, sensed.y - x.y, 0.03 * (sensed.z - x.z)));
        // the four angles do not agree, so the pose is not that of least squares: twice the bound
        checkAtMost("error of the sensed pose", error, 2.2 * 2 * half / s.least);
    }
    print_message("20000 counts: place %.1f um, turn %.2f mrad, closure %.1f um at most\n",
                  place * 1e6, turn * 1e3, closure * 1e6);
    assert_true(closure > 1e-6); // the sensors do disagree
    def.counts = 0;
    plVec3 sensed;
    assert_true(plPantograph_Sense(&def, plVec(0.01, 0, 1), 1, &sensed, NULL));
    checkNear("exact encoders", distance(sensed, plVec(0.01, 0, 1)), 0, 1e-14);
}

// ------------------------------------------------------------------------------------ rates, G

static void theRatesAreTheDifferencesOfTheAngles(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(65);
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
        const int preset = k % pl_pantographCount;
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        const plVec3 x = randomPose(&rng, 0.95 * discOf(preset));
        const plPantographPose p = reach(&def, x);
        for (int j = 0; j < 3; ++j) {
            const double h = j == 2 ? 1e-5 : 1e-6;
            const plVec3 e = plVec(j == 0, j == 1, j == 2);
            const plPantographPose a = reach(&def, plAddScaled(x, -h, e));
            const plPantographPose b = reach(&def, plAddScaled(x, h, e));
            for (int i = 0; i < 4; ++i) {
                const double slope = (b.q[i] - a.q[i]) / (2 * h), G = plDot(p.G[i], e);
                worst = fmax(worst, fabs(slope - G) / fmax(1, fabs(G)));
            }
        }
    }
    print_message("G against differences: %.2g\n", worst);
    checkAtMost("G against differences", worst, 1e-6); // the bar
}

static void ratesGoBackToTheHandle(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(66);
    const plPantographDef def = plDefaultPantographDef();
    for (int k = 0; k < 1000; ++k) {
        const plPantographPose p = reach(&def, randomPose(&rng, 0.02));
        const plVec3 v = randomRates(&rng);
        plVec3 back;
        double qdot[4];
        assert_true(plPantograph_JointRates(&p, v, qdot));
        assert_true(plPantograph_HandleRates(&def, &p, qdot, &back));
        checkNear("rates", distance(back, v), 0, 1e-10); // the bar of kinematics
    }
}

static void thePowerOfMotorsIsThatOfTheHandle(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(67);
    const plPantographDef def = plDefaultPantographDef();
    double worst = 0;
    for (int k = 0; k < 1000; ++k) {
        const plPantographPose p = reach(&def, randomPose(&rng, 0.02));
        const plVec3 v = randomRates(&rng);
        double tau[4], qdot[4], power = 0;
        plVec3 F;
        for (int i = 0; i < 4; ++i) tau[i] = plRng_Normal(&rng);
        assert_true(plPantograph_Force(&p, tau, &F));
        assert_true(plPantograph_JointRates(&p, v, qdot));
        for (int i = 0; i < 4; ++i) power += tau[i] * qdot[i];
        worst = fmax(worst, fabs(power - plDot(F, v)));
    }
    print_message("tau.qdot - F.v: %.2g W\n", worst);
    checkAtMost("tau.qdot - F.v", worst, 1e-12); // round-off of powers of a few watts
}

// ----------------------------------------------------------------------------------------- statics

static void theTorquesAreThoseOfTheSpec(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    const struct {
        double theta;
        plVec3 F;
        double tau[4], digits;
    } rows[] = {
        {0, {15, 0, 0}, {-.29025, -.45293, .29025, .45293}, 5.1e-6},
        {0, {0, 15, 0}, {-.4823, .3304, .4823, -.3304}, 5.1e-5},
        {0, {0, 0, 1}, {1.09331, -.70062, 1.09331, -.70062}, 5.1e-6},
        {PL_PI / 2, {15, 0, 0}, {-.28553, -.28553, .28553, .28553}, 5.1e-6},
        {PL_PI / 2, {0, 15, 0}, {-.51508, .51508, .51508, -.51508}, 5.1e-6},
        {PL_PI / 2, {0, 0, 1}, {-.63451, -.63451, -.63451, -.63451}, 5.1e-6},
    };
    for (int k = 0; k < PL_COUNT(rows); ++k) {
        const plPantographPose p = reach(&def, plVec(0, 0, rows[k].theta));
        double tau[4];
        assert_true(plPantograph_Torques(&def, &p, rows[k].F, tau));
        for (int i = 0; i < 4; ++i) checkNear("torque", tau[i], rows[k].tau[i], rows[k].digits);
    }
}

static void torquesGiveTheForceAndAreTheSmallest(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(68);
    double defect = 0, along = 0, empty = 0;
    for (int k = 0; k < 3000; ++k) {
        const int preset = k % pl_pantographCount;
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        const plPantographPose p = reach(&def, randomPose(&rng, discOf(preset)));
        const plVec3 F = plVec(plRng_Uniform(&rng, -15, 15), plRng_Uniform(&rng, -15, 15),
                               plRng_Uniform(&rng, -1, 1));
        double tau[4], null[4], dot = 0;
        plVec3 back;
        assert_true(plPantograph_Torques(&def, &p, F, tau));
        assert_true(plPantograph_Null(&def, &p, null));
        plPantograph_Force(&p, tau, &back);
        defect = fmax(defect, distance(back, F));
        plPantograph_Force(&p, null, &back);
        empty = fmax(empty, plNorm(back));
        for (int i = 0; i < 4; ++i) dot += tau[i] * null[i];
        along = fmax(along, fabs(dot));
        checkNear("null torques are of unit length", norm4(null), 1, 1e-14);
        for (int s = -4; s <= 4; ++s) {
            double other[4];
            for (int i = 0; i < 4; ++i) other[i] = tau[i] + 0.1 * s * null[i];
            checkAtMost("smallest torques", norm4(tau), norm4(other) * (1 + 1e-15));
        }
    }
    print_message("G^T tau - F %.2g, G^T null %.2g, tau.null %.2g\n", defect, empty, along);
    checkAtMost("G^T tau - F", defect, 1e-10); // the bar
    checkAtMost("G^T null", empty, 1e-10);
    checkAtMost("tau.null", along, 1e-10);
}

// The two ends are pulled apart along the crank, and by equal forces.
static void nullTorquesPullTheCrank(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(69);
    const plPantographDef def = plDefaultPantographDef();
    for (int k = 0; k < 300; ++k) {
        const plPantographPose p = reach(&def, randomPose(&rng, 0.02));
        double null[4], tension;
        assert_true(plPantograph_Null(&def, &p, null));
        assert_true(plPantograph_Tension(&p, null, &tension));
        assert_true(tension > 0);
        for (int end = 0; end < 2; ++end) {
            const double own[4] = {end ? 0 : null[0], end ? 0 : null[1], end ? null[2] : 0,
                                   end ? null[3] : 0};
            plVec3 F;
            plPantograph_Force(&p, own, &F);
            F.z = 0;
            const plVec3 pull = plScale(end ? tension : -tension, p.u);
            checkNear("pull at an end", distance(F, pull), 0, 1e-10);
        }
    }
}

// Without motor 1 at theta = 45 deg the other three are near singular. The spec does not name its
// force; this one gives its figures, 0.51 and 12.0 N m.
static void aFourthMotorSparesTheOthers(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    const plPantographPose p = reach(&def, plVec(0, 0, 45 * degree));
    double tau[4], null[4], three[4];
    assert_true(plPantograph_Torques(&def, &p, plVec(5, 5, 0.2), tau));
    assert_true(plPantograph_Null(&def, &p, null));
    for (int i = 0; i < 4; ++i) three[i] = tau[i] - tau[1] / null[1] * null[i];
    print_message("at 45 deg |tau| = %.4f N m with four motors, %.3f N m with three\n", norm4(tau),
                  norm4(three));
    checkNear("four motors", norm4(tau), 0.51, 0.005);
    checkNear("three motors", norm4(three), 12.0, 0.05);
}

static double peakTorque(const plPantographDef* def, double radius, plVec3 F)
{
    double peak = 0;
    for (int i = 0; i < 36; ++i) {
        for (int k = 0; k < 180; ++k) {
            const double angle = 10 * degree * i;
            const plPantographPose p =
                reach(def, plVec(radius * cos(angle), radius * sin(angle), 2 * degree * k));
            double tau[4];
            assert_true(plPantograph_Torques(def, &p, F, tau));
            peak = fmax(peak, peak4(tau));
        }
    }
    return peak;
}

static void theMotorsGiveEachLimitOfTheForceAlone(void** state)
{
    (void)state;
    const plVec3 forces[4] = {{15, 0, 0}, {0, 15, 0}, {0, 0, 1}, {15, 15, 1}};
    for (int preset = 0; preset < pl_pantographCount; ++preset) {
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        double peak[4];
        for (int k = 0; k < 4; ++k) {
            peak[k] =
                fmax(peakTorque(&def, 0, forces[k]), peakTorque(&def, discOf(preset), forces[k]));
            if (k < 3) checkAtMost("torque for one limit", peak[k], def.torqueLimit);
        }
        print_message("preset %d: %.3f %.3f %.3f N m for 15 N, 15 N, 1 N m; %.3f for all\n", preset,
                      peak[0], peak[1], peak[2], peak[3]);
        assert_true(peak[3] > def.torqueLimit); // not all at once
    }
}

static void scalingKeepsTheDirectionAndClippingDoesNot(void** state)
{
    (void)state;
    const plPantographDef def = plDefaultPantographDef();
    const plPantographPose p = reach(&def, plVec(0.005, -0.01, 0.3));
    const plVec3 F = plVec(20, -30, 1.5);
    double scaled[4], clipped[4];
    plVec3 a, b;
    assert_true(plPantograph_Torques(&def, &p, F, scaled));
    memcpy(clipped, scaled, sizeof clipped);
    const double s = plPantograph_Scale(&def, scaled);
    const int count = plPantograph_Clip(&def, clipped);
    assert_true(s < 1 && count > 0 && count < 4);
    checkNear("scaled to the limit", peak4(scaled), def.torqueLimit, 1e-15);
    checkNear("clipped to the limit", peak4(clipped), def.torqueLimit, 0);
    plPantograph_Force(&p, scaled, &a);
    plPantograph_Force(&p, clipped, &b);
    checkNear("the same direction", distance(a, plScale(s, F)), 0, 1e-10);
    const double turn =
        acos(plDot(plVec(b.x, b.y, 0), plVec(F.x, F.y, 0)) / hypot(b.x, b.y) / hypot(F.x, F.y));
    print_message("scaled by %.3f; clipped %d motors, force turned by %.1f deg\n", s, count,
                  turn / degree);
    assert_true(turn > 1 * degree);
    assert_true(plPantograph_Scale(&def, scaled) >= 1 - 1e-15); // within the limit: left alone
    assert_int_equal(plPantograph_Clip(&def, clipped), 0);
    double bad[4] = {1, NAN, 0, 0}, worse[4] = {1, INFINITY, 0, 0};
    assert_true(plPantograph_Scale(&def, bad) == 0 && peak4(bad) == 0);
    assert_true(plPantograph_Clip(&def, worse) == 4 && peak4(worse) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theAnglesAreThoseOfTheSpec),
        cmocka_unit_test(poseToAnglesAndBack),
        cmocka_unit_test(everyPoseThatIsReachedComesBack),
        cmocka_unit_test(threeTurnsAreCounted),
        cmocka_unit_test(theDeviceIsItsOwnImageTurnedByPi),
        cmocka_unit_test(whatIsOutOfReachIsRefused),
        cmocka_unit_test(aLinkageTurnedInsideOutIsRefused),
        cmocka_unit_test(theMarginVanishesAtTheBorder),
        cmocka_unit_test(encodersRoundToHalfACount),
        cmocka_unit_test(theRatesAreTheDifferencesOfTheAngles),
        cmocka_unit_test(ratesGoBackToTheHandle),
        cmocka_unit_test(thePowerOfMotorsIsThatOfTheHandle),
        cmocka_unit_test(theTorquesAreThoseOfTheSpec),
        cmocka_unit_test(torquesGiveTheForceAndAreTheSmallest),
        cmocka_unit_test(nullTorquesPullTheCrank),
        cmocka_unit_test(aFourthMotorSparesTheOthers),
        cmocka_unit_test(theMotorsGiveEachLimitOfTheForceAlone),
        cmocka_unit_test(scalingKeepsTheDirectionAndClippingDoesNot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
