// pmi figures 1 and 2: a mass on a spring under four integrators, judged by closed forms.
// With h = T sqrt(k/m), start at x = 1 at rest:                              (pmi spec 1)
//   explicit    E_{k+1} = (1 + h^2) E_k
//   implicit    E_{k+1} = E_k/(1 + h^2)
//   symplectic  h < 2: E/E0 in [1/(1 + h/2), 1/(1 - h/2)], v^2 + w^2 x^2 - h w x v constant
//               h > 2: grows by (h^2 - 2 + h sqrt(h^2 - 4))/2 a step
//   midpoint    E constant, x_k = cos(2 k atan(h/2))
#include "base/base.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

enum { explicitEuler, symplecticEuler, implicitEuler, midpoint, kindCount };

static const char* const kindNames[kindCount] = {"explicit", "symplectic", "implicit", "midpoint"};

/// One run. Arrays have a value before the first step and one behind every step; `gain` and
/// `residual` belong to the step that leads to them.
typedef struct {
    double *x, *v, *E, *gain, *residual;
    int steps; ///< before the run left the range of numbers
    double h, w;
    double E0;
} Curve;

/// Energies are judged while their ratio to the first one lies between these: nearer to the ends of
/// the range of numbers, products of a step's balance lose digits or overflow.
#define LEAST 1e-280
#define MOST 1e280

static bool isJudged(double ratio) { return ratio > LEAST && ratio < MOST; }

static bool columns(plFigureJob* job, const char* name, int count, Curve* c)
{
    c->x = plFigureJob_Column(job, count, "x %s", name);
    c->v = plFigureJob_Column(job, count, "v %s", name);
    c->E = plFigureJob_Column(job, count, "E %s", name);
    c->gain = plFigureJob_Column(job, count, "gain %s", name);
    c->residual = plFigureJob_Column(job, count, "residual %s", name);
    return c->x && c->v && c->E && c->gain && c->residual;
}

static void sample(const plFigureRun* run, Curve* c, int k)
{
    const plAccount account = plWorld_Ledger(run->world);
    c->x[k] = plFigureRun_Read(run, "mass.q[0]");
    c->v[k] = plFigureRun_Read(run, "mass.v[0]");
    c->E[k] = (account.kinetic + account.potential) / run->energy;
    c->gain[k] = account.integrator;
    c->residual[k] = account.residual;
}

static bool follow(plFigureJob* job, const char* scene, int kind, Curve* c)
{
    char setting[64];
    double M;
    plFigureRun run;
    snprintf(setting, sizeof setting, "integrator=%s", kindNames[kind]);
    plFigureJob_Progress(job, kindNames[kind]);
    if (!plFigureJob_Open(job, scene, (const char* const[]){setting, NULL}, &run)) return false;
    if (kind == 0) {
        double* t = plFigureJob_Column(job, run.steps + 1, "time");
        for (int k = 0; t && k <= run.steps; ++k) t[k] = k * run.T;
    }
    const bool good = columns(job, kindNames[kind], run.steps + 1, c);
    if (good) {
        plWorld_Inertia(run.world, plWorld_Mechanism(run.world, 0), &M, NULL);
        sample(&run, c, 0);
        c->E0 = run.energy;
        c->w = sqrt(2 * run.energy / (c->x[0] * c->x[0]) / M);
        c->h = run.T * c->w;
        for (c->steps = 0; c->steps < run.steps; ++c->steps) {
            plWorld_ResetLedger(run.world); // the ledger then tells of one step
            plWorld_Step(run.world, run.T);
            if (plWorld_Report(run.world).trouble & ~pl_troubleGained) break;
            sample(&run, c, c->steps + 1);
        }
    }
    plFigureRun_Close(&run);
    return good;
}

// ---------------------------------------------------------------------------------- measures

/// Largest relative error of E_k/E0 against ratio^k.
static double energyError(const Curve* c, double ratio)
{
    double worst = 0;
    for (int k = 1; k <= c->steps && isJudged(c->E[k]); ++k)
        worst = fmax(worst, fabs(c->E[k] / exp(k * log(ratio)) - 1));
    return worst;
}

/// Largest relative error of the ledger's entry `integrator`, step by step, against share * E_k.
static double ledgerError(const Curve* c, double share)
{
    double worst = 0;
    for (int k = 0; k < c->steps && isJudged(c->E[k + 1]); ++k)
        worst = fmax(worst, fabs(c->gain[k + 1] / (share * c->E[k] * c->E0) - 1));
    return worst;
}

