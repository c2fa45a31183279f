// Trees of bounds, built once: cut where the surface-area estimate of the cost is least, over eight
// slices along the longest side of the items' centres; cut in the middle of the order where that
// would make the tree too deep or all centres coincide.
#include "shape/inside.h"

enum { leafItems = 4, slices = 8, deepest = plTreeDepth / 2 };

static double surface(const plBounds* b)
{
    const plVec3 s = plSub(b->hi, b->lo);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static double middle(const plBounds* b, int axis)
{
    const plVec3 m = plScale(0.5, plAdd(b->lo, b->hi));
    return axis == 0 ? m.x : axis == 1 ? m.y : m.z;
}

typedef struct {
    const plBounds* items;
    plTreeNode* nodes;
    int* order;
    int nodeCount;
} Builder;

typedef struct {
    int axis;
    double lo, width; ///< of the centres along it
} Span;

static Span spanOf(const Builder* b, const plTreeNode* node)
{
    plBounds centers = plBounds_None();
    for (int i = 0; i < node->count; i++) {
        const plBounds* item = &b->items[b->order[node->first + i]];
        centers = plBounds_Add(&centers, plScale(0.5, plAdd(item->lo, item->hi)));
    }
    const plVec3 w = plSub(centers.hi, centers.lo);
    if (w.x >= w.y && w.x >= w.z) return (Span){0, centers.lo.x, w.x};
    if (w.y >= w.z) return (Span){1, centers.lo.y, w.y};
    return (Span){2, centers.lo.z, w.z};
}

static int sliceOf(const Span* span, const plBounds* item)
{
    const int i = (int)(slices * ((middle(item, span->axis) - span->lo) / span->width));
    return i < 0 ? 0 : i >= slices ? slices - 1 : i;
}

/// The slice that begins the right side, 1 .. slices - 1.
static int bestCut(const Builder* b, const plTreeNode* node, const Span* span)
{
    plBounds bounds[slices];
    int count[slices] = {0};
    double rightCost[slices];
    for (int i = 0; i < slices; i++) bounds[i] = plBounds_None();
    for (int i = 0; i < node->count; i++) {
        const plBounds* item = &b->items[b->order[node->first + i]];
        const int s = sliceOf(span, item);
        bounds[s] = plBounds_Join(&bounds[s], item);
        count[s]++;
    }
    plBounds side = plBounds_None();
    int held = 0;
    for (int i = slices - 1; i > 0; i--) {
        side = plBounds_Join(&side, &bounds[i]);
        held += count[i];
        rightCost[i] = held > 0 ? held * surface(&side) : 0;
    }
    int best = 1;
    double least = INFINITY;
    side = plBounds_None();
    held = 0;
    for (int i = 1; i < slices; i++) {
        side = plBounds_Join(&side, &bounds[i - 1]);
        held += count[i - 1];
        if (held == 0 || held == node->count) continue;
        const double cost = held * surface(&side) + rightCost[i];
        if (cost < least) least = cost, best = i;
    }
    return best;
}

/// Moves the items of the left side to the front; how many they are.
static int split(Builder* b, const plTreeNode* node, int depth)
{
    const Span span = spanOf(b, node);
    // Halving from here on reaches leaves within the other half of the depth.
    if (depth >= deepest || !(span.width > 0)) return node->count / 2;
    const int cut = bestCut(b, node, &span);
    int* order = b->order + node->first;
    int left = 0;
    for (int i = 0; i < node->count; i++) {
        if (sliceOf(&span, &b->items[order[i]]) >= cut) continue;
        const int moved = order[i];
        order[i] = order[left];
        order[left++] = moved;
    }
    return left > 0 && left < node->count ? left : node->count / 2;
}

static void grow(Builder* b, int index, int depth)
{
    plTreeNode* node = &b->nodes[index];
    node->bounds = plBounds_None();
    for (int i = 0; i < node->count; i++) {
        node->bounds = plBounds_Join(&node->bounds, &b->items[b->order[node->first + i]]);
    }
    if (node->count <= leafItems) return;
    const int left = split(b, node, depth), children = b->nodeCount;
    b->nodeCount += 2;
    b->nodes[children] = (plTreeNode){.first = node->first, .count = left};
    b->nodes[children + 1] = (plTreeNode){.first = node->first + left, .count = node->count - left};
    node->first = children;
    node->count = 0;
    grow(b, children, depth + 1);
    grow(b, children + 1, depth + 1);
}

int plTree_Build(const plBounds* items, int count, plTreeNode* nodes, int* order)
{
    Builder b = {.items = items, .nodes = nodes, .order = order, .nodeCount = 1};
    for (int i = 0; i < count; i++) order[i] = i;
    nodes[0] = (plTreeNode){.first = 0, .count = count};
    grow(&b, 0, 0);
    return b.nodeCount;
}

void plMesh_Visit(const plMesh* m, const plBounds* bounds, bool (*visit)(void* self, int triangle),
                  void* self)
{
    int stack[plTreeDepth + 1], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const plTreeNode* node = &m->nodes[stack[--count]];
        if (!plBounds_Meet(&node->bounds, bounds)) continue;
        if (node->count == 0) {
            stack[count++] = node->first + 1;
            stack[count++] = node->first;
        }
        for (int i = 0; i < node->count; i++) {
            if (!visit(self, m->order[node->first + i])) return;
        }
    }
}
