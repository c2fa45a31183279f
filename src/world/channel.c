// Channels: scalars of a world by name.
#include "world/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    ofWorld,     ///< index: worldNames
    ofMechanism, ///< account entry, index: accountNames
    ofLink,
    ofContacts,
    state,    ///< of a mechanism
    position, ///< index
    velocity,
    place, ///< part, index 0..2
    force  ///< index
} Kind;

static const char* const worldNames[] = {"time",     "step",   "gap",     "level",     "trouble",
                                         "contacts", "active", "sliding", "colliding", "iterations",
                                         "defect",   "depth",  "tank"};
static const char* const accountNames[] = {"energy", "kinetic",    "potential",  "applied",
                                           "rows",   "dissipated", "integrator", "leak",
                                           "drift",  "residual"};
enum { worldCount = PL_COUNT(worldNames), accountCount = PL_COUNT(accountNames) };

static double entry(const plAccount* a, int i)
{
    const double values[accountCount] = {a->kinetic + a->potential,
                                         a->kinetic,
                                         a->potential,
                                         a->applied,
                                         a->rows,
                                         a->dissipated,
                                         a->integrator,
                                         a->leak,
                                         a->drift,
                                         a->residual};
    return values[i];
}

static int find(const char* name, const char* const* names, int count)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) return i;
    }
    return -1;
}

// "q[3]" with letter q: 3; else -1.
static int indexed(const char* text, const char* stem, int count)
{
    const size_t length = strlen(stem);
    char* end;
    if (strncmp(text, stem, length) != 0 || text[length] != '[') return -1;
    if (text[length + 1] < '0' || text[length + 1] > '9') return -1;
    const long i = strtol(text + length + 1, &end, 10);
    return strcmp(end, "]") == 0 && i < count ? (int)i : -1;
}

static int axisOf(const char* text) { return find(text, (const char* const[]){"x", "y", "z"}, 3); }

static bool mechanismChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    const plMechanism* m = w->mechanisms[owner];
    *c = (plChannel){.owner = owner};
    if ((c->index = find(rest, accountNames, accountCount)) >= 0) {
        c->kind = ofMechanism;
        return true;
    }
    c->kind = state;
    if (strcmp(rest, "state") == 0) return true;
    c->kind = position;
    if ((c->index = indexed(rest, "q", plMechanism_Positions(m))) >= 0) return true;
    c->kind = velocity;
    if ((c->index = indexed(rest, "v", plMechanism_Velocities(m))) >= 0) return true;
    c->kind = place;
    for (int part = 0; part < plMechanism_Parts(m); ++part) {
        const char* name = plMechanism_PartName(m, part);
        const size_t length = name ? strlen(name) : 0;
        if (name && (strncmp(rest, name, length) != 0 || rest[length] != '.')) continue;
        c->part = part;
        c->index = axisOf(name ? rest + length + 1 : rest);
        if (c->index >= 0) return true;
    }
    return false;
}

static bool linkChannel(const plWorld* w, int owner, const char* rest, plChannel* c)
{
    *c = (plChannel){.kind = ofLink, .owner = owner};
    if ((c->index = find(rest, accountNames, accountCount)) >= 0) return true;
    c->kind = force;
    return (c->index = indexed(rest, "force", w->links[owner].rowCount)) >= 0;
}

plStatus plWorld_FindChannel(const plWorld* w, const char* name, plChannel* c)
{
    const char* dot = strchr(name, '.');
    char owner[32];
    *c = (plChannel){.kind = ofWorld};
    if (!dot) {
        c->index = find(name, worldNames, worldCount);
        if (c->index >= 0) return pl_statusOk;
        c->index = find(name, accountNames, accountCount);
        if (c->index < 0) return pl_statusNotFound;
        c->index += worldCount;
        return pl_statusOk;
    }
    const size_t length = (size_t)(dot - name);
    if (length >= sizeof owner) return pl_statusNotFound;
    memcpy(owner, name, length);
    owner[length] = 0;
    plMechanismId mechanism;
    plLinkId link;
    if (strcmp(owner, "contacts") == 0) {
        *c = (plChannel){.kind = ofContacts, .index = find(dot + 1, accountNames, accountCount)};
        return c->index >= 0 ? pl_statusOk : pl_statusNotFound;
    }
    if (plWorld_FindMechanism(w, owner, &mechanism) == pl_statusOk) {
        const bool found = mechanismChannel(w, (int)mechanism.index1 - 1, dot + 1, c);
        return found ? pl_statusOk : pl_statusNotFound;
    }
    if (plWorld_FindLink(w, owner, &link) == pl_statusOk) {
        return linkChannel(w, (int)link.index1 - 1, dot + 1, c) ? pl_statusOk : pl_statusNotFound;
    }
    return pl_statusNotFound;
}

