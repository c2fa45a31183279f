// The contacts of one group in one pass: the space, the law on it, and what is taken back of depth.
#include "world/inside.h"

#include <string.h>

static inline plContact* contactOf(const plGroup* g, int i)
{
    return &g->contacts[g->contactList[i]];
}

// Depth is never deepened. It is taken back slowly, where the same step loses the energy for it. What is deeper than
// this is booked as drift.
static const double tooDeep = 5e-5; // [m]

// --- the law

// The sum of p times that.
static double yieldedWork(const plSpace* s, const double* p)
{
    double sum = 0;
    for (int i = 0; i < s->count; ++i, p += s->dim) {
        int stride;
        const double* W = plSpace_Diagonal(s, i, &stride);
        for (int k = 0; k < s->dim; ++k) sum += p[k] * p[k] * W[k * (stride + 1)];
    }
    return s->compliance / (1 + s->compliance) * sum;
}

// What a law owes when it promises to create no energy. The impulses s p do the work
//   s p.(u- + u_free)/2 + s^2 p.W p/2,
// so the largest s <= 1 that does none is found without solving anything again. A solver's
// tolerance costs s = 1 - 1e-9 or so; a rule that is not passive in this state costs more.
// Contacts of what deforms take depth back, and so does the law of multipliers: the tank pays.
static double scaleOf(const plWorld* w, const plSpace* s, const double* Wp, double yields)
{
    const double* p = w->impulses;
    double given = 0, quadratic = -yields;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        given += p[i] * (s->uStart[i] + s->uFree[i]);
        quadratic += p[i] * Wp[i];
    }
    const bool pays = w->law->returns || plSpace_IsSoft(s);
    const double paid = pays ? 2 * fmax(0, w->now->tank - w->spent) : 0;
    if (given + quadratic <= paid) return 1;
    return given < 0 && quadratic > 0 ? -given / quadratic : 0;
}

static double passiveScale(plWorld* w, const plSpace* s)
{
    double* Wp = w->bias;
    plSpace_Apply(s, w->impulses, Wp);
    return scaleOf(w, s, Wp, yieldedWork(s, w->impulses));
}

static void solve(plWorld* w, const plSpace* s, int level, plLawReport* report)
{
    w->law->bias(s, level, w->bias);
    w->law->solve(s, w->bias, level, w->before, w->after, w->impulses, &w->work, report);
}

// The elastic law loses nothing along normals, but compliance takes 1e-8 of an impact, and the tank
// would be filled by it; an impact by multipliers is exact. Solved again with u_free moved by what it
// took (its bias, where restitution is that of u_free), 1e-16 is left. Only in a collision: what rests
// needs the compliance to stay in touch.
static bool isExact(const plWorld* w, const plSpace* s)
{
    return w->groupCollides && (w->law->returns || s->bias == pl_biasElastic);
}

static void giveBack(plWorld* w, const plSpace* s, plLawReport* report)
{
    const int rows = plSpace_Rows(s);
    double *taken = w->taken, *moved = w->law->returns ? w->bias : s->uFree;
    for (int i = 0; i < rows; ++i) taken[i] = plSpace_Yielded(s, i, w->impulses);
    if (w->law->returns) w->law->bias(s, 0, w->bias);
    for (int i = 0; i < rows; ++i) moved[i] -= taken[i];
    if (!w->law->returns) w->law->bias(s, 0, w->bias);
    w->law->solve(s, w->bias, 0, w->before, w->after, w->impulses, &w->work, report);
    for (int i = 0; i < rows; ++i) moved[i] += taken[i];
}

static const double tolerated = 1e-3;

// Compliance acts on the change of p from the last tick: what rests does not sink.
static void centre(plWorld* w, const plSpace* s)
{
    const bool pyramids = w->law->biasCount(s) != plSpace_Rows(s);
    const int stride = pyramids ? w->law->biasCount(s) / s->count : s->dim;
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < (pyramids ? 1 : s->dim); ++k) {
            const double share = s->compliance / (1 + s->compliance);
            int ld;
            const double* W = plSpace_Diagonal(s, i, &ld);
            w->bias[i * stride + k] -= share * W[k * (ld + 1)] * w->before[i].p[k];
        }
    }
}

// The gap at the end: its rows give no energy, whatever the impulses are.
static void keepFree(const plGroup* g, const plSpace* s)
{
    for (int i = 0; i < s->count; ++i) contactOf(g, i)->uFree = s->uFree[s->dim * i];
}

