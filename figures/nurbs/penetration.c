// How deep a finger gets before it is answered, by multipliers and by a stiff wall.   (nurbs spec 3.5, S1)
#include "base/base.h"
#include "math/math.h"
#include "nurbs/lever.h"
#include "nurbs/nurbs.h"

#include <stdio.h>
#include <stdlib.h>

enum { speedCount = 7, phases = 24 };
static const double T = 1e-3;
static const double speeds[speedCount] = {1e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 200e-3};
// of an independent implementation [m]
static const double walls[speedCount] = {9.9e-6, 4.9e-5, 9.9e-5, 2.0e-4, 4.9e-4, 9.9e-4, 2.0e-3};

typedef struct {
    double least, middle, most; ///< of the phases [m]
    double impulse, force;      ///< of the last phase
    int ticks;                  ///< most
} Spread;

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static bool spread(plFigureJob* job, const plLeverDef* def, double speed, Spread* out)
{
    double depth[phases];
    plLeverImpact impact;
    *out = (Spread){0};
    for (int i = 0; i < phases; ++i) {
        const double touch = (5 + (i + 0.5) / phases) * T;
        if (!plLever_Impact(def, plVec(0, 0, speed), touch, &impact)) {
            snprintf(job->message, sizeof job->message, "no lever");
            return false;
        }
        depth[i] = impact.depth;
        out->impulse = plNorm(impact.impulse);
        out->force = fmax(out->force, impact.force);
        if (impact.ticks > out->ticks) out->ticks = impact.ticks;
    }
    qsort(depth, phases, sizeof *depth, compare);
    out->least = depth[0], out->most = depth[phases - 1];
    out->middle = (depth[phases / 2 - 1] + depth[phases / 2]) / 2;
    return true;
}

/// The normal there is not quite vertical: the finger comes with this share of its speed.
static const double along = 0.99925;

static bool make(plFigureJob* job)
{
    plLeverDef impact = plDefaultLeverDef(pl_lawMultiplier),
               wall = plDefaultLeverDef(pl_lawPenalty);
    plLeverDef ahead = impact;
    Spread j[speedCount], s[speedCount], a[speedCount];
    const char* names[] = {"speed", "impact least", "impact", "impact most", "wall", "ahead"};
    double* column[6];
    impact.restitution = ahead.restitution = 0.5;
    ahead.reach = 1e-3;
    for (int i = 0; i < 6; ++i) {
        column[i] = plFigureJob_Column(job, speedCount, "%s", names[i]);
        if (!column[i]) return false;
    }
    double most = 0, impulse = 0, off = 0, ratio = INFINITY, deepest = 0;
    for (int i = 0; i < speedCount; ++i) {
        plFigureJob_Progress(job, "speeds");
        if (!spread(job, &impact, speeds[i], &j[i]) || !spread(job, &wall, speeds[i], &s[i]) ||
            !spread(job, &ahead, speeds[i], &a[i]))
            return false;
        const double row[6] = {1e3 * speeds[i], 1e3 * j[i].least,  1e3 * j[i].middle,
                               1e3 * j[i].most, 1e3 * s[i].middle, 1e3 * a[i].most};
        for (int k = 0; k < 6; ++k) column[k][i] = row[k];
        most = fmax(most, j[i].most / (speeds[i] * T));
        const double expected = 1.5 * plLeverMass * along * speeds[i];
        impulse = fmax(impulse, fabs(j[i].impulse / expected - 1));
        off = fmax(off, fabs(s[i].middle / walls[i] - 1));
        ratio = fmin(ratio, s[i].middle / j[i].middle);
        deepest = fmax(deepest, a[i].most);
    }
    plFigureJob_Check(job, "bound", most, plAtMost(1.001),
                      "No impact is met later than one tick: deepest over speed times tick");
    plFigureJob_Check(job, "impulse", impulse, plAtMost(1e-3),
                      "The impulse is (1 + e) m v for every speed: largest relative error");
    plFigureJob_Claim(job, "ratio", ratio, plAtLeast(1),
                      "\"The stiffness method produced greater penetrations\": least ratio of the "
                      "medians, speeds of 1 to 200 mm/s");
    plFigureJob_Check(job, "ratio-wall", ratio, plAtLeast(15),
                      "A wall of 2000 N/m is deeper by 2 sqrt(m/k)/T = 19: the same ratio");
    plFigureJob_Check(
        job, "wall", off, plAtMost(0.02),
        "Depths of the wall against an independent implementation: largest relative error");
    plFigureJob_Claim(
        job, "paper-impact", 1e3 * j[2].most, plBetween(1e-4, 1e-2),
        "\"The amount of penetration was on the order of 1e-2 to 1e-4 mm, for typical user hand "
        "motions\", whose speed is not printed: deepest at 10 mm/s [mm]");
    plFigureJob_Claim(
        job, "paper-wall", 1e3 * s[2].middle, plBetween(1e-2, 1e-1),
        "and of the stiffness method \"from 1e-1 to 1e-2 mm\": median at 10 mm/s [mm]");
    plFigureJob_Claim(job, "fast", 1e3 * j[6].middle, plBetween(1e-4, 1e-2),
                      "The same of impacts at 200 mm/s: median [mm]");
    plFigureJob_Differs(job, plAtLeast(0.09),
                        "At 1 kHz an impact is met up to speed times 1 ms deep, so that above 10 "
                        "mm/s it is deeper than printed.");
    plFigureJob_Check(job, "ahead", deepest, plAtMost(1e-9),
                      "Triggered one tick ahead, nothing that comes at a constant speed gets in: "
                      "deepest [m]");
    plFigureJob_Claim(job, "ticks", j[3].ticks, plWithin(1, 0),
                      "The stiffness method takes \"multiple cycles\", the surface Jacobian one: "
                      "ticks of an impact");
    return true;
}

// clang-format off
static const char script[] =
    "set logscale xy\n"
    "set xlabel 'speed of the finger [mm/s]' offset 0,0.5\n"
    "set ylabel 'depth [mm]' offset 1,0\n"
    "set xrange [0.8:250]\n"
    "set yrange [5e-5:5]\n"
    "set format y '10^{%L}'\n"
    "set key at graph 0.03,0.97 left top Left reverse\n"
    "set object 1 rect from 0.8,1e-4 to 250,1e-2 fs solid 0.08 noborder fc rgb '#2a78d6' behind\n"
    "set object 2 rect from 0.8,1e-2 to 250,1e-1 fs solid 0.08 noborder fc rgb '#d9622b' behind\n"
    "set label 1 'as printed: walls' at 0.9,6e-2 left textcolor rgb '#555555'\n"
    "set label 2 'as printed: impacts' at 14,1.6e-4 left textcolor rgb '#555555'\n"
    "plot csv using 'speed':'wall' with linespoints ls 2 pt 6 title 'wall of 2000 N/m', \\\n"
    "     '' using 'speed':'impact':'impact least':'impact most' with yerrorlines ls 1 pt 7 ps 0.7 title 'impact by a multiplier: median and range of 24 phases'\n";
// clang-format on

const plFigure plFigureNurbsPenetration = {
    .id = "nurbs-penetration",
    .title = "Penetration against speed",
    .caption =
        "How deep a finger is when it is answered, for both methods. An impact is met at most one "
        "tick late, so its depth is at most speed times tick; a wall needs depth to push.",
    .parameters =
        "lever as in nurbs-1; constant speed, 24 phases of the touch within a tick; 1 kHz; "
        "multiplier: e = 0.5; wall: 2000 N/m, no damper",
    .width = 760,
    .height = 480,
    .script = script,
    .make = make,
    .isLong = true};
