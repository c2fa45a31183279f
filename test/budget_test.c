// A tick costs no more operations than its budget and what is done in any case; what is cut off is reported,
// creates no energy, is the same every time, and costs other groups nothing.
#include "ticks.h"
#include "worlds.h"

#include "scene/scene.h"
#include "scene_worlds.h"

static const double T = 1e-3, budget = 1e9;

typedef struct {
    double first; ///< operations of the first tick, which may take 20 budgets
    double most;  ///< of any other
    double rise;  ///< of energy in a tick, over its scale
    double depth; ///< deepest of convex shapes [m]
    int cut;      ///< ticks that were cut off
    uint64_t hash;
} Course;

typedef plWorld* (*Make)(double budget);

static plWorldDef manyDef(double most)
{
    plWorldDef def = plDefaultWorldDef();
    def.budget = most;
    def.capacity.mechanisms = 256;
    def.capacity.shapes = 256;
    def.capacity.contacts = 1024;
    def.capacity.pairs = 4096;
    def.capacity.memory = 256u << 20;
    return def;
}

// Thirty boxes in nearly the same place.
static plWorld* boxes(plLawName law, double most)
{
    enum { count = 30 };
    plWorldDef def = manyDef(most);
    plRng rng = plRng_Seed(7);
    plWorld* w;
    def.contact.law = law;
    def.capacity.contacts = 192;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    for (int i = 0; i < count; ++i) {
        const double x = plRng_Uniform(&rng, -0.01, 0.01), y = plRng_Uniform(&rng, -0.01, 0.01);
        addCube(w, partName(i), 1, 0.05, plVec(x, y, 0.05 + plRng_Uniform(&rng, 0, 0.02)));
    }
    return w;
}

static plWorld* boxesByCones(double most) { return boxes(pl_lawCone, most); }
static plWorld* boxesByPyramids(double most) { return boxes(pl_lawLcp, most); }

// A pile that falls, of 120 cubes.
static plWorld* pile(double most)
{
    enum { count = 120, wide = 4 };
    const plWorldDef def = manyDef(most);
    plRng rng = plRng_Seed(8);
    plWorld* w;
    checkOk(NULL, plWorld_Create(&def, &w));
    addFloor(w, 0);
    for (int i = 0; i < count; ++i) {
        const double x = 0.104 * (i % wide) + plRng_Uniform(&rng, 0, 0.003);
        const double y = 0.104 * (i / wide % wide) + plRng_Uniform(&rng, 0, 0.003);
        addCube(w, partName(i), 1, 0.05, plVec(x, y, 0.06 + 0.104 * (i / wide / wide)));
    }
    return w;
}

static plWorld* sceneOf(const char* text)
{
    plScene* scene;
    plSceneError error;
    plWorld* w = NULL;
    const plStatus status = plScene_Parse("test", text, strlen(text), NULL, 0, &scene, &error);
    if (status != pl_statusOk || plScene_CreateWorld(scene, &w, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    plScene_Destroy(scene);
    return w;
}

// A soft cube under a ton.
static plWorld* soft(double most)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"step\": 0.001, \"budget\": %.17g, \"ground\": {\"shapes\": [{\"type\": \"plane\"}]},"
        "\"mechanisms\": ["
        "{\"type\": \"soft\", \"name\": \"cube\", \"position\": [0, 0, 0.001], \"E\": 1e5, \"nu\": "
        "0.4,"
        "\"density\": 1000, \"model\": \"dynamic\", \"beta\": 5e-4, \"mesh\": {\"box\": "
        "{\"counts\": [4, 4, 4],"
        "\"lo\": [0, 0, 0], \"hi\": [0.1, 0.1, 0.1]}}},"
        "{\"type\": \"assembly\", \"name\": \"load\", \"mass\": 1000, \"inertia\": [2, 2, 2],"
        "\"position\": [0.05, 0.05, 0.155], \"shapes\": [{\"type\": \"box\", \"half\": [0.06, "
        "0.06, 0.05]}]}]}",
        most);
    return sceneOf(text);
}

