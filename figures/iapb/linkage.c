// The linkage of iapb footnote 5: three links with revolute joints, held by a hand at one of them, in a
// closed box with two free objects; plastic and elastic. Scene `linkage-held`.
#include "base/base.h"
#include "iapb/iapb.h"
#include "math/math.h"

#include <stdio.h>
#include <string.h>

enum { steps = 4000, bodies = 5, instants = 2, edges = 4 };

typedef enum { plastic, elastic, caseCount } Case;

static const char* const names[caseCount] = {"plastic", "elastic"};
static const char* const settings[caseCount][2] = {{"contact.surface.restitution=0", NULL},
                                                   {"contact.surface.restitution=1", NULL}};
static const int shownAt[instants] = {1, 735}; // the start, and among the first hits

/// Outlines in the frames of the bodies [m]; as in the scene.
static const struct {
    const char* mechanism;
    int part, count;
    double points[4][2];
} outlines[bodies] = {
    {"arm", 0, 4, {{-.04, -.006}, {.04, -.006}, {.04, .006}, {-.04, .006}}},
    {"arm", 1, 4, {{-.08, -.006}, {-.01, -.006}, {-.01, .006}, {-.08, .006}}},
    {"arm", 2, 4, {{.01, -.006}, {.08, -.006}, {.08, .006}, {.01, .006}}},
    {"square", 0, 4, {{-.03, -.03}, {.03, -.03}, {.03, .03}, {-.03, .03}}},
    {"triangle", 0, 3, {{-.035, -.025}, {.035, -.025}, {0, .05}}},
};
static const double objectMass = 0.2; // of square and triangle [kg]

typedef struct {
    double *kinetic, *given, *taken; ///< of the world, by the hand, by collisions [J]
    double *force, *own, *outer; ///< on the hand; the same where its link, or another, is hit [N]
    double *momentum[2], *x[2], *y[2]; ///< of square and triangle [N s], [mm]
    double* edge[instants][4];         ///< of the bodies: x, y, and the way to the next corner [mm]

    int collisions, ownHits, outerHits, handed;
    double gained, lost; ///< most that a collision gave, and took [J]
    double all;          ///< taken by all of them [J]
    double defect;       ///< of an object's momentum and its contacts' impulses [N s]
    double felt, hit;    ///< jumps of the hand's impulse at hits of outer links, and these [N s]
    double peak;         ///< of the force when an outer link is hit [N]
    double most;         ///< momentum of an object [N s]
} Track;

// --------------------------------------------------------------------------------------- runs

static bool addColumns(plFigureJob* job, const char* name, Track* t)
{
    double** const list[] = {&t->kinetic, &t->given, &t->taken, &t->force, &t->own, &t->outer};
    const char* const what[] = {"kinetic", "given", "taken", "force", "own hit", "outer hit"};
    const char* const object[] = {"square", "triangle"};
    bool good = true;
    *t = (Track){0};
    for (int i = 0; i < PL_COUNT(list); ++i) {
        *list[i] = plFigureJob_Column(job, steps, "%s %s", what[i], name);
        good = good && *list[i];
    }
    for (int i = 0; i < 2; ++i) {
        t->momentum[i] = plFigureJob_Column(job, steps, "momentum %s %s", object[i], name);
        t->x[i] = plFigureJob_Column(job, steps, "x %s %s", object[i], name);
        t->y[i] = plFigureJob_Column(job, steps, "y %s %s", object[i], name);
        good = good && t->momentum[i] && t->x[i] && t->y[i];
    }
    for (int i = 0; i < 4 * instants; ++i) {
        const char* const part[] = {"x", "y", "dx", "dy"};
        double** edge = &t->edge[i / 4][i % 4];
        *edge = plFigureJob_Column(job, bodies * edges, "%s %d %s", part[i % 4], i / 4, name);
        good = good && *edge;
    }
    return good;
}

static plMechanismId idOf(const plFigureRun* run, const char* name)
{
    plMechanismId id = {0};
    plWorld_FindMechanism(run->world, name, &id);
    return id;
}

