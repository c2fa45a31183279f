// Collisions in the world: the collision map of iapb on an arm, the relative and the absolute rule,
// and what may not go wrong around them.                                     (iapb spec 1, 2)
#include "collisions.h"

static plWorldDef strikeDef(plCollision rule, double e)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = (plVec3){0};
    def.contact.law = pl_lawImpulse;
    def.contact.collision = rule;
    def.contact.surface.restitution = e;
    return def;
}

static double kineticOf(const plWorld* w) { return plWorld_Ledger(w).kinetic; }

// --- the arm: two links of 1 m and 1 kg, q = (pi/2, 0), qd = (1, 1), against a wall at its left

typedef struct {
    bool rods; ///< else point masses at the ends
    int link;  ///< 0: the elbow is its end
    double s;  ///< along the link
    double p, energy, loss, qd[2];
} ArmRow;

// A ball about the point touches the wall: its offset from the link is along the normal, and has no
// part in the normal row.
static plWorld* armWorld(const ArmRow* row, double e, bool planar, plMechanismId* id)
{
    const double radius = 0.05, depth = 1e-9;
    plWorldDef def = strikeDef(pl_collisionEquality, e);
    plChainBodyDef bodies[2] = {rod("upper", -1, 1, 1), rod("lower", 0, 1, 1)};
    plChainDef chain = plDefaultChainDef();
    def.planar = planar;
    if (!planar) def.gravity.y = -9.81; // the group then takes two passes
    plWorld* w = create(&def);
    for (int i = 0; i < 2; ++i) {
        bodies[i].velocity[0] = 1;
        if (row->rods) continue;
        bodies[i].center.x = 1;
        bodies[i].inertia = diagonal(0, 0, 0);
    }
    bodies[0].position[0] = PL_PI / 2;
    chain.name = "arm";
    chain.bodies = bodies;
    chain.bodyCount = 2;
    checkOk(w, plWorld_AddChain(w, &chain, id));
    addPlane(w, plVec(depth - radius, 0, 0), plVec(1, 0, 0));
    addBall(w, *id, row->link, plVec(row->s, 0, 0), radius);
    return w;
}

// The step is so short that the motion after the strike changes nothing.
static void strikeArm(const ArmRow* row, double e, bool planar)
{
    const double T = 1e-11, bar = 1e-9;
    plMechanismId id;
    plContactInfo contact;
    double qd[2];
    plWorld* w = armWorld(row, e, planar, &id);
    const double before = kineticOf(w);
    checkNear("energy before", before, row->energy, bar * row->energy);
    plWorld_Step(w, T);
    assert_int_equal(plWorld_ContactCount(w), 1);
    assert_int_equal(plWorld_ContactState(w, id), pl_contactColliding);
    checkOk(w, plWorld_Contact(w, 0, &contact));
    checkOk(w, plWorld_State(w, id, NULL, qd));
    const double p = T * plDot(contact.force, contact.normal), loss = (1 - e * e) * row->loss;
    checkNear("impulse", p, (1 + e) * row->p, bar * row->p);
    for (int i = 0; i < 2; ++i) {
        checkNear("qd", qd[i], 1 + (1 + e) * (row->qd[i] - 1), bar * 4);
    }
    checkNear("loss", before - kineticOf(w), loss, bar * row->energy);
    checkNear("dissipated", plWorld_ContactLedger(w).dissipated, loss, bar * row->energy);
    plWorld_Destroy(w);
}

