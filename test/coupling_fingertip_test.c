// What a fingertip feels (pmi 5.1): contact forces of earlier ticks, in the finger's axes, smoothed, at
// the device's own rate.
#include "world/inside.h"
#include "worlds.h"

#include <string.h>

static const plVec3 none = {0, 0, 0};

/// Writes of the tick that was stepped.
typedef struct {
    plVec3 force[256];
    plWrench last;
    double held[256];
    int count;
} Worn;

static void tell(void* self, double time, plSample* s)
{
    Worn* w = self;
    (void)time;
    *s = (plSample){.pose.q = {1, 0, 0, 0}};
    w->count = 0;
}

static void press(void* self, const plWrench* f, double T)
{
    Worn* w = self;
    assert_true(w->count < PL_COUNT(w->force));
    w->last = *f;
    w->force[w->count] = f->force;
    w->held[w->count++] = T;
}

typedef struct {
    plWorld* world;
    plMechanismId tip;
    plDeviceId device;
    plCouplingId coupling;
} Bench;

// A finger of 20 g lies on the floor, turned by q; who pushes it down is up to the test.
static Bench makeBench(Worn* worn, double rate, int filter, plQuat q)
{
    Bench b = {.world = makeWorld(none, 2)};
    plAssemblyDef tip = plDefaultAssemblyDef();
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    addFloor(b.world, 0);
    tip.name = "tip";
    tip.mass = 0.02;
    tip.inertia = diagonal(1e-5, 1e-5, 1e-5);
    tip.pose = (plPose){{0, 0, 0.01}, q};
    checkOk(b.world, plWorld_AddAssembly(b.world, &tip, &b.tip));
    addSphereShape(b.world, b.tip, 0, 0.01);
    device.name = "thimble";
    device.cutaneous = true;
    device.rate = rate;
    if (worn) device.calls = (plDeviceCalls){.self = worn, .sample = tell, .write = press};
    checkOk(b.world, plWorld_AddDevice(b.world, &device, &b.device));
    coupling.name = "feel";
    coupling.kind = pl_couplingFingertip;
    coupling.filter = filter;
    coupling.device = b.device;
    coupling.tool.mechanism = b.tip;
    checkOk(b.world, plWorld_AddCoupling(b.world, &coupling, &b.coupling));
    return b;
}

static plVec3 contactForce(const plWorld* world)
{
    plVec3 sum = none;
    for (int i = 0; i < plWorld_ContactCount(world); ++i) {
        plContactInfo info;
        checkOk(world, plWorld_Contact(world, i, &info));
        sum = plAddScaled(sum, info.a.mechanism.index1 ? 1 : -1, info.force);
    }
    return sum;
}

static plVec3 stepUnder(Bench* b, plVec3 force, double T)
{
    checkOk(b->world, plWorld_ApplyWrench(b->world, (plSite){.mechanism = b->tip},
                                          (plWrench){.force = force}));
    plWorld_Step(b->world, T);
    assert_int_equal(plWorld_Report(b->world).trouble, 0);
    return contactForce(b->world);
}

static const plQuat straight = {1, 0, 0, 0};

static void currentForceIsNeverFelt(void** state)
{
    (void)state;
    for (int filter = 1; filter <= plFilterTicks; filter += 5) {
        Worn worn = {0};
        Bench b = makeBench(&worn, 1000, filter, straight);
        const int jump = 20;
        for (int k = 0; k < 30; ++k) {
            const plVec3 f = stepUnder(&b, plVec(0, 0, k < jump ? 0 : -2), 0.01);
            checkNear("contact", f.z, k < jump ? 0 : 2, 1e-6); // the law's own residual
            assert_int_equal(worn.count, 10);
            for (int i = 0; i < worn.count; ++i) {
                if (k <= jump) assert_true(worn.force[i].z == 0);
                if (k == jump + 1) assert_true(worn.force[i].z > 0);
            }
        }
        plWorld_Destroy(b.world);
    }
}

// f = R^T H, with R of the tick's start and H, for one tick, on its way from one force to the next;
// nothing else of the wrench is there.
static void checkFrames(Bench* b, const Worn* worn, plVec3 push, int ticks)
{
    plVec3 f[2] = {{0}};
    for (int k = 0; k < ticks; ++k) {
        plMotion before;
        checkOk(b->world, plWorld_Motion(b->world, (plSite){.mechanism = b->tip}, &before));
        const plVec3 now = stepUnder(b, push, 0.01), halfway = plScale(0.5, plAdd(f[0], f[1]));
        const plVec3 felt = plMulT(&before.R, halfway);
        assert_int_equal(worn->count, 1);
        checkAtMost("off", plNorm(plSub(worn->last.force, felt)), 1e-12);
        checkAtMost("torque", plNorm(worn->last.torque), 0);
        f[1] = f[0];
        f[0] = now;
    }
    checkNear("along the normal", f[0].z, -push.z, 1e-6); // the law's own residual
}

