// IGES: records of 80 columns. Column 73 names the section, which come in this order:
//   S  words for people
//   G  delimiters, unit and other facts about the file
//   D  two records for each entity: kind, where its parameters begin, its matrix
//   P  parameters, in columns 1 to 64, with delimiters between them
//   T  the end
// Read are rational B-spline surfaces (128), each moved by its matrix (124), and what trims them (144).
#include "shape/nurbs_iges.h"

#include <ctype.h>
#include <string.h>

enum { columns = 72, parameterColumns = 64, matrixChain = 8 };

bool plIges_Fail(plIges* g, int line, const char* sentence)
{
    return plTriangleReader_Fail(&g->r->words, pl_statusFileFormat, line + 1, "%s", sentence);
}

// --- records

/// A record ends with its line, or after 80 columns in files without lines.
static const char* endOfRecord(const char* at, const char* end)
{
    const char* stop = end - at > 80 ? at + 80 : end;
    while (at < stop && *at != '\n' && *at != '\r') at++;
    return at;
}

static const char* nextRecord(const char* at, const char* end)
{
    at = endOfRecord(at, end);
    while (at < end && (*at == '\r' || *at == '\n')) at++;
    return at;
}

bool plLooksLikeIges(const char* bytes, size_t size)
{
    const char* end = endOfRecord(bytes, bytes + size);
    if (end - bytes <= columns || bytes[columns] != 'S') return false;
    for (const char* at = bytes + columns + 1; at < end; at++) {
        if (!isdigit((unsigned char)*at) && *at != ' ') return false;
    }
    return true;
}

static bool findRecords(plIges* g, plScratch* scratch)
{
    const char* end = g->r->end;
    int count = 0;
    for (const char* at = g->r->bytes; at < end; at = nextRecord(at, end)) count++;
    g->lines = plScratch_Take(scratch, (size_t)count, sizeof *g->lines);
    if (!g->lines) {
        return plTriangleReader_Fail(&g->r->words, pl_statusNoMemory, 0, "no memory for the file");
    }
    for (const char* at = g->r->bytes; at < end; at = nextRecord(at, end)) {
        if (endOfRecord(at, end) - at <= columns) {
            return plIges_Fail(g, g->lineCount, "the record has no section in column 73");
        }
        g->lines[g->lineCount++] = at;
    }
    return true;
}

static bool findSections(plIges* g)
{
    static const char order[] = "SGDPT";
    plIgesSection passed, last;
    plIgesSection* const sections[] = {&passed, &g->global, &g->directory, &g->parameters, &last};
    int at = 0;
    for (int k = 0; order[k]; k++) {
        sections[k]->first = at;
        while (at < g->lineCount && g->lines[at][columns] == order[k]) at++;
        sections[k]->count = at - sections[k]->first;
        if (order[k] == 'T' && sections[k]->count > 0) return true;
    }
    return plIges_Fail(g, at < g->lineCount ? at : at - 1,
                       "the sections are not S, G, D, P and T in this order");
}

// --- parameters

static char peek(const plIgesTape* t)
{
    return t->line < t->end ? t->g->lines[t->line][t->column] : '\0';
}

static void pass(plIgesTape* t)
{
    if (++t->column < t->width) return;
    t->column = 0;
    t->line++;
}

static bool atEnd(const plIgesTape* t) { return t->line >= t->end || peek(t) == t->g->after; }

/// A string with its length before it, as in 5Hwords. What does not fit is passed over.
static bool readWords(plIgesTape* t, size_t length, char* words, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if (t->line >= t->end)
            return plIges_Fail(t->g, t->line - 1, "a string is longer than its section");
        if (kept + 1 < size) words[kept++] = peek(t);
        pass(t);
    }
    words[kept] = '\0';
    return true;
}

/// The next parameter up to its delimiter, without blanks; a string without its length.
static bool readField(plIgesTape* t, char* text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    while (!atEnd(t) && peek(t) != t->g->between) {
        const char c = peek(t);
        if (c == 'H' && length > 0 && length < 8 && strspn(text, "0123456789") == length) {
            size_t count = 0;
            for (size_t i = 0; i < length; i++) count = 10 * count + (size_t)(text[i] - '0');
            pass(t);
            if (!readWords(t, count, text, size)) return false;
            length = size; // nothing may follow but blanks
            continue;
        }
        if (!isspace((unsigned char)c)) {
            if (length + 1 >= size) return plIges_Fail(t->g, t->line, "a parameter is too long");
            text[length++] = c;
            text[length] = '\0';
        }
        pass(t);
    }
    if (!atEnd(t)) pass(t);
    return true;
}

