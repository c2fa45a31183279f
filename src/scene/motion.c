#include "scene/motion.h"

#include "math/math.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const names[] = {"time", "x", "y", "z", "angle", "qw", "qx", "qy", "qz"};
enum { timeColumn, xColumn, yColumn, zColumn, angleColumn, qColumn, columnKinds = 9 };

typedef struct {
    const char* shown;
    const char *at, *end; ///< what is not read yet
    int line;
    char* message;
    int columns[columnKinds]; ///< kind of each column
    int columnCount;
    bool has[columnKinds];
} Text;

__attribute__((format(printf, 2, 3))) static bool failText(Text* t, const char* format, ...)
{
    va_list list;
    const int length = snprintf(t->message, plMotionMessage, "%.200s:%d: ", t->shown, t->line);
    va_start(list, format);
    vsnprintf(t->message + length, (size_t)(plMotionMessage - length), format, list);
    va_end(list);
    return false;
}

// ------------------------------------------------------------------------------------- cells

/// A cell without the blanks around it, cut to fit.
typedef struct {
    char text[64];
    bool last; ///< of its line
    bool cut;
} Cell;

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static Cell nextCell(Text* t)
{
    Cell cell = {.last = true};
    const char* from = t->at;
    while (t->at < t->end && *t->at != ',' && *t->at != '\n') t->at++;
    const char* to = t->at;
    while (from < to && isBlank(*from)) from++;
    while (to > from && isBlank(to[-1])) to--;
    const size_t length = (size_t)(to - from);
    cell.cut = length >= sizeof cell.text;
    const size_t kept = cell.cut ? sizeof cell.text - 1 : length;
    for (size_t i = 0; i < kept; i++) // so that it can be shown
        cell.text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    if (t->at < t->end) {
        cell.last = *t->at == '\n';
        t->at++;
    }
    return cell;
}

/// Decimal, with a point in every locale.
static bool readNumber(const Cell* cell, double* value)
{
    char text[sizeof cell->text], *end;
    if (cell->cut || !cell->text[0]) return false;
    if (cell->text[strspn(cell->text, "0123456789+-.eE")]) return false;
    memcpy(text, cell->text, sizeof text);
    char* point = strchr(text, '.');
    if (point) *point = localeconv()->decimal_point[0];
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

/// Empty lines do not count.
static void skipEmptyLines(Text* t)
{
    for (const char* c = t->at; c < t->end && (isBlank(*c) || *c == '\n'); c++) {
        if (*c != '\n') continue;
        t->at = c + 1;
        t->line++;
    }
    const char* c = t->at;
    while (c < t->end && isBlank(*c)) c++;
    if (c == t->end) t->at = c;
}

// -------------------------------------------------------------------------------------- head

static bool readName(Text* t, const Cell* cell)
{
    int kind = 0;
    while (kind < columnKinds && strcmp(cell->text, names[kind]) != 0) kind++;
    if (kind == columnKinds)
        return failText(t,
                        "found a column \"%s\", expected time, x, y, z, and angle or qw, qx, qy, "
                        "qz",
                        cell->text);
    if (t->has[kind]) return failText(t, "found the column \"%s\" twice", cell->text);
    t->has[kind] = true;
    t->columns[t->columnCount++] = kind;
    return true;
}

static bool readHead(Text* t)
{
    Cell cell;
    skipEmptyLines(t);
    do {
        cell = nextCell(t);
        if (!readName(t, &cell)) return false;
    } while (!cell.last);
    for (int i = 0; i <= zColumn; i++)
        if (!t->has[i]) return failText(t, "found no column \"%s\"", names[i]);
    int turns = 0;
    for (int i = qColumn; i < columnKinds; i++) turns += t->has[i];
    if (turns % 4 != 0) return failText(t, "found %d of the columns qw, qx, qy, qz", turns);
    if (turns && t->has[angleColumn])
        return failText(t, "found angle beside qw, qx, qy, qz, expected one of them");
    t->line++;
    return true;
}

// -------------------------------------------------------------------------------------- rows

static bool readRow(Text* t, plWaypoint* p)
{
    double v[columnKinds] = {[qColumn] = 1};
    for (int i = 0; i < t->columnCount; i++) {
        const Cell cell = nextCell(t);
        const char* name = names[t->columns[i]];
        if (!readNumber(&cell, &v[t->columns[i]]))
            return failText(t, "found \"%s\" as %s, expected a number", cell.text, name);
        if (cell.last != (i + 1 == t->columnCount))
            return failText(t, "found %s %d values, expected as many as columns",
                            cell.last ? "only" : "more than", i + 1);
    }
    plQuat q = plGet4(v + qColumn);
    const double size = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    if (!(size > 1e-6 && size < 1e6)) return failText(t, "found a quaternion of no direction");
    if (t->has[angleColumn]) q = plExp(plVec(0, 0, v[angleColumn]));
    *p = (plWaypoint){v[timeColumn], {plGet3(v + xColumn), plQuatUnit(q)}};
    return true;
}

/// Lines that are left, and no more than there may be rows.
static size_t room(const Text* t)
{
    size_t lines = 1;
    for (const char* c = t->at; c < t->end && lines < plHandPoints; c++) lines += *c == '\n';
    return lines;
}

static bool readRows(Text* t, plWaypoint* points, int* count)
{
    *count = 0;
    for (skipEmptyLines(t); t->at < t->end; skipEmptyLines(t)) {
        plWaypoint p;
        if (*count == plHandPoints)
            return failText(t, "found more than %d rows, expected fewer", plHandPoints);
        if (!readRow(t, &p)) return false;
        if (*count > 0 && !(p.time > points[*count - 1].time))
            return failText(t, "found time %.9g after %.9g, expected a later one", p.time,
                            points[*count - 1].time);
        points[(*count)++] = p;
        t->line++;
    }
    return *count > 0 || failText(t, "found no rows, expected at least one");
}

plStatus plMotion_Parse(const char* shown, const char* bytes, size_t size, plWaypoint** points,
                        int* count, char message[plMotionMessage])
{
    Text t = {.shown = shown, .at = bytes, .end = bytes + size, .line = 1, .message = message};
    message[0] = '\0';
    *points = NULL;
    *count = 0;
    if (size > plMotionBytes) {
        snprintf(message, plMotionMessage, "%.200s: more than %d MiB", shown, plMotionBytes >> 20);
        return pl_statusFileFormat;
    }
    if (!readHead(&t)) return pl_statusFileFormat;
    *points = calloc(room(&t), sizeof **points);
    if (!*points) return pl_statusNoMemory;
    if (readRows(&t, *points, count)) return pl_statusOk;
    free(*points);
    *points = NULL;
    *count = 0;
    return pl_statusFileFormat;
}
