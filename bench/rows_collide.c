// Convex pairs: distance, depth, manifolds. Answers are judged by certificates, not by each other:
// along the normal the two solids are at least the gap apart, and its two points are of them.
#include "bench.h"
#include "pairs.h"

#include "collide/collide.h"

#include <stdio.h>
#include <stdlib.h>

enum { againstBullet, againstOde, againstCcd };
enum { apart, shallow, deep, stacked }; // how solids stand; the last: boxes, face to face
enum {
    cold,
    warm,
    penetration,
    manifold
}; // what is asked; the variant is 4 times the above, and it
static const double offsets[] = {0.05, -0.01, -0.25, -1e-5}; // from touching [m]

typedef struct {
    const BenchRow* row;
    const PairPeer* peer;
    void* other;
    Pairs pairs;
    plArena arena;
    const plShape* shape[2];
    plFrame frame[2][2 * pairCount];
    plGuess guess[pairCount];
    volatile double sum; // of the answers, so that none is left out
} Problem;

static int asks(const BenchRow* row) { return row->variant % 4; }

static const PairPeer* peerOf(const BenchRow* row)
{
    if (row->against == againstBullet) return pairBullet();
    return row->against == againstOde ? pairOde() : pairCcd();
}

// A box of three unequal sides, or points of an ellipsoid about as large.
static void makeSolid(PairSolid* s, int points, int which)
{
    const plVec3 half = which ? plVec(0.45, 0.35, 0.4) : plVec(0.5, 0.4, 0.3);
    plRng r = plRng_Seed(100 + (uint64_t)(10 * points + which));
    *s = (PairSolid){.count = points};
    if (points == 8) s->half = half;
    for (int i = 0; i < points; ++i) {
        plVec3 d = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        if (points > 8) {
            d.x = plRng_Normal(&r), d.y = plRng_Normal(&r), d.z = plRng_Normal(&r);
            d = plScale(1.2 / plNorm(d), d);
        }
        s->points[i] = plVec(d.x * half.x, d.y * half.y, d.z * half.z);
    }
}

static const plShape* shapeOf(Problem* p, const PairSolid* s)
{
    const plAllocator allocator = plDefaultAllocator();
    plShapeDef def = plDefaultShapeDef(s->half.x > 0 ? pl_shapeBox : pl_shapeHull);
    const plShape* shape;
    plShapeError error;
    def.half = s->half;
    def.points = s->points;
    def.pointCount = s->count;
    if (plShape_Create(&def, &p->arena, &allocator, &shape, &error) != pl_statusOk) exit(1);
    return shape;
}

static plQuat randomTurn(plRng* r)
{
    plQuat q;
    q.w = plRng_Normal(r), q.x = plRng_Normal(r), q.y = plRng_Normal(r), q.z = plRng_Normal(r);
    return plQuatUnit(q);
}

static double gapOf(const Problem* p, int i)
{
    return plCollide_Gap(p->shape[0], &p->frame[0][i], p->shape[1], &p->frame[1][i], NULL).gap;
}

// Places of pair i: apart along a random line by what makes them touch, and the offset. A tick later
// the second one has moved by a millimetre and turned by a third of a degree.
static void place(Problem* p, int i, double offset, plRng* r)
{
    const bool faces = p->row->variant / 4 == stacked;
    const plQuat about = plRotor(plVec(0, 0, 1), plRng_Uniform(r, 0, 2 * PL_PI));
    const plQuat turn[] = {faces ? (plQuat){1, 0, 0, 0} : randomTurn(r),
                           faces ? about : randomTurn(r)};
    plVec3 d, step;
    double near = 0, far = 3;
    d.x = plRng_Normal(r), d.y = plRng_Normal(r), d.z = plRng_Normal(r);
    d = faces ? plVec(0, 0, 1) : plScale(1 / plNorm(d), d);
    step.x = plRng_Normal(r), step.y = plRng_Normal(r), step.z = plRng_Normal(r);
    step = plScale(1e-3 / plNorm(step), step);
    p->frame[0][i] = plFrameOf((plPose){{0, 0, 0}, turn[0]});
    for (int k = 0; k < 50; ++k) {
        const double t = 0.5 * (near + far);
        p->frame[1][i] = plFrameOf((plPose){plScale(t, d), turn[1]});
        *(gapOf(p, i) < 0 ? &near : &far) = t;
    }
    const plVec3 at = plScale(near + offset, d);
    const plQuat later = plQuatMul(plExp(plScale(6, step)), turn[1]);
    const plPose poses[2][2] = {{{{0, 0, 0}, turn[0]}, {{0, 0, 0}, turn[0]}},
                                {{at, turn[1]}, {plAdd(at, step), later}}};
    for (int k = 0; k < 4; ++k) {
        p->pairs.pose[k / 2][i + k % 2 * pairCount] = poses[k / 2][k % 2];
        p->frame[k / 2][i + k % 2 * pairCount] = plFrameOf(poses[k / 2][k % 2]);
    }
}

