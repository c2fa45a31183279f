// Contacts in a world: who touches whom, what is remembered, what the report and the ledger say.
#include "heap.h"
#include "world/inside.h"

#include <string.h>
#include <unistd.h>

static const plVec3 down = {0, 0, -9.81};

static plWorld* driftWorld(plLawName law, double driftRate)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.contact.law = law;
    def.contact.driftRate = driftRate;
    checkOk(NULL, plWorld_Create(&def, &w));
    return w;
}

static plWorld* lawWorld(plLawName law) { return driftWorld(law, 0.2); }

// --- the cache

enum { capacity = 16 };

typedef struct {
    plArena fixed, state;
    plContacts contacts;
    plSurfaces surfaces;
    plCarrier carriers[4]; ///< ground, a, a again, b
} Cache;

static Cache makeCache(void)
{
    Cache c = {.carriers = {{.body = 0},
                            {.site = {{1, 1}, 0, {0, 0, 0}}, .body = 1},
                            {.site = {{1, 1}, 0, {0, 0, 0}}, .body = 1},
                            {.site = {{2, 1}, 0, {0, 0, 0}}, .body = 2}}};
    const plAllocator allocator = plDefaultAllocator();
    const plSurface surface = plDefaultSurface();
    plArena_Create(&c.fixed, 1 << 20, &allocator);
    plArena_Create(&c.state, 1 << 20, &allocator);
    assert_int_equal(plContacts_Create(&c.contacts, capacity, 3, &c.fixed, &c.state), pl_statusOk);
    assert_int_equal(plSurfaces_Create(&c.surfaces, 0, &surface, &c.fixed), pl_statusOk);
    return c;
}

static void freeCache(Cache* c)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&c->fixed, &allocator);
    plArena_Destroy(&c->state, &allocator);
}

static plTouch touch(int a, int b, uint64_t key, plVec3 at, plVec3 n, double gap)
{
    return (plTouch){
        a, b, {.key = key, .a = at, .b = at, .localA = at, .localB = at, .n = n, .gap = gap}};
}

static int update(Cache* c, const plTouch* touches, int count)
{
    const plContactRules rules = {.cluster = 1e-3, .coherence = 5e-3};
    assert_true(plContacts_Update(&c->contacts, touches, count, c->carriers, &c->surfaces, rules));
    return c->contacts.count;
}

static void closeContactsOfTwoPartsBecomeTheDeepest(void** unused)
{
    (void)unused;
    Cache c = makeCache();
    const plVec3 up = {0, 0, 1}, side = {1, 0, 0};
    const plTouch touches[] = {
        touch(0, 1, 7, (plVec3){0, 0, 0}, plScale(-1, up), -1e-4),      // ground below a
        touch(0, 2, 3, (plVec3){5e-4, 0, 0}, plScale(-1, up), -2e-4),   // a's other shape: the same
        touch(0, 2, 4, (plVec3){5e-4, 0, 0}, plScale(-1, side), -1e-4), // a notch: another
        touch(0, 3, 1, (plVec3){0, 0, 0}, plScale(-1, up), -1e-4),      // b: another
        touch(0, 1, 9, (plVec3){2e-3, 0, 0}, plScale(-1, up), -1e-4),   // far: another
        touch(1, 3, 1, (plVec3){0, 0, 0}, up, 1e-9),                    // apart: none
    };
    assert_int_equal(update(&c, touches, 6), 4);
    const plContact* first = &c.contacts.list[0];
    assert_int_equal(first->key, 3); // the deepest
    assert_int_equal(first->bodyB, 0);
    checkNear("normal from the ground to a", first->n.z, 1, 0);
    freeCache(&c);
}

