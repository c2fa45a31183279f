// How palp's costs grow with bodies, contacts and nodes.
#include "bench.h"
#include "contacts.h"
#include "rigid.h"
#include "soft_bar.h"

#include "law/law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostSamples = 2000, leastSamples = 5 };

// p50 of what a call costs [us].
static double cost(void (*call)(void*), void* self, double seconds)
{
    static double sample[mostSamples];
    double spent = 0;
    int n = 0;
    while (n < mostSamples && (n < leastSamples || spent < seconds)) {
        const double start = benchCpu();
        call(self);
        const double took = benchCpu() - start;
        spent += took;
        sample[n++] = 1e6 * took;
    }
    return benchMedian(sample, n);
}

static void add(BenchGrowth* g, double n, double us)
{
    g->n[g->count] = n;
    g->cost[g->count++] = us;
}

// Slope of log cost over log n.
static void fit(BenchGrowth* g)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < g->count; ++i) {
        const double a = log(g->n[i]), b = log(g->cost[i]);
        x += a, y += b, xx += a * a, xy += a * b;
    }
    g->power = (g->count * xy - x * y) / (g->count * xx - x * x);
    printf("%-28s", g->what);
    for (int i = 0; i < g->count; ++i) printf(" %g: %.1f us,", g->n[i], g->cost[i]);
    printf(" power %.2f\n", g->power);
}

static void growBodies(BenchGrowth* g, RigidProblem problem, const int* sizes, double seconds)
{
    static RigidScene s;
    for (; *sizes; ++sizes) {
        rigidMake(&s, problem, *sizes);
        if (problem == rigidPile) rigidSettle(&s, *sizes);
        void* world = rigidPalp.create(&s);
        for (int k = 0; k < s.settle; ++k) rigidPalp.step(world);
        add(g, *sizes, cost(rigidPalp.step, world, seconds));
        rigidPalp.destroy(world);
    }
}

typedef struct {
    Contacts contacts;
    plSpace space;
    plLawWork work;
    double* p;
} Cone;

static void solveCone(void* self)
{
    Cone* c = self;
    plLawReport report = {0};
    memset(c->p, 0, (size_t)(3 * c->contacts.count) * sizeof *c->p);
    plCone_Solve(&c->space, c->contacts.q, c->p, &c->work, &report);
}

static void growContacts(BenchGrowth* g, ContactsKind kind, const int* sizes, double seconds)
{
    const plAllocator allocator = plDefaultAllocator();
    for (; *sizes; ++sizes) {
        const int m = *sizes;
        plArena arena;
        Cone c = {0};
        const size_t room = (size_t)m * (sizeof(plPair) + 3 * sizeof(double)) + 65536;
        if (plArena_Create(&arena, plLawWork_Size(m, 4) + room, &allocator) != pl_statusOk) exit(1);
        if (plLawWork_Create(&c.work, m, 4, &arena) != pl_statusOk) exit(1);
        contactsMake(&c.contacts, kind, m, 0.5, 1);
        c.work.tolerance = 1e-6;
        c.p = plArena_Alloc(&arena, (size_t)(3 * m), sizeof *c.p);
        c.space = (plSpace){.count = m, .dim = 3, .capacity = m, .T = 1e-3, .sides = 4};
        c.space.pair = plArena_Alloc(&arena, (size_t)m, sizeof *c.space.pair);
        c.space.W = c.contacts.W, c.space.uFree = c.contacts.q;
        if (arena.full) exit(1);
        for (int i = 0; i < m; ++i) c.space.pair[i].mu = 0.5;
        add(g, m, cost(solveCone, &c, seconds));
        contactsFree(&c.contacts);
        plArena_Destroy(&arena, &allocator);
    }
}

static void stepBar(void* self) { plWorld_Step(((SoftBar*)self)->world, softBarStep); }

static void growNodes(BenchGrowth* g, const int* sizes, double seconds)
{
    for (; *sizes; ++sizes) {
        SoftBar bar;
        softBarMake(&bar, *sizes);
        add(g, *sizes, cost(stepBar, &bar, seconds));
        softBarFree(&bar);
    }
}

// Sizes up to a largest one, closed by 0.
static const int* upTo(const int* sizes, int most)
{
    static int kept[8];
    int n = 0;
    for (; *sizes && n < 7; ++sizes) {
        if (*sizes <= most) kept[n++] = *sizes;
    }
    kept[n] = 0;
    return kept;
}

int benchGrowth(double seconds, bool quick, BenchGrowth* growth, int capacity)
{
    static const int boxes[] = {1, 2, 5, 10, 20, 40, 0}, piles[] = {25, 50, 100, 200, 0};
    static const int contacts[] = {5, 10, 30, 50, 100, 200, 0}, nodes[] = {250, 500, 1000, 2000, 0};
    static const char* const names[] = {"boxes of a stack", "boxes of a pile",
                                        "contacts, elastic W", "contacts, hyperstatic W",
                                        "nodes of a soft bar"};
    if (capacity < PL_COUNT(names)) return 0;
    printf("CPU time of palp, p50\n");
    for (int i = 0; i < PL_COUNT(names); ++i) growth[i] = (BenchGrowth){.what = names[i]};
    growBodies(&growth[0], rigidStack, upTo(boxes, quick ? 20 : 40), seconds);
    growBodies(&growth[1], rigidPile, upTo(piles, quick ? 50 : 200), seconds);
    growContacts(&growth[2], contactsElastic, upTo(contacts, quick ? 100 : 200), seconds);
    growContacts(&growth[3], contactsRigid, upTo(contacts, quick ? 50 : 200), seconds);
    growNodes(&growth[4], nodes, seconds);
    for (int i = 0; i < PL_COUNT(names); ++i) fit(&growth[i]);
    return PL_COUNT(names);
}
