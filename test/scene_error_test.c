// Every mistake in a scene is told with its place, what was found and what was expected.
#include "scene_text.h"

#include <stdlib.h>

static void syntaxErrorNamesLineAndColumn(void** state)
{
    (void)state;
    plSceneError error = errorOf("{\n  \"time\": 1,\n  \"step\" 2\n}", NULL);
    assert_int_equal(error.status, pl_statusSceneSyntax);
    assert_int_equal(error.line, 3);
    assert_true(error.column > 2 && error.column < 12);
    assert_string_equal(error.path, "");
    char start[32];
    snprintf(start, sizeof start, "a.json:3:%d: ", error.column);
    assert_memory_equal(error.message, start, strlen(start));

    static const char* const broken[] = {
        "",
        "x",
        "{\"time\": 1e400}",
        "{\"time\": NaN}",
        "{} {}",
        "{\"a\": \"",
        "{\"time\": 1, \"time\": 1}",
        "\"time\"",
        "{\"a\":1,}",
        "\xff\xfe",
        "{\"title\": \"\\u0000\"}",
        "{\"time\": 99999999999999999999}",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        error = errorOf(broken[i], NULL);
        if (error.status != pl_statusSceneSyntax || error.line != 1)
            fail_msg("%s: %s", broken[i], error.message);
    }
}

static void errorNamesTheLineOfTheValue(void** state)
{
    (void)state;
    plSceneError error =
        errorOf("{\n"
                "  \"title\": \"a \\\"mechanisms\\\": [{}] \\\\\",\n"
                "  \"gravity\": [0, 0, -9.81], \"step\": {\"min\": 1, \"max\": 2},\n"
                "  \"mechanisms\":\n"
                "  [\n"
                "    " BALL("a", "") ",\n"
                                     "    {\"type\": \"assembly\", \"name\": \"b\",\n"
                                     "     \"inertia\": [1, 1, 1],\n"
                                     "     \"mass\":\n"
                                     "       -1}\n"
                                     "  ]\n"
                                     "}",
                NULL);
    assert_string_equal(error.message,
                        "a.json:9: mechanisms[1].mass: found -1, expected a number > 0 [kg]");
    assert_string_equal(error.path, "mechanisms[1].mass");
    assert_int_equal(error.line, 9);
    assert_int_equal(error.status, pl_statusSceneContent);
}

