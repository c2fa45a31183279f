// Skins as they are added: edges, faces around points, tree; and the tree's bounds at every new
// shape. The tree is cut in the middle of the faces' order along the longest side of their centres,
// so it is as flat as can be; it is made once, from the points at that time, and serves as long as
// neighbours stay neighbours.
#include "collide/skin_inside.h"

#include <string.h>

enum { leafFaces = 4 };

// --- room

static int lower(int a, int b) { return a < b ? a : b; }

// A leaf holds at least two faces, unless it is the only one: no more nodes than faces.
size_t plSkins_Memory(int capacity, int faceCount, int pointCount)
{
    const size_t faces = (size_t)faceCount, points = (size_t)pointCount, round = 64;
    const size_t bodies = (size_t)lower(capacity, faceCount);
    if (faces == 0) return 0;
    return 14 * round + bodies * (sizeof(plSkinBody) + sizeof(int)) +
           faces * (3 * sizeof(plSkinEdge) + sizeof(plSkinNode) + 7 * sizeof(int) +
                    3 * sizeof(uint64_t) + 2 * sizeof(plBounds)) +
           points * (2 * sizeof(plVec3) + sizeof(int) + sizeof(uint64_t) + sizeof(plSkinSpot));
}

void plSkins_Create(plSkins* k, int capacity, int faceCount, int pointCount, plArena* arena,
                    plArena* state)
{
    const size_t faces = (size_t)faceCount, points = (size_t)pointCount;
    plSkinBody* p = &k->pool;
    *k = (plSkins){.capacity = lower(capacity, faceCount),
                   .faceCapacity = faceCount,
                   .pointCapacity = pointCount};
    if (faceCount == 0) return;
    k->bodies = plArena_Alloc(arena, (size_t)k->capacity, sizeof *k->bodies);
    p->edges = plArena_Alloc(arena, 3 * faces, sizeof *p->edges);
    p->edgeOf = plArena_Alloc(arena, 3 * faces, sizeof *p->edgeOf);
    p->first = plArena_Alloc(arena, points + (size_t)k->capacity, sizeof *p->first);
    p->around = plArena_Alloc(arena, 3 * faces, sizeof *p->around);
    p->nodes = plArena_Alloc(arena, faces, sizeof *p->nodes);
    p->order = plArena_Alloc(arena, faces, sizeof *p->order);
    p->x = plArena_Alloc(state, points, sizeof *p->x);
    p->bounds = plArena_Alloc(state, faces, sizeof *p->bounds);
    p->xElse = plArena_Alloc(arena, points, sizeof *p->xElse);
    p->boundsElse = plArena_Alloc(arena, faces, sizeof *p->boundsElse);
    p->pointMarks = plArena_Alloc(arena, points, sizeof *p->pointMarks);
    p->edgeMarks = plArena_Alloc(arena, 3 * faces, sizeof *p->edgeMarks);
    p->spots = plArena_Alloc(arena, points, sizeof *p->spots);
}

static plSkinBody takeParts(const plSkins* k, const plSkinDef* skin)
{
    const plSkinBody* p = &k->pool;
    const size_t faces = (size_t)k->faceCount, points = (size_t)k->pointCount;
    return (plSkinBody){.skin = skin,
                        .edges = p->edges + 3 * faces,
                        .edgeOf = p->edgeOf + 3 * faces,
                        .first = p->first + points + k->count,
                        .around = p->around + 3 * faces,
                        .nodes = p->nodes + faces,
                        .order = p->order + faces,
                        .x = p->x + points,
                        .bounds = p->bounds + faces,
                        .xElse = p->xElse + points,
                        .boundsElse = p->boundsElse + faces,
                        .pointMarks = p->pointMarks + points,
                        .edgeMarks = p->edgeMarks + 3 * faces,
                        .spots = p->spots + points};
}

// --- edges

static bool edgeBefore(const plSkinEdge* e, const plSkinEdge* f)
{
    if (e->p[0] != f->p[0]) return e->p[0] < f->p[0];
    return e->p[1] != f->p[1] ? e->p[1] < f->p[1] : e->face[0] < f->face[0];
}

static void sinkEdge(plSkinEdge* heap, int i, int count)
{
    const plSkinEdge e = heap[i];
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && edgeBefore(&heap[child], &heap[child + 1])) child++;
        if (!edgeBefore(&e, &heap[child])) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = e;
}

