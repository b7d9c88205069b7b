/*
Shows what sap.h does instead of a sweep: it joins a tree of bounds with itself, or with another (for Terdiman I.4c).

    cc -I../.. -I.. -o 10_join 10_join.c -lm && ./10_join

A sweep tests all boxes that overlap along one axis, and in a larger world of equal density there are more of them. Here
boxes are sorted so that neighbours in the array are neighbours in space: by x into slices, and in each slice by y,
upwards and downwards in turn. Sixteen make a leaf, sixteen leaves a node, and so on, each with the bounds of what is
below it: a bounding volume hierarchy, packed at once (STR). Two nodes whose bounds are apart need no further test; of
those that overlap the children are joined, down to boxes. So a box is compared with boxes that are near on both axes,
however large the world is, and these are side by side in memory, sixteen at a time. The program is a sketch in the
plane; sap_box_prune and SAP_METHOD_PRUNE do it with SIMD, so a step of sixteen is a few instructions.
It draws 10_join.svg or the file you name. It prints:

    boxes, equally dense       pairs    sweep along x           join   join, rounds of 16   (tests a box)
    500                          552           16.3           14.6            1.5
    2000                        2140           33.0           16.9            1.6
    8000                        8789           66.5           17.2            1.6
    32000                      35246          133.1           17.6            1.7

    bipartite
    50 new, 500 old              101           31.5          175.7           12.0
    200 new, 2000 old            408           63.0          190.6           12.2
    800 new, 8000 old           1662          126.7          193.9           12.2
    3200 new, 32000 old         6452          253.5          201.9           12.7
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { WIDE = 16, MOST = 32000, MOST_NODES = 2500, LEVELS = 5, DRAWN = 250 };

/* ---- the tree ------------------------------------------------------------------------------------------------------ */

typedef struct tree {
    sap_aabb *boxes;                    /* in the order of the leaves */
    sap_aabb nodes[LEVELS][MOST_NODES]; /* bounds, level 0 being the leaves */
    int count[LEVELS], n, levels;
} tree;

static long long tests, rounds; /* pairs of bounds or boxes tested; rounds of up to sixteen tests at once */

static int by_x(const void *a, const void *b) {
    float x = ((const sap_aabb *)a)->min[0], y = ((const sap_aabb *)b)->min[0];
    return (x > y) - (x < y);
}

static int by_y(const void *a, const void *b) {
    float x = ((const sap_aabb *)a)->min[1], y = ((const sap_aabb *)b)->min[1];
    return (x > y) - (x < y);
}

static int by_y_down(const void *a, const void *b) {
    return by_y(b, a);
}

static void widen(sap_aabb *bounds, const sap_aabb *by, int first) {
    for (int k = 0; k < 2; k++) {
        if (first || by->min[k] < bounds->min[k]) bounds->min[k] = by->min[k];
        if (first || by->max[k] > bounds->max[k]) bounds->max[k] = by->max[k];
    }
}

/* Sorts the boxes of t, and makes the bounds above them. */
static void pack(tree *t) {
    const int leaves = (t->n + WIDE - 1) / WIDE, slices = (int)ceil(sqrt(leaves));
    const int in_slice = WIDE * ((leaves + slices - 1) / slices);
    qsort(t->boxes, (size_t)t->n, sizeof *t->boxes, by_x);
    for (int from = 0, slice = 0; from < t->n; from += in_slice, slice++) {
        const int size = t->n - from < in_slice ? t->n - from : in_slice;
        qsort(&t->boxes[from], (size_t)size, sizeof *t->boxes, slice % 2 ? by_y_down : by_y);
    }
    const sap_aabb *below = t->boxes;
    int count = t->n;
    t->levels = 0;
    do {
        sap_aabb *here = t->nodes[t->levels];
        for (int i = 0; i < count; i++) widen(&here[i / WIDE], &below[i], i % WIDE == 0);
        below = here;
        count = t->count[t->levels++] = (count + WIDE - 1) / WIDE;
    } while (count > 1);
}

/* Returns bounds 'level' levels above the boxes: 0 a box, 1 a leaf. */
static const sap_aabb *at(const tree *t, int level, int i) {
    return level ? &t->nodes[level - 1][i] : &t->boxes[i];
}

static int end_of(const tree *t, int level, int i) { /* returns the index after the last child of node i */
    const int count = level > 1 ? t->count[level - 2] : t->n, end = (i + 1) * WIDE;
    return end < count ? end : count;
}

/* Joins node i of a with node j of b, which overlap or are the same. Returns the number of pairs of boxes below. */
static long long join(const tree *a, int level_a, int i, const tree *b, int level_b, int j) {
    const int same = a == b && level_a == level_b && i == j;
    long long pairs = 0;
    if (level_a == 0 && level_b == 0) return 1;
    if (level_a < level_b) return join(b, level_b, j, a, level_a, i); /* the higher one is opened */
    if (level_a > level_b) {
        rounds++;
        for (int child = i * WIDE; child < end_of(a, level_a, i); child++) {
            tests++;
            if (teach_overlap(at(a, level_a - 1, child), at(b, level_b, j)))
                pairs += join(a, level_a - 1, child, b, level_b, j);
        }
        return pairs;
    }
    for (int child = i * WIDE; child < end_of(a, level_a, i); child++) {
        if (same) {
            if (level_a > 1) pairs += join(a, level_a - 1, child, b, level_b - 1, child);
        } else {
            tests++;
            if (!teach_overlap(at(a, level_a - 1, child), at(b, level_b, j))) continue;
        }
        rounds++; /* this child against all of the other node's */
        for (int other = same ? child + 1 : j * WIDE; other < end_of(b, level_b, j); other++) {
            tests++;
            if (teach_overlap(at(a, level_a - 1, child), at(b, level_b - 1, other)))
                pairs += join(a, level_a - 1, child, b, level_b - 1, other);
        }
    }
    if (!same) rounds++; /* the children of a against the bounds of node j */
    return pairs;
}

