// Devices, couplings and prescribed frames of scenes.
#include "reference.h"
#include "scene_text.h"

#include <math.h>
#include <stdlib.h>

#define DEVICES(list) ", \"devices\": [" list "]"
#define STICK(more) "{\"name\": \"stick\"" more "}"
#define HAND(text) STICK(", \"hand\": {" text "}")
#define COUPLINGS(list) ", \"couplings\": [" list "]"
#define HOLD(more) "{\"name\": \"hold\", \"device\": \"stick\", \"mechanism\": \"a\"" more "}"
#define VIRTUAL ", \"type\": \"virtual\""
#define STILL ", \"gravity\": [0, 0, 0]"

static double readChannel(const plWorld* world, const char* name)
{
    plChannel channel;
    if (plWorld_FindChannel(world, name, &channel) != pl_statusOk) fail_msg("no %s", name);
    return plWorld_ReadChannel(world, channel);
}

static void expectNear(const char* what, double actual, double expected, double tolerance)
{
    if (fabs(actual - expected) <= tolerance) return;
    fail_msg("%s: %.17g, expected %.17g within %g", what, actual, expected, tolerance);
}

// --------------------------------------------------------------------------- the peg's scene

static plWorld* pegWorld(const char* setting, plScene** scene)
{
    plSceneError error;
    if (plScene_Load("scenes/peg.json", &setting, setting ? 1 : 0, scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    return create(*scene);
}

/// Largest difference to the reference of the device's and the tool's x, y and angle, over 2 s.
static double offReference(FILE* reference)
{
    static const char* const names[] = {"stick.x",   "stick.y",   "stick.angle",
                                        "tool.q[0]", "tool.q[1]", "tool.q[2]"};
    plScene* scene;
    plWorld* world = pegWorld(NULL, &scene);
    const int steps = (int)lround(plScene_Time(scene) / plScene_Step(scene));
    char line[1024];
    double worst = 0;
    int k = 0;
    assert_non_null(fgets(line, sizeof line, reference));
    while (fgets(line, sizeof line, reference)) {
        char* at = line;
        double row[8];
        for (int i = 0; i < 8; i++) {
            row[i] = strtod(at, &at);
            assert_int_equal(*at++, ',');
        }
        for (; k < row[0]; k++) {
            plWorld_Step(world, plScene_Step(scene));
            assert_int_equal(plWorld_Report(world).trouble, 0);
        }
        for (int i = 0; i < 6; i++)
            worst = fmax(worst, fabs(readChannel(world, names[i]) - row[2 + i]));
    }
    assert_int_equal(k, steps);
    assert_int_equal(steps, 1024);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    return worst;
}

static void pegOfTheSceneFollowsTheReference(void** state)
{
    (void)state;
    FILE* reference = fopen(ownFile("iapb/ref_peg_V1_IAPB_spread.csv"), "r");
    assert_non_null(reference);
    const double worst = offReference(reference);
    fclose(reference);
    print_message("off by %.2g\n", worst);
    // Round-off of two programs that do the same in another order, over a run with collisions.
    expectNear("distance to the reference", worst, 0, 1e-9);
}

/// The largest force that was written, by a setting.
static double mostForce(const char* setting)
{
    plScene* scene;
    plWorld* world = pegWorld(setting, &scene);
    double most = 0;
    for (int k = 0; k < 1024; k++) {
        plWorld_Step(world, plScene_Step(scene));
        most = fmax(most, fabs(readChannel(world, "stick.force[0]")));
        most = fmax(most, fabs(readChannel(world, "stick.force[1]")));
    }
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    return most;
}

static void limitsOfTheSceneAct(void** state)
{
    (void)state;
    const double spread = mostForce(NULL), full = mostForce("couplings.hold.limit=none");
    const double clipped = mostForce("devices.stick.forceLimit=[2, 3, 1]");
    print_message("spread %.3f N, full %.3f N, clipped by the device %.3f N\n", spread, full,
                  clipped);
    // The limit is for collisions; the coordination's spring comes on top of it.
    assert_true(spread > 14 && spread < 15.02);
    assert_true(full > 30);
    assert_true(clipped == 3);
}

// ---------------------------------------------------------------------------------- devices

static void everyKeyOfADeviceReachesIt(void** state)
{
    (void)state;
    // A free handle of 2 kg along x, damped, for a second: v = F/b (1 - exp(-b t/m)).
    plScene* scene = parse(
        SCENE(BALL("a", ""), STILL DEVICES(STICK(
                                 ", \"position\": [1, 2, 3], \"orientation\": {\"axis\": [0, 0, 1],"
                                 " \"angle\": 0.5}, \"mass\": [2, 4, 8], \"damping\": 3, "
                                 "\"turnDamping\": 1, \"inertia\": 0.5, \"hand\": {\"force\": "
                                 "[6, 0, 0], \"torque\": [0, 0, 2], \"start\": 0.25}"))),
        NULL);
    plWorld* world = create(scene);
    expectNear("x", readChannel(world, "stick.x"), 1, 0);
    expectNear("y", readChannel(world, "stick.y"), 2, 0);
    expectNear("z", readChannel(world, "stick.z"), 3, 0);
    expectNear("angle", readChannel(world, "stick.angle"), 0.5, 1e-15);
    for (int i = 0; i < 128; i++) plWorld_Step(world, 1.0 / 128);
    // The handle's own step is exact; the force acts for 0.75 s. Round-off of 128 steps.
    const double t = 0.75, fall = 1 - exp(-1.5 * t);
    expectNear("x", readChannel(world, "stick.x"), 1 + 2 * (t - fall / 1.5), 1e-13);
    expectNear("angle", readChannel(world, "stick.angle"), 0.5 + 2 * (t - (1 - exp(-2 * t)) / 2),
               1e-13);
    expectNear("hand", readChannel(world, "stick.hand[0]"), 6, 0);
    expectNear("hand", readChannel(world, "stick.hand[5]"), 2, 0);
    expectNear("y", readChannel(world, "stick.y"), 2, 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void handGoesToItsWaypoints(void** state)
{
    (void)state;
    plScene* scene = parse(
        SCENE(BALL("a", ""),
              STILL DEVICES(HAND("\"type\": \"impedance\", \"stiffness\": 400, \"damping\": 20, "
                                 "\"turnStiffness\": 1, \"turnDamping\": 0.02, \"waypoints\": "
                                 "[{\"time\": 0, \"position\": [0, 0, 0]}, {\"time\": 0.5, "
                                 "\"position\": [0.1, 0, -0.2], \"orientation\": {\"axis\": "
                                 "[0, 0, 1], \"angle\": 1}}]"))),
        NULL);
    plWorld* world = create(scene);
    for (int i = 0; i < 2000; i++) plWorld_Step(world, 1e-3);
    // Both axes are damped by exp(-50 t) at least, from 0.5 s on.
    expectNear("x", readChannel(world, "stick.x"), 0.1, 1e-12);
    expectNear("z", readChannel(world, "stick.z"), -0.2, 1e-12);
    expectNear("angle", readChannel(world, "stick.angle"), 1, 1e-12);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void encodersFrictionAndDelayAreRead(void** state)
{
    (void)state;
    // Friction holds what pushes with less; a hand that is not felt is not told.
    plScene* scene = parse(
        SCENE(BALL("a", ""),
              STILL DEVICES(STICK(", \"friction\": 2, \"turnFriction\": 0.1, \"delay\": 16, "
                                  "\"feelsHand\": false, \"encoderStep\": 0.01, \"turnStep\": "
                                  "0.1, \"position\": [0.123, 0, 0], \"hand\": {\"force\": "
                                  "[1.9, 0, 0], \"bias\": 0, \"amplitude\": 1, \"frequency\": "
                                  "1, \"phase\": 0.5, \"stop\": 9}"))),
        NULL);
    plWorld* world = create(scene);
    plDeviceId stick;
    plSample sample;
    for (int i = 0; i < 100; i++) plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_FindDevice(world, "stick", &stick), 0);
    assert_int_equal(plWorld_DeviceSample(world, stick, &sample), 0);
    expectNear("x", readChannel(world, "stick.x"), 0.123, 1e-5); // half a step before it brakes
    expectNear("seen", sample.pose.p.x, 0.12, 1e-15);
    expectNear("hand", readChannel(world, "stick.hand[0]"), 0, 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

// -------------------------------------------------------------------------------- couplings

#define HELD(more)                                                                                 \
    SCENE(BALL("a", ""), STILL DEVICES(HAND("\"force\": [1, 0, 0]")) COUPLINGS(HOLD(more)))

static void virtualCouplingCarriesItsTool(void** state)
{
    (void)state;
    plScene* scene = parse(HELD(VIRTUAL ", \"stiffness\": 200, \"damping\": [8, 8, 8]"), NULL);
    plWorld* world = create(scene);
    plMechanismId frame;
    plLinkId link;
    assert_int_equal(plWorld_FindMechanism(world, "hold-hand", &frame), 0);
    assert_int_equal(plWorld_FindLink(world, "hold", &link), 0);
    for (int i = 0; i < 2000; i++) plWorld_Step(world, 1e-3);
    // The hand pushes 1.2 kg together: both have gone t^2/2.4 and the spring gives a tool of 1 kg its
    // share, 1/1.2 N; what swings is damped by exp(-24 t).
    const double force = readChannel(world, "stick.force[0]");
    print_message("force %.4f N, tool at %.4f m, device at %.4f m\n", force,
                  readChannel(world, "a.x"), readChannel(world, "stick.x"));
    expectNear("force on the hand", force, -1 / 1.2, 2e-3);
    expectNear("tool", readChannel(world, "a.x"), 4 / 2.4, 5e-3);
    assert_true(readChannel(world, "hold.force[0]") > 0.8);
    assert_true(readChannel(world, "hold.port.device") < -1);
    assert_true(isfinite(readChannel(world, "hold.port.tool")));
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void fourChannelsCarryForceBothWays(void** state)
{
    (void)state;
    plScene* scene = parse(HELD(", \"type\": \"four-channel\", \"stiffness\": [100, 200, 300], "
                                "\"damping\": 9, \"turnStiffness\": 0, \"turnDamping\": 0"),
                           "devices.stick.mass=1");
    plWorld* world = create(scene);
    for (int i = 0; i < 1000; i++) plWorld_Step(world, 1e-3);
    // Tool and device of 1 kg each feel the hand's 1 N: nothing strains the spring between them.
    expectNear("tool", readChannel(world, "a.v[0]"), 1, 1e-6);
    expectNear("device", readChannel(world, "stick.x"), 0.5, 1e-6);
    expectNear("force", readChannel(world, "stick.force[0]"), 0, 1e-6);
    assert_int_equal(plWorld_MechanismCount(world), 1);
    assert_int_equal(plWorld_LinkCount(world), 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

static void virtualCouplingsCountInTheCapacity(void** state)
{
    (void)state;
    const char text[] =
        SCENE(BALL("a", "") "," BALL("b", ""),
              DEVICES(STICK("") ", {\"name\": \"other\"}") COUPLINGS(
                  HOLD(VIRTUAL) ", {\"name\": \"two\", \"type\": \"virtual\", \"device\": "
                                "\"other\", \"mechanism\": \"b\", \"turnStiffness\": 0, "
                                "\"turnDamping\": 0}"));
    plScene* scene = parse(text, "capacity={\"mechanisms\": 4, \"links\": 2, \"rows\": 6, "
                                 "\"devices\": 2, \"couplings\": 2}");
    plWorld* world = create(scene);
    assert_int_equal(plWorld_MechanismCount(world), 4);
    assert_int_equal(plWorld_LinkCount(world), 2);
    assert_int_equal(plWorld_DeviceCount(world), 2);
    assert_int_equal(plWorld_CouplingCount(world), 2);
    plWorld_Step(world, 1e-3);
    assert_int_equal(plWorld_Report(world).trouble, 0);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    static const struct {
        const char* setting;
        const char* message;
    } less[] = {
        {"capacity={\"mechanisms\": 3}", "mechanisms: found 3, expected at least 4 for this scene"},
        {"capacity={\"links\": 1}", "links: found 1, expected at least 2 for this scene"},
        {"capacity={\"rows\": 5}", "rows: found 5, expected at least 6 for this scene"},
        {"capacity={\"devices\": 1}", "devices: found 1, expected at least 2 for this scene"},
        {"capacity={\"couplings\": 0}", "couplings: found 0, expected at least 2 for this scene"},
    };
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "a.json: in --set: capacity.%s", less[i].message);
        assert_string_equal(errorOf(text, less[i].setting).message, expected);
    }
}

static void programsFindRoomForTheirOwnDevices(void** state)
{
    (void)state;
    plScene* scene = parse(SCENE(BALL("a", ""), ""), NULL);
    plWorld* world = create(scene);
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plCouplingId id;
    device.name = "stick";
    coupling.name = "hold";
    coupling.kind = pl_couplingVirtual;
    coupling.tool.mechanism = plWorld_Mechanism(world, 0);
    assert_int_equal(plWorld_AddDevice(world, &device, &coupling.device), 0);
    assert_int_equal(plWorld_AddCoupling(world, &coupling, &id), 0);
    plWorld_Step(world, 1e-3);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

// ------------------------------------------------------------------------ prescribed frames

#define FRAME(more) "{\"type\": \"prescribed\", \"name\": \"f\"" more "}"

static void prescribedFrameStandsAndCarries(void** state)
{
    (void)state;
    // A ball lies on a shelf that nobody moves; then the shelf is lifted.
    plScene* scene = parse(
        SCENE(FRAME(", \"position\": [0, 0, 1], \"orientation\": [1, 0, 0, 0]" SHAPES(SHAPE(
                  "box", ", \"half\": [1, 1, 0.5]"))) "," BALL("a",
                                                               ", \"position\": [0, 0, 2]" SHAPES(
                                                                   ROUND)),
              ""),
        NULL);
    plWorld* world = create(scene);
    plMechanismId frame;
    assert_int_equal(plWorld_FindMechanism(world, "f", &frame), 0);
    assert_string_equal(plWorld_MechanismType(world, frame), "prescribed");
    for (int i = 0; i < 500; i++) plWorld_Step(world, 1e-3);
    expectNear("frame", readChannel(world, "f.z"), 1, 0);
    // The depth that is left as it is, 1e-5 m.
    expectNear("ball", readChannel(world, "a.z"), 2, 2e-5);
    for (int i = 0; i < 500; i++) {
        plPose to = {{0, 0, 1 + 0.1 * (i + 1) / 500}, {1, 0, 0, 0}};
        assert_int_equal(plWorld_Steer(world, frame, to), 0);
        plWorld_Step(world, 1e-3);
    }
    expectNear("ball", readChannel(world, "a.z"), 2.1, 2e-5);
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

// --------------------------------------------------------------------------------- mistakes

static const Mistake deviceMistakes[] = {
    {SCENE(FRAME(", \"mass\": 1"), ""),
     "mechanisms[0].mass: unknown key \"mass\", expected one of type, name, position, orientation, "
     "shapes"},
    {SCENE(FRAME("") "," FRAME(""), ""),
     "mechanisms[1].name: found \"f\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), ", \"devices\": {}"),
     "devices: found an object, expected an array of at most 1024"},
    {SCENE(BALL("a", ""), DEVICES("{}")),
     "devices[0]: missing \"name\", expected a name of 1 to 31 letters, digits, \"-\" or \"_\""},
    {SCENE(BALL("a", ""), DEVICES("{\"name\": \"a\"}")),
     "devices[0].name: found \"a\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), DEVICES("{\"name\": \"contacts\"}")),
     "devices[0].name: found \"contacts\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), DEVICES(STICK("") ", " STICK(""))),
     "devices[1].name: found \"stick\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"mass\": \"big\""))),
     "devices[0].mass: found \"big\", expected a number, or an array of 3 numbers [kg]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"mass\": 0"))),
     "devices[0].mass: found 0, expected a number > 0 [kg]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"inertia\": [1, 1, -1]"))),
     "devices[0].inertia[2]: found -1, expected a number > 0 [kg m^2]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"forceLimit\": [1, 2]"))),
     "devices[0].forceLimit: found an array of 2, expected an array of 3 numbers [N]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"damping\": -1"))),
     "devices[0].damping: found -1, expected a number >= 0 [N s/m]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"delay\": 17"))),
     "devices[0].delay: found 17, expected an integer >= 0 and <= 16 [ticks]"},
    {SCENE(BALL("a", ""), DEVICES(STICK(", \"feelsHand\": 1"))),
     "devices[0].feelsHand: found 1, expected true or false"},
    {SCENE(BALL("a", ""), DEVICES(HAND("\"type\": \"fist\""))),
     "devices[0].hand.type: found \"fist\", expected one of \"force\", \"impedance\""},
    {SCENE(BALL("a", ""), DEVICES(HAND("\"stiffness\": 1"))),
     "devices[0].hand.stiffness: found in a hand that is a force only, expected \"type\": "
     "\"impedance\" beside it"},
    {SCENE(BALL("a", ""), DEVICES(HAND("\"type\": \"impedance\""))),
     "devices[0].hand.waypoints: found none, expected at least one: where the hand is"},
    {SCENE(BALL("a", ""), DEVICES(HAND("\"type\": \"impedance\", \"waypoints\": [{\"time\": 0}]"))),
     "devices[0].hand.waypoints[0]: missing \"position\", expected an array of 3 numbers [m]"},
    {SCENE(BALL("a", ""),
           DEVICES(HAND("\"type\": \"impedance\", \"waypoints\": [{\"time\": 1, \"position\": [0, "
                        "0, 0]}, {\"time\": 1, \"position\": [0, 0, 0]}]"))),
     "devices[0].hand.waypoints[1].time: found 1 after 1, expected a later time"},
};

