// palp sweep when something goes wrong: in a run, with a process, with the file.
#define _POSIX_C_SOURCE 200809L

#include "sweeps.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <time.h>

// -------------------------------------------------------------------------- processes to harm

/// `before` is put in front: an environment, mpirun.
static pid_t startSweep(const char* before, const char* arguments, const char* file)
{
    static char shell[1 << 14];
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    snprintf(shell, sizeof shell, "exec env %s \"%s\" sweep %s --out %s", before, command,
             arguments, inFolder(file));
    if (!freopen(inFolder("out"), "w", stdout) || !freopen(inFolder("err"), "w", stderr))
        _exit(125);
    execl("/bin/sh", "sh", "-c", shell, (char*)NULL);
    _exit(126);
}

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); }

enum { patience = 6000 }; // rests, half a minute

/// Parent of a process, and whether it lives (a zombie does not).
static pid_t parentOf(const char* pid, bool* lives)
{
    char path[300], stat[512] = "", state = 'Z';
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE* file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(stat, sizeof stat, file)) stat[0] = '\0';
    fclose(file);
    const char* end = strrchr(stat, ')');
    if (end) sscanf(end + 1, " %c %d", &state, &parent);
    *lives = state != 'Z';
    return parent;
}

/// A child that lives; 0: none.
static pid_t childOf(pid_t parent)
{
    pid_t child = 0;
    DIR* all = opendir("/proc");
    assert_non_null(all);
    for (const struct dirent* entry; !child && (entry = readdir(all));) {
        bool lives = false;
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        if (parentOf(entry->d_name, &lives) == parent && lives) child = atoi(entry->d_name);
    }
    closedir(all);
    return child;
}

/// A child with a child of its own, as a rank of mpirun that is at work.
static pid_t awaitWorker(pid_t parent)
{
    for (int i = 0; i < patience; ++i, rest()) {
        pid_t worker = 0;
        DIR* all = opendir("/proc");
        assert_non_null(all);
        for (const struct dirent* entry; !worker && (entry = readdir(all));) {
            char name[16];
            bool lives = false;
            if (!isdigit((unsigned char)entry->d_name[0])) continue;
            const pid_t above = parentOf(entry->d_name, &lives);
            snprintf(name, sizeof name, "%d", (int)above);
            if (lives && above > 0 && parentOf(name, &lives) == parent) worker = above;
        }
        closedir(all);
        if (worker) return worker;
    }
    fail_msg("no rank is at work");
    return 0;
}

static pid_t awaitChild(pid_t parent)
{
    for (int i = 0; i < patience; ++i, rest()) {
        const pid_t child = childOf(parent);
        if (child) return child;
    }
    fail_msg("no process is at work");
    return 0;
}

/// Rows of a file: lines of a CSV, "ok" and a zero in the bytes of HDF5.
static int countRows(const char* path)
{
    FILE* file = fopen(path, "r");
    const bool isCsv = strstr(path, ".csv");
    int count = 0, last = 0, before = 0;
    if (!file) return 0;
    for (int c; (c = fgetc(file)) != EOF; before = last, last = c)
        count += isCsv ? c == '\n' : c == '\0' && last == 'k' && before == 'o';
    fclose(file);
    return isCsv ? count - 2 : count;
}

static void awaitRows(const char* file, int rows)
{
    for (int i = 0; i < patience; ++i, rest()) {
        if (countRows(inFolder(file)) >= rows) return;
    }
    fail_msg("%s has no %d rows", file, rows);
}

