// A chain that touches bodies that touch the floor, and are joined by points: generalized and maximal
// coordinates, links and contacts in one group.                             (pmi spec 4, 6, 9)
#include "links.h"

typedef struct {
    plLawName law;
    plBias bias;
    double mu;
    double k;         ///< of the points that join the boxes [N/m]
    double stiffness; ///< of the finger's joints [N m/rad]
    double push;      ///< how far they want to turn [rad]
    double tilt;      ///< of the floor's gravity [rad]
    int passes;
} Touch;

static const double half = 0.02; // of a box's side [m]

static void addFinger(plWorld* world, const Touch* t, plMechanismId* id)
{
    plChainBodyDef bodies[2] = {rod("near", -1, 0.1, 0.01), rod("far", 0, 0.08, 0.008)};
    plChainDef def = plDefaultChainDef();
    plPartShapeDef pad = plDefaultPartShapeDef(pl_shapeCapsule);
    plShapeId shape;
    for (int i = 0; i < 2; ++i) {
        bodies[i].axis = plVec(0, 1, 0);
        bodies[i].inertia = plDiagonal3(1e-6, bodies[i].inertia.y.y, bodies[i].inertia.z.z);
        bodies[i].stiffness = t->stiffness;
        bodies[i].rest[0] = t->push;
    }
    bodies[1].frame.p.x = 0.1;
    def.name = "finger";
    def.base.p = plVec(-0.13, 0, 0.09);
    def.bodies = bodies;
    def.bodyCount = 2;
    checkOk(world, plWorld_AddChain(world, &def, id));
    for (int i = 0; i < 2; ++i) {
        pad.mechanism = *id;
        pad.part = i;
        pad.shape.radius = 0.006;
        pad.shape.length = i ? 0.08 : 0.1;
        pad.shape.frame.p.x = 0.5 * pad.shape.length;
        pad.shape.frame.q = plRotor(plVec(0, 1, 0), 0.5 * PL_PI);
        checkOk(world, plWorld_AddShape(world, &pad, &shape));
    }
}

// Two boxes side by side, joined by two points: a hinge along y at their common lower edge.
static void addBoxes(plWorld* world, const Touch* t)
{
    const plMechanismId a = addCube(world, "a", 0.05, half, plVec(0, 0, half + 1e-3));
    const plMechanismId b = addCube(world, "b", 0.02, half, plVec(2 * half + 2e-3, 0, half + 1e-3));
    for (int i = 0; i < 2; ++i) {
        const double y = i ? -half : half, x = half + 1e-3;
        tie(world, i ? "right" : "left", (plSite){a, 0, {x, y, -half}},
            (plSite){b, 0, {-x, y, -half}}, t->k);
    }
}

static plWorld* touchWorld(const Touch* t, plMechanismId* finger)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.gravity = plVec(9.81 * sin(t->tilt), 0, -9.81 * cos(t->tilt));
    def.passes = t->passes;
    def.contact.law = t->law;
    def.contact.bias = t->bias;
    def.contact.surface.friction = t->mu;
    checkOk(NULL, plWorld_Create(&def, &world));
    addFinger(world, t, finger);
    addBoxes(world, t);
    addFloor(world, 0);
    return world;
}

typedef struct {
    double most;     ///< largest E - E0, over the energy that the springs and the heights hold
    double residual; ///< of the law, by the judge
    double ledger;   ///< worst residual of the ledger over the same
    double rise;     ///< largest of one step of a tick, over the same
    double depth;    ///< largest [m]
    int mixed;       ///< steps in which the finger touched a box that touched the floor
    int stands;      ///< steps in which all stood still
    int trouble;
} Run;

static bool isMixed(const plWorld* w, plMechanismId finger)
{
    bool pad = false, floor = false;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        const bool finger1 = c.a.mechanism.index1 == finger.index1;
        const bool finger2 = c.b.mechanism.index1 == finger.index1;
        if (plNorm(c.force) == 0) continue;
        pad = pad || ((finger1 || finger2) && c.a.mechanism.index1 && c.b.mechanism.index1);
        floor = floor || (!finger1 && c.b.mechanism.index1 == 0);
    }
    return pad && floor && plWorld_Report(w).groups == 1;
}

static Run follow(const Touch* t, double T, double time, plRng* rng)
{
    plMechanismId finger;
    plWorld* w = touchWorld(t, &finger);
    const double E0 = energyOf(w), scale = fabs(E0);
    Run c = {.most = -INFINITY};
    for (double now = 0; now < time;) {
        const double step = T > 0 ? T : plRng_Uniform(rng, 1. / 300, 1. / 30);
        plWorld_Step(w, step);
        now += step;
        const plStepReport report = plWorld_Report(w);
        c.most = fmax(c.most, (energyOf(w) - E0) / scale);
        c.residual = fmax(c.residual, report.residual);
        c.rise = fmax(c.rise, report.rise / ldexp(scale, report.halvings));
        c.trouble |= report.trouble;
        c.stands += (report.trouble & pl_troubleStopped) != 0;
        c.mixed += isMixed(w, finger);
        for (int i = 0; i < plWorld_ContactCount(w); ++i) {
            plContactInfo info;
            checkOk(w, plWorld_Contact(w, i, &info));
            c.depth = fmax(c.depth, -info.gap);
        }
    }
    c.ledger = plWorld_Ledger(w).worst / scale;
    plWorld_Destroy(w);
    return c;
}

