// pmi figure 4: a hand of ten bodies whose joints are points held together by springs; hinges are two
// points, balls are one.                                                            (pmi spec 3)
// As printed the points are linearised where the step begins, and the hand gains energy; at the mean
// of the step's two ends, and with the ledger, it does not.
#include "base/base.h"
#include "math/math.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

enum { fingerCount = 3, boneCount = 3, bodyCount = 1 + fingerCount * boneCount, pointCount = 16 };

static const double mass = 1e-3, stiffness = 100;        // of each body [kg], of each point [N/m]
static const double halfWidth = 0.006;                   // of a finger, and of its hinges [m]
static const double palmLength = 0.04, palmWidth = 0.03; // half sides [m]
static const double scale = 9.81e-3;                     // the hand's weight times 0.1 m [J]
static const double duration = 10;                       // [s]

typedef struct {
    const char* names[boneCount];
    double root[2], angle; ///< where it begins on the palm, in which direction [m], [rad]
    double length[boneCount];
    bool ball; ///< its first joint; the others are hinges
} Finger;

static const Finger fingers[fingerCount] = {
    {{"thumb1", "thumb2", "thumb3"}, {0, -0.03}, -0.9, {0.04, 0.03, 0.025}, true},
    {{"index1", "index2", "index3"}, {0.04, -0.015}, 0, {0.045, 0.025, 0.02}, true},
    {{"middle1", "middle2", "middle3"}, {0.04, 0.015}, 0.1, {0.05, 0.03, 0.02}, false},
};

typedef struct {
    const char* name; ///< of its columns
    int passes;       ///< 0: as printed
    bool slender;     ///< inertia of rods; else m I, as printed: a radius of gyration of 1 m
    int rate;         ///< [Hz]
} Case;

enum {
    printedFine,
    oursFine,
    printedCoarse,
    oursCoarse,
    printedRods,
    oursRods,
    moreRods,
    caseCount
};

static const Case cases[caseCount] = {
    {"printed fine", 0, false, 1000}, {"ours fine", 2, false, 1000},
    {"printed coarse", 0, false, 30}, {"ours coarse", 2, false, 30},
    {"printed rods", 0, true, 1000},  {"ours rods", 2, true, 1000},
    {"more rods", 8, true, 1000},
};

// -------------------------------------------------------------------------------------- world

static plMat3 inertiaOf(const Case* c, double length)
{
    const double w = 2 * halfWidth, J = mass / 12 * (length * length + w * w);
    return c->slender ? plDiagonal3(mass / 6 * w * w, J, J) : plDiagonal3(mass, mass, mass);
}

typedef struct {
    plSite a, b;
} Point;

typedef struct {
    plWorld* world;
    double energy; ///< at the start [J]
    plMechanismId bodies[bodyCount];
    double lengths[bodyCount];
    Point points[pointCount];
    int pointCount;
    plStatus status; ///< of the first call that failed
} Hand;

static void addBody(Hand* hand, const Case* c, int i, const char* name, plPose pose, double length)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    if (hand->status != pl_statusOk) return;
    def.name = name;
    def.coefficients = c->passes ? pl_coefficientsPredicted : pl_coefficientsFrozen;
    def.mass = mass;
    def.inertia = inertiaOf(c, length);
    def.pose = pose;
    if (i == 0) { // held as by a hand that wears it
        def.anchor.stiffness = stiffness;
        def.anchor.turnStiffness = 0.05;
        def.anchor.action = c->passes ? pl_actionFull : pl_actionSimple;
    }
    hand->lengths[i] = length;
    hand->status = plWorld_AddAssembly(hand->world, &def, &hand->bodies[i]);
}

/// A hinge along y of the first body, of two points; or a ball of one.
static void addJoint(Hand* hand, plSite a, plSite b, plVec3 across, bool ball)
{
    for (int k = 0; k < (ball ? 1 : 2) && hand->status == pl_statusOk; ++k) {
        const double side = ball ? 0 : k ? -halfWidth : halfWidth;
        plLinkDef def = plDefaultLinkDef();
        plLinkId id;
        char name[16];
        snprintf(name, sizeof name, "point%d", hand->pointCount);
        def.name = name;
        def.a = a;
        def.b = b;
        def.a.point.y += side;
        def.b.point = plAddScaled(b.point, side, across);
        def.stiffness = stiffness;
        hand->status = plWorld_AddLink(hand->world, &def, &id);
        hand->points[hand->pointCount++] = (Point){def.a, def.b};
    }
}

