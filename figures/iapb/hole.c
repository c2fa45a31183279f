// The peg in the tight hole of iapb section VII, where "at most six collisions" met at once: scene
// `hole` under the paper's rule, under complementarity, and with springs alone.
#include "base/base.h"
#include "iapb/iapb.h"

#include <math.h>
#include <stdio.h>

typedef enum { equality, complementarity, penalty, half, elastic, methodCount } Method;

// By the paper's rule all contacts take part: (20) has a row for each, and where they are more than the
// degrees of freedom, its pseudo-inverse takes the least norm.
static const struct {
    const char* name; ///< of its columns
    const char* settings[4];
} methods[methodCount] = {
    {"equality", {"contact.collision=equality", "contact.touchingCollide=true"}},
    {"complementarity", {"contact.collision=complementarity"}},
    {"penalty", {"law=penalty"}},
    {"half",
     {"contact.collision=equality", "contact.touchingCollide=true",
      "contact.surface.restitution=0.5"}},
    {"elastic",
     {"contact.collision=equality", "contact.touchingCollide=true",
      "contact.surface.restitution=1"}}};

enum { steps = 1024, shown = 3 };

typedef struct {
    double *touching, *resolved; ///< contacts, and those with an impulse in a collision
    double *x, *y, *angle;       ///< of the peg [mm], [rad]
    double *force, *kinetic;     ///< on the hand, of the peg [N], [J]
    int collisions, mostTouching, mostResolved;
    int sixes;      ///< collisions in which six touched
    int over;       ///< collisions with more impulses than the peg has degrees of freedom
    double gained;  ///< most energy that a collision gave [J]
    double taken;   ///< by all of them [J]
    double pull;    ///< largest impulse that pulls [N s]
    double peak;    ///< of the force [N]
    double deepest; ///< [mm]
    double depth;   ///< at the end [mm]
    double in;      ///< when the peg first touches the end [s]
} Track;

// --------------------------------------------------------------------------------------- runs

static bool addColumns(plFigureJob* job, const char* name, Track* t)
{
    *t = (Track){.in = NAN};
    t->touching = plFigureJob_Column(job, steps, "contacts %s", name);
    t->resolved = plFigureJob_Column(job, steps, "collisions %s", name);
    t->x = plFigureJob_Column(job, steps, "x %s", name);
    t->y = plFigureJob_Column(job, steps, "y %s", name);
    t->angle = plFigureJob_Column(job, steps, "angle %s", name);
    t->force = plFigureJob_Column(job, steps, "force %s", name);
    t->kinetic = plFigureJob_Column(job, steps, "kinetic %s", name);
    return t->touching && t->resolved && t->x && t->y && t->angle && t->force && t->kinetic;
}

/// Contacts of the last tick that were given an impulse.
static int countImpulses(const plFigureRun* run, double* pull)
{
    int count = 0;
    for (int i = 0; i < plWorld_ContactCount(run->world); ++i) {
        plContactInfo c;
        plWorld_Contact(run->world, i, &c);
        const double p = run->T * (c.force.x * c.normal.x + c.force.y * c.normal.y);
        count += p != 0;
        *pull = fmax(*pull, -p);
    }
    return count;
}

static void stepOnce(plFigureRun* run, Method m, int k, Track* t)
{
    const double before = plWorld_ContactLedger(run->world).dissipated;
    plWorld_Step(run->world, run->T);
    const double taken = plWorld_ContactLedger(run->world).dissipated - before;
    const plStepReport report = plWorld_Report(run->world);
    t->x[k] = 1e3 * plFigureRun_Read(run, "tool.q[0]");
    t->y[k] = 1e3 * plFigureRun_Read(run, "tool.q[1]");
    t->angle[k] = plFigureRun_Read(run, "tool.q[2]");
    t->kinetic[k] = plFigureRun_Read(run, "tool.kinetic");
    t->force[k] =
        hypot(plFigureRun_Read(run, "stick.force[0]"), plFigureRun_Read(run, "stick.force[1]"));
    t->touching[k] = plWorld_ContactCount(run->world);
    t->mostTouching = (int)fmax(t->mostTouching, t->touching[k]);
    t->peak = fmax(t->peak, t->force[k]);
    t->deepest = fmax(t->deepest, 1e3 * report.depth);
    if (isnan(t->in) && t->y[k] > 4.5) t->in = plWorld_Time(run->world);
    if (m == penalty || report.colliding == 0) return;
    t->resolved[k] = countImpulses(run, &t->pull);
    t->mostResolved = (int)fmax(t->mostResolved, t->resolved[k]);
    t->sixes += t->touching[k] == 6;
    t->over += t->resolved[k] > 3;
    t->gained = fmax(t->gained, -taken);
    t->taken += taken;
    ++t->collisions;
}

