// MSH, the format of Gmsh: versions 2.x and 4.1, text and binary. Points have tags, any numbers;
// elements name them. Sections other than $Nodes and $Elements are passed over.
//   2.2  $Nodes: count, then tag x y z           $Elements: count, then tag type n tags.. points..
//        (binary: type count n, then the elements of that type without type and n)
//   4.1  both in blocks: 4 numbers of the section, then for each block
//        dimension entity parametric count, tags, points | dimension entity type count, tag points..
#include "shape/tets_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t tag;
    int index;
} Tag;

typedef struct {
    plTetReader* r;
    plCursor* c;
    int version;    // 2 or 4
    int whole;      // bytes of a count or tag in a binary file
    int64_t higher; // tetrahedra of higher order, passed over
    Tag* tags;
    size_t tagBytes;
    int tagCount;
    bool sorted; // tags ascend
} Msh;

enum { linearTet = 4, mostType = 31 };

/// Points of an element of each type.
static const int typePoints[mostType + 1] = {0,  2,  3,  4,  4, 8, 6,  5,  3,  6, 9,
                                             10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10,
                                             12, 15, 15, 21, 4, 5, 6,  20, 35, 56};

static bool isHigherTet(int64_t type)
{
    return type == 11 || type == 29 || type == 30 || type == 31;
}

// --- tags

static bool addTag(Msh* m, int64_t tag)
{
    void* list = m->tags;
    if (m->tagCount >= plMostTets) {
        return plTriangleReader_Fail(&m->r->words, pl_statusCapacity, 0, "more than %d points",
                                     plMostTets);
    }
    if (!plList_Grow(&m->r->out->allocator, &list, &m->tagBytes, (size_t)m->tagCount,
                     sizeof *m->tags)) {
        return plTriangleReader_Fail(&m->r->words, pl_statusNoMemory, 0, "no memory for the mesh");
    }
    m->tags = list;
    m->sorted = m->sorted && (m->tagCount == 0 || m->tags[m->tagCount - 1].tag < tag);
    m->tags[m->tagCount] = (Tag){tag, m->tagCount};
    m->tagCount++;
    return true;
}

