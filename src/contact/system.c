// The rows of one group: built from its mechanisms, links eliminated, impulses found again. The geometry
// is brought back in system_place.c.
#include "contact/system.h"

#include <limits.h>
#include <string.h>

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

static plStatus createSpaces(plSystem* s, plArena* arena)
{
    const int dim = s->size.dim, few = least(s->size.contacts, s->size.rows / dim);
    const int thin = least(few, plSystemDense);
    const int blocks = s->size.contacts > few ? plSystemBlocks * s->size.contacts : thin * thin + 1;
    const int many = s->size.contacts > few ? s->size.contacts : thin;
    if (plSpace_Create(&s->dense, dim, few, 0, arena) != pl_statusOk ||
        plSpace_Create(&s->shift, 1, few, 0, arena) != pl_statusOk ||
        plSpace_Create(&s->sparse, dim, many, blocks, arena) != pl_statusOk ||
        plSpace_Create(&s->sparseShift, 1, many, blocks, arena) != pl_statusOk) {
        return pl_statusCapacity;
    }
    return pl_statusOk;
}

plStatus plSystem_Create(plSystem* s, const plSystemSize* size, plArena* arena)
{
    const size_t n = (size_t)size->rows;
    *s = (plSystem){.size = *size, .chosen = INT_MAX, .trial = 1};
    const int rows = most(3, most(size->rows, size->dim * size->contacts));
    double** vectors[] = {&s->p,     &s->u,       &s->uStart,  &s->uFree,
                          &s->uMean, &s->endFree, &s->endLast, &s->startWay};
    if (plRowSet_Create(&s->set, rows, size->dim * size->contacts, size->mechanisms, arena) !=
        pl_statusOk) {
        return pl_statusCapacity;
    }
    s->W = plArena_Alloc(arena, n * n, sizeof(double));
    s->N = plArena_Alloc(arena, n * n, sizeof(double));
    s->response = plArena_Alloc(arena, n * n, sizeof(double));
    s->pivot = plArena_Alloc(arena, n, sizeof *s->pivot);
    s->linkRows = plArena_Alloc(arena, n, sizeof *s->linkRows);
    s->linked.contact = plArena_Alloc(arena, (size_t)size->contacts, sizeof(int));
    s->linked.place = plArena_Alloc(arena, (size_t)size->contacts, sizeof(int));
    s->linked.own = s->W;
    s->linked.pull = s->response;
    s->source = plArena_Alloc(arena, (size_t)rows, sizeof *s->source);
    s->sites = plArena_Alloc(arena, (size_t)size->contacts, sizeof *s->sites);
    s->V = plArena_Alloc(arena, 6 * (size_t)(size->mechanisms + 1), sizeof(double));
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(arena, (size_t)rows, sizeof(double));
    }
    return createSpaces(s, arena);
}

// --- rows

static void contactRows(const plContact* c, int dim, plRow* rows)
{
    const plVec3 axes[3] = {c->n, c->t[0], c->t[1]};
    for (int k = 0; k < dim; ++k) rows[k] = (plRow){.a = c->siteA, .b = c->siteB, .lin = axes[k]};
}

int plSystem_LinkRows(const plGroup* g)
{
    int rows = 0;
    for (int i = 0; i < g->linkCount; ++i) rows += linkOf(g, i)->rowCount;
    return rows;
}

// Every contact of a soft body answers to every other: blocks would save nothing, and have no room.
bool plSystem_IsSoft(const plSystem* s, const plGroup* g)
{
    bool soft = false;
    for (int i = 0; s->set.local && i < g->mechanismCount; ++i) {
        soft = soft || plMechanism_Traits(mechanismOf(g, i))->deforms;
    }
    return soft;
}

bool plSystem_HasRoom(const plSystem* s, int links, int contacts)
{
    const size_t n = (size_t)s->size.rows, L = (size_t)links;
    const size_t rows = (size_t)(s->size.dim * contacts);
    if (links == 0 || rows + L <= n) return true;
    return s->thins && !s->set.local && rows + L <= (size_t)s->set.capacity &&
           L * (L + rows) <= n * n;
}