static void addFinger(Hand* hand, const Case* c, int index)
{
    const Finger* f = &fingers[index];
    const plVec3 way = plVec(cos(f->angle), sin(f->angle), 0);
    plVec3 at = plVec(f->root[0], f->root[1], 0), across = plVec(-way.y, way.x, 0);
    plSite last = {hand->bodies[0], 0, at};
    for (int i = 0; i < boneCount; ++i) {
        const int body = 1 + boneCount * index + i;
        const double half = 0.5 * f->length[i];
        const plPose pose = {plAddScaled(at, half, way), plRotor(plVec(0, 0, 1), f->angle)};
        addBody(hand, c, body, f->names[i], pose, f->length[i]);
        addJoint(hand, (plSite){hand->bodies[body], 0, {-half, 0, 0}}, last, across,
                 i == 0 && f->ball);
        last = (plSite){hand->bodies[body], 0, {half, 0, 0}};
        across = plVec(0, 1, 0);
        at = plAddScaled(at, f->length[i], way);
    }
}

static double energyOf(const Hand* hand)
{
    const plAccount all = plWorld_Ledger(hand->world);
    return all.kinetic + all.potential;
}

static bool open(plFigureJob* job, const Case* c, Hand* hand)
{
    const plPose origin = {.q = {1, 0, 0, 0}};
    plWorldDef def = plDefaultWorldDef();
    def.passes = c->passes;
    def.guard = c->passes > 0;
    *hand = (Hand){0};
    plFigureJob_Progress(job, c->name);
    hand->status = plWorld_Create(&def, &hand->world);
    if (hand->status != pl_statusOk) hand->world = NULL;
    addBody(hand, c, 0, "palm", origin, 2 * palmLength);
    for (int i = 0; i < fingerCount; ++i) addFinger(hand, c, i);
    if (hand->status != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no world for a hand: %s",
                 plStatus_Name(hand->status));
        plWorld_Destroy(hand->world);
        return false;
    }
    hand->energy = energyOf(hand);
    return true;
}

// --------------------------------------------------------------------------------------- runs

typedef struct {
    double end, most, least; ///< of (E - E0)/scale
    double blown;            ///< time at which it went over a thousand [s]; infinite: never
    double gap;              ///< largest distance of two points that belong together [m]
    double force;            ///< largest of a point [N]
    int points, bodies;
} Curve;

static void measure(const Hand* hand, Curve* curve)
{
    for (int i = 0; i < hand->pointCount; ++i) {
        plMotion a, b;
        double force[3];
        plWorld_Motion(hand->world, hand->points[i].a, &a);
        plWorld_Motion(hand->world, hand->points[i].b, &b);
        plWorld_LinkForce(hand->world, plWorld_Link(hand->world, i), force);
        curve->gap = fmax(curve->gap, plNorm(plSub(a.x, b.x)));
        curve->force = fmax(curve->force, plNorm(plGet3(force)));
    }
}

/// A hundred rows in a second at most.
static bool follow(plFigureJob* job, const Case* c, Curve* curve)
{
    const int every = c->rate > 100 ? c->rate / 100 : 1, steps = (int)duration * c->rate;
    double* t = plFigureJob_Column(job, steps / every + 1, "time %s", c->name);
    double* E = plFigureJob_Column(job, steps / every + 1, "E %s", c->name);
    Hand hand;
    *curve = (Curve){.most = -INFINITY, .blown = INFINITY};
    if (!t || !E || !open(job, c, &hand)) return false;
    t[0] = E[0] = 0;
    for (int k = 1; k <= steps && isinf(curve->blown); ++k) {
        plWorld_Step(hand.world, 1. / c->rate);
        curve->end = (energyOf(&hand) - hand.energy) / scale;
        curve->most = fmax(curve->most, curve->end);
        curve->least = fmin(curve->least, curve->end);
        if (!(curve->end < 1000)) curve->blown = k * 1. / c->rate;
        measure(&hand, curve);
        if (k % every == 0) t[k / every] = k * 1. / c->rate, E[k / every] = curve->end;
    }
    curve->points = hand.pointCount;
    curve->bodies = plWorld_MechanismCount(hand.world);
    plWorld_Destroy(hand.world);
    return true;
}

// -------------------------------------------------------------------------------- the drawing

enum { shotCount = 3, bodyEdges = 4 };
static const double shots[shotCount] = {0, 0.06, 0.12}; // [s]
static const double side = 0.7, above = 0.45;           // of the view [rad]
static const double slot = 0.21;                        // from shot to shot on the paper [m]

static plVec3 onPaper(plVec3 p)
{
    const double away = -sin(side) * p.x + cos(side) * p.y;
    return plVec(cos(side) * p.x + sin(side) * p.y, cos(above) * p.z + sin(above) * away, 0);
}

typedef struct {
    double *x, *y, *dx, *dy, *pointX, *pointY;
} Paper;

