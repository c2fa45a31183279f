// Scenes with contacts: shapes, surfaces, densities, grids and ignored pairs are in the world as the
// scene says.
#define _POSIX_C_SOURCE 200809L

#include "contact/contact.h"
#include "scene_text.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/palp-scene-XXXXXX";

static const char* inFolder(const char* name)
{
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void checkNear(const char* what, double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, actual, expected, tolerance);
}

/// A scene that floats: what is found in a short tick is what was placed.
#define FLOATING ", \"gravity\": [0, 0, 0]"
static const double tick = 1e-6;

static plWorld* worldOf(const char* text)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    plScene_Destroy(scene);
    return world;
}

/// The deepest contact after a tick. False: there is none.
static bool deepest(plWorld* world, plContactInfo* out)
{
    plContactInfo info;
    bool any = false;
    plWorld_Step(world, tick);
    int count = plWorld_ContactCount(world);
    for (int i = 0; i < count; i++) {
        assert_int_equal(plWorld_Contact(world, i, &info), pl_statusOk);
        if (!any || info.gap < out->gap) *out = info;
        any = true;
    }
    return any;
}

/// Contacts that press: a law may ask for some at a positive gap too.
static bool touches(const char* text)
{
    plContactInfo info;
    plWorld* world = worldOf(text);
    bool found = deepest(world, &info) && info.gap < 0;
    plWorld_Destroy(world);
    return found;
}

// ----------------------------------------------------------------------------------- shapes

#define CUBE "test/fuzz/corpus/mesh_fuzz/cube.obj"
#define SLAB GROUND(SHAPE("box", ", \"half\": [3, 3, 1], \"position\": [0, 0, -1]"))

/// One shape each; its lowest point is 1 m below the body's origin.
static const char* const oneMetreDown[] = {
    SHAPE("sphere", ", \"radius\": 0.75, \"position\": [0, 0, -0.25]"),
    SHAPE("capsule", ", \"radius\": 0.25, \"length\": 1.5, \"orientation\": {\"axis\": [0, 1, 0], "
                     "\"angle\": 1.5707963267948966}"),
    SHAPE("box", ", \"half\": [0.1, 1, 0.2], \"orientation\": {\"axis\": [1, 0, 0], "
                 "\"angle\": 1.5707963267948966}"),
    SHAPE("polygon", ", \"points\": [[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], \"thickness\": 2"),
    SHAPE("polygon", ", \"points\": [[-0.5, -0.5], [0.5, -0.5], [0, 0.5]], \"position\": "
                     "[0, 0, -0.5]"),
    SHAPE("hull", ", \"points\": [[1, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, -1]]"),
    SHAPE("hull", ", \"file\": \"" CUBE "\", \"scale\": 3, \"position\": [-1, -1, -1]"),
    SHAPE("compound", ", \"position\": [0, 0, -0.5], \"pieces\": [" SHAPE(
                          "box", ", \"half\": [0.4, 0.4, 0.4]") ", " ROUND "]"),
    SHAPE("mesh", ", \"file\": \"" CUBE "\", \"scale\": 0.5, \"position\": [0, 0, -1]"),
};

static void everyShapeTouchesWithItsLowestPoint(void** state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < sizeof oneMetreDown / sizeof *oneMetreDown; i++) {
        char text[1024];
        plContactInfo info = {.gap = 1};
        snprintf(text, sizeof text,
                 SCENE(BALL("a", ", \"position\": [0, 0, 0.999], \"shapes\": [%s]"), FLOATING SLAB),
                 oneMetreDown[i]);
        plWorld* world = worldOf(text);
        assert_true(deepest(world, &info));
        double error = fmax(fabs(info.gap + 1e-3), fabs(info.normal.z - 1));
        // Round-off of lengths of metres.
        if (!(error < 1e-12))
            fail_msg("%s: gap %.17g, normal z %.17g", oneMetreDown[i], info.gap, info.normal.z);
        assert_true(info.a.mechanism.index1 == 1 && info.b.mechanism.index1 == 0);
        checkNear("lowest point", info.a.point.z, -1, 1e-3); // anywhere in the depth
        worst = fmax(worst, error);
        plWorld_Destroy(world);
    }
    print_message("worst error of gap or normal %.1e\n", worst);
}