static const Mistake couplingMistakes[] = {
    {SCENE(BALL("a", ""), COUPLINGS(HOLD(""))),
     "couplings[0].device: found \"stick\", expected the name of a device"},
    {SCENE(BALL("b", ""), DEVICES(STICK("")) COUPLINGS(HOLD(""))),
     "couplings[0].mechanism: found \"a\", expected the name of a mechanism"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD(", \"type\": \"vritual\""))),
     "couplings[0].type: found \"vritual\", expected one of \"four-channel\", \"virtual\", "
     "\"unilateral\", \"direct\", \"fingertip\", \"grip\", \"set-position\"; did you "
     "mean \"virtual\"?"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD(", \"limit\": \"half\""))),
     "couplings[0].limit: found \"half\", expected one of \"none\", \"saturate\", \"scale\", "
     "\"spread\", \"bank\""},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD(", \"stiffness\": [1, -1, 1]"))),
     "couplings[0].stiffness[1]: found -1, expected a number >= 0 [N/m]"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD(", \"torqueLimit\": 0"))),
     "couplings[0].torqueLimit: found 0, expected a number > 0 [N m]"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD(VIRTUAL ", \"damping\": [1, 1, 2]"))),
     "couplings[0].damping: found different axes in a virtual coupling, expected one number"},
    {SCENE(BALL("a", "") "," BALL("hold-hand", ""), DEVICES(STICK("")) COUPLINGS(HOLD(VIRTUAL))),
     "couplings[0].name: found \"hold-hand\", expected a name that is not taken"},
    {SCENE(BALL("a", "") "," BALL("hold", ""), DEVICES(STICK("")) COUPLINGS(HOLD(""))),
     "couplings[0].name: found \"hold\", expected a name that is not taken"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) COUPLINGS(HOLD("") ", " HOLD(""))),
     "couplings[1].name: found \"hold\", expected a name that is not taken"},
    {SCENE(BALL("a", ""),
           DEVICES(STICK("")) COUPLINGS("{\"name\": \"abcdefghijklmnopqrstuvwxy\", \"type\": "
                                        "\"virtual\", \"device\": \"stick\", \"mechanism\": "
                                        "\"a\"}")),
     "couplings[0].name: found \"abcdefghijklmnopqrstuvwxy\" for a virtual coupling, expected at "
     "most 24 characters: its frame is NAME-hand"},
    {SCENE(BALL("a", ""), DEVICES(STICK("")) ", \"record\": {\"channels\": [\"stick.angel\"]}"),
     "record.channels[0]: found \"stick.angel\", expected a channel of this world; did you mean "
     "\"stick.angle\"?"},
    {SCENE(BALL("a", ""),
           DEVICES(STICK("")) ", \"links\": [{\"name\": \"l\", \"a\": {\"mechanism\": "
                              "\"stick\"}, \"b\": \"ground\", \"stiffness\": 1}]"),
     "links[0].a.mechanism: found \"stick\", expected the name of a mechanism"},
};

