// signorini figure 16: the clip in a world is pushed over a pipe and pulled off again, by a hand that
// does not wait; the pipe is rigid or soft.                                   (signorini spec 6.2)
#include "signorini/clip_world.h"
#include "signorini/signorini.h"
#include "signorini/snap.h"

#include <stdio.h>
#include <stdlib.h>

enum { muCount = 2, pipeCount = 3 };

typedef struct {
    const char* name; ///< of its columns
    double mu;
} Friction;

static const Friction frictions[muCount] = {{"0.2", 0.2}, {"0.8", 0.8}};

static const struct {
    const char* name;
    double T, E;
    double push[muCount], pull[muCount]; ///< of an independent implementation [N]; 0: none
} pipes[pipeCount] = {{"1ms", 1e-3, 0, {9.551, 26.010}, {10.544, 31.505}},
                      {"3ms", 3e-3, 0, {9.724, 26.306}, {10.741, 31.913}},
                      {"soft", 3e-3, 50e6, {0, 0}, {0, 0}}};

static const double duration = 2;

typedef struct {
    plClipRun run[muCount][pipeCount];
    plClipFacts facts[muCount][pipeCount];
} Runs;

// ------------------------------------------------------------------------------------- columns

static bool addCurve(plFigureJob* job, const char* mu, const char* pipe, const plClipRun* r)
{
    double* y = plFigureJob_Column(job, r->count, "y %s %s", mu, pipe);
    double* force = plFigureJob_Column(job, r->count, "force %s %s", mu, pipe);
    if (!y || !force) return false;
    for (int k = 0; k < r->count; ++k) y[k] = r->ticks[k].height, force[k] = r->ticks[k].force;
    return true;
}

static bool addLedger(plFigureJob* job, const char* mu, const plClipRun* r)
{
    const plAccount* start = &r->ticks[0].account;
    const double energy = start->kinetic + start->potential;
    double* time = plFigureJob_Column(job, r->count, "time %s", mu);
    double* given = plFigureJob_Column(job, r->count, "given %s", mu);
    double* stored = plFigureJob_Column(job, r->count, "stored %s", mu);
    double* dissipated = plFigureJob_Column(job, r->count, "dissipated %s", mu);
    double* lost = plFigureJob_Column(job, r->count, "lost %s", mu);
    double* residual = plFigureJob_Column(job, r->count, "residual %s", mu);
    if (!time || !given || !stored || !dissipated || !lost || !residual) return false;
    for (int k = 0; k < r->count; ++k) {
        const plAccount* a = &r->ticks[k].account;
        time[k] = r->ticks[k].time, given[k] = a->applied;
        stored[k] = a->kinetic + a->potential - energy;
        dissipated[k] = a->dissipated;
        lost[k] = -(a->integrator + a->leak + a->drift);
        residual[k] = a->residual;
    }
    return true;
}

static bool addStill(plFigureJob* job, const char* mu, const plSnapWay* way)
{
    double* y = plFigureJob_Column(job, way->count, "y %s still", mu);
    double* force = plFigureJob_Column(job, way->count, "force %s still", mu);
    if (!y || !force) return false;
    for (int k = 0; k < way->count; ++k) {
        y[k] = way->places[k].y, force[k] = way->places[k].force.y;
    }
    return true;
}

/// In balance at every place, as in figure 14.
static bool addStatics(plFigureJob* job)
{
    plSnap s;
    plShapeError error = {.message = "no memory"};
    const plClipDef def = plDefaultClipDef();
    plSnapWay* way = malloc(sizeof *way);
    bool good = way && plSnap_Open(&s, &def, &error) == pl_statusOk;
    if (!good) {
        snprintf(job->message, sizeof job->message, "no clip: %s", error.message);
        free(way);
        return false;
    }
    for (int i = 0; good && i < muCount; ++i) {
        const plSnapPath path = plDefaultSnapPath(frictions[i].mu);
        plSnap_Travel(&s, &path, way);
        good = addStill(job, frictions[i].name, way);
    }
    plSnap_Close(&s);
    free(way);
    return good;
}

// --------------------------------------------------------------------------------------- runs

static bool follow(plFigureJob* job, Runs* r)
{
    for (int i = 0; i < muCount; ++i) {
        for (int k = 0; k < pipeCount; ++k) {
            const plClipWorldDef def = {.mu = frictions[i].mu, .pipeE = pipes[k].E};
            plClipRun* run = &r->run[i][k];
            plFigureJob_Progress(job, pipes[k].name);
            if (!plClipRun_Make(run, &def, pipes[k].T, duration, job)) return false;
            if (!addCurve(job, frictions[i].name, pipes[k].name, run)) return false;
            r->facts[i][k] = plClipRun_Facts(run);
        }
        if (!addLedger(job, frictions[i].name, &r->run[i][pipeCount - 1])) return false;
    }
    return addStatics(job);
}