// Compliance is counted from these impulses on. By how much it opened or closed a gap, at most [m].
static double keepImpulses(plWorld* w, const plSpace* s)
{
    const double share = 0.5 * s->T * s->compliance / (1 + s->compliance);
    double most = 0;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        const int k = i % s->dim;
        double* before = &w->before[i / s->dim].p[k];
        int ld;
        const double* W = plSpace_Diagonal(s, i / s->dim, &ld);
        most = fmax(most, share * W[k * (ld + 1)] * fabs(w->impulses[i] - *before));
        *before = w->impulses[i];
    }
    return most;
}

// While impulses change, compliance opens or closes gaps by 1e-8 of what W says, and a tool that is pressed harder
// from tick to tick would sink, and be lifted later. Solved again from the impulses found, 1e-16 of it is left.
static void holdGaps(plWorld* w, const plSpace* s, plLawReport* report)
{
    for (int i = 0; i < plHoldRounds; ++i) {
        w->law->bias(s, 0, w->bias);
        centre(w, s);
        w->law->solve(s, w->bias, 0, w->before, w->after, w->impulses, &w->work, report);
        if (keepImpulses(w, s) <= plHeldGap || plBudget_IsOver(&w->work.budget)) break;
    }
}

// Climbs to safer levels of the law while it would create more than its tolerance explains.
static void satisfy(plWorld* w, const plSpace* s, plLawReport* report)
{
    const bool promises = w->law->levels > 0;
    if (s->bias == pl_biasGap) {
        holdGaps(w, s, report);
        if (!plBudget_IsOver(&w->work.budget)) return;
        const double share = passiveScale(w, s); // a law that was not finished may give energy
        for (int i = 0; i < plSpace_Rows(s); ++i) w->impulses[i] *= share;
        return;
    }
    solve(w, s, 0, report);
    if (promises && isExact(w, s)) giveBack(w, s, report);
    double scale = promises ? passiveScale(w, s) : 1;
    for (int level = 1; promises && scale < 1 - tolerated && level <= w->law->levels; ++level) {
        solve(w, s, level, report);
        scale = passiveScale(w, s);
    }
    if (promises && w->groupCareful)
        scale *= 1 - tolerated; // takes that share of what it takes, more
    if (scale == 1) return;
    for (int i = 0; i < plSpace_Rows(s); ++i) w->impulses[i] *= scale;
}

static void tell(plWorld* w, const plLawReport* report)
{
    plStepReport* r = &w->report;
    r->active += report->active;
    r->sliding += report->sliding;
    r->iterations = r->iterations > report->iterations ? r->iterations : report->iterations;
    r->residual = fmax(r->residual, report->residual);
    if (report->flags & pl_reportNotConverged) r->trouble |= pl_troubleLaw;
    // the cone's algorithms are its own affair; what falls to the cone is another law's answer
    const bool other = !w->law->thin;
    if (other && report->flags & pl_reportFellBack) r->trouble |= pl_troubleFellBack;
}

// Where the gap cannot be held (what deforms, and positions that do not answer to impulses in the step), the
// velocity is.
plBias plSatisfy_Bias(const plWorld* w)
{
    const plBias bias = w->def.contact.bias;
    return bias == pl_biasGap && !w->system.gaps ? pl_biasOneSided : bias;
}

static void settings(const plWorld* w, plSpace* s)
{
    s->sides = w->def.contact.sides;
    s->bias = plSatisfy_Bias(w);
    s->rate = w->def.contact.driftRate;
    s->collision = w->def.contact.collision;
    s->touchingCollide = w->def.contact.touchingCollide;
    s->collisionFriction = w->def.contact.collisionFriction;
    s->heldPulses = w->def.contact.heldPulses && !w->def.contact.absolute;
    s->pulseLimit = w->def.contact.pulseLimit;
}

// --- a collision: an instant of its own before the step. Contacts give nothing more in this tick,
// unless walls are asked to.

// Each body against the world: the same law on twice the contacts, all of them new.
static void splitCollision(plWorld* w, const plGroup* g, plSpace** space)
{
    const bool pulls = w->def.contact.collision == pl_collisionEquality;
    plLawReport report;
    if (!plSystem_Split(&w->system, g, pulls, space)) {
        w->report.trouble |= pl_troubleFellBack;
        return;
    }
    settings(w, *space);
    memset(w->before, 0, (size_t)(*space)->count * sizeof *w->before);
    w->law->solve(*space, w->bias, 0, w->before, w->before, w->impulses, &w->work, &report);
}

