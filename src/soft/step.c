// One step of a linear body, implicit Euler to midpoint.
#include "soft/inside.h"

#include <string.h>

plStatus plSoftStepper_Create(plSoftStepper* s, const plSoft* soft, const plSoftStepDef* d,
                              const plAllocator* allocator, plShapeError* error)
{
    *s = (plSoftStepper){.T = d->T, .theta = d->theta, .alpha = d->alpha, .beta = d->beta};
    const bool good = d->T > 0 && d->theta >= 0.5 && d->theta <= 1 && d->alpha >= 0 && d->beta >= 0;
    if (!good) {
        return plSoft_Fail(error, pl_statusBadArgument,
                           "the step must be positive, theta in [1/2, 1], damping not negative");
    }
    const plSoftFactorDef def = {.a = 1 / (d->theta * d->T) + d->alpha,
                                 .b = d->theta * d->T + d->beta,
                                 .mass = d->mass,
                                 .fixed = d->fixed,
                                 .candidateCount = d->candidateCount,
                                 .candidates = d->candidates};
    plStatus status = plSoftFactor_Create(&s->factor, soft, &def, allocator, error);
    if (status != pl_statusOk) return status;
    const size_t n = 3 * (size_t)soft->nodeCount;
    status = plArena_Create(&s->arena, 2 * plSoft_Room(n, sizeof(double)), allocator);
    if (status != pl_statusOk) {
        plSoftStepper_Destroy(s, allocator);
        return plSoft_Fail(error, status, "no memory for the step");
    }
    s->force = plArena_Alloc(&s->arena, n, sizeof(double));
    s->w = plArena_Alloc(&s->arena, n, sizeof(double));
    return pl_statusOk;
}

void plSoftStepper_Destroy(plSoftStepper* s, const plAllocator* allocator)
{
    plSoftFactor_Destroy(&s->factor, allocator);
    plArena_Destroy(&s->arena, allocator);
    *s = (plSoftStepper){0};
}

void plSoftStepper_Step(plSoftStepper* s, const double* f, double* u, double* v)
{
    const plSoftFactor* a = &s->factor;
    const int n = 3 * a->soft->nodeCount;
    plSoft_Multiply(a->soft, a->mass, 0, -1, u, s->force);
    plSoft_Multiply(a->soft, a->mass, 1 / (s->theta * s->T), 0, v, s->w);
    for (int i = 0; i < n; ++i) {
        s->force[i] += f[i] + s->w[i];
        s->w[i] = 0; // what is held stands still
    }
    plSoftFactor_Solve(&s->factor, s->force, s->w);
    for (int i = 0; i < n; ++i) {
        u[i] += s->T * s->w[i];
        v[i] += (s->w[i] - v[i]) / s->theta;
    }
}
