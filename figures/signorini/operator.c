// signorini figures 9 and 11: the response of the table's feet as a picture, without and with beams
// between the legs.                                                            (signorini spec 4)
#include "signorini/signorini.h"
#include "signorini/table.h"

#include <stdio.h>

/// The feet in the order of a picture: leg after leg.
static void sortByLeg(const plTable* t, int* order)
{
    int count = 0;
    for (int leg = 0; leg < 4; ++leg) {
        for (int i = 0; i < t->count; ++i) {
            if (t->leg[i] == leg) order[count++] = i;
        }
    }
}

/// |W| over the largest of all, of rows first, first + step, ... of 3 a foot; columns "NAME row",
/// "NAME column", "NAME size".
static bool addPicture(plFigureJob* job, const plTable* t, const char* name, int first, int step)
{
    int order[64];
    const int size = 3 * t->count, n = size / step;
    double* row = plFigureJob_Column(job, n * n, "%s row", name);
    double* column = plFigureJob_Column(job, n * n, "%s column", name);
    double* value = plFigureJob_Column(job, n * n, "%s size", name);
    double most = 0;
    if (!row || !column || !value) return false;
    sortByLeg(t, order);
    for (int i = 0; i < size * size; ++i) most = fmax(most, fabs(t->W[i]));
    for (int e = 0; e < n * n; ++e) {
        const int a = first + e / n * step, b = first + e % n * step;
        const int i = 3 * order[a / 3] + a % 3, j = 3 * order[b / 3] + b % 3;
        row[e] = e / n, column[e] = e % n;
        value[e] = fmax(fabs(t->W[i * size + j]) / most, 1e-5);
    }
    return true;
}

/// The largest sum of |W_ij| over the others, relative to the diagonal.
static double dominance(const plTable* t)
{
    const int size = 3 * t->count;
    double worst = 0;
    for (int i = 0; i < size; ++i) {
        double sum = 0;
        for (int j = 0; j < size; ++j) sum += i == j ? 0 : fabs(t->W[i * size + j]);
        worst = fmax(worst, sum / t->W[i * size + i]);
    }
    return worst;
}

static bool open(plFigureJob* job, int beams, plTable* t)
{
    plShapeError error = {.message = "no memory"};
    if (plTable_Open(t, 2, beams, 4, &error) == pl_statusOk) return true;
    snprintf(job->message, sizeof job->message, "no table: %s", error.message);
    return false;
}

static double ratio(const plTable* t, int k)
{
    return plTable_SameLeg(t, k) / plTable_OtherLegs(t, k);
}

// -------------------------------------------------------------------------------------- plain

static bool makePlain(plFigureJob* job)
{
    static const char* const rows[3] = {"normal", "x", "y"};
    plTable t;
    if (!open(job, 0, &t)) return false;
    const bool good = addPicture(job, &t, "all", 0, 1) && addPicture(job, &t, "x", 1, 3);
    for (int k = 0; good && k < 3; ++k) {
        plFigureJob_Claim(job, rows[k], ratio(&t, k), plAtLeast(10),
                          "\"Two contacts on the same leg are much more coupled than two contacts "
                          "on different legs\": mean coupling in %s, same leg over others",
                          rows[k]);
    }
    if (good) {
        plFigureJob_Check(job, "block", ratio(&t, 3), plWithin(150, 0.6),
                          "The same of the norms of whole blocks, against an independent "
                          "implementation");
        plFigureJob_Claim(job, "dominance", dominance(&t), plAtMost(1),
                          "\"Diagonal dominance in the Delassus operator is verified\": largest "
                          "sum of |W_ij| of a row over W_ii");
        plFigureJob_Differs(
            job, plAtLeast(1),
            "The four contacts of a foot feel each other almost as much as themselves.");
    }
    plTable_Close(&t);
    return good;
}

// --------------------------------------------------------------------------------------- ring

static void claimRing(plFigureJob* job, const plTable* plain, const plTable* ring)
{
    const double joined = plTable_Coupling(ring, 1, plTableAlongX);
    const double apart = plTable_Coupling(ring, 1, plTableAlongY);
    plFigureJob_Check(job, "tangential", ratio(ring, 1), plAtMost(12),
                      "Beams join the legs: mean coupling in x, same leg over others");
    plFigureJob_Check(job, "normal", ratio(ring, 0), plAtLeast(30),
                      "But not up and down: mean normal coupling, same leg over others");
    plFigureJob_Claim(
        job, "joined", joined / plTable_Coupling(plain, 1, plTableAlongX), plAtLeast(2),
        "\"The coupling between contacts on different legs increases along the direction of "
        "reinforcements\": coupling in x of legs joined along x, over that without beams");
    plFigureJob_Check(job, "apart", apart / plTable_Coupling(plain, 1, plTableAlongY),
                      plBetween(0.8, 1.2),
                      "Coupling in x of legs joined along y, over that without beams: as before");
    plFigureJob_Claim(
        job, "diagonal", plTable_Diagonal(ring, 1) / plTable_Diagonal(plain, 1), plAtMost(0.9),
        "\"The tangential values of [W] are lower\": mean of W_xx over that without beams");
    plFigureJob_Check(job, "reference", joined, plWithin(5.51e-5, 5e-8),
                      "Coupling in x of legs joined along x [m/N], against an independent "
                      "implementation");
}