static void strike(plWorld* w, const plGroup* g, plPass pass, plSpace** space)
{
    const bool walls = w->def.contact.wallsInCollision;
    plLawReport report;
    if (walls) {
        plPenaltyLaw.solve(*space, w->bias, 0, w->before, w->after, w->taken, &w->work, &report);
    }
    if (w->def.contact.absolute) splitCollision(w, g, space);
    const double share = plDevices_Share(w, g, w->impulses, pass.T);
    for (int i = 0; i < plSpace_Rows(*space); ++i) w->impulses[i] *= share;
    plSystem_Recover(&w->system, g, w->impulses);
    w->groupStrike = plSystem_Strike(&w->system, g);
    if (w->def.contact.absolute) plSystem_Rows(&w->system, g, pass.at);
    const size_t size = (size_t)w->system.contactRows * sizeof(double);
    if (walls) {
        memcpy(w->impulses, w->taken, size);
    } else {
        memset(w->impulses, 0, size);
    }
}

// A collision that is held over the step, within the limits of the couplings.
static void hold(plWorld* w, const plGroup* g, plPass pass, const plSpace* space)
{
    const double share = plDevices_Share(w, g, w->impulses, pass.T);
    for (int i = 0; i < plSpace_Rows(space); ++i) w->impulses[i] *= share;
}

// --- a pass

// A group that is met again goes on from where it was; as printed, only a large one.
static void recall(plWorld* w, const plGroup* g, plPass pass)
{
    const bool pending = plDevices_Pending(w, g);
    const bool again =
        pass.at == pl_lineariseTrial && (w->system.gaps || g->contactCount > plNearContacts);
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        plContactMemory after = {.age = c->memory.age + 1}; // should it be left out
        w->before[i] = c->memory;
        if (pending) w->before[i].age = 0;
        for (int k = 0; k < 3 && again; ++k) w->before[i].p[k] = after.p[k] = c->p[k];
        w->after[i] = after;
        c->struck[0] = c->struck[1] = plVec(0, 0, 0);
    }
}

// Something new hits: a contact that was not there in the last tick closes.     (iapb sec. III)
static bool collides(const plGroup* g, const plSpace* s)
{
    for (int i = 0; i < s->count; ++i) {
        const plContact* c = contactOf(g, i);
        if (c->fresh && c->gap <= 0 && s->uStart[s->dim * i] < 0) return true;
    }
    return false;
}

// Scale of the work of the contacts [J]: u is the difference of u_free and W p.
static double workScale(const plWorld* w, const plSpace* s)
{
    double sum = 0;
    for (int i = 0; i < plSpace_Rows(s); ++i) sum += fabs(w->impulses[i] * s->uFree[i]);
    return sum;
}

// The cone on bodies, without a W: see plCone_Still. False: nothing was done. A collision is for those
// who can climb; but in a large group there is one in every tick, and most climb nowhere.
static bool satisfyStill(plWorld* w, const plGroup* g, plPass pass)
{
    plSpace* space;
    plFactors factors;
    const bool may = w->law->thin && !w->groupCareful && !w->system.full;
    if (!may || !plSystem_Factors(&w->system, g, pass.T, &space, &factors)) return false;
    settings(w, space);
    w->groupCollides = collides(g, space);
    if (space->bias != pl_biasGap && w->groupCollides &&
        (space->count <= plSystemDense || isExact(w, space)))
        return false;
    recall(w, g, pass);
    w->law->bias(space, 0, w->bias);
    keepFree(g, space);
    if (!plCone_Still(space, &factors, w->bias, w->before, w->after, w->impulses, w->taken,
                      &w->work, &w->groupLaw)) {
        return false;
    }
    const double scale = space->bias == pl_biasGap ? 1 : scaleOf(w, space, w->taken, 0);
    if (scale < 1 - tolerated) return false;
    for (int i = 0; i < plSpace_Rows(space) && scale < 1; ++i) w->impulses[i] *= scale;
    w->groupScale = workScale(w, space);
    if (plDevices_Pay(w, g, pass.T)) {
        memset(w->impulses, 0, (size_t)plSpace_Rows(space) * sizeof(double));
    }
    plSystem_Recover(&w->system, g, w->impulses);
    return true;
}

