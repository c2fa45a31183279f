// Scenes with soft bodies: what a scene says of them is in the world, and mistakes are told.
#define _POSIX_C_SOURCE 200809L

#include "palp/soft.h"
#include "scene_text.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static void checkNear(const char* what, double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, actual, expected, tolerance);
}

#define BOX                                                                                        \
    "\"mesh\": {\"box\": {\"counts\": [2, 1, 1], \"lo\": [0, 0, 0], \"hi\": [0.2, 0.1, 0.1]}}"
#define SOFT(more) "{\"type\": \"soft\", \"name\": \"s\", " more "}"
#define FLOAT ", \"gravity\": [0, 0, 0]"

static plWorld* worldOf(const char* text, plMechanismId* id)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    plScene_Destroy(scene);
    *id = plWorld_Mechanism(world, 0);
    return world;
}

static plSoftInfo infoOf(const char* text)
{
    plMechanismId id;
    plWorld* world = worldOf(text, &id);
    plSoftInfo info;
    assert_int_equal(plWorld_SoftInfo(world, id, 1e-3, &info), pl_statusOk);
    plWorld_Destroy(world);
    return info;
}

// --- what is there

static void everyMeshHasItsSizeAndMass(void** state)
{
    (void)state;
    const struct {
        const char* mesh;
        int nodes, tets;
        double mass; ///< [kg] at 1000 kg/m^3; 0: not known in closed form
    } cases[] = {
        {BOX, 12, 12, 2},
        {"\"mesh\": {\"box\": {\"counts\": [1, 1, 1], \"lo\": [0, 0, 0], \"hi\": [1, 1, 1]}, "
         "\"mirror\": [\"x\", \"y\"]}",
         18, 24, 4000},
        {"\"mesh\": {\"bar\": {\"length\": 0.1, \"side\": 0.02, \"across\": 1}}", 24, 30, 0.04},
        {"\"mesh\": {\"table\": {}}", 371, 960, 1.44},
        {"\"mesh\": {\"clip\": {}}", 393, 1152, 15. / 950},
        {"\"mesh\": {\"pipe\": {\"sectors\": 4, \"lengthCells\": 1}}", 16, 24,
         2 * (1e-4 - 0.81e-4) * 0.04 * 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text, SCENE(SOFT("%s"), ""), cases[i].mesh);
        const plSoftInfo info = infoOf(text);
        print_message("%d nodes, %d tetrahedra, %.9g kg, %.6g rad/s\n", info.nodes, info.tets,
                      info.rigid.mass, info.omega);
        assert_int_equal(info.nodes, cases[i].nodes);
        assert_int_equal(info.tets, cases[i].tets);
        checkNear("mass", info.rigid.mass, cases[i].mass, 1e-6 * cases[i].mass);
    }
}

static void meshesOfFilesAreFoundBesideTheScene(void** state)
{
    (void)state;
    char folder[] = "/tmp/palp-soft-XXXXXX", mesh[64], file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/one.txt", folder);
    snprintf(file, sizeof file, "%s/a.json", folder);
    FILE* out = fopen(mesh, "w");
    assert_non_null(out);
    fputs("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 3\n", out);
    fclose(out);
    out = fopen(file, "w");
    assert_non_null(out);
    fputs(SCENE(SOFT("\"mesh\": {\"file\": \"one.txt\", \"scale\": 0.3}"), ""), out);
    fclose(out);
    plScene* scene;
    plSceneError error;
    plSoftInfo info;
    if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    plWorld* world = create(scene);
    plWorld_SoftInfo(world, plWorld_Mechanism(world, 0), 1e-3, &info);
    checkNear("mass", info.rigid.mass, 1000 * 0.027 / 6, 1e-12);
    assert_non_null(strstr(plScene_Text(scene), mesh)); // what is recorded has the whole path
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    out = fopen(mesh, "w");
    fputs("4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 x\n", out);
    fclose(out);
    assert_int_not_equal(plScene_Load(file, NULL, 0, &scene, &error), pl_statusOk);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "mechanisms[0].mesh.file: one.txt:5: "));
    unlink(mesh);
    unlink(file);
    rmdir(folder);
}

