// record: what is pushed is what is read, whatever happens to the ring, the disk or the process.
#define _GNU_SOURCE

#include "record_rows.h"
#include "sanitized.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// --- allocations of the calling thread: a sanitizer calls a hook, else glibc's malloc is replaced

static _Thread_local volatile int allocations; // compilers hold that malloc changes nothing

#if defined(SANITIZED)
void __sanitizer_malloc_hook(const volatile void* memory, size_t size);
void __sanitizer_malloc_hook(const volatile void* memory, size_t size)
{
    (void)memory, (void)size;
    ++allocations;
}
#elif defined(__GLIBC__)
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) { return ++allocations, __libc_realloc(memory, size); }
#endif

/// Reads one line of a CSV that `push` wrote; NaN for NaN, everything else bit for bit.
static void checkLine(const char* line, uint64_t row, int channelCount)
{
    char* next;
    assert_int_equal(bitsOf(strtod(line, &next)), bitsOf(stepAt(row)));
    assert_int_equal(*next, ',');
    assert_int_equal(strtoull(next + 1, &next, 16), hashAt(row));
    for (int i = 0; i < channelCount; ++i) {
        assert_int_equal(*next, ',');
        double actual = strtod(next + 1, &next), expected = valueAt(row, i);
        if (isnan(expected))
            assert_true(isnan(actual));
        else
            assert_int_equal(bitsOf(actual), bitsOf(expected));
    }
    assert_int_equal(*next, '\n');
}

static uint64_t checkCsv(FILE* file, int channelCount, uint64_t rows)
{
    char line[512];
    assert_non_null(fgets(line, sizeof line, file));
    uint64_t row = 0;
    while (row < rows && fgets(line, sizeof line, file) != NULL)
        checkLine(line, row++, channelCount);
    return row;
}

// --- round trips

static void csvRoundTripsEveryBit(void** state)
{
    (void)state;
    record(inFolder("a.csv"), 5000, 8);
    FILE* file = fopen(inFolder("a.csv"), "r");
    assert_non_null(file);
    assert_int_equal(checkCsv(file, 8, UINT64_MAX), 5000);
    fclose(file);
}

static void csvQuotesNamesThatNeedIt(void** state)
{
    (void)state;
    record(inFolder("q.csv"), 0, 5);
    char text[256] = "";
    FILE* file = fopen(inFolder("q.csv"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "step,hash,x,y,force.z,\"a,b\",\"say \"\"hi\"\"\"\n");
}

static void hdf5RoundTripsEveryBit(void** state)
{
    (void)state;
    plRecorderDef def = defOf(inFolder("a.h5"), 5);
    def.scene = "{ \"text\": \"\xc3\xa9\" }";
    plRecorder* recorder = create(def);
    for (uint64_t i = 0; i < 20000; ++i) assert_true(push(recorder, i, 5));
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);

    plTrace trace = readTrace(def.path);
    assert_int_equal(trace.rows, 20000);
    assert_int_equal(trace.channelCount, 5);
    for (int i = 0; i < 5; ++i) assert_string_equal(trace.channels[i], names[i]);
    assert_string_equal(trace.scene, def.scene);
    assert_string_equal(trace.version, plVersion());
    checkRows(&trace);
    plTrace_Free(&trace);
}

static void emptyTraceReads(void** state)
{
    (void)state;
    record(inFolder("empty.h5"), 0, 1);
    plTrace trace = readTrace(inFolder("empty.h5"));
    assert_int_equal(trace.rows, 0);
    assert_null(trace.scene);
    plTrace_Free(&trace);
}

