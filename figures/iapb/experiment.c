// iapb figures 12 and 13: the experiment with the device, what it claims, and how it is drawn.
#include "iapb/experiment.h"
#include "iapb/iapb.h"
#include "iapb/peg.h"
#include "iapb/peg_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    plExperimentTrack printed[pl_experimentCount]; ///< walls of 50 N s/m
    plExperimentTrack weak[pl_experimentCount];    ///< of 10 N s/m
    plExperimentTrack other;
} Runs;

enum { full = pl_experimentFull, spread = pl_experimentSpread, penalty = pl_experimentPenalty };

static plExperiment weakWalls(void)
{
    plExperiment e = plExperimentPrinted;
    e.damping = 10;
    return e;
}

static bool followBoth(plFigureJob* job, Runs* r)
{
    const plExperiment weak = weakWalls();
    for (plExperimentMethod m = pl_experimentFull; m < pl_experimentCount; ++m) {
        plFigureJob_Progress(job, plExperimentNames[m]);
        if (!plExperiment_Follow(job, &plExperimentPrinted, m, &r->printed[m]) ||
            !plExperiment_Follow(job, &weak, m, &r->weak[m])) {
            return false;
        }
    }
    return true;
}

// -------------------------------------------------------------------------- claims of figure 12

static double bouncesOf(const plExperimentTrack* t) { return plExperiment_Bounces(t); }

/// With the printed walls nobody bounces, whatever the loop adds: encoders, observer, delay.
static bool claimPrintedWalls(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    double bounces[pl_experimentCount] = {0};
    for (e.delay = 0; e.delay <= 4; e.delay += 2) {
        for (plExperimentMethod m = pl_experimentFull; m < pl_experimentCount; ++m) {
            if (!plExperiment_Follow(job, &e, m, &r->other)) return false;
            bounces[m] += bouncesOf(&r->other);
        }
    }
    plFigureJob_Claim(
        job, "bounces", bounces[penalty] - bounces[full], plAtLeast(1),
        "\"The peg bounces less when collision impulses are applied\", walls of 50 N "
        "s/m: bounces of penalty less those of full, with delays of 0, 2 and 4 ticks");
    plFigureJob_Differs(
        job, plWithin(0, 0),
        "No method bounces off walls of 50 N s/m, which damp two corners of 2 kg by "
        "0.8 of the critical; encoders, observer and delay do not change that.");
    return true;
}

/// It shows as soon as the walls damp less.
static bool claimWeakWalls(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    e.damping = 25;
    if (!plExperiment_Follow(job, &e, pl_experimentPenalty, &r->other)) return false;
    plFigureJob_Check(job, "bounces-25", bouncesOf(&r->other), plAtLeast(2),
                      "It bounces less when the walls damp less: bounces of penalty with 25 N s/m");
    plFigureJob_Check(job, "bounces-10", bouncesOf(&r->weak[penalty]), plAtLeast(5),
                      "and with 10 N s/m");
    plFigureJob_Check(job, "bounces-impulses",
                      bouncesOf(&r->weak[full]) + bouncesOf(&r->weak[spread]), plWithin(0, 0),
                      "where full and spread do not bounce");
    return true;
}

/// A controller that is late: 16 ms.
static bool claimDelay(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    double bounces[2];
    e.delay = 8;
    if (!plExperiment_Follow(job, &e, pl_experimentFull, &r->other)) return false;
    bounces[0] = bouncesOf(&r->other);
    if (!plExperiment_Follow(job, &e, pl_experimentPenalty, &r->other)) return false;
    bounces[1] = bouncesOf(&r->other);
    plFigureJob_Check(job, "bounces-late", bounces[0] - bounces[1], plAtLeast(1),
                      "It turns round when torques come 8 ticks late, as an impulse that is late "
                      "throws the hand back: bounces of full less those of penalty");
    return true;
}

static double settlingRatio(const plExperimentTrack* t, int m, double near)
{
    return plExperiment_Settling(&t[m], near) / plExperiment_Settling(&t[penalty], near);
}

