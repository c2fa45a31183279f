// A tool in a hand that hits walls, edges and corners and bounces: what the world side creates is
// round-off, whatever the restitution, the law, the rate and the stiffness of the coupling.
//   letters  e restitution, K stiffness of the coupling [N/m]
#include "math/math.h"
#include "room.h"

static const double restitutions[] = {0, 0.3, 0.5, 1};

typedef struct {
    plLawName law;
    plBias bias;
    double e, K, rate, friction;
    bool peg; ///< long, and turned by the hand on its way into corners; else a ball along a line
    uint64_t seed;
    int passes; ///< 0: the default
} Case;

// --- worlds

static plMechanismId addTool(plWorld* w, bool peg)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    plMechanismId id;
    def.name = "tool";
    def.mass = 0.1;
    def.inertia = peg ? diagonal(9e-5, 9e-5, 1e-5) : diagonal(1e-5, 1e-5, 1e-5);
    checkOk(w, plWorld_AddAssembly(w, &def, &id));
    if (peg) {
        addBoxShape(w, id, plVec(0.01, 0.015, 0.05));
    } else {
        addSphereShape(w, id, 0, 0.02);
    }
    return id;
}

// A peg is led from corner to corner, beyond them, and turned; a ball is tapped against a wall.
static int plan(const Case* c, plWaypoint* points, int count)
{
    plRng rng = plRng_Seed(c->seed);
    for (int i = 0; i < count; ++i) {
        points[i] = (plWaypoint){0.12 * i, {{i % 2 ? 0.24 : 0.05, 0, 0}, {1, 0, 0, 0}}};
        if (!c->peg) continue;
        double corner[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = plRng_Uniform(&rng, 0.1, 0.25) * (plRng_Next(&rng) % 2 ? 1 : -1);
            turn[k] = plRng_Uniform(&rng, -1.5, 1.5);
        }
        points[i].pose = (plPose){plGet3(corner), plExp(plGet3(turn))};
    }
    points[0].pose = (plPose){{0, 0, 0}, {1, 0, 0, 0}};
    return count;
}

static plWorld* makeGrip(const Case* c)
{
    enum { points = 10 };
    plWaypoint list[points];
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plCouplingId id;
    plWorld* w;
    def.gravity = plVec(0, 0, 0);
    def.contact.law = c->law;
    def.contact.bias = c->bias;
    if (c->passes > 0) def.passes = c->passes;
    def.contact.surface.restitution = c->e;
    def.contact.surface.friction = c->friction;
    // Walls of springs that are held must be soft to be stable: the peg's end weighs 4 g.
    def.contact.surface.stiffness = fmin(1e4, 2e-3 * c->rate * c->rate);
    def.contact.surface.damping = 0;
    checkOk(NULL, plWorld_Create(&def, &w));
    addRoom(w);
    coupling.tool.mechanism = addTool(w, c->peg);
    device.name = "hand";
    device.forceLimit = plVec(12, 12, 12);
    device.torqueLimit = plVec(0.2, 0.2, 0.2);
    device.hand.kind = pl_handImpedance;
    device.hand.stiffness = 300;
    device.hand.damping = 5;
    device.hand.turnStiffness = 1;
    device.hand.turnDamping = 0.02;
    device.hand.pointCount = plan(c, list, points);
    device.hand.points = list;
    checkOk(w, plWorld_AddDevice(w, &device, &coupling.device));
    coupling.name = "grip";
    coupling.kind = pl_couplingVirtual;
    coupling.stiffness = all3(c->K);
    coupling.damping = all3(1e-3 * c->K);
    coupling.turnStiffness = all3(1e-3 * c->K);
    coupling.turnDamping = all3(1e-6 * c->K);
    checkOk(w, plWorld_AddCoupling(w, &coupling, &id));
    return w;
}

// --- what came from nowhere

typedef struct {
    double created; ///< largest E - E0 - applied - what walls of springs own up to, by the scale
    double back;    ///< largest that contacts gave back of what they had dissipated, by the scale
    double walls;   ///< of springs: what they created by their own formula, by the scale
    double share;   ///< dissipated by contacts, by the scale
    int contacts;
    int stopped, ticks; ///< ticks in which the tool was stopped, as no level was safe; and all
} Outcome;

static Outcome run(const Case* c)
{
    plWorld* w = makeGrip(c);
    const double start = energyOf(w), time = sized(c->rate > 2000 ? 1 : 2, 4) * 0.25;
    Outcome o = {.created = -INFINITY};
    double scale = 0, most = 0;
    plAccount touch = {0};
    while (plWorld_Time(w) < time) {
        plWorld_Step(w, 1 / c->rate);
        const plAccount a = plWorld_Ledger(w);
        touch = plWorld_ContactLedger(w);
        // the law impulse rests on held springs, which create K ds^2/2 and say so
        const double walls = c->law == pl_lawImpulse ? touch.integrator + touch.leak : 0;
        const double others = a.integrator + a.leak - walls;
        scale = fmax(scale, fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential));
        o.created =
            fmax(o.created, fmax(others, a.kinetic + a.potential - start - a.applied - walls));
        o.back = fmax(o.back, most - touch.dissipated);
        most = fmax(most, touch.dissipated);
        o.walls = fmax(o.walls, walls);
        o.contacts = plWorld_ContactCount(w) > o.contacts ? plWorld_ContactCount(w) : o.contacts;
        o.stopped += (plWorld_Report(w).trouble & pl_troubleStopped) != 0;
        ++o.ticks;
        if (fabs(a.residual) > 1e-12 * scale) fail_msg("residual %g of %g J", a.residual, scale);
    }
    o.created /= scale;
    o.back /= scale;
    o.walls /= scale;
    o.share = touch.dissipated / scale;
    plWorld_Destroy(w);
    return o;
}

