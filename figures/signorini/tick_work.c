// signorini figures 17 and 18: what a tick of the snap-in has to do, without friction and with it. The
// paper's are times of its machine; these are counts.                           (signorini spec 7)
#include "signorini/clip_world.h"
#include "signorini/signorini.h"

#include <stdio.h>
#include <stdlib.h>

enum { mostRuns = 4, manySteps = 25 };

typedef struct {
    const char* name; ///< of its columns
    double mu;
    bool rich;
} Case;

static const Case smooth[] = {{"base", 0, false}, {"rich", 0, true}, {NULL, 0, false}};
static const Case rough[] = {{"base 0.2", 0.2, false},
                             {"rich 0.2", 0.2, true},
                             {"base 0.8", 0.8, false},
                             {"rich 0.8", 0.8, true},
                             {NULL, 0, false}};

static const double T = 3e-3, duration = 1.8; // [s]: until the clip is off the pipe

/// Of the ticks with contacts.
typedef struct {
    int ticks, failed, hard;                         ///< hard: more than manySteps
    int contacts, active, iterations;                ///< largest
    double meanContacts, meanActive, meanIterations; ///< means
    double problem; ///< mean of contacts in the largest problem of a tick, at most plLookContacts
} Work;

static void noteMost(int value, int* most) { *most = value > *most ? value : *most; }

static Work workOf(const plClipRun* r)
{
    Work w = {0};
    for (int k = 0; k < r->count; ++k) {
        const plStepReport* s = &r->ticks[k].report;
        w.failed += s->trouble != 0;
        if (s->contacts == 0) continue;
        w.ticks++;
        w.hard += s->iterations > manySteps;
        noteMost(s->contacts, &w.contacts);
        noteMost(s->active, &w.active);
        noteMost(s->iterations, &w.iterations);
        w.meanContacts += s->contacts, w.meanActive += s->active;
        w.meanIterations += s->iterations, w.problem += r->ticks[k].problem;
    }
    w.meanContacts /= w.ticks, w.meanActive /= w.ticks;
    w.meanIterations /= w.ticks, w.problem /= w.ticks;
    return w;
}

// ------------------------------------------------------------------------------------- columns

/// The size of the problem is told where the tick told all of it.
static bool addColumns(plFigureJob* job, const char* name, const plClipRun* r)
{
    double* time = plFigureJob_Column(job, r->count, "time %s", name);
    double* contacts = plFigureJob_Column(job, r->count, "contacts %s", name);
    double* problem = plFigureJob_Column(job, r->count, "problem %s", name);
    double* active = plFigureJob_Column(job, r->count, "active %s", name);
    double* iterations = plFigureJob_Column(job, r->count, "iterations %s", name);
    double* cpu = plFigureJob_Column(job, r->count, "cpu %s", name);
    if (!time || !contacts || !problem || !active || !iterations || !cpu) return false;
    for (int k = 0; k < r->count; ++k) {
        const plClipTick* t = &r->ticks[k];
        time[k] = t->time, cpu[k] = t->cpu;
        contacts[k] = t->report.contacts, active[k] = t->report.active;
        iterations[k] = t->report.iterations;
        if (t->problem < plLookContacts) problem[k] = t->problem;
    }
    return true;
}

// ------------------------------------------------------------------------------------- claims

static void claimOne(plFigureJob* job, const Case* c, const Work* w)
{
    char id[40];
    const char* which = c->rich ? "rich" : "base";
    snprintf(id, sizeof id, "pushing-%s-%g", which, c->mu);
    plFigureJob_Check(job, id, w->meanActive / w->meanContacts, plAtMost(0.3),
                      "%s clip, mu = %g: contacts that push over contacts met, by their means",
                      which, c->mu);
    if (!c->rich) {
        snprintf(id, sizeof id, "problem-%s-%g", which, c->mu);
        plFigureJob_Check(job, id, w->problem / w->meanContacts, plAtMost(0.3),
                          "%s clip, mu = %g: contacts in the problem that is solved, over contacts "
                          "met, by their means",
                          which, c->mu);
    }
    snprintf(id, sizeof id, "steps-%s-%g", which, c->mu);
    plFigureJob_Check(job, id, w->meanIterations, plAtMost(c->mu > 0 ? 6 : 2),
                      "%s clip, mu = %g: steps of Newton's method in a tick, mean", which, c->mu);
}