// ------------------------------------------------------------------------------------- claims

static void claimPeaks(plFigureJob* job, const Runs* r, int i, int k)
{
    char id[40];
    const plClipFacts* f = &r->facts[i][k];
    const double push = pipes[k].push[i], pull = pipes[k].pull[i];
    snprintf(id, sizeof id, "push-%s-%s", frictions[i].name, pipes[k].name);
    plFigureJob_Check(job, id, f->push, plWithin(push, 0.005 * push),
                      "Rigid pipe, mu = %g, step %g s: largest push on the way in [N], against an "
                      "independent implementation on the same mesh",
                      frictions[i].mu, pipes[k].T);
    snprintf(id, sizeof id, "pull-%s-%s", frictions[i].name, pipes[k].name);
    plFigureJob_Check(job, id, f->pull, plWithin(pull, 0.005 * pull),
                      "Rigid pipe, mu = %g, step %g s: largest pull on the way out [N]",
                      frictions[i].mu, pipes[k].T);
}

/// The largest of all runs; the way aside of rigid pipes alone.
typedef struct {
    double softer, created, residual, weight, ripple, depth, across;
    int failed;
} Worst;

static Worst worstOf(const Runs* r)
{
    Worst w = {.created = -INFINITY};
    for (int i = 0; i < muCount * pipeCount; ++i) {
        const plClipFacts* f = &r->facts[i / pipeCount][i % pipeCount];
        const plClipFacts* rigid = &r->facts[i / pipeCount][1];
        if (pipes[i % pipeCount].E > 0) {
            w.softer = fmax(w.softer, fmax(f->push / rigid->push, f->pull / rigid->pull));
        } else {
            w.across = fmax(w.across, f->across);
        }
        w.created = fmax(w.created, f->created);
        w.residual = fmax(w.residual, f->residual);
        w.weight = fmax(w.weight, fabs(f->end + f->weight));
        w.ripple = fmax(w.ripple, f->ripple);
        w.depth = fmax(w.depth, f->depth);
        w.failed += f->failed;
    }
    return w;
}

static void claim(plFigureJob* job, const Runs* r)
{
    const Worst w = worstOf(r);
    for (int i = 0; i < muCount; ++i) {
        for (int k = 0; k < pipeCount - 1; ++k) claimPeaks(job, r, i, k);
    }
    plFigureJob_Check(job, "soft", w.softer, plAtMost(0.95),
                      "A soft pipe takes less force: largest of its four peaks over those of the "
                      "rigid one at the same step");
    plFigureJob_Check(job, "created", w.created, plAtMost(1e-8),
                      "Nothing is created: largest of integrator + leak + drift - dissipated in "
                      "one tick, over what is stored then; the world solves its law to 1e-8");
    plFigureJob_Check(job, "residual", w.residual, plAtMost(1e-14),
                      "What is stored, dissipated and lost is what the hand gave (largest residual "
                      "of the ledger [J])");
    plFigureJob_Check(job, "weight", w.weight, plAtMost(1e-6),
                      "At the end the hand carries the weight, 0.147 N (largest error [N])");
    plFigureJob_Check(job, "ripple", w.ripple, plAtMost(1e-3),
                      "While the hand rests its force does (largest change in the last 0.1 s [N])");
    plFigureJob_Check(job, "depth", w.depth, plAtMost(5e-6),
                      "Nothing is deeper in the pipe than 5 micrometres [m]");
    plFigureJob_Check(job, "across", w.across, plAtMost(1e-6),
                      "On the rigid pipe the clip stays in the middle (largest way aside [m])");
    plFigureJob_Claim(job, "failed", w.failed, plAtMost(0),
                      "\"A realistic mass (15 g) with a time step of 3 ms\": ticks with trouble");
}

static bool make(plFigureJob* job)
{
    Runs* r = calloc(1, sizeof *r);
    if (!r) snprintf(job->message, sizeof job->message, "no memory for runs");
    const bool good = r && follow(job, r);
    if (good) claim(job, r);
    free(r);
    return good;
}

