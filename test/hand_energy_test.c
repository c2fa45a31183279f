// A hand that pushes a tool around in a box: what the world side creates is round-off, at any
// stiffness of the coupling and at any rate.
#include "math/math.h"
#include "room.h"

typedef struct {
    plWorld* world;
    plMechanismId tool;
    plDeviceId device;
    plCouplingId coupling;
} Grip;

// A hand that wants to go round through walls and corners, and turns the tool on its way.
static plHandDef roundTrip(plWaypoint* points, int count, uint64_t seed)
{
    plRng rng = plRng_Seed(seed);
    for (int i = 0; i < count; ++i) {
        points[i].time = 0.15 * i;
        points[i].pose.p = plVec(plRng_Uniform(&rng, -0.25, 0.25), plRng_Uniform(&rng, -0.25, 0.25),
                                 plRng_Uniform(&rng, -0.25, 0.25));
        points[i].pose.q = plExp(plVec(plRng_Uniform(&rng, -1, 1), plRng_Uniform(&rng, -1, 1),
                                       plRng_Uniform(&rng, -1, 1)));
    }
    points[0].pose = (plPose){{0, 0, 0}, {1, 0, 0, 0}};
    plHandDef hand = plDefaultDeviceDef().hand;
    hand.kind = pl_handImpedance;
    hand.stiffness = 300;
    hand.damping = 5;
    hand.turnStiffness = 1;
    hand.turnDamping = 0.02;
    hand.points = points;
    hand.pointCount = count;
    return hand;
}

static Grip makeGrip(plLawName law, double K, uint64_t seed)
{
    enum { points = 12 };
    plWaypoint list[points];
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    Grip g;
    def.contact.law = law;
    checkOk(NULL, plWorld_Create(&def, &g.world));
    addRoom(g.world);
    g.tool = addCube(g.world, "tool", 0.1, 0.02, plVec(0, 0, 0));
    device.name = "hand";
    device.forceLimit =
        plVec(12, 12, 12); // what the loop through the device does is its own affair
    device.torqueLimit = plVec(0.2, 0.2, 0.2);
    device.hand = roundTrip(list, points, seed);
    checkOk(g.world, plWorld_AddDevice(g.world, &device, &g.device));
    coupling.name = "grip";
    coupling.kind = pl_couplingVirtual;
    coupling.device = g.device;
    coupling.tool.mechanism = g.tool;
    coupling.stiffness = all3(K);
    coupling.damping = all3(1e-3 * K);
    coupling.turnStiffness = all3(1e-3 * K);
    coupling.turnDamping = all3(1e-6 * K);
    checkOk(g.world, plWorld_AddCoupling(g.world, &coupling, &g.coupling));
    return g;
}

// Largest E - E0 - applied of any tick: what came from nowhere, after all that was dissipated.
static double created(plLawName law, double K, double rate, uint64_t seed, int* contacts)
{
    Grip g = makeGrip(law, K, seed);
    const double start = energyOf(g.world), T = 1 / rate;
    double most = -INFINITY, scale = 0;
    *contacts = 0;
    for (int i = 0; i * T < 1.6; ++i) {
        plWorld_Step(g.world, T);
        const plAccount a = plWorld_Ledger(g.world);
        const double given = a.integrator + a.leak;
        scale = fmax(scale, fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential));
        most = fmax(most, fmax(given, a.kinetic + a.potential - start - a.applied));
        *contacts =
            plWorld_ContactCount(g.world) > *contacts ? plWorld_ContactCount(g.world) : *contacts;
        if (fabs(a.residual) > 1e-12 * scale) fail_msg("residual %g of %g J", a.residual, scale);
    }
    plWorld_Destroy(g.world);
    return most / scale;
}

static void worldSideCreatesNothingAtAnyRate(void** unused)
{
    (void)unused;
    const double rates[] = {30, 100, 1000, 10000}, stiffness[] = {1e2, 1e4, 1e6};
    const plLawName laws[] = {pl_lawCone, pl_lawLcp};
    for (int l = 0; l < 2; ++l) {
        for (int r = 0; r < 4; ++r) {
            double worst = -INFINITY;
            int most = 0;
            for (int k = 0; k < 3; ++k) {
                for (int seed = 1; seed <= sized(1, 20); ++seed) {
                    int contacts;
                    worst = fmax(
                        worst, created(laws[l], stiffness[k], rates[r], (uint64_t)seed, &contacts));
                    most = contacts > most ? contacts : most;
                }
            }
            print_message("%s at %g Hz: created %.1g of the scale, up to %d contacts\n",
                          plLawName_Name((int)laws[l]), rates[r], worst, most);
            checkAtMost("created, of the scale", worst, 1e-12);
            assert_true(most > 0);
        }
    }
}

