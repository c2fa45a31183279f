// What takes long, on a thread of its own, so that the thread of the net goes on.
#define _GNU_SOURCE

#include "serve/inside.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct plWorker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    plJob *first, *last; ///< that wait
    plJob* ran;          ///< newest first
    bool ending;
};

// All that wait are done before it ends.
static plJob* next(plWorker* w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->ending) pthread_cond_wait(&w->news, &w->lock);
    plJob* job = w->first;
    if (job) w->first = job->next;
    if (!w->first) w->last = NULL;
    pthread_mutex_unlock(&w->lock);
    return job;
}

static void* work(void* self)
{
    plWorker* w = self;
    for (plJob* job; (job = next(w)) != NULL;) {
        job->run(job);
        pthread_mutex_lock(&w->lock);
        job->next = w->ran;
        w->ran = job;
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

// Signals belong to the threads of the application.
static bool begin(plWorker* w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool begun = pthread_create(&w->thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

plWorker* plWorker_Begin(void)
{
    plWorker* w = calloc(1, sizeof *w);
    if (!w) return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->news, NULL);
    if (begin(w)) return w;
    pthread_cond_destroy(&w->news);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

void plWorker_Add(plWorker* w, plJob* job)
{
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    if (w->last) w->last->next = job;
    if (!w->last) w->first = job;
    w->last = job;
    pthread_cond_signal(&w->news);
    pthread_mutex_unlock(&w->lock);
}

void plWorker_Finish(plWorker* w)
{
    pthread_mutex_lock(&w->lock);
    plJob* job = w->ran;
    w->ran = NULL;
    pthread_mutex_unlock(&w->lock);
    while (job) {
        plJob* after = job->next;
        job->finish(job);
        job = after;
    }
}

void plWorker_End(plWorker* w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->news);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    plWorker_Finish(w);
    pthread_cond_destroy(&w->news);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