static void forceIsInTheFingersAxes(void** state)
{
    (void)state;
    const plQuat turns[] = {straight, plRotor(plVec(1, 0, 0), 0.5 * PL_PI),
                            plQuatUnit((plQuat){0.3, -0.5, 0.7, 0.2})};
    for (int i = 0; i < PL_COUNT(turns); ++i) {
        Worn worn = {0};
        Bench b = makeBench(&worn, 0, 1, turns[i]);
        checkFrames(&b, &worn, plVec(0.03, -0.02, -2), 100); // it rolls
        plWorld_Destroy(b.world);
    }
}

// A finger that spins on the floor without friction.
static void frameIsThatOfTheTicksStart(void** state)
{
    (void)state;
    Worn worn = {0};
    Bench b = makeBench(&worn, 0, 1, straight);
    plSurface smooth = plDefaultSurface();
    double q[7], v[6];
    smooth.friction = 0;
    checkOk(b.world, plWorld_SetMaterial(b.world, (plMaterialId){0, 0}, &smooth));
    checkOk(b.world, plWorld_State(b.world, b.tip, q, v));
    v[3] = 10;
    checkOk(b.world, plWorld_SetState(b.world, b.tip, q, v));
    checkFrames(&b, &worn, plVec(0, 0, -2), 50);
    assert_true(fabs(worn.last.force.y) > 0.1); // it turned
    plWorld_Destroy(b.world);
}

static double sinc(double x) { return x == 0 ? 1 : sin(PL_PI * x) / (PL_PI * x); }

// Size of a sine of f Hz in what is written, over whole periods.
static double passed(double f, int filter, double T, double rate)
{
    Worn worn = {0};
    Bench b = makeBench(&worn, rate, filter, straight);
    const int settle = (int)lround(1 / T), ticks = (int)lround(4 / T);
    double c = 0, s = 0, time = 0;
    for (int k = 0; k < settle + ticks; ++k) {
        const double t = T * (k + 0.5);
        stepUnder(&b, plVec(0, 0, -2 - sin(2 * PL_PI * f * t)), T);
        for (int i = 0; i < worn.count; ++i) {
            const double middle = time + 0.5 * worn.held[i];
            time += worn.held[i];
            if (k < settle) continue;
            c += worn.held[i] * worn.force[i].z * cos(2 * PL_PI * f * middle);
            s += worn.held[i] * worn.force[i].z * sin(2 * PL_PI * f * middle);
        }
    }
    plWorld_Destroy(b.world);
    return 2 * hypot(c, s) / (ticks * T);
}

static void sinesPassBelowTheCorner(void** state)
{
    (void)state;
    static const double hertz[] = {0.5, 1, 2, 4, 10, 15, 20};
    const double T = 0.01, rate = 1000;
    const int filter = 4;
    for (int i = 0; i < PL_COUNT(hertz); ++i) {
        const double f = hertz[i], is = passed(f, filter, T, rate);
        const double formula = sinc(f * filter * T) * sinc(f * T) * sinc(f / rate);
        print_message("%g Hz: %.5f of the sine is felt, %.5f by the formula\n", f, is, formula);
        checkNear("passed", is, formula, 2e-4); // a sum in place of an integral: (f/rate)^2
    }
    assert_true(passed(2, filter, T, rate) > 0.95);
    assert_true(passed(25, filter, T, rate) < 0.01);
}

static void checkWrites(const Worn* worn, double rate, double T)
{
    double sum = 0;
    for (int i = 0; i < worn->count; ++i) {
        checkAtMost("time of a write", worn->held[i], (1 + 1e-8) / rate);
        sum += worn->held[i];
    }
    checkNear("time of all writes", sum, T, 1e-12);
    assert_true(worn->count == (int)ceil(T * rate * (1 - 1e-9)));
}