// --- many contacts at once

typedef struct {
    plLawName law;
    int feet;
    double stiffness, damping, friction; ///< of the walls
    bool corner;                         ///< two walls beside the floor
} Brush;

// A brush of feet, pressed down and rubbed over the floor by all six degrees of freedom; into a corner,
// if there is one.
static plWorld* makeBrush(const Brush* b, plMechanismId* tool, plDeviceId* device)
{
    const int n = b->feet;
    plWorldDef def = plDefaultWorldDef();
    plDeviceDef hand = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plCouplingId id;
    plWorld* w;
    def.contact.law = b->law;
    def.contact.wallsInCollision = b->corner;
    def.contact.surface.stiffness = b->stiffness;
    def.contact.surface.damping = b->damping;
    def.contact.surface.friction = b->friction;
    def.capacity.rows = 6 + 3 * 8 * n;
    def.capacity.contacts = 8 * n + 64;
    def.capacity.memory = 256u << 20;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    for (int i = 0; i < 2 && b->corner; ++i) {
        plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
        plShapeId shape;
        wall.shape.normal = i ? plVec(0, -1, 0) : plVec(-1, 0, 0);
        wall.shape.frame.p = i ? plVec(0, 0.035, 0) : plVec(0.055, 0, 0);
        checkOk(w, plWorld_AddShape(w, &wall, &shape));
    }
    // Touches: what is placed in overlap is lifted, and gains its weight times the depth.
    *tool = addCube(w, "brush", 0.2, 0.01, plVec(0, 0, b->corner ? 0.0301 : 0.03));
    for (int i = 0; i < n; ++i) {
        plPartShapeDef foot = plDefaultPartShapeDef(pl_shapeBox);
        plShapeId shape;
        foot.mechanism = *tool;
        foot.shape.half = plVec(0.004, 0.004, 0.01);
        foot.shape.frame.p = plVec(0.01 * (i % 10) - 0.045, 0.01 * (i / 10) - 0.02, -0.02);
        checkOk(w, plWorld_AddShape(w, &foot, &shape));
    }
    const plWaypoint way[] = {{0, {{0, 0, 0.02}, {1, 0, 0, 0}}},
                              {0.1, {{0.02, 0.01, 0.02}, plExp(plVec(0.1, -0.1, 0.3))}},
                              {0.2, {{-0.02, 0, 0.02}, plExp(plVec(-0.1, 0.1, -0.3))}}};
    hand.name = "hand";
    hand.pose.p = plVec(0, 0, 0.03);
    hand.forceLimit = plVec(12, 12, 12);
    hand.torqueLimit = plVec(0.2, 0.2, 0.2);
    hand.hand.kind = pl_handImpedance;
    hand.hand.stiffness = 400;
    hand.hand.damping = 5;
    hand.hand.turnStiffness = 1;
    hand.hand.turnDamping = 0.02;
    hand.hand.points = way;
    hand.hand.pointCount = 3;
    checkOk(w, plWorld_AddDevice(w, &hand, device));
    coupling.name = "grip";
    coupling.kind = pl_couplingVirtual;
    coupling.device = *device;
    coupling.tool.mechanism = *tool;
    coupling.stiffness = all3(2000);
    coupling.damping = all3(5);
    coupling.turnStiffness = all3(2);
    coupling.turnDamping = all3(0.01);
    checkOk(w, plWorld_AddCoupling(w, &coupling, &id));
    return w;
}

