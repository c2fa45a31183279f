// The grip: what motors must do for fingers to be somewhere, and how far fingers are closed. (pmi 5.3)
#include "coupling/coupling.h"

// theta = -(Jt^T Jt)^-1 Jt^T K (q - rest). Jt^T Jt may be singular where two motors pull alike: then of
// all answers the shortest.
plStatus plGrip_Angles(const plMechanism* m, const plGripMotors* motors, const double* q,
                       double* theta, plArena* scratch)
{
    const int n = plMechanism_Velocities(m), count = motors->count;
    plEigen eigen;
    double* Ky = plArena_Alloc(scratch, (size_t)n, sizeof(double));
    double* J = plArena_Alloc(scratch, (size_t)(count * n), sizeof(double));
    double* A = plArena_Alloc(scratch, (size_t)(count * count), sizeof(double));
    double* U = plArena_Alloc(scratch, (size_t)(count * count), sizeof(double));
    double* b = plArena_Alloc(scratch, (size_t)count, sizeof(double));
    double* lambda = plArena_Alloc(scratch, (size_t)count, sizeof(double));
    if (plEigen_Create(&eigen, count, scratch) != pl_statusOk || scratch->full) {
        return pl_statusCapacity;
    }
    plMechanism_Resistance(m, q, Ky);
    for (int i = 0; i < count; ++i) plMechanism_MotorGain(m, motors->tendon[i], &J[i * n]);
    for (int i = 0; i < count; ++i) {
        b[i] = -plDotN(&J[i * n], Ky, n);
        for (int k = 0; k < count; ++k) A[i * count + k] = plDotN(&J[i * n], &J[k * n], n);
    }
    const double round = 1e-12;
    const int rank = plPseudoSolve(&eigen, A, count, round, b, theta, lambda, U);
    return rank < 0 ? pl_statusBadArgument : pl_statusOk;
}

void plGrip_Reach(plGripReach* r, const plMechanism* m, const double* open, const double* closed)
{
    for (int i = 0; i < plMechanism_Velocities(m); ++i) {
        if (!plMechanism_IsBent(m, i)) continue;
        const double way = closed[i] - open[i], gone = plMechanism_Coordinate(m, i) - open[i];
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
