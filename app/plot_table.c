// Traces for palp plot: HDF5 by the library, CSV here.
#define _POSIX_C_SOURCE 200809L

#include "app.h"
#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int noMemory(void) { return plComplain(pl_exitInput, "no memory"); }

/// Times of rows from the steps that led to them, in place.
static void sum(double* steps, uint64_t rows)
{
    double time = 0;
    for (uint64_t i = 0; i < rows; ++i) steps[i] = time += steps[i];
}

static int readHdf5(plTable* t, const char* path)
{
    plTrace trace;
    char message[256];
    if (plTrace_Read(path, &trace, message, sizeof message) != pl_statusOk)
        return plComplain(pl_exitInput, "%s", message);
    *t = (plTable){trace.channelCount, trace.channels, trace.rows, trace.T, trace.values};
    trace.channels = NULL, trace.T = NULL, trace.values = NULL;
    trace.channelCount = 0;
    plTrace_Free(&trace);
    sum(t->time, t->rows);
    return pl_exitOk;
}

// ---------------------------------------------------------------------------------------- CSV

static const char head[] = "step,hash,";

static bool takeNames(plTable* t, char* line)
{
    int count = 1;
    for (const char* at = line; *at; ++at) count += *at == ',';
    t->names = calloc((size_t)count, sizeof *t->names);
    for (char* name = strtok(line, ",\n"); t->names && name; name = strtok(NULL, ",\n")) {
        t->names[t->count] = strdup(name);
        if (!t->names[t->count++]) return false;
    }
    return t->names && t->count > 0;
}

/// Room for one row more.
static bool grow(plTable* t, uint64_t* capacity)
{
    if (t->rows < *capacity) return true;
    *capacity = 2 * *capacity + 1024;
    double* time = realloc(t->time, *capacity * sizeof *time);
    if (time) t->time = time;
    double* values = realloc(t->values, *capacity * (size_t)t->count * sizeof *values);
    if (values) t->values = values;
    return time && values;
}

/// False: the line is no row of the trace.
static bool takeRow(plTable* t, char* line)
{
    char* at;
    t->time[t->rows] = strtod(line, &at);
    if (at == line || *at != ',') return false;
    at = strchr(at + 1, ','); // behind the hash
    for (int i = 0; i < t->count; ++i) {
        char* end = at;
        if (!at || *at != ',') return false;
        t->values[t->rows * (uint64_t)t->count + (uint64_t)i] = strtod(at + 1, &end);
        if (end == at + 1) return false;
        at = end;
    }
    if (*at != '\n' && *at != '\0') return false;
    ++t->rows;
    return true;
}

static int takeLines(plTable* t, FILE* file, const char* path)
{
    char* line = NULL;
    size_t size = 0;
    uint64_t capacity = 0;
    int code = pl_exitOk;
    if (getline(&line, &size, file) < 0 || strncmp(line, head, sizeof head - 1) != 0)
        code =
            plComplain(pl_exitInput, "%s is no trace: it does not begin with \"%s\"", path, head);
    else if (!takeNames(t, line + sizeof head - 1))
        code = noMemory();
    while (code == pl_exitOk && getline(&line, &size, file) >= 0) {
        if (!grow(t, &capacity))
            code = noMemory();
        else if (!takeRow(t, line))
            code = plComplain(pl_exitInput, "%s: line %llu is no row of %d channels", path,
                              (unsigned long long)t->rows + 2, t->count);
    }
    free(line);
    return code;
}

static int readCsv(plTable* t, const char* path)
{
    FILE* file = fopen(path, "r");
    if (!file) return plComplain(pl_exitInput, "%s cannot be opened: %s", path, strerror(errno));
    const int code = takeLines(t, file, path);
    fclose(file);
    if (code == pl_exitOk) sum(t->time, t->rows);
    return code;
}

int plTable_Read(plTable* t, const char* path)
{
    const size_t length = strlen(path);
    *t = (plTable){0};
    const int code =
        length > 3 && strcmp(path + length - 3, ".h5") == 0 ? readHdf5(t, path) : readCsv(t, path);
    if (code == pl_exitOk && t->rows == 0)
        return plComplain(pl_exitInput, "%s has no rows: there is nothing to plot", path);
    return code;
}

void plTable_Free(plTable* t)
{
    for (int i = 0; i < t->count; ++i) free(t->names[i]);
    free(t->names);
    free(t->time);
    free(t->values);
    *t = (plTable){0};
}
