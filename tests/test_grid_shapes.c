/* test_grid_shapes.c - a grid of SAPs takes at most 1.5 times the steps of one SAP, in worlds of any shape: counted, no
   clocks.

   usage: test_grid_shapes [boxes] [shape] [-v]: 800 and 4,000 boxes and all shapes; -v prints every ratio

   All boxes tremble, by up to a hundredth of a typical side or up to a tenth. A step is an endpoint that is passed or a
   box that is tested; two steps a box are granted. The grid that is chosen holds it. Given grids, fixed and hashed, have
   cells that are four typical sides long: twice the steps of one SAP are granted to these. A grid whose boxes have
   changed their sizes takes at most 1.5 times what a new one does. */

#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "test.h"
#include <math.h>

typedef struct shape shape;
typedef void place_box(test_rng *rng, const shape *s, int n, int i, sap_aabb *box);
struct shape {
    const char *name;
    int axes;         /* 2: the third axis is not used */
    place_box *place; /* writes box i of n */
    float size;       /* for place */
    int one_in;       /* for place */
};

enum { FRAMES = 4, GRIDS = 3 };
static const char *const grid_names[GRIDS] = {"chosen", "fixed", "hashed"};
static int verbose;

static float uniform(test_rng *rng, float low, float high) {
    return low + (high - low) * test_uniform(rng, 0, 1);
}

/* The side of a cube or square in which unit boxes are as dense as a box in twenty-one units, or nine. */
static float side_of(const shape *s, int n) {
    return s->axes == 2 ? 3 * sqrtf((float)n) : 2.76f * cbrtf((float)n);
}

static void put(sap_aabb *box, int k, float center, float size) {
    box->min[k] = center - size / 2;
    box->max[k] = center + size / 2;
}

static void scatter(test_rng *rng, const shape *s, int n, sap_aabb *box, float x, float y, float z) {
    const float size[3] = {x, y, z};
    for (int k = 0; k < 3; k++) put(box, k, uniform(rng, 0, side_of(s, n)), size[k]);
}

static void cubes(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const float size = s->one_in && i % s->one_in == 0 ? s->size : 1;
    scatter(rng, s, n, box, size, size, size);
}

static void mixed(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* one in one_in is 3 to 30 long */
    const float size = i % s->one_in == 0 ? uniform(rng, 3, 30) : uniform(rng, 0.5f, 1.5f);
    scatter(rng, s, n, box, size, size, size);
}

static void flat(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    scatter(rng, s, n, box, 1, i % s->one_in == 0 ? 0 : 1, 1);
}

static void rods(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const float long_size = s->size;
    const int k = s->one_in ? 0 : test_below(rng, s->axes);
    (void)i;
    scatter(rng, s, n, box, k == 0 ? long_size : .3f, k == 1 ? long_size : .3f, k == 2 ? long_size : .3f);
}

static void slabs(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const int k = test_below(rng, 3);
    (void)i;
    scatter(rng, s, n, box, k == 0 ? .1f : s->size, k == 1 ? .1f : s->size, k == 2 ? .1f : s->size);
}

static void walls(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* one in one_in is a wall */
    const float side = side_of(s, n);
    if (i % s->one_in)
        scatter(rng, s, n, box, 1, 1, 1);
    else if (i / s->one_in % 2)
        scatter(rng, s, n, box, side * s->size, .2f, side);
    else
        scatter(rng, s, n, box, .2f, side * s->size, side);
}

static void planes(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* endless: 1, half, 2: column */
    const int k = test_below(rng, 3);
    scatter(rng, s, n, box, 1, 1, 1);
    if (i % s->one_in) return;
    for (int j = 0; j < 3; j++) {
        if (s->size == 2 ? j == k : j != k) box->min[j] = -INFINITY, box->max[j] = INFINITY;
        if (s->size == 1 && j == k) box->min[j] = -INFINITY;
    }
}

static void ground(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* one_in: walls on it */
    const float side = side_of(s, n);
    scatter(rng, s, n, box, 1, 1, 1);
    put(box, 1, .5f + (float)test_below(rng, 4), 1);
    if (i > s->one_in) return;
    if (i == 0) put(box, 0, side / 2, 2 * side), put(box, 1, -.5f, 1), put(box, 2, side / 2, 2 * side);
    if (i > 0)
        put(box, i % 2 ? 0 : 2, i < 3 ? 0 : side, .5f), put(box, i % 2 ? 2 : 0, side / 2, side), put(box, 1, 5, 10);
}

