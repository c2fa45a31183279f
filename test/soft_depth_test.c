// Random scenes with soft bodies of all models: no node is deep in a rigid shape without a bit of trouble, and no
// tick has more energy than the last one and what was applied.
//   PALP_FULL=1   all scenes; PALP_FIRST, PALP_COUNT: a few of them; PALP_VERBOSE=1: each one, one alone by ticks
#include "math/math.h"
#include "palp/soft.h"
#include "world/world.h"
#include "worlds.h"

#include <string.h>

enum { mostSoft = 2, mostRigid = 4, mostNodes = 512 };

static const double slop = 1e-4; // [m]

typedef struct {
    plRng rng;
    plWorld* world;
    double T, time;
    int softs, rigids;
    plMechanismId soft[mostSoft], rigid[mostRigid], plate;
    int nodes[mostSoft];
    bool hasPlate, bumpy;
    double height; // of the lowest soft body, at least [m]
    plPose plateAt;
    plVec3 plateWay, plateTurn;
    double plateRate;
    char what[160];
    plVec3 points[mostNodes];
} Random;

static int below(plRng* rng, int n) { return (int)(plRng_Next(rng) % (uint64_t)n); }
static double between(plRng* rng, double lo, double hi) { return plRng_Uniform(rng, lo, hi); }
static double logBetween(plRng* rng, double lo, double hi)
{
    return exp(plRng_Uniform(rng, log(lo), log(hi)));
}
static plVec3 ball(plRng* rng, double size)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng), z = plRng_Normal(rng);
    return plVec(size * x, size * y, size * z);
}
static plQuat turned(plRng* rng) { return plExp(ball(rng, 1)); }

// --- scenes

static void addSoft(Random* r, double z)
{
    const plAllocator allocator = plDefaultAllocator();
    plSoftDef def = plDefaultSoftDef();
    char name[16];
    plTets mesh;
    const double a = between(&r->rng, 0.02, 0.06), b = between(&r->rng, 0.02, 0.06),
                 c = between(&r->rng, 0.02, 0.06);
    const int nx = 1 + below(&r->rng, 4), ny = 1 + below(&r->rng, 4), nz = 1 + below(&r->rng, 4);
    checkOk(NULL, plTets_Box(nx, ny, nz, plVec(-a / 2, -b / 2, -c / 2), plVec(a / 2, b / 2, c / 2),
                             &allocator, &mesh));
    snprintf(name, sizeof name, "soft%d", r->softs);
    def.name = name;
    def.mesh = &mesh;
    if (r->softs == 0) r->height = fmin(a, fmin(b, c));
    def.model = (plSoftModel)below(&r->rng, pl_softModelCount);
    def.elastic = (plElastic){logBetween(&r->rng, 1e4, 1e7), between(&r->rng, 0, 0.45), 1000};
    if (def.model == pl_softLagged)
        def.elastic.E = logBetween(&r->rng, 1e4, 1e5); // stable for small turns only
    if (def.model == pl_softDynamic && below(&r->rng, 2)) def.integrator = pl_integratorMidpoint;
    def.step = r->T;
    def.beta = below(&r->rng, 2) ? 0 : 1e-3;
    const bool flat = below(&r->rng, 2) || def.model == pl_softLagged;
    if (!flat) def.pose.q = turned(&r->rng);
    def.pose.p = plAdd(ball(&r->rng, 5e-3), plVec(0, 0, z));
    def.velocity = ball(&r->rng, 0.3);
    def.velocity.z -= between(&r->rng, 0, 1);
    if (!flat) def.spin = ball(&r->rng, 3);
    snprintf(r->what + strlen(r->what), sizeof r->what - strlen(r->what), " %s%s %.1e Pa",
             plSoftModel_Name((int)def.model),
             def.integrator == pl_integratorMidpoint ? "/midpoint" : "", def.elastic.E);
    r->nodes[r->softs] = mesh.pointCount;
    checkOk(r->world, plWorld_AddSoft(r->world, &def, &r->soft[r->softs++]));
    plTets_Free(&mesh);
}

static plShapeDef shapeOf(plRng* rng, double size)
{
    const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeBox, pl_shapeCapsule};
    plShapeDef def = plDefaultShapeDef(kinds[below(rng, 3)]);
    def.radius = size * between(rng, 0.5, 1);
    def.length = size * between(rng, 0.5, 2);
    def.half = plVec(size * between(rng, 0.4, 1), size * between(rng, 0.4, 1),
                     size * between(rng, 0.4, 1));
    return def;
}

