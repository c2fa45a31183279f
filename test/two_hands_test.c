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
        "%s, seed %2d: %d steps, bottom at %+.2f mm, %.2f mm aside, touched until %.2f s, "
        "tips up to %.2f N, at least %.2f N\n",
        what, (int)c->seed, r->steps, 1e3 * r->depth[1], 1e3 * r->aside, r->touched, r->pressed,
        r->loosest);
    print_message("    created %.1e, E - E0 - applied %.1e, residual %.1e of what flowed; joints "
                  "%.2g mm, %.2f of force over stiffness, %d stopped\n",
                  r->created, r->excess, r->residual, 1e3 * r->gap,
                  r->gap * c->stiffness / r->force, r->stopped);
}

/// What every run must keep, whatever becomes of the peg. A gap is that of the end of a tick, a force
/// the mean over it: what rings has more gap than force.
static void checkSound(const HandCase* c, const Insertion* r)
{
    assert_true(r->finite);
    checkAtMost("created, of what has flowed", r->created, 1e-13); // round-off
    checkAtMost("E - E0 - applied, of the same", r->excess, 1e-13);
    checkAtMost("residual, of the same", r->residual, 1e-12); // 1.6e-13 at 1 kHz
    checkAtMost("gap over force/stiffness", r->gap * c->stiffness / r->force, 1.1); // the bar
}

/// Stiff joints at random steps leave the peg rocking in its hole, up to 1.02 mm aside: not asked there.
static bool runs(const char* what, const HandCase* c)
{
    const Insertion r = insertPeg(c);
    const bool done = isDone(&r, c->time);
    show(what, c, &r);
    checkSound(c, &r);
    if (done && c->stiffness == printed)
        checkAtMost("aside [m]", r.aside, 1e-3); // play of 0.5 mm, and as much for overlap
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
    const int count = sized(4, 20);
    assert_int_equal(doneOf(1, count), count);
}

// Stiffness over mass up to 1e9: the same task, and then a long wait. Such points go through many
// periods in a tick, and the midpoint rule keeps what rings: without dampers gaps come to 1.8 (1e7) and
// 2.6 (1e9) times force over stiffness, with dampers that relax in 5 ms to 1.2. Here they relax in half
// the longest step.
static void stiffJointsInsertItToo(void** state)
{
    (void)state;
    static const double stiffness[2] = {1e4, 1e6};
    for (int i = 0; i < 2; ++i) {
        HandCase c = {.min = paces[1].min,
                      .max = paces[1].max,
                      .seed = 1,
                      .stiffness = stiffness[i],
                      .damping = stiffness[i] / 60,
                      .time = sized(12, 120)};
        char what[32];
        snprintf(what, sizeof what, "k/m %.0e", stiffness[i] / 1e-3);
        assert_true(runs(what, &c));
        if (sized(0, 1) == 0) continue;
        c.min = c.max = 1e-3;
        c.time = 11.8;
        assert_true(runs(what, &c));
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
        cmocka_unit_test(pegIsInsertedAtOneKilohertz),
        cmocka_unit_test(pegIsInsertedAtRandomSteps),
        cmocka_unit_test(stiffJointsInsertItToo),
        cmocka_unit_test(slipperyPegIsNotInserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