static void* openProblem(const BenchRow* row, bool quick)
{
    const plAllocator allocator = plDefaultAllocator();
    const PairPeer* peer = peerOf(row);
    (void)quick;
    if (!peer) return NULL;
    Problem* p = calloc(1, sizeof *p);
    if (!p || plArena_Create(&p->arena, 1 << 22, &allocator) != pl_statusOk) exit(1);
    p->row = row;
    p->peer = peer;
    plRng r = plRng_Seed(55 + (uint64_t)row->size);
    for (int k = 0; k < 2; ++k) {
        makeSolid(&p->pairs.solid[k], row->size, k);
        p->shape[k] = shapeOf(p, &p->pairs.solid[k]);
    }
    for (int i = 0; i < pairCount; ++i) place(p, i, offsets[row->variant / 4], &r);
    p->other = peer->create(&p->pairs);
    return p;
}

// Pair k of a sample; odd samples are a tick later.
static int indexOf(const Problem* p, int sample, int k)
{
    return (sample / 2 * p->row->batch + k) % pairCount + sample % 2 * pairCount;
}

static void runPalp(void* self, int sample)
{
    Problem* p = self;
    const int what = asks(p->row);
    for (int k = 0; k < p->row->batch; ++k) {
        const int i = indexOf(p, sample, k);
        const plFrame *a = &p->frame[0][i], *b = &p->frame[1][i];
        plGuess* guess = what == warm ? &p->guess[i % pairCount] : NULL;
        if (what == manifold) {
            plManifold m;
            plCollide_Manifold(p->shape[0], a, p->shape[1], b, 0, NULL, &m);
            p->sum += m.count;
        } else {
            p->sum += plCollide_Gap(p->shape[0], a, p->shape[1], b, guess).gap;
        }
    }
}

static void runPeer(void* self, int sample)
{
    Problem* p = self;
    for (int k = 0; k < p->row->batch; ++k) {
        const int i = indexOf(p, sample, k);
        if (asks(p->row) == manifold) p->sum += p->peer->manifold(p->other, i);
        if (asks(p->row) == penetration) p->sum += p->peer->depth(p->other, i);
        if (asks(p->row) < penetration) p->sum += p->peer->distance(p->other, i);
    }
}

// --- certificates

// Farthest of a solid along n.
static double reach(const PairSolid* s, const plFrame* f, plVec3 n)
{
    double most = -INFINITY;
    for (int i = 0; i < s->count; ++i) {
        most = fmax(most, plDot(n, plAdd(f->x, plMul(&f->R, s->points[i]))));
    }
    return most;
}

// By how much a gap may be wrong, relative to it.
static double wrong(const Problem* p, int i, const plGap* g)
{
    const plFrame *a = &p->frame[0][i], *b = &p->frame[1][i];
    const PairSolid* s = p->pairs.solid;
    const double clear = -reach(&s[0], a, plScale(-1, g->n)) - reach(&s[1], b, g->n);
    double most = fabs(clear - g->gap);
    if (g->gap > 0) {
        const plVec3 x = plMulT(&a->R, plSub(g->a, a->x)), y = plMulT(&b->R, plSub(g->b, b->x));
        most = fmax(most, fabs(plNorm(plSub(g->a, g->b)) - g->gap));
        most = fmax(most, plShape_Nearest(p->shape[0], x).distance);
        most = fmax(most, plShape_Nearest(p->shape[1], y).distance);
    }
    return most / fabs(g->gap);
}

