// bench: palp beside what a user would pick instead, on the same problems, in one program.
//   in    rows: a problem, what is asked of the answer first, palp's way and the peer's way
//   out   ratio = time of the peer / time of palp, p50 and p99; out/bench: CSV, plots, one page
// Times are CPU times of the thread, so that a busy machine shows in caches only, and the two ways
// alternate sample by sample. Only ratios mean anything; microseconds are those of one machine.
#ifndef PALP_BENCH_H
#define PALP_BENCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct BenchRow BenchRow;

/// One comparison. What the functions get is what `open` returned.
struct BenchRow {
    const char* group;          ///< heading: "rigid", "cone", ...
    const char* name;           ///< of the problem
    const char* peer;           ///< the yardstick; with the name unique
    double bar;                 ///< ratio that is wanted; 0: none, it is only told
    int size, variant, against; ///< for the row's own functions
    int batch;                  ///< calls that one sample makes; enough for several microseconds
    bool slow;                  ///< left out of --quick

    /// The problem, made ready. Null: the peer is not installed.
    void* (*open)(const BenchRow*, bool quick);
    /// Accuracy first: false when palp's answers do not hold what the bar asks for. `words` gets the
    /// measured figures, of the peer too.
    bool (*check)(void* self, char* words, size_t size);
    /// Before a sample of each, not timed; or null.
    void (*ready)(void* self, int sample);
    void (*palp)(void* self, int sample);
    void (*other)(void* self, int sample);
    void (*close)(void* self);
};

/// Files of rows, each with its function below: a new file rows_NAME.c takes a word here.
#define BENCH_SOURCES(X)                                                                           \
    X(rigid)                                                                                       \
    X(cone)                                                                                        \
    X(lcp)                                                                                         \
    X(collide)                                                                                     \
    X(nurbs)                                                                                       \
    X(soft)

#define X(name) const BenchRow* benchRows_##name(int* count);
BENCH_SOURCES(X)
#undef X

enum { benchRuns = 5 };

/// What a row gave. Costs are medians over the runs, per call [us].
typedef struct {
    const BenchRow* row;
    bool there;    ///< else the peer is not installed
    bool accurate; ///< as the row's check says
    char words[256];
    int samples; ///< of each way in a run, the mean
    double palp50, palp99, other50, other99;
    double ratio, ratio99; ///< medians over the runs of the peer's over palp's
    double least, most;    ///< ratio of p50 over the runs
} BenchResult;

/// The bar is met: accurate, and as fast as is asked.
bool benchMet(const BenchResult*);

// --- palp's own

/// The tick of a scene of the gallery, at the rate that its file states.
typedef struct {
    char name[64];
    double rate; ///< [Hz]
    int ticks, contacts, troubled;
    bool whole;                  ///< it ran for as long as its file says
    double p50, p99, p999, most; ///< [us]
} BenchTick;

/// All scenes of a folder, for at most so much CPU time each [s]. Returns how many.
int benchTicks(const char* folder, double seconds, BenchTick* ticks, int capacity);

/// Half of the period, against p99 [us].
static inline double benchBudget(const BenchTick* t) { return 0.5e6 / t->rate; }

/// How a cost grows with what there is of one thing.
typedef struct {
    const char* what; ///< "bodies of a pile", ...
    int count;
    double n[8], cost[8]; ///< [us], p50
    double power;         ///< cost ~ n^power, by least squares
} BenchGrowth;

/// For so much CPU time each [s]; the largest sizes not in quick ones. Returns how many.
int benchGrowth(double seconds, bool quick, BenchGrowth* growth, int capacity);

// --- measuring

double benchCpu(void); ///< CPU time of the thread [s]
void benchSort(double* x, int n);
double benchQuantile(const double* sorted, int n, double share);
double benchMedian(double* x, int n); ///< sorts

// --- telling (report.c)

typedef struct {
    int rowCount, tickCount, growthCount;
    const BenchResult* rows;
    const BenchTick* ticks;
    const BenchGrowth* growth;
    bool quick;
} BenchReport;

void benchPrint(const BenchResult*);
void benchPrintTick(const BenchTick*);
/// CSV files, plots and index.html in a folder that is there. False: something could not be written.
bool benchSave(const BenchReport*, const char* folder);

#endif
