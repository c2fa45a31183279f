// Legacy VTK: unstructured grids, text and binary (big end first).
//   CELLS n size         each cell its number of points and the points; up to version 4.2
//   CELLS n + 1 size     OFFSETS kind, then CONNECTIVITY kind; from version 5.0
//   CELL_TYPES n         10 is the linear tetrahedron
// Types stand behind the cells, so both are found first and then read side by side. Data of points
// and cells come last and are not looked at.
#include "shape/tets_inside.h"

#include <string.h>

enum { linearTet = 10, higherTet = 24, mostPoints = 1 << 20 };

typedef struct {
    plTetReader* r;
    plCursor* c;
    bool binary, hasCells, split; // split: offsets and points apart
    int64_t cells, higher;
    plCursor offsets, points; // of cells; old files: points only, with their numbers
    int offsetWidth, pointWidth;
} Vtk;

static bool fail(Vtk* v, const char* what) { return plTetReader_Fail(v->r, v->c, what); }

static bool say(Vtk* v, const char* sentence) { return plTetReader_Say(v->r, v->c, sentence); }

/// A count in the words of a line.
static bool readCount(Vtk* v, const char* what, int64_t* value)
{
    return plTetReader_Count(v->r, v->c, 0, what, value);
}

/// Bytes of a named kind of number; 0: unknown.
static int readKind(Vtk* v)
{
    static const struct {
        const char* name;
        int width;
    } kinds[] = {{"float", 4}, {"double", 8},       {"int", 4},
                 {"long", 8},  {"vtktypeint64", 8}, {"vtktypeint32", 4}};
    for (int i = 0; i < PL_COUNT(kinds); i++) {
        if (plCursor_Accept(v->c, kinds[i].name)) return kinds[i].width;
    }
    return 0;
}

/// Numbers begin on the next line.
static bool beginNumbers(Vtk* v)
{
    if (!plCursor_SkipLine(v->c)) return fail(v, "a line of numbers");
    v->c->binary = v->binary;
    return true;
}

static void endNumbers(Vtk* v) { v->c->binary = false; }

static bool skipInts(Vtk* v, int64_t count, int width)
{
    int64_t other;
    if (v->binary) {
        if (count > (v->c->end - v->c->at) / width)
            return say(v, "the file has fewer numbers than announced");
        v->c->at += count * width;
        return true;
    }
    for (int64_t i = 0; i < count; i++) {
        if (!plTetReader_Int(v->r, v->c, width, "a number of a cell", &other)) return false;
    }
    return true;
}

static bool readPoints(Vtk* v)
{
    int64_t points;
    if (v->r->out->pointCount > 0) return say(v, "POINTS stands twice");
    if (!readCount(v, "the number of points", &points)) return false;
    const int width = readKind(v);
    if (width == 0) return fail(v, "float or double");
    if (!beginNumbers(v)) return false;
    for (int64_t i = 0; i < points; i++) {
        if (!plTetReader_Point(v->r, v->c, width)) return false;
    }
    endNumbers(v);
    return true;
}

/// Numbers that are passed over now; where they begin is kept.
static bool readLater(Vtk* v, int64_t count, int width, plCursor* begin)
{
    if (width == 0) return fail(v, "vtktypeint64 or int");
    if (!beginNumbers(v)) return false;
    *begin = *v->c;
    const bool good = skipInts(v, count, width);
    endNumbers(v);
    return good;
}

static bool readCells(Vtk* v)
{
    int64_t size;
    if (v->hasCells) return say(v, "CELLS stands twice");
    if (!readCount(v, "the number of cells", &v->cells)) return false;
    if (!readCount(v, "the number of numbers of all cells", &size)) return false;
    v->hasCells = true;
    plCursor next = *v->c;
    v->split = plCursor_Accept(&next, "OFFSETS");
    v->offsetWidth = v->pointWidth = 4;
    if (!v->split) return readLater(v, size, 4, &v->points);
    *v->c = next;
    v->offsetWidth = readKind(v);
    if (!readLater(v, v->cells, v->offsetWidth, &v->offsets)) return false;
    v->cells -= v->cells > 0; // offsets are one more than cells
    if (!plCursor_Accept(v->c, "CONNECTIVITY")) return fail(v, "CONNECTIVITY");
    v->pointWidth = readKind(v);
    return readLater(v, size, v->pointWidth, &v->points);
}

