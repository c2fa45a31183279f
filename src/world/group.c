// Groups: mechanisms joined by links, numbered by their first member. Joining is a forest with path
// halving; the lists that a tick walks are sorted anew when something was added.
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

void plGroups_Sort(plWorld* w)
{
    if (!w->groupsStale) return;
    w->groupsStale = false;
    w->groupCount = 0;
    for (int i = 0; i < w->mechanismCount; ++i) { // a root comes before its members
        const int root = rootOf(w->groupParent, i);
        w->groupOf[i] = root == i ? w->groupCount++ : w->groupOf[root];
    }
    const size_t bytes = (size_t)(w->groupCount + 1) * sizeof(int);
    memset(w->mechanismFirst, 0, bytes);
    memset(w->linkFirst, 0, bytes);
    for (int i = 0; i < w->mechanismCount; ++i) ++w->mechanismFirst[w->groupOf[i] + 1];
    for (int i = 0; i < w->linkCount; ++i) ++w->linkFirst[groupOfLink(w, &w->links[i]) + 1];
    begins(w->mechanismFirst, w->groupCount);
    begins(w->linkFirst, w->groupCount);
    for (int i = 0; i < w->mechanismCount; ++i) {
        w->mechanismList[w->mechanismFirst[w->groupOf[i]]++] = i;
    }
    for (int i = 0; i < w->linkCount; ++i) {
        w->linkList[w->linkFirst[groupOfLink(w, &w->links[i])]++] = i;
    }
    rewind1(w->mechanismFirst, w->groupCount);
    rewind1(w->linkFirst, w->groupCount);
}

plGroup plGroups_At(const plWorld* w, int g)
{
    return (plGroup){.mechanisms = w->mechanisms,
                     .links = w->links,
                     .mechanismList = &w->mechanismList[w->mechanismFirst[g]],
                     .linkList = &w->linkList[w->linkFirst[g]],
                     .mechanismCount = w->mechanismFirst[g + 1] - w->mechanismFirst[g],
                     .linkCount = w->linkFirst[g + 1] - w->linkFirst[g]};
}
