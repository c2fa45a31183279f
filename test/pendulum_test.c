// The double pendulum under gravity, as one chain and as two bodies on rigid links: both scenes
// against each other and against its own two equations, solved apart from the engine.
#include "math/math.h"
#include "worlds.h"

#include <string.h>

static const double length = 0.5, mass = 0.2, g = 9.81;

/// Sum of m g c: what the pendulum can gain by falling to the vertical [J].
static const double scale = 0.2 * 9.81 * (0.25 + 0.75);

// ---------------------------------------------------------------------------------- reference

// y = angles of the rods below the horizontal, and their rates.
static void rate(const double* y, double* r)
{
    const double ml = mass * length * length, c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    const double m11 = ml * 4 / 3, m12 = ml * c / 2, m22 = ml / 3;
    const double f1 = mass * g * length * 1.5 * cos(y[0]) - ml / 2 * s * y[3] * y[3];
    const double f2 = mass * g * length * 0.5 * cos(y[1]) + ml / 2 * s * y[2] * y[2];
    const double det = m11 * m22 - m12 * m12;
    r[0] = y[2];
    r[1] = y[3];
    r[2] = (m22 * f1 - m12 * f2) / det;
    r[3] = (m11 * f2 - m12 * f1) / det;
}

// Elbow and tip, x and z, after 1 s from the horizontal; Runge and Kutta's fourth order.
static void reference(int steps, double* places)
{
    const double h = 1.0 / steps;
    double y[4] = {0, 0, 0, 0};
    for (int k = 0; k < steps; ++k) {
        double r[4][4], x[4];
        rate(y, r[0]);
        for (int stage = 1; stage < 4; ++stage) {
            const double s = stage < 3 ? h / 2 : h;
            for (int i = 0; i < 4; ++i) x[i] = y[i] + s * r[stage - 1][i];
            rate(x, r[stage]);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6 * (r[0][i] + 2 * r[1][i] + 2 * r[2][i] + r[3][i]);
        }
    }
    places[0] = length * cos(y[0]);
    places[1] = -length * sin(y[0]);
    places[2] = places[0] + length * cos(y[1]);
    places[3] = places[1] - length * sin(y[1]);
}

// ------------------------------------------------------------------------------------- scenes

static plWorld* load(const char* file, const char* const* settings, int count)
{
    char path[1024];
    plSceneError error;
    plScene* scene = NULL;
    plWorld* world = NULL;
    snprintf(path, sizeof path, "%s/%s", PALP_SOURCE_SCENES, file);
    if (plScene_Load(path, settings, count, &scene, &error) != pl_statusOk ||
        plScene_CreateWorld(scene, &world, &error) != pl_statusOk) {
        print_error("%s\n", error.message);
        fail();
    }
    plScene_Destroy(scene);
    return world;
}

static plVec3 placeOf(const plWorld* world, const char* mechanism, int part, double x)
{
    plMechanismId id;
    plMotion m;
    checkOk(world, plWorld_FindMechanism(world, mechanism, &id));
    checkOk(world, plWorld_Motion(world, (plSite){id, part, {x, 0, 0}}, &m));
    return m.x;
}

static void after1s(plWorld* world, double T, bool linked, double* places)
{
    const int steps = (int)lround(1 / T);
    for (int k = 0; k < steps; ++k) plWorld_Step(world, T);
    const plVec3 elbow =
        linked ? placeOf(world, "upper", 0, length / 2) : placeOf(world, "pendulum", 0, length);
    const plVec3 tip =
        linked ? placeOf(world, "lower", 0, length / 2) : placeOf(world, "pendulum", 1, length);
    const double all[4] = {elbow.x, elbow.z, tip.x, tip.z};
    // round-off: nothing pushes it out
    checkNear("it stays in its plane", fabs(elbow.y) + fabs(tip.y), 0, 1e-12);
    memcpy(places, all, sizeof all);
    plWorld_Destroy(world);
}

static void chainAfter1s(const char* integrator, double T, double* places)
{
    char setting[64];
    const char* settings[1] = {setting};
    snprintf(setting, sizeof setting, "mechanisms.pendulum.integrator=%s", integrator);
    after1s(load("pendulum.json", settings, 1), T, false, places);
}

static void linksAfter1s(double T, double* places)
{
    after1s(load("pendulum-links.json", NULL, 0), T, true, places);
}

