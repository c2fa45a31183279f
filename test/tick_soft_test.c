// Soft blocks of all models, pressed by a quarter of their height and let go: 20 ms later, and ever after, no
// node is more than 0.1 mm deep in the floor or in the plate.
#include "palp/soft.h"
#include "ticks.h"

static const double side = 0.04; // of the block, and its height [m]
static const plVec3 plateHalf = {0.05, 0.05, 0.005};

typedef struct {
    Scene s;
    plSoftModel model;
    double friction, E;
    plMechanismId block, plate;
    int nodes;
    plVec3 points[256];
} Pressed;

static void addBlock(Pressed* p)
{
    const plAllocator allocator = plDefaultAllocator();
    plSoftDef def = plDefaultSoftDef();
    plTets mesh;
    const plVec3 lo = plVec(-0.5 * side, -0.5 * side, 0), hi = plVec(0.5 * side, 0.5 * side, side);
    assert_int_equal(plTets_Box(3, 3, 3, lo, hi, &allocator, &mesh), pl_statusOk);
    def.name = "block";
    def.mesh = &mesh;
    def.elastic = (plElastic){p->E, between(&p->s.rng, 0.2, 0.45), 1000};
    def.model = p->model;
    def.step = 1 / p->s.rate;
    def.beta = once(&p->s.rng, 2) ? 0 : 1e-3;
    p->nodes = mesh.pointCount;
    checkOk(p->s.world, plWorld_AddSoft(p->s.world, &def, &p->block));
    plTets_Free(&mesh);
}

static void addPlate(Pressed* p)
{
    plPrescribedDef def = plDefaultPrescribedDef();
    def.name = "plate";
    def.pose.p.z = side + plateHalf.z + 1e-3;
    checkOk(p->s.world, plWorld_AddPrescribed(p->s.world, &def, &p->plate));
    addBoxShape(p->s.world, p->plate, plateHalf);
}

static void makePressed(Range range, int scene, Pressed* p)
{
    const double frictions[] = {0, 0.5, 1}, rates[] = {300, 1000};
    plWorldDef def = plDefaultWorldDef();
    *p = (Pressed){.s.rng = rngOf(range, scene)};
    p->model = (plSoftModel)(scene % pl_softModelCount);
    p->friction = frictions[scene / pl_softModelCount % 3];
    p->s.rate = rates[scene / pl_softModelCount / 3 % 2];
    p->E = logUniform(&p->s.rng, 2e4, 1e6);
    def.step = 1 / p->s.rate;
    def.contact.surface.friction = p->friction;
    def.capacity.contacts = 512;
    def.capacity.memory = 256u << 20;
    createScene(&p->s, &def);
    addWallAt(&p->s, plVec(0, 0, 1), plVec(0, 0, 0));
    addBlock(p);
    addPlate(p);
}

// Lower side of the plate above the block's height: down at 0.1 m/s to a quarter of it, 50 ms there, then up.
static double plateAt(double t, double* release)
{
    const double down = 0.1, depth = 0.25 * side, arrives = (1e-3 + depth) / down;
    *release = arrives + 0.05;
    if (t < arrives) return 1e-3 - down * t;
    if (t < *release) return -depth;
    return fmin(0.1, -depth + (t - *release));
}

// Deepest node in the floor or in the plate, whose sides are far away.
static double depthOfNodes(Pressed* p)
{
    const plMotion plate = motionOf(p->s.world, (plSite){p->plate, 0, {0, 0, 0}});
    double depth = 0;
    checkOk(p->s.world, plWorld_SoftPoints(p->s.world, p->block, p->points));
    for (int i = 0; i < p->nodes; ++i) {
        const plVec3 x = p->points[i], y = plSub(x, plate.x);
        larger(&depth, -x.z);
        const double in = fmin(plateHalf.x - fabs(y.x), plateHalf.y - fabs(y.y));
        larger(&depth, fmin(in, fmin(plateHalf.z - y.z, plateHalf.z + y.z)));
    }
    return depth;
}

static const Measure measures[] = {{"after", 1e-4, true},
                                   {"settles", 0.02, false},
                                   {"pressed", 1e-4, false},
                                   {"rise", 1e-9, false},
                                   {"stopped", 0, true}};

static void follow(Pressed* p, bool verbose, double values[])
{
    const double T = 1 / p->s.rate, time = getenv("PALP_FULL") ? 1 : 0.25;
    Watch watch = watchOf(p->s.world, 1e-4);
    double after = 0, pressed = 0, settles = 0, release;
    for (double t = T; t < time; t += T) {
        plPose pose = {{0, 0, side + plateHalf.z + plateAt(t, &release)}, {1, 0, 0, 0}};
        checkOk(p->s.world, plWorld_Steer(p->s.world, p->plate, pose));
        watchStep(p->s.world, T, &watch);
        const double depth = depthOfNodes(p);
        larger(t > release + 0.02 ? &after : &pressed, depth);
        if (t > release && !(depth <= measures[0].limit)) settles = t - release;
        if (!verbose) continue;
        const plStepReport r = plWorld_Report(p->s.world);
        print_message("%.4f s%s: depth %.3g m, energy %.6g J, worst rise %.2g, contacts %d, "
                      "trouble %d\n",
                      t, t > release ? ", released" : "", depth, energyOf(p->s.world), watch.rise,
                      r.contacts, r.trouble);
    }
    const double list[] = {after, settles, pressed, watch.rise, watch.stopped};
    memcpy(values, list, sizeof list);
}

static void pressedBlocksDoNotStayDeep(void** unused)
{
    (void)unused;
    const Range range = rangeOf(3 * pl_softModelCount, 24 * pl_softModelCount);
    static Board board;
    static Pressed p;
    board = boardOf("soft blocks", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makePressed(range, i, &p);
        if (range.alone) {
            print_message("%s, friction %g, E %.3g Pa, %g Hz\n", plSoftModel_Name((int)p.model),
                          p.friction, p.E, p.s.rate);
        }
        follow(&p, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s, friction %g", plSoftModel_Name((int)p.model), p.friction);
        enter(&board, name, i, values);
        plWorld_Destroy(p.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pressedBlocksDoNotStayDeep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