static void drawEdges(const plFigureRun* run, double* const* edge)
{
    for (int i = 0; i < bodies; ++i) {
        const plSite site = {.mechanism = idOf(run, outlines[i].mechanism),
                             .part = outlines[i].part};
        plMotion m = {.R = plIdentity3()};
        plWorld_Motion(run->world, site, &m);
        for (int c = 0; c < outlines[i].count; ++c) {
            const double *p = outlines[i].points[c],
                         *next = outlines[i].points[(c + 1) % outlines[i].count];
            const plVec3 at = plAdd(m.x, plMul(&m.R, plVec(p[0], p[1], 0)));
            const plVec3 way = plMul(&m.R, plVec(next[0] - p[0], next[1] - p[1], 0));
            const double row[4] = {at.x, at.y, way.x, way.y};
            for (int k = 0; k < 4; ++k) edge[k][edges * i + c] = 1e3 * row[k];
        }
    }
}

/// Impulses of the contacts of a tick.
typedef struct {
    double own, outer; ///< on the link that is held, and on the others [N s]
    plVec3 on[2];      ///< square and triangle
    bool handed;       ///< some of it from the arm to an object
} Impulses;

static void addSide(const plFigureRun* run, plSite site, plVec3 p, Impulses* sum)
{
    const uint32_t index1 = site.mechanism.index1;
    if (index1 == idOf(run, "arm").index1) {
        *(site.part == 0 ? &sum->own : &sum->outer) += plNorm(p);
    } else if (index1 == idOf(run, "square").index1) {
        sum->on[0] = plAdd(sum->on[0], p);
    } else if (index1 != 0) {
        sum->on[1] = plAdd(sum->on[1], p);
    }
}

static Impulses readContacts(const plFigureRun* run)
{
    const uint32_t arm = idOf(run, "arm").index1;
    Impulses sum = {0};
    for (int i = 0; i < plWorld_ContactCount(run->world); ++i) {
        plContactInfo c;
        plWorld_Contact(run->world, i, &c);
        const uint32_t a = c.a.mechanism.index1, b = c.b.mechanism.index1;
        addSide(run, c.a, plScale(run->T, c.force), &sum);
        addSide(run, c.b, plScale(-run->T, c.force), &sum);
        if (a && b && (a == arm) != (b == arm) && plNorm(c.force) > 0) sum.handed = true;
    }
    return sum;
}

static plVec3 momentumOf(const plFigureRun* run, int object)
{
    double v[3] = {0};
    plWorld_State(run->world, idOf(run, object ? "triangle" : "square"), NULL, v);
    return plScale(objectMass, plVec(v[0], v[1], 0));
}

static plVec3 forceOf(const plFigureRun* run)
{
    return plVec(plFigureRun_Read(run, "stick.force[0]"), plFigureRun_Read(run, "stick.force[1]"),
                 0);
}

static void judgeHit(const Impulses* hit, double jump, double force, int k, Track* t)
{
    if (hit->own > 0) {
        ++t->ownHits;
        t->own[k] = force;
    } else if (hit->outer > 0) {
        ++t->outerHits;
        t->outer[k] = force;
        t->peak = fmax(t->peak, force);
        t->felt += jump;
        t->hit += hit->outer;
    }
    t->handed += hit->handed;
}

static void judgeCollision(double taken, Track* t)
{
    ++t->collisions;
    t->gained = fmax(t->gained, -taken);
    t->lost = fmax(t->lost, taken);
    t->all += taken;
}

static void stepOnce(plFigureRun* run, int k, Track* t)
{
    const plVec3 before[2] = {momentumOf(run, 0), momentumOf(run, 1)}, F0 = forceOf(run);
    const double dissipated = plWorld_ContactLedger(run->world).dissipated;
    plWorld_Step(run->world, run->T);
    const double taken = plWorld_ContactLedger(run->world).dissipated - dissipated;
    const plVec3 F = forceOf(run);
    const Impulses hit = readContacts(run);
    const plAccount all = plWorld_Ledger(run->world);
    t->kinetic[k] = all.kinetic;
    t->given[k] = all.applied;
    t->force[k] = plNorm(F);
    for (int i = 0; i < 2; ++i) {
        const plVec3 now = momentumOf(run, i);
        t->defect = fmax(t->defect, plNorm(plSub(plSub(now, before[i]), hit.on[i])));
        t->momentum[i][k] = plNorm(now);
        t->most = fmax(t->most, t->momentum[i][k]);
        t->x[i][k] = 1e3 * plFigureRun_Read(run, i ? "triangle.body.x" : "square.body.x");
        t->y[i][k] = 1e3 * plFigureRun_Read(run, i ? "triangle.body.y" : "square.body.y");
    }
    if (plWorld_Report(run->world).colliding > 0) {
        judgeCollision(taken, t);
        judgeHit(&hit, run->T * plNorm(plSub(F, F0)), t->force[k], k, t);
    }
    t->taken[k] = t->all;
}

