// What was measured, for people: lines, CSV, a plot by gnuplot; the page is in page.c.
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

const char* benchVerdict(const BenchResult* r)
{
    if (!r->accurate) return "INACCURATE";
    if (r->row->bar <= 0) return "";
    return benchMet(r) ? "met" : "MISSED";
}

void benchPrint(const BenchResult* r)
{
    if (!r) {
        printf("%-9s %-30s %-20s %7s %7s %13s %5s %10s %10s %10s %10s  %s\n", "", "problem", "peer",
               "ratio", "p99", "of the runs", "bar", "palp p50", "p99 [us]", "peer p50", "p99 [us]",
               "");
        return;
    }
    printf("%-9s %-30s %-20s ", r->row->group, r->row->name, r->row->peer);
    if (!r->there) {
        printf("not installed\n");
        return;
    }
    printf("%7.2f %7.2f %6.2f %6.2f %5.3g %10.3f %10.3f %10.3f %10.3f  %-6s %s\n", r->ratio,
           r->ratio99, r->least, r->most, r->row->bar, r->palp50, r->palp99, r->other50, r->other99,
           benchVerdict(r), r->words);
}

void benchPrintTick(const BenchTick* t)
{
    if (!t) {
        printf("%-24s %6s %7s %9s %9s %9s %9s %9s %5s %5s\n", "CPU time of a tick [us]", "Hz",
               "ticks", "p50", "p99", "budget", "p99.9", "max", "met", "bad");
        return;
    }
    printf("%-24s %6g %7d %9.1f %9.1f %9.1f %9.1f %9.1f %5d %5d %s%s\n", t->name, t->rate, t->ticks,
           t->p50, t->p99, benchBudget(t), t->p999, t->most, t->contacts, t->troubled,
           t->p99 < benchBudget(t) ? "" : "OVER", t->whole ? "" : " (not to its end)");
}

// --- CSV

FILE* benchOpenIn(const char* folder, const char* name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

bool benchClosed(FILE* f)
{
    const bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

static bool saveRows(const BenchReport* r, const char* folder)
{
    FILE* f = benchOpenIn(folder, "rows.csv");
    if (!f) return false;
    fprintf(f, "group,problem,peer,ratio,ratio_p99,least,most,bar,palp_p50_us,palp_p99_us,"
               "peer_p50_us,peer_p99_us,samples,accurate,met,words\n");
    for (int i = 0; i < r->rowCount; ++i) {
        const BenchResult* b = &r->rows[i];
        if (!b->there) continue;
        fprintf(f, "%s,\"%s\",\"%s\",%.4g,%.4g,%.4g,%.4g,%g,%.6g,%.6g,%.6g,%.6g,%d,%d,%d,\"%s\"\n",
                b->row->group, b->row->name, b->row->peer, b->ratio, b->ratio99, b->least, b->most,
                b->row->bar, b->palp50, b->palp99, b->other50, b->other99, b->samples, b->accurate,
                b->row->bar > 0 && benchMet(b), b->words);
    }
    return benchClosed(f);
}

static bool saveTicks(const BenchReport* r, const char* folder)
{
    FILE* f = benchOpenIn(folder, "ticks.csv");
    if (!f) return false;
    fprintf(f, "scene,rate_hz,ticks,p50_us,p99_us,budget_us,p999_us,max_us,contacts,troubled,"
               "whole\n");
    for (int i = 0; i < r->tickCount; ++i) {
        const BenchTick* t = &r->ticks[i];
        fprintf(f, "%s,%g,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%d\n", t->name, t->rate, t->ticks,
                t->p50, t->p99, benchBudget(t), t->p999, t->most, t->contacts, t->troubled,
                t->whole);
    }
    return benchClosed(f);
}

// Blocks with blank lines between them, as gnuplot wants them.
static bool saveGrowth(const BenchReport* r, const char* folder)
{
    FILE* f = benchOpenIn(folder, "growth.csv");
    if (!f) return false;
    for (int i = 0; i < r->growthCount; ++i) {
        const BenchGrowth* g = &r->growth[i];
        fprintf(f, "\"%s: power %.2f\",us\n", g->what, g->power);
        for (int k = 0; k < g->count; ++k) fprintf(f, "%g,%.6g\n", g->n[k], g->cost[k]);
        fprintf(f, "\n\n");
    }
    return benchClosed(f);
}

// --- the plot

static bool plotGrowth(const BenchReport* r, const char* folder)
{
    static const char* const colours[] = {"#1f6fb4", "#c03020", "#1a7f4b",
                                          "#8a5cc2", "#c07a10", "#3aa6a6"};
    char command[1024];
    if (r->growthCount == 0) return true;
    snprintf(command, sizeof command, "cd '%s' && gnuplot", folder);
    FILE* g = popen(command, "w");
    if (!g) return false;
    fprintf(g, "set datafile separator ','\nset terminal svg size 1000,520 font 'sans,12'\n"
               "set logscale xy\nset grid lc rgb '#dddddd'\nset border lc rgb '#888888'\n"
               "set key outside right top Left reverse\nset xlabel 'how many'\n"
               "set ylabel 'CPU time [us]'\nset output 'growth.svg'\nplot ");
    for (int i = 0; i < r->growthCount; ++i) {
        const BenchGrowth* c = &r->growth[i];
        fprintf(g,
                "%s'growth.csv' index %d using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '%s' ",
                i > 0 ? ", " : "", i, colours[i % PL_COUNT(colours)]);
        fprintf(g, "title '%s: power %.2f'", c->what, c->power);
    }
    fprintf(g, "\n");
    return pclose(g) == 0;
}

bool benchSave(const BenchReport* r, const char* folder)
{
    const bool saved = saveRows(r, folder) && saveTicks(r, folder) && saveGrowth(r, folder) &&
                       benchSavePage(r, folder);
    return plotGrowth(r, folder) && saved;
}
