// The small parts of the real-time loop: counts of durations, hand-over, deadlines.
#include "runtime/runtime.h"
#include "worlds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static plTimes times;

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void quantilesAreWithinABucketOfSortedOnes(void** state)
{
    (void)state;
    enum { count = 20000 };
    static double all[count];
    const double shares[] = {0, 0.5, 0.9, 0.99, 0.999, 1};
    plRng rng = plRng_Seed(3);
    times = (plTimes){0};
    for (int i = 0; i < count; ++i) {
        all[i] = 1e-9 * floor(exp(plRng_Uniform(&rng, 0, 23))); // 1 ns .. 10 s
        plTimes_Add(&times, all[i] + 1e-13);
    }
    qsort(all, count, sizeof *all, compare);
    for (int i = 0; i < PL_COUNT(shares); ++i) {
        const int k = (int)ceil(shares[i] * count);
        const double exact = all[k > 0 ? k - 1 : 0], found = plTimes_Quantile(&times, shares[i]);
        checkAtMost("never too small", exact - found, 1e-12);
        checkAtMost("relative excess", found / exact - 1, 1. / 32);
    }
    checkNear("most", plTimes_Most(&times), all[count - 1], 1e-9);
}

static void timesTakeAnything(void** state)
{
    (void)state;
    const double odd[] = {-1, NAN, 0, 1e-12, 1e9, 1e300, HUGE_VAL};
    times = (plTimes){0};
    assert_true(plTimes_Quantile(&times, 0.5) == 0);
    assert_true(plTimes_Mean(&times) == 0);
    for (int i = 0; i < PL_COUNT(odd); ++i) plTimes_Add(&times, odd[i]);
    assert_int_equal(times.count, PL_COUNT(odd));
    assert_true(plTimes_Quantile(&times, 0.5) <= 1e-9);
    assert_true(plTimes_Quantile(&times, 1) >= 8e9);
}

// --- hand-over

enum { words = 500, values = 200000 };

typedef struct {
    uint64_t number, words[words];
} Value;

static void* writeAll(void* self)
{
    plExchange* e = self;
    for (uint64_t n = 1; n <= values; ++n) {
        Value* v = plExchange_Write(e);
        v->number = n;
        for (int i = 0; i < words; ++i) v->words[i] = n * (uint64_t)(i + 1);
        plExchange_Publish(e);
    }
    return NULL;
}

static void whatIsTakenIsWholeAndNeverOlder(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plExchange* e;
    pthread_t writer;
    uint64_t last = 0, taken = 0;
    bool fresh;
    assert_int_equal(plExchange_Create(sizeof(Value), &allocator, &e), pl_statusOk);
    assert_null(plExchange_Take(e, &fresh));
    assert_false(fresh);
    assert_int_equal(pthread_create(&writer, NULL, writeAll, e), 0);
    while (last < values) {
        const Value* v = plExchange_Take(e, &fresh);
        if (!v) continue;
        assert_true(fresh ? v->number > last : v->number == last);
        taken += fresh;
        last = v->number;
        for (int i = 0; i < words; ++i) assert_true(v->words[i] == last * (uint64_t)(i + 1));
    }
    pthread_join(writer, NULL);
    print_message("%llu of %d values were taken\n", (unsigned long long)taken, values);
    assert_true(plExchange_Take(e, &fresh) && !fresh);
    plExchange_Destroy(e, &allocator);
}

static void anExchangeOfNothingOrTooMuchIsRefused(void** state)
{
    (void)state;
    const plAllocator allocator = plDefaultAllocator();
    plExchange* e;
    assert_int_equal(plExchange_Create(0, &allocator, &e), pl_statusBadArgument);
    assert_int_equal(plExchange_Create(SIZE_MAX / 4, &allocator, &e), pl_statusBadArgument);
    assert_null(e);
}

// --- deadlines. Nothing is said of how late the machine is: only that none comes early, that none is
// lost, and that those missed are counted.

static void noDeadlineComesEarlyAndNoneIsLost(void** state)
{
    (void)state;
    const double period = 1e-3;
    const double start = plClock_Now();
    plPace pace = plPace_Start(period);
    int periods = 0;
    while (periods < 300) {
        const double due = pace.deadline;
        const int gone = plPace_Wait(&pace);
        assert_true(gone >= 1 && pace.lateness >= 0);
        assert_true(plClock_Now() >= due);
        periods += gone;
    }
    checkNear("deadlines stay on their grid", (pace.deadline - start) / period, periods + 1, 0.05);
}

static void aSlowCallerMissesDeadlinesAndIsToldHowMany(void** state)
{
    (void)state;
    plPace pace = plPace_Start(1e-3);
    plPace_Wait(&pace);
    const double until = plClock_Now() + 10.5e-3;
    while (plClock_Now() < until) {
    }
    const uint64_t before = pace.missed;
    assert_true(plPace_Wait(&pace) >= 10);
    assert_true(pace.missed - before >= 10);
    assert_true(pace.deadline > plClock_Now() - 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantilesAreWithinABucketOfSortedOnes),
        cmocka_unit_test(timesTakeAnything),
        cmocka_unit_test(whatIsTakenIsWholeAndNeverOlder),
        cmocka_unit_test(anExchangeOfNothingOrTooMuchIsRefused),
        cmocka_unit_test(noDeadlineComesEarlyAndNoneIsLost),
        cmocka_unit_test(aSlowCallerMissesDeadlinesAndIsToldHowMany),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