static const Mistake mechanismMistakes[] = {
    {"[]", "found an array of 0, expected an object"},
    {"{}", "missing \"mechanisms\", expected an array of at least one mechanism"},
    {SCENE("", ""), "mechanisms: found an array of 0, expected at least one mechanism"},
    {SCENE("3", ""), "mechanisms[0]: found 3, expected an object"},
    {SCENE("{}", ""), "mechanisms[0]: missing \"type\", expected one of \"assembly\", \"chain\", "
                      "\"prescribed\", \"soft\", \"jointed\""},
    {SCENE(BALL("a", ", \"stifness\": 1"), ""),
     "mechanisms[0].stifness: unknown key \"stifness\", expected one of type, name, "
     "integrator, coefficients, mass, inertia, density, position, orientation, velocity, spin, "
     "anchor, shapes, grid"},
    {SCENE(BALL("a", ", \"anchor\": {\"stifness\": 1}"), ""),
     "mechanisms[0].anchor.stifness: unknown key \"stifness\", did you mean \"stiffness\"?"},
    {SCENE(BALL("a", ", \"spin\": [1, 2]"), ""),
     "mechanisms[0].spin: found an array of 2, expected an array of 3 numbers [rad/s]"},
    {SCENE(BALL("a", ", \"spin\": [1, \"x\", 2]"), ""),
     "mechanisms[0].spin[1]: found \"x\", expected a number [rad/s]"},
    {SCENE(BALL("a", ", \"orientation\": [0, 0, 0, 0]"), ""),
     "mechanisms[0].orientation: found a quaternion of length 0, expected about 1"},
    {SCENE(BALL("a", ", \"orientation\": {\"axis\": [0, 0, 0], \"angle\": 1}"), ""),
     "mechanisms[0].orientation.axis: found an array of 3, expected an array of 3 numbers, not "
     "all zero"},
    {SCENE(BALL("a b", ""), ""),
     "mechanisms[0].name: found \"a b\", expected a name of 1 to 31 letters, digits, \"-\" or "
     "\"_\""},
    {SCENE(BALL("a", "") "," BALL("a", ""), ""),
     "mechanisms[1].name: found \"a\", expected a name that is not taken"},
    {SCENE(CHAIN(ROD("u", "") "," ROD("u", ""), ""), ""),
     "mechanisms[0].bodies[1].name: found \"u\", expected a name that is not taken"},
    {SCENE(CHAIN(ROD("u", ", \"parent\": \"v\""), ""), ""),
     "mechanisms[0].bodies[0].parent: found \"v\", expected the name of an earlier body of "
     "this "
     "chain, or \"base\""},
    {SCENE(CHAIN(ROD("u", ", \"center\": [0, 0, 0]"), ""), ""),
     "mechanisms[0].bodies[0].rod: found beside \"center\" or \"inertia\", expected without "
     "them"},
    {SCENE(CHAIN(ROD("u", ", \"start\": [1, 2]"), ""), ""),
     "mechanisms[0].bodies[0].start: found an array of 2, expected an array of 1 number"},
    {SCENE(CHAIN(ROD("u", ""), ", \"K\": [[1, 2]]"), ""),
     "mechanisms[0].K[0]: found an array of 2, expected an array of 1 number"},
};

static const Mistake headMistakes[] = {
    {SCENE(BALL("a", ""), ", \"integrator\": \"midpiont\""),
     "integrator: found \"midpiont\", expected one of \"midpoint\", \"explicit\", "
     "\"symplectic\", \"semi-implicit\", \"implicit\", \"implicit-midpoint\"; did you mean "
     "\"midpoint\"?"},
    {SCENE(BALL("a", ""), ", \"step\": 0"), "step: found 0, expected a number > 0 and <= 10 [s]"},
    {SCENE(BALL("a", ""), ", \"step\": {\"min\": 2, \"max\": 1}"),
     "step: found min 2 above max 1, expected it below"},
    {SCENE(BALL("a", ""), ", \"time\": 1e8"),
     "time: found 100000000, expected a number > 0 and <= 10000000 [s]"},
    {SCENE(BALL("a", ""), ", \"passes\": 65"),
     "passes: found 65, expected an integer >= 0 and <= 64"},
    {SCENE(BALL("a", ""), ", \"guard\": 1"), "guard: found 1, expected true or false"},
    {SCENE(BALL("a", ""), ", \"title\": \"a\\nb\""),
     "title: found \"a b\", expected a string of one line"},
    {SCENE(BALL("a", "") "," BALL("b", ""), ", \"capacity\": {\"mechanisms\": 1}"),
     "capacity.mechanisms: found 1, expected at least 2 for this scene"},
    {SCENE(BALL("a", ""), ", \"record\": {\"channels\": [\"time\", \"time\"]}"),
     "record.channels[1]: found \"time\", expected a channel that is not in the list already"},
    {SCENE(BALL("a", ""), ", \"record\": {\"channels\": [\"time\", \"enrgy\"]}"),
     "record.channels[1]: found \"enrgy\", expected a channel of this world; did you mean "
     "\"energy\"?"},
};

