// Contacts with a past. A ball that rolls in a socket of many pieces touches new pieces all the
// time; without a past every one of them would be a new collision. So close contacts of two parts
// are collapsed into one, and a contact near one of the last tick is the same one. (iapb sec. III)
#include "contact/contact.h"

#include <string.h>

plStatus plContacts_Create(plContacts* c, int contacts, int bodies, plArena* fixed, plArena* state)
{
    const size_t n = (size_t)contacts;
    *c = (plContacts){.capacity = contacts, .bodies = bodies};
    c->list = plArena_Alloc(fixed, n + 1, sizeof *c->list); // one to try out
    c->first = plArena_Alloc(fixed, (size_t)bodies, sizeof(int));
    c->next = plArena_Alloc(fixed, n, sizeof(int));
    c->lastFirst = plArena_Alloc(fixed, (size_t)bodies, sizeof(int));
    c->lastNext = plArena_Alloc(fixed, n, sizeof(int));
    c->lastCount = plArena_Alloc(state, 1, sizeof(int));
    c->last = plArena_Alloc(state, n, sizeof *c->last);
    return fixed->full || state->full ? pl_statusCapacity : pl_statusOk;
}

// --- one contact

// Faces of a soft body are its parts from 1 on.
static plSite siteOf(const plCarrier* carrier, int face, plVec3 point)
{
    plSite site = carrier->site;
    site.part += face;
    site.point = point;
    return site;
}

// Tangents, pair and memory are for those that are kept.
static void setContact(plContact* c, const plTouch* touch, const plCarrier* carriers, bool planar)
{
    const plPoint* p = &touch->p;
    const bool flip = carriers[touch->a].body < carriers[touch->b].body;
    const int a = flip ? touch->b : touch->a, b = flip ? touch->a : touch->b;
    *c = (plContact){
        .a = a,
        .b = b,
        .key = p->key,
        .bodyA = carriers[a].body,
        .bodyB = carriers[b].body,
        .siteA = siteOf(&carriers[a], flip ? p->faceB : p->faceA, flip ? p->localB : p->localA),
        .siteB = siteOf(&carriers[b], flip ? p->faceA : p->faceB, flip ? p->localA : p->localB),
        .n = flip ? plScale(-1, p->n) : p->n,
        .at = plScale(0.5, plAdd(p->a, p->b)),
        .gap = p->gap,
        .gapTick = p->gap,
        .fresh = true,
        .soft = p->faceA + p->faceB > 0,
        .model = flip ? plGapModel_Swapped(&p->model) : p->model,
        .endA = flip ? p->endB : p->endA,
        .endB = flip ? p->endA : p->endB};
    if (planar) c->n = plScale(1 / hypot(c->n.x, c->n.y), plVec(c->n.x, c->n.y, 0));
}

static double distance2(plVec3 a, plVec3 b)
{
    const plVec3 d = plSub(a, b);
    return plDot(d, d);
}

// --- clusters

// A contact of this tick that the new one collapses into; -1: none. Contacts that push in different
// directions are different, however close: a corner in a notch.
static int clusterOf(const plContacts* c, const plContact* new, double cluster)
{
    const double near = cluster * cluster;
    for (int i = c->first[new->bodyA]; i >= 0; i = c->next[i]) {
        const plContact* old = &c->list[i];
        if (old->bodyB == new->bodyB &&
            distance2(old->at, new->at) <= near&& plDot(old->n, new->n) > 0.9) {
            return i;
        }
    }
    return -1;
}

// Contacts of a small shape are near each other, and still different: a tenth of its half thickness apart.
static double clusterFor(const plCarrier* carriers, const plContact* new, double cluster)
{
    const double a = carriers[new->a].half, b = carriers[new->b].half;
    if (a > 0) cluster = fmin(cluster, 0.1 * a);
    return b > 0 ? fmin(cluster, 0.1 * b) : cluster;
}

// The contact behind the list becomes its last, or one of those that are in it.
static bool enter(plContacts* c, double cluster)
{
    const plContact* new = &c->list[c->count];
    // what deforms has its own idea of how near two contacts may be: its mesh
    const int same = new->soft ? -1 : clusterOf(c, new, cluster);
    if (same >= 0) {
        if (new->gap < c->list[same].gap) c->list[same] = *new;
        return true;
    }
    if (c->count == c->capacity) return false;
    c->next[c->count] = c->first[new->bodyA];
    c->first[new->bodyA] = c->count++;
    return true;
}

// --- coherence

static bool same(const plContactRecord* r, const plContact* c)
{
    return r->a == c->a && r->b == c->b && r->key == c->key;
}

// How far a contact went on the part where it went less: a box that slides takes its corner along, a
// ground under it keeps its place.
static double way2(const plContactRecord* r, const plContact* c)
{
    return fmin(distance2(r->pointA, c->siteA.point), distance2(r->pointB, c->siteB.point));
}