static void planesAndMeshesCanBeGround(void** state)
{
    (void)state;
    static const char* const grounds[] = {
        SHAPE("plane", ""),
        SHAPE("plane", ", \"normal\": [2, 0, 0], \"orientation\": {\"axis\": [0, 1, 0], "
                       "\"angle\": -1.5707963267948966}"),
        SHAPE("mesh", ", \"file\": \"" CUBE "\", \"scale\": 6, \"position\": [-2, -2, -6]"),
    };
    for (size_t i = 0; i < sizeof grounds / sizeof *grounds; i++) {
        char text[512];
        plContactInfo info = {.gap = 1};
        snprintf(text, sizeof text,
                 SCENE(BALL("a", ", \"position\": [0.3, 0.4, 0.499]" SHAPES(ROUND)),
                       FLOATING ", \"ground\": {\"shapes\": [%s]}"),
                 grounds[i]);
        plWorld* world = worldOf(text);
        assert_true(deepest(world, &info));
        checkNear("gap", info.gap, -1e-3, 1e-12); // round-off
        checkNear("normal", info.normal.z, 1, 1e-12);
        plWorld_Destroy(world);
    }
}

static void shapesOfABodyAreOnItsPart(void** state)
{
    (void)state;
    // The ball at the end of the second rod reaches 1 mm into the ground.
    plWorld* world = worldOf(SCENE(
        CHAIN(ROD("u", "") "," ROD("l", ", \"at\": [1, 0, 0], \"axis\": [0, 1, 0], \"start\": "
                                        "1.5707963267948966" SHAPES(
                                            SHAPE("sphere", ", \"radius\": 0.25, \"position\": "
                                                            "[1, 0, 0]"))),
              ", \"position\": [0, 0, 1.249]"),
        FLOATING GROUND(SHAPE("plane", ""))));
    plContactInfo info = {.gap = 1};
    assert_true(deepest(world, &info));
    assert_int_equal(info.a.part, 1);
    checkNear("gap", info.gap, -1e-3, 1e-12); // round-off
    checkNear("along the rod", info.a.point.x, 1.25, 1e-3);
    plWorld_Destroy(world);
}

static void everyShapeIsCounted(void** state)
{
    (void)state;
    // Two on the ground, two on each of six copies, one on a chain.
    plWorld* world = worldOf(SCENE(
        SOLID(
            "a", ROUND ", " ROUND,
            ", \"grid\": {\"counts\": [3, 2, 1], \"pitch\": [2, 2, 2]}") "," CHAIN(ROD("u",
                                                                                       SHAPES(
                                                                                           ROUND)),
                                                                                   ""),
        GROUND(SHAPE("plane", "") ", " SHAPE("plane", ", \"normal\": [1, 0, 0]"))));
    plPartShapeDef def = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId id;
    assert_int_equal(plWorld_AddShape(world, &def, &id), pl_statusOk);
    assert_int_equal(id.index1, 2 + 12 + 1 + 1);
    plWorld_Destroy(world);
}

static void groupsAndMasksSayWhatMeets(void** state)
{
    (void)state;
#define TWO(first, second)                                                                         \
    SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"radius\": 1" first))) ", " BALL(                   \
              "b",                                                                                 \
              SHAPES(SHAPE("sphere", ", \"radius\": 1" second)) ", \"position\": [1.999, 0, 0]"),  \
          FLOATING)
    assert_true(touches(TWO("", "")));
    assert_true(touches(TWO(", \"group\": 2", "")));
    assert_true(touches(TWO(", \"group\": 2, \"mask\": 4294967295", ", \"mask\": 2")));
    assert_false(touches(TWO(", \"group\": 2", ", \"mask\": 1")));
    assert_false(touches(TWO(", \"mask\": 0", "")));
    assert_false(touches(TWO(", \"group\": 2147483648, \"mask\": 1", ", \"mask\": 2147483647")));
#undef TWO
}

static void ignoredPartsPassThrough(void** state)
{
    (void)state;
#define IGNORING(pairs)                                                                            \
    SCENE(BALL("a", SHAPES(ROUND)) ", " CHAIN(                                                     \
              ROD("u", SHAPES(ROUND)) "," ROD("l", ", \"at\": [5, 0, 0]" SHAPES(ROUND)),           \
              ", \"position\": [0.999, 0, 0]"),                                                    \
          FLOATING ", \"ignore\": [" pairs "]")
    assert_true(touches(IGNORING("")));
    assert_false(touches(IGNORING(
        "{\"a\": {\"mechanism\": \"a\"}, \"b\": {\"mechanism\": \"c\", \"part\": \"u\"}}")));
    assert_true(
        touches(IGNORING("{\"a\": {\"mechanism\": \"a\"}, \"b\": {\"mechanism\": \"c\"}}")));
#undef IGNORING
    assert_true(touches(SCENE(BALL("a", SHAPES(ROUND) ", \"position\": [0, 0, 0.499]"),
                              FLOATING GROUND(SHAPE("plane", "")))));
    assert_false(touches(
        SCENE(BALL("a", SHAPES(ROUND) ", \"position\": [0, 0, 0.499]"),
              FLOATING GROUND(SHAPE("plane", "")) ", \"ignore\": [{\"a\": \"ground\", \"b\": "
                                                  "{\"mechanism\": \"a\"}}]")));
}

