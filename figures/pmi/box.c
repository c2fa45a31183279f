// pmi figures 5 to 8: a box falls on a floor, bounces, or does not.                 (pmi spec 4)
// The law of contact holds one velocity of the corners: their mean over the step, and then a step
// loses T mu lam_f.lam_n and nothing else (elastic); or that of its end, and what was normal is lost
// (plastic). Semi-implicit Euler knows no other than that of the end.
#include "base/base.h"
#include "math/math.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    const char* name; ///< of its columns
    plIntegrator integrator;
    plBias bias;
    int sides;
    double mu, driftRate;
} Case;

static const Case elastic = {"elastic", pl_integratorMidpoint, pl_biasElastic, 4, 0.3, 0};
static const Case smooth = {"smooth", pl_integratorMidpoint, pl_biasElastic, 4, 0, 0.2};
static const Case euler = {"euler", pl_integratorSemiImplicit, pl_biasPlastic, 4, 0.3, 0};
static const Case plastic = {"plastic", pl_integratorMidpoint, pl_biasPlastic, 4, 0.3, 0};
static const Case eight = {"eight", pl_integratorMidpoint, pl_biasPlastic, 8, 0.3, 0};
static const Case oneSided = {"one-sided", pl_integratorMidpoint, pl_biasOneSided, 4, 0.3, 0};
static const Case lifted = {"lifted", pl_integratorMidpoint, pl_biasOneSided, 4, 0.3, 0.2};

static const double g = 9.81, half = 0.05; // [m/s^2]; of the box's side [m]
static const double T = 1e-3;
enum { steps = 5000 };

// -------------------------------------------------------------------------------------- world

static plStatus addBox(plWorld* world, const Case* c)
{
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef cube = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    body.name = "box";
    body.integrator = c->integrator;
    body.mass = 1;
    body.inertia = plDiagonal3(0.01 / 6, 0.01 / 6, 0.01 / 6);
    body.pose = (plPose){{0, 0, 0.5}, plExp(plVec(0.4, 0.2, 0))};
    plStatus status = plWorld_AddAssembly(world, &body, &cube.mechanism);
    cube.shape.half = plVec(half, half, half);
    if (status == pl_statusOk) status = plWorld_AddShape(world, &floor, &id);
    if (status == pl_statusOk) status = plWorld_AddShape(world, &cube, &id);
    return status;
}

static bool open(plFigureJob* job, const Case* c, plFigureRun* run)
{
    plWorldDef def = plDefaultWorldDef();
    def.contact.law = pl_lawLcp;
    def.contact.bias = c->bias;
    def.contact.sides = c->sides;
    def.contact.surface.friction = c->mu;
    def.contact.driftRate = c->driftRate;
    *run = (plFigureRun){.T = T, .steps = steps};
    plFigureJob_Progress(job, c->name);
    plStatus status = plWorld_Create(&def, &run->world);
    if (status != pl_statusOk) run->world = NULL;
    if (status == pl_statusOk) status = addBox(run->world, c);
    if (status != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no world for a box: %s",
                 plStatus_Name(status));
        plFigureRun_Close(run);
        return false;
    }
    run->energy = plFigureRun_Energy(run);
    return true;
}

typedef struct {
    plVec3 x;
    plMat3 R;
    plVec3 v, spin; ///< spin in body axes
} State;

static State stateOf(const plFigureRun* run)
{
    double q[7], v[6];
    plWorld_State(run->world, plWorld_Mechanism(run->world, 0), q, v);
    return (State){plVec(q[0], q[1], q[2]), plRotation((plQuat){q[3], q[4], q[5], q[6]}),
                   plVec(v[0], v[1], v[2]), plVec(v[3], v[4], v[5])};
}

static double lowestCorner(const State* s)
{
    const plVec3 up = plMulT(&s->R, plVec(0, 0, 1));
    return s->x.z - half * (fabs(up.x) + fabs(up.y) + fabs(up.z));
}

// --------------------------------------------------------------------------------------- runs

