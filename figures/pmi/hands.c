// pmi figures 10 and 11: two hands put a peg into a hole.                             (pmi sec. 5.1)
// Each hand is a palm and nine bones on 16 points, and is led by springs in SE(3); only contact and
// gravity act on the peg. Figure 11 has the force of the peg on a fingertip, in the frame of the tip
// and with z the normal of its pad: as contacts give it, and as the scene's fingertip couplings write it
// to the thimbles, behind their filter of ten ticks.
#include "base/base.h"
#include "math/math.h"
#include "pmi/paper.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

enum { handCount = 2, fingerCount = 3, tipCount = handCount * fingerCount, boneCount = 18 };
enum { pointsOfHand = 16 };

static const char* const hands[handCount] = {"right", "left"};
static const char* const fingers[fingerCount] = {"thumb", "index", "middle"};

// Of the scene.
static const double pegHalf[3] = {0.01, 0.01, 0.04};           // [m]
static const plVec3 boxCenter = {0, 0.02, 0.0125};             // from the first hole's [m]
static const double palmHalf[3] = {0.02, 0.02, 0.014};         // [m]
static const double boneLength[3] = {0.04, 0.03, 0.024};       // [m]
static const double gripped = 4, lowered = 9.6, opened = 10.7; // [s]
static const double wantedThumb = 0.8; // spring of 100 N/m, led 8 mm into the peg [N]

typedef struct {
    plFigureRun run;
    plStepper stepper;
    plMechanismId peg, box, palms[handCount], bones[boneCount], tips[tipCount];
    plDeviceId gloves[handCount]; ///< that lead the palms
    bool found;
} Task;

static plMechanismId find(Task* t, const char* name)
{
    plMechanismId id = {0, 0};
    if (plWorld_FindMechanism(t->run.world, name, &id) != pl_statusOk) t->found = false;
    return id;
}

static bool open(plFigureJob* job, const char* const* settings, Task* t)
{
    char name[32];
    *t = (Task){.found = true};
    if (!plFigureJob_Open(job, "peg-in-hole", settings, &t->run)) return false;
    t->stepper = plScene_Stepper(t->run.scene);
    t->peg = find(t, "peg");
    t->box = find(t, "box");
    for (int i = 0; i < boneCount; ++i) {
        const char *hand = hands[i / 9], *finger = fingers[i / 3 % 3];
        snprintf(name, sizeof name, "%s-%s%d", hand, finger, i % 3 + 1);
        t->bones[i] = find(t, name);
        if (i % 3 == 2) t->tips[i / 3] = t->bones[i];
    }
    for (int i = 0; i < handCount; ++i) {
        snprintf(name, sizeof name, "%s-palm", hands[i]);
        t->palms[i] = find(t, name);
        snprintf(name, sizeof name, "%s-palm-glove", hands[i]);
        if (plWorld_FindDevice(t->run.world, name, &t->gloves[i]) != pl_statusOk) t->found = false;
    }
    if (t->found) return true;
    snprintf(job->message, sizeof job->message, "the scene peg-in-hole lacks a body or a glove");
    plFigureRun_Close(&t->run);
    return false;
}

static bool same(plMechanismId a, plMechanismId b) { return a.index1 == b.index1; }

/// Force of the peg on a body in the last tick, world axes [N].
static plVec3 forceOn(const Task* t, plMechanismId body)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < plWorld_ContactCount(t->run.world); ++i) {
        plContactInfo c;
        plWorld_Contact(t->run.world, i, &c);
        if (same(c.a.mechanism, body) && same(c.b.mechanism, t->peg)) sum = plAdd(sum, c.force);
        if (same(c.b.mechanism, body) && same(c.a.mechanism, t->peg)) sum = plSub(sum, c.force);
    }
    return sum;
}

static plVec3 placeOf(const Task* t, plMechanismId body, plVec3 point)
{
    plMotion m;
    plWorld_Motion(t->run.world, (plSite){body, 0, point}, &m);
    return m.x;
}

/// Bottom of the peg, from where the hole's middle is on the floor.
static plVec3 bottomOf(const Task* t)
{
    const plVec3 hole = placeOf(t, t->box, plVec(0, -boxCenter.y, -boxCenter.z));
    return plSub(placeOf(t, t->peg, plVec(0, 0, -pegHalf[2])), hole);
}

