// Proxies: what the global level knows of the shapes in the world.
#include "collide/inside.h"

#include <string.h>

plCollideDef plDefaultCollideDef(void)
{
    return (plCollideDef){.proxies = 256,
                          .pairs = 2048,
                          .contacts = 4096,
                          .ignored = 64,
                          .tracked = 16,
                          .reach = 1e-3,
                          .skinReach = 1e-3,
                          .margin = 0.01};
}

plProxyDef plDefaultProxyDef(void)
{
    return (plProxyDef){
        .frame = {.R = plIdentity3()}, .moving = true, .group = 1, .mask = UINT32_MAX};
}

size_t plCollide_Memory(const plCollideDef* d)
{
    const size_t proxies = (size_t)d->proxies, pairs = (size_t)d->pairs, round = 64;
    return sizeof(plCollide) + sizeof(plCollideHead) + 15 * round +
           proxies * (sizeof(plProxy) + sizeof(plPlace) + 2 * sizeof(plBranch) + 3 * sizeof(int)) +
           pairs * (sizeof(plPair) + 3 * sizeof(plProxyPair)) +
           (size_t)d->tracked * sizeof(plTrackSlot) + (size_t)d->contacts * sizeof(plTouch) +
           (size_t)d->ignored * 2 * sizeof(int) +
           plSkins_Memory(d->proxies, d->skinFaces, d->skinPoints);
}

static bool isGood(const plCollideDef* d)
{
    enum { most = 1 << 24 };
    return d->proxies >= 0 && d->pairs >= 0 && d->contacts >= 0 && d->ignored >= 0 &&
           d->proxies <= most && d->pairs <= most && d->contacts <= most && d->ignored <= most &&
           d->skinFaces >= 0 && d->skinFaces <= most && d->skinPoints >= 0 &&
           d->skinPoints <= most && d->tracked >= 0 && d->tracked <= most && d->reach >= 0 &&
           d->reach <= 1e6 && d->skinReach >= 0 && d->skinReach <= 1e6 && d->margin > 0 &&
           d->margin <= 1e6;
}

plStatus plCollide_Create(const plCollideDef* def, plArena* arena, plArena* state,
                          plCollide** collide)
{
    *collide = NULL;
    if (!isGood(def)) return pl_statusBadArgument;
    const size_t proxies = (size_t)def->proxies, pairs = (size_t)def->pairs;
    plCollide* c = plArena_Alloc(arena, 1, sizeof *c);
    if (!c) return pl_statusCapacity;
    c->def = *def;
    c->proxies = plArena_Alloc(arena, proxies, sizeof *c->proxies);
    c->movers = plArena_Alloc(arena, proxies, sizeof *c->movers);
    c->planes = plArena_Alloc(arena, proxies, sizeof *c->planes);
    c->fresh = plArena_Alloc(arena, proxies, sizeof *c->fresh);
    c->ignored = plArena_Alloc(arena, (size_t)def->ignored, sizeof *c->ignored);
    c->contacts = plArena_Alloc(arena, (size_t)def->contacts, sizeof *c->contacts);
    c->began = plArena_Alloc(arena, pairs, sizeof *c->began);
    c->ended = plArena_Alloc(arena, pairs, sizeof *c->ended);
    c->found = plArena_Alloc(arena, pairs, sizeof *c->found);
    c->head = plArena_Alloc(state, 1, sizeof *c->head);
    c->places = plArena_Alloc(state, proxies, sizeof *c->places);
    c->nodes = plArena_Alloc(state, 2 * proxies, sizeof *c->nodes);
    c->pairs = plArena_Alloc(state, pairs, sizeof *c->pairs);
    c->slots = plArena_Alloc(state, (size_t)def->tracked, sizeof *c->slots);
    plSkins_Create(&c->skins, def->proxies, def->skinFaces, def->skinPoints, arena, state);
    if (arena->full || state->full) return pl_statusCapacity;
    plBranches_Clear(&c->head->tree, c->nodes, 2 * def->proxies);
    *collide = c;
    return pl_statusOk;
}