static void armStruckByAWallLosesWhatTheTableSays(void** state)
{
    (void)state;
    const ArmRow rows[] = {
        {true, 1, 1, 0.875, 7. / 3, 1.3125, {1.75, -3.5}},
        {true, 1, 0.5, 7. / 3, 7. / 3, 7. / 3, {0, 0}},
        {true, 1, 0.75, 35. / 24, 7. / 3, 175. / 96, {1.3125, -3.0625}},
        {true, 0, 1, 7. / 12, 7. / 3, 7. / 24, {0, 3.5}},
        {false, 1, 1, 3, 5, 4.5, {1, -2}},
        {false, 1, 0.5, 4, 5, 4, {-1, 3}},
        {false, 1, 0.75, 4, 5, 5, {0, 0}},
        {false, 0, 1, 1, 5, 0.5, {0, 3}},
    };
    for (int i = 0; i < PL_COUNT(rows); ++i) {
        for (int k = 0; k < 6; ++k) strikeArm(&rows[i], 0.5 * (k % 3), k / 3);
    }
}

// Tip and elbow at once stop the arm.
static void tipAndElbowTogetherStopTheArm(void** state)
{
    (void)state;
    for (int rods = 0; rods < 2; ++rods) {
        const ArmRow row = {.rods = rods, .link = 1, .s = 1};
        plMechanismId id;
        double qd[2];
        plWorld* w = armWorld(&row, 0, true, &id);
        addBall(w, id, 0, plVec(1, 0, 0), 0.05);
        plWorld_Step(w, 1e-9);
        assert_int_equal(plWorld_ContactCount(w), 2);
        checkOk(w, plWorld_State(w, id, NULL, qd));
        for (int i = 0; i < 2; ++i) checkNear("qd", qd[i], 0, 1e-9);
        plWorld_Destroy(w);
    }
}

// A contact that was there in the last tick does not collide again: the wall of springs takes over.
// Bent to (pi/2 + a, -2 a), the arm touches the wall 2 (1 - cos a) lower, with the same features.
static void sameFeaturesAreNoNewCollision(void** state)
{
    (void)state;
    const ArmRow row = {.rods = true, .link = 1, .s = 1};
    const double bends[] = {0, 0.01, 0.3}, v[2] = {1, 1};
    for (int k = 0; k < PL_COUNT(bends); ++k) {
        const double q[2] = {PL_PI / 2 + bends[k], -2 * bends[k]};
        plMechanismId id;
        plWorld* w = armWorld(&row, 0, true, &id);
        plWorld_Step(w, 1e-9);
        checkOk(w, plWorld_SetState(w, id, q, v));
        plWorld_Step(w, 1e-9);
        assert_int_equal(plWorld_ContactCount(w), 1);
        assert_int_equal(plWorld_ContactState(w, id), pl_contactResting);
        plWorld_Destroy(w);
    }
}

// --- two bodies on a line

typedef struct {
    double m[2], v[2], e, absolute[2], relative[2];
} LineRow;

static const LineRow lines[] = {
    {{1, 1}, {1, 0}, 0, {0, 0}, {0.5, 0.5}},
    {{1, 1}, {1, 0}, 1, {-1, 0}, {0, 1}},
    {{1, 1}, {2, 1}, 0.5, {-1, -0.5}, {1.25, 1.75}},
    {{2, 1}, {1, -1}, 1, {-1, 1}, {-1. / 3, 5. / 3}},
};

static plMechanismId addLineBody(plWorld* w, int i, double m, double v, double shift)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    plMechanismId id;
    body.name = partName(i);
    body.mass = m;
    body.inertia = diagonal(1, 1, 1);
    body.pose.p.x = i * (0.1 - 1e-6);
    body.velocity.x = v + shift;
    checkOk(w, plWorld_AddAssembly(w, &body, &id));
    addBall(w, id, 0, plVec(0, 0, 0), 0.05);
    return id;
}

static void runLine(const LineRow* row, plCollision rule, bool absolute, double shift, double* end)
{
    plWorldDef def = strikeDef(rule, row->e);
    def.contact.absolute = absolute;
    plWorld* w = create(&def);
    plMechanismId ids[2];
    for (int i = 0; i < 2; ++i) ids[i] = addLineBody(w, i, row->m[i], row->v[i], shift);
    const double before = kineticOf(w);
    plWorld_Step(w, 1e-3);
    for (int i = 0; i < 2; ++i) {
        double v[6];
        checkOk(w, plWorld_State(w, ids[i], NULL, v));
        end[i] = v[0];
    }
    checkAtMost("energy", kineticOf(w), before + 1e-12);
    // the walls give nothing in the tick of a collision: all that is lost is the impact's
    checkNear("loss", plWorld_ContactLedger(w).dissipated, before - kineticOf(w), 1e-12);
    plWorld_Destroy(w);
}