/// The papers measured seconds; what is judged here is work, which no machine changes.
static void claimPaper(plFigureJob* job, const Work* w, double mu)
{
    if (mu > 0) {
        plFigureJob_Claim(
            job, "slower", w->meanIterations, plAtLeast(1.2),
            "\"When friction is added the performance decreases\": steps of Newton's "
            "method in a tick, base clip, mu = %g, mean; without friction it is about one",
            mu);
        return;
    }
    plFigureJob_Claim(job, "variations", w->iterations / w->meanIterations, plAtMost(2),
                      "\"The small variations of the computation time\" without friction: most "
                      "steps of Newton's method in a tick over their mean, base clip");
    plFigureJob_Differs(job, plBetween(2, 20),
                        "The number of contacts is not held at thirty: most ticks take one step, a "
                        "few that change many contacts take more.");
}

static void claimAll(plFigureJob* job, const Work* works, int count)
{
    int failed = 0, hard = 0, most = 0, ticks = 0;
    for (int i = 0; i < count; ++i) {
        failed += works[i].failed, hard += works[i].hard, ticks += works[i].ticks;
        noteMost(works[i].iterations, &most);
    }
    plFigureJob_Check(job, "most", most, plAtMost(150), "Most iterations of a tick of any run");
    plFigureJob_Check(job, "hard", (double)hard / ticks, plAtMost(0.01),
                      "Share of the ticks that took more than %d steps", manySteps);
    plFigureJob_Check(job, "failed", failed, plAtMost(0), "No tick had trouble");
}

static bool makeCases(plFigureJob* job, const Case* cases)
{
    Work works[mostRuns];
    int count = 0;
    plClipRun* r = malloc(sizeof *r);
    bool good = r != NULL;
    if (!good) snprintf(job->message, sizeof job->message, "no memory for a run");
    for (; good && cases[count].name; ++count) {
        const Case* c = &cases[count];
        const plClipWorldDef def = {.mu = c->mu, .rich = c->rich};
        plFigureJob_Progress(job, c->name);
        good = plClipRun_Make(r, &def, T, duration, job) && addColumns(job, c->name, r);
        if (good) works[count] = workOf(r);
        if (good) claimOne(job, c, &works[count]);
    }
    if (good) claimPaper(job, &works[0], cases[0].mu);
    if (good) claimAll(job, works, count);
    free(r);
    return good;
}

static bool makeSmooth(plFigureJob* job) { return makeCases(job, smooth); }
static bool makeRough(plFigureJob* job) { return makeCases(job, rough); }