// The record of the same features, else the nearest of the same two parts within the distance that
// pushed in about the same direction: a corner that slides along one wall hits the next one anew.
static const plContactRecord* pastOf(const plContacts* cs, const plContact* c, double coherence)
{
    const plContactRecord* nearest = NULL;
    double least = coherence * coherence;
    for (int i = cs->lastFirst[c->bodyA]; i >= 0; i = cs->lastNext[i]) {
        const plContactRecord* r = &cs->last[i];
        if (r->bodyB != c->bodyB || plDot(r->n, c->n) < 0.5) continue;
        if (same(r, c)) return r;
        if (c->soft) continue;
        const double d2 = way2(r, c);
        if (d2 > least) continue;
        nearest = r;
        least = d2;
    }
    return nearest;
}

// A vector along the tangents t of the last tick, along those of this one. Null: they are the same.
static void turn(const plContact* c, const plVec3* t, const double from[2], bool planar,
                 double to[2])
{
    plVec3 sum = plVec(0, 0, 0);
    to[0] = t ? 0 : from[0];
    to[1] = t ? 0 : from[1];
    if (!t || (from[0] == 0 && from[1] == 0)) return;
    for (int k = 0; k < (planar ? 1 : 2); ++k) sum = plAddScaled(sum, from[k], t[k]);
    for (int k = 0; k < (planar ? 1 : 2); ++k) to[k] = plDot(sum, c->t[k]);
}

// Impulse, strain and velocity are vectors: they turn with the contact's axes.
static void inherit(plContact* c, const plContactRecord* r, bool planar)
{
    plContactMemory* m = &c->memory;
    const bool turned = r->n.x != c->n.x || r->n.y != c->n.y || r->n.z != c->n.z;
    plVec3 tangents[2];
    if (turned) plTangents(r->n, &tangents[0], &tangents[1]);
    const plVec3* t = turned ? tangents : NULL;
    c->fresh = false;
    m->age = (int)r->age;
    c->deep = (int)r->deep;
    m->p[0] = r->p[0];
    m->wall = r->wall;
    m->friction = r->friction;
    m->owed = r->owed;
    turn(c, t, &r->p[1], planar, &m->p[1]);
    turn(c, t, r->friction.strain, planar, m->friction.strain);
    turn(c, t, r->friction.u, planar, m->friction.u);
}

// Chains of contacts by their bodies, in their order.
static void chain(plContacts* c)
{
    for (int i = 0; i < c->bodies; ++i) c->first[i] = c->lastFirst[i] = -1;
    for (int i = *c->lastCount - 1; i >= 0; --i) {
        c->lastNext[i] = c->lastFirst[c->last[i].bodyA];
        c->lastFirst[c->last[i].bodyA] = i;
    }
}

bool plContacts_Means(const plTouch* touch, const plCarrier* carriers)
{
    const plPoint* p = &touch->p;
    const bool nodeA = p->faceA && plSkinKey_A(p->key) == pl_skinPoint;
    const bool nodeB = p->faceB && plSkinKey_B(p->key) == pl_skinPoint;
    const bool onlyA = carriers[touch->a].nodesOnly, onlyB = carriers[touch->b].nodesOnly;
    if (onlyA && onlyB) return nodeA || nodeB;
    return (!onlyA || nodeA) && (!onlyB || nodeB);
}

// Of soft ones, all that come in the step.
static bool isMeant(const plTouch* touch, const plCarrier* carriers, const plContactRules* rules)
{
    const plPoint* p = &touch->p;
    if (p->faceA + p->faceB > 0) return plContacts_Means(touch, carriers);
    return rules->comes || p->gap <= rules->reach;
}

// False: some did not fit.
static bool enterAll(plContacts* c, const plTouch* touches, int count, const plCarrier* carriers,
                     const plContactRules* rules, bool comingOnly)
{
    bool all = true;
    c->count = 0;
    chain(c);
    for (int i = 0; i < count; ++i) {
        const plVec3 n = touches[i].p.n;
        if (!isMeant(&touches[i], carriers, rules)) continue;
        if (rules->planar && hypot(n.x, n.y) < 1e-6) continue; // out of the plane: no row for it
        plContact* new = &c->list[c->count];
        setContact(new, &touches[i], carriers, rules->planar);
        new->comes = new->soft || !rules->comes || new->gap <= rules->reach ||
                     rules->comes(rules->self, &touches[i]);
        if (new->comes || !comingOnly)
            all = enter(c, clusterFor(carriers, new, rules->cluster)) && all;
    }
    return all;
}

// Where there is no room, contacts that are apart and probably stay so make way: the trial finds those that come after
// all.
bool plContacts_Update(plContacts* c, const plTouch* touches, int count, const plCarrier* carriers,
                       const plSurfaces* surfaces, plContactRules rules)
{
    const bool all = enterAll(c, touches, count, carriers, &rules, false) ||
                     (rules.comes && enterAll(c, touches, count, carriers, &rules, true));
    for (int i = 0; i < c->count; ++i) {
        plContact* kept = &c->list[i];
        const plContactRecord* past = pastOf(c, kept, rules.coherence);
        kept->pair =
            plSurfaces_Pair(surfaces, carriers[kept->a].material, carriers[kept->b].material);
        plTangents(kept->n, &kept->t[0], &kept->t[1]);
        if (past) inherit(kept, past, rules.planar);
        kept->deep = kept->gap < -rules.slop ? kept->deep + 1 : 0;
    }
    return all;
}

