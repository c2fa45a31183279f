// Steps of linear bodies: numbers of implicit Euler, energy of the midpoint, memory, repetition.
#include "counting.h"
#include "fems.h"

#include <string.h>

// --- bodies

static plSoftStepper makeStepper(const plSoft* s, const plSoftStepDef* def)
{
    plSoftStepper stepper;
    plShapeError error;
    const plAllocator allocator = heap();
    checkMade(plSoftStepper_Create(&stepper, s, def, &allocator, &error), &error);
    return stepper;
}

static void freeStepper(plSoftStepper* s)
{
    const plAllocator allocator = heap();
    plSoftStepper_Destroy(s, &allocator);
}

/// One tetrahedron of which one node can move, along z only, with sqrt(k/m) = 2 pi.
static Body makeOscillator(unsigned char fixed[12])
{
    static const char text[] = "4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 3\n";
    plTets mesh;
    plShapeError error;
    const plAllocator allocator = heap();
    checkMade(plTets_Parse("one", text, strlen(text), 1, &allocator, &mesh, &error), &error);
    memset(fixed, 1, 12);
    fixed[11] = 0;
    // k = V E, m = rho V/4 at nu = 0, since the gradient of the fourth function is z.
    return makeBody(mesh, PL_PI * PL_PI, 0, 1);
}

// The numbers of signorini spec 2.
static void implicitEulerLosesWhatTheFormulaSays(void** state)
{
    (void)state;
    unsigned char fixed[12];
    Body b = makeOscillator(fixed);
    const plSoftStepDef def = {.T = 0.01, .theta = 1, .fixed = fixed};
    plSoftStepper stepper = makeStepper(&b.soft, &def);
    double f[12] = {0}, u[12] = {0}, v[12] = {0};
    const double w = 2 * PL_PI;
    double before = w;
    u[11] = 1;
    for (int k = 1; k <= 300; ++k) {
        plSoftStepper_Step(&stepper, f, u, v);
        const double after = hypot(w * u[11], v[11]);
        checkNear("loss of a step", after / before, 0.998031904503645, 1e-12);
        before = after;
        if (k == 100) checkNear("u after 100 steps", u[11], 0.8211598425803309, 1e-12);
        if (k == 300) checkNear("u after 300 steps", u[11], 0.5535979119171325, 1e-12);
    }
    freeStepper(&stepper);
    freeBody(&b);
}

static void midpointTurnsByTheCayleyAngle(void** state)
{
    (void)state;
    unsigned char fixed[12];
    Body b = makeOscillator(fixed);
    const plSoftStepDef def = {.T = 0.01, .theta = 0.5, .fixed = fixed};
    plSoftStepper stepper = makeStepper(&b.soft, &def);
    double f[12] = {0}, u[12] = {0}, v[12] = {0};
    const double w = 2 * PL_PI, angle = 2 * atan(w * 0.01 / 2);
    u[11] = 1;
    for (int k = 1; k <= 1000; ++k) {
        plSoftStepper_Step(&stepper, f, u, v);
        checkNear("u", u[11], cos(k * angle), 1e-11);
        checkNear("v", v[11], -w * sin(k * angle), 1e-10);
    }
    freeStepper(&stepper);
    freeBody(&b);
}

static void freeFallIsThatOfTheRule(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(2, 2, 2, plVec(0, 0, 0), plVec(0.1, 0.1, 0.1)), 1e7, 0.3, 1000);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount;
    double *f = numbers(n), *u = numbers(n), *v = numbers(n);
    for (int euler = 0; euler < 2; ++euler) {
        const plSoftStepDef def = {.T = 3e-3, .theta = euler ? 1 : 0.5};
        const double fall = euler ? -0.4458645 : -0.44145;
        plSoftStepper stepper = makeStepper(s, &def);
        memset(u, 0, (size_t)n * sizeof *u), memset(v, 0, (size_t)n * sizeof *v);
        for (int i = 0; i < s->nodeCount; ++i) f[3 * i + 2] = -9.81 * s->lumped[i];
        for (int k = 0; k < 100; ++k) plSoftStepper_Step(&stepper, f, u, v);
        for (int i = 0; i < n; ++i) checkNear("fall", u[i], i % 3 == 2 ? fall : 0, 1e-11);
        freeStepper(&stepper);
    }
    free(f), free(u), free(v);
    freeBody(&b);
}

