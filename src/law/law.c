// The table of laws, and the memory of their algorithms.
#include "law/explicit.h"
#include "law/section.h"

#include <string.h>

static const plLaw* const laws[pl_lawCount] = {[pl_lawPenalty] = &plPenaltyLaw,
                                               [pl_lawImpulse] = &plImpulseLaw,
                                               [pl_lawLcp] = &plLcpLaw,
                                               [pl_lawCone] = &plConeLaw,
                                               [pl_lawMultiplier] = &plMultiplierLaw};

const plLaw* plLaw_Of(plLawName name)
{
    if (name == pl_lawOwn) return &plOwnLaw;
    return (int)name >= 0 && name < pl_lawCount ? laws[name] : NULL;
}

const plLaw* plLaw_Find(const char* name)
{
    for (int i = 0; i < pl_lawCount; ++i) {
        if (laws[i] && strcmp(laws[i]->name, name) == 0) return laws[i];
    }
    return NULL;
}

int plLaw_NoBias(const plSpace* s)
{
    (void)s;
    return 0;
}

void plLaw_WriteNoBias(const plSpace* s, int level, double* q) { (void)s, (void)level, (void)q; }

double plLaw_NoJudgement(const plSpace* s, const double* q, const double* p)
{
    (void)s, (void)q, (void)p;
    return 0;
}

void plLaw_Recall(const plSpace* s, const plContactMemory* before, double* p)
{
    for (int i = 0; i < plSpace_Rows(s); ++i) p[i] = before[i / s->dim].p[i % s->dim];
}

void plLaw_Remember(const plSpace* s, const plContactMemory* before, plContactMemory* after,
                    const double* p)
{
    for (int i = 0; i < s->count; ++i) {
        plContactMemory next = {.age = before[i].age + 1};
        for (int k = 0; k < s->dim; ++k) next.p[k] = p[s->dim * i + k];
        after[i] = next;
    }
}

void plLaw_CountStates(const plSpace* s, const double* p, plLawReport* report)
{
    for (int i = 0; i < s->count; ++i) {
        const double* f = &p[s->dim * i];
        if (!(f[0] > 0)) continue;
        report->active++;
        if (s->dim == 1) continue;
        const double bound = s->pair[i].mu * f[0] * (1 - 1e-9);
        const double t2 = f[1] * f[1] + (s->dim == 3 ? f[2] * f[2] : 0);
        const bool flat = plSection_Sides(s) > 0;
        report->sliding += flat ? plSection_Radius(s->sides, &f[1]) >= bound : t2 >= bound * bound;
    }
}

// --- memory

static int least(int a, int b) { return a < b ? a : b; }

// Frictionless problems and collisions have one unknown per contact, pyramids many.
static int lcpOrder(int contacts, int sides)
{
    const int pyramids = least(contacts, plPyramidContacts) * (sides + 2);
    const int plain = least(contacts, plDenseContacts);
    return pyramids > plain ? pyramids : plain;
}

plStatus plLawWork_Create(plLawWork* w, int contacts, int sides, plArena* arena)
{
    PL_ASSERT(contacts >= 0 && sides >= 4 && sides <= plMaxSides && sides % 2 == 0);
    const size_t rows = 3 * (size_t)contacts, n = (size_t)least(contacts, plDenseContacts);
    *w = (plLawWork){.contacts = contacts,
                     .sides = sides,
                     .tolerance = 1e-9,
                     .accepted = 1e-6,
                     .sweeps = 500,
                     .turns = 1,
                     .newtonContacts = plDenseContacts,
                     .largeSweeps = 16000,
                     .budget = {.most = INFINITY}};
    double** vectors[] = {&w->bias, &w->other,  &w->f,    &w->u, &w->F,        &w->trial, &w->step,
                          &w->best, &w->anchor, &w->kept, &w->D, &w->foreseen, &w->wanted};
    double** dense[] = {&w->lambda, &w->v, &w->e, &w->x};
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(arena, rows, sizeof(double));
    }
    for (int i = 0; i < PL_COUNT(dense); ++i) *dense[i] = plArena_Alloc(arena, n, sizeof(double));
    w->J = plArena_Alloc(arena, 9 * n * n, sizeof(double));
    w->pivot = plArena_Alloc(arena, 3 * n, sizeof(int));
    w->denseContacts = (int)n;
    w->free = plArena_Alloc(arena, (size_t)contacts, sizeof *w->free);
    w->place = plArena_Alloc(arena, (size_t)contacts, sizeof(int));
    const size_t few = (size_t)least(contacts, plSubsetContacts);
    w->subsetCapacity = (int)few;
    w->subset = plArena_Alloc(arena, (size_t)contacts, sizeof(int));
    w->subsetW = plArena_Alloc(arena, 9 * few * few, sizeof(double));
    w->subsetQ = plArena_Alloc(arena, 3 * few, sizeof(double));
    w->subsetP = plArena_Alloc(arena, 3 * few, sizeof(double));
    w->subsetPair = plArena_Alloc(arena, few, sizeof(plPair));
    w->A = plArena_Alloc(arena, n * n, sizeof(double));
    w->U = plArena_Alloc(arena, n * n, sizeof(double));
    w->closing = plArena_Alloc(arena, (size_t)contacts, sizeof(int));
    const plStatus mixing = plAnderson_Create(&w->anderson, (int)rows, arena);
    if (mixing != pl_statusOk) return mixing;
    const plStatus lcp = plLcp_Create(&w->lcp, lcpOrder(contacts, sides), arena);
    if (lcp != pl_statusOk) return lcp;
    return plEigen_Create(&w->eigen, (int)n, arena);
}

plStatus plLawWork_Widen(plLawWork* w, int contacts, plArena* arena)
{
    const size_t n = (size_t)contacts;
    PL_ASSERT(contacts <= w->contacts);
    w->J = plArena_Alloc(arena, 9 * n * n, sizeof(double));
    w->pivot = plArena_Alloc(arena, 3 * n, sizeof(int));
    if (arena->full) return pl_statusCapacity;
    w->denseContacts = w->newtonContacts = contacts;
    return pl_statusOk;
}

// The library's own workspace for eigenvalues is some tens of vectors; 200 is ample.
size_t plLawWork_Size(int contacts, int sides)
{
    const size_t rows = 3 * (size_t)contacts, n = (size_t)least(contacts, plDenseContacts);
    const size_t order = (size_t)lcpOrder(contacts, sides);
    const size_t numbers = (15 + 2 * plAndersonWindow) * rows + 12 * n * n + 210 * n +
                           2 * order * order + 12 * order + (size_t)contacts;
    const size_t few = (size_t)least(contacts, plSubsetContacts);
    const size_t lists = (size_t)contacts * (sizeof(plFreeContact) + 2 * sizeof(int));
    const size_t subset = (9 * few * few + 6 * few) * sizeof(double) + few * sizeof(plPair);
    return numbers * sizeof(double) + lists + subset + 64 * 64 + 8192;
}