// Links of a large group are eliminated from its blocks, where there is room for that.
bool plSystem_IsDense(const plSystem* s, const plGroup* g)
{
    const int n = least(g->contactCount, s->chosen), links = plSystem_LinkRows(g);
    const bool fits = s->size.dim * n + links <= s->size.rows;
    if (plSystem_IsSoft(s, g) || (links > 0 && !s->thins)) return true;
    if (links > 0 && !plSystem_HasRoom(s, links, n)) return true;
    return n <= plSystemDense && fits && !s->thin;
}

// A stack has few contacts, but each meets only those of two bodies. From the shares.
static bool isThin(const plSystem* s, const plGroup* g)
{
    const int dim = s->size.dim, n = s->contacts;
    int blocks = 0;
    if (!s->thins || n <= plSystemThin || n > least(plSystemDense, s->dense.capacity) ||
        g->linkCount > 0 || plSystem_IsSoft(s, g)) {
        return false;
    }
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int own = (s->set.shareFirst[i + 1] - s->set.shareFirst[i]) / dim;
        blocks += own * own;
    }
    return 2 * blocks <= n * n;
}

// --- the trial that a pass begins with

// The stiffness of torques p (w x u) between two parts is p/2 T times the relative turn, in some direction. Both parts
// get a bound of it by themselves.
static void stiffenTurns(const plGroup* g, const plLink* link, double T)
{
    plVec3 torque = {0, 0, 0};
    for (int k = link->pointRows; k < link->rowCount; ++k) {
        torque = plAddScaled(torque, link->p[k], link->axes[k]);
    }
    const double s = 0.5 * T * plNorm(torque);
    const uint32_t a = link->a.mechanism.index1, b = link->b.mechanism.index1;
    if (a) plMechanism_AddTurnStiffness(g->mechanisms[a - 1], link->a, s);
    if (b) plMechanism_AddTurnStiffness(g->mechanisms[b - 1], link->b, s);
}

void plSystem_Stiffen(const plGroup* g, double T, bool first, bool positive)
{
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_ClearStiffness(mechanismOf(g, i), T, first ? pl_atStart : pl_atEnd);
    }
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        const uint32_t a = link->a.mechanism.index1, b = link->b.mechanism.index1;
        plVec3 l = first ? plScale(T, link->force) : plVec(0, 0, 0);
        for (int k = 0; k < link->pointRows && !first; ++k) {
            l = plAddScaled(l, link->p[k], link->axes[k]);
        }
        if (a) plMechanism_AddStiffness(g->mechanisms[a - 1], link->a, l);
        if (b) plMechanism_AddStiffness(g->mechanisms[b - 1], link->b, plScale(-1, l));
    }
    for (int i = 0; i < g->mechanismCount && positive; ++i) {
        plMechanism_KeepPositive(mechanismOf(g, i));
    }
    for (int i = 0; i < g->linkCount && positive && !first; ++i) stiffenTurns(g, linkOf(g, i), T);
}

plTrialChange plSystem_Change(plSystem* s, const plGroup* g, double most)
{
    const double furthest = 2;
    double difference = 0, size = 0, turn = 0, work = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Change(mechanismOf(g, i), &difference, &size);
        work += plMechanism_Unbalanced(mechanismOf(g, i));
        turn = fmax(turn, plMechanism_Turn(mechanismOf(g, i)));
    }
    const double share = fmin(most, furthest / turn);
    if (share < 1) {
        ++s->trial;
        for (int i = 0; i < g->mechanismCount; ++i) plMechanism_Shorten(mechanismOf(g, i), share);
        int row = s->contactRows;
        for (int i = 0; i < g->linkCount; ++i) {
            plLink* link = linkOf(g, i);
            for (int k = 0; k < link->rowCount; ++k, ++row) {
                link->p[k] = link->pLast[k] + share * (link->p[k] - link->pLast[k]);
            }
        }
    }
    if (size == 0) return (plTrialChange){0, 0};
    return (plTrialChange){sqrt(difference / size), 2 * fabs(work) / size};
}

