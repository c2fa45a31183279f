// Scenes: every one that we ship runs, and a world is what its scene says.
#include "palp/soft.h"
#include "scene_text.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------------------ the files

static void runScene(const char* file)
{
    plScene* scene;
    plSceneError error;
    if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    assert_true(strcmp(plScene_Title(scene), "untitled") != 0);
    assert_true(plScene_Description(scene)[0] != '\0');
    assert_true(plScene_ChannelCount(scene) > 0);
    plWorld* world = create(scene);
    plStepper stepper = plScene_Stepper(scene);
    double time = 0;
    for (int i = 0; i < 10; i++) {
        double T = plStepper_Next(&stepper);
        plWorld_Step(world, T);
        time += T;
        // A guarded step is a legal answer, to gravity for example, and so is the best iterate of a
        // law where a hundred contacts hit at once; these are not.
        int trouble = plWorld_Report(world).trouble & ~(pl_troubleGuarded | pl_troubleLaw);
        if (trouble) fail_msg("%s: trouble %d at step %d", file, trouble, i);
    }
    // Ten additions.
    assert_true(fabs(plWorld_Time(world) - time) < 1e-14);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void aSceneOfTheGalleryIsFoundByItsName(void** state)
{
    (void)state;
    plScene *byName, *byPath;
    assert_int_equal(plScene_Load("arm", NULL, 0, &byName, NULL), pl_statusOk);
    assert_int_equal(plScene_Load("scenes/arm.json", NULL, 0, &byPath, NULL), pl_statusOk);
    assert_string_equal(plScene_Text(byName), plScene_Text(byPath));
    plScene_Destroy(byName);
    plScene_Destroy(byPath);
}

static void everySceneRuns(void** state)
{
    (void)state;
    DIR* folder = opendir("scenes");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(folder));) {
        const char* dot = strchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".json") != 0) continue;
        char path[300];
        snprintf(path, sizeof path, "scenes/%s", entry->d_name);
        runScene(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 12);
}

