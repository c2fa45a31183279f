#include "contact/space_scan.h"

#include "contact/space_entries.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lineOf(const plScan* t)
{
    int line = 1;
    for (const char* c = t->text; c < t->at; ++c) line += *c == '\n';
    return line;
}

bool plScan_Fail(plScan* t, plStatus status, const char* message, ...)
{
    if (t->failed) return false;
    t->failed = true;
    t->status = status;
    int used = snprintf(t->error, t->errorSize, "%s:%d: ", t->path, lineOf(t));
    if (used < 0 || (size_t)used >= t->errorSize) return false;
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(t->error + used, t->errorSize - (size_t)used, message, arguments);
    va_end(arguments);
    return false;
}

static void skipBlanks(plScan* t)
{
    while (t->at < t->end && isspace((unsigned char)*t->at)) ++t->at;
}

// The next word, cut to what an error message can show.
static void showNext(const plScan* t, char* out, size_t size)
{
    size_t n = 0;
    for (; n + 1 < size && t->at + n < t->end && !isspace((unsigned char)t->at[n]); ++n) {
        out[n] = isprint((unsigned char)t->at[n]) ? t->at[n] : '?';
    }
    out[n] = 0;
    if (n == 0) snprintf(out, size, "the end of the file");
}

static void failWith(plScan* t, const char* what, const char* kind)
{
    char next[32];
    showNext(t, next, sizeof next);
    plScan_Fail(t, pl_statusFileFormat, "expected %s (%s), found %s", what, kind, next);
}

double plScan_Number(plScan* t, const char* what)
{
    skipBlanks(t);
    if (t->failed) return 0;
    char* after;
    const double value = strtod(t->at, &after);
    const bool whole = after == t->end || isspace((unsigned char)*after);
    if (after == t->at || !whole || !isfinite(value)) {
        failWith(t, what, "a finite number");
        return 0;
    }
    t->at = after;
    return value;
}

int plScan_Int(plScan* t, const char* what, int min, int max)
{
    skipBlanks(t);
    if (t->failed) return min;
    char* after;
    const long value = strtol(t->at, &after, 10);
    const bool whole = after == t->end || isspace((unsigned char)*after);
    if (after == t->at || !whole || value < min || value > max) {
        char kind[64];
        snprintf(kind, sizeof kind, "a whole number from %d to %d", min, max);
        failWith(t, what, kind);
        return min;
    }
    t->at = after;
    return (int)value;
}

void plScan_Numbers(plScan* t, const char* what, double* out, int count)
{
    for (int i = 0; i < count && !t->failed; ++i) out[i] = plScan_Number(t, what);
}

bool plScan_Peek(plScan* t, const char* word)
{
    skipBlanks(t);
    const size_t n = strlen(word);
    return !t->failed && (size_t)(t->end - t->at) >= n && memcmp(t->at, word, n) == 0;
}

bool plScan_Word(plScan* t, const char* word)
{
    const size_t n = strlen(word);
    if (plScan_Peek(t, word) && (t->at + n == t->end || isspace((unsigned char)t->at[n]))) {
        t->at += n;
        return true;
    }
    if (!t->failed) failWith(t, word, "this word");
    return false;
}

void plScan_SkipLine(plScan* t)
{
    while (t->at < t->end && *t->at != '\n') ++t->at;
    if (t->at < t->end) ++t->at;
}

bool plScan_Ends(plScan* t)
{
    skipBlanks(t);
    if (!t->failed && t->at < t->end) failWith(t, "nothing more", "the file should end here");
    return !t->failed;
}

// A number and the blank after it take two characters at least.
bool plScan_Holds(plScan* t, const char* what, size_t numbers)
{
    if (t->failed) return false;
    if (numbers <= ((size_t)(t->end - t->at) + 1) / 2) return true;
    return plScan_Fail(t, pl_statusFileFormat, "%s: the file is too short for %zu numbers", what,
                       numbers);
}

bool plScan_Space(plScan* t, plSpaceFile* file, int dim, int contacts, int blocks,
                  const plAllocator* allocator)
{
    if (t->failed) return false;
    const plStatus status = plSpaceFile_Take(file, dim, contacts, blocks, allocator);
    if (status == pl_statusCapacity) return plScan_Fail(t, status, "the space is too large");
    if (status != pl_statusOk) return plScan_Fail(t, status, "no memory for the space");
    return true;
}
