// Links of a group, eliminated from the space of its contacts, and their impulses found again:
//   W_cc - W_cl N^-1 W_lc,   u_free_c + W_cl N^-1 (c - u_free_l),   N = W_ll + R
// A dense W has the rows of links behind those of contacts. Of a large group only the contacts of what
// is linked answer to links: blocks between them change, and no others.
#include "contact/system.h"

#include <string.h>

// In a strike soft links give nothing: their rows become p = 0; rigid ones keep their velocity.
static bool silent(const plLink* link, int k, plResponse response)
{
    return response == pl_responseMass && !isinf(link->K[k]);
}

// R and c of all links, and the factor of N.
static bool factorLinks(plSystem* s, const plGroup* g, plResponse response, double T,
                        const double* W, int ld)
{
    const int links = s->set.count - s->contactRows;
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        plLink_Equation(link, T, fmax(s->softness, 1e-10), &W[row * (ld + 1)], ld + 1);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            double* N = &s->N[row * links];
            memcpy(N, &W[row * ld], (size_t)links * sizeof(double));
            if (silent(link, k, response)) memset(N, 0, (size_t)links * sizeof(double));
            N[row] += silent(link, k, response) ? 1 : link->R[k];
        }
    }
    return plLu_Factor(s->N, links, s->pivot);
}

// x + sign N^-1 R (x - last) on rigid rows; `last` the impulses of the last trial, or none.
static void addYield(plSystem* s, const plGroup* g, bool fromLast, double sign, double* x)
{
    const int links = s->set.count - s->contactRows;
    double* y = &s->endFree[s->contactRows];
    bool rigid = false;
    for (int i = 0, row = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            const double change = fromLast ? x[row] - link->pLast[k] : x[row];
            y[row] = isinf(link->K[k]) ? link->R[k] * change : 0;
            rigid = rigid || isinf(link->K[k]);
        }
    }
    if (!rigid) return;
    plLu_Solve(s->N, links, s->pivot, y);
    for (int i = 0; i < links; ++i) x[i] += sign * y[i];
}

// Rigid rows may say the same thing twice. What they ask for in different ways, at the second order of a trial,
// no impulse can give; N^-1 answers by 1/R of it, which is 1e4 N where 10 N act, and as geometric stiffness
// upsets all further trials. x - N^-1 R x has none of that: a direction with the share w of W becomes
// w/(w + R)^2 instead of 1/(w + R). R acts on the change of p from the last trial.
void plSystem_SolveLinks(plSystem* s, const plGroup* g, bool isChange, double* x)
{
    plLu_Solve(s->N, s->set.count - s->contactRows, s->pivot, x);
    addYield(s, g, !isChange, -1, x);
}

// What impulses of contacts make of those of links: N^-1 of some columns. In a step the same holds for them: R acts on
// the change of the whole impulse. Else links would stay open by R times what contacts carry.
//
// Where rigid links are closed at an instant, R would leave 1e-10 of a blow in their velocities; x + N^-1 R x leaves
// 1e-20. What redundant rows are asked for agrees there: it is the velocity of their bodies.
static void solveColumns(plSystem* s, const plGroup* g, plResponse response, double* x, int count)
{
    const int links = s->set.count - s->contactRows;
    plLu_SolveMany(s->N, links, s->pivot, x, count);
    if (response == pl_responseMass && !s->closes) return;
    for (int j = 0; j < count; ++j) addYield(s, g, false, s->closes ? 1 : -1, &x[j * links]);
}

// Impulses of the links without contacts: N^-1 (c - u_free); in a strike 0, unless rigid links are to be closed.
static void findAlone(plSystem* s, const plGroup* g, plResponse response)
{
    const int rows = s->contactRows;
    int row = rows;
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            const bool closes = s->closes && isinf(link->K[k]);
            s->p[row] = response != pl_responseMass ? link->c[k] - s->endFree[row]
                        : closes                    ? -s->endFree[row]
                                                    : 0;
        }
    }
    if (s->closes) {
        solveColumns(s, g, response, &s->p[rows], 1);
    } else {
        plSystem_SolveLinks(s, g, response == pl_responseMass, &s->p[rows]);
    }
}

// --- dense

// s->response = N^-1 W_lc, one contact row after the other.
static void findPulls(plSystem* s, const plGroup* g, plResponse response)
{
    const int n = s->set.count, first = s->contactRows, links = n - first;
    s->linked.count = s->contacts;
    for (int i = 0; i < s->contacts; ++i) s->linked.contact[i] = i;
    for (int j = 0; j < first; ++j) {
        double* column = &s->response[j * links];
        int row = 0;
        for (int i = 0; i < g->linkCount; ++i) {
            const plLink* link = linkOf(g, i);
            for (int k = 0; k < link->rowCount; ++k, ++row) {
                column[row] = silent(link, k, response) ? 0 : s->W[(first + row) * n + j];
            }
        }
    }
    solveColumns(s, g, response, s->response, first);
}

static void takeRows(const plSystem* s, plSpace* space)
{
    const int n = s->set.count, rows = s->contactRows, links = n - rows;
    const double* pl = &s->p[rows];
    for (int i = 0; i < rows; ++i) {
        const double* Wl = &s->W[i * n + rows];
        if (isZero(Wl, links)) continue;
        for (int j = 0; j < rows; ++j) {
            space->W[i * rows + j] -= plDotN(Wl, &s->response[j * links], links);
        }
        space->uFree[i] += plDotN(Wl, pl, links);
    }
}