static void runText(const char* text)
{
    plScene* scene = parse(text, NULL);
    plWorld* world = create(scene);
    for (int i = 0; i < 10; i++) plWorld_Step(world, plScene_Step(scene));
    assert_int_equal(plWorld_Report(world).trouble & ~pl_troubleGuarded, 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void examplesOfTheReferenceRun(void** state)
{
    (void)state;
    static char text[1 << 16];
    FILE* in = fopen("doc/scene.md", "rb");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    int count = 0;
    for (char* start = text; (start = strstr(start, "```json\n")); count++) {
        char* end = strstr(start + 8, "```");
        assert_non_null(end);
        *end = '\0';
        runText(start + 8);
        start = end + 3;
    }
    assert_int_equal(count, 6);
}

static void armHasTheInertiaOfTwoRods(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    assert_int_equal(plScene_Load("scenes/arm.json", NULL, 0, &scene, &error), 0);
    plWorld* world = create(scene);
    plMechanismId arm;
    double q[2], M[4];
    assert_int_equal(plWorld_FindMechanism(world, "arm", &arm), 0);
    assert_int_equal(plWorld_State(world, arm, q, NULL), 0);
    assert_int_equal(plWorld_Inertia(world, arm, M, NULL), 0);
    assert_true(q[0] == 1 && q[1] == -0.5);
    // Rods of 1 m and 1 kg: M11 = 5/3 + cos q2, M12 = 1/3 + cos(q2)/2, M22 = 1/3; round-off.
    const double expected[] = {5. / 3 + cos(0.5), 1. / 3 + cos(0.5) / 2, 1. / 3 + cos(0.5) / 2,
                               1. / 3};
    for (int i = 0; i < 4; i++)
        if (!(fabs(M[i] - expected[i]) < 1e-14)) fail_msg("M[%d] %.17g", i, M[i]);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void corpusIsHandled(void** state)
{
    (void)state;
    static const char folderPath[] = "test/fuzz/corpus/scene_fuzz";
    DIR* folder = opendir(folderPath);
    assert_non_null(folder);
    int good = 0, bad = 0;
    for (struct dirent* entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char path[400];
        plScene* scene;
        plSceneError error;
        snprintf(path, sizeof path, "%s/%s", folderPath, entry->d_name);
        if (plScene_Load(path, NULL, 0, &scene, &error) == pl_statusOk)
            good++;
        else if (error.message[0])
            bad++;
        else
            fail_msg("%s fails without a message", path);
        plScene_Destroy(scene);
    }
    closedir(folder);
    assert_true(good >= 17 && bad >= 14);
}

// ----------------------------------------------------------------------------- the content

static void defaultsAreThoseOfTheReference(void** state)
{
    (void)state;
    plScene* scene = parse(SCENE(BALL("a", ""), ""), NULL);
    assert_string_equal(plScene_Title(scene), "untitled");
    assert_string_equal(plScene_Description(scene), "");
    assert_true(plScene_Time(scene) == 10);
    assert_true(plScene_Step(scene) == 0.001);
    assert_int_equal(plScene_ChannelCount(scene), 5);
    assert_string_equal(plScene_Channel(scene, 0), "time");
    assert_string_equal(plScene_Channel(scene, 4), "potential");
    plWorld* world = create(scene);
    double v[6];
    for (int i = 0; i < 10; i++) plWorld_Step(world, 0.01);
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 0), NULL, v), 0);
    // A constant force is integrated exactly, but for round-off.
    assert_true(fabs(v[2] + 9.81 * 0.1) < 1e-14);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void orientationsOfBothKindsAgree(void** state)
{
    (void)state;
    plScene* scene = parse(
        SCENE(BALL("a", ", \"orientation\": {\"axis\": [0, 0, 5], \"angle\": "
                        "1.5707963267948966}") "," BALL("b", ", \"orientation\": [2, 0, 0, 2]"),
              ""),
        NULL);
    plWorld* world = create(scene);
    double a[7], b[7];
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 0), a, NULL), 0);
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 1), b, NULL), 0);
    for (int i = 0; i < 7; i++) assert_true(fabs(a[i] - b[i]) < 1e-15); // round-off of cos, sin
    assert_true(fabs(a[3] - sqrt(0.5)) < 1e-15 && fabs(a[6] - sqrt(0.5)) < 1e-15);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void linksAndDrivesReachTheirSites(void** state)
{
    (void)state;
    // A unit force for one second on a ball that hangs on nothing, and on a chain's coordinate.
    plScene* scene =
        parse(SCENE(BALL("a", "") "," CHAIN(ROD("u", ""), ""),
                    ", \"gravity\": [0, 0, 0], \"drives\": [{\"mechanism\": \"a\", \"force\": "
                    "[1, 0, 0]}, {\"mechanism\": \"c\", \"coordinate\": 0, \"effort\": 2}]"
                    ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": \"a\"}, \"b\": "
                    "{\"mechanism\": \"c\", \"part\": \"u\"}, \"stiffness\": 0, \"damping\": 0}]"),
              "links=[]");
    plWorld* world = create(scene);
    for (int i = 0; i < 10; i++) plWorld_Step(world, 0.1);
    double v[6];
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 0), NULL, v), 0);
    assert_true(fabs(v[0] - 1) < 1e-14); // round-off
    assert_int_equal(plWorld_State(world, plWorld_Mechanism(world, 1), NULL, v), 0);
    assert_true(fabs(v[0] - 6) < 1e-13); // 2 N m on m l^2/3; round-off
    assert_int_equal(plWorld_LinkCount(world), 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void rigidLinkOfAScenePullsAtItsPoint(void** state)
{
    (void)state;
    plScene* scene;
    plSceneError error;
    assert_int_equal(plScene_Load("scenes/pendulum-links.json", NULL, 0, &scene, &error), 0);
    plWorld* world = create(scene);
    plLinkId hook;
    plMotion end;
    assert_int_equal(plWorld_FindLink(world, "hook", &hook), 0);
    plSite site = {plWorld_Mechanism(world, 0), 0, {-0.25, 0, 0}};
    for (int i = 0; i < 100; i++) plWorld_Step(world, 0.001);
    assert_int_equal(plWorld_Motion(world, site, &end), 0);
    // Rigid links are held to the world's own correction of drift, far below this.
    assert_true(fabs(end.x.x) < 1e-6 && fabs(end.x.y) < 1e-6 && fabs(end.x.z) < 1e-6);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void capacityFollowsFromTheContent(void** state)
{
    (void)state;
    plScene* scene = parse(
        SCENE(BALL("a", "") "," BALL("b", "") "," BALL("d", "") "," BALL("e", ""),
              ", \"links\": ["
              "{\"name\": \"l1\", \"a\": {\"mechanism\": \"a\"}, \"b\": {\"mechanism\": \"b\"}, "
              "\"stiffness\": 1},"
              "{\"name\": \"l2\", \"a\": {\"mechanism\": \"d\"}, \"b\": {\"mechanism\": \"e\"}, "
              "\"stiffness\": 1, \"turns\": true, \"turnStiffness\": 1},"
              "{\"name\": \"l3\", \"a\": {\"mechanism\": \"d\"}, \"b\": \"ground\", "
              "\"stiffness\": 1}]"),
        "capacity={\"rows\": 9, \"links\": 3, \"mechanisms\": 40}");
    plWorldCapacity capacity = plScene_Capacity(scene);
    assert_int_equal(capacity.rows, 9); // of the larger group: 6 + 3
    assert_int_equal(capacity.mechanisms, 40);
    assert_true(capacity.drives >= 0 && capacity.memory > 0);
    plWorld_Destroy(create(scene));
    plScene_Destroy(scene);
}

// ------------------------------------------------------------------------------- settings

static double stateAfter(const char* setting, const char* mechanism, int index)
{
    plScene* scene = parse(TWO_MECHANISMS, setting);
    plWorld* world = create(scene);
    plMechanismId id;
    double q[16];
    assert_int_equal(plWorld_FindMechanism(world, mechanism, &id), 0);
    assert_int_equal(plWorld_State(world, id, q, NULL), 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    return q[index];
}

static void settingsReplaceValuesByNameAndIndex(void** state)
{
    (void)state;
    assert_true(stateAfter("mechanisms.c.bodies.l.start=0.25", "c", 1) == 0.25);
    assert_true(stateAfter("mechanisms[1].bodies[0].start=-2", "c", 0) == -2);
    assert_true(stateAfter("mechanisms.ball.position=[1,2,3]", "ball", 2) == 3);
    assert_true(stateAfter("mechanisms[1]."
                           "name=d",
                           "d", 0) == 0);
    assert_true(stateAfter("mechanisms.c.bodies[1]={\"name\": \"z\", \"joint\": \"prismatic\", "
                           "\"mass\": 2, \"start\": 7}",
                           "c", 1) == 7);
}

static void textHoldsTheSettings(void** state)
{
    (void)state;
    plScene* first = parse(TWO_MECHANISMS, "mechanisms.c.bodies.l.start=0.1");
    plScene* second = parse(plScene_Text(first), NULL);
    plScene* plain = parse(TWO_MECHANISMS, NULL);
    assert_string_equal(plScene_Text(plain), TWO_MECHANISMS);
    plWorld* worlds[] = {create(first), create(second), create(plain)};
    assert_true(plWorld_Hash(worlds[0]) == plWorld_Hash(worlds[1]));
    assert_true(plWorld_Hash(worlds[0]) != plWorld_Hash(worlds[2]));
    for (int i = 0; i < 3; i++) plWorld_Destroy(worlds[i]);
    plScene_Destroy(plain);
    plScene_Destroy(second);
    plScene_Destroy(first);
}

// ---------------------------------------------------------------------------------- steps

static void stepsAreConstantOrUniform(void** state)
{
    (void)state;
    plScene* scene = parse(TWO_MECHANISMS, "step=0.004");
    plStepper stepper = plScene_Stepper(scene);
    for (int i = 0; i < 3; i++) assert_true(plStepper_Next(&stepper) == 0.004);
    plScene_Destroy(scene);

    scene = parse(TWO_MECHANISMS, "step={\"min\": 0.01, \"max\": 0.03, \"seed\": 5}");
    plStepper a = plScene_Stepper(scene), b = plScene_Stepper(scene);
    double sum = 0;
    int low = 0;
    enum { count = 10000 };
    for (int i = 0; i < count; i++) {
        double T = plStepper_Next(&a);
        assert_true(T == plStepper_Next(&b));
        assert_true(T >= 0.01 && T < 0.03);
        sum += T;
        low += T < 0.015;
    }
    // Five standard deviations: 0.02/sqrt(12 count) of the mean, sqrt(count 3/16) of the quarter.
    assert_true(fabs(sum / count - plScene_Step(scene)) < 5 * 0.02 / sqrt(12.0 * count));
    assert_true(fabs(low - count / 4.0) < 5 * sqrt(count * 3.0 / 16));
    plScene_Destroy(scene);

    scene = parse(TWO_MECHANISMS, "step={\"min\": 0.01, \"max\": 0.03, \"seed\": 6}");
    plStepper c = plScene_Stepper(scene);
    assert_true(plStepper_Next(&c) != plStepper_Next(&b));
    plScene_Destroy(scene);
}

// ----------------------------------------------------------------------------- the schema

static json_t* loadSchema(void)
{
    json_error_t error;
    json_t* schema = json_load_file("scenes/scene.schema.json", 0, &error);
    if (!schema) fail_msg("%s", error.text);
    return schema;
}

static json_t* within(json_t* value, const char* path)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", path);
    for (char* key = strtok(copy, "/"); key; key = strtok(NULL, "/"))
        value = json_object_get(value, key);
    if (!value) fail_msg("%s is not in the schema", path);
    return value;
}

static void schemaHasTheNamesOfTheLists(void** state)
{
    (void)state;
    const struct {
        const char* path;
        int count;
        const char* (*name)(int);
    } lists[] = {
        {"$defs/integrator/enum", pl_integratorCount, plIntegrator_Name},
        {"properties/law/enum", pl_lawCount, plLawName_Name},
        {"properties/contact/properties/bias/enum", pl_biasCount, plBias_Name},
        {"properties/contact/properties/collision/enum", pl_collisionCount, plCollision_Name},
        {"$defs/shape/properties/type/enum", pl_shapeCount, plShapeKind_Name},
        {"$defs/action/enum", pl_actionCount, plAction_Name},
        {"$defs/soft/properties/model/enum", pl_softModelCount, plSoftModel_Name},
        {"$defs/coefficients/enum", pl_coefficientsCount, plCoefficients_Name},
        {"$defs/chain/properties/route/enum", pl_routeCount, plRoute_Name},
        {"$defs/body/properties/joint/enum", pl_jointCount, plJoint_Name},
        {"$defs/link/properties/form/enum", pl_linkFormCount, plLinkForm_Name},
        {"$defs/jointedJoint/properties/type/enum", pl_constraintCount, plConstraint_Name},
        {"$defs/jointedJoint/properties/guide/enum", pl_guideCount, plGuide_Name},
        {"$defs/device/properties/model/enum", plDeviceModel_Count(), plDeviceModel_Name},
        {"$defs/pantograph/properties/preset/enum", pl_pantographCount, plPantographPreset_Name},
        {"$defs/pantograph/properties/observer/enum", pl_observerCount, plObserverKind_Name},
        {"$defs/pantograph/properties/rate/enum", pl_rateCount, plRateKind_Name},
        {"$defs/pantograph/properties/motors/enum", pl_motorCount, plMotorLimit_Name},
        {"$defs/hand/properties/type/enum", pl_handCount, plHandKind_Name},
        {"$defs/coupling/properties/type/enum", pl_couplingCount, plCouplingKind_Name},
        {"$defs/coupling/properties/limit/enum", pl_limitCount, plLimit_Name},
        {"$defs/coupling/properties/feedback/enum", pl_feedbackCount, plFeedback_Name},
        {"$defs/coupling/properties/projection/enum", pl_projectionCount, plProjection_Name},
    };
    json_t* schema = loadSchema();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        json_t* names = within(schema, lists[i].path);
        assert_int_equal(json_array_size(names), lists[i].count);
        for (int k = 0; k < lists[i].count; k++)
            assert_string_equal(json_string_value(json_array_get(names, (size_t)k)),
                                lists[i].name(k));
    }
    json_decref(schema);
}

/// The first of the keys that the reader lists when it meets one that it does not know; strtok
/// gives the others. `list` holds 800 characters.
static char* knownKeys(const char* text, char* list)
{
    plSceneError error = errorOf(text, NULL);
    const char* keys = strstr(error.message, "expected one of ");
    if (!keys) fail_msg("%s", error.message);
    snprintf(list, 800, "%s", keys + 16);
    return strtok(list, ", ");
}

#define ODD "\"!!!!!!!!!!\": 1"

static void schemaHasTheKeysOfTheReader(void** state)
{
    (void)state;
    static const struct {
        const char* path;
        const char* text;
    } objects[] = {
        {"properties", "{" ODD "}"},
        {"properties/capacity/properties", SCENE(BALL("a", ""), ", \"capacity\": {" ODD "}")},
        {"properties/record/properties", SCENE(BALL("a", ""), ", \"record\": {" ODD "}")},
        {"$defs/assembly/properties", SCENE(BALL("a", ", " ODD), "")},
        {"$defs/assembly/properties/anchor/properties",
         SCENE(BALL("a", ", \"anchor\": {" ODD "}"), "")},
        {"$defs/chain/properties", SCENE(CHAIN("", ", " ODD), "")},
        {"$defs/body/properties", SCENE(CHAIN("{" ODD "}", ""), "")},
        {"$defs/link/properties", SCENE(BALL("a", ""), ", \"links\": [{" ODD "}]")},
        {"$defs/place/properties",
         SCENE(BALL("a", ""),
               ", \"links\": [{\"name\": \"l\", \"a\": {" ODD "}, \"b\": \"ground\", "
               "\"stiffness\": 1}]")},
        {"$defs/drive/properties", SCENE(BALL("a", ""), ", \"drives\": [{" ODD "}]")},
        {"$defs/prescribed/properties",
         SCENE("{\"type\": \"prescribed\", \"name\": \"f\", " ODD "}", "")},
        {"$defs/soft/properties", SCENE("{\"type\": \"soft\", \"name\": \"f\", " ODD "}", "")},
        {"$defs/tets/properties",
         SCENE("{\"type\": \"soft\", \"name\": \"f\", \"mesh\": {" ODD "}}", "")},
        {"$defs/tets/properties/clip/properties",
         SCENE("{\"type\": \"soft\", \"name\": \"f\", \"mesh\": {\"clip\": {" ODD "}}}", "")},
        {"$defs/tets/properties/pipe/properties",
         SCENE("{\"type\": \"soft\", \"name\": \"f\", \"mesh\": {\"pipe\": {" ODD "}}}", "")},
        {"$defs/device/properties", SCENE(BALL("a", ""), ", \"devices\": [{" ODD "}]")},
        {"$defs/pantograph/properties",
         SCENE(BALL("a", ""), ", \"devices\": [{\"name\": \"d\", \"pantograph\": {" ODD "}}]")},
        {"$defs/hand/properties",
         SCENE(BALL("a", ""), ", \"devices\": [{\"name\": \"d\", \"hand\": {" ODD "}}]")},
        {"$defs/waypoint/properties",
         SCENE(BALL("a", ""), ", \"devices\": [{\"name\": \"d\", \"hand\": {\"type\": "
                              "\"impedance\", \"waypoints\": [{" ODD "}]}}]")},
        {"$defs/coupling/properties", SCENE(BALL("a", ""), ", \"couplings\": [{" ODD "}]")},
        {"$defs/finger/properties",
         SCENE(BALL("a", ""),
               ", \"devices\": [{\"name\": \"d\"}], \"couplings\": [{\"name\": "
               "\"c\", \"device\": \"d\", \"type\": \"grip\", \"fingers\": [{" ODD "}]}]")},
        {"properties/contact/properties", SCENE(BALL("a", ""), ", \"contact\": {" ODD "}")},
        {"properties/contact/properties/surface/properties",
         SCENE(BALL("a", ""), ", \"contact\": {\"surface\": {" ODD "}}")},
        {"$defs/material/properties", SCENE(BALL("a", ""), ", \"materials\": [{" ODD "}]")},
        {"$defs/pair/properties", SCENE(BALL("a", ""), ", \"pairs\": [{" ODD "}]")},
        {"properties/ground/properties", SCENE(BALL("a", ""), ", \"ground\": {" ODD "}")},
        {"properties/ignore/items/properties", SCENE(BALL("a", ""), ", \"ignore\": [{" ODD "}]")},
        {"$defs/assembly/properties/grid/properties",
         SCENE(BALL("a", ", \"grid\": {" ODD "}"), "")},
    };
    json_t* schema = loadSchema();
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        json_t* keys = within(schema, objects[i].path);
        char text[800];
        int count = 0;
        for (char* key = knownKeys(objects[i].text, text); key; key = strtok(NULL, ", "), count++)
            if (!json_object_get(keys, key)) fail_msg("%s has no %s", objects[i].path, key);
        assert_int_equal(count, json_object_size(keys));
    }
    json_decref(schema);
}

