// signorini figure 14: a clip is pushed over a rigid pipe and pulled off again, in balance at every
// place.                                                                      (signorini spec 6.1)
#include "signorini/snap.h"
#include "signorini/flat.h"
#include "signorini/signorini.h"

#include <stdio.h>
#include <stdlib.h>

enum { curveCount = 3, shotCount = 4, mostEdges = 256 };

typedef struct {
    const char* name; ///< of its columns
    double mu;
    double push, pushAt, pull, pullAt; ///< of an independent implementation [N], [mm]
} Case;

static const Case cases[curveCount] = {{"smooth", 0, 5.1259, 6.75, 5.349, 1.5},
                                       {"0.2", 0.2, 9.5899, 6.20, 10.2727, 1.95},
                                       {"0.8", 0.8, 25.974, 5.70, 31.103, 2.30}};

static const double shots[shotCount] = {9e-3, 6.2e-3, 3e-3, 0.15e-3};

// -------------------------------------------------------------------------------- the drawing

typedef struct {
    int count, node[mostEdges][2];
} Edges;

static bool isFront(const plSoft* s, const int* triangle, double z)
{
    for (int k = 0; k < 3; ++k) {
        if (s->points[triangle[k]].z < z - 1e-9) return false;
    }
    return true;
}

static bool hasEdge(const int* triangle, int a, int b)
{
    for (int k = 0; k < 3; ++k) {
        if (triangle[k] == a && triangle[(k + 1) % 3] == b) return true;
    }
    return false;
}

/// The outline of the front: edges of its triangles that no other one has, running back.
static void findOutline(const plSoft* s, const plTetsSurface* surface, Edges* e)
{
    double z = 0;
    for (int i = 0; i < s->nodeCount; ++i) z = fmax(z, s->points[i].z);
    e->count = 0;
    for (int i = 0; i < 3 * surface->triangleCount; ++i) {
        const int* t = &surface->triangles[i / 3 * 3];
        const int a = t[i % 3], b = t[(i + 1) % 3];
        bool shared = false;
        if (!isFront(s, t, z)) continue;
        for (int j = 0; j < surface->triangleCount && !shared; ++j) {
            const int* other = &surface->triangles[3 * j];
            shared = isFront(s, other, z) && hasEdge(other, b, a);
        }
        if (shared || e->count == mostEdges) continue;
        e->node[e->count][0] = a, e->node[e->count][1] = b;
        e->count++;
    }
}

/// The ring and the foot of the handle, two shots in a row.
static void drawShot(plSnap* s, const Edges* e, int shot, double* x, plFlat* flat)
{
    const double cut = 36e-3, right = 36e-3 * (shot % 2), up = -58e-3 * (shot / 2);
    plSnap_Shape(s, x);
    for (int i = 0; i < e->count; ++i) {
        const double *a = &x[3 * e->node[i][0]], *b = &x[3 * e->node[i][1]];
        if (fmax(a[1], b[1]) > cut) continue;
        plFlat_Draw(flat, right + a[0], up + a[1], right + b[0], up + b[1]);
    }
}

/// The clip at mu = 0.2 on its way in, at some places.
static bool addShots(plFigureJob* job, plSnap* s)
{
    const plAllocator allocator = plDefaultAllocator();
    const plSnapPath path = plDefaultSnapPath(0.2);
    plTetsSurface surface;
    plFlat flat;
    Edges* edges = malloc(sizeof *edges);
    double* x = malloc(3 * (size_t)s->soft.nodeCount * sizeof *x);
    const bool good = edges && x && plFlat_Add(job, "clip", shotCount * mostEdges, &flat) &&
                      plTets_Surface(&s->mesh, &allocator, &surface) == pl_statusOk;
    if (good) {
        int shot = 0;
        findOutline(&s->soft, &surface, edges);
        plTetsSurface_Free(&surface);
        plSnap_Start(s, path.top);
        for (int k = 0; shot < shotCount; ++k) {
            const double y = path.top - k * path.step;
            if (k > 0) plSnap_Move(s, path.mu, y, path.rounds);
            if (y < shots[shot] + path.step / 2) drawShot(s, edges, shot++, x, &flat);
        }
    } else if (job->message[0] == '\0') {
        snprintf(job->message, sizeof job->message, "no memory for a drawing");
    }
    free(edges), free(x);
    return good;
}

// --------------------------------------------------------------------------------------- runs

