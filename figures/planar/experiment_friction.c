// planar figures 8 to 11: the friction models of figure 7 in closed loop.                (spec 5)
// A hand pushes a peg on in a tight hole and lets go; then a force of one direction comes and goes.
// A second run has the same force below stiction: what moves then creeps, or yields. The push is
// weaker than in figure 7, and there are five of them: 0.4 m are more than a pantograph reaches.
#include "base/base.h"
#include "math/math.h"
#include "planar/experiment.h"
#include "planar/experiment_draw.h"
#include "planar/planar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    plFrictionModel model;
    double slipSpeed;            ///< [m/s]
    double bristle, bristleTime; ///< [m], [s]
    double yield;                ///< under 0.8 N, of figure 7 [mm]; 0: it creeps
} Model;

enum { fingerPad, driftFree, reset, classical, modelCount };

// As in figure 7; its yields are those of the table in spec 5.
static const Model models[modelCount] = {
    [fingerPad] = {pl_frictionFingerPad, 1e-3, 2.5e-3, 0, .957},
    [driftFree] = {pl_frictionDriftFree, 0, 5e-4, 0, .400},
    [reset] = {pl_frictionReset, 0, 1e-4, 0.0180739, .0667},
    [classical] = {pl_frictionClassical, 1e-2, 1, 0, 0},
};

static const double T = 1. / 500, push = 1.3, load = 0.8, stiction = 1.2, slipping = 1e-2;

enum {
    second = 500,
    release = 2 * second, ///< the hand pushes in the second before it
    pushes = 5,           ///< of a second each
    pushSteps = release + pushes * second,
    loads = 3, ///< of four seconds each
    loadSteps = release + loads * 4 * second,
    shown = second ///< what is drawn begins here
};

// --------------------------------------------------------------------------------------- runs

typedef struct {
    double way;     ///< of a push, mean [mm]
    double least;   ///< of a push [mm]
    double stick;   ///< while the push is small, mean [mm]
    double drift;   ///< under a load below stiction [m/s]
    double swing;   ///< peak to peak, then [mm]
    double reach;   ///< farthest place of the handle from the mechanism's centre [mm]
    double trouble; ///< ticks of the pantograph at a limit, a stop or lost; bits of the world
} Result;

typedef struct {
    plPlanarExperimentTrack track;
    Result loop[modelCount], handle[modelCount];
} Runs;

static plPlanarExperimentDef defOf(const Model* m, bool plain)
{
    plPlanarExperimentDef d = plDefaultPlanarExperimentDef();
    d.integrator = pl_integratorSemiImplicit;
    d.surface.wall = pl_wallEstimate;
    d.surface.frictionModel = m->model;
    d.surface.slipSpeed = m->slipSpeed;
    d.surface.bristle = m->bristle;
    d.surface.bristleTime = m->bristleTime;
    d.hole = true;
    d.plain = plain;
    d.hold = release * T;
    return d;
}

static void note(const plPlanarExperimentTrack* t, Result* r)
{
    for (int k = 0; k <= t->count; ++k) r->reach = fmax(r->reach, 1e3 * fabs(t->handle[k]));
    r->trouble += t->trouble + t->lost + t->stops + t->cut;
}

// From 0.05 s before the push is zero until 0.15 s behind it, where figure 7 looks too.
static void measurePush(const plPlanarExperimentTrack* t, Result* r)
{
    const double* x = &t->x[release];
    r->least = INFINITY;
    r->way = 1e3 * (x[pushes * second] - x[0]) / pushes;
    for (int i = 0; i < pushes; ++i)
        r->least = fmin(r->least, 1e3 * (x[(i + 1) * second] - x[i * second]));
    for (int i = 1; i < pushes; ++i)
        r->stick += 1e3 * fabs(x[i * second + 75] - x[i * second - 25]) / (pushes - 1);
    note(t, r);
}

static double meanOf(const double* x, int count)
{
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += x[k];
    return sum / count;
}

// Behind the first load; the drift by means of whole loads, in which the encoders' noise is small.
static void measureLoad(const plPlanarExperimentTrack* t, Result* r)
{
    const int period = 4 * second;
    const double* x = &t->x[release];
    double low = INFINITY, high = -INFINITY;
    for (int k = period; k <= loads * period; ++k) {
        low = fmin(low, x[k]);
        high = fmax(high, x[k]);
    }
    r->swing = 1e3 * (high - low);
    r->drift = (meanOf(x + 2 * period, period) - meanOf(x + period, period)) / (period * T);
    note(t, r);
}