static Outcome worstOf(Outcome a, Outcome b)
{
    return (Outcome){.created = fmax(a.created, b.created),
                     .back = fmax(a.back, b.back),
                     .walls = fmax(a.walls, b.walls),
                     .share = fmax(a.share, b.share),
                     .contacts = a.contacts > b.contacts ? a.contacts : b.contacts,
                     .stopped = a.stopped + b.stopped,
                     .ticks = a.ticks + b.ticks};
}

// All rates and stiffnesses of the coupling; in ./dev test one stiffness of each rate.
static Outcome sweep(Case c, int first)
{
    const double rates[] = {30, 100, 1000, 10000}, stiffness[] = {1e2, 1e4, 1e6};
    Outcome worst = {.created = -INFINITY};
    for (int r = 0; r < 4; ++r) {
        for (int k = 0; k < sized(1, 3); ++k) {
            for (c.seed = 1; c.seed <= (uint64_t)sized(1, c.peg ? 4 : 1); ++c.seed) {
                c.rate = rates[r];
                c.K = stiffness[(first + r + k) % 3];
                worst = worstOf(worst, run(&c));
            }
        }
    }
    return worst;
}

// Under `gap` the work of contacts is known as well as their gaps, 1e-10 m and 3e-8 of the way of the tick, and the guard
// takes what they give from the velocities in the same tick: nothing is created, though they may give. Printed
// biases scale their impulses until they give nothing.
static void bounceUnder(plLawName law, plBias bias, bool peg, double friction, int first)
{
    for (int i = 0; i < 4; ++i) {
        const Case c = {
            .law = law, .bias = bias, .e = restitutions[i], .friction = friction, .peg = peg};
        const Outcome o = sweep(c, i + first);
        print_message("%s, %s, e = %g: created %.1g, taken back %.1g, lost up to %.2g of the "
                      "scale; springs %.1g; up to %d contacts; stopped in %d of %d ticks\n",
                      plLawName_Name((int)law), plBias_Name((int)bias), c.e, o.created, o.back,
                      o.share, o.walls, o.contacts, o.stopped, o.ticks);
        checkAtMost("created, of the scale", o.created, 1e-9); // the guard asks for 5e-10 in a tick
        checkAtMost("ticks that were stopped", o.stopped, 0.02 * o.ticks);
        if (bias != pl_biasGap) checkAtMost("taken back, of the scale", o.back, 1e-12);
        assert_true(o.contacts >= (peg ? 4 : 1));
        // elastic contacts lose nothing, but for what position correction spends; plastic ones do. Under `gap` what is
        // slower than a tick's gain of speed rests, and does not rebound
        const bool elastic = c.e == 1 && friction == 0 && bias != pl_biasGap && o.stopped == 0;
        if (elastic) checkAtMost("lost by elastic contacts", o.share, 1e-5);
        if (c.e == 0) assert_true(o.share > 0.01);
    }
}

static void bounce(bool peg, double friction)
{
    bounceUnder(pl_lawCone, pl_biasGap, peg, friction, 0);
    // a peg that is jammed is moved in many short steps, each of them solved by Lemke: for a full run only
    if (!peg || sized(0, 1)) bounceUnder(pl_lawLcp, pl_biasGap, peg, friction, 1);
    bounceUnder(pl_lawCone, pl_biasOneSided, peg, friction, 0);
    bounceUnder(pl_lawLcp, pl_biasOneSided, peg, friction, 1);
    bounceUnder(pl_lawImpulse, pl_biasOneSided, peg, friction, 2);
}

static void aBallThatTapsCreatesNothing(void** unused)
{
    (void)unused;
    bounce(false, 0);
}

static void aPegInCornersCreatesNothing(void** unused)
{
    (void)unused;
    bounce(true, 0);
}

static void norDoesItWithFriction(void** unused)
{
    (void)unused;
    bounce(true, 0.5);
}

// The cone with restitution and friction is not passive by itself: its impulses are scaled until
// they are, by the response of the last pass. Two passes of a stiff coupling do not find that
// response to round-off; then there are more. Without them 2.7e-5 came back of the first case, 2.2e-7
// of the second.
static void contactsGiveNothingBackWhenPassesMustConverge(void** unused)
{
    (void)unused;
    const double stiffness[] = {1e6, 1e4}, rates[] = {1000, 100};
    for (int i = 0; i < 2; ++i) {
        const Case c = {.law = pl_lawCone,
                        .bias = pl_biasOneSided,
                        .e = 1,
                        .friction = 0.5,
                        .peg = true,
                        .seed = 7,
                        .K = stiffness[i],
                        .rate = rates[i]};
        const Outcome o = run(&c);
        print_message("K = %g N/m, %g Hz: taken back in a tick %.2g of the scale, created %.1g\n",
                      c.K, c.rate, o.back, o.created);
        checkAtMost("created", o.created, 1e-12);
        checkAtMost("taken back", o.back, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aBallThatTapsCreatesNothing),
        cmocka_unit_test(aPegInCornersCreatesNothing), cmocka_unit_test(norDoesItWithFriction),
        cmocka_unit_test(contactsGiveNothingBackWhenPassesMustConverge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