static void addRigid(Random* r, double z)
{
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeSphere);
    plAssemblyDef def = plDefaultAssemblyDef();
    plShapeError error;
    plMass mass;
    char name[16];
    shape.shape = shapeOf(&r->rng, between(&r->rng, 0.01, 0.03));
    assert_int_equal(plShapeDef_Mass(&shape.shape, logBetween(&r->rng, 300, 8000), &mass, &error),
                     pl_statusOk);
    snprintf(name, sizeof name, "rigid%d", r->rigids);
    def.name = name;
    def.mass = mass.mass;
    def.inertia = mass.inertia;
    def.pose.p = plAdd(ball(&r->rng, 5e-3), plVec(0, 0, z));
    def.pose.q = turned(&r->rng);
    def.velocity = ball(&r->rng, 0.3);
    def.velocity.z -= between(&r->rng, 0, 1);
    def.spin = ball(&r->rng, 3);
    snprintf(r->what + strlen(r->what), sizeof r->what - strlen(r->what), " %s %.0f g",
             plShapeKind_Name((int)shape.shape.kind), 1e3 * mass.mass);
    checkOk(r->world, plWorld_AddAssembly(r->world, &def, &shape.mechanism));
    r->rigid[r->rigids++] = shape.mechanism;
    plShapeId id;
    checkOk(r->world, plWorld_AddShape(r->world, &shape, &id));
}

static void addGround(Random* r)
{
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId id;
    def.shape.normal = plVec(0, 0, 1);
    def.group = 2;
    if (below(&r->rng, 3) == 0) {
        const double slope = between(&r->rng, 0, 0.4);
        def.shape.normal = plVec(sin(slope), 0, cos(slope));
    }
    checkOk(r->world, plWorld_AddShape(r->world, &def, &id));
    if (below(&r->rng, 2)) return;
    r->bumpy = true;
    def = plDefaultPartShapeDef(pl_shapeSphere);
    def.shape = shapeOf(&r->rng, between(&r->rng, 0.01, 0.03));
    def.group = 2;
    def.shape.frame.p = plAdd(ball(&r->rng, 5e-3), plVec(0, 0, 0.005));
    def.shape.frame.q = turned(&r->rng);
    snprintf(r->what + strlen(r->what), sizeof r->what - strlen(r->what), " on %s",
             plShapeKind_Name((int)def.shape.kind));
    checkOk(r->world, plWorld_AddShape(r->world, &def, &id));
}

// Comes down, presses by up to a third of the height and leaves, again and again.
static void addPlate(Random* r, double z)
{
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeBox);
    plPrescribedDef def = plDefaultPrescribedDef();
    plShapeId id;
    shape.shape = shapeOf(&r->rng, between(&r->rng, 0.01, 0.04));
    const plShapeDef* s = &shape.shape;
    const double reach = s->kind == pl_shapeSphere    ? s->radius
                         : s->kind == pl_shapeCapsule ? s->radius + 0.5 * s->length
                                                      : plNorm(s->half);
    def.name = "plate";
    def.pose.p = plVec(0, 0, z);
    r->hasPlate = true;
    r->plateAt = def.pose;
    r->plateWay = plVec(between(&r->rng, -0.02, 0.02), between(&r->rng, -0.02, 0.02),
                        z - reach - between(&r->rng, 0.67, 1) * r->height);
    r->plateTurn = ball(&r->rng, 0.5);
    r->plateRate = between(&r->rng, 1, 4);
    snprintf(r->what + strlen(r->what), sizeof r->what - strlen(r->what), " pressed by %s",
             plShapeKind_Name((int)shape.shape.kind));
    checkOk(r->world, plWorld_AddPrescribed(r->world, &def, &r->plate));
    shape.mechanism = r->plate;
    shape.mask = ~2u; // what cannot yield is not pressed into the ground
    checkOk(r->world, plWorld_AddShape(r->world, &shape, &id));
}

static void makeRandom(int scene, Random* r)
{
    const double rates[] = {100, 300, 1000};
    const char* seed = getenv("PALP_SEED");
    plWorldDef def = plDefaultWorldDef();
    *r =
        (Random){.rng = plRng_Seed(1000003u * (uint64_t)(seed ? atoi(seed) : 1) + (uint64_t)scene)};
    r->T = 1 / rates[below(&r->rng, 3)];
    def.step = r->T;
    def.contact.surface.friction = below(&r->rng, 3) ? between(&r->rng, 0, 1) : 0;
    if (below(&r->rng, 4) == 0) def.contact.law = pl_lawLcp;
    def.capacity.contacts = 1024;
    def.capacity.memory = 512u << 20;
    snprintf(r->what, sizeof r->what, "%.0f Hz, mu %.2f%s:", 1 / r->T, def.contact.surface.friction,
             def.contact.law == pl_lawLcp ? ", lcp" : "");
    checkOk(NULL, plWorld_Create(&def, &r->world));
    addGround(r);
    double z = 0.08;
    addSoft(r, z);
    const int more = below(&r->rng, 4);
    for (int i = 0; i < more; ++i) {
        z += 0.09;
        if (r->softs < mostSoft && below(&r->rng, 3) == 0)
            addSoft(r, z);
        else if (r->rigids < mostRigid)
            addRigid(r, z);
    }
    if (!r->bumpy && r->rigids == 0 && r->softs == 1 && below(&r->rng, 3)) addPlate(r, z + 0.12);
}

