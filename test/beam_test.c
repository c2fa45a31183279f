// The flexible beam of spec-pmi section 7 with its bars.
#include "math/math.h"
#include "worlds.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};

// ------------------------------------------------------------- the aluminium beam of section 7

static const double L = 0.907, m = 1.4683;

static plBeamDef aluminium(const double* position)
{
    const double EI = 68.95e9 * 0.05 * 0.012 * 0.012 * 0.012 / 12;
    return (plBeamDef){
        .length = L, .mass = m, .bending = {EI, 0}, .modes = {3, 0}, .position = position};
}

static plBeamDef paperBeam(const double* position)
{
    static const double hertz[3] = {11.91, 74.65, 209.03}; // as printed: the tables of section 7
    plBeamDef beam = aluminium(position);
    beam.frequency = hertz;
    return beam;
}

// Static deflection under a force at the tip, F phi(1)/K_k; F makes it 5 cm.
static double bent(double* d)
{
    const plBeamDef beam = paperBeam(NULL);
    double tip = 0, F;
    for (int k = 0; k < 3; ++k) {
        const double w = plBeam_Frequency(&beam, 0, k);
        d[k] = plBeam_Shape(k, 1) / (m * w * w);
        tip += d[k] * plBeam_Shape(k, 1);
    }
    F = 0.05 / tip;
    for (int k = 0; k < 3; ++k) d[k] *= F;
    return F;
}

/// The beam on a joint, bent, with a massless body "tip" on its end.
static plMechanismId addBeam(plWorld* world, plJoint joint, plIntegrator integrator)
{
    double d[3];
    plChainBodyDef bodies[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    bent(d);
    bodies[0].name = "beam";
    bodies[0].joint = joint;
    bodies[0].beam = paperBeam(d);
    bodies[1].name = "tip";
    bodies[1].parent = 0;
    bodies[1].joint = pl_jointFixed;
    bodies[1].frame.p.x = L;
    def.name = "chain";
    def.bodies = bodies;
    def.bodyCount = 2;
    def.integrator = integrator;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    return id;
}

static void frequenciesAreThoseOfThePaper(void** state)
{
    (void)state;
    static const double hertz[3] = {11.912, 74.651, 209.026}, tips[3] = {2, -2, 2};
    static const double a1[3] = {.78299176, .4339359, .2544253};
    static const double a2[3] = {.56882574, .09076679, .03241637};
    static const double K[3] = {8222.38974, 323023.5306, 2532746.808};
    const plBeamDef beam = aluminium(NULL), paper = paperBeam(NULL);
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addBeam(world, pl_jointPlanar, pl_integratorMidpoint);
    double M[36], q[6] = {0}, v[6] = {0};
    checkOk(world, plWorld_SetState(world, id, q, v));
    checkOk(world, plWorld_Inertia(world, id, M, NULL));
    for (int k = 0; k < 3; ++k) {
        const double w = plBeam_Frequency(&beam, 0, k);
        print_message("mode %d: %.4f Hz\n", k + 1, w / (2 * PL_PI));
        const double wp = plBeam_Frequency(&paper, 0, k);
        checkNear("frequency", w / (2 * PL_PI), hertz[k], 0.01); // the bar
        checkNear("frequency, to the digits of the spec", w / (2 * PL_PI), hertz[k], 5e-4);
        checkNear("tip", plBeam_Shape(k, 1), tips[k], 1e-14);
        checkNear("clamp", plBeam_Shape(k, 0), 0, 1e-15);
        checkNear("K", m * wp * wp, K[k], 1e-8 * K[k]);          // digits of the table
        checkNear("a1", M[6 + 3 + k], m * a1[k], 1e-8 * m);      // digits of the table
        checkNear("a2", M[12 + 3 + k], m * L * a2[k], 1e-8 * m); // digits of the table
    }
    plWorld_Destroy(world);
}

// phi'' of the highest mode by differences would be the size of beta^2; here only its ends and norm.
static void highModesKeepTheirDigits(void** state)
{
    (void)state;
    for (int mode = 0; mode < plBeamModes; ++mode) {
        const int points = 20000;
        double square = 0;
        for (int i = 0; i < points; ++i) {
            const double phi = plBeam_Shape(mode, (i + 0.5) / points);
            square += phi * phi / points;
        }
        // round-off of sinh of up to 200, a relative 200 eps; the midpoint rule errs by 1e-6 of 64^2
        checkNear("tip", plBeam_Shape(mode, 1), mode % 2 ? -2 : 2, 1e-12);
        checkNear("norm", square, 1, 1e-4);
    }
}

static void matrixIsTheOneOfSection7(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 1);
    const plMechanismId id = addBeam(world, pl_jointPlanar, pl_integratorMidpoint);
    const double q[6] = {0.3, -0.2, 0.7, 0.02, -0.01, 0.005}, v[6] = {1, -2, 3, 0.4, -0.5, 0.6};
    const double c = cos(0.7), s = sin(0.7);
    double M[36], straight[36], C[36], zero[6] = {0};
    checkOk(world, plWorld_SetState(world, id, zero, zero));
    checkOk(world, plWorld_Inertia(world, id, straight, NULL));
    checkOk(world, plWorld_SetState(world, id, q, v));
    checkOk(world, plWorld_Inertia(world, id, M, C));
    const double *a1 = &straight[6 + 3], *a2 = &straight[12 + 3], *d = q + 3;
    const double bend = plDotN(a1, d, 3);
    checkNear("M_xx", M[0], m, 1e-15);
    checkNear("M_xy", M[1], 0, 1e-15);
    checkNear("M_xth", M[2], -bend * c - m * L / 2 * s, 1e-15);
    checkNear("M_yth", M[8], -bend * s + m * L / 2 * c, 1e-15);
    checkNear("M_thth", M[14], m * L * L / 3 + m * plDotN(d, d, 3), 1e-15);
    for (int k = 0; k < 3; ++k) {
        checkNear("M_xd", M[3 + k], -s * a1[k], 1e-15);
        checkNear("M_yd", M[9 + k], c * a1[k], 1e-15);
        checkNear("M_thd", M[15 + k], a2[k], 1e-15);
        for (int l = 0; l < 3; ++l) {
            checkNear("M_dd", M[6 * (3 + k) + 3 + l], k == l ? m : 0, 1e-15);
            checkNear("C_dd", C[6 * (3 + k) + 3 + l], 0, 0); // as in the paper, exactly
        }
    }
    plWorld_Destroy(world);
}