/// The outline of a flat body.
static void drawBody(const Hand* hand, int body, double shift, const Paper* paper, int row)
{
    const double x = 0.5 * hand->lengths[body], y = body == 0 ? palmWidth : halfWidth;
    const plVec3 corners[bodyEdges] = {{x, y, 0}, {-x, y, 0}, {-x, -y, 0}, {x, -y, 0}};
    for (int i = 0; i < bodyEdges; ++i, ++row) {
        plMotion from, to;
        const plMechanismId id = hand->bodies[body];
        plWorld_Motion(hand->world, (plSite){id, 0, corners[i]}, &from);
        plWorld_Motion(hand->world, (plSite){id, 0, corners[(i + 1) % bodyEdges]}, &to);
        const plVec3 a = onPaper(from.x), b = onPaper(to.x);
        paper->x[row] = a.x + shift, paper->y[row] = a.y;
        paper->dx[row] = b.x - a.x, paper->dy[row] = b.y - a.y;
    }
}

static void drawHand(const Hand* hand, int shot, const Paper* paper)
{
    for (int i = 0; i < bodyCount; ++i) {
        drawBody(hand, i, slot * shot, paper, (shot * bodyCount + i) * bodyEdges);
    }
    for (int i = 0; i < hand->pointCount; ++i) {
        plMotion m;
        plWorld_Motion(hand->world, hand->points[i].a, &m);
        const plVec3 a = onPaper(m.x);
        paper->pointX[shot * pointCount + i] = a.x + slot * shot;
        paper->pointY[shot * pointCount + i] = a.y;
    }
}

static bool takeShots(plFigureJob* job, const Case* c)
{
    const int rows = shotCount * bodyCount * bodyEdges, marks = shotCount * pointCount;
    const Paper paper = {
        plFigureJob_Column(job, rows, "x"),        plFigureJob_Column(job, rows, "y"),
        plFigureJob_Column(job, rows, "dx"),       plFigureJob_Column(job, rows, "dy"),
        plFigureJob_Column(job, marks, "point x"), plFigureJob_Column(job, marks, "point y")};
    double* at = plFigureJob_Column(job, shotCount, "shot");
    double* where = plFigureJob_Column(job, shotCount, "shot x");
    Hand hand;
    if (!paper.x || !paper.y || !paper.dx || !paper.dy || !paper.pointX || !paper.pointY || !at ||
        !where || !open(job, c, &hand)) {
        return false;
    }
    for (int i = 0, k = 0; i < shotCount; ++i) {
        for (; k < (int)lround(shots[i] * c->rate); ++k) plWorld_Step(hand.world, 1. / c->rate);
        drawHand(&hand, i, &paper);
        at[i] = shots[i];
        where[i] = slot * i + 0.03;
    }
    plWorld_Destroy(hand.world);
    return true;
}

// ------------------------------------------------------------------------------------- claims

static void claims(plFigureJob* job, const Curve* r)
{
    plFigureJob_Claim(job, "bodies", r[oursFine].bodies, plWithin(10, 0),
                      "\"m = 10\": a palm and nine bones: bodies");
    plFigureJob_Claim(job, "points", r[oursFine].points, plWithin(16, 0),
                      "\"l = 16\": seven hinges of two points and two balls of one: points");
    plFigureJob_Claim(
        job, "printed-fine", r[printedFine].end, plAtMost(0.01),
        "The action (25) \"nearly enforces the passivity\": at 1 kHz, (E - E0)/scale after 10 s");
    plFigureJob_Claim(job, "printed-coarse", r[printedCoarse].end, plAtMost(0.01),
                      "at 30 Hz: the same");
    plFigureJob_Differs(
        job, plBetween(0.01, 0.2),
        "Points that are linearised where a step begins create energy in long steps.");
    plFigureJob_Claim(job, "printed-rods", r[printedRods].most, plAtMost(0.01),
                      "with bones of a real inertia: largest (E - E0)/scale in 10 s");
    plFigureJob_Differs(job, plAtLeast(0.3),
                        "The print gives bones of 1 g the inertia of 1e-3 kg m^2; with that of "
                        "rods they turn faster, and gain what the hand weighs.");
    plFigureJob_Check(job, "ours-fine", r[oursFine].most, plAtMost(1e-11),
                      "At the mean of the step, with the ledger, it never has more than at the "
                      "start: largest (E - E0)/scale at 1 kHz");
    plFigureJob_Check(job, "ours-coarse", r[oursCoarse].most, plAtMost(1e-11),
                      "nor at 30 Hz: the same");
    plFigureJob_Check(job, "ours-rods", fmax(r[oursRods].most, r[moreRods].most), plAtMost(1e-11),
                      "nor with bones of a real inertia, in two passes or in eight: the same");
    plFigureJob_Check(job, "ours-keeps", -r[oursFine].least, plAtMost(1e-10),
                      "With the printed inertia it is kept: largest loss at 1 kHz over the scale");
    plFigureJob_Check(
        job, "rods-keep", -r[oursRods].least, plAtMost(1e-6),
        "Bones of a real inertia turn by a fifth of a radian in a step, and Newton's method finds "
        "their springs there, too: the same");
    plFigureJob_Check(job, "eight-passes-keep", -r[moreRods].least, plAtMost(1e-6),
                      "Eight passes at least leave as little: the same");
    plFigureJob_Check(job, "gap", r[oursFine].gap * stiffness / r[oursFine].force, plAtMost(1.1),
                      "Joints open by force over stiffness: largest gap of %.2g m against that of "
                      "the largest force",
                      r[oursFine].gap);
}