static void decades(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const float size = side_of(s, n) * powf(10, uniform(rng, -s->size, 0));
    (void)i;
    scatter(rng, s, n, box, size, size, size);
}

static void heavy_tail(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const float size = .5f * powf(uniform(rng, 1e-4f, 1), -s->size);
    (void)i;
    scatter(rng, s, n, box, size, size, size);
}

static void tree_of_sizes(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* 1, 8, 64, ... half as long */
    float size = side_of(s, n), first = 0, count = 1;
    while (first + count <= (float)i) first += count, count *= s->axes == 2 ? 4 : 8, size /= 2;
    scatter(rng, s, n, box, size, size, size);
}

static void line(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* size: how far from the line */
    const float at = uniform(rng, 0, (float)n * 3);
    for (int k = 0; k < 3; k++) put(box, k, (s->one_in == 3 || k == 0 ? at : 0) + uniform(rng, -s->size, s->size), 1);
    (void)i;
}

static void islands(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    scatter(rng, s, n / s->one_in + 1, box, 1, 1, 1);
    for (int k = 0; k < 3; k++) {
        const float at = s->size * (float)((i % s->one_in * (7 + 4 * k)) % s->one_in);
        box->min[k] += at;
        box->max[k] += at;
    }
}

static void ball(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* 0 gauss, 1 shell, 2 galaxy */
    const float side = side_of(s, n);
    float at[3], square = 1e-9f;
    (void)i;
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int j = 0; j < 6; j++) at[k] += uniform(rng, -1, 1);
        square += at[k] * at[k];
    }
    for (int k = 0; k < 3; k++) {
        if (s->size == 1) at[k] *= 1.5f / sqrtf(square);
        if (s->size == 2) at[k] *= square * (k == 1 ? .05f : .3f);
        put(box, k, at[k] * side / 3, 1);
    }
}

static void layers(test_rng *rng, const shape *s, int n, int i,
                   sap_aabb *box) { /* sprites; size: layers, 0: any depth */
    const float side = 3 * sqrtf((float)n);
    (void)i;
    put(box, 0, uniform(rng, 0, side), 1);
    put(box, 1, uniform(rng, 0, side), 1);
    put(box, 2, s->size > 0 ? (float)test_below(rng, (int)s->size) : uniform(rng, 0, side), 0);
}

static void tiles(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* side by side; size: their height */
    const int row = (int)sqrtf((float)n) + 1;
    (void)rng;
    put(box, 0, (float)(i % row), 1);
    put(box, 2, (float)(i / row), 1);
    put(box, 1, (float)s->one_in * sinf((float)(i % row) * .1f) * cosf((float)(i / row) * .1f), s->size);
}

static void lattice(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    const int row = (int)cbrtf((float)n) + 1;
    (void)rng;
    put(box, 0, (float)(i % row), s->size);
    put(box, 1, (float)(i / row % row), s->size);
    put(box, 2, (float)(i / row / row), s->size);
}

static void town(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) { /* houses, floors, posts, people */
    const float side = 4 * sqrtf((float)n);
    scatter(rng, s, n, box, 1, 2, 1);
    if (i % 20 == 1) scatter(rng, s, n, box, uniform(rng, 8, 20), uniform(rng, 5, 30), uniform(rng, 8, 20));
    if (i % 20 == 2) scatter(rng, s, n, box, 10, .2f, 10);
    if (i % 20 == 3) scatter(rng, s, n, box, .2f, 6, .2f);
    for (int k = 0; k < 3; k += 2) {
        const float size = box->max[k] - box->min[k];
        put(box, k, uniform(rng, 0, side), size);
    }
    const float height = box->max[1] - box->min[1];
    put(box, 1, height / 2 + (i % 20 == 2 ? 3 * (float)test_below(rng, 8) : 0), height);
    if (i == 0) put(box, 0, side / 2, 2 * side), put(box, 1, -1, 2), put(box, 2, side / 2, 2 * side);
}

static void units(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    (void)i;
    scatter(rng, s, n, box, 1, 1, 1);
    for (int k = 0; k < 3; k++) {
        const float unit = s->one_in ? (k == 0 ? s->size : k == 1 ? 1 : 1 / s->size) : s->size;
        box->min[k] *= unit;
        box->max[k] *= unit;
    }
}

static void far_away(test_rng *rng, const shape *s, int n, int i, sap_aabb *box) {
    scatter(rng, s, n, box, 1, 1, 1);
    for (int k = 0; k < 3 && i % s->one_in == 0; k++) box->min[k] += s->size, box->max[k] += s->size + 1;
}