/// A number; an empty field is 0. FORTRAN's D stands for an exponent of double precision.
bool plIges_Number(plIgesTape* t, double* x)
{
    char text[64];
    const int line = t->line;
    if (t->line >= t->end) return plIges_Fail(t->g, t->line - 1, "the parameters end too early");
    if (!readField(t, text, sizeof text)) return false;
    *x = 0;
    if (text[0] == '\0') return true;
    for (char* c = text; *c; c++) {
        if (*c == 'D' || *c == 'd') *c = 'E';
    }
    const char* at = text;
    if (plReadNumber(&at, x) && *at == '\0') return true;
    return plTriangleReader_Fail(&t->g->r->words, pl_statusFileFormat, line + 1,
                                 "a number expected, found '%.16s'", text);
}

bool plIges_Numbers(plIgesTape* t, double* x, int count)
{
    for (int i = 0; i < count; i++) {
        if (!plIges_Number(t, &x[i])) return false;
    }
    return true;
}

// --- the file as a whole

static double unitOf(int flag, const char* name)
{
    static const struct {
        const char* name;
        double length; // [m]
    } units[] = {{"", 0},          {"IN", 0.0254},   {"MM", 0.001}, {"", 0},
                 {"FT", 0.3048},   {"MI", 1609.344}, {"M", 1},      {"KM", 1000},
                 {"MIL", 2.54e-5}, {"UM", 1e-6},     {"CM", 0.01},  {"UIN", 2.54e-8}};
    if (flag == 0) flag = 1; // inches, where nothing is said
    for (int i = 1; i < PL_COUNT(units); i++) {
        if (units[i].length > 0 && (flag == 3 ? strcmp(name, units[i].name) == 0 : flag == i)) {
            return units[i].length;
        }
    }
    return flag == 3 && strcmp(name, "INCH") == 0 ? 0.0254 : 0;
}

/// A delimiter's parameter, 1H and the delimiter itself, or nothing where it is the usual one.
static bool readDelimiter(plIgesTape* t, char* delimiter)
{
    char text[8] = "";
    while (t->line < t->end && peek(t) == ' ') pass(t);
    if (peek(t) == '1') {
        pass(t);
        if (peek(t) != 'H') return plIges_Fail(t->g, t->line, "a delimiter expected, such as 1H,");
        pass(t);
        if (!readWords(t, 1, text, sizeof text)) return false;
        *delimiter = text[0];
    }
    if (t->line < t->end && peek(t) == t->g->between) pass(t);
    return true;
}

static bool readGlobal(plIges* g)
{
    enum { unitFlag = 14, unitName = 15 };
    plIgesTape t = {g, g->global.first, g->global.first + g->global.count, 0, columns};
    char text[64], name[64] = "";
    double flag = 0;
    g->between = ',', g->after = ';';
    if (!readDelimiter(&t, &g->between) || !readDelimiter(&t, &g->after)) return false;
    for (int i = 3; i <= unitName && !atEnd(&t); i++) {
        const bool good =
            i == unitFlag ? plIges_Number(&t, &flag) : readField(&t, text, sizeof text);
        if (!good) return false;
        if (i == unitName) memcpy(name, text, sizeof name);
    }
    g->unit = unitOf(flag >= 0 && flag <= 11 ? (int)flag : -1, name);
    return g->unit > 0 || plIges_Fail(g, g->global.first, "the unit of the file is not known");
}

// --- entities

/// A field of eight columns, counted from 0 over both records.
bool plIges_Directory(plIges* g, int entity, int field, int* value)
{
    const int line = g->directory.first + 2 * entity + field / 10;
    const char* at = g->lines[line] + 8 * (field % 10);
    char text[9];
    memcpy(text, at, 8);
    text[8] = '\0';
    char* from = text;
    while (*from == ' ') from++;
    const bool negative = *from == '-';
    if (*from == '-' || *from == '+') from++;
    *value = 0;
    while (isdigit((unsigned char)*from)) *value = 10 * *value + (*from++ - '0');
    if (negative) *value = -*value;
    while (*from == ' ') from++;
    return *from == '\0' || plIges_Fail(g, line, "a field of the directory is no integer");
}

bool plIges_Parameters(plIges* g, int entity, int kind, plIgesTape* t)
{
    int first, count;
    double own;
    if (!plIges_Directory(g, entity, plIgesParameters, &first)) return false;
    if (!plIges_Directory(g, entity, plIgesLines, &count)) return false;
    if (first < 1 || count < 0 || first > g->parameters.count ||
        count > g->parameters.count - first + 1) {
        return plIges_Fail(g, g->directory.first + 2 * entity,
                           "the parameters lie outside of section P");
    }
    const int line = g->parameters.first + first - 1;
    *t = (plIgesTape){g, line, line + (count > 0 ? count : 1), 0, parameterColumns};
    if (!plIges_Number(t, &own)) return false;
    return own == kind ||
           plIges_Fail(g, line, "the parameters are those of another kind of entity");
}

