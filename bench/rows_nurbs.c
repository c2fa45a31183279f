// Sculpted surfaces: place with first and second derivatives, nearest places.
#include "bench.h"
#include "sculpted.h"

#include <stdio.h>
#include <stdlib.h>

enum { evaluation, warm, global };

typedef struct {
    const BenchRow* row;
    const SculptedPeer* peer;
    void* other;
    Sculpted data;
    plArena arena;
    const plNurbs* ours;
    volatile double sum; // of the answers, so that none is left out
} Problem;

static void makeNet(Sculpted* s, plRng* rng)
{
    enum { side = sculptedSide };
    for (int i = 0; i < side + 4; i++) {
        s->knots[i] = i < 4 ? 0 : i >= side ? 1 : (double)(i - 3) / (side - 3);
    }
    for (int i = 0; i < side * side; i++) {
        const double x = (double)(i / side) / (side - 1), y = (double)(i % side) / (side - 1);
        const double z = 0.15 * sin(6 * x) * cos(5 * y) + plRng_Uniform(rng, -0.02, 0.02);
        s->points[i] = plVec(x, y, z);
        s->weights[i] = plRng_Uniform(rng, 0.7, 1.3);
    }
}

static void makePlaces(Problem* p, plRng* rng)
{
    Sculpted* s = &p->data;
    for (int i = 0; i < sculptedPlaces; i++) {
        const double u = plRng_Uniform(rng, 0, 1);
        s->places[i] = plUvAt(0, u, plRng_Uniform(rng, 0, 1));
    }
    for (int i = 0; i < sculptedGuesses; i++) {
        const double u = plRng_Uniform(rng, 0.1, 0.9);
        const plUv foot = plUvAt(0, u, plRng_Uniform(rng, 0.1, 0.9));
        const plVec3 n = plNurbs_Normal(p->ours, foot);
        s->targets[i] = plAddScaled(plNurbs_Place(p->ours, foot), 0.05, n);
        s->starts[i] = foot;
        s->starts[i].u += plRng_Uniform(rng, -0.01, 0.01);
        s->starts[i].v += plRng_Uniform(rng, -0.01, 0.01);
    }
}

static void* openRow(const BenchRow* row, bool quick)
{
    (void)quick;
    const plAllocator allocator = plDefaultAllocator();
    const SculptedPeer* peer = sculptedSisl();
    plRng rng = plRng_Seed(3);
    if (!peer) return NULL;
    Problem* p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->row = row;
    p->peer = peer;
    makeNet(&p->data, &rng);
    const plPatchDef patch = {3,
                              3,
                              sculptedSide,
                              sculptedSide,
                              p->data.knots,
                              p->data.knots,
                              p->data.points,
                              p->data.weights};
    const plShape* shape;
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = &patch;
    def.patchCount = 1;
    if (plArena_Create(&p->arena, plShape_Memory(&def), &allocator) != pl_statusOk) exit(1);
    if (plShape_Create(&def, &p->arena, &allocator, &shape, NULL) != pl_statusOk) exit(1);
    p->ours = shape->nurbs;
    makePlaces(p, &rng);
    p->other = peer->create(&p->data);
    return p;
}

static double apart(const Problem* p, plUv at, int i)
{
    return plNorm(plSub(plNurbs_Place(p->ours, at), p->data.targets[i]));
}

/// The peer's derivatives, relative to 1 and their own size.
static double derivativesOff(const Problem* p)
{
    double off = 0;
    for (int i = 0; i < 1000; i++) {
        double f[18];
        plSurfel g;
        plNurbs_At(p->ours, p->data.places[i], &g);
        p->peer->at(p->other, p->data.places[i], f);
        for (int k = 0; k < 18; k++) {
            const double x = (&g.S.x)[k];
            off = fmax(off, fabs(f[k] - x) / (1 + fabs(x)));
        }
    }
    return off;
}

static plUv nearest(const Problem* p, int i)
{
    plUv at = p->data.starts[i];
    if (p->row->variant == global)
        plNurbs_Nearest(p->ours, p->data.targets[i], &at, NULL);
    else
        plNurbs_Project(p->ours, p->data.targets[i], &at);
    return at;
}

static plUv peerNearest(const Problem* p, int i)
{
    if (p->row->variant == global) return p->peer->search(p->other, p->data.targets[i]);
    return p->peer->project(p->other, p->data.targets[i], p->data.starts[i]);
}

/// Nearest places that are no farther than the peer's. It may stop early, or at another one.
static bool checkNearest(const Problem* p, char* words, size_t size)
{
    double farther = -INFINITY, its = -INFINITY;
    int missed = 0;
    for (int i = 0; i < sculptedGuesses; i++) {
        const double more = apart(p, nearest(p, i), i) - apart(p, peerNearest(p, i), i);
        farther = fmax(farther, more);
        its = fmax(its, -more);
        missed += more < -1e-6;
    }
    snprintf(words, size, "farther by %.1e at most; the peer by %.1e, by over 1e-6 in %d of %d",
             fmax(farther, 0), fmax(its, 0), missed, sculptedGuesses);
    return farther <= 1e-12;
}

static bool check(void* self, char* words, size_t size)
{
    const Problem* p = self;
    if (p->row->variant != evaluation) return checkNearest(p, words, size);
    const double off = derivativesOff(p);
    snprintf(words, size, "derivatives differ by %.1e", off);
    return off <= 1e-11;
}

static void palp(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; k++) {
        const int i = sample * p->row->batch + k;
        plUv at = p->data.starts[i % sculptedGuesses];
        const plVec3 target = p->data.targets[i % sculptedGuesses];
        plSurfel f;
        switch (p->row->variant) {
        case evaluation:
            plNurbs_At(p->ours, p->data.places[i % sculptedPlaces], &f);
            p->sum += f.S.x + f.vv.z;
            break;
        case warm:
            p->sum += plNurbs_Project(p->ours, target, &at) + at.u;
            break;
        default:
            p->sum += plNurbs_Nearest(p->ours, target, &at, NULL);
        }
    }
}

static void other(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; k++) {
        const int i = sample * p->row->batch + k;
        const plVec3 target = p->data.targets[i % sculptedGuesses];
        double f[18];
        switch (p->row->variant) {
        case evaluation:
            p->peer->at(p->other, p->data.places[i % sculptedPlaces], f);
            p->sum += f[0] + f[17];
            break;
        case warm:
            p->sum += p->peer->project(p->other, target, p->data.starts[i % sculptedGuesses]).u;
            break;
        default:
            p->sum += p->peer->search(p->other, target).u;
        }
    }
}

static void closeRow(void* self)
{
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = self;
    p->peer->destroy(p->other);
    plArena_Destroy(&p->arena, &allocator);
    free(p);
}

#define ROW(its, itsPeer, itsVariant, itsBar, itsBatch)                                            \
    {                                                                                              \
        .group = "nurbs", .name = its, .peer = itsPeer, .bar = itsBar, .variant = itsVariant,      \
        .batch = itsBatch, .open = openRow, .check = check, .palp = palp, .other = other,          \
        .close = closeRow                                                                          \
    }

const BenchRow* benchRows_nurbs(int* count)
{
    static const BenchRow rows[] = {
        ROW("place and two derivatives", "SISL s1421", evaluation, 3, 256),
        ROW("nearest place from a guess", "SISL s1775", warm, 10, 32),
        ROW("nearest place of all, proven", "SISL s1958", global, 0, 4),
    };
    *count = PL_COUNT(rows);
    return rows;
}
