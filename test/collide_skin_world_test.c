// Skins over time: keys, trees, speeds, capacity, memory, state, and what a tick costs.
#include "collide_skins.h"
#include "counting.h"

#include <time.h>

static Surface third;

// --- identity

/// A ball of 5 cm on a box's edge, both skins or one.
static void keysStayWhileFeaturesTouch(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(78);
    int before = 0, kept = 0, changed = 0;
    for (int i = 0; i < 40; i++) {
        static uint64_t keys[4000];
        Pair p;
        shapesBegin();
        anySurface(&rng, &one, false);
        const plFrame f = {plVec(0, 0, 0), randomRotation(&rng)};
        static Solid solid;
        const plShape* shape = makeBox(0.05, 0.03, 0.02);
        solidOf(shape, &f, &solid);
        if (!bringNear(&rng, &solid, 1e-3, false)) continue;
        openPair(&p, 1e-2, 4000);
        const int id = addSkin(&p, &one.skin, 0);
        addRigid(&p, shape, &f, 1);
        plCollideReport r = plCollide_Update(p.collide, 0);
        const int count = r.contactCount;
        for (int k = 0; k < count; k++) keys[k] = r.contacts[k].p.key;
        // Nothing moves: the same.
        plCollide_Deform(p.collide, id, 0);
        r = plCollide_Update(p.collide, 0);
        assert_int_equal(r.contactCount, count);
        for (int k = 0; k < count; k++) assert_true(keys[k] == r.contacts[k].p.key);
        for (int k = 0; k < one.pointCount; k++) {
            one.x[k] = plAddScaled(one.x[k], 1e-6, randomDirection(&rng));
        }
        plCollide_Deform(p.collide, id, 0);
        r = plCollide_Update(p.collide, 0);
        int same = 0;
        for (int k = 0, m = 0; k < count; k++) {
            while (m < r.contactCount && r.contacts[m].p.key < keys[k]) m++;
            same += m < r.contactCount && r.contacts[m].p.key == keys[k];
        }
        before += count, kept += same, changed += r.contactCount - same;
        closePair(&p);
    }
    print_message("moves of 1 um: %d of %d contacts keep their keys, %d are new\n", kept, before,
                  changed);
    // Those that change lie at the end of the reach or of a feature.
    assert_true(before > 100 && kept >= 0.98 * before && changed <= 0.02 * before);
}

static bool areEqual(const plCollideReport* r, const plCollideReport* s)
{
    if (r->contactCount != s->contactCount) return false;
    for (int i = 0; i < r->contactCount; i++) {
        const plPoint* p = &r->contacts[i].p;
        const plPoint* q = &s->contacts[i].p;
        if (p->key != q->key || p->gap != q->gap || p->faceA != q->faceA || p->faceB != q->faceB ||
            memcmp(&p->a, &q->a, sizeof p->a) || memcmp(&p->n, &q->n, sizeof p->n) ||
            memcmp(&p->localA, &q->localA, sizeof p->localA)) {
            return false;
        }
    }
    return true;
}

static void aRefittedTreeFindsWhatANewOneFinds(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(79);
    for (int i = 0; i < 20; i++) {
        Pair p, q;
        makeBall(&one, 0.05, 9, 14);
        makeBlock(&two, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0.03), 4, 4, 4);
        shift(&one, plVec(0, 0, 0.0805));
        openPair(&p, 5e-3, 4000);
        addSkin(&p, &one.skin, 0);
        addSkin(&p, &two.skin, 1);
        plCollide_Update(p.collide, 0);
        deform(&one, &rng, 0.01, 0.001, 0.1);
        deform(&two, &rng, 0.01, 0.001, 0.1);
        plCollide_Deform(p.collide, 0, 0);
        plCollide_Deform(p.collide, 1, 0);
        const plCollideReport r = plCollide_Update(p.collide, 0);
        openPair(&q, 5e-3, 4000);
        addSkin(&q, &one.skin, 0);
        addSkin(&q, &two.skin, 1);
        const plCollideReport s = plCollide_Update(q.collide, 0);
        assert_true(areEqual(&r, &s));
        closePair(&p);
        closePair(&q);
    }
}