static void matterReachesTheBody(void** state)
{
    (void)state;
    const plSoftInfo one = infoOf(SCENE(SOFT(BOX), "")),
                     stiff = infoOf(SCENE(SOFT(BOX ", \"E\": 4e6"), "")),
                     heavy = infoOf(SCENE(SOFT(BOX ", \"density\": 4000"), "")),
                     shared = infoOf(SCENE(SOFT(BOX ", \"massModel\": \"consistent\""), "")),
                     thick = infoOf(SCENE(SOFT(BOX ", \"nu\": 0.45"), ""));
    checkNear("four times the stiffness", stiff.omega / one.omega, 2, 1e-9);
    checkNear("four times the mass", heavy.omega / one.omega, 0.5, 1e-9);
    checkNear("mass", heavy.rigid.mass, 8, 1e-9);
    assert_true(shared.rigid.inertia.x.x < one.rigid.inertia.x.x);
    assert_true(fabs(thick.omega / one.omega - 1) > 1e-3);
}

static void nodesAreChosenByBoxesAndLists(void** state)
{
    (void)state;
    const struct {
        const char* candidates;
        int count;
    } cases[] = {{"{\"lo\": [0.15, null, null]}", 4},
                 {"{\"lo\": [0.05, 0.05, null], \"hi\": [0.15, null, null]}", 2},
                 {"[0, 3, 7]", 3},
                 {"[0, {\"lo\": [0.15, null, null]}]", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text, SCENE(SOFT(BOX ", \"candidates\": %s"), ""),
                 cases[i].candidates);
        assert_int_equal(infoOf(text).candidates, cases[i].count);
    }
    assert_int_equal(infoOf(SCENE(SOFT(BOX), "")).candidates, 12);
}

static void heldBodiesHang(void** state)
{
    (void)state;
    plMechanismId id;
    plWorld* world = worldOf(SCENE(SOFT(BOX ", \"model\": \"dynamic\", \"alpha\": 20, \"held\": "
                                            "{\"hi\": [0.01, null, null]}"),
                                   ""),
                             &id);
    plVec3 x[12];
    for (int i = 0; i < 2000; ++i) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble, 0);
    plWorld_SoftPoints(world, id, x);
    double lowest = 0, wall = 0;
    for (int i = 0; i < 12; ++i) {
        lowest = fmin(lowest, x[i].z);
        if (fabs(x[i].x) < 1e-12) wall = fmax(wall, fabs(x[i].z * (x[i].z - 0.1)));
    }
    print_message("hangs by %.3g m\n", -lowest);
    assert_true(lowest < -1e-4 && lowest > -0.05);
    checkNear("the wall", wall, 0, 1e-12);
    plWorld_Destroy(world);
}

// --- places

#define WEIGHT BALL("w", ", \"position\": [9, 9, 9]")

/// A link from a point of the mesh to where that point is: nothing pulls.
static void pointsOfPlacesAreThoseOfTheMesh(void** state)
{
    (void)state;
    const char* const texts[] = {
        SCENE(SOFT(BOX ", \"position\": [1, 2, 3]") "," WEIGHT, FLOAT
              ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"s\", \"point\": [0.2, "
              "0.1, 0]}, \"b\": {\"ground\": [1.2, 2.1, 3]}, \"stiffness\": 100}]"),
        SCENE(SOFT(BOX ", \"model\": \"dynamic\", \"position\": [1, 2, 3]") "," WEIGHT,
              FLOAT ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"s\", \"part\": "
                    "\"surface\", \"point\": [0.3, 0.05, 0.05]}, \"b\": {\"mechanism\": \"w\", "
                    "\"point\": [-7.8, -6.95, -5.95]}, \"stiffness\": 100}]"),
    };
    for (int i = 0; i < 2; ++i) {
        plMechanismId id;
        plWorld* world = worldOf(texts[i], &id);
        plChannel channel;
        plWorld_Step(world, 1e-3);
        for (int k = 0; k < 3; ++k) {
            char name[32];
            snprintf(name, sizeof name, "l.force[%d]", k);
            assert_int_equal(plWorld_FindChannel(world, name, &channel), pl_statusOk);
            checkNear(name, plWorld_ReadChannel(world, channel), 0, 1e-11);
        }
        assert_int_equal(plWorld_LinkKind(world, plWorld_Link(world, 0)), pl_linkImplicit);
        plWorld_Destroy(world);
    }
}

