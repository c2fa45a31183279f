// Random worlds of midpoint mechanisms and passive links: whatever they are, they gain no energy,
// their books close, and they go on from a snapshot as they did.
#include "trees.h"

enum { mostMechanisms = 4, stepCount = 300 };

typedef struct {
    plWorld* world;
    int count;
    plMechanismId ids[mostMechanisms];
    int parts[mostMechanisms];
    double steps[stepCount];
} Random;

static int below(plRng* rng, int n) { return (int)(plRng_Next(rng) % (uint64_t)n); }

static bool once(plRng* rng, int n) { return below(rng, n) == 0; }

static double logUniform(plRng* rng, double min, double max)
{
    return exp(plRng_Uniform(rng, log(min), log(max)));
}

// --------------------------------------------------------------------------------- mechanisms

static void addTree(plRng* rng, Random* r, const char* name)
{
    plChainDef def = plDefaultChainDef();
    makeTree(rng, 1 + below(rng, 6), 0, &tree);
    for (int i = 0; i < tree.count; ++i) {
        plChainBodyDef* b = &tree.bodies[i];
        const int positions = plJoint_Positions(b->joint),
                  velocities = plJoint_Velocities(b->joint);
        if (once(rng, 3)) b->stiffness = logUniform(rng, 0.1, 1e3);
        if (once(rng, 4)) b->damping = logUniform(rng, 1e-3, 1);
        if (positions > velocities) plPut4(plExp(randomVec(rng, 1)), b->rest + positions - 4);
    }
    def.name = name;
    def.base = tree.base;
    def.bodies = tree.bodies;
    def.bodyCount = tree.count;
    def.coefficients = once(rng, 4) ? pl_coefficientsFrozen : pl_coefficientsPredicted;
    def.route = once(rng, 4) ? pl_routeSquareRoot : pl_routeCholesky;
    checkOk(r->world, plWorld_AddChain(r->world, &def, &r->ids[r->count]));
    r->parts[r->count++] = tree.count;
}

static void addBody(plRng* rng, Random* r, const char* name)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    def.name = name;
    def.mass = logUniform(rng, 0.1, 10);
    def.inertia = randomInertia(rng);
    def.pose = randomPose(rng);
    def.velocity = randomVec(rng, 1);
    def.spin = randomVec(rng, 3);
    def.coefficients = once(rng, 4) ? pl_coefficientsFrozen : pl_coefficientsPredicted;
    if (once(rng, 2)) {
        def.anchor = (plAnchor){.stiffness = once(rng, 2) ? logUniform(rng, 1, 1e4) : 0,
                                .damping = once(rng, 3) ? logUniform(rng, 0.01, 10) : 0,
                                .turnStiffness = once(rng, 2) ? logUniform(rng, 0.01, 1e3) : 0,
                                .turnDamping = once(rng, 3) ? logUniform(rng, 1e-4, 1) : 0,
                                .anchor = randomPose(rng),
                                .action = once(rng, 3) ? pl_actionSimple : pl_actionFull};
    }
    checkOk(r->world, plWorld_AddAssembly(r->world, &def, &r->ids[r->count]));
    r->parts[r->count++] = 1;
}

// -------------------------------------------------------------------------------------- links

// The site of a part, or of the ground, that is now at x.
static plSite siteAt(const Random* r, int mechanism, int part, plVec3 x)
{
    plSite site = {.point = x};
    plMotion m;
    if (mechanism < 0) return site;
    site = (plSite){r->ids[mechanism], part, {0, 0, 0}};
    checkOk(r->world, plWorld_Motion(r->world, site, &m));
    site.point = plMulT(&m.R, plSub(x, m.x));
    return site;
}

// Soft between any points, or rigid where the points are together.
static void addLink(plRng* rng, Random* r, const char* name)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    plMotion m;
    const int a = below(rng, r->count), any = below(rng, r->count + 1) - 1;
    const int b = any == a ? -1 : any;
    def.name = name;
    def.a = (plSite){r->ids[a], below(rng, r->parts[a]), randomVec(rng, 0.2)};
    checkOk(r->world, plWorld_Motion(r->world, def.a, &m));
    const bool rigid = once(rng, 4), together = rigid || once(rng, 2);
    const plVec3 x = together ? m.x : plAdd(m.x, randomVec(rng, 0.3));
    def.b = siteAt(r, b, b < 0 ? 0 : below(rng, r->parts[b]), x);
    def.stiffness = rigid ? (double)INFINITY : logUniform(rng, 1, 1e5);
    def.damping = once(rng, 3) ? logUniform(rng, 0.01, 10) : 0;
    if (!rigid && once(rng, 3)) {
        def.turns = true;
        def.turnStiffness = logUniform(rng, 0.01, 1e3);
        def.turnDamping = once(rng, 2) ? logUniform(rng, 1e-3, 1) : 0;
        def.rest = plExp(randomVec(rng, 1));
    }
    checkOk(r->world, plWorld_AddLink(r->world, &def, &id));
}

