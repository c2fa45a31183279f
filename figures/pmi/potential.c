// Claims on nonlinear potentials: a mass in 50 y^2 + 2500 y^4, whose motion from rest is A cn(omega t | m).
//   omega^2 = 100 + 1e4 A^2,   m = 1e4 A^2/(2 omega^2)                                  (pmi sec. 4.1)
#include "base/base.h"
#include "pmi/pmi.h"

#include <math.h>

static const double amplitude = 0.2; // [m]

/// Jacobi's cn(u | m) by the arithmetic-geometric mean.
static double jacobiCn(double u, double m)
{
    enum { most = 12 };
    double a[most] = {1}, c[most] = {sqrt(m)}, b = sqrt(1 - m);
    int n = 0;
    while (n < most - 1 && fabs(c[n]) > 1e-16) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        ++n;
    }
    double phi = ldexp(a[n] * u, n);
    for (int i = n; i > 0; --i) phi = 0.5 * (phi + asin(c[i] * sin(phi) / a[i]));
    return cos(phi);
}

typedef struct {
    double rise;  ///< largest E/E0 - 1
    double sway;  ///< largest |E/E0 - 1|
    double error; ///< largest distance from the closed form [m]
} Course;

static bool follow(plFigureJob* job, const char* const* settings, Course* c)
{
    const double ww = 100 + 1e4 * amplitude * amplitude, m = 0.5e4 * amplitude * amplitude / ww;
    plFigureRun run;
    *c = (Course){0};
    if (!plFigureJob_Open(job, "duffing", settings, &run)) return false;
    for (int k = 1; k <= run.steps; ++k) {
        double y, v;
        plWorld_Step(run.world, run.T);
        plWorld_State(run.world, plWorld_Mechanism(run.world, 0), &y, &v);
        const double E = plFigureRun_Energy(&run) / run.energy - 1;
        const double exact = amplitude * jacobiCn(sqrt(ww) * k * run.T, m);
        c->rise = fmax(c->rise, E);
        c->sway = fmax(c->sway, fabs(E));
        c->error = fmax(c->error, fabs(y - exact));
    }
    plFigureRun_Close(&run);
    return true;
}

#define PRINTED "passes=0", "guard=false", BODY "start=0", BODY "velocity=3.4641016151377544"
#define BODY "mechanisms.mass.bodies[0]."

bool plPmi_ClaimPotentials(plFigureJob* job)
{
    static const char* const settings[4][8] = {{PRINTED},
                                               {PRINTED, BODY "damping=0.05"},
                                               {"time=2", "passes=8"},
                                               {"time=2", "passes=8", "step=0.0005"}};
    Course c[4];
    for (int i = 0; i < 4; ++i) {
        if (!follow(job, settings[i], &c[i])) return false;
    }
    plFigureJob_Claim(
        job, "potential-approximate", c[0].rise, plBetween(1e-6, 1e-2),
        "\"Other types of analytic nonlinear potentials can also be used, with their "
        "potential action approximated\": 50 y^2 + 2500 y^4 J on 1 kg, largest E/E0 - 1 "
        "in 10 s");
    plFigureJob_Claim(job, "potential-damped", c[1].rise, plAtMost(1e-12),
                      "\"With some damping B injection to enforce the discrete-time passivity\": "
                      "0.05 N s/m, largest E/E0 - 1");
    plFigureJob_Check(
        job, "potential-energy", c[2].sway, plAtMost(1e-11),
        "The same potential where passes close its balance: largest |E/E0 - 1| in 2 s");
    plFigureJob_Check(
        job, "potential-order", c[2].error / c[3].error, plWithin(4, 0.1),
        "Its motion against the closed form A cn(omega t): error at 1 ms, %.1e m, over "
        "that at 0.5 ms",
        c[2].error);
    return true;
}