/// Arrays have a value before the first step and one behind every step.
typedef struct {
    double *E, *z;        ///< energy, height of the centre
    double flight;        ///< largest change in a step without contact, less the integrator's [J]
    double gain, excess;  ///< largest change in a step, and largest E - E0 [J]
    double keeping;       ///< largest |E - E0| [J]
    double slip;          ///< largest |dE + T mu lam_f.lam_n| of a step [J]
    double force, change; ///< of the first contact [N], [J]
    double rebound;       ///< highest place of the lowest corner after it [m]
    double depth, rest;   ///< deepest; deepest of the last tenth [m]
    double kinetic, end;  ///< at the end [J]
} Curve;

/// T mu lam_f.lam_n of the contacts of a step: lam_f is the slip that the pyramid sees, the largest
/// -d_j.v^ of its directions, v^ the mean velocity of the corner.
static double slidingLoss(const plWorld* world, const Case* c, const State* before,
                          const State* after)
{
    const plVec3 v = plScale(0.5, plAdd(before->v, after->v));
    const plVec3 spin = plScale(0.5, plAdd(before->spin, after->spin));
    double loss = 0;
    for (int i = 0; i < plWorld_ContactCount(world); ++i) {
        plContactInfo contact;
        double slip = 0;
        plWorld_Contact(world, i, &contact);
        const plVec3 u = plAdd(v, plMul(&before->R, plCross(spin, contact.a.point)));
        for (int j = 0; j < c->sides; ++j) {
            const double angle = 2 * PL_PI * j / c->sides;
            slip = fmax(slip, -cos(angle) * u.x - sin(angle) * u.y);
        }
        loss += T * c->mu * slip * plDot(contact.force, contact.normal);
    }
    return loss;
}

static double normalForce(const plWorld* world)
{
    double sum = 0;
    for (int i = 0; i < plWorld_ContactCount(world); ++i) {
        plContactInfo contact;
        plWorld_Contact(world, i, &contact);
        sum += plDot(contact.force, contact.normal);
    }
    return sum;
}

static void measure(const plFigureRun* run, const Case* c, int k, const State* before, Curve* curve)
{
    const double change = curve->E[k] - curve->E[k - 1];
    const double formula = c->integrator == pl_integratorMidpoint ? 0 : -g * g * T * T / 2;
    const plStepReport report = plWorld_Report(run->world);
    const State after = stateOf(run);
    curve->gain = fmax(curve->gain, change);
    curve->excess = fmax(curve->excess, curve->E[k] - run->energy);
    curve->keeping = fmax(curve->keeping, fabs(curve->E[k] - run->energy));
    curve->slip = fmax(curve->slip, fabs(change + slidingLoss(run->world, c, before, &after)));
    curve->depth = fmax(curve->depth, report.depth);
    if (k > steps - steps / 10) curve->rest = fmax(curve->rest, report.depth);
    if (report.contacts == 0) curve->flight = fmax(curve->flight, fabs(change - formula));
    if (curve->force == 0) curve->force = normalForce(run->world), curve->change = change;
    if (curve->force > 0) curve->rebound = fmax(curve->rebound, lowestCorner(&after));
}

static bool follow(plFigureJob* job, const Case* c, Curve* curve)
{
    plFigureRun run;
    *curve = (Curve){.gain = -INFINITY, .excess = -INFINITY};
    curve->E = plFigureJob_Column(job, steps + 1, "E %s", c->name);
    curve->z = plFigureJob_Column(job, steps + 1, "z %s", c->name);
    if (!curve->E || !curve->z || !open(job, c, &run)) return false;
    State before = stateOf(&run);
    curve->E[0] = run.energy;
    curve->z[0] = before.x.z;
    for (int k = 1; k <= steps; ++k) {
        plWorld_Step(run.world, T);
        curve->E[k] = plFigureRun_Energy(&run);
        measure(&run, c, k, &before, curve);
        before = stateOf(&run);
        curve->z[k] = before.x.z;
    }
    curve->kinetic = plWorld_Ledger(run.world).kinetic;
    curve->end = curve->E[steps];
    plFigureRun_Close(&run);
    return true;
}

static bool addTime(plFigureJob* job)
{
    double* t = plFigureJob_Column(job, steps + 1, "time");
    for (int k = 0; t && k <= steps; ++k) t[k] = k * T;
    return t != NULL;
}

// ---------------------------------------------------------------------------------- snapshots