// -------------------------------------------------------------------------------------- a run

typedef struct {
    double lifted;  ///< highest place of the peg's bottom [m]
    double depth;   ///< its place at the end, above the hole's bottom [m]
    double aside;   ///< from the hole's middle, per axis, at the end [m]
    double touched; ///< last time at which a tip pushed [s]
    double created; ///< largest energy from nowhere, of what has flowed
    double behind;  ///< largest way of a palm to the glove that leads it [m]
    int others;     ///< ticks in which the law was helped by another one
    double time;
} Course;

// What contacts' correction of depth gives is paid from what they took before.
static double createdOf(const Task* t)
{
    const plWorld* w = t->run.world;
    const plAccount a = plWorld_Ledger(w);
    const double paid = plWorld_ContactLedger(w).dissipated - plWorld_Tank(w);
    const double gain = a.kinetic + a.potential - t->run.energy - a.applied;
    const double scale = fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential);
    return (gain + a.dissipated - paid) / scale;
}

/// Larger way of the two palms to their gloves [m].
static double behindOf(const Task* t)
{
    double way = 0;
    for (int i = 0; i < handCount; ++i) {
        plPose glove = {0};
        plWorld_DevicePose(t->run.world, t->gloves[i], &glove);
        way = fmax(way, plNorm(plSub(placeOf(t, t->palms[i], plVec(0, 0, 0)), glove.p)));
    }
    return way;
}

static void step(Task* t, Course* c)
{
    plWorld_Step(t->run.world, plStepper_Next(&t->stepper));
    const plVec3 bottom = bottomOf(t);
    c->time = plWorld_Time(t->run.world);
    c->lifted = fmax(c->lifted, bottom.z);
    c->depth = bottom.z;
    c->aside = fmax(fabs(bottom.x), fabs(bottom.y));
    c->created = fmax(c->created, createdOf(t));
    c->others += (plWorld_Report(t->run.world).trouble & pl_troubleFellBack) != 0;
    c->behind = fmax(c->behind, behindOf(t));
    for (int i = 0; i < tipCount; ++i)
        if (plNorm(forceOn(t, t->tips[i])) > 0) c->touched = c->time;
}

static void claimDone(plFigureJob* job, const Course* c, const char* id, const char* when)
{
    char name[40];
    snprintf(name, sizeof name, "lifted%s", id);
    plFigureJob_Check(job, name, c->lifted, plAtLeast(0.03), "The peg is lifted%s: highest [m]",
                      when);
    snprintf(name, sizeof name, "depth%s", id);
    plFigureJob_Check(job, name, c->depth, plAtMost(1e-3),
                      "and is at the bottom of the hole at the end%s: its bottom above that of the "
                      "hole [m]",
                      when);
    snprintf(name, sizeof name, "aside%s", id);
    plFigureJob_Check(job, name, c->aside, plAtMost(1e-3),
                      "in its middle: largest distance along x and y%s [m]", when);
    snprintf(name, sizeof name, "released%s", id);
    plFigureJob_Check(job, name, c->time - c->touched, plAtLeast(1),
                      "and nobody has touched it for a second%s [s]", when);
    snprintf(name, sizeof name, "created%s", id);
    plFigureJob_Check(job, name, c->created, plAtMost(1e-13),
                      "Energy that came from nowhere, of what has flowed%s", when);
}

// ------------------------------------------------------------------------- figure 10: drawing

enum { shotCount = 6, boxEdges = 12, wallEdges = 24 };
static const double shots[shotCount] = {0.1, 1.5, 3.5, 6, 9.7, 11.7}; // [s]
static const plSlots slots = {3, 0.26, 0.2};

/// The edges of a box: from every corner to those that have one more sign turned.
static void drawBox(plLines* lines, const Task* t, int shot, plMechanismId body, const double* half)
{
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (i >> k & 1) continue;
            const int j = i | 1 << k;
            const plVec3 a = {i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                              i & 4 ? half[2] : -half[2]};
            const plVec3 b = {j & 1 ? half[0] : -half[0], j & 2 ? half[1] : -half[1],
                              j & 4 ? half[2] : -half[2]};
            plLines_Draw(lines, shot, placeOf(t, body, a), placeOf(t, body, b));
        }
    }
}

