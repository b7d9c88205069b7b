/*
Shows how to learn which boxes begin to overlap, and which stop.

    cc -I.. -I/usr/include/stb -o hello 01_hello.c && ./hello
*/
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

static void *begin(const sap_pair *pair, void *user) {
    printf("frame %d: %s meets %s\n", *(int *)user, (char *)pair->object0, (char *)pair->object1);
    return NULL; /* yours to keep with the pair: its user_data */
}

static void end(const sap_pair *pair, void *user) {
    printf("frame %d: %s leaves %s\n", *(int *)user, (char *)pair->object0, (char *)pair->object1);
}

int main(void) {
    sap_aabb ground = {{0, -1, 0}, {10, 0, 10}}; /* min x y z, max x y z */
    sap_aabb crate = {{4, 0, 4}, {6, 2, 6}};
    sap_aabb ball = {{0, 0, 4}, {1, 1, 5}};
    sap_world *world = sap_create(NULL);
    sap_add_static(world, &ground, (void *)"ground");
    sap_add(world, &crate, (void *)"crate");
    sap_id rolling = sap_add(world, &ball, (void *)"ball");

    for (int frame = 0; frame < 12; frame++) {
        sap_dump_pairs(world, begin, end, &frame);
        ball.min[0] += 1; /* it rolls through the crate and over the edge */
        ball.max[0] += 1;
        sap_move(world, rolling, &ball);
    }
    sap_destroy(world);
    return 0;
}