static void relativeRuleKeepsMomentumAndReversesTheApproach(void** state)
{
    (void)state;
    for (int k = 0; k < 4 * PL_COUNT(lines); ++k) {
        const LineRow* row = &lines[k / 4];
        const plCollision rule = k % 2 ? pl_collisionEquality : pl_collisionComplementarity;
        const double shift = k / 2 % 2, *m = row->m, *v = row->v; // seen from a moving frame
        double end[2];
        runLine(row, rule, false, shift, end);
        for (int i = 0; i < 2; ++i) checkNear("v", end[i], row->relative[i] + shift, 1e-12);
        checkNear("momentum", m[0] * end[0] + m[1] * end[1],
                  m[0] * (v[0] + shift) + m[1] * (v[1] + shift), 1e-12);
        checkNear("approach", end[1] - end[0], -row->e * (v[1] - v[0]), 1e-12);
    }
}

// Each body is thrown back from a wall of its own, also one that is overtaken: the result depends on
// the frame, which the paper does not say.
static void absoluteRuleThrowsEachBodyBack(void** state)
{
    (void)state;
    double end[2];
    for (int k = 0; k < PL_COUNT(lines); ++k) {
        runLine(&lines[k], pl_collisionEquality, true, 0, end);
        for (int i = 0; i < 2; ++i) checkNear("v", end[i], lines[k].absolute[i], 1e-12);
    }
    // e = 0.5 and a frame that moves by 1: the result moves by -0.5, seen in it by -1.5
    runLine(&lines[2], pl_collisionEquality, true, 1, end);
    for (int i = 0; i < 2; ++i) checkNear("v", end[i] - 1, lines[2].absolute[i] - 1.5, 1e-12);
    // complementarity never pulls: who is overtaken goes on
    runLine(&lines[2], pl_collisionComplementarity, true, 0, end);
    checkNear("behind", end[0], -1, 1e-12);
    checkNear("ahead", end[1], 1, 1e-12);
}

// Two that go together and touch do not collide, whatever a third one does.
static void absoluteRuleLeavesThoseThatDoNotClose(void** state)
{
    (void)state;
    plWorldDef def = strikeDef(pl_collisionEquality, 0);
    def.contact.absolute = true;
    plWorld* w = create(&def);
    const double v[3] = {1, 1, -1}, expected[3] = {1, 0, 0};
    plMechanismId ids[3];
    for (int i = 0; i < 3; ++i) ids[i] = addLineBody(w, i, 1, v[i], 0);
    plWorld_Step(w, 1e-6);
    assert_int_equal(plWorld_ContactCount(w), 2);
    for (int i = 0; i < 3; ++i) {
        double end[6];
        checkOk(w, plWorld_State(w, ids[i], NULL, end));
        checkNear("v", end[0], expected[i], 1e-12);
    }
    plWorld_Destroy(w);
}

// --- contacts of different restitution on one body

