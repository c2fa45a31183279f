// planar figures 5 and 6: the walls of figure 4 in closed loop.                        (spec 4)
// A peg that is held with a small tilt is let go, and pushed by a constant force into a wall. What
// is sampled, observed and controlled on the way to the handle adds a phase of its own to that of the
// wall: which way, and how much, is seen beside a plain handle.
#include "base/base.h"
#include "math/math.h"
#include "planar/experiment.h"
#include "planar/experiment_draw.h"
#include "planar/planar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char* name; ///< of its column
    plLawName law;    ///< default penalty
    plWallModel wall; ///< default hold
    double integral;  ///< [1/s]
    double shares[3]; ///< of the blocks' springs; 0: the default
    double yields[3]; ///< [N]
    double e;
} Wall;

enum {
    integralHold,
    hold,
    integralEstimate,
    estimate,
    weak,
    blocks,
    tuned,
    pulse,
    half,
    wallCount
};

// As in figure 4.
static const Wall walls[wallCount] = {
    [integralHold] = {.name = "PI hold", .integral = 0.5},
    [hold] = {.name = "hold"},
    [integralEstimate] = {.name = "PI estimate", .wall = pl_wallEstimate, .integral = 0.5},
    [estimate] = {.name = "estimate", .wall = pl_wallEstimate},
    [weak] = {.name = "hysteretic weak",
              .wall = pl_wallHysteretic,
              .shares = {0.2, 0.2, 0.1},
              .yields = {0.05, 0.1, 0.2}},
    [blocks] = {.name = "hysteretic",
                .wall = pl_wallHysteretic,
                .shares = {0.8 / 3, 0.8 / 3, 0.8 / 3},
                .yields = {0.05, 0.1, 0.2}},
    [tuned] = {.name = "hysteretic tuned",
               .wall = pl_wallHysteretic,
               .shares = {0.34, 0.20, 0.36},
               .yields = {0.42, 0.05, 0.02}},
    [pulse] = {.name = "pulse", .law = pl_lawImpulse},
    [half] = {.name = "pulse half", .law = pl_lawImpulse, .e = 0.5},
};

/// What the peg is moved by.
enum { loop, handle, disturbance, difference, deviceCount };

static const char* const devices[deviceCount] = {"loop", "handle", "disturbance", "difference"};

enum { release = 500, steps = release + 4000, second = 500 };
static const double T = 1. / 500, push = -0.4, start = 0.0203; // [s], [N], [m]

/// Of a bounce that counts [mm]: the walls keep a sway of 0.2 mm for ever (spec 4).
static const double least = 0.5;

// --------------------------------------------------------------------------------------- runs

typedef struct {
    int count; ///< of bounces
    double apexes[16];
    double contact; ///< the first one, from when the hand let go [s]
    double tilt;    ///< then [deg]
    double depth;   ///< deepest [mm]
    double highest; ///< after the first contact [mm]
    double settled; ///< from the first contact, to `least` [s]
    double sway;    ///< in the last second [mm]
    double force;   ///< largest on the handle [N]
    double rebound; ///< largest speed off the wall over that of the first contact
    double kick;    ///< speed of the peg 0.2 s behind the release, above that of its mass [mm/s]
    double trouble; ///< ticks of the pantograph at a limit, a stop or lost; bits of the world
} Curve;

static plPlanarExperimentDef defOf(const Wall* w, int device, double tilt)
{
    plPlanarExperimentDef d = plDefaultPlanarExperimentDef();
    plSurface* s = &d.surface;
    d.law = w->law;
    if (w->e > 0) d.limit = pl_limitBank; // one that spreads would lose it
    d.plain = device == handle;
    if (device == disturbance) d.observer = pl_observerDob;
    if (device == difference) d.rate = pl_rateDifference;
    d.x = start;
    d.angle = tilt * PL_PI / 180;
    d.drift = 1e-3;
    d.spin = 5e-3 * tilt; // 10 mrad/s with 2 deg
    d.push = push;
    d.centre = 0.02;
    s->friction = 0;
    s->restitution = w->e;
    s->wall = w->wall;
    s->integral = w->integral;
    for (int i = 0; i < 3 && w->shares[i] > 0; ++i) {
        s->blockShares[i] = w->shares[i];
        s->blockDepths[i] = w->yields[i] / (w->shares[i] * 1000); // of 1000 N/m on a corner
    }
    return d;
}