/// Largest residual of a step's balance, as a share of the energy before and after it.
static double residualShare(const Curve* curves)
{
    double worst = 0;
    for (int i = 0; i < kindCount; ++i) {
        const Curve* c = &curves[i];
        for (int k = 0; k < c->steps && isJudged(c->E[k + 1]); ++k)
            worst = fmax(worst, fabs(c->residual[k + 1]) / ((c->E[k] + c->E[k + 1]) * c->E0));
    }
    return worst;
}

static double deviation(const Curve* c)
{
    double worst = c->steps > 0 ? 0 : NAN;
    for (int k = 1; k <= c->steps; ++k) worst = fmax(worst, fabs(c->E[k] - 1));
    return worst;
}

static double invariantError(const Curve* c)
{
    double worst = 0, first = 0;
    for (int k = 0; k <= c->steps; ++k) {
        const double x = c->w * c->x[k], v = c->v[k], I = v * v + x * x - c->h * x * v;
        if (k == 0) first = I;
        worst = fmax(worst, fabs(I / first - 1));
    }
    return worst;
}

/// Largest relative error of |x_{k+1}/x_k| against `factor`, once the part that dies out is gone.
static double growthError(const Curve* c, double factor)
{
    enum { from = 20, to = 120 };
    double worst = c->steps >= to ? 0 : NAN;
    for (int k = from; k < to && k < c->steps; ++k)
        worst = fmax(worst, fabs(fabs(c->x[k + 1] / c->x[k]) / factor - 1));
    return worst;
}

// ------------------------------------------------------------------------------------ claims

/// log10 of the last E/E0 that is judged.
static double lastDecade(const Curve* c)
{
    int k = c->steps;
    while (k > 0 && !isJudged(c->E[k])) --k;
    return log10(c->E[k]);
}

static void claimEuler(plFigureJob* job, const Curve* curves)
{
    const Curve *e = &curves[explicitEuler], *i = &curves[implicitEuler];
    const double hh = e->h * e->h;
    plFigureJob_Claim(job, "explicit-diverges", lastDecade(e), plAtLeast(3),
                      "\"The EEI always diverges\": decades that the energy gains");
    plFigureJob_Claim(job, "implicit-decays", lastDecade(i), plAtMost(-3),
                      "\"The IEI always converges to zero\": decades that the energy gains");
    plFigureJob_Check(
        job, "explicit-energy", energyError(e, 1 + hh), plAtMost(1e-9),
        "Explicit Euler multiplies the energy by 1 + h^2 = %.6g in each step (largest "
        "relative error of E_k, while E/E0 < 1e280)",
        1 + hh);
    plFigureJob_Check(job, "implicit-energy", energyError(i, 1 / (1 + hh)), plAtMost(1e-9),
                      "Implicit Euler divides the energy by 1 + h^2 in each step (largest relative "
                      "error of E_k, while E/E0 > 1e-280)");
    plFigureJob_Check(job, "explicit-ledger", ledgerError(e, hh), plAtMost(1e-9),
                      "The ledger's entry for explicit Euler is the gain +h^2 E of every step "
                      "(largest relative error)");
    plFigureJob_Check(job, "implicit-ledger", ledgerError(i, -hh / (1 + hh)), plAtMost(1e-9),
                      "The ledger's entry for implicit Euler is the loss -h^2 E/(1 + h^2) of every "
                      "step (largest relative error)");
}

static void claimMidpoint(plFigureJob* job, const Curve* curves, double x100)
{
    const Curve* m = &curves[midpoint];
    plFigureJob_Claim(job, "midpoint-energy", deviation(m), plAtMost(1e-11),
                      "\"Only the PMI can simulate harmonic oscillation with the total energy "
                      "exactly conserved\": largest |E/E0 - 1| in %d steps",
                      m->steps);
    plFigureJob_Check(job, "midpoint-x100", m->x[100], plWithin(x100, 1e-9),
                      "Its position after 100 steps [m] is cos(200 atan(h/2))");
    // Ten roundings of terms up to (1 + h^2) times the energy.
    plFigureJob_Check(job, "ledger-residual", residualShare(curves), plAtMost(2e-14),
                      "The energy balance of every step of all four integrators closes to "
                      "round-off (residual over the energies before and after)");
}

