// Nonlinear potentials of a chain's coordinates.
#include "math/math.h"
#include "worlds.h"

#include <float.h>
#include <string.h>

static const plVec3 weightless = {0, 0, 0};

// --- one mass, force -(100 y + 10000 y^3)

static const double duffing[4] = {0, 50, 0, 2500};

static double duffingFunction(void* self, const double* y, int n, double* g, double* H)
{
    (void)self, (void)n;
    if (g) g[0] = 100 * y[0] + 1e4 * y[0] * y[0] * y[0];
    if (H) H[0] = 100 + 3e4 * y[0] * y[0];
    return 50 * y[0] * y[0] + 2500 * pow(y[0], 4);
}

static plMechanismId addMass(plWorld* w, const plPotentialDef* p, plIntegrator integrator,
                             double damping)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef d = plDefaultChainDef();
    plMechanismId id;
    body.name = "body";
    body.joint = pl_jointPrismatic;
    body.axis = plVec(1, 0, 0);
    body.mass = 1;
    body.position[0] = 0.2;
    body.damping = damping;
    d.name = "mass";
    d.integrator = integrator;
    d.bodies = &body;
    d.bodyCount = 1;
    d.potentials = p;
    d.potentialCount = 1;
    checkOk(w, plWorld_AddChain(w, &d, &id));
    return id;
}

static const plPotentialDef polynomial = {
    .kind = pl_potentialPolynomial, .count = 4, .numbers = duffing};

// y after `until` by the classical method of Runge and Kutta, in long double.
static double duffingAt(double until)
{
    const int steps = 200000;
    const long double h = until / steps;
    long double y = 0.2L, v = 0;
    for (int k = 0; k < steps; ++k) {
        long double dy[4], dv[4], at = y, rate = v;
        for (int s = 0; s < 4; ++s) {
            dy[s] = rate;
            dv[s] = -(100 * at + 1e4L * at * at * at);
            const long double reach = s == 2 ? h : 0.5L * h;
            at = y + reach * dy[s];
            rate = v + reach * dv[s];
        }
        y += h / 6 * (dy[0] + 2 * dy[1] + 2 * dy[2] + dy[3]);
        v += h / 6 * (dv[0] + 2 * dv[1] + 2 * dv[2] + dv[3]);
    }
    return (double)y;
}

static double endOf(const plPotentialDef* p, plIntegrator integrator, double T, double* worst)
{
    plWorld* w = makeWorld(weightless, 8);
    const plMechanismId id = addMass(w, p, integrator, 0);
    double q, v;
    *worst = worstEnergy(w, (int)lround(1 / T), T);
    checkOk(w, plWorld_State(w, id, &q, &v));
    plWorld_Destroy(w);
    return q;
}

// It turns 3.4 times in a second; the step is of order two, and what its model of the potential misses is closed.
static void hardSpringMovesAsItsEquation(void** state)
{
    (void)state;
    const double exact = duffingAt(1);
    double coarseEnergy, fineEnergy;
    const double coarse = endOf(&polynomial, pl_integratorMidpoint, 1e-3, &coarseEnergy) - exact;
    const double fine = endOf(&polynomial, pl_integratorMidpoint, 5e-4, &fineEnergy) - exact;
    print_message("after 1 s: error %.2e, %.2e m; |E/E0 - 1| %.1e\n", coarse, fine, coarseEnergy);
    checkNear("order two", coarse / fine, 4, 0.1);
    checkAtMost("error", fabs(coarse), 2e-3);
    checkAtMost("energy", fmax(coarseEnergy, fineEnergy), 1e-11);
}

// Steps of a third of a period: nothing is created, and little is lost.
static void longStepsCreateNothing(void** state)
{
    (void)state;
    for (int bounded = 0; bounded < 2; ++bounded) {
        plPotentialDef p = polynomial;
        p.bound = bounded * 1300; // at 0.2 m
        plWorld* w = makeWorld(weightless, 2);
        addMass(w, &p, pl_integratorMidpoint, 0);
        const double E0 = energyOf(w);
        double most = 0;
        for (int k = 0; k < 300; ++k) {
            plWorld_Step(w, 0.1);
            most = fmax(most, energyOf(w) - E0);
        }
        print_message("T 0.1 s: gain %.1e J of %.1f, E/E0 %.3f\n", most, E0, energyOf(w) / E0);
        checkAtMost("gain", most, 1e-12 * E0);
        checkAtMost("residual", plWorld_Ledger(w).worst, 1e-14 * E0);
        plWorld_Destroy(w);
    }
}

