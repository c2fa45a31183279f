// The storages of a contact operator.
#include "contact/operator.h"

#include "math/math.h"

// --- dense: W by rows

// Sums that do not wait for each other.
static double listed(const plSpace* s, const plColumns* of, const double* W, const double* p,
                     double start)
{
    double first = start, second = 0, third = 0;
    if (s->dim == 3) {
        for (int l = 0; l < of->count; ++l) {
            const double *a = &W[3 * of->contacts[l]], *b = &p[3 * of->contacts[l]];
            first += a[0] * b[0];
            second += a[1] * b[1];
            third += a[2] * b[2];
        }
        return first + (second + third);
    }
    for (int l = 0; l < of->count; ++l) {
        const int j = s->dim * of->contacts[l];
        first += W[j] * p[j];
        if (s->dim > 1) second += W[j + 1] * p[j + 1];
    }
    return first + second;
}

static void denseRows(const plSpace* s, const plColumns* of, const double* p, int contact,
                      int first, int count, double* w)
{
    const int all = plSpace_Rows(s);
    for (int k = first; k < first + count; ++k) {
        const double* W = &s->W[(s->dim * contact + k) * all];
        w[k] = of ? listed(s, of, W, p, w[k]) : w[k] + plDotN(W, p, all);
    }
}

static bool denseBlock(const plSpace* s, const plColumns* of, const int* place, int contact, int* k,
                       plOperatorBlock* b)
{
    const int rows = plSpace_Rows(s), i = (*k)++;
    (void)place;
    if (i >= (of ? of->count : s->count)) return false;
    const int column = of ? of->contacts[i] : i;
    *b = (plOperatorBlock){&s->W[s->dim * (contact * rows + column)], rows, i};
    return true;
}

static double denseEntries(const plSpace* s)
{
    const double rows = plSpace_Rows(s);
    return rows * rows;
}

static const plOperator dense = {"dense", denseRows, denseBlock, denseEntries};

// --- blocks: those that are not zero

static void blockRows(const plSpace* s, const plColumns* of, const double* p, int contact,
                      int first, int count, double* w)
{
    const int dim = s->dim;
    (void)of; // there are few columns as it is
    for (int b = s->blockStart[contact]; b < s->blockStart[contact + 1]; ++b) {
        const double *B = &s->blocks[b * dim * dim], *q = &p[dim * s->blockColumn[b]];
        for (int k = first; k < first + count; ++k) {
            const double* row = &B[k * dim];
            if (dim == 3) {
                w[k] += row[0] * q[0] + row[1] * q[1] + row[2] * q[2];
            } else {
                w[k] += row[0] * q[0] + (dim == 2 ? row[1] * q[1] : 0);
            }
        }
    }
}

static bool blockOf(const plSpace* s, const plColumns* of, const int* place, int contact, int* k,
                    plOperatorBlock* b)
{
    for (int at; (at = s->blockStart[contact] + *k) < s->blockStart[contact + 1];) {
        const int column = of ? place[s->blockColumn[at]] : s->blockColumn[at];
        ++*k;
        if (column < 0) continue;
        *b = (plOperatorBlock){&s->blocks[at * s->dim * s->dim], s->dim, column};
        return true;
    }
    return false;
}

static double blockEntries(const plSpace* s)
{
    return s->dim * s->dim * (double)s->blockStart[s->count];
}

static const plOperator blocks = {"blocks", blockRows, blockOf, blockEntries};

const plOperator* plSpace_Operator(const plSpace* s) { return s->W ? &dense : &blocks; }