static void contactsKeepTheirPlaceInTime(void** unused)
{
    (void)unused;
    Cache c = makeCache();
    const plVec3 up = {0, 0, 1};
    plTouch t = touch(1, 3, 5, (plVec3){0, 0, 0}, up, -1e-4);
    update(&c, &t, 1);
    assert_true(c.contacts.list[0].fresh);
    c.contacts.list[0].memory = (plContactMemory){.age = 1, .p = {2, 0.3, -0.1}};
    plContacts_Keep(&c.contacts);

    t = touch(1, 3, 5, (plVec3){1e-3, 0, 0}, up, -1e-4); // the same features
    update(&c, &t, 1);
    assert_false(c.contacts.list[0].fresh);
    checkNear("normal impulse", c.contacts.list[0].memory.p[0], 2, 0);
    checkNear("tangential impulse", c.contacts.list[0].memory.p[1], 0.3, 1e-15);

    t = touch(2, 3, 9, (plVec3){4e-3, 0, 0}, up, -1e-4); // other features nearby
    update(&c, &t, 1);
    assert_false(c.contacts.list[0].fresh);

    t = touch(1, 3, 9, (plVec3){6e-3, 0, 0}, up, -1e-4); // too far
    update(&c, &t, 1);
    assert_true(c.contacts.list[0].fresh);
    assert_int_equal(c.contacts.list[0].memory.age, 0);

    t = touch(0, 1, 5, (plVec3){0, 0, 0}, up, -1e-4); // other parts
    update(&c, &t, 1);
    assert_true(c.contacts.list[0].fresh);
    freeCache(&c);
}

// --- materials

static void materialsMixUnlessAPairIsGiven(void** unused)
{
    (void)unused;
    plWorld* w = lawWorld(pl_lawCone);
    plMaterialDef ice = plDefaultMaterialDef(), rubber = plDefaultMaterialDef();
    plMaterialId i, r, again;
    ice.name = "ice", ice.surface.friction = 0.04, ice.surface.restitution = 0.2;
    rubber.name = "rubber", rubber.surface.friction = 1, rubber.surface.restitution = 0.8;
    rubber.surface.stiffness = 3e4;
    checkOk(w, plWorld_AddMaterial(w, &ice, &i));
    checkOk(w, plWorld_AddMaterial(w, &rubber, &r));
    assert_int_equal(plWorld_AddMaterial(w, &rubber, &again), pl_statusDuplicate);
    plPair p = plSurfaces_Pair(&w->surfaces, (int)i.index1, (int)r.index1);
    checkNear("friction", p.mu, 0.2, 1e-15);
    checkNear("restitution", p.e, 0.2, 0);
    checkNear("stiffness", p.stiffness, 1.5e4, 1e-9);
    plSurface both = plDefaultSurface();
    both.friction = 0.7;
    checkOk(w, plWorld_SetPair(w, r, i, &both));
    p = plSurfaces_Pair(&w->surfaces, (int)i.index1, (int)r.index1);
    checkNear("given friction", p.mu, 0.7, 0);
    both.friction = -1;
    assert_int_equal(plWorld_SetPair(w, r, i, &both), pl_statusBadArgument);
    assert_int_equal(plWorld_SetPair(w, (plMaterialId){9, 1}, i, &both), pl_statusBadId);
    plWorld_Destroy(w);
}

// --- who touches whom

// A chain of overlapping boxes on a line that would touch all over.
static plWorld* overlappingChain(plMechanismId* id)
{
    plChainBodyDef bodies[3] = {rod("a", -1, 0.1, 1), rod("b", 0, 0.1, 1), rod("c", 1, 0.1, 1)};
    plChainDef def = plDefaultChainDef();
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    def.name = "arm";
    def.bodies = bodies;
    def.bodyCount = 3;
    checkOk(w, plWorld_AddChain(w, &def, id));
    for (int part = 0; part < 3; ++part) addSphereShape(w, *id, part, 0.11);
    return w;
}

static void partsOfAJointDoNotTouch(void** unused)
{
    (void)unused;
    plMechanismId id;
    plContactInfo c;
    plWorld* w = overlappingChain(&id);
    plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_ContactCount(w), 1); // a and c
    assert_int_equal(plWorld_Contact(w, 0, &c), pl_statusOk);
    assert_int_equal(c.a.part + c.b.part, 2);
    plWorld_Destroy(w);

    w = overlappingChain(&id);
    checkOk(w, plWorld_Ignore(w, (plSite){.mechanism = id}, (plSite){.mechanism = id, .part = 2}));
    plWorld_Step(w, 1e-3);
    assert_int_equal(plWorld_ContactCount(w), 0);
    plWorld_Destroy(w);
}

