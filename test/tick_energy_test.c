// Random worlds of bodies, chains, beams, links, contacts and hands at rest: no tick raises the energy beyond
// what was applied in it, nothing stands still for two ticks running, and what should rest rests.
#include "ticks.h"

enum { bodies, room, chains, beams, springs, rigid, hands, resting, kindCount };

static const char* const kindNames[] = {"bodies",  "room",  "chains", "beams",
                                        "springs", "rigid", "hands",  "resting"};

/// A scene, and what its random choices share.
typedef struct {
    Scene s;
    int kind;
    double friction, restitution;
    plLawName law;
    int cell; ///< next free place for a body
    plVec3 points[hullPoints];
} World;

static const double cellSize = 0.12; // bodies of 5 cm at most do not touch at the start [m]

// ---------------------------------------------------------------------------------- parts

// Places for bodies, three by three in a layer, from the middle.
static plVec3 nextCell(World* w)
{
    const int order[] = {4, 0, 8, 2, 6, 1, 7, 3, 5}, i = order[w->cell % 9];
    const plVec3 at =
        plVec(cellSize * (i % 3 - 1), cellSize * (i / 3 - 1), 0.1 + cellSize * (w->cell / 9));
    ++w->cell;
    return plAdd(at, vecBetween(&w->s.rng, -0.005, 0.005));
}

static plShapeKind anyKind(plRng* rng, bool rolls)
{
    const plShapeKind kinds[] = {pl_shapeBox, pl_shapeHull, pl_shapeSphere, pl_shapeCapsule};
    return kinds[below(rng, rolls ? 4 : 2)];
}

static int addAny(World* w, plVec3 at, double speed)
{
    plRng* rng = &w->s.rng;
    plAssemblyDef def = plDefaultAssemblyDef();
    const plShapeKind kind = anyKind(rng, w->kind != resting);
    const plShapeDef shape = convexShape(rng, kind, between(rng, 0.015, 0.03), w->points);
    def.pose = (plPose){at, randomTurn(rng)};
    def.velocity = normalVec(rng, speed);
    def.spin = normalVec(rng, 5 * speed);
    const double mass = w->kind == resting ? between(rng, 0.1, 0.3) : logUniform(rng, 0.01, 1);
    return addSolid(&w->s, shape, mass, def);
}

static void addBodies(World* w, int n, double speed)
{
    for (int i = 0; i < n; ++i) addAny(w, nextCell(w), speed);
}

// A floor, sometimes with a box on it or tilted walls about it.
static void addPlace(World* w)
{
    plRng* rng = &w->s.rng;
    addWallAt(&w->s, plVec(0, 0, 1), plVec(0, 0, 0));
    if (once(rng, 3)) {
        plShapeDef block = plDefaultShapeDef(pl_shapeBox);
        block.half = plVec(0.1, 0.05, 0.03);
        addGround(&w->s, block);
    }
    for (int i = 0; i < 4 && w->kind != hands; ++i) {
        const double s = i % 2 ? -1 : 1;
        const plVec3 n = unitOf(plVec(i < 2 ? s : 0, i < 2 ? 0 : s, w->kind == room ? 0 : 0.1));
        addWallAt(&w->s, n, plScale(-0.3, n));
    }
    if (w->kind == room) addWallAt(&w->s, plVec(0, 0, -1), plVec(0, 0, 0.5));
}

