// What the loop hands over to the other thread: pictures, rows, looks. None of it waits.
#include "runtime/inside.h"

#include <math.h>

// --- pictures

static plDurations durations(const plTimes* t)
{
    static const double shares[] = {0.5, 0.99, 0.999};
    double q[3];
    plTimes_Quantiles(t, shares, 3, q);
    return (plDurations){
        .mean = plTimes_Mean(t), .p50 = q[0], .p99 = q[1], .p999 = q[2], .most = plTimes_Most(t)};
}

// Quantiles are found in the counts of all durations, which takes a microsecond each.
static void account(plRuntime* r, double now)
{
    const double pause = 0.1; // [s]
    plTiming* t = &r->head.timing;
    r->head.accounted = now >= r->nextAccounts;
    if (!r->head.accounted) return;
    r->nextAccounts = fmax(now, r->nextAccounts + pause);
    t->tick = durations(&r->ticks);
    t->lateness = durations(&r->lateness);
    t->obey = durations(&r->obey);
    t->step = durations(&r->step);
    t->hand = durations(&r->hand);
}

// The hash goes over all state, which is more than a tick has time for when it is large. While the
// world stands still there is time, and once is enough. Where it only waits for another, its devices
// were let go without a command that says so: a session could not tell, so that the hash waits, too.
// A question stands until a picture with the answer was taken: one that nobody took is written over.
static void hash(plRuntime* r)
{
    plPicture* head = &r->head;
    const bool stands = plRuntime_Stands(r), may = stands || !r->rested;
    head->hashed = stands || (may && atomic_load_explicit(&r->hashAsked, memory_order_relaxed));
    if (head->hashed && !r->hashKnown) head->hash = plWorld_Hash(r->def.world);
    r->hashKnown = head->hashed;
    if (!head->hashed) head->hash = 0;
}

void plRuntime_Publish(plRuntime* r, double now)
{
    if (now < r->nextPicture) return;
    r->nextPicture = fmax(now, r->nextPicture + 1 / r->def.pictureRate);
    r->head.timing.ticks = r->ticks.count;
    r->head.timing.deadlines = r->ticks.count + r->skipped;
    r->head.timing.missed = r->missed;
    ++r->head.sequence;
    account(r, now);
    hash(r);
    plPicture_Take(plExchange_Write(r->pictures), &r->head, r->def.world, r->def.contacts);
    plExchange_Publish(r->pictures);
}

// --- rows

void plRuntime_PushRow(plRuntime* r)
{
    const plWatchList* list = plExchange_Take(r->watches, NULL);
    if (list->count == 0) return;
    r->row[0] = (double)plWorld_Tick(r->def.world);
    r->row[1] = (double)list->number;
    for (int i = 0; i < list->count; ++i) {
        r->row[2 + i] = plWorld_ReadChannel(r->def.world, list->channels[i]);
    }
    if (!plRing_Push(r->rows, r->row)) {
        atomic_fetch_add_explicit(&r->rowsLost, 1, memory_order_relaxed);
    }
}

// --- looks

plLooked* plRuntime_NextLook(plRuntime* r, double now)
{
    const unsigned pause = atomic_load_explicit(&r->lookPause, memory_order_relaxed);
    if (pause == 0 || now < r->nextLook) return NULL;
    r->nextLook = now + 1e-3 * pause;
    return plExchange_Write(r->looks);
}

void plRuntime_PublishLook(plRuntime* r)
{
    plLooked* l = plExchange_Write(r->looks);
    l->tick = plWorld_Tick(r->def.world);
    plExchange_Publish(r->looks);
}