plLinkError plSystem_LinkError(const plGroup* g)
{
    plLinkError worst = {0};
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        double d[6];
        plLink_Geometry(link, g->mechanisms, pl_atEnd, d);
        if (plLink_TurnedRound(link, g->mechanisms, pl_atEnd)) worst.all = worst.rigid = 1;
        for (int k = 0; k < link->rowCount; ++k) {
            const double error = fabs(d[k] - link->target[k]) / (1 + fabs(d[k]));
            const double missed = fabs(d[k] - link->d[k] - link->move[k]) / (1 + fabs(d[k]));
            worst.rows = missed <= worst.rows ? worst.rows : missed;
            worst.all = error <= worst.all ? worst.all : error; // what is not finite is worst
            if (isinf(link->K[k])) worst.rigid = error <= worst.rigid ? worst.rigid : error;
        }
    }
    return worst;
}

// Positions that do not go by the mean velocity answer otherwise than rows do, wherever these are.
static bool goByMean(const plGroup* g)
{
    bool mean = true;
    for (int i = 0; i < g->mechanismCount; ++i) {
        mean = mean && plMechanism_Theta(mechanismOf(g, i)) == 0.5;
    }
    return mean;
}

// Links and gaps where the trial has them. Rows of soft bodies are linear in the step.
static void findEnds(plSystem* s, const plGroup* g, plLinearise at)
{
    const bool wanted = g->linkCount > 0 || (s->gaps && s->contacts > 0);
    const bool still = at == pl_lineariseStart && (!s->gaps || goByMean(g));
    const bool soft = plSystem_IsSoft(s, g);
    s->set.hasEnds = wanted && (soft || !still);
    if (!s->set.hasEnds) return;
    memset(s->set.atEnd, 0, (size_t)s->set.count * sizeof *s->set.atEnd);
    for (int i = 0; i < s->set.count; ++i) s->set.byWay[i] = soft && i < s->contactRows && s->gaps;
    for (int i = 0; i < s->contacts && s->gaps; ++i) {
        const int normal = s->size.dim * i;
        const plWhen end = at == pl_lineariseStart ? pl_atStart : pl_atLast;
        s->set.ends[normal] = plContact_EndRow(contactOf(g, i), g->mechanisms, end);
        s->set.atEnd[normal] = true;
    }
    int row = s->contactRows;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        const bool exact = link->form == pl_linkPassive && plLink_Exact(link, g->mechanisms);
        plLink_EndRows(link, g->mechanisms, &s->set.ends[row]);
        for (int k = 0; k < link->rowCount; ++k) {
            s->set.atEnd[row + k] = (exact && !soft) || isinf(link->K[k]);
            s->set.byWay[row + k] = soft && (link->form == pl_linkPassive || isinf(link->K[k]));
        }
        row += link->rowCount;
    }
    plRowSet_FindEnds(&s->set, g);
}

void plSystem_Rows(plSystem* s, const plGroup* g, plLinearise at)
{
    const int dim = s->size.dim, links = plSystem_LinkRows(g);
    s->first = at != pl_lineariseTrial;
    s->thin = false;
    const int room = plSystem_IsDense(s, g) ? (s->size.rows - links) / dim : s->sparse.capacity;
    s->contacts = least(least(g->contactCount, s->chosen), room);
    s->contactRows = dim * s->contacts;
    const plWhen end = at == pl_lineariseStart ? pl_atStart : pl_atLast;
    for (int i = 0; i < s->contacts; ++i) {
        plContact* c = contactOf(g, i);
        if (s->gaps) {
            const bool known = at == pl_lineariseTrial && c->trial == s->trial;
            if (known) c->gapLast = c->gapTrial, c->nLast = c->nTrial;
            plContact_Rows(c, g->mechanisms, end, known, dim, &s->set.rows[dim * i]);
        } else {
            contactRows(c, dim, &s->set.rows[dim * i]);
        }
        s->source[i] = i;
    }
    int row = s->contactRows;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink_Geometry(linkOf(g, i), g->mechanisms, pl_atLast, linkOf(g, i)->dLast);
        plLink_Rows(linkOf(g, i), g->mechanisms, at, &s->set.rows[row]);
        row += linkOf(g, i)->rowCount;
    }
    memcpy(s->linkRows, &s->set.rows[s->contactRows], (size_t)links * sizeof *s->linkRows);
    s->set.count = row;
    plRowSet_Share(&s->set, g);
    findEnds(s, g, at);
    s->full = room < least(g->contactCount, s->chosen);
    s->thin = isThin(s, g);
}

