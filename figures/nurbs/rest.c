// A lever that rests on a moving finger, by multipliers and by a stiff wall.        (nurbs spec 3.5, S2)
#include "base/base.h"
#include "nurbs/lever.h"
#include "nurbs/nurbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { caseCount = 5 };

typedef struct {
    const char* name;
    plLawName law;
    double e, rate, reach, stiffness, damping;
} Case;

static const Case cases[caseCount] = {
    {"bouncing", pl_lawMultiplier, 0.3, 0, 0, 0, 0}, {"plastic", pl_lawMultiplier, 0, 0.2, 0, 0, 0},
    {"ahead", pl_lawMultiplier, 0, 0.2, 1e-3, 0, 0}, {"sinking", pl_lawMultiplier, 0, 0, 0, 0, 0},
    {"wall", pl_lawPenalty, 0, 0, 0, 2000, 10},
};

static bool run(plFigureJob* job, const Case* c, plLeverRun* out)
{
    const plLeverWay way = plLeverWay_Rest();
    plLeverDef def = plDefaultLeverDef(c->law);
    def.gravity = 9.81;
    def.restitution = c->e;
    def.rate = c->rate;
    def.reach = c->reach;
    def.stiffness = c->stiffness;
    def.damping = c->damping;
    plFigureJob_Progress(job, c->name);
    if (plLever_Run(&def, &way, out)) return true;
    snprintf(job->message, sizeof job->message, "no lever");
    return false;
}

static bool addColumns(plFigureJob* job, const Case* c, const plLeverRun* r)
{
    double* depth = plFigureJob_Column(job, r->count, "depth %s", c->name);
    double* force = plFigureJob_Column(job, r->count, "force %s", c->name);
    for (int i = 0; depth && force && i < r->count; ++i) {
        // nothing is drawn where the surfaces are apart
        depth[i] = r->depth[i] > 0 ? 1e3 * r->depth[i] : (double)NAN;
        force[i] = -r->force[i];
    }
    return depth && force;
}

static void claim(plFigureJob* job, const plLeverRun* r)
{
    const plLeverRun *bouncing = &r[0], *plastic = &r[1], *ahead = &r[2], *sinking = &r[3],
                     *wall = &r[4];
    plFigureJob_Check(job, "first", 1e3 * bouncing->first, plWithin(0.083, 0.0005),
                      "Depth at the first touch, at 0.13 m/s [mm]");
    plFigureJob_Check(job, "bouncing", 1e3 * bouncing->middle, plWithin(4e-3, 4e-4),
                      "e = 0.3: median depth of what rests [mm]");
    plFigureJob_Check(job, "bouncing-most", 1e3 * bouncing->most, plAtMost(2.5e-2),
                      "and the deepest [mm]");
    plFigureJob_Check(job, "plastic-most", 1e3 * plastic->most, plWithin(7.9e-3, 4e-4),
                      "e = 0 with a fifth of the depth taken back in a tick: deepest [mm]");
    plFigureJob_Check(job, "ahead-most", 1e3 * ahead->most, plAtMost(8e-3),
                      "and met one tick ahead [mm]");
    plFigureJob_Check(job, "sinking-most", 1e3 * sinking->most, plWithin(0.272, 0.03),
                      "e = 0 without it: depth creeps [mm]");
    plFigureJob_Check(job, "wall", wall->middle * 1e3, plWithin(0.997, 0.01),
                      "Wall of 2000 N/m and 10 N s/m: median depth [mm]");
    plFigureJob_Check(job, "ratio", wall->middle / bouncing->middle, plAtLeast(100),
                      "Impacts are shallower: ratio of the medians");
    plFigureJob_Check(job, "load", bouncing->mean, plWithin(1.973, 0.01),
                      "The finger carries the lever: mean force of the impacts [N]");
    plFigureJob_Check(job, "load-wall", wall->mean, plWithin(1.971, 0.01), "and of the wall [N]");
    plFigureJob_Check(job, "ledger", bouncing->worst, plAtMost(1e-14),
                      "Residual of the ledger, largest of a tick [J]");
}

static bool make(plFigureJob* job)
{
    plLeverRun* runs = calloc(caseCount, sizeof *runs);
    bool good = runs != NULL;
    for (int i = 0; good && i < caseCount; ++i) {
        good = run(job, &cases[i], &runs[i]) && addColumns(job, &cases[i], &runs[i]);
    }
    double* time = good ? plFigureJob_Column(job, runs[0].count, "time") : NULL;
    for (int i = 0; time && i < runs[0].count; ++i) time[i] = i * 1e-3;
    if (time) claim(job, runs);
    free(runs);
    return time != NULL;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.09\n"
    "set rmargin at screen 0.97\n"
    "set tmargin at screen 0.92\n"
    "set bmargin at screen 0.48\n"
    "set xrange [0:2]\n"
    "set format x ''\n"
    "set logscale y\n"
    "set yrange [1e-4:3]\n"
    "set format y '10^{%L}'\n"
    "set ylabel 'depth [mm]' offset 1,0\n"
    "set key at graph 1,1.02 right bottom horizontal maxrows 1 font ',11'\n"
    "plot csv using 'time':'depth wall' with lines ls 2 title 'wall', \\\n"
    "     '' using 'time':'depth sinking' with points ls 4 pt 7 ps 0.15 notitle, \\\n"
    "     '' using 'time':'depth bouncing' with points ls 1 pt 7 ps 0.15 notitle, \\\n"
    "     '' using 'time':'depth plastic' with points ls 3 pt 7 ps 0.15 notitle, \\\n"
    "     keyentry with points ls 4 pt 7 ps 0.6 title 'e = 0', \\\n"
    "     keyentry with points ls 1 pt 7 ps 0.6 title 'e = 0.3', \\\n"
    "     keyentry with points ls 3 pt 7 ps 0.6 title 'e = 0, depth taken back'\n"
    "unset logscale\n"
    "set tmargin at screen 0.43\n"
    "set bmargin at screen 0.12\n"
    "set format '%g'\n"
    "set yrange [0:10]\n"
    "set ylabel 'force [N]' offset 1,0\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "unset key\n"
    "plot csv using 'time':'force bouncing' with points ls 1 pt 7 ps 0.15, \\\n"
    "     '' using 'time':'force plastic' with points ls 3 pt 7 ps 0.15, \\\n"
    "     '' using 'time':'force wall' with lines ls 2\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureNurbsRest = {
    .id = "nurbs-rest",
    .title = "Resting contact",
    .caption =
        "The lever rests by its weight on a finger that moves up and down, sideways and rocks. "
        "Impacts, forces first, hold it within micrometres; the wall is a millimetre deep. The "
        "force of impacts is that of the wall in the mean.",
    .parameters =
        "lever as in nurbs-1 with gravity, released 0.5 mm above the finger; finger up to "
        "0.126 m/s; 1 kHz; wall: 2000 N/m, 10 N s/m",
    .width = 900,
    .height = 560,
    .script = script,
    .make = make};
