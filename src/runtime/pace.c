#define _GNU_SOURCE

#include "runtime/runtime.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static void refuse(plPrivilege* p, const char* what, int error)
{
    const size_t used = strlen(p->refusal);
    snprintf(p->refusal + used, sizeof p->refusal - used, "%s%s: %s", used > 0 ? "; " : "", what,
             strerror(error));
}

// Pages that are in use stay; those that never were stay away. Without MCL_ONFAULT a buffer of 256 MB that
// OpenBLAS asks for, and hardly uses, would be in memory as a whole.
static bool lockMemory(void) { return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0; }

// In the middle of the range: above other real-time work of a desktop, below the kernel's own. Drivers of real
// devices have 65.
enum { loopPriority = 60, devicesPriority, watchPriority = 66 };

static int setPriority(int priority)
{
    const struct sched_param wanted = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted);
}

// A thread that spins in real time keeps all below it from its processor: it is allowed only where the watchdog may
// be above it.
static plPrivilege claim(int priority)
{
    plPrivilege p = {.priority = priority};
    const int refused = setPriority(watchPriority);
    const int error = refused ? refused : setPriority(priority);
    p.realtime = error == 0;
    if (error) {
        p.priority = 0;
        refuse(&p, "real-time scheduling", error);
    }
    p.locked = lockMemory();
    if (!p.locked) refuse(&p, "locked memory", errno);
    return p;
}

plPrivilege plPace_Claim(void) { return claim(loopPriority); }
plPrivilege plPace_ClaimFirst(void) { return claim(devicesPriority); }
plPrivilege plPace_ClaimWatch(void) { return claim(watchPriority); }

enum { firstMargin = 100 }; // [us]

static double spentNow(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

plPace plPace_Start(double period)
{
    const double now = plClock_Now();
    return (plPace){.period = period,
                    .deadline = now + period,
                    .margin = 1e-6 * firstMargin,
                    .share = 1,
                    .spent = spentNow(),
                    .seen = now};
}

static void sleepUntil(double time)
{
    const double seconds = floor(time);
    const struct timespec until = {.tv_sec = (time_t)seconds,
                                   .tv_nsec = (long)(1e9 * (time - seconds))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

// What was left of the share is kept for 10 ms, so that a tick may be longer than another.
bool plPace_Pay(plPace* p)
{
    const double kept = 0.01, longest = 0.02; // [s]
    const double spent = spentNow(), now = plClock_Now();
    const double debt = p->debt + (spent - p->spent) - p->share * (now - p->seen);
    p->debt = fmax(debt, -kept * p->share);
    p->spent = spent;
    p->seen = now;
    if (p->share >= 1 || p->debt <= 0) return true;
    sleepUntil(now + fmin(p->debt / p->share, longest));
    return false;
}

// The margin goes up at once when the system woke the thread later than it allows for, and down
// slowly; at most half a period, so that spinning leaves the processor to others.
static void sleepShort(plPace* p)
{
    const double wake = p->deadline - (p->share < 1 ? 0 : p->margin);
    if (plClock_Now() >= wake) return;
    sleepUntil(wake);
    const double late = plClock_Now() - wake;
    const double wanted = fmin(1.5 * late + 5e-6, 0.5 * p->period);
    p->margin = wanted > p->margin ? wanted : p->margin + 1e-3 * (wanted - p->margin);
}

// A thread of SCHED_FIFO that is always late would never let others have the processor: those that show
// what it does, or would end it. It leaves them a twentieth of the time that it took; a quarter once it
// is clear that it will not be in time.
static void breathe(plPace* p, double now)
{
    enum { hopeless = 50 };
    const double took = now - (p->deadline - p->period), most = 0.05;
    sleepUntil(now + fmin(took / (p->lateInARow < hopeless ? 20 : 4), most));
    if (p->lateInARow < hopeless) ++p->lateInARow;
}

// Whether the caller was too slow or the system has woken it too late is the same for who waits.
int plPace_Wait(plPace* p)
{
    double now = plClock_Now();
    p->late = now >= p->deadline;
    if (p->late) {
        breathe(p, now);
        now = plClock_Now();
    } else {
        p->lateInARow = 0;
        sleepShort(p);
        while ((now = plClock_Now()) < p->deadline) {
        }
    }
    const double behind = floor((now - p->deadline) / p->period);
    const int periods = 1 + (int)fmin(behind, 1e6);
    p->late = p->late || behind > 0;
    if (p->late) p->missed += (uint64_t)periods;
    p->deadline += behind * p->period;
    p->lateness = now - p->deadline;
    p->deadline += p->period;
    return periods;
}
