// Jointed assemblies against closed forms and against vectors of an independent program.
#include "jointeds.h"

#include <string.h>

static const plVec3 down = {0, 0, -9.81};

/// K(k) by the arithmetic-geometric mean.
static double ellipticK(double k)
{
    double a = 1, g = sqrt(1 - k * k);
    for (int i = 0; i < 40; ++i) {
        const double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    return PL_PI / (2 * a);
}

// The rate passes zero at every half period; between two ticks it is a cubic by its values and slopes.
static double crossing(double t, double T, double w0, double w1, double a0, double a1)
{
    double lo = 0, hi = 1;
    for (int i = 0; i < 60; ++i) {
        const double s = 0.5 * (lo + hi), r = 1 - s;
        const double w = w0 * (1 + 2 * s) * r * r + w1 * (3 - 2 * s) * s * s +
                         T * (a0 * s * r * r - a1 * s * s * r);
        if ((w < 0) == (w0 < 0)) {
            lo = s;
        } else {
            hi = s;
        }
    }
    return t + T * 0.5 * (lo + hi);
}

static void pendulumHasThePeriodOfTheEllipticIntegral(void** state)
{
    (void)state;
    const double T = 1e-3, omega = sqrt(1.5 * 9.81 / 0.3);
    const double exact = 4 / omega * ellipticK(sin(PL_PI / 4));
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addPendulum(w);
    double phi[2] = {0}, rate = 0, found = 0, worst = 0;
    for (int k = 0; k < 1200 && found == 0; ++k) {
        const double last = phi[0], before = rate, t = plWorld_Time(w);
        plWorld_Step(w, T);
        plWorld_JointPosition(w, id, 0, phi);
        rate = stateOf(w, id).v[4];
        const double slope = omega * omega;
        // phi'' = omega^2 cos phi about +y from the horizontal
        if (before < 0 && rate >= 0) {
            found = crossing(t, T, before, rate, slope * cos(last), slope * cos(phi[0]));
        }
        worst = fmax(worst, jointError(w, id));
    }
    print_message("period %.9f s, exact %.9f, relative error %.2g; |c| %.2g\n", found, exact,
                  found / exact - 1, worst);
    checkNear("period", found, exact, 1e-8 * exact);
    checkNear("period as known", exact, 1.058931, 5e-7);
    checkAtMost("|c|", worst, 1e-12);
    plWorld_Destroy(w);
}

// Positions of the centres and quaternions at 0.1, 0.5 and 1 s, and their rates in the plane.
static const struct {
    double time, q[14], qd[14];
} vectors[] = {
    {0.1,
     {0.14680409679903955, 0, -0.030798655214444505, 0.9946592327677514, 0, 0.10321342291518198, 0,
      0.44332102739004076, 0, -0.05232005878950488, 0.9995212750644875, 0, -0.030938983394110598,
      0},
     {-0.12350576563506709, 0, -0.5886994820808411, -0.20694820491670357, 0, 1.9943427599941919, 0,
      -0.2556795761628705, 0, -1.037517282089118, -0.014453660815735911, 0, -0.4669429924011011,
      0}},
    {0.5,
     {-0.11242315820345061, 0, -0.09930273661668104, 0.35391544092032967, 0, 0.9352774244459067, 0,
      -0.33686694443138493, 0, -0.2983620714963353, 0.3558059957126272, 0, 0.9345598393976418, 0},
     {-0.8640870019402539, 0, 0.9782549104931334, -4.069178218075964, 0, 1.5398051589740362, 0,
      -1.552830170444015, 0, 1.7596092982760112, 0.8213456937644948, 0, -0.3127030609217212, 0}},
    {1.0,
     {-0.0139975551931405, 0, -0.14934546678294253, 0.6733063809957037, 0, 0.739363589386486, 0,
      -0.1766641549779363, 0, -0.3186287162962793, 0.06660719201269237, 0, 0.9977792751767218, 0},
     {0.7375051984878734, 0, -0.06912342197882577, 1.8255809918144312, 0, -1.6624774988352826, 0,
      1.7316138046361762, 0, -2.0516483476104437, 6.42081332627294, 0, -0.42862420250708105, 0}},
};

static double farFrom(const plWorld* w, plMechanismId id, int at, double* rates)
{
    const Course now = stateOf(w, id);
    const double *q = now.q, *v = now.v, *e = vectors[at].q;
    double most = 0;
    *rates = 0;
    for (int b = 0; b < 2; ++b, q += 7, v += 6, e += 7) {
        const double* ed = vectors[at].qd + 7 * b;
        const plQuat spin = plQuatMul(plGet4(q + 3), (plQuat){0, v[3] / 2, v[4] / 2, v[5] / 2});
        double qd[7];
        plPut3(plGet3(v), qd);
        plPut4(spin, qd + 3);
        for (int i = 0; i < 7; ++i) most = fmax(most, fabs(q[i] - e[i]));
        for (int i = 0; i < 7; ++i) *rates = fmax(*rates, fabs(qd[i] - ed[i]));
    }
    return most;
}

// Bars: 1e-8 m for the tip at 1 s and 1 kHz. Rates follow over a time of about 1/10 s.
static void doublePendulumGoesWhereTheReferenceGoes(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addDoublePendulum(w);
    int at = 0;
    for (int k = 1; k <= 1000; ++k) {
        plWorld_Step(w, 1e-3);
        if (k != (int)lround(1000 * vectors[at].time)) continue;
        double rates;
        const double places = farFrom(w, id, at++, &rates);
        print_message("t = %g: places %.2g, rates %.2g\n", plWorld_Time(w), places, rates);
        checkAtMost("places", places, 1e-8);
        checkAtMost("rates", rates, 1e-7);
    }
    const plVec3 tip = pointOf(w, id, 1, plVec(0.15, 0, 0));
    const double* e = vectors[2].q;
    const plMat3 R = plRotation(plGet4(e + 10));
    const plVec3 exact = plAdd(plGet3(e + 7), plMul(&R, plVec(0.15, 0, 0)));
    print_message("tip (%.9f, %.9f), off by %.2g\n", tip.x, tip.z, plNorm(plSub(tip, exact)));
    checkAtMost("tip", plNorm(plSub(tip, exact)), 1e-8);
    checkNear("tip x", tip.x, -0.325333, 6e-7);
    checkNear("tip z", tip.z, -0.338566, 6e-7);
    plWorld_Destroy(w);
}

// Error of the tip after 0.5 s at one step, and at half of it.
static double tipError(int steps)
{
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addDoublePendulum(w);
    for (int k = 0; k < steps; ++k) plWorld_Step(w, 0.5 / steps);
    const Course now = stateOf(w, id);
    double most = 0;
    for (int i = 0; i < 14; ++i) most = fmax(most, fabs(now.q[i] - vectors[1].q[i]));
    plWorld_Destroy(w);
    return most;
}

static void orderIsFour(void** state)
{
    (void)state;
    const double coarse = tipError(50), fine = tipError(100), order = log2(coarse / fine);
    print_message("10 ms %.3g, 5 ms %.3g: order %.2f\n", coarse, fine, order);
    checkNear("order", order, 4, 0.5);
}

// Energy over ten seconds, and that joints stay closed.
static void tenSecondsKeepEnergyAndJoints(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    const plMechanismId id = addDoublePendulum(w);
    const double E0 = energyOf(w);
    double worst = 0, open = 0, rate = 0;
    for (int k = 0; k < 10000; ++k) {
        plWorld_Step(w, 1e-3);
        worst = fmax(worst, fabs(energyOf(w) - E0));
        open = fmax(open, jointError(w, id));
        rate = fmax(rate, jointRate(w, id));
    }
    const plAccount a = plWorld_Ledger(w);
    print_message("|dE| %.2g J, |c| %.2g, |C v| %.2g; integrator %.2g, drift %.2g, worst residual "
                  "%.2g J\n",
                  worst, open, rate, a.integrator, a.drift, a.worst);
    checkAtMost("|dE|", worst, 1e-6);
    checkAtMost("|c|", open, 1e-12);
    checkAtMost("|C v|", rate, 1e-10);
    checkAtMost("residual", a.worst, 1e-14);
    plWorld_Destroy(w);
}

static void freeTopKeepsEnergyAndMomentum(void** state)
{
    (void)state;
    plWorld* w = makeWorld(plVec(0, 0, 0), 2);
    plJointedBodyDef body = plDefaultJointedBodyDef();
    body.name = "top";
    body.inertia = plDiagonal3(1e-3, 2e-3, 2.5e-3);
    body.spin = plVec(0.5, 10, 0.3); // about the middle axis: it tumbles
    const plMechanismId id = addJointed(w, "top", &body, 1, NULL, 0);
    const double E0 = energyOf(w);
    const plVec3 L0 = plVec(0.5e-3, 20e-3, 0.75e-3);
    double dE = 0, dL = 0, dq = 0;
    for (int k = 0; k < 10000; ++k) {
        plWorld_Step(w, 1e-3);
        const Course now = stateOf(w, id);
        const plQuat r = plGet4(now.q + 3);
        const plMat3 R = plRotation(r);
        const plVec3 L = plMul(&R, plMul(&body.inertia, plGet3(now.v + 3)));
        dE = fmax(dE, fabs(energyOf(w) - E0));
        dL = fmax(dL, plNorm(plSub(L, L0)));
        dq = fmax(dq, fabs(sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z) - 1));
    }
    print_message("10 s: |dE| %.2g J of %.2g, |dL| %.2g of %.2g, |r| - 1 %.2g\n", dE, E0, dL,
                  plNorm(L0), dq);
    checkAtMost("|dE|", dE, 1e-8);
    checkAtMost("|dL|", dL, 1e-8);
    checkAtMost("|r| - 1", dq, 1e-15);
    plWorld_Destroy(w);
}

