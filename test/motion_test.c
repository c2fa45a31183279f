// Recorded motion as a hand in a scene: what the file may say, what is told of mistakes, and that it
// moves as waypoints do.
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"
#include "math/math.h"
#include "scene/motion.h"
#include "scene_text.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

static plWaypoint* points;
static int count;
static char message[plMotionMessage];

static plStatus parseMotion(const char* text)
{
    free(points);
    return plMotion_Parse("hand.csv", text, strlen(text), &points, &count, message);
}

// --- the text

static void columnsAreFoundByTheirNames(void** state)
{
    (void)state;
    assert_int_equal(parseMotion("time,x,y,z\n0,1,2,3\n0.5,-1e-3,+2.,.25\n"), pl_statusOk);
    assert_int_equal(count, 2);
    assert_true(points[1].time == 0.5 && points[1].pose.p.x == -1e-3);
    assert_true(points[1].pose.p.y == 2 && points[1].pose.p.z == 0.25);
    assert_true(points[1].pose.q.w == 1);
    assert_int_equal(parseMotion(" z , angle,time,y,x\r\n\r\n3, 1, -7 ,2,1\r\n \n"), pl_statusOk);
    assert_int_equal(count, 1);
    assert_true(points[0].time == -7 && points[0].pose.p.x == 1 && points[0].pose.p.z == 3);
    assert_true(fabs(points[0].pose.q.z - sin(0.5)) < 1e-15);
    assert_int_equal(parseMotion("time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,2,0,0"), pl_statusOk);
    assert_true(points[0].pose.q.x == 1 && points[0].pose.q.w == 0); // made unit
}

static void mistakesNameTheirLine(void** state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"",
         "hand.csv:1: found a column \"\", expected time, x, y, z, and angle or qw, qx, qy, qz"},
        {"t,x,y,z\n", "hand.csv:1: found a column \"t\", expected time, x, y, z, and angle or qw, "
                      "qx, qy, qz"},
        {"time,x,x,z\n", "hand.csv:1: found the column \"x\" twice"},
        {"time,x,z\n", "hand.csv:1: found no column \"y\""},
        {"time,x,y,z,qw,qx\n", "hand.csv:1: found 2 of the columns qw, qx, qy, qz"},
        {"time,x,y,z,qw,qx,qy,qz,angle\n",
         "hand.csv:1: found angle beside qw, qx, qy, qz, expected one of them"},
        {"time,x,y,z\n\n", "hand.csv:3: found no rows, expected at least one"},
        {"time,x,y,z\n0,0,0,0\n\n1,0,a,0\n", "hand.csv:4: found \"a\" as y, expected a number"},
        {"time,x,y,z\n0,nan,0,0\n", "hand.csv:2: found \"nan\" as x, expected a number"},
        {"time,x,y,z\n0,1e999,0,0\n", "hand.csv:2: found \"1e999\" as x, expected a number"},
        {"time,x,y,z\n0,0x1,0,0\n", "hand.csv:2: found \"0x1\" as x, expected a number"},
        {"time,x,y,z\n0,,0,0\n", "hand.csv:2: found \"\" as x, expected a number"},
        {"time,x,y,z\n0,\"1\",0,0\n", "hand.csv:2: found \"\"1\"\" as x, expected a number"},
        {"time,x,y,z\n0,0,0\n", "hand.csv:2: found only 3 values, expected as many as columns"},
        {"time,x,y,z\n0,0,0,0,\n",
         "hand.csv:2: found more than 4 values, expected as many as columns"},
        {"time,x,y,z\n0,0,0,0\n0,0,0,0\n",
         "hand.csv:3: found time 0 after 0, expected a later one"},
        {"time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n",
         "hand.csv:2: found a quaternion of no direction"},
        {"time,x,y,z\n\1\xc3,0,0,0\n", "hand.csv:2: found \"??\" as time, expected a number"},
    };
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); i++) {
        assert_int_equal(parseMotion(cases[i].text), pl_statusFileFormat);
        assert_string_equal(message, cases[i].message);
        assert_true(points == NULL && count == 0);
    }
}

