// Contacts that the trial of a group has and its list has not: features that come together within the step, and were too
// far for the list.
#include "world/inside.h"

#include <string.h>

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

// The groups of all shapes: twice their number, and one more where they yield; -1: the ground.
static void findShapeGroups(plWorld* w)
{
    for (int i = 0; i < w->shapeCount; ++i) {
        const plSite site = w->carriers[i].site;
        const int m = (int)site.mechanism.index1 - 1;
        w->shapeGroups[i] = m < 0 ? -1 : 2 * w->groupOf[m] + plGroups_Yields(w, site);
    }
}

// The group that has both shapes, or the one that is not the ground; -1: none, or neither can move.
static int groupOfPair(const plWorld* w, int pair)
{
    const plProxyPair p = plCollide_Pair(w->collide, pair);
    const int a = w->shapeGroups[p.a], b = w->shapeGroups[p.b];
    const bool yields = (a >= 0 && a % 2 == 1) || (b >= 0 && b % 2 == 1);
    if (!yields || (a >= 0 && b >= 0 && a / 2 != b / 2)) return -1;
    return (a >= 0 ? a : b) / 2;
}

static void sortPairs(plWorld* w)
{
    const int pairs = plCollide_PairCount(w->collide);
    int* first = w->pairFirst;
    if (w->pairsSorted) return;
    w->pairsSorted = true;
    findShapeGroups(w);
    memset(first, 0, (size_t)(w->groupCount + 1) * sizeof(int));
    for (int i = 0; i < pairs; ++i) {
        const int g = groupOfPair(w, i);
        if (g >= 0) ++first[g + 1];
    }
    for (int g = 0; g < w->groupCount; ++g) first[g + 1] += first[g];
    for (int i = 0; i < pairs; ++i) {
        const int g = groupOfPair(w, i);
        if (g >= 0) w->pairList[first[g]++] = i;
    }
    for (int g = w->groupCount; g > 0; --g) first[g] = first[g - 1];
    first[0] = 0;
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
    plShapes_Steady(w, c, w->report.T);
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

// A shape in the trial.
typedef struct {
    int shape;
    const plFrame* frame; ///< of its carrier
    double moved;         ///< by at most that since the start [m]
} Mover;

static void setMover(const plWorld* w, int shape, Mover* m)
{
    if (shape == m->shape || !w->shapes[shape]) return;
    m->shape = shape;
    m->frame = trialFrame(w, w->carriers[shape].site);
    m->moved = plCollide_Moved(w->collide, shape, m->frame);
}

// What is deep among the touches found of a pair, and is not listed.
static int addTouches(plWorld* w, plGroup* g, int pair, double deep)
{
    const plProxyPair shapes = plCollide_Pair(w->collide, pair);
    int found = 0;
    if (!isPairOf(w, g, w->carriers[shapes.a].site, w->carriers[shapes.b].site)) return 0;
    for (int k = 0; k < w->found.count; ++k) {
        plTouch touch = {shapes.a, shapes.b, w->found.points[k]};
        if (touch.p.gap >= -deep || isListed(g, &touch, w->carriers, deep)) continue;
        plCollide_CameThrough(w->collide, pair, &touch.p);
        found += addFound(w, g, &touch, deep);
    }
    return found;
}

// Features that come together within the step, and were too far for the list: a corner that swings in over a
// face, an edge that slides over another.
int plShapes_Search(plWorld* w, plGroup* g)
{
    const double deep = 1e-8; // [m]
    const int group = w->groupOf[g->mechanismList[0]];
    Mover a = {.shape = -1}, b = {.shape = -1}; // pairs are sorted: the same shape comes again
    plBudget_Spend(&w->work.budget, plShapes_Cost(w));
    int found = searchSkins(w, g, deep);
    const bool only = w->groupCount == 1; // it has all pairs
    if (!only) sortPairs(w);
    const int first = only ? 0 : w->pairFirst[group];
    const int end = only ? plCollide_PairCount(w->collide) : w->pairFirst[group + 1];
    for (int k = first; k < end; ++k) {
        const int i = only ? k : w->pairList[k];
        const plProxyPair pair = plCollide_Pair(w->collide, i);
        setMover(w, pair.a, &a);
        setMover(w, pair.b, &b);
        if (!plCollide_Look(w->collide, i, a.frame, b.frame, a.moved + b.moved, 0, &w->found))
            continue;
        if (w->found.count > 0) found += addTouches(w, g, i, deep);
    }
    return found;
}