static void planarScenesTouchInThePlane(void** state)
{
    (void)state;
    plWorld* world = worldOf(
        SCENE(CHAIN("{\"name\": \"u\", \"joint\": \"planar\", \"density\": 10, \"start\": [0, "
                    "0.499, 0]" SHAPES(SHAPE("polygon", ", \"points\": [[-0.5, 0.5], [0, -0.5], "
                                                        "[0.5, 0.5]]")) "}",
                    ""),
              FLOATING ", \"planar\": true" GROUND(
                  SHAPE("box", ", \"half\": [2, 1, 1], \"position\": [0, -1, 0]"))));
    plContactInfo info = {.gap = 1};
    assert_true(deepest(world, &info));
    checkNear("gap", info.gap, -1e-3, 1e-12); // round-off
    checkNear("normal", info.normal.y, 1, 1e-12);
    checkNear("corner", info.a.point.y, -0.5, 1e-3); // anywhere in the depth
    plWorld_Destroy(world);
}

// --------------------------------------------------------------------------------- surfaces

/// The surface of the one contact of a ball on the ground, as the law would meet it.
static plPair pairOf(const char* head, const char* ballMore, const char* planeMore)
{
    const plAllocator allocator = plDefaultAllocator();
    char text[1024];
    plSpaceFile file;
    snprintf(text, sizeof text,
             SCENE(BALL("a", ", \"position\": [0, 0, 0.499], \"shapes\": [{\"type\": \"sphere\", "
                             "\"radius\": 0.5%s}]"),
                   "%s, \"ground\": {\"shapes\": [{\"type\": \"plane\"%s}]}"),
             ballMore, head, planeMore);
    plWorld* world = worldOf(text);
    if (plWorld_Freeze(world, 1e-3, inFolder("space.txt")) != pl_statusOk)
        fail_msg("%s", plWorld_Error(world));
    plWorld_Destroy(world);
    if (plSpaceFile_Load(&file, inFolder("space.txt"), pl_spaceOwn, &allocator) != pl_statusOk)
        fail_msg("%s", file.error);
    assert_int_equal(file.space.count, 1);
    plPair pair = file.space.pair[0];
    plSpaceFile_Destroy(&file, &allocator);
    return pair;
}

/// Means of equal numbers are equal to round-off.
static void checkPair(plPair p, plSurface s)
{
    const double near = 1e-14;
    checkNear("friction", p.mu, s.friction, near * s.friction);
    checkNear("restitution", p.e, s.restitution, 0);
    checkNear("tangent restitution", p.eTangent, s.tangentRestitution, 0);
    checkNear("stiffness", p.stiffness, s.stiffness, near * s.stiffness);
    checkNear("damping", p.damping, s.damping, near * s.damping);
    checkNear("slip speed", p.slipSpeed, s.slipSpeed, 0);
    assert_true(p.clamp == s.clamp);
}

static void surfacesReachTheirContacts(void** state)
{
    (void)state;
    static const char odd[] = "\"friction\": 0.7, \"restitution\": -0.25, \"tangentRestitution\": "
                              "0.125, \"stiffness\": 300, \"damping\": 4, \"slipSpeed\": 0.5, "
                              "\"clamp\": true";
    plSurface surface = plDefaultSurface();
    surface.friction = 0.7, surface.restitution = -0.25, surface.tangentRestitution = 0.125;
    surface.stiffness = 300, surface.damping = 4, surface.slipSpeed = 0.5, surface.clamp = true;
    plSurface mixed = plDefaultSurface(), partly = mixed;
    char head[768];

    checkPair(pairOf("", "", ""), plDefaultSurface());
    snprintf(head, sizeof head, ", \"contact\": {\"surface\": {%s}}", odd);
    checkPair(pairOf(head, "", ""), surface);

    snprintf(head, sizeof head, ", \"materials\": [{\"name\": \"m\", %s}]", odd);
    checkPair(pairOf(head, ", \"material\": \"m\"", ", \"material\": \"m\""), surface);

    // What a pair does not give is not mixed from its materials.
    snprintf(head, sizeof head,
             ", \"materials\": [{\"name\": \"x\"}, {\"name\": \"m\", %s}], \"pairs\": [{\"a\": "
             "\"m\", \"b\": \"x\", \"friction\": 0.0625}]",
             odd);
    partly.friction = 0.0625;
    checkPair(pairOf(head, ", \"material\": \"x\"", ", \"material\": \"m\""), partly);
    checkPair(pairOf(head, ", \"material\": \"m\"", ", \"material\": \"m\""), surface);

    // sqrt(0.4 0.9)
    mixed.friction = 0.6;
    checkPair(pairOf(", \"materials\": [{\"name\": \"m\", \"friction\": 0.4}, {\"name\": \"n\", "
                     "\"friction\": 0.9}]",
                     ", \"material\": \"m\"", ", \"material\": \"n\""),
              mixed);
}