// ------------------------------------------------------------------------- bars of section 7

static void bentBeamKeepsItsEnergy(void** state)
{
    (void)state;
    double d[3];
    checkNear("force of 5 cm", bent(d), 99.9123, 5e-5); // digits of the table
    checkNear("d0[0]", d[0], 2.43024967e-2, 1e-10);
    checkNear("d0[1]", d[1], -6.18606944e-4, 1e-12);
    checkNear("d0[2]", d[2], 7.88963976e-5, 1e-13);
    static const plJoint joints[] = {pl_jointFixed, pl_jointPlanar};
    for (int i = 0; i < 2; ++i) {
        plWorld* world = makeWorld(none, 1);
        plMotion tip;
        const plMechanismId id = addBeam(world, joints[i], pl_integratorMidpoint);
        checkNear("E0", energyOf(world), 2.49780749, 5e-9); // digits of the table
        checkOk(world, plWorld_Motion(world, (plSite){id, 1, none}, &tip));
        checkNear("tip", tip.x.y, 0.05, 1e-15);
        const double e = worstEnergy(world, 2000, 1e-3);
        print_message("%s: |E/E0 - 1| over 2 s: %.2g\n", plJoint_Name((int)joints[i]), e);
        checkAtMost("|E/E0 - 1| over 2 s", e, 1e-10); // the bar
        plWorld_Destroy(world);
    }
}

static void implicitBeamLosesWhatItsFormulaSays(void** state)
{
    (void)state;
    static const struct {
        double T;
        int steps;
        double left;
    } table[] = {{1e-3, 100, .556144},     {1e-3, 500, .0595788},   {1e-3, 1000, .00365151},
                 {1e-3, 2000, 1.37162e-5}, {1. / 300, 30, .158949}, {1. / 300, 150, 1.13618e-4}};
    for (int i = 0; i < PL_COUNT(table); ++i) {
        plWorld* world = makeWorld(none, 1);
        addBeam(world, pl_jointFixed, pl_integratorImplicit);
        const double E0 = energyOf(world);
        for (int k = 0; k < table[i].steps; ++k) plWorld_Step(world, table[i].T);
        const double left = energyOf(world) / E0;
        print_message("T %.4g, %d steps: E/E0 = %.6g\n", table[i].T, table[i].steps, left);
        checkNear("E/E0", left / table[i].left, 1, 1e-5); // the bar
        plWorld_Destroy(world);
    }
}

