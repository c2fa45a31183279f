// Friction models, by the setup of the planar paper's figure 7: a peg of 2 kg in a tight hole, held
// by four corners of 0.5 N with mu = 0.5, so that F_c = 1 N and F_s = 1.2 N; semi-implicit, 500 Hz.
// The forces are those of the law `penalty` on the space of the four corners.
#include "law/friction.h"
#include "law_problems.h"

static const double m = 2, T = 1. / 500, K = 1000, N = 0.5;
enum { corners = 4 };

// -------------------------------------------------------------------------------------- models

/// A model with the numbers of the spec. `stiffness` and `damping` are of all corners together.
static plPair pairOf(plFrictionModel model, double bristle, double stiffness, double damping,
                     double slipSpeed)
{
    return (plPair){.mu = 0.5,
                    .stiffness = K,
                    .slipSpeed = slipSpeed,
                    .friction = model,
                    .stiction = 0.2,
                    .bristle = bristle,
                    .bristleTime = stiffness > 0 ? damping / stiffness : 0};
}

static plPair classical(double vth) { return pairOf(pl_frictionClassical, 1, 0, 0, vth); }
static plPair karnopp(void) { return pairOf(pl_frictionKarnopp, 1, 0, 0, 1e-3); }

static plPair reset(void)
{
    return pairOf(pl_frictionReset, 1e-4, 1.2e4, 2 * 0.7 * sqrt(1.2e4 * m), 0);
}

static plPair driftFree(bool damped)
{
    return pairOf(pl_frictionDriftFree, 5e-4, 2000, damped ? 2 * 0.7 * sqrt(2000 * m) : 0, 0);
}

static plPair dahl(void) { return pairOf(pl_frictionDahl, 5e-4, 2000, 0, 0); }
static plPair stickPoint(void) { return pairOf(pl_frictionStickPoint, 2.4e-4, 5000, 140, 1e-3); }

// The damper of the pad is F_s tau/z0.
static plPair fingerPad(double b)
{
    return pairOf(pl_frictionFingerPad, 2.5e-3, 1.2 / 2.5e-3, b, 1e-3);
}

static plPair luGre(void) { return pairOf(pl_frictionLuGre, 1e-4, 1e4, 100, 1e-2); }

// --------------------------------------------------------------------------------------- a peg

typedef struct {
    Bench bench;
    double x, v;
} Peg;

static Peg makePeg(plPair pair, double x, double v)
{
    Peg peg = {makeBench(2, corners, 4), x, v};
    plSpace* s = &peg.bench.space;
    s->count = corners;
    s->T = T;
    for (int i = 0; i < corners; ++i) {
        s->pair[i] = pair;
        s->gap[i] = -N / K;
        for (int j = 0; j < corners; ++j) { // two against two: normals of opposite sides
            s->W[(2 * i) * 2 * corners + 2 * j] = (i < 2) == (j < 2) ? 1 / m : -1 / m;
            s->W[(2 * i + 1) * 2 * corners + 2 * j + 1] = 1 / m;
        }
    }
    memset(peg.bench.before, 0, corners * sizeof *peg.bench.before);
    return peg;
}

// Returns the force of friction.
static double stepPeg(Peg* peg, double force)
{
    Bench* b = &peg->bench;
    plLawReport report;
    double sum = 0;
    for (int i = 0; i < corners; ++i) {
        b->space.uStart[2 * i + 1] = peg->v;
        b->space.uFree[2 * i + 1] = peg->v + T * force / m;
    }
    plPenaltyLaw.solve(&b->space, b->q, 0, b->before, b->after, b->p, &b->work, &report);
    memcpy(b->before, b->after, corners * sizeof *b->before);
    for (int i = 0; i < corners; ++i) sum += b->p[2 * i + 1] / T;
    peg->v += T * (force + sum) / m;
    peg->x += T * peg->v;
    return sum;
}

// ------------------------------------------------------------------------------------- drives

static double swaying(double t) { return 0.8 * (1 - cos(PL_PI * t / 2)) / 2; }
static double pushing(double t) { return 1.5 * (1 - cos(2 * PL_PI * t)) / 2; }
static double ramp(double t) { return 0.05 * t; }
static double nothing(double t) { return 0 * t; }