static bool isFree(const plCollide* c, int id)
{
    return !c->proxies[id].shape && !c->proxies[id].skin;
}

static int freeId(const plCollide* c)
{
    int id = c->freeCount > 0 ? 0 : c->head->proxyCount;
    while (id < c->head->proxyCount && !isFree(c, id)) ++id;
    return id;
}

// Lists are in ascending order, whatever the history.
static void enlist(int* list, int* count, int id)
{
    int at = (*count)++;
    for (; at > 0 && list[at - 1] > id; --at) list[at] = list[at - 1];
    list[at] = id;
}

static void strike(int* list, int* count, int id)
{
    int kept = 0;
    for (int i = 0; i < *count; ++i) {
        if (list[i] != id) list[kept++] = list[i];
    }
    *count = kept;
}

plStatus plCollide_Add(plCollide* c, const plProxyDef* def, int* id)
{
    plSkinBody* skin = NULL;
    if (!def->shape == !def->skin || (def->skin && c->def.planar)) return pl_statusBadArgument;
    const int place = freeId(c);
    if (place == c->def.proxies) return pl_statusCapacity;
    if (def->skin) {
        const plStatus status = plSkins_Add(&c->skins, def->skin, &skin);
        if (status != pl_statusOk) return status;
    }
    *id = place;
    if (place == c->head->proxyCount) {
        c->head->proxyCount++;
    } else {
        c->freeCount--;
    }
    c->proxies[*id] = (plProxy){def->shape, skin, def->body, def->moving, def->group, def->mask};
    plPlace* p = &c->places[*id];
    *p = (plPlace){.frame = def->frame, .node = plNoNode, .touched = true};
    // Bounds that hold nothing: the first update finds them too small.
    p->fat = plBounds_None();
    if (def->moving) enlist(c->movers, &c->moverCount, *id);
    if (!def->moving) c->head->staticMoved = true;
    if (def->shape && def->shape->kind == pl_shapePlane) {
        enlist(c->planes, &c->planeCount, *id);
    }
    return pl_statusOk;
}

void plCollide_Remove(plCollide* c, int id)
{
    plCollideHead* h = c->head;
    int kept = 0;
    PL_ASSERT(id >= 0 && id < h->proxyCount && !isFree(c, id));
    for (int i = 0; i < h->pairCount; ++i) {
        const plPair* pair = &c->pairs[i];
        if (pair->a != id && pair->b != id) {
            if (kept != i) c->pairs[kept] = *pair;
            kept++;
        } else if (pair->slot > 0) {
            c->slots[pair->slot - 1].used = false;
        }
    }
    memset(&c->pairs[kept], 0, (size_t)(h->pairCount - kept) * sizeof *c->pairs);
    h->pairCount = kept;
    if (c->places[id].node != plNoNode) plBranches_Remove(&h->tree, c->nodes, c->places[id].node);
    strike(c->movers, &c->moverCount, id);
    strike(c->planes, &c->planeCount, id);
    c->proxies[id] = (plProxy){.body = -1};
    c->freeCount++;
    memset(&c->places[id], 0, sizeof c->places[id]);
    c->places[id].node = plNoNode;
}

void plCollide_Forget(plCollide* c, int body)
{
    int kept = 0;
    for (int i = 0; i < c->ignoredCount; ++i) {
        const int a = c->ignored[i][0], b = c->ignored[i][1];
        if (a == body || b == body) continue;
        c->ignored[kept][0] = a;
        c->ignored[kept++][1] = b;
    }
    c->ignoredCount = kept;
}

plStatus plCollide_Ignore(plCollide* c, int bodyA, int bodyB)
{
    if (c->ignoredCount == c->def.ignored) return pl_statusCapacity;
    c->ignored[c->ignoredCount][0] = bodyA < bodyB ? bodyA : bodyB;
    c->ignored[c->ignoredCount++][1] = bodyA < bodyB ? bodyB : bodyA;
    return pl_statusOk;
}

