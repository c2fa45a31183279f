// The twin pantograph of section 2: where its handle goes, how evenly it moves there, and what its
// motors must give along a full turn.                                              (iapb spec 6)
// The paper prints no dimensions and draws none of this: the numbers are those of the spec.
//   letters  theta, F, G, tau as in device/pantograph.h
#include "device/pantograph.h"
#include "base/base.h"
#include "planar/planar.h"

#include <math.h>

static const double degree = PL_PI / 180, mm = 1e-3;

static const char* const names[pl_pantographCount] = {"test", "compact", "large"};

enum { turns = 90, planeSide = 81, discSide = 61, angles = 361, radii = 58 };
static const double planeHalf = 100, discHalf = 60; // [mm]

// ------------------------------------------------------------------------------------- places

/// Over all orientations at one place; zeros when not all are reached.
typedef struct {
    double margin, isotropy;
} Place;

static Place placeOf(const plPantographDef* def, double x, double y)
{
    plIsotropy all = {INFINITY, 0};
    double margin = INFINITY;
    for (int i = 0; i < turns; ++i) {
        plPantographPose p;
        plIsotropy here;
        if (!plPantograph_Inverse(def, plVec(x, y, 2 * PL_PI * i / turns), &p) ||
            !plPantograph_Isotropy(def, &p, &here)) {
            return (Place){0, 0};
        }
        margin = fmin(margin, p.margin);
        all.least = fmin(all.least, here.least);
        all.most = fmax(all.most, here.most);
    }
    return (Place){margin, all.least / all.most};
}

static double cell(int i, int side, double half) { return half * (2.0 * i / (side - 1) - 1); }

static bool mapPlane(plFigureJob* job)
{
    const plPantographDef def = plDefaultPantographDef();
    double* x = plFigureJob_Column(job, planeSide * planeSide, "plane x");
    double* y = plFigureJob_Column(job, planeSide * planeSide, "plane y");
    double* margin = plFigureJob_Column(job, planeSide * planeSide, "margin");
    if (!x || !y || !margin) return false;
    for (int i = 0; i < planeSide * planeSide; ++i) {
        plPantographPose p;
        x[i] = cell(i % planeSide, planeSide, planeHalf);
        y[i] = cell(i / planeSide, planeSide, planeHalf);
        plPantograph_Inverse(&def, plVec(mm * x[i], mm * y[i], 0), &p);
        margin[i] = p.reached ? p.margin : 0;
    }
    return true;
}

static bool mapDiscs(plFigureJob* job)
{
    const int count = discSide * discSide;
    double* x = plFigureJob_Column(job, count, "x");
    double* y = plFigureJob_Column(job, count, "y");
    for (int preset = 0; preset < pl_pantographCount; ++preset) {
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        double* margin = plFigureJob_Column(job, count, "margin %s", names[preset]);
        double* isotropy = plFigureJob_Column(job, count, "isotropy %s", names[preset]);
        if (!x || !y || !margin || !isotropy) return false;
        for (int i = 0; i < count; ++i) {
            x[i] = cell(i % discSide, discSide, discHalf);
            y[i] = cell(i / discSide, discSide, discHalf);
            const Place here = placeOf(&def, mm * x[i], mm * y[i]);
            margin[i] = here.margin;
            isotropy[i] = here.isotropy;
        }
    }
    return true;
}

static plVec3 baseOf(const plPantographDef* def, const plPantographPose* p, int arm)
{
    return plAddScaled(p->E[arm], -def->L1, plVec(cos(p->q[arm]), sin(p->q[arm]), 0));
}

