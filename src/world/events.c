// Contact events: what the records of contacts say about two ticks that follow each other. The pairs of the tick
// before are those of its records, which are state: so events need no state of their own.
#include "world/inside.h"

#include <string.h>

static uint64_t keyOf(int a, int b)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << 32 | high;
}

static int firstOf(uint64_t key) { return (int)(key >> 32); }
static int secondOf(uint64_t key) { return (int)(key & UINT32_MAX); }

static plTouchEvent eventOf(const plWorld* w, uint64_t key)
{
    return (plTouchEvent){plShapes_Id(w, firstOf(key)), plShapes_Id(w, secondOf(key))};
}

// --- lists of pairs

static void sink(uint64_t* heap, int i, int count)
{
    const uint64_t key = heap[i];
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child] < heap[child + 1]) child++;
        if (key >= heap[child]) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = key;
}

// The library's sort may take memory.
static void sort(uint64_t* keys, int count)
{
    for (int i = count / 2 - 1; i >= 0; --i) sink(keys, i, count);
    for (int last = count - 1; last > 0; --last) {
        const uint64_t top = keys[0];
        keys[0] = keys[last];
        keys[last] = top;
        sink(keys, 0, last);
    }
}

static int indexOf(const uint64_t* keys, int count, uint64_t key)
{
    int low = 0, high = count;
    while (low < high) {
        const int mid = (low + high) / 2;
        if (keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && keys[low] == key ? low : -1;
}

// Surfaces of soft bodies are listed as soon as they are near.
static bool touches(const plWorld* w, const plContactRecord* r)
{
    const double near = 1e-9; // [m]
    return (w->shapes[r->a] && w->shapes[r->b]) || r->gap <= near ||
           plDot(r->impulse, r->impulse) > 0;
}

// The pairs of the records, each once, in order.
static int pairsOf(const plWorld* w, uint64_t* keys)
{
    int count = 0, kept = 0;
    for (int i = 0; i < *w->contacts.lastCount; ++i) {
        const plContactRecord* r = &w->contacts.last[i];
        const uint64_t key = keyOf(r->a, r->b);
        if (!touches(w, r) || (count > 0 && keys[count - 1] == key)) continue;
        keys[count++] = key;
    }
    sort(keys, count);
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || keys[kept - 1] != keys[i]) keys[kept++] = keys[i];
    }
    return kept;
}

// --- the world's part

plStatus plEvents_Create(plEvents* e, int contacts, plArena* arena)
{
    const size_t n = (size_t)contacts;
    e->before = plArena_Alloc(arena, n, sizeof *e->before);
    e->now = plArena_Alloc(arena, n, sizeof *e->now);
    e->fastest = plArena_Alloc(arena, n, sizeof *e->fastest);
    e->begins = plArena_Alloc(arena, n, sizeof *e->begins);
    e->ends = plArena_Alloc(arena, 2 * n, sizeof *e->ends);
    e->hits = plArena_Alloc(arena, n, sizeof *e->hits);
    return arena->full ? pl_statusCapacity : pl_statusOk;
}

void plEvents_Forget(plWorld* w)
{
    plEvents* e = &w->events;
    if (e->asleep) return;
    e->beginCount = e->hitCount = 0;
    e->endCount = e->gone; // of shapes that were removed: they end in the next tick
}

void plEvents_Recall(plWorld* w)
{
    plEvents* e = &w->events;
    if (e->asleep) return;
    e->gone = 0;
    plEvents_Forget(w);
    if (w->collide) e->beforeCount = pairsOf(w, e->before);
}

static plVec3 velocityAt(const plWorld* w, plSite site)
{
    if (site.mechanism.index1 == 0) return plVec(0, 0, 0);
    return plMechanism_Motion(w->mechanisms[site.mechanism.index1 - 1], pl_atStart, site).v;
}

double plEvents_Closing(const plWorld* w, const plContact* c)
{
    return -plDot(c->n, plSub(velocityAt(w, c->siteA), velocityAt(w, c->siteB)));
}

void plEvents_Open(plWorld* w)
{
    plEvents_Forget(w);
    for (int i = 0; i < w->contacts.count; ++i) {
        plContact* c = &w->contacts.list[i];
        if (c->fresh) c->closing = plEvents_Closing(w, c);
    }
}

