// The page: what was measured, in tables whose rows carry their own scales.
#include "report.h"

#include <math.h>
#include <string.h>

// --- scales: a line of decades or octaves, with places in percent

typedef struct {
    double from, to;
} Scale;

static const Scale ratios = {0.125, 64}, budgets = {1e-3, 100}; // both by logarithm

static double placeOn(const Scale* s, double x)
{
    const double place = 100 * log(x / s->from) / log(s->to / s->from);
    return place < 0 || isnan(place) ? 0 : place > 100 ? 100 : place;
}

// A stroke from `low` to `high`, a dot at `at`, and a mark at `mark` when that is above 0.
static void drawScale(FILE* f, const Scale* s, double low, double high, double at, double mark,
                      bool good)
{
    const double left = placeOn(s, low), right = placeOn(s, high);
    fprintf(f, "<td><div class='scale%s'><i class=one style=left:%.1f%%></i>", good ? "" : " bad",
            placeOn(s, 1));
    fprintf(f, "<u style='left:%.1f%%;width:%.1f%%'></u>", left, right - left);
    if (mark > 0) fprintf(f, "<i class=mark style=left:%.1f%%></i>", placeOn(s, mark));
    fprintf(f, "<b style=left:%.1f%%></b></div>", placeOn(s, at));
}

// --- rows

static void writeText(FILE* f, const char* text)
{
    for (; *text; ++text) {
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else
            fputc(*text, f);
    }
}

/// Three digits and more, without exponents.
static void cell(FILE* f, double us)
{
    fprintf(f, "<td class=n>%.*f", us < 1 ? 3 : us < 100 ? 2 : us < 1000 ? 1 : 0, us);
}

static void rowOf(FILE* f, const BenchResult* b)
{
    const BenchRow* row = b->row;
    fprintf(f, "<tr><th scope=row>%s<td class=peer>%s", row->name, row->peer);
    if (!b->there) {
        fprintf(f, "<td colspan=9 class=words>not installed\n");
        return;
    }
    const bool good = b->accurate && (row->bar <= 0 || benchMet(b));
    drawScale(f, &ratios, b->least, b->most, b->ratio, row->bar, good);
    fprintf(f, "<td class=n><strong>%.2f</strong><td class=n>%.2f", b->ratio, b->ratio99);
    if (row->bar > 0)
        fprintf(f, "<td class=n>%.3g", row->bar);
    else
        fprintf(f, "<td>");
    const double times[] = {b->palp50, b->palp99, b->other50, b->other99};
    for (int k = 0; k < 4; ++k) cell(f, times[k]);
    fprintf(f, "<td><span class=%s>%s</span> <span class=words>", good ? "good" : "bad",
            benchVerdict(b));
    writeText(f, b->words);
    fprintf(f, "</span>\n");
}

static const char rowsHead[] =
    "<thead><tr><th>problem<th>beside<th class=wide>1/8 to 64, by octaves<th class=n>ratio"
    "<th class=n>of p99<th class=n>bar<th class=n>palp p50 [us]<th class=n>p99"
    "<th class=n>peer p50<th class=n>p99<th>accuracy</thead><tbody>\n";

// Rows of a group stand together.
static void tableOfRows(FILE* f, const BenchReport* r)
{
    const char* group = "";
    for (int i = 0; i < r->rowCount; ++i) {
        const BenchResult* b = &r->rows[i];
        if (strcmp(b->row->group, group) != 0) {
            if (*group) fprintf(f, "</table>\n");
            group = b->row->group;
            fprintf(f, "<h2>%s</h2><table>%s", group, rowsHead);
        }
        rowOf(f, b);
    }
    if (*group) fprintf(f, "</table>\n");
}

// --- ticks

static void tableOfTicks(FILE* f, const BenchReport* r)
{
    if (r->tickCount == 0) return;
    fprintf(f,
            "<h2>ticks of the gallery</h2><p>CPU time of a tick at the rate that the scene's file "
            "states [us]. The stroke goes from p50 to p99, the dot is the longest tick; the line "
            "is half of the period, which p99 stays below.</p><table><thead><tr><th>scene"
            "<th class=n>Hz<th class=wide>1/1000 to 100 of half of the period<th class=n>p50"
            "<th class=n>p99<th class=n>p99.9<th class=n>longest<th class=n>half of the period"
            "<th class=n>contacts<th class=n>ticks<th class=n>troubled<th></thead><tbody>\n");
    for (int i = 0; i < r->tickCount; ++i) {
        const BenchTick* t = &r->ticks[i];
        const double budget = benchBudget(t);
        const bool within = t->p99 < budget;
        fprintf(f, "<tr><th scope=row>%s<td class=n>%g", t->name, t->rate);
        drawScale(f, &budgets, t->p50 / budget, t->p99 / budget, t->most / budget, 0, within);
        fprintf(f,
                "<td class=n>%.1f<td class=n><strong>%.1f</strong><td class=n>%.1f<td class=n>%.1f"
                "<td class=n>%.0f<td class=n>%d<td class=n>%d<td class=n>%d"
                "<td><span class=%s>%s</span>%s\n",
                t->p50, t->p99, t->p999, t->most, budget, t->contacts, t->ticks, t->troubled,
                within ? "good" : "bad", within ? "within" : "OVER",
                t->whole ? "" : " <span class=words>not to its end</span>");
    }
    fprintf(f, "</table>\n");
}

