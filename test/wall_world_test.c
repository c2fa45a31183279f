// Walls and friction models through the real tick: against the scalar schemes, and in the ledger.
#include "walls.h"

// ------------------------------------------------------------------------------- against a wall

static const double F0 = -0.4, start = 0.0203;

static plSurface undamped(plWallModel model, double integral)
{
    plSurface s = plDefaultSurface();
    s.friction = 0;
    s.damping = 0;
    s.stiffness = 1000;
    s.wall = model;
    s.integral = integral;
    return s;
}

/// Of the scalar scheme, at the sample k.
typedef struct {
    double x, v;
    plWallMemory memory;
} Scalar;

// A force that is held: the mass is exact under midpoint, as in the table of the planar spec;
// semi-implicit goes T v with the new velocity.
static void stepScalar(Scalar* s, const plPair* pair, plIntegrator integrator)
{
    const double before = s->v, force = 2 * plWall_Force(pair, s->x, s->v, T, &s->memory) + F0;
    s->v += T * force / m;
    s->x += T * (integrator == pl_integratorMidpoint ? 0.5 * (before + s->v) : s->v);
}

static plPair pairOf(const plSurface* s)
{
    plPair p = {.wall = s->wall, .stiffness = s->stiffness, .integral = s->integral};
    memcpy(p.blockShares, s->blockShares, sizeof p.blockShares);
    memcpy(p.blockDepths, s->blockDepths, sizeof p.blockDepths);
    return p;
}

typedef struct {
    double off;      ///< largest |x - x of the scheme| [m]
    double apex[3];  ///< [mm]
    double residual; ///< [J]
} Bounces;

static Bounces bounce(const plSurface* surface, plJoint joint, plIntegrator integrator, int steps)
{
    plWorld* w = planarWorld(surface, pl_lawPenalty);
    const plMechanismId id = addPeg(w, joint, integrator, 0.0105 + start, 0);
    const plPair pair = pairOf(surface);
    Scalar scheme = {.x = start};
    Bounces b = {0};
    int count = 0;
    addPlane(w, (plVec3){1, 0, 0}, (plVec3){0, 0, 0});
    for (int k = 0; k < steps; ++k) {
        double x, v, last, before;
        stateOf(w, id, &last, &before);
        checkOk(w, plWorld_ApplyEffort(w, id, 0, F0));
        plWorld_Step(w, T);
        stepScalar(&scheme, &pair, integrator);
        stateOf(w, id, &x, &v);
        b.off = fmax(b.off, fabs(x - 0.0105 - scheme.x));
        if (before > 0 && v <= 0 && count < 3) b.apex[count++] = 1e3 * (fmax(x, last) - 0.0105);
    }
    b.residual = plWorld_Ledger(w).worst;
    plWorld_Destroy(w);
    return b;
}

// The law of the world is the scheme of the table, with the exact mass by midpoint; semi-implicit
// differs by T^2 F/2m of place in a step, which is as much as a held spring creates: it keeps
// bouncing as high as it was, where the exact mass bounces ever higher.
static void pegBouncesAsInTheScheme(void** state)
{
    const struct {
        const char* name;
        plWallModel model;
        double integral;
        double apex[3]; ///< of the exact mass [mm]
    } cases[] = {
        {"hold", pl_wallHold, 0, {22.616659, 25.197415, 28.033353}},
        {"PI, hold", pl_wallHold, 0.5, {23.927536, 28.115266, 33.106758}},
        {"estimate", pl_wallEstimate, 0, {20.272894, 20.235366, 20.214621}},
        {"PI, estimate", pl_wallEstimate, 0.5, {21.47955, 22.734188, 24.050685}},
        {"hysteretic", pl_wallHysteretic, 0, {4.755021, 0, 0}},
    };
    static const plIntegrator integrators[] = {pl_integratorSemiImplicit, pl_integratorMidpoint};
    static const plJoint joints[] = {pl_jointPrismatic, pl_jointPlanar};
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        const plSurface surface = undamped(cases[i].model, cases[i].integral);
        for (int k = 0; k < 4; ++k) {
            const Bounces b = bounce(&surface, joints[k / 2], integrators[k % 2], 2000);
            print_message("%-12s %-9s %-13s off by %.1e m, apexes %.6f %.6f %.6f mm\n",
                          cases[i].name, plJoint_Name((int)joints[k / 2]),
                          plIntegrator_Name((int)integrators[k % 2]), b.off, b.apex[0], b.apex[1],
                          b.apex[2]);
            checkAtMost("off", b.off, 1e-9);
            checkAtMost("residual", b.residual, 1e-15);
            for (int j = 0; j < 3 && integrators[k % 2] == pl_integratorMidpoint; ++j) {
                if (cases[i].apex[j] > 0) checkNear("apex", b.apex[j], cases[i].apex[j], 1e-6);
            }
        }
    }
}