/// A rectangle of the box, x0 x1 y0 y1 at a height.
static void drawRectangle(plLines* lines, const Task* t, int shot, const double* r, double z)
{
    plVec3 c[4] = {{r[0], r[2], z}, {r[1], r[2], z}, {r[1], r[3], z}, {r[0], r[3], z}};
    for (int i = 0; i < 4; ++i) c[i] = placeOf(t, t->box, plSub(c[i], boxCenter));
    for (int i = 0; i < 4; ++i) plLines_Draw(lines, shot, c[i], c[(i + 1) % 4]);
}

/// The box with its two holes: outlines above and below, and the mouths of the holes.
static void drawWalls(plLines* lines, const Task* t, int shot)
{
    static const double outer[4] = {-0.022, 0.022, -0.022, 0.062};
    static const double mouths[2][4] = {{-0.0135, 0.0135, -0.0135, 0.0135},
                                        {-0.0135, 0.0135, 0.0265, 0.0535}};
    static const double holes[2][4] = {{-0.0105, 0.0105, -0.0105, 0.0105},
                                       {-0.0105, 0.0105, 0.0295, 0.0505}};
    drawRectangle(lines, t, shot, outer, 0);
    drawRectangle(lines, t, shot, outer, 0.025);
    for (int i = 0; i < 2; ++i) {
        drawRectangle(lines, t, shot, mouths[i], 0.025);
        drawRectangle(lines, t, shot, holes[i], 0.022);
    }
}

typedef struct {
    plLines walls, peg, palms[handCount], bones[handCount];
} Paper;

static void draw(const Task* t, int shot, Paper* paper)
{
    drawWalls(&paper->walls, t, shot);
    drawBox(&paper->peg, t, shot, t->peg, pegHalf);
    for (int i = 0; i < handCount; ++i) drawBox(&paper->palms[i], t, shot, t->palms[i], palmHalf);
    for (int i = 0; i < boneCount; ++i) {
        const double half = 0.5 * boneLength[i % 3];
        plLines_Draw(&paper->bones[i / 9], shot, placeOf(t, t->bones[i], plVec(-half, 0, 0)),
                     placeOf(t, t->bones[i], plVec(half, 0, 0)));
    }
}

/// The same with pyramids, as printed.
static bool claimPyramids(plFigureJob* job)
{
    static const char* const settings[] = {"step=0.0033333333333333335", "law=lcp", PL_PRINTED,
                                           NULL};
    Course course = {.created = -INFINITY};
    Task task;
    plFigureJob_Progress(job, "lcp");
    if (!open(job, settings, &task)) return false;
    const int ticks = task.run.steps;
    for (int k = 0; k < ticks; ++k) step(&task, &course);
    plFigureRun_Close(&task.run);
    plFigureJob_Claim(
        job, "pyramids", course.depth, plAtMost(1e-3),
        "\"Making contact with the objects via friction contact simulated by PMI-LCP\": "
        "the same by the law lcp, whose cones are pyramids [m]");
    plFigureJob_Claim(job, "pyramids-alone", course.others, plAtMost(0),
                      "by that law alone: ticks, of %d, in which another one helped", ticks);
    plFigureJob_Differs(
        job, plBetween(1, 1000),
        "With the printed, one-sided bias palp's lcp finds some groups too hard, and "
        "takes another law for them; with the bias gap it needs none.");
    return true;
}

