/*
Shows how to let a world wrap: who leaves it on the right comes in on the left, and meets at both borders at once.

    cc -I.. -I/usr/include/stb -o wrap 24_wrap.c && ./wrap

A thing that reaches over a border has ghosts at the far one: boxes with the same object. Several pairs of boxes may
then be one pair of things, which begins with the first of them and ends with the last. A query near a border asks at
the far one, too. It prints:

    400 frames of 150 things: 4831 begin, 4744 end, 87 are left
    beside two loops around the world: 0 differ
    most boxes at a time: 176
*/
#include <stdio.h>
#include <stdint.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { THINGS = 150, FRAMES = 400, WIDE = 320, HIGH = 240, COPIES = 4 };

typedef struct thing {
    float at[2], size[2], speed[2];
    sap_id copies[COPIES]; /* itself; moved by the world's width; by its height; by both. 0: not there */
} thing;

static const float world_size[2] = {WIDE, HIGH};
static sap_world *world;
static thing things[THINGS];
static int boxes_of[THINGS][THINGS]; /* pairs of boxes of these two things */
static char pairs[THINGS][THINGS];   /* whether the two are a pair: what the game sees */
static int begun, ended;

static int random_below(int end) { /* the same on every machine */
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)end);
}

/* A filter: a thing that is as long as the world does not meet its own ghosts. */
static int are_two(const sap_pair *pair, void *user) {
    (void)user;
    return pair->object0 != pair->object1;
}

/* Its min lies in the world, so that it reaches over the right and the lower border at most. */
static void place(thing *t) {
    for (int c = 0; c < COPIES; c++) {
        sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
        int there = 1;
        for (int k = 0; k < 2; k++) {
            const int moved = c >> k & 1;
            box.min[k] = moved ? t->at[k] - world_size[k] : t->at[k];
            box.max[k] = box.min[k] + t->size[k];
            there = there && (!moved || box.max[k] >= 0);
        }
        if (there && t->copies[c])
            sap_move(world, t->copies[c], &box);
        else if (there)
            t->copies[c] = sap_add(world, &box, (void *)(intptr_t)(t - things));
        else if (t->copies[c]) {
            sap_remove(world, t->copies[c]);
            t->copies[c] = 0;
        }
    }
}

static void walk(thing *t) {
    for (int k = 0; k < 2; k++) {
        t->at[k] += t->speed[k];
        if (t->at[k] >= world_size[k]) t->at[k] -= world_size[k];
        if (t->at[k] < 0) t->at[k] += world_size[k];
    }
    place(t);
}

/* Counts all events first, and then looks at each pair of things that had one: the box that wraps ends a pair which its
   ghost begins, and the things go on touching. */
static void update(void) {
    sap_update(world);
    for (int pass = 0; pass < 2; pass++)
        for (int which = 0; which < 2; which++) {
            int n;
            const sap_pair *events = which ? sap_created(world, &n) : sap_deleted(world, &n);
            for (int i = 0; i < n; i++) {
                const int one = (int)(intptr_t)events[i].object0, other = (int)(intptr_t)events[i].object1;
                const int a = one < other ? one : other, b = one < other ? other : one;
                if (pass == 0)
                    boxes_of[a][b] += which ? 1 : -1;
                else if (pairs[a][b] != (boxes_of[a][b] > 0)) {
                    pairs[a][b] = boxes_of[a][b] > 0;
                    pairs[a][b] ? begun++ : ended++;
                }
            }
        }
}

/* The same without sap.h: on each axis one of the two is at most its own size behind the other, around the world. */
static int overlap(const thing *a, const thing *b) {
    for (int k = 0; k < 2; k++) {
        float ahead = b->at[k] - a->at[k];
        if (ahead < 0) ahead += world_size[k];
        if (ahead > a->size[k] && world_size[k] - ahead > b->size[k]) return 0;
    }
    return 1;
}

int main(void) {
    int differ = 0, most = 0, left = 0;
    sap_config config = {.axes = SAP_2D, .filter = are_two};
    world = sap_create(&config);
    for (int i = 0; i < THINGS; i++) {
        thing *t = &things[i];
        for (int k = 0; k < 2; k++) { /* eighths: sums are exact, here and in the two loops */
            t->at[k] = (float)random_below(8 * (k ? HIGH : WIDE)) / 8;
            t->size[k] =
                (float)(8 + random_below(8 * (i % 10 ? 16 : 200))) / 8; /* some are nearly as long as the world */
            t->speed[k] = (float)(random_below(33) - 16) / 8;
        }
        if (i % 10 == 0) t->size[i / 10 % 2] = 2;
        if (i == 0) t->size[1] = HIGH; /* a wall from border to border, which walks */
        place(t);
    }
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < THINGS; i++) walk(&things[i]);
        update();
        left = 0;
        for (int a = 0; a < THINGS; a++)
            for (int b = a + 1; b < THINGS; b++) {
                differ += pairs[a][b] != overlap(&things[a], &things[b]);
                left += pairs[a][b];
            }
        if (most < sap_count(world)) most = sap_count(world);
    }
    printf("%d frames of %d things: %d begin, %d end, %d are left\n", FRAMES, THINGS, begun, ended, left);
    printf("beside two loops around the world: %d differ\n", differ);
    printf("most boxes at a time: %d\n", most);
    sap_destroy(world);
    return differ > 0;
}
