#include "signorini/desk.h"

#include <string.h>

size_t plDesk_Size(int contacts, int sides)
{
    const size_t n = (size_t)contacts;
    const size_t each = (4 + (size_t)sides) * sizeof(double) + 2 * sizeof(plContactMemory);
    return plLawWork_Size(contacts, sides) + plSpace_Size(3, contacts, 0) + n * each +
           sizeof(plDesk) + 1024;
}

plDesk* plDesk_Create(int contacts, int sides, plArena* arena)
{
    const size_t n = (size_t)contacts;
    plDesk* d = plArena_Alloc(arena, 1, sizeof *d);
    if (!d || plSpace_Create(&d->space, 3, contacts, 0, arena) != pl_statusOk) return NULL;
    if (plLawWork_Create(&d->work, contacts, sides, arena) != pl_statusOk) return NULL;
    d->space.sides = sides;
    d->q = plArena_Alloc(arena, n * (1 + (size_t)sides), sizeof(double));
    d->p = plArena_Alloc(arena, 3 * n, sizeof(double));
    d->before = plArena_Alloc(arena, n, sizeof(plContactMemory));
    d->after = plArena_Alloc(arena, n, sizeof(plContactMemory));
    return arena->full ? NULL : d;
}

plLawReport plDesk_Solve(plDesk* d, const plLaw* law)
{
    plLawReport report;
    law->bias(&d->space, 0, d->q);
    law->solve(&d->space, d->q, 0, d->before, d->after, d->p, &d->work, &report);
    return report;
}

plLawReport plDesk_SolveFromZero(plDesk* d, const plLaw* law)
{
    memset(d->before, 0, (size_t)d->space.count * sizeof *d->before);
    return plDesk_Solve(d, law);
}

void plDesk_Sweeps(plDesk* d, plConeMethod method, int most, int sweeps[3])
{
    const plSpace* s = &d->space;
    int found = 0;
    memset(sweeps, 0, 3 * sizeof(int));
    memset(d->p, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    for (int k = 1; k <= most && found < 3; ++k) {
        plCone_Sweep(s, s->uFree, method, d->p);
        const double res = plJudge_Res(s, s->uFree, d->p);
        while (found < 3 && res <= pow(10, -3 * (found + 1))) sweeps[found++] = k;
    }
}

double plDesk_Newton(plDesk* d, int* steps)
{
    enum { most = 25 };
    const plSpace* s = &d->space;
    *steps = 0;
    memset(d->p, 0, (size_t)plSpace_Rows(s) * sizeof(double));
    return plCone_Newton(s, s->uFree, 0, NULL, d->work.tolerance, most, d->p, &d->work, steps);
}