static double worldValue(const plWorld* w, int i)
{
    if (i >= worldCount) return entry(&w->now->total, i - worldCount);
    const plStepReport* r = &w->report;
    const double values[worldCount] = {
        w->now->time, w->now->T,    r->gap,        r->level,    r->trouble, r->contacts, r->active,
        r->sliding,   r->colliding, r->iterations, r->residual, r->depth,   w->now->tank};
    return values[i];
}

double plWorld_ReadChannel(const plWorld* w, plChannel c)
{
    switch ((Kind)c.kind) {
    case ofWorld:
        return worldValue(w, c.index);
    case ofMechanism:
        return entry(&w->mechanismOwners[c.owner].account, c.index);
    case ofLink:
        return entry(&w->linkOwners[c.owner].account, c.index);
    case ofContacts:
        return entry(&w->now->contacts, c.index);
    case state:
        return w->contactStates[c.owner];
    case position:
        return plMechanism_Q(w->mechanisms[c.owner])[c.index];
    case velocity:
        return plMechanism_V(w->mechanisms[c.owner])[c.index];
    case place: {
        const plSite site = {.part = c.part};
        const plVec3 x = plMechanism_Frame(w->mechanisms[c.owner], pl_atStart, site).x;
        return c.index == 0 ? x.x : c.index == 1 ? x.y : x.z;
    }
    case force:
        return w->now->T > 0 ? w->links[c.owner].impulse[c.index] / w->now->T : 0;
    }
    return 0;
}

// --- listing

static int mechanismNames(const plWorld* w, int owner, int i, char* name, size_t size)
{
    const plMechanism* m = w->mechanisms[owner];
    const int positions = plMechanism_Positions(m), velocities = plMechanism_Velocities(m);
    const char* own = plMechanism_Name(m);
    if (i < accountCount) return snprintf(name, size, "%s.%s", own, accountNames[i]);
    i -= accountCount;
    if (i == 0) return snprintf(name, size, "%s.state", own);
    i -= 1;
    if (i < positions) return snprintf(name, size, "%s.q[%d]", own, i);
    i -= positions;
    if (i < velocities) return snprintf(name, size, "%s.v[%d]", own, i);
    i -= velocities;
    if (i >= 3 * plMechanism_Parts(m)) return 0;
    const char* part = plMechanism_PartName(m, i / 3);
    return snprintf(name, size, "%s%s%s.%c", own, part ? "." : "", part ? part : "", "xyz"[i % 3]);
}

static int mechanismChannels(const plMechanism* m)
{
    return accountCount + 1 + plMechanism_Positions(m) + plMechanism_Velocities(m) +
           3 * plMechanism_Parts(m);
}

int plWorld_ChannelName(const plWorld* w, int i, char* name, size_t size)
{
    if (i < 0) return 0;
    if (i < worldCount) return snprintf(name, size, "%s", worldNames[i]);
    i -= worldCount;
    if (i < accountCount) return snprintf(name, size, "%s", accountNames[i]);
    i -= accountCount;
    if (i < accountCount) return snprintf(name, size, "contacts.%s", accountNames[i]);
    i -= accountCount;
    for (int m = 0; m < w->mechanismCount; ++m) {
        const int count = mechanismChannels(w->mechanisms[m]);
        if (i < count) return mechanismNames(w, m, i, name, size);
        i -= count;
    }
    for (int l = 0; l < w->linkCount; ++l) {
        const plLink* link = &w->links[l];
        if (i < accountCount) return snprintf(name, size, "%s.%s", link->name, accountNames[i]);
        i -= accountCount;
        if (i < link->rowCount) return snprintf(name, size, "%s.force[%d]", link->name, i);
        i -= link->rowCount;
    }
    return 0;
}
