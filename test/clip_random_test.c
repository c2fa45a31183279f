// The clip led about the pipe on random ways: every tick is solved, nothing goes into the pipe, nothing is
// created.
#include "base/base.h"
#include "clips.h"

typedef struct {
    plPose pose; // of the ring
    double tilt;
} Place;

/// A place near the pipe, within what a snap-in visits.
static Place draw(plRng* rng)
{
    return (Place){.pose.p = {(plRng_Uniform(rng, 0, 1) - 0.5) * 4e-3,
                              -12e-3 + 42e-3 * plRng_Uniform(rng, 0, 1),
                              (plRng_Uniform(rng, 0, 1) - 0.5) * 4e-3},
                   .tilt = (plRng_Uniform(rng, 0, 1) - 0.5) * 0.35};
}

static plPose above(const Place* p)
{
    return (plPose){
        {p->pose.p.x - grip * sin(p->tilt), p->pose.p.y + grip * cos(p->tilt), p->pose.p.z},
        {cos(p->tilt / 2), 0, 0, sin(p->tilt / 2)}};
}

static double distance(plVec3 a, plVec3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

/// Goes from one place to the next at most so fast; how far it came [0 .. 1].
static void lead(Place* at, const Place* to, double speed, double spin, double T)
{
    const double far = distance(at->pose.p, to->pose.p), turn = fabs(at->tilt - to->tilt);
    const double ticks = fmax(1, fmax(far / (speed * T), turn / (spin * T)));
    at->pose.p.x += (to->pose.p.x - at->pose.p.x) / ticks;
    at->pose.p.y += (to->pose.p.y - at->pose.p.y) / ticks;
    at->pose.p.z += (to->pose.p.z - at->pose.p.z) / ticks;
    at->tilt += (to->tilt - at->tilt) / ticks;
}

static bool isFinite(plVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

typedef struct {
    double depth, created, flowed, force;
    int ticks, failed, most;
} Led;

/// What a tick has beyond what it was given: in every tick, not only in the sum.
static double gained(const plAccount* a)
{
    return a->integrator + a->leak + a->drift - a->dissipated;
}

static void wander(plRng* rng, TaskOptions o, double most, int ticks, double T, Led* led)
{
    Task t = makeTaskOf(o);
    Place at = {.pose.p.y = 12e-3}, to = draw(rng);
    plAccount before = {0};
    const double speed = most * (0.1 + 0.9 * plRng_Uniform(rng, 0, 1)), spin = 10 * speed;
    for (int k = 0; k < ticks; ++k) {
        double f[6];
        plMotion m;
        if (distance(at.pose.p, to.pose.p) < 1e-6 && fabs(at.tilt - to.tilt) < 1e-6) to = draw(rng);
        lead(&at, &to, speed, spin, T);
        checkOk(t.world, plWorld_Steer(t.world, t.hand, above(&at)));
        plWorld_Step(t.world, T);
        const plStepReport r = plWorld_Report(t.world);
        const plAccount a = plWorld_Ledger(t.world);
        plWorld_Motion(t.world, (plSite){.mechanism = t.clip}, &m);
        plWorld_LinkForce(t.world, t.link, f);
        assert_true(isFinite(m.x) && isFinite(m.v));
        if (r.trouble) print_message("trouble %x, residual %.1e\n", r.trouble, r.residual);
        led->failed += r.trouble != 0;
        led->depth = fmax(led->depth, r.depth);
        led->created += fmax(0, gained(&a) - gained(&before));
        led->flowed += fabs(a.applied - before.applied);
        before = a;
        led->force = fmax(led->force, hypot(f[0], hypot(f[1], f[2])));
        led->most = r.contacts > led->most ? r.contacts : led->most;
        ++led->ticks;
    }
    plWorld_Destroy(t.world);
}

static void tellLed(const char* what, const Led* l)
{
    print_message("%s: %d ticks, %d failed, %.2e m deep, created %.1e of %.2f J, at most %.0f N, "
                  "%d contacts\n",
                  what, l->ticks, l->failed, l->depth, l->created, l->flowed, l->force, l->most);
}

static void randomWaysAreSolved(void** state)
{
    (void)state;
    const int runs = sized(3, 60), ticks = sized(150, 500);
    plRng rng = plRng_Seed(7);
    Led led = {0};
    for (int i = 0; i < runs; ++i) {
        const TaskOptions o = {.mu = i % 5 == 0 ? 0 : plRng_Uniform(&rng, 0, 1)};
        wander(&rng, o, 0.2, ticks, i % 2 ? 1e-3 : 3e-3, &led);
    }
    tellLed("snap-in", &led);
    assert_int_equal(led.failed, 0);
    checkAtMost("depth", led.depth, 5e-6);
    checkAtMost("created", led.created, 1e-5 * led.flowed);
}

// All of the surface touches, and the hand does not look where it goes.
static void aHandleDrivenThroughThePipeStaysFinite(void** state)
{
    (void)state;
    const int runs = sized(1, 10), ticks = sized(100, 1000);
    plRng rng = plRng_Seed(7);
    Led led = {0};
    for (int i = 0; i < runs; ++i) {
        Task t = makeTaskOf((TaskOptions){.mu = plRng_Uniform(&rng, 0, 1), .wholeSurface = true});
        for (int k = 0; k < ticks; ++k) {
            const double s = 1e-3 * k * (1 + i % 3);
            const Place at = {.pose.p = {0.05 * sin(7 * s), 0.012 - 0.08 * s, 0.01 * sin(3 * s)},
                              .tilt = 1.5 * sin(5 * s)};
            const plAccount before = plWorld_Ledger(t.world);
            plMotion m;
            checkOk(t.world, plWorld_Steer(t.world, t.hand, above(&at)));
            plWorld_Step(t.world, 1e-3);
            const plAccount after = plWorld_Ledger(t.world);
            led.created += fmax(0, gained(&after) - gained(&before));
            led.flowed += fabs(after.applied - before.applied);
            double f[6];
            checkOk(t.world, plWorld_LinkForce(t.world, t.link, f));
            led.force = fmax(led.force, hypot(f[0], hypot(f[1], f[2])));
            const plStepReport r = plWorld_Report(t.world);
            plWorld_Motion(t.world, (plSite){.mechanism = t.clip}, &m);
            assert_true(isFinite(m.x) && isFinite(m.v));
            led.failed += (r.trouble & ~pl_troubleContactsFull) != 0;
            led.depth = fmax(led.depth, r.depth);
            led.most = r.contacts > led.most ? r.contacts : led.most;
            ++led.ticks;
        }

        plWorld_Destroy(t.world);
    }
    tellLed("through the pipe", &led);
    checkAtMost("created", led.created, 1e-5 * led.flowed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomWaysAreSolved),
        cmocka_unit_test(aHandleDrivenThroughThePipeStaysFinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
