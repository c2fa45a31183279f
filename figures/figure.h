// figures: what each figure of the papers claims, how it is made, how it is judged.
//   in    scenes of the gallery, run with settings
//   out   ID.csv, ID.json, ID.svg (by gnuplot); index.html over several of them
// A figure is a test: whether a claim holds is computed from its value and its criterion, nothing
// else.
#ifndef PL_FIGURE_H
#define PL_FIGURE_H

#include "palp/palp.h"

// ---------------------------------------------------------------------------------- criteria

typedef enum {
    pl_criterionAtMost,  ///< value <= a
    pl_criterionAtLeast, ///< value >= a
    pl_criterionWithin,  ///< |value - a| <= b
    pl_criterionBetween  ///< a <= value <= b
} plCriterionKind;

typedef struct {
    plCriterionKind kind;
    double a, b;
} plCriterion;

plCriterion plAtMost(double bound);
plCriterion plAtLeast(double bound);
plCriterion plWithin(double center, double tolerance);
plCriterion plBetween(double low, double high);

bool plCriterion_Holds(plCriterion, double value); ///< never for NaN

/// "<= 1e-09", ">= 2", "0.857 +- 0.005", "0.99 .. 1".
void plCriterion_Text(plCriterion, char* text, size_t size);

typedef struct {
    char id[40];
    char text[240];
    double value;
    plCriterion criterion;
} plClaim;

bool plClaim_Holds(const plClaim*);

// ---------------------------------------------------------------------------------- a figure

typedef struct plFigureJob plFigureJob;

typedef struct {
    const char* id;
    const char* title;
    const char* caption;    ///< what is to be seen
    const char* parameters; ///< of the scenes and runs
    int width, height;      ///< of the drawing [px]
    const char* script; ///< for gnuplot; reads the table by the names of its columns, from `csv`
    bool (*make)(plFigureJob*);
    bool isLong; ///< takes seconds: tests make it in the optimised build alone
} plFigure;

enum { plMaxClaims = 24, plMaxColumns = 64 };

/// A column of the table: NaN is an empty cell; columns may differ in length.
typedef struct {
    char name[48];
    int count;
    double* values;
} plFigureColumn;

/// A figure being made, and then what came of it.
struct plFigureJob {
    const plFigure* figure;
    void (*progress)(const char* id, const char* what); ///< may be null
    int claimCount;
    plClaim claims[plMaxClaims];
    int columnCount;
    plFigureColumn columns[plMaxColumns];
    char message[1024]; ///< why it could not be made
};

/// All figures, in the order of the papers.
int plFigure_Count(void);
const plFigure* plFigure_At(int index);
const plFigure* plFigure_Find(const char* id); ///< null: none

/// Runs the scenes and judges the claims. False: job->message says why.
bool plFigureJob_Make(plFigureJob*, const plFigure*);
void plFigureJob_Free(plFigureJob*);
int plFigureJob_Failed(const plFigureJob*); ///< count of claims that do not hold

typedef enum {
    pl_writtenAll,
    pl_writtenNoPlot, ///< table and claims, but no drawing
    pl_writtenNot
} plWritten;

/// ID.csv, ID.json and ID.svg into a folder, which is made if there is none.
plWritten plFigureJob_Write(plFigureJob*, const char* folder);

/// index.html over figures that were written into the same folder.
bool plFigurePage_Write(const plFigureJob* jobs, int count, const char* folder);

// --- for the functions that make figures

/// Adds a claim; a printf format for its text.
void plFigureJob_Claim(plFigureJob*, const char* id, double value, plCriterion, const char* format,
                       ...) __attribute__((format(printf, 5, 6)));

/// A column of empty cells, owned by the job; null and a message when there is no memory.
double* plFigureJob_Column(plFigureJob*, int count, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

void plFigureJob_Progress(const plFigureJob*, const char* what);

/// A world of a scene of the gallery.
typedef struct {
    plScene* scene;
    plWorld* world;
    double T;      ///< [s]
    int steps;     ///< of the scene's time
    double energy; ///< at the start [J]
} plFigureRun;

/// `settings` ends with null. False: a message in the job.
bool plFigureJob_Open(plFigureJob*, const char* scene, const char* const* settings, plFigureRun*);
void plFigureRun_Close(plFigureRun*);
double plFigureRun_Energy(const plFigureRun*);
double plFigureRun_Read(const plFigureRun*, const char* channel); ///< NaN for an unknown one

#endif