/* ---- the sweep that it is compared with ---------------------------------------------------------------------------- */

static sap_aabb boxes[MOST + MOST / 10], set_a[MOST], set_b[MOST]; /* set_a and set_b are sorted by pack */
static int order_a[MOST], order_b[MOST];
static tree tree_a, tree_b;
static long long hits;

static void count_hits(int box, const int *candidates, int count) {
    for (int i = 0; i < count; i++) hits += teach_overlap(&boxes[box], &boxes[candidates[i]]);
}

/* Makes n boxes, equally dense for any n. */
static void scatter(int n) {
    const float side = 60 * sqrtf((float)n / 2000);
    teach_scatter(boxes, n, side, side, 0);
    hits = tests = rounds = 0;
}

static void make_tree(tree *t, sap_aabb *set, int from, int n) {
    memcpy(set, &boxes[from], (size_t)n * sizeof *set);
    t->boxes = set;
    t->n = n;
    pack(t);
}

/* Returns 1 if the join has found the pairs of the sweep. */
static int print_line(const char *name, int n, long long pairs, long long swept) {
    printf("%-22s %9lld %14.1f %14.1f %14.1f%s\n", name, pairs, (double)swept / n, (double)tests / n,
           (double)rounds / n, pairs == hits ? "" : "  WRONG");
    return pairs == hits;
}

static int show_complete(int n) {
    char name[40];
    scatter(n);
    make_tree(&tree_a, set_a, 0, n);
    const long long swept = teach_sweep(boxes, order_a, n, 0, count_hits);
    const long long pairs = join(&tree_a, tree_a.levels, 0, &tree_a, tree_a.levels, 0);
    snprintf(name, sizeof name, "%d", n);
    return print_line(name, n, pairs, swept);
}

static int show_bipartite(int fresh, int old) {
    char name[40];
    scatter(fresh + old);
    make_tree(&tree_a, set_a, 0, fresh);
    make_tree(&tree_b, set_b, fresh, old);
    for (int i = 0; i < fresh; i++) order_a[i] = i;
    for (int i = 0; i < old; i++) order_b[i] = fresh + i;
    const long long swept = teach_sweep_two(boxes, order_a, fresh, order_b, old, 0, count_hits);
    const long long pairs = join(&tree_a, tree_a.levels, 0, &tree_b, tree_b.levels, 0);
    snprintf(name, sizeof name, "%d new, %d old", fresh, old);
    return print_line(name, fresh, pairs, swept);
}

/* ---- the picture --------------------------------------------------------------------------------------------------- */

#define TESTED "fill:#e0a458;fill-opacity:.75"
#define IDLE "fill:#4d6a8c;fill-opacity:.55"
#define LEAF "fill:none;stroke:#57b894;stroke-width:1.2"

/* Draws one leaf and the boxes that its own are tested against; on the right those that a sweep tests them against. */
static void draw(const char *path) {
    svg p = svg_open(path, 1120, 660, "What sixteen boxes are tested against");
    scatter(DRAWN);
    make_tree(&tree_a, set_a, 0, DRAWN);
    const int leaf = tree_a.count[0] / 2;
    const sap_aabb *mine = &tree_a.nodes[0][leaf];
    svg_text(&p, 40, 84, 16, SVG_WORD, "join: leaves that overlap its own (green: bounds of leaves)");
    svg_text(&p, 590, 84, 16, SVG_WORD, "sweep: all that overlap them along x");
    for (int way = 0; way < 2; way++) {
        svg_begin_panel(&p, 40 + 550 * way, 100, 520, 520, -1, -1, 22.5);
        for (int i = 0; i < DRAWN; i++) {
            const sap_aabb *box = &set_a[i], *of = &tree_a.nodes[0][i / WIDE];
            int tested = way == 0 && teach_overlap(of, mine) && teach_overlap(box, mine);
            for (int k = leaf * WIDE; way == 1 && k < leaf * WIDE + WIDE; k++)
                tested |= box->min[0] <= set_a[k].max[0] && set_a[k].min[0] <= box->max[0];
            svg_box(&p, box->min, box->max, i / WIDE == leaf ? "fill:#e8eef6" : tested ? TESTED : IDLE);
        }
        for (int l = 0; l < tree_a.count[0] && way == 0; l++)
            svg_box(&p, tree_a.nodes[0][l].min, tree_a.nodes[0][l].max,
                    l == leaf ? "fill:none;stroke:#fff;stroke-width:2.5" : LEAF);
        svg_end_panel(&p);
    }
    svg_key(&p, 40, 632, "fill:#e8eef6", "boxes of one leaf");
    svg_key(&p, 230, 632, TESTED, "tested against some of them");
    svg_close(&p);
}

int main(int argc, char **argv) {
    int good = 1;
    printf("boxes, equally dense       pairs    sweep along x           join   join, rounds of 16   (tests a box)\n");
    for (int n = 500; n <= MOST; n *= 4) good &= show_complete(n);
    printf("\nbipartite\n");
    for (int n = 500; n <= MOST; n *= 4) good &= show_bipartite(n / 10, n);
    draw(argc > 1 ? argv[1] : "10_join.svg");
    return !good;
}
