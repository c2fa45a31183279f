// Every scene of the gallery, run twice, passes through the same states.
#define _POSIX_C_SOURCE 200809L

#include "gallery.h"

static plScene* load(const char* path)
{
    plScene* scene;
    plSceneError error;
    if (plScene_Load(path, NULL, 0, &scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    return scene;
}

static plWorld* create(const plScene* scene)
{
    plWorld* world;
    plSceneError error;
    if (plScene_CreateWorld(scene, &world, &error) != pl_statusOk) fail_msg("%s", error.message);
    return world;
}

// Two worlds of one scene side by side; the whole time in ./dev verify, half a second of it in
// ./dev test, or what 20,000 contacts take.
static void runTwice(const char* path)
{
    long contacts = 0;
    plScene* scene = load(path);
    plWorld *first = create(scene), *second = create(scene);
    plStepper stepper = plScene_Stepper(scene);
    const double time = getenv("PALP_FULL") ? plScene_Time(scene) : fmin(0.5, plScene_Time(scene));
    while (plWorld_Time(first) < time && (getenv("PALP_FULL") || contacts < 20000)) {
        const double T = plStepper_Next(&stepper);
        plWorld_Step(first, T);
        plWorld_Step(second, T);
        contacts += plWorld_ContactCount(first);
        if (plWorld_Hash(first) != plWorld_Hash(second)) {
            fail_msg("%s: hashes differ after %.9g s", path, plWorld_Time(first));
        }
        const int bad = pl_troubleNotFinite | pl_troubleStopped | pl_troubleNotConverged;
        if (plWorld_Report(first).trouble & bad) {
            fail_msg("%s: trouble %d at %.9g s", path, plWorld_Report(first).trouble,
                     plWorld_Time(first));
        }
    }
    plWorld_Destroy(first);
    plWorld_Destroy(second);
    plScene_Destroy(scene);
}

static void everySceneRepeatsItself(void** state)
{
    (void)state;
    assert_true(everyScene(true, runTwice) >= sized(6, 30));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everySceneRepeatsItself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
