// Frames whose motion is given: what they do to others, and what it costs their mover.
#include "math/math.h"
#include "worlds.h"

static plMechanismId addFrame(plWorld* w, const char* name, plVec3 at)
{
    plPrescribedDef def = plDefaultPrescribedDef();
    plMechanismId id;
    def.name = name;
    def.pose.p = at;
    checkOk(w, plWorld_AddPrescribed(w, &def, &id));
    return id;
}

static plLinkId tie(plWorld* w, plSite a, plSite b, double K, double turnK)
{
    plLinkDef def = plDefaultLinkDef();
    plLinkId id;
    def.name = "tie";
    def.a = a, def.b = b;
    def.stiffness = K;
    def.turns = turnK > 0;
    def.turnStiffness = turnK;
    checkOk(w, plWorld_AddLink(w, &def, &id));
    return id;
}

// |change of energy - what was applied + what was lost| of all ticks, and what was created.
static double imbalance(const plWorld* w, double start, double* created)
{
    const plAccount a = plWorld_Ledger(w);
    *created = a.integrator + a.leak;
    return fabs(a.kinetic + a.potential - start - a.applied + a.dissipated - a.drift - *created);
}

// A hand that swings by 1 cm at 1 Hz, held by 7500 N/m: the world side creates nothing, at any rate.
static void handOnASpringIsAccountedFor(void** unused)
{
    (void)unused;
    const double rates[] = {30, 300, 1000, 10000};
    for (int k = 0; k < 4; ++k) {
        plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
        const plMechanismId hand = addFrame(w, "hand", (plVec3){0, 0, 0});
        const plMechanismId cube = addCube(w, "cube", 1e-3, 0.01, (plVec3){0, 0, 0});
        const double T = 1 / rates[k];
        double created, start = energyOf(w), most = 0;
        tie(w, (plSite){.mechanism = cube}, (plSite){.mechanism = hand}, 7500, 0);
        for (int i = 1; i * T <= 2; ++i) {
            const double x = 0.01 * sin(2 * PL_PI * i * T);
            checkOk(w, plWorld_Steer(w, hand, (plPose){{x, 0, 0}, {1, 0, 0, 0}}));
            plWorld_Step(w, T);
            most = fmax(most, energyOf(w));
        }
        const double off = imbalance(w, start, &created);
        print_message("%g Hz: off by %.1g J, created %.1g J, at most %.2g J\n", rates[k], off,
                      created, most);
        checkAtMost("imbalance [J]", off, 1e-12);
        checkAtMost("created [J]", created, 1e-14);
        plWorld_Destroy(w);
    }
}

// A hand that also turns, holding a body away from its centre by all six rows.
static void turningHandCreatesNothing(void** unused)
{
    (void)unused;
    for (int passes = 2; passes <= 8; passes *= 2) {
        plWorld* w = makeWorld((plVec3){0, 0, -9.81}, passes);
        const plMechanismId hand = addFrame(w, "hand", (plVec3){0, 0, 0});
        const plMechanismId cube = addCube(w, "cube", 0.2, 0.03, (plVec3){0.1, 0, 0});
        double created, start = energyOf(w);
        tie(w, (plSite){cube, 0, {-0.1, 0, 0}}, (plSite){.mechanism = hand}, 2000, 5);
        for (int i = 1; i <= 1000; ++i) {
            const double t = 1e-3 * i;
            const plQuat q = plExp(plVec(sin(3 * t), 0.5 * sin(5 * t), 2 * t));
            checkOk(w, plWorld_Steer(w, hand, (plPose){{0.05 * sin(7 * t), 0, 0}, q}));
            plWorld_Step(w, 1e-3);
        }
        const double off = imbalance(w, start, &created);
        print_message("%d passes: off by %.1g J, created %.2g J of %.3g J applied\n", passes, off,
                      created, plWorld_Ledger(w).applied);
        checkAtMost("imbalance [J]", off, 1e-12);
        checkAtMost("created [J]", created, 1e-12);
        plWorld_Destroy(w);
    }
}

// A platform lifts three boxes by 10 cm: its mover pays their weight, and what the start costs.
static void platformLiftsAStack(void** unused)
{
    (void)unused;
    for (plLawName law = pl_lawLcp; law <= pl_lawCone; ++law) {
        plWorldDef def = plDefaultWorldDef();
        plWorld* w;
        def.contact.law = law;
        checkOk(NULL, plWorld_Create(&def, &w));
        const plMechanismId table = addFrame(w, "table", (plVec3){0, 0, -0.05});
        addBoxShape(w, table, (plVec3){0.2, 0.2, 0.05});
        addFloor(w, -0.08); // it stands in the floor: two that cannot move do not touch
        for (int i = 0; i < 3; ++i)
            addCube(w, partName(i), 1, 0.05, (plVec3){0, 0, 0.05 + 0.1 * i});
        double created, start = energyOf(w);
        for (int i = 1; i <= 2000; ++i) {
            const double z = 0.1 * (1 - cos(PL_PI * fmin(1, 1e-3 * i))) / 2;
            checkOk(w, plWorld_Steer(w, table, (plPose){{0, 0, z - 0.05}, {1, 0, 0, 0}}));
            plWorld_Step(w, 1e-3);
        }
        plAccount a;
        double q[7];
        checkOk(w, plWorld_MechanismLedger(w, table, &a));
        plWorld_State(w, plWorld_Mechanism(w, 3), q, NULL);
        const double off = imbalance(w, start, &created);
        print_message("%s: lifted by %.6f m for %.6f J (weight %.6f J); off by %.1g J\n",
                      plLawName_Name((int)law), q[2] - 0.25, a.applied, 3 * 9.81 * 0.1, off);
        checkNear("height of the top box", q[2], 0.35, 1e-4);
        checkNear("work of the mover [J]", a.applied, 3 * 9.81 * 0.1, 5e-3);
        checkAtMost("imbalance [J]", off, 1e-11);
        assert_int_equal(plWorld_Report(w).trouble, 0);
        plWorld_Destroy(w);
    }
}

static void onlyPrescribedFramesAreSteered(void** unused)
{
    (void)unused;
    plWorld* w = makeWorld((plVec3){0, 0, 0}, 2);
    const plMechanismId cube = addCube(w, "cube", 1, 0.1, (plVec3){0, 0, 0});
    const plMechanismId hand = addFrame(w, "hand", (plVec3){1, 0, 0});
    const plPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    assert_int_equal(plWorld_Steer(w, cube, pose), pl_statusBadId);
    assert_int_equal(plWorld_Steer(w, (plMechanismId){9, 1}, pose), pl_statusBadId);
    assert_int_equal(plWorld_Steer(w, hand, (plPose){{NAN, 0, 0}, {1, 0, 0, 0}}),
                     pl_statusBadArgument);
    plWorld_Step(w, 1e-3);
    double q[7];
    plWorld_State(w, hand, q, NULL);
    checkNear("not steered, it stays", q[0], 1, 0);
    assert_string_equal(plWorld_MechanismType(w, hand), "prescribed");
    plWorld_Destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handOnASpringIsAccountedFor),
        cmocka_unit_test(turningHandCreatesNothing),
        cmocka_unit_test(platformLiftsAStack),
        cmocka_unit_test(onlyPrescribedFramesAreSteered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
