/*
Shows how box pruning finds all pairs in one sweep along one axis, of one set or of two (Terdiman I.4c).

    cc -I../.. -I.. -I/usr/include/stb -o 03_pruning 03_pruning.c -lm && ./03_pruning

Complete pruning tests the boxes of one set, bipartite pruning those of one set against those of another: here the boxes
that are new against the old ones, as after a batch (see 02_batch). The paper does both for a batch, so that pairs of old
boxes are left alone. How many tests a sweep makes depends on the axis. sap_box_prune finds the same pairs, but does not
sweep any more: see 09_join. It draws moments of both sweeps in 03_pruning.svg or the file you name. It prints:

    Sorted by min x, each box tests those that begin before it ends (=); ! they overlap:
      A  ..==C=B===..............................  C B!
      C  ....==B==...............................  B
      B  ......=====D==..........................  D!
      D  ...........====E=F=.....................  E F!
      E  ...............==F===...................  F
      F  .................=====G=H=..............  G H!
      G  ......................==H==I=...........  H I!
      H  ........................===I====........  I
      I  ...........................======J=.....  J!
      J  .................................======.

    Bipartite, C D H against the others: each tests only those of the other set:
      A  ..==C=====..............................  C
      C  ....==B==...............................  B
      B  ......=====D==..........................  D!
      D  ...........====E=F=.....................  E F!
      E  ...............======...................
      F  .................=======H=..............  H!
      G  ......................==H====...........  H
      H  ........................===I====........  I

    tests                  all pairs   along x   along y  overlaps   sap.h's
    these ten                     45        13        27         6         6
    2000 in a square         1999000     66061     65948      2205      2205
    2000 in a street         1999000      5543    725823      1987      1987

    100 with 1900, square     190000      6337      6399       211       211
    500 with 1500, square     750000     24913     24972       865       865
    500 with 1500, street     750000      2133    273098       706       706
*/
#include <stdint.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { FEW = 10, MANY = 2000, NEW = 500, WIDTH = 40 };
#define IN_VAIN "stroke:#ffab5c;stroke-width:2.5"
#define DARK "fill:#10151c"
#define IS_NEW "fill:#8a5a9e;stroke:#10151c"

static const sap_aabb few[FEW] = {
    {{2, 1}, {9, 6}},     {{6, 4}, {13, 9}},  {{4, 12}, {8, 17}},   {{11, 7}, {18, 13}}, {{15, 1}, {20, 5}},
    {{17, 11}, {25, 16}}, {{22, 2}, {28, 8}}, {{24, 14}, {31, 18}}, {{27, 6}, {34, 11}}, {{33, 2}, {38, 16}},
};

typedef struct sweep {
    long long tests, hits;
    void (*say)(int asking, const int *candidates, int count); /* may be NULL */
} sweep;

static const int some_new[3] = {2, 3, 7}, some_old[7] = {0, 1, 4, 5, 6, 8, 9}; /* C D H, and the others */

static const sap_aabb *sorting;
static int sorting_axis;

static int by_min(const void *a, const void *b) {
    float x = sorting[*(const int *)a].min[sorting_axis], y = sorting[*(const int *)b].min[sorting_axis];
    return (x > y) - (x < y);
}

static int overlap_on(const sap_aabb *a, const sap_aabb *b, int axis) {
    return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
}

/* Boxes order[0 .. n - 1] by their mins. */
static void sort_by_min(const sap_aabb *boxes, int *order, int n, int axis) {
    sorting = boxes;
    sorting_axis = axis;
    qsort(order, (size_t)n, sizeof *order, by_min);
}

/* Complete box pruning of boxes in the plane: sorted by their mins along 'axis', each box tests only those that begin
   before it ends. What begins later cannot reach it, nor can anything after that. */
