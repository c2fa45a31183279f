// The grip: what motors must do for fingers to be somewhere, and how far fingers are closed. (pmi 5.3)
#include "coupling/coupling.h"

#include <string.h>

// Jt^T Jt may be singular where two motors pull alike: then of all answers the shortest.
plStatus plGrip_Angles(const plPulleys* p, const double* q, double* theta, plArena* scratch)
{
    const size_t n = (size_t)p->n, count = (size_t)p->count;
    plEigen eigen;
    double* y = plArena_Alloc(scratch, n, sizeof(double));
    double* Ky = plArena_Alloc(scratch, n, sizeof(double));
    double* A = plArena_Alloc(scratch, count * count, sizeof(double));
    double* U = plArena_Alloc(scratch, count * count, sizeof(double));
    double* b = plArena_Alloc(scratch, count, sizeof(double));
    double* lambda = plArena_Alloc(scratch, count, sizeof(double));
    if (plEigen_Create(&eigen, p->count, scratch) != pl_statusOk || scratch->full) {
        return pl_statusCapacity;
    }
    for (int i = 0; i < p->n; ++i) y[i] = p->rest[i] - q[i];
    plMatVec(p->K, p->n, p->n, p->n, y, Ky);
    for (int i = 0; i < p->count; ++i) {
        b[i] = plDotN(&p->J[i * p->n], Ky, p->n);
        for (int k = 0; k < p->count; ++k) {
            A[i * p->count + k] = plDotN(&p->J[i * p->n], &p->J[k * p->n], p->n);
        }
    }
    const double round = 1e-12;
    const int rank = plPseudoSolve(&eigen, A, p->count, round, b, theta, lambda, U);
    return rank < 0 ? pl_statusBadArgument : pl_statusOk;
}

void plGrip_Reach(plGripReach* r, int n, const double* q, const double* open, const double* closed)
{
    for (int i = 0; i < n; ++i) {
        const double way = closed[i] - open[i], gone = q[i] - open[i];
        r->whole += way * way;
        r->along += gone * way;
        r->gone += gone * gone;
    }
}

double plGrip_Share(const plGripReach* r, plProjection projection)
{
    return projection == pl_projectionNorm ? sqrt(r->gone / r->whole) : r->along / r->whole;
}

double plGrip_Wanted(const plGripDef* d, plVec3 handle)
{
    const double s = (plDot(d->axis, handle) - d->open) / (d->closed - d->open);
    return fmax(0, fmin(1, s));
}

plWrench plGrip_Pull(const plCoupling* c, double wanted, double share)
{
    const plGripDef* d = &c->def.grip;
    const double off = (d->closed - d->open) * (wanted - share);
    return (plWrench){.force = plScale(-c->def.stiffness.x * off, d->axis)};
}

double plGrip_Stored(const plCoupling* c, double wanted, double share)
{
    const plGripDef* d = &c->def.grip;
    const double off = (d->closed - d->open) * (wanted - share);
    return 0.5 * c->def.stiffness.x * off * off;
}
