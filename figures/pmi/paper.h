// Drawings in oblique view: lines of several moments side by side, for gnuplot's vectors.
#ifndef PL_FIGURES_PAPER_H
#define PL_FIGURES_PAPER_H

#include "figure.h"
#include "math/math.h"

/// Of a script: nothing but the drawing, to scale.
#define PL_PAPER                                                                                   \
    "unset border\n"                                                                               \
    "unset xtics\n"                                                                                \
    "unset ytics\n"                                                                                \
    "unset key\n"                                                                                  \
    "set size ratio -1\n"                                                                          \
    "set lmargin at screen 0.01\n"                                                                 \
    "set rmargin at screen 0.99\n"                                                                 \
    "set tmargin at screen 0.99\n"                                                                 \
    "set bmargin at screen 0.01\n"

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
