// pmi figures 12 to 14: a flexible beam, clamped at one end and let go with its end 5 cm aside. The
// midpoint integrator keeps its energy; implicit Euler takes each mode away by its own factor.
//                                                                                (pmi spec 7)
#include "base/base.h"
#include "math/math.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

enum { modes = 3 };

static const double printed[modes] = {11.91, 74.65, 209.03}; // [Hz]
static const double length = 0.907, mass = 1.4683;

static double shapeAt(const double* d, double s)
{
    double y = 0;
    for (int k = 0; k < modes; ++k) y += d[k] * plBeam_Shape(k, s);
    return y;
}

static void amplitudes(const plFigureRun* run, double* d)
{
    plWorld_State(run->world, plWorld_Mechanism(run->world, 0), d, NULL);
}

// ----------------------------------------------------------------------------------- snapshots

enum { shots = 9, stride = 5, points = 61 };

static bool addShot(plFigureJob* job, const plFigureRun* run, int i)
{
    double d[modes];
    double* y = plFigureJob_Column(job, points, "y %d ms", i * stride);
    if (!y) return false;
    amplitudes(run, d);
    for (int k = 0; k < points; ++k) y[k] = shapeAt(d, k / (points - 1.0));
    return true;
}

/// Every mode is an oscillator of its own: d_k = d_0 cos(2 k atan(h/2)).
static double formulaError(const plFigureRun* run, const double* start, int step)
{
    double d[modes], worst = 0;
    amplitudes(run, d);
    for (int k = 0; k < modes; ++k) {
        const double h = 2 * PL_PI * printed[k] * run->T;
        worst = fmax(worst, fabs(d[k] - start[k] * cos(2 * step * atan(h / 2))));
    }
    return worst / fabs(start[0]);
}

static void claimFrequencies(plFigureJob* job)
{
    const plBeamDef beam = {.length = length,
                            .mass = mass,
                            .bending = {68.95e9 * 0.05 * pow(0.012, 3) / 12, 0},
                            .modes = {modes, 0}};
    double worst = 0;
    for (int k = 0; k < modes; ++k) {
        worst = fmax(worst, fabs(plBeam_Frequency(&beam, 0, k) / (2 * PL_PI) - printed[k]));
    }
    plFigureJob_Claim(
        job, "frequencies", worst, plAtMost(0.01),
        "\"Natural frequencies of (11.91, 74.65, 209.03) Hz\": those of an Euler-Bernoulli beam at "
        "E = 68.95 GPa, which is not printed: largest difference [Hz]");
}

static bool makeShots(plFigureJob* job)
{
    plFigureRun run;
    double start[modes], worst = 0;
    if (!plFigureJob_Open(job, "beam", (const char*[]){NULL}, &run)) return false;
    double* x = plFigureJob_Column(job, points, "x");
    bool good = x != NULL;
    for (int k = 0; good && k < points; ++k) x[k] = length * k / (points - 1);
    amplitudes(&run, start);
    const double end = shapeAt(start, 1);
    for (int k = 0; good && k <= run.steps; ++k) {
        if (k > 0) plWorld_Step(run.world, run.T);
        if (k % stride == 0 && k / stride < shots) good = addShot(job, &run, k / stride);
        worst = fmax(worst, formulaError(&run, start, k));
    }
    plFigureRun_Close(&run);
    if (!good) return false;
    plFigureJob_Check(job, "start", end, plWithin(0.05, 1e-9), "The end starts 5 cm aside [m]");
    plFigureJob_Check(job, "modes", worst, plAtMost(1e-11),
                      "Each mode swings as the midpoint's closed form says, for 2 s: largest "
                      "difference over the first amplitude");
    claimFrequencies(job);
    return true;
}

// ------------------------------------------------------------------------------------- energies

typedef struct {
    double low, high; ///< of E/E0
    double kinetic;   ///< most of it over E0
    double at[4];     ///< E/E0 after 0.1, 0.5, 1, 2 s
} Result;