static void symplecticBeamStaysNearAt1kHz(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 1);
    double low = 1, high = 1;
    addBeam(world, pl_jointFixed, pl_integratorSymplectic);
    const double E0 = energyOf(world);
    for (int k = 0; k < 2000; ++k) {
        plWorld_Step(world, 1e-3);
        low = fmin(low, energyOf(world) / E0);
        high = fmax(high, energyOf(world) / E0);
    }
    print_message("symplectic E/E0 in [%.4f, %.4f]\n", low, high);
    checkNear("lowest E/E0", low, .9591, 5e-4); // of 2 s, against the table's own run
    checkNear("highest E/E0", high, 1.0510, 5e-4);
    plWorld_Destroy(world);
}

// The beam's clamp on a box of 1 g by 1e5 N/m, the box on a hand by 7500 N/m.
static plMechanismId addCoupled(plWorld* world)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef box = plDefaultChainDef();
    plPrescribedDef hand = plDefaultPrescribedDef();
    plLinkDef link = plDefaultLinkDef();
    plMechanismId boxId, handId;
    plLinkId linkId;
    const plMechanismId beam = addBeam(world, pl_jointPlanar, pl_integratorMidpoint);
    body.name = "box";
    body.joint = pl_jointPlanar;
    body.mass = 1e-3;
    body.inertia = diagonal(1e-3, 1e-3, 1e-3);
    box.name = "box";
    box.bodies = &body;
    box.bodyCount = 1;
    hand.name = "hand";
    checkOk(world, plWorld_AddChain(world, &box, &boxId));
    checkOk(world, plWorld_AddPrescribed(world, &hand, &handId));
    link.name = "spring";
    link.a = (plSite){beam, 0, none};
    link.b = (plSite){boxId, 0, none};
    link.stiffness = link.turnStiffness = 1e5;
    link.turns = true;
    checkOk(world, plWorld_AddLink(world, &link, &linkId));
    link.name = "coupling";
    link.a = (plSite){boxId, 0, none};
    link.b = (plSite){handId, 0, none};
    link.stiffness = link.turnStiffness = 7500;
    checkOk(world, plWorld_AddLink(world, &link, &linkId));
    return handId;
}

static void coupledBeamKeepsItsEnergy(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1. / 300, 1. / 30};
    for (int i = 0; i < PL_COUNT(steps); ++i) {
        plWorld* world = makeWorld(none, 1);
        addCoupled(world);
        checkNear("E0", energyOf(world), 2.49780749, 5e-9);
        const double e = worstEnergy(world, (int)lround(5 / steps[i]), steps[i]);
        print_message("coupled, T %.4g: |E/E0 - 1| over 5 s: %.2g\n", steps[i], e);
        checkAtMost("|E/E0 - 1| over 5 s", e, 1e-10); // the bar
        plWorld_Destroy(world);
    }
}

// The hand goes 1 cm to and fro at 1 Hz: what it gives is what the world has more.
static void movingHandIsBookedExactly(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 1);
    plLinkId coupling;
    double most = 0, pull = 0, balance = 0;
    const plMechanismId hand = addCoupled(world);
    const double E0 = energyOf(world);
    checkOk(world, plWorld_FindLink(world, "coupling", &coupling));
    for (int k = 0; k < 5000; ++k) {
        const double t = 1e-3 * (k + 1);
        double force[6];
        const plPose pose = {{0, 0.01 * sin(2 * PL_PI * t), 0}, {1, 0, 0, 0}};
        checkOk(world, plWorld_Steer(world, hand, pose));
        plWorld_Step(world, 1e-3);
        const plAccount a = plWorld_Ledger(world);
        checkOk(world, plWorld_LinkForce(world, coupling, force));
        balance = fmax(balance, fabs(energyOf(world) - E0 - a.applied + a.dissipated));
        most = fmax(most, fabs(a.residual) + fabs(a.leak) + fabs(a.drift));
        pull = fmax(pull, hypot(force[0], force[1]));
    }
    print_message("moving hand: balance %.2g J, booked elsewhere %.2g J, force up to %.3f N\n",
                  balance, most, pull);
    checkAtMost("balance", balance, 1e-12); // the bar
    checkAtMost("leak, drift and residual", most, 1e-12);
    plWorld_Destroy(world);
}

