// Two hands of light bodies on springs put a peg into a hole, by contact alone.       (pmi sec. 5.1)
// The peg stands up to 3 mm off in x and y and is turned by up to 5 degrees. The left hand closes along
// x and squares it, the right one along y, lifts it and carries it; the left one joins it above the
// hole, and both lower it and let go.
#include "hands.h"

static const double printed = 100; ///< stiffness of the joints' points [N/m]; bodies are of 1 g

static const struct {
    const char* name;
    double min, max; ///< [s]
} paces[2] = {{"1 kHz", 1e-3, 1e-3}, {"random steps", 1. / 300, 1. / 30}};

static void show(const char* what, const HandCase* c, const Insertion* r)
{
    print_message(
        "%s, seed %2d: %d steps, bottom at %+.3f mm, never below %.3f mm, %.3f mm aside, touched "
        "until %.2f s, tips up to %.2f N, at least %.2f N, box shifted by %.1e m\n",
        what, (int)c->seed, r->steps, 1e3 * r->depth[1], -1e3 * r->sunk, 1e3 * r->aside, r->touched,
        r->pressed, r->loosest, r->shifted);
    print_message(
        "    rise %.1e, created %.1e, E - E0 - applied %.1e, residual %.1e of what flowed, %d "
        "stopped\n",
        r->rise, r->created, r->excess, r->residual, r->stopped);
    print_message(
        "    joints: gap up to %.2g mm; over own force over stiffness %.3f in a tick, above "
        "1.1 in %.2g of all, %.3f of the peaks; mean gap %.4f, off by %.1e m\n",
        1e3 * r->gap, r->ratio, r->often, r->peak, r->mean, r->off);
}

/// Joints: the mean gap of a tick is always force over stiffness, and there the bar holds. The gap
/// between two ticks is so only where a point does not ring: at steps within its period in every tick,
/// with dampers at its peaks. Else the midpoint rule turns its sign from tick to tick, and the mean
/// force sees little of it.
static void checkJoints(const HandCase* c, const Insertion* r)
{
    const double bodyMass = 1e-3;
    checkAtMost("mean gap off force over stiffness [m]", r->off,
                1e-9); // what two passes leave, 7e-11
    if (c->damping == 0)
        checkAtMost("mean gap over force/stiffness, every tick", r->mean, 1.1); // the bar
    if (c->max * sqrt(c->stiffness / bodyMass) < 1)
        checkAtMost("gap over force/stiffness, every tick", r->ratio, 1.1); // the bar
    if (c->damping > 0) checkAtMost("gap over force/stiffness, peaks", r->peak, 1.1);
}

/// What every run must keep, whatever becomes of the peg.
static void checkSound(const HandCase* c, const Insertion* r)
{
    assert_true(r->finite);
    // over all ticks; in one of them gaps of contacts are known to 1e-10 m, and their forces times that is work
    checkAtMost("created, of what has flowed", r->created, 1e-12);
    checkAtMost("rise in one tick, of the same", r->rise, 1e-9);
    checkAtMost("E - E0 - applied, of the same", r->excess, 1e-12);
    checkAtMost("residual, of the same", r->residual, 1e-12); // 1.6e-13 at 1 kHz
    checkJoints(c, r);
}

/// The peg stands in its hole: within the play of 0.5 mm and on the floor, but for overlap that is
/// still taken back.
static void checkPeg(const Insertion* r)
{
    checkAtMost("aside [m]", r->aside, 0.6e-3);              // 0.51 mm
    checkAtMost("below the floor [m]", -r->depth[1], 5e-5);  // slop is 1e-5
    checkAtMost("below the floor, ever [m]", r->sunk, 5e-4); // 0.22 mm
    checkAtMost("the box shifted [m]", r->shifted, 1e-4);    // it rests freely on the floor
}

static bool runs(const char* what, const HandCase* c)
{
    const Insertion r = insertPeg(c);
    const bool done = isDone(&r, c->time);
    show(what, c, &r);
    checkSound(c, &r);
    if (done) checkPeg(&r);
    return done;
}

static int doneOf(int pace, int count)
{
    int done = 0;
    for (int i = 1; i <= count; ++i) {
        const HandCase c = {.min = paces[pace].min,
                            .max = paces[pace].max,
                            .seed = (uint64_t)i,
                            .stiffness = printed,
                            .time = 11.8};
        done += runs(paces[pace].name, &c);
    }
    print_message("%s: %d of %d done\n", paces[pace].name, done, count);
    return done;
}

static void pegIsInsertedAtOneKilohertz(void** state)
{
    (void)state;
    const int count = sized(1, 20);
    assert_int_equal(doneOf(0, count), count);
}

static void pegIsInsertedAtRandomSteps(void** state)
{
    (void)state;
    const int count = sized(1, 20);
    assert_int_equal(doneOf(1, count), count);
}

// Without `reach` the peg of seed 17 rocks when it is let go, 1.24 mm aside. With it, a thumb that
// opens is pushed shut again in a step of 32 ms; where that gains, impulses are scaled down, and the peg
// goes 1.1 mm into the floor: what meets it before it touches must gain nothing.
static void pegThatIsLetGoStandsStill(void** state)
{
    (void)state;
    const HandCase c = {
        .min = paces[1].min, .max = paces[1].max, .seed = 17, .stiffness = printed, .time = 11.8};
    assert_true(runs(paces[1].name, &c));
}

static void stiffRun(const HandCase* c, const char* joints)
{
    char what[48];
    snprintf(what, sizeof what, "k/m %.0e, %s", c->stiffness / 1e-3, joints);
    assert_true(runs(what, c));
}

// Stiffness over mass up to 1e9: the same task, and then a long wait. Such points go through many
// periods in a tick, and the midpoint rule keeps what rings. Dampers that relax in half the longest step
// calm them; a link's force has their part too.
static void stiffJointsInsertItToo(void** state)
{
    (void)state;
    static const double stiffness[2] = {1e4, 1e6};
    for (int i = sized(1, 0); i < 2; ++i) {
        HandCase c = {.min = paces[1].min,
                      .max = paces[1].max,
                      .seed = 1,
                      .stiffness = stiffness[i],
                      .damping = stiffness[i] / 60,
                      .time = sized(12, 120)};
        stiffRun(&c, "damped, random steps");
        if (sized(0, 1) == 0) continue;
        c.time = 11.8;
        c.min = c.max = 1e-3;
        stiffRun(&c, "damped, 1 kHz");
        c.damping = 0;
        stiffRun(&c, "undamped, 1 kHz");
        c.min = paces[1].min, c.max = paces[1].max;
        stiffRun(&c, "undamped, random steps");
    }
}

// A test that cannot fail shows nothing: with the friction of oil the peg slips out of the fingers.
static void slipperyPegIsNotInserted(void** state)
{
    (void)state;
    const HandCase c = {.min = paces[1].min,
                        .max = paces[1].max,
                        .seed = 1,
                        .stiffness = printed,
                        .time = 11.8,
                        .setting = "pairs[0].friction=0.01"};
    assert_false(runs("oil", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegIsInsertedAtOneKilohertz), cmocka_unit_test(pegIsInsertedAtRandomSteps),
        cmocka_unit_test(pegThatIsLetGoStandsStill),   cmocka_unit_test(stiffJointsInsertItToo),
        cmocka_unit_test(slipperyPegIsNotInserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
