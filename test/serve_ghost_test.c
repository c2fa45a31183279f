// A scripted hand whose script is one way begins again while nobody touches.
#include "scene/scene.h"
#include "scene_worlds.h"
#include "serve/inside.h"

typedef struct {
    plWorld* world;
    plGhost ghost;
    double T;
    int commands, rounds;
    double fastest; ///< of the device [m/s]
} Shown;

static Shown show(const char* name)
{
    char path[256];
    plScene* scene;
    plSceneError error;
    plPointer pointer;
    Shown s = {0};
    snprintf(path, sizeof path, "%s/%s.json", PALP_SOURCE_SCENES, name);
    if (plScene_Load(path, NULL, 0, &scene, &error) != pl_statusOk ||
        plScene_CreateTouchable(scene, &s.world, &pointer, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    s.T = plScene_Step(scene);
    s.ghost = plGhost_Of(s.world);
    plScene_Destroy(scene);
    return s;
}

static plPose placeOf(const Shown* s)
{
    plPose pose;
    assert_int_equal(plWorld_DevicePose(s->world, (plDeviceId){1, 1}, &pose), pl_statusOk);
    return pose;
}

static double apart(plPose a, plPose b)
{
    return sqrt(pow(a.p.x - b.p.x, 2) + pow(a.p.y - b.p.y, 2) + pow(a.p.z - b.p.z, 2));
}

/// As a stage does it: a look at every eighth tick. Then where the device is.
static plPose runUntil(Shown* s, double time)
{
    for (int k = 0; plWorld_Time(s->world) < time; ++k) {
        const plPose before = placeOf(s);
        plCommand c;
        if (k % 8 == 0 && plGhost_Next(&s->ghost, plWorld_Time(s->world), &before, &c)) {
            assert_int_equal(plCommand_Obey(&c, s->world, NULL, 0), pl_statusOk);
            ++s->commands;
            s->rounds += c.kind == pl_commandScript;
        }
        plWorld_Step(s->world, s->T);
        s->fastest = fmax(s->fastest, apart(placeOf(s), before) / s->T);
    }
    return placeOf(s);
}

// It stays at its end until ten seconds have passed, is led back within two, goes again, and ends where it did. It is
// never faster by much than it is by itself.
static void goesRound(const char* name)
{
    Shown s = show(name);
    assert_int_equal(s.ghost.device, 0);
    const plPose end = runUntil(&s, 9.9);
    const double way = apart(end, s.ghost.start), own = s.fastest;
    assert_int_equal(s.commands, 0);
    s.fastest = 0;
    const double back = apart(runUntil(&s, 12.4), s.ghost.start), led = s.fastest;
    const double again = apart(runUntil(&s, 20), end);
    const int commands = s.commands;
    while (s.rounds < sized(4, 20)) runUntil(&s, plWorld_Time(s.world) + 0.1);
    const double later = apart(runUntil(&s, plWorld_Time(s.world) + 5), end);
    print_message(
        "%s: a way of %.1f mm, led back to %.2f mm, again %.3f mm and after %d rounds %.3f "
        "mm from its end; %.3f m/s by itself, %.3f led; %d commands a round\n",
        name, 1e3 * way, 1e3 * back, 1e3 * again, s.rounds, 1e3 * later, own, led, commands);
    assert_true(way > 0.02);
    checkAtMost("led back", back, 0.1 * way);
    checkAtMost("again at its end", again, 0.02 * way);
    checkAtMost("after all rounds", later, 0.02 * way);
    checkAtMost("speed while it is led", led, fmax(own, 0.1));
    checkAtMost("commands of a round", commands, 30);
    plWorld_Destroy(s.world);
}

static void handsThatGoOneWayGoRound(void** state)
{
    (void)state;
    goesRound("peg");
    goesRound("hole");
    goesRound("pantograph");
}

static void otherHandsAreLeftAlone(void** state)
{
    (void)state;
    const char* const names[] = {"arm", "tap", "linkage-held", "wall", "tendon-hand"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        Shown s = show(names[i]);
        assert_int_equal(s.ghost.device, -1);
        plWorld_Destroy(s.world);
    }
}

static void whoTouchesTheDeviceEndsTheGhostUntilItIsGivenBack(void** state)
{
    (void)state;
    plGhost g = {.device = 0, .start = {.q = {1, 0, 0, 0}}};
    const plPose now = {{0.1, 0, 0}, {1, 0, 0, 0}};
    plCommand c;
    assert_false(plGhost_Next(&g, 9, &now, &c));
    assert_true(plGhost_Next(&g, 11, &now, &c));
    assert_int_equal(c.kind, pl_commandHold);
    assert_true(plGhost_Yields(&g, &c)); // somebody takes the tool: the script goes on
    assert_int_equal(c.kind, pl_commandScript);
    assert_false(plGhost_Yields(&g, &c));
    plGhost_Heard(&g, &(plCommand){.kind = pl_commandHold, .index = 0}, 11);
    assert_false(plGhost_Next(&g, 100, &now, &c));
    plGhost_Heard(&g, &(plCommand){.kind = pl_commandScript, .index = 0}, 100);
    assert_false(plGhost_Next(&g, 109, &now, &c));
    assert_true(plGhost_Next(&g, 111, &now, &c));
    plGhost_Heard(&g, &(plCommand){.kind = pl_commandReset}, 112);
    assert_false(plGhost_Next(&g, 112.1, &now, &c)); // a picture of before the reset
    assert_false(plGhost_Next(&g, 0.1, &now, &c));
    assert_true(plGhost_Next(&g, 10.2, &now, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handsThatGoOneWayGoRound),
        cmocka_unit_test(otherHandsAreLeftAlone),
        cmocka_unit_test(whoTouchesTheDeviceEndsTheGhostUntilItIsGivenBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
