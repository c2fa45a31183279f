// Scenes that are worked out: masses from densities, copies of a grid, files of shapes, and the
// capacity that follows from the content.
#define _XOPEN_SOURCE 700

#include "scene_text.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static void checkNear(const char* what, double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, actual, expected, tolerance);
}

static plWorld* worldOf(const char* text)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    plScene_Destroy(scene);
    return world;
}

// ------------------------------------------------------------------------------------ masses

/// Mass matrix of the only assembly: m, m, m, then the inertia.
static void inertiaOf(const char* text, double M[36])
{
    plWorld* world = worldOf(text);
    assert_int_equal(plWorld_Inertia(world, plWorld_Mechanism(world, 0), M, NULL), pl_statusOk);
    plWorld_Destroy(world);
}

static void densityGivesTheMassOfABox(void** state)
{
    (void)state;
    double M[36];
    inertiaOf(SCENE(SOLID("a", SHAPE("box", ", \"half\": [0.1, 0.2, 0.3]"), ""), ""), M);
    // 1000 kg/m^3 times 0.2 0.4 0.6 m^3; m/3 (b^2 + c^2) of the half lengths. Round-off.
    const double m = 48, expected[] = {m, m, m, m / 3 * 0.13, m / 3 * 0.10, m / 3 * 0.05};
    for (int i = 0; i < 36; i++) checkNear("M", M[i], i % 7 == 0 ? expected[i / 7] : 0, 1e-13 * m);
}

static void shapesOfOneDensityAreWeighedTogether(void** state)
{
    (void)state;
    double M[36];
    // A dumb-bell, its balls of unequal size on unequal arms: 8 r = 1 R as moments.
    inertiaOf(
        SCENE(SOLID("a",
                    SHAPE("sphere", ", \"radius\": 0.2, \"position\": [0.1, 0, 0]") ", " SHAPE(
                        "sphere", ", \"radius\": 0.1, \"position\": [-0.8, 0, 0]"),
                    ""),
              ""),
        M);
    const double small = 1000 * 4 * pi / 3 * 1e-3, large = 8 * small;
    const double axial = 0.4 * (large * 0.04 + small * 0.01);
    const double across = axial + large * 0.01 + small * 0.64;
    checkNear("mass", M[0], large + small, 1e-12); // round-off
    checkNear("axial", M[21], axial, 1e-12);
    checkNear("across", M[28], across, 1e-12);
    checkNear("across", M[35], across, 1e-12);
    checkNear("mixed", M[22], 0, 1e-12);
}

static void centreOfMassMayBeOffByAMillionth(void** state)
{
    (void)state;
    // The farthest point lies half a metre out.
    static const char format[] = SCENE(
        SOLID("a", SHAPE("sphere", ", \"radius\": 0.5, \"position\": [0, %.12g, 0]"), ""), "");
    char text[256];
    snprintf(text, sizeof text, format, 0.49e-6);
    plScene_Destroy(parse(text, NULL));
    snprintf(text, sizeof text, format, 0.51e-6);
    plSceneError error = errorOf(text, NULL);
    assert_string_equal(error.path, "mechanisms[0].density");
    assert_non_null(strstr(error.message, "at [0, 5.1e-07, 0]"));
}

static void densityGivesABodyItsCentre(void** state)
{
    (void)state;
    // A capsule that swings about its end: J across the axis, and m c^2.
    plWorld* world = worldOf(
        SCENE(CHAIN("{\"name\": \"u\", \"joint\": \"revolute\", \"density\": 500" SHAPES(SHAPE(
                        "capsule", ", \"radius\": 0.1, \"length\": 0.6, \"position\": [0.4, 0, "
                                   "0]")) "}",
                    ""),
              ""));
    double M[1];
    assert_int_equal(plWorld_Inertia(world, plWorld_Mechanism(world, 0), M, NULL), pl_statusOk);
    const double r = 0.1, l = 0.6, c = 500 * pi * r * r * l, b = 500 * 4 * pi / 3 * r * r * r;
    // Two half balls, each 3 r/8 beyond the cylinder's end, 2/5 m r^2 about its flat face.
    const double across =
        c * (l * l / 12 + r * r / 4) + b * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
    checkNear("inertia", M[0], across + (c + b) * 0.16, 1e-13); // round-off
    plWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------- grids

#define GRID(more)                                                                                 \
    ", \"position\": [1, 2, 3], \"grid\": {\"counts\": [3, 2, 2], \"pitch\": [0.5, 1, 2]" more "}"

static void placeOf(const plWorld* world, int i, double q[7])
{
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, i), q, NULL), pl_statusOk);
}

