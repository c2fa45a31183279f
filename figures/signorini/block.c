// signorini figure 13: feet of a rigid block share its load as it happens; those of a block that gives
// a little have one answer.                                                    (signorini spec 5)
#include "signorini/block.h"
#include "figure.h"
#include "signorini/signorini.h"

#include <stdio.h>

enum { softCount = 3, lookCount = 14, rigidSweeps = 1000, givenSweeps = 1000 };

static const char* const orderNames[pl_blockOrderCount] = {"natural", "reversed", "shuffled"};

static const struct {
    const char* name; ///< of its columns
    double E, sum;    ///< [Pa]; sum of the loads in an independent implementation [N]
} softs[softCount] = {{"1e7", 1e7, 18.763217}, {"1e8", 1e8, 19.264500}, {"1e9", 1e9, 19.316169}};

/// After how many sweeps the forces are looked at.
static const int looks[lookCount] = {1,   2,   5,    10,   20,   50,    100,
                                     200, 500, 1000, 2000, 5000, 10000, 20000};

typedef struct {
    plBlockForces rigid[pl_blockOrderCount], soft[softCount];
    double residual[pl_blockOrderCount];
    int iterations[softCount];          ///< of the world's law
    double off[softCount][lookCount];   ///< from the world's answer, natural order
    double given[pl_blockOrderCount];   ///< E = 1e9: the same after 1000 sweeps
    double settled[pl_blockOrderCount]; ///< E = 1e7: the same
} Runs;

// --------------------------------------------------------------------------------------- runs

static void followRigid(plBlock* b, Runs* r)
{
    for (int k = 0; k < pl_blockOrderCount; ++k) {
        plBlock_Pose(b, INFINITY, (plBlockOrder)k);
        plBlock_Sweep(b, rigidSweeps, &r->rigid[k]);
        r->residual[k] = plBlock_Residual(b);
    }
}

static void followSweeps(plBlock* b, int soft, Runs* r)
{
    plBlockForces forces;
    plBlock_Pose(b, softs[soft].E, pl_blockNatural);
    for (int k = 0; k < lookCount; ++k) {
        plBlock_Sweep(b, looks[k] - (k > 0 ? looks[k - 1] : 0), &forces);
        r->off[soft][k] = plBlock_Difference(&forces, &r->soft[soft]);
    }
}

/// How far the sweeps of each order are from the world's answer.
static void followOrders(plBlock* b, int soft, const Runs* r, double* off)
{
    plBlockForces forces;
    for (int k = 0; k < pl_blockOrderCount; ++k) {
        plBlock_Pose(b, softs[soft].E, (plBlockOrder)k);
        plBlock_Sweep(b, givenSweeps, &forces);
        off[k] = plBlock_Difference(&forces, &r->soft[soft]);
    }
}

static bool follow(plFigureJob* job, plBlock* b, Runs* r)
{
    followRigid(b, r);
    for (int i = 0; i < softCount; ++i) {
        const plStatus status = plBlock_Step(b, softs[i].E, &r->soft[i], &r->iterations[i]);
        if (status != pl_statusOk) {
            snprintf(job->message, sizeof job->message, "no block in a world: %s",
                     plStatus_Sentence(status));
            return false;
        }
        followSweeps(b, i, r);
    }
    followOrders(b, 0, r, r->settled);
    followOrders(b, softCount - 1, r, r->given);
    return true;
}

// ------------------------------------------------------------------------------------- columns

static bool addForces(plFigureJob* job, const char* name, const plBlockForces* forces)
{
    double* load = plFigureJob_Column(job, plBlockFeet, "load %s", name);
    double* down = plFigureJob_Column(job, plBlockFeet, "fx %s", name);
    double* across = plFigureJob_Column(job, plBlockFeet, "fy %s", name);
    if (!load || !down || !across) return false;
    for (int i = 0; i < plBlockFeet; ++i) {
        load[i] = forces->f[i].z, down[i] = forces->f[i].x, across[i] = forces->f[i].y;
    }
    return true;
}

