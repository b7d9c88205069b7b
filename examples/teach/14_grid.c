/*
Shows the grid of SAPs: boxes in several cells, the owner cell of a pair, a wrapped grid (Terdiman II.2, II.3).

    cc -I../.. -I.. -I/usr/include/stb -o 14_grid 14_grid.c -lm && ./14_grid

The grid has 8 by 4 cells, and with SAP_METHOD_SORT each cell that a box touches has a SAP of its own: the sorted endpoints
of the boxes that touch it. A box has an entry in each of its cells, so boxes that overlap have a cell in common, where
their ends pass each other. If they have several, each of them finds the pair, and one of them, its owner cell, reports it:
on each axis the larger of the two lowest cells. (The paper lets one pair manager leave out what comes twice, II.3b.)
The grid is wrapped: behind its last column the first one comes again, so every place in the world has a cell. Two boxes
that share a cell only because of that do not pair, for their bounds are compared. The paper wants objects that touch few
cells (II.2b), and has two ways for static ones that do not (II.2c). Here the ground touches three or more cells on an axis,
so it is in one more SAP, of large boxes. A cell that empties gives its arrays to the next one that needs some. A flock
flies to the right, out of the grid, while some boxes stay; at the end it is removed. The program finds cells and owners by
itself, and holds them against sap_stats.cells and the pairs. SAPs are counted without that of large boxes. It draws
14_grid.svg or the file you name. It prints:

    frame  0: 20 SAPs for 44 boxes with 81 entries,  0 boxes outside; 42 pairs,  7 of them in several SAPs
    frame 32: 20 SAPs for 44 boxes with 79 entries,  0 boxes outside; 56 pairs, 12 of them in several SAPs
    frame 64: 23 SAPs for 44 boxes with 99 entries, 22 boxes outside; 43 pairs, 24 of them in several SAPs
              7 times two boxes share a cell only by wrapping: none of them pair
    frame 96: 23 SAPs for 44 boxes with 92 entries, 36 boxes outside; 39 pairs, 18 of them in several SAPs
              9 times two boxes share a cell only by wrapping: none of them pair
    SAPs as counted, one more for the ground, and each pair in its owner cell, in 97 of 97 frames
    events as of one sap_world without a grid in 97 of 97 frames
    the flock is removed: 9 SAPs are left
*/
#include <math.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "teach.h"

enum { COLUMNS = 8, ROWS = 4, GROUND_CELLS = 1, FLOCK = 36, STAY = 8, BOXES = FLOCK + STAY, FRAMES = 97, MOMENTS = 4 };
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

/* The cells that a box touches, before they are wrapped: from first to last on each axis. */
typedef struct range {
    int first[2], last[2];
} range;

static range range_of(const sap_aabb *box) {
    range r;
    for (int k = 0; k < 2; k++) r.first[k] = place_of(box->min[k]), r.last[k] = place_of(box->max[k]);
    return r;
}

static int cells_of(const range *r) {
    return (r->last[0] - r->first[0] + 1) * (r->last[1] - r->first[1] + 1);
}

static int cell_at(int column, int row) {
    return wrap(row, ROWS) * COLUMNS + wrap(column, COLUMNS);
}

static int touches(const range *r, int cell) {
    for (int row = r->first[1]; row <= r->last[1]; row++)
        for (int column = r->first[0]; column <= r->last[0]; column++)
            if (cell_at(column, row) == cell) return 1;
    return 0;
}

/* The cells that hold both boxes. */
static int shared_cells(const range *a, const range *b) {
    int n = 0;
    for (int cell = 0; cell < COLUMNS * ROWS; cell++) n += touches(a, cell) && touches(b, cell);
    return n;
}

/* The larger of the two first places on each axis, wrapped at last. */
static int owner_of(const range *a, const range *b) {
    int place[2];
    for (int k = 0; k < 2; k++) place[k] = a->first[k] > b->first[k] ? a->first[k] : b->first[k];
    return cell_at(place[0], place[1]);
}

