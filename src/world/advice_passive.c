// Couplings that ask for more damping than their device has, and explicit ones that no damping calms.
#include "world/inside.h"

#include <stdio.h>

// ------------------------------------------------------------------- more than the device has

/// An axis along or about which the couplings of a device ask for more than it has.
typedef struct {
    double all, has; ///< damping that all ask for, and that of the device [N s/m], or [N m s/rad]
    double own;      ///< of it by this coupling
    double K, B;     ///< of this coupling
    int count;       ///< couplings that ask
    bool turns;
} Excess;

// Of the axis `i`; false: no coupling of the device asks for anything there.
static bool askedOf(const plWorld* w, int coupling, int i, Excess* x)
{
    const int device = w->couplings[coupling].device;
    double needed[6], K[6], B[6];
    *x = (Excess){.turns = i >= 3};
    for (int k = 0; k < w->couplingCount; ++k) {
        if (w->couplings[k].device != device) continue;
        plWorld_DampingNeeded(w, (plCouplingId){(uint32_t)k + 1, 1}, w->def.step, needed);
        if (k == coupling) x->own = needed[i];
        x->all += needed[i];
        x->count += needed[i] > 0;
    }
    plCoupling_Gains(&w->couplings[coupling].coupling.def, K, B);
    x->K = K[i], x->B = B[i];
    return x->own > 0;
}

// A pantograph has what its controller makes of it.
double plWorld_DampingOf(const plDeviceDef* d, int i)
{
    const double made[6] = {d->twin.impedance.damping.x, d->twin.impedance.damping.y, 0, 0, 0,
                            d->twin.impedance.damping.z};
    if (d->kind == pl_devicePantograph) return made[i];
    return i < 3 ? d->damping : d->turnDamping;
}

// The worst axis. Axes that are locked, or that the device gives nothing about, cannot be shaken. What
// damping a device of the outside has is not known.
static bool isActive(const plWorld* w, int coupling, bool turns, Excess* worst)
{
    const plWorldDevice* d = &w->devices[w->couplings[coupling].device];
    double masses[6], limits[6];
    if (d->calls.sample || d->simulated.def.cutaneous) return false;
    plSimulated_Masses(&d->simulated, masses);
    plPut3(d->forceLimit, limits);
    plPut3(d->torqueLimit, limits + 3);
    *worst = (Excess){0};
    for (int i = turns ? 3 : 0; i < (turns ? 6 : 3); ++i) {
        Excess x;
        if (isinf(masses[i]) || limits[i] == 0 || !askedOf(w, coupling, i, &x)) continue;
        x.has = plWorld_DampingOf(&d->simulated.def, i);
        if (x.all > x.has * (1 + 1e-9) && x.all > worst->all) *worst = x;
    }
    return worst->all > 0;
}

double plAdvice_Rounded(double x, bool up)
{
    if (!(x > 0) || isinf(x)) return x;
    const double unit = pow(10, floor(log10(x)) - 2), digits = x / unit;
    return unit * (up ? ceil(digits * (1 - 1e-9)) : floor(digits * (1 + 1e-9)));
}

// The largest stiffness that asks for no more than a part of what the device has. What is asked is convex
// in K.
static double stiffest(const plCouplingDef* d, double most, double B, double T, int delay,
                       double part)
{
    double low = 0, high = most;
    for (int i = 0; i < 60; ++i) {
        const double K = 0.5 * (low + high);
        *(plCoupling_NeededBy(d, K, B, T, delay) <= part ? &low : &high) = K;
    }
    return low;
}

// Gains that are passive. The damper of a held spring is in the world, and stays; others ask for damping
// themselves, and where forces are late a smaller one leaves room for more stiffness.
static void findPassive(const plWorld* w, const plWorldCoupling* c, Excess* x)
{
    enum { dampers = 16 };
    const plCouplingDef* d = &c->coupling.def;
    const bool isHeld = d->feedback == pl_feedbackHeld;
    const double T = w->def.step, part = isinf(x->all) ? 0 : x->has * x->own / x->all;
    const double most = isHeld ? x->B : fmin(x->B, part / d->scale), wanted = x->K;
    const int delay = plDevices_Delay(&w->devices[c->device], T);
    x->K = x->B = 0;
    for (int i = isHeld ? dampers : 0; i <= dampers; ++i) {
        const double B = isHeld ? most : plAdvice_Rounded(most * i / dampers, false);
        const double K = plAdvice_Rounded(stiffest(d, wanted, B, T, delay, part), false);
        if (K >= x->K) x->K = K, x->B = B;
    }
}