// --- the space

// W_ii (1 + 1e-8): a compliance, and so passive (pmi spec 4.1). Without it four corners of a box
// have no unique impulses, and Newton and Lemke wander: a stack of ten boxes takes 20 times as long.
// A contact at rest sinks by 1e-8 g T per step, which is nothing. Not in a strike: its algorithms go
// by rank, which compliance hides, and contacts of different restitution would be answered by
// impulses of 1e8.
static const double compliance = 1e-8;

void plSystem_Soften(plSpace* s)
{
    s->compliance = compliance;
    for (int i = 0; i < s->count; ++i) {
        const int rows = plSpace_Rows(s), first = s->dim * i;
        double* block =
            s->W ? &s->W[first * (rows + 1)] : &s->blocks[s->diagonal[i] * s->dim * s->dim];
        const int stride = s->W ? rows + 1 : s->dim + 1;
        for (int k = 0; k < s->dim; ++k) block[k * stride] *= 1 + s->compliance;
    }
}

static void describe(const plSystem* s, const plGroup* g, plSpace* space)
{
    for (int i = 0; i < space->count; ++i) {
        const plContact* c = contactOf(g, s->source[i]);
        space->pair[i] = c->pair;
        space->gap[i] = c->gap;
        space->placed[i] = c->soft;
        if (s->gaps) {
            const int row = s->size.dim * i;
            const double goal = plContact_Goal(c, s->lift);
            space->hold[i] = 2 * (c->gapLast - goal) / space->T - s->endLast[row];
        }
    }
    space->centred = s->gaps;
    const bool byWay = s->set.hasEnds && plSystem_IsSoft(s, g) && s->gaps && !s->closes;
    memcpy(space->uStart, byWay ? s->startWay : s->uStart,
           (size_t)plSpace_Rows(space) * sizeof(double));
}

// u, change of the stretch and impulse of links in the last trial; where there is none, that in which
// nothing moves.
static void findLast(plSystem* s, const plGroup* g, double T)
{
    const size_t bytes = (size_t)s->set.count * sizeof(double);
    if (s->set.hasEnds) {
        plRowSet_EndVelocities(&s->set, g, pl_atFree, s->endFree);
        plRowSet_EndVelocities(&s->set, g, pl_atLast, s->endLast);
        plRowSet_Velocities(&s->set, g, pl_atLast, s->u);
        if (plSystem_IsSoft(s, g)) plRowSet_StartWays(&s->set, g, s->startWay);
    } else {
        memcpy(s->endFree, s->uFree, bytes);
        for (int i = 0; i < s->set.count; ++i) s->endLast[i] = -s->uStart[i];
    }
    int row = s->contactRows;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            const bool moves = s->set.hasEnds && s->set.atEnd[row];
            link->byWay[k] = s->set.hasEnds && s->set.byWay[row];
            link->uStart[k] = link->byWay[k] ? s->startWay[row] : s->uStart[row];
            link->uLast[k] = moves ? s->endLast[row] : -link->uStart[k];
            link->moveLast[k] = moves ? 0.5 * T * (s->uStart[row] + s->u[row]) : 0;
            if (!moves) link->dLast[k] = 0;
            link->pLast[k] = moves && !s->first ? link->p[k] : 0;
        }
    }
}

static void velocities(plSystem* s, const plGroup* g, plResponse response, double T)
{
    const bool strike = response == pl_responseMass;
    plRowSet_Velocities(&s->set, g, strike ? pl_atInstant : pl_atStart, s->uStart);
    if (strike) {
        memcpy(s->uFree, s->uStart, (size_t)s->set.count * sizeof(double));
        memcpy(s->endFree, s->uStart, (size_t)s->set.count * sizeof(double));
        return;
    }
    plRowSet_Velocities(&s->set, g, pl_atFree, s->uFree);
    findLast(s, g, T);
}

