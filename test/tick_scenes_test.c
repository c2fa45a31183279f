// Ordinary scenes on which a step has failed: balls on threads that hit each other in turn, a loop of rigid hinges that
// rests on a floor, a heap of compounds in a world with little room.
#include "ticks.h"

static const plVec3 origin = {0, 0, 0};

static void startWorld(Scene* s, double rate, double friction)
{
    plWorldDef def = plDefaultWorldDef();
    *s = (Scene){.rng = plRng_Seed(7), .rate = rate};
    def.contact.surface.friction = friction;
    def.capacity.contacts = 512;
    createScene(s, &def);
}

// What is hit hits the next one within the same tick, though both rested when it began.
static void ballsInARowDoNotOverlap(void** unused)
{
    (void)unused;
    enum { balls = 5, tries = 8 };
    const double r = 0.1, height = 0.8;
    double depth = 0;
    for (int i = 0; i < tries; ++i) {
        Scene s;
        startWorld(&s, 1000, 0.3);
        for (int k = 0; k < balls; ++k) {
            plAssemblyDef body = plDefaultAssemblyDef();
            plShapeDef ball = plDefaultShapeDef(pl_shapeSphere);
            plLinkDef thread = plDefaultLinkDef();
            const plVec3 top = plVec(2 * r * k * 1.0005, 0, height);
            const double angle = k == 0 ? 0.5 + 0.05 * i : 0;
            ball.radius = r;
            body.pose.p = plAdd(top, plScale(height, plVec(-sin(angle), 0, -cos(angle))));
            thread.a = (plSite){s.ids[addSolid(&s, ball, 1 + k, body)], 0, origin};
            thread.b = (plSite){.point = top};
            thread.stiffness = INFINITY;
            thread.distance = height;
            addLinkOf(&s, thread);
        }
        while (plWorld_Time(s.world) < 0.8) {
            plWorld_Step(s.world, 1 / s.rate);
            larger(&depth, depthOfAll(&s));
        }
        plWorld_Destroy(s.world);
    }
    checkAtMost("depth of balls in a row [m]", depth, 1e-6);
}

static void addHinge(Scene* s, int a, int b, plVec3 at)
{
    plLinkDef def = plDefaultLinkDef();
    def.a = siteAt(s, a, 0, at);
    def.b = siteAt(s, b, 0, at);
    const plMotion A = motionOf(s->world, def.a), B = motionOf(s->world, def.b);
    const plMat3 rest = plTransMul(&B.R, &A.R);
    def.rest = plQuatOf(&rest);
    def.hinge = plMulT(&B.R, plVec(0, 1, 0));
    def.turns = true;
    def.stiffness = def.turnStiffness = INFINITY;
    addLinkOf(s, def);
}

static void addLoop(Scene* s, double L)
{
    enum { bars = 4 };
    const plVec3 corners[bars] = {
        {0, 0, 2 * L}, {L, 0, 2.2 * L}, {1.2 * L, 0, 3 * L}, {0.1 * L, 0, 2.9 * L}};
    addWallAt(s, plVec(0, 0, 1), origin);
    for (int i = 0; i < bars; ++i) {
        plAssemblyDef body = plDefaultAssemblyDef();
        plShapeDef box = plDefaultShapeDef(pl_shapeBox);
        const plVec3 from = corners[i], to = corners[(i + 1) % bars], d = plSub(to, from);
        body.pose = (plPose){plScale(0.5, plAdd(from, to)), alongX(unitOf(d))};
        box.half = plVec(0.3 * plNorm(d), 0.06 * L, 0.06 * L);
        addSolid(s, box, 2 * L * (1 + 0.5 * i), body);
    }
    for (int i = 0; i < bars; ++i) addHinge(s, i, (i + bars - 1) % bars, corners[i]);
}

// Impulses of redundant hinges and contacts are known to the law's residual: velocities below that are no motion, and
// one trial is enough for them.
static void loopOnAFloorRestsInOneTrial(void** unused)
{
    (void)unused;
    enum { lastTicks = 100 };
    Scene s;
    startWorld(&s, 500, 0.8);
    addLoop(&s, 0.05);
    int passes = 0, halvings = 0;
    for (int i = 0; i < 1000 + lastTicks; ++i) {
        plWorld_Step(s.world, 1 / s.rate);
        const plStepReport r = plWorld_Report(s.world);
        passes += i < 1000 ? 0 : r.passes;
        halvings += i < 1000 ? 0 : r.halvings;
    }
    checkAtMost("kinetic energy at rest [J]", plWorld_Ledger(s.world).kinetic, 1e-9);
    checkAtMost("half steps at rest", halvings, 0);
    checkAtMost("trials at rest", passes, lastTicks);
    plWorld_Destroy(s.world);
}

