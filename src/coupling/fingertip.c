// What a fingertip feels: contact forces of the ticks before, smoothed.        (pmi 5.1)
//
// The paper leaves the filter open. Ours is the mean of p ticks by their durations, which is the impulse
// they gave over the time they took, reached by a straight line within the tick (a first-order hold): at
// steps of T a sine of frequency f passes with
//   sinc(f p T) sinc(f T) sinc(f h) of its size,   sinc x = sin(pi x)/(pi x),
// h the device's step, (p + 2)/2 ticks late; half of it is left at about 0.6/(p T). All weights are
// positive and have the sum 1: no overshoot.
#include "coupling/kinds.h"

/// What a fingertip remembers (state), a ring of ticks.
typedef struct {
    double impulse[plFilterTicks][3]; ///< of the contacts, world axes [N s]
    double time[plFilterTicks];       ///< [s]
    double next, count;
    double felt[3]; ///< H at the end of the last tick, world axes [N]
} plSkin;

static plVec3 meanOf(const plSkin* t)
{
    plVec3 sum = {0, 0, 0};
    double time = 0;
    for (int i = 0; i < (int)t->count; ++i) {
        sum = plAdd(sum, plGet3(t->impulse[i]));
        time += t->time[i];
    }
    return time > 0 ? plScale(1 / time, sum) : sum;
}

// In the axes of the tool's part.
static plWrench feedback(plCoupling* c, const plCouplingView* v, double at)
{
    (void)v;
    const plSkin* t = c->own;
    const plMat3 R = plRotation(plGet4(c->state->tool + 3));
    const plVec3 last = plGet3(t->felt);
    const plVec3 f = plAddScaled(last, at, plSub(meanOf(t), last));
    return (plWrench){.force = plMulT(&R, f)};
}

static void account(plCoupling* c, const plCouplingView* v)
{
    plSkin* t = c->own;
    const int next = (int)t->next;
    plPut3(meanOf(t), t->felt);
    plPut3(v->reaction.force, t->impulse[next]);
    t->time[next] = v->T;
    t->next = (next + 1) % c->def.filter;
    t->count = fmin(t->count + 1, c->def.filter);
}

static const char* validate(const plCouplingDef* d)
{
    const bool good = d->filter >= 1 && d->filter <= plFilterTicks;
    return good ? NULL : "the filter of a fingertip must be 1 .. 16 ticks";
}

static plStatus create(plCoupling* c, const plCouplingHost* host, const char** why)
{
    if (!c->worn) {
        *why = "what a fingertip feels presses the skin: its device must be cutaneous";
        return pl_statusBadArgument;
    }
    c->own = plArena_Alloc(host->state, 1, sizeof(plSkin));
    *why = plCouplingFull;
    return c->own ? pl_statusOk : pl_statusCapacity;
}

const plCouplingOps plFingertipOps = {
    .traits = {.touches = true},
    .validate = validate,
    .create = create,
    .feedback = feedback,
    .account = account,
};