static bool make10(plFigureJob* job)
{
    static const char* const settings[] = {"step=0.0033333333333333335", PL_PRINTED, NULL};
    Paper paper;
    Course course = {.created = -INFINITY};
    Task task;
    if (!plLines_Label(job, shots, shotCount, slots, 0.06, -0.035) ||
        !plLines_Add(job, "wall", shotCount * wallEdges, slots, &paper.walls) ||
        !plLines_Add(job, "peg", shotCount * boxEdges, slots, &paper.peg) ||
        !plLines_Add(job, "right palm", shotCount * boxEdges, slots, &paper.palms[0]) ||
        !plLines_Add(job, "left palm", shotCount * boxEdges, slots, &paper.palms[1]) ||
        !plLines_Add(job, "right", shotCount * boneCount / 2, slots, &paper.bones[0]) ||
        !plLines_Add(job, "left", shotCount * boneCount / 2, slots, &paper.bones[1]) ||
        !open(job, settings, &task)) {
        return false;
    }
    for (int k = 0, shot = 0; k < task.run.steps; ++k) {
        step(&task, &course);
        if (shot == shotCount || course.time < shots[shot]) continue;
        draw(&task, shot++, &paper);
    }
    plFigureJob_Claim(job, "rigid-bodies", plWorld_MechanismCount(task.run.world) - 8,
                      plWithin(22, 0),
                      "\"Two hands, each composed of 10 rigid bodies, one box with holes, and one "
                      "peg\": rigid bodies that move");
    plFigureJob_Check(job, "points", plWorld_LinkCount(task.run.world) - 8,
                      plWithin(handCount * pointsOfHand, 0), "Points of joints");
    plFigureJob_Claim(job, "peg-in-hole", course.depth, plAtMost(1e-3),
                      "\"Peg-in-hole task with two multi-fingered hands\": the peg's bottom above "
                      "that of the hole, in the end [m]");
    plFigureJob_Claim(
        job, "follows", course.behind, plAtMost(2e-3),
        "\"The virtual hand can (unilaterally) follow the user command fast enough\": "
        "farthest that a palm is from its glove, of which no number is printed; here at "
        "most a tenth of the peg's width [m]");
    claimDone(job, &course, "", "");
    plFigureRun_Close(&task.run);
    return claimPyramids(job);
}

// ------------------------------------------------------------------------ figure 11: the tips

typedef struct {
    double* axes[3]; ///< of what is felt: along the finger, across, normal
    double* raw;     ///< normal, as it is
} Tip;

/// From the axes of the tip's part; z is what presses on the pad, the thumb's pad looks the other way.
static plVec3 onPad(int tip, plVec3 b)
{
    return tip % fingerCount == 0 ? plVec(b.x, b.z, -b.y) : plVec(b.x, -b.z, b.y);
}

static plVec3 rawOf(const Task* t, int tip)
{
    double q[7];
    plWorld_State(t->run.world, t->tips[tip], q, NULL);
    const plMat3 R = plRotation(plGet4(q + 3));
    return onPad(tip, plMulT(&R, forceOn(t, t->tips[tip])));
}

/// What the coupling wrote to the thimble in the last tick.
static plVec3 feltOf(const Task* t, int tip)
{
    double f[3];
    for (int k = 0; k < 3; ++k) {
        char name[40];
        snprintf(name, sizeof name, "%s-%s-feel.felt[%d]", hands[tip / fingerCount],
                 fingers[tip % fingerCount], k);
        f[k] = plFigureRun_Read(&t->run, name);
    }
    return onPad(tip, plGet3(f));
}

typedef struct {
    double most;    ///< largest force on a tip, as it is [N]
    double least;   ///< smallest normal force on the right tips while they hold it [N]
    double after;   ///< largest that is felt when the hands are open [N]
    double thumb;   ///< mean normal force of the right thumb while it carries [N]
    double felt;    ///< the same, as it is felt [N]
    double half[2]; ///< last time below half of it before that: as it is, as it is felt [s]
    int ticks;
} Feel;

static void feelTip(const Task* t, int i, int k, Tip* tip, Feel* feel)
{
    const double time = plWorld_Time(t->run.world);
    const plVec3 raw = rawOf(t, i), felt = feltOf(t, i);
    tip->axes[0][k] = felt.x, tip->axes[1][k] = felt.y, tip->axes[2][k] = felt.z;
    tip->raw[k] = raw.z;
    if (i == 0 && raw.z < 0.5 * wantedThumb && time < gripped) feel->half[0] = time;
    if (i == 0 && felt.z < 0.5 * wantedThumb && time < gripped) feel->half[1] = time;
    feel->most = fmax(feel->most, plNorm(raw));
    if (time > gripped && time < lowered && i < fingerCount) feel->least = fmin(feel->least, raw.z);
    if (time > opened && !(plNorm(felt) <= feel->after)) feel->after = plNorm(felt); // a NaN too
    if (i == 0 && time > gripped && time < gripped + 2.5)
        feel->thumb += raw.z, feel->felt += felt.z, ++feel->ticks;
}