static bool follow(plFigureJob* job, Method m, Track* t)
{
    plFigureRun run;
    plFigureJob_Progress(job, methods[m].name);
    if (!addColumns(job, methods[m].name, t)) return false;
    if (!plFigureJob_Open(job, "hole", methods[m].settings, &run)) return false;
    for (int k = 0; k < steps; ++k) stepOnce(&run, m, k, t);
    plFigureRun_Close(&run);
    return true;
}

/// The peg at three places of its way: corners, and the ways to the next.
static bool addEdges(plFigureJob* job, const Track* t)
{
    const int at[shown] = {60, 316, 1000};
    const double corner[4][2] = {{-5.25, -10.5}, {5.25, -10.5}, {5.25, 10.5}, {-5.25, 10.5}};
    const char* const part[] = {"edge x", "edge y", "edge dx", "edge dy"};
    double* edge[4];
    for (int k = 0; k < 4; ++k) {
        edge[k] = plFigureJob_Column(job, 4 * shown, "%s", part[k]);
        if (!edge[k]) return false;
    }
    for (int i = 0; i < 4 * shown; ++i) {
        const int tick = at[i / 4];
        const double co = cos(t->angle[tick]), si = sin(t->angle[tick]);
        const double *a = corner[i % 4], *b = corner[(i + 1) % 4];
        const double way[2] = {b[0] - a[0], b[1] - a[1]};
        edge[0][i] = t->x[tick] + co * a[0] - si * a[1];
        edge[1][i] = t->y[tick] + si * a[0] + co * a[1];
        edge[2][i] = co * way[0] - si * way[1];
        edge[3][i] = si * way[0] + co * way[1];
    }
    return true;
}

// ------------------------------------------------------------------------------------- claims

static void claimCounts(plFigureJob* job, const Track* t)
{
    plFigureJob_Check(job, "touching", t[equality].sixes, plAtLeast(1),
                      "Six contacts touch, two at each wall and two at the end, in this many "
                      "collisions by the paper's rule");
    plFigureJob_Claim(job, "six", t[equality].mostResolved, plWithin(6, 0),
                      "\"At most six collisions have been resolved simultaneously\": most contacts "
                      "with an impulse in one collision");
    plFigureJob_Check(job, "six-touch",
                      fmin(t[complementarity].mostTouching, t[penalty].mostTouching),
                      plWithin(6, 0), "Six touch at once in the other worlds too");
    plFigureJob_Check(job, "fewer", t[complementarity].mostResolved, plAtMost(4),
                      "By complementarity fewer of them push: most contacts with an impulse");
}

static void claimEnergy(plFigureJob* job, const Track* t)
{
    const Method byPaper[] = {equality, half, elastic};
    double gained = 0, most = 0;
    int count = 0;
    for (int i = 0; i < PL_COUNT(byPaper); ++i) {
        gained = fmax(gained, t[byPaper[i]].gained);
        for (int k = 0; k < steps; ++k) most = fmax(most, t[byPaper[i]].kinetic[k]);
        count += t[byPaper[i]].collisions;
    }
    plFigureJob_Claim(
        job, "passive", gained / most, plAtMost(1e-12),
        "Theorem 2, \"KE <= KE_0\" for all e in [0, 1] \"when the constraints are "
        "overdetermined\": e = 0, 1/2 and 1: most that one of %d collisions gave, over the most "
        "that the peg had; overdetermined are %d, %d and %d",
        count, t[equality].over, t[half].over, t[elastic].over);
    plFigureJob_Check(job, "passive-complementarity", t[complementarity].gained, plAtMost(1e-17),
                      "By complementarity no collision gives energy either [J]");
    plFigureJob_Check(job, "taken", 1e3 * t[equality].taken, plAtLeast(1),
                      "Energy that the paper's rule takes in %d collisions [mJ]",
                      t[equality].collisions);
    plFigureJob_Check(job, "taken-complementarity", t[complementarity].taken / t[equality].taken,
                      plBetween(0.5, 1.5), "and complementarity in %d, in units of that",
                      t[complementarity].collisions);
}

static void claimForces(plFigureJob* job, const Track* t)
{
    plFigureJob_Check(job, "pulls", 1e3 * t[equality].pull, plAtLeast(1),
                      "The paper's rule also pulls: largest such impulse [mN s]");
    plFigureJob_Check(job, "never-pulls", t[complementarity].pull, plAtMost(0),
                      "Complementarity never does [N s]");
    plFigureJob_Check(job, "peak", t[equality].peak / t[penalty].peak, plAtLeast(2),
                      "Peak of the force on the hand over that with springs alone");
    plFigureJob_Check(job, "deepest", t[penalty].deepest / t[equality].deepest, plAtLeast(2),
                      "Springs alone let the peg into the bevel of the mouth: deepest place over "
                      "that with the paper's rule");
    plFigureJob_Check(job, "late", t[penalty].in - t[equality].in, plAtLeast(0.05),
                      "and it arrives later at the end [s]");
}

