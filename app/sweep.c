// palp sweep: many runs of a scene, over cores and machines, into one file.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    plOpened opened;
    plSweepPlan plan;
    plSweepTable table;
    plSweepFile file;
    plSweepOrders orders;
    int at;        ///< runs before it are made, or being made
    int due, made; ///< runs of this call
    bool isWritten;
    plProgress* progress; ///< null: none
} Sweep;

// ----------------------------------------------------------------------------------- the runs

static int nextRun(void* self)
{
    Sweep* s = self;
    while (s->at < s->plan.runs && s->table.statuses[s->at]) ++s->at;
    return s->at < s->plan.runs ? s->at++ : -1;
}

static void makeRun(void* self, int run, void* answer)
{
    const Sweep* s = self;
    plSweepRow_Make(answer, &s->plan, run);
}

static bool takeRun(void* self, int run, const plPoolResult* result)
{
    Sweep* s = self;
    plSweepRow row;
    if (result->answer) {
        memcpy(&row, result->answer, sizeof row);
    } else {
        plSweepRow_Lose(&row, result, s->orders.timeout);
    }
    s->isWritten =
        plSweepTable_Put(&s->table, run, &row) && plSweepFile_Add(&s->file, &s->table, run);
    ++s->made;
    return s->isWritten;
}

static void tell(void* self)
{
    const Sweep* s = self;
    if (s->progress) plProgress_Share(s->progress, (double)s->made / s->due);
}

static int makeAll(Sweep* s, const plSweepCrew* crew)
{
    const plPool pool = {.self = s,
                         .size = sizeof(plSweepRow),
                         .next = nextRun,
                         .work = makeRun,
                         .done = takeRun,
                         .idle = tell,
                         .workers = s->orders.threads,
                         .timeout = s->orders.timeout,
                         .stop = s->orders.stop};
    bool good = true;
    s->isWritten = true;
    if (crew->count > 1) {
        plSweepCrew_Lead(crew, &pool);
    } else {
        good = plPool_Run(&pool);
    }
    if (!s->isWritten)
        return plComplain(pl_exitOutput, "%s cannot be written: %s", s->file.path, s->file.message);
    return good ? pl_exitOk : plComplain(pl_exitInput, "no process can be started");
}

// -------------------------------------------------------------------------------- preparations

static int readThreads(const plArguments* a, int* threads)
{
    enum { most = 1024 };
    const char* text = plArguments_Value(a, "--threads");
    char* end;
    *threads = plPool_Cores();
    if (!text) return pl_exitOk;
    const long count = strtol(text, &end, 10);
    *threads = (int)count;
    if (end != text && *end == '\0' && count >= 1 && count <= most) return pl_exitOk;
    return plComplain(pl_exitInput, "--threads takes a whole number, 1 to %d, found \"%s\"", most,
                      text);
}

static int readTimeout(const plArguments* a, double* timeout)
{
    const char* text = plArguments_Value(a, "--timeout");
    char* end;
    if (!text) return pl_exitOk;
    *timeout = strtod(text, &end);
    if (end != text && *end == '\0' && *timeout > 0 && isfinite(*timeout)) return pl_exitOk;
    return plComplain(pl_exitInput, "--timeout takes a number of seconds above 0, found \"%s\"",
                      text);
}

/// The runs: as rank 0 and all others need them.
static int plan(Sweep* s, const plArguments* a)
{
    int code = readThreads(a, &s->orders.threads);
    if (code == pl_exitOk) code = readTimeout(a, &s->orders.timeout);
    if (code == pl_exitOk) code = plOpen(a, a->operands[0], &s->opened);
    if (code == pl_exitOk) code = plSweepPlan_Make(&s->plan, a, &s->opened);
    plWorld_Destroy(s->opened.world); // every run makes its own
    s->opened.world = NULL;
    return code;
}

static void countDue(Sweep* s, bool again)
{
    for (int i = 0; i < s->plan.runs; ++i) {
        const char* status = s->table.statuses[i];
        if (status && again && plSweep_IsLost(status)) plSweepTable_Clear(&s->table, i);
        s->due += !s->table.statuses[i];
    }
    if (s->due < s->plan.runs)
        fprintf(stderr, "palp: note: %d of %d runs are in %s already\n", s->plan.runs - s->due,
                s->plan.runs, s->file.path);
}

static int prepare(Sweep* s, const plArguments* a)
{
    const char *out = plArguments_Value(a, "--out"), *map = plArguments_Value(a, "--map");
    if (!out) return plComplain(pl_exitInput, "a sweep needs --out FILE, .csv or .h5");
    int code = plan(s, a);
    if (code == pl_exitOk && map) code = plSweepMap_Check(&s->plan, map);
    if (code != pl_exitOk) return code;
    if (!plSweepTable_Make(&s->table, &s->plan)) return plComplain(pl_exitInput, "no memory");
    code = plSweepFile_Open(&s->file, &s->table, out, plArguments_Has(a, "--resume"));
    if (code == pl_exitOk) countDue(s, plArguments_Has(a, "--retry"));
    return code;
}

static void release(Sweep* s)
{
    plSweepTable_Free(&s->table);
    plSweepPlan_Free(&s->plan);
    plClose(&s->opened);
}