static const shape shapes[] = {
    {"cubes", 3, cubes, 1, 0},
    {"squares", 2, cubes, 1, 0},
    {"points", 3, cubes, 0, 1},
    {"points in 2D", 2, cubes, 0, 1},
    {"sizes .5 to 1.5", 3, mixed, 0, 1 << 30},
    {"one in four long", 3, mixed, 0, 4},
    {"one in twenty long", 3, mixed, 0, 20},
    {"one in 100 long", 3, mixed, 0, 100},
    {"one in 300 long", 3, mixed, 0, 300},
    {"2D, one in four long", 2, mixed, 0, 4},
    {"2D, one in twenty long", 2, mixed, 0, 20},
    {"2D, one in 100 long", 2, mixed, 0, 100},
    {"two sizes, 10, one in 2", 3, cubes, 10, 2},
    {"two sizes, 4, one in 2", 3, cubes, 4, 2},
    {"two sizes, 20, one in 10", 3, cubes, 20, 10},
    {"two sizes, 100, one in 50", 3, cubes, 100, 50},
    {"2D, two sizes", 2, cubes, 20, 10},
    {"flat", 3, flat, 0, 1},
    {"half flat", 3, flat, 0, 2},
    {"a tenth flat", 3, flat, 0, 10},
    {"2D, a third flat", 2, flat, 0, 3},
    {"rods 30", 3, rods, 30, 0},
    {"rods 30 along x", 3, rods, 30, 1},
    {"rods 5", 3, rods, 5, 0},
    {"rods 200", 3, rods, 200, 0},
    {"2D, rods 30", 2, rods, 30, 0},
    {"2D, rods 10", 2, rods, 10, 0},
    {"slabs 10", 3, slabs, 10, 0},
    {"slabs 30", 3, slabs, 30, 0},
    {"walls, all", 3, walls, .5f, 1},
    {"walls, one in 10", 3, walls, .5f, 10},
    {"walls, one in 100", 3, walls, 1, 100},
    {"2D, walls, all", 2, walls, .2f, 1},
    {"2D, walls, one in 10", 2, walls, .3f, 10},
    {"2D, walls, one in 100", 2, walls, 1, 100},
    {"planes, one in 100", 3, planes, 0, 100},
    {"planes, one in 10", 3, planes, 0, 10},
    {"half-spaces, one in 100", 3, planes, 1, 100},
    {"columns, one in 100", 3, planes, 2, 100},
    {"columns, one in 10", 3, planes, 2, 10},
    {"columns, all", 3, planes, 2, 1},
    {"ground", 3, ground, 0, 0},
    {"ground and walls", 3, ground, 0, 4},
    {"nine decades", 3, decades, 9, 0},
    {"three decades", 3, decades, 3, 0},
    {"2D, nine decades", 2, decades, 9, 0},
    {"heavy tail", 3, heavy_tail, .5f, 0},
    {"heavier tail", 3, heavy_tail, 1, 0},
    {"2D, heavy tail", 2, heavy_tail, .7f, 0},
    {"tree of sizes", 3, tree_of_sizes, 0, 0},
    {"2D, tree of sizes", 2, tree_of_sizes, 0, 0},
    {"line along x", 3, line, .5f, 1},
    {"wide line along x", 3, line, 5, 1},
    {"diagonal", 3, line, 1, 3},
    {"wide diagonal", 3, line, 20, 3},
    {"2D, diagonal", 2, line, 1, 3},
    {"two islands", 3, islands, 1e4f, 2},
    {"hundred islands", 3, islands, 300, 100},
    {"gauss", 3, ball, 0, 0},
    {"shell", 3, ball, 1, 0},
    {"galaxy", 3, ball, 2, 0},
    {"2D, gauss", 2, ball, 0, 0},
    {"sprites in 4 layers", 3, layers, 4, 0},
    {"sprites at any depth", 3, layers, 0, 0},
    {"tiles of no height", 3, tiles, 0, 0},
    {"height field", 3, tiles, 1, 8},
    {"voxels", 3, lattice, 1, 0},
    {"lattice", 3, lattice, .5f, 0},
    {"crowd", 3, lattice, 3, 0},
    {"town", 3, town, 0, 0},
    {"units of 1e-30", 3, units, 1e-30f, 0},
    {"units of 1e30", 3, units, 1e30f, 0},
    {"other units on each axis", 3, units, 1e20f, 1},
    {"a tenth far away", 3, far_away, 1e6f, 10},
    {"one in 1000 far away", 3, far_away, 1e12f, 1000},
};

