// Soft blocks of all models on links to the ground, bodies, chains and each other, in the air, on a floor and under
// a plate. Rigid links stay closed, energy does not rise, the ledger closes, and a snapshot has all that the next
// ticks need. Where the guard shortens a step, too.
#include "palp/soft.h"
#include "ticks.h"

static const double side = 0.04; // of a block [m]

typedef struct {
    Scene s;
    plSoftModel model;
    bool touches, pressed, springs;
    double E; ///< [Pa]
    int blockCount, faces[2];
    plMechanismId blocks[2], plate;
} Linked;

// ---------------------------------------------------------------------------------- bodies

static void addBlock(Linked* l)
{
    const plAllocator allocator = plDefaultAllocator();
    const plVec3 half = plVec(0.5 * side, 0.5 * side, 0.5 * side);
    plRng* rng = &l->s.rng;
    plSoftDef def = plDefaultSoftDef();
    plSoftInfo info;
    plTets mesh;
    const int i = l->blockCount++;
    assert_int_equal(plTets_Box(2, 2, 2, plScale(-1, half), half, &allocator, &mesh), pl_statusOk);
    def.name = i ? "upper" : "lower";
    def.mesh = &mesh;
    def.elastic = (plElastic){l->E, between(rng, 0.2, 0.45), 1000};
    def.model = l->model;
    def.step = 1 / l->s.rate;
    def.beta = once(rng, 2) ? 0 : 1e-3;
    def.pose.p.z = 0.1 + 0.06 * i;
    if (once(rng, 2)) def.pose.q = plExp(normalVec(rng, 0.5));
    def.velocity = normalVec(rng, 0.3);
    def.spin = normalVec(rng, 3);
    if (!l->touches) def.group = def.mask = 0;
    checkOk(l->s.world, plWorld_AddSoft(l->s.world, &def, &l->blocks[i]));
    checkOk(l->s.world, plWorld_SoftInfo(l->s.world, l->blocks[i], def.step, &info));
    l->faces[i] = info.faces;
    plTets_Free(&mesh);
}

static int addFreeBody(Linked* l, plVec3 at)
{
    plRng* rng = &l->s.rng;
    plAssemblyDef def = plDefaultAssemblyDef();
    def.mass = logUniform(rng, 0.01, 1);
    const double J = def.mass * 4e-4;
    def.inertia = diagonal(J, 1.3 * J, 0.8 * J);
    def.pose.p = plAdd(at, normalVec(rng, 0.02));
    def.velocity = normalVec(rng, 0.2);
    def.spin = normalVec(rng, 3);
    return addBodyOf(&l->s, def);
}

// Two bodies on hinges; the second one has the point `tip` within its reach.
static int addTwoBar(Linked* l, plVec3 tip)
{
    plChainBodyDef bodies[2];
    plChainDef def = plDefaultChainDef();
    for (int i = 0; i < 2; ++i) {
        bodies[i] = plDefaultChainBodyDef();
        bodies[i].name = partName(i);
        bodies[i].parent = i - 1;
        bodies[i].joint = pl_jointRevolute;
        bodies[i].axis = randomUnit(&l->s.rng);
        bodies[i].frame.p.x = i ? 0.05 : 0;
        bodies[i].mass = 0.1;
        bodies[i].center.x = 0.03;
        bodies[i].inertia = diagonal(1e-5, 3e-5, 3e-5);
    }
    def.base.p = plAdd(tip, plVec(-0.09, 0, 0));
    def.bodies = bodies;
    def.bodyCount = 2;
    return addChainOf(&l->s, def);
}

// ---------------------------------------------------------------------------------- links

// A node, or the middle of an edge of a face.
static plSite siteOnBlock(Linked* l, int block)
{
    plRng* rng = &l->s.rng;
    plSite site = {l->blocks[block], 1 + below(rng, l->faces[block]), {1, 0, 0}};
    if (once(rng, 2)) site.point = plVec(0.25, 0.25, 0.5);
    return site;
}

// A ball, a distance, all six freedoms, which only corotational bodies can hold, or a spring.
static void join(Linked* l, plSite a, plSite b)
{
    plRng* rng = &l->s.rng;
    plLinkDef def = plDefaultLinkDef();
    const plMotion A = motionOf(l->s.world, a), B = motionOf(l->s.world, b);
    const double apart = plNorm(plSub(A.x, B.x));
    def.a = a;
    def.b = b;
    if (l->springs) {
        def.stiffness = logUniform(rng, 10, 1e5);
        def.damping = once(rng, 2) ? 0 : logUniform(rng, 1e-3, 10);
        def.form = once(rng, 2) ? pl_linkImplicit : pl_linkPassive;
        addLinkOf(&l->s, def);
        return;
    }
    def.stiffness = INFINITY;
    if (apart > 1e-6) {
        def.distance = apart;
    } else if (l->model == pl_softCorotational && once(rng, 2)) {
        const plMat3 rest = plTransMul(&B.R, &A.R);
        def.turns = true;
        def.turnStiffness = INFINITY;
        def.rest = plQuatOf(&rest);
    }
    addLinkOf(&l->s, def);
}

// Under a plate nothing is held in place: a rigid link would be asked for what it cannot give.
static void linkBlock(Linked* l, int block)
{
    enum { toBody, toGround, toArm, toBlock };
    plRng* rng = &l->s.rng;
    const plSite a = siteOnBlock(l, block);
    const plVec3 x = motionOf(l->s.world, a).x;
    const plVec3 y = once(rng, 3) ? plAddScaled(x, between(rng, 0.01, 0.05), randomUnit(rng)) : x;
    const int kind = block > 0 && once(rng, 3) ? toBlock : l->pressed ? toBody : below(rng, 3);
    if (kind == toBody) join(l, a, siteAt(&l->s, addFreeBody(l, y), 0, y));
    if (kind == toGround) join(l, a, (plSite){.point = y});
    if (kind == toArm) join(l, a, siteAt(&l->s, addTwoBar(l, y), 1, y));
    if (kind == toBlock) join(l, a, siteOnBlock(l, block - 1));
}

