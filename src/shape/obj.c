// Wavefront OBJ: `v x y z` and `f a b c ...`, where a corner is a point's number, counted from 1 or
// backwards from -1, with texture and normal numbers behind slashes. Polygons are cut into fans
// from their first corner. Everything else (normals, groups, materials, curves) is passed over.
#include "shape/inside.h"

#include <string.h>

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Blanks and continued lines (a backslash before the end of the line).
static const char* skipBlanks(const char* at, int* line)
{
    for (;;) {
        while (isBlank(*at)) at++;
        if (*at != '\\') return at;
        const char* behind = at + 1;
        while (*behind == '\r') behind++;
        if (*behind != '\n') return at;
        at = behind + 1;
        ++*line;
    }
}

static bool isEnd(char c) { return c == '\0' || c == '\n' || c == '#'; }

static bool readVertex(plTriangleReader* r, const char** at, int* line)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        *at = skipBlanks(*at, line);
        if (!plReadNumber(at, &x[k])) {
            return plTriangleReader_Fail(r, pl_statusFileFormat, *line,
                                         "coordinate %d of the point is no number", k + 1);
        }
    }
    return plTriangleReader_AddPoint(r, plVec(x[0], x[1], x[2])); // weight or colour may follow
}

/// The number before the first slash.
static bool readCorner(plTriangleReader* r, const char** at, int line, int* corner)
{
    const char* c = *at;
    const bool back = *c == '-';
    int64_t number = 0;
    if (back) c++;
    if (*c < '0' || *c > '9') {
        return plTriangleReader_Fail(r, pl_statusFileFormat, line, "'%.16s' is no corner", *at);
    }
    while (*c >= '0' && *c <= '9') {
        number = 10 * number + (*c++ - '0');
        if (number > INT32_MAX) number = INT32_MAX;
    }
    while (*c && strchr("/-0123456789", *c)) c++;
    if (!isBlank(*c) && !isEnd(*c) && *c != '\\') {
        return plTriangleReader_Fail(r, pl_statusFileFormat, line, "'%.16s' is no corner", *at);
    }
    *at = c;
    const int64_t index = back ? r->out->pointCount - number : number - 1;
    if (index < 0 || index >= r->out->pointCount) {
        return plTriangleReader_Fail(r, pl_statusFileFormat, line,
                                     "the face names point %s%lld, and there are %d so far",
                                     back ? "-" : "", (long long)number, r->out->pointCount);
    }
    *corner = (int)index;
    return true;
}

static bool readFace(plTriangleReader* r, const char** at, int* line)
{
    int corners = 0, first = 0, last = 0;
    for (;;) {
        int corner = 0;
        *at = skipBlanks(*at, line);
        if (isEnd(**at)) break;
        if (!readCorner(r, at, *line, &corner)) return false;
        if (corners == 0) first = corner;
        if (corners >= 2 && !plTriangleReader_AddTriangle(r, first, last, corner)) return false;
        last = corner;
        corners++;
    }
    if (corners >= 3) return true;
    return plTriangleReader_Fail(r, pl_statusFileFormat, *line, "a face needs three corners");
}

bool plReadObj(plTriangleReader* r, const char* bytes, size_t size)
{
    const char* at = bytes;
    const char* end = bytes + size;
    for (int line = 1; at < end; line++) {
        at = skipBlanks(at, &line);
        const bool isVertex = at[0] == 'v' && isBlank(at[1]);
        const bool isFace = at[0] == 'f' && isBlank(at[1]);
        if (isVertex || isFace) at++;
        if (isVertex && !readVertex(r, &at, &line)) return false;
        if (isFace && !readFace(r, &at, &line)) return false;
        while (at < end && *at != '\n') {
            if (*at == '\0') {
                return plTriangleReader_Fail(r, pl_statusFileFormat, line, "not a text file");
            }
            // A continued line ends where its last piece does.
            if (*at == '\\' && at[1] == '\n') at++, line++;
            at++;
        }
        at++;
    }
    return true;
}
