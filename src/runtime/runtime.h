// runtime: a world in real time, on a thread of its own, and how other threads see and steer it.
//   in    a world, commands of other threads, drivers of devices
//   out   forces at the devices' rate, frames (what a viewer draws), rows of channels, statistics of time
//   letters  T step of the world [s]; lateness: how long after its deadline a tick began
// The pieces: plTimes counts durations, plExchange hands a whole frame over without waiting, plPace
// keeps the deadlines, and the loop puts them together.
#ifndef PL_RUNTIME_H
#define PL_RUNTIME_H

#include "base/base.h"

// --------------------------------------------------------------------------------------- times

enum { plTimesBits = 5, plTimesBuckets = 64 << plTimesBits };

/// Durations in nanoseconds, counted in buckets of 1/32 of an octave: a quantile is at most 3.2 %
/// too large and never too small. Of one thread.
typedef struct {
    uint64_t counts[plTimesBuckets];
    uint64_t count, most, sum; ///< most, sum [ns]
} plTimes;

void plTimes_Add(plTimes*, double seconds); ///< what is not finite or negative counts as 0
/// The duration [s] that a share of all stay within, 0 <= share <= 1; 0 when nothing was added.
double plTimes_Quantile(const plTimes*, double share);
/// The same for several shares that rise, in one pass.
void plTimes_Quantiles(const plTimes*, const double* shares, int count, double* out);
double plTimes_Most(const plTimes*); ///< [s]
double plTimes_Mean(const plTimes*); ///< [s]

// ------------------------------------------------------------------------------------ exchange

/// The newest of a stream of values of one size, from one thread to one other. Neither waits: the
/// writer always has a place to write, the reader keeps what it took until it takes again.
typedef struct plExchange plExchange;

plStatus plExchange_Create(size_t size, const plAllocator*, plExchange**);
void plExchange_Destroy(plExchange*, const plAllocator*);

void* plExchange_Write(plExchange*);  ///< where to write the next value; the writer's until Publish
void plExchange_Publish(plExchange*); ///< it is the newest now
/// The newest value that was published; null when there was none yet. `fresh` (may be null) says
/// whether it was not taken before.
const void* plExchange_Take(plExchange*, bool* fresh);

// ---------------------------------------------------------------------------------------- pace

/// What the system gave a thread that has to be in time, and why not what it refused.
typedef struct {
    bool realtime; ///< SCHED_FIFO
    int priority;
    bool locked;       ///< memory cannot be paged out
    char refusal[160]; ///< empty: nothing was refused
} plPrivilege;

/// Asks for SCHED_FIFO of the calling thread, and for locked memory of the process.
plPrivilege plPace_Claim(void);
plPrivilege plPace_ClaimFirst(void); ///< the same, before all loops
plPrivilege plPace_ClaimWatch(void); ///< the same, before all that claim: for a watchdog

/// Deadlines of one thread, at a fixed distance. It sleeps until a margin before each one and spins
/// the rest; the margin follows how late the system has woken it.
typedef struct {
    double period;   ///< [s]
    double deadline; ///< the next [s], monotonic clock
    double margin;   ///< [s]
    double lateness; ///< of the last one [s]
    bool late;       ///< it had passed before it was waited for, or others went by until it woke
    uint64_t missed; ///< deadlines: the late ones, and those left out
    int lateInARow;
    double share;       ///< of a processor that the thread may take; below 1 it does not spin
    double spent, seen; ///< of its time [s], when that was looked at [s]
    double debt;        ///< that it has taken beyond its share [s]
} plPace;

plPace plPace_Start(double period);
/// Gives back what was taken beyond the share, 20 ms at most. True: nothing is owed.
bool plPace_Pay(plPace*);
/// Waits for the next deadline. Returns how many periods have gone by since the last one: 1, or
/// more when the caller was too slow, or woken too late; deadlines that were missed are not made up for.
int plPace_Wait(plPace*);

#endif
