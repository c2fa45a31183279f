// Warnings of bodies: too many contacts, masses too uneven, speeds too high for the step.
#include "world/inside.h"

#include <stdio.h>

// Contacts that a shape has when it rests on something flat.
static int feetOf(const plShape* s)
{
    if (!s || s->kind == pl_shapeMesh || s->kind == pl_shapeNurbs || s->pieceCount > 0) return 0;
    return s->kind == pl_shapeSphere ? 1 : s->kind == pl_shapeCapsule ? 2 : 4;
}

static int feet(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < w->shapeCount; ++i) {
        if (w->carriers[i].site.mechanism.index1) sum += feetOf(w->shapes[i]);
    }
    return w->def.planar ? sum / 2 : sum;
}

// Lightest and heaviest mechanism that carries shapes [kg].
static void masses(const plWorld* w, double* least, double* most)
{
    *least = INFINITY, *most = 0;
    for (int i = 0; i < w->shapeCount; ++i) {
        const uint32_t index1 = w->carriers[i].site.mechanism.index1;
        if (!index1 || !w->shapes[i]) continue;
        const double mass = plMechanism_LeastMass(w->mechanisms[index1 - 1]);
        if (!(mass > 0)) continue;
        *least = fmin(*least, mass);
        *most = fmax(*most, mass);
    }
}

static const double mostUneven =
    1e5; // heavier over lighter: the law's tolerance of 1e-9 moves the lighter visibly

// The first shape that is too fast for the step as it stands; its speed and the largest that is met for sure [m/s].
static int tooFast(const plWorld* w, double* speed, double* met)
{
    for (int i = 0; i < w->shapeCount; ++i) {
        const plCarrier* c = &w->carriers[i];
        if (!c->site.mechanism.index1) continue;
        const plMechanism* m = w->mechanisms[c->site.mechanism.index1 - 1];
        *speed = plNorm(plMechanism_Motion(m, pl_atStart, c->site).v);
        *met = plShapes_Pace(w, c->site, c->site) * c->half / w->def.step;
        if (c->half > 0 && *speed > *met) return i;
    }
    return -1;
}

int plAdvice_Bodies(const plWorld* w, int* i, char* text, size_t size)
{
    double least, most, speed = 0, met = 0;
    const int wanted = feet(w), fast = tooFast(w, &speed, &met);
    masses(w, &least, &most);
    if (wanted > w->def.capacity.contacts && (*i)-- == 0) {
        return snprintf(
            text, size,
            "there is room for %d contacts, and %d are wanted when all bodies lie: those left "
            "out fall through (raise capacity.contacts)",
            w->def.capacity.contacts, wanted);
    }
    if (most > mostUneven * least && (*i)-- == 0) {
        return snprintf(
            text, size,
            "the heaviest body has %.2g times the mass of the lightest: where the heavy one "
            "leans on the light one it may sink, which is reported (make masses more equal, or "
            "take --law lcp)",
            most / least);
    }
    if (fast >= 0 && (*i)-- == 0) {
        return snprintf(
            text, size,
            "%s has %.3g m/s: above %.3g m/s it may pass what is thin between two steps of "
            "%g ms (shorten the step%s)",
            plMechanism_Name(w->mechanisms[w->carriers[fast].site.mechanism.index1 - 1]), speed,
            met, 1e3 * w->def.step,
            plShapes_Pace(w, w->carriers[fast].site, w->carriers[fast].site) < 1
                ? ", or take the bias gap"
                : "");
    }
    return 0;
}
