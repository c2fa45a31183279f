// The tree of bounds of the global level. A leaf goes where it adds least surface (the estimate of
// what a query costs); on the way back up, a node whose children differ in height by more than one
// is turned, as in an AVL tree, so the height stays below 1.44 log2 of the leaves.
#include "collide/tree.h"

enum { stackSize = 64 }; // height of a tree of 2^31 leaves is below 45

void plBranches_Clear(plBranches* t, plBranch* nodes, int capacity)
{
    t->root = plNoNode;
    t->firstFree = capacity > 0 ? 0 : plNoNode;
    for (int i = 0; i < capacity; i++) {
        nodes[i] = (plBranch){.parent = i + 1 < capacity ? i + 1 : plNoNode};
    }
}

static int takeNode(plBranches* t, plBranch* nodes)
{
    const int node = t->firstFree;
    PL_ASSERT(node != plNoNode); // 2 nodes for each leaf are enough
    t->firstFree = nodes[node].parent;
    return node;
}

static void freeNode(plBranches* t, plBranch* nodes, int node)
{
    nodes[node] = (plBranch){.parent = t->firstFree};
    t->firstFree = node;
}

static double surface(const plBounds* b)
{
    const plVec3 s = plSub(b->hi, b->lo);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static double joined(const plBounds* a, const plBounds* b)
{
    const plBounds both = plBounds_Join(a, b);
    return surface(&both);
}

static void update(plBranch* nodes, int node)
{
    plBranch* n = &nodes[node];
    const plBranch* l = &nodes[n->child[0]];
    const plBranch* r = &nodes[n->child[1]];
    n->bounds = plBounds_Join(&l->bounds, &r->bounds);
    n->height = 1 + (l->height > r->height ? l->height : r->height);
}

static void replaceChild(plBranches* t, plBranch* nodes, int parent, int from, int to)
{
    nodes[to].parent = parent;
    if (parent == plNoNode) {
        t->root = to;
    } else {
        nodes[parent].child[nodes[parent].child[1] == from] = to;
    }
}

/// Turns the higher child c of a node up: c takes its place and keeps its own higher child, the
/// node takes the other one. Returns the node that is now on top.
static int turn(plBranches* t, plBranch* nodes, int node)
{
    const int l = nodes[node].child[0], r = nodes[node].child[1];
    const int tilt = nodes[r].height - nodes[l].height;
    if (tilt >= -1 && tilt <= 1) return node;
    const int side = tilt > 1, c = nodes[node].child[side];
    const int* grand = nodes[c].child;
    const int high = nodes[grand[1]].height > nodes[grand[0]].height;
    const int keep = grand[high], give = grand[1 - high];
    replaceChild(t, nodes, nodes[node].parent, node, c);
    nodes[c].child[0] = keep;
    nodes[c].child[1] = node;
    nodes[node].parent = c;
    nodes[node].child[side] = give;
    nodes[give].parent = node;
    update(nodes, node);
    update(nodes, c);
    return c;
}

static void repair(plBranches* t, plBranch* nodes, int node)
{
    while (node != plNoNode) {
        node = turn(t, nodes, node);
        update(nodes, node);
        node = nodes[node].parent;
    }
}

/// The node beside which the leaf adds least surface: down the cheaper child, until a new parent
/// here is cheaper than going on.
static int findPlace(const plBranches* t, const plBranch* nodes, const plBounds* b)
{
    int at = t->root;
    while (nodes[at].height > 0) {
        const double grown = joined(&nodes[at].bounds, b);
        const double here = 2 * grown, inherited = 2 * (grown - surface(&nodes[at].bounds));
        double cost[2];
        for (int k = 0; k < 2; k++) {
            const plBranch* c = &nodes[nodes[at].child[k]];
            const double own = c->height == 0 ? 0 : surface(&c->bounds);
            cost[k] = inherited + joined(&c->bounds, b) - own;
        }
        if (here < cost[0] && here < cost[1]) break;
        at = nodes[at].child[cost[1] < cost[0]];
    }
    return at;
}

int plBranches_Insert(plBranches* t, plBranch* nodes, const plBounds* b, int item)
{
    const int leaf = takeNode(t, nodes);
    nodes[leaf] =
        (plBranch){.bounds = *b, .parent = plNoNode, .child = {plNoNode, plNoNode}, .item = item};
    if (t->root == plNoNode) {
        t->root = leaf;
        return leaf;
    }
    const int beside = findPlace(t, nodes, b), parent = takeNode(t, nodes);
    nodes[parent] = (plBranch){.child = {beside, leaf}, .item = -1};
    replaceChild(t, nodes, nodes[beside].parent, beside, parent);
    nodes[beside].parent = nodes[leaf].parent = parent;
    repair(t, nodes, parent);
    return leaf;
}

void plBranches_Remove(plBranches* t, plBranch* nodes, int leaf)
{
    const int parent = nodes[leaf].parent;
    if (parent == plNoNode) {
        t->root = plNoNode;
    } else {
        const int sibling = nodes[parent].child[nodes[parent].child[0] == leaf];
        const int above = nodes[parent].parent;
        replaceChild(t, nodes, above, parent, sibling);
        freeNode(t, nodes, parent);
        repair(t, nodes, above);
    }
    freeNode(t, nodes, leaf);
}

void plBranches_Visit(const plBranches* t, const plBranch* nodes, const plBounds* b,
                      void (*visit)(void* self, int item), void* self)
{
    int stack[stackSize], count = 0;
    if (t->root != plNoNode) stack[count++] = t->root;
    while (count > 0) {
        const plBranch* n = &nodes[stack[--count]];
        if (!plBounds_Meet(&n->bounds, b)) continue;
        if (n->height == 0) {
            visit(self, n->item);
        } else {
            stack[count++] = n->child[1];
            stack[count++] = n->child[0];
        }
    }
}