static const Mistake linkAndDriveMistakes[] = {
    {SCENE(BALL("a", ""), ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\"}, "
                          "\"b\": {\"mechanism\": \"a\"}, \"stiffness\": 1}]"),
     "links[0].b: found the mechanism of \"a\", expected another one or the ground"},
    {SCENE(BALL("a", ""), ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"x\"}, "
                          "\"b\": \"ground\", \"stiffness\": 1}]"),
     "links[0].a.mechanism: found \"x\", expected the name of a mechanism"},
    {SCENE(BALL("a", ""), ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\", "
                          "\"part\": \"p\"}, \"b\": \"ground\", \"stiffness\": 1}]"),
     "links[0].a.part: found \"p\", expected no part: the mechanism is an assembly"},
    {SCENE(BALL("a", ""), ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\"}, "
                          "\"b\": \"ground\", \"stiffness\": \"hard\"}]"),
     "links[0].stiffness: found \"hard\", expected a number >= 0 [N/m] or \"rigid\""},
    {SCENE(BALL("a", ""), ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\"}, "
                          "\"b\": \"ground\", \"stiffness\": 1, \"turnDamping\": 1}]"),
     "links[0].turnDamping: found in a link that does not hold orientations, expected "
     "\"turns\": true beside it"},
    {SCENE(BALL("a", ""), ", \"drives\": [{\"mechanism\": \"a\", \"coordinate\": 6, "
                          "\"effort\": 1}]"),
     "drives[0].coordinate: found 6, expected an index below 6, the velocities of \"a\""},
    {SCENE(BALL("a", ""), ", \"drives\": [{\"mechanism\": \"a\", \"coordinate\": 1}]"),
     "drives[0]: expected \"force\" or \"torque\", or both \"coordinate\" and \"effort\""},
};

