// nurbs figures 2 and 3: a teapot as the finger strikes an assembly of two hinged flaps.
#include "base/base.h"
#include "math/math.h"
#include "nurbs/lines.h"
#include "nurbs/nurbs.h"

#include <stdio.h>

enum { shotCount = 6, mostLines = 6000, mostMarks = 64 };

static const double shots[shotCount] = {0, 0.2, 0.4, 0.65, 0.9, 1.3}; // [s]

// ------------------------------------------------------------------------------- the drawing

/// Lines of all shots, and points of contact with the time at which they were seen.
typedef struct {
    double *x, *y, *dx, *dy, *shot, *pot;
    int count;
    double *markX, *markY, *markTime;
    int marks;
} Paper;

static void drawWorld(Paper* paper, const plWorld* w, int shot)
{
    static plLine lines[mostLines];
    const int count = plLines_OfWorld(w, lines, mostLines - paper->count);
    for (int k = 0; k < count; ++k) {
        const int i = paper->count++;
        paper->x[i] = lines[k].x, paper->y[i] = lines[k].y;
        paper->dx[i] = lines[k].dx, paper->dy[i] = lines[k].dy;
        paper->shot[i] = shot, paper->pot[i] = lines[k].isPot;
    }
}

// --------------------------------------------------------------------------------------- run

typedef struct {
    int impacts; ///< ticks with one
    double depth, closing, created, worst, joints, force;
} Result;

static void look(const plFigureRun* run, Result* r, Paper* paper)
{
    plWorld* w = run->world;
    double c, rate;
    plMechanismId flap;
    bool pushed = false;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo contact;
        plMotion at;
        plWorld_Contact(w, i, &contact);
        if (plNorm(contact.force) == 0) continue;
        pushed = true;
        r->depth = fmax(r->depth, -contact.gap);
        if (paper->marks >= mostMarks) continue;
        plWorld_Motion(w, contact.a, &at);
        plLines_Project(at.x, &paper->markX[paper->marks], &paper->markY[paper->marks]);
        paper->markTime[paper->marks++] = plWorld_Time(w) - run->T;
    }
    r->impacts += pushed;
    r->force = fmax(r->force, fabs(plFigureRun_Read(run, "stick.force[0]")));
    if (plWorld_FindMechanism(w, "flap", &flap) == pl_statusOk) {
        plWorld_JointError(w, flap, &c, &rate);
        r->joints = fmax(r->joints, c);
    }
}

static bool run(plFigureJob* job, Result* r)
{
    static const char* const settings[] = {NULL};
    plFigureRun fr;
    Paper p = {.x = plFigureJob_Column(job, mostLines, "x"),
               .y = plFigureJob_Column(job, mostLines, "y"),
               .dx = plFigureJob_Column(job, mostLines, "dx"),
               .dy = plFigureJob_Column(job, mostLines, "dy"),
               .shot = plFigureJob_Column(job, mostLines, "shot"),
               .pot = plFigureJob_Column(job, mostLines, "pot"),
               .markX = plFigureJob_Column(job, mostMarks, "mark x"),
               .markY = plFigureJob_Column(job, mostMarks, "mark y"),
               .markTime = plFigureJob_Column(job, mostMarks, "mark time")};
    *r = (Result){0};
    if (!p.x || !p.y || !p.dx || !p.dy || !p.shot || !p.pot || !p.markX || !p.markY || !p.markTime)
        return false;
    if (!plFigureJob_Open(job, "teapot-impact", settings, &fr)) return false;
    for (int k = 0, shot = 0; k <= fr.steps; ++k) {
        if (shot < shotCount && k * fr.T >= shots[shot] - 1e-9) drawWorld(&p, fr.world, shot++);
        plWorld_Step(fr.world, fr.T);
        look(&fr, r, &p);
    }
    r->created = -plWorld_ContactLedger(fr.world).dissipated;
    r->worst = plWorld_Ledger(fr.world).worst;
    plFigureRun_Close(&fr);
    return true;
}

static bool make(plFigureJob* job)
{
    Result r;
    if (!run(job, &r)) return false;
    plFigureJob_Claim(job, "impacts", r.impacts, plAtLeast(3),
                      "\"Impact sequence between a virtual finger (the Utah Teapot) and the "
                      "virtual assembly\": ticks with an impact");
    plFigureJob_Check(job, "depth", 1e3 * r.depth, plAtMost(0.2),
                      "No impact is met later than one tick, at up to 0.2 m/s: deepest [mm]");
    plFigureJob_Check(job, "joints", r.joints, plAtMost(1e-12),
                      "Both hinges stay closed: largest |C| [m]");
    plFigureJob_Check(job, "created", r.created, plAtMost(0),
                      "Impacts only take: what contacts created [J]");
    plFigureJob_Check(job, "ledger", r.worst, plAtMost(1e-14),
                      "Residual of the ledger, largest of a tick [J]");
    plFigureJob_Check(job, "force", r.force, plAtMost(12),
                      "What reaches the hand stays within its device's 12 N: largest [N]");
    return true;
}