// The highest places between contacts; the last one, which may still be climbed, is none.
static void findBounces(const double* x, int first, Curve* c)
{
    double top = 0;
    for (int k = first; k <= steps; ++k) {
        top = fmax(top, 1e3 * x[k]);
        if (x[k] >= 0) continue;
        if (top > least && c->count < PL_COUNT(c->apexes)) c->apexes[c->count++] = top;
        top = 0;
    }
}

static void findRest(const double* x, int first, Curve* c)
{
    double mean = 0, low = INFINITY, high = -INFINITY;
    int last = first;
    for (int k = steps - second + 1; k <= steps; ++k) {
        mean += 1e3 * x[k] / second;
        low = fmin(low, 1e3 * x[k]);
        high = fmax(high, 1e3 * x[k]);
    }
    for (int k = first; k <= steps; ++k)
        if (fabs(1e3 * x[k] - mean) > least) last = k;
    c->sway = high - low;
    c->settled = (last - first) * T;
}

static void measure(const plPlanarExperimentTrack* t, Curve* c)
{
    const int behind = release + 100, few = 5;
    int first = release;
    *c = (Curve){.highest = -INFINITY};
    while (first < steps && t->x[first] >= 0) ++first;
    c->contact = (first - release) * T;
    c->tilt = t->angle[first] * 180 / PL_PI;
    const double speed = (t->x[first - few] - t->x[first]) / (few * T);
    for (int k = first; k <= steps; ++k) {
        c->rebound = fmax(c->rebound, (t->x[k] - t->x[k - 1]) / (T * speed));
        c->depth = fmax(c->depth, -1e3 * t->x[k]);
        c->highest = fmax(c->highest, 1e3 * t->x[k]);
        c->force = fmax(c->force, fabs(t->force[k]));
    }
    c->kick = -1e3 * ((t->x[behind + few] - t->x[behind - few]) / (2 * few * T) -
                      push / 2 * (behind - release) * T);
    c->trouble = t->trouble + t->lost + t->stops + t->cut;
    findBounces(t->x, first, c);
    findRest(t->x, first, c);
}

/// The columns of a run: place of the peg and force on the handle, from when the hand lets go.
static bool keep(plFigureJob* job, const plPlanarExperimentTrack* t, const char* name)
{
    double* x = plFigureJob_Column(job, steps - release + 1, "%s", name);
    double* f = plFigureJob_Column(job, steps - release + 1, "force %s", name);
    if (!x || !f) return false;
    for (int k = release; k <= steps; ++k) {
        x[k - release] = 1e3 * t->x[k];
        f[k - release] = t->force[k];
    }
    return true;
}

typedef struct {
    plPlanarExperimentTrack track;
    Curve curves[wallCount][deviceCount];
} Runs;

static bool follow(plFigureJob* job, int wall, int device, double tilt, Runs* r)
{
    const plPlanarExperimentDef d = defOf(&walls[wall], device, tilt);
    char name[40];
    snprintf(name, sizeof name, "%s %s", walls[wall].name, devices[device]);
    plFigureJob_Progress(job, name);
    if (!plPlanarExperiment_Follow(job, &d, steps, &r->track)) return false;
    measure(&r->track, &r->curves[wall][device]);
    return true;
}

static bool followAndKeep(plFigureJob* job, int wall, int device, Runs* r)
{
    char name[40];
    snprintf(name, sizeof name, "%s %s", walls[wall].name, devices[device]);
    return follow(job, wall, device, 2, r) && keep(job, &r->track, name);
}

static bool makeWith(plFigureJob* job, bool (*judge)(plFigureJob*, Runs*))
{
    Runs* r = calloc(1, sizeof *r);
    double* t = plFigureJob_Column(job, steps - release + 1, "time");
    bool good = r && t;
    for (int k = 0; good && k <= steps - release; ++k) t[k] = k * T;
    if (!r) snprintf(job->message, sizeof job->message, "no memory for an experiment");
    good = good && judge(job, r);
    free(r);
    return good;
}

// --------------------------------------------------------------------------- claims of figure 5

/// Energy after a bounce over that before it, by heights; mean of all but the first.
static double growth(const Curve* c)
{
    if (c->count < 2) return 0;
    return pow(c->apexes[c->count - 1] / c->apexes[0], 1. / (c->count - 1));
}

/// What the loop makes of the growth that a plain handle has.
static double share(const Runs* r, int wall, int device)
{
    return growth(&r->curves[wall][device]) / growth(&r->curves[wall][handle]);
}