static void gridIsCountedAlongXFirst(void** state)
{
    (void)state;
    plWorld* world = worldOf(SCENE(BALL("a", GRID("")), ""));
    plMechanismId id;
    assert_int_equal(plWorld_MechanismCount(world), 12);
    assert_int_equal(plWorld_FindMechanism(world, "a", &id), pl_statusNotFound);
    for (int i = 0; i < 12; i++) {
        char name[16];
        double q[7];
        snprintf(name, sizeof name, "a-%d", i);
        assert_string_equal(plWorld_MechanismName(world, plWorld_Mechanism(world, i)), name);
        placeOf(world, i, q);
        // Halves and whole numbers: no round-off.
        assert_true(q[0] == 1 + 0.5 * (i % 3) && q[1] == 2 + i / 3 % 2 && q[2] == 3 + 2 * (i / 6));
        assert_true(q[3] == 1 && q[4] == 0 && q[5] == 0 && q[6] == 0);
    }
    plWorld_Destroy(world);
}

/// Angle of a unit quaternion's rotation, 0 .. pi.
static double angleOf(const double* q)
{
    return 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), fabs(q[0]));
}

static void jitterAndTurnStayInTheirBoundsAndFillThem(void** state)
{
    (void)state;
    enum { count = 1000 };
    plWorld* world = worldOf(SCENE(
        BALL("a", ", \"grid\": {\"counts\": [10, 10, 10], \"pitch\": [1, 1, 1], \"jitter\": 0.25, "
                  "\"turn\": 0.5}"),
        ""));
    double sum[3] = {0}, farthest = 0, widest = 0, up[3] = {0};
    for (int i = 0; i < count; i++) {
        const int index[] = {i % 10, i / 10 % 10, i / 100};
        double q[7];
        placeOf(world, i, q);
        const double angle = angleOf(q + 3);
        for (int k = 0; k < 3; k++) {
            sum[k] += q[k] - index[k];
            farthest = fmax(farthest, fabs(q[k] - index[k]));
            up[k] += q[4 + k] > 0;
        }
        widest = fmax(widest, angle);
    }
    print_message("farthest %.4f of 0.25, widest %.4f of 0.5\n", farthest, widest);
    assert_true(farthest <= 0.25 && widest < 0.5);
    // Of a thousand and more uniform numbers one is in the last hundredth, but for exp(-10).
    assert_true(farthest > 0.2475 && widest > 0.495);
    for (int k = 0; k < 3; k++) {
        // Five standard deviations: 0.25/sqrt(3 count) of a mean, sqrt(count)/2 of a coin.
        checkNear("mean jitter", sum[k] / count, 0, 5 * 0.25 / sqrt(3.0 * count));
        checkNear("axes of either sign", up[k], count / 2.0, 5 * sqrt(count) / 2);
    }
    plWorld_Destroy(world);
}

static uint64_t hashOf(const char* text)
{
    plWorld* world = worldOf(text);
    uint64_t hash = plWorld_Hash(world);
    plWorld_Destroy(world);
    return hash;
}

static void equalSeedsGiveEqualCopies(void** state)
{
    (void)state;
    const uint64_t first = hashOf(SCENE(BALL("a", GRID(", \"jitter\": 0.1, \"turn\": 1")), ""));
    assert_true(first ==
                hashOf(SCENE(BALL("a", GRID(", \"jitter\": 0.1, \"turn\": 1, \"seed\": 1")), "")));
    assert_true(first !=
                hashOf(SCENE(BALL("a", GRID(", \"jitter\": 0.1, \"turn\": 1, \"seed\": 2")), "")));
}

