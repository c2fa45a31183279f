#include "base/base.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// An allocator that gives `left` pieces of memory, at odd addresses, and counts what is out.
typedef struct {
    int left, out;
    size_t bytes;
} Purse;

static void* takeFromPurse(void* self, size_t size)
{
    Purse* purse = self;
    if (purse->left == 0) return NULL;
    unsigned char* memory = malloc(size + 1);
    assert_non_null(memory);
    purse->left--;
    purse->out++;
    purse->bytes += size;
    return memory + 1;
}

static void releaseToPurse(void* self, void* memory, size_t size)
{
    Purse* purse = self;
    purse->out--;
    purse->bytes -= size;
    free((unsigned char*)memory - 1);
}

static plAllocator allocatorOf(Purse* purse)
{
    return (plAllocator){takeFromPurse, releaseToPurse, purse};
}

static void everyStatusHasNameAndSentence(void** state)
{
    (void)state;
    assert_string_equal(plStatus_Name(pl_statusOk), "Ok");
    assert_string_equal(plStatus_Name(pl_statusMismatch), "Mismatch");
    assert_string_equal(plStatus_Sentence(pl_statusDuplicate), "the name is taken");
    assert_string_equal(plStatus_Name(pl_statusCount), "Unknown");
    assert_string_equal(plStatus_Name((plStatus)-1), "Unknown");
    assert_string_equal(plStatus_Sentence((plStatus)1000), "the status code is not one of palp's");
}

static void versionIsThatOfTheHeader(void** state)
{
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", PALP_VERSION_MAJOR, PALP_VERSION_MINOR,
             PALP_VERSION_PATCH);
    assert_string_equal(plVersion(), expected);
}

static void arenaGivesAlignedZeroedPieces(void** state)
{
    (void)state;
    Purse purse = {.left = 1};
    plAllocator allocator = allocatorOf(&purse);
    plArena arena;
    assert_int_equal(plArena_Create(&arena, 1000, &allocator), pl_statusOk);
    size_t start = arena.used;
    for (int round = 0; round < 2; round++) {
        unsigned char* a = plArena_Alloc(&arena, 3, 7);
        unsigned char* b = plArena_Alloc(&arena, 1, 100);
        assert_non_null(a);
        assert_non_null(b);
        assert_int_equal((uintptr_t)a % 64, 0);
        assert_int_equal((uintptr_t)b % 64, 0);
        assert_true(b >= a + 21);
        for (int i = 0; i < 21; i++) assert_int_equal(a[i], 0);
        for (int i = 0; i < 100; i++) assert_int_equal(b[i], 0);
        memset(a, 0xff, 21);
        memset(b, 0xff, 100);
        plArena_Rewind(&arena, start);
    }
    assert_int_equal(arena.used, 0);
    assert_int_equal(arena.highWater, 192);
    plArena_Destroy(&arena, &allocator);
    assert_int_equal(purse.out, 0);
    assert_int_equal(purse.bytes, 0);
}

static void fullArenaSaysSoAndKeepsWhatItGave(void** state)
{
    (void)state;
    plAllocator allocator = plDefaultAllocator();
    plArena arena;
    assert_int_equal(plArena_Create(&arena, 128, &allocator), pl_statusOk);
    assert_non_null(plArena_Alloc(&arena, 128, 1));
    assert_non_null(plArena_Alloc(&arena, 5, 0));
    assert_non_null(plArena_Alloc(&arena, 0, 5));
    assert_false(arena.full);
    assert_null(plArena_Alloc(&arena, 1, 1));
    assert_true(arena.full);
    plArena_Rewind(&arena, 64);
    assert_false(arena.full);
    assert_non_null(plArena_Alloc(&arena, 64, 1));
    plArena_Rewind(&arena, 0);
    assert_null(plArena_Alloc(&arena, SIZE_MAX / 4 + 2, 4)); // the product wraps to 4
    assert_null(plArena_Alloc(&arena, SIZE_MAX, 1));
    plArena_Destroy(&arena, &allocator);
}