static void manyContactsAreFeltUnderEveryLaw(void** unused)
{
    (void)unused;
    const int feet[] = {8, 50};
    for (int k = 0; k < 2; ++k) {
        for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
            plMechanismId tool;
            plDeviceId device;
            const Brush b = {law, feet[k], 200, 0.2, 0.5, false};
            plWorld* w = makeBrush(&b, &tool, &device);
            const double start = energyOf(w);
            double created = -INFINITY, scale = 0, force = 0;
            int contacts = 0;
            for (int i = 0; i < sized(k ? 6 : 30, 200); ++i) {
                plWrench f;
                plWorld_Step(w, 1e-3);
                const plAccount a = plWorld_Ledger(w);
                checkOk(w, plWorld_DeviceForce(w, device, &f));
                force = fmax(force, plNorm(f.force));
                scale = fmax(scale, fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential));
                created = fmax(created, a.kinetic + a.potential - start - a.applied);
                contacts = plWorld_ContactCount(w) > contacts ? plWorld_ContactCount(w) : contacts;
                checkAtMost("residual", fabs(a.residual), 1e-12 * scale);
                const int bad = pl_troubleNotFinite | pl_troubleStopped | pl_troubleContactsFull;
                assert_int_equal(plWorld_Report(w).trouble & bad, 0);
            }
            print_message("%s, up to %d contacts: created %.1g of the scale, force %.2f N\n",
                          plLawName_Name((int)law), contacts, created / scale, force);
            assert_true(contacts >= 4 * feet[k] * 9 / 10);
            assert_true(force <= 12 * sqrt(3));
            if (law >= pl_lawLcp) checkAtMost("created, of the scale", created, 1e-12 * scale);
            plWorld_Destroy(w);
        }
    }
}

// --- what a spring that is sampled and held may create

// Way of the contacts' points along their normals in the last tick, squared and summed; and the depth
// at which new ones were found.
static double strokes(const plWorld* w, const double before[7])
{
    const plMat3 R = plRotation(plGet4(before + 3));
    double sum = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        plMotion now;
        checkOk(w, plWorld_Contact(w, i, &c));
        checkOk(w, plWorld_Motion(w, c.a, &now));
        const plVec3 then = plAdd(plGet3(before), plMul(&R, c.a.point));
        const double way = plDot(c.normal, plSub(now.x, then)), depth = fmin(0, c.gap);
        sum += way * way + (c.age == 0 ? depth * depth : 0);
    }
    return sum;
}

// How far a tool has turned since it stood at q [rad].
static double turnSince(const plWorld* w, plMechanismId tool, const double q[7])
{
    double now[7];
    checkOk(w, plWorld_State(w, tool, now, NULL));
    return plNorm(plLogQuat(plQuatMul(plQuatConj(plGet4(q + 3)), plGet4(now + 3))));
}

// Walls without damping and friction: in every tick contacts create at most K ds^2/2 each, be there 30
// or 200, on a floor and in a corner. The springs of the law impulse, too, when they are not silent in
// its collisions.
static void heldWallsCreateNoMoreThanTheirBound(void** unused)
{
    (void)unused;
    const double rates[] = {250, 1000, 4000}, stiffness[] = {20, 200};
    for (int k = 0; k < 12; ++k) {
        const Brush b = {.law = k < 6 ? pl_lawPenalty : pl_lawImpulse,
                         .feet = k % 2 ? 50 : 8,
                         .stiffness = stiffness[k / 3 % 2],
                         .corner = true};
        const double rate = rates[k % 3];
        plMechanismId tool;
        plDeviceId device;
        plWorld* w = makeBrush(&b, &tool, &device);
        double created = 0, bound = 0, worst = -INFINITY, most = 0, q[7];
        for (int i = 0; i < sized(30, 300); ++i) {
            checkOk(w, plWorld_State(w, tool, q, NULL));
            plWorld_Step(w, 1 / rate);
            const plAccount c = plWorld_ContactLedger(w);
            assert_false(plWorld_Report(w).trouble & pl_troubleContactsFull);
            if (turnSince(w, tool, q) > 0.1) break; // it has blown up, and arcs are no longer ways
            bound += 0.5 * b.stiffness * strokes(w, q);
            created = c.integrator + c.leak;
            worst = fmax(worst, created - bound);
            most = fmax(most, plWorld_ContactCount(w));
        }
        print_message("%s, %g Hz, %g N/m, up to %.0f contacts: created %.3g of %.3g J\n",
                      plLawName_Name((int)b.law), rate, b.stiffness, most, created, bound);
        assert_true(most >= 2 * b.feet && bound > 0);
        // work counts the mean velocity of a point, depth its true way, which is an arc: that is of
        // second order in the turn of a tick, and 0.2 % here
        checkAtMost("above the bound [J]", worst, 0.01 * bound);
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worldSideCreatesNothingAtAnyRate),
                                       cmocka_unit_test(manyContactsAreFeltUnderEveryLaw),
                                       cmocka_unit_test(heldWallsCreateNoMoreThanTheirBound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