static const Mistake shapeMistakes[] = {
    {SCENE(BALL("a", SHAPES("3")), ""), "mechanisms[0].shapes[0]: found 3, expected an object"},
    {SCENE(BALL("a", ", \"shapes\": 1"), ""),
     "mechanisms[0].shapes: found 1, expected an array of at most 65536"},
    {SCENE(BALL("a", SHAPES("{}")), ""),
     "mechanisms[0].shapes[0]: missing \"type\", expected one of \"sphere\", \"capsule\", \"box\", "
     "\"plane\", \"polygon\", \"hull\", \"compound\", \"mesh\", \"nurbs\""},
    {SCENE(BALL("a", SHAPES(SHAPE("shpere", ""))), ""),
     "mechanisms[0].shapes[0].type: found \"shpere\", expected one of \"sphere\", \"capsule\", "
     "\"box\", \"plane\", \"polygon\", \"hull\", \"compound\", \"mesh\", \"nurbs\"; did you mean "
     "\"sphere\"?"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"half\": [1, 1, 1]"))), ""),
     "mechanisms[0].shapes[0].half: unknown key \"half\", expected one of type, radius, position, "
     "orientation, material, group, mask"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ""))), ""),
     "mechanisms[0].shapes[0]: missing \"radius\", expected a number > 0 [m]"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"radius\": 1e-10"))), ""),
     "mechanisms[0].shapes[0]: sphere: the radius is out of range"},
    {SCENE(BALL("a", SHAPES(SHAPE("capsule", ", \"radius\": 1"))), ""),
     "mechanisms[0].shapes[0]: missing \"length\", expected a number >= 0 [m]"},
    {SCENE(BALL("a", SHAPES(SHAPE("box", ", \"half\": [1, 1, -1]"))), ""),
     "mechanisms[0].shapes[0]: box: a half length is out of range"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("plane", ", \"normal\": [0, 0, 0]"))),
     "ground.shapes[0].normal: found an array of 3, expected an array of 3 numbers, not all zero"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("polygon", ""))),
     "ground.shapes[0]: missing \"points\", expected an array of at least 3 points"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("polygon", ", \"points\": [[0, 0], [1, 0]]"))),
     "ground.shapes[0].points: found an array of 2, expected an array of at least 3 points"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("polygon", ", \"points\": [[0, 0], [1, 0], [0, 1, 0]]"))),
     "ground.shapes[0].points[2]: found an array of 3, expected an array of 2 numbers [m]"},
    {SCENE(BALL("a", ""),
           GROUND(SHAPE("polygon", ", \"points\": [[0, 0], [1, 0], [0.1, 0.1], [0, 1]]"))),
     "ground.shapes[0]: the corners of the polygon are not in convex position"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("hull", ", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"))),
     "ground.shapes[0].points: found an array of 3, expected an array of at least 4 points"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("hull", ""))),
     "ground.shapes[0]: expected either \"points\" or \"file\""},
    {SCENE(BALL("a", ""), GROUND(SHAPE("hull", ", \"points\": [], \"file\": \"x.obj\""))),
     "ground.shapes[0]: expected either \"points\" or \"file\""},
    {SCENE(BALL("a", ""), GROUND(SHAPE("hull", ", \"points\": [], \"scale\": 2"))),
     "ground.shapes[0].scale: found without \"file\", expected beside it"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("compound", ", \"pieces\": []"))),
     "ground.shapes[0].pieces: found an array of 0, expected an array of at least one piece"},
    {SCENE(BALL("a", ""),
           GROUND(SHAPE("compound", ", \"pieces\": [" ROUND ", " SHAPE("plane", "") "]"))),
     "ground.shapes[0].pieces[1].type: found \"plane\", expected one of \"sphere\", \"capsule\", "
     "\"box\", \"polygon\", \"hull\""},
    {SCENE(BALL("a", ""),
           GROUND(SHAPE("compound",
                        ", \"pieces\": [" SHAPE("box", ", \"half\": [1, 1, 1], \"mask\": 1") "]"))),
     "ground.shapes[0].pieces[0].mask: unknown key \"mask\", expected one of type, half, position, "
     "orientation"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("compound", ", \"pieces\": [" ROUND ", " SHAPE(
                                                       "box", ", \"half\": [1, 0, 1]") "]"))),
     "ground.shapes[0].pieces[1]: box: a half length is out of range"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("mesh", ""))),
     "ground.shapes[0]: missing \"file\", expected a string of one line"},
    {SCENE(BALL("a", ""), GROUND(SHAPE("mesh", ", \"file\": \"x.obj\", \"scale\": 0"))),
     "ground.shapes[0].scale: found 0, expected a number > 0 and <= 1000000"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"radius\": 1, \"material\": \"ice\""))), ""),
     "mechanisms[0].shapes[0].material: found \"ice\", expected the name of a material"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"radius\": 1, \"group\": 4294967296"))), ""),
     "mechanisms[0].shapes[0].group: found 4294967296, expected an integer >= 0 and <= 4294967295"},
    {SCENE(BALL("a", SHAPES(SHAPE("sphere", ", \"radius\": 1, \"mask\": 0.5"))), ""),
     "mechanisms[0].shapes[0].mask: found 0.5, expected an integer >= 0 and <= 4294967295"},
    {SCENE(CHAIN(ROD("u", SHAPES(SHAPE("sphere", ""))), ""), ""),
     "mechanisms[0].bodies[0].shapes[0]: missing \"radius\", expected a number > 0 [m]"},
    {SCENE(BALL("a", ""), ", \"ground\": []"), "ground: found an array of 0, expected an object"},
};