static bool makeRing(plFigureJob* job)
{
    plTable plain, ring;
    if (!open(job, 0, &plain)) return false;
    bool good = open(job, 2, &ring);
    if (good) {
        good = addPicture(job, &ring, "all", 0, 1) && addPicture(job, &ring, "x", 1, 3);
        if (good) claimRing(job, &plain, &ring);
        plTable_Close(&ring);
    }
    plTable_Close(&plain);
    return good;
}

// ----------------------------------------------------------------------------------- drawings

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set size ratio 1\n"
    "set tmargin at screen 0.90\n"
    "set bmargin at screen 0.09\n"
    "set logscale cb\n"
    "set cbrange [1e-4:1]\n"
    "set format cb '10^{%L}'\n"
    "set palette defined (0 '#ffffff', 0.25 '#d6e3ef', 0.5 '#7fb0d4', 0.75 '#1f5f9e', 1 '#08203f')\n"
    "unset grid\n"
    "set border 15 ls 21\n"
    "unset colorbox\n"
    "set yrange [107.5:-0.5]\n"
    "set xrange [-0.5:107.5]\n"
    "set tics scale 0\n"
    "set xtics ('leg 1' 13, 'leg 2' 40, 'leg 3' 67, 'leg 4' 94)\n"
    "set ytics ('leg 1' 13, 'leg 2' 40, 'leg 3' 67, 'leg 4' 94) rotate by 90 center\n"
    "do for [i=1:3] {\n"
    "  set arrow 2*i from 27*i-0.5,-0.5 to 27*i-0.5,107.5 nohead front lc rgb '#D55E00' lw 0.8\n"
    "  set arrow 2*i+1 from -0.5,27*i-0.5 to 107.5,27*i-0.5 nohead front lc rgb '#D55E00' lw 0.8\n"
    "}\n"
    "set lmargin at screen 0.05\n"
    "set rmargin at screen 0.44\n"
    "set label 1 'all rows (normal, x, y of each foot)' at graph 0,1.0 left offset 0,0.7\n"
    "plot csv using 'all column':'all row':'all size' with image pixels\n"
    "unset arrow\n"
    "set yrange [35.5:-0.5]\n"
    "set xrange [-0.5:35.5]\n"
    "set xtics ('leg 1' 4, 'leg 2' 13, 'leg 3' 22, 'leg 4' 31)\n"
    "set ytics ('leg 1' 4, 'leg 2' 13, 'leg 3' 22, 'leg 4' 31) rotate by 90 center\n"
    "do for [i=1:3] {\n"
    "  set arrow 2*i from 9*i-0.5,-0.5 to 9*i-0.5,35.5 nohead front lc rgb '#D55E00' lw 0.8\n"
    "  set arrow 2*i+1 from -0.5,9*i-0.5 to 35.5,9*i-0.5 nohead front lc rgb '#D55E00' lw 0.8\n"
    "}\n"
    "set lmargin at screen 0.51\n"
    "set rmargin at screen 0.90\n"
    "set colorbox user origin screen 0.925,0.2 size screen 0.015,0.6\n"
    "set label 1 'x alone'\n"
    "set label 2 '|W| / largest' at screen 0.985,0.86 right font ',11'\n"
    "plot csv using 'x column':'x row':'x size' with image pixels\n"
    "unset multiplot\n";
// clang-format on

#define TABLE                                                                                      \
    "Table of spec 4, two cells a leg, 36 feet, E = 2 MPa; W = H (M/T^2 + K)^-1 H^T, T = 5 ms. "   \
    "Legs 1 and 2 lie along x, as do 3 and 4; 1 and 3 along y, as do 2 and 4."

const plFigure plFigureSignorini9 = {
    .id = "signorini-9",
    .title = "The response of a table's feet",
    .caption = "How far each foot moves, in each direction, under a force of 1 N at another one: "
               "the Delassus operator W as a picture. Feet of one leg move together; other legs "
               "hardly notice.",
    .parameters = TABLE,
    .width = 960,
    .height = 470,
    .script = script,
    .make = makePlain,
};

const plFigure plFigureSignorini11 = {
    .id = "signorini-11",
    .title = "The same with beams between the legs",
    .caption = "A ring of four beams near the floor joins the legs: a push along x is felt by the "
               "leg at the beam's other end, and by no other; every foot yields less. Up and down "
               "the legs stay apart.",
    .parameters = TABLE,
    .width = 960,
    .height = 470,
    .script = script,
    .make = makeRing,
};
