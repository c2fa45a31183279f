// signorini figure 7: what a friction pyramid of k sides misses of the cone.       (spec 1.3, 4)
#include "signorini/signorini.h"
#include "signorini/table.h"

#include <stdio.h>

enum { tableCount = 3, sidesCount = 4 };
static const int sides[sidesCount] = {4, 8, 16, 32};

typedef struct {
    const char* name;
    int cells, beams, sidesCount;
    double mean[sidesCount], most[sidesCount]; ///< of an independent implementation [%]
} Case;

static const Case cases[tableCount] = {
    {"16 plain", 1, 0, 4, {9.695, 5.218, 2.480, 1.367}, {18.348, 9.016, 4.204, 2.101}},
    {"36 plain", 2, 0, 3, {10.475, 5.607, 2.697}, {19.020, 10.151, 4.743}},
    {"16 ring", 1, 2, 4, {6.833, 3.631, 1.641, 0.873}, {12.804, 6.408, 2.856, 1.455}}};

static const double mu = 0.1, press = 1e-3, slip = 6e-3;

typedef struct {
    plTableGamma all[tableCount][sidesCount];
} Runs;

/// gamma of every push, of the plain table of 16 feet.
static bool addPushes(plFigureJob* job, plTable* t)
{
    double* angle = plFigureJob_Column(job, plTableAngles, "angle");
    for (int j = 0; angle && j < plTableAngles; ++j) angle[j] = plTable_Angle(j);
    for (int i = 0; angle && i < sidesCount; ++i) {
        double* gamma = plFigureJob_Column(job, plTableAngles, "gamma %d", sides[i]);
        if (!gamma) return false;
        for (int j = 0; j < plTableAngles; ++j) {
            const plTablePush push = {mu, press, slip, plTable_Angle(j)};
            plTable_Gamma(t, &push, sides[i], &gamma[j]);
        }
    }
    return angle != NULL;
}

