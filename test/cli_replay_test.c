// The palp command: traces that are replayed, and one that is cut by an interrupt.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <signal.h>
#include <time.h>

static void recordScene(const char* options, const char* name)
{
    char line[2 * pathSize];
    snprintf(line, sizeof line, "run %s --force --record %s", options, inFolder(name));
    run(line);
    expectCode(0);
}

static void replayReproducesEveryStep(void** state)
{
    static const char* const scenes[] = {"arm --time 0.2",
                                         "chain12 --time 1",
                                         "pendulum-links --time 0.2",
                                         "tree --time 0.05",
                                         "top --time 0.1 --step 0.002 --integrator symplectic",
                                         "tap --time 0.6"};
    (void)state;
    for (int i = 0; i < 6; ++i) {
        char line[pathSize], hash[17];
        recordScene(scenes[i], "trace.h5");
        snprintf(hash, sizeof hash, "%s", hashOf(answer.out));
        snprintf(line, sizeof line, "replay %s", inFolder("trace.h5"));
        run(line);
        expectCode(0);
        expectIn(answer.out, ": identical\n");
        assert_string_equal(hashOf(answer.out), hash);
    }
}

/// Writes `rows` steps of the arm, the hash of step `wrong` (from 1) not its own.
static void writeTrace(const char* path, const char* scene, int rows, int wrong)
{
    static const char* const channels[] = {"time"};
    plScene* loaded;
    plWorld* world;
    plRecorder* recorder;
    plRecorderDef def = plDefaultRecorderDef();
    assert_int_equal(plScene_Load("scenes/arm.json", NULL, 0, &loaded, NULL), pl_statusOk);
    assert_int_equal(plScene_CreateWorld(loaded, &world, NULL), pl_statusOk);
    def.path = path;
    def.channelCount = 1;
    def.channels = channels;
    def.scene = scene ? scene : plScene_Text(loaded);
    if (scene && !scene[0]) def.scene = NULL;
    assert_int_equal(plRecorder_Create(&def, &recorder), pl_statusOk);
    for (int i = 1; i <= rows; ++i) {
        plWorld_Step(world, 1e-3);
        plRecorder_Wait(recorder);
        const double time = plWorld_Time(world);
        plRecorder_Push(recorder, 1e-3, plWorld_Hash(world) ^ (i == wrong), &time);
    }
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);
    plWorld_Destroy(world);
    plScene_Destroy(loaded);
}

static void replayNamesTheFirstStepThatDiffers(void** state)
{
    char line[pathSize];
    (void)state;
    snprintf(line, sizeof line, "replay %s", inFolder("own.h5"));
    writeTrace(inFolder("own.h5"), NULL, 20, 0);
    run(line);
    expectCode(0);
    expectIn(answer.out, "replayed 20 steps");
    writeTrace(inFolder("own.h5"), NULL, 20, 7);
    run(line);
    expectComplaint(3, "differs first at step 7 of 20");
}

static void tracesThatCannotBeReplayedSayWhy(void** state)
{
    char line[pathSize];
    (void)state;
    snprintf(line, sizeof line, "replay %s", inFolder("bad.h5"));
    writeTrace(inFolder("bad.h5"), "", 3, 0);
    run(line);
    expectComplaint(2, "has no scene in it");
    writeTrace(inFolder("bad.h5"), NULL, 0, 0);
    run(line);
    expectComplaint(2, "has no steps in it");
    writeTrace(inFolder("bad.h5"), "{\"mechanisms\": []}", 3, 0);
    run(line);
    expectComplaint(2, "the scene of the trace does not load");
    spit(inFolder("bad.h5"), "nothing of the kind");
    run(line);
    expectComplaint(2, "not an HDF5 file");
    run("replay /nowhere.h5");
    expectComplaint(2, "/nowhere.h5");
}

/// The shell becomes the command, so the signal reaches it; the trace is closed and replays.
static void stopBy(int number, const char* name)
{
    char path[pathSize], line[2 * pathSize];
    int status = 0;
    snprintf(path, sizeof path, "%s", inFolder(name));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen(inFolder("out"), "w", stdout) || !freopen(inFolder("err"), "w", stderr))
            _exit(125);
        execl(command, "palp", "run", "arm", "--time", "100000", "--record", path, (char*)NULL);
        _exit(126);
    }
    // The trace appears before the first step. A signal that comes in between would kill the
    // command, so it is sent only after a part of the trace was written.
    FILE* file = NULL;
    long size = 0;
    for (int i = 0; i < 3000 && size < 200000; ++i) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (file || (file = fopen(path, "r"))) {
            fseek(file, 0, SEEK_END);
            size = ftell(file);
        }
    }
    if (file) fclose(file);
    kill(child, number);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    slurp(inFolder("err"), answer.err);
    if (WEXITSTATUS(status) != 130) fail_msg("exit code %d: %s", WEXITSTATUS(status), answer.err);
    slurp(inFolder("out"), answer.out);
    expectIn(answer.out, "steps ");
    snprintf(line, sizeof line, "replay %s", path);
    run(line);
    expectCode(0);
}

static void interruptStopsAfterATickAndClosesTheTrace(void** state)
{
    (void)state;
    stopBy(SIGINT, "cut.h5");
}

static void aTerminationDoesTheSame(void** state)
{
    (void)state;
    stopBy(SIGTERM, "ended.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aTerminationDoesTheSame),
        cmocka_unit_test(replayReproducesEveryStep),
        cmocka_unit_test(replayNamesTheFirstStepThatDiffers),
        cmocka_unit_test(tracesThatCannotBeReplayedSayWhy),
        cmocka_unit_test(interruptStopsAfterATickAndClosesTheTrace),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
