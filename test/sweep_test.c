// palp sweep: what its rows say, and that they are the same whoever makes them.
#define _POSIX_C_SOURCE 200809L

#include "sweeps.h"

#include <math.h>

static void metricsAreThoseOfTheirDefinitions(void** state)
{
    (void)state;
    const double n = 1000;
    sweep(
        "time.csv",
        "oscillator --vary mechanisms.mass.bodies[0].stiffness=50:150:3 "
        "--metric time,end:time,max:time,min:time,mean:time,rms:time --metric hash --metric wall");
    expectCode(0);
    expectIn(answer.out, "runs 3  ok 3  failed 0  lost 0");
    slurp(inFolder("time.csv"), text);
    for (int i = 0; i < 3; ++i) {
        assert_true(numberOf("run", i) == i);
        assert_true(numberOf("mechanisms.mass.bodies[0].stiffness", i) == 50 + 50 * i);
        // 1000 steps of 1 ms, each seen at its end; a sum of so many is off by 1e-13
        assert_true(fabs(numberOf("time", i) - 1) < 1e-12);
        assert_true(numberOf("end:time", i) == numberOf("time", i));
        assert_true(numberOf("max:time", i) == numberOf("time", i));
        assert_true(fabs(numberOf("min:time", i) - 1e-3) < 1e-15);
        assert_true(fabs(numberOf("mean:time", i) - (n + 1) / (2 * n)) < 1e-12);
        assert_true(fabs(numberOf("rms:time", i) - sqrt((n + 1) * (2 * n + 1) / 6) / n) < 1e-12);
        assert_true(numberOf("wall", i) > 0);
        assert_string_equal(cellOf("status", i), "ok");
    }
}

static void aRowIsThatOfPalpRun(void** state)
{
    (void)state;
    static const char* const runs[] = {"--law cone --integrator midpoint --step 0.002",
                                       "--law cone --integrator midpoint",
                                       "--law cone --integrator semi-implicit --step 0.002",
                                       "--law cone --integrator semi-implicit",
                                       "--law lcp --integrator midpoint --step 0.002",
                                       "--law lcp --integrator midpoint",
                                       "--law lcp --integrator semi-implicit --step 0.002",
                                       "--law lcp --integrator semi-implicit"};
    sweep("box.csv", "box --time 0.4 --vary law=cone,lcp --vary integrator=midpoint,semi-implicit "
                     "--vary rate=500,1000 --metric contacts");
    expectCode(0);
    slurp(inFolder("box.csv"), text);
    for (int i = 0; i < 8; ++i) {
        snprintf(line, sizeof line, "run box --time 0.4 %s", runs[i]);
        run(line);
        expectCode(0);
        assert_string_equal(cellOf("hash", i), hashOf(answer.out));
    }
    sweep("links.csv", "pendulum-links --time 0.05 --vary integrator=midpoint,semi-implicit");
    expectCode(0);
    slurp(inFolder("links.csv"), text);
    run("run pendulum-links --time 0.05 --integrator semi-implicit");
    assert_string_equal(cellOf("hash", 1), hashOf(answer.out));
}