static int disorder(const Runs* r)
{
    int wrong = 0;
    for (int i = integralHold; i < estimate; ++i)
        wrong += !(growth(&r->curves[i + 1][loop]) < growth(&r->curves[i][loop]));
    return wrong;
}

static void claimBounces(plFigureJob* job, const Runs* r)
{
    const Curve* c = &r->curves[estimate][loop];
    double few = INFINITY, low = INFINITY;
    for (int i = integralHold; i <= estimate; ++i) {
        const Curve* w = &r->curves[i][loop];
        few = fmin(few, w->count);
        low = fmin(low, w->count ? w->apexes[w->count - 1] : 0);
    }
    plFigureJob_Claim(job, "bounces", few, plAtLeast(5),
                      "\"The object bounces continuously against the marginally passive or active "
                      "walls\": fewest bounces in 8 s; the higher, the fewer");
    plFigureJob_Claim(
        job, "goes-on", low / (1e3 * start), plAtLeast(0.5),
        "and the lowest of the last bounces, that of the estimate, over the height at the start");
    plFigureJob_Claim(
        job, "order", disorder(r), plAtMost(0),
        "\"Contact stability improves as the passivity of the wall increases\": PI and held "
        "spring, held spring, PI and estimate, estimate, each gains less in a bounce (exceptions)");
    plFigureJob_Check(job, "tilt", c->tilt, plAtLeast(1),
                      "\"Initial contact is not an edge-edge contact\": tilt at the first contact, "
                      "%.2f s behind the release [deg]",
                      c->contact);
}

static void claimGrowth(plFigureJob* job, const Runs* r)
{
    static const char* const ids[] = {"PI-hold", "hold", "PI-estimate", "estimate"};
    static const char* const texts[] = {"PI and held spring: active", "Held spring: active",
                                        "PI and estimate: active", "Estimate: passive, by a hair"};
    const plCriterion bars[] = {
        plBetween(1.17, 1.19), plBetween(1.10, 1.13), plBetween(1.05, 1.065),
        plBetween(0.997, 1)}; // those of planar-4, where no device is in between
    for (int i = integralHold; i <= estimate; ++i)
        plFigureJob_Check(job, ids[i], growth(&r->curves[i][loop]), bars[i - integralHold],
                          "%s; energy after a bounce over that before it, %.4f through a plain "
                          "handle",
                          texts[i], growth(&r->curves[i][handle]));
}

static void claimLoop(plFigureJob* job, const Runs* r)
{
    double low = INFINITY, high = -INFINITY, trouble = 0;
    for (int i = integralHold; i <= estimate; ++i) {
        low = fmin(low, share(r, i, loop));
        high = fmax(high, share(r, i, loop));
        trouble += r->curves[i][loop].trouble;
    }
    plFigureJob_Check(job, "loop", low, plWithin(1, 0.005),
                      "What the loop makes of the energy of a bounce, beside a plain handle: least "
                      "of the four walls (most: %.4f)",
                      high);
    plFigureJob_Check(job, "velocity-now", share(r, estimate, disturbance), plWithin(1, 0.01),
                      "The same with the other observer, twice as slow: the lag of the hand's "
                      "force takes no energy from a bounce");
    plFigureJob_Check(job, "velocity-late", growth(&r->curves[estimate][difference]),
                      plBetween(1.15, 1.4),
                      "With velocities by difference, 6 ms late, the estimate bounces higher and "
                      "higher: energy after a bounce over that before it");
    plFigureJob_Check(job, "kick", r->curves[estimate][loop].kick, plBetween(0, 15),
                      "Until the observer knows the push, it moves the bare mechanism: speed above "
                      "that of the peg's mass, 0.2 s behind the release (%.2f with a plain handle) "
                      "[mm/s]",
                      r->curves[estimate][handle].kick);
    plFigureJob_Check(job, "trouble", trouble, plAtMost(0),
                      "Ticks at a limit of the motors, at a stop, or without a pose");
}

/// Without tilt a plain handle and its peg move as one mass: that of figure 4.
static bool claimHandle(plFigureJob* job, Runs* r)
{
    const Curve* c = &r->curves[hold][handle];
    if (!follow(job, hold, handle, 0, r)) return false;
    plFigureJob_Check(job, "handle", fabs(c->apexes[0] - 22.616659), plAtMost(1e-5),
                      "Through a plain handle, and without tilt, the first bounce of a held spring "
                      "is that of figure 4: difference of heights [mm]");
    return true;
}