static void masksDecideWhoMeets(void** unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k) {
        plWorld* w = makeWorld(down, 1);
        plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
        plShapeId shape;
        floor.group = 2;
        checkOk(w, plWorld_AddShape(w, &floor, &shape));
        plMechanismId id = addCube(w, "cube", 1, 0.05, (plVec3){0, 0, 0.04});
        plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
        ball.mechanism = id;
        ball.shape.radius = 0.06;
        ball.mask = k ? 1 : UINT32_MAX;
        checkOk(w, plWorld_AddShape(w, &ball, &shape));
        plWorld_Step(w, 1e-3);
        assert_int_equal(plWorld_ContactCount(w), k ? 4 : 5);
        plWorld_Destroy(w);
    }
}

static void badShapesAreRefusedWithASentence(void** unused)
{
    (void)unused;
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    plShapeId shape;
    def.planar = true;
    def.capacity.shapes = 1;
    checkOk(NULL, plWorld_Create(&def, &w));
    plMechanismId body, flat;
    plAssemblyDef assembly = plDefaultAssemblyDef();
    assembly.name = "body", assembly.mass = 1, assembly.inertia = diagonal(1, 1, 1);
    checkOk(w, plWorld_AddAssembly(w, &assembly, &body));
    plChainBodyDef planar = plDefaultChainBodyDef();
    planar.name = "p", planar.joint = pl_jointPlanar, planar.mass = 1;
    planar.inertia = diagonal(1, 1, 1);
    plChainDef chain = plDefaultChainDef();
    chain.name = "flat", chain.bodies = &planar, chain.bodyCount = 1;
    checkOk(w, plWorld_AddChain(w, &chain, &flat));
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    box.mechanism = body;
    assert_int_equal(plWorld_AddShape(w, &box, &shape), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "plane"));
    box.mechanism = flat;
    box.shape.half.x = -1;
    assert_int_equal(plWorld_AddShape(w, &box, &shape), pl_statusBadArgument);
    box.shape.half.x = 1;
    box.material = (plMaterialId){5, 1};
    assert_int_equal(plWorld_AddShape(w, &box, &shape), pl_statusBadId);
    box.material = (plMaterialId){0, 0};
    box.part = 3;
    assert_int_equal(plWorld_AddShape(w, &box, &shape), pl_statusBadId);
    box.part = 0;
    checkOk(w, plWorld_AddShape(w, &box, &shape));
    assert_int_equal(plWorld_AddShape(w, &box, &shape), pl_statusCapacity);
    assert_non_null(strstr(plWorld_Error(w), "capacity.shapes"));
    assert_int_equal(plWorld_Ignore(w, (plSite){.mechanism = flat}, (plSite){.mechanism = flat}),
                     pl_statusBadArgument);
    plWorld_Destroy(w);
}

// --- states, forces, report

static void aCubeFallsCollidesAndRests(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        plWorld* w = lawWorld(law);
        addFloor(w, 0);
        const plMechanismId id = addCube(w, "cube", 2, 0.05, (plVec3){0, 0, 0.0505});
        plWorld_Step(w, 1e-3);
        assert_int_equal(plWorld_ContactState(w, id), pl_contactFree);
        int collided = 0;
        for (int i = 0; i < 1000; ++i) {
            plWorld_Step(w, 1e-3);
            collided += plWorld_ContactState(w, id) == pl_contactColliding;
        }
        assert_int_equal(collided, 1);
        assert_int_equal(plWorld_ContactState(w, id), pl_contactResting);
        plVec3 sum = {0, 0, 0};
        for (int i = 0; i < plWorld_ContactCount(w); ++i) {
            plContactInfo c;
            assert_int_equal(plWorld_Contact(w, i, &c), pl_statusOk);
            sum = plAdd(sum, c.force);
        }
        checkNear("contacts carry the weight", sum.z, 2 * 9.81, 1e-5);
        checkNear("and nothing sideways", hypot(sum.x, sum.y), 0, 1e-5);
        plWorld_Destroy(w);
    }
}

static void contactsThatDoNotFitAreReported(void** unused)
{
    (void)unused;
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.capacity.contacts = 6;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    for (int i = 0; i < 3; ++i) addCube(w, partName(i), 1, 0.05, (plVec3){0.2 * i, 0, 0.05});
    run(w, 1e-3, 5);
    assert_true(plWorld_Report(w).trouble & pl_troubleContactsFull);
    assert_int_equal(plWorld_ContactCount(w), 6);
    plWorld_Destroy(w);
}

// --- the space

