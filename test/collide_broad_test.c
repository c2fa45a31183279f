// The global level: no pair is missed, order and overflow are as documented.
#include "collide_shapes.h"

#include "collide/collide.h"

#include <string.h>

enum { bodyCount = 60, staticCount = 20, proxyCount = bodyCount + staticCount + 2 };

typedef struct {
    plArena arena, state;
    plCollide* collide;
    int count;
    const plShape* shapes[proxyCount];
    plFrame frames[proxyCount];
    plVec3 velocity[bodyCount], spin[bodyCount];
    bool touching[proxyCount][proxyCount]; ///< in the last update
} Scene;

static Scene scene;

static void makeCollide(const plCollideDef* def)
{
    const plAllocator allocator = plDefaultAllocator();
    const size_t memory = plCollide_Memory(def);
    assert_int_equal(plArena_Create(&scene.arena, memory, &allocator), pl_statusOk);
    assert_int_equal(plArena_Create(&scene.state, memory, &allocator), pl_statusOk);
    assert_int_equal(plCollide_Create(def, &scene.arena, &scene.state, &scene.collide),
                     pl_statusOk);
    assert_true(scene.arena.used + scene.state.used <= memory);
    scene.count = 0;
    memset(scene.touching, 0, sizeof scene.touching);
}

static void freeCollide(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&scene.arena, &allocator);
    plArena_Destroy(&scene.state, &allocator);
}

static int add(const plShape* shape, plFrame frame, int body, bool moving)
{
    plProxyDef def = plDefaultProxyDef();
    int id;
    def.shape = shape;
    def.frame = frame;
    def.body = body;
    def.moving = moving;
    assert_int_equal(plCollide_Add(scene.collide, &def, &id), pl_statusOk);
    assert_int_equal(id, scene.count);
    scene.shapes[id] = shape;
    scene.frames[id] = frame;
    scene.count++;
    return id;
}

static const plShape* anyShape(plRng* rng, int i)
{
    static plVec3 points[32];
    const double r = plRng_Uniform(rng, 0.05, 0.15);
    if (i % 4 == 0) return makeSphere(r);
    if (i % 4 == 1) return makeCapsule(0.5 * r, 2 * r);
    if (i % 4 == 2) return makeBox(r, 0.7 * r, 0.5 * r);
    plShapeDef def = plDefaultShapeDef(pl_shapeHull);
    const double angle = plRng_Uniform(rng, 0, 6);
    def.points = points;
    def.pointCount = randomPoints(rng, plVec(r, r, r), 30, false, points);
    for (int k = 0; k < 4; k++) { // never flat
        points[k] = plScale(r, plVec(k == 0, k == 1, k == 2 ? 1 : -(k == 3) * cos(angle) - 0.1));
    }
    def.frame.p = plScale(0.5 * r, randomDirection(rng));
    return makeShape(&def);
}

/// Bodies that fly about in a room of two planes, fixed boxes and a compound.
static void makeScene(plRng* rng, const plCollideDef* def)
{
    shapesBegin();
    makeCollide(def);
    for (int i = 0; i < bodyCount; i++) {
        const plFrame f = {plScale(0.7, randomVector(rng)), randomRotation(rng)};
        add(anyShape(rng, i), f, i, true);
        scene.velocity[i] = plScale(pow(10, plRng_Uniform(rng, -2, 1)), randomDirection(rng));
        scene.spin[i] = plScale(3, randomVector(rng));
    }
    plShapeDef pieces[2] = {plDefaultShapeDef(pl_shapeSphere), plDefaultShapeDef(pl_shapeBox)};
    pieces[0].radius = 0.1, pieces[1].half = plVec(0.1, 0.05, 0.05), pieces[1].frame.p.x = 0.2;
    plShapeDef compound = plDefaultShapeDef(pl_shapeCompound);
    compound.pieces = pieces;
    compound.pieceCount = 2;
    for (int i = 0; i < staticCount; i++) {
        const plFrame f = {plScale(0.9, randomVector(rng)), randomRotation(rng)};
        add(i == 0 ? makeShape(&compound) : anyShape(rng, i), f, 1000 + i, false);
    }
    add(makePlane(plVec(0, 0, 1)), placed(0, 0, -1), 2000, false);
    add(makePlane(plVec(1, 0.2, 0)), placed(-1, 0, 0), 2001, false);
}

