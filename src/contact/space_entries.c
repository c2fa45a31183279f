// Blocks of a space from entries of W, in any order. Whatever blocks a file has, the space has its own.
#include "contact/space_entries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plStatus plSpaceFile_Refuse(plSpaceFile* file, plStatus status, const char* why)
{
    if (file->error[0] == 0) snprintf(file->error, sizeof file->error, "%s", why);
    return status;
}

plStatus plSpaceFile_Take(plSpaceFile* file, int dim, int contacts, int blocks,
                          const plAllocator* allocator)
{
    const size_t rows = (size_t)dim * (size_t)contacts;
    const size_t size = plSpace_Size(dim, contacts, blocks) + (rows + 16) * sizeof(double);
    plStatus status = plArena_Create(&file->arena, size, allocator);
    if (status != pl_statusOk) return status;
    status = plSpace_Create(&file->space, dim, contacts, blocks, &file->arena);
    if (status != pl_statusOk) return status;
    file->known = plArena_Alloc(&file->arena, rows, sizeof(double));
    file->space.count = contacts;
    return pl_statusOk;
}

// An entry by its block.
typedef struct {
    int row, column; // of the dim x dim block
    int place;       // inside it, by rows
    double value;
} Piece;

static int comparePieces(const void* left, const void* right)
{
    const Piece *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool startsBlock(const Piece* pieces, int k)
{
    if (k == 0) return true;
    const Piece *a = &pieces[k - 1], *b = &pieces[k];
    return a->row != b->row || a->column != b->column;
}

static void fillBlocks(const Piece* pieces, int count, plSpace* s)
{
    int b = -1;
    for (int k = 0; k < count; ++k) {
        const Piece* e = &pieces[k];
        if (startsBlock(pieces, k)) s->blockColumn[++b] = e->column;
        s->blockStart[e->row + 1] = b + 1;
        s->blocks[b * s->dim * s->dim + e->place] += e->value;
    }
    plSpace_Index(s);
}

plStatus plSpaceFile_Blocks(plSpaceFile* file, int dim, const plEntries* W,
                            const plAllocator* allocator)
{
    const int contacts = W->rows / dim;
    if (W->count > INT_MAX - contacts) return pl_statusCapacity;
    const int count = W->count + contacts;
    const size_t size = (size_t)count * sizeof(Piece);
    Piece* pieces = allocator->take(allocator->self, size);
    if (!pieces) return pl_statusNoMemory;
    for (int k = 0; k < W->count; ++k) {
        const plEntry* e = &W->entries[k];
        const int place = e->row % dim * dim + e->column % dim;
        pieces[k] = (Piece){e->row / dim, e->column / dim, place, e->value};
    }
    for (int i = 0; i < contacts; ++i)
        pieces[W->count + i] = (Piece){i, i, 0, 0}; // diagonals exist
    qsort(pieces, (size_t)count, sizeof *pieces, comparePieces);
    int blocks = 0;
    for (int k = 0; k < count; ++k) blocks += startsBlock(pieces, k);
    const plStatus status = plSpaceFile_Take(file, dim, contacts, blocks, allocator);
    if (status == pl_statusOk) fillBlocks(pieces, count, &file->space);
    allocator->release(allocator->self, pieces, size);
    return status;
}

// --- a whole problem

bool plEntries_AreInside(const plEntries* m)
{
    for (int k = 0; k < m->count; ++k) {
        const plEntry* e = &m->entries[k];
        if (e->row < 0 || e->row >= m->rows || e->column < 0 || e->column >= m->columns) {
            return false;
        }
    }
    return true;
}

static void addDense(const plEntries* m, double* A)
{
    for (int k = 0; k < m->count; ++k) {
        const plEntry* e = &m->entries[k];
        A[e->row * m->columns + e->column] += e->value;
    }
}

static plStatus takeBilateral(plSpaceFile* file, const plEntries* V, const plEntries* R,
                              const double* s, const plAllocator* allocator)
{
    const size_t rows = (size_t)V->rows, n = (size_t)V->columns;
    const bool fits = V->columns <= plBilateralRows && rows * n <= plEntriesMost;
    const size_t size = (rows * n + n * n) * sizeof(double);
    double* numbers = fits ? allocator->take(allocator->self, size) : NULL;
    if (!numbers) return plSpaceFile_Refuse(file, pl_statusNoMemory, "too many bilateral rows");
    memset(numbers, 0, size);
    addDense(V, numbers);
    addDense(R, numbers + rows * n);
    const plStatus status = plSpaceFile_SetBilateral(file, V->rows, V->columns, numbers,
                                                     numbers + rows * n, s, allocator);
    allocator->release(allocator->self, numbers, size);
    return status;
}

// W, and what the elimination adds to it: an entry for every two rows that bilateral ones touch. `list`
// has room for all rows.
static plStatus fillBlocksWith(plSpaceFile* file, int dim, const plEntries* W, int* list,
                               const plAllocator* allocator)
{
    const plBilateral* b = &file->bilateral;
    size_t touched = 0;
    for (int i = 0; i < W->rows; ++i) {
        if (plBilateral_Touches(b, i)) list[touched++] = i;
    }
    const size_t count = (size_t)W->count + touched * touched, size = count * sizeof(plEntry);
    plEntries all = {.rows = W->rows, .columns = W->columns, .count = W->count};
    all.entries = count <= plEntriesMost ? allocator->take(allocator->self, size) : NULL;
    if (!all.entries) return pl_statusNoMemory;
    memcpy(all.entries, W->entries, (size_t)W->count * sizeof(plEntry));
    for (size_t i = 0; i < touched; ++i) {
        for (size_t j = 0; j < touched; ++j) {
            const double value = plBilateral_Fill(b, list[i], list[j]);
            all.entries[all.count++] = (plEntry){list[i], list[j], value};
        }
    }
    const plStatus status = plSpaceFile_Blocks(file, dim, &all, allocator);
    allocator->release(allocator->self, all.entries, size);
    return status;
}

// The space's blocks, with bilateral rows eliminated where there are any.
static plStatus fillMatrix(plSpaceFile* file, int dim, const plEntries* W, const plEntries* V,
                           const plEntries* R, const double* s, const plAllocator* allocator)
{
    if (!V) return plSpaceFile_Blocks(file, dim, W, allocator);
    plStatus status = takeBilateral(file, V, R, s, allocator);
    if (status != pl_statusOk) return status;
    const size_t size = (size_t)W->rows * sizeof(int);
    int* list = allocator->take(allocator->self, size);
    if (!list) return pl_statusNoMemory;
    status = fillBlocksWith(file, dim, W, list, allocator);
    allocator->release(allocator->self, list, size);
    return status;
}

static plStatus fill(plSpaceFile* file, int dim, const plEntries* W, const double* uFree,
                     const double* mu, const plEntries* V, const plEntries* R, const double* s,
                     const plAllocator* allocator)
{
    const bool square = W->rows == W->columns && W->rows > 0 && W->rows % dim == 0;
    const bool more = V && V->columns > 0;
    const bool agrees =
        !more || (V->rows == W->rows && R->rows == V->columns && R->columns == R->rows);
    if (!square || !agrees) {
        return plSpaceFile_Refuse(file, pl_statusFileFormat,
                                  "the sizes of W, V and R do not agree");
    }
    if (!plEntries_AreInside(W) || (more && !(plEntries_AreInside(V) && plEntries_AreInside(R)))) {
        return plSpaceFile_Refuse(file, pl_statusFileFormat, "an entry is outside its matrix");
    }
    const plStatus status = fillMatrix(file, dim, W, more ? V : NULL, R, s, allocator);
    if (status != pl_statusOk) return plSpaceFile_Refuse(file, status, plStatus_Sentence(status));
    file->known = NULL;
    for (int i = 0; i < W->rows; ++i) {
        file->space.uFree[i] = uFree[i] + (more ? plBilateral_Free(&file->bilateral, i) : 0);
    }
    for (int i = 0; i < file->space.count; ++i) {
        if (!(mu[i] >= 0)) return plSpaceFile_Refuse(file, pl_statusFileFormat, "mu is negative");
        file->space.pair[i].mu = mu[i];
    }
    return pl_statusOk;
}

plStatus plSpaceFile_Fill(plSpaceFile* file, int dim, const plEntries* W, const double* uFree,
                          const double* mu, const plEntries* V, const plEntries* R, const double* s,
                          const plAllocator* allocator)
{
    *file = (plSpaceFile){.known = NULL};
    const plStatus status = fill(file, dim, W, uFree, mu, V, R, s, allocator);
    if (status != pl_statusOk) plSpaceFile_Clear(file, allocator);
    return status;
}
