// palp solve, as a person calls it.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <math.h>

// One contact, W = 1, pushed together at 1 m/s: p = 1. In the format m; mu; W; delta_free; f.
static const char oneContact[] =
    "# m; mu; W; delta_free; f\n1\n0.5\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n1 0 0\n";

static void aSolutionIsJudged(void** state)
{
    (void)state;
    char line[pathSize + 64];
    spit(inFolder("one.txt"), oneContact);
    snprintf(line, sizeof line, "solve %s", inFolder("one.txt"));
    run(line);
    expectCode(0);
    expectIn(answer.out, "law cone  contacts 1");
    expectIn(answer.out, "active 1  sliding 0");
    snprintf(line, sizeof line, "solve %s --law lcp --tolerance 1e-12", inFolder("one.txt"));
    run(line);
    expectCode(0);
    expectIn(answer.out, "law lcp");
}

static void noContactsAreSolved(void** state)
{
    (void)state;
    char line[pathSize + 64];
    spit(inFolder("none.txt"), "palp space 1\ndim 3 contacts 0 blocks 0 step 1e-3 sides 4\n"
                               "bias elastic collision equality contacts velocity response end\n");
    for (int k = 0; k < 2; ++k) {
        snprintf(line, sizeof line, "solve %s --law %s", inFolder("none.txt"), k ? "lcp" : "cone");
        run(line);
        expectCode(0);
        expectIn(answer.out, "contacts 0  residual 0 ");
    }
    snprintf(line, sizeof line, "solve %s", inFolder("none.txt"));
    run(line);
    expectCode(0);
}

static void whatCannotBeSolvedIsRefused(void** state)
{
    (void)state;
    char line[pathSize + 64];
    spit(inFolder("bad.txt"),
         "# m; mu; W; delta_free; f\n1\n0.5\n1 0 0\n0 one 0\n0 0 1\n-1 0 0\n1 0 0\n");
    snprintf(line, sizeof line, "solve %s", inFolder("bad.txt"));
    run(line);
    expectComplaint(2, "bad.txt:5");
    spit(inFolder("one.txt"), oneContact);
    snprintf(line, sizeof line, "solve %s --law penalty", inFolder("one.txt"));
    run(line);
    expectComplaint(2, "lcp, cone");
    snprintf(line, sizeof line, "solve %s --tolerance much", inFolder("one.txt"));
    run(line);
    expectComplaint(2, "--tolerance");
    run("solve nowhere.dat");
    expectComplaint(2, "nowhere.dat");
}

// A contact that slips, beside one with W = 1e-9 I that touches nothing else: its impulse of 1e9 hides the
// first one's in RES, which is right at the first look.
static void theLargerResidualIsJudged(void** state)
{
    (void)state;
    char line[2 * pathSize];
    double residual[2], res[2], natural[2];
    spit(inFolder("hidden.txt"), "# m; mu; W; delta_free; f\n2\n0.5 0.5\n"
                                 "2 0.5 0.2 0 0 0\n0.5 1 0.1 0 0 0\n0.2 0.1 3 0 0 0\n"
                                 "0 0 0 1e-9 0 0\n0 0 0 0 1e-9 0\n0 0 0 0 0 1e-9\n"
                                 "-1 2 -1.5 -1 0 0\n0 0 0 0 0 0\n");
    for (int k = 0; k < 2; ++k) {
        snprintf(line, sizeof line, "solve %s %s", inFolder("hidden.txt"),
                 k ? "" : "--seconds 1e-9");
        run(line);
        expectCode(k == 0);
        const char* found = strstr(answer.out, "residual");
        assert_non_null(found);
        assert_int_equal(sscanf(found, "residual %lf (RES %lf, natural map %lf)", &residual[k],
                                &res[k], &natural[k]),
                         3);
    }
    assert_true(residual[0] == natural[0] && natural[0] > 1e-4 && res[0] < 1e-8);
    assert_true(natural[1] <= 1e-6 && residual[1] <= 1e-6);
}

