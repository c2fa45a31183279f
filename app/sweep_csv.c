// Rows of a sweep as CSV: a line per run, added as runs end, and put into order when all are there.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool failWith(char* message, const char* why)
{
    snprintf(message, plSweepMessage, "%s", why);
    return false;
}

static bool failWrite(char* message)
{
    return failWith(message, errno ? strerror(errno) : "not all of it was");
}

// ------------------------------------------------------------------------------------ writing

/// In quotes where it must be.
static void putCell(FILE* out, const char* text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void putHead(FILE* out, const plSweepPlan* plan)
{
    fputs("run", out);
    for (int i = 0; i < plan->axisCount; ++i) {
        fputc(',', out);
        putCell(out, plan->axes[i].path);
    }
    for (int i = 0; i < plan->metricCount; ++i) {
        fputc(',', out);
        putCell(out, plan->metrics[i].name);
    }
    fputs(",hash,status\n", out);
}

static void putRow(FILE* out, const plSweepTable* t, int run)
{
    const plSweepPlan* plan = t->plan;
    const double* metrics = t->metrics + (size_t)run * (size_t)plan->metricCount;
    const bool ok = plSweepTable_IsOk(t, run);
    char text[plSweepNumber];
    fprintf(out, "%d", run);
    for (int i = 0; i < plan->axisCount; ++i) {
        fputc(',', out);
        putCell(out, plSweepPlan_Value(plan, run, i, text));
    }
    for (int i = 0; i < plan->metricCount; ++i) {
        fputc(',', out);
        if (ok && isnan(metrics[i])) fputs("nan", out); // whatever its sign
        if (ok && !isnan(metrics[i])) fprintf(out, "%.17g", metrics[i]);
    }
    fputc(',', out);
    if (ok) fprintf(out, "%016llx", (unsigned long long)t->hashes[run]);
    fputc(',', out);
    putCell(out, t->statuses[run]);
    fputc('\n', out);
}

static bool create(const plSweepTable* t, const char* path, const char* mark, char* message)
{
    errno = 0;
    FILE* out = fopen(path, "w");
    if (!out) return failWrite(message);
    fputs(mark, out);
    putHead(out, t->plan);
    const bool good = !ferror(out);
    return (fclose(out) == 0 && good) || failWrite(message);
}

// ------------------------------------------------------------------------------------ reading

/// Takes the cell at `*at` in place; `*at` goes behind it. Null: there is none, or it is broken.
static char* takeCell(char** at)
{
    char *from = *at, *to = from, *cell = from;
    if (!from) return NULL;
    if (*from == '"') {
        for (++from; *from && (*from != '"' || from[1] == '"'); ++from) {
            if (*from == '"') ++from;
            *to++ = *from;
        }
        if (*from != '"') return NULL;
        ++from;
    } else {
        to = from += strcspn(from, ",");
    }
    if (*from != ',' && *from != '\0') return NULL;
    *at = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

static bool takeNumber(char** at, double* value)
{
    char *cell = takeCell(at), *end;
    if (!cell) return false;
    *value = strtod(cell, &end);
    return *end == '\0'; // of a failed run it is empty
}

static bool takeHash(char** at, uint64_t* value)
{
    char *cell = takeCell(at), *end;
    if (!cell) return false;
    *value = strtoull(cell, &end, 16);
    return *end == '\0';
}

/// A line of a file of the same sweep has the parameters of its run.
static bool takeRow(plSweepTable* t, char* line)
{
    const plSweepPlan* plan = t->plan;
    plSweepRow row = {.hash = 0};
    char text[plSweepNumber], *at = line, *end;
    const char* cell = takeCell(&at);
    if (!cell) return false;
    const long run = strtol(cell, &end, 10);
    if (end == cell || *end != '\0' || run < 0 || run >= plan->runs) return false;
    for (int i = 0; i < plan->axisCount; ++i) {
        cell = takeCell(&at);
        if (!cell || strcmp(cell, plSweepPlan_Value(plan, (int)run, i, text)) != 0) return false;
    }
    for (int i = 0; i < plan->metricCount; ++i) {
        if (!takeNumber(&at, &row.metrics[i])) return false;
    }
    if (!takeHash(&at, &row.hash)) return false;
    cell = takeCell(&at);
    if (!cell || at || !*cell || strlen(cell) >= sizeof row.status) return false;
    memcpy(row.status, cell, strlen(cell) + 1);
    return plSweepTable_Put(t, (int)run, &row);
}

/// All whole lines; what a killed process left of its last one is cut off.
static bool readRows(plSweepTable* t, FILE* file, char* message)
{
    char* line = NULL;
    size_t room = 0;
    ssize_t length;
    int number = 0;
    long whole = 0;
    bool good = true;
    while (good && (length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        if (++number > 2) good = strlen(line) == (size_t)length - 1 && takeRow(t, line);
        if (good) whole = ftell(file);
    }
    free(line);
    if (!good) {
        snprintf(message, plSweepMessage, "line %d is no row of this sweep", number);
        return false;
    }
    if (ferror(file) || whole < 0 || ftruncate(fileno(file), whole) != 0 ||
        fseek(file, whole, SEEK_SET) != 0)
        return failWrite(message);
    return number >= 2 || failWith(message, "its head is missing");
}

static void* openRows(plSweepTable* t, const char* path, char* message)
{
    errno = 0;
    FILE* file = fopen(path, "r+");
    if (!file) {
        failWrite(message);
        return NULL;
    }
    if (readRows(t, file, message)) return file;
    fclose(file);
    return NULL;
}

static bool addRow(void* self, const plSweepTable* t, int run, char* message)
{
    FILE* file = self;
    errno = 0;
    putRow(file, t, run);
    return (fflush(file) == 0 && !ferror(file)) || failWrite(message);
}

// ---------------------------------------------------------------------------------- in order

static bool isComplete(const plSweepTable* t)
{
    for (int i = 0; i < t->plan->runs; ++i) {
        if (!t->statuses[i]) return false;
    }
    return true;
}

/// Anew under another name, which then takes the place of the file at once.
static bool sort(FILE* file, const plSweepTable* t, const char* path, char* message)
{
    char other[4096], mark[plSweepMark];
    if (snprintf(other, sizeof other, "%s.new", path) >= (int)sizeof other)
        return failWith(message, strerror(ENAMETOOLONG));
    errno = 0;
    rewind(file);
    FILE* out = fopen(other, "w");
    if (!out) return failWrite(message);
    if (fgets(mark, sizeof mark, file)) fputs(mark, out);
    putHead(out, t->plan);
    for (int i = 0; i < t->plan->runs; ++i) putRow(out, t, i);
    const bool written = !ferror(out);
    if (fclose(out) == 0 && written && rename(other, path) == 0) return true;
    failWrite(message);
    remove(other);
    return false;
}

static bool closeRows(void* self, const plSweepTable* t, const char* path, char* message)
{
    FILE* file = self;
    const bool good = !isComplete(t) || sort(file, t, path, message);
    errno = 0;
    return fclose(file) == 0 ? good : failWrite(message);
}

const plSweepFormat plSweepCsv = {.ending = ".csv",
                                  .mark = "# palp sweep, csv 1",
                                  .create = create,
                                  .open = openRows,
                                  .add = addRow,
                                  .close = closeRows};
