// The mesh of a soft body: from a file, or made.
#include "scene/build.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { mostCells = 1000 }; // along one side of a made mesh

#define CELLS(type, name)                                                                          \
    {                                                                                              \
        .key = #name, .kind = pl_fieldInt, .offset = offsetof(type, name),                         \
        .range = pl_rangePositive, .max = mostCells                                                \
    }
#define LENGTH(type, name)                                                                         \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(type, name),                      \
        .range = pl_rangePositive, .max = 1e3, .unit = "m"                                         \
    }

// ---------------------------------------------------------------------------------- from a file

typedef struct {
    const char* file;
    double scale;
} FromFile;

/// A copy, since a mirror adds to it.
static plStatus copyTets(const plTets* from, plTets* to)
{
    const plAllocator a = plDefaultAllocator();
    const size_t points = (size_t)from->pointCount * sizeof *to->points,
                 tets = 4 * (size_t)from->tetCount * sizeof *to->tets;
    *to = (plTets){.allocator = a, .pointBytes = points, .tetBytes = tets};
    to->points = a.take(a.self, points);
    to->tets = a.take(a.self, tets);
    if (!to->points || !to->tets) {
        if (to->points) a.release(a.self, to->points, points);
        if (to->tets) a.release(a.self, to->tets, tets);
        *to = (plTets){0};
        return pl_statusNoMemory;
    }
    memcpy(to->points, from->points, points);
    memcpy(to->tets, from->tets, tets);
    to->pointCount = from->pointCount;
    to->tetCount = from->tetCount;
    return pl_statusOk;
}

static bool readFile(plBuilder* b, const FromFile* from, plTets* out)
{
    const plTets* tets = NULL;
    if (!plFiles_Tets(b->files, b->reader, from->file, from->scale, &tets)) return false;
    if (tets->tetCount < 1)
        return plReader_FailAt(b->reader, "file", "found no tetrahedron in \"%s\"", from->file);
    return copyTets(tets, out) == pl_statusOk || plReader_FailMemory(b->reader);
}

// ---------------------------------------------------------------------------------------- made

/// Whatever a maker refuses is a size that it cannot make.
static bool made(plReader* r, plStatus status)
{
    if (status == pl_statusOk) return true;
    if (status == pl_statusNoMemory) return plReader_FailMemory(r);
    if (status == pl_statusCapacity)
        return plReader_Fail(r, pl_statusSceneContent,
                             "found more than %d tetrahedra, expected less", plMostTets);
    return plReader_Fail(r, pl_statusSceneContent,
                         "found sizes that do not fit together, expected those of a solid");
}

typedef struct {
    int x, y, z;
    plVec3 lo, hi;
} Box;

static bool makeBox(plBuilder* b, const json_t* json, plTets* out)
{
    static const plField fields[] = {
        {.key = "counts", .kind = pl_fieldOther, .required = true, .unit = "[nx, ny, nz]"},
        {.key = "lo",
         .kind = pl_fieldVec3,
         .offset = offsetof(Box, lo),
         .required = true,
         .unit = "m"},
        {.key = "hi",
         .kind = pl_fieldVec3,
         .offset = offsetof(Box, hi),
         .required = true,
         .unit = "m"},
    };
    plReader* r = b->reader;
    const plAllocator allocator = plDefaultAllocator();
    Box box = {0};
    double n[3];
    if (!plReader_Object(r, json, fields, PL_COUNT(fields), &box)) return false;
    plReader_Enter(r, "counts");
    const json_t* counts = json_object_get(json, "counts");
    plReader_Numbers(r, counts, NULL, 3, n);
    for (int i = 0; i < 3 && !r->failed; i++) {
        if (!(n[i] >= 1 && n[i] <= mostCells && (int)n[i] == n[i]))
            plReader_Expect(r, counts, "integers from 1 to %d", mostCells);
    }
    plReader_Leave(r);
    if (r->failed) return false;
    return made(r, plTets_Box((int)n[0], (int)n[1], (int)n[2], box.lo, box.hi, &allocator, out));
}

typedef struct {
    double length, side;
    int across;
} Bar;

static bool makeBar(plBuilder* b, const json_t* json, plTets* out)
{
    static const plField fields[] = {LENGTH(Bar, length), LENGTH(Bar, side), CELLS(Bar, across)};
    const plAllocator allocator = plDefaultAllocator();
    Bar bar = {.length = 0.1, .side = 0.01, .across = 2};
    return plReader_Object(b->reader, json, fields, PL_COUNT(fields), &bar) &&
           made(b->reader, plTets_Bar(bar.length, bar.side, bar.across, &allocator, out));
}

typedef struct {
    int cells, beams;
} Table;

static bool makeTable(plBuilder* b, const json_t* json, plTets* out)
{
    static const plField fields[] = {
        {.key = "cells",
         .kind = pl_fieldInt,
         .offset = offsetof(Table, cells),
         .range = pl_rangePositive,
         .max = 100},
        {.key = "beams",
         .kind = pl_fieldInt,
         .offset = offsetof(Table, beams),
         .range = pl_rangeNotNegative,
         .max = 2},
    };
    const plAllocator allocator = plDefaultAllocator();
    Table table = {.cells = 1};
    return plReader_Object(b->reader, json, fields, PL_COUNT(fields), &table) &&
           made(b->reader, plTets_Table(table.cells, table.beams, &allocator, out));
}