static bool followPush(plFigureJob* job, int model, bool plain, Runs* r, Result* result)
{
    plPlanarExperimentDef d = defOf(&models[model], plain);
    d.x = -0.05;
    d.way = 0.01;
    d.push = push;
    d.frequency = 1;
    plFigureJob_Progress(job, plain ? "pushed, handle" : "pushed, loop");
    if (!plPlanarExperiment_Follow(job, &d, pushSteps, &r->track)) return false;
    measurePush(&r->track, result);
    return true;
}

static bool followLoad(plFigureJob* job, int model, bool plain, Runs* r, Result* result)
{
    plPlanarExperimentDef d = defOf(&models[model], plain);
    d.x = 0.0037;
    d.push = load;
    d.frequency = 0.25;
    plFigureJob_Progress(job, plain ? "loaded, handle" : "loaded, loop");
    if (!plPlanarExperiment_Follow(job, &d, loadSteps, &r->track)) return false;
    measureLoad(&r->track, result);
    return true;
}

// ------------------------------------------------------------------------------------ columns

static bool keepTime(plFigureJob* job)
{
    const int count = loadSteps - shown + 1;
    double* t = plFigureJob_Column(job, count, "time");
    for (int k = 0; t && k < count; ++k) t[k] = (k + shown - release) * T;
    return t != NULL;
}

/// Factor and zero: what is drawn is scale (values - zero).
static bool keep(plFigureJob* job, const double* values, int steps, double scale, double zero,
                 const char* name)
{
    double* column = plFigureJob_Column(job, steps - shown + 1, "%s", name);
    for (int k = shown; column && k <= steps; ++k) column[k - shown] = scale * (values[k] - zero);
    return column != NULL;
}

static bool keepPush(plFigureJob* job, const plPlanarExperimentTrack* t, bool plain)
{
    if (plain) return keep(job, t->x, pushSteps, 1e3, 0, "pushed handle");
    return keep(job, t->x, pushSteps, 1e3, 0, "pushed loop") &&
           keep(job, t->hand, pushSteps, 1, 0, "hand pushed") &&
           keep(job, t->seen, pushSteps, 1, 0, "seen pushed");
}

static bool keepLoad(plFigureJob* job, const plPlanarExperimentTrack* t, bool plain)
{
    const double zero = t->x[release];
    if (plain) return keep(job, t->x, loadSteps, 1e3, zero, "loaded handle");
    return keep(job, t->x, loadSteps, 1e3, zero, "loaded loop") &&
           keep(job, t->hand, loadSteps, 1, 0, "hand loaded") &&
           keep(job, t->seen, loadSteps, 1, 0, "seen loaded");
}

