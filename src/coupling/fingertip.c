// What a fingertip feels: contact forces of the ticks before, smoothed.        (pmi 5.1)
//
// The paper leaves the filter open. Ours is the mean of p ticks by their durations, which is the impulse
// they gave over the time they took, reached by a straight line within the tick (a first-order hold): at
// steps of T a sine of frequency f passes with
//   sinc(f p T) sinc(f T) sinc(f h) of its size,   sinc x = sin(pi x)/(pi x),
// h the device's step, (p + 2)/2 ticks late; half of it is left at about 0.6/(p T). All weights are
// positive and have the sum 1: no overshoot.
#include "coupling/coupling.h"

#include <string.h>

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

plWrench plFingertip_Felt(const plCoupling* c, double at)
{
    const plSkin* t = c->skin;
    const plMat3 R = plRotation(plGet4(c->state->tool + 3));
    const plVec3 last = plGet3(t->felt);
    const plVec3 f = plAddScaled(last, at, plSub(meanOf(t), last));
    return (plWrench){.force = plMulT(&R, f)};
}

void plFingertip_Keep(plCoupling* c, plVec3 impulse, double T)
{
    plSkin* t = c->skin;
    const int next = (int)t->next;
    plPut3(meanOf(t), t->felt);
    plPut3(impulse, t->impulse[next]);
    t->time[next] = T;
    t->next = (next + 1) % c->def.filter;
    t->count = fmin(t->count + 1, c->def.filter);
}
