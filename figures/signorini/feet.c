// signorini figure 6: a loaded table stands on its floor; its feet spread, the less the more friction
// there is.                                                                    (signorini spec 4)
#include "signorini/flat.h"
#include "signorini/signorini.h"
#include "signorini/table.h"

#include <stdio.h>
#include <stdlib.h>

enum { muCount = 10, mostEdges = 512 };
static const double mus[muCount] = {0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.8};

static const char* const names[2] = {"plain", "ring"};

typedef struct {
    plTableFeet feet[2][muCount];
} Runs;

// -------------------------------------------------------------------------------- the drawing

typedef struct {
    int count, node[mostEdges][2];
} Edges;

static void addEdge(Edges* e, int a, int b)
{
    for (int i = 0; i < e->count; ++i) {
        if ((e->node[i][0] == a && e->node[i][1] == b) ||
            (e->node[i][0] == b && e->node[i][1] == a)) {
            return;
        }
    }
    if (e->count == mostEdges) return;
    e->node[e->count][0] = a, e->node[e->count][1] = b;
    e->count++;
}

/// The grid of the front, y = 0: edges along x and z.
static void findEdges(const plSoft* s, Edges* e)
{
    e->count = 0;
    for (int k = 0; k < 16 * s->tetCount; ++k) {
        const int a = s->tets[k / 16 * 4 + k % 4], b = s->tets[k / 16 * 4 + k / 4 % 4];
        const plVec3 d = plSub(s->points[a], s->points[b]);
        const bool front = s->points[a].y < 1e-9 && s->points[b].y < 1e-9;
        if (a != b && front && (fabs(d.x) < 1e-9 || fabs(d.z) < 1e-9)) addEdge(e, a, b);
    }
}

static plVec3 shown(const plTable* t, int node)
{
    const double larger = 4;
    const double* u = &t->u[3 * node];
    return plAddScaled(t->soft.points[node], larger, plVec(u[0], u[1], u[2]));
}

/// Four shots, two in a row.
static void drawFront(const plTable* t, const Edges* e, int shot, plFlat* flat)
{
    const double x = 0.34 * (shot % 2), z = -0.21 * (shot / 2);
    for (int i = 0; i < e->count; ++i) {
        const plVec3 a = shown(t, e->node[i][0]), b = shown(t, e->node[i][1]);
        plFlat_Draw(flat, x + a.x, z + a.z, x + b.x, z + b.z);
    }
}

// --------------------------------------------------------------------------------------- runs