// clang-format off
static const char script[] =
    "set multiplot\n"
    "mus = '0.2 0.8'\n"
    "do for [i=0:1] {\n"
    "  mu = word(mus, i + 1)\n"
    "  set lmargin at screen 0.07 + 0.5*i\n"
    "  set rmargin at screen 0.49 + 0.5*i\n"
    "  set tmargin at screen 0.95\n"
    "  set bmargin at screen 0.47\n"
    "  set xrange [9:-0.5]\n"
    "  set yrange [(i ? -35 : -13):(i ? 35 : 27)]\n"
    "  set xtics 1\n"
    "  set ytics i ? 10 : 5\n"
    "  set format x '%g'\n"
    "  set xlabel 'height of the ring over the pipe [mm]' offset 0,0.5\n"
    "  if (i) { unset ylabel } else { set ylabel 'force of the coupling [N]' offset 1,0 }\n"
    "  set xzeroaxis ls 21\n"
    "  if (i) { unset key } else { set key at graph 0.12,0.98 left top Left reverse }\n"
    "  set label 1 'μ = '.mu at graph 0.97,0.06 right\n"
    "  set label 2 'pushed on →' at graph (i ? 0.04 : 0.45),(i ? 0.93 : 0.6) left textcolor "
    "rgb '#555555'\n"
    "  set label 3 '← pulled off' at graph 0.04,0.05 left textcolor rgb '#555555'\n"
    "  plot csv using (1000*column('y '.mu.' still')):'force '.mu.' still' with lines lc rgb "
    "'#AAAAAA' lw 3 title 'rigid pipe, in balance', \\\n"
    "       '' using (1000*column('y '.mu.' 1ms')):'force '.mu.' 1ms' with lines ls 1 lw 1.6 title "
    "'rigid, steps of 1 ms', \\\n"
    "       '' using (1000*column('y '.mu.' 3ms')):'force '.mu.' 3ms' with points pt 7 ps 0.32 lc "
    "rgb '#0072B2' title 'rigid, 3 ms', \\\n"
    "       '' using (1000*column('y '.mu.' soft')):'force '.mu.' soft' with lines ls 2 title "
    "'soft, 3 ms'\n"
    "  set tmargin at screen 0.36\n"
    "  set bmargin at screen 0.10\n"
    "  set xrange [0:2]\n"
    "  set yrange [(i ? -25 : -12):(i ? 470 : 230)]\n"
    "  set xtics 0.2\n"
    "  set ytics i ? 100 : 50\n"
    "  set format x '%.1f'\n"
    "  set xlabel 'time [s]' offset 0,0.5\n"
    "  if (i) { unset ylabel } else { set ylabel 'energy [mJ]' offset 1,0 }\n"
    "  unset label\n"
    "  if (!i) { set key at graph 1.17,1.05 right top Left reverse }\n"
    "  d(x) = 1000*column('dissipated '.mu)\n"
    "  l(x) = d(x) + 1000*column('lost '.mu)\n"
    "  s(x) = l(x) + 1000*column('stored '.mu)\n"
    "  plot csv using 'time '.mu:(s(0)) with filledcurves y1=0 lc rgb '#F0E442' title 'stored', \\\n"
    "       '' using 'time '.mu:(l(0)) with filledcurves y1=0 lc rgb '#BFD9EA' title 'lost by the "
    "integrator', \\\n"
    "       '' using 'time '.mu:(d(0)) with filledcurves y1=0 lc rgb '#E8A87C' title 'dissipated', "
    "\\\n"
    "       '' using 'time '.mu:(1000*column('given '.mu)) with lines lc rgb '#222222' lw 1.4 "
    "title 'given by the hand'\n"
    "}\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigureSignorini16 = {
    .id = "signorini-16",
    .title = "Snap-in and snap-out in time, rigid and soft pipe",
    .caption = "A hand leads the clip through a virtual coupling, at 40 mm/s, onto a pipe and off "
               "again. Up to a peak the force is nearly that of the clip in balance; then the clip "
               "runs ahead of the hand. In its seat the hand presses on, until it turns back. A "
               "soft pipe gives way, and less force is needed; its waves are the flat faces of its "
               "mesh. Below, for the soft pipe: where the work of the hand is.",
    .parameters = "Clip of spec 6: 393 nodes, 87 candidates, E = 700 MPa; coupling 2000 N/m, 5 N "
                  "s/m, 2 N m/rad, 0.01 N m s/rad, implicit; gravity. Soft pipe: radius 10 mm, "
                  "wall 2 mm, 60 mm long, its ends held, 72 sectors, E = 50 MPa, nu = 0.35.",
    .width = 960,
    .height = 640,
    .script = script,
    .make = make,
    .isLong = true,
};