enum { shotCount = 11, shotEdges = 12 };
static const int shots[shotCount] = {0, 150, 250, 296, 305, 315, 325, 350, 380, 420, 500};
static const double slot = 0.19; // from shot to shot on the paper [m]
static const double turn = 0.5;  // of the view about the vertical [rad]

/// From the side: across and up.
static plVec3 onPaper(plVec3 p) { return plVec(cos(turn) * p.x + sin(turn) * p.y, p.z, 0); }

static bool facesUs(plVec3 n) { return cos(turn) * n.y - sin(turn) * n.x < 0; }

/// Edges on the paper: where they begin, and how far they go.
typedef struct {
    double *x, *y, *dx, *dy;
} Edges;

/// Edges of the faces that are seen, three at most.
static void drawBox(const State* s, double shift, const Edges* edges, int row)
{
    const plVec3 axes[3] = {plMul(&s->R, plVec(1, 0, 0)), plMul(&s->R, plVec(0, 1, 0)),
                            plMul(&s->R, plVec(0, 0, 1))};
    const int last = row + shotEdges;
    for (int face = 0; face < 6; ++face) {
        const double side = face % 2 ? half : -half;
        const plVec3 n = plScale(side, axes[face / 2]);
        plVec3 a = plScale(half, axes[(face / 2 + 1) % 3]);
        plVec3 b = plScale(half, axes[(face / 2 + 2) % 3]);
        if (!facesUs(n) || row == last) continue;
        for (int i = 0; i < 4; ++i, ++row) {
            const plVec3 corner = plAdd(plAdd(s->x, n), plSub(b, a));
            const plVec3 from = onPaper(corner), way = onPaper(plScale(2, a));
            edges->x[row] = shift + from.x, edges->y[row] = from.y;
            edges->dx[row] = way.x, edges->dy[row] = way.y;
            const plVec3 next = plScale(-1, b); // a quarter of a turn
            b = a;
            a = next;
        }
    }
}

static bool takeShots(plFigureJob* job, const Case* c)
{
    const int rows = shotCount * shotEdges;
    plFigureRun run;
    const Edges edges = {plFigureJob_Column(job, rows, "x %s", c->name),
                         plFigureJob_Column(job, rows, "y %s", c->name),
                         plFigureJob_Column(job, rows, "dx %s", c->name),
                         plFigureJob_Column(job, rows, "dy %s", c->name)};
    if (!edges.x || !edges.y || !edges.dx || !edges.dy || !open(job, c, &run)) return false;
    for (int i = 0, k = 0; i < shotCount; ++i) {
        for (; k < shots[i]; ++k) plWorld_Step(run.world, T);
        const State s = stateOf(&run);
        drawBox(&s, slot * i - onPaper(s.x).x, &edges, i * shotEdges);
    }
    plFigureRun_Close(&run);
    return true;
}

static bool makeShots(plFigureJob* job)
{
    Curve bounces, stays;
    double* at = plFigureJob_Column(job, shotCount, "shot");
    double* where = plFigureJob_Column(job, shotCount, "shot right");
    if (!at || !where || !takeShots(job, &elastic) || !takeShots(job, &euler)) return false;
    for (int i = 0; i < shotCount; ++i) at[i] = shots[i] * T, where[i] = slot * i;
    if (!follow(job, &elastic, &bounces) || !follow(job, &euler, &stays)) return false;
    plFigureJob_Claim(job, "elastic-bounces", bounces.rebound, plAtLeast(half),
                      "\"It bounces back and forth under PMI-LCP\": highest place of its lowest "
                      "corner after the first contact [m]");
    plFigureJob_Claim(job, "euler-stays", stays.rebound, plAtMost(1e-3),
                      "\"whereas completely plastically collides under SEI even with the same "
                      "parameter setting\": the same height [m]");
    plFigureJob_Check(job, "elastic-energy", bounces.E[500], plAtLeast(2),
                      "After 0.5 s it still has most of its energy [J]");
    plFigureJob_Check(job, "euler-energy", stays.E[500], plAtMost(0.55),
                      "and under semi-implicit Euler little more than that of a box that lies "
                      "there, 0.4905 J");
    return true;
}

// ------------------------------------------------------------------------------------- claims

