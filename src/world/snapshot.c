// Snapshot, restoration and hash. All state lies in one arena and holds no pointer.
#include "world/inside.h"

#include <string.h>

typedef struct {
    uint64_t magic, identity, size;
    uint64_t check; ///< of all bytes of the snapshot, this one as 0
    plStepReport report;
} Header;

static const uint64_t magic = 0x33706e7370616cu; // "lapsnp3"

static uint64_t addNumbers(uint64_t h, const double* numbers, size_t count)
{
    return plHash_Add(h, numbers, count * sizeof *numbers);
}

static uint64_t addShape(uint64_t h, const plShape* s, const plCarrier* carrier)
{
    const int words[] = {
        (int)s->kind,       carrier->body,  carrier->material, (int)carrier->site.mechanism.index1,
        carrier->site.part, s->cornerCount, s->pieceCount};
    h = plHash_Add(h, words, sizeof words);
    h = plHash_Add(h, &s->frame, sizeof s->frame);
    const double numbers[] = {s->size, isinf(s->extent) ? -1 : s->extent, s->radius};
    h = addNumbers(h, numbers, PL_COUNT(numbers));
    h = plHash_Add(h, &s->half, sizeof s->half);
    return plHash_Add(h, &s->normal, sizeof s->normal);
}

static uint64_t addContacts(uint64_t h, const plWorld* w)
{
    const plContactDef* c = &w->def.contact;
    const int words[] = {w->shapeCount,
                         w->surfaces.count,
                         w->def.planar,
                         (int)c->bias,
                         (int)c->collision,
                         c->absolute,
                         c->wallsInCollision,
                         c->touchingCollide,
                         c->collisionFriction,
                         c->heldPulses,
                         c->sides,
                         w->def.capacity.pairs,
                         w->def.capacity.contacts};
    const double numbers[] = {c->reach,     c->softReach, c->cluster,   c->coherence,
                              c->driftRate, c->slop,      c->pulseLimit};
    h = plHash_Add(h, words, sizeof words);
    h = addNumbers(h, numbers, PL_COUNT(numbers));
    h = plHash_Add(h, &w->ignored, sizeof w->ignored);
    for (int i = 0; i < w->shapeCount; ++i) {
        if (w->shapes[i]) h = addShape(h, w->shapes[i], &w->carriers[i]);
        h = plHash_Add(h, w->masks[i], sizeof w->masks[i]);
    }
    return h;
}

static uint64_t addCoupling(uint64_t h, const plWorld* w, const plWorldCoupling* c)
{
    const plCouplingDef* d = &c->coupling.def;
    const int words[] = {(int)d->kind, c->device,           (int)d->feedback,
                         d->filter,    d->grip.fingerCount, (int)d->grip.projection};
    const double numbers[] = {d->scale,       d->tank,        d->stiffness.x, d->grip.axis.x,
                              d->grip.axis.y, d->grip.axis.z, d->grip.open,   d->grip.closed};
    h = plHash_Add(h, words, sizeof words);
    h = addNumbers(h, numbers, PL_COUNT(numbers));
    for (int i = 0; i < d->grip.fingerCount; ++i) {
        const plGripFinger* f = &d->grip.fingers[i];
        const int mechanism = (int)f->mechanism.index1 - 1;
        const size_t n = (size_t)plMechanism_Velocities(w->mechanisms[mechanism]);
        h = plHash_Add(h, &mechanism, sizeof mechanism);
        h = addNumbers(addNumbers(h, f->open, n), f->closed, n);
    }
    return h;
}

// What must be equal for a snapshot to fit: everything that neither state nor settings hold.
static uint64_t identity(const plWorld* w)
{
    uint64_t h = addContacts(plHash_Start(), w);
    const int counts[] = {
        w->def.passes,        w->def.guard, w->deviceCount, w->couplingCount,
        w->mechanismCount,    w->linkCount, w->driveCount,  w->def.capacity.mechanisms,
        w->def.capacity.links};
    h = plHash_Add(h, counts, sizeof counts);
    for (int i = 0; i < w->mechanismCount; ++i) h = plMechanism_Identity(w->mechanisms[i], h);
    for (int i = 0; i < w->linkCount; ++i) {
        const plLink* link = &w->links[i];
        const plSite none = {.part = 0}, a = link->grasps ? none : link->a; // that is state
        const int sizes[] = {
            (int)link->form, link->rowCount, (int)a.mechanism.index1, (int)link->b.mechanism.index1,
            a.part,          link->b.part};
        h = plHash_Add(h, link->name, strlen(link->name));
        h = plHash_Add(h, sizes, sizeof sizes);
        h = plHash_Add(h, &a.point, sizeof a.point);
        h = plHash_Add(h, &link->b.point, sizeof link->b.point);
        h = plHash_Add(h, link->K, sizeof link->K);
        h = plHash_Add(h, link->B, sizeof link->B);
        h = plHash_Add(h, &link->rest, sizeof link->rest);
        h = plHash_Add(h, link->across, sizeof link->across);
        if (link->distance > 0) h = plHash_Add(h, &link->distance, sizeof link->distance);
        if (link->turnRows % 3 == 0) continue;
        h = plHash_Add(h, link->pairA, sizeof link->pairA);
        h = plHash_Add(h, link->pairB, sizeof link->pairB);
    }
    for (int i = 0; i < w->couplingCount; ++i) h = addCoupling(h, w, &w->couplings[i]);
    return plSlots_Identity(w, h);
}