/// The most of E - E0 - applied + dissipated, less what contacts paid for their correction.
static double createdByTrace(const char* settings)
{
    double most = 0, a[7], start = 0;
    snprintf(line, sizeof line,
             "run %s --force --record %s --channels "
             "energy,applied,dissipated,contacts.dissipated,tank,integrator,leak",
             settings, inFolder("trace.csv"));
    run(line);
    expectCode(0);
    FILE* file = fopen(inFolder("trace.csv"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char* at = strchr(strchr(line, ',') + 1, ',') + 1; // behind step and hash
        if (sscanf(at, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", a, a + 1, a + 2, a + 3, a + 4, a + 5,
                   a + 6) != 7)
            continue;
        most = fmax(most, a[0] - start - a[1] + fmax(0, a[2]) - fmax(0, a[3] - a[4]));
    }
    fclose(file);
    return most;
}

static void createdIsWhatTheLedgerShows(void** state)
{
    (void)state;
    sweep("created.csv", "wall --vary materials.wall.stiffness=1000,10000 --metric created");
    expectCode(0);
    slurp(inFolder("created.csv"), text);
    for (int i = 0; i < 2; ++i) {
        const double found = numberOf("created", i);
        const double expected =
            createdByTrace(i == 0 ? "wall --set materials.wall.stiffness=1000"
                                  : "wall --set materials.wall.stiffness=10000");
        print_message("created %.6g J, by the trace %.6g J\n", found, expected);
        assert_true(found > 1e-6 && fabs(found - expected) < 1e-15); // energies of 3e-4 J
    }
    // a midpoint rule on a linear spring creates nothing
    sweep("none.csv",
          "oscillator --vary mechanisms.mass.bodies[0].stiffness=50,100 --metric created");
    slurp(inFolder("none.csv"), text);
    assert_true(numberOf("created", 1) < 1e-13 * 50);
}

static const char grid[] = "wall --vary materials.wall.stiffness=100:1e4:6:log "
                           "--vary materials.wall.damping=-1,0,0.2 --vary rate=500,1000 "
                           "--metric max:depth,created,rms:stick.force[2]";

static void theSameFileComesOfAnyNumberOfProcesses(void** state)
{
    (void)state;
    static const char* const endings[] = {"csv", "h5"};
    for (int i = 0; i < 2; ++i) {
        char first[16], other[16];
        for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
            snprintf(first, sizeof first, "1.%s", endings[i]);
            snprintf(other, sizeof other, "%d.%s", threads, endings[i]);
            sweep(other, "%s --threads %d", grid, threads);
            expectCode(0);
            expectIn(answer.out, "runs 36  ok 24  failed 12  lost 0");
            expectSame(first, other);
        }
    }
}

static void theSameFileComesOfMpirun(void** state)
{
    (void)state;
    needMpi();
    sweepByMpi("mpi.csv", "%s", grid);
    expectCode(0);
    expectIn(answer.out, "runs 36  ok 24  failed 12  lost 0");
    expectSame("1.csv", "mpi.csv");
    sweepByMpi("mpi.h5", "%s", grid);
    expectCode(0);
    expectSame("1.h5", "mpi.h5");
    sweepByMpi("mpi-bad.csv", "wall --vary time=1:2");
    expectCode(2);
    // once, by rank 0
    const char* first = strstr(answer.err, "palp: --vary takes");
    assert_non_null(first);
    assert_null(strstr(first + 1, "palp: --vary takes"));
}

/// A map of palp passivity falls into pieces of the same pool.
static void aMapOfPassivityIsTheSameByAnyNumberOfProcesses(void** state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    for (int i = 0; i < 3; ++i) {
        char name[16], first[32], other[32];
        snprintf(name, sizeof name, "z%d", threads[i]);
        snprintf(line, sizeof line,
                 "passivity wall --grid 3 --stiffness 0:2000 --wall-damping 0:0.4 --threads %d "
                 "-o %s",
                 threads[i], inFolder(name));
        run(line);
        if (answer.code != 4) expectCode(0); // 4: without gnuplot, but with a table
        snprintf(first, sizeof first, "z1/passivity.csv");
        snprintf(other, sizeof other, "%s/passivity.csv", name);
        expectSame(first, other);
    }
    run("passivity wall --threads 0");
    expectComplaint(2, "--threads takes a whole number, 1 to 1024");
}