// ----------------------------------------------------------------------- the pulse in front of it

/// The paper's rule: where the wall is entered, (1 + e) m |v| as a force that is held for a tick, or for as
/// many as a limit wants, in the place of the spring.                        (Salcudean and Vlaar 1997)
typedef struct {
    double x, v, unpaid;
    bool inside;
} Pulsed;

static void stepPulsed(Pulsed* s, double e, double most)
{
    const bool enters = s->x < 0 && !s->inside;
    double force = s->x < 0 ? -2 * 1000 * s->x : 0;
    s->inside = s->x < 0;
    if (!s->inside) s->unpaid = 0;
    if (enters && s->v < 0) s->unpaid = -(1 + e) * m * s->v;
    if (s->unpaid > 1e-15) { // above round-off of the last payment
        force = fmin(s->unpaid / T, most);
        s->unpaid -= force * T;
    }
    const double a = (force + F0) / m;
    s->x += T * (s->v + 0.5 * T * a);
    s->v += T * a;
}

typedef struct {
    double off, apex[3], ratio, highest, residual;
} PulseRun;

/// `most`: of both corners together [N]; 0: no limit.
static PulseRun runPulse(double e, double most, plJoint joint, double from, int steps)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    PulseRun run = {.highest = -INFINITY};
    Pulsed rule = {.x = from};
    int count = 0;
    bool touched = false;
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = pl_lawImpulse;
    def.contact.collision = pl_collisionEquality; // least norm: the corners share
    def.contact.surface = undamped(pl_wallHold, 0);
    def.contact.surface.restitution = e;
    def.contact.heldPulses = true;
    def.contact.pulseLimit = most / 2;
    checkOk(NULL, plWorld_Create(&def, &w));
    const plMechanismId id = addPeg(w, joint, pl_integratorMidpoint, 0.0105 + from, 0);
    addPlane(w, (plVec3){1, 0, 0}, (plVec3){0, 0, 0});
    for (int k = 0; k < steps; ++k) {
        double x, v, last, before;
        stateOf(w, id, &last, &before);
        checkOk(w, plWorld_ApplyEffort(w, id, 0, F0));
        plWorld_Step(w, T);
        stepPulsed(&rule, e, most > 0 ? most : (double)INFINITY);
        stateOf(w, id, &x, &v);
        x -= 0.0105, last -= 0.0105;
        run.off = fmax(run.off, fabs(x - rule.x));
        touched = touched || x < 0;
        if (touched) run.highest = fmax(run.highest, x);
        if (before > 0 && v <= 0 && count < 3) run.apex[count++] = 1e3 * fmax(x, last);
        if (count == 0 && last < 0 && x >= 0 && v > 0)
            run.ratio = (0.5 * m * v * v - F0 * x) / (-F0 * from);
    }
    run.residual = plWorld_Ledger(w).worst;
    plWorld_Destroy(w);
    return run;
}

static const struct {
    const char* name;
    double e, most, apex[3]; ///< of the table, exact mass [mm]
    double least, ratio;     ///< of energies in the first bounce, from any phase
} pulses[] = {{"e = 0.5", 0.5, 0, {0}, 0.24, 0.25},
              {"e = 0.3", 0.3, 0, {1.712283, 0.102960, 0}, 0.08, 0.09},
              {"e = 0, 15 N", 0, 15, {0.581080, 0, 0}, 0, 0.045}, // 0.0251 +- 0.007
              {"e = 0", 0, 0, {0}, 0, 0.001}};

