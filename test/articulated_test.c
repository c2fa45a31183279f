// Bodies on stiff points: what the printed scheme creates, and that ours does not.      (pmi spec 3)
#include "articulated.h"

#include <limits.h>

static const double stiffnesses[3] = {1e2, 1e4, 1e6};
static const double steps[3] = {1e-3, 1. / 300, 1. / 30};

typedef struct {
    double most, least, end; ///< of (E - E0)/scale
    double gap;              ///< largest [m]
    double blown;            ///< time at which E - E0 went over 1e4 scales [s]; 0: never
} Fall;

/// One run; T = 0: random steps in [1/300, 1/30].
static Fall fall(const Articulated* c, double T, double time)
{
    plWorld* world = makeArticulated(c);
    plRng rng = plRng_Seed(40);
    const double E0 = energyOf(world);
    const int count = T > 0 ? (int)lround(time / T) : INT_MAX;
    Fall f = {.most = -INFINITY};
    double now = 0;
    for (int i = 0; i < count && now < time + 1 && f.blown == 0; ++i) {
        const double step = T > 0 ? T : plRng_Uniform(&rng, steps[1], steps[2]);
        plWorld_Step(world, step);
        now += step;
        f.end = (energyOf(world) - E0) / articulatedScale;
        f.most = fmax(f.most, f.end);
        f.least = fmin(f.least, f.end);
        f.gap = fmax(f.gap, jointGap(world, c));
        if (!(f.end < 1e4)) f.blown = now;
        if (T == 0 && now >= time) break;
    }
    plWorld_Destroy(world);
    return f;
}

static Articulated printed(bool slender, double k)
{
    return (Articulated){.slender = slender, .k = k};
}

static Articulated ours(bool slender, double k)
{
    return (Articulated){.slender = slender, .k = k, .passes = 2, .guard = true};
}

// ------------------------------------------------------------------------- the printed scheme

static plVec3 lastBodyAfter(const Articulated* c, double T, double time)
{
    plWorld* world = makeArticulated(c);
    for (int i = 0; i < (int)lround(time / T); ++i) plWorld_Step(world, T);
    const plVec3 x = placeOf(world, center(plWorld_Mechanism(world, 2)));
    plWorld_Destroy(world);
    return x;
}

// The table gives nine digits of another implementation of the same equations.
static void printedSchemeIsThatOfTheTable(void** state)
{
    (void)state;
    static const struct {
        bool slender;
        double time, x, z;
    } rows[] = {{false, 1, 0.167435501, -0.166626228},
                {false, 2, -0.135884948, -0.135362524},
                {true, 0.2, 0.134729951, -0.194895045}};
    for (int i = 0; i < PL_COUNT(rows); ++i) {
        const Articulated c = printed(rows[i].slender, 1e6);
        const plVec3 x = lastBodyAfter(&c, 1e-3, rows[i].time);
        checkNear("x [m]", x.x, rows[i].x, 2e-9); // its last digit and ours
        checkNear("z [m]", x.z, rows[i].z, 2e-9);
    }
}

static void printedSchemeCreatesEnergy(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const Articulated c = printed(false, stiffnesses[i]);
        const Fall f = fall(&c, 1e-3, 10);
        print_message("printed, J = m I, 1 kHz, k %g: E - E0 %+.5f of the scale after 10 s, gap "
                      "%.2g m\n",
                      c.k, f.end, f.gap);
        checkNear("(E - E0)/scale", f.end, 0.0061, 3e-4);      // the bar
        if (i == 2) checkNear("gap [m]", f.gap, 1.2e-7, 5e-9); // of the spec
    }
    static const double coarse[3] = {1.27, 1.32, 612}; // the largest in 60 s
    for (int i = 0; i < 3; ++i) {
        const Articulated c = printed(false, stiffnesses[i]);
        const Fall f = fall(&c, 1. / 30, 60);
        print_message("printed, J = m I, 30 Hz, k %g: up to %+.4g\n", c.k, f.most);
        checkNear("(E - E0)/scale", f.most, coarse[i], 5e-3 * coarse[i]); // digits of the table
    }
}

// Slender links are chaotic: 1e-14 m/s at the start turn the growth of k = 100 in 10 s from 6 into a
// blow-up, so that a number behind the first second or two means nothing; that it grows does. The
// table's +14.8 lies inside, and its 2.66 s are 2.59 s here; its 1.97 s and its steps are met.
static void printedSchemeBlowsUpWithSlenderLinks(void** state)
{
    (void)state;
    static const int table[3] = {15, 9, 6}; // steps of 1/30 s
    for (int i = 0; i < 3; ++i) {
        const Articulated c = printed(true, stiffnesses[i]);
        const Fall fine = fall(&c, 1e-3, 10), coarse = fall(&c, 1. / 30, 60);
        print_message("printed, slender, k %g: 1 kHz %+.3g, blown at %.3f s; 30 Hz blown in %ld "
                      "steps\n",
                      c.k, fine.most, fine.blown, lround(30 * coarse.blown));
        checkAtMost("one scale, against what was created", 1, fine.most);
        assert_int_equal(lround(30 * coarse.blown), table[i]);
        if (i == 1) checkNear("blown at [s]", fine.blown, 1.97, 5e-3); // digits of the table
        if (i == 2) checkNear("blown at [s]", fine.blown, 2.66, 0.1);  // see above
    }
}

// Energy at or below that of the start for 5 s.
static bool calm(const Articulated* c, double T)
{
    plWorld* world = makeArticulated(c);
    const double E0 = energyOf(world);
    bool good = true;
    for (int i = 0; i < (int)lround(5 / T) && good; ++i) {
        plWorld_Step(world, T);
        good = energyOf(world) - E0 <= 1e-12 * articulatedScale; // round-off
    }
    plWorld_Destroy(world);
    return good;
}

