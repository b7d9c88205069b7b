/* pool.h - threads that wait for jobs: what config.parallel of sap_multi.h calls

   For programs that have no job system of their own. Include it after sap_multi.h. */

#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_LOOKS = 100 };

/* The threads sleep until there are jobs. Whoever is free takes the next one, the caller too. */
typedef struct pool {
    pthread_mutex_t mutex; /* protects all that follows */
    pthread_cond_t begin, end;
    pthread_t *threads;
    int count, stop;
    sap_job *job;
    void *data;
    int next, limit, running; /* jobs from next on and below limit are not taken yet */
} pool;

/* Called and left with the mutex locked. The caller takes jobs from the front, the others from the back: so each gets
   about the same ones in every update, whose data its cache may still hold. */
static inline void pool_take_jobs(pool *p, int is_caller) {
    while (p->next < p->limit) {
        int i = is_caller ? p->next++ : --p->limit;
        p->running++;
        pthread_mutex_unlock(&p->mutex);
        p->job(p->data, i);
        pthread_mutex_lock(&p->mutex);
        p->running--;
    }
    if (p->running == 0) pthread_cond_signal(&p->end);
}

/* An update hands in jobs some ten times, one call soon after the other: who has nothing to do looks again for a while
   before it sleeps, for to be woken takes longer than most jobs. Called and left with the mutex locked. */
static inline int pool_look_again(pool *p, int times) {
    if (times >= POOL_LOOKS) return 0;
    pthread_mutex_unlock(&p->mutex);
    sched_yield();
    pthread_mutex_lock(&p->mutex);
    return 1;
}

static inline void *pool_work(void *argument) {
    pool *p = (pool *)argument;
    int times = 0;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        if (p->next < p->limit) {
            pool_take_jobs(p, 0);
            times = 0;
        } else if (!pool_look_again(p, times++)) {
            pthread_cond_wait(&p->begin, &p->mutex);
            times = 0;
        }
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* For config.parallel, with the pool as config.parallel_user. What the caller wrote is visible to the jobs, and what
   they wrote is visible to the caller afterwards: each locks the mutex after the other unlocked it. */
static inline void pool_run(sap_job *job, void *data, int count, void *user) {
    pool *p = (pool *)user;
    int times = 0;
    pthread_mutex_lock(&p->mutex);
    p->job = job;
    p->data = data;
    p->next = 0;
    p->limit = count;
    pthread_cond_broadcast(&p->begin);
    pool_take_jobs(p, 1);
    while (p->running > 0)
        if (!pool_look_again(p, times++)) pthread_cond_wait(&p->end, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

/* The caller is one of the threads. If fewer can be had, fewer it is. */
static inline void pool_start(pool *p, int threads) {
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->end, NULL);
    if (threads > 1) p->threads = (pthread_t *)calloc((size_t)threads - 1, sizeof *p->threads);
    while (p->threads && p->count < threads - 1 && !pthread_create(&p->threads[p->count], NULL, pool_work, p))
        p->count++;
}

static inline void pool_stop(pool *p) {
    pthread_mutex_lock(&p->mutex);
    p->stop = 1;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->mutex);
    while (p->count > 0) pthread_join(p->threads[--p->count], NULL);
    free(p->threads);
    pthread_cond_destroy(&p->begin);
    pthread_cond_destroy(&p->end);
    pthread_mutex_destroy(&p->mutex);
}

#endif