// Bodies with capsules on joints, from a fixed base or free; damped so that it would rest in some seconds.
static void addArmOf(World* w, plVec3 base, bool isFree, bool damped)
{
    plChainBodyDef list[4];
    plChainDef def = plDefaultChainDef();
    plRng* rng = &w->s.rng;
    const double length = between(rng, 0.05, 0.07);
    // midpoint steps do not damp what is much faster than a tick: no joint turns about the body's own
    // axis, and none about a vertical one, where nothing brings it back
    const bool calm = w->kind == resting;
    def.bodyCount = 1 + below(rng, 4);
    for (int i = 0; i < def.bodyCount; ++i) {
        plChainBodyDef* b = &list[i];
        *b = plDefaultChainBodyDef();
        b->name = partName(i);
        b->parent = i - 1;
        b->joint = i == 0 && isFree        ? pl_jointFree
                   : !calm && once(rng, 4) ? pl_jointSpherical
                                           : pl_jointRevolute;
        b->axis = randomUnit(rng);
        if (calm) b->axis = plVec(0, 1, between(rng, -0.3, 0.3));
        if (i > 0) b->frame.p.x = length;
        b->mass = logUniform(rng, 0.02, 0.3);
        b->center.x = 0.5 * length;
        b->inertia = diagonal(1e-2 * b->mass * length * length, b->mass * length * length / 12,
                              b->mass * length * length / 12);
        if (once(rng, 3) && b->joint != pl_jointFree)
            b->stiffness = logUniform(rng, 0.01, calm ? 1 : 10);
        plPut4((plQuat){1, 0, 0, 0}, b->rest + (b->joint == pl_jointFree ? 3 : 0));
        if (b->joint == pl_jointRevolute) b->rest[0] = 0;
        if (b->joint == pl_jointSpherical) plPut4((plQuat){1, 0, 0, 0}, b->position);
        if (b->joint == pl_jointFree) plPut3(base, b->position), b->position[3] = 1;
    }
    // damping is about half critical for the pendulum of all that a joint carries
    double outward = 0;
    for (int i = def.bodyCount - 1; i >= 0 && damped; --i) {
        outward += list[i].mass;
        list[i].damping =
            between(rng, 1, 2) * outward * pow(length * (def.bodyCount - i), 1.5) * sqrt(9.81 / 6);
    }
    if (!isFree) def.base.p = base;
    def.bodies = list;
    const int arm = addChainOf(&w->s, def);
    for (int i = 0; i < def.bodyCount; ++i) {
        plPartShapeDef pad = plDefaultPartShapeDef(pl_shapeCapsule);
        pad.mechanism = w->s.ids[arm];
        pad.part = i;
        pad.shape.radius = 0.01;
        pad.shape.length = length - 0.02;
        pad.shape.frame.p.x = 0.5 * length;
        addShapeOf(&w->s, pad);
    }
}

