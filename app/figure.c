// palp figure: makes figures of the papers and judges their claims.
#include "app.h"

#include "base/base.h"
#include "figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char* id, const char* what) { fprintf(stderr, "%s: %s\n", id, what); }

static void printClaims(const plFigureJob* job)
{
    printf("%s  %s\n", job->figure->id, job->figure->title);
    for (int i = 0; i < job->claimCount; ++i) {
        const plClaim* claim = &job->claims[i];
        const plVerdict verdict = plClaim_Verdict(claim);
        char criterion[80];
        plCriterion_Text(claim->criterion, criterion, sizeof criterion);
        printf("  %-10s  %-20s  %-22.12g  %s\n", plVerdict_Name(verdict), claim->id, claim->value,
               criterion);
        if (verdict == pl_verdictDiffers) printf("  %-10s  %s\n", "", claim->why);
    }
}

static void printSum(const plFigureJob* jobs, int count, const char* folder)
{
    plVerdicts sum = {{0}};
    for (int i = 0; i < count; ++i) {
        const plVerdicts verdicts = plFigureJob_Count(&jobs[i]);
        for (int k = 0; k < pl_verdictCount; ++k) sum.of[k] += verdicts.of[k];
    }
    printf("%d figures; of the papers' claims %d as printed, %d differ, %d fail; %d checks hold: "
           "%s/index.html\n",
           count, sum.of[pl_verdictPrinted], sum.of[pl_verdictDiffers], sum.of[pl_verdictFails],
           sum.of[pl_verdictHolds], folder);
}

static int listFigures(void)
{
    for (int i = 0; i < plFigure_Count(); ++i)
        printf("%-6s  %s\n", plFigure_At(i)->id, plFigure_At(i)->title);
    return pl_exitOk;
}

static int unknownFigure(const char* id)
{
    enum { most = 64 };
    const char* names[most];
    char hint[64];
    int count = 0;
    names[count++] = "all";
    names[count++] = "list";
    for (int i = 0; i < plFigure_Count() && count < most; ++i) names[count++] = plFigure_At(i)->id;
    plDidYouMean(id, names, count, hint, sizeof hint);
    return plComplain(pl_exitInput, "there is no figure \"%s\"%s", id,
                      hint[0] ? hint : "; palp figure list shows them");
}

/// One figure, made, printed and written. A claim that fails outranks a drawing that is missing.
static int makeOne(plFigureJob* job, const plFigure* figure, const char* folder)
{
    if (!plFigureJob_Make(job, figure)) return plComplain(pl_exitInput, "%s", job->message);
    printClaims(job);
    const int failed = plFigureJob_Failed(job);
    if (plFigureJob_Write(job, folder) != pl_writtenAll)
        plComplain(pl_exitOutput, "%s", job->message);
    else if (failed == 0)
        return pl_exitOk;
    if (failed == 0) return pl_exitOutput;
    return plComplain(pl_exitClaim, "%d of %d claims and checks of %s fail", failed,
                      job->claimCount, figure->id);
}

static int worse(int a, int b)
{
    static const int order[] = {pl_exitInput, pl_exitClaim, pl_exitOutput};
    for (int i = 0; i < PL_COUNT(order); ++i)
        if (a == order[i] || b == order[i]) return order[i];
    return pl_exitOk;
}

static int makeAll(bool progress, const char* folder)
{
    const int count = plFigure_Count();
    plFigureJob* jobs = calloc((size_t)count, sizeof *jobs);
    int code = pl_exitOk;
    if (!jobs) return plComplain(pl_exitInput, "no memory");
    for (int i = 0; i < count && code != pl_exitInput; ++i) {
        jobs[i].progress = progress ? tell : NULL;
        code = worse(code, makeOne(&jobs[i], plFigure_At(i), folder));
    }
    if (code != pl_exitInput && !plFigurePage_Write(jobs, count, folder))
        code = worse(code, plComplain(pl_exitOutput, "%s/index.html cannot be written", folder));
    if (code != pl_exitInput && !plFigureTable_Write(jobs, count, folder))
        code = worse(code, plComplain(pl_exitOutput, "%s/claims.md cannot be written", folder));
    if (code != pl_exitInput) printSum(jobs, count, folder);
    for (int i = 0; i < count; ++i) plFigureJob_Free(&jobs[i]);
    free(jobs);
    return code;
}

static int makeFigure(const plArguments* a)
{
    const char* id = a->operands[0];
    const char* out = plArguments_Value(a, "--out");
    const char* folder = out ? out : "out/figures";
    const bool progress = plArguments_Has(a, "--progress");
    if (strcmp(id, "list") == 0) return listFigures();
    if (strcmp(id, "all") == 0) return makeAll(progress, folder);
    const plFigure* figure = plFigure_Find(id);
    if (!figure) return unknownFigure(id);
    plFigureJob* job = calloc(1, sizeof *job);
    if (!job) return plComplain(pl_exitInput, "no memory");
    job->progress = progress ? tell : NULL;
    const int code = makeOne(job, figure, folder);
    plFigureJob_Free(job);
    free(job);
    return code;
}

static const plOption options[] = {
    {"--out", "DIR", "where to write (default out/figures)"},
    {"--progress", NULL, "tell on standard error what is being run"},
};

const plVerb plFigureVerb = {
    .name = "figure",
    .operands = "ID|all|list",
    .summary = "make a figure of the papers and judge its claims",
    .details =
        "Writes ID.csv, ID.json (claims with value, criterion and verdict) and ID.svg, and for\n"
        "all of them index.html and claims.md. A claim of a paper comes out as printed, differs\n"
        "(with the reason), or fails; palp's own checks hold or fail. A failure gives exit code "
        "1.\n"
        "Drawing needs gnuplot.\n",
    .fewest = 1,
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = makeFigure,
};
