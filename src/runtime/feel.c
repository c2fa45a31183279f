// The devices' thread: what hands feel between the ticks of a slower world. A period, for each device:
// sample, take the newest echo, render, ease, write.
#include "runtime/inside.h"

#include <math.h>

static const double easeDown = 0.02, easeUp = 0.2; // as in a tick [s]

double plFeelers_Patience(const plRuntime* r) { return 0.02 + 8 / r->def.deviceRate; }

// --- sample

static plSample look(plFeeler* t, double now)
{
    const plTold* told = t->now;
    plSeen* seen = plExchange_Write(t->seen);
    const double since = told->clock > 0 ? now - told->clock : 0;
    seen->sample = (plSample){.pose = t->pose};
    seen->clock = now;
    t->driver.sample(t->driver.self, told->time + told->speed * since, &seen->sample);
    const plSample s = seen->sample;
    plExchange_Publish(t->seen);
    return s;
}

// What the world makes of the rest of a sample comes back with its tick.
static bool isGood(const plSample* s)
{
    return plFinitePose(s->pose) && plNorm(s->pose.p) < 1e3 && !(s->flags & pl_sampleLost);
}

// --- the echo

// The memory is the thread's own: the place that is given back may be written at once.
static void takeNewest(plFeeler* t)
{
    bool fresh;
    t->now = plExchange_Take(t->told, &fresh);
    if (!fresh) return;
    plEcho_Follow(t->now->echo, t->memory);
    ++t->head.echoes;
    t->head.held += !t->now->speaks;
}

// No force is left, so that the hand can begin anew, wherever it is now.
static void forget(plFeeler* t)
{
    t->era = t->now->era;
    plEcho_Follow(t->memory, t->blank);
    plEcho_Follow(t->now->echo, t->blank);
}

static plWrench render(plFeeler* t, double h, plPose hand)
{
    plWrench f;
    plEcho_Render(t->now->echo, h * t->now->speed, hand, &f);
    plEcho_Follow(t->memory, t->now->echo);
    t->head.port = plEcho_Port(t->now->echo);
    return f;
}

// --- write

static bool isWell(const plRuntime* r, const plFeeler* t, double now)
{
    const plTold* told = t->now;
    return told->well && told->era == t->era && now - told->clock < told->patience &&
           !atomic_load_explicit(&r->feelers.rests, memory_order_relaxed) &&
           !atomic_load_explicit(&r->ending, memory_order_relaxed);
}

// As the world eases what it writes: never a leap.
static void ease(plFeeler* t, bool well, double h)
{
    double* share = &t->head.share;
    *share = well ? fmin(1, *share + h / easeUp) : fmax(0, *share - h / easeDown);
}

static void write(plFeeler* t, double h)
{
    const double s = t->head.share;
    const plWrench f = {plScale(s, t->last.force), plScale(s, t->last.torque)};
    t->driver.write(t->driver.self, &f, h);
    ++t->head.writes;
}

static void tell(plFeeler* t, uint64_t missed)
{
    t->head.missed = missed;
    *(plTouched*)plExchange_Write(t->done) = t->head;
    plExchange_Publish(t->done);
}

// One write, held for h; `passed` since the last one. An echo that the hand has left by a reset or a
// grab is not asked.
static void feel(plRuntime* r, plFeeler* t, double now, double passed, double h)
{
    const plSample s = look(t, now);
    const bool seen = isGood(&s);
    if (seen) t->pose = s.pose;
    takeNewest(t);
    if (t->head.share == 0) forget(t);
    const bool well = seen && isWell(r, t, now);
    if (seen && t->era == t->now->era) {
        const plWrench f = render(t, passed, s.pose);
        if (well) t->last = f;
    }
    ease(t, well, passed);
    write(t, h);
    tell(t, r->feelers.pace.missed);
}

// --- the thread

// The watchdog has told drivers to give less and less: it goes on from there.
static void lookBack(plRuntime* r, double now)
{
    plFeelers* f = &r->feelers;
    const double late = now - f->lastStart - plFeelers_Patience(r);
    const bool away = late > 0 && f->lastStart > 0;
    atomic_fetch_add_explicit(&f->beats, 1, memory_order_relaxed);
    f->lastStart = now;
    for (int i = 0; away && i < f->count; ++i) {
        plTouched* head = &f->all[i].head;
        ++head->stalls;
        head->share = fmin(head->share, fmax(0, 1 - late / easeDown));
    }
}

static bool isOver(const plRuntime* r)
{
    bool over = atomic_load_explicit(&r->ending, memory_order_relaxed);
    for (int i = 0; i < r->feelers.count; ++i) {
        over = over && r->feelers.all[i].head.share == 0;
    }
    return over;
}

void* plRuntime_Feel(void* self)
{
    plRuntime* r = self;
    plFeelers* f = &r->feelers;
    const double h = 1 / r->def.deviceRate;
    if (r->def.privileges) plPace_ClaimFirst();
    f->pace = plPace_Start(h);
    while (!isOver(r)) {
        const int periods = plPace_Wait(&f->pace);
        const double now = plClock_Now();
        lookBack(r, now);
        for (int i = 0; i < f->count; ++i) feel(r, &f->all[i], now, periods * h, h);
    }
    return NULL;
}