// A file of the problem has q in u_free: the bias `plastic` then asks for nothing more.
static void flatten(plSpace* s)
{
    if (s->bias != pl_biasGap) return;
    for (int i = 0; i < plSpace_Rows(s); ++i) {
        s->uFree[i] += i % s->dim == 0 ? s->hold[i / s->dim] : s->uStart[i];
        s->uStart[i] = 0;
    }
    for (int i = 0; i < s->count; ++i) s->gap[i] = 0;
    s->bias = pl_biasPlastic;
}

// Shows the space to who has asked for it. The rows are made anew, so that the tick is as without.
static void show(plWorld* w, const plGroup* g, plPass pass, plResponse response)
{
    plSpace* space;
    plSystem_Build(&w->system, g, response, pass.T, &space);
    settings(w, space);
    flatten(space);
    w->meet(w->meetSelf, space);
    plSystem_Rows(&w->system, g, pass.at);
}

// Rows of J D^-1 J^T; of what is soft each is a solve of its surface.
static double costOfSpace(const plWorld* w, const plGroup* g, const plSpace* s)
{
    const double rows = plSpace_Rows(s), each = 3;
    double wide = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        wide += plMechanism_RowCost(w->mechanisms[g->mechanismList[i]]);
    }
    const double entries = s->W ? rows * rows : s->dim * s->dim * (double)s->blockStart[s->count];
    return each * entries + rows * wide;
}

static bool satisfyChosen(plWorld* w, const plGroup* g, plPass pass)
{
    plSpace* space;
    plSystem* s = &w->system;
    const plResponse response = w->law ? w->law->response : pl_responseStep;
    w->groupStrike = 0;
    w->groupCollides = false;
    plSystem_Rows(s, g, pass.at);
    if (g->contactCount == 0) {
        plDevices_Rest(w, g);
        const bool regular = plSystem_Build(s, g, pl_responseStep, pass.T, &space);
        plSystem_Recover(s, g, w->impulses);
        return regular;
    }
    if (w->meet) show(w, g, pass, response);
    if (satisfyStill(w, g, pass)) return true;
    bool good = plSystem_Build(s, g, response, pass.T, &space);
    plBudget_Spend(&w->work.budget, costOfSpace(w, g, space));
    if (s->full) w->report.trouble |= pl_troubleContactsFull;
    settings(w, space);
    w->groupCollides = collides(g, space);
    recall(w, g, pass);
    keepFree(g, space);
    satisfy(w, space, &w->groupLaw);
    w->groupScale = workScale(w, space);
    if (w->groupLaw.strikes) {
        w->groupCollides = true; // also while a spread collision goes on
        strike(w, g, pass, &space);
    } else if (w->groupLaw.holds) {
        w->groupCollides = true;
        hold(w, g, pass, space);
    } else if (plDevices_Pay(w, g, pass.T)) { // the collision is not over: walls wait for its end
        memset(w->impulses, 0, (size_t)plSpace_Rows(space) * sizeof(double));
    }
    if (response != pl_responseStep) {
        good = plSystem_Build(s, g, pl_responseStep, pass.T, &space) && good;
    }
    plSystem_Recover(s, g, w->impulses);
    return good;
}

// --- few of many
//
// A soft body has many contacts that are near, and few that push. The tick begins with those that
// pushed in the last one; what their answer leaves in a contact's plane joins them, until nothing does.
// All others give nothing, and have no row.

static bool pushed(const plContact* c) { return c->memory.p[0] > 0; }

/// By how much a contact is above the least gap that it may have.
static double above(const plWorld* w, const plGroup* g, const plContact* c, plWhen when)
{
    plVec3 n;
    if (!w->system.gaps) return plContact_EndGap(c, g->mechanisms, when);
    return plContact_Gap(c, g->mechanisms, when, &n) - plContact_Goal(c, w->system.lift);
}

/// Moves the contacts that are wanted to the front of the rest of the list; how many.
static int choose(const plWorld* w, const plGroup* g, int first, double slop, plWhen when)
{
    int* list = g->contactList;
    int count = first;
    for (int i = first; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[list[i]];
        const bool wanted =
            !c->soft || (when == pl_atStart ? pushed(c) : above(w, g, c, when) < -slop);
        if (!wanted) continue;
        const int kept = list[count];
        list[count++] = list[i];
        list[i] = kept;
    }
    return count;
}