static void capacityHasRoomForContacts(void** state)
{
    (void)state;
    plScene* scene = parse(
        SCENE(SOFT(BOX ", \"velocity\": [0, 0, -0.1]"), GROUND("{\"type\": \"plane\"}")), NULL);
    const plWorldCapacity c = plScene_Capacity(scene);
    plWorld* world = create(scene);
    assert_int_equal(c.softFaces, 20);
    assert_int_equal(c.softNodes, 12);
    assert_true(c.rows >= 3 * 32 && c.contacts >= 32);
    for (int i = 0; i < 200; ++i) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble, 0);
    assert_int_equal(plWorld_ContactCount(world), 6);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void softReachIsRead(void** state)
{
    (void)state;
    int found[2];
    for (int i = 0; i < 2; ++i) {
        plScene* scene = parse(
            SCENE(SOFT(BOX ", \"position\": [0, 0, 1e-3]"), FLOAT GROUND("{\"type\": \"plane\"}")),
            i == 0 ? "contact={\"softReach\": 1e-4}" : "contact={\"softReach\": 2e-3}");
        plWorld* world = create(scene);
        plWorld_Step(world, 1e-6);
        found[i] = plWorld_ContactCount(world);
        plWorld_Destroy(world);
        plScene_Destroy(scene);
    }
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], 6);
}

// --- mistakes

#define AT "mechanisms[0]"

static const Mistake bodies[] = {
    {SCENE(SOFT("\"E\": 1"), ""),
     AT ": missing \"mesh\", expected a file of tetrahedra, or sizes of one that is made"},
    {SCENE(SOFT(BOX ", \"nu\": 0.5"), ""), AT ".nu: found 0.5, expected a number > -1 and < 0.5"},
    {SCENE(SOFT(BOX ", \"integrator\": \"midpoint\""), ""),
     AT ".integrator: found \"midpoint\", expected \"implicit\" for the model \"corotational\""},
    {SCENE(SOFT(BOX ", \"model\": \"dynamic\", \"integrator\": \"explicit\""), ""),
     AT ".integrator: found \"explicit\", expected \"implicit\" or \"midpoint\""},
    {SCENE(SOFT(BOX ", \"alpha\": 1"), ""),
     AT ".alpha: found in a body of the model \"corotational\", which has no use for it"},
    {SCENE(SOFT(BOX ", \"model\": \"dynamic\", \"step\": 0.002"), ""),
     AT ".step: found 0.002, expected 0.001, the step of the scene"},
    {SCENE(SOFT(BOX ", \"model\": \"dynamic\""), ", \"rate\": 500"),
     AT ".model: found \"dynamic\" in a scene with a rate of 500 Hz, expected one over its step, "
        "1000 Hz"},
    {SCENE(SOFT(BOX ", \"model\": \"dynamic\""), ", \"step\": {\"min\": 0.001, \"max\": 0.002}"),
     AT ".model: found \"dynamic\" in a scene of random steps, expected a scene with one step"},
    {SCENE(SOFT(BOX ", \"material\": \"felt\""), ""),
     AT ".material: found \"felt\", expected the name of a material"},
    {SCENE(SOFT(BOX), ", \"planar\": true"),
     AT ".type: found \"soft\" in a planar scene: soft bodies leave the plane"},
};

static void mistakesInSoftBodiesAreTold(void** state)
{
    (void)state;
    expectMistakes(bodies, sizeof bodies / sizeof *bodies);
}