// 20 rows of rank 17, and 17 rows that mean the same. (With three of unit quaternions: 23 of 20.)
static void redundantJointsMoveLikeThoseThatAreNot(void** state)
{
    (void)state;
    plWorld *a = makeWorld(down, 2), *b = makeWorld(down, 2);
    const plMechanismId x = addFourBar(a, true), y = addFourBar(b, false);
    const double E0 = energyOf(a);
    double far = 0, dE = 0, open = 0, force[6], least[6];
    for (int k = 0; k < 2000; ++k) {
        plWorld_Step(a, 1e-3);
        plWorld_Step(b, 1e-3);
        const Course p = stateOf(a, x), q = stateOf(b, y);
        for (int i = 0; i < 21; ++i) far = fmax(far, fabs(p.q[i] - q.q[i]));
        dE = fmax(dE, fabs(energyOf(a) - E0));
        open = fmax(open, fmax(jointError(a, x), jointError(b, y)));
        assert_int_equal((int)plWorld_Report(a).trouble, 0);
    }
    checkOk(a, plWorld_JointForce(a, x, 2, force));
    checkOk(b, plWorld_JointForce(b, y, 2, least));
    print_message("2 s: 4R - RUSR %.2g m, |dE| %.2g J, |c| %.2g; pin (%.6f %.2g %.6f), (%.6f %.2g "
                  "%.6f) N\n",
                  far, dE, open, force[0], force[1], force[2], least[0], least[1], least[2]);
    checkAtMost("4R - RUSR", far, 1e-11);
    checkAtMost("|dE|", dE, 1e-6);
    checkAtMost("|c|", open, 1e-12);
    // what the plane decides is the same; across it, only the least norm is
    for (int i = 0; i < 3; ++i) checkNear("pin", force[i], least[i], 1e-8);
    plWorld_Destroy(a);
    plWorld_Destroy(b);
}

