// Groups: mechanisms joined by links and by the contacts of a tick, numbered by their first member.
// Joining is a forest with path halving; the lists that a tick walks are sorted anew when something
// was added, and in every tick of a world with shapes.
#include "world/inside.h"

#include <string.h>

static int rootOf(int* parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

void plGroups_Enter(plWorld* w, int mechanism)
{
    w->groupParent[mechanism] = mechanism;
    w->groupRows[mechanism] = 0;
    w->groupsStale = true;
}

bool plGroups_Join(plWorld* w, const plLink* link)
{
    const uint32_t a1 = link->a.mechanism.index1, b1 = link->b.mechanism.index1;
    const int a = rootOf(w->groupParent, (int)(a1 ? a1 : b1) - 1);
    const int b = rootOf(w->groupParent, (int)(b1 ? b1 : a1) - 1);
    const int rows = w->groupRows[a] + (a == b ? 0 : w->groupRows[b]) + link->rowCount;
    if (rows > w->def.capacity.rows) return false;
    const int root = a < b ? a : b;
    w->groupParent[a] = w->groupParent[b] = root;
    w->groupRows[root] = rows;
    w->groupsStale = true;
    return true;
}

// Anew, after a link has let go or taken something else. False: it has too many rows now.
bool plGroups_Rebuild(plWorld* w)
{
    bool good = true;
    for (int i = 0; i < w->mechanismCount; ++i) plGroups_Enter(w, i);
    for (int i = 0; i < w->linkCount; ++i) {
        if (!w->links[i].idle) good = plGroups_Join(w, &w->links[i]) && good;
    }
    return good;
}

static int groupOfLink(const plWorld* w, const plLink* link)
{
    const uint32_t a1 = link->a.mechanism.index1, b1 = link->b.mechanism.index1;
    return w->groupOf[(a1 ? a1 : b1) - 1];
}

// first[g + 1] counts the members of g: sums them up to where each group begins.
static void begins(int* first, int groups)
{
    for (int g = 0; g < groups; ++g) first[g + 1] += first[g];
}

// After filling, first[g] has moved to the end of g: back by one group.
static void rewind1(int* first, int groups)
{
    for (int g = groups; g > 0; --g) first[g] = first[g - 1];
    first[0] = 0;
}

static int mechanismOf(const plContact* c)
{
    const uint32_t a1 = c->siteA.mechanism.index1, b1 = c->siteB.mechanism.index1;
    return (int)(a1 ? a1 : b1) - 1;
}

bool plGroups_Yields(const plWorld* w, plSite site)
{
    const uint32_t index1 = site.mechanism.index1;
    return index1 && plMechanism_Traits(w->mechanisms[index1 - 1])->yields;
}

// Walls push a frame that cannot yield, too, and the hand that holds it directly feels them.
static bool isFelt(const plWorld* w, plSite site)
{
    for (int i = 0; i < w->couplingCount && w->law->stored; ++i) {
        const plCoupling* c = &w->couplings[i].coupling;
        if (!c->ops->traits.isTool || site.mechanism.index1 == 0) continue;
        if (c->def.tool.mechanism.index1 == site.mechanism.index1) return true;
    }
    return false;
}

static bool matters(const plWorld* w, plSite site)
{
    return plGroups_Yields(w, site) || isFelt(w, site);
}

// A group with links is limited in rows: a contact that would make it too large is left out.
static bool joinContact(plWorld* w, const plContact* c)
{
    const int first = mechanismOf(c), second = (int)c->siteB.mechanism.index1 - 1;
    const int a = rootOf(w->liveParent, first);
    const int b = second >= 0 ? rootOf(w->liveParent, second) : a;
    const int rows = w->liveRows[a] + (a == b ? 0 : w->liveRows[b]);
    const int contacts = w->liveContacts[a] + (a == b ? 0 : w->liveContacts[b]) + 1;
    if (!plSystem_HasRoom(&w->system, rows, contacts)) return false;
    const int root = a < b ? a : b;
    w->liveParent[a] = w->liveParent[b] = root;
    w->liveRows[root] = rows;
    w->liveContacts[root] = contacts;
    return true;
}

static void joinContacts(plWorld* w)
{
    const size_t bytes = (size_t)w->mechanismCount * sizeof(int);
    memcpy(w->liveParent, w->groupParent, bytes);
    memcpy(w->liveRows, w->groupRows, bytes);
    memset(w->liveContacts, 0, bytes);
    int kept = 0;
    for (int i = 0; i < w->contacts.count; ++i) {
        plContact* c = &w->contacts.list[i];
        if (!matters(w, c->siteA) && !matters(w, c->siteB)) continue; // nothing to be done about it
        if (!joinContact(w, c)) {
            w->report.trouble |= pl_troubleContactsFull;
            continue;
        }
        if (kept != i) w->contacts.list[kept] = *c;
        ++kept;
    }
    w->contacts.count = kept;
}

static int groupOfContact(const plWorld* w, int i)
{
    return w->groupOf[mechanismOf(&w->contacts.list[i])];
}

void plGroups_Sort(plWorld* w)
{
    w->system.thins = w->law && w->law->thin; // others want their W dense in small groups
    if (!w->groupsStale && w->shapeCount == 0) return;
    w->groupsStale = false;
    w->groupCount = 0;
    joinContacts(w);
    for (int i = 0; i < w->mechanismCount; ++i) { // a root comes before its members
        w->groupOf[i] = -1;
        if (plMechanism_IsVacant(w->mechanisms[i])) continue;
        const int root = rootOf(w->liveParent, i);
        w->groupOf[i] = root == i ? w->groupCount++ : w->groupOf[root];
    }
    const size_t bytes = (size_t)(w->groupCount + 1) * sizeof(int);
    const int contacts = w->contacts.count;
    memset(w->mechanismFirst, 0, bytes);
    memset(w->linkFirst, 0, bytes);
    memset(w->contactFirst, 0, bytes);
    for (int i = 0; i < w->mechanismCount; ++i) {
        if (w->groupOf[i] >= 0) ++w->mechanismFirst[w->groupOf[i] + 1];
    }
    for (int i = 0; i < w->linkCount; ++i) {
        if (!w->links[i].idle) ++w->linkFirst[groupOfLink(w, &w->links[i]) + 1];
    }
    for (int i = 0; i < contacts; ++i) ++w->contactFirst[groupOfContact(w, i) + 1];
    begins(w->mechanismFirst, w->groupCount);
    begins(w->linkFirst, w->groupCount);
    begins(w->contactFirst, w->groupCount);
    for (int i = 0; i < w->mechanismCount; ++i) {
        if (w->groupOf[i] >= 0) w->mechanismList[w->mechanismFirst[w->groupOf[i]]++] = i;
    }
    for (int i = 0; i < w->linkCount; ++i) {
        if (!w->links[i].idle) w->linkList[w->linkFirst[groupOfLink(w, &w->links[i])]++] = i;
    }
    for (int i = 0; i < contacts; ++i) w->contactList[w->contactFirst[groupOfContact(w, i)]++] = i;
    rewind1(w->mechanismFirst, w->groupCount);
    rewind1(w->linkFirst, w->groupCount);
    rewind1(w->contactFirst, w->groupCount);
}

plGroup plGroups_At(const plWorld* w, int g)
{
    return (plGroup){.mechanisms = w->mechanisms,
                     .links = w->links,
                     .contacts = w->contacts.list,
                     .mechanismList = &w->mechanismList[w->mechanismFirst[g]],
                     .linkList = &w->linkList[w->linkFirst[g]],
                     .contactList = &w->contactList[w->contactFirst[g]],
                     .mechanismCount = w->mechanismFirst[g + 1] - w->mechanismFirst[g],
                     .linkCount = w->linkFirst[g + 1] - w->linkFirst[g],
                     .contactCount = w->contactFirst[g + 1] - w->contactFirst[g]};
}