// In half powers of ten. No one damping fits: it grows with the step, and there with the stiffness.
static void printedSchemeNeedsTheDampingOfTheTable(void** state)
{
    (void)state;
    static const int table[2][3][3] = {{{-12, -12, -12}, {-11, -11, -11}, {-9, -8, -6}},
                                       {{-11, -11, -10}, {-10, -10, -8}, {-8, -6, -4}}};
    for (int i = 0; i < 18; ++i) {
        const int J = i / 9, t = i / 3 % 3, k = i % 3, half = table[J][t][k];
        Articulated c = printed(J, stiffnesses[k]);
        c.damping = pow(10, 0.5 * half);
        assert_true(calm(&c, steps[t]));
        c.damping = pow(10, 0.5 * (half - 1));
        assert_false(calm(&c, steps[t]));
    }
}

// ------------------------------------------------------------------------------------ our own

// Both schemes, with the guard: 2 inertias, 3 steps, 3 stiffnesses.
static void guardedEnergyNeverGrows(void** state)
{
    (void)state;
    double worst = -INFINITY;
    for (int i = 0; i < 36; ++i) {
        const double T = steps[i / 3 % 3];
        Articulated c =
            i < 18 ? ours(i / 9 % 2, stiffnesses[i % 3]) : printed(i / 9 % 2, stiffnesses[i % 3]);
        c.guard = true;
        const Fall f = fall(&c, T, T > 0.01 ? sized(20, 60) : sized(4, 10));
        if (i < 18) {
            print_message("%s, T %.2g, k %g: E - E0 in %.2g .. %.2g, end %.2g of the scale, gap "
                          "%.2g m\n",
                          c.slender ? "slender" : "J = m I", T, c.k, f.least, f.most, f.end, f.gap);
        }
        checkAtMost("(E - E0)/scale", f.most, 1e-11); // the bar
        worst = fmax(worst, f.most);
    }
    print_message("36 cases: (E - E0)/scale up to %.2g\n", worst);
}

static void energyIsKeptWhereItIsResolved(void** state)
{
    (void)state;
    static const double gaps[3] = {5.7e-4, 5.7e-6, 5.7e-8}; // of the spec, [m]
    for (int i = 0; i < 3; ++i) {
        const Articulated c = ours(false, stiffnesses[i]);
        const Fall f = fall(&c, 1e-3, 4);
        checkAtMost("|E - E0|/scale in 4 s", fmax(f.most, -f.least), 1e-10); // the bar
        checkNear("gap [m]", f.gap, gaps[i], 0.02 * gaps[i]);                // its two digits
    }
    for (int i = 0; i < 9; ++i) { // what the spec says the guard costs
        const Articulated flat = ours(false, stiffnesses[i % 3]), thin = ours(true, flat.k);
        checkAtMost("loss with J = m I", -fall(&flat, steps[i / 3], 4).least, 5e-7);
        if (i < 3) checkAtMost("loss with slender links", -fall(&thin, 1e-3, 4).least, 7.8e-5);
    }
}

// A rigid triple pendulum solved apart from the engine, at 1, 2 and 0.2 s; 5e-6 m is the bar for the
// first, and the others are as far from it as the spec's own midpoint scheme.
static void bodyIsWhereTheRigidPendulumIs(void** state)
{
    (void)state;
    static const struct {
        bool slender;
        double time, x, z, bar;
    } rows[] = {{false, 1, 0.1674515592, -0.1666167318, 5e-6},
                {false, 2, -0.1358036224, -0.1355468301, 5e-6},
                {true, 0.2, 0.1352846943, -0.1947256600, 5e-6}};
    for (int i = 0; i < PL_COUNT(rows); ++i) {
        const Articulated c = ours(rows[i].slender, 1e6);
        const plVec3 x = lastBodyAfter(&c, 1e-3, rows[i].time);
        const double error = hypot(x.x - rows[i].x, x.z - rows[i].z);
        print_message("%g s: %.2g m from the rigid pendulum\n", rows[i].time, error);
        checkAtMost("error [m]", error, rows[i].bar);
    }
}

// As a haptic loop that shares its machine would step; joints of one point and of two.
static void randomStepsCreateNothing(void** state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        Articulated c = ours(i / 4, stiffnesses[i % 2]), p = printed(i / 4, c.k);
        c.hinged = p.hinged = i / 2 % 2;
        const Fall f = fall(&c, 0, sized(20, 60)), grown = fall(&p, 0, 60);
        p.damping = 1e-3;
        const Fall damped = fall(&p, 0, 20);
        print_message("random steps, %s, k %g, %s: %.2g .. %.2g, printed %+.3g\n",
                      c.slender ? "slender" : "J = m I", c.k, c.hinged ? "hinges" : "balls",
                      f.least, f.most, grown.most);
        checkAtMost("(E - E0)/scale", f.most, 1e-11);        // the bar
        if (!c.slender) checkAtMost("loss", -f.least, 5e-7); // the spec, for J = m I and any step
        checkAtMost("0.3 scales, against what the printed scheme created", 0.3, grown.most);
        if (!c.slender) checkAtMost("printed with damping", damped.most, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printedSchemeIsThatOfTheTable),
        cmocka_unit_test(printedSchemeCreatesEnergy),
        cmocka_unit_test(printedSchemeBlowsUpWithSlenderLinks),
        cmocka_unit_test(printedSchemeNeedsTheDampingOfTheTable),
        cmocka_unit_test(guardedEnergyNeverGrows),
        cmocka_unit_test(energyIsKeptWhereItIsResolved),
        cmocka_unit_test(bodyIsWhereTheRigidPendulumIs),
        cmocka_unit_test(randomStepsCreateNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
