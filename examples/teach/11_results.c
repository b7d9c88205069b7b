/*
Shows what a broad phase returns and what it keeps: direct or incremental, from scratch or persistent (Terdiman I.1).

    cc -I../.. -I.. -I/usr/include/stb -o 11_results 11_results.c -lm && ./11_results

Direct results are all pairs, in each frame; incremental ones are the pairs that begin and those that end. From scratch
(the paper: brute-force) means that a frame knows nothing of the last one; persistent means that something is kept, here
sorted ends. These are two questions, so there are four kinds of broad phase, and all of them find the same:

    from scratch, direct         box pruning: one sweep, and its hits are the result (see 03_pruning)
    from scratch, incremental    the same, and the sorted pairs of two frames are compared
    persistent, direct           V-Collide: sorted ends, and the user gets the list of pairs
    persistent, incremental      sap.h: sap_update, sap_created and sap_deleted; sap_pairs has the direct result, too

2000 boxes in the plane; in each line more of them walk, and the last two figures are the work of a frame: the tests of a
sweep, and the ends that others pass in insertion sort. From scratch all is found again, whether it changed or not. What is
persistent costs in proportion to motion, down to nothing where nothing moves: that is temporal coherence.
It draws 11_results.svg or the file you name. A frame is a mean of ten. It prints:

    boxes that    direct:  incremental:      from scratch:     persistent:
          walk      pairs  begin    end     tests of sweep     ends passed
             0       2205      0      0              66061               0
             2       2204      0      0              66062              28
            20       2204      3      3              66062             254
           200       2215     21     21              66016            2555
          2000       2203    147    146              65969           17529
*/
#include <math.h>
#include <stdint.h>
#include <string.h>

static long long passes; /* SAP_TRACE: an end passes another */
#define SAP_TRACE(step, axis, id0, id1) (passes += (step) == SAP_STEP_PASS, (void)(axis), (void)(id0), (void)(id1))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "svg.h"

enum { BOXES = 2000, FRAMES = 10, LINES = 5, MOST_PAIRS = 10000 };
static const int walkers[LINES] = {0, 2, 20, 200, 2000};
#define SIDE 60.0f /* of the world; a box is 1 wide */
#define STEP 0.1f

static sap_aabb boxes[BOXES];
static sap_id ids[BOXES];
static uint32_t state;

static float random_in(float low, float high) {
    state = state * 1664525u + 1013904223u;
    const float part = (float)(state >> 8) / 16777216.0f * (high - low);
    return low + part; /* in two steps: in one, some compilers round once and others twice */
}

static void scatter(void) {
    state = 7;
    for (int i = 0; i < BOXES; i++)
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] = random_in(0, SIDE);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
}

static void walk(int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] += random_in(-STEP, STEP);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
}

/* ---- from scratch ------------------------------------------------------------------------------------------------- */

typedef struct pair_list {
    uint32_t pairs[MOST_PAIRS]; /* lower box << 16 | higher box */
    int count;
} pair_list;

