/*
Shows how to find all overlaps of a level once, without a world: what a level editor or a loader asks.

    cc -I.. -I/usr/include/stb -o prune 17_prune.c && ./prune

sap_box_prune takes an array of boxes and reports each pair that overlaps. Nothing is kept, and nothing has to be
created or destroyed. sap_box_prune_bipartite reports pairs between two arrays only. It prints:

    400 crates: 29 pairs stand in one another
    all have a place of their own after 3 passes
    75 of 400 crates stand in a wall
    58 of 60 lamps light at least one crate; lamp 33 lights 18, the most
*/
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { CRATES = 400, WALLS = 12, LAMPS = 60 };

static sap_aabb crates[CRATES], walls[WALLS], lit[LAMPS]; /* lit: the box around the light of a lamp */

static float random_in(float low, float high) { /* the same on every machine */
    static uint32_t state = 2;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

static void fill(sap_aabb *boxes, int n, float least, float most) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] = (float)(int)random_in(0, 4000);
            boxes[i].max[k] = boxes[i].min[k] + (float)(int)random_in(least, most);
        }
}

/* Called for each pair i < j, in no particular order; 0 would stop. What overlaps an earlier crate has no place. */
static int blame(int i, int j, void *user) {
    (void)i;
    ((int *)user)[j] = 1;
    return 1;
}

static int mark(int i, int j, void *user) {
    (void)j;
    ((int *)user)[i]++;
    return 1;
}

int main(void) {
    int misplaced[CRATES] = {0}, in_wall[CRATES] = {0}, count[LAMPS] = {0};
    int passes = 0, walled = 0, lights = 0, brightest = 0;
    fill(crates, CRATES, 20, 60);
    fill(walls, WALLS, 20, 800);
    fill(lit, LAMPS, 300, 900);

    const long long pairs = sap_box_prune(crates, CRATES, SAP_2D, blame, misplaced);
    printf("%d crates: %lld pairs stand in one another\n", CRATES, pairs);
    for (long long left = pairs; left > 0; passes++) { /* afterwards: the boxes must not change while it looks */
        for (int i = 0; i < CRATES; i++) {
            if (misplaced[i]) fill(&crates[i], 1, 20, 60);
            misplaced[i] = 0;
        }
        left = sap_box_prune(crates, CRATES, SAP_2D, blame, misplaced);
    }
    printf("all have a place of their own after %d passes\n", passes);

    sap_box_prune_bipartite(crates, CRATES, walls, WALLS, SAP_2D, mark, in_wall);
    for (int i = 0; i < CRATES; i++) walled += in_wall[i] > 0;
    printf("%d of %d crates stand in a wall\n", walled, CRATES);
    sap_box_prune_bipartite(lit, LAMPS, crates, CRATES, SAP_2D, mark, count);
    for (int i = 0; i < LAMPS; i++) {
        lights += count[i] > 0;
        if (count[i] > count[brightest]) brightest = i;
    }
    printf("%d of %d lamps light at least one crate; lamp %d lights %d, the most\n", lights, LAMPS, brightest,
           count[brightest]);
    return 0;
}
