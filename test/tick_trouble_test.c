// Scenes on which a step has failed before, of the folder `test/data/trouble`: ropes stay closed,
// nothing stands still, energy never rises, a heap comes to rest.
#include "reference.h"
#include "ticks.h"

/// What a scene must reach. INFINITY: not judged.
typedef struct {
    const char* name;
    double gap;      ///< of the rope's links in every tick [m]
    double rise;     ///< of energy in a tick, over its scale
    double longest;  ///< ticks running in which a group stands still
    double residual; ///< of the ledger, over the energy moved
    double kinetic;  ///< at the end [J]
    double depth;    ///< of convex shapes, at the end of every tick [m]
} Goal;

static const double any = INFINITY;

static const Goal goals[] = {
    {"rope-600N-1kHz", 1e-9, 1e-9, 0, 1e-12, any, any},
    {"rope-weight-100Hz", 1e-6, 1e-9, 0, 1e-12, any, any},
    {"rope-own-weight-30Hz", 1e-6, 1e-9, 0, 1e-12, any, any},
    {"taut-1000", 1e-9, 1e-9, 0, 1e-12, any, any},
    {"beam-stop", any, 1e-9, 1, 1e-12, any, any},
    {"chain-frozen", any, 1e-9, 1, 1e-12, any, any},
    {"chain-residual", any, 1e-9, 1, 1e-12, any, any},
    {"min-1330b", any, 1e-9, 1, 1e-12, any, any},
    {"frozen-hand", any, any, 1, 1e-12, any,
     any}, // asks for a printed bias: depth is paid by earlier losses
    {"press-1e5-300Hz", any, 1e-9, 1, 1e-12, any, any},
    {"heap-26", any, 1e-9, 0, 1e-12, 1e-9, 1e-4},
};

static plWorld* openScene(const char* name, plScene** scene)
{
    char path[512];
    plSceneError error;
    plWorld* w = NULL;
    snprintf(path, sizeof path, "%s/%s.json", ownFile("trouble"), name);
    if (plScene_Load(path, NULL, 0, scene, &error) != pl_statusOk) fail_msg("%s", error.message);
    if (plScene_CreateWorld(*scene, &w, &error) != pl_statusOk) fail_msg("%s", error.message);
    return w;
}

// The ropes of these scenes: bodies 42 mm long, each joined to the one before it, the first to the ground.
static double gapOfRope(const plWorld* w)
{
    plVec3 end = plVec(0, 0, 0.2);
    double gap = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        if (strcmp(plWorld_MechanismType(w, id), "assembly") != 0) continue;
        const plMotion near = motionOf(w, (plSite){id, 0, {-0.021, 0, 0}});
        larger(&gap, plNorm(plSub(near.x, end)));
        end = motionOf(w, (plSite){id, 0, {0.021, 0, 0}}).x;
    }
    return gap;
}

static const Measure measures[] = {{"gap/goal", 1, true},   {"rise/goal", 1, true},
                                   {"stood/goal", 1, true}, {"resid/goal", 1, true},
                                   {"kin/goal", 1, true},   {"depth/goal", 1, true},
                                   {"stopped", 0, false}};

static double overGoal(double value, double goal) { return isinf(goal) ? 0 : value / goal; }

static void follow(const Goal* g, bool trace, double values[])
{
    plScene* scene;
    plWorld* w = openScene(g->name, &scene);
    plStepper stepper = plScene_Stepper(scene);
    const double time = plScene_Time(scene) - 1e-9;
    Watch watch = watchOf(w, 0);
    double gap = 0, depth = 0;
    while (plWorld_Time(w) < time) {
        watchStep(w, plStepper_Next(&stepper), &watch);
        if (!isinf(g->gap)) larger(&gap, gapOfRope(w));
        if (!isinf(g->depth)) larger(&depth, depthOf(w, NULL));
        if (trace) {
            const plStepReport r = plWorld_Report(w);
            print_message("%.6f s: gap %.3g, depth %.3g, energy %.9g J, worst rise %.2g of %.3g J, "
                          "trouble %d\n",
                          plWorld_Time(w), gap, depth, energyOf(w), watch.rise, watch.scale,
                          r.trouble);
        }
    }
    const double kinetic = plWorld_Ledger(w).kinetic;
    print_message("%-22s gap %.2g m, rise %.2g, stopped %d (%d running), residual %.2g, kinetic "
                  "%.2g J, depth %.2g m\n",
                  g->name, gap, watch.rise, watch.stopped, watch.longest, watch.residual, kinetic,
                  depth);
    const double list[] = {overGoal(gap, g->gap),
                           overGoal(watch.rise, g->rise),
                           watch.longest > g->longest ? 2 : 0,
                           overGoal(watch.residual, g->residual),
                           overGoal(kinetic, g->kinetic),
                           overGoal(depth, g->depth),
                           watch.stopped};
    memcpy(values, list, sizeof list);
    plWorld_Destroy(w);
    plScene_Destroy(scene);
}

static void troubleScenesAreSolved(void** unused)
{
    (void)unused;
    const Range range = rangeOf(PL_COUNT(goals), PL_COUNT(goals));
    static Board board;
    board = boardOf("trouble", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end && i < PL_COUNT(goals); ++i) {
        double values[mostMeasures];
        follow(&goals[i], range.alone && isVerbose(), values);
        enter(&board, goals[i].name, i, values);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(troubleScenesAreSolved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
