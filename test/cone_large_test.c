// Contact problems with no world around them that are larger than what a tick factors.
#define _POSIX_C_SOURCE 200809L
#include "towers.h"

#include "app.h"

#include <unistd.h>

static char path[64] = "/tmp/palp_large_XXXXXX";

static double residualOf(const plSpace* s, const plLaw* law, const Bench* b)
{
    return fmax(law->judge(s, b->q, b->p), law->natural(s, b->q, b->p));
}

// By the command, as a person does it: 336 contacts, where 47 sweeps left 5e-4.
static void aTowerIsSolvedByTheCommand(void** state)
{
    (void)state;
    Tower t = makeTower(10, 0.4, 0);
    assert_true(t.space.count > plDenseContacts);
    assert_int_equal(plSpace_Save(&t.space, path), pl_statusOk);
    char* cone[] = {"palp", "solve", path};
    char* lcp[] = {"palp", "solve", path, "--law", "lcp", "--sides", "6"};
    assert_int_equal(plMain(PL_COUNT(cone), cone), pl_exitOk);
    assert_int_equal(plMain(PL_COUNT(lcp), lcp), pl_exitOk);
    freeTower(&t);
}

// As large as the largest public ones (KaplasTower has 570 contacts), as a cone and as pyramids of 4 and of 8 sides.
static void hundredsOfPlanksAreSolved(void** state)
{
    (void)state;
    Tower t = makeTower(17, 0.4, 0);
    assert_true(t.space.count > 570);
    assert_int_equal(plSpace_Save(&t.space, path), pl_statusOk);
    char* cone[] = {"palp", "solve", path};
    char* four[] = {"palp", "solve", path, "--law", "lcp", "--sides", "4"};
    char* eight[] = {"palp", "solve", path, "--law", "lcp", "--sides", "8"};
    assert_int_equal(plMain(PL_COUNT(cone), cone), pl_exitOk);
    assert_int_equal(plMain(PL_COUNT(four), four), pl_exitOk);
    assert_int_equal(plMain(PL_COUNT(eight), eight), pl_exitOk);
    freeTower(&t);
}

// Some sweeps do not solve it; Newton on what they left does, where there is room for its factor.
static void whatSweepsLeaveIsFactoredWhereThereIsRoom(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    Tower t = makeTower(10, 0.4, 1e-2);
    const plSpace* s = &t.space;
    const size_t n = (size_t)s->count;
    for (int wide = 0; wide < 2; ++wide) {
        Bench b = makeBench(3, s->count, 4);
        plArena room;
        assert_int_equal(plArena_Create(&room, 73 * n * n, &allocator), pl_statusOk);
        b.work.sweeps = 20;
        if (wide) assert_int_equal(plLawWork_Widen(&b.work, s->count, &room), pl_statusOk);
        const plLawReport report = runLaw(&plConeLaw, s, 0, &b);
        assert_int_equal((report.flags & pl_reportNotConverged) != 0, !wide);
        if (wide) checkAtMost("residual", residualOf(s, &plConeLaw, &b), 1e-7);
        if (!wide) assert_true(residualOf(s, &plConeLaw, &b) > 1e-6);
        plArena_Destroy(&room, &allocator);
        freeBench(&b);
    }
    freeTower(&t);
}

static bool countsDown(void* clock) { return --*(int*)clock <= 0; }

// Asked between sweeps and steps: the answer is the best so far, not none.
static void aLawStopsWhenItIsTold(void** state)
{
    (void)state;
    Tower t = makeTower(6, 0.4, 0);
    const plSpace* s = &t.space;
    double last = 1;
    for (int asked = 1; asked <= 16; asked *= 4) {
        Bench b = makeBench(3, s->count, 4);
        int left = asked;
        b.work.isOver = countsDown;
        b.work.clock = &left;
        const plLawReport report = runLaw(&plConeLaw, s, 0, &b);
        assert_true(report.flags & pl_reportNotConverged || asked > 1);
        const double residual = residualOf(s, &plConeLaw, &b);
        checkAtMost("residual", residual, last);
        last = residual;
        if (asked == 1) checkAtMost("iterations", report.iterations, 30);
        freeBench(&b);
    }
    freeTower(&t);
}

int main(void)
{
    const int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    plMath_Start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aTowerIsSolvedByTheCommand),
        cmocka_unit_test(hundredsOfPlanksAreSolved),
        cmocka_unit_test(whatSweepsLeaveIsFactoredWhereThereIsRoom),
        cmocka_unit_test(aLawStopsWhenItIsTold),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failures;
}