static void report(const char* what, const Touch* t, const Run* c)
{
    print_message("%s %s, %s, mu %.2f, k %.1e: %d mixed steps, E - E0 up to %.1e, residual %.1e, "
                  "ledger %.1e, rise %.1e, depth %.1e m, %d stands, trouble %x\n",
                  what, plLawName_Name((int)t->law), plBias_Name((int)t->bias), t->mu, t->k,
                  c->mixed, c->most, c->residual, c->ledger, c->rise, c->depth, c->stands,
                  (unsigned)c->trouble);
}

static void fingerBoxesAndFloorNeverGainEnergy(void** state)
{
    (void)state;
    static const double steps[4] = {1e-3, 1. / 300, 1. / 30, 0};
    plRng rng = plRng_Seed(44);
    double lcp = 0, cone = 0;
    int mixed = 0;
    enum { kinds = 2 * pl_biasCount };
    for (int i = 0; i < 4 * kinds; ++i) {
        const Touch t = {.law = i % 2 ? pl_lawCone : pl_lawLcp,
                         .bias = (plBias)(i / 2 % pl_biasCount),
                         .mu = 0.4,
                         .k = 1e5,
                         .stiffness = 0.2,
                         .push = 0.5,
                         .passes = 2};
        const double T = steps[i / kinds];
        const Run c = follow(&t, T, i < kinds ? sized(1, 8) / 4. : i < 2 * kinds ? 2 : 4, &rng);
        report(T > 0 ? (T > 0.01 ? "30 Hz" : T > 2e-3 ? "300 Hz" : "1 kHz") : "random", &t, &c);
        checkAtMost("E - E0 over the scale", c.most, 1e-12); // the bar
        checkAtMost("ledger", c.ledger, 1e-13);              // some hundred terms
        mixed += c.mixed;
        if (t.bias == pl_biasGap) {
            // at rest there is no velocity to brake: a step may leave gaps of 1e-9 m, under 1 N of 0.08 J
            checkAtMost("rise of a step", c.rise, 1e-8);
            checkAtMost("depth [m]", c.depth, 1e-7); // what a step of the last resort may leave
        }
        // in longer steps the pad of the other biases may leap through a box
        if (i < 2 * kinds || t.bias == pl_biasGap)
            checkAtMost("ten mixed steps, at least", 10, c.mixed);
        checkAtMost("steps that stood still", c.stands, 0);
        assert_int_equal(c.trouble & pl_troubleNotFinite, 0);
        if (t.law == pl_lawLcp) lcp = fmax(lcp, c.residual);
        if (t.law == pl_lawCone) cone = fmax(cone, c.residual);
    }
    print_message("%d mixed steps, residuals by the judge: lcp %.1e, cone %.1e\n", mixed, lcp,
                  cone);
    checkAtMost("residual of lcp", lcp, 1e-9);   // the bar of pmi spec 4.4
    checkAtMost("residual of cone", cone, 1e-6); // above it the world says so
}

static void randomTouchesNeverGainEnergy(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(45);
    int mixed = 0;
    double most = -INFINITY, residual = 0;
    for (int run = 0; run < sized(8, 400); ++run) {
        const Touch t = {.law = run % 2 ? pl_lawCone : pl_lawLcp,
                         .bias = (plBias)(run / 2 % pl_biasCount),
                         .mu = plRng_Uniform(&rng, 0, 1),
                         .k = pow(10, plRng_Uniform(&rng, 2, 7)),
                         .stiffness = pow(10, plRng_Uniform(&rng, -1.5, 0)),
                         .push = plRng_Uniform(&rng, 0.2, 1),
                         .tilt = plRng_Uniform(&rng, -0.3, 0.3),
                         .passes = 1 + run % 3};
        const double T = run % 4 == 3 ? 0 : pow(10, plRng_Uniform(&rng, -3, -1.5));
        const Run c = follow(&t, T, fmax(0.3, 100 * T), &rng);
        if (c.most > 1e-12 || c.trouble & (pl_troubleNotFinite | pl_troubleLaw)) {
            print_message("run %d, T %g, passes %d: ", run, T, t.passes);
            report("", &t, &c);
        }
        checkAtMost("E - E0 over the scale", c.most, 1e-12); // the bar
        assert_int_equal(c.trouble & pl_troubleNotFinite, 0);
        most = fmax(most, c.most);
        residual = fmax(residual, c.residual);
        mixed += c.mixed;
    }
    print_message("random: %d mixed steps, E - E0 up to %.1e, residual %.1e\n", mixed, most,
                  residual);
    checkAtMost("hundreds of mixed steps, at least", 300, mixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerBoxesAndFloorNeverGainEnergy),
        cmocka_unit_test(randomTouchesNeverGainEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