enum { most = 20000 };
static double xs[most + 1], vs[most + 1];

static void drive(plPair pair, double (*force)(double), double time, double x, double v)
{
    Peg peg = makePeg(pair, x, v);
    const int steps = (int)lround(time / T);
    xs[0] = x, vs[0] = v;
    for (int k = 0; k < steps; ++k) {
        stepPeg(&peg, force(k * T));
        xs[k + 1] = peg.x, vs[k + 1] = peg.v;
    }
    freeBench(&peg.bench);
}

static double swing(int from, int to)
{
    double low = xs[from], high = xs[from];
    for (int k = from; k < to; ++k) low = fmin(low, xs[k]), high = fmax(high, xs[k]);
    return high - low;
}

// ---------------------------------------------------------------------- below the threshold: T1

// A load that sways below F_s for 20 s. Drift: mean velocity; of those that do not creep, over
// whole periods behind the first one, in which the bristles take their place.
static void modelsOfPositionDoNotCreep(void** state)
{
    const struct {
        const char* name;
        plPair pair;
        double drift, tolerance; ///< [m/s]
    } cases[] = {
        {"classical", classical(.01), 3.3333e-3, 3.3333e-5},
        {"classical, 1 mm/s", classical(.001), 3.3333e-4, 3.3333e-6},
        {"dahl", dahl(), 1.3e-4, 1e-5},
        // slowly, a swing to the share r of z_s and back goes -z_s log(1 - r^2)
        {"lugre", luGre(), -1.2e-4 / 4 * log(1 - 4. / 9), 2e-7},
        {"reset", reset(), 0, 1e-15},
        {"drift-free", driftFree(false), 0, 2e-7},
        {"drift-free, damped", driftFree(true), 0, 1e-15},
        {"stick-point", stickPoint(), 0, 1e-15},
        {"finger-pad", fingerPad(0), 0, 2e-7},
        {"finger-pad, damped", fingerPad(20), 0, 1e-12},
        {"karnopp", karnopp(), 0, 1e-15},
    };
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        drive(cases[i].pair, swaying, 20, 0, 0);
        const double drift = (xs[10000] - xs[2000]) / 16;
        print_message("%-18s drifts %+.4e m/s, in all 20 s %+.4e\n", cases[i].name, drift,
                      (xs[10000] - xs[0]) / 20);
        checkNear(cases[i].name, drift, cases[i].drift, cases[i].tolerance);
        checkNear("all of it", (xs[10000] - xs[0]) / 20, cases[i].drift,
                  fmax(1e-6, cases[i].tolerance));
    }
}

static void complianceKeepsItsOrder(void** state)
{
    const struct {
        const char* name;
        plPair pair;
        double swing; ///< [mm]
        double tolerance;
    } cases[] = {
        // undamped ones ring by some micrometres, on top of the spring's way
        {"finger-pad", fingerPad(0), .957, 3e-3},
        {"finger-pad, damped", fingerPad(20), .954, 1e-3},
        {"drift-free", driftFree(false), .400, 3e-3},
        {"stick-point", stickPoint(), .160, 1e-4},
        {"reset", reset(), .8 / 12, 1e-4},
        {"karnopp", karnopp(), 0, 1e-9},
    };
    double swings[6];
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        drive(cases[i].pair, swaying, 20, 0, 0);
        swings[i] = 1e3 * swing(2000, 10001);
        print_message("%-18s yields by %.4f mm\n", cases[i].name, swings[i]);
        checkNear(cases[i].name, swings[i], cases[i].swing, cases[i].tolerance);
        if (i > 0) checkAtMost("order", swings[i], swings[i - 1]);
    }
    checkNear("drift-free over reset", swings[2] / swings[4], 6, 1);
    checkNear("finger-pad over drift-free", swings[0] / swings[2], 2.5, 0.5);
}

// --------------------------------------------------------------------------- the figure: T2

// Peak to peak while the push is below F_s: the mean over the pushes 3 .. 17.
static double creep(void)
{
    double sum = 0;
    for (int k = 3; k <= 17; ++k) sum += swing((int)((k + .95) / T), (int)((k + 1.15) / T));
    return 1e3 * sum / 15;
}