// The bending of a hanging chain is that of its weight: each pin carries what hangs below it.
static void jointsCarryWhatHangsOnThem(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    const double half = 0.5 * PL_PI;
    const plJointedBodyDef bodies[2] = {rodBody("a", 0.3, 0.2, plVec(0, 0, -0.15), half),
                                        rodBody("b", 0.3, 0.5, plVec(0, 0, -0.45), half)};
    const plJointDef joints[2] = {
        jointAt("top", pl_constraintSpherical, 0, plVec(-0.15, 0, 0), -1, plVec(0, 0, 0)),
        jointAt("low", pl_constraintFixed, 1, plVec(-0.15, 0, 0), 0, plVec(0.15, 0, 0))};
    const plMechanismId id = addJointed(w, "hung", bodies, 2, joints, 2);
    double force[6];
    for (int k = 0; k < 10; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_JointForce(w, id, 0, force));
    checkNear("upper pin", force[2], 0.7 * 9.81, 1e-10);
    checkOk(w, plWorld_JointForce(w, id, 1, force));
    checkNear("lower joint", force[2], 0.5 * 9.81, 1e-10);
    plWorld_ApplyWrench(w, (plSite){.mechanism = id, .part = 1}, (plWrench){.force = {0, 0, -2}});
    plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_JointForce(w, id, 1, force));
    checkNear("with a pull", force[2], 0.5 * 9.81 + 2, 1e-10);
    plWorld_Destroy(w);
}

