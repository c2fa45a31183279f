#include "law/fixed_point.h"

#include "law/section.h"

#include <string.h>

void plFixedPoint_Rows(const plSpace* s, const double* q, const double* p, int contact, double* w)
{
    const int dim = s->dim, first = dim * contact, rows = plSpace_Rows(s);
    for (int k = 0; k < dim; ++k) w[k] = q[first + k];
    if (s->W) {
        for (int k = 0; k < dim; ++k) w[k] += plDotN(&s->W[(first + k) * rows], p, rows);
        return;
    }
    for (int b = s->blockStart[contact]; b < s->blockStart[contact + 1]; ++b) {
        const double* B = &s->blocks[b * dim * dim];
        const double* pj = &p[dim * s->blockColumn[b]];
        for (int k = 0; k < dim; ++k) {
            for (int j = 0; j < dim; ++j) w[k] += B[k * dim + j] * pj[j];
        }
    }
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

double plFixedPoint_Defect(const plSpace* s, const double* q, double a, const double* anchor,
                           const double* p, const double* D, double* u, double* F)
{
    const int dim = s->dim, sides = plSection_Sides(s);
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
        const int n = dim * i;
        double w[3];
        plFixedPoint_Rows(s, q, p, i, w);
        for (int k = 0; k < dim; ++k) {
            u[n + k] = p[n + k] - w[k] / D[n + k];
            if (a > 0) u[n + k] -= a * (p[n + k] - anchor[n + k]);
        }
        F[n] = p[n] - fmax(0, u[n]);
        tangents(sides, dim - 1, s->pair[i].mu * fmax(0, u[n]), &p[n + 1], &u[n + 1], &F[n + 1]);
        for (int k = 0; k < dim; ++k) sum += F[n + k] * F[n + k];
    }
    return sqrt(sum);
}

double plFixedPoint_Res(const plSpace* s, const double* q, const double* p, plLawWork* work)
{
    const double defect = plFixedPoint_Defect(s, q, 0, NULL, p, work->D, work->u, work->F);
    const int rows = plSpace_Rows(s);
    return defect == 0 ? 0 : defect / sqrt(plDotN(p, p, rows));
}
