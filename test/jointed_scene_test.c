// Jointed assemblies and links with free axes in scenes.
#include "scene_text.h"

#include <math.h>

#define RODY(name, more)                                                                           \
    "{\"name\": \"" name "\", \"mass\": 0.2, \"inertia\": [1e-4, 1.5e-3, 1.5e-3]" more "}"
#define JOINTED(bodies, joints)                                                                    \
    "{\"type\": \"jointed\", \"name\": \"j\",\n\"bodies\": [" bodies "],\n\"joints\": [" joints "]}"
#define HINGE(more) "{\"name\": \"h\", \"type\": \"revolute\", \"a\": \"rod\"" more "}"
#define GUIDE(more) "{\"name\": \"g\", \"type\": \"guide\", \"a\": \"rod\", \"frameA\": {}" more "}"
#define ROD1 RODY("rod", ", \"position\": [0.15, 0, 0]")

static plWorld* worldOf(const char* text)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    plScene_Destroy(scene);
    return world;
}

// By the frame of the world, and by frames of its own: the same pendulum to the last bit.
static void jointOfASceneIsClosedWhereItStands(void** state)
{
    (void)state;
    const char* const joints[2] = {
        SCENE(JOINTED(ROD1, HINGE(", \"at\": [0, 0, 0], \"axis\": [0, 1, 0]")), ""),
        SCENE(JOINTED(ROD1, HINGE(", \"frameA\": {\"position\": [-0.15, 0, 0], \"orientation\": "
                                  "{\"axis\": [1, 0, 0], \"angle\": -1.5707963267948966}}, "
                                  "\"frameB\": {\"orientation\": {\"axis\": [1, 0, 0], \"angle\": "
                                  "-1.5707963267948966}}")),
              "")};
    double q[2][7];
    for (int i = 0; i < 2; i++) {
        plWorld* world = worldOf(joints[i]);
        const plMechanismId id = plWorld_Mechanism(world, 0);
        assert_string_equal(plWorld_MechanismType(world, id), "jointed");
        assert_int_equal(plWorld_JointCount(world, id), 1);
        for (int k = 0; k < 100; k++) plWorld_Step(world, 1e-3);
        plWorld_State(world, id, q[i], NULL);
        assert_true(q[i][2] < -0.01); // it falls
        plWorld_Destroy(world);
    }
    for (int i = 0; i < 7; i++) assert_true(fabs(q[0][i] - q[1][i]) < 1e-15);
}

static void springsOfAJointAreRead(void** state)
{
    (void)state;
    plWorld* world = worldOf(
        SCENE(JOINTED(ROD1, "{\"name\": \"c\", \"type\": \"cylindrical\", \"a\": \"rod\", "
                            "\"axis\": [0, 1, 0], \"stiffness\": [2, 30], \"rest\": [0.5, 0.1]}"),
              ", \"gravity\": [0, 0, 0]"));
    const plAccount a = plWorld_Ledger(world);
    assert_true(fabs(a.potential - 0.5 * (2 * 0.25 + 30 * 0.01)) < 1e-14);
    plWorld_Destroy(world);
}

static void checkScene(const char* file)
{
    plScene* scene;
    plSceneError error;
    assert_int_equal(plScene_Load(file, NULL, 0, &scene, &error), pl_statusOk);
    plWorld* world = create(scene);
    const plMechanismId id = plWorld_Mechanism(world, 0);
    double c, rate;
    for (int k = 0; k < 1000; k++) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_JointError(world, id, &c, &rate), pl_statusOk);
    assert_true(c < 1e-12 && rate < 1e-11);
    assert_int_equal(plWorld_Report(world).trouble, 0);
    assert_true(plWorld_Ledger(world).worst < 1e-14);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void scenesOfTheFourBarAndTheBeadRun(void** state)
{
    (void)state;
    checkScene("scenes/four-bar.json");
    checkScene("scenes/bead.json");
}

// A sphere of patches, stretched and turned: the ellipsoid 0.2, 0.1, 0.1 m with its long axis upwards.
static void guideOfASceneIsAShapeInTheFrameOfTheJoint(void** state)
{
    (void)state;
    plWorld* world = worldOf(SCENE(
        JOINTED(
            RODY("rod", ", \"position\": [1, 0.0006, 2.1999]"),
            GUIDE(", \"frameB\": {\"position\": [1, 0, 2]}, \"guide\": \"patches\", "
                  "\"surface\": {\"type\": \"nurbs\", \"surface\": \"sphere\", \"radius\": 0.1, "
                  "\"stretch\": [2, 1, 1], \"orientation\": {\"axis\": [0, 1, 0], \"angle\": "
                  "1.5707963267948966}}")),
        ""));
    const plMechanismId id = plWorld_Mechanism(world, 0);
    double q[7], c, rate;
    for (int k = 0; k < 800; k++) plWorld_Step(world, 1e-3);
    plWorld_State(world, id, q, NULL);
    const double y = q[1] / 0.1, z = (q[2] - 2) / 0.2;
    assert_int_equal(plWorld_JointError(world, id, &c, &rate), pl_statusOk);
    assert_true(c < 1e-12 && rate < 1e-11);
    assert_true(fabs(y * y + z * z - 1) < 1e-12 && fabs(q[0] - 1) < 1e-9);
    assert_true(z < 0.9); // it has slid down
    plWorld_Destroy(world);
}