// ------------------------------------------------------------------------------------ the end

static void report(const Sweep* s)
{
    int ok = 0, lost = 0, missing = 0;
    for (int i = 0; i < s->plan.runs; ++i) {
        const char* status = s->table.statuses[i];
        ok += plSweepTable_IsOk(&s->table, i);
        lost += status && plSweep_IsLost(status);
        missing += !status;
    }
    printf("runs %d  ok %d  failed %d  lost %d", s->plan.runs, ok,
           s->plan.runs - ok - lost - missing, lost);
    if (missing > 0) printf("  still to do %d", missing);
    printf("  in %s\n", s->file.path);
}

static int finish(Sweep* s, const plArguments* a, int code)
{
    const char* map = plArguments_Value(a, "--map");
    if (!plSweepFile_Close(&s->file, &s->table) && code == pl_exitOk)
        code = plComplain(pl_exitOutput, "%s cannot be written: %s", s->file.path, s->file.message);
    if (code != pl_exitOk) return code;
    report(s);
    if (*s->orders.stop) return pl_exitInterrupted;
    return map ? plSweepMap_Draw(&s->table, plScene_Title(s->opened.scene), map) : pl_exitOk;
}

/// Rank 0, or a sweep on one machine.
static int lead(const plArguments* a, const plSweepCrew* crew)
{
    Sweep s = {.file.lock = -1, .orders.stop = plCourse_Interrupted()};
    int code = plSweepCrew_Agree(crew, prepare(&s, a));
    if (code == pl_exitOk) code = plSweepCrew_Agree(crew, pl_exitOk); // are the others ready, too?
    if (code == pl_exitOk) {
        plProgress bar = plProgress_Start(1);
        if (plArguments_Has(a, "--progress")) s.progress = &bar;
        plCourse_Listen(SIGINT); // rows are in the file as they come
        plCourse_Listen(SIGTERM);
        code = makeAll(&s, crew);
        plProgress_End(&bar);
        code = finish(&s, a, code);
        if (*s.orders.stop && crew->count > 1) plSweepCrew_Abort(code);
    } else {
        plSweepFile_Close(&s.file, &s.table);
    }
    release(&s);
    return code;
}

/// Any other rank. What is wrong with the command line is said by rank 0 alone.
static int follow(const plArguments* a, const plSweepCrew* crew)
{
    Sweep s = {.file.lock = -1};
    int code = plSweepCrew_Agree(crew, pl_exitOk);
    if (code != pl_exitOk) return code;
    code = plSweepCrew_Agree(crew, plan(&s, a));
    if (code == pl_exitOk) plSweepCrew_Work(&s.plan, &s.orders);
    release(&s);
    return code;
}

static int sweep(const plArguments* a)
{
    plSweepCrew crew;
    int code = plSweepCrew_Join(&crew);
    if (code != pl_exitOk) return code;
    code = crew.rank == 0 ? lead(a, &crew) : follow(a, &crew);
    plSweepCrew_Leave();
    return code;
}

static const plOption options[] = {
    {"--vary", "PATH=VALUES", "FROM:TO:COUNT, the same with :log, or A,B,C; may be repeated"},
    {"--metric", "LIST", "channels, max: min: mean: rms: or end: before one; created, wall, hash"},
    {"--out", "FILE", "where rows go: .csv or .h5; one that is there is gone on with"},
    {"--runs", "N", "so many random samples of the ranges, in place of the grid"},
    {"--seed", "S", "of the samples (default 1)"},
    {"--time", "S", "how long each run is [s] (default: the scene's)"},
    {"--step", "S", "step size [s]"},
    {"--integrator", "NAME", "of every mechanism"},
    {"--law", "NAME", "contact law: penalty, impulse, lcp, cone, multiplier"},
    {"--set", "PATH=VALUE", "put a value in place of the scene's, in all runs; may be repeated"},
    {"--threads", "N", "runs at a time, each in a process of its own (default: the cores)"},
    {"--timeout", "S", "give a run up after so long [s]"},
    {"--resume", NULL, "refuse to begin anew, should FILE not be there"},
    {"--retry", NULL, "make runs again that were killed or took too long"},
    {"--map", "FILE", "draw the first metric over one or two parameters: .svg or .png (gnuplot)"},
    {"--progress", NULL, "tell on standard error how far it is, and how long it will take"},
};

const plVerb plSweepVerb = {
    .name = "sweep",
    .operands = "SCENE",
    .summary = "run a scene for many values of its parameters",
    .details =
        "A row for each run: parameters, metrics, hash of the last state, status. A run that "
        "fails,\n"
        "crashes or takes too long is a row with a status that says so. The same file comes of "
        "any\n"
        "number of processes, and of mpirun. An interrupted sweep goes on when called again.\n"
        "PATH is as for --set; law, integrator and rate are among them. An example:\n"
        "  palp sweep wall --vary materials.wall.stiffness=100:1e4:9:log --vary rate=500,1000 \\\n"
        "    --metric max:depth,created --out wall.csv --map wall.svg\n",
    .fewest = 1,
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = sweep,
};
