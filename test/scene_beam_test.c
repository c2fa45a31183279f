// Beams and tendons in scenes.
#include "scene_text.h"

#include <math.h>

#define BEAM(more) "{\"name\": \"b\", \"joint\": \"revolute\", \"beam\": {\"length\": 1" more "}}"
#define PULLED(tendon)                                                                             \
    SCENE(CHAIN(ROD("u", "") "," ROD("l", ""), ", \"tendons\": [" tendon "]"), "")

static plWorld* worldOf(const char* text)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    plScene_Destroy(scene);
    return world;
}

static void beamOfASceneHasItsModes(void** state)
{
    (void)state;
    plWorld* world = worldOf(
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [2, 1], \"bending\": [3, 4], \"damping\": 0.1, "
                         "\"start\": [0.1, 0.2, 0.3], \"velocity\": [1, 2, 3]"),
                    ""),
              ""));
    const plMechanismId id = plWorld_Mechanism(world, 0);
    double q[4], v[4], M[16];
    assert_int_equal(plWorld_VelocityCount(world, id), 4);
    assert_int_equal(plWorld_State(world, id, q, v), pl_statusOk);
    assert_int_equal(plWorld_Inertia(world, id, M, NULL), pl_statusOk);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(q[1 + k] - 0.1 * (k + 1)) < 1e-15);
        assert_true(fabs(v[1 + k] - (k + 1)) < 1e-12); // through the factor of the mass
        assert_true(fabs(M[5 * (1 + k)] - 2) < 1e-15);
    }
    plWorld_Destroy(world);
}

// The motor goes by at most 1 rad/s: after 0.1 s the free tendon's energy is k (r theta)^2/2.
static void motorOfASceneGoesToItsCommand(void** state)
{
    (void)state;
    plWorld* world = worldOf(PULLED("{\"J\": [0, 0], \"stiffness\": 100, \"radius\": 0.1, "
                                    "\"command\": -2, \"speed\": 1}"));
    const double before = plWorld_Ledger(world).potential;
    for (int k = 0; k < 100; k++) plWorld_Step(world, 1e-3);
    const plAccount a = plWorld_Ledger(world);
    assert_true(fabs(a.applied - 0.5 * 100 * 0.01 * 0.01) < 1e-15);
    assert_true(fabs(a.kinetic + a.potential - before - a.applied) < 1e-11);
    plWorld_Destroy(world);
}

static void sceneOfTheFingerCloses(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    double q[3];
    assert_int_equal(plScene_Load("scenes/finger.json", NULL, 0, &scene, &error), pl_statusOk);
    plWorld* world = create(scene);
    for (int k = 0; k < 4000; k++) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 0), q, NULL), pl_statusOk);
    assert_true(plWorld_ContactCount(world) >= 2);
    for (int i = 0; i < 3; i++) assert_true(q[i] > 0.4);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static const Mistake mistakes[] = {
    {SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [2, 1]"), ""), ""),
     "mechanisms[0].bodies[0].beam: expected either \"bending\" or \"frequencies\""},
    {SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [2, 1], \"bending\": [1, 1], "
                      "\"frequencies\": [1, 2, 3]"),
                 ""),
           ""),
     "mechanisms[0].bodies[0].beam: expected either \"bending\" or \"frequencies\""},
};

static void mistakesInBeamsAreTold(void** state)
{
    (void)state;
    expectMistakes(mistakes, sizeof mistakes / sizeof(Mistake));
    static const char* const texts[] = {
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [65, 0], \"bending\": [1, 1]"), ""), ""),
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [1.5, 0], \"bending\": [1, 1]"), ""), ""),
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": 3, \"bending\": [1, 1]"), ""), ""),
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [1, 0], \"bending\": [0, 1]"), ""), ""),
        SCENE(CHAIN(BEAM(", \"mass\": 2, \"modes\": [2, 0], \"bending\": [1, 1], \"start\": [1]"),
                    ""),
              ""),
        SCENE(CHAIN(BEAM(", \"modes\": [2, 0], \"bending\": [1, 1]"), ""), ""),
        PULLED("{\"J\": [1], \"stiffness\": 1}"),
        PULLED("{\"J\": [1, 0]}"),
        PULLED("{\"J\": [1, 0], \"stiffness\": -1}"),
        PULLED("{\"J\": [1, 0], \"stiffness\": 1, \"speed\": 0}"),
        PULLED("3"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        plSceneError error = errorOf(texts[i], NULL);
        assert_non_null(strstr(error.message, "mechanisms[0]"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beamOfASceneHasItsModes),
        cmocka_unit_test(motorOfASceneGoesToItsCommand),
        cmocka_unit_test(sceneOfTheFingerCloses),
        cmocka_unit_test(mistakesInBeamsAreTold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
