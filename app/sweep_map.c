// A map of a sweep: the first metric over one parameter as a line, over two by colours.
#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"
#include "sweep.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>

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

int plSweepMap_Check(const plSweepPlan* p, const char* path)
{
    int which[2];
    const int count = findAxes(p, which);
    if (!plGnuplot_Draws(path))
        return plComplain(pl_exitInput,
                          "--map takes a file that ends in .svg or .png, found \"%s\"", path);
    if (p->metricCount == 0) return plComplain(pl_exitInput, "--map needs a --metric to draw");
    if (count == 1 || count == 2) return pl_exitOk;
    return plComplain(pl_exitInput, "--map draws one or two parameters that vary, found %d", count);
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

/// A block of data: runs with a number, or those without one. How many. With one parameter both places are its.
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

static void putAxis(FILE* pipe, const plSweepAxis* axis, char letter)
{
    char label[] = "xlabel", unit[plUnitSize];
    label[0] = letter;
    plGnuplot_PutUnit(pipe, label, axis->path, plUnits_OfParameter(axis->path, unit));
    if (axis->isLog) fprintf(pipe, "set logscale %c\n", letter);
    if (!axis->values) return;
    fprintf(pipe, "set %ctics noenhanced (", letter);
    for (int i = 0; i < axis->count; ++i) {
        if (i > 0) fputs(", ", pipe);
        plGnuplot_PutQuoted(pipe, axis->values[i]);
        fprintf(pipe, " %d", i);
    }
    fprintf(pipe, ")\nset %crange [-0.5:%g]\n", letter, axis->count - 0.5);
}

static const char* unitOf(const plSweepMetric* metric)
{
    if (metric->kind == pl_sweepCreated) return "J";
    if (metric->kind == pl_sweepWall) return "s";
    return plUnits_OfChannel(metric->channel);
}

/// Its lightness grows with the value: seen alike by people with any colour vision, and in grey.
static const char palette[] =
    "set palette defined (0 '#440154', 1 '#3B528B', 2 '#21918C', 3 '#5EC962', 4 '#FDE725')\n"
    "set style fill solid 1 noborder\n"
    "set rmargin at screen 0.8\n"
    "set autoscale fix\n";

static void putMap(FILE* pipe, const plSweepTable* t, int cells, int failed)
{
    const bool points = t->plan->isRandom;
    const char* using = points ? "1:2" : "1:2:3:4:5:6";
    const char* with = points ? "points pt 7 ps 0.9" : "boxxyerror";
    fputs("plot ", pipe);
    if (cells > 0) fprintf(pipe, "$cells using %s:7 with %s lc palette", using, with);
    if (failed > 0)
        fprintf(pipe, "%s$failed using %s with %s lc rgb '#BBBBBB' title 'without a number'",
                cells > 0 ? ", " : "", using, with);
}

/// Values of a list and samples are points; those without a number stand on the axis.
static void putLine(FILE* pipe, const plSweepTable* t, const plSweepAxis* axis, int cells,
                    int failed)
{
    const bool points = t->plan->isRandom || axis->values;
    fputs("set y2range [0:1]\nset offsets graph 0, graph 0, graph 0.05, graph 0.05\nplot ", pipe);
    if (cells > 0)
        fprintf(pipe, "$cells using 1:7 with %s pt 7 ps 0.9 lw 1.8 lc rgb '#0072B2'",
                points ? "points" : "linespoints");
    if (failed > 0)
        fprintf(pipe,
                "%s$failed using 1:(0.02) axes x1y2 with points pt 2 lc rgb '#999999' title "
                "'without a number'",
                cells > 0 ? ", " : "");
}

static void putScript(FILE* pipe, const plSweepTable* t, const char* title)
{
    const plSweepPlan* p = t->plan;
    const plSweepMetric* metric = &p->metrics[0];
    char head[512];
    int which[2] = {0, 0};
    const bool single = findAxes(p, which) == 1;
    if (single) which[1] = which[0];
    snprintf(head, sizeof head, "%.200s: %s", title, metric->name);
    plGnuplot_PutLabel(pipe, "title", head);
    putAxis(pipe, &p->axes[which[0]], 'x');
    if (!single) putAxis(pipe, &p->axes[which[1]], 'y');
    plGnuplot_PutUnit(pipe, single ? "ylabel" : "cblabel", metric->name, unitOf(metric));
    const int cells = putBlock(pipe, t, which, true), failed = putBlock(pipe, t, which, false);
    if (single) {
        putLine(pipe, t, &p->axes[which[0]], cells, failed);
    } else {
        fputs(palette, pipe);
        fputs("set cblabel offset 2,0\n", pipe);
        putMap(pipe, t, cells, failed);
    }
}

int plSweepMap_Draw(const plSweepTable* t, const char* title, const char* path)
{
    plGnuplot g = plGnuplot_Open(path, 760, 560);
    if (g.pipe) putScript(g.pipe, t, title);
    return plGnuplot_Close(&g);
}