// clang-format off
#define LINES(shot, pot, look)                                                                     \
    "csv using (column('shot') == " shot " && column('pot') == " pot " ? column('x') : NaN)"       \
    ":(column('y')):(column('dx')):(column('dy')) with vectors nohead " look

static const char overlay[] =
    "unset key\n"
    "unset border\n"
    "unset tics\n"
    "set lmargin at screen 0.02\n"
    "set rmargin at screen 0.98\n"
    "set tmargin at screen 0.97\n"
    "set bmargin at screen 0.03\n"
    "set size ratio -1\n"
    "set xrange [-75:260]\n"
    "set yrange [-60:125]\n"
    "plot " LINES("1", "1", "lc rgb '#b0b0b0' lw 0.7") ", \\\n"
    "     " LINES("3", "1", "lc rgb '#606060' lw 0.7") ", \\\n"
    "     " LINES("0", "0", "lc rgb '#9ec5ef' lw 1") ", \\\n"
    "     " LINES("2", "0", "lc rgb '#5b9be3' lw 1") ", \\\n"
    "     " LINES("3", "0", "lc rgb '#2a78d6' lw 1.4") ", \\\n"
    "     " LINES("4", "0", "lc rgb '#123a6b' lw 1") ", \\\n"
    "     csv using 'mark x':'mark y' with points pt 7 ps 0.7 lc rgb '#d9622b'\n";

static const char frames[] =
    "set multiplot\n"
    "unset key\n"
    "unset border\n"
    "unset tics\n"
    "set size ratio -1\n"
    "set xrange [-75:235]\n"
    "set yrange [-55:125]\n"
    "array at[6] = [0, 0.2, 0.4, 0.65, 0.9, 1.3]\n"
    "do for [i=0:5] {\n"
    "  set lmargin at screen 0.01 + 0.33*(i%3)\n"
    "  set rmargin at screen 0.33 + 0.33*(i%3)\n"
    "  set tmargin at screen 0.98 - 0.5*int(i/3)\n"
    "  set bmargin at screen 0.52 - 0.5*int(i/3)\n"
    "  set label 1 sprintf('%.2f s', at[i + 1]) at graph 0.03,0.95 left textcolor rgb '#555555'\n"
    "  plot csv using (column('shot') == i && column('pot') == 1 ? column('x') : NaN):(column('y')):(column('dx')):(column('dy')) with vectors nohead lc rgb '#606060' lw 0.6, \\\n"
    "       '' using (column('shot') == i && column('pot') == 0 ? column('x') : NaN):(column('y')):(column('dx')):(column('dy')) with vectors nohead lc rgb '#2a78d6' lw 1, \\\n"
    "       '' using (column('mark time') <= at[i + 1] && column('mark time') > at[i + 1] - 0.26 ? column('mark x') : NaN):(column('mark y')) with points pt 7 ps 0.6 lc rgb '#d9622b'\n"
    "}\n"
    "unset multiplot\n";
// clang-format on

#define PARAMETERS                                                                                 \
    "scene teapot-impact: 32 patches, 0.04 m high where it is widest, moved by a simulated hand "  \
    "through a direct coupling; flaps of 0.2 and 0.1 kg; law multiplier, e = 0.3; 1 kHz"

const plFigure plFigureNurbs2 = {
    .id = "nurbs-2",
    .title = "A teapot strikes a hinged assembly",
    .caption =
        "The Utah teapot is the finger. Its spout strikes the upper of two hinged flaps; the "
        "flaps are drawn at four times, from light to dark, the pot at two, and every point at "
        "which an impact was met.",
    .parameters = PARAMETERS,
    .width = 900,
    .height = 520,
    .script = overlay,
    .make = make};

const plFigure plFigureNurbs3 = {
    .id = "nurbs-3",
    .title = "The same, frame by frame",
    .caption =
        "Six pictures of the same run. Points of contact of the last quarter second are marked.",
    .parameters = PARAMETERS,
    .width = 1080,
    .height = 460,
    .script = frames,
    .make = make};
