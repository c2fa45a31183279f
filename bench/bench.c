// The harness: runs rows, scenes and growth, tells and saves them.
//   bench [--quick] [--only WORD] [--out FOLDER] [--scenes FOLDER]
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { mostSamples = 4000, leastSamples = 5, mostRows = 256, mostTicks = 128, mostGrowth = 16 };

typedef struct {
    bool quick;
    const char *only, *out, *scenes;
    double share; // CPU time of each way of a row in a run [s]
    double tick;  // of a scene
} Options;

double benchCpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

void benchSort(double* x, int n) { qsort(x, (size_t)n, sizeof *x, ascending); }

double benchQuantile(const double* sorted, int n, double share)
{
    if (n == 0) return NAN;
    const int i = (int)(share * n);
    return sorted[i < n ? i : n - 1];
}

double benchMedian(double* x, int n)
{
    benchSort(x, n);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

bool benchMet(const BenchResult* r) { return r->there && r->accurate && r->ratio >= r->row->bar; }

// --- rows

// Samples of the two ways in one run [us per call], and their quantiles over the runs.
typedef struct {
    double sample[2][mostSamples];
    double p50[2][benchRuns], p99[2][benchRuns];
    double ratio[benchRuns], ratio99[benchRuns];
} Runs;

static double timed(void (*way)(void*, int), void* self, int i, int batch)
{
    const double start = benchCpu();
    way(self, i);
    return 1e6 * (benchCpu() - start) / batch;
}

// One run: the two ways in turn, until both had their share of time.
static int runOnce(const BenchRow* row, void* self, int first, double share, Runs* r, int run)
{
    double spent[2] = {0};
    int n = 0;
    while (n < mostSamples && (n < leastSamples || fmin(spent[0], spent[1]) < 1e6 * share)) {
        if (n >= leastSamples && fmax(spent[0], spent[1]) > 4e6 * share) break;
        if (row->ready) row->ready(self, first + n);
        for (int way = 0; way < 2; ++way) {
            r->sample[way][n] = timed(way ? row->other : row->palp, self, first + n, row->batch);
            spent[way] += r->sample[way][n] * row->batch;
        }
        ++n;
    }
    for (int way = 0; way < 2; ++way) {
        benchSort(r->sample[way], n);
        r->p50[way][run] = benchQuantile(r->sample[way], n, 0.5);
        r->p99[way][run] = benchQuantile(r->sample[way], n, 0.99);
    }
    r->ratio[run] = r->p50[1][run] / r->p50[0][run];
    r->ratio99[run] = r->p99[1][run] / r->p99[0][run];
    return n;
}

static void runRow(const BenchRow* row, const Options* o, BenchResult* result)
{
    static Runs r;
    int samples = 0;
    void* self = row->open(row, o->quick);
    *result = (BenchResult){.row = row, .there = self != NULL};
    if (!self) return;
    result->accurate = row->check(self, result->words, sizeof result->words);
    for (int run = 0; run < benchRuns; ++run) {
        samples += runOnce(row, self, samples, o->share, &r, run);
    }
    row->close(self);
    result->samples = samples / benchRuns;
    result->ratio = benchMedian(r.ratio, benchRuns); // sorted from here on
    result->least = r.ratio[0], result->most = r.ratio[benchRuns - 1];
    result->ratio99 = benchMedian(r.ratio99, benchRuns);
    result->palp50 = benchMedian(r.p50[0], benchRuns);
    result->palp99 = benchMedian(r.p99[0], benchRuns);
    result->other50 = benchMedian(r.p50[1], benchRuns);
    result->other99 = benchMedian(r.p99[1], benchRuns);
}

static bool wanted(const Options* o, const BenchRow* row)
{
    if (row->slow && o->quick) return false;
    return !o->only || strstr(row->group, o->only) || strstr(row->name, o->only) ||
           strstr(row->peer, o->only);
}

static int runRows(const Options* o, BenchResult* results)
{
    const BenchRow* (*const sources[])(int*) = {
#define X(name) benchRows_##name,
        BENCH_SOURCES(X)
#undef X
    };
    int n = 0;
    for (int k = 0; k < PL_COUNT(sources); ++k) {
        int count;
        const BenchRow* rows = sources[k](&count);
        for (int i = 0; i < count && n < mostRows; ++i) {
            if (!wanted(o, &rows[i])) continue;
            runRow(&rows[i], o, &results[n]);
            benchPrint(&results[n++]);
        }
    }
    return n;
}

// --- the whole

static bool readOptions(int count, char** arguments, Options* o)
{
    *o = (Options){.out = "out/bench", .scenes = PALP_SOURCE_SCENES};
    for (int i = 1; i < count; ++i) {
        const char** text = NULL;
        if (strcmp(arguments[i], "--quick") == 0) {
            o->quick = true;
            continue;
        }
        if (strcmp(arguments[i], "--only") == 0) text = &o->only;
        if (strcmp(arguments[i], "--out") == 0) text = &o->out;
        if (strcmp(arguments[i], "--scenes") == 0) text = &o->scenes;
        if (!text || i + 1 == count) return false;
        *text = arguments[++i];
    }
    o->share = o->quick ? 0.02 : 0.25;
    o->tick = o->quick ? 0.5 : 20;
    return true;
}

// mkdir -p, for one folder below another.
static void makeFolder(const char* path)
{
    char part[1024];
    for (const char* p = path; (p = strchr(p, '/')); ++p) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        if (*part) mkdir(part, 0777);
    }
    mkdir(path, 0777);
}

static void tellSum(const BenchReport* r)
{
    int bars = 0, met = 0, within = 0;
    for (int i = 0; i < r->rowCount; ++i) {
        if (!r->rows[i].there || r->rows[i].row->bar <= 0) continue;
        ++bars;
        met += benchMet(&r->rows[i]);
    }
    for (int i = 0; i < r->tickCount; ++i) {
        within += r->ticks[i].p99 < benchBudget(&r->ticks[i]);
    }
    printf("%d of %d bars met; p99 within half of the period in %d of %d scenes\n", met, bars,
           within, r->tickCount);
}

int main(int count, char** arguments)
{
    static BenchResult rows[mostRows];
    static BenchTick ticks[mostTicks];
    static BenchGrowth growth[mostGrowth];
    Options o;
    if (!readOptions(count, arguments, &o)) {
        fprintf(stderr, "usage: bench [--quick] [--only WORD] [--out FOLDER] [--scenes FOLDER]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    plMath_Start();
    BenchReport report = {.rows = rows, .ticks = ticks, .growth = growth, .quick = o.quick};
    benchPrint(NULL);
    report.rowCount = runRows(&o, rows);
    if (!o.only || strcmp(o.only, "ticks") == 0) {
        report.tickCount = benchTicks(o.scenes, o.tick, ticks, mostTicks);
    }
    if (!o.only || strcmp(o.only, "growth") == 0) {
        report.growthCount = benchGrowth(o.share, o.quick, growth, mostGrowth);
    }
    tellSum(&report);
    makeFolder(o.out);
    if (!benchSave(&report, o.out)) {
        fprintf(stderr, "%s: not everything could be written\n", o.out);
        return 1;
    }
    printf("%s/index.html\n", o.out);
    return 0;
}