static bool make(plFigureJob* job)
{
    Track t[methodCount];
    double* time = plFigureJob_Column(job, steps, "time");
    if (!time) return false;
    for (int k = 0; k < steps; ++k) time[k] = (k + 1) / 512.;
    for (Method m = equality; m < methodCount; ++m)
        if (!follow(job, m, &t[m])) return false;
    if (!addEdges(job, &t[equality])) return false;
    claimCounts(job, t);
    claimEnergy(job, t);
    claimForces(job, t);
    return true;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "array key[3] = ['equality', 'complementarity', 'penalty']\n"
    "array name[3] = ['paper''s rule', 'complementarity', 'springs alone']\n"
    "array look[3] = [1, 3, 2]\n"
    "set lmargin at screen 0.07\n"
    "set rmargin at screen 0.335\n"
    "set tmargin at screen 0.94\n"
    "set bmargin at screen 0.09\n"
    "set size ratio -1\n"
    "set xrange [-15:15]\n"
    "set yrange [-52:22]\n"
    "set xtics 5\n"
    "set ytics 10\n"
    "set xlabel 'x [mm]' offset 0,0.5\n"
    "set ylabel 'y [mm]' offset 0.6,0\n"
    "set label 1 'peg, paper''s rule' at graph 0,1.0 left offset 0,0.7\n"
    "set object 1 polygon from -15,0 to -6.23,0 to -5.23,1 to -5.23,15 to 5.23,15 to 5.23,1 to 6.23,0 to 15,0 to 15,22 to -15,22 to -15,0 "
    "fc rgb '#E4DED3' fs solid border lc rgb '#B5AA98' behind\n"
    "plot csv using 'edge x':'edge y':'edge dx':'edge dy' with vectors nohead lc rgb '#0072B2' lw 1.6\n"
    "unset object 1\n"
    "set size noratio\n"
    "set lmargin at screen 0.40\n"
    "set rmargin at screen 0.98\n"
    "set xrange [0.55:1.35]\n"
    "set xtics 0.1\n"
    "do for [j=1:3] {\n"
    "  set tmargin at screen 0.94 - 0.295*(j - 1)\n"
    "  set bmargin at screen 0.715 - 0.3125*(j - 1)\n"
    "  if (j < 3) { set format x ''; unset xlabel } else { set format x '%g'; set xlabel 'time [s]' offset 0,0.5 }\n"
    "  if (j == 1) { set yrange [0:6.9]; set ytics 2; unset logscale y; set format y '%g'; set ylabel 'contacts' offset 0.8,0; "
    "set label 1 'contacts (lines) and impulses of a collision (points)' at graph 0,1.0 left offset 0,0.6 }\n"
    "  if (j == 2) { set logscale y; set yrange [0.01:300]; set ytics 10; set format y '10^{%T}'; set ylabel 'force [N]' offset 0.8,0; "
    "set label 1 'force on the hand' at graph 0,1.0 left offset 0,0.6; set key at graph 0.98,0.98 right top Left reverse }\n"
    "  if (j == 3) { unset logscale y; set yrange [0:7.4]; set ytics 2; set format y '%g'; set ylabel 'energy [mJ]' offset 0.8,0; "
    "set label 1 'kinetic energy of the peg' at graph 0,1.0 left offset 0,0.6; unset key }\n"
    "  if (j == 1) { unset key; plot for [i=1:3] csv using 'time':(column('contacts '.key[i]) + 0.09*(i - 2)) with steps ls look[i], "
    "for [i=1:2] csv using 'time':(column('collisions '.key[i]) + 0.09*(i - 2)) with points ls look[i] pt 7 ps 0.7 }\n"
    "  if (j == 2) { plot for [i=1:3] csv using 'time':(column('force '.key[i])) with steps ls look[i] title name[i] }\n"
    "  if (j == 3) { plot for [i=1:3] csv using 'time':(1e3*column('kinetic '.key[i])) with lines ls look[i] }\n"
    "}\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureIapbHole = {
    .id = "iapb-hole",
    .title = "A peg into a tight hole",
    .caption = "A hand leads a peg, tilted by two degrees, into a hole that is a little too narrow "
               "for it, and against its end. It meets the bevel of the mouth, both walls, and at "
               "last the end: then it has six contacts. Each collision takes energy "
               "from the peg, whatever the rule; springs alone let it in deeper, and push it back.",
    .parameters =
        "Scene hole, with touchingCollide for the paper's rule: peg of 10.5 x 21 mm, 2 "
        "kg, 0.005 kg m^2, device alike; hole 10.46 mm "
        "wide and 15 mm deep, bevel of 1 mm; walls 1000 N/m, 50 N s/m, e = 0, for theorem 2 "
        "also 1/2 and 1, without friction; hand 100 N/m, 20 N s/m; controller 100 N/m, 70 N s/m; T "
        "= 1/512 s.",
    .width = 960,
    .height = 620,
    .script = script,
    .make = make,
};
