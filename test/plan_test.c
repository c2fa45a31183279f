// The plan, the table of methods that solve contacts: what the book says of it, and what reports say of its rows.
#define _POSIX_C_SOURCE 200809L
#include "law_problems.h"

#include <stdio.h>

static void theBookHasTheTableAsItIs(void** state)
{
    (void)state;
    static char plan[8192], book[1 << 17];
    const char begin[] = "<!-- plan -->\n", end[] = "<!-- /plan -->";
    assert_in_range(plPlan_Write(plan, sizeof plan), 1, (int)sizeof plan - 1);
    FILE* file = fopen("doc/contact.md", "r");
    assert_non_null(file);
    book[fread(book, 1, sizeof book - 1, file)] = 0;
    fclose(file);
    char* from = strstr(book, begin);
    assert_non_null(from);
    char* to = strstr(from += strlen(begin), end);
    assert_non_null(to);
    *to = 0;
    // put what `palp solve --plan` prints between the marks
    assert_string_equal(from, plan);
}

static void aTextThatIsTooShortIsCut(void** state)
{
    (void)state;
    char all[8192], part[100];
    const int length = plPlan_Write(all, sizeof all);
    memset(part, 'x', sizeof part);
    assert_int_equal(plPlan_Write(part, sizeof part), length);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, all, sizeof part - 1);
}

static void namesAreThoseOfRows(void** state)
{
    (void)state;
    char all[8192];
    plPlan_Write(all, sizeof all);
    assert_string_equal(plPlan_Name(0), "none");
    assert_string_equal(plPlan_Name(-1), "none");
    assert_string_equal(plPlan_Name(1000), "none");
    int rows = 0;
    while (strcmp(plPlan_Name(rows + 1), "none") != 0) ++rows;
    assert_true(rows > 10);
    for (int i = 1; i <= rows; ++i) {
        char line[64];
        snprintf(line, sizeof line, "\n| %s | ", plPlan_Name(i));
        assert_non_null(strstr(all, line));
        for (int k = 1; k < i; ++k) assert_string_not_equal(plPlan_Name(i), plPlan_Name(k));
    }
}

typedef struct {
    int count, rows[32], iterations;
} Trail;

static void follow(void* self, int row, int iterations, double residual)
{
    Trail* t = self;
    (void)residual;
    assert_true(t->count < 32);
    t->rows[t->count++] = row;
    t->iterations += iterations;
}

static Trail runWith(const plLaw* law, Bench* b, plLawReport* report)
{
    Trail trail = {0};
    b->work.tell = follow, b->work.teller = &trail;
    *report = runLaw(law, &b->space, 0, b);
    return trail;
}

static void theReportNamesTheRowThatEnded(void** state)
{
    (void)state;
    Bench b = makeBench(3, 40, 4);
    plLawReport report;
    makeElastic(&b.space, 10, 0.5, 1);
    Trail trail = runWith(&plConeLaw, &b, &report);
    assert_int_equal(trail.count, 1);
    assert_string_equal(plPlan_Name(report.row), "newton");
    makeElastic(&b.space, 30, 0.5, 1);
    trail = runWith(&plConeLaw, &b, &report);
    assert_string_equal(plPlan_Name(trail.rows[0]), "guess");
    assert_string_equal(plPlan_Name(report.row), "newton");
    assert_int_equal(trail.iterations, report.iterations);
    makeElastic(&b.space, 10, 0.5, 1);
    runWith(&plLcpLaw, &b, &report);
    assert_string_equal(plPlan_Name(report.row), "pyramids");
    makeElastic(&b.space, 3, 0.5, 1);
    runWith(&plLcpLaw, &b, &report);
    assert_string_equal(plPlan_Name(report.row), "pivots");
    freeBench(&b);
}

// Every hyperstatic problem ends in some row, and the rows that were tried stand in the order of the table.
static void rowsAreTriedInTheirOrder(void** state)
{
    (void)state;
    Bench b = makeBench(3, 40, 4);
    for (int k = 0; k < 40; ++k) {
        plLawReport report;
        makeRigid(&b.space, 1 + k, 0.5, (uint64_t)k);
        const Trail trail = runWith(k % 2 ? &plConeLaw : &plLcpLaw, &b, &report);
        bool listed = false;
        for (int i = 0; i < trail.count; ++i) {
            if (i > 0) assert_true(trail.rows[i] > trail.rows[i - 1]);
            listed = listed || trail.rows[i] == report.row;
        }
        assert_true(listed);
    }
    freeBench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theBookHasTheTableAsItIs), cmocka_unit_test(aTextThatIsTooShortIsCut),
        cmocka_unit_test(namesAreThoseOfRows),      cmocka_unit_test(theReportNamesTheRowThatEnded),
        cmocka_unit_test(rowsAreTriedInTheirOrder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