static Course follow(Make make, double most, int steps)
{
    plWorld* w = make(most);
    Watch watch = watchOf(w, 0);
    Course c = {0};
    for (int k = 0; k < steps; ++k) {
        watchStep(w, T, &watch);
        const plStepReport r = plWorld_Report(w);
        larger(k == 0 ? &c.first : &c.most, r.spent);
        c.cut += (r.trouble & pl_troubleBudget) != 0;
    }
    c.rise = watch.rise;
    const bool soft = strcmp(plWorld_MechanismType(w, plWorld_Mechanism(w, 0)), "soft") == 0;
    c.depth = soft ? 0 : depthOf(w, NULL);
    c.hash = plWorld_Hash(w);
    plWorld_Destroy(w);
    return c;
}

static const struct {
    const char* name;
    Make make;
    int steps;    ///< a sample, of which the costly ticks are a part
    double least; ///< of the budget, that the costliest tick takes without one
    double depth; ///< at the end [m]; overlaps that are given are left, or lifted slowly
} worlds[] = {
    {"30 boxes in one place, cones", boxesByCones, 60, 10, INFINITY},
    {"30 boxes in one place, pyramids", boxesByPyramids, 40, 10, INFINITY},
    {"falling pile of 120", pile, 400, 10, 2.5e-3},
    {"soft cube under 1000 kg", soft, 150, 10, INFINITY},
};

static void ticksCostNoMoreThanTheirBudget(void** unused)
{
    (void)unused;
    for (int i = 0; i < PL_COUNT(worlds); ++i) {
        const int steps = worlds[i].steps;
        const Course free = follow(worlds[i].make, 0, steps);
        const Course least = follow(worlds[i].make, 1, steps); // what is done in any case
        const Course cut = follow(worlds[i].make, budget, steps);
        const Course again = follow(worlds[i].make, budget, steps);
        print_message(
            "%s: %.2g operations of a tick at most, with a budget of %.2g %.2g, in any case "
            "%.2g; cut in %d of %d ticks, rise %.2g, depth %.2g m\n",
            worlds[i].name, free.most, budget * T, cut.most, least.most, cut.cut, steps, cut.rise,
            cut.depth);
        assert_true(free.most > worlds[i].least * budget * T);
        assert_int_equal(free.cut, 0);
        assert_true(cut.cut > 0);
        checkAtMost("operations", cut.most, budget * T + 2 * least.most);
        checkAtMost("operations of the first tick", cut.first, 20 * budget * T + 2 * least.first);
        checkAtMost("rise", cut.rise, 1e-9);
        checkAtMost("rise at no budget", least.rise, 1e-9);
        checkAtMost("depth", cut.depth, worlds[i].depth);
        assert_true(cut.hash == again.hash);
    }
}

// Scenes with soft bodies that are pressed: contacts whose law is cut off do not give energy either.
static void whatIsSoftGainsNothing(void** unused)
{
    (void)unused;
    const char* const names[] = {"clip", "clip-soft-pipe", "jelly"};
    const double budgets[] = {2e9, 5e8};
    for (int i = 0; i < PL_COUNT(names); ++i) {
        for (int k = 0; k < PL_COUNT(budgets); ++k) {
            char setting[64];
            snprintf(setting, sizeof setting, "budget=%g", budgets[k]);
            plWorld* w = sceneWorldWith(names[i], setting);
            const double step = i == 2 ? 2e-3 : 1e-3;
            Watch watch = watchOf(w, 1e-6);
            int cut = 0;
            for (int n = 0; n < sized(1000, 3000); ++n) {
                watchStep(w, step, &watch);
                cut += (plWorld_Report(w).trouble & pl_troubleBudget) != 0;
            }
            print_message("%s with a budget of %g: cut in %d ticks, rise %.2g, stopped %d\n",
                          names[i], budgets[k], cut, watch.rise, watch.stopped);
            assert_true(cut > 0 || k == 0);
            checkAtMost("rise", watch.rise, 1e-9);
            plWorld_Destroy(w);
        }
    }
}

// A double pendulum that hangs beside a heap of work moves as it does alone.
static plWorld* besidePendulum(double most, bool heap)
{
    plWorldDef def = manyDef(most);
    plWorld* w;
    checkOk(NULL, plWorld_Create(&def, &w));
    plRng rng = plRng_Seed(9);
    addFloor(w, 0);
    addArm(w, pl_integratorMidpoint, pl_routeCholesky, pl_coefficientsPredicted);
    for (int i = 0; heap && i < 30; ++i) {
        const double x = plRng_Uniform(&rng, -0.01, 0.01), y = plRng_Uniform(&rng, -0.01, 0.01);
        addCube(w, partName(i), 1, 0.05, plVec(x, y, 0.05 + plRng_Uniform(&rng, 0, 0.02)));
    }
    return w;
}

