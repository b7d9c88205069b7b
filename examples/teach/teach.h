/*
teach.h - what the programs of the course share: random boxes, sorted ends, a sweep, and their pictures

Include it after sap.h; only the type sap_aabb is taken from there. Boxes are numbered from 0; box 0 is called A, box 1 B and
so on. "(A" is the min of A on an axis, "A)" its max. The first half, up to the rows, is what the lessons are about.
*/
#ifndef TEACH_H
#define TEACH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "svg.h"

/* ---- random boxes: the same on every machine ----------------------------------------------------------------- */

static uint32_t teach_state = 1;

static inline float teach_random(float low, float high) {
    teach_state = teach_state * 1664525u + 1013904223u;
    const float part = (float)(teach_state >> 8) / 16777216.0f * (high - low);
    return low + part; /* in two steps: in one, some compilers round once and others twice */
}

/* Scatters n boxes, 1 wide, with their mins in a world of this size. They have no width on an axis on which the world has
   none. */
static inline void teach_scatter(sap_aabb *boxes, int n, float width, float height, float depth) {
    const float size[3] = {width, height, depth};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].min[k] = size[k] > 0 ? teach_random(0, size[k]) : 0;
            boxes[i].max[k] = boxes[i].min[k] + (size[k] > 0 ? 1.0f : 0.0f);
        }
}

/* Moves a box by up to 'step' on the first axes. It keeps its size. */
static inline void teach_walk(sap_aabb *box, int axes, float step) {
    for (int k = 0; k < axes; k++) {
        const float size = box->max[k] - box->min[k];
        box->min[k] += teach_random(-step, step);
        box->max[k] = box->min[k] + size;
    }
}

static inline int teach_overlap_on(const sap_aabb *a, const sap_aabb *b, int axis) {
    return a->min[axis] <= b->max[axis] && b->min[axis] <= a->max[axis];
}

static inline int teach_overlap(const sap_aabb *a, const sap_aabb *b) {
    return teach_overlap_on(a, b, 0) && teach_overlap_on(a, b, 1) && teach_overlap_on(a, b, 2);
}

/* ---- sorted ends ------------------------------------------------------------------------------------------------- */

enum { TEACH_EMPTY = -1, TEACH_MARKED = -2 }; /* instead of a box: the place is free, or its end is to go */

typedef struct teach_end {
    int box, is_max;
    float value;
} teach_end;

/* At the same value a min comes before a max: so boxes that touch overlap. */
static inline int teach_comes_before(teach_end a, teach_end b) {
    return a.value != b.value ? a.value < b.value : a.is_max < b.is_max;
}

/* Insertion sort, as in lesson 2. Returns how often an end passed another one. */
static inline long long teach_sort(teach_end *ends, int n) {
    long long passes = 0;
    for (int i = 1; i < n; i++) {
        const teach_end walker = ends[i];
        int j = i;
        for (; j > 0 && teach_comes_before(walker, ends[j - 1]); j--) ends[j] = ends[j - 1];
        ends[j] = walker;
        passes += i - j;
    }
    return passes;
}

/* Gives each end the value that its box has now. The order is that of before. */
static inline void teach_refresh(teach_end *ends, int n, const sap_aabb *boxes, int axis) {
    for (int i = 0; i < n; i++)
        ends[i].value = (ends[i].is_max ? boxes[ends[i].box].max : boxes[ends[i].box].min)[axis];
}

static inline int teach_by_value(const void *a, const void *b) {
    const teach_end *x = (const teach_end *)a, *y = (const teach_end *)b;
    const int order = teach_comes_before(*y, *x) - teach_comes_before(*x, *y);
    return order ? order : x->box - y->box;
}

/* The ends of n boxes on one axis, sorted; the first box has number 'first'. */
static inline void teach_ends(teach_end *ends, const sap_aabb *boxes, int n, int axis, int first) {
    for (int i = 0; i < 2 * n; i++)
        ends[i] = (teach_end){first + i / 2, i & 1, (i & 1 ? boxes[i / 2].max : boxes[i / 2].min)[axis]};
    qsort(ends, (size_t)n * 2, sizeof *ends, teach_by_value);
}

/* ---- a sweep: box pruning, as in lesson 4 ------------------------------------------------------------------------ */

static const sap_aabb *teach_sorting;
static int teach_sorting_axis;

static inline int teach_by_min(const void *a, const void *b) {
    const int i = *(const int *)a, j = *(const int *)b;
    const float x = teach_sorting[i].min[teach_sorting_axis], y = teach_sorting[j].min[teach_sorting_axis];
    return x != y ? (x > y) - (x < y) : i - j;
}

/* Sorts the numbers of n boxes by their mins. */
static inline void teach_sort_by_min(const sap_aabb *boxes, int *order, int n, int axis) {
    teach_sorting = boxes;
    teach_sorting_axis = axis;
    qsort(order, (size_t)n, sizeof *order, teach_by_min);
}

