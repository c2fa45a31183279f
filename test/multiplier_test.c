// The law of multipliers: its targets, several contacts at once, and what pays for what it takes back.
#include "law_problems.h"

#include <string.h>

/// One contact without friction.
static Bench oneContact(double W, double uFree, double gap, double e, double rate)
{
    Bench b = makeBench(1, 1, 4);
    plSpace* s = &b.space;
    s->count = 1, s->T = 1e-3, s->rate = rate;
    s->pair[0] = (plPair){.e = e};
    s->gap[0] = gap;
    s->uStart[0] = s->uFree[0] = uFree;
    s->W[0] = W;
    return b;
}

static void oneContactIsTurnedRound(void** state)
{
    (void)state;
    const struct {
        double uFree, gap, e, rate, u; // u: the velocity behind the impact
    } cases[] = {
        {-0.1, -1e-5, 0, 0, 0},         // plastic
        {-0.1, -1e-5, 0.5, 0, 0.05},    // restitution of what forces made of the velocity
        {-0.1, -1e-5, 1, 0, 0.1},       //
        {-0.1, -1e-5, 0, 0.2, 2e-3},    // a fifth of the depth in one step
        {-0.1, -1e-5, 0.5, 0.2, 0.05},  // the larger of the two
        {-1e-3, -1e-5, 0.5, 0.2, 2e-3}, //
        {1e-4, -1e-5, 0, 0.2, 1e-4},    // it opens: nothing is done, however deep it is
        {-0.1, 1e-5, 0.5, 0.2, 0.05},   // ahead: it would be crossed within the step
        {-0.1, 2e-4, 0.5, 0.2, -0.1},   // ahead, and not reached yet
    };
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        Bench b = oneContact(4, cases[i].uFree, cases[i].gap, cases[i].e, cases[i].rate);
        const plLawReport r = runLaw(&plMultiplierLaw, &b.space, 0, &b);
        const double u = cases[i].uFree + 4 * b.p[0];
        assert_true(fabs(u - cases[i].u) <= 1e-15);
        assert_int_equal(r.active, cases[i].u != cases[i].uFree);
        assert_false(r.strikes);
        freeBench(&b);
    }
}

// A plate of 0.3 kg whose centre is at x = 0 falls on points at 0.05 and 0.15 m at 0.1 m/s. As if both were
// joints the multipliers would be (0.045, -0.015) N s: one pulls.                   (nurbs spec C12)
static void plateOnTwoPointsIsNotPulled(void** state)
{
    (void)state;
    const double m = 0.3, I = 0.004, x[2] = {0.05, 0.15};
    Bench b = makeBench(1, 2, 4);
    plSpace* s = &b.space;
    s->count = 2, s->T = 1e-3;
    for (int i = 0; i < 2; ++i) {
        s->gap[i] = -1e-6;
        s->pair[i] = (plPair){0};
        s->uStart[i] = s->uFree[i] = -0.1;
        for (int j = 0; j < 2; ++j) s->W[2 * i + j] = 1 / m + x[i] * x[j] / I;
    }
    runLaw(&plMultiplierLaw, s, 0, &b);
    checkAtMost("at 0.05 m", fabs(b.p[0] - 0.0252632), 1e-7);
    assert_true(b.p[1] == 0);
    freeBench(&b);
}

static void severalContactsNeverPull(void** state)
{
    (void)state;
    enum { m = 8 };
    double worst = 0;
    Bench b = makeBench(3, m, 4);
    plSpace* s = &b.space;
    s->T = 1e-3, s->rate = 0.2;
    for (uint64_t seed = 0; seed < 400; ++seed) {
        makeElastic(s, m, 0.4, seed);
        for (int i = 0; i < m; ++i) {
            s->gap[i] = i % 3 == 0 ? 1e-4 : -1e-4;
            s->pair[i].e = 0.1 * i;
        }
        const plLawReport r = runLaw(&plMultiplierLaw, s, 0, &b);
        worst = fmax(worst, r.residual);
        for (int i = 0; i < m; ++i) {
            const double *p = &b.p[3 * i], slip = hypot(p[1], p[2]);
            assert_true(p[0] >= 0 && slip <= 0.4 * p[0] + 1e-8);
        }
    }
    checkAtMost("residual", worst, 1e-6);
    freeBench(&b);
}

