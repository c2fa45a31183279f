// Gauss-Seidel over the contacts, on dense or block-sparse W.
#include "law/anderson.h"
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/local.h"

#include <string.h>

double plCone_Sweep(const plSpace* s, const double* q, plConeMethod method, double* p)
{
    double change = 0, size = 0;
    for (int i = 0; i < s->count; ++i) {
        plLocal c;
        double v[3], f[3] = {0};
        plFixedPoint_Rows(s, q, p, i, v);
        plLocal_Read(s, i, v, &p[s->dim * i], &c);
        if (!(c.B[0][0] > 0)) continue; // nothing moves here
        for (int k = 0; k < s->dim; ++k) f[k] = p[s->dim * i + k];
        if (method == pl_coneExact) {
            plLocal_Exact(&c, f);
        } else {
            plLocal_Printed(&c, method == pl_coneSequential, f);
        }
        for (int k = 0; k < s->dim; ++k) {
            double* pk = &p[s->dim * i + k];
            change += (f[k] - *pk) * (f[k] - *pk);
            size += f[k] * f[k];
            *pk = f[k];
        }
    }
    return change == 0 ? 0 : sqrt(change / size);
}

// The change of a sweep is no error (E2): it says when to look. RES costs as much as a sweep, so it
// is asked when the change is small, and now and then to keep the best iterate.
double plCone_GaussSeidel(const plSpace* s, const double* q, plConeMethod method, double tolerance,
                          int sweeps, double* p, plLawWork* work, int* iterations)
{
    enum { lookEvery = 16 };
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    plFixedPoint_Diagonal(s, work->D);
    double least = plFixedPoint_Res(s, q, p, work);
    memcpy(work->best, p, size);
    for (int k = 1; k <= sweeps && !(least <= tolerance); ++k) {
        const double change = plCone_Sweep(s, q, method, p);
        *iterations += 1;
        plBudget_Spend(&work->budget, plLaw_SweepCost(s));
        const bool over = plBudget_IsOver(&work->budget);
        if (change > 2 * tolerance && k % lookEvery != 0 && k < sweeps && !over) continue;
        const double res = plFixedPoint_Res(s, q, p, work);
        if (res < least) {
            least = res;
            memcpy(work->best, p, size);
        }
        if (change == 0 || plLaw_IsOver(work)) break;
    }
    memcpy(p, work->best, size);
    return least;
}

double plCone_Extrapolated(const plSpace* s, const double* q, double tolerance, int sweeps,
                           double* p, plLawWork* work, int* iterations)
{
    enum { lookEvery = 8 };
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    plFixedPoint_Diagonal(s, work->D);
    double least = plFixedPoint_Res(s, q, p, work);
    memcpy(work->best, p, size);
    plAnderson_Begin(&work->anderson, plSpace_Rows(s));
    for (int k = 1; k <= sweeps && !(least <= tolerance); ++k) {
        memcpy(work->trial, p, size);
        const double change = plCone_Sweep(s, q, pl_coneExact, p);
        *iterations += 1;
        plBudget_Spend(&work->budget, plLaw_SweepCost(s));
        const bool over = plBudget_IsOver(&work->budget);
        const bool looks = change <= 2 * tolerance || k % lookEvery == 0 || k == sweeps || over;
        if (looks) {
            const double res = plFixedPoint_Res(s, q, p, work);
            if (res < least) {
                least = res;
                memcpy(work->best, p, size);
            }
        }
        if (change == 0 || (looks && plLaw_IsOver(work))) break;
        plAnderson_Next(&work->anderson, work->trial, p);
    }
    memcpy(p, work->best, size);
    return least;
}
