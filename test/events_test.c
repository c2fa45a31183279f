// Contact events: what begins, ends and hits in a tick, in order, each pair once; nothing of it changes the state.
#define _POSIX_C_SOURCE 200809L

#include "worlds.h"

#include <string.h>

typedef struct {
    plWorld* world;
    plShapeId ground, ball;
    plMechanismId body;
} Drop;

static Drop makeDrop(double height, double restitution, double hitSpeed)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    Drop d;
    def.contact.surface.restitution = restitution;
    def.contact.hitSpeed = hitSpeed;
    checkOk(NULL, plWorld_Create(&def, &d.world));
    checkOk(d.world, plWorld_AddShape(d.world, &ground, &d.ground));
    body.name = "ball";
    body.inertia = diagonal(0.004, 0.004, 0.004);
    body.pose.p.z = 0.1 + height;
    checkOk(d.world, plWorld_AddAssembly(d.world, &body, &d.body));
    ball.mechanism = d.body;
    ball.shape.radius = 0.1;
    checkOk(d.world, plWorld_AddShape(d.world, &ball, &d.ball));
    return d;
}

static bool isPair(plShapeId a, plShapeId b, const Drop* d)
{
    return a.index1 == d->ground.index1 && a.generation == d->ground.generation &&
           b.index1 == d->ball.index1 && b.generation == d->ball.generation;
}

// A fall of h ends at sqrt(2 g h), to the speed that gravity adds in a step.
static void fallBeginsOnceAndHitsAsFastAsItFell(void** state)
{
    (void)state;
    const double height = 0.2, T = 1e-3, expected = sqrt(2 * 9.81 * height);
    Drop d = makeDrop(height, 0, 1);
    int begins = 0, ends = 0, hits = 0;
    for (int k = 0; k < 1000; ++k) {
        plWorld_Step(d.world, T);
        const plContactEvents e = plWorld_ContactEvents(d.world);
        begins += e.beginCount, ends += e.endCount, hits += e.hitCount;
        for (int i = 0; i < e.beginCount; ++i) {
            assert_true(isPair(e.begins[i].shapeA, e.begins[i].shapeB, &d));
        }
        for (int i = 0; i < e.hitCount; ++i) {
            assert_true(isPair(e.hits[i].shapeA, e.hits[i].shapeB, &d));
            checkNear("speed of the hit", e.hits[i].speed, expected, 2 * 9.81 * T);
            checkNear("normal from the ball to the ground", e.hits[i].normal.z, -1, 1e-12);
            checkAtMost("height of the spot", fabs(e.hits[i].point.z), expected * T);
        }
    }
    assert_int_equal(begins, 1);
    assert_int_equal(hits, 1);
    assert_int_equal(ends, 0); // it rests: no chatter in 800 ticks
    plWorld_Destroy(d.world);
}

static void bouncesBeginAndEndInTurn(void** state)
{
    (void)state;
    Drop d = makeDrop(0.2, 0.8, 1);
    int begins = 0, ends = 0, hits = 0, bounces = 0;
    double last = -1;
    for (int k = 0; k < 1000; ++k) {
        double q[7], v[6];
        plWorld_Step(d.world, 1e-3);
        checkOk(d.world, plWorld_State(d.world, d.body, q, v));
        bounces += last < 0 && v[2] > 0;
        last = v[2];
        const plContactEvents e = plWorld_ContactEvents(d.world);
        begins += e.beginCount, ends += e.endCount, hits += e.hitCount;
        assert_true(begins == ends || begins == ends + 1); // never two begins without an end
    }
    assert_true(bounces >= 2);
    assert_int_equal(begins, bounces);
    assert_true(hits >= 2 && hits <= begins);
    plWorld_Destroy(d.world);
}

static void slowTouchIsNoHit(void** state)
{
    (void)state;
    Drop d = makeDrop(0.2, 0, 3);
    int begins = 0, hits = 0;
    for (int k = 0; k < 500; ++k) {
        plWorld_Step(d.world, 1e-3);
        begins += plWorld_ContactEvents(d.world).beginCount;
        hits += plWorld_ContactEvents(d.world).hitCount;
    }
    assert_int_equal(begins, 1);
    assert_int_equal(hits, 0);
    plWorld_Destroy(d.world);
}

// Many bodies that fall at once: every list in order, without doubles, and the same in a world restored from before.
static plWorld* makeRain(void)
{
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId shape;
    plWorld* w;
    checkOk(NULL, plWorld_Create(&def, &w));
    checkOk(w, plWorld_AddShape(w, &ground, &shape));
    box.shape.half = all3(0.05);
    for (int i = 0; i < 12; ++i) {
        char name[16];
        plAssemblyDef body = plDefaultAssemblyDef();
        snprintf(name, sizeof name, "box%d", i);
        body.name = name;
        body.inertia = diagonal(2e-3, 2e-3, 2e-3);
        body.pose.p = (plVec3){0.13 * (i % 3), 0.13 * (i / 3 % 2), 0.1 + 0.17 * (i / 6) + 0.01 * i};
        body.spin = (plVec3){1 + i, 2, -i};
        checkOk(w, plWorld_AddAssembly(w, &body, &box.mechanism));
        checkOk(w, plWorld_AddShape(w, &box, &shape));
    }
    return w;
}

static uint64_t wordOf(plShapeId a, plShapeId b) { return (uint64_t)a.index1 << 32 | b.index1; }

