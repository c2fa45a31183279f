// Criteria, claims, and the making of a figure.
#include "figure.h"

#include "base/base.h"
#include "iapb/iapb.h"
#include "nurbs/nurbs.h"
#include "planar/planar.h"
#include "pmi/pmi.h"
#include "scene/scene.h"
#include "signorini/signorini.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const plFigure* const figures[] = {
    &plFigurePmi1,        &plFigurePmi2,        &plFigurePmi3,        &plFigurePmi4,
    &plFigurePmi5,        &plFigurePmi6,        &plFigurePmi7,        &plFigurePmi8,
    &plFigurePmi9,        &plFigurePmi10,       &plFigurePmi11,       &plFigurePmi12,
    &plFigurePmi13,       &plFigurePmi14,       &plFigurePmi15,       &plFigurePmi16,
    &plFigurePmi17,       &plFigurePmi18,       &plFigurePmi19,       &plFigureIapb3,
    &plFigureIapb7,       &plFigureIapb8,       &plFigureIapb9,       &plFigureIapb10,
    &plFigureIapb11,      &plFigureIapb12,      &plFigureIapb13,      &plFigureIapbHole,
    &plFigureIapbLinkage, &plFigurePantograph,  &plFigurePlanar4,     &plFigurePlanar5,
    &plFigurePlanar6,     &plFigurePlanar7,     &plFigurePlanar8,     &plFigurePlanar9,
    &plFigurePlanar10,    &plFigurePlanar11,    &plFigureSignorini6,  &plFigureSignorini7,
    &plFigureSignorini8,  &plFigureSignorini9,  &plFigureSignorini11, &plFigureSignorini13,
    &plFigureSignorini14, &plFigureSignorini16, &plFigureSignorini17, &plFigureSignorini18,
    &plFigureNurbs1,      &plFigureNurbs2,      &plFigureNurbs3,      &plFigureNurbsPenetration,
    &plFigureNurbsRest};

int plFigure_Count(void) { return PL_COUNT(figures); }

const plFigure* plFigure_At(int index) { return figures[index]; }

const plFigure* plFigure_Find(const char* id)
{
    for (int i = 0; i < PL_COUNT(figures); ++i)
        if (strcmp(figures[i]->id, id) == 0) return figures[i];
    return NULL;
}

// ---------------------------------------------------------------------------------- criteria

plCriterion plAtMost(double bound) { return (plCriterion){pl_criterionAtMost, bound, 0}; }
plCriterion plAtLeast(double bound) { return (plCriterion){pl_criterionAtLeast, bound, 0}; }

plCriterion plWithin(double center, double tolerance)
{
    return (plCriterion){pl_criterionWithin, center, tolerance};
}

plCriterion plBetween(double low, double high)
{
    return (plCriterion){pl_criterionBetween, low, high};
}

bool plCriterion_Holds(plCriterion c, double value)
{
    switch (c.kind) {
    case pl_criterionAtMost:
        return value <= c.a;
    case pl_criterionAtLeast:
        return value >= c.a;
    case pl_criterionWithin:
        return fabs(value - c.a) <= c.b;
    case pl_criterionBetween:
        return value >= c.a && value <= c.b;
    }
    return false;
}

void plCriterion_Text(plCriterion c, char* text, size_t size)
{
    switch (c.kind) {
    case pl_criterionAtMost:
        snprintf(text, size, "<= %.13g", c.a);
        break;
    case pl_criterionAtLeast:
        snprintf(text, size, ">= %.13g", c.a);
        break;
    case pl_criterionWithin:
        snprintf(text, size, "%.13g +- %.13g", c.a, c.b);
        break;
    case pl_criterionBetween:
        snprintf(text, size, "%.13g .. %.13g", c.a, c.b);
        break;
    }
}

plVerdict plClaim_Verdict(const plClaim* claim)
{
    const bool holds = plCriterion_Holds(claim->criterion, claim->value);
    if (claim->isCheck) return holds ? pl_verdictHolds : pl_verdictFails;
    if (holds) return pl_verdictPrinted;
    const bool isKnown = claim->why[0] && plCriterion_Holds(claim->found, claim->value);
    return isKnown ? pl_verdictDiffers : pl_verdictFails;
}

const char* plVerdict_Name(plVerdict verdict)
{
    static const char* const names[pl_verdictCount] = {[pl_verdictPrinted] = "as printed",
                                                       [pl_verdictDiffers] = "differs",
                                                       [pl_verdictFails] = "fails",
                                                       [pl_verdictHolds] = "holds"};
    return names[verdict];
}

// ------------------------------------------------------------------------------------- a job