// The fastest new contact of each pair that touches now: its index, or -1.
static void findFastest(plWorld* w)
{
    plEvents* e = &w->events;
    for (int i = 0; i < e->nowCount; ++i) e->fastest[i] = -1;
    for (int i = 0; i < w->contacts.count; ++i) {
        const plContact* c = &w->contacts.list[i];
        if (!c->fresh || !(c->closing >= w->def.contact.hitSpeed) || !plContact_Touched(c))
            continue;
        const int pair = indexOf(e->now, e->nowCount, keyOf(c->a, c->b));
        if (pair < 0) continue;
        int* best = &e->fastest[pair];
        if (*best < 0 || c->closing > w->contacts.list[*best].closing) *best = i;
    }
}

static void tellHits(plWorld* w)
{
    plEvents* e = &w->events;
    findFastest(w);
    for (int i = 0; i < e->nowCount; ++i) {
        if (e->fastest[i] < 0) continue;
        const plContact* c = &w->contacts.list[e->fastest[i]];
        const plTouchEvent ids = eventOf(w, e->now[i]);
        e->hits[e->hitCount++] = (plHitEvent){.shapeA = ids.shapeA,
                                              .shapeB = ids.shapeB,
                                              .point = c->at,
                                              .normal = c->a < c->b ? c->n : plScale(-1, c->n),
                                              .speed = c->closing};
    }
}

static bool comesFirst(const plTouchEvent* p, const plTouchEvent* q)
{
    if (p->shapeA.index1 != q->shapeA.index1) return p->shapeA.index1 < q->shapeA.index1;
    if (p->shapeB.index1 != q->shapeB.index1) return p->shapeB.index1 < q->shapeB.index1;
    if (p->shapeA.generation != q->shapeA.generation)
        return p->shapeA.generation < q->shapeA.generation;
    return p->shapeB.generation < q->shapeB.generation;
}

// Those of removed shapes come first, out of order: few, and often none.
static void sortEnds(plEvents* e)
{
    for (int i = e->gone > 0 ? 1 : e->endCount; i < e->endCount; ++i) {
        const plTouchEvent end = e->ends[i];
        int k = i;
        for (; k > 0 && comesFirst(&end, &e->ends[k - 1]); --k) e->ends[k] = e->ends[k - 1];
        e->ends[k] = end;
    }
    e->gone = 0;
}

void plEvents_Close(plWorld* w)
{
    plEvents* e = &w->events;
    if (!w->collide || e->asleep) return;
    e->nowCount = pairsOf(w, e->now);
    tellHits(w);
    int i = 0, k = 0;
    while (i < e->beforeCount || k < e->nowCount) {
        const uint64_t old = i < e->beforeCount ? e->before[i] : UINT64_MAX;
        const uint64_t new = k < e->nowCount ? e->now[k] : UINT64_MAX;
        if (old < new) e->ends[e->endCount++] = eventOf(w, old);
        if (new < old) e->begins[e->beginCount++] = eventOf(w, new);
        i += old <= new;
        k += new <= old;
    }
    sortEnds(e);
    uint64_t* spare = e->before;
    e->before = e->now;
    e->beforeCount = e->nowCount;
    e->now = spare;
}

void plEvents_Drop(plWorld* w, int shape)
{
    plEvents* e = &w->events;
    int kept = 0;
    plEvents_Forget(w);
    for (int i = 0; i < e->beforeCount; ++i) {
        const uint64_t key = e->before[i];
        if (firstOf(key) == shape || secondOf(key) == shape) {
            e->ends[e->gone++] = eventOf(w, key);
        } else {
            e->before[kept++] = key;
        }
    }
    e->beforeCount = kept;
    e->endCount = 0;
}

plContactEvents plWorld_ContactEvents(const plWorld* w)
{
    const plEvents* e = &w->events;
    return (plContactEvents){.beginCount = e->beginCount,
                             .endCount = e->gone > 0 ? 0 : e->endCount,
                             .hitCount = e->hitCount,
                             .begins = e->begins,
                             .ends = e->ends,
                             .hits = e->hits};
}