// --- in a world

static plWorld* ballOverPlane(plLawName law, plIntegrator integrator, double e, double rate,
                              double reach)
{
    plWorldDef def = plDefaultWorldDef();
    def.contact.law = law;
    def.contact.surface.restitution = e;
    def.contact.driftRate = rate;
    def.contact.reach = reach;
    plWorld* w;
    assert_int_equal(plWorld_Create(&def, &w), pl_statusOk);
    plAssemblyDef ball = plDefaultAssemblyDef();
    plMechanismId id;
    plShapeId shape;
    ball.name = "ball";
    ball.integrator = integrator;
    ball.mass = 0.18;
    ball.inertia = plDiagonal3(7.2e-6, 7.2e-6, 7.2e-6);
    ball.pose.p = plVec(0, 0, 0.0105);
    checkOk(w, plWorld_AddAssembly(w, &ball, &id));
    plPartShapeDef sphere = plDefaultPartShapeDef(pl_shapeSphere);
    sphere.shape.radius = 0.01;
    sphere.mechanism = id;
    checkOk(w, plWorld_AddShape(w, &sphere, &shape));
    const plPartShapeDef plane = plDefaultPartShapeDef(pl_shapePlane);
    checkOk(w, plWorld_AddShape(w, &plane, &shape));
    return w;
}

// Half a millimetre of fall, then rest. What micro-bounces and depth that is taken back need, impacts
// have lost before.
static void whatRestsNeitherSinksNorGains(void** state)
{
    (void)state;
    const struct {
        double e, rate, reach, deepest;
    } cases[] = {{0, 0.2, 0, 2e-5},
                 {0.3, 0, 0, 3e-5},
                 {0.3, 0.2, 0, 3e-5},
                 {0.6, 0, 0, 6e-5},
                 {0, 0.2, 1e-3, 1e-9}};
    const plIntegrator integrators[] = {pl_integratorMidpoint, pl_integratorSemiImplicit};
    for (int k = 0; k < 2 * PL_COUNT(cases); ++k) {
        const int c = k / 2;
        plWorld* w = ballOverPlane(pl_lawMultiplier, integrators[k % 2], cases[c].e, cases[c].rate,
                                   cases[c].reach);
        const double before = plWorld_Ledger(w).kinetic + plWorld_Ledger(w).potential;
        double deepest = 0, most = -INFINITY, tank = INFINITY, force = 0;
        for (int i = 0; i < 2000; ++i) {
            plWorld_Step(w, 1e-3);
            const plAccount a = plWorld_Ledger(w);
            most = fmax(most, a.kinetic + a.potential - before);
            tank = fmin(tank, plWorld_Tank(w));
            if (i < 500) continue;
            deepest = fmax(deepest, plWorld_Report(w).depth);
            for (int j = 0; j < plWorld_ContactCount(w); ++j) {
                plContactInfo info;
                checkOk(w, plWorld_Contact(w, j, &info));
                force += info.force.z / 1500;
            }
        }
        print_message(
            "e %.1f, rate %.1f, reach %.0e, %-13s: %.2e m deep, gained at most %.1e J, force "
            "%.5f N, tank %.1e J, residual %.1e J\n",
            cases[c].e, cases[c].rate, cases[c].reach, plIntegrator_Name((int)integrators[k % 2]),
            deepest, most, force, tank, plWorld_Ledger(w).worst);
        checkAtMost("depth", deepest, cases[c].deepest);
        checkAtMost("gained", most, 1e-15);
        assert_true(tank >= 0);
        checkAtMost("force", fabs(force - 0.18 * 9.81), 2e-3);
        checkAtMost("residual", plWorld_Ledger(w).worst, 1e-16);
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oneContactIsTurnedRound),
        cmocka_unit_test(plateOnTwoPointsIsNotPulled),
        cmocka_unit_test(severalContactsNeverPull),
        cmocka_unit_test(whatRestsNeitherSinksNorGains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
