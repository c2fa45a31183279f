// The Z-width: what an experimenter measures in the real world, against what is known in closed form.
#include "base/base.h"
#include "math/math.h"
#include "worlds.h"
#include "zwidth.h"

#include <string.h>

/// The scene of the wall, with settings, and an experimenter in it.
typedef struct {
    plScene* scene;
    plWorld* world;
    plExperiment experiment;
} Lab;

static void openLab(Lab* lab, const char* scene, const char* law, const char* const* settings,
                    int count)
{
    plSceneError error;
    if (plScene_Load(scene, settings, count, &lab->scene, &error) != pl_statusOk ||
        plScene_CreateWorld(lab->scene, &lab->world, &error) != pl_statusOk) {
        fail_msg("%s", error.message);
    }
    const plExperimentDef def = {
        .law = law, .depth = 1e-3, .T = plScene_Step(lab->scene), .time = plScene_Time(lab->scene)};
    if (!plExperiment_Open(&lab->experiment, lab->world, &def)) {
        fail_msg("%s", lab->experiment.message);
    }
}

static void openWall(Lab* lab) { openLab(lab, "scenes/wall.json", "penalty", NULL, 0); }

static void closeLab(Lab* lab)
{
    plExperiment_Close(&lab->experiment);
    plWorld_Destroy(lab->world);
    plScene_Destroy(lab->scene);
}

// -------------------------------------------------------------------------------- closed forms

static void neededDampingIsColgates(void** unused)
{
    (void)unused;
    const plLoop l = {.T = 1e-3, .mass = 0.1, .damping = 1};
    for (int i = 0; i < 5; ++i) {
        const double K = 300 * i, B = 0.3 * i - 0.5;
        checkNear("K T/2 + |B|", plLoop_Needed(&l, K, B), 0.5 * K * l.T + fabs(B), 1e-12);
    }
    for (int d = 0; d <= plDeviceDelay; ++d) {
        const plLoop late = {.T = 1e-3, .mass = 0.1, .delay = d};
        // a spring that comes late is worst when the motion is slow: (2 d + 1) K T/2
        checkNear("late spring", plLoop_Needed(&late, 1000, 0), 0.5 * (2 * d + 1), 1e-9);
        checkNear("late damper", plLoop_Needed(&late, 0, 2), 2, 1e-9);
    }
}

/// Work of the wall on a device that goes through places, again and again; sums of dx^2/T and |dx|.
static double workOn(const plLoop* l, double K, double B, const double* x, int n, double* damped,
                     double* rubbed)
{
    double work = 0;
    *damped = *rubbed = 0;
    for (int k = 0; k < n; ++k) {
        const int at = (k - l->delay + 4 * n) % n, before = (at + n - 1) % n;
        const double D = l->encoder;
        const double q = D > 0 ? D * (floor(x[at] / D) + 0.5) : x[at];
        const double p = D > 0 ? D * (floor(x[before] / D) + 0.5) : x[before];
        const double way = x[(k + 1) % n] - x[k];
        work += (-K * q - B * (q - p) / l->T) * way;
        *damped += way * way / l->T;
        *rubbed += fabs(way);
    }
    return work;
}

// A brute-force oracle: closed motions of random places, coarse and fine, with waits in them.
static void noMotionNeedsMoreThanTheClosedForm(void** unused)
{
    (void)unused;
    enum { most = 24 };
    plRng rng = plRng_Seed(5);
    double nearest = 0;
    for (int i = 0; i < sized(20000, 2000000); ++i) {
        const plLoop l = {
            .T = 1e-3, .encoder = i % 3 ? 1e-5 : 0, .delay = (int)plRng_Uniform(&rng, 0, 4)};
        const int n = 2 + (int)plRng_Uniform(&rng, 0, most - 1.5);
        const double K = plRng_Uniform(&rng, 0, 2000), B = plRng_Uniform(&rng, 0, 1);
        const double size = 1e-5 * exp(plRng_Uniform(&rng, -6, 4)),
                     wait = plRng_Uniform(&rng, 0, 1);
        double x[most], damped, rubbed;
        for (int k = 0; k < n; ++k) {
            x[k] = k > 0 && plRng_Uniform(&rng, 0, 1) < wait ? x[k - 1]
                                                             : plRng_Uniform(&rng, -size, size);
        }
        const double work = workOn(&l, K, B, x, n, &damped, &rubbed);
        const double covered =
            plLoop_Needed(&l, K, B) * damped + plLoop_NeededFriction(&l, K, B) * rubbed;
        nearest = fmax(nearest, covered > 0 ? work / covered : 0);
    }
    print_message("the worst motion takes %.4f of what damper and friction take\n", nearest);
    checkAtMost("work over what is covered", nearest, 1 + 1e-9);
    assert_true(nearest > 0.9); // the bound is near, not just safe
}