static void steer(Random* r)
{
    if (!r->hasPlate) return;
    const double s = 0.5 - 0.5 * cos(2 * PL_PI * r->plateRate * (r->time + r->T));
    plPose pose = r->plateAt;
    pose.p = plVec(s * r->plateWay.x, s * r->plateWay.y, r->plateAt.p.z - s * r->plateWay.z);
    pose.q = plExp(plScale(s, r->plateTurn));
    checkOk(r->world, plWorld_Steer(r->world, r->plate, pose));
}

// --- the judge

static plFrame frameOf(const plWorld* w, plSite part)
{
    plMotion m = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, {0, 0, 0}};
    part.point = plVec(0, 0, 0);
    if (part.mechanism.index1) checkOk(w, plWorld_Motion(w, part, &m));
    return (plFrame){m.x, m.R};
}

static double distanceTo(const plShape* s, plVec3 p)
{
    if (s->kind != pl_shapePlane) return plShape_Nearest(s, p).distance;
    const plFrame home = {.R = plIdentity3()}, f = plShape_Frame(s, &home);
    return plDot(plMul(&f.R, s->normal), plSub(p, f.x));
}

// Nodes of soft bodies in rigid shapes.
static double depthOfNodes(Random* r)
{
    double depth = 0;
    for (int i = 0; i < r->softs; ++i) {
        checkOk(r->world, plWorld_SoftPoints(r->world, r->soft[i], r->points));
        for (int k = 0; k < plWorld_ShapeCount(r->world); ++k) {
            const plWorldShape s = plWorld_ShapeAt(r->world, k);
            if (!s.shape) continue;
            const plFrame f = frameOf(r->world, s.site);
            for (int j = 0; j < r->nodes[i]; ++j) {
                const plVec3 p = plMulT(&f.R, plSub(r->points[j], f.x));
                depth = fmax(depth, -distanceTo(s.shape, p));
            }
        }
    }
    return depth;
}

static double scaleOf(const plWorld* w)
{
    plAccount a = plWorld_Ledger(w);
    double scale = a.kinetic;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        checkOk(w, plWorld_MechanismLedger(w, plWorld_Mechanism(w, i), &a));
        scale += fabs(a.potential);
    }
    return scale;
}

typedef struct {
    double depth;     // of nodes
    double contacts;  // deepest contact that a tick began with
    double silent;    // of contacts, in ticks without a bit of trouble: a few ticks at most
    double rise;      // largest in a tick, of the scale
    double residual;  // of the ledger, of the scale
    int trouble, bad; // bits; ticks with a bit
    int passes;
} Judged;

static Judged follow(Random* r, bool verbose)
{
    Judged j = {.rise = -INFINITY};
    double scale = 1e-6;
    while (r->time < 0.6) {
        const plAccount a = plWorld_Ledger(r->world);
        steer(r);
        plWorld_Step(r->world, r->T);
        r->time += r->T;
        const plAccount b = plWorld_Ledger(r->world);
        const plStepReport report = plWorld_Report(r->world);
        scale = fmax(scale, scaleOf(r->world));
        const double rise =
            b.kinetic + b.potential - a.kinetic - a.potential - (b.applied - a.applied);
        const double depth = depthOfNodes(r);
        if (!(rise / scale <= j.rise)) j.rise = rise / scale;
        j.depth = fmax(j.depth, depth);
        j.contacts = fmax(j.contacts, report.depth);
        j.residual = fmax(j.residual, fabs(b.residual) / scale);
        if (!report.trouble) j.silent = fmax(j.silent, report.depth);
        j.trouble |= report.trouble;
        j.bad += report.trouble != 0;
        j.passes = report.passes > j.passes ? report.passes : j.passes;
        if (verbose) {
            print_message(
                "%.4f depth %.3g contact %.3g rise %.2g E %.6g kin %.3g contacts %d active %d "
                "passes %d trouble %d\n",
                r->time, depth, report.depth, rise / scale, b.kinetic + b.potential, b.kinetic,
                report.contacts, report.active, report.passes, report.trouble);
        }
    }
    return j;
}