static void contactSettingsReachTheLaw(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plSpaceFile file;
    plWorld* world =
        worldOf(SCENE(BALL("a", SHAPES(ROUND) ", \"position\": [0, 0, 0.499]"),
                      ", \"law\": \"lcp\", \"contact\": {\"bias\": \"elastic\", "
                      "\"collision\": \"equality\", \"sides\": 12}" GROUND(SHAPE("plane", ""))));
    assert_int_equal(plWorld_Freeze(world, 1e-3, inFolder("space.txt")), pl_statusOk);
    plWorld_Destroy(world);
    if (plSpaceFile_Load(&file, inFolder("space.txt"), pl_spaceOwn, &allocator) != pl_statusOk)
        fail_msg("%s", file.error);
    assert_int_equal(file.space.sides, 12);
    assert_int_equal(file.space.bias, pl_biasElastic);
    assert_int_equal(file.space.collision, pl_collisionEquality);
    plSpaceFile_Destroy(&file, &allocator);
}

// ---------------------------------------------------------------------------------- mistakes

static const Mistake surfaceMistakes[] = {
    {SCENE(BALL("a", ""), ", \"planar\": 1"), "planar: found 1, expected true or false"},
    {SCENE(BALL("a", ""), ", \"contact\": []"), "contact: found an array of 0, expected an object"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"bias\": \"plastc\"}"),
     "contact.bias: found \"plastc\", expected one of \"one-sided\", \"elastic\", \"plastic\", "
     "\"gap\"; did "
     "you mean \"plastic\"?"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"collision\": \"hard\"}"),
     "contact.collision: found \"hard\", expected one of \"equality\", \"complementarity\", "
     "\"poisson\""},
    {SCENE(BALL("a", ""), ", \"contact\": {\"absolute\": 0}"),
     "contact.absolute: found 0, expected true or false"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"sides\": 7}"),
     "contact.sides: found 7, expected an even integer from 4 to 32"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"sides\": \"8\"}"),
     "contact.sides: found \"8\", expected an even integer from 4 to 32"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"driftRate\": 1.5}"),
     "contact.driftRate: found 1.5, expected a number >= 0 and <= 1"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"slop\": -1}"),
     "contact.slop: found -1, expected a number >= 0 [m]"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"cluster\": \"x\"}"),
     "contact.cluster: found \"x\", expected a number >= 0 [m]"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"coherence\": -1}"),
     "contact.coherence: found -1, expected a number >= 0 [m]"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"surface\": {\"restitution\": -1.5}}"),
     "contact.surface.restitution: found -1.5, expected a number >= -1 and <= 1"},
    {SCENE(BALL("a", ""), ", \"contact\": {\"surface\": 1}"),
     "contact.surface: found 1, expected an object"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"friction\": 1}]"),
     "materials[0]: missing \"name\", expected a name of 1 to 31 letters, digits, \"-\" or \"_\""},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\"}, {\"name\": \"m\"}]"),
     "materials[1].name: found \"m\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"friction\": -1}]"),
     "materials[0].friction: found -1, expected a number >= 0"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"tangentRestitution\": 2}]"),
     "materials[0].tangentRestitution: found 2, expected a number >= 0 and <= 1"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"stiffness\": \"rigid\"}]"),
     "materials[0].stiffness: found \"rigid\", expected a number >= 0 [N/m]"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"damping\": -1}]"),
     "materials[0].damping: found -1, expected a number >= 0 [N s/m]"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"slipSpeed\": -1}]"),
     "materials[0].slipSpeed: found -1, expected a number >= 0 [m/s]"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\", \"clamp\": 1}]"),
     "materials[0].clamp: found 1, expected true or false"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\"}], \"pairs\": [{\"a\": \"m\"}]"),
     "pairs[0]: missing \"b\", expected a name of 1 to 31 letters, digits, \"-\" or \"_\""},
    {SCENE(BALL("a", ""),
           ", \"materials\": [{\"name\": \"m\"}], \"pairs\": [{\"a\": \"m\", \"b\": \"n\"}]"),
     "pairs[0].b: found \"n\", expected the name of a material"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\"}, {\"name\": \"n\"}], \"pairs\": "
                          "[{\"a\": \"m\", \"b\": \"n\"}, {\"a\": \"n\", \"b\": \"m\"}]"),
     "pairs[1]: found the pair \"n\" and \"m\" again, expected it once"},
    {SCENE(BALL("a", ""), ", \"materials\": [{\"name\": \"m\"}], \"pairs\": [{\"a\": \"m\", \"b\": "
                          "\"m\", \"restitution\": 2}]"),
     "pairs[0].restitution: found 2, expected a number >= -1 and <= 1"},
};

