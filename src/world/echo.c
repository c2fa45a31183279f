// An echo: what the next tick would answer to a hand, for a device that is faster than the world.
//   letters  T the world's step [s]; s time since its tick, in steps; x the hand's way since then
//            (shift and turn), w in the last tick; F(x) mean force on the hand in the next tick, when
//            it is at x when that ends; r what a link's equation is moved by; p impulses
//
// The world moves its frame from sample to sample, and what the hand did is known exactly: the tick
// books the work -F(x).x for the way x, whatever the path was. The device's thread cannot wait for
// that F, but the space that the next tick will meet stands already behind this one: state, rows, W,
// free motion. It is built there (with the contacts of the last tick), the links are eliminated, and
// only the rows of the coupling stay open. A frame that ends at x moves them by
//   passive   r = 2 axes.x/T  (u_free, and u- in c)        implicit   r = axes.x/T
// and the law on the contacts gives F(x).
//
// The force that is rendered, f, must do the work that will be booked. Where F is linear, F(x) = F0 + S x,
//   f = grad(F(x).x) = F0 + 2 S x = F(2 x)
// does it on any path. As it is, f would run as a saw while nothing happens: a tool and a hand that fly
// on together have F0 = -S w, w the way of a tick, because F0 is that of a hand that stands. With terms in
// time that are zero in the mean, and so do no work on a hand of constant speed,
//   f = F(w + 2 (x - s w)) + (s - 1/2) ramp,    ramp = F(w) - F_last,
// f begins at (F_last + F(w))/2 and ends at F(w) + (F(w) - F_last)/2: on a wall, in flight and while
// sliding, of either form of link and with any damper, ticks of constant speed join without a jump, and
// the law is asked near where the hand will be. What is left is half the second difference of the
// forces of three ticks. It is taken over by a rest,
//   rest (1 - s)(1 - 3 s),
// which begins with all of the jump, ends with nothing, and is zero in the mean too. A hand that
// gains speed would still get S w.dw/12 in a tick: s is bent until it is the share of its way.
//
// A force is held while the hand moves on by dx: f is that of the middle of the step, x + dx/2 with the
// last dx, so that S dx^2 is not created in each.
//
// What is created nevertheless (the prediction was wrong: new contacts, blows, an echo that came late) is
// known at the next tick, to the last bit: what was given and what was booked. A toll, a share of the
// force along the motion and against it, takes it back; a full one gives the hand nothing at all. It
// keeps one percent of all that moves in advance.
#include "world/inside.h"

#include <string.h>

static const double inAdvance = 1e-2;    // of the energy moved
static const double mostInAdvance = .05; // of the force, to save it
static const double mostOwed = 1;        // to pay back
static const double patience = 1.25;     // steps until the hand's way is no longer expected
static const double slow = 1e-6;         // a toll is full when a write moves more [m or rad]

// A write that does not get there goes on in the next one.
enum { axesCount = plLinkRows, fewSteps = 3, manySteps = 20, fewSweeps = 10, nearContacts = 8 };

/// What goes with the hand from echo to echo.
typedef struct {
    bool known; ///< the pose below was seen
    bool fresh; ///< nothing of this tick was rendered yet
    plPose pose;
    double way[axesCount]; ///< of the last write
    plWrench force;        ///< that is held now
    plWrench rest;
    double tick[axesCount]; ///< way of the hand in the tick
    double bend;            ///< of its way in time
    double time;            ///< since this echo came [s]
    double late;            ///< when it came, in steps
    double share;           ///< of the toll
    double given, moved;
    double before; ///< moved, when the last tick came
    double start;  ///< balance when the hand was first seen
} plFelt;

struct plEcho {
    plAllocator allocator;
    plArena arena;
    int contacts;

    // of the tick
    bool speaks; ///< there is a space
    bool holds;  ///< contacts give what they gave: the law is explicit
    plSpace space;
    plLinkAnswer answer;
    plLawWork work;
    double *q, *bias, *p; ///< of the law, per row
    plVec3 axes[axesCount];
    int pointRows;
    double T, leverage; ///< r = leverage axes.x
    double scale;
    plPose at;             ///< of the hand when the tick ended
    double way[axesCount]; ///< of the hand in the tick
    plWrench last, ramp;
    plVec3 forceLimit, torqueLimit;
    bool planar;   ///< the hand stays in the plane, whatever it says
    double booked; ///< work of the hand on the world so far [J]