// A bent beam along x, with a ball at its tip and a stop at its side.
static void addBeamOf(World* w)
{
    plChainBodyDef list[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef def = plDefaultChainDef();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plRng* rng = &w->s.rng;
    const double L = between(rng, 0.3, 0.9), bent[] = {between(rng, 0.005, 0.02), 0, 0, 0, 0, 0};
    list[0].name = "clamp";
    list[0].joint = once(rng, 3) ? pl_jointRevolute : pl_jointFixed;
    list[0].stiffness = list[0].joint == pl_jointRevolute ? logUniform(rng, 10, 1e3) : 0;
    list[0].beam = (plBeamDef){.length = L,
                               .mass = between(rng, 0.1, 1.5),
                               .bending = {logUniform(rng, 1, 500), logUniform(rng, 1, 500)},
                               .damping = once(rng, 2) ? 0.01 : 0,
                               .modes = {1 + below(rng, 3), below(rng, 2)},
                               .position = bent};
    list[1].name = "tip";
    list[1].parent = 0;
    list[1].joint = pl_jointFixed;
    list[1].frame.p.x = L;
    list[1].mass = logUniform(rng, 0.003, 0.1);
    list[1].inertia = diagonal(1e-6, 1e-6, 1e-6);
    def.base.p = plVec(-0.3, 0, 0.25);
    def.bodies = list;
    def.bodyCount = 2;
    ball.mechanism = w->s.ids[addChainOf(&w->s, def)];
    ball.part = 1;
    ball.shape.radius = 0.01;
    addShapeOf(&w->s, ball);
    // the tip is bent by twice the amplitude, and swings to the other side
    const double stop = 0.01 + between(rng, 0, 1.5) * bent[0];
    addWallAt(&w->s, plVec(0, 1, 0), plVec(0, -stop, 0));
}

// ---------------------------------------------------------------------------------- links

static void holdTurns(const World* w, plLinkDef* def)
{
    const plMotion A = motionOf(w->s.world, def->a), B = motionOf(w->s.world, def->b);
    const plMat3 rest = plTransMul(&B.R, &A.R);
    def->turns = true;
    def->rest = plQuatOf(&rest);
    def->turnStiffness = isinf(def->stiffness) ? (double)INFINITY : fmax(1, 1e-3 * def->stiffness);
    def->turnDamping = 1e-2 * def->damping;
}

// Slow enough for the tick, and damped by a fifth to all of what is critical.
static void calmLink(World* w, plLinkDef* def)
{
    const double omega = between(&w->s.rng, 10, fmin(100, 2 * w->s.rate));
    const double mass = 0.3, J = mass * 0.1 * 0.1, share = between(&w->s.rng, 0.2, 1);
    def->stiffness = mass * omega * omega;
    def->damping = 2 * share * mass * omega;
    def->turnStiffness = J * omega * omega;
    def->turnDamping = 2 * share * J * omega;
}

// From a body to the one before it, or to the ground, at a point between them.
static void tieTo(World* w, int a, int b)
{
    plRng* rng = &w->s.rng;
    plLinkDef def = plDefaultLinkDef();
    const plVec3 at = motionOf(w->s.world, (plSite){w->s.ids[a], 0, {0, 0, 0}}).x;
    const plVec3 to = b < 0 ? plAdd(at, plVec(0, 0, 0.08))
                            : motionOf(w->s.world, (plSite){w->s.ids[b], 0, {0, 0, 0}}).x;
    const plVec3 x = plScale(0.5, plAdd(at, to));
    def.a = siteAt(&w->s, a, 0, x);
    def.b = siteAt(&w->s, b, 0, x);
    def.stiffness = w->kind == rigid ? (double)INFINITY : logUniform(rng, 1e2, 1e8);
    if (w->kind == springs && once(rng, 2)) def.damping = logUniform(rng, 1, 20);
    if (once(rng, 3) || w->kind == resting) holdTurns(w, &def);
    if (w->kind == resting) calmLink(w, &def);
    addLinkOf(&w->s, def);
}

static void addTied(World* w, int n)
{
    const int first = w->s.count;
    addBodies(w, n, w->kind == resting ? 0 : 0.3);
    for (int i = 0; i < n; ++i) {
        if (i > 0 || once(&w->s.rng, 2)) tieTo(w, first + i, i > 0 ? first + i - 1 : -1);
    }
}

// ---------------------------------------------------------------------------------- hands

// A tool pulled to a place near or below the floor by a hand that wants to stay: locked, or held by an
// impedance with enough damping for the coupling's sampled spring.
static void addHand(World* w)
{
    plRng* rng = &w->s.rng;
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plDeviceId id;
    plCouplingId couplingId;
    const plVec3 at = nextCell(w);
    const int tool = addAny(w, at, 0);
    const double deeper = between(rng, 0.005, 0.12), T = 1 / w->s.rate;
    const double K = logUniform(rng, 100, fmin(1e5, 10 / (deeper * deeper))); // stores 5 J at most
    const plWaypoint stay = {0, {plSub(at, plVec(0, 0, deeper)), {1, 0, 0, 0}}};
    device.name = "hand";
    device.pose = stay.pose;
    device.forceLimit = all3(12);
    device.torqueLimit = all3(0.2);
    device.hand.kind = pl_handImpedance;
    device.hand.stiffness = 400;
    device.hand.damping = 5;
    device.hand.turnStiffness = 1;
    device.hand.turnDamping = 0.02;
    device.hand.points = &stay;
    device.hand.pointCount = 1;
    device.damping = 5 + K * T + 2e-3 * K;
    device.turnDamping = 0.01 + 1e-3 * K * T + 2e-6 * K;
    if (once(rng, 2)) device.mass = device.inertia = all3(INFINITY);
    checkOk(w->s.world, plWorld_AddDevice(w->s.world, &device, &id));
    coupling.name = "grip";
    coupling.kind = pl_couplingVirtual;
    coupling.device = id;
    coupling.tool.mechanism = w->s.ids[tool];
    coupling.stiffness = all3(K);
    coupling.damping = all3(once(rng, 3) ? 0 : 1e-3 * K);
    coupling.turnStiffness = all3(once(rng, 3) ? 0 : 1e-3 * K);
    coupling.turnDamping = all3(1e-6 * K);
    checkOk(w->s.world, plWorld_AddCoupling(w->s.world, &coupling, &couplingId));
}

// ---------------------------------------------------------------------------------- a scene

static void fill(World* w)
{
    plRng* rng = &w->s.rng;
    const int n = 1 + below(rng, 6);
    if (w->kind != beams) addPlace(w);
    switch (w->kind) {
    case bodies:
        addBodies(w, n + 1, 0.5);
        break;
    case room:
        addBodies(w, n + 1, 2);
        break;
    case chains:
        addArmOf(w, plVec(0, 0, 0.45), once(rng, 2), once(rng, 2));
        addBodies(w, n, 0.3);
        break;
    case beams:
        addBeamOf(w);
        break;
    case springs:
    case rigid:
        addTied(w, n + 1);
        break;
    case hands:
        addHand(w);
        addBodies(w, below(rng, 4), 0);
        break;
    default:
        addBodies(w, n, 0);
        if (once(rng, 2)) addArmOf(w, plVec(0, 0, 0.45), false, true);
        if (once(rng, 2)) addTied(w, 1 + below(rng, 2));
    }
}

static void makeWorldOf(Range range, int scene, World* w)
{
    const double bounces[] = {0, 0.5, 1};
    plWorldDef def = plDefaultWorldDef();
    *w = (World){.s.rng = rngOf(range, scene),
                 .s.rate = tickRates[scene % 4],
                 .kind = scene / 4 % kindCount};
    plRng* rng = &w->s.rng;
    w->law = once(rng, 2) ? pl_lawCone : pl_lawLcp;
    w->friction = w->kind == resting ? between(rng, 0.3, 1) : once(rng, 4) ? 0 : between(rng, 0, 1);
    w->restitution = bounces[below(rng, w->kind == resting ? 2 : 3)];
    const bool weightless = w->kind == room || (w->kind != resting && once(rng, 4));
    w->s.gravity = weightless ? plVec(0, 0, 0) : plVec(0, 0, -9.81);
    def.gravity = w->s.gravity;
    def.step = 1 / w->s.rate;
    def.contact.law = w->law;
    def.contact.surface.friction = w->friction;
    def.contact.surface.restitution = w->restitution;
    createScene(&w->s, &def);
    fill(w);
    checkAtMost("overlap at the start [m]", depthOf(w->s.world, NULL), 0);
}

static const Measure measures[] = {{"rise", 1e-9, true},    {"standing", 1, true},
                                   {"kinetic", 1e-9, true}, {"residual", 1e-12, true},
                                   {"books", 1e-12, true},  {"depth", 1e-4, false},
                                   {"rest [s]", 20, false}};

static void trace(const World* w, const Watch* watch, double depth)
{
    const plStepReport r = plWorld_Report(w->s.world);
    print_message(
        "%.5f s: energy %.12g J, kinetic %.3g J, worst rise %.2g of %.3g J, depth %.3g m, "
        "contacts %d, trouble %d, level %d, passes %d\n",
        plWorld_Time(w->s.world), energyOf(w->s.world), watch->last.kinetic, watch->rise,
        watch->scale, depth, r.contacts, r.trouble, r.level, r.passes);
}

// Until it has rested for half a second, or for the time of its kind.
static void follow(const World* w, bool verbose, double values[])
{
    plWorld* world = w->s.world;
    const bool rests = w->kind == resting;
    const double T = 1 / w->s.rate, time = rests ? 20 : w->s.rate > 500 ? 1.5 : 3;
    Watch watch = watchOf(world, 0.01 * w->s.weight);
    double depth = 0, quiet = -1;
    while (plWorld_Time(world) < time &&
           !(rests && quiet >= 0 && plWorld_Time(world) > quiet + 0.5)) {
        watchStep(world, T, &watch);
        watchBooks(world, &watch);
        larger(&depth, depthOf(world, NULL));
        if (!(watch.last.kinetic < 1e-9))
            quiet = -1;
        else if (quiet < 0)
            quiet = plWorld_Time(world);
        if (verbose) trace(w, &watch, depth);
    }
    const double list[] = {
        watch.rise,  watch.longest, rests ? watch.last.kinetic : 0,     watch.residual,
        watch.books, depth,         !rests ? 0 : quiet < 0 ? 99 : quiet};
    memcpy(values, list, sizeof list);
}

static void describe(const World* w)
{
    print_message("%s at %g Hz, %s, friction %.3f, restitution %g, gravity %g: %d mechanisms, %d "
                  "links, weight %.3g N\n",
                  kindNames[w->kind], w->s.rate, plLawName_Name((int)w->law), w->friction,
                  w->restitution, w->s.gravity.z, w->s.count, w->s.linkCount, w->s.weight);
}

static void noTickRaisesTheEnergy(void** unused)
{
    (void)unused;
    const Range range = rangeOf(24, 2000);
    static Board board;
    static World w;
    board = boardOf("energy", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makeWorldOf(range, i, &w);
        if (range.alone) describe(&w), dumpScene(&w.s, 20);
        follow(&w, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s, %g Hz", kindNames[w.kind], w.s.rate);
        enter(&board, name, i, values);
        plWorld_Destroy(w.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noTickRaisesTheEnergy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