static int compare_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_size(int n, const sap_aabb *boxes, int k, float *scratch) {
    for (int i = 0; i < n; i++) scratch[i] = boxes[i].max[k] - boxes[i].min[k];
    qsort(scratch, (size_t)n, sizeof *scratch, compare_floats);
    return scratch[n / 2];
}

/* The steps of the last update of a world. */
static long long steps_of(const sap_stats *stats) {
    return stats->swaps + stats->overlap_tests;
}

static void measure(const shape *s, int n, float reach) {
    sap_grid c[GRIDS];
    sap_config config;
    sap_world *grid[GRIDS];
    sap_stats stats;
    test_rng rng = {7};
    long long one = 0, steps[GRIDS] = {0, 0, 0};
    int cells[GRIDS] = {0, 0, 0}, pairs;
    float step[3];
    sap_aabb *boxes = (sap_aabb *)malloc((size_t)n * sizeof *boxes);
    sap_id *ids = (sap_id *)malloc((size_t)n * sizeof *ids);
    float *scratch = (float *)malloc((size_t)n * sizeof *scratch);
    if (!boxes || !ids || !scratch) exit(2);
    for (int i = 0; i < n; i++) s->place(&rng, s, n, i, &boxes[i]);
    memset(&config, 0, sizeof config);
    config.method = SAP_METHOD_SORT;
    config.axes = s->axes == 2 ? SAP_2D : 0;
    memset(c, 0, sizeof c);
    float longest = 0;
    for (int k = 0; k < s->axes; k++) {
        const float size = median_size(n, boxes, k, scratch);
        if (size < 1e38f && size > longest) longest = size;
    }
    if (longest <= 0) longest = 1;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY, size = median_size(n, boxes, k, scratch);
        if (!(size < 1e38f)) size = longest;
        step[k] = reach * (size > 0 ? size : longest);
        for (int i = 0; i < n; i++) {
            if (boxes[i].min[k] > -1e38f && boxes[i].min[k] < low) low = boxes[i].min[k];
            if (boxes[i].max[k] < 1e38f && boxes[i].max[k] > high) high = boxes[i].max[k];
        }
        if (!(low < high)) low = 0, high = 1;
        c[1].bounds.min[k] = low;
        c[1].bounds.max[k] = high;
        const float cell = 4 * (size > 0 ? size : longest), count = ceilf((high - low) / cell);
        c[1].cells[k] = count < 1 ? 1 : count > 1000 ? 1000 : (int)count;
        c[2].hashed = 1;
        c[2].cell_size[k] = cell;
        c[2].entries = 1 << 24;
    }
    sap_world *world = sap_create(&config);
    if (!world || sap_add_many(world, n, boxes, NULL, ids) != SAP_OK || sap_update(world) != SAP_OK) exit(2);
    for (int j = 0; j < GRIDS; j++) {
        grid[j] = sap_create(&config);
        if (sap_set_grid(grid[j], &c[j]) != SAP_OK || sap_add_many(grid[j], n, boxes, NULL, ids) != SAP_OK) exit(2);
        if (sap_update(grid[j]) != SAP_OK) exit(2);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) {
                const float way = uniform(&rng, -step[k], step[k]);
                boxes[i].min[k] += way;
                boxes[i].max[k] += way;
                if (!(boxes[i].max[k] >= boxes[i].min[k])) boxes[i].max[k] = boxes[i].min[k];
            }
        if (sap_move_many(world, n, ids, boxes) != SAP_OK || sap_update(world) != SAP_OK) exit(2);
        sap_get_stats(world, &stats);
        one += steps_of(&stats);
        for (int j = 0; j < GRIDS; j++) {
            if (sap_move_many(grid[j], n, ids, boxes) != SAP_OK || sap_update(grid[j]) != SAP_OK) exit(2);
            sap_get_stats(grid[j], &stats);
            steps[j] += steps_of(&stats);
            cells[j] = stats.cells;
            (void)sap_pairs(world, &pairs);
            CHECK_EQUAL(stats.pairs, pairs);
        }
    }
    if (verbose) printf("%-26s %6d %5.2f %8.1f", s->name, n, (double)reach, (double)one / n / FRAMES);
    for (int j = 0; j < GRIDS; j++) {
        const double granted = 2.0 * n * FRAMES, ratio = (double)steps[j] / ((double)one + 1e-9);
        if (verbose) printf("   %s %6.2f %5d", grid_names[j], ratio, cells[j]);
        CHECK_MESSAGE((double)steps[j] <= (j ? 2 : 1.5) * (double)one + granted, "%s, %d boxes, %s: %.2f times one SAP",
                      s->name, n, grid_names[j], ratio);
        sap_destroy(grid[j]);
    }
    if (verbose) printf("\n");
    if (cells[0] == 1) CHECK_EQUAL(steps[0], one); /* the chosen grid divides no axis */
    sap_destroy(world);
    free(boxes);
    free(ids);
    free(scratch);
}

