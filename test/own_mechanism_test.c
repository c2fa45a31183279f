// A mechanism of the user, beside a chain that is the same; what touches it, and what is refused.
#include "worlds.h"

#include <string.h>

static plWorld* makeField(void)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    checkOk(NULL, plWorld_Create(&def, &w));
    return w;
}

typedef struct {
    double offset; // error of the twist
    bool wrong;
} Rod;

static void rodPlace(void* self, const double* q, plPose* parts)
{
    const Rod* r = self;
    for (int b = 0; b < 2; ++b) {
        const double a = b ? q[0] + q[1] : q[0];
        parts[b].p = b ? (plVec3){0.4 * cos(q[0]), 0, -0.4 * sin(q[0])} : (plVec3){0, 0, 0};
        parts[b].q = (plQuat){cos(a / 2), 0, sin(a / 2), 0};
    }
    if (r->wrong) parts[0].p.x = NAN;
}

static void rodTwist(void* self, const double* q, int part, double* J)
{
    const Rod* r = self;
    J[2 * 4] = 1; // both turn about y with q0
    if (part == 0) return;
    J[2 * 4 + 1] = 1; // the second with q1 as well
    J[0] = -0.4 * sin(q[0]) + r->offset;
    J[2 * 2] = -0.4 * cos(q[0]);
}

static plOwnMechanismDef rodDef(Rod* r, const plMass masses[2], const double* q)
{
    plOwnMechanismDef d = plDefaultOwnMechanismDef();
    d.name = "rods", d.self = r, d.coordinates = d.parts = 2;
    d.masses = masses, d.position = q, d.place = rodPlace, d.twist = rodTwist;
    return d;
}

static const plMass rodMasses[2] = {{0.3, {0.2, 0, 0}, {{1e-4, 0, 0}, {0, 4e-3, 0}, {0, 0, 4e-3}}},
                                    {0.2, {0.1, 0, 0}, {{1e-4, 0, 0}, {0, 2e-3, 0}, {0, 0, 2e-3}}}};

static plMechanismId addChain(plWorld* w, const double q[2])
{
    plChainBodyDef bodies[2];
    plChainDef chain = plDefaultChainDef();
    plMechanismId id;
    for (int i = 0; i < 2; ++i) {
        bodies[i] = plDefaultChainBodyDef();
        bodies[i].name = i ? "second" : "first";
        bodies[i].parent = i - 1;
        bodies[i].joint = pl_jointRevolute;
        bodies[i].axis = (plVec3){0, 1, 0};
        bodies[i].mass = rodMasses[i].mass;
        bodies[i].center = rodMasses[i].center;
        bodies[i].inertia = rodMasses[i].inertia;
        bodies[i].position[0] = q[i];
    }
    bodies[1].frame.p.x = 0.4;
    chain.name = "chain", chain.bodies = bodies, chain.bodyCount = 2;
    checkOk(w, plWorld_AddChain(w, &chain, &id));
    return id;
}

// Two swinging rods: the same course as the chain's, to the second order of the step, and no energy is made.
static void mechanismOfTheUserMovesAsTheChainDoes(void** state)
{
    (void)state;
    const double start[2] = {0.3, 0.5};
    Rod rod = {.offset = 0};
    plWorld* w = makeField();
    const plOwnMechanismDef def = rodDef(&rod, rodMasses, start);
    plMechanismId own;
    double M[2][4], q[2][2], v[2][2];
    checkOk(w, plWorld_AddOwnMechanism(w, &def, &own));
    const plMechanismId chain = addChain(w, start);
    checkOk(w, plWorld_Inertia(w, own, M[0], NULL));
    checkOk(w, plWorld_Inertia(w, chain, M[1], NULL));
    for (int i = 0; i < 4; ++i) checkNear("mass matrix", M[0][i], M[1][i], 1e-12);
    plAccount account;
    checkOk(w, plWorld_MechanismLedger(w, own, &account));
    const double energy = account.kinetic + account.potential;
    for (int k = 0; k < 1000; ++k) {
        plWorld_Step(w, 1e-3);
        checkOk(w, plWorld_State(w, own, q[0], v[0]));
        checkOk(w, plWorld_State(w, chain, q[1], v[1]));
        for (int i = 0; i < 2; ++i) checkNear("course", q[0][i], q[1][i], 2e-4);
        checkOk(w, plWorld_MechanismLedger(w, own, &account));
        checkNear("energy", account.kinetic + account.potential, energy, 1e-6);
        checkAtMost("balance", fabs(account.residual), 1e-10);
        assert_int_equal(plWorld_Report(w).trouble, 0);
    }
    plWorld_Destroy(w);
}

