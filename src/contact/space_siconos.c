// Siconos' text formats of friction problems and LCPs.
//   friction   dimension, contacts, matrix, q, mu; whatever follows is not ours
//   LCP        order, matrix, q
//   matrix     storage, rows, columns, then
//     0 dense   rows, columns again; numbers by COLUMNS
//     1 blocks  counts of blocks, block rows, block columns; ends of the block rows and columns;
//               lengths of two index lists; index 1 (where each block row starts), index 2 (block
//               columns); per block its number and its numbers by columns
//     2 sparse  origin; a line of credits; then "triplet: m-by-n, nzmax: Z nnz: K" and "i j : x",
//               or "m-by-n, nzmax: Z nnz: K, 1-norm: g" and per column "col j : locations a to b"
//               and "i : x"
// Blocks and sparse matrices become entries, and these dim x dim blocks.
#include "contact/space_entries.h"
#include "contact/space_scan.h"

#include <limits.h>
#include <stdio.h>

// A matrix while it is read: dense, or entries.
typedef struct {
    int rows, dim;
    plEntry* entries;
    int count, capacity;
    const plAllocator* allocator;
} Matrix;

static bool takeEntries(plScan* t, Matrix* m, size_t numbers)
{
    if (!plScan_Holds(t, "the matrix", numbers)) return false;
    m->capacity = (int)numbers + 1;
    m->entries = m->allocator->take(m->allocator->self, (size_t)m->capacity * sizeof(plEntry));
    if (!m->entries) return plScan_Fail(t, pl_statusNoMemory, "no memory for the matrix");
    return true;
}

static void release(Matrix* m)
{
    if (!m->entries) return;
    m->allocator->release(m->allocator->self, m->entries, (size_t)m->capacity * sizeof(plEntry));
    m->entries = NULL;
}

static void add(plScan* t, Matrix* m, int row, int column, double value)
{
    const bool inside = row >= 0 && row < m->rows && column >= 0 && column < m->rows;
    if (!inside || m->count >= m->capacity) {
        plScan_Fail(t, pl_statusFileFormat, "entry %d, %d is outside the matrix, or one too many",
                    row, column);
        return;
    }
    m->entries[m->count++] = (plEntry){row, column, value};
}

// --- blocks

typedef struct {
    int* end;
    int count;
} Ends;

static int startOf(const Ends* e, int i) { return i == 0 ? 0 : e->end[i - 1]; }

static void readEnds(plScan* t, Ends* e, int rows)
{
    for (int i = 0; i < e->count && !t->failed; ++i) {
        e->end[i] = plScan_Int(t, "end of a block row or column", startOf(e, i) + 1, rows);
    }
    if (!t->failed && e->end[e->count - 1] != rows) {
        plScan_Fail(t, pl_statusFileFormat, "block rows end at %d, expected %d",
                    e->end[e->count - 1], rows);
    }
}

static void readBlock(plScan* t, Matrix* m, const Ends* r, const Ends* c, int i, int j)
{
    for (int column = startOf(c, j); column < c->end[j]; ++column) {
        for (int row = startOf(r, i); row < r->end[i] && !t->failed; ++row) {
            add(t, m, row, column, plScan_Number(t, "block"));
        }
    }
}

static void readBlockList(plScan* t, Matrix* m, const Ends* r, const Ends* c, const int* index1,
                          const int* index2, int blocks)
{
    size_t numbers = 0;
    for (int i = 0, b = 0; i < r->count; ++i) {
        for (; b < index1[i + 1]; ++b) {
            const int j = index2[b];
            numbers += (size_t)(r->end[i] - startOf(r, i)) * (size_t)(c->end[j] - startOf(c, j));
        }
    }
    if (!takeEntries(t, m, numbers)) return;
    for (int i = 0, b = 0; i < r->count; ++i) {
        for (; b < index1[i + 1] && !t->failed; ++b) {
            plScan_Int(t, "the block's number", b, b);
            readBlock(t, m, r, c, i, index2[b]);
        }
    }
    if (!t->failed && index1[r->count] != blocks) {
        plScan_Fail(t, pl_statusFileFormat, "%d blocks are listed, expected %d", index1[r->count],
                    blocks);
    }
}

static void readBlocks(plScan* t, Matrix* m)
{
    const int blocks = plScan_Int(t, "number of blocks", 1, INT_MAX / 16);
    Ends r = {.count = plScan_Int(t, "number of block rows", 1, m->rows)};
    Ends c = {.count = plScan_Int(t, "number of block columns", 1, m->rows)};
    const size_t lists = (size_t)r.count * 2 + (size_t)c.count + (size_t)blocks + 1;
    if (!plScan_Holds(t, "the lists of blocks", lists)) return;
    int* list = m->allocator->take(m->allocator->self, lists * sizeof(int));
    if (!list) {
        plScan_Fail(t, pl_statusNoMemory, "no memory for the lists of blocks");
        return;
    }
    r.end = list;
    c.end = r.end + r.count;
    int* index1 = c.end + c.count;
    int* index2 = index1 + r.count + 1;
    readEnds(t, &r, m->rows);
    readEnds(t, &c, m->rows);
    plScan_Int(t, "length of the row index", r.count + 1, r.count + 1);
    plScan_Int(t, "length of the column index", blocks, blocks);
    index1[0] = plScan_Int(t, "row index", 0, 0);
    for (int i = 0; i < r.count && !t->failed; ++i) {
        index1[i + 1] = plScan_Int(t, "row index", index1[i], blocks);
    }
    for (int b = 0; b < blocks && !t->failed; ++b) {
        index2[b] = plScan_Int(t, "column index", 0, c.count - 1);
    }
    if (!t->failed) readBlockList(t, m, &r, &c, index1, index2, blocks);
    m->allocator->release(m->allocator->self, list, lists * sizeof(int));
}