static void makeRandom(uint64_t seed, Random* r)
{
    static const char* const mechanisms[] = {"m0", "m1", "m2", "m3"};
    static const char* const links[] = {"l0", "l1", "l2", "l3"};
    plRng rng = plRng_Seed(seed);
    *r = (Random){0};
    const plVec3 gravity = once(&rng, 3) ? plVec(0, 0, 0) : plVec(0, 0, -9.81);
    r->world = makeWorld(gravity, 1 + below(&rng, 4));
    const int count = 1 + below(&rng, mostMechanisms), linkCount = below(&rng, 5);
    for (int i = 0; i < count; ++i) {
        if (once(&rng, 2)) {
            addTree(&rng, r, mechanisms[i]);
        } else {
            addBody(&rng, r, mechanisms[i]);
        }
    }
    for (int i = 0; i < linkCount; ++i) addLink(&rng, r, links[i]);
    const double T = logUniform(&rng, 1e-4, 1e-2);
    const bool vary = once(&rng, 2);
    for (int k = 0; k < stepCount; ++k) r->steps[k] = vary ? logUniform(&rng, 1e-4, 1e-2) : T;
}

// -------------------------------------------------------------------------------------- checks

// K + sum of |P| of all owners: what the sums that make an energy are rounded at.
static double scaleOf(const Random* r)
{
    plAccount a = plWorld_Ledger(r->world);
    double scale = a.kinetic;
    for (int i = 0; i < r->count; ++i) {
        checkOk(r->world, plWorld_MechanismLedger(r->world, r->ids[i], &a));
        scale += fabs(a.potential);
    }
    for (int i = 0; i < plWorld_LinkCount(r->world); ++i) {
        checkOk(r->world, plWorld_LinkLedger(r->world, plWorld_Link(r->world, i), &a));
        scale += fabs(a.potential);
    }
    return scale;
}

static bool isFinite(const Random* r)
{
    double q[7 * 6], v[6 * 6], sum = 0;
    for (int i = 0; i < r->count; ++i) {
        checkOk(r->world, plWorld_State(r->world, r->ids[i], q, v));
        for (int k = 0; k < plWorld_PositionCount(r->world, r->ids[i]); ++k) sum += 0 * q[k];
        for (int k = 0; k < plWorld_VelocityCount(r->world, r->ids[i]); ++k) sum += 0 * v[k];
    }
    return sum == 0;
}

typedef struct {
    double gain, residual; ///< largest, over the scale
    bool finite, repeats;
    int trouble;
} Outcome;

static Outcome follow(Random* r)
{
    const size_t size = plWorld_SnapshotSize(r->world);
    void* snapshot = malloc(size);
    Outcome o = {.finite = true};
    const double E0 = energyOf(r->world);
    double scale = scaleOf(r);
    uint64_t half = 0;
    assert_non_null(snapshot);
    for (int k = 0; k < stepCount; ++k) {
        if (k == stepCount / 2) {
            plWorld_Save(r->world, snapshot);
            half = plWorld_Hash(r->world);
        }
        plWorld_Step(r->world, r->steps[k]);
        const double E = energyOf(r->world);
        scale = fmax(scale, scaleOf(r));
        o.gain = fmax(o.gain, (E - E0) / scale);
        o.residual = fmax(o.residual, plWorld_Ledger(r->world).worst / scale);
        o.finite = o.finite && isfinite(E) && isFinite(r);
        o.trouble |= plWorld_Report(r->world).trouble;
    }
    const uint64_t end = plWorld_Hash(r->world);
    checkOk(r->world, plWorld_Restore(r->world, snapshot, size));
    o.repeats = plWorld_Hash(r->world) == half;
    for (int k = stepCount / 2; k < stepCount; ++k) plWorld_Step(r->world, r->steps[k]);
    o.repeats = o.repeats && plWorld_Hash(r->world) == end;
    free(snapshot);
    return o;
}

// 1e-11 of the scale: 300 steps of sums of some hundred terms, through solves of condition 1e2.
static void randomWorldsArePassiveAndRepeat(void** state)
{
    (void)state;
    const double bar = 1e-11;
    int failed = 0, stopped = 0, thrown = 0;
    Outcome worst = {0};
    for (int i = 0; i < sized(60, 2000); ++i) {
        Random r;
        makeRandom(1000 + (uint64_t)i, &r);
        const Outcome o = follow(&r);
        worst.gain = fmax(worst.gain, o.gain);
        worst.residual = fmax(worst.residual, o.residual);
        stopped += (o.trouble & pl_troubleStopped) != 0;
        thrown += (o.trouble & pl_troubleNotFinite) != 0;
        if (!(o.gain <= bar && o.residual <= bar && o.finite && o.repeats)) {
            print_error("seed %d: gain %.2g, residual %.2g, %s, %s, trouble %d\n", 1000 + i, o.gain,
                        o.residual, o.finite ? "finite" : "NOT FINITE",
                        o.repeats ? "repeats" : "DOES NOT REPEAT", o.trouble);
            ++failed;
        }
        plWorld_Destroy(r.world);
    }
    print_message(
        "random worlds: gain up to %.2g, residual up to %.2g of the scale; stopped in %d, "
        "thrown away in %d\n",
        worst.gain, worst.residual, stopped, thrown);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomWorldsArePassiveAndRepeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