static void radiusOfTheUndelayedLoopIsThatOfItsQuadratic(void** unused)
{
    (void)unused;
    for (int i = 0; i < 6; ++i) {
        const plLoop l = {.T = 1e-3, .mass = 0.1, .damping = 0.2 * i, .exact = i % 2};
        for (double K = 10; K < 1e6; K *= 3) {
            // columns of the step of (x, v) with the force -K x held
            double a = 1, c = 0, b = 0, d = 1;
            plLoop_Go(&l, -K, &a, &c);
            plLoop_Go(&l, 0, &b, &d);
            const double half = 0.5 * (a + d), root = half * half - (a * d - b * c);
            const double radius = root > 0 ? fabs(half) + sqrt(root) : sqrt(a * d - b * c);
            checkNear("radius", plLoop_Radius(&l, K, 0), radius, 1e-9 * radius);
        }
    }
}

/// Growth of the loop by doing it, in another way: logarithm per tick.
static double growthByHand(const plLoop* l, double K, double B)
{
    enum { ticks = 40000 };
    const double decay = exp(-l->damping * l->T / l->mass), m = l->mass, b = l->damping, T = l->T;
    double x = 1, v = 0, last = 1, queue[plDeviceDelay + 1] = {0}, grown = 0, half = 0;
    for (int k = 0; k < ticks; ++k) {
        for (int i = l->delay; i > 0; --i) queue[i] = queue[i - 1];
        queue[0] = -K * x - B * (l->exact ? v : (x - last) / T);
        const double end = queue[l->delay] / b;
        last = x;
        x += end * T + (v - end) * (1 - decay) * m / b;
        v = end + (v - end) * decay;
        const double size = sqrt(x * x + m / K * v * v); // hardly varies over a swing
        if (k % 100 == 99) {
            x /= size, v /= size, last /= size;
            for (int i = 0; i <= l->delay; ++i) queue[i] /= size;
            grown += log(size);
        }
        if (k + 1 == ticks / 2) half = grown;
    }
    return (grown - half) / (ticks / 2);
}

static void radiusIsTheGrowthOfTheLoop(void** unused)
{
    (void)unused;
    double worst = 0;
    for (int d = 0; d <= 6; ++d) {
        for (int i = 0; i < 8; ++i) {
            const plLoop l = {.T = 1e-3, .mass = 0.1, .damping = 0.6, .delay = d, .exact = i % 2};
            const double K = 100 << i / 2, B = 0.3 * (i % 4);
            const double off = log(plLoop_Radius(&l, K, B)) - growthByHand(&l, K, B);
            worst = fmax(worst, fabs(off));
        }
    }
    print_message("log of the radius off by %.1e per tick\n", worst);
    // a size that ripples by a third over a swing, at the ends of 2e4 ticks
    checkAtMost("log of the radius", worst, 2e-5);
}

// ---------------------------------------------------------------------------- through the world

typedef struct {
    double rate, b, B; ///< B as a share of b
    int delay;
} Case;