// Forces and steps at random: what is felt never leaves the range of what was.
static void nothingOvershootsWhateverTheSteps(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(3);
    const double rate = 1000;
    const int filter = 4;
    Worn worn = {0};
    Bench b = makeBench(&worn, rate, filter, straight);
    double low[8] = {0}, high[8] = {0}, last = 0, leap = 0;
    int writes = 0;
    for (int k = 0; k < sized(2000, 50000); ++k) {
        const double T = plRng_Uniform(&rng, 1. / 300, 1. / 30);
        const double push = k % 40 < 20 ? 5 * (k / 40 % 2) : plRng_Uniform(&rng, 0, 5);
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < filter + 1; ++i) { // and the mean that it comes from
            least = fmin(least, low[i]);
            most = fmax(most, high[i]);
        }
        const double f = stepUnder(&b, plVec(0, 0, -push), T).z;
        checkWrites(&worn, rate, T);
        for (int i = 0; i < worn.count; ++i) {
            const double is = worn.force[i].z;
            if (is < least - 1e-12 || is > most + 1e-12) {
                fail_msg("tick %d: %.17g felt, of %.17g .. %.17g", k, is, least, most);
            }
            leap = fmax(leap, fabs(is - last));
            last = is;
        }
        writes += worn.count;
        memmove(low + 1, low, 7 * sizeof *low);
        memmove(high + 1, high, 7 * sizeof *high);
        low[0] = high[0] = f;
    }
    print_message("%d writes in %.1f s; the largest leap between two is %.2f N of 5\n", writes,
                  plWorld_Time(b.world), leap);
    assert_true(writes >= (int)(rate * plWorld_Time(b.world)));
    assert_true(leap < 2);
    plWorld_Destroy(b.world);
}

// Weights are durations: the mean is the impulse by the time.
static void meansAreByTheTicksDurations(void** state)
{
    (void)state;
    Worn worn = {0};
    Bench b = makeBench(&worn, 0, 2, straight);
    for (int k = 0; k < 10; ++k) stepUnder(&b, none, 0.01);
    const double one = stepUnder(&b, plVec(0, 0, -1), 0.01).z;
    const double three = stepUnder(&b, plVec(0, 0, -3), 0.03).z;
    stepUnder(&b, none, 0.01); // from the mean of 0 and 1 to that of 1 and 3, halfway
    checkNear("forces", one + three, 4, 1e-6);
    const double mean = (0.01 * one + 0.03 * three) / 0.04;
    checkNear("felt", worn.last.force.z, 0.5 * (0.5 * one + mean), 1e-12);
    plWorld_Destroy(b.world);
}

// A device that is worn and leads a finger by a command spring: one loop, without a kinesthetic one.
static void skinMovesNoHandle(void** state)
{
    (void)state;
    plPose poses[2];
    for (int run = 0; run < 2; ++run) {
        Bench b = makeBench(NULL, 1000, 4, straight);
        plCouplingDef lead = plDefaultCouplingDef();
        plCouplingId id;
        plPort port;
        plAccount a;
        double most = 0;
        lead.name = "lead";
        lead.kind = pl_couplingVirtual;
        lead.scale = 0;
        lead.device = b.device;
        lead.tool.mechanism = b.tip;
        if (run) checkOk(b.world, plWorld_AddCoupling(b.world, &lead, &id));
        checkOk(b.world, plWorld_Hold(b.world, b.device, (plPose){{0.01, 0, -0.005}, straight}));
        for (int k = 0; k < 200; ++k) {
            plWrench f;
            plWorld_Step(b.world, 0.01);
            checkOk(b.world, plWorld_DeviceForce(b.world, b.device, &f));
            most = fmax(most, f.force.z);
        }
        checkOk(b.world, plWorld_DevicePose(b.world, b.device, &poses[run]));
        checkOk(b.world, plWorld_Port(b.world, b.coupling, &port));
        checkOk(b.world, plWorld_DeviceLedger(b.world, b.device, &a));
        print_message("%s: %.3f N felt at most, the handle is at z %.6f\n",
                      run ? "led against the floor" : "alone", most, poses[run].p.z);
        assert_true(run ? most > 1 : most == 0);
        assert_true(port.device == 0 && port.tool == 0 && a.rows == 0);
        plWorld_Destroy(b.world);
    }
    assert_memory_equal(&poses[0], &poses[1], sizeof poses[0]);
}

