// A pool of processes: pieces of work that know nothing of each other, over the cores of one machine.
//   in    pieces by number, and what to do with one
//   out   an answer of fixed size for each, or how its process ended
// Every piece has a process of its own, forked from this one: it starts from the same state whatever
// ran before it, and one that crashes or hangs takes nothing with it.
#ifndef PL_SWEEP_POOL_H
#define PL_SWEEP_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    pl_poolAnswered,
    pl_poolKilled, ///< by a signal
    pl_poolEnded,  ///< by itself, without an answer
    pl_poolLate    ///< killed here, because it took too long
} plPoolEnd;

typedef struct {
    plPoolEnd end;
    int number;         ///< signal, or exit code
    const void* answer; ///< null: none
} plPoolResult;

typedef struct {
    void* self;
    size_t size;                                       ///< of an answer [bytes]
    int (*next)(void* self);                           ///< a piece to start; < 0: none is left
    void (*work)(void* self, int piece, void* answer); ///< in a process of its own
    bool (*done)(void* self, int piece, const plPoolResult*); ///< here; false: stop
    void (*idle)(void* self); ///< here, some times in a second; may be null
    int workers;              ///< at a time
    double timeout;           ///< of a piece [s]; 0: none
    const volatile sig_atomic_t*
        stop; ///< once it is not 0, running pieces are given up; may be null
} plPool;

/// False: not even one process could be started.
bool plPool_Run(const plPool*);

/// Cores that this process may use.
int plPool_Cores(void);

#endif
