// What was measured, for people: lines, CSV, plots by gnuplot, one page.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* verdict(const BenchResult* r)
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
           verdict(r), r->words);
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

static FILE* openIn(const char* folder, const char* name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

static bool closed(FILE* f)
{
    const bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

static bool saveRows(const BenchReport* r, const char* folder)
{
    FILE* f = openIn(folder, "rows.csv");
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
    return closed(f);
}

static bool saveTicks(const BenchReport* r, const char* folder)
{
    FILE* f = openIn(folder, "ticks.csv");
    if (!f) return false;
    fprintf(f, "scene,rate_hz,ticks,p50_us,p99_us,budget_us,p999_us,max_us,contacts,troubled,"
               "whole\n");
    for (int i = 0; i < r->tickCount; ++i) {
        const BenchTick* t = &r->ticks[i];
        fprintf(f, "%s,%g,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%d\n", t->name, t->rate, t->ticks,
                t->p50, t->p99, benchBudget(t), t->p999, t->most, t->contacts, t->troubled,
                t->whole);
    }
    return closed(f);
}

// Blocks with blank lines between them, as gnuplot wants them.
static bool saveGrowth(const BenchReport* r, const char* folder)
{
    FILE* f = openIn(folder, "growth.csv");
    if (!f) return false;
    for (int i = 0; i < r->growthCount; ++i) {
        const BenchGrowth* g = &r->growth[i];
        fprintf(f, "\"%s: power %.2f\",us\n", g->what, g->power);
        for (int k = 0; k < g->count; ++k) fprintf(f, "%g,%.6g\n", g->n[k], g->cost[k]);
        fprintf(f, "\n\n");
    }
    return closed(f);
}

// --- plots

static const char plotRows[] =
    "set logscale x 2\n"
    "set xrange [0.125:*]\n"
    "set yrange [:] reverse\n"
    "set xlabel 'time of the peer / time of palp'\n"
    "set grid x\n"
    "set key bottom right\n"
    "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#888888'\n"
    "set output 'rows.svg'\n"
    "label(a, b) = a . '  ' . b\n"
    "plot 'rows.csv' skip 1 using 4:0:6:7:ytic(label(strcol(2), strcol(3))) with xerrorbars pt 7 "
    "ps 0.6 lc rgb '#1f6fb4' title 'p50, and its range over the runs', \\\n"
    "  '' skip 1 using 5:0 with points pt 6 ps 0.5 lc rgb '#777777' title 'p99', \\\n"
    "  '' skip 1 using ($8 > 0 ? $8 : NaN):0 with points pt 2 ps 0.8 lc rgb '#c03020' title "
    "'bar'\n";

static const char plotTicks[] =
    "reset\n"
    "set datafile separator ','\n"
    "set logscale x\n"
    "set yrange [:] reverse\n"
    "set xlabel 'CPU time of a tick [us]'\n"
    "set grid x\n"
    "set key bottom right\n"
    "set output 'ticks.svg'\n"
    "plot 'ticks.csv' skip 1 using 4:0:ytic(1) with points pt 7 ps 0.5 lc rgb '#9dc3e0' title "
    "'p50', \\\n"
    "  '' skip 1 using 5:0 with points pt 7 ps 0.7 lc rgb '#1f6fb4' title 'p99', \\\n"
    "  '' skip 1 using 8:0 with points pt 6 ps 0.5 lc rgb '#777777' title 'max', \\\n"
    "  '' skip 1 using 6:0 with points pt 2 ps 0.8 lc rgb '#c03020' title 'half of the period'\n";

// Rows whose peers are installed: without any there is nothing to draw.
static int drawn(const BenchReport* r)
{
    int n = 0;
    for (int i = 0; i < r->rowCount; ++i) n += r->rows[i].there;
    return n;
}

static bool plot(const BenchReport* r, const char* folder)
{
    char command[1024];
    snprintf(command, sizeof command, "cd '%s' && gnuplot", folder);
    FILE* g = popen(command, "w");
    if (!g) return false;
    fprintf(g, "set datafile separator ','\n");
    if (drawn(r) > 0) {
        fprintf(g, "set terminal svg size 1000,%d font 'sans,11'\n%s", 120 + 20 * drawn(r),
                plotRows);
    }
    if (r->tickCount > 0) {
        fprintf(g, "set terminal svg size 1000,%d font 'sans,11'\n%s", 120 + 20 * r->tickCount,
                plotTicks);
    }
    if (r->growthCount > 0) {
        fprintf(g,
                "reset\nset datafile separator ','\nset terminal svg size 1000,520 font 'sans,11'\n"
                "set logscale xy\nset grid\n"
                "set key outside\nset xlabel 'how many'\nset ylabel 'CPU time [us]'\n"
                "set output 'growth.svg'\nplot for [i=0:%d] 'growth.csv' index i using 1:2 with "
                "linespoints title columnheader(1)\n",
                r->growthCount - 1);
    }
    return pclose(g) == 0;
}

// --- the page

static void tableOfRows(FILE* f, const BenchReport* r)
{
    fprintf(f, "<table><tr><th>work<th>problem<th>peer<th>ratio<th>p99<th>range of the runs<th>bar"
               "<th>palp p50, p99 [us]<th>peer p50, p99 [us]<th><th>accuracy\n");
    for (int i = 0; i < r->rowCount; ++i) {
        const BenchResult* b = &r->rows[i];
        if (!b->there) {
            fprintf(f, "<tr><td>%s<td>%s<td>%s<td colspan=8>not installed\n", b->row->group,
                    b->row->name, b->row->peer);
            continue;
        }
        fprintf(f,
                "<tr><td>%s<td>%s<td>%s<td>%.2f<td>%.2f<td>%.2f to %.2f<td>%.3g<td>%.4g, %.4g"
                "<td>%.4g, %.4g<td class=%s>%s<td>%s\n",
                b->row->group, b->row->name, b->row->peer, b->ratio, b->ratio99, b->least, b->most,
                b->row->bar, b->palp50, b->palp99, b->other50, b->other99,
                strcmp(verdict(b), "met") == 0 || !*verdict(b) ? "met" : "missed", verdict(b),
                b->words);
    }
    fprintf(f, "</table>\n");
}

static void tableOfTicks(FILE* f, const BenchReport* r)
{
    fprintf(f, "<table><tr><th>scene<th>rate [Hz]<th>ticks<th>p50<th>p99<th>half of the period"
               "<th>p99.9<th>max [us]<th>contacts<th>troubled ticks<th>\n");
    for (int i = 0; i < r->tickCount; ++i) {
        const BenchTick* t = &r->ticks[i];
        const bool within = t->p99 < benchBudget(t);
        fprintf(f,
                "<tr><td>%s<td>%g<td>%d%s<td>%.1f<td>%.1f<td>%.0f<td>%.1f<td>%.1f<td>%d<td>%d"
                "<td class=%s>%s\n",
                t->name, t->rate, t->ticks, t->whole ? "" : " (not to its end)", t->p50, t->p99,
                benchBudget(t), t->p999, t->most, t->contacts, t->troubled,
                within ? "met" : "missed", within ? "within" : "OVER");
    }
    fprintf(f, "</table>\n");
}

static bool savePage(const BenchReport* r, const char* folder)
{
    FILE* f = openIn(folder, "index.html");
    if (!f) return false;
    fprintf(
        f,
        "<!doctype html><meta charset=utf-8><title>palp: bench</title><style>"
        "body{font:14px sans-serif;margin:2em;max-width:80em}td,th{padding:2px 8px;text-align:"
        "left;border-bottom:1px solid #ddd}.missed{color:#c03020;font-weight:bold}</style>"
        "<h1>palp beside its peers</h1><p>Ratio: CPU time of the peer over that of palp, medians "
        "of %d runs%s in which the two alternate sample by sample. Above 1 palp is faster. "
        "Doubles everywhere, one thread. <a href=rows.csv>rows.csv</a>, "
        "<a href=ticks.csv>ticks.csv</a>, <a href=growth.csv>growth.csv</a></p>\n",
        benchRuns, r->quick ? " (short ones: --quick)" : "");
    tableOfRows(f, r);
    if (drawn(r) > 0) fprintf(f, "<p><img src=rows.svg alt='ratios'>\n");
    fprintf(f, "<h2>Ticks of the gallery</h2>\n");
    tableOfTicks(f, r);
    if (r->tickCount > 0) fprintf(f, "<p><img src=ticks.svg alt='ticks'>\n");
    if (r->growthCount > 0) fprintf(f, "<h2>Growth</h2><p><img src=growth.svg alt='growth'>\n");
    return closed(f);
}

bool benchSave(const BenchReport* r, const char* folder)
{
    const bool saved =
        saveRows(r, folder) && saveTicks(r, folder) && saveGrowth(r, folder) && savePage(r, folder);
    return plot(r, folder) && saved;
}