// A spring on a hinge without gravity: harmonic, and angles are counted on over full turns.
static void hingeSpringIsAnOscillatorThatCountsItsTurns(void** state)
{
    (void)state;
    plWorld* w = makeWorld(plVec(0, 0, 0), 2);
    const plJointedBodyDef body = rodBody("rod", 0.3, 0.2, plVec(0.15, 0, 0), 0);
    plJointDef hinge =
        jointAt("hinge", pl_constraintRevolute, 0, plVec(-0.15, 0, 0), -1, plVec(0, 0, 0));
    const double J = 0.2 * 0.09 / 3, k = 0.6, rest = 4; // it swings from 0 to 8 rad and back
    hinge.stiffness[0] = k;
    hinge.rest[0] = rest;
    const plMechanismId id = addJointed(w, "hinge", &body, 1, &hinge, 1);
    double phi[2], worst = 0, most = 0;
    for (int i = 0; i < 2000; ++i) {
        plWorld_Step(w, 1e-3);
        checkOk(w, plWorld_JointPosition(w, id, 0, phi));
        worst = fmax(worst, fabs(phi[0] - rest + rest * cos(sqrt(k / J) * plWorld_Time(w))));
        most = fmax(most, phi[0]);
    }
    print_message("largest angle %.4f rad, off by %.2g\n", most, worst);
    checkAtMost("off", worst, 1e-7);
    checkNear("largest", most, 8, 1e-3);
    checkAtMost("residual", plWorld_Ledger(w).worst, 1e-14);
    plWorld_Destroy(w);
}

// A damped slide that falls: v = (g m/b)(1 - exp(-b t/m)), and what the damper takes is on the ledger.
static void dampedSlideFallsAsTheExponentialSays(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    plJointedBodyDef body = plDefaultJointedBodyDef();
    body.name = "block";
    body.mass = 0.5;
    plJointDef slide = plDefaultJointDef();
    slide.name = "slide";
    slide.kind = pl_constraintPrismatic;
    slide.damping[0] = 2;
    const plMechanismId id = addJointed(w, "lift", &body, 1, &slide, 1);
    for (int k = 0; k < 500; ++k) plWorld_Step(w, 1e-3);
    const double t = 0.5, rate = 2 / 0.5, end = 9.81 / rate;
    const double v = -end * (1 - exp(-rate * t)), z = -end * (t - (1 - exp(-rate * t)) / rate);
    double way[2];
    checkOk(w, plWorld_JointPosition(w, id, 0, way));
    // the method loses (rate T)^5/120 of what decays in every step: 1e-11 in all
    checkNear("way", way[0], z, 1e-11);
    checkNear("speed", stateOf(w, id).v[2], v, 1e-11);
    const plAccount a = plWorld_Ledger(w);
    const double taken = -0.5 * 9.81 * z - 0.25 * v * v;
    print_message("dissipated %.15g of %.15g J, integrator %.2g, residual %.2g\n", a.dissipated,
                  taken, a.integrator, a.worst);
    // a mean of four stages: to (rate T)^4 = 3e-10 of what flows
    checkNear("dissipated", a.dissipated, taken, 3e-10 * taken);
    checkAtMost("residual", a.worst, 1e-14);
    plWorld_Destroy(w);
}

