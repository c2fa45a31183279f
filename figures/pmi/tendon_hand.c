// pmi figures 17 to 19: the tendon-driven hand.                                       (pmi sec. 5.3)
// Three fingers of three joints on a palm; two motors a finger, all led by one lever. Figure 17 closes
// it on balls of three sizes and turns them over; 18 and 19 are the scene: a ball is taken from a post,
// lifted, shaken, and put back.
#include "base/base.h"
#include "math/math.h"
#include "pmi/paper.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

enum { fingerCount = 3, jointCount = 3, partCount = 1 + fingerCount * jointCount };

// Of the scene.
static const double lengths[jointCount] = {0.05, 0.03, 0.02}; // [m]
static const double palmHalf[3] = {0.055, 0.055, 0.006};      // [m]
static const double ballRadius = 0.04, postTop = 0.07;        // [m]

typedef struct {
    plFigureRun run;
    plMechanismId hand, ball;
} Task;

static const char* const asItIs[] = {PL_PRINTED, NULL};

static bool open(plFigureJob* job, const char* const* settings, Task* t)
{
    if (!plFigureJob_Open(job, "tendon-hand", settings, &t->run)) return false;
    if (plWorld_FindMechanism(t->run.world, "hand", &t->hand) == pl_statusOk &&
        plWorld_FindMechanism(t->run.world, "ball", &t->ball) == pl_statusOk) {
        return true;
    }
    snprintf(job->message, sizeof job->message, "the scene tendon-hand lacks a body");
    plFigureRun_Close(&t->run);
    return false;
}

static plVec3 placeOf(const Task* t, plMechanismId id, int part, plVec3 point)
{
    plMotion m;
    plWorld_Motion(t->run.world, (plSite){id, part, point}, &m);
    return m.x;
}

/// Joint of a finger, from 0; the last one is its tip.
static plVec3 knuckle(const Task* t, int finger, int joint)
{
    const bool tip = joint == jointCount;
    const int part = 1 + finger * jointCount + (tip ? joint - 1 : joint);
    return placeOf(t, t->hand, part, plVec(tip ? lengths[jointCount - 1] : 0, 0, 0));
}

// --- what both courses are judged by

typedef struct {
    double created; ///< largest energy from nowhere, of what has flowed
    int touching;   ///< links and palm that press on the ball now
} Account;

static void judge(const Task* t, Account* c)
{
    const plWorld* w = t->run.world;
    const plAccount a = plWorld_Ledger(w);
    const double paid = plWorld_ContactLedger(w).dissipated - plWorld_Tank(w);
    const double gain = a.kinetic + a.potential - t->run.energy - a.applied;
    const double scale = fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential);
    c->created = fmax(c->created, (gain + a.dissipated - paid) / scale);
    unsigned parts = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo info;
        plWorld_Contact(w, i, &info);
        const bool first = info.a.mechanism.index1 == t->hand.index1;
        if (!first && info.b.mechanism.index1 != t->hand.index1) continue;
        if (plNorm(info.force) > 1e-3) parts |= 1u << (first ? info.a : info.b).part;
    }
    c->touching = 0;
    for (; parts; parts &= parts - 1) ++c->touching;
}

// ---------------------------------------------------------------------- figure 17: three sizes

enum { sizeCount = 3, circlePoints = 73 };
static const double sizes[sizeCount] = {0.015, 0.025, 0.04}; // [m]

// The hand looks up and the ball lies on its palm, with the post out of the way. The fingers close, and the
// hand is turned over: then they carry the ball.
#define TURNED                                                                                     \
    "devices.arm.hand.waypoints=["                                                                 \
    "{\"time\": 0, \"position\": [0, 0, 0.23]}, {\"time\": 3.5, \"position\": [0, 0, 0.23]}, "     \
    "{\"time\": 4.5, \"position\": [0, 0, 0.23], \"orientation\": [0.70710678118654752, "          \
    "0.70710678118654752, 0, 0]}, "                                                                \
    "{\"time\": 5.5, \"position\": [0, 0, 0.23], \"orientation\": [0, 1, 0, 0]}]"