static const Mistake densityMistakes[] = {
    {SCENE("{\"type\": \"assembly\", \"name\": \"a\", \"inertia\": [1, 1, 1]}", ""),
     "mechanisms[0]: missing \"mass\", expected \"mass\" and \"inertia\", or \"density\" and "
     "\"shapes\""},
    {SCENE("{\"type\": \"assembly\", \"name\": \"a\", \"mass\": 1}", ""),
     "mechanisms[0]: missing \"inertia\", expected \"mass\" and \"inertia\", or \"density\" and "
     "\"shapes\""},
    {SCENE("{\"type\": \"assembly\", \"name\": \"a\", \"density\": 1}", ""),
     "mechanisms[0].density: found without shapes, expected at least one beside it"},
    {SCENE(SOLID("a", ROUND, ", \"mass\": 1"), ""),
     "mechanisms[0].density: found beside \"mass\", expected one of the two"},
    {SCENE(SOLID("a", ROUND, ", \"inertia\": [1, 1, 1]"), ""),
     "mechanisms[0].density: found beside \"inertia\", expected one of the two"},
    {SCENE(BALL("a", SHAPES(ROUND) ", \"density\": 0"), ""),
     "mechanisms[0].density: found 0, expected a number > 0 [kg/m^3]"},
    {SCENE(SOLID("a", ROUND ", " SHAPE("sphere", ", \"radius\": 0.5, \"position\": [0, 0, 0.25]"),
                 ""),
           ""),
     "mechanisms[0].density: found the centre of mass of the shapes at [0, 0, 0.125], expected it "
     "at the origin: shift the shapes"},
    {SCENE(SOLID("a", ROUND ", " SHAPE("plane", ""), ""), ""),
     "mechanisms[0].shapes[1]: a plane has no mass"},
    {SCENE(CHAIN("{\"name\": \"u\", \"joint\": \"free\"}", ""), ""),
     "mechanisms[0].bodies[0]: missing \"mass\", expected it, or \"density\" and \"shapes\""},
    {SCENE(CHAIN("{\"name\": \"u\", \"joint\": \"free\", \"density\": 1, \"rod\": 1" SHAPES(
                     ROUND) "}",
                 ""),
           ""),
     "mechanisms[0].bodies[0].density: found beside \"rod\", expected one of the two"},
    {SCENE(
         CHAIN(
             "{\"name\": \"u\", \"joint\": \"free\", \"density\": 1, \"center\": [0, 0, 0]" SHAPES(
                 ROUND) "}",
             ""),
         ""),
     "mechanisms[0].bodies[0].density: found beside \"center\", expected one of the two"},
};

static const Mistake gridMistakes[] = {
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 2, 3]}"), ""),
     "mechanisms[0].grid: missing \"pitch\", expected an array of 3 numbers [m]"},
    {SCENE(BALL("a", ", \"grid\": {\"pitch\": [1, 2, 3]}"), ""),
     "mechanisms[0].grid: missing \"counts\", expected an array of 3 integers > 0"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 2], \"pitch\": [1, 1, 1]}"), ""),
     "mechanisms[0].grid.counts: found an array of 2, expected an array of 3 numbers"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 0, 1], \"pitch\": [1, 1, 1]}"), ""),
     "mechanisms[0].grid.counts[1]: found 0, expected an integer > 0 and <= 4096"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 1, 1.5], \"pitch\": [1, 1, 1]}"), ""),
     "mechanisms[0].grid.counts[2]: found 1.5, expected an integer > 0 and <= 4096"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [64, 64, 2], \"pitch\": [1, 1, 1]}"), ""),
     "mechanisms[0].grid.counts: found 8192 copies, expected at most 4096"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [64, 64, 1], \"pitch\": [1, 1, 1]}") ", " BALL("b",
                                                                                              ""),
           ""),
     "mechanisms[1]: found 4097 mechanisms up to here, expected at most 4096"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 1, 1], \"pitch\": [1, 1, 1], \"jitter\": -1}"),
           ""),
     "mechanisms[0].grid.jitter: found -1, expected a number >= 0 [m]"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [1, 1, 1], \"pitch\": [1, 1, 1], \"turn\": -1}"),
           ""),
     "mechanisms[0].grid.turn: found -1, expected a number >= 0 [rad]"},
    {SCENE(BALL("abcdefghijklmnopqrstuvwxyz-abc",
                ", \"grid\": {\"counts\": [11, 1, 1], \"pitch\": [1, 1, 1]}"),
           ""),
     "mechanisms[0].name: found \"abcdefghijklmnopqrstuvwxyz-abc-10\" for a copy, expected at most "
     "31 characters"},
    {SCENE(BALL("a-1", "") ", " BALL("a",
                                     ", \"grid\": {\"counts\": [2, 1, 1], \"pitch\": [1, 1, 1]}"),
           ""),
     "mechanisms[1].name: found \"a-1\", expected a name that is not taken"},
    {SCENE(BALL("a", ", \"grid\": {\"counts\": [2, 1, 1], \"pitch\": [1, 1, 1]}"),
           ", \"drives\": [{\"mechanism\": \"a\", \"force\": [0, 0, 0]}]"),
     "drives[0].mechanism: found \"a\", expected the name of a mechanism"},
};