/// Exit code, or 1000 and the signal.
static int endOf(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    slurp(inFolder("out"), answer.out);
    slurp(inFolder("err"), answer.err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Simulated time of the oscillator that takes half a second of a core, however busy it is.
static double longRun(void)
{
    char file[32];
    for (double time = 4;; time *= 4) {
        snprintf(file, sizeof file, "speed%g.csv", time);
        sweep(file, "oscillator --vary time=%g --metric wall", time);
        expectCode(0);
        slurp(inFolder(file), text);
        const double wall = numberOf("wall", 0);
        if (wall > 0.05) return ceil(0.5 * time / wall);
    }
}

/// Five runs of about half a second, and their file from a sweep that nobody disturbs.
static const char* longSweep(void)
{
    static char options[256];
    if (!options[0]) {
        snprintf(options, sizeof options,
                 "oscillator --time %g --vary mechanisms.mass.bodies[0].stiffness=50:150:5 "
                 "--metric max:energy,mass.q[0]",
                 longRun());
        sweep("long.csv", "%s", options);
        expectCode(0);
        sweep("long.h5", "%s", options);
        expectCode(0);
    }
    return options;
}

// ------------------------------------------------------------------------------------- facts

static void aRunThatFailsIsARow(void** state)
{
    (void)state;
    sweep("bad.csv", "oscillator --vary mechanisms.mass.bodies[0].mass=-1,0.01 --metric energy");
    expectCode(0);
    expectIn(answer.out, "runs 2  ok 1  failed 1  lost 0");
    slurp(inFolder("bad.csv"), text);
    expectStatus(0, "0,-1,,,\"failed: scene: ");
    expectStatus(0, "mass");
    expectStatus(1, ",ok");
}

static void aRunThatTakesTooLongIsARow(void** state)
{
    (void)state;
    const char* options = "oscillator --vary time=0.01,1e6,0.02 --timeout 0.5";
    sweep("late.csv", "%s", options);
    expectCode(0);
    expectIn(answer.out, "runs 3  ok 2  failed 0  lost 1");
    slurp(inFolder("late.csv"), text);
    expectStatus(1, "1,1e6,,timed out after 0.5 s");
    sweep("late.csv", "%s", options); // stays as it is
    expectIn(answer.err, "3 of 3 runs are in");
    sweep("late.csv", "%s --retry", options);
    expectIn(answer.err, "2 of 3 runs are in");
    expectIn(answer.out, "lost 1");
}

static void aProcessThatDiesCostsItsRunOnly(void** state)
{
    (void)state;
    const char* options = longSweep();
    char quiet[512];
    static const char* const files[] = {"dead.csv", "dead.h5"};
    for (int i = 0; i < 2; ++i) {
        snprintf(quiet, sizeof quiet, "%s --threads 1", options);
        const pid_t pid = startSweep("", quiet, files[i]);
        kill(awaitChild(pid), SIGKILL);
        assert_int_equal(endOf(pid), 0);
        expectIn(answer.out, "runs 5  ok 4  failed 0  lost 1");
        if (i == 0) {
            slurp(inFolder("dead.csv"), text);
            expectStatus(0, "0,50,,,,killed by signal 9");
        }
        sweep(files[i], "%s --retry", options);
        expectCode(0);
        expectIn(answer.err, "4 of 5 runs are in");
        expectSame(i == 0 ? "long.csv" : "long.h5", files[i]);
    }
}

/// Stops a sweep after its first row. What it was at ends with it.
static void stopMidway(const char* file, int number, int code)
{
    char options[512];
    snprintf(options, sizeof options, "%s --threads 2", longSweep());
    const pid_t pid = startSweep("", options, file);
    awaitRows(file, 1);
    const pid_t child = awaitChild(pid);
    kill(pid, number);
    assert_int_equal(endOf(pid), code);
    for (int i = 0; i < patience && kill(child, 0) == 0; ++i) {
        bool lives = true;
        char name[16];
        snprintf(name, sizeof name, "%d", (int)child);
        if (parentOf(name, &lives) == 0 || !lives) break;
        if (i == patience - 1) fail_msg("a run outlives its sweep");
        rest();
    }
}

static void aStoppedSweepGoesOnToTheSameFile(void** state)
{
    (void)state;
    static const struct {
        const char *file, *whole;
        int number, code;
    } cases[] = {{"int.csv", "long.csv", SIGINT, 130},
                 {"int.h5", "long.h5", SIGINT, 130},
                 {"kill.csv", "long.csv", SIGKILL, 1000 + SIGKILL},
                 {"kill.h5", "long.h5", SIGKILL, 1000 + SIGKILL},
                 {"term.csv", "long.csv", SIGTERM, 130}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        stopMidway(cases[i].file, cases[i].number, cases[i].code);
        if (cases[i].code == 130) expectIn(answer.out, "still to do");
        if (strcmp(cases[i].file, "kill.csv") == 0) { // as if killed within a line
            FILE* file = fopen(inFolder("kill.csv"), "a");
            assert_non_null(file);
            fputs("4,150,0.4", file);
            fclose(file);
        }
        sweep(cases[i].file, "%s --resume", longSweep());
        expectCode(0);
        expectIn(answer.err, "of 5 runs are in");
        expectSame(cases[i].whole, cases[i].file);
    }
}

/// Under MPI a rank that is killed takes all with it: the file goes on from there.
static void aSweepOfWhichARankWasKilledGoesOn(void** state)
{
    (void)state;
    needMpi();
    const char* options = longSweep();
    const pid_t pid = startSweep(mpirun, options, "rank.csv");
    awaitRows("rank.csv", 1);
    kill(awaitWorker(pid), SIGKILL);
    assert_int_not_equal(endOf(pid), 0);
    assert_true(countRows(inFolder("rank.csv")) < 5);
    sweep("rank.csv", "%s", options);
    for (int i = 0; i < 100 && strstr(answer.err, "another process"); ++i) {
        rest(); // other ranks may be a little behind
        sweep("rank.csv", "%s", options);
    }
    expectCode(0);
    expectIn(answer.err, "runs are in");
    expectSame("long.csv", "rank.csv");
}

static void twoSweepsDoNotWriteOneFile(void** state)
{
    (void)state;
    const pid_t pid = startSweep("", "oscillator --vary time=0.01,1e6 --threads 1", "locked.csv");
    awaitRows("locked.csv", 1);
    awaitChild(pid);
    sweep("locked.csv", "oscillator --vary time=0.01,1e6 --threads 1");
    const Answer second = answer;
    kill(pid, SIGINT);
    assert_int_equal(endOf(pid), 130);
    answer = second;
    expectComplaint(2, "is being written by another process");
}

static void foreignFilesAreRefused(void** state)
{
    (void)state;
    const char* options = "oscillator --time 0.01 --vary law=cone,lcp --metric energy";
    static const struct {
        const char *file, *content, *complaint;
    } list[] = {
        {"mine.csv", "a,b\n1,2\n", "is no result of palp sweep"},
        {"mine.h5", "\211HDF\r\n\032\n and no more", "is no result of palp sweep"},
        {"empty.csv", "", "is no result of palp sweep"},
        {"old.csv", "# palp sweep, csv 1, digest 0123456789abcdef\nrun,status\n",
         "is of another sweep"},
        {"old.h5", "# palp sweep, hdf5 1, digest 0123456789abcdef\n", "is of another sweep"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        spit(inFolder(list[i].file), list[i].content);
        sweep(list[i].file, "%s", options);
        expectComplaint(2, list[i].complaint);
        slurp(inFolder(list[i].file), text);
        assert_string_equal(text, list[i].content); // and left alone
    }
    sweep("same.csv", "%s", options);
    sweep("same.csv", "oscillator --time 0.02 --vary law=cone,lcp --metric energy");
    expectComplaint(2, "is of another sweep");
    sweep("same.csv", "oscillator --time 0.01 --vary law=cone,lcp --metric kinetic");
    expectComplaint(2, "is of another sweep");
    sweep("same.csv", "oscillator --time 0.01 --vary law=lcp,cone --metric energy");
    expectComplaint(2, "is of another sweep");
    sweep("same.csv", "%s", options);
    expectCode(0);
}

static void damagedRowsAreRefused(void** state)
{
    (void)state;
    static const char* const rows[] = {
        "0,cone,1,0,ok,\n",  "2,cone,1,0,ok\n",    "-1,cone,1,0,ok\n",
        "0,lcp,1,0,ok\n",    "0,cone,x,0,ok\n",    "0,cone,1,g,ok\n",
        "0,cone,1,0,\n",     "0,cone,1,0\n",       "\n",
        "0,\"cone,1,0,ok\n", "0,cone\"\",1,0,ok\n"};
    const char* options = "oscillator --time 0.01 --vary law=cone,lcp --metric energy";
    char head[textSize];
    sweep("rows.csv", "%s", options);
    slurp(inFolder("rows.csv"), head);
    char* at = strchr(strchr(head, '\n') + 1, '\n') + 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        snprintf(at, 64, "%s", rows[i]);
        spit(inFolder("rows.csv"), head);
        sweep("rows.csv", "%s", options);
        expectComplaint(2, "line 3 is no row of this sweep");
    }
    sweep("rows.h5", "%s", options);
    snprintf(line, sizeof line, "truncate -s 700 %s", inFolder("rows.h5"));
    assert_int_equal(system(line), 0);
    sweep("rows.h5", "%s", options);
    expectComplaint(2, "is damaged");
}

static void progressTellsTheTimeLeft(void** state)
{
    (void)state;
    // one run of two is done at once; the other is told of after two seconds
    sweep("progress.csv", "oscillator --vary time=0.001,1e6 --timeout 3 --threads 1 --progress");
    expectCode(0);
    expectIn(answer.err, " 50 %  ");
    expectIn(answer.err, " s left\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aRunThatFailsIsARow),
        cmocka_unit_test(aRunThatTakesTooLongIsARow),
        cmocka_unit_test(aProcessThatDiesCostsItsRunOnly),
        cmocka_unit_test(aStoppedSweepGoesOnToTheSameFile),
        cmocka_unit_test(aSweepOfWhichARankWasKilledGoesOn),
        cmocka_unit_test(twoSweepsDoNotWriteOneFile),
        cmocka_unit_test(foreignFilesAreRefused),
        cmocka_unit_test(damagedRowsAreRefused),
        cmocka_unit_test(progressTellsTheTimeLeft),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
