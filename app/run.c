// palp run: simulates a scene, and records it.
#define _POSIX_C_SOURCE 200809L

#include "app.h"
#include "summary.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Trouble of the steps, bit by bit.
static const struct {
    int bit;
    const char *what, *mend;
} troubles[] = {
#define X(name, bit, shown, what, mend) {bit, what, mend},
    PL_TROUBLE_LIST(X)
#undef X
};

typedef struct {
    plOpened opened;
    plRecorder* recorder; ///< null: none
    plChannelList channels;
    double* values;
    bool progress;
    double wall; ///< [s]
    plSummary summary;
    uint64_t troubled[PL_COUNT(troubles)];
} Run;

static int failRecord(const char* path, plStatus status)
{
    if (status == pl_statusNoMemory)
        return plComplain(pl_exitOutput, "%s: %s", path, plStatus_Sentence(status));
    return plComplain(pl_exitOutput, "%s cannot be written: %s",
                      strcmp(path, "-") == 0 ? "standard output" : path, plStatus_Sentence(status));
}

static bool endsWith(const char* text, const char* end)
{
    const size_t length = strlen(text), endLength = strlen(end);
    return length > endLength && strcmp(text + length - endLength, end) == 0;
}

static int openRecorder(Run* r, const char* path, const char* list, bool force)
{
    if (strcmp(path, "-") != 0 && !endsWith(path, ".csv") && !endsWith(path, ".h5"))
        return plComplain(pl_exitInput,
                          "--record takes a file that ends in .csv or .h5, or -, found \"%s\"",
                          path);
    const int code = plChannelList_Make(&r->channels, &r->opened, list);
    if (code != pl_exitOk) return code;
    const size_t count = (size_t)r->channels.count;
    const char** names = calloc(count, sizeof *names);
    r->values = calloc(count, sizeof *r->values);
    if (!names || !r->values) {
        free(names);
        return plComplain(pl_exitInput, "no memory");
    }
    for (size_t i = 0; i < count; ++i) names[i] = r->channels.names[i];

    plRecorderDef def = plDefaultRecorderDef();
    def.path = path;
    def.keep = !force;
    def.channelCount = r->channels.count;
    def.channels = names;
    def.scene = plScene_Text(r->opened.scene);
    const plStatus status = plRecorder_Create(&def, &r->recorder);
    free(names);
    if (status == pl_statusOk) return pl_exitOk;
    r->recorder = NULL;
    if (status == pl_statusExists)
        return plComplain(pl_exitOutput, "%s is there already: take another name, or --force",
                          path);
    if (status == pl_statusBadArgument)
        return plComplain(pl_exitInput, "a trace takes at most 4096 channels, found %zu", count);
    return failRecord(path, status);
}

// ----------------------------------------------------------------------------------- the run

static void noteTrouble(Run* r)
{
    const int trouble = plWorld_Report(r->opened.world).trouble;
    for (int i = 0; trouble && i < PL_COUNT(troubles); ++i)
        r->troubled[i] += (trouble & troubles[i].bit) != 0;
}

static void record(Run* r, double T)
{
    const plWorld* world = r->opened.world;
    for (int i = 0; i < r->channels.count; ++i)
        r->values[i] = plWorld_ReadChannel(world, r->channels.channels[i]);
    plRecorder_Wait(r->recorder);
    plRecorder_Push(r->recorder, T, plWorld_Hash(world), r->values);
}

static void simulate(Run* r)
{
    plWorld* world = r->opened.world;
    plStepper stepper = plScene_Stepper(r->opened.scene);
    plProgress progress = plProgress_Start(plScene_Time(r->opened.scene));
    const double start = plClock_Now();
    r->summary = plSummary_Start(world);
    while (!*plCourse_Interrupted() && !plCourse_IsOver(&r->opened, &stepper) &&
           (!r->recorder || plRecorder_Status(r->recorder) == pl_statusOk)) {
        const double T = plStepper_Next(&stepper);
        plWorld_Step(world, T);
        noteTrouble(r);
        plSummary_Add(&r->summary, world);
        if (r->recorder) record(r, T);
        if (r->progress) plProgress_Tick(&progress, plWorld_Time(world));
    }
    r->wall = plClock_Now() - start;
    if (r->progress) plProgress_End(&progress);
}

// ---------------------------------------------------------------------------------- the report

