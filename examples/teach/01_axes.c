/*
Shows the parts of a sweep-and-prune: boxes, their ends on each axis, in order, and the pairs (Terdiman I.2, figure 1).

    cc -I../.. -I.. -o 01_axes 01_axes.c -lm && ./01_axes

A box casts a shadow on each axis, from its min to its max: these are its two ends there. Two boxes overlap if, and only if,
their shadows overlap on every axis. So it is enough to know the order of the ends, on one axis after another.
A sweep-and-prune keeps three things, and each knows the others:

    boxes           each knows its ends, and the object that it belongs to
    sorted ends     for each axis an array of two ends a box: value, box, and whether it is a min or a max
    pair manager    the pairs that overlap on all axes; it is told of those that begin and of those that end

"(A" is the min of A on the axis, "A)" its max. Change a box and look what becomes of the rest.
It draws 01_axes.svg, figure 1 of the paper, or the file you name. It prints:

    ends on x  (A 1    (B 4    A) 5    (C 6    B) 8    (D 10   C) 11   D) 13
    ends on y  (C 1    (A 2    C) 3    (B 4    (D 5    A) 6    D) 8    B) 9
    shadows overlap on x:       A-B, B-C, C-D
    shadows overlap on y:       A-B, A-C, A-D, B-D
    on both, so they are pairs: A-B
*/
#include "sap.h"
#include "teach.h"

enum { BOXES = 4 };

static const sap_aabb boxes[BOXES] = {{{1, 2}, {5, 6}}, {{4, 4}, {8, 9}}, {{6, 1}, {11, 3}}, {{10, 5}, {13, 8}}};

/* Prints the pairs that overlap on an axis; axis 2, on which the boxes have no width: on all. */
static int print_pairs(const char *label, int axis) {
    int n = 0;
    printf("%-28s", label);
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++)
            if (axis < 2 ? teach_overlap_on(&boxes[a], &boxes[b], axis) : teach_overlap(&boxes[a], &boxes[b]))
                printf("%s%c-%c", n++ ? ", " : "", teach_name(a), teach_name(b));
    printf("\n");
    return n;
}

static void draw(const char *path, const teach_row rows[2]) {
    const double left = 130, bottom = 410, unit = 30;
    svg p = svg_open(path, 1000, 620, "Boxes, their ends on each axis, and the pairs");
    svg_line(&p, left - 30, bottom, left + 14 * unit, bottom, "stroke:#8fa3ba;marker-end:url(#arrow)");
    svg_line(&p, left, bottom + 30, left, bottom - 10.5 * unit, "stroke:#8fa3ba;marker-end:url(#arrow)");
    for (int i = 0; i < BOXES; i++) {
        const sap_aabb *box = &boxes[i];
        const double x0 = left + unit * box->min[0], x1 = left + unit * box->max[0];
        const double y0 = bottom - unit * box->min[1], y1 = bottom - unit * box->max[1];
        const double corners[] = {x0, y0, x1, y0, x1, y1, x0, y1}, down = bottom + 10 + 7 * i,
                     across = left - 10 - 7 * i;
        char fill[64], stroke[64], thin[96];
        snprintf(fill, sizeof fill, "fill:%s;fill-opacity:.55", teach_color(i));
        snprintf(stroke, sizeof stroke, "stroke:%s;stroke-width:4", teach_color(i));
        snprintf(thin, sizeof thin, "stroke:%s;stroke-dasharray:3 4;stroke-opacity:.7", teach_color(i));
        svg_path(&p, 4, corners, 1, fill);
        svg_text(&p, x0 + 6, y1 + 20, 16, SVG_TITLE, "%c", teach_name(i));
        svg_line(&p, x0, y0, x0, down, thin);
        svg_line(&p, x1, y0, x1, down, thin);
        svg_line(&p, x0, y0, across, y0, thin);
        svg_line(&p, x0, y1, across, y1, thin);
        svg_line(&p, x0, down, x1, down, stroke);
        svg_line(&p, across, y0, across, y1, stroke);
    }
    for (int axis = 0; axis < 2; axis++) {
        svg_text(&p, 40, 512 + 60 * axis, 15, SVG_WORD, "ends on %c", 'x' + axis);
        teach_draw(&p, 130, 490 + 60 * axis, 62, &rows[axis]);
    }
    int n = 0;
    svg_text(&p, 650, 120, 15, SVG_WORD, "pair manager");
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++) {
            if (!teach_overlap(&boxes[a], &boxes[b])) continue;
            const float min[2] = {650, 134 + 40 * (float)n}, max[2] = {716, min[1] + 32};
            svg_box(&p, min, max, "fill:#26303d;stroke:#8fa3ba");
            svg_text(&p, 664, (double)min[1] + 21, 16, SVG_TITLE, "%c-%c", teach_name(a), teach_name(b));
            n++;
        }
    svg_text(&p, 650, 300, 15, SVG_WORD, "bars: shadows on x and on y");
    svg_close(&p);
}

int main(int argc, char **argv) {
    teach_row rows[2];
    for (int axis = 0; axis < 2; axis++) {
        rows[axis] = teach_sorted(boxes, BOXES, axis);
        printf("ends on %c  ", 'x' + axis);
        teach_print(&rows[axis], "");
    }
    print_pairs("shadows overlap on x:", 0);
    print_pairs("shadows overlap on y:", 1);
    print_pairs("on both, so they are pairs:", 2);
    draw(argc > 1 ? argv[1] : "01_axes.svg", rows);
    return 0;
}