static bool makeClip(plBuilder* b, const json_t* json, plTets* out)
{
    static const plField fields[] = {
        LENGTH(plClipDef, innerRadius),
        LENGTH(plClipDef, thickness),
        LENGTH(plClipDef, depth),
        {.key = "handleAngle",
         .kind = pl_fieldNumber,
         .offset = offsetof(plClipDef, handleAngle),
         .range = pl_rangePositive,
         .unit = "rad"},
        {.key = "tipAngle",
         .kind = pl_fieldNumber,
         .offset = offsetof(plClipDef, tipAngle),
         .range = pl_rangePositive,
         .unit = "rad"},
        LENGTH(plClipDef, handleLength),
        CELLS(plClipDef, handleCells),
        CELLS(plClipDef, armCells),
        CELLS(plClipDef, radialCells),
        CELLS(plClipDef, depthCells),
        CELLS(plClipDef, lengthCells),
    };
    const plAllocator allocator = plDefaultAllocator();
    plClipDef clip = plDefaultClipDef();
    return plReader_Object(b->reader, json, fields, PL_COUNT(fields), &clip) &&
           made(b->reader, plTets_Clip(&clip, &allocator, out));
}

static bool makePipe(plBuilder* b, const json_t* json, plTets* out)
{
    static const plField fields[] = {
        LENGTH(plPipeDef, outerRadius), LENGTH(plPipeDef, wall),
        LENGTH(plPipeDef, length),      CELLS(plPipeDef, sectors),
        CELLS(plPipeDef, radialCells),  CELLS(plPipeDef, lengthCells),
    };
    const plAllocator allocator = plDefaultAllocator();
    plPipeDef pipe = plDefaultPipeDef();
    return plReader_Object(b->reader, json, fields, PL_COUNT(fields), &pipe) &&
           made(b->reader, plTets_Pipe(&pipe, &allocator, out));
}

static const struct {
    const char* key;
    bool (*make)(plBuilder*, const json_t*, plTets*);
} makers[] = {{"box", makeBox},
              {"bar", makeBar},
              {"table", makeTable},
              {"clip", makeClip},
              {"pipe", makePipe}};

// -------------------------------------------------------------------------------------- either

static const plField meshFields[] = {
    {.key = "file", .kind = pl_fieldText, .offset = offsetof(FromFile, file)},
    {.key = "scale",
     .kind = pl_fieldNumber,
     .offset = offsetof(FromFile, scale),
     .range = pl_rangePositive,
     .max = 1e6},
    {.key = "box", .kind = pl_fieldOther},
    {.key = "bar", .kind = pl_fieldOther},
    {.key = "table", .kind = pl_fieldOther},
    {.key = "clip", .kind = pl_fieldOther},
    {.key = "pipe", .kind = pl_fieldOther},
    {.key = "mirror", .kind = pl_fieldOther},
};

/// Axes one after the other: "x", or ["x", "z"].
static bool mirror(plReader* r, const json_t* json, plTets* t)
{
    const json_t* value = json_object_get(json, "mirror");
    const int count = json_is_array(value) ? (int)json_array_size(value) : value != NULL;
    plReader_Enter(r, "mirror");
    if (count > 3) plReader_Expect(r, value, "at most three axes");
    for (int i = 0; i < count && !r->failed; i++) {
        const char* name =
            json_string_value(json_is_array(value) ? json_array_get(value, (size_t)i) : value);
        const char* axis = name && strlen(name) == 1 ? strchr("xyz", name[0]) : NULL;
        if (!axis) {
            plReader_Expect(r, value, "\"x\", \"y\" or \"z\", or an array of them");
        } else if (plTets_Mirror(t, (int)(axis - strchr("xyz", 'x'))) != pl_statusOk) {
            plReader_Fail(r, pl_statusSceneContent, "no memory, or too many tetrahedra");
        }
    }
    plReader_Leave(r);
    return !r->failed;
}

static bool makeOne(plBuilder* b, const json_t* json, plTets* out)
{
    plReader* r = b->reader;
    FromFile from = {.scale = 1};
    int chosen = -1, count = 0;
    if (!plReader_Object(r, json, meshFields, PL_COUNT(meshFields), &from)) return false;
    for (int i = 0; i < PL_COUNT(makers); i++) {
        if (!json_object_get(json, makers[i].key)) continue;
        chosen = i;
        count++;
    }
    if (count + (from.file != NULL) != 1)
        return plReader_Fail(r, pl_statusSceneContent,
                             "expected one of \"file\", \"box\", \"bar\", \"table\", \"clip\" and "
                             "\"pipe\"");
    if (from.file) return readFile(b, &from, out);
    if (json_object_get(json, "scale"))
        return plReader_FailAt(r, "scale", "found without \"file\", expected beside it");
    plReader_Enter(r, makers[chosen].key);
    makers[chosen].make(b, json_object_get(json, makers[chosen].key), out);
    plReader_Leave(r);
    return !r->failed;
}

bool plBuilder_Tets(plBuilder* b, const json_t* json, plTets* out)
{
    plReader* r = b->reader;
    plTetsReport report;
    plShapeError error;
    *out = (plTets){0};
    plReader_Enter(r, "mesh");
    if (makeOne(b, json_object_get(json, "mesh"), out) &&
        mirror(r, json_object_get(json, "mesh"), out) &&
        plTets_Check(out, &report, &error) != pl_statusOk)
        plReader_Fail(r, pl_statusSceneContent, "%s", error.message);
    plReader_Leave(r);
    if (r->failed && out->points) plTets_Free(out);
    return !r->failed;
}