static int tellAsked(const plWorld* w, const plWorldCoupling* c, const Excess* x, char* text,
                     size_t size)
{
    const char* device = w->devices[c->device].name;
    char others[40] = "";
    if (x->count > 1) snprintf(others, sizeof others, " (one of %d)", x->count);
    if (isinf(x->all)) {
        return snprintf(text, size,
                        "the coupling %s%s is above the passive limit of %s, whatever damping the "
                        "device has: a spring that is held needs a damper in the tool (give the "
                        "coupling %s, or scale 0)",
                        c->name, others, device, x->turns ? "turnDamping" : "damping");
    }
    return snprintf(text, size,
                    "the coupling %s%s is above the passive limit of %s: steps of %g ms ask for a "
                    "%sdamping of %g %s in the device, which has %.3g; ",
                    c->name, others, device, 1e3 * w->def.step, x->turns ? "turning " : "",
                    plAdvice_Rounded(x->all, true), x->turns ? "N m s/rad" : "N s/m", x->has);
}

int plAdvice_Passive(const plWorld* w, int coupling, bool turns, char* text, size_t size)
{
    const plWorldCoupling* c = &w->couplings[coupling];
    Excess x;
    if (!isActive(w, coupling, turns, &x)) return 0;
    const int used = tellAsked(w, c, &x, text, size);
    const size_t at = (size_t)used < size ? (size_t)used : size - 1;
    if (isinf(x.all)) return used;
    findPassive(w, c, &x);
    if (x.K == 0) {
        return used +
               snprintf(text + at, size - at, "without damping in the device no gain is passive");
    }
    return used + snprintf(text + at, size - at, "passive are %s %g %s and %s %g %s",
                           turns ? "turnStiffness" : "stiffness", x.K, turns ? "N m/rad" : "N/m",
                           turns ? "turnDamping" : "damping", x.B, turns ? "N m s/rad" : "N s/m");
}

// ----------------------------------------------------------------------- four explicit channels

double plAdvice_ToolMass(const plWorld* w, plSite site, int i)
{
    const plMechanism* m = w->mechanisms[site.mechanism.index1 - 1];
    const plVec3 axes[3] = {plVec(1, 0, 0), plVec(0, 1, 0), plVec(0, 0, 1)};
    plRow row = {.a = site};
    double *J = w->system.set.J, *Y = w->system.set.Y;
    *(i < 3 ? &row.lin : &row.ang) = axes[i % 3];
    plMechanism_Response(m, pl_responseMass, &row, 1, J, Y);
    const double response = plDotN(J, Y, plMechanism_Velocities(m));
    return response > 0 ? 1 / response : HUGE_VAL;
}

// The coordination is a sampled spring and damper between two masses. Their distance e goes, with the
// reduced mass m and positions by the mean velocity,
//     e1 = e + T (v + v1)/2,   v1 = v - T (K e + B v)/m
// whose matrix has the determinant 1 - T B/m + T^2 K/(2 m) and the trace 2 - T B/m - T^2 K/(2 m): it is
// stable while K T/2 < B < 2 m/T. Where the hand holds the device, m is larger.
typedef struct {
    double K, B, mass;
} Swing;

static bool isUnstable(const plWorld* w, const plWorldCoupling* c, bool turns, Swing* x)
{
    const plWorldDevice* d = &w->devices[c->device];
    const double T = w->def.step;
    double K[6], B[6], masses[6];
    if (!c->coupling.ops->traits.coordinates || d->calls.sample) return false;
    plCoupling_Gains(&c->coupling.def, K, B);
    plSimulated_Masses(&d->simulated, masses);
    const int first = !turns ? 0 : w->def.planar ? 5 : 3, last = turns ? 6 : w->def.planar ? 2 : 3;
    for (int i = first; i < last; ++i) {
        const double mass = 1 / (1 / masses[i] + 1 / plAdvice_ToolMass(w, c->coupling.def.tool, i));
        *x = (Swing){K[i], B[i], mass};
        if (isfinite(mass) && (B[i] < 0.5 * K[i] * T || B[i] * T > 2 * mass)) return true;
    }
    return false;
}

// Half of what is stable.
int plAdvice_Stable(const plWorld* w, int coupling, bool turns, char* text, size_t size)
{
    const plWorldCoupling* c = &w->couplings[coupling];
    const double T = w->def.step;
    Swing x;
    if (!isUnstable(w, c, turns, &x)) return 0;
    const double K = plAdvice_Rounded(fmin(x.K, x.mass / (T * T)), false);
    const double B = plAdvice_Rounded(fmax(K * T, fmin(x.B, x.mass / T)), false);
    return snprintf(text, size,
                    "the coordination of %s is unstable: in steps of %g ms a spring of %.3g %s "
                    "between device and tool wants a damping above %.3g and below %.3g %s, and has "
                    "%.3g; stable are %s %g and %s %g",
                    c->name, 1e3 * T, x.K, turns ? "N m/rad" : "N/m", 0.5 * x.K * T, 2 * x.mass / T,
                    turns ? "N m s/rad" : "N s/m", x.B, turns ? "turnStiffness" : "stiffness", K,
                    turns ? "turnDamping" : "damping", B);
}
