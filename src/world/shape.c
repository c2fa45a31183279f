// Contacts of a tick and of its trials: which shapes are near, and what comes.
#include "world/inside.h"

#include <string.h>

static plFrame frameOf(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return (plFrame){.R = plIdentity3()};
    site.point = plVec(0, 0, 0);
    return plMechanism_Frame(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
}

static double skinSpeed(const plWorld* w, int mechanism, double T)
{
    const plMechanism* m = w->mechanisms[mechanism];
    return 1.5 * plMechanism_LargestSpeed(m) + T * plNorm(w->def.gravity);
}

// --- a tick

// How fast a point of the shape may move in the coming step: as now, and half as fast again, and
// what gravity adds.
static double speedOf(const plWorld* w, plSite site, const plShape* shape, double T)
{
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    const plMotion motion = plMechanism_Motion(m, pl_atStart, site);
    const double turn = isfinite(shape->extent) ? plNorm(motion.w) * shape->extent : 0;
    // what rests is apart by round-off now and then, and springs of its joints push it in the coming step
    const double resting = 1e-6 / T; // [m]
    return 1.5 * (plNorm(motion.v) + turn) + T * plNorm(w->def.gravity) + resting +
           w->gains[site.mechanism.index1 - 1];
}

// What applied forces and the springs of links can add to the speed of a body in the step [m/s]: the impulse of
// the force over the mass, and of a spring no more than its energy gives.
static void findGains(plWorld* w, double T)
{
    for (int i = 0; i < w->mechanismCount; ++i) {
        w->gains[i] = plMechanism_Push(w->mechanisms[i], T);
    }
    for (int i = 0; i < w->linkCount; ++i) {
        const plLink* link = &w->links[i];
        const uint32_t ends[2] = {link->a.mechanism.index1, link->b.mechanism.index1};
        if (link->idle) continue;
        double force = 0, stored = 0, d[6];
        plLink_Geometry(link, w->mechanisms, pl_atStart, d);
        for (int k = 0; k < link->pointRows; ++k) {
            if (isinf(link->K[k])) continue;
            force += link->K[k] * fabs(d[k]);
            stored += 0.5 * link->K[k] * d[k] * d[k];
        }
        for (int k = 0; k < 2; ++k) {
            const double mass = ends[k] ? plMechanism_LeastMass(w->mechanisms[ends[k] - 1]) : 0;
            if (!(mass > 0)) continue;
            w->gains[ends[k] - 1] += fmin(T * force / mass, sqrt(2 * stored / mass));
        }
    }
}

typedef struct {
    const plWorld* w;
    double T;
} Coming;

static plVec3 velocityAt(const plWorld* w, plSite site, plVec3 point, double* gain)
{
    if (site.mechanism.index1 == 0) return plVec(0, 0, 0);
    site.point = point;
    *gain += w->gains[site.mechanism.index1 - 1];
    return plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site).v;
}

// Two surfaces may touch in the step that come near each other by then: as fast as now and half as fast again,
// with some slip, and with what forces add. What was left out and touches all the same, the trial finds.
static bool comes(const void* self, const plTouch* touch)
{
    const Coming* x = self;
    const plWorld* w = x->w;
    const double T = x->T, near = 1e-5; // [m]
    if (touch->p.gap <= near) return true;
    double gain = 2 * T * plNorm(w->def.gravity);
    const plVec3 a = velocityAt(w, w->carriers[touch->a].site, touch->p.localA, &gain);
    const plVec3 b = velocityAt(w, w->carriers[touch->b].site, touch->p.localB, &gain);
    const plVec3 u = plSub(a, b);
    const double closing = fmax(0, -plDot(u, touch->p.n)), slip = plNorm(u);
    return touch->p.gap <= near + T * (1.5 * closing + 0.1 * slip + gain);
}

// How fast the sites of a contact move against each other, and turn [m/s, rad/s].
static void relativeMotion(const plWorld* w, const plContact* c, double* slip, double* turn)
{
    const plSite sites[2] = {c->siteA, c->siteB};
    const plVec3 points[2] = {c->model.a, c->model.b};
    plVec3 v = plVec(0, 0, 0), spin = plVec(0, 0, 0);
    for (int i = 0; i < 2; ++i) {
        if (sites[i].mechanism.index1 == 0) continue;
        plSite site = sites[i];
        site.point = points[i];
        const plMotion m =
            plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site);
        v = plAddScaled(v, i ? -1 : 1, m.v);
        spin = plAddScaled(spin, i ? -1 : 1, m.w);
    }
    *slip = plNorm(v);
    *turn = plNorm(spin);
}

// Of the angle between the two edges of a contact.
static double sineOf(const plWorld* w, const plContact* c)
{
    const plFrame a = frameOf(w, c->siteA), b = frameOf(w, c->siteB);
    return plNorm(plCross(plMul(&a.R, c->model.edgeA), plMul(&b.R, c->model.edgeB)));
}

