// What readers of tetrahedra share: numbers in text and in bytes, and errors in words.
#include "shape/tets_inside.h"

#include <ctype.h>
#include <string.h>

void plCursor_SkipSpace(plCursor* c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at)) {
        if (*c->at == '\n') c->line++;
        c->at++;
    }
}

bool plCursor_SkipLine(plCursor* c)
{
    if (c->at >= c->end) return false;
    while (c->at < c->end && *c->at != '\n') c->at++;
    if (c->at < c->end) c->at++, c->line++;
    return true;
}

bool plCursor_Accept(plCursor* c, const char* word)
{
    plCursor_SkipSpace(c);
    size_t n = 0;
    while (word[n] && tolower((unsigned char)c->at[n]) == tolower((unsigned char)word[n])) n++;
    if (word[n] || isalnum((unsigned char)c->at[n]) || c->at[n] == '_') return false;
    c->at += n;
    return true;
}

/// The next `width` bytes as a number without sign.
static bool takeBytes(plCursor* c, int width, uint64_t* bits)
{
    if (c->end - c->at < width) return false;
    *bits = 0;
    for (int i = 0; i < width; i++) {
        const int place = c->bigEnd ? width - 1 - i : i;
        *bits |= (uint64_t)(unsigned char)c->at[i] << 8 * place;
    }
    c->at += width;
    return true;
}

static bool takeDigits(plCursor* c, int64_t* value)
{
    plCursor_SkipSpace(c);
    const char* at = c->at;
    const bool negative = *at == '-';
    int64_t number = 0;
    if (*at == '-' || *at == '+') at++;
    if (!isdigit((unsigned char)*at)) return false;
    for (; isdigit((unsigned char)*at); at++) {
        if (number > (INT64_MAX - 9) / 10) return false;
        number = 10 * number + (*at - '0');
    }
    if (*at && !isspace((unsigned char)*at)) return false;
    c->at = at;
    *value = negative ? -number : number;
    return true;
}

bool plCursor_Int(plCursor* c, int width, int64_t* value)
{
    uint64_t bits;
    if (!c->binary) return takeDigits(c, value);
    if (!takeBytes(c, width, &bits)) return false;
    *value = width == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
    return true;
}

bool plCursor_Real(plCursor* c, int width, double* value)
{
    uint64_t bits;
    if (!c->binary) {
        plCursor_SkipSpace(c);
        return plReadNumber(&c->at, value);
    }
    if (!takeBytes(c, width, &bits)) return false;
    if (width == 4) {
        const uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        *value = (double)single;
    } else {
        memcpy(value, &bits, sizeof *value);
    }
    return isfinite(*value);
}

// --- in words

bool plTetReader_Say(plTetReader* r, const plCursor* c, const char* sentence)
{
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, c->binary ? 0 : c->line, "%s",
                                 sentence);
}

bool plTetReader_Fail(plTetReader* r, const plCursor* c, const char* what)
{
    plCursor here = *c;
    if (c->binary) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                     "%s expected at byte %zu of the binary file", what,
                                     (size_t)(c->at - c->start));
    }
    plCursor_SkipSpace(&here);
    if (here.at >= here.end) {
        return plTriangleReader_Fail(&r->words, pl_statusFileFormat, here.line,
                                     "%s expected, and the file ends", what);
    }
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, here.line,
                                 "%s expected, found '%.16s'", what, here.at);
}

bool plTetReader_Int(plTetReader* r, plCursor* c, int width, const char* what, int64_t* value)
{
    return plCursor_Int(c, width, value) || plTetReader_Fail(r, c, what);
}

bool plTetReader_Count(plTetReader* r, plCursor* c, int width, const char* what, int64_t* value)
{
    const plCursor before = *c;
    return (plCursor_Int(c, width, value) && *value >= 0) || plTetReader_Fail(r, &before, what);
}

static bool added(plTetReader* r, plStatus status)
{
    if (status == pl_statusOk) return true;
    return plTriangleReader_Fail(&r->words, status, 0,
                                 status == pl_statusCapacity ? "more than %d points or tetrahedra"
                                                             : "no memory for the mesh",
                                 plMostTets);
}

bool plTetReader_Point(plTetReader* r, plCursor* c, int width)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        if (!plCursor_Real(c, width, &x[k])) return plTetReader_Fail(r, c, "a coordinate");
    }
    return added(r, plTets_AddPoint(r->out, plVec(x[0], x[1], x[2])));
}

bool plTetReader_Tet(plTetReader* r, const plCursor* c, const int64_t corners[4])
{
    int v[4];
    for (int k = 0; k < 4; k++) {
        if (corners[k] < 0 || corners[k] >= r->out->pointCount) {
            return plTriangleReader_Fail(&r->words, pl_statusFileFormat, c->binary ? 0 : c->line,
                                         "a tetrahedron names point %lld, and there are %d, from 0",
                                         (long long)corners[k], r->out->pointCount);
        }
        v[k] = (int)corners[k];
        for (int j = 0; j < k; j++) {
            if (v[j] != v[k]) continue;
            return plTriangleReader_Fail(&r->words, pl_statusFileFormat, c->binary ? 0 : c->line,
                                         "a tetrahedron names point %d twice", v[k]);
        }
    }
    return added(r, plTets_AddTet(r->out, v));
}