static bool addTips(plFigureJob* job, int rows, Tip* tips)
{
    static const char* const axes[3] = {"along", "across", "normal"};
    bool good = true;
    for (int i = 0; i < tipCount; ++i) {
        const char *hand = hands[i / fingerCount], *finger = fingers[i % fingerCount];
        for (int k = 0; k < 3; ++k) {
            tips[i].axes[k] = plFigureJob_Column(job, rows, "%s %s %s", hand, finger, axes[k]);
            good = good && tips[i].axes[k];
        }
        tips[i].raw = plFigureJob_Column(job, rows, "%s %s raw", hand, finger);
        good = good && tips[i].raw;
    }
    return good;
}

static bool feelTask(plFigureJob* job, Course* course, Feel* feel)
{
    static const char* const settings[] = {"step=0.0033333333333333335", PL_PRINTED, NULL};
    Tip tips[tipCount] = {0};
    Task task;
    if (!open(job, settings, &task)) return false;
    double* time = plFigureJob_Column(job, task.run.steps, "time");
    const bool good = time && addTips(job, task.run.steps, tips);
    for (int k = 0; good && k < task.run.steps; ++k) {
        step(&task, course);
        time[k] = course->time;
        for (int i = 0; i < tipCount; ++i) feelTip(&task, i, k, &tips[i], feel);
    }
    plFigureRun_Close(&task.run);
    return good;
}

/// The same at steps of a world that has too much to do: 30 to 300 Hz.
static bool hurry(plFigureJob* job, Course* course)
{
    static const char* const settings[] = {
        "step={\"min\": 0.0033333333333333335, \"max\": 0.03333333333333333}", PL_PRINTED, NULL};
    Task task;
    if (!open(job, settings, &task)) return false;
    const double end = plScene_Time(task.run.scene);
    while (plWorld_Time(task.run.world) < end) step(&task, course);
    plFigureRun_Close(&task.run);
    return true;
}

static bool make11(plFigureJob* job)
{
    Course course = {.created = -INFINITY}, rough = {.created = -INFINITY};
    Feel feel = {.least = INFINITY};
    if (!feelTask(job, &course, &feel) || !hurry(job, &rough)) return false;
    claimDone(job, &course, "", "");
    claimDone(job, &rough, "-random", ", with random steps");
    plFigureJob_Claim(
        job, "varying", rough.depth, plAtMost(1e-3),
        "\"Update-rate is varying between 30-300 Hz\": the peg's bottom above that of "
        "the hole in the end, with random steps [m]");
    plFigureJob_Check(job, "bounded", feel.most, plAtMost(2.5),
                      "Forces are bounded: largest on a tip [N]");
    plFigureJob_Check(
        job, "grasped", feel.least, plAtLeast(0.1),
        "The right tips press all the while: smallest normal force from %g to %g s [N]", gripped,
        lowered);
    plFigureJob_Check(job, "thumb", feel.thumb / feel.ticks, plWithin(wantedThumb, 0.08),
                      "The thumb presses with its spring: mean normal force while it carries [N]");
    plFigureJob_Claim(job, "felt", feel.felt / feel.thumb, plWithin(1, 0.01),
                      "\"The contact force of each finger-tip is directly fed back\": mean of what "
                      "the thimble gives over that, for the thumb");
    plFigureJob_Check(job, "late", feel.half[1] - feel.half[0], plWithin(0.02, 1. / 300),
                      "by half of the filter's ten ticks and one later: when the thumb grips [s]");
    plFigureJob_Check(job, "zero", feel.after, plWithin(0, 0),
                      "Hands that are open feel nothing: largest that is felt after %g s [N]",
                      opened);
    return true;
}

// ------------------------------------------------------------------------------------ figures