// The normal between sharp features (two corners, a corner and an edge, two edges) turns the faster, the nearer or
// the more parallel they are: where it would turn by a radian within the step, it stays as it was found. The faces
// beside them are found by the trial.
static void steady(const plWorld* w, plContact* c, double T)
{
    const double most = 0.25; // [rad]
    plGapModel* m = &c->model;
    const bool between =
        m->kind == pl_normalBetween || m->kind == pl_normalAcrossA || m->kind == pl_normalAcrossB;
    double slip, turn;
    if (c->soft || m->radiusA + m->radiusB > 0 || !(between || m->kind == pl_normalEdges)) return;
    relativeMotion(w, c, &slip, &turn);
    if (between && T * slip <= most * c->gap) return;
    if (m->kind == pl_normalEdges && T * turn <= most * sineOf(w, c)) return;
    m->kind = pl_normalFixed;
}

static plVec3 velocityOf(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return plVec(0, 0, 0);
    site.point = plVec(0, 0, 0);
    return plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site).v;
}

// Positions answer to impulses within the step: what comes is met, also where it would be through by the end of it.
static bool isMet(const plWorld* w, plSite a, plSite b)
{
    const uint32_t ends[2] = {a.mechanism.index1, b.mechanism.index1};
    bool met = true;
    for (int i = 0; i < 2; ++i) {
        met = met && (ends[i] == 0 || plMechanism_Theta(w->mechanisms[ends[i] - 1]) > 0);
    }
    return met;
}

// What the bias `gap` may meet in the step was found with its speed in mind.
static bool foresees(const plWorld* w)
{
    return w->def.contact.bias == pl_biasGap && w->law->reach && w->def.passes > 0;
}

// How many times their half thicknesses two solids may come nearer in a step. Where only what penetrates is met,
// they are through after two steps of half of that. Under the bias `gap` no cube came through a plate by 3.6 times
// that; beyond, a hit at a corner turns it by several radians within the step.
double plShapes_Pace(const plWorld* w, plSite a, plSite b)
{
    return foresees(w) && isMet(w, a, b) ? 3.6 : 0.5;
}

// Two whose bounds meet in this step may pass each other unseen.
static bool mayPass(const plWorld* w, const plProxyPair* pair, double T)
{
    const plCarrier *a = &w->carriers[pair->a], *b = &w->carriers[pair->b];
    const double travel = T * plNorm(plSub(velocityOf(w, a->site), velocityOf(w, b->site)));
    const double thick = a->half + b->half; // 0: two surfaces, of unknown thickness
    return thick > 0 && travel > plShapes_Pace(w, a->site, b->site) * thick;
}

static bool isFast(const plWorld* w, int shape, double T)
{
    const plCarrier* c = &w->carriers[shape];
    return c->site.mechanism.index1 && T * plNorm(velocityOf(w, c->site)) > 0.5 * c->half;
}

static bool arePassing(const plWorld* w, double T)
{
    bool fast = false, passing = false;
    for (int i = 0; i < w->shapeCount && !fast; ++i) fast = isFast(w, i, T);
    for (int i = 0; fast && !passing && i < plCollide_PairCount(w->collide); ++i) {
        const plProxyPair pair = plCollide_Pair(w->collide, i);
        passing = !plCollide_HasSkin(w->collide, i) && mayPass(w, &pair, T);
    }
    return passing;
}

void plShapes_Collide(plWorld* w, double T)
{
    w->contacts.count = 0;
    if (w->shapeCount == 0) return;
    findGains(w, T);
    for (int i = 0; i < w->shapeCount; ++i) {
        const plSite site = w->carriers[i].site;
        if (site.mechanism.index1 == 0) continue;
        if (!w->shapes[i]) {
            plCollide_Deform(w->collide, i, skinSpeed(w, (int)site.mechanism.index1 - 1, T));
            continue;
        }
        const plFrame frame = frameOf(w, site);
        plCollide_Move(w->collide, i, &frame, speedOf(w, site, w->shapes[i], T));
    }
    const plCollideReport touches = plCollide_Update(w->collide, T);
    const plContactDef* d = &w->def.contact;
    const bool all = foresees(w);
    const Coming coming = {w, T};
    const plContactRules rules = {.reach = w->law->reach ? d->reach : 0,
                                  .comes = all ? comes : NULL,
                                  .self = &coming,
                                  .cluster = d->cluster,
                                  .coherence = d->coherence,
                                  .slop = d->slop,
                                  .planar = w->def.planar};
    const bool fit = plContacts_Update(&w->contacts, touches.contacts, touches.contactCount,
                                       w->carriers, &w->surfaces, rules);
    if (!fit || touches.pairsFull || touches.contactsFull || touches.tracksFull) {
        w->report.trouble |= pl_troubleContactsFull;
    }
    if (arePassing(w, T)) w->report.trouble |= pl_troubleFast;
    for (int i = 0; i < w->contacts.count; ++i) {
        if (all) steady(w, &w->contacts.list[i], T);
        w->report.depth = fmax(w->report.depth, -w->contacts.list[i].gap);
        if (all && w->law->levels > 0 && w->contacts.list[i].deep > 3)
            w->report.trouble |= pl_troubleDeep;
    }
}

