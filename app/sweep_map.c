// A heat map of a sweep, by gnuplot: the first metric over two parameters.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// ------------------------------------------------------------------------------------- which

static bool varies(const plSweepPlan* p, int i)
{
    const plSweepAxis* axis = &p->axes[i];
    if (axis->values || !p->isRandom) return axis->count > 1;
    return axis->from != axis->to;
}

/// The parameters that vary, the first two of them in `which`: how many.
static int findAxes(const plSweepPlan* p, int which[2])
{
    int count = 0;
    for (int i = 0; i < p->axisCount; ++i) {
        if (!varies(p, i)) continue;
        if (count < 2) which[count] = i;
        ++count;
    }
    return count;
}

static bool endsWith(const char* text, const char* end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

int plSweepMap_Check(const plSweepPlan* p, const char* path)
{
    int which[2];
    const int count = findAxes(p, which);
    if (!endsWith(path, ".svg") && !endsWith(path, ".png"))
        return plComplain(pl_exitInput,
                          "--map takes a file that ends in .svg or .png, found \"%s\"", path);
    if (p->metricCount == 0) return plComplain(pl_exitInput, "--map needs a --metric to draw");
    if (count == 2) return pl_exitOk;
    return plComplain(pl_exitInput, "--map draws two parameters that vary, found %d", count);
}

// -------------------------------------------------------------------------------------- cells

/// A place along an axis, and the ends of its cell.
typedef struct {
    double at, low, high;
} Place;

/// Values of a list stand side by side.
static Place placeInList(const plSweepAxis* axis, const char* value)
{
    int i = 0;
    while (i < axis->count - 1 && axis->values[i] != value) ++i;
    return (Place){i, i - 0.5, i + 0.5};
}

static Place placeOf(const plSweepPlan* p, int run, int at)
{
    const plSweepAxis* axis = &p->axes[at];
    char text[plSweepNumber];
    const char* value = plSweepPlan_Value(p, run, at, text);
    if (axis->values) return placeInList(axis, value);
    const double x = strtod(value, NULL), steps = axis->count - 1;
    if (p->isRandom) return (Place){x, x, x};
    if (axis->isLog) {
        const double half = pow(axis->to / axis->from, 0.5 / steps);
        return (Place){x, x / half, x * half};
    }
    const double half = 0.5 * (axis->to - axis->from) / steps;
    return (Place){x, x - half, x + half};
}

static bool isDrawn(const plSweepTable* t, int run)
{
    return plSweepTable_IsOk(t, run) &&
           isfinite(t->metrics[(size_t)run * (size_t)t->plan->metricCount]);
}

/// A block of data: runs with a number, or those without one. How many.
static int putBlock(FILE* pipe, const plSweepTable* t, const int which[2], bool drawn)
{
    int count = 0;
    fprintf(pipe, "$%s << END\n", drawn ? "cells" : "failed");
    for (int i = 0; i < t->plan->runs; ++i) {
        if (isDrawn(t, i) != drawn) continue;
        const Place x = placeOf(t->plan, i, which[0]), y = placeOf(t->plan, i, which[1]);
        fprintf(pipe, "%.17g %.17g %.17g %.17g %.17g %.17g", x.at, y.at, x.low, x.high, y.low,
                y.high);
        if (drawn) fprintf(pipe, " %.17g", t->metrics[(size_t)i * (size_t)t->plan->metricCount]);
        fputc('\n', pipe);
        ++count;
    }
    fputs("END\n", pipe);
    return count;
}

// ------------------------------------------------------------------------------------- drawing

/// A string of gnuplot's, in quotes: a quote in it is doubled.
static void putQuoted(FILE* pipe, const char* text)
{
    fputc('\'', pipe);
    for (; *text; ++text) {
        if (*text == '\'') fputc('\'', pipe);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, pipe);
    }
    fputc('\'', pipe);
}