static bool isOf(const plProxy* p, plShapeKind kind) { return p->shape && p->shape->kind == kind; }

/// A sculpted surface meets neither meshes nor skins, and nothing in planar worlds.
static bool surfaceMayMeet(const plCollide* c, const plProxy* p, const plProxy* q)
{
    return !isOf(p, pl_shapeNurbs) || (!c->def.planar && !q->skin && !isOf(q, pl_shapeMesh));
}

/// Are there contacts of two shapes of these kinds?
static bool kindsMeet(const plCollide* c, const plProxy* p, const plProxy* q)
{
    const bool planes = isOf(p, pl_shapePlane) && isOf(q, pl_shapePlane);
    // A mesh meets neither another one nor a skin.
    const bool meshes = (isOf(p, pl_shapeMesh) && (q->skin || isOf(q, pl_shapeMesh))) ||
                        (p->skin && isOf(q, pl_shapeMesh));
    return !planes && !meshes && surfaceMayMeet(c, p, q) && surfaceMayMeet(c, q, p);
}

/// Shall two proxies touch, by their bodies, groups and masks?
static bool shallMeet(const plCollide* c, const plProxy* p, const plProxy* q)
{
    if (p->body == q->body || (!p->moving && !q->moving)) return false;
    if (!(p->group & q->mask) || !(q->group & p->mask)) return false;
    const int lo = p->body < q->body ? p->body : q->body;
    const int hi = p->body < q->body ? q->body : p->body;
    for (int i = 0; i < c->ignoredCount; i++) {
        if (c->ignored[i][0] == lo && c->ignored[i][1] == hi) return false;
    }
    return true;
}

bool plCollide_MayMeet(const plCollide* c, int a, int b)
{
    const plProxy *p = &c->proxies[a], *q = &c->proxies[b];
    return kindsMeet(c, p, q) && shallMeet(c, p, q);
}

bool plCollide_PassThrough(const plCollide* c, int a, int b)
{
    const plProxy *p = &c->proxies[a], *q = &c->proxies[b];
    return !isFree(c, a) && !isFree(c, b) && !kindsMeet(c, p, q) && shallMeet(c, p, q);
}

// A point r of the carrier goes at most |dx| + |dR r| far, |dR r| <= |dR| |r|, where the norm of a
// difference of rotations by the angle phi is 2 sin(phi/2), its Frobenius norm over sqrt(2).
static double wayBetween(const plFrame* from, const plFrame* to, double extent)
{
    const plMat3 d = plMatAdd(&to->R, -1, &from->R);
    const double turn = sqrt(0.5 * (plDot(d.x, d.x) + plDot(d.y, d.y) + plDot(d.z, d.z)));
    const double way = plNorm(plSub(to->x, from->x));
    return turn > 0 ? way + turn * extent : way;
}

void plCollide_Move(plCollide* c, int id, const plFrame* frame, double speed)
{
    PL_ASSERT(id >= 0 && id < c->head->proxyCount && c->proxies[id].shape);
    plPlace* p = &c->places[id];
    const bool finite = plFinite3(frame->x) && plFinite3(frame->R.x) && plFinite3(frame->R.y) &&
                        plFinite3(frame->R.z) && speed >= 0 && speed <= 1e9;
    if (!finite) return;
    p->way += wayBetween(&p->frame, frame, c->proxies[id].shape->extent);
    p->frame = *frame;
    p->speed = speed;
    p->touched = true;
    if (!c->proxies[id].moving) c->head->staticMoved = true;
}

// A skin's way is not measured: its pairs are looked at whenever their bounds meet.
void plCollide_Deform(plCollide* c, int id, double speed)
{
    PL_ASSERT(id >= 0 && id < c->head->proxyCount && c->proxies[id].skin);
    plPlace* p = &c->places[id];
    if (!(speed >= 0 && speed <= 1e9) || !plSkin_Read(c->proxies[id].skin)) return;
    p->speed = speed;
    p->touched = true;
    if (!c->proxies[id].moving) c->head->staticMoved = true;
}