static void aPointIsAPointInEveryLocale(void** state)
{
    static const char* const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    int found = 0;
    (void)state;
    for (int i = 0; i < PL_COUNT(locales); i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        found++;
        assert_int_equal(parseMotion("time,x,y,z\n0.25,1.5,0,0\n"), pl_statusOk);
        assert_true(points[0].time == 0.25 && points[0].pose.p.x == 1.5);
    }
    setlocale(LC_NUMERIC, "C");
    if (!found) skipTest("no locale with a decimal comma is installed");
}

// As many rows as a hand may have, and one more.
static void tooManyRowsAreRefused(void** state)
{
    (void)state;
    const size_t room = 16 * (size_t)(plHandPoints + 2);
    char* text = malloc(room);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, room, "time,x,y,z\n");
    for (int i = 0; i < plHandPoints; i++)
        length += (size_t)snprintf(text + length, room - length, "%d,0,0,0\n", i);
    assert_int_equal(parseMotion(text), pl_statusOk);
    assert_int_equal(count, plHandPoints);
    snprintf(text + length, room - length, "1e9,0,0,0\n");
    assert_int_equal(parseMotion(text), pl_statusFileFormat);
    assert_non_null(strstr(message, "hand.csv:131074: found more than 131072 rows"));
    free(text);
}

// Cut and broken anywhere, a file is read or refused, and nothing else.
static void brokenTextIsReadOrRefused(void** state)
{
    static const char good[] =
        "time,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n1.5,1e-3,2,3,.5,.5,.5,.5\n";
    plRng rng = plRng_Seed(3);
    int refused = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof good];
        const size_t length = plRng_Next(&rng) % sizeof good;
        memcpy(text, good, sizeof good);
        for (uint64_t k = plRng_Next(&rng) % 4; k > 0; k--)
            text[plRng_Next(&rng) % sizeof good] = (char)(plRng_Next(&rng) % 256);
        char* exact = malloc(length + 1); // so that a byte too far is seen
        assert_non_null(exact);
        memcpy(exact, text, length);
        free(points);
        const plStatus status = plMotion_Parse("f", exact, length, &points, &count, message);
        refused += status != pl_statusOk;
        assert_true(status == pl_statusOk ? count > 0 && !message[0] : message[0] != '\0');
        free(exact);
    }
    assert_true(refused > 1000 && refused < 20000);
}

// --- in a scene

#define HAND(more)                                                                                 \
    "{\"mechanisms\": [" BALL("ball", "") "], \"devices\": [{\"name\": \"stick\", \"hand\": "      \
                                          "{\"type\": \"impedance\", \"stiffness\": 100" more      \
                                          "}}]}"