static void nothingStaysDeep(void** unused)
{
    (void)unused;
    const int first = getenv("PALP_FIRST") ? atoi(getenv("PALP_FIRST")) : 0;
    const int count = getenv("PALP_COUNT") ? atoi(getenv("PALP_COUNT")) : sized(30, 210);
    const bool verbose = getenv("PALP_VERBOSE") != NULL;
    int deep = 0, silent = 0, risen = 0, troubled = 0, wrong = 0;
    double worst = 0, worstRise = 0;
    static Random r;
    for (int i = first; i < first + count; ++i) {
        makeRandom(i, &r);
        const Judged j = follow(&r, verbose && count == 1);
        const bool bad = fmax(j.depth, j.contacts) > slop, mute = j.silent > slop;
        deep += bad, silent += mute, risen += !(j.rise <= 1e-9), troubled += j.bad > 0;
        worst = fmax(worst, fmax(j.depth, j.contacts));
        worstRise = fmax(worstRise, j.rise);
        const bool good = (j.depth <= slop || j.trouble) && j.rise <= 1e-9 && j.residual <= 1e-6;
        wrong += !good;
        if (verbose || !good) {
            print_message("%3d depth %8.2g contact %8.2g silent %8.2g rise %8.2g residual %8.2g "
                          "trouble %3d in "
                          "%3d, passes %2d  %s\n",
                          i, j.depth, j.contacts, j.silent, j.rise, j.residual, j.trouble, j.bad,
                          j.passes, r.what);
        }
        plWorld_Destroy(r.world);
    }
    print_message("%d scenes: %d with a deep contact, %d of them in ticks without a bit, %d with a "
                  "rise, %d with "
                  "trouble; worst %.2g m, rise %.2g\n",
                  count, deep, silent, risen, troubled, worst, worstRise);
    assert_int_equal(wrong, 0);
}

// --- a rigid box, which moves by the mean velocity of a step, on soft blocks, which do not

// Dropped by 20 mm on a block of 40 mm; kinetic energy of all, as a share of that of the impact.
static double restlessness(plSoftModel model, double E, double time, double* depth)
{
    const double T = 1e-3, drop = 0.02, radius = 0.01, side = 0.04;
    Random r = {.T = T, .time = 0};
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapePlane);
    plAssemblyDef box = plDefaultAssemblyDef();
    plSoftDef soft = plDefaultSoftDef();
    const plAllocator allocator = plDefaultAllocator();
    plTets mesh;
    plShapeId id;
    def.capacity.memory = 256u << 20;
    def.contact.surface.friction = 0.5;
    checkOk(NULL, plWorld_Create(&def, &r.world));
    shape.shape.normal = plVec(0, 0, 1);
    checkOk(r.world, plWorld_AddShape(r.world, &shape, &id));
    checkOk(NULL, plTets_Box(3, 3, 3, plVec(-side / 2, -side / 2, 0),
                             plVec(side / 2, side / 2, side), &allocator, &mesh));
    soft.name = "block";
    soft.mesh = &mesh;
    soft.model = model;
    soft.step = T;
    soft.elastic.E = E;
    r.nodes[0] = mesh.pointCount;
    checkOk(r.world, plWorld_AddSoft(r.world, &soft, &r.soft[r.softs++]));
    plTets_Free(&mesh);
    box.name = "box";
    box.mass = 0.03;
    box.inertia = diagonal(2e-6, 2e-6, 2e-6);
    box.pose.p = plVec(2e-3, 1e-3, side + radius + drop);
    shape = plDefaultPartShapeDef(pl_shapeBox); // a ball would roll
    shape.shape.half = all3(radius);
    checkOk(r.world, plWorld_AddAssembly(r.world, &box, &shape.mechanism));
    checkOk(r.world, plWorld_AddShape(r.world, &shape, &id));
    for (; r.time < time; r.time += T) {
        plWorld_Step(r.world, T);
        *depth = fmax(*depth, fmax(depthOfNodes(&r), plWorld_Report(r.world).depth));
    }
    const double kinetic = plWorld_Ledger(r.world).kinetic;
    plWorld_Destroy(r.world);
    return kinetic / (box.mass * 9.81 * drop);
}

static void aBoxComesToRestOnSoftBlocks(void** unused)
{
    (void)unused;
    for (int model = 0; model < pl_softModelCount; ++model) {
        for (double E = 1e5; E < 2e9; E *= 100) {
            double depth = 0;
            const double left =
                restlessness((plSoftModel)model, model == pl_softLagged ? 1e5 : E, 1.5, &depth);
            print_message("%s, %.0e Pa: %.1e of the impact is left, %.1e m deep\n",
                          plSoftModel_Name(model), E, left, depth);
            checkAtMost("kinetic energy", left, 1e-6);
            checkAtMost("depth", depth, 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(aBoxComesToRestOnSoftBlocks),
                                       cmocka_unit_test(nothingStaysDeep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