static void widestRowsAndLongTextsRoundTrip(void** state)
{
    (void)state;
    enum { width = 4096, rows = 50, sceneSize = 1 << 20 };
    static char text[width][256];
    static const char* wide[width];
    static double values[width];
    for (int i = 0; i < width; ++i) {
        snprintf(text[i], sizeof text[i], "%0255d", i);
        wide[i] = text[i];
    }
    char* scene = malloc(sceneSize);
    assert_non_null(scene);
    memset(scene, 's', sceneSize - 1);
    scene[sceneSize - 1] = '\0';
    plRecorderDef def = defOf(inFolder("wide.h5"), width);
    def.channels = wide;
    def.scene = scene;
    plRecorder* recorder = create(def);
    for (uint64_t r = 0; r < rows; ++r) {
        for (int i = 0; i < width; ++i) values[i] = valueAt(r, i);
        assert_true(plRecorder_Push(recorder, stepAt(r), hashAt(r), values));
    }
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);

    plTrace trace = readTrace(def.path);
    assert_int_equal(trace.rows, rows);
    assert_string_equal(trace.scene, scene);
    for (int i = 0; i < width; ++i) assert_string_equal(trace.channels[i], text[i]);
    checkRows(&trace);
    plTrace_Free(&trace);
    free(scene);
}

static void longRunLosesNothingWhenItWaits(void** state)
{
    (void)state;
    record(inFolder("long.h5"), 200000, 8);
    plTrace trace = readTrace(inFolder("long.h5"));
    assert_int_equal(trace.rows, 200000);
    checkRows(&trace);
    plTrace_Free(&trace);
}

static void recordersDoNotDisturbEachOther(void** state)
{
    (void)state;
    plRecorder* a = create(defOf(inFolder("two.h5"), 8));
    plRecorder* b = create(defOf(inFolder("three.h5"), 3));
    plRecorder* c = create(defOf(inFolder("two.csv"), 2));
    for (uint64_t i = 0; i < 20000; ++i) {
        assert_true(push(a, i, 8));
        assert_true(push(b, i, 3));
        assert_true(push(c, i, 2));
    }
    assert_int_equal(plRecorder_Close(b), pl_statusOk);
    assert_int_equal(plRecorder_Close(a), pl_statusOk);
    assert_int_equal(plRecorder_Close(c), pl_statusOk);
    const char* const files[] = {"two.h5", "three.h5"};
    for (int i = 0; i < 2; ++i) {
        plTrace trace = readTrace(inFolder(files[i]));
        assert_int_equal(trace.rows, 20000);
        checkRows(&trace);
        plTrace_Free(&trace);
    }
}

// --- the ring

/// A recorder whose writer hangs in a write to a pipe that nobody empties, with a full ring.
static plRecorder* createStuck(const char* path, int* pipeEnd, uint64_t* pushed)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    *pipeEnd = open(path, O_RDWR | O_NONBLOCK);
    assert_true(*pipeEnd >= 0);
    plRecorderDef def = defOf(path, 8);
    def.ringBytes = 100 * 80;
    plRecorder* recorder = create(def);
    // The pipe takes 64 KiB and the writer's buffer 256 KiB: some thousand rows.
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int refused = 0; refused < 30;) { // full for 0.6 s, longer than the writer waits to flush
        if (push(recorder, *pushed, 8)) {
            ++*pushed;
            refused = 0;
        } else {
            ++refused;
            nanosleep(&pause, NULL);
        }
    }
    return recorder;
}

static void fullRingDropsCountsAndNeverBlocks(void** state)
{
    (void)state;
    int pipeEnd;
    uint64_t pushed = 0;
    plRecorder* recorder = createStuck(inFolder("stuck.csv"), &pipeEnd, &pushed);
    uint64_t before = plRecorder_Dropped(recorder);
    assert_true(before >= 30);
    for (int i = 0; i < 1000; ++i) assert_false(push(recorder, 0, 8));
    assert_int_equal(plRecorder_Dropped(recorder), before + 1000);

    // Every row that was taken comes out, in order.
    assert_int_equal(fcntl(pipeEnd, F_SETFL, 0), 0);
    FILE* file = fdopen(pipeEnd, "r");
    assert_int_equal(checkCsv(file, 8, pushed), pushed);
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);
    fclose(file);
}

