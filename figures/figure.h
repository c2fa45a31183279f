// figures: what each figure of the papers claims, how it is made, how it is judged.
//   in    scenes of the gallery, run with settings
//   out   ID.csv, ID.json, ID.svg (by gnuplot); index.html over several of them
// A figure is a test: the verdict on a claim is computed from its value and its criteria, nothing else.
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

/// A claim of the paper, judged in the terms of the print; or a check of palp's own, which the paper
/// does not have: closed forms, independent computations, other parameters.
typedef struct {
    char id[40];
    char text[280];
    double value;
    plCriterion criterion; ///< of a claim: that of the print
    bool isCheck;
    char why[280];     ///< where the value is known not to be as printed: why; else empty
    plCriterion found; ///< with it: what is found instead
} plClaim;

typedef enum {
    pl_verdictPrinted, ///< recomputed, and as printed
    pl_verdictDiffers, ///< recomputed, but not as printed: as `found`, and `why` explains it
    pl_verdictFails,   ///< neither; or a check that does not hold
    pl_verdictHolds,   ///< a check that holds
    pl_verdictCount
} plVerdict;

plVerdict plClaim_Verdict(const plClaim*);
const char* plVerdict_Name(plVerdict); ///< "as printed", "differs", "fails", "holds"

/// How many of each verdict.
typedef struct {
    int of[pl_verdictCount];
} plVerdicts;

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

enum { plMaxClaims = 40, plMaxColumns = 64 };

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
plVerdicts plFigureJob_Count(const plFigureJob*);
int plFigureJob_Failed(const plFigureJob*); ///< count of claims and checks that fail

typedef enum {
    pl_writtenAll,
    pl_writtenNoPlot, ///< table and claims, but no drawing
    pl_writtenNot
} plWritten;

/// ID.csv, ID.json and ID.svg into a folder, which is made if there is none.
plWritten plFigureJob_Write(plFigureJob*, const char* folder);

/// index.html over figures that were written into the same folder.
bool plFigurePage_Write(const plFigureJob* jobs, int count, const char* folder);

/// claims.md: the verdicts of every figure, and every claim of the papers. doc/claims.md is a copy.
bool plFigureTable_Write(const plFigureJob* jobs, int count, const char* folder);

/// The row of a figure in it: "| `pmi-1` | 5 | 0 | 0 | 5 |".
void plFigureTable_Row(const plFigureJob*, char* row, size_t size);

// --- for the functions that make figures

/// Adds a claim of the paper, with the criterion of the print; a printf format for its text.
void plFigureJob_Claim(plFigureJob*, const char* id, double value, plCriterion, const char* format,
                       ...) __attribute__((format(printf, 5, 6)));

/// Adds a check of palp's own.
void plFigureJob_Check(plFigureJob*, const char* id, double value, plCriterion, const char* format,
                       ...) __attribute__((format(printf, 5, 6)));

/// The claim added last is not as printed: what is found instead, and one sentence why. As long as
/// its value satisfies the print's criterion, it is as printed all the same.
void plFigureJob_Differs(plFigureJob*, plCriterion found, const char* why, ...)
    __attribute__((format(printf, 3, 4)));

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