static bool make(plFigureJob* job)
{
    Curve curves[caseCount];
    if (!takeShots(job, &cases[moreRods])) return false;
    for (int i = 0; i < caseCount; ++i)
        if (!follow(job, &cases[i], &curves[i])) return false;
    claims(job, curves);
    return true;
}

static const char script[] =
    "set multiplot\n"
    "set lmargin at screen 0.02\n"
    "set rmargin at screen 0.98\n"
    "set tmargin at screen 0.97\n"
    "set bmargin at screen 0.46\n"
    "unset border\n"
    "unset xtics\n"
    "unset ytics\n"
    "unset key\n"
    "set size ratio -1\n"
    "set yrange [-0.135:0.06]\n"
    "plot csv using 'x':'y':'dx':'dy' with vectors nohead ls 1 lw 1.2, \\\n"
    "     '' using 'point x':'point y' with points pt 7 ps 0.5 lc rgb '#c0392b', \\\n"
    "     '' using (column('shot x')):(0.045):(sprintf('%.2f s', column('shot'))) with labels "
    "textcolor rgb '#555555' font ',11'\n"
    "set size noratio\n"
    "set border\n"
    "set xtics auto\n"
    "set ytics auto\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "set xrange [0:10]\n"
    "set tmargin at screen 0.38\n"
    "set bmargin at screen 0.10\n"
    "array kind[3] = ['fine', 'coarse', 'rods']\n"
    "array name[3] = ['J = m I, 1 kHz', 'J = m I, 30 Hz', 'rods, 1 kHz']\n"
    "do for [i=1:3] {\n"
    "  set lmargin at screen 0.085 + (i - 1)*0.32\n"
    "  set rmargin at screen 0.085 + (i - 1)*0.32 + 0.245\n"
    "  set label 1 name[i] at graph 0,1.0 left offset 0,0.7\n"
    "  set yrange [*:*]\n"
    "  if (i == 1) { set ylabel '(E - E₀)/scale' offset -0.5,0 } else { unset ylabel }\n"
    "  if (i == 1) { set ytics 0.0005 } else { set ytics auto }\n"
    "  if (i == 3) { set key at graph 0.98,0.3 right top Left reverse } else { "
    "set key at graph 0.03,0.97 left top Left reverse }\n"
    "  if (i == 3) { set yrange [-0.6:1.4] }\n"
    "  T(name) = sprintf('time %s %s', name, kind[i])\n"
    "  E(name) = sprintf('E %s %s', name, kind[i])\n"
    "  plot csv using (column(T('printed'))):(column(E('printed'))) with lines ls 3 title "
    "(i == 1 ? 'as printed' : ''), \\\n"
    "       '' using (column(T('ours'))):(column(E('ours'))) with lines ls 1 title "
    "(i == 1 ? 'at the mean, ledger' : ''), \\\n"
    "       '' using (i == 3 ? column('time more rods') : NaN):(column('E more rods')) with lines "
    "ls 2 title (i == 3 ? 'in eight passes' : '')\n"
    "}\n"
    "unset multiplot\n";

const plFigure plFigurePmi4 = {
    .id = "pmi-4",
    .title = "A hand of bodies on stiff points",
    .caption =
        "Above: a palm and nine bones, joined by 16 points; a hinge is two points, a ball "
        "one. The palm is held by a spring, and the fingers fall. Below: energy over that of "
        "the start. As printed, with the points linearised where a step begins, it grows: "
        "slowly with the printed inertia (m times one square metre), faster in long steps, "
        "and by about the hand's weight with that of rods. Linearised at the mean of a step's two "
        "ends, and watched by the ledger, it never does. Where bones of rods turn fast, two passes "
        "leave much to the ledger, which takes it; eight keep the energy.",
    .parameters = "Bodies of 1 g, points of 100 N/m, no damping, g = 9.81 m/s^2, 10 s. J = m I is "
                  "1e-3 kg m^2; rods: their length and 12 mm. Palm 80 x 60 mm on 100 N/m and 0.05 "
                  "N m/rad. Scale: 10 m g times 0.1 m = 9.81e-3 J. The hand's measures are ours.",
    .width = 960,
    .height = 620,
    .script = script,
    .make = make,
};
