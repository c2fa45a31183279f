// Nothing sinks: balls that roll and boxes that fall with a link. Depth is the gap of the shapes where bodies
// are after each tick, not that of the report.
#include "ticks.h"

static const Measure measures[] = DEPTH_MEASURES(5e-5);
/// A body on something, and how deep it was.
typedef struct {
    Scene s;
    plVec3 points[hullPoints];
} Sink;

static void startSink(Range range, int scene, plVec3 gravity, Sink* k)
{
    plWorldDef def = plDefaultWorldDef();
    *k = (Sink){.s.rng = rngOf(range, scene), .s.rate = tickRates[scene % 4], .s.gravity = gravity};
    def.gravity = gravity;
    def.step = 1 / k->s.rate;
    def.contact.surface.friction = between(&k->s.rng, 0.2, 1);
    def.contact.law = once(&k->s.rng, 3) ? pl_lawLcp : pl_lawCone;
    createScene(&k->s, &def);
}

// ---------------------------------------------------------------------------------- links

static const char* const linkNames[] = {"light body at the centre", "light body aside",
                                        "soft spring to the ground", "light body on a spring"};

// What hangs on a body: at its centre or aside, rigid or soft.
static void addBurden(Sink* k, int body, int kind, double size)
{
    plRng* rng = &k->s.rng;
    plLinkDef link = plDefaultLinkDef();
    plAssemblyDef light = plDefaultAssemblyDef();
    const plMotion m = motionOf(k->s.world, (plSite){k->s.ids[body], 0, {0, 0, 0}});
    const plVec3 aside = plScale(size, randomUnit(rng));
    const plVec3 at = kind == 1 ? plAdd(m.x, aside) : m.x;
    link.a = siteAt(&k->s, body, 0, at);
    link.stiffness = kind < 2 ? (double)INFINITY : logUniform(rng, 0.1, 10);
    link.damping = kind < 2 || once(rng, 2) ? 0 : 0.01;
    if (kind == 2) {
        link.b.point = plAdd(at, plVec(0, 0, 0.1));
        addLinkOf(&k->s, link);
        return;
    }
    light.mass = logUniform(rng, 1e-3, 1e-2);
    light.inertia = plDiagonal3(light.mass * 1e-4, light.mass * 1e-4, light.mass * 1.5e-4);
    light.pose.p = plAdd(at, plScale(0.03, randomUnit(rng)));
    light.velocity = m.v;
    link.b = siteAt(&k->s, addBodyOf(&k->s, light), 0, at);
    addLinkOf(&k->s, link);
}

static void addFloorOf(Sink* k, bool box)
{
    plShapeDef slab = plDefaultShapeDef(pl_shapeBox);
    slab.half = plVec(30, 30, 0.5);
    slab.frame.p.z = -0.5;
    if (box)
        addGround(&k->s, slab);
    else
        addWallAt(&k->s, plVec(0, 0, 1), plVec(0, 0, 0));
}

// A ball that rolls without slipping.
static void makeRolling(Range range, int scene, Sink* k)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plShapeDef ball = plDefaultShapeDef(pl_shapeSphere);
    startSink(range, scene, plVec(0, 0, -9.81), k);
    plRng* rng = &k->s.rng;
    ball.radius = between(rng, 0.01, 0.05);
    const double speed = logUniform(rng, 0.1, 2), a = between(rng, 0, 6.28);
    addFloorOf(k, scene / 4 % 2);
    def.pose.p.z = ball.radius;
    def.velocity = plVec(speed * cos(a), speed * sin(a), 0);
    def.spin = plScale(1 / ball.radius, plCross(plVec(0, 0, 1), def.velocity));
    const int body = addSolid(&k->s, ball, logUniform(rng, 0.05, 1), def);
    addBurden(k, body, scene / 8 % 4, ball.radius);
}

static void makeDropped(Range range, int scene, Sink* k)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    startSink(range, scene, plVec(0, 0, -9.81), k);
    plRng* rng = &k->s.rng;
    const double size = between(rng, 0.01, 0.04);
    const plShapeDef box = convexShape(rng, pl_shapeBox, size, k->points);
    addFloorOf(k, scene / 4 % 2);
    def.pose.p.z = 2 * size + between(rng, 0.01, 0.3);
    if (!once(rng, 4)) def.pose.q = randomTurn(rng);
    if (once(rng, 2)) def.velocity = plVec(between(rng, -0.5, 0.5), 0, 0);
    addBurden(k, addSolid(&k->s, box, logUniform(rng, 0.05, 1), def), scene / 8 % 4, size);
}

typedef void (*Make)(Range, int, Sink*);

static void runLinked(const char* title, Make make, double time)
{
    const Range range = rangeOf(32, 320);
    static Board board;
    static Sink k;
    board = boardOf(title, measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        make(range, i, &k);
        if (range.alone) dumpScene(&k.s, time);
        followDepth(&k.s, time, measures[0].limit, depthOfAll, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s, %g Hz", linkNames[i / 8 % 4], k.s.rate);
        enter(&board, name, i, values);
        plWorld_Destroy(k.s.world);
    }
    conclude(&board);
}

static void rollingBallsWithALinkDoNotSink(void** unused)
{
    (void)unused;
    runLinked("rolling balls", makeRolling, sized(3, 10));
}

static void droppedBoxesWithALinkDoNotSink(void** unused)
{
    (void)unused;
    runLinked("dropped boxes", makeDropped, sized(1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollingBallsWithALinkDoNotSink),
        cmocka_unit_test(droppedBoxesWithALinkDoNotSink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
