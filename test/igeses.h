// A writer of IGES, and what becomes of it.
#ifndef PALP_TEST_IGESES_H
#define PALP_TEST_IGESES_H

#include "failing.h"
#include "nurbses.h"

enum { textSize = 1 << 20 };

typedef struct {
    char text[textSize];
    size_t length;
    char directory[4096], parameters[textSize / 2];
    int directoryLines, parameterLines;
} Iges;

/// A record: what it says, padded, its section and number.
static inline void record(char* out, size_t size, const char* says, int width, char section,
                          int number)
{
    const size_t used = strlen(out);
    assert_true(used + 82 < size);
    snprintf(out + used, size - used, "%-*.*s%c%7d\n", width, width, says, section, number);
}

/// Parameters of an entity in records of 64 columns, cut anywhere: numbers too.
static inline void addEntity(Iges* g, int kind, int matrix, const char* parameters)
{
    const int first = g->parameterLines + 1, owner = g->directoryLines + 1;
    char line[96];
    for (const char* at = parameters; *at;) {
        const size_t length = strlen(at) < 64 ? strlen(at) : 64;
        snprintf(line, sizeof line, "%-64.*s%8d", (int)length, at, owner);
        record(g->parameters, sizeof g->parameters, line, 72, 'P', ++g->parameterLines);
        at += length;
    }
    snprintf(line, sizeof line, "%8d%8d%8d%8d%8d%8d%8d%8d%8d", kind, first, 0, 0, 0, 0, matrix, 0,
             0);
    record(g->directory, sizeof g->directory, line, 72, 'D', ++g->directoryLines);
    snprintf(line, sizeof line, "%8d%8d%8d%8d%8d", kind, 0, 0, g->parameterLines - first + 1, 0);
    record(g->directory, sizeof g->directory, line, 72, 'D', ++g->directoryLines);
}

static inline void finishIges(Iges* g, const char* global)
{
    g->text[0] = '\0';
    record(g->text, textSize, "written by a test", 72, 'S', 1);
    int lines = 0;
    for (const char* at = global; *at; at += strlen(at) < 72 ? strlen(at) : 72) {
        record(g->text, textSize, at, 72, 'G', ++lines);
    }
    const size_t used = strlen(g->text);
    snprintf(g->text + used, textSize - used, "%s%s", g->directory, g->parameters);
    record(g->text, textSize, "S      1G      2D      2P      9", 72, 'T', 1);
    g->length = strlen(g->text);
}

static const char millimetres[] =
    "1H,,1H;,9Htest;,;er,4Ha,;b,5Hmaker,5H1.0.0,32,38,6,308,15,9Htest;,;er,1.0,2,2HMM,1,0.01,"
    "15H20240101.000000,1.0E-06,1.0D+03,2Hme,2Hus,11,0;";

/// A patch as entity 128, lengths in mm; `form` prints a number.
static inline const char* surfaceText(const Net* net, const char* form)
{
    static char text[textSize / 4];
    const plPatchDef* d = &net->def;
    size_t n = (size_t)snprintf(text, sizeof text, "128,%d,%d,%d,%d,0,0,0,0,0", d->countU - 1,
                                d->countV - 1, d->degreeU, d->degreeV);
    double numbers[4 * netPoints + 2 * netKnots];
    int count = 0;
    for (int i = 0; i <= d->countU + d->degreeU; i++) numbers[count++] = d->knotsU[i];
    for (int i = 0; i <= d->countV + d->degreeV; i++) numbers[count++] = d->knotsV[i];
    for (int i = 0; i < d->countU * d->countV; i++) {
        numbers[count++] = d->weights[i % d->countU * d->countV + i / d->countU];
    }
    for (int i = 0; i < d->countU * d->countV; i++) {
        const plVec3 p = d->points[i % d->countU * d->countV + i / d->countU];
        plPut3(plScale(1000, p), &numbers[count]);
        count += 3;
    }
    for (int i = 0; i < count; i++) {
        char number[64];
        snprintf(number, sizeof number, form, numbers[i]);
        for (char* c = number; *c; c++) {
            if (*c == 'e') *c = 'D';
        }
        n += (size_t)snprintf(text + n, sizeof text - n, ",%s", number);
    }
    snprintf(text + n, sizeof text - n, ",0.0,1.0,0.0,1.0;");
    return text;
}

static inline Iges* newIges(void)
{
    static Iges g;
    g.directory[0] = g.parameters[0] = '\0';
    g.directoryLines = g.parameterLines = 0;
    return &g;
}

static inline plStatus parse(const char* text, size_t length, plPatches* out, plShapeError* error)
{
    return plPatches_Parse("test.igs", text, length, 1, NULL, out, error);
}

static inline void checkRefused(const char* text, size_t length, int line, const char* word)
{
    plPatches out;
    plShapeError error;
    assert_int_not_equal(parse(text, length, &out, &error), pl_statusOk);
    if (!strstr(error.message, word) || (line > 0 && error.line != line)) {
        print_error("'%s' (line %d) lacks '%s' or line %d\n", error.message, error.line, word,
                    line);
        fail();
    }
    assert_null(out.patches);
    assert_null(out.memory);
}

/// Reads with an allocator that fails ever later, until it does not: nothing is kept by a reading that
/// failed. `check` sees what the last one gave.
static inline void checkMemory(const Iges* g, void (*check)(const plPatches*))
{
    plStatus status = pl_statusNoMemory;
    for (int limit = 0; status != pl_statusOk; limit++) {
        Failing failing = {.left = limit};
        const plAllocator allocator = {failingTake, failingRelease, &failing};
        plPatches out;
        plShapeError error;
        status = plPatches_Parse("test", g->text, g->length, 1, &allocator, &out, &error);
        if (status == pl_statusOk) {
            check(&out);
            plPatches_Free(&out);
        } else {
            assert_int_equal(status, pl_statusNoMemory);
        }
        assert_int_equal(failing.taken, 0);
        assert_true(limit < 100);
    }
}

static inline void replaceIn(char* text, const char* what, const char* with)
{
    char* at = strstr(text, what);
    assert_non_null(at);
    memcpy(at, with, strlen(with));
}

#endif