/// `shape` reaches as far down as `half`.
static bool closeOn(plFigureJob* job, const char* shape, double half, double J, Task* t,
                    Account* account)
{
    const double place = 0.23 + half;
    char shapes[120], where[80], inertia[120];
    snprintf(shapes, sizeof shapes, "mechanisms.ball.shapes=[%s]", shape);
    snprintf(where, sizeof where, "mechanisms.ball.position=[0, 0, %.17g]", place);
    snprintf(inertia, sizeof inertia, "mechanisms.ball.inertia=[%.9g, %.9g, %.9g]", J, J, J);
    const char* const settings[] = {shapes,
                                    where,
                                    inertia,
                                    TURNED,
                                    "mechanisms.hand.bodies[0].start=[0, 0, 0.23, 1, 0, 0, 0]",
                                    "devices.arm.orientation=[1, 0, 0, 0]",
                                    "ground.shapes[1].position=[1, 0, 0]",
                                    "time=6.5",
                                    PL_PRINTED,
                                    NULL};
    if (!open(job, settings, t)) return false;
    *account = (Account){.created = -INFINITY};
    for (int k = 0; k < t->run.steps; ++k) {
        plWorld_Step(t->run.world, t->run.T);
        judge(t, account);
    }
    return true;
}

// In the plane of the first finger: along x, and down from the palm.
static bool drawSize(plFigureJob* job, const Task* t, double radius)
{
    const int mm = (int)lround(1e3 * radius);
    double* x = plFigureJob_Column(job, jointCount + 1, "x %d", mm);
    double* y = plFigureJob_Column(job, jointCount + 1, "y %d", mm);
    double* ballX = plFigureJob_Column(job, circlePoints, "ball x %d", mm);
    double* ballY = plFigureJob_Column(job, circlePoints, "ball y %d", mm);
    if (!x || !y || !ballX || !ballY) return false;
    const plVec3 palm = placeOf(t, t->hand, 0, plVec(0, 0, 0));
    const plVec3 ball = placeOf(t, t->ball, 0, plVec(0, 0, 0));
    for (int i = 0; i <= jointCount; ++i) {
        const plVec3 p = knuckle(t, 0, i);
        x[i] = p.x - palm.x, y[i] = palm.z - p.z;
    }
    for (int i = 0; i < circlePoints; ++i) {
        const double angle = 2 * PL_PI * i / (circlePoints - 1);
        ballX[i] = ball.x - palm.x + radius * cos(angle);
        ballY[i] = palm.z - ball.z + radius * sin(angle);
    }
    return true;
}

/// What the hand carries of the ball's weight: 1 when it holds it against gravity.
static double carriedShare(const Task* t)
{
    const double mass = 0.005, g = 9.81;
    double up = 0;
    for (int i = 0; i < plWorld_ContactCount(t->run.world); ++i) {
        plContactInfo c;
        plWorld_Contact(t->run.world, i, &c);
        if (c.a.mechanism.index1 == t->ball.index1) up += c.force.z;
        if (c.b.mechanism.index1 == t->ball.index1) up -= c.force.z;
    }
    return up / (mass * g);
}

static void claimGrip(plFigureJob* job, const Task* t, const Account* account, const char* what,
                      const char* suffix, double half)
{
    const plVec3 palm = placeOf(t, t->hand, 0, plVec(0, 0, 0));
    const plVec3 ball = placeOf(t, t->ball, 0, plVec(0, 0, 0));
    char id[40];
    snprintf(id, sizeof id, "touching-%s", suffix);
    plFigureJob_Claim(
        job, id, account->touching, plAtLeast(4),
        "\"The UATD hand can adaptively grip objects with different shape\", by the same "
        "command: %s: parts of the hand that press on it",
        what);
    snprintf(id, sizeof id, "held-%s", suffix);
    plFigureJob_Check(job, id, plNorm(plSub(ball, palm)) - half, plAtMost(3e-3),
                      "and it is at the palm: its distance [m]");
    snprintf(id, sizeof id, "created-%s", suffix);
    plFigureJob_Check(job, id, account->created, plAtMost(1e-12),
                      "Energy that came from nowhere, of what has flowed");
    snprintf(id, sizeof id, "carried-%s", suffix);
    plFigureJob_Claim(job, id, carriedShare(t), plWithin(1, 0.05),
                      "\"Power grasping\" of %s: share of its weight that the hand carries", what);
}