static bool addEnergies(plFigureJob* job, const char* integrator, Result* result)
{
    static const int marks[4] = {100, 500, 1000, 2000};
    char setting[64];
    plFigureRun run;
    snprintf(setting, sizeof setting, "integrator=%s", integrator);
    *result = (Result){INFINITY, -INFINITY, 0, {NAN, NAN, NAN, NAN}};
    if (!plFigureJob_Open(job, "beam", (const char*[]){setting, NULL}, &run)) return false;
    double* t = plFigureJob_Column(job, run.steps + 1, "time %s", integrator);
    double* kinetic = plFigureJob_Column(job, run.steps + 1, "kinetic %s", integrator);
    double* potential = plFigureJob_Column(job, run.steps + 1, "potential %s", integrator);
    const bool good = t && kinetic && potential;
    for (int k = 0; good && k <= run.steps; ++k) {
        if (k > 0) plWorld_Step(run.world, run.T);
        t[k] = k * run.T;
        kinetic[k] = plFigureRun_Read(&run, "kinetic");
        potential[k] = plFigureRun_Read(&run, "potential");
        const double e = (kinetic[k] + potential[k]) / run.energy;
        result->low = fmin(result->low, e);
        result->high = fmax(result->high, e);
        result->kinetic = fmax(result->kinetic, kinetic[k] / run.energy);
        for (int i = 0; i < 4; ++i)
            if (k == marks[i]) result->at[i] = e;
    }
    plFigureRun_Close(&run);
    return good;
}

static bool makeKept(plFigureJob* job)
{
    Result r;
    if (!addEnergies(job, "midpoint", &r)) return false;
    plFigureJob_Claim(job, "energy", fmax(r.high - 1, 1 - r.low), plAtMost(1e-10),
                      "\"The exact conservation of total energy during the fast oscillations\": "
                      "largest |E/E0 - 1| in 2 s");
    plFigureJob_Check(job, "exchange", r.kinetic, plBetween(0.95, 1 + 1e-10),
                      "while nearly all of it turns from potential to kinetic and back: most of "
                      "the kinetic energy over E0");
    return true;
}

static bool makeLost(plFigureJob* job)
{
    static const double table[4] = {.556144, .0595788, .00365151, 1.37162e-5};
    static const char* const ids[4] = {"100ms", "500ms", "1s", "2s"};
    Result r, s;
    if (!addEnergies(job, "implicit", &r) || !addEnergies(job, "symplectic", &s)) return false;
    for (int i = 0; i < 4; ++i) {
        plFigureJob_Check(job, ids[i], r.at[i] / table[i], plWithin(1, 1e-5),
                          "Implicit Euler's energy after %s, over %g E0, what its factors "
                          "1/(1 + h^2) of the three modes leave",
                          ids[i], table[i]);
    }
    plFigureJob_Claim(job, "decays", r.at[2], plAtMost(0.01),
                      "\"The total energy quickly decays\" under implicit Euler: E/E0 after 1 s");
    plFigureJob_Check(
        job, "symplectic-low", s.low, plWithin(0.9591, 1e-3),
        "Symplectic Euler, said to be unstable here, is stable at 1 kHz (its limit is "
        "1.52 ms): smallest E/E0");
    plFigureJob_Claim(job, "symplectic-unstable", s.high, plAtLeast(10),
                      "\"Cannot be stably simulated by the SEI\": largest E/E0 in 2 s");
    plFigureJob_Differs(
        job, plWithin(1.0510, 1e-3),
        "Symplectic Euler is stable up to a step of 1.52 ms; at 1 kHz its energy sways by 5 %%.");
    return true;
}

// ----------------------------------------------------------------------------------- drawings

static const char shotScript[] =
    "set lmargin at screen 0.09\n"
    "set rmargin at screen 0.80\n"
    "set tmargin at screen 0.95\n"
    "set bmargin at screen 0.16\n"
    "set xrange [0:0.92]\n"
    "set yrange [-60:60]\n"
    "set xlabel 'along the beam [m]' offset 0,0.4\n"
    "set ylabel 'deflection [mm]' offset 0.8,0\n"
    "set key at screen 0.985,0.93 right top vertical Left reverse\n"
    "set palette defined (0 '#1f4e8c', 0.5 '#8fa9c4', 1 '#c2571a')\n"
    "unset colorbox\n"
    "plot for [i=0:8] csv using 'x':(1000*column(sprintf('y %d ms', 5*i))) with lines lw 2 lc "
    "palette frac i/8.0 title sprintf('%d ms', 5*i)\n";

