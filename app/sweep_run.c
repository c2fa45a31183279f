// One run of a sweep: its scene, its steps, what is left of its channels.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    const plSweepPlan* plan;
    plOpened opened;
    plChannel channels[plSweepMetrics];
    double sums[plSweepMetrics];
    double energy; ///< at the start [J]
    double elapsed;
} Run;

static double cpuSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ------------------------------------------------------------------------------------ metrics

/// Energy that came from nowhere: the change, less what was applied, and what was dissipated. What
/// the correction of contacts gives is paid from what they took before. A damper of an explicit law
/// may give: that is no dissipation.
static double createdOf(const Run* r)
{
    const plWorld* w = r->opened.world;
    const plAccount a = plWorld_Ledger(w);
    const double paid = plWorld_ContactLedger(w).dissipated - plWorld_Tank(w);
    return a.kinetic + a.potential - r->energy - a.applied + fmax(0, a.dissipated) - fmax(0, paid);
}

// What is not a number once stays so.
static double larger(double most, double x) { return x > most || isnan(x) ? x : most; }
static double smaller(double least, double x) { return x < least || isnan(x) ? x : least; }

static void begin(Run* r)
{
    const plAccount a = plWorld_Ledger(r->opened.world);
    r->energy = a.kinetic + a.potential;
    for (int i = 0; i < r->plan->metricCount; ++i) {
        const plSweepKind kind = r->plan->metrics[i].kind;
        r->sums[i] = kind == pl_sweepMax ? -INFINITY : kind == pl_sweepMin ? INFINITY : 0;
    }
}

static void note(Run* r, double T)
{
    r->elapsed += T;
    for (int i = 0; i < r->plan->metricCount; ++i) {
        const plSweepKind kind = r->plan->metrics[i].kind;
        if (kind == pl_sweepEnd || kind == pl_sweepWall) continue;
        const double x = kind == pl_sweepCreated
                             ? createdOf(r)
                             : plWorld_ReadChannel(r->opened.world, r->channels[i]);
        double* sum = &r->sums[i];
        if (kind == pl_sweepMax || kind == pl_sweepCreated) *sum = larger(*sum, x);
        if (kind == pl_sweepMin) *sum = smaller(*sum, x);
        if (kind == pl_sweepMean) *sum += T * x;
        if (kind == pl_sweepRms) *sum += T * x * x;
    }
}

static double result(const Run* r, int i, double cpu)
{
    switch (r->plan->metrics[i].kind) {
    case pl_sweepEnd:
        return plWorld_ReadChannel(r->opened.world, r->channels[i]);
    case pl_sweepMean:
        return r->sums[i] / r->elapsed;
    case pl_sweepRms:
        return sqrt(r->sums[i] / r->elapsed);
    case pl_sweepWall:
        return cpu;
    default:
        return r->sums[i];
    }
}

// -------------------------------------------------------------------------------------- steps

static void simulate(Run* r)
{
    plStepper stepper = plScene_Stepper(r->opened.scene);
    begin(r);
    while (!plCourse_IsOver(&r->opened, &stepper)) {
        const double T = plStepper_Next(&stepper);
        plWorld_Step(r->opened.world, T);
        note(r, T);
    }
}

/// A sentence in one line, cut where it is too long, but not within a character.
static void fail(plSweepRow* row, const char* message)
{
    enum { room = plSweepStatus - 16 };
    snprintf(row->status, sizeof row->status, "failed: %.*s", room, message);
    size_t length = strlen(row->status);
    if (strlen(message) > room) {
        while (length > 0 && ((unsigned char)row->status[length - 1] & 0xc0) == 0x80) --length;
        if (length > 0 && (unsigned char)row->status[length - 1] >= 0xc0) --length;
        row->status[length] = '\0';
    }
    for (char* at = row->status; *at; ++at) {
        if ((unsigned char)*at < ' ') *at = ' ';
    }
}

static bool prepare(Run* r, int run, char* message, size_t size)
{
    plSceneError error;
    if (!plSweepPlan_Load(r->plan, run, &r->opened.scene, message, size)) return false;
    if (!plCourse_Check(r->opened.scene, message, size)) return false;
    if (plScene_CreateWorld(r->opened.scene, &r->opened.world, &error) != pl_statusOk) {
        r->opened.world = NULL;
        snprintf(message, size, "%s", error.message);
        return false;
    }
    for (int i = 0; i < r->plan->metricCount; ++i) {
        const char* channel = r->plan->metrics[i].channel;
        if (!*channel) continue;
        if (plWorld_FindChannel(r->opened.world, channel, &r->channels[i]) == pl_statusOk) continue;
        snprintf(message, size, "the scene has no channel \"%s\"", channel);
        return false;
    }
    return true;
}

void plSweepRow_Make(plSweepRow* row, const plSweepPlan* plan, int run)
{
    char message[plSweepMessage];
    Run r = {.plan = plan};
    *row = (plSweepRow){0};
    if (prepare(&r, run, message, sizeof message)) {
        const double start = cpuSeconds();
        simulate(&r);
        const double cpu = cpuSeconds() - start;
        for (int i = 0; i < plan->metricCount; ++i) row->metrics[i] = result(&r, i, cpu);
        row->hash = plWorld_Hash(r.opened.world);
        snprintf(row->status, sizeof row->status, "ok");
    } else {
        fail(row, message);
    }
    plClose(&r.opened);
}

// ----------------------------------------------------------------------------- in its process

void plSweepRow_Lose(plSweepRow* row, const plPoolResult* result, double timeout)
{
    *row = (plSweepRow){0};
    if (result->end == pl_poolLate)
        snprintf(row->status, sizeof row->status, "timed out after %g s", timeout);
    if (result->end == pl_poolKilled)
        snprintf(row->status, sizeof row->status, "killed by signal %d", result->number);
    if (result->end == pl_poolEnded)
        snprintf(row->status, sizeof row->status, "ended with exit code %d", result->number);
}

bool plSweep_IsLost(const char* status)
{
    return strncmp(status, "timed out", 9) == 0 || strncmp(status, "killed", 6) == 0 ||
           strncmp(status, "ended", 5) == 0;
}

/// A pool of one piece.
typedef struct {
    const plSweepPlan* plan;
    plSweepRow* row;
    double timeout;
    int run;
    bool begun, made;
} Single;

static int nextOf(void* self)
{
    Single* s = self;
    const int run = s->begun ? -1 : s->run;
    s->begun = true;
    return run;
}

static void workOn(void* self, int run, void* answer)
{
    const Single* s = self;
    plSweepRow_Make(answer, s->plan, run);
}

static bool take(void* self, int run, const plPoolResult* result)
{
    Single* s = self;
    (void)run;
    s->made = true;
    if (result->answer) {
        memcpy(s->row, result->answer, sizeof *s->row);
    } else {
        plSweepRow_Lose(s->row, result, s->timeout);
    }
    return true;
}

bool plSweepRow_MakeApart(plSweepRow* row, const plSweepPlan* plan, int run,
                          const plSweepOrders* orders)
{
    Single s = {.plan = plan, .row = row, .timeout = orders->timeout, .run = run};
    const plPool pool = {.self = &s,
                         .size = sizeof *row,
                         .next = nextOf,
                         .work = workOn,
                         .done = take,
                         .workers = 1,
                         .timeout = orders->timeout,
                         .stop = orders->stop};
    if (!plPool_Run(&pool)) {
        *row = (plSweepRow){0};
        snprintf(row->status, sizeof row->status, "ended: no process could be started");
        return true;
    }
    return s.made;
}
