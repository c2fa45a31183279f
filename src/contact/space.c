// Memory of a contact space, and its block-sparse index.
#include "contact/space.h"

#include "math/math.h"

#include <limits.h>
#include <string.h>

static size_t rounded(size_t count, size_t size) { return (count * size + 63) / 64 * 64; }

size_t plSpace_Size(int dim, int contacts, int blocks)
{
    const size_t n = (size_t)contacts, rows = n * (size_t)dim, b = (size_t)blocks;
    size_t size = rounded(n, sizeof(plPair)) + rounded(n, sizeof(bool)) +
                  3 * rounded(n, sizeof(double)) + 2 * rounded(rows, sizeof(double));
    if (blocks == 0) return size + rounded(rows * rows, sizeof(double));
    size += rounded(n + 1, sizeof(int)) + rounded(n, sizeof(int)) + rounded(b, sizeof(int));
    return size + rounded(b * (size_t)(dim * dim), sizeof(double));
}

plStatus plSpace_Create(plSpace* s, int dim, int contacts, int blocks, plArena* arena)
{
    PL_ASSERT(dim >= 1 && dim <= 3 && contacts >= 0 && blocks >= 0);
    const size_t n = (size_t)contacts, rows = n * (size_t)dim, b = (size_t)blocks;
    *s = (plSpace){.dim = dim, .capacity = contacts, .blockCapacity = blocks, .sides = 4};
    // Indices into W and blocks are int.
    if (blocks == 0 ? rows * rows > INT_MAX : b * (size_t)(dim * dim) > INT_MAX) {
        return pl_statusCapacity;
    }
    s->pair = plArena_Alloc(arena, n, sizeof *s->pair);
    s->gap = plArena_Alloc(arena, n, sizeof(double));
    s->gapFree = plArena_Alloc(arena, n, sizeof(double));
    s->hold = plArena_Alloc(arena, n, sizeof(double));
    s->placed = plArena_Alloc(arena, n, sizeof *s->placed);
    s->uStart = plArena_Alloc(arena, rows, sizeof(double));
    s->uFree = plArena_Alloc(arena, rows, sizeof(double));
    if (blocks == 0) {
        s->W = plArena_Alloc(arena, rows * rows, sizeof(double));
        return arena->full ? pl_statusCapacity : pl_statusOk;
    }
    s->blockStart = plArena_Alloc(arena, n + 1, sizeof(int));
    s->blockColumn = plArena_Alloc(arena, b, sizeof(int));
    s->diagonal = plArena_Alloc(arena, n, sizeof(int));
    s->blocks = plArena_Alloc(arena, b * (size_t)(dim * dim), sizeof(double));
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

bool plSpace_Index(plSpace* s)
{
    for (int i = 0; i < s->count; ++i) {
        bool found = false;
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
            if (b > s->blockStart[i] && s->blockColumn[b] <= s->blockColumn[b - 1]) return false;
            if (s->blockColumn[b] != i) continue;
            s->diagonal[i] = b;
            found = true;
        }
        if (!found) return false;
    }
    return true;
}

static inline void addProduct(const double* B, const double* q, double* sum)
{
    for (int k = 0; k < 3; ++k) {
        sum[k] += B[3 * k] * q[0] + B[3 * k + 1] * q[1] + B[3 * k + 2] * q[2];
    }
}

void plSpace_Apply(const plSpace* s, const double* p, double* Wp)
{
    const int dim = s->dim, rows = plSpace_Rows(s);
    if (s->W) {
        for (int i = 0; i < rows; ++i) Wp[i] = plDotN(&s->W[i * rows], p, rows);
        return;
    }
    for (int i = 0; i < s->count; ++i) {
        double sum[3] = {0};
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
            const double *block = &s->blocks[b * dim * dim], *q = &p[dim * s->blockColumn[b]];
            if (dim == 3) {
                addProduct(block, q, sum);
                continue;
            }
            for (int k = 0; k < dim; ++k) {
                for (int l = 0; l < dim; ++l) sum[k] += block[k * dim + l] * q[l];
            }
        }
        for (int k = 0; k < dim; ++k) Wp[dim * i + k] = sum[k];
    }
}

void plSpace_Dense(const plSpace* s, double* W)
{
    const int rows = plSpace_Rows(s), dim = s->dim;
    if (s->W) {
        memcpy(W, s->W, (size_t)(rows * rows) * sizeof(double));
        return;
    }
    memset(W, 0, (size_t)(rows * rows) * sizeof(double));
    for (int i = 0; i < s->count; ++i) {
        for (int b = s->blockStart[i]; b < s->blockStart[i + 1]; ++b) {
            const double* B = &s->blocks[b * dim * dim];
            double* to = &W[dim * i * rows + dim * s->blockColumn[b]];
            for (int k = 0; k < dim * dim; ++k) to[k / dim * rows + k % dim] = B[k];
        }
    }
}
