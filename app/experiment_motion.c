// The experiments: to and fro, over the steps of an encoder, and let go.
#include "experiment.h"

#include "math/math.h"

#include <math.h>

/// Forces on their way to the device.
typedef struct {
    double held[plDeviceDelay];
    int at, delay;
} Delay;

static Delay delayOf(const plExperiment* e)
{
    Delay d = {.delay = e->loop.delay};
    for (int i = 0; i < d.delay; ++i) d.held[i] = e->force;
    return d;
}

static double pass(Delay* d, double force)
{
    if (d->delay == 0) return force;
    const double now = d->held[d->at];
    d->held[d->at] = force;
    d->at = (d->at + 1) % d->delay;
    return now;
}

// ------------------------------------------------------------------------------------- energy

/// What came of a motion: energy given to the device, sums of dx^2/T and |dx|.
typedef struct {
    double energy, damped, rubbed;
} Count;

static void count(Count* c, double force, double way, double T)
{
    c->energy += force * way;
    c->damped += way * way / T;
    c->rubbed += fabs(way);
}

/// A motion that repeats itself: where the device is, and where its encoder says that it is.
typedef struct {
    double (*at)(const void* self, int k);
    double (*seen)(const void* self, double x);
    const void* self;
    int period; ///< [ticks]
} Motion;

/// Blocks of whole periods, until two of them agree: then what was at the start is forgotten. What
/// still changes after so many ticks is taken as it is.
static Count measure(plExperiment* e, const Motion* m)
{
    enum { enough = 2048, shortest = 16 };
    const int block = m->period * ((shortest + m->period - 1) / m->period);
    const int most = enough > 2 * block ? enough : 2 * block;
    Delay delay = delayOf(e);
    Count last = {0}, now = {0};
    plExperiment_Restore(e);
    for (int k = 0; k < most; ++k) {
        const double x = m->at(m->self, k), next = m->at(m->self, k + 1);
        const double force = pass(&delay, plExperiment_TickAt(e, m->seen(m->self, x)));
        count(&now, force, next - x, e->loop.T);
        if ((k + 1) % block != 0) continue;
        const double scale = fabs(now.energy) + 1e-9 * fabs(e->force) * now.rubbed;
        const bool settled = k >= block && fabs(now.energy - last.energy) <= 1e-5 * scale;
        if (settled || k + block >= most) break;
        last = now;
        now = (Count){0};
    }
    return now;
}

typedef struct {
    double amplitude, theta;
} Wave;

static double waveAt(const void* self, int k)
{
    const Wave* w = self;
    return w->amplitude * cos(w->theta * k);
}

static double seenExactly(const void* self, double x)
{
    (void)self;
    return x;
}

double plExperiment_NeededAt(plExperiment* e, double theta, int period)
{
    const Wave wave = {plExperiment_Amplitude(e), theta};
    const Motion motion = {waveAt, seenExactly, &wave, period};
    const Count c = measure(e, &motion);
    return c.energy / c.damped;
}

static int commonDivisor(int a, int b) { return b == 0 ? a : commonDivisor(b, a % b); }

/// theta = 2 pi i/whole, whose samples repeat themselves after whole over the common divisor.
static double neededAtPart(plExperiment* e, int i, int whole)
{
    return plExperiment_NeededAt(e, 2 * PL_PI * i / whole, whole / commonDivisor(i, whole));
}

/// Up from a point of the coarse search, by smaller and smaller steps.
static double climb(plExperiment* e, int i, int whole, double needed)
{
    for (int step = 2; step >= 1; --step) {
        const int from = i;
        for (int side = -1; side <= 1; side += 2) {
            const int at = from + side * step;
            if (at < 1 || at > whole / 2) continue;
            const double other = neededAtPart(e, at, whole);
            if (other > needed) needed = other, i = at;
        }
    }
    return needed;
}

// A delay of d makes d + 1 waves of it over theta, all about as high: coarse over all, twelve points and
// more for each wave, then finer at each crest.
double plExperiment_Needed(plExperiment* e)
{
    enum { coarse = 4, most = 12 * (1 + plDeviceDelay / 4) };
    const int scale = 1 + e->loop.delay / 4, whole = 96 * scale, count = 12 * scale;
    double at[most + 1], needed = -INFINITY;
    for (int k = 0; k <= count; ++k) {
        at[k] = neededAtPart(e, k > 0 ? coarse * k : 1, whole);
        needed = fmax(needed, at[k]);
    }
    for (int k = 0; k <= count; ++k) {
        const bool isCrest = (k == 0 || at[k] >= at[k - 1]) && (k == count || at[k] >= at[k + 1]);
        const bool isHigh = at[k] >= needed - 0.1 * fabs(needed);
        if (isCrest && isHigh) {
            needed = fmax(needed, climb(e, k > 0 ? coarse * k : 1, whole, at[k]));
        }
    }
    // A delay costs most where theta is small, and less by its square above.
    return e->loop.delay > 0 ? fmax(needed, neededAtPart(e, 1, 4 * whole)) : needed;
}

