// A world as its user meets it: memory, refusals, trouble, snapshots, channels.
#include "full_world.h"
#include "math/math.h"

#include <float.h>
#include <string.h>

// --- refusals: the status, and a sentence with the given word in it

static void checkRefused(const plWorld* world, plStatus actual, plStatus expected, const char* word)
{
    if (actual == expected && strstr(plWorld_Error(world), word)) return;
    print_error("%s \"%s\", expected %s and \"%s\"\n", plStatus_Name(actual), plWorld_Error(world),
                plStatus_Name(expected), word);
    fail();
}

static void capacitiesSayWhatToRaise(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    def.capacity =
        (plWorldCapacity){.mechanisms = 2, .links = 2, .drives = 1, .rows = 6, .memory = 1 << 20};
    plWorld* world;
    checkOk(NULL, plWorld_Create(&def, &world));
    const plMechanismId a = addBody(world, "a", (plVec3){0, 0, 0});
    const plMechanismId b = addBody(world, "b", (plVec3){1, 0, 0});
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId none;
    body.name = "c";
    checkRefused(world, plWorld_AddAssembly(world, &body, &none), pl_statusCapacity,
                 "capacity.mechanisms");
    plLinkDef link = plDefaultLinkDef();
    plLinkId id;
    addSpring(world, "first", (plSite){.mechanism = a}, (plSite){.mechanism = b}, false);
    link = (plLinkDef){.name = "big",
                       .a = {.mechanism = a},
                       .stiffness = 1,
                       .turns = true,
                       .turnStiffness = 1,
                       .rest = {1, 0, 0, 0}};
    checkRefused(world, plWorld_AddLink(world, &link, &id), pl_statusCapacity, "capacity.rows");
    assert_int_equal(plWorld_FindLink(world, "big", &id), pl_statusNotFound);
    addSpring(world, "second", (plSite){.mechanism = a}, (plSite){.mechanism = b}, false);
    checkRefused(world, plWorld_AddLink(world, &link, &id), pl_statusCapacity, "capacity.links");
    plDriveDef drive = plDefaultDriveDef();
    drive.site.mechanism = a;
    checkOk(world, plWorld_AddDrive(world, &drive));
    checkRefused(world, plWorld_AddDrive(world, &drive), pl_statusCapacity, "capacity.drives");
    for (int i = 0; i < 10; ++i) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble, 0);
    // a few eps of what two springs of 1000 N/m hold when 1 m long
    checkAtMost("residual", plWorld_Ledger(world).worst, 10 * DBL_EPSILON * 1000);
    plWorld_Destroy(world);

    def.capacity.memory = 1 << 10; // not even the lists
    assert_int_equal(plWorld_Create(&def, &world), pl_statusCapacity);
    assert_null(world);
}

// What was refused for lack of memory leaves no trace, whichever arena or piece it failed at.
static void worldLivesOnWhenMemoryIsFull(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    def.capacity =
        (plWorldCapacity){.mechanisms = 8, .links = 0, .drives = 0, .rows = 64, .memory = 0};
    int refused = 0;
    for (size_t memory = 100 << 10; memory < 400 << 10; memory += 2 << 10) {
        plWorld* world;
        plMechanismId id;
        def.capacity.memory = memory;
        if (plWorld_Create(&def, &world) != pl_statusOk) continue;
        plChainBodyDef bodies[large];
        plChainDef chain = plDefaultChainDef();
        for (int i = 0; i < large; ++i) bodies[i] = rod(partName(i), i - 1, 0.1, 0.05);
        chain.name = "big";
        chain.bodies = bodies;
        chain.bodyCount = large;
        const size_t used = plWorld_Memory(world).used, snapshot = plWorld_SnapshotSize(world);
        const plStatus status = plWorld_AddChain(world, &chain, &id);
        if (status != pl_statusOk) {
            ++refused;
            checkRefused(world, status, pl_statusCapacity, "capacity.memory");
            assert_true(plWorld_Memory(world).used == used);
            assert_true(plWorld_SnapshotSize(world) == snapshot);
            assert_int_equal(plWorld_MechanismCount(world), 0);
            // 25 kB, and an eighth of all memory is for states
            if (plWorld_Memory(world).capacity - used > (25 << 10) + memory / 8) {
                addBody(world, "small", (plVec3){0, 0, 0}); // and this fits
            }
            plWorld_Step(world, 1e-3);
        }
        plWorld_Destroy(world);
    }
    assert_in_range(refused, 10, 200);
}

