// The summary of a map, in plain words.
#include "passivity.h"

#include <math.h>

// ------------------------------------------------------------------------------------- limits

/// "K up to 1200 N/m", and what the closed form says.
static void printLimit(FILE* out, double measured, double closed, double most)
{
    if (measured == 0) {
        fputs("no stiffness at all", out);
    } else if (isinf(measured)) {
        fprintf(out, "K up to %.4g N/m and more", most);
    } else {
        fprintf(out, "K up to %.4g N/m", measured);
    }
    if (closed == 0) fputs(" (closed form: none)", out);
    if (closed > 0 && isfinite(closed)) fprintf(out, " (closed form %.4g)", closed);
}

/// The damping at which a limit is highest.
static const plZLimit* highest(const plZWidth* z, bool passive)
{
    const plZLimit* best = z->limits;
    for (int i = 1; i <= z->grid; ++i) {
        const plZLimit* l = &z->limits[i];
        if (passive ? l->passive > best->passive : l->stable > best->stable) best = l;
    }
    return best;
}

static void printLimits(const plZWidth* z, FILE* out)
{
    const plZLimit *first = z->limits, *passive = highest(z, true), *stable = highest(z, false);
    const double most = 1.5 * z->highK;
    fprintf(out, "  passive   at B = %.3g N s/m: ", first->B);
    printLimit(out, first->passive, first->passiveClosed, most);
    if (passive != first) {
        fprintf(out, "\n            at B = %.3g, where it is highest: ", passive->B);
        printLimit(out, passive->passive, passive->passiveClosed, most);
    }
    fprintf(out, "\n  stable    at B = %.3g N s/m: ", first->B);
    printLimit(out, first->stable, first->stableClosed, most);
    if (stable != first) {
        fprintf(out, "\n            at B = %.3g, where it is highest: ", stable->B);
        printLimit(out, stable->stable, stable->stableClosed, most);
    }
    fputc('\n', out);
}

static void printComparison(const plZWidth* z, FILE* out)
{
    double passive, stable;
    if (z->experiment->unknown) {
        fprintf(out, "  compared  with nothing: no closed form is known, since %s\n",
                z->experiment->unknown);
        return;
    }
    plZWidth_WorstErrors(z, &passive, &stable);
    fputs("  compared  ", out);
    if (isfinite(passive)) fprintf(out, "passive limits off by %.2g %% at most", 100 * passive);
    if (isfinite(passive) && isfinite(stable)) fputs(", ", out);
    if (isfinite(stable)) fprintf(out, "stable limits by %.2g %%", 100 * stable);
    if (!isfinite(passive) && !isfinite(stable)) fputs("no limit lies within the range", out);
    fputc('\n', out);
}

// ------------------------------------------------------------------------------ what to change

static double lackAt(plExperiment* e, const plZPoint* p, double T)
{
    const plLoop before = e->loop;
    const double K = e->share * p->K, B = e->share * p->B;
    e->loop.T = T;
    const double lack = e->unknown ? plZWidth_Lack(e, p->K, p->B)
                                   : plLoop_Lack(&e->loop, plLoop_Needed(&e->loop, K, B),
                                                 plLoop_NeededFriction(&e->loop, K, B));
    e->loop = before;
    return lack;
}

/// The lowest rate above this one at which the wall is passive [Hz]; 0: none up to 64 times. Where
/// there is no closed form each rate is an experiment, and they are taken in doublings.
static double enoughRate(plExperiment* e, const plZPoint* p)
{
    const double step = e->unknown ? 2 : 1.001, most = 64;
    for (double factor = step; factor <= most; factor *= step) {
        if (lackAt(e, p, e->loop.T / factor) <= 0) return factor / e->loop.T;
    }
    return 0;
}

/// Three digits, rounded up.
static double roundUp(double x)
{
    const double unit = pow(10, floor(log10(x)) - 2);
    return unit * ceil(x / unit - 1e-9);
}

static void printStiffness(const plZWidth* z, FILE* out)
{
    const double K = z->ownLimit.passive;
    if (K > 0 && isfinite(K)) {
        fprintf(out, "    lower the stiffness of the wall to %.3g N/m\n", K);
    } else if (K == 0) {
        fprintf(
            out,
            "    lower the damping of the wall first: with %.3g N s/m no stiffness is passive\n",
            z->own.B);
    }
}