// ---------------------------------------------------------------------------------- scenes

static void addPlate(Linked* l)
{
    plPrescribedDef def = plDefaultPrescribedDef();
    def.name = "plate";
    def.pose.p.z = 0.3;
    checkOk(l->s.world, plWorld_AddPrescribed(l->s.world, &def, &l->plate));
    addBoxShape(l->s.world, l->plate, plVec(0.08, 0.08, 0.005));
}

static void makeLinked(Range range, int scene, Linked* l)
{
    const double frictions[] = {0, 0.5, 1}, rates[] = {100, 1000, 300};
    const int kind = scene / pl_softModelCount;
    plWorldDef def = plDefaultWorldDef();
    *l = (Linked){.s.rng = rngOf(range, scene)};
    plRng* rng = &l->s.rng;
    l->model = (plSoftModel)(scene % pl_softModelCount);
    l->touches = kind % 3 > 0;
    l->pressed = kind % 3 == 2;
    l->springs = kind / 3 % 2;
    l->s.rate = rates[kind / 6 % 3];
    l->E = logUniform(rng, 2e4, 1e6);
    def.step = 1 / l->s.rate;
    def.contact.surface.friction = frictions[below(rng, 3)];
    def.capacity.contacts = 512;
    def.capacity.memory = 256u << 20;
    createScene(&l->s, &def);
    if (l->touches) addWallAt(&l->s, plVec(0, 0, 1), plVec(0, 0, 0.05));
    for (int i = 1 + below(rng, 2); i > 0; --i) addBlock(l);
    for (int i = 0; i < l->blockCount; ++i) {
        for (int k = 1 + below(rng, 2); k > 0; --k) linkBlock(l, i);
    }
    if (l->pressed) addPlate(l);
}

static void stepPlate(const Linked* l, double t)
{
    const plPose pose = {{0, 0, fmax(0.08, 0.3 - t)}, {1, 0, 0, 0}};
    if (l->pressed) checkOk(l->s.world, plWorld_Steer(l->s.world, l->plate, pose));
}

static void copyState(const Linked* from, const Linked* to)
{
    const size_t bytes = plWorld_SnapshotSize(from->s.world);
    void* snapshot = malloc(bytes);
    assert_non_null(snapshot);
    plWorld_Save(from->s.world, snapshot);
    checkOk(to->s.world, plWorld_Restore(to->s.world, snapshot, bytes));
    free(snapshot);
}

// ---------------------------------------------------------------------------------- judges

// "silent": ticks that open a link or create energy, and do not say so. "parts": ticks after which a world that
// was restored from a snapshot is another one.
static const Measure measures[] = {
    {"gap", 1e-5, true}, {"rise", 1e-9, true}, {"residual", 1e-12, true}, {"silent", 0, true},
    {"parts", 0, true},  {"stopped", 0, true}, {"guarded", 0, false}};

static void follow(Linked* l, Linked* twin, bool verbose, double values[])
{
    const double T = 1 / l->s.rate, time = getenv("PALP_FULL") ? 0.3 : 0.15;
    Watch watch = watchOf(l->s.world, 1e-4);
    double gap = 0, rise = -INFINITY;
    int silent = 0, parts = 0, guarded = 0;
    for (int tick = 0; tick < time * l->s.rate; ++tick) {
        if (tick % 10 == 3) copyState(l, twin);
        stepPlate(l, tick * T);
        stepPlate(twin, tick * T);
        watch.rise = -INFINITY;
        watchStep(l->s.world, T, &watch);
        if (tick >= 3) { // so that both have different pasts
            plWorld_Step(twin->s.world, T);
            parts += plWorld_Hash(twin->s.world) != plWorld_Hash(l->s.world);
        }
        const double open = gapOfLinks(&l->s);
        const int bits = plWorld_Report(l->s.world).trouble;
        silent += open > measures[0].limit && !(bits & pl_troubleApart);
        silent +=
            watch.rise > measures[1].limit && !(bits & (pl_troubleGuarded | pl_troubleGained));
        guarded += (bits & pl_troubleGuarded) != 0;
        larger(&gap, open);
        larger(&rise, watch.rise);
        if (!verbose) continue;
        print_message("%.4f s: open %.3g, rise %.2g of %.3g J, energy %.6g J, contacts %d, "
                      "trouble %d\n",
                      tick * T, open, watch.rise, watch.scale, energyOf(l->s.world),
                      plWorld_Report(l->s.world).contacts, bits);
    }
    const double list[] = {gap, rise, watch.residual, silent, parts, watch.stopped, guarded};
    memcpy(values, list, sizeof list);
}

static void linksOfSoftBodiesHold(void** unused)
{
    (void)unused;
    const Range range = rangeOf(12 * pl_softModelCount, 180 * pl_softModelCount);
    static Board board;
    static Linked l, twin;
    board = boardOf("linked blocks", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makeLinked(range, i, &twin);
        makeLinked(range, i, &l);
        follow(&l, &twin, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s, %s, %s", plSoftModel_Name((int)l.model),
                 l.springs ? "springs" : "rigid",
                 l.pressed   ? "pressed"
                 : l.touches ? "floor"
                             : "free");
        enter(&board, name, i, values);
        plWorld_Destroy(l.s.world);
        plWorld_Destroy(twin.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linksOfSoftBodiesHold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