static void badDefinitionsAreRefused(void** state)
{
    (void)state;
    plWorld* world = fullWorld(false, NULL);
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId id;
    const char* badNames[] = {NULL, "", "with space", "dot.ted",
                              "abcdefghijklmnopqrstuvwxyz012345"};
    for (int i = 0; i < PL_COUNT(badNames); ++i) {
        body.name = badNames[i];
        checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusBadArgument, "name");
        plLinkDef link = plDefaultLinkDef();
        plLinkId linkId;
        link.name = badNames[i];
        link.a.mechanism = plWorld_Mechanism(world, 0);
        checkRefused(world, plWorld_AddLink(world, &link, &linkId), pl_statusBadArgument, "name");
    }
    body.name = "body";
    checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusDuplicate, "taken");
    body.name = "grip"; // a link's
    checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusDuplicate, "taken");
    body.name = "new";
    body.mass = 0;
    checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusBadArgument, "mass");
    body.mass = 1;
    body.inertia = diagonal(1, -1, 1);
    checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusBadArgument, "inertia");
    body.inertia = diagonal(1, 1, 1);
    body.velocity.x = NAN;
    checkRefused(world, plWorld_AddAssembly(world, &body, &id), pl_statusBadArgument, "velocity");
    plChainBodyDef massless = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    massless.name = "rod";
    chain.name = "chain";
    chain.bodies = &massless;
    chain.bodyCount = 1;
    checkRefused(world, plWorld_AddChain(world, &chain, &id), pl_statusBadArgument, "mass matrix");
    massless.parent = 0;
    checkRefused(world, plWorld_AddChain(world, &chain, &id), pl_statusBadArgument, "parent");
    plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble & pl_troubleNotFinite, 0);
    plWorld_Destroy(world);
}

static void badIdsAreRefused(void** state)
{
    (void)state;
    plWorld* world = fullWorld(false, NULL);
    const plMechanismId bad[] = {{0, 0}, {99, 1}, {1, 0}, {1, 2}, {UINT32_MAX, 1}};
    plAccount account;
    plMotion motion;
    double buffer[64] = {0};
    const plWrench force = {{1, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        const plSite site = {.mechanism = bad[i], .part = i == 0}; // the ground has no part 1
        const plLinkId link = {bad[i].index1, bad[i].generation};
        assert_int_equal(plWorld_State(world, bad[i], buffer, buffer), pl_statusBadId);
        checkRefused(world, plWorld_SetState(world, bad[i], buffer, buffer), pl_statusBadId, "id");
        assert_int_equal(plWorld_Inertia(world, bad[i], buffer, NULL), pl_statusBadId);
        assert_int_equal(plWorld_MechanismLedger(world, bad[i], &account), pl_statusBadId);
        assert_int_equal(plWorld_LinkLedger(world, link, &account), pl_statusBadId);
        assert_int_equal(plWorld_LinkForce(world, link, buffer), pl_statusBadId);
        assert_int_equal(plWorld_Motion(world, site, &motion), pl_statusBadId);
        checkRefused(world, plWorld_ApplyEffort(world, bad[i], 0, 1), pl_statusBadId, "id");
        checkRefused(world, plWorld_ApplyWrench(world, site, force), pl_statusBadId, "id");
        assert_null(plWorld_MechanismName(world, bad[i]));
        assert_null(plWorld_LinkName(world, link));
        assert_int_equal(plWorld_PositionCount(world, bad[i]), 0);
    }
    plMechanismId id;
    assert_int_equal(plWorld_FindMechanism(world, "nobody", &id), pl_statusNotFound);
    buffer[0] = NAN;
    checkRefused(world, plWorld_SetState(world, plWorld_Mechanism(world, 0), buffer, buffer),
                 pl_statusBadArgument, "finite");
    plWorld_Destroy(world);
}

// --- trouble

static void badStepChangesNothing(void** state)
{
    (void)state;
    const double bad[] = {0, -1e-3, NAN, INFINITY, -INFINITY};
    plWorld* world = fullWorld(false, NULL);
    plLinkId grip;
    double force[6], after[6];
    for (int i = 0; i < 20; ++i) plWorld_Step(world, 1e-3);
    plWorld_Rest(world); // a bad step tells devices to rest
    const uint64_t hash = plWorld_Hash(world);
    checkOk(world, plWorld_FindLink(world, "grip", &grip));
    checkOk(world, plWorld_LinkForce(world, grip, force));
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        plWorld_Step(world, bad[i]);
        assert_int_equal(plWorld_Report(world).trouble, pl_troubleBadStep);
        assert_true(plWorld_Hash(world) == hash);
        assert_int_equal(plWorld_Tick(world), 20);
        checkOk(world, plWorld_LinkForce(world, grip, after));
        assert_memory_equal(force, after, sizeof force);
    }
    plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble & pl_troubleBadStep, 0);
    plWorld_Destroy(world);
}

