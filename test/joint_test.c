// Rigid joints and links that hold orientations.
#include "links.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};
static const plSite ground = {{0, 0}, 0, {0, 0, 0}};

// ------------------------------------------------------------------------------ rigid joints

static double largestGap(plWorld* world, int steps, double T)
{
    double gap = 0;
    for (int k = 0; k < steps; ++k) {
        plWorld_Step(world, T);
        gap = fmax(gap, plWorld_Report(world).gap);
        if (plWorld_Report(world).trouble & pl_troubleNotFinite) return INFINITY;
    }
    return gap;
}

static plMechanismId addBar(plWorld* world, const char* name, plVec3 from, plVec3 to)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    const plVec3 way = plSub(to, from);
    const double length = plNorm(way), J = 0.2 * length * length / 12;
    plMechanismId id;
    def.name = name;
    def.mass = 0.2;
    def.inertia = plDiagonal3(1e-3, J, J);
    def.pose.p = plScale(0.5, plAdd(from, to));
    def.pose.q = plRotor(plVec(0, -1, 0), atan2(way.z, way.x));
    checkOk(world, plWorld_AddAssembly(world, &def, &id));
    return id;
}

// The bars of a loop in the plane y = 0, closed over the ground: out of the plane its joints say
// the same thing more than once.
static void rigidLoopOfFourBarsHolds(void** state)
{
    (void)state;
    const plVec3 corner[4] = {{0, 0, 0}, {0.1, 0, -0.3}, {0.6, 0, -0.35}, {0.5, 0, 0}};
    const char* names[3] = {"crank", "rod", "rocker"};
    const char* joints[4] = {"j0", "j1", "j2", "j3"};
    plWorld* world = makeWorld(plVec(0, 0, -9.81), 4);
    plSite last = {.point = corner[0]};
    for (int i = 0; i < 3; ++i) {
        const plMechanismId bar = addBar(world, names[i], corner[i], corner[i + 1]);
        const double half = 0.5 * plNorm(plSub(corner[i + 1], corner[i]));
        tie(world, joints[i], (plSite){bar, 0, {-half, 0, 0}}, last, INFINITY);
        last = (plSite){bar, 0, {half, 0, 0}};
    }
    tie(world, joints[3], last, (plSite){.point = corner[3]}, INFINITY);
    const double E0 = energyOf(world);
    checkAtMost("gap [m]", largestGap(world, sized(2000, 10000), 1e-3), 1e-9); // the bar
    checkAtMost("E - E0 [J]", energyOf(world) - E0, 1e-12); // the bar; it swings with about 1 J
    assert_true(fabs(placeOf(world, center(plWorld_Mechanism(world, 1))).x - 0.35) > 1e-3);
    plWorld_Destroy(world);
}

// Three points on a line make a hinge, and three poses a weld; both swing and turn in space. What
// the rows say twice must neither open the joint nor cost energy: four passes leave 1e-8 J here.
static void redundantRigidLinksHold(void** state)
{
    (void)state;
    for (int turns = 0; turns < 2; ++turns) {
        plWorld* world = makeWorld(plVec(0, 0, -9.81), 4);
        const plMechanismId bars[2] = {addBar(world, "a", plVec(0, 0, 0), plVec(0.4, 0, 0)),
                                       addBar(world, "b", plVec(0.4, 0, 0), plVec(0.8, 0, 0))};
        const char* names[3] = {"one", "two", "three"};
        for (int i = 0; i < 2; ++i) {
            const double v[6] = {0, 0, 0, 20, 0, 0};
            double q[7];
            checkOk(world, plWorld_State(world, bars[i], q, NULL));
            checkOk(world, plWorld_SetState(world, bars[i], q, v));
        }
        for (int i = 0; i < 3; ++i) {
            plLinkDef def = plDefaultLinkDef();
            plLinkId link;
            def.name = names[i];
            def.a = (plSite){bars[0], 0, {0.2, 0.05 * i, 0}};
            def.b = (plSite){bars[1], 0, {-0.2, 0.05 * i, 0}};
            def.stiffness = def.turnStiffness = INFINITY;
            def.turns = turns;
            checkOk(world, plWorld_AddLink(world, &def, &link));
        }
        tie(world, "hook", (plSite){bars[0], 0, {-0.2, 0, 0}}, ground, INFINITY);
        const double E0 = energyOf(world);
        checkAtMost("gap [m, rad]", largestGap(world, sized(2000, 10000), 1e-3), 1e-9); // the bar
        checkNear("E - E0 [J]", energyOf(world), E0, 1e-7); // ten times what four passes leave
        plWorld_Destroy(world);
    }
}

