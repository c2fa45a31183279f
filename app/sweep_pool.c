#define _GNU_SOURCE // sched_getaffinity

#include "sweep_pool.h"

#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// A process at work, and what of its answer has come.
typedef struct {
    pid_t pid; ///< 0: none
    int pipe, piece;
    double start; ///< [s]
    bool late;
    size_t got;
    unsigned char* answer;
} Worker;

int plPool_Cores(void)
{
    cpu_set_t cores;
    const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count > 0 ? count : 1;
}

// ---------------------------------------------------------------------------------- the child

/// Files of the parent, and the locks on them, must not outlive it here.
static void closeOthers(int own)
{
    enum { most = 1024 };
    for (int i = STDERR_FILENO + 1; i < most; ++i) {
        if (i != own) close(i);
    }
}

static bool sendAll(int pipe, const unsigned char* bytes, size_t size)
{
    while (size > 0) {
        const ssize_t sent = write(pipe, bytes, size);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/// An interrupt of the terminal is the parent's: it gives its pieces up, and ends them. When it is
/// gone nobody waits for the answer.
static _Noreturn void be(const plPool* p, int piece, int pipe, pid_t parent)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    closeOthers(pipe);
    unsigned char* answer = calloc(1, p->size);
    if (!answer) _exit(1);
    p->work(p->self, piece, answer);
    _exit(sendAll(pipe, answer, p->size) ? 0 : 1);
}

// --------------------------------------------------------------------------------- the parent

static bool start(const plPool* p, Worker* w, int piece)
{
    int ends[2];
    const pid_t parent = getpid();
    if (pipe(ends) != 0) return false;
    const pid_t pid = fork();
    if (pid == 0) be(p, piece, ends[1], parent);
    close(ends[1]); // before the next fork: the end of a pipe is then the end of its process
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    w->pid = pid;
    w->pipe = ends[0];
    w->piece = piece;
    w->start = plClock_Now();
    w->late = false;
    w->got = 0;
    return true;
}

/// Waits for the end of a process that closed its pipe or was killed.
static plPoolResult finish(const plPool* p, Worker* w)
{
    int status = 0;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(w->pipe);
    w->pid = 0;
    if (w->late) return (plPoolResult){pl_poolLate, 0, NULL};
    if (WIFSIGNALED(status)) return (plPoolResult){pl_poolKilled, WTERMSIG(status), NULL};
    if (WEXITSTATUS(status) != 0 || w->got != p->size)
        return (plPoolResult){pl_poolEnded, WEXITSTATUS(status), NULL};
    return (plPoolResult){pl_poolAnswered, 0, w->answer};
}

/// Takes what is in the pipe; true: it has ended.
static bool listen(const plPool* p, Worker* w)
{
    unsigned char beyond;
    const bool full = w->got == p->size;
    const ssize_t size =
        full ? read(w->pipe, &beyond, 1) : read(w->pipe, w->answer + w->got, p->size - w->got);
    if (size < 0) return errno != EINTR && errno != EAGAIN;
    if (!full) w->got += (size_t)size;
    return size == 0;
}

static void checkTime(const plPool* p, Worker* w)
{
    if (p->timeout == 0 || w->late || plClock_Now() - w->start < p->timeout) return;
    w->late = true;
    kill(w->pid, SIGKILL);
}

/// Milliseconds until the next thing to look at.
static int patience(const plPool* p, const Worker* workers)
{
    double least = 0.1;
    for (int i = 0; i < p->workers && p->timeout > 0; ++i) {
        const Worker* w = &workers[i];
        if (w->pid && !w->late) least = fmin(least, w->start + p->timeout - plClock_Now());
    }
    return 1 + (int)(1e3 * fmax(0, least));
}

/// Until something has come, or some time is over. False: no more is wanted.
static bool attend(const plPool* p, Worker* workers, struct pollfd* polls)
{
    bool good = true;
    for (int i = 0; i < p->workers; ++i)
        polls[i] = (struct pollfd){.fd = workers[i].pid ? workers[i].pipe : -1, .events = POLLIN};
    const int ready = poll(polls, (nfds_t)p->workers, patience(p, workers));
    for (int i = 0; i < p->workers; ++i) {
        Worker* w = &workers[i];
        if (!w->pid) continue;
        checkTime(p, w);
        if (ready > 0 && polls[i].revents && listen(p, w)) {
            const plPoolResult result = finish(p, w);
            good = p->done(p->self, w->piece, &result) && good;
        }
    }
    if (p->idle) p->idle(p->self);
    return good;
}

/// Gives every idle worker a piece. `*held` is one that could not be started yet, or -1.
static int fill(const plPool* p, Worker* workers, int* held, bool* more)
{
    int running = 0;
    for (int i = 0; i < p->workers; ++i) {
        if (!workers[i].pid && *more) {
            if (*held < 0) *held = p->next(p->self);
            *more = *held >= 0;
            if (*more && start(p, &workers[i], *held)) *held = -1;
        }
        running += workers[i].pid != 0;
    }
    return running;
}

static bool isStopped(const plPool* p) { return p->stop && *p->stop; }

static bool runAll(const plPool* p, Worker* workers, struct pollfd* polls)
{
    int held = -1;
    bool good = true, more = true;
    while (good && !isStopped(p)) {
        if (fill(p, workers, &held, &more) == 0) break;
        good = attend(p, workers, polls);
    }
    for (int i = 0; i < p->workers; ++i) { // what was given up
        if (!workers[i].pid) continue;
        kill(workers[i].pid, SIGKILL);
        finish(p, &workers[i]);
    }
    return held < 0 || !good || isStopped(p);
}

bool plPool_Run(const plPool* p)
{
    const size_t count = (size_t)p->workers;
    Worker* workers = calloc(count, sizeof *workers);
    struct pollfd* polls = calloc(count, sizeof *polls);
    unsigned char* answers = calloc(count, p->size);
    const bool room = workers && polls && answers;
    for (size_t i = 0; room && i < count; ++i) workers[i].answer = answers + i * p->size;
    const bool good = room && runAll(p, workers, polls);
    free(workers);
    free(polls);
    free(answers);
    return good;
}
