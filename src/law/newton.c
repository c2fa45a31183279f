// Semi-smooth Newton on the fixed-point map, and the chain of proximal problems around it.
#include "law/explicit.h"
#include "law/fixed_point.h"
#include "law/reduced.h"

#include <string.h>

// The problem W p + q + a D (p - anchor); a = 0: the one that is asked.
typedef struct {
    double a;
    const double* anchor;
    double scale; // of D in the map and in a D: the solutions are the same, the ways are not
} Proximal;

// From F at p: work->step and the point it leads to; halves until |F| falls. When no length of the
// step helps, the whole step is taken: the map is only piecewise smooth, and the best iterate is
// kept anyway.
static double lineSearch(const plSpace* s, const double* q, const Proximal* x, double defect,
                         const double* p, plLawWork* w)
{
    enum { halvings = 12 };
    const int rows = plSpace_Rows(s);
    double length = 1;
    for (int k = 0; k <= halvings; ++k, length *= 0.5) {
        if (k == halvings) length = 1;
        for (int i = 0; i < rows; ++i) w->trial[i] = p[i] + length * w->step[i];
        const double next = plFixedPoint_Defect(s, q, x->a, x->anchor, w->trial, w->D, w->u, w->F);
        plBudget_Spend(&w->budget, plLaw_ProductCost(s));
        if (next < (1 - 1e-4 * length) * defect || k == halvings) return next;
    }
    return defect;
}

static double newton(const plSpace* s, const double* q, const Proximal* x, double tolerance,
                     int steps, double* p, plLawWork* w, int* iterations)
{
    const int rows = plSpace_Rows(s);
    const size_t size = (size_t)rows * sizeof(double);
    plFixedPoint_Diagonal(s, w->D);
    for (int i = 0; i < rows; ++i) w->D[i] *= x->scale;
    double defect = plFixedPoint_Defect(s, q, x->a, x->anchor, p, w->D, w->u, w->F), least = defect;
    memcpy(w->best, p, size);
    for (int k = 0; k < steps; ++k) {
        if (defect <= tolerance * sqrt(plDotN(p, p, rows))) break;
        if (!plReduced_Point(s, q, x->a, x->anchor, w)) break; // singular, or too dear
        for (int i = 0; i < rows; ++i) w->step[i] = w->trial[i] - p[i];
        defect = lineSearch(s, q, x, defect, p, w);
        *iterations += 1;
        if (!isfinite(defect)) break;
        memcpy(p, w->trial, size);
        if (defect < least) {
            least = defect;
            memcpy(w->best, p, size);
        }
        if (plLaw_IsOver(w)) break;
    }
    memcpy(p, w->best, size);
    return least == 0 ? 0 : least / sqrt(plDotN(p, p, rows));
}

double plCone_Newton(const plSpace* s, const double* q, double a, const double* anchor,
                     double tolerance, int steps, double* p, plLawWork* w, int* iterations)
{
    const Proximal x = {a, anchor, 1};
    return newton(s, q, &x, tolerance, steps, p, w, iterations);
}

// How a chain goes: from this a; at most so many steps a problem, until its defect is this part of RES;
// then a falls by this factor. The map of a problem is scaled by a^power.
typedef struct {
    double first;
    int rounds, steps;
    double share, fall, power;
} Chain;

// From p, whose RES is known; the best iterate is kept.
static double chain(const plSpace* s, const double* q, const Chain* c, double tolerance, double res,
                    double* p, plLawWork* w, int* iterations)
{
    const double most = 0.1, rise = 3;
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    double a = c->first, least = res;
    memcpy(w->f, p, size);
    for (int k = 0; k < c->rounds && !(least <= tolerance) && !plLaw_IsOver(w); ++k) {
        memcpy(w->anchor, p, size);
        const double scale = pow(a, c->power), wanted = fmax(fmin(c->share * res, 1e-3), 1e-9);
        const Proximal x = {a / scale, w->anchor, scale};
        const double inner = newton(s, q, &x, wanted, c->steps, p, w, iterations);
        plFixedPoint_Diagonal(s, w->D);
        res = plFixedPoint_Res(s, q, p, w);
        if (res < least) {
            least = res;
            memcpy(w->f, p, size);
        }
        a = inner <= wanted ? a * c->fall : fmin(a * rise, most);
    }
    memcpy(p, w->f, size);
    return least;
}

// Hyperstatic contacts (four corners of a box: W has half rank) leave Newton without a direction
// in W's null space, and it jumps between sets of slipping contacts. The proximal problem
//   (W + a D) p + q - a D anchor,  anchor = the last p
// has the same solutions at its fixed points, and a well conditioned matrix for a ~ 0.1. A chain of
// them lets a fall while Newton succeeds; a failure raises it again.
//   With the map scaled by a^0.65 states follow the velocities sooner than the impulses, which mean
// little in the null space. A problem is left after four steps: what has not converged by then cycles.
//   From where plain Newton got lost some chains never return, but some sweeps that are extrapolated
// lead back, and from there a may be small at once. Measured on what a falling pile of 200 boxes gave,
// 40 problems each of up to 24 and 48 contacts and 15 of up to 105, to RES 1e-7: 21, 23, 37 steps in
// the mean, 73 at most; begun at p = 0 with a = 0.1 it were 35, 50, 61. Where the near chain does not
// arrive, the one from afar does, and the patient one still may.
double plCone_Near(const plSpace* s, const double* q, double tolerance, double* p, plLawWork* w,
                   int* iterations)
{
    const int sweeps = 10 + s->count / 5;
    static const Chain near = {1e-3, 40, 4, 0.3, 0.45, 0.65};
    int swept = 0; // all of them cost less than a step, and count as one
    const double res = plCone_Extrapolated(s, q, tolerance, sweeps, p, w, &swept);
    *iterations += 1;
    return res <= tolerance ? res : chain(s, q, &near, tolerance, res, p, w, iterations);
}

// Of hundreds of contacts a step is a large factor. What sweeps have left is then worth more patience than
// the near chain has, before all begins anew: a pile of rocks, 463 contacts, comes from 1e-5 to 1e-8 in 490
// steps; near and from afar it were 1500.
static double goOn(const plSpace* s, const double* q, double tolerance, double* p, plLawWork* w,
                   int* iterations)
{
    static const Chain careful = {1e-3, 80, 10, 0.1, 0.6, 0.65};
    plFixedPoint_Diagonal(s, w->D);
    const double res = plFixedPoint_Res(s, q, p, w);
    return chain(s, q, &careful, tolerance, res, p, w, iterations);
}

double plCone_Proximal(const plSpace* s, const double* q, double tolerance, double* p, plLawWork* w,
                       int* iterations)
{
    static const Chain far = {0.1, 80, 4, 0.3, 0.45, 0.65}, patient = {0.1, 80, 20, 0.01, 0.6, 0};
    const Chain* chains[] = {&far, &patient};
    const size_t size = (size_t)plSpace_Rows(s) * sizeof(double);
    const bool large = s->count > plDenseContacts;
    double res = (large ? goOn : plCone_Near)(s, q, tolerance, p, w, iterations);
    for (int k = 0; k < PL_COUNT(chains) && !(res <= tolerance) && !plLaw_IsOver(w); ++k) {
        memcpy(w->other, p, size);
        memset(p, 0, size);
        const double next = chain(s, q, chains[k], tolerance, INFINITY, p, w, iterations);
        if (!(next < res)) memcpy(p, w->other, size);
        res = fmin(res, next);
    }
    return res;
}
