// sweep: a scene run again and again, with other parameters each time.
//   in    a scene's text, axes (parameters that vary), metrics
//   out   a row per run (metrics, hash, status), and a file of all rows
// A run is known by its index: whoever makes it, on whatever core or machine, finds the same row.
#ifndef PL_SWEEP_H
#define PL_SWEEP_H

#include "app.h"
#include "sweep_pool.h"

enum {
    plSweepAxes = 16,
    plSweepMetrics = 64,
    plSweepMostRuns = 1000000,
    plSweepStatus = 160, ///< bytes of a status, with its end
    plSweepNumber = 32   ///< of a number as text
};

/// A parameter of the scene, and what it becomes: a range, or a list.
typedef struct {
    char path[plChannelNameSize];
    int count;       ///< along the grid
    double from, to; ///< of a range
    bool isLog;
    char** values; ///< of a list, each JSON or a plain word; null: a range
    bool isText;   ///< a list with a value that is no number
} plSweepAxis;

typedef enum {
    pl_sweepEnd,
    pl_sweepMax,
    pl_sweepMin,
    pl_sweepMean, ///< over time
    pl_sweepRms,
    pl_sweepCreated, ///< most energy from nowhere so far, by the ledger [J]
    pl_sweepWall     ///< processor time of the run [s]
} plSweepKind;

typedef struct {
    char name[plChannelNameSize + 8]; ///< as it was asked for
    char channel[plChannelNameSize];  ///< empty: of no channel
    plSweepKind kind;
} plSweepMetric;

typedef struct {
    char* text; ///< of the scene, with all other options in place
    int axisCount, metricCount, runs;
    plSweepAxis axes[plSweepAxes];
    plSweepMetric metrics[plSweepMetrics];
    bool isRandom; ///< samples, not a grid
    uint64_t seed;
    uint64_t digest; ///< of all that results depend on

    // what the names "rate" and "integrator" stand for in this scene
    bool hasRate;
    int ownCount; ///< mechanisms that name an integrator of their own
    int* own;
} plSweepPlan;

/// Complains; free in either case.
int plSweepPlan_Make(plSweepPlan*, const plArguments*, const plOpened*);
void plSweepPlan_Free(plSweepPlan*);

/// Of an axis in a run; a number is written into `text`.
const char* plSweepPlan_Value(const plSweepPlan*, int run, int axis, char text[plSweepNumber]);
/// The scene of a run. False: `message` says why.
bool plSweepPlan_Load(const plSweepPlan*, int run, plScene**, char* message, size_t size);

/// What came of a run. `status` is "ok" or a sentence; without "ok" the rest means nothing.
typedef struct {
    double metrics[plSweepMetrics];
    uint64_t hash;
    char status[plSweepStatus];
} plSweepRow;

/// In this process.
void plSweepRow_Make(plSweepRow*, const plSweepPlan*, int run);

/// Orders of the command line for those who make runs.
typedef struct {
    int threads;
    double timeout; ///< [s]; 0: none
    const volatile sig_atomic_t* stop;
} plSweepOrders;

/// The status for how a process ended, when it gave no answer.
void plSweepRow_Lose(plSweepRow*, const plPoolResult*, double timeout);
/// Whether a run gave no answer, so that another try may.
bool plSweep_IsLost(const char* status);

// ------------------------------------------------------------------------------------ results

/// All rows. A status is null until the run is made.
typedef struct {
    const plSweepPlan* plan;
    double* metrics; ///< runs x metricCount
    uint64_t* hashes;
    char** statuses;
} plSweepTable;

bool plSweepTable_Make(plSweepTable*, const plSweepPlan*); ///< false: no memory
void plSweepTable_Free(plSweepTable*);
bool plSweepTable_Put(plSweepTable*, int run, const plSweepRow*); ///< false: no memory
void plSweepTable_Clear(plSweepTable*, int run);
bool plSweepTable_IsOk(const plSweepTable*, int run);

/// A file of rows in one format. Functions say in `message` why they could not.
typedef struct {
    const char* ending;
    const char* mark; ///< how its first bytes begin
    bool (*create)(const plSweepTable*, const char* path, const char* mark, char* message);
    /// Reads rows into the table, and keeps the file open for more.
    void* (*open)(plSweepTable*, const char* path, char* message);
    bool (*add)(void* self, const plSweepTable*, int run, char* message);
    /// `path` for the rows in their order, when all are there.
    bool (*close)(void* self, const plSweepTable*, const char* path, char* message);
} plSweepFormat;

extern const plSweepFormat plSweepCsv, plSweepHdf5;

enum { plSweepMessage = 768, plSweepMark = 64 };

typedef struct {
    const plSweepFormat* format;
    const char* path;
    void* self;
    int lock; ///< descriptor; < 0: none
    char message[plSweepMessage];
} plSweepFile;

/// Makes the file, or goes on with one of the same sweep. Complains; close in either case.
int plSweepFile_Open(plSweepFile*, plSweepTable*, const char* path, bool mustExist);
bool plSweepFile_Add(plSweepFile*, const plSweepTable*, int run);
bool plSweepFile_Close(plSweepFile*, const plSweepTable*);

/// Draws the first metric over two axes, by gnuplot. Complains.
int plSweepMap_Check(const plSweepPlan*, const char* path);
int plSweepMap_Draw(const plSweepTable*, const char* title, const char* path);

// ------------------------------------------------------------------------------ many machines

/// Under mpirun: this process among all. Without it, or alone: rank 0 of 1.
typedef struct {
    int rank, count;
} plSweepCrew;

/// Complains when palp was built without MPI, and mpirun started it.
int plSweepCrew_Join(plSweepCrew*);
void plSweepCrew_Leave(void);
/// The worst exit code of all.
int plSweepCrew_Agree(const plSweepCrew*, int code);
/// Ends all processes, this one too; without MPI it does nothing.
void plSweepCrew_Abort(int code);

/// Of rank 0: hands runs out as a pool does, by the functions of one, until none is left or it is
/// stopped; then others may still be at work.
void plSweepCrew_Lead(const plSweepCrew*, const plPool*);
/// Of all others: makes runs until there are none.
void plSweepCrew_Work(const plSweepPlan*, const plSweepOrders*);

/// One run in a process of its own. False: stopped, and there is no row.
bool plSweepRow_MakeApart(plSweepRow*, const plSweepPlan*, int run, const plSweepOrders*);

#endif
