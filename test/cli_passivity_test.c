// palp passivity, as a person calls it.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

static char line[4 * pathSize];

static void runWith(const char* options)
{
    snprintf(line, sizeof line, "passivity scenes/wall.json -o %s %s", inFolder("map"), options);
    run(line);
}

static double columnOf(const char* text, const char* name, int row)
{
    char header[4096];
    int column = 0;
    snprintf(header, sizeof header, "%.*s", (int)strcspn(text, "\n"), text);
    char* at = strtok(header, ",");
    while (at && strcmp(at, name) != 0) at = strtok(NULL, ","), ++column;
    if (!at) fail_msg("no column %s", name);
    for (int i = 0; i < row; ++i) text = strchr(text, '\n') + 1;
    for (int i = 0; i < column; ++i) text = strchr(text, ',') + 1;
    return strtod(text, NULL);
}

static void aMapIsToldWrittenAndDrawn(void** state)
{
    (void)state;
    static char text[textSize];
    runWith("--grid 2 --stiffness 0:2000 --wall-damping 0:0.4 --progress");
    if (answer.code == 4) skipTest("gnuplot is not installed");
    expectCode(0);
    expectIn(answer.out, "A finger on a wall");
    expectIn(answer.out, "stick: 0.1 kg, damping 0.6 N s/m, dry friction 0.04 N, encoder 3e-05 m");
    expectIn(answer.out, "1000 Hz, delay 0 ticks, coupling direct");
    expectIn(answer.out, "(closed form 1200)");
    expectIn(answer.out, "own wall  K 1500 N/m, B 0.2 N s/m: stable, but not passive");
    expectIn(answer.out, "lower the stiffness of the wall to 800 N/m");
    expectIn(answer.out, "add 0.35 N s/m of damping to the device");
    expectIn(answer.out, "raise the rate to 1880 Hz");
    slurp(inFolder("map/passivity.csv"), text);
    assert_int_equal((int)columnOf(text, "map_class", 1), 0);
    assert_true(columnOf(text, "map_K", 1) == 500 && columnOf(text, "map_K", 2) == 1500);
    const double limit = columnOf(text, "limit_passive", 2);
    print_message("passive limit at B = 0.2: %.2f N/m\n", limit);
    assert_true(limit > 0.99 * 800 && limit < 1.01 * 800);
    slurp(inFolder("map/passivity.json"), text);
    expectIn(text, "\"stable-limit\"");
    assert_null(strstr(text, "\"pass\": false"));
    assert_int_equal(access(inFolder("map/passivity.svg"), R_OK), 0);
}

static void optionsReplaceTheDeviceOfTheScene(void** state)
{
    (void)state;
    runWith("--grid 2 --rate 500 --damping 1 --encoder 0 --friction 0 --delay 1 --mass 0.3 "
            "--stiffness 0:500 --wall-damping 0:0.1 --set materials.wall.stiffness=100");
    if (answer.code == 4) skipTest("gnuplot is not installed");
    expectCode(0);
    expectIn(answer.out, "stick: 0.3 kg, damping 1 N s/m, dry friction 0 N, encoder 0 m");
    expectIn(answer.out, "500 Hz, delay 1 tick,");
    expectIn(answer.out, "(closed form 333.3)"); // 2 b/(3 T)
    expectIn(answer.out, "passive and stable");
    expectIn(answer.out, "nothing; it could be as stiff as");
}

static void badInputIsExplained(void** state)
{
    (void)state;
    static const struct {
        const char *options, *complaint;
    } list[] = {
        {"--rate 0", "--rate takes a number > 0 [Hz], found \"0\""},
        {"--rate fast", "--rate takes a number > 0 [Hz], found \"fast\""},
        {"--mass -1", "--mass takes a number > 0 [kg]"},
        {"--damping nan", "--damping takes a number >= 0 [N s/m]"},
        {"--friction -1", "--friction takes a number >= 0 [N]"},
        {"--encoder 1mm", "--encoder takes a number >= 0 [m]"},
        {"--delay 17", "--delay takes a whole number, 0 to 16, found \"17\""},
        {"--delay 1.5", "--delay takes a whole number, 0 to 16"},
        {"--velocity none", "--velocity takes one of difference, exact"},
        {"--stiffness 100", "--stiffness takes two numbers LOW:HIGH"},
        {"--stiffness 200:100", "--stiffness takes two numbers LOW:HIGH"},
        {"--wall-damping -1:3", "--wall-damping takes two numbers LOW:HIGH"},
        {"--grid 1", "--grid takes a whole number, 2 to 200"},
        {"--depth 0", "--depth takes a number > 0 [m]"},
        {"--material wool", "the scene has no material \"wool\""},
        {"--device hand", "the scene has no device \"hand\""},
        {"--set law=cone", "feels what stands still under the laws penalty and impulse only"},
        {"--material paper --set 'materials=[{\"name\": \"wall\"}, {\"name\": \"paper\"}]'",
         "what the device touches is of another material"},
        {"--stifness 1:2", "did you mean \"--stiffness\"?"},
        {"--set time=0.1", "touches nothing in the 0.1 s of the scene"},
        {"--depth 1e-3 --set devices.stick.forceLimit=1",
         "more than half of the device's force limit"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        runWith(list[i].options);
        expectComplaint(2, list[i].complaint);
    }
    run("passivity");
    expectComplaint(2, "usage: palp passivity SCENE");
    run("passivity arm");
    expectComplaint(2, "arm: the scene has no device");
    run("passivity nowhere");
    expectCode(2);
}

static void whatCannotBeWrittenIsSaid(void** state)
{
    (void)state;
    spit(inFolder("file"), "");
    snprintf(line, sizeof line,
             "passivity scenes/wall.json --grid 2 --stiffness 0:100 --wall-damping 0:0.1 -o %s/map",
             inFolder("file"));
    run(line);
    expectComplaint(4, "cannot be written");
}

static void helpNamesUnits(void** state)
{
    (void)state;
    run("passivity --help");
    expectCode(0);
    expectIn(answer.out, "usage: palp passivity SCENE [options]");
    expectIn(answer.out, "range of the wall's stiffness [N/m]");
    run("--help");
    expectIn(answer.out, "palp passivity SCENE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aMapIsToldWrittenAndDrawn),
        cmocka_unit_test(optionsReplaceTheDeviceOfTheScene),
        cmocka_unit_test(badInputIsExplained),
        cmocka_unit_test(whatCannotBeWrittenIsSaid),
        cmocka_unit_test(helpNamesUnits),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
