// Exact friction cones from p = 0, to a natural map of 1e-6 of |q|, as palp's judge measures it for
// both. A sample is one problem of an ensemble. palp stops by another measure, RES: at 1e-6 of it on
// elastic W, at 2e-7 on hyperstatic W, where the natural map is up to four times as large.
#include "bench.h"
#include "contacts.h"

#include "law/law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostProblems = 100 };
static const double asked = 1e-6;

typedef struct {
    const BenchRow* row;
    int count;
    Contacts contacts[mostProblems];
    plSpace space[mostProblems]; // W and q are those of the contacts
    void* peer[mostProblems];
    double* p;
    plArena arena;
    plLawWork work;
} Problem;

// The peer fails more often than it is slow: enough problems to count that.
static int problems(const BenchRow* row, bool quick)
{
    if (row->size > 200) return 2;
    if (row->size > 100) return 3;
    if (row->size > 50) return quick ? 3 : 10;
    return quick ? 20 : mostProblems;
}

static void makeSpace(plSpace* s, const Contacts* c, plArena* arena)
{
    *s = (plSpace){.count = c->count, .dim = 3, .capacity = c->count, .T = 1e-3, .sides = 4};
    s->pair = plArena_Alloc(arena, (size_t)c->count, sizeof *s->pair);
    s->W = c->W;
    s->uFree = c->q;
    for (int i = 0; i < c->count; ++i) s->pair[i].mu = c->mu;
}

static void* openProblem(const BenchRow* row, bool quick)
{
    if (!coneSiconos()) return NULL;
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->row = row;
    p->count = problems(row, quick);
    const size_t pairs = (size_t)(p->count * (row->size + 1)) * sizeof(plPair) + 65536;
    const size_t size = plLawWork_Size(row->size, 4) + pairs;
    if (plArena_Create(&p->arena, size, &allocator) != pl_statusOk) exit(1);
    if (plLawWork_Create(&p->work, row->size, 4, &p->arena) != pl_statusOk) exit(1);
    p->p = calloc((size_t)(3 * row->size), sizeof *p->p);
    if (!p->p) exit(1);
    p->work.tolerance = row->variant == contactsElastic ? asked : 2e-7;
    for (int i = 0; i < p->count; ++i) {
        contactsMake(&p->contacts[i], (ContactsKind)row->variant, row->size, 0.5, (uint64_t)i);
        makeSpace(&p->space[i], &p->contacts[i], &p->arena);
        p->peer[i] = coneSiconos()->create(&p->contacts[i]);
    }
    if (p->arena.full) exit(1);
    return p;
}

static void solvePalp(void* self, int sample)
{
    Problem* p = self;
    plLawReport report = {0};
    const int i = sample % p->count;
    memset(p->p, 0, (size_t)(3 * p->row->size) * sizeof *p->p);
    plCone_Solve(&p->space[i], p->contacts[i].q, p->p, &p->work, &report);
}

static void solvePeer(void* self, int sample)
{
    Problem* p = self;
    coneSiconos()->solve(p->peer[sample % p->count], p->p);
}

// Failures of a way, and its worst residual where it did not fail.
static int failures(Problem* p, void (*way)(void*, int), double* worst)
{
    int failed = 0;
    *worst = 0;
    for (int i = 0; i < p->count; ++i) {
        way(p, i);
        const double e = plJudge_Natural(&p->space[i], p->contacts[i].q, p->p);
        if (e <= asked) *worst = fmax(*worst, e);
        failed += !(e <= asked);
    }
    return failed;
}

static bool check(void* self, char* words, size_t size)
{
    Problem* p = self;
    double mine, its;
    const int a = failures(p, solvePalp, &mine), b = failures(p, solvePeer, &its);
    snprintf(words, size, "failed %d of %d; %d; residual %.1g; %.1g", a, p->count, b, mine, its);
    if (p->row->variant == contactsElastic) return a == 0;
    return a <= p->count / 100 && (a < b || a == 0);
}

static void closeProblem(void* self)
{
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = self;
    for (int i = 0; i < p->count; ++i) {
        coneSiconos()->destroy(p->peer[i]);
        contactsFree(&p->contacts[i]);
    }
    plArena_Destroy(&p->arena, &allocator);
    free(p->p);
    free(p);
}

#define ROW(NAME, KIND, SIZE, BAR, SLOW)                                                           \
    {                                                                                              \
        .group = "cone", .name = (NAME), .peer = "Siconos NSGS", .bar = (BAR), .size = (SIZE),     \
        .variant = (KIND), .batch = 1, .slow = (SLOW), .open = openProblem, .check = check,        \
        .palp = solvePalp, .other = solvePeer, .close = closeProblem                               \
    }

const BenchRow* benchRows_cone(int* count)
{
    static const BenchRow rows[] = {
        ROW("elastic W, 5 contacts", contactsElastic, 5, 3, false),
        ROW("elastic W, 10", contactsElastic, 10, 3, false),
        ROW("elastic W, 30", contactsElastic, 30, 3, false),
        ROW("elastic W, 50", contactsElastic, 50, 3, false),
        ROW("elastic W, 100", contactsElastic, 100, 8, false),
        ROW("elastic W, 200", contactsElastic, 200, 20, false),
        ROW("elastic W, 500", contactsElastic, 500, 80, true),
        ROW("hyperstatic W, 5 contacts", contactsRigid, 5, 10, false),
        ROW("hyperstatic W, 10", contactsRigid, 10, 10, false),
        ROW("hyperstatic W, 30", contactsRigid, 30, 10, false),
        ROW("hyperstatic W, 50", contactsRigid, 50, 10, false),
        ROW("hyperstatic W, 100", contactsRigid, 100, 10, true),
        ROW("hyperstatic W, 200", contactsRigid, 200, 10, true),
    };
    *count = PL_COUNT(rows);
    return rows;
}