// The rods of both pantographs and the crank, as one line with gaps; a circle.
static bool drawLinkage(plFigureJob* job)
{
    enum { points = 15, corners = 73 };
    const plPantographDef def = plDefaultPantographDef();
    double* x = plFigureJob_Column(job, points, "rod x");
    double* y = plFigureJob_Column(job, points, "rod y");
    double* cosine = plFigureJob_Column(job, corners, "cos");
    double* sine = plFigureJob_Column(job, corners, "sin");
    plPantographPose p;
    if (!x || !y || !cosine || !sine) return false;
    plPantograph_Inverse(&def, plVec(0, 0, 0), &p);
    for (int k = 0; k < 2; ++k) {
        const int a = 2 * k, b = a + 1;
        const plVec3 line[5] = {baseOf(&def, &p, a), p.E[a], p.P[k], p.E[b], baseOf(&def, &p, b)};
        for (int i = 0; i < 5; ++i) {
            x[6 * k + i] = line[i].x / mm;
            y[6 * k + i] = line[i].y / mm;
        }
    }
    const plVec3 crank[3] = {p.P[0], p.x, p.P[1]};
    for (int i = 0; i < 3; ++i) {
        x[12 + i] = crank[i].x / mm;
        y[12 + i] = crank[i].y / mm;
    }
    for (int i = 0; i < corners; ++i) {
        cosine[i] = cos(2 * PL_PI * i / (corners - 1));
        sine[i] = sin(2 * PL_PI * i / (corners - 1));
    }
    return true;
}

// -------------------------------------------------------------------------------------- index

static double indexOf(plPantographPreset preset, plPantographDisc disc)
{
    const plPantographDef def = plPantographDef_Of(preset);
    plIsotropy s;
    return plPantograph_Survey(&def, &disc, &s) ? s.least / s.most : (double)NAN;
}

static double usualIndex(plPantographPreset preset, double radius)
{
    return indexOf(preset, plDefaultPantographDisc(radius));
}

static bool addRing(const plPantographDef* def, double radius, plIsotropy* all)
{
    enum { directions = 24 };
    for (int i = 0; i < directions * turns; ++i) {
        const double a = 2 * PL_PI * (i / turns) / directions, theta = 2 * PL_PI * i / turns;
        plPantographPose p;
        plIsotropy here;
        if (!plPantograph_Inverse(def, plVec(radius * cos(a), radius * sin(a), theta), &p) ||
            !plPantograph_Isotropy(def, &p, &here)) {
            return false;
        }
        all->least = fmin(all->least, here.least);
        all->most = fmax(all->most, here.most);
    }
    return true;
}