static void fingertipReplays(void** state)
{
    (void)state;
    Bench b = makeBench(NULL, 500, 5, straight), other = makeBench(NULL, 500, 6, straight);
    const size_t size = plWorld_SnapshotSize(b.world);
    void* snapshot = malloc(size);
    uint64_t hashes[2];
    assert_non_null(snapshot);
    for (int k = 0; k < 8; ++k) stepUnder(&b, plVec(0, 0, -1 - k), 0.01);
    plWorld_Save(b.world, snapshot);
    for (int run = 0; run < 2; ++run) {
        checkOk(b.world, plWorld_Restore(b.world, snapshot, size));
        for (int k = 0; k < 8; ++k) stepUnder(&b, plVec(0, 0, -3), 0.02);
        hashes[run] = plWorld_Hash(b.world);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_int_equal(plWorld_Restore(other.world, snapshot, size), pl_statusMismatch);
    free(snapshot);
    plWorld_Destroy(b.world);
    plWorld_Destroy(other.world);
}

// ------------------------------------------------------------------- rates of other devices

// A handle under a held force steps exactly: ten writes of it are one. With a hand that yields they are
// ten steps, and the accounts still close.
static void severalWritesOfAHeldForceAreOne(void** state)
{
    (void)state;
    plPose poses[2];
    for (int run = 0; run < 4; ++run) {
        const bool yields = run >= 2;
        plWorld* w = makeWorld(none, 2);
        const plMechanismId tool = addCube(w, "tool", 0.1, 0.01, none);
        plDeviceDef device = plDefaultDeviceDef();
        plCouplingDef coupling = plDefaultCouplingDef();
        plCouplingId id;
        double apart = 0, rows = 0;
        device.name = "stick";
        device.rate = run % 2 ? 1000 : 0;
        device.damping = 2;
        device.hand.wrench.force = plVec(1, 0, 0.5);
        device.hand.amplitude = 1;
        device.hand.frequency = 0.1; // held at its value at the start of a write
        if (!yields) device.hand.amplitude = device.hand.frequency = 0;
        checkOk(w, plWorld_AddDevice(w, &device, &coupling.device));
        if (yields) checkOk(w, plWorld_Hold(w, coupling.device, (plPose){{0.1, 0, 0}, straight}));
        coupling.name = "hold";
        coupling.kind = pl_couplingVirtual;
        coupling.stiffness = all3(50);
        coupling.tool.mechanism = tool;
        checkOk(w, plWorld_AddCoupling(w, &coupling, &id));
        for (int k = 0; k < 100; ++k) {
            plPort port;
            plAccount a;
            plWorld_Step(w, 0.01);
            checkOk(w, plWorld_Port(w, id, &port));
            apart = fmax(apart, fabs(port.device - rows));
            checkOk(w, plWorld_DeviceLedger(w, coupling.device, &a));
            rows = a.rows;
            checkAtMost("residual", fabs(a.residual), 1e-13);
        }
        checkAtMost("port and device apart", apart, 1e-13);
        checkOk(w, plWorld_DevicePose(w, coupling.device, &poses[run % 2]));
        if (run == 1) checkAtMost("off", plNorm(plSub(poses[0].p, poses[1].p)), 1e-12);
        plWorld_Destroy(w);
    }
}

static void mistakesAreRefused(void** state)
{
    (void)state;
    Bench b = makeBench(NULL, 0, 4, straight);
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef def = plDefaultCouplingDef();
    plCouplingId id;
    static const double rates[] = {-1, 1e6, NAN};
    device.name = "stick";
    for (int i = 0; i < PL_COUNT(rates); ++i) {
        device.rate = rates[i];
        assert_int_equal(plWorld_AddDevice(b.world, &device, &def.device), pl_statusBadArgument);
    }
    device.rate = 0;
    checkOk(b.world, plWorld_AddDevice(b.world, &device, &def.device));
    const uint64_t hash = plWorld_Hash(b.world);
    def.name = "other";
    def.kind = pl_couplingFingertip;
    def.tool.mechanism = b.tip;
    assert_int_equal(plWorld_AddCoupling(b.world, &def, &id), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(b.world), "cutaneous"));
    def.device = b.device;
    def.filter = 0;
    assert_int_equal(plWorld_AddCoupling(b.world, &def, &id), pl_statusBadArgument);
    def.filter = plFilterTicks + 1;
    assert_int_equal(plWorld_AddCoupling(b.world, &def, &id), pl_statusBadArgument);
    def.filter = 1;
    def.tool.mechanism = (plMechanismId){0, 0};
    assert_int_equal(plWorld_AddCoupling(b.world, &def, &id), pl_statusBadId);
    assert_true(plWorld_Hash(b.world) == hash);
    plWorld_Destroy(b.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(currentForceIsNeverFelt),
        cmocka_unit_test(forceIsInTheFingersAxes),
        cmocka_unit_test(frameIsThatOfTheTicksStart),
        cmocka_unit_test(sinesPassBelowTheCorner),
        cmocka_unit_test(nothingOvershootsWhateverTheSteps),
        cmocka_unit_test(meansAreByTheTicksDurations),
        cmocka_unit_test(skinMovesNoHandle),
        cmocka_unit_test(fingertipReplays),
        cmocka_unit_test(severalWritesOfAHeldForceAreOne),
        cmocka_unit_test(mistakesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
