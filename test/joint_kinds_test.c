// Joints of several kinds made of links: a line to slide along, a prismatic joint, four points on an
// ellipse. Balls and hinges are in articulated_test.c.                            (pmi sec. 3.2)
#include "links.h"

static const plVec3 none = {0, 0, 0}, down = {0, 0, -9.81};

// ------------------------------------------------------------------------------------ sliding

static void slideOn(plWorld* world, const char* name, plSite a, plSite b, plVec3 slide,
                    double stiffness, bool turns)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    def.name = name;
    def.a = a;
    def.b = b;
    def.slide = slide;
    def.stiffness = def.turnStiffness = stiffness;
    def.turns = turns;
    checkOk(world, plWorld_AddLink(world, &def, &id));
}

// Down a wire of direction s: s (s.g) t^2/2, and the wire bears the rest of the weight.
static void beadFallsAlongItsWire(void** state)
{
    (void)state;
    const plVec3 slide = plVec(1, 2, -2), s = plScale(1. / 3, slide);
    const double m = 0.02, T = 1e-3, fall = 9.81 * 2 / 3;
    for (int rigid = 0; rigid < 2; ++rigid) {
        plWorld* world = makeWorld(down, 2);
        const plMechanismId bead = addBall(world, "bead", m, plDiagonal3(1e-6, 1e-6, 1e-6), none,
                                           none, none, pl_integratorMidpoint);
        const plSite ground = {.point = none};
        slideOn(world, "wire", center(bead), ground, slide, rigid ? (double)INFINITY : 1e6, false);
        const double E0 = energyOf(world);
        for (int k = 1; k <= 1000; ++k) plWorld_Step(world, T);
        const plVec3 x = placeOf(world, center(bead));
        double force[3];
        checkOk(world, plWorld_LinkForce(world, plWorld_Link(world, 0), force));
        // constant force: the midpoint is exact; a soft wire swings by m g/k = 2e-7 m
        checkNear("along", plDot(x, s), fall / 2, rigid ? 1e-9 : 1e-6);
        checkAtMost("off the wire [m]", plNorm(plAddScaled(x, -plDot(x, s), s)),
                    rigid ? 1e-9 : 5e-7);
        checkAtMost("pull along the wire [N]", fabs(plDot(plGet3(force), s)), 1e-12);
        checkAtMost("E - E0 [J]", energyOf(world) - E0, 1e-12);
        plWorld_Destroy(world);
    }
}

// A carriage on an arm that turns about y, as a chain; released from the horizontal.
static plVec3 chainCarriage(double T, double time, double start)
{
    plWorld* world = makeWorld(down, 4);
    plChainBodyDef bodies[2] = {rod("arm", -1, 0.6, 0.3), rod("carriage", 0, 0.1, 0.1)};
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    bodies[0].axis = plVec(0, 1, 0);
    bodies[1].joint = pl_jointPrismatic;
    bodies[1].axis = plVec(1, 0, 0);
    bodies[1].frame.p = none;
    bodies[1].center = none;
    bodies[1].position[0] = start;
    bodies[0].inertia = plDiagonal3(1e-4, 9e-3, 9e-3);
    bodies[1].inertia = plDiagonal3(1e-4, 1e-4, 2e-4);
    def.name = "machine";
    def.bodies = bodies;
    def.bodyCount = 2;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    for (int k = 0; k < (int)lround(time / T); ++k) plWorld_Step(world, T);
    const plVec3 x = placeOf(world, (plSite){id, 1, {0, 0, 0}});
    plWorld_Destroy(world);
    return x;
}

typedef struct {
    plVec3 x;    ///< of the carriage at the end
    double most; ///< E - E0 [J]
    double gap;  ///< off its line on the arm [m]
} Ride;

