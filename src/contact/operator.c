// The storages of a contact operator.
#include "contact/operator.h"

#include "math/math.h"

// --- dense: W by rows

// Two sums that do not wait for each other.
static double listed(const plSpace* s, const plColumns* of, const double* W, const double* p,
                     double start)
{
    double even = start, odd = 0;
    for (int l = 0; l < of->count; ++l) {
        const int j = s->dim * of->contacts[l];
        even += W[j] * p[j];
        if (s->dim > 1) odd += W[j + 1] * p[j + 1];
        if (s->dim > 2) even += W[j + 2] * p[j + 2];
    }
    return even + odd;
}

static void denseRows(const plSpace* s, const plColumns* of, const double* p, int contact, int rows,
                      double* w)
{
    const int all = plSpace_Rows(s);
    const double* W = &s->W[s->dim * contact * all];
    for (int k = 0; k < rows; ++k, W += all) {
        w[k] = of ? listed(s, of, W, p, w[k]) : w[k] + plDotN(W, p, all);
    }
}

static bool denseBlock(const plSpace* s, int contact, int k, plOperatorBlock* b)
{
    const int rows = plSpace_Rows(s);
    *b = (plOperatorBlock){&s->W[s->dim * (contact * rows + k)], rows, k};
    return k < s->count;
}

static double denseEntries(const plSpace* s)
{
    const double rows = plSpace_Rows(s);
    return rows * rows;
}

static const plOperator dense = {"dense", denseRows, denseBlock, denseEntries};

// --- blocks: those that are not zero

static void blockRows(const plSpace* s, const plColumns* of, const double* p, int contact, int rows,
                      double* w)
{
    const int dim = s->dim;
    (void)of; // there are few columns as it is
    for (int b = s->blockStart[contact]; b < s->blockStart[contact + 1]; ++b) {
        const double *B = &s->blocks[b * dim * dim], *q = &p[dim * s->blockColumn[b]];
        for (int k = 0; k < rows; ++k) {
            for (int j = 0; j < dim; ++j) w[k] += B[k * dim + j] * q[j];
        }
    }
}

static bool blockOf(const plSpace* s, int contact, int k, plOperatorBlock* b)
{
    const int at = s->blockStart[contact] + k;
    if (at >= s->blockStart[contact + 1]) return false;
    *b = (plOperatorBlock){&s->blocks[at * s->dim * s->dim], s->dim, s->blockColumn[at]};
    return true;
}

static double blockEntries(const plSpace* s)
{
    return s->dim * s->dim * (double)s->blockStart[s->count];
}

static const plOperator blocks = {"blocks", blockRows, blockOf, blockEntries};

const plOperator* plSpace_Operator(const plSpace* s) { return s->W ? &dense : &blocks; }
