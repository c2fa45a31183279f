// signorini figure 8: what solving costs against the number of contacts, in counts.    (spec 3, 4)
#include "signorini/signorini.h"
#include "signorini/table.h"

#include <stdio.h>

enum { feetCount = 7, pivotedCount = 4, sidesCount = 4, samples = 10 };
static const int feet[feetCount] = {10, 16, 36, 64, 100, 144, 196};
static const int sides[sidesCount] = {4, 8, 16, 32};

typedef struct {
    double sweeps, newton, pivots, sweepWork, newtonWork, pivotWork;
    int failed;
} Mean;

typedef struct {
    Mean byFeet[feetCount], bySides[sidesCount];
} Runs;

static Mean average(plTable* t, int count, int k)
{
    Mean m = {0};
    plRng rng = plRng_Seed(7);
    for (int i = 0; i < samples; ++i) {
        plTable_Sample(t, &rng, count);
        const plTableCost cost = plTable_Cost(t, k);
        m.sweeps += (double)cost.sweeps / samples;
        m.newton += (double)cost.newton / samples;
        m.pivots += (double)cost.pivots / samples;
        m.sweepWork += cost.sweepWork / samples;
        m.newtonWork += cost.newtonWork / samples;
        m.pivotWork += cost.pivotWork / samples;
        m.failed += cost.failed;
    }
    return m;
}