/// The cases of the bars: some of them, or all.
static int cases(Case* list)
{
    static const double rates[] = {250, 500, 1000, 2000, 4000}, bs[] = {0.1, 0.6, 3};
    static const double shares[] = {0, 0.3, 0.8, 1.5};
    static const Case few[] = {{250, 0.6, 0.3, 3}, {1000, 0.1, 0, 0},   {1000, 0.6, 0.8, 2},
                               {2000, 3, 1.5, 0},  {4000, 0.6, 0.3, 1}, {4000, 3, 0, 3}};
    int count = 0;
    if (sized(1, 0)) {
        memcpy(list, few, sizeof few);
        return PL_COUNT(few);
    }
    for (int r = 0; r < PL_COUNT(rates); ++r) {
        for (int i = 0; i < PL_COUNT(bs); ++i) {
            for (int k = 0; k < PL_COUNT(shares); ++k) {
                for (int d = 0; d <= 3; ++d) list[count++] = (Case){rates[r], bs[i], shares[k], d};
            }
        }
    }
    return count;
}

enum { mostCases = 256 };

static double setCase(plExperiment* e, const Case* c)
{
    e->loop.T = 1 / c->rate;
    e->loop.damping = c->b;
    e->loop.delay = c->delay;
    e->loop.encoder = 0;
    return c->B * c->b;
}

// At 95 in 100 of Colgate's limit the wall is passive, at 105 in 100 it is not; and the needed damping
// is that of the formula.
static void passiveLimitIsColgates(void** unused)
{
    (void)unused;
    Lab lab;
    Case list[mostCases];
    double worst = 0;
    openWall(&lab);
    plExperiment* e = &lab.experiment;
    const int count = cases(list);
    for (int i = 0; i < count; ++i) {
        const double B = setCase(e, &list[i]), T = e->loop.T, b = e->loop.damping;
        const double most = 4 * b / T, K = plLoop_PassiveStiffness(&e->loop, B, most);
        const double at = K > 0 ? K : 0.5 * b / T;
        assert_true(plExperiment_Press(e, at, B));
        const double needed = plExperiment_Needed(e), closed = plLoop_Needed(&e->loop, at, B);
        worst = fmax(worst, fabs(needed / closed - 1));
        if (list[i].delay == 0 && K > 0) checkNear("Colgate", 0.5 * K * T + B, b, 1e-6 * b);
        if (K == 0) assert_true(B > b && plZWidth_Lack(e, 1e-3 * most, B) > 0);
        if (K == 0 || list[i].B > 0.9) continue;
        // 5 in 100 of the damping that the device has
        const plLoop loop = e->loop;
        e->loop.damping = 1.05 * b;
        assert_true(plZWidth_Lack(e, K, B) < 0);
        e->loop.damping = 0.95 * b;
        assert_true(plZWidth_Lack(e, K, B) > 0);
        e->loop = loop;
    }
    print_message("%d cases: needed damping off by %.2e of it\n", count, worst);
    checkAtMost("needed damping", worst, 0.01);
    closeLab(&lab);
}

static void stableLimitIsThatOfTheEigenvalues(void** unused)
{
    (void)unused;
    Lab lab;
    Case list[mostCases];
    openWall(&lab);
    plExperiment* e = &lab.experiment;
    const int count = cases(list);
    for (int i = 0; i < 2 * count; ++i) {
        const double B = setCase(e, &list[i / 2]), far = 4 * e->loop.mass / (e->loop.T * e->loop.T);
        e->loop.exact = i % 2;
        const double K = plLoop_StableStiffness(&e->loop, B, far);
        assert_true(K > 0 && isfinite(K));
        for (int side = -1; side <= 1; side += 2) {
            assert_true(plExperiment_Press(e, (1 + 0.02 * side) * K, B));
            const double growth = plExperiment_Growth(e);
            if (growth * side > 0) continue;
            fail_msg("rate %g b %g B %g delay %d: growth %g at %g of the limit", 1 / e->loop.T,
                     e->loop.damping, B, e->loop.delay, growth, 1 + 0.02 * side);
        }
    }
    print_message("%d cases: fades at 98 %% of the limit, grows at 102 %%\n", 2 * count);
    closeLab(&lab);
}