static void checkStands(const plWorld* world, plMechanismId id)
{
    double q[64], v[64];
    checkOk(world, plWorld_State(world, id, q, v));
    for (int i = 0; i < plWorld_PositionCount(world, id); ++i) assert_true(isfinite(q[i]));
    for (int i = 0; i < plWorld_VelocityCount(world, id); ++i) assert_true(v[i] == 0);
}

static void hugeVelocitiesEndInStandstill(void** state)
{
    (void)state;
    for (int k = 0; k < 5; ++k) {
        plWorld* world = fullWorld(false, NULL);
        const plMechanismId id = plWorld_Mechanism(world, k);
        double q[64], v[64];
        checkOk(world, plWorld_State(world, id, q, v));
        for (int i = 0; i < plWorld_VelocityCount(world, id); ++i) v[i] = i % 2 ? -1e200 : 1e200;
        checkOk(world, plWorld_SetState(world, id, q, v));
        plWorld_Step(world, 1e-3);
        assert_true(plWorld_Report(world).trouble & pl_troubleNotFinite);
        checkStands(world, id);
        plWorld_ResetLedger(world);
        for (int i = 0; i < 100; ++i) plWorld_Step(world, 1e-3);
        assert_int_equal(plWorld_Report(world).trouble & pl_troubleNotFinite, 0);
        assert_true(isfinite(energyOf(world)) && isfinite(plWorld_Ledger(world).residual));
        plWorld_Destroy(world);
    }
}

// Explicit Euler at h = 100 gains 1e4 in a step, and every step says so: it meets the end of the numbers, and stands.
static void explosionEndsInStandstill(void** state)
{
    (void)state;
    plWorld* world = makeWorld((plVec3){0, 0, 0}, 1);
    const plMechanismId id = addOscillator(world, 1, 1e10, 0, pl_integratorExplicit);
    int steps = 0;
    do plWorld_Step(world, 1e-3);
    while (plWorld_Report(world).trouble == pl_troubleGained && ++steps < 1000);
    assert_int_equal(plWorld_Report(world).trouble, pl_troubleNotFinite);
    assert_in_range(steps, 60, 80); // 1e10 J to 1e308 J by 1e4 a step
    checkStands(world, id);
    plWorld_Destroy(world);
}

// --- snapshot, hash, restoration

static uint64_t hashAfter(plWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i) plWorld_Step(world, i % 3 ? 1e-3 : 2e-3);
    return plWorld_Hash(world);
}

static void restoredWorldRepeatsItself(void** state)
{
    (void)state;
    plWorld* world = fullWorld(true, NULL);
    plWorld* other = fullWorld(true, NULL);
    plWorld* foreign = fullWorld(false, NULL);
    const int steps = sized(30, 100);
    hashAfter(world, steps);
    const size_t size = plWorld_SnapshotSize(world);
    char* snapshot = malloc(size);
    plWorld_Save(world, snapshot);
    const uint64_t saved = plWorld_Hash(world), expected = hashAfter(world, steps);
    assert_true(saved != expected);
    checkOk(world, plWorld_Restore(world, snapshot, size));
    assert_true(plWorld_Hash(world) == saved);
    assert_true(hashAfter(world, steps) == expected);
    checkOk(other, plWorld_Restore(other, snapshot, size));
    assert_true(hashAfter(other, steps) == expected);

    const uint64_t before = plWorld_Hash(foreign);
    checkRefused(foreign, plWorld_Restore(foreign, snapshot, size), pl_statusMismatch, "world");
    assert_true(plWorld_Hash(foreign) == before);
    const size_t sizes[] = {0, 1, 8, size / 2, size - 1};
    for (int i = 0; i < PL_COUNT(sizes); ++i) {
        char* cut = malloc(sizes[i] + 1); // its own block: a sanitizer sees any read behind it
        memcpy(cut, snapshot, sizes[i]);
        checkRefused(world, plWorld_Restore(world, cut, sizes[i]), pl_statusMismatch, "world");
        free(cut);
    }
    snapshot[0] ^= 1;
    checkRefused(world, plWorld_Restore(world, snapshot, size), pl_statusMismatch, "world");
    assert_true(plWorld_Hash(world) == expected);
    free(snapshot);
    plWorld_Destroy(world);
    plWorld_Destroy(other);
    plWorld_Destroy(foreign);
}

static void equalRunsHaveEqualHashes(void** state)
{
    (void)state;
    plWorld* a = fullWorld(true, NULL);
    plWorld* b = fullWorld(true, NULL);
    for (int i = 0; i < sized(50, 1000); ++i) {
        assert_true(hashAfter(a, 1) == hashAfter(b, 1));
    }
    plWorld_Destroy(a);
    plWorld_Destroy(b);
}

