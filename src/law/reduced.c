// Newton's linear system F(p) + F'(p) (x - p) = 0, without what is known of x.
//
// With u = p - D^-1 w the projected point, e = u_t/|u_t| and c = mu u_n/|u_t|, the derivative of the
// projection (Alart and Curnier) gives for the next point x, on w = W x + q + a D (x - anchor):
//   open    x = 0
//   stick   w = 0
//   slip    x_e = mu x_n,   w_n = 0,   w_s + L (1/c - 1) x_s = 0        s across e
// On a pyramid a slip at a corner keeps e, and has no x_s; along a side e is its normal, mu that of the
// side's distance, and w_s = 0.
// So x = C y with three, two or no unknowns a contact, and K y = R (a D anchor - q) with
// K = R W C + diagonal: R takes n, t1, t2 of what sticks, and n, s of what slips. Of twenty contacts
// that touch in a hundred most slip: K has 40 rows in place of 300, and the point is the same.
#include "law/reduced.h"

#include "law/explicit.h"
#include "law/section.h"

#include <string.h>

static bool isOutside(int sides, const double* u, int dim, double mu)
{
    if (sides > 0) return plSection_Radius(sides, &u[1]) > mu * u[0];
    const double t = dim == 3 ? u[1] * u[1] + u[2] * u[2] : dim == 2 ? u[1] * u[1] : 0;
    return t > mu * u[0] * mu * u[0];
}

static void slipOnPolygon(int sides, const double* u, double mu, plFreeContact* c)
{
    double share;
    const bool side = plSection_Border(sides, mu * u[0], &u[1], c->e, &share);
    c->mu = mu * share;
    c->count = side ? 2 : 1;
}

// e and the diagonal's share of the row across; a contact in the plane, or without friction, has none.
static void slip(const double* u, const double* D, int dim, double mu, plFreeContact* c)
{
    const double t = dim == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]);
    const double share = mu * u[0] / t;
    c->e[0] = u[1] / t;
    c->e[1] = dim == 3 ? u[2] / t : 0;
    c->count = dim == 3 && share > 1e-12 ? 2 : 1;
    c->creep = D[1] * (1 / share - 1);
}

// Contacts that push at u, and their unknowns. Returns how many unknowns there are.
static int findFree(const plSpace* s, plLawWork* w)
{
    const int dim = s->dim, sides = plSection_Sides(s);
    int unknowns = 0;
    w->freeCount = 0;
    for (int i = 0; i < s->count; ++i) {
        const double *u = &w->u[dim * i], mu = s->pair[i].mu;
        w->place[i] = -1;
        if (!(u[0] > 0)) continue;
        w->place[i] = w->freeCount;
        plFreeContact* c = &w->free[w->freeCount++];
        *c = (plFreeContact){.contact = i, .first = unknowns, .count = dim, .mu = mu};
        c->slips = isOutside(sides, u, dim, mu);
        if (c->slips && sides > 0) slipOnPolygon(sides, u, mu, c);
        if (c->slips && sides == 0) slip(u, &w->D[dim * i], dim, mu, c);
        unknowns += c->count;
    }
    return unknowns;
}

// T = B C: the columns of a contact.
static void takeColumns(const plFreeContact* c, int dim, const double* B, int ld, double T[3][3])
{
    const double g1 = c->mu * c->e[0], g2 = c->mu * c->e[1];
    for (int k = 0; k < dim; ++k, B += ld) {
        for (int j = 0; j < dim; ++j) T[k][j] = B[j];
        if (!c->slips) continue;
        T[k][0] = dim == 3 ? B[0] + (g1 * B[1] + g2 * B[2]) : B[0] + g1 * B[1];
        if (c->count == 2) T[k][1] = c->e[0] * B[2] - c->e[1] * B[1];
    }
}

