// Gauss-Seidel over the contacts.
#include "law/anderson.h"
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/local.h"

#include <string.h>

// A contact that is open and stays so is known by its normal row alone. Columns: as a sweep begins; they grow as
// contacts begin to push.
static double sweep(const plSpace* s, const double* q, plConeMethod method, plColumns* of,
                    int* list, double* p)
{
    const plOperator* W = plSpace_Operator(s);
    const int dim = s->dim;
    double change = 0, size = 0;
    for (int i = 0; i < s->count; ++i) {
        plLocal c;
        double v[3], f[3] = {0}, df[3], *own = &p[dim * i];
        const bool open = plFixedPoint_IsZero(s, p, i);
        for (int k = 0; k < dim; ++k) v[k] = q[dim * i + k];
        W->rows(s, of, p, i, 0, open ? 1 : dim, v);
        if (open && v[0] >= 0) continue;
        if (open && dim > 1) W->rows(s, of, p, i, 1, dim - 1, v);
        plLocal_Read(s, i, v, own, &c);
        if (!(c.B[0][0] > 0)) continue; // nothing moves here
        for (int k = 0; k < dim; ++k) f[k] = own[k];
        if (method == pl_coneExact) {
            plLocal_Exact(&c, f);
        } else {
            plLocal_Printed(&c, method == pl_coneSequential, f);
        }
        for (int k = 0; k < dim; ++k) {
            df[k] = f[k] - own[k];
            change += df[k] * df[k];
            size += f[k] * f[k];
            own[k] = f[k];
        }
        if (W->column) W->column(s, i, df);
        if (of && open) list[of->count++] = i;
    }
    return change == 0 ? 0 : sqrt(change / size);
}

double plCone_Sweep(const plSpace* s, const double* q, plConeMethod method, double* p)
{
    const plOperator* W = plSpace_Operator(s);
    if (W->gather) W->gather(s, p);
    return sweep(s, q, method, NULL, NULL, p);
}

// The few of what rests are looked at one by one; by factors, those that are extrapolated more often than others.
static int lookEveryOf(const plSweeps* how, const plOperator* W)
{
    if (how->still > 0 && how->most <= 4) return 1;
    if (how->extrapolated && W->gather) return 4;
    return how->extrapolated || how->halves ? 8 : 16;
}

// The change of a sweep is no error (E2): it says when to look. RES costs as much as a sweep, so it
// is asked when the change is small, and now and then to keep the best iterate.
double plCone_Sweeps(const plSpace* s, const double* q, const plSweeps* how, double* p,
                     plLawWork* w, int* iterations)
{
    const plOperator* W = plSpace_Operator(s);
    const int lookEvery = lookEveryOf(how, W);
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    double wanted = how->still > 0 ? how->still : how->tolerance, least = how->known, last;
    if (how->known == 0) {
        plFixedPoint_Diagonal(s, w->D);
        least = plFixedPoint_Res(s, q, p, w);
    }
    last = least;
    memcpy(w->best, p, size);
    plAnderson_Begin(&w->anderson, plSpace_Rows(s));
    for (int k = 1; k <= how->most && !(least <= wanted); ++k, wanted = how->tolerance) {
        plColumns columns;
        plColumns* of = plFixedPoint_Columns(s, p, &columns, w) ? &columns : NULL;
        if (how->extrapolated) memcpy(w->trial, p, size);
        const double change = sweep(s, q, how->method, of, w->columns, p);
        *iterations += 1;
        plBudget_Spend(&w->budget, plLaw_SweepCost(s));
        const bool over = plBudget_IsOver(&w->budget);
        const bool first =
            k == 1 && how->still > 0; // of what rests: it goes on from there in any case
        const bool looks =
            change <= 2 * how->tolerance || k % lookEvery == 0 || k == how->most || over || first;
        const double res = looks ? plFixedPoint_Res(s, q, p, w) : (double)INFINITY;
        if (first || res < least) {
            least = res;
            memcpy(w->best, p, size);
        }
        if (change == 0 || least <= how->tolerance || (looks && plLaw_IsOver(w))) break;
        if (how->halves && looks && k > 1 && res > 0.5 * last) break;
        last = looks ? res : last;
        if (!how->extrapolated) continue;
        plAnderson_Next(&w->anderson, w->trial, p);
        if (W->gather) W->gather(s, p);
    }
    memcpy(p, w->best, size);
    return least;
}