/// The nearest after the free motion, where nothing pushed: most of those that are in are in together.
static double deepest(const plWorld* w, const plGroup* g)
{
    double least = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        least = fmin(least, above(w, g, contactOf(g, i), pl_atFree));
    }
    return least;
}

static bool satisfyFew(plWorld* w, const plGroup* g, plPass pass)
{
    enum { rounds = 12 };
    const double slop = 1e-9; // [m], far above round-off of places and far below what is seen
    plSystem* s = &w->system;
    bool good = true, converged = true;
    s->chosen = choose(w, g, 0, slop, pl_atStart);
    if (s->chosen == 0) s->chosen = choose(w, g, 0, -0.5 * deepest(w, g), pl_atFree);
    for (int round = 0; round < rounds; ++round) {
        good = satisfyChosen(w, g, pass);
        if (s->chosen >= g->contactCount) break;
        converged = plSystem_Advance(s, g, pass.T);
        const int more = choose(w, g, s->chosen, slop, pl_atEnd);
        w->groupAdvanced = more == s->chosen || plBudget_IsOver(&w->work.budget);
        if (w->groupAdvanced) break; // where that is over, those that come are met in the next tick
        s->chosen = round + 2 < rounds ? more : g->contactCount;
    }
    if (w->groupAdvanced && !converged) w->report.trouble |= pl_troubleNotConverged;
    return good;
}

bool plSatisfy_Group(plWorld* w, const plGroup* g, plPass pass)
{
    w->groupAdvanced = false;
    w->system.chosen = w->system.gaps ? w->groupChosen : g->contactCount;
    if (g->contactCount > 0 && plSystem_IsSoft(&w->system, g)) return satisfyFew(w, g, pass);
    return satisfyChosen(w, g, pass);
}

// --- positions

// The bill of the last displacement: what drift has grown by since `paid` was set to minus it.
static double bill(plWorld* w, const plGroup* g, bool open)
{
    double sum = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        plEnergy* e = &w->mechanismEnergies[g->mechanismList[i]];
        e->paid = open ? -e->drift : e->paid + e->drift;
        sum += e->paid;
    }
    return sum;
}

static double cost(const plWorld* w, const plGroup* g)
{
    double sum = 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plEnergy* e = &w->mechanismEnergies[g->mechanismList[i]];
        sum += e->paid + e->drift;
    }
    return sum;
}

// Moves on by a share of the displacement z, which may be negative.
static void moveOn(plWorld* w, const plGroup* g, const plSpace* s, double share)
{
    for (int i = 0; i < s->count; ++i) w->taken[i] = share * w->impulses[i];
    plSystem_Displace(&w->system, g, w->taken, w->mechanismEnergies);
}

// Goes as far as can be paid. A curved potential costs more than its share: then less again, and at
// last nothing.
static void pay(plWorld* w, const plGroup* g, const plSpace* s, double tank)
{
    enum { rounds = 4 };
    double share = 1, price;
    moveOn(w, g, s, share);
    for (int i = 0; (price = cost(w, g)) > tank; ++i) {
        const double less = i < rounds ? share * tank / price * (i == 0 ? 1 - 1e-12 : 0.9) : 0;
        moveOn(w, g, s, less - share);
        share = less;
        if (share == 0) break;
    }
}

// What the links' geometry took beyond the tank is not paid: the guard sees it.
static double settle(plWorld* w, const plGroup* g, double tank)
{
    const double sum = bill(w, g, false);
    if (sum <= tank) return sum;
    for (int i = 0; i < g->mechanismCount; ++i) {
        w->mechanismEnergies[g->mechanismList[i]].paid *= tank / sum;
    }
    return tank;
}

void plSatisfy_Drift(plWorld* w, const plGroup* g, double T)
{
    const plContactDef* d = &w->def.contact;
    const double tank = w->now->tank - w->spent;
    plLawReport report = {0};
    if (g->contactCount == 0 || d->driftRate == 0 || w->law->levels == 0 || w->law->returns) return;
    if (w->system.gaps) return; // nothing has sunk
    plSpace* s = plSystem_Shift(&w->system, g, T, d->driftRate, d->slop);
    if (!s) return;
    memset(w->impulses, 0, (size_t)s->count * sizeof(double));
    w->work.turns = 2; // what is left of the depth is there in the next tick, too
    plCone_Solve(s, s->uFree, w->impulses, &w->work, &report);
    bill(w, g, true);
    pay(w, g, s, tank);
    plSystem_Project(&w->system, g, w->mechanismEnergies);
    w->groupSpent = settle(w, g, tank);
}