bool plFigureJob_Make(plFigureJob* job, const plFigure* figure)
{
    job->figure = figure;
    job->claimCount = job->columnCount = 0;
    job->message[0] = '\0';
    return figure->make(job);
}

void plFigureJob_Free(plFigureJob* job)
{
    for (int i = 0; i < job->columnCount; ++i) free(job->columns[i].values);
    job->columnCount = 0;
}

plVerdicts plFigureJob_Count(const plFigureJob* job)
{
    plVerdicts verdicts = {{0}};
    for (int i = 0; i < job->claimCount; ++i) ++verdicts.of[plClaim_Verdict(&job->claims[i])];
    return verdicts;
}

int plFigureJob_Failed(const plFigureJob* job)
{
    return plFigureJob_Count(job).of[pl_verdictFails];
}

static plClaim* addClaim(plFigureJob* job, const char* id, double value, plCriterion criterion)
{
    PL_ASSERT(job->claimCount < plMaxClaims);
    plClaim* claim = &job->claims[job->claimCount++];
    *claim = (plClaim){.value = value, .criterion = criterion};
    snprintf(claim->id, sizeof claim->id, "%s", id);
    return claim;
}

void plFigureJob_Claim(plFigureJob* job, const char* id, double value, plCriterion criterion,
                       const char* format, ...)
{
    va_list arguments;
    plClaim* claim = addClaim(job, id, value, criterion);
    va_start(arguments, format);
    vsnprintf(claim->text, sizeof claim->text, format, arguments);
    va_end(arguments);
}

void plFigureJob_Check(plFigureJob* job, const char* id, double value, plCriterion criterion,
                       const char* format, ...)
{
    va_list arguments;
    plClaim* claim = addClaim(job, id, value, criterion);
    claim->isCheck = true;
    va_start(arguments, format);
    vsnprintf(claim->text, sizeof claim->text, format, arguments);
    va_end(arguments);
}

void plFigureJob_Differs(plFigureJob* job, plCriterion found, const char* why, ...)
{
    va_list arguments;
    PL_ASSERT(job->claimCount > 0);
    plClaim* claim = &job->claims[job->claimCount - 1];
    PL_ASSERT(!claim->isCheck);
    claim->found = found;
    va_start(arguments, why);
    vsnprintf(claim->why, sizeof claim->why, why, arguments);
    va_end(arguments);
}

double* plFigureJob_Column(plFigureJob* job, int count, const char* format, ...)
{
    va_list arguments;
    PL_ASSERT(job->columnCount < plMaxColumns);
    plFigureColumn* column = &job->columns[job->columnCount];
    column->values = malloc((size_t)count * sizeof *column->values);
    if (!column->values) {
        snprintf(job->message, sizeof job->message, "no memory for a table");
        return NULL;
    }
    ++job->columnCount;
    va_start(arguments, format);
    vsnprintf(column->name, sizeof column->name, format, arguments);
    va_end(arguments);
    column->count = count;
    for (int i = 0; i < count; ++i) column->values[i] = NAN;
    return column->values;
}

void plFigureJob_Progress(const plFigureJob* job, const char* what)
{
    if (job->progress) job->progress(job->figure->id, what);
}

// ------------------------------------------------------------------------------------- a run

bool plFigureJob_Open(plFigureJob* job, const char* name, const char* const* settings,
                      plFigureRun* run)
{
    plSceneError error;
    int count = 0;
    *run = (plFigureRun){0};
    while (settings[count]) ++count;
    plStatus status = plScene_Load(name, settings, count, &run->scene, &error);
    if (status != pl_statusOk)
        run->scene = NULL;
    else
        status = plScene_CreateWorld(run->scene, &run->world, &error);
    if (status != pl_statusOk) {
        run->world = NULL;
        plFigureRun_Close(run);
        snprintf(job->message, sizeof job->message, "%s", error.message);
        return false;
    }
    run->T = plScene_Step(run->scene);
    run->steps = (int)lround(plScene_Time(run->scene) / run->T);
    run->energy = plFigureRun_Energy(run);
    return true;
}

void plFigureRun_Close(plFigureRun* run)
{
    plWorld_Destroy(run->world);
    plScene_Destroy(run->scene);
    *run = (plFigureRun){0};
}

double plFigureRun_Energy(const plFigureRun* run)
{
    const plAccount account = plWorld_Ledger(run->world);
    return account.kinetic + account.potential;
}

double plFigureRun_Read(const plFigureRun* run, const char* name)
{
    plChannel channel;
    if (plWorld_FindChannel(run->world, name, &channel) != pl_statusOk) return NAN;
    return plWorld_ReadChannel(run->world, channel);
}