static void pulseWallBouncesByThePapersRule(void** state)
{
    static const plJoint joints[] = {pl_jointPrismatic, pl_jointPlanar};
    (void)state;
    for (int i = 0; i < 2 * PL_COUNT(pulses); ++i) {
        const PulseRun r =
            runPulse(pulses[i / 2].e, pulses[i / 2].most, joints[i % 2], start, 2000);
        print_message("pulse, %-12s off by %.1e m, apexes %.6f %.6f mm\n", pulses[i / 2].name,
                      r.off, r.apex[0], r.apex[1]);
        checkAtMost("off", r.off, 1e-9);
        checkAtMost("residual", r.residual, 1e-15);
        for (int k = 0; k < 3; ++k) {
            const double apex = pulses[i / 2].apex[k];
            if (apex > 0) checkNear("apex", r.apex[k], apex, 1e-6);
        }
    }
}

// From any phase; without restitution and limit nothing bounces above 0.05 mm.
static void pulseWallLosesByItsRestitution(void** state)
{
    plRng rng = plRng_Seed(7);
    const int phases = sized(10, 100);
    (void)state;
    for (int i = 0; i < PL_COUNT(pulses); ++i) {
        for (int k = 0; k < phases; ++k) {
            const double from = plRng_Uniform(&rng, 0.020, 0.022);
            const PulseRun r = runPulse(pulses[i].e, pulses[i].most, pl_jointPlanar, from, 600);
            checkAtMost("off", r.off, 1e-9);
            checkAtMost("ratio, below", pulses[i].least, r.ratio);
            checkAtMost("ratio, above", r.ratio, pulses[i].ratio);
            if (i == 3) checkAtMost("highest", r.highest, 5e-5);
        }
    }
}

// A jump at the start of the tick, which is exact for collisions, is not the pulse of the paper: an exact
// mass goes on for half a tick with the old velocity under the latter.
static void jumpsAreNotPulses(void** state)
{
    plSurface surface = undamped(pl_wallHold, 0);
    (void)state;
    surface.restitution = 0.3;
    plWorld* w = planarWorld(&surface, pl_lawImpulse);
    const plMechanismId id = addPeg(w, pl_jointPlanar, pl_integratorMidpoint, 0.0105 + start, 0);
    double apex = 0, before, last, x, v;
    addPlane(w, (plVec3){1, 0, 0}, (plVec3){0, 0, 0});
    for (int k = 0; k < 600 && apex == 0; ++k) {
        stateOf(w, id, &last, &before);
        checkOk(w, plWorld_ApplyEffort(w, id, 0, F0));
        plWorld_Step(w, T);
        stateOf(w, id, &x, &v);
        if (before > 0 && v <= 0) apex = 1e3 * (fmax(x, last) - 0.0105);
    }
    checkNear("apex of a jump", apex, 1.7348, 1e-3);
    plWorld_Destroy(w);
}

typedef struct {
    double created, bound; ///< by the samples, and sum K ds^2/2 [J]
    double lost;           ///< by contacts [J]
    double grown;          ///< energy of the world, without the work of the push [J]
} Created;

static Created createdBy(plWallModel model)
{
    const plSurface surface = undamped(model, 0);
    plWorld* w = planarWorld(&surface, pl_lawPenalty);
    const plMechanismId id = addPeg(w, pl_jointPrismatic, pl_integratorMidpoint, 0.0105 + start, 0);
    Created c = {0};
    addPlane(w, (plVec3){1, 0, 0}, (plVec3){0, 0, 0});
    for (int k = 0; k < 2000; ++k) {
        double x0, x1, v;
        stateOf(w, id, &x0, &v);
        checkOk(w, plWorld_ApplyEffort(w, id, 0, F0));
        plWorld_Step(w, T);
        stateOf(w, id, &x1, &v);
        const double ds = x1 - x0;
        if (fmin(x0, x1) < 0.0105) c.bound += 2 * 0.5 * surface.stiffness * ds * ds;
        const plAccount a = plWorld_ContactLedger(w);
        c.created = a.integrator + a.leak;
        c.lost = a.dissipated;
        checkAtMost("created", c.created, c.bound * (1 + 1e-12));
    }
    c.grown = energyOf(w) - plWorld_Ledger(w).applied;
    plWorld_Destroy(w);
    return c;
}

