// Sides a and b of a comparison. Their loops have clocks of their own; so that both do the same in the same
// tick, what is told to both is told for a tick that neither has passed: the horizon, up to which the
// loops may go, and which is moved on while they follow.
#include "serve/inside.h"

#include <math.h>

// As many ticks as the slower side is behind, and the server needs to come round again.
static uint64_t lead(const plStage* first)
{
    const double time = 0.016, fewest = 4; // [s]
    return (uint64_t)fmax(fewest, ceil(time * first->speed / first->step));
}

// A reset leaves step, speed and pause: side b gets those of side a before.
void plPair_Begin(plStage* first, plStage* second)
{
    const plCommand step = {.kind = pl_commandStep, .value = first->step};
    const plCommand speed = {.kind = pl_commandSpeed, .value = first->speed};
    const plCommand pause = {.kind = first->paused ? pl_commandPause : pl_commandResume};
    second->second = true;
    second->other = first;
    first->other = second;
    first->horizon = lead(first);
    first->stalls = first->timing.stalls;
    plRuntime_Post(second->runtime, &step);
    plRuntime_Post(second->runtime, &speed);
    plRuntime_Post(second->runtime, &pause);
    plRuntime_Begin(first->runtime, first->horizon);
    plRuntime_Begin(second->runtime, first->horizon);
}

void plPair_End(plStage* first)
{
    first->other = NULL;
    plRuntime_GoOn(first->runtime, UINT64_MAX);
}

// A loop that was held up: forces go down on both sides, in the same ticks.
static void alarmBoth(plStage* first)
{
    const uint64_t stalls = first->timing.stalls + first->other->timing.stalls;
    if (stalls == first->stalls) return;
    first->stalls = stalls;
    plPair_Post(first, &(plCommand){.kind = pl_commandAlarm});
}

void plPair_GoOn(plStage* first)
{
    alarmBoth(first);
    const uint64_t a = plRuntime_Steps(first->runtime), b = plRuntime_Steps(first->other->runtime);
    const uint64_t horizon = (a < b ? a : b) + lead(first);
    if (horizon <= first->horizon) return;
    first->horizon = horizon;
    plRuntime_GoOn(first->runtime, horizon);
    plRuntime_GoOn(first->other->runtime, horizon);
}

// Each side has a law of its own.
bool plPair_Post(plStage* s, const plCommand* c)
{
    const bool both = s->other && !s->second && c->kind != pl_commandLaw;
    if (!both) return plRuntime_Post(s->runtime, c);
    const bool told = plRuntime_PostAt(s->runtime, c, s->horizon);
    return plRuntime_PostAt(s->other->runtime, c, s->horizon) && told;
}