static bool make17(plFigureJob* job)
{
    const double mass = 0.005;
    Task t;
    Account account;
    for (int i = 0; i < sizeCount; ++i) {
        const double r = sizes[i];
        char shape[80], what[40], suffix[8];
        snprintf(shape, sizeof shape, "{\"type\": \"sphere\", \"radius\": %.17g}", r);
        snprintf(what, sizeof what, "a ball of %d mm", (int)lround(1e3 * r));
        snprintf(suffix, sizeof suffix, "%d", (int)lround(1e3 * r));
        if (!closeOn(job, shape, r, 0.4 * mass * r * r, &t, &account)) return false;
        const bool drawn = drawSize(job, &t, r);
        claimGrip(job, &t, &account, what, suffix, r);
        plFigureRun_Close(&t.run);
        if (!drawn) return false;
    }
    const double half = 0.02;
    if (!closeOn(job, "{\"type\": \"box\", \"half\": [0.02, 0.02, 0.02]}", half,
                 mass * half * half * 2 / 3, &t, &account))
        return false;
    claimGrip(job, &t, &account, "a cube of 40 mm", "cube", half);
    plFigureRun_Close(&t.run);
    return true;
}

// --------------------------------------------------------------------- figure 18: the moments

enum { shotCount = 6, circleEdges = 36, boxEdges = 12 };
static const double shots[shotCount] = {0.1, 1, 2.9, 4.4, 6.9, 9.9}; // [s]
static const plSlots slots = {3, 0.34, 0.3};

// Outline of a ball as it is seen: a circle across the view is near enough to three rings.
static void drawBall(plLines* lines, const Task* t, int shot)
{
    static const int axes[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    const plVec3 center = placeOf(t, t->ball, 0, plVec(0, 0, 0));
    for (int ring = 0; ring < 3; ++ring) {
        plVec3 last = {0, 0, 0};
        for (int i = 0; i <= circleEdges; ++i) {
            const double angle = 2 * PL_PI * i / circleEdges;
            double p[3] = {center.x, center.y, center.z};
            p[axes[ring][0]] += ballRadius * cos(angle);
            p[axes[ring][1]] += ballRadius * sin(angle);
            if (i > 0) plLines_Draw(lines, shot, last, plGet3(p));
            last = plGet3(p);
        }
    }
}

static void drawPalm(plLines* lines, const Task* t, int shot)
{
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (i >> k & 1) continue;
            plVec3 ends[2];
            for (int e = 0; e < 2; ++e) {
                const int c = e ? i | 1 << k : i;
                ends[e] = placeOf(t, t->hand, 0,
                                  plVec(c & 1 ? palmHalf[0] : -palmHalf[0],
                                        c & 2 ? palmHalf[1] : -palmHalf[1],
                                        c & 4 ? 0 : -2 * palmHalf[2]));
            }
            plLines_Draw(lines, shot, ends[0], ends[1]);
        }
    }
}

static bool make18(plFigureJob* job)
{
    plLines palm, fingers, ball, post;
    Account account = {.created = -INFINITY};
    Task t;
    double lifted = 0, aside = 0;
    if (!plLines_Label(job, shots, shotCount, slots, 0.07, -0.03) ||
        !plLines_Add(job, "palm", shotCount * boxEdges, slots, &palm) ||
        !plLines_Add(job, "finger", shotCount * fingerCount * jointCount, slots, &fingers) ||
        !plLines_Add(job, "ball", shotCount * 3 * circleEdges, slots, &ball) ||
        !plLines_Add(job, "post", shotCount, slots, &post) || !open(job, asItIs, &t)) {
        return false;
    }
    for (int k = 0, shot = 0; k < t.run.steps; ++k) {
        plWorld_Step(t.run.world, t.run.T);
        judge(&t, &account);
        const plVec3 at = placeOf(&t, t.ball, 0, plVec(0, 0, 0));
        lifted = fmax(lifted, at.z - ballRadius - postTop);
        aside = hypot(at.x, at.y);
        if (shot == shotCount || plWorld_Time(t.run.world) < shots[shot]) continue;
        plLines_Draw(&post, shot, plVec(0, 0, 0), plVec(0, 0, postTop));
        drawPalm(&palm, &t, shot);
        drawBall(&ball, &t, shot);
        for (int f = 0; f < fingerCount; ++f) {
            for (int j = 0; j < jointCount; ++j) {
                plLines_Draw(&fingers, shot, knuckle(&t, f, j), knuckle(&t, f, j + 1));
            }
        }
        ++shot;
    }
    const double height = placeOf(&t, t.ball, 0, plVec(0, 0, 0)).z - ballRadius;
    plFigureJob_Claim(job, "lifted", lifted, plAtLeast(0.09),
                      "\"Stably simulate this power-gripping\": the ball is lifted [m]");
    plFigureJob_Check(job, "back", height, plWithin(postTop, 1e-3),
                      "and is on the post again at the end: its height [m]");
    plFigureJob_Check(job, "aside", aside, plAtMost(5e-3), "Aside of the post's axis [m]");
    plFigureJob_Check(job, "free", account.touching, plWithin(0, 0),
                      "Nothing of the hand touches it then");
    plFigureJob_Check(job, "created", account.created, plAtMost(1e-12),
                      "Energy that came from nowhere, of what has flowed");
    plFigureRun_Close(&t.run);
    return true;
}