static void pushNeverAllocates(void** state)
{
    (void)state;
#if !defined(SANITIZED) && !defined(__GLIBC__)
    skipTest("allocations are counted with a sanitizer or with glibc only");
#endif
    int before = allocations;
    void* volatile memory = malloc(1);
    free(memory);
    assert_int_equal(allocations, before + 1);

    plRecorderDef def = defOf(inFolder("quiet.h5"), 8);
    def.ringBytes = 1000 * 80;
    plRecorder* recorder = create(def);
    before = allocations;
    for (uint64_t i = 0; i < 100000; ++i) push(recorder, i, 8);
    assert_int_equal(allocations, before);
    assert_int_equal(plRecorder_Close(recorder), pl_statusOk);
}

// --- the process

typedef struct {
    volatile uint64_t rows;
    double pushedAt[10000]; // [s]
} plShared;

static void recordUntilKilled(const char* path, plShared* shared)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    plRecorder* recorder = create(defOf(path, 8));
    for (uint64_t i = 0; i < (uint64_t)PL_COUNT(shared->pushedAt); ++i) {
        push(recorder, i, 8);
        shared->pushedAt[i] = plClock_Now();
        shared->rows = i + 1;
        nanosleep(&tick, NULL);
    }
    _exit(1);
}

static void killedWriterLosesLessThanASecond(void** state)
{
    (void)state;
    const char* path = inFolder("killed.h5");
    plShared* shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) recordUntilKilled(path, shared);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    double killedAt = plClock_Now();
    kill(child, SIGKILL);
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);

    uint64_t due = 0;
    while (due < shared->rows && shared->pushedAt[due] < killedAt - 1.0) ++due;
    plTrace trace = readTrace(path);
    assert_true(due > 0);
    assert_in_range(trace.rows, due, shared->rows + 1);
    checkRows(&trace);
    plTrace_Free(&trace);
    munmap(shared, sizeof *shared);
}

static void exitWithoutCloseLeavesAReadableTrace(void** state)
{
    (void)state;
    const char* path = inFolder("exited.h5");
    pid_t child = fork();
    if (child == 0) {
        plRecorder* recorder = create(defOf(path, 8));
        for (uint64_t i = 0; i < 50000; ++i) {
            plRecorder_Wait(recorder);
            push(recorder, i, 8);
        }
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        fclose(
            stderr); // of cmocka's and a sanitizer's words about the forked test nothing is wanted
        exit(7);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    plTrace trace = readTrace(path);
    assert_true(trace.rows > 0);
    checkRows(&trace);
    plTrace_Free(&trace);
}

static void closedPipeIsAnErrorAndNotASignal(void** state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        plRecorderDef def = defOf("-", 8);
        plRecorder* recorder;
        if (plRecorder_Create(&def, &recorder) != pl_statusOk) _exit(1);
        for (uint64_t i = 0; i < 20000; ++i) {
            plRecorder_Wait(recorder); // goes on after the error
            push(recorder, i, 8);
        }
        _exit(plRecorder_Close(recorder) == pl_statusFileWrite ? 0 : 2);
    }
    close(ends[0]);
    close(ends[1]);
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

static void fullDiskIsReportedByClose(void** state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skipTest("there is no /dev/full");
    assert_int_equal(symlink("/dev/full", inFolder("full.csv")), 0);
    plRecorder* recorder = create(defOf(inFolder("full.csv"), 8));
    push(recorder, 0, 8);
    assert_int_equal(plRecorder_Close(recorder), pl_statusFileWrite);

    const char* path = inFolder("full.h5");
    pid_t child = fork();
    if (child == 0) { // a limit of the file's size stands for a full disk
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){4 << 20, limit.rlim_max});
        plRecorder* hdf5 = create(defOf(path, 8));
        for (uint64_t i = 0; i < 200000; ++i) {
            plRecorder_Wait(hdf5);
            push(hdf5, i, 8);
        }
        // Of the 16 MB pushed the ring holds 8: the limit was met. It is the file's, not memory's.
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(plRecorder_Close(hdf5) == pl_statusFileWrite ? 0 : 2);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    // What was committed before is kept.
    plTrace trace = readTrace(path);
    assert_true(trace.rows > 0);
    checkRows(&trace);
    plTrace_Free(&trace);
}