static bool judgeActive(plFigureJob* job, Runs* r)
{
    if (!claimHandle(job, r)) return false;
    for (int i = integralHold; i <= estimate; ++i)
        if (!followAndKeep(job, i, loop, r) || !followAndKeep(job, i, handle, r)) return false;
    if (!followAndKeep(job, estimate, disturbance, r)) return false;
    if (!followAndKeep(job, estimate, difference, r)) return false;
    claimBounces(job, r);
    claimGrowth(job, r);
    claimLoop(job, r);
    return true;
}

// --------------------------------------------------------------------------- claims of figure 6

static int unsettled(const Runs* r)
{
    static const int order[] = {estimate, weak, blocks, pulse};
    int wrong = 0;
    for (int i = 1; i < PL_COUNT(order); ++i) {
        const Curve *a = &r->curves[order[i - 1]][loop], *b = &r->curves[order[i]][loop];
        wrong += !(b->settled < a->settled) + !(b->highest < a->highest);
    }
    return wrong;
}

/// Of other tilts; what is known of the one that is drawn stays.
static bool highestOf(plFigureJob* job, int wall, Runs* r, double* highest)
{
    static const double tilts[] = {-4, -2, 4};
    Curve* c = &r->curves[wall][loop];
    const Curve drawn = *c;
    *highest = drawn.highest;
    for (int i = 0; i < PL_COUNT(tilts); ++i) {
        if (!follow(job, wall, loop, tilts[i], r)) return false;
        *highest = fmax(*highest, c->highest);
    }
    *c = drawn;
    return true;
}

static bool claimPulse(plFigureJob* job, Runs* r)
{
    const Curve* c = &r->curves[pulse][loop];
    double highest;
    if (!highestOf(job, pulse, r, &highest)) return false;
    plFigureJob_Claim(job, "pulse-stops", highest, plAtMost(least),
                      "\"Contact stability is achieved upon the first impact with the wall with "
                      "pulse\": highest place behind it, tilts of -4, -2, 2, 4 deg [mm]");
    plFigureJob_Check(job, "pulse-settled", c->settled, plAtMost(0.05),
                      "From the first contact until it stays within 0.5 mm of its place; its sway "
                      "in the end is %.2f mm [s]",
                      c->sway);
    plFigureJob_Check(job, "pulse-limit", c->force, plBetween(14, 17),
                      "The pulse is spread over ticks of 15 N, and the controller's force is added "
                      "to it: largest force [N]");
    plFigureJob_Check(job, "pulse-shallow", c->depth / r->curves[blocks][loop].depth, plAtMost(0.2),
                      "Depth of the peg, as a share of that in blocks");
    return true;
}

static void claimBlocks(plFigureJob* job, const Runs* r)
{
    const Curve *b = &r->curves[blocks][loop], *w = &r->curves[weak][loop];
    plFigureJob_Claim(
        job, "blocks-settled", b->settled, plAtMost(1.5),
        "\"and is quickly achieved for the wall with hysteresis\", whose masses are not "
        "printed: time from the first contact until it stays within 0.5 mm, with %d "
        "bounce (weak blocks: %.2f s, %d bounces) [s]",
        b->count, w->settled, w->count);
    plFigureJob_Check(job, "tuned-stops", r->curves[tuned][loop].highest, plAtMost(least),
                      "With blocks that are tuned it does not bounce either: highest place behind "
                      "the first contact [mm]");
    plFigureJob_Check(
        job, "blocks-loop", b->apexes[0] / r->curves[blocks][handle].apexes[0], plWithin(1, 0.1),
        "Height of its bounce over that through a plain handle, %.2f mm (weak "
        "blocks: %.3f)",
        r->curves[blocks][handle].apexes[0], w->apexes[0] / r->curves[weak][handle].apexes[0]);
}

// The same landing with 2 deg by each rule.
static bool checkRules(plFigureJob* job, Runs* r)
{
    for (int rule = 0; rule < pl_collisionCount; ++rule) {
        plPlanarExperimentDef d = defOf(&walls[half], loop, 2);
        Curve c;
        char id[40];
        d.collision = (plCollision)rule;
        if (!plPlanarExperiment_Follow(job, &d, steps, &r->track)) return false;
        measure(&r->track, &c);
        snprintf(id, sizeof id, "rule-%s", plCollision_Name(rule));
        plFigureJob_Check(job, id, c.rebound, plWithin(0.11, 0.03),
                          "Speed off the wall with 2 deg and e = 0.5 by the rule %s: as one corner "
                          "lands after the other, the rules agree",
                          plCollision_Name(rule));
    }
    return true;
}

