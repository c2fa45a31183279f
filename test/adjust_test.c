// Law and integrator changed while a world runs: nothing is lost, nothing jumps, every joule is named.
#include "full_world.h"

#include "scene_worlds.h"

#include <string.h>

static double largest(double* a, double b) { return *a = fmax(*a, b); }

static void everyLawFollowsEveryOther(void** state)
{
    (void)state;
    const plLawName laws[] = {pl_lawCone, pl_lawPenalty, pl_lawImpulse, pl_lawLcp};
    plWorld* world = sceneWorld("stack");
    double worst = 0, energy = energyOf(world);
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            checkOk(world, plWorld_SetLaw(world, laws[(a + b) % 4]));
            for (int k = 0; k < sized(12, 60); ++k) plWorld_Step(world, 1e-3);
            const plStepReport report = plWorld_Report(world);
            assert_false(report.trouble & (pl_troubleNotFinite | pl_troubleStopped));
            largest(&worst, fabs(plWorld_Ledger(world).residual));
        }
    }
    const plAccount total = plWorld_Ledger(world);
    print_message(
        "sixteen changes of law in a stack: residual %.1e J of %.1f J, changes gave %.1e J, "
        "walls %.1e J\n",
        worst, energy, total.applied, total.leak);
    checkAtMost("residual", worst, 1e-11 * energy);
    checkAtMost("the stack stands", fabs(energyOf(world) - energy), 0.02 * energy);
    plWorld_Destroy(world);
}

static void aLawSetAgainIsTheSameRun(void** state)
{
    (void)state;
    plWorld *a = sceneWorld("stack"), *b = sceneWorld("stack");
    for (int k = 0; k < 50; ++k) {
        checkOk(b, plWorld_SetLaw(b, pl_lawCone));
        plWorld_Step(a, 1e-3);
        plWorld_Step(b, 1e-3);
    }
    assert_true(plWorld_Hash(a) == plWorld_Hash(b));
    plWorld_Destroy(a);
    plWorld_Destroy(b);
}

static void anotherIntegratorKeepsTheStateToTheLastBit(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plWorld* world = fullWorld(false, &allocator);
    for (int k = 0; k < 20; ++k) plWorld_Step(world, 1e-3);
    for (int to = 0; to < 2 * pl_integratorCount; ++to) {
        const plIntegrator integrator = (plIntegrator)(to % pl_integratorCount);
        const double energy = energyOf(world);
        for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
            const plMechanismId id = plWorld_Mechanism(world, i);
            double q[2][64], v[2][64];
            if (strcmp(plWorld_MechanismType(world, id), "prescribed") == 0) continue;
            assert_true(plWorld_PositionCount(world, id) <= 64);
            checkOk(world, plWorld_State(world, id, q[0], v[0]));
            checkOk(world, plWorld_SetIntegrator(world, id, integrator));
            checkOk(world, plWorld_State(world, id, q[1], v[1]));
            assert_int_equal(plWorld_MechanismIntegrator(world, id), integrator);
            for (int k = 0; k < plWorld_PositionCount(world, id); ++k) {
                assert_true(q[0][k] == q[1][k]);
            }
            for (int k = 0; k < plWorld_VelocityCount(world, id); ++k) {
                checkNear("velocity", v[1][k], v[0][k], 1e-13 * (1 + fabs(v[0][k])));
            }
        }
        plWorld_Step(world, 1e-4);
        checkAtMost("residual", plWorld_Ledger(world).worst, 1e-10 * (1 + fabs(energy)));
    }
    plWorld_Destroy(world);
}

static void aSnapshotBringsItsSettingsBack(void** state)
{
    (void)state;
    plWorld* world = sceneWorld("linkage");
    const size_t size = plWorld_SnapshotSize(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    checkOk(world, plWorld_SetLaw(world, pl_lawPenalty));
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    plWorld_Save(world, snapshot);
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    const uint64_t hash = plWorld_Hash(world);
    checkOk(world, plWorld_SetLaw(world, pl_lawCone));
    for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
        checkOk(world, plWorld_SetIntegrator(world, plWorld_Mechanism(world, i),
                                             pl_integratorSemiImplicit));
    }
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    checkOk(world, plWorld_Restore(world, snapshot, size));
    assert_int_equal(plWorld_Law(world), pl_lawPenalty);
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    assert_true(plWorld_Hash(world) == hash);
    free(snapshot);
    plWorld_Destroy(world);
}

static void whatIsNotThereIsRefused(void** state)
{
    (void)state;
    plWorld* world = sceneWorld("stack");
    const plMechanismId body = plWorld_Mechanism(world, 0);
    assert_int_equal(plWorld_SetLaw(world, pl_lawCount), pl_statusBadArgument);
    assert_int_equal(plWorld_SetLaw(world, (plLawName)-1), pl_statusBadArgument);
    assert_int_equal(plWorld_SetIntegrator(world, (plMechanismId){0, 0}, pl_integratorMidpoint),
                     pl_statusBadId);
    assert_int_equal(plWorld_SetIntegrator(world, body, pl_integratorCount), pl_statusBadArgument);
    plWorld_Destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyLawFollowsEveryOther),
        cmocka_unit_test(aLawSetAgainIsTheSameRun),
        cmocka_unit_test(anotherIntegratorKeepsTheStateToTheLastBit),
        cmocka_unit_test(aSnapshotBringsItsSettingsBack),
        cmocka_unit_test(whatIsNotThereIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