// --- the whole

static const char style[] =
    ":root{--ink:#1c2430;--dim:#677080;--line:#dfe3e8;--page:#fff;--good:#1a7f4b;--bad:#c03020;"
    "--mark:#1f6fb4;color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ee;--dim:#97a1b0;--line:#333b46;"
    "--page:#14181d;--good:#4cc38a;--bad:#f0705e;--mark:#6fb3ea}}"
    "body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0 "
    "auto;"
    "padding:2rem 1.5rem 4rem;max-width:96rem}"
    "h1{font-size:1.7rem;margin:0 0 .4rem}h2{margin:2.4rem 0 .5rem;font-size:1.15rem}"
    "h2::first-letter{text-transform:uppercase}p{max-width:60rem;margin:.3rem 0}"
    "a{color:var(--mark)}.sums{display:flex;gap:2.5rem;margin:1.2rem 0}"
    ".sums b{display:block;font-size:1.6rem}.sums span{color:var(--dim)}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--line)}thead "
    "th{color:var(--dim);font-weight:normal;font-size:.85em;position:sticky;top:0;"
    "background:var(--page);vertical-align:bottom;z-index:1}"
    "tbody th{font-weight:normal;min-width:11rem}.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}.wide{min-width:10rem}"
    ".peer{white-space:nowrap}td:last-child{min-width:14rem}.words{color:var(--dim);font-size:."
    "85em}.good{color:var(--good)}"
    ".bad{color:var(--bad);font-weight:bold}"
    ".scale{position:relative;height:1.2em;color:var(--mark)}.scale.bad{color:var(--bad)}"
    ".scale>*{position:absolute;display:block}"
    ".scale::before{content:'';position:absolute;left:0;right:0;top:50%;border-top:1px solid "
    "var(--line)}.one{top:0;bottom:0;border-left:1px solid var(--dim)}"
    ".mark{top:0;bottom:0;border-left:3px solid var(--ink);opacity:.55}"
    ".scale u{top:calc(50% - 2px);height:4px;min-width:2px;background:currentColor;opacity:.5}"
    ".scale b{top:calc(50% - 4px);width:9px;height:9px;margin-left:-4px;border-radius:50%;"
    "background:currentColor}img{max-width:100%;background:#fff}";

static void sums(FILE* f, const BenchReport* r)
{
    int bars = 0, met = 0, within = 0;
    for (int i = 0; i < r->rowCount; ++i) {
        if (!r->rows[i].there || r->rows[i].row->bar <= 0) continue;
        ++bars;
        met += benchMet(&r->rows[i]);
    }
    for (int i = 0; i < r->tickCount; ++i) within += r->ticks[i].p99 < benchBudget(&r->ticks[i]);
    fprintf(f, "<div class=sums>");
    if (bars > 0) fprintf(f, "<div><b>%d of %d</b><span>bars met</span></div>", met, bars);
    if (r->tickCount > 0) {
        fprintf(f, "<div><b>%d of %d</b><span>scenes within half of their period</span></div>",
                within, r->tickCount);
    }
    fprintf(f, "</div>\n");
}

bool benchSavePage(const BenchReport* r, const char* folder)
{
    FILE* f = benchOpenIn(folder, "index.html");
    if (!f) return false;
    fprintf(f,
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
            "content='width=device-width'><title>palp: bench</title><style>%s</style>\n"
            "<h1>palp beside its peers</h1>\n",
            style);
    fprintf(
        f,
        "<p>The ratio is the CPU time of the peer over that of palp: above 1 palp is faster. The "
        "dot is the median of %d runs%s in which the two alternate sample by sample, the stroke "
        "their range, the mark the bar, the thin line 1. Doubles everywhere, one thread.</p>\n"
        "<p><a href=rows.csv>rows.csv</a>, <a href=ticks.csv>ticks.csv</a>, "
        "<a href=growth.csv>growth.csv</a></p>\n",
        benchRuns, r->quick ? " (short ones: --quick)" : "");
    sums(f, r);
    tableOfRows(f, r);
    tableOfTicks(f, r);
    if (r->growthCount > 0) {
        fprintf(f, "<h2>growth</h2><p>How a cost grows with what there is of one thing.</p>"
                   "<p><img src=growth.svg alt='Costs over counts, both by logarithm'>\n");
    }
    return benchClosed(f);
}
