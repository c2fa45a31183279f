// Many random collisions, under every law but penalty: they create no energy. (iapb spec 1, pmi spec 4)
#include "collisions.h"

typedef struct {
    const char* what;
    plLawName law;
    plBias bias;
    plCollision collision;
    bool absolute;
} Rules;

static const Rules allRules[] = {
    {"impulse, complementarity", pl_lawImpulse, 0, pl_collisionComplementarity, false},
    {"impulse, equality", pl_lawImpulse, 0, pl_collisionEquality, false},
    {"impulse, absolute", pl_lawImpulse, 0, pl_collisionEquality, true},
    {"lcp, one-sided", pl_lawLcp, pl_biasOneSided, 0, false},
    {"lcp, elastic", pl_lawLcp, pl_biasElastic, 0, false},
    {"lcp, plastic", pl_lawLcp, pl_biasPlastic, 0, false},
    {"cone, one-sided", pl_lawCone, pl_biasOneSided, 0, false},
    {"cone, elastic", pl_lawCone, pl_biasElastic, 0, false},
    {"cone, plastic", pl_lawCone, pl_biasPlastic, 0, false},
};

static const double room = 0.6; // half of its width [m]

// One after the other: the order of arguments is the compiler's.
static plVec3 randomVec(plRng* rng, double low, double high)
{
    const double x = plRng_Uniform(rng, low, high), y = plRng_Uniform(rng, low, high);
    return plVec(x, y, plRng_Uniform(rng, low, high));
}

// Walls of the law `impulse` would store and give: without springs it only collides.
static plSurface randomSurface(plRng* rng)
{
    plSurface s = plDefaultSurface();
    s.friction = plRng_Uniform(rng, 0, 1);
    s.restitution = plRng_Uniform(rng, 0, 1);
    s.tangentRestitution = plRng_Uniform(rng, 0, 1);
    s.stiffness = s.damping = 0;
    return s;
}

static void addRandomShape(plWorld* w, plRng* rng, bool planar, plMechanismId id, int part)
{
    const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule,
                                 planar ? pl_shapePolygon : pl_shapeBox};
    plPartShapeDef def = plDefaultPartShapeDef(kinds[plRng_Next(rng) % 3]);
    plVec3 corners[6];
    def.mechanism = id;
    def.part = part;
    def.material.index1 = (uint32_t)(plRng_Next(rng) % 2);
    def.material.generation = def.material.index1;
    def.shape.radius = plRng_Uniform(rng, 0.03, 0.07);
    def.shape.length = plRng_Uniform(rng, 0, 0.1);
    def.shape.half = randomVec(rng, 0.03, 0.07);
    def.shape.pointCount = 3 + (int)(plRng_Next(rng) % 4);
    def.shape.points = corners;
    for (int i = 0; i < def.shape.pointCount; ++i) {
        const double a = 2 * PL_PI * i / def.shape.pointCount;
        corners[i] = plScale(0.07, plVec(cos(a), sin(a), 0));
    }
    addShape(w, &def);
}

// A free body, and none, one or two more on hinges; or an arm on a pedestal. Returns whether it is
// free.
static bool addThrown(plWorld* w, plRng* rng, bool planar, int index, plVec3 at)
{
    plChainBodyDef bodies[3];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    const bool arm = plRng_Next(rng) % 4 == 0;
    def.name = partName(index);
    def.bodies = bodies;
    def.bodyCount = 1 + (int)(plRng_Next(rng) % 3);
    def.base.p = at;
    for (int i = 0; i < def.bodyCount; ++i) {
        plChainBodyDef* b = &bodies[i];
        const double mass = plRng_Uniform(rng, 0.2, 2), J = 0.005 * mass;
        *b = plDefaultChainBodyDef();
        b->name = i == 0 ? "root" : i == 1 ? "middle" : "tip";
        b->parent = i - 1;
        b->mass = mass;
        const plVec3 shares = randomVec(rng, 1, 1.5);
        b->inertia = diagonal(shares.x * J, shares.y * J, shares.z * J);
        if (i == 0 && !arm) b->joint = planar ? pl_jointPlanar : pl_jointFree;
        if (i > 0) b->frame.p.x = 0.13;
        if (i > 0 && !planar) b->axis = (plVec3){plRng_Uniform(rng, -1, 1), 0, 1};
        if (arm) b->center.x = 0.1;
        for (int k = 0; k < plJoint_Velocities(b->joint); ++k) {
            const double most = k < 3 && b->joint == pl_jointFree ? 2 : 6;
            b->velocity[k] = plRng_Uniform(rng, -most, most);
        }
    }
    checkOk(w, plWorld_AddChain(w, &def, &id));
    for (int i = 0; i < def.bodyCount; ++i) addRandomShape(w, rng, planar, id, i);
    return !arm;
}

static void addThrownBody(plWorld* w, plRng* rng, int index, plVec3 at)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    const double mass = plRng_Uniform(rng, 0.2, 2);
    def.name = partName(index);
    def.mass = mass;
    def.inertia = diagonal(2e-3 * mass, 3e-3 * mass, 2.5e-3 * mass);
    def.pose = (plPose){at, plExp(randomVec(rng, -2, 2))};
    def.velocity = randomVec(rng, -3, 3);
    def.spin = randomVec(rng, -10, 10);
    checkOk(w, plWorld_AddAssembly(w, &def, &id));
    addRandomShape(w, rng, false, id, 0);
}