// Solved with no world around it, by the judge.
static double residualOf(const plSpace* s, const plLaw* law)
{
    enum { most = 40 };
    const plAllocator allocator = plDefaultAllocator();
    static plContactMemory before[most], after[most];
    static double q[most * (1 + plMaxSides)], p[3 * most];
    plLawReport report;
    plLawWork work;
    plArena arena;
    assert_true(s->count <= most);
    plArena_Create(&arena, plLawWork_Size(s->count, s->sides), &allocator);
    assert_int_equal(plLawWork_Create(&work, s->count, s->sides, &arena), pl_statusOk);
    law->bias(s, 0, q);
    law->solve(s, q, 0, before, after, p, &work, &report);
    const double residual = law->judge(s, q, p);
    plArena_Destroy(&arena, &allocator);
    return residual;
}

/// Contacts of a group that had rows in the last step: those that touch or come near enough in it.
static int met(const plWorld* w, int group)
{
    const plGroup g = plGroups_At(w, group);
    int count = 0;
    for (int i = 0; i < g.contactCount; ++i) count += g.contacts[g.contactList[i]].comes;
    return count;
}

static void frozenSpacesCanBeSolvedAlone(void** unused)
{
    (void)unused;
    const char* path = "frozen_contact_test.txt";
    const plAllocator allocator = plDefaultAllocator();
    plSpaceFile file;
    plWorld* w = heap(pl_lawCone, 5);
    assert_int_equal(plWorld_Freeze(w, 1e-3, path), pl_statusNotFound);
    run(w, 1e-3, 400);
    const uint64_t hash = plWorld_Hash(w);
    checkOk(w, plWorld_Freeze(w, 1e-3, path));
    assert_true(plWorld_Hash(w) == hash); // a rehearsal only
    assert_int_equal(plSpaceFile_Load(&file, path, pl_spaceAny, &allocator), pl_statusOk);
    plWorld_Step(w, 1e-3);
    int most = 0;
    for (int i = 0; i < w->groupCount; ++i) {
        const int count = met(w, i);
        most = count > most ? count : most;
    }
    assert_true(most >= 8);
    assert_int_equal(file.space.count, most);
    assert_true(residualOf(&file.space, &plConeLaw) <= 1e-6);
    assert_true(residualOf(&file.space, &plLcpLaw) <= 1e-6);
    plSpaceFile_Destroy(&file, &allocator);
    assert_int_not_equal(plWorld_Freeze(w, 1e-3, "no/such/folder/x"), pl_statusOk);
    unlink(path);
    plWorld_Destroy(w);
}

// Two halves of a cube held together by a rigid link, beside a whole cube: largest difference of
// their heights through the first impact.
static double gluedAgainstWhole(plLawName law, double T)
{
    plWorld* w = driftWorld(law, 0); // it is slower where there are links
    plLinkDef link = plDefaultLinkDef();
    plLinkId linkId;
    plMechanismId half[2];
    plAssemblyDef def = plDefaultAssemblyDef();
    const double m = 0.5;
    addFloor(w, 0);
    def.pose.q = plExp(plVec(0.3, 0.2, 0.1));
    const plMat3 R = plRotation(def.pose.q);
    for (int i = 0; i < 2; ++i) {
        def.name = partName(i);
        def.mass = m;
        def.inertia = diagonal(m * 0.02 / 12, m * 0.0125 / 12, m * 0.0125 / 12);
        def.pose.p = plAdd(plVec(0, 0, 0.2), plMul(&R, plVec(i ? 0.025 : -0.025, 0, 0)));
        checkOk(w, plWorld_AddAssembly(w, &def, &half[i]));
        addBoxShape(w, half[i], (plVec3){0.025, 0.05, 0.05});
    }
    checkOk(w, plWorld_Ignore(w, (plSite){.mechanism = half[0]}, (plSite){.mechanism = half[1]}));
    link.name = "glue";
    link.a = (plSite){half[0], 0, {0.025, 0, 0}};
    link.b = (plSite){half[1], 0, {-0.025, 0, 0}};
    link.stiffness = link.turnStiffness = INFINITY;
    link.turns = true;
    checkOk(w, plWorld_AddLink(w, &link, &linkId));
    const plMechanismId whole = addCube(w, "whole", 1, 0.05, (plVec3){0, 1, 0.2});
    const plQuat turn = def.pose.q;
    const double q[7] = {0, 1, 0.2, turn.w, turn.x, turn.y, turn.z}, v[6] = {0};
    checkOk(w, plWorld_SetState(w, whole, q, v));
    double worst = 0;
    while (plWorld_Time(w) < 0.18) { // before a second corner comes down
        plMotion a, b;
        plWorld_Step(w, T);
        plWorld_Motion(w, link.a, &a);
        plWorld_Motion(w, (plSite){.mechanism = whole}, &b);
        worst = fmax(worst, fabs(a.x.z - b.x.z));
    }
    assert_true(plWorld_ContactLedger(w).dissipated > 0.1); // they did hit
    plWorld_Destroy(w);
    return worst;
}