static void sortEdges(plSkinEdge* edges, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) sinkEdge(edges, i, count);
    for (int last = count - 1; last > 0; last--) {
        const plSkinEdge top = edges[0];
        edges[0] = edges[last];
        edges[last] = top;
        sinkEdge(edges, 0, last);
    }
}

/// Every edge once. Where more than two faces meet, two of them share one.
static void findEdges(plSkinBody* s)
{
    const int* v = s->skin->faces;
    const int count = 3 * s->skin->faceCount;
    for (int i = 0; i < count; i++) {
        const int p = v[i], q = v[i % 3 == 2 ? i - 2 : i + 1];
        s->edges[i] = (plSkinEdge){{p < q ? p : q, p < q ? q : p}, {i / 3, i % 3}};
    }
    sortEdges(s->edges, count);
    for (int i = 0; i < count; i++) {
        const plSkinEdge e = s->edges[i]; // its second face is the corner, until it is put down
        plSkinEdge* last = s->edgeCount > 0 ? &s->edges[s->edgeCount - 1] : NULL;
        const bool same = last && last->p[0] == e.p[0] && last->p[1] == e.p[1];
        if (same && last->face[1] < 0)
            last->face[1] = e.face[0];
        else
            s->edges[s->edgeCount++] = (plSkinEdge){{e.p[0], e.p[1]}, {e.face[0], -1}};
        s->edgeOf[3 * e.face[0] + e.face[1]] = s->edgeCount - 1;
    }
}

static void findAround(plSkinBody* s)
{
    const plSkinDef* k = s->skin;
    for (int i = 0; i <= k->pointCount; i++) s->first[i] = 0;
    for (int i = 0; i < 3 * k->faceCount; i++) s->first[k->faces[i]]++;
    for (int i = 0, sum = 0; i <= k->pointCount; i++) {
        sum += s->first[i];
        s->first[i] = sum;
    }
    // From the back: every count becomes the start of its own.
    for (int i = 3 * k->faceCount - 1; i >= 0; i--) s->around[--s->first[k->faces[i]]] = i / 3;
}

// --- tree

static double middleOf(const plSkinBody* s, int face, int axis)
{
    const int* v = &s->skin->faces[3 * face];
    const plVec3 m = plAdd(s->x[v[0]], plAdd(s->x[v[1]], s->x[v[2]]));
    return axis == 0 ? m.x : axis == 1 ? m.y : m.z;
}

static int longestAxis(const plSkinBody* s, int first, int count)
{
    plBounds b = plBounds_None();
    for (int i = first; i < first + count; i++) {
        const int f = s->order[i];
        b = plBounds_Add(&b, plVec(middleOf(s, f, 0), middleOf(s, f, 1), middleOf(s, f, 2)));
    }
    const plVec3 w = plSub(b.hi, b.lo);
    return w.x >= w.y && w.x >= w.z ? 0 : w.y >= w.z ? 1 : 2;
}

/// Puts the `rank` faces of lowest middles in front (Hoare 1961).
static void selectLowest(plSkinBody* s, int first, int count, int rank, int axis)
{
    int lo = first, hi = first + count - 1;
    const int k = first + rank;
    while (lo < hi) {
        const double pivot = middleOf(s, s->order[(lo + hi) / 2], axis);
        int i = lo, j = hi;
        while (i <= j) {
            while (middleOf(s, s->order[i], axis) < pivot) i++;
            while (middleOf(s, s->order[j], axis) > pivot) j--;
            if (i > j) break;
            const int face = s->order[i];
            s->order[i++] = s->order[j];
            s->order[j--] = face;
        }
        if (k > j) lo = i;
        if (k < i) hi = j;
    }
}

static void grow(plSkinBody* s, int first, int count)
{
    plSkinNode* node = &s->nodes[s->nodeCount++];
    *node = (plSkinNode){.first = first, .count = count};
    if (count > leafFaces) {
        selectLowest(s, first, count, count / 2, longestAxis(s, first, count));
        node->count = 0;
        grow(s, first, count / 2);
        grow(s, first + count / 2, count - count / 2);
    }
    node->skip = s->nodeCount;
}

static double lowest(double a, double b, double c) { return plLower(a, plLower(b, c)); }
static double highest(double a, double b, double c) { return plHigher(a, plHigher(b, c)); }

