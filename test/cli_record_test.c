// Traces that are one recorder's alone, are not replaced unasked, and whose errors end a run at once.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

static const char* const endings[] = {"twice.csv", "twice.h5"};

static plRecorder* start(const char* path, bool keep, plStatus expected)
{
    static const char* const channels[] = {"x"};
    plRecorderDef def = plDefaultRecorderDef();
    plRecorder* recorder = NULL;
    def.path = path;
    def.channelCount = 1;
    def.channels = channels;
    def.keep = keep;
    const plStatus status = plRecorder_Create(&def, &recorder);
    if (status != expected) fail_msg("%s: %s", path, plStatus_Name(status));
    return recorder;
}

static void push(plRecorder* recorder, int rows)
{
    for (int i = 0; i < rows; ++i) {
        const double x = i;
        plRecorder_Wait(recorder);
        plRecorder_Push(recorder, 1e-3, (uint64_t)i, &x);
    }
}

static void aSecondRecorderIsRefused(void** state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char path[pathSize], line[2 * pathSize];
        snprintf(path, sizeof path, "%s", inFolder(endings[i]));
        plRecorder* first = start(path, false, pl_statusOk);
        push(first, 3000);
        assert_null(start(path, false, pl_statusBusy)); // of the same process
        snprintf(line, sizeof line, "run pendulum --time 0.1 --force --record %s", path);
        run(line); // and of another one
        expectComplaint(4, "another recorder writes it");
        push(first, 3000);
        assert_int_equal(plRecorder_Status(first), pl_statusOk);
        assert_int_equal(plRecorder_Close(first), pl_statusOk);
        if (i == 0) {
            FILE* file = fopen(path, "r");
            int lines = 0;
            for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
            fclose(file);
            assert_int_equal(lines, 6001);
        } else {
            plTrace trace;
            char message[256];
            if (plTrace_Read(path, &trace, message, sizeof message) != pl_statusOk) {
                fail_msg("%s", message);
            }
            assert_int_equal(trace.rows, 6000);
            plTrace_Free(&trace);
        }
        assert_int_equal(plRecorder_Close(start(path, false, pl_statusOk)),
                         pl_statusOk); // free again
    }
}

static void aFileThatIsThereStays(void** state)
{
    char line[2 * pathSize], text[textSize];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const char* name = i == 0 ? "mine.csv" : "mine.h5";
        char path[pathSize];
        snprintf(path, sizeof path, "%s", inFolder(name));
        spit(path, "not to be lost\n");
        assert_null(start(path, true, pl_statusExists));
        snprintf(line, sizeof line, "run pendulum --time 0.01 --record %s", path);
        run(line);
        expectComplaint(4, "is there already: take another name, or --force");
        slurp(path, text);
        assert_string_equal(text, "not to be lost\n");
        snprintf(line, sizeof line, "run pendulum --time 0.01 --force --record %s", path);
        run(line);
        expectCode(0);
        spit(path, ""); // nothing to lose
        snprintf(line, sizeof line, "run pendulum --time 0.01 --record %s", path);
        run(line);
        expectCode(0);
    }
    run("run pendulum --time 0.01 --force");
    expectComplaint(2, "--force needs --record");
}

// A disk that is full ends the run, and not only its last line.
static void anErrorOfWritingEndsTheRun(void** state)
{
    char line[2 * pathSize];
    const double total = 4e6;
    (void)state;
    assert_int_equal(symlink("/dev/full", inFolder("full.csv")), 0);
    snprintf(line, sizeof line, "run pendulum --time 4000 --step 1e-3 --record %s",
             inFolder("full.csv"));
    run(line);
    expectCode(4);
    expectIn(answer.err, "cannot be written");
    const char* at = strstr(answer.out, "steps ");
    assert_non_null(at);
    print_message("ended after %.0f of %.0f steps\n", atof(at + 6), total);
    assert_true(atof(at + 6) < total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(aSecondRecorderIsRefused),
                                       cmocka_unit_test(aFileThatIsThereStays),
                                       cmocka_unit_test(anErrorOfWritingEndsTheRun)};
    return cmocka_run_group_tests(tests, prepare, clean);
}