// A point on a sphere is a spherical pendulum; a distance is the same thing.
static void guideAndDistanceAreOnePendulum(void** state)
{
    (void)state;
    plWorld* worlds[2];
    plMechanismId ids[2];
    double far = 0, open = 0;
    for (int i = 0; i < 2; ++i) {
        plJointedBodyDef body = plDefaultJointedBodyDef();
        plJointDef joint = plDefaultJointDef();
        worlds[i] = makeWorld(down, 2);
        body.name = "bob";
        body.mass = 0.3;
        body.inertia = plDiagonal3(1e-3, 2e-3, 3e-3);
        body.pose.p = plVec(0.4, 0, -0.3);
        body.velocity = plVec(0, 0.8, 0);
        body.spin = plVec(3, -1, 2);
        joint.name = "string";
        joint.kind = i == 0 ? pl_constraintGuide : pl_constraintDistance;
        joint.guide = pl_guideSphere;
        joint.frameA.p = plVec(0.02, 0.01, 0.03);
        const plVec3 end = plAdd(body.pose.p, joint.frameA.p);
        joint.radius = plNorm(end);
        ids[i] = addJointed(worlds[i], "pendulum", &body, 1, &joint, 1);
    }
    const double E0 = energyOf(worlds[0]);
    for (int k = 0; k < 2000; ++k) {
        for (int i = 0; i < 2; ++i) plWorld_Step(worlds[i], 1e-3);
        for (int i = 0; i < 2; ++i) open = fmax(open, jointError(worlds[i], ids[i]));
        const Course a = stateOf(worlds[0], ids[0]), b = stateOf(worlds[1], ids[1]);
        for (int i = 0; i < 7; ++i) far = fmax(far, fabs(a.q[i] - b.q[i]));
    }
    print_message("2 s: apart %.2g, |c| %.2g, dE %.2g J\n", far, open, energyOf(worlds[0]) - E0);
    checkAtMost("apart", far, 1e-10);
    checkAtMost("|c|", open, 1e-12);
    checkAtMost("dE", fabs(energyOf(worlds[0]) - E0), 1e-7);
    for (int i = 0; i < 2; ++i) plWorld_Destroy(worlds[i]);
}

static void badDefinitionsAreRefusedWithASentence(void** state)
{
    (void)state;
    plWorld* w = makeWorld(down, 2);
    plJointedBodyDef body = rodBody("rod", 0.3, 0.2, plVec(0.15, 0, 0), 0);
    plJointDef hinge =
        jointAt("hinge", pl_constraintRevolute, 0, plVec(-0.15, 0, 0), -1, plVec(0, 0, 0));
    plJointedDef d = plDefaultJointedDef();
    plMechanismId id;
    d.name = "bad";
    d.bodies = &body;
    d.bodyCount = 1;
    d.joints = &hinge;
    d.jointCount = 1;
    d.integrator = pl_integratorMidpoint;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "runge-kutta"));
    d.integrator = pl_integratorRungeKutta;
    hinge.frameB.p.x = 1e-3;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "apart"));
    hinge.frameB.p.x = 0;
    hinge.b = 0;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    hinge.b = -1;
    hinge.stiffness[1] = 1;
    assert_int_equal(plWorld_AddJointed(w, &d, &id), pl_statusBadArgument);
    hinge.stiffness[1] = 0;
    checkOk(w, plWorld_AddJointed(w, &d, &id));
    assert_int_equal(plWorld_SetIntegrator(w, id, pl_integratorMidpoint), pl_statusBadArgument);
    checkOk(w, plWorld_SetIntegrator(w, id, pl_integratorRungeKutta));
    assert_string_equal(plWorld_MechanismType(w, id), "jointed");
    assert_string_equal(plIntegrator_Name((int)plWorld_MechanismIntegrator(w, id)), "runge-kutta");
    plAssemblyDef plain = plDefaultAssemblyDef();
    plain.name = "plain";
    plain.integrator = pl_integratorRungeKutta;
    assert_int_equal(plWorld_AddAssembly(w, &plain, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "jointed"));
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulumHasThePeriodOfTheEllipticIntegral),
        cmocka_unit_test(doublePendulumGoesWhereTheReferenceGoes),
        cmocka_unit_test(orderIsFour),
        cmocka_unit_test(tenSecondsKeepEnergyAndJoints),
        cmocka_unit_test(freeTopKeepsEnergyAndMomentum),
        cmocka_unit_test(redundantJointsMoveLikeThoseThatAreNot),
        cmocka_unit_test(jointsCarryWhatHangsOnThem),
        cmocka_unit_test(hingeSpringIsAnOscillatorThatCountsItsTurns),
        cmocka_unit_test(dampedSlideFallsAsTheExponentialSays),
        cmocka_unit_test(guideAndDistanceAreOnePendulum),
        cmocka_unit_test(badDefinitionsAreRefusedWithASentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