// Most trials of a tick, and ticks that solve for velocities behind the step, after the first of them.
static void countSolves(Scene* s, int first, int ticks, int* trials, int* impacts)
{
    *trials = *impacts = 0;
    for (int i = 0; i < first + ticks; ++i) {
        plWorld_Step(s->world, 1 / s->rate);
        const plStepReport r = plWorld_Report(s->world);
        if (i >= first && r.trials > *trials) *trials = r.trials;
        *impacts += i >= first && r.impacts > 0;
    }
}

// A box that tumbles through the air, a ball that rolls on a floor, a stack that rests: one solve a tick.
static void flyingRollingAndRestingTakeOneSolve(void** unused)
{
    (void)unused;
    enum { flies, rolls, rests, kinds, settles = 300, ticks = 200, boxes = 5 };
    static const char* names[kinds] = {"flying", "rolling", "resting"};
    const double r = 0.05;
    for (int kind = 0; kind < kinds; ++kind) {
        Scene s;
        int trials, impacts;
        startWorld(&s, 1000, 0.5);
        addWallAt(&s, plVec(0, 0, 1), origin);
        for (int i = 0; i < (kind == rests ? boxes : 1); ++i) {
            plAssemblyDef body = plDefaultAssemblyDef();
            plShapeDef shape = plDefaultShapeDef(kind == rolls ? pl_shapeSphere : pl_shapeBox);
            shape.half = plVec(r, r, r);
            shape.radius = r;
            body.pose.p = plVec(0, 0, kind == flies ? 10 : r * (1 + 2 * i));
            body.velocity = kind == flies ? plVec(1, 2, 3) : plVec(kind == rolls, 0, 0);
            body.spin = kind == flies ? plVec(3, 5, 7) : plVec(0, kind == rolls ? 1 / r : 0, 0);
            addSolid(&s, shape, 1, body);
        }
        countSolves(&s, settles, ticks, &trials, &impacts);
        printf("%s: ", names[kind]);
        checkAtMost("trials of a tick", trials, 1);
        checkAtMost("ticks that solve again", impacts, 0);
        plWorld_Destroy(s.world);
    }
}

// Contacts that are near, and stay apart, make way for those that come.
static void nearContactsTakeNoRoom(void** unused)
{
    (void)unused;
    enum { tables = 10, legs = 4 };
    const double L = 0.04;
    plShapeDef pieces[1 + legs];
    plShapeDef table = plDefaultShapeDef(pl_shapeCompound);
    Scene s;
    startWorld(&s, 60, 0.9);
    addWallAt(&s, plVec(0, 0, 1), origin);
    pieces[0] = plDefaultShapeDef(pl_shapeBox);
    pieces[0].half = plVec(0.5 * L, 0.5 * L, 0.05 * L);
    for (int k = 0; k < legs; ++k) {
        pieces[1 + k] = plDefaultShapeDef(pl_shapeBox);
        pieces[1 + k].half = plVec(0.05 * L, 0.05 * L, 0.25 * L);
        pieces[1 + k].frame.p =
            plVec(k & 1 ? 0.4 * L : -0.4 * L, k & 2 ? 0.4 * L : -0.4 * L, -0.3 * L);
    }
    table.pieces = pieces;
    table.pieceCount = 1 + legs;
    for (int i = 0; i < tables; ++i) {
        plAssemblyDef body = plDefaultAssemblyDef();
        body.pose.p =
            plVec((i % 2 - 0.5) * 1.6 * L, (i / 2 % 2 - 0.5) * 1.6 * L, L * (1 + 1.5 * (i / 4)));
        body.pose.q = randomTurn(&s.rng);
        addSolid(&s, table, 0.2, body);
    }
    double depth = 0;
    int full = 0;
    while (plWorld_Time(s.world) < 0.6) {
        plWorld_Step(s.world, 1 / s.rate);
        const plStepReport r = plWorld_Report(s.world);
        larger(&depth, r.depth);
        full += (r.trouble & pl_troubleContactsFull) != 0;
    }
    checkAtMost("ticks without room for contacts", full, 0);
    checkAtMost("depth of a heap of tables [m]", depth, 1e-4);
    plWorld_Destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ballsInARowDoNotOverlap),
        cmocka_unit_test(loopOnAFloorRestsInOneTrial),
        cmocka_unit_test(flyingRollingAndRestingTakeOneSolve),
        cmocka_unit_test(nearContactsTakeNoRoom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