static void checkOrder(const plContactEvents* e)
{
    for (int i = 0; i < e->beginCount; ++i)
        assert_true(e->begins[i].shapeA.index1 < e->begins[i].shapeB.index1);
    for (int i = 1; i < e->beginCount; ++i) {
        assert_true(wordOf(e->begins[i - 1].shapeA, e->begins[i - 1].shapeB) <
                    wordOf(e->begins[i].shapeA, e->begins[i].shapeB));
    }
    for (int i = 1; i < e->endCount; ++i) {
        assert_true(wordOf(e->ends[i - 1].shapeA, e->ends[i - 1].shapeB) <
                    wordOf(e->ends[i].shapeA, e->ends[i].shapeB));
    }
    for (int i = 1; i < e->hitCount; ++i) {
        assert_true(wordOf(e->hits[i - 1].shapeA, e->hits[i - 1].shapeB) <
                    wordOf(e->hits[i].shapeA, e->hits[i].shapeB));
    }
}

// Begins less ends are the pairs that the list of contacts has.
static int pairsNow(const plWorld* w)
{
    bool seen[16][16] = {{false}};
    int count = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        bool* pair = c.shapeA.index1 < c.shapeB.index1 ? &seen[c.shapeA.index1][c.shapeB.index1]
                                                       : &seen[c.shapeB.index1][c.shapeA.index1];
        count += !*pair;
        *pair = true;
    }
    return count;
}

static void listsAreInOrderAndSumUpToTheContacts(void** state)
{
    (void)state;
    plWorld* w = makeRain();
    int touching = 0, begins = 0, hits = 0;
    for (int k = 0; k < 600; ++k) {
        plWorld_Step(w, 1e-3);
        const plContactEvents e = plWorld_ContactEvents(w);
        checkOrder(&e);
        touching += e.beginCount - e.endCount;
        assert_int_equal(touching, pairsNow(w));
        begins += e.beginCount, hits += e.hitCount;
    }
    assert_true(begins > 12 && hits > 3);
    plWorld_Destroy(w);
}

static void restoredWorldHasTheSameEvents(void** state)
{
    (void)state;
    plWorld *w = makeRain(), *other = makeRain();
    const size_t size = plWorld_SnapshotSize(w);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    for (int k = 0; k < 140; ++k) plWorld_Step(w, 1e-3);
    plWorld_Save(w, snapshot);
    checkOk(other, plWorld_Restore(other, snapshot, size));
    plContactEvents a = plWorld_ContactEvents(other);
    assert_int_equal(a.beginCount + a.endCount + a.hitCount, 0);
    int seen = 0;
    for (int k = 0; k < 200; ++k) {
        plWorld_Step(w, 1e-3);
        plWorld_Step(other, 1e-3);
        a = plWorld_ContactEvents(w);
        const plContactEvents b = plWorld_ContactEvents(other);
        assert_int_equal(a.beginCount, b.beginCount);
        assert_int_equal(a.endCount, b.endCount);
        assert_int_equal(a.hitCount, b.hitCount);
        assert_memory_equal(a.begins, b.begins, (size_t)a.beginCount * sizeof *a.begins);
        assert_memory_equal(a.ends, b.ends, (size_t)a.endCount * sizeof *a.ends);
        assert_memory_equal(a.hits, b.hits, (size_t)a.hitCount * sizeof *a.hits);
        assert_true(plWorld_Hash(w) == plWorld_Hash(other));
        seen += a.beginCount + a.endCount + a.hitCount;
    }
    assert_true(seen > 5);
    free(snapshot);
    plWorld_Destroy(w);
    plWorld_Destroy(other);
}

static void badStepAndRehearsalLeaveThemAlone(void** state)
{
    (void)state;
    Drop d = makeDrop(0.001, 0, 0);
    for (int k = 0; k < 200 && plWorld_ContactEvents(d.world).beginCount == 0; ++k) {
        plWorld_Step(d.world, 1e-3);
    }
    const plContactEvents before = plWorld_ContactEvents(d.world);
    assert_int_equal(before.beginCount, 1);
    assert_int_equal(before.hitCount, 1);
    char path[] = "/tmp/palp-events-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    checkOk(d.world, plWorld_Freeze(d.world, 1e-3, path));
    remove(path);
    const plContactEvents after = plWorld_ContactEvents(d.world);
    assert_int_equal(after.beginCount, before.beginCount);
    assert_int_equal(after.endCount, before.endCount);
    assert_int_equal(after.hitCount, before.hitCount);
    plWorld_Step(d.world, -1);
    assert_int_equal(plWorld_ContactEvents(d.world).beginCount, 0);
    plWorld_Step(d.world, 1e-3); // the touch goes on: it does not begin again
    assert_int_equal(plWorld_ContactEvents(d.world).beginCount, 0);
    plWorld_Destroy(d.world);
}

static void worldWithoutShapesHasNone(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.capacity.shapes = 0;
    checkOk(NULL, plWorld_Create(&def, &w));
    plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_ContactEvents(w).beginCount, 0);
    plWorld_Destroy(w);
    def = plDefaultWorldDef();
    def.contact.hitSpeed = -1;
    assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fallBeginsOnceAndHitsAsFastAsItFell),
        cmocka_unit_test(bouncesBeginAndEndInTurn),
        cmocka_unit_test(slowTouchIsNoHit),
        cmocka_unit_test(listsAreInOrderAndSumUpToTheContacts),
        cmocka_unit_test(restoredWorldHasTheSameEvents),
        cmocka_unit_test(badStepAndRehearsalLeaveThemAlone),
        cmocka_unit_test(worldWithoutShapesHasNone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