// One contact of W = I that slips 30 degrees off its first tangent, mu = 0.5: a square ends in its corner,
// twelve sides have one in this direction.
static void aSolutionIsWrittenForTheSidesThatAreAsked(void** state)
{
    (void)state;
    char line[4 * pathSize], text[textSize];
    spit(inFolder("slips.txt"), "# m; mu; W; delta_free; f\n1\n0.5\n1 0 0\n0 1 0\n0 0 1\n"
                                "-1 -2.5980762113533160 -1.5\n0 0 0\n");
    const double second[] = {0.5 * 0.8660254037844386, 0.25};
    for (int k = 0; k < 2; ++k) {
        snprintf(line, sizeof line, "solve %s --law lcp --sides %d --out %s", inFolder("slips.txt"),
                 k == 0 ? 4 : 12, inFolder("answer.txt"));
        run(line);
        expectCode(0);
        slurp(inFolder("answer.txt"), text);
        expectIn(text, "palp solution 1\n");
        expectIn(text, "dim 3 contacts 1 bilateral 0\ncontacts\n");
        expectIn(text, "\nbilateral\nend\n");
        double p[3], u[3];
        const char* row = strstr(text, "contacts\n") + strlen("contacts\n");
        assert_int_equal(
            sscanf(row, "%lf %lf %lf %lf %lf %lf", &p[0], &p[1], &p[2], &u[0], &u[1], &u[2]), 6);
        assert_true(fabs(p[0] - 1) < 1e-9 && fabs(u[0]) < 1e-9);
        assert_true(fabs(p[1] - (k == 0 ? 0.5 : second[0])) < 1e-9);
        assert_true(fabs(p[2] - (k == 0 ? 0 : second[1])) < 1e-9);
        assert_true(fabs(u[1] - (p[1] - 2.5980762113533160)) < 1e-9 &&
                    fabs(u[2] - (p[2] - 1.5)) < 1e-9);
    }
}

static void bilateralRowsAreSolvedAndWritten(void** state)
{
    (void)state;
    char line[4 * pathSize], text[textSize];
    spit(inFolder("held.txt"),
         "palp space 1\ndim 2 contacts 1 blocks 0 step 0.001 sides 4\nbias plastic collision "
         "equality\n"
         "contacts\n0.5 0 0 0 0 0 0 0 0\nvelocity\n0 -1\n0 0.25\nresponse\n2 0\n0 2\n"
         "bilateral 1\n1 1\n2\n-1\nend\n");
    snprintf(line, sizeof line, "solve %s --out %s", inFolder("held.txt"), inFolder("answer.txt"));
    run(line);
    expectCode(0);
    expectIn(answer.out, "bilateral 1 (left ");
    slurp(inFolder("answer.txt"), text);
    double p[2], u[2], l;
    const char *row = strstr(text, "contacts\n") + strlen("contacts\n"),
               *rest = strstr(text, "bilateral\n");
    assert_int_equal(sscanf(row, "%lf %lf %lf %lf", &p[0], &p[1], &u[0], &u[1]), 4);
    assert_int_equal(sscanf(rest, "bilateral\n%lf", &l), 1);
    // V^T p + R l + s = 0, and l in u; it slips: p_t = -0.5 p_n.
    assert_true(fabs(p[0] + p[1] + 2 * l - 1) < 1e-9);
    assert_true(fabs(u[0] - (2 * p[0] + l - 1)) < 1e-9 &&
                fabs(u[1] - (2 * p[1] + l + 0.25)) < 1e-9);
    assert_true(p[0] > 0.1 && fabs(u[0]) < 1e-9);
}

static void optionsThatMakeNoSenseAreRefused(void** state)
{
    (void)state;
    const char* const cases[][2] = {{"--sides 5", "an even number from 4 to 32"},
                                    {"--sides 34", "an even number from 4 to 32"},
                                    {"--sweeps 0", "--sweeps takes a whole number"},
                                    {"--sweeps 1.5", "--sweeps takes a whole number"},
                                    {"--seconds -1", "--seconds takes a number > 0"},
                                    {"--seconds nan", "--seconds takes a number > 0"},
                                    {"--tolerance 0", "--tolerance takes a number > 0"}};
    char line[4 * pathSize];
    spit(inFolder("one.txt"), oneContact);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(line, sizeof line, "solve %s %s", inFolder("one.txt"), cases[i][0]);
        run(line);
        expectComplaint(2, cases[i][1]);
    }
    snprintf(line, sizeof line, "solve %s --out %s", inFolder("one.txt"), inFolder("one.txt"));
    run(line);
    expectComplaint(2, "would overwrite");
    const char* const places[] = {"no/folder/x.txt", "no/folder/x.h5"};
    for (int i = 0; i < 2; ++i) {
        snprintf(line, sizeof line, "solve %s --out %s/%s", inFolder("one.txt"), folder, places[i]);
        run(line);
        expectCode(4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSolutionIsJudged),
        cmocka_unit_test(noContactsAreSolved),
        cmocka_unit_test(whatCannotBeSolvedIsRefused),
        cmocka_unit_test(theLargerResidualIsJudged),
        cmocka_unit_test(aSolutionIsWrittenForTheSidesThatAreAsked),
        cmocka_unit_test(bilateralRowsAreSolvedAndWritten),
        cmocka_unit_test(optionsThatMakeNoSenseAreRefused),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