// --- energy

static double energy(const plSoft* s, plSoftMass mass, const double* u, const double* v)
{
    const int n = 3 * s->nodeCount;
    double* y = numbers(n);
    plSoft_Multiply(s, mass, 0, 0.5, u, y);
    double sum = plDotN(u, y, n);
    plSoft_Multiply(s, mass, 0.5, 0, v, y);
    sum += plDotN(v, y, n);
    free(y);
    return sum;
}

static void midpointKeepsEnergyAndDampingOnlyTakes(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(6, 2, 2, plVec(0, 0, 0), plVec(0.3, 0.1, 0.1)), 1e6, 0.4, 1000);
    const plSoft* s = &b.soft;
    const int n = 3 * s->nodeCount, steps = sized(1000, 20000);
    double *f = numbers(n), *u = numbers(n), *v = numbers(n), worst = 0;
    unsigned char* fixed = noneHeld(s);
    hold(s, alongX, 0, 7, fixed);
    for (int kind = 0; kind < 4; ++kind) {
        const bool damped = kind / 2;
        const plSoftMass mass = kind % 2 ? pl_softConsistent : pl_softLumped;
        const plSoftStepDef def = {.T = 1e-3,
                                   .theta = 0.5,
                                   .alpha = damped ? 1 : 0,
                                   .beta = damped ? 1e-4 : 0,
                                   .mass = mass,
                                   .fixed = fixed};
        plSoftStepper stepper = makeStepper(s, &def);
        plRng rng = plRng_Seed(74);
        for (int i = 0; i < n; ++i) {
            u[i] = fixed[i] ? 0 : 1e-3 * plRng_Normal(&rng);
            v[i] = fixed[i] ? 0 : plRng_Normal(&rng);
        }
        const double first = energy(s, mass, u, v);
        double before = first;
        for (int k = 0; k < steps; ++k) {
            plSoftStepper_Step(&stepper, f, u, v);
            const double now = energy(s, mass, u, v);
            if (!damped) worst = fmax(worst, fabs(now / first - 1));
            if (damped) checkAtMost("growth", now - before, 1e-14 * first);
            before = now;
        }
        if (damped) assert_true(before < 0.5 * first);
        freeStepper(&stepper);
    }
    print_message("midpoint, %d steps: energy changes by %.1e\n", steps, worst);
    checkAtMost("energy", worst, 1e-15 * steps); // round-off of one sign would do this
    free(f), free(u), free(v), free(fixed);
    freeBody(&b);
}

// --- memory and repetition

static void solvingAllocatesNothing(void** state)
{
    (void)state;
    Body b = makeBody(boxMesh(6, 3, 3, plVec(0, 0, 0), plVec(0.2, 0.1, 0.1)), 1e6, 0.3, 1000);
    const plSoft* s = &b.soft;
    const plAllocator allocator = heap();
    const int n = 3 * s->nodeCount;
    int list[64];
    const int count = nodesAt(s, alongZ, 0, list);
    double *f = numbers(n), *u = numbers(n), *v = numbers(n), *C = numbers(9 * count * count);
    startCounting();
    const long start = atomic_load(&takings);
    const plSoftStepDef def = {.T = 1e-3, .theta = 1, .candidateCount = count, .candidates = list};
    plSoftStepper stepper = makeStepper(s, &def);
    plSoftFloating floating;
    plShapeError error;
    checkMade(plSoftFloating_Create(&floating, s, pl_softLumped, list, count, &allocator, &error),
              &error);
    assert_true(atomic_load(&takings) > start); // the count works
    const long before = atomic_load(&takings);
    for (int k = 0; k < 10; ++k) {
        f[k] = 1;
        plSoftStepper_Step(&stepper, f, u, v);
        plSoftFactor_Compliance(&stepper.factor, C);
        plSoftFloating_Solve(&floating, f, u);
        plSoftFloating_Compliance(&floating, C);
    }
    assert_int_equal(atomic_load(&takings) - before, 0);
    counts = false;
    freeStepper(&stepper);
    plSoftFloating_Destroy(&floating, &allocator);
    free(f), free(u), free(v), free(C);
    freeBody(&b);
}