static bool addCurve(plFigureJob* job, const char* name, const plSnapWay* way)
{
    double* y = plFigureJob_Column(job, way->count, "y %s", name);
    double* force = plFigureJob_Column(job, way->count, "force %s", name);
    if (!y || !force) return false;
    for (int k = 0; k < way->count; ++k) y[k] = way->places[k].y, force[k] = way->places[k].force.y;
    return true;
}

static void claimPeaks(plFigureJob* job, const Case* c, const plSnapWay* way)
{
    char id[40];
    const int push = plSnapWay_Peak(way, 0, way->lowest, 1);
    const int pull = plSnapWay_Peak(way, way->lowest, way->count - 1, -1);
    const plSnapPlace *in = &way->places[push], *out = &way->places[pull];
    snprintf(id, sizeof id, "push-%s", c->name);
    plFigureJob_Check(job, id, in->force.y, plWithin(c->push, 0.005 * c->push),
                      "mu = %g: largest push on the way in [N], against an independent "
                      "implementation on the same mesh",
                      c->mu);
    snprintf(id, sizeof id, "push-at-%s", c->name);
    plFigureJob_Check(job, id, 1e3 * in->y, plWithin(c->pushAt, 0.0501),
                      "mu = %g: height of the ring there [mm]", c->mu);
    snprintf(id, sizeof id, "pull-%s", c->name);
    plFigureJob_Check(job, id, -out->force.y, plWithin(c->pull, 0.005 * c->pull),
                      "mu = %g: largest pull on the way out [N]", c->mu);
    snprintf(id, sizeof id, "pull-at-%s", c->name);
    plFigureJob_Check(job, id, 1e3 * out->y, plWithin(c->pullAt, 0.0501),
                      "mu = %g: height of the ring there [mm]", c->mu);
}

static double leastBehindThePeak(const plSnapWay* way)
{
    const int push = plSnapWay_Peak(way, 0, way->lowest, 1);
    return way->places[plSnapWay_Peak(way, push, way->lowest, -1)].force.y;
}

static void claimWork(plFigureJob* job, const plSnapWay* ways)
{
    double across = 0, depth = 0, pushed = 0;
    int failed = 0;
    for (int i = 0; i < curveCount; ++i) {
        for (int k = 0; k < ways[i].count; ++k) {
            const plSnapPlace* p = &ways[i].places[k];
            across = fmax(across, hypot(p->force.x, p->force.z));
            depth = fmax(depth, p->depth);
            failed += p->failed;
        }
    }
    for (int k = 1; k <= ways[0].lowest; ++k) {
        pushed += fmax(0, plSnapWay_Work(&ways[0], k - 1, k));
    }
    const double cycle = plSnapWay_Work(&ways[0], 0, ways[0].count - 1);
    plFigureJob_Check(job, "cycle", fabs(cycle) / pushed, plAtMost(1e-3),
                      "Without friction the way out gives back what the way in took: work of the "
                      "cycle over that of pushing");
    plFigureJob_Check(job, "lost-0.2", 1e3 * plSnapWay_Work(&ways[1], 0, ways[1].count - 1),
                      plWithin(72.2, 0.36), "mu = 0.2: work lost in friction [mJ]");
    plFigureJob_Check(job, "lost-0.8", 1e3 * plSnapWay_Work(&ways[2], 0, ways[2].count - 1),
                      plWithin(298, 1.5), "mu = 0.8: work lost in friction [mJ]");
    plFigureJob_Claim(job, "snaps-0.2", leastBehindThePeak(&ways[1]), plAtMost(-1),
                      "\"In the third phase the closing clip forces are significant\", mu = 0.2: "
                      "least push behind the peak [N]");
    plFigureJob_Claim(job, "stays-0.8", leastBehindThePeak(&ways[2]), plAtMost(-1),
                      "The same with mu = 0.8 [N]");
    plFigureJob_Differs(
        job, plWithin(1.38, 0.01),
        "So much friction holds what the closing clip pulls: it must be pushed all the way.");
    plFigureJob_Check(job, "snaps-force", leastBehindThePeak(&ways[1]), plWithin(-1.877, 0.01),
                      "mu = 0.2: behind the peak the clip pulls itself in [N], against an "
                      "independent implementation");
    plFigureJob_Check(job, "across", across, plAtMost(1e-6),
                      "Left and right are alike: largest force across [N]");
    plFigureJob_Check(job, "depth", depth, plAtMost(1e-9), "No node is in the pipe [m]");
    plFigureJob_Check(job, "failed", failed, plAtMost(0), "All problems of contact were solved");
}

