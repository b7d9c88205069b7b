/*
Shows the problem: which boxes overlap? Two loops find all, with n squared tests. Boxes in order need far fewer.

    cc -I../.. -I.. -o 00_loops 00_loops.c -lm && ./00_loops

A box has a min and a max on each axis. Two boxes overlap if neither ends before the other begins, on any axis: that is the
overlap test, here four comparisons in the plane. Boxes that touch overlap.
Two loops test each two boxes, n * (n - 1) / 2 in all: twice as many boxes need four times as many tests. Sorted by their
left sides, a box need not be tested with all: once one begins right of its end, all that follow do, too. It is this break
that sorting is for. The world grows with the number of boxes, so that each meets about as many others.
It draws 00_loops.svg or the file you name. It prints:

    boxes    pairs    tests of two loops    tests in order    a box
      125      112                  7750               917      7.3
      250      240                 31125              2745     11.0
      500      491                124750              7712     15.4
     1000      947                499500             22080     22.1
     2000     1910               1999000             62680     31.3
     4000     4080               7998000            177983     44.5
     8000     7841              31996000            504497     63.1
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { MOST = 8000, FEW = 14 };

static sap_aabb boxes[MOST];
static long long tests, pairs;

static int overlap(const sap_aabb *a, const sap_aabb *b) {
    tests++;
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && /* on x, and */
           a->min[1] <= b->max[1] && b->min[1] <= a->max[1];   /* on y */
}

static void two_loops(int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (overlap(&boxes[i], &boxes[j])) pairs++;
}

static int by_left(const void *a, const void *b) {
    const float x = ((const sap_aabb *)a)->min[0], y = ((const sap_aabb *)b)->min[0];
    return (x > y) - (x < y);
}

static void sorted(int n) {
    qsort(boxes, (size_t)n, sizeof *boxes, by_left);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (boxes[j].min[0] > boxes[i].max[0]) break;
            if (overlap(&boxes[i], &boxes[j])) pairs++;
        }
}

/* A line for each test, on the left those of two loops, on the right those of sorted boxes. */
static void draw(const char *path) {
    svg p = svg_open(path, 1000, 500, "Which boxes are tested: fourteen of them");
    teach_state = 3;
    teach_scatter(boxes, FEW, 13, 10, 0);
    for (int i = 0; i < FEW; i++) boxes[i].max[0] += 1, boxes[i].max[1] += .5f;
    qsort(boxes, FEW, sizeof *boxes, by_left);
    for (int way = 0; way < 2; way++) {
        svg_begin_panel(&p, 40 + 470 * way, 90, 450, 380, -.5, -.5, 28);
        for (int i = 0; i < FEW; i++) svg_box(&p, boxes[i].min, boxes[i].max, SVG_PLAIN);
        for (int i = 0; i < FEW; i++)
            for (int j = i + 1; j < FEW; j++) {
                const sap_aabb *a = &boxes[i], *b = &boxes[j];
                if (way && b->min[0] > a->max[0]) break;
                svg_line(&p, (a->min[0] + a->max[0]) / 2, (a->min[1] + a->max[1]) / 2, (b->min[0] + b->max[0]) / 2,
                         (b->min[1] + b->max[1]) / 2,
                         overlap(a, b) ? "stroke:#ffd877;stroke-width:3" : "stroke:#8fa3ba;stroke-opacity:.6");
            }
        svg_end_panel(&p);
    }
    svg_text(&p, 40, 80, 15, SVG_WORD, "two loops: each line is a test, a yellow one a pair");
    svg_text(&p, 510, 80, 15, SVG_WORD, "in order, from left to right");
    svg_close(&p);
}

int main(int argc, char **argv) {
    int good = 1;
    printf("boxes    pairs    tests of two loops    tests in order    a box\n");
    for (int n = 125; n <= MOST; n *= 2) {
        const float side = sqrtf(2 * (float)n);
        teach_scatter(boxes, n, side, side, 0);
        tests = pairs = 0;
        two_loops(n);
        const long long all_tests = tests, all_pairs = pairs;
        tests = pairs = 0;
        sorted(n);
        good &= pairs == all_pairs;
        printf("%5d %8lld %21lld %17lld %8.1f%s\n", n, all_pairs, all_tests, tests, (double)tests / n,
               pairs == all_pairs ? "" : "  WRONG");
    }
    draw(argc > 1 ? argv[1] : "00_loops.svg");
    return !good;
}