// --- settings: what may change while a world runs, beside the state; no part of the hash

static size_t settingsSize(const plWorld* w)
{
    const size_t n = (size_t)w->surfaces.count;
    return ((size_t)(w->mechanismCount + w->couplingCount) + 1) * sizeof(int) +
           n * (n + 1) * sizeof(plSurface) + n * n * sizeof(bool);
}

// To a block of bytes when it saves, else from it.
static void copy(bool save, unsigned char** block, void* own, size_t size)
{
    memcpy(save ? *block : own, save ? own : *block, size);
    *block += size;
}

static void copySettings(const plWorld* w, bool save, unsigned char* block, int* law)
{
    const plSurfaces* s = &w->surfaces;
    const size_t row = (size_t)s->count * sizeof(plSurface);
    copy(save, &block, law, sizeof *law);
    for (int i = 0; i < w->mechanismCount; ++i) {
        plMechanism* m = w->mechanisms[i];
        const int now = (int)plMechanism_Integrator(m);
        int integrator = now;
        copy(save, &block, &integrator, sizeof integrator);
        if (integrator != now) plMechanism_SetIntegrator(m, (plIntegrator)integrator);
    }
    for (int i = 0; i < w->couplingCount; ++i) {
        plCouplingDef* d = &w->couplings[i].coupling.def;
        int limit = (int)d->limit;
        copy(save, &block, &limit, sizeof limit);
        d->limit = (plLimit)limit;
    }
    copy(save, &block, s->own, row);
    for (int i = 0; i < s->count; ++i) {
        copy(save, &block, s->mixed + i * s->capacity, row);
        copy(save, &block, s->given + i * s->capacity, (size_t)s->count * sizeof(bool));
    }
}

// --- whole

size_t plWorld_SnapshotSize(const plWorld* w)
{
    return sizeof(Header) + w->state.used + settingsSize(w);
}

static uint64_t checkOf(const Header* header, const unsigned char* body, size_t size)
{
    Header own;
    memcpy(&own, header, sizeof own); // the gaps of the struct, too
    own.check = 0;
    return plHash_Add(plHash_Add(plHash_Start(), &own, sizeof own), body, size);
}

void plWorld_Save(const plWorld* w, void* snapshot)
{
    Header header;
    int law = (int)w->def.contact.law;
    memset(&header, 0, sizeof header); // the gaps of the struct, too
    header.magic = magic;
    header.identity = identity(w);
    header.size = w->state.used;
    header.report = w->report;
    unsigned char* body = (unsigned char*)snapshot + sizeof header;
    memcpy(body, w->state.memory, w->state.used);
    copySettings(w, true, body + w->state.used, &law);
    header.check = checkOf(&header, body, w->state.used + settingsSize(w));
    memcpy(snapshot, &header, sizeof header);
}

plStatus plWorld_Restore(plWorld* w, const void* snapshot, size_t size)
{
    Header header;
    if (size < sizeof header) return plWorld_Fail(w, pl_statusMismatch, NULL);
    memcpy(&header, snapshot, sizeof header);
    if (header.magic != magic || header.identity != identity(w) || header.size != w->state.used ||
        size != plWorld_SnapshotSize(w)) {
        return plWorld_Fail(w, pl_statusMismatch, NULL);
    }
    unsigned char* body = (unsigned char*)snapshot + sizeof header;
    if (header.check != checkOf(&header, body, size - sizeof header)) {
        return plWorld_Fail(w, pl_statusDamaged, NULL);
    }
    int law;
    memcpy(&law, body + w->state.used, sizeof law);
    if (w->collide && !plLaw_For(&w->work, (plLawName)law))
        return plWorld_Fail(w, pl_statusMismatch, NULL);
    copySettings(w, false, body + w->state.used, &law);
    w->def.contact.law = (plLawName)law;
    w->law = plLaw_Of(w->def.contact.law);
    memcpy(w->state.memory, body, w->state.used);
    w->report = header.report;
    for (int i = 0; i < w->mechanismCount; ++i) plMechanism_Refresh(w->mechanisms[i]);
    plGrasps_Recall(w);
    plEvents_Recall(w);
    return pl_statusOk;
}

uint64_t plWorld_Hash(const plWorld* w)
{
    return plHash_Add(plHash_Start(), w->state.memory, w->state.used);
}