static void buildDense(plSystem* s, const plGroup* g, plResponse response, double T, plSpace* space)
{
    const int n = s->set.count, rows = s->contactRows;
    plRowSet_Dense(&s->set, g, response, s->W);
    for (int i = 0; i < rows; ++i) {
        memcpy(&space->W[i * rows], &s->W[i * n], (size_t)rows * sizeof(double));
    }
    memcpy(space->uFree, s->endFree, (size_t)rows * sizeof(double));
    space->count = s->contacts;
    plSystem_Eliminate(s, g, response, T, space);
}

static void buildSparse(plSystem* s, const plGroup* g, plResponse response, double T,
                        plSpace* space)
{
    s->linked.rows = s->set.count - s->contactRows;
    if (!plRowSet_Sparse(&s->set, g, response, s->linked.rows > 0 ? &s->linked : NULL, space)) {
        s->full = true;
        s->contacts = space->count;
        s->contactRows = plSpace_Rows(space);
        velocities(s, g, response, T);
    }
    memcpy(space->uFree, s->endFree, (size_t)s->contactRows * sizeof(double));
    plSystem_Eliminate(s, g, response, T, space);
}

bool plSystem_Build(plSystem* s, const plGroup* g, plResponse response, double T, plSpace** space)
{
    *space = plSystem_IsDense(s, g) ? &s->dense : &s->sparse;
    velocities(s, g, response, T);
    if ((*space)->W || s->set.count == 0) {
        buildDense(s, g, response, T, *space);
    } else {
        buildSparse(s, g, response, T, *space);
    }
    (*space)->T = T;
    (*space)->thin = s->thin;
    (*space)->compliance = 0;
    if (response != pl_responseMass) plSystem_Soften(*space);
    describe(s, g, *space);
    for (int i = 0; i < (*space)->count; ++i) {
        const plContact* c = contactOf(g, s->source[i]);
        (*space)->gapFree[i] = plContact_EndGap(c, g->mechanisms, pl_atFree);
    }
    return s->regular;
}

// --- the space in factors

static bool areBodies(const plSystem* s, const plGroup* g)
{
    const bool linked = g->linkCount > 0;
    bool bodies = s->size.dim == 3 && !plSystem_IsSoft(s, g) &&
                  (!linked || (plSystem_LinkRows(g) <= 6 && !plSystem_IsDense(s, g)));
    for (int i = 0; i < g->mechanismCount && bodies; ++i) {
        bodies = plMechanism_Velocities(mechanismOf(g, i)) == 6;
    }
    return bodies;
}

// Where the rows of each contact are among the shares: three follow each other.
static void findSites(plSystem* s, const plGroup* g)
{
    for (int i = 0; i < s->contacts; ++i) s->sites[i] = (plFactorSite){.at = {-1, -1, -1}};
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->set.shareFirst[i];
        for (int k = first; k < s->set.shareFirst[i + 1]; k += 3) {
            if (s->set.shareRow[k] >= s->contactRows) break;
            plFactorSite* site = &s->sites[s->set.shareRow[k] / 3];
            const int side = site->at[0] >= 0;
            site->body[side] = i;
            site->at[side] = s->set.placeJ[i] + 6 * (k - first);
        }
    }
}

bool plSystem_Factors(plSystem* s, const plGroup* g, double T, plSpace** space, plFactors* f)
{
    if (!areBodies(s, g)) return false;
    *space = plSystem_IsDense(s, g) ? &s->dense : &s->sparse;
    plRowSet_Velocities(&s->set, g, pl_atStart, s->uStart);
    plRowSet_Velocities(&s->set, g, pl_atFree, s->uFree);
    findLast(s, g, T);
    plRowSet_Respond(&s->set, g, pl_responseStep);
    findSites(s, g);
    (*space)->count = s->contacts;
    (*space)->T = T;
    (*space)->compliance = compliance;
    memcpy((*space)->uFree, s->endFree, (size_t)s->contactRows * sizeof(double));
    describe(s, g, *space);
    *f = (plFactors){.bodies = g->mechanismCount + (g->linkCount > 0),
                     .sites = s->sites,
                     .J = plRowSet_Left(&s->set),
                     .Y = s->set.Y,
                     .V = s->V};
    return plSystem_FactorLinks(s, g, T, *space);
}

// --- one link by itself