    plFelt felt;
};

// --- memory

static size_t sizeOf(int contacts)
{
    const size_t rows = 3 * (size_t)contacts;
    return plLawWork_Size(contacts, 4) + plSpace_Size(3, contacts, 0) +
           (3 + 2 * axesCount) * rows * sizeof(double) + 8 * 64;
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
    double** const vectors[] = {&e->q, &e->bias, &e->p};
    for (int i = 0; i < PL_COUNT(vectors); ++i) {
        *vectors[i] = plArena_Alloc(&e->arena, rows, sizeof(double));
    }
    e->answer.push = plArena_Alloc(&e->arena, axesCount * rows, sizeof(double));
    e->answer.pull = plArena_Alloc(&e->arena, axesCount * rows, sizeof(double));
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
    allocator.release(allocator.self, e, sizeof *e);
}

// --- F(x)

static plWrench sum(plWrench a, double s, plWrench b)
{
    return (plWrench){plAddScaled(a.force, s, b.force), plAddScaled(a.torque, s, b.torque)};
}

static void wayBetween(plPose from, plPose to, double* x)
{
    plPut3(plSub(to.p, from.p), x);
    plPut3(plLogQuat(plQuatMul(to.q, plQuatConj(from.q))), x + 3);
}

// From the last impulses, which are near: few steps of Newton, and few sweeps where it gets lost.
static void satisfy(plEcho* e, int steps)
{
    int iterations = 0;
    if (e->holds || e->space.count == 0) return;
    const double defect =
        plCone_Newton(&e->space, e->bias, 0, NULL, 1e-9, steps, e->p, &e->work, &iterations);
    if (defect <= 1e-6) return;
    plCone_GaussSeidel(&e->space, e->bias, pl_coneExact, 1e-6, fewSweeps, e->p, &e->work,
                       &iterations);
}

static plWrench meanForce(plEcho* e, const double* x, int steps)
{
    const plLinkAnswer* a = &e->answer;
    const int rows = plSpace_Rows(&e->space);
    double r[axesCount], p[axesCount];
    plWrench F = {{0, 0, 0}, {0, 0, 0}};
    if (!e->speaks) return e->last;
    for (int k = 0; k < a->rows; ++k) {
        r[k] = e->leverage * plDot(e->axes[k], plGet3(k < e->pointRows ? x : x + 3));
    }
    for (int j = 0; j < rows; ++j) {
        e->bias[j] = e->q[j] + plDotN(&a->push[j * axesCount], r, a->rows);
    }
    satisfy(e, steps);
    for (int k = 0; k < a->rows; ++k) {
        p[k] = a->p[k] + plDotN(&a->own[k * axesCount], r, a->rows);
        for (int j = 0; j < rows; ++j) p[k] -= a->pull[j * axesCount + k] * e->p[j];
        plVec3* to = k < e->pointRows ? &F.force : &F.torque;
        *to = plAddScaled(*to, -e->scale * p[k] / e->T, e->axes[k]);
    }
    return F;
}

// As the world takes it.
static plPose settled(const plEcho* e, plPose hand)
{
    hand.q = plQuatUnit(hand.q);
    if (!e->planar) return hand;
    hand.p.z = e->at.p.z;
    hand.q = plExp(plVec(0, 0, plLogQuat(hand.q).z));
    return hand;
}