static bool follow(plFigureJob* job, Runs* r)
{
    plTable t;
    plShapeError error = {.message = "no memory"};
    if (plTable_Open(&t, 6, 0, 32, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no table: %s", error.message);
        return false;
    }
    for (int i = 0; i < feetCount; ++i) {
        plFigureJob_Progress(job, "contacts");
        r->byFeet[i] = average(&t, feet[i], i < pivotedCount ? 8 : 0);
    }
    for (int i = 0; i < sidesCount; ++i) {
        plFigureJob_Progress(job, "sides");
        r->bySides[i] = average(&t, 16, sides[i]);
    }
    plTable_Close(&t);
    return true;
}

static bool addColumns(plFigureJob* job, const Runs* r)
{
    double* m = plFigureJob_Column(job, feetCount, "contacts");
    double* sweeps = plFigureJob_Column(job, feetCount, "sweeps");
    double* newton = plFigureJob_Column(job, feetCount, "newton");
    double* sweepWork = plFigureJob_Column(job, feetCount, "work of sweeps");
    double* newtonWork = plFigureJob_Column(job, feetCount, "work of newton");
    double* pivots = plFigureJob_Column(job, pivotedCount, "pivots");
    double* pivotWork = plFigureJob_Column(job, pivotedCount, "work of pivots");
    double* k = plFigureJob_Column(job, sidesCount, "k");
    double* bySides = plFigureJob_Column(job, sidesCount, "pivots of k");
    if (!m || !sweeps || !newton || !sweepWork || !newtonWork || !pivots || !pivotWork || !k ||
        !bySides) {
        return false;
    }
    for (int i = 0; i < feetCount; ++i) {
        const Mean* mean = &r->byFeet[i];
        m[i] = feet[i], sweeps[i] = mean->sweeps, newton[i] = mean->newton;
        sweepWork[i] = mean->sweepWork, newtonWork[i] = mean->newtonWork;
        if (i < pivotedCount) pivots[i] = mean->pivots, pivotWork[i] = mean->pivotWork;
    }
    for (int i = 0; i < sidesCount; ++i) k[i] = sides[i], bySides[i] = r->bySides[i].pivots;
    return true;
}

/// Of y ~ m^e between two numbers of contacts.
static double exponent(double a, double b, int from, int to)
{
    return log(b / a) / log((double)feet[to] / feet[from]);
}

static void claim(plFigureJob* job, const Runs* r)
{
    const Mean *few = &r->byFeet[0], *some = &r->byFeet[pivotedCount - 1];
    const Mean* many = &r->byFeet[feetCount - 1];
    double least = INFINITY, most = 0;
    int failed = 0;
    for (int i = 0; i < feetCount; ++i) {
        failed += r->byFeet[i].failed;
        if (i >= pivotedCount) continue;
        least = fmin(least, r->byFeet[i].pivots / feet[i]);
        most = fmax(most, r->byFeet[i].pivots / feet[i]);
    }
    for (int i = 0; i < sidesCount; ++i) failed += r->bySides[i].failed;
    plFigureJob_Check(
        job, "pivots-least", least, plBetween(3.8, 4.8),
        "Lemke's method takes about 4.3 pivots a contact (k = 8): least of the means");
    plFigureJob_Check(job, "pivots-most", most, plBetween(3.8, 4.8),
                      "Lemke's method takes about 4.3 pivots a contact (k = 8): largest");
    plFigureJob_Claim(job, "pivot-work", exponent(few->pivotWork, some->pivotWork, 0, 3),
                      plWithin(2, 0.2),
                      "\"The asymptotic complexity of the k-sided pyramids algorithm is O(k "
                      "m^2)\": exponent of its work between 10 and 64 contacts");
    plFigureJob_Differs(job, plBetween(2.8, 3.2),
                        "Lemke's method takes about 4.3 pivots a contact, and each of them m^2: "
                        "its work grows with the cube.");
    plFigureJob_Claim(job, "sweep-work",
                      exponent(few->sweepWork, many->sweepWork, 0, feetCount - 1), plAtMost(2.2),
                      "Of Gauss-Seidel \"in the worst case, O(m^2)\": exponent of its work between "
                      "10 and 196 contacts");
    plFigureJob_Differs(
        job, plBetween(2.5, 3.2),
        "A sweep is of m^2, but to the same tolerance more contacts need more sweeps.");
    plFigureJob_Claim(job, "ratio", some->pivotWork / some->sweepWork, plAtLeast(5),
                      "\"The GS approach is much more efficient when the number of instantaneous "
                      "contacts increases\": work of the pyramid over it, 64 contacts");
    plFigureJob_Check(job, "newton", many->newton, plAtMost(8),
                      "Newton's method takes a handful of steps for any number: 196 contacts");
    plFigureJob_Check(
        job, "sides", r->bySides[3].pivots / r->bySides[0].pivots, plBetween(1.2, 2.5),
        "Eight times the sides, less than three times the pivots: 32 over 4 sides, 16 "
        "contacts");
    plFigureJob_Check(job, "failed", failed, plAtMost(0), "All problems were solved");
}

static bool make(plFigureJob* job)
{
    Runs r = {0};
    if (!follow(job, &r) || !addColumns(job, &r)) return false;
    claim(job, &r);
    return true;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.08\n"
    "set rmargin at screen 0.47\n"
    "set tmargin at screen 0.91\n"
    "set bmargin at screen 0.14\n"
    "set logscale xy\n"
    "set xrange [8:240]\n"
    "set yrange [1:2000]\n"
    "set xtics (10, 20, 50, 100, 200)\n"
    "set xlabel 'contacts m' offset 0,0.4\n"
    "set ylabel 'count' offset 1.2,0\n"
    "set key at graph 0.02,0.98 left top Left reverse\n"
    "set label 1 'sweeps, pivots, steps' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using 'contacts':'sweeps' with linespoints ls 3 pt 7 ps 0.6 title "
    "'Gauss–Seidel, cone: sweeps', \\\n"
    "     '' using 'contacts':'pivots' with linespoints ls 2 pt 5 ps 0.6 title "
    "'Lemke, k = 8: pivots', \\\n"
    "     '' using 'contacts':'newton' with linespoints ls 1 pt 7 ps 0.6 title "
    "'Newton, cone: steps'\n"
    "set lmargin at screen 0.58\n"
    "set rmargin at screen 0.975\n"
    "set yrange [1e4:1e9]\n"
    "set format y '10^{%L}'\n"
    "set ylabel 'multiplications' offset 0.5,0\n"
    "set label 1 'work'\n"
    "plot csv using 'contacts':'work of pivots' with linespoints ls 2 pt 5 ps 0.6 title "
    "'Lemke, k = 8', \\\n"
    "     '' using 'contacts':'work of newton' with linespoints ls 1 pt 7 ps 0.6 title "
    "'Newton, cone', \\\n"
    "     '' using 'contacts':'work of sweeps' with linespoints ls 3 pt 7 ps 0.6 title "
    "'Gauss–Seidel, cone', \\\n"
    "     [10:196] 6*x**3 with lines ls 9 dt 3 title 'm^3'\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini8 = {
    .id = "signorini-8",
    .title = "Cost against contacts",
    .caption = "Some of the table's feet, chosen at random, pressed and dragged. Counts do not "
               "depend on a machine: sweeps of Gauss and Seidel on the cone (until one changes the "
               "forces by less than 1e-6), steps of Newton on it (to 1e-9), pivots of Lemke on "
               "pyramids of eight sides. Both older ways grow with about the cube of the contacts; "
               "per sweep, and per pivot, they grow as the paper says.",
    .parameters = "Table of spec 4, six cells a leg, 196 feet; ten samples a point, mu of 0.05 to "
                  "0.8, pressed 1 mm, dragged 0.5 to 6 mm. Work: 9 m^2 a sweep, 9 m^3 a step, "
                  "(10 m)^2 a pivot.",
    .width = 960,
    .height = 430,
    .script = script,
    .make = make,
    .isLong = true,
};