static void linksWithFreeAxesAreRead(void** state)
{
    (void)state;
    plWorld* world = worldOf(
        SCENE(BALL("ball", "") "," BALL("other", ", \"position\": [0, 0, 1]"),
              ", \"links\": [{\"name\": \"hinge\", \"a\": {\"mechanism\": \"ball\"}, \"b\": "
              "\"ground\", \"stiffness\": 100, \"turns\": true, \"turnStiffness\": 10, \"hinge\": "
              "[0, 1, 0]}, {\"name\": \"string\", \"a\": {\"mechanism\": \"other\"}, \"b\": "
              "\"ground\", \"stiffness\": 100, \"distance\": 0.9}]"));
    assert_true(fabs(plWorld_Ledger(world).potential - 0.5 * 100 * 0.01 - 9.81) < 1e-12);
    plWorld_Destroy(world);
}

static void mistakesAreToldWhereTheyStand(void** state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {SCENE(JOINTED(ROD1, HINGE(", \"b\": \"beam\"")), ""),
         "a.json:3: mechanisms[0].joints[0].b: found \"beam\", expected the name of a body of this "
         "assembly, or \"ground\""},
        {SCENE(JOINTED(ROD1, HINGE(", \"length\": 1")), ""),
         "a.json:3: mechanisms[0].joints[0].length: found in a joint of type \"revolute\", "
         "expected "
         "in \"distance\" only"},
        {SCENE(JOINTED(ROD1, HINGE(", \"axis\": [0, 1, 0], \"orientation\": [1, 0, 0, 0]")), ""),
         "a.json:3: mechanisms[0].joints[0].axis: found beside \"orientation\", expected one of "
         "the "
         "two"},
        {SCENE(JOINTED(ROD1, HINGE(", \"stiffness\": -1")), ""),
         "a.json:3: mechanisms[0].joints[0].stiffness: found -1, expected numbers >= 0"},
        {SCENE(JOINTED(ROD1 "," ROD1, ""), ""), "a.json:2: mechanisms[0].bodies[1].name: found "
                                                "\"rod\", expected a name that is not taken"},
        {SCENE(JOINTED("{\"name\": \"rod\", \"mass\": 1}", ""), ""),
         "a.json:2: mechanisms[0].bodies[0]: missing \"inertia\", expected \"mass\" and "
         "\"inertia\", or \"density\" and \"shapes\""},
        {SCENE("{\"type\": \"jointed\", \"name\": \"j\", \"integrator\": \"midpoint\", \"bodies\": "
               "[" ROD1 "]}",
               ""),
         "a.json:1: mechanisms[0].integrator: found \"midpoint\", expected one of \"runge-kutta\""},
        {SCENE(
             JOINTED(ROD1, HINGE(", \"axis\": [0, 1, 0], \"frameB\": {\"position\": [0, 0, 0.1]}")),
             ""),
         "a.json:1: mechanisms[0]: the ends of a joint are apart: place them together"},
        {SCENE(JOINTED(ROD1, GUIDE(", \"guide\": \"patches\"")), ""),
         "a.json:3: mechanisms[0].joints[0].surface: missing, expected a shape of the type "
         "\"nurbs\""},
        {SCENE(JOINTED(ROD1, GUIDE(", \"surface\": {}")), ""),
         "a.json:3: mechanisms[0].joints[0].surface: found, expected beside \"guide\": "
         "\"patches\" only"},
        {SCENE(JOINTED(ROD1, HINGE(", \"surface\": {}")), ""),
         "a.json:3: mechanisms[0].joints[0].surface: found in a joint of type \"revolute\", "
         "expected in \"guide\" only"},
        {SCENE(JOINTED(ROD1, GUIDE(", \"guide\": \"patches\", \"surface\": {\"type\": "
                                   "\"sphere\", \"radius\": 1}")),
               ""),
         "a.json:3: mechanisms[0].joints[0].surface.type: found \"sphere\", expected \"nurbs\" of "
         "a guide"},
        {SCENE(JOINTED(ROD1, GUIDE(", \"guide\": \"patches\", \"surface\": {\"type\": "
                                   "\"nurbs\", \"surface\": \"sphere\", \"radius\": 1, \"mask\": "
                                   "0}")),
               ""),
         "a.json:3: mechanisms[0].joints[0].surface.mask: found in a guide, which nothing touches"},
        {SCENE(JOINTED(ROD1, GUIDE(", \"guide\": \"patches\", \"surface\": {\"type\": "
                                   "\"nurbs\", \"surface\": \"sphere\", \"radius\": 1}")),
               ""),
         "a.json:1: mechanisms[0]: the ends of a joint are apart: place them together"},
        {SCENE("", ", \"ground\": {\"shapes\": [{\"type\": \"nurbs\", \"file\": "
                   "\"scenes/knob.igs\"}]}"),
         "a.json:1: ground.shapes[0].inward: missing: \"scenes/knob.igs\" is open and does not "
         "tell which side of it is solid, expected true (S_u x S_v points into it) or false"},
        {SCENE(BALL("ball", ""),
               ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"ball\"}, \"b\": "
               "\"ground\", \"stiffness\": 1, \"hinge\": [0, 0, 1]}]"),
         "a.json:1: links[0].hinge: found in a link that does not hold orientations, expected "
         "\"turns\": true beside it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(errorOf(cases[i].text, NULL).message, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jointOfASceneIsClosedWhereItStands),
        cmocka_unit_test(springsOfAJointAreRead),
        cmocka_unit_test(scenesOfTheFourBarAndTheBeadRun),
        cmocka_unit_test(guideOfASceneIsAShapeInTheFrameOfTheJoint),
        cmocka_unit_test(linksWithFreeAxesAreRead),
        cmocka_unit_test(mistakesAreToldWhereTheyStand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