static sweep prune(const sap_aabb *boxes, int n, int axis, void (*say)(int, const int *, int)) {
    static int order[MANY], candidates[MANY];
    sweep s = {0, 0, say};
    for (int i = 0; i < n; i++) order[i] = i;
    sort_by_min(boxes, order, n, axis);
    for (int i = 0; i < n; i++) {
        const sap_aabb *box = &boxes[order[i]];
        int count = 0;
        for (int j = i + 1; j < n && boxes[order[j]].min[axis] <= box->max[axis]; j++) {
            candidates[count++] = order[j];
            s.hits += overlap_on(box, &boxes[order[j]], 1 - axis); /* on 'axis' they do overlap */
        }
        s.tests += count;
        if (say) say(order[i], candidates, count);
    }
    return s;
}

/* Bipartite box pruning of the boxes a[] and b[]: both are sorted, and walked at once as in a merge. Whichever box begins
   first tests those of the other set that begin before it ends; those further left had their turn already. */
static sweep prune_two(const sap_aabb *boxes, int *a, int na, int *b, int nb, int axis,
                       void (*say)(int, const int *, int)) {
    sweep s = {0, 0, say};
    int at[2] = {0, 0}, *const set[2] = {a, b};
    const int size[2] = {na, nb};
    for (int k = 0; k < 2; k++) sort_by_min(boxes, set[k], size[k], axis);
    while (at[0] < na && at[1] < nb) {
        const int k = boxes[a[at[0]]].min[axis] > boxes[b[at[1]]].min[axis]; /* the set whose box begins first */
        const int asking = set[k][at[k]++], *others = &set[!k][at[!k]], left = size[!k] - at[!k];
        int count = 0;
        for (; count < left && boxes[others[count]].min[axis] <= boxes[asking].max[axis]; count++)
            s.hits += overlap_on(&boxes[asking], &boxes[others[count]], 1 - axis);
        s.tests += count;
        if (say) say(asking, others, count);
    }
    return s;
}

static svg picture;
static int moment, bipartite;

static int is_new(int box) {
    for (int i = 0; i < 3; i++)
        if (some_new[i] == box) return 1;
    return 0;
}

/* One moment: the band that the testing box covers, the candidates in it, and which of them it overlaps. */
static void draw(int asking, const int *candidates, int count) {
    const float band_min[2] = {few[asking].min[0], 0}, band_max[2] = {few[asking].max[0], 20};
    svg_begin_panel(&picture, 40 + moment % 2 * 450, 110 + moment / 2 * 270 + (bipartite ? 35 : 0), 430, 240, -1, -1,
                    10.5);
    svg_box(&picture, band_min, band_max, "fill:#8fa3ba;fill-opacity:.14");
    for (int i = 0; i < FEW; i++) {
        const char *style = i == asking ? "fill:#e8eef6" : bipartite && is_new(i) ? IS_NEW : SVG_PLAIN;
        const char *letter = i == asking ? DARK : SVG_TITLE;
        for (int k = 0; k < count; k++)
            if (candidates[k] == i && overlap_on(&few[i], &few[asking], 1)) {
                style = SVG_LIT;
                letter = DARK;
            }
        svg_box(&picture, few[i].min, few[i].max, style);
        svg_text(&picture, (double)few[i].min[0] + .4, (double)few[i].min[1] + 1.7, 15, letter, "%c", 'A' + i);
    }
    for (int k = 0; k < count; k++)
        if (!overlap_on(&few[candidates[k]], &few[asking], 1))
            svg_box(&picture, few[candidates[k]].min, few[candidates[k]].max, "fill:none;" IN_VAIN);
    svg_end_panel(&picture);
    moment++;
}

