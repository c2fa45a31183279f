// palp plot: channels of a trace over time, a panel for each unit.
#define _POSIX_C_SOURCE 200809L

#include "plot.h"
#include "app.h"
#include "gnuplot.h"
#include "units.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostPanels = 8, mostLines = 48, nameSize = plChannelNameSize, pathSize = 4096 };

/// Lines of one panel: channels of one unit, or of one word where they have none.
typedef struct {
    char unit[nameSize]; ///< what its channels share
    bool isUnit;
    int count, columns[mostLines];
} Panel;

typedef struct {
    plTable table;
    int panelCount;
    Panel panels[mostPanels];
} Plot;

// ------------------------------------------------------------------------------------- panels

/// The last word of a channel's name, without an index: q of arm.q[1].
static void wordOf(const char* name, char* word)
{
    static const char* const counts[] = {"active", "sliding", "colliding"}; // of contacts
    const size_t length = strcspn(name, "[");
    size_t from = length;
    while (from > 0 && name[from - 1] != '.') --from;
    snprintf(word, nameSize, "%.*s", (int)(length - from), name + from);
    for (int i = 0; i < PL_COUNT(counts); ++i)
        if (strcmp(name, counts[i]) == 0) snprintf(word, nameSize, "contacts");
}

static int addLine(Plot* p, int column)
{
    const char* name = p->table.names[column];
    const char* unit = plUnits_OfChannel(name);
    char shared[nameSize];
    if (unit[0])
        snprintf(shared, sizeof shared, "%s", unit);
    else
        wordOf(name, shared);
    int i = 0;
    while (i < p->panelCount && strcmp(p->panels[i].unit, shared) != 0) ++i;
    if (i == mostPanels || (i < p->panelCount && p->panels[i].count == mostLines))
        return plComplain(pl_exitInput,
                          "a plot takes at most %d kinds of channels and %d of each: name those to "
                          "plot, as in palp plot TRACE energy,%s",
                          mostPanels, mostLines, name);
    Panel* panel = &p->panels[i];
    if (i == p->panelCount) {
        *panel = (Panel){.isUnit = unit[0] != '\0'};
        memcpy(panel->unit, shared, sizeof shared);
        ++p->panelCount;
    }
    panel->columns[panel->count++] = column;
    return pl_exitOk;
}

static int unknownChannel(const Plot* p, const char* file, const char* name)
{
    char hint[nameSize + 32];
    plDidYouMean(name, (const char* const*)p->table.names, p->table.count, hint, sizeof hint);
    return plComplain(pl_exitInput, "%s has no channel \"%s\"%s", file, name, hint);
}

/// Those of the list, with commas between; without one all but the time and the step.
static int choose(Plot* p, const char* file, const char* list)
{
    int code = pl_exitOk;
    for (int i = 0; !list && i < p->table.count && code == pl_exitOk; ++i) {
        const char* name = p->table.names[i];
        if (strcmp(name, "time") != 0 && strcmp(name, "step") != 0) code = addLine(p, i);
    }
    while (list && *list && code == pl_exitOk) {
        char name[nameSize];
        const int length = (int)strcspn(list, ",");
        int i = 0;
        snprintf(name, sizeof name, "%.*s", length, list);
        while (i < p->table.count && strcmp(p->table.names[i], name) != 0) ++i;
        code = i < p->table.count ? addLine(p, i) : unknownChannel(p, file, name);
        list += length + (list[length] == ',');
    }
    if (code == pl_exitOk && p->panelCount == 0)
        return plComplain(pl_exitInput, "there is no channel to plot in %s", file);
    return code;
}

// ------------------------------------------------------------------------------------ drawing

static double valueAt(const plTable* t, uint64_t row, int column)
{
    return t->values[row * (uint64_t)t->count + (uint64_t)column];
}

/// Of rows first .. end - 1 the least and the largest value, in the order in which they came: peaks stay.
static void putBucket(FILE* pipe, const plTable* t, int column, uint64_t first, uint64_t end)
{
    uint64_t at[2] = {first, first};
    for (uint64_t i = first; i < end; ++i) {
        const double x = valueAt(t, i, column), low = valueAt(t, at[0], column);
        if (x < low || isnan(low)) at[0] = i;
        if (x > valueAt(t, at[1], column) || isnan(low)) at[1] = i;
    }
    const int later = at[0] > at[1] ? 0 : 1;
    for (int k = 0; k < (at[0] == at[1] ? 1 : 2); ++k) {
        const uint64_t i = at[k == 0 ? !later : later];
        fprintf(pipe, "%.12g %.9g\n", t->time[i], valueAt(t, i, column));
    }
}