// Across the slide nothing can move, and there the link has nothing to do.
static void rigidLinkJoinsTwoSliders(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 2);
    const plMechanismId a = addSlider(world, "a", 1, 100, 0.1, 0, pl_integratorMidpoint);
    const plMechanismId b = addSlider(world, "b", 0.5, 0, 0.1, 0, pl_integratorMidpoint);
    tie(world, "tie", center(a), center(b), INFINITY);
    const double E0 = energyOf(world), h = 1e-3 * sqrt(100 / 1.5);
    double q;
    checkAtMost("gap [m]", largestGap(world, 1000, 1e-3), 1e-9); // the bar
    checkOk(world, plWorld_State(world, a, &q, NULL));
    checkNear("as one mass", q, 0.1 * cos(1000 * 2 * atan(h / 2)), 1e-9); // R = 1e-10 W
    checkNear("E/E0", energyOf(world) / E0, 1, 1e-9);                     // same
    plWorld_Destroy(world);
}

// Two balls, one above the other, land in one tick. The link carries the momentum of the upper one, whether the law
// or the impacts after the step took it.
static void forceOfALinkHasTheBlow(void** state)
{
    (void)state;
    for (int i = 0; i < 2 * pl_biasCount; ++i) {
        const double T = 1e-3, m = 0.3, g = 9.81;
        plWorldDef def = plDefaultWorldDef();
        plWorld* world;
        double v0[6], v1[6], force[3];
        def.contact.bias = (plBias)(i / 2);
        def.contact.surface.restitution = 0.5 * (i % 2);
        checkOk(NULL, plWorld_Create(&def, &world));
        addFloor(world, 0);
        const plMechanismId a =
            addBall(world, "a", 0.5, plDiagonal3(1e-3, 1e-3, 1e-3), plVec(0, 0, 0.101),
                    plVec(0, 0, -1), none, pl_integratorMidpoint);
        const plMechanismId b =
            addBall(world, "b", m, plDiagonal3(1e-3, 1e-3, 1e-3), plVec(0, 0, 0.301),
                    plVec(0, 0, -1), none, pl_integratorMidpoint);
        addSphereShape(world, a, 0, 0.1);
        const plLinkId link =
            tie(world, "tie", (plSite){b, 0, {0, 0, -0.1}}, (plSite){a, 0, {0, 0, 0.1}}, INFINITY);
        for (int k = 0; k < 5; ++k) {
            checkOk(world, plWorld_State(world, b, NULL, v0));
            plWorld_Step(world, T);
            checkOk(world, plWorld_State(world, b, NULL, v1));
            checkOk(world, plWorld_LinkForce(world, link, force));
            // once it rests, velocities that the law leaves undone become zero: 1e-10 of what it carries
            checkNear("impulse [N s]", T * force[2], m * (v1[2] - v0[2]) + m * g * T, 1e-12);
        }
        assert_true(v1[2] > -0.2); // it has landed
        plWorld_Destroy(world);
    }
}

// --------------------------------------------------------------------------------- pose links