// A box lands flat across a slot between two floors of e = 0 and e = 0.8: eight contacts of rank
// three, at x = -0.05, -0.01, 0.01, 0.05, that ask for the speeds 0, 0, 0.8, 0.8. The equality fits
// the plane v + b x to them by least squares: v = 0.4, b = 120/13. Complementarity takes the nearest
// motion that is nowhere slower: only x = 0.01 pushes, b = 6 (v + 1) and v + 0.01 b = 0.8.
static void floorsOfDifferentRestitutionTurnTheBox(void** state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const plCollision rule = k ? pl_collisionEquality : pl_collisionComplementarity;
        const plWorldDef def = strikeDef(rule, 0);
        plWorld* w = create(&def);
        plMaterialDef hard = plDefaultMaterialDef();
        plMaterialId material;
        plAssemblyDef body = plDefaultAssemblyDef();
        plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
        double v[6];
        hard.name = "hard";
        hard.surface.restitution = 0.8;
        checkOk(w, plWorld_AddMaterial(w, &hard, &material));
        checkOk(w, plWorld_SetPair(w, material, (plMaterialId){0}, &hard.surface));
        for (int i = 0; i < 2; ++i) {
            plPartShapeDef floor = box;
            floor.shape.frame.p = plVec(i ? 0.51 : -0.51, 0, -0.5);
            if (i) floor.material = material;
            addShape(w, &floor);
        }
        body.name = "box";
        body.mass = 1;
        body.inertia = diagonal(0.01 / 6, 0.01 / 6, 0.01 / 6);
        body.pose.p.z = 0.05 - 1e-6;
        body.velocity.z = -1;
        checkOk(w, plWorld_AddAssembly(w, &body, &box.mechanism));
        box.shape.half = (plVec3){0.05, 0.05, 0.05};
        addShape(w, &box);
        plWorld_Step(w, 1e-6);
        checkOk(w, plWorld_State(w, box.mechanism, NULL, v));
        print_message("%s: v %.6f m/s, spin %.6f rad/s, %.6f J\n", plCollision_Name((int)rule),
                      v[2], v[4], kineticOf(w));
        checkNear("v", v[2], k ? 0.4 : 0.74 / 1.06, 1e-9);
        checkNear("spin", v[4], k ? -120. / 13 : -10.8 / 1.06, 1e-8);
        plWorld_Destroy(w);
    }
}

// --- a rigid link between two velocities

// Two balls of 1 kg tied to each other fly apart by 2 m/s, and one of them hits a wall, e = 1. A
// strike leaves a rigid link its velocity: the first ball would leave with 1 m/s and the other one
// with 3, five times the energy. Link and wall then give less.
static void aRigidLinkGainsNothingFromAStrike(void** state)
{
    (void)state;
    const plWorldDef def = strikeDef(pl_collisionEquality, 1);
    plWorld* w = create(&def);
    plLinkDef link = plDefaultLinkDef();
    plLinkId id;
    link.name = "tie";
    link.stiffness = (double)INFINITY;
    link.a = (plSite){.mechanism = addLineBody(w, 0, 1, -1, 0), .point = {0.1, 0, 0}};
    link.b = (plSite){.mechanism = addLineBody(w, 2, 1, 1, 0), .point = {2e-6 - 0.1, 0, 0}};
    checkOk(w, plWorld_AddLink(w, &link, &id));
    addPlane(w, plVec(1e-6 - 0.05, 0, 0), plVec(1, 0, 0));
    const double before = kineticOf(w);
    plWorld_Step(w, 1e-6);
    assert_int_equal(plWorld_ContactCount(w), 1);
    checkAtMost("energy", kineticOf(w), before + 1e-12);
    plWorld_Destroy(w);
}

// --- capsules that cross in the plane