// A held spring creates K ds^2/2 in a step, no more: the ledger's `integrator`, and `leak` of the
// depth at which the wall is found. The springs of a hysteretic wall do too, and its blocks lose
// more; the estimate creates a hundredth of it.
static void samplesCreateNoMoreThanTheirBound(void** state)
{
    (void)state;
    for (int model = 0; model < pl_wallCount; ++model) {
        const Created c = createdBy((plWallModel)model);
        print_message("%-10s created %+.6f mJ, bound %.6f mJ; lost %.6f mJ; %.6f at the start\n",
                      plWallModel_Name(model), 1e3 * c.created, 1e3 * c.bound, 1e3 * c.lost,
                      -1e3 * F0 * start);
        checkNear("every joule has an owner", c.grown, c.created - c.lost, 1e-12);
        if (model == pl_wallHold) checkAtMost("it does create", 0.9 * c.bound, c.created);
        if (model == pl_wallEstimate) checkAtMost("hardly", fabs(c.created), 0.02 * c.bound);
        if (model == pl_wallHysteretic) checkAtMost("blocks lose", -0.9 * F0 * start, c.lost);
        if (model == pl_wallHysteretic) checkAtMost("springs create", 0, c.created);
        if (model != pl_wallHysteretic) checkNear("nothing rubs", c.lost, 0, 0);
    }
}

// ------------------------------------------------------------------------------- in a tight hole

static double pushAlong(plFrictionModel model, plLawName law, plJoint joint, int steps)
{
    const plSurface surface = rubbing(model);
    plWorld* w = planarWorld(&surface, law);
    const plMechanismId id = addHole(w, joint);
    double x, v;
    for (int k = 0; k < steps; ++k) {
        checkOk(w, plWorld_ApplyEffort(w, id, 0, 1.5 * (1 - cos(2 * PL_PI * k * T)) / 2));
        plWorld_Step(w, T);
    }
    stateOf(w, id, &x, &v);
    // round-off of joules in all steps
    checkAtMost("residual", fabs(plWorld_Ledger(w).residual), 1e-12);
    plWorld_Destroy(w);
    return x - 0.1;
}

// The totals of T2, through the tick. `impulse` only ever meets contacts at rest here; Karnopp's
// free velocity is then known a step late.
static void pegIsPushedAsFarAsInTheTable(void** state)
{
    static const double totals[pl_frictionCount] = {[pl_frictionClassical] = .542518,
                                                    [pl_frictionReset] = .407594,
                                                    [pl_frictionDriftFree] = .599250,
                                                    [pl_frictionFingerPad] = .868989,
                                                    [pl_frictionKarnopp] = .381813};
    (void)state;
    for (int i = 0; i < pl_frictionCount; ++i) {
        const plFrictionModel model = (plFrictionModel)i;
        enum { all = 10000, some = 1500 };
        const double total =
            totals[i] > 0 ? pushAlong(model, pl_lawPenalty, pl_jointPrismatic, all) : 0;
        const double x = pushAlong(model, pl_lawPenalty, pl_jointPrismatic, some);
        const double turning = pushAlong(model, pl_lawPenalty, pl_jointPlanar, some);
        const double other = pushAlong(model, pl_lawImpulse, pl_jointPrismatic, some);
        print_message("%-12s goes %.6f m in 3 s, free to turn %.6f, under impulse %.6f",
                      plFrictionModel_Name(i), x, turning, other);
        if (totals[i] > 0) print_message("; %.6f in 20 s", total);
        print_message("\n");
        if (totals[i] > 0) checkNear(plFrictionModel_Name(i), total, totals[i], 1e-6);
        checkNear("free to turn", turning, x, 1e-6);
        checkNear("under impulse", other, x, i == pl_frictionKarnopp ? 2e-5 : 1e-9);
    }
}