double plShapes_Cost(const plWorld* w)
{
    enum { pair = 200, contact = 1000 };
    if (w->shapeCount == 0) return 0;
    return pair * (double)plCollide_PairCount(w->collide) + contact * (double)w->contacts.count;
}

// --- contacts of a trial

static const plFrame* trialFrame(const plWorld* w, plSite site)
{
    static const plFrame ground = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const uint32_t index1 = site.mechanism.index1;
    return index1 ? plMechanism_PartFrame(w->mechanisms[index1 - 1], pl_atEnd, site.part) : &ground;
}

static bool isOf(const plWorld* w, const plGroup* g, plSite site)
{
    if (site.mechanism.index1 == 0) return true;
    return w->groupOf[site.mechanism.index1 - 1] == w->groupOf[g->mechanismList[0]];
}

// Two that cannot move do not touch.
static bool isPairOf(const plWorld* w, const plGroup* g, plSite a, plSite b)
{
    return isOf(w, g, a) && isOf(w, g, b) && (plGroups_Yields(w, a) || plGroups_Yields(w, b));
}

// A contact of the list has the same features, and says the same about the trial.
static bool isListed(const plGroup* g, const plTouch* touch, const plCarrier* carriers, double deep)
{
    const bool flip = carriers[touch->a].body < carriers[touch->b].body;
    const int a = flip ? touch->b : touch->a, b = flip ? touch->a : touch->b;
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[g->contactList[i]];
        plVec3 n;
        if (c->a != a || c->b != b || c->key != touch->p.key || c->misled) continue;
        if (plContact_Gap(c, g->mechanisms, pl_atEnd, &n) <= touch->p.gap + deep) return true;
    }
    return false;
}

// The least gap that a pair had at the start: what was apart need not be deep, whatever a feature says that was
// not there yet.
static double pairGap(const plGroup* g, const plContact* new)
{
    double least = INFINITY;
    for (int i = 0; i < g->contactCount; ++i) {
        const plContact* c = &g->contacts[g->contactList[i]];
        if (c->a == new->a && c->b == new->b && !c->found) least = fmin(least, c->gap);
    }
    return least;
}

// The one of the same features that an earlier trial has found, or null.
static plContact* foundBefore(const plGroup* g, const plContact* new)
{
    for (int i = 0; i < g->contactCount; ++i) {
        plContact* c = &g->contacts[g->contactList[i]];
        if (c->found && c->a == new->a && c->b == new->b && c->key == new->key) return c;
    }
    return NULL;
}

// The least gap that a contact may end with, whose features the start did not have.
static double aimOf(const plGroup* g, plContact* c)
{
    plVec3 n;
    c->gap = plContact_Gap(c, g->mechanisms, pl_atStart, &n);
    c->gapTick = fmax(c->gap, pairGap(g, c));
    plTangents(n, &c->t[0], &c->t[1]);
    c->n = n;
    return fmin(0, c->gapTick);
}

// It is one of the chosen.
static void enlist(plWorld* w, plGroup* g, int index)
{
    g->contactList[g->contactCount++] = g->contactList[w->groupChosen];
    g->contactList[w->groupChosen++] = index;
}

// The same for one of the list, which was left out.
static void enlistAgain(plWorld* w, plGroup* g, const plContact* c)
{
    for (int i = w->groupChosen; i < g->contactCount; ++i) {
        const int index = g->contactList[i];
        if (&g->contacts[index] != c) continue;
        g->contactList[i] = g->contactList[w->groupChosen];
        g->contactList[w->groupChosen++] = index;
        return;
    }
}

static bool addFound(plWorld* w, plGroup* g, const plTouch* touch, double deep)
{
    const int index = plContacts_Add(&w->contacts, touch, w->carriers, &w->surfaces, w->def.planar);
    if (index < 0) {
        w->report.trouble |= pl_troubleContactsFull;
        return false;
    }
    plContact *c = &w->contacts.list[index], *before = foundBefore(g, c);
    c->found = c->comes = true;
    c->closing = plEvents_Closing(w, c);
    steady(w, c, w->report.T);
    c->goal = aimOf(g, c);
    plVec3 n;
    // by the face through which it came, a corner may still be outside; and what was deep may stay so
    const bool meant = c->soft || plContact_Gap(c, g->mechanisms, pl_atEnd, &n) < c->goal - deep;
    const bool fits = plSystem_HasRoom(&w->system, plSystem_LinkRows(g), g->contactCount + !before);
    if (meant && !fits) w->report.trouble |= pl_troubleContactsFull;
    if (meant && fits && before) { // by now its features are elsewhere
        c->carried = before->carried;
        memcpy(c->struck, before->struck, sizeof c->struck);
        *before = *c;
        enlistAgain(w, g, before);
    }
    if (!meant || !fits || before) w->contacts.count--;
    if (meant && fits && !before) enlist(w, g, index);
    return meant && fits;
}