static void pushesCarryAsFarAsInTheTable(void** state)
{
    const struct {
        const char* name;
        plPair pair;
        double total;        ///< [m], to five digits
        double creep, digit; ///< [mm]
    } cases[] = {
        {"classical", classical(.01), .54252, .147, 5e-4},
        {"reset", reset(), .40759, .0496, 5e-5},
        {"karnopp", karnopp(), .38181, 0, 1e-9},
        {"drift-free", driftFree(false), .59925, 1.09, 5e-3},
        {"drift-free, damped", driftFree(true), .44931, .48, 5e-3},
        {"finger-pad", fingerPad(0), .86899, 2.62, 5e-3},
        {"finger-pad, damped", fingerPad(20), .32051, 1.71, 5e-3},
    };
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        drive(cases[i].pair, pushing, 20, 0.1, 0);
        const double total = xs[10000] - xs[0];
        print_message("%-18s goes %.6f m, creeps %.4f mm\n", cases[i].name, total, creep());
        checkNear(cases[i].name, total, cases[i].total, 6e-6); // five digits, and 1e-6
        checkNear("creep", creep(), cases[i].creep, cases[i].digit);
    }
}

// ------------------------------------------------------------------------------ breakaway: T4

static void rampBreaksAwayAtTheStiction(void** state)
{
    const struct {
        const char* name;
        plPair pair;
        double force, place; ///< where it exceeds 5 mm/s [N]; at 0.9 F_c [mm]
        double tolerance, digit;
    } cases[] = {
        {"classical", classical(.01), .60, 67.4, 5e-3, .05},
        {"reset", reset(), 1.2033, .0749, 5e-5, 5e-5},
        {"drift-free", driftFree(false), 1.03, .4505, 5e-3, 5e-5},
        {"finger-pad", fingerPad(0), 1.203, 1.167, 5e-4, 5e-4},
        {"karnopp", karnopp(), 1.216, 0, 5e-4, 1e-9},
    };
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        int k = 0;
        drive(cases[i].pair, ramp, 30, 0, 0);
        while (k < 15000 && vs[k] <= 5e-3) ++k;
        const double place = 1e3 * xs[9000];
        print_message("%-11s breaks at %.4f N, is at %.4f mm with 0.9 N\n", cases[i].name,
                      ramp(k * T), place);
        checkNear(cases[i].name, ramp(k * T), cases[i].force, cases[i].tolerance);
        checkNear("place", place, cases[i].place, cases[i].digit);
    }
}

// -------------------------------------------------------------------------- slide to stop: T5

static void slideStopsAtItsPlace(void** state)
{
    const struct {
        const char* name;
        plPair pair;
        double stop, back; ///< [mm]
    } cases[] = {
        {"reset", reset(), 9.860, .100},
        {"karnopp", karnopp(), 9.900, 0},
        {"classical", classical(.01), 9.957, 0},
    };
    (void)state;
    for (int i = 0; i < PL_COUNT(cases); ++i) {
        double far = 0;
        drive(cases[i].pair, nothing, 2, 0, 0.1);
        for (int k = 0; k <= 1000; ++k) far = fmax(far, 1e3 * xs[k]);
        const double back = far - 1e3 * xs[1000];
        print_message("%-11s goes %.4f mm, springs back %.4f mm\n", cases[i].name, far, back);
        checkNear(cases[i].name, far, cases[i].stop, 5e-4);
        checkNear("back", back, cases[i].back, 5e-4);
    }
}

// ---------------------------------------------------------------------------------- one contact

static plSlip slipOf(double normal, double u, double way, double time)
{
    return (plSlip){.N = normal, .u = {u, 0}, .way = {way, 0}, .T = time};
}

// At a constant speed for long: F_c + (F_s - F_c) exp(-(v/v_s)^2) + b v.
static void luGreSlidesOnStribecksCurve(void** state)
{
    plPair c = luGre();
    double worst = 0;
    (void)state;
    c.viscous = 3;
    for (int i = 0; i < 40; ++i) {
        const double v = 1e-4 * pow(10, i / 12.), time = 1e-3;
        const plSlip s = slipOf(2, v, v * time, time);
        plFrictionMemory memory = {0};
        double f[2], ratio = v / c.slipSpeed;
        for (int k = 0; k < 40000; ++k) plFriction_Force(&c, &s, &memory, f);
        const double expected = -1 * (1 + 0.2 * exp(-ratio * ratio)) - 3 * v;
        worst = fmax(worst, fabs(f[0] - expected));
    }
    print_message("LuGre off Stribeck's curve by at most %.1e of 1 N\n", worst);
    checkAtMost("Stribeck's curve", worst, 1e-12);
}