static void putData(FILE* pipe, const plTable* t, int column)
{
    const uint64_t buckets = 2000, size = t->rows / buckets + 1;
    fprintf(pipe, "$c%d << END\n", column);
    for (uint64_t i = 0; i < t->rows; i += size)
        putBucket(pipe, t, column, i, i + size < t->rows ? i + size : t->rows);
    fputs("END\n", pipe);
}

static void putPanel(FILE* pipe, const Plot* p, int index)
{
    static const char* const colours[] = {"#0072B2", "#D55E00", "#009E73",
                                          "#CC79A7", "#E69F00", "#666666"};
    const Panel* panel = &p->panels[index];
    const bool last = index == p->panelCount - 1;
    for (int i = 0; i < panel->count; ++i) putData(pipe, &p->table, panel->columns[i]);
    plGnuplot_PutUnit(pipe, "ylabel", panel->isUnit ? "" : panel->unit,
                      panel->isUnit ? panel->unit : "");
    plGnuplot_PutUnit(pipe, "xlabel", last ? "time" : "", last ? "s" : "");
    fputs("plot ", pipe);
    for (int i = 0; i < panel->count; ++i) {
        fprintf(pipe, "%s$c%d using 1:2 with lines lw 1.6 dt %d lc rgb '%s' title ",
                i > 0 ? ", " : "", panel->columns[i], 1 + i / PL_COUNT(colours) % 5,
                colours[i % PL_COUNT(colours)]);
        plGnuplot_PutQuoted(pipe, p->table.names[panel->columns[i]]);
        fputs(" noenhanced", pipe);
    }
    fputc('\n', pipe);
}

static int draw(const Plot* p, const char* path)
{
    plGnuplot g = plGnuplot_Open(path, 860, 60 + 200 * p->panelCount);
    if (g.pipe) {
        fprintf(g.pipe,
                "set key outside right top vertical\nset lmargin 14\nset rmargin 24\n"
                "set grid lc rgb '#DDDDDD'\nset autoscale xfix\n"
                "set multiplot layout %d,1\n",
                p->panelCount);
        for (int i = 0; i < p->panelCount; ++i) putPanel(g.pipe, p, i);
        fputs("unset multiplot\n", g.pipe);
    }
    return plGnuplot_Close(&g);
}

/// The trace's path with another ending.
static void defaultPath(const char* trace, char path[pathSize])
{
    const char* dot = strrchr(trace, '.');
    const int length = dot && !strchr(dot, '/') ? (int)(dot - trace) : (int)strlen(trace);
    snprintf(path, pathSize, "%.*s.svg", length, trace);
}

static int plot(const plArguments* a)
{
    static Plot p;
    char path[pathSize];
    const char *file = a->operands[0], *out = plArguments_Value(a, "-o");
    const char* list = a->operandCount > 1 ? a->operands[1] : NULL;
    p = (Plot){0};
    if (out)
        snprintf(path, sizeof path, "%s", out);
    else
        defaultPath(file, path);
    if (!plGnuplot_Draws(path))
        return plComplain(pl_exitInput, "-o takes a file that ends in .svg or .png, found \"%s\"",
                          path);
    int code = plTable_Read(&p.table, file);
    if (code == pl_exitOk) code = choose(&p, file, list);
    if (code == pl_exitOk) code = draw(&p, path);
    if (code == pl_exitOk)
        printf("%llu rows of %s in %s\n", (unsigned long long)p.table.rows, file, path);
    plTable_Free(&p.table);
    return code;
}

static const plOption options[] = {
    {"-o", "FILE", "where to draw, .svg or .png (default: TRACE with .svg)"},
};

const plVerb plPlotVerb = {
    .name = "plot",
    .operands = "TRACE [CHANNELS]",
    .summary = "draw a trace over time",
    .details =
        "TRACE is a .csv or .h5 of palp run --record. CHANNELS are names with commas between;\n"
        "without them all are drawn. Channels of one unit share a panel. Needs gnuplot.\n",
    .fewest = 1,
    .most = 2,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = plot,
};