static int compareTags(const void* a, const void* b)
{
    const Tag *x = a, *y = b;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool sortTags(Msh* m)
{
    if (m->sorted) return true;
    qsort(m->tags, (size_t)m->tagCount, sizeof *m->tags, compareTags);
    for (int i = 1; i < m->tagCount; i++) {
        if (m->tags[i].tag != m->tags[i - 1].tag) continue;
        return plTriangleReader_Fail(&m->r->words, pl_statusFileFormat, 0,
                                     "two points have the tag %lld", (long long)m->tags[i].tag);
    }
    m->sorted = true;
    return true;
}

/// Index of the point with a tag; -1: none.
static int64_t findTag(const Msh* m, int64_t tag)
{
    int lo = 0, hi = m->tagCount;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (m->tags[middle].tag < tag) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < m->tagCount && m->tags[lo].tag == tag ? m->tags[lo].index : -1;
}

// --- numbers

static bool fail(Msh* m, const char* what) { return plTetReader_Fail(m->r, m->c, what); }

static bool say(Msh* m, const char* sentence) { return plTetReader_Say(m->r, m->c, sentence); }

static bool readInt(Msh* m, int width, const char* what, int64_t* value)
{
    return plTetReader_Int(m->r, m->c, width, what, value);
}

static bool readCount(Msh* m, const char* what, int64_t* value)
{
    return plTetReader_Count(m->r, m->c, m->whole, what, value);
}

/// The count of a section of version 2: a line of text in binary files too.
static bool readTextCount(Msh* m, const char* what, int64_t* value)
{
    const bool binary = m->c->binary;
    m->c->binary = false;
    bool good = plTetReader_Count(m->r, m->c, 0, what, value);
    if (good && binary) good = plCursor_SkipLine(m->c);
    m->c->binary = binary;
    return good;
}

/// The four numbers of a section of version 4: blocks, members, least and largest tag.
static bool readBlocks(Msh* m, const char* what, int64_t* blocks)
{
    int64_t other;
    if (m->c->binary && !plCursor_SkipLine(m->c)) return fail(m, what);
    if (!readCount(m, what, blocks)) return false;
    for (int k = 0; k < 3; k++) {
        if (!readInt(m, m->whole, what, &other)) return false;
    }
    return true;
}

static bool readFormat(Msh* m)
{
    double version;
    int64_t kind, size, one;
    if (!plCursor_Real(m->c, 0, &version)) return fail(m, "the version of the format");
    if (!readInt(m, 0, "the kind of file (0 text, 1 binary)", &kind)) return false;
    if (!readInt(m, 0, "the size of a number", &size)) return false;
    m->version = version >= 2 && version < 3 ? 2 : version == 4.1 ? 4 : 0;
    if (m->version == 0) {
        return plTriangleReader_Fail(&m->r->words, pl_statusFileFormat, m->c->line,
                                     "version %g of MSH is not read; 2.2 and 4.1 are", version);
    }
    if (size != 8 || kind < 0 || kind > 1)
        return say(m, "numbers of 8 bytes are read, in text or binary");
    m->whole = m->version == 2 ? 4 : 8;
    if (kind == 0) return true;
    // An integer 1 tells the order of the bytes.
    if (!plCursor_SkipLine(m->c)) return fail(m, "an integer 1");
    m->c->binary = true;
    plCursor turned = *m->c;
    turned.bigEnd = true;
    if (!readInt(m, 4, "an integer 1", &one)) return false;
    if (one == 1) return true;
    *m->c = turned;
    return (plCursor_Int(m->c, 4, &one) && one == 1) || fail(m, "an integer 1");
}

// --- points

static bool readPoints2(Msh* m)
{
    int64_t points, tag;
    if (!readTextCount(m, "the number of points", &points)) return false;
    for (int64_t i = 0; i < points; i++) {
        if (!readInt(m, 4, "the tag of a point", &tag) || !addTag(m, tag)) return false;
        if (!plTetReader_Point(m->r, m->c, 8)) return false;
    }
    return true;
}

/// A point's place on its curve or surface, or in its volume.
static bool skipParameters(Msh* m, int64_t dimension)
{
    double parameter;
    for (int64_t k = 0; k < dimension; k++) {
        if (!plCursor_Real(m->c, 8, &parameter)) return fail(m, "a parameter of a point");
    }
    return true;
}

static bool readPointBlock(Msh* m)
{
    int64_t dimension, entity, parametric, points, tag;
    if (!readInt(m, 4, "the dimension of a block", &dimension)) return false;
    if (!readInt(m, 4, "the entity of a block", &entity)) return false;
    if (!readInt(m, 4, "whether a block is parametric", &parametric)) return false;
    if (!readCount(m, "the number of points of a block", &points)) return false;
    if (dimension < 0 || dimension > 3) return say(m, "the dimension of a block is not 0 to 3");
    for (int64_t i = 0; i < points; i++) {
        if (!readInt(m, 8, "the tag of a point", &tag) || !addTag(m, tag)) return false;
    }
    for (int64_t i = 0; i < points; i++) {
        if (!plTetReader_Point(m->r, m->c, 8)) return false;
        if (parametric != 0 && !skipParameters(m, dimension)) return false;
    }
    return true;
}

static bool readPoints4(Msh* m)
{
    int64_t blocks;
    if (!readBlocks(m, "the number of blocks of points", &blocks)) return false;
    for (int64_t i = 0; i < blocks; i++) {
        if (!readPointBlock(m)) return false;
    }
    return true;
}

// --- elements

/// The points of an element of a type, and the element, if it is a tetrahedron.
static bool readElement(Msh* m, int64_t type)
{
    int64_t tag, corners[4] = {0};
    if (type < 1 || type > mostType) {
        // Only a line of text says how long such an element is.
        return (!m->c->binary && plCursor_SkipLine(m->c)) || fail(m, "an element of a known type");
    }
    for (int k = 0; k < typePoints[type]; k++) {
        const plCursor before = *m->c;
        if (!readInt(m, m->whole, "the tag of a point", &tag)) return false;
        if (type != linearTet) continue;
        corners[k] = findTag(m, tag);
        if (corners[k] >= 0) continue;
        return plTriangleReader_Fail(
            &m->r->words, pl_statusFileFormat, m->c->binary ? 0 : before.line,
            "a tetrahedron names point %lld, which is not there", (long long)tag);
    }
    m->higher += isHigherTet(type);
    return type != linearTet || plTetReader_Tet(m->r, m->c, corners);
}

static bool skipInts(Msh* m, int64_t count, const char* what)
{
    int64_t other;
    for (int64_t k = 0; k < count; k++) {
        if (!readInt(m, m->whole, what, &other)) return false;
    }
    return true;
}

static bool readElements2(Msh* m)
{
    int64_t elements, type, tags, together = 1;
    if (!readTextCount(m, "the number of elements", &elements)) return false;
    for (int64_t i = 0; i < elements;) {
        if (!m->c->binary && !skipInts(m, 1, "the number of an element")) return false;
        if (!readInt(m, 4, "the type of an element", &type)) return false;
        if (m->c->binary && !readCount(m, "how many elements follow", &together)) return false;
        if (!readCount(m, "the number of an element's tags", &tags)) return false;
        for (int64_t k = 0; k < together; k++) {
            // In binary files the element's own number comes here, before the tags.
            if (!skipInts(m, tags + (m->c->binary ? 1 : 0), "a tag")) return false;
            if (!readElement(m, type)) return false;
        }
        if (together < 1 || together > elements - i)
            return say(m, "there are more elements than announced");
        i += together;
    }
    return true;
}

static bool readElements4(Msh* m)
{
    int64_t blocks, dimension, entity, type, elements;
    if (!readBlocks(m, "the number of blocks of elements", &blocks)) return false;
    for (int64_t i = 0; i < blocks; i++) {
        if (!readInt(m, 4, "the dimension of a block", &dimension)) return false;
        if (!readInt(m, 4, "the entity of a block", &entity)) return false;
        if (!readInt(m, 4, "the type of a block", &type)) return false;
        if (!readCount(m, "the number of elements of a block", &elements)) return false;
        for (int64_t k = 0; k < elements; k++) {
            if (!skipInts(m, 1, "the tag of an element") || !readElement(m, type)) return false;
        }
    }
    return true;
}

// --- sections

static bool readPoints(Msh* m)
{
    if (m->version == 0) return say(m, "$Nodes stands before $MeshFormat");
    m->sorted = true;
    const bool good = m->version == 2 ? readPoints2(m) : readPoints4(m);
    return good && sortTags(m);
}

static bool readElements(Msh* m)
{
    if (m->version == 0 || m->tagCount == 0) return say(m, "$Elements stands before $Nodes");
    return m->version == 2 ? readElements2(m) : readElements4(m);
}

/// Behind the end of the section that was entered; its contents are not looked at.
static bool skipSection(plCursor* c)
{
    while (c->at < c->end) {
        if (*c->at == '\n') c->line++;
        if (*c->at++ == '$' && strncmp(c->at, "End", 3) == 0) return plCursor_SkipLine(c);
    }
    return false;
}

/// One section; behind the last one, false without an error.
static bool readSection(Msh* m)
{
    plCursor* c = m->c;
    bool good = true;
    plCursor_SkipSpace(c);
    if (c->at == c->end) return false;
    if (plCursor_Accept(c, "$MeshFormat")) {
        good = m->version == 0 ? readFormat(m) : say(m, "$MeshFormat stands twice");
    } else if (plCursor_Accept(c, "$Nodes")) {
        good = m->tagCount == 0 ? readPoints(m) : say(m, "$Nodes stands twice");
    } else if (plCursor_Accept(c, "$Elements")) {
        good = readElements(m);
    } else if (*c->at != '$') {
        good = fail(m, "a section ($...)");
    } else {
        c->at++;
    }
    if (!good) return false;
    return skipSection(c) || fail(m, "the end of a section ($End...)");
}

bool plReadMsh(plTetReader* r)
{
    Msh m = {.r = r, .c = &r->c};
    while (readSection(&m)) {
    }
    const plAllocator* a = &r->out->allocator;
    if (m.tags) a->release(a->self, m.tags, m.tagBytes);
    if (r->words.error->status != pl_statusOk) return false;
    if (r->out->tetCount > 0 || m.higher == 0) return true;
    return plTriangleReader_Fail(&r->words, pl_statusFileFormat, 0,
                                 "the file has no linear tetrahedron, but %lld of higher order",
                                 (long long)m.higher);
}