// The same of two bodies: a hinge of two points, and a link that slides and does not turn.
static Ride linkedCarriage(double T, double time, double start, double stiffness)
{
    plWorld* world = makeWorld(down, 4);
    const plMechanismId arm = addBall(world, "arm", 0.3, plDiagonal3(1e-4, 9e-3, 9e-3),
                                      plVec(0.3, 0, 0), none, none, pl_integratorMidpoint);
    const plMechanismId carriage = addBall(world, "carriage", 0.1, plDiagonal3(1e-4, 1e-4, 2e-4),
                                           plVec(start, 0, 0), none, none, pl_integratorMidpoint);
    const plSite left = {arm, 0, {-0.3, 0.05, 0}}, right = {arm, 0, {-0.3, -0.05, 0}};
    tie(world, "left", left, (plSite){.point = {0, 0.05, 0}}, stiffness);
    tie(world, "right", right, (plSite){.point = {0, -0.05, 0}}, stiffness);
    slideOn(world, "slide", center(carriage), center(arm), plVec(1, 0, 0), stiffness, true);
    const double E0 = energyOf(world);
    Ride ride = {.most = -INFINITY};
    for (int k = 0; k < (int)lround(time / T); ++k) {
        plMotion m;
        plWorld_Step(world, T);
        ride.most = fmax(ride.most, energyOf(world) - E0);
        checkOk(world, plWorld_Motion(world, center(arm), &m));
        const plVec3 off = plMulT(&m.R, plSub(placeOf(world, center(carriage)), m.x));
        ride.gap = fmax(ride.gap, hypot(off.y, off.z));
    }
    ride.x = placeOf(world, center(carriage));
    plWorld_Destroy(world);
    return ride;
}

static void prismaticJointIsThatOfAChain(void** state)
{
    (void)state;
    const double time = 0.4, start = 0.2;
    const plVec3 exact = chainCarriage(1e-4, time, start);
    double error[3];
    for (int k = 0; k < 3; ++k) {
        const Ride ride = linkedCarriage(2e-3 / (1 << k), time, start, INFINITY);
        error[k] = plNorm(plSub(ride.x, exact));
        print_message("rigid, %.2g ms: %.3g m from the chain, gap %.2g m, E - E0 up to %.2g J\n",
                      2. / (1 << k), error[k], ride.gap, ride.most);
        checkAtMost("E - E0 [J]", ride.most, 1e-12); // the bar
        checkAtMost("gap [m]", ride.gap, 1e-9);      // the bar
    }
    for (int k = 0; k < 2; ++k) { // of order 2, as the scheme
        checkNear("order", log2(error[k] / error[k + 1]), 2, 0.2);
    }
    const Ride soft = linkedCarriage(1e-3, time, start, 1e6);
    print_message("1e6 N/m, 1 ms: %.3g m from the chain, gap %.2g m, E - E0 up to %.2g J\n",
                  plNorm(plSub(soft.x, exact)), soft.gap, soft.most);
    checkAtMost("E - E0 [J]", soft.most, 1e-12);                                   // the bar
    checkAtMost("soft against the chain [m]", plNorm(plSub(soft.x, exact)), 1e-4); // m a/k is 1e-6
}

// Two bodies that fly apart along their common slide, tumbling, at any step and stiffness.
static void slidingNeverGainsEnergyNorMomentum(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(41);
    for (int run = 0; run < sized(60, 1000); ++run) {
        const double T = pow(10, plRng_Uniform(&rng, -4, -1));
        const double k = run % 5 ? pow(10, plRng_Uniform(&rng, 1, 8)) : (double)INFINITY;
        plWorld* world = makeWorld(none, 1 << run % 4);
        const plVec3 spin = plVec(plRng_Normal(&rng), plRng_Normal(&rng), 3 * plRng_Normal(&rng));
        const plMechanismId a =
            addBall(world, "a", 0.1, plDiagonal3(1e-4, 2e-4, 2.5e-4), plVec(0.1, 0, 0),
                    plVec(0.1, 0, 0), spin, pl_integratorMidpoint);
        const plMechanismId b = addBall(world, "b", 0.2, plDiagonal3(3e-4, 2e-4, 2.5e-4), none,
                                        plVec(-0.05, 0, 0), spin, pl_integratorMidpoint);
        slideOn(world, "slide", (plSite){a, 0, {0.01, 0.02, 0}}, (plSite){b, 0, {0, 0.02, 0}},
                plVec(1, 0, 0), k, run % 2);
        runDown(world, T, k, sized(200, 1000));
        double va[6], vb[6];
        checkOk(world, plWorld_State(world, a, NULL, va));
        checkOk(world, plWorld_State(world, b, NULL, vb));
        for (int i = 0; i < 3; ++i) checkNear("momentum", va[i] * 0.1 + vb[i] * 0.2, 0, 1e-12);
        plWorld_Destroy(world);
    }
}