static bool copySpace(const plSpace* from, plSpace* to)
{
    const size_t n = (size_t)from->count, rows = (size_t)plSpace_Rows(from);
    if (from->count > to->capacity || (rows > 0 && !from->W)) return false;
    to->count = from->count;
    to->dim = from->dim;
    to->T = from->T;
    to->sides = from->sides;
    to->bias = from->bias;
    to->collision = from->collision;
    to->compliance = from->compliance;
    to->centred = from->centred;
    if (n == 0) return true;
    memcpy(to->pair, from->pair, n * sizeof *to->pair);
    memcpy(to->gap, from->gap, n * sizeof(double));
    memcpy(to->gapFree, from->gapFree, n * sizeof(double));
    memcpy(to->hold, from->hold, n * sizeof(double));
    memcpy(to->placed, from->placed, n * sizeof *to->placed);
    memcpy(to->uStart, from->uStart, rows * sizeof(double));
    memcpy(to->uFree, from->uFree, rows * sizeof(double));
    memcpy(to->W, from->W, rows * rows * sizeof(double));
    return true;
}

// Row of a link among those of all links; -1: the group does not have it.
static int firstRowOf(const plGroup* g, int link)
{
    int row = 0;
    for (int i = 0; i < g->linkCount; ++i) {
        if (g->linkList[i] == link) return row;
        row += linkOf(g, i)->rowCount;
    }
    return -1;
}

bool plSystem_Answer(plSystem* s, const plGroup* g, int link, plSpace* copy, plLinkAnswer* answer)
{
    const int n = s->set.count, rows = s->contactRows, links = n - rows, at = firstRowOf(g, link);
    double* x = s->u; // free until Advance
    if (at < 0 || !s->regular || !plSystem_IsDense(s, g) || !copySpace(&s->dense, copy))
        return false;
    answer->rows = g->links[link].rowCount;
    for (int k = 0; k < answer->rows; ++k) {
        answer->p[k] = s->p[rows + at + k];
        memset(x, 0, (size_t)links * sizeof(double));
        x[at + k] = 1;
        plLu_Solve(s->N, links, s->pivot, x);
        for (int i = 0; i < answer->rows; ++i) answer->own[i * plLinkRows + k] = x[at + i];
        for (int j = 0; j < rows; ++j) {
            answer->push[j * plLinkRows + k] = plDotN(&s->W[j * n + rows], x, links);
            answer->pull[j * plLinkRows + k] = s->response[j * links + at + k];
        }
    }
    return true;
}

// --- strikes

// The half of a row that one mechanism sees, against the world.
static plRow halfOf(const plRow* row, int side)
{
    plRow half = *row;
    *(side ? &half.a : &half.b) = (plSite){0};
    return half;
}

static bool hasHalf(const plContact* c, int side)
{
    return (side ? c->siteB : c->siteA).mechanism.index1 != 0;
}

// Restitution asks the same of a row and of its opposite: an opening half becomes a closing one, and
// is then reversed like the other.
static void closeHalf(const plGroup* g, int side, plRow* normal)
{
    const plSite site = side ? normal->b : normal->a;
    const plMechanism* m = g->mechanisms[site.mechanism.index1 - 1];
    if (plMechanism_RowVelocity(m, pl_atInstant, normal) <= 0) return;
    normal->lin = plScale(-1, normal->lin);
}

bool plSystem_Split(plSystem* s, const plGroup* g, bool pulls, plSpace** space)
{
    const int dim = s->size.dim, links = s->set.count - s->contactRows;
    int count = 0;
    if (!plSystem_IsDense(s, g)) return false;
    for (int i = 0; i < s->contacts; ++i) {
        const plContact* c = contactOf(g, i);
        if (s->uStart[dim * i] < 0) count += hasHalf(c, 0) + hasHalf(c, 1);
    }
    if (count > s->dense.capacity || dim * count + links > s->size.rows) return false;
    memcpy(&s->set.rows[dim * count], s->linkRows, (size_t)links * sizeof *s->linkRows);
    const int contacts = s->contacts;
    count = 0;
    for (int i = 0; i < contacts; ++i) {
        plRow rows[3];
        if (s->uStart[dim * i] >= 0) continue;
        contactRows(contactOf(g, i), dim, rows);
        for (int side = 0; side < 2; ++side) {
            if (!hasHalf(contactOf(g, i), side)) continue;
            plRow* to = &s->set.rows[dim * count];
            for (int k = 0; k < dim; ++k) to[k] = halfOf(&rows[k], side);
            if (pulls) closeHalf(g, side, to);
            s->source[count++] = i;
        }
    }
    s->contacts = count;
    s->contactRows = dim * count;
    s->set.count = s->contactRows + links;
    plRowSet_Share(&s->set, g);
    return plSystem_Build(s, g, pl_responseMass, (*space)->T, space);
}