plBounds plSkin_FaceBounds(const plSkinBody* s, int face)
{
    const int* v = &s->skin->faces[3 * face];
    const plVec3 a = s->x[v[0]], b = s->x[v[1]], c = s->x[v[2]];
    return (plBounds){{lowest(a.x, b.x, c.x), lowest(a.y, b.y, c.y), lowest(a.z, b.z, c.z)},
                      {highest(a.x, b.x, c.x), highest(a.y, b.y, c.y), highest(a.z, b.z, c.z)}};
}

static void refit(plSkinBody* s)
{
    for (int i = s->nodeCount - 1; i >= 0; i--) { // children come after their parents
        const plSkinNode* node = &s->nodes[i];
        if (node->count == 0) {
            s->bounds[i] = plBounds_Join(&s->bounds[i + 1], &s->bounds[s->nodes[i + 1].skip]);
            continue;
        }
        s->bounds[i] = plSkin_FaceBounds(s, s->order[node->first]);
        for (int k = 1; k < node->count; k++) {
            const plBounds face = plSkin_FaceBounds(s, s->order[node->first + k]);
            s->bounds[i] = plBounds_Join(&s->bounds[i], &face);
        }
    }
}

int plSkinWalk_Next(plSkinWalk* w)
{
    const plSkinBody* s = w->s;
    while (w->node < s->nodeCount) {
        const plSkinNode* node = &s->nodes[w->node];
        if (w->item == 0 && !plBounds_Meet(&s->bounds[w->node], &w->box)) {
            w->node = node->skip;
            continue;
        }
        while (w->item < node->count) {
            const int face = s->order[node->first + w->item++];
            const plBounds b = plSkin_FaceBounds(s, face);
            if (plBounds_Meet(&b, &w->box)) return face;
        }
        w->item = 0;
        w->node++;
    }
    return -1;
}

// --- doors

static bool areFinite(const plSkinDef* k)
{
    for (int i = 0; i < k->pointCount; i++) {
        if (!plFinite3(k->x[i])) return false;
    }
    return true;
}

static bool isGood(const plSkinDef* k)
{
    if (k->pointCount < 3 || k->faceCount < 1 || !k->faces || !k->x) return false;
    for (int i = 0; i < k->faceCount; i++) {
        const int* v = &k->faces[3 * i];
        for (int m = 0; m < 3; m++) {
            if (v[m] < 0 || v[m] >= k->pointCount || v[m] == v[(m + 1) % 3]) return false;
        }
    }
    return areFinite(k);
}

plStatus plSkins_Add(plSkins* k, const plSkinDef* skin, plSkinBody** out)
{
    if (!isGood(skin)) return pl_statusBadArgument;
    if (k->count == k->capacity || skin->faceCount > k->faceCapacity - k->faceCount ||
        skin->pointCount > k->pointCapacity - k->pointCount) {
        return pl_statusCapacity;
    }
    plSkinBody* s = &k->bodies[k->count];
    *s = takeParts(k, skin);
    k->count++;
    k->faceCount += skin->faceCount;
    k->pointCount += skin->pointCount;
    findEdges(s);
    findAround(s);
    memcpy(s->x, skin->x, (size_t)skin->pointCount * sizeof *s->x);
    for (int i = 0; i < skin->faceCount; i++) s->order[i] = i;
    grow(s, 0, skin->faceCount);
    refit(s);
    *out = s;
    return pl_statusOk;
}

bool plSkin_Read(plSkinBody* s)
{
    if (!areFinite(s->skin)) return false;
    memcpy(s->x, s->skin->x, (size_t)s->skin->pointCount * sizeof *s->x);
    refit(s);
    return true;
}

static void exchange(plSkinBody* s)
{
    plVec3* x = s->x;
    plBounds* bounds = s->bounds;
    s->x = s->xElse;
    s->bounds = s->boundsElse;
    s->xElse = x;
    s->boundsElse = bounds;
    s->trial = !s->trial;
}

void plSkin_ShowTrial(plSkinBody* s)
{
    if (!s->trial) exchange(s);
    if (!plSkin_Read(s)) exchange(s);
}

void plSkin_HideTrial(plSkinBody* s)
{
    if (s->trial) exchange(s);
}