static bool checkManifold(const Problem* p, char* words, size_t size)
{
    double mine = 0, its = 0;
    for (int i = 0; i < pairCount; ++i) {
        plManifold m;
        plCollide_Manifold(p->shape[0], &p->frame[0][i], p->shape[1], &p->frame[1][i], 0, NULL, &m);
        mine += m.count;
        its += p->peer->manifold(p->other, i);
    }
    snprintf(words, size, "contacts of a pair %.2f; %.2f", mine / pairCount, its / pairCount);
    return mine >= pairCount;
}

// Of depths there is no lower bound but what others find: palp's must not be the larger one.
static bool check(void* self, char* words, size_t size)
{
    Problem* p = self;
    double worst = 0, beyond = -INFINITY, off = 0;
    int missed = 0;
    if (asks(p->row) == manifold) return checkManifold(p, words, size);
    for (int i = 0; i < 2 * pairCount; ++i) {
        plGuess* guess = asks(p->row) == warm ? &p->guess[i % pairCount] : NULL;
        const plGap g =
            plCollide_Gap(p->shape[0], &p->frame[0][i], p->shape[1], &p->frame[1][i], guess);
        const bool depth = asks(p->row) == penetration;
        const double its = depth ? p->peer->depth(p->other, i) : p->peer->distance(p->other, i);
        worst = fmax(worst, wrong(p, i, &g));
        if (!isfinite(its)) {
            ++missed;
            continue;
        }
        if (depth) beyond = fmax(beyond, (its - g.gap) / fabs(g.gap));
        off = fmax(off, fabs(its / g.gap - 1));
    }
    snprintf(words, size, "certified to %.1g; the peer is off by %.1g, misses %d of %d", worst, off,
             missed, 2 * pairCount);
    return worst < 1e-9 && beyond < 1e-6;
}

static void closeProblem(void* self)
{
    const plAllocator allocator = plDefaultAllocator();
    Problem* p = self;
    p->peer->destroy(p->other);
    plArena_Destroy(&p->arena, &allocator);
    free(p);
}

#define ROW(NAME, PEER, AGAINST, POINTS, STATE, WHAT, BAR)                                         \
    {                                                                                              \
        .group = "collide", .name = (NAME), .peer = (PEER), .bar = (BAR), .size = (POINTS),        \
        .variant = 4 * (STATE) + (WHAT), .against = (AGAINST), .batch = 20, .open = openProblem,   \
        .check = check, .palp = runPalp, .other = runPeer, .close = closeProblem                   \
    }
#define DISTANCE(NAME, POINTS, WHAT, BAR)                                                          \
    ROW(NAME, "Bullet GJK", againstBullet, POINTS, apart, WHAT, BAR)

const BenchRow* benchRows_collide(int* count)
{
    static const BenchRow rows[] = {
        DISTANCE("distance of boxes, cold", 8, cold, 3),
        DISTANCE("distance of boxes, warm", 8, warm, 8),
        DISTANCE("distance, 20 points, cold", 20, cold, 3),
        DISTANCE("distance, 20 points, warm", 20, warm, 8),
        DISTANCE("distance, 100 points, cold", 100, cold, 3),
        DISTANCE("distance, 100 points, warm", 100, warm, 8),
        ROW("depth of boxes, 10 mm", "Bullet EPA", againstBullet, 8, shallow, penetration, 0),
        ROW("depth, 20 points, 10 mm", "Bullet EPA", againstBullet, 20, shallow, penetration, 0),
        ROW("depth, 20 points, deep", "Bullet EPA", againstBullet, 20, deep, penetration, 0),
        ROW("depth, 100 points, 10 mm", "Bullet EPA", againstBullet, 100, shallow, penetration, 0),
        ROW("depth, 20 points, 10 mm", "libccd MPR", againstCcd, 20, shallow, penetration, 0),
        ROW("manifold of boxes, any", "Bullet", againstBullet, 8, shallow, manifold, 0),
        ROW("manifold of boxes, any", "ODE", againstOde, 8, shallow, manifold, 0),
        ROW("manifold of boxes, faces", "Bullet", againstBullet, 8, stacked, manifold, 0),
        ROW("manifold of boxes, faces", "ODE", againstOde, 8, stacked, manifold, 0),
    };
    *count = PL_COUNT(rows);
    return rows;
}