static int is_outside(const sap_aabb *box) {
    return range_of(box).last[0] >= COLUMNS;
}

typedef struct census {
    int cells, entries, outside, pairs, in_several, sharing, owned;
} census;

/* entries: of all boxes in all cells. sharing: boxes that share a cell and are far apart. The ground counts apart. */
static census count(const sap_world *world) {
    census c = {0, 0, 0, 0, 0, 0, 0};
    int used[COLUMNS * ROWS] = {0};
    for (int i = 0; i < BOXES; i++) {
        const range a = range_of(&boxes[i]);
        c.entries += cells_of(&a);
        c.outside += is_outside(&boxes[i]);
        for (int cell = 0; cell < COLUMNS * ROWS; cell++) used[cell] |= touches(&a, cell);
        for (int j = 0; j < i; j++) {
            const range b = range_of(&boxes[j]);
            const int far_apart = a.first[0] > b.last[0] || b.first[0] > a.last[0];
            c.sharing += far_apart && shared_cells(&a, &b) > 0;
        }
    }
    for (int cell = 0; cell < COLUMNS * ROWS; cell++) c.cells += used[cell];
    const sap_pair *pair = sap_pairs(world, &c.pairs);
    for (int i = 0; i < c.pairs; i++) {
        const sap_aabb *box = (const sap_aabb *)pair[i].object0, *other = (const sap_aabb *)pair[i].object1;
        if (box == &ground || other == &ground) continue;
        const range a = range_of(box), b = range_of(other);
        c.in_several += shared_cells(&a, &b) > 1;
        c.owned += touches(&a, owner_of(&a, &b)) && touches(&b, owner_of(&a, &b));
    }
    return c;
}

/* ---- the flock ---------------------------------------------------------------------------------------------- */

static float random_in(float low, float high) {
    return floorf(teach_random(low, high));
}