// A load at the tip bends the beam by F L^3/(3 E I), of which three modes have 99.98 %.
static void tipLoadBendsTheBeam(void** state)
{
    (void)state;
    plChainBodyDef bodies[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    plWorld* world = makeWorld((plVec3){0, -9.81, 0}, 1);
    double q[40], sum = 0;
    bodies[0].name = "beam";
    bodies[0].joint = pl_jointFixed;
    bodies[0].beam = aluminium(NULL);
    bodies[0].beam.modes[0] = 40;
    bodies[0].beam.damping = 1;
    bodies[1].name = "load";
    bodies[1].parent = 0;
    bodies[1].joint = pl_jointFixed;
    bodies[1].frame.p.x = L;
    bodies[1].mass = 2;
    def.name = "chain";
    def.bodies = bodies;
    def.bodyCount = 2;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    for (int k = 0; k < 4000; ++k) plWorld_Step(world, 5e-3);
    checkOk(world, plWorld_State(world, id, q, NULL));
    for (int k = 0; k < 40; ++k) sum += q[k] * plBeam_Shape(k, 1);
    const double load = 2 * 9.81, weight = m * 9.81, EI = bodies[0].beam.bending[0];
    const double exact = (load / 3 + weight / 8) * L * L * L / EI;
    print_message("tip under load %.8f m, by theory %.8f\n", -sum, exact);
    checkNear("tip", -sum / exact, 1, 2e-6); // 40 modes: the rest is 12/beta^4 summed, 3e-7
    plWorld_Destroy(world);
}

// A beam swings about its clamp under gravity: the guard lets no energy in, and little out.
static void hangingBeamNeverGainsEnergy(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 1. / 300, 1. / 30};
    for (int i = 0; i < PL_COUNT(steps); ++i) {
        plWorld* world = makeWorld((plVec3){0, -9.81, 0}, 2);
        addBeam(world, pl_jointRevolute, pl_integratorMidpoint);
        const double E0 = energyOf(world), scale = m * 9.81 * L;
        double high = -INFINITY, low = INFINITY;
        for (int k = 0; k < (int)lround(5 / steps[i]); ++k) {
            plWorld_Step(world, steps[i]);
            high = fmax(high, energyOf(world) - E0);
            low = fmin(low, energyOf(world) - E0);
        }
        print_message("hanging, T %.4g: (E - E0)/m g L in [%.2g, %.2g]\n", steps[i], low / scale,
                      high / scale);
        checkAtMost("gain", high, 1e-11 * scale); // the bar of section 3
        plWorld_Destroy(world);
    }
}

// A link from the end of the beam to the ground, beside its axis: exact once the estimate of the
// step's end is right. A step is 1.3 of the third mode's time, and each trial gains two digits: modes have no
// part in the geometric stiffness. Trials go on until a step leaves 1e-10 of its energy or less.
static void linkAtTheEndConserves(void** state)
{
    (void)state;
    static const int passes[] = {2, 4, 8, 16};
    double worst[PL_COUNT(passes)];
    for (int i = 0; i < PL_COUNT(passes); ++i) {
        plWorld* world = makeWorld(none, passes[i]);
        plLinkDef link = plDefaultLinkDef();
        plLinkId id;
        const plMechanismId beam = addBeam(world, pl_jointPlanar, pl_integratorMidpoint);
        link.name = "tie";
        link.a = (plSite){beam, 1, {0.02, 0.03, 0}};
        link.b.point = plVec(L, 0.1, 0);
        link.stiffness = 2000;
        checkOk(world, plWorld_AddLink(world, &link, &id));
        worst[i] = worstEnergy(world, 2000, 1e-3);
        print_message("tied at its end, %d passes: |E/E0 - 1| %.2g\n", passes[i], worst[i]);
        // a tenth of what a step may leave, in 2000 steps
        checkAtMost("|E/E0 - 1|", worst[i], 2000 * 1e-11);
        plWorld_Destroy(world);
    }
    checkAtMost("|E/E0 - 1|, 8 passes", worst[2], 1e-10);  // the bar of section 7
    checkAtMost("|E/E0 - 1|, 16 passes", worst[3], 1e-10); // the bar of section 7
}