// Tilted, the second corner hits while the first is still being paid. A new collision replaces what
// is owed, and finds less speed.
static bool claimRestitution(plFigureJob* job, Runs* r)
{
    const Curve* c = &r->curves[half][loop];
    if (!follow(job, half, loop, 2, r)) return false;
    const double tilted = c->rebound;
    if (!follow(job, half, loop, 0, r)) return false;
    plFigureJob_Claim(job, "one-number", c->rebound, plWithin(0.5, 0.05),
                      "\"Its restitution properties are more easily and intuitively adjusted\", by "
                      "\"one coefficient of restitution\": e = 0.5, a peg without tilt: speed off "
                      "the wall over that before, to a tenth of e");
    plFigureJob_Claim(job, "one-number-tilted", tilted, plWithin(0.5, 0.05),
                      "The same where \"initial contact is not an edge-edge contact\", 2 deg");
    plFigureJob_Differs(
        job, plWithin(0.11, 0.03),
        "The second corner hits while the first is still being paid; a new collision "
        "replaces what is owed, and finds less speed.");
    return checkRules(job, r);
}

static bool judgePassive(plFigureJob* job, Runs* r)
{
    double trouble = 0;
    for (int i = estimate; i <= pulse; ++i) {
        if (!followAndKeep(job, i, loop, r) || !followAndKeep(job, i, handle, r)) return false;
        trouble += r->curves[i][loop].trouble;
    }
    plFigureJob_Claim(
        job, "order", unsettled(r), plAtMost(0),
        "\"Contact stability improves as the passivity of the wall increases\": estimate, weak "
        "blocks, blocks, pulse, each settles sooner and bounces less (exceptions)");
    if (!claimPulse(job, r)) return false;
    claimBlocks(job, r);
    if (!claimRestitution(job, r) || !plPlanarLanding_Check(job)) return false;
    plFigureJob_Check(job, "trouble", trouble, plAtMost(0),
                      "Ticks at a limit of the motors, at a stop, or without a pose");
    return true;
}

static bool makeActive(plFigureJob* job) { return makeWith(job, judgeActive); }
static bool makePassive(plFigureJob* job) { return makeWith(job, judgePassive); }

// ------------------------------------------------------------------------------------ figures

#define DEVICE                                                                                     \
    "Twin pantograph `large`, 20000 counts, 500 Hz, given 2 kg and 0.005 kg m^2; observer of 15 "  \
    "Hz; four-channel controller 100 N/m, 70 N s/m, 0.5 N m/rad, 0.375 N m s/rad. A hand of 400 "  \
    "N/m holds for 1 s and lets go at 20.3 mm, 2 deg, 1 mm/s, 10 mrad/s; then 0.4 N. "

const plFigure plFigurePlanar5 = {
    .id = "planar-5",
    .title = "A peg against active walls, held by a pantograph",
    .caption =
        "A hand lets go of the handle, and a constant force pushes the peg into walls without "
        "damping, not quite flush. It bounces for ever from those that are active or nearly so, "
        "as in figure 4. Right, what the loop adds to the wall is the phase of the velocity that "
        "it damps with: where an observer tells it, the loop adds nothing to speak of; one that is "
        "late bounces the peg ever higher.",
    .parameters = DEVICE "Walls as in planar-4. Differences behind a low-pass of 30 Hz.",
    .width = 960,
    .height = 460,
    .script = PL_PLANAR_EXPERIMENT_ACTIVE,
    .make = makeActive,
};

const plFigure plFigurePlanar6 = {
    .id = "planar-6",
    .title = "A peg against passive walls, held by a pantograph",
    .caption = "The same with walls that lose energy. Weak blocks take seven bounces, the blocks "
               "of figure 4 one, tuned ones none, and go deep. A collision in front of the spring "
               "stops the peg where it meets the wall, by a pulse that is spread over ticks of no "
               "more than 15 N.",
    .parameters = DEVICE "Walls as in planar-4. Pulse: law impulse, e = 0, limit spread, 15 N and "
                         "1 N m.",
    .width = 960,
    .height = 460,
    .script = PL_PLANAR_EXPERIMENT_PASSIVE,
    .make = makePassive,
};
