// Memory of a world: the step takes none, and creation survives every failure.
#include "counting.h"
#include "full_world.h"

#include <string.h>

// --- an allocator that counts, and fails at its k-th taking

typedef struct {
    int taken, failAt; ///< failAt 0: never
    int open;          ///< blocks not yet given back
    size_t bytes;
} Counter;

static void* countingTake(void* self, size_t size)
{
    Counter* c = self;
    if (++c->taken == c->failAt) return NULL;
    ++c->open;
    c->bytes += size;
    return malloc(size);
}

static void countingRelease(void* self, void* memory, size_t size)
{
    Counter* c = self;
    --c->open;
    c->bytes -= size;
    free(memory);
}

static plAllocator counting(Counter* c) { return (plAllocator){countingTake, countingRelease, c}; }

static void stepAllocatesNothing(void** state)
{
    (void)state;
    Counter counter = {0};
    const plAllocator allocator = counting(&counter);
    startCounting();
    const long beforeWorld = atomic_load(&takings);
    plWorld* world = fullWorld(true, &allocator);
    assert_true(atomic_load(&takings) > beforeWorld); // the count works
    const int taken = counter.taken;
    const long before = atomic_load(&takings);
    for (int i = 0; i < sized(300, 10000); ++i) plWorld_Step(world, i % 2 ? 1e-3 : 3e-3);
    assert_int_equal(atomic_load(&takings) - before, 0);
    assert_int_equal(counter.taken, taken);
    assert_int_equal(plWorld_Report(world).trouble & pl_troubleNotFinite, 0);
    plWorld_Destroy(world);
    assert_int_equal(counter.open, 0);
    assert_true(counter.bytes == 0);
}

static void creationSurvivesEveryFailingTake(void** state)
{
    (void)state;
    plWorldDef def = plDefaultWorldDef();
    for (int k = 1;; ++k) {
        Counter counter = {.failAt = k};
        plWorld* world = (plWorld*)&counter;
        def.allocator = counting(&counter);
        const plStatus status = plWorld_Create(&def, &world);
        if (status == pl_statusOk) {
            assert_in_range(k, 2, 10); // something was made to fail
            plWorld_Destroy(world);
            assert_int_equal(counter.open, 0);
            return;
        }
        assert_int_equal(status, pl_statusNoMemory);
        assert_null(world);
        assert_int_equal(counter.open, 0);
        assert_true(counter.bytes == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepAllocatesNothing),
        cmocka_unit_test(creationSurvivesEveryFailingTake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
