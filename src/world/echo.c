// An echo: what the next tick would answer to a hand, for a device that is faster than the world.
//   letters  T the world's step [s]; s time since its tick, in steps; x the hand's way since then
//            (shift and turn), w in the last tick; F(x) mean force on the hand in the next tick, when
//            it is at x when that ends; r what a link's equation is moved by; p impulses
//
// The world moves its frame from sample to sample, and what the hand did is known exactly: the tick
// books the work -F(x).x for the way x, whatever the path was. The device's thread cannot wait for
// that F, but the space that the next tick will meet stands already behind this one: state, contacts,
// rows, W, free motion. It is built there, the links are eliminated, and only the rows of the coupling
// stay open. A frame that ends at x moves them by
//   passive   r = 2 axes.x/T  (u_free, and u- in c)        implicit   r = axes.x/T
// and the law on the contacts gives F(x). What a hand feels by it is in echo_hand.c.
//
// Contacts are those of the next tick, too: shapes collide anew where the tick has left them, as they
// will when it begins, and the state is put back. With the contacts of the last tick a wall that came
// within reach in between would be a surprise, and the world would book work that nobody has felt.
#include "world/echo.h"

#include <string.h>

enum { fewSweeps = 10, nearContacts = 8 };

// --- memory

static size_t sizeOf(int contacts)
{
    const size_t rows = 3 * (size_t)contacts;
    return plLawWork_Size(contacts, 4) + plSpace_Size(3, contacts, 0) +
           (2 + pl_askCount + 2 * plEchoAxes) * rows * sizeof(double) + 8 * 64;
}

plStatus plEcho_Create(int contacts, const plAllocator* allocator, plEcho** out)
{
    *out = NULL;
    if (contacts < 0 || contacts > plEchoContacts) return pl_statusBadArgument;
    plEcho* e = allocator->take(allocator->self, sizeof *e);
    if (!e) return pl_statusNoMemory;
    *e = (plEcho){.allocator = *allocator, .contacts = contacts, .T = 1, .at.q.w = 1};
    const size_t rows = 3 * (size_t)contacts;
    plStatus status = plArena_Create(&e->arena, sizeOf(contacts), allocator);
    if (status != pl_statusOk) goto failEcho;
    double** const vectors[] = {&e->q, &e->bias, &e->p[pl_askNow], &e->p[pl_askEnd]};
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(&e->arena, rows, sizeof(double));
    }
    e->answer.push = plArena_Alloc(&e->arena, plEchoAxes * rows, sizeof(double));
    e->answer.pull = plArena_Alloc(&e->arena, plEchoAxes * rows, sizeof(double));
    status = plSpace_Create(&e->space, 3, contacts, 0, &e->arena);
    if (status == pl_statusOk) status = plLawWork_Create(&e->work, contacts, 4, &e->arena);
    if (e->arena.full) status = pl_statusCapacity;
    if (status != pl_statusOk) goto failArena;
    e->felt.fresh = true;
    *out = e;
    return pl_statusOk;
failArena:
    plArena_Destroy(&e->arena, allocator);
failEcho:
    allocator->release(allocator->self, e, sizeof *e);
    return status;
}

void plEcho_Destroy(plEcho* e)
{
    if (!e) return;
    const plAllocator allocator = e->allocator;
    plArena_Destroy(&e->arena, &allocator);
    if (e->before) allocator.release(allocator.self, e->before, e->beforeSize);
    allocator.release(allocator.self, e, sizeof *e);
}

// --- F(x)

plWrench plWrench_Sum(plWrench a, double s, plWrench b)
{
    return (plWrench){plAddScaled(a.force, s, b.force), plAddScaled(a.torque, s, b.torque)};
}

void plEcho_Way(plPose from, plPose to, double* x)
{
    plPut3(plSub(to.p, from.p), x);
    plPut3(plLogQuat(plQuatMul(to.q, plQuatConj(from.q))), x + 3);
}

// From the last impulses, which are near: few steps of Newton, and few sweeps where it gets lost.
static void satisfy(plEcho* e, double* p, int steps)
{
    int iterations = 0;
    if (e->holds || e->space.count == 0) return;
    const double defect =
        plCone_Newton(&e->space, e->bias, 0, NULL, 1e-9, steps, p, &e->work, &iterations);
    if (defect <= 1e-6) return;
    plCone_GaussSeidel(&e->space, e->bias, pl_coneExact, 1e-6, fewSweeps, p, &e->work, &iterations);
}

