/* pool.h - threads that wait for jobs, for config.parallel of sap_multi.h */
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include "../sap_multi.h"

enum { POOL_MOST = 16 };

/* Jobs are taken one by one, by whoever is free, the caller too. */
typedef struct pool {
    pthread_t thread[POOL_MOST];
    pthread_mutex_t mutex;
    pthread_cond_t begin, done;
    sap_job *job;
    void *data;
    int threads, next, count, busy, stop;
} pool;

static void pool_work(pool *p) { /* the mutex is held */
    while (p->next < p->count) {
        int i = p->next++;
        pthread_mutex_unlock(&p->mutex);
        p->job(p->data, i);
        pthread_mutex_lock(&p->mutex);
    }
}

static void *pool_thread(void *argument) {
    pool *p = (pool *)argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        if (p->next < p->count) {
            p->busy++;
            pool_work(p);
            if (--p->busy == 0) pthread_cond_signal(&p->done);
        } else
            pthread_cond_wait(&p->begin, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void pool_start(pool *p, int threads) { /* the caller is one of them */
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->done, NULL);
    for (; p->threads < threads - 1 && p->threads < POOL_MOST; p->threads++)
        pthread_create(&p->thread[p->threads], NULL, pool_thread, p);
}

static void pool_stop(pool *p) {
    pthread_mutex_lock(&p->mutex);
    p->stop = 1;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->mutex);
    while (p->threads > 0) pthread_join(p->thread[--p->threads], NULL);
}

/* A sap_parallel_for; user is the pool. */
static void pool_run(sap_job *job, void *data, int count, void *user) {
    pool *p = (pool *)user;
    pthread_mutex_lock(&p->mutex);
    p->job = job;
    p->data = data;
    p->next = 0;
    p->count = count;
    pthread_cond_broadcast(&p->begin);
    pool_work(p);
    while (p->busy) pthread_cond_wait(&p->done, &p->mutex);
    p->count = 0;
    pthread_mutex_unlock(&p->mutex);
}

#endif