static void printDevice(const plExperiment* e, const plZPoint* p, FILE* out)
{
    const plLoop* l = &e->loop;
    const bool damping = p->needed > l->damping;
    const bool friction = l->encoder > 0 && p->neededFriction > l->friction;
    if (damping && isfinite(p->needed)) {
        fprintf(out, "    add %.3g N s/m of damping to the device%s\n",
                roundUp(p->needed - l->damping), friction ? ", and do the next besides" : "");
    }
    if (friction && isfinite(p->neededFriction)) {
        fprintf(out, "    take a finer encoder, of %.2g m",
                l->encoder * l->friction / p->neededFriction);
        fprintf(out, ", or add %.2g N of dry friction%s\n",
                roundUp(p->neededFriction - l->friction), damping ? ", with that damping" : "");
    }
}

static void printChanges(plZWidth* z, FILE* out)
{
    plExperiment* e = z->experiment;
    const bool none = highest(z, true)->passive == 0;
    if (none) {
        fputs("  note      no wall of the range is passive with this device, however soft\n", out);
    }
    fputs("  change    one of these is enough to make it passive:\n", out);
    if (!none) printStiffness(z, out);
    printDevice(e, &z->own, out);
    const double rate = enoughRate(e, &z->own);
    if (rate > 0) fprintf(out, "    raise the rate to %.0f Hz\n", roundUp(rate));
}

static void printOwn(plZWidth* z, FILE* out)
{
    const plExperiment* e = z->experiment;
    const plZPoint* p = &z->own;
    const bool passive = plZPoint_IsPassive(e, p), stable = plZPoint_IsStable(p);
    fprintf(out, "  own wall  K %.4g N/m, B %.3g N s/m: %s\n", p->K, p->B,
            passive && stable ? "passive and stable"
            : stable          ? "stable, but not passive"
            : passive         ? "passive by the motions that were tried, but a kick grows"
                              : "neither passive nor stable: it will shake");
    if (isinf(p->needed)) {
        fputs("            pressed on it, the tool itself shakes: the force never gets steady\n",
              out);
        printChanges(z, out);
        return;
    }
    fprintf(out, "            a passive device needs %.3g N s/m of damping, this one has %.3g\n",
            p->needed, e->loop.damping);
    if (e->loop.encoder > 0) {
        fprintf(out, "            and %.3g N of dry friction, this one has %.3g\n",
                fmax(0, p->neededFriction), e->loop.friction);
    }
    if (!passive) {
        printChanges(z, out);
    } else if (isfinite(z->ownLimit.passive)) {
        fprintf(out, "  change    nothing; it could be as stiff as %.3g N/m\n",
                z->ownLimit.passive);
    }
}

// ------------------------------------------------------------------------------------ the head

void plPassivity_Tell(plZWidth* z, const char* title, FILE* out)
{
    const plExperiment* e = z->experiment;
    const plLoop* l = &e->loop;
    plDeviceDef device;
    plWorld_DeviceDef(e->world, e->device, &device);
    fprintf(out, "%s\n", title);
    fprintf(out,
            "  device    %s: %.3g kg, damping %.3g N s/m, dry friction %.3g N, encoder %.3g m\n",
            device.name, l->mass, l->damping, l->friction, l->encoder);
    if (e->isPantograph) {
        fputs("            a pantograph: measured is a plain handle of its inertia, without its\n"
              "            encoders, observer and motors (give --encoder and --delay for them)\n",
              out);
    }
    fprintf(out, "  loop      %.5g Hz, delay %d tick%s, coupling %s, velocities %s\n", 1 / l->T,
            l->delay, l->delay == 1 ? "" : "s", plCouplingKind_Name((int)e->coupling.kind),
            l->exact ? "exact where stability is meant" : "by differences");
    fprintf(out,
            "  place     touched at %.3g s, force along (%.3g, %.3g, %.3g), pressed in by %.2g m\n",
            e->time, e->n.x + 0.0, e->n.y + 0.0, e->n.z + 0.0, e->depth);
    if (e->share != 1) fprintf(out, "            where a wall is felt %.3g times\n", e->share);
    printLimits(z, out);
    printComparison(z, out);
    printOwn(z, out);
}
