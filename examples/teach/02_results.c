/*
Shows what a broad phase returns and what it keeps: direct or incremental, from scratch or persistent (Terdiman I.1).

    cc -I../.. -I.. -o 02_results 02_results.c -lm && ./02_results

Direct results are all pairs, in each frame; incremental ones are the pairs that begin and those that end. From scratch
(the paper: brute-force) means that a frame knows nothing of the last one; persistent means that something is kept, here
sorted ends. These are two questions, so there are four kinds of broad phase, and all of them find the same:

    from scratch, direct         box pruning: one sweep, and its hits are the result (see 09_pruning)
    from scratch, incremental    the same, and the sorted pairs of two frames are compared
    persistent, direct           V-Collide: sorted ends, and the user gets the list of pairs
    persistent, incremental      sap.h: sap_update, sap_created and sap_deleted; sap_pairs has the direct result, too

2000 boxes in the plane; in each line more of them walk, and the last two figures are the work of a frame: the tests of a
sweep, and the ends that others pass in insertion sort. From scratch all is found again, whether it changed or not. What is
persistent costs in proportion to motion, down to nothing where nothing moves: that is temporal coherence.
It draws 02_results.svg or the file you name. A frame is a mean of ten. It prints:

    boxes that    direct:  incremental:      from scratch:     persistent:
          walk      pairs  begin    end     tests of sweep     ends passed
             0       2205      0      0              66061               0
             2       2204      0      0              66062              28
            20       2204      3      3              66062             254
           200       2215     21     21              66016            2555
          2000       2203    147    146              65969           17528
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { BOXES = 2000, ENDS = 2 * BOXES, FRAMES = 10, LINES = 5, MOST_PAIRS = 10000 };
static const int walkers[LINES] = {0, 2, 20, 200, 2000};
#define SIDE 60.0f /* of the world; a box is 1 wide */
#define STEP 0.1f

static sap_aabb boxes[BOXES];

/* ---- from scratch: a sweep, and the pairs of two frames ------------------------------------------------------------- */

typedef struct pair_list {
    uint32_t pairs[MOST_PAIRS]; /* lower box << 16 | higher box */
    int count;
} pair_list;

static pair_list lists[2], *list; /* of this frame and of the last one; the one that is filled */

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void collect(int box, const int *candidates, int count) {
    for (int i = 0; i < count; i++) {
        const uint32_t a = (uint32_t)box, b = (uint32_t)candidates[i];
        if (teach_overlap(&boxes[a], &boxes[b]) && list->count < MOST_PAIRS)
            list->pairs[list->count++] = a < b ? a << 16 | b : b << 16 | a;
    }
}

/* Fills the list with the pairs of this frame, sorted. Returns the number of tests. */
static long long find_pairs(pair_list *into) {
    static int order[BOXES];
    list = into;
    list->count = 0;
    const long long tests = teach_sweep(boxes, order, BOXES, 0, collect);
    qsort(list->pairs, (size_t)list->count, sizeof *list->pairs, ascending);
    return tests;
}

/* The incremental result from two direct ones: both are walked at once, as in a merge. */
static void compare(const pair_list *before, const pair_list *now, int *begin, int *end) {
    int i = 0, j = 0;
    *begin = *end = 0;
    while (i < before->count || j < now->count) {
        const uint64_t old = i < before->count ? before->pairs[i] : UINT64_MAX;
        const uint64_t new_one = j < now->count ? now->pairs[j] : UINT64_MAX;
        *end += old < new_one;
        *begin += new_one < old;
        i += old <= new_one;
        j += new_one <= old;
    }
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

typedef struct means { /* of a frame */
    double pairs, begin, end, tests, passes;
} means;

static means run(int moving) {
    static teach_end ends[2][ENDS];
    means m = {0, 0, 0, 0, 0};
    teach_state = 7;
    teach_scatter(boxes, BOXES, SIDE, SIDE, 0);
    for (int axis = 0; axis < 2; axis++) teach_ends(ends[axis], boxes, BOXES, axis, 0);
    find_pairs(&lists[0]);
    for (int frame = 1; frame <= FRAMES; frame++) {
        pair_list *now = &lists[frame % 2];
        int begin, end;
        for (int i = 0; i < moving; i++) teach_walk(&boxes[i], 2, STEP);
        m.tests += (double)find_pairs(now) / FRAMES;
        compare(&lists[1 - frame % 2], now, &begin, &end);
        for (int axis = 0; axis < 2; axis++) {
            teach_refresh(ends[axis], ENDS, boxes, axis);
            m.passes += (double)teach_sort(ends[axis], ENDS) / FRAMES;
        }
        m.pairs += (double)now->count / FRAMES;
        m.begin += (double)begin / FRAMES;
        m.end += (double)end / FRAMES;
    }
    return m;
}

/* A bar is logarithmic, and 2 long for less than 1. */
static void draw_bar(svg *p, double y, double value, const char *style) {
    const float length = value < 1 ? 2 : 2 + 90 * (float)log10(value);
    const float min[2] = {250, (float)y}, max[2] = {250 + length, (float)y + 18};
    svg_box(p, min, max, style);
    svg_text(p, (double)max[0] + 8, y + 14, 14, SVG_WORD, "%.0f", value);
}

int main(int argc, char **argv) {
    svg p = svg_open(argc > 1 ? argv[1] : "02_results.svg", 820, 640, "The work of a frame, and what is new in it");
    svg_key(&p, 40, 72, "fill:#6fcf75", "from scratch: tests of a sweep");
    svg_key(&p, 310, 72, "fill:#ff7b6b", "persistent: ends passed");
    svg_key(&p, 540, 72, "fill:#ffd877", "pairs that begin or end");
    printf("boxes that    direct:  incremental:      from scratch:     persistent:\n");
    printf("      walk      pairs  begin    end     tests of sweep     ends passed\n");
    for (int i = 0; i < LINES; i++) {
        const double y = 120 + 98 * i;
        const means m = run(walkers[i]);
        printf("%10d %10.0f %6.0f %6.0f %18.0f %15.0f\n", walkers[i], m.pairs, m.begin, m.end, m.tests, m.passes);
        svg_text(&p, 40, y + 34, 16, SVG_TITLE, "%d of %d walk", walkers[i], BOXES);
        draw_bar(&p, y, m.tests, "fill:#6fcf75");
        draw_bar(&p, y + 24, m.passes, "fill:#ff7b6b");
        draw_bar(&p, y + 48, m.begin + m.end, "fill:#ffd877");
    }
    svg_text(&p, 40, 620, 14, SVG_WORD, "Bars are logarithmic: each tenfold is as much longer.");
    svg_close(&p);
    return 0;
}
