// palp plot: channels of a trace over time.
#define _XOPEN_SOURCE 700
#include "cli.h"

static char text[1 << 20];

static void slurpLong(const char* path)
{
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(length < sizeof text - 1);
    text[length] = '\0';
}

/// Runs the command with a file of the folder in it.
static void runOn(const char* format, const char* file)
{
    char line[pathSize], path[pathSize];
    snprintf(path, sizeof path, "%s", inFolder(file));
    snprintf(line, sizeof line, format, path);
    run(line);
}

static void needGnuplot(void)
{
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) skipTest("gnuplot is not installed");
}

// The same drawing of both formats: names in the key, units and words on the axes.
static void bothFormatsAreDrawn(void** state)
{
    (void)state;
    static const char* const formats[] = {"csv", "h5"};
    needGnuplot();
    for (int i = 0; i < 2; ++i) {
        char file[32];
        snprintf(file, sizeof file, "box.%s", formats[i]);
        runOn("run box --time 0.5 --record %s --channels time,energy,dissipated,contacts,box.z",
              file);
        expectCode(0);
        runOn("plot %s", file);
        expectCode(0);
        expectIn(answer.out, "500 rows of ");
        slurpLong(inFolder("box.svg"));
        const char* const words[] = {">energy<", ">dissipated<", ">contacts<", ">box.z<",
                                     ">[J]<",    ">[m]<",        "time [s]"};
        for (int k = 0; k < (int)(sizeof words / sizeof *words); ++k) {
            // gnuplot may put a space before the words
            if (!strstr(text, words[k]) && !strstr(text, words[k] + 1)) fail_msg("no %s", words[k]);
        }
        remove(inFolder("box.svg"));
    }
}

static void chosenChannelsAreDrawnWhereAskedFor(void** state)
{
    (void)state;
    needGnuplot();
    runOn("run box --time 0.5 --record %s --channels energy,kinetic,box.z", "some.csv");
    char line[3 * pathSize], out[pathSize];
    snprintf(out, sizeof out, "%s", inFolder("some.png"));
    snprintf(line, sizeof line, "plot %s kinetic,box.z -o %s", inFolder("some.csv"), out);
    run(line);
    expectCode(0);
    slurpLong(inFolder("some.png"));
    expectIn(text, "PNG");
    runOn("plot %s kinetic", "some.csv");
    slurpLong(inFolder("some.svg"));
    assert_true(strstr(text, "kinetic") && !strstr(text, "energy"));
}

// 100,000 rows, of which one is a peak: it is in the drawing, whose size does not grow with the rows.
static void aPeakOfALongTraceIsNotLost(void** state)
{
    (void)state;
    needGnuplot();
    FILE* file = fopen(inFolder("long.csv"), "w");
    assert_non_null(file);
    fputs("step,hash,energy\n", file);
    for (int i = 0; i < 100000; ++i) fprintf(file, "0.001,00,%g\n", i == 77777 ? 987. : 1.);
    fclose(file);
    runOn("plot %s", "long.csv");
    expectCode(0);
    slurpLong(inFolder("long.svg"));
    expectIn(text, "1000"); // the axis reaches beyond it
    assert_true(strlen(text) < 200000);
}

static void whatIsNoTraceIsRefused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } list[] = {{"", "is no trace: it does not begin with \"step,hash,\""},
                {"a,b\n1,2\n", "is no trace"},
                {"step,hash,energy\n", "has no rows: there is nothing to plot"},
                {"step,hash,energy\n0.1,00,1\n0.1,00\n", "line 3 is no row of 1 channels"},
                {"step,hash,energy\n0.1,00,1,2\n", "line 2 is no row"},
                {"step,hash,energy\n0.1,00,x\n", "line 2 is no row"},
                {"step,hash,time\n0.1,00,0.1\n", "there is no channel to plot"}};
    for (int i = 0; i < (int)(sizeof list / sizeof *list); ++i) {
        FILE* file = fopen(inFolder("bad.csv"), "w");
        assert_non_null(file);
        fputs(list[i].text, file);
        fclose(file);
        runOn("plot %s", "bad.csv");
        expectComplaint(2, list[i].complaint);
    }
    runOn("plot %s", "none.csv");
    expectComplaint(2, "none.csv cannot be opened");
    runOn("plot %s", "none.h5");
    expectComplaint(2, "none.h5");
    runOn("plot %s -o x.pdf", "bad.csv");
    expectComplaint(2, "-o takes a file that ends in .svg or .png");
    runOn("plot %s tme", "bad.csv");
    expectComplaint(2, "has no channel \"tme\"; did you mean \"time\"?");
    run("plot");
    expectComplaint(2, "usage: palp plot TRACE [CHANNELS]");
    run("plot --help");
    expectCode(0);
    expectIn(answer.out, "-o FILE");
}

static void withoutGnuplotItSaysSo(void** state)
{
    (void)state;
    char line[pathSize];
    runOn("run box --time 0.01 --record %s --channels energy", "plain.csv");
    snprintf(line, sizeof line, "plot %s", inFolder("plain.csv"));
    runAfter("PATH=/nowhere", line);
    expectCode(4);
    expectIn(answer.err, "gnuplot is not installed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bothFormatsAreDrawn),
        cmocka_unit_test(chosenChannelsAreDrawnWhereAskedFor),
        cmocka_unit_test(aPeakOfALongTraceIsNotLost),
        cmocka_unit_test(whatIsNoTraceIsRefused),
        cmocka_unit_test(withoutGnuplotItSaysSo),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
