// Walls and friction models in any world: the ledger closes, memory is kept and turned, materials mix,
// scenes reach them.
#include "walls.h"

// --------------------------------------------------------------------------------------- ledger

static plSurface randomSurface(plRng* rng, int i)
{
    plSurface s = plDefaultSurface();
    s.wall = (plWallModel)(i % pl_wallCount);
    s.frictionModel = (plFrictionModel)(i / pl_wallCount % pl_frictionCount);
    s.friction = plRng_Uniform(rng, 0, 1);
    s.restitution = plRng_Uniform(rng, 0, 1);
    s.stiffness = pow(10, plRng_Uniform(rng, 3, 5));
    s.damping = plRng_Uniform(rng, 0, 30);
    s.integral = i % 2 ? plRng_Uniform(rng, 0, 5) : 0;
    s.viscous = i % 5 ? 0 : 1;
    s.clamp = i % 3 == 0;
    return s;
}

static const plIntegrator integrators[] = {pl_integratorSemiImplicit, pl_integratorMidpoint,
                                           pl_integratorSymplectic, pl_integratorExplicit};

// A box on a planar or a free joint, above the floor of its world.
static void addThrownBox(plWorld* w, plRng* rng, bool planar, int k, plIntegrator integrator)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    body.name = "box";
    body.joint = planar ? pl_jointPlanar : pl_jointFree;
    body.mass = plRng_Uniform(rng, 0.5, 2);
    body.inertia = diagonal(2e-3, 3e-3, 4e-3);
    body.position[0] = 0.13 * k;
    body.position[planar ? 1 : 2] = 0.08 + 0.02 * k;
    if (!planar) body.position[3] = 1;
    for (int i = 0; i < (planar ? 3 : 6); ++i) body.velocity[i] = plRng_Uniform(rng, -2, 2);
    body.velocity[planar ? 1 : 2] = plRng_Uniform(rng, -2, 0);
    def.name = partName(k);
    def.bodies = &body;
    def.bodyCount = 1;
    def.integrator = integrator;
    checkOk(w, plWorld_AddChain(w, &def, &id));
    addBoxShape(w, id, (plVec3){0.06, 0.05, 0.04});
}

static plWorld* thrownBoxes(plRng* rng, int i)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    const bool planar = i % 2;
    def.planar = planar;
    def.gravity = planar ? (plVec3){0, -9.81, 0} : (plVec3){0, 0, -9.81};
    def.contact.law = i / 2 % 2 ? pl_lawImpulse : pl_lawPenalty;
    def.contact.surface = randomSurface(rng, i);
    checkOk(NULL, plWorld_Create(&def, &w));
    addPlane(w, planar ? (plVec3){0, 1, 0} : (plVec3){0, 0, 1}, (plVec3){0, 0, 0});
    addPlane(w, (plVec3){1, 0, 0}, (plVec3){-0.2, 0, 0});
    for (int k = 0; k < 3; ++k) addThrownBox(w, rng, planar, k, integrators[(i + k) % 4]);
    return w;
}

// Three boxes thrown into a corner, of all integrators: every joule has an owner, whatever the
// models.
static void ledgerClosesWithEveryModel(void** state)
{
    plRng rng = plRng_Seed(41);
    double worst = 0;
    (void)state;
    for (int i = 0; i < sized(108, 2160); ++i) {
        plWorld* w = thrownBoxes(&rng, i);
        double most = energyOf(w), touched = 0;
        for (int k = 0; k < 250; ++k) {
            const double step = i % 7 ? 1e-3 : plRng_Uniform(&rng, 2e-4, 2e-3);
            plWorld_Step(w, step);
            const plAccount a = plWorld_Ledger(w);
            // what is counted is of the size of all that moved
            most = fmax(most, a.kinetic + fabs(a.potential) + fabs(plWorld_ContactLedger(w).rows));
            touched += plWorld_Report(w).active;
        }
        const plAccount total = plWorld_Ledger(w), contacts = plWorld_ContactLedger(w);
        assert_int_equal(plWorld_Report(w).trouble & pl_troubleNotFinite, 0);
        assert_true(touched > 0 && contacts.dissipated >= 0 && isfinite(total.kinetic));
        worst = fmax(worst, fmax(total.worst, contacts.worst) / most);
        if (total.worst > 1e-13 * most || contacts.worst > 1e-13 * most) {
            fail_msg("%s, %s: residual %g of %g J", plWallModel_Name(i % pl_wallCount),
                     plFrictionModel_Name(i / pl_wallCount % pl_frictionCount), total.worst, most);
        }
        plWorld_Destroy(w);
    }
    print_message("worst residual of a tick %.1e of the energy\n", worst);
}

