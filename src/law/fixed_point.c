#include "law/fixed_point.h"

#include "law/section.h"

#include <string.h>

void plFixedPoint_Rows(const plSpace* s, const double* q, const double* p, int contact, double* w)
{
    for (int k = 0; k < s->dim; ++k) w[k] = q[s->dim * contact + k];
    plSpace_Operator(s)->rows(s, NULL, p, contact, 0, s->dim, w);
}

void plFixedPoint_Diagonal(const plSpace* s, double* D)
{
    const int dim = s->dim;
    for (int i = 0; i < s->count; ++i) {
        int stride;
        const double* B = plSpace_Diagonal(s, i, &stride);
        double mean = 0;
        for (int k = 1; k < dim; ++k) mean += B[k * stride + k] / (dim - 1);
        D[dim * i] = B[0] > 0 ? B[0] : 1;
        for (int k = 1; k < dim; ++k) D[dim * i + k] = mean > 0 ? mean : 1;
    }
}

static double lengthOf(const double* a, int count)
{
    return count == 0 ? 0 : count == 1 ? fabs(a[0]) : sqrt(a[0] * a[0] + a[1] * a[1]);
}

// F of the tangents: p_t less the point of the section that is nearest to u_t.
static void tangents(int sides, int count, double radius, const double* p, const double* u,
                     double* F)
{
    double t[2] = {0};
    for (int k = 0; k < count; ++k) t[k] = u[k];
    if (sides > 0) {
        plSection_Project(sides, radius, t);
    } else {
        const double length = lengthOf(u, count);
        for (int k = 0; k < count && length > radius; ++k) t[k] = u[k] * (radius / length);
    }
    for (int k = 0; k < count; ++k) F[k] = p[k] - t[k];
}

const plColumns* plFixedPoint_Columns(const plSpace* s, const double* p, plColumns* columns,
                                      plLawWork* w)
{
    *columns = (plColumns){0, w->columns};
    for (int i = 0; i < s->count; ++i) {
        if (!plFixedPoint_IsZero(s, p, i)) w->columns[columns->count++] = i;
    }
    return 3 * columns->count <= s->count ? columns : NULL;
}

double plFixedPoint_Defect(const plSpace* s, const double* q, double a, const double* anchor,
                           const double* p, plLawWork* work)
{
    const plOperator* W = plSpace_Operator(s);
    const int dim = s->dim, sides = plSection_Sides(s);
    double sum = 0, *D = work->D, *u = work->u, *F = work->F;
    plColumns columns;
    const plColumns* of = plFixedPoint_Columns(s, p, &columns, work);
    if (W->gather) W->gather(s, p);
    for (int i = 0; i < s->count; ++i) {
        const int n = dim * i;
        const bool open = plFixedPoint_IsZero(s, p, i);
        double w[3];
        for (int k = 0; k < dim; ++k) w[k] = q[n + k];
        W->rows(s, of, p, i, 0, open ? 1 : dim, w);
        u[n] = p[n] - w[0] / D[n] - (a > 0 ? a * (p[n] - anchor[n]) : 0);
        F[n] = p[n] - fmax(0, u[n]);
        if (open && u[n] <= 0) { // and stays so, whatever the tangents are
            for (int k = 1; k < dim; ++k) u[n + k] = F[n + k] = 0;
            continue;
        }
        if (open && dim > 1) W->rows(s, of, p, i, 1, dim - 1, w);
        for (int k = 1; k < dim; ++k) {
            u[n + k] = p[n + k] - w[k] / D[n + k];
            if (a > 0) u[n + k] -= a * (p[n + k] - anchor[n + k]);
        }
        if (dim > 1) {
            const double radius = s->pair[i].mu * fmax(0, u[n]);
            tangents(sides, dim - 1, radius, &p[n + 1], &u[n + 1], &F[n + 1]);
        }
        for (int k = 0; k < dim; ++k) sum += F[n + k] * F[n + k];
    }
    return sqrt(sum);
}

double plFixedPoint_Res(const plSpace* s, const double* q, const double* p, plLawWork* work)
{
    const double defect = plFixedPoint_Defect(s, q, 0, NULL, p, work);
    return defect == 0 ? 0 : defect / sqrt(plDotN(p, p, plSpace_Rows(s)));
}