#define ENERGIES(name)                                                                             \
    "set lmargin at screen 0.075\n"                                                                \
    "set rmargin at screen 0.975\n"                                                                \
    "set xlabel 'time [s]' offset 0,0.4\n"                                                         \
    "set ylabel 'energy [J]' offset 0.8,0\n"                                                       \
    "set yrange [0:2.8]\n"                                                                         \
    "set key at graph 0.995,1.14 right top horizontal Left reverse width 2\n"                      \
    "K(x) = column('kinetic " name "')\n"                                                          \
    "P(x) = column('potential " name "')\n"

static const char keptScript[] =
    "set multiplot\n"
    "set tmargin at screen 0.91\n"
    "set bmargin at screen 0.58\n" ENERGIES(
        "midpoint") "set xrange [0:0.25]\n"
                    "plot csv using 'time midpoint':(K(0)+P(0)) with lines ls 1 lw 3 title "
                    "'total', \\\n"
                    "     '' using 'time midpoint':(K(0)) with lines ls 3 title 'kinetic', \\\n"
                    "     '' using 'time midpoint':(P(0)) with lines ls 2 title 'potential'\n"
                    "unset key\n"
                    "set tmargin at screen 0.45\n"
                    "set bmargin at screen 0.12\n"
                    "set xrange [0:2]\n"
                    "plot csv using 'time midpoint':(K(0)) with lines ls 3 lw 0.7, \\\n"
                    "     '' using 'time midpoint':(P(0)) with lines ls 2 lw 0.7, \\\n"
                    "     '' using 'time midpoint':(K(0)+P(0)) with lines ls 1 lw 3\n"
                    "unset multiplot\n";

static const char lostScript[] =
    "set tmargin at screen 0.89\n"
    "set bmargin at screen 0.16\n" ENERGIES(
        "implicit") "set xrange [0:1]\n"
                    "plot csv using 'time symplectic':(column('kinetic "
                    "symplectic')+column('potential "
                    "symplectic')) with lines lc '#b0b0b0' title 'total, symplectic Euler', \\\n"
                    "     '' using 'time implicit':(K(0)) with lines ls 3 title 'kinetic', \\\n"
                    "     '' using 'time implicit':(P(0)) with lines ls 2 title 'potential', \\\n"
                    "     '' using 'time implicit':(K(0)+P(0)) with lines ls 5 lw 3 title 'total, "
                    "implicit Euler'\n";

#define SCENE                                                                                      \
    "Scene beam: aluminium, 0.907 x 0.05 x 0.012 m, 1.4683 kg, modes of 11.91, 74.65 and 209.03 "  \
    "Hz, no damping, T = 1 ms, 2 s."

const plFigure plFigurePmi12 = {
    .id = "pmi-12",
    .title = "Shapes of a swinging beam",
    .caption =
        "A beam, clamped at x = 0, was held 5 cm aside by a force at its end and let go. Its "
        "shapes in the first 40 ms, half a period of its first mode: the higher modes ripple "
        "along it.",
    .parameters = SCENE,
    .width = 960,
    .height = 420,
    .script = shotScript,
    .make = makeShots,
};

const plFigure plFigurePmi13 = {
    .id = "pmi-13",
    .title = "Energy of the beam, passive midpoint",
    .caption =
        "Kinetic, potential and total energy of the beam of figure 12. The first 0.25 s, and "
        "all 2 s: the total does not move.",
    .parameters = SCENE,
    .width = 960,
    .height = 560,
    .script = keptScript,
    .make = makeKept,
};

const plFigure plFigurePmi14 = {
    .id = "pmi-14",
    .title = "Energy of the beam, implicit Euler",
    .caption =
        "The same beam under implicit Euler: every mode loses a share of its energy in every "
        "step, the higher ones faster, and after a second the beam stands. Symplectic Euler "
        "(grey) is not unstable here, as was said, but sways.",
    .parameters = SCENE,
    .width = 960,
    .height = 400,
    .script = lostScript,
    .make = makeLost,
};
