/*
Shows how to settle a large world on several threads: a pool of them, plugged into sap_multi's config.parallel.

    cc -I.. -I/usr/include/stb -O2 -o multi_pool multi_pool.c -pthread && ./multi_pool

./multi_pool 1 takes one thread instead of 4. It prints the same:

    frame  0: 56037 pairs, 56037 began,    0 ended
    frame 15: 56232 pairs,  5437 began, 5291 ended
    frame 30: 55814 pairs,  5351 began, 5356 ended
    frame 45: 56325 pairs,  5346 began, 5481 ended
    0 frames of 60 differ from those of one sap_world
*/
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "flyers.h"

/* ---- the pool ---------------------------------------------------------------------------------------------- */

/* Threads sleep until there are jobs. Whoever is free takes the next one, the caller too. */
typedef struct pool {
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t begin, end;
    pthread_t *threads;
    int count, stop;
    sap_job *job;
    void *data;
    int next, jobs, running;
} pool;

/* Called and left with the mutex locked. */
static void take_jobs(pool *p) {
    while (p->next < p->jobs) {
        int i = p->next++;
        p->running++;
        pthread_mutex_unlock(&p->mutex);
        p->job(p->data, i);
        pthread_mutex_lock(&p->mutex);
        p->running--;
    }
    if (p->running == 0) pthread_cond_signal(&p->end);
}

static void *work(void *argument) {
    pool *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        take_jobs(p);
        pthread_cond_wait(&p->begin, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* This is what config.parallel wants: user is the pool. The data of a job is complete before the mutex is unlocked,
   and what it wrote is seen by whoever locks it next. */
static void run_jobs(sap_job *job, void *data, int count, void *user) {
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    p->job = job;
    p->data = data;
    p->next = 0;
    p->jobs = count;
    pthread_cond_broadcast(&p->begin);
    take_jobs(p);
    while (p->running > 0) pthread_cond_wait(&p->end, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

/* The caller is one of the threads. */
static void start(pool *p, int threads) {
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->end, NULL);
    p->threads = calloc((size_t)threads, sizeof *p->threads);
    while (p->threads && p->count < threads - 1 && !pthread_create(&p->threads[p->count], NULL, work, p)) p->count++;
}

static void stop(pool *p) {
    pthread_mutex_lock(&p->mutex);
    p->stop = 1;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->mutex);
    while (p->count > 0) pthread_join(p->threads[--p->count], NULL);
    free(p->threads);
}

/* ---- the world --------------------------------------------------------------------------------------------- */

enum { BOXES = 20000, FRAMES = 60 };
static const float side = 300;

static flyer flyers[BOXES];
static sap_aabb boxes[BOXES];
static sap_id ids[BOXES];

static int same(const sap_pair *a, int count_a, const sap_pair *b, int count_b) {
    return count_a == count_b && (count_a == 0 || memcmp(a, b, (size_t)count_a * sizeof *a) == 0);
}

int main(int argc, char **argv) {
    pool threads;
    sap_multi_config config = {0}; /* the grid is chosen from the boxes */
    int different = 0;
    start(&threads, argc > 1 ? atoi(argv[1]) : 4);
    config.parallel = run_jobs;
    config.parallel_user = &threads;
    sap_multi *multi = sap_multi_create(&config);
    sap_world *one = sap_create(NULL); /* only to compare */

    for (int i = 0; i < BOXES; i++) {
        flyers[i] = flyer_new(i, side, 5, 15);
        boxes[i] = flyers[i].box;
    }
    sap_add_many(one, BOXES, boxes, NULL, ids);
    sap_multi_add_many(multi, BOXES, boxes, NULL, ids); /* the same ids: nothing depends on the threads */
    for (int frame = 0; frame < FRAMES; frame++) {
        int pairs, began, ended, one_pairs, one_began, one_ended;
        sap_multi_update(multi);
        sap_update(one);
        const sap_pair *all = sap_multi_pairs(multi, &pairs), *one_all = sap_pairs(one, &one_pairs);
        const sap_pair *begin = sap_multi_created(multi, &began), *one_begin = sap_created(one, &one_began);
        const sap_pair *end = sap_multi_deleted(multi, &ended), *one_end = sap_deleted(one, &one_ended);
        different += !same(all, pairs, one_all, one_pairs) || !same(begin, began, one_begin, one_began) ||
                     !same(end, ended, one_end, one_ended);
        if (frame % 15 == 0) printf("frame %2d: %d pairs, %5d began, %4d ended\n", frame, pairs, began, ended);
        for (int i = 0; i < BOXES; i++) {
            flyer_move(&flyers[i], side);
            boxes[i] = flyers[i].box;
        }
        sap_multi_move_many(multi, BOXES, ids, boxes);
        sap_move_many(one, BOXES, ids, boxes);
    }
    printf("%d frames of %d differ from those of one sap_world\n", different, FRAMES);
    sap_multi_destroy(multi);
    sap_destroy(one);
    stop(&threads);
    return different != 0;
}