// --- what a user reads

static void everyChannelIsFoundByItsName(void** state)
{
    (void)state;
    plWorld* world = fullWorld(false, NULL);
    char name[128], again[128];
    int count = 0;
    hashAfter(world, 3);
    for (; plWorld_ChannelName(world, count, name, sizeof name) > 0; ++count) {
        plChannel channel;
        checkOk(world, plWorld_FindChannel(world, name, &channel));
        assert_true(isfinite(plWorld_ReadChannel(world, channel)));
        for (int i = 0; i < count; ++i) { // names differ
            plWorld_ChannelName(world, i, again, sizeof again);
            assert_string_not_equal(name, again);
        }
    }
    // world 25, balance 5; contacts, eight mechanisms and four links of 10; states; q, v, places; forces;
    // three devices of 26; three couplings of 9, and two more of a grip
    assert_int_equal(count, 25 + 5 + 13 * 10 + 8 + (2 + 12 + 7 + 7 + 1 + 3 + 3 + 7) +
                                (2 + 12 + 6 + 6 + 1 + 3 + 3 + 6) +
                                3 * (2 + 12 + 1 + 1 + 1 + 3 + 3 + 1) + (6 + 3 + 3 + 6) + 3 * 26 +
                                3 * 9 + 2);
    plChannel channel;
    double q[2];
    checkOk(world, plWorld_FindChannel(world, "arm.q[1]", &channel));
    checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 0), q, NULL));
    assert_true(plWorld_ReadChannel(world, channel) == q[1]);
    const char* bad[] = {"", "nothing", "arm", "arm.", "arm.q[2]", "arm.q[-1]", "arm.q[1", "x.y"};
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        assert_int_equal(plWorld_FindChannel(world, bad[i], &channel), pl_statusNotFound);
    }
    plWorld_Destroy(world);
}

static void setStateCountsAsApplied(void** state)
{
    (void)state;
    plWorld* world = fullWorld(false, NULL);
    plMechanismId body;
    double q[7], v[6];
    hashAfter(world, 10);
    checkOk(world, plWorld_FindMechanism(world, "body", &body));
    checkOk(world, plWorld_State(world, body, q, v));
    plWorld_ResetLedger(world);
    const double before = energyOf(world);
    q[0] += 0.1; // two links hang on it
    v[2] += 3;
    checkOk(world, plWorld_SetState(world, body, q, v));
    const double jump = energyOf(world) - before;
    assert_true(fabs(jump) > 0.1);
    const double all = energyOf(world); // 660 J: the round-off of its sums
    checkNear("applied", plWorld_Ledger(world).applied, jump, 5 * DBL_EPSILON * all);
    plWorld_Step(world, 1e-3);
    checkAtMost("residual", plWorld_Ledger(world).worst, 5 * DBL_EPSILON * all);
    plWorld_Destroy(world);
}

// Momentum: the sum of force times T is the weight's and what the body gained.
static void hangingMassPullsWithItsWeight(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.guard =
        false; // it would take 1e-14 J a tick, which the turn spring of the body creates, from momentum
    checkOk(NULL, plWorld_Create(&def, &world));
    const plMechanismId body = addBody(world, "body", (plVec3){0, 0, 0});
    const plLinkId link =
        addSpring(world, "string", (plSite){.mechanism = body}, (plSite){.part = 0}, false);
    double pull = 0, force[3], v[6];
    for (int i = 0; i < 1000; ++i) {
        plWorld_Step(world, 2e-3);
        checkOk(world, plWorld_LinkForce(world, link, force));
        pull += 2e-3 * force[2];
    }
    checkOk(world, plWorld_State(world, body, NULL, v));
    // 1000 additions, of 10 N s in all
    checkNear("impulse", pull, 0.5 * 9.81 * 2 + 0.5 * v[2], 1000 * DBL_EPSILON * 10);
    checkNear("mean force", pull / 2, 0.5 * 9.81, 0.25 * fabs(v[2]) + 1e-12);
    plWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacitiesSayWhatToRaise),
        cmocka_unit_test(worldLivesOnWhenMemoryIsFull),
        cmocka_unit_test(badDefinitionsAreRefused),
        cmocka_unit_test(badIdsAreRefused),
        cmocka_unit_test(badStepChangesNothing),
        cmocka_unit_test(hugeVelocitiesEndInStandstill),
        cmocka_unit_test(explosionEndsInStandstill),
        cmocka_unit_test(restoredWorldRepeatsItself),
        cmocka_unit_test(equalRunsHaveEqualHashes),
        cmocka_unit_test(everyChannelIsFoundByItsName),
        cmocka_unit_test(setStateCountsAsApplied),
        cmocka_unit_test(hangingMassPullsWithItsWeight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
