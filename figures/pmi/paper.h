// Drawings in oblique view: lines of several moments side by side, for gnuplot's vectors.
#ifndef PL_FIGURES_PAPER_H
#define PL_FIGURES_PAPER_H

#include "figure.h"
#include "math/math.h"

/// Where moments stand on the paper [m], in rows.
typedef struct {
    int perRow;
    double across, down;
} plSlots;

typedef struct {
    double *x, *y, *dx, *dy;
    int row, count;
    plSlots slots;
} plLines;

/// Columns "NAME x", "NAME y", "NAME dx", "NAME dy". False: a message in the job.
bool plLines_Add(plFigureJob*, const char* name, int count, plSlots, plLines*);
void plLines_Draw(plLines*, int shot, plVec3 from, plVec3 to);

/// Columns "shot", "shot x", "shot y": the time of each moment, and a place (x, y) in its slot.
bool plLines_Label(plFigureJob*, const double* times, int count, plSlots, double x, double y);

#endif