// Steps of 1e-5 to 0.1 s from any speed: finite, and where only friction acts, never faster than
// what it can give. A peg that is free to turn may be thrown by walls that are too stiff for the
// step.
static void hugeSpeedsAndStepsStayFinite(void** state)
{
    plRng rng = plRng_Seed(43);
    (void)state;
    for (int i = 0; i < 4 * pl_wallCount * pl_frictionCount; ++i) {
        plSurface surface = randomSurface(&rng, i / 2);
        const bool turns = i % 2;
        surface.slipSpeed = i % 3 ? 1e-2 : 0;
        plWorld* w = planarWorld(&surface, i % 4 < 2 ? pl_lawImpulse : pl_lawPenalty);
        const plMechanismId id = addHole(w, turns ? pl_jointPlanar : pl_jointPrismatic);
        const double speed = pow(10, plRng_Uniform(&rng, -3, 8));
        double most = speed, x, v;
        checkOk(w, plWorld_SetState(w, id, (double[3]){0.1, 0, 0}, (double[3]){speed, 0, 0}));
        for (int k = 0; k < 50; ++k) {
            const double step = pow(10, plRng_Uniform(&rng, -5, -1));
            double normal = 0;
            plWorld_Step(w, step);
            stateOf(w, id, &x, &v);
            assert_true(isfinite(x) && isfinite(v));
            for (int c = 0; c < plWorld_ContactCount(w); ++c) {
                plContactInfo info;
                checkOk(w, plWorld_Contact(w, c, &info));
                normal += fabs(plDot(info.force, info.normal));
            }
            // a pad gives up to twice F_s
            most += 2 * step * (1 + surface.stiction) * surface.friction * normal / m;
            if (!turns) checkAtMost("speed", fabs(v), most * (1 + 1e-12));
        }
        plWorld_Destroy(w);
    }
}

// --------------------------------------------------------------------------------------- memory

// Strain belongs to the state: from a snapshot in the middle of a stick all goes on as it did.
static void snapshotKeepsTheStrain(void** state)
{
    (void)state;
    for (int i = 0; i < pl_frictionCount; ++i) {
        plSurface surface = rubbing((plFrictionModel)i);
        surface.wall = (plWallModel)(i % pl_wallCount);
        plWorld *a = planarWorld(&surface, pl_lawPenalty),
                *b = planarWorld(&surface, pl_lawPenalty);
        const plMechanismId id = addHole(a, pl_jointPrismatic);
        addHole(b, pl_jointPrismatic);
        const size_t size = plWorld_SnapshotSize(a);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        for (int k = 0; k < 400; ++k) {
            if (k == 200) {
                plWorld_Save(a, snapshot);
                checkOk(b, plWorld_Restore(b, snapshot, size));
            }
            checkOk(a, plWorld_ApplyEffort(a, id, 0, 1.1 * sin(0.01 * k)));
            plWorld_Step(a, T);
            if (k < 200) continue;
            checkOk(b, plWorld_ApplyEffort(b, id, 0, 1.1 * sin(0.01 * k)));
            plWorld_Step(b, T);
            assert_true(plWorld_Hash(a) == plWorld_Hash(b));
        }
        surface.bristle *= 2; // surfaces are in a snapshot, too
        plWorld* c = planarWorld(&surface, pl_lawPenalty);
        addHole(c, pl_jointPrismatic);
        checkOk(c, plWorld_Restore(c, snapshot, size));
        for (int k = 200; k < 400; ++k) {
            checkOk(c, plWorld_ApplyEffort(c, id, 0, 1.1 * sin(0.01 * k)));
            plWorld_Step(c, T);
        }
        assert_true(plWorld_Hash(a) == plWorld_Hash(c));
        free(snapshot);
        plWorld_Destroy(a), plWorld_Destroy(b), plWorld_Destroy(c);
    }
}

// A record has no gaps, so that equal contacts hash equally.
static void recordsHaveNoGaps(void** state)
{
    (void)state;
    const size_t members = 6 * sizeof(int) + sizeof(uint64_t) + 2 * sizeof(int) +
                           4 * sizeof(double) + 5 * sizeof(plVec3) + 6 * sizeof(double) +
                           6 * sizeof(double) + sizeof(double) + 2 * sizeof(int64_t);
    assert_int_equal(sizeof(plContactRecord), members);
}

