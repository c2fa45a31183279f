// palp sweep for tests: sweeps into the folder of the program, and cells of their files.
#ifndef PL_TEST_SWEEPS_H
#define PL_TEST_SWEEPS_H

#include "app.h"
#include "cli.h"

static char line[3 << 10], asked[2 << 10];
static char text[textSize];

/// `before` the command, then the options as by printf.
static inline void sweepWith(const char* before, const char* file, const char* format,
                             va_list arguments)
{
    vsnprintf(asked, sizeof asked, format, arguments);
    snprintf(line, sizeof line, "sweep %s --out %s", asked, inFolder(file));
    runAfter(before, line);
}

static inline void __attribute__((format(printf, 2, 3)))
sweep(const char* file, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sweepWith("", file, format, arguments);
    va_end(arguments);
}

/// A cell of a row of the file in `text`, by the name of its column; rows are counted from 0.
static inline const char* cellOf(const char* name, int row)
{
    static char cell[256];
    int column = 0;
    const char* at = strchr(text, '\n') + 1; // behind the mark
    const size_t length = strlen(name);
    const char* head = at;
    while (strncmp(head, name, length) != 0 || !strchr(",\n", head[length])) {
        head += strcspn(head, ",\n");
        if (*head++ != ',') fail_msg("no column %s in\n%s", name, text);
        ++column;
    }
    for (int i = 0; i <= row; ++i) {
        at = strchr(at, '\n');
        if (!at || !*++at) fail_msg("no row %d in\n%s", row, text);
    }
    for (int i = 0; i < column; ++i) at += strcspn(at, ",\n") + 1;
    snprintf(cell, sizeof cell, "%.*s", (int)strcspn(at, ",\n"), at);
    return cell;
}

static inline double numberOf(const char* name, int row) { return strtod(cellOf(name, row), NULL); }

/// From the column of the status to the end of the line: it may have commas.
static inline void expectStatus(int row, const char* part)
{
    const char* at = text;
    for (int i = 0; i < row + 2; ++i) at = strchr(at, '\n') + 1;
    char found[512];
    snprintf(found, sizeof found, "%.*s", (int)strcspn(at, "\n"), at);
    expectIn(found, part);
}

static inline void expectSame(const char* a, const char* b)
{
    char compare[2 * pathSize + 16];
    snprintf(compare, sizeof compare, "cmp %s %s", inFolder(a), inFolder(b));
    if (system(compare) != 0) fail_msg("%s and %s differ", a, b);
}

// --- under mpirun

/// What mpirun wants where it is root, and where cores are few. Its own leaks are not looked for.
static const char mpirun[] = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                             "ASAN_OPTIONS=detect_leaks=0 mpirun --oversubscribe -n 4";

static inline void __attribute__((format(printf, 2, 3)))
sweepByMpi(const char* file, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sweepWith(mpirun, file, format, arguments);
    va_end(arguments);
}

/// Skips the test where there is no MPI.
static inline void needMpi(void)
{
    const char* why = NULL;
    if (system("command -v mpirun >/dev/null 2>&1") != 0) {
        why = "mpirun is not installed";
    } else {
        sweepByMpi("mpi-there.csv", "oscillator --vary time=0.001,0.002");
        if (strstr(answer.err, "built without MPI")) why = "palp was built without MPI";
    }
    if (why) skipTest("%s", why);
}

#endif