static void claimFirst(plFigureJob* job, const Curve* c, double force, double change)
{
    plFigureJob_Check(job, "first-force", c->force, plWithin(force, 1e-6 * force),
                      "Normal force of the first contact, at 0.295 s [N]");
    plFigureJob_Check(job, "first-loss", c->change, plWithin(change, 5e-6),
                      "and what it changes of the energy [J]");
}

/// Of figure 6 these are the paper's claims, of figure 8 they are checks.
typedef void AddClaim(plFigureJob*, const char* id, double value, plCriterion, const char* format,
                      ...) __attribute__((format(printf, 5, 6)));

static void claimPassive(plFigureJob* job, const Curve* c, double E0, AddClaim* add)
{
    add(job, "flight", c->flight, plAtMost(1e-14 * E0),
        "\"Total energy remained constant during flight\": largest change in a step without "
        "contact "
        "[J]");
    add(job, "contact-gain", c->gain, plAtMost(1e-12 * E0),
        "\"whereas strictly decreased during contact\": largest change in a step [J]");
    add(job, "excess", c->excess, plAtMost(1e-13),
        "\"The passivity of the PMI-LCP is exact\": largest E - E0 in 5 s [J]");
}

static bool makeElastic(plFigureJob* job)
{
    Curve rough, free;
    if (!addTime(job) || !follow(job, &elastic, &rough) || !follow(job, &smooth, &free))
        return false;
    const double E0 = rough.E[0];
    claimPassive(job, &rough, E0, plFigureJob_Claim);
    claimFirst(job, &rough, 3295.468109806, -1.211336252);
    plFigureJob_Check(job, "second-loss", rough.E[320], plWithin(3.15330043869, 3e-6),
                      "Energy after the second contact, at 0.32 s [J]");
    plFigureJob_Check(job, "slip", rough.slip, plAtMost(1e-12 * E0),
                      "All that contacts take is taken by sliding: largest |dE + T mu lam_f.lam_n| "
                      "of a step [J]");
    plFigureJob_Claim(job, "smooth", free.keeping, plAtMost(7e-13),
                      "\"With no slips, completely lossless collision\": without friction, largest "
                      "|E - E0| in 5 s [J]");
    plFigureJob_Check(job, "depth", rough.depth, plWithin(1.3e-3, 5e-5),
                      "Contacts are found one step late: deepest corner [m]");
    return true;
}

static bool makeEuler(plFigureJob* job)
{
    Curve e, m;
    if (!addTime(job) || !follow(job, &euler, &e) || !follow(job, &elastic, &m)) return false;
    plFigureJob_Check(job, "flight", e.flight, plAtMost(1e-14 * e.E[0]),
                      "In flight semi-implicit Euler loses m g^2 T^2/2 = %.3g J in each step: "
                      "largest error [J]",
                      g * g * T * T / 2);
    plFigureJob_Claim(job, "rebound", e.rebound, plAtMost(1e-3),
                      "\"Completely plastic collision\": highest place of the lowest corner after "
                      "the first contact [m]");
    plFigureJob_Check(job, "midpoint-rebound", m.rebound, plAtLeast(half),
                      "under the midpoint integrator it bounces: the same height [m]");
    plFigureJob_Check(job, "rest", e.kinetic, plAtMost(1e-12),
                      "The box comes to rest: kinetic energy after 5 s [J]");
    plFigureJob_Check(job, "end", e.end, plBetween(0.488, 0.4905),
                      "with the energy of a box on the floor, 0.4905 J, less what it has sunk [J]");
    return true;
}