typedef struct {
    int taken, failAt, open;
} Counter;

static void* countingTake(void* self, size_t size)
{
    Counter* c = self;
    if (++c->taken == c->failAt) return NULL;
    ++c->open;
    return malloc(size);
}

static void countingRelease(void* self, void* memory, size_t size)
{
    (void)size;
    --((Counter*)self)->open;
    free(memory);
}

static plStatus makeAll(const plTets* mesh, const plAllocator* allocator, uint64_t* hash)
{
    const plElastic material = {1e6, 0.3, 1000};
    const int list[2] = {3, 1};
    const plSoftStepDef def = {.T = 1e-3, .theta = 1, .candidateCount = 2, .candidates = list};
    plSoft s = {0};
    plSoftStepper stepper = {0};
    plSoftFloating floating = {0};
    plShapeError error;
    double C[36], omega[3];
    plStatus status = plSoft_Create(&s, mesh, &material, allocator, &error);
    if (status == pl_statusOk) {
        status = plSoftStepper_Create(&stepper, &s, &def, allocator, &error);
    }
    if (status == pl_statusOk) {
        status =
            plSoftFloating_Create(&floating, &s, pl_softConsistent, list, 2, allocator, &error);
    }
    if (status == pl_statusOk) {
        plSoftFloating_Compliance(&floating, C);
        *hash = plHash_Add(plHash_Start(), C, sizeof C);
        plSoftFactor_Compliance(&stepper.factor, C);
        *hash = plHash_Add(*hash, C, sizeof C);
        *hash = plHash_Add(*hash, stepper.factor.L,
                           (size_t)stepper.factor.start[stepper.factor.n] * sizeof(double));
        status = plSoft_Frequencies(&floating.factor, 3, allocator, omega, NULL);
        *hash = plHash_Add(*hash, omega, sizeof omega);
    }
    plSoftFloating_Destroy(&floating, allocator);
    plSoftStepper_Destroy(&stepper, allocator);
    plSoft_Destroy(&s, allocator);
    return status;
}

static void creationSurvivesEveryFailingTake(void** state)
{
    (void)state;
    for (int k = 1;; ++k) {
        // The check of a mesh takes from the mesh's own allocator.
        Counter counter = {0};
        const plAllocator allocator = {countingTake, countingRelease, &counter};
        uint64_t hash;
        plTets mesh;
        assert_int_equal(plTets_Box(2, 1, 1, plVec(0, 0, 0), plVec(2, 1, 1), &allocator, &mesh),
                         pl_statusOk);
        const int open = counter.open;
        counter.taken = 0, counter.failAt = k;
        const plStatus status = makeAll(&mesh, &allocator, &hash);
        assert_int_equal(counter.open, open);
        plTets_Free(&mesh);
        assert_int_equal(counter.open, 0);
        if (status == pl_statusOk) {
            assert_in_range(k, 8, 40); // something was made to fail
            return;
        }
        assert_int_equal(status, pl_statusNoMemory);
    }
}

static void theSameBodyGivesTheSameBits(void** state)
{
    (void)state;
    const plAllocator allocator = heap();
    uint64_t first = 0, again = 0;
    plTets mesh = boxMesh(7, 4, 3, plVec(0, 0, 0), plVec(0.3, 0.2, 0.1));
    assert_int_equal(makeAll(&mesh, &allocator, &first), pl_statusOk);
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(makeAll(&mesh, &allocator, &again), pl_statusOk);
        assert_true(again == first);
    }
    plTets_Free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicitEulerLosesWhatTheFormulaSays),
        cmocka_unit_test(midpointTurnsByTheCayleyAngle),
        cmocka_unit_test(freeFallIsThatOfTheRule),
        cmocka_unit_test(midpointKeepsEnergyAndDampingOnlyTakes),
        cmocka_unit_test(solvingAllocatesNothing),
        cmocka_unit_test(creationSurvivesEveryFailingTake),
        cmocka_unit_test(theSameBodyGivesTheSameBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
