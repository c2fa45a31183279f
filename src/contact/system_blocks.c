// A link fills W between the contacts of what it joins, and nowhere else: of a large group blocks are
// kept, as without links.
#include "contact/system.h"

#include <string.h>

static bool isEmpty(const plSpace* s, int i, int j)
{
    const int dim = s->dim, rows = plSpace_Rows(s);
    for (int k = 0; k < dim; ++k) {
        if (!isZero(&s->W[(dim * i + k) * rows + dim * j], dim)) return false;
    }
    return true;
}

static void copyBlock(const plSpace* from, int i, int j, double* to)
{
    const int dim = from->dim, rows = plSpace_Rows(from);
    for (int k = 0; k < dim * dim; ++k) {
        to[k] = from->W[(dim * i + k / dim) * rows + dim * j + k % dim];
    }
}

bool plSystem_KeepBlocks(const plSpace* from, plSpace* to)
{
    const int dim = from->dim;
    int count = 0;
    if (from->count > to->capacity) return false;
    for (int i = 0; i < from->count; ++i) {
        to->blockStart[i] = count;
        for (int j = 0; j < from->count; ++j) {
            if (i != j && isEmpty(from, i, j)) continue;
            if (count == to->blockCapacity) return false;
            to->blockColumn[count] = j;
            copyBlock(from, i, j, &to->blocks[dim * dim * count++]);
        }
    }
    to->blockStart[from->count] = count;
    to->count = from->count;
    memcpy(to->uFree, from->uFree, (size_t)plSpace_Rows(from) * sizeof(double));
    return plSpace_Index(to);
}