plWrench plEcho_MeanForce(plEcho* e, const double* x, plAsk ask, int steps)
{
    const plLinkAnswer* a = &e->answer;
    const int rows = plSpace_Rows(&e->space);
    double r[plEchoAxes], p[plEchoAxes];
    plWrench F = {{0, 0, 0}, {0, 0, 0}};
    if (!e->speaks) return e->last;
    for (int k = 0; k < a->rows; ++k) {
        r[k] = e->leverage * plDot(e->axes[k], plGet3(k < e->pointRows ? x : x + 3));
    }
    for (int j = 0; j < rows; ++j) {
        e->bias[j] = e->q[j] + plDotN(&a->push[j * plEchoAxes], r, a->rows);
    }
    satisfy(e, e->p[ask], steps);
    for (int k = 0; k < a->rows; ++k) {
        p[k] = a->p[k] + plDotN(&a->own[k * plEchoAxes], r, a->rows);
        for (int j = 0; j < rows; ++j) p[k] -= a->pull[j * plEchoAxes + k] * e->p[ask][j];
        plVec3* to = k < e->pointRows ? &F.force : &F.torque;
        *to = plAddScaled(*to, -e->scale * p[k] / e->T, e->axes[k]);
    }
    return F;
}

// As the world takes it.
plPose plEcho_Settled(const plEcho* e, plPose hand)
{
    hand.q = plQuatUnit(hand.q);
    if (!e->planar) return hand;
    hand.p.z = e->at.p.z;
    hand.q = plExp(plVec(0, 0, plLogQuat(hand.q).z));
    return hand;
}

bool plEcho_Answer(plEcho* e, plPose hand, plWrench* force)
{
    double x[plEchoAxes];
    *force = e->last;
    if (!e->speaks || !plFinitePose(hand)) return false;
    plEcho_Way(e->at, plEcho_Settled(e, hand), x);
    *force = plEcho_MeanForce(e, x, pl_askNow, plEchoManySteps);
    return true;
}

// --- behind a tick

// Contact i of a group's list, and its gap, become number k.
static void bring(int* list, double* gaps, int i, int k)
{
    const int contact = list[i];
    const double gap = gaps[i];
    list[i] = list[k], gaps[i] = gaps[k];
    list[k] = contact, gaps[k] = gap;
}

// Of soft bodies the contacts that pushed, and the nearest of those that the hand's way may close; the
// others wait.
static int choose(plWorld* w, const plGroup* g, double reach, int most)
{
    int* list = g->contactList;
    double* gaps = w->taken; // free between ticks
    int count = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[list[i]];
        gaps[i] = plContact_EndGap(c, g->mechanisms, pl_atFree);
        if (!c->soft || c->memory.p[0] > 0) bring(list, gaps, i, count++);
    }
    for (const int end = count + nearContacts; count < end && count < most; ++count) {
        int nearest = count;
        for (int i = count; i < g->contactCount; ++i) {
            if (gaps[i] < gaps[nearest]) nearest = i;
        }
        if (nearest >= g->contactCount || !(gaps[nearest] < reach)) break;
        bring(list, gaps, nearest, count);
    }
    return count;
}

// As the first pass of the next tick (group_newton.c) begins: gaps and their goals, what links carried.
static bool buildSpace(plWorld* w, const plGroup* g, int link, double reach, plEcho* e)
{
    plSystem* s = &w->system;
    plSpace* space;
    plSatisfy_Carry(w, g);
    const bool rigid = s->gaps && !plSystem_IsSoft(s, g);
    const plPass pass = {.T = e->T,
                         .left = e->T,
                         .at = w->def.passes == 0 ? pl_lineariseStart : pl_linearisePrediction,
                         .closes = w->def.passes > 0 && plGuard_Watches(w, g),
                         .turns = s->gaps};
    plSatisfy_Aim(w, g);
    for (int i = 0; i < g->linkCount; ++i) plLink_Begin(&w->links[g->linkList[i]], 1 / e->T);
    if (w->def.passes > 0) plSystem_Stiffen(g, e->T, true, false);
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Begin(g->mechanisms[g->mechanismList[i]], pass);
    }
    s->chosen = rigid ? w->groupChosen : choose(w, g, reach, e->contacts);
    if (s->chosen > e->contacts) return false;
    const bool thins = s->thins;
    s->thins = false; // the copy is dense
    plSystem_Rows(s, g, pass.at);
    const bool good = plSystem_Build(s, g, pl_responseStep, pass.T, &space) && !s->full &&
                      plSystem_Answer(s, g, link, &e->space, &e->answer);
    s->thins = thins;
    return good;
}

// Gaps as the tick has left them; impulses from which the law goes on.
static void recall(const plWorld* w, const plGroup* g, plEcho* e)
{
    plSpace* s = &e->space;
    for (int i = 0; i < s->count; ++i) {
        const plContact* c = &g->contacts[g->contactList[i]];
        s->gap[i] = plContact_EndGap(c, g->mechanisms, pl_atStart);
        for (int k = 0; k < s->dim; ++k) e->p[pl_askNow][s->dim * i + k] = c->memory.p[k];
    }
    s->bias = plSatisfy_Bias(w);
    plBias_Cone(s, s->bias, e->q);
    for (int i = 0; i < plSpace_Rows(s) && s->bias == pl_biasGap; ++i) {
        e->q[i] -= plSpace_Yielded(s, i, e->p[pl_askNow]); // compliance acts on the change of p
    }
    e->holds = s->count > 0 && w->law->levels == 0;
}