// A slide that ends: friction has lost what the peg had, the rest is in its bristles, and the samples
// create little.
static void slideIsDissipated(void** state)
{
    (void)state;
    for (int i = 0; i < pl_frictionCount; ++i) {
        const plSurface surface = rubbing((plFrictionModel)i);
        plWorld* w = planarWorld(&surface, pl_lawPenalty);
        const plMechanismId id = addHole(w, pl_jointPrismatic);
        checkOk(w, plWorld_SetState(w, id, (double[1]){0.1}, (double[1]){0.1}));
        plWorld_Step(w, T); // finds the walls
        const double had = plWorld_Ledger(w).kinetic;
        const plAccount from = plWorld_ContactLedger(w);
        for (int k = 0; k < 500; ++k) plWorld_Step(w, T);
        const plAccount to = plWorld_ContactLedger(w);
        const double left = plWorld_Ledger(w).kinetic + to.potential - from.potential;
        const double lost = to.dissipated - from.dissipated, made = to.integrator - from.integrator;
        print_message("%-12s of %.3f mJ lost %.3f mJ, left %.3f mJ, created %+.4f mJ\n",
                      plFrictionModel_Name(i), 1e3 * had, 1e3 * lost, 1e3 * left, 1e3 * made);
        checkNear("balance", had, lost + left - made, 1e-12);
        checkAtMost("created", fabs(made), 0.1 * had);
        plWorld_Destroy(w);
    }
}

// ------------------------------------------------------------------------------------- on a slope

static plWorld* slopeWorld(const plSurface* surface, plLawName law, double slope)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId id;
    plWorld* w;
    const double a = atan(slope), half = 0.05;
    def.gravity = (plVec3){9.81 * sin(a), 0, -9.81 * cos(a)};
    def.contact.law = law;
    def.contact.surface = *surface;
    checkOk(NULL, plWorld_Create(&def, &w));
    body.name = "box";
    body.mass = 1;
    body.inertia = diagonal(0.01 / 6, 0.01 / 6, 0.01 / 6);
    // as deep as its weight wants, so that it does not bounce
    body.pose.p.z = half - 9.81 * cos(a) / (4 * surface->stiffness);
    body.integrator = pl_integratorSemiImplicit;
    checkOk(w, plWorld_AddAssembly(w, &body, &id));
    addBoxShape(w, id, (plVec3){half, half, half});
    addFloor(w, 0);
    return w;
}

/// Mean velocity in the last third [m/s].
static double creepOf(const plSurface* surface, plLawName law, bool steady)
{
    plWorld* w = slopeWorld(surface, law, 0.3);
    plRng rng = plRng_Seed(3);
    const plSite site = {.mechanism = plWorld_Mechanism(w, 0)};
    plMotion from = {0}, to;
    double time = 0;
    for (int k = 0; k < 1500; ++k) {
        const double step = steady ? 1e-3 : plRng_Uniform(&rng, 2e-4, 2e-3);
        plWorld_Step(w, step);
        if (k == 1000) plWorld_Motion(w, site, &from);
        if (k > 1000) time += step;
    }
    plWorld_Motion(w, site, &to);
    plWorld_Destroy(w);
    return plNorm(plSub(to.x, from.x)) / time;
}

// A box on a slope of 0.3 with a friction of 0.5, by the default numbers: what has a place stays,
// at constant and at varying steps.
static void boxStaysOnASlope(void** state)
{
    (void)state;
    for (int i = 0; i < pl_frictionCount; ++i) {
        plSurface surface = plDefaultSurface();
        surface.frictionModel = (plFrictionModel)i;
        const bool creeps = i == pl_frictionSmoothed || i == pl_frictionClassical;
        const double a = creepOf(&surface, pl_lawPenalty, true);
        const double b = creepOf(&surface, pl_lawPenalty, false);
        const double c = creepOf(&surface, pl_lawImpulse, true);
        print_message("%-12s creeps %.1e m/s, at varying steps %.1e, under impulse %.1e\n",
                      plFrictionModel_Name(i), a, b, c);
        const double expected = 0.3 / (i ? 0.6 : 0.5) * surface.slipSpeed;
        checkNear("creep", a, creeps ? expected : 0, creeps ? 1e-6 : 1e-7);
        checkNear("at varying steps", b, creeps ? expected : 0, creeps ? 1e-5 : 1e-6);
        checkNear("under impulse", c, creeps ? expected : 0, creeps ? 1e-6 : 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegBouncesAsInTheScheme),
        cmocka_unit_test(pulseWallBouncesByThePapersRule),
        cmocka_unit_test(pulseWallLosesByItsRestitution),
        cmocka_unit_test(jumpsAreNotPulses),
        cmocka_unit_test(samplesCreateNoMoreThanTheirBound),
        cmocka_unit_test(pegIsPushedAsFarAsInTheTable),
        cmocka_unit_test(slideIsDissipated),
        cmocka_unit_test(boxStaysOnASlope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