// A function, a polynomial and a fine table of it move alike, and every integrator's balance closes.
static void formsAgreeUnderEveryIntegrator(void** state)
{
    (void)state;
    enum { points = 801 };
    static double pairs[2 * points];
    for (int i = 0; i < points; ++i) {
        pairs[2 * i] = -0.4 + 0.001 * i;
        pairs[2 * i + 1] = duffingFunction(NULL, &pairs[2 * i], 1, NULL, NULL);
    }
    const plPotentialDef table = {.kind = pl_potentialTable, .count = points, .numbers = pairs};
    const plPotentialDef function = {.kind = pl_potentialFunction, .function = duffingFunction};
    for (int i = 0; i < pl_integratorCount; ++i) {
        const plIntegrator integrator = (plIntegrator)i;
        double none;
        const double a = endOf(&polynomial, integrator, 1e-3, &none);
        checkNear(plIntegrator_Name(i), endOf(&function, integrator, 1e-3, &none), a, 1e-12);
        checkNear(plIntegrator_Name(i), endOf(&table, integrator, 1e-3, &none), a, 1e-7);
        plWorld* w = makeWorld(weightless, 2);
        addMass(w, &polynomial, integrator, 0.3);
        for (int k = 0; k < 300; ++k) plWorld_Step(w, 1e-3);
        const plAccount ledger = plWorld_Ledger(w);
        checkAtMost("residual", ledger.worst, 1e-13);
        if (integrator != pl_integratorMidpoint) checkNear("leak", ledger.leak, 0, 0);
        plWorld_Destroy(w);
    }
}

// Beyond its ends a table goes straight on: constant force.
static void tablesGoStraightOn(void** state)
{
    (void)state;
    const double pairs[] = {-1, 1, 0,
                            0,  1, 1}; // natural spline: 1.25 y^2 - 0.25 |y|^3, slope 7/4... at 1
    const plPotentialDef table = {.kind = pl_potentialTable, .count = 3, .numbers = pairs};
    plWorld* w = makeWorld(weightless, 2);
    const plMechanismId id = addMass(w, &table, pl_integratorMidpoint, 0);
    const double far = 3, rest = 0;
    double q, v;
    checkOk(w, plWorld_SetState(w, id, &far, &rest));
    checkNear("energy", energyOf(w), 1 + 1.5 * 2, 1e-14);
    for (int k = 0; k < 1000; ++k) plWorld_Step(w, 1e-3);
    checkOk(w, plWorld_State(w, id, &q, &v));
    checkNear("free fall", q, 3 - 0.5 * 1.5, 1e-12);
    checkNear("speed", v, -1.5, 1e-12);
    plWorld_Destroy(w);
}

// --- an arm with a potential that couples its joints

// 3 (1 - cos(q1 + q2)) + q1^2 q2^2
static double coupled(void* self, const double* y, int n, double* g, double* H)
{
    const double s = y[0] + y[1];
    (void)self;
    assert_int_equal(n, 2);
    if (g) {
        g[0] = 3 * sin(s) + 2 * y[0] * y[1] * y[1];
        g[1] = 3 * sin(s) + 2 * y[0] * y[0] * y[1];
    }
    if (H) {
        H[0] = 3 * cos(s) + 2 * y[1] * y[1];
        H[3] = 3 * cos(s) + 2 * y[0] * y[0];
        H[1] = H[2] = 3 * cos(s) + 4 * y[0] * y[1];
    }
    return 3 * (1 - cos(s)) + y[0] * y[0] * y[1] * y[1];
}