// ----------------------------------------------------------------------------------- elliptic

enum { ellipsePoints = 4 };
static const double wide = 0.02, narrow = 0.005; // half axes [m]

static void tieEllipse(plWorld* world, plMechanismId id, double k)
{
    static const char* names[ellipsePoints] = {"e0", "e1", "e2", "e3"};
    for (int i = 0; i < ellipsePoints; ++i) {
        const double s = i % 2 ? -1 : 1;
        const plVec3 p = i < 2 ? plVec(s * wide, 0, 0) : plVec(0, s * narrow, 0);
        tie(world, names[i], (plSite){id, 0, p}, (plSite){.point = p}, k);
    }
}

// Springs k on (+-a, 0, 0) and (0, +-b, 0) hold turns about x by 2 k b^2, about y by 2 k a^2, and
// about z by both: a joint that gives way in one direction more than in the other.
static void ellipseTurnsEasilyAboutItsLongAxis(void** state)
{
    (void)state;
    const double J = 1e-5, k = 1000, T = 1e-3, angle = 1e-4;
    const double stiffness[3] = {2 * k * narrow * narrow, 2 * k * wide * wide,
                                 2 * k * (wide * wide + narrow * narrow)};
    for (int axis = 0; axis < 3; ++axis) {
        const double h = T * sqrt(stiffness[axis] / J);
        plWorld* world = makeWorld(none, 4);
        const plMechanismId id = addBall(world, "body", 0.1, plDiagonal3(J, J, J), none, none, none,
                                         pl_integratorMidpoint);
        double q[7] = {0}, v[6] = {0};
        plPut4(plRotor(plVec(axis == 0, axis == 1, axis == 2), angle), q + 3);
        checkOk(world, plWorld_SetState(world, id, q, v));
        tieEllipse(world, id, k);
        for (int i = 1; i <= 500; ++i) {
            plWorld_Step(world, T);
            checkOk(world, plWorld_State(world, id, q, NULL));
            // chords against arcs: angle^2 of the phase, some tens of radians
            checkNear("angle", 2 * asin(q[4 + axis]), angle * cos(i * 2 * atan(h / 2)),
                      1e-6 * angle);
        }
        plWorld_Destroy(world);
    }
}

static void ellipseNeverGainsEnergy(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(42);
    for (int run = 0; run < sized(40, 500); ++run) {
        const double T = pow(10, plRng_Uniform(&rng, -4, -1));
        const double k = pow(10, plRng_Uniform(&rng, 1, 6));
        plWorld* world = makeWorld(down, 1 << run % 3);
        const plVec3 spin = plVec(plRng_Normal(&rng), plRng_Normal(&rng), plRng_Normal(&rng));
        const plMechanismId id =
            addBall(world, "body", 1e-3, plDiagonal3(1e-6, 2e-6, 2.5e-6), none,
                    plVec(plRng_Normal(&rng), 0, 0), plScale(10, spin), pl_integratorMidpoint);
        tieEllipse(world, id, k);
        runDown(world, T, k, sized(200, 1000));
        plWorld_Destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beadFallsAlongItsWire),
        cmocka_unit_test(prismaticJointIsThatOfAChain),
        cmocka_unit_test(slidingNeverGainsEnergyNorMomentum),
        cmocka_unit_test(ellipseTurnsEasilyAboutItsLongAxis),
        cmocka_unit_test(ellipseNeverGainsEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