/// A shape has the keys of its type, a piece of a compound those that are left.
static void schemaHasTheKeysOfEveryShape(void** state)
{
    (void)state;
    json_t* schema = loadSchema();
    json_t* whole = within(schema, "$defs/shape/properties");
    json_t* notOfPieces = within(schema, "$defs/piece/properties");
    for (int kind = 0; kind < pl_shapeCount; kind++) {
        char path[64], text[800], scene[256];
        const char* name = plShapeKind_Name(kind);
        snprintf(path, sizeof path, "$defs/%s/propertyNames/enum", name);
        json_t* keys = within(schema, path);
        snprintf(scene, sizeof scene, SCENE(BALL("a", ""), GROUND("{\"type\": \"%s\", " ODD "}")),
                 name);
        size_t count = 0;
        for (char* key = knownKeys(scene, text); key; key = strtok(NULL, ", "), count++) {
            assert_string_equal(key, json_string_value(json_array_get(keys, count)));
            assert_non_null(json_object_get(whole, key));
        }
        assert_int_equal(count, json_array_size(keys));
        if (kind == pl_shapePlane || kind >= pl_shapeCompound) continue;
        snprintf(scene, sizeof scene,
                 SCENE(BALL("a", ""), GROUND("{\"type\": \"compound\", \"pieces\": [{\"type\": "
                                             "\"%s\", " ODD "}]}")),
                 name);
        for (char* key = knownKeys(scene, text); key; key = strtok(NULL, ", "), count--)
            assert_false(json_is_false(json_object_get(notOfPieces, key)));
        assert_int_equal(count, 3); // material, group and mask
    }
    json_decref(schema);
}
#undef ODD

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSceneOfTheGalleryIsFoundByItsName),
        cmocka_unit_test(everySceneRuns),
        cmocka_unit_test(examplesOfTheReferenceRun),
        cmocka_unit_test(armHasTheInertiaOfTwoRods),
        cmocka_unit_test(corpusIsHandled),
        cmocka_unit_test(defaultsAreThoseOfTheReference),
        cmocka_unit_test(orientationsOfBothKindsAgree),
        cmocka_unit_test(linksAndDrivesReachTheirSites),
        cmocka_unit_test(rigidLinkOfAScenePullsAtItsPoint),
        cmocka_unit_test(capacityFollowsFromTheContent),
        cmocka_unit_test(settingsReplaceValuesByNameAndIndex),
        cmocka_unit_test(textHoldsTheSettings),
        cmocka_unit_test(stepsAreConstantOrUniform),
        cmocka_unit_test(schemaHasTheNamesOfTheLists),
        cmocka_unit_test(schemaHasTheKeysOfTheReader),
        cmocka_unit_test(schemaHasTheKeysOfEveryShape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
