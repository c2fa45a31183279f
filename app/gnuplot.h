// Drawings by gnuplot, which is told what to draw through a pipe.
#ifndef PL_GNUPLOT_H
#define PL_GNUPLOT_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE* pipe; ///< null: it could not be started
    const char* path;
    struct sigaction before; ///< of SIGPIPE
} plGnuplot;

/// Does a path end in .svg or .png?
bool plGnuplot_Draws(const char* path);

/// Begins a drawing of so many pixels (of a PNG, 1.5 times as many), with the look that all share.
plGnuplot plGnuplot_Open(const char* path, int width, int height);
/// Ends it. Complains: gnuplot is not installed, or could not draw.
int plGnuplot_Close(plGnuplot*);

void plGnuplot_PutQuoted(FILE*, const char* text);                  ///< a string
void plGnuplot_PutLabel(FILE*, const char* what, const char* text); ///< set xlabel 'text'
/// The same with a unit, "text [N]"; none for "".
void plGnuplot_PutUnit(FILE*, const char* what, const char* text, const char* unit);

#endif