// From rest at a small speed: z = z_s (1 - exp(-x/z_s)); turned round, from there to -z_s.
// Hysteresis in the first tenths of the bristle, at any step.
static void luGreBendsBeforeItSlides(void** state)
{
    plPair c = luGre();
    const double zs = 1.2e-4 - 2e-5 * (1 - exp(-1e-10)), v = 1e-7;
    double worst = 0, turn = 0;
    (void)state;
    c.bristleTime = 0;
    for (int steps = 10; steps <= 1000; steps *= 10) {
        plFrictionMemory memory = {0};
        double f[2] = {0}, x = 0;
        for (int k = 1; k <= 2 * steps; ++k) {
            const double way = (k <= steps ? 3e-4 : -3e-4) / steps;
            const plSlip s = slipOf(2, way > 0 ? v : -v, way, fabs(way) / v);
            plFriction_Force(&c, &s, &memory, f);
            x += way;
            if (k == steps) turn = -f[0] * c.bristle;
            const double expected =
                k <= steps ? zs * (1 - exp(-x / zs)) : -zs + (turn + zs) * exp(-(3e-4 - x) / zs);
            worst = fmax(worst, fabs(-f[0] * c.bristle - expected)); // F_c = 1 N
        }
    }
    print_message("LuGre off its pre-sliding curve by at most %.1e m of %.1e\n", worst, zs);
    checkAtMost("pre-sliding curve", worst, 1e-13); // v is not zero: 1e-10 of the stiction
}

static void forcesStayWithinTheStiction(void** state)
{
    static const double big[] = {0, 1e-300, 1e-9, 1e-3, 1, 1e3, 1e100};
    plRng rng = plRng_Seed(17);
    (void)state;
    for (int i = 0; i < 30000; ++i) {
        plPair c = {.mu = plRng_Uniform(&rng, 0, 2),
                    .friction = (plFrictionModel)(i % pl_frictionCount),
                    .slipSpeed = i % 3 ? 1e-2 : 0,
                    .stiction = plRng_Uniform(&rng, 0, 1),
                    .bristle = pow(10, plRng_Uniform(&rng, -9, 1)),
                    .bristleTime = i % 4 ? plRng_Uniform(&rng, 0, 1) : 0};
        plFrictionMemory memory = {0};
        for (int k = 0; k < 20; ++k) {
            plSlip s = {.N = big[plRng_Next(&rng) % 6], .T = pow(10, plRng_Uniform(&rng, -5, -1))};
            double f[2];
            for (int t = 0; t < 2; ++t) {
                s.u[t] = plRng_Uniform(&rng, -1, 1) * big[plRng_Next(&rng) % 7];
                s.way[t] = memory.T * s.u[t];
            }
            plFriction_Force(&c, &s, &memory, f);
            const double limit = (1 + c.stiction) * c.mu * s.N;
            const bool pad =
                c.friction == pl_frictionFingerPad; // its damper stands beside the bond
            const double stored = plFriction_Stored(&c, &memory, s.way);
            assert_true(isfinite(memory.strain[0]) && isfinite(memory.strain[1]));
            assert_true(isfinite(stored) && stored >= 0);
            checkAtMost(plFrictionModel_Name((int)c.friction), hypot(f[0], f[1]),
                        (pad ? 2 : 1) * limit * (1 + 1e-12));
        }
    }
}