static void set_up(void) {
    teach_state = 9;
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
static int same_events(const sap_world *multi, const sap_world *one) {
    int a, b, c, d;
    const sap_pair *created = sap_created(multi, &a), *deleted = sap_deleted(multi, &b);
    const sap_pair *one_created = sap_created(one, &c), *one_deleted = sap_deleted(one, &d);
    return a == c && b == d && (a == 0 || !memcmp(created, one_created, (size_t)a * sizeof *created)) &&
           (b == 0 || !memcmp(deleted, one_deleted, (size_t)b * sizeof *deleted));
}

static void draw(svg *p, int moment, int frame, const census *c, const sap_world *world);

int main(int argc, char **argv) {
    sap_config config = {0};
    sap_grid grid = {0};
    int equal = 0, counted = 0, moment = 0, ground_pairs = 0;
    config.axes = SAP_2D;
    config.method = SAP_METHOD_SORT;
    grid.bounds = (sap_aabb){{0, 0, 0}, {COLUMNS * CELL_SIZE, ROWS * CELL_SIZE, 0}};
    grid.cells[0] = COLUMNS;
    grid.cells[1] = ROWS;
    sap_world *world = sap_create(&config);
    sap_world *one = sap_create(&config);
    sap_set_grid(world, &grid);
    svg p = svg_open(argc > 1 ? argv[1] : "14_grid.svg", 1240, 690, "A flock flies out of a wrapped grid");
    svg_key(&p, 40, 66, SVG_PLAIN, "in one cell");
    svg_key(&p, 155, 66, BORDER, "in several cells");
    svg_key(&p, 315, 66, OUTSIDE, "outside: in wrapped cells");
    svg_key(&p, 610, 66, FULL, "cell with boxes");
    svg_key(&p, 760, 66, WRAPPED, "cell with boxes from outside");
    svg_key(&p, 1010, 66, SVG_GROUND, "a large box");

    set_up();
    void *objects[BOXES];
    for (int i = 0; i < BOXES; i++) objects[i] = &boxes[i];
    sap_add_many(world, BOXES, boxes, objects, ids);
    sap_add_many(one, BOXES, boxes, objects, ids); /* the same ids */
    const sap_id ground_id = sap_add_static(world, &ground, &ground);
    sap_add_static(one, &ground, &ground);
    for (int frame = 0; frame < FRAMES; frame++) {
        sap_stats stats;
        sap_update(world);
        sap_update(one);
        sap_get_stats(world, &stats);
        const census c = count(world);
        ground_pairs = sap_pairs_of(world, ground_id, NULL, 0);
        equal += same_events(world, one);
        counted += stats.cells == c.cells + GROUND_CELLS && c.owned == c.pairs - ground_pairs;
        if (frame % 32 == 0) {
            printf("frame %2d: %2d SAPs for %d boxes with %2d entries, %2d boxes outside; %2d pairs, %2d of them in "
                   "several "
                   "SAPs\n",
                   frame, c.cells, BOXES, c.entries, c.outside, c.pairs, c.in_several);
            if (c.sharing)
                printf("          %d times two boxes share a cell only by wrapping: none of them pair\n", c.sharing);
            draw(&p, moment++, frame, &c, world);
        }
        fly();
        sap_move_many(world, FLOCK, ids, boxes);
        sap_move_many(one, FLOCK, ids, boxes);
    }
    printf("SAPs as counted, one more for the ground, and each pair in its owner cell, in %d of %d frames\n", counted,
           FRAMES);
    printf("events as of one sap_world without a grid in %d of %d frames\n", equal, FRAMES);
    sap_remove_many(world, FLOCK, ids); /* what they leave empty goes */
    sap_update(world);
    sap_stats stats;
    sap_get_stats(world, &stats);
    printf("the flock is removed: %d SAPs are left\n", stats.cells);
    svg_close(&p);
    sap_destroy(world);
    sap_destroy(one);
    return equal != FRAMES || counted != FRAMES;
}

/* The grid and what lies beyond its right end, where the columns come again. */
static void draw(svg *p, int moment, int frame, const census *c, const sap_world *world) {
    int count, within[COLUMNS * ROWS] = {0}, from_outside[COLUMNS * ROWS] = {0};
    for (int i = 0; i < BOXES; i++) {
        const range r = range_of(&boxes[i]);
        for (int row = r.first[1]; row <= r.last[1]; row++)
            for (int column = r.first[0]; column <= r.last[0]; column++)
                (column >= COLUMNS ? from_outside : within)[cell_at(column, row)] = 1;
    }
    svg_begin_panel(p, 40 + 590 * (moment % 2), 100 + 290 * (moment / 2), 570, 270, -6, -6, 4);
    for (int column = 0; column < 2 * COLUMNS - 4; column++)
        for (int row = 0; row < ROWS; row++) {
            const float min[2] = {CELL_SIZE * (float)column, CELL_SIZE * (float)row};
            const float max[2] = {min[0] + CELL_SIZE, min[1] + CELL_SIZE};
            const int cell = row * COLUMNS + column % COLUMNS;
            const char *fill = column < COLUMNS && from_outside[cell] ? WRAPPED : within[cell] ? FULL : "fill:none";
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
                : range_of(&boxes[i]).first[0] != range_of(&boxes[i]).last[0] ||
                        range_of(&boxes[i]).first[1] != range_of(&boxes[i]).last[1]
                    ? BORDER
                    : SVG_PLAIN);
    const sap_pair *pair = sap_pairs(world, &count);
    for (int i = 0; i < count; i++) {
        const sap_aabb *a = (const sap_aabb *)pair[i].object0, *b = (const sap_aabb *)pair[i].object1;
        if (a == &ground || b == &ground) continue;
        svg_line(p, (a->min[0] + a->max[0]) / 2, (a->min[1] + a->max[1]) / 2, (b->min[0] + b->max[0]) / 2,
                 (b->min[1] + b->max[1]) / 2, "stroke:#ffd877;stroke-width:2");
    }
    svg_text(p, -4, 57, 15, SVG_WORD, "frame %d: %d SAPs, %d boxes with %d entries", frame, c->cells, BOXES,
             c->entries);
    svg_end_panel(p);
}
