// planar figure 4: a peg, pushed by a constant force, bounces against undamped walls.      (spec 4)
// A spring whose force is sampled and held creates K ds^2/2 in a step, exp(pi w T/2) in a bounce.
// The estimate of its mean over the step all but stops that, the integral of depth adds to it,
// blocks that rub take more than it gives, and the pulse, which is the law `impulse`, leaves
// nothing to bounce.
#include "base/base.h"
#include "math/math.h"
#include "planar/planar.h"

#include <math.h>

typedef struct {
    const char* name; ///< of its column
    plLawName law;
    plWallModel wall;
    double integral;  ///< [1/s]
    double shares[3]; ///< of the blocks' springs; 0: the default
    double yields[3]; ///< [N]
    double apexes[3]; ///< of the scalar scheme [mm]; 0: not in its table
    double e, limit;  ///< of the pulse: restitution, force on a corner [N]; 0: no limit
} Case;

enum {
    integralHold,
    hold,
    integralEstimate,
    estimate,
    little,
    weak,
    blocks,
    tuned,
    pulse,
    third,
    limited,
    caseCount
};

static const Case cases[caseCount] = {
    [integralHold] = {.name = "PI hold",
                      .law = pl_lawPenalty,
                      .wall = pl_wallHold,
                      .integral = 0.5,
                      .apexes = {23.927536, 28.115266, 33.106758}},
    [hold] = {.name = "hold",
              .law = pl_lawPenalty,
              .wall = pl_wallHold,
              .apexes = {22.616659, 25.197415, 28.033353}},
    [integralEstimate] = {.name = "PI estimate",
                          .law = pl_lawPenalty,
                          .wall = pl_wallEstimate,
                          .integral = 0.5,
                          .apexes = {21.47955, 22.734188, 24.050685}},
    [estimate] = {.name = "estimate",
                  .law = pl_lawPenalty,
                  .wall = pl_wallEstimate,
                  .apexes = {20.272894, 20.235366, 20.214621}},
    [little] = {.name = "PI estimate little",
                .law = pl_lawPenalty,
                .wall = pl_wallEstimate,
                .integral = 0.003},
    [weak] = {.name = "hysteretic weak",
              .law = pl_lawPenalty,
              .wall = pl_wallHysteretic,
              .shares = {0.2, 0.2, 0.1},
              .yields = {0.05, 0.1, 0.2},
              .apexes = {14.345438, 9.900459, 6.692462}},
    [blocks] = {.name = "hysteretic",
                .law = pl_lawPenalty,
                .wall = pl_wallHysteretic,
                .shares = {0.8 / 3, 0.8 / 3, 0.8 / 3},
                .yields = {0.05, 0.1, 0.2},
                .apexes = {4.755021}},
    [tuned] = {.name = "hysteretic tuned",
               .law = pl_lawPenalty,
               .wall = pl_wallHysteretic,
               .shares = {0.34, 0.20, 0.36},
               .yields = {0.42, 0.05, 0.02}},
    [pulse] = {.name = "pulse", .law = pl_lawImpulse, .wall = pl_wallHold},
    [third] = {.name = "pulse e = 0.3",
               .law = pl_lawImpulse,
               .wall = pl_wallHold,
               .apexes = {1.712283, 0.102960},
               .e = 0.3},
    [limited] = {.name = "pulse 15 N",
                 .law = pl_lawImpulse,
                 .wall = pl_wallHold,
                 .apexes = {0.581080},
                 .limit = 7.5},
};

enum { steps = 2000 };
static const double push = -0.4, start = 0.0203; // [N], [m]
static const double least = 0.5;                 // of what counts as motion, as in figure 6 [mm]

// --------------------------------------------------------------------------------------- runs

typedef struct {
    double* x; ///< by time [mm]
    double apexes[3];
    int count;
    double depth;     ///< deepest [mm]
    double highest;   ///< after the first contact [mm]
    double low, high; ///< in the last second [mm]
    double settled;   ///< from the first contact until it stays within `least` of its place [s]
    double created;   ///< by the wall, as a share of sum K ds^2/2
    double residual;  ///< largest of a step [J]
} Curve;