static bool follow(plFigureJob* job, int k, Runs* r)
{
    plTable t;
    plShapeError error = {.message = "no memory"};
    const Case* c = &cases[k];
    plFigureJob_Progress(job, c->name);
    if (plTable_Open(&t, c->cells, c->beams, 32, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no table: %s", error.message);
        return false;
    }
    bool good = k > 0 || addPushes(job, &t);
    double* mean = plFigureJob_Column(job, sidesCount, "mean %s", c->name);
    double* most = plFigureJob_Column(job, sidesCount, "most %s", c->name);
    good = good && mean && most;
    for (int i = 0; good && i < c->sidesCount; ++i) {
        r->all[k][i] = plTable_GammaOver(&t, mu, press, slip, sides[i]);
        mean[i] = r->all[k][i].mean, most[i] = r->all[k][i].most;
    }
    plTable_Close(&t);
    return good;
}

/// Of uniform slip of contacts that do not feel each other.                         (spec 1.3)
static double uncoupled(int k) { return 100 * mu * PL_PI / (2 * k) / sqrt(1 + mu * mu); }

static void claim(plFigureJob* job, const Runs* r)
{
    double mean = 0, most = 0, sixteen = 0, halves[2] = {INFINITY, 0};
    int failed = 0;
    for (int k = 0; k < tableCount; ++k) {
        for (int i = 0; i < cases[k].sidesCount; ++i) {
            const plTableGamma* g = &r->all[k][i];
            mean = fmax(mean, fabs(g->mean - cases[k].mean[i]));
            most = fmax(most, fabs(g->most - cases[k].most[i]));
            failed += g->failed;
            if (sides[i] == 16) sixteen = fmax(sixteen, g->most);
            if (i == 0) continue;
            halves[0] = fmin(halves[0], g->mean / r->all[k][i - 1].mean);
            halves[1] = fmax(halves[1], g->mean / r->all[k][i - 1].mean);
        }
    }
    plFigureJob_Check(job, "mean", mean, plAtMost(0.05),
                      "Means over 30 directions agree with an independent implementation (largest "
                      "difference in points of per cent, three tables)");
    plFigureJob_Check(job, "most", most, plAtMost(0.1),
                      "And so do the largest of 30 (largest difference in points)");
    plFigureJob_Claim(
        job, "sixteen", sixteen, plAtMost(5),
        "\"To have gamma < 5 percent, 16-sided pyramids\" are enough: largest of 30 pushes");
    plFigureJob_Claim(
        job, "eight", r->all[0][1].above, plAtLeast(1),
        "\"it is necessary to use\" them: pushes, of 30, that exceed 5 %% with eight sides");
    plFigureJob_Check(job, "halves-least", halves[0], plBetween(0.4, 0.6),
                      "Twice the sides, half the error: smallest ratio of means");
    plFigureJob_Check(job, "halves-most", halves[1], plBetween(0.4, 0.6),
                      "Twice the sides, half the error: largest ratio of means");
    plFigureJob_Check(job, "coupled", r->all[0][2].mean / uncoupled(16), plBetween(2.2, 2.8),
                      "Legs that turn a push into a lift make the error 2.5 times that of feet "
                      "which do not feel each other (k = 16)");
    plFigureJob_Check(job, "failed", failed, plAtMost(0),
                      "All problems were solved, by Lemke's method and by Newton's");
}

static bool make(plFigureJob* job)
{
    Runs r = {0};
    double* k = plFigureJob_Column(job, sidesCount, "k");
    double* free = plFigureJob_Column(job, sidesCount, "uncoupled");
    if (!k || !free) return false;
    for (int i = 0; i < sidesCount; ++i) k[i] = sides[i], free[i] = uncoupled(sides[i]);
    for (int i = 0; i < tableCount; ++i) {
        if (!follow(job, i, &r)) return false;
    }
    claim(job, &r);
    return true;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.085\n"
    "set rmargin at screen 0.47\n"
    "set tmargin at screen 0.87\n"
    "set bmargin at screen 0.14\n"
    "set logscale xy\n"
    "set xrange [3.5:37]\n"
    "set yrange [0.4:25]\n"
    "set xtics (4, 8, 16, 32)\n"
    "set ytics (0.5, 1, 2, 5, 10, 20)\n"
    "set xlabel 'sides of the pyramid k' offset 0,0.4\n"
    "set ylabel 'γ [%]' offset 1.2,0\n"
    "set key at graph 0.03,0.03 left bottom Left reverse font ',11'\n"
    "set arrow 1 from 3.5,5 to 37,5 nohead ls 9 dt 2\n"
    "set label 1 'mean, and largest of 30 directions' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using 'k':'mean 36 plain' with linespoints ls 3 pt 7 ps 0.6 title '36 feet', \\\n"
    "     '' using 'k':'most 36 plain' with points ls 3 pt 8 ps 0.8, \\\n"
    "     '' using 'k':'mean 16 plain' with linespoints ls 1 pt 7 ps 0.6 title '16 feet', \\\n"
    "     '' using 'k':'most 16 plain' with points ls 1 pt 8 ps 0.8, \\\n"
    "     '' using 'k':'mean 16 ring' with linespoints ls 2 pt 7 ps 0.6 title "
    "'16 feet, beams', \\\n"
    "     '' using 'k':'most 16 ring' with points ls 2 pt 8 ps 0.8, \\\n"
    "     '' using 'k':'uncoupled' with lines ls 9 dt 3 title 'feet that do not feel each other'\n"
    "unset logscale\n"
    "unset arrow\n"
    "set lmargin at screen 0.56\n"
    "set rmargin at screen 0.98\n"
    "set xrange [0:360]\n"
    "set yrange [0:20]\n"
    "set xtics 90\n"
    "set ytics 5\n"
    "set arrow 1 from 0,5 to 360,5 nohead ls 9 dt 2\n"
    "set xlabel 'direction of the push [°]' offset 0,0.4\n"
    "set label 1 '16 feet, every push'\n"
    "set key at graph 1.0,1.17 right top horizontal Left reverse width -1\n"
    "plot for [i=0:3] csv using (column('angle')*180/pi):(column(sprintf('gamma %d', "
    "4*2**i))) with points ls (i == 0 ? 2 : i == 1 ? 5 : i == 2 ? 1 : 3) pt 7 ps 0.6 title "
    "sprintf('k = %d', 4*2**i)\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini7 = {
    .id = "signorini-7",
    .title = "Pyramids against the cone",
    .caption = "All feet of the table are pressed into the floor and dragged along it, in 30 "
               "directions; their forces by friction pyramids of 4 to 32 sides against those by "
               "the exact cone. In sliding a pyramid's force sits on one of its edges, so its "
               "direction is wrong by up to pi/k; legs that turn a push into a lift make the "
               "normal forces wrong too. The dashed line is 5 %.",
    .parameters = "Table of spec 4, one or two cells a leg, 16 and 36 feet, plain or with a ring "
                  "of beams; mu = 0.1, pressed 1 mm, dragged 6 mm; gamma is the relative error of "
                  "the vector of all forces (eq. 26).",
    .width = 960,
    .height = 430,
    .script = script,
    .make = make,
    .isLong = true,
};