static void boundariesOfTheMapMeetTheBars(void** unused)
{
    (void)unused;
    Lab lab;
    Case list[mostCases];
    double passive = 0, stable = 0;
    openWall(&lab);
    plExperiment* e = &lab.experiment;
    const int count = sized(1, cases(list));
    cases(list);
    for (int i = 0; i < count; ++i) {
        const double B = setCase(e, &list[i]);
        const plZLimit l = plZLimit_Measure(e, B, 8 * (e->loop.damping + B) / e->loop.T);
        const double passiveError = plZLimit_PassiveError(e, &l);
        const double stableError = plZLimit_StableError(&l);
        const bool none = l.passive == 0 && l.passiveClosed == 0;
        assert_true(none || isfinite(passiveError)); // both are found, or neither
        assert_true(isfinite(stableError));
        passive = fmax(passive, none ? 0 : fabs(passiveError));
        stable = fmax(stable, fabs(stableError));
    }
    print_message("%d boundaries: passive off by %.2e, stable by %.2e\n", count, passive, stable);
    checkAtMost("passive", passive, 0.05);
    checkAtMost("stable", stable, 0.02);
    closeLab(&lab);
}

// K <= min(2 b/T, 2 f_c/D) is passive, and a little more is not where one limit is far below the other.
static void encoderAndFrictionLimitAsAbbottAndOkamuraSay(void** unused)
{
    (void)unused;
    static const struct {
        double b, friction, encoder;
        int delay;
    } list[] = {{0.6, 0.04, 3e-4, 0}, {0.6, 0.04, 3e-5, 0}, {3, 0.02, 5e-5, 0}, {3, 0.02, 5e-5, 2},
                {0.2, 0.2, 2e-5, 0},  {1, 0.01, 2e-5, 1},   {1, 0.05, 5e-5, 0}};
    Lab lab;
    openWall(&lab);
    plExperiment* e = &lab.experiment;
    for (int i = 0; i < sized(4, PL_COUNT(list)); ++i) {
        e->loop.damping = list[i].b;
        e->loop.friction = list[i].friction;
        e->loop.encoder = list[i].encoder;
        e->loop.delay = list[i].delay;
        const double viscous = 2 * list[i].b / e->loop.T / (2 * list[i].delay + 1);
        const double dry = 2 * list[i].friction / list[i].encoder, limit = fmin(viscous, dry);
        checkNear("closed form", plLoop_PassiveStiffness(&e->loop, 0, 10 * limit), limit,
                  1e-6 * limit);
        const double below = plZWidth_Lack(e, 0.999 * limit, 0);
        const double above = plZWidth_Lack(e, 1.02 * limit, 0);
        print_message("2b/T %.4g, 2f/D %.4g: lacks %.4f below, %.4f above the limit\n", viscous,
                      dry, below, above);
        assert_true(below < 0);
        assert_true(above > 0);
    }
    closeLab(&lab);
}

// The scene's own simulated handle, which shares no code with the experimenter's, on walls beside the
// limit: pushed by a constant force, and let swing.
static double swingOf(double K, double B, int delay, double seconds)
{
    char stiffness[64], damping[64], late[64];
    const char* settings[] = {stiffness,
                              damping,
                              late,
                              "devices.stick.encoderStep=0",
                              "devices.stick.friction=0",
                              "devices.stick.position=[0, 0, 0.0099]",
                              "devices.stick.hand={\"force\": [0, 0, -0.3]}"};
    plScene* scene;
    plWorld* world;
    plSceneError error;
    plChannel z;
    double early = 0, end = 0;
    snprintf(stiffness, sizeof stiffness, "materials.wall.stiffness=%.17g", K);
    snprintf(damping, sizeof damping, "materials.wall.damping=%.17g", B);
    snprintf(late, sizeof late, "devices.stick.delay=%d", delay);
    if (plScene_Load("scenes/wall.json", settings, PL_COUNT(settings), &scene, &error) ||
        plScene_CreateWorld(scene, &world, &error)) {
        fail_msg("%s", error.message);
    }
    checkOk(world, plWorld_FindChannel(world, "stick.z", &z));
    const double rest = 0.01 - 0.3 / K;
    const int ticks = (int)(seconds / 1e-3);
    for (int i = 0; i < ticks; ++i) {
        plWorld_Step(world, 1e-3);
        const double off = plWorld_ReadChannel(world, z) - rest;
        if (i >= ticks / 4 && i < ticks / 2) early += off * off;
        if (i >= 3 * ticks / 4) end += off * off;
    }
    plWorld_Destroy(world);
    plScene_Destroy(scene);
    return end / early;
}