// What two materials make of their models.
static void materialsMixTheirModels(void** state)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena arena;
    plSurfaces s;
    int i;
    plSurface first = plDefaultSurface(), other = first, same = first;
    (void)state;
    other.wall = pl_wallHysteretic, other.blockShares[0] = 0.5, other.blockShares[1] = 0.1;
    other.blockDepths[2] = 1e-3, other.integral = 2;
    other.frictionModel = same.frictionModel = pl_frictionReset;
    other.bristle = 3e-4, other.stiction = 0.5, other.viscous = 1, other.bristleTime = 1e-2;
    assert_int_equal(plArena_Create(&arena, 1 << 16, &allocator), pl_statusOk);
    assert_int_equal(plSurfaces_Create(&s, 2, &first, &arena), pl_statusOk);
    assert_int_equal(plSurfaces_Add(&s, &other, &i), pl_statusOk);
    assert_int_equal(plSurfaces_Add(&s, &same, &i), pl_statusOk);
    for (int swap = 0; swap < 2; ++swap) { // it does not matter who is who
        const plPair a = swap ? plSurfaces_Pair(&s, 1, 0) : plSurfaces_Pair(&s, 0, 1);
        const plPair b = swap ? plSurfaces_Pair(&s, 2, 1) : plSurfaces_Pair(&s, 1, 2);
        assert_true(a.wall == pl_wallHysteretic && a.friction == pl_frictionReset);
        checkNear("share of the one that has it", a.blockShares[0], 0.5, 0);
        checkNear("depth of the one that has it", a.blockDepths[2], 1e-3, 0);
        checkNear("smaller integral", a.integral, 0, 0);
        checkNear("bristle of the one that has it", a.bristle, 3e-4, 0);
        checkNear("stiction of the one that has it", a.stiction, 0.5, 0);
        checkNear("mean bristle", b.bristle, 2e-4, 1e-19);
        checkNear("smaller stiction", b.stiction, 0.2, 0);
        checkNear("smaller time", b.bristleTime, 5e-3, 0);
        checkNear("viscous, a soft one decides", b.viscous, 0, 0);
    }
    plArena_Destroy(&arena, &allocator);
}

static void badModelsAreRefused(void** state)
{
    (void)state;
    for (int i = 0; i < 9; ++i) {
        plWorldDef def = plDefaultWorldDef();
        plSurface* s = &def.contact.surface;
        plWorld* w;
        if (i == 0) s->wall = pl_wallCount;
        if (i == 1) s->integral = -1;
        if (i == 2) s->blockShares[1] = 0.7;
        if (i == 3) s->blockDepths[0] = (double)NAN;
        if (i == 4) s->frictionModel = (plFrictionModel)-1;
        if (i == 5) s->stiction = -0.1;
        if (i == 6) s->bristle = 0;
        if (i == 7) s->bristleTime = (double)INFINITY;
        if (i == 8) s->viscous = -1;
        assert_non_null(plSurface_Complaint(s));
        assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
    }
}

// --------------------------------------------------------------------------------------- scenes

#define FALLING(contact) SCENE(BALL("a", SHAPES(ROUND)), ", \"contact\": {" contact "}")
#define OF(surface) FALLING("\"surface\": {" surface "}")

static void sceneKeysReachTheWalls(void** state)
{
    static const double shares[3] = {0.1, 0.2, 0.3}, depths[3] = {1e-3, 2e-3, 3e-3};
    plScene* scene =
        parse(OF("\"wall\": \"hysteretic\", \"integral\": 2, \"blockShares\": [0.1, 0.2, "
                 "0.3], \"blockDepths\": [1e-3, 2e-3, 3e-3], \"frictionModel\": "
                 "\"lugre\", \"stiction\": 0.4, \"bristle\": 5e-4, \"bristleTime\": "
                 "6e-3, \"viscous\": 7"),
              NULL);
    plWorld* w = create(scene);
    const plPair p = plSurfaces_Pair(&w->surfaces, 0, 0);
    (void)state;
    assert_true(p.wall == pl_wallHysteretic && p.friction == pl_frictionLuGre);
    assert_memory_equal(p.blockShares, shares, sizeof shares);
    assert_memory_equal(p.blockDepths, depths, sizeof depths);
    checkNear("integral", p.integral, 2, 0);
    checkNear("stiction", p.stiction, 0.4, 0);
    checkNear("bristle", p.bristle, 5e-4, 0);
    checkNear("bristleTime", p.bristleTime, 6e-3, 0);
    checkNear("viscous", p.viscous, 7, 0);
    plWorld_Destroy(w);
    plScene_Destroy(scene);
    for (int i = 0; i < pl_frictionCount; ++i) { // by the names that the enums have
        char setting[64];
        snprintf(setting, sizeof setting, "contact.surface.frictionModel=%s",
                 plFrictionModel_Name(i));
        scene = parse(OF(""), setting);
        w = create(scene);
        assert_int_equal(plSurfaces_Pair(&w->surfaces, 0, 0).friction, i);
        plWorld_Destroy(w);
        plScene_Destroy(scene);
    }
}

