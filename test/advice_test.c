// Warnings of everything in a scene that has no effect: pairs of shapes without contacts, bodies without shapes,
// materials that no shape has. What of couplings is warned of: passive_limit_test, coupling_scene_test.
#define _POSIX_C_SOURCE 200809L

#include "gallery.h"
#include "scene_text.h"

#define MESH(more) SHAPE("mesh", ", \"file\": \"test/fuzz/corpus/mesh_fuzz/tetrahedron.obj\"" more)
#define TETRA MESH("")
#define TORUS SHAPE("nurbs", ", \"surface\": \"torus\", \"radius\": 0.1, \"tube\": 0.02")
#define MADE(name, shapes, more) BALL(name, SHAPES(shapes) more)
#define JELLY                                                                                      \
    "{\"type\": \"soft\", \"name\": \"jelly\", \"mesh\": {\"box\": {\"counts\": [1, 1, 1], "       \
    "\"lo\": [0, 0, 0], \"hi\": [0.04, 0.04, 0.04]}}, \"E\": 1e5, \"nu\": 0.4, \"density\": "      \
    "1000, \"model\": \"dynamic\", \"held\": {\"hi\": [null, null, 1e-4]}}"

/// Expects this one warning, or with null none.
static void expectAdvice(const char* text, const char* words)
{
    char told[512], next[512];
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    const int length = plWorld_Advice(world, 0, told, sizeof told);
    if (words && length == 0) fail_msg("no warning, expected %s", words);
    if (!words && length > 0) fail_msg("expected no warning, found %s", told);
    if (words && !strstr(told, words)) fail_msg("expected %s, found %s", words, told);
    if (words && plWorld_Advice(world, 1, next, sizeof next) > 0)
        fail_msg("expected one warning, found also %s", next);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void pairsWithoutContactsAreTold(void** state)
{
    (void)state;
    expectAdvice(SCENE(MADE("nut", TETRA, ""), GROUND(TETRA)),
                 "the ground (mesh) and nut (mesh) pass through each other: contacts of these");
    expectAdvice(SCENE(MADE("a", TETRA, "") "," MADE("b", TETRA, "") "," MADE("c", TETRA, ""), ""),
                 "a (mesh) and b (mesh) pass through each other, and 2 more such pairs:");
    expectAdvice(SCENE(MADE("ring", TORUS, ""), GROUND(TETRA)),
                 "the ground (mesh) and ring (sculpted surface) pass through");
    expectAdvice(SCENE(JELLY, GROUND(TETRA) ", \"law\": \"cone\""),
                 "the ground (mesh) and jelly (soft body) pass through");
}

// What touches, what never moves, and what was excluded on purpose.
static void pairsThatNeedNoContactsAreNotTold(void** state)
{
    (void)state;
    expectAdvice(SCENE(MADE("ball", ROUND, ""), GROUND(TETRA)), NULL);
    expectAdvice(SCENE(MADE("ball", ROUND, ""), GROUND(TETRA "," TETRA)), NULL);
    expectAdvice(SCENE(MADE("nut", TETRA "," TETRA, ""), GROUND(SHAPE("plane", ""))), NULL);
    expectAdvice(SCENE(MADE("nut", TETRA, ""), GROUND(MESH(", \"mask\": 0"))), NULL);
    expectAdvice(
        SCENE(MADE("nut", TETRA, ""),
              GROUND(TETRA) ", \"ignore\": [{\"a\": {\"mechanism\": \"nut\"}, \"b\": \"ground\"}]"),
        NULL);
}

static void bodiesWithoutShapesAreTold(void** state)
{
    (void)state;
    expectAdvice(SCENE(BALL("ghost", ""), GROUND(SHAPE("plane", ""))),
                 "ghost touches nothing: neither it nor anything that is linked to it has a shape");
    expectAdvice(SCENE(BALL("ghost", ""), ""), NULL); // nothing has a shape
    expectAdvice(SCENE(BALL("ghost", "") "," MADE("ball", ROUND, ""),
                       GROUND(SHAPE("plane", "")) ", \"links\": [{\"name\": \"l\", \"a\": "
                                                  "{\"mechanism\": \"ghost\"}, \"b\": "
                                                  "{\"mechanism\": \"ball\"}, \"stiffness\": 10}]"),
                 NULL);
}

static void unusedMaterialsAreTold(void** state)
{
    (void)state;
#define MATERIALS                                                                                  \
    ", \"materials\": [{\"name\": \"ice\", \"friction\": 0}, {\"name\": \"rubber\", "              \
    "\"friction\": 1}]"
    expectAdvice(SCENE(MADE("ball", SHAPE("sphere", ", \"radius\": 1, \"material\": \"ice\""), ""),
                       GROUND(SHAPE("plane", "")) MATERIALS),
                 "no shape has the material rubber: it has no effect");
    expectAdvice(SCENE(MADE("ball", SHAPE("sphere", ", \"radius\": 1, \"material\": \"ice\""), ""),
                       GROUND(SHAPE("plane", ", \"material\": \"rubber\"")) MATERIALS),
                 NULL);
}

/// Scenes that warn for a reason. teapot: a softer coupling lets the pot's guard act. tendon-hand: a figure has its
/// gains. pantograph-passive: the pantograph has no damping, so that no gain is passive by itself. wall: an active one, to
/// show what palp passivity says of it.
static bool hasReason(const char* path)
{
    return strstr(path, "/teapot.json") || strstr(path, "/tendon-hand.json") ||
           strstr(path, "/pantograph-passive.json") || strstr(path, "/wall.json");
}

static void checkScene(const char* path)
{
    char told[512];
    plScene* scene;
    assert_int_equal(plScene_Load(path, NULL, 0, &scene, NULL), pl_statusOk);
    plWorld* world = create(scene);
    if (!hasReason(path) && plWorld_Advice(world, 0, told, sizeof told) > 0)
        fail_msg("%s: %s", path, told);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void scenesOfTheGalleryWarnOfNothing(void** state)
{
    (void)state;
    assert_true(everyScene(false, checkScene) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairsWithoutContactsAreTold),
        cmocka_unit_test(pairsThatNeedNoContactsAreNotTold),
        cmocka_unit_test(bodiesWithoutShapesAreTold),
        cmocka_unit_test(unusedMaterialsAreTold),
        cmocka_unit_test(scenesOfTheGalleryWarnOfNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