/// Shots: the plain table at mu 0 and 0.8, then the same with beams.
static bool follow(plFigureJob* job, int ring, plFlat* flat, Runs* r)
{
    plTable t;
    plShapeError error = {.message = "no memory"};
    Edges* edges = malloc(sizeof *edges);
    plFigureJob_Progress(job, names[ring]);
    if (!edges || plTable_Open(&t, 2, 2 * ring, 4, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no table: %s", error.message);
        free(edges);
        return false;
    }
    findEdges(&t.soft, edges);
    for (int i = 0; i < muCount; ++i) {
        r->feet[ring][i] = plTable_Load(&t, mus[i]);
        if (i == 0) drawFront(&t, edges, 2 * ring, flat);
        if (i == muCount - 1) drawFront(&t, edges, 2 * ring + 1, flat);
    }
    free(edges);
    plTable_Close(&t);
    return true;
}

static bool addColumns(plFigureJob* job, const Runs* r)
{
    double* mu = plFigureJob_Column(job, muCount, "mu");
    for (int i = 0; mu && i < muCount; ++i) mu[i] = mus[i];
    for (int ring = 0; mu && ring < 2; ++ring) {
        double* spread = plFigureJob_Column(job, muCount, "spread %s", names[ring]);
        double* sag = plFigureJob_Column(job, muCount, "sag %s", names[ring]);
        if (!spread || !sag) return false;
        for (int i = 0; i < muCount; ++i) {
            spread[i] = r->feet[ring][i].spread, sag[i] = r->feet[ring][i].sag;
        }
    }
    return mu != NULL;
}

// ------------------------------------------------------------------------------------- claims

/// The largest |ratio - 1| against the reference's values, of those above 0.02 mm: smaller ones have
/// too few digits there.
static double referenceError(const Runs* r)
{
    static const struct {
        int index;
        double spread[2]; // [mm]
    } told[] = {{0, {5.312, 0.5117}}, {1, {4.853, 0.4845}}, {2, {4.223, 0.4383}},
                {3, {3.430, 0.3614}}, {5, {2.241, 0.2082}}, {8, {0.0272, 0}}};
    double worst = 0;
    for (int i = 0; i < PL_COUNT(told); ++i) {
        for (int ring = 0; ring < 2; ++ring) {
            if (told[i].spread[ring] == 0) continue;
            const double spread = 1e3 * r->feet[ring][told[i].index].spread;
            worst = fmax(worst, fabs(spread / told[i].spread[ring] - 1));
        }
    }
    return worst;
}

static void claim(plFigureJob* job, const Runs* r)
{
    double growth = -INFINITY, weight = 0, res = 0;
    for (int ring = 0; ring < 2; ++ring) {
        for (int i = 0; i < muCount; ++i) {
            const plTableFeet* f = &r->feet[ring][i];
            if (i > 0) growth = fmax(growth, f->spread - r->feet[ring][i - 1].spread);
            weight = fmax(weight, fabs(f->normal / (ring ? 60.2008 : 55.5390) - 1));
            res = fmax(res, f->res);
        }
    }
    plFigureJob_Check(job, "reference", referenceError(r), plAtMost(0.01),
                      "The feet spread as in an independent implementation, plain and with beams, "
                      "at mu 0 to 0.5 (largest relative error)");
    plFigureJob_Claim(
        job, "falls", growth, plAtMost(0),
        "\"The importance of the friction coefficient to the behavior of the table\": more "
        "friction, less spread: largest change from one mu to the next [m]");
    plFigureJob_Check(job, "stays", r->feet[0][8].spread / r->feet[0][0].spread, plAtMost(0.01),
                      "At mu 0.5 the feet of the plain table stay: their way over that without "
                      "friction");
    plFigureJob_Check(job, "beams", r->feet[1][0].spread / r->feet[0][0].spread, plAtMost(0.15),
                      "Beams between the legs hold the feet even without friction: spread over "
                      "that of the plain table");
    plFigureJob_Check(job, "weight", weight, plAtMost(1e-4),
                      "The floor carries the table and its load (largest relative error of the "
                      "sum of the feet's forces)");
    plFigureJob_Check(job, "residual", res, plAtMost(1e-8),
                      "Every step of every run satisfies Signorini's and Coulomb's laws (worst "
                      "relative defect, by the judge)");
}

static bool make(plFigureJob* job)
{
    Runs* r = calloc(1, sizeof *r);
    plFlat flat;
    bool good = r && plFlat_Add(job, "front", 4 * mostEdges, &flat) && follow(job, 0, &flat, r) &&
                follow(job, 1, &flat, r) && addColumns(job, r);
    if (good) claim(job, r);
    free(r);
    return good;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.085\n"
    "set rmargin at screen 0.47\n"
    "set tmargin at screen 0.93\n"
    "set bmargin at screen 0.14\n"
    "set xrange [0:0.8]\n"
    "set yrange [0:6]\n"
    "set xlabel 'friction coefficient μ' offset 0,0.4\n"
    "set ylabel 'spread of the feet [mm]' offset 0.8,0\n"
    "set key at graph 0.98,0.97 right top Left reverse\n"
    "plot csv using 'mu':(1000*column('spread plain')) with linespoints ls 1 pt 7 ps 0.6 title "
    "'plain', \\\n"
    "     '' using 'mu':(1000*column('spread ring')) with linespoints ls 2 pt 5 ps 0.6 title "
    "'with beams'\n"
    "unset key\n"
    "unset border\n"
    "unset xtics\n"
    "unset ytics\n"
    "set size ratio -1\n"
    "unset xlabel\n"
    "unset ylabel\n"
    "unset grid\n"
    "set lmargin at screen 0.52\n"
    "set rmargin at screen 0.99\n"
    "set tmargin at screen 0.93\n"
    "set bmargin at screen 0.06\n"
    "set xrange [-0.04:0.62]\n"
    "set yrange [-0.27:0.15]\n"
    "set label 1 'plain, μ = 0' at 0.12,0.13 center\n"
    "set label 2 'plain, μ = 0.8' at 0.46,0.13 center\n"
    "set label 3 'with beams, μ = 0' at 0.12,-0.08 center\n"
    "set label 4 'with beams, μ = 0.8' at 0.46,-0.08 center\n"
    "set label 5 'displacements ×4' at 0.29,-0.25 center font ',11' textcolor rgb '#555555'\n"
    "do for [i=0:3] {\n"
    "  set arrow 1+i from -0.035+0.34*(i%2),-0.21*(i/2) to 0.275+0.34*(i%2),-0.21*(i/2) nohead "
    "lc rgb '#999999' lw 1.5\n"
    "}\n"
    "plot csv using 'front x':'front y':'front dx':'front dy' with vectors nohead lc rgb '#0072B2' "
    "lw 1.1\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini6 = {
    .id = "signorini-6",
    .title = "A loaded table and its feet",
    .caption = "A soft table under its weight and 40 N on the middle of its top. Without friction "
               "its legs slide apart; with friction they bend less, and from about 0.5 on the feet "
               "stay where they were. Beams between the legs do the same without friction. "
               "Gravity and load grow over one second: a load that falls on the table would slide "
               "it by its swing. Right: its front at the end.",
    .parameters = "Table of spec 4, two cells a leg: 651 nodes (831 with beams), E = 2 MPa, nu = "
                  "0.3, 1100 kg/m^3, 36 contacts; implicit Euler, 5 ms, 1.4 s; the law of the cone "
                  "on the response of the step.",
    .width = 960,
    .height = 430,
    .script = script,
    .make = make,
    .isLong = true,
};