static void keepLink(const plLink* link, plEcho* e)
{
    e->pointRows = link->pointRows;
    e->leverage = (link->form == pl_linkPassive ? 2 : 1) / e->T;
    memcpy(e->axes, link->axes, sizeof e->axes);
}

static bool finiteAnswer(const plEcho* e)
{
    double all = 0;
    for (int k = 0; k < e->answer.rows; ++k) all += e->answer.p[k] + e->answer.own[k * plEchoAxes];
    for (int i = 0; i < plSpace_Rows(&e->space); ++i) all += e->q[i] + e->p[pl_askNow][i];
    return isfinite(all);
}

// The way of the hand in the last tick: it may go on so.
static void lastWay(const plMechanism* frame, plPose at, double T, double* way)
{
    const plMat3 R = plRotation(at.q);
    const double* v = plMechanism_V(frame);
    plPut3(plScale(T, plGet3(v)), way);
    plPut3(plScale(T, plMul(&R, plGet3(v + 3))), way + 3);
}

static void keepTick(const plWorld* w, const plWorldCoupling* c, plEcho* e)
{
    const plWorldDevice* d = &w->devices[c->device];
    const plMechanism* frame = w->mechanisms[c->coupling.frame];
    const double* p = w->links[c->coupling.link].impulse;
    e->T = w->now->T;
    e->scale = c->coupling.def.scale;
    e->last = plWrench_Sum((plWrench){{0, 0, 0}, {0, 0, 0}}, -e->scale / e->T,
                           (plWrench){plGet3(p), plGet3(p + 3)});
    e->at = (plPose){plGet3(plMechanism_Q(frame)), plGet4(plMechanism_Q(frame) + 3)};
    lastWay(frame, e->at, e->T, e->way);
    e->planar = w->def.planar;
    e->forceLimit = d->forceLimit;
    e->torqueLimit = d->torqueLimit;
    e->booked = w->mechanismOwners[c->coupling.frame].account.applied;
}

static const plWorldCoupling* spokenFor(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    if (!good) return NULL;
    const plWorldCoupling* c = &w->couplings[id.index1 - 1];
    const bool speaks = c->coupling.ops->traits.takes &&
                        c->coupling.def.feedback == pl_feedbackMean &&
                        !plCoupling_IsIdle(&c->coupling);
    return speaks && w->now->tick > 0 && w->now->T > 0 ? c : NULL;
}

// Memory for a copy of the state: once, unless the world grows.
static bool makeRoom(const plWorld* w, plEcho* e)
{
    const size_t size = w->state.used;
    if (e->before && e->beforeSize == size) return true;
    if (e->before) e->allocator.release(e->allocator.self, e->before, e->beforeSize);
    e->before = e->allocator.take(e->allocator.self, size);
    e->beforeSize = size;
    return e->before != NULL;
}

static bool takeSpace(plWorld* w, const plWorldCoupling* c, plEcho* e)
{
    const plGroup g = plGroups_At(w, w->groupOf[c->coupling.frame]);
    if (!buildSpace(w, &g, c->coupling.link, 2 * plNorm(plGet3(e->way)), e)) return false;
    keepLink(&w->links[c->coupling.link], e);
    recall(w, &g, e);
    return finiteAnswer(e);
}

// As when the next tick begins. What only a tick has, lists of contacts and groups, is left as it is then.
static bool lookAhead(plWorld* w, const plWorldCoupling* c, plEcho* e)
{
    const plStepReport report = w->report;
    memcpy(e->before, w->state.memory, e->beforeSize);
    plShapes_Collide(w, e->T);
    plGroups_Sort(w);
    const bool found = takeSpace(w, c, e);
    memcpy(w->state.memory, e->before, e->beforeSize);
    w->report = report;
    return found;
}

bool plWorld_TakeEcho(plWorld* w, plCouplingId id, plEcho* e)
{
    const plWorldCoupling* c = spokenFor(w, id);
    const plWrench none = {{0, 0, 0}, {0, 0, 0}};
    e->speaks = false;
    e->felt.fresh = true;
    e->ramp = e->last = none;
    const bool room = makeRoom(w, e);
    if (!c) return false;
    keepTick(w, c, e);
    e->speaks = room && lookAhead(w, c, e);
    if (!e->speaks) return false;
    e->ramp = plWrench_Sum(plEcho_MeanForce(e, e->way, pl_askNow, plEchoManySteps), -1, e->last);
    memcpy(e->p[pl_askEnd], e->p[pl_askNow], (size_t)plSpace_Rows(&e->space) * sizeof(double));
    return true;
}
