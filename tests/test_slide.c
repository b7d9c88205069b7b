/* test_slide.c - the mover of examples/05_step.c, which is there to be copied: it walks for long among walls, corners and
   lattices, also where floats are coarse, and is never stranded, never in a wall, and catches on no seam.

   Arguments: heroes, steps of each. */

#define SAP_IMPLEMENTATION /* as the example does: so run.sh links nothing else */
#define main example_main
#include "../examples/05_step.c"
#undef main

#include "test.h"

enum { MOST_WALLS = 400, WINDOW = 500 };

typedef struct place {
    sap_world *world;
    sap_aabb walls[MOST_WALLS];
    sap_id hero;
    sap_aabb box;
    float origin; /* of all coordinates */
    int count;
} place;

static place here;

/* How coarse floats are around there. */
static float coarseness(float at) {
    const float size = fabsf(at) + 40;
    return test_float(test_bits(size) + 1) - size;
}

static void add_wall(float x, float y, float width, float height) {
    sap_aabb wall = {{0, 0, 0}, {0, 0, 0}};
    if (here.count == MOST_WALLS) return;
    wall.min[0] = here.origin + x;
    wall.min[1] = here.origin + y;
    wall.max[0] = here.origin + (x + width);
    wall.max[1] = here.origin + (y + height);
    here.walls[here.count++] = wall;
}

/* A room of 30 by 30 with rows of tiles for walls. */
static void add_room(void) {
    int i;
    for (i = -1; i <= 30; i++) {
        add_wall((float)i, -1, 1, 1);
        add_wall((float)i, 30, 1, 1);
        add_wall(-1, (float)i, 1, 1);
        add_wall(30, (float)i, 1, 1);
    }
}

/* Deeper in a wall than rounding takes it? */
static float deepest(const sap_aabb *box) {
    sap_id ids[16];
    float most = 0;
    int i, k;
    const int n = sap_query_box_ids(here.world, box, ~0u, ids, 16);
    for (i = 0; i < n && i < 16; i++) {
        float least = 1e30f;
        sap_aabb wall;
        if (ids[i] == here.hero || sap_get_box(here.world, ids[i], &wall) != SAP_OK) continue;
        for (k = 0; k < 2; k++) {
            least = fminf(least, box->max[k] - wall.min[k]);
            least = fminf(least, wall.max[k] - box->min[k]);
        }
        most = fmaxf(most, least);
    }
    return most;
}

static void open_place(test_rng *rng, int kind) {
    static const float origins[] = {0, 0, -1000, 1e4f, 1e5f};
    const sap_config flat = {.axes = SAP_2D};
    static sap_id ids[MOST_WALLS];
    int i, k;
    here.origin = origins[kind / 5 % 5];
    here.count = 0;
    here.world = sap_create(&flat);
    add_room();
    switch (kind % 5) {
    case 0: /* walls anywhere, across each other */
        for (i = 0; i < 40; i++)
            add_wall(test_uniform(rng, 0, 28), test_uniform(rng, 0, 28), test_uniform(rng, 0, 3),
                     test_uniform(rng, 0, 3));
        break;
    case 1: /* a lattice with a little more room than it takes */
        for (i = 0; i < 12; i++)
            for (k = 0; k < 12; k++) add_wall(2 + 2.125f * (float)i, 2 + 2.125f * (float)k, 1, 1);
        break;
    case 2: /* stairs, and corners of all kinds */
        for (i = 0; i < 14; i++) {
            add_wall((float)i, 29 - (float)i, 1, 1);
            add_wall((float)(16 + i), 2 + (float)i, 1, 1);
        }
        break;
    case 3: /* tiles on whole numbers, many side by side */
        for (i = 0; i < 200; i++) add_wall((float)test_below(rng, 30), (float)test_below(rng, 30), 1, 1);
        break;
    default: /* lines without any width */
        for (i = 0; i < 30; i++)
            add_wall((float)test_below(rng, 30), (float)test_below(rng, 30), i & 1 ? (float)test_below(rng, 6) : 0,
                     i & 1 ? 0 : (float)test_below(rng, 6));
    }
    if (sap_add_static_many(here.world, here.count, here.walls, NULL, ids) != SAP_OK) exit(2);
    memset(&here.box, 0, sizeof here.box);
    here.hero = 0;
    do {
        for (k = 0; k < 2; k++) {
            here.box.min[k] = here.origin + test_uniform(rng, 0.05f, 28.9f);
            here.box.max[k] = here.box.min[k] + 1;
        }
    } while (sap_query_box(here.world, &here.box, ~0u, NULL, NULL) > 0);
    here.hero = sap_add(here.world, &here.box, NULL);
}