static void moveScene(double T)
{
    for (int i = 0; i < bodyCount; i++) {
        plFrame* f = &scene.frames[i];
        const plMat3 turn = plRotation(plExp(plScale(T, scene.spin[i])));
        const double x[3] = {f->x.x, f->x.y, f->x.z},
                     v[3] = {scene.velocity[i].x, scene.velocity[i].y, scene.velocity[i].z};
        double w[3] = {v[0], v[1], v[2]};
        for (int k = 0; k < 3; k++) {
            if (fabs(x[k]) > 1.5 && x[k] * v[k] > 0) w[k] = -v[k];
        }
        scene.velocity[i] = plVec(w[0], w[1], w[2]);
        f->x = plAddScaled(f->x, T, scene.velocity[i]);
        f->R = plMatMul(&turn, &f->R);
        const double speed =
            plNorm(scene.velocity[i]) + plNorm(scene.spin[i]) * scene.shapes[i]->extent;
        plCollide_Move(scene.collide, i, f, speed);
    }
}

static double speedOf(int i)
{
    if (i >= bodyCount) return 0;
    return plNorm(scene.velocity[i]) + plNorm(scene.spin[i]) * scene.shapes[i]->extent;
}

/// Their own, or that of what touched them, twice along the pairs in order.
static void findSpeeds(double speed[proxyCount])
{
    for (int i = 0; i < scene.count; i++) speed[i] = speedOf(i);
    for (int round = 0; round < 2; round++) {
        for (int a = 0; a < bodyCount; a++) {
            for (int b = a + 1; b < scene.count; b++) {
                if (!scene.touching[a][b]) continue;
                speed[a] = fmax(speed[a], speed[b]);
                if (b < bodyCount) speed[b] = speed[a];
            }
        }
    }
}

/// Every pair by itself must give what the update gave for it.
static int compareWithAllPairs(const plCollideReport* r, double reach, double T)
{
    static plManifold m;
    double speed[proxyCount];
    int next = 0, pairs = 0;
    findSpeeds(speed);
    for (int a = 0; a < scene.count; a++) {
        for (int b = a + 1; b < scene.count; b++) {
            if (a >= bodyCount) continue; // both fixed
            const double range = reach + (speed[a] + speed[b]) * T;
            plCollide_Manifold(scene.shapes[a], &scene.frames[a], scene.shapes[b], &scene.frames[b],
                               range, NULL, &m);
            int count = 0;
            double deepest = INFINITY, expected = INFINITY;
            while (next < r->contactCount && r->contacts[next].a == a && r->contacts[next].b == b) {
                deepest = fmin(deepest, r->contacts[next].p.gap);
                if (count > 0) assert_true(r->contacts[next].p.key > r->contacts[next - 1].p.key);
                next++;
                count++;
            }
            for (int k = 0; k < m.count; k++) expected = fmin(expected, m.points[k].gap);
            // A guess may lead to another of several equal simplices, so gaps agree to the search's
            // accuracy, and contacts at the very end of the range may come or go.
            if (expected < range - 1e-9) assert_true(count > 0);
            if (count > 0) checkNear("deepest", deepest, expected, 0.06 * range + 1e-5);
            pairs += scene.touching[a][b] = count > 0;
        }
    }
    assert_int_equal(next, r->contactCount); // sorted by a, b, and nothing else in it
    return pairs;
}

