// Contacts of a tick: which shapes are near, and what comes.
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
void plShapes_Steady(const plWorld* w, plContact* c, double T)
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

// A hit at a corner may turn a body by radians within the step; then it ends deeper than a solid is thick to its middle.
// A plane has no other side.
static bool isThrough(const plWorld* w, const plContact* c, double T)
{
    const double a = w->carriers[c->a].half, b = w->carriers[c->b].half, half = fmin(a, b);
    return half > 0 && isfinite(a) && isfinite(b) && -c->gap > half &&
           (isFast(w, c->a, T) || isFast(w, c->b, T));
}

static bool arePassing(const plWorld* w, double T)
{
    bool fast = false, passing = false;
    for (int i = 0; i < w->shapeCount && !fast; ++i) fast = isFast(w, i, T);
    for (int i = 0; fast && !passing && i < w->contacts.count; ++i) {
        passing = isThrough(w, &w->contacts.list[i], T);
    }
    for (int i = 0; fast && !passing && i < plCollide_PairCount(w->collide); ++i) {
        const plProxyPair pair = plCollide_Pair(w->collide, i);
        passing = !plCollide_HasSkin(w->collide, i) && mayPass(w, &pair, T);
    }
    return passing;
}

void plShapes_Collide(plWorld* w, double T)
{
    w->contacts.count = 0;
    w->pairsSorted = false;
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
        if (all) plShapes_Steady(w, &w->contacts.list[i], T);
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