static const char script10[] = PL_PAPER
    "plot csv using 'wall x':'wall y':'wall dx':'wall dy' with vectors nohead lc rgb '#999999' lw "
    "1, \\\n"
    "     '' using 'right palm x':'right palm y':'right palm dx':'right palm dy' with vectors "
    "nohead "
    "ls 1 lw 1, \\\n"
    "     '' using 'left palm x':'left palm y':'left palm dx':'left palm dy' with vectors nohead "
    "ls 2 "
    "lw 1, \\\n"
    "     '' using 'right x':'right y':'right dx':'right dy' with vectors nohead ls 1 lw 4, \\\n"
    "     '' using 'left x':'left y':'left dx':'left dy' with vectors nohead ls 2 lw 4, \\\n"
    "     '' using 'peg x':'peg y':'peg dx':'peg dy' with vectors nohead lc rgb '#c0392b' lw 1.5, "
    "\\\n"
    "     '' using 'shot x':'shot y':(sprintf('%.1f s', column('shot'))) with labels textcolor rgb "
    "'#555555' font ',11'\n";

const plFigure plFigurePmi10 = {
    .id = "pmi-10",
    .title = "Two hands put a peg into a hole",
    .caption = "The left hand closes along x and squares a peg that stands on the floor; the right "
               "one takes it along y, lifts it and carries it over the hole; the left one joins; "
               "both lower it, let go, and go away. Nothing ties the peg to a hand: only contact "
               "and gravity move it.",
    .parameters =
        "Scene peg-in-hole at 300 Hz, law cone, as printed lcp. Bodies of the hands: 1 g, J = m I "
        "= "
        "1e-3 kg m^2, points of 100 N/m; palms and fingertips led by 100 N/m and 0.3 N m/rad. Peg "
        "20 x 20 x 80 mm, 10 g; "
        "hole 21 x 21 x 25 mm. Measures, springs that lead and the order of events are ours.",
    .width = 960,
    .height = 460,
    .script = script10,
    .make = make10,
    .isLong = true,
};

static const char script11[] =
    "set multiplot\n"
    "set lmargin at screen 0.075\n"
    "set rmargin at screen 0.98\n"
    "set xrange [0:11.8]\n"
    "set yrange [-0.3:1.1]\n"
    "set ytics 0.5\n"
    "array hand[2] = ['right', 'left']\n"
    "array finger[3] = ['thumb', 'index', 'middle']\n"
    "do for [h=1:2] { do for [f=1:3] {\n"
    "  set lmargin at screen 0.07 + (f - 1)*0.315\n"
    "  set rmargin at screen 0.07 + (f - 1)*0.315 + 0.275\n"
    "  set tmargin at screen 0.94 - (h - 1)*0.47\n"
    "  set bmargin at screen 0.60 - (h - 1)*0.47\n"
    "  set label 1 hand[h].' '.finger[f] at graph 0,1.0 left offset 0,0.7\n"
    "  if (f == 1) { set ylabel 'force [N]' offset 0.8,0 } else { unset ylabel }\n"
    "  if (h == 2) { set xlabel 'time [s]' offset 0,0.5 } else { unset xlabel }\n"
    "  if (h == 1 && f == 3) { set key at graph 0.98,0.98 right top Left reverse } else { unset "
    "key }\n"
    "  C(name) = hand[h].' '.finger[f].' '.name\n"
    "  plot csv using 'time':(column(C('raw'))) with lines lc rgb '#cccccc' title 'normal, raw', "
    "\\\n"
    "       '' using 'time':(column(C('normal'))) with lines ls 1 title 'normal', \\\n"
    "       '' using 'time':(column(C('along'))) with lines ls 2 title 'along', \\\n"
    "       '' using 'time':(column(C('across'))) with lines ls 3 title 'across'\n"
    "} }\n"
    "unset multiplot\n";

const plFigure plFigurePmi11 = {
    .id = "pmi-11",
    .title = "What the fingertips feel",
    .caption =
        "Force of the peg on each fingertip of figure pmi-10, in the frame of the tip: along "
        "the finger, across, and normal to its pad. Grey: normal force as contacts give it. "
        "The rest is what the thimbles get of the scene's fingertip couplings: a mean of the ten "
        "ticks before, in the frame that the tip has now. The left hand presses twice: it squares "
        "the peg, and it helps to put it in.",
    .parameters =
        "As figure pmi-10; fingertip couplings with a filter of ten ticks. Random steps: 1/300 to "
        "1/30 s.",
    .width = 960,
    .height = 560,
    .script = script11,
    .make = make11,
    .isLong = true,
};