static bool followAll(plFigureJob* job, const char* scene, Curve* curves)
{
    for (int i = 0; i < kindCount; ++i)
        if (!follow(job, scene, i, &curves[i])) return false;
    return true;
}

static bool makeSoft(plFigureJob* job)
{
    Curve curves[kindCount];
    if (!followAll(job, "oscillator", curves)) return false;
    const Curve* s = &curves[symplecticEuler];
    double low = INFINITY, high = 0;
    for (int k = 0; k <= s->steps; ++k) {
        low = fmin(low, s->E[k]);
        high = fmax(high, s->E[k]);
    }
    claimEuler(job, curves);
    const plCriterion range = plBetween(1 / (1 + s->h / 2) - 1e-9, 1 / (1 - s->h / 2) + 1e-9);
    plFigureJob_Claim(job, "symplectic-low", low, range,
                      "\"The SEI can simulate harmonic oscillation with large mass\": E/E0 stays "
                      "between 1/(1 + h/2) and 1/(1 - h/2): smallest");
    plFigureJob_Claim(job, "symplectic-high", high, range, "and largest");
    plFigureJob_Check(job, "symplectic-invariant", invariantError(s), plAtMost(1e-11),
                      "What symplectic Euler keeps is v^2 + w^2 x^2 - h w x v (largest relative "
                      "change)");
    claimMidpoint(job, curves, -0.8435691508757899);
    return true;
}

static bool makeStiff(plFigureJob* job)
{
    Curve curves[kindCount];
    if (!followAll(job, "oscillator-stiff", curves)) return false;
    const Curve* s = &curves[symplecticEuler];
    const double factor = 0.5 * (s->h * s->h - 2 + s->h * sqrt(s->h * s->h - 4));
    claimEuler(job, curves);
    plFigureJob_Check(
        job, "symplectic-factor", factor, plWithin(7.872983346, 1e-9),
        "Beyond h = 2 symplectic Euler is unstable: closed form of its growth a step");
    plFigureJob_Claim(job, "symplectic-diverges", s->steps > 120 ? fabs(s->x[120] / s->x[119]) : 0,
                      plAtLeast(2),
                      "The SEI \"diverges with small mass\": growth of its amplitude in a step");
    plFigureJob_Check(job, "symplectic-growth", growthError(s, factor), plAtMost(1e-9),
                      "which is the closed form, in steps 20 to 120 (largest relative error)");
    claimMidpoint(job, curves, 0.9526967489083288);
    return true;
}

// ----------------------------------------------------------------------------------- drawings

// Four strips of x on the left, all energies on the right.
#define STRIPS(range, ticks, style)                                                                \
    "set multiplot\n"                                                                              \
    "set lmargin at screen 0.075\n"                                                                \
    "set rmargin at screen 0.475\n"                                                                \
    "set xrange [0:" range "]\n"                                                                   \
    "set xtics " ticks "\n"                                                                        \
    "set yrange [-2.2:2.2]\n"                                                                      \
    "set ytics 1\n"                                                                                \
    "array name[4] = ['explicit Euler', 'symplectic Euler', 'implicit Euler', "                    \
    "'passive midpoint']\n"                                                                        \
    "array key[4] = ['explicit', 'symplectic', 'implicit', 'midpoint']\n"                          \
    "array look[4] = [2, 3, 5, 1]\n"                                                               \
    "do for [i=1:4] {\n"                                                                           \
    "  set tmargin at screen 0.94 - (i - 1)*0.215\n"                                               \
    "  set bmargin at screen 0.94 - (i - 1)*0.215 - 0.165\n"                                       \
    "  if (i < 4) { set format x ''; unset xlabel }\n"                                             \
    "  if (i == 4) { set format x '%g'; set xlabel 'time [s]' offset 0,0.4 }\n"                    \
    "  set ylabel 'x [m]' offset 1.2,0\n"                                                          \
    "  set label 1 name[i] at graph 0,1.0 left offset 0,0.7\n"                                     \
    "  plot csv using 'time':(column('x '.key[i])) with " style "\n"                               \
    "}\n"                                                                                          \
    "set label 1 'energy' at graph 0,1.0 left offset 0,0.7\n"                                      \
    "set lmargin at screen 0.585\n"                                                                \
    "set rmargin at screen 0.975\n"                                                                \
    "set tmargin at screen 0.94\n"                                                                 \
    "set bmargin at screen 0.13\n"                                                                 \
    "set ylabel 'E / E₀' offset 0.5,0\n"                                                         \
    "set xlabel 'time [s]' offset 0,0.4\n"                                                         \
    "set ytics autofreq\n"                                                                         \
    "set logscale y\n"                                                                             \
    "set format y '10^{%L}'\n"