static void samplesAreOfTheirSeedAndRange(void** state)
{
    (void)state;
    const int count = getenv("PALP_FULL") ? 400 : 100;
    double sum = 0, logSum = 0, low = INFINITY, high = -INFINITY;
    int laws = 0;
    char first[64];
    const char* options = "wall --time 0.001 --vary materials.wall.stiffness=100:300 "
                          "--vary materials.wall.damping=1e-3:10:log --vary law=penalty,impulse";
    sweep("random.csv", "%s --runs %d --seed 7", options, count);
    expectCode(0);
    slurp(inFolder("random.csv"), text);
    for (int i = 0; i < count; ++i) {
        const double K = numberOf("materials.wall.stiffness", i);
        const double B = numberOf("materials.wall.damping", i);
        assert_true(K >= 100 && K < 300 && B >= 1e-3 && B < 10);
        low = fmin(low, K);
        high = fmax(high, K);
        sum += (K - 200) / 200;
        logSum += log(B / 0.1) / log(1e4);
        laws += strcmp(cellOf("law", i), "impulse") == 0;
    }
    // means of uniform samples in (-1/2, 1/2): five times their deviation, 1/sqrt(12 n)
    const double bar = 5 / sqrt(12.0 * count);
    print_message("means off by %.3g and %.3g, bar %.3g; %d of %d impulse\n", sum / count,
                  logSum / count, bar, laws, count);
    assert_true(fabs(sum / count) < bar && fabs(logSum / count) < bar);
    assert_true(abs(laws - count / 2) < 2.5 * sqrt(count));
    // the gap at either end is above 800/n with a chance of e^-4
    assert_true(low < 100 + 1600.0 / count && high > 300 - 1600.0 / count);
    snprintf(first, sizeof first, "%s", cellOf("materials.wall.stiffness", 9));
    sweep("few.csv", "%s --runs 10 --seed 7", options);
    slurp(inFolder("few.csv"), text);
    assert_string_equal(cellOf("materials.wall.stiffness", 9), first); // a run is its own
    sweep("other.csv", "%s --runs 10 --seed 8", options);
    slurp(inFolder("other.csv"), text);
    assert_string_not_equal(cellOf("materials.wall.stiffness", 9), first);
}