static void creationReportsThatThereIsNoMemory(void** state)
{
    (void)state;
    Purse purse = {0};
    plAllocator allocator = allocatorOf(&purse);
    plArena arena;
    assert_int_equal(plArena_Create(&arena, 1, &allocator), pl_statusNoMemory);
    assert_null(plArena_Alloc(&arena, 1, 1));
    plArena_Destroy(&arena, &allocator);
    plRing* ring;
    assert_int_equal(plRing_Create(8, 8, &allocator, &ring), pl_statusNoMemory);
    assert_null(ring);
    plAllocator rich = plDefaultAllocator();
    assert_int_equal(plArena_Create(&arena, SIZE_MAX, &rich), pl_statusNoMemory);
    assert_int_equal(plRing_Create(8, SIZE_MAX / 4, &rich, &ring), pl_statusNoMemory);
    assert_int_equal(plRing_Create(0, 8, &rich, &ring), pl_statusBadArgument);
}

static void hashSeesEveryBitAndTheSize(void** state)
{
    (void)state;
    unsigned char data[40] = {1, 2, 3};
    uint64_t whole = plHash_Add(plHash_Start(), data, sizeof data);
    assert_true(whole == plHash_Add(plHash_Start(), data, sizeof data));
    int leastFlips = 64;
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        uint64_t changed = plHash_Add(plHash_Start(), data, sizeof data) ^ whole;
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        int flips = __builtin_popcountll(changed);
        if (flips < leastFlips) leastFlips = flips;
    }
    // Of 64 bits a good hash flips 32 +- 4; fewer than 14 in one of 320 trials has a chance of 1e-3.
    assert_true(leastFlips >= 14);

    unsigned char zeros[16] = {0};
    uint64_t seen[17];
    for (size_t size = 0; size <= 16; size++) {
        seen[size] = plHash_Add(plHash_Start(), zeros, size);
        for (size_t i = 0; i < size; i++) assert_true(seen[i] != seen[size]);
    }
}

// The first numbers of the authors' reference code, with its state from splitmix64 of seed 0.
static void generatorIsTheReferenceOne(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(0);
    assert_true(rng.state[0] == 0xe220a8397b1dcdafu);
    assert_true(plRng_Next(&rng) == 0x99ec5f36cb75f2b4u);
    assert_true(plRng_Next(&rng) == 0xbf6e1f784956452au);
    assert_true(plRng_Next(&rng) == 0x1a5f849d4933e6e0u);
}

static void generatorHasTheMomentsOfItsDistributions(void** state)
{
    (void)state;
    enum { n = 200000 };
    plRng rng = plRng_Seed(7);
    double uniform1 = 0, uniform2 = 0, normal1 = 0, normal2 = 0, normal4 = 0;
    for (int i = 0; i < n; i++) {
        double u = plRng_Uniform(&rng, -1, 3);
        assert_true(u >= -1 && u < 3);
        uniform1 += u / n;
        uniform2 += (u - 1) * (u - 1) / n;
        double z = plRng_Normal(&rng);
        normal1 += z / n;
        normal2 += z * z / n;
        normal4 += z * z * z * z / n;
    }
    // Five standard deviations of a mean of n: sqrt(var/n) with var = 4/3, 64/45, 1, 2, 96.
    assert_true(fabs(uniform1 - 1) < 5 * sqrt(4.0 / 3 / n));
    assert_true(fabs(uniform2 - 4.0 / 3) < 5 * sqrt(64.0 / 45 / n));
    assert_true(fabs(normal1) < 5 * sqrt(1.0 / n));
    assert_true(fabs(normal2 - 1) < 5 * sqrt(2.0 / n));
    assert_true(fabs(normal4 - 3) < 5 * sqrt(96.0 / n));
}

static void uniformNeverReachesItsUpperEnd(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    double max = nextafter(1, 2); // half of the sums round up to it
    for (int i = 0; i < 100; i++) assert_true(plRng_Uniform(&rng, 1, max) == 1);
    assert_true(plRng_Uniform(&rng, 2, 2) == 2);
}

static void clockDoesNotRunBackwards(void** state)
{
    (void)state;
    double before = plClock_Now();
    for (int i = 0; i < 1000; i++) {
        double now = plClock_Now();
        assert_true(now >= before);
        before = now;
    }
}