/* In no window of steps does a hero that wants to go anywhere stay where it is. */
static void walk(int seed, int steps) {
    test_rng rng = {(uint64_t)seed * 7919 + 1};
    float low[2], high[2], wanted[3] = {0, 0, 0};
    int i, k, left = 0, stranded = 0, inside = 0;
    open_place(&rng, seed);
    for (i = 0; i < steps; i++) {
        if (left-- == 0) {
            const float length = test_chance(&rng, 10) ? 3.0f : test_chance(&rng, 20) ? 1e-3f : 0.25f;
            left = 1 + test_below(&rng, 40);
            for (k = 0; k < 2; k++)
                wanted[k] = test_chance(&rng, 60) ? test_uniform(&rng, -length, length)
                                                  : length * (float)(test_below(&rng, 3) - 1);
        }
        here.box = slide(here.world, here.hero, here.box, wanted, NULL);
        if (sap_move(here.world, here.hero, &here.box) != SAP_OK) exit(2);
        inside += deepest(&here.box) > 2 * coarseness(here.origin);
        for (k = 0; k < 2; k++) {
            if (i % WINDOW == 0) low[k] = high[k] = here.box.min[k];
            low[k] = fminf(low[k], here.box.min[k]);
            high[k] = fmaxf(high[k], here.box.min[k]);
            inside += here.box.min[k] < here.origin || here.box.max[k] > here.origin + 30;
        }
        if (i % WINDOW == WINDOW - 1) stranded += high[0] - low[0] < 0.05f && high[1] - low[1] < 0.05f;
    }
    CHECK_MESSAGE(stranded == 0, "seed %d: stranded in %d windows of %d", seed, stranded, steps / WINDOW);
    CHECK_MESSAGE(inside == 0, "seed %d: in a wall in %d steps of %d", seed, inside, steps);
    sap_destroy(here.world);
}

/* Along a row of tiles, pressed against it or not, from the gap, from its side, and from a hair inside. */
static void test_seams(void) {
    const sap_config flat = {.axes = SAP_2D};
    int kind, i;
    for (kind = 0; kind < 12; kind++) {
        const float from[] = {0.01f, 0, 1e-7f, -1e-7f}, press = kind % 3 == 0 ? 0 : kind % 3 == 1 ? -0.05f : -0.001f;
        const float wanted[3] = {0.1f, press, 0}, at = from[kind / 3];
        sap_aabb box = {{0, 0, 0}, {1, 0, 0}};
        here.world = sap_create(&flat);
        for (i = -5; i < 60; i++) {
            const sap_aabb tile = {{(float)i, -1, 0}, {(float)i + 1, 0, 0}};
            if (!sap_add_static(here.world, &tile, NULL)) exit(2);
        }
        box.min[1] = at;
        box.max[1] = at + 1;
        here.hero = sap_add(here.world, &box, NULL);
        for (i = 0; i < 400; i++) {
            box = slide(here.world, here.hero, box, wanted, NULL);
            if (sap_move(here.world, here.hero, &box) != SAP_OK) exit(2);
        }
        CHECK_MESSAGE(box.min[0] > 39.9f, "from %g, pressed by %g: is at %g", (double)at, (double)press,
                      (double)box.min[0]);
        sap_destroy(here.world);
    }
}

int main(int argc, char **argv) {
    const int heroes = test_argument(argc, argv, 1, 100), steps = test_argument(argc, argv, 2, 10000);
    int seed;
    test_seams();
    for (seed = 0; seed < heroes; seed++) walk(seed, steps);
    return test_summary();
}
