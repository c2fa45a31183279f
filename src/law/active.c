// Few of many. A soft body has many contacts that are near and few that push: the problem is solved for
// those that pushed in the last tick, and those that its answer violates join, until there are none.
// What is left out then satisfies the law with p = 0, so that the answer is one of the whole problem.
#include "law/law.h"

#include <string.h>

static double normalOf(const plSpace* s, const double* q, const double* p, int i)
{
    const int rows = plSpace_Rows(s);
    return plDotN(&s->W[s->dim * i * rows], p, rows) + q[s->dim * i];
}

static double yieldOf(const plSpace* s, int i) { return s->W[s->dim * i * (plSpace_Rows(s) + 1)]; }

/// Contacts whose normal would be pushed in by more than the tolerance; how many. `first` and `most`:
/// where in the list they go, and its room. -1: they do not fit.
static int violated(const plSpace* s, const double* q, const double* p, double tolerance,
                    bool* listed, int* list, int first, int most)
{
    double size = 0;
    int count = 0;
    for (int i = 0; i < plSpace_Rows(s); ++i) size = fmax(size, fabs(p[i]));
    for (int i = 0; i < s->count; ++i) {
        if (listed[i]) continue;
        if (!(-normalOf(s, q, p, i) / yieldOf(s, i) > tolerance * size)) continue;
        if (first + count == most) return -1;
        list[first + count++] = i;
        listed[i] = true;
    }
    return count;
}

/// The one that is pushed in most when none pushes back; -1: none is.
static int deepest(const plSpace* s, const double* q)
{
    int best = -1;
    double most = 0;
    for (int i = 0; i < s->count; ++i) {
        const double push = -q[s->dim * i] / yieldOf(s, i);
        if (push > most) most = push, best = i;
    }
    return best;
}

static int remembered(const plSpace* s, const double* q, const double* p, bool* listed, int* list,
                      int most)
{
    int count = 0;
    for (int i = 0; i < s->count; ++i) {
        listed[i] = p[s->dim * i] > 0 && count < most;
        if (listed[i]) list[count++] = i;
    }
    const int first = count == 0 ? deepest(s, q) : -1;
    if (first < 0) return count;
    listed[first] = true;
    list[0] = first;
    return 1;
}

/// The problem of the listed ones, in the memory of an LCP, which is idle here.
static plSpace smaller(const plSpace* s, const double* q, const double* p, const int* list,
                       int count, plLawWork* w)
{
    const int dim = s->dim, rows = plSpace_Rows(s), few = dim * count;
    plSpace sub = *s;
    sub.count = count;
    sub.W = w->lcp.M;
    sub.pair = w->pairs;
    for (int a = 0; a < few; ++a) {
        const int from = dim * list[a / dim] + a % dim;
        w->lcp.q[a] = q[from];
        w->lcp.z[a] = p[from];
        for (int b = 0; b < few; ++b) {
            sub.W[a * few + b] = s->W[from * rows + dim * list[b / dim] + b % dim];
        }
    }
    for (int i = 0; i < count; ++i) w->pairs[i] = s->pair[list[i]];
    return sub;
}

bool plCone_Active(const plSpace* s, const double* q, double* p, plLawWork* w, plLawReport* report,
                   plConeSolver solve)
{
    enum { rounds = 16 };
    const int dim = s->dim, room = w->lcp.capacity / dim;
    const int most = room < plDenseContacts ? room : plDenseContacts;
    int* list = w->closing;
    int count = remembered(s, q, p, w->listed, list, most);
    for (int round = 0; round < rounds; ++round) {
        const plSpace sub = smaller(s, q, p, list, count, w);
        if (count > 0 && !(solve(&sub, w->lcp.q, w->lcp.z, w, report) <= 1e-6)) return false;
        memset(p, 0, (size_t)plSpace_Rows(s) * sizeof *p);
        for (int a = 0; a < dim * count; ++a) p[dim * list[a / dim] + a % dim] = w->lcp.z[a];
        const int more = violated(s, q, p, w->tolerance, w->listed, list, count, most);
        if (more == 0) return true;
        if (more < 0) return false;
        count += more;
    }
    return false;
}
