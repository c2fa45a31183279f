// claims.md: what the figures found of the papers' claims, as Markdown.
#include "figure.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char* name;
    const char* title;
    const char* prefixes[2]; ///< of the ids of its figures
} Paper;

static const Paper papers[] = {
    {"pmi", "passive midpoint integration, hands, beams, tendons", {"pmi-"}},
    {"signorini", "soft bodies with exact friction", {"signorini-"}},
    {"iapb", "impulses through a device, a linkage in the hand", {"iapb-"}},
    {"planar", "the twin pantograph, walls and friction", {"planar-", "pantograph"}},
    {"nurbs", "sculpted surfaces and multipliers", {"nurbs-"}},
};

enum { paperCount = sizeof papers / sizeof papers[0] };

static bool isOf(const plFigureJob* job, const Paper* paper)
{
    for (int i = 0; i < 2 && paper->prefixes[i]; ++i) {
        if (strncmp(job->figure->id, paper->prefixes[i], strlen(paper->prefixes[i])) == 0)
            return true;
    }
    return false;
}

static void putText(FILE* file, const char* text)
{
    for (; *text; ++text) {
        if (*text == '|') fputc('\\', file);
        fputc(*text, file);
    }
}

static void putPaper(FILE* file, const Paper* paper, const plFigureJob* jobs, int count)
{
    plVerdicts sum = {{0}};
    int figures = 0;
    for (int i = 0; i < count; ++i) {
        if (!isOf(&jobs[i], paper)) continue;
        const plVerdicts verdicts = plFigureJob_Count(&jobs[i]);
        for (int k = 0; k < pl_verdictCount; ++k) sum.of[k] += verdicts.of[k];
        ++figures;
    }
    if (figures == 0) return;
    fprintf(file, "| %s: %s | %d | %d | %d | %d | %d |\n", paper->name, paper->title, figures,
            sum.of[pl_verdictPrinted], sum.of[pl_verdictDiffers], sum.of[pl_verdictFails],
            sum.of[pl_verdictHolds]);
}

void plFigureTable_Row(const plFigureJob* job, char* row, size_t size)
{
    const plVerdicts verdicts = plFigureJob_Count(job);
    snprintf(row, size, "| `%s` | %d | %d | %d | %d |", job->figure->id,
             verdicts.of[pl_verdictPrinted], verdicts.of[pl_verdictDiffers],
             verdicts.of[pl_verdictFails], verdicts.of[pl_verdictHolds]);
}

static void putClaims(FILE* file, const Paper* paper, const plFigureJob* jobs, int count)
{
    fprintf(file, "\n## %s\n\n| figure | claim | value | the print | verdict |\n", paper->name);
    fputs("| --- | --- | --- | --- | --- |\n", file);
    for (int i = 0; i < count; ++i) {
        if (!isOf(&jobs[i], paper)) continue;
        for (int k = 0; k < jobs[i].claimCount; ++k) {
            const plClaim* claim = &jobs[i].claims[k];
            const plVerdict verdict = plClaim_Verdict(claim);
            char criterion[80];
            if (claim->isCheck) continue;
            plCriterion_Text(claim->criterion, criterion, sizeof criterion);
            fprintf(file, "| `%s` | ", jobs[i].figure->id);
            putText(file, claim->text);
            fprintf(file, " | %.3g | %s | %s", claim->value, criterion, plVerdict_Name(verdict));
            if (verdict == pl_verdictDiffers) {
                fputs(": ", file);
                putText(file, claim->why);
            }
            fputs(" |\n", file);
        }
    }
}

bool plFigureTable_Write(const plFigureJob* jobs, int count, const char* folder)
{
    static const char head[] =
        "# Claims of the papers\n\n"
        "Written by `palp figure all` (`out/figures/claims.md`). A claim is stated in the terms of "
        "the print and judged by a number:\n*as printed*; *differs*: recomputed, but not as "
        "printed, with the reason; *fails*: neither. *Checks* are palp's own: closed\nforms, "
        "independent computations, other parameters; the page of the figures has them.\n\n"
        "| paper | figures | as printed | differs | fails | checks |\n"
        "| --- | --- | --- | --- | --- | --- |\n";
    char path[4096], row[120];
    if (snprintf(path, sizeof path, "%s/claims.md", folder) >= (int)sizeof path) return false;
    FILE* file = fopen(path, "w");
    if (!file) return false;
    fputs(head, file);
    for (int p = 0; p < paperCount; ++p) putPaper(file, &papers[p], jobs, count);
    fputs("\n| figure | as printed | differs | fails | checks |\n", file);
    fputs("| --- | --- | --- | --- | --- |\n", file);
    for (int i = 0; i < count; ++i) {
        plFigureTable_Row(&jobs[i], row, sizeof row);
        fprintf(file, "%s\n", row);
    }
    for (int p = 0; p < paperCount; ++p) putClaims(file, &papers[p], jobs, count);
    const bool good = !ferror(file);
    return fclose(file) == 0 && good;
}