static bool addColumns(plFigureJob* job, const plBlock* b, const Runs* r)
{
    double* x = plFigureJob_Column(job, plBlockFeet, "x");
    double* y = plFigureJob_Column(job, plBlockFeet, "y");
    double* sweeps = plFigureJob_Column(job, lookCount, "sweeps");
    bool good = x && y && sweeps;
    for (int i = 0; good && i < plBlockFeet; ++i) {
        x[i] = plBlock_Foot(b, i).x, y[i] = plBlock_Foot(b, i).y;
    }
    for (int i = 0; good && i < lookCount; ++i) sweeps[i] = looks[i];
    for (int k = 0; good && k < pl_blockOrderCount; ++k) {
        good = addForces(job, orderNames[k], &r->rigid[k]);
    }
    for (int k = 0; good && k < softCount; ++k) {
        double* off = plFigureJob_Column(job, lookCount, "off %s", softs[k].name);
        for (int i = 0; off && i < lookCount; ++i) off[i] = r->off[k][i];
        good = off && addForces(job, softs[k].name, &r->soft[k]);
    }
    return good;
}

// ------------------------------------------------------------------------------------- claims

static void claimRigid(plFigureJob* job, const plBlock* b, const Runs* r)
{
    double sum = 0, residual = 0, asymmetry = 0, apart = 0;
    for (int k = 0; k < pl_blockOrderCount; ++k) {
        const plVec3 f = plBlock_Sum(&r->rigid[k]);
        sum = fmax(sum, hypot(f.z - 19.321928, f.x + 3.406977));
        residual = fmax(residual, r->residual[k]);
        asymmetry = fmax(asymmetry, plBlock_Asymmetry(b, &r->rigid[k]));
        for (int i = 0; i < k; ++i) {
            apart = fmax(apart, plBlock_Difference(&r->rigid[k], &r->rigid[i]));
        }
    }
    plFigureJob_Check(job, "rigid-sum", sum, plAtMost(2e-6),
                      "Rigid: in every order the feet together hold the block, 19.321928 N up and "
                      "3.406977 N along the slope (largest error [N])");
    plFigureJob_Check(job, "rigid-residual", residual, plAtMost(1e-12),
                      "Rigid: each answer satisfies Signorini's and Coulomb's laws (worst relative "
                      "defect, by the judge)");
    plFigureJob_Claim(
        job, "rigid-apart", apart, plAtLeast(0.3),
        "Rigid: \"the solution is influenced by the contact treatment ordering\": largest "
        "difference of a foot's load between two orders, over the largest load");
    plFigureJob_Check(job, "rigid-asymmetry", asymmetry, plAtLeast(0.3),
                      "Rigid: left and right differ, as nothing in the block does (largest of the "
                      "three)");
}

static void claimSoft(plFigureJob* job, const plBlock* b, const Runs* r)
{
    double asymmetry = 0, settled = 0, given = INFINITY;
    int most = 0;
    for (int i = 0; i < softCount; ++i) {
        char id[40];
        snprintf(id, sizeof id, "sum-%s", softs[i].name);
        plFigureJob_Check(job, id, plBlock_Sum(&r->soft[i]).z, plWithin(softs[i].sum, 2e-6),
                          "E = %s Pa: sum of the loads in this step [N], against an independent "
                          "implementation",
                          softs[i].name);
        asymmetry = fmax(asymmetry, plBlock_Asymmetry(b, &r->soft[i]));
        most = r->iterations[i] > most ? r->iterations[i] : most;
    }
    for (int k = 0; k < pl_blockOrderCount; ++k) {
        settled = fmax(settled, r->settled[k]);
        given = fmin(given, r->given[k]);
    }
    plFigureJob_Claim(job, "asymmetry", asymmetry, plAtMost(1e-6),
                      "\"With our method the contact forces are much more realistic\": left and "
                      "right alike, up to E = 1e9 Pa");
    plFigureJob_Check(
        job, "limit", plBlock_Difference(&r->soft[1], &r->soft[2]), plAtMost(0.05),
        "Its loads have a limit: largest change from 1e8 to 1e9 Pa, over the largest");
    plFigureJob_Claim(
        job, "one", settled, plAtMost(1e-6),
        "\"There is only one solution\", E = 1e7 Pa: 1000 sweeps of Gauss-Seidel in any order come "
        "to the answer of the world (largest difference over the largest load)");
    plFigureJob_Claim(job, "slow", given, plAtMost(1e-6),
                      "The same at E = 1e9 Pa, \"in the limit of increasing stiffness\": least of "
                      "the differences");
    plFigureJob_Differs(job, plAtLeast(0.05),
                        "Gauss-Seidel needs more sweeps the stiffer the block is: 1000 do not come "
                        "near the one solution, which Newton's method finds in a few steps.");
    plFigureJob_Check(job, "newton", most, plAtMost(12),
                      "Newton's method in the world needs a few steps at any E (most)");
}

