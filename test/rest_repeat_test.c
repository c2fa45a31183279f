// Groups that stand still repeat their last step: what comes out is what the step itself gives, to the last bit, and
// whatever changes is noticed in the same tick.
#include "ticks.h"

enum { boxes = 4, settles = 600 };

static const double half = 0.05;

static void startStack(Scene* s)
{
    plWorldDef def = plDefaultWorldDef();
    plShapeDef box = plDefaultShapeDef(pl_shapeBox);
    *s = (Scene){.rng = plRng_Seed(7), .rate = 1000};
    def.contact.surface.friction = 0.5;
    createScene(s, &def);
    addWallAt(s, plVec(0, 0.2, 1), plVec(0, 0, 0)); // a slope, below the angle of friction
    box.half = plVec(half, half, half);
    for (int i = 0; i < boxes; ++i) {
        plAssemblyDef body = plDefaultAssemblyDef();
        const plVec3 up = plScale(1 / sqrt(1.04), plVec(0, 0.2, 1));
        body.pose.p = plScale(half * (1 + 2 * i) + 1e-4, up);
        body.pose.q = plRotor(plVec(1, 0, 0), -atan(0.2));
        addSolid(s, box, 1, body);
    }
}

static plStepReport stepOnce(Scene* s)
{
    plWorld_Step(s->world, 1 / s->rate);
    return plWorld_Report(s->world);
}

static void settle(Scene* s)
{
    startStack(s);
    for (int i = 0; i < settles; ++i) stepOnce(s);
}

// Ticks without a trial, and each of them made by another world, which has to make the step.
static void repeatsWhatAStepGives(void** unused)
{
    (void)unused;
    enum { ticks = 20 };
    Scene s;
    int trials = 0;
    settle(&s);
    const size_t size = plWorld_SnapshotSize(s.world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    for (int i = 0; i < ticks; ++i) {
        Scene other;
        startStack(&other);
        plWorld_Save(s.world, snapshot);
        assert_int_equal(plWorld_Restore(other.world, snapshot, size), pl_statusOk);
        const plStepReport a = stepOnce(&s), b = stepOnce(&other);
        trials += a.trials;
        assert_int_equal(b.trials, 1);
        assert_true(plWorld_Hash(s.world) == plWorld_Hash(other.world));
        assert_int_equal(a.trouble, b.trouble);
        assert_int_equal(a.active, b.active);
        assert_int_equal(a.contacts, b.contacts);
        assert_true(a.residual == b.residual && a.spent == b.spent && a.rise == b.rise);
        plWorld_Destroy(other.world);
    }
    checkAtMost("trials of a stack at rest", trials, 0);
    free(snapshot);
    plWorld_Destroy(s.world);
}

typedef enum { aForce, anEffort, theStep, theFriction, theState, changes } Change;

static void change(Scene* s, Change what)
{
    const plMechanismId top = plWorld_Mechanism(s->world, boxes - 1);
    const plSite site = {.mechanism = top};
    plSurface ice = plDefaultSurface();
    double q[7], v[6];
    ice.friction = 0.1;
    if (what == aForce) plWorld_ApplyWrench(s->world, site, (plWrench){.force = {1e-6, 0, 0}});
    if (what == anEffort) plWorld_ApplyEffort(s->world, top, 2, 30);
    if (what == theStep) s->rate = 999;
    if (what == theFriction)
        assert_int_equal(plWorld_SetMaterial(s->world, (plMaterialId){0}, &ice), pl_statusOk);
    if (what != theState) return;
    plWorld_State(s->world, top, q, v);
    v[2] = 0.1;
    assert_int_equal(plWorld_SetState(s->world, top, q, v), pl_statusOk);
}

static void whateverChangesIsNoticed(void** unused)
{
    (void)unused;
    for (int what = 0; what < changes; ++what) {
        Scene s;
        settle(&s);
        assert_int_equal(stepOnce(&s).trials, 0);
        change(&s, (Change)what);
        assert_int_not_equal(stepOnce(&s).trials, 0);
        const bool moves = what == theFriction || what == anEffort || what == theState;
        if (moves) assert_true(plWorld_Ledger(s.world).kinetic > 1e-9);
        plWorld_Destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeatsWhatAStepGives),
        cmocka_unit_test(whateverChangesIsNoticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
