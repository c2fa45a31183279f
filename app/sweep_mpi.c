// A sweep over the processes of mpirun: rank 0 hands runs out and keeps the file, all others work.
// Each run still has a process of its own below its rank, so that a crash costs one run here, too.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include <stdlib.h>

/// Processes that mpirun says there are; 0: it is not there.
static int startedBy(void)
{
    static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (int i = 0; i < 2; ++i) {
        const char* text = getenv(names[i]);
        if (text) return atoi(text);
    }
    return 0;
}

#ifndef PALP_MPI

int plSweepCrew_Join(plSweepCrew* crew)
{
    *crew = (plSweepCrew){.count = 1};
    if (startedBy() <= 1) return pl_exitOk;
    return plComplain(pl_exitInput, "palp was built without MPI: start it without mpirun, or build "
                                    "it where libopenmpi-dev is installed");
}

void plSweepCrew_Leave(void) {}

int plSweepCrew_Agree(const plSweepCrew* crew, int code)
{
    (void)crew;
    return code;
}

void plSweepCrew_Abort(int code) { (void)code; }

void plSweepCrew_Lead(const plSweepCrew* crew, const plPool* pool)
{
    (void)crew;
    (void)pool;
}

void plSweepCrew_Work(const plSweepPlan* plan, const plSweepOrders* orders)
{
    (void)plan;
    (void)orders;
}

#else

#include <mpi.h>

#include <time.h>

enum { orderTag = 1, answerTag = 2 };

typedef struct {
    int run;
    plSweepRow row;
} Answer;

static bool joined;

int plSweepCrew_Join(plSweepCrew* crew)
{
    *crew = (plSweepCrew){.count = 1};
    if (startedBy() == 0) return pl_exitOk;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return plComplain(pl_exitInput, "MPI does not start");
    joined = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &crew->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &crew->count);
    return pl_exitOk;
}

void plSweepCrew_Leave(void)
{
    if (joined) MPI_Finalize();
    joined = false;
}

void plSweepCrew_Abort(int code)
{
    if (joined) MPI_Abort(MPI_COMM_WORLD, code);
}

int plSweepCrew_Agree(const plSweepCrew* crew, int code)
{
    int worst = code;
    if (crew->count > 1) MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

// A receive that waits would keep a core busy.
static bool await(int tag, int milliseconds, MPI_Status* status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; milliseconds < 0 || i < milliseconds; ++i) {
        int here = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &here, status);
        if (here) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static bool isStopped(const plPool* p) { return p->stop && *p->stop; }

/// A run for a rank that is idle, or its leave; whether it was a run.
static bool order(const plPool* p, int rank, bool more)
{
    const int run = more ? p->next(p->self) : -1;
    MPI_Send(&run, 1, MPI_INT, rank, orderTag, MPI_COMM_WORLD);
    return run >= 0;
}

void plSweepCrew_Lead(const plSweepCrew* crew, const plPool* p)
{
    int busy = 0;
    bool more = true;
    for (int rank = 1; rank < crew->count; ++rank) busy += order(p, rank, more);
    while (busy > 0 && !isStopped(p)) {
        MPI_Status status;
        Answer answer;
        if (p->idle) p->idle(p->self);
        if (!await(answerTag, 100, &status)) continue;
        MPI_Recv(&answer, sizeof answer, MPI_BYTE, status.MPI_SOURCE, answerTag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        const plPoolResult result = {.end = pl_poolAnswered, .answer = &answer.row};
        more = p->done(p->self, answer.run, &result) && more;
        busy += order(p, status.MPI_SOURCE, more) - 1;
    }
}

void plSweepCrew_Work(const plSweepPlan* plan, const plSweepOrders* orders)
{
    for (;;) {
        MPI_Status status;
        Answer answer = {.run = -1};
        await(orderTag, -1, &status);
        MPI_Recv(&answer.run, 1, MPI_INT, 0, orderTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (answer.run < 0) return;
        plSweepRow_MakeApart(&answer.row, plan, answer.run, orders);
        MPI_Send(&answer, sizeof answer, MPI_BYTE, 0, answerTag, MPI_COMM_WORLD);
    }
}

#endif