static plWorld* tiedPoses(plRng* rng, double turnStiffness, int passes)
{
    plWorld* world = makeWorld(none, passes);
    plAssemblyDef def = plDefaultAssemblyDef();
    plLinkDef link = plDefaultLinkDef();
    plMechanismId ids[2];
    plLinkId id;
    const char* names[2] = {"a", "b"};
    for (int i = 0; i < 2; ++i) {
        def.name = names[i];
        def.mass = 0.1;
        def.inertia = plDiagonal3(1e-3, 2e-3, 2.5e-3);
        def.pose.q =
            plExp(plVec(plRng_Normal(rng), 0.5 * plRng_Normal(rng), 0.5 * plRng_Normal(rng)));
        def.spin = plVec(plRng_Normal(rng), plRng_Normal(rng), plRng_Normal(rng));
        checkOk(world, plWorld_AddAssembly(world, &def, &ids[i]));
    }
    link.name = "tie";
    link.a = (plSite){ids[0], 0, {0.01, 0, 0}};
    link.b = (plSite){ids[1], 0, {0, 0.02, 0}};
    link.turns = true;
    link.turnStiffness = turnStiffness;
    checkOk(world, plWorld_AddLink(world, &link, &id));
    return world;
}

// Of two bodies on a turn spring the smaller inertia against the other makes 5e-4 kg m^2, so the
// spring turns them by h = T sqrt(k / 5e-4) rad of phase in a step. Where h <= 1 the errors that
// the guard takes back are of the order h^3 of the energy that swings, and cost less than 1 % in
// 1000 steps, and half a turn, where the shortest way changes its side, some percent once. Up to
// k = 1e5 the guard may take most of the energy, but stops nothing.
static void poseLinksNeverGainEnergy(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(32);
    int resolved = 0;
    for (int run = 0; run < sized(40, 1000); ++run) {
        const double k = pow(10, plRng_Uniform(&rng, -2, 6));
        const double T = pow(10, plRng_Uniform(&rng, -4, -1));
        plWorld* world = tiedPoses(&rng, k, 1 << run % 4);
        const Course course = runDown(world, T, k, sized(200, 1000));
        if (T <= 1e-3 && k <= 1e5) checkAtMost("steps that stood still", course.stands, 0);
        if (T <= 1e-3 && T * sqrt(k / 5e-4) <= 1) {
            checkAtMost("loss of E/E0", course.loss, 5e-2);
            ++resolved;
        }
        plWorld_Destroy(world);
    }
    assert_true(resolved > 0);
}

// About one axis a turn spring is the scalar oscillator: angle_k = angle_0 cos(k 2 atan(h/2)).
static void poseLinkSwingsAtItsFrequency(void** state)
{
    (void)state;
    const double J = 2e-3, T = 1e-3;
    for (int e = -2; e <= 4; e += 2) {
        const double k = pow(10, e), h = T * sqrt(k / J), angle = 0.01;
        plWorld* world = makeWorld(none, 4);
        plAssemblyDef def = plDefaultAssemblyDef();
        plLinkDef link = plDefaultLinkDef();
        plMechanismId id;
        plLinkId linkId;
        double q[7];
        def.name = "body";
        def.inertia = plDiagonal3(1e-3, J, 3e-3);
        def.pose.q = plRotor(plVec(0, 1, 0), angle);
        checkOk(world, plWorld_AddAssembly(world, &def, &id));
        link.name = "tie";
        link.a = center(id);
        link.b = ground;
        link.turns = true;
        link.turnStiffness = k;
        checkOk(world, plWorld_AddLink(world, &link, &linkId));
        for (int i = 1; i <= 1000; ++i) {
            plWorld_Step(world, T);
            checkOk(world, plWorld_State(world, id, q, NULL));
            checkNear("angle", 2 * atan2(q[5], q[3]), angle * cos(i * 2 * atan(h / 2)),
                      1e-9 * angle); // round-off of the phase over 1000 steps
        }
        plWorld_Destroy(world);
    }
}

