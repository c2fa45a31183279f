// The page over all figures: plain HTML, no script, light and dark by the reader's choice.
#include "figure.h"

#include <math.h>
#include <stdio.h>

static const char head[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>palp: figures</title>\n"
    "<style>\n"
    ":root { --paper: #fbfaf8; --card: #fff; --ink: #1f2328; --soft: #5c636b; --line: #e2e0db;\n"
    "  --good: #00734f; --bad: #b3261e; --warn: #8a5300; --shade: #f4f2ee; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --paper: #15171a; --card: #1b1e22; --ink: #e6e4df; --soft: #a0a6ad;\n"
    "    --line: #33373d; --good: #4cc79a; --bad: #ff8a80; --warn: #f0b35a; --shade: #22262b; }\n"
    "  figure img { filter: invert(0.895) hue-rotate(180deg); }\n"
    "}\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink);\n"
    "  font: 17px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }\n"
    "main { max-width: 62rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }\n"
    "h1 { font-size: 2.1rem; line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.015em; }\n"
    "h2 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 1rem; letter-spacing: -.01em; }\n"
    "p { margin: 0 0 1rem; max-width: 44rem; }\n"
    "a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .2em; }\n"
    ".soft { color: var(--soft); }\n"
    ".id { color: var(--soft); font-weight: 500; margin-right: .5rem; }\n"
    "nav ul { list-style: none; padding: 0; margin: 1.5rem 0 0; }\n"
    "nav li { padding: .3rem 0; border-top: 1px solid var(--line); display: flex; gap: .75rem; }\n"
    "nav li span:last-child { margin-left: auto; white-space: nowrap; }\n"
    "section { margin-top: 3.5rem; }\n"
    "figure { margin: 0 0 1.25rem; background: var(--card); border: 1px solid var(--line);\n"
    "  border-radius: .6rem; padding: .75rem; overflow: hidden; }\n"
    "figure img { display: block; width: 100%; height: auto; }\n"
    ".table { overflow-x: auto; }\n"
    "table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.4; }\n"
    "th { text-align: left; font-weight: 600; color: var(--soft); }\n"
    "th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line);\n"
    "  vertical-align: top; }\n"
    "td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }\n"
    ".differs { color: var(--warn); font-weight: 600; }\n"
    "td.good, td.bad, td.differs { white-space: nowrap; }\n"
    "code { font: .92em ui-monospace, 'SF Mono', Menlo, Consolas, monospace;\n"
    "  background: var(--shade); padding: .1em .3em; border-radius: .25em; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n";

static void putEscaped(FILE* file, const char* text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

static void putElement(FILE* file, const char* open, const char* text, const char* close)
{
    fputs(open, file);
    putEscaped(file, text);
    fputs(close, file);
}

static const char* const classes[pl_verdictCount] = {[pl_verdictPrinted] = "good",
                                                     [pl_verdictDiffers] = "differs",
                                                     [pl_verdictFails] = "bad",
                                                     [pl_verdictHolds] = "good"};

static void putSummary(FILE* file, const plFigureJob* jobs, int count)
{
    plVerdicts all = {{0}};
    for (int i = 0; i < count; ++i) {
        const plVerdicts verdicts = plFigureJob_Count(&jobs[i]);
        for (int k = 0; k < pl_verdictCount; ++k) all.of[k] += verdicts.of[k];
    }
    const int* of = all.of;
    fprintf(file,
            "<h1>Figures</h1>\n<p class=\"soft\">Recomputed by palp %s. Every figure is a "
            "test: it runs worlds of palp and is judged by stated claims. Of the papers' claims "
            "<span class=\"good\">%d come out as printed</span>, <span class=\"differs\">%d "
            "differ</span>, which the table explains, and <span class=\"%s\">%d fail</span>; %d "
            "checks of palp's own hold.</p>\n",
            plVersion(), of[pl_verdictPrinted], of[pl_verdictDiffers],
            of[pl_verdictFails] ? "bad" : "good", of[pl_verdictFails], of[pl_verdictHolds]);
}

static void putContents(FILE* file, const plFigureJob* jobs, int count)
{
    putSummary(file, jobs, count);
    fputs("<nav><ul>\n", file);
    for (int i = 0; i < count; ++i) {
        const plFigure* figure = jobs[i].figure;
        const plVerdicts verdicts = plFigureJob_Count(&jobs[i]);
        const int *of = verdicts.of, failed = of[pl_verdictFails];
        fprintf(file, "<li><span class=\"id\">%s</span><a href=\"#%s\">", figure->id, figure->id);
        putEscaped(file, figure->title);
        fprintf(file, "</a><span class=\"%s\">", failed ? "bad" : "good");
        if (failed) fprintf(file, "%d fail, ", failed);
        if (of[pl_verdictDiffers]) fprintf(file, "%d differ, ", of[pl_verdictDiffers]);
        fprintf(file, "%d as printed, %d checks</span></li>\n", of[pl_verdictPrinted],
                of[pl_verdictHolds]);
    }
    fputs("</ul></nav>\n", file);
}

static void putClaim(FILE* file, const plClaim* claim)
{
    char criterion[80];
    const plVerdict verdict = plClaim_Verdict(claim);
    plCriterion_Text(claim->criterion, criterion, sizeof criterion);
    fputs("<tr><td>", file);
    putEscaped(file, claim->text);
    if (verdict == pl_verdictDiffers)
        putElement(file, "<br><span class=\"soft\">", claim->why, "</span>");
    fprintf(file, "</td><td class=\"number\">%.7g</td>", claim->value);
    putElement(file, "<td class=\"number\">", criterion, "</td>");
    fprintf(file, "<td>%s</td>", claim->isCheck ? "palp" : "paper");
    fprintf(file, "<td class=\"%s\">%s</td></tr>\n", classes[verdict], plVerdict_Name(verdict));
}

static void putFigure(FILE* file, const plFigureJob* job)
{
    const plFigure* figure = job->figure;
    fprintf(file, "<section id=\"%s\">\n<h2><span class=\"id\">%s</span>", figure->id, figure->id);
    putElement(file, "", figure->title, "</h2>\n");
    fprintf(file, "<figure><img src=\"%s.svg\" width=\"%d\" height=\"%d\" alt=\"", figure->id,
            figure->width, figure->height);
    putEscaped(file, figure->title);
    fputs("\"></figure>\n", file);
    putElement(file, "<p>", figure->caption, "</p>\n");
    putElement(file, "<p class=\"soft\">", figure->parameters, " ");
    fprintf(file,
            "Table: <a href=\"%s.csv\">%s.csv</a>, claims: <a href=\"%s.json\">%s.json</a>, "
            "made by <code>palp figure %s</code>.</p>\n",
            figure->id, figure->id, figure->id, figure->id, figure->id);
    fputs("<div class=\"table\"><table>\n<thead><tr><th>Claim</th><th>Value</th><th>Criterion</th>"
          "<th>Of</th><th>Verdict</th></tr></thead>\n<tbody>\n",
          file);
    for (int i = 0; i < job->claimCount; ++i) putClaim(file, &job->claims[i]);
    fputs("</tbody>\n</table></div>\n</section>\n", file);
}

bool plFigurePage_Write(const plFigureJob* jobs, int count, const char* folder)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/index.html", folder) >= (int)sizeof path) return false;
    FILE* file = fopen(path, "w");
    if (!file) return false;
    fputs(head, file);
    putContents(file, jobs, count);
    for (int i = 0; i < count; ++i) putFigure(file, &jobs[i]);
    fputs("</main>\n</body>\n</html>\n", file);
    const bool good = !ferror(file);
    return fclose(file) == 0 && good;
}