static int by_min(const void *a, const void *b) {
    const float x = boxes[*(const int *)a].min[0], y = boxes[*(const int *)b].min[0];
    return x != y ? (x > y) - (x < y) : *(const int *)a - *(const int *)b;
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Fills the list with the pairs of this frame, sorted. Returns the number of tests. */
static long long sweep(pair_list *list) {
    static int order[BOXES];
    long long tests = 0;
    list->count = 0;
    for (int i = 0; i < BOXES; i++) order[i] = i;
    qsort(order, BOXES, sizeof *order, by_min);
    for (int i = 0; i < BOXES; i++) {
        const sap_aabb *a = &boxes[order[i]];
        for (int j = i + 1; j < BOXES && boxes[order[j]].min[0] <= a->max[0]; j++) {
            const sap_aabb *b = &boxes[order[j]];
            const uint32_t low = (uint32_t)(order[i] < order[j] ? order[i] : order[j]);
            const uint32_t high = (uint32_t)(order[i] < order[j] ? order[j] : order[i]);
            tests++;
            if (a->min[1] <= b->max[1] && b->min[1] <= a->max[1] && list->count < MOST_PAIRS)
                list->pairs[list->count++] = low << 16 | high;
        }
    }
    qsort(list->pairs, (size_t)list->count, sizeof *list->pairs, ascending);
    return tests;
}

/* The incremental result from two direct ones: both are walked at once, as in a merge. */
static void compare(const pair_list *before, const pair_list *now, int *begin, int *end) {
    int i = 0, j = 0;
    *begin = *end = 0;
    while (i < before->count || j < now->count) {
        const int has_before = i < before->count, has_now = j < now->count;
        if (has_before && has_now && before->pairs[i] == now->pairs[j]) {
            i++;
            j++;
        } else if (has_before && (!has_now || before->pairs[i] < now->pairs[j])) {
            (*end)++;
            i++;
        } else {
            (*begin)++;
            j++;
        }
    }
}

/* ---- both, beside each other ------------------------------------------------------------------------------------- */

typedef struct means {
    double pairs, begin, end, tests, passes;
} means;

/* Returns whether both find the same. */
static int run(int moving, means *m) {
    static pair_list lists[2];
    const sap_config config = {.axes = SAP_2D, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    int same = 1;
    memset(m, 0, sizeof *m);
    scatter();
    sap_add_many(world, BOXES, boxes, NULL, ids);
    sap_update(world);
    sweep(&lists[0]);
    for (int frame = 1; frame <= FRAMES; frame++) {
        pair_list *now = &lists[frame % 2];
        int begin, end, created, deleted, pairs;
        walk(moving);
        const long long tests = sweep(now);
        compare(&lists[1 - frame % 2], now, &begin, &end);
        passes = 0;
        sap_move_many(world, moving, ids, boxes);
        sap_update(world);
        sap_created(world, &created);
        sap_deleted(world, &deleted);
        sap_pairs(world, &pairs);
        same &= created == begin && deleted == end && pairs == now->count;
        m->pairs += (double)pairs / FRAMES;
        m->begin += (double)begin / FRAMES;
        m->end += (double)end / FRAMES;
        m->tests += (double)tests / FRAMES;
        m->passes += (double)passes / FRAMES;
    }
    sap_destroy(world);
    return same;
}

/* The length of a bar: logarithmic, and 0 for less than 1. */
static float bar(double value) {
    return value < 1 ? 2 : 2 + 90 * (float)log10(value);
}

static void draw_bar(svg *p, double y, double value, const char *style) {
    const float min[2] = {250, (float)y}, max[2] = {250 + bar(value), (float)y + 18};
    svg_box(p, min, max, style);
    svg_text(p, (double)max[0] + 8, y + 14, 14, SVG_WORD, "%.0f", value);
}

int main(int argc, char **argv) {
    int good = 1;
    svg p = svg_open(argc > 1 ? argv[1] : "11_results.svg", 820, 640, "The work of a frame, and what is new in it");
    svg_key(&p, 40, 72, "fill:#6fcf75", "from scratch: tests of a sweep");
    svg_key(&p, 310, 72, "fill:#ff7b6b", "persistent: ends passed");
    svg_key(&p, 540, 72, "fill:#ffd877", "pairs that begin or end");
    printf("boxes that    direct:  incremental:      from scratch:     persistent:\n");
    printf("      walk      pairs  begin    end     tests of sweep     ends passed\n");
    for (int i = 0; i < LINES; i++) {
        const double y = 120 + 98 * i;
        means m;
        const int same = run(walkers[i], &m);
        printf("%10d %10.0f %6.0f %6.0f %18.0f %15.0f%s\n", walkers[i], m.pairs, m.begin, m.end, m.tests, m.passes,
               same ? "" : "  NOT the same");
        good &= same;
        svg_text(&p, 40, y + 34, 16, SVG_TITLE, "%d of %d walk", walkers[i], BOXES);
        draw_bar(&p, y, m.tests, "fill:#6fcf75");
        draw_bar(&p, y + 24, m.passes, "fill:#ff7b6b");
        draw_bar(&p, y + 48, m.begin + m.end, "fill:#ffd877");
    }
    svg_text(&p, 40, 620, 14, SVG_WORD,
             "Bars are logarithmic: each tenfold is as much longer. All four kinds of result agree.");
    svg_close(&p);
    return !good;
}