static void mistakesInDevicesAreTold(void** state)
{
    (void)state;
    expectMistakes(deviceMistakes, sizeof deviceMistakes / sizeof(Mistake));
}

static void mistakesInCouplingsAreTold(void** state)
{
    (void)state;
    expectMistakes(couplingMistakes, sizeof couplingMistakes / sizeof(Mistake));
}

// --------------------------------------------------------------------------------- channels

static void everyChannelOfAHeldToolIsFound(void** state)
{
    (void)state;
    plScene* scene = parse(HELD(VIRTUAL), NULL);
    plWorld* world = create(scene);
    char name[128];
    int count = 0, ports = 0, stick = 0;
    for (int i = 0; i < 3; i++) plWorld_Step(world, 1e-3);
    for (; plWorld_ChannelName(world, count, name, sizeof name) > 0; count++) {
        assert_true(isfinite(readChannel(world, name)));
        ports += strncmp(name, "hold.port.", 10) == 0;
        stick += strncmp(name, "stick.", 6) == 0;
    }
    assert_int_equal(ports, 3);
    const int felt = 6; // hold.felt[i]
    assert_int_equal(stick, 4 + 6 + 6 + 10);
    // The world's 25, the balance of 5; contacts, two mechanisms and the link of 10; states; q, v,
    // places; forces.
    assert_int_equal(count, 25 + 5 + 4 * 10 + 2 * (1 + 7 + 6 + 3) + 6 + ports + felt + stick);
    static const char* const bad[] = {"stick.force[6]", "stick.hand",  "stick.work",
                                      "hold.port",      "hold.port.x", "hold.stored",
                                      "stick.port.tool"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        plChannel channel;
        if (plWorld_FindChannel(world, bad[i], &channel) != pl_statusNotFound)
            fail_msg("%s is found", bad[i]);
    }
    plWorld_Destroy(world);
    plScene_Destroy(scene);
}