// A spring or a rigid joint between two neighbours, at the point between them. They start at rest: a
// rigid joint does not bear two velocities.
static void tie(plWorld* w, plRng* rng, int index)
{
    plLinkDef def = plDefaultLinkDef();
    plSite* const sites[2] = {&def.a, &def.b};
    plMotion motions[2];
    plLinkId id;
    for (int i = 0; i < 2; ++i) {
        sites[i]->mechanism = plWorld_Mechanism(w, index - i);
        checkOk(w, plWorld_Motion(w, *sites[i], &motions[i]));
    }
    const plVec3 middle = plScale(0.5, plAdd(motions[0].x, motions[1].x));
    for (int i = 0; i < 2; ++i) {
        sites[i]->point = plMulT(&motions[i].R, plSub(middle, motions[i].x));
    }
    def.name = partName(64 + index);
    def.stiffness = plRng_Next(rng) % 2 ? (double)INFINITY : plRng_Uniform(rng, 10, 1e4);
    def.damping = plRng_Uniform(rng, 0, 1);
    checkOk(w, plWorld_AddLink(w, &def, &id));
    for (int i = 0; i < 2; ++i) {
        double q[16];
        const double still[16] = {0};
        checkOk(w, plWorld_State(w, sites[i]->mechanism, q, NULL));
        checkOk(w, plWorld_SetState(w, sites[i]->mechanism, q, still));
    }
}

static plWorld* randomWorld(plRng* rng, const Rules* rules, bool planar)
{
    plWorldDef def = plDefaultWorldDef();
    plMaterialDef other = plDefaultMaterialDef();
    plMaterialId material;
    const double pull = plRng_Next(rng) % 2 ? 9.81 : 0;
    bool free = false;
    def.gravity = planar ? plVec(0, -pull, 0) : plVec(0, 0, -pull);
    def.planar = planar;
    def.contact.law = rules->law;
    def.contact.bias = rules->bias;
    def.contact.collision = rules->collision;
    def.contact.absolute = rules->absolute;
    def.contact.surface = randomSurface(rng);
    def.contact.driftRate = plRng_Next(rng) % 2 ? 0.2 : 0;
    plWorld* w = create(&def);
    other.name = "other";
    other.surface = randomSurface(rng);
    checkOk(w, plWorld_AddMaterial(w, &other, &material));
    for (int i = 0; i < (planar ? 4 : 6); ++i) {
        const double n[3] = {i / 2 == 0, i / 2 == 1, i / 2 == 2}, side = i % 2 ? 1 : -1;
        const plVec3 normal = plScale(side, plVec(n[0], n[1], n[2]));
        addPlane(w, plScale(-room, normal), normal);
    }
    for (int i = 0; i < (planar ? 4 : 8); ++i) {
        const double height = i / 4 ? 0.3 : -0.3;
        const plVec3 at = plVec(i % 2 ? 0.3 : -0.3, i / 2 % 2 ? 0.3 : -0.3, planar ? 0 : height);
        const bool single = !planar && plRng_Next(rng) % 2, before = free;
        if (single) addThrownBody(w, rng, i, at);
        free = single || addThrown(w, rng, planar, i, at);
        if (i % 2 && before && free && plRng_Next(rng) % 2) tie(w, rng, i);
    }
    return w;
}

static int countNew(const plWorld* w)
{
    int count = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        count += c.age == 0;
    }
    return count;
}

// What came of a world.
typedef struct {
    int collisions, trouble;
    double created;  ///< by contacts, most of a tick, of the scale
    double excess;   ///< most of E - E0, of the scale
    double residual; ///< of the ledger, of the scale
} Outcome;

static void watch(plWorld* w, double T, int steps, Outcome* o)
{
    const plAccount start = plWorld_Ledger(w);
    // all kinetic energy, and 4 .. 8 mechanisms of some kg that can fall by 1.2 m
    const double scale = start.kinetic + 100;
    for (int i = 0; i < steps; ++i) {
        const plAccount before = plWorld_Ledger(w);
        plWorld_Step(w, T);
        const plAccount after = plWorld_Ledger(w);
        const double owned = after.leak - before.leak + after.drift - before.drift;
        const double change =
            after.kinetic + after.potential - before.kinetic - before.potential - owned;
        const double gain = after.kinetic + after.potential - start.kinetic - start.potential;
        o->created = fmax(o->created, change / scale);
        o->excess = fmax(o->excess, gain / scale);
        o->residual = fmax(o->residual, after.worst / scale);
        o->collisions += countNew(w);
        o->trouble |= plWorld_Report(w).trouble;
    }
}

static void randomCollisionsCreateNoEnergy(void** state)
{
    (void)state;
    const double steps[] = {1e-3, 4e-3, 1.0 / 60};
    const int serious = pl_troubleNotFinite | pl_troubleStopped | pl_troubleContactsFull;
    const int wanted = sized(3000, 100000) / PL_COUNT(allRules);
    for (int k = 0; k < PL_COUNT(allRules); ++k) {
        plRng rng = plRng_Seed(100 + (uint64_t)k);
        Outcome o = {.created = -INFINITY, .excess = -INFINITY};
        int worlds = 0;
        for (; o.collisions < wanted; ++worlds) {
            plWorld* w = randomWorld(&rng, &allRules[k], worlds % 2);
            watch(w, steps[worlds % 3], 150, &o);
            plWorld_Destroy(w);
        }
        print_message("%s: %d collisions in %d worlds, created %.1e, excess %.1e, residual %.1e, "
                      "trouble %d\n",
                      allRules[k].what, o.collisions, worlds, o.created, o.excess, o.residual,
                      o.trouble);
        assert_int_equal(o.trouble & serious, 0);
        // the guard leaves 5e-10 of the energies at both ends of a step
        checkAtMost("created", o.created, 2e-9);
        checkAtMost("excess", o.excess, 1e-9);
        checkAtMost("residual", o.residual, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomCollisionsCreateNoEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