/// How many points the next cell has.
static bool cellSize(Vtk* v, int64_t* last, int64_t* size)
{
    if (!v->split) return plTetReader_Count(v->r, &v->points, 4, "the size of a cell", size);
    int64_t offset;
    if (!plTetReader_Count(v->r, &v->offsets, v->offsetWidth, "an offset", &offset)) return false;
    if (offset < *last)
        return plTetReader_Say(v->r, &v->offsets, "the offsets of cells do not ascend");
    *size = offset - *last;
    *last = offset;
    return true;
}

static bool readCell(Vtk* v, int64_t type, int64_t size)
{
    int64_t point, corners[4] = {0};
    if (type == linearTet && size != 4) {
        return plTetReader_Say(v->r, &v->points, "a tetrahedron has not four points");
    }
    if (size > mostPoints)
        return plTetReader_Say(v->r, &v->points, "a cell has more than a million points");
    const plCursor before = v->points;
    for (int64_t k = 0; k < size; k++) {
        if (!plTetReader_Int(v->r, &v->points, v->pointWidth, "a point of a cell", &point)) {
            return false;
        }
        if (k < 4) corners[k] = point;
    }
    v->higher += type == higherTet;
    return type != linearTet || plTetReader_Tet(v->r, &before, corners);
}

static bool readTypes(Vtk* v)
{
    int64_t types, type, size, last = 0, first;
    if (!v->hasCells || v->r->out->pointCount == 0)
        return say(v, "CELL_TYPES stands before POINTS or CELLS");
    if (v->r->out->tetCount > 0) return say(v, "CELL_TYPES stands twice");
    if (!readCount(v, "the number of types", &types)) return false;
    if (types != v->cells) return say(v, "there are not as many types as cells");
    if (!beginNumbers(v)) return false;
    if (v->split && !plTetReader_Int(v->r, &v->offsets, v->offsetWidth, "an offset", &first)) {
        return false;
    }
    for (int64_t i = 0; i < types; i++) {
        if (!plTetReader_Int(v->r, v->c, 4, "the type of a cell", &type)) return false;
        if (!cellSize(v, &last, &size) || !readCell(v, type, size)) return false;
    }
    endNumbers(v);
    return true;
}

static bool readHead(Vtk* v)
{
    plCursor* c = v->c;
    for (int line = 0; line < 2; line++) { // "# vtk DataFile Version", and a title
        if (!plCursor_SkipLine(c)) return fail(v, "the head of a VTK file");
    }
    v->binary = plCursor_Accept(c, "BINARY");
    c->bigEnd = true;
    if (!v->binary && !plCursor_Accept(c, "ASCII")) return fail(v, "ASCII or BINARY");
    if (!plCursor_Accept(c, "DATASET") || !plCursor_Accept(c, "UNSTRUCTURED_GRID")) {
        return fail(v, "DATASET UNSTRUCTURED_GRID");
    }
    return true;
}

bool plReadVtk(plTetReader* r)
{
    Vtk v = {.r = r, .c = &r->c};
    if (!readHead(&v)) return false;
    for (;;) {
        bool good = true;
        plCursor_SkipSpace(v.c);
        if (v.c->at == v.c->end) break;
        if (plCursor_Accept(v.c, "POINT_DATA") || plCursor_Accept(v.c, "CELL_DATA")) break;
        if (plCursor_Accept(v.c, "POINTS")) {
            good = readPoints(&v);
        } else if (plCursor_Accept(v.c, "CELLS")) {
            good = readCells(&v);
        } else if (plCursor_Accept(v.c, "CELL_TYPES")) {
            good = readTypes(&v);
        } else {
            plCursor_SkipLine(v.c); // names and kinds that some programs add
        }
        if (!good) return false;
    }
    if (r->out->tetCount > 0 || v.higher == 0) return true;
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                 "the file has no linear tetrahedron, but %lld of higher order",
                                 (long long)v.higher);
}