static void badInputIsExplained(void** state)
{
    (void)state;
    static const struct {
        const char *options, *complaint;
    } list[] = {
        {"", "a sweep needs --vary"},
        {"--vary a", "--vary takes PATH=FROM:TO:COUNT"},
        {"--vary =1:2:3", "--vary takes PATH=FROM:TO:COUNT"},
        {"--vary time=1:2", "found \"time=1:2\""},
        {"--vary time=1:2:0", "--vary takes PATH"},
        {"--vary time=1:2:-3", "--vary takes PATH"},
        {"--vary time=1:2:3:lug", "--vary takes PATH"},
        {"--vary time=1:2:3:log:4", "--vary takes PATH"},
        {"--vary time=1:nan:3", "--vary takes PATH"},
        {"--vary time=1:inf:3", "--vary takes PATH"},
        {"--vary time=1:2:99999999999999999999", "--vary takes PATH"},
        {"--vary time=0:2:3:log", "--vary time: equal ratios need ends above 0"},
        {"--vary time=1,,2", "--vary takes PATH"},
        {"--vary time=", "--vary takes PATH"},
        {"--vary 'time=1,2\n3'", "--vary takes PATH"},
        {"--vary time=1,2 --vary time=3,4", "time varies twice"},
        {"--vary nothing.at.all=1,2", "no run can be made: scene: found no \"nothing\""},
        {"--vary law=cne", "did you mean \"cone\"?"},
        {"--vary rate=0,-1", "rate takes a number above 0"},
        {"--vary time=1:2:1001 --vary step=1:2:1000", "more than 1000000 runs"},
        {"--vary time=1,2 --metric max:dpth", "did you mean \"depth\"?"},
        {"--vary time=1,2 --metric max:", "names no channel"},
        {"--vary time=1,2 --metric depth,,x", "--metric takes names"},
        {"--vary time=1,2 --metric depth,depth", "given twice"},
        {"--vary time=1,2 --threads 0", "--threads takes a whole number, 1 to 1024"},
        {"--vary time=1,2 --timeout 0", "--timeout takes a number of seconds above 0"},
        {"--vary time=1,2 --time never", "--time takes a number of seconds"},
        {"--vary time=1,2 --seed 4", "--seed needs --runs"},
        {"--vary time=1,2 --runs 0", "--runs takes a whole number, 1 to 1000000"},
        {"--vary time=1,2 --runs 2 --seed -4", "--seed takes a whole number"},
        {"--vary time=1,2 --map x.gif", "--map takes a file that ends in .svg or .png"},
        {"--vary time=1,2 --vary rate=1e3,2e3 --vary law=cone,lcp --metric depth --map x.svg",
         "one or two parameters that vary, found 3"},
        {"--vary time=1,2 --vary step=1e-3,2e-3 --map x.svg", "--map needs a --metric"},
        {"--vary time=1,2 --resume", "to go on with"},
        {"--varry time=1,2", "did you mean \"--vary\"?"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        sweep("never.csv", "wall %s", list[i].options);
        expectComplaint(2, list[i].complaint);
        assert_int_not_equal(access(inFolder("never.csv"), F_OK), 0);
    }
    run("sweep");
    expectComplaint(2, "usage: palp sweep SCENE");
    run("sweep wall --vary time=1,2");
    expectComplaint(2, "a sweep needs --out FILE");
    sweep("never.txt", "wall --vary time=1,2");
    expectComplaint(2, "--out takes a file that ends in .csv or .h5");
    sweep("nowhere/never.csv", "wall --vary time=1,2");
    expectComplaint(4, "cannot be written");
    sweep("nowhere/never.h5", "wall --vary time=1,2");
    expectComplaint(4, "cannot be written");
    run("sweep --help");
    expectCode(0);
    expectIn(answer.out, "usage: palp sweep SCENE [options]");
    expectIn(answer.out, "--timeout S");
}

static void aMapIsDrawn(void** state)
{
    (void)state;
    static const char* const options[] = {
        "--vary materials.wall.stiffness=100:1e4:4:log --vary materials.wall.damping=0:1:3",
        "--vary law=penalty,impulse --vary materials.wall.damping=-1,0,1",
        "--vary materials.wall.stiffness=100:1e4:log --vary law=penalty,impulse --runs 20",
        "--vary materials.wall.stiffness=100:1e4:4:log", "--vary materials.wall.damping=-1:1:3"};
    // names and units of the axes, and of what is drawn
    static const char* const labels[][3] = {
        {"PNG"},
        {"law", "materials.wall.damping [N s/m]", "max:depth [m]"},
        {"materials.wall.stiffness [N/m]", "law", "max:depth [m]"},
        {"materials.wall.stiffness [N/m]", "max:depth [m]"},
        {"materials.wall.damping [N s/m]", "max:depth [m]", "without a number"}};
    for (int i = 0; i < 5; ++i) {
        char file[32];
        const char* ending = i == 0 ? "png" : "svg";
        snprintf(file, sizeof file, "map%d.csv", i);
        sweep(file, "wall --time 0.4 %s --metric max:depth --map %s/%d.%s", options[i], folder, i,
              ending);
        if (answer.code == 4 && strstr(answer.err, "gnuplot is not installed"))
            skipTest("gnuplot is not installed");
        expectCode(0);
        snprintf(file, sizeof file, "%d.%s", i, ending);
        slurp(inFolder(file), text);
        for (int k = 0; k < 3 && labels[i][k]; ++k) expectIn(text, labels[i][k]);
    }
    snprintf(line, sizeof line,
             "sweep wall --time 0.1 --vary law=penalty,impulse --vary rate=500,1000 "
             "--metric depth --map %s --out %s",
             inFolder("none.svg"), inFolder("map.csv"));
    runAfter("PATH=/nowhere", line);
    expectCode(4);
    expectIn(answer.err, "gnuplot is not installed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metricsAreThoseOfTheirDefinitions),
        cmocka_unit_test(aRowIsThatOfPalpRun),
        cmocka_unit_test(createdIsWhatTheLedgerShows),
        cmocka_unit_test(theSameFileComesOfAnyNumberOfProcesses),
        cmocka_unit_test(theSameFileComesOfMpirun),
        cmocka_unit_test(aMapOfPassivityIsTheSameByAnyNumberOfProcesses),
        cmocka_unit_test(samplesAreOfTheirSeedAndRange),
        cmocka_unit_test(badInputIsExplained),
        cmocka_unit_test(aMapIsDrawn),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
