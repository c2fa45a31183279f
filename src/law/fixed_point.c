#include "law/fixed_point.h"

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

double plFixedPoint_Defect(const plSpace* s, const double* q, double a, const double* anchor,
                           const double* p, const double* D, double* u, double* F)
{
    const int dim = s->dim;
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
        const int n = dim * i;
        double w[3];
        plFixedPoint_Rows(s, q, p, i, w);
        for (int k = 0; k < dim; ++k) {
            u[n + k] = p[n + k] - w[k] / D[n + k];
            if (a > 0) u[n + k] -= a * (p[n + k] - anchor[n + k]);
        }
        const double radius = s->pair[i].mu * fmax(0, u[n]), t = lengthOf(&u[n + 1], dim - 1);
        F[n] = p[n] - fmax(0, u[n]);
        for (int k = 1; k < dim; ++k) {
            F[n + k] = p[n + k] - (t > radius ? u[n + k] * (radius / t) : u[n + k]);
        }
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

// Derivative of the projection at u: open 0; stick I; slip with e = u_t/|u_t|, c = mu u_n/|u_t|
//   dP_n = 1,   dP_t/du_n = mu e,   dP_t/du_t = c (I - e e^T)              (Alart and Curnier)
static void projectionDerivative(const double* u, int dim, double mu, double A[3][3])
{
    memset(A, 0, 9 * sizeof(double));
    if (u[0] <= 0) return;
    A[0][0] = 1;
    const double t = lengthOf(&u[1], dim - 1), radius = mu * u[0];
    for (int i = 1; i < dim; ++i) {
        if (t <= radius) {
            A[i][i] = 1;
            continue;
        }
        A[i][0] = mu * u[i] / t;
        for (int j = 1; j < dim; ++j) {
            A[i][j] = radius / t * ((i == j) - u[i] * u[j] / (t * t));
        }
    }
}

// to += sum of a[l] W_l over the rows l of a contact.
static void addRows(const plSpace* s, int contact, const double* a, double* to)
{
    const int dim = s->dim, rows = plSpace_Rows(s);
    if (s->W) {
        for (int l = 0; l < dim; ++l) {
            const double* W = &s->W[(dim * contact + l) * rows];
            for (int j = 0; j < rows && a[l] != 0; ++j) to[j] += a[l] * W[j];
        }
        return;
    }
    for (int b = s->blockStart[contact]; b < s->blockStart[contact + 1]; ++b) {
        const double* B = &s->blocks[b * dim * dim];
        double* at = &to[dim * s->blockColumn[b]];
        for (int k = 0; k < dim * dim; ++k) at[k % dim] += a[k / dim] * B[k];
    }
}

// With d(p - D^-1 w)/dp = I - D^-1 W - a I:  J = I - (1 - a) A + A D^-1 W,  A = dP.
void plFixedPoint_Jacobian(const plSpace* s, double a, const double* D, const double* u, double* J)
{
    const int dim = s->dim, rows = plSpace_Rows(s);
    memset(J, 0, (size_t)(rows * rows) * sizeof(double));
    for (int i = 0; i < s->count; ++i) {
        const int n = dim * i;
        double A[3][3], AD[3];
        projectionDerivative(&u[n], dim, s->pair[i].mu, A);
        for (int k = 0; k < dim; ++k) {
            double* Jk = &J[(n + k) * rows];
            for (int l = 0; l < dim; ++l) AD[l] = A[k][l] / D[n + l];
            addRows(s, i, AD, Jk);
            for (int l = 0; l < dim; ++l) Jk[n + l] += (k == l) - (1 - a) * A[k][l];
        }
    }
}
