// palp solve, as a person calls it.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSolutionIsJudged),
        cmocka_unit_test(whatCannotBeSolvedIsRefused),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
