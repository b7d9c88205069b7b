/*
Shows how the grid of sap_multi.h is laid over a world: homes, borders, wrapped ends, cells that empty (Terdiman II.2 to II.5).

    cc -I../.. -I.. -I/usr/include/stb -o 05_grid 05_grid.c -lm && ./05_grid

The grid has 8 by 4 cells. A box has its home in the cell of its middle, wherever its sides are; so it is kept once, and
what reaches over a border is found because the cells beside it are looked at, too. (The paper puts such a box into every
cell that it touches, and lets the pair manager sort out the pairs that were found twice.) A box larger than a cell is
kept apart. The grid is wrapped: behind its right end its first column comes again, so every place in the world has a
cell. Two boxes that share a cell only because of that do not pair, for their bounds are compared. A cell that empties
costs nothing: what is kept is the boxes, in the order of their cells. sap_stats.cells counts those that hold one.
Here a flock flies to the right, out of the grid, while some boxes stay. It draws 05_grid.svg or the file you name.
It prints:

    frame  0: 19 of 32 cells hold boxes; 25 boxes cross a border,  0 are outside; 42 pairs, 16 of them between cells
    frame 32: 19 of 32 cells hold boxes; 25 boxes cross a border,  0 are outside; 56 pairs, 25 of them between cells
    frame 64: 19 of 32 cells hold boxes; 33 boxes cross a border, 17 are outside; 43 pairs, 28 of them between cells
              2 times two boxes share a cell from its two ends: none of them pair
    frame 96: 18 of 32 cells hold boxes; 28 boxes cross a border, 36 are outside; 39 pairs, 20 of them between cells
              6 times two boxes share a cell from its two ends: none of them pair
    sap_stats.cells is this number of cells in 97 of 97 frames
    events as of one sap_world without a grid in 97 of 97 frames
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "svg.h"

enum { COLUMNS = 8, ROWS = 4, FLOCK = 36, STAY = 8, BOXES = FLOCK + STAY, FRAMES = 97, MOMENTS = 4 };
#define CELL_SIZE 10.0f
#define LINE "stroke:#37465a"
#define BORDER "fill:#ffab5c;stroke:#10151c"
#define OUTSIDE "fill:#c678c9;stroke:#10151c"
#define FULL "fill:#22364a"
#define WRAPPED "fill:#3a2a48"

static sap_aabb boxes[BOXES], ground = {{-5, 36, 0}, {135, 44, 0}}; /* longer than a cell, and static */
static sap_id ids[BOXES];

/* ---- the grid, as sap_multi.h uses it: only to count and to draw -------------------------------------------- */

static int place_of(float at) { /* without wrapping */
    return (int)floorf(at / CELL_SIZE);
}

static int wrap(int place, int cells) {
    return (place % cells + cells) % cells;
}

static int column_of(const sap_aabb *box) {
    return place_of((box->min[0] + box->max[0]) / 2);
}

static int row_of(const sap_aabb *box) {
    return place_of((box->min[1] + box->max[1]) / 2);
}

static int home_of(const sap_aabb *box) {
    return wrap(row_of(box), ROWS) * COLUMNS + wrap(column_of(box), COLUMNS);
}

static int crosses(const sap_aabb *box) {
    return place_of(box->min[0]) != place_of(box->max[0]) || place_of(box->min[1]) != place_of(box->max[1]);
}

static int is_outside(const sap_aabb *box) {
    return column_of(box) < 0 || column_of(box) >= COLUMNS;
}

typedef struct census {
    int cells, crossing, outside, pairs, across, sharing;
} census;