static plSurface surfaceOf(const Case* c)
{
    plSurface s = plDefaultSurface();
    s.friction = 0;
    s.wall = c->wall;
    s.integral = c->integral;
    s.restitution = c->e;
    for (int i = 0; i < 3 && c->shares[i] > 0; ++i) {
        s.blockShares[i] = c->shares[i];
        s.blockDepths[i] = c->yields[i] / (c->shares[i] * 1000); // of 1000 N/m on a corner
    }
    return s;
}

static void measure(Curve* c, int k, double before, double after)
{
    const double* x = c->x;
    const bool apex = before > 0 && after <= 0;
    if (apex && c->count < 3) c->apexes[c->count++] = fmax(x[k - 1], x[k]);
    c->depth = fmax(c->depth, -x[k]);
    if (c->depth > 0) c->highest = fmax(c->highest, x[k]);
    if (k <= steps - 500) return;
    c->low = fmin(c->low, x[k]);
    c->high = fmax(c->high, x[k]);
}

/// The place is the mean of the last second.
static void findRest(Curve* c)
{
    double mean = 0;
    int first = 0, last;
    for (int k = steps - 499; k <= steps; ++k) mean += c->x[k] / 500;
    while (first < steps && c->x[first] >= 0) ++first;
    last = first;
    for (int k = first; k <= steps; ++k)
        if (fabs(c->x[k] - mean) > least) last = k;
    c->settled = (last - first) / 500.;
}

static bool follow(plFigureJob* job, const Case* c, Curve* curve)
{
    // The midpoint's mass is exact under a force that is held.
    const plPlanarPegDef def = {c->law,  pl_integratorMidpoint, surfaceOf(c), start, 0, false,
                                c->limit};
    double bound = 0;
    plFigureRun run;
    *curve = (Curve){.x = plFigureJob_Column(job, steps + 1, "%s", c->name),
                     .highest = -INFINITY,
                     .low = INFINITY,
                     .high = -INFINITY};
    plFigureJob_Progress(job, c->name);
    if (!curve->x || !plPlanarPeg_Open(job, &def, &run)) return false;
    curve->x[0] = 1e3 * start;
    for (int k = 1; k <= steps; ++k) {
        const double x = plPlanarPeg_Place(&run), v = plPlanarPeg_Velocity(&run);
        plPlanarPeg_Step(&run, push);
        curve->x[k] = 1e3 * plPlanarPeg_Place(&run);
        const double ds = plPlanarPeg_Place(&run) - x;
        if (fmin(x, x + ds) < 0) bound += 1000 * ds * ds; // of two corners
        measure(curve, k, v, plPlanarPeg_Velocity(&run));
    }
    findRest(curve);
    const plAccount a = plWorld_ContactLedger(run.world);
    curve->created = (a.integrator + a.leak) / bound;
    curve->residual = plWorld_Ledger(run.world).worst;
    plFigureRun_Close(&run);
    return true;
}

// ------------------------------------------------------------------------------------- claims

/// Of energies, by heights.
static double ratio(const Curve* c) { return c->count ? c->apexes[0] / (1e3 * start) : 0; }

static double sway(const Curve* c) { return c->high - c->low; }

static double tableError(const Curve* curves)
{
    double worst = 0;
    for (int i = 0; i < caseCount; ++i)
        for (int k = 0; k < 3 && cases[i].apexes[k] > 0; ++k)
            worst = fmax(worst, fabs(curves[i].apexes[k] - cases[i].apexes[k]));
    return worst;
}

static int disorder(const Curve* curves)
{
    static const int order[] = {integralHold, hold,   integralEstimate, estimate,
                                weak,         blocks, limited,          pulse};
    int wrong = 0;
    for (int i = 1; i < PL_COUNT(order); ++i)
        wrong += !(ratio(&curves[order[i]]) < ratio(&curves[order[i - 1]]));
    return wrong;
}

