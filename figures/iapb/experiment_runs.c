// Runs of the experiment, and what is measured of them.
#include "iapb/experiment.h"
#include "iapb/peg.h"
#include "math/math.h"

#include <stdarg.h>
#include <stdio.h>

const char* const plExperimentNames[pl_experimentCount] = {"full", "spread", "penalty"};

const plExperiment plExperimentPrinted = {.damping = 50, .torqueLimit = 3.2};

static const double push[2] = {-0.32, 0.4}; // of the scene's hand

// --------------------------------------------------------------------------------------- runs

enum { settingCount = 16, settingSize = 80 };

typedef struct {
    int count;
    char text[settingCount][settingSize];
    const char* list[settingCount + 1];
} Settings;

__attribute__((format(printf, 2, 3))) static void set(Settings* s, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text[s->count], settingSize, format, arguments);
    va_end(arguments);
    s->list[s->count] = s->text[s->count];
    s->list[++s->count] = NULL;
}

static void setLaw(Settings* s, plExperimentMethod method)
{
    set(s, "law=%s", method == pl_experimentPenalty ? "penalty" : "impulse");
    set(s, "couplings.hold.limit=%s", method == pl_experimentSpread ? "spread" : "none");
}

static void setDevice(Settings* s, const plExperiment* e)
{
    set(s, "devices.stick.delay=%d", e->delay);
    set(s, "devices.stick.pantograph.torqueLimit=%g", e->torqueLimit);
    if (e->disturbance) set(s, "devices.stick.pantograph.observer=disturbance");
    if (!e->bare) return;
    set(s, "devices.stick.pantograph.inertia=[0, 0, 0]");
    set(s, "couplings.hold.turnStiffness=0.05");
    set(s, "couplings.hold.turnDamping=0.01");
}

/// Gaps of the closest corners of a peg where the hand is.
static void keepGaps(plExperimentTrack* t, int k, double angle)
{
    const double c = fabs(cos(angle)), s = fabs(sin(angle));
    t->gap[0][k] = t->x[k] - (c * plPegHalf.x + s * plPegHalf.y);
    t->gap[1][k] = -t->y[k] - (s * plPegHalf.x + c * plPegHalf.y);
}

static void keep(plExperimentTrack* t, int k, const plFigureRun* run)
{
    t->x[k] = plFigureRun_Read(run, "stick.x");
    t->y[k] = plFigureRun_Read(run, "stick.y");
    keepGaps(t, k, plFigureRun_Read(run, "stick.angle"));
    t->force[0][k] = plFigureRun_Read(run, "stick.force[0]");
    t->force[1][k] = -plFigureRun_Read(run, "stick.force[1]");
    t->torque[k] = plFigureRun_Read(run, "stick.force[5]");
    t->hand[0][k] = plFigureRun_Read(run, "stick.hand[0]");
    t->hand[1][k] = plFigureRun_Read(run, "stick.hand[1]");
    t->motor[k] = 0;
    for (int i = 0; i < 4; ++i) {
        char name[32];
        snprintf(name, sizeof name, "stick.torque[%d]", i);
        t->motor[k] = fmax(t->motor[k], fabs(plFigureRun_Read(run, name)));
    }
}

bool plExperiment_Follow(plFigureJob* job, const plExperiment* e, plExperimentMethod method,
                         plExperimentTrack* t)
{
    plFigureRun run;
    Settings s = {0};
    setLaw(&s, method);
    setDevice(&s, e);
    set(&s, "contact.surface.damping=%g", e->damping);
    if (!plFigureJob_Open(job, "pantograph", s.list, &run)) return false;
    for (int k = 0; k < plExperimentSteps; ++k) {
        plWorld_Step(run.world, run.T);
        keep(t, k, &run);
    }
    t->cut = plFigureRun_Read(&run, "stick.cut");
    t->stops = plFigureRun_Read(&run, "stick.stops");
    t->lost = plFigureRun_Read(&run, "stick.lost");
    plFigureRun_Close(&run);
    return true;
}

// ----------------------------------------------------------------------------------- measures

static int bouncesOff(const double* gap)
{
    const double open = 20e-6;
    int count = 0, k = 0;
    bool off = false;
    while (k < plExperimentSteps && gap[k] > 0) ++k;
    for (; k < plExperimentSteps; ++k) {
        if (gap[k] > open) off = true;
        if (gap[k] > 0 || !off) continue;
        off = false;
        ++count;
    }
    return count + off; // still in the air
}

int plExperiment_Bounces(const plExperimentTrack* t)
{
    return bouncesOff(t->gap[0]) + bouncesOff(t->gap[1]);
}

double plExperiment_Depth(const plExperimentTrack* t)
{
    double depth = 0;
    for (int k = 0; k < plExperimentSteps; ++k) {
        depth = fmax(depth, -fmin(t->gap[0][k], t->gap[1][k]));
    }
    return depth;
}

int plExperiment_Contact(const plExperimentTrack* t)
{
    int k = 0;
    while (k < plExperimentSteps - 1 && fmin(t->gap[0][k], t->gap[1][k]) > 0) ++k;
    return k;
}

/// Encoders keep the hand in motion by a few hundredths of a millimetre: its end is a mean.
double plExperiment_Settling(const plExperimentTrack* t, double near)
{
    enum { tail = 256 };
    double x = 0, y = 0;
    int k = plExperimentSteps - 1;
    for (int i = 1; i <= tail; ++i) {
        x += t->x[plExperimentSteps - i] / tail;
        y += t->y[plExperimentSteps - i] / tail;
    }
    while (k >= 0 && hypot(t->x[k] - x, t->y[k] - y) < near) --k;
    return (k + 1 - plExperiment_Contact(t)) * plPegStep;
}

double plExperiment_Peak(const double* values) { return plPeg_Peak(values, plExperimentSteps); }

double plExperiment_PeakForce(const plExperimentTrack* t)
{
    return fmax(plExperiment_Peak(t->force[0]), plExperiment_Peak(t->force[1]));
}

double plExperiment_ObserverError(const plExperimentTrack* t)
{
    const int first = 128;
    double sum = 0;
    for (int k = first; k < plExperimentSteps; ++k) {
        sum += pow(t->hand[0][k] - push[0], 2) + pow(t->hand[1][k] - push[1], 2);
    }
    return sqrt(sum / (2 * (plExperimentSteps - first)));
}

/// Up to two tenths of a second behind the first contact.
double plExperiment_Rebound(const plExperimentTrack* t)
{
    const int contact = plExperiment_Contact(t);
    double in = 0, out = 0;
    for (int k = 1; k < contact + 100 && k < plExperimentSteps; ++k) {
        const double v = t->x[k] - t->x[k - 1];
        if (k <= contact) in = fmax(in, v * v);
        if (k > contact && v > 0) out = fmax(out, v * v);
    }
    return out / in;
}