// As published: devices.md of the design, and the drivers it was read from.
static void realDevicesHaveTheirPublishedLimits(void** state)
{
    (void)state;
    static const plDeviceModel published[] = {
        {"omega", 12, 0, 5000, 30},      {"delta", 20, 0, 5000, 0},
        {"sigma7", 12, 0.2, 4000, 0},    {"lambda7", 12, 0, 8000, 0},
        {"falcon", 8, 0, 3000, 20},      {"touch", 3.3, 0, 400, 4},
        {"omni", 3.3, 0, 700, 5},        {"desktop", 7.9, 0, 1000, 5},
        {"premium6", 8.5, 0.188, 800, 0}};
    const int count = (int)(sizeof published / sizeof *published);
    assert_int_equal(plDeviceModel_Count(), count);
    for (int i = 0; i < count; i++) {
        const plDeviceModel *p = &published[i], *m = plDeviceModel_At(i);
        plDeviceDef def = plDefaultDeviceDef();
        assert_string_equal(m->name, p->name);
        assert_true(m->force == p->force && m->torque == p->torque);
        assert_true(m->stiffness == p->stiffness && m->damping == p->damping);
        assert_true(plDeviceDef_Model(&def, p->name));
        assert_true(def.forceLimit.x == p->force && def.torqueLimit.z == p->torque);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegOfTheSceneFollowsTheReference),
        cmocka_unit_test(limitsOfTheSceneAct),
        cmocka_unit_test(everyKeyOfADeviceReachesIt),
        cmocka_unit_test(handGoesToItsWaypoints),
        cmocka_unit_test(encodersFrictionAndDelayAreRead),
        cmocka_unit_test(virtualCouplingCarriesItsTool),
        cmocka_unit_test(fourChannelsCarryForceBothWays),
        cmocka_unit_test(virtualCouplingsCountInTheCapacity),
        cmocka_unit_test(programsFindRoomForTheirOwnDevices),
        cmocka_unit_test(prescribedFrameStandsAndCarries),
        cmocka_unit_test(mistakesInDevicesAreTold),
        cmocka_unit_test(mistakesInCouplingsAreTold),
        cmocka_unit_test(everyChannelOfAHeldToolIsFound),
        cmocka_unit_test(realDevicesHaveTheirPublishedLimits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