static bool followAndKeep(plFigureJob* job, int model, Runs* r)
{
    for (int plain = 0; plain < 2; ++plain) {
        Result* result = plain ? &r->handle[model] : &r->loop[model];
        if (!followPush(job, model, plain, r, result) || !keepPush(job, &r->track, plain) ||
            !followLoad(job, model, plain, r, result) || !keepLoad(job, &r->track, plain)) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------- claims

/// How far the peg may come and still stick: what the bond strains before it slips, or, where there is
/// none, what it creeps in the fifth of a second that is looked at [mm].
static double strainOf(int model)
{
    return 1e3 * (model == classical ? models[model].slipSpeed / 5 : models[model].bristle);
}

// Not as a share of a push, as in figure 7: an undamped bond rings as far in a short push as in a
// long one.
static void claimSlip(plFigureJob* job, const Runs* r, int model)
{
    const Result *a = &r->loop[model], *b = &r->handle[model];
    const double strain = strainOf(model);
    plFigureJob_Claim(job, "slips", a->least / strain, plAtLeast(1),
                      "\"All models exhibit slip\": least way of a push, in strains of %.2g mm "
                      "that it may have without a slip (mean %.2f mm, through a plain handle %.2f)",
                      strain, a->way, b->way);
    plFigureJob_Claim(job, "sticks", a->stick / strain, plAtMost(1),
                      "\"and stick\": how far it comes in the fifth of a second in which the push "
                      "is smallest, in such strains (%.3f mm, through a plain handle %.3f)",
                      a->stick, b->stick);
}

/// The models that stick by a spring. Loads are slow: the loop adds no more than its noise.
static void claimYield(plFigureJob* job, const Runs* r, int model)
{
    const Result* a = &r->loop[model];
    const double expected = models[model].yield;
    plFigureJob_Check(job, "stays", fabs(a->drift), plAtMost(1e-6),
                      "Under a load that sways up to 0.8 N it does not creep [m/s]");
    plFigureJob_Check(job, "yields", a->swing, plWithin(expected, 0.1 * expected),
                      "But yields, as in figure 7: peak to peak, through a plain handle %.4f [mm]",
                      r->handle[model].swing);
}

static void claimTrouble(plFigureJob* job, const Runs* r, int model)
{
    plFigureJob_Check(job, "trouble", r->loop[model].trouble, plAtMost(0),
                      "Ticks at a limit of the motors, at a stop, or without a pose");
    plFigureJob_Check(job, "reach", r->loop[model].reach, plAtMost(55),
                      "Farthest place of the handle from the centre of its workspace [mm]");
}

static bool judgePad(plFigureJob* job, Runs* r)
{
    if (!followLoad(job, driftFree, false, r, &r->loop[driftFree])) return false;
    claimYield(job, r, fingerPad);
    plFigureJob_Claim(job, "more-than-dahl", r->loop[fingerPad].swing / r->loop[driftFree].swing,
                      plAtLeast(1),
                      "\"Perceivable compliance during the stick phase\": over that of the "
                      "driftless Dahl model, %.3f mm",
                      r->loop[driftFree].swing);
    return true;
}

static bool judgeDahl(plFigureJob* job, Runs* r)
{
    if (!followLoad(job, reset, false, r, &r->loop[reset])) return false;
    claimYield(job, r, driftFree);
    plFigureJob_Claim(job, "more-than-reset", r->loop[driftFree].swing / r->loop[reset].swing,
                      plAtLeast(2),
                      "\"Perceivable compliance during the stick phase\": over that of the "
                      "reset-integrator, %.4f mm",
                      r->loop[reset].swing);
    return true;
}

// With an observer that is slower, the push moves the bare mechanism for longer.
static bool claimLag(plFigureJob* job, Runs* r)
{
    plPlanarExperimentDef d = defOf(&models[reset], false);
    Result slow = {0};
    d.observer = pl_observerDob;
    d.x = -0.05;
    d.way = 0.01;
    d.push = push;
    d.frequency = 1;
    if (!plPlanarExperiment_Follow(job, &d, pushSteps, &r->track)) return false;
    measurePush(&r->track, &slow);
    plFigureJob_Check(job, "lag", r->loop[reset].way / r->handle[reset].way, plBetween(1, 1.6),
                      "Until the observer knows the push, it moves the bare mechanism, which is "
                      "lighter: way of a push over that of a plain handle (by the slower observer: "
                      "%.2f)",
                      slow.way / r->handle[reset].way);
    return true;
}

static bool judgeReset(plFigureJob* job, Runs* r)
{
    for (int i = fingerPad; i <= driftFree; ++i)
        if (!followLoad(job, i, false, r, &r->loop[i])) return false;
    claimYield(job, r, reset);
    plFigureJob_Claim(job, "least",
                      r->loop[reset].swing /
                          fmin(r->loop[driftFree].swing, r->loop[fingerPad].swing),
                      plAtMost(1),
                      "\"The reset-integrator model is considered most suited\": its yield, as a "
                      "share of the least of the other two that do not creep");
    return claimLag(job, r);
}

static bool judgeClassical(plFigureJob* job, Runs* r)
{
    const double expected = load / 2 / stiction * slipping;
    double most = 0;
    for (int i = fingerPad; i <= reset; ++i) {
        if (!followLoad(job, i, false, r, &r->loop[i])) return false;
        most = fmax(most, fabs(r->loop[i].drift));
    }
    plFigureJob_Claim(job, "creeps", r->loop[classical].drift, plAtLeast(1e-3),
                      "\"It exhibits drift that the user can feel\", under a load that sways up to "
                      "0.8 N, below its stiction (plain handle: %.4g) [m/s]",
                      r->handle[classical].drift);
    plFigureJob_Check(job, "creeping-speed", r->loop[classical].drift,
                      plWithin(expected, 0.01 * expected),
                      "which is the mean of F/F_s times 10 mm/s [m/s]");
    plFigureJob_Check(job, "others-stay", most / r->loop[classical].drift, plAtMost(1e-3),
                      "The fastest of the other three, as a share of that");
    return true;
}

static bool judge(plFigureJob* job, int model, Runs* r)
{
    static bool (*const own[modelCount])(plFigureJob*, Runs*) = {
        [fingerPad] = judgePad,
        [driftFree] = judgeDahl,
        [reset] = judgeReset,
        [classical] = judgeClassical,
    };
    if (!keepTime(job) || !followAndKeep(job, model, r)) return false;
    claimSlip(job, r, model);
    if (!own[model](job, r)) return false;
    claimTrouble(job, r, model);
    return true;
}

static bool makeOf(plFigureJob* job, int model)
{
    Runs* r = calloc(1, sizeof *r);
    if (!r) snprintf(job->message, sizeof job->message, "no memory for an experiment");
    const bool good = r && judge(job, model, r);
    free(r);
    return good;
}

static bool makePad(plFigureJob* job) { return makeOf(job, fingerPad); }
static bool makeDahl(plFigureJob* job) { return makeOf(job, driftFree); }
static bool makeReset(plFigureJob* job) { return makeOf(job, reset); }
static bool makeClassical(plFigureJob* job) { return makeOf(job, classical); }

// ------------------------------------------------------------------------------------ figures

#define PARAMETERS(own)                                                                            \
    "m = 2 kg, four corners of 0.5 N, mu = 0.5, stiction 0.2, walls of 1000 N/m with estimate, "   \
    "semi-implicit, 500 Hz. " own " Twin pantograph `large`, 20000 counts, given 2 kg and 0.005 "  \
    "kg m^2; observer of 15 Hz; four-channel controller 100 N/m, 70 N s/m. A hand of 400 N/m "     \
    "moves 10 mm in a second, then 1.3 (1 - cos 2 pi t)/2 N for 5 s; or holds still, then 0.8 "    \
    "(1 - cos pi t/2)/2 N. In planar-7 the push is 1.5 N for 20 s, and 0.4 m long: here it is "    \
    "weaker and shorter, so that it stays within 5.5 cm of the centre."

const plFigure plFigurePlanar8 = {
    .id = "planar-8",
    .title = "A peg in a tight hole, held by a pantograph: finger pad",
    .caption = "A hand moves a peg in a tight hole and lets go; then a force comes and goes, above "
               "the stiction (left) and below it (right). The finger pad slips and sticks, and "
               "yields by a millimetre while it sticks. It rings, since nothing damps it, so no "
               "push is as long as the last.",
    .parameters = PARAMETERS("Finger pad: 2.5 mm, re-sticks at 1 mm/s."),
    .width = 960,
    .height = 560,
    .script = PL_PLANAR_EXPERIMENT_FRICTION("[-0.2:1.6]", "0.4"),
    .make = makePad,
};

const plFigure plFigurePlanar9 = {
    .id = "planar-9",
    .title = "A peg in a tight hole, held by a pantograph: drift-free Dahl",
    .caption = "The same with the drift-free Dahl model: it slips and sticks, and yields by 0.4 mm "
               "under two thirds of its stiction.",
    .parameters = PARAMETERS("Drift-free: 0.5 mm."),
    .width = 960,
    .height = 560,
    .script = PL_PLANAR_EXPERIMENT_FRICTION("[-0.1:0.8]", "0.2"),
    .make = makeDahl,
};

const plFigure plFigurePlanar10 = {
    .id = "planar-10",
    .title = "A peg in a tight hole, held by a pantograph: reset-integrator",
    .caption = "The same with the reset-integrator: it slips and sticks, and yields by a fifteenth "
               "of a millimetre, two counts of the encoders. Its pushes are longer than through a "
               "plain handle, because a mechanism that is lighter than the peg is ahead until "
               "the observer knows the push.",
    .parameters = PARAMETERS("Reset: 0.1 mm, 0.7 of critical damping."),
    .width = 960,
    .height = 560,
    .script = PL_PLANAR_EXPERIMENT_FRICTION("[-0.02:0.14]", "0.04"),
    .make = makeReset,
};

const plFigure plFigurePlanar11 = {
    .id = "planar-11",
    .title = "A peg in a tight hole, held by a pantograph: classical friction",
    .caption = "The same with classical friction: it slips, and where it should stick it creeps, "
               "as fast as the load wants: 40 mm in three loads, of which none reaches the "
               "stiction.",
    .parameters = PARAMETERS("Classical: 10 mm/s."),
    .width = 960,
    .height = 560,
    .script = PL_PLANAR_EXPERIMENT_FRICTION("[-5:70]", "20"),
    .make = makeClassical,
};
