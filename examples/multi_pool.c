/*
Shows how to update a large world on several threads: a pool of threads, given to sap_multi as config.parallel.

    cc -I.. -I/usr/include/stb -O2 -o multi_pool multi_pool.c -pthread && ./multi_pool

The pool is in pool.h, ready to copy. ./multi_pool 1 takes one thread instead of 4. For this number of boxes threads
gain little: make bench-multi measures the gain, here and with more boxes. Any number of threads prints the same:

    frame  0: 56037 pairs, 56037 began,    0 ended
    frame 15: 56232 pairs,  5437 began, 5291 ended
    frame 30: 55814 pairs,  5351 began, 5356 ended
    frame 45: 56325 pairs,  5346 began, 5481 ended
    60 of 60 frames equal those of one sap_world
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
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
    sap_multi_config config = {0}; /* no grid is given: if the method needs one, it is chosen from the boxes */
    int different = 0;
    pool_start(&threads, argc > 1 ? atoi(argv[1]) : 4);
    config.parallel = pool_run;
    config.parallel_user = &threads;
    sap_multi *multi = sap_multi_create(&config);
    sap_world *one = sap_create(NULL); /* only to compare */

    for (int i = 0; i < BOXES; i++) {
        flyers[i] = flyer_new(i, side, 5, 15);
        boxes[i] = flyers[i].box;
    }
    sap_add_many(one, BOXES, boxes, NULL, ids);
    sap_multi_add_many(multi, BOXES, boxes, NULL, ids); /* they get the same ids */
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
    printf("%d of %d frames equal those of one sap_world\n", FRAMES - different, FRAMES);
    sap_multi_destroy(multi);
    sap_destroy(one);
    pool_stop(&threads);
    return different != 0;
}
