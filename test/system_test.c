// The rows of a large group: the same response dense, in blocks and in factors, without links and with.
#include "heap.h"
#include "world/inside.h"

#include <string.h>

// The largest group, with its step begun.
static plGroup beginLargest(plWorld* w)
{
    int largest = 0;
    for (int i = 1; i < w->groupCount; ++i) {
        const int count = plGroups_At(w, i).contactCount;
        if (count > plGroups_At(w, largest).contactCount) largest = i;
    }
    const plGroup g = plGroups_At(w, largest);
    assert_true(g.contactCount > plSystemDense);
    w->system.chosen = g.contactCount;
    for (int i = 0; i < g.mechanismCount; ++i) {
        plMechanism_Begin(w->mechanisms[g.mechanismList[i]], (plPass){.T = 1e-3});
    }
    return g;
}

static double* newNumbers(int count)
{
    double* numbers = calloc((size_t)count, sizeof(double));
    assert_non_null(numbers);
    return numbers;
}

/// The largest difference, relative to the largest number of a.
static double difference(const double* a, const double* b, int count)
{
    double worst = 0, largest = 0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    assert_true(isfinite(a[0]) && largest > 0);
    return worst / largest;
}

// Response of all contacts of the largest group, in blocks and dense.
static void blocksAreTheDenseResponse(void** unused)
{
    (void)unused;
    plWorld* w = heap(pl_lawCone, 24);
    run(w, 2e-3, 500);
    const plGroup g = beginLargest(w);
    const int rows = 3 * g.contactCount;
    double *W = newNumbers(rows * rows), *D = newNumbers(rows * rows);
    plSystem_Rows(&w->system, &g, pl_lineariseStart);
    plRowSet_Dense(&w->system.set, &g, pl_responseStep, W);
    assert_true(plRowSet_Sparse(&w->system.set, &g, pl_responseStep, NULL, &w->system.sparse));
    plSpace_Dense(&w->system.sparse, D);
    const double worst = difference(W, D, rows * rows);
    print_message("%d contacts: blocks against dense %.2g\n", g.contactCount, worst);
    checkAtMost("difference", worst, 1e-14);
    free(W);
    free(D);
    plWorld_Destroy(w);
}

/// A group with links, as one of the three ways to solve it has it.
typedef struct {
    double *W, *uFree;
    double p[6]; ///< of the links, for some impulses of the contacts
} Linked;

static void takeLinked(plSystem* s, const plGroup* g, const plSpace* space, Linked* out)
{
    const int rows = plSpace_Rows(space);
    double* p = newNumbers(rows);
    plRng rng = plRng_Seed(5);
    for (int i = 0; i < rows; ++i) p[i] = plRng_Uniform(&rng, -1, 1);
    out->uFree = newNumbers(rows);
    memcpy(out->uFree, space->uFree, (size_t)rows * sizeof(double));
    plSystem_Recover(s, g, p);
    memcpy(out->p, &s->p[rows], sizeof out->p);
    free(p);
}

static Linked buildLinked(plSystem* s, const plGroup* g, bool dense)
{
    Linked out = {0};
    plSpace* space;
    s->thins = !dense;
    plSystem_Rows(s, g, pl_lineariseStart);
    assert_true(plSystem_Build(s, g, pl_responseStep, 1e-3, &space));
    assert_int_equal(space->W != NULL, dense);
    const int rows = plSpace_Rows(space);
    out.W = newNumbers(rows * rows);
    if (dense) {
        memcpy(out.W, space->W, (size_t)(rows * rows) * sizeof(double));
    } else {
        plSpace_Dense(space, out.W);
    }
    takeLinked(s, g, space, &out);
    return out;
}

static double productOf(const plFactors* f, int m, int n)
{
    const plFactorSite *a = &f->sites[m / 3], *b = &f->sites[n / 3];
    double sum = 0;
    for (int i = 0; i < plFactorSides && a->at[i] >= 0; ++i) {
        for (int k = 0; k < plFactorSides && b->at[k] >= 0; ++k) {
            if (a->body[i] != b->body[k]) continue;
            sum += plDotN(&f->J[a->at[i] + 6 * (m % 3)], &f->Y[b->at[k] + 6 * (n % 3)], 6);
        }
    }
    return sum;
}

static Linked factorLinked(plSystem* s, const plGroup* g)
{
    Linked out = {0};
    plSpace* space;
    plFactors f;
    s->thins = true;
    plSystem_Rows(s, g, pl_lineariseStart);
    assert_true(plSystem_Factors(s, g, 1e-3, &space, &f));
    const int rows = plSpace_Rows(space);
    out.W = newNumbers(rows * rows);
    for (int i = 0; i < rows * rows; ++i) {
        const int m = i / rows, n = i % rows;
        out.W[i] = productOf(&f, m, n) * (m == n ? 1 + space->compliance : 1);
    }
    takeLinked(s, g, space, &out);
    return out;
}

static void checkLinked(const char* way, int contacts, const Linked* is, const Linked* want)
{
    const int rows = 3 * contacts;
    const double W = difference(want->W, is->W, rows * rows),
                 u = difference(want->uFree, is->uFree, rows), p = difference(want->p, is->p, 6);
    print_message("%d contacts, two links, %s: W %.2g, u_free %.2g, links %.2g\n", contacts, way, W,
                  u, p);
    checkAtMost("W", W, 1e-13);
    checkAtMost("u_free", u, 1e-13);
    checkAtMost("impulses of the links", p, 1e-12);
}

static void freeLinked(Linked* x)
{
    free(x->W);
    free(x->uFree);
}

// Holds a cube where it is: to the ground, or to another one.
static void tie(plWorld* w, const char* name, int a, int b)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    plMotion m, n = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    def.name = name;
    def.stiffness = 1e5;
    def.damping = 10;
    def.a = (plSite){.mechanism = plWorld_Mechanism(w, a)};
    if (b >= 0) def.b = (plSite){.mechanism = plWorld_Mechanism(w, b)};
    checkOk(w, plWorld_Motion(w, def.a, &m));
    if (b >= 0) checkOk(w, plWorld_Motion(w, def.b, &n));
    def.b.point = plMulT(&n.R, plSub(m.x, n.x));
    checkOk(w, plWorld_AddLink(w, &def, &id));
}

// Links of a large group: eliminated from its blocks and from its factors, and from a dense W.
static void linksLeaveTheSameResponse(void** unused)
{
    (void)unused;
    plWorld* w = heap(pl_lawCone, 24);
    run(w, 2e-3, 500);
    tie(w, "tether", 9, -1);
    tie(w, "tie", 12, 5);
    run(w, 2e-3, 1);
    const plGroup g = beginLargest(w);
    assert_int_equal(g.linkCount, 2);
    Linked dense = buildLinked(&w->system, &g, true), blocks = buildLinked(&w->system, &g, false),
           factors = factorLinked(&w->system, &g);
    checkLinked("blocks", g.contactCount, &blocks, &dense);
    checkLinked("factors", g.contactCount, &factors, &dense);
    freeLinked(&dense);
    freeLinked(&blocks);
    freeLinked(&factors);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocksAreTheDenseResponse),
                                       cmocka_unit_test(linksLeaveTheSameResponse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