static bool follow(plFigureJob* job, Case c, Track* t)
{
    plFigureRun run;
    plFigureJob_Progress(job, names[c]);
    if (!addColumns(job, names[c], t)) return false;
    if (!plFigureJob_Open(job, "linkage-held", settings[c], &run)) return false;
    for (int k = 0; k < steps; ++k) {
        stepOnce(&run, k, t);
        for (int i = 0; i < instants; ++i) {
            if (k == shownAt[i]) drawEdges(&run, t->edge[i]);
        }
    }
    plFigureRun_Close(&run);
    return true;
}

// ------------------------------------------------------------------------------------- claims

static void claims(plFigureJob* job, const Track* t)
{
    const Track *p = &t[plastic], *e = &t[elastic];
    plFigureJob_Claim(job, "passive", fmax(p->gained, e->gained), plAtMost(1e-15),
                      "\"Never increases the kinetic energy of the system\": most that one of %d "
                      "collisions gave [J]",
                      p->collisions + e->collisions);
    plFigureJob_Claim(
        job, "elastic", fmax(e->lost, e->gained), plAtMost(1e-15),
        "\"Both perfectly elastic\": elastic ones keep the energy: largest change in one of %d [J]",
        e->collisions);
    plFigureJob_Claim(
        job, "plastic", 1e3 * p->all, plAtLeast(10),
        "\"and perfectly plastic contacts\": plastic ones take it: in %d collisions [mJ]",
        p->collisions);
    plFigureJob_Check(job, "handed", p->handed + e->handed, plAtLeast(10),
                      "The arm hands momentum on to the free objects, in this many collisions");
    plFigureJob_Check(job, "momentum", fmax(p->defect, e->defect), plAtMost(1e-12),
                      "What an object gains is what its contacts gave it, in every step: largest "
                      "difference [N s]");
    plFigureJob_Check(job, "outer", p->outerHits + e->outerHits, plAtLeast(10),
                      "Collisions in which only links are hit that the hand does not hold (its own "
                      "in %d)",
                      p->ownHits + e->ownHits);
    plFigureJob_Check(job, "felt", (p->felt + e->felt) / (p->hit + e->hit), plAtLeast(0.2),
                      "The hand feels them: jumps of its impulse over the impulses on the links");
    plFigureJob_Check(job, "felt-peak", fmax(p->peak, e->peak), plAtLeast(10),
                      "Largest force on the hand when it is another link that is hit [N]");
}