static void say(int asking, const int *candidates, int count) {
    char line[WIDTH + 1] = "";
    for (int x = 0; x < WIDTH; x++) line[x] = '.';
    for (int x = (int)few[asking].min[0]; x <= (int)few[asking].max[0]; x++) line[x] = '=';
    for (int k = 0; k < count; k++) line[(int)few[candidates[k]].min[0]] = (char)('A' + candidates[k]);
    printf("  %c  %s", 'A' + asking, line);
    for (int k = 0; k < count; k++)
        printf("%s%c%s", k ? " " : "  ", 'A' + candidates[k],
               overlap_on(&few[asking], &few[candidates[k]], 1) ? "!" : "");
    printf("\n");
    if (bipartite ? asking == 3 || asking == 6 : asking == 0 || asking == 1 || asking == 3 || asking == 7)
        draw(asking, candidates, count);
}

/* Boxes at random in a rectangle: a square, or a long street. */
static void scatter(sap_aabb *boxes, int n, float width, float height) {
    uint32_t state = 7;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            state = state * 1664525u + 1013904223u;
            boxes[i].min[k] = (float)(state >> 8) / 16777216.0f * (k ? height : width);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
}

static void show_counts(const char *name, const sap_aabb *boxes, int n) {
    sweep x = prune(boxes, n, 0, NULL), y = prune(boxes, n, 1, NULL);
    printf("%-22s %9d %9lld %9lld %9lld %9lld\n", name, n * (n - 1) / 2, x.tests, y.tests, x.hits,
           sap_box_prune(boxes, n, SAP_2D, NULL, NULL));
}

/* The last 'fresh' of n boxes are new. */
static void show_counts_of_two(const char *name, const sap_aabb *boxes, int n, int fresh) {
    static int a[NEW], b[MANY];
    sweep along[2];
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < n; i++) *(i < n - fresh ? &b[i] : &a[i - (n - fresh)]) = i;
        along[axis] = prune_two(boxes, a, fresh, b, n - fresh, axis, NULL);
    }
    printf("%-22s %9d %9lld %9lld %9lld %9lld\n", name, fresh * (n - fresh), along[0].tests, along[1].tests,
           along[0].hits, sap_box_prune_bipartite(&boxes[n - fresh], fresh, boxes, n - fresh, SAP_2D, NULL, NULL));
}

int main(int argc, char **argv) {
    static sap_aabb many[MANY];
    int a[3], b[7];
    picture = svg_open(argc > 1 ? argv[1] : "03_pruning.svg", 960, 960, "A sweep along x, at six moments");
    svg_key(&picture, 40, 68, "fill:#e8eef6", "tests those that begin in its band");
    svg_key(&picture, 330, 68, SVG_LIT, "tested, and it overlaps");
    svg_key(&picture, 550, 68, "fill:#4d6a8c;" IN_VAIN, "tested in vain");
    svg_key(&picture, 725, 68, IS_NEW, "new: in the other set");
    printf("Sorted by min x, each box tests those that begin before it ends (=); ! they overlap:\n");
    prune(few, FEW, 0, say);
    bipartite = 1;
    svg_text(&picture, 40, 665, 15, SVG_WORD, "bipartite: C, D and H are new, and no two old ones are tested");
    printf("\nBipartite, C D H against the others: each tests only those of the other set:\n");
    memcpy(a, some_new, sizeof a);
    memcpy(b, some_old, sizeof b);
    prune_two(few, a, 3, b, 7, 0, say);
    printf("\n%-22s %9s %9s %9s %9s %9s\n", "tests", "all pairs", "along x", "along y", "overlaps", "sap.h's");
    show_counts("these ten", few, FEW);
    scatter(many, MANY, 60, 60);
    show_counts("2000 in a square", many, MANY);
    scatter(many, MANY, 720, 5);
    show_counts("2000 in a street", many, MANY);
    scatter(many, MANY, 60, 60);
    printf("\n");
    show_counts_of_two("100 with 1900, square", many, MANY, 100);
    show_counts_of_two("500 with 1500, square", many, MANY, NEW);
    scatter(many, MANY, 720, 5);
    show_counts_of_two("500 with 1500, street", many, MANY, NEW);
    svg_close(&picture);
    return 0;
}
