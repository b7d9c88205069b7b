/*
Shows how to update and query a large world on the threads of OpenMP, with two short loops.

    cc -I.. -I/usr/include/stb -O2 -fopenmp -o threads_openmp threads_openmp.c && ./threads_openmp

OMP_NUM_THREADS=1 ./threads_openmp takes one thread; it prints the same:

    frame  0: 19929 pairs, 19929 began, 3141 of 5000 rays hit
    frame 10: 20197 pairs,  4273 began, 3151 of 5000 rays hit
    frame 20: 20051 pairs,  4261 began, 3080 of 5000 rays hit
    frame 30: 20016 pairs,  4111 began, 3124 of 5000 rays hit
*/
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "flyers.h"

enum { BOXES = 20000, RAYS = 5000, FRAMES = 40 };
static const float side = 600;

static flyer flyers[BOXES];
static sap_aabb boxes[BOXES];
static sap_id ids[BOXES];

/* Called by sap_update. Jobs differ in size, so each thread takes the next one when it is done: dynamic. */
static void run_jobs(sap_job *job, void *data, int count, void *user) {
    (void)user;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++) job(data, i);
}

/* Moves the boxes. They are yours, so this may be parallel, too. Afterwards one thread calls sap_move_many. */
static void move(void) {
#pragma omp parallel for
    for (int i = 0; i < BOXES; i++) {
        flyer_move(&flyers[i], side);
        boxes[i] = flyers[i].box;
    }
}

/* Returns the number of rays that hit. Until the next change any number of threads may query the prepared world. */
static int cast_rays(sap_world *world) {
    int hits = 0;
#pragma omp parallel for reduction(+ : hits)
    for (int i = 0; i < RAYS; i++) {
        const float from[3] = {side * (float)(i % 100) / 100, side * (float)i / RAYS, 0}, way[3] = {3, 0, 0};
        hits += sap_ray_closest(world, from, way, ~0u, NULL) != 0;
    }
    return hits;
}

int main(void) {
    sap_world *world = sap_create(&(sap_config){.axes = SAP_2D});
    sap_set_parallel(world, run_jobs, NULL);
    for (int i = 0; i < BOXES; i++) {
        flyers[i] = flyer_new(i, side, 1, 5);
        boxes[i] = flyers[i].box;
    }
    sap_add_many(world, BOXES, boxes, NULL, ids);
    for (int frame = 0; frame < FRAMES; frame++) {
        int pairs, began;
        sap_update(world);
        sap_prepare_queries(world);
        int hits = cast_rays(world);
        sap_created(world, &began);
        sap_pairs(world, &pairs);
        if (frame % 10 == 0)
            printf("frame %2d: %d pairs, %5d began, %d of %d rays hit\n", frame, pairs, began, hits, RAYS);
        move();
        sap_move_many(world, BOXES, ids, boxes);
    }
    sap_destroy(world);
    return 0;
}