static const Mistake meshes[] = {
    {SCENE(SOFT("\"mesh\": {}"), ""),
     AT ".mesh: expected one of \"file\", \"box\", \"bar\", \"table\", \"clip\" and \"pipe\""},
    {SCENE(SOFT("\"mesh\": {\"clip\": {}, \"bar\": {}}"), ""),
     AT ".mesh: expected one of \"file\", \"box\", \"bar\", \"table\", \"clip\" and \"pipe\""},
    {SCENE(SOFT("\"mesh\": {\"clip\": {}, \"scale\": 2}"), ""),
     AT ".mesh.scale: found without \"file\", expected beside it"},
    {SCENE(SOFT("\"mesh\": {\"clip\": {\"tipAngle\": 4}}"), ""),
     AT ".mesh.clip: found sizes that do not fit together, expected those of a solid"},
    {SCENE(SOFT("\"mesh\": {\"box\": {\"counts\": [1, 1.5, 1], \"lo\": [0, 0, 0], \"hi\": [1, 1, "
                "1]}}"),
           ""),
     AT ".mesh.box.counts: found an array of 3, expected integers from 1 to 1000"},
    {SCENE(SOFT("\"mesh\": {\"box\": {\"counts\": [1, 1, 1], \"lo\": [0, 0, 0], \"hi\": [1, 0, "
                "1]}}"),
           ""),
     AT ".mesh.box: found sizes that do not fit together, expected those of a solid"},
    {SCENE(SOFT("\"mesh\": {\"bar\": {}, \"mirror\": \"w\"}"), ""),
     AT ".mesh.mirror: found \"w\", expected \"x\", \"y\" or \"z\", or an array of them"},
    {SCENE(SOFT(BOX ", \"held\": 1"), ""),
     AT ".held: found 1, expected a box of \"lo\" and \"hi\", or an array of nodes and boxes"},
    {SCENE(SOFT(BOX ", \"held\": [12]"), ""),
     AT ".held[0]: found 12, expected a box, or a node from 0 to 11"},
    {SCENE(SOFT(BOX ", \"held\": {\"lo\": [1, 1, 1]}"), ""),
     AT ".held: found no node there, expected at least one"},
    {SCENE(
         SOFT("\"mesh\": {\"box\": {\"counts\": [2, 2, 2], \"lo\": [0, 0, 0], \"hi\": [1, 1, 1]}}, "
              "\"candidates\": [7]"),
         ""),
     AT ".candidates[0]: found 7, expected a node of the surface"},
    {SCENE(SOFT("\"mesh\": {\"box\": {\"counts\": [20, 20, 20], \"lo\": [0, 0, 0], \"hi\": [1, 1, "
                "1]}}"),
           ""),
     AT ".candidates: found 2402 nodes that can be touched, expected at most 2000: name those that "
        "matter"},
};

static void mistakesInMeshesAndNodesAreTold(void** state)
{
    (void)state;
    expectMistakes(meshes, sizeof meshes / sizeof *meshes);
}

#define LINK(place)                                                                                \
    ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"s\"" place                           \
    "}, \"b\": \"ground\", \"stiffness\": 1}]"

static const Mistake places[] = {
    {SCENE(SOFT(BOX), LINK(", \"part\": \"top\"")),
     "links[0].a.part: found \"top\", expected \"surface\", or no part for the frame of the soft "
     "body"},
    {SCENE(SOFT(BOX ", \"model\": \"dynamic\""), LINK("")),
     "links[0].a.mechanism: found \"s\", whose nodes move by themselves and which has no frame: "
     "expected \"part\": \"surface\" beside it"},
    {SCENE(SOFT(BOX), ", \"capacity\": {\"softNodes\": 11}"),
     "capacity.softNodes: found 11, expected at least 12 for this scene"},
};

static void mistakesInPlacesAndCapacitiesAreTold(void** state)
{
    (void)state;
    expectMistakes(places, sizeof places / sizeof *places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyMeshHasItsSizeAndMass),
        cmocka_unit_test(meshesOfFilesAreFoundBesideTheScene),
        cmocka_unit_test(matterReachesTheBody),
        cmocka_unit_test(nodesAreChosenByBoxesAndLists),
        cmocka_unit_test(heldBodiesHang),
        cmocka_unit_test(pointsOfPlacesAreThoseOfTheMesh),
        cmocka_unit_test(capacityHasRoomForContacts),
        cmocka_unit_test(softReachIsRead),
        cmocka_unit_test(mistakesInSoftBodiesAreTold),
        cmocka_unit_test(mistakesInMeshesAndNodesAreTold),
        cmocka_unit_test(mistakesInPlacesAndCapacitiesAreTold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