static void claimSettling(plFigureJob* job, const Runs* r)
{
    const double near = 0.5e-3;
    plFigureJob_Claim(
        job, "settling-full", settlingRatio(r->printed, full, near), plAtMost(1),
        "\"The peg settles into the corner faster\": time of full until the hand stays "
        "within 0.5 mm, over that of penalty (%.3f s)",
        plExperiment_Settling(&r->printed[penalty], near));
    plFigureJob_Claim(job, "settling-spread", settlingRatio(r->printed, spread, near), plAtMost(1),
                      "and of limited impulses, spread");
    plFigureJob_Check(job, "settling-full-10", settlingRatio(r->weak, full, near), plAtMost(0.1),
                      "The same with walls of 10 N s/m, full");
    plFigureJob_Check(job, "settling-spread-10", settlingRatio(r->weak, spread, near),
                      plAtMost(0.15), "and spread");
}

/// What is left is no matter of walls.
static void claimCreep(plFigureJob* job, const plExperimentTrack* t)
{
    const double near = 0.1e-3;
    plFigureJob_Claim(
        job, "settling-fine",
        plExperiment_Settling(&t[full], near) / plExperiment_Settling(&t[penalty], near),
        plAtMost(0.9), "The same until it stays within 0.1 mm: time of full over that of penalty");
    plFigureJob_Differs(job, plBetween(0.9, 1.1),
                        "Device and peg creep the last tenths of a millimetre together, by the "
                        "controller's B/K = 0.7 s, whatever the walls did.");
}

static void claimBetween(plFigureJob* job, const plExperimentTrack* t)
{
    const double depth[3] = {plExperiment_Depth(&t[full]), plExperiment_Depth(&t[spread]),
                             plExperiment_Depth(&t[penalty])};
    plFigureJob_Check(job, "depth-full", depth[0] / depth[2], plAtMost(0.35),
                      "Depth of the hand's corner, full over penalty (%.2f mm)", 1e3 * depth[2]);
    plFigureJob_Claim(job, "depth-spread", (depth[1] - depth[0]) / (depth[2] - depth[0]),
                      plBetween(0, 1),
                      "\"The performance decreases when collision impulses are applied over "
                      "several steps\": depth of spread between that of full (0) and penalty (1)");
}

static bool judgePaths(plFigureJob* job, Runs* r)
{
    if (!claimPrintedWalls(job, r) || !claimWeakWalls(job, r) || !claimDelay(job, r)) return false;
    claimSettling(job, r);
    claimCreep(job, r->printed);
    claimBetween(job, r->printed);
    return true;
}

// -------------------------------------------------------------------------- claims of figure 13

static void claimForces(plFigureJob* job, const plExperimentTrack* t)
{
    const double penaltyForce = plExperiment_PeakForce(&t[penalty]);
    plFigureJob_Claim(
        job, "larger", plExperiment_PeakForce(&t[full]) / penaltyForce, plAtLeast(5),
        "\"The large impulses upon collision\": peak of full over that of penalty (%.1f N)",
        penaltyForce);
    plFigureJob_Claim(
        job, "limited-larger", plExperiment_PeakForce(&t[spread]) / penaltyForce, plAtLeast(3),
        "\"Though limited, the impulsive forces are much larger than the penalty-based contact "
        "forces\", three times at least: peak of spread over it");
    plFigureJob_Differs(job, plBetween(1.2, 2), "The limit is 15 N, and penalty itself gives 10.");
    plFigureJob_Claim(
        job, "torque", plExperiment_Peak(t[full].torque) / plExperiment_Peak(t[penalty].torque),
        plAtLeast(5),
        "\"Forces and torques applied to the device\": torque of full over that of penalty");
    plFigureJob_Check(job, "limited-torque",
                      plExperiment_Peak(t[spread].torque) / plExperiment_Peak(t[penalty].torque),
                      plAtLeast(1), "and spread");
    plFigureJob_Check(job, "limit", plExperiment_PeakForce(&t[spread]), plAtMost(15.2),
                      "Spread keeps to 15 N but for the spring between device and peg, which feels "
                      "the encoders' steps [N]");
}