static void everyPairOfARandomMotionIsFound(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(51);
    plCollideDef def = plDefaultCollideDef();
    def.margin = 0.03;
    makeScene(&rng, &def);
    long looked = 0, known = 0, touching = 0, moved = 0;
    const int ticks = sized(300, 20000);
    for (int i = 0; i < ticks; i++) {
        // Steps of different sizes, up to 5 cm for the fastest bodies, and a rest now and then.
        const double T = i % 50 == 0 ? 0 : plRng_Uniform(&rng, 1e-4, 5e-3);
        moveScene(T);
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        assert_false(r.pairsFull || r.contactsFull);
        touching += compareWithAllPairs(&r, def.reach, 1e-3);
        looked += r.looked, known += r.pairs, moved += r.moved;
    }
    print_message(
        "%d proxies, %d ticks: %.1f pairs, %.1f looked at, %.1f touching, %.1f refattened\n",
        scene.count, ticks, (double)known / ticks, (double)looked / ticks, (double)touching / ticks,
        (double)moved / ticks);
    // All pairs would be 60 x 82; the point of it all is to look at few.
    assert_true(looked < known);
    assert_true(looked < 10 * touching);
    freeCollide();
}

static bool isCornerOf(double half, plVec3 x)
{
    const double e = 1e-9;
    return fabs(fabs(x.x) - half) < e && fabs(fabs(x.y) - half) < e && fabs(fabs(x.z) - half) < e;
}

/// Two boxes that touch turned by an eighth of a turn, of which one was beside and above the other: a corner came
/// through the face that it was in front of, but where an edge leaves a face, the contact is that of the face.
static void onlyCornersComeThroughFaces(void** state)
{
    (void)state;
    plCollideDef def = plDefaultCollideDef();
    const double half = 0.1;
    int edges = 0;
    shapesBegin();
    makeCollide(&def);
    const plFrame under = placed(0, 0, 0);
    plFrame start = placed(0.12, 0.05, 2 * half + 0.01), end = placed(0, 0, 2 * half - 1e-3);
    start.R = end.R = plRotation(plRotor((plVec3){0, 0, 1}, PL_PI / 4));
    const int a = add(makeBox(half, half, half), under, 0, true);
    const int b = add(makeBox(half, half, half), start, 1, true);
    plCollide_Move(scene.collide, a, &under, 30);
    plCollide_Move(scene.collide, b, &start, 30);
    assert_int_equal(plCollide_Update(scene.collide, 1e-2).pairs, 1);
    plManifold found;
    const double moved = plCollide_Moved(scene.collide, b, &end);
    assert_true(plCollide_Look(scene.collide, 0, &under, &end, moved, 0, &found));
    for (int i = 0; i < found.count; i++) {
        plPoint p = found.points[i];
        const bool ofA = p.model.kind == pl_normalOfA;
        if (isCornerOf(half, ofA ? p.localB : p.localA)) continue;
        plCollide_CameThrough(scene.collide, 0, &p);
        assert_memory_equal(&p.model, &found.points[i].model, sizeof p.model);
        edges++;
    }
    assert_true(edges > 0);
    freeCollide();
}

/// A ball that flies into another may send it off as fast: what is behind that is found before. Once it is
/// gone, the other has its own speed again.
static void whatIsHitHasTheSpeedOfWhatHits(void** state)
{
    (void)state;
    plCollideDef def = plDefaultCollideDef();
    const double T = 1e-3, speed = 3, r = 0.1;
    shapesBegin();
    makeCollide(&def);
    int ball[3];
    for (int i = 0; i < 3; i++) {
        ball[i] =
            add(makeSphere(r), placed(2 * r * i + (i == 2 ? 0.9 * speed * T : 0), 0, 0), i, true);
    }
    for (int i = 0; i < 6; i++) {
        const plFrame f = placed(i < 3 ? 0 : -1, 0, 0);
        plCollide_Move(scene.collide, ball[0], &f, speed);
        const plCollideReport report = plCollide_Update(scene.collide, T);
        const bool hits = i <= 3; // known at once, and forgotten after the next update
        assert_int_equal(report.contactCount, (i < 3) + hits);
        if (!hits) continue;
        const plTouch* last = &report.contacts[report.contactCount - 1];
        assert_true(last->a == ball[1] && last->b == ball[2]);
    }
    freeCollide();
}