// --- balance

void plSatisfy_Audit(plWorld* w, const plGroup* g, double T)
{
    w->groupContact = (plEnergy){.rows = -w->groupStrike, .dissipated = -w->groupStrike};
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = contactOf(g, i);
        plContact_Audit(c, &w->after[i], g->mechanisms, T, w->law->stored, &w->groupContact);
        const double given = c->p[0] * c->mean[0];
        // a feature found in the trial was not there yet
        const bool deep = fmax(c->gap, c->gapTick) < -tooDeep;
        const bool lifted = w->system.lift > 0 && c->goal < 0;
        if (!w->system.gaps || !(deep || lifted) || given <= 0) continue;
        w->groupContact.drift += given; // depth that was taken back
        w->groupContact.dissipated += given;
    }
}

bool plSatisfy_Gives(plWorld* w, const plGroup* g, double T)
{
    if (g->contactCount == 0 || w->law->levels == 0 || w->system.gaps) return false;
    plSatisfy_Audit(w, g, T);
    return w->groupContact.dissipated < -1e-16 * w->groupScale;
}

// A group that stands still has no impulses, and its walls stay as they are.
static void forget(plWorld* w, const plGroup* g)
{
    w->groupContact = (plEnergy){0};
    w->groupSpent = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        w->groupContact.potential0 += plContact_Stored(c, w->law->stored);
        w->after[i] = (plContactMemory){.age = c->memory.age + 1};
        memset(c->p, 0, sizeof c->p);
        c->struck[0] = c->struck[1] = plVec(0, 0, 0);
    }
    w->groupContact.potential1 = w->groupContact.potential0;
}

// Positions answer to impulses in the step, as rows say.
static bool answers(const plWorld* w, const plGroup* g)
{
    bool all = true;
    for (int i = 0; i < g->mechanismCount; ++i) {
        const plMechanism* m = w->mechanisms[g->mechanismList[i]];
        all = all && plMechanism_Theta(m) > 0;
    }
    return all;
}

// Contact i of the list becomes the last of those that have rows.
static void choose1(plWorld* w, const plGroup* g, int i)
{
    const int other = g->contactList[w->groupChosen];
    g->contactList[w->groupChosen++] = g->contactList[i];
    g->contactList[i] = other;
    contactOf(g, w->groupChosen - 1)->comes = true;
}

static void chooseComing(plWorld* w, const plGroup* g)
{
    w->groupChosen = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        if (contactOf(g, i)->comes) choose1(w, g, i);
    }
}

// Features that a longer trial has found may be deep where this step starts, although the pair was apart: they are not
// those that touch here. Else their row would throw the parts out within a step that is far too short. The trial
// finds such a contact again where it matters.
static void leaveMisled(plWorld* w, const plGroup* g)
{
    const double deep = 1e-8; // [m]
    bool any = false;
    for (int i = 0; i < g->contactCount && w->system.gaps; ++i) {
        plContact* c = contactOf(g, i);
        if (!c->found || c->gap >= c->goal - deep) continue;
        c->misled = any = true;
        c->comes = false;
    }
    if (any) chooseComing(w, g);
}

void plSatisfy_Aim(plWorld* w, const plGroup* g)
{
    const bool soft = plSystem_IsSoft(&w->system, g);
    const double small = soft ? 1e-10 : 1e-11; // what the law leaves undone is mended [m]
    for (int i = 0; i < g->contactCount && w->system.gaps; ++i) {
        plContact* c = contactOf(g, i);
        plContact_FindStart(c, g->mechanisms);
        c->gap = c->gapStart;
        c->goal = c->gap < -small ? c->gap : 0;
        if (c->found && !soft) c->goal = fmin(0, fmax(c->gap, c->gapTick));
    }
    if (!soft) leaveMisled(w, g);
}