static void turnsDoNotDependOnTheJitter(void** state)
{
    (void)state;
    plWorld* still = worldOf(SCENE(BALL("a", GRID(", \"turn\": 1")), ""));
    plWorld* shaken = worldOf(SCENE(BALL("a", GRID(", \"turn\": 1, \"jitter\": 0.1")), ""));
    for (int i = 0; i < 12; i++) {
        double p[7], q[7];
        placeOf(still, i, p);
        placeOf(shaken, i, q);
        assert_memory_equal(p + 3, q + 3, 4 * sizeof *p);
        assert_true(p[0] != q[0]);
    }
    plWorld_Destroy(still);
    plWorld_Destroy(shaken);
}

static void planarGridStaysInThePlane(void** state)
{
    (void)state;
    // Without shapes: what may carry some in a planar world is the world's to say.
    plWorld* world = worldOf(SCENE(BALL("a", GRID(", \"jitter\": 0.1, \"turn\": 1")),
                                   ", \"planar\": true, \"gravity\": [0, 0, 0]"));
    int left = 0;
    for (int i = 0; i < 12; i++) {
        double q[7];
        placeOf(world, i, q);
        assert_true(q[2] == 3 + 2 * (i / 6) && q[4] == 0 && q[5] == 0 && q[6] != 0);
        left += q[6] > 0;
    }
    assert_true(left > 0 && left < 12);
    plWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------- files

static char folder[] = "/tmp/palp-scene-XXXXXX";

static const char* inFolder(const char* name)
{
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void writeFile(const char* path, const char* text)
{
    FILE* out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/// A regular tetrahedron about the origin: edge 2 sqrt(2), volume 8/3.
static const char tetrahedron[] = "v 1 1 1\nv 1 -1 -1\nv -1 1 -1\nv -1 -1 1\n"
                                  "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
static const char ofFile[] =
    SCENE(SOLID("a", SHAPE("mesh", ", \"file\": \"t.obj\", \"scale\": 0.5"),
                "") ", " SOLID("b", SHAPE("hull", ", \"file\": \"./t.obj\", \"scale\": 0.5"), ""),
          "");

static void checkTetrahedron(const plWorld* world)
{
    // 1000 (1/2)^3 8/3, and m edge^2/20 about any axis through the centre. Round-off.
    const double m = 1000. / 3, J = m * 2 / 20;
    for (int i = 0; i < plWorld_MechanismCount(world); i++) {
        double M[36];
        assert_int_equal(plWorld_Inertia(world, plWorld_Mechanism(world, i), M, NULL), pl_statusOk);
        checkNear("mass", M[0], m, 1e-12 * m);
        checkNear("inertia", M[28], J, 1e-12 * m);
    }
}

static void filesAreFoundBesideTheScene(void** state)
{
    (void)state;
    plScene *scene, *again;
    plSceneError error;
    writeFile(inFolder("t.obj"), tetrahedron);
    writeFile(inFolder("a.json"), ofFile);
    if (plScene_Load(inFolder("a.json"), NULL, 0, &scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    plWorld* world = create(scene);
    checkTetrahedron(world);

    // The scene's text means the same from anywhere, as a trace needs it.
    const char* text = plScene_Text(scene);
    if (plScene_Parse("elsewhere/b.json", text, strlen(text), NULL, 0, &again, &error) !=
        pl_statusOk)
        fail_msg("%s", error.message);
    plWorld* other = create(again);
    assert_true(plWorld_Hash(world) == plWorld_Hash(other));
    plWorld_Destroy(other);
    plScene_Destroy(again);

    // A scene that was read needs its files no more.
    writeFile(inFolder("t.obj"), "");
    other = create(scene);
    checkTetrahedron(other);
    plWorld_Destroy(other);
    remove(inFolder("t.obj"));
    other = create(scene);
    checkTetrahedron(other);
    plWorld_Destroy(other);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void filesThatFailAreTold(void** state)
{
    (void)state;
    static const struct {
        const char* text; ///< of the file; null: there is none
        plStatus status;
        const char* message;
    } cases[] = {
        {NULL, pl_statusFileOpen, "t.obj: the file cannot be opened: No such file or directory"},
        {"v 0 0 0\nf 1 1\n", pl_statusFileFormat, "t.obj:2: a face needs three corners"},
        {"v 0 0 0\n", pl_statusFileFormat, "t.obj: the file has no triangle"},
    };
    plScene* scene;
    plSceneError error;
    char expected[512];
    writeFile(inFolder("a.json"), ofFile);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].text) writeFile(inFolder("t.obj"), cases[i].text);
        assert_int_equal(plScene_Load(inFolder("a.json"), NULL, 0, &scene, &error),
                         cases[i].status);
        assert_null(scene);
        snprintf(expected, sizeof expected, "%s:1: mechanisms[0].shapes[0].file: %s",
                 inFolder("a.json"), cases[i].message);
        assert_string_equal(error.message, expected);
    }
    remove(inFolder("t.obj"));

    const char* setting = "mechanisms.a.shapes[0].file=.";
    assert_int_equal(plScene_Load(inFolder("a.json"), &setting, 1, &scene, &error),
                     pl_statusFileRead);
    snprintf(expected, sizeof expected,
             "%s: in --set: mechanisms[0].shapes[0].file: .: the file cannot be read: not a "
             "regular file",
             inFolder("a.json"));
    assert_string_equal(error.message, expected);
}

static void openMeshesHaveNoMass(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    writeFile(inFolder("a.json"), ofFile);
    writeFile(inFolder("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_int_equal(plScene_Load(inFolder("a.json"), NULL, 0, &scene, &error),
                     pl_statusSceneContent);
    assert_string_equal(error.path, "mechanisms[0].shapes[0]");
    assert_non_null(strstr(error.message, "the mesh is not closed"));
    remove(inFolder("t.obj"));
}

// ---------------------------------------------------------------------------------- capacity

static void scenesWithoutShapesTakeNoContactMemory(void** state)
{
    (void)state;
    // Materials and ignored parts are checked, and have no effect.
    static const char* const heads[] = {
        "", ", \"materials\": [{\"name\": \"m\"}], \"pairs\": [{\"a\": \"m\", \"b\": \"m\"}], "
            "\"ignore\": [{\"a\": \"ground\", \"b\": {\"mechanism\": \"a\"}}]"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, SCENE(BALL("a", ""), "%s"), heads[i]);
        plScene* scene = parse(text, NULL);
        const plWorldCapacity c = plScene_Capacity(scene);
        assert_int_equal(c.shapes, 0);
        assert_int_equal(c.materials, 0);
        assert_int_equal(c.contacts, 0);
        assert_int_equal(c.pairs, 0);
        assert_int_equal(c.ignored, 0);
        assert_true(c.memory < 2 << 20);
        plWorld_Destroy(create(scene));
        plScene_Destroy(scene);
    }
}

static plWorldCapacity capacityOf(const char* text, const char* setting)
{
    plScene* scene = parse(text, setting);
    const plWorldCapacity c = plScene_Capacity(scene);
    plWorld* world = create(scene);
    const plMemory memory = plWorld_Memory(world);
    print_message("%d shapes, %d contacts: %.1f of %.1f MB used\n", c.shapes, c.contacts,
                  1e-6 * (double)memory.used, 1e-6 * (double)c.memory);
    // Enough at once; arenas round up to whole lines of memory.
    if (memory.capacity > c.memory + 1024)
        fail_msg("%zu bytes were wanted, %zu planned", memory.capacity, c.memory);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    return c;
}

static void contactCapacityFollowsFromTheContent(void** state)
{
    (void)state;
    static const char few[] =
        SCENE(SOLID("a", ROUND, ""),
              ", \"materials\": [{\"name\": \"m\"}], \"ignore\": [{\"a\": \"ground\", \"b\": "
              "{\"mechanism\": \"a\"}}]" GROUND(SHAPE("plane", "")));
    plWorldCapacity c = capacityOf(few, NULL);
    assert_true(c.shapes >= 2 && c.materials >= 1 && c.ignored >= 1);
    assert_int_equal(c.contacts, 64);
    assert_int_equal(c.pairs, 256);

    static const char many[] = SCENE(
        SOLID("a", ROUND ", " ROUND, ", \"grid\": {\"counts\": [10, 10, 2], \"pitch\": [2, 2, 2]}"),
        GROUND(SHAPE("plane", "")));
    c = capacityOf(many, NULL);
    assert_true(c.shapes >= 401 && c.pairs >= 24 * 401);
    assert_int_equal(c.contacts, 24 * 200);

    c = capacityOf(many, "capacity={\"shapes\": 500, \"materials\": 3, \"contacts\": 100, "
                         "\"pairs\": 1000, \"ignored\": 2}");
    assert_true(c.shapes == 500 && c.materials == 3 && c.contacts == 100 && c.pairs == 1000 &&
                c.ignored == 2);

    // Room for shapes that come later.
    c = capacityOf(SCENE(BALL("a", ""), ""), "capacity={\"shapes\": 10}");
    assert_true(c.shapes == 10 && c.contacts == 64 && c.pairs == 256);
}

static void everythingThatMayBeGivenHasMemory(void** state)
{
    (void)state;
    plWorldCapacity c = capacityOf(
        SCENE(SOLID("a", ROUND, ", \"grid\": {\"counts\": [16, 16, 16], \"pitch\": [2, 2, 2]}"),
              GROUND(SHAPE("plane", ""))),
        NULL);
    assert_int_equal(c.contacts, 16384);

    // Many shapes on few parts: the state of their pairs is most of it.
    enum { count = 4000, each = 64 };
    char* text = malloc(1024 + count * each);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{\"mechanisms\": [%s], \"ground\": {\"shapes\": [",
                                  SOLID("a", ROUND, ""));
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, each, "%s{\"type\": \"box\", \"half\": [1, 1, 1]}",
                                 i > 0 ? "," : "");
    sprintf(text + used, "]}}");
    c = capacityOf(text, NULL);
    assert_true(c.shapes > count && c.pairs >= 24 * count);
    assert_int_equal(c.contacts, 64);
    free(text);
}

static void rowsOfLinksLeaveRoomForContacts(void** state)
{
    (void)state;
#define LINKS                                                                                      \
    ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\"}, \"b\": \"ground\", "           \
    "\"stiffness\": 1}, {\"name\": \"k\", \"a\": {\"mechanism\": \"b\"}, \"b\": \"ground\", "      \
    "\"stiffness\": 1, \"turns\": true, \"turnStiffness\": 1}]"
    // Contacts may join the two groups; without shapes the larger one counts.
    plWorldCapacity c =
        capacityOf(SCENE(BALL("a", SHAPES(ROUND)) ", " BALL("b", SHAPES(ROUND)), LINKS), NULL);
    assert_int_equal(c.rows, 3 + 6 + 3 * 160);
    c = capacityOf(SCENE(BALL("a", "") ", " BALL("b", ""), LINKS), NULL);
    assert_true(c.rows >= 6 && c.rows < 3 * 160);
#undef LINKS
}

static int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void** state)
{
    (void)state;
    remove(inFolder("a.json"));
    remove(inFolder("t.obj"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densityGivesTheMassOfABox),
        cmocka_unit_test(shapesOfOneDensityAreWeighedTogether),
        cmocka_unit_test(centreOfMassMayBeOffByAMillionth),
        cmocka_unit_test(densityGivesABodyItsCentre),
        cmocka_unit_test(gridIsCountedAlongXFirst),
        cmocka_unit_test(jitterAndTurnStayInTheirBoundsAndFillThem),
        cmocka_unit_test(equalSeedsGiveEqualCopies),
        cmocka_unit_test(turnsDoNotDependOnTheJitter),
        cmocka_unit_test(planarGridStaysInThePlane),
        cmocka_unit_test(filesAreFoundBesideTheScene),
        cmocka_unit_test(filesThatFailAreTold),
        cmocka_unit_test(openMeshesHaveNoMass),
        cmocka_unit_test(scenesWithoutShapesTakeNoContactMemory),
        cmocka_unit_test(contactCapacityFollowsFromTheContent),
        cmocka_unit_test(everythingThatMayBeGivenHasMemory),
        cmocka_unit_test(rowsOfLinksLeaveRoomForContacts),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