/// To and fro over an edge between two steps of the encoder, waiting on either side.
typedef struct {
    double half, step; ///< half the way, and the encoder's step [m]
    int wait;          ///< [ticks]
} Straddle;

static double straddleAt(const void* self, int k)
{
    const Straddle* s = self;
    return k / s->wait % 2 ? -s->half : s->half;
}

static double seenInSteps(const void* self, double x)
{
    const Straddle* s = self;
    return s->step * (floor(x / s->step) + 0.5);
}

static double neededFriction(plExperiment* e, double damping, double half, int wait)
{
    const Straddle straddle = {half, e->loop.encoder, wait};
    const Motion motion = {straddleAt, seenInSteps, &straddle, 2 * wait};
    const Count c = measure(e, &motion);
    return (c.energy - damping * c.damped) / c.rubbed;
}

// A step of the encoder is the same however little the device moves over it, while a damper takes
// less and less: so the shortest way is the worst, unless the damper is the weaker of the two. Longer
// ways over several steps are tried, too.
double plExperiment_NeededFriction(plExperiment* e, double damping)
{
    const double step = e->loop.encoder, reach = plExperiment_Amplitude(e);
    const int waits[] = {1, e->loop.delay + 1, 8 * (e->loop.delay + 1)};
    double most = -INFINITY;
    if (step == 0) return 0;
    for (int i = e->loop.delay == 0; i < 3; ++i) {
        most = fmax(most, neededFriction(e, damping, 5e-4 * step, waits[i]));
        for (int steps = 1; (steps + 1) * step < reach && steps <= 64; steps *= 4) {
            most = fmax(most, neededFriction(e, damping, (steps + 5e-4) * step, waits[i]));
        }
    }
    return most;
}

// ---------------------------------------------------------------------------------- stability

/// The device let go, under the force that pressed it.
typedef struct {
    double x, v, last;
    Delay delay;
} Free;

static void freeTick(plExperiment* e, Free* f)
{
    const plLoop* l = &e->loop;
    const double speed = l->exact ? f->v : (f->x - f->last) / l->T;
    const double force = pass(&f->delay, plExperiment_Tick(e, f->x, speed));
    f->last = f->x;
    plLoop_Go(l, force - e->force, &f->x, &f->v);
}

/// Mean of m v^2 + K x^2 over some ticks; INFINITY when the device has left its place.
static double sizeOver(plExperiment* e, Free* f, int ticks)
{
    const double K = fabs(e->force) / e->depth;
    double sum = 0;
    for (int i = 0; i < ticks; ++i) {
        freeTick(e, f);
        sum += e->loop.mass * f->v * f->v + K * f->x * f->x;
        if (!(fabs(f->x) < 0.5 * e->depth)) return INFINITY;
    }
    return sum / ticks;
}

// Windows of eight swings of the mass on the wall: m v^2 + K x^2 hardly ripples, and its mean over eight
// swings ripples by less than a hundredth of what three windows let it grow or fade, when the stiffness
// is 2 in 100 off its limit.
double plExperiment_Growth(plExperiment* e)
{
    enum { swings = 8, windows = 4, fewest = 128, most = 8192 };
    const plLoop* l = &e->loop;
    const double K = fmax(fabs(e->force) / e->depth, 1e-9);
    const double swing = 2 * PL_PI * sqrt(l->mass / K) / l->T;
    const int window = (int)fmin(most, fmax(fewest, swings * swing));
    const double kick = 0.04 * plExperiment_Amplitude(e) * fmin(sqrt(K / l->mass), 1 / l->T);
    Free f = {.v = kick, .delay = delayOf(e)};
    plExperiment_Restore(e);
    // a ten thousandth of the kick is nothing: what is left there may be rounding, and go anywhere
    const double nothing = 1e-8 * l->mass * kick * kick;
    double first = sizeOver(e, &f, window); // fast modes fade in it
    if (isinf(first)) return first;
    double last = first;
    for (int i = 0; i < windows; ++i) {
        last = sizeOver(e, &f, window);
        if (isinf(last)) return last;
        if (last < nothing) return 0.5 * log(1e-8) / ((i + 2.0) * window);
        if (i == 0) first = last;
    }
    return log(last / first) / (2.0 * window * (windows - 1));
}