static void warn(const Run* r)
{
    const unsigned long long steps = plWorld_Tick(r->opened.world);
    bool first = true;
    for (int i = 0; i < PL_COUNT(troubles); ++i) {
        if (r->troubled[i] == 0) continue;
        fprintf(stderr, "%s in %llu of %llu steps %s (%s)", first ? "palp: warning:" : ";",
                (unsigned long long)r->troubled[i], steps, troubles[i].what, troubles[i].mend);
        first = false;
    }
    if (!first) fputc('\n', stderr);
}

static void report(const Run* r, FILE* out)
{
    const plWorld* world = r->opened.world;
    plSummary_Tell(&r->summary, world, out);
    fprintf(out, "steps %llu  simulated %.9g s  wall %.3f s  residual %.1e J  hash %016llx\n",
            (unsigned long long)plWorld_Tick(world), plWorld_Time(world), r->wall,
            plWorld_Ledger(world).residual, (unsigned long long)plWorld_Hash(world));
    fflush(out);
}

static int prepare(Run* r, const plArguments* a, const char* path)
{
    char message[128];
    const int code = plOpen(a, a->operandCount > 0 ? a->operands[0] : "arm", &r->opened);
    if (code != pl_exitOk) return code;
    if (!plCourse_Check(r->opened.scene, message, sizeof message))
        return plComplain(pl_exitInput, "%s", message);
    plNoteLaw(a, &r->opened);
    plAdvise(r->opened.world);
    r->progress = plArguments_Has(a, "--progress");
    const char* list = plArguments_Value(a, "--channels");
    const bool force = plArguments_Has(a, "--force");
    if (path) return openRecorder(r, path, list, force);
    if (list || force)
        return plComplain(pl_exitInput, "%s needs --record FILE", list ? "--channels" : "--force");
    return pl_exitOk;
}

/// The contact problem of the step that would come next.
static int freeze(const Run* r, const char* path)
{
    plStepper stepper = plScene_Stepper(r->opened.scene);
    const plStatus status = plWorld_Freeze(r->opened.world, plStepper_Next(&stepper), path);
    if (status == pl_statusOk) return pl_exitOk;
    if (status == pl_statusNotFound)
        return plComplain(pl_exitInput, "nothing touches at %g s: there is no contact to freeze",
                          plWorld_Time(r->opened.world));
    return plComplain(pl_exitOutput, "%s cannot be written: %s", path, plStatus_Sentence(status));
}

static int run(const plArguments* a)
{
    Run r = {0};
    const char* path = plArguments_Value(a, "--record");
    int code = prepare(&r, a, path);
    if (code == pl_exitOk) {
        plCourse_Listen(SIGINT);
        plCourse_Listen(SIGTERM);
        simulate(&r);
        const plStatus status = r.recorder ? plRecorder_Close(r.recorder) : pl_statusOk;
        warn(&r);
        report(&r, path && strcmp(path, "-") == 0 ? stderr : stdout);
        code = status != pl_statusOk     ? failRecord(path, status)
               : *plCourse_Interrupted() ? pl_exitInterrupted
                                         : pl_exitOk;
        const char* frozen = plArguments_Value(a, "--freeze");
        if (code == pl_exitOk && frozen) code = freeze(&r, frozen);
    }
    free(r.values);
    plChannelList_Free(&r.channels);
    plClose(&r.opened);
    return code;
}

static const plOption options[] = {
    {"--time", "S", "how long to run [s]"},
    {"--step", "S", "step size [s]"},
    {"--integrator", "NAME",
     "of every mechanism: midpoint, explicit, symplectic, semi-implicit, "
     "implicit, implicit-midpoint"},
    {"--law", "NAME", "contact law: penalty, impulse, lcp, cone, multiplier"},
    {"--set", "PATH=VALUE", "put a value in place of the scene's; may be repeated"},
    {"--record", "FILE", "write a trace: .csv, .h5 (for replay), or - for CSV on standard output"},
    {"--force", NULL, "replace the file of --record, should there be one"},
    {"--channels", "LIST", "what to record: names with commas between, or all"},
    {"--freeze", "FILE", "write the contact problem of the next step, for palp solve"},
    {"--progress", NULL, "tell on standard error how far it is"},
};

const plVerb plRunVerb = {
    .name = "run",
    .operands = "[SCENE]",
    .summary = "simulate a scene (default: arm)",
    .details = "Ends with a summary: energy, who created or lost some, largest forces, contacts, "
               "trouble;\n"
               "its last line: steps, simulated and wall time, residual of the energy balance, "
               "hash of the\n"
               "last state. With --record - it is on standard error.\n"
               "An example of --set: mechanisms.arm.bodies[0].mass=2\n",
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = run,
};