static void claimMotors(plFigureJob* job, const plExperimentTrack* t)
{
    double most = 0, cut = 0, border = 0;
    for (int m = 0; m < pl_experimentCount; ++m) {
        most = fmax(most, plExperiment_Peak(t[m].motor));
        cut += t[m].cut;
        border += t[m].stops + t[m].lost;
    }
    plFigureJob_Check(job, "motors", most, plAtMost(3.2),
                      "The motors stay within 3.2 N m. They give but the mechanism's share of an "
                      "impulse, M/M_d = 0.19: the rest is inertia that is not there [N m]");
    plFigureJob_Check(job, "never", cut + border, plWithin(0, 0),
                      "Ticks in which torques were cut, a stop was met or a pose was lost");
}

/// What a limit that nobody knows of does.
static bool claimWeakMotors(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    e.torqueLimit = 0.3;
    if (!plExperiment_Follow(job, &e, pl_experimentFull, &r->other)) return false;
    plFigureJob_Check(job, "weak-motors", plExperiment_Peak(r->other.motor), plWithin(0.3, 1e-12),
                      "Motors of 0.3 N m keep to it, too: full [N m]");
    plFigureJob_Check(job, "weak-depth",
                      plExperiment_Depth(&r->other) / plExperiment_Depth(&r->printed[spread]),
                      plAtLeast(1.5),
                      "but the peg stops and the hand goes on: depth over that of spread, which "
                      "these motors could give");
    plFigureJob_Check(job, "weak-settling",
                      plExperiment_Settling(&r->other, 5e-4) /
                          plExperiment_Settling(&r->printed[spread], 5e-4),
                      plAtLeast(3), "and time until it stays within 0.5 mm");
    return true;
}

static bool claimObserver(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    double worst = 0;
    for (int m = 0; m < pl_experimentCount; ++m) {
        worst = fmax(worst, plExperiment_ObserverError(&r->printed[m]));
    }
    plFigureJob_Check(job, "observer", worst, plAtMost(0.03),
                      "The observed force of the hand, with encoders of 20000 counts: rms error "
                      "through all collisions, largest of three [N]");
    e.disturbance = true;
    if (!plExperiment_Follow(job, &e, pl_experimentSpread, &r->other)) return false;
    plFigureJob_Check(job, "observer-dob", plExperiment_ObserverError(&r->other), plAtMost(0.015),
                      "and of the disturbance observer [N]");
    return true;
}

/// The device without the inertia of the peg.                                    (iapb spec 0.10)
static bool claimBare(plFigureJob* job, Runs* r)
{
    plExperiment e = plExperimentPrinted;
    e.bare = true;
    if (!plExperiment_Follow(job, &e, pl_experimentFull, &r->other)) return false;
    plFigureJob_Check(job, "bare", plExperiment_Rebound(&r->other), plAtLeast(1),
                      "A device that stays as light as it is, 0.37 kg for a peg of 2 kg, is thrown "
                      "back by full impulses: its energy off the wall over that before, though the "
                      "motors cut them");
    plFigureJob_Check(job, "bare-bounces", bouncesOf(&r->other), plAtLeast(2), "it bounces");
    plFigureJob_Check(job, "shaped", plExperiment_Rebound(&r->printed[full]), plAtMost(0.01),
                      "and with the peg's inertia it is not");
    return true;
}

static bool judgeForces(plFigureJob* job, Runs* r)
{
    claimForces(job, r->printed);
    claimMotors(job, r->printed);
    return claimWeakMotors(job, r) && claimObserver(job, r) && claimBare(job, r);
}

// -------------------------------------------------------------------------------------- tables

static bool addColumn(plFigureJob* job, const char* what, const char* name, double factor,
                      const double* values)
{
    double* column = plFigureJob_Column(job, plExperimentShown, "%s %s", what, name);
    for (int k = 0; column && k < plExperimentShown; ++k) column[k] = factor * values[k];
    return column != NULL;
}

static bool addTime(plFigureJob* job)
{
    double* t = plFigureJob_Column(job, plExperimentShown, "time");
    for (int k = 0; t && k < plExperimentShown; ++k) t[k] = (k + 1) * plPegStep;
    return t != NULL;
}