/// A pair d apart with relative speed v is left alone for (d - reach)/v, and not longer.
static void farPairsAreLeftAlone(void** state)
{
    (void)state;
    plCollideDef def = plDefaultCollideDef();
    def.margin = 10; // all are neighbours
    shapesBegin();
    makeCollide(&def);
    const int ball = add(makeSphere(0.1), placed(0, 0, 5.1), 0, true);
    add(makePlane(plVec(0, 0, 1)), placed(0, 0, 0), 1, false);
    int looks = 0, first = -1;
    for (int i = 0; i <= 6000; i++) {
        // Down at 1 m/s from 5 m, in ticks of 1 ms, at half of which nothing is known of the next.
        const plFrame f = placed(0, 0, 5.1 - 1e-3 * i);
        plCollide_Move(scene.collide, ball, &f, i % 2 ? 1 : 0);
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        assert_int_equal(r.pairs, 1);
        if (i < 4990) looks += r.looked;
        if (r.contactCount > 0 && first < 0) first = i;
        assert_int_equal(r.contactCount > 0, 5 - 1e-3 * i <= (i % 2 ? 2e-3 : 1e-3) + 1e-12);
        assert_int_equal(r.beginCount, i == first);
    }
    print_message("%d looks in 4990 ticks before contact\n", looks);
    // Each look halves nothing: it waits out the whole distance. A few at the start, and the last.
    assert_true(looks <= 20);
    freeCollide();
}

static void beginsAndEndsBalance(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(52);
    const plCollideDef def = plDefaultCollideDef();
    makeScene(&rng, &def);
    static bool touching[bodyCount + staticCount + 2][bodyCount + staticCount + 2];
    memset(touching, 0, sizeof touching);
    for (int i = 0; i < sized(300, 5000); i++) {
        moveScene(2e-3);
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        for (int k = 0; k < r.beginCount; k++) {
            assert_false(touching[r.began[k].a][r.began[k].b]);
            touching[r.began[k].a][r.began[k].b] = true;
        }
        for (int k = 0; k < r.endCount; k++) {
            assert_true(touching[r.ended[k].a][r.ended[k].b]);
            touching[r.ended[k].a][r.ended[k].b] = false;
        }
        int pairs = 0, open = 0;
        for (int k = 0; k < r.contactCount; k++) {
            assert_true(touching[r.contacts[k].a][r.contacts[k].b]);
            pairs += k == 0 || r.contacts[k].a != r.contacts[k - 1].a ||
                     r.contacts[k].b != r.contacts[k - 1].b;
        }
        for (int a = 0; a < scene.count; a++) {
            for (int b = 0; b < scene.count; b++) open += touching[a][b];
        }
        assert_int_equal(open, pairs);
    }
    freeCollide();
}

static void overflowIsReportedAndPasses(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(53);
    plCollideDef def = plDefaultCollideDef();
    def.pairs = 10;
    def.contacts = 3;
    def.proxies = bodyCount + staticCount + 2;
    makeScene(&rng, &def);
    plProxyDef more = plDefaultProxyDef();
    int id;
    more.shape = scene.shapes[0];
    assert_int_equal(plCollide_Add(scene.collide, &more, &id), pl_statusCapacity);
    more.shape = NULL;
    assert_int_equal(plCollide_Add(scene.collide, &more, &id), pl_statusBadArgument);
    bool pairsFull = false, contactsFull = false;
    for (int i = 0; i < 100; i++) {
        moveScene(1e-3);
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        assert_true(r.pairs <= 10 && r.contactCount <= 3);
        pairsFull |= r.pairsFull, contactsFull |= r.contactsFull;
    }
    assert_true(pairsFull && contactsFull);
    // Sent far away from each other, except two that touch: those are found again.
    for (int i = 0; i < bodyCount; i++) {
        const plFrame f = placed(10 * i, 100, 100);
        scene.frames[i] = f;
        plCollide_Move(scene.collide, i, &f, 0);
    }
    const plFrame near = placed(0, 100, 100.01);
    plCollide_Move(scene.collide, 1, &near, 0);
    plCollide_Update(scene.collide, 1e-3);
    const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
    assert_false(r.pairsFull);
    assert_true(r.contactCount > 0 && r.contacts[0].a == 0 && r.contacts[0].b == 1);
    freeCollide();
}

