// Figures: how claims are judged, and what the command writes.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"
#include "figure.h"

#include <math.h>

static void criteriaHoldByTheirNumbersAlone(void** state)
{
    char text[80];
    (void)state;
    assert_true(plCriterion_Holds(plAtMost(1), 1));
    assert_false(plCriterion_Holds(plAtMost(1), nextafter(1, 2)));
    assert_true(plCriterion_Holds(plAtLeast(1), 1));
    assert_false(plCriterion_Holds(plAtLeast(1), nextafter(1, 0)));
    assert_true(plCriterion_Holds(plWithin(2, 0.5), 1.5));
    assert_false(plCriterion_Holds(plWithin(2, 0.5), 2.6));
    assert_true(plCriterion_Holds(plBetween(-1, 1), -1));
    assert_false(plCriterion_Holds(plBetween(-1, 1), 1.1));
    const plCriterion all[] = {plAtMost(1), plAtLeast(1), plWithin(0, 1), plBetween(0, 1)};
    for (int i = 0; i < 4; ++i) assert_false(plCriterion_Holds(all[i], (double)NAN));
    plCriterion_Text(plAtMost(1e-9), text, sizeof text);
    assert_string_equal(text, "<= 1e-09");
    plCriterion_Text(plWithin(0.857, 0.005), text, sizeof text);
    assert_string_equal(text, "0.857 +- 0.005");
}

static void figureWritesItsFiles(void** state)
{
    char line[pathSize], text[textSize];
    (void)state;
    run("figure list");
    expectCode(0);
    assert_int_equal(countLines(answer.out), plFigure_Count());
    snprintf(line, sizeof line, "figure pmi-2 --out %s/a/b", folder);
    run(line);
    if (answer.code != 4) expectCode(0); // 4: there is no gnuplot here
    slurp(inFolder("a/b/pmi-2.json"), text);
    expectIn(text, "\"figure\": \"pmi-2\"");
    expectIn(text, "\"criterion\": \"<= 1e-11\"");
    expectIn(text, "\"pass\": true");
    assert_null(strstr(text, "\"pass\": false"));
    slurp(inFolder("a/b/pmi-2.csv"), text);
    expectIn(text, "x midpoint");
    if (answer.code == 0) {
        slurp(inFolder("a/b/pmi-2.svg"), text);
        expectIn(text, "<svg");
    }
}

static void figureWithoutGnuplotKeepsTableAndClaims(void** state)
{
    char line[pathSize], text[textSize];
    (void)state;
    snprintf(line, sizeof line, "figure pmi-1 --out %s/none", folder);
    runAfter("PATH=/nowhere", line);
    expectComplaint(4, "gnuplot is not installed");
    slurp(inFolder("none/pmi-1.json"), text);
    expectIn(text, "\"pass\": true");
    slurp(inFolder("none/pmi-1.csv"), text);
    expectIn(text, "time,");
}

static void figuresIntoAFileCannotBeWritten(void** state)
{
    char line[pathSize];
    (void)state;
    spit(inFolder("taken"), "");
    snprintf(line, sizeof line, "figure pmi-1 --out %s/taken", folder);
    run(line);
    expectComplaint(4, "cannot be written");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criteriaHoldByTheirNumbersAlone),
        cmocka_unit_test(figureWritesItsFiles),
        cmocka_unit_test(figureWithoutGnuplotKeepsTableAndClaims),
        cmocka_unit_test(figuresIntoAFileCannotBeWritten),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