// clang-format off
/// Of two runs, side by side; `met` and `steps` are the ends of axes.
#define SCRIPT                                                                                     \
    "set multiplot\n"                                                                              \
    "set xrange [0:1.8]\n"                                                                         \
    "set xtics 0.2\n"                                                                              \
    "do for [i=0:1] {\n"                                                                           \
    "  n = run[i + 1]\n"                                                                           \
    "  set lmargin at screen 0.07 + 0.5*i\n"                                                       \
    "  set rmargin at screen 0.49 + 0.5*i\n"                                                       \
    "  set tmargin at screen 0.94\n"                                                               \
    "  set bmargin at screen 0.52\n"                                                               \
    "  set format x ''\n"                                                                          \
    "  unset xlabel\n"                                                                             \
    "  set yrange [0:met[i + 1]]\n"                                                                \
    "  set ytics met[i + 1] > 200 ? 100 : 20\n"                                                    \
    "  if (i) { unset ylabel } else { set ylabel 'contacts' offset 1,0 }\n"                        \
    "  set label 1 name[i + 1] at graph 0,1.0 left offset 0,0.7\n"                                 \
    "  if (i) { unset key } else { set key at graph 0.68,0.8 right top }\n"                        \
    "  plot csv using 'time '.n:'contacts '.n with steps ls 9 title 'met', \\\n"                   \
    "       '' using 'time '.n:'problem '.n with points pt 5 ps 0.5 lc rgb '#F5C76A' title "       \
    "'in the problem', \\\n"                                                                       \
    "       '' using 'time '.n:'active '.n with steps ls 1 lw 1.4 title 'pushing'\n"               \
    "  unset key\n"                                                                                \
    "  unset label\n"                                                                              \
    "  set tmargin at screen 0.48\n"                                                               \
    "  set bmargin at screen 0.32\n"                                                               \
    "  set yrange [0:steps]\n"                                                                     \
    "  set ytics steps > 50 ? 20 : 5\n"                                                            \
    "  if (i) { unset ylabel } else { set ylabel \"Newton's steps\" offset 1,0 }\n"                \
    "  plot csv using 'time '.n:'iterations '.n with impulses ls 3 lw 1\n"                         \
    "  set tmargin at screen 0.28\n"                                                               \
    "  set bmargin at screen 0.11\n"                                                               \
    "  set format x '%.1f'\n"                                                                      \
    "  set xlabel 'time [s]' offset 0,0.5\n"                                                       \
    "  set yrange [0.01:100]\n"                                                                    \
    "  set logscale y\n"                                                                           \
    "  set ytics (0.01, 0.1, 1, 10, 100)\n"                                                        \
    "  if (i) { unset ylabel } else { set ylabel 'CPU [ms]' offset 2,0 }\n"                        \
    "  plot csv using 'time '.n:(1000*column('cpu '.n)) with points pt 7 ps 0.2 lc rgb "           \
    "'#888888'\n"                                                                                  \
    "  unset logscale\n"                                                                           \
    "}\n"                                                                                          \
    "unset multiplot\n"

static const char smoothScript[] =
    "array run[2] = ['base', 'rich']\n"
    "array met[2] = [95, 350]\n"
    "array name[2] = ['μ = 0, 87 nodes may touch', 'μ = 0, 319 nodes may touch']\n"
    "steps = 16\n" SCRIPT;

static const char roughScript[] =
    "array run[2] = ['rich 0.2', 'rich 0.8']\n"
    "array met[2] = [350, 350]\n"
    "array name[2] = ['μ = 0.2, 319 nodes may touch', 'μ = 0.8, 319 nodes may touch']\n"
    "steps = 25\n" SCRIPT;
// clang-format on

#define PARAMETERS                                                                                 \
    "Clip of spec 6 on a rigid pipe, led by a hand as in signorini-16, steps of 3 ms. A node of "  \
    "the clip is met within 1 mm of the pipe. Those that pushed in the last tick make the "        \
    "problem; what its answer violates is added, and it is solved again. A tick tells the size "   \
    "of its largest problem up to 63 contacts; steps are those of the last one. The times are of " \
    "one run."

const plFigure plFigureSignorini17 = {
    .id = "signorini-17",
    .title = "Work of a tick without friction",
    .caption =
        "A clip is pushed onto a pipe, held there and pulled off. Many of its nodes come near the "
        "pipe, few push, and only these make a problem; more are in it for a tick when the "
        "clip snaps into its seat. Newton's method needs a step or two.",
    .parameters = PARAMETERS,
    .width = 960,
    .height = 560,
    .script = smoothScript,
    .make = makeSmooth,
    .isLong = true,
};

const plFigure plFigureSignorini18 = {
    .id = "signorini-18",
    .title = "Work of a tick with friction",
    .caption = "The same with friction, for the larger clip. Newton's method needs a few steps "
               "more. A few ticks, when the hand pulls at the seated clip and many contacts begin "
               "to slip, take more than the steps that it has, and go on by another way.",
    .parameters = PARAMETERS,
    .width = 960,
    .height = 560,
    .script = roughScript,
    .make = makeRough,
    .isLong = true,
};