// K = R T: the rows of a contact.
static void putRows(const plFreeContact* c, double T[3][3], int columns, double* K, int ld)
{
    const int plain = c->slips ? 1 : c->count;
    for (int k = 0; k < plain; ++k) {
        for (int j = 0; j < columns; ++j) K[k * ld + j] = T[k][j];
    }
    if (!c->slips || c->count < 2) return;
    for (int j = 0; j < columns; ++j) K[ld + j] = c->e[0] * T[2][j] - c->e[1] * T[1][j];
}

static void putBlock(const plFreeContact* row, const plFreeContact* column, int dim,
                     const double* B, int ld, double* K, int unknowns)
{
    double T[3][3];
    takeColumns(column, dim, B, ld, T);
    putRows(row, T, column->count, &K[row->first * unknowns + column->first], unknowns);
}

static void putContact(const plSpace* s, const plFreeContact* c, const plLawWork* w, int unknowns)
{
    const int dim = s->dim, rows = plSpace_Rows(s);
    if (s->W) {
        const double* W = &s->W[dim * c->contact * rows];
        for (int j = 0; j < w->freeCount; ++j) {
            const plFreeContact* other = &w->free[j];
            putBlock(c, other, dim, &W[dim * other->contact], rows, w->J, unknowns);
        }
        return;
    }
    memset(&w->J[c->first * unknowns], 0, (size_t)(c->count * unknowns) * sizeof(double));
    for (int b = s->blockStart[c->contact]; b < s->blockStart[c->contact + 1]; ++b) {
        const int place = w->place[s->blockColumn[b]];
        if (place < 0) continue;
        putBlock(c, &w->free[place], dim, &s->blocks[b * dim * dim], dim, w->J, unknowns);
    }
}

// The diagonal, and R (a D anchor - q).
static void putOwn(const plSpace* s, const double* q, double a, const double* anchor,
                   const plFreeContact* c, const plLawWork* w, int unknowns, double* y)
{
    const int dim = s->dim, n = dim * c->contact;
    double right[3] = {0}, *K = &w->J[c->first * unknowns + c->first];
    for (int k = 0; k < dim; ++k) {
        right[k] = (a > 0 ? a * w->D[n + k] * anchor[n + k] : 0) - q[n + k];
    }
    for (int k = 0; k < c->count; ++k) {
        K[k * (unknowns + 1)] += a * w->D[n + k];
        y[c->first + k] = right[k];
    }
    if (!c->slips || c->count < 2) return;
    K[unknowns + 1] += c->creep;
    y[c->first + 1] = c->e[0] * right[2] - c->e[1] * right[1];
}

// x = C y.
static void putPoint(const plFreeContact* c, int dim, const double* y, double* x)
{
    for (int k = 0; k < dim; ++k) x[k] = k < c->count ? y[k] : 0;
    if (!c->slips) return;
    const double across = c->count == 2 ? y[1] : 0;
    x[1] = c->mu * c->e[0] * y[0] - c->e[1] * across;
    if (dim == 3) x[2] = c->mu * c->e[1] * y[0] + c->e[0] * across;
}

bool plReduced_Point(const plSpace* s, const double* q, double a, const double* anchor,
                     plLawWork* w)
{
    const int dim = s->dim, unknowns = findFree(s, w);
    double* y = w->step;
    if (unknowns > 3 * w->denseContacts) return false;
    if (!plBudget_Pay(&w->budget, plLaw_FactorCost(unknowns))) return false;
    for (int i = 0; i < w->freeCount; ++i) {
        putContact(s, &w->free[i], w, unknowns);
        putOwn(s, q, a, anchor, &w->free[i], w, unknowns, y);
    }
    if (unknowns > 0 && !plLu_Factor(w->J, unknowns, w->pivot)) return false;
    if (unknowns > 0) plLu_Solve(w->J, unknowns, w->pivot, y);
    memset(w->trial, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    for (int i = 0; i < w->freeCount; ++i) {
        const plFreeContact* c = &w->free[i];
        putPoint(c, dim, &y[c->first], &w->trial[dim * c->contact]);
    }
    return true;
}