// Surfaces of the soft bodies of a group, as they are in the trial, or as before; false: it has none.
static bool showSurfaces(plWorld* w, const plGroup* g, bool trial)
{
    bool some = false;
    for (int i = 0; i < w->shapeCount && plSystem_IsSoft(&w->system, g); ++i) {
        const plSite site = w->carriers[i].site;
        if (w->shapes[i] || site.mechanism.index1 == 0 || !isOf(w, g, site)) continue;
        plMechanism_ShowSurface(w->mechanisms[site.mechanism.index1 - 1],
                                trial ? pl_atEnd : pl_atStart);
        if (trial) plCollide_ShowTrial(w->collide, i);
        if (!trial) plCollide_HideTrial(w->collide, i);
        some = true;
    }
    return some;
}

static int searchSkins(plWorld* w, plGroup* g, double deep)
{
    int found = 0;
    if (!showSurfaces(w, g, true)) return 0;
    for (int i = 0; i < plCollide_PairCount(w->collide); ++i) {
        const plProxyPair pair = plCollide_Pair(w->collide, i);
        const plSite a = w->carriers[pair.a].site, b = w->carriers[pair.b].site;
        if (!plCollide_HasSkin(w->collide, i) || !isPairOf(w, g, a, b)) continue;
        const plTouch* list;
        const int count = plCollide_LookSkin(w->collide, i, trialFrame(w, a), trialFrame(w, b),
                                             w->def.contact.softReach, &list);
        for (int k = 0; k < count; ++k) {
            if (list[k].p.gap >= -deep || isListed(g, &list[k], w->carriers, deep) ||
                !plContacts_Means(&list[k], w->carriers)) {
                continue;
            }
            found += addFound(w, g, &list[k], deep);
        }
    }
    showSurfaces(w, g, false);
    return found;
}

// Features that come together within the step, and were too far for the list: a corner that swings in over a
// face, an edge that slides over another.
int plShapes_Search(plWorld* w, plGroup* g)
{
    const double deep = 1e-8; // [m]
    plBudget_Spend(&w->work.budget, plShapes_Cost(w));
    int found = searchSkins(w, g, deep);
    for (int i = 0; i < plCollide_PairCount(w->collide); ++i) {
        const plProxyPair pair = plCollide_Pair(w->collide, i);
        const plSite a = w->carriers[pair.a].site, b = w->carriers[pair.b].site;
        if (!isPairOf(w, g, a, b)) continue;
        if (!plCollide_Look(w->collide, i, trialFrame(w, a), trialFrame(w, b), 0, &w->found))
            continue;
        for (int k = 0; k < w->found.count; ++k) {
            plTouch touch = {pair.a, pair.b, w->found.points[k]};
            if (touch.p.gap >= -deep || isListed(g, &touch, w->carriers, deep)) continue;
            plCollide_CameThrough(w->collide, i, &touch.p);
            found += addFound(w, g, &touch, deep);
        }
    }
    return found;
}

// --- inspection

int plWorld_ContactCount(const plWorld* w) { return w->shapeCount ? *w->contacts.lastCount : 0; }

plStatus plWorld_Contact(const plWorld* w, int index, plContactInfo* info)
{
    if (index < 0 || index >= plWorld_ContactCount(w)) return pl_statusBadId;
    const plContactRecord* r = &w->contacts.last[index];
    *info = (plContactInfo){.shapeA = plShapes_Id(w, r->a),
                            .shapeB = plShapes_Id(w, r->b),
                            .a = w->carriers[r->a].site,
                            .b = w->carriers[r->b].site,
                            .normal = r->n,
                            .gap = r->gap,
                            .force = plScale(w->now->T > 0 ? 1 / w->now->T : 0, r->impulse),
                            .age = (int)r->age - 1};
    info->a.part = r->partA, info->b.part = r->partB;
    info->a.point = r->pointA;
    info->b.point = r->pointB;
    return pl_statusOk;
}

plContactState plWorld_ContactState(const plWorld* w, plMechanismId id)
{
    const bool good = plWorld_Look(w, id) == pl_statusOk;
    return good ? (plContactState)w->contactStates[id.index1 - 1] : pl_contactFree;
}
