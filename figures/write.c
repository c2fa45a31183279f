// A figure's files: the table, the claims, the drawing.
#define _POSIX_C_SOURCE 200809L

#include "base/base.h"
#include "figure.h"

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { pathSize = 4096 };

/// Colours that people with any colour vision tell apart (Okabe, Ito 2008), each with a weight of
/// its own; thin grid, axes on two sides.
static const char preamble[] =
    "set datafile separator ','\n"
    "set datafile columnheaders\n"
    "set encoding utf8\n"
    "set style line 1 lc rgb '#0072B2' lw 2.4\n" // blue
    "set style line 2 lc rgb '#D55E00' lw 1.6\n" // vermilion
    "set style line 3 lc rgb '#009E73' lw 1.6\n" // green
    "set style line 4 lc rgb '#CC79A7' lw 1.8\n" // pink
    "set style line 5 lc rgb '#E69F00' lw 1.8\n" // orange
    "set style line 9 lc rgb '#666666' lw 1.2\n"
    "set style line 20 lc rgb '#DDDDDD' lw 0.6\n"
    "set style line 21 lc rgb '#555555' lw 1\n"
    "set clip two\n"
    "set grid back ls 20\n"
    "set border 3 back ls 21\n"
    "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
    "set key samplen 2.2 spacing 1.15 textcolor rgb '#222222' noautotitle\n";

static bool failWrite(plFigureJob* job, const char* path)
{
    snprintf(job->message, sizeof job->message, "%.800s cannot be written: %s", path,
             errno ? strerror(errno) : "not all of it was");
    return false;
}

/// The folder and those above it.
static bool makeFolder(plFigureJob* job, const char* folder)
{
    char path[pathSize];
    const size_t length = (size_t)snprintf(path, sizeof path, "%s", folder);
    errno = ENAMETOOLONG;
    if (length == 0 || length >= sizeof path) return failWrite(job, folder);
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return failWrite(job, path);
        path[i] = i < length ? '/' : '\0';
    }
    return true;
}

static bool filePath(plFigureJob* job, const char* folder, const char* ending, char* path)
{
    const int length = snprintf(path, pathSize, "%s/%s.%s", folder, job->figure->id, ending);
    errno = ENAMETOOLONG;
    return length < pathSize || failWrite(job, folder);
}

static bool writeTable(plFigureJob* job, const char* path)
{
    int rows = 0;
    errno = 0;
    FILE* file = fopen(path, "w");
    if (!file) return failWrite(job, path);
    for (int j = 0; j < job->columnCount; ++j) {
        const plFigureColumn* column = &job->columns[j];
        fprintf(file, "%s%s", column->name, j + 1 < job->columnCount ? "," : "\n");
        rows = column->count > rows ? column->count : rows;
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < job->columnCount; ++j) {
            const plFigureColumn* column = &job->columns[j];
            if (i < column->count && isfinite(column->values[i]))
                fprintf(file, "%.17g", column->values[i]);
            fputc(j + 1 < job->columnCount ? ',' : '\n', file);
        }
    }
    const bool good = !ferror(file);
    return (fclose(file) == 0 && good) || failWrite(job, path);
}

/// "pass" is false for a claim that fails; one that differs passes, with its "why".
static json_t* describeClaim(const plClaim* claim)
{
    char criterion[80], found[80];
    const plVerdict verdict = plClaim_Verdict(claim);
    plCriterion_Text(claim->criterion, criterion, sizeof criterion);
    json_t* value = isfinite(claim->value) ? json_real(claim->value) : json_null();
    json_t* described =
        json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:b}", "id", claim->id, "text", claim->text,
                  "value", value, "criterion", criterion, "of", claim->isCheck ? "palp" : "paper",
                  "verdict", plVerdict_Name(verdict), "pass", verdict != pl_verdictFails);
    if (!described || !claim->why[0]) return described;
    plCriterion_Text(claim->found, found, sizeof found);
    json_object_set_new(described, "found", json_string(found));
    json_object_set_new(described, "why", json_string(claim->why));
    return described;
}

static json_t* describe(const plFigureJob* job)
{
    json_t* claims = json_array();
    for (int i = 0; i < job->claimCount; ++i)
        json_array_append_new(claims, describeClaim(&job->claims[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "figure", job->figure->id, "title",
                     job->figure->title, "caption", job->figure->caption, "parameters",
                     job->figure->parameters, "claims", claims);
}

static bool writeClaims(plFigureJob* job, const char* path)
{
    json_t* root = describe(job);
    errno = 0;
    const bool good = root && json_dump_file(root, path, JSON_INDENT(2)) == 0;
    json_decref(root);
    return good || failWrite(job, path);
}

// --------------------------------------------------------------------------------- the drawing

static bool hasGnuplot(void)
{
    const char* path = getenv("PATH");
    char file[pathSize];
    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        const int size = snprintf(file, sizeof file, "%.*s/gnuplot", length, path);
        if (size < pathSize && access(file, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/// A string of gnuplot's, in quotes: a quote in it is doubled.
static void putQuoted(FILE* pipe, const char* before, const char* text)
{
    fprintf(pipe, "%s'", before);
    for (; *text; ++text) fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, pipe);
    fputs("'\n", pipe);
}

static bool draw(plFigureJob* job, const char* table, const char* path)
{
    const plFigure* figure = job->figure;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    if (!hasGnuplot()) {
        snprintf(job->message, sizeof job->message,
                 "%s is not drawn, because gnuplot is not installed; its table and claims are "
                 "written",
                 figure->id);
        return false;
    }
    sigaction(SIGPIPE, &ignore, &before); // a gnuplot that dies early is seen by its exit code
    fflush(NULL);
    FILE* pipe = popen("exec gnuplot", "w");
    bool good = pipe != NULL;
    if (pipe) {
        fprintf(pipe,
                "set terminal svg size %d,%d dynamic enhanced background rgb 'white' "
                "font 'Helvetica,13' linewidth 1\n",
                figure->width, figure->height);
        putQuoted(pipe, "set output ", path);
        putQuoted(pipe, "csv = ", table);
        fputs(preamble, pipe);
        fputs(figure->script, pipe);
        fputs("\nunset output\n", pipe);
        const int status = pclose(pipe);
        good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    sigaction(SIGPIPE, &before, NULL);
    if (!good) snprintf(job->message, sizeof job->message, "gnuplot could not draw %.800s", path);
    return good;
}

plWritten plFigureJob_Write(plFigureJob* job, const char* folder)
{
    char table[pathSize], claims[pathSize], drawing[pathSize];
    const bool written = makeFolder(job, folder) && filePath(job, folder, "csv", table) &&
                         filePath(job, folder, "json", claims) &&
                         filePath(job, folder, "svg", drawing) && writeTable(job, table) &&
                         writeClaims(job, claims);
    if (!written) return pl_writtenNot;
    return draw(job, table, drawing) ? pl_writtenAll : pl_writtenNoPlot;
}