static bool make(plFigureJob* job)
{
    Track t[caseCount];
    double* time = plFigureJob_Column(job, steps, "time");
    if (!time) return false;
    for (int k = 0; k < steps; ++k) time[k] = 1e-3 * (k + 1);
    for (Case c = plastic; c < caseCount; ++c)
        if (!follow(job, c, &t[c])) return false;
    claims(job, t);
    return true;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "array key[2] = ['plastic', 'elastic']\n"
    "array name[2] = ['plastic, e = 0', 'elastic, e = 1']\n"
    "do for [i=1:2] {\n"
    "  left = i == 1 ? 0.075 : 0.565\n"
    "  right = i == 1 ? 0.48 : 0.97\n"
    "  set lmargin at screen left\n"
    "  set rmargin at screen right\n"
    "  set tmargin at screen 0.97\n"
    "  set bmargin at screen 0.659\n"
    "  set size ratio -1\n"
    "  set xrange [-250:250]\n"
    "  set yrange [-200:200]\n"
    "  set xtics 100\n"
    "  set ytics 100\n"
    "  set border 15 back lc rgb '#B5AA98' lw 4\n"
    "  set format x '%g'\n"
    "  set xlabel 'x [mm]' offset 0,0.6\n"
    "  set ylabel 'y [mm]' offset 0.8,0\n"
    "  set label 1 name[i] at graph 0,1.0 left offset 0,0.7\n"
    "  unset key\n"
    "  plot csv using (column('x square '.key[i])):(column('y square '.key[i])) with lines lc rgb '#E69F00' lw 1, "
    "'' using (column('x triangle '.key[i])):(column('y triangle '.key[i])) with lines lc rgb '#009E73' lw 1, "
    "'' using (column('x 0 '.key[i])):(column('y 0 '.key[i])):(column('dx 0 '.key[i])):(column('dy 0 '.key[i])) with vectors nohead lc rgb '#AAAAAA' lw 1.4, "
    "'' using (column('x 1 '.key[i])):(column('y 1 '.key[i])):(column('dx 1 '.key[i])):(column('dy 1 '.key[i])) with vectors nohead lc rgb '#0072B2' lw 2\n"
    "  set size noratio\n"
    "  set border 3 back ls 21\n"
    "  set xrange [0:4]\n"
    "  set xtics 1\n"
    "  set format x ''\n"
    "  unset xlabel\n"
    "  set tmargin at screen 0.565\n"
    "  set bmargin at screen 0.40\n"
    "  set yrange [0:0.4]\n"
    "  set ytics 0.2\n"
    "  set ylabel 'energy [J]' offset 0.8,0\n"
    "  set label 1 'energy' at graph 0,1.0 left offset 0,0.6\n"
    "  set key at screen right,0.592 right top horizontal samplen 1.2 width -2\n"
    "  plot csv using 'time':(column('given '.key[i])) with lines ls 9 dt 2 title 'given', "
    "'' using 'time':(column('kinetic '.key[i])) with lines ls 1 title 'kinetic', "
    "'' using 'time':(column('taken '.key[i])) with lines ls 2 title 'lost'\n"
    "  unset key\n"
    "  set tmargin at screen 0.345\n"
    "  set bmargin at screen 0.225\n"
    "  set logscale y\n"
    "  set yrange [0.1:400]\n"
    "  set ytics 10\n"
    "  set format y '10^{%T}'\n"
    "  set ylabel 'force [N]' offset 0.8,0\n"
    "  set label 1 'force on the hand' at graph 0,1.0 left offset 0,0.6\n"
    "  set key at screen right,0.372 right top horizontal samplen 0.4 width -3\n"
    "  plot csv using 'time':(column('force '.key[i])) with lines lc rgb '#888888' lw 1, "
    "'' using 'time':(column('own hit '.key[i])) with points ls 1 pt 7 ps 0.5 title 'its link is hit', "
    "'' using 'time':(column('outer hit '.key[i])) with points ls 2 pt 7 ps 0.5 title 'another is'\n"
    "  unset logscale y\n"
    "  set format y '%g'\n"
    "  set format x '%g'\n"
    "  set xlabel 'time [s]' offset 0,0.6\n"
    "  set tmargin at screen 0.175\n"
    "  set bmargin at screen 0.06\n"
    "  set yrange [0:0.25]\n"
    "  set ytics 0.1\n"
    "  set ylabel '[N s]' offset 0.8,0\n"
    "  set label 1 'momentum' at graph 0,1.0 left offset 0,0.6\n"
    "  set key at screen right,0.202 right top horizontal samplen 1.2 width -2\n"
    "  plot csv using 'time':(column('momentum square '.key[i])) with lines ls 5 title 'square', "
    "'' using 'time':(column('momentum triangle '.key[i])) with lines ls 3 title 'triangle'\n"
    "}\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureIapbLinkage = {
    .id = "iapb-linkage",
    .title = "A linkage in a hand",
    .caption =
        "A hand leads a chain of three links by its middle one through a closed box, and hits "
        "two free objects with it (blue: after 0.74 s; thin: the objects' ways). Energy that the "
        "hand gives becomes kinetic, or is lost in collisions and joints. Plastic "
        "collisions take energy, elastic ones keep it, and none gives any. What hits the "
        "outer links reaches the hand through the joints.",
    .parameters =
        "Scene linkage-held: links of 0.3, 0.2 and 0.2 kg, objects of 0.2 kg, box of 500 x "
        "400 mm, no gravity, no friction; device 0.5 kg; hand 60 N/m, 6 N s/m; controller "
        "200 N/m, 10 N s/m; collisions by complementarity, T = 1 ms.",
    .width = 960,
    .height = 1000,
    .script = script,
    .make = make,
};