/// Walls without a pulse, tuned blocks among them, that are at rest as soon as the pulse wall, and the
/// soonest of them [s].
static int rivals(const Curve* curves, double* soonest)
{
    int count = 0;
    *soonest = INFINITY;
    for (int i = 0; i < pulse; ++i) {
        count += !(curves[i].settled > curves[pulse].settled);
        *soonest = fmin(*soonest, curves[i].settled);
    }
    return count;
}

static void claimHeld(plFigureJob* job, const Curve* curves)
{
    const double wT = sqrt(1000) / 500, residual = curves[hold].residual;
    plFigureJob_Check(
        job, "table", tableError(curves), plAtMost(1e-6),
        "Heights of the bounces are those of the scalar scheme of an exact mass under "
        "held forces: largest difference [mm]");
    plFigureJob_Check(
        job, "order", disorder(curves), plAtMost(0),
        "PI and held spring, held spring, PI and estimate, estimate, weak blocks, "
        "blocks, pulse of 15 N, pulse: each bounces less than the one before (exceptions)");
    plFigureJob_Check(job, "hold-active", ratio(&curves[hold]), plBetween(1.10, 1.13),
                      "A held spring is active: energy after the first bounce over that before it");
    plFigureJob_Check(
        job, "hold-theory", ratio(&curves[hold]) / exp(PL_PI * wT / 2), plWithin(1, 0.011),
        "That ratio over exp(pi w T/2), w T = %.4f; the rest is the sag under the push", wT);
    plFigureJob_Check(
        job, "hold-ledger", curves[hold].created, plBetween(0.9, 1),
        "What the ledger says that the held spring created, as a share of sum K ds^2/2");
    plFigureJob_Check(job, "residual", residual, plAtMost(1e-15),
                      "Residual of the ledger in any step [J]");
}

static void claimOthers(plFigureJob* job, const Curve* curves)
{
    double soonest;
    const int count = rivals(curves, &soonest);
    plFigureJob_Claim(
        job, "estimate-passive", ratio(&curves[estimate]), plBetween(0.99, 1),
        "\"The SEH marginally passivates a pure stiffness\": energy ratio of the first bounce");
    plFigureJob_Claim(job, "integral-active", ratio(&curves[integralEstimate]), plAtLeast(1.001),
                      "\"It may or may not passivate a PI wall\": not with Ki = 0.5 K/s: energy "
                      "ratio of the first bounce");
    plFigureJob_Claim(job, "integral-passive", ratio(&curves[little]), plAtMost(1),
                      "it does with Ki = 0.003 K/s (threshold 0.0038 K/s, over 200 phases)");
    plFigureJob_Check(job, "blocks-lose", ratio(&curves[blocks]), plAtMost(0.30),
                      "The hysteretic wall loses most of the energy in the first bounce (ratio)");
    plFigureJob_Claim(
        job, "pulse-stops", count, plAtMost(0),
        "\"Most effective in achieving contact stability, is the wall with pulse\": walls, tuned "
        "blocks too, at rest within 0.5 mm as soon as it: %.2f s after the first contact (the "
        "soonest: %.2f s)",
        curves[pulse].settled, soonest);
    plFigureJob_Claim(job, "blocks-follow", curves[tuned].depth / curves[pulse].depth,
                      plAtMost(1.5),
                      "\"The hysteretic wall can closely follow its performance by an appropriate "
                      "choice of parameters\": depth of tuned blocks over that of the pulse wall");
    plFigureJob_Differs(job, plAtLeast(5),
                        "Blocks that are tuned do not bounce and come to rest as the pulse wall "
                        "does, but only after a depth of twice that of the held spring.");
    plFigureJob_Check(job, "pulse-highest", curves[pulse].highest, plAtMost(0.05),
                      "With the pulse the peg does not bounce: highest place after the first "
                      "contact [mm]");
    plFigureJob_Check(job, "blocks-stop", curves[tuned].highest, plAtMost(0.05),
                      "nor with tuned blocks [mm]");
    plFigureJob_Check(
        job, "blocks-sway", sway(&curves[tuned]) / sway(&curves[pulse]), plAtMost(1),
        "And sways no more in the wall than behind the pulse, %.2f mm: share of it, in the "
        "last second",
        sway(&curves[pulse]));
    plFigureJob_Check(job, "blocks-price", curves[tuned].depth / curves[hold].depth,
                      plBetween(1.7, 2.1),
                      "But it yields: its depth over that of the held spring (that of the pulse: "
                      "%.2f)",
                      curves[pulse].depth / curves[hold].depth);
}

