/*
Shows how box pruning finds all pairs in one sweep along one axis (Terdiman I.4c).

    cc -I../.. -I.. -I/usr/include/stb -o 03_pruning 03_pruning.c -lm && ./03_pruning

It draws four moments of the sweep in 03_pruning.svg or the file you name. It prints:

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

    tests                  all pairs   along x   along y  overlaps   sap.h's
    these ten                     45        13        27         6         6
    2000 in a square         1999000     66061     65948      2205      2205
    2000 in a street         1999000      5543    725823      1987      1987
*/
#include <stdint.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { FEW = 10, MANY = 2000, WIDTH = 40 };
#define IN_VAIN "stroke:#ffab5c;stroke-width:2.5"
#define DARK "fill:#10151c"

static const sap_aabb few[FEW] = {
    {{2, 1}, {9, 6}},     {{6, 4}, {13, 9}},  {{4, 12}, {8, 17}},   {{11, 7}, {18, 13}}, {{15, 1}, {20, 5}},
    {{17, 11}, {25, 16}}, {{22, 2}, {28, 8}}, {{24, 14}, {31, 18}}, {{27, 6}, {34, 11}}, {{33, 2}, {38, 16}},
};

typedef struct sweep {
    long long tests, hits;
    void (*say)(int asking, const int *candidates, int count); /* may be NULL */
} sweep;

static const sap_aabb *sorting;
static int sorting_axis;

static int by_min(const void *a, const void *b) {
    float x = sorting[*(const int *)a].min[sorting_axis], y = sorting[*(const int *)b].min[sorting_axis];
    return (x > y) - (x < y);
}

static int overlap_on(const sap_aabb *a, const sap_aabb *b, int axis) {
    return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
}

/* Complete box pruning of boxes in the plane: sorted by their mins along 'axis', each box tests only those that begin
   before it ends. What begins later cannot reach it, nor can anything after that. */
static sweep prune(const sap_aabb *boxes, int n, int axis, void (*say)(int, const int *, int)) {
    static int order[MANY], candidates[MANY];
    sweep s = {0, 0, say};
    for (int i = 0; i < n; i++) order[i] = i;
    sorting = boxes;
    sorting_axis = axis;
    qsort(order, (size_t)n, sizeof *order, by_min);
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

static svg picture;
static int moment;

/* One moment: the band that the testing box covers, the candidates in it, and which of them it overlaps. */
static void draw(int asking, const int *candidates, int count) {
    const float band_min[2] = {few[asking].min[0], 0}, band_max[2] = {few[asking].max[0], 20};
    svg_begin_panel(&picture, 40 + moment % 2 * 450, 110 + moment / 2 * 270, 430, 240, -1, -1, 10.5);
    svg_box(&picture, band_min, band_max, "fill:#8fa3ba;fill-opacity:.14");
    for (int i = 0; i < FEW; i++) {
        const char *style = i == asking ? "fill:#e8eef6" : SVG_PLAIN, *letter = i == asking ? DARK : SVG_TITLE;
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
    if (asking == 0 || asking == 1 || asking == 3 || asking == 7) draw(asking, candidates, count);
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

int main(int argc, char **argv) {
    static sap_aabb many[MANY];
    picture = svg_open(argc > 1 ? argv[1] : "03_pruning.svg", 960, 660, "A sweep along x, at four moments");
    svg_key(&picture, 40, 68, "fill:#e8eef6", "tests those that begin in its band");
    svg_key(&picture, 330, 68, SVG_LIT, "tested, and it overlaps");
    svg_key(&picture, 550, 68, "fill:#4d6a8c;" IN_VAIN, "tested in vain");
    printf("Sorted by min x, each box tests those that begin before it ends (=); ! they overlap:\n");
    prune(few, FEW, 0, say);
    printf("\n%-22s %9s %9s %9s %9s %9s\n", "tests", "all pairs", "along x", "along y", "overlaps", "sap.h's");
    show_counts("these ten", few, FEW);
    scatter(many, MANY, 60, 60);
    show_counts("2000 in a square", many, MANY);
    scatter(many, MANY, 720, 5);
    show_counts("2000 in a street", many, MANY);
    svg_close(&picture);
    return 0;
}