// It touches, is tied, pushed, saved, and removed, as others are.
static void mechanismOfTheUserTouchesAndIsTied(void** state)
{
    (void)state;
    const double start[2] = {0.3, 0.2};
    Rod rod = {.offset = 0};
    plWorld* w = makeField();
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere),
                   floor = plDefaultPartShapeDef(pl_shapePlane);
    plOwnMechanismDef def = rodDef(&rod, rodMasses, start);
    plLinkDef link = plDefaultLinkDef();
    plMotion at;
    plShapeId shape;
    plLinkId linkId;
    plMechanismId id;
    double q[2];
    floor.shape.frame.p.z = -0.45;
    checkOk(w, plWorld_AddShape(w, &floor, &shape));
    checkOk(w, plWorld_AddOwnMechanism(w, &def, &id));
    assert_string_equal(plWorld_MechanismType(w, id), "own");
    ball.mechanism = id, ball.part = 1, ball.shape.radius = 0.05, ball.shape.frame.p.x = 0.2;
    checkOk(w, plWorld_AddShape(w, &ball, &shape));
    double deepest = 0;
    for (int k = 0; k < 1500; ++k) {
        plWorld_Step(w, 1e-3);
        deepest = fmax(deepest, plWorld_Report(w).depth);
    }
    assert_true(plWorld_ContactCount(w) > 0);
    checkAtMost("depth", deepest, 1e-5);
    link.name = "tie", link.stiffness = INFINITY, link.a = (plSite){.mechanism = id, .part = 1};
    checkOk(w, plWorld_Motion(w, link.a, &at));
    link.b.point = at.x;
    checkOk(w, plWorld_AddLink(w, &link, &linkId));
    for (int k = 0; k < 300; ++k) {
        plWorld_Step(w, 1e-3);
        checkAtMost("gap of the rigid link", plWorld_Report(w).gap, 1e-6);
    }
    const size_t size = plWorld_SnapshotSize(w);
    void* snapshot = malloc(size);
    plWorld_Save(w, snapshot);
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    const uint64_t hash = plWorld_Hash(w);
    checkOk(w, plWorld_Restore(w, snapshot, size));
    for (int k = 0; k < 50; ++k) plWorld_Step(w, 1e-3);
    assert_true(plWorld_Hash(w) == hash);
    checkOk(w, plWorld_RemoveMechanism(w, id));
    assert_int_equal(plWorld_State(w, id, q, NULL), pl_statusStale);
    plWorld_Step(w, 1e-3);
    free(snapshot);
    plWorld_Destroy(w);
}

static double tooCurved(void* self, const double* y, int n, double* gradient, double* second)
{
    const double k = 3;
    (void)self, (void)n;
    if (gradient) gradient[0] = k * y[0];
    if (second) second[0] = k;
    return 0.5 * k * y[0] * y[0];
}

static void springOfAPotentialSwingsAtItsRate(void** state)
{
    (void)state;
    const double start[2] = {0.1, 0};
    const plMass light[2] = {rodMasses[0], {.mass = 0}};
    const double damping[2] = {0.01, 0.01};
    Rod rod = {.offset = 0};
    plWorldDef field = plDefaultWorldDef();
    plWorld* w;
    plMechanismId id;
    plAccount a;
    field.gravity = (plVec3){0, 0, 0};
    checkOk(NULL, plWorld_Create(&field, &w));
    plOwnMechanismDef def = rodDef(&rod, light, start);
    def.potential = tooCurved;
    // the second part has no mass: its coordinate has none either
    assert_int_equal(plWorld_AddOwnMechanism(w, &def, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "positive definite"));
    def.masses = rodMasses, def.damping = damping;
    checkOk(w, plWorld_AddOwnMechanism(w, &def, &id));
    for (int k = 0; k < 500; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_MechanismLedger(w, id, &a));
    assert_true(a.dissipated > 0 && a.kinetic + a.potential < 0.015);
    checkAtMost("balance", fabs(a.residual), 1e-12);
    plWorld_Destroy(w);
}

static void badMechanismsAreRefused(void** state)
{
    (void)state;
    const double start[2] = {0.3, 0.5}, bad[2] = {NAN, 0}, negative[2] = {-1, 0};
    plMass heavy[2] = {rodMasses[0], rodMasses[1]};
    Rod rod = {.offset = 0}, askew = {.offset = 0.1}, lost = {.wrong = true};
    plWorld* w = makeField();
    const plOwnMechanismDef good = rodDef(&rod, rodMasses, start);
    plMechanismId id;
    plOwnMechanismDef d[12];
    for (int i = 0; i < 12; ++i) d[i] = good;
    heavy[1].mass = -1;
    d[0].cookie = 0;
    d[1].name = "not a name";
    d[2].coordinates = 0;
    d[3].parts = plOwnParts + 1;
    d[4].place = NULL;
    d[5].twist = NULL;
    d[6].position = bad;
    d[7].damping = negative;
    d[8].masses = NULL;
    d[9].masses = heavy;
    d[10].self = &askew;
    d[11].self = &lost;
    for (int i = 0; i < 12; ++i) {
        if (plWorld_AddOwnMechanism(w, &d[i], &id) != pl_statusBadArgument) fail_msg("case %d", i);
    }
    assert_int_equal(plWorld_AddOwnMechanism(w, &d[10], &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "twists"));
    assert_int_equal(plWorld_MechanismCount(w), 0);
    checkOk(w, plWorld_AddOwnMechanism(w, &good, &id));
    assert_int_equal(plWorld_AddOwnMechanism(w, &good, &id), pl_statusDuplicate);
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanismOfTheUserMovesAsTheChainDoes),
        cmocka_unit_test(mechanismOfTheUserTouchesAndIsTied),
        cmocka_unit_test(springOfAPotentialSwingsAtItsRate),
        cmocka_unit_test(badMechanismsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