static bool make(plFigureJob* job)
{
    plBlock b;
    Runs r;
    plShapeError error = {.message = "no memory"};
    if (plBlock_Open(&b, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no block: %s", error.message);
        return false;
    }
    const bool good = follow(job, &b, &r) && addColumns(job, &b, &r);
    if (good) claimRigid(job, &b, &r);
    if (good) claimSoft(job, &b, &r);
    plBlock_Close(&b);
    return good;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "unset key\n"
    "unset grid\n"
    "unset border\n"
    "unset xtics\n"
    "unset ytics\n"
    "set size ratio -1\n"
    "set xrange [-0.125:0.125]\n"
    "set yrange [-0.08:0.08]\n"
    "set style fill solid 0.75 noborder\n"
    "set object 1 rectangle from -0.1,-0.05 to 0.1,0.05 fs empty border rgb '#999999' lw 1\n"
    "set arrow 1 from -0.1,0 to 0.1,0 nohead dt 3 lc rgb '#BBBBBB' lw 1\n"
    "names = 'natural reversed shuffled 1e7 1e8 1e9'\n"
    "array title[6] = ['rigid, as they come', 'rigid, from the last', 'rigid, shuffled', "
    "'E = 10^7 Pa', 'E = 10^8 Pa', 'E = 10^9 Pa']\n"
    "do for [i=0:5] {\n"
    "  n = word(names, i + 1)\n"
    "  set lmargin at screen 0.005 + 0.23*(i%3)\n"
    "  set rmargin at screen 0.225 + 0.23*(i%3)\n"
    "  set tmargin at screen i < 3 ? 0.99 : 0.52\n"
    "  set bmargin at screen i < 3 ? 0.56 : 0.09\n"
    "  set label 1 title[i + 1] at 0,0.076 center\n"
    "  plot csv using 'x':'y':(0.0105*sqrt(column('load '.n))) with circles lc rgb (i < 3 ? "
    "'#D55E00' : '#0072B2'), \\\n"
    "       '' using 'x':'y':(0.012*column('fx '.n)):(0.012*column('fy '.n)) with vectors nohead "
    "lc rgb '#222222' lw 1.4\n"
    "}\n"
    "unset label\n"
    "set label 2 'downhill →' at screen 0.345,0.04 center textcolor rgb '#555555'\n"
    "unset object\n"
    "unset arrow\n"
    "set size noratio\n"
    "set border 3 back ls 21\n"
    "set grid back ls 20\n"
    "set lmargin at screen 0.765\n"
    "set rmargin at screen 0.985\n"
    "set tmargin at screen 0.91\n"
    "set bmargin at screen 0.15\n"
    "set logscale xy\n"
    "set xrange [1:20000]\n"
    "set yrange [1e-8:10]\n"
    "set xtics nomirror (1, 10, 100, 1000, 10000)\n"
    "set ytics nomirror 1e-8,100,10\n"
    "unset mxtics\n"
    "unset mytics\n"
    "set format y '10^{%T}'\n"
    "set xlabel 'sweeps of Gauss-Seidel' offset 0,0.4\n"
    "set label 1 'how far the loads are off' at graph 0,1.0 left offset 0,0.7\n"
    "set key at graph 0.03,0.04 left bottom Left reverse title 'E [Pa]'\n"
    "plot csv using 'sweeps':'off 1e9' with linespoints ls 1 pt 7 ps 0.5 title '10^9', \\\n"
    "     '' using 'sweeps':'off 1e8' with linespoints ls 3 pt 7 ps 0.5 title '10^8', \\\n"
    "     '' using 'sweeps':'off 1e7' with linespoints ls 5 pt 7 ps 0.5 title '10^7'\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini13 = {
    .id = "signorini-13",
    .title = "How feet share a load",
    .caption = "A block on a slope, from above, in its first step: discs are the loads of its 15 "
               "feet (by area), lines their friction. Above: rigid. Gauss-Seidel finds an answer, "
               "a correct one, but which depends on the order of the feet. Below: a block that "
               "gives a little, in a world. There is one answer, left and right alike, and it has "
               "a limit as the block gets harder. Right: Gauss-Seidel comes to it, as near as the "
               "world is solved, but the later the harder the block is.",
    .parameters =
        "Block of spec 5: 0.2 x 0.1 x 0.1 m, 2 kg, 45 nodes, nu = 0.3; slope of 10 "
        "degrees, mu = 0.5, step 3 ms; mean-free compliance and rigid motion (eq. 30); "
        "1000 sweeps for the rigid ones; the world's law is the cone, by Newton's method.",
    .width = 960,
    .height = 400,
    .script = script,
    .make = make,
};