static bool makePlastic(plFigureJob* job)
{
    Curve p, p8, o, up;
    if (!addTime(job) || !follow(job, &plastic, &p) || !follow(job, &eight, &p8) ||
        !follow(job, &oneSided, &o) || !follow(job, &lifted, &up))
        return false;
    claimPassive(job, &p, p.E[0], plFigureJob_Check);
    claimFirst(job, &p, 1650.522098989, -2.692123963);
    plFigureJob_Claim(job, "rebound", p.rebound, plAtMost(1e-3),
                      "\"Completely plastic collision attained\" with the velocity of the end: "
                      "highest place of the lowest corner after the first contact [m]");
    plFigureJob_Check(job, "eight-gain", p8.gain, plAtMost(1e-12 * p.E[0]),
                      "With 8 sides the law as printed would create up to 8e-7 J in a step; the "
                      "world then falls to the elastic law: largest change in a step [J]");
    plFigureJob_Check(job, "one-sided-force", o.force, plWithin(1650.522098989, 1650.5e-6),
                      "The one-sided law, which is passive by itself, takes the same force at the "
                      "first contact [N]");
    plFigureJob_Check(job, "depth", p.depth, plWithin(2.4e-3, 5e-5), "Deepest corner [m]");
    plFigureJob_Check(job, "lifted-depth", up.rest, plWithin(1e-5, 1e-7),
                      "With drift correction the box rests at the slop of 1e-5 m: depth [m]");
    plFigureJob_Check(job, "lifted-end", up.end, plWithin(0.490402, 1e-6),
                      "and has the energy of that place [J]");
    plFigureJob_Check(job, "lifted-excess", up.excess, plAtMost(1e-13),
                      "paid with what contacts had dissipated: largest E - E0 [J]");
    return true;
}

// ----------------------------------------------------------------------------------- drawings

// clang-format off
static const char shotScript[] =
    "set multiplot\n"
    "unset xtics\n"
    "set border 0\n"
    "unset grid\n"
    "set size ratio -1\n"
    "set xrange [-0.1:2.0]\n"
    "set yrange [-0.09:0.6]\n"
    "set lmargin at screen 0.055\n"
    "set rmargin at screen 0.99\n"
    "set ytics 0, 0.25, 0.5\n"
    "set ylabel 'height [m]' offset 1,0\n"
    "array name[2] = ['passive midpoint: bounces', 'semi-implicit Euler: stays']\n"
    "array key[2] = ['elastic', 'euler']\n"
    "array look[2] = [1, 2]\n"
    "do for [i=1:2] {\n"
    "  set tmargin at screen 0.94 - (i - 1)*0.48\n"
    "  set bmargin at screen 0.50 - (i - 1)*0.48\n"
    "  set label 1 name[i] at graph 0.96,0.97 right\n"
    "  set arrow 1 from -0.09,0 to 1.99,0 nohead ls 9\n"
    "  plot csv using (column('x '.key[i])):(column('y '.key[i])):(column('dx '.key[i])):"
    "(column('dy '.key[i])) with vectors nohead ls look[i] lw 1.2, \\\n"
    "       '' using (column('shot right')):(-0.06):(sprintf('%.3f s', column('shot'))) with "
    "labels textcolor rgb '#555555' font ',11'\n"
    "}\n"
    "unset multiplot\n";

// Energy over height for 5 s on the left, and nearer on the right.
#define PANELS(near, energies, heights)                                                                  \
    "set multiplot\n"                                                                              \
    "do for [i=1:2] {\n"                                                                           \
    "  set lmargin at screen (i == 1 ? 0.075 : 0.585)\n"                                           \
    "  set rmargin at screen (i == 1 ? 0.495 : 0.975)\n"                                           \
    "  if (i == 1) { set xrange [0:5]; set xtics 1 } else { set xrange " near " }\n" \
    "  set tmargin at screen 0.93\n"                                                               \
    "  set bmargin at screen 0.57\n"                                                               \
    "  unset xlabel\n"                                                                             \
    "  set format x ''\n"                                                                          \
    "  set yrange [0:5.4]\n"                                                                       \
    "  set ytics 1\n"                                                                              \
    "  set ylabel 'E [J]' offset 0.8,0\n"                                                          \
    "  set label 1 (i == 1 ? 'energy' : 'energy, nearer') at graph 0,1.0 left "          \
    "offset 0,0.7\n"                                                                               \
    "  if (i == 2) { set key at graph 0.98,0.92 right top Left reverse } else { unset key }\n"     \
    "  plot " energies "\n"                                                                        \
    "  set tmargin at screen 0.47\n"                                                               \
    "  set bmargin at screen 0.11\n"                                                               \
    "  unset key\n"                                                                                \
    "  set xlabel 'time [s]' offset 0,0.5\n"                                                       \
    "  set format x '%g'\n"                                                                        \
    "  set yrange [0:0.55]\n"                                                                      \
    "  set ytics 0.1\n"                                                                            \
    "  set ylabel 'height [m]' offset 0.8,0\n"                                                     \
    "  set label 1 (i == 1 ? 'height of the centre' : 'height, nearer')\n"               \
    "  plot " heights "\n"                                                                         \
    "}\n"                                                                                          \
    "unset multiplot\n"