// Rigid links keep their velocity. A passive one holds the mean of a step to zero, and at an instant
// it may have any: its impulse then does work that the law does not know of. p u- + p W p/2 of all
// rows must not be positive.
static void limitStrike(plSystem* s)
{
    const int n = s->set.count;
    double given = 0, quadratic = 0;
    for (int i = 0; i < n; ++i) {
        given += s->p[i] * s->uStart[i];
        quadratic += 0.5 * s->p[i] * plDotN(&s->W[i * n], s->p, n);
    }
    if (given + quadratic <= 0) return;
    const double scale = given < 0 ? -given / quadratic : 0;
    for (int i = 0; i < n; ++i) s->p[i] *= scale;
}

void plSystem_Work(const plSystem* s, const plGroup* g, double* b, double* a)
{
    *b = *a = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->set.shareFirst[i], count = s->set.shareFirst[i + 1] - first;
        plMechanism_KickWork(mechanismOf(g, i), &s->set.shareRows[first],
                             &s->set.J[s->set.placeJ[i]], count,
                             plRowSet_Gather((plRowSet*)&s->set, i, s->p), b, a);
    }
}

double plSystem_Kick(plSystem* s, const plGroup* g, double share, plEnergy* sums)
{
    double work = 0;
    for (int i = 0; i < s->set.count; ++i) s->p[i] *= share;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->set.shareFirst[i], count = s->set.shareFirst[i + 1] - first;
        const double own =
            plMechanism_Kick(mechanismOf(g, i), &s->set.shareRows[first],
                             &s->set.J[s->set.placeJ[i]], count, plRowSet_Gather(&s->set, i, s->p));
        sums[g->mechanismList[i]].rows += own;
        if (!plMechanism_Traits(mechanismOf(g, i))->yields)
            sums[g->mechanismList[i]].applied -= own;
        work += own;
    }
    for (int i = 0, row = s->contactRows; i < g->linkCount; row += linkOf(g, i++)->rowCount) {
        plLink_Push(linkOf(g, i), &s->p[row]);
    }
    for (int i = 0; i < s->set.count && share > 0; ++i) s->p[i] /= share;
    return work;
}

double plSystem_Strike(plSystem* s, const plGroup* g)
{
    double work = 0;
    if (g->linkCount > 0) limitStrike(s);
    for (int i = 0; i < g->mechanismCount; ++i) {
        const int first = s->set.shareFirst[i], count = s->set.shareFirst[i + 1] - first;
        work += plMechanism_Strike(mechanismOf(g, i), &s->set.shareRows[first], count,
                                   plRowSet_Gather(&s->set, i, s->p));
    }
    for (int i = 0; i < s->contactRows; ++i) {
        plContact* c = contactOf(g, s->source[i / s->size.dim]);
        const plRow* row = &s->set.rows[i];
        if (row->a.mechanism.index1) c->struck[0] = plAddScaled(c->struck[0], s->p[i], row->lin);
        if (row->b.mechanism.index1) c->struck[1] = plAddScaled(c->struck[1], -s->p[i], row->lin);
    }
    return work;
}

// --- the trial