static const Mistake ignoreMistakes[] = {
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": \"ground\"}]"),
     "ignore[0]: missing \"b\", expected a part, or \"ground\""},
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": \"ground\", \"b\": \"ground\"}]"),
     "ignore[0].b: found the part of \"a\", expected another one"},
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": \"sky\", \"b\": \"ground\"}]"),
     "ignore[0].a: found \"sky\", expected \"ground\", or an object that names a mechanism"},
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": {\"mechanism\": \"x\"}, \"b\": \"ground\"}]"),
     "ignore[0].a.mechanism: found \"x\", expected the name of a mechanism"},
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": {\"mechanism\": \"a\", \"point\": [0, 0, 0]}, "
                          "\"b\": \"ground\"}]"),
     "ignore[0].a.point: unknown key \"point\", expected one of mechanism, part"},
    {SCENE(BALL("a", ""),
           ", \"ignore\": [{\"a\": {\"mechanism\": \"a\"}, \"b\": {\"mechanism\": \"a\"}}]"),
     "ignore[0].b: found the part of \"a\", expected another one"},
    {SCENE(BALL("a", ""), ", \"ignore\": [{\"a\": 1, \"b\": \"ground\"}]"),
     "ignore[0].a: found 1, expected an object"},
    {SCENE(BALL("a", SHAPES(ROUND)), ", \"capacity\": {\"shapes\": 0}"),
     "capacity.shapes: found 0, expected at least 1 for this scene"},
    {SCENE(BALL("a", SHAPES(ROUND)),
           ", \"materials\": [{\"name\": \"m\"}], \"capacity\": {\"materials\": 0}"),
     "capacity.materials: found 0, expected at least 1 for this scene"},
    {SCENE(BALL("a", SHAPES(ROUND)), ", \"ignore\": [{\"a\": {\"mechanism\": \"a\"}, \"b\": "
                                     "\"ground\"}], \"capacity\": {\"ignored\": 0}"),
     "capacity.ignored: found 0, expected at least 1 for this scene"},
    {SCENE(BALL("a", ""), ", \"capacity\": {\"contacts\": 16385}"),
     "capacity.contacts: found 16385, expected an integer >= 0 and <= 16384"},
    {SCENE(BALL("a", ""), ", \"capacity\": {\"pairs\": -1}"),
     "capacity.pairs: found -1, expected an integer >= 0 and <= 1048576"},
};

static void mistakesInSurfacesAreTold(void** state)
{
    (void)state;
    expectMistakes(surfaceMistakes, sizeof surfaceMistakes / sizeof(Mistake));
}

static void mistakesInIgnoredPairsAndCapacitiesAreTold(void** state)
{
    (void)state;
    expectMistakes(ignoreMistakes, sizeof ignoreMistakes / sizeof(Mistake));
}

static int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void** state)
{
    (void)state;
    remove(inFolder("space.txt"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyShapeTouchesWithItsLowestPoint),
        cmocka_unit_test(planesAndMeshesCanBeGround),
        cmocka_unit_test(shapesOfABodyAreOnItsPart),
        cmocka_unit_test(everyShapeIsCounted),
        cmocka_unit_test(groupsAndMasksSayWhatMeets),
        cmocka_unit_test(ignoredPartsPassThrough),
        cmocka_unit_test(planarScenesTouchInThePlane),
        cmocka_unit_test(surfacesReachTheirContacts),
        cmocka_unit_test(contactSettingsReachTheLaw),
        cmocka_unit_test(mistakesInSurfacesAreTold),
        cmocka_unit_test(mistakesInIgnoredPairsAndCapacitiesAreTold),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