static bool make(plFigureJob* job)
{
    plSnap s;
    plShapeError error = {.message = "no memory"};
    const plClipDef def = plDefaultClipDef();
    plSnapWay* ways = calloc(curveCount, sizeof *ways);
    if (!ways || plSnap_Open(&s, &def, &error) != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no clip: %s", error.message);
        free(ways);
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < curveCount; ++i) {
        const plSnapPath path = plDefaultSnapPath(cases[i].mu);
        plFigureJob_Progress(job, cases[i].name);
        plSnap_Travel(&s, &path, &ways[i]);
        good = addCurve(job, cases[i].name, &ways[i]);
        if (good) claimPeaks(job, &cases[i], &ways[i]);
    }
    if (good) claimWork(job, ways);
    good = good && addShots(job, &s);
    plSnap_Close(&s);
    free(ways);
    return good;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.075\n"
    "set rmargin at screen 0.60\n"
    "set tmargin at screen 0.95\n"
    "set bmargin at screen 0.13\n"
    "set xrange [9:0]\n"
    "set yrange [-35:30]\n"
    "set xtics 1\n"
    "set ytics 10\n"
    "set xlabel 'height of the ring over the pipe [mm]' offset 0,0.4\n"
    "set ylabel 'force of the hand [N]' offset 1,0\n"
    "set xzeroaxis ls 21\n"
    "set key at graph 0.02,0.06 left bottom Left reverse\n"
    "set label 1 'pushed on →' at graph 0.03,0.95 left textcolor rgb '#555555'\n"
    "set label 2 '← pulled off' at graph 0.97,0.05 right textcolor rgb '#555555'\n"
    "plot csv using (1000*column('y 0.8')):'force 0.8' with lines ls 2 lw 2 title 'μ = 0.8', \\\n"
    "     '' using (1000*column('y 0.2')):'force 0.2' with lines ls 1 title 'μ = 0.2', \\\n"
    "     '' using (1000*column('y smooth')):'force smooth' with lines ls 9 lw 1.6 title 'μ = 0'\n"
    "unset key\n"
    "unset label\n"
    "unset border\n"
    "unset xtics\n"
    "unset ytics\n"
    "unset xlabel\n"
    "unset ylabel\n"
    "unset grid\n"
    "unset xzeroaxis\n"
    "set size ratio -1\n"
    "set lmargin at screen 0.62\n"
    "set rmargin at screen 0.995\n"
    "set tmargin at screen 0.93\n"
    "set bmargin at screen 0.05\n"
    "set xrange [-0.018:0.054]\n"
    "set yrange [-0.079:0.037]\n"
    "set label 1 'y = 9 mm' at 0,-0.014 center font ',11'\n"
    "set label 2 '6.2 mm' at 0.036,-0.014 center font ',11'\n"
    "set label 3 '3 mm' at 0,-0.072 center font ',11'\n"
    "set label 4 '0.15 mm' at 0.036,-0.072 center font ',11'\n"
    "set label 5 'μ = 0.2, on the way in' at 0.018,-0.078 center font ',11' textcolor rgb "
    "'#555555'\n"
    "do for [i=0:3] {\n"
    "  set object 1+i circle at 0.036*(i%2),-0.058*(i/2) size 0.010 fc rgb '#E4E4E4' fs solid "
    "border rgb '#777777' lw 1\n"
    "}\n"
    "plot csv using 'clip x':'clip y':'clip dx':'clip dy' with vectors nohead lc rgb '#0072B2' "
    "lw 1.6\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini14 = {
    .id = "signorini-14",
    .title = "Snap-in and snap-out",
    .caption = "A clip is pushed over a rigid pipe and pulled off again, so slowly that it is in "
               "balance at every place. With little friction it snaps: behind the peak it pulls "
               "itself on. With mu = 0.8 it must be pushed all the way, and pulled off with more "
               "force than it took to push it on. The area within a loop is what friction takes. "
               "Right: the clip at four places.",
    .parameters = "Clip of spec 6: 393 nodes, 1152 tetrahedra, E = 700 MPa, nu = 0.35; pipe of 10 "
                  "mm; the last 30 mm of the handle held; static compliance of 87 candidates; "
                  "steps of 0.05 mm, three linearisations of the pipe in each.",
    .width = 960,
    .height = 520,
    .script = script,
    .make = make,
};
