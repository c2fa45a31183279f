// A snapshot with a bit that has changed is refused, wherever it is, and the world stays as it was.
#include "base/base.h"
#include "worlds.h"

#include <string.h>

static plWorld* makeThings(void)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId shape;
    plWorld* w;
    checkOk(NULL, plWorld_Create(&def, &w));
    checkOk(w, plWorld_AddShape(w, &ground, &shape));
    body.name = "ball";
    body.pose.p.z = 0.099;
    checkOk(w, plWorld_AddAssembly(w, &body, &ball.mechanism));
    ball.shape.radius = 0.1;
    checkOk(w, plWorld_AddShape(w, &ball, &shape));
    for (int i = 0; i < 20; ++i) plWorld_Step(w, 1e-3);
    return w;
}

static void everyBitIsGuarded(void** state)
{
    (void)state;
    plWorld *w = makeThings(), *other = makeThings();
    const size_t size = plWorld_SnapshotSize(w);
    unsigned char *whole = malloc(size), *damaged = malloc(size);
    assert_true(whole && damaged);
    plWorld_Save(w, whole);
    plWorld_Step(w, 1e-3);
    const uint64_t hash = plWorld_Hash(w);
    plRng rng = plRng_Seed(3);
    // all of the head, and a sample of the rest
    for (size_t i = 0; i < size; i += i < 512 ? 1 : 1 + plRng_Next(&rng) % (size / 1000 + 1)) {
        memcpy(damaged, whole, size);
        damaged[i] ^= (unsigned char)(1u << plRng_Next(&rng) % 8);
        const plStatus status = plWorld_Restore(w, damaged, size);
        if (status != pl_statusDamaged && status != pl_statusMismatch) {
            fail_msg("byte %zu of %zu: %s", i, size, plStatus_Name(status));
        }
        assert_true(plWorld_Hash(w) == hash);
    }
    memset(damaged, 0, size);
    assert_int_equal(plWorld_Restore(w, damaged, size), pl_statusMismatch);
    checkOk(w, plWorld_Restore(w, whole, size)); // and of another world of the same structure
    checkOk(other, plWorld_Restore(other, whole, size));
    assert_true(plWorld_Hash(w) == plWorld_Hash(other));
    free(whole);
    free(damaged);
    plWorld_Destroy(w);
    plWorld_Destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everyBitIsGuarded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