// --- sparse

static void readTriplets(plScan* t, Matrix* m, int nonzeros)
{
    for (int k = 0; k < nonzeros && !t->failed; ++k) {
        const int row = plScan_Int(t, "row", 0, m->rows - 1);
        const int column = plScan_Int(t, "column", 0, m->rows - 1);
        plScan_Word(t, ":");
        add(t, m, row, column, plScan_Number(t, "entry"));
    }
}

static void readColumns(plScan* t, Matrix* m, int nonzeros)
{
    int next = 0;
    for (int column = 0; column < m->rows && !t->failed; ++column) {
        plScan_Word(t, "col");
        plScan_Int(t, "column", column, column);
        plScan_Word(t, ":");
        plScan_Word(t, "locations");
        plScan_Int(t, "first location", next, next);
        plScan_Word(t, "to");
        const int last = plScan_Int(t, "last location", next - 1, nonzeros - 1);
        for (; next <= last && !t->failed; ++next) {
            const int row = plScan_Int(t, "row", 0, m->rows - 1);
            plScan_Word(t, ":");
            add(t, m, row, column, plScan_Number(t, "entry"));
        }
    }
}

static void readSparse(plScan* t, Matrix* m)
{
    enum { byRows = 3 }; // of Siconos' origins: triplet 1, by columns 2, by rows 3
    if (plScan_Int(t, "origin of a sparse matrix", 0, byRows) == byRows) {
        plScan_Fail(t, pl_statusFileFormat, "expected triplets or columns, found a matrix by rows");
    }
    plScan_SkipLine(t);
    plScan_SkipLine(t);
    const bool triplets = plScan_Peek(t, "triplet:") && plScan_Word(t, "triplet:");
    char size[64];
    snprintf(size, sizeof size, "%d-by-%d,", m->rows, m->rows);
    plScan_Word(t, size);
    plScan_Word(t, "nzmax:");
    plScan_Int(t, "nzmax", 0, INT_MAX);
    plScan_Word(t, "nnz:");
    // The 1-norm follows with a comma: the count is read up to it.
    int nonzeros = 0, read = 0;
    if (!t->failed && (sscanf(t->at, " %9d%n", &nonzeros, &read) != 1 || nonzeros < 0)) {
        plScan_Fail(t, pl_statusFileFormat, "expected the number of entries");
    }
    if (t->failed || !takeEntries(t, m, (size_t)nonzeros)) return;
    plScan_SkipLine(t);
    if (triplets) {
        readTriplets(t, m, nonzeros);
    } else {
        readColumns(t, m, nonzeros);
    }
}

static void makeBlocks(plScan* t, Matrix* m, plSpaceFile* file)
{
    const plEntries W = {m->rows, m->rows, m->count, m->entries};
    const plStatus status = plSpaceFile_Blocks(file, m->dim, &W, m->allocator);
    if (status != pl_statusOk) plScan_Fail(t, status, "no memory for the space");
}

static void readDense(plScan* t, Matrix* m, plSpaceFile* file)
{
    const int rows = m->rows;
    plScan_Int(t, "rows, again", rows, rows);
    plScan_Int(t, "columns, again", rows, rows);
    if (!plScan_Holds(t, "the dense matrix", (size_t)rows * (size_t)rows)) return;
    if (!plScan_Space(t, file, m->dim, rows / m->dim, 0, m->allocator)) return;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < rows && !t->failed; ++i) {
            file->space.W[i * rows + j] = plScan_Number(t, "entry of the matrix");
        }
    }
}

static void readMatrix(plScan* t, plSpaceFile* file, int dim, int count, const plAllocator* a)
{
    Matrix m = {.rows = dim * count, .dim = dim, .allocator = a};
    const int storage = plScan_Int(t, "storage: 0 dense, 1 blocks, 2 sparse", 0, 2);
    plScan_Int(t, "rows of the matrix", m.rows, m.rows);
    plScan_Int(t, "columns of the matrix", m.rows, m.rows);
    if (!plScan_Holds(t, "q", (size_t)m.rows)) return;
    if (storage == 0) {
        readDense(t, &m, file);
        return;
    }
    if (storage == 1) {
        readBlocks(t, &m);
    } else {
        readSparse(t, &m);
    }
    if (!t->failed) makeBlocks(t, &m, file);
    release(&m);
}

// No solution is given in these files.
void plSpace_ReadContact(plScan* t, plSpaceFile* file, const plAllocator* allocator)
{
    const int dim = plScan_Int(t, "dimension", 2, 3);
    const int count = plScan_Int(t, "number of contacts", 1, INT_MAX / 64);
    readMatrix(t, file, dim, count, allocator);
    file->known = NULL;
    plSpace* s = &file->space;
    if (t->failed) return;
    plScan_Numbers(t, "q", s->uFree, dim * count);
    for (int i = 0; i < count && !t->failed; ++i) {
        s->pair[i].mu = plScan_Number(t, "mu");
        if (s->pair[i].mu < 0) plScan_Fail(t, pl_statusFileFormat, "mu is negative");
    }
}

void plSpace_ReadLcp(plScan* t, plSpaceFile* file, const plAllocator* allocator)
{
    const int n = plScan_Int(t, "order of the LCP", 1, INT_MAX / 64);
    readMatrix(t, file, 1, n, allocator);
    file->known = NULL;
    if (!t->failed) plScan_Numbers(t, "q", file->space.uFree, n);
}