// The index of ever larger discs, ring by ring, until one is not all reached.
static bool growDiscs(plFigureJob* job, double* largest)
{
    double* r = plFigureJob_Column(job, radii, "radius");
    for (int preset = 0; preset < pl_pantographCount; ++preset) {
        const plPantographDef def = plPantographDef_Of((plPantographPreset)preset);
        double* index = plFigureJob_Column(job, radii, "index %s", names[preset]);
        plIsotropy all = {INFINITY, 0};
        if (!r || !index) return false;
        for (int k = 0; k < radii && addRing(&def, k * mm, &all); ++k) {
            r[k] = k;
            index[k] = all.least / all.most;
            largest[preset] = k;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ torques

enum { alongX, alongY, turning, loadCount };

static const struct {
    const char* name; ///< of its columns
    plVec3 F;
} loads[loadCount] = {{"x", {15, 0, 0}}, {"y", {0, 15, 0}}, {"turn", {0, 0, 1}}};

typedef struct {
    double peak[loadCount]; ///< largest torque of a motor along the turn [N m]
    double four, three;     ///< |tau| at 45 deg, with all motors and without the second
    double worst, where;    ///< largest |tau| of three along the turn, and its angle [deg]
} Turn;

static double norm4(const double a[4])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
}

static bool turnLoads(plFigureJob* job, Turn* turn)
{
    const plPantographDef def = plDefaultPantographDef();
    for (int k = 0; k < loadCount; ++k) {
        double* columns[4];
        for (int i = 0; i < 4; ++i) {
            columns[i] = plFigureJob_Column(job, angles, "%s %d", loads[k].name, i + 1);
            if (!columns[i]) return false;
        }
        for (int n = 0; n < angles; ++n) {
            plPantographPose p;
            double tau[4];
            plPantograph_Inverse(&def, plVec(0, 0, n * degree), &p);
            if (!plPantograph_Torques(&def, &p, loads[k].F, tau)) continue;
            for (int i = 0; i < 4; ++i) {
                columns[i][n] = tau[i];
                turn->peak[k] = fmax(turn->peak[k], fabs(tau[i]));
            }
        }
    }
    return true;
}

// Three motors must give what the null torque allows: none of it by the second.
static bool turnWithThree(plFigureJob* job, Turn* turn)
{
    const plPantographDef def = plDefaultPantographDef();
    double* theta = plFigureJob_Column(job, angles, "theta");
    double* four = plFigureJob_Column(job, angles, "four");
    double* three = plFigureJob_Column(job, angles, "three");
    if (!theta || !four || !three) return false;
    for (int n = 0; n < angles; ++n) {
        plPantographPose p;
        double tau[4], null[4], other[4];
        plPantograph_Inverse(&def, plVec(0, 0, n * degree), &p);
        plPantograph_Torques(&def, &p, plVec(5, 5, 0.2), tau);
        plPantograph_Null(&def, &p, null);
        for (int i = 0; i < 4; ++i) other[i] = tau[i] - tau[1] / null[1] * null[i];
        theta[n] = n;
        four[n] = norm4(tau);
        three[n] = norm4(other);
        if (three[n] > turn->worst) turn->worst = three[n], turn->where = n;
    }
    turn->four = four[45];
    turn->three = three[45];
    return true;
}

// ------------------------------------------------------------------------------------- claims

static const struct {
    int load, theta; ///< [deg]
    double tau[4];
} table[] = {{alongX, 0, {-.29025, -.45293, .29025, .45293}},
             {alongY, 0, {-.4823, .3304, .4823, -.3304}},
             {turning, 0, {1.09331, -.70062, 1.09331, -.70062}},
             {alongX, 90, {-.28553, -.28553, .28553, .28553}},
             {alongY, 90, {-.51508, .51508, .51508, -.51508}},
             {turning, 90, {-.63451, -.63451, -.63451, -.63451}}};

static double tableError(void)
{
    const plPantographDef def = plDefaultPantographDef();
    double worst = 0;
    for (int k = 0; k < PL_COUNT(table); ++k) {
        plPantographPose p;
        double tau[4];
        plPantograph_Inverse(&def, plVec(0, 0, table[k].theta * degree), &p);
        if (!plPantograph_Torques(&def, &p, loads[table[k].load].F, tau)) return (double)NAN;
        for (int i = 0; i < 4; ++i) worst = fmax(worst, fabs(tau[i] - table[k].tau[i]));
    }
    return worst;
}

static void claimIsotropy(plFigureJob* job, const double* largest)
{
    const double found[3] = {0.554, 0.496, 0.293};
    for (int k = 0; k < 3; ++k) {
        char id[16] = "index-00mm";
        id[6] = (char)('0' + k);
        plFigureJob_Check(
            job, id, usualIndex(pl_pantographTest, 0.01 * k), plWithin(found[k], 6e-4),
            "Test geometry: isotropy index over a disc of %d mm, all orientations", 10 * k);
    }
    plFigureJob_Claim(job, "reach", largest[pl_pantographTest], plAtLeast(1),
                      "\"Planar translation and unlimited rotation\": the largest disc that is "
                      "reached in all orientations [mm]");
    plFigureJob_Check(job, "index-large", usualIndex(pl_pantographLarge, 0.03),
                      plWithin(0.62, 5e-3), "Longer rods: the index over 30 mm");
    plFigureJob_Check(
        job, "index-compact", indexOf(pl_pantographCompact, (plPantographDisc){0.03, 1, 12, 18}),
        plWithin(0.416, 5e-4),
        "Other bases and crank: the index over 30 mm, on a grid of 18 orientations, which "
        "leaves out the worst; with it %.3f",
        usualIndex(pl_pantographCompact, 0.03));
}

static void claimTorques(plFigureJob* job, const Turn* turn)
{
    plFigureJob_Check(job, "table", tableError(), plAtMost(5.1e-5),
                      "Torques at 0 and 90 degrees under 15 N, 15 N and 1 N m: largest difference "
                      "to the spec's, which have four or five digits [N m]");
    plFigureJob_Check(job, "motors", turn->peak[turning], plBetween(1.25, 1.40),
                      "About 1.3 N m motors give the three loads: largest torque along a full "
                      "turn, under 1 N m (under 15 N: %.2f and %.2f) [N m]",
                      turn->peak[alongX], turn->peak[alongY]);
    plFigureJob_Check(job, "four", turn->four, plWithin(0.51, 5e-3),
                      "Redundancy: |tau| of four motors at 45 degrees, under 5 N, 5 N and 0.2 N m");
    plFigureJob_Check(job, "three", turn->three, plWithin(12.0, 0.05),
                      "and of three, without the second motor (the worst of the turn is at %.0f "
                      "degrees)",
                      turn->where);
}

static bool make(plFigureJob* job)
{
    double largest[pl_pantographCount] = {0};
    Turn turn = {0};
    plFigureJob_Progress(job, "workspace");
    if (!mapPlane(job) || !mapDiscs(job) || !drawLinkage(job) || !growDiscs(job, largest)) {
        return false;
    }
    plFigureJob_Progress(job, "torques");
    if (!turnLoads(job, &turn) || !turnWithThree(job, &turn)) return false;
    claimIsotropy(job, largest);
    claimTorques(job, &turn);
    return true;
}

static const char script[] =
    "set multiplot\n"
    "set palette defined (0 '#ffffff', 0.001 '#30123b', 0.2 '#414487', 0.4 '#2a788e', \\\n"
    "    0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')\n"
    "set cbrange [0:1]\n"
    "set cbtics 0.2 offset 0,0.4\n"
    "set colorbox horizontal user origin 0.07,0.648 size 0.585,0.01\n"
    "set border 3 front\n"
    "unset grid\n"
    "set tmargin at screen 0.965\n"
    "set bmargin at screen 0.72\n"
    "set lmargin at screen 0.07\n"
    "set rmargin at screen 0.325\n"
    "set xrange [-130:130]\n"
    "set yrange [-130:130]\n"
    "set xtics 50\n"
    "set ytics 50\n"
    "set xlabel 'x [mm]' offset 0,0.6\n"
    "set ylabel 'y [mm]' offset 1.6,0\n"
    "set label 1 'margin, at 0°' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using 'plane x':'plane y':'margin' with image, \\\n"
    "     for [i=0:2] '' every ::6*i::6*i+4 using 'rod x':'rod y' \\\n"
    "     with linespoints lc rgb '#222222' lw 2 pt 7 ps 0.35\n"
    "unset colorbox\n"
    "unset ylabel\n"
    "set xrange [-60:60]\n"
    "set yrange [-60:60]\n"
    "set xtics 20\n"
    "set ytics 20\n"
    "set lmargin at screen 0.40\n"
    "set rmargin at screen 0.655\n"
    "set label 1 'least margin of all orientations'\n"
    "plot csv using 'x':'y':'margin test' with image, \\\n"
    "     '' using (20*column('cos')):(20*column('sin')) with lines lc rgb 'white' lw 1.6\n"
    "set grid back ls 20\n"
    "set lmargin at screen 0.74\n"
    "set rmargin at screen 0.985\n"
    "set xrange [0:60]\n"
    "set yrange [0:0.8]\n"
    "set ytics 0.2\n"
    "set xlabel 'radius of the disc [mm]' offset 0,0.6\n"
    "set label 1 'isotropy over a disc'\n"
    "set key at graph 0.98,0.98 right top Left reverse\n"
    "plot csv using 'radius':(column('index large')) with lines ls 3 title 'large', \\\n"
    "     '' using 'radius':(column('index compact')) with lines ls 2 title 'compact', \\\n"
    "     '' using 'radius':(column('index test')) with lines ls 1 title 'test'\n"
    "unset grid\n"
    "unset key\n"
    "set tmargin at screen 0.575\n"
    "set bmargin at screen 0.33\n"
    "set xrange [-60:60]\n"
    "set yrange [-60:60]\n"
    "set ytics 20\n"
    "set xlabel 'x [mm]' offset 0,0.6\n"
    "set ylabel 'y [mm]' offset 1.6,0\n"
    "do for [i=1:3] {\n"
    "  set lmargin at screen 0.33*i - 0.26\n"
    "  set rmargin at screen 0.33*i - 0.005\n"
    "  name = word('test compact large', i)\n"
    "  r = i == 1 ? 20 : 30\n"
    "  set label 1 (i == 1 ? 'isotropy at a place: ' : '').name\n"
    "  plot csv using 'x':'y':(column('isotropy '.name)) with image, \\\n"
    "       '' using (r*column('cos')):(r*column('sin')) with lines lc rgb 'white' lw 1.6\n"
    "  unset ylabel\n"
    "}\n"
    "set grid back ls 20\n"
    "set tmargin at screen 0.245\n"
    "set bmargin at screen 0.06\n"
    "set xrange [0:360]\n"
    "set xtics 90\n"
    "set xlabel 'angle of the handle [°]' offset 0,0.6\n"
    "set yrange [-1.5:1.5]\n"
    "set ytics 0.5\n"
    "set ylabel 'torque [N m]' offset 1.2,0\n"
    "set style line 11 lc rgb '#0072B2' lw 3.2\n" // as before, but pairs can lie on each other
    "set style line 12 lc rgb '#D55E00' lw 3.2\n"
    "set style line 13 lc rgb '#7CC8F2' lw 2 dt 2\n"
    "set style line 14 lc rgb '#F7C38F' lw 2 dt 2\n"
    "set key at graph 0.98,0.99 right top horizontal samplen 1.4 width 0.5 maxcols 4\n"
    "do for [k=1:3] {\n"
    "  set lmargin at screen 0.225*k - 0.155\n"
    "  set rmargin at screen 0.225*k + 0.04\n"
    "  what = word('x y turn', k)\n"
    "  set label 1 (k == 1 ? 'motors, 15 N along x' : k == 2 ? '15 N along y' : '1 N m')\n"
    "  plot for [i=1:4] csv using 'theta':(column(sprintf('%s %d', what, i))) \\\n"
    "       with lines ls 10 + i title (k == 1 ? sprintf('%d', i) : '')\n"
    "  unset ylabel\n"
    "  set format y ''\n"
    "}\n"
    "set format y '%g'\n"
    "set lmargin at screen 0.79\n"
    "set rmargin at screen 0.985\n"
    "set logscale y\n"
    "set yrange [0.05:100]\n"
    "set ytics auto\n"
    "set label 1 'all, 5 N, 5 N, 0.2 N m'\n"
    "set key at graph 0.98,0.03 right bottom vertical Left reverse samplen 1.2 width 0 maxcols 1\n"
    "plot csv using 'theta':(column('three')) with lines ls 2 title 'three motors', \\\n"
    "     '' using 'theta':(column('four')) with lines ls 1 title 'four'\n"
    "unset multiplot\n";

const plFigure plFigurePantograph = {
    .id = "pantograph",
    .title = "The twin pantograph",
    .caption =
        "Above, how far the handle is from the border of the workspace (the smallest sine at an "
        "elbow or end; white is out of reach): at one orientation, with the rods, and the least of "
        "all orientations. In the middle, how evenly the motors move it, in all orientations, for "
        "three geometries; the circles are their discs. Below, the torque of each motor along a "
        "full turn at the centre; with one motor less there are angles that need over twenty "
        "times as much.",
    .parameters =
        "Test: rods 75 and 100 mm, bases 50 mm wide at +-120 mm, crank 60 mm. Compact: bases 30 mm "
        "at +-110.25 mm, crank 40 mm. Large: rods 120 and 160 mm, bases at +-201.6 mm, crank 40 "
        "mm. Smallest torques for a force; rotation is measured at the ends of the crank.",
    .width = 960,
    .height = 1000,
    .script = script,
    .make = make,
};
