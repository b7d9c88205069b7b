/* pool.h - threads that wait for jobs, for sap_set_parallel

   It is for programs that have no job system of their own. Include it after sap.h. */

#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_LOOKS = 100 };

/* The threads sleep until there are jobs. Each thread that is free takes the next one; the caller is one of them. */
typedef struct pool {
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t begin, end;
    pthread_t *threads;
    int count, stop;
    sap_job *job;
    void *data;
    int next, limit, running; /* jobs from next on and below limit are not taken yet */
} pool;

/* Runs jobs until none is left; the mutex is locked before and after. The caller takes jobs from the front, the others
   from the back. So each thread gets about the same jobs in every update, and their data may still be in its cache. */
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

/* Waits for jobs; the mutex is locked before and after. An update calls some ten times, one call soon after the other.
   To be woken takes longer than most jobs, so a thread polls for a while before it sleeps. */
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

/* Called as config.parallel, with the pool as config.parallel_user. Jobs see all that the caller wrote before, and the
   caller sees all that they wrote: each locks the mutex after the other has unlocked it. */
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

/* Starts the threads; the caller is one of them. If not all can be created, the pool has fewer. */
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