double plSystem_Refine(plSystem* s, const plGroup* g)
{
    double miss = 0, size = 0;
    int row = s->contactRows;
    if (!s->regular) return 0;
    plRowSet_EndVelocities(&s->set, g, pl_atEnd, s->endFree); // free until the next pass
    for (int i = 0; i < g->linkCount; ++i) {
        const plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            const bool rigid = isinf(link->K[k]);
            const bool byEnd = link->byWay[k] || (rigid && s->set.hasEnds);
            const double u = byEnd ? s->endFree[row] : link->u[k];
            const double p = rigid ? link->pLast[k] : s->p[row];
            s->u[row] = (rigid ? link->c[k] : link->law[k]) - link->R[k] * p - u;
            miss = fmax(miss, fabs(s->u[row]));
            size = fmax(size, fmax(fabs(link->uStart[k]), fmax(fabs(u), fabs(link->R[k] * p))));
        }
    }
    plSystem_SolveLinks(s, g, true, &s->u[s->contactRows]);
    for (int i = s->contactRows; i < s->set.count; ++i) s->p[i] += s->u[i];
    return size > 0 ? miss / size : 0;
}

double plSystem_TrialGap(const plSystem* s, const plGroup* g, plContact* c)
{
    if (c->trial != s->trial) c->gapTrial = plContact_Gap(c, g->mechanisms, pl_atEnd, &c->nTrial);
    c->trial = s->trial;
    return c->gapTrial;
}

// Contacts that push are where the law wants them, or deeper contacts would have pushed.
double plSystem_GapMiss(plSystem* s, const plGroup* g, double T)
{
    double worst = 0;
    const double* u = s->set.hasEnds ? s->endFree : s->u;
    if (s->set.hasEnds)
        plRowSet_EndVelocities(&s->set, g, pl_atEnd, s->endFree); // free until the next pass
    for (int i = 0; i < s->contacts; ++i) {
        plContact* c = contactOf(g, i);
        const int row = s->size.dim * i;
        const double gap = plSystem_TrialGap(s, g, c);
        const double said = c->gapLast + 0.5 * T * (u[row] - s->endLast[row]);
        const double depth = plContact_Goal(c, s->lift) - gap;
        const double miss = c->p[0] > 0 ? fabs(gap - said) : fmin(said - gap, depth);
        worst = miss <= worst ? worst : miss; // what is not finite is worst
    }
    return worst;
}

static void recoverContacts(plSystem* s, const plGroup* g)
{
    const int dim = s->size.dim;
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        for (int k = 0; k < 3; ++k) {
            const bool has = k < dim && i < s->contacts;
            c->p[k] = has ? s->p[dim * i + k] : 0;
            c->u[k] = has ? s->u[dim * i + k] : 0;
            c->uStart[k] = has ? s->uStart[dim * i + k] : 0;
            c->mean[k] = has ? s->uMean[dim * i + k] : 0;
        }
    }
}

// Impulses, end velocities and stretch of the links, from those of the rows.
static void recoverLinks(plSystem* s, const plGroup* g, double T)
{
    double* moves = s->set.shareP; // free until the next gather
    memset(moves, 0, (size_t)s->set.count * sizeof(double));
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = mechanismOf(g, i);
        const double* J = &s->set.J[s->set.placeJ[i]]; // of the pass: it has just been advanced
        const int n = plMechanism_Velocities(m);
        for (int k = s->set.shareFirst[i]; k < s->set.shareFirst[i + 1]; ++k, J += n) {
            if (s->set.shareRow[k] < s->contactRows) continue;
            moves[s->set.shareRow[k]] += plMechanism_RowMoveBy(m, &s->set.shareRows[k], J);
        }
    }
    int row = s->contactRows;
    for (int i = 0; i < g->linkCount; ++i) {
        plLink* link = linkOf(g, i);
        for (int k = 0; k < link->rowCount; ++k, ++row) {
            link->p[k] = s->p[row];
            link->u[k] = s->u[row];
            link->mean[k] = s->uMean[row];
            link->move[k] = moves[row];
        }
        plLink_Target(link, T, plLink_Exact(link, g->mechanisms));
    }
}

bool plSystem_Advance(plSystem* s, const plGroup* g, double T)
{
    const bool converged = plRowSet_Advance(&s->set, g, s->p);
    ++s->trial;
    plRowSet_Velocities(&s->set, g, pl_atEnd, s->u);
    if (s->set.local) {
        plRowSet_Velocities(&s->set, g, pl_atMean, s->uMean);
    } else {
        for (int i = 0; i < s->set.count; ++i) s->uMean[i] = 0.5 * (s->uStart[i] + s->u[i]);
    }
    recoverContacts(s, g);
    recoverLinks(s, g, T);
    return converged;
}