/// The speed is reach too, and bounds are grown by it: once they touch, both have that of the faster one.
static void skinsThatCouldMeetAreFound(void** state)
{
    (void)state;
    Pair p;
    makeTet(&one, plVec(0.002, 0.001, 0.5003), -1, 0.01);
    makeBlock(&two, plVec(-0.02, -0.02, -0.02), plVec(0.02, 0.02, 0), 1, 1, 1);
    openPair(&p, 1e-3, 100);
    addSkin(&p, &one.skin, 0);
    addSkin(&p, &two.skin, 1);
    int first = -1;
    bool touching = false;
    for (int i = 0; i < 510; i++) {
        shift(&one, plVec(0, 0, -1e-3)); // 1 m/s
        plCollide_Deform(p.collide, 0, 1);
        const plCollideReport r = plCollide_Update(p.collide, 1e-3);
        const double gap = 0.5003 - 1e-3 * (i + 1);
        assert_int_equal(r.contactCount > 0, fabs(gap) <= (touching ? 3e-3 : 2e-3));
        touching = r.contactCount > 0;
        if (r.contactCount > 0 && first < 0) first = i;
        assert_int_equal(r.beginCount, i == first);
        if (r.contactCount > 0) checkNear("gap", r.contacts[0].p.gap, gap, 1e-12);
    }
    assert_true(first > 0);
    closePair(&p);
}

static void untouchablePointsMeetNothing(void** state)
{
    (void)state;
    Pair p;
    shapesBegin();
    makeBlock(&one, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0), 4, 4, 2);
    for (int i = 0; i < one.pointCount; i++) one.touchable[i] = one.x[i].x > 0;
    one.skin.touchable = one.touchable;
    makeBlock(&two, plVec(-0.03, -0.03, 5e-4), plVec(0.03, 0.03, 0.03), 3, 3, 2);
    const plShape* box = makeBox(0.03, 0.03, 0.01);
    const plFrame f = turned(0.002, 0.001, 0.0105, plVec(0, 0, 1), 0.2);
    for (int i = 0; i < 2; i++) {
        openPair(&p, 1e-3, 4000);
        addSkin(&p, &one.skin, 0);
        if (i == 0) addRigid(&p, box, &f, 1);
        if (i == 1) addSkin(&p, &two.skin, 1);
        const plCollideReport r = plCollide_Update(p.collide, 0);
        assert_true(r.contactCount > 10);
        for (int k = 0; k < r.contactCount; k++) {
            const plPoint* c = &r.contacts[k].p;
            const int* v = &one.faces[3 * (c->faceA - 1)];
            const double w[3] = {c->localA.x, c->localA.y, c->localA.z};
            bool some = plSkinKey_A(c->key) == pl_skinFace &&
                        (one.touchable[v[0]] || one.touchable[v[1]] || one.touchable[v[2]]);
            for (int m = 0; m < 3; m++) some |= w[m] > 0 && one.touchable[v[m]];
            assert_true(some);
        }
        closePair(&p);
    }
}

// --- capacity, memory, state

static void capacitiesAreKept(void** state)
{
    (void)state;
    Pair p;
    plProxyDef def = plDefaultProxyDef();
    int id;
    shapesBegin();
    makeBlock(&one, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0), 4, 4, 2);
    openPair(&p, 1e-3, 5);
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument); // neither
    def.skin = &one.skin;
    def.shape = makeSphere(1);
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument); // both
    def.shape = NULL;
    plSkinDef bad = one.skin;
    def.skin = &bad;
    bad.pointCount = 4; // faces have more
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument);
    bad = (plSkinDef){.pointCount = 3, .faceCount = 0, .faces = one.faces, .x = one.x};
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument);
    const plVec3 x = one.x[0];
    bad = one.skin;
    one.x[0].y = (double)NAN;
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument);
    one.x[0] = x;
    addSkin(&p, &one.skin, 0);
    addRigid(&p, makePlane(plVec(0, 0, 1)), &(plFrame){{0, 0, -0.03}, plIdentity3()}, 1);
    plCollideReport r = plCollide_Update(p.collide, 0);
    assert_true(r.contactCount == 5 && r.contactsFull);
    // What is not finite is not taken: the place stays.
    one.x[3].z = INFINITY;
    plCollide_Deform(p.collide, 0, 0);
    r = plCollide_Update(p.collide, 0);
    assert_true(r.contactCount == 5 && r.contacts[0].p.gap == 0);
    one.x[3].z = 0;
    plCollide_Deform(p.collide, 0, (double)NAN);
    closePair(&p);
    // Two blocks fit, a third is one too many for its faces.
    const plAllocator allocator = plDefaultAllocator();
    plCollideDef small = plDefaultCollideDef();
    makeBlock(&one, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0), 4, 4, 2);
    small.skinFaces = 2 * one.faceCount;
    small.skinPoints = 2 * one.pointCount;
    assert_int_equal(plArena_Create(&p.arena, plCollide_Memory(&small), &allocator), pl_statusOk);
    assert_int_equal(plCollide_Create(&small, &p.arena, &p.arena, &p.collide), pl_statusOk);
    def.skin = &one.skin;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(plCollide_Add(p.collide, &def, &id),
                         i < 2 ? pl_statusOk : pl_statusCapacity);
    }
    plArena_Destroy(&p.arena, &allocator);
    small.planar = true;
    assert_int_equal(plArena_Create(&p.arena, plCollide_Memory(&small), &allocator), pl_statusOk);
    assert_int_equal(plCollide_Create(&small, &p.arena, &p.arena, &p.collide), pl_statusOk);
    assert_int_equal(plCollide_Add(p.collide, &def, &id), pl_statusBadArgument);
    plArena_Destroy(&p.arena, &allocator);
}