static void othersDoNotPayForAHeap(void** unused)
{
    (void)unused;
    plWorld *alone = besidePendulum(budget, false), *beside = besidePendulum(budget, true);
    int cut = 0;
    for (int k = 0; k < 100; ++k) {
        double q[2][2], v[2][2];
        plWorld_Step(alone, T);
        plWorld_Step(beside, T);
        cut += (plWorld_Report(beside).trouble & pl_troubleBudget) != 0;
        assert_false(plWorld_Report(alone).trouble & pl_troubleBudget);
        checkOk(alone, plWorld_State(alone, plWorld_Mechanism(alone, 0), q[0], v[0]));
        checkOk(beside, plWorld_State(beside, plWorld_Mechanism(beside, 0), q[1], v[1]));
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
    assert_true(cut > 50);
    plWorld_Destroy(alone);
    plWorld_Destroy(beside);
}

// The world of a scene has a budget where a person touches it, and none where nobody waits, unless it says so.
static void touchedScenesHaveABudget(void** unused)
{
    (void)unused;
    plScene* scene;
    plSceneError error;
    plPointer pointer;
    plWorld* w;
    if (plScene_Load("scenes/pile-200.json", NULL, 0, &scene, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    for (int touched = 0; touched < 2; ++touched) {
        const plStatus status = touched ? plScene_CreateTouchable(scene, &w, &pointer, &error)
                                        : plScene_CreateWorld(scene, &w, &error);
        double most = 0;
        int cut = 0;
        if (status != pl_statusOk) fail_msg("%s", error.message);
        for (int k = 0; k < 250; ++k) {
            plWorld_Step(w, T);
            if (k > 0) larger(&most, plWorld_Report(w).spent);
            cut += (plWorld_Report(w).trouble & pl_troubleBudget) != 0;
        }
        print_message("pile-200 %s: %.2g operations at most, cut in %d ticks\n",
                      touched ? "touched" : "by itself", most, cut);
        if (touched) checkAtMost("operations", most, 2 * plBudgetOfHands * T);
        assert_int_equal(cut > 0, touched);
        plWorld_Destroy(w);
    }
    plScene_Destroy(scene);
}

// The scenes of the gallery are not cut off; but a pile of 200 has more work than there is time for on any machine.
static void scenesOfTheGalleryAreNotCutOff(void** unused)
{
    (void)unused;
    const char* const names[] = {"arch",  "arch-thin",   "box",     "clip",
                                 "jelly", "peg-in-hole", "pile-50", "stack"};
    for (int i = 0; i < PL_COUNT(names); ++i) {
        char file[64];
        plScene* scene;
        plSceneError error;
        plPointer pointer;
        plWorld* w;
        int cut = 0;
        snprintf(file, sizeof file, "scenes/%s.json", names[i]);
        if (plScene_Load(file, NULL, 0, &scene, &error) != pl_statusOk ||
            plScene_CreateTouchable(scene, &w, &pointer, &error) != pl_statusOk) {
            fail_msg("%s", error.message);
        }
        plStepper stepper = plScene_Stepper(scene);
        for (int k = 0; k < sized(400, 4000); ++k) {
            plWorld_Step(w, plStepper_Next(&stepper));
            cut += (plWorld_Report(w).trouble & pl_troubleBudget) != 0;
        }
        if (cut > 0) fail_msg("%s was cut off in %d ticks", names[i], cut);
        plWorld_Destroy(w);
        plScene_Destroy(scene);
    }
}

static void budgetsAreChecked(void** unused)
{
    (void)unused;
    const double bad[] = {-1, NAN};
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        plWorldDef def = plDefaultWorldDef();
        plWorld* w;
        def.budget = bad[i];
        assert_int_equal(plWorld_Create(&def, &w), pl_statusBadArgument);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticksCostNoMoreThanTheirBudget),
        cmocka_unit_test(whatIsSoftGainsNothing),
        cmocka_unit_test(othersDoNotPayForAHeap),
        cmocka_unit_test(touchedScenesHaveABudget),
        cmocka_unit_test(scenesOfTheGalleryAreNotCutOff),
        cmocka_unit_test(budgetsAreChecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