static void filtersAreObeyed(void** state)
{
    (void)state;
    const plCollideDef def = plDefaultCollideDef();
    shapesBegin();
    makeCollide(&def);
    const plShape* ball = makeSphere(0.1);
    // 0 and 1 are of one body, 2 is ignored by body 0, 3 is masked by 4, 5 and 6 do not move.
    plProxyDef p = plDefaultProxyDef();
    const int bodies[7] = {0, 0, 1, 2, 3, 4, 5};
    for (int i = 0; i < 7; i++) {
        int id;
        p.shape = ball;
        p.body = bodies[i];
        p.moving = i < 5;
        p.group = i == 3 ? 2 : 1;
        p.mask = i == 4 ? 1 : UINT32_MAX;
        assert_int_equal(plCollide_Add(scene.collide, &p, &id), pl_statusOk);
    }
    assert_int_equal(plCollide_Ignore(scene.collide, 1, 0), pl_statusOk);
    const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
    bool met[7][7] = {{false}};
    for (int i = 0; i < r.contactCount; i++) met[r.contacts[i].a][r.contacts[i].b] = true;
    for (int a = 0; a < 7; a++) {
        for (int b = a + 1; b < 7; b++) {
            const bool apart =
                (a == 0 && b == 1) || (a < 2 && b == 2) || (a == 3 && b == 4) || a == 5;
            assert_int_equal(met[a][b], !apart);
        }
    }
    freeCollide();
}

/// The state is plain data: a copy of it, put back, leads to the same contacts bit by bit.
static void restoredStateGivesTheSameContacts(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(54);
    const plCollideDef def = plDefaultCollideDef();
    makeScene(&rng, &def);
    for (int i = 0; i < 50; i++) {
        moveScene(2e-3);
        plCollide_Update(scene.collide, 1e-3);
    }
    unsigned char* copy = malloc(scene.state.used);
    assert_non_null(copy);
    memcpy(copy, scene.state.memory, scene.state.used);
    static plFrame frames[bodyCount];
    static plVec3 velocity[bodyCount];
    memcpy(frames, scene.frames, sizeof frames);
    memcpy(velocity, scene.velocity, sizeof velocity);
    uint64_t hash[2] = {0, 0};
    for (int run = 0; run < 2; run++) {
        hash[run] = plHash_Start();
        for (int i = 0; i < 50; i++) {
            moveScene(2e-3);
            const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
            for (int k = 0; k < r.contactCount; k++) {
                const plPoint* p = &r.contacts[k].p;
                const double numbers[7] = {p->a.x, p->a.y, p->a.z, p->n.x, p->n.y, p->n.z, p->gap};
                hash[run] = plHash_Add(hash[run], numbers, sizeof numbers);
                hash[run] = plHash_Add(hash[run], &p->key, sizeof p->key);
            }
        }
        memcpy(scene.state.memory, copy, scene.state.used);
        memcpy(scene.frames, frames, sizeof frames);
        memcpy(scene.velocity, velocity, sizeof velocity);
    }
    assert_true(hash[0] == hash[1]);
    free(copy);
    freeCollide();
}

/// Contacts do not depend on the order in which proxies were added, but for their ids.
static void orderOfAdditionDoesNotMatter(void** state)
{
    (void)state;
    int counts[2];
    double gaps[2] = {0, 0};
    for (int run = 0; run < 2; run++) {
        plRng rng = plRng_Seed(55);
        const plCollideDef def = plDefaultCollideDef();
        shapesBegin();
        makeCollide(&def);
        const plShape* shapes[40];
        plFrame frames[40];
        for (int i = 0; i < 40; i++) {
            shapes[i] = anyShape(&rng, i);
            frames[i] = (plFrame){plScale(0.3, randomVector(&rng)), randomRotation(&rng)};
        }
        for (int i = 0; i < 40; i++) {
            const int k = run == 0 ? i : 39 - i;
            add(shapes[k], frames[k], k, true);
        }
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        counts[run] = r.contactCount;
        for (int i = 0; i < r.contactCount; i++) gaps[run] += r.contacts[i].p.gap;
        freeCollide();
    }
    assert_true(counts[0] > 20);
    assert_true(abs(counts[0] - counts[1]) <= 4); // a face of a is preferred to one of b
    checkNear("sum of gaps", gaps[0], gaps[1], 0.05 * fabs(gaps[0]));
}

