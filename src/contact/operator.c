// The storages of a contact operator.
#include "contact/operator.h"

#include "math/math.h"

#include <string.h>

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

static const plOperator dense = {"dense", denseRows, denseBlock, denseEntries, NULL, NULL};

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

static const plOperator blocks = {"blocks", blockRows, blockOf, blockEntries, NULL, NULL};

// --- factors: V = Y^T p, the change of the bodies' velocities by all impulses, is kept

static inline double dot6(const double* a, const double* b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// J V, and compliance, which is a matter of the contact alone.
static void factorRows(const plSpace* s, const plColumns* of, const double* p, int contact,
                       int first, int count, double* w)
{
    const plFactors* f = s->factors;
    const plFactorSite* site = &f->sites[contact];
    const double share = s->compliance / (1 + s->compliance);
    (void)of;
    for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
        const double *J = &f->J[site->at[side]], *V = &f->V[6 * site->body[side]];
        if (first == 0) w[0] += dot6(J, V);
        if (first + count < 3) continue;
        w[1] += dot6(&J[6], V);
        w[2] += dot6(&J[12], V);
    }
    const double *own = &f->own[9 * contact], *f3 = &p[3 * contact];
    for (int k = first; k < first + count; ++k) w[k] += share * own[4 * k] * f3[k];
}

static void factorColumn(const plSpace* s, int contact, const double* dp)
{
    const plFactors* f = s->factors;
    const plFactorSite* site = &f->sites[contact];
    for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
        const double* Y = &f->Y[site->at[side]];
        double* V = &f->V[6 * site->body[side]];
        for (int k = 0; k < 6; ++k) V[k] += dp[0] * Y[k] + dp[1] * Y[6 + k] + dp[2] * Y[12 + k];
    }
}

static void factorGather(const plSpace* s, const double* p)
{
    memset(s->factors->V, 0, (size_t)(6 * s->factors->bodies) * sizeof(double));
    for (int i = 0; i < s->count; ++i) factorColumn(s, i, &p[3 * i]);
}

static double factorEntries(const plSpace* s)
{
    enum { each = 36 * 2 };
    return each * (double)s->count;
}

bool plSpace_FactorBlocks(const plSpace* s)
{
    const plFactors* f = s->factors;
    for (int i = 0; i < s->count; ++i) {
        const plFactorSite* site = &f->sites[i];
        double* B = &f->own[9 * i];
        memset(B, 0, 9 * sizeof *B);
        for (int side = 0; side < plFactorSides && site->at[side] >= 0; ++side) {
            const double *J = &f->J[site->at[side]], *Y = &f->Y[site->at[side]];
            for (int k = 0; k < 3; ++k) {
                for (int m = 0; m < 3; ++m) B[3 * k + m] += dot6(&J[6 * k], &Y[6 * m]);
            }
        }
        for (int k = 0; k < 9; k += 4) B[k] *= 1 + s->compliance;
        if (!(B[0] > 0 && B[4] + B[8] > 0)) return false;
    }
    return true;
}

static const plOperator factors = {"factors",     factorRows,   NULL,
                                   factorEntries, factorGather, factorColumn};

// --- all of them

const plOperator* plSpace_Operator(const plSpace* s)
{
    return s->factors ? &factors : s->W ? &dense : &blocks;
}

void plSpace_Apply(const plSpace* s, const double* p, double* Wp)
{
    const plOperator* W = plSpace_Operator(s);
    memset(Wp, 0, (size_t)plSpace_Rows(s) * sizeof *Wp);
    if (W->gather) W->gather(s, p);
    for (int i = 0; i < s->count; ++i) W->rows(s, NULL, p, i, 0, s->dim, &Wp[s->dim * i]);
}