bool plSatisfy_LetBe(plWorld* w, const plGroup* g, double excess)
{
    double given = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < g->contactCount && w->system.gaps; ++i) {
            plContact* c = contactOf(g, i);
            if (!(c->gap < 0 && c->goal == 0)) continue;
            if (pass == 0) given += c->p[0] * fmax(0, c->mean[0]);
            if (pass == 1) c->goal = c->gap;
        }
        if (!(2 * given > excess)) return false;
    }
    return true;
}

void plSatisfy_Carry(plWorld* w, const plGroup* g)
{
    w->system.gaps = w->shapeCount > 0 && g->contactCount > 0 &&
                     w->def.contact.bias == pl_biasGap && w->def.passes > 0 && w->law->exact &&
                     answers(w, g);
    chooseComing(w, g);
    w->system.lift = 0;
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        c->carried = plAddScaled(c->carried, c->p[0], c->n);
        for (int k = 0; k < 2; ++k) c->carried = plAddScaled(c->carried, c->p[1 + k], c->t[k]);
        memset(c->p, 0, sizeof c->p);
    }
}

// A contact is as old as it was when the tick began: Finish makes it older.
void plSatisfy_Commit(plWorld* w, const plGroup* g, bool keep)
{
    if (g->contactCount == 0) return;
    if (!keep) forget(w, g);
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        const int age = c->memory.age;
        c->memory = w->after[i];
        c->memory.age = age;
        if (keep && c->p[0] > 0)
            c->found = false; // its features touch where the next step of the tick starts
    }
    plEnergy* all = &w->contactEnergy;
    all->rows += w->groupContact.rows;
    all->dissipated += w->groupContact.dissipated;
    all->integrator += w->groupContact.integrator;
    all->drift += w->groupContact.drift;
    all->potential0 += w->groupContact.potential0;
    all->potential1 += w->groupContact.potential1;
    w->spent += fmax(0, w->groupSpent);
    if (keep) tell(w, &w->groupLaw);
}

int plSatisfy_ChooseDeep(plWorld* w, const plGroup* g, double deep)
{
    const int before = w->groupChosen;
    for (int i = before; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        const double above = plSystem_TrialGap(&w->system, g, c) - c->goal;
        if (!(above >= -deep) && !c->misled) choose1(w, g, i);
    }
    return w->groupChosen - before;
}

double plSatisfy_LiftPrice(const plWorld* w, const plGroup* g, double T)
{
    const double seen = 1e-9; // [m]
    double price = 0;
    for (int i = 0; i < g->contactCount && w->system.gaps; ++i) {
        const plContact* c = contactOf(g, i);
        if (c->goal < -seen) price += c->p[0] * fmin(-c->goal / T, plLiftSpeed);
    }
    return price;
}

plGapError plSatisfy_GapError(const plWorld* w, const plGroup* g)
{
    plGapError worst = {0, 0};
    for (int i = 0; i < w->groupChosen && w->system.gaps; ++i) {
        plContact* c = contactOf(g, i);
        const double goal = plContact_Goal(c, w->system.lift);
        const double above = plSystem_TrialGap(&w->system, g, c) - goal;
        worst.deep = fmax(worst.deep, -above);
        if (c->p[0] > 0) worst.open = fmax(worst.open, above);
        if (!isfinite(above)) worst.deep = INFINITY;
    }
    return worst;
}

void plSatisfy_Finish(plWorld* w, const plGroup* g)
{
    int touching = 0;
    bool hits = false;
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = contactOf(g, i);
        c->struck[0] = plAdd(c->struck[0], c->carried);
        c->struck[1] = plSub(c->struck[1], c->carried);
        c->memory.age++;
        const bool pushes = c->p[0] > 0 || plDot(c->carried, c->carried) > 0;
        touching += pushes || c->gap <= 0;
        hits = hits || (pushes && c->fresh);
    }
    if (w->system.gaps) w->groupCollides = hits;
    w->report.contacts += w->system.gaps ? touching : g->contactCount;
    const plContactState state = w->groupCollides ? pl_contactColliding : pl_contactResting;
    const bool touches = w->system.gaps ? touching > 0 : g->contactCount > 0;
    for (int i = 0; i < g->mechanismCount; ++i) {
        w->contactStates[g->mechanismList[i]] = touches ? (int)state : pl_contactFree;
    }
    plDevices_Keep(w, g, true);
    if (g->contactCount > 0 && w->groupCollides) w->report.colliding += g->mechanismCount;
}