enum { LIVED = 2000, UPDATES = 32 };

/* All boxes tremble for some updates. Returns the steps of the last four. */
static long long tremble(sap_world *m, const sap_id *ids, sap_aabb *boxes, int updates) {
    test_rng rng = {9};
    sap_stats stats;
    long long steps = 0;
    for (int frame = 0; frame < updates; frame++) {
        for (int i = 0; i < LIVED; i++)
            for (int k = 0; k < 3; k++) {
                const float way = uniform(&rng, -.05f, .05f);
                boxes[i].min[k] += way;
                boxes[i].max[k] += way;
            }
        if (sap_move_many(m, LIVED, ids, boxes) != SAP_OK || sap_update(m) != SAP_OK) exit(2);
        sap_get_stats(m, &stats);
        if (updates - frame <= 4) steps += steps_of(&stats);
    }
    return steps;
}

/* One in one_in boxes had another size, in a grid that is chosen or given. After some updates these take at most 1.5
   times the steps of a new grid of the same boxes. */
static void change_sizes(int one_in, float before, float now, int is_hashed) {
    static sap_aabb boxes[LIVED], others[LIVED];
    static sap_id ids[LIVED];
    test_rng rng = {7};
    sap_config config;
    sap_grid c;
    sap_world *lived, *fresh;
    long long steps, expected;
    memset(&c, 0, sizeof c);
    memset(&config, 0, sizeof config);
    config.method = SAP_METHOD_SORT;
    c.hashed = is_hashed;
    for (int k = 0; k < 3; k++) c.cell_size[k] = 4;
    lived = sap_create(&config);
    fresh = sap_create(&config);
    if (sap_set_grid(lived, &c) != SAP_OK || sap_set_grid(fresh, &c) != SAP_OK) exit(2);
    for (int i = 0; i < LIVED; i++)
        for (int k = 0; k < 3; k++) put(&boxes[i], k, uniform(&rng, 0, 36), i % one_in ? 1 : before);
    if (sap_add_many(lived, LIVED, boxes, NULL, ids) != SAP_OK) exit(2);
    (void)tremble(lived, ids, boxes, 4);
    for (int i = 0; i < LIVED; i += one_in)
        for (int k = 0; k < 3; k++) boxes[i].max[k] = boxes[i].min[k] + now;
    steps = tremble(lived, ids, boxes, UPDATES);
    memcpy(others, boxes, sizeof boxes);
    if (sap_add_many(fresh, LIVED, others, NULL, ids) != SAP_OK) exit(2);
    expected = tremble(fresh, ids, others, 5);
    CHECK_MESSAGE(steps <= 1.5 * (double)expected + 4 * LIVED, "one in %d from %g to %g, hashed %d: %lld, new %lld",
                  one_in, (double)before, (double)now, is_hashed, steps, expected);
    sap_destroy(lived);
    sap_destroy(fresh);
}

int main(int argc, char **argv) {
    int sizes[2] = {800, 4000};
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = 1;
        else if (strspn(argv[i], "0123456789") == strlen(argv[i]))
            sizes[0] = sizes[1] = atoi(argv[i]);
        else
            only = argv[i];
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (only && !strstr(shapes[i].name, only)) continue;
        for (int j = 0; j < 2 && (j == 0 || sizes[j] != sizes[0]); j++) {
            measure(&shapes[i], sizes[j], .01f);
            measure(&shapes[i], sizes[j], .1f);
        }
    }
    for (int is_hashed = 0; is_hashed < 2 && !only; is_hashed++) {
        change_sizes(1, 1, 6, is_hashed);
        change_sizes(1, 6, 1, is_hashed);
        change_sizes(20, 1, 20, is_hashed);
        change_sizes(20, 20, 1, is_hashed);
    }
    return test_summary();
}