static void spit(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t hashAfter(const plScene* scene, int steps)
{
    plWorld* world = create(scene);
    for (int i = 0; i < steps; i++) plWorld_Step(world, 1e-3);
    const uint64_t hash = plWorld_Hash(world);
    plWorld_Destroy(world);
    return hash;
}

static void aMotionMovesAsItsWaypointsDo(void** state)
{
    char folder[] = "/tmp/palp-motion-XXXXXX", path[64], file[64], text[600];
    plScene *scene, *again;
    plSceneError error;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/hand.csv", folder);
    snprintf(file, sizeof file, "%s/a.json", folder);
    spit(path, "time,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n0.1,0.02,0,-0.01,0.8,0,0,0.6\n"
               "0.3,0,0.01,0,1,0,0,0\n");
    spit(file, HAND(", \"turnStiffness\": 1, \"motion\": \"hand.csv\""));
    if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    plScene* own = parse(
        HAND(", \"turnStiffness\": 1, \"waypoints\": [{\"time\": 0, \"position\": [0, 0, 0]}, "
             "{\"time\": 0.1, \"position\": [0.02, 0, -0.01], \"orientation\": [0.8, 0, 0, 0.6]}, "
             "{\"time\": 0.3, \"position\": [0, 0.01, 0]}]"),
        NULL);
    assert_true(hashAfter(scene, 400) == hashAfter(own, 400));
    assert_true(hashAfter(own, 400) != hashAfter(own, 399));
    // The text as it is recorded means the same elsewhere.
    snprintf(text, sizeof text, "%s", plScene_Text(scene));
    assert_non_null(strstr(text, path));
    again = parse(text, NULL);
    assert_true(hashAfter(again, 400) == hashAfter(own, 400));
    // Once read, it stays as it was.
    spit(path, "time,x,y,z\n0,0,0,0\n");
    assert_true(hashAfter(scene, 400) == hashAfter(own, 400));
    plScene_Destroy(again);
    plScene_Destroy(own);
    plScene_Destroy(scene);
    spit(path, "time,x,y,z\n0,0,0,zero\n");
    assert_int_equal(plScene_Load(file, NULL, 0, &scene, &error), pl_statusFileFormat);
    assert_non_null(
        strstr(error.message, "devices[0].hand.motion: hand.csv:2: found \"zero\" as z"));
    remove(path);
    assert_int_equal(plScene_Load(file, NULL, 0, &scene, &error), pl_statusFileOpen);
    assert_non_null(strstr(error.message, "devices[0].hand.motion: hand.csv: "));
    remove(file);
    rmdir(folder);
}

static void aMotionStandsAlone(void** state)
{
    static const Mistake cases[] = {
        {HAND(", \"motion\": \"scenes/tap.csv\", \"waypoints\": []"),
         "devices[0].hand.motion: found beside waypoints, expected one of them"},
        {HAND(", \"motion\": 3"), "devices[0].hand.motion: found 3, expected a string of one line"},
        {"{\"mechanisms\": [" BALL("ball", "") "], \"devices\": [{\"name\": \"stick\", \"hand\": "
                                               "{\"motion\": \"scenes/tap.csv\"}}]}",
         "devices[0].hand.motion: found in a hand that is a force only, expected \"type\": "
         "\"impedance\" beside it"},
    };
    (void)state;
    expectMistakes(cases, PL_COUNT(cases));
}

// --- the scene of the gallery

// The hand taps four times and rests; nothing is created on the side of the world, and all accounts
// close.
static void tapBouncesAndRests(void** state)
{
    plScene* scene;
    plSceneError error;
    plDeviceId stick;
    plAccount mine = {0};
    int taps = 0, apart = 1;
    double strongest = 0, created = 0;
    (void)state;
    if (plScene_Load("scenes/tap.json", NULL, 0, &scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    plWorld* world = create(scene);
    assert_int_equal(plWorld_FindDevice(world, "stick", &stick), pl_statusOk);
    while (plWorld_Time(world) < plScene_Time(scene)) {
        plWrench f;
        plWorld_Step(world, 1e-3);
        const plAccount a = plWorld_Ledger(world);
        plWorld_DeviceForce(world, stick, &f);
        strongest = fmax(strongest, f.force.z);
        created = fmax(created, a.kinetic + a.potential - a.applied);
        taps += apart > 60 && plWorld_ContactCount(world) > 0; // not the bounces of one tap
        apart = plWorld_ContactCount(world) > 0 ? 0 : apart + 1;
        assert_int_equal(plWorld_Report(world).trouble, 0);
    }
    assert_int_equal(plWorld_DeviceLedger(world, stick, &mine), pl_statusOk);
    print_message("%d taps, up to %.2f N; residuals %.1g J of the device, %.1g J of the world\n",
                  taps, strongest, mine.residual, plWorld_Ledger(world).residual);
    assert_int_equal(taps, 4);
    assert_true(strongest > 3 && strongest <= 12);
    assert_true(created <= 1e-12);
    assert_true(fabs(mine.residual) < 1e-14 && fabs(plWorld_Ledger(world).residual) < 1e-13);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static int end(void** state)
{
    (void)state;
    free(points);
    points = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columnsAreFoundByTheirNames),
        cmocka_unit_test(mistakesNameTheirLine),
        cmocka_unit_test(aPointIsAPointInEveryLocale),
        cmocka_unit_test(tooManyRowsAreRefused),
        cmocka_unit_test(brokenTextIsReadOrRefused),
        cmocka_unit_test(aMotionMovesAsItsWaypointsDo),
        cmocka_unit_test(aMotionStandsAlone),
        cmocka_unit_test(tapBouncesAndRests),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
