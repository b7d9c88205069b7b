/*
teach.h - looks at the sorted endpoints of a world, prints them and draws them

Include it after sap.h with its implementation: it reads the private arrays of a world, but never writes to them.
Box 1 is called A, box 2 B and so on; "(A" is its min, "A)" its max.
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
    return (char)('A' + (id & 0xffffff) - 1);
}

static inline teach_end teach_end_of(uint64_t end) {
    uint32_t key = (uint32_t)(end >> 32) ^ 0x80000000u; /* sap__sortable, undone */
    teach_end e = {(char)('A' + sap__end_slot(end)), sap__end_is_max(end) != 0, sap__float((int32_t)key)};
    return e;
}

/* The ends of one axis, without the sentinels. */
static inline teach_row teach_read(const sap_world *world, int axis) {
    const uint64_t *ends = world->ends[axis] + 1;
    teach_row row = {sap__length(world->ends[axis]) - 2, -1, {{0, 0, 0}}};
    for (int i = 0; i < row.n; i++) row.ends[i] = teach_end_of(ends[i]);
    return row;
}

/* The same while an end of box id walks. sap.h holds that end in a variable; at the place where it would go now there
   is still a copy of the end that it passed last. No other two ends are equal. */
static inline teach_row teach_read_walk(const sap_world *world, int axis, sap_id id) {
    const uint64_t *ends = world->ends[axis] + 1;
    teach_row row = teach_read(world, axis);
    int mins = 0;
    for (int i = 0; i + 1 < row.n; i++)
        if (ends[i] == ends[i + 1]) row.walker = i;
    for (int i = 0; i < row.n; i++) mins += i != row.walker && row.ends[i].box == teach_name(id) && !row.ends[i].is_max;
    row.ends[row.walker] = teach_end_of(sap__end(sap__bound(&world->now[(id & 0xffffff) - 1], axis, mins != 0),
                                                 mins != 0, (id & 0xffffff) - 1)); /* the one that is missing */
    return row;
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

/* Box A is blue, B green and so on, in every picture. */
static inline const char *teach_color(char box) {
    static const char *const colors[] = {"#5b8fd0", "#57b894", "#e0a458", "#c678c9", "#e06c75", "#8fa3ba"};
    return colors[(box - 'A') % 6];
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