/* A box, and those that it is tested with. */
typedef void teach_tests(int box, const int *candidates, int count);

/* Complete pruning of boxes 0 to n - 1: sorted by their mins along an axis, each box is tested with those that begin
   before it ends. What begins later cannot reach it, nor can anything after that. 'order' has room for n numbers.
   Returns the number of tests. */
static inline long long teach_sweep(const sap_aabb *boxes, int *order, int n, int axis, teach_tests *told) {
    long long tests = 0;
    for (int i = 0; i < n; i++) order[i] = i;
    teach_sort_by_min(boxes, order, n, axis);
    for (int i = 0; i < n; i++) {
        int end = i + 1;
        while (end < n && boxes[order[end]].min[axis] <= boxes[order[i]].max[axis]) end++;
        if (told) told(order[i], &order[i + 1], end - i - 1);
        tests += end - i - 1;
    }
    return tests;
}

/* Bipartite pruning of the boxes a[] and b[]: both are sorted, and walked at once as in a merge. Whichever box begins first
   is tested with those of the other set that begin before it ends; those further left had their turn already. */
static inline long long teach_sweep_two(const sap_aabb *boxes, int *a, int na, int *b, int nb, int axis,
                                        teach_tests *told) {
    long long tests = 0;
    int at[2] = {0, 0}, *const set[2] = {a, b};
    const int size[2] = {na, nb};
    for (int k = 0; k < 2; k++) teach_sort_by_min(boxes, set[k], size[k], axis);
    while (at[0] < na && at[1] < nb) {
        const int k = boxes[a[at[0]]].min[axis] > boxes[b[at[1]]].min[axis]; /* the set whose box begins first */
        const int box = set[k][at[k]++], *others = &set[!k][at[!k]], left = size[!k] - at[!k];
        int count = 0;
        while (count < left && boxes[others[count]].min[axis] <= boxes[box].max[axis]) count++;
        if (told) told(box, others, count);
        tests += count;
    }
    return tests;
}

/* ---- rows: one axis at one moment, printed and drawn -------------------------------------------------------------- */

enum { TEACH_MOST_ENDS = 32 };

typedef struct teach_row {
    int n, walker; /* walker: the place of the end that is moving, or -1 */
    teach_end ends[TEACH_MOST_ENDS];
} teach_row;

static inline teach_row teach_sorted(const sap_aabb *boxes, int n, int axis) {
    teach_row row = {2 * n, -1, {{0, 0, 0}}};
    if (row.n > TEACH_MOST_ENDS) {
        fprintf(stderr, "a row has room for %d ends: see TEACH_MOST_ENDS in teach.h\n", TEACH_MOST_ENDS);
        exit(1);
    }
    teach_ends(row.ends, boxes, n, axis, 0);
    return row;
}

static inline char teach_name(int box) {
    return (char)(box == TEACH_MARKED ? 'x' : 'A' + box);
}

/* One line, with a remark after it, or "". */
static inline void teach_print(const teach_row *row, const char *remark) {
    for (int i = 0; i < row->n; i++) {
        const teach_end *e = &row->ends[i];
        char text[24];
        snprintf(text, sizeof text, e->is_max ? "%c) %g%s" : "(%c %g%s", teach_name(e->box), (double)e->value,
                 i == row->walker ? "<" : "");
        printf("%-*s", *remark || i + 1 < row->n ? 8 : 0, e->box == TEACH_EMPTY ? "." : text);
    }
    printf("%s\n", remark);
}

/* Box A is blue, B green and so on, in every picture; an end that is to go is grey. */
static inline const char *teach_color(int box) {
    static const char *const colors[] = {"#5b8fd0", "#57b894", "#e0a458", "#c678c9", "#e06c75", "#8fa3ba"};
    return box < 0 ? "#5a6a7e" : colors[box % 6];
}

/* The array as a row of cells with its upper left corner at x, y. */
static inline void teach_draw(svg *p, double x, double y, double width, const teach_row *row) {
    for (int i = 0; i < row->n; i++) {
        const teach_end *e = &row->ends[i];
        double left = x + i * width, up = y - (i == row->walker ? 9 : 0);
        const double cell[] = {left, up, left + width - 4, up, left + width - 4, up + 34, left, up + 34};
        char style[80];
        snprintf(style, sizeof style, "fill:%s;fill-opacity:%s;stroke:%s",
                 e->box == TEACH_EMPTY ? "none" : teach_color(e->box), i == row->walker ? ".75" : ".3",
                 i == row->walker ? "#fff" : "#37465a");
        svg_path(p, 4, cell, 1, style);
        if (e->box == TEACH_EMPTY) continue;
        svg_text(p, left + 5, up + 16, 14, SVG_TITLE, e->is_max ? "%c)" : "(%c", teach_name(e->box));
        svg_text(p, left + 5, up + 30, 11, SVG_TITLE, "%g", (double)e->value);
    }
}

#endif