bool plEcho_Answer(plEcho* e, plPose hand, plWrench* force)
{
    double x[axesCount];
    *force = e->last;
    if (!e->speaks || !plFinitePose(hand)) return false;
    wayBetween(e->at, settled(e, hand), x);
    *force = meanForce(e, x, manySteps);
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
    int* list = &w->contactList[g->contactList - w->contactList];
    double* gaps = w->taken; // free between ticks
    int count = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[list[i]];
        gaps[i] = plContact_EndGap(c, g->mechanisms, pl_atFree);
        if (!c->soft || c->p[0] > 0) bring(list, gaps, i, count++);
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

static bool buildSpace(plWorld* w, const plGroup* g, int link, double reach, plEcho* e)
{
    const bool soft = plSystem_IsSoft(&w->system, g);
    const plPass pass = {
        .T = e->T, .at = soft || w->def.passes < 2 ? pl_lineariseStart : pl_linearisePrediction};
    plSystem* s = &w->system;
    plSpace* space;
    for (int i = 0; i < g->mechanismCount; ++i) {
        plMechanism_Begin(g->mechanisms[g->mechanismList[i]], pass);
    }
    s->chosen = choose(w, g, reach, e->contacts);
    if (s->chosen > e->contacts) return false;
    plSystem_Rows(s, g, pass.at);
    if (!plSystem_Build(s, g, pl_responseStep, pass.T, &space)) return false;
    return !s->full && plSystem_Answer(s, g, link, &e->space, &e->answer);
}

// Gaps as the tick has left them; impulses from which the law goes on.
static void recall(const plWorld* w, const plGroup* g, plEcho* e)
{
    plSpace* s = &e->space;
    for (int i = 0; i < s->count; ++i) {
        const plContact* c = &g->contacts[g->contactList[i]];
        s->gap[i] = plContact_EndGap(c, g->mechanisms, pl_atStart);
        memcpy(&e->p[s->dim * i], c->p, (size_t)s->dim * sizeof(double));
    }
    s->bias = w->def.contact.bias;
    plBias_Cone(s, s->bias, e->q);
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
    for (int k = 0; k < e->answer.rows; ++k) all += e->answer.p[k] + e->answer.own[k * axesCount];
    for (int i = 0; i < plSpace_Rows(&e->space); ++i) all += e->q[i] + e->p[i];
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
    const plMechanism* frame = w->mechanisms[c->frame];
    const double* p = w->links[c->link].impulse;
    e->T = w->now->T;
    e->scale = c->coupling.def.scale;
    e->last = sum((plWrench){{0, 0, 0}, {0, 0, 0}}, -e->scale / e->T,
                  (plWrench){plGet3(p), plGet3(p + 3)});
    e->at = (plPose){plGet3(plMechanism_Q(frame)), plGet4(plMechanism_Q(frame) + 3)};
    lastWay(frame, e->at, e->T, e->way);
    e->planar = w->def.planar;
    e->forceLimit = d->forceLimit;
    e->torqueLimit = d->torqueLimit;
    e->booked = w->mechanismOwners[c->frame].account.applied;
}

static const plWorldCoupling* spokenFor(const plWorld* w, plCouplingId id)
{
    const bool good =
        id.generation == 1 && id.index1 >= 1 && id.index1 <= (uint32_t)w->couplingCount;
    if (!good) return NULL;
    const plWorldCoupling* c = &w->couplings[id.index1 - 1];
    const bool speaks = c->coupling.def.kind == pl_couplingVirtual &&
                        c->coupling.def.feedback == pl_feedbackMean && !plGrasp_IsIdle(c);
    return speaks && w->now->tick > 0 && w->now->T > 0 ? c : NULL;
}

bool plWorld_TakeEcho(plWorld* w, plCouplingId id, plEcho* e)
{
    const plWorldCoupling* c = spokenFor(w, id);
    const plWrench none = {{0, 0, 0}, {0, 0, 0}};
    e->speaks = false;
    e->felt.fresh = true;
    e->ramp = e->last = none;
    if (!c) return false;
    keepTick(w, c, e);
    if (w->groupsStale) return false;
    const plGroup g = plGroups_At(w, w->groupOf[c->frame]);
    if (!buildSpace(w, &g, c->link, 2 * plNorm(plGet3(e->way)), e)) return false;
    keepLink(&w->links[c->link], e);
    recall(w, &g, e);
    e->speaks = finiteAnswer(e);
    if (!e->speaks) return false;
    e->ramp = sum(meanForce(e, e->way, manySteps), -1, e->last);
    return true;
}

// --- the hand

void plEcho_Follow(plEcho* e, const plEcho* before)
{
    e->felt = before->felt;
    e->felt.fresh = true;
}

static double balanceOf(const plEcho* e) { return e->felt.given + e->scale * e->booked; }

plEchoPort plEcho_Port(const plEcho* e)
{
    return (plEchoPort){e->felt.given, e->felt.moved,
                        e->felt.known ? balanceOf(e) - e->felt.start : 0};
}

// Work of the force that was held until now.
static void account(plEcho* e, plPose hand)
{
    plFelt* f = &e->felt;
    const double work = plWrench_Work(&f->force, f->pose, hand);
    f->given += work;
    f->moved += fabs(work);
    wayBetween(f->pose, hand, f->way);
}

static plVec3 tollOf(plVec3 force, plVec3 way)
{
    const double size = plNorm(way) + slow;
    return plScale(-fabs(plDot(force, way)) / (size * size), way);
}

// At a pose in the middle of a write, and its time in steps; without the rest.
static plWrench model(plEcho* e, plPose hand, double s)
{
    double x[axesCount];
    wayBetween(e->at, hand, x);
    for (int i = 0; i < axesCount; ++i) {
        const double ahead = x[i] + 0.5 * e->felt.way[i] - s * e->way[i];
        x[i] = e->way[i] + 2 * ahead;
    }
    return sum(meanForce(e, x, fewSteps), s - 0.5, e->ramp);
}

static plWrench withToll(const plEcho* e, plWrench F)
{
    const double* way = e->felt.way;
    return sum(F, e->felt.share,
               (plWrench){tollOf(F.force, plGet3(way)), tollOf(F.torque, plGet3(way + 3))});
}

// Of ways; a turn counts as at the end of a lever.
static double product(const double* a, const double* b)
{
    const double lever = 0.05; // [m]
    return plDotN(a, b, 3) + lever * lever * plDotN(a + 3, b + 3, 3);
}

// A hand that gains speed has come less than half its way when half the time is gone. From the ways w of
// two ticks, with a = (w - w_before).w/|w|^2:  s + bend (s^2 - s),  bend = a/(2 + 2 a), of constant
// acceleration.
static void meetWay(plFelt* f, const double* way)
{
    const double size = product(way, way), gain = size - product(f->tick, way);
    f->bend = 0;
    if (gain < 0) f->bend = -0.5;
    if (gain > -0.5 * size) f->bend = 0.5 * gain / (size + gain);
    memcpy(f->tick, way, sizeof f->tick);
}

// Share of the way that is gone at a share of the time.
static double gone(const plFelt* f, double s) { return s + f->bend * (s * s - s); }

// An echo that comes late meets a hand that has gone x already. What it did for that is not booked yet.
static double meetLate(plEcho* e, plPose hand)
{
    double x[axesCount];
    wayBetween(e->at, hand, x);
    const double size = product(e->way, e->way), all = product(x, x);
    e->felt.late = size > 0 ? fmax(0, fmin(1, product(x, e->way) / size)) : 0;
    if (all == 0) return 0;
    const plWrench F = meanForce(e, x, fewSteps);
    return plDot(F.force, plGet3(x)) + plDot(F.torque, plGet3(x + 3));
}

// The first time after a tick: what it booked is known now. The rest begins where the force is.
static void meetTick(plEcho* e, plPose hand, double h)
{
    plFelt* f = &e->felt;
    const double balance = balanceOf(e) - f->start - meetLate(e, hand);
    const double moved = f->moved - f->before, owed = balance + inAdvance * f->moved;
    const double most = balance > 0 ? mostOwed : mostInAdvance;
    f->share = owed > 0 && moved > 0 ? fmin(owed / moved, most) : 0;
    f->before = f->moved;
    f->time = 0;
    f->fresh = false;
    meetWay(f, e->way);
    const plWrench F = model(e, f->pose, gone(f, f->late - 0.5 * h / e->T));
    f->rest = sum(f->force, -1, withToll(e, F));
}

static void firstPose(plEcho* e, plPose hand)
{
    plFelt* f = &e->felt;
    f->known = true;
    f->pose = hand;
    f->start = balanceOf(e);
    memset(f->way, 0, sizeof f->way);
}

// No hand is a kilometre away.
static bool isPlausible(plPose hand) { return plFinitePose(hand) && plNorm(hand.p) < 1e3; }

void plEcho_Render(plEcho* e, double h, plPose hand, plWrench* force)
{
    plFelt* f = &e->felt;
    *force = (plWrench){{0, 0, 0}, {0, 0, 0}};
    if (!isPlausible(hand) || !(h > 0) || !isfinite(h)) { // comes back from nothing
        f->force = *force;
        f->fresh = true;
        return;
    }
    hand = settled(e, hand);
    if (!f->known) firstPose(e, hand);
    account(e, hand);
    if (f->fresh) meetTick(e, hand, h);
    const double s = fmin(patience, (f->time + 0.5 * h) / e->T);
    const double share = gone(f, fmin(1, f->time / e->T)), rest = (1 - share) * (1 - 3 * share);
    const plWrench F = withToll(e, model(e, hand, gone(f, f->late + s)));
    *force = sum(F, rest, f->rest);
    plWrench_Limit(force, e->forceLimit, e->torqueLimit);
    f->force = *force;
    f->pose = hand;
    f->time += h;
}