// A body held to the ground by a turning spring, off by 0.1 rad about world x; seen from a ground
// that does not turn the torque is -k 0.1 about x, whatever the axes of the other end.
static void torqueOfALinkIsInWorldAxes(void** state)
{
    (void)state;
    const plMat3 J = plDiagonal3(1, 1, 1);
    plWorld* world = makeWorld(none, 2);
    const plQuat quarter = plRotor(plVec(0, 0, 1), 0.5 * PL_PI);
    const plMechanismId a = addBall(world, "a", 1, J, none, none, none, pl_integratorMidpoint);
    const plMechanismId b = addBall(world, "b", 1, J, none, none, none, pl_integratorMidpoint);
    double q[7] = {0}, v[6] = {0}, force[6];
    plPut4(plQuatMul(plRotor(plVec(1, 0, 0), 0.1), quarter), q + 3);
    checkOk(world, plWorld_SetState(world, a, q, v));
    plPut4(quarter, q + 3);
    checkOk(world, plWorld_SetState(world, b, q, v));
    plLinkDef def = plDefaultLinkDef();
    plLinkId link;
    def.name = "spring";
    def.a = center(a);
    def.b = center(b);
    def.turns = true;
    def.turnStiffness = 10;
    checkOk(world, plWorld_AddLink(world, &def, &link));
    plWorld_Step(world, 1e-4);
    checkOk(world, plWorld_LinkForce(world, link, force));
    const double expected[6] = {0, 0, 0, -1, 0, 0};
    for (int i = 0; i < 6; ++i) checkNear("force", force[i], expected[i], 1e-6); // moved by T^2
    plWorld_Destroy(world);
}

// The ends of a rigid link must meet when it is made.
static void rigidLinkBetweenDistantEndsIsRefused(void** state)
{
    (void)state;
    plWorld* world = makeWorld(none, 2);
    const plMechanismId a = addBall(world, "a", 1, plDiagonal3(1, 1, 1), plVec(0.5, 0, 0), none,
                                    none, pl_integratorMidpoint);
    plLinkDef def = plDefaultLinkDef();
    plLinkId link;
    def.name = "rod";
    def.a = center(a);
    def.stiffness = INFINITY;
    assert_int_equal(plWorld_AddLink(world, &def, &link), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(world), "apart"));
    plWorld_Destroy(world);
}

static void tiedBodiesKeepTheirMomentum(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(33);
    for (int run = 0; run < sized(10, 100); ++run) {
        const double masses[2] = {0.1, 0.1};
        plWorld* world = tiedPoses(&rng, pow(10, plRng_Uniform(&rng, -2, 3)), 2);
        double first[6], v[6], start[3];
        checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 0), NULL, first));
        checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 1), NULL, v));
        for (int k = 0; k < 3; ++k) start[k] = masses[0] * first[k] + masses[1] * v[k];
        double speed = 0;
        for (int i = 0; i < 1000; ++i) {
            plWorld_Step(world, 1e-3);
            checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 0), NULL, first));
            checkOk(world, plWorld_State(world, plWorld_Mechanism(world, 1), NULL, v));
            for (int k = 0; k < 3; ++k) {
                speed = fmax(speed, fabs(v[k]));
                // 1e-16 a step of the momentum of one
                checkNear("momentum", masses[0] * first[k] + masses[1] * v[k], start[k],
                          1e-13 * 0.1 * speed);
            }
        }
        checkAtMost("1 mm/s against what one ran at", 1e-3, speed);
        plWorld_Destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigidLoopOfFourBarsHolds),
        cmocka_unit_test(redundantRigidLinksHold),
        cmocka_unit_test(rigidLinkJoinsTwoSliders),
        cmocka_unit_test(forceOfALinkHasTheBlow),
        cmocka_unit_test(poseLinksNeverGainEnergy),
        cmocka_unit_test(poseLinkSwingsAtItsFrequency),
        cmocka_unit_test(torqueOfALinkIsInWorldAxes),
        cmocka_unit_test(rigidLinkBetweenDistantEndsIsRefused),
        cmocka_unit_test(tiedBodiesKeepTheirMomentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