// --- blocks

static void takeBlock(const plLinked* x, int i, int j, int dim, double* block)
{
    for (int k = 0; k < dim * dim; ++k) {
        const double* push = &x->push[(dim * i + k / dim) * x->rows];
        block[k] -= plDotN(push, &x->pull[(dim * j + k % dim) * x->rows], x->rows);
    }
}

static void takeBlocks(const plSystem* s, plSpace* space)
{
    const plLinked* x = &s->linked;
    const int dim = space->dim;
    for (int i = 0; i < x->count; ++i) {
        const int contact = x->contact[i];
        for (int at = space->blockStart[contact]; at < space->blockStart[contact + 1]; ++at) {
            const int j = x->place[space->blockColumn[at]];
            if (j >= 0) takeBlock(x, i, j, dim, &space->blocks[at * dim * dim]);
        }
    }
}

// --- factors

// Behind J and Y of all shares: those of the links, on every contact that answers to them.
static void addSides(plSystem* s, int at, int body)
{
    const plLinked* x = &s->linked;
    double* left = s->set.hasEnds ? s->set.E : s->set.J;
    for (int i = 0; i < x->count; ++i, at += 18) {
        plFactorSite* site = &s->sites[x->contact[i]];
        int side = 0;
        while (site->at[side] >= 0) ++side;
        site->at[side] = at;
        site->body[side] = body;
        memset(&left[at], 0, 18 * sizeof(double));
        memset(&s->set.Y[at], 0, 18 * sizeof(double));
        for (int k = 0; k < 3 * x->rows; ++k) {
            const int to = at + k / x->rows * 6 + k % x->rows;
            left[to] = x->push[3 * i * x->rows + k];
            s->set.Y[to] = -x->pull[3 * i * x->rows + k];
        }
    }
}

// --- all of it

static void pushFree(const plSystem* s, plSpace* space)
{
    const plLinked* x = &s->linked;
    const double* pl = &s->p[s->contactRows];
    for (int k = 0; k < space->dim * x->count; ++k) {
        const int row = space->dim * x->contact[k / space->dim] + k % space->dim;
        space->uFree[row] += plDotN(&x->push[k * x->rows], pl, x->rows);
    }
}

// Links by themselves; what contacts push them to is asked next.
static bool solveAlone(plSystem* s, const plGroup* g, plResponse response, double T,
                       const double* W, int ld)
{
    const int links = s->set.count - s->contactRows;
    memset(s->p, 0, (size_t)s->set.count * sizeof(double));
    s->regular = links == 0 || factorLinks(s, g, response, T, W, ld);
    if (links > 0 && s->regular) {
        findAlone(s, g, response);
        return true;
    }
    s->linked.count = 0;
    return false;
}

void plSystem_Eliminate(plSystem* s, const plGroup* g, plResponse response, double T,
                        plSpace* space)
{
    const int n = s->set.count, rows = s->contactRows, links = n - rows;
    if (space->W) {
        if (!solveAlone(s, g, response, T, &s->W[rows * (n + 1)], n)) return;
        findPulls(s, g, response);
        takeRows(s, space);
        return;
    }
    if (!solveAlone(s, g, response, T, s->linked.own, links)) return;
    solveColumns(s, g, response, s->linked.pull, space->dim * s->linked.count);
    takeBlocks(s, space);
    pushFree(s, space);
}

bool plSystem_FactorLinks(plSystem* s, const plGroup* g, double T, plSpace* space)
{
    const int links = s->set.count - s->contactRows, last = g->mechanismCount - 1;
    s->linked.rows = links;
    if (links > 0) {
        plRowSet_BeginLinked(&s->set, g, space, &s->linked);
        for (int i = 0; i < g->mechanismCount; ++i) {
            plRowSet_AddLinked(&s->set, plRowSet_Left(&s->set), i, 6, &s->set.Y[s->set.placeJ[i]],
                               3, &s->linked);
        }
    }
    if (!solveAlone(s, g, pl_responseStep, T, s->linked.own, links)) return s->regular;
    const int end =
        s->set.placeJ[last] + 6 * (s->set.shareFirst[last + 1] - s->set.shareFirst[last]);
    if (end + 18 * s->linked.count > 6 * plFactorSides * s->set.capacity) return false;
    solveColumns(s, g, pl_responseStep, s->linked.pull, 3 * s->linked.count);
    addSides(s, end, g->mechanismCount);
    pushFree(s, space);
    return true;
}

void plSystem_Recover(plSystem* s, const plGroup* g, const double* contactImpulses)
{
    const int dim = s->size.dim, rows = s->contactRows, links = s->set.count - rows;
    (void)g;
    if (rows > 0) memcpy(s->p, contactImpulses, (size_t)rows * sizeof(double));
    for (int k = 0; k < dim * s->linked.count; ++k) {
        const double p = s->p[dim * s->linked.contact[k / dim] + k % dim];
        if (p == 0) continue;
        for (int i = 0; i < links; ++i) s->p[rows + i] -= s->response[k * links + i] * p;
    }
}