static void simulatedDeviceIsStableUpToTheLimit(void** unused)
{
    (void)unused;
    for (int i = 0; i < 4; ++i) {
        const int delay = i / 2;
        const double B = 0.3 * (i % 2);
        const plLoop l = {.T = 1e-3, .mass = 0.1, .damping = 0.6, .delay = delay, .exact = true};
        const double K = plLoop_StableStiffness(&l, B, 1e5);
        const double below = swingOf(0.97 * K, B, delay, 8), above = swingOf(1.03 * K, B, delay, 8);
        print_message("delay %d, B %.1f, limit %.1f N/m: grows by %.3f below, %.3f above\n", delay,
                      B, K, below, above);
        assert_true(below < 1);
        assert_true(above > 1);
    }
}

static void fourCornersAreFourWalls(void** unused)
{
    (void)unused;
    const char* const settings[] = {
        "mechanisms.tip.shapes[0]={\"type\": \"box\", \"half\": [0.01, 0.01, 0.01], "
        "\"material\": \"wall\"}"};
    Lab lab;
    openLab(&lab, "scenes/wall.json", "penalty", settings, 1);
    plExperiment* e = &lab.experiment;
    e->loop.encoder = 0;
    assert_null(e->unknown);
    checkNear("share", e->share, 4, 1e-9);
    const plZPoint p = plZPoint_Measure(e, 200, 0.05);
    checkNear("needed damping", p.needed, 0.5 * 800e-3 + 0.2, 1e-6);
    checkNear("closed", p.neededClosed, p.needed, 1e-6);
    closeLab(&lab);
}

static void otherCouplingsAreMeasuredWithoutAClosedForm(void** unused)
{
    (void)unused;
    Lab lab;
    openLab(&lab, "scenes/peg.json", "impulse", NULL, 0);
    plExperiment* e = &lab.experiment;
    assert_non_null(e->unknown);
    assert_true(plExperiment_Press(e, 1000, 50));
    const double needed = plExperiment_NeededAt(e, PL_PI, 2);
    print_message("four-channel: needs %.3f N s/m at half the rate; %s\n", needed, e->unknown);
    assert_true(isfinite(needed));
    closeLab(&lab);
    // another law: the hand feels the estimate of a wall, and no closed form is claimed
    const char* const estimate[] = {"materials.wall.wall=estimate"};
    openLab(&lab, "scenes/wall.json", "penalty", estimate, 1);
    assert_non_null(lab.experiment.unknown);
    closeLab(&lab);
}

static void whatNeverTouchesIsSaid(void** unused)
{
    (void)unused;
    const char* const away[] = {"devices.stick.hand={\"force\": [0, 0, 1]}"};
    const plExperimentDef def = {.law = "penalty", .depth = 1e-3, .T = 1e-3, .time = 0.2};
    Lab lab;
    plSceneError error;
    assert_int_equal(plScene_Load("scenes/wall.json", away, 1, &lab.scene, &error), 0);
    assert_int_equal(plScene_CreateWorld(lab.scene, &lab.world, &error), 0);
    assert_false(plExperiment_Open(&lab.experiment, lab.world, &def));
    assert_non_null(strstr(lab.experiment.message, "touches nothing in the 0.2 s"));
    closeLab(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neededDampingIsColgates),
        cmocka_unit_test(noMotionNeedsMoreThanTheClosedForm),
        cmocka_unit_test(radiusOfTheUndelayedLoopIsThatOfItsQuadratic),
        cmocka_unit_test(radiusIsTheGrowthOfTheLoop),
        cmocka_unit_test(passiveLimitIsColgates),
        cmocka_unit_test(stableLimitIsThatOfTheEigenvalues),
        cmocka_unit_test(boundariesOfTheMapMeetTheBars),
        cmocka_unit_test(encoderAndFrictionLimitAsAbbottAndOkamuraSay),
        cmocka_unit_test(simulatedDeviceIsStableUpToTheLimit),
        cmocka_unit_test(fourCornersAreFourWalls),
        cmocka_unit_test(otherCouplingsAreMeasuredWithoutAClosedForm),
        cmocka_unit_test(whatNeverTouchesIsSaid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
