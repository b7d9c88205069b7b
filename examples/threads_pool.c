/*
Shows how to update a large world on several threads: a pool of threads, lent to it by sap_set_parallel.

    cc -I.. -I/usr/include/stb -O2 -o threads_pool threads_pool.c -pthread && ./threads_pool

The pool is in pool.h, ready to copy. ./threads_pool 1 takes one thread instead of 4. For this number of boxes threads
gain little: make bench-world measures the gain, here and with more boxes. Any number of threads prints the same:

    frame  0: 56037 pairs, 56037 began,    0 ended
    frame 15: 56232 pairs,  5437 began, 5291 ended
    frame 30: 55814 pairs,  5351 began, 5356 ended
    frame 45: 56325 pairs,  5346 began, 5481 ended
    60 of 60 frames equal those of one thread
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "flyers.h"
#include "pool.h"

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
    int different = 0;
    pool_start(&threads, argc > 1 ? atoi(argv[1]) : 4);
    sap_world *world = sap_create(NULL);
    sap_set_parallel(world, pool_run, &threads);
    sap_world *one = sap_create(NULL); /* only to compare */

    for (int i = 0; i < BOXES; i++) {
        flyers[i] = flyer_new(i, side, 5, 15);
        boxes[i] = flyers[i].box;
    }
    sap_add_many(one, BOXES, boxes, NULL, ids);
    sap_add_many(world, BOXES, boxes, NULL, ids); /* they get the same ids */
    for (int frame = 0; frame < FRAMES; frame++) {
        int pairs, began, ended, one_pairs, one_began, one_ended;
        sap_update(world);
        sap_update(one);
        const sap_pair *all = sap_pairs(world, &pairs), *one_all = sap_pairs(one, &one_pairs);
        const sap_pair *begin = sap_created(world, &began), *one_begin = sap_created(one, &one_began);
        const sap_pair *end = sap_deleted(world, &ended), *one_end = sap_deleted(one, &one_ended);
        different += !same(all, pairs, one_all, one_pairs) || !same(begin, began, one_begin, one_began) ||
                     !same(end, ended, one_end, one_ended);
        if (frame % 15 == 0) printf("frame %2d: %d pairs, %5d began, %4d ended\n", frame, pairs, began, ended);
        for (int i = 0; i < BOXES; i++) {
            flyer_move(&flyers[i], side);
            boxes[i] = flyers[i].box;
        }
        sap_move_many(world, BOXES, ids, boxes);
        sap_move_many(one, BOXES, ids, boxes);
    }
    printf("%d of %d frames equal those of one thread\n", FRAMES - different, FRAMES);
    sap_destroy(world);
    sap_destroy(one);
    pool_stop(&threads);
    return different != 0;
}