static void armKeepsItsEnergyInACoupledPotential(void** state)
{
    (void)state;
    const plPotentialDef p = {.kind = pl_potentialFunction, .function = coupled};
    plChainBodyDef bodies[2] = {rod("upper", -1, 1, 1), rod("lower", 0, 1, 1)};
    plChainDef d = plDefaultChainDef();
    bodies[0].position[0] = 1.2;
    bodies[1].position[0] = 0.8;
    bodies[1].velocity[0] = 2;
    d.name = "arm";
    d.bodies = bodies;
    d.bodyCount = 2;
    d.potentials = &p;
    d.potentialCount = 1;
    double q[3][2], v[2];
    for (int i = 0; i < 3; ++i) { // the last one is exact against the others
        const double T = i == 2 ? 1e-4 : 2e-3 / (1 + i);
        plWorld* w = makeWorld(weightless, 8);
        plMechanismId id;
        checkOk(w, plWorld_AddChain(w, &d, &id));
        const double worst = worstEnergy(w, (int)lround(2 / T), T);
        checkAtMost("energy", worst, 1e-10);
        checkAtMost("residual", plWorld_Ledger(w).worst, 1e-13);
        checkOk(w, plWorld_State(w, id, q[i], v));
        plWorld_Destroy(w);
    }
    const double coarse = hypot(q[0][0] - q[2][0], q[0][1] - q[2][1]);
    const double fine = hypot(q[1][0] - q[2][0], q[1][1] - q[2][1]);
    print_message("arm after 2 s: error %.1e, %.1e rad\n", coarse, fine);
    checkNear("order two", coarse / fine, 4, 0.15);
}

// As printed, linearised once and without a guard: the approximate action may create energy, and damping takes it.
static void dampingMakesTheApproximateActionPassive(void** state)
{
    (void)state;
    for (int damped = 0; damped < 2; ++damped) {
        plWorldDef def = plDefaultWorldDef();
        plWorld* w;
        def.gravity = weightless;
        def.passes = 0;
        def.guard = false;
        checkOk(NULL, plWorld_Create(&def, &w));
        const plMechanismId id = addMass(w, &polynomial, pl_integratorMidpoint, damped * 0.05);
        const double middle = 0, fast = sqrt(12);
        checkOk(w, plWorld_SetState(w, id, &middle, &fast));
        const double E0 = energyOf(w);
        double most = 0;
        for (int k = 0; k < 10000; ++k) {
            plWorld_Step(w, 1e-3);
            most = fmax(most, energyOf(w) / E0 - 1);
        }
        print_message("%s: E/E0 - 1 up to %.1e\n", damped ? "damped" : "undamped", most);
        if (damped) checkAtMost("damped", most, 1e-12);
        if (!damped) assert_true(most > 1e-6 && most < 1e-2);
        plWorld_Destroy(w);
    }
}

static void badPotentialsAreRefusedWithASentence(void** state)
{
    (void)state;
    const double wrong[] = {0, 1, 0, 2}, endless[] = {INFINITY};
    const plPotentialDef bad[] = {
        {.kind = pl_potentialPolynomial},
        {.kind = pl_potentialPolynomial, .count = 1, .numbers = endless},
        {.kind = pl_potentialPolynomial, .count = 4, .numbers = duffing, .coordinate = 1},
        {.kind = pl_potentialPolynomial, .count = 4, .numbers = duffing, .bound = -1},
        {.kind = pl_potentialTable, .count = 2, .numbers = wrong},
        {.kind = pl_potentialFunction},
        {.kind = pl_potentialCount},
    };
    for (int i = 0; i < PL_COUNT(bad); ++i) {
        plWorld* w = makeWorld(weightless, 2);
        plChainBodyDef body = rod("rod", -1, 1, 1);
        plChainDef d = plDefaultChainDef();
        plMechanismId id;
        d.name = "arm";
        d.bodies = &body;
        d.bodyCount = 1;
        d.potentials = &bad[i];
        d.potentialCount = 1;
        assert_int_equal(plWorld_AddChain(w, &d, &id), pl_statusBadArgument);
        assert_true(strlen(plWorld_Error(w)) > 10);
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardSpringMovesAsItsEquation),
        cmocka_unit_test(longStepsCreateNothing),
        cmocka_unit_test(formsAgreeUnderEveryIntegrator),
        cmocka_unit_test(tablesGoStraightOn),
        cmocka_unit_test(armKeepsItsEnergyInACoupledPotential),
        cmocka_unit_test(dampingMakesTheApproximateActionPassive),
        cmocka_unit_test(badPotentialsAreRefusedWithASentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