static void sceneMistakesAreNamed(void** state)
{
    static const Mistake mistakes[] = {
        {OF("\"wall\": \"hysteric\""),
         "contact.surface.wall: found \"hysteric\", expected one of \"hold\", \"estimate\", "
         "\"hysteretic\"; did you mean \"hysteretic\"?"},
        {OF("\"bristle\": 0"), "contact.surface.bristle: found 0, expected a number > 0 [m]"},
        {OF("\"stiction\": -1"), "contact.surface.stiction: found -1, expected a number >= 0"},
        {OF("\"blockShares\": [1, 2]"),
         "contact.surface.blockShares: found an array of 2, expected an array of 3 numbers [1]"},
        {OF("\"blockShares\": [0.5, 0.4, 0.3]"),
         "contact.surface.blockShares: found a sum of 1.2, expected at most 1"},
        {SCENE(BALL("a", ""),
               ", \"materials\": [{\"name\": \"m\", \"blockDepths\": [0, -1e-3, 0]}]"),
         "materials[0].blockDepths: found -0.001, expected numbers >= 0 [m]"},
        {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\"}], \"pairs\": [{\"a\": \"m\", "
                              "\"b\": \"m\", \"blockShares\": [-1, 0, 0]}]"),
         "pairs[0].blockShares: found -1, expected numbers >= 0"},
    };
    (void)state;
    expectMistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

// ---------------------------------------------------------------------------------------- turns

// The strain of a contact whose normal turns is the same vector, along the new tangents.
static void strainTurnsWithTheAxes(void** state)
{
    const plAllocator allocator = plDefaultAllocator();
    const plContactRules rules = {.cluster = 1e-3, .coherence = 5e-3};
    const plCarrier carriers[2] = {{.body = 0}, {.site = {.mechanism = {1, 1}}, .body = 1}};
    const plSurface surface = plDefaultSurface();
    plArena arena;
    plContacts c;
    plSurfaces s;
    double worst = 0;
    (void)state;
    assert_int_equal(plArena_Create(&arena, 1 << 16, &allocator), pl_statusOk);
    assert_int_equal(plContacts_Create(&c, 4, 2, &arena, &arena), pl_statusOk);
    assert_int_equal(plSurfaces_Create(&s, 0, &surface, &arena), pl_statusOk);
    plVec3 strain = {0}, slip = {0};
    for (int k = 0; k < 100; ++k) {
        const plVec3 way = plVec(0.02 * k, 0.3 * sin(0.1 * k), 1),
                     n = plScale(1 / plNorm(way), way);
        const plTouch touch = {.a = 1, .b = 0, .p = {.n = n, .gap = -1e-4, .key = 1}};
        assert_true(plContacts_Update(&c, &touch, 1, carriers, &s, rules));
        plContact* now = &c.list[0];
        if (k == 0) {
            now->memory.age = 1;
            now->memory.friction.strain[0] = 1e-4, now->memory.friction.strain[1] = -2e-4;
            now->memory.friction.u[0] = 3, now->memory.friction.u[1] = 4;
        }
        const double *z = now->memory.friction.strain, *u = now->memory.friction.u;
        const plVec3 next = plAdd(plScale(z[0], now->t[0]), plScale(z[1], now->t[1]));
        const plVec3 rate = plAdd(plScale(u[0], now->t[0]), plScale(u[1], now->t[1]));
        // the same but for what points along the new normal
        const plVec3 left = plAddScaled(strain, -plDot(strain, n), n);
        const plVec3 going = plAddScaled(slip, -plDot(slip, n), n);
        if (k > 0) worst = fmax(worst, plNorm(plSub(next, left)) / 1e-4);
        if (k > 0) worst = fmax(worst, plNorm(plSub(rate, going)));
        strain = next, slip = rate;
        plContacts_Keep(&c);
    }
    checkAtMost("turned", worst, 1e-14);
    plArena_Destroy(&arena, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledgerClosesWithEveryModel),
        cmocka_unit_test(hugeSpeedsAndStepsStayFinite),
        cmocka_unit_test(snapshotKeepsTheStrain),
        cmocka_unit_test(recordsHaveNoGaps),
        cmocka_unit_test(materialsMixTheirModels),
        cmocka_unit_test(badModelsAreRefused),
        cmocka_unit_test(sceneKeysReachTheWalls),
        cmocka_unit_test(sceneMistakesAreNamed),
        cmocka_unit_test(strainTurnsWithTheAxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
