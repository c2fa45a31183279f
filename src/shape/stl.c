// STL, binary (80 bytes of anything, a count, 50 bytes for each triangle: normal, corners, a word)
// and text (`solid`, `facet normal`, `outer loop`, three `vertex`, ...). The normals are not read:
// the order of the corners says which side is outside. Every triangle brings three points of its
// own; equal ones are joined afterwards.
#include "shape/inside.h"

#include <ctype.h>
#include <string.h>

enum { headSize = 84, recordSize = 50 };

static uint32_t readCount(const char* bytes)
{
    const unsigned char* b = (const unsigned char*)bytes + 80;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool isBinary(const char* bytes, size_t size)
{
    return size >= headSize && size == headSize + (uint64_t)recordSize * readCount(bytes);
}

static bool isSolid(const char* bytes, size_t size)
{
    size_t i = 0;
    while (i < size && isspace((unsigned char)bytes[i])) i++;
    static const char word[] = "solid";
    for (int k = 0; k < 5; k++) {
        if (i + (size_t)k >= size || tolower((unsigned char)bytes[i + (size_t)k]) != word[k]) {
            return false;
        }
    }
    return true;
}

// A zero byte in the head makes it no text, so at best a binary file of the wrong length.
bool plLooksLikeStl(const char* bytes, size_t size)
{
    if (isBinary(bytes, size) || isSolid(bytes, size)) return true;
    return memchr(bytes, 0, size < headSize ? size : headSize) != NULL;
}

static double readFloat(const char* bytes)
{
    const unsigned char* b = (const unsigned char*)bytes;
    const uint32_t bits =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool addFacet(plTriangleReader* r, const plVec3 v[3])
{
    const int first = r->out->pointCount;
    for (int k = 0; k < 3; k++) {
        if (!plTriangleReader_AddPoint(r, v[k])) return false;
    }
    return plTriangleReader_AddTriangle(r, first, first + 1, first + 2);
}

static bool readBinary(plTriangleReader* r, const char* bytes, size_t size)
{
    if (size < headSize) {
        return plTriangleReader_Fail(r, pl_statusFileFormat, 0,
                                     "too short for a binary STL: %zu of %d bytes", size, headSize);
    }
    const uint32_t count = readCount(bytes);
    if (!isBinary(bytes, size)) {
        return plTriangleReader_Fail(r, pl_statusFileFormat, 0,
                                     "the head announces %u triangles, the file holds %.1f", count,
                                     (double)(size - headSize) / recordSize);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char* record = bytes + headSize + (size_t)recordSize * i;
        plVec3 v[3];
        for (int k = 0; k < 3; k++) {
            const char* c = record + 12 + 12 * k;
            v[k] = plVec(readFloat(c), readFloat(c + 4), readFloat(c + 8));
            if (!plFinite3(v[k])) {
                return plTriangleReader_Fail(r, pl_statusFileFormat, 0,
                                             "a corner of triangle %u is not finite", i);
            }
        }
        if (!addFacet(r, v)) return false;
    }
    return true;
}

// --- text

typedef struct {
    const char* at;
    int line;
} Cursor;

static void skipSpace(Cursor* c)
{
    while (isspace((unsigned char)*c->at)) {
        if (*c->at == '\n') c->line++;
        c->at++;
    }
}

/// The next word, if it is this one, whatever its case.
static bool accept(Cursor* c, const char* word)
{
    skipSpace(c);
    size_t n = 0;
    while (word[n] && tolower((unsigned char)c->at[n]) == word[n]) n++;
    if (word[n] || isalnum((unsigned char)c->at[n])) return false;
    c->at += n;
    return true;
}

static bool expect(plTriangleReader* r, Cursor* c, const char* word)
{
    if (accept(c, word)) return true;
    return plTriangleReader_Fail(r, pl_statusFileFormat, c->line, "'%s' expected, found '%.16s'",
                                 word, c->at);
}

static bool readThree(plTriangleReader* r, Cursor* c, plVec3* v)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        skipSpace(c);
        if (!plReadNumber(&c->at, &x[k])) {
            return plTriangleReader_Fail(r, pl_statusFileFormat, c->line,
                                         "a number expected, found '%.16s'", c->at);
        }
    }
    *v = plVec(x[0], x[1], x[2]);
    return true;
}

/// Normals may be anything, "nan" included.
static void skipLine(Cursor* c)
{
    while (*c->at && *c->at != '\n') c->at++;
}

static bool readFacet(plTriangleReader* r, Cursor* c)
{
    plVec3 v[3];
    skipLine(c);
    if (!expect(r, c, "outer") || !expect(r, c, "loop")) return false;
    for (int k = 0; k < 3; k++) {
        if (!expect(r, c, "vertex") || !readThree(r, c, &v[k])) return false;
    }
    if (!expect(r, c, "endloop") || !expect(r, c, "endfacet")) return false;
    return addFacet(r, v);
}

static bool readText(plTriangleReader* r, const char* bytes, size_t size)
{
    Cursor c = {bytes, 1};
    if (memchr(bytes, 0, size)) {
        return plTriangleReader_Fail(r, pl_statusFileFormat, 0,
                                     "neither text nor a binary STL of the announced length");
    }
    while (accept(&c, "solid")) {
        skipLine(&c);
        while (accept(&c, "facet")) {
            if (!readFacet(r, &c)) return false;
        }
        if (!expect(r, &c, "endsolid")) return false;
        skipLine(&c);
    }
    skipSpace(&c);
    if (*c.at == '\0') return true;
    return plTriangleReader_Fail(r, pl_statusFileFormat, c.line, "'solid' expected, found '%.16s'",
                                 c.at);
}

bool plReadStl(plTriangleReader* r, const char* bytes, size_t size)
{
    if (!isBinary(bytes, size) && isSolid(bytes, size)) return readText(r, bytes, size);
    return readBinary(r, bytes, size);
}