// A path and the same path turned by an angle: forces turn with it.
static void modelsKnowNoDirection(void** state)
{
    (void)state;
    for (int model = 0; model < pl_frictionCount; ++model) {
        plRng rng = plRng_Seed(23);
        plPair c = pairOf((plFrictionModel)model, 1e-4, 1e4, 50, 5e-3);
        plFrictionMemory a = {0}, b = {0};
        const double angle = 0.7, co = cos(angle), si = sin(angle);
        double u[2] = {0, 0}, worst = 0;
        c.viscous = 1;
        for (int k = 0; k < 3000; ++k) {
            plSlip s = {.N = 1, .T = 1e-3}, turned = s;
            double f[2], g[2];
            for (int t = 0; t < 2; ++t) {
                u[t] = 0.98 * u[t] + 2e-3 * plRng_Normal(&rng);
                s.u[t] = u[t], s.way[t] = 1e-3 * u[t];
            }
            turned.u[0] = co * s.u[0] - si * s.u[1], turned.u[1] = si * s.u[0] + co * s.u[1];
            for (int t = 0; t < 2; ++t) turned.way[t] = 1e-3 * turned.u[t];
            plFriction_Force(&c, &s, &a, f);
            plFriction_Force(&c, &turned, &b, g);
            worst = fmax(worst, hypot(co * f[0] - si * f[1] - g[0], si * f[0] + co * f[1] - g[1]));
        }
        checkAtMost(plFrictionModel_Name(model), worst, 1e-12);
    }
}

// Of a bristle that is drawn slowly and let back: work is stored or lost, and never comes from
// nothing.
static void bristlesGiveBackWhatTheyStore(void** state)
{
    static const plFrictionModel models[] = {pl_frictionReset,     pl_frictionDriftFree,
                                             pl_frictionDahl,      pl_frictionStickPoint,
                                             pl_frictionFingerPad, pl_frictionLuGre};
    static const double turns[] = {0.6e-4, -0.5e-4, 3e-4, 2.5e-4, -3e-4};
    (void)state;
    for (int i = 0; i < PL_COUNT(models); ++i) {
        const plPair c = pairOf(models[i], 1e-4, 0, 0, 1e-6);
        plFrictionMemory memory = {0};
        double work = 0, x = 0, f[2] = {0}, before, lost = 0, backward = 0;
        enum { steps = 2000 };
        for (int j = 0; j < PL_COUNT(turns); ++j) {
            const double way = (turns[j] - x) / steps;
            for (int k = 0; k < steps; ++k) {
                const plSlip s = slipOf(2, way / 1e-2, way, 1e-2);
                before = f[0];
                plFriction_Force(&c, &s, &memory, f);
                work -= 0.5 * (before + f[0]) * way;
                const double stored = plFriction_Stored(&c, &memory, (double[2]){0, 0});
                backward = fmax(backward, lost - (work - stored));
                lost = fmax(lost, work - stored);
                x += way;
            }
        }
        print_message("%-12s takes %.4f mJ, loses %.4f mJ, gives %.1e mJ from nothing\n",
                      plFrictionModel_Name((int)models[i]), 1e3 * work, 1e3 * lost, 1e3 * backward);
        checkAtMost("from nothing", backward, 1e-3 * lost); // F_s way of a sample, where it breaks
        checkAtMost("loses", 1e-4, lost);
    }
}

// ------------------------------------------------------------------------------------- Karnopp

/// Bodies of random contacts that slip a little; frozen, so that a tick goes on from the last one's
/// impulses.
static void makeGroup(plSpace* s, int count, double mu, int seed)
{
    makeRigid(s, count, mu, (uint64_t)seed);
    s->T = 1e-3;
    for (int i = 0; i < count; ++i) {
        s->pair[i] = karnopp();
        s->pair[i].mu = mu;
        s->gap[i] = -0.01;
        s->uStart[3 * i] = 0;
        for (int k = 1; k < 3; ++k) s->uStart[3 * i + k] = 1e-4;
    }
}

typedef struct {
    int stuck, border;
    double left; ///< largest slip at the end of the step, of what sticks, over the free one
} Stop;

static Stop stopOf(const plSpace* s, const double* p)
{
    Stop stop = {0};
    double size = 0;
    const int rows = plSpace_Rows(s);
    for (int i = 0; i < rows; ++i) size = fmax(size, i % 3 ? fabs(s->uFree[i]) : 0);
    for (int i = 0; i < s->count; ++i) {
        const double* f = &p[3 * i];
        double u[2];
        for (int t = 0; t < 2; ++t) {
            const int row = 3 * i + 1 + t;
            u[t] = s->uFree[row] + plDotN(&s->W[row * rows], p, rows);
        }
        const double limit = 1.2 * s->pair[i].mu * f[0], force = hypot(f[1], f[2]);
        checkAtMost("circle", force, limit * (1 + 1e-12));
        if (force < limit * (1 - 1e-9)) {
            stop.left = fmax(stop.left, hypot(u[0], u[1]) / size);
            ++stop.stuck;
        } else {
            ++stop.border;
        }
    }
    return stop;
}

