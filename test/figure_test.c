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

static plFigureJob job; // of a figure that is not made

static void verdictsFollowFromNumbersAlone(void** state)
{
    (void)state;
    job.claimCount = 0;
    plFigureJob_Claim(&job, "same", 2, plAtLeast(1), "as printed");
    plFigureJob_Claim(&job, "other", 2, plAtLeast(3), "but it is two");
    plFigureJob_Differs(&job, plWithin(2, 0.1), "Because of %s.", "this");
    plFigureJob_Claim(&job, "neither", 2, plAtLeast(3), "and it is not one");
    plFigureJob_Differs(&job, plWithin(1, 0.1), "Because.");
    plFigureJob_Claim(&job, "after-all", 4, plAtLeast(3), "as printed after all");
    plFigureJob_Differs(&job, plWithin(2, 0.1), "Because.");
    plFigureJob_Claim(&job, "nothing", (double)NAN, plAtLeast(3), "no number");
    plFigureJob_Differs(&job, plWithin(2, 0.1), "Because.");
    plFigureJob_Claim(&job, "no-reason", 2, plAtLeast(3), "no reason is given");
    plFigureJob_Check(&job, "check", 2, plAtLeast(1), "holds");
    plFigureJob_Check(&job, "bad-check", 2, plAtLeast(3), "fails");
    static const plVerdict expected[] = {pl_verdictPrinted, pl_verdictDiffers, pl_verdictFails,
                                         pl_verdictPrinted, pl_verdictFails,   pl_verdictFails,
                                         pl_verdictHolds,   pl_verdictFails};
    for (int i = 0; i < job.claimCount; ++i)
        assert_int_equal(plClaim_Verdict(&job.claims[i]), expected[i]);
    assert_string_equal(job.claims[1].why, "Because of this.");
    assert_int_equal(plFigureJob_Failed(&job), 4);
    assert_int_equal(plFigureJob_Count(&job).of[pl_verdictPrinted], 2);
}

/// Numbers of the cells of a row behind its first cell; 0: no such row.
static int numbersOf(const char* row, int numbers[5])
{
    const char* cell = strchr(row + 1, '|');
    return cell ? sscanf(cell, "| %d | %d | %d | %d | %d |", &numbers[0], &numbers[1], &numbers[2],
                         &numbers[3], &numbers[4])
                : 0;
}

// What doc/claims.md says of each figure is compared with what is computed by figures_agree_test and
// figures_odd_agree_test; here its sums, and README.md.
static void readmeCountsTheVerdictsOfTheFigures(void** state)
{
    static char claims[200000], readme[100000];
    int papers[5] = {0}, figures[4] = {0}, numbers[5], figureCount = 0, paperCount = 0;
    (void)state;
    FILE* file = fopen("doc/claims.md", "r");
    assert_non_null(file);
    claims[fread(claims, 1, sizeof claims - 1, file)] = '\0';
    fclose(file);
    file = fopen("README.md", "r");
    assert_non_null(file);
    readme[fread(readme, 1, sizeof readme - 1, file)] = '\0';
    fclose(file);
    for (char* line = strtok(claims, "\n"); line; line = strtok(NULL, "\n")) {
        const int count = line[0] == '|' ? numbersOf(line, numbers) : 0;
        if (count == 5) {
            for (int i = 0; i < 5; ++i) papers[i] += numbers[i];
            if (!strstr(readme, line)) fail_msg("README.md has no line %s", line);
            ++paperCount;
        } else if (count == 4) {
            for (int i = 0; i < 4; ++i) figures[i] += numbers[i];
            ++figureCount;
        }
    }
    assert_int_equal(paperCount, 5);
    assert_int_equal(papers[0], figureCount);
    assert_int_equal(figureCount, plFigure_Count());
    for (int i = 0; i < 4; ++i) assert_int_equal(figures[i], papers[i + 1]);
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
    expectIn(text, "\"verdict\": \"as printed\"");
    expectIn(text, "\"of\": \"palp\"");
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
        cmocka_unit_test(verdictsFollowFromNumbersAlone),
        cmocka_unit_test(readmeCountsTheVerdictsOfTheFigures),
        cmocka_unit_test(figureWritesItsFiles),
        cmocka_unit_test(figureWithoutGnuplotKeepsTableAndClaims),
        cmocka_unit_test(figuresIntoAFileCannotBeWritten),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