/* across: pairs of boxes with different homes. sharing: boxes that share a home but are far apart. */
static census count(const sap_multi *world) {
    census c = {0, 0, 0, 0, 0, 0};
    int in_cell[COLUMNS * ROWS] = {0};
    for (int i = 0; i < BOXES; i++) {
        c.cells += in_cell[home_of(&boxes[i])]++ == 0;
        c.crossing += crosses(&boxes[i]);
        c.outside += is_outside(&boxes[i]);
        for (int j = 0; j < i; j++)
            c.sharing += home_of(&boxes[i]) == home_of(&boxes[j]) && column_of(&boxes[i]) != column_of(&boxes[j]);
    }
    const sap_pair *pair = sap_multi_pairs(world, &c.pairs);
    for (int i = 0; i < c.pairs; i++) {
        const sap_aabb *a = (const sap_aabb *)pair[i].object0, *b = (const sap_aabb *)pair[i].object1;
        c.across += home_of(a) != home_of(b);
    }
    return c;
}

/* ---- the flock ---------------------------------------------------------------------------------------------- */

static float random_in(float low, float high) { /* the same on every machine */
    static uint32_t state = 9;
    state = state * 1664525u + 1013904223u;
    return floorf(low + (high - low) * (float)(state >> 8) / 16777216.0f);
}

static void set_up(void) {
    for (int i = 0; i < BOXES; i++) {
        const float x = i < FLOCK ? random_in(1, 33) : 3 + 9 * (float)(i - FLOCK),
                    y = i < FLOCK ? random_in(1, 30) : 32;
        boxes[i] = (sap_aabb){{x, y, 0}, {x + 4, y + 4, 0}};
    }
}

static void fly(void) {
    for (int i = 0; i < FLOCK; i++)
        for (int k = 0; k < 2; k++) {
            const float step = k ? random_in(-1, 2) : 1;
            if (k && (boxes[i].min[1] + step < 0 || boxes[i].max[1] + step > 34)) continue;
            boxes[i].min[k] += step;
            boxes[i].max[k] += step;
        }
}

/* Are the events those of one sap_world, which has no grid? */
static int same_events(const sap_multi *multi, const sap_world *one) {
    int a, b, c, d;
    const sap_pair *created = sap_multi_created(multi, &a), *deleted = sap_multi_deleted(multi, &b);
    const sap_pair *one_created = sap_created(one, &c), *one_deleted = sap_deleted(one, &d);
    return a == c && b == d && (a == 0 || !memcmp(created, one_created, (size_t)a * sizeof *created)) &&
           (b == 0 || !memcmp(deleted, one_deleted, (size_t)b * sizeof *deleted));
}

static void draw(svg *p, int moment, int frame, const census *c, const sap_multi *world);

int main(int argc, char **argv) {
    sap_multi_config config = {0};
    int equal = 0, counted = 0, moment = 0;
    config.sap.axes = SAP_2D;
    config.bounds = (sap_aabb){{0, 0, 0}, {COLUMNS * CELL_SIZE, ROWS * CELL_SIZE, 0}};
    config.cells[0] = COLUMNS;
    config.cells[1] = ROWS;
    sap_multi *world = sap_multi_create(&config);
    sap_world *one = sap_create(&config.sap);
    svg p = svg_open(argc > 1 ? argv[1] : "05_grid.svg", 1240, 690, "A flock flies out of a wrapped grid");
    svg_key(&p, 40, 66, SVG_PLAIN, "in one cell");
    svg_key(&p, 155, 66, BORDER, "crosses a border");
    svg_key(&p, 315, 66, OUTSIDE, "outside: its home is a wrapped cell");
    svg_key(&p, 610, 66, FULL, "cell with boxes");
    svg_key(&p, 760, 66, WRAPPED, "cell with boxes from outside");
    svg_key(&p, 1010, 66, SVG_GROUND, "larger than a cell");

    set_up();
    void *objects[BOXES];
    for (int i = 0; i < BOXES; i++) objects[i] = &boxes[i];
    sap_multi_add_many(world, BOXES, boxes, objects, ids);
    sap_add_many(one, BOXES, boxes, objects, ids); /* the same ids */
    sap_multi_add_static(world, &ground, &ground);
    sap_add_static(one, &ground, &ground);
    for (int frame = 0; frame < FRAMES; frame++) {
        sap_stats stats;
        sap_multi_update(world);
        sap_update(one);
        sap_multi_get_stats(world, &stats);
        const census c = count(world);
        equal += same_events(world, one);
        counted += stats.cells == c.cells;
        if (frame % 32 == 0) {
            printf("frame %2d: %2d of %d cells hold boxes; %2d boxes cross a border, %2d are outside; "
                   "%2d pairs, %2d of them between cells\n",
                   frame, c.cells, COLUMNS * ROWS, c.crossing, c.outside, c.pairs, c.across);
            if (c.sharing)
                printf("          %d times two boxes share a cell from its two ends: none of them pair\n", c.sharing);
            draw(&p, moment++, frame, &c, world);
        }
        fly();
        sap_multi_move_many(world, FLOCK, ids, boxes);
        sap_move_many(one, FLOCK, ids, boxes);
    }
    printf("sap_stats.cells is this number of cells in %d of %d frames\n", counted, FRAMES);
    printf("events as of one sap_world without a grid in %d of %d frames\n", equal, FRAMES);
    svg_close(&p);
    sap_multi_destroy(world);
    sap_destroy(one);
    return equal != FRAMES || counted != FRAMES;
}