// --- refusals

static void badDefinitionsAreRefused(void** state)
{
    (void)state;
    plRecorder* recorder;
    const char* const badPaths[] = {NULL, "", "a.txt", "a.h5.gz", ".h5", ".csv"};
    for (int i = 0; i < PL_COUNT(badPaths); ++i) {
        plRecorderDef def = defOf(badPaths[i], 1);
        assert_int_equal(plRecorder_Create(&def, &recorder), pl_statusBadArgument);
    }
    const char* const nameless[] = {"x", ""};
    plRecorderDef def[] = {defOf("a.csv", 0), defOf("a.csv", 4097), defOf("a.csv", 2),
                           defOf("a.csv", 2)};
    def[2].channels = nameless;
    def[3].ringBytes = 31; // a row has 32 bytes
    for (int i = 0; i < PL_COUNT(def); ++i)
        assert_int_equal(plRecorder_Create(&def[i], &recorder), pl_statusBadArgument);
    const char* const nowhere[] = {"no/such/folder/a.h5", "no/such/folder/a.csv"};
    for (int i = 0; i < PL_COUNT(nowhere); ++i) {
        def[0] = defOf(inFolder(nowhere[i]), 1);
        assert_int_equal(plRecorder_Create(&def[0], &recorder), pl_statusFileOpen);
        assert_null(recorder);
    }
}

typedef struct {
    int left;    // takes until failure
    size_t held; // bytes
} plBudget;

static void* takeFromBudget(void* self, size_t size)
{
    plBudget* budget = self;
    if (budget->left-- <= 0) return NULL;
    budget->held += size;
    return malloc(size);
}

static void returnToBudget(void* self, void* memory, size_t size)
{
    ((plBudget*)self)->held -= size;
    free(memory);
}

static void failingAllocatorGivesNoMemoryAndNoLeak(void** state)
{
    (void)state;
    const char* const files[] = {"budget.h5", "budget.csv"};
    for (int f = 0; f < 2; ++f) {
        plStatus status = pl_statusNoMemory;
        for (int takes = 0; status != pl_statusOk; ++takes) {
            plBudget budget = {.left = takes};
            plRecorder* recorder = NULL;
            plRecorderDef def = defOf(inFolder(files[f]), 8);
            def.allocator = (plAllocator){takeFromBudget, returnToBudget, &budget};
            status = plRecorder_Create(&def, &recorder);
            if (takes == 0) assert_int_equal(status, pl_statusNoMemory);
            if (status == pl_statusOk)
                assert_int_equal(plRecorder_Close(recorder), pl_statusOk);
            else
                assert_int_equal(status, pl_statusNoMemory);
            assert_int_equal(budget.held, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csvRoundTripsEveryBit),
        cmocka_unit_test(csvQuotesNamesThatNeedIt),
        cmocka_unit_test(hdf5RoundTripsEveryBit),
        cmocka_unit_test(emptyTraceReads),
        cmocka_unit_test(widestRowsAndLongTextsRoundTrip),
        cmocka_unit_test(longRunLosesNothingWhenItWaits),
        cmocka_unit_test(recordersDoNotDisturbEachOther),
        cmocka_unit_test(fullRingDropsCountsAndNeverBlocks),
        cmocka_unit_test(pushNeverAllocates),
        cmocka_unit_test(killedWriterLosesLessThanASecond),
        cmocka_unit_test(exitWithoutCloseLeavesAReadableTrace),
        cmocka_unit_test(closedPipeIsAnErrorAndNotASignal),
        cmocka_unit_test(fullDiskIsReportedByClose),
        cmocka_unit_test(badDefinitionsAreRefused),
        cmocka_unit_test(failingAllocatorGivesNoMemoryAndNoLeak),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