static void ringKeepsOrderAndRefusesWhenFull(void** state)
{
    (void)state;
    plAllocator allocator = plDefaultAllocator();
    plRing* ring;
    assert_int_equal(plRing_Create(sizeof(int), 5, &allocator, &ring), pl_statusOk);
    int next = 0, expected = 0, rows[8];
    for (int round = 0; round < 20; round++) {
        assert_int_equal(plRing_Room(ring), 5);
        while (plRing_Push(ring, &next)) next++;
        assert_int_equal(plRing_Room(ring), 0);
        assert_int_equal(plRing_Pop(ring, rows, 3), 3);
        for (int i = 0; i < 3; i++) assert_int_equal(rows[i], expected++);
        assert_true(plRing_Push(ring, &next));
        next++;
        assert_int_equal(plRing_Pop(ring, rows, 8), 3);
        for (int i = 0; i < 3; i++) assert_int_equal(rows[i], expected++);
        assert_int_equal(plRing_Pop(ring, rows, 8), 0);
    }
    plRing_Destroy(ring, &allocator);
    plRing_Destroy(NULL, &allocator);
}

typedef struct {
    uint64_t number, check[4];
} Row;

enum { rowsSent = 200000 };

static void* produce(void* argument)
{
    plRing* ring = argument;
    for (uint64_t i = 0; i < rowsSent;) {
        Row row = {i, {~i, i * 3, i ^ 0xff, i + 1}};
        if (plRing_Push(ring, &row)) {
            i++;
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void ringCarriesRowsBetweenThreadsUnbroken(void** state)
{
    (void)state;
    plAllocator allocator = plDefaultAllocator();
    plRing* ring;
    assert_int_equal(plRing_Create(sizeof(Row), 37, &allocator, &ring), pl_statusOk);
    pthread_t producer;
    assert_int_equal(pthread_create(&producer, NULL, produce, ring), 0);
    uint64_t expected = 0, broken = 0;
    while (expected < rowsSent) {
        Row rows[16];
        size_t count = plRing_Pop(ring, rows, 16);
        if (count == 0) sched_yield();
        for (size_t i = 0; i < count; i++, expected++) {
            uint64_t k = rows[i].number;
            const uint64_t* check = rows[i].check;
            bool whole =
                check[0] == ~k && check[1] == k * 3 && check[2] == (k ^ 0xff) && check[3] == k + 1;
            if (k != expected || !whole) broken++;
        }
    }
    pthread_join(producer, NULL);
    assert_int_equal(broken, 0);
    assert_int_equal(plRing_Room(ring), 37);
    plRing_Destroy(ring, &allocator);
}

static void nearestNameIsTheOneThatWasMeant(void** state)
{
    (void)state;
    static const char* const names[] = {"mass", "radius", "stiffness", "damping", "k"};
    assert_string_equal(plText_Nearest("radus", names, PL_COUNT(names)), "radius");
    assert_string_equal(plText_Nearest("stifness", names, PL_COUNT(names)), "stiffness");
    assert_string_equal(plText_Nearest("MASS", names, PL_COUNT(names)), "mass");
    assert_string_equal(plText_Nearest("dampign", names, PL_COUNT(names)), "damping");
    assert_string_equal(plText_Nearest("k", names, PL_COUNT(names)), "k");
    assert_null(plText_Nearest("colour", names, PL_COUNT(names)));
    assert_null(plText_Nearest("b", names, PL_COUNT(names)));
    assert_null(plText_Nearest("", names, PL_COUNT(names)));
    assert_null(plText_Nearest("mass", names, 0));
    char tooLong[200];
    memset(tooLong, 'm', sizeof tooLong - 1);
    tooLong[sizeof tooLong - 1] = 0;
    assert_null(plText_Nearest(tooLong, names, PL_COUNT(names)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyStatusHasNameAndSentence),
        cmocka_unit_test(versionIsThatOfTheHeader),
        cmocka_unit_test(arenaGivesAlignedZeroedPieces),
        cmocka_unit_test(fullArenaSaysSoAndKeepsWhatItGave),
        cmocka_unit_test(creationReportsThatThereIsNoMemory),
        cmocka_unit_test(hashSeesEveryBitAndTheSize),
        cmocka_unit_test(generatorIsTheReferenceOne),
        cmocka_unit_test(generatorHasTheMomentsOfItsDistributions),
        cmocka_unit_test(uniformNeverReachesItsUpperEnd),
        cmocka_unit_test(clockDoesNotRunBackwards),
        cmocka_unit_test(ringKeepsOrderAndRefusesWhenFull),
        cmocka_unit_test(ringCarriesRowsBetweenThreadsUnbroken),
        cmocka_unit_test(nearestNameIsTheOneThatWasMeant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