static bool addPaths(plFigureJob* job, const Runs* r)
{
    for (int m = 0; m < pl_experimentCount; ++m) {
        const char* name = plExperimentNames[m];
        if (!addColumn(job, "x 50", name, 1e3, r->printed[m].gap[0]) ||
            !addColumn(job, "y 50", name, 1e3, r->printed[m].gap[1]) ||
            !addColumn(job, "x 10", name, 1e3, r->weak[m].gap[0]) ||
            !addColumn(job, "y 10", name, 1e3, r->weak[m].gap[1])) {
            return false;
        }
    }
    return true;
}

static bool addForces(plFigureJob* job, const Runs* r)
{
    const plExperimentTrack* seen = &r->printed[spread];
    for (int m = 0; m < pl_experimentCount; ++m) {
        const plExperimentTrack* t = &r->printed[m];
        const char* name = plExperimentNames[m];
        if (!addColumn(job, "fx", name, 1, t->force[0]) ||
            !addColumn(job, "fy", name, 1, t->force[1]) ||
            !addColumn(job, "torque", name, 1, t->torque) ||
            !addColumn(job, "motor", name, 1, t->motor)) {
            return false;
        }
    }
    return addColumn(job, "hand", "x", 1, seen->hand[0]) &&
           addColumn(job, "hand", "y", 1, seen->hand[1]);
}

static bool make(plFigureJob* job, bool (*table)(plFigureJob*, const Runs*),
                 bool (*judge)(plFigureJob*, Runs*))
{
    Runs* r = calloc(1, sizeof *r);
    if (!r) snprintf(job->message, sizeof job->message, "no memory for the runs of a peg");
    const bool good = r && followBoth(job, r) && addTime(job) && table(job, r) && judge(job, r);
    free(r);
    return good;
}

static bool make12(plFigureJob* job) { return make(job, addPaths, judgePaths); }
static bool make13(plFigureJob* job) { return make(job, addForces, judgeForces); }

// ------------------------------------------------------------------------------------ drawings

// clang-format off
#define METHODS                                                       \
    PL_PEG_LOOKS                                                      \
    "n = 3\n"                                                         \
    "array key[3] = ['penalty', 'spread', 'full']\n"                  \
    "array name[3] = ['penalty', 'impulses, spread', 'impulses, full']\n" \
    "array look[3] = [17, 13, 12]\n"

// Gaps to both walls; printed walls on the left, weaker ones on the right.
static const char pathScript[] = METHODS
    "set multiplot\n"
    "array wall[2] = ['x', 'y']\n"
    "array walls[2] = ['50', '10']\n"
    "set xrange [0.4:1.6]\n"
    "set xtics 0.2\n"
    "set object 1 rectangle from graph 0, graph 0 to graph 1, first 0 fc rgb '#F4F1EC' fs solid noborder behind\n"
    "do for [i=1:2] { do for [j=1:2] {\n"
    "  set lmargin at screen (i == 1 ? 0.07 : 0.565)\n"
    "  set rmargin at screen (i == 1 ? 0.49 : 0.985)\n"
    "  set tmargin at screen (j == 1 ? 0.93 : 0.47)\n"
    "  set bmargin at screen (j == 1 ? 0.57 : 0.11)\n"
    "  if (i == 1) { set yrange [-2.4:1.6]; set ytics 1 } else { set yrange [-4:10]; set ytics 2 }\n"
    "  if (i == 1) { set ylabel 'gap [mm]' offset 0.8,0 } else { unset ylabel }\n"
    "  if (j == 1) { set format x ''; unset xlabel } else { set format x '%g'; set xlabel 'time [s]' offset 0,0.5 }\n"
    "  if (i == 1 && j == 1) { set key at graph 0.98,0.97 right top Left reverse } else { unset key }\n"
    "  set label 1 'hand and wall '.wall[j].', walls of '.walls[i].' N s/m' at graph 0,1.0 left offset 0,0.7\n"
    "  set label 2 'in the wall' at graph 0.985, graph 0.06 right textcolor rgb '#888070'\n"
    "  plot for [k=1:n] csv using 'time':(column(wall[j].' '.walls[i].' '.key[k])) with lines ls look[k] title name[k]\n"
    "} }\n"
    "unset multiplot\n";