bool plIges_Entity(plIges* g, int line, double pointer, int* entity, int* kind)
{
    if (!(pointer >= 1 && pointer < g->directory.count) || fmod(pointer, 2) != 1) {
        return plIges_Fail(g, line, "a pointer lies outside of section D");
    }
    *entity = ((int)pointer - 1) / 2;
    return plIges_Directory(g, *entity, plIgesKind, kind);
}

/// p goes to R p + x; the matrix of an entity may have one itself.
bool plIges_Move(plIges* g, int entity, plVec3* points, int count)
{
    for (int chain = 0; chain < matrixChain; chain++) {
        int pointer, kind;
        double m[12];
        plIgesTape t;
        if (!plIges_Directory(g, entity, plIgesMatrix, &pointer)) return false;
        if (pointer == 0) return true;
        if (!plIges_Entity(g, g->directory.first, pointer, &entity, &kind)) return false;
        if (kind != 124) {
            return plIges_Fail(g, g->directory.first + 2 * entity, "a matrix is of another kind");
        }
        if (!plIges_Parameters(g, entity, kind, &t) || !plIges_Numbers(&t, m, 12)) return false;
        for (int i = 0; i < count; i++) {
            const plVec3 p = points[i];
            points[i] = plVec(plDot(plGet3(m), p) + m[3], plDot(plGet3(m + 4), p) + m[7],
                              plDot(plGet3(m + 8), p) + m[11]);
        }
    }
    return plIges_Fail(g, g->directory.first + 2 * entity, "matrices refer to each other");
}

/// Knots that differ by round-off only are made equal.
static void settle(double* knots, int count)
{
    const double least = 1e-9 * (knots[count - 1] - knots[0]);
    for (int i = 1; i < count; i++) {
        if (fabs(knots[i] - knots[i - 1]) <= least) knots[i] = knots[i - 1];
    }
}

/// Files have the points of one v one after the other.
static bool readNet(plIgesTape* t, int countU, int countV, plPatchRoom* room)
{
    for (int i = 0; i < countU * countV; i++) {
        if (!plIges_Number(t, &room->weights[i % countU * countV + i / countU])) return false;
    }
    for (int i = 0; i < countU * countV; i++) {
        double x[3];
        if (!plIges_Numbers(t, x, 3)) return false;
        room->points[i % countU * countV + i / countU] = plGet3(x);
    }
    return true;
}

// K1, K2 last indices of points; M1, M2 degrees; five flags; knots; weights; points; the range of the
// parameters, which is that of the knots.
static bool readSurface(plIges* g, int entity)
{
    plIgesTape t;
    double head[9];
    plPatchRoom room;
    if (!plIges_Parameters(g, entity, 128, &t)) return false;
    const int line = t.line;
    if (!plIges_Numbers(&t, head, 9)) return false;
    for (int i = 0; i < 4; i++) {
        if (head[i] != floor(head[i]))
            return plIges_Fail(g, line, "a count or a degree is no integer");
    }
    if (!plPatchReader_Add(g->r, line + 1, head[2], head[3], head[0] + 1, head[1] + 1, &room)) {
        return false;
    }
    const plPatchDef* d = &g->r->out->patches[g->r->out->count - 1];
    const int p = d->degreeU, q = d->degreeV, countU = d->countU, countV = d->countV;
    if (!plIges_Numbers(&t, room.knotsU, countU + p + 1)) return false;
    if (!plIges_Numbers(&t, room.knotsV, countV + q + 1)) return false;
    if (!readNet(&t, countU, countV, &room)) return false;
    settle(room.knotsU, countU + p + 1);
    settle(room.knotsV, countV + q + 1);
    if (!plIges_Move(g, entity, room.points, countU * countV)) return false;
    for (int i = 0; i < countU * countV; i++) room.points[i] = plScale(g->unit, room.points[i]);
    return plPatchReader_Check(g->r, line + 1);
}

static bool readEntities(plIges* g, plScratch* scratch)
{
    const size_t count = (size_t)g->directory.count / 2 + 1;
    g->patches = plScratch_Take(scratch, count, sizeof *g->patches);
    if (!g->patches) {
        return plTriangleReader_Fail(&g->r->words, pl_statusNoMemory, 0, "no memory for the file");
    }
    for (int entity = 0; 2 * entity + 1 < g->directory.count; entity++) {
        int kind;
        if (!plIges_Directory(g, entity, plIgesKind, &kind)) return false;
        if (kind != 128) continue;
        g->patches[entity] = g->r->out->count + 1;
        if (!readSurface(g, entity)) return false;
    }
    return g->r->out->count > 0 ||
           plIges_Fail(g, g->directory.first, "the file has no B-spline surface (128)");
}

bool plReadIges(plPatchReader* r)
{
    plScratch scratch = {.allocator = &r->out->allocator};
    plIges g = {.r = r};
    const bool good = findRecords(&g, &scratch) && findSections(&g) && readGlobal(&g) &&
                      readEntities(&g, &scratch) && plIges_Trims(&g);
    plScratch_Free(&scratch);
    return good;
}
