/*
teach.h - rows of sorted endpoints: kept, printed and drawn

Include it after sap.h. It looks into no world: a row starts as the sorted ends of boxes, and follows by SAP_TRACE what
the insertion sort of sap.h does. Box 1 is called A, box 2 B and so on; "(A" is its min, "A)" its max.
*/
#ifndef TEACH_H
#define TEACH_H

#include <stdio.h>
#include "svg.h"

enum { TEACH_MOST_ENDS = 32 };

typedef struct teach_end {
    char box; /* 0: this place is empty */
    int is_max;
    float value;
} teach_end;

typedef struct teach_row { /* one axis of a world, at one moment */
    int n, walker;         /* walker: the place of the end that is moving, or -1 */
    teach_end ends[TEACH_MOST_ENDS];
} teach_row;

static inline char teach_name(sap_id id) {
    return (char)('A' + SAP_SLOT(id) - 1);
}

static inline float teach_value(const sap_aabb *boxes, int axis, const teach_end *e) {
    return (e->is_max ? boxes[e->box - 'A'].max : boxes[e->box - 'A'].min)[axis];
}

/* At the same value a min comes before a max: so boxes that touch overlap. */
static inline int teach_comes_after(float a, int a_is_max, float b, int b_is_max) {
    return a > b || (!(a < b) && a_is_max && !b_is_max);
}

/* The ends of n boxes on one axis, sorted, as sap.h keeps them between its two sentinels. */
static inline teach_row teach_sorted(const sap_aabb *boxes, int n, int axis) {
    teach_row row = {2 * n, -1, {{0, 0, 0}}};
    for (int i = 0; i < 2 * n; i++) {
        teach_end e = {(char)('A' + i / 2), i & 1, 0};
        int j = i;
        e.value = teach_value(boxes, axis, &e);
        for (; j > 0 && teach_comes_after(row.ends[j - 1].value, row.ends[j - 1].is_max, e.value, e.is_max); j--)
            row.ends[j] = row.ends[j - 1];
        row.ends[j] = e;
    }
    return row;
}

/* An end of id0 passes one of id1, as SAP_TRACE says; 'boxes' are as they are now. Insertion sort takes the ends from
   left to right and gives each its new value; the first one that is smaller than its left neighbour walks. */
static inline void teach_pass(teach_row *row, const sap_aabb *boxes, int axis, sap_id id0, sap_id id1) {
    int i = 0;
    for (; i + 1 < row->n; i++) {
        row->ends[i].value = teach_value(boxes, axis, &row->ends[i]);
        row->ends[i + 1].value = teach_value(boxes, axis, &row->ends[i + 1]);
        if (teach_comes_after(row->ends[i].value, row->ends[i].is_max, row->ends[i + 1].value, row->ends[i + 1].is_max))
            break;
    }
    if (i + 1 >= row->n || row->ends[i].box != teach_name(id1) || row->ends[i + 1].box != teach_name(id0)) {
        fprintf(stderr, "teach.h: %c passes %c, which is not what insertion sort does next\n", teach_name(id0),
                teach_name(id1));
        exit(1);
    }
    teach_end walker = row->ends[i + 1];
    row->ends[i + 1] = row->ends[i];
    row->ends[i] = walker;
    row->walker = i;
}

/* One line, with a remark after it, or "". */
static inline void teach_print(const teach_row *row, const char *remark) {
    for (int i = 0; i < row->n; i++) {
        const teach_end *e = &row->ends[i];
        char text[16];
        snprintf(text, sizeof text,
                 !e->box     ? "."
                 : e->is_max ? "%c) %g%s"
                             : "(%c %g%s",
                 e->box, (double)e->value, i == row->walker ? "<" : "");
        printf("%-*s", *remark || i + 1 < row->n ? 8 : 0, text);
    }
    printf("%s\n", remark);
}

/* Box A is blue, B green and so on, in every picture; a mark that is no box (small letter) is grey. */
static inline const char *teach_color(char box) {
    static const char *const colors[] = {"#5b8fd0", "#57b894", "#e0a458", "#c678c9", "#e06c75", "#8fa3ba"};
    return box >= 'a' ? "#5a6a7e" : colors[(box - 'A') % 6];
}

/* The array as a row of cells with its upper left corner at x, y. */
static inline void teach_draw(svg *p, double x, double y, double width, const teach_row *row) {
    for (int i = 0; i < row->n; i++) {
        const teach_end *e = &row->ends[i];
        double left = x + i * width, up = y - (i == row->walker ? 9 : 0);
        const double cell[] = {left, up, left + width - 4, up, left + width - 4, up + 34, left, up + 34};
        char style[80];
        snprintf(style, sizeof style, "fill:%s;fill-opacity:%s;stroke:%s", e->box ? teach_color(e->box) : "none",
                 i == row->walker ? ".75" : ".3", i == row->walker ? "#fff" : "#37465a");
        svg_path(p, 4, cell, 1, style);
        if (!e->box) continue;
        svg_text(p, left + 5, up + 16, 14, SVG_TITLE, e->is_max ? "%c)" : "(%c", e->box);
        svg_text(p, left + 5, up + 30, 11, SVG_TITLE, "%g", (double)e->value);
    }
}

#endif