// clang-format off
static const char softScript[] =
    STRIPS("1", "0.2", "lines ls look[i]")
    "set yrange [1e-5:1e5]\n"
    "set key at graph 0.05,0.97 left top Left reverse\n"
    "plot csv using 'time':(column('E explicit')) with lines ls 2 title 'explicit: gains', \\\n"
    "     csv using 'time':(column('E symplectic')) with lines ls 3 lw 4 title "
    "'symplectic: sways by 5 %', \\\n"
    "     csv using 'time':(column('E midpoint')) with lines ls 1 lw 1.4 title "
    "'midpoint: keeps', \\\n"
    "     csv using 'time':(column('E implicit')) with lines ls 5 title 'implicit: loses'\n"
    "unset logscale y\n"
    "unset key\n"
    "set format y '%g'\n"
    "set lmargin at screen 0.645\n"
    "set rmargin at screen 0.765\n"
    "set tmargin at screen 0.355\n"
    "set bmargin at screen 0.195\n"
    "set label 1 'the middle two, nearer' font ',11'\n"
    "set xrange [0:0.2]\n"
    "set yrange [0.94:1.06]\n"
    "set xtics 0.1 font ',11'\n"
    "set ytics 0.05 font ',11'\n"
    "unset xlabel\n"
    "unset ylabel\n"
    "plot csv using 'time':(column('E symplectic')) with lines ls 3, \\\n"
    "     csv using 'time':(column('E midpoint')) with lines ls 1\n"
    "unset multiplot\n";

static const char stiffScript[] =
    STRIPS("0.04", "0.01", "linespoints ls look[i] pt 7 ps 0.35")
    "set yrange [1e-12:1e12]\n"
    "set key at graph 0.98,0.97 right top Left reverse\n"
    "plot csv using 'time':(column('E symplectic')) with linespoints ls 3 pt 7 ps 0.35 title "
    "'symplectic: explodes', \\\n"
    "     csv using 'time':(column('E explicit')) with linespoints ls 2 pt 7 ps 0.35 title "
    "'explicit: gains', \\\n"
    "     csv using 'time':(column('E midpoint')) with linespoints ls 1 pt 7 ps 0.35 title "
    "'midpoint: keeps', \\\n"
    "     csv using 'time':(column('E implicit')) with linespoints ls 5 pt 7 ps 0.35 title "
    "'implicit: loses'\n"
    "unset multiplot\n";
// clang-format on

const plFigure plFigurePmi1 = {
    .id = "pmi-1",
    .title = "Harmonic oscillator",
    .caption = "A mass on a spring, let go at x = 1 m, under four integrators at 1 kHz. Explicit "
               "Euler gains energy in every step and implicit Euler loses as much; symplectic "
               "Euler sways about the true energy; the passive midpoint integrator keeps it. Each "
               "gain and loss is an entry of the ledger, by the integrator's own formula. Curves "
               "that leave the frame are cut.",
    .parameters = "Scene oscillator: m = 0.01 kg, k = 100 N/m, T = 1 ms, h = T sqrt(k/m) = 0.1, "
                  "1 s, no damping.",
    .width = 960,
    .height = 560,
    .script = softScript,
    .make = makeSoft,
};

const plFigure plFigurePmi2 = {
    .id = "pmi-2",
    .title = "Stiff oscillator",
    .caption = "The same spring with a mass a thousand times lighter: the step is now longer than "
               "half a period. Symplectic Euler, of which most interactive engines are made, "
               "explodes faster than explicit Euler; implicit Euler is stable because it stops the "
               "motion at once; the midpoint integrator keeps both motion and energy. Shown are "
               "the first 40 steps, points are states; unstable curves leave the frame.",
    .parameters = "Scene oscillator-stiff: m = 1e-5 kg, k = 100 N/m, T = 1 ms, h = 3.162, 1 s "
                  "(unstable runs until their energy exceeds the range of numbers).",
    .width = 960,
    .height = 560,
    .script = stiffScript,
    .make = makeStiff,
};