// ------------------------------------------------------------------------ figure 19: the lever

enum { every = 5 };

typedef struct {
    double *time, *wanted, *closed, *force;
} Curves;

static bool addCurves(plFigureJob* job, int rows, const char* of, Curves* c)
{
    *c = (Curves){plFigureJob_Column(job, rows, "time%s", of),
                  plFigureJob_Column(job, rows, "wanted%s", of),
                  plFigureJob_Column(job, rows, "closed%s", of),
                  plFigureJob_Column(job, rows, "force%s", of)};
    return c->time && c->wanted && c->closed && c->force;
}

// Largest force, and that of the lever when it is open again.
static bool follow(plFigureJob* job, const char* of, const char* const* settings, double* most,
                   double* last)
{
    Task t;
    Curves c;
    if (!open(job, settings, &t)) return false;
    const bool room = addCurves(job, t.run.steps / every, of, &c);
    *most = 0;
    for (int k = 0; room && k < t.run.steps; ++k) {
        plWorld_Step(t.run.world, t.run.T);
        *last = plFigureRun_Read(&t.run, "close.felt[2]");
        *most = fmax(*most, fabs(*last));
        if (k % every != 0 || k / every >= t.run.steps / every) continue;
        c.time[k / every] = plWorld_Time(t.run.world);
        c.wanted[k / every] = plFigureRun_Read(&t.run, "close.wanted");
        c.closed[k / every] = plFigureRun_Read(&t.run, "close.closed");
        c.force[k / every] = *last;
    }
    plFigureRun_Close(&t.run);
    return room;
}

static bool make19(plFigureJob* job)
{
    static const char* const empty[] = {"mechanisms.ball.position=[1, 0, 0.04]",
                                        "ground.shapes[1].position=[1, 1, 0]", PL_PRINTED, NULL};
    double most, last, mostEmpty, lastEmpty;
    if (!follow(job, "", asItIs, &most, &last) ||
        !follow(job, " empty", empty, &mostEmpty, &lastEmpty)) {
        return false;
    }
    plFigureJob_Claim(job, "force", most, plAtLeast(2),
                      "\"Haptic feedback of the one-DOF contact force\": closing on a ball, the "
                      "lever pushes back: largest force [N]");
    plFigureJob_Check(job, "empty", mostEmpty, plAtMost(0.25 * most),
                      "An empty hand does so much less: largest force [N], at most a quarter");
    plFigureJob_Check(job, "open", fabs(last), plAtMost(0.01),
                      "The open hand pulls at nothing, at the end [N]");
    return true;
}

// ------------------------------------------------------------------------------------ figures

static const char script17[] =
    "set multiplot\n"
    "set size ratio -1\n"
    "unset key\n"
    "array mm[3] = [15, 25, 40]\n"
    "do for [i=1:3] {\n"
    "  set lmargin at screen 0.06 + (i - 1)*0.315\n"
    "  set rmargin at screen 0.06 + (i - 1)*0.315 + 0.28\n"
    "  set tmargin at screen 0.93\n"
    "  set bmargin at screen 0.16\n"
    "  set xrange [-45:60]\n"
    "  set yrange [95:-10]\n"
    "  set xtics 20\n"
    "  set ytics 20\n"
    "  set label 1 sprintf('ball of %d mm', mm[i]) at graph 0,1 left offset 0,0.6\n"
    "  set xlabel 'from the axis [mm]' offset 0,0.5\n"
    "  if (i == 1) { set ylabel 'from the palm [mm]' offset 0.8,0 } else { unset ylabel }\n"
    "  C(name) = sprintf('%s %d', name, mm[i])\n"
    "  plot csv using (1e3*column(C('ball x'))):(1e3*column(C('ball y'))) with filledcurves fc rgb "
    "'#e8c9a0', \\\n"
    "       '' using (1e3*column(C('x'))):(1e3*column(C('y'))) with linespoints ls 1 lw 7 pt 7 ps "
    "0.9, \\\n"
    "       0 with lines lc rgb '#808080' lw 2\n"
    "}\n"
    "unset multiplot\n";