static void mistakesInMechanismsAreTold(void** state)
{
    (void)state;
    expectMistakes(mechanismMistakes, sizeof mechanismMistakes / sizeof(Mistake));
}

static void mistakesInTheHeadAreTold(void** state)
{
    (void)state;
    expectMistakes(headMistakes, sizeof headMistakes / sizeof(Mistake));
}

static void mistakesInLinksAndDrivesAreTold(void** state)
{
    (void)state;
    expectMistakes(linkAndDriveMistakes, sizeof linkAndDriveMistakes / sizeof(Mistake));
}

static void mistakesInShapesAreTold(void** state)
{
    (void)state;
    expectMistakes(shapeMistakes, sizeof shapeMistakes / sizeof(Mistake));
}

static void mistakesInDensitiesAreTold(void** state)
{
    (void)state;
    expectMistakes(densityMistakes, sizeof densityMistakes / sizeof(Mistake));
}

static void mistakesInGridsAreTold(void** state)
{
    (void)state;
    expectMistakes(gridMistakes, sizeof gridMistakes / sizeof(Mistake));
}

static void errorOfTheWorldCarriesThePath(void** state)
{
    (void)state;
    plSceneError error =
        errorOf(SCENE(BALL("a", "") ",\n" CHAIN("{\"name\": \"u\", \"joint\": \"revolute\", "
                                                "\"mass\": 0}",
                                                ""),
                      ""),
                NULL);
    assert_true(error.status != pl_statusOk);
    assert_string_equal(error.path, "mechanisms[1]");
    assert_int_equal(error.line, 2);
    assert_memory_equal(error.message, "a.json:2: mechanisms[1]: ", 25);
    assert_true(strlen(error.message) > 35);
}

static void limitsAreKept(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    size_t size = (16 << 20) + 1;
    char* text = malloc(size + 1);
    assert_non_null(text);
    memset(text, ' ', size);
    text[size] = '\0';
    assert_int_equal(plScene_Parse("a.json", text, size, NULL, 0, &scene, &error),
                     pl_statusSceneContent);
    assert_null(scene);

    memset(text, '[', 100000);
    text[100000] = '\0';
    assert_int_equal(errorOf(text, NULL).status, pl_statusSceneSyntax);

    // 257 bodies, then 86 free ones with 516 velocities.
    static const char* const joints[] = {"fixed", "free"};
    static const int counts[] = {257, 86};
    static const char* const messages[] = {
        "a.json:1: mechanisms[0].bodies: found an array of 257, expected an array of at most 256",
        "a.json:1: mechanisms[0].bodies[85]: found 516 velocities up to here, expected at most 512 "
        "in a chain"};
    for (int k = 0; k < 2; k++) {
        size_t used = (size_t)snprintf(
            text, size, "{\"mechanisms\": [{\"type\": \"chain\", \"name\": \"c\", \"bodies\": [");
        for (int i = 0; i < counts[k]; i++)
            used += (size_t)snprintf(text + used, size - used,
                                     "%s{\"name\": \"b%d\", \"joint\": \"%s\", \"mass\": 1}",
                                     i > 0 ? "," : "", i, joints[k]);
        snprintf(text + used, size - used, "]}]}");
        assert_string_equal(errorOf(text, NULL).message, messages[k]);
    }
    free(text);
}