// Above what is written to the device, below what the motors give and what the observer sees.
static const char forceScript[] = METHODS
    "set multiplot\n"
    "set style line 11 lc rgb '#555555' lw 1.2 dt 2\n"
    "array what[4] = ['fx', 'fy', 'torque', 'motor']\n"
    "array title[4] = ['force off wall x [N]', 'force off wall y [N]', 'torque [N m]', 'largest motor torque [N m]']\n"
    "do for [j=1:4] {\n"
    "  c = (j - 1) % 3\n"
    "  set lmargin at screen 0.05 + 0.33*c\n"
    "  set rmargin at screen 0.32 + 0.33*c\n"
    "  if (j == 4) { set xlabel 'time [s]' offset 0,0.5 }\n"
    "  set tmargin at screen (j < 4 ? 0.94 : 0.45)\n"
    "  set bmargin at screen (j < 4 ? 0.59 : 0.1)\n"
    "  set xrange [0.44:0.6]\n"
    "  set xtics 0.05\n"
    "  if (j < 3) { set yrange [-5:40]; set ytics 10 }\n"
    "  if (j == 3) { set yrange [-0.6:0.6]; set ytics 0.2 }\n"
    "  if (j == 4) { set yrange [0:0.4]; set ytics 0.1 }\n"
    "  set label 1 title[j] at graph 0,1.0 left offset 0,0.7\n"
    "  if (j == 1) { set key at graph 0.98,0.97 right top Left reverse } else { unset key }\n"
    "  plot for [k=1:n] csv using 'time':(column(what[j].' '.key[n + 1 - k])) with steps ls look[n + 1 - k] title name[n + 1 - k]\n"
    "}\n"
    "set lmargin at screen 0.38\n"
    "set rmargin at screen 0.98\n"
    "set xrange [0:1.6]\n"
    "set xtics 0.2\n"
    "set yrange [-0.6:0.6]\n"
    "set ytics 0.2\n"
    "set label 1 'force of the hand, as the observer sees it, spread [N]' at graph 0,1.0 left offset 0,0.7\n"
    "set key at graph 0.98,0.5 right center Left reverse\n"
    "plot csv using 'time':'hand x' with lines lc rgb '#56B4E9' lw 1.4 title 'along x', "
    "csv using 'time':'hand y' with lines lc rgb '#E69F00' lw 1.4 title 'along y', "
    "-0.32 with lines ls 11 title 'as it is', 0.4 with lines ls 11 notitle\n"
    "unset multiplot\n";
// clang-format on

#define LOOP                                                                                       \
    "Peg of 21 x 10.5 mm, 2 kg, 0.005 kg m^2, tilted by 0.035 rad and drifting; twin pantograph "  \
    "(preset large, disc of 3 cm around the middle of the way, encoders of 20000 counts, motors "  \
    "of "                                                                                          \
    "3.2 N m, mass 0.37 kg) with the peg's inertia by its controller; observer of Nicosia and "    \
    "Tomei, 15 Hz; hand (-0.32, 0.4) N; controller 100 N/m, 70 N s/m; walls 1000 N/m, e = 0; "     \
    "limits 15 N and 1 N m; T = 1/512 s"

const plFigure plFigureIapb12 = {
    .id = "iapb-12",
    .title = "A peg into a corner, with the device in the loop: hands",
    .caption = "The peg of figure 7 through a mechanism whose computer sees rounded angles and "
               "observes the hand's force. With the walls of the paper all methods stop without a "
               "bounce, the impulses sooner; with walls that damp a fifth, springs alone bounce, "
               "as the paper's experiment did, and impulses do not.",
    .parameters = LOOP ".",
    .width = 960,
    .height = 560,
    .script = pathScript,
    .make = make12,
};

const plFigure plFigureIapb13 = {
    .id = "iapb-13",
    .title = "A peg into a corner, with the device in the loop: forces",
    .caption =
        "What is written to the device (above; full impulses reach 107 N and 1.5 N m, out of "
        "the drawing), what its motors give (1.02 N m for full), and what the observer takes "
        "for the hand. The peg comes in tilted: its corners meet the walls one after the other.",
    .parameters = LOOP ", 50 N s/m.",
    .width = 960,
    .height = 560,
    .script = forceScript,
    .make = make13,
};