static const char script18[] = PL_PAPER
    "plot csv using 'post x':'post y':'post dx':'post dy' with vectors nohead lc rgb '#999999' lw "
    "6, \\\n"
    "     '' using 'ball x':'ball y':'ball dx':'ball dy' with vectors nohead lc rgb '#c0392b' lw "
    "0.7, \\\n"
    "     '' using 'palm x':'palm y':'palm dx':'palm dy' with vectors nohead ls 1 lw 1, \\\n"
    "     '' using 'finger x':'finger y':'finger dx':'finger dy' with vectors nohead ls 1 lw 4, "
    "\\\n"
    "     '' using 'shot x':'shot y':(sprintf('%.1f s', column('shot'))) with labels textcolor rgb "
    "'#555555' font ',11'\n";

static const char script19[] =
    "set multiplot\n"
    "set lmargin at screen 0.085\n"
    "set rmargin at screen 0.975\n"
    "set xrange [0:10]\n"
    "set tmargin at screen 0.93\n"
    "set bmargin at screen 0.58\n"
    "set ylabel 'closed, 0 to 1' offset 0.8,0\n"
    "set key at graph 0.995,1.16 right top horizontal Left reverse width 2\n"
    "plot csv using 'time':'wanted' with lines ls 9 dt 2 title 'lever', \\\n"
    "     '' using 'time':'closed' with lines ls 1 title 'fingers on the ball', \\\n"
    "     '' using 'time empty':'closed empty' with lines lc rgb '#b0b0b0' title 'empty'\n"
    "set tmargin at screen 0.47\n"
    "set bmargin at screen 0.12\n"
    "set ylabel 'force on the lever [N]' offset 0.8,0\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "plot csv using 'time':'force' with lines ls 1 title 'on the ball', \\\n"
    "     '' using 'time empty':'force empty' with lines lc rgb '#b0b0b0' title 'empty'\n"
    "unset multiplot\n";

#define HAND                                                                                       \
    "Scene tendon-hand. Links of 50, 30 and 20 mm, 1 g; tendons of 100 N/m with motors, 10 N/m "   \
    "without; pulleys of the spec's section 8; closed: 1.5, 1.5, 1.2 rad; cone law, 1 kHz. "

const plFigure plFigurePmi17 = {
    .id = "pmi-17",
    .title = "A tendon-driven hand on balls of three sizes and a cube",
    .caption = "Three fingers, each with three joints, six tendons and two motors, close on a ball "
               "by the same command, and are turned over with it; one finger is drawn, in its "
               "plane. Two motors cannot bend "
               "three joints as they like: the fingers take the form of what they hold.",
    .parameters =
        HAND "The hand looks up, closes in 1.4 s, and is turned over by 5.5 s; after 6.5 s.",
    .width = 960,
    .height = 380,
    .script = script17,
    .make = make17,
    .isLong = true,
};

const plFigure plFigurePmi18 = {
    .id = "pmi-18",
    .title = "The hand takes a ball and puts it back",
    .caption = "One device carries the palm, one degree of freedom of another closes all fingers. "
               "The ball is taken from a post, lifted, shaken to and fro, put back and let go. "
               "Fingers are in generalized coordinates; palm and ball move in SE(3).",
    .parameters = HAND "Ball of 40 mm, 5 g, friction 0.5.",
    .width = 960,
    .height = 620,
    .script = script18,
    .make = make18,
    .isLong = true,
};

const plFigure plFigurePmi19 = {
    .id = "pmi-19",
    .title = "What the lever feels",
    .caption = "Above: where the lever wants the fingers between open and closed, and where they "
               "are. Below: the force on the lever, which pulls it to where the fingers are. With "
               "nothing to hold the fingers follow, and the lever feels little.",
    .parameters = HAND "f = -k (z - z_proj), k = 100 N/m over 50 mm, projection on the line from "
                       "open to closed.",
    .width = 960,
    .height = 480,
    .script = script19,
    .make = make19,
    .isLong = true,
};