#define LINE(column, style, title)                                                                 \
    "csv using 'time':(column('" column "')) with lines " style " title '" title "'"

static const char elasticScript[] =
    PANELS("[0.25:1]; set xtics 0.25", LINE("E smooth", "ls 5", "without friction") ", \\\n" LINE("E elastic", "ls 1", "elastic"),
           LINE("z smooth", "ls 5 lw 1", "") ", \\\n" LINE("z elastic", "ls 1", ""));

static const char eulerScript[] =
    PANELS("[0.25:1]; set xtics 0.25", LINE("E elastic", "ls 1 lw 1", "midpoint, elastic") ", \\\n"
           LINE("E euler", "ls 2 lw 2.4", "semi-implicit Euler"),
           LINE("z elastic", "ls 1 lw 1", "") ", \\\n" LINE("z euler", "ls 2 lw 2.4", ""));

static const char plasticScript[] =
    PANELS("[0.28:0.42]; set xtics 0.04", LINE("E one-sided", "ls 5 lw 4", "one-sided, e = 0") ", \\\n"
           LINE("E plastic", "ls 1 lw 1.4", "plastic, as printed"),
           LINE("z one-sided", "ls 5 lw 4", "") ", \\\n" LINE("z plastic", "ls 1 lw 1.4", ""));
// clang-format on

#define BOX                                                                                        \
    "Cube of 0.1 m and 1 kg, centre at 0.5 m, turned by exp(S(0.4, 0.2, 0)), at rest; floor with " \
    "mu = 0.3, pyramids of 4 sides, law lcp, T = 1 ms"

const plFigure plFigurePmi5 = {
    .id = "pmi-5",
    .title = "A box falls: snapshots",
    .caption = "The same box, floor and step under two integrators, from the side; time runs to "
               "the right, and each box is drawn in its own slot. With the mean velocity of the "
               "step in the contact law the box bounces; semi-implicit Euler, which has only the "
               "velocity of the end, stops every corner that it finds.",
    .parameters = BOX ". Above midpoint, elastic; below semi-implicit Euler, plastic.",
    .width = 960,
    .height = 620,
    .script = shotScript,
    .make = makeShots,
};

const plFigure plFigurePmi6 = {
    .id = "pmi-6",
    .title = "A box falls: elastic",
    .caption = "The energy is kept in flight and falls only in contacts, and there only by what "
               "sliding takes: without friction it stays for ever. After a second the motion is "
               "chaotic: what is judged later are bounds, not states.",
    .parameters = BOX ", midpoint, elastic. Without friction: drift correction on, which has "
                      "nothing to spend.",
    .width = 960,
    .height = 560,
    .script = elasticScript,
    .make = makeElastic,
};

const plFigure plFigurePmi7 = {
    .id = "pmi-7",
    .title = "A box falls: semi-implicit Euler",
    .caption = "The same fall under semi-implicit Euler: a plastic collision, with no restitution "
               "to choose. In flight it loses a little in each step.",
    .parameters = BOX ", plastic; for comparison midpoint, elastic.",
    .width = 960,
    .height = 560,
    .script = eulerScript,
    .make = makeEuler,
};

const plFigure plFigurePmi8 = {
    .id = "pmi-8",
    .title = "A box falls: plastic",
    .caption = "The midpoint integrator with the end velocity in the contact law: plastic too, and "
               "exact in flight. As printed this law can create energy where an opening contact is "
               "pushed shut; the one-sided law cannot, and the world refuses it from either. The "
               "two part at the third contact, at 0.314 s, where they stop a sliding corner "
               "differently.",
    .parameters = BOX ", midpoint; plastic with 4 and 8 sides, one-sided with e = 0, and the same "
                      "with drift correction.",
    .width = 960,
    .height = 560,
    .script = plasticScript,
    .make = makePlastic,
};