static void thousandFixedProxiesCostNoLooks(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(56);
    plCollideDef def = plDefaultCollideDef();
    def.proxies = 1100;
    shapesBegin();
    makeCollide(&def);
    const plShape* box = makeBox(0.05, 0.05, 0.05);
    plProxyDef p = plDefaultProxyDef();
    int id = 0;
    p.shape = box;
    p.moving = false;
    for (int i = 0; i < 1000; i++) {
        p.body = i;
        p.frame = (plFrame){plScale(2, randomVector(&rng)), randomRotation(&rng)};
        assert_int_equal(plCollide_Add(scene.collide, &p, &id), pl_statusOk);
    }
    p.moving = true;
    p.body = 1000;
    p.frame = placed(0, 0, 0);
    assert_int_equal(plCollide_Add(scene.collide, &p, &id), pl_statusOk);
    plCollideReport r = plCollide_Update(scene.collide, 1e-3);
    assert_int_equal(r.moved, 1001);
    for (int i = 0; i < 100; i++) {
        const plFrame f = placed(1e-3 * i, 0, 0);
        plCollide_Move(scene.collide, id, &f, 1);
        r = plCollide_Update(scene.collide, 1e-3);
        assert_true(r.moved <= 1 && r.pairs < 20);
    }
    // One that was fixed is moved beside the moving one.
    const plFrame f = placed(0.1, 0, 0.1);
    plCollide_Move(scene.collide, 7, &f, 0);
    r = plCollide_Update(scene.collide, 1e-3);
    bool found = false;
    for (int i = 0; i < r.contactCount; i++) found |= r.contacts[i].a == 7 && r.contacts[i].b == id;
    assert_true(found);
    freeCollide();
}

static void planarWorldRemembers(void** state)
{
    (void)state;
    plCollideDef def = plDefaultCollideDef();
    def.planar = true;
    def.reach = 0;
    shapesBegin();
    makeCollide(&def);
    const int tool = add(makeBox(0.01, 0.01, 0.1), placed(0, 0.05, 0), 0, true);
    add(makeBox(0.2, 2e-4, 0.1), placed(0, 0, 0), 1, false);
    for (int i = 0; i < 600; i++) {
        // Down at 0.1 m/s, through the plate, deeper than it is thick.
        const plFrame f = placed(0, 0.05 - 1e-4 * i, 0);
        plCollide_Move(scene.collide, tool, &f, 0.1);
        const plCollideReport r = plCollide_Update(scene.collide, 1e-3);
        const double depth = 0.01 + 2e-4 - f.x.y;
        if (depth < -2e-4) assert_int_equal(r.contactCount, 0);
        if (depth > 1e-9) {
            assert_true(r.contactCount >= 2);
            for (int k = 0; k < 2; k++) {
                checkNear("normal", r.contacts[k].p.n.y, 1, 1e-12);
            }
            double deepest = 0;
            for (int k = 0; k < r.contactCount; k++) deepest = fmin(deepest, r.contacts[k].p.gap);
            checkNear("depth", deepest, -depth, 1e-12);
        }
    }
    freeCollide();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyPairOfARandomMotionIsFound),
        cmocka_unit_test(onlyCornersComeThroughFaces),
        cmocka_unit_test(whatIsHitHasTheSpeedOfWhatHits),
        cmocka_unit_test(farPairsAreLeftAlone),
        cmocka_unit_test(beginsAndEndsBalance),
        cmocka_unit_test(overflowIsReportedAndPasses),
        cmocka_unit_test(filtersAreObeyed),
        cmocka_unit_test(restoredStateGivesTheSameContacts),
        cmocka_unit_test(orderOfAdditionDoesNotMatter),
        cmocka_unit_test(thousandFixedProxiesCostNoLooks),
        cmocka_unit_test(planarWorldRemembers),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