static void filesThatCannotBeReadAreReported(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    assert_int_equal(plScene_Load("no/such/file.json", NULL, 0, &scene, &error), pl_statusFileOpen);
    assert_memory_equal(error.message, "no/such/file.json: ", 19);
    assert_int_equal(plScene_Load("scenes/", NULL, 0, &scene, &error), pl_statusFileRead);
    assert_string_equal(error.message, "scenes/: the file cannot be read: not a regular file");
    assert_null(scene);
    assert_int_equal(plScene_Load("pendulm", NULL, 0, &scene, &error), pl_statusFileOpen);
    assert_string_equal(error.message, "there is no scene \"pendulm\"; did you mean \"pendulum\"?");
    assert_null(scene);
}

static void settingsThatFailSaySo(void** state)
{
    (void)state;
    static const struct {
        const char* setting;
        const char* message;
    } cases[] = {
        {"mechanisms.ball.mass=-1",
         "a.json: in --set: mechanisms[0].mass: found -1, expected a number > 0 [kg]"},
        {"mechanisms.ball.mass=1e400",
         "a.json: in --set: mechanisms[0].mass: found \"1e400\", expected a number > 0 [kg]"},
        {"mechanisms.ball.mass=NaN",
         "a.json: in --set: mechanisms[0].mass: found \"NaN\", expected a number > 0 [kg]"},
        {"mechanisms.ball.spni=[0,0,0]", "a.json: in --set: mechanisms[0].spni: unknown key "
                                         "\"spni\", expected one of type, name, integrator, "
                                         "coefficients, mass, inertia, density, position, "
                                         "orientation, velocity, spin, anchor, shapes, grid"},
        {"mechanisms.c.bodies={}", "a.json: in --set: mechanisms[1].bodies: found an object, "
                                   "expected an array of at most 256"},
        {"mechanisms.dog.mass=1",
         "a.json: mechanisms: found no member named \"dog\", in --set mechanisms.dog.mass=1"},
        {"mechanisms.ball.anchor.damping=1", "a.json: mechanisms[0]: found no \"anchor\", in --set "
                                             "mechanisms.ball.anchor.damping=1"},
        {"mechanisms[2].mass=1",
         "a.json: mechanisms: found 2 members, no [2], in --set mechanisms[2].mass=1"},
        {"mechanisms[0].mass.x=1", "a.json: mechanisms[0].mass: found a value without parts, in "
                                   "--set mechanisms[0].mass.x=1"},
        {"[0]=1", "a.json: found an object, expected a key in place of [0], in --set [0]=1"},
        {"time", "a.json: found no \"=\" in \"time\", in --set time"},
        {"=1", "a.json: found an empty key before \"\", in --set =1"},
        {"mechanisms[x]=1", "a.json: found no index [0], [1], ... at \"[x]\", in --set "
                            "mechanisms[x]=1"},
        {"mechanisms[0]mass=1",
         "a.json: found no \".\" before \"mass\", in --set mechanisms[0]mass=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plSceneError error = errorOf(TWO_MECHANISMS, cases[i].setting);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntaxErrorNamesLineAndColumn),
        cmocka_unit_test(errorNamesTheLineOfTheValue),
        cmocka_unit_test(mistakesInMechanismsAreTold),
        cmocka_unit_test(mistakesInTheHeadAreTold),
        cmocka_unit_test(mistakesInLinksAndDrivesAreTold),
        cmocka_unit_test(mistakesInShapesAreTold),
        cmocka_unit_test(mistakesInDensitiesAreTold),
        cmocka_unit_test(mistakesInGridsAreTold),
        cmocka_unit_test(errorOfTheWorldCarriesThePath),
        cmocka_unit_test(limitsAreKept),
        cmocka_unit_test(filesThatCannotBeReadAreReported),
        cmocka_unit_test(settingsThatFailSaySo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