/* The grid and what lies beyond its right end, where the columns come again. */
static void draw(svg *p, int moment, int frame, const census *c, const sap_multi *world) {
    int count, at_home[COLUMNS * ROWS] = {0}, from_outside[COLUMNS * ROWS] = {0};
    for (int i = 0; i < BOXES; i++) (is_outside(&boxes[i]) ? from_outside : at_home)[home_of(&boxes[i])] = 1;
    svg_begin_panel(p, 40 + 590 * (moment % 2), 100 + 290 * (moment / 2), 570, 270, -6, -6, 4);
    for (int column = 0; column < 2 * COLUMNS - 4; column++)
        for (int row = 0; row < ROWS; row++) {
            const float min[2] = {CELL_SIZE * (float)column, CELL_SIZE * (float)row};
            const float max[2] = {min[0] + CELL_SIZE, min[1] + CELL_SIZE};
            const int cell = row * COLUMNS + column % COLUMNS;
            const char *fill = column < COLUMNS && from_outside[cell] ? WRAPPED : at_home[cell] ? FULL : "fill:none";
            char style[64];
            snprintf(style, sizeof style, "%s;%s", column < COLUMNS ? fill : "fill:none;stroke-dasharray:2 3", LINE);
            svg_box(p, min, max, style);
        }
    for (int column = 0; column < 2 * COLUMNS - 4; column++)
        svg_text(p, 10.0 * column + 4, -1.5, 13, SVG_WORD, "%d", column % COLUMNS);
    svg_box(p, ground.min, ground.max, SVG_GROUND);
    for (int i = 0; i < BOXES; i++)
        svg_box(p, boxes[i].min, boxes[i].max,
                is_outside(&boxes[i]) ? OUTSIDE
                : crosses(&boxes[i])  ? BORDER
                                      : SVG_PLAIN);
    const sap_pair *pair = sap_multi_pairs(world, &count);
    for (int i = 0; i < count; i++) {
        const sap_aabb *a = (const sap_aabb *)pair[i].object0, *b = (const sap_aabb *)pair[i].object1;
        if (a == &ground || b == &ground) continue;
        svg_line(p, (a->min[0] + a->max[0]) / 2, (a->min[1] + a->max[1]) / 2, (b->min[0] + b->max[0]) / 2,
                 (b->min[1] + b->max[1]) / 2, "stroke:#ffd877;stroke-width:2");
    }
    svg_text(p, -4, 57, 15, SVG_WORD, "frame %d: %d of %d cells hold boxes, %d boxes outside", frame, c->cells,
             COLUMNS * ROWS, c->outside);
    svg_end_panel(p);
}