// Axes of 0.2 m cross at a right angle, 0.02 m from the end of the second one. In space the least way
// out is along z; in the plane it is 0.02 m and both radii, along the second one.
static void capsulesThatCrossPartInThePlane(void** state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        plWorldDef def = plDefaultWorldDef();
        plChainDef chain = plDefaultChainDef();
        plContactInfo contact;
        def.planar = true;
        def.gravity = (plVec3){0};
        plWorld* w = create(&def);
        for (int i = 0; i < 2; ++i) {
            plChainBodyDef body = plDefaultChainBodyDef();
            plPartShapeDef capsule = plDefaultPartShapeDef(pl_shapeCapsule);
            body.name = "root";
            body.joint = pl_jointPlanar;
            body.mass = 1;
            body.inertia = diagonal(0, 0, 1e-3);
            body.position[1] = i ? 0.08 : 0;
            body.position[2] = i ? PL_PI / 2 : 0;
            body.velocity[1] = i == k ? 0 : i ? -1 : 1;
            chain.name = partName(i);
            chain.bodies = &body;
            chain.bodyCount = 1;
            checkOk(w, plWorld_AddChain(w, &chain, &capsule.mechanism));
            capsule.shape.radius = 0.03;
            capsule.shape.length = 0.2;
            addShape(w, &capsule);
        }
        const double before = kineticOf(w);
        plWorld_Step(w, 1e-3);
        assert_int_equal(plWorld_Report(w).trouble, 0);
        assert_int_equal(plWorld_ContactCount(w), 1);
        checkOk(w, plWorld_Contact(w, 0, &contact));
        checkNear("gap", contact.gap, -0.08, 1e-12);
        checkNear("normal", contact.normal.y, 1, 1e-12);
        checkNear("kinetic", kineticOf(w), before / 2, 1e-6); // e = 0 and equal masses
        plWorld_Destroy(w);
    }
}

// --- the tank

// An arm lies 0.85 m under a floor, with nothing to pay for its way up, until a disc lands and loses
// some 1 J. To lift the arm by an angle a costs m g sin(a)/2: a share of the angle costs more than
// that share of the price, and still no more is spent than there is.
static void driftNeverSpendsMoreThanTheTank(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    plChainBodyDef arm = rod("arm", -1, 1, 1), disc = plDefaultChainBodyDef();
    plChainDef chains[2] = {plDefaultChainDef(), plDefaultChainDef()};
    plMechanismId ids[2];
    double angle, most = 0;
    def.planar = true;
    def.gravity = (plVec3){0, -9.81, 0};
    def.contact.bias = pl_biasOneSided; // under `gap` nothing sinks, and no tank pays
    def.contact.driftRate = 1;
    plWorld* w = create(&def);
    disc.name = "disc";
    disc.joint = pl_jointPlanar;
    disc.mass = 1;
    disc.inertia = diagonal(0, 0, 1e-3);
    disc.position[0] = -2, disc.position[1] = 0.95;
    for (int i = 0; i < 2; ++i) {
        chains[i].name = partName(i);
        chains[i].bodies = i ? &disc : &arm;
        chains[i].bodyCount = 1;
        checkOk(w, plWorld_AddChain(w, &chains[i], &ids[i]));
        addBall(w, ids[i], 0, plVec(i ? 0 : 1, 0, 0), 0.05);
    }
    addPlane(w, plVec(0, 0.8, 0), plVec(0, 1, 0));
    const double start = energyOf(w);
    for (int i = 0; i < 300; ++i) {
        plWorld_Step(w, 1e-3);
        most = fmax(most, energyOf(w) - start);
    }
    checkOk(w, plWorld_State(w, ids[0], &angle, NULL));
    print_message("lifted by %.3f rad, %.1e J above the start, %.1e J left\n", angle, most,
                  plWorld_Tank(w));
    checkAtMost("-angle", -angle, -0.15);
    checkAtMost("excess", most, 1e-12);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armStruckByAWallLosesWhatTheTableSays),
        cmocka_unit_test(tipAndElbowTogetherStopTheArm),
        cmocka_unit_test(sameFeaturesAreNoNewCollision),
        cmocka_unit_test(relativeRuleKeepsMomentumAndReversesTheApproach),
        cmocka_unit_test(absoluteRuleThrowsEachBodyBack),
        cmocka_unit_test(absoluteRuleLeavesThoseThatDoNotClose),
        cmocka_unit_test(floorsOfDifferentRestitutionTurnTheBox),
        cmocka_unit_test(aRigidLinkGainsNothingFromAStrike),
        cmocka_unit_test(capsulesThatCrossPartInThePlane),
        cmocka_unit_test(driftNeverSpendsMoreThanTheTank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
