// nurbs figure 1: one tap of a finger against the lever, by multipliers and by a stiff wall.
#include "base/base.h"
#include "math/math.h"
#include "nurbs/lever.h"
#include "nurbs/nurbs.h"

#include <stdio.h>

enum { ticks = 60 };
static const double T = 1e-3;
static const plVec3 velocity = {10e-3, 5e-3, 20e-3};

typedef struct {
    plVec3 impulse, largest; ///< sum [N s]; force of the largest tick [N]
    int count;
} Tap;

/// Columns "time NAME", "x NAME", ...: the force on the finger in each tick of the tap, and where it was.
static bool tap(plFigureJob* job, const char* name, const plLeverDef* def, Tap* out)
{
    const double touch = 10.5 * T;
    const plVec3 there = {0.15, 0, plLeverTouch};
    plPose pose = {plAddScaled(there, -touch, velocity), plLever_Turn()};
    const char* parts[] = {"time", "at x", "at z", "x", "y", "z"};
    double* column[6];
    plLever l;
    *out = (Tap){0};
    for (int i = 0; i < 6; ++i) {
        column[i] = plFigureJob_Column(job, ticks, "%s %s", parts[i], name);
        if (!column[i]) return false;
    }
    if (!plLever_Open(&l, def, pose)) {
        snprintf(job->message, sizeof job->message, "%s", l.message);
        return false;
    }
    for (int k = 0; k < ticks; ++k) {
        pose.p = plAddScaled(there, k * T - touch, velocity);
        const plVec3 f = plLever_Step(&l, pose, velocity, plVec(0, 0, 0), T).force;
        if (plNorm(f) == 0) continue;
        const double row[6] = {k * T, pose.p.x, pose.p.z, f.x, f.y, f.z};
        for (int i = 0; i < 6; ++i) column[i][out->count] = row[i];
        ++out->count;
        out->impulse = plAddScaled(out->impulse, T, f);
        if (plNorm(f) > plNorm(out->largest)) out->largest = f;
    }
    plLever_Close(&l);
    return true;
}

static double degrees(plVec3 a, plVec3 b)
{
    return atan2(plNorm(plCross(a, b)), plDot(a, b)) * 180 / PL_PI;
}

static bool make(plFigureJob* job)
{
    plLeverDef impact = plDefaultLeverDef(pl_lawMultiplier),
               wall = plDefaultLeverDef(pl_lawPenalty);
    Tap j, s;
    impact.restitution = 1;
    if (!tap(job, "impact", &impact, &j) || !tap(job, "wall", &wall, &s)) return false;
    plFigureJob_Check(job, "impact-ticks", j.count, plWithin(1, 0), "The impact takes one tick");
    plFigureJob_Claim(job, "wall-ticks", s.count, plAtLeast(2),
                      "\"The collision occurs over multiple cycles for the stiffness method\": "
                      "ticks in which the wall pushes");
    plFigureJob_Check(
        job, "impact-impulse", plNorm(j.impulse), plWithin(7.037e-3, 3.5e-5),
        "Impulse of the impact, e = 1 [N s]; an independent implementation has 0.007037, a "
        "little elsewhere on the lever");
    plFigureJob_Check(
        job, "wall-impulse", plNorm(s.impulse), plWithin(7.327e-3, 7e-5),
        "Impulse of the wall [N s]; 0.007327 there: a wall that is sampled gives 4 %% more "
        "than it got");
    plFigureJob_Claim(job, "direction", degrees(j.impulse, s.impulse), plAtMost(5),
                      "\"Similar force response vectors\": angle between the impulses [degrees]");
    plFigureJob_Claim(
        job, "lengths", plNorm(j.largest) / plNorm(s.largest), plBetween(0.5, 2),
        "The same of their lengths: largest force of the impact over that of the wall");
    plFigureJob_Differs(job, plBetween(10, 30),
                        "An impulse that is held for one tick is as many times larger as the wall "
                        "takes ticks for it; the impulses agree to 4 %%.");
    plFigureJob_Check(job, "force-impact", plNorm(j.largest), plWithin(7.04, 0.035),
                      "Largest force of the impact, held for a tick [N]");
    plFigureJob_Check(job, "force-wall", plNorm(s.largest), plWithin(0.39, 0.01),
                      "and of the wall [N]");
    return true;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set tmargin at screen 0.9\n"
    "set bmargin at screen 0.14\n"
    "set lmargin at screen 0.08\n"
    "set rmargin at screen 0.47\n"
    "set xlabel 'time [ms]' offset 0,0.5\n"
    "set ylabel 'force on the finger [N]' offset 1,0\n"
    "set logscale y\n"
    "set xrange [5:50]\n"
    "set yrange [0.02:20]\n"
    "set key at graph 0.97,0.95 right top\n"
    "set label 1 'a tap, tick by tick' at graph 0,1.0 left offset 0,0.7\n"
    "n(s) = sqrt(column('x '.s)**2 + column('y '.s)**2 + column('z '.s)**2)\n"
    "plot csv using (1e3*column('time wall')):(n('wall')) with points ls 2 pt 6 ps 0.8 title 'wall, 2000 N/m', \\\n"
    "     '' using (1e3*column('time impact')):(n('impact')) with points ls 1 pt 3 ps 1.6 lw 2 title 'impact by a multiplier'\n"
    "unset logscale\n"
    "set lmargin at screen 0.57\n"
    "set rmargin at screen 0.97\n"
    "set size ratio -1\n"
    "set xrange [-0.3:0.9]\n"
    "set yrange [-7.6:0.6]\n"
    "set size noratio\n"
    "set xlabel 'along the lever [N]' offset 0,0.5\n"
    "set ylabel 'down [N]' offset 1,0\n"
    "unset key\n"
    "set label 1 'force vectors on the finger; of the wall, times 10' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using (0):(0):(10*column('x wall')):(10*column('z wall')) with vectors head size 0.02,20 ls 2 lw 1, \\\n"
    "     '' using (0):(0):(column('x impact')):(column('z impact')) with vectors head size 0.03,20 ls 1 lw 2.5\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureNurbs1 = {
    .id = "nurbs-1",
    .title = "One tap: force vectors of an impact and of a wall",
    .caption =
        "A finger (an ellipsoid) taps the sculpted face of a hinged lever. The multiplier gives "
        "its "
        "impulse within one tick, the wall over 30. Direction and impulse agree; the forces of "
        "single ticks do not.",
    .parameters =
        "lever of 0.3 kg on a hinge, 0.18 kg where it is met; finger at (10, 5, 20) mm/s; 1 kHz; "
        "multiplier: e = 1; wall: 2000 N/m, no damper",
    .width = 980,
    .height = 420,
    .script = script,
    .make = make};