static double distance(const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// -------------------------------------------------------------------------------------- tests

// Errors at 2, 1 and 0.5 ms. All orders within 0.2: the bar, and what the next order in T leaves.
static void checkOrder(const char* what, const double* error, double order, double within)
{
    for (int k = 0; k < 2; ++k) checkNear(what, log2(error[k] / error[k + 1]), order, within);
}

static void referenceIsConverged(void** state)
{
    (void)state;
    double coarse[4], fine[4];
    reference(5000, coarse);
    reference(20000, fine);
    checkAtMost("difference of the references", distance(coarse, fine),
                1e-10); // 4e-3 of what it judges
}

static void chainAndLinksAreOfOrderTwo(void** state)
{
    (void)state;
    double exact[4], chain[3], links[3], apart[3];
    reference(20000, exact);
    for (int k = 0; k < 3; ++k) {
        const double T = 2e-3 / (1 << k);
        double a[4], b[4];
        chainAfter1s("midpoint", T, a);
        linksAfter1s(T, b);
        chain[k] = distance(a, exact);
        links[k] = distance(b, exact);
        apart[k] = distance(a, b);
    }
    print_message("errors at 2, 1, 0.5 ms: chain %.3g %.3g %.3g, links %.3g %.3g %.3g [m]\n",
                  chain[0], chain[1], chain[2], links[0], links[1], links[2]);
    checkOrder("order of the chain", chain, 2, 0.2);
    checkOrder("order of the links", links, 2, 0.2);
    checkOrder("order of what they differ by", apart, 2, 0.2);
}

static void otherIntegratorsAreOfOrderOne(void** state)
{
    (void)state;
    static const plIntegrator integrators[] = {pl_integratorExplicit, pl_integratorSymplectic,
                                               pl_integratorSemiImplicit, pl_integratorImplicit};
    double exact[4];
    reference(20000, exact);
    for (int i = 0; i < PL_COUNT(integrators); ++i) {
        const char* name = plIntegrator_Name((int)integrators[i]);
        double error[3];
        for (int k = 0; k < 3; ++k) {
            double places[4];
            chainAfter1s(name, 2e-3 / (1 << k), places);
            error[k] = distance(places, exact);
        }
        print_message("%s: %.3g %.3g %.3g [m]\n", name, error[0], error[1], error[2]);
        checkOrder(name, error, 1, 0.2);
    }
}

// Largest loss over 2 s (20 s at full size); with the guard on the energy may only fall.
static double lossOf(const char* file, const char* passes, double T)
{
    plWorld* world = load(file, &passes, 1);
    const double E0 = energyOf(world);
    const int steps = (int)lround(sized(2, 20) / T);
    double loss = 0;
    for (int k = 0; k < steps; ++k) {
        plWorld_Step(world, T);
        const double change = energyOf(world) - E0;
        checkAtMost("growth of the energy over the scale", change / scale, 1e-12); // the bar
        loss = fmax(loss, -change / scale);
    }
    plWorld_Destroy(world);
    return loss;
}

// Bodies on links keep it: their trials go on until nothing is missing. A chain makes `passes` of them, and gravity
// is a linear model of the step.
static void energyNeverGrowsAndItsLossShrinksWithTheStep(void** state)
{
    (void)state;
    static const char* files[2] = {"pendulum-links.json", "pendulum.json"};
    for (int i = 0; i < 4; ++i) {
        const char* passes = i % 2 ? "passes=2" : "passes=1";
        double loss[3];
        for (int k = 0; k < 3; ++k) loss[k] = lossOf(files[i / 2], passes, 8e-3 / (1 << k));
        print_message("%s, %s: loss %.2g %.2g %.2g of the scale\n", files[i / 2], passes, loss[0],
                      loss[1], loss[2]);
        for (int k = 0; k < 3 && i < 2; ++k)
            checkAtMost("loss of links", loss[k], 1e-12); // the bar
        if (i < 2) continue;
        // of at least the first order in T
        checkAtMost("loss at 4 ms against 8 ms", loss[1], 0.5 * loss[0]);
        checkAtMost("loss at 2 ms against 4 ms", loss[2], 0.5 * loss[1]);
    }
}

static void jointsHoldWithinRoundOff(void** state)
{
    (void)state;
    plWorld* world = load("pendulum-links.json", NULL, 0);
    double gap = 0;
    for (int k = 0; k < sized(2000, 10000); ++k) {
        plWorld_Step(world, 1e-3);
        gap = fmax(gap, plWorld_Report(world).gap);
    }
    checkAtMost("gap [m]", gap, 1e-9); // the bar
    plWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(referenceIsConverged),
        cmocka_unit_test(chainAndLinksAreOfOrderTwo),
        cmocka_unit_test(otherIntegratorsAreOfOrderOne),
        cmocka_unit_test(energyNeverGrowsAndItsLossShrinksWithTheStep),
        cmocka_unit_test(jointsHoldWithinRoundOff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