static void restoredStateGivesTheSameContacts(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(81);
    Pair p;
    makeBall(&one, 0.05, 9, 14);
    makeBlock(&two, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0.03), 4, 4, 4);
    shift(&one, plVec(0, 0, 0.0805));
    openPair(&p, 2e-3, 4000);
    addSkin(&p, &one.skin, 0);
    addSkin(&p, &two.skin, 1);
    const plCollideReport first = plCollide_Update(p.collide, 0);
    unsigned char* copy = malloc(p.state.used);
    plTouch* contacts = malloc((size_t)first.contactCount * sizeof *contacts);
    assert_non_null(copy);
    assert_non_null(contacts);
    memcpy(copy, p.state.memory, p.state.used);
    memcpy(contacts, first.contacts, (size_t)first.contactCount * sizeof *contacts);
    assert_true(first.contactCount > 0);
    for (int i = 0; i < 5; i++) {
        deform(&one, &rng, 0.002, 0.001, 0.1);
        plCollide_Deform(p.collide, 0, 0.1);
        plCollide_Update(p.collide, 1e-3);
    }
    memcpy(p.state.memory, copy, p.state.used);
    const plCollideReport again = plCollide_Update(p.collide, 0);
    plCollideReport before = first;
    before.contacts = contacts;
    assert_true(areEqual(&before, &again)); // although the points outside are elsewhere now
    free(copy);
    free(contacts);
    closePair(&p);
}

/// The clip of 330 points against a pipe, and two blocks face to face.
static void ticksTakeNoMemory(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    const plClipDef clip = plDefaultClipDef();
    plTets tets;
    assert_int_equal(plTets_Clip(&clip, &allocator, &tets), pl_statusOk);
    makeSurface(&one, &tets);
    plTets_Free(&tets);
    shapesBegin();
    const plShape* pipe = makeCapsule(0.01, 0.06);
    makeBlock(&two, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0), 7, 7, 6);
    static const char* names[3] = {"clip that goes onto a pipe", "clip on a pipe",
                                   "block on block"};
    for (int i = 0; i < 3; i++) {
        const bool clips = i < 2;
        Pair p;
        const int ticks = sized(200, 2000);
        int points = 0, faces = 0;
        openPair(&p, 1e-3, 8000);
        addSkin(&p, clips ? &one.skin : &two.skin, 0);
        if (clips) {
            const plFrame f = turned(0, i == 0 ? -4e-3 : 0, 0, plVec(0, 1, 0), 0.5 * PL_PI);
            addRigid(&p, pipe, &f, 1);
        } else {
            makeBlock(&third, plVec(-0.02, -0.02, 2e-4), plVec(0.02, 0.02, 0.03), 6, 6, 6);
            turnSurface(&third, plRotation(plRotor(plVec(0, 0, 1), 0.3)));
            addSkin(&p, &third.skin, 1);
        }
        plCollideReport r = plCollide_Update(p.collide, 1e-3);
        startCounting();
        const long taken = takings;
        const clock_t start = clock(); // of this process: others may be at work
        for (int k = 0; k < ticks; k++) {
            const plVec3 by = {0, 0, k % 2 ? 1e-5 : -1e-5};
            shift(clips ? &one : &two, by);
            plCollide_Deform(p.collide, 0, 0.01);
            r = plCollide_Update(p.collide, 1e-3);
        }
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC / ticks;
        assert_int_equal(takings, taken);
        counts = false;
        for (int k = 0; k < r.contactCount; k++) {
            points += plSkinKey_A(r.contacts[k].p.key) == pl_skinPoint;
            faces += plSkinKey_A(r.contacts[k].p.key) == pl_skinFace;
        }
        assert_false(r.contactsFull);
        assert_true(points > 10);
        print_message("%s: %d points, %d faces; %d contacts, %d of points, %d of faces, %.1f us\n",
                      names[i], clips ? one.pointCount : two.pointCount,
                      clips ? one.faceCount : two.faceCount, r.contactCount, points, faces,
                      1e6 * seconds);
        closePair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keysStayWhileFeaturesTouch),
        cmocka_unit_test(aRefittedTreeFindsWhatANewOneFinds),
        cmocka_unit_test(skinsThatCouldMeetAreFound),
        cmocka_unit_test(untouchablePointsMeetNothing),
        cmocka_unit_test(capacitiesAreKept),
        cmocka_unit_test(restoredStateGivesTheSameContacts),
        cmocka_unit_test(ticksTakeNoMemory),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