int plContacts_Add(plContacts* c, const plTouch* touch, const plCarrier* carriers,
                   const plSurfaces* surfaces, bool planar)
{
    if (c->count == c->capacity) return -1;
    plContact* new = &c->list[c->count];
    setContact(new, touch, carriers, planar);
    new->pair = plSurfaces_Pair(surfaces, carriers[new->a].material, carriers[new->b].material);
    plTangents(new->n, &new->t[0], &new->t[1]);
    return c->count++;
}

bool plContact_Touched(const plContact* c)
{
    const double near = 1e-9; // [m]
    return c->gap <= near || c->p[0] != 0 || plDot(c->struck[0], c->struck[0]) > 0 ||
           plDot(c->struck[1], c->struck[1]) > 0;
}

void plContacts_Keep(plContacts* c)
{
    int kept = 0;
    for (int i = 0; i < c->count; ++i) {
        const plContact* from = &c->list[i];
        if (!from->soft && !plContact_Touched(from)) continue;
        plContactRecord* to = &c->last[kept++];
        to->a = from->a, to->b = from->b;
        to->bodyA = from->bodyA, to->bodyB = from->bodyB;
        to->partA = from->siteA.part, to->partB = from->siteB.part;
        to->key = from->key;
        to->age = from->memory.age;
        to->deep = from->deep;
        memcpy(to->p, from->memory.p, sizeof to->p);
        to->gap = from->gapTick;
        to->pointA = from->siteA.point;
        to->pointB = from->siteB.point;
        to->n = from->n;
        to->at = from->at;
        plVec3 impulse = plAddScaled(from->struck[0], from->p[0], from->n);
        for (int k = 0; k < 2; ++k) impulse = plAddScaled(impulse, from->p[1 + k], from->t[k]);
        to->impulse = impulse;
        to->wall = from->memory.wall;
        to->friction = from->memory.friction;
        to->owed = from->memory.owed;
    }
    *c->lastCount = kept;
}

// --- balance

double plContact_EndGap(const plContact* c, plMechanism* const* mechanisms, plWhen when)
{
    const plSite sites[2] = {c->siteA, c->siteB};
    plVec3 x[2];
    for (int i = 0; i < 2; ++i) {
        const uint32_t index1 = sites[i].mechanism.index1;
        x[i] = index1 ? plMechanism_Point(mechanisms[index1 - 1], when, sites[i]) : sites[i].point;
    }
    return plDot(c->n, plSub(x[0], x[1]));
}

static plContactStore storedAt(plStored stored, const plContact* c, const plContactMemory* memory,
                               double gap, const double* u)
{
    const double T = memory->friction.T, slip[2] = {T * u[1], T * u[2]};
    return stored(&c->pair, memory, gap, slip);
}

double plContact_Stored(const plContact* c, plStored stored)
{
    const double none[3] = {0};
    if (!stored) return 0;
    const plContactStore s = storedAt(stored, c, &c->memory, c->gap, none);
    return s.wall + s.bristles;
}

// Damper, sliding blocks and friction lose; what the held forces give beyond them and the springs
// is the integrator's, since a wall that samples is not lossless. A wall that gave nothing, in a
// collision or by its clamp, had no damper. Friction loses what it takes beyond its bristles; where
// it gives, a body was turned round by a force that should have ended within the step, or bristles
// were sampled: the integrator again.
void plContact_Audit(const plContact* c, const plContactMemory* after,
                     plMechanism* const* mechanisms, double T, plStored stored, plEnergy* e)
{
    double taken[3];
    for (int k = 0; k < 3; ++k) taken[k] = -c->p[k] * c->mean[k];
    const double all = taken[0] + taken[1] + taken[2];
    e->rows += all;
    if (!stored) {
        e->dissipated += all;
        return;
    }
    const double end = plContact_EndGap(c, mechanisms, pl_atEnd);
    const plContactStore s0 = storedAt(stored, c, &c->memory, c->gap, c->uStart);
    const plContactStore s1 = storedAt(stored, c, after, end, c->u);
    const double mean = c->mean[0];
    const double damping = c->p[0] != 0 ? c->pair.damping : 0;
    const double rubbed = taken[1] + taken[2] - (s1.bristles - s0.bristles);
    const double lost = after->pulses ? fmax(0, all) + s1.slid
                                      : T * damping * mean * mean + s1.slid + fmax(0, rubbed);
    const double before = s0.wall + s0.bristles, later = s1.wall + s1.bristles;
    e->potential0 += before;
    e->potential1 += later;
    e->dissipated += lost;
    e->integrator += later - before - all + lost;
}