// What sticks stops: one contact in the first tick, groups of up to five bodies and twenty contacts
// to a tenth in the first, and ever nearer in the next ones under the same load.
static void karnoppStopsTheWholeGroup(void** state)
{
    static const int ticks[] = {1, 10, 100};
    static const double bars[] = {0.1, 2e-3, 1e-3};
    double worst[3][2] = {{0}}; // all that sticks; some at their border
    int stuck = 0, border = 0;
    (void)state;
    Bench b = makeBench(3, 20, 4);
    for (int k = 0; k < 200; ++k) {
        const int count = 1 + k % 20, kind = k % 4 == 0;
        plLawReport report;
        Stop stop = {0};
        makeGroup(&b.space, count, kind ? 0.5 : 1e6, k);
        memset(b.before, 0, (size_t)count * sizeof *b.before);
        for (int i = 0, done = 0; i < 3; ++i) {
            for (; done < ticks[i]; ++done) {
                plPenaltyLaw.solve(&b.space, b.q, 0, b.before, b.after, b.p, &b.work, &report);
                memcpy(b.before, b.after, (size_t)count * sizeof *b.before);
            }
            stop = stopOf(&b.space, b.p);
            worst[i][kind] = fmax(worst[i][kind], stop.left);
            if (count == 1) checkAtMost("one contact", stop.left, 1e-12);
        }
        stuck += stop.stuck, border += stop.border;
    }
    print_message("%d stuck, %d at their border\n", stuck, border);
    for (int i = 0; i < 3; ++i) {
        print_message("tick %d: left of the slip %.1e; with some at their border %.1e\n", ticks[i],
                      worst[i][0], worst[i][1]);
        checkAtMost("left of the slip", fmax(worst[i][0], worst[i][1]), bars[i]);
    }
    assert_true(stuck > 1000 && border > 300);
    freeBench(&b);
}

// Without u_free, as under the law `impulse`, the forces of the step are known from the last one.
static void karnoppHoldsUnderTheLawImpulse(void** state)
{
    Peg peg = makePeg(karnopp(), 0, 0);
    Bench* b = &peg.bench;
    plLawReport report;
    double far = 0;
    (void)state;
    for (int i = 0; i < corners; ++i) b->before[i].age = 1;
    for (int k = 0; k < 5000; ++k) {
        const double force = swaying(k * T);
        double sum = 0;
        for (int i = 0; i < corners; ++i) {
            b->space.uStart[2 * i + 1] = b->space.uFree[2 * i + 1] = peg.v;
        }
        plImpulseLaw.solve(&b->space, b->q, 0, b->before, b->after, b->p, &b->work, &report);
        memcpy(b->before, b->after, corners * sizeof *b->before);
        for (int i = 0; i < corners; ++i) sum += b->p[2 * i + 1] / T;
        peg.v += T * (force + sum) / m;
        peg.x += T * peg.v;
        far = fmax(far, fabs(peg.x));
    }
    print_message("karnopp under impulse: within %.1e m in 10 s\n", far);
    checkAtMost("far", far, T * T * 0.8 / m * (1 + 1e-9)); // a force is known a step late
    freeBench(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modelsOfPositionDoNotCreep),
        cmocka_unit_test(complianceKeepsItsOrder),
        cmocka_unit_test(pushesCarryAsFarAsInTheTable),
        cmocka_unit_test(rampBreaksAwayAtTheStiction),
        cmocka_unit_test(slideStopsAtItsPlace),
        cmocka_unit_test(luGreSlidesOnStribecksCurve),
        cmocka_unit_test(luGreBendsBeforeItSlides),
        cmocka_unit_test(forcesStayWithinTheStiction),
        cmocka_unit_test(modelsKnowNoDirection),
        cmocka_unit_test(bristlesGiveBackWhatTheyStore),
        cmocka_unit_test(karnoppStopsTheWholeGroup),
        cmocka_unit_test(karnoppHoldsUnderTheLawImpulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