// Groups with links are linearised at the mean of the step, others at its start: the two agree to
// the first order of the step.
static void linksAreEliminatedFromTheSpace(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawLcp; law <= pl_lawCone; ++law) {
        const double coarse = gluedAgainstWhole(law, 1e-3), fine = gluedAgainstWhole(law, 1e-4);
        print_message("%s: glued halves against a whole, %.2g m at 1 ms, %.2g m at 0.1 ms\n",
                      plLawName_Name((int)law), coarse, fine);
        checkAtMost("at 1 ms", coarse, 5e-4);
        checkAtMost("at 0.1 ms", fine, 5e-5);
    }
}

// --- state

static void snapshotsHoldContacts(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        plWorld* w = heap(law, 6);
        run(w, 1e-3, 300);
        const size_t size = plWorld_SnapshotSize(w);
        void* snapshot = malloc(size);
        plWorld_Save(w, snapshot);
        run(w, 1e-3, 200);
        const uint64_t hash = plWorld_Hash(w);
        checkOk(w, plWorld_Restore(w, snapshot, size));
        run(w, 1e-3, 200);
        assert_true(plWorld_Hash(w) == hash);
        plWorld* other = heap(law, 6);
        plSurface surface = plDefaultSurface();
        surface.friction = 0.1;
        checkOk(other,
                plWorld_SetPair(other, (plMaterialId){0, 0}, (plMaterialId){0, 0}, &surface));
        checkOk(other, plWorld_Restore(other, snapshot, size)); // surfaces are in it, too
        run(other, 1e-3, 200);
        assert_true(plWorld_Hash(other) == hash);
        free(snapshot);
        plWorld_Destroy(w);
        plWorld_Destroy(other);
    }
}

// Whatever is thrown at a world: states stay finite.
static void absurdMotionStaysFinite(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        const int count = sized(4, 8);
        plWorld* w = heap(law, count);
        plRng rng = plRng_Seed(7 + (uint64_t)law);
        for (int i = 0; i < sized(50, 2000); ++i) {
            double q[7], v[6];
            const plMechanismId id = plWorld_Mechanism(w, i % count);
            plWorld_State(w, id, q, v);
            if (i % 10 == 0) {
                for (int k = 0; k < 6; ++k) v[k] = plRng_Uniform(&rng, -1, 1) * pow(10, i % 7);
                for (int k = 0; k < 3; ++k) q[k] = plRng_Uniform(&rng, -0.1, 0.1);
                checkOk(w, plWorld_SetState(w, id, q, v));
            }
            plWorld_Step(w, pow(10, -(i % 5)));
            for (int m = 0; m < count; ++m) {
                plWorld_State(w, plWorld_Mechanism(w, m), q, v);
                for (int k = 0; k < 7; ++k) assert_true(isfinite(q[k]));
                for (int k = 0; k < 6; ++k) assert_true(isfinite(v[k]));
            }
        }
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closeContactsOfTwoPartsBecomeTheDeepest),
        cmocka_unit_test(contactsKeepTheirPlaceInTime),
        cmocka_unit_test(materialsMixUnlessAPairIsGiven),
        cmocka_unit_test(partsOfAJointDoNotTouch),
        cmocka_unit_test(masksDecideWhoMeets),
        cmocka_unit_test(badShapesAreRefusedWithASentence),
        cmocka_unit_test(aCubeFallsCollidesAndRests),
        cmocka_unit_test(contactsThatDoNotFitAreReported),
        cmocka_unit_test(frozenSpacesCanBeSolvedAlone),
        cmocka_unit_test(linksAreEliminatedFromTheSpace),
        cmocka_unit_test(snapshotsHoldContacts),
        cmocka_unit_test(absurdMotionStaysFinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