// A ball on the end of the beam hits a floor, without friction, by the elastic law. Most contacts take
// nothing; what the law takes where it regularises a problem is booked, and nothing is gained.
static void endOfTheBeamBounces(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plShapeId shape;
    plWorld* world;
    int touched = 0;
    def.gravity = none;
    def.contact.law = pl_lawLcp;
    def.contact.bias = pl_biasElastic;
    def.contact.surface.friction = 0;
    def.contact.driftRate = 0;
    def.planar = true;
    checkOk(NULL, plWorld_Create(&def, &world));
    const plMechanismId beam = addBeam(world, pl_jointFixed, pl_integratorMidpoint);
    addSphereShape(world, beam, 1, 0.01);
    floor.shape.normal = plVec(0, 1, 0);
    floor.shape.frame.p.y = -0.03;
    checkOk(world, plWorld_AddShape(world, &floor, &shape));
    const double E0 = energyOf(world);
    double gain = 0, change = 0, deepest = 0, booked = 0;
    for (int k = 0; k < 2000; ++k) {
        plMotion end;
        plWorld_Step(world, 1e-3);
        touched += plWorld_ContactCount(world) > 0;
        gain = fmax(gain, energyOf(world) / E0 - 1);
        change = fmax(change, fabs(energyOf(world) / E0 - 1));
        booked = fmax(booked, fabs(energyOf(world) - E0 + plWorld_Ledger(world).dissipated) / E0);
        checkOk(world, plWorld_Motion(world, (plSite){beam, 1, none}, &end));
        deepest = fmin(deepest, end.x.y);
    }
    print_message("bouncing end: %d steps in contact, |E/E0 - 1| %.2g, lowest %.4f m\n", touched,
                  change, deepest);
    assert_true(touched > 10);
    checkAtMost("gain", gain, 1e-12); // the bar of section 4
    checkAtMost("E + dissipated", booked, 1e-12);
    checkAtMost("depth", -0.02 - deepest, 0.012); // a step of the fastest fall, 12 m/s
    plWorld_Destroy(world);
}

static void badBeamsAreRefused(void** state)
{
    (void)state;
    const plBeamDef good = aluminium(NULL);
    plBeamDef bad[6] = {good, good, good, good, good, good};
    bad[0].length = 0;
    bad[1].mass = -1;
    bad[2].bending[0] = 0;
    bad[3].modes[1] = 1;
    bad[4].modes[0] = plBeamModes + 1;
    bad[5].damping = NAN;
    for (int i = 0; i < 8; ++i) {
        plWorld* world = makeWorld(none, 1);
        plChainBodyDef bodies[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
        plChainDef def = plDefaultChainDef();
        plMechanismId id;
        bodies[0].name = "beam";
        bodies[0].joint = pl_jointFixed;
        bodies[0].beam = i < 6 ? bad[i] : good;
        bodies[1].name = "tip";
        bodies[1].parent = 0;
        bodies[1].joint = pl_jointFixed;
        bodies[1].frame.p.x = i == 6 ? 1.01 * L : i == 7 ? -0.01 : L;
        def.name = "chain";
        def.bodies = bodies;
        def.bodyCount = 2;
        assert_int_equal(plWorld_AddChain(world, &def, &id), pl_statusBadArgument);
        assert_non_null(strstr(plWorld_Error(world), "beam"));
        plWorld_Destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequenciesAreThoseOfThePaper),
        cmocka_unit_test(highModesKeepTheirDigits),
        cmocka_unit_test(matrixIsTheOneOfSection7),
        cmocka_unit_test(bentBeamKeepsItsEnergy),
        cmocka_unit_test(implicitBeamLosesWhatItsFormulaSays),
        cmocka_unit_test(symplecticBeamStaysNearAt1kHz),
        cmocka_unit_test(coupledBeamKeepsItsEnergy),
        cmocka_unit_test(movingHandIsBookedExactly),
        cmocka_unit_test(tipLoadBendsTheBeam),
        cmocka_unit_test(hangingBeamNeverGainsEnergy),
        cmocka_unit_test(linkAtTheEndConserves),
        cmocka_unit_test(endOfTheBeamBounces),
        cmocka_unit_test(badBeamsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