static bool make(plFigureJob* job)
{
    Curve curves[caseCount];
    double* t = plFigureJob_Column(job, steps + 1, "time");
    if (!t) return false;
    for (int k = 0; k <= steps; ++k) t[k] = k / 500.;
    for (int i = 0; i < caseCount; ++i)
        if (!follow(job, &cases[i], &curves[i])) return false;
    claimHeld(job, curves);
    claimOthers(job, curves);
    return true;
}

static const char script[] =
    "set multiplot\n"
    "set tmargin at screen 0.93\n"
    "set bmargin at screen 0.13\n"
    "set xrange [0:4]\n"
    "set xtics 1\n"
    "set yrange [-8:52]\n"
    "set ytics 10\n"
    "set xlabel 'time [s]' offset 0,0.4\n"
    "set ylabel 'distance to the wall [mm]' offset 0.8,0\n"
    "set arrow 1 from 0,0 to 4,0 nohead ls 9 dt 2\n"
    "set key at graph 0.98,0.98 right top Left reverse\n"
    "set lmargin at screen 0.07\n"
    "set rmargin at screen 0.49\n"
    "set label 1 'active, or nearly' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using 'time':(column('PI hold')) with lines ls 5 title 'PI, held', \\\n"
    "     '' using 'time':(column('hold')) with lines ls 2 title 'spring, held', \\\n"
    "     '' using 'time':(column('PI estimate')) with lines ls 3 title 'PI, estimated', \\\n"
    "     '' using 'time':(column('estimate')) with lines ls 1 title 'spring, estimated'\n"
    "set lmargin at screen 0.57\n"
    "set rmargin at screen 0.985\n"
    "set yrange [-8:36]\n"
    "set label 1 'passive'\n"
    "plot csv using 'time':(column('estimate')) with lines ls 1 title 'spring, estimated', \\\n"
    "     '' using 'time':(column('hysteretic weak')) with lines ls 3 title 'weak blocks', \\\n"
    "     '' using 'time':(column('hysteretic')) with lines ls 2 title 'blocks', \\\n"
    "     '' using 'time':(column('hysteretic tuned')) with lines ls 5 title 'blocks, tuned', \\\n"
    "     '' using 'time':(column('pulse')) with lines ls 4 title 'pulse'\n"
    "unset multiplot\n";

const plFigure plFigurePlanar4 = {
    .id = "planar-4",
    .title = "A peg against virtual walls",
    .caption = "A peg is pushed by a constant force into walls without damping. A spring that is "
               "sampled and held bounces it ever higher, an integral of depth higher still; the "
               "estimate of the mean depth is passive by a hair. Springs that drag blocks lose "
               "energy, all of it with the right ones, and so does a collision in front of the "
               "spring, which stays less deep.",
    .parameters =
        "m = 2 kg, two corners of K = 1000 N/m each, 500 Hz, 0.4 N, from 20.3 mm; exact mass "
        "(midpoint). Ki = 0.5 K/s. Blocks: shares 0.8/3, yields 0.05, 0.1, 0.2 N; weak: shares "
        "0.2, 0.2, 0.1; tuned: shares 0.34, 0.2, 0.36, yields 0.42, 0.05, 0.02 N. Pulse: law "
        "impulse, e = 0.",
    .width = 960,
    .height = 460,
    .script = script,
    .make = make,
};