static void putLabel(FILE* pipe, const char* what, const char* text)
{
    fprintf(pipe, "set %s ", what);
    putQuoted(pipe, text);
    fputs(" noenhanced\n", pipe);
}

static void putAxis(FILE* pipe, const plSweepAxis* axis, char letter)
{
    char label[] = "xlabel";
    label[0] = letter;
    putLabel(pipe, label, axis->path);
    if (axis->isLog) fprintf(pipe, "set logscale %c\n", letter);
    if (!axis->values) return;
    fprintf(pipe, "set %ctics noenhanced (", letter);
    for (int i = 0; i < axis->count; ++i) {
        if (i > 0) fputs(", ", pipe);
        putQuoted(pipe, axis->values[i]);
        fprintf(pipe, " %d", i);
    }
    fprintf(pipe, ")\nset %crange [-0.5:%g]\n", letter, axis->count - 0.5);
}

/// Its lightness grows with the value: seen alike by people with any colour vision, and in grey.
static const char look[] =
    "set palette defined (0 '#440154', 1 '#3B528B', 2 '#21918C', 3 '#5EC962', 4 '#FDE725')\n"
    "set border 3 back lc rgb '#555555'\n"
    "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
    "set key outside center bottom horizontal noautotitle\n"
    "set style fill solid 1 noborder\n"
    "set autoscale fix\n";

static void putPlot(FILE* pipe, const plSweepTable* t, int cells, int failed)
{
    const bool points = t->plan->isRandom;
    const char* using = points ? "1:2" : "1:2:3:4:5:6";
    const char* with = points ? "points pt 7 ps 0.9" : "boxxyerror";
    fputs("plot ", pipe);
    if (cells > 0) fprintf(pipe, "$cells using %s:7 with %s lc palette", using, with);
    if (failed > 0)
        fprintf(pipe, "%s$failed using %s with %s lc rgb '#BBBBBB' title 'without a number'",
                cells > 0 ? ", " : "", using, with);
    fputs("\nunset output\n", pipe);
}

static bool putScript(FILE* pipe, const plSweepTable* t, const char* title, const char* path)
{
    char head[512];
    int which[2] = {0, 0};
    findAxes(t->plan, which);
    fputs(endsWith(path, ".svg")
              ? "set terminal svg size 760,560 dynamic background rgb 'white' font 'Helvetica,13'\n"
              : "set terminal pngcairo size 1140,840 background rgb 'white' font 'Helvetica,18'\n",
          pipe);
    fputs("set encoding utf8\nset output ", pipe);
    putQuoted(pipe, path);
    fputc('\n', pipe);
    fputs(look, pipe);
    snprintf(head, sizeof head, "%.200s: %s", title, t->plan->metrics[0].name);
    putLabel(pipe, "title", head);
    putAxis(pipe, &t->plan->axes[which[0]], 'x');
    putAxis(pipe, &t->plan->axes[which[1]], 'y');
    const int cells = putBlock(pipe, t, which, true), failed = putBlock(pipe, t, which, false);
    putPlot(pipe, t, cells, failed);
    return !ferror(pipe);
}

int plSweepMap_Draw(const plSweepTable* t, const char* title, const char* path)
{
    enum { noCommand = 127 };
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGPIPE, &ignore, &before); // a gnuplot that dies early is seen by its exit code
    fflush(NULL);
    FILE* pipe = popen("exec gnuplot 2>/dev/null", "w");
    const bool put = pipe && putScript(pipe, t, title, path);
    const int status = pipe ? pclose(pipe) : -1;
    sigaction(SIGPIPE, &before, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == noCommand)
        return plComplain(pl_exitOutput, "%s is not drawn, because gnuplot is not installed", path);
    if (put && WIFEXITED(status) && WEXITSTATUS(status) == 0) return pl_exitOk;
    return plComplain(pl_exitOutput, "gnuplot could not draw %s", path);
}
